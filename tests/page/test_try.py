"""The page that makes reports in a browser: right, quick, private, and usable after any error."""

import gzip
import http.server
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from needs import TRY

pytestmark = [pytest.mark.needs("playwright", "Chromium", "WebAssembly"), pytest.mark.timeout(900)]

SOURCES = Path(cap.__file__).parent
LOANS = SOURCES / "datasets" / "loans.csv"
MEGABYTES, COMPRESSED = 40, 27
PATIENCE = 180  # seconds, of a machine that is busy with other tests
A_REPORT = 20  # seconds, of 200,000 rows on a machine that is not


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder below a path, as a company's server may, and writes nothing about it."""

    def translate_path(self, path):
        self.directory = self.server.folder
        return super().translate_path(path.removeprefix("/some/path"))

    def do_GET(self):
        self.server.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_):
        pass


@dataclass
class Server:
    """One that runs until it is stopped, and knows what it was asked for."""

    web: http.server.ThreadingHTTPServer
    asked: list = field(default_factory=list)

    def __post_init__(self):
        self.web.asked = self.asked
        threading.Thread(target=self.web.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.web.server_port}/some/path/"

    def stop(self):
        self.web.shutdown()
        self.web.server_close()


def serve(folder):
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    web.folder = str(folder)
    return Server(web)


@pytest.fixture
def hosted():
    """Serve the page as it was assembled, from the sources that are here."""
    (wheel,) = TRY.glob("pyodide/capcurve-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        held = {name: packed.read(name) for name in packed.namelist() if name.endswith(".py")}
    changed = [name for name, data in held.items() if (SOURCES.parent / name).read_bytes() != data]
    assert not changed, f"the page is older than {changed[0]}: make try"
    server = serve(TRY)
    yield server
    server.stop()


@pytest.fixture
def visited(browser, hosted):
    """Open the page as in a browser that never was there; `page.errors` holds what goes wrong."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, accept_downloads=True, service_workers="allow"
    )

    def visit():
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
        page.goto(hosted.address)
        return page

    yield visit
    context.close()


def until(page, *shown):
    """Wait until one of some parts of the page is shown, or an error is; return the error."""
    # By asking again: the policy of the page refuses what a browser would evaluate in it.
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        error = page.inner_text("#error")
        if error or any(page.is_visible(each) for each in shown):
            return error
        time.sleep(0.02)
    raise AssertionError(f"after {PATIENCE} seconds the page says {page.inner_text('#status')!r}")


def eventually(ask):
    """Ask until something is so, and return it."""
    ends = time.monotonic() + PATIENCE
    while not (found := ask()) and time.monotonic() < ends:
        time.sleep(0.1)
    return found


def choose(page, name, text):
    """Choose a file of some text, or of bytes, and wait for its columns."""
    data = text if isinstance(text, bytes) else text.encode()
    page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": data})
    return until(page, "#columns")


def make(page, target=None, *scores):
    """Make the report on some columns, or on those that are suggested."""
    if target is not None:
        if page.input_value("#target") != target:
            page.select_option("#target", target)
        for box in page.query_selector_all("#scores input"):
            box.set_checked(box.get_attribute("value") in scores)
    page.click("#make")
    page.wait_for_timeout(50)
    ends = time.monotonic() + PATIENCE
    while page.is_disabled("#make") and time.monotonic() < ends:
        time.sleep(0.02)
    return page.inner_text("#error")


def report_of(page):
    """Return the frame of the report, once it is drawn."""
    frame = page.frames[-1]
    frame.wait_for_selector("#cap svg")
    return frame


def saved(page):
    with page.expect_download() as coming:
        page.click("#save")
    return Path(coming.value.path()).read_bytes(), coming.value.suggested_filename


def by_command(folder, name, *flags):
    """Return the page that the command writes here."""
    words = [sys.executable, "-m", "capcurve", "report", name, *flags, "-o", "native.html"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return (folder / "native.html").read_bytes()


def told(page):
    """Return what a report says of its counts and in its tiles."""
    text = page.decode()
    digest = re.search(r"digest ([0-9a-f]+)", text)[1]
    return digest, re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)


def rows_of(n, seed=3, digits=6):
    rng = np.random.default_rng(seed)
    pd = rng.random(n)
    bad = rng.random(n) < pd / 4
    return "".join(f"{y:d},{p:.{digits}f}\n" for y, p in zip(bad, pd, strict=True))


def test_loans_give_the_report_of_the_command(visited, hosted, tmp_path):
    page = visited()
    requests = []
    page.context.on("request", lambda request: requests.append(request.url))
    assert "pyodide" not in " ".join(hosted.asked)  # nothing large before a file is chosen
    page.click("#example")
    assert until(page, "#columns") == ""
    assert page.input_value("#target") == "y"
    assert make(page, "y", "grade_rank") == ""
    assert "29.0%" in report_of(page).inner_text("header")
    written, name = saved(page)
    assert name == "loans-report.html"
    assert page.get_attribute("#save", "href") == page.get_attribute("#frame", "src")
    shown = report_of(page).evaluate("document.getElementById('data').textContent")
    assert f'id="data">{shown}</script>' in written.decode()
    (tmp_path / "loans.csv").write_bytes(LOANS.read_bytes())
    native = by_command(tmp_path, "loans.csv", "-t", "y", "-s", "grade_rank")
    assert told(written) == told(native)
    ours = [url for url in requests if not url.startswith(("data:", "blob:"))]
    assert ours
    assert all(url.startswith(hosted.address) for url in ours)
    assert page.errors == []


def test_the_second_visit_needs_no_network(visited, hosted):
    page = visited()
    page.click("#example")
    until(page, "#columns")
    page.close()
    hosted.stop()
    again = visited()
    assert choose(again, "mine.csv", "bad,pd\n" + rows_of(2000)) == ""
    assert make(again) == ""
    assert "mine.csv" in report_of(again).inner_text("header")
    assert again.errors == []


def test_many_rows_in_the_time_of_a_sip(visited):
    page = visited()
    page.click("#example")  # so that what is timed is the file
    until(page, "#columns")
    page.click("#columns .another")
    began = time.monotonic()
    assert choose(page, "many.csv", "bad,pd\n" + rows_of(200_000)) == ""
    assert make(page) == ""
    assert "200,000" in report_of(page).inner_text("header")
    assert time.monotonic() - began < A_REPORT * 6  # beside other tests


FETCH = "(url) => fetch(url).then(() => 'came', (error) => 'refused')"
SOCKET = """(url) => new Promise((told) => {
    const socket = new WebSocket(url);
    socket.onerror = () => told('refused');
    socket.onopen = () => told('came');
})"""
PICTURE = "(url) => { new Image().src = url; navigator.sendBeacon(url, 'rows'); }"


def test_nothing_can_be_sent_elsewhere(visited, tmp_path):
    other = serve(tmp_path)
    page = visited()
    page.click("#example")
    until(page, "#columns")
    make(page, "y", "grade_rank")
    frame, (worker,) = report_of(page), page.workers
    for place in (page, worker, frame):
        assert place.evaluate(FETCH, other.address) == "refused"
        assert place.evaluate(SOCKET, other.address.replace("http", "ws")) == "refused"
    for place in (page, frame):
        place.evaluate(PICTURE, other.address)
    page.wait_for_timeout(500)
    assert other.asked == []
    other.stop()


FEW = [(y, s) for s in range(40) for y in (0, s % 3 == 0 or s > 30)]
WHOLE = "bad,points\n" + "".join(f"{y:d},{s}\n" for y, s in FEW)


def test_what_is_no_csv_is_said_and_another_file_is_taken(visited):
    page = visited()
    assert "neither text nor of another kind" in choose(page, "noise.csv", b"\x89PNG\r\n\0\0" * 99)
    assert page.is_visible("#start")
    assert choose(page, "good.csv", WHOLE) == ""
    assert make(page) == ""
    assert "good.csv" in report_of(page).inner_text("header")


def test_a_file_as_it_is_found_gives_the_numbers_of_the_command(visited, tmp_path):
    page = visited()
    name = "-o <img src=x onerror=alert(1)> & $(y).csv"
    assert choose(page, name, "\ufeff" + WHOLE.replace(",", ";")) == ""
    assert make(page) == ""
    frame = report_of(page)
    assert name in frame.inner_text("header")
    assert frame.query_selector("img") is None
    (tmp_path / "plain.csv").write_text(WHOLE)
    native = by_command(tmp_path, "plain.csv", "-t", "bad", "-s", "points")
    assert told(saved(page)[0]) == told(native)
    assert page.errors == []


def test_labels_missing_values_and_grades_are_asked_for_when_they_matter(visited, tmp_path):
    words = {False: "paid off", True: "written off"}
    rows = [f"{words[bool(y)]},{'ABCDE'[s // 8]},{s if s != 7 else ''}" for y, s in FEW]
    text = "end,grade,points\n" + "\n".join(rows) + "\n"
    page = visited()
    assert choose(page, "loans.csv", text) == ""
    assert "'paid off'" in make(page, "end", "points")
    assert page.inner_text("#error").count(";") == 0  # the page asks, so no flag is named
    page.select_option("#label", "written off")
    assert "points is missing in 2 of 80 rows" in make(page)
    page.check("#missing")
    assert make(page) == ""
    (tmp_path / "loans.csv").write_text(text)
    asked = ("-t", "end", "--pos-label", "written off", "--missing", "drop")
    native = by_command(tmp_path, "loans.csv", "-s", "points", *asked)
    assert told(saved(page)[0]) == told(native)
    page.click("#again")
    assert "grade holds text" in make(page, "end", "grade")
    assert page.input_value("#levels") == "A,B,C,D,E"
    page.fill("#levels", "E,D,C,B,A")
    assert make(page) == ""
    native = by_command(tmp_path, "loans.csv", "-s", "grade", "--levels", "E,D,C,B,A", *asked)
    assert told(saved(page)[0]) == told(native)


def test_an_odd_outcome_can_still_be_chosen(visited):
    labels = ["paid", '" written, off"', "late  again"]
    rows = "".join(f"{labels[(s % 3 == 0) + (s > 70)]},{s}\n" for s in range(99))
    page = visited()
    assert choose(page, "states.csv", "state,points\n" + rows) == ""
    assert page.input_value("#target") == ""
    page.click("#make")  # asks for an outcome first
    assert page.is_enabled("#make")
    assert "two classes" in make(page, "state", "points")
    page.select_option("#label", " written, off")
    assert make(page) == ""
    assert "states.csv" in report_of(page).inner_text("header")
    page.click("#again")
    page.click("#make")
    page.click("#columns .another")  # while a report is made
    assert page.is_visible("#start")
    assert page.is_enabled("#make")
    assert "written" not in page.content()


def test_other_pages_of_the_server_are_left_alone(visited, hosted):
    page = visited()
    assert eventually(lambda: page.evaluate("navigator.serviceWorker.controller !== null"))
    for _ in range(2):
        page.evaluate("(url) => fetch(url)", f"{hosted.address}api/rows?a=1")
    assert hosted.asked.count("/some/path/api/rows?a=1") == 2
    kept = page.evaluate(
        "caches.keys().then((names) => caches.open(names[0]))"
        ".then((found) => found.keys()).then((all) => all.map((each) => each.url))"
    )
    assert hosted.address + "index.html" in kept
    assert not any("api" in url for url in kept)


def test_a_score_that_looks_reversed_is_asked_about(visited):
    rows = "".join(f"{y:d},{900 - s},{s}\n" for y, s in FEW * 20)
    page = visited()
    assert choose(page, "points.csv", "bad,points,pd\n" + rows) == ""
    assert make(page, "bad", "points", "pd") == ""
    report_of(page)
    assert "Which end of points is riskier?" in " ".join(page.inner_text("#ask-end").split())
    page.click("#low")
    page.wait_for_timeout(100)
    while page.is_disabled("#make"):
        time.sleep(0.02)
    assert not page.is_visible("#ask-end")
    assert "reversed" not in report_of(page).inner_text("body")


def violations(page, axe):
    page.evaluate(axe)
    found = page.evaluate("() => axe.run().then((found) => found.violations)")
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


@pytest.mark.parametrize("width", [1280, 390])
def test_it_reads_well_by_eye_keyboard_and_screen_reader(visited, axe, kept, width):
    page = visited()
    page.set_viewport_size({"width": width, "height": 800 if width > 400 else 844})
    fits = "document.documentElement.scrollWidth <= innerWidth"
    kept(page, f"try-start-{width}")
    assert violations(page, axe) == []
    assert page.evaluate(fits)
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "example":
            break
    page.keyboard.press("Enter")
    assert until(page, "#columns") == ""
    kept(page, f"try-columns-{width}")
    assert violations(page, axe) == []
    assert page.evaluate(fits)
    assert page.evaluate("document.activeElement.id") == "target"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "make":
            break
    page.keyboard.press("Enter")
    until(page, "#result")
    report_of(page)
    page.wait_for_timeout(300)
    kept(page, f"try-report-{width}", full=False)
    assert violations(page, axe) == []
    assert page.evaluate(fits)
    assert page.evaluate("document.activeElement.id") == "save"
    assert page.errors == []


def test_an_old_browser_is_told_so(visited):
    page = visited()
    page.evaluate("() => { window.WebAssembly = undefined; }")
    assert choose(page, "x.csv", WHOLE) == "This browser is too old: it needs WebAssembly"


def test_a_file_that_is_too_large_is_told_so(visited):
    page = visited()
    full = "() => { Blob.prototype.arrayBuffer = async () => { throw new RangeError('full'); }; }"
    page.on("worker", lambda worker: worker.evaluate(full))
    error = choose(page, "x.csv", WHOLE)
    assert error.startswith("Not enough memory for this file: use the command line")
    assert page.is_visible("#start")


def test_a_new_version_replaces_the_old_one_whole(visited, hosted, tmp_path):
    page, there = visited(), "navigator.serviceWorker.controller !== null"
    assert eventually(lambda: page.evaluate(there))
    newer = shutil.copytree(
        TRY, tmp_path / "newer", ignore=shutil.ignore_patterns("*.wh*", "*.wa*")
    )
    for name, old, new in (("index.html", "a score", "it"), ("sw.js", "`capcurve-", "`capcurve-2")):
        path = newer / name
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    hosted.web.folder = str(newer)
    page.evaluate("navigator.serviceWorker.ready.then((found) => found.update())")
    assert eventually(lambda: len(page.evaluate("caches.keys()")) == 2)
    other = visited()
    assert "a score" in other.inner_text("h1")  # as long as a tab has the old one
    page.close()
    other.close()

    def title():
        fresh = visited()
        found = fresh.inner_text("h1"), fresh.evaluate("caches.keys()")
        fresh.close()
        return found if "it" in found[0].split() and len(found[1]) == 1 else None

    assert eventually(title)[1][0].startswith("capcurve-2")


def test_the_folder_is_within_its_budget():
    files = [path.read_bytes() for path in TRY.rglob("*") if path.is_file()]
    assert sum(map(len, files)) <= MEGABYTES * 1e6
    assert sum(len(gzip.compress(data)) for data in files) <= COMPRESSED * 1e6
    page = (TRY / "index.html").read_text("utf-8")
    loaded = sum(path.stat().st_size for path in TRY.glob("pyodide/*"))
    assert f"It loads {loaded / 1e6:.0f} MB<" in page
    assert not re.search("https?://", re.sub('data:image.*?"', "", page))

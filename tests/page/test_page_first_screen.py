"""What is seen first of every kind of page: one message, few numbers, and the whole chart."""

import re

import numpy as np
import pytest

from cli_calls import call

SEED, ROWS, MANY = 12, 4000, 200
BOOK = "-t default -s pd"
MONEY = "--value 9000 --cost 250"
TIMES = "report follow.csv --time days --event status -s pd"
TRIAL = "uplift trial.csv -t bought --treatment arm --treated-label treated --value 30 --cost 1.5"
SHEET = "-t default -s grade --levels G,F,E,D,C,B,A --initial old.csv --limits limits.toml"
# What makes each page: a chart that answers is on the first screen of all of them.
PAGES = {
    "one": f"report book.csv {BOOK}",
    "three": f"report book.csv {BOOK} -s gbm -s noise",
    "five": f"report book.csv {BOOK} -s gbm -s noise -s points -s old --higher-is points=negative",
    "many": "report many.csv -t y " + " ".join(f"-s s{k:03d}" for k in range(MANY)),
    "pd and money": f"report book.csv {BOOK} --pd pd {MONEY}",
    "two pds and money": f"report book.csv {BOOK} -s gbm --pd pd --pd gbm {MONEY}",
    "segments": f"report book.csv {BOOK} --by product",
    "crossed": f"report book.csv {BOOK} --by product --by month",
    "alarm": f"report book.csv {BOOK} --by month --initial old_counts.csv",
    "amounts": "report book.csv --amount loss --exposure ead -s pd",
    "two of amounts": "report book.csv --amount loss --exposure ead -s pd -s gbm",
    "selective": "report book.csv -t default -s pd --selective --errors negatives --max-risk 0.9",
    "horizons": f"{TIMES} --horizon 365 --horizon 180",
    "two at a horizon": f"{TIMES} -s gbm --horizon 365",
    "calibration": f"calibration book.csv {BOOK}",
    "uplift": f"{TRIAL} -s effect",
    "two of uplift": f"{TRIAL} -s effect -s random",
    "compare": f"compare book.csv {BOOK} -s gbm -s noise",
    "check": f"check book.csv {BOOK} --periods month --baseline old_counts.csv --min-ar 0.4",
    "grades": f"grades book.csv {BOOK}",
    "change": f"change old.csv book.csv {BOOK} --by product",
    "bounds": f"bounds young.csv {BOOK}",
    "audit": "audit gains.csv --claim ar=0.5",
    "stability": "stability old.csv book.csv -s pd",
    "generalised AUC": "generalised-auc lgd.csv -r lgd -e est",
    "implied": f"implied book.csv {BOOK}",
    "gains": f"gains book.csv {BOOK}",
    "summary": f"summary book.csv {BOOK} -s gbm",
}
# Where charts, tiles and warnings stand, what the tables hold, and how wide all of it is.
SEEN = """() => {
  const at = (each) => each.getBoundingClientRect();
  const seen = (each) => each.checkVisibility() && at(each).width > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const charts = all('figure svg').filter((svg) => at(svg).width > 150 && at(svg).height > 100);
  const first = charts.map(at).sort((a, b) => a.top - b.top)[0];
  const lone = all('.gallery > figure, .grid > figure').filter((figure) => {
    const whole = at(figure.parentElement);
    const beside = [...figure.parentElement.children].some((other) =>
      other !== figure && Math.abs(at(other).top - at(figure).top) < 5);
    return !beside && at(figure).width < 0.7 * whole.width;
  });
  const rows = all('table').filter((table) => !table.closest('details, #morphing')).map((table) =>
    [...table.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility())
      .map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
  return {
    top: first.top, bottom: first.bottom, lone: lone.length, rows,
    said: all('header .lead, header .then').map((each) => each.innerText),
    sizes: all('header p, header h1, header li').map((each) =>
      [each.className, parseFloat(getComputedStyle(each).fontSize)]),
    tiles: all('.figures').map((list) => list.children.length),
    warned: Math.max(0, ...all('header .findings').map((each) => at(each).bottom)),
    tiled: Math.min(1e6, ...all('.figures').map((each) => at(each).top)),
    open: all('header li').length,
    wide: document.documentElement.scrollWidth,
  };
}"""


def written(path, columns):
    lines = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(map(str, line)) for line in [tuple(columns), *lines])
    path.write_text(f"{text}\n", "utf-8")


def book(rng, rows, start, skill):
    risk = rng.normal(size=rows)
    y = (rng.random(rows) < 1 / (1 + np.exp(2.6 - 1.1 * risk))).astype(int)
    seen = {
        name: skill * risk + noise * rng.normal(size=rows)
        for name, noise in (("pd", 1), ("gbm", 0.5), ("old", 1.5))
    }
    pd, gbm, old = (np.round(1 / (1 + np.exp(3.6 - 0.8 * each)), 5) for each in seen.values())
    months = [f"2025-{start + month:02d}" for month in range(6)]
    ead = np.round(rng.lognormal(9, 0.8, rows))
    return {
        "month": np.resize(months, rows),
        "product": np.resize(["Term loan", "Overdraft", "Leasing"], rows),
        "pd": pd, "gbm": gbm, "old": old,
        "noise": np.round(rng.normal(size=rows), 3),
        "points": np.round(600 - 40 * seen["pd"]).astype(int),
        "grade": np.array(list("ABCDEFG"))[np.digitize(pd, np.quantile(pd, np.arange(1, 7) / 7))],
        "ead": ead, "loss": np.round(y * ead * rng.beta(1.3, 2, rows)), "default": y,
    }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the data of all pages: loans whose score became worse, and a trial."""
    place, rng = tmp_path_factory.mktemp("pages"), np.random.default_rng(SEED)
    written(place / "old.csv", book(rng, ROWS, 1, 1.0))
    now = book(rng, ROWS, 7, 0.4)
    written(place / "book.csv", now)
    unknown = np.where(rng.random(ROWS) < 0.05, "", now["default"].astype(str))
    written(place / "young.csv", now | {"default": unknown})
    days = rng.exponential(900, ROWS) / (0.5 + 9 * now["pd"])
    stopped = rng.uniform(60, 900, ROWS)
    event = (days <= stopped).astype(int)
    followed = {"days": np.ceil(np.minimum(days, stopped)).astype(int), "status": event}
    written(place / "follow.csv", {**followed, "pd": now["pd"], "gbm": now["gbm"]})
    effect, treated = rng.normal(size=ROWS), rng.random(ROWS) < 0.5
    bought = (rng.random(ROWS) < 0.1 + 0.06 * treated * (effect > 0)).astype(int)
    written(place / "trial.csv", {"arm": np.where(treated, "treated", "control"), "bought": bought,
                                  "effect": np.round(effect, 3),
                                  "random": np.round(rng.random(ROWS), 3)})  # fmt: skip
    y = (rng.random(1500) < 0.1).astype(int)
    many = {f"s{k:03d}": np.round(0.8 * y + rng.normal(size=1500), 2) for k in range(MANY)}
    written(place / "many.csv", {"y": y, **many})
    lgd = rng.beta(0.7, 1.4, 2000).round(2)
    written(place / "lgd.csv", {"lgd": lgd, "est": (lgd / 2 + rng.random(2000) / 2).round(3)})
    (place / "limits.toml").write_text("[accuracy_ratio]\ngreen = 0.45\nred = 0.3\n", "utf-8")
    return place


@pytest.fixture(scope="module")
def made(folder):
    """Write a page once, by its command."""
    pages = {}

    def page(name):
        if name not in pages:
            pages[name] = _made(folder, PAGES[name], name)
        return pages[name]

    return page


def _made(folder, command, name):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if "old_counts" in command:
            call("counts", "old.csv", *BOOK.split(), "-o", "old_counts.csv")
        if name == "audit":
            call("gains", "book.csv", *BOOK.split(), "-o", "gains.csv")
        result = call(*command.split(), "-o", "page.html")
        assert result.exit_code in (0, 1), result.stderr
        return (folder / "page.html").read_text("utf-8")


def phrases(text):
    """Return sentences: what ends in a point with a capital letter behind it, or none."""
    return [each for each in re.split(r"(?<=\.)\s+(?=[A-Z])", text) if each]


@pytest.mark.parametrize("name", PAGES)
def test_the_first_screen_has_one_message_and_the_whole_chart(opened, made, name):
    page = opened(made(name), folded=True, viewport={"width": 1280, "height": 900})
    seen = page.evaluate(SEEN)
    assert page.told.errors == []
    assert seen["top"] < 450
    assert seen["bottom"] <= 900
    assert 1 <= len(seen["said"]) <= 2
    (largest, _) = max(seen["sizes"], key=lambda each: each[1])
    assert largest.split()[0] == "lead"
    assert all(tiles <= 8 for tiles in seen["tiles"][:1])
    assert seen["warned"] <= seen["tiled"]
    assert seen["open"] <= 2
    assert seen["lone"] == 0


def long_numbers(cells):
    """Return the cells that are numbers of so many digits that chance does not repeat them."""
    return {cell for cell in cells if re.fullmatch(r"[−+]?[\d.,]{5,}%?( \[.*\])?", cell)}


@pytest.mark.parametrize("name", PAGES)
def test_no_table_repeats_another(opened, made, name):
    page = opened(made(name), folded=True, viewport={"width": 1280, "height": 900})
    rows = [
        (place, tuple(row))
        for place, table in enumerate(page.evaluate(SEEN)["rows"])
        for row in table
        if sum(bool(re.search(r"\d", cell)) for cell in row[1:]) > 1
    ]
    cells = {}
    for place, row in rows:
        for other, known in cells.items():
            if other[0] != place and other[1][0] == row[0]:
                assert len(long_numbers(row[1:]) & long_numbers(known)) < 3, (row, other[1])
        cells[place, row] = row[1:]


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_the_chart_soon_and_nothing_over_the_edge(opened, made, name):
    page = opened(made(name), folded=True, viewport={"width": 390, "height": 844})
    seen = page.evaluate(SEEN)
    assert seen["wide"] <= 390
    assert seen["top"] <= 720


def test_what_is_folded_away_is_counted_and_printed(opened, made):
    page = opened(made("many"), folded=True)
    assert re.fullmatch(r"\d+ more warnings", page.inner_text(".warned summary"))
    hidden = page.locator(".warned li").first
    assert not hidden.is_visible()
    page.emulate_media(media="print")
    assert hidden.bounding_box()["height"] > 0


def test_a_page_says_once_what_scores_share_and_the_best_first(opened, made):
    page = opened(made("three"), folded=True, viewport={"width": 1280, "height": 900})
    rows = page.locator("#across tbody tr")
    ratios = [float(rows.nth(i).locator("td").first.inner_text().split()[0]) for i in range(3)]
    assert ratios == sorted(ratios, reverse=True)
    text = page.inner_text("body")
    assert "Selected by each score" not in text
    assert page.locator("#at-share tbody tr").count() == 3
    bare = opened(made("three"), java_script_enabled=False)
    assert bare.inner_text("body").count("cases 4,000 ·") == 1


def test_a_month_in_alarm_stands_below_the_initial_value_and_axes_begin_at_0(opened, made):
    page = opened(made("alarm"), folded=True)
    initial = re.search(r"(0\.\d+) initially", page.inner_text(".lead"))[1]
    assert page.locator("#trend-ar .told").first.text_content().endswith(initial)
    for picture in ("#trend-ar", "#trend-ks"):
        lowest = page.locator(f"{picture} .axis").nth(1).locator("text").first
        assert float(lowest.text_content().replace("−", "-")) <= 0


def test_the_message_says_what_is_wrong_before_how_it_ranks(opened, made):
    page = opened(made("pd and money"), folded=True)
    wrong, ranks = page.locator("header .lead, header .then").all_inner_texts()
    assert re.match(r"Positives are [\d.]+ times what the PDs predict \[", wrong)
    assert re.match(r"The score ranks worse than its PDs imply: accuracy ratio 0\.\d+", ranks)
    assert "profit" in page.inner_text("#further").lower()
    above = page.locator("header").bounding_box()["height"]
    assert page.locator("#further").bounding_box()["y"] > above


def test_few_positives_are_the_headline(opened):
    rng = np.random.default_rng(1)
    y = np.zeros(60)
    y[[3, 40]] = 1
    import capcurve as cap

    page = opened(cap.evaluate(y, {"s": rng.random(60)}))
    assert page.inner_text(".lead").startswith("2 positives among 60 cases: too few to say")

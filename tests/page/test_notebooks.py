"""What nbclient, JupyterLab and marimo show: the card, tables, pictures and the page."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

LOANS = Path(__file__).parents[2] / "src" / "capcurve" / "datasets" / "loans.csv"
TICKS = "0%20%40%"
CELLS = (
    f"import capcurve as cap\ne = cap.evaluate('y', 'int_rate', data={str(LOANS)!r})\ne",
    "e.gains()",
    "e.plot('roc');",
    "e.show()",
)


@pytest.fixture(scope="module")
def executed():
    """Run a notebook in a kernel without ipywidgets."""
    import nbclient
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    return nbclient.NotebookClient(book, timeout=120).execute()


def shown(cell, kind="text/html"):
    return "".join(each["data"].get(kind, "") for each in cell.outputs if "data" in each)


@pytest.mark.merge
@pytest.mark.needs("nbclient", "ipykernel")
def test_a_notebook_prints_nothing_that_nobody_asked_for(executed):
    for cell in executed.cells:
        assert [each for each in cell.outputs if each.output_type in {"stream", "error"}] == []
    card, table, picture, page = executed.cells
    assert 'src="data:image/svg+xml;base64,' in shown(card)
    assert shown(table).startswith("<table>")
    assert shown(table, "text/markdown").startswith("| bin |")
    assert shown(picture, "image/png")
    assert "<iframe sandbox=" in shown(page)


@pytest.fixture(scope="module")
def lab(executed, tmp_path_factory):
    """Start JupyterLab on the notebook as it was run, which nobody has trusted yet."""
    import nbformat

    folder = tmp_path_factory.mktemp("lab")
    nbformat.write(executed, folder / "book.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = {**os.environ, **{name: str(folder / name.lower()) for name in homes}}
    words = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    words += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    with (folder / "log.txt").open("wb") as log:
        server = subprocess.Popen(words, env=environment, stdout=log, stderr=log, cwd=folder)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{url}/api", server)
        yield url, folder, environment
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(url, server, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert server.poll() is None, "JupyterLab ended"
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"no answer from {url}")


def _opened(browser, url):
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    page = context.new_page()
    page.goto(f"{url}/doc/tree/book.ipynb?reset", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-OutputArea-output", timeout=90_000)
    return context, page


@pytest.mark.merge
@pytest.mark.needs("jupyterlab")
def test_an_untrusted_notebook_shows_the_card_with_its_picture(browser, lab, kept):
    context, page = _opened(browser, lab[0])
    picture = page.wait_for_selector('.jp-OutputArea-output img[src^="data:image/svg"]')
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    assert TICKS not in page.inner_text(".jp-Notebook").replace("\n", "")
    assert page.query_selector(".jp-OutputArea-output iframe") is None
    kept(page, "notebook-untrusted")
    context.close()


@pytest.mark.merge
@pytest.mark.needs("jupyterlab")
def test_a_trusted_notebook_shows_the_page_and_its_slider_works(browser, lab, kept):
    url, folder, environment = lab
    words = [sys.executable, "-m", "jupyter", "trust", "book.ipynb"]
    subprocess.run(words, env=environment, cwd=folder, check=True, capture_output=True)
    context, page = _opened(browser, url)
    page.wait_for_selector(".jp-OutputArea-output iframe", timeout=60_000)
    inside = page.query_selector(".jp-OutputArea-output iframe").content_frame()
    slider = inside.wait_for_selector("input[type=range]", timeout=60_000)
    before = inside.inner_text("#tp")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    inside.wait_for_function(
        "before => document.querySelector('#tp').innerText !== before", arg=before
    )
    assert inside.inner_text("#tp") != before
    kept(page, "notebook-trusted")
    context.close()


@pytest.mark.merge
@pytest.mark.needs("marimo")
def test_marimo_gets_its_own_html(tmp_path):
    book = tmp_path / "book.py"
    book.write_text(
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n"
        "    import capcurve as cap\n\n"
        f"    cap.evaluate('y', 'int_rate', data={str(LOANS)!r}).show()\n    return\n\n\n"
        "if __name__ == '__main__':\n    app.run()\n",
        encoding="utf-8",
    )
    target = tmp_path / "book.html"
    words = [sys.executable, "-m", "marimo", "export", "html", str(book), "-o", str(target)]
    done = subprocess.run(
        [*words, "--no-include-code"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "BROWSER": shutil.which("false") or "false"},
    )
    assert done.returncode == 0, done.stderr
    assert "iframe sandbox=" in target.read_text(encoding="utf-8").replace("\\u003c", "<")

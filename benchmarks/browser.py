"""How long a report in the browser takes, and how many times as long as by the command.

Run it after `make try`, with Chromium and what `make merge` installs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / folder) for folder in ("page", "")]
import test_try as page_tests  # noqa: E402 - the tests know how people use the page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
LINE = "{:30} {:>10} {:>10} {:>7}"
ROWS = (200_000, 1_000_000)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def told(what: str, *numbers: float) -> None:
    print(LINE.format(what, *(f"{number:.1f}" for number in numbers), *[""] * (3 - len(numbers))))


def by_command(path: Path) -> None:
    words = ["-m", "capcurve", "report", path.name, "-t", "bad", "-s", "pd"]
    subprocess.run([sys.executable, *words], cwd=path.parent, check=True, capture_output=True)


def reported(page: Page) -> None:
    page_tests.make(page)
    page_tests.report_of(page)


def measure(page: Page, path: Path, rows: int) -> None:
    """Print the seconds of one file: loading Python from the cache and reading, and the report."""
    path.write_text(f"bad,pd\n{page_tests.rows_of(rows)}", "utf-8")
    page.click(".another >> visible=true")
    opened = seconds(partial(page_tests.choose, page, path.name, path.read_bytes()))
    spent, natively = seconds(partial(reported, page)), seconds(partial(by_command, path))
    told(f"{rows:,} rows: report", spent, natively, spent / natively)
    told("  from the file to the report", opened + spent)


def main() -> None:
    print(LINE.format("", "browser s", "command s", "ratio"))
    server = page_tests.serve(page_tests.TRY)
    with sync_playwright() as engine, tempfile.TemporaryDirectory() as folder:
        program = shutil.which("chromium")
        browser = engine.chromium.launch(executable_path=program, args=ARGUMENTS)
        context = browser.new_context()
        loans = page_tests.LOANS.read_bytes()
        for visit in ("first visit, until the columns", "later visit, until the columns"):
            page = context.new_page()
            page.goto(server.address)
            told(visit, seconds(partial(page_tests.choose, page, "loans.csv", loans)))
        told("9,857 loans: report", seconds(partial(reported, page)))
        for rows in ROWS:
            measure(page, Path(folder, "rows.csv"), rows)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

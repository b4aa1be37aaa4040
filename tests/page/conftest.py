"""A real browser without network, and pages opened in it as a reader would open them."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from asking import page_of

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts" / "report"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield found
        found.close()


# What is folded away is drawn when it is opened.
UNFOLD = """async () => {
    document.querySelectorAll('details.fold').forEach(d => { d.open = true; });
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
}"""


@dataclass
class Told:
    """What a page did besides showing itself."""

    requests: list = field(default_factory=list)
    errors: list = field(default_factory=list)


@pytest.fixture
def opened(browser, tmp_path):
    """Open an evaluation, or HTML, as a file in a window of its own; `page.told` holds faults.

    What is folded away is opened, unless it shall stay as a reader finds it.
    """
    contexts = []

    def open_page(content, *, folded=False, address="", **settings):
        settings = {"viewport": {"width": 1440, "height": 900}, **settings}
        context = browser.new_context(offline=True, accept_downloads=True, **settings)
        contexts.append(context)
        path = tmp_path / f"report-{len(contexts)}.html"
        path.write_text(content if isinstance(content, str) else page_of(content), "utf-8")
        told = Told()

        def watch(route):
            if route.request.url.partition("#")[0] != path.as_uri():
                told.requests.append(route.request.url[:80])
            route.continue_()

        context.route("**/*", watch)
        page = context.new_page()
        page.on("pageerror", lambda error: told.errors.append(str(error)))
        page.on(
            "console",
            lambda m: told.errors.append(m.text) if m.type in {"error", "warning"} else None,
        )
        page.on("dialog", lambda dialog: (told.errors.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri() + address)
        if not folded and settings.get("java_script_enabled", True):
            page.evaluate(UNFOLD)
        page.told = told
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def kept():
    """Keep a picture of a page among the artefacts, to be looked at."""

    def keep(page, name, *, full=True):
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=full)

    return keep


@pytest.fixture(scope="session")
def axe():
    """Return the script of axe-core, which a package for Playwright brings."""
    import axe_playwright_python

    package = Path(axe_playwright_python.__file__).parent
    return (package / "axe.min.js").read_text(encoding="utf-8")

"""Pages of the documentation site in a browser without network."""

import pytest

from needs import SITE as BUILT

OPENED = (
    *("index", "tour", "gallery/index", "tutorials/roc", "reference/api/capcurve.ks"),
    "reference/api/capcurve.confidence_interval",
)
# What leaves the screen, beside what scrolls by itself.
CUT = """[...document.querySelectorAll("main :is(h1, p, dd)")].filter(
  e => e.getBoundingClientRect().right > innerWidth
  && !e.closest(".card-shown, .pst-scrollable-table-container")).map(e => e.textContent)"""
FRAMES = "[...document.querySelectorAll('iframe')].filter(e => e.offsetHeight).length"


@pytest.mark.merge
@pytest.mark.needs("site")
def test_pages_open_in_a_browser_without_asking_for_anything(browser):
    asked, errors, said = [], [], []
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    for name in OPENED:
        page.goto((BUILT / f"{name}.html").as_uri())
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        assert page.evaluate(CUT) == [], name
        assert page.evaluate(FRAMES) == 0, "a frame scrolls inside the page"
        broken = "[...document.images].filter(i => i.complete && !i.naturalWidth).length"
        assert page.evaluate(broken) == 0, name
    context.close()
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []
    assert errors == []
    assert [text for text in said if "invalid" in text] == []
    assert len(asked) > 10

"""The page of a result in a real browser: quiet, readable by everybody, nothing over the edge."""

import numpy as np
import pytest

import capcurve as cap


def by_product(name, sizes, seed):
    rng = np.random.default_rng(seed)
    y, score, by = [], [], []
    for place, size in enumerate(sizes):
        outcome = rng.random(size) < 0.2
        y += outcome.tolist()
        score += (rng.normal(size=size) + (2 - 0.4 * place) * outcome).tolist()
        by += [name(place)] * size
    return cap.count_segments(y, score, by=by)


def why(name="product {}".format):
    before = by_product(name, (900, 500, 200, 60), 3)
    after = by_product(name, (300, 500, 700, 200), 4)
    return cap.attribute_change(before, after, by="product", labels=("2024-01", "2024-06"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_of_a_result(opened, axe, scheme):
    page = opened(why().to_html(), color_scheme=scheme)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found["violations"]] == []


@pytest.mark.parametrize(
    ("name", "width", "scheme", "media"),
    [
        ("wide", 1440, "light", None),
        ("dark", 1440, "dark", None),
        ("phone", 390, "light", None),
        ("paper", 794, "light", "print"),
    ],
)
def test_the_page_of_a_result_fits(opened, kept, name, width, scheme, media):
    page = opened(why().to_html(), viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.emulate_media(media=media)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("figure svg:visible").count() == 1
    assert page.told.errors == []
    assert page.told.requests == []
    kept(page, f"result-{name}")


def test_no_words_overlap_below_the_bars(opened):
    page = opened(why().to_html(), viewport={"width": 390, "height": 844})
    clashes = page.evaluate("""() => {
        const texts = [...document.querySelectorAll('figure svg text')]
            .map(t => [t.textContent, t.getBoundingClientRect()]);
        return texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
            r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 3 &&
            s.top < r.bottom - 3).map(([b]) => `${a} / ${b}`));
    }""")
    assert clashes == []


def test_hostile_segments_stay_names(opened):
    nasty = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>{}"
    page = opened(why(nasty.format).to_html())
    assert page.evaluate("window.hacked") is None
    assert page.told.errors == []
    assert page.query_selector("img") is None


def groups():
    return cap.compare_groups(
        by_product("product {}".format, (900, 500, 200, 60), 3), threshold=1.5, by="product"
    )


def test_axe_finds_nothing_on_the_page_of_groups(opened, axe):
    page = opened(groups().to_html())
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found["violations"]] == []


@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_of_groups_fits(opened, kept, width):
    page = opened(groups().to_html(), viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("figure").count() == 4
    assert page.get_by_text("ABROCA, beside what chance gives").count() == 1
    assert page.told.errors == []
    assert page.told.requests == []
    kept(page, f"groups-{width}")

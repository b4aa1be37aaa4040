"""For everybody: no violation that axe knows of, in light and dark; pictures of every state."""

import pytest
from asking import loans

import capcurve as cap


def every_part():
    return loans(["grade_rank", "int_rate"], by="sub_grade", value=1000, cost=60)


def five_cases():
    return cap.evaluate(
        cap.count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")
    )


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.merge)])
@pytest.mark.parametrize(
    "content", [loans, every_part, pytest.param(five_cases, marks=pytest.mark.merge)]
)
def test_axe_finds_nothing(opened, axe, scheme, content):
    page = opened(content(), color_scheme=scheme)
    open_everything(page)
    assert violations(page, axe) == []


@pytest.mark.merge
def test_axe_finds_nothing_without_script(opened, axe):
    page = opened(every_part())
    page.evaluate("""() => document.body.replaceWith(new DOMParser().parseFromString(
        document.documentElement.outerHTML, 'text/html').body)""")
    assert violations(page, axe) == []


def open_everything(page):
    page.evaluate("""() => {
        document.querySelectorAll('details').forEach(d => { d.open = true; });
        document.querySelectorAll('button[aria-expanded=false]').forEach(b => b.click());
    }""")


def violations(page, axe):
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in found["violations"]]


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("wide", 1440, "light"), ("dark", 1440, "dark"), ("phone", 390, "light")],
)
@pytest.mark.parametrize("content", [loans, every_part, five_cases])
def test_nothing_hangs_over_the_edge(opened, kept, name, width, scheme, content):
    page = opened(content(), viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    kept(page, f"{content.__name__}-{name}")


@pytest.mark.parametrize("content", [loans, every_part])
def test_no_words_overlap_in_a_picture(opened, content):
    page = opened(content())
    clashes = page.evaluate("""() => [...document.querySelectorAll('svg.picture')].flatMap(svg => {
        const texts = [...svg.querySelectorAll('.axis text, .name, .legend')]
            .filter(t => t.textContent).map(t => [t.textContent, t.getBoundingClientRect()]);
        return texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
            r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 2 &&
            s.top < r.bottom - 2).map(([b]) => `${svg.closest('figure').id}: ${a} / ${b}`));
    })""")
    assert clashes == []


def test_no_tick_of_the_logarithmic_lift_leaves_its_picture(opened):
    page = opened(loans(["grade_rank", "int_rate"]))
    page.check("#log")
    assert page.evaluate("""() => {
        const frame = document.querySelector('#lift svg').getBoundingClientRect();
        const ticks = [...document.querySelectorAll('#lift .tick text')]
            .map(tick => tick.getBoundingClientRect());
        return ticks.length > 4 &&
            ticks.every(t => t.top >= frame.top - 1 && t.bottom <= frame.bottom);
    }""")


def test_negatives_look_like_no_score(opened):
    page = opened(loans(["grade_rank", "int_rate"]))
    looks = page.evaluate("""() => ['m0', 'm1', 'negatives'].map(name => {
        const look = getComputedStyle(document.querySelector(`#lift path.line.${name}`));
        return `${look.stroke} ${look.strokeDasharray}`;
    })""")
    assert len(set(looks)) == 3

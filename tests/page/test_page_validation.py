"""The page of a validation sheet in a real browser: readable by everybody, one page to sign."""

import pytest

from capcurve.show.presentation import Finding
from capcurve.studies.validation.judgement import SheetTest
from capcurve.studies.validation.sections import Section
from validation_sheets import sheet

MILLIMETRE = 96 / 25.4
# What margins of 8, 13 and 10 mm leave of A4.
PAPER = {"width": round(190 * MILLIMETRE), "height": round(276 * MILLIMETRE)}


def fullest():
    """Return a sheet with more of everything than its first page has room for."""
    long = "words " * 90
    tests = tuple(SheetTest.of(f"challenger.{place} {long}", estimate=0.1) for place in range(40))
    return sheet(
        subject={"model": long, **{f"{place} {long}": long for place in range(20)}},
        findings=tuple(Finding("x", "warning", long, long) for _ in range(20)),
        not_done=tuple((long, long) for _ in range(9)),
        not_covered=(long,) * 9,
        sections=(
            *sheet().sections,
            Section(number=9, title="Overrides and challengers", tests=tests),
        ),
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_of_a_sheet(opened, axe, scheme):
    page = opened(sheet().to_html(), color_scheme=scheme)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found["violations"]] == []


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("wide", 1100, "light"), ("dark", 1100, "dark"), ("phone", 390, "light")],
)
def test_the_page_of_a_sheet_fits(opened, kept, name, width, scheme):
    page = opened(sheet().to_html(), viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.told.errors == page.told.requests == []
    kept(page, f"sheet-{name}")


@pytest.mark.parametrize("make", [sheet, fullest])
def test_what_is_signed_is_one_printed_page(opened, kept, make):
    page = opened(make().to_html(), viewport=PAPER)
    page.emulate_media(media="print")
    box = page.query_selector(".front").bounding_box()
    assert box["y"] + box["height"] <= PAPER["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    signed = page.query_selector(".sign").bounding_box()
    assert signed["y"] + signed["height"] > 0.8 * PAPER["height"]
    kept(page, f"sheet-{make.__name__}", full=False)


def test_every_light_is_seen_in_its_colour(opened):
    page = opened(sheet().to_html())
    fills = page.eval_on_selector_all(
        ".lights svg", "all => all.map(svg => getComputedStyle(svg.firstChild).fill)"
    )
    assert len(set(fills)) == 3

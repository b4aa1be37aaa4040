"""The page of an evaluation: one HTML file that asks nothing of the network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capcurve.show.elements import LONGEST_IN_PAGE, document, escape, tiles
from capcurve.show.format import capitalised, shortened
from capcurve.show.html import (
    figure_html,
    grave_list,
    head,
    listed_table,
    main_figure,
    notes_html,
    remark_list,
    render_part,
    scores_table,
    tables_html,
)
from capcurve.show.svg import draw
from capcurve.show.wording import in_words
from capcurve.studies.evaluation.found import Page, page_of
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Speaks, Table
    from capcurve.studies.evaluation.content import Content


def render_page(evaluation: Content, speaks: Speaks | None = None) -> str:
    """Return the whole report as one HTML document, in some words."""
    return _written(in_words(page_of(evaluation), speaks))


def _written(page: Page) -> str:
    """Return the document; the order of its parts stands here alone."""
    # Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. The script
    # fills the live part and removes what stands still.
    numbers = "" if page.shown.brief is not None else tiles(page.shown.figures, page.shown.level)
    top = (
        head(page.shown, *page.about),
        scores_table(page.shown) or numbers,
        grave_list(page.shown),
        _horizons(page),
        _at_share(page.at_share),
    )
    # Under a control chart the trend of periods comes first.
    curves, trend, monitored = (
        _until_live(_curves(page)),
        _until_live(_trend(page)),
        _monitored(page),
    )
    main = (
        '<div id="live" hidden></div>',
        *((trend, monitored, curves) if monitored else (curves, trend)),
        _parts(page),
        notes_html(page.shown, "id=notes class=notes", remark_list(page.shown)),
        _until_live(_tables(page)),
    )
    *left_out, origin = (escape(each) for each in page.foot)
    return document(
        title=escape(shortened(page.shown.title, LONGEST_IN_PAGE)),
        head="".join(top),
        main="\n".join(main),
        foot=f"{''.join(f'<p>{each}</p>' for each in left_out)}<p>{origin} "
        f"Written by capcurve {__version__}.</p>",
        data=page.data,
    )


def _until_live(part: str) -> str:
    """Return a part of the page that the script takes away; nothing where there is none."""
    return f'<div class="still">{part}</div>' if part else ""


def _horizons(page: Page) -> str:
    """Return the accuracy ratio against the horizon as pictures, and the table of all of them."""
    pictures = "".join(map(figure_html, page.horizons))
    tables = "".join(map(listed_table, page.of_horizons))
    return f"<section id=horizons>{pictures}<div>{tables}</div></section>" if tables else ""


def _at_share(tables: Sequence[Table]) -> str:
    """Return what several scores select at one share, and what two of them would exchange."""
    notes = "".join(
        f"<p class=soft>{escape(capitalised(each.note))}.</p>" for each in tables if each.note
    )
    shown = "".join(listed_table(replace(each, note=None)) for each in tables)
    return f"<section id=at-share>{shown}{notes}</section>" if shown else ""


def _curves(page: Page) -> str:
    """Return the pictures that are seen where the script does not run."""
    figures = "".join(
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in page.curves
    )
    return f"<h2>Curves</h2><div class=gallery>{figures}</div>" if figures else ""


def _trend(page: Page) -> str:
    return "" if page.trend is None else f"<h2>By {escape(page.by)}</h2>{figure_html(page.trend)}"


def _monitored(page: Page) -> str:
    """Return the control charts of the periods, which the script puts below their trend."""
    several = page.shown.brief is not None
    parts = "".join(
        render_part(shown, f"<h3>{escape(shortened(name))}</h3>" if several else "")
        for name, shown in page.monitored
    )
    heading = f"<h2>Control chart by {escape(page.by)}</h2>"
    return f"<section id=monitoring>{heading}{parts}</section>" if parts else ""


def _parts(page: Page) -> str:
    """Return how right the PDs are, and how many errors are left among the surest cases."""
    first = page.parts[0][0] if page.parts else ""
    parts = "".join(
        _part(name, shown, tests, first=name == first, top=not place)
        for place, (name, shown, tests) in enumerate(page.parts)
    )
    said = page.parts_left_out and f"<p class=soft>{escape(page.parts_left_out)}</p>"
    return f"<section id=parts class=tables>{parts}{said}</section>" if parts else ""


def _part(name: str, shown: Presentation, tests: Sequence[Table], *, first: bool, top: bool) -> str:
    """Return one of these, with small pictures but of the first score."""
    heading = f"<h2>{escape(shown.title)} of {escape(shortened(name))}</h2>"
    large, small = (shown.charts, ()) if first else ((), shown.charts)
    if large and top:  # the script puts it, reliability or risk, beside the CAP
        heading, large = f"{heading}{main_figure(large[0])}", large[1:]
    said = f"{heading}<p>{escape(shown.sentences[0])}</p>"
    part = render_part(replace(shown, findings=(), charts=large), said)
    more = "".join(map(figure_html, (*large[1:], *small)))
    gallery = f"<div class=gallery>{more}</div>" if more else ""
    return f"{part}{gallery}{''.join(map(listed_table, tests))}"


def _tables(page: Page) -> str:
    """Return the tables that are seen without the script."""
    said = page.tables_left_out and f"<p class=soft>{escape(page.tables_left_out)}</p>"
    return f"{tables_html(page.tables)}{said}"

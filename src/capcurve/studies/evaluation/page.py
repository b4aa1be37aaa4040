"""The page of an evaluation: one HTML file that asks nothing of the network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capcurve.show.elements import LONGEST_IN_PAGE, document, escape, tiles
from capcurve.show.format import shortened
from capcurve.show.html import (
    MOST_TILES,
    figure_html,
    folded_html,
    further,
    grave_list,
    head,
    in_section,
    listed_table,
    main_figure,
    more_numbers,
    notes_html,
    remark_list,
    render_part,
    scores_table,
    tile_figures,
)
from capcurve.show.svg import draw
from capcurve.show.wording import in_words
from capcurve.studies.evaluation.found import Page, page_of
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Speaks, Table
    from capcurve.studies.evaluation.content import Content

# More ranks than these are folded, for the curves come below them.
MOST_RANKS_SEEN = 25


def render_page(evaluation: Content, speaks: Speaks | None = None) -> str:
    """Return the whole report as one HTML document, in some words."""
    page = page_of(evaluation)
    if speaks is not None:
        page = replace(in_words(page, speaks), data=_data_in_words(page.data, speaks))
    return _written(page)


def _data_in_words(data: Mapping[str, Any], speaks: Speaks) -> Mapping[str, Any]:
    """Return what the script draws, with the noun that it says in place of positives."""
    noun = [speaks.said("positive"), speaks.said("positives")]
    if noun[1] == "positives":
        return data
    return {**data, "words": {n: speaks.said(t) for n, t in data["words"].items()}, "noun": noun}


def _written(page: Page) -> str:
    """Return the document; the order of its parts stands here alone."""
    # Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. The script
    # fills the live part and removes what stands still.
    several = page.shown.brief is not None
    numbers = "" if several else tiles(tile_figures(page.shown)[:MOST_TILES])
    curves, trend, monitored = (
        _until_live(_curves(page)),
        _until_live(_trend(page)),
        _monitored(page),
    )
    # Under a control chart the trend of periods comes first.
    main = (
        numbers,
        _ranks(page),
        '<div id="live" hidden></div>',
        *((trend, monitored, curves) if monitored else (curves, trend)),
        further(page.shown),
        _horizons(page),
        _section("at-share", "".join(map(listed_table, page.at_share))),
        _parts(page),
        _section("more-numbers", more_numbers(page.shown)),
        notes_html(page.shown, "id=notes class=notes", remark_list(page.shown)),
        _until_live(_tables(page)),
        _until_live("".join(map(folded_html, page.shown.folded))),
    )
    *left_out, origin = (escape(each) for each in page.foot)
    return document(
        title=escape(shortened(page.shown.title, LONGEST_IN_PAGE)),
        head=f"{head(page.shown, *page.about)}{grave_list(page.shown)}",
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


def _section(name: str, tables: str) -> str:
    """Return tables in a section of the page; nothing where there are none."""
    return f"<section id={name} class=tables>{tables}</section>" if tables else ""


def _ranks(page: Page) -> str:
    """Return the ranks that many scores may have, as a picture with its numbers beside it."""
    if page.ranks is None:
        return ""
    chart, table = page.ranks
    said = "".join(f"<p class=soft>{escape(note)}</p>" for note in page.about_ranks)
    shown = listed_table(table) if len(table) <= MOST_RANKS_SEEN else folded_html(table)
    beside = f"<div>{shown}{said}</div>"
    return _section("ranks", f"<div class=pair>{figure_html(chart)}{beside}</div>")


def _curves(page: Page) -> str:
    """Return the pictures that are seen where the script does not run."""
    cards = [
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in page.curves
    ]
    if page.shown.brief is not None:
        cards.insert(1, f"<div>{scores_table(page.shown)}</div>")
    look = "grid" if len(cards) % 2 else "gallery"
    return f"<h2 class=unseen>Curves</h2><div class={look}>{''.join(cards)}</div>" if cards else ""


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
    return _section("parts", f"{parts}{said}")


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
    return f"{in_section(''.join(map(listed_table, page.tables)))}{said}"

"""The page and the notebook card of a result, without script, and how a page is opened."""

from __future__ import annotations

import re
import sys
import tempfile
from html import escape as quoted
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from capcurve.show.chart import Chart, points_of
from capcurve.show.elements import (
    LONGEST_IN_PAGE,
    LOOKS,
    NOTHING,
    document,
    escape,
    found_list,
    in_frame as framed_table,
    lead,
    lead_on_card,
    origin,
    table_html,
    tiles,
)
from capcurve.show.format import capitalised, counted, shortened, stated_percent
from capcurve.show.markup import to_html
from capcurve.show.presentation import Figure, Presentation, gravest_first
from capcurve.show.svg import CARD_SIZE, MAIN, PHONE, Size, data_url, draw, image
from capcurve.show.text import MOST_ROWS
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.show.table import Table

MOST_ROWS_ON_CARD = 20
FEW_COLUMNS = 7  # a table of so few columns has room beside a picture
# Of a result on its first screen: sentences of the message, numbers, and numbers of each score.
MOST_ON_TOP, MOST_TILES, MOST_OF_SCORES, MOST_WARNED = 2, 8, 3, 2
WHOLE_WIDTH = "flex:1 1 100%;min-width:0;overflow-x:auto"
PICTURE = "flex:1 1 320px;max-width:380px"
BESIDE_PICTURE = "flex:1 1 320px;min-width:0;overflow-x:auto"
CARD_STYLE = (
    "font:14px/1.45 system-ui,sans-serif;display:flex;flex-wrap:wrap;gap:1.2em;"
    "align-items:flex-start;max-width:860px"
)
FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
    'title="{title}" style="width:100%;height:820px;border:0" srcdoc="{document}"></iframe>'
)
# Notebooks that are not trusted, and sites that show saved ones, drop frames.
WITHOUT_FRAMES = (
    '<p style="font-size:.85em">No report here? Frames are shown in trusted notebooks only; '
    '<code>save("report.html")</code> writes it to a file.</p>'
)


def render_result(shown: Presentation) -> str:
    """Return the page of a result as one HTML document without script."""
    # Every name in it (files, segments, columns) is escaped.
    rest = (*shown.tables[shown.above :], *shown.more)
    folded = "".join(map(folded_html, shown.folded))
    tables = f"{more_numbers(shown)}{''.join(map(listed_table, rest))}{folded}"
    first = "".join(map(listed_table, shown.tables[: shown.above]))
    body = f"{first}{_body(shown, shown.charts)}{further(shown)}"
    return document(
        title=escape(shortened(shown.title, LONGEST_IN_PAGE)),
        head=f"{head(shown)}{grave_list(shown)}",
        main=f"{body}{in_section(tables)}{notes_html(shown)}",
        foot=(
            "<p>This page has no script and makes no network requests. "
            f"Written by capcurve {__version__}.</p>"
        ),
    )


def head(shown: Presentation, *about: str) -> str:
    """Return the heading of a page, where its numbers are from, and its message."""
    first, *more = shown.sentences[:MOST_ON_TOP]
    said = lead(first, shown.light) + "".join(f"<p class=then>{escape(each)}</p>" for each in more)
    held = ""
    if shown.level is not None and any(figure.limits for figure in shown.figures):
        held = f" · {stated_percent(shown.level)} intervals in brackets"
    return (
        f"<div class=about><h1>{escape(shortened(shown.title, LONGEST_IN_PAGE))}</h1>"
        f"<p class='soft source'>{escape(origin(shown.source, *about))}"
        f"{held}</p></div>{said}"
    )


def further(shown: Presentation) -> str:
    """Return what else is said in words, below the picture."""
    said = "".join(f"<p>{escape(each)}</p>" for each in shown.sentences[MOST_ON_TOP:])
    return f"<div id=further>{said}</div>" if said else ""


def grave_list(shown: Presentation) -> str:
    """Return what must be known before the numbers are used: the gravest, and the others folded."""
    found = gravest_first(each for each in shown.findings if each.severity != "info")
    others = found[MOST_WARNED:]
    more = f"<summary>{counted(len(others), 'more warning')}</summary>{found_list(others)}"
    folded = f"<details class=warned>{more}</details>" if others else ""
    return f"{found_list(found[:MOST_WARNED])}{folded}"


def remark_list(shown: Presentation) -> str:
    """Return what else there is to know."""
    return found_list(each for each in shown.findings if each.severity == "info")


def _body(shown: Presentation, charts: Sequence[Chart]) -> str:
    """Return the first chart with the numbers and remarks beside it, then the other charts."""
    several = shown.brief is not None
    numbers = scores_table(shown) if several else tiles(tile_figures(shown)[:MOST_TILES])
    if not charts:
        return f"{numbers}{remark_list(shown)}"
    first, *others = charts
    # No chart stands alone in half of a page.
    second = figure_html(others.pop(0)) if len(others) % 2 else ""
    beside = f"{numbers}{second}{remark_list(shown)}"
    more = f"<div class=gallery>{''.join(map(figure_html, others))}</div>" if others else ""
    aside = f"<div class=beside-chart>{beside}</div>" if beside else ""
    return f"<div class=result>{aside}{main_figure(first)}</div>{more}"


def main_figure(chart: Chart) -> str:
    """Return the chart of a page: broad, and for small screens narrow, as numbers and as a file."""
    # A page without script can save the file by a link.
    name = re.sub(r"\W+", "-", chart.title).strip("-").lower() or "chart"
    link = f'<a download="{escape(name)}.svg" href="{data_url(chart, MAIN)}">SVG</a>'
    title = f"<figcaption>{escape(chart.title)}<span class=tools>{link}</span></figcaption>"
    numbers = points_of(chart)
    table = table_html(numbers, f"Points drawn: {chart.title}") if numbers else ""
    listed = f"<details><summary>Numbers</summary>{table}</details>" if table else ""
    drawn = f"{draw(chart, MAIN, look='broad-view')}{draw(chart, PHONE, look='narrow-view')}"
    return f"<figure class='card main'>{title}{drawn}{listed}</figure>"


def figure_html(chart: Chart, size: Size = CARD_SIZE) -> str:
    """Return a chart with its title, as a card of a page."""
    look = "card" if chart.scores is None else "'card broad'"
    title = f"<figcaption>{escape(chart.title)}</figcaption>"
    return f"<figure class={look}>{title}{draw(chart, size)}</figure>"


def in_section(tables: str) -> str:
    """Return tables as a section of a page; nothing where there are none."""
    return f"<section class=tables><h2>Tables</h2>{tables}</section>" if tables else ""


def listed_table(table: Table) -> str:
    """Return a table of a page, of a long one the first rows."""
    first = {name: column[:MOST_ROWS] for name, column in table.values().items()}
    return table_html(first, table.name, note_of(table, MOST_ROWS), square=table.square)


def folded_html(table: Table, shown: Callable[[Table], str] = listed_table) -> str:
    """Return a table that is opened on a screen, and not printed."""
    return f"<details><summary>{escape(capitalised(table.name))}</summary>{shown(table)}</details>"


def note_of(table: Table, most: int) -> str | None:
    """Return the note of a table, and how many of its rows are shown where it has more."""
    if len(table) <= most:
        return table.note or None
    said = f"of {len(table):,} rows the first {most} are shown"
    return f"{table.note}; {said}" if table.note else said


def notes_html(shown: Presentation, look: str = "class=notes", found: str = "") -> str:
    """Return what is said of each score, and definitions and methods in small print."""
    parts = (each.partition(": ") for each in shown.remarks)
    said = "".join(
        f"<p class=one-of><b>{escape(name)}:</b> {escape(rest)}</p>" for name, _, rest in parts
    )
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    body = f"{said}{found}<div>{notes}</div>" if notes else f"{said}{found}"
    return f"<section {look}><h2>Notes</h2>{body}</section>" if body else ""


def render_part(shown: Presentation, heading: str) -> str:
    """Return a result as a part of a page that begins with its headline: what follows that."""
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    below = f"<div class=notes><div>{notes}</div></div>" if notes else ""
    said = "".join(f"<p>{escape(each)}</p>" for each in shown.sentences[1:])
    return f"{heading}{said}{grave_list(shown)}{_body(shown, shown.charts[:1])}{below}"


def render_result_card(shown: Presentation) -> str:
    """Return a result as an HTML fragment that notebooks show whether trusted or not."""
    # It has no script, style sheet, frame or SVG element, and no outside links.
    several = shown.brief is not None
    pictures = [*map(image, shown.charts[: shown.on_card])]
    first, *more = shown.sentences
    said = [f"<p>{escape(each)}</p>" for each in more]
    top = (lead_on_card(first, shown.light), *said[: MOST_ON_TOP - 1], _found(shown, grave=True))
    numbers = scores_table(shown, on_card=True) if several else _numbers(shown)
    tables = shown.tables[: shown.on_card]
    narrow = [_short(each) for each in tables if len(each.columns) <= FEW_COLUMNS]
    wide = [_short(each) for each in tables if len(each.columns) > FEW_COLUMNS]
    below = "".join((*said[MOST_ON_TOP - 1 :], _found(shown, grave=False)))
    # What is said further has its place beside a second picture that would stand alone.
    alone = len(pictures) > 1 and not narrow
    parts = (
        (WHOLE_WIDTH, ["".join(top)]),
        (PICTURE, pictures[:1]),
        (BESIDE_PICTURE, [numbers]),
        (WHOLE_WIDTH, [] if alone else [below]),
        (PICTURE, pictures[1:]),
        (BESIDE_PICTURE, [below] if alone else narrow),
        (WHOLE_WIDTH, [scores_table(shown, more=True, on_card=True)] if several else []),
        (WHOLE_WIDTH, wide),
    )
    placed = (f'<div style="{look}">{each}</div>' for look, held in parts for each in held if each)
    return f'<div style="{CARD_STYLE}">{"".join(placed)}</div>'


def _found(shown: Presentation, *, grave: bool) -> str:
    """Return the findings of a card that must be known first, or the others."""
    found = (each for each in shown.findings if (each.severity != "info") is grave)
    return found_list(found, LOOKS["findings"])


def _numbers(shown: Presentation) -> str:
    if not shown.figures:
        return ""
    said = "" if shown.level is None else f"{stated_percent(shown.level)} intervals in brackets"
    caption = f'<caption style="{LOOKS["caption"]}">{escape(said)}</caption>' if said else ""
    body = "".join(
        f'<tr><th scope="row" style="{LOOKS["label"]}">{escape(each.label)}</th>{_cells(each)}</tr>'
        for each in tile_figures(shown)
    )
    return f'<table style="{LOOKS["table"]}">{caption}<tbody>{body}</tbody></table>'


def _cells(figure: Figure) -> str:
    """Return a number and its limits, or what else is to be known of it, in two cells."""
    look, beside = ("limits", figure.limits) if figure.limits else ("name", figure.note)
    return (
        f'<td style="{LOOKS["number"]}"><b>{escape(figure.text)}</b></td>'
        f'<td style="{LOOKS[look]}">{escape(beside)}</td>'
    )


def tile_figures(shown: Presentation) -> list[Figure]:
    """Return the headline numbers, that of the message first."""
    return sorted(shown.figures, key=lambda each: not _stands_in(shown.sentences[0], each.text))


def _stands_in(sentence: str, number: str) -> bool:
    """Return whether a number, not only the digits of another, is in a sentence."""
    found = re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d%]|[.,]\d)", sentence)
    return found is not None and any(map(str.isdigit, number))


def more_numbers(shown: Presentation) -> str:
    """Return as a table the numbers for which the first screen has no room."""
    if shown.brief is not None:
        return scores_table(shown, more=True)
    left = tile_figures(shown)[MOST_TILES:]
    columns = {
        "number": [figure.label for figure in left],
        "value": [figure.text for figure in left],
        "" if shown.level is None else f"{stated_percent(shown.level)} interval": [
            figure.limits or figure.note for figure in left
        ],
    }
    return table_html(columns, "More numbers") if left else ""


def scores_table(shown: Presentation, *, more: bool = False, on_card: bool = False) -> str:
    """Return a row of numbers for each of several scores: the first of them, or the others."""
    lines: dict[str, dict[str, Figure]] = {}
    for figure in shown.figures:
        lines.setdefault(figure.score, {})[figure.short] = figure
    shared = _shared([*lines.values()])
    told = {figure.short for figure in shared}
    labels = [each for each in dict.fromkeys(chain(*lines.values())) if each not in told]
    kept = labels[MOST_OF_SCORES:] if more else labels[:MOST_OF_SCORES]
    if not kept:
        return ""
    # A card has no style sheet.
    number, left, of_table = (
        (f' style="{LOOKS[look]}"' if on_card else usual)
        for look, usual in (("number", ""), ("label", ""), ("table", ' class="scores"'))
    )
    heads = "".join(f"<th scope=col{number}>{_breakable(label)}</th>" for label in kept)
    rows = "".join(
        f"<tr><th scope=row{left}>{escape(shortened(name)) if on_card else _breakable(name)}</th>"
        f"{''.join(_cell(line.get(label), number) for label in kept)}</tr>"
        for name, line in lines.items()
    )
    within = "" if shown.level is None else f", with {stated_percent(shown.level)} intervals"
    caption = f"{'More numbers of the' if more else 'The'} scores{within}"
    table = (
        f"<table{of_table}><caption{left}>{escape(caption)}</caption><thead><tr>"
        f"<th scope=col{left}>score</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )
    said = " · ".join(f"{figure.short} {figure.text}" for figure in shared)
    below = f"<p class='soft level'>{escape(said)}</p>" if said and (more or on_card) else ""
    return f"{table if on_card else framed_table(caption, table)}{below}"


def _shared(lines: Sequence[Mapping[str, Figure]]) -> list[Figure]:
    """Return the numbers without limits, such as sums, that are the same for every score."""
    first, *others = lines
    return [
        figure
        for label, figure in first.items()
        if not figure.limits
        and all(label in line and line[label].value == figure.value for line in others)
    ]


def _breakable(label: str) -> str:
    """Return a heading that may be broken where a reader would break it."""
    shown = escape(shortened(label)).replace("concentration", "concen&shy;tration")
    return shown.replace("_", "_<wbr>")


def _cell(figure: Figure | None, look: str) -> str:
    if figure is None:
        return f"<td{look}>{NOTHING}</td>"
    small = f'<br><span style="font-size:.85em">{escape(figure.limits)}</span>'
    small = small if look else f"<small>{escape(figure.limits)}</small>"
    limits = small if figure.limits else ""
    return f"<td{look}>{escape(figure.text)}{limits}</td>"


def _short(table: Table) -> str:
    rows = {name: column[:MOST_ROWS_ON_CARD] for name, column in table.values().items()}
    left = len(table) - MOST_ROWS_ON_CARD
    # Of one size of type with the numbers, whatever the notebook makes of its own tables.
    shown = to_html(rows, table.name).replace("<table>", f'<table style="{LOOKS["table"]}">', 1)
    return f"{shown}<p>... {left:,} more rows</p>" if left > 0 else shown


def show_page(document: str, title: str) -> None:
    """Show a page inside the notebook, or in the browser when there is none."""
    # In a notebook its script runs in a frame of its own, which can neither read the notebook nor
    # load anything.
    if _in_marimo():
        import marimo

        marimo.output.append(marimo.Html(page_in_frame(document, title)))
    elif _in_jupyter():
        from IPython.display import HTML, display

        display(HTML(page_in_frame(document, title)))
    else:
        import webbrowser

        path = Path(tempfile.mkdtemp(prefix="capcurve-")) / "report.html"
        path.write_text(document, encoding="utf-8")
        webbrowser.open(path.as_uri())


def page_in_frame(document: str, title: str) -> str:
    """Return a page as a frame to stand in another one, and what to do where it is dropped.

    >>> 'sandbox="allow-scripts allow-downloads"' in page_in_frame("<p>", "title")
    True
    """
    frame = FRAME.format(title=quoted(title, quote=True), document=quoted(document, quote=True))
    return f"<div>{frame}{WITHOUT_FRAMES}</div>"


def _in_jupyter() -> bool:
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def _in_marimo() -> bool:
    """Tell whether a marimo notebook runs this: its browser may be on another machine."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())

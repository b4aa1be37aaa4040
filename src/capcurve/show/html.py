"""The page and the notebook card of a result, without script, and how a page is opened."""

from __future__ import annotations

import re
import sys
import tempfile
from html import escape as quoted
from pathlib import Path
from typing import TYPE_CHECKING

from capcurve.show.chart import Chart, points_of
from capcurve.show.elements import (
    LONGEST_NAME,
    LOOKS,
    document,
    escape,
    found_list,
    lead,
    lead_on_card,
    origin,
    table_html,
    tiles,
)
from capcurve.show.format import shortened, stated_percent
from capcurve.show.markup import to_html
from capcurve.show.svg import CARD as CARD_SIZE, MAIN, PHONE, Size, data_url, draw, image
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.show.presentation import Figure, Presentation
    from capcurve.show.table import Table

MOST_ROWS = 100
MOST_ROWS_ON_CARD = 20
BELOW = "flex:1 1 100%;min-width:0;overflow-x:auto;font-size:.85em"
CARD = (
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
    return document(
        title=escape(shortened(shown.title, LONGEST_NAME)),
        head=_head(shown),
        main=f"{_body(shown, shown.charts)}{_tables(shown.tables)}{_notes(shown)}",
        foot=(
            "<p>This page has no script and makes no network requests. "
            f"Written by capcurve {__version__}.</p>"
        ),
    )


def _head(shown: Presentation) -> str:
    grave = [("", finding) for finding in shown.findings if finding.severity != "info"]
    first, *others = shown.sentences
    said = lead(first, shown.light) + "".join(f"<p>{escape(each)}</p>" for each in others)
    return (
        f"<h1>{escape(shortened(shown.title, LONGEST_NAME))}</h1>"
        f"<p class='soft source'>{escape(origin(shown.source))}</p>"
        f"{said}{found_list(grave)}"
    )


def _body(shown: Presentation, charts: Sequence[Chart]) -> str:
    """Return the first chart with the numbers and remarks beside it, then the other charts."""
    remarks = [("", finding) for finding in shown.findings if finding.severity == "info"]
    beside = f"{tiles(shown.figures, shown.level)}{found_list(remarks)}"
    if not charts:
        return beside
    first, *others = charts
    more = f"<div class=shown>{''.join(map(figure_html, others))}</div>" if others else ""
    aside = f"<div class=beside-chart>{beside}</div>" if beside else ""
    return f"<div class=result>{aside}{main_figure(first)}</div>{more}"


def main_figure(chart: Chart) -> str:
    """Return the chart of a page: broad, and for small screens narrow, as numbers and as a file."""
    # A page without script can save the file by a link.
    name = re.sub(r"\W+", "-", chart.title).strip("-").lower() or "chart"
    link = f'<a download="{escape(name)}.svg" href="{data_url(chart, MAIN)}">SVG</a>'
    title = f"<figcaption>{escape(chart.title)}<span class=tools>{link}</span></figcaption>"
    numbers = points_of(chart)
    table = table_html(numbers, "Points drawn") if numbers else ""
    listed = f"<details><summary>Numbers</summary>{table}</details>" if table else ""
    drawn = f"{draw(chart, MAIN, look='broad-view')}{draw(chart, PHONE, look='narrow-view')}"
    return f"<figure class='card main'>{title}{drawn}{listed}</figure>"


def figure_html(chart: Chart, size: Size = CARD_SIZE) -> str:
    """Return a chart with its title, as a card of a page."""
    look = "card" if chart.scores is None else "'card broad'"
    title = f"<figcaption>{escape(chart.title)}</figcaption>"
    return f"<figure class={look}>{title}{draw(chart, size)}</figure>"


def _tables(tables: Iterable[Table]) -> str:
    parts = "".join(
        table_html(
            {name: column[:MOST_ROWS] for name, column in table.values().items()},
            table.name,
            note_of(table, MOST_ROWS),
            square=table.square,
        )
        for table in tables
    )
    return f"<section class=tables><h2>Tables</h2>{parts}</section>" if parts else ""


def note_of(table: Table, most: int) -> str | None:
    """Return the note of a table, and how many of its rows are shown where it has more."""
    if len(table) <= most:
        return table.note or None
    said = f"of {len(table):,} rows the first {most} are shown"
    return f"{table.note}; {said}" if table.note else said


def _notes(shown: Presentation) -> str:
    """Return definitions and methods, in small print."""
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    return f"<section class=notes><h2>Notes</h2><div>{notes}</div></section>" if notes else ""


def render_part(shown: Presentation, heading: str) -> str:
    """Return a result as a part of a page that begins with its headline: what follows that."""
    grave = [("", finding) for finding in shown.findings if finding.severity != "info"]
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    below = f"<div class=notes><div>{notes}</div></div>" if notes else ""
    said = "".join(f"<p>{escape(each)}</p>" for each in shown.sentences[1:])
    return f"{heading}{said}{found_list(grave)}{_body(shown, shown.charts[:1])}{below}"


def render_result_card(shown: Presentation) -> str:
    """Return a result as an HTML fragment that notebooks show whether trusted or not."""
    # It has no script, style sheet, frame or SVG element, and no outside links.
    picture = image(shown.charts[0]) if shown.charts else ""
    first, *others = shown.sentences
    said = lead_on_card(first, shown.light) + "".join(f"<p>{escape(each)}</p>" for each in others)
    found = found_list([("", finding) for finding in shown.findings], LOOKS["findings"])
    table = _short(shown.tables[0]) if shown.tables else ""
    return (
        f'<div style="{CARD}"><div style="flex:1 1 320px;max-width:440px">{picture}</div>'
        f'<div style="flex:1 1 320px">{said}{_numbers(shown)}{found}</div>'
        f'<div style="{BELOW}">{table}</div></div>'
    )


def _numbers(shown: Presentation) -> str:
    """Return the headline numbers below each other, with their own looks."""
    if not shown.figures:
        return ""
    rows = "".join(map(_row, shown.figures))
    said = "" if shown.level is None else f"In brackets: {stated_percent(shown.level)} intervals"
    caption = f'<caption style="{LOOKS["caption"]}">{escape(said)}</caption>' if said else ""
    return f'<table style="{LOOKS["table"]}">{caption}<tbody>{rows}</tbody></table>'


def _row(figure: Figure) -> str:
    return (
        f'<tr><th scope="row" style="{LOOKS["label"]}">{escape(figure.label)}</th>'
        f'<td style="{LOOKS["number"]}"><b>{escape(figure.text)}</b></td>'
        f'<td style="{LOOKS["limits"]}">{escape(figure.limits)}</td></tr>'
    )


def _short(table: Table) -> str:
    """Return the first rows of a table."""
    rows = {name: column[:MOST_ROWS_ON_CARD] for name, column in table.values().items()}
    left = len(table) - MOST_ROWS_ON_CARD
    return to_html(rows, table.name) + (f"<p>... {left:,} more rows</p>" if left > 0 else "")


def show_page(document: str, title: str) -> None:
    """Show a page inside the notebook, or in the browser when there is none."""
    # In a notebook its script runs in a frame of its own, which can neither read the notebook nor
    # load anything.
    if _in_marimo():
        import marimo

        marimo.output.append(marimo.Html(framed(document, title)))
    elif _in_jupyter():
        from IPython.display import HTML, display

        display(HTML(framed(document, title)))
    else:
        import webbrowser

        path = Path(tempfile.mkdtemp(prefix="capcurve-")) / "report.html"
        path.write_text(document, encoding="utf-8")
        webbrowser.open(path.as_uri())


def framed(document: str, title: str) -> str:
    """Return a page as a frame to stand in another one, and what to do where it is dropped.

    >>> 'sandbox="allow-scripts allow-downloads"' in framed("<p>", "title")
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

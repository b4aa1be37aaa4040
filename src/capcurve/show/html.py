"""The page and the notebook card of a result, without script, and how a page is opened."""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from html import escape as quoted
from pathlib import Path
from typing import TYPE_CHECKING

from capcurve.show.elements import (
    LONGEST_NAME,
    LOOKS,
    document,
    escape,
    file_names,
    found_list,
    lead,
    lead_on_card,
    table_html,
    tiles,
)
from capcurve.show.format import shortened, stated_percent
from capcurve.show.markup import to_html
from capcurve.show.svg import draw, image
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.show.chart import Chart
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
    tables, notes = _tables(shown.tables), _notes(shown)
    pictures = "".join(map(figure_html, shown.charts))
    heading = "<h2 class=unseen>Pictures</h2>" if pictures else ""
    beside = f"<div class=shown>{heading}{pictures}{notes}</div>"
    return document(
        title=escape(shortened(shown.title, LONGEST_NAME)),
        head=_head(shown),
        main=f"{beside}{tables}" if shown.charts else f"{tables}{notes}",
        foot=(
            "<p>This page has no script and makes no network requests. "
            f"Written by capcurve {__version__}.</p>"
        ),
    )


def _head(shown: Presentation) -> str:
    today = datetime.now(UTC).date().isoformat()
    source = "" if shown.source is None else shortened(file_names(shown.source), LONGEST_NAME)
    origin = " · ".join(filter(None, (source, today, f"capcurve {__version__}")))
    first, *others = shown.sentences
    grave = [("", finding) for finding in shown.findings if finding.severity != "info"]
    return (
        f"<h1>{escape(shortened(shown.title, LONGEST_NAME))}</h1>"
        f"<p class='soft source'>{escape(origin)}</p>{lead(first, shown.light)}"
        f"{''.join(f'<p>{escape(sentence)}</p>' for sentence in others)}"
        f"{tiles(shown.figures, shown.level)}{found_list(grave)}"
    )


def figure_html(chart: Chart) -> str:
    """Return a chart with its title, as a card of a page."""
    look = "card" if chart.scores is None else "'card broad'"
    title = f"<figcaption>{escape(chart.title)}</figcaption>"
    return f"<figure class={look}>{title}{draw(chart)}</figure>"


def _tables(tables: Iterable[Table]) -> str:
    parts = "".join(
        table_html(
            {name: column[:MOST_ROWS] for name, column in table.values().items()},
            table.name,
            _note(table),
            square=table.square,
        )
        for table in tables
    )
    return f"<section class=tables><h2>Tables</h2>{parts}</section>" if parts else ""


def _note(table: Table) -> str | None:
    """Return the note of a table, with how many of its rows are shown."""
    if len(table) <= MOST_ROWS:
        return table.note
    said = f"of {len(table):,} rows the first {MOST_ROWS} are shown"
    return said if table.note is None else f"{table.note}; {said}"


def _notes(shown: Presentation) -> str:
    light = [("", finding) for finding in shown.findings if finding.severity == "info"]
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    said = f"{found_list(light)}{notes}"
    return f"<section class=notes><h2>Notes</h2>{said}</section>" if said else ""


def render_part(shown: Presentation, heading: str) -> str:
    """Return a result as a part of a page: its sentences, its first picture, findings and notes."""
    first, *others = shown.sentences
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in shown.notes)
    told = found_list([("", finding) for finding in shown.findings])
    more = "".join(f"<p>{escape(sentence)}</p>" for sentence in others)
    return (
        f"{heading}{lead(first, shown.light)}{more}{tiles(shown.figures, shown.level)}"
        f"<div class=shown>{''.join(map(figure_html, shown.charts[:1]))}"
        f"<div class=notes>{told}{notes}</div></div>"
    )


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

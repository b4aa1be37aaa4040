"""Text, numbers, findings and tables as pieces of HTML."""

from __future__ import annotations

import re
from html import escape as escape_markup
from typing import TYPE_CHECKING

from capcurve.show.finding import SEVERITY
from capcurve.show.format import MISSING, capitalised, shortened, stated_percent, writable
from capcurve.show.markup import grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.show.figure import Figure
    from capcurve.show.finding import Finding

# A card stands in pages of others, so it brings its looks along; a page has a style sheet.
NUMBERS = "font-variant-numeric:tabular-nums"
LOOKS = {
    "table": "font:inherit;border-collapse:collapse;margin:.3em 0",
    "label": "text-align:left;font-weight:400;padding:.1em 1.2em .1em 0;white-space:nowrap",
    "number": f"text-align:right;padding:.1em .8em .1em 0;{NUMBERS}",
    "limits": f"text-align:left;padding:.1em 1.2em .1em 0;{NUMBERS};white-space:nowrap",
    "name": "text-align:left;padding:.1em .8em .1em 0",
    "caption": "caption-side:bottom;text-align:left;font-size:.85em;padding-top:.2em",
    "findings": "padding-left:1.2em;margin:.4em 0",
}
NOTHING = "–"
LONGEST_NAME = 200


def escape(words: str) -> str:
    """Return text as it stands in HTML and SVG.

    Examples
    --------
    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape_markup(writable(words), quote=True)


def file_names(source: str) -> str:
    """Return what data was called, without the folders in which its files are.

    Examples
    --------
    >>> file_names("/data/scores/may.csv, june.csv")
    'may.csv, june.csv'
    """
    return ", ".join(re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in source.split(", "))


def framed(caption: str, table: str) -> str:
    """Return a table in a frame that scrolls sideways, by keyboard too."""
    label = escape(shortened(caption, 80))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def table_html(
    columns: Mapping[str, Sequence[object]], caption: str, note: str | None = None
) -> str:
    """Return columns as a table."""
    shown = grid(columns)
    head = "".join(f'<th scope="col">{escape(text.replace("_", " "))}</th>' for text in shown.heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(text)}</td>" for text in row) + "</tr>" for row in shown.rows
    )
    table = (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
    said = "" if note is None else f"<p>{escape(capitalised(note))}.</p>"
    return framed(caption, table) + said


def _cell(text: str) -> str:
    return NOTHING if text == MISSING else escape(text)


def found_list(found: Iterable[tuple[str, Finding]], style: str = "") -> str:
    """Return findings as a list, each with what stands before its message."""
    rows = "".join(
        f"<li><b>{SEVERITY[finding.severity]}.</b> {escape(label + finding.message)}; "
        f"<i>{escape(finding.advice)}</i>.</li>"
        for label, finding in found
    )
    look = f' style="{style}"' if style else ""
    return f"<ul class=findings{look}>{rows}</ul>" if rows else ""


def tiles(figures: Sequence[Figure], level: float | None) -> str:
    """Return headline numbers as tiles beside each other, and the level of their intervals."""
    shown = "".join(
        f"<div><dt>{escape(figure.short)}</dt><dd>{escape(figure.text)}{_small(figure)}</dd></div>"
        for figure in figures
    )
    said = "" if level is None else f"In brackets: {stated_percent(level)} intervals."
    below = f"<p class='soft level'>{said}</p>" if said else ""
    return f"<dl class=figures>{shown}</dl>{below}" if shown else ""


def _small(figure: Figure) -> str:
    """Return limits and note as they stand below a number, sign and score on one line."""
    text = f"{figure.limits} {figure.note}".strip()
    for sign in "≥≤=<":
        text = text.replace(f" {sign} ", f"\N{NO-BREAK SPACE}{sign}\N{NO-BREAK SPACE}")
    return f"<small>{escape(text)}</small>" if text else ""

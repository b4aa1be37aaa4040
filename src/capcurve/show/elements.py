"""Text, numbers, findings and tables as pieces of HTML, and the document they stand in."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from datetime import UTC, datetime
from functools import cache
from html import escape as escape_markup
from importlib.resources import files
from typing import TYPE_CHECKING

from capcurve.show.format import MISSING, capitalised, shortened, writable
from capcurve.show.markup import grid
from capcurve.show.presentation import SEVERITY, Figure, Finding, Light
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.show.table import Speaks

# A card stands in pages of others, so it brings its looks along; a page has a style sheet.
TABULAR_NUMBERS = "font-variant-numeric:tabular-nums"
LOOKS = {
    "table": "font:inherit;border-collapse:collapse;margin:.3em 0",
    "label": "text-align:left;font-weight:400;padding:.1em 1.2em .1em 0;white-space:nowrap",
    "number": f"text-align:right;padding:.1em .8em .1em 0;{TABULAR_NUMBERS};white-space:nowrap",
    "limits": f"text-align:left;padding:.1em 1.2em .1em 0;{TABULAR_NUMBERS};white-space:nowrap",
    "name": "text-align:left;padding:.1em .8em .1em 0",
    "caption": "caption-side:bottom;text-align:left;font-size:.85em;padding-top:.2em",
    "findings": "padding-left:1.2em;margin:.4em 0",
}
# A shape for each light, as colours alone tell nothing in grey.
SHAPES: Mapping[Light, str] = {
    "green": '<circle cx="6" cy="6" r="5"/>',
    "amber": '<path d="M6 .8 11.6 11H.4z"/>',
    "red": '<path d="M1 1h10v10H1z"/>',
    "grey": '<circle cx="6" cy="6" r="4.2" class=hollow />',
}
# The same where no SVG is kept; these colours are read on white and on black.
LIGHT_SIGNS: Mapping[Light, tuple[str, str]] = {
    "green": ("●", "#0f8a6b"),
    "amber": ("▲", "#a67c00"),
    "red": ("■", "#e0403a"),
    "grey": ("○", "inherit"),
}
NOTHING = "–"
# How many shades cells of a square table have.
SHADES = 4
LONGEST_IN_PAGE = 200
# Nothing may load, run or be sent, but the style and the script whose fingerprints stand here.
# Pictures of its own making are turned into PNG through data: URLs.
POLICY = "default-src 'none'; {script}style-src 'sha256-{style}'; {images}base-uri 'none'; "
POLICY += "form-action 'none'"
# What stands at the foot of each printed page: a title, and which page of how many it is.
PAPER = (
    "@page{{margin:8mm 10mm 13mm;@bottom-left{{content:'{running}';font:7pt sans-serif;color:#444}}"
    "@bottom-right{{content:counter(page) ' / ' counter(pages);font:7pt sans-serif;color:#444}}}}"
)
_SLOT = re.compile("@(policy|title|style|head|main|foot|script)@")
# What is no prose: pictures, tables, whose cells do not wrap, and tags; and numbers and dates with
# a hyphen inside, where a browser would begin a new line.
_NO_PROSE = re.compile("(<svg.*?</svg>|<table.*?</table>|<[^>]*>)", re.DOTALL)
_HYPHENATED = re.compile(r"(?<![\w-])(\d[\w.]*(?:-\d[\w.]*)+)")
_READ = re.compile(r"""(?<=>)[^<]+|(?<=aria-label=")[^"]+""")
_CHANCE = re.compile(r"\bp (=|&lt;) (?=[\d<])")
SCRIPT = '<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n'


def escape(words: str) -> str:
    """Return text as it stands in HTML and SVG.

    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape_markup(writable(words), quote=True)


def file_names(source: str) -> str:
    """Return what data was called, without the folders in which its files are.

    >>> file_names("/data/scores/may.csv, june.csv")
    'may.csv, june.csv'
    """
    return ", ".join(re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in source.split(", "))


def today() -> str:
    """Return the date that stands on what is written."""
    return datetime.now(UTC).date().isoformat()


def origin(source: str | None, *about: str) -> str:
    """Return where a result came from, when, what made it, and what else is said about it."""
    name = "" if source is None else shortened(file_names(source), LONGEST_IN_PAGE)
    return " · ".join(filter(None, (name, *about, today(), f"capcurve {__version__}")))


def in_frame(caption: str, table: str) -> str:
    """Return a table in a frame that scrolls sideways, by keyboard too."""
    label = escape(shortened(caption, 80))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def table_html(
    columns: Mapping[str, Sequence[object]],
    caption: str,
    note: str | None = None,
    *,
    square: bool = False,
) -> str:
    """Return columns as a table; a square one is shaded, with its diagonal marked."""
    shown = grid(columns)
    looks = ["" if right else " class=left" for right in shown.right]
    shades = _shades(columns) if square else [looks] * len(shown.rows)
    head = "".join(
        f'<th scope="col"{look}>{escape(text.replace("_", " "))}</th>'
        for look, text in zip(looks, shown.heads, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(map(_cell, *row))}</tr>" for row in zip(shades, shown.rows, strict=True)
    )
    table = (
        f"<table><caption>{unbroken(escape(caption))}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
    said = "" if note is None else f"<p>{escape(capitalised(note))}.</p>"
    return in_frame(caption, table) + said


def _shades(columns: Mapping[str, Sequence[object]]) -> list[list[str]]:
    """Return how each cell of a square table looks, by the share of its row that it holds."""
    _, *held = columns.values()
    size = len(held[0])
    found = []
    for place, row in enumerate(zip(*held, strict=True)):
        values = [float(v) if isinstance(v, int | float) and v == v else 0.0 for v in row[:size]]  # noqa: PLR0124 - NaN
        total = sum(values) or 1.0
        shades = [f"h{math.ceil(SHADES * value / total)}" for value in values]
        shades[place] += " same"
        looks = [f' class="{shade}"' for shade in shades]
        found.append([" class=left", *looks, *[""] * (len(row) - size)])
    return found


def _cell(look: str, text: str) -> str:
    return f"<td{look}>{NOTHING if text == MISSING else escape(text)}</td>"


def mark(light: Light) -> str:
    """Return the shape of a light."""
    return f'<svg class="mark-{light}" viewBox="0 0 12 12" aria-hidden="true">{SHAPES[light]}</svg>'


def lead(sentence: str, light: Light | None = None) -> str:
    """Return the headline of a page, with the shape and colour of its light.

    >>> lead("No alarm.")
    '<p class="lead">No alarm.</p>'
    """
    if light is None:
        return f'<p class="lead">{escape(sentence)}</p>'
    return f'<p class="lead {light}">{mark(light)}{escape(sentence)}</p>'


def lead_on_card(sentence: str, light: Light | None = None) -> str:
    """Return the headline of a card, where neither style sheets nor SVG elements are kept."""
    sign, colour = LIGHT_SIGNS[light] if light else ("", "")
    shape = f'<span style="color:{colour}" aria-hidden="true">{sign}</span> ' if sign else ""
    return f"<p>{shape}<b>{escape(sentence)}</b></p>"


def found_list(found: Iterable[Finding], style: str = "") -> str:
    """Return findings as a list."""
    rows = "".join(
        f"<li><b>{SEVERITY[finding.severity]}:</b> {escape(finding.message)}; "
        f"<i>{escape(finding.advice)}</i>.</li>"
        for finding in found
    )
    look = f' style="{style}"' if style else ""
    return f"<ul class=findings{look}>{rows}</ul>" if rows else ""


def tiles(figures: Sequence[Figure]) -> str:
    """Return headline numbers as tiles beside each other."""
    shown = "".join(
        f"<div><dt>{escape(figure.short)}</dt><dd>{escape(figure.text)}{_small(figure)}</dd></div>"
        for figure in figures
    )
    return f"<dl class=figures>{shown}</dl>" if shown else ""


def _small(figure: Figure) -> str:
    """Return limits and, below them, the note of a number, sign and score on one line."""
    note = figure.note
    for sign in "≥≤=<":
        note = note.replace(f" {sign} ", f"\N{NO-BREAK SPACE}{sign}\N{NO-BREAK SPACE}")
    text = "<br>".join(map(escape, filter(None, (figure.limits, note))))
    return f"<small>{text}</small>" if text else ""


def document(
    *,
    title: str,
    head: str,
    main: str,
    foot: str,
    data: Mapping[str, object] | None = None,
    running: str | None = None,
) -> str:
    """Return the document; all parts are HTML, but `running`, which stands at the foot of paper."""
    # With data it has the script of the page, which reads them; without, it has none and its policy
    # allows none.
    style, script = asset("page.css"), "" if data is None else asset("page.js")
    style += "" if running is None else PAPER.format(running=_in_style(running))
    policy = POLICY.format(
        script=f"script-src 'sha256-{_fingerprint(script)}'; " if script else "",
        style=_fingerprint(style),
        images="img-src data:; " if script else "",
    )
    scripts = SCRIPT.format(data=as_slot(data), script=script) if data is not None else ""
    shown = {"head": head, "main": main, "foot": foot}
    parts = {"policy": policy, "title": title, "style": style, "script": scripts}
    parts |= {name: unbroken(part) for name, part in shown.items()}
    return _SLOT.sub(lambda found: parts[found[1]], asset("page.html"))


def _in_style(words: str) -> str:
    r"""Return text as a string of a style sheet, which nothing in it can end.

    >>> _in_style('SME "4.2"')
    'SME \\22 4.2\\22 '
    """
    return re.sub(r"[^\w .,:·-]", lambda found: f"\\{ord(found[0]):x} ", writable(words))


def unbroken(html: str) -> str:
    r"""Return HTML in whose prose no line ends inside a date, a number or a p-value.

    >>> unbroken("<p title='1-2'>in 2025-01</p>")
    "<p title='1-2'>in <span class=whole>2025-01</span></p>"
    >>> unbroken("<p>(p &lt; 0.001)</p>").count("\N{NO-BREAK SPACE}")
    2
    """
    parts = _NO_PROSE.split(html)
    whole = (_HYPHENATED.sub(r"<span class=whole>\1</span>", part) for part in parts[::2])
    parts[::2] = [_CHANCE.sub("p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", part) for part in whole]
    return "".join(parts)


def said_in_page(html: str, speaks: Speaks | None) -> str:
    """Return a page without script in other words, its texts and what is read out of pictures."""
    return html if speaks is None else _READ.sub(lambda found: speaks.said(found[0]), html)


def as_slot(data: object) -> str:
    r"""Return values as JSON that cannot end the element it stands in.

    >>> as_slot({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


@cache
def asset(name: str) -> str:
    """Return a file that is shipped with the package."""
    return (files("capcurve.show") / "assets" / name).read_text(encoding="utf-8").strip()


def _fingerprint(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

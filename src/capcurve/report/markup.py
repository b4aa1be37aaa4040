"""Text, numbers and tables as pieces of HTML."""

from __future__ import annotations

import re
from html import escape as escape_markup
from typing import TYPE_CHECKING

from capcurve.summary.comparing import difference_columns, difference_sentence
from capcurve.view.figures import Figure, headlines, pd_sentence, verdict_sentence
from capcurve.view.format import MISSING, capitalised, shortened, stated_percent, writable
from capcurve.view.markup import grid
from capcurve.view.presentation import SEVERITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from capcurve.report.content import Content
    from capcurve.summary import Finding, Summary, ValueSummary

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


def figures_table(summaries: Mapping[str, Summary | ValueSummary]) -> str:
    """Return the headline numbers of a card, one column per score, with its own looks."""
    columns = {name: _numbers(summary) for name, summary in summaries.items()}
    labels = list(dict.fromkeys(label for column in columns.values() for label in column))
    names = "".join(
        f'<th scope="colgroup" colspan="2" style="{LOOKS["name"]}">{escape(shortened(name))}</th>'
        for name in columns
    )
    head = f"<thead><tr><td></td>{names}</tr></thead>" if len(columns) > 1 else ""
    level = next((stated_percent(s.level) for s in summaries.values() if s.intervals), "")
    caption = f'<caption style="{LOOKS["caption"]}">In brackets: {level} intervals</caption>'
    rows = "".join(
        f'<tr><th scope="row" style="{LOOKS["label"]}">{escape(label)}</th>'
        + "".join(column.get(label, _number(NOTHING, "")) for column in columns.values())
        + "</tr>"
        for label in labels
    )
    return (
        f'<div style="overflow-x:auto"><table style="{LOOKS["table"]}">'
        f"{caption if level else ''}{head}<tbody>{rows}</tbody></table></div>"
    )


def _numbers(summary: Summary | ValueSummary) -> dict[str, str]:
    """Return the cells of one score by label; where KS is reached has a row of its own."""
    cells = {}
    for figure in headlines(summary):
        cells[figure.label] = _number(figure.value, figure.limits)
        if figure.key == "ks":
            place = f'<td colspan="2" style="{LOOKS["limits"]}"><b>{escape(figure.note)}</b></td>'
            cells["KS is reached"] = place
    return cells


def _number(value: str, limits: str) -> str:
    return (
        f'<td style="{LOOKS["number"]}"><b>{escape(value)}</b></td>'
        f'<td style="{LOOKS["limits"]}">{escape(limits)}</td>'
    )


def sentences(content: Content, begin: Callable[[str], str], longest: int = LONGEST_NAME) -> str:
    """Return the sentence and the verdict on each score; `begin` is how the name stands there."""
    return "".join(
        f"{begin(escape(shortened(name, longest)))}"
        f"{escape(' '.join(filter(None, _said(summary))))}</p>"
        for name, summary in content.summaries.items()
    )


def _said(summary: Summary | ValueSummary) -> tuple[str, ...]:
    return summary.sentence, verdict_sentence(summary), pd_sentence(summary)


def differences(content: Content) -> str:
    """Return the paired tests of several scores: a sentence for two, a table for more."""
    if content.comparison is None:
        return ""
    if len(content.comparison.pairs) == 1:
        pair = content.comparison.pairs[0]
        sentence = difference_sentence(pair)
        for name in pair.estimates:
            sentence = sentence.replace(name, shortened(name))
        return f"<p>{escape(sentence)}.</p>"
    caption = "Differences between the scores, on the same rows"
    return table_html(difference_columns(content.comparison), caption)


def findings_list(content: Content, *, grave: bool | None = None, style: str = "") -> str:
    """Return findings: all, the grave ones only, or the notes only."""
    several = len(content.summaries) > 1
    found: list[tuple[str, Finding]] = [("", finding) for finding in content.about_all()]
    found += [
        (f"{name}: " if several else "", finding)
        for name, summary in content.summaries.items()
        for finding in summary.findings
    ]
    wanted = ((n, f) for n, f in found if grave is None or (f.severity != "info") == grave)
    return found_list(wanted, style)


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
        f"<div><dt>{escape(figure.short)}</dt><dd>{escape(figure.value)}{_small(figure)}</dd></div>"
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

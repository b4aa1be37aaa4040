"""A result as text for a screen and as Markdown: sentences, numbers, tables, findings, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capcurve.show.columns import to_text
from capcurve.show.finding import SEVERITY
from capcurve.show.format import capitalised, printable, stated_percent
from capcurve.show.markup import to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.show.figure import Figure
    from capcurve.show.finding import Finding
    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Table

# Of a longer table only the first rows are shown; csv and JSON have all.
MOST_ROWS = 100
# What would begin an element, a link, emphasis or a cell where Markdown is shown.
_ACTING = re.compile(r"[\\`*\[\]|]|<(?=[A-Za-z/!?])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def result_text(
    shown: Presentation,
    *,
    width: int | None = None,
    emphasis: Callable[[str], str] = str,
    wrap: Callable[[str], str] = str,
    fit: Callable[[dict[str, list[object]]], Mapping[str, list[object]]] = dict,
    findings: bool = True,
) -> str:
    """Return a result as text: sentences, numbers, tables, findings and notes."""
    told = [
        f"{emphasis(wrap(printable(table.name)))}\n"
        f"{to_text(fit(_first_rows(table)), width=width, emphasis=emphasis)}{_more(table)}"
        for table in shown.tables
    ]
    parts = [
        emphasis(wrap(printable(shown.title))),
        "\n".join(wrap(printable(sentence)) for sentence in shown.sentences),
        _figures(shown),
        *told,
        "\n".join(wrap(printable(_told(each))) for each in shown.findings) if findings else "",
        "\n".join(wrap(printable(note)) for note in (*_below(shown), *shown.notes)),
    ]
    return "\n\n".join(part for part in parts if part)


def _first_rows(table: Table) -> dict[str, list[object]]:
    return {name: column[:MOST_ROWS] for name, column in table.values().items()}


def _more(table: Table) -> str:
    """Return how many rows of a table are not shown."""
    left = len(table) - MOST_ROWS
    return f"\n... {left:,} more rows" if left > 0 else ""


def _below(shown: Presentation) -> list[str]:
    """Return the notes of the tables, as sentences."""
    return [f"{capitalised(table.note)}." for table in shown.tables if table.note]


def _figures(shown: Presentation) -> str:
    """Return the headline numbers below each other, with their intervals."""
    if not shown.figures:
        return ""
    left = max(len(figure.label) for figure in shown.figures)
    right = max(len(figure.text) for figure in shown.figures)
    middle = max(len(figure.limits) for figure in shown.figures)
    lines = [
        f"{printable(figure.label).ljust(left)}  {figure.text.rjust(right)}  "
        f"{figure.limits.ljust(middle)}  {printable(figure.note)}".rstrip()
        for figure in shown.figures
    ]
    if shown.level is not None and middle:
        lines.insert(0, f"{' ' * (left + right + 4)}{stated_percent(shown.level)} interval")
    return "\n".join(lines)


def _told(finding: Finding) -> str:
    return f"{SEVERITY[finding.severity]}: {finding.message}; {finding.advice}."


def result_markdown(shown: Presentation) -> str:
    """Return a result as Markdown, with headings, tables and lists."""
    said = [f"- **{_told(each).split(':')[0]}:**{_after(each)}" for each in shown.findings]
    tables = [
        f"## {_plain(table.name)}\n\n{to_markdown(_first_rows(table))}{_more(table)}"
        + (f"\n\n{_plain(capitalised(table.note))}." if table.note else "")
        for table in shown.tables
    ]
    parts = [
        f"# {_plain(shown.title)}",
        *map(_plain, shown.sentences),
        to_markdown(_columns(shown.figures, shown.level)) if shown.figures else "",
        "\n".join(said),
        *tables,
        "\n\n".join(map(_plain, shown.notes)),
    ]
    return "\n\n".join(part for part in parts if part)


def _after(finding: Finding) -> str:
    return _plain(_told(finding).partition(":")[2])


def _columns(figures: Sequence[Figure], level: float | None) -> dict[str, list[object]]:
    """Return the headline numbers as columns, those without an entry left out."""
    columns: dict[str, list[object]] = {
        "number": [figure.label for figure in figures],
        "value": [figure.text for figure in figures],
        "interval" if level is None else f"{stated_percent(level)} interval": [
            figure.limits for figure in figures
        ],
        "note": [figure.note for figure in figures],
    }
    return {name: cells for name, cells in columns.items() if any(cells)}


def _plain(words: str) -> str:
    """Return words in which nothing acts as Markdown or HTML."""
    return _ACTING.sub(r"\\\g<0>", printable(words))

"""Tables as aligned text, csv or strict JSON, and results as text and as Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
import textwrap
import unicodedata
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from capcurve.numbers.plain import plain
from capcurve.show.columns import form_of
from capcurve.show.format import capitalised, cutoff_text, printable, stated_percent
from capcurve.show.markup import grid, in_latex, in_markdown, to_latex, to_markdown
from capcurve.show.presentation import (
    LIGHTS,
    SEVERITY,
    Figure,
    Finding,
    Light,
    Presentation,
    as_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from capcurve.show.table import Table

# Of a longer table only the first rows are shown; csv and JSON have all.
MOST_ROWS = 100
# The least that a column of text is narrowed to, and what stands before lines below the first.
LEAST_TEXT, INDENT = 16, "  "
# What spreadsheets take for the beginning of a formula, as OWASP lists it.
_FORMULA = re.compile(r"[=+\-@\t\r]")
# A light behind the name of a test, also on the next line, but none of the limits behind it.
_BEHIND = re.compile(r"(?:(?<=: )|(?<=^  ))(green|amber|red|grey|ALARM)(?=[ ;]|$)(?! [≤≥<>p])")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def result_text(
    shown: Presentation,
    *,
    width: int | None = None,
    emphasis: Callable[[str], str] = str,
    lit: Callable[[str, Light], str] = lambda text, _: text,
    wrap: Callable[[str], str] = str,
    fit: Callable[[dict[str, list[object]]], Mapping[str, list[object]]] = dict,
    findings: bool = True,
) -> str:
    """Return a result as text: sentences, numbers, tables, findings and notes."""
    # `lit` gives the headline and the lights of tests their colours, where there are colours.
    told = [
        f"{emphasis(wrap(printable(table.name)))}\n"
        f"{to_text(fit(_first_rows(table)), width=width, emphasis=emphasis, lit=lit)}{_more(table)}"
        for table in _tables(shown)
    ]
    below = as_sentences(table.note for table in shown.tables if table.note)
    said = [wrap(printable(sentence)) for sentence in shown.sentences]
    if said and shown.light is not None:
        said[0] = lit(said[0], shown.light)
    parts = [
        emphasis(wrap(printable(shown.title))),
        "\n".join(said),
        _figures(shown),
        *told,
        "\n".join(wrap(printable(note)) for note in below),
        "\n".join(wrap(printable(each)) for each in shown.remarks),
        "\n".join(wrap(finding_text(each)) for each in shown.findings) if findings else "",
        "\n".join(wrap(printable(note)) for note in shown.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _tables(shown: Presentation) -> Sequence[Table]:
    """Return the tables that a screen has room for; the first may be the figures of each score."""
    return shown.tables if shown.brief is None else (shown.brief, *shown.tables)


def _first_rows(table: Table) -> dict[str, list[object]]:
    return {name: column[:MOST_ROWS] for name, column in table.values().items()}


def _more(table: Table) -> str:
    left = len(table) - MOST_ROWS
    return f"\n... {left:,} more rows" if left > 0 else ""


def _figures(shown: Presentation) -> str:
    """Return the headline numbers below each other, with their intervals."""
    if not shown.figures or shown.brief is not None:
        return ""
    left = max(len(figure.label) for figure in shown.figures)
    right = max(len(figure.text) for figure in shown.figures)
    middle = max(len(figure.limits) for figure in shown.figures)
    # A note stands in the place of limits where there are none.
    beside = (f"{each.limits.ljust(middle)}  " if each.limits else "" for each in shown.figures)
    lines = [
        f"{printable(figure.label).ljust(left)}  {figure.text.rjust(right)}  "
        f"{limits}{printable(figure.note)}".rstrip()
        for figure, limits in zip(shown.figures, beside, strict=True)
    ]
    if shown.level is not None and middle:
        lines.insert(0, f"{' ' * (left + right + 4)}{stated_percent(shown.level)} interval")
    return "\n".join(lines)


def finding_text(finding: Finding, name: str = "") -> str:
    """Return a finding in one line, with the score that it is about where there are several."""
    return printable(_told(finding, name))


def _told(finding: Finding, name: str = "") -> str:
    whose = f"{name}: " if name else ""
    return f"{SEVERITY[finding.severity]}: {whose}{finding.message}; {finding.advice}."


def _plain(words: str) -> str:
    """Return words in which nothing acts as Markdown or HTML."""
    # At its start a name may begin a list, a heading or a quotation.
    return re.sub(r"^(\d*)([.)](?=\s)|[-+#](?=\s)|>)", r"\1\\\2", in_markdown(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """How other documents are written; in its patterns {} stands for text."""

    table: Callable[[Mapping[str, Sequence[object]]], str]
    sentence: Callable[[str], str]
    title: str
    heading: str
    item: str  # what is said first, in bold, and the rest
    items: str = "{}"  # all items together

    def result(self, shown: Presentation) -> str:
        """Return a result with headings, tables and lists."""
        told = (_told(each).partition(":") for each in shown.findings)
        items = "\n".join(self.item.format(head, self.sentence(said)) for head, _, said in told)
        parts = [
            self.title.format(self.sentence(shown.title)),
            *map(self.sentence, shown.sentences),
            ""
            if shown.brief is not None or not shown.figures
            else self.table(_columns(shown.figures, shown.level)),
            self.items.format(items) if items else "",
            *(part for table in (*_tables(shown), *shown.more) for part in self._of_table(table)),
            *map(self.sentence, (*shown.remarks, *shown.notes)),
        ]
        return "\n\n".join(part for part in parts if part)

    def _of_table(self, table: Table) -> Iterator[str]:
        yield self.heading.format(self.sentence(table.name))
        yield self.table(_first_rows(table))
        yield self.sentence(_more(table).strip())
        if table.note:
            yield f"{self.sentence(capitalised(table.note))}."


# By the suffix of a file, and the name of the format, without a dot. LaTeX needs no packages.
MARKUPS: Mapping[str, Markup] = {
    "md": Markup(
        table=to_markdown, sentence=_plain, title="# {}", heading="## {}", item="- **{}:**{}"
    ),
    "tex": Markup(
        table=lambda columns: "\\noindent\n" + to_latex(columns, booktabs=False),
        sentence=in_latex,
        title=r"\section*{{{}}}",
        heading=r"\subsection*{{{}}}",
        item=r"\item \textbf{{{}:}}{}",
        items="\\begin{{itemize}}\n{}\n\\end{{itemize}}",
    ),
}


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


def as_bytes(text: str) -> bytes:
    """Return text that ends its last line; a lone surrogate in a name is written as an escape."""
    return (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")


def write_text(path: Path, text: str) -> None:
    """Write text into a file, the same bytes as to standard output."""
    path.write_bytes(as_bytes(text))


def to_json(value: object) -> str:
    """Return a value as strict JSON, indented.

    >>> print(to_json({"ar": float("inf")}))
    {
      "ar": "inf"
    }
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(columns: Mapping[str, Sequence[object]], *, decimal: str = ".") -> str:
    r"""Return columns as csv: numbers in full, nothing where there is no value.

    >>> to_csv({"bin": [1, 2], "lift": [2.5, None]})
    'bin,lift\n1,2.5\n2,\n'
    >>> to_csv({"bin": [1, 2], "lift": [2.5, None]}, decimal=",")
    'bin;lift\n1;2,5\n2;\n'
    """
    file = io.StringIO()
    comma = decimal == ","
    writer = csv.writer(file, delimiter=";" if comma else ",", lineterminator="\n")
    writer.writerow(columns)
    cells = [[_in_full(name, v, decimal) for v in column] for name, column in columns.items()]
    writer.writerows(zip(*cells, strict=True))
    text = file.getvalue()
    return f"\ufeff{text}" if comma and not text.isascii() else text


def _in_full(name: str, value: object, decimal: str) -> object:
    """Return a value with all its digits; a score as it can be typed back."""
    scores = form_of(name) == "score"
    if not isinstance(value, float) or (not scores and decimal == "."):
        return value
    text = cutoff_text(float(value)) if scores else str(float(value))
    return text.replace(".", decimal)


def to_text(
    columns: Mapping[str, Sequence[object]],
    *,
    width: int | None = None,
    emphasis: Callable[[str], str] = str,
    lit: Callable[[str, Light], str] = lambda text, _: text,
) -> str:
    """Return columns aligned for reading, numbers as percent or with fitting digits.

    >>> print(to_text({"grade": ["A", "B"], "n": [1200, 30], "rate": [0.25, 1.0]}))
    grade  cases    rate
    A      1,200   25.0%
    B         30  100.0%
    """
    shown = grid(columns)
    heads = [[printable(head)] for head in shown.heads]
    body = [[printable(text) for text in column] for column in shown.columns]
    if width is not None and _total(heads, body) > width:
        if any(" " in head[0] for head in heads):
            heads = [["", *head[0].split(" ", 1)][-2:] for head in heads]
        body = _wrapped(heads, body, shown.right, width)
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    widths = [max(map(width_of, column)) for column in cells]
    gap = " " if width is not None and _total(heads, body) > width else "  "
    padded = [
        [_padded(text, wide, right) for text in column]
        for column, wide, right in zip(cells, widths, shown.right, strict=True)
    ]
    for place, name in enumerate(shown.heads):
        if name == "light":
            padded[place] = [_lit(text, lit) for text in padded[place]]
        elif name == "test":  # with its light behind it where there is no room for a column
            padded[place] = [_BEHIND.sub(partial(_lit_word, lit), text) for text in padded[place]]
    lines = [gap.join(row).rstrip() for row in zip(*padded, strict=True)]
    first = len(heads[0]) if heads else 0
    return "\n".join([*map(emphasis, lines[:first]), *lines[first:]])


def _wrapped(
    heads: list[list[str]], body: list[list[str]], right: Sequence[bool], width: int
) -> list[list[str]]:
    """Return columns whose text goes on in lines below where the table would be too wide."""
    over = _total(heads, body) - width
    rows = [[[text] for text in column] for column in body]
    # Limits in brackets stay on one line.
    text = [
        place
        for place, column in enumerate(body)
        if not right[place] and not any(cell.startswith("[") for cell in column)
    ]
    for place in sorted(text, key=lambda each: max(map(width_of, body[each]), default=0))[::-1]:
        column = body[place]
        widest = max(map(width_of, column), default=0)
        words = (word for line in (*heads[place], *column) for word in line.split())
        least = max(LEAST_TEXT, *(width_of(word) + len(INDENT) for word in words), 0)
        kept = max(widest - max(over, 0), least)
        if kept < widest:
            rows[place] = [broken_lines(each, kept) for each in column]
            over -= widest - kept
    high = [max(map(len, row)) for row in zip(*rows, strict=True)]
    return [
        [
            line
            for lines, most in zip(column, high, strict=True)
            for line in (*lines, *[""] * (most - len(lines)))
        ]
        for column in rows
    ]


def broken_lines(text: str, width: int, below: str = INDENT) -> list[str]:
    """Return text broken between words, the lines below the first indented."""
    return textwrap.wrap(
        text, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    ) or [""]


def _total(heads: list[list[str]], body: list[list[str]]) -> int:
    """Return how wide a table is with two blanks between its columns."""
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    return sum(max(map(width_of, column)) + 2 for column in cells) - 2


def _lit(cell: str, lit: Callable[[str, Light], str]) -> str:
    """Return the light of a test in its colour, whatever is said of it besides."""
    told = cell.rstrip()
    shown = next((lit(told, light) for light in LIGHTS if told.startswith(light)), told)
    return shown + " " * (len(cell) - len(told))


def _lit_word(lit: Callable[[str, Light], str], found: re.Match[str]) -> str:
    word = found[0]
    return lit(word, next((light for light in LIGHTS if light == word), "red"))


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def width_of(text: str) -> int:
    """Return how many columns of a screen a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)


def defused(columns: Mapping[str, Sequence[object]]) -> dict[str, list[object]]:
    """Return columns for a spreadsheet: text that begins like a formula has a ' before it.

    Numbers, and text that is a number, stay as they are.

    >>> defused({"grade": ["=1+1", "A+", "-5", -5]})
    {'grade': ["'=1+1", 'A+', '-5', -5]}
    """
    cells = {name: [_defused(value) for value in column] for name, column in columns.items()}
    # A name that stays as it is keeps the form of its column.
    names = ((name, str(_defused(name)), column) for name, column in cells.items())
    return {name if name == safe else safe: column for name, safe, column in names}


def _defused(value: object) -> object:
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value

"""Tables and summaries as text: aligned for people, and as csv or strict JSON."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from typing import TYPE_CHECKING

from capcurve.counts.plain import plain
from capcurve.show.format import cutoff_text, form_of, printable
from capcurve.show.markup import grid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# What spreadsheets take for the beginning of a formula, as OWASP lists it.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def to_json(value: object) -> str:
    """Return a value as strict JSON, indented.

    Examples
    --------
    >>> print(to_json({"ar": float("inf")}))
    {
      "ar": "inf"
    }
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(columns: Mapping[str, Sequence[object]], *, decimal: str = ".") -> str:
    r"""Return columns as csv: numbers in full, nothing where there is no value.

    Examples
    --------
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
    text = cutoff_text(value) if scores else str(float(value))
    return text.replace(".", decimal)


def to_text(
    columns: Mapping[str, Sequence[object]],
    *,
    width: int | None = None,
    emphasis: Callable[[str], str] = str,
) -> str:
    """Return columns aligned for reading, numbers as percent or with fitting digits.

    Examples
    --------
    >>> print(to_text({"grade": ["A", "B"], "n": [1200, 30], "rate": [0.25, 1.0]}))
    grade      n    rate
    A      1,200   25.0%
    B         30  100.0%
    """
    shown = grid(columns)
    heads = [[printable(head)] for head in shown.heads]
    body = [[printable(text) for text in column] for column in shown.columns]
    if width is not None and _total(heads, body) > width:
        heads = [["", *head[0].split(" ", 1)][-2:] for head in heads]
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    widths = [max(map(width_of, column)) for column in cells]
    gap = " " if width is not None and _total(heads, body) > width else "  "
    lines = [
        gap.join(map(_padded, row, widths, shown.right)).rstrip()
        for row in zip(*cells, strict=True)
    ]
    first = len(heads[0]) if heads else 0
    return "\n".join([*map(emphasis, lines[:first]), *lines[first:]])


def _total(heads: list[list[str]], body: list[list[str]]) -> int:
    """Return how wide a table is with two blanks between its columns."""
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    return sum(max(map(width_of, column)) + 2 for column in cells) - 2


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

    Examples
    --------
    >>> defused({"grade": ["=1+1", "A+", "-5", -5]})
    {'grade': ["'=1+1", 'A+', '-5', -5]}
    """
    cells = {name: [_defused(value) for value in column] for name, column in columns.items()}
    return {str(_defused(name)): column for name, column in cells.items()}


def _defused(value: object) -> object:
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value

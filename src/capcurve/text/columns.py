"""Tables and summaries as text: aligned for people, and as csv, Markdown or strict JSON."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain
from capcurve.tables.shown import SCORES, cutoff_text
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


Columns = "Mapping[str, Sequence[Any]]"

PERCENT = {"prevalence", "rate", "q", "captured", "precision", "tpr", "fpr", "tie_mass", "ks_q"}
PERCENT |= {"captured_10", "captured_20", "captured_50", "rate_low", "rate_high"}
THREE_DIGITS = {"accuracy_ratio", "roc_auc", "ks"}
TWO_DIGITS = {"lift", "cum_lift", "lift_10"}
COORDINATES = {"x", "y"}
FREE = {"segment", *COORDINATES, *SCORES}
HEADINGS = {
    "cum_n": "cum n",
    "cum_positives": "cum positives",
    "cum_lift": "cum lift",
    "captured_20": "top 20%",
    "captured_50": "top 50%",
    "prevalence": "rate",
    "accuracy_ratio": "AR",
    "roc_auc": "AUC",
    "ks": "KS",
    "ks_q": "KS at",
    "rate_low": "rate low",
    "rate_high": "rate high",
    "captured_10": "top 10%",
    "lift_10": "lift",
}
MISSING = "-"
LARGEST_WHOLE = 1e15


def to_json(value: Any) -> str:
    """Return a value as strict JSON, indented.

    Examples
    --------
    >>> print(to_json({"ar": float("inf")}))
    {
      "ar": "inf"
    }
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    r"""Return columns as csv: numbers in full, nothing where there is no value.

    Examples
    --------
    >>> to_csv({"bin": [1, 2], "lift": [2.5, None]})
    'bin,lift\n1,2.5\n2,\n'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    cells = [_in_full(name, column) for name, column in columns.items()]
    writer.writerows(zip(*cells, strict=True))
    return file.getvalue()


def _in_full(name: str, column: Sequence[Any]) -> list[Any]:
    if name not in SCORES:
        return list(column)
    return [cutoff_text(value) if isinstance(value, float) else value for value in column]


def to_markdown(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as a Markdown table, written for people.

    Examples
    --------
    >>> print(to_markdown({"bin": [1, 2], "rate": [0.25, None]}))
    | bin | rate |
    | --: | ---: |
    | 1 | 25.0% |
    | 2 | - |
    """
    shown = {name: [_escaped(show(name, v)) for v in column] for name, column in columns.items()}
    rules = [
        "-" * max(len(heading(name)) - 1, 2) + ":" if _is_right(column) else "---"
        for name, column in columns.items()
    ]
    lines = [[_escaped(heading(name)) for name in shown], rules, *zip(*shown.values(), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def to_text(
    columns: Mapping[str, Sequence[Any]],
    *,
    width: int | None = None,
    emphasis: Callable[[str], str] = str,
) -> str:
    """Return columns aligned for reading, numbers as percent or with fitting digits.

    Parameters
    ----------
    columns
        Values by column name; the name says how they are shown.
    width
        How wide the screen is: a table that does not fit is set closer.
    emphasis
        What makes the heading stand out.

    Examples
    --------
    >>> print(to_text({"grade": ["A", "B"], "n": [1200, 30], "rate": [0.25, 1.0]}))
    grade      n    rate
    A      1,200   25.0%
    B         30  100.0%
    """
    heads = [[heading(name)] for name in columns]
    body = [[show(name, value) for value in column] for name, column in columns.items()]
    if width is not None and _total(heads, body) > width:
        heads = [["", *head[0].split(" ", 1)][-2:] for head in heads]
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    right = [_is_right(column) for column in columns.values()]
    widths = [max(map(width_of, column)) for column in cells]
    gap = " " if width is not None and _total(heads, body) > width else "  "
    lines = [
        gap.join(map(_padded, row, widths, right)).rstrip() for row in zip(*cells, strict=True)
    ]
    first = len(heads[0]) if heads else 0
    return "\n".join([*map(emphasis, lines[:first]), *lines[first:]])


def _total(heads: list[list[str]], body: list[list[str]]) -> int:
    """Return how wide a table is with two blanks between its columns."""
    cells = [head + column for head, column in zip(heads, body, strict=True)]
    return sum(max(map(width_of, column)) + 2 for column in cells) - 2


def heading(name: str) -> str:
    """Return what stands above a column."""
    return HEADINGS.get(name) or printable(name.replace("_", " ") if name in FREE else name)


def _is_right(column: Sequence[Any]) -> bool:
    return any(isinstance(value, int | float) for value in column) or all(
        value is None for value in column
    )


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def width_of(text: str) -> int:
    """Return how many columns of a screen a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)


def show(name: str, value: Any) -> str:
    """Return one value as a risk manager reads it; the column's name says what it is.

    Examples
    --------
    >>> show("rate", 0.0312), show("ks", 0.41236), show("n", 12345), show("threshold", 0.031)
    ('3.1%', '0.412', '12,345', '0.031')
    """
    if value is None:
        return MISSING
    if name in COORDINATES:
        return f"{value:.6g}"
    if name in FREE or isinstance(value, str | bool):
        return printable(cutoff_text(value))
    if name in PERCENT:
        return _share(value)
    digits = 3 if name in THREE_DIGITS else 2
    if name in THREE_DIGITS | TWO_DIGITS:
        return f"{value:.{digits}f}"
    return amount(value)


def amount(value: Any) -> str:
    """Return a number of cases, or their weight.

    Examples
    --------
    >>> amount(12345), amount(2.5), amount(1234567.891)
    ('12,345', '2.5', '1,234,567.9')
    """
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.6g}"  # noqa: PLR2004 - readable
    return f"{int(value):,}" if abs(value) < LARGEST_WHOLE else f"{value:,}"


def _share(value: float) -> str:
    text = f"{100 * value:.1f}%"
    rounded_away = text in {"0.0%", "-0.0%", "100.0%"} and value not in {0.0, 1.0}
    return percent(value) if rounded_away else text


def printable(text: str) -> str:
    r"""Return text without characters that would act on a screen.

    Examples
    --------
    >>> print(printable("a\tb"))
    a\tb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)

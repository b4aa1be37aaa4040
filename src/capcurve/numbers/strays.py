"""Text where numbers are needed: which cell is no number, how it may be read, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.arguments import arg, spoken

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Bools, Ints

_DIGITS = r"(\d+([.,]\d{3})*([.,]\d*)?|[.,]\d+)"
_NUMBER = re.compile(
    rf"\s*[+-]?({_DIGITS}(e[+-]?\d+)?([\s\u00a0\u202f]*%)?|inf(inity)?|nan)\s*",
    re.ASCII | re.IGNORECASE,
)
# How text that is nearly a number is mostly meant.
_MEANT = {
    rf"[+-]?\s*[$€£¥]\s*[+-]?{_DIGITS}|[+-]?{_DIGITS}\s*[$€£¥]": "take the currency sign off",
    rf"\(\s*[$€£¥]?\s*{_DIGITS}\s*[$€£¥]?\)": "if the brackets are a minus, write -{digits}",
    rf"[\u2010-\u2015\u2212]\s*{_DIGITS}": "its minus is not the sign -: write -{digits}",
    r"[+-]?\d{1,3}([ \u00a0\u202f'’]\d{3})+([.,]\d+)?": "take out what separates thousands",
}


def is_number_as_text(word: str | bytes) -> bool:
    """Tell whether text is a number, under either decimal mark and perhaps in per cent."""
    return isinstance(word, str) and _NUMBER.fullmatch(word) is not None


def text_message(
    values: Array, name: str, missing: Bools | None, advice: str, repeats: Ints | None = None
) -> str:
    """Return what to say of a column with text where numbers are needed."""
    present = np.ones(len(values), np.bool_) if missing is None else ~missing
    rows = np.flatnonzero(present)
    texts = [row for row in rows if isinstance(values[row], str | bytes)]
    strays = [row for row in texts if not is_number_as_text(values[row])]
    if not strays:
        word = values[texts[0]] if texts else ""
        return f"{name} holds numbers as text, such as {word!r}{advice}"
    word = values[strays[0]]
    if len(strays) > len(rows) / 2:
        return f"{name} holds text such as {word!r}{advice}"
    if repeats is None:
        return stray_message(name, word, f" in row {strays[0]}", len(strays), len(rows))
    return stray_message(name, word, "", int(repeats[strays].sum()), int(repeats[rows].sum()))


def stray_message(name: str, word: Any, where: str, strays: int, rows: int) -> str:
    """Say that a column of numbers holds some text, and how that may be meant."""
    meant = f"where it means no value, pass {arg(null_values=[word])}"
    meant += spoken(" for a file, or None in a column")
    digits = re.search(_DIGITS, str(word))
    for pattern, said in _MEANT.items():
        if re.fullmatch(rf"\s*({pattern})\s*", str(word)):
            meant = said.format(digits=digits and digits[0])
    return (
        f"{name} holds {word!r}{where}, which is no number ({strays:,} of {rows:,} rows); {meant}"
    )

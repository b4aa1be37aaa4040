"""Numbers in printed texts, as people and spreadsheets write them."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.studies.audit.printed import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

Mark = Literal[".", ","]

OTHER: dict[Mark, Mark] = {".": ",", ",": "."}
EMPTY_CELLS = {"", "-", "--", "–", "—", ".", "..", "?", "x"}
EMPTY_CELLS |= {"n/a", "na", "n.a.", "nan", "nil", "null"}
EMPTY_CELLS |= {"none", "<na>", "#n/a", "#na", "#div/0!", "#value!", "#ref!", "#num!", "#name?"}
EMPTY_CELLS |= {"#null!", "#nv", "nat"}
# A float is its number to about this part; what was computed with it has lost a little more.
FLOAT_UNIT = Fraction(1, 2**50)
LARGEST_POWER = 300
# People print no more decimals than these; that a float comes so near to fewer is no chance.
MOST_PRINTED = 10
_BODY = {
    mark: re.compile(
        rf"(?P<whole>[0-9]{{1,3}}(?:(?P<by>[ '’{other}])[0-9]{{3}})(?:(?P=by)[0-9]{{3}})*|[0-9]*)"
        rf"(?:[{mark}](?P<rest>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{{1,4}}))?"
    )
    for mark, other in ((".", ","), (",", "."))
}


@dataclass(frozen=True, slots=True)
class UnmarkedNumber:
    """A number before its decimal mark is known: sign, whether in per cent, and the rest."""

    negative: bool
    percent: bool
    body: str
    text: str


def is_missing(value: Any) -> bool:
    """Tell whether a cell holds nothing: empty, NaN, or what people write for it.

    >>> [is_missing(each) for each in (None, float("nan"), "#N/A", " - ", "0", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(value, str):
        return _tidy(value).lower() in EMPTY_CELLS
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def without_footnotes(text: str) -> str:
    """Return text without marks of footnotes: raised or encircled signs, and 1) behind a word.

    >>> without_footnotes("Population¹⁾"), without_footnotes("# Bads 2)"), without_footnotes("24²")
    ('Population', '# Bads', '24')
    """
    raised = ("<super>", "<circle>")
    plain = "".join(c for c in text if not unicodedata.decomposition(c).startswith(raised)).strip()
    if plain.count(")") <= plain.count("("):  # the bracket was opened in the text
        return plain
    return re.sub(r"(?<=[^\W\d_]|\))\s?[0-9]{1,2}\)$", "", plain)


def _tidy(text: str) -> str:
    """Return text without the spaces and signs that only look different."""
    plain = unicodedata.normalize("NFKC", without_footnotes(text)).replace("\u2212", "-").strip()
    plain = re.sub(r"[\u200b\ufeff]", "", plain)
    as_text = re.fullmatch('="(.*)"', plain)  # how spreadsheets are told to leave a text alone
    return as_text[1].strip() if as_text else plain


def taken_apart(text: str) -> UnmarkedNumber | None:
    """Return a number's sign, per cent sign and digits, or None for what is not a number.

    >>> taken_apart("(1,234.5 %)")
    UnmarkedNumber(negative=True, percent=True, body='1,234.5', text='(1,234.5 %)')
    """
    said = _tidy(text)
    negative = False
    if said.startswith("(") and said.endswith(")"):
        negative, said = True, said[1:-1].strip()
    percent = said.endswith("%") or said.startswith("%")
    said = said.strip("%").strip() if percent else said
    if said[:1] in {"-", "+", "–"}:
        negative, said = negative != (said[0] != "+"), said[1:].strip()
    elif said.endswith("-"):
        negative, said = True, said[:-1].strip()
    if not re.match(r"[.,]?[0-9]", said):
        return None
    if not any(pattern.fullmatch(said) for pattern in _BODY.values()):
        return None
    return UnmarkedNumber(negative, percent, said, text.strip())


def decimal_mark(bodies: Iterable[tuple[str, bool]]) -> Mark:
    """Return the decimal mark of numbers, each with whether it counts something.

    1,234 is a count of 1234, and as a ratio 1.234, unless another number tells.

    >>> decimal_mark([("1.234", True), ("28,0", False)]), decimal_mark([("1,234", True)])
    (',', '.')
    """
    told: dict[tuple[bool, Mark], str] = {}
    for body, counts in bodies:
        found = _hint(body, counts=counts)
        if found is not None:
            told.setdefault(found, body)
    for sure in (True, False):
        if (sure, ".") in told and (sure, ",") in told:
            point, comma = told[sure, "."], told[sure, ","]
            raise ValueError(
                f"the decimal mark is a point in {point} and a comma in {comma}; write all "
                f"numbers in one way"
            )
        for mark in OTHER:
            if (sure, mark) in told:
                return mark
    return "."


def _hint(body: str, *, counts: bool) -> tuple[bool, Mark] | None:
    """Return whether a number surely tells its decimal mark, and which it is."""
    used: list[Mark] = [mark for mark in OTHER if mark in body]
    if len(used) == len(OTHER):
        last: Mark = "." if body.rindex(".") > body.rindex(",") else ","
        return True, last
    if not used:
        return None
    mark = used[0]
    if body.count(mark) > 1:
        return True, OTHER[mark]
    before, after = body.split(mark)
    if not re.fullmatch(r"[1-9][0-9]{0,2}", before) or not re.fullmatch(r"[0-9]{3}", after):
        return True, mark
    return False, OTHER[mark] if counts else mark


def cell_of(printed: UnmarkedNumber, mark: Mark) -> Cell | None:
    """Return the number that is printed with this decimal mark, or None if it is none.

    >>> cell_of(taken_apart("1 234,50"), ",")
    Cell(value=Fraction(2469, 2), unit=Fraction(1, 100), text='1 234,50', percent=False)
    """
    found = _BODY[mark].fullmatch(printed.body)
    if found is None or not (found["whole"] or found["rest"]):
        return None
    digits = re.sub("[^0-9]", "", found["whole"]) + (found["rest"] or "")
    power = int(found["power"] or 0)
    if abs(power) + len(digits) > LARGEST_POWER:
        return None
    unit = Fraction(10) ** (power - len(found["rest"] or ""))
    value = int(digits) * unit * (-1 if printed.negative else 1)
    return Cell(*_as_floats_hold(value, unit), printed.text, printed.percent)


def _as_floats_hold(value: Fraction, unit: Fraction) -> tuple[Fraction, Fraction]:
    """Return a number with the digits that a float can tell, where more were printed."""
    # What so many digits print was computed: 0.30000000000000004 is 0.3, and 2/3 is known to about
    # the last digit but one.
    finest = FLOAT_UNIT * max(Fraction(1), abs(value))
    if unit >= min(finest, Fraction(1)):
        return value, unit
    for decimals in range(MOST_PRINTED + 1):
        rounded = round(value, decimals)
        if abs(rounded - value) <= finest:
            return rounded, Fraction(10) ** -decimals
    return value, finest


def cell_in(value: Any, mark: Mark = ".") -> Cell | None:
    """Return the number in a cell, or None: floats by their shortest digits, fractions exactly.

    >>> [cell_in(each).unit for each in (0.5, 28, Fraction(1, 3))]
    [Fraction(1, 10), Fraction(1, 1), Fraction(0, 1)]
    >>> cell_in(0.1 + 0.2).value
    Fraction(3, 10)
    """
    if isinstance(value, Fraction):
        return Cell(value, Fraction(0), str(value))
    if not isinstance(value, str):
        number = isinstance(value, int | np.integer | float | np.floating | Decimal)
        # A large integer has no float.
        finite = isinstance(value, int) or (number and math.isfinite(value))
        if isinstance(value, bool) or not finite:
            return None
        # The shortest digits of 28.0 are 28, and a large whole number is no rounded one.
        whole = isinstance(value, float | np.floating) and float(value).is_integer()
        value, mark = str(int(value) if whole else value), "."
    printed = taken_apart(value)
    return None if printed is None else cell_of(printed, mark)

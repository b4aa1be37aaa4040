"""How numbers, scores and names are written, wherever they are shown."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import date, datetime, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Form = Literal[
    "text",
    "name",
    "score",
    "coordinate",
    "plain",
    "count",
    "share",
    "ratio",
    "fine",
    "tenths",
    "lift",
    "signed",
    "signed lift",
    "points",
    "quantity",
    "p",
    "statistic",
]
MISSING = "-"
# Enough decimals for the percents of the largest share below 1.
MOST_DECIMALS = 16
# Floats from here on are written with an exponent.
LARGEST_PLAIN = 1e16
SMALLEST_P = 0.001
# What the last digits of a float may add or lack.
SLACK = 1e-9
SMALL_SUM = 100
# From here on sums of amounts are whole.
LARGE_SUM = 100_000
SMALL_STATISTIC = 0.1
MANY_DIGITS = 10**12
# Cut-offs of more digits are shown with as few as select the same cases.
CUTOFF_DIGITS = 6
# Enough for any float, which has no more decimals than that.
WIDE_CONTEXT = Context(prec=400)
MOST_PLACES = 340
LONGEST_NAME = 48
# Of a name below an axis, line by line.
LONGEST_TICK = 24
NO_SEGMENT = "(none)"
# Behind a change of a share.
POINTS = " pp"
# Numbers that people read have the true minus sign; cut-offs, which may be typed back, the hyphen.
MINUS = "\N{MINUS SIGN}"

# Neither fonts, nor HTML, nor the XML of pictures can hold these, not even escaped.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Lowest(float):
    """The least that a number can be: rounded down wherever it is shown, so that this holds.

    >>> number(0.4428), number(Lowest(0.4428)), percent(Lowest(0.4428))
    ('0.443', '0.442', '44.2%')
    """

    __slots__ = ()


class Highest(float):
    """The most that a number can be: rounded up wherever it is shown, so that this holds.

    >>> number(0.5541), number(Highest(0.5541)), percent(Highest(0.5541))
    ('0.554', '0.555', '55.5%')
    """

    __slots__ = ()


def certain(low: float, high: float) -> tuple[float, float]:
    """Return the ends of the range in which a number must lie; a single number is no range."""
    return (Lowest(low), Highest(high)) if low < high else (low, high)


def _kept(value: float, decimals: int) -> float:
    """Return a certain end moved outward to the decimals it is shown with, all else as it is."""
    scale = 10.0**decimals
    if isinstance(value, Lowest):
        return math.floor(value * scale + SLACK) / scale
    return math.ceil(value * scale - SLACK) / scale if isinstance(value, Highest) else float(value)


class Worded(float):
    """A number with a text of its own, for columns that hold shares and ratios."""

    text: str

    def __new__(cls, value: float, text: str) -> Self:
        """Return a number that reads as a text."""
        worded = super().__new__(cls, value)
        worded.text = text
        return worded

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # of a float one
        """Return what copies and pickles are made from."""
        return float(self), self.text


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in percent to one decimal; to more where that would read 0% or 100%.

    >>> percent(0.4), percent(2 / 3), percent(0.00021), percent(0.99999)
    ('40.0%', '66.7%', '0.02%', '99.999%')
    """
    for digits in range(decimals, MOST_DECIMALS):
        kept = _kept(share, digits + 2)
        # Near 1 the product with 100 would be 100, and below 1/2 it has the digits people expect.
        value = Decimal(100 * kept) if abs(kept) < 1 / 2 else 100 * Decimal(kept)
        text = f"{value:.{digits}f}"
        if float(share) in {0, 1} or Decimal(text) not in {0, 100}:
            return f"{true_minus(text)}%"
    return f"{true_minus(f'{value:.2g}')}%"


def stated_percent(share: float) -> str:
    """Return a share that somebody stated, a depth or a confidence level, without noughts.

    >>> stated_percent(0.1), stated_percent(0.975), stated_percent(0.00021)
    ('10%', '97.5%', '0.02%')
    """
    text = percent(share)
    return text if "e" in text else f"{text.removesuffix('%').rstrip('0').rstrip('.')}%"


def number(value: float, decimals: int = 3) -> str:
    """Return a ratio: the accuracy ratio, AUC and KS with three decimals, lift with two.

    Without decimals it is money, with its thousands apart.

    >>> number(-1 / 3), number(2.5, 2), number(-1e-9), number(12345.6, 0)
    ('−0.333', '2.50', '0.000', '12,346')
    """
    text = f"{_kept(value, decimals):{'' if decimals else ','}.{decimals}f}"
    return true_minus(text) if text.strip("-0.") else text.removeprefix("-")


def true_minus(text: str) -> str:
    """Return a written number with the minus sign that people read.

    >>> true_minus("-1e-10"), true_minus("0.5")
    ('−1e-10', '0.5')
    """
    return f"{MINUS}{text[1:]}" if text.startswith("-") else text


def outward(low: float, high: float, decimals: int = 3) -> tuple[str, str]:
    """Return the ends of the range in which a number must lie, as text that holds it.

    >>> outward(0.37713, 0.57391), outward(0.37713, 0.37713)
    (('0.377', '0.574'), ('0.377', '0.377'))
    """
    first, last = (number(end, decimals) for end in certain(low, high))
    return first, last


def signed(value: float, decimals: int = 3) -> str:
    """Return a part of a change with its sign and three decimals.

    >>> signed(0.0384), signed(-0.0041), signed(-1e-9)
    ('+0.038', '−0.004', '0.000')
    """
    text = number(value, decimals)
    return text if text.startswith(MINUS) or not text.strip("0.") else f"+{text}"


def points(change: float) -> str:
    """Return a change of a share with its sign, in percentage points.

    >>> points(0.0312), points(-0.018)
    ('+3.1 pp', '−1.8 pp')
    """
    return f"{signed(100 * change, 1)}{POINTS}"


def amount(value: float) -> str:
    """Return a number of cases, or their weight: from 1 on four digits say enough.

    >>> amount(12345), amount(28.8209), amount(1234567.891), amount(1e300)
    ('12,345', '28.82', '1,234,567.9', '1e+300')
    """
    if isinstance(value, float) and not value.is_integer():
        size = abs(value)
        if size >= 1000:  # noqa: PLR2004 - from here on one decimal is enough
            return true_minus(f"{value:,.1f}".removesuffix(".0"))
        return true_minus(f"{value:.4g}" if size >= 1 else f"{value:.6g}")
    plain = isinstance(value, int) or abs(value) < LARGEST_PLAIN
    return true_minus(f"{int(value):,}" if plain else f"{value:,}")


def counted(value: float, noun: str) -> str:
    """Return a number of cases with its noun, in the plural unless it is one.

    >>> counted(1, "row"), counted(9857, "case")
    ('1 row', '9,857 cases')
    """
    return f"{amount(value)} {noun}" + ("" if value == 1 else "s")


def money(value: float) -> str:
    """Return a sum of money: small ones with two decimals, unless they are whole.

    >>> money(14.0), money(2.5), money(1234.5)
    ('14', '2.50', '1,234')
    """
    decimals = 0 if abs(value) >= SMALL_SUM or float(value).is_integer() else 2
    return true_minus(f"{value:,.{decimals}f}")


def quantity(value: float) -> str:
    """Return a sum or mean of amounts or exposures: four digits, and all before the point.

    >>> quantity(4638402.6), quantity(62724.71), quantity(862.175), quantity(81.8351)
    ('4,638,403', '62,724.7', '862.2', '81.84')
    >>> quantity(0.65429), quantity(455.0)
    ('0.6543', '455')
    """
    size = abs(float(value))
    if float(value).is_integer() or not 1 <= size < LARGEST_PLAIN:
        return amount(value) if size >= 1 or not value else true_minus(f"{value:.4g}")
    decimals = 0 if size >= LARGE_SUM else 1 if size >= SMALL_SUM else 2
    return true_minus(f"{value:,.{decimals}f}")


def chance_text(p_value: float, bound: float | None = None) -> str:
    """Return a p-value, with three decimals; more where it would read as the bound it is held to.

    >>> chance_text(0.31), chance_text(0.0312), chance_text(1e-9), chance_text(1.0)
    ('p = 0.310', 'p = 0.031', 'p < 0.001', 'p = 1.000')
    >>> chance_text(0.0497), chance_text(0.0497, 0.05)
    ('p = 0.050', 'p = 0.0497')
    """
    if p_value < SMALLEST_P:
        small = bound is not None and bound < SMALLEST_P
        return f"p = {p_value:.2g}" if small else "p < 0.001"
    return f"p = {f'{p_value:.3f}' if bound is None else told_apart(p_value, bound)}"


def bare_chance(p_value: float, bound: float | None = None) -> str:
    """Return a p-value as it stands below a heading that says so.

    >>> bare_chance(0.31), bare_chance(1e-9)
    ('0.310', '< 0.001')
    """
    return chance_text(p_value, bound).removeprefix("p ").removeprefix("= ")


def told_apart(
    value: float, bound: float, decimals: int = 3, write: Callable[[float, int], str] = number
) -> str:
    """Return a number with more decimals where it would read as a bound that it is not.

    >>> told_apart(0.0001, 0), told_apart(0.04996, 0.05), told_apart(0.3, 0.05)
    ('0.0001', '0.04996', '0.300')
    """
    most = decimals if value == bound else MOST_DECIMALS
    while decimals < most and number(value, decimals) == number(bound, decimals):
        decimals += 1
    return write(value, decimals)


def plain_text(value: object) -> str:
    """Return one value as a person reads it: whole numbers whole, others to 4 digits.

    >>> plain_text(9857), plain_text(0.0312345), plain_text(2.5), plain_text(float("inf"))
    ('9857', '0.03123', '2.5', 'inf')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004 - exact in a float
        return true_minus(str(int(value)))
    return true_minus(f"{value:.4g}" if isinstance(value, float) else str(value))


def statistic(value: float) -> str:
    """Return a test statistic with two decimals; a small one with two digits.

    >>> statistic(12.345), statistic(-0.5), statistic(0.00123), statistic(0)
    ('12.35', '−0.50', '0.0012', '0.00')
    """
    small = 0 < abs(value) < SMALL_STATISTIC
    return true_minus(f"{value:.2g}") if small else number(value, 2)


def cutoff_text(value: object) -> str:
    """Return a score or grade as text that selects the same cases when it is typed back.

    A number is the shortest decimal that is read back as the same value of its type, whole ones
    without a decimal point; a date or moment its ISO form; all else its `str`.

    >>> cutoff_text(0.12346), cutoff_text(600.0), cutoff_text(2**60 + 1), cutoff_text("BB+")
    ('0.12346', '600', '1152921504606846977', 'BB+')
    >>> import numpy as np
    >>> cutoff_text(np.float32(0.1))
    '0.1'
    """
    if isinstance(value, Worded):
        return value.text
    if isinstance(value, np.floating):
        return str(value).removesuffix(".0")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime) and value.time() == time() and value.tzinfo is None:
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def _signed_text(score: str) -> str:
    """Return a number below 0 with a minus, which commands read as they read a hyphen."""
    return f"−{score[1:]}" if score[:1] == "-" and score[1:2].isdigit() else score


def shortest_cutoff(score: float, following: float | None, *, falls: bool) -> str:
    """Return the shortest decimal from a score to short of the following one, as a cut-off.

    Whatever lies between the two selects the same cases. `falls` says that the following score is
    the lower one; None that there is no other. A score of few digits stays as it is.

    >>> shortest_cutoff(0.9000000002184081, 0.8999990001151286, falls=True)
    '0.9'
    >>> shortest_cutoff(0.1234561, 0.1234569, falls=False), shortest_cutoff(0.12, 0.05, falls=True)
    ('0.1234561', '0.12')
    """
    full = cutoff_text(score)
    if not math.isfinite(score) or score.is_integer():
        return full
    digits = Decimal(full)
    if len(digits.as_tuple().digits) <= CUTOFF_DIGITS:
        return full
    first = max(-digits.adjusted(), 0)  # where 0 would say too little
    rounding = ROUND_FLOOR if falls else ROUND_CEILING
    for places in range(first, MOST_PLACES):
        kept = Decimal(score).quantize(Decimal(1).scaleb(-places), rounding, WIDE_CONTEXT)
        near = float(kept) + 0.0
        between = near <= score if falls else near >= score
        short = following is None or (near > following if falls else near < following)
        if between and short:
            return min(cutoff_text(near), full, key=len)
    return full


def cut_off(threshold: object, higher_is: str, *, graded: bool, name: str | None = None) -> str:
    """Return which cases a cut-off selects, as one may type it; None selects nobody.

    >>> cut_off(0.12, "positive", graded=False, name="pd"), cut_off("BB", "positive", graded=True)
    ('pd ≥ 0.12', 'down to BB')
    """
    if threshold is None:
        return "nobody selected"
    if graded:
        return f"down to {cutoff_text(threshold)}"
    text = written("score", threshold)
    return f"{name or 'score'} {'≥' if higher_is == 'positive' else '≤'} {text}"


def tick_text(score: object) -> str:
    """Return a score along an axis, to six digits; whole numbers of up to twelve in full.

    >>> tick_text(-0.12345678), tick_text(600), tick_text(float("inf"))
    ('−0.123457', '600', '∞')
    """
    many = isinstance(score, int) and abs(score) >= MANY_DIGITS
    text = f"{score:.6g}" if many else str(score)
    if isinstance(score, float):
        text = cutoff_text(float(f"{score:.6g}"))
    return text.replace("-", MINUS).replace("inf", "∞")


def tick(kind: str, value: float) -> str:
    """Return a number along an axis of one of the kinds that charts have.

    >>> tick("percent", 0.25), tick("amount", 12000), tick("money", -2.5), tick("number", 2.0)
    ('25%', '12,000', '−2.5', '2')
    >>> tick("points", -0.1), tick("rank", -3)
    ('−10 pp', '3')
    """
    if kind == "rank":  # the first one is on top
        return tick_text(-value)
    if kind in {"percent", "share", "points"}:
        return f"{tick_text(100 * value)}{POINTS if kind == 'points' else '%'}"
    if kind in {"amount", "money"}:
        return f"{value:,.{'0f' if kind == 'amount' else '10g'}}".replace("-", MINUS)
    return tick_text(float(value))


FORMS: dict[Form, Callable[[Any], str]] = {
    "text": str,
    "name": cutoff_text,
    "score": lambda value: _signed_text(cutoff_text(value)),
    "coordinate": lambda value: true_minus(f"{value:.6g}"),
    "plain": plain_text,
    "count": amount,
    "share": percent,
    "ratio": number,
    "fine": partial(number, decimals=4),
    "tenths": partial(number, decimals=1),
    "lift": partial(number, decimals=2),
    "signed": signed,
    "signed lift": partial(signed, decimals=2),
    "points": points,
    "quantity": quantity,
    "p": bare_chance,
    "statistic": statistic,
}


def written(form: Form, value: object) -> str:
    """Return a value as numbers of a form are written; what is no number stays as it is.

    >>> written("share", 0.0312), written("share", "all")
    ('3.1%', 'all')
    """
    if isinstance(value, Worded):
        return _signed_text(value.text) if form == "score" else value.text
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float) or isinstance(value, bool):
        return cutoff_text(value)
    return FORMS[form](value)


def limits(form: Form, low: float | None, high: float | None) -> str:
    """Return the limits of a number in brackets; nothing where there are none.

    >>> limits("share", 0.095, 0.905), limits("share", None, None)
    ('[9.5%, 90.5%]', '')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    first, last = (written(form, end).removesuffix(POINTS) for end in (low, high))
    return f"[{first}, {last}]"


def writable(words: str) -> str:
    r"""Return text without what no document or picture can hold.

    >>> writable("a\x00b") == "a\ufffdb"
    True
    """
    return _UNWRITABLE.sub("\ufffd", words)


def printable(text: str) -> str:
    r"""Return text without characters that would act on a screen.

    >>> print(printable("a\tb"))
    a\tb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def capitalised(text: str) -> str:
    """Return text with a capital first letter, the rest as it is."""
    # nDCG keeps its own capitals.
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]


def shortened(text: str, most: int = LONGEST_NAME) -> str:
    """Return text cut in the middle when it is longer than there is room for.

    >>> shortened("probability_of_default", 9)
    'prob…ault'
    """
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[half + 1 - most :]}"


def cut_lines(names: Iterable[str]) -> list[str]:
    r"""Return names with each of their lines cut to what there is room for below an axis.

    >>> cut_lines(["probability_of_default_of_a_loan\nB"])
    ['probability_…t_of_a_loan\nB']
    """
    return ["\n".join(shortened(line, LONGEST_TICK) for line in name.split("\n")) for name in names]


def plain_names(names: Sequence[object], longest: int = LONGEST_NAME) -> list[str]:
    r"""Return names as a picture shows them: on one line, not too long, distinct.

    >>> plain_names(["a\nb", "a\x00b", None, "a b"])
    ['a b #1', 'a\ufffdb', '(missing)', 'a b #2']
    """
    short = [shortened(_on_one_line(name), longest) for name in names]
    often, seen = Counter(short), Counter[str]()
    shown = []
    for name in short:
        seen[name] += 1
        shown.append(f"{name} #{seen[name]}" if often[name] > 1 else name)
    return shown


def listed(names: Iterable[str], most: int) -> str:
    """Return names with commas between them; of many the first, and how many more there are.

    >>> listed(["A", "B"], 2), listed(["A", "B", "C", "D"], 2)
    ('A, B', 'A, B and 2 more')
    """
    every = list(names)
    left = len(every) - most
    return ", ".join(every[:most]) + (f" and {left} more" if left > 0 else "")


def first_of(names: Iterable[str], most: int) -> str:
    """Return names with commas between them; of many the first ones.

    >>> first_of(["A", "B"], 2), first_of(["A", "B", "C"], 2)
    ('A, B', 'A, B, ...')
    """
    every = list(names)
    return ", ".join(every[:most]) + (", ..." if len(every) > most else "")


# Of more names than these so many are said.
MOST_JOINED, FEW_JOINED = 30, 3


def joined(names: Iterable[str]) -> str:
    """Return names with commas between them, and the last behind an "and".

    >>> joined(["A"]), joined(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    *others, last = names
    if len(others) >= MOST_JOINED:
        left = len(others) + 1 - FEW_JOINED
        others, last = others[:FEW_JOINED], f"{left} others"
    return f"{', '.join(others)} and {last}" if others else last


def _on_one_line(name: object) -> str:
    if name is None:
        return "(missing)"
    return " ".join(writable(str(name)).split()) or "(empty)"

"""What each kind of column says of the positives, once the cases in each bin are known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from capcurve.audit.chain import Limits

if TYPE_CHECKING:
    from capcurve.audit.bins import Amount, Bins
    from capcurve.audit.printed import Quantity
    from capcurve.audit.windows import Window, Windowed

STEPS = frozenset(
    {"positives", "negatives", "share_of_positives", "share_of_negatives", "rate", "lift"}
)
# Columns whose limits do not move with the number of positives.
FREE_OF_TOTAL = frozenset(
    {"positives", "negatives", "cum_positives", "cum_negatives", "rate", "cum_rate"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number stands: cases in its bin and down to its end, and the totals."""

    size: Amount
    running: Amount
    n: Amount
    n1: Amount

    @property
    def n0(self) -> Amount:
        """All negatives."""
        return self.n - self.n1


@dataclass(frozen=True, slots=True)
class Linear:
    """How positives follow from a printed number: (factor·number + offset)/divisor."""

    factor: Amount
    offset: Amount
    divisor: Amount = 1


def linear(quantity: Quantity, at: Place) -> Linear:
    """Return how positives, of the bin or down to its end, follow from a number in a column.

    >>> linear("lift", Place(size=10, running=30, n=100, n1=20))
    Linear(factor=200, offset=0, divisor=100)
    """
    cases = at.size if quantity in STEPS else at.running
    match quantity:
        case "positives" | "cum_positives":
            return Linear(1, 0)
        case "negatives" | "cum_negatives":
            return Linear(-1, cases)
        case "share_of_positives" | "captured":
            return Linear(at.n1, 0)
        case "share_of_negatives" | "fpr":
            return Linear(-at.n0, cases)
        case "rate" | "cum_rate":
            return Linear(cases, 0)
        case "lift" | "cum_lift":
            return Linear(cases * at.n1, 0, at.n)
        case _:  # ks
            return Linear(at.n1 * at.n0, cases * at.n1, at.n)


def ends(rule: Linear, window: Window, *, whole: bool) -> tuple[Amount, Amount]:
    """Return from where to where the positives lie, cut to whole numbers if they are."""
    first, last = (window.high, window.low) if _falls(rule) else (window.low, window.high)
    return _end(rule, first, whole=whole, up=True), _end(rule, last, whole=whole, up=False)


def _falls(rule: Linear) -> bool:
    factor: Any = rule.factor
    return bool((factor < 0).all()) if hasattr(factor, "all") else bool(factor < 0)


def _end(rule: Linear, number: Fraction, *, whole: bool, up: bool) -> Amount:
    part = number.numerator * rule.factor + number.denominator * rule.offset
    divisor = number.denominator * rule.divisor
    if not whole:
        return part / Fraction(divisor)
    return -(-part // divisor) if up else part // divisor


def limits(column: Windowed, places: tuple[Place, ...], *, whole: bool) -> Limits:
    """Return what a column says of the positives."""
    low: list[Amount | None] = []
    high: list[Amount | None] = []
    for printed, at in zip(column.windows, places, strict=True):
        found: tuple[Amount | None, Amount | None] = (None, None)
        if printed is not None:
            window = either_sign(printed) if column.quantity == "ks_absolute" else printed
            found = ends(linear(column.quantity, at), window, whole=whole)
        low.append(found[0])
        high.append(found[1])
    return Limits(column.quantity in STEPS, tuple(low), tuple(high))


def either_sign(window: Window) -> Window:
    """Return where a gap lies that was printed without its sign."""
    return window._replace(low=-window.high)


def number_of(quantity: Quantity, positives: Amount, negatives: Amount, of: Bins) -> Fraction:
    """Return what a column reads of a bin, or of all down to its end, with such cases.

    >>> from capcurve.audit.bins import Bins
    >>> number_of("rate", 2, 6, Bins((2, 3), (6, 9)))
    Fraction(1, 4)
    """
    cases = positives + negatives
    kind = quantity.removeprefix("cum_")
    if kind in {"n", "positives", "negatives"}:
        return Fraction({"n": cases, "positives": positives, "negatives": negatives}[kind])
    if kind in {"share_of_cases", "selected"}:
        return Fraction(cases, of.n)
    if kind in {"share_of_negatives", "fpr"}:
        return Fraction(negatives, of.n0)
    if kind == "rate":
        return Fraction(positives, cases or 1)
    if kind == "lift":
        return Fraction(positives * of.n, (cases or 1) * of.n1)
    captured = Fraction(positives, of.n1)
    if kind in {"share_of_positives", "captured"}:
        return captured
    gap = captured - Fraction(negatives, of.n0)
    return gap if kind == "ks" else abs(gap)

"""What columns say of the positives, and the least and the greatest table inside such limits.

Running positives rise from bin to bin by at least 0 and at most the cases of the bin. Windows on
them, or on the positives of one bin, are difference constraints along a chain: one pass down and
one up find the least and the greatest solution, or prove that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from capcurve.studies.audit.bins import Bins, OneOrMany, least, most

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capcurve.studies.audit.printed import Quantity, Window, Windowed

STEPS = frozenset(
    {
        *("positives", "negatives", "share_of_positives", "share_of_negatives"),
        *("rate", "negative_rate", "lift"),
    }
)
NEGATIVE_RATES = frozenset({"negative_rate", "cum_negative_rate"})
# Numbers of positives or negatives over numbers of cases.
RATIOS = NEGATIVE_RATES | {"rate", "cum_rate", "lift", "cum_lift"}
# Columns whose limits do not move with the number of positives.
FREE_OF_TOTAL = frozenset(
    {
        *("positives", "negatives", "cum_positives", "cum_negatives"),
        *("rate", "cum_rate", "negative_rate", "cum_negative_rate"),
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number stands: cases in its bin and down to its end, and the totals."""

    size: OneOrMany
    running: OneOrMany
    n: OneOrMany
    n1: OneOrMany

    @property
    def n0(self) -> OneOrMany:
        """All negatives."""
        return self.n - self.n1

    def cases_of(self, quantity: Quantity) -> OneOrMany:
        """Return the cases of which a column tells something here."""
        return self.size if quantity in STEPS else self.running

    @property
    def below(self) -> Place:
        """The place seen from the last bin up: all cases of its bin and of those below it."""
        return replace(self, running=self.n - self.running + self.size)


@dataclass(frozen=True, slots=True)
class LinearRule:
    """How positives follow from a printed number: (factor·number + offset)/divisor."""

    factor: OneOrMany
    offset: OneOrMany
    divisor: OneOrMany = 1


def linear(quantity: Quantity, at: Place) -> LinearRule:
    """Return how positives, of the bin or down to its end, follow from a number in a column.

    >>> linear("lift", Place(size=10, running=30, n=100, n1=20))
    LinearRule(factor=200, offset=0, divisor=100)
    """
    cases = at.cases_of(quantity)
    match quantity:
        case "positives" | "cum_positives":
            return LinearRule(1, 0)
        case "negatives" | "cum_negatives":
            return LinearRule(-1, cases)
        case "share_of_positives" | "captured":
            return LinearRule(at.n1, 0)
        case "share_of_negatives" | "fpr":
            return LinearRule(-at.n0, cases)
        case "rate" | "cum_rate":
            return LinearRule(cases, 0)
        case "negative_rate" | "cum_negative_rate":
            return LinearRule(-cases, cases)
        case "lift" | "cum_lift":
            return LinearRule(cases * at.n1, 0, at.n)
        case _:  # ks
            return LinearRule(at.n1 * at.n0, cases * at.n1, at.n)


def ends(rule: LinearRule, window: Window, *, whole: bool) -> tuple[OneOrMany, OneOrMany]:
    """Return from where to where the positives lie, cut to whole numbers if they are."""
    falls: Any = rule.factor < 0
    falls = falls.all() if hasattr(falls, "all") else falls
    first, last = (window.high, window.low) if falls else (window.low, window.high)
    return _end(rule, first, whole=whole, up=True), _end(rule, last, whole=whole, up=False)


def _end(rule: LinearRule, number: Fraction, *, whole: bool, up: bool) -> OneOrMany:
    part = number.numerator * rule.factor + number.denominator * rule.offset
    divisor = number.denominator * rule.divisor
    if not whole:
        return part / Fraction(divisor)
    return -(-part // divisor) if up else part // divisor


class Bound(NamedTuple):
    """From where to where one printed number lets the positives lie."""

    cell: tuple[int, int]  # the number of its column, and of the bin beside which it stands
    place: int  # the bin of whose positives it tells, or down to whose end
    step: bool  # whether it tells of the positives of the bin alone, not of running positives
    low: OneOrMany
    high: OneOrMany


def bounds_of(
    number: int, column: Windowed, places: tuple[Place, ...], *, whole: bool
) -> Iterator[Bound]:
    """Yield what a column, the one of this number, says of the positives."""
    for b, (printed, at) in enumerate(zip(column.windows, places, strict=True)):
        if printed is None:
            continue
        window = printed
        if column.quantity == "ks_absolute":  # a gap that was printed without its sign
            window = printed._replace(low=-printed.high)
        seen = at.below if column.from_below else at
        low, high = ends(linear(column.quantity, seen), window, whole=whole)
        if not may_stand(column.quantity, window, seen.cases_of(column.quantity)):
            low, high = 1, 0
        level = column.level(b)
        if level < b:  # what stands above is the rest
            low, high = at.n1 - high, at.n1 - low
        yield Bound((number, b), level, column.quantity in STEPS, low, high)


def may_stand(quantity: Quantity, window: Window, cases: OneOrMany) -> bool:
    """Tell whether a number can stand beside so many cases: of none, a ratio is 0."""
    if cases or quantity not in RATIOS:
        return True
    # A rate of negatives may then be 1, too, less a rate of positives of 0.
    customary = (0, 1) if quantity in NEGATIVE_RATES else (0,)
    return any(window.low <= number <= window.high for number in customary)


def number_of(quantity: Quantity, positives: OneOrMany, negatives: OneOrMany, of: Bins) -> Fraction:
    """Return what a column reads of a bin, or of all down to its end, with such cases.

    >>> from capcurve.studies.audit.bins import Bins
    >>> number_of("rate", 2, 6, Bins((2, 3), (6, 9)))
    Fraction(1, 4)
    """
    cases = positives + negatives
    rule = linear(quantity, Place(cases, cases, of.n, of.n1))
    number = Fraction(rule.divisor * positives - rule.offset, rule.factor or 1)
    return abs(number) if quantity == "ks_absolute" else number


@dataclass(frozen=True, slots=True)
class ColumnLimits:
    """From where to where running numbers lie, and the numbers of each bin; all one per bin."""

    low: tuple[OneOrMany, ...]
    high: tuple[OneOrMany, ...]
    step_low: tuple[OneOrMany, ...]
    step_high: tuple[OneOrMany, ...]
    fits: Any = True  # whether any numbers lie there; an array where totals are many

    @classmethod
    def of(
        cls,
        sizes: tuple[OneOrMany, ...],
        totals: tuple[OneOrMany, OneOrMany],
        bounds: Iterable[Bound],
    ) -> ColumnLimits:
        """Return what bounds leave of running numbers whose last lies between two totals."""
        nothing = 0 * totals[0]
        steps = [[nothing] * len(sizes), [nothing + size for size in sizes]]
        levels = [[nothing] * len(sizes), [totals[1]] * len(sizes)]
        levels[0][-1] = totals[0]
        for _, place, step, low, high in bounds:
            lows, highs = steps if step else levels
            lows[place], highs[place] = most(lows[place], low), least(highs[place], high)
        fits: Any = True
        for lows, highs in (steps, levels):
            for low, high in zip(lows, highs, strict=True):
                fits = fits & (low <= high)
        return cls(tuple(levels[0]), tuple(levels[1]), tuple(steps[0]), tuple(steps[1]), fits)


def extremes(
    sizes: tuple[OneOrMany, ...], totals: tuple[OneOrMany, OneOrMany], bounds: Iterable[Bound]
) -> ColumnLimits:
    """Return the least and greatest running numbers whose last lies between two totals.

    Each is reached by a table that has all others at their ends too. `sizes` are the most that each
    bin can hold. Totals may be arrays: then many at once.

    >>> found = extremes((3, 3), (3, 3), [Bound((0, 0), place=0, step=False, low=2, high=2)])
    >>> found.fits, found.low, found.high
    (True, (2, 3), (2, 3))
    """
    said = ColumnLimits.of(sizes, totals, bounds)
    low, high, fits = list(said.low), list(said.high), said.fits
    below = above = 0 * totals[0]
    for b in range(len(sizes)):
        below = low[b] = most(low[b], below + said.step_low[b])
        above = high[b] = least(high[b], above + said.step_high[b])
    for b in range(len(sizes) - 1, 0, -1):
        low[b - 1] = most(low[b - 1], low[b] - said.step_high[b])
        high[b - 1] = least(high[b - 1], high[b] - said.step_low[b])
    for b in range(len(sizes)):
        fits = fits & (low[b] <= high[b])
    fits = fits & (low[0] - said.step_high[0] <= 0) & (high[0] - said.step_low[0] >= 0)
    return replace(said, low=tuple(low), high=tuple(high), fits=fits)

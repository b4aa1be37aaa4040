"""What columns say of the positives and negatives, and the corners that such limits leave.

Running positives and negatives rise from bin to bin; windows on them, on those of one bin and on
their sum are difference constraints between P and -M. Shortest paths (Bellman and Ford) end in the
table with the fewest positives and the most negatives at each bin's end, or prove that there is
none; where the cases of each bin are known, the constraints are a chain, and one pass down and one
up find it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from capcurve.studies.audit.bins import Bins, ByBin, EndsByBin, OneOrMany, is_many, least, most
from capcurve.studies.audit.printed import COUNTED, DOWN, OfNegatives, OfPositives, OfRates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capcurve.studies.audit.printed import Quantity, Window, Windowed

TELL_OF_POSITIVES = frozenset(get_args(OfPositives))
TELL_OF_NEGATIVES = frozenset(get_args(OfNegatives))
OF_ONE_BIN = frozenset(DOWN) - {"n", "share_of_cases"}
NEGATIVE_RATES = frozenset({"negative_rate", "cum_negative_rate"})
# Numbers of positives or negatives over numbers of cases.
RATIOS_OF_CASES = NEGATIVE_RATES | {"rate", "cum_rate", "lift", "cum_lift"}
# Columns whose limits do not move with the number of positives.
FREE_OF_TOTAL = COUNTED - {"n", "cum_n"} | frozenset(get_args(OfRates))


@dataclass(frozen=True, slots=True)
class LinearRule:
    """How the cases of a class follow from a printed number: (factor·number + offset)/divisor."""

    factor: OneOrMany
    offset: OneOrMany
    divisor: OneOrMany = 1

    def at(self, window: Window, *, highest: bool, whole: bool) -> OneOrMany:
        """Return the fewest or the most cases, cut to a whole number if they are."""
        falls: Any = self.factor < 0
        falls = falls.all() if is_many(falls) else falls
        number = window.high if highest != falls else window.low
        part = number.numerator * self.factor + number.denominator * self.offset
        divisor = number.denominator * self.divisor
        if not whole:
            return part / Fraction(divisor)
        return part // divisor if highest else -(-part // divisor)

    def of_the_rest(self, cases: OneOrMany) -> LinearRule:
        """Return how the others of so many cases follow from the number."""
        return LinearRule(-self.factor, cases * self.divisor - self.offset, self.divisor)


def linear(quantity: Quantity, cases: OneOrMany, n: OneOrMany, n1: OneOrMany) -> LinearRule:
    """Return how the class that a column tells of follows from a number among so many cases.

    >>> linear("lift", 10, n=100, n1=20)
    LinearRule(factor=200, offset=0, divisor=100)
    """
    if quantity in TELL_OF_POSITIVES | TELL_OF_NEGATIVES:
        share = quantity not in FREE_OF_TOTAL
        return LinearRule((n1 if quantity in TELL_OF_POSITIVES else n - n1) if share else 1, 0)
    if quantity in NEGATIVE_RATES:
        return LinearRule(-cases, cases)
    if quantity in {"rate", "cum_rate"}:
        return LinearRule(cases, 0)
    if quantity in {"lift", "cum_lift"}:
        return LinearRule(cases * n1, 0, n)
    return LinearRule(n1 * (n - n1), cases * n1, n)  # ks


class Bound(NamedTuple):
    """From where to where one printed number lets the cases of a class lie."""

    cell: tuple[int, int]  # the number of its column, and of the bin beside which it stands
    of: int  # 0 for positives, 1 for negatives
    place: int  # the bin of whose cases it tells, or down to whose end
    step: bool  # whether it tells of the cases of the bin alone, not of running ones
    low: OneOrMany
    high: OneOrMany


def bounds_of(
    number: int,
    column: Windowed,
    cases: Sequence[tuple[OneOrMany, OneOrMany]],
    totals: tuple[OneOrMany, OneOrMany],
    *,
    whole: bool,
) -> Iterator[Bound]:
    """Yield what a column, the one of this number, says of the classes."""
    # `cases` are, for each of its numbers, from where to where the cases lie that it tells of.
    quantity, (n, n1) = column.quantity, totals
    for b, (printed, (few, many)) in enumerate(zip(column.windows, cases, strict=True)):
        if printed is None:
            continue
        # A gap that was printed without its sign may lie on either side.
        window = printed._replace(low=-printed.high) if quantity == "ks_absolute" else printed
        rules = linear(quantity, few, n, n1), linear(quantity, many, n, n1)
        own = [(int(quantity in TELL_OF_NEGATIVES), *rules)]
        if quantity in RATIOS_OF_CASES and few != many:  # the others of the cases are negatives
            own.append((1, rules[0].of_the_rest(few), rules[1].of_the_rest(many)))
        level, stands = column.level(b), may_stand(quantity, window, many)
        for of, fewest, most_ in own:
            low = fewest.at(window, highest=False, whole=whole) if stands else 1
            high = most_.at(window, highest=True, whole=whole) if stands else 0
            if level < b:  # what stands above is the rest
                total = n - n1 if of else n1
                low, high = total - high, total - low
            yield Bound((number, b), of, level, quantity in OF_ONE_BIN, low, high)


def may_stand(quantity: Quantity, window: Window, cases: OneOrMany) -> bool:
    """Tell whether a number can stand beside so many cases: of none, a ratio is 0."""
    if cases or quantity not in RATIOS_OF_CASES:
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
    rule = linear(quantity, positives + negatives, of.n, of.n1)
    told = negatives if quantity in TELL_OF_NEGATIVES else positives
    number = Fraction(rule.divisor * told - rule.offset, rule.factor or 1)
    return abs(number) if quantity == "ks_absolute" else number


@dataclass(frozen=True, slots=True)
class ColumnLimits:
    """From where to where running cases of a class lie, and those of each bin; all one per bin."""

    low: ByBin
    high: ByBin
    step_low: ByBin
    step_high: ByBin
    fits: Any = True  # whether any numbers lie there; an array where totals are many

    @classmethod
    def of(
        cls, sizes: ByBin, totals: tuple[OneOrMany, OneOrMany], bounds: Iterable[Bound]
    ) -> ColumnLimits:
        """Return what bounds leave of running cases whose last lies between two totals."""
        nothing = 0 * totals[0]
        steps = [[nothing] * len(sizes), [nothing + size for size in sizes]]
        levels = [[nothing] * len(sizes), [totals[1]] * len(sizes)]
        levels[0][-1] = totals[0]
        for _, _, place, step, low, high in bounds:
            lows, highs = steps if step else levels
            lows[place], highs[place] = most(lows[place], low), least(highs[place], high)
        fits: Any = True
        for low, high in zip(steps[0] + levels[0], steps[1] + levels[1], strict=True):
            fits = fits & (low <= high)
        return cls(tuple(levels[0]), tuple(levels[1]), tuple(steps[0]), tuple(steps[1]), fits)

    def steps_beside(self, other: ColumnLimits, sizes: EndsByBin) -> EndsByBin:
        """Return from where to where cases of each bin lie, which those of the other class fill."""
        lows = zip(self.step_low, sizes[0], other.step_high, strict=True)
        highs = zip(self.step_high, sizes[1], other.step_low, strict=True)
        return (
            tuple(most(own, size - rest) for own, size, rest in lows),
            tuple(least(own, size - rest) for own, size, rest in highs),
        )


def corner(rising: ColumnLimits, falling: ColumnLimits, cases: EndsByBin) -> tuple[Bins, Any]:
    """Return the fewest running cases of one class with the most of the other; whether they fit.

    `cases` are the fewest and the most of both together. Of many totals arrays, one per total.

    >>> one = ColumnLimits((0, 3), (3, 3), (0, 0), (3, 3))
    >>> corner(one, one, ((2, 6), (2, 6)))
    (Bins(positives=(0, 3), negatives=(2, 3)), True)
    """
    p, m, last = list(rising.low), list(falling.high), len(rising.low) - 1
    chain = cases[0] == cases[1]
    sizes = [b - a for a, b in pairwise((0, *cases[0]))] if chain else []
    bins = [limits for of in (rising, falling) for limits in (of.step_low, of.step_high)]

    def meet(b: int) -> None:
        p[b] = most(p[b], cases[0][b] - m[b])
        m[b] = least(m[b], cases[1][b] - p[b])

    for _ in range(1 if chain else 2 * len(p) + 2):
        before = p[:], m[:]
        for b in range(last + 1):
            above = (p[b - 1], m[b - 1]) if b else (0, 0)
            p[b] = most(p[b], above[0] + rising.step_low[b])
            m[b] = least(m[b], above[1] + falling.step_high[b])
            meet(b)
        for b in range(last, 0, -1):
            p[b - 1] = most(p[b - 1], p[b] - rising.step_high[b])
            m[b - 1] = least(m[b - 1], m[b] - falling.step_low[b])
            meet(b - 1)
        fits = rising.fits & falling.fits
        for size, *steps in zip(sizes, *bins, strict=False):  # of a chain: one pass has to do
            fits = fits & (steps[0] + steps[2] <= size) & (size <= steps[1] + steps[3])
        fits = fits & (p[0] <= rising.step_high[0]) & (m[0] >= falling.step_low[0])
        for b in range(last + 1):
            fits = fits & (p[b] <= rising.high[b]) & (m[b] >= falling.low[b])
        if chain or fits is False or before == (p, m):
            return Bins(tuple(p), tuple(m)), fits
    return Bins(tuple(p), tuple(m)), False

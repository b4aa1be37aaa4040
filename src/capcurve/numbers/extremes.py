"""Which outcomes of cases without one make a number lowest or highest, found exactly.

All cases and their scores are known, only the classes of some are not. Every number here is a sum
over positives of the cost of their score, divided by the positives, or by all pairs of a positive
and a negative. With m positives among the unknown the sum is largest with them at the highest
costs; as m grows it runs along straight lines, on each of which the number has one turn at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.numbers.order import sum_ties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capcurve.numbers.types import Amount, Array, Floats, Places

# Sums of costs of so many cases, also of the difference of two scores, fit in 64 bits.
MOST_IN_64_BITS = 1 << 30
# Quotients of floats that differ by less are compared as fractions; none is beyond 2.
QUOTIENT_SLACK = 1e-13
# Square roots are taken of numbers with so many more bits, so that what follows errs by under 1.
MORE_BITS = 64


@dataclass(frozen=True, slots=True)
class Costs:
    """What a positive in each cell adds to a sum, as distinct values and which of them it is."""

    values: Array  # distinct costs, ascending, shape (C,): whole numbers, fractions, or floats
    which: Places  # the place of each cell's cost among them, shape (K,)
    pairs: bool  # whether the sum is divided by all pairs of the classes, or by the positives

    def added_up(self, column: Array) -> Array:
        """Return the sums of a column over the cells of each cost, shape (C,)."""
        where, (sums,) = sum_ties(self.which, [column])
        found = np.zeros(len(self.values), dtype=sums.dtype)
        found[where] = sums
        return found.astype(object) if self.values.dtype == object else found

    def sum_over(self, column: Array) -> Any:
        """Return the sum of a column times the costs."""
        total = (self.added_up(column) * self.values).sum()
        return total.item() if isinstance(total, np.generic) else total

    def as_floats(self) -> Costs:
        """Return the same costs as floats."""
        return Costs(self.values.astype(np.float64), self.which, self.pairs)

    def minus(self, other: Costs) -> Costs:
        """Return the costs of the difference of two numbers."""
        both, which = np.unique(self.which * len(other.values) + other.which, return_inverse=True)
        first, second = np.divmod(both, len(other.values))
        return _sorted(self.values[first] - other.values[second], which, pairs=self.pairs)


def _sorted(values: Array, which: Places, *, pairs: bool) -> Costs:
    """Return costs with their values in order, each once."""
    distinct, place = np.unique(values, return_inverse=True)
    return Costs(distinct, place[which], pairs)


def costs_of_pairs(ranks: Array, cases: Array) -> Costs:
    """Return, for each rank, the cases ranked below less those above.

    Summed over positives this is pairs won less pairs lost, for pairs of positives cancel out.

    >>> costs = costs_of_pairs(np.array([0, 1, 2]), np.array([5, 2, 3]))
    >>> costs.values[costs.which]
    array([ 5, -2, -7])
    """
    distinct, (sums,) = sum_ties(ranks, [cases])
    above = np.cumsum(sums)
    values = above[-1] - above - (above - sums)
    if cases.dtype.kind != "f" and above[-1] >= MOST_IN_64_BITS:
        values = values.astype(object)
    return _sorted(values, np.searchsorted(distinct, ranks), pairs=True)


def costs_of_top(ranks: Array, cases: Array, q: float) -> Costs:
    """Return which share of the cases of each rank is in the top q of all: 1, a part, or 0.

    >>> costs = costs_of_top(np.array([0, 1, 2]), np.array([5, 2, 3]), 0.6)
    >>> costs.values[costs.which].tolist()
    [Fraction(1, 1), Fraction(1, 2), Fraction(0, 1)]
    """
    distinct, (sums,) = sum_ties(ranks, [cases])
    through = np.cumsum(sums)
    whole = cases.dtype.kind != "f"
    # The share that was typed: 0.1 is a tenth.
    wanted = Fraction(repr(q)) * int(through[-1]) if whole else q * float(through[-1])
    least: Any = math.ceil(wanted) if whole else wanted
    cut = int(np.searchsorted(through, least))
    cut = min(cut, len(sums) - 1)
    part = (wanted - (through[cut] - sums[cut]).item()) / sums[cut].item()
    values = [Fraction(0), part, Fraction(1)] if whole else [0.0, min(max(part, 0.0), 1.0), 1.0]
    at = np.searchsorted(distinct, ranks)
    which = np.where(at < cut, 2, np.where(at == cut, 1, 0))
    return _sorted(np.array(values, dtype=object if whole else np.float64), which, pairs=False)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The positives among the known, all other cases, and whether pairs are what is divided by."""

    positives: Amount
    others: Amount
    pairs: bool

    def divided(self, sums: Array, positives: Array) -> Floats:
        """Return sums over what they are shares of, with so many positives among the unknown."""
        whole = positives + self.positives
        if self.pairs:
            whole = whole * (self.others - positives)
        found: Floats = (sums / whole).astype(np.float64)
        return found

    def fraction(self, total: Any, positives: int) -> Fraction:
        """Return the same of one whole number of positives, exactly."""
        whole = self.positives + positives
        divisor: int = whole * (self.others - positives) if self.pairs else whole
        return Fraction(total) / divisor


@dataclass(frozen=True, slots=True)
class CostLine:
    """A sum of costs by the positives among the unknown: straight between its points."""

    # Positives, sums: how many positives there are among the unknown, ascending, and the sum of the
    # costs of all positives; shape (S + 1,).
    positives: Array
    sums: Array
    slopes: Array  # what one positive more adds, shape (S,)

    @classmethod
    def along(cls, start: tuple[Any, Any], lengths: Array, slopes: Array) -> Self:
        """Return the line from a point on, along stretches of some lengths and slopes."""
        some = lengths > 0
        lengths, slopes = lengths[some], slopes[some]
        dtype = object if slopes.dtype == object else np.result_type(lengths, slopes)
        columns = zip(start, (lengths, lengths.astype(dtype) * slopes), strict=True)
        positives, sums = (
            np.cumsum(np.append(np.array([first], dtype=dtype), steps.astype(dtype)))
            for first, steps in columns
        )
        return cls(positives, sums, slopes)

    @property
    def is_whole(self) -> bool:
        """Whether positives are whole numbers."""
        return self.positives.dtype.kind != "f"

    def at(self, positives: Any) -> Any:
        """Return the sum with so many positives among the unknown."""
        place = int(np.searchsorted(self.positives, positives, side="right")) - 1
        found = self.sums[place]
        if place < len(self.slopes):
            found = found + self.slopes[place] * (positives - self.positives[place])
        # Of Python's own, which fractions of any size are made of.
        return found.item() if isinstance(found, np.generic) else found

    def between(self, least: Any, most: Any) -> CostLine:
        """Return the part of the line from so few positives to so many."""
        # Sums of floats in another order may end a last digit elsewhere.
        least, most = (
            min(max(end, self.positives[0]), self.positives[-1]) for end in (least, most)
        )
        inside = (self.positives > least) & (self.positives < most)
        ends = [least] if least == most else [least, most]
        points = np.array(ends, dtype=self.positives.dtype)
        sums = np.array([self.at(end) for end in ends], dtype=self.sums.dtype)
        points = np.concatenate([points[:1], self.positives[inside], points[1:]])
        sums = np.concatenate([sums[:1], self.sums[inside], sums[1:]])
        places = np.searchsorted(self.positives, points[:-1], side="right") - 1
        return CostLine(points, sums, self.slopes[places])

    def turns(self, sizes: Sizes, *, highest: bool) -> Iterator[tuple[int, float]]:
        """Yield the stretches that hold a turn of the number, and the number there."""
        # Along a stretch it is (c1/(a + m) + c2/(b - m))/(a + b), which has a maximum inside where
        # both are below zero and a minimum where both are above; there it is (√|c1| + √|c2|)²/(a +
        # b)².
        if not sizes.pairs or not len(self.slopes):
            return
        sign = -1.0 if highest else 1.0
        c1, c2 = (sign * part.astype(np.float64) for part in self.parts(sizes))
        held = np.flatnonzero((c1 > 0) & (c2 > 0))
        a, b = float(sizes.positives), float(sizes.others)
        roots = np.sqrt(c1[held]), np.sqrt(c2[held])
        where = (b * roots[0] - a * roots[1]) / (roots[0] + roots[1])
        ends = self.positives.astype(np.float64)
        inside = (where > ends[held] - 1) & (where < ends[held + 1] + 1)
        values = sign * ((roots[0] + roots[1]) / (a + b)) ** 2
        yield from zip(held[inside].tolist(), values[inside].tolist(), strict=True)

    def parts(self, sizes: Sizes) -> tuple[Array, Array]:
        """Return c1 and c2 of each stretch."""
        starts, sums, slopes = self.positives[:-1], self.sums[:-1], self.slopes
        return sums - slopes * (starts + sizes.positives), sums + slopes * (sizes.others - starts)

    def turn(self, place: int, sizes: Sizes) -> list[Any]:
        """Return where on one stretch the number turns: whole numbers about it, or the float."""
        ends = slice(place, place + 2)
        one = CostLine(self.positives[ends], self.sums[ends], self.slopes[place : place + 1])
        (c1,), (c2,) = (part.tolist() for part in one.parts(sizes))
        a, b, (start, end) = sizes.positives, sizes.others, one.positives.tolist()
        if not self.is_whole:
            roots = math.sqrt(abs(c1)), math.sqrt(abs(c2))
            where = (b * roots[0] - a * roots[1]) / (roots[0] + roots[1])
            return [min(max(where, start), end)]
        common = math.lcm(Fraction(c1).denominator, Fraction(c2).denominator)
        first, second = abs(int(c1 * common)), abs(int(c2 * common))
        root = math.isqrt(first * second << 2 * MORE_BITS)
        first <<= MORE_BITS
        near = (b * first - a * root) // (first + root)
        return sorted({min(max(near + step, start), end) for step in (-1, 0, 1)})


def best_on(line: CostLine, sizes: Sizes, *, highest: bool) -> Any:
    """Return the fewest positives among the unknown with which the number is highest, or lowest."""
    sign = 1 if highest else -1
    values = sign * sizes.divided(line.sums, line.positives)
    best = float(values.max())
    near = line.positives[values >= best - QUOTIENT_SLACK].tolist()
    for place, value in line.turns(sizes, highest=highest):
        if sign * value >= best - QUOTIENT_SLACK:
            near += line.turn(place, sizes)
    if line.is_whole:
        return max(near, key=lambda m: (sign * sizes.fraction(line.at(m), m), -m))
    found = np.array([float(line.at(m)) for m in near])
    return near[int((sign * sizes.divided(found, np.array(near))).argmax())]


def first_below(line: CostLine, sizes: Sizes, minimum: Fraction) -> Any:
    """Return the fewest positives on a line with which the number is below a minimum, or None."""
    values = sizes.divided(line.sums, line.positives)
    lowest = np.append(np.minimum(values[:-1], values[1:]), values[-1])
    turns = dict(line.turns(sizes, highest=False))
    for place, value in turns.items():
        lowest[place] = min(lowest[place], value)

    def is_below(m: Any) -> bool:
        if line.is_whole:
            return sizes.fraction(line.at(m), m) < minimum
        return float(sizes.divided(np.array([line.at(m)]), np.array([m]))[0]) < minimum

    for place in np.flatnonzero(lowest < float(minimum) + QUOTIENT_SLACK).tolist():
        start, *others = line.positives[place : place + 2].tolist()
        inside = line.turn(place, sizes) if place in turns else []
        # Along one stretch the number falls below the minimum once at most.
        found = next((m for m in (start, *inside, *others) if is_below(m)), None)
        if found is not None:
            return _bisected(start, found, is_below, whole=line.is_whole)
    return None


def _bisected(above: Any, below: Any, is_below: Callable[[Any], bool], *, whole: bool) -> Any:
    """Return the first number that is below; the second given is, the first need not be above."""
    if is_below(above):
        return above
    while below - above > (1 if whole else np.spacing(below)):
        middle = (above + below) // 2 if whole else (above + below) / 2
        if not above < middle < below:
            break
        above, below = (above, middle) if is_below(middle) else (middle, below)
    return below

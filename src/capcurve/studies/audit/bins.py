"""Numbers that a table of whole counts allows, whatever the order of the cases inside its bins.

A table is read at its two ends: negatives first in every bin is the low end of the accuracy ratio,
positives first the high end; between them straight lines.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# One table's whole number or fraction, or an array with one for each of many tables.
OneOrMany = Any
ByBin = tuple[OneOrMany, ...]
EndsByBin = tuple[ByBin, ByBin]  # from where to where numbers lie
End = Literal["low", "table", "high"]
TIES_WON = {"low": 0, "table": 1, "high": 2}  # halves of a tied pair
# Of many tables, floats select those near the extreme, which are then compared exactly.
NEAR_THE_EXTREME, FEW_TABLES_EXACT, MOST_TABLES_COMPARED = 1e-9, 8, 200


class Bins(NamedTuple):
    """Positives and negatives down to the end of each bin, from the top."""

    positives: ByBin
    negatives: ByBin

    @classmethod
    def of(cls, sizes: ByBin, positives: ByBin) -> Bins:
        """Return a table from running numbers of cases and of positives."""
        return cls(positives, tuple(n - p for n, p in zip(sizes, positives, strict=True)))

    @property
    def n1(self) -> OneOrMany:
        """All positives."""
        return self.positives[-1]

    @property
    def n0(self) -> OneOrMany:
        """All negatives."""
        return self.negatives[-1]

    @property
    def n(self) -> OneOrMany:
        """All cases."""
        return self.n1 + self.n0

    @property
    def counted(self) -> bool:
        """Whether these are numbers of cases, and not shares."""
        return isinstance(self.n1, int)

    @property
    def swapped(self) -> Bins:
        """The table with the classes exchanged."""
        return Bins(self.negatives, self.positives)

    def each(self) -> Iterator[tuple[OneOrMany, OneOrMany, OneOrMany, OneOrMany]]:
        """Yield of each bin the running positives before and after it, and the negatives."""
        for p, m in zip(*(pairwise((0, *sums)) for sums in self), strict=True):
            yield (*p, *m)

    def at(self, place: int) -> Bins:
        """Return one of many tables, in numbers of Python."""
        return self.changed(lambda column: each_at(column, place))

    def as_floats(self) -> Bins:
        """Return many tables in floats."""
        return self.changed(lambda column: np.asarray(column, np.float64))

    def changed(self, change: Callable[[OneOrMany], OneOrMany]) -> Bins:
        """Return the running sums changed, all in the same way."""
        return Bins(*(tuple(map(change, sums)) for sums in self))


def is_many(value: OneOrMany) -> bool:
    """Tell whether an amount is an array with one number per table."""
    return isinstance(value, np.ndarray)


def each_at(amount: OneOrMany, place: int) -> OneOrMany:
    """Return an amount of one of many tables, as a number of Python."""
    value = amount[place] if is_many(amount) else amount
    return value.item() if isinstance(value, np.generic) else value


def over(part: OneOrMany, whole: OneOrMany) -> OneOrMany:
    """Return a quotient: exact of one table, floats of many."""
    return part / whole if is_many(part) or is_many(whole) else Fraction(part, whole)


def most(first: OneOrMany, second: OneOrMany) -> OneOrMany:
    """Return the larger amount, table by table."""
    if is_many(first) or is_many(second):
        return np.maximum(first, second)
    return max(first, second)


def least(first: OneOrMany, second: OneOrMany) -> OneOrMany:
    """Return the smaller amount, table by table."""
    if is_many(first) or is_many(second):
        return np.minimum(first, second)
    return min(first, second)


def _either(condition: Any, yes: OneOrMany, no: OneOrMany) -> OneOrMany:
    if is_many(condition):
        return np.where(condition, yes, no)
    return yes if condition else no


def extreme(bins: Bins, number: Callable[[Bins], OneOrMany], *, lowest: bool) -> tuple[Any, Bins]:
    """Return the lowest or highest number among tables, exactly, and the table that has it."""
    if not is_many(bins.n1):
        return number(bins), bins
    places = np.arange(len(bins.n1))
    if len(places) > FEW_TABLES_EXACT:
        found = number(bins.as_floats()) * (1 if lowest else -1)
        places = np.flatnonzero(found <= found.min() + NEAR_THE_EXTREME)
        places = places[np.argsort(found[places], kind="stable")][:MOST_TABLES_COMPARED]
    choose = min if lowest else max
    tables = [bins.at(place) for place in places.tolist()]
    numbers = [number(each) for each in tables]
    best = choose(numbers)
    return best, tables[numbers.index(best)]


def pairs_won(bins: Bins, end: End) -> OneOrMany:
    """Return twice the pairs in which the positive outranks the negative, ties as `end` says."""
    halves = TIES_WON[end]
    return sum((p - p0) * (2 * (bins.n0 - m) + halves * (m - m0)) for p0, p, m0, m in bins.each())


def auc(bins: Bins, end: End) -> OneOrMany:
    """Return the AUC: negatives first in every bin, ties won by half, or positives first.

    >>> [str(auc(Bins((2, 3), (1, 3)), end)) for end in ("low", "table", "high")]
    ['4/9', '2/3', '8/9']
    """
    return over(pairs_won(bins, end), 2 * bins.n1 * bins.n0)


def ratio_of_bins(bins: Bins, end: End) -> OneOrMany:
    """Return the accuracy ratio, 2·AUC - 1, at an end of what the bins allow."""
    pairs = bins.n1 * bins.n0
    return over(pairs_won(bins, end) - pairs, pairs)


def ks_side(bins: Bins, end: End) -> OneOrMany:
    """Return the largest surplus of the share of positives captured over that of negatives."""
    # At the ends of bins ("low", "table"), or with positives first in every bin ("high"); `swapped`
    # bins have the other side.
    gaps = 0 * bins.n1
    for _, p, m0, m in bins.each():
        gaps = most(gaps, p * bins.n0 - (m0 if end == "high" else m) * bins.n1)
    return over(gaps, bins.n1 * bins.n0)


def captured(bins: Bins, q: Fraction, end: End) -> OneOrMany:
    """Return the share of positives among the share q of cases at the top.

    >>> [str(captured(Bins((2, 3), (1, 3)), Fraction(1, 5), end)) for end in ("low", "high")]
    ['1/15', '2/5']
    """
    return over(captured_cases(bins, _share_of(q, bins.n), end), bins.n1)


def _share_of(share: Fraction, amount: OneOrMany) -> OneOrMany:
    return float(share) * amount if is_many(amount) else share * amount


def captured_cases(bins: Bins, t: OneOrMany, end: End) -> OneOrMany:
    """Return the positives among the first t cases."""
    if end == "table":
        return _straight(bins, t)
    # Multiplied out, whole numbers stay whole: many of these are compared.
    divisor, t = (1, t) if is_many(t) else (Fraction(t).denominator, Fraction(t).numerator)
    found = 0 * bins.n1 if end == "low" else bins.n1 * divisor
    # At the end of each bin a staircase meets the level of its positives and its line of slope 1;
    # negatives first it is the highest of their minima, positives first the lowest of their maxima.
    for p, m in zip((0 * bins.n1, *bins.positives), (0, *bins.negatives), strict=True):
        level, rising = p * divisor, t - m * divisor
        low = end == "low"
        found = most(found, least(level, rising)) if low else least(found, most(level, rising))
    return found if is_many(t) else Fraction(found, divisor)


def _straight(bins: Bins, t: OneOrMany) -> OneOrMany:
    """Return the positives among the first t cases on straight lines between the points."""
    ends = bins.each()
    if is_many(t):
        return sum(_part_above(t - p0 - m0, p + m - p0 - m0) * (p - p0) for p0, p, m0, m in ends)
    for p0, p, m0, m in ends:
        if t <= p + m:
            return p0 + _part_above(t - p0 - m0, p + m - p0 - m0) * (p - p0)
    return bins.n1


def _part_above(inside: OneOrMany, size: OneOrMany) -> OneOrMany:
    """Return which part of a bin lies above a depth."""
    if is_many(inside):
        return np.clip(inside / np.where(size > 0, size, 1), 0, 1)
    return min(max(Fraction(inside, size or 1), Fraction(0)), Fraction(1))


def tpr(bins: Bins, fpr: Fraction, end: End) -> OneOrMany:
    """Return the share of positives above the cut-off that lets a share of negatives pass."""
    found = 0 * bins.n1 if end != "high" else bins.n1
    for p0, p, m0, m in bins.each():
        # Multiplied out: a quotient of floats may lie on either side of a whole number.
        passed = m * fpr.denominator <= fpr.numerator * bins.n0
        if end == "high":
            found = least(found, _either(passed, bins.n1, p))
        elif end == "low":
            found = most(found, _either(passed, p, 0 * bins.n1))
        else:
            part = _part_above(_share_of(fpr, bins.n0) - m0, m - m0)
            found = found + _either(passed, p - p0, (p - p0) * part)
    return over(found, bins.n1)


def standard_error_at(bins: Bins, end: End) -> float:
    """Return the standard error of the accuracy ratio with ties lost, halved or won, or NaN."""
    # DeLong, DeLong & Clarke-Pearson (1988), from the placements of each bin's cases.
    if bins.n1 < 2 or bins.n0 < 2:  # noqa: PLR2004 - no variance of one case
        return nan
    halves = TIES_WON[end]
    of_positives, of_negatives = [], []
    for p0, p, m0, m in bins.each():
        of_positives.append((p - p0, 2 * (bins.n0 - m) + halves * (m - m0)))
        of_negatives.append((m - m0, 2 * p0 + halves * (p - p0)))
    variance = _variance_of_placements(of_positives) / (bins.n1 * bins.n0**2)
    variance += _variance_of_placements(of_negatives) / (bins.n0 * bins.n1**2)
    return sqrt(variance)


def _variance_of_placements(placements: list[tuple[int, int]]) -> Fraction:
    """Return the variance of placements, counted in half cases: times 4."""
    count = sum(times for times, _ in placements)
    total = sum(times * place for times, place in placements)
    squares = sum(times * place * place for times, place in placements)
    return Fraction(squares * count - total * total, count * (count - 1))


def within_sd(bins: Bins) -> float:
    """Return how far the order inside bins moves the accuracy ratio if it is random."""
    # The standard deviation of Wilcoxon's rank sum, summed over bins.
    pairs = sum((p - p0) * (m - m0) * (p - p0 + m - m0 + 1) for p0, p, m0, m in bins.each())
    return 2 / float(bins.n1 * bins.n0) * sqrt(Fraction(pairs, 12))

"""Ranges of the accuracy ratio, AUC, KS and shares captured over all tables that fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from capcurve.inference.records import Confidence, Interval
from capcurve.numbers.arguments import arg, word
from capcurve.show.format import percent
from capcurve.studies.audit import bins as of_bins
from capcurve.studies.audit.bins import Bins, End, OneOrMany, extreme, is_many, ks_side, most
from capcurve.studies.audit.concave import (
    concave_accuracy_ratio,
    concave_captured,
    concave_ks,
    concave_tpr,
    highest_concave,
    lowest_concave,
    passes,
    rises,
)
from capcurve.studies.audit.records import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.studies.audit.tables import Problem, Tables

Assumption = Literal["random", "concave"]
NumberOf: TypeAlias = "Callable[[Bins, End], OneOrMany]"
HighestOf: TypeAlias = "Callable[[Tables], Top]"
# Each number of positives has a linear programme of its own to solve.
MOST_PROGRAMMES = 25
HALVINGS_OF_A_GAP = 60
# The search for the smallest gap stops after so many numbers of positives, with a lower bound.
MOST_HALVED = 60


class Top(NamedTuple):
    """The most that concave curves reach, and whether one does."""

    number: OneOrMany
    sharp: bool
    rational: bool = True


class Curves(NamedTuple):
    """The tables with one number of positives, and the lowest concave curve through them."""

    tables: Tables
    lowest: Bins


@dataclass(frozen=True, slots=True)
class AllowedRankings:
    """All rankings that show what was printed."""

    problem: Problem  # problem, tables: what was printed, and the tables that fit
    tables: Tables
    assume: Assumption | None = None  # inside bins: "random" is no worse than random
    curves: tuple[Curves, ...] = ()  # for each number of positives, where concave is assumed

    def accuracy_ratio(self) -> Range:
        """Return the range of the accuracy ratio."""
        return self.between(of_bins.ratio_of_bins, _highest_ratio)

    def roc_auc(self) -> Range:
        """Return the range of the AUC, (1 + AR)/2."""
        return auc_range(self.accuracy_ratio())

    def captured(self, q: Fraction) -> Range:
        """Return the range of the share of positives among the share q of cases."""
        return self._shares(q, lambda _: Fraction(1))

    def lift(self, q: Fraction) -> Range:
        """Return the range of the share captured over the share selected."""
        return self._shares(q, lambda _: 1 / q)

    def precision(self, q: Fraction) -> Range:
        """Return the range of the rate of positives among the share q of cases."""

        def factor(bins: Bins) -> OneOrMany:
            return of_bins.over(bins.n1, bins.n) / (float(q) if is_many(bins.n1) else q)

        return self._shares(q, factor)

    def _shares(self, q: Fraction, factor: Callable[[Bins], OneOrMany]) -> Range:
        def number(bins: Bins, end: End) -> OneOrMany:
            scale, share = factor(bins), of_bins.captured(bins, q, end)
            return share * (scale if is_many(scale) or not is_many(share) else float(scale))

        def highest(tables: Tables) -> Top:
            top = tables.greatest
            cases = concave_captured(tables.least, top, q * top.n)
            return Top(factor(top) * cases / top.n1, tables.only is not None)

        return self.between(number, highest)

    def tpr(self, fpr: Fraction) -> Range:
        """Return the range of the true positive rate at a false positive rate."""

        def number(bins: Bins, end: End) -> OneOrMany:
            return of_bins.tpr(bins, fpr, end)

        def highest(tables: Tables) -> Top:
            only = tables.only
            if only is None:
                return Top(number(tables.greatest, "high"), sharp=False)
            return Top(Fraction(concave_tpr(only, fpr * only.n0)) / only.n1, sharp=True)

        return self.between(number, highest)

    def ks_positive(self) -> Range:
        """Return the range of the largest surplus of positives captured over negatives."""

        def highest(tables: Tables) -> Top:
            return Top(concave_ks(tables.least, tables.greatest), tables.only is not None)

        return self.between(of_bins.ks_side, highest)

    def ks_negative(self) -> Range:
        """Return the range of the largest surplus of negatives captured over positives."""
        if self.curves:
            return _range_of_ends(Fraction(0), Fraction(0), (Fraction(0), Fraction(0)), sharp=True)
        # With the classes exchanged the greatest table becomes the least.
        tables = self.tables
        swapped = replace(tables, least=tables.greatest.swapped, greatest=tables.least.swapped)
        turned = AllowedRankings(self.problem, swapped)
        if self.assume is None:
            return turned.ks_positive()
        # No better than random in any bin, negatives lead most at the end of one.
        return turned.between(lambda bins, _: of_bins.ks_side(bins, "low"))

    def ks(self) -> Range:
        """Return the range of the larger of both sides."""
        sides = self.ks_positive(), self.ks_negative()
        lows, _, highs = zip(*(side.exact for side in sides if side.exact), strict=True)
        low, high, reached = max(lows), max(highs), True
        if not self.curves:
            low, reached = _smallest_gap(self.problem, self.tables)
        straight = low, Fraction(max(side.straight[1] for side in sides))
        if self.tables.only is not None:
            straight = low, low
        sharp = reached and all(side.sharp for side in sides)
        return _range_of_ends(low, high, straight, sharp=sharp)

    def interval(self, level: float) -> Interval:
        """Return the range of the accuracy ratio with chance at both ends."""
        low_end: End = "low" if self.assume is None else "table"
        least, greatest = self.tables.least, self.tables.greatest
        first = extreme(least, lambda bins: of_bins.ratio_of_bins(bins, low_end), lowest=True)[1]
        last = extreme(greatest, lambda bins: of_bins.ratio_of_bins(bins, "high"), lowest=False)[1]
        if not first.counted:
            raise ValueError(
                "an interval needs the numbers of cases, and the table has shares only: say "
                f"{arg('cases')} and {arg('positives')}"
            )
        z, found = Confidence(level).z, self.accuracy_ratio()
        below = of_bins.standard_error_at(first, low_end)
        above = of_bins.standard_error_at(last, "high")
        if self.curves:
            # A concave curve lies between straight lines and positives first.
            above = max(above, of_bins.standard_error_at(last, "table"))
        known = not isnan(below)
        return Interval(
            low=max(found.low - z * below, -1.0) if known else nan,
            estimate=sum(found.straight) / 2,
            high=nan if isnan(above) else min(found.high + z * above, 1.0),
            level=level,
            method="DeLong at both ends of what the table allows",
            se=None,
            notes=() if known else ("one class has a single case, so that chance is not known",),
        )

    def between(self, number: NumberOf, highest: HighestOf | None = None) -> Range:
        """Return the range of a number that rises with the running positives."""
        least, greatest = self.tables.least, self.tables.greatest
        first = extreme(least, lambda bins: number(bins, "table"), lowest=True)[0]
        last = extreme(greatest, lambda bins: number(bins, "table"), lowest=False)[0]
        if self.curves and highest is not None:
            low = min(number(curves.lowest, "table") for curves in self.curves)
            tops = [highest(curves.tables) for curves in self.curves]
            top = max(tops)
            # Between two prevalences the highest of concave curves need not lie at an end.
            several = len(tops) > 1 and not self.tables.at(0).least.counted
            sharp = self.tables.sharp and not several and all(each.sharp for each in tops)
            rational, straight = all(each.rational for each in tops), (max(low, first), last)
            return _range_of_ends(low, top.number, straight, sharp=sharp, rational=rational)
        low = first
        if self.assume is None:
            low = extreme(least, lambda bins: number(bins, "low"), lowest=True)[0]
        high = extreme(greatest, lambda bins: number(bins, "high"), lowest=False)[0]
        return _range_of_ends(low, high, (first, last), sharp=self.tables.sharp)


def auc_range(ratio: Range) -> Range:
    """Return the range of the AUC from that of the accuracy ratio: (1 + AR)/2."""
    first, last = ((1 + end) / 2 for end in ratio.straight)
    least, middle, most_ = ratio.exact or (ratio.low, ratio.table, ratio.high)
    low, high = (1 + least) / 2, (1 + most_) / 2
    table = None if middle is None else (1 + middle) / 2
    exact: Any = None if ratio.exact is None else (low, table, high)
    known = None if table is None else float(table)
    return Range(float(low), known, float(high), ratio.sharp, (first, last), exact)


def _highest_ratio(tables: Tables) -> Top:
    """Return the largest accuracy ratio of concave curves."""
    if tables.only is not None:
        return Top(concave_accuracy_ratio(tables.only), sharp=True)
    # Curves that only just fit may escape the tolerance of the solver.
    rest = of_bins.ratio_of_bins(tables.greatest, "high")
    if (found := highest_concave(tables)) is None:
        return Top(rest, sharp=False)
    return Top(min(Fraction(found), rest), sharp=True, rational=False)


def _range_of_ends(
    low: Fraction,
    high: Fraction,
    straight: tuple[Fraction, Fraction],
    *,
    sharp: bool,
    rational: bool = True,
) -> Range:
    table = straight[0] if straight[0] == straight[1] else None
    return Range(
        low=float(low),
        table=None if table is None else float(table),
        high=float(high),
        sharp=sharp,
        straight=(float(straight[0]), float(straight[1])),
        exact=(Fraction(low), table, Fraction(high)) if rational else None,
    )


def allowed_under(
    problem: Problem, tables: Tables, assume: Assumption | None, names: Sequence[str]
) -> AllowedRankings:
    """Return all rankings that fit under an assumption."""
    if assume != "concave":
        return AllowedRankings(problem, tables, assume)
    if not problem.known:
        raise ValueError(
            f"{word(assume='concave')} needs the number or the exact share of the cases in each bin"
        )
    if len(tables) > MOST_PROGRAMMES:
        raise ValueError(
            f"{word(assume='concave')} with {len(tables):,} possible numbers of positives takes "
            f"too long: say how many there are with {arg('positives')}"
        )
    curves = [Curves(each, lowest_concave(each)) for each in tables.each()]
    fitting = [each for each in curves if passes(each.lowest, each.tables) is None]
    if not fitting:
        raise ValueError(_rise_in_words(curves[0], names))
    return AllowedRankings(problem, tables, assume, tuple(fitting))


def _rise_in_words(curves: Curves, names: Sequence[str]) -> str:
    """Return where the rate rises, in one line."""
    only = curves.tables.only
    said = f"at the end of bin {names[passes(curves.lowest, curves.tables) or 0]}"
    if only is not None and (where := rises(only)):
        rates = [float((p - p0) / (p - p0 + m - m0)) for p0, p, m0, m in only.each()]
        b, after = where[0], where[0] + 1
        said = f"from bin {names[b]} to bin {names[after]}"
        said += f" ({percent(rates[b])} to {percent(rates[after])})"
    return (
        f"no curve through the table is concave, since the rate of positives rises {said}: leave "
        f"{word(assume='concave')} out, or join bins"
    )


def _smallest_gap(problem: Problem, tables: Tables) -> tuple[Fraction, bool]:
    """Return the smallest two-sided KS among tables, and whether one has it."""
    best: Any = inf
    parts = tables.each()
    if len(tables) > MOST_HALVED:  # those that may have the smallest gap first
        bounds = largest_gap(tables.least.as_floats(), tables.greatest.as_floats())
        parts = map(tables.at, np.argsort(bounds, kind="stable").tolist())
    for tried, part in enumerate(parts):
        bound = largest_gap(part.least, part.greatest)
        if tried > MOST_HALVED and bound < best:
            return bound, False  # no other number of positives has a lower bound
        if bound < best:
            best = min(best, _smallest_of_one(problem, part, bound))
        elif len(tables) > MOST_HALVED:
            break
    return best, tables.sharp and problem.known


def largest_gap(least: Bins, greatest: Bins) -> OneOrMany:
    """Return what the two-sided KS is at least: the largest gap at the ends of the bins."""
    return most(ks_side(least, "low"), ks_side(greatest.swapped, "low"))


def _smallest_of_one(problem: Problem, tables: Tables, bound: Fraction) -> Fraction:
    """Return the smallest gap with one number of positives, halving where it may lie."""
    if not problem.known or problem.within_gap(tables, bound) is not None:
        return bound
    pairs = tables.least.n1 * tables.least.n0
    unit = Fraction(1, pairs if problem.whole else 2**HALVINGS_OF_A_GAP)
    low: int = bound // unit
    high: int = -(-largest_gap(tables.least, tables.least) // unit)
    while high - low > 1:
        middle = (low + high) // 2
        if problem.within_gap(tables, middle * unit) is None:
            low = middle
        else:
            high = middle
    return high * unit

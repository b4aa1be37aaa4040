"""What a claimed KS or share captured leaves of the other numbers of a table.

Curves of a KS of k stay between the lines on which the shares of positives and negatives captured
differ by k and -k, and touch one of them. A share captured at one depth splits a bin in two.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from capcurve.studies.audit.bins import Bins, captured_cases, ks_side, pairs_won
from capcurve.studies.audit.known_sizes import KnownSizes
from capcurve.studies.audit.printed import Window
from capcurve.studies.audit.ranges import Allowed, least_gap
from capcurve.studies.audit.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capcurve.studies.audit.stated import Stated

HALVINGS = 50
MOST_TOTALS_TRIED = 200


def highest_given(bins: Bins, gap: Fraction) -> Fraction | None:
    """Return a bound of the accuracy ratio of rankings with such a KS, or None if there is none.

    The area under positives first in every bin, cut at the line of the gap. Where that curve
    nowhere reaches the line it must come down to the other one, in the bin where that costs least.

    >>> from capcurve.studies.audit.bins import Bins
    >>> highest_given(Bins((2, 3), (1, 3)), Fraction(1, 2))
    Fraction(13, 18)
    """
    n1, n0 = bins.n1, bins.n0
    if least_gap(bins, bins) > gap:
        return None
    area = Fraction(pairs_won(bins, "high"), 2)
    if ks_side(bins, "high") >= gap:
        for _, p, m0, m in bins.each():
            cut = min(n0 * (Fraction(p, n1) - gap), Fraction(m)) - m0
            area -= max(cut, Fraction(0)) ** 2 * n1 / n0 / 2
    else:
        losses = list(_losses(bins, gap))
        if not losses:
            return None
        area -= min(losses)
    return Fraction(2 * area, n1 * n0) - 1


def _losses(bins: Bins, gap: Fraction) -> Iterable[Fraction]:
    """Yield what it costs to come down to the line of the gap's other sign, bin by bin."""
    n1, n0 = bins.n1, bins.n0
    for p0, p, m0, m in bins.each():
        start = max(Fraction(m0), n0 * (Fraction(p0, n1) + gap))
        end = min(Fraction(m), n0 * (Fraction(p, n1) + gap))
        if start <= end:
            for x in (start, end):
                yield (x - m0) * (p - n1 * (x / n0 - gap))


def lowest_given(bins: Bins, gap: Fraction) -> Fraction | None:
    """Return a bound from below: that of the classes exchanged, from above."""
    found = highest_given(bins.swapped, gap)
    return None if found is None else -found


def ratio_given_ks(allowed: Allowed, window: Window) -> Window | None:
    """Return which accuracy ratios go together with a KS inside a window, or None."""
    found = [
        span
        for tables in allowed.tables.each(MOST_TOTALS_TRIED)
        if (span := _ratio_of_one(allowed, tables, window)) is not None
    ]
    if not found:
        return None
    return Window(min(span.low for span in found), max(span.high for span in found))


def _ratio_of_one(allowed: Allowed, tables: Tables, window: Window) -> Window | None:
    problem = allowed.problem
    within = problem.within_gap(tables, window.high) if isinstance(problem, KnownSizes) else tables
    if within is None:
        return None
    ends = _ks_ends(within)
    if window.low > ends.high:
        return None
    low = _bound_at(within.least, lowest_given, ks_side(within.least.swapped, "high"), window, ends)
    high = _bound_at(within.greatest, highest_given, ks_side(within.greatest, "high"), window, ends)
    return None if low is None or high is None else Window(low, high)


def _bound_at(
    bins: Bins,
    bound: Callable[[Bins, Fraction], Fraction | None],
    free: Fraction,
    window: Window,
    ends: Window,
) -> Fraction | None:
    """Return a bound at the KS that leaves most room: that of the free curve, or nearest to it."""
    nearest = max(least_gap(bins, bins), window.low, min(free, window.high, ends.high))
    return bound(bins, nearest)


def _ks_ends(tables: Tables) -> Window:
    """Return from where to where the two-sided KS lies at most."""
    high = max(ks_side(tables.greatest, "high"), ks_side(tables.least.swapped, "high"))
    return Window(least_gap(tables.least, tables.greatest), Fraction(high))


def ks_given_ratio(allowed: Allowed, window: Window) -> Window | None:
    """Return which two-sided KS go together with an accuracy ratio inside a window, or None."""
    spans = [
        span
        for tables in allowed.tables.each(MOST_TOTALS_TRIED)
        if (span := _ks_of_one(tables, window)) is not None
    ]
    if not spans:
        return None
    return Window(min(span.low for span in spans), max(span.high for span in spans))


def _ks_of_one(tables: Tables, window: Window) -> Window | None:
    """Return the KS whose accuracy ratios meet the window, halving the way to its ends."""
    low, high = _ks_ends(tables)

    def reaches(gap: Fraction) -> bool:
        bins = tables.greatest
        found = highest_given(bins, max(gap, least_gap(bins, bins)))
        return found is not None and found >= window.low

    def stays(gap: Fraction) -> bool:
        bins = tables.least
        found = lowest_given(bins, max(gap, least_gap(bins, bins)))
        return found is not None and found <= window.high

    sides = [
        _stretch(reaches, ks_side(tables.greatest, "high"), low, high),
        _stretch(stays, ks_side(tables.least.swapped, "high"), low, high),
    ]
    if sides[0] is None or sides[1] is None:
        return None
    span = Window(max(sides[0].low, sides[1].low), min(sides[0].high, sides[1].high))
    return span if span.low <= span.high else None


def _stretch(
    holds: Callable[[Fraction], bool], best: Fraction, low: Fraction, high: Fraction
) -> Window | None:
    """Return the stretch around the best place on which something holds."""
    middle = min(max(best, low), high)
    if not holds(middle):
        return None
    return Window(_edge(holds, middle, low), _edge(holds, middle, high))


def _edge(holds: Callable[[Fraction], bool], inside: Fraction, end: Fraction) -> Fraction:
    if holds(end):
        return end
    outside = end
    for _ in range(HALVINGS):
        # Short fractions, lest their digits grow.
        middle = Fraction(float(inside + outside) / 2)
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return outside


def given_share(allowed: Allowed, claim: Stated) -> Allowed | bool:
    """Return what is allowed where a share captured is as claimed.

    False where no ranking captures it, True where nothing is known: several tables fit, or the
    depth lies inside a case.
    """
    only, q = allowed.tables.only, claim.q
    if only is None or q is None or not only.counted or (q * only.n).denominator > 1:
        return True
    t, window = int(q * only.n), _captured(claim, q, only)
    # Not cut to whole positives: a score that cases on both sides share is split there.
    low = max(captured_cases(only, t, "low"), window.low * only.n1)
    high = min(captured_cases(only, t, "high"), window.high * only.n1)
    if low > high:
        return False
    return _allowed(_with_point(only, t, low), _with_point(only, t, high))


def _captured(claim: Stated, q: Fraction, bins: Bins) -> Window:
    """Return where the share captured lies, of that or of a lift or precision."""
    prevalence = Fraction(bins.n1, bins.n)
    factor = {"captured": Fraction(1), "lift": q, "precision": q / prevalence}[claim.metric]
    return Window(claim.window.low * factor, claim.window.high * factor)


def _with_point(bins: Bins, t: int, positives: Fraction) -> Bins:
    """Return a table with one more point, so many positives among the first t cases."""
    ends = {p + m: p for p, m in zip(bins.positives, bins.negatives, strict=True)}
    running = dict(sorted((ends | {t: positives}).items()))
    return Bins.of(tuple(running), tuple(running.values()))


def _allowed(least: Bins, greatest: Bins) -> Allowed:
    """Return all rankings between two tables that differ at one point."""
    cases = [p + m for p, m in zip(least.positives, least.negatives, strict=True)]
    sizes = tuple(b - a for a, b in pairwise([0, *cases]))
    problem = KnownSizes(sizes, (), (least.n1,), whole=False)
    return Allowed(problem, Tables(least, greatest, (0,) * len(sizes), sizes))

"""Limits of a top share that need no standard error: for any cut-off, few cases and weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.cutoffs import FIRST, SHARES_OF_CASES
from capcurve.curves.shares import shares
from capcurve.inference.rates import deviates, rate_limits
from capcurve.inference.sizes import equal_cases, squared_masses
from capcurve.inference.statistics import reachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts.types import Floats
    from capcurve.inference.records import Confidence, Limits
    from capcurve.inference.statistics import Rate
    from capcurve.inference.top_share import TopShare

# With fewer of the typical weighted cases selected, the share captured is no better known than the
# rate among them.
FEW_SELECTED = 20
# Places of the cut-off inside scores that are looked at.
INSIDE = 50
# How closely limits are searched for, and the digits that are kept.
FINE, DIGITS = 1e-9, 12
# Deviates of so many times z are as far as any.
MOST = 3.0
# That of more cases than are ever counted.
LEAST_SPREAD = 2.0**-64


def of_selected_cases(top: TopShare, rate: Rate, confidence: Confidence) -> Limits:
    """Return limits for as many cases as would fill the top share if all were as heavy there.

    Clopper-Pearson, of the rate of positives among them (Korn & Graubard 1998, with the weights of
    the selected alone): where few and heavy rows are selected the standard error misses some.
    """
    cases = top.q / top.typical_weight(top.selected)
    if rate == "captured_response" and cases >= FEW_SELECTED:
        return top.captured, top.captured
    rates = min(top.prevalence * top.captured / top.q, 1.0) * cases
    low, high = rate_limits(rates, cases, "clopper_pearson", confidence)
    scale = top.q / top.prevalence if rate == "captured_response" else 1.0
    return float(low) * scale, min(float(high) * scale, 1.0)


def of_unseen_positives(top: TopShare, confidence: Confidence) -> Limits:
    """Return limits that allow for one more positive, as heavy as cases are, on either side.

    The weight of the positives not selected may be as large as their gamma limit (Fay & Feuer
    1997, Stat. Med. 16), those selected staying; and the other way round.
    """
    (mass1, _), pi, rest = top.masses, top.prevalence, 1 - top.selected
    most = [
        _gamma_limit(pi * held, pi**2 * float((mass1 * taken**2).sum()), weight, confidence)
        for held, taken, weight in (
            (top.missed, rest, top.typical_weight(rest)),
            (top.captured, top.selected, top.typical_weight(top.selected)),
        )
    ]
    captured, missed = pi * top.captured, pi * top.missed
    return captured / (captured + most[0]), most[1] / (most[1] + missed)


def _gamma_limit(total: float, squares: float, weight: float, confidence: Confidence) -> float:
    """Return the upper limit of a sum of weights with one more case of such a weight."""
    from scipy.special import chdtri

    mean, variance = total + weight, squares + weight**2
    if not mean > 0:
        return 0.0
    return variance / (2 * mean) * float(chdtri(2 * mean**2 / variance, confidence.tail))


def about_the_cutoff(top: TopShare, rate: Rate, confidence: Confidence) -> Limits:
    """Return limits that allow for any place of the true cut-off.

    The rate lies within them while there is a cut-off in the sample at which the squares of two
    independent normal deviates (mid-P) add up to no more than z²: an empirical likelihood with the
    place profiled out and tails that are right for few cases (Claeskens et al. 2003, Can. J.
    Stat. 31). No slope is needed, so that the CAP may bend where the share ends.
    """
    squares, z = _squared_deviates(top, rate, _places(top, confidence)), confidence.z

    def excess(value: float) -> float:
        return min(math.sqrt(squares(value).min()), MOST * z) - z

    least, most, seen = 0.0, 1.0, 1 - top.impurity if rate == "precision" else top.captured
    if top.stated is not None:
        scale = top.prevalence / top.q if rate == "precision" else 1.0
        least, most = (float(end[()]) * scale for end in reachable(np.array(top.q), top.stated))
    return _root(excess, least, max(seen, least)), _root(excess, most, min(seen, most))


def is_straight(top: TopShare, confidence: Confidence) -> bool:
    """Tell whether no score ends so near the share that the CAP may bend there, as in a grade."""
    sums, reach = shares(top.counts), (confidence.z + 1) * top.spread()
    tp, fp = (axis.sums / axis.total for axis in (sums.positives, sums.negatives))
    ends = np.asarray(top.prevalence * tp + (1 - top.prevalence) * fp, dtype=np.float64)
    return not bool(((ends > max(top.q - reach, 0.0)) & (ends < top.q + reach)).any())


def _root(excess: Callable[[float], float], far: float, near: float) -> float:
    """Return where an excess, above zero far away, becomes zero, or the end where it does not.

    By false position; an end that stays twice counts half: Dowell & Jarratt (1971), BIT 11.
    """
    ends = [(far, excess(far)), (near, excess(near))]
    if ends[0][1] <= 0 or ends[1][1] > 0 or abs(far - near) <= FINE:
        return far if ends[0][1] <= 0 else near
    moved, found = 2, 1.0
    while abs(ends[1][0] - ends[0][0]) > FINE < abs(found):
        (far, outside), (near, inside) = ends
        middle = near + (far - near) * inside / (inside - outside)
        found, last = excess(middle), moved
        moved = 0 if found > 0 else 1
        if moved == last:
            place, value = ends[1 - moved]
            ends[1 - moved] = place, value / 2
        ends[moved] = middle, found
    # Further digits are those of the search.
    return round(ends[moved][0], DIGITS)


def _places(top: TopShare, confidence: Confidence) -> tuple[Floats, ...]:
    """Return what cut-offs near that at q select of each class, inside scores too.

    After both shares come Σw²/(Σw)² of what is selected of each class, and of what is not.
    """
    sums = shares(top.counts)
    x, tp, fp = (
        np.asarray(axis.sums / axis.total, dtype=np.float64)
        for axis in (sums.cases, sums.positives, sums.negatives)
    )
    # As many as totals hold, so that these have the same limits.
    held = np.union1d(x[: FIRST + 1], np.arange(SHARES_OF_CASES + 1) / SHARES_OF_CASES)
    masses = (np.append(0.0, np.cumsum(mass)) for mass in squared_masses(top.counts))
    found = [np.interp(held, x, sums) for sums in (tp, fp, *masses)]
    found += [mass[-1] - mass for mass in found[2:]]
    selected = top.prevalence * found[0] + (1 - top.prevalence) * found[1]
    # No other cut-off is likely enough.
    reach = (confidence.z + 1) * top.spread() + 1 / top.cases("precision")
    low, high = np.clip([top.q - reach, top.q + reach], 0.0, 1.0)
    inside = selected[(selected > low) & (selected < high)]
    places = np.union1d(inside, np.linspace(low, high, INSIDE))
    return tuple(np.interp(places, selected, sums) for sums in found)


def _squared_deviates(
    top: TopShare, rate: Rate, places: tuple[Floats, ...]
) -> Callable[[float], Floats]:
    """Return how unlikely each cut-off is as the place where the rate has a value.

    The two squares are of independent numbers: of precision and the share selected; of captured
    response and the share that would be selected if so many positives were. Under a stated
    prevalence π they are of the shares C and f of both classes, with πC + (1 - π)f = q.
    """
    (tp, fp, won, lost, missed, spared), pi, q = places, top.prevalence, top.q
    if top.stated is not None:
        return _of_both_classes(top, rate, places)
    captured, passed = equal_cases(tp, 1 - tp, won, missed), equal_cases(fp, 1 - fp, lost, spared)
    hits, passes, square = pi * tp, (1 - pi) * fp, (1 - pi) ** 2
    won, missed = pi**2 * won, pi**2 * missed
    won_too, missed_too = won + square * lost, missed + square * spared
    selected = equal_cases(hits + passes, 1 - hits - passes, won_too, missed_too)
    if rate == "precision":
        precision, at_q = equal_cases(hits, passes, won, square * lost), _square(selected, q)
        return lambda value: _square(precision, value) + at_q

    def of_captured(value: float) -> Floats:
        free = np.clip(selected[0] - pi * (tp - value), 0.0, 1.0)
        share = min(max((q - pi * value) / max(1 - pi, FINE), 0.0), 1.0)
        spread = (won + missed) * (value - q) ** 2
        spread += square * (share * (1 - q) ** 2 + (1 - share) * q**2) / passed[1]
        # Weights next to nothing leave no spread that a float holds.
        cases = q * (1 - q) / np.maximum(spread, LEAST_SPREAD)
        return _square(captured, value) + _square((free, cases), q)

    return of_captured


def _of_both_classes(
    top: TopShare, rate: Rate, places: tuple[Floats, ...]
) -> Callable[[float], Floats]:
    """Return the same under a stated prevalence, also where one class is as it is seen.

    Where one class has far more cases, its share is likely only next to that place.
    """
    pi, q = top.prevalence, top.q
    scale, at = q / pi if rate == "precision" else 1.0, np.arange(len(places[0]))

    def squares(value: float) -> Floats:
        captured = value * scale
        passed = (q - pi * captured) / (1 - pi)
        seen = [np.interp(passed, places[1], at), np.interp(captured, places[0], at)]
        tp, fp, won, lost, missed, spared = (np.append(p, np.interp(seen, at, p)) for p in places)
        found = _square(equal_cases(tp, 1 - tp, won, missed), captured)
        found += _square(equal_cases(fp, 1 - fp, lost, spared), passed)
        return found

    return squares


def _square(found: tuple[Floats, Floats], rate: float) -> Floats:
    """Return the squared deviates of shares of so many cases each from a rate."""
    share, cases = found
    return deviates(share * cases, cases, min(max(rate, 0.0), 1.0)) ** 2

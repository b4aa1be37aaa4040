"""Limits of a top share that few cases are in: what its standard error cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.cutoffs import FIRST
from capcurve.curves.shares import shares
from capcurve.inference.limits import crossing
from capcurve.inference.rates import deviates, rate_limits
from capcurve.inference.sizes import effective_sizes

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.inference.records import Confidence, Limits
    from capcurve.inference.statistics import Rate
    from capcurve.inference.top_share import TopShare

# With fewer of the typical weighted cases selected, the share captured is no better known than the
# rate among them.
FEW_SELECTED = 20
# Places of the cut-off inside scores that are looked at.
INSIDE = 50
# Digits of limits that are searched for.
FINE = 1e-9


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
    """Return limits under a stated prevalence that allow for any place of the true cut-off.

    There C of the positives and f of the negatives are selected, with πC + (1 - π)f = q, and both
    counts are binomial. C lies within the limits while there is a cut-off in the sample at which
    the squares of both normal deviates (mid-P) add up to no more than z²: an empirical likelihood
    with tails that are right for few cases (Claeskens et al. 2003, Can. J. Stat. 31).
    """
    pi, sizes = top.prevalence, effective_sizes(top.counts)
    tp, fp = _cutoffs(top.counts, pi)

    def too_far(captured: float) -> bool:
        spared = (top.q - pi * captured) / (1 - pi)
        squares = deviates(tp * sizes.positives, sizes.positives, captured) ** 2
        squares += deviates(fp * sizes.negatives, sizes.negatives, spared) ** 2
        return bool(squares.min() > confidence.z**2)

    least, most = max(0.0, (top.q - 1 + pi) / pi), min(1.0, top.q / pi)
    scale = pi / top.q if rate == "precision" else 1.0
    low = least + crossing(lambda d: too_far(least + d), top.captured - least, FINE)
    high = most - crossing(lambda d: too_far(most - d), most - top.captured, FINE)
    return low * scale, high * scale


def _cutoffs(counts: ScoreCounts, prevalence: float) -> tuple[Floats, Floats]:
    """Return the shares of both classes that the first cut-offs select, inside scores too."""
    sums = shares(counts, prevalence)
    axes = (sums.cases, sums.positives, sums.negatives)
    # As many as totals hold, so that these have the same limits.
    x, tp, fp = (np.asarray(a.sums / a.total, dtype=np.float64)[: FIRST + 1] for a in axes)
    places = np.union1d(x, np.linspace(0.0, x[-1], INSIDE))
    return np.interp(places, x, tp), np.interp(places, x, fp)

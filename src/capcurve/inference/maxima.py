"""Intervals of KS and the best profit, maxima that samples exaggerate, and of partial AUC."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.table import wide
from capcurve.curves.simplify import grouped_neighbours
from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes
from capcurve.inference.discrimination import leads_somewhere
from capcurve.inference.halving import ks_of_samples
from capcurve.inference.limits import (
    UNIT_ENDS,
    Allowance,
    ByError,
    Chance,
    Statistic,
    around,
    cut_at_ends,
    envelope,
    jackknife_interval,
    newcombe,
    percentiles,
)
from capcurve.inference.rates import deviates, limits_of_difference, limits_of_rate
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
from capcurve.inference.samples import gaps, ks_statistics, partial_aucs
from capcurve.inference.selections import Cutoff
from capcurve.metrics import KS, ks, partial_auc
from capcurve.numbers.kept_cutoffs import GROUPS_OF_BOTH

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.numbers.types import Floats

LEAST_TAIL = 1e-12  # Student's quantile of one case leaves a normal tail that a level cannot hold
# How much a maximum exaggerates is seen in so many places, and where it is reached.
MAXIMUM_PLACES = 300
CUTOFFS_NEAR = 50  # cut-offs near a false positive rate that are looked at
MOST_RESAMPLED_CELLS = 1000  # more distinct scores are grouped before a sample is drawn anew
# So many samples show by how much a maximum exaggerates, unless one asks for more or fewer.
OF_A_MEAN = 500
KS_STATISTIC = "the KS statistic"
TIMES_BIAS = 2  # simulated: once covers .81 of worthless scores, twice .92 and more


def ks_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the KS statistic: a maximum, which samples exaggerate."""
    # "hybrid": Newcombe's (1998) hybrid score limits of the difference of both rates. The lower one
    # is that at the cut-off where the statistic is reached, moved down as `_allowed` says, and 0
    # unless the KS test rejects; the upper one the highest at any cut-off, since the true statistic
    # may be reached elsewhere. Resampling is asked for the former alone, so that few groups of
    # scores suffice, and without a seed it takes the same samples every time.
    # Groups of scores suffice for hybrid limits, so the cut-offs that totals hold do too.
    counts = request.counts.vertices if method == "hybrid" else request.counts.every_score()
    confidence = request.confidence
    if method == "jackknife":
        return _ks_without_groups(counts, confidence)
    found = ks(counts)
    if method == "bootstrap":
        widest = ks_of_samples(request.resampling(counts))
        plain = _less_bias(confidence, found.statistic, widest)
        if plain.se is not None:
            return plain
    # How far to move a limit needs few groups of scores, one of which ends at KS, and fewer samples
    # than a limit does.
    groups = grouped_neighbours(counts, GROUPS_OF_BOTH, _place(counts, found))
    few = request.resampling(groups, OF_A_MEAN)
    drawn = few.draw(gaps)
    widest = np.abs(drawn).max(axis=1)
    plain = _less_bias(confidence, found.statistic, widest)
    chosen = Cutoff.at(counts, found.threshold)
    rates = chosen.of_side(designs.POSITIVES), chosen.of_side(designs.NEGATIVES)
    least, most = _hybrid_limits(*rates, confidence)
    at_most = float(least if found.side == "+" else -most)
    bias = max(float(widest.mean()) - found.statistic, 0.0)
    limit = at_most - TIMES_BIAS * bias
    lower, notes = _allowed(limit, found.statistic, drawn, few.counts, confidence)
    sizes = designs.effective_sizes(few.counts)
    of1, of0 = (np.minimum(np.cumsum(c) / c.sum(), 1.0) for c in map(wide, few.counts.sums))
    lows, highs = _hybrid_limits((of1, sizes.positives), (of0, sizes.negatives), confidence)
    raw = (lower, float(max(highs.max(), -lows.min())))
    limits, cut = cut_at_ends(raw, UNIT_ENDS, KS_STATISTIC)
    low, high = confidence.opened(limits, UNIT_ENDS)
    plain = replace(plain, replicates=None)  # of gaps between groups of scores
    return replace(plain, low=low, high=high, method="hybrid", notes=(*notes, *cut))


def _allowed(
    limit: float, seen: float, drawn: Floats, counts: ScoreCounts, confidence: Confidence
) -> tuple[float, tuple[str, ...]]:
    """Return a lower limit of KS less its bias, moved down for being the best of many."""
    # Twice the bias that resampling shows: it draws from a sample that exaggerates already, and
    # so shows too little. At least by as much as chance widens the largest of those gaps that may
    # be the true maximum, those below the widest by no more than chance widens any gap: far where
    # many are nearly as wide (Chernozhukov, Lee & Rosen 2013, Econometrica 81). And to 0 where the
    # KS test, which deals labels to unweighted cases, does not reject.
    scale = designs.unit(counts)
    (here,) = gaps(counts.positives[None, :] / scale, counts.negatives[None, :] / scale)
    moved = drawn - here
    anywhere = np.quantile(np.abs(moved).max(axis=1), 1 - confidence.tail)
    least = np.abs(here).max() - anywhere - designs.SPREAD_ROUNDING
    up = moved[:, here >= least].max(axis=1, initial=-np.inf)
    down = moved[:, -here >= least].min(axis=1, initial=np.inf)
    reach = float(np.quantile(np.maximum(up, -down), 1 - confidence.tail))
    lower = min(limit, seen - reach)
    note = f"the lower limit is bias-corrected by a bootstrap ({len(drawn)} replicates)"
    alpha, dealt = 1 - confidence.level, counts.weights is None and confidence.side != "upper"
    if dealt and lower > 0 and leads_somewhere(counts, alpha).p_value > alpha:
        return 0.0, (note, "the KS test does not show a statistic above 0, so the lower limit is 0")
    return lower, (note,)


def _ks_without_groups(counts: ScoreCounts, confidence: Confidence) -> Interval:
    """Return limits whose lower one is moved down by how much a maximum exaggerates."""
    # That is how far the largest of gaps drawn around those seen, with the covariance that leaving
    # out groups shows, lies above the largest seen.
    groups = designs.groups_per_class(counts).rarer
    statistic = Statistic(ks(counts).statistic, ks_statistics, groups)
    few = designs.in_few_cells(counts, _place(counts, ks(counts)))
    found = jackknife_interval(few, statistic, confidence)
    if found.method != "jackknife" or confidence.side == "upper":
        return found
    places = np.unique(np.linspace(0, len(few) - 1, MAXIMUM_PLACES).round().astype(np.intp))
    left = designs.leave_out(few, partial(gaps, cells=places))
    bias = designs.exaggeration(np.abs(left.drawn()), np.abs(left.values))
    note = (
        f"samples exaggerate a maximum, here by {bias:.4g}, and the lower limit is lowered by that"
    )
    return replace(found, low=max(found.low - bias, 0.0)).with_notes(note)


def _place(counts: ScoreCounts, found: KS) -> int:
    """Return the cell at whose end KS is reached."""
    place = np.flatnonzero(counts.thresholds == found.threshold)
    return int(place[0]) if len(place) else 0


def _hybrid_limits(
    captured: tuple[Any, float], fpr: tuple[Any, float], confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return limits of the gap captured - fpr, each rate with how many cases it is over."""
    # The normal quantile is Student's, as the cut-off was fitted too. Simulated: with 10 positives
    # the normal one covers .915 of continuous scores, this .97.
    from scipy.special import ndtr

    (hit, of1), (passed, of0) = captured, fpr
    t = confidence.t(max(min(of1, of0) - 1, 1.0))
    tail = max(float(ndtr(-t)), LEAST_TAIL)
    wider = replace(confidence, level=1 - (2 * tail if confidence.side == "both" else tail))
    return limits_of_difference((hit * of1, passed * of0), (of1, of0), wider)


def partial_auc_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the area under the ROC up to a false positive rate."""
    # "profile": what `_mean_heights` allows; "bootstrap": percentiles; "jackknife" leaves out
    # groups of clusters.
    counts, max_fpr, confidence = request.counts.every_score(), request.max_fpr, request.confidence
    estimate, statistic = partial_auc(counts, max_fpr), partial(partial_aucs, max_fpr=max_fpr)
    if method == "bootstrap":
        drawn = request.resampling(grouped_neighbours(counts, MOST_RESAMPLED_CELLS)).draw(statistic)
        se = designs.standard_error(drawn)
        note = f"{len(drawn)} replicates, each class kept its size"
        if se is not None:
            limits, notes = percentiles(drawn, confidence), (f"{note}; quantiles of type 7",)
            return confidence.interval(estimate, limits, (0.0, max_fpr), method, se, notes, drawn)
    height, cases = Chance.of(estimate / max_fpr), designs.effective_sizes(counts).positives
    clustered = method == "jackknife"
    near = grouped_neighbours(counts, MOST_RESAMPLED_CELLS) if clustered else counts
    se = float(np.sqrt(TopAreas.of(near, np.array([max_fpr])).variance[0]))
    known = se if se > designs.SPREAD_ROUNDING * max_fpr else None
    if clustered:
        held = designs.groups_per_class(counts)
        area = Statistic(estimate, statistic, held.rarer, max_fpr)
        found = jackknife_interval(near, area, confidence)
        if found.method != "jackknife":
            return found
        # The cases over the design effect, and at least the groups.
        known, naive = found.se, known or np.inf
        cases = max(cases * min((naive / (known or naive)) ** 2, 1.0), held.positives)
        found = found.over(max_fpr, height.won)
    else:
        limits = around(_mean_heights(counts, max_fpr, confidence), height.won)
        found = confidence.interval(height.won, limits, (0.0, 1.0), "profile", None)
    # Where cases rank at random the ROC is a straight line.
    allowance = Allowance(request.unseen, "partial_auc", max_fpr, max_fpr / 2)
    found = allowance.extended(found, height, ClassSizes(cases, np.inf), confidence)
    return replace(found.over(1 / max_fpr, estimate), se=known)


def _mean_heights(counts: ScoreCounts, max_fpr: float, confidence: Confidence) -> Limits:
    """Return limits of the mean height of the ROC up to a false positive rate."""
    # That is the AUC of positives against the highest negatives, and how many of these the true
    # cut-off there selects is binomial. So limits are those of such an AUC at any cut-off, with
    # what the deviate of the rate there (mid-P) leaves of z², and no higher than the ROC may be
    # there: the outer ones of logit limits (DeLong, Student's t) and of Newcombe's.
    sizes = designs.effective_sizes(counts)
    spread = np.sqrt(max_fpr * (1 - max_fpr) / sizes.negatives)
    reach = (confidence.z + 1) * spread + 1 / sizes.negatives
    places = np.linspace(max(max_fpr - reach, 0.0), min(max_fpr + reach, 1.0), CUTOFFS_NEAR + 1)[1:]
    left = confidence.z**2 - deviates(places * sizes.negatives, sizes.negatives, max_fpr) ** 2
    # At a low level no other place may be left than the likeliest.
    kept = (left >= 0) | (left == left.max())
    areas, found = TopAreas.of(counts, places[kept]), []
    for k, z in enumerate(np.sqrt(np.maximum(left[kept], 0.0)).tolist()):
        sure, auc, se = Confidence.at(z), Chance.of(float(areas.share[k])), float(areas.se[k])
        negatives = sizes.negatives * float(areas.fpr[k])
        several = [newcombe(auc, ClassSizes(sizes.positives, negatives), z)]
        if negatives < 1:
            # Of less than a case nothing is known but that the area is a share.
            several.append(limits_of_rate(auc.won, min(sizes.positives, negatives), "wilson", sure))
        inside = designs.ERROR_ROUNDING < auc.won < 1 - designs.ERROR_ROUNDING
        if inside and se > designs.SPREAD_ROUNDING:
            found_here = ByError(auc.won, se, sure.t(max(sizes.rarer - 1, 1.0)))
            several.append(found_here.scaled or found_here.plain)
        low, high = envelope(*several)
        highest = limits_of_rate(float(areas.height[k]), sizes.positives, "wilson", sure)[1]
        found.append((low, min(high, highest)))
    return envelope(*found)


@dataclass(frozen=True, slots=True, eq=False)
class TopAreas:
    """The ROC up to some false positive rates, each inside a score in proportion."""

    fpr: Floats
    height: Floats  # of the ROC there
    share: Floats  # its mean height up to there
    se: Floats  # of the mean height where the cut-off is fixed: DeLong et al. (1988)
    variance: Floats  # of the area where the rate is fixed, and the cut-off moves

    @classmethod
    def of(cls, counts: ScoreCounts, fpr: Floats) -> TopAreas:
        """Add up, over the scores before each rate, what their influences are made of."""
        p, n = (column / float(column.sum()) for column in map(wide, counts.sums))
        tp, fp = (np.append(0.0, np.minimum(np.cumsum(share), 1.0)) for share in (p, n))
        lost, height = fp[:-1] + n / 2, tp[:-1] + p / 2
        # The score in which each rate lies, and how much of it lies above.
        at = np.clip(np.searchsorted(fp, fpr) - 1, 0, len(p) - 1)
        part = np.clip((fpr - fp[at]) / np.where(n[at] > 0, n[at], 1.0), 0.0, 1.0)

        def before(values: Floats) -> Floats:
            return np.append(0.0, np.cumsum(values))[at]

        mass1, mass0 = designs.squared_masses(counts)
        top, here = np.minimum(tp[at] + part * p[at], 1.0), tp[at] + part * p[at] / 2
        area = before(n * height) + part * n[at] * here
        share = np.clip(area / fpr, 0.0, 1.0)
        won = fpr - area  # the influence of a positive above all negatives
        of1 = won**2 * before(mass1) - 2 * won * before(mass1 * lost) + before(mass1 * lost**2)
        of1 += mass1[at] * (part**2 * n[at] / 2 - area) ** 2
        of1 += (mass1.sum() - before(mass1) - mass1[at]) * area**2

        def of0(middle: Floats) -> Floats:
            squares = before(mass0 * height**2) - 2 * middle * before(mass0 * height)
            squares += middle**2 * before(mass0) + mass0[at] * (part * (here - middle)) ** 2
            return squares

        se = np.sqrt(np.maximum(of1 + of0(share), 0.0)) / fpr
        moved = of0(top) - mass0.sum() * (area - fpr * top) ** 2
        return cls(fpr, top, share, se, np.maximum(of1 + moved, 0.0))


def _less_bias(confidence: Confidence, estimate: float, drawn: Floats) -> Interval:
    """Return normal limits of KS around the estimate less the bias that resampling shows."""
    bias, se = float(drawn.mean()) - estimate, designs.standard_error(drawn)
    middle, reach = estimate - bias, confidence.z * (se or 0.0)
    limits, cut = cut_at_ends((middle - reach, middle + reach), UNIT_ENDS, KS_STATISTIC)
    note = f"bias-corrected bootstrap ({len(drawn)} replicates)"
    if se is None:
        note = "all replicates are alike, so resampling sees no spread where there may be one"
    # The bias may exceed the limits' reach; the estimate is possible whatever it is.
    limits = around(limits, estimate)
    return confidence.interval(estimate, limits, UNIT_ENDS, "bootstrap", se, (note, *cut), drawn)

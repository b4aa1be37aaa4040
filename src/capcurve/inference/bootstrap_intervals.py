"""Intervals that only resampling gives: KS, partial AUC, the profit of the best cut-off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cutoffs import GROUPS_OF_BOTH
from capcurve.curves import profit_curve
from capcurve.inference import auc_limits, bootstrap, resampled
from capcurve.inference.auc_intervals import Ranking, auc_interval
from capcurve.inference.auc_limits import Chance
from capcurve.inference.cutoff_intervals import Selection
from capcurve.inference.grouping import grouped
from capcurve.inference.interval import Confidence, Interval, within
from capcurve.inference.rates import both_limits
from capcurve.inference.sizes import effective_sizes, rows_per_class
from capcurve.metrics import ks, partial_auc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.metrics import KS

SEED = 0
# Student's quantile of one case leaves a normal tail that a level cannot hold.
LEAST_TAIL = 1e-12


@dataclass(frozen=True, slots=True)
class Resampling:
    """How to resample: what was counted, level and side, how many samples, from which seed."""

    counts: ScoreCounts
    confidence: Confidence
    replicates: int
    seed: Any

    def draw(self, statistic: Any, *, stratified: bool = True) -> NDArray[np.float64]:
        """Return the statistic of every sample."""
        return bootstrap.replicated(
            self.counts,
            statistic,
            replicates=self.replicates,
            seed=self.seed,
            stratified=stratified,
        )


def ks_interval(resampling: Resampling, method: str) -> Interval:
    """Return the interval of the KS statistic: a maximum, which samples exaggerate.

    "hybrid": Newcombe's (1998) hybrid score limits of the difference of both rates. The lower
    one is that at the cut-off where the statistic is reached, moved down by the bias that
    resampling shows; the upper one the highest at any cut-off, since the true statistic may be
    reached elsewhere. The bias is all that resampling is asked for, so that few groups of
    scores suffice, and without a seed it takes the same samples every time.
    """
    found = ks(resampling.counts)
    few = _for_bias(resampling, found)
    drawn = few if method == "hybrid" else resampling
    gaps = drawn.draw(resampled.ks_statistics)
    plain = _less_bias(resampling, found.statistic, gaps, (0.0, 1.0), "the KS statistic")
    if method == "bootstrap" and plain.se is not None:
        return plain
    chosen = Selection.at(resampling.counts, found.threshold)
    rates = (*chosen.captured(), *chosen.false_positives())
    low, high = _hybrid_limits(*rates, resampling.confidence)
    bias = float(gaps.mean()) - found.statistic
    lower = (low if found.side == "+" else -high) - max(bias, 0.0)
    raw = (float(lower), _highest(few))
    limits, cut = within(raw, (0.0, 1.0), "the KS statistic")
    opened = resampling.confidence.opened(limits, (0.0, 1.0))
    note = (
        f"a maximum: its {len(gaps)} replicates lie {bias:.4g} above it on average, "
        "and the lower limit is lowered by that"
    )
    return replace(plain, low=opened[0], high=opened[1], method="hybrid", notes=(note, *cut))


def _for_bias(resampling: Resampling, found: KS) -> Resampling:
    """Return how to resample for the bias alone: a few groups of scores, one ending at KS.

    A mean needs fewer samples than quantiles do: a quarter of what was asked for.
    """
    replicates = resampling.replicates
    bootstrap.check_replicates(replicates)
    counts = resampling.counts
    place = np.flatnonzero(counts.thresholds == found.threshold)
    few = grouped(counts, GROUPS_OF_BOTH, int(place[0]) if len(place) else 0)
    return replace(
        resampling,
        counts=few,
        replicates=max(replicates // 4, bootstrap.FEWEST_REPLICATES),
        seed=SEED if resampling.seed is None else resampling.seed,
    )


def _highest(few: Resampling) -> float:
    """Return the highest upper limit of the gap between the classes at any cut-off."""
    p, n = (column.astype(np.float64) for column in (few.counts.positives, few.counts.negatives))
    sizes = effective_sizes(few.counts)
    captured, fpr = (np.minimum(np.cumsum(column) / column.sum(), 1.0) for column in (p, n))
    low, high = _hybrid_limits(captured, sizes.positives, fpr, sizes.negatives, few.confidence)
    return float(max(high.max(), -low.min()))


def _hybrid_limits(captured: Any, of1: float, fpr: Any, of0: float, confidence: Confidence) -> Any:
    """Return limits of the gap captured - fpr, each rate over so many cases."""
    wider = _as_student(confidence, min(of1, of0))
    low1, high1 = both_limits(captured * of1, of1, "wilson", wider)
    low0, high0 = both_limits(fpr * of0, of0, "wilson", wider)
    down, up = np.hypot(captured - low1, high0 - fpr), np.hypot(high1 - captured, fpr - low0)
    return captured - fpr - down, captured - fpr + up


def _as_student(confidence: Confidence, cases: float) -> Confidence:
    """Return the confidence whose normal quantile is Student's: the cut-off was fitted too.

    Simulated: with 10 positives the normal one covers .915 of continuous scores, this .97.
    """
    from scipy.special import ndtr

    t = confidence.t(max(cases - 1, 1.0))
    tail = max(float(ndtr(-t)), LEAST_TAIL)
    return replace(confidence, level=1 - (2 * tail if confidence.side == "both" else tail))


def profit_interval(resampling: Resampling, value: float, cost: float) -> Interval:
    """Return the interval of the profit of the best cut-off, in the unit of value and cost."""
    estimate = max(0.0, float(profit_curve(resampling.counts, value=value, cost=cost).y.max()))
    drawn = resampling.draw(
        partial(resampled.best_profits, value=value, cost=cost), stratified=False
    )
    unit, ends = bootstrap.unit(resampling.counts), (0.0, np.inf)
    return _less_bias(resampling, estimate, drawn, ends, "the best profit", unit)


def partial_auc_interval(resampling: Resampling, max_fpr: float, method: str) -> Interval:
    """Return the interval of the area under the ROC up to a false positive rate.

    "bootstrap_logit": symmetric on the scale ln(a/(1 - a)) of the share a of the largest
    possible area, with the bootstrap's standard error and Student's t; "bootstrap":
    percentiles.
    """
    estimate = partial_auc(resampling.counts, max_fpr)
    drawn = resampling.draw(partial(resampled.partial_aucs, max_fpr=max_fpr))
    se, confidence = bootstrap.standard_error(drawn), resampling.confidence
    notes = f"{resampling.replicates} replicates, each class kept its size"
    share = estimate / max_fpr
    if min(rows_per_class(resampling.counts)) == 1:
        return _bounded(resampling, estimate, max_fpr, "one row of a class shows no spread")
    if se is None or not 0 < share < 1:
        return _bounded(resampling, estimate, max_fpr, "all replicates are alike")
    if method == "bootstrap":
        limits = bootstrap.percentiles(drawn, confidence)
        notes += "; quantiles of type 7"
    else:
        t = confidence.t(max(effective_sizes(resampling.counts).rarer - 1, 1.0))
        low, high = auc_limits.logit(Chance(share, 1 - share), se / max_fpr, t)
        limits = (low * max_fpr, high * max_fpr)
    low, high = confidence.opened(limits, (0.0, max_fpr))
    return Interval(low, estimate, high, confidence.level, method, se, (notes,))


def _bounded(resampling: Resampling, estimate: float, max_fpr: float, why: str) -> Interval:
    """Return what the AUC's limits leave where resampling shows no standard error."""
    confidence = resampling.confidence
    whole = auc_interval(Ranking(resampling.counts, confidence, "delong", 2, None), "newcombe")
    # To the right of max_fpr the area is at most 1 - max_fpr.
    limits = (max(whole.low - (1 - max_fpr), 0.0), min(whole.high, max_fpr))
    low, high = confidence.opened((min(limits[0], estimate), limits[1]), (0.0, max_fpr))
    note = f"{why}; limits are what Newcombe's for the AUC leave for this part"
    return Interval(low, estimate, high, confidence.level, "newcombe", None, (note,))


def _less_bias(
    resampling: Resampling,
    estimate: float,
    drawn: NDArray[np.float64],
    ends: tuple[float, float],
    what: str,
    unit: float = 1.0,
) -> Interval:
    """Return normal limits around the estimate less the bias that resampling shows."""
    confidence, spread = resampling.confidence, bootstrap.standard_error(drawn)
    bias, se = float(drawn.mean()) * unit - estimate, None if spread is None else spread * unit
    middle, reach = estimate - bias, confidence.z * (se or 0.0)
    raw = (middle - reach, middle + reach)
    (low, high), cut = within(raw, ends, what)
    note = (
        f"a maximum: its {len(drawn)} replicates lie {bias:.4g} above it on average, "
        "and the limits are lowered by that"
    )
    if se is None:
        note = "all replicates are alike, so resampling sees no spread where there may be one"
    # The bias may exceed the limits' reach; the estimate is possible whatever it is.
    low, high = confidence.opened((min(low, estimate), max(high, estimate)), ends)
    return Interval(low, estimate, high, confidence.level, "bootstrap", se, (note, *cut))

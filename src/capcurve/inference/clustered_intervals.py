"""Intervals of any number when rows are clustered, by leaving out groups of clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import told
from capcurve.curves.shares import require
from capcurve.inference import resampled
from capcurve.inference.auc_limits import Chance, logit, newcombe
from capcurve.inference.clustered_profits import clustered_profit_interval
from capcurve.inference.interval import Confidence, Interval
from capcurve.inference.jackknife import LEAST_GROUPS, NOTHING, holding, leave_out, notes_of
from capcurve.inference.rates import rate_limits
from capcurve.inference.sizes import ClassSizes, effective_sizes
from capcurve.inference.variances import auc_variance
from capcurve.metrics import captured_response, ks, lift, partial_auc, precision, roc_auc
from capcurve.tables import operating_point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference.jackknife import Statistic

IGNORED = (
    "the rows are clustered, and method={!r} treats them as independent: the limits are too "
    'narrow; method="jackknife" leaves out whole clusters'
)
# Gaps are looked at in so many places to see how much a maximum exaggerates.
GAPS = 300
# From so many groups of the rarer class on, simulated coverage needs Newcombe's limits no more.
ENOUGH_GROUPS = 30
AT_SHARE = {"captured_response": captured_response, "lift": lift, "precision": precision}


@dataclass(frozen=True, slots=True)
class Number:
    """A number between 0 and `top`, how samples have it, and how many groups it is about."""

    estimate: float
    statistic: Statistic
    groups: int
    top: float = 1.0


def clustered_interval(
    counts: ScoreCounts, metric: str, given: Mapping[str, Any], confidence: Confidence
) -> Interval:
    """Return the interval of a metric from what leaving out groups of clusters does to it.

    Rates and areas are taken on the scale ln(a/(1 - a)), with Student's t.
    Where leaving out a group shows no spread a rate has the Clopper-Pearson limits of as many
    cases as there are groups.
    """
    if metric == "profit":
        return clustered_profit_interval(counts, given["value"], given["cost"], confidence)
    if metric == "ks":
        return _ks_interval(counts, given, confidence)
    if metric == "roc_auc":
        return _auc_interval(counts, confidence)
    if metric == "accuracy_ratio":
        found = clustered_interval(counts, "roc_auc", given, confidence)
        low, middle, high = (2 * x - 1 for x in (found.low, found.estimate, found.high))
        se = None if found.se is None else 2 * found.se
        return replace(found, low=low, estimate=middle, high=high, se=se)
    if metric in AT_SHARE and given["q"] is None:
        return _at_cutoff(counts, metric, given["threshold"], confidence)
    if given["q"] == 1 and metric in {"captured_response", "lift"}:
        note = "all cases are selected, so this holds in any sample"
        return Interval(1.0, 1.0, 1.0, confidence.level, "definition", 0.0, (note,))
    return _bounded(counts, _number(counts, metric, given), confidence)


def _number(counts: ScoreCounts, metric: str, given: Mapping[str, Any]) -> Number:
    of1, of0 = holding(counts)
    if metric in AT_SHARE:
        require(counts, "positives", "negatives")
        q: Any = given["q"]
        which: Any = metric
        pi = given["prevalence"]
        statistic: Statistic = partial(resampled.at_share, q=q, which=which, prevalence=pi)
        estimate = AT_SHARE[metric](counts, q, prevalence=pi)
        groups = of1 if pi is None else min(of1, of0)
        return Number(estimate, statistic, groups, 1 / q if metric == "lift" else 1)
    if metric == "ks":
        return Number(ks(counts).statistic, resampled.ks_statistics, min(of1, of0))
    if metric == "partial_auc":
        end: Any = given["max_fpr"]
        statistic = partial(resampled.partial_aucs, max_fpr=end)
        return Number(partial_auc(counts, end), statistic, min(of1, of0), end)
    return Number(roc_auc(counts), resampled.aucs, min(of1, of0))


def _bounded(counts: ScoreCounts, number: Number, confidence: Confidence) -> Interval:
    share = number.estimate / number.top
    left = leave_out(counts, number.statistic) if number.groups >= LEAST_GROUPS else None
    if left is None or not 0 < share < 1 or left.se() <= NOTHING * number.top:
        return _without_spread(number, share, confidence)
    df = left.freedom(number.groups)
    reach = left.se() / number.top
    limits = logit(Chance(share, 1 - share), reach, confidence.t(df))
    low, high = (limit * number.top for limit in confidence.opened(limits, (0.0, 1.0)))
    low, high = min(low, number.estimate), max(high, number.estimate)
    notes = notes_of(left, df, number.groups)
    return Interval(low, number.estimate, high, confidence.level, "jackknife", left.se(), notes)


def _auc_interval(counts: ScoreCounts, confidence: Confidence) -> Interval:
    """Return the interval of the AUC; with few clusters the envelope with Newcombe's limits.

    These are of as many cases as would vary as much if they were independent: the cases over
    the design effect, and at least the groups.
    """
    found = _bounded(counts, _number(counts, "roc_auc", {}), confidence)
    of1, of0 = holding(counts)
    if found.method != "jackknife" or found.se is None or min(of1, of0) >= ENOUGH_GROUPS:
        return found
    sizes, naive = effective_sizes(counts), auc_variance(counts)
    effect = max(found.se**2 / naive, 1.0) if naive > 0 else np.inf
    alike = ClassSizes(max(sizes.positives / effect, of1), max(sizes.negatives / effect, of0))
    limits = newcombe(Chance(found.estimate, 1 - found.estimate), alike, confidence.z)
    low, high = confidence.opened(limits, (0.0, 1.0))
    note = (
        f"envelope with Newcombe's limits for {alike.positives:.3g} positives and "
        f"{alike.negatives:.3g} negatives: the cases over the design effect, or the groups"
    )
    low, high = min(low, found.low), max(high, found.high)
    return replace(found, low=low, high=high, notes=(*found.notes, note))


def _ks_interval(counts: ScoreCounts, given: Mapping[str, Any], confidence: Confidence) -> Interval:
    """Return limits whose lower one is moved down by how much a maximum exaggerates.

    That is how far the largest of gaps drawn around those seen, with the covariance that leaving
    out groups shows, lies above the largest seen.
    """
    found = _bounded(counts, _number(counts, "ks", given), confidence)
    if found.method != "jackknife" or confidence.side == "upper":
        return found
    cells = np.unique(np.linspace(0, len(counts) - 1, GAPS).round().astype(np.intp))
    left = leave_out(counts, partial(resampled.gaps, cells=cells))
    bias = max(float(np.abs(left.drawn()).max(axis=1).mean() - np.abs(left.whole).max()), 0.0)
    note = f"a maximum: samples exaggerate it by {bias:.4g}, and the lower limit is lowered by that"
    return replace(found, low=max(found.low - bias, 0.0), notes=(*found.notes, note))


def _without_spread(number: Number, share: float, confidence: Confidence) -> Interval:
    cases = max(number.groups, 1)
    share = min(max(share, 0.0), 1.0)
    low, high = rate_limits(share * cases, cases, "clopper_pearson", confidence)
    note = (
        f"leaving out groups of clusters shows no spread: Clopper-Pearson limits for {cases} "
        f"cases, one per group"
    )
    limits = (min(float(low) * number.top, number.estimate), float(high) * number.top)
    high_end = max(limits[1], number.estimate)
    return Interval(
        limits[0], number.estimate, high_end, confidence.level, "clopper_pearson", None, (note,)
    )


def _at_cutoff(
    counts: ScoreCounts, metric: str, threshold: Any, confidence: Confidence
) -> Interval:
    """Return the interval at a fixed cut-off, which stays where it is in every sample."""
    require(counts, "positives", "negatives")
    asked: dict[str, Any] = {"threshold": threshold} if threshold is not None else {"q": 0}
    point: Any = operating_point(counts, **asked)
    last = np.flatnonzero(counts.thresholds == point.threshold)
    cells = int(last[0]) + 1 if point.threshold is not None else 0
    if metric != "captured_response" and not cells:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    if metric == "lift":
        return _lift_at_cutoff(counts, cells, float(point.lift), confidence)
    statistic = partial(_rate, cells=cells, which=metric)
    if metric == "captured_response":
        number = Number(float(point.captured), statistic, holding(counts)[0])
    else:
        number = Number(float(point.precision), statistic, _selected_groups(counts, cells))
    return _bounded(counts, number, confidence)


def _rate(
    p: NDArray[np.float64], n: NDArray[np.float64], cells: int, which: str
) -> NDArray[np.float64]:
    """Return captured response or precision of the first cells."""
    hit = p[:, :cells].sum(axis=1)
    whole = p.sum(axis=1) if which == "captured_response" else hit + n[:, :cells].sum(axis=1)
    rate: NDArray[np.float64] = hit / whole
    return rate


def _log_lift(p: NDArray[np.float64], n: NDArray[np.float64], cells: int) -> NDArray[np.float64]:
    hit, selected = p[:, :cells].sum(axis=1), (p + n)[:, :cells].sum(axis=1)
    found: NDArray[np.float64] = np.log(hit / selected / p.sum(axis=1) * (p + n).sum(axis=1))
    return found


def _selected_groups(counts: ScoreCounts, cells: int, *, positives: bool = False) -> int:
    """Return in how many groups there are selected cases, or selected positives."""
    last = counts.score[cells - 1]
    found = 0
    for group in counts.groups or ():
        above = group.score >= last if counts.higher_is == "positive" else group.score <= last
        here = group.positives[above].any()
        found += bool(here or (not positives and group.negatives[above].any()))
    return found


def _lift_at_cutoff(
    counts: ScoreCounts, cells: int, estimate: float, confidence: Confidence
) -> Interval:
    if cells == len(counts):
        note = "the cut-off selects all cases, of which a lift of 1 is the definition"
        return Interval(1.0, 1.0, 1.0, confidence.level, "definition", 0.0, (note,))
    groups = _selected_groups(counts, cells, positives=True)
    left = None
    if groups >= LEAST_GROUPS:
        left = leave_out(counts, partial(_log_lift, cells=cells))
    if left is None or left.se() <= NOTHING:
        pi = float(counts.n1 / counts.n)
        share = Number(estimate, resampled.aucs, _selected_groups(counts, cells), 1 / pi)
        return _without_spread(share, estimate * pi, confidence)
    df = left.freedom(groups)
    reach = float(np.exp(confidence.t(df) * left.se()))
    low, high = confidence.opened((estimate / reach, estimate * reach), (0.0, np.inf))
    notes = notes_of(left, df, groups)
    return Interval(low, estimate, high, confidence.level, "jackknife", estimate * left.se(), notes)

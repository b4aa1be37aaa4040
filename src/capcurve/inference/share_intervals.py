"""Intervals of captured response, lift and precision at a fixed share of all cases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.inference import bootstrap
from capcurve.inference.auc_limits import Chance, envelope, logit, wald
from capcurve.inference.interval import Confidence, Interval, within
from capcurve.inference.rates import rate_limits
from capcurve.inference.resampled import OfShare, at_share
from capcurve.inference.shares import TopShare
from capcurve.inference.sizes import effective_sizes

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts

ShareMethod = Literal["envelope", "logit", "wald", "bootstrap"]
# A standard error below this part of the rate is rounding: resampling would change nothing.
NOTHING = 1e-12
HEAVY = (
    "rows are weighted: where positives outside the top share are few and heavy, most samples "
    "miss them, and such limits are too high"
)


def share_interval(
    counts: ScoreCounts,
    which: OfShare,
    q: float,
    confidence: Confidence,
    *,
    method: ShareMethod = "envelope",
    prevalence: float | None = None,
    replicates: int,
    seed: Any,
) -> Interval:
    """Return the interval of a metric of the top share q, whoever else is drawn.

    "logit" limits are symmetric on the scale ln(c/(1 - c)), "wald" ones on that of c, both with
    Student's t; their envelope covers best where the CAP bends near q. Lift has those of
    captured response over q.
    """
    top = TopShare.of(counts, q, prevalence)
    if q == 1 and which != "precision":
        note = "all cases are selected, so this holds in any sample"
        return Interval(1.0, 1.0, 1.0, confidence.level, "definition", 0.0, (note,))
    if method == "bootstrap":
        return _bootstrap(top, which, confidence, replicates, seed)
    return _by_rate(top, which, confidence, method)


def _by_rate(
    top: TopShare, which: OfShare, confidence: Confidence, method: ShareMethod
) -> Interval:
    rate: OfShare = "captured_response" if which == "lift" else which
    scale = top.q if which == "lift" else 1.0
    limits, used, se, notes = _rate_limits(top, rate, confidence, method)
    low, high = (limit / scale for limit in confidence.opened(limits, (0.0, 1.0)))
    estimate, size = top.estimate(which), None if se is None else se / scale
    if top.counts.weights is not None and rate == "captured_response":
        notes = (*notes, HEAVY)
    # A metric read off the curve may differ from its limit by a rounding.
    low, high = min(low, estimate), max(high, estimate)
    return Interval(low, estimate, high, confidence.level, used, size, notes)


def _rate_limits(
    top: TopShare, rate: OfShare, confidence: Confidence, method: ShareMethod
) -> tuple[tuple[float, float], str, float | None, tuple[str, ...]]:
    lack, se = top.complement(rate), top.se(rate)
    estimate = top.estimate(rate) if lack else 1.0
    if estimate == 0 or lack == 0 or se <= NOTHING * min(estimate, lack):
        cases = _cases(top, rate)
        low, high = rate_limits(estimate * cases, cases, "clopper_pearson", confidence)
        what = "positives captured" if rate == "captured_response" else "selected cases"
        state = "none" if estimate == 0 else "all" if lack == 0 else "an even share"
        note = f"{state} of {cases:.6g} {what}: there is no standard error; Clopper-Pearson limits"
        return (float(low), float(high)), "clopper_pearson", None, (note,)
    chance, quantile = Chance(estimate, lack), _quantile(top, confidence)
    by_logit = logit(chance, se, quantile)
    if method == "logit":
        return by_logit, method, se, ()
    limits, notes = within(wald(chance, se, quantile), (0.0, 1.0), rate)
    return envelope(limits, by_logit) if method == "envelope" else limits, method, se, notes


def _quantile(top: TopShare, confidence: Confidence) -> float:
    """Return Student's quantile for the rarer class, on which the standard error rests."""
    return confidence.t(max(effective_sizes(top.counts).rarer - 1, 1.0))


def _cases(top: TopShare, rate: OfShare) -> float:
    """Return how many equally weighted cases the rate is taken over."""
    if rate == "captured_response":
        return effective_sizes(top.counts).positives
    mass1, mass0 = top.masses
    pi = top.prevalence
    return top.q / float((mass1 * pi**2).sum() + (mass0 * (1 - pi) ** 2).sum())


def _bootstrap(
    top: TopShare, which: OfShare, confidence: Confidence, replicates: int, seed: Any
) -> Interval:
    drawn = bootstrap.replicated(
        top.counts,
        partial(at_share, q=top.q, which=which, prevalence=top.stated),
        replicates=replicates,
        seed=seed,
        stratified=top.stated is not None,
    )
    known = drawn[~np.isnan(drawn)]
    se = bootstrap.standard_error(known) if len(known) else None
    if se is None:
        return _by_rate(top, which, confidence, "envelope")
    kept = " of all cases together" if top.stated is None else ", each class kept its size"
    notes = [f"{replicates} replicates{kept}; quantiles of type 7"]
    if len(known) < len(drawn):
        notes.append(f"{len(drawn) - len(known)} replicates without positives are left out")
    ends = (0.0, 1 / top.q if which == "lift" else 1.0)
    low, high = confidence.opened(bootstrap.percentiles(known, confidence), ends)
    estimate = top.estimate(which)
    return Interval(low, estimate, high, confidence.level, "bootstrap", se, tuple(notes))

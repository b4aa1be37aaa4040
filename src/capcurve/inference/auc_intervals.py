"""Intervals of AUC and accuracy ratio: which limits hold, and what to do where they do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.curves.shares import every_score
from capcurve.inference import auc_limits, bootstrap
from capcurve.inference.auc_limits import Chance
from capcurve.inference.degrees import degrees_of_freedom
from capcurve.inference.interval import Confidence, Interval, within
from capcurve.inference.placements import deviations
from capcurve.inference.resampled import aucs
from capcurve.inference.sizes import effective_sizes, rows_per_class
from capcurve.inference.unseen import beyond_unseen
from capcurve.inference.variances import Variance, VarianceParts, auc_variance, variance_parts
from capcurve.metrics import accuracy_ratio
from capcurve.metrics.ranking import count_pairs, share

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts
    from capcurve.inference.auc_limits import Limits

Method = Literal["envelope", "wald", "logit", "logit_t", "newcombe", "bootstrap", "bootstrap_bca"]
# From so many of the rarer class on, simulated coverage needs Newcombe's limits no more.
ENOUGH_FOR_LOGIT = 200
# WP14 calls the normal approximation reliable from about so many defaulters on.
FEW = 50


@dataclass(frozen=True, slots=True)
class Ranking:
    """What an interval of an AUC is made from.

    Attributes
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    confidence
        Level and side.
    variance
        Formula of the standard error.
    replicates, seed
        Of the bootstrap.
    """

    counts: Ranked
    confidence: Confidence
    variance: Variance
    replicates: int
    seed: Any

    @property
    def chance(self) -> Chance:
        """The AUC and its complement."""
        pairs = count_pairs(self.counts)
        won = share(2 * pairs.won + pairs.tied, 2 * pairs.total)
        lost = share(2 * pairs.lost + pairs.tied, 2 * pairs.total)
        return Chance(won, lost)


def auc_interval(ranking: Ranking, method: Method | None) -> Interval:
    """Return the interval of the AUC."""
    _check(ranking, method)
    chance, wanted = ranking.chance, method or _default(ranking)
    if wanted == "newcombe":
        return _newcombe(ranking, chance)
    obstacle = _one_row(ranking) or _perfect(chance)
    parts = None if obstacle or ranking.variance != "delong" else variance_parts(ranking.counts)
    if not obstacle:
        variance = parts.total if parts else auc_variance(ranking.counts, ranking.variance)
        obstacle = None if variance > 0 else f"the variance {ranking.variance!r} is not above zero"
    if obstacle:
        found = _newcombe(ranking, chance)
        return replace(found, notes=(f"{obstacle}; Newcombe limits instead of {wanted}",))
    if wanted.startswith("bootstrap"):
        return _bootstrap(ranking, chance, wanted)
    se = float(np.sqrt(variance))
    limits, cut = within(_limits(ranking, chance, se, wanted, parts), (0.0, 1.0), "the AUC")
    return _interval(ranking, chance, limits, wanted, se, (*_warnings(ranking, wanted), *cut))


def accuracy_ratio_interval(ranking: Ranking, method: Method | None) -> Interval:
    """Return the interval of the accuracy ratio: that of the AUC on the scale 2·AUC - 1."""
    found = auc_interval(ranking, method)
    return replace(
        found,
        low=2 * found.low - 1,
        estimate=accuracy_ratio(ranking.counts),
        high=2 * found.high - 1,
        se=None if found.se is None else 2 * found.se,
    )


def _check(ranking: Ranking, method: Method | None) -> None:
    if method in {"newcombe", "bootstrap", "bootstrap_bca"} and ranking.variance != "delong":
        raise ValueError(f'method="{method}" does not use variance="{ranking.variance}"')
    if method in {"logit_t", "envelope"} and ranking.variance.startswith("hanley"):
        raise ValueError(
            f'variance="{ranking.variance}" has no degrees of freedom; use method="logit" or "wald"'
        )
    if method == "bootstrap_bca" and ranking.counts.weights is not None:
        raise ValueError('method="bootstrap_bca" has no weighted form; use method="bootstrap"')


def _default(ranking: Ranking) -> Method:
    if ranking.variance.startswith("hanley"):
        return "logit"
    few = effective_sizes(ranking.counts).rarer < ENOUGH_FOR_LOGIT
    return "envelope" if few else "logit_t"


def _perfect(chance: Chance) -> str | None:
    if 0 in (chance.won, chance.lost):
        return f"an AUC of {chance.won:g} has no standard error"
    return None


def _one_row(ranking: Ranking) -> str | None:
    for name, rows in zip(("positive", "negative"), rows_per_class(ranking.counts), strict=True):
        if rows == 1:
            return f"with one {name} there is no standard error"
    return None


def _warnings(ranking: Ranking, method: str) -> list[str]:
    """Return where simulated limits held less often than they promise."""
    if effective_sizes(ranking.counts).rarer >= FEW:
        return []
    fewer = f"with fewer than {FEW} effective cases of a class, {method} limits hold less often"
    return [fewer] if method in {"wald", "logit"} else []


def _newcombe(ranking: Ranking, chance: Chance) -> Interval:
    sizes = effective_sizes(ranking.counts)
    limits = auc_limits.newcombe(chance, sizes, ranking.confidence.z)
    variance = auc_limits.newcombe_variance(chance.won, chance.lost, sizes)
    return _interval(ranking, chance, limits, "newcombe", float(np.sqrt(variance)) or None, ())


def _limits(
    ranking: Ranking, chance: Chance, se: float, method: str, parts: VarianceParts | None
) -> Limits:
    confidence = ranking.confidence
    if method == "wald":
        return auc_limits.wald(chance, se, confidence.z)
    if method == "logit":
        return auc_limits.logit(chance, se, confidence.z)
    t = confidence.t(degrees_of_freedom(ranking.counts, parts))
    by_logit = auc_limits.logit(chance, se, t)
    if ranking.counts.weights is not None:
        by_logit = beyond_unseen(by_logit, ranking.counts, chance, confidence.z)
    if method == "logit_t":
        return by_logit
    # Simulated: with weights Newcombe's limits need the wider quantile too.
    quantile = confidence.z if ranking.counts.weights is None else t
    by_newcombe = auc_limits.newcombe(chance, effective_sizes(ranking.counts), quantile)
    return auc_limits.envelope(by_logit, by_newcombe)


def _bootstrap(ranking: Ranking, chance: Chance, method: str) -> Interval:
    counts, confidence = every_score(ranking.counts), ranking.confidence
    drawn = bootstrap.replicated(
        counts, aucs, replicates=ranking.replicates, seed=ranking.seed, stratified=True
    )
    notes = (f"{ranking.replicates} replicates, each class kept its size; quantiles of type 7",)
    if method == "bootstrap":
        limits = bootstrap.percentiles(drawn, confidence)
    else:
        limits = bootstrap.corrected_percentiles(
            drawn, chance.won, _acceleration(counts), confidence
        )
    return _interval(ranking, chance, limits, method, float(drawn.std(ddof=1)), notes)


def _acceleration(counts: ScoreCounts) -> float:
    """Return how fast the standard error changes with the AUC.

    Davison & Hinkley (1997), Bootstrap Methods, 5.3.2, for two samples: with the influence
    V10 - A of a positive, V01 - A of a negative, each over the size of its class.
    """
    squares, cubes = 0.0, 0.0
    for column, deviation in zip(
        (counts.positives, counts.negatives), deviations(counts), strict=True
    ):
        influence = deviation / int(column.sum(dtype=np.int64))
        squares += float((column * influence**2).sum())
        cubes += float((column * influence**3).sum())
    return float(cubes / squares**1.5 / 6)


def _interval(
    ranking: Ranking,
    chance: Chance,
    limits: Limits,
    method: str,
    se: float | None,
    notes: tuple[str, ...],
) -> Interval:
    low, high = ranking.confidence.opened(limits, (0.0, 1.0))
    return Interval(low, chance.won, high, ranking.confidence.level, method, se, notes)

"""Intervals of AUC and accuracy ratio: which limits hold, and what to do where they do not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.algebra import total
from capcurve.inference.designs import Resampling
from capcurve.inference.influence import deviations
from capcurve.inference.limits import (
    Chance,
    corrected_percentiles,
    cut_off,
    envelope,
    logit,
    newcombe,
    newcombe_variance,
    percentiles,
    wald,
)
from capcurve.inference.sizes import (
    ClassSizes,
    effective_sizes,
    groups_per_class,
    rows_per_class,
    squared_masses,
)
from capcurve.inference.statistics import Statistic, aucs, jackknife_interval
from capcurve.inference.variances import auc_variance, degrees_of_freedom, variance_parts
from capcurve.metrics import roc_auc
from capcurve.metrics.ranking import count_pairs, share

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.inference.designs import Seed
    from capcurve.inference.records import Confidence, Interval, Limits
    from capcurve.inference.variances import Variance

Closed = Literal["envelope", "wald", "logit", "logit_t", "newcombe"]
Method = Closed | Literal["bootstrap", "bootstrap_bca", "jackknife"]
ENDS = (0.0, 1.0)
# From so many of the rarer class on, simulated coverage needs Newcombe's limits no more: cases,
# and groups of clusters.
ENOUGH_FOR_LOGIT = 200
ENOUGH_GROUPS = 30
# WP14 calls the normal approximation reliable from about so many defaulters on.
FEW = 50


def auc_interval(
    counts: Ranking,
    confidence: Confidence,
    method: Method | None,
    *,
    variance: Variance = "delong",
    replicates: int = 2,
    seed: Seed = None,
) -> Interval:
    """Return the interval of the AUC; "jackknife" leaves out groups of clusters."""
    if method == "jackknife":
        return _without_groups(counts.every_score(), confidence)
    _check(counts, method, variance)
    chance, sizes = _chance(counts), effective_sizes(counts)
    wanted = method or ("envelope" if sizes.rarer < ENOUGH_FOR_LOGIT else "logit_t")
    if method is None and variance.startswith("hanley"):
        wanted = "logit"
    if wanted == "newcombe":
        return _newcombe(chance, sizes, confidence)
    obstacle = _obstacle(counts, chance)
    parts = None if obstacle or variance != "delong" else variance_parts(counts)
    if not obstacle:
        found = sum(parts) if parts else auc_variance(counts, variance)
        obstacle = None if found > 0 else f"the variance {variance!r} is not above zero"
    if obstacle:
        note = f"{obstacle}; Newcombe limits instead of {wanted}"
        return _newcombe(chance, sizes, confidence).with_notes(note)
    if wanted.startswith("bootstrap"):
        resampling = Resampling(counts.every_score(), replicates, seed)
        return _bootstrap(resampling, chance, wanted, confidence)
    se = float(np.sqrt(found))
    raw = _limits(counts, chance, se, wanted, parts, confidence)
    limits, notes = cut_off(raw, ENDS, "the AUC")
    if wanted in {"wald", "logit"} and sizes.rarer < FEW:
        few = f"with fewer than {FEW} effective cases of a class"
        notes = (f"{few}, {wanted} limits hold less often", *notes)
    return confidence.interval(chance.won, limits, ENDS, wanted, se, notes)


def _without_groups(counts: ScoreCounts, confidence: Confidence) -> Interval:
    """Return the interval of the AUC; with few clusters the envelope with Newcombe's limits.

    These are of as many cases as would vary as much if they were independent: the cases over
    the design effect, and at least the groups.
    """
    held = groups_per_class(counts)
    found = jackknife_interval(counts, Statistic(roc_auc(counts), aucs, held.rarer), confidence)
    if found.method != "jackknife" or found.se is None or held.rarer >= ENOUGH_GROUPS:
        return found
    sizes, naive = effective_sizes(counts), auc_variance(counts)
    effect = max(found.se**2 / naive, 1.0) if naive > 0 else np.inf
    alike = ClassSizes(
        max(sizes.positives / effect, held.positives), max(sizes.negatives / effect, held.negatives)
    )
    limits = newcombe(Chance.of(found.estimate), alike, confidence.z)
    low, high = envelope(confidence.opened(limits, ENDS), (found.low, found.high))
    note = (
        f"envelope with Newcombe's limits for {alike.positives:.3g} positives and "
        f"{alike.negatives:.3g} negatives: the cases over the design effect, or the groups"
    )
    return replace(found, low=low, high=high).with_notes(note)


def _chance(counts: Ranking) -> Chance:
    pairs = count_pairs(counts)
    won = share(2 * pairs.won + pairs.tied, 2 * pairs.total)
    return Chance(won, share(2 * pairs.lost + pairs.tied, 2 * pairs.total))


def _check(counts: Ranking, method: Method | None, variance: Variance) -> None:
    if method in {"newcombe", "bootstrap", "bootstrap_bca"} and variance != "delong":
        raise ValueError(f'method="{method}" does not use variance="{variance}"')
    if method in {"logit_t", "envelope"} and variance.startswith("hanley"):
        raise ValueError(
            f'variance="{variance}" has no degrees of freedom; use method="logit" or "wald"'
        )
    if method == "bootstrap_bca" and counts.weights is not None:
        raise ValueError('method="bootstrap_bca" has no weighted form; use method="bootstrap"')


def _obstacle(counts: Ranking, chance: Chance) -> str | None:
    """Return why there is no standard error, if there is none."""
    for name, rows in zip(("positive", "negative"), rows_per_class(counts), strict=True):
        if rows == 1:
            return f"with one {name} there is no standard error"
    if 0 in (chance.won, chance.lost):
        return f"an AUC of {chance.won:g} has no standard error"
    return None


def _newcombe(chance: Chance, sizes: ClassSizes, confidence: Confidence) -> Interval:
    se = float(np.sqrt(newcombe_variance(chance.won, chance.lost, sizes))) or None
    limits = newcombe(chance, sizes, confidence.z)
    return confidence.interval(chance.won, limits, ENDS, "newcombe", se)


def _limits(
    counts: Ranking,
    chance: Chance,
    se: float,
    method: str,
    parts: tuple[float, float] | None,
    confidence: Confidence,
) -> Limits:
    if method == "wald":
        return wald(chance, se, confidence.z)
    if method == "logit":
        return logit(chance, se, confidence.z)
    t = confidence.t(degrees_of_freedom(counts, parts))
    by_logit = logit(chance, se, t)
    # Simulated: with weights Newcombe's limits need the wider quantile too.
    quantile = confidence.z
    if counts.weights is not None:
        by_logit, quantile = (
            _with_further_cases(by_logit, counts.every_score(), chance, quantile),
            t,
        )
    if method == "logit_t":
        return by_logit
    return envelope(by_logit, newcombe(chance, effective_sizes(counts), quantile))


def _with_further_cases(limits: Limits, counts: ScoreCounts, auc: Chance, z: float) -> Limits:
    """Return limits of a weighted AUC, moved out by what one further case of each class could do.

    Where heavy weights go with rare scores, most samples miss the few rows that would lower, or
    raise, the AUC most, and their standard errors miss them too. So one further row of each class
    is put at the far end of the scores, as heavy as the rows on that side of the AUC are, and the
    distances it moves the AUC by are squared and added, z times, to that of the limit (as Zou &
    Donner 2008 join limits, Stat. Med. 27). It fades with 1/n; the limit's own reach with 1/√n.
    """
    down, up = _shares_of_one_row(counts)
    low = auc.won - np.hypot(auc.won - limits[0], z * auc.won * down)
    lost = auc.lost - np.hypot(limits[1] - auc.won, z * auc.lost * up)
    return max(float(low), 0.0), 1 - max(float(lost), 0.0)


def _shares_of_one_row(counts: ScoreCounts) -> tuple[float, float]:
    """Return the share of a class's weight that one row has, below and above the AUC.

    Of both classes, squared and added. Rows count by how far they lie from the AUC.
    """
    down, up = 0.0, 0.0
    for sums, masses, deviation in zip(
        (counts.positives, counts.negatives),
        squared_masses(counts),
        deviations(counts),
        strict=True,
    ):
        shares = sums / total(sums)
        down = np.hypot(down, _typical(shares, masses, np.maximum(-deviation, 0)))
        up = np.hypot(up, _typical(shares, masses, np.maximum(deviation, 0)))
    return float(down), float(up)


def _typical(shares: Floats, masses: Floats, distance: Floats) -> float:
    """Return the mean weight of rows, by weight and distance; by weight where there are none."""
    reach = (shares * distance).sum()
    return float((masses * distance).sum() / reach if reach > 0 else masses.sum())


def _bootstrap(
    resampling: Resampling, chance: Chance, method: str, confidence: Confidence
) -> Interval:
    drawn = resampling.draw(aucs)
    if method == "bootstrap":
        limits = percentiles(drawn, confidence)
    else:
        acceleration = _acceleration(resampling.counts)
        limits = corrected_percentiles(drawn, chance.won, acceleration, confidence)
    note = f"{resampling.replicates} replicates, each class kept its size; quantiles of type 7"
    se = float(drawn.std(ddof=1))
    return confidence.interval(chance.won, limits, ENDS, method, se, (note,))


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

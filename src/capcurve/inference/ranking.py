"""Intervals of AUC, accuracy ratio and metrics with influences: which limits hold when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.table import total
from capcurve.curves.shares import require, sample_rate
from capcurve.curves.simplify import grouped
from capcurve.inference.designs import (
    LEAST_GROUPS,
    NOTHING,
    ClassSizes,
    LeftOut,
    effective_sizes,
    groups_per_class,
    in_few_cells,
    leave_out,
    of_counts,
    rows_per_class,
    squared_masses,
    standard_error,
)
from capcurve.inference.limits import (
    Chance,
    Statistic,
    around,
    corrected_percentiles,
    cut_off,
    envelope,
    interval_left_out,
    logarithmic,
    logit,
    newcombe,
    newcombe_variance,
    observed_shape,
    percentiles,
    score_limits,
    shaped_variance,
    unseen,
    wald,
)
from capcurve.inference.samples import aucs
from capcurve.inference.variances import (
    auc_variance,
    degrees_of_freedom,
    deviations,
    metric_estimates,
    variance_parts,
)
from capcurve.metrics import METRICS, accuracy_ratio, roc_auc
from capcurve.metrics.ranking import count_pairs, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Ranking, ScoreCounts, Weights
    from capcurve.counts.types import Floats
    from capcurve.inference.designs import Resampling
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
    from capcurve.inference.variances import Variance
    from capcurve.metrics import Metric

ENDS = (0.0, 1.0)
# From so many groups of clusters on, simulated coverage needs Newcombe's limits no more.
ENOUGH_GROUPS = 30
# Samples are drawn from so many groups of neighbouring scores and a few more.
CELLS = 1000
# Exponents beyond this have no floating-point value.
MOST = 700.0
# The shape of exponential scores.
EXPONENTIAL = ClassSizes(1.0, 1.0)
WEIGHTED = (
    "the limits allow for an unseen row of each class as heavy as the heaviest that were seen of "
    "either class; where the sample has no row at all of a stratum with heavier ones, they do not "
    "hold"
)
PERFECT = "the score is perfect here; the lower limit allows for cases of a kind that was not seen"
NO_SPREAD = "the sample shows no spread, so the limits are the whole range"
UNSEEN = (
    "the limits allow for cases at the wrong end of the scores, of which these {:.3g} of the rarer "
    "class may hold none by chance"
)
# WP14 calls the normal approximation reliable from about so many defaulters on.
FEW = 50


def auc_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the AUC or accuracy ratio; "jackknife" leaves out groups."""
    counts, asked, confidence = request.counts, request.method, request.confidence
    if method == "jackknife":
        found = _without_groups(counts.every_score())(confidence)
    else:
        # Without a method the one to take depends on the formula of the variance.
        _check(counts, asked, request.variance)
        spread = ranking_spread(counts, request.variance)
        if asked in {"bootstrap", "bootstrap_bca"} and spread.obstacle is None:
            resampling = request.resampling(counts.every_score())
            found = _bootstrap(resampling, spread.chance, method, confidence)
        else:
            found = _closed(spread, asked, confidence)
    return found if request.name == "roc_auc" else found.as_ratio(accuracy_ratio(counts))


def default_interval(
    counts: Ranking, variance: Variance = "delong", metric: Metric | None = None
) -> Callable[[Confidence], Interval]:
    """Return the interval of the AUC, or a metric, at any confidence; rows are taken once."""
    if metric is not None:
        return metric_interval(counts.every_score(), metric)
    if counts.groups is not None:
        return _without_groups(counts.every_score())
    return partial(_closed, ranking_spread(counts, variance), None)


def metric_interval(
    counts: ScoreCounts, metric: Metric, method: str = "logit_t"
) -> Callable[[Confidence], Interval]:
    """Return the interval of any metric that tells its influences, at any confidence."""
    # With Student's t, and unless asked for "wald" on a scale that keeps limits within its range:
    # the log odds between two ends, the logarithm above one. Without a spread all is possible.
    require(counts, "positives", "negatives")
    rarer: float = min(rows_per_class(counts))
    if counts.groups is not None:
        rarer = groups_per_class(counts).rarer
    found = None if rarer < LEAST_GROUPS else metric_estimates(counts, metric)
    estimate, (least, most) = metric.value(counts), metric.ends
    unit = min(abs(estimate), most - least) or 1.0
    nearest = _lowest_of_perfect(counts, metric, rarer)

    def interval(confidence: Confidence) -> Interval:
        if found is None or not found.se() > NOTHING * unit:
            if found is not None and estimate == most:
                limits, note = (nearest(confidence), most), PERFECT
            else:
                limits, note = metric.ends, NO_SPREAD
            return confidence.interval(estimate, limits, metric.ends, "definition", None, (note,))
        se, t, above = found.se(), confidence.t(found.freedom()), estimate - least
        limits = estimate - t * se, estimate + t * se
        if method != "wald" and np.isfinite(most - least) and least < estimate < most:
            share = Chance(above / (most - least), (most - estimate) / (most - least))
            limits = logit(share, se / (most - least), t)
            limits = least + (most - least) * limits[0], most - (most - least) * (1 - limits[1])
        elif method != "wald" and np.isfinite(least) and above > 0:
            limits = logarithmic(above, se / above, t)
            limits = least + limits[0], least + limits[1]
        limits, cut = cut_off(limits, metric.ends, f"the {metric.label}")
        if method != "wald":
            limits = min(limits[0], nearest(confidence)), limits[1]
        by, notes = method, found.few()
        if isinstance(found, LeftOut):
            by, notes = "jackknife", found.notes(found.freedom(), found.sizes.rarer)
        limits = around(limits, estimate)
        return confidence.interval(estimate, limits, metric.ends, by, se, (*notes, *cut))

    return interval


def influences_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of any metric that tells how far each case moves it."""
    # "jackknife" leaves out groups of clusters; "bootstrap" takes quantiles of the metric in
    # samples whose cases are dealt anew: each class apart, but where the prevalence moves it.
    counts, confidence = request.counts.every_score(), request.confidence
    metric = METRICS[request.name]
    if method == "jackknife":
        return metric_interval(counts, metric)(confidence)
    alone = replace(counts, groups=None) if counts.groups is not None else counts
    if method != "bootstrap":
        return metric_interval(alone, metric, method)(confidence)
    few = grouped(alone, CELLS)
    apart = not metric.moved_by_prevalence
    drawn = request.resampling(few).draw(of_counts(few, metric.value), stratified=apart)
    known, estimate = drawn[~np.isnan(drawn)], metric.value(few)
    se = standard_error(known) if len(known) > 1 else None
    if se is None:
        return metric_interval(few, metric)(confidence)
    how = "each class kept its size" if apart else "drawn from all cases together"
    note = f"{request.replicates} replicates, {how}; quantiles of type 7"
    limits = around(percentiles(known, confidence), estimate)
    return confidence.interval(estimate, limits, metric.ends, "bootstrap", se, (note,))


def _lowest_of_perfect(
    counts: ScoreCounts, metric: Metric, cases: float
) -> Callable[[Confidence], float]:
    """Return the lower limit of a perfect score: cases of some kind may not have been seen."""
    least, most = metric.ends
    worthless = least if metric.worthless is None else metric.worthless
    if metric.worthless is None and metric.moved_by_prevalence:
        worthless = sample_rate(counts)

    def lowest(confidence: Confidence) -> float:
        unseen = 1.0 - float(confidence.tail ** (1 / max(cases, 1)))
        return most - unseen * (most - worthless)

    return lowest


def expected_interval(
    auc: float, sizes: ClassSizes, parts: tuple[float, float]
) -> Callable[[Confidence], Interval]:
    """Return the default interval of samples with such an AUC, at any confidence."""
    # `parts` are what drawing the positives, the negatives adds to its variance.
    chance = Chance.of(auc)
    most = (max(size - 1, 1.0) for size in (sizes.positives, sizes.negatives))
    freedom = sum(parts) ** 2 / sum(part**2 / df for part, df in zip(parts, most, strict=True))
    spread = RankingSpread(
        chance=chance,
        sizes=sizes,
        variance="delong",
        se=float(np.sqrt(sum(parts))),
        df=freedom,
        shape=observed_shape(chance, sizes, parts),
        further=(0.0, 0.0),
        weighted=False,
    )
    return partial(_closed, spread, None)


@dataclass(frozen=True, slots=True)
class RankingSpread:
    """What the limits of an AUC are made of, at any level."""

    chance: Chance
    sizes: ClassSizes
    variance: Variance
    se: float | None  # None where `obstacle` says why
    df: float
    shape: ClassSizes  # by how much each class varies more than exponential scores of this AUC
    further: tuple[float, float]  # what one further row of each class moves it by, down and up
    weighted: bool
    obstacle: str | None = None


def ranking_spread(counts: Ranking, variance: Variance = "delong") -> RankingSpread:
    """Return what the limits of an AUC are made of, of rows that are not clustered."""
    if counts.weights is None:
        return _ranking_spread(counts, variance)
    # Of weights this takes many passes over all cells.
    return counts.every_score().known(
        f"spread of the AUC, {variance}", lambda: _ranking_spread(counts, variance)
    )


def _ranking_spread(counts: Ranking, variance: Variance) -> RankingSpread:
    pairs, sizes, further = count_pairs(counts), effective_sizes(counts), (0.0, 0.0)
    won, lost = (2 * each + pairs.tied for each in (pairs.won, pairs.lost))
    chance = Chance(share(won, 2 * pairs.total), share(lost, 2 * pairs.total))
    weighted = counts.weights is not None
    if counts.weights is not None:
        further = _shares_of_one_row(counts.every_score(), counts.weights)
    plain = RankingSpread(chance, sizes, variance, None, 0.0, EXPONENTIAL, further, weighted)
    for name, rows in zip(("positive", "negative"), rows_per_class(counts), strict=True):
        if rows == 1:
            return replace(plain, obstacle=f"with one {name} there is no standard error")
    if 0 in (chance.won, chance.lost):
        return replace(plain, obstacle=f"an AUC of {chance.won:g} has no standard error")
    parts = variance_parts(counts)
    found = sum(parts) if variance == "delong" else auc_variance(counts, variance)
    if not found > 0:
        return replace(plain, obstacle=f"the variance {variance!r} is not above zero")
    plain = replace(plain, se=float(np.sqrt(found)))
    if not sum(parts) > 0:  # as all scores are tied, where Hanley & McNeil still see a spread
        return plain
    df, shape = degrees_of_freedom(counts, parts), observed_shape(chance, sizes, parts)
    return replace(plain, df=df, shape=shape)


def _closed(spread: RankingSpread, method: str | None, confidence: Confidence) -> Interval:
    """Return the interval by a formula; "envelope" when no method is named."""
    chance = spread.chance
    wanted = method or ("logit" if spread.variance.startswith("hanley") else "envelope")
    heavy = (WEIGHTED,) if spread.weighted else ()
    if wanted == "newcombe":
        return _newcombe(spread, confidence, ())
    if spread.se is None:
        note = f"{spread.obstacle}; Newcombe limits instead of {wanted}"
        found = _newcombe(spread, confidence, (note, *heavy), spread.further)
    else:
        limits, notes = cut_off(_limits(spread, wanted, confidence), ENDS, "the AUC")
        if method is None:
            notes = (*notes, *heavy)
        if wanted in {"wald", "logit"} and spread.sizes.rarer < FEW:
            few = f"with fewer than {FEW} effective cases of a class"
            notes = (f"{few}, {wanted} limits hold less often", *notes)
        found = confidence.interval(chance.won, limits, ENDS, wanted, spread.se, notes)
    return _with_unseen(found, chance, spread.sizes, confidence) if wanted == "envelope" else found


def _with_unseen(
    found: Interval, chance: Chance, sizes: ClassSizes, confidence: Confidence
) -> Interval:
    """Return an interval that also allows for a kind of the rarer class that was not seen."""
    limits = confidence.opened(unseen(chance, sizes.rarer, confidence.tail), ENDS)
    low, high = envelope(found.limits, limits)
    if (low, high) == found.limits:
        return found
    return replace(found, low=low, high=high).with_notes(UNSEEN.format(sizes.rarer))


def _without_groups(counts: ScoreCounts) -> Callable[[Confidence], Interval]:
    """Return the interval of the AUC; with few clusters the envelope with Newcombe's limits."""
    # These, and a kind that was not seen, are of as many cases as would vary as much if they were
    # independent: the cases over the design effect, and at least the groups.
    held = groups_per_class(counts)
    statistic = Statistic(roc_auc(counts), aucs, held.rarer)
    left = leave_out(in_few_cells(counts), aucs) if held.rarer >= LEAST_GROUPS else None
    few = left is not None and held.rarer < ENOUGH_GROUPS
    sizes, naive = effective_sizes(counts), auc_variance(counts) if left is not None else 0.0

    def interval(confidence: Confidence) -> Interval:
        found = interval_left_out(left, statistic, confidence)
        if found.method != "jackknife" or found.se is None:
            return found
        effect = max(found.se**2 / naive, 1.0) if naive > 0 else np.inf
        alike = ClassSizes(
            max(sizes.positives / effect, held.positives),
            max(sizes.negatives / effect, held.negatives),
        )
        chance = Chance.of(found.estimate)
        found = _with_unseen(found, chance, alike, confidence)
        if not few:
            return found
        limits = newcombe(chance, alike, confidence.z)
        low, high = envelope(confidence.opened(limits, ENDS), found.limits)
        note = (
            f"envelope with Newcombe's limits for {alike.positives:.3g} positives and "
            f"{alike.negatives:.3g} negatives: the cases over the design effect, or the groups"
        )
        return replace(found, low=low, high=high).with_notes(note)

    return interval


def _check(counts: Ranking, method: str | None, variance: Variance) -> None:
    if method in {"newcombe", "bootstrap", "bootstrap_bca"} and variance != "delong":
        raise ValueError(f'method="{method}" does not use variance="{variance}"')
    if method in {"logit_t", "envelope"} and variance.startswith("hanley"):
        raise ValueError(
            f'variance="{variance}" has no degrees of freedom; use method="logit" or "wald"'
        )
    if method == "bootstrap_bca" and counts.weights is not None:
        raise ValueError('method="bootstrap_bca" has no weighted form; use method="bootstrap"')


def _newcombe(
    spread: RankingSpread,
    confidence: Confidence,
    notes: tuple[str, ...],
    further: tuple[float, float] = (0.0, 0.0),
) -> Interval:
    chance, sizes = spread.chance, spread.sizes
    se = float(np.sqrt(newcombe_variance(chance.won, chance.lost, sizes))) or None
    limits = _moved_out(newcombe(chance, sizes, confidence.z), chance, further, confidence.z)
    return confidence.interval(chance.won, limits, ENDS, "newcombe", se, notes)


def _limits(spread: RankingSpread, method: str, confidence: Confidence) -> Limits:
    chance, z, se = spread.chance, confidence.z, spread.se or 0.0
    if method == "wald":
        return wald(chance, se, z)
    if method == "logit":
        return logit(chance, se, z)
    t = confidence.t(spread.df)
    by_logit = logit(chance, se, t)
    if spread.weighted:
        by_logit = _moved_out(by_logit, chance, spread.further, z)
    if method == "logit_t":
        return by_logit
    shaped = partial(shaped_variance, sizes=spread.sizes, shape=spread.shape)
    # Simulated: with weights the score limits need the wider quantile too. Without, each class has
    # as many degrees of freedom as cases: placements lie between 0 and 1, so that their variance
    # is better known than that of normal numbers.
    if spread.weighted:
        return envelope(by_logit, score_limits(chance, shaped, t))
    by_logit = logit(chance, se, confidence.t(spread.df + 1))
    return envelope(by_logit, score_limits(chance, shaped, z))


def _moved_out(limits: Limits, auc: Chance, further: tuple[float, float], z: float) -> Limits:
    """Return limits of a weighted AUC, moved out by what one further case of each class could do.

    Where heavy weights go with rare scores, most samples miss the few rows that would lower, or
    raise, the AUC most, and their standard errors miss them too. So one further row of each class
    is put at the far end of the scores, and the distances it moves the AUC by are squared and
    added, z times, to that of the limit (as Zou & Donner 2008 join limits, Stat. Med. 27). It
    fades with 1/n; the limit's own reach with 1/√n.
    """
    down, up = further
    low = auc.won - np.hypot(auc.won - limits[0], z * auc.won * down)
    lost = auc.lost - np.hypot(limits[1] - auc.won, z * auc.lost * up)
    return max(float(low), 0.0), 1 - max(float(lost), 0.0)


def _shares_of_one_row(counts: ScoreCounts, weights: Weights) -> tuple[float, float]:
    """Return the share of a class's weight that one further row has, below and above the AUC."""
    # Of both classes, squared and added. It is as heavy as the rows of its class on that side of
    # the AUC, or of the other class where those are heavier: what a class has there may be rare,
    # and then the sample lacks it. Rows count by how far a case of the class would lie from the
    # AUC.
    masses, reaches = squared_masses(counts), deviations(counts)
    sums = (counts.positives, counts.negatives)
    shares = [column / total(column) for column in sums]
    factor = _factor_of_weights(counts, weights)
    moved = [0.0, 0.0]
    for own, other, times in ((0, 1, factor), (1, 0, 1 / factor)):
        for way, sign in enumerate((-1, 1)):
            far = np.maximum(sign * reaches[own], 0)
            seen = _typical(shares[own], masses[own], far) or float(masses[own].sum())
            row = max(seen, times * _typical(shares[other], masses[other], far))
            moved[way] = float(np.hypot(moved[way], row / (1 + row)))
    return moved[0], moved[1]


def _factor_of_weights(counts: ScoreCounts, weights: Weights) -> float:
    """Return what a row's share of the negatives is to be multiplied with to be one of positives.

    A positive of the same score may weigh more or less than a negative: by the median over scores
    of positives of their weight over that of the nearest negatives above and below.
    """
    p, n = counts.positives, counts.negatives
    here, there = np.flatnonzero(p > 0), np.flatnonzero(n > 0)
    ours = 2 * np.log(weights.positive_roots[here]) - np.log(p[here])
    theirs = 2 * np.log(weights.negative_roots[there]) - np.log(n[there])
    above = np.maximum(np.searchsorted(there, here, side="right") - 1, 0)
    below = np.minimum(np.searchsorted(there, here), len(there) - 1)
    heavier = ours - (theirs[above] + theirs[below]) / 2
    by_class = np.log(total(n)) - np.log(total(p))
    return float(np.exp(np.clip(np.median(heavier) + by_class, -MOST, MOST)))


def _typical(shares: Floats, masses: Floats, distance: Floats) -> float:
    """Return the mean weight of rows, by weight and distance; zero where there are none."""
    reach = (shares * distance).sum()
    return float((masses * distance).sum() / reach if reach > 0 else 0.0)


def resampled_aucs(resampling: Resampling, auc: float) -> Floats:
    """Return the AUC of every sample, drawn from about as many groups of scores as `CELLS`."""
    # What grouping takes off is put back: their middle is the AUC, their spread that of scores.
    counts, few = resampling.counts, grouped(resampling.counts, CELLS)
    known = sum(variance_parts(few, "ij"))
    if few is counts or not known > 0:
        return resampling.draw(aucs)
    moved = replace(resampling, counts=few).draw(aucs) - roc_auc(few)
    spread = np.sqrt(sum(variance_parts(counts, "ij")) / known)
    found: Floats = np.clip(auc + spread * moved, 0, 1)
    return found


def _bootstrap(
    resampling: Resampling, chance: Chance, method: str, confidence: Confidence
) -> Interval:
    drawn = resampled_aucs(resampling, chance.won)
    if method == "bootstrap":
        limits = percentiles(drawn, confidence)
    else:
        acceleration = _acceleration(resampling.counts)
        limits = corrected_percentiles(drawn, chance.won, acceleration, confidence)
    note = f"{resampling.replicates} replicates, each class kept its size; quantiles of type 7"
    se = float(drawn.std(ddof=1))
    return confidence.interval(chance.won, limits, ENDS, method, se, (note,))


def _acceleration(counts: ScoreCounts) -> float:
    """Return how fast the standard error changes with the AUC."""
    # Davison & Hinkley (1997), Bootstrap Methods, 5.3.2, for two samples: with the influence V10 -
    # A of a positive, V01 - A of a negative, each over the size of its class.
    squares, cubes = 0.0, 0.0
    for column, deviation in zip(
        (counts.positives, counts.negatives), deviations(counts), strict=True
    ):
        influence = deviation / int(column.sum(dtype=np.int64))
        squares += float((column * influence**2).sum())
        cubes += float((column * influence**3).sum())
    return float(cubes / squares**1.5 / 6)

"""Intervals of AUC and accuracy ratio: which limits hold when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from capcurve.curves.simplify import grouped_neighbours
from capcurve.inference import designs, variances
from capcurve.inference.designs import ClassSizes, Estimates, LeftOut, Resampling
from capcurve.inference.horizon import horizon_estimates
from capcurve.inference.influence_limits import metric_interval
from capcurve.inference.limits import (
    PLAIN_ALLOWANCE,
    UNIT_ENDS,
    UNSEEN_WEIGHTS,
    Allowance,
    ByError,
    Chance,
    Statistic,
    around,
    cut_at_ends,
    envelope,
    interval_left_out,
    newcombe,
    newcombe_variance,
    observed_shape,
    percentiles,
    score_limits,
    shaped_variance,
)
from capcurve.inference.samples import aucs
from capcurve.inference.variances import Deviations, Variance, deviations, variance_parts
from capcurve.metrics import Metric, accuracy_ratio, roc_auc
from capcurve.metrics.ranking import count_pairs, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
    from capcurve.numbers.types import Floats

# From so many groups of clusters on, simulated coverage needs Newcombe's limits no more.
ENOUGH_GROUPS = 30
# The shape of exponential scores.
EXPONENTIAL = ClassSizes(1.0, 1.0)
# Where weights vary by so much of their mean, squared, limits allow for heavy rows in full.
VARIED = 0.1
# WP14 calls the normal approximation reliable from about so many defaulters on.
FEW_DEFAULTERS = 50


def auc_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the AUC or accuracy ratio; "jackknife" leaves out groups."""
    counts, asked, confidence = request.counts, request.method, request.confidence
    allowance = Allowance(request.unseen, request.name)
    if method == "jackknife":
        found = _without_groups(counts, allowance)(confidence)
    else:
        # Without a method the one to take depends on the formula of the variance.
        _check(asked, request.variance)
        spread = ranking_spread(counts, request.variance)
        if asked == "bootstrap" and spread.obstacle is None:
            found = _bootstrap(request.resampling(counts.every_score()), spread.chance, confidence)
        else:
            found = _closed(spread, asked, confidence, allowance)
    return found if request.name == "roc_auc" else found.as_ratio(accuracy_ratio(counts))


def default_interval(
    counts: Ranking,
    variance: Variance = "delong",
    metric: Metric | None = None,
    allowance: Allowance = PLAIN_ALLOWANCE,
) -> Callable[[Confidence], Interval]:
    """Return the interval of the AUC, or a metric, at any confidence; rows are taken once."""
    if metric is not None:
        return metric_interval(counts.every_score(), metric)
    if counts.groups is not None:
        return _without_groups(counts, allowance)
    return partial(_closed, ranking_spread(counts, variance), None, allowance=allowance)


def expected_interval(
    auc: float, sizes: ClassSizes, parts: tuple[float, float], allowance: Allowance
) -> Callable[[Confidence], Interval]:
    """Return the default interval of samples with such an AUC, at any confidence."""
    # `parts` are what drawing the positives, the negatives adds to its variance.
    spread = _spread_of_parts(Chance.of(auc), sizes, parts)
    return partial(_closed, spread, None, allowance=allowance)


@dataclass(frozen=True, slots=True)
class RankingSpread:
    """What the limits of an AUC are made of, at any level."""

    chance: Chance
    sizes: ClassSizes
    variance: Variance = "delong"
    se: float | None = None  # None where `obstacle` says why
    df: float = 0.0
    # By how much each class varies more than exponential scores of this AUC.
    shape: ClassSizes = EXPONENTIAL
    further: tuple[float, float] = (0.0, 0.0)  # what one more row of each moves it by, down and up
    uneven: float = 0.0  # 0 where the rows of each class weigh alike, up to 1
    obstacle: str | None = None
    alike: RankingSpread | None = None  # that of the rows, where those of each class weigh alike


def ranking_spread(counts: Ranking, variance: Variance = "delong") -> RankingSpread:
    """Return what the limits of an AUC are made of, of rows that are not clustered."""
    if counts.times is not None and variance == "delong":
        # Censoring is estimated from the same rows.
        found = horizon_estimates(replace(counts.every_score(), groups=None))
        return _spread_of(found, designs.effective_sizes(counts))
    if counts.weights is None:
        return _ranking_spread(counts, variance)
    # Of weights this takes many passes over all cells.
    cells = counts.every_score()
    return cells.known(f"spread of the AUC, {variance}", lambda: _of_weights(cells, variance))


def _of_weights(counts: ScoreCounts, variance: Variance) -> RankingSpread:
    """Return the same of weights, with that of the rows where those of each class weigh alike."""
    # What each row of a class weighs does not move the AUC where all of them weigh alike.
    stated = designs.as_stated(counts)
    plain = _ranking_spread(stated[0], variance) if stated else None
    return replace(_ranking_spread(counts, variance), alike=plain)


def _ranking_spread(counts: Ranking, variance: Variance) -> RankingSpread:
    pairs, sizes, further = count_pairs(counts), designs.effective_sizes(counts), (0.0, 0.0)
    won, lost = (2 * each + pairs.tied for each in (pairs.won, pairs.lost))
    chance = Chance(share(won, 2 * pairs.total), share(lost, 2 * pairs.total))
    placed, uneven, rows_of = None, 0.0, designs.rows_per_class(counts)
    if counts.weights is not None:
        # What unseen heavy rows could do fades where hardly any row is heavier than others.
        varied = max(n / size - 1 for n, size in zip(rows_of, sizes, strict=True))
        placed, uneven = deviations(counts.every_score()), min(max(varied, 0) / VARIED, 1.0)
        below, above = _shares_of_one_row(counts.every_score(), placed)
        further = below * uneven, above * uneven
    plain = RankingSpread(chance, sizes, variance, further=further, uneven=uneven)
    for name, rows in zip(("positive", "negative"), rows_of, strict=True):
        if rows == 1:
            return replace(plain, obstacle=f"with one {name} there is no standard error")
    if 0 in (chance.won, chance.lost):
        return replace(plain, obstacle=f"an AUC of {chance.won:g} has no standard error")
    parts = variance_parts(counts, placed=placed)
    found = sum(parts) if variance == "delong" else variances.auc_variance(counts, variance)
    if not found > 0:
        return replace(plain, obstacle=f"the variance {variance!r} is not above zero")
    plain = replace(plain, se=float(np.sqrt(found)))
    if not sum(parts) > 0:  # as all scores are tied, where Hanley & McNeil still see a spread
        return plain
    df = variances.degrees_of_freedom(counts, parts, placed)
    return replace(plain, df=df, shape=observed_shape(chance, sizes, parts))


def estimated_ratio(found: Estimates, confidence: Confidence) -> Interval:
    """Return the interval of an accuracy ratio that is the only number of some estimates."""
    values, moves = (1 + found.values) / 2, tuple(each / 2 for each in found.moves)
    auc = replace(found, values=values, moves=moves)
    if isinstance(auc, LeftOut):
        statistic = Statistic(float(values[0]), aucs, auc.sizes.rarer)
        limits = interval_left_out(None if auc.too_few else auc, statistic, confidence)
    else:
        limits = _closed(_spread_of(auc, auc.sizes), None, confidence)
    return limits.as_ratio(float(found.values[0]))


def _spread_of(found: Estimates, sizes: ClassSizes) -> RankingSpread:
    """Return what the limits of an AUC are made of that is the only number of some estimates."""
    chance = Chance.of(float(found.values[0]))
    first, second = (float(part[0]) for part in found.variance_parts())
    if not 0 < chance.won < 1 or not first + second > designs.ERROR_ROUNDING**2:
        return RankingSpread(chance, sizes, obstacle="the sample shows no spread")
    return _spread_of_parts(chance, sizes, (first, second))


def _spread_of_parts(
    chance: Chance, sizes: ClassSizes, parts: tuple[float, float]
) -> RankingSpread:
    """Return the same of what drawing the positives, and the negatives, adds to the variance."""
    most = (max(size - 1, 1.0) for size in sizes)
    freedom = sum(parts) ** 2 / sum(part**2 / df for part, df in zip(parts, most, strict=True))
    se, shape = float(np.sqrt(sum(parts))), observed_shape(chance, sizes, parts)
    return RankingSpread(chance, sizes, se=se, df=freedom, shape=shape)


def _closed(
    spread: RankingSpread,
    method: str | None,
    confidence: Confidence,
    allowance: Allowance = PLAIN_ALLOWANCE,
) -> Interval:
    """Return the interval by a formula; "envelope" when no method is named."""
    chance = spread.chance
    wanted = method or ("logit" if spread.variance.startswith("hanley") else "envelope")
    heavy = (UNSEEN_WEIGHTS,) if spread.uneven > designs.ERROR_ROUNDING else ()
    if wanted == "envelope" and spread.alike:
        found = _closed(spread.alike, method, confidence, allowance)
        low, high = around(found.limits, chance.won)
        return replace(found, low=low, estimate=chance.won, high=high, se=spread.se)
    if wanted == "newcombe":
        return _newcombe(spread, confidence, ())
    if spread.se is None:
        note = f"{spread.obstacle}; Newcombe interval instead of {wanted}"
        found = _newcombe(spread, confidence, (note, *heavy), spread.further)
    else:
        limits, notes = cut_at_ends(_limits(spread, wanted, confidence), UNIT_ENDS, "the AUC")
        if method is None:
            notes = (*notes, *heavy)
        if wanted in {"wald", "logit"} and spread.sizes.rarer < FEW_DEFAULTERS:
            few = f"with fewer than {FEW_DEFAULTERS} effective cases of a class"
            notes = (f"{few}, {wanted} intervals are less reliable", *notes)
        found = confidence.interval(chance.won, limits, UNIT_ENDS, wanted, spread.se, notes)
    if wanted != "envelope":
        return found
    return allowance.extended(found, chance, spread.sizes, confidence)


def _without_groups(
    given: Ranking, allowance: Allowance = PLAIN_ALLOWANCE
) -> Callable[[Confidence], Interval]:
    """Return the interval of the AUC; with few clusters the envelope with Newcombe's limits."""
    # These, and a kind that was not seen, are of as many cases as would vary as much if they were
    # independent: the cases over the design effect, and at least the groups.
    counts = given.every_score()
    sizes = designs.effective_sizes(counts)
    left: LeftOut | None
    if counts.times is not None:
        left = cast("LeftOut", horizon_estimates(counts))
        held = left.sizes
        left = None if left.too_few else left
        naive = float(horizon_estimates(replace(counts, groups=None)).variances()[0])
    else:
        held = designs.groups_per_class(counts)
        enough = held.rarer >= designs.LEAST_GROUPS
        left = designs.leave_out(designs.in_few_cells(counts), aucs) if enough else None
        naive = variances.auc_variance(counts) if left is not None else 0.0
    statistic = Statistic(roc_auc(counts), aucs, held.rarer)
    few = left is not None and held.rarer < ENOUGH_GROUPS

    def interval(confidence: Confidence) -> Interval:
        found = interval_left_out(left, statistic, confidence)
        if found.method != "jackknife" or found.se is None:
            return found
        effect = max(found.se**2 / naive, 1.0) if naive > 0 else np.inf
        n1, n0 = sizes.positives / effect, sizes.negatives / effect
        alike = ClassSizes(max(n1, held.positives), max(n0, held.negatives))
        chance = Chance.of(found.estimate)
        found = allowance.extended(found, chance, alike, confidence)
        if not few:
            return found
        limits = newcombe(chance, alike, confidence.z)
        low, high = envelope(confidence.opened(limits, UNIT_ENDS), found.limits)
        note = (
            f"envelope with Newcombe's interval for {alike.positives:.3g} positives and "
            f"{alike.negatives:.3g} negatives: the cases over the design effect, or the groups"
        )
        return replace(found, low=low, high=high).with_notes(note)

    return interval


def _check(method: str | None, variance: Variance) -> None:
    if method in {"newcombe", "bootstrap"} and variance != "delong":
        raise ValueError(f'method="{method}" does not use variance="{variance}"')
    if method in {"logit_t", "envelope"} and variance.startswith("hanley"):
        raise ValueError(
            f'variance="{variance}" has no degrees of freedom; use method="logit" or "wald"'
        )


def _newcombe(
    spread: RankingSpread,
    confidence: Confidence,
    notes: tuple[str, ...],
    further: tuple[float, float] = (0.0, 0.0),
) -> Interval:
    chance, sizes = spread.chance, spread.sizes
    se = float(np.sqrt(newcombe_variance(chance.won, chance.lost, sizes))) or None
    limits = _moved_out(newcombe(chance, sizes, confidence.z), chance, further, confidence.z)
    return confidence.interval(chance.won, limits, UNIT_ENDS, "newcombe", se, notes)


def _limits(spread: RankingSpread, method: str, confidence: Confidence) -> Limits:
    chance, z = spread.chance, confidence.z
    if method == "wald":
        return _by_error(spread, z).plain
    if method == "logit":
        return _on_log_odds(spread, z)
    t = confidence.t(spread.df)
    if method == "logit_t":
        return _moved_out(_on_log_odds(spread, t), chance, spread.further, z)
    shaped = partial(shaped_variance, sizes=spread.sizes, shape=spread.shape)
    # Simulated: with weights the score limits need the wider quantile too. Without, each class has
    # as many degrees of freedom as cases: placements lie between 0 and 1, so that their variance
    # is better known than that of normal numbers.
    by_logit = _on_log_odds(spread, confidence.t(spread.df + 1 - spread.uneven))
    by_score = score_limits(chance, shaped, z + spread.uneven * (t - z))
    return envelope(_moved_out(by_logit, chance, spread.further, z), by_score)


def _by_error(spread: RankingSpread, quantile: float) -> ByError:
    return ByError(spread.chance.won, spread.se or 0.0, quantile, lack=spread.chance.lost)


def _on_log_odds(spread: RankingSpread, quantile: float) -> Limits:
    return _by_error(spread, quantile).scaled or UNIT_ENDS


def _moved_out(limits: Limits, auc: Chance, further: tuple[float, float], z: float) -> Limits:
    """Return limits of a weighted AUC, moved out by what a further case of each class could do."""
    # Where heavy weights go with rare scores, most samples miss the few rows that would lower, or
    # raise, the AUC most, and their standard errors miss them too. So one further row of each class
    # is put at the far end of the scores, and the distances it moves the AUC by are squared and
    # added, z times, to that of the limit (as Zou & Donner 2008 join limits, Stat. Med. 27). It
    # fades with 1/n; the limit's own reach with 1/√n.
    down, up = further
    if not (down or up):
        return limits
    low = auc.won - np.hypot(auc.won - limits[0], z * auc.won * down)
    lost = auc.lost - np.hypot(limits[1] - auc.won, z * auc.lost * up)
    return max(float(low), 0.0), 1 - max(float(lost), 0.0)


def _shares_of_one_row(counts: ScoreCounts, placed: Deviations) -> tuple[float, float]:
    """Return the share of a class's weight that one further row has, below and above the AUC."""
    # Of both classes, squared and added.
    rows = designs.further_rows(counts, designs.factor_of_weights(counts), placed, -1, 1)
    below, above = (float(np.hypot(a / (1 + a), b / (1 + b))) for a, b in rows)
    return below, above


def resampled_aucs(resampling: Resampling, auc: float) -> Floats:
    """Return the AUC of every sample, drawn from about `GROUPED_CELLS` groups of scores."""
    # What grouping takes off is put back: their middle is the AUC, their spread that of scores.
    counts, few = resampling.counts, grouped_neighbours(resampling.counts, designs.GROUPED_CELLS)
    known = sum(variance_parts(few, "ij"))
    if few is counts or not known > 0:
        return resampling.draw(aucs)
    moved = replace(resampling, counts=few).draw(aucs) - roc_auc(few)
    spread = np.sqrt(sum(variance_parts(counts, "ij")) / known)
    return np.asarray(np.clip(auc + spread * moved, 0, 1))


def _bootstrap(resampling: Resampling, chance: Chance, confidence: Confidence) -> Interval:
    drawn = resampled_aucs(resampling, chance.won)
    limits = percentiles(drawn, confidence)
    note = f"{resampling.replicates} replicates, each class kept its size; quantiles of type 7"
    se = float(drawn.std(ddof=1))
    return confidence.interval(chance.won, limits, UNIT_ENDS, "bootstrap", se, (note,), drawn)

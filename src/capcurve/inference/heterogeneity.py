"""Whether a score ranks equally well in every segment, or better in some than in others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.curves.simplify import grouped_neighbours
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import as_ranking, segments as counts_by_segment
from capcurve.gate.taking import taking_segments
from capcurve.inference import designs
from capcurve.inference.designs import Seed, chi_square, dealt
from capcurve.inference.differences import NO_SPREAD_OF_GROUPS, as_contrast, quadratic_test
from capcurve.inference.independent import variance_above_zero
from capcurve.inference.limits import shaped_variance
from capcurve.inference.ranking import ranking_spread
from capcurve.inference.records import (
    REPLICATES,
    RankingMetric,
    Test,
    as_metric,
    factor_of,
    in_metric,
)
from capcurve.inference.samples import placements
from capcurve.inference.variances import groups_left_out
from capcurve.metrics import roc_auc
from capcurve.numbers.arguments import as_word
from capcurve.numbers.types import Array, Floats

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts

# Positives and negatives of every segment, shape (G, K) each; what deals them anew many times,
# shape (many, G, K) each.
Dealt = tuple[Array, Array]
Deal = Callable[[np.random.Generator, int], Dealt]
# The AUCs of segments; Q with what they have in common and its standard error; the p-value, how it
# was found, and a note on that.
AcrossSegments = tuple[Floats, tuple[float, float, float], float, str, str]
HeterogeneityMethod = Literal["within", "chi2", "jackknife"]
LEAST_SEGMENTS = 2
TEXTBOOK_SIZE = (
    "chi-square suits large segments only. Among 12 equal segments of 10 positives it finds a "
    "difference in about 30% of tests at the 5% level, with 50 positives in 9 to 10%"
)
SEGMENTS_OF_CLUSTERS = (
    "rows are clustered, and method={!r} treats them as independent, so the p-value is too small"
)
OWN_SHAPE = (
    "each segment is resampled from its own cases, and the p-value is at least that of chi-square "
    "with the variances that segments of the common AUC have. With fewer than 10 positives in each "
    "or an AUC above 0.95 it finds differences between equal segments less often than stated"
)
OF_GROUPS = "groups of clusters were left out of all segments at once"
# The spread within a segment is steadied by as much as this many cases of all segments.
BORROWED = 20
# Segments are resampled from at most about so many groups of scores.
CELLS_OF_A_SEGMENT = 150
# The common AUC and the variances at it are found in turn, so many times.
ROUNDS = 10


@taking_segments
def heterogeneity_test(
    segments: Mapping[Any, ScoreCounts],
    *,
    method: HeterogeneityMethod | None = None,
    metric: RankingMetric = "roc_auc",
    replicates: int = REPLICATES,
    seed: Seed = None,
) -> Test:
    """Test the heterogeneity of segments: whether the score ranks better in some than in others.

    `statistic` is Q = Σ(A - Ā)²/v over the segments, `estimate` the common Ā.

    Parameters
    ----------
    segments
        Counts by segment, as `count_segments` returns them. Those that lack a class are left
        out, with a note.
    method
        Left out, "within", and "jackknife" when all segments have clusters.
        "within": every segment is resampled from its own cases, and a score test must reject
        too; "chi2": the large-sample law, for large segments;
        "jackknife": groups of clusters are left out of all segments at once, so that obligors
        may be in several, and Hotelling's law.
    metric
        "roc_auc" or "accuracy_ratio": what estimates are measured in.
    replicates
        How many samples "within" draws.
    seed
        Anything `numpy.random.default_rng` takes; the same whole number gives the same result.

    Raises
    ------
    ValueError
        With fewer than two segments that have both classes; for weighted counts unless the
        method is "chi2"; for "chi2" with fewer than two cases of a class in a segment.

    Notes
    -----
    Cochran's Q. For "chi2" v is DeLong's variance in each segment, as in textbooks. The other
    methods steady the spread within each segment by that of all, as much as 20 cases' worth: in
    small segments DeLong's variance is itself so uncertain that Q says little.

    A small segment that lacks the cases which are ranked worst shows too little spread, and
    resampling it shows no more. So the p-value of "within" is at least that of chi-square for Q
    with the variances that the default limits of `confidence_interval` take at the common AUC:
    of exponential scores (Hanley & McNeil 1982, Radiology 143) where a segment has few cases in
    the wrong place, else of the shape seen.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> good = ScoreCounts.from_counts([3, 2, 1], [30, 8, 2], [20, 80, 300])
    >>> poor = ScoreCounts.from_counts([3, 2, 1], [12, 16, 12], [100, 150, 150])
    >>> heterogeneity_test({"good": good, "poor": poor}, seed=1).p_value < 0.01
    True
    """
    metric = as_metric(metric)
    if method is not None:
        as_word(method, "method", get_args(HeterogeneityMethod), mark=";")
    used, left_out = _usable(counts_by_segment(segments, "heterogeneity_test"))
    counts = list(used.values())
    clustered = [part.groups is not None for part in counts]
    method = method or ("jackknife" if all(clustered) else "within")
    if method in ("chi2", "jackknife") and (seed is not None or replicates != REPLICATES):
        raise ValueError(f'method="{method}" draws no samples: leave seed and replicates out')
    if method == "jackknife":
        found = _left_out(counts)
    elif method == "chi2":
        found = _of_large_samples(counts)
    else:
        found = _simulated(counts, method, replicates, seed)
    aucs, (q, middle, se), p_value, how, note = found
    notes = (note, *left_out)
    if any(clustered) and method != "jackknife":
        notes = (*notes, SEGMENTS_OF_CLUSTERS.format(method))
    values = [in_metric(float(auc), metric) for auc in aucs]
    return Test(
        name="all segments equal",
        statistic=q,
        p_value=p_value,
        method=how,
        df=float(len(counts) - 1),
        estimate=in_metric(middle, metric),
        se=factor_of(metric) * se,
        metric=metric,
        estimates=dict(zip(map(str, used), values, strict=True)),
        notes=notes,
    )


def _usable(segments: Mapping[Any, ScoreCounts]) -> tuple[dict[Any, ScoreCounts], tuple[str, ...]]:
    known = {
        key: as_ranking(counts, "heterogeneity_test", instead="confidence_interval")
        for key, counts in segments.items()
    }
    every = {key: counts.every_score() for key, counts in known.items()}
    used = {key: counts for key, counts in every.items() if counts.n1 > 0 and counts.n0 > 0}
    if len(used) < LEAST_SEGMENTS:
        raise ValueError(
            f"comparing segments needs at least two with positives and negatives; {len(used)} "
            f"of {len(segments)} have both"
        )
    refuse_unlike(list(used.values()), [f"segment {key}" for key in used])
    for counts in used.values():
        designs.require_rows(counts)
    lost = [str(key) for key in segments if key not in used]
    return used, (f"left out for lack of a class: {', '.join(lost)}",) if lost else ()


def _of_large_samples(counts: Sequence[ScoreCounts]) -> AcrossSegments:
    """Return the test by DeLong's variances and the law of large samples."""
    aucs = np.array([roc_auc(each) for each in counts])
    variances = [variance_above_zero(each, "delong")[0] for each in counts]
    found = heterogeneity(aucs, np.array(variances))
    return aucs, found, chi_square(found[0], len(counts) - 1)[0], "chi-square", TEXTBOOK_SIZE


def _left_out(segments: Sequence[ScoreCounts]) -> AcrossSegments:
    """Leave groups of clusters out of all segments at once."""
    if any(part.groups is None for part in segments):
        raise ValueError('method="jackknife" leaves out groups of clusters; count with cluster=')
    left = groups_left_out(segments)
    if left.sizes.rarer <= len(segments):
        raise ValueError(
            f"{len(segments)} segments need more than {left.sizes.rarer:g} groups of clusters "
            "with both classes in each; put segments together"
        )
    quadratic = quadratic_test(left, as_contrast(None, len(segments)))
    mean = left.along(np.full((1, len(segments)), 1 / len(segments)))
    found = quadratic.statistic, float(mean.values[0]), mean.se()
    how = f"{left.method}, {quadratic.law}"
    note = OF_GROUPS if quadratic.spreads else NO_SPREAD_OF_GROUPS
    return left.values, found, quadratic.p_value, how, note


def _simulated(
    segments: Sequence[ScoreCounts], method: HeterogeneityMethod, replicates: int, seed: Seed
) -> AcrossSegments:
    """Compare Q with that of samples in which all segments rank alike."""
    designs.check_replicates(replicates)
    if any(counts.weights is not None for counts in segments):
        raise ValueError(f'method="{method}" deals cases anew, and these are weighted; use "chi2"')
    # By the order of their counts: that in which they are given must not move the p-value.
    by_counts = sorted(segments, key=lambda c: (c.positives.tolist(), c.negatives.tolist()))
    cells = [counts.sums for counts in by_counts]
    aucs = np.array([roc_auc(counts) for counts in by_counts])
    found = heterogeneity(aucs, auc_spreads(*stacked_segments(cells))[1])
    deal, expected = dealt_within(by_counts)
    rng, reached = np.random.default_rng(seed), 0
    step = max(1, designs.CELLS_AT_ONCE // (len(segments) * CELLS_OF_A_SEGMENT))
    for start in range(0, replicates, step):
        drawn, variances = auc_spreads(*deal(rng, min(step, replicates - start)))
        for moved, spread in zip(drawn - expected, variances, strict=True):
            # Equal but for rounding counts as reached; so does the sample itself.
            reached += heterogeneity(moved, spread)[0] >= found[0] * (1 - 1e-9)
    p_value = max((1 + reached) / (1 + replicates), by_score(by_counts, found[1]))
    how = f"each segment resampled by itself, {replicates:,} replicates"
    as_given = np.array([roc_auc(counts) for counts in segments])
    return as_given, found, p_value, how, OWN_SHAPE


def by_score(segments: Sequence[ScoreCounts], middle: float) -> float:
    """Return the p-value of Q with the variance that segments of the common AUC have."""
    spreads = [ranking_spread(counts) for counts in segments]
    aucs, q = np.array([spread.chance.won for spread in spreads]), 0.0
    half_a_pair = 0.5 / sum(int(counts.n1) * int(counts.n0) for counts in segments)
    for _ in range(ROUNDS):
        inside = min(max(middle, half_a_pair), 1 - half_a_pair)
        variances = [
            shaped_variance(inside, 1 - inside, sizes=spread.sizes, shape=spread.shape)
            for spread in spreads
        ]
        q, middle, _ = heterogeneity(aucs, np.array(variances))
    return chi_square(q, len(segments) - 1)[0]


def auc_spreads(positives: Array, negatives: Array) -> tuple[Floats, Floats]:
    """Return the AUC of each segment and its variance, of cells (..., G, K), best score first."""
    # DeLong's, the two spreads of each segment steadied by those of all.
    n1, n0 = positives.sum(axis=-1), negatives.sum(axis=-1)
    aucs, over_positives, over_negatives = placements(positives, negatives)
    variances = np.zeros(aucs.shape)
    for cases, size, over in ((positives, n1, over_positives), (negatives, n0, over_negatives)):
        squares = (cases * (over - aucs[..., None]) ** 2).sum(axis=-1)
        known = np.maximum((size - 1).sum(axis=-1, keepdims=True), 1.0)
        pooled = squares.sum(axis=-1, keepdims=True) / known
        variances += (squares + BORROWED * pooled) / (size - 1 + BORROWED) / size
    return aucs, variances


def stacked_segments(columns: Sequence[Dealt]) -> Dealt:
    """Return the cells of all segments as (..., G, K), with zeros after those with fewer scores."""
    before, most = columns[0][0].shape[:-1], max(p.shape[-1] for p, _ in columns)
    cells = np.zeros((2, *before, len(columns), most))
    for i, both in enumerate(columns):
        for which, column in enumerate(both):
            cells[which, ..., i, : column.shape[-1]] = column
    return cells[0], cells[1]


def heterogeneity(aucs: Floats, variances: Floats) -> tuple[float, float, float]:
    """Return Q = Σ(A - Ā)²/v, the common Ā and its standard error."""
    # Where nothing varies Q is zero, unless AUCs differ: then it is infinite.
    if not variances.any():
        middle = float(aucs.mean())
        return (0.0 if np.ptp(aucs) == 0 else np.inf), middle, 0.0
    weights = 1 / np.maximum(variances, variances.max() * 1e-12)
    middle = float((weights * aucs).sum() / weights.sum())
    spread = float((weights * (aucs - middle) ** 2).sum())
    return spread, middle, float(weights.sum() ** -0.5)


def dealt_within(segments: Sequence[ScoreCounts]) -> tuple[Deal, Floats]:
    """Return how to resample every segment from its own cases, and the AUC each then has."""
    # What is compared are distances from that AUC, so each segment keeps the way in which it
    # separates its classes. Neighbouring scores are put together where there are many.
    few = [grouped_neighbours(counts, CELLS_OF_A_SEGMENT) for counts in segments]

    def deal(rng: np.random.Generator, many: int) -> Dealt:
        cells = [(dealt(rng, many, c.positives), dealt(rng, many, c.negatives)) for c in few]
        return stacked_segments(cells)

    return deal, np.array([roc_auc(counts) for counts in few])

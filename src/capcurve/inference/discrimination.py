"""Whether a score tells positives from negatives at all: on average, or at any cut-off."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.given import takes_counts
from capcurve.inference.differences import Spread, law_of
from capcurve.inference.exact import (
    EXACT_GAP_SIZE,
    EXACT_SIZE,
    FEW,
    LARGEST_EXACT_SIZE,
    LARGEST_GAP_SIZE,
    MOST_CASES,
    Alternative,
    gap_chance,
    rank_sum_chance,
)
from capcurve.inference.independent import spread_by_limits, spread_of_one
from capcurve.inference.records import Metric, Test, factor_of, in_metric
from capcurve.inference.sizes import require_rows
from capcurve.inference.variances import null_variance
from capcurve.metrics import ks, roc_auc
from capcurve.metrics.ranking import count_pairs

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Ints

CLUSTERED = (
    "the rows are clustered, and method={!r} treats them as independent: the p-value is too "
    "small; leave method out for the jackknife over groups of clusters"
)
CLUSTERED_KS = (
    "the rows are clustered, and this law treats them as independent: the p-value is too small; "
    "confidence_interval(counts, 'ks') and discrimination_test leave out whole clusters"
)
NOT_DEALT = "the exact law deals labels to cases, and these are weighted"
ONE_SCORE = "all cases have the same score"
WEIGHTED = (
    "rows are weighted, and labels cannot be dealt to rows of different weight: the p-value is one "
    "less the largest level at which the confidence interval excludes 1/2"
)
WEIGHTED_NORMAL = (
    "the normal law rejects weighted rows too often, in up to a third of samples instead of 5%; "
    "leave method out for the test that goes with the confidence interval"
)
WEIGHTED_KS = (
    "the law of the KS statistic is not known for weighted rows; discrimination_test(counts) tests "
    "whether the score ranks better than chance"
)
TIES_IGNORED = "ties are ignored, which makes the p-value too large, never too small"


@takes_counts
def discrimination_test(
    counts: Ranking,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "normal"] = "auto",
    metric: Metric = "roc_auc",
) -> Test:
    """Test whether the score ranks better (or worse) than drawing lots.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alternative
        "two-sided": the AUC is not 1/2; "greater": it is above, "less": below.
    method
        "exact": all ways of dealing the labels to the scores that were seen, ties included;
        "normal": the normal law with the variance these have; "auto": exact with at most 20 of
        a class, or when cases times the rarer class are at most 10,000; of clustered rows the
        jackknife over groups of clusters, with Student's t; of weighted rows the level at which
        1/2 leaves the interval of `confidence_interval`.
    metric
        "roc_auc" or "accuracy_ratio": what the estimate is measured in.

    Returns
    -------
    Test
        The statistic is (AUC - 1/2) over its standard deviation under drawing lots.

    Raises
    ------
    ValueError
        When a class is missing, for weights of unknown kind, when "exact" is asked of very
        many rows, and when a method is asked of weighted rows.

    Notes
    -----
    The Wilcoxon-Mann-Whitney test with midranks, no continuity correction: Lehmann (1975),
    Nonparametrics, 1.4. Its variance is that of labels dealt at random, not DeLong's.

    Examples
    --------
    The best of the 10 orders of 2 positives and 3 negatives; the worst is as extreme.

    >>> from capcurve import count_scores
    >>> found = discrimination_test(count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]))
    >>> round(found.p_value, 12), found.method
    (0.2, 'exact, given the ties')
    """
    _check(alternative, ("two-sided", "greater", "less"), "alternative")
    _check(method, ("auto", "exact", "normal"), "method")
    factor_of(metric)
    auc = roc_auc(counts)
    require_rows(counts)
    weighted, clustered = counts.weights is not None, counts.groups is not None
    notes = (ONE_SCORE,) if len(counts) == 1 else ()
    if weighted and method != "auto":
        raise ValueError(NOT_DEALT if method == "exact" else WEIGHTED_NORMAL)
    if clustered and method == "auto":
        spread = spread_of_one(counts)
        law = f"{spread.method}, t({spread.df:.3g})"
        return _against_half(auc, spread, law, alternative, metric, (*spread.notes, *notes))
    if weighted:
        spread, notes = spread_by_limits(counts), (WEIGHTED, *notes)
        law = "limits of the AUC"
        return _against_half(auc, spread, law, alternative, metric, (*spread.notes, *notes))
    if clustered:
        notes = (*notes, CLUSTERED.format(method))
    rarer = min(counts.n1, counts.n0)
    few, size = rarer <= FEW and counts.n <= MOST_CASES, counts.n * rarer
    if method == "exact" and size > LARGEST_EXACT_SIZE and not few:
        raise ValueError(
            f"cases times the rarer class are {size}, too many for the exact law "
            f"({LARGEST_EXACT_SIZE} at most, with more than {FEW} of a class); "
            'the normal law, method="normal", is then very close'
        )
    spread = Spread(null_variance(counts), None, "", ())
    found = _against_half(auc, spread, "normal", alternative, metric, notes)
    if method == "exact" or (method == "auto" and (few or size <= EXACT_SIZE)):
        p_value = _exact(counts.every_score(), alternative)
        return replace(found, p_value=p_value, method="exact, given the ties")
    return found


def _against_half(
    auc: float,
    spread: Spread,
    law: str,
    alternative: Alternative,
    metric: Metric,
    notes: tuple[str, ...],
) -> Test:
    statistic = spread.distance(auc, 0.5) if spread.variance > 0 else 0.0
    below = law_of(spread.df)[0]
    tails = {
        "two-sided": 2 * below(-abs(statistic)),
        "greater": below(-statistic),
        "less": below(statistic),
    }
    return Test(
        name="AUC = 1/2" if metric == "roc_auc" else "AR = 0",
        statistic=statistic,
        p_value=tails[alternative],
        method=law,
        alternative=alternative,
        df=spread.df,
        estimate=in_metric(auc, metric),
        se=factor_of(metric) * math.sqrt(spread.variance),
        metric=metric,
        notes=notes,
    )


def _check(value: object, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _exact(counts: ScoreCounts, alternative: Alternative) -> float:
    pairs = count_pairs(counts)
    seen = pairs.won - pairs.lost
    return min(1.0, rank_sum_chance(_ties(counts), counts.n1, seen, alternative))


def _ties(counts: ScoreCounts) -> Ints:
    ties: Ints = counts.positives.astype(np.int64) + counts.negatives.astype(np.int64)
    return ties


@takes_counts
def ks_test(
    counts: Ranking,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> Test:
    """Test whether any cut-off separates positives from negatives by more than chance.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alternative
        "two-sided": either class leads somewhere, by the statistic `ks` gives; "greater":
        positives lead; "less": negatives do.
    method
        "exact": the law of labels dealt at random over the very ties that were seen;
        "asymptotic": the law of large samples without ties; "auto": exact where cases times
        the rarer class are at most 2·10^8, as 10,000 of 20,000 cases or 20 of 10 million.

    Returns
    -------
    Test
        The statistic is the largest gap between the classes on that side.

    Raises
    ------
    ValueError
        When a class is missing, for weighted rows, or when "exact" is asked of more than 20
        million cases, or of more than 10^11 times the rarer class.

    Notes
    -----
    Exact: Steck (1969); Schröer & Trenkler (1995), as R's psmirnov since 4.2. Tools that ignore
    ties in their exact law give other numbers for tied data. Asymptotic: with N = n1·n0/n
    2·Σ(-1)^(k-1)·exp(-2k²D²N); one side exp(-2D²N).

    Examples
    --------
    The two positives lead all three negatives; 2 of the 10 orders separate the classes.

    >>> from capcurve import count_scores
    >>> found = ks_test(count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]))
    >>> found.statistic, round(found.p_value, 12), found.method
    (1.0, 0.2, 'exact, given the ties')
    """
    _check(alternative, ("two-sided", "greater", "less"), "alternative")
    _check(method, ("auto", "exact", "asymptotic"), "method")
    require_rows(counts)
    if counts.weights is not None:
        raise ValueError(WEIGHTED_KS)
    found = ks(counts)
    sides = {"greater": found.positive_side, "less": found.negative_side}
    gap = sides.get(alternative, found.statistic)
    size = counts.n * min(counts.n1, counts.n0) if counts.n <= MOST_CASES else math.inf
    if method == "exact" and size > LARGEST_GAP_SIZE:
        raise ValueError(
            f"{counts.n:,} cases are too many for the exact law: {MOST_CASES:,} at most, and "
            f"{LARGEST_GAP_SIZE:,} at most times the rarer class; "
            'method="asymptotic" is then very close'
        )
    notes: tuple[str, ...] = ()
    if method == "exact" or (method == "auto" and size <= EXACT_GAP_SIZE):
        p_value, name = _exact_gap(counts.every_score(), gap, alternative), "exact, given the ties"
    else:
        p_value, name = _asymptotic(counts, gap, alternative), "asymptotic"
        notes = (TIES_IGNORED,) if len(counts) < counts.n else ()
    if counts.groups is not None:
        notes = (*notes, CLUSTERED_KS)
    return Test(
        name="Kolmogorov-Smirnov",
        statistic=gap,
        p_value=p_value,
        method=name,
        alternative=alternative,
        estimate=gap,
        estimates={"positives lead by": sides["greater"], "negatives lead by": sides["less"]},
        notes=notes,
    )


def leads_somewhere(counts: Ranking, alpha: float) -> Test:
    """Return the two-sided KS test, as exact as it needs to be to tell whether it rejects.

    The law of large samples gives no smaller p-value than the exact one, and takes no time.
    """
    found = ks_test(counts, method="asymptotic")
    return found if found.p_value <= alpha else ks_test(counts)


def _exact_gap(counts: ScoreCounts, gap: float, alternative: Alternative) -> float:
    pairs = counts.n1 * counts.n0
    if gap == 0:
        return 1.0
    return min(1.0, gap_chance(_ties(counts), counts.n1, round(gap * pairs), alternative))


def _asymptotic(counts: Ranking, gap: float, alternative: Alternative) -> float:
    from scipy.special import kolmogorov

    wide = gap * math.sqrt(counts.n1 * counts.n0 / counts.n)
    return float(kolmogorov(wide)) if alternative == "two-sided" else math.exp(-2 * wide**2)

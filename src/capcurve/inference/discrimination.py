"""Whether a score tells positives from negatives at all: AUC = 1/2, AR = 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.curves.shares import every_score
from capcurve.inference.clustered_tests import spread_of_one
from capcurve.inference.independent import law_of
from capcurve.inference.ranksum import EXACT_SIZE, LARGEST_EXACT_SIZE, rank_sum_chances
from capcurve.inference.record import Metric, Test, factor_of, in_metric
from capcurve.inference.sizes import require_rows
from capcurve.inference.variances import auc_variance, null_variance
from capcurve.metrics import roc_auc
from capcurve.metrics.ranking import count_pairs

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts

CLUSTERED = (
    "the rows are clustered, and method={!r} treats them as independent: the p-value is too "
    "small; leave method out for the jackknife over groups of clusters"
)
Alternative = Literal["two-sided", "greater", "less"]
ONE_SCORE = "all cases have the same score"
WEIGHTED = (
    "rows are weighted: the robust variance of the AUC is used, for labels cannot be dealt to "
    "rows of different weight"
)


def discrimination_test(
    counts: Ranked,
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
        "normal": the normal law with the variance these have; "auto": exact when cases times
        the rarer class are at most 10,000; of clustered rows the jackknife over groups of
        clusters, with Student's t.
    metric
        "roc_auc" or "accuracy_ratio": what the estimate is measured in.

    Returns
    -------
    Test
        The statistic is (AUC - 1/2) over its standard deviation under drawing lots.

    Raises
    ------
    ValueError
        When a class is missing, for weights of unknown kind, when "exact" is asked of
        weighted rows or of very many, and with one weighted row in a class.

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
    factor, auc = factor_of(metric), roc_auc(counts)
    require_rows(counts)
    weighted, clustered = counts.weights is not None, counts.groups is not None
    if clustered and method == "auto":
        return _clustered(every_score(counts), alternative, metric)
    size = counts.n * min(counts.n1, counts.n0)
    if method == "exact":
        _refuse_exact(weighted, size)
    se = math.sqrt(auc_variance(counts) if weighted else null_variance(counts))
    z = (auc - 0.5) / se if se > 0 else 0.0
    exact = method == "exact" or (method == "auto" and not weighted and size <= EXACT_SIZE)
    return Test(
        name="AUC = 1/2" if metric == "roc_auc" else "AR = 0",
        statistic=z,
        p_value=_exact(every_score(counts), alternative) if exact else _normal(z, alternative),
        method="exact, given the ties" if exact else "normal",
        alternative=alternative,
        estimate=in_metric(auc, metric),
        se=factor * se,
        metric=metric,
        notes=((ONE_SCORE,) if len(counts) == 1 else ())
        + ((WEIGHTED,) if weighted else ())
        + ((CLUSTERED.format(method),) if clustered else ()),
    )


def _clustered(counts: ScoreCounts, alternative: Alternative, metric: Metric) -> Test:
    """Return the test with the spread that leaving out groups of clusters shows."""
    spread, auc = spread_of_one(counts), roc_auc(counts)
    t = (auc - 0.5) / math.sqrt(spread.variance)
    below = law_of(spread.df)[0]
    tails = {"two-sided": 2 * below(-abs(t)), "greater": below(-t), "less": below(t)}
    return Test(
        name="AUC = 1/2" if metric == "roc_auc" else "AR = 0",
        statistic=t,
        p_value=tails[alternative],
        method=f"{spread.method}, t({spread.df:.3g})",
        alternative=alternative,
        df=spread.df,
        estimate=in_metric(auc, metric),
        se=factor_of(metric) * math.sqrt(spread.variance),
        metric=metric,
        notes=(*spread.notes, *((ONE_SCORE,) if len(counts) == 1 else ())),
    )


def _check(value: object, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _refuse_exact(weighted: bool, size: int) -> None:
    if weighted:
        raise ValueError("the exact law deals labels to cases, and these are weighted")
    if size > LARGEST_EXACT_SIZE:
        raise ValueError(
            f"cases times the rarer class are {size}, too many for the exact law "
            f'({LARGEST_EXACT_SIZE} at most); the normal law, method="normal", is then very close'
        )


def _exact(counts: ScoreCounts, alternative: Alternative) -> float:
    ties = counts.positives.astype(np.int64) + counts.negatives.astype(np.int64)
    pairs = count_pairs(counts)
    seen = pairs.won - pairs.lost
    values, chances = rank_sum_chances(ties, counts.n1)
    if alternative == "two-sided":
        as_extreme = np.abs(values) >= abs(seen)
    else:
        as_extreme = values >= seen if alternative == "greater" else values <= seen
    return min(1.0, float(chances[as_extreme].sum()))


def _normal(z: float, alternative: Alternative) -> float:
    from scipy.special import ndtr

    if alternative == "two-sided":
        return float(2 * ndtr(-abs(z)))
    return float(ndtr(-z) if alternative == "greater" else ndtr(z))

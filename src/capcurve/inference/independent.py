"""Comparing AUCs of different rows: two segments, two periods, two banks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from capcurve.counts import Ranked
from capcurve.inference.asking import Alternative, answer, ask
from capcurve.inference.clustered_tests import Spread, spread_of_one, spread_of_two
from capcurve.inference.exponential import careful_variance
from capcurve.inference.record import Metric, Test, check_open, factor_of, in_metric, limits
from capcurve.inference.sizes import effective_sizes
from capcurve.inference.variances import Variance, auc_variance
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from collections.abc import Callable


NO_SPREAD = (
    "a sample ranks every pair alike and so shows no spread; its variance is that of Hanley & "
    "McNeil half a pair inside"
)


def compare_independent(
    first: Ranked,
    second: Ranked,
    *,
    metric: Metric = "roc_auc",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    law: Literal["welch", "normal"] = "welch",
    variance: Variance = "delong",
) -> Test:
    """Test whether the AUCs of two separate samples differ by more than chance.

    For scores on the same rows use `compare`, which knows what they have in common.

    Parameters
    ----------
    first, second
        What was counted on different cases: two segments, two periods, two banks. When both
        have clusters, clusters that are in both (an obligor in two periods) are accounted for.
    metric
        "roc_auc" or "accuracy_ratio": what the difference and `margin` are measured in.
    level
        Confidence level of the two-sided limits.
    margin
        The difference that matters, zero or more.
    alternative
        What to show of the first against the second, as in `compare`.
    law
        "welch": Student's t with (v1 + v2)²/(v1²/(N1 - 1) + v2²/(N2 - 1)) degrees of freedom,
        N all cases of a sample, as R's pROC has it; "normal".
    variance
        Formula for the variance of each AUC, as in `auc_variance`; of clustered counts always
        the jackknife over groups of clusters.

    Returns
    -------
    Test
        The difference, first less second.

    Raises
    ------
    ValueError
        With fewer than two cases in a class, a margin that fits no alternative, or weights
        of unknown kind.

    Examples
    --------
    Both AUCs are 3/4 with variance 1/8, so the difference is 0 ± 1/2.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> found = compare_independent(counts, counts)
    >>> found.estimate, found.se, found.df, found.p_value
    (0.0, 0.5, 6.0, 1.0)
    """
    if law not in ("welch", "normal"):
        raise ValueError(f'law must be "welch" or "normal", got {law!r}')
    for counts in (first, second):
        if not isinstance(counts, Ranked):
            raise TypeError(
                f"compare_independent takes the counts of two samples; got {type(counts).__name__}"
            )
    factor, question = factor_of(metric), ask(alternative, margin)
    level = check_open(level, "level")
    spread = spread_between(first, second, variance)
    aucs = (roc_auc(first), roc_auc(second))
    difference, se = factor * (aucs[0] - aucs[1]), factor * math.sqrt(spread.variance)
    df = spread.df if law == "welch" else None
    below, quantile = law_of(df)
    statistic, p_value = answer(difference, se, question, below)
    low, high, moved = limits(difference, -quantile((1 - level) / 2) * se, factor)
    return Test(
        name="first - second",
        statistic=statistic,
        p_value=p_value,
        method=f"different rows, {spread.method}, {_law_name(df)}",
        alternative=alternative,
        df=df,
        estimate=difference,
        se=se,
        low=low,
        high=high,
        level=level,
        metric=metric,
        estimates={"first": in_metric(aucs[0], metric), "second": in_metric(aucs[1], metric)},
        notes=(*spread.notes, *moved),
    )


def spread_between(first: Ranked, second: Ranked, variance: Variance) -> Spread:
    """Return the variance of the difference, with Welch's degrees of freedom."""
    if first.groups is not None and second.groups is not None:
        refuse_other_variance(variance)
        return spread_of_two(first, second)
    parts = [spread_or_careful(counts, variance) for counts in (first, second)]
    total = sum(part.variance for part in parts)
    df = total**2 / sum(part.variance**2 / part.df for part in parts)
    methods = " and ".join(dict.fromkeys(part.method for part in parts))
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Spread(total, df, methods, notes)


def spread_or_careful(counts: Ranked, variance: Variance) -> Spread:
    """Return the variance of one AUC, above zero, whether its rows are clustered or not."""
    if counts.groups is not None:
        refuse_other_variance(variance)
        return spread_of_one(counts)
    value, careful = variance_above_zero(counts, variance)
    notes = (NO_SPREAD,) if careful else ()
    return Spread(value, _cases(counts) - 1, f"{variance} variances", notes)


def refuse_other_variance(variance: Variance) -> None:
    """Raise ValueError for a variance formula that would ignore clusters."""
    if variance != "delong":
        raise ValueError(
            f'variance="{variance}" treats rows as independent, and these are clustered; '
            "leave it out for the jackknife over groups of clusters"
        )


def variance_above_zero(counts: Ranked, variance: Variance) -> tuple[float, bool]:
    """Return the variance of the AUC, and whether it had to be taken from the AUC alone."""
    value = auc_variance(counts, variance)
    if value > 0:
        return value, False
    sizes = effective_sizes(counts)
    return careful_variance(roc_auc(counts), sizes.positives, sizes.negatives), True


def _cases(counts: Ranked) -> float:
    sizes = effective_sizes(counts)
    return sizes.positives + sizes.negatives


def law_of(df: float | None) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return the distribution function and quantiles of Student's t, or of the normal."""
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    if df is None:
        return lambda x: float(ndtr(x)), lambda p: float(ndtri(p))
    return lambda x: float(stdtr(df, x)), lambda p: float(stdtrit(df, p))


def _law_name(df: float | None) -> str:
    return "normal" if df is None else f"t({df:.6g})"

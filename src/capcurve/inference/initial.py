"""Whether a model ranks worse than at first validation: the ECB's test, and that of two samples."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Ranked
from capcurve.counts.arguments import told
from capcurve.inference.asking import answer, ask
from capcurve.inference.independent import law_of, spread_between, spread_or_careful
from capcurve.inference.record import Metric, Test, factor_of, in_metric
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from capcurve.inference.variances import Variance

MOST_GRADES = 30
KNOWN_INITIAL = (
    "the initial value is treated as known: if it was estimated on as many cases, a true "
    "level of 5% is 12.2%"
)


def test_against_initial(
    counts: Ranked,
    initial: float | Ranked,
    *,
    metric: Metric = "roc_auc",  # noqa: PT028 - not a test of this project
    variance: Variance = "delong",  # noqa: PT028 - not a test of this project
) -> Test:
    """Test whether a model ranks worse today than it did when it was first validated.

    Parameters
    ----------
    counts
        Today's cases, by rating grade.
    initial
        The value at first validation, in `metric`: taken as known, as the ECB prescribes. Or
        the counts of that sample: its own chance is then taken into account.
    metric
        "roc_auc", or "accuracy_ratio" when `initial` is one.
    variance
        Formula for the variance of the AUC; the ECB's is "delong". Clustered counts take the
        jackknife over groups of clusters, with Student's t.

    Returns
    -------
    Test
        `estimate` is the loss, initial less current; a small p-value says it is not chance.

    Raises
    ------
    ValueError, TypeError
        With fewer than two cases in a class, an initial value that is none, or weights of
        unknown kind.

    Warns
    -----
    UserWarning
        Above 30 distinct scores: the ECB wants rating grades, which lie below the score.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5.4.1:
    S = (AUC_init - AUC_curr)/s with s from the current sample, p = 1 - Φ(S). When the initial
    value was itself estimated on as many cases, 12.2% rather than 5% of unchanged models fall
    below p = 5%: 1 - Φ(1.645/√2). The two-sample form adds its variance and keeps the 5%.

    Examples
    --------
    The AUC is 3/4 with variance 1/8, so 0.95 lies 0.2/√(1/8) standard errors above.

    >>> from capcurve import count_scores
    >>> found = test_against_initial(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), initial=0.95)
    >>> round(found.estimate, 12), round(found.se**2, 12), round(found.statistic, 4)
    (0.2, 0.125, 0.5657)
    """
    factor = factor_of(metric)
    current, two = roc_auc(counts), isinstance(initial, Ranked)
    if isinstance(initial, Ranked):
        before, spread = roc_auc(initial), spread_between(initial, counts, variance)
        clustered = counts.groups is not None or initial.groups is not None
    else:
        before, spread = _as_auc(initial, metric), spread_or_careful(counts, variance)
        clustered = counts.groups is not None
    notes = [*spread.notes, *(() if two else (KNOWN_INITIAL,)), *_about_grades(counts)]
    loss, se = factor * (before - current), factor * math.sqrt(spread.variance)
    df = spread.df if clustered else None
    statistic, p_value = answer(loss, se, ask("superior", None), law_of(df)[0])
    formula = f"{spread.method}, t({spread.df:.3g})" if clustered else f"{variance}, normal"
    return Test(
        name="initial - current",
        statistic=statistic,
        p_value=p_value,
        method=f"{'two samples' if two else 'initial value known (ECB)'}, {formula}",
        alternative="the current one is lower",
        df=df,
        estimate=loss,
        se=se,
        metric=metric,
        estimates={"initial": in_metric(before, metric), "current": in_metric(current, metric)},
        notes=tuple(notes),
    )


# Else pytest would take the function for a test wherever it is imported.
test_against_initial.__test__ = False  # type: ignore[attr-defined]  # read by pytest


def _as_auc(initial: object, metric: Metric) -> float:
    low = 0 if metric == "roc_auc" else -1
    if isinstance(initial, bool) or not isinstance(initial, int | float | np.number):
        raise TypeError(f"initial must be counts or a {metric}, got {told(initial)}")
    if not low <= initial <= 1:
        raise ValueError(f"initial must be a {metric} in [{low}, 1], got {told(initial)}")
    return float(initial) if metric == "roc_auc" else (1 + float(initial)) / 2


def _about_grades(counts: Ranked) -> list[str]:
    if len(counts) <= MOST_GRADES:
        return []
    found = (
        f"there are {len(counts)} distinct scores; the ECB test is made on rating grades, and "
        "on scores it compares another number"
    )
    warnings.warn(found, UserWarning, stacklevel=3)
    return [found]

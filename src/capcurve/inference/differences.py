"""The test of a paired difference of AUCs, whatever its spread was found by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.inference.asking import answer
from capcurve.inference.independent import law_of
from capcurve.inference.record import Metric, Test, factor_of, in_metric, limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.inference.asking import Question

ALIKE = "both scores rank all cases identically: nothing differs"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of every pair."""

    metric: Metric
    level: float
    question: Question


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two AUCs of the same rows are apart, and how far chance moves that.

    Attributes
    ----------
    names, aucs
        Of both scores.
    estimate, se
        First less second, of the AUCs.
    df
        Of Student's t; None for the normal law.
    method
        How the standard error came about, and the law.
    notes
        What a reader must know about it.
    """

    names: tuple[str, str]
    aucs: tuple[float, float]
    estimate: float
    se: float
    df: float | None
    method: str
    notes: Sequence[str]


def difference_test(found: Difference, asked: Asked) -> Test:
    """Return the test of a paired difference of AUCs, in the metric that was asked for."""
    factor = factor_of(asked.metric)
    difference, se = factor * found.estimate, factor * found.se
    below, quantile = law_of(found.df)
    statistic, p_value = answer(difference, se, asked.question, below)
    low, high, moved = limits(difference, -quantile((1 - asked.level) / 2) * se, factor)
    named = zip(found.names, found.aucs, strict=True)
    return Test(
        name=f"{found.names[0]} - {found.names[1]}",
        statistic=statistic,
        p_value=p_value,
        method=found.method,
        alternative=asked.question.alternative,
        df=found.df,
        estimate=difference,
        se=se,
        low=low,
        high=high,
        level=asked.level,
        metric=asked.metric,
        estimates={name: in_metric(auc, asked.metric) for name, auc in named},
        notes=(*found.notes, *moved),
    )

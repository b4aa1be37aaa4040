"""Test: what was tested, how, and what came out; with the words a test can be asked in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from capcurve.counts.arguments import as_open_share
from capcurve.counts.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

Metric = Literal["roc_auc", "accuracy_ratio"]
BEYOND = "a limit beyond the largest possible difference was moved to it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """The result of a test: what was tested, the statistic and its p-value.

    Attributes
    ----------
    name
        What was tested.
    statistic, p_value
        The number compared with chance, and how often chance alone reaches it.
    df
        Degrees of freedom, or None when the law has none.
    estimate
        The number that the question is about: a difference, an AUC, a gap.
    se
        Its standard error, or None.
    low, high, level
        Its two-sided confidence limits and their level, or None.
    p_adjusted
        The p-value after Holm's adjustment for all tests made together, or None.
    estimates
        The named numbers behind the estimate.
    metric
        What estimates are measured in: "roc_auc", "accuracy_ratio" (twice as wide), or None.
    alternative
        What the test looked for.
    method
        How the p-value came about.
    notes
        What a reader must know about it.
    """

    # Else pytest would take the class for a test case wherever it is imported.
    __test__: ClassVar[bool] = False

    name: str
    statistic: float
    p_value: float
    method: str
    alternative: str = "two-sided"
    df: float | None = None
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    p_adjusted: float | None = None
    metric: Metric | None = None
    estimates: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the test as values that strict JSON can hold."""
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}


def factor_of(metric: object) -> int:
    """Return what an AUC less 1/2 is multiplied with to be in a metric, else raise ValueError."""
    if metric == "roc_auc":
        return 1
    if metric == "accuracy_ratio":
        return 2
    raise ValueError(f'metric must be "roc_auc" or "accuracy_ratio", got {metric!r}')


def in_metric(auc: float, metric: Metric) -> float:
    """Return an AUC in a metric: itself, or 2·AUC - 1."""
    return auc if metric == "roc_auc" else 2 * auc - 1


def limits(estimate: float, half: float, factor: int) -> tuple[float, float, tuple[str, ...]]:
    """Return estimate ± half as far as a difference can go, and a note when that was cut off."""
    low, high = estimate - half, estimate + half
    note = (BEYOND,) if low < -factor or high > factor else ()
    return max(low, -float(factor)), min(high, float(factor)), note


def check_open(value: float, name: str) -> float:
    """Return a probability strictly between 0 and 1, else raise ValueError."""
    return as_open_share(value, name)

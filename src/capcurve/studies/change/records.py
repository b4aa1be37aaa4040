"""What is known of a change and of a decomposition, before it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.inference.records import Interval, Metric, Test
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table

ChangeMetric = Literal["accuracy_ratio", "roc_auc", "captured_response", "lift", "precision"]
Mix = Literal["classes", "cases"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Explained:
    """A change and its parts; `Attribution` says what each attribute is."""

    metric: ChangeMetric
    before: float
    after: float
    change: Test
    parts: Mapping[str, Interval]
    level: float
    q: float | None = None
    mix: Mix = "classes"
    segments: Table | None = None
    findings: tuple[Finding, ...] = ()
    by: str = "segment"
    labels: tuple[str, str] = ("before", "after")
    implied: tuple[Interval, Interval] | None = None
    pooled: tuple[Any, ...] = ()
    small: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Decomposed:
    """A number within segments and between them; `Decomposition` says what each attribute is."""

    metric: Metric
    whole: float
    pairs_within: float
    within: float
    between: float
    adjusted: float
    segments: Table
    by: str = "segment"

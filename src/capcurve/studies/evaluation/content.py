"""What is known of scores that were evaluated: counts, summaries and segments by score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import (
        Amounts,
        JointCounts,
        JointValues,
        Ranking,
        ScoreCounts,
        ValueCounts,
        ValueSums,
    )
    from capcurve.inference import Comparison
    from capcurve.results import Summary, ValueSummary
    from capcurve.show.finding import Finding
    from capcurve.studies.monitoring import ControlChart


@dataclass(frozen=True, slots=True)
class Money:
    """What a captured positive, or unit of the amount, brings, and what selecting costs."""

    value: float
    cost: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Content:
    """What a card, a page or a workbook shows; `Evaluation` says what each attribute is."""

    counts: Mapping[str, Ranking | Amounts]
    segments: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]] = field(default_factory=dict)
    summaries: Mapping[str, Summary | ValueSummary] = field(default_factory=dict)
    segment_summaries: Mapping[str, Mapping[Any, Summary | ValueSummary]] = field(
        default_factory=dict
    )
    comparison: Comparison | None = None
    not_compared: tuple[Finding, ...] = ()
    title: str = "How well the score ranks"
    source: str | None = None
    by: str | None = None
    prevalence: float | None = None
    about_rows: tuple[Finding, ...] = ()
    about_segments: tuple[Finding, ...] = ()
    money: Money | None = None
    min_cell: int | None = None
    joint: JointCounts | JointValues | None = None
    control_charts: Mapping[str, ControlChart] = field(default_factory=dict)

    @property
    def signed(self) -> bool:
        """Whether amounts are below zero too, so that only curves in their own units are drawn."""
        found = self.summaries.values()
        return any(summary.kind == "amounts" and summary.signed for summary in found)

    def held(self, name: str) -> ScoreCounts | ValueSums:
        """Return the counts of a score; totals are drawn through the cut-offs that they hold."""
        return self.counts[name].vertices

    def about_all(self) -> tuple[Finding, ...]:
        """Return the findings that are not of a whole score: on rows, tests and segments."""
        return (*self.about_rows, *self.not_compared, *self.about_segments)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know about the scores and the segments."""
        own = tuple(f for summary in self.summaries.values() for f in summary.findings)
        return (*self.about_all(), *own)

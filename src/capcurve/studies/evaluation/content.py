"""What a card or a page is about: counts, summaries and segments by score."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from capcurve.counts.given import is_amounts
from capcurve.counts.types import ByValue
from capcurve.curves.simplify import thinned
from capcurve.plots.cap import Scale, cap
from capcurve.plots.models import SHORT_NAME, Model
from capcurve.show.chart import model_style
from capcurve.show.format import plain_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    from capcurve.show.chart import Chart
    from capcurve.show.finding import Finding
    from capcurve.show.presentation import Shows

# A still picture may lie this far from the full curve before it is simplified.
PICTURED = 5e-4
FEW = 400


@dataclass(frozen=True, slots=True)
class Money:
    """What a captured positive, or unit of the amount, brings, and what selecting costs."""

    value: float
    cost: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Content(ByValue):
    """All that a card or a page shows; `Evaluation` says what each attribute is."""

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
    control_charts: Mapping[str, Shows] = field(default_factory=dict)

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


def models(
    content: Content, counts: Mapping[str, ScoreCounts | ValueSums] | None = None
) -> list[Model]:
    """Return the scores that have curves, drawn through `counts` in fewer cells.

    Those of amounts are drawn through all: the perfect curve needs every row.
    """
    names = [name for name, found in content.summaries.items() if found.accuracy_ratio is not None]
    shown = plain_names(names, SHORT_NAME)
    return [
        Model(
            _drawn(content, name, counts),
            label,
            model_style(place),
            summary=content.summaries[name],
        )
        for place, (name, label) in enumerate(zip(names, shown, strict=True))
    ]


def _drawn(
    content: Content, name: str, counts: Mapping[str, ScoreCounts | ValueSums] | None
) -> Ranking | Amounts:
    held = content.held(name)
    if is_amounts(held):
        return content.counts[name]
    return thinned(held, PICTURED, FEW) if counts is None else counts[name]


def cap_chart(content: Content, scores: Sequence[Model]) -> Chart:
    """Return the CAP of all scores."""
    level = next(iter(content.summaries.values())).level
    scale = Scale(absolute=content.signed, prevalence=content.prevalence)
    return cap(scores, scale, interval=level)


def money_of(value: float | None, cost: float | None) -> Money | None:
    """Return value and cost together, or None when neither is given."""
    if value is None and cost is None:
        return None
    if value is None or cost is None:
        raise ValueError("profit needs both value and cost; give both or none")
    if not (math.isfinite(value) and math.isfinite(cost)):
        raise ValueError(f"value and cost must be finite, got {value} and {cost}")
    return Money(float(value), float(cost))


def title_of(target: object, names: Sequence[str]) -> str:
    """Return the heading of a report on these scores."""
    scores = ", ".join(names)
    if isinstance(target, str):
        return f"How well {scores} ranks {target}" if len(names) == 1 else f"{target}: {scores}"
    if len(names) > 1:
        return f"How well {scores} rank"
    return f"How well {'the score' if scores == 'score' else scores} ranks"

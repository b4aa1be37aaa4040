"""What a card or a page is about: counts, summaries and segments by score."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from capcurve.curves.simplify import thinned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.inference import Comparison
    from capcurve.summary import Finding, Summary

# A still picture may lie this far from the full curve before it is simplified.
PICTURED = 5e-4
FEW = 400


@dataclass(frozen=True, slots=True)
class Money:
    """What a captured positive brings and what selecting a case costs, in one unit."""

    value: float
    cost: float


@dataclass(frozen=True, slots=True)
class Content:
    """All that is shown, ready to be drawn.

    Attributes
    ----------
    title
        Heading of the page.
    source
        What the data was called, or None.
    counts, summaries
        One entry per score.
    segments
        Summaries by score and segment, empty without segments.
    by
        What the segments are, or None.
    findings
        What there is to know beyond the findings of each summary.
    prevalence
        The stated prevalence, or None.
    segment_counts
        `ScoreCounts` by score and segment, empty without segments.
    money
        What selecting brings and costs, or None.
    comparison
        Scores tested against each other on the same rows, or None.
    joint
        The scores counted together, or None.
    """

    title: str
    source: str | None
    counts: Mapping[str, ScoreCounts]
    summaries: Mapping[str, Summary]
    segments: Mapping[str, Mapping[Any, Summary]] = field(default_factory=dict)
    by: str | None = None
    findings: tuple[Finding, ...] = ()
    prevalence: float | None = None
    segment_counts: Mapping[str, Mapping[Any, ScoreCounts]] = field(default_factory=dict)
    money: Money | None = None
    comparison: Comparison | None = None
    joint: JointCounts | None = None


def thin(content: Content) -> Content:
    """Return the content with no more cut-offs than a still picture can show."""
    counts = {
        name: thinned(c, PICTURED, FEW) if c.n1 > 0 and c.n0 > 0 else c
        for name, c in content.counts.items()
    }
    return replace(content, counts=counts)


def money_of(value: float | None, cost: float | None) -> Money | None:
    """Return value and cost together, or None when neither is given.

    Raises
    ------
    ValueError
        When only one is given, or one is not finite.
    """
    if value is None and cost is None:
        return None
    if value is None or cost is None:
        raise ValueError("profit needs both value and cost; give both or none")
    if not (math.isfinite(value) and math.isfinite(cost)):
        raise ValueError(f"value and cost must be finite, got {value} and {cost}")
    return Money(float(value), float(cost))

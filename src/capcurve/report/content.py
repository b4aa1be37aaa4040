"""What a card or a page is about: counts, summaries and segments by score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import ScoreCounts
    from capcurve.inference import Comparison
    from capcurve.summary import Finding, Summary


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
    comparison
        The paired tests of several scores, or None.
    """

    title: str
    source: str | None
    counts: Mapping[str, ScoreCounts]
    summaries: Mapping[str, Summary]
    segments: Mapping[str, Mapping[Any, Summary]] = field(default_factory=dict)
    by: str | None = None
    findings: tuple[Finding, ...] = ()
    prevalence: float | None = None
    comparison: Comparison | None = None

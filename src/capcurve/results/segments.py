"""Numbers of many segments: their summaries, each made when it is looked at, and their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from capcurve.counts import ScoreCounts, SegmentCounts
from capcurve.curves.segmented import SegmentCells, captured_at
from capcurve.gate.pds import pd_in_segment
from capcurve.inference.records import Confidence
from capcurve.inference.segmented import auc_limits
from capcurve.metrics import METRICS
from capcurve.results.known import SUMMARY_SHARES, interval_or_none
from capcurve.results.summarizing import SLOW, glance, summarize_segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.results.summary import AnySummary, Summary


def summaries_of_segments(
    segments: Mapping[Any, Any], *, name: str, prevalence: float | None, level: float, pd: Any
) -> Mapping[Any, AnySummary]:
    """Return the summary of each segment; of plain counts each is made when it is asked for."""
    if at_once(segments) and prevalence is None and pd is None:
        return SegmentSummaries(segments, name, level)
    asked: Any = {"name": name, "prevalence": prevalence, "level": level}
    return {
        key: summarize_segment(counts, pd=pd_in_segment(pd, key), **asked)
        for key, counts in segments.items()
    }


def at_once(segments: Mapping[Any, Any]) -> TypeGuard[SegmentCounts]:
    """Tell whether numbers of all segments are found together: of whole counts in one table."""
    if not isinstance(segments, SegmentCounts) or segments.kind is not ScoreCounts:
        return False
    return segments.weights is None and segments.groups is None and segments.is_whole


@dataclass(frozen=True, slots=True, eq=False)
class SegmentSummaries(Mapping[Any, "Summary"]):
    """The summary of each segment, made when it is first asked for, and all of them at a glance."""

    counts: SegmentCounts
    name: str
    level: float
    made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __getitem__(self, segment: Any) -> Summary:
        if segment not in self.made:
            counts = self.counts[segment]
            self.made[segment] = summarize_segment(counts, name=self.name, level=self.level)
        found: Summary = self.made[segment]
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def glances(self) -> Mapping[Any, Summary]:
        """Return summaries that hold the numbers of a row and the limits of the AUC alone."""
        name = f"glances, {self.name}, {self.level}"
        seen: Mapping[Any, Summary] = self.counts.known(name, lambda: dict(self._seen()))
        return seen

    def with_limits(self, segment: Any) -> Summary:
        """Return the numbers of a row, every headline number with its limits."""
        seen = self.glances()[segment]
        if seen.undefined is not None:
            return seen
        names = {each.name for each in METRICS.headlines()} - {*SLOW, *seen.intervals}
        counts = self.counts[segment]
        more = {name: interval_or_none(counts, name, level=self.level) for name in names}
        known = {name: found for name, found in more.items() if found is not None}
        return replace(seen, intervals={**seen.intervals, **known})

    def _seen(self) -> Iterator[tuple[Any, Summary]]:
        counts, cells = self.counts, SegmentCells.of(self.counts)
        ends = auc_limits(counts, Confidence(self.level))
        limits = zip(*(each.tolist() for each in ends), strict=True)
        heights = [captured_at(cells, np.full(len(counts), q)) for q in SUMMARY_SHARES]
        captured, lift = (np.array(each).T.tolist() for each in zip(*heights, strict=True))
        for at, (segment, of_auc) in enumerate(zip(self, limits, strict=True)):
            shares = {"captured": captured[at], "lift": lift[at]}
            yield segment, glance(counts.at(at), self.name, self.level, of_auc, shares)


def glances(summaries: Mapping[Any, AnySummary]) -> Mapping[Any, AnySummary]:
    """Return the summaries of segments, or what they say in a row where that is quicker found."""
    return summaries.glances() if isinstance(summaries, SegmentSummaries) else summaries

"""Numbers of many segments: their summaries, each made when it is looked at, and their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard, get_args

import numpy as np

from capcurve.counts import ScoreCounts, SegmentCounts, ValueCounts
from capcurve.curves.segmented import SegmentCells, captured_at
from capcurve.gate.given import segments as counts_by_segment
from capcurve.gate.pds import pd_in_segment
from capcurve.gate.taking import taking_segments
from capcurve.inference.means import (
    SegmentQuestion,
    as_segment_table,
    lacking_in,
    part_at,
    sizes_of_segments,
    values_of_segments,
)
from capcurve.inference.records import Confidence, RankingMetric
from capcurve.inference.segmented import auc_limits
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg
from capcurve.numbers.plain import plain
from capcurve.results.known import SUMMARY_SHARES, interval_or_none
from capcurve.results.summarizing import SLOW, glance, summarize_segment
from capcurve.results.summary import segment_name
from capcurve.show.columns import ColumnName
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capcurve.numbers.types import Bools, Floats
    from capcurve.results.summary import AnySummary, Summary


METRICS_OF_AMOUNTS = ("accuracy_ratio",)
METRICS_OF_CLASSES = (*METRICS_OF_AMOUNTS, "ks")


def summaries_of_segments(
    segments: Mapping[Any, Any], *, name: str, prevalence: float | None, level: float, pd: Any
) -> Mapping[Any, AnySummary]:
    """Return the summary of each segment; of plain counts each is made when it is asked for."""
    if found_together(segments) and prevalence is None and pd is None:
        return SegmentSummaries(segments, name, level)
    asked: Any = {"name": name, "prevalence": prevalence, "level": level}
    return {
        key: summarize_segment(counts, pd=pd_in_segment(pd, key), **asked)
        for key, counts in segments.items()
    }


def found_together(segments: Mapping[Any, Any]) -> TypeGuard[SegmentCounts]:
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


@taking_segments
def segment_table(
    counts: Mapping[Any, Any],
    *,
    metrics: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Table:
    """Return the numbers of each segment in a row: of very many branches, products or queries.

    The accuracy ratio and the AUC have their limits beside them, in [-1, 1] and [0, 1].

    Parameters
    ----------
    counts
        Counts by segment, as `count_segments` or `count_value_segments` return them.
    metrics
        Metrics of one score, by name or as functions. A name may end in a depth: "recall@10". Left
        out, the accuracy ratio and, of two classes, KS.
    level
        Confidence level of the limits, in (0, 1).

    Returns
    -------
    Table
        A row per segment; NaN where a number is undefined there. `confidence_interval` of
        `counts[segment]` has the same limits, and those of other numbers.

    Raises
    ------
    ValueError, TypeError
        For unknown metrics, those that need to be told more, and counts of several scores.

    Notes
    -----
    Limits are those of `confidence_interval` of the segment. Of whole counts of independent rows
    they are found for all segments together: 20,000 take a fifth of a second.

    Examples
    --------
    >>> from capcurve import count_segments
    >>> found = count_segments([1, 0, 0, 1, 0, 0], [2, 3, 1, 3, 2, 1], by=["a"] * 3 + ["b"] * 3)
    >>> segment_table(found, metrics=["ks", "mrr"]).to_frame("polars").rows()
    [('a', 3, 1, 0.5, 0.5), ('b', 3, 1, 1.0, 1.0)]
    """
    confidence = Confidence(level)
    table: Any = as_segment_table(counts_by_segment(counts, "segment_table"))
    if not len(table):
        raise ValueError(f"there are no segments; count them with {arg('by')}")
    if isinstance(table, SegmentCounts) and "names" in table.settings:
        raise TypeError("segment_table takes one score, and these are several: pass one margin")
    n, n1 = sizes_of_segments(table)
    columns = sizes_by_segment(table, n, n1)
    if metrics is None:
        metrics = METRICS_OF_AMOUNTS if _holds_amounts(table) else METRICS_OF_CLASSES
    listed = [metrics] if isinstance(metrics, str) or callable(metrics) else list(metrics)
    if not listed:
        raise ValueError("metrics names no metric; name one, such as accuracy_ratio")
    for each in listed:
        asked = SegmentQuestion.ask(each, "drawn", "equal", "leave_out")
        known, form = lacking_in(table, asked.metric, n, n1) == "", asked.metric.form
        head = asked.name if asked.k is None else f"{asked.name}@{asked.k}"
        columns[ColumnName(head, form)] = values_of_segments(table, asked, known)
        if asked.name in get_args(RankingMetric):
            low, high = _limits(table, asked.name, known, confidence)
            columns[ColumnName(f"{head}_low", form)] = low
            columns[ColumnName(f"{head}_high", form)] = high
    return Table("segments", columns)


def _holds_amounts(counts: Any) -> bool:
    return isinstance(counts, SegmentCounts) and issubclass(counts.kind, ValueCounts)


def sizes_by_segment(counts: Iterable[Any], cases: Floats, positives: Floats) -> dict[str, Any]:
    """Return the columns of a table of segments that say what each holds."""
    names = (each if isinstance(each, str) else plain(segment_name(each)) for each in counts)
    sizes = {"n": cases, "positives": positives}
    whole = {
        name: each if (each % 1).any() else each.astype(np.int64) for name, each in sizes.items()
    }
    return {"segment": label_column(names), **whole}


def _limits(
    counts: Mapping[Any, Any], metric: str, known: Bools, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return the limits of the AUC, or accuracy ratio, of each segment; NaN without any."""
    if found_together(counts):
        low, high = auc_limits(counts, confidence)
        return (low, high) if metric == "roc_auc" else (2 * low - 1, 2 * high - 1)
    found = np.full((len(known), 2), np.nan)
    part = part_at(counts)
    for at in np.flatnonzero(known).tolist():
        if limits := interval_or_none(part(at), metric, level=confidence.level):
            found[at] = limits.low, limits.high
    return found[:, 0], found[:, 1]

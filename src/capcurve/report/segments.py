"""The segments of the page: one line of numbers each, and a small curve where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.simplify import stops
from capcurve.report.ranges import range_of

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.report.content import Content
    from capcurve.report.payload import Detail
    from capcurve.summary import Summary

NO_NAME = "(none)"
GRID = 10_000


def are_ordered(content: Content) -> bool:
    """Whether the segments follow each other, as months and years do, so that a line joins them.

    Numbers and dates do; names do when each begins with a digit, such as "2024-05" or "2024Q1".
    """
    keys = [key for key in next(iter(content.segments.values()), {}) if key is not None]
    return len(keys) > 1 and all(not isinstance(k, str) or k[:1].isdigit() for k in keys)


def segment_values(content: Content, name: str, detail: Detail) -> list[dict[str, Any]]:
    """Return the segments of one score, as many as there is room for."""
    counts = content.segment_counts.get(name, {})
    summaries = list(content.segments.get(name, {}).items())[: detail.segments]
    return [
        {
            "key": NO_NAME if key is None else str(key),
            "n": summary.n,
            "n1": summary.n1,
            "why": summary.undefined,
            "ar": _with_limits(summary, "accuracy_ratio", summary.accuracy_ratio),
            "auc": _with_limits(summary, "roc_auc", summary.roc_auc),
            "ks": _with_limits(summary, "ks", None if summary.ks is None else summary.ks.statistic),
            "cap": _curve(counts.get(key), summary, detail.segment_tolerance),
        }
        for key, summary in summaries
    ]


def _with_limits(summary: Summary, key: str, value: float | None) -> list[float | None]:
    found = [value, *range_of(summary, key)]
    return [None if number is None else round(number, 5) for number in found]


def _curve(
    counts: ScoreCounts | None, summary: Summary, tolerance: float | None
) -> list[list[int]] | None:
    """Return the ROC of a segment: rises of both shares in steps of 1/10,000, short to write."""
    if counts is None or tolerance is None or summary.undefined is not None:
        return None
    positives, negatives = cumulated(counts.positives), cumulated(counts.negatives)
    places = stops(positives, negatives, tolerance, 0)
    rates = (sums[places] / sums[-1] for sums in (negatives, positives))
    return [np.diff(np.rint(GRID * rate), prepend=0).astype(int).tolist() for rate in rates]

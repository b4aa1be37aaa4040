"""What the script of the page is given: counts at cut-offs, numbers and names, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.counts.plain import plain
from capcurve.curves.simplify import stops as stops_within
from capcurve.report.markup import LONGEST_NAME, file_names
from capcurve.summary.comparing import difference_columns
from capcurve.version import __version__
from capcurve.view.format import SCORES, cutoff_text, shortened, writable
from capcurve.view.tables import NO_SEGMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts import ScoreCounts
    from capcurve.inference import Comparison
    from capcurve.report.bands import Bands
    from capcurve.report.content import Content
    from capcurve.report.stops import Stops, Sums
    from capcurve.summary import Summary
    from capcurve.tables import Table

DIGITS_OF_WEIGHTS = 12
DIGITS_OF_DIGEST = 16
GRID = 10_000
DIGITS_OF_SEGMENTS = 5
SHORT = {"accuracy_ratio": "ar", "roc_auc": "auc", "ks": "ks"}


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each curve is written.

    Attributes
    ----------
    tolerance
        How far a drawn curve may lie from the full one.
    steps
        How many steps of the share selected have a cut-off of their own.
    segment_tolerance
        The same distance for the curves of segments; None to leave these curves out.
    segments
        How many segments are listed at most.
    """

    tolerance: float
    steps: int
    segment_tolerance: float | None
    segments: int


def payload(
    content: Content, stops: Mapping[str, Stops], detail: Detail, bands: Bands, today: str
) -> dict[str, object]:
    """Return all that the pictures and tables of a page are drawn from."""
    money = content.money
    values = {
        "title": content.title,
        "source": None if content.source is None else file_names(content.source),
        "date": today,
        "version": __version__,
        "prevalence": content.prevalence,
        "money": None if money is None else {"value": money.value, "cost": money.cost},
        "by": content.by,
        "ordered": _are_ordered(content),
        "tolerance": detail.tolerance,
        "models": [
            {
                **_score(content, name, found),
                "bands": bands.of_scores[name],
                "segments": _segments(content, name, detail),
            }
            for name, found in stops.items()
        ],
        "comparison": None if content.comparison is None else _tests(content.comparison),
        "differences": [_with_names(band, list(stops)) for band in bands.of_differences],
    }
    return {key: _clean(value) for key, value in plain(values).items()}


def _tests(comparison: Comparison) -> dict[str, object]:
    """Return the paired tests as texts, the same as in a terminal."""
    columns = difference_columns(comparison)
    return {
        "method": comparison.overall.method,
        "names": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)],
    }


def _with_names(band: dict[str, object], names: list[str]) -> dict[str, object]:
    """Return the band of a difference with the scores that it is of."""
    pairs = ((first, second) for first in names for second in names)
    found = next(pair for pair in pairs if band["name"] == f"{pair[0]} less {pair[1]}")
    return {**band, "first": found[0], "second": found[1]}


def _clean(value: object) -> object:
    """Return the values with names cut to a length that a screen has use for."""
    if isinstance(value, str):
        return shortened(writable(value), LONGEST_NAME)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return value


def _score(content: Content, name: str, stops: Stops) -> dict[str, object]:
    """Return one score with both classes as plain values and arrays."""
    counts, summary = content.held(name), content.summaries[name]
    return {
        "name": name,
        "higher": summary.higher_is == "positive",
        "grades": None if summary.levels is None else _written(counts, summary.levels),
        "whole": counts.is_whole,
        "distinct": summary.distinct_scores,
        "level": summary.level,
        "numbers": _numbers(summary),
        "tp": _rises(stops.positives),
        "fp": _rises(stops.negatives),
        "score": _written(counts, stops.counts.thresholds),
        "ks": stops.ks,
        "best": list(stops.best),
        "spread": _spread(counts, stops.spread),
        "gains": None if summary.gains is None else _as_values(counts, summary.gains),
        "digest": (summary.digest or "")[:DIGITS_OF_DIGEST],
    }


def _numbers(summary: Summary) -> dict[str, list[float | None]]:
    """Return the headline numbers, each with its limits where it has them."""
    named = {
        "accuracy_ratio": summary.accuracy_ratio,
        "roc_auc": summary.roc_auc,
        "ks": None if summary.ks is None else summary.ks.statistic,
    }
    found: dict[str, list[float | None]] = {}
    for key, value in named.items():
        interval = summary.intervals.get(key)
        limits = (None, None) if interval is None else (interval.low, interval.high)
        found[key] = [value, *limits]
    return found


def _rises(sums: Sums) -> list[float]:
    """Return running sums as the rises between them, which are shorter to write."""
    if sums.dtype.kind != "f":
        return [int(sums[0]), *np.diff(sums).tolist()]
    return [float(f"{value:.{DIGITS_OF_WEIGHTS}g}") for value in np.diff(sums, prepend=0.0)]


def _written(counts: ScoreCounts, scores: Iterable[object]) -> Iterable[object]:
    """Return scores as they are, grades as they are named."""
    if counts.levels is None:
        return scores
    return [None if grade is None else cutoff_text(grade) for grade in scores]


def _spread(counts: ScoreCounts, spread: dict[str, object] | None) -> dict[str, object] | None:
    labels = None if spread is None else spread.get("labels")
    if spread is None or not isinstance(labels, np.ndarray):
        return spread
    return {**spread, "labels": _written(counts, labels)}


def _as_values(counts: ScoreCounts, table: Table) -> dict[str, object]:
    columns = {
        name: _written(counts, column) if name in SCORES else column
        for name, column in table.columns.items()
    }
    return {"columns": columns, "note": table.note}


def _are_ordered(content: Content) -> bool:
    """Whether the segments follow each other, as months and years do, so that a line joins them.

    Numbers and dates do; names do when each begins with a digit, such as "2024-05" or "2024Q1".
    """
    keys = [key for key in next(iter(content.segment_summaries.values()), {}) if key is not None]
    return len(keys) > 1 and all(not isinstance(k, str) or k[:1].isdigit() for k in keys)


def _segments(content: Content, name: str, detail: Detail) -> list[dict[str, object]]:
    """Return the segments of one score, as many as there is room for."""
    counts = content.segments.get(name, {})
    summaries = list(content.segment_summaries.get(name, {}).items())[: detail.segments]
    return [
        {
            "key": NO_SEGMENT if key is None else str(key),
            "n": summary.n,
            "n1": summary.n1,
            "why": summary.undefined,
            **_rounded(summary),
            "cap": _curve(counts.get(key), summary, detail.segment_tolerance),
        }
        for key, summary in summaries
    ]


def _rounded(summary: Summary) -> dict[str, list[float | None]]:
    """Return the headline numbers of a segment, short to write."""
    found = _numbers(summary).items()
    return {
        SHORT[key]: [None if each is None else round(each, DIGITS_OF_SEGMENTS) for each in values]
        for key, values in found
    }


def _curve(
    counts: ScoreCounts | None, summary: Summary, tolerance: float | None
) -> list[list[int]] | None:
    """Return the ROC of a segment: rises of both shares in steps of 1/10,000, short to write."""
    if counts is None or tolerance is None or summary.undefined is not None:
        return None
    positives, negatives = cumulated(counts.positives), cumulated(counts.negatives)
    places = stops_within(positives, negatives, tolerance, 0)
    rates = (sums[places] / sums[-1] for sums in (negatives, positives))
    return [np.diff(np.rint(GRID * rate), prepend=0).astype(int).tolist() for rate in rates]

"""One score as the script of the page reads it: plain values and arrays by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.report.ranges import range_of
from capcurve.tables import step_table
from capcurve.tables.shown import SCORES, cutoff_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.report.content import Content
    from capcurve.report.kept import Kept
    from capcurve.summary import Summary
    from capcurve.tables import Table

# Beyond these a construction is no longer followed by hand.
MOST_STEPS = 50
DIGITS_OF_WEIGHTS = 12
DIGITS_OF_DIGEST = 16


def score_values(content: Content, name: str, kept: Kept) -> dict[str, Any]:
    """Return one score with both classes as plain values and arrays."""
    counts, summary = content.counts[name], content.summaries[name]
    return {
        "name": name,
        "higher": summary.higher_is == "positive",
        "grades": None if summary.levels is None else _written(counts, summary.levels),
        "whole": counts.is_whole,
        "distinct": summary.distinct_scores,
        "level": summary.level,
        "numbers": _numbers(summary),
        "tp": _rises(kept.positives),
        "fp": _rises(kept.negatives),
        "score": _written(counts, kept.counts.thresholds),
        "ks": kept.ks,
        "best": list(kept.best),
        "spread": _spread(counts, kept.spread),
        "gains": None if summary.gains is None else _table(counts, summary.gains),
        "steps": _steps(counts),
        "digest": (summary.digest or "")[:DIGITS_OF_DIGEST],
    }


def _numbers(summary: Summary) -> dict[str, Any]:
    """Return the headline numbers, each with its limits where it has them."""
    named = {
        "accuracy_ratio": summary.accuracy_ratio,
        "roc_auc": summary.roc_auc,
        "ks": None if summary.ks is None else summary.ks.statistic,
    }
    return {key: [value, *range_of(summary, key)] for key, value in named.items()}


def _rises(sums: NDArray[Any]) -> list[Any]:
    """Return running sums as the rises between them, which are shorter to write."""
    if sums.dtype.kind != "f":
        return [int(sums[0]), *np.diff(sums).tolist()]
    return [float(f"{value:.{DIGITS_OF_WEIGHTS}g}") for value in np.diff(sums, prepend=0.0)]


def _written(counts: ScoreCounts, scores: Iterable[Any]) -> Iterable[Any]:
    """Return scores as they are, grades as they are named."""
    if counts.levels is None:
        return scores
    return [None if grade is None else cutoff_text(grade) for grade in scores]


def _spread(counts: ScoreCounts, spread: dict[str, Any] | None) -> dict[str, Any] | None:
    if spread is None or "labels" not in spread:
        return spread
    return {**spread, "labels": _written(counts, spread["labels"])}


def _table(counts: ScoreCounts, table: Table) -> dict[str, Any]:
    columns = {
        name: _written(counts, column) if name in SCORES else column
        for name, column in table.columns.items()
    }
    return {"columns": columns, "note": table.note}


def _steps(counts: ScoreCounts) -> dict[str, Any] | None:
    if not counts.is_whole or counts.n > MOST_STEPS:
        return None
    return _table(counts, step_table(counts))

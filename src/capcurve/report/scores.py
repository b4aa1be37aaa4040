"""One score as the script of the page reads it: plain values and arrays by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.report.ranges import range_of
from capcurve.tables import step_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.report.content import Content
    from capcurve.report.kept import Kept
    from capcurve.summary import Summary
    from capcurve.tables import Table

# Beyond these a construction is no longer followed by hand.
MOST_STEPS = 50
DIGITS_OF_WEIGHTS = 12


def score_values(content: Content, name: str, kept: Kept) -> dict[str, Any]:
    """Return one score with both classes as plain values and arrays."""
    counts, summary = content.counts[name], content.summaries[name]
    return {
        "name": name,
        "higher": summary.higher_is == "positive",
        "grades": None if summary.levels is None else [str(level) for level in summary.levels],
        "whole": counts.is_whole,
        "distinct": summary.distinct_scores,
        "level": summary.level,
        "numbers": _numbers(summary),
        "tp": _rises(kept.positives),
        "fp": _rises(kept.negatives),
        "score": kept.counts.thresholds,
        "ks": kept.ks,
        "best": list(kept.best),
        "spread": kept.spread,
        "gains": None if summary.gains is None else _table(summary.gains),
        "steps": _steps(counts),
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


def _table(table: Table) -> dict[str, Any]:
    return {"columns": dict(table.columns), "note": table.note}


def _steps(counts: ScoreCounts) -> dict[str, Any] | None:
    if not counts.is_whole or counts.n > MOST_STEPS:
        return None
    return _table(step_table(counts))

"""Counts in one line, as they show at the prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.counts.score_counts import ScoreCounts


def described(counts: ScoreCounts) -> str:
    """Return what was counted, in one line."""
    shown = "{:g}" if not counts.is_whole else "{}"
    parts = [
        f"n={shown.format(counts.n)}",
        f"positives={shown.format(counts.n1)}",
        f"distinct scores={len(counts)}",
        f"higher_is={counts.higher_is!r}",
    ]
    if counts.resolution is not None:
        parts.append(f"resolution={counts.resolution:g}")
    if counts.weights is not None:
        parts.append(f"weight_kind={counts.weight_kind!r}")
    if counts.groups is not None:
        parts.append(f"groups of clusters={sum(len(group) > 0 for group in counts.groups)}")
    if counts.dropped is not None and counts.dropped.rows:
        parts.append(f"dropped={counts.dropped.rows} rows {dict(counts.dropped.columns)}")
    return f"ScoreCounts({', '.join(parts)})"

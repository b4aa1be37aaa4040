"""Refusing counts in which a cell holds so few cases that it shows single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.rank_totals import RankTotals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts.score_counts import ScoreCounts


def refuse_small_cells(
    least: int | None,
    whole: Mapping[str, ScoreCounts | RankTotals],
    segments: Mapping[str, Mapping[Any, ScoreCounts]],
) -> None:
    """Raise ValueError when any distinct score, of any segment, has fewer cases than `least`."""
    if least is None:
        return
    if not isinstance(least, int | np.integer) or isinstance(least, bool) or least < 1:
        raise ValueError(f"min_cell must be a whole number from 1, got {least!r}")
    for name, counts in whole.items():
        parts = segments.get(name, {})
        _refuse(least, name, parts.values() if parts else [counts], segmented=bool(parts))


def _refuse(
    least: int, name: str, parts: Iterable[ScoreCounts | RankTotals], *, segmented: bool
) -> None:
    full = [part for part in parts if len(part)]
    smallest = min((_smallest(part, name) for part in full), default=least)
    if smallest >= least:
        return
    cases = "1 case" if smallest == 1 else f"{smallest} cases"
    where, coarser = (" by segment", ", or take fewer segments") if segmented else ("", "")
    raise ValueError(
        f"the smallest of {sum(map(len, full)):,} cells of {name}{where} has {cases}, and "
        f"min_cell={least} allows no smaller ones; make cells coarser with resolution={coarser}"
    )


def _smallest(counts: ScoreCounts | RankTotals, name: str) -> int:
    if counts.weights is not None or not counts.is_whole:
        raise ValueError(f"min_cell needs cases, and of {name} each cell holds a weight")
    if isinstance(counts, RankTotals):
        if counts.smallest_cell is None:
            raise ValueError(f"min_cell needs the cases of each cell, which totals of {name} lack")
        return counts.smallest_cell
    return int((counts.positives.astype(np.int64) + counts.negatives).min())

"""Groups of clusters in a saved table: rows of their own, added up again when read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.algebra import GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

COLUMN = "cluster_group"


def rows_of(counts: ScoreCounts) -> list[ScoreCounts]:
    """Return what is written row by row: the groups when there are some, else the counts."""
    return [counts] if counts.groups is None else list(counts.groups)


def numbers_of(counts: ScoreCounts) -> NDArray[np.uint8]:
    """Return the group of each written row."""
    sizes = [len(part) for part in rows_of(counts)]
    return np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes)


def refuse_mixed(parts: list[ScoreCounts]) -> bool:
    """Return whether counts have groups of clusters, or raise ValueError when only some have."""
    having = {part.groups is not None for part in parts}
    if len(having) > 1:
        raise ValueError("some segments have clusters and some have none; save them one by one")
    return having == {True}


def notes_of(counts: ScoreCounts) -> list[list[int]] | None:
    """Return the rows of each class behind every group: only weights have to be told them."""
    if counts.groups is None:
        return None
    weights = [group.weights for group in counts.groups]
    return [[0, 0] if w is None else [w.positive_rows, w.negative_rows] for w in weights]


def restored(
    saved: Mapping[str, Any],
    groups: NDArray[Any],
    one: Callable[[Mapping[str, Any], NDArray[np.intp]], ScoreCounts],
) -> ScoreCounts:
    """Put counts together again from the rows of their groups."""
    if groups.dtype.kind not in "iu" or (groups < 0).any() or (groups >= GROUPS).any():
        raise ValueError(f"a saved table has {GROUPS} groups of clusters; this one has others")
    parts = []
    for number, (positive_rows, negative_rows) in enumerate(saved["clusters"]):
        weights = saved["weights"]
        if weights is not None:
            weights = {**weights, "positive_rows": positive_rows, "negative_rows": negative_rows}
        settings = {**saved, "weights": weights, "dropped": None}
        parts.append(one(settings, np.flatnonzero(groups == number)))
    return replace(ScoreCounts.merge(parts), groups=tuple(parts))

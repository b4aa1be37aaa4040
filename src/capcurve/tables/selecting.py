"""How many distinct scores a cut-off selects, compared exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import told

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts


def selected_at(counts: ScoreCounts, threshold: Any, name: str = "threshold") -> int:
    """Return how many distinct scores stand on the selected side of a cut-off.

    Python compares whole numbers and fractions of any size exactly, which arrays of floats
    do not; a binary search needs few such comparisons.

    Raises
    ------
    ValueError
        When `threshold` is no score, or no grade of graded counts.
    """
    if counts.levels is not None:
        if isinstance(threshold, np.ndarray) or threshold not in counts.levels:
            raise ValueError(
                f"{name} {told(threshold)} is not among the grades {list(counts.levels)}"
            )
        code = len(counts.levels) - 1 - counts.levels.index(threshold)
        return int((counts.score >= code).sum())
    cut = _plain(threshold)
    if isinstance(cut, str) or cut != cut:  # noqa: PLR0124 - NaN
        raise ValueError(f"{name} must be a score, got {told(threshold)}")
    low, high, scores = 0, len(counts), counts.thresholds
    try:
        while low < high:
            middle = (low + high) // 2
            score = _plain(scores[middle])
            inside = score >= cut if counts.higher_is == "positive" else score <= cut
            low, high = (middle + 1, high) if inside else (low, middle)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a score, got {told(threshold)}") from None
    return low


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

"""How the scores of each class are spread over bins: exact counts between running sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

BINS = 24
MOST_BARS = 40
# Half a percent of the cases at each end share the outermost bins, so that a few far values do
# not press the rest together.
TAIL = 0.005


def score_spread(
    counts: ScoreCounts, positives: NDArray[Any], negatives: NDArray[Any]
) -> dict[str, Any] | None:
    """Return cases of each class by score, or by bins of equal width when there are many.

    Returns
    -------
    dict or None
        `labels` (one per bar) or `edges` (one more than bars), ascending; `positives` and
        `negatives` of each bar. None when many scores have no distances, as decimals do.
    """
    upwards = slice(None, None, -1 if counts.higher_is == "positive" else 1)
    if len(counts) <= MOST_BARS:
        return {
            "labels": counts.thresholds[upwards],
            "positives": np.diff(positives)[upwards],
            "negatives": np.diff(negatives)[upwards],
        }
    scores = counts.thresholds
    if scores.dtype.kind not in "iuf":
        return None
    edges = _edges(scores, positives + negatives)
    if edges is None:
        return None
    places = _places(scores, edges, falling=counts.higher_is == "positive")
    order = slice(None, None, -1) if counts.higher_is == "positive" else slice(None)
    return {
        "edges": edges,
        "positives": np.diff(positives[places])[order],
        "negatives": np.diff(negatives[places])[order],
    }


def _edges(scores: NDArray[Any], cases: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return equally spaced edges between the scores that leave a tail of cases at each end."""
    ends = np.searchsorted(cases, np.array([TAIL, 1 - TAIL]) * float(cases[-1]))
    first, last = (float(scores[max(end - 1, 0)]) for end in ends)
    low, high = min(first, last), max(first, last)
    if not (np.isfinite(low) and np.isfinite(high) and high > low):
        return None
    return np.linspace(low, high, BINS + 1)


def _places(scores: NDArray[Any], edges: NDArray[np.float64], *, falling: bool) -> NDArray[np.intp]:
    """Return where the inner edges fall in scores that are ordered from the top down."""
    inner = edges[1:-1]
    if falling:
        found = len(scores) - np.searchsorted(scores[::-1], inner[::-1], side="left")
    else:
        found = np.searchsorted(scores, inner, side="left")
    return np.concatenate([[0], found, [len(scores)]]).astype(np.intp)

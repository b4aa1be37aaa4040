"""Which cut-offs stand for all of them: true points of CAP and ROC, and a grid of shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.simplify import kept_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

# Beyond twice as many cut-offs, those between two of so many levels of each class are left out
# first: that moves a curve by at most one level, and the rest of the tolerance goes to chords.
LEVELS = 10_000
SMALLEST_SHARE, LARGEST_SHARE = 1e-4, 0.5


def stops(
    positives: NDArray[Any], negatives: NDArray[Any], tolerance: float, steps: int
) -> NDArray[np.intp]:
    """Return how many distinct scores are selected at each cut-off that is kept.

    Parameters
    ----------
    positives, negatives
        Running sums of each class over the distinct scores, 0 first, shape (K + 1,).
    tolerance
        How far, at most, CAP and ROC through the kept cut-offs may lie from the full ones,
        measured along the share of positives captured.
    steps
        The deepest cut-off within each of so many equal steps of the share selected is kept
        too, and within a tenth as many that grow by a factor from 0.01% on. No more distinct
        scores than this are all kept.

    Returns
    -------
    ndarray
        Ascending, from 0 (nobody) to the number of distinct scores (everybody).

    Raises
    ------
    ValueError
        When the tolerance leaves no room beside that of the levels.

    Examples
    --------
    Ten scores in a row that hold positives only need no cut-off in between.

    >>> stops(np.array([*range(11), 10]), np.array([0] * 11 + [10]), 5e-4, 0)
    array([ 0, 10, 11])
    """
    if not tolerance > 1 / LEVELS:
        raise ValueError(f"tolerance must be above {1 / LEVELS}, got {tolerance}")
    if len(positives) - 1 <= steps:
        return np.arange(len(positives))
    near = between_levels(positives, negatives)
    tp, fp = positives[near], negatives[near]
    cases = tp + fp
    y, room = tp / tp[-1], tolerance - 1 / LEVELS
    kept = [near[kept_points(x / x[-1], y, y, None, room)] for x in (cases, fp)]
    if steps:
        wanted = _grid(steps) * float(cases[-1])
        kept.append(_deepest_within(positives, negatives, wanted, near, cases))
    return np.unique(np.concatenate(kept))


def between_levels(positives: NDArray[Any], negatives: NDArray[Any]) -> NDArray[np.intp]:
    """Return cut-offs between which neither class gains more than a level, or one cell lies."""
    last = len(positives) - 1
    if last <= 2 * LEVELS:
        return np.arange(last + 1)
    ends = [np.array([0, last])]
    for sums in (positives, negatives):
        wanted = np.arange(1, LEVELS) * (float(sums[-1]) / LEVELS)
        if sums.dtype.kind != "f":
            # Of the sums' own type, so that searching them does not convert all of them.
            wanted = np.ceil(wanted).astype(sums.dtype)
        reached = np.searchsorted(sums, wanted)
        ends += [reached - 1, reached]
    together = np.unique(np.concatenate(ends))
    return together[(together >= 0) & (together <= last)]


def _deepest_within(
    positives: NDArray[Any],
    negatives: NDArray[Any],
    wanted: NDArray[np.float64],
    near: NDArray[np.intp],
    cases: NDArray[Any],
) -> NDArray[np.intp]:
    """Return the last cut-off that selects no more than each number of cases.

    Looked for between two of the cut-offs that are at hand, where few others lie.
    """
    left = np.searchsorted(cases, wanted, side="right") - 1
    found = []
    for place, most in zip(left.tolist(), wanted.tolist(), strict=True):
        low = int(near[place])
        high = int(near[min(place + 1, len(near) - 1)]) + 1
        between = positives[low:high] + negatives[low:high]
        found.append(low + int(np.searchsorted(between, most, side="right")) - 1)
    return np.array(found, dtype=np.intp)


def _grid(steps: int) -> NDArray[np.float64]:
    few = max(steps // 10, 2)
    return np.concatenate(
        [np.geomspace(SMALLEST_SHARE, LARGEST_SHARE, few), np.linspace(0, 1, steps + 1)]
    )


def thinned(counts: ScoreCounts, tolerance: float, steps: int) -> ScoreCounts:
    """Return counts in fewer cells, whose CAP and ROC lie within `tolerance` of the full ones."""
    if len(counts) <= steps:
        return counts
    positives, negatives = cumulated(counts.positives), cumulated(counts.negatives)
    return counts.joined(stops(positives, negatives, tolerance, steps)[1:])

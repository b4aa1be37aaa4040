"""Counts with few cells in place of many: enough for what resampling is asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import cumulated

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts


def grouped(counts: ScoreCounts, most: int, last: int) -> ScoreCounts:
    """Return the counts with neighbouring scores taken together.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    most
        About how many groups may remain: each holds no more than one part in `most` of both
        classes together, unless a single score does. Counts with no more scores stay as
        they are.
    last
        A cell that ends a group, so that the gap between the classes there stays.

    Returns
    -------
    ScoreCounts
        For resampling only: each group bears the score of its last cell.
    """
    if len(counts) <= most:
        return counts
    p, n = cumulated(counts.positives), cumulated(counts.negatives)
    reached = p[1:] / p[-1] + n[1:] / n[-1]
    ends = np.searchsorted(reached, np.arange(1, most) * (2 / most))
    ends = np.unique(np.append(ends, [last, len(counts) - 1]))
    return counts.joined(ends + 1)

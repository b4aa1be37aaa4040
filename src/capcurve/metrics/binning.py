"""Bins of equal size, as far as ties allow: where each one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.arguments import as_whole
from capcurve.curves.shares import require, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranking

MOST_BINS = 1_000_000


def bin_ends(counts: Ranking, bins: int) -> NDArray[np.intp]:
    """Return how many distinct scores each bin and those before it hold.

    The boundary of bin b lies at the end of the tie nearest to the share b/bins of all cases
    (the earlier of two equally near). Ties are never split, so there may be fewer bins.

    For `RankTotals` the ends are those of the cut-offs that are held.

    Raises
    ------
    ValueError
        When `bins` is not a whole number from 1 to a million, or when totals do not hold the
        cut-offs about a boundary.
    """
    bins = as_whole(bins, "bins", 1, MOST_BINS)
    require(counts)
    held = counts.vertices
    cases = shares(held).cases
    wanted = np.arange(1, bins) * (cases.total / bins)
    after = np.searchsorted(cases.sums, wanted)
    before_is_near = wanted - cases.sums[after - 1] <= cases.sums[after] - wanted
    ends = np.append(after - before_is_near, len(held))
    if not counts.is_complete:
        # The nearest end is known when no score stands unseen about the boundary, and the first
        # score of a bin when it is a cut-off of its own.
        firsts = np.append(0, np.unique(ends[ends > 0])[:-1])
        single = counts.single
        if not (single[after - 1].all() and single[firsts].all()):
            counts.every_score()
    return np.unique(ends[ends > 0])

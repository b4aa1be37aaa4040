"""Counts with few cells in place of many: enough for what resampling is asked about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.counts.weighing import root_sums

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts


def grouped(counts: ScoreCounts, most: int, last: int) -> ScoreCounts:
    """Return the counts with neighbouring scores taken together.

    Parameters
    ----------
    counts
        What was counted.
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
    starts = np.concatenate([[0], ends[:-1] + 1])
    weights = counts.weights
    if weights is not None:
        weights = replace(
            weights,
            positive_roots=root_sums(weights.positive_roots, starts),
            negative_roots=root_sums(weights.negative_roots, starts),
        )
    return replace(
        counts,
        score=counts.score[ends],
        positives=np.diff(p[np.append(starts, len(counts))]),
        negatives=np.diff(n[np.append(starts, len(counts))]),
        weights=weights,
    )

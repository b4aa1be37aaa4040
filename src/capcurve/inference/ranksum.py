"""The exact law of the rank sum with ties: every way of dealing the labels, counted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cases times the rarer class; work grows with its square, and takes a tenth of a second here.
EXACT_SIZE = 10_000
# Beyond this the table of ways does not fit into memory.
LARGEST_EXACT_SIZE = 100_000


def rank_sum_chances(
    ties: NDArray[np.int64], n1: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return all values of 2U - n1·n0 and their chances when labels are dealt at random.

    U counts the pairs that are in order, ties half, so that 0 stands for an AUC of 1/2.

    Parameters
    ----------
    ties
        How many cases share each score, most likely positive first.
    n1
        How many of them are positive.

    Returns
    -------
    values
        2U - n1·n0, ascending.
    chances
        How often each occurs; sums of positive terms, so that small ones keep their digits.

    Notes
    -----
    Streitberg & Röhmel (1986), the shift algorithm, with a factor C(t, j) for taking j of t.

    Examples
    --------
    Two positives and one negative: 0, 1 or 2 of the 2 pairs are in order.

    >>> values, chances = rank_sum_chances(np.array([1, 1, 1]), 2)
    >>> values.tolist(), (3 * chances).round(12).tolist()
    ([-2, 0, 2], [1.0, 1.0, 1.0])
    """
    n = int(ties.sum())
    rarer, sign = (n1, 1) if 2 * n1 <= n else (n - n1, -1)
    # Twice the midrank less one, from the bottom: whole, with mean n.
    ranks = 2 * n - 2 * np.cumsum(ties) + ties
    lowest = int(ranks.min())
    unit = math.gcd(*(ranks - lowest).tolist()) or 1
    steps = ((ranks - lowest) // unit).tolist()
    ways = _ways(ties.tolist(), steps, rarer)
    sums = unit * np.arange(len(ways), dtype=np.int64) + rarer * lowest
    values, chances = sign * (sums - rarer * n), ways / ways.sum()
    order, seen = (slice(None, None, sign)), chances[::sign] > 0
    return values[order][seen], chances[order][seen]


def _ways(ties: list[int], steps: list[int], rarer: int) -> NDArray[np.float64]:
    """Return in how many ways `rarer` cases have each sum of steps."""
    largest = _largest_sum(ties, steps, rarer)
    ways: NDArray[Any] = np.zeros((rarer + 1, largest + 1))
    ways[0, 0] = 1.0
    for tied, step in zip(ties, steps, strict=True):
        before = ways.copy()
        for taken in range(1, min(tied, rarer) + 1):
            shift = taken * step
            if shift > largest:
                break
            ways[taken:, shift:] += (
                math.comb(tied, taken) * before[: rarer + 1 - taken, : largest + 1 - shift]
            )
    last: NDArray[np.float64] = ways[rarer]
    return last


def _largest_sum(ties: list[int], steps: list[int], rarer: int) -> int:
    left, total = rarer, 0
    for step, tied in sorted(zip(steps, ties, strict=True), reverse=True):
        taken = min(left, tied)
        total, left = total + taken * step, left - taken
    return total

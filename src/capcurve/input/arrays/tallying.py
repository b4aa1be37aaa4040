"""Whole scores of a small range are counted where they stand, without sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Two counters for each number of this range stay in the processor's cache.
WIDEST_RANGE = 1 << 16
# A range wider than this many rows is dearer to look through than the rows are to sort.
ROWS_PER_NUMBER = 4


def tally(
    values: NDArray[Any], positive: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]] | None:
    """Return each number from the lowest score to the highest, positives and negatives there.

    None when the scores are not whole or the range is too wide.
    """
    if values.dtype.kind not in "iub" or not len(values):
        return None
    whole = values.view(np.uint8) if values.dtype.kind == "b" else values
    low, high = int(whole.min()), int(whole.max())
    numbers = high - low + 1
    if numbers > min(WIDEST_RANGE, ROWS_PER_NUMBER * len(values)):
        return None
    sums = np.zeros(2 * numbers, dtype=np.int64)
    for start in range(0, len(whole), BLOCK):
        rows = slice(start, start + BLOCK)
        place = _above(whole[rows], low)
        place <<= 1
        place |= positive[rows]
        sums += np.bincount(place, minlength=len(sums))
    score = np.arange(numbers, dtype=np.uint64) + np.uint64(low % 2**64)
    return score.astype(whole.dtype).astype(values.dtype), sums[1::2], sums[::2]


def _above(block: NDArray[Any], low: int) -> NDArray[np.int64]:
    """Return how far scores lie above the lowest, which neither type may overflow."""
    wide = block if block.dtype.itemsize == np.dtype(np.int64).itemsize else block.astype(np.int64)
    return (wide - wide.dtype.type(low)).astype(np.int64, copy=False)

"""Exact sums over cells, in blocks, so that nothing overflows and little memory is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from capcurve.counts.score_counts import ScoreCounts

BLOCK = 1 << 18
LARGEST_INT64 = 2**63 - 1
# Products of two limbs, added up over a piece, stay below 2^63: 24 + 24 + 14 bits.
LIMB_BITS, PIECE = 24, 1 << 14


def exact_dot(left: NDArray[Any], right: NDArray[Any]) -> int:
    """Return the sum of products of two whole, non-negative arrays as a Python integer.

    Examples
    --------
    >>> exact_dot(np.array([2**61, 1]), np.array([2**61, 1])) == 2**122 + 1
    True
    """
    total = 0
    for start in range(0, len(left), BLOCK):
        a = left[start : start + BLOCK].astype(np.int64, copy=False)
        b = right[start : start + BLOCK].astype(np.int64, copy=False)
        small = int(a.max()) * int(b.max()) * len(a) <= LARGEST_INT64
        total += int(np.dot(a, b)) if small else _dot_by_limbs(a, b)
    return total


def _dot_by_limbs(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    total = 0
    mask = (1 << LIMB_BITS) - 1
    for start in range(0, len(a), PIECE):
        for i in range(0, 63, LIMB_BITS):
            left = (a[start : start + PIECE] >> i) & mask
            for j in range(0, 63, LIMB_BITS):
                right = (b[start : start + PIECE] >> j) & mask
                total += int(np.dot(left, right)) << (i + j)
    return total


def running_sums(
    counts: ScoreCounts,
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield blocks of cells: positives, negatives, and both summed up to and with each cell.

    Whole counts come as int64; weights as the widest float there is, scaled by class so that
    1e300 and 1e-300 both have products.
    """
    p_before: Any = 0
    n_before: Any = 0
    for start in range(0, len(counts), BLOCK):
        p, n = block_of(counts, start)
        p_sums, n_sums = np.cumsum(p) + p_before, np.cumsum(n) + n_before
        p_before, n_before = p_sums[-1], n_sums[-1]
        yield p, n, p_sums, n_sums


def block_of(counts: ScoreCounts, start: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return one block of positives and negatives, wide enough to be summed."""
    dtype = np.int64 if counts.is_whole else np.longdouble
    cells = slice(start, start + BLOCK)
    return counts.positives[cells].astype(dtype), counts.negatives[cells].astype(dtype)


def cumulated(column: NDArray[Any]) -> NDArray[Any]:
    """Return running sums from 0 before the first cell: int64, or float64 for weights."""
    whole = column.dtype.kind != "f"
    sums = np.zeros(len(column) + 1, dtype=np.int64 if whole else np.float64)
    if whole:
        np.cumsum(column, dtype=np.int64, out=sums[1:])
    else:
        sums[1:] = np.cumsum(column, dtype=np.longdouble)
    return sums

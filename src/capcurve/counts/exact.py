"""Exact sums over cells, in blocks, so that nothing overflows and little memory is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from capcurve.counts.score_counts import ScoreCounts

# Small enough that the numbers of a block stay in the processor's cache.
BLOCK = 1 << 16
LARGEST_INT64 = 2**63 - 1


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
        # Python integers have no largest one, and take over where 64 bits do not suffice.
        total += int(np.dot(a, b)) if small else int(np.dot(a.astype(object), b.astype(object)))
    return total


def class_blocks(counts: ScoreCounts) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield positives and negatives block by block, in int64."""
    for start in range(0, len(counts), BLOCK):
        cells = slice(start, start + BLOCK)
        yield counts.positives[cells].astype(np.int64), counts.negatives[cells].astype(np.int64)


def cumulated(column: NDArray[Any]) -> NDArray[Any]:
    """Return running sums from 0 before the first cell: int64, or float64 for weights."""
    whole = column.dtype.kind != "f"
    sums = np.zeros(len(column) + 1, dtype=np.int64 if whole else np.float64)
    if whole:
        np.cumsum(column, dtype=np.int64, out=sums[1:])
    else:
        sums[1:] = np.cumsum(column, dtype=np.longdouble)
    return sums

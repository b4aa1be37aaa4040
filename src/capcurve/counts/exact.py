"""Exact sums over cells, in blocks, so that nothing overflows and little memory is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.doubledouble import CELLS, DoubleDouble, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts.types import Array, ClassSums, Floats, Ints, Places

# Small enough that the numbers of a block stay in the processor's cache.
BLOCK = 1 << 16
LARGEST_INT64 = 2**63 - 1
LARGEST_SQUARED = 2**31 - 1
# Floats about 3·2^k stand this times 2^k apart.
LAST_BIT = 2.0**-51
SMALLEST_EXPONENT, LARGEST_EXPONENT = -1000, 1023


def exact_dot(left: Array, right: Array) -> int:
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


def square_dot(times: Ints, values: Ints) -> int:
    """Return the sum of times·values², in integers of any size."""
    if int(values.max(initial=0)) <= LARGEST_SQUARED:
        return exact_dot(times, values * values)
    wide = values.astype(object)
    return int(np.dot(times.astype(object), wide * wide))


def class_blocks(counts: ClassSums) -> Iterator[tuple[Ints, Ints]]:
    """Yield positives and negatives block by block, in int64."""
    for start in range(0, len(counts.positives), BLOCK):
        cells = slice(start, start + BLOCK)
        yield counts.positives[cells].astype(np.int64), counts.negatives[cells].astype(np.int64)


def cumulated(column: Array) -> Array:
    """Return running sums from 0 before the first cell: int64, or float64 for weights."""
    whole = column.dtype.kind != "f"
    sums = np.zeros(len(column) + 1, dtype=np.int64 if whole else np.float64)
    if whole:
        np.cumsum(column, dtype=np.int64, out=sums[1:])
        return sums
    before = DoubleDouble.of(0.0)
    for start in range(0, len(column), CELLS):
        found = running(column[start : start + CELLS], before)
        sums[start : start + len(found.high)] = found.high
        before = found[-1]
    return sums


def run_sums(
    values: Floats,
    starts: Places,
    times: Ints | None = None,
) -> Floats:
    """Return the sum of each run of weights: the same in whatever order they stand.

    Parameters
    ----------
    values
        Weights, zero or more, shape (n,).
    starts
        Where each run starts, ascending from 0, shape (m,).
    times
        How many rows each weight stands for; one each when left out.

    Notes
    -----
    Each weight is cut into a high and a low part that are multiples of one unit of the run, so
    that both add up without rounding (Demmel & Nguyen 2013, "Fast reproducible floating-point
    summation").

    Examples
    --------
    >>> run_sums(np.array([0.1, 0.2, 0.3]), np.array([0])) == run_sums(
    ...     np.array([0.3, 0.1, 0.2]), np.array([0])
    ... )
    array([ True])
    """
    with np.errstate(over="ignore"):  # weights that sum past the largest float are refused later
        sums: Floats = values[starts] * (1 if times is None else times[starts])
    tied, inside, begins, repeated = runs_of_several(values, starts, times)
    if len(tied):
        sums[tied] = _sums_of_several(inside, begins, repeated)
    return sums


def runs_of_several(
    values: Floats, starts: Places, times: Ints | None
) -> tuple[Places, Floats, Places, Ints | None]:
    """Return which runs hold several rows; and values, starts and times of these runs alone."""
    lengths = np.diff(starts, append=len(values))
    tied = np.flatnonzero(lengths > 1)
    if len(tied) == len(starts):
        return tied, values, starts, times
    rows = np.repeat(lengths > 1, lengths)
    begins = np.cumsum(lengths[tied]) - lengths[tied]
    return tied, values[rows], begins, None if times is None else times[rows]


def _sums_of_several(values: Floats, starts: Places, times: Ints | None) -> Floats:
    lengths = np.diff(starts, append=len(values))
    rows = lengths if times is None else np.add.reduceat(times, starts)
    scale = powers_of_two(np.maximum.reduceat(values, starts))
    left = values / np.repeat(scale, lengths)
    # As many parts, each at most `size`, add up to less than this power of two times that.
    room = np.ldexp(1.0, np.frexp(rows.astype(np.float64))[1])
    found, size = np.zeros(len(starts)), np.full(len(starts), 2.0)
    for _ in range(2):
        unit = np.repeat(3 * room * size, lengths)
        part = (left + unit) - unit
        left -= part
        found += np.add.reduceat(part if times is None else part * times, starts)
        size = room * size * LAST_BIT
    with np.errstate(over="ignore"):  # weights that sum past the largest float are refused later
        sums: Floats = found * scale
    return sums


def powers_of_two(largest: Floats) -> Floats:
    """Return powers of two, of which each number is at most twice one; dividing is exact."""
    exponents = np.clip(np.frexp(largest)[1], SMALLEST_EXPONENT, LARGEST_EXPONENT)
    powers: Floats = np.ldexp(1.0, exponents)
    return powers

"""Sums without rounding error: of whole numbers, of weights in any order, and in 106 bits.

numpy's longdouble has 64 bits on Linux with Intel processors and 53 on Windows and ARM Macs. A
`DoubleDouble` is the unrounded sum of two floats, the second at most half a last digit of the
first (Dekker 1971, Numer. Math. 18; Ogita, Rump & Oishi 2005, SIAM J. Sci. Comput. 26).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from capcurve.numbers.threads import at_once, parts_for_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capcurve.numbers.types import Array, Bools, ClassSums, Floats, Ints, Places

# So many numbers at once stay near the processor, with what is computed of them. With fewer,
# threads wait longer for each other than they compute.
BLOCK = 1 << 17
LARGEST_INT64 = 2**63 - 1
HALF_WORD = 2**31
LARGEST_SQUARED = 2**31 - 1
# Floats about 3·2^k stand this times 2^k apart.
LAST_BIT = 2.0**-51
SMALLEST_EXPONENT, LARGEST_EXPONENT = -1000, 1023
MOST_SHIFTED = 1000
# A float, or an array of floats.
Real: TypeAlias = Any
# Cuts a float into two halves of at most 26 bits, whose products are exact.
SPLITTER = 2.0**27 + 1
LOW_BITS = 32
# numpy adds up floats by halves, each a multiple of so many numbers.
VECTOR = 8


def exact_dot(left: Array, right: Array) -> int:
    """Return the sum of products of two whole arrays as a Python integer."""
    total = 0
    for start in range(0, len(left), BLOCK):
        a = left[start : start + BLOCK].astype(np.int64, copy=False)
        b = right[start : start + BLOCK].astype(np.int64, copy=False)
        total += _block_dot(a, b)
    return total


def _block_dot(a: Ints, b: Ints) -> int:
    largest = [max(int(column.max()), -int(column.min())) for column in (a, b)]
    if largest[0] * largest[1] * len(a) <= LARGEST_INT64:
        return int(np.dot(a, b))
    if (
        largest[0] * HALF_WORD * len(a) <= LARGEST_INT64
        and largest[0] * (largest[1] // HALF_WORD + 1) * len(a) <= LARGEST_INT64
    ):
        # In two halves, each of which 64 bits hold.
        high = b // HALF_WORD
        return int(np.dot(a, high)) * HALF_WORD + int(np.dot(a, b - high * HALF_WORD))
    # Python integers have no largest one, and take over where 64 bits do not suffice.
    return int(np.dot(a.astype(object), b.astype(object)))


def square_dot(times: Ints, values: Ints) -> int:
    """Return the sum of times·values², in integers of any size."""
    values = values.astype(np.int64, copy=False)
    if int(values.max(initial=0)) <= LARGEST_SQUARED:
        return exact_dot(times, values * values)
    wide = values.astype(object)
    return int(np.dot(times.astype(object), wide * wide))


def summed_parts(size: int, part: Callable[[int, int], Real]) -> Real:
    """Return the sum of so many floats that come in parts, to the bit as numpy adds them at once.

    `part` returns the sum of the floats from one place up to another, or several such sums.

    >>> values = np.sqrt(np.arange(500_000))
    >>> summed_parts(500_000, lambda start, end: values[start:end].sum()) == values.sum()
    np.True_
    """
    if size <= BLOCK:
        return part(0, size)
    ends = list(_pairwise(0, size))
    return _added(size, iter(at_once(lambda place: part(*place), ends, size)))


def _pairwise(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of which numpy adds up each first: halves, of whole vectors."""
    if end - start <= BLOCK:
        yield start, end
        return
    middle = start + (end - start) // 2 // VECTOR * VECTOR
    yield from _pairwise(start, middle)
    yield from _pairwise(middle, end)


def _added(size: int, parts: Iterator[Real]) -> Real:
    """Return the sum of the parts of so many numbers, added in pairs of halves."""
    if size <= BLOCK:
        return next(parts)
    half = size // 2 // VECTOR * VECTOR
    first = _added(half, parts)
    return first + _added(size - half, parts)


def class_blocks(counts: ClassSums) -> Iterator[tuple[Ints, Ints]]:
    """Yield positives and negatives block by block, in int64."""
    for start in range(0, len(counts.positives), BLOCK):
        cells = slice(start, start + BLOCK)
        yield counts.positives[cells].astype(np.int64), counts.negatives[cells].astype(np.int64)


def running_blocks(counts: ClassSums) -> Iterator[tuple[int, Ints, Ints]]:
    """Yield where each block of whole counts starts, and both classes up to each cell."""
    captured = passed = 0
    for start in range(0, len(counts.positives), BLOCK):
        cells = slice(start, start + BLOCK)
        tp = np.cumsum(counts.positives[cells], dtype=np.int64)
        fp = np.cumsum(counts.negatives[cells], dtype=np.int64)
        tp += captured
        fp += passed
        captured, passed = int(tp[-1]), int(fp[-1])
        yield start, tp, fp


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """The cells of a block where the ROC may turn: all but those of a single negative.

    Of many distinct scores they are few, and say everything: from one to the next the positives
    selected do not change.
    """

    place: Places  # where they stand among the cells of the block
    p: Ints  # p, n: positives and negatives there
    n: Ints
    tp: Ints  # tp, fp: positives and negatives of all cells of the block before them
    fp: Ints
    alone: Ints  # single negatives between each and the next, or the end
    captured: int  # captured, passed: positives and negatives of all cells of the block
    passed: int

    @classmethod
    def of(cls, p: Array, n: Array) -> Self:
        """Find them among the cells of a block, none of which is empty."""
        place = np.flatnonzero((p != 0) | (n != 1))
        singles = place.astype(np.int64, copy=False) - np.arange(len(place))
        others = len(p) - len(place)
        p, n = p[place].astype(np.int64), n[place].astype(np.int64)
        tp, fp = np.cumsum(p), np.cumsum(n)
        captured, passed = (int(sums[-1]) if len(sums) else 0 for sums in (tp, fp))
        tp -= p
        fp -= n
        fp += singles
        alone = np.diff(singles, append=others)
        return cls(place, p, n, tp, fp, alone, captured, passed + others)


def cumulated(column: Array) -> Array:
    """Return running sums from 0 before the first cell: int64, or float64 for weights."""
    whole = column.dtype.kind != "f"
    sums = np.zeros(len(column) + 1, dtype=np.int64 if whole else np.float64)
    if whole:
        np.cumsum(column, dtype=np.int64, out=sums[1:])
        return sums
    before = DoubleDouble.of(0.0)
    for start in range(0, len(column), BLOCK):
        found = running(column[start : start + BLOCK], before)
        sums[start : start + len(found.high)] = found.high
        before = found[-1]
    return sums


def run_sums(values: Floats, starts: Places, times: Ints | None = None) -> Floats:
    """Return the sum of each run of weights, zero or more: the same in whatever order they stand.

    Runs start where `starts` says, ascending from 0; `times` is how many rows each weight stands
    for. Each weight is cut into a high and a low part that are multiples of one unit of the run, so
    that both add up without rounding (Demmel & Nguyen 2013, "Fast reproducible floating-point
    summation").

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
    rows = lengths if times is None else np.add.reduceat(times, starts, dtype=np.int64)
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


@dataclass(frozen=True, slots=True, eq=False)
class DoubleDouble:
    """An array, or one number, of about 32 decimal digits: a float, and what rounding to it lost.

    Where a product or quotient is so large or so small that its second float has no value, the
    first stands alone, rounded as floats are.

    >>> third = DoubleDouble.of(1) / DoubleDouble.of(3)
    >>> float((third * DoubleDouble.of(3) - DoubleDouble.of(1)).high)
    0.0
    """

    high: Real
    low: Real

    @classmethod
    def of(cls, values: Real | Fraction) -> Self:
        """Take whole numbers of up to 64 bits or floats without loss, or one fraction."""
        if isinstance(values, Fraction):
            rounded = float(values)
            return cls(rounded, float(values - Fraction(rounded)))
        given = np.asarray(values)
        if given.dtype.kind == "f":
            high = given.astype(np.float64)
            return cls(high, np.zeros_like(high))
        wide = given.astype(np.uint64 if given.dtype == np.uint64 else np.int64)
        top = wide >> LOW_BITS << LOW_BITS
        return cls(*_near_sum(top.astype(np.float64), (wide - top).astype(np.float64)))

    def __getitem__(self, places: Array | slice | int) -> Self:
        return type(self)(self.high[places], self.low[places])

    def where(self, kept: Bools, other: Self | float) -> Self:
        """Return the numbers that are kept, and the others elsewhere."""
        high, low = (other.high, other.low) if isinstance(other, DoubleDouble) else (other, 0.0)
        return type(self)(np.where(kept, self.high, high), np.where(kept, self.low, low))

    def ldexp(self, exponent: int | Ints) -> Self:
        """Return the numbers times a power of two, or each times its own."""
        return type(self)(np.ldexp(self.high, exponent), np.ldexp(self.low, exponent))

    def __neg__(self) -> Self:
        return type(self)(-self.high, -self.low)

    def __add__(self, other: Self) -> Self:
        high, rest = _sum(self.high, other.high)
        low, least = _sum(self.low, other.low)
        high, rest = _near_sum(high, rest + low)
        return type(self)(*_near_sum(high, rest + least))

    def __sub__(self, other: Self) -> Self:
        return self + -other

    def __mul__(self, other: Self) -> Self:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            high, low = _product(self.high, other.high)
            low = low + (self.high * other.low + self.low * other.high)
            return type(self)(*_near_sum(high, np.where(np.isfinite(low), low, 0.0)))

    def __truediv__(self, other: Self) -> Self:
        first = self.high / other.high
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            rest = self - other * type(self)(first, np.zeros_like(first))
            second = rest.high / other.high
            return type(self)(*_near_sum(first, np.where(np.isfinite(second), second, 0.0)))

    def cumsum(self) -> Self:
        """Return running sums along an array."""
        sums, low = np.cumsum(self.high), np.array(self.low)
        # numpy adds one after the other, so each step's rounding error is known exactly.
        low[1:] += _lost(sums[:-1], self.high[1:], sums[1:])
        return type(self)(*_near_sum(sums, np.cumsum(low, out=low)))

    def sum(self) -> Self:
        """Return the sum of an array, which is not empty."""
        return self.cumsum()[-1]

    def exact(self) -> Fraction:
        """Return one number as the fraction it is."""
        return Fraction(float(self.high)) + Fraction(float(self.low))


def quotient(part: Array, whole: Array, none: float = 0.0) -> Floats:
    """Return part/whole, and `none` where there is nothing to divide by.

    >>> quotient(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    part, whole = np.broadcast_arrays(part, whole)
    found: Floats = np.divide(part, whole, out=np.full(part.shape, none), where=whole > 0)
    return found


def running(column: Floats, before: DoubleDouble) -> DoubleDouble:
    """Return running sums of a column from what came before it: one more than it has cells."""
    held = column != 0
    if 2 * np.count_nonzero(held) >= len(column):
        spare = np.empty(len(column) + 1)
        spare[0], spare[1:] = before.high, column
        sums = np.cumsum(spare)
        # What rounding each step has lost, exactly: shorter where no number is beyond the sum.
        if column.min(initial=0.0) >= 0 and column.max(initial=0.0) <= before.high:
            np.subtract(sums[1:], sums[:-1], out=spare[1:])
            np.subtract(column, spare[1:], out=spare[1:])
        else:
            spare[1:] = _lost(sums[:-1], column, sums[1:])
        spare[0] = before.low
        low = np.cumsum(spare, out=spare)
        high = sums + low
        np.subtract(high, sums, out=sums)
        return DoubleDouble(high, np.subtract(low, sums, out=low))
    # Nothing more stays as it was.
    some = np.flatnonzero(held)
    found = running(column[some], before)
    times = np.diff(some, prepend=-1, append=len(column))
    return DoubleDouble(np.repeat(found.high, times), np.repeat(found.low, times))


def exact_share(sums: Real, total: Real) -> DoubleDouble:
    """Return sums over their total, in double-double whatever their size."""
    exponent = int(np.frexp(float(total))[1])
    parts = [DoubleDouble.of(values) for values in (sums, total)]
    part, whole = (number.ldexp(-exponent) for number in parts)
    return part / whole


def lift_of(part: Real, total: Real, size: Real, whole: Real) -> DoubleDouble:
    """Return the share that parts are of their total over that which sizes are of theirs.

    In double-double whatever their size; a lift that has no float is refused.

    >>> lift_of(np.array([1e-300]), 1e300, np.array([1e-290]), 1e308).high
    array([0.01])
    """
    (a, i), (b, j), (c, k), (d, m) = map(near_one, (part, total, size, whole))
    with np.errstate(over="ignore"):
        found = ((a / b) / (c / d)).ldexp(i - j - k + m)
    refuse_beyond(found.high, "a lift", "amounts, exposures or weights differ by too much")
    return found


def near_one(values: Real) -> tuple[DoubleDouble, Ints]:
    """Return numbers divided by powers of two near them, and the exponents of these."""
    exponent = np.frexp(np.asarray(values, dtype=np.float64))[1]
    return DoubleDouble.of(values).ldexp(-exponent), exponent


def refuse_beyond(found: Real, what: str, why: str) -> None:
    """Raise ValueError where a number is beyond what a float holds."""
    if np.isinf(found).any():
        raise ValueError(f"{what} is beyond what a float holds; {why}")


def in_blocks(size: int, made: Callable[[slice], Array]) -> Floats:
    """Return what is made of so many cells, some at a time, which stay in the processor's cache."""
    found = np.empty(size)

    def fill(part: slice) -> None:
        for start in range(part.start, part.stop, BLOCK):
            cells = slice(start, min(start + BLOCK, part.stop))
            found[cells] = made(cells)

    at_once(fill, parts_for_threads(size, BLOCK))
    return found


def rounded_by_blocks(result: Callable[..., DoubleDouble], *columns: Array) -> Floats:
    """Return what is made of each row of some columns, rounded once."""
    return in_blocks(len(columns[0]), lambda rows: result(*(each[rows] for each in columns)).high)


def _lost(a: Real, b: Real, total: Real) -> Real:
    """Return what rounding a + b to their total has lost (Knuth's two-sum)."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _sum(a: Real, b: Real) -> tuple[Real, Real]:
    total = a + b
    return total, _lost(a, b, total)


def _near_sum(a: Real, b: Real) -> tuple[Real, Real]:
    """Return the sum and what it lost, where b is too small to change a's first digit."""
    total = a + b
    return total, b - (total - a)


def _product(a: Real, b: Real) -> tuple[Real, Real]:
    total = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return total, ((a1 * b1 - total) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Real) -> tuple[Real, Real]:
    cut = SPLITTER * a
    top = cut - (cut - a)
    return top, a - top


def shifted(column: Array, exponent: int) -> Floats:
    """Return numbers times a power of two, exactly: as `np.ldexp`, which takes longer."""
    if abs(exponent) > MOST_SHIFTED:
        return np.ldexp(column.astype(np.float64), exponent)
    return column * 2.0**exponent


def largest_size(column: Array) -> float:
    """Return the largest of some numbers, whatever their signs; 0 of none."""
    return max(float(column.max(initial=0)), -float(column.min(initial=0)))


def exponent_of(weights: Array) -> int:
    """Return the power of two that the largest weight is near."""
    return int(np.frexp(float(weights.max()))[1])


def scaled(weights: Array) -> Floats:
    """Return weights times a power of two that brings the largest near 1."""
    return shifted(weights, -exponent_of(weights))

"""Double-double numbers: 106 bits made of two floats, the same on every machine.

numpy's longdouble has 64 bits on Linux with Intel processors and 53 on Windows and ARM Macs.
Here each number is the unrounded sum of two floats, the second at most half a last digit of the
first (Dekker 1971, Numer. Math. 18; Ogita, Rump & Oishi 2005, SIAM J. Sci. Comput. 26).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Cuts a float into two halves of at most 26 bits, whose products are exact.
SPLITTER = 2.0**27 + 1
LOW_BITS = 32
# So many numbers at once stay in the processor's cache, with what is computed of them.
CELLS = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class DoubleDouble:
    """An array, or one number, of about 32 decimal digits.

    Where a product or quotient is so large or so small that its second float has no value, the
    first stands alone, rounded as floats are.

    Attributes
    ----------
    high
        The number rounded to a float.
    low
        What that rounding lost.

    Examples
    --------
    >>> third = DoubleDouble.of(1) / DoubleDouble.of(3)
    >>> float((third * DoubleDouble.of(3) - DoubleDouble.of(1)).high)
    0.0
    """

    high: Any
    low: Any

    @classmethod
    def of(cls, values: Any) -> Self:
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

    def __getitem__(self, places: Any) -> Self:
        return type(self)(self.high[places], self.low[places])

    def where(self, kept: Any, other: Self | float) -> Self:
        """Return the numbers that are kept, and the others elsewhere."""
        high, low = (other.high, other.low) if isinstance(other, DoubleDouble) else (other, 0.0)
        return type(self)(np.where(kept, self.high, high), np.where(kept, self.low, low))

    def ldexp(self, exponent: int) -> Self:
        """Return the numbers times a power of two."""
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
        sums = np.cumsum(self.high)
        before = np.concatenate([[0.0], sums[:-1]])
        # numpy adds one after the other, so each step's rounding error is known exactly.
        lost = np.cumsum(_lost(before, self.high, sums) + self.low)
        return type(self)(*_near_sum(sums, lost))

    def sum(self) -> Self:
        """Return the sum of an array, which is not empty."""
        return self.cumsum()[-1]

    def exact(self) -> Fraction:
        """Return one number as the fraction it is."""
        return Fraction(float(self.high)) + Fraction(float(self.low))


def running(column: NDArray[np.float64], before: DoubleDouble) -> DoubleDouble:
    """Return running sums of a column from what came before it: one more than it has cells."""
    high, low = np.zeros(len(column) + 1), np.zeros(len(column) + 1)
    high[0], low[0], high[1:] = before.high, before.low, column
    return DoubleDouble(high, low).cumsum()


def share_of(sums: Any, total: Any) -> DoubleDouble:
    """Return sums over their total, in double-double whatever their size.

    Examples
    --------
    >>> share_of(np.array([1e300, 3e300]), 3e300).high
    array([0.33333333, 1.        ])
    """
    exponent = int(np.frexp(float(total))[1])
    parts = [DoubleDouble.of(values) for values in (sums, total)]
    part, whole = (number.ldexp(-exponent) for number in parts)
    return part / whole


def rounded_by_blocks(
    result: Callable[..., DoubleDouble], *columns: NDArray[Any]
) -> NDArray[np.float64]:
    """Return what is made of each row of some columns, rounded once; in the processor's cache."""
    found = np.empty(len(columns[0]))
    for start in range(0, len(found), CELLS):
        rows = slice(start, start + CELLS)
        found[rows] = result(*(column[rows] for column in columns)).high
    return found


def _lost(a: Any, b: Any, total: Any) -> Any:
    """Return what rounding a + b to their total has lost (Knuth's two-sum)."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _sum(a: Any, b: Any) -> tuple[Any, Any]:
    total = a + b
    return total, _lost(a, b, total)


def _near_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the sum and what it lost, where b is too small to change a's first digit."""
    total = a + b
    return total, b - (total - a)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    total = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return total, ((a1 * b1 - total) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Any) -> tuple[Any, Any]:
    cut = SPLITTER * a
    top = cut - (cut - a)
    return top, a - top

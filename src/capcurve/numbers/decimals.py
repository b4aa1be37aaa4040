"""How decimals become numbers of 64 bits: judged by their values, never by their type."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_PREC, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.numbers.types import Array

# Every decimal of so many digits has a float of its own.
EXACT_DIGITS = 15
_UNROUNDED = Context(prec=MAX_PREC)


@dataclass(frozen=True, slots=True)
class LongDecimals:
    """What is known of the decimals of a column that have more digits than every float keeps."""

    least: Decimal | None
    largest: Decimal | None
    fraction: Decimal | None  # one of them that is not whole
    whole: bool  # whether the column holds whole numbers alone, however long

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the type that holds every decimal as it is written, or raise ValueError."""
        if self.least is None or self.largest is None:
            return np.dtype(np.float64)
        lost = self.fraction
        if lost is None:
            if max(-self.least, self.largest) <= 2**53:
                return np.dtype(np.float64)
            if self.whole and self.least >= -(2**63) and self.largest < 2**63:
                return np.dtype(np.int64)
            if self.whole and self.least >= 0 and self.largest < 2**64:
                return np.dtype(np.uint64)
            lost = max(self.least, self.largest, key=abs)
        shown = lost.normalize(_UNROUNDED)
        raise ValueError(
            f"{name} holds the decimal {shown:f} of {_digits(shown)} digits, and a float keeps "
            f"{EXACT_DIGITS}; round it, or scale it to whole numbers"
        )


def from_decimals(items: Sequence[Any], name: str) -> Array:
    """Return decimals, perhaps among other numbers, as floats or as whole numbers."""
    exact = [Decimal(int(i)) if isinstance(i, int | np.integer) else i for i in items]
    finite = [i for i in exact if isinstance(i, Decimal) and i.is_finite()]
    long = [i for i in finite if _digits(i) > EXACT_DIGITS]
    found = LongDecimals(
        min(long, default=None),
        max(long, default=None),
        next((i for i in long if not _is_whole(i)), None),
        whole=len(finite) == len(items) and all(map(_is_whole, finite)),
    )
    dtype = found.dtype(name)
    return np.array(list(map(float if dtype.kind == "f" else int, items)), dtype=dtype)


def _digits(item: Decimal) -> int:
    return len(item.normalize(_UNROUNDED).as_tuple().digits)


def _is_whole(item: Decimal) -> bool:
    return item == item.to_integral_value()

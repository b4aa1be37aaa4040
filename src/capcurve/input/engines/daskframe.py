"""Dask's own ways: numbers with one kind of missing value, which its grouping can add up."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

if TYPE_CHECKING:
    from collections.abc import Mapping


def wrapped(native: Any) -> Any:
    """Return any frame as a narwhals frame, and what is no frame as it is.

    Narwhals (from 2.29) asks users of Dask to install `narwhals-dask`, to which its support is to
    move. They did not ask for narwhals, and nothing needs that package as long as it still supports
    Dask.
    """
    if not type(native).__module__.startswith("dask"):
        return nw.from_native(native, pass_through=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals", FutureWarning)
        return nw.from_native(native, pass_through=True)


def narrowed(native: Any, inside: Mapping[str, str]) -> Any:
    """Return columns, by what they are to be called, alone; floats have NaN for null.

    Partial counts of Arrow-backed numbers cannot be added up by Dask when a NaN and a null
    stand beside each other.
    """
    frame = native[list(inside.values())].rename(columns={old: new for new, old in inside.items()})
    plain = {new: f"float{_bits(frame.dtypes[new])}" for new in inside if _bits(frame.dtypes[new])}
    return frame.astype(plain) if plain else frame


def _bits(dtype: Any) -> int:
    """Return the width of a floating-point type, 0 for any other."""
    kind = getattr(dtype, "kind", "O")
    return int(dtype.itemsize) * 8 if kind == "f" else 0

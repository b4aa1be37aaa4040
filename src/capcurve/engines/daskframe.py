"""Dask's own ways: numbers with one kind of missing value, which its grouping can add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def narrowed(native: Any, inside: Mapping[str, str]) -> Any:
    """Return the named columns alone, their floating-point numbers with NaN for null.

    Partial counts of Arrow-backed numbers cannot be added up by Dask when a NaN and a null
    stand beside each other.
    """
    frame = native[list(inside)].rename(columns=dict(inside))
    plain = {
        new: f"float{_bits(frame.dtypes[new])}"
        for new in inside.values()
        if _bits(frame.dtypes[new])
    }
    return frame.astype(plain) if plain else frame


def _bits(dtype: Any) -> int:
    """Return the width of a floating-point type, 0 for any other."""
    kind = getattr(dtype, "kind", "O")
    return int(dtype.itemsize) * 8 if kind == "f" else 0

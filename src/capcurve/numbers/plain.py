"""Values as strict JSON can hold them, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

# JavaScript and many JSON readers hold whole numbers in a double: beyond this they round.
LARGEST_SAFE_INTEGER = 2**53


def plain(value: Any) -> Any:
    """Return `value` as strict JSON holds it.

    Infinities and integers beyond 2^53 become strings, NaN becomes None, numpy scalars and
    arrays become Python numbers and lists, records mappings.

    >>> plain({"ar": float("inf"), "n": 2**60, "rate": float("nan"), "q": 0.5})
    {'ar': 'inf', 'n': '1152921504606846976', 'rate': None, 'q': 0.5}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, np.ndarray):
        items: list[Any] = value.tolist()
        return items if _is_safe(value) else [plain(item) for item in items]
    return _plain_parts(value)


def _is_safe(values: np.ndarray[Any, Any]) -> bool:
    """Whether JSON has all numbers of an array as they are, as nearly all arrays are."""
    if values.dtype.kind not in "iuf" or not values.size:
        return False
    low, high = values.min().item(), values.max().item()
    return bool(low >= -LARGEST_SAFE_INTEGER and high <= LARGEST_SAFE_INTEGER)


def _plain_parts(value: Any) -> Any:
    """Return what holds other values as a list or mapping, all else as text."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def number_from_plain(value: Any) -> Any:
    """Return the number that `plain` wrote: the inverse for one score or count.

    >>> number_from_plain("inf"), number_from_plain("1152921504606846976"), number_from_plain(0.5)
    (inf, 1152921504606846976, 0.5)
    """
    if not isinstance(value, str):
        return value
    return float(value) if value.lstrip("+-") in {"inf", "Infinity", "nan"} else int(value)

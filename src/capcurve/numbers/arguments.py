"""Numbers that users pass: converted to Python's own, or refused in one line."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.numbers.types import Array

Word = TypeVar("Word")
# Nearer to 0 than this, squares and reciprocals of a share leave the range of floats.
LEAST_SHARE = 1e-100
LONGEST_QUOTED = 60


def as_number(value: Any, name: str) -> float:
    """Return a number of Python, numpy, fractions or decimals as a float; NaN is none."""
    found = _float_or_nan(value)
    if math.isnan(found):
        raise ValueError(f"{name} must be a number, got {told(value)}")
    return found


def as_finite(value: Any, name: str) -> float:
    """Return a number that is not infinite as a float, else raise ValueError."""
    found = _float_or_nan(value)
    if not math.isfinite(found):
        raise ValueError(f"{name} must be a finite number, got {told(value)}")
    return found


def _float_or_nan(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def as_whole(value: Any, name: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`, else raise ValueError."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(
            f"{name} must be a whole number from {least:,} to {most:,}, got {told(value)}"
        )
    return int(value)


def as_name(value: object, name: str, known: Iterable[str], also: Mapping[str, str]) -> str:
    """Return which of the known names is meant; `also` has what else people call them."""
    known = list(known)
    if isinstance(value, str):
        plain = value.strip().lower().replace("-", "_").replace(" ", "_")
        meant = also.get(plain, plain)
        if meant in known:
            return meant
    raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {told(value)}")


def as_word(
    value: object,
    name: str,
    known: Iterable[Word],
    *,
    either: bool = False,
    quote: str = '"',
    mark: str = ",",
) -> Word:
    """Return a word that is one of the known ones as it stands, else raise ValueError."""
    known = tuple(known)
    if value in known:
        return value
    words = [f"{quote}{word}{quote}" for word in known]
    listed = f"one of {', '.join(words)}"
    if either:
        listed = f"{', '.join(words[:-1])} or {words[-1]}"
    raise ValueError(f"{name} must be {listed}{mark} got {told(value)}")


def check_one_dimension(values: Array, name: str) -> None:
    """Raise ValueError where a column is a table."""
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {values.shape}")


def as_share(value: Any, name: str, *, some: bool = False) -> float:
    """Return a share from 0 to 1, and not 0 where `some` is asked for, else raise ValueError."""
    if np.ndim(value) and not isinstance(value, str):
        read = "; many are read off a curve, as lift_curve(counts).at(q)" if name == "q" else ""
        raise ValueError(f"{name} takes one number, got {told(value)}{read}")
    found = _float_or_nan(value)
    if not (LEAST_SHARE if some else 0) <= found <= 1:
        where = "in (0, 1]" if some else "between 0 and 1"
        raise ValueError(f"{name} must lie {where}{_too_near(found)}, got {told(value)}")
    return found


def _too_near(share: float) -> str:
    return f" and be {LEAST_SHARE:g} or more" if 0 < share < LEAST_SHARE else ""


def as_open_share(value: Any, name: str) -> float:
    """Return a share that is neither 0 nor 1, else raise ValueError."""
    found = _float_or_nan(value)
    if not LEAST_SHARE <= found < 1:
        near = _too_near(found)
        raise ValueError(f"{name} must lie between 0 and 1{near}, got {told(value)}")
    return found


def refuse_same_column(**roles: Any) -> None:
    """Raise ValueError where one column, by itself or by its name, is given in two roles."""
    (one, first), *others = roles.items()
    for other, second in others:
        same = isinstance(first, str) and isinstance(second, str) and first == second
        if first is not None and (first is second or same):
            called = f", {first!r}" if same else ""
            raise ValueError(f"the {one} and the {other} are the same column{called}; name two")


def told(value: Any) -> str:
    """Return what was found, short enough for one line."""
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and value.bit_length() > LONGEST_QUOTED
    ):
        return f"a whole number of {value.bit_length()} bits"
    try:
        text = " ".join((str(value) if isinstance(value, numbers.Real) else repr(value)).split())
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to show"
    if len(text) <= LONGEST_QUOTED:
        return text
    closed = text[-1] if text[0] in "'\"" and text[-1] == text[0] else ""
    return f"{text[: LONGEST_QUOTED - 1 - len(closed)]}…{closed}"

"""Scores as arrays that can be ranked exactly: any numbers, percentages, names of grades."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.arguments import arg, spoken, word
from capcurve.numbers.meeting import rounded_to
from capcurve.numbers.strays import is_number_as_text, text_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.numbers.types import Array, Bools, Direction, Floats, Ints

# A number without exponent, with a per cent sign.
PERCENTAGE = re.compile(r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+))\s*%\s*")


def order_them() -> str:
    """Say how to tell the order of text, where the function takes levels=."""
    how = "naming the grades most-likely-positive first, an ordered categorical, or numbers"
    return f"; pass {arg(levels=...)} {spoken(how)}"


def refuse_turned_levels(higher_is: str) -> None:
    """Raise ValueError where grades, which are named in their order, get a direction as well."""
    if higher_is == "negative":
        raise ValueError(
            f"{spoken('levels already runs')} most-likely-positive first; reverse it instead of "
            f"passing {word(higher_is='negative')}"
        )


def as_rankable(
    values: Array,
    name: str,
    levels: tuple[object, ...] | None,
    higher_is: Direction,
    missing: Bools | None = None,
    repeats: Ints | None = None,
) -> Array:
    """Return one-dimensional scores that can be ranked exactly, or raise saying what was found."""
    # Rows marked missing are not looked at. NaN is left for the caller to judge.
    if values.ndim != 1:
        raise ValueError(_shape_message(values, name))
    if levels is not None:
        refuse_turned_levels(higher_is)
        return values
    kind = values.dtype.kind
    if kind == "c":
        raise TypeError(f"{name} is complex ({values.dtype}); pass its real part or its modulus")
    if kind == "O":
        values = _from_objects(values, name, missing, repeats)
    elif kind not in "biuf":
        raise TypeError(_not_numbers(values, name, missing, repeats))
    if values.dtype.kind == "f" and values.dtype.itemsize > np.dtype(np.float64).itemsize:
        values = _from_long(values, name)
    return values


def refuse_nan(values: Array, name: str) -> None:
    """Raise ValueError when a score is NaN: it has no rank."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        rows = np.flatnonzero(np.isnan(values))
        raise ValueError(f"{name} is NaN in {len(rows)} of {len(values)} rows, first in {rows[0]}")


def codes_of(values: Array, levels: tuple[object, ...], name: str, dtype: Any = None) -> Array:
    """Return grade codes, larger for the more likely positive, for grade names."""
    # `dtype` is that of the scores, where objects stand for them.
    last, kind = len(levels) - 1, np.dtype(dtype or values.dtype)
    names = [rounded_to(level, kind).item() for level in levels] if kind.kind == "f" else levels
    code = {level: last - position for position, level in enumerate(names)}
    items = values.tolist()
    unknown = set(items).difference(code)
    if unknown:
        shown = ", ".join(sorted(map(repr, unknown))[:5])
        numbers = all(isinstance(each, float) for each in unknown)
        scale = spoken(", or pass levels=master_scale(...) if these are cuts of a score")
        raise ValueError(
            f"{name} holds {shown}, not among the levels {list(levels)!r}; add what is "
            f"missing{scale if numbers else ''}"
        )
    smallest = np.min_scalar_type(max(last, 0))
    return np.fromiter((code[item] for item in items), dtype=smallest, count=len(items))


def names_of(codes: Array, levels: tuple[object, ...]) -> Array:
    """Return the name of each code; the largest code is the first name."""
    names = np.empty(len(levels), dtype=object)
    names[:] = levels
    return names[len(names) - 1 - codes.astype(np.intp)]


def _shape_message(values: Array, name: str) -> str:
    if values.ndim == 2 and values.shape[1] == 2:  # noqa: PLR2004 - one column per class
        return f"{name} has 2 columns (shape {values.shape}); take the second one: {name}[:, 1]"
    return f"{name} must have one dimension, got shape {values.shape}; pass one column"


def _not_numbers(
    values: Array, name: str, missing: Bools | None, repeats: Ints | None = None
) -> str:
    if values.dtype.kind in "mM":
        shown = [f" (such as {item})" for item in values[~np.isnat(values)][:1]]
        return f"{name} holds dates or durations{''.join(shown)}; pass a number"
    if not len(values):
        return f"{name} holds text empty, which has no order{order_them()}"
    advice = f", which has no order{order_them()}"
    return text_message(values.astype(object), name, missing, advice, repeats)


def _from_objects(values: Array, name: str, missing: Bools | None, repeats: Ints | None) -> Array:
    kept = values if missing is None else values[~missing]
    items = kept.tolist()
    words = [item for item in items if isinstance(item, str)]
    read = len(words) == len(items) and all(map(is_number_as_text, words))
    shares = read and any(PERCENTAGE.fullmatch(word) for word in words)
    if not shares and any(isinstance(item, str | bytes) for item in items):
        raise TypeError(_not_numbers(values, name, missing, repeats))
    numbers = from_percentages(words, name) if shares else _as_numbers(items, name)
    if missing is None:
        return numbers
    filled = np.zeros(len(values), dtype=numbers.dtype)
    filled[~missing] = numbers
    return filled


def _as_numbers(items: list[Any], name: str) -> Array:
    from decimal import Decimal

    from capcurve.numbers.decimals import from_decimals

    for item in items:
        if isinstance(item, complex | np.complexfloating):
            raise TypeError(f"{name} is complex, such as {item!r}; pass its real part")
        if not isinstance(item, int | float | Decimal | np.number | np.bool_):
            raise _not_a_number(item, name)
    if any(isinstance(item, Decimal) for item in items):
        return from_decimals(items, name)
    whole = [item for item in items if isinstance(item, int | np.integer)]
    low, high = (int(min(whole)), int(max(whole))) if whole else (0, 0)
    if any(isinstance(i, np.longdouble) and float(i) != i for i in items):
        raise ValueError(f"{name} holds numbers with more digits than float64; round them")
    if len(whole) < len(items):
        if any(int(float(item)) != item for item in whole):
            raise ValueError(f"{name} mixes fractions with integers beyond 2^53; use one type")
        return np.array(items, dtype=np.float64)
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return np.array(items, dtype=dtype)
    raise ValueError(f"{name} holds {max(-low, high)}, beyond 64-bit integers; scale it down")


def from_percentages(items: Sequence[str], name: str) -> Floats:
    """Return hundredths where every text is a number with a per cent sign, else raise."""
    found = [PERCENTAGE.fullmatch(item) for item in items]
    signed = next((item for item, match in zip(items, found, strict=True) if match), None)
    other = next((item for item, match in zip(items, found, strict=True) if not match), None)
    if other is not None:
        raise TypeError(
            f"{name} holds {signed!r} and {other!r}; write all as numbers with a per cent sign, "
            "or all without"
        )
    numbers = [match[1] for match in found if match]
    marks = {mark for mark in ".," if any(mark in number for number in numbers)}
    grouped = all(re.search(r",\d{3}$", number) for number in numbers if "," in number)
    if len(marks) > 1 or ("," in marks and grouped):
        raise TypeError(
            f"{name} holds {signed!r}, where the decimal mark is not clear; write a decimal point"
        )
    # As decimals, rounded once: 6.56 % is the same number as 0.0656.
    return np.array([float(number.replace(",", ".") + "e-2") for number in numbers])


def _not_a_number(item: Any, name: str) -> Exception:
    if hasattr(item, "__len__") and not isinstance(item, str | bytes):
        return ValueError(
            f"{name} holds a sequence in each row, such as {item!r}; "
            f"take one element, such as column 1: {name}[:, 1]"
        )
    return TypeError(f"{name} holds {item!r}, which is no plain number; convert it to float")


def _from_long(values: Array, name: str) -> Array:
    short = values.astype(np.float64)
    if not ((short == values) | np.isnan(values)).all():
        raise ValueError(f"{name} is {values.dtype} with values that float64 cannot hold; round it")
    return short

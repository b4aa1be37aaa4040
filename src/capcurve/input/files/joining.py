"""One column out of the same column of several files, without losing a digit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array

_WORDS = {"b": "true/false", "i": "whole numbers", "u": "whole numbers", "f": "numbers"}
_WORDS |= {"O": "text", "M": "dates"}
_WHOLE_DOUBLE = 2**53


def join(columns: Sequence[Column], labels: Sequence[str]) -> Column:
    """Put the parts of one column end to end, each from the file of that label.

    A part without any value takes the type of the others. Parts of different types, and a common
    type that would lose digits, are refused.
    """
    if len(columns) == 1:
        return columns[0]
    held = [column.held for column in columns if column.held is not None]
    if len(held) < len(columns):
        columns, held = [column.whole() for column in columns], []
    known = [i for i, column in enumerate(columns) if not _is_void(column)] or [0]
    first = columns[known[0]]
    dtype = first.stored.dtype
    for i in known[1:]:
        _same_sort(first, columns[i], labels[known[0]], labels[i])
        dtype = np.result_type(dtype, columns[i].stored.dtype)
    if dtype.kind == "f" and any(columns[i].stored.dtype.kind in "iu" for i in known):
        dtype = _settle([columns[i] for i in known])
    if dtype.kind == "M" and any(_loses(columns[i].stored, dtype) for i in known):
        raise ValueError(f"column {first.name!r} holds times that no one unit holds in every file")
    values = [
        column.stored.astype(dtype) if i in known else np.zeros(len(column.stored), dtype)
        for i, column in enumerate(columns)
    ]
    missing = [
        np.zeros(len(column.stored), bool) if column.missing is None else column.missing
        for column in columns
    ]
    mask = np.concatenate(missing)
    return Column(
        first.name,
        np.concatenate(values),
        mask if mask.any() else None,
        first.categories,
        first.ordered,
        np.concatenate(held) if held else None,
    )


def _is_void(column: Column) -> bool:
    """Whether a part holds no value at all, so that its type says nothing."""
    return bool(column.missing.all()) if column.missing is not None else not len(column)


def _same_sort(one: Column, other: Column, place: str, elsewhere: str) -> None:
    kinds = one.stored.dtype.kind, other.stored.dtype.kind
    if kinds[0] != kinds[1] and not set(kinds) <= set("iuf"):
        here, there = (_WORDS.get(kind, "values") for kind in kinds)
        raise ValueError(
            f"column {one.name!r} holds {here} in {place} but {there} in {elsewhere}; "
            f"write it in the same way in every file"
        )
    if one.categories != other.categories:
        raise ValueError(
            f"column {one.name!r} has other categories in {place} than in {elsewhere}; "
            f"give it the same ones in every file"
        )


def _settle(columns: Sequence[Column]) -> np.dtype[Any]:
    """Find the type for whole and other numbers together, or for both 64-bit whole types."""
    whole = [_extremes(c) for c in columns if c.stored.dtype.kind in "iu"]
    low, high = min(w[0] for w in whole), max(w[1] for w in whole)
    if all(c.stored.dtype.kind in "iu" for c in columns):
        if high < 2**63:
            return np.dtype(np.int64)
        if low >= 0:
            return np.dtype(np.uint64)
    elif max(-low, high) <= _WHOLE_DOUBLE:
        return np.dtype(np.float64)
    raise ValueError(
        f"column {columns[0].name!r} holds whole numbers up to {max(-low, high)} in one file and "
        f"other numbers in another, which no common type holds exactly; write it in one type"
    )


def _loses(values: Array, dtype: np.dtype[Any]) -> bool:
    """Whether times change in a type; one that cannot hold them raises, before numpy 2.5 wraps."""
    try:
        same = values.astype(dtype).astype(values.dtype) == values
    except OverflowError:
        return True
    return not bool((same | np.isnat(values)).all())


def _extremes(column: Column) -> tuple[int, int]:
    values: Array = column.stored
    if column.missing is not None:
        values = values[~column.missing]
    return int(values.min()), int(values.max())

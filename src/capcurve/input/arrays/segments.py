"""The segments of rows: periods that dates fall in, and several columns crossed."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.types import Crossing
from capcurve.input.arrays.groups import segment_codes
from capcurve.input.columns import InputColumn, check_same_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Period = Literal["day", "week", "month", "quarter", "year"]
# What a period is called; names sort as the periods follow each other.
NAMES: Mapping[Period, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: "{:04d}-W{:02d}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
}
ISO = re.compile(r"\d{4}-\d\d-\d\d($|[T ])")


def segment_column(columns: Sequence[InputColumn], period: Period | None = None) -> InputColumn:
    """Return the segment of each row: its period, where dates are there, and columns crossed.

    >>> days = InputColumn("day", np.array(["2024-05-13", "2024-06-01"], dtype="M8[D]"))
    >>> segment_column([days], "month").values.tolist()
    ['2024-05', '2024-06']
    """
    if period is not None:
        named = [in_periods(column, period) for column in columns]
        if all(new is None for new in named):
            raise ValueError(_no_dates(columns))
        columns = [new or old for new, old in zip(named, columns, strict=True)]
    return columns[0] if len(columns) == 1 else crossed(columns)


def _no_dates(columns: Sequence[InputColumn]) -> str:
    """Say what stands where dates are needed."""
    held = (key for column in columns for key in segment_codes(column)[0] if key is not None)
    found = [key for key in held if _day_of(key) is None][:1]
    names = " and ".join(dict.fromkeys(column.name for column in columns))
    shown = f"{names} holds {found[0]!r}" if found else f"{names} holds no value"
    return (
        f"period= is for dates, or text such as 2024-05-13, and {shown}; leave out period=, or "
        "write dates like that"
    )


def in_periods(column: InputColumn, period: Period) -> InputColumn | None:
    """Return the period of each date, or None where a column holds anything else than dates."""
    keys, codes = segment_codes(column)
    days = [None if key is None else _day_of(key) for key in keys]
    known = [day for day in days if day is not None]
    if not known or len(known) < sum(key is not None for key in keys):
        return None
    called = [None if day is None else NAMES[period](day) for day in days]
    names = tuple(sorted({name for name in called if name is not None}))
    place = {name: number for number, name in enumerate(names)}
    table = np.array([-1 if name is None else place[name] for name in called], dtype=np.int64)
    stored = table[codes]
    missing = stored < 0
    return replace(
        column,
        stored=np.maximum(stored, 0),
        missing=missing if missing.any() else None,
        categories=names,
        ordered=True,
    )


def _day_of(key: object) -> date | None:
    """Return the day of a date, a moment or text that begins with one; None for anything else."""
    if isinstance(key, datetime):
        return key.date()
    if isinstance(key, date):
        return key
    if isinstance(key, str) and ISO.match(key):
        try:
            return date.fromisoformat(key[:10])
        except ValueError:
            return None
    return None


def crossed(columns: Sequence[InputColumn]) -> InputColumn:
    """Return the combination of the values that each row has in several columns.

    >>> two = [InputColumn("a", np.array([1, 0, 1])), InputColumn("b", np.array([5, 5, 5]))]
    >>> segment_codes(crossed(two))
    ([(0, 5), (1, 5)], array([1, 0, 1]))
    """
    check_same_rows(columns)
    parts = [segment_codes(column) for column in columns]
    sizes = tuple(max(len(keys), 1) for keys, _ in parts)
    flat = np.ravel_multi_index(tuple(codes for _, codes in parts), sizes)
    distinct, stored = np.unique(flat, return_inverse=True)
    places = np.unravel_index(distinct, sizes)
    values = (
        [keys[each] for each in at.tolist()] for (keys, _), at in zip(parts, places, strict=True)
    )
    found = tuple(Crossing(each) for each in zip(*values, strict=True))
    name = " and ".join(column.name for column in columns)
    return InputColumn(name, stored.ravel(), None, found, ordered=True, index=columns[0].index)

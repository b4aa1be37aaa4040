"""What a set of counts was counted with: direction, weights, and the rows it lost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from capcurve.counts.records import FrozenRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

Direction = Literal["positive", "negative"]
WeightKind = Literal["frequency", "sampling", "exposure"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out because a named column had no value.

    Attributes
    ----------
    rows
        How many rows were left out.
    columns
        How many of them lacked each column; a row lacking two counts in both.
    """

    rows: int
    columns: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Dropped) -> Dropped:
        names = [*self.columns, *(name for name in other.columns if name not in self.columns)]
        columns = {n: self.columns.get(n, 0) + other.columns.get(n, 0) for n in names}
        return Dropped(self.rows + other.rows, columns)

    def __sub__(self, other: Dropped) -> Dropped:
        short = any(rows > self.columns.get(name, 0) for name, rows in other.columns.items())
        if short or other.rows > self.rows:
            raise ValueError(
                "more rows were left out of the second counts than of the first; "
                "they are not a part of them"
            )
        left = {name: rows - other.columns.get(name, 0) for name, rows in self.columns.items()}
        kept = {name: rows for name, rows in left.items() if rows or not other.columns.get(name)}
        return Dropped(self.rows - other.rows, kept)

    def to_dict(self) -> dict[str, object]:
        """Return the loss as plain values."""
        return {"rows": self.rows, "columns": dict(self.columns)}


@dataclass(frozen=True, slots=True, eq=False)
class Weights(FrozenRecord):
    """What weighted counts remember about the rows behind them.

    Attributes
    ----------
    kind
        What the weights mean, or None when it was not said.
    positive_rows, negative_rows
        How many rows of each class carried weight.
    positive_roots, negative_roots
        Square root of the sum of squared weights, per distinct score and class. The root is
        kept because a square of a weight such as 1e300 has no floating-point value.
    """

    kind: WeightKind | None
    positive_rows: int
    negative_rows: int
    positive_roots: NDArray[np.float64]
    negative_roots: NDArray[np.float64]


def check_direction(higher_is: object) -> Direction:
    """Return `higher_is` when it names a direction, else raise ValueError."""
    if higher_is not in get_args(Direction):
        raise ValueError(f'higher_is must be "positive" or "negative", got {higher_is!r}')
    return higher_is  # type: ignore[return-value]  # checked in the line above


def check_resolution(resolution: object) -> float | None:
    """Return `resolution` as a positive finite number or None, else raise ValueError."""
    if resolution is None:
        return None
    number = isinstance(resolution, int | float | np.integer | np.floating)
    try:
        step = float(resolution) if number and not isinstance(resolution, bool) else 0.0  # type: ignore[arg-type]  # a number
    except OverflowError:  # a whole number beyond every float
        step = math.inf
    if not 0 < step < math.inf:
        raise ValueError(f"resolution must be a positive number such as 1e-4, got {resolution!r}")
    return step


def check_levels(levels: object) -> tuple[object, ...] | None:
    """Return grade names as a tuple of distinct values, or None; else raise."""
    if levels is None:
        return None
    unordered = isinstance(levels, str | Mapping | set | frozenset)
    if unordered or not isinstance(levels, Iterable):
        raise TypeError(f"levels must list the grades, most-likely-positive first, got {levels!r}")
    names = tuple(item.item() if isinstance(item, np.generic) else item for item in levels)
    if not names:
        raise ValueError("levels is empty; name the grades, most-likely-positive first")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"levels names {repeated!r} twice; name each grade once")
    return names


def written_levels(levels: tuple[object, ...] | None) -> tuple[object, ...] | None:
    """Return grade names as they are kept: text and plain numbers, all else as text."""
    if levels is None:
        return None
    return tuple(
        item if isinstance(item, str | int) or _is_plain_float(item) else str(item)
        for item in levels
    )


def _is_plain_float(item: object) -> bool:
    return isinstance(item, float) and bool(np.isfinite(item))

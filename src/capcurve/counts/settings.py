"""What a set of counts was counted with: direction, weights, and the rows it lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    def to_dict(self) -> dict[str, object]:
        """Return the loss as plain values."""
        return {"rows": self.rows, "columns": dict(self.columns)}


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
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
    if not number or isinstance(resolution, bool) or not np.isfinite(resolution):  # type: ignore[call-overload]  # only numbers get here
        raise ValueError(f"resolution must be a positive number such as 1e-4, got {resolution!r}")
    step = float(resolution)  # type: ignore[arg-type]  # a number, by the line above
    if step <= 0:
        raise ValueError(f"resolution must be a positive number such as 1e-4, got {resolution!r}")
    return step


def check_levels(levels: object) -> tuple[object, ...] | None:
    """Return grade names as a tuple of distinct values, or None; else raise."""
    if levels is None:
        return None
    if isinstance(levels, str) or not hasattr(levels, "__iter__"):
        raise TypeError(f"levels must list the grades, most-likely-positive first, got {levels!r}")
    names = tuple(item.item() if isinstance(item, np.generic) else item for item in levels)
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

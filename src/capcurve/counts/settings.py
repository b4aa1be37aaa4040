"""What cells were counted with: direction, grid, the rows lost; and what all such counts tell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from capcurve.counts.types import ClassSums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts.types import Amount, Array
    from capcurve.counts.weights import WeightKind, Weights

Direction = Literal["positive", "negative"]
# What the account of rows calls those that have neither an exposure nor an amount.
NO_EXPOSURE = "no exposure"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out because a named column had no value."""

    rows: int  # how many rows were left out
    # How many of them lacked each column; a row lacking two counts in both.
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


class Part(Protocol):
    """What parts of any kind tell when they are added up: the rows lost, groups of clusters."""

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""

    @property
    def groups(self) -> Sequence[Any] | None:
        """The same counts by hash group of clusters, or None."""

    def __len__(self) -> int:
        """Return how many cells there are."""


class Described(Protocol):
    """What counts of every kind, and totals of them, tell of themselves."""

    @property
    def higher_is(self) -> object:
        """The direction of each score."""

    @property
    def levels(self) -> object:
        """The grade names of each score."""

    @property
    def resolution(self) -> float | None:
        """Width of the grid that scores were floored to, or None."""

    @property
    def weights(self) -> Weights | None:
        """What weighted counts remember of their rows, or None."""

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""

    @property
    def groups(self) -> Sequence[Counted] | None:
        """The same counts by hash group of clusters, or None."""

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts, on which every result is exactly rounded."""

    @property
    def n1(self) -> Amount:
        """All positives: an integer, or their total weight."""

    @property
    def n0(self) -> Amount:
        """All negatives: an integer, or their total weight."""

    def __len__(self) -> int:
        """Return how many cells there are."""


class Counted(Described, ClassSums, Protocol):
    """Cells of one score or of several: what is needed to add them up and to compare them."""

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells cells apart."""


class Scored(Counted, Protocol):
    """Cells of one score, most-likely-positive first."""

    @property
    def score(self) -> Array:
        """The score of each cell."""

    @property
    def higher_is(self) -> Direction:
        """Whether a higher score makes a case more likely "positive" or "negative"."""

    @property
    def levels(self) -> tuple[object, ...] | None:
        """Grade names, most-likely-positive first, or None."""

    @property
    def groups(self) -> Sequence[Scored] | None:
        """The same counts by hash group of clusters, or None."""

    def digest(self) -> str:
        """Return a fingerprint of the counts."""


def settings_of(counts: Described) -> dict[str, object]:
    """Return what must be equal for counts to be comparable."""
    return {
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "weight_kind": counts.weight_kind,
        "weighted": counts.weights is not None,
    }

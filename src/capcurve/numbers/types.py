"""What everything is held in: arrays by what they hold, and records that cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Scores keep their type, and counts are whole numbers of any width, or floats for weights.
Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
# In WebAssembly an index has 32 bits, as has every whole number that numpy gives no type: those of
# `arange`, `flatnonzero`, `argsort`, `bincount`, `asarray` of a list, and sums of narrower ones. So
# a place is an index, with which nothing is computed beyond the size of the data; what is
# multiplied, squared or summed up is int64 from its first line; and what goes to `np.bincount`, to
# `take` and `reduceat`, or to `np.repeat` as counts, is cast to np.intp.
Places: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
# The class that high scores stand for.
Direction: TypeAlias = Literal["positive", "negative"]
# A number of cases or their weight: an integer of Python, or a float.
Amount: TypeAlias = Any


def array_of(values: Any) -> Array:
    """Return what numpy makes of a user's values: whole numbers of Python as int64 everywhere."""
    found = np.asarray(values)
    if np.intp == np.int64 or found.dtype != np.intp or not isinstance(values, list | tuple):
        return found
    of_numpy = (isinstance(each, np.generic) for each in np.array(values, dtype=object).flat)
    return found if all(of_numpy) else found.astype(np.int64)


class MovesAtScores(Protocol):
    """How far a case at each score moves a number: an array, or what numpy makes one of."""

    def __len__(self) -> int:
        """Return how many scores there are."""

    def __getitem__(self, cells: slice, /) -> Floats:
        """Return the moves at some of them."""


class ClassSums(Protocol):
    """What holds positives and negatives of some cells."""

    @property
    def positives(self) -> Array:
        """Cases of the positive class in each cell."""

    @property
    def negatives(self) -> Array:
        """Cases of the negative class in each cell."""


class Crossing(tuple[Any, ...]):
    """A segment of several columns: the value of each, which reads as these with commas between.

    >>> str(Crossing(("retail", "2024-05"))), Crossing((1, None)) == (1, None)
    ('retail, 2024-05', True)
    """

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join("(none)" if value is None else str(value) for value in self)


class ByValue:
    """A dataclass that equals another of its type when all they hold is equal, arrays too."""

    __slots__ = ()
    # What only the library uses, which completion of names does not offer.
    _internal: ClassVar[frozenset[str]] = frozenset()

    def __dir__(self) -> list[str]:
        names = super().__dir__()
        return [name for name in names if name not in self._internal and not name.isupper()]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        compared = (field.name for field in fields(self) if field.init and field.compare)  # type: ignore[arg-type]  # of dataclasses
        return all(_alike(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        words = (getattr(self, name) for name in _given(self))
        return hash((type(self), *(word for word in words if isinstance(word, str))))


class FrozenRecord(ByValue):
    """A frozen dataclass that holds arrays: they are read-only however it came to be."""

    # Copies and pickles are made by the constructor, from what it was given.

    __slots__ = ()

    def __post_init__(self) -> None:
        freeze(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), {name: getattr(self, name) for name in _given(self)})


def freeze(record: FrozenRecord) -> None:
    """Make every array of a record read-only, also those in its tuples and mappings."""
    for name in _given(record):
        held = getattr(record, name)
        locked = _locked(held)
        if locked is not held:
            object.__setattr__(record, name, locked)


def _given(record: Any) -> list[str]:
    return [field.name for field in fields(record) if field.init]


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal: arrays number by number, and NaN as NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        if "O" in one.dtype.kind + other.dtype.kind:
            return one.shape == other.shape and _alike(one.tolist(), other.tolist())
        numbers = one.dtype.kind in "fc" and other.dtype.kind in "fc"
        return np.array_equal(one, other, equal_nan=numbers)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float) and one != one:  # noqa: PLR0124 - NaN
        return other != other  # noqa: PLR0124
    return bool(one == other)


def _made(kind: Any, given: Mapping[str, Any]) -> Any:
    return kind(**given)


def _locked(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            return value
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, tuple) and any(isinstance(item, np.ndarray) for item in value):
        return tuple(_locked(item) for item in value)
    if isinstance(value, Mapping) and any(isinstance(v, np.ndarray) for v in value.values()):
        return {key: _locked(item) for key, item in value.items()}
    return value

"""Records whose arrays cannot be changed: not as made, not as copied, not as unpickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


class FrozenRecord:
    """A frozen dataclass that holds arrays: they are read-only however it came to be.

    Copies and pickles are made by the constructor, from what it was given.
    """

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

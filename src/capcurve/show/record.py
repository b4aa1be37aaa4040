"""Record: what is given back, as values that strict JSON can hold."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

from capcurve.counts.plain import plain
from capcurve.show.table import Table


class Record:
    """A frozen dataclass that becomes plain values: its fields, and what else it names."""

    __slots__ = ()

    _schema_version: ClassVar[int | None] = None  # stands first; None for a part of another record
    _left_out: ClassVar[frozenset[str]] = frozenset()  # fields that are not written
    _added: ClassVar[tuple[str, ...]] = ()  # properties that are
    _as_rows: ClassVar[frozenset[str]] = frozenset()  # tables written row by row, others by column
    _renamed: ClassVar[tuple[tuple[str, str], ...]] = ()  # names that are written as other keys

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that strict JSON can hold."""
        every = (each.name for each in fields(self))  # type: ignore[arg-type]  # of dataclasses
        names = [name for name in (*every, *self._added) if name not in self._left_out]
        keys = dict(self._renamed)
        version = {} if self._schema_version is None else {"schema_version": self._schema_version}
        return {**version, **{keys.get(name, name): self._plain(name) for name in names}}

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        by_row = name in self._as_rows and isinstance(value, Table)
        return plain(list(value.rows()) if by_row else value)

"""Rows of one file or of many as an SQL relation, and its columns by exact name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import Column, nearest_name
from capcurve.input.files.arrow import PLAIN, ArrivingAmounts, ArrivingColumn, fill
from capcurve.input.files.engine import one_line, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from capcurve.input.files.sources import Kind

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Relation:
    """SQL to select from, where to run it, and what to call it in messages."""

    connection: duckdb.DuckDBPyConnection
    label: str
    relation: str

    def rows(self, fields: Sequence[str], tail: str = "") -> list[tuple[Any, ...]]:
        """Select rows, or say in one line why they cannot be read."""
        with one_line(self.label):
            return self.connection.execute(select(fields, self.relation, tail)).fetchall()

    def row(self, fields: Sequence[str]) -> tuple[Any, ...]:
        """Select aggregates over all rows."""
        return self.rows(fields)[0]

    def types_of(self, fields: Sequence[str]) -> tuple[str, ...]:
        """Return what DuckDB calls the types of fields."""
        with one_line(self.label):
            found = self.connection.execute(select(fields, self.relation, "LIMIT 0"))
            types = tuple(str(column[1]) for column in found.description or ())
            found.fetchall()  # a result that is not read to its end keeps the connection busy
            return types

    def columns(self, fields: Mapping[str, str], tail: str = "") -> dict[str, Column]:
        """Select columns of the given names, each without a mask where nothing is null."""
        named = [f"{field} AS v{place}" for place, field in enumerate(fields.values())]
        with one_line(self.label):
            found = self.connection.execute(select(named, self.relation, tail)).fetchnumpy()
        columns = {}
        for place, name in enumerate(fields):
            array = found[f"v{place}"]
            mask = np.ma.getmaskarray(array) if np.ma.isMaskedArray(array) else None
            missing = mask if mask is not None and mask.any() else None
            columns[name] = Column(name, np.ascontiguousarray(np.ma.getdata(array)), missing)
        return columns

    def plain_columns(
        self, fields: Mapping[str, str], amounts: Sequence[str] = ()
    ) -> dict[str, Column] | None:
        """Select columns batch by batch, which takes less time and memory.

        Of `amounts` only the rows that are not 0 are held. None when a column is neither a number
        nor a boolean of a type that NumPy has.
        """
        (rows,) = self.row(["count(*)"])
        with one_line(self.label):
            relation = self.connection.sql(select(fields.values(), self.relation))
            kinds = [str(kind) for kind in relation.types]
            if not set(kinds) <= set(PLAIN):
                return None
            arriving = [
                (ArrivingAmounts if name in amounts else ArrivingColumn)(
                    np.dtype(PLAIN[kind]), rows
                )
                for name, kind in zip(fields, kinds, strict=True)
            ]
            came = fill(relation, arriving, rows)
        if came != rows:
            raise ValueError(f"{self.label} changed while it was read; read it again")
        pairs = zip(fields, arriving, strict=True)
        return {
            name: Column(name, each.values, each.missing, held=getattr(each, "held", None))
            for name, each in pairs
        }


@dataclass(frozen=True, slots=True)
class Table(Relation):
    """One file, whose columns are c0, c1, ... in its own order.

    Attributes
    ----------
    kind
        How the file is written.
    names
        Its exact column names.
    types
        What DuckDB calls each column's type; empty for text, which has none.
    delimiter
        What separates the fields of a csv file.
    more
        Whether a csv file holds more than its names.
    """

    kind: Kind
    names: tuple[str, ...]
    types: tuple[str, ...] = ()
    delimiter: str = ""
    more: bool = False

    def position(self, name: str) -> int:
        """Find a column by its exact name, or say which names there are."""
        count = self.names.count(name)
        if count == 1:
            return self.names.index(name)
        if count:
            raise ValueError(f"{self.label} has {count} columns named {name!r}; rename all but one")
        self.refuse_headless()
        near = nearest_name(name, self.names)
        guess = "its" if near is None else f"did you mean {near!r}? Its"
        raise ValueError(
            f"{self.label} has no column {name!r}; {guess} columns are {listed(self.names)}"
        )

    def refuse_headless(self) -> None:
        """Raise ValueError where the first line of a csv file holds numbers, not names."""
        if self.kind == "csv" and all(map(_is_number, self.names)):
            raise ValueError(
                f"{self.label} has no column names: its first line is {listed(self.names)}; "
                f"put a line with the names before it"
            )


def _is_number(word: str) -> bool:
    try:
        float(word.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """List names in a message, each in quotes so that blanks can be seen."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more

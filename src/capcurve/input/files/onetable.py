"""The rows of all files as one SQL relation of typed columns, to be read in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.input.files.engine import fetch_rows, fetch_types, select
from capcurve.input.files.parquetfile import is_category, is_moment, typed_value
from capcurve.input.files.reading import judge
from capcurve.input.files.textvalues import common_kind, refuse_lost_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from capcurve.input.files.opened import Opened
    from capcurve.input.files.request import Files

FLOATS = ("FLOAT", "DOUBLE")
SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
NARROW_UNSIGNED = UNSIGNED[:-1]


@dataclass(frozen=True, slots=True)
class OneTable:
    """Rows of all files: columns v0, v1, ... of these names and DuckDB types.

    Attributes
    ----------
    connection
        Where to read them.
    relation
        SQL to select from.
    names, types
        What the columns are called, and their types.
    label
        What to call the files.
    """

    connection: duckdb.DuckDBPyConnection
    relation: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    label: str

    def rows(self, fields: Sequence[str], tail: str = "") -> list[Any]:
        """Select from all rows."""
        return fetch_rows(self.connection, select(fields, self.relation, tail), self.label)

    def absent(self, place: int) -> str:
        """Write the SQL that asks whether a row lacks a column."""
        nan = f" OR isnan(v{place})" if self.types[place] in FLOATS else ""
        return f"(v{place} IS NULL{nan})"

    @property
    def complete(self) -> str:
        """The SQL that asks whether a row lacks none of the columns."""
        return f"NOT ({' OR '.join(self.absent(place) for place in range(len(self.names)))})"


def one_table(
    connection: duckdb.DuckDBPyConnection,
    opened: Sequence[Opened],
    names: Sequence[str],
    files: Files,
) -> OneTable:
    """Put columns of all files below each other, each in one type that loses no digit.

    Raises
    ------
    ValueError
        When a file lacks a column, or files hold types that do not go together.
    """
    label = opened[0].label + (f" and {len(opened) - 1} more" if len(opened) > 1 else "")
    fields = _fields(connection, opened, names, files)
    parts = [
        select([f"{field} AS v{place}" for place, field in enumerate(of_file)], file.relation)
        for file, of_file in zip(opened, fields, strict=True)
    ]
    found = [
        fetch_types(connection, f"({part})", file.label)
        for file, part in zip(opened, parts, strict=True)
    ]
    types = tuple(
        _common_type(name, [kinds[place] for kinds in found]) for place, name in enumerate(names)
    )
    cast = [f"CAST(v{place} AS {kind}) AS v{place}" for place, kind in enumerate(types)]
    union = " UNION ALL ".join(select(cast, f"({part})") for part in parts)
    return OneTable(connection, f"({union})", tuple(names), types, label)


def _fields(
    connection: duckdb.DuckDBPyConnection,
    opened: Sequence[Opened],
    names: Sequence[str],
    files: Files,
) -> list[list[str]]:
    """Write the SQL for each column of every file in its type."""
    for file in opened:  # before anything is read: a wrong name should not take long
        for name in names:
            file.position(name)
    columns = list(dict.fromkeys(names))
    judged = [
        {} if file.kind == "parquet" else judge(connection, file, columns, files, frozenset())
        for file in opened
    ]
    written = []
    for file, meanings in zip(opened, judged, strict=True):
        if file.kind == "parquet":
            written.append([_stored(connection, file, file.position(name)) for name in names])
            continue
        alike = [m for other, m in zip(opened, judged, strict=True) if other.kind == file.kind]
        kinds = {name: common_kind({m[name].kind for m in alike}) for name in columns}
        for name in names:
            if kinds[name] == "number" and meanings[name].kind in ("integer", "unsigned"):
                refuse_lost_digits(connection, file, name, meanings[name])
        written.append([meanings[name].cast(kinds[name]) for name in names])
    return written


def _stored(connection: duckdb.DuckDBPyConnection, file: Opened, place: int) -> str:
    """Write the SQL for a column of a parquet file: categories as text, moments as such."""
    if is_category(file.types[place]):
        return f"CAST(c{place} AS VARCHAR)"
    field = typed_value(connection, file, place)
    return f"make_timestamp({field})" if is_moment(file.types[place]) else field


def _common_type(name: str, kinds: Sequence[str]) -> str:
    """Return the one type that holds a column of every file."""
    several = set(kinds)
    if len(several) == 1:
        return kinds[0]
    if several <= set(FLOATS):
        return "DOUBLE"
    if several <= {*SIGNED, *NARROW_UNSIGNED}:
        return "BIGINT"
    if several <= set(UNSIGNED):
        return "UBIGINT"
    found = " in one file and ".join(sorted(several)).lower()
    raise ValueError(
        f"column {name!r} is {found} in another; with memory_limit=, all files must hold one type"
    )

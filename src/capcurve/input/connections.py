"""Tables of databases: which one is meant, and a connection's table as data."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.input.columns import InputColumn, as_column, none_called, quoted_names
from capcurve.numbers.arguments import arg, of_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import duckdb

MAIN_SCHEMA = "main"
_OF_DUCKDB = (
    "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal UNION "
    "ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal"
)
OF_SQLITE = "the SQLite connection"
_OF_SQLITE = "SELECT name FROM {}.sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
_OF_SQLITE += "'sqlite~_%' ESCAPE '~'"


def chosen_table(
    found: Mapping[str, str], asked: str | None, label: str, how: Callable[..., str] = of_file
) -> str:
    """Return the SQL of the table that is asked for, or of the only one; else list all."""
    if asked is None and len(found) == 1:
        return next(iter(found.values()))
    for name in (asked or "", (asked or "").removeprefix(f"{MAIN_SCHEMA}.")):
        if name in found:
            return found[name]
    if not found:
        raise ValueError(f"{label} has no tables")
    names = sorted(found)
    if asked is None:
        raise ValueError(
            f"{label} has {len(found)} tables, {quoted_names(names)}; name one, such as "
            f"{how(table=names[0])}"
        )
    raise ValueError(f"{label} has {none_called(asked, names, 'table')}")


def quoted_name(name: str) -> str:
    """Write a name as SQL takes it, whatever letters it has."""
    return '"{}"'.format(name.replace('"', '""'))


def _as_typed(*parts: str, here: str) -> str:
    """Return how to type the name of a table: without the database in use, and without main."""
    database, schema, name = parts
    left = [database] if database not in (here, "temp") else []
    return ".".join([*left, *([schema] if schema != MAIN_SCHEMA else []), name])


def duckdb_tables(
    connection: duckdb.DuckDBPyConnection, alone: str | None = None
) -> dict[str, str]:
    """Return the SQL of all tables and views by how they are typed, or of one database `alone`."""
    ((here,),) = connection.execute("SELECT current_database()").fetchall()
    rows = connection.execute(_OF_DUCKDB).fetchall()
    return {
        _as_typed(*parts, here=alone or here): ".".join(map(quoted_name, parts))
        for parts in rows
        if alone in (None, parts[0])
    }


@contextmanager
def sqlite_errors(label: str) -> Iterator[None]:
    """Turn what SQLite raises into one line."""
    try:
        import sqlite3
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{label} needs a Python that has its own module sqlite3, which some are built "
            "without; save the table as csv or parquet",
            name="sqlite3",
        ) from None
    try:
        yield
    except sqlite3.Error as error:
        said = str(error)
        if "locked" in said:
            raise ValueError(
                f"{label} is locked by a program that writes to it; run again when it is done"
            ) from None
        if "readonly" in said:  # what the journal of an interrupted writer makes of a reader
            raise ValueError(
                f"{label} has a write that did not end; open it in the program that writes to it"
            ) from None
        damaged = "malformed" in said or "not a database" in said
        why = "is damaged or cut short; copy it again" if damaged else f"cannot be read: {said}"
        raise ValueError(f"{label} {why}") from None


def sqlite_tables(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the SQL of the tables and views of all databases of a connection, by their names."""
    schemas = [row[1] for row in sqlite_rows(connection, "PRAGMA database_list")]
    return {
        _as_typed("", schema, name, here=""): f"{quoted_name(schema)}.{quoted_name(name)}"
        for schema in schemas
        for (name,) in sqlite_rows(connection, _OF_SQLITE.format(quoted_name(schema)))
    }


def sqlite_rows(connection: sqlite3.Connection, sql: str) -> sqlite3.Cursor:
    """Run one statement whose rows are tuples, whatever the connection makes of rows."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(sql)


@dataclass(frozen=True, slots=True)
class SqliteTable:
    """A table of an SQLite connection as data: only the columns asked for are read, all at once."""

    connection: sqlite3.Connection
    table: str  # quoted for SQL

    @property
    def names(self) -> list[str]:
        """What its columns are called."""
        with sqlite_errors(OF_SQLITE):
            found = sqlite_rows(self.connection, f"SELECT * FROM {self.table} LIMIT 0")  # noqa: S608
        return [column[0] for column in found.description]

    def columns(self, names: Sequence[str]) -> dict[str, InputColumn]:
        """Return columns by name."""
        fields = ", ".join(map(quoted_name, names))
        with sqlite_errors(OF_SQLITE):
            rows = sqlite_rows(self.connection, f"SELECT {fields} FROM {self.table}").fetchall()  # noqa: S608
        found = zip(*rows, strict=True) if rows else [()] * len(names)
        return {n: as_column(list(each), n) for n, each in zip(names, found, strict=True)}


def is_connection(data: Any) -> bool:
    """Whether data is a connection of DuckDB or SQLite."""
    sqlite3 = sys.modules.get("sqlite3")
    of_sqlite = sqlite3 is not None and isinstance(data, sqlite3.Connection)
    return of_sqlite or type(data).__name__ == "DuckDBPyConnection"


def connected_table(data: Any, asked: str | None) -> Any:
    """Return a table of a connection as data: the one that is asked for, or the only one."""
    if type(data).__name__ == "DuckDBPyConnection":
        tables, label = duckdb_tables(data), "the DuckDB connection"
        return data.sql(f"FROM {chosen_table(tables, asked, label, arg)}")
    with sqlite_errors(OF_SQLITE):
        found = sqlite_tables(data)
    return SqliteTable(data, chosen_table(found, asked, OF_SQLITE, arg))

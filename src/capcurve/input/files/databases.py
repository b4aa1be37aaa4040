"""Databases in files, which are read where they are: DuckDB's by DuckDB, SQLite's by Python."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from capcurve.input.connections import chosen_table, duckdb_tables
from capcurve.input.files.engine import FileTable, file_in_one_line, select, text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    import duckdb

    from capcurve.input.files.sources import Source

_LOGGED_AHEAD = 2  # what SQLite's header says of how it is written
_IN_USE = {
    "Could not set lock": "for writing in another program; close it there, or copy the file",
    "file handle conflict": "in this program; close it, or pass its connection as data=",
}


def open_duckdb(
    connection: duckdb.DuckDBPyConnection, source: Source, asked: str | None
) -> FileTable:
    """Open a table of a DuckDB database in place, without writing to it."""
    import duckdb

    (attached,) = connection.execute("SELECT count(*) FROM duckdb_databases()").fetchall()[0]
    name = f"file{attached}"
    with file_in_one_line(source.label):
        try:
            connection.execute(f"ATTACH {text(source.path)} AS {name} (READ_ONLY)")
        except duckdb.Error as error:
            for sign, what in _IN_USE.items():
                if sign in str(error):
                    raise ValueError(f"{source.label} is open {what}") from None
            raise
        table = chosen_table(duckdb_tables(connection, name), asked, source.label)
        columns = connection.execute(select(["*"], table, "LIMIT 0")).description or ()
    aliases = ", ".join(f"c{i}" for i in range(len(columns)))
    return FileTable(
        connection,
        source.label,
        f"{table} AS t({aliases})",
        "duckdb",
        tuple(column[0] for column in columns),
        tuple(str(column[1]) for column in columns),
        more=True,
        path=source.path,
    )


@contextmanager
def open_sqlite(source: Source, scratch: str) -> Iterator[sqlite3.Connection]:
    """Open an SQLite database to read it alone, and leave no file beside it."""
    import sqlite3

    # SQLite overlooks that the last pages are gone. An old one may not say how many there are.
    size, pages = (int.from_bytes(source.head[start:end]) for start, end in ((16, 18), (28, 32)))
    told = source.head[24:28] == source.head[92:96]
    if told and pages * (65536 if size == 1 else size) > Path(source.path).stat().st_size:
        raise sqlite3.DatabaseError("malformed")
    path, how = Path(source.path), "mode=ro"
    # With a write-ahead log, SQLite makes files that a reader may not remove. Where nobody has
    # made them, nobody writes.
    if source.head[18] == _LOGGED_AHEAD and not _beside(path, "-shm").exists():
        if _beside(path, "-wal").exists():
            path = _copied_with_log(path, scratch)
        else:
            how = "immutable=1"
    uri = f"{path.as_uri()}?{how}"
    with closing(sqlite3.connect(uri, uri=True, timeout=1)) as connection:
        yield connection


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _copied_with_log(path: Path, scratch: str) -> Path:
    """Copy a database, and what its log holds and itself does not."""
    copy = Path(tempfile.mkdtemp(dir=scratch)) / "database"
    shutil.copyfile(path, copy)
    shutil.copyfile(_beside(path, "-wal"), _beside(copy, "-wal"))
    return copy

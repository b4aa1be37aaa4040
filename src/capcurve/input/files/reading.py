"""Columns out of files: every file in its own way, then joined as one set of rows."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from capcurve.input.files.csvfile import open_csv
from capcurve.input.files.engine import connect
from capcurve.input.files.joining import join
from capcurve.input.files.jsonfile import open_json, survey_json
from capcurve.input.files.parquetfile import open_parquet, read_typed
from capcurve.input.files.sources import NULL_VALUES, find_sources, in_utf8
from capcurve.input.files.textvalues import Meaning, common_kind, refuse_lost_digits, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import duckdb

    from capcurve.input.columns import Column
    from capcurve.input.files.sources import Files, Source
    from capcurve.input.files.table import Table

Read = TypeVar("Read")


def read_columns(
    files: Files,
    names: Sequence[str],
    *,
    as_text: Sequence[str] = (),
    amounts: Sequence[str] = (),
) -> dict[str, Column]:
    r"""Read columns by their exact names, all rows of all files in order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "loans.csv")
    ...     _ = path.write_text("default,pd\n0,0.1\n1,NA\n")
    ...     columns = read_columns(Files.of(path), ["pd"])
    >>> columns["pd"].missing
    array([False,  True])
    """
    with open_files(files) as tables:
        return read_opened(tables, files, names, as_text=as_text, amounts=amounts)


def read_opened(
    tables: Sequence[Table],
    files: Files,
    names: Sequence[str],
    *,
    as_text: Sequence[str] = (),
    amounts: Sequence[str] = (),
) -> dict[str, Column]:
    """Read columns of files that are open, as `read_columns` does."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    fields = text_fields(tables, wanted, files, as_text)
    parts = [
        read_typed(table, wanted, amounts) if table.kind == "parquet" else _read_text(table, cast)
        for table, cast in zip(tables, fields, strict=True)
    ]
    labels = [table.label for table in tables]
    return {name: join([part[name] for part in parts], labels) for name in wanted}


@contextmanager
def open_files(files: Files, *, checked: bool = True) -> Iterator[list[Table]]:
    """Open every file asked for, in order; close and clean up when the block ends.

    Unless only a look at the first rows is wanted, gzip files are `checked` first: read to their
    end, where their checksums stand.
    """
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        sources = find_sources(files, scratch)
        refuse_idle(files, sources)
        for source in sources if checked else ():
            if source.zipped:
                source.last_byte()
        before = [_state(source) for source in sources]
        with connect() as connection:
            yield [_open(connection, source, files, scratch) for source in sources]
        for source, state in zip(sources, before, strict=True):
            if _state(source) != state:
                raise ValueError(f"{source.label} changed while it was read; run again")


def read_each(files: Files, read: Callable[[Files, bool], Read]) -> list[Read]:
    """Read every file on its own, given alone and whether it is parquet; errors name the file."""
    parts = []
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        sources = find_sources(files, scratch)
        refuse_idle(files, sources)
        for source in sources:
            single = replace(files, paths=(source.path,))
            if source.kind != "csv":
                single = replace(single, delimiter=None, decimal=None, null_values=NULL_VALUES)
            try:
                parts.append(read(single, source.kind == "parquet"))
            except (ValueError, TypeError) as error:
                message = str(error).replace(source.path, source.label)
                kind = ValueError if isinstance(error, ValueError) else TypeError
                named = source.label in message
                raise kind(message if named else f"{source.label}: {message}") from None
    return parts


def _state(source: Source) -> tuple[int, ...]:
    """Return what tells whether a file is still the same: which it is, its size and its time."""
    try:
        found = os.stat(source.path)  # noqa: PTH116 - the path is text
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def refuse_idle(files: Files, sources: Sequence[Source]) -> None:
    """Refuse what is said about csv or text when no file that is asked for is read so."""
    kinds = {source.kind for source in sources}
    where = sources[0].label
    said = [("delimiter=", files.delimiter), ("decimal=", files.decimal)]
    flags = [flag for flag, mark in said if mark is not None]
    if flags and "csv" not in kinds:
        raise ValueError(
            f"{flags[0]} says how csv is written, and {where} is {sources[0].kind}; leave it out"
        )
    said_of_text = [
        ("null_values=", not set(files.null_values) <= set(NULL_VALUES)),
        ("encoding=", files.encoding.lower().replace("_", "-") not in {"utf-8", "utf8"}),
    ]
    idle = [flag for flag, said in said_of_text if said]
    if kinds == {"parquet"} and idle:
        raise ValueError(f"{idle[0]} is about text, and {where} is parquet; leave it out")


def _open(
    connection: duckdb.DuckDBPyConnection, source: Source, files: Files, scratch: str
) -> Table:
    if source.kind == "parquet":
        return open_parquet(connection, source)
    source = in_utf8(source, files.encoding, scratch)
    is_csv = source.kind == "csv"
    return open_csv(connection, source, files) if is_csv else open_json(connection, source)


def text_fields(
    tables: Sequence[Table], names: Sequence[str], files: Files, as_text: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Write the SQL of columns of csv and json files; those of a kind are judged together."""
    for table in tables:  # before anything is read: a wrong name should not take long
        for name in names:
            table.position(name)
    found = [{} if t.kind == "parquet" else judge(t, names, files, as_text) for t in tables]
    kinds = {
        (format_, name): common_kind(
            {m[name].kind for t, m in zip(tables, found, strict=True) if t.kind == format_}
        )
        for format_ in {table.kind for table in tables} - {"parquet"}
        for name in names
    }
    written = []
    for table, meanings in zip(tables, found, strict=True):
        for name, meaning in meanings.items():
            if kinds[table.kind, name] == "number" and meaning.kind in ("integer", "unsigned"):
                refuse_lost_digits(table, name, meaning)
        written.append({n: m.cast(kinds[table.kind, n]) for n, m in meanings.items()})
    return written


def _read_text(table: Table, fields: Mapping[str, str]) -> dict[str, Column]:
    if table.kind == "csv":
        return table.columns(fields)
    # With several threads DuckDB may put a last record that no line end follows first.
    table.connection.execute("SET threads = 1")
    try:
        return table.columns(fields)
    finally:
        table.connection.execute("RESET threads")


def judge(
    table: Table, names: Sequence[str], files: Files, as_text: Sequence[str] = ()
) -> dict[str, Meaning]:
    """Say what columns of a csv or json file hold; some are text without asking."""
    if table.kind == "json":
        return survey_json(table, names, files)
    unknown = [name for name in names if name not in as_text]
    known = {name: f"c{table.position(name)}" for name in names if name in as_text}
    meanings = survey(table, unknown, files) if unknown else {}
    if table.more and all(meaning.kind == "empty" for meaning in meanings.values()):
        _refuse_lost_rows(table)
    return meanings | {name: Meaning("text", raw, raw) for name, raw in known.items()}


def _refuse_lost_rows(table: Table) -> None:
    """Raise ValueError when a file that holds more than its names gives no rows."""
    if not table.rows(["1"], "LIMIT 1"):
        raise ValueError(
            f"{table.label} holds more than its column names, and no row can be read; "
            f"save it again as csv with one kind of line end"
        )

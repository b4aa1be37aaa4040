"""Columns out of files: every file in its own way, then joined as one set of rows."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from capcurve.input.files.csvfile import open_csv
from capcurve.input.files.encoding import in_utf8
from capcurve.input.files.engine import connect, fetch_arrays, fetch_rows, select
from capcurve.input.files.joining import join
from capcurve.input.files.jsonfile import open_json, survey_json
from capcurve.input.files.parquetfile import as_column, open_parquet, read_typed
from capcurve.input.files.request import NULL_VALUES
from capcurve.input.files.sources import find_sources
from capcurve.input.files.textvalues import Meaning, common_kind, refuse_lost_digits, survey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from capcurve.input.columns import Column
    from capcurve.input.files.opened import Opened
    from capcurve.input.files.request import Files
    from capcurve.input.files.sources import Source


def read_columns(
    files: Files, names: Sequence[str], *, as_text: Sequence[str] = ()
) -> dict[str, Column]:
    r"""Read columns by their exact names, all rows of all files in order.

    Parameters
    ----------
    files
        Which files to read, and how their text is written.
    names
        The columns, matched letter by letter; naming one twice is naming it once.
    as_text
        Those of them that a csv file holds as text, whatever the text looks like.

    Returns
    -------
    dict of str to Column
        One column per name. Whole numbers are int64 or uint64, other numbers float64, as
        Python's ``float`` reads them; parquet columns keep the width they were stored in.
        Dates of a csv or json file stay text; those of a parquet file are datetime64.

    Raises
    ------
    ValueError
        When a file is damaged, lacks a column, or holds values that are not clear.
    OSError
        When a file cannot be opened.

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
    wanted = list(dict.fromkeys(names))
    with open_files(files) as (connection, tables):
        if not wanted:
            return {}
        parts: dict[str, dict[str, Column]] = {}
        for opened in tables:  # before anything is read: a wrong name should not take long
            for name in wanted:
                opened.position(name)
        texts = frozenset(as_text)
        for kind in ("csv", "json"):
            alike = [opened for opened in tables if opened.kind == kind]
            parts |= _read_text(connection, alike, wanted, files, texts)
        for opened in tables:
            if opened.kind == "parquet":
                parts[opened.label] = read_typed(connection, opened, wanted)
    labels = [opened.label for opened in tables]
    return {name: join([parts[label][name] for label in labels], labels) for name in wanted}


@contextmanager
def open_files(
    files: Files, *, checked: bool = True
) -> Iterator[tuple[duckdb.DuckDBPyConnection, list[Opened]]]:
    """Open every file asked for; close and clean up when the block ends.

    Parameters
    ----------
    files
        Which files to read, and how their text is written.
    checked
        Whether gzip files are read to their end first, where their checksums stand; not for
        a look at the first rows.

    Yields
    ------
    tuple
        The connection, and the files in order.
    """
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        sources = find_sources(files, scratch)
        refuse_idle(files, sources)
        for source in sources if checked else ():
            if source.zipped:
                source.last_byte()
        before = [_state(source) for source in sources]
        with connect() as connection:
            yield connection, [_open(connection, source, files, scratch) for source in sources]
        for source, state in zip(sources, before, strict=True):
            if _state(source) != state:
                raise ValueError(f"{source.label} changed while it was read; run again")


def _state(source: Source) -> tuple[int, ...]:
    """Return what tells whether a file is still the same: which it is, its size and its time."""
    try:
        found = os.stat(source.path)  # noqa: PTH116 - the path is text
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def refuse_idle(files: Files, sources: Sequence[Source]) -> None:
    """Refuse what is said about text when no file that is asked for is read so.

    Raises
    ------
    ValueError
        For a delimiter or decimal mark without a csv file, or null words or an encoding with
        parquet alone.
    """
    kinds = {source.kind for source in sources}
    where = sources[0].label
    said = [("--delimiter", files.delimiter), ("--decimal", files.decimal)]
    flags = [flag for flag, mark in said if mark is not None]
    if flags and "csv" not in kinds:
        raise ValueError(
            f"{flags[0]} says how csv is written, and {where} is {sources[0].kind}; leave it out"
        )
    said_of_text = [
        ("--na", not set(files.null_values) <= set(NULL_VALUES)),
        ("--encoding", files.encoding.lower().replace("_", "-") not in {"utf-8", "utf8"}),
    ]
    idle = [flag for flag, said in said_of_text if said]
    if kinds == {"parquet"} and idle:
        raise ValueError(f"{idle[0]} is about text, and {where} is parquet; leave it out")


def _open(
    connection: duckdb.DuckDBPyConnection, source: Source, files: Files, scratch: str
) -> Opened:
    if source.kind == "parquet":
        return open_parquet(connection, source)
    source = in_utf8(source, files.encoding, scratch)
    return open_csv(source, files) if source.kind == "csv" else open_json(connection, source)


def _read_text(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[Opened],
    names: Sequence[str],
    files: Files,
    texts: frozenset[str],
) -> dict[str, dict[str, Column]]:
    """Read columns that are text in several files, after judging all of it together."""
    found = [judge(connection, opened, names, files, texts) for opened in tables]
    kinds = {name: common_kind({meanings[name].kind for meanings in found}) for name in names}
    for opened, meanings in zip(tables, found, strict=True):
        for name in names:
            if kinds[name] == "number" and meanings[name].kind in ("integer", "unsigned"):
                refuse_lost_digits(connection, opened, name, meanings[name])
    parts: dict[str, dict[str, Column]] = {}
    if any(opened.kind == "json" for opened in tables):
        # With several threads DuckDB may put a last record that no line end follows first.
        connection.execute("SET threads = 1")
    for opened, meanings in zip(tables, found, strict=True):
        fields = [f"{meanings[name].cast(kinds[name])} AS v{i}" for i, name in enumerate(names)]
        sql = select(fields, opened.relation)
        arrays = fetch_arrays(connection, sql, opened.label)
        parts[opened.label] = {
            name: as_column(name, arrays[f"v{i}"]) for i, name in enumerate(names)
        }
    connection.execute("RESET threads")
    return parts


def judge(
    connection: duckdb.DuckDBPyConnection,
    opened: Opened,
    names: Sequence[str],
    files: Files,
    texts: frozenset[str],
) -> dict[str, Meaning]:
    """Say what columns of a csv or json file hold; some are text without asking."""
    if opened.kind == "json":
        return survey_json(connection, opened, names, files)
    unknown = [name for name in names if name not in texts]
    known = {name: f"c{opened.position(name)}" for name in names if name in texts}
    meanings = survey(connection, opened, unknown, files) if unknown else {}
    if opened.more and all(meaning.kind == "empty" for meaning in meanings.values()):
        _refuse_lost_rows(connection, opened)
    return meanings | {name: Meaning("text", raw, raw) for name, raw in known.items()}


def _refuse_lost_rows(connection: duckdb.DuckDBPyConnection, opened: Opened) -> None:
    """Raise ValueError when a file that holds more than its names gives no rows."""
    found = fetch_rows(connection, select(["1"], opened.relation, "LIMIT 1"), opened.label)
    if not found:
        raise ValueError(
            f"{opened.label} holds more than its column names, and no row can be read; "
            f"save it again as csv with one kind of line end"
        )

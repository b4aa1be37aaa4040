"""Columns out of files: every file in its own way, then joined without losing a digit."""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import InputColumn
from capcurve.input.files.engine import FileTable, connect, has_duckdb, needs_duckdb
from capcurve.input.files.formats import (
    open_csv,
    open_json,
    open_parquet,
    read_typed,
    survey_json,
    with_partitions,
)
from capcurve.input.files.sources import (
    KINDS_OF_FILES,
    NULL_VALUES,
    Files,
    Source,
    find_sources,
    in_utf8,
    state_of,
    tidied,
)
from capcurve.input.files.textvalues import TextMeaning, common_kind, refuse_lost_digits, survey
from capcurve.numbers.arguments import arg
from capcurve.numbers.meeting import common_dtype
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet

    import duckdb

    from capcurve.input.files.plain_csv import PlainCsv
    from capcurve.numbers.types import Array

# What is said of files: which kinds take it, and what it is about.
_TEXT, _CELLS = ("csv", "json"), ("spreadsheet", "sqlite")
_HOW_CSV = "says how csv is written"
FILE_OPTIONS: Mapping[str, tuple[Sequence[str], str]] = {
    "delimiter": (("csv",), _HOW_CSV),
    "decimal": (("csv", *_CELLS), _HOW_CSV),
    "skip_lines": (("csv", "spreadsheet"), _HOW_CSV),
    "comment": (("csv",), _HOW_CSV),
    "sheet": (("spreadsheet",), "names a sheet of a spreadsheet"),
    "table": (("sqlite", "duckdb"), "names a table of a database"),
    "null_values": ((*_TEXT, *_CELLS), "is about text"),
    "encoding": (_TEXT, "is about text"),
}
FIRST_ROWS = 200_000  # of files that are converted, for a look at their columns
_WORDS = {"b": "true/false", "i": "whole numbers", "u": "whole numbers", "f": "numbers"}
_WORDS |= {"O": "text", "M": "dates"}


def read_columns(
    files: Files,
    names: Sequence[str],
    *,
    as_text: Sequence[str] = (),
    amounts: Sequence[str] = (),
    scores: Sequence[str] = (),
) -> dict[str, InputColumn]:
    r"""Read columns by their exact names, all rows of all files in order.

    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "loans.csv")
    ...     _ = path.write_text("default,pd\n0,0.1\n1,NA\n")
    ...     columns = read_columns(Files.of(path), ["pd"])
    >>> columns["pd"].missing
    array([False,  True])
    """
    if not has_duckdb():
        with open_plainly(files) as table:
            return table.columns(dict.fromkeys(names), as_text)
    with open_files(files) as tables:
        return read_opened(tables, files, names, as_text=as_text, amounts=amounts, scores=scores)


def read_opened(
    tables: Sequence[FileTable],
    files: Files,
    names: Sequence[str],
    *,
    as_text: Sequence[str] = (),
    amounts: Sequence[str] = (),
    scores: Sequence[str] = (),
) -> dict[str, InputColumn]:
    """Read columns of files that are open, as `read_columns` does."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    fields = text_fields(tables, wanted, files, as_text)
    parts = [
        read_typed(table, wanted, amounts) if table.is_typed else _read_text(table, cast)
        for table, cast in zip(tables, fields, strict=True)
    ]
    labels = [table.label for table in tables]
    return {
        name: join([part[name] for part in parts], labels, ranks=name in scores) for name in wanted
    }


@contextmanager
def open_files(files: Files, *, checked: bool = True) -> Iterator[list[FileTable]]:
    """Open every file asked for, in order; close and clean up when the block ends."""
    # Gzip files are `checked` first, up to their checksums, unless a look at their start is enough.
    with _unchanged(files) as (sources, scratch):
        for source in sources if checked else ():
            if source.zipped:
                source.last_byte()
        most = None if checked else FIRST_ROWS
        whole = _whole_partitions(sources)
        if not has_duckdb():
            _refuse_without_duckdb(sources)
            raise needs_duckdb(
                f"{sources[0].label} is asked for as counts or within a memory limit, and such "
                "files are read"
            )
        with connect() as connection:
            opened = (_open(connection, source, files, scratch, most) for source in sources)
            pairs = zip(opened, sources, strict=True)
            yield [with_partitions(table, source.partitions, whole) for table, source in pairs]


@contextmanager
def open_plainly(files: Files) -> Iterator[PlainCsv]:
    """Open the one csv file asked for without DuckDB, or refuse what only DuckDB reads."""
    from capcurve.input.files.plain_csv import PlainCsv

    with _unchanged(files) as (sources, scratch):
        _refuse_without_duckdb(sources)
        source = in_utf8(sources[0], files.encoding, scratch)
        yield PlainCsv.of(tidied(source, files, scratch), files)


@contextmanager
def _unchanged(files: Files) -> Iterator[tuple[list[Source], str]]:
    """Find every file asked for, with a folder to unpack them in, and see that none changes."""
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        sources = find_sources(files, scratch)
        _refuse_idle(files, sources)
        yield sources, scratch
        for source in sources:
            if state_of(source.origin) != source.state:
                raise ValueError(f"{source.label} changed while it was read; run again")


def _refuse_without_duckdb(sources: Sequence[Source]) -> None:
    """Refuse all but one csv file as it is."""
    source = sources[0]
    what = KINDS_OF_FILES.get(source.kind, f"a {source.kind} file")
    if source.zipped or Path(source.path) != Path(source.origin).absolute():
        what = "a packed file"
    if len(sources) > 1:
        what = f"one of {len(sources)} files"
    elif source.partitions:
        what = "in a folder that names a column"
    if what != "a csv file":
        raise needs_duckdb(f"{source.label} is {what}, and such files are read")


def column_names(files: Files) -> list[str]:
    """Return the names of the columns that every file has, in the order of the first file."""
    if "-" in files.paths:
        raise ValueError(
            "standard input can be read only once, so its columns have to be named one by one; or "
            "save it to a file first"
        )
    if not has_duckdb():
        with open_plainly(files) as only:
            only.refuse_headless()
            return list(only.names)
    with open_files(files, checked=False) as tables:
        for table in tables:
            table.refuse_headless()
        first, *others = [table.names for table in tables]
        return [name for name in first if all(name in names for names in others)]


def _whole_partitions(sources: Sequence[Source]) -> set[str]:
    """Return which columns that folders name are whole numbers in all of them."""
    pairs = [pair for source in sources for pair in source.partitions.items()]
    other = {name for name, value in pairs if value and not re.fullmatch(r"-?\d{1,18}", value)}
    return {name for name, _ in pairs} - other


def _refuse_idle(files: Files, sources: Sequence[Source]) -> None:
    """Refuse what is said about one kind of file when none that is asked for is of that kind."""
    where, kind = sources[0].label, sources[0].kind
    what = kind if kind == "parquet" else KINDS_OF_FILES.get(kind, kind)
    refuse_idle(files, where, what, {source.kind for source in sources})


def refuse_idle(files: Files, where: str, what: str, kinds: AbstractSet[str] = frozenset()) -> None:
    """Refuse what is said about files of other kinds than these."""
    for name in _idle(files, kinds):
        raise ValueError(
            f"{arg(name)} {FILE_OPTIONS[name][1]}, and {where} is {what}; leave it out"
        )


def idle_options(files: Files) -> list[str]:
    """Return what is said of files although none of them is of a kind that takes it."""
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        return list(_idle(files, {each.kind for each in find_sources(files, scratch)}))


def _idle(files: Files, kinds: AbstractSet[str]) -> Iterator[str]:
    for name, (taking, _) in FILE_OPTIONS.items():
        said, usual = getattr(files, name), getattr(Files(files.paths), name)
        if name == "null_values":
            silent = set(said) <= set(NULL_VALUES)
        elif name == "encoding":
            silent = said.lower().replace("_", "-") in {"utf-8", "utf8"}
        else:
            silent = said == usual
        if not silent and kinds.isdisjoint(taking):
            yield name


def _open(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    files: Files,
    scratch: str,
    most: int | None,
) -> FileTable:
    if source.kind == "duckdb":
        from capcurve.input.files.databases import open_duckdb

        return open_duckdb(connection, source, files.table)
    if source.kind in ("spreadsheet", "sqlite"):
        from capcurve.input.files.converting import open_as_csv

        return open_as_csv(connection, source, files, scratch, most)
    if source.kind == "arrow":
        from capcurve.input.files.converting import as_parquet

        return open_parquet(connection, as_parquet(source, scratch))
    if source.kind == "parquet":
        return open_parquet(connection, source)
    source = in_utf8(source, files.encoding, scratch)
    if source.kind == "json":
        return open_json(connection, source)
    return open_csv(connection, tidied(source, files, scratch), files)


def text_fields(
    tables: Sequence[FileTable], names: Sequence[str], files: Files, as_text: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Write the SQL of columns of csv and json files; those of a kind are judged together."""
    for table in tables:  # before anything is read: a wrong name should not take long
        for name in names:
            table.position(name)
    found = [
        {} if table.is_typed else judge_columns(table, names, files, as_text, tables)
        for table in tables
    ]
    kinds = {
        (format_, name): common_kind(
            {m[name].kind for t, m in zip(tables, found, strict=True) if t.kind == format_}
        )
        for format_ in {table.kind for table in tables if not table.is_typed}
        for name in names
    }
    written = []
    for table, meanings in zip(tables, found, strict=True):
        for name, meaning in meanings.items():
            if kinds[table.kind, name] == "number" and meaning.kind in ("integer", "unsigned"):
                refuse_lost_digits(table, name, meaning)
        written.append({n: m.cast(kinds[table.kind, n]) for n, m in meanings.items()})
    return written


def _read_text(table: FileTable, fields: Mapping[str, str]) -> dict[str, InputColumn]:
    if table.kind == "csv":
        return table.columns(fields)
    # With several threads DuckDB may put a last record that no line end follows first.
    table.connection.execute("SET threads = 1")
    try:
        return table.columns(fields)
    finally:
        table.connection.execute("RESET threads")


def judge_columns(
    table: FileTable,
    names: Sequence[str],
    files: Files,
    as_text: Sequence[str] = (),
    tables: Sequence[FileTable] = (),
) -> dict[str, TextMeaning]:
    """Say what columns of a csv or json file hold; some are text without asking."""
    if table.kind == "json":
        return survey_json(table, names, files)
    unknown = [name for name in names if name not in {*as_text, *table.texts}]
    known = {name: f"c{table.position(name)}" for name in names if name not in unknown}
    meanings = survey(table, unknown, files, tables) if unknown else {}
    empty = all(meaning.kind == "empty" for meaning in meanings.values())
    if table.more and empty and not table.rows(["1"], "LIMIT 1"):
        raise ValueError(
            f"{table.label} holds more than its column names, and no row can be read; "
            f"save it again as csv with one kind of line end"
        )
    return meanings | {name: TextMeaning("text", raw, raw) for name, raw in known.items()}


def join(
    columns: Sequence[InputColumn], labels: Sequence[str], *, ranks: bool = False
) -> InputColumn:
    """Put the parts of one column end to end, each from the file of that label, in one type."""
    # A part without any value takes the type of the others. Numbers lose nothing, but scores, which
    # `ranks` says they are, meet.
    if len(columns) == 1:
        return columns[0]
    held = [column.held for column in columns if column.held is not None]
    if len(held) < len(columns):
        columns, held = [column.whole() for column in columns], []
    # A part that holds no value at all says nothing by its type.
    filled = [len(c) > 0 if c.missing is None else not c.missing.all() for c in columns]
    known = [i for i, any_value in enumerate(filled) if any_value] or [0]
    first = columns[known[0]]
    dtype = first.stored.dtype
    for i in known[1:]:
        _same_sort(first, columns[i], labels[known[0]], labels[i])
        dtype = np.result_type(dtype, columns[i].stored.dtype)
    if dtype.kind == "f" and any(columns[i].stored.dtype.kind in "iu" for i in known):
        dtype = _settle([columns[i] for i in known])
    if ranks and dtype.kind == "f":
        dtype = common_dtype([columns[i].stored for i in known])
    if dtype.kind == "M" and any(_loses(columns[i].stored, dtype) for i in known):
        raise ValueError(f"column {first.name!r} holds times that no one unit holds in every file")
    values = [
        column.stored.astype(dtype) if i in known else np.zeros(len(column.stored), dtype)
        for i, column in enumerate(columns)
    ]
    missing = [
        np.zeros(len(column.stored), bool) if column.missing is None else column.missing
        for column in columns
    ]
    mask = np.concatenate(missing)
    return InputColumn(
        first.name,
        np.concatenate(values),
        mask if mask.any() else None,
        first.categories,
        first.ordered,
        np.concatenate(held) if held else None,
    )


def _same_sort(one: InputColumn, other: InputColumn, place: str, elsewhere: str) -> None:
    kinds = one.stored.dtype.kind, other.stored.dtype.kind
    if kinds[0] != kinds[1] and not set(kinds) <= set("iuf"):
        here, there = (_WORDS.get(kind, "values") for kind in kinds)
        raise ValueError(
            f"column {one.name!r} holds {here} in {place} but {there} in {elsewhere}; "
            f"write it in the same way in every file"
        )
    if one.categories != other.categories:
        raise ValueError(
            f"column {one.name!r} has other categories in {place} than in {elsewhere}; "
            f"give it the same ones in every file"
        )


def _settle(columns: Sequence[InputColumn]) -> np.dtype[Any]:
    """Find the type for whole and other numbers together, or for both 64-bit whole types."""
    whole = [c for c in columns if c.stored.dtype.kind in "iu"]
    held = [c.stored if c.missing is None else c.stored[~c.missing] for c in whole]
    low, high = min(int(h.min()) for h in held), max(int(h.max()) for h in held)
    if len(whole) == len(columns):
        if high < 2**63:
            return np.dtype(np.int64)
        if low >= 0:
            return np.dtype(np.uint64)
    elif max(-low, high) <= LARGEST_EXACT_IN_FLOAT:
        return np.dtype(np.float64)
    raise ValueError(
        f"column {columns[0].name!r} holds whole numbers up to {max(-low, high)} in one file and "
        f"other numbers in another, which no common type holds exactly; write it in one type"
    )


def _loses(values: Array, dtype: np.dtype[Any]) -> bool:
    """Whether times change in a type; one that cannot hold them raises, before numpy 2.5 wraps."""
    try:
        same = values.astype(dtype).astype(values.dtype) == values
    except OverflowError:
        return True
    return not bool((same | np.isnat(values)).all())

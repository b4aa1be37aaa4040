"""DuckDB reads the files: a private connection, files as relations, and errors as one line."""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import InputColumn, none_called, quoted_names
from capcurve.input.files.arrow import (
    PLAIN_TYPES,
    ArrivingAmounts,
    ArrivingColumn,
    BrokenStreamError,
    fill,
)
from capcurve.numbers.arguments import of_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

_RAGGED = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_JSON_PLACE = re.compile(r'Malformed JSON in file ".*", at byte \d+ in (?:line|record/value) (\d+)')
_TOO_LARGE = "{}: the columns asked for do not fit into memory"
WRONG_QUOTE = "a quoted field does not end where its quote ends; correct the quotes"
LONG_LINE = "the line is longer than 2 MB; is a closing quote missing?"
_BROKEN = (
    "No magic bytes",
    "too small to be a Parquet",
    "Footer length",
    "TProtocolException",
    "Could not read enough bytes",
    "Out of buffer",
    "Corrupt database file",
)


def name_encoding() -> str:
    """Say what to do about text that is not UTF-8."""
    return f"say how it is written, for example with {of_file(encoding='cp1252')}"


def has_duckdb() -> bool:
    """Whether there is DuckDB, which those who repack capcurve may leave out."""
    try:
        import duckdb  # noqa: F401 - what is there may still be for another system
    except ImportError:
        return False
    return True


def needs_duckdb(what: str) -> ModuleNotFoundError:
    """Return what to raise where there is no DuckDB, which alone does something."""
    return ModuleNotFoundError(
        f"{what} by DuckDB, which is not installed: pip install duckdb, "
        "or pass arrays or a data frame",
        name="duckdb",
    )


@contextmanager
def connect() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private in-memory DuckDB that loads no extensions and writes no files."""
    if not has_duckdb():
        raise needs_duckdb("Parquet files are read and written")
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",  # SQL never sees Python variables
        "temp_directory": "",  # the default spills into the working directory
    }
    with closing(duckdb.connect(":memory:", config=config)) as connection:
        # Where there is no bar, as in a notebook without ipywidgets, DuckDB refuses to turn it off.
        if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
            connection.execute("SET enable_progress_bar = false")
        yield connection


@contextmanager
def file_in_one_line(label: str) -> Iterator[None]:
    """Turn whatever DuckDB raises about a file into one line."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # what DuckDB 2 makes of Ctrl-C
        if "interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None
    except duckdb.OutOfMemoryException:
        raise MemoryError(_TOO_LARGE.format(label)) from None
    except (duckdb.Error, BrokenStreamError) as error:
        if isinstance(error, BrokenStreamError) and "nterrupt" in str(error):
            raise KeyboardInterrupt from None
        if str(error).startswith("Out of Memory"):
            raise MemoryError(_TOO_LARGE.format(label)) from None
        raise ValueError(_explain(str(error), label)) from None


def select(fields: Iterable[str], relation: str, tail: str = "") -> str:
    """Write a SELECT of fields that are SQL already."""
    return " ".join(["SELECT", ", ".join(fields), "FROM", relation, tail])


def text(value: str) -> str:
    """Write a string as an SQL literal; DuckDB has no word for what is not UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{value}: the name is not UTF-8; give it another") from None
    return "'" + value.replace("'", "''") + "'"


def one_of(value: str, words: Sequence[str]) -> str:
    """Write the SQL that asks whether a text is one of some words."""
    # As a pattern, because IN with a long list takes gigabytes over a thousand columns.
    pattern = "|".join(map(re.escape, words)) if words else r"\b\B"  # matches nothing
    return f"regexp_full_match({value}, {text(f'({pattern})')})"


def literal_path(path: str) -> str:
    """Write a path as an SQL literal that DuckDB takes as it stands, not as a glob."""
    return text(re.sub(r"[\[*?]", r"[\g<0>]", path))


@dataclass(frozen=True, slots=True)
class Relation:
    """SQL to select from, where to run it, and what to call it in messages."""

    connection: duckdb.DuckDBPyConnection
    label: str
    relation: str

    def rows(self, fields: Sequence[str], tail: str = "") -> list[tuple[Any, ...]]:
        """Select rows, or say in one line why they cannot be read."""
        with file_in_one_line(self.label):
            return self.connection.execute(select(fields, self.relation, tail)).fetchall()

    def row(self, fields: Sequence[str]) -> tuple[Any, ...]:
        """Select aggregates over all rows."""
        return self.rows(fields)[0]

    def types_of(self, fields: Sequence[str]) -> tuple[str, ...]:
        """Return what DuckDB calls the types of fields."""
        with file_in_one_line(self.label):
            found = self.connection.execute(select(fields, self.relation, "LIMIT 0"))
            types = tuple(str(column[1]) for column in found.description or ())
            found.fetchall()  # a result that is not read to its end keeps the connection busy
            return types

    def columns(self, fields: Mapping[str, str], tail: str = "") -> dict[str, InputColumn]:
        """Select columns of the given names, each without a mask where nothing is null."""
        named = [f"{field} AS v{place}" for place, field in enumerate(fields.values())]
        with file_in_one_line(self.label):
            found = self.connection.execute(select(named, self.relation, tail)).fetchnumpy()
        columns = {}
        for place, name in enumerate(fields):
            array = found[f"v{place}"]
            mask = np.ma.getmaskarray(array) if np.ma.isMaskedArray(array) else None
            missing = mask if mask is not None and mask.any() else None
            columns[name] = InputColumn(name, np.ascontiguousarray(np.ma.getdata(array)), missing)
        return columns

    def plain_columns(
        self, fields: Mapping[str, str], amounts: Sequence[str] = ()
    ) -> dict[str, InputColumn] | None:
        """Select columns in less time and memory, of `amounts` what is not 0; None for text."""
        (rows,) = self.row(["count(*)"])
        with file_in_one_line(self.label):
            relation = self.connection.sql(select(fields.values(), self.relation))
            kinds = [str(kind) for kind in relation.types]
            if not set(kinds) <= set(PLAIN_TYPES):
                return None
            arriving = [
                (ArrivingAmounts if name in amounts else ArrivingColumn)(
                    np.dtype(PLAIN_TYPES[kind]), rows
                )
                for name, kind in zip(fields, kinds, strict=True)
            ]
            came = fill(relation, arriving, rows)
        if came != rows:
            raise ValueError(f"{self.label} changed while it was read; read it again")
        return {
            name: InputColumn(name, each.values, each.missing, held=getattr(each, "held", None))
            for name, each in zip(fields, arriving, strict=True)
        }


class NamedColumns:
    """A file whose columns have names, and what to say where one is not among them."""

    __slots__ = ()

    label: str
    kind: str
    names: tuple[str, ...]
    advice: str
    elsewhere: str
    unusable: Sequence[str]

    def position(self, name: str) -> int:
        """Find a column by its exact name, or say which names there are."""
        count = self.names.count(name)
        if name in self.unusable:
            raise ValueError(f"column {name!r} of {self.label} has binary values (BLOB)")
        if count == 1:
            return self.names.index(name)
        if count:
            raise ValueError(f"{self.label} has {count} columns named {name!r}; rename all but one")
        self.refuse_headless()
        none = none_called(name, self.names, "column")
        raise ValueError(f"{self.label} has {none}{self.advice}{self.elsewhere}")

    def refuse_headless(self) -> None:
        """Raise ValueError where the first line of a csv file holds no names."""
        named = [name for name in self.names if name.strip()]
        if self.advice and len(named) == 1:
            raise ValueError(f"{self.label} has one column, {quoted_names(named)}{self.advice}")
        if self.kind == "csv" and all(map(reads_as_number, self.names)):
            raise ValueError(
                f"{self.label} has no column names: its first line is {quoted_names(self.names)}; "
                f"put a line with the names before it"
            )


@dataclass(frozen=True, slots=True)
class FileTable(Relation, NamedColumns):
    """One file, whose columns are c0, c1, ... in its own order."""

    kind: str  # csv, json, parquet or duckdb
    names: tuple[str, ...]  # its exact column names
    types: tuple[str, ...] = ()  # what DuckDB calls each column's type; none of text
    delimiter: str = ""  # what separates the fields of a csv file
    more: bool = False  # whether a csv file holds more than its names
    path: str = ""  # where its bytes are
    head: bytes = b""  # the first bytes of a csv file, decompressed
    advice: str = ""  # what to pass where its first line looks as if it held no names
    elsewhere: str = ""  # where else in the file a name may be
    unusable: Sequence[str] = ()  # columns of binary values
    texts: Sequence[str] = ()  # columns of text that starts with noughts, such as ids

    @property
    def is_typed(self) -> bool:
        """Whether its columns have types of their own, and are not judged by their text."""
        return self.kind in {"parquet", "duckdb"}


def reads_as_number(word: str) -> bool:
    """Whether a word of a csv file is a number."""
    try:
        float(word.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def _explain(message: str, label: str) -> str:
    """Say in one line what DuckDB found wrong with a file, and what to do."""
    line = _LINE.search(message)
    if line:
        return _explain_row(message, f"{label}, line {line[1]}")
    if "state machine" in message:
        return mixed_line_ends(label)
    if "GZIP" in message:  # whole, as was checked before, but of more than data
        return f"{label} is gzip with padding or fields of its own; unpack it first with gunzip"
    if any(sign in message for sign in _BROKEN):
        return f"{label} is not a whole file: it is damaged or cut short; copy it again"
    place = _JSON_PLACE.search(message)
    if place:
        row = max(int(place[1]) - 1, 1)  # DuckDB counts the one that it would read next
        if "invalid UTF-8" in message:
            return f"{label} is not utf-8 near line {row}; {name_encoding()}"
        return f"{label} holds text that is not json near line {row}; correct or remove it"
    first = message.split("\n", maxsplit=1)[0].strip()
    return f"{label} cannot be read: {re.sub(r'^[A-Za-z ]+ Error: ', '', first)}"


def mixed_line_ends(label: str) -> str:
    """Say that a csv file is not regular, and the likely reason."""
    return (
        f"{label} is not regular csv, most likely because its line ends are mixed "
        f"(\\n and \\r\\n); save it again with one kind of line end"
    )


def ragged_row(wanted: int, found: int) -> str:
    """Say that a row has more or fewer fields than there are names."""
    return (
        f"{found} {'field' if found == 1 else 'fields'} where the first line names {wanted}; "
        f"correct the line, or say how fields are separated, as with {of_file(delimiter=';')}"
    )


def _explain_row(message: str, place: str) -> str:
    ragged = _RAGGED.search(message)
    if ragged:
        return f"{place}: {ragged_row(*map(int, ragged.groups()))}"
    if "Invalid unicode" in message:
        return f"{place}: not utf-8; {name_encoding()}"
    if "unterminated quote" in message:
        return f"{place}: {WRONG_QUOTE}"
    if "Maximum line size" in message:
        return f"{place}: {LONG_LINE}"
    reasons = [row for row in message.splitlines()[1:] if not row.startswith("Original Line")]
    return f"{place}: {reasons[0].strip() if reasons else 'not regular csv'}"

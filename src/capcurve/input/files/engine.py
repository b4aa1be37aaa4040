"""A DuckDB connection of one's own, and its errors as one plain line."""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from capcurve.input.files.arrow import BrokenStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import duckdb

_RAGGED = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_JSON_PLACE = re.compile(r'Malformed JSON in file ".*", at byte \d+ in (?:line|record/value) (\d+)')
_ENCODING = 'say how it is written, for example with encoding="cp1252"'
_TOO_LARGE = "{}: the columns asked for do not fit into memory"
_BROKEN_PARQUET = (
    "No magic bytes",
    "too small to be a Parquet",
    "Footer length",
    "TProtocolException",
    "Could not read enough bytes",
    "Out of buffer",
)


@contextmanager
def connect() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private in-memory DuckDB that loads no extensions and writes no files."""
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
def one_line(label: str) -> Iterator[None]:
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
        raise ValueError(explain(str(error), label)) from None


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
    """Write the SQL that asks whether a text is one of some words.

    As a pattern, because IN with a long list takes gigabytes over a thousand columns.
    """
    pattern = "|".join(map(re.escape, words)) if words else r"\b\B"  # matches nothing
    return f"regexp_full_match({value}, {text(f'({pattern})')})"


def literal_path(path: str) -> str:
    """Write a path as an SQL literal that DuckDB takes as it stands, not as a glob."""
    return text(re.sub(r"[\[*?]", r"[\g<0>]", path))


def explain(message: str, label: str) -> str:
    """Say in one line what DuckDB found wrong with a file, and what to do."""
    line = _LINE.search(message)
    if line:
        return _explain_row(message, f"{label}, line {line[1]}")
    if "state machine" in message:
        return mixed_line_ends(label)
    if "GZIP" in message:  # whole, as was checked before, but of more than data
        return f"{label} is gzip with padding or fields of its own; unpack it first with gunzip"
    if any(sign in message for sign in _BROKEN_PARQUET):
        return f"{label} is not a whole parquet file: it is damaged or cut short; copy it again"
    place = _JSON_PLACE.search(message)
    if place:
        row = max(int(place[1]) - 1, 1)  # DuckDB counts the one that it would read next
        if "invalid UTF-8" in message:
            return f"{label} is not utf-8 near line {row}; {_ENCODING}"
        return f"{label} holds text that is not json near line {row}; mend or remove it"
    first = message.split("\n", maxsplit=1)[0].strip()
    return f"{label} cannot be read: {re.sub(r'^[A-Za-z ]+ Error: ', '', first)}"


def mixed_line_ends(label: str) -> str:
    """Say that a csv file is not regular, and the likely reason."""
    return (
        f"{label} is not regular csv, most likely because its line ends are mixed "
        f"(\\n and \\r\\n); save it again with one kind of line end"
    )


def _explain_row(message: str, place: str) -> str:
    ragged = _RAGGED.search(message)
    if ragged:
        wanted, found = ragged.groups()
        fields = "field" if found == "1" else "fields"
        return (
            f"{place}: {found} {fields} where the first line names {wanted}; "
            f"mend the line, or say how fields are separated with delimiter="
        )
    if "Invalid unicode" in message:
        return f"{place}: not utf-8; {_ENCODING}"
    if "unterminated quote" in message:
        return f"{place}: a quoted field does not end where its quote ends; mend the quotes"
    if "Maximum line size" in message:
        return f"{place}: the line is longer than 2 MB; is a closing quote missing?"
    reasons = [row for row in message.splitlines()[1:] if not row.startswith("Original Line")]
    return f"{place}: {reasons[0].strip() if reasons else 'not regular csv'}"

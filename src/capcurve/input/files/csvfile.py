"""csv files as they are found in the world: delimiters, quotes, line ends, exact names."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from itertools import filterfalse, islice
from typing import TYPE_CHECKING

from capcurve.input.files.engine import literal_path, mixed_line_ends, one_of, select, text
from capcurve.input.files.sources import decode_head
from capcurve.input.files.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from capcurve.input.files.sources import Files, Source

_DELIMITERS = ("\t", ";", "|", ",")  # where two fit equally, a comma may also be a decimal mark
_ROWS = 200
_NO_WORD = "\x1fno word\x1f"  # DuckDB must be given one; this is in no file


@dataclass(frozen=True, slots=True)
class _Header:
    """The first line with names: where it stands, what it holds, how it ends, what follows."""

    skip: int
    names: tuple[str, ...]
    delimiter: str
    line_end: str
    more: bool


def open_csv(connection: duckdb.DuckDBPyConnection, source: Source, files: Files) -> Table:
    """Open a csv file in UTF-8, to be read by position, all its fields as text."""
    header = _read_header(decode_head(source), source, files.delimiter)
    return Table(
        connection,
        source.label,
        _relation(source, header, files.null_values),
        "csv",
        header.names,
        delimiter=header.delimiter,
        more=header.more,
    )


def _read_header(sample: str, source: Source, delimiter: str | None) -> _Header:
    """Read the exact names, with the delimiter that was said or that fits best."""
    mark = delimiter or _find_delimiter(sample, source)
    skip = 0
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=mark)
    try:
        for row in reader:
            if not _is_blank(row):
                lines = io.StringIO(sample, newline="")
                start = list(islice(lines, reader.line_num))
                line_end = _line_end([*start[:skip], start[-1]], source.label)
                return _Header(skip, tuple(row), mark, line_end, bool(lines.read().strip()))
            skip = reader.line_num
    except csv.Error:
        raise ValueError(
            f"{source.label}, line {skip + 1}: the column names cannot be read; "
            f"is a quote left open?"
        ) from None
    raise ValueError(f"{source.label} is empty: it has no column names and no rows")


def _is_blank(row: Sequence[str]) -> bool:
    return len(row) <= 1 and not "".join(row).strip()


def _line_end(lines: Sequence[str], label: str) -> str:
    """Return what ends the blank lines at the start and the one of names."""
    ends = {line[len(line.rstrip("\r\n")) :] for line in lines} - {""}
    if len(ends) > 1:
        raise ValueError(mixed_line_ends(label))
    return next(iter(ends), "\n")


def _find_delimiter(sample: str, source: Source) -> str:
    """Find the delimiter under which the most rows have as many fields as the first."""
    fits: dict[str, tuple[float, int]] = {}
    for mark in _DELIMITERS:
        widths = _widths(sample, mark, whole=source.is_whole)
        if widths and widths[0] > 1:
            body = widths[1:] or widths
            fits[mark] = (body.count(widths[0]) / len(body), widths[0])
    if "\t" in fits and source.label.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    if fits:
        return max(fits, key=lambda mark: fits[mark])
    unused = (mark for mark in (";", "\t", "|", "\x1f") if mark not in sample)
    return next(unused, ",")  # one column: nothing may be taken for a delimiter


def _widths(sample: str, mark: str, *, whole: bool) -> list[int]:
    """Count the fields of the first rows that are not blank."""
    widths: list[int] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=mark)
    try:
        for row in islice(filterfalse(_is_blank, reader), _ROWS):
            widths.append(len(row))  # noqa: PERF401 - what stands before a bad row counts
    except csv.Error:
        return widths
    return widths if whole or len(widths) == _ROWS else widths[:-1] or widths


def _relation(source: Source, header: _Header, null_values: tuple[str, ...]) -> str:
    """Write the SQL that reads the fields by position, as text, with their nulls."""
    alone = len(header.names) == 1
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    words = ", ".join(map(text, null_values))
    # In a file of one column a blank line is not a row, as it is not in any other file: only
    # an unquoted blank is null here, and is left out; quoted blanks are rows without a value.
    nulls = "[''], allow_quoted_nulls = false" if alone else f"[{words or text(_NO_WORD)}]"
    call = (
        f"read_csv({literal_path(source.path)}, auto_detect = false, header = true, "
        f"skip = {header.skip}, delim = {text(header.delimiter)}, quote = '\"', escape = '\"', "
        # Left to itself, DuckDB takes the first break it meets, which may stand in quotes.
        f"new_line = {text(header.line_end.encode('unicode_escape').decode())}, "
        f"compression = '{source.compression}', "
        f"columns = {{{columns}}}, nullstr = {nulls})"
    )
    if not alone:
        return call
    value = f"CASE WHEN NOT {one_of('c0', null_values)} THEN c0 END"
    return f"({select([f'{value} AS c0'], call, 'WHERE c0 IS NOT NULL')})"

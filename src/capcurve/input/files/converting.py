"""Sheets, SQLite tables and Arrow files become csv or parquet in the folder for temporary files."""

from __future__ import annotations

import csv
import re
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime, time
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from capcurve.input.columns import none_called, quoted_names
from capcurve.input.connections import chosen_table, sqlite_errors, sqlite_rows, sqlite_tables
from capcurve.input.files.databases import open_sqlite
from capcurve.input.files.formats import open_csv
from capcurve.input.files.sources import SAMPLE, Files, Source
from capcurve.numbers.arguments import installing, of_file
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb

    from capcurve.input.files.engine import FileTable

SEPARATOR = "\x1f"  # made to separate fields, and in no sheet
# What the writer of csv would not write as csv has it.
_WRITTEN = {bool, float, datetime, bytes}
BLOB = "\x1fbinary"
_NOUGHTS = re.compile("0[0-9]+")  # text which as a number would lose digits that tell ids apart
_LOOKED_AT = 200  # rows, for where the names of the columns are


def open_as_csv(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    files: Files,
    scratch: str,
    most: int | None,
) -> FileTable:
    """Open a sheet or an SQLite table with its values as csv has them; `most` rows for a look."""
    # So missing words, numbers stored as text, and text among numbers are what they are in csv.
    if source.kind == "spreadsheet":
        sheet = Sheet.of(source.path, source.label, files)
        copy, _, texts = _written(sheet.rows, files, scratch, most)
        told: dict[str, Any] = {"advice": sheet.advice, "elsewhere": sheet.elsewhere}
    else:
        with sqlite_errors(source.label), open_sqlite(source, scratch) as database:
            table = chosen_table(sqlite_tables(database), files.table, source.label)
            rows = sqlite_rows(database, f"SELECT * FROM {table}")  # noqa: S608 - in quotes
            names = [column[0] for column in rows.description]
            copy, blobs, texts = _written(chain([names], rows), files, scratch, most)
        told = {"advice": "", "unusable": [names[place] for place in blobs]}
    with Path(copy).open("rb") as file:
        written = replace(source, path=copy, head=file.read(SAMPLE))
    how = replace(files, delimiter=SEPARATOR, skip_lines=0, comment=None)
    opened = open_csv(connection, written, how)
    return replace(opened, texts=[opened.names[place] for place in texts], **told)


def _written(
    rows: Iterable[Sequence[Any]], files: Files, scratch: str, most: int | None
) -> tuple[str, set[int], set[int]]:
    """Write rows as csv; return where, and which columns have binary values, and ids of text."""
    mark, blobs, texts = files.decimal or ".", set[int](), set[int]()
    with tempfile.NamedTemporaryFile(
        "w", dir=scratch, delete=False, encoding="utf-8", newline=""
    ) as copy:
        write = csv.writer(copy, delimiter=SEPARATOR, lineterminator="\r\n").writerow
        for number, row in enumerate(islice(rows, None if most is None else most + 1)):
            words = [_word(each, mark) if type(each) in _WRITTEN else each for each in row]
            if BLOB in words:
                blobs |= {place for place, each in enumerate(row) if isinstance(each, bytes)}
            if number:
                found = [type(each) is str and bool(_NOUGHTS.fullmatch(each)) for each in row]
                texts |= {place for place, is_id in enumerate(found) if is_id}
            write(words)
    return copy.name, blobs, texts


def _word(value: object, mark: str) -> str:
    """Write a value as csv has it; with three decimals one more, or they may be digit groups."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if value.is_integer() and abs(value) <= LARGEST_EXACT_IN_FLOAT:
            return str(int(value))
        word = repr(value)
        return (word + "0" if word[-4:-3] == "." else word).replace(".", mark)
    if isinstance(value, datetime):
        return str(value.date()) if value.time() == time() else str(value)
    return BLOB if isinstance(value, bytes) else str(value)


# Spreadsheets


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a sheet from its column names to the last with a value."""

    rows: Sequence[Sequence[Any]]
    first: int  # how many rows of the sheet are above
    advice: str  # what to pass where the first row looks like a title
    elsewhere: str  # what other sheets there are, if none was named

    @classmethod
    def of(cls, path: str, label: str, files: Files) -> Self:
        """Read the sheet that files ask for; blank rows at its end are none."""
        names, name, rows = _read_sheet(path, label, files.sheet)
        filled = [place for place, row in enumerate(rows) if any(cell != "" for cell in row)]
        first = next((place for place in filled if place >= files.skip_lines), None)
        if first is None:
            raise ValueError(f"sheet {name!r} of {label} has no column names and no rows")
        widths = [sum(cell != "" for cell in row) for row in rows[first : first + _LOOKED_AT]]
        widest = widths.index(max(widths))
        asked = of_file(skip_lines=first + widest)
        advice = f"; if row {first + widest + 1} has its column names, pass {asked}"
        others = [each for each in names if each != name] if files.sheet is None else []
        elsewhere = f"; its other sheets are {quoted_names(others)}" if others else ""
        if others:
            elsewhere += f": name one with {of_file(sheet=others[0])}"
        titled = 2 * widths[0] <= widths[widest]
        return cls(rows[first : filled[-1] + 1], first, advice if titled else "", elsewhere)


def _read_sheet(
    path: str, label: str, asked: str | None
) -> tuple[Sequence[str], str, list[list[Any]]]:
    """Return the names of all sheets, that of the one asked for, and its rows."""
    try:
        calamine = import_module("python_calamine")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"to read {label}: {installing('excel')}", name="python_calamine"
        ) from None
    try:
        with calamine.load_workbook(path) as book:
            sheet, visible = calamine.SheetTypeEnum.WorkSheet, calamine.SheetVisibleEnum.Visible
            of_rows = [each for each in book.sheets_metadata if each.typ == sheet]
            shown = [each.name for each in of_rows if each.visible == visible]
            names = [each.name for each in of_rows]
            name = _chosen_sheet(names, shown, asked, label)
            return names, name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except calamine.PasswordError:
        raise ValueError(f"{label} needs a password; save it without one") from None
    except (calamine.CalamineError, OSError) as error:
        raise ValueError(
            f"{label} is damaged, or is no spreadsheet that can be read ({error}); save it again"
        ) from None


def _chosen_sheet(names: Sequence[str], shown: Sequence[str], asked: str | None, label: str) -> str:
    """Return the sheet that is asked for, or the first that is shown; else list all."""
    if asked is not None and asked in names:
        return asked
    if asked is None and names:
        return (*shown, *names)[0]
    raise ValueError(f"{label} has {none_called(asked, names, 'sheet')}")


# Arrow


def as_parquet(source: Source, scratch: str) -> Source:
    """Copy an Arrow file or stream into parquet, by Arrow or else by Polars."""
    copy = tempfile.NamedTemporaryFile(dir=scratch, delete=False)  # noqa: SIM115 - closed at once
    copy.close()
    for module, write in (("pyarrow", _by_arrow), ("polars", _by_polars)):
        try:
            library = import_module(module)
        except ModuleNotFoundError:
            continue
        try:
            write(library, source, copy.name, stream=not source.head.startswith(b"ARROW1"))
        except NotImplementedError as error:
            raise ValueError(
                f"{source.label} has a column of a type that cannot be read ({error}); write the "
                "file without it"
            ) from None
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            why = str(error).partition("\n")[0]
            raise ValueError(
                f"{source.label} is damaged, or is no Arrow file that can be read ({why}); write "
                "it again"
            ) from None
        return replace(source, path=copy.name)
    raise ModuleNotFoundError(
        f"to read {source.label}: pip install pyarrow, or polars", name="pyarrow"
    )


def _by_arrow(arrow: Any, source: Source, to: str, *, stream: bool) -> None:
    ipc, parquet = arrow.ipc, import_module("pyarrow.parquet")
    with arrow.memory_map(source.path) as file:
        found = (ipc.open_stream if stream else ipc.open_file)(file)
        schema = arrow.schema([_writable(arrow, field) for field in found.schema])
        with parquet.ParquetWriter(to, schema) as writer:
            for batch in found if stream else map(found.get_batch, range(found.num_record_batches)):
                writer.write_batch(batch if schema == found.schema else batch.cast(schema))


def _writable(arrow: Any, field: Any) -> Any:
    """Return a field as parquet takes it: not the categories of views that Polars writes."""
    kind = field.type
    if not arrow.types.is_dictionary(kind) or str(kind.value_type) != "string_view":
        return field
    return field.with_type(arrow.dictionary(kind.index_type, arrow.string(), kind.ordered))


def _by_polars(polars: Any, source: Source, to: str, *, stream: bool) -> None:
    (polars.read_ipc_stream if stream else polars.read_ipc)(source.path).write_parquet(to)

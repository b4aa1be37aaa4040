"""Rows and headings of a table, wherever it comes from, and what each row and column is for."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np

from capcurve.input.frames import as_frame, engine_errors, in_memory
from capcurve.numbers.arguments import arg, refused, spoken, told
from capcurve.show.format import counted
from capcurve.show.presentation import Finding
from capcurve.show.table import Table
from capcurve.studies.audit.printed import QUANTITIES, Quantity
from capcurve.studies.audit.reading.headings import Headings, is_quantity, nearest
from capcurve.studies.audit.reading.texts import is_missing, taken_apart, without_footnotes

# A table of more bins than these, or a file of more bytes, holds the cases themselves.
MOST_BINS_READ = 5_000
MOST_BYTES = 4_000_000
DELIMITERS = (";", "\t", "|", ",")
UNITS_BELOW_HEADINGS = {"%", "(%)", "in %", "#", "(#)", "no.", "nr.", "n", "pct", "count", "number"}
BINARY = {
    b"PK": "a spreadsheet or an archive",
    b"\xd0\xcf": "a spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "compressed",
    b"%PDF": "a PDF",
}
BYTE_ORDERS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
KINDS_OF_TABLES = "columns by name, a Table, a data frame, the path of a csv file or its text"
NAMING = f"Say what columns are, as {{}}; names are {', '.join(QUANTITIES)}"
_HTML = re.compile(r"<(table|html|!doctype html|tr|td)\b", re.IGNORECASE)
# So many headings must be known before blanks are taken for separators.
LEAST_KNOWN = 2
TOTALS = {"total", "totals", "sum", "all", "overall", "grand total", "gesamt", "summe", "insgesamt"}
TOTALS |= {"alle", "total general", "totaal", "totale", "suma", "somme", "tot", "tot.", "σ", "∑"}
OTHER_SUMMARIES = {"average", "mean", "avg", "avg.", "median", "subtotal", "min", "max", "ø"}


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One row: where it stands, as one says it, and its cells as they are."""

    place: str
    cells: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """Headings with the rows below them, and what was left out to get there."""

    headings: tuple[str, ...]
    rows: tuple[PrintedRow, ...]
    source: str | None = None
    remarks: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"{self.called} has headings and no rows")
        if len(self.rows) > MOST_BINS_READ:  # as many as there are cases
            raise ValueError(
                f"{self.called} has more than {MOST_BINS_READ:,} rows, too many for bins; to make "
                f"a table of bins from cases, use {spoken('gains_table')}"
            )

    @property
    def called(self) -> str:
        """What to call it in messages."""
        return self.source or "the table"


def sheet_of(table: Any, headings: Headings) -> PrintedSheet:
    """Return the headings and rows of a table of any kind."""
    if isinstance(table, str) and "\n" in table:  # no name of a file
        return _sheet_of_text(table.removeprefix("\ufeff"), (), "the text", headings)
    if isinstance(table, str | Path):
        path = Path(table)
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file")
        with path.open("rb") as file:
            held = file.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise ValueError(
                f"{path.name} is larger than {MOST_BYTES // 10**6} MB, which no table of bins is; "
                f"of cases, {spoken('gains_table')} makes one"
            )
        return _sheet_of_text(*_text_of_bytes(held), path.name, headings)
    if isinstance(table, Table | Mapping):
        return _sheet_of_columns(table.columns if isinstance(table, Table) else table)
    if (frame := as_frame(table)) is not None:
        return _sheet_of_columns(_frame_columns(frame, headings))
    if hasattr(table, "read"):
        held, name = table.read(), getattr(table, "name", None)
        text = (held.removeprefix("\ufeff"), ()) if isinstance(held, str) else _text_of_bytes(held)
        if not isinstance(name, str) or name.startswith("<"):  # such as <stdin>
            name = "standard input"
        return _sheet_of_text(*text, Path(name).name, headings)
    raise TypeError(f"{refused('table')} be {KINDS_OF_TABLES}; got {type(table).__name__}")


def _frame_columns(frame: Any, headings: Headings) -> Mapping[str, Any]:
    """Return the columns of a frame as lists, before them an index that is not just numbers."""
    import narwhals.stable.v2 as nw

    if isinstance(frame, nw.LazyFrame):
        with engine_errors(frame, "hand over the table"):
            held = in_memory(frame.head(MOST_BINS_READ + 1))
        if isinstance(held, Mapping):
            return held
        frame = nw.from_native(held, eager_only=True, pass_through=False)
    series = {str(name): frame.get_column(name) for name in frame.columns}
    # 32-bit floats as such, for they have fewer digits.
    columns = {
        name: each.to_numpy() if each.dtype == nw.Float32 else each.to_list()
        for name, each in series.items()
    }
    index = nw.maybe_get_index(frame)
    named = "bin" in map(headings.meaning, columns)
    if named or index is None or list(index) == list(range(len(frame))):
        return columns
    return {str(index.name or "bin"): list(index), **columns}


def _sheet_of_columns(columns: Mapping[Any, Any]) -> PrintedSheet:
    for name, values in columns.items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise TypeError(f"column {name!r} must hold one value for each bin, got {told(values)}")
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise ValueError(f"column {name!r} has {values.ndim} dimensions; give one value a bin")
    lists = {str(name): list(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"the columns differ in length: {said}; give one value for each bin")
    if not lists:
        raise ValueError(f"the table has no columns; give {KINDS_OF_TABLES}")
    found = zip(*lists.values(), strict=True)
    rows = tuple(PrintedRow(f"row {at}", cells) for at, cells in enumerate(found, 1))
    return PrintedSheet(tuple(lists), rows)


def _text_of_bytes(held: bytes) -> tuple[str, tuple[Finding, ...]]:
    """Return the text of a file, in the encoding that it has."""
    for mark, kind in BINARY.items():
        if held.startswith(mark):
            raise ValueError(f"the table is {kind}, not text; save it as csv")
    encoding = next((e for mark, e in BYTE_ORDERS.items() if held.startswith(mark)), "utf-8")
    try:
        return held.decode(encoding), ()
    except UnicodeDecodeError:
        said = "the file is not in UTF-8 and was read as Windows-1252"
        remark = Finding("not_utf_8", "info", said, "look at names with accents")
        return held.decode("cp1252", "replace"), (remark,)


def _sheet_of_text(
    text: str, remarks: Sequence[Finding], source: str, headings: Headings
) -> PrintedSheet:
    """Return the sheet in a csv text: with the delimiter that shows the most known headings."""
    if "\0" in text:
        raise ValueError(f"{source} holds zero bytes, so it is not text; save it as csv")
    if _HTML.search(text):
        raise ValueError(f"{source} is HTML; open it in a spreadsheet and save it as csv")
    found: list[tuple[tuple[int, int], list[PrintedRow], int]] = []
    errors: dict[str, ValueError] = {}
    for delimiter in DELIMITERS:
        try:
            rows = _split(text, delimiter, source)
        except ValueError as error:
            errors[delimiter] = error
            continue
        if not rows:
            raise ValueError(f"{source} is empty: it has no headings and no rows")
        merits = [_merit(row, headings) for row in rows]
        found.append((max(merits), rows, merits.index(max(merits))))
    top, rows, at = max(found, key=lambda each: each[0], default=((0, 0), [], 0))
    bare = not top[0] or len(rows) == at + 1
    if bare and (of_blanks := _of_blanks(text, source, headings)):
        rows, at = of_blanks
    elif not top[0]:
        # Between quotes, what separates no fields looks like a quote that is left open.
        if (likely := max(DELIMITERS, key=text.count)) in errors:
            raise errors[likely]
        first = next((line for line in text.splitlines() if line.strip()), "").strip()
        raise ValueError(
            f"no line of {source} has a heading that is known; it starts with {told(first)}. "
            f"{NAMING.format(arg(columns={'Bad %': 'captured'}))}"
        )
    return _below_headings(rows, at, source, remarks)


def _of_blanks(text: str, source: str, headings: Headings) -> tuple[list[PrintedRow], int] | None:
    """Return the rows of a text whose columns only blanks part, as copied from a page, or None."""
    ragged = None
    for gap in (r"\s{2,}|\t", r"\s+"):
        lines = enumerate((line.strip() for line in text.splitlines()), 1)
        rows = [PrintedRow(f"line {at}", tuple(re.split(gap, line))) for at, line in lines if line]
        merits = [_merit(row, headings) for row in rows]
        known, width = max(merits, default=(0, 0))
        if known < LEAST_KNOWN:
            continue
        start = merits.index((known, width))
        odd = next((row for row in rows[start:] if len(row.cells) != width), None)
        if odd is None:
            return rows, start
        ragged = f"{odd.place}: {len(odd.cells)} fields under {width} headings"
    if ragged is not None:
        raise ValueError(f"{source}, {ragged}, parted by blanks; write a tab or ; between columns")
    return None


def _split(text: str, delimiter: str, source: str) -> list[PrintedRow]:
    """Return the rows that are not blank, each with the number of its line."""
    if text.lower().startswith("sep=") or text.lower().startswith('"sep='):
        text = "\n" + text.partition("\n")[2]  # what Excel writes for itself; lines keep numbers
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    try:
        for cells in reader:
            held = tuple(cell.strip() for cell in cells)
            filled = [cell for cell in held if cell]
            # A line drawn between others, as Markdown has it below headings, is none.
            drawn = len("".join(filled)) > len(filled) and not "".join(filled).strip(":-=_+ ")
            if filled and not drawn:
                rows.append(PrintedRow(f"line {reader.line_num}", held))
    except csv.Error as error:
        line = reader.line_num
        raise ValueError(f"{source}, line {line}: {error}; is a quote left open?") from None
    return rows


def _merit(row: PrintedRow, headings: Headings) -> tuple[int, int]:
    """Return how many cells of a row are headings of quantities, and how many it has."""
    names = [cell for cell in row.cells if cell]
    if len(names) == 1 or any(taken_apart(name) for name in names):
        return 0, 0  # a title, or numbers
    return sum(headings.meaning(name) in QUANTITIES for name in names), len(names)


def _below_headings(
    rows: Sequence[PrintedRow], at: int, source: str, remarks: Sequence[Finding]
) -> PrintedSheet:
    """Return the rows below the headings, without headings that are repeated on a new page."""
    names, above = list(rows[at].cells), rows[:at]
    start = at + 1
    while (
        start < len(rows) and {c.lower() for c in rows[start].cells} - {""} <= UNITS_BELOW_HEADINGS
    ):
        pairs = zip_longest(names, rows[start].cells, fillvalue="")
        names = [f"{name} {unit}".strip() for name, unit in pairs]
        start += 1
    if at and len({n for n in names if n}) < len([n for n in names if n]):
        groups, group = [], ""  # of the row above, each of which spans several headings
        for name in rows[at - 1].cells[: len(names)]:
            group = name or group
            groups.append(group)
        names = [f"{g} {n}".strip() for g, n in zip_longest(groups, names, fillvalue="")]
        above = rows[: at - 1]
    kept = [row for row in rows[start:] if row.cells != rows[at].cells]
    width = len(names)
    for row in kept:
        if any(row.cells[width:]):
            raise ValueError(
                f"{source}, {row.place}: {len(row.cells)} fields under {width} headings; is a "
                f"comma inside a number that is not in quotes?"
            )
    filled = tuple(PrintedRow(row.place, (*row.cells, *[""] * width)[:width]) for row in kept)
    if above:
        said = told("; ".join(" ".join(filter(None, row.cells)) for row in above))
        message = f"title line ignored: {said}"
        remarks = [*remarks, Finding("lines_above", "info", message, "check that it is no heading")]
    return PrintedSheet(tuple(names), filled, source, tuple(remarks))


@dataclass(frozen=True, slots=True)
class Layout:
    """What each column of a sheet is for."""

    quantities: dict[int, Quantity]
    label: int | None
    edges: tuple[int, int] | None
    left_out: tuple[str, ...]


def layout_of(sheet: PrintedSheet, headings: Headings) -> Layout:
    """Return what each column is for; a first heading that is not known names the bins."""
    if set(sheet.headings) & {"mean_amount", "cum_amount", "cum_mean_amount"}:
        raise ValueError("the table is of amounts, and this one must be of positives; see counts")
    found = headings.among(sheet.headings)
    quantities = {at: each for at, each in found.items() if is_quantity(each)}
    if not quantities:
        said = ", ".join(map(told, sheet.headings))
        naming = NAMING.format(arg(columns={sheet.headings[-1]: "captured"}))
        raise ValueError(f"no column is known among {said}. {naming}")
    names = [sheet.headings[at] for at in quantities]
    if twice := [heading for heading in names if names.count(heading) > 1]:
        raise ValueError(f"two columns are called {twice[0]!r}; give each its own heading")
    first = {role: at for at, role in reversed(found.items())}  # of each role
    label = first.get("bin", 0 if found[0] is None else None)
    start, end = first.get("score_from"), first.get("score_to")
    edges = None if start is None or end is None else (start, end)
    rest = (sheet.headings[at] for at, each in found.items() if each is None and at != label)
    return Layout(quantities, label, edges, tuple(heading for heading in rest if heading))


def sorted_out(
    sheet: PrintedSheet, layout: Layout
) -> tuple[list[PrintedRow], PrintedRow | None, list[Finding]]:
    """Return the bins and the row of totals, and what other rows are left out."""
    bins: list[PrintedRow] = []
    totals: PrintedRow | None = None
    left: list[str] = []
    for row in sheet.rows:
        kind = _kind_of_row(row, layout)
        if kind == "bin":
            bins.append(row)
        elif kind == "totals" and totals is None:
            totals = row
        elif kind != "blank":
            said = " ".join(str(cell) for cell in row.cells if not is_missing(cell))
            left.append(f"{row.place}: {told(said)}")
    remarks = []
    if left:
        message = f"ignored {counted(len(left), 'non-data row')} ({'; '.join(left)})"
        remarks.append(Finding("rows_left_out", "info", message, "check that no bin is among them"))
    if layout.left_out:
        remarks.append(_of_unknown(layout.left_out))
    return bins, totals, remarks


def _of_unknown(headings: Sequence[str]) -> Finding:
    """Return which headings are not known, with the names that are most like them."""
    like = {heading: nearest(heading) for heading in headings}
    said = [repr(h) + (f" ({' or '.join(names)}?)" if names else "") for h, names in like.items()]
    first = next((heading for heading, names in like.items() if names), headings[0])
    name = (like[first] or ["captured"])[0]
    advice = f"if the audit can use one, say what it is, as {arg(columns={first: name})}"
    message = f"columns that are not used: {', '.join(said)}"
    return Finding("columns_left_out", "info", message, advice)


def _kind_of_row(row: PrintedRow, layout: Layout) -> Literal["bin", "totals", "text", "blank"]:
    """Return what a row is: by its label, and by how many of its cells are numbers."""
    held = [row.cells[at] for at in layout.quantities if not is_missing(row.cells[at])]
    # What is not text is looked at later.
    numbers = [cell for cell in held if not isinstance(cell, str) or taken_apart(cell) is not None]
    others = [cell for at, cell in enumerate(row.cells) if at not in layout.quantities]
    texts = (without_footnotes(cell).lower() for cell in others if isinstance(cell, str))
    labels = {" ".join(text.strip(" :.*†‡").split()) for text in texts}
    if labels & TOTALS and numbers:
        return "totals"
    if labels & OTHER_SUMMARIES:
        return "text"
    if not held:
        return "text" if any(not is_missing(cell) for cell in row.cells) else "blank"
    # A sentence may hold a number; where every column is filled, each has to be one.
    full = len(held) == len(layout.quantities)
    return "bin" if full or 2 * len(numbers) > len(held) else "text"

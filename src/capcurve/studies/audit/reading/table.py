"""Somebody's binned table, from wherever it comes, as `PrintedTable`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.arguments import as_whole, told
from capcurve.show.finding import Finding
from capcurve.studies.audit.printed import COUNTED, QUANTITIES, Column, PrintedTable, window
from capcurve.studies.audit.reading.columns import RUNNING, SHAPELESS, is_whole, readings, settled
from capcurve.studies.audit.reading.numbers import (
    FLOAT_UNIT,
    Number,
    decimal_mark,
    is_missing,
    number_in,
    taken_apart,
)
from capcurve.studies.audit.reading.sheet import (
    Layout,
    Row,
    Rows,
    Sheet,
    layout_of,
    sheet_of,
    sorted_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.studies.audit.printed import Rounding
    from capcurve.studies.audit.reading.numbers import Mark

Order = Literal["descending", "ascending"]
NumberedRows = list[tuple[Row, list[Number | None]]]
Totals = dict[int, "Number | None"]
LARGEST = 10**18
MOST_DECIMALS = 15
# Nobody prints a digit that is worth less; fractions are exact.
FINEST = Fraction(1, 10**12)


def read_table(
    table: Any,
    *,
    positives: int | None = None,
    cases: int | None = None,
    prevalence: Any = None,
    order: Order = "descending",
    decimals: int | Mapping[str, int] | None = None,
    rounding: Rounding = "half",
) -> PrintedTable:
    """Return somebody's binned table as it was printed: what each column holds, every digit.

    Examples
    --------
    >>> read = read_table({"n": [3, 3], "Captured (%)": ["66.7", "100.0"]})
    >>> [(column.quantity, str(column.scale)) for column in read.columns]
    [('n', '1'), ('captured', '1/100')]
    """
    if order not in ("descending", "ascending"):
        raise ValueError(f'order must be "descending" or "ascending", got {told(order)}')
    sheet = sheet_of(table)
    layout = layout_of(sheet)
    rows = sorted_out(sheet, layout)
    bins, totals = _bins_and_totals(sheet, layout, rows, _mark(sheet, layout, rows))
    share = _prevalence(prevalence, rounding)

    def read(bins: NumberedRows, totals: Totals) -> PrintedTable:
        columns, remarks = _columns(sheet, layout, _with_decimals(bins, layout, sheet, decimals))
        rows_of_bins = [row for row, _ in bins]
        names, edges = _names_of(rows_of_bins, layout), _edges_of(rows_of_bins, layout)
        if order == "ascending":
            names, edges = names[::-1], None if edges is None else edges[::-1]
        return PrintedTable(
            tuple(readings(columns, ascending=order == "ascending")),
            names,
            *_known(totals, layout, positives, cases),
            prevalence=share,
            edges=edges,
            remarks=(*sheet.remarks, *rows.remarks, *remarks),
            source=sheet.source,
        )

    if totals:
        found = read(bins, totals)
        return replace(found, remarks=(*found.remarks, _totals_told(totals, layout)))
    known = {"positives": positives, "n": cases}
    if not _adds_up(bins, layout) or _goes_on(bins, layout, known):
        return read(bins, {})
    totals = _by_place(layout, bins[-1][1])
    otherwise, guessed = read(bins, {}), _totals_guessed(totals, layout)
    try:
        found = read(bins[:-1], totals)
    except ValueError:  # what is said of the whole table contradicts such totals
        return otherwise
    return replace(found, remarks=(guessed, *found.remarks), otherwise=otherwise)


def _mark(sheet: Sheet, layout: Layout, rows: Rows) -> Mark:
    """Return the decimal mark of the numbers that are text."""
    bodies = []
    for row in (*rows.bins, *([rows.totals] if rows.totals else [])):
        for at, meaning in layout.meanings.items():
            cell = row.cells[at]
            printed = taken_apart(cell) if isinstance(cell, str) else None
            if printed is not None:
                counts = meaning.quantities[0] in COUNTED and not printed.percent
                bodies.append((printed.body, counts))
    try:
        return decimal_mark(bodies)
    except ValueError as error:
        raise ValueError(f"{_called(sheet)}: {error}") from None


def _called(sheet: Sheet) -> str:
    return sheet.source or "the table"


def _bins_and_totals(
    sheet: Sheet, layout: Layout, rows: Rows, mark: Mark
) -> tuple[NumberedRows, Totals]:
    bins = [(row, _numbers(sheet, layout, row, mark)) for row in rows.bins]
    if rows.totals is not None:
        return bins, _by_place(layout, _numbers(sheet, layout, rows.totals, mark))
    if not bins:
        raise ValueError(f"{_called(sheet)} has no row of numbers below its headings")
    return bins, {}


def _by_place(layout: Layout, numbers: Sequence[Number | None]) -> Totals:
    return dict(zip(layout.meanings, numbers, strict=True))


def _numbers(sheet: Sheet, layout: Layout, row: Row, mark: Mark) -> list[Number | None]:
    """Return the numbers of a row in the columns that are known."""
    found: list[Number | None] = []
    for at, meaning in layout.meanings.items():
        cell = row.cells[at]
        number = None if is_missing(cell) else number_in(cell, mark)
        where = f"{_called(sheet)}, {row.place}, column {sheet.headings[at]!r}"
        if number is None and not is_missing(cell):
            raise ValueError(f"{where}: {told(cell)} is not a number; mend it or leave it empty")
        if number is not None and number.cell.value < 0 and meaning.quantities[0] != "ks":
            raise ValueError(f"{where}: {number.cell.text} is below 0, which only KS can be")
        if number is not None and abs(number.cell.value) > LARGEST:
            raise ValueError(f"{where}: {number.cell.text} is beyond 10^18")
        found.append(number)
    return found


def _adds_up(bins: NumberedRows, layout: Layout) -> bool:
    """Tell whether the last row, though it is not called so, holds the totals of all others."""
    label = layout.label
    named = label is not None and not is_missing(bins[-1][0].cells[label])
    places = [
        place
        for place, meaning in enumerate(layout.meanings.values())
        if meaning.quantities[0] in ("n", "positives", "negatives")
    ]
    if named or len(bins) < 3 or len(places) < (2 if label is None else 1):  # noqa: PLR2004 - two bins may be equal by chance
        return False
    for place in places:
        values = [numbers[place].cell.value for _, numbers in bins if numbers[place] is not None]  # type: ignore[union-attr]  # not None
        if bins[-1][1][place] is None or sum(values[:-1]) != values[-1] or not values[-1]:
            return False
    return True


def _goes_on(bins: NumberedRows, layout: Layout, known: Mapping[str, Any]) -> bool:
    """Tell whether the last row, though it adds up the others, is a bin like them.

    Its running numbers go on from those of the row before, or there are more positives or cases
    than it has.
    """
    for place, meaning in enumerate(layout.meanings.values()):
        quantity = meaning.quantities[0]
        before, last = (row[place] for _, row in bins[-2:])
        if last is None:
            continue
        runs = quantity in RUNNING and before is not None
        if runs and before.cell.value != last.cell.value:  # type: ignore[union-attr]  # not None
            return True
        if known.get(quantity) is not None and known[quantity] != last.cell.value:
            return True
    return False


def _with_decimals(
    bins: NumberedRows, layout: Layout, sheet: Sheet, decimals: int | Mapping[str, int] | None
) -> list[list[Number | None]]:
    """Return the numbers by column, with as many decimals as is said."""
    columns = [_unrounded(column) for column in zip(*(held for _, held in bins), strict=True)]
    if decimals is None:
        return columns
    by_column = _decimals_by_place(layout, sheet, decimals)
    return [
        column if place not in by_column else [_rounded(n, by_column[place]) for n in column]
        for place, column in enumerate(columns)
    ]


def _unrounded(column: Sequence[Number | None]) -> list[Number | None]:
    """Return a column of which half was never rounded with the rest of it as exact."""
    held = [n for n in column if n is not None]
    fine = [number for number in held if 0 < number.cell.unit < FINEST]
    if not fine or 2 * len(fine) < sum(number.cell.value.denominator != 1 for number in held):
        return list(column)
    unit = max(number.cell.unit for number in fine)
    return [None if n is None else replace(n, cell=replace(n.cell, unit=unit)) for n in column]


def _decimals_by_place(
    layout: Layout, sheet: Sheet, decimals: int | Mapping[str, int]
) -> dict[int, int]:
    meanings = list(layout.meanings.items())
    if not isinstance(decimals, Mapping):
        whole = as_whole(decimals, "decimals", -MOST_DECIMALS, MOST_DECIMALS)
        return {p: whole for p, (_, m) in enumerate(meanings) if m.quantities[0] not in COUNTED}
    found: dict[int, int] = {}
    for name, said in decimals.items():
        places = [
            place
            for place, (at, meaning) in enumerate(meanings)
            if name == sheet.headings[at] or name == meaning.quantities[0]
        ]
        if not places:
            there = ", ".join(repr(sheet.headings[at]) for at, _ in meanings)
            raise ValueError(f"decimals names {told(name)}, which is no column; there are {there}")
        whole = as_whole(said, f"decimals of {name}", -MOST_DECIMALS, MOST_DECIMALS)
        found |= dict.fromkeys(places, whole)
    return found


def _rounded(number: Number | None, decimals: int) -> Number | None:
    """Return a number with so many decimals, which it must not exceed by more than a float."""
    if number is None:
        return None
    unit, value = Fraction(10) ** -decimals, number.cell.value
    nearest = round(value / unit) * unit
    if abs(nearest - value) > FLOAT_UNIT * max(Fraction(1), abs(value)):
        raise ValueError(
            f"decimals is {decimals}, and {number.cell.text} has more; say how many were printed"
        )
    return replace(number, cell=replace(number.cell, value=nearest, unit=unit))


def _columns(
    sheet: Sheet, layout: Layout, numbers: Sequence[Sequence[Number | None]]
) -> tuple[list[list[Column]], list[Finding]]:
    """Return what each column may be, the likeliest first, and which columns are left out."""
    columns, remarks = [], []
    sizes = _sizes(layout, numbers)
    for (at, meaning), held in zip(layout.meanings.items(), numbers, strict=True):
        heading = sheet.headings[at]
        if all(number is None for number in held):
            remarks.append(_not_read(heading, "it is empty", "fill it in if it is needed"))
            continue
        may_be = settled(heading, meaning, held, sizes)
        why = "neither its heading nor its numbers tell what it holds"
        unknown = _not_read(heading, why, f"call it one of {', '.join(QUANTITIES)}")
        if not may_be:
            remarks.append(unknown)
            continue
        doubtful = may_be[0].quantity in SHAPELESS or None in held
        if_left_out = unknown if doubtful and not meaning.sure else None
        exact = may_be[0].quantity in COUNTED
        cells = tuple(None if n is None else _cell(n, exact=exact) for n in held)
        columns.append(
            [
                Column(s.quantity, heading, cells, s.scale, finding=s.told, if_left_out=if_left_out)
                for s in may_be
            ]
        )
    return columns, remarks


def _sizes(layout: Layout, numbers: Sequence[Sequence[Number | None]]) -> list[Fraction] | None:
    """Return the cases of each bin, or their shares, if columns surely have all of them."""
    classes = [
        [number.cell.value for number in held if number is not None]
        for meaning, held in zip(layout.meanings.values(), numbers, strict=True)
        if meaning.quantities in {("positives",), ("negatives",)} and None not in held
    ]
    if len(classes) == 2 and any(map(any, classes)):  # noqa: PLR2004 - both classes
        return [p + m for p, m in zip(*classes, strict=True)]
    for meaning, held in zip(layout.meanings.values(), numbers, strict=True):
        found = [number.cell.value for number in held if number is not None]
        quantity = meaning.quantities[0]
        if len(meaning.quantities) > 1 or len(found) < len(held) or not any(found):
            continue
        if quantity in {"n", "share_of_cases"}:
            return found
        if quantity in {"cum_n", "selected"}:
            rises = found[-1] >= found[0]
            before = [Fraction(0), *found[:-1]] if rises else [*found[1:], Fraction(0)]
            return [now - then for now, then in zip(found, before, strict=True)]
    return None


def _cell(number: Number, *, exact: bool) -> Any:
    """Return a number as printed; a count is exact, unless it is said to be in tens or more."""
    return (
        replace(number.cell, unit=Fraction(0)) if exact and number.cell.unit <= 1 else number.cell
    )


def _not_read(heading: str, why: str, advice: str) -> Finding:
    return Finding("column_left_out", "warning", f"column {heading!r} is left out: {why}", advice)


def _known(
    totals: Mapping[int, Number | None], layout: Layout, positives: Any, cases: Any
) -> tuple[int | None, int | None]:
    """Return the positives and cases of the whole table, as given or in the row of totals."""
    given = {"positives": positives, "n": cases}
    found: list[int | None] = []
    for quantity, said in given.items():
        name = "cases" if quantity == "n" else quantity
        printed = _total(totals, layout, quantity)
        whole = None if said is None else as_whole(said, name, 0, LARGEST)
        if None not in (whole, printed) and whole != printed:
            raise ValueError(
                f"{name} is given as {whole:,}, and the row of totals has {printed:,}; which is it?"
            )
        found.append(printed if whole is None else whole)
    if found[0] is not None and found[1] is not None and found[0] > found[1]:
        raise ValueError(f"there are {found[0]:,} positives among {found[1]:,} cases")
    return found[0], found[1]


def _total(totals: Mapping[int, Number | None], layout: Layout, quantity: str) -> int | None:
    for at, number in totals.items():
        same = layout.meanings[at].quantities[0] == quantity
        if same and number is not None and not number.percent and is_whole(number):
            return int(number.cell.value)
    return None


def _totals_told(totals: Totals, layout: Layout) -> Finding:
    """Say that a row of totals is left out, and what it has."""
    words = {"positives": "positives", "n": "cases"}
    held = ((_total(totals, layout, quantity), word) for quantity, word in words.items())
    said = " and ".join(f"{number:,} {word}" for number, word in held if number is not None)
    message = "a row of totals is left out" + (f"; it has {said}" if said else "")
    return Finding("totals_row", "info", message, "check that it is not a bin")


def _totals_guessed(totals: Totals, layout: Layout) -> Finding:
    """Say that a row is taken for one of totals because it adds up the others."""
    found = _totals_told(totals, layout)
    message = f"the last row adds up the others: {found.message}"
    return replace(found, severity="warning", message=message)


def _prevalence(said: Any, rounding: Rounding) -> tuple[Fraction, Fraction] | None:
    """Return from where to where the share of positives lies."""
    if said is None:
        return None
    if isinstance(said, tuple | list) and len(said) == 2:  # noqa: PLR2004 - from and to
        ends = [number_in(each) for each in said]
        low, high = (None if e is None else e.cell.value * _unit_of(e) for e in ends)
    else:
        number = number_in(said)
        scale = Fraction(1) if number is None else _unit_of(number)
        ends_of = (None, None) if number is None else window(number.cell, rounding)
        low, high = (None if end is None else end * scale for end in ends_of)
    if low is None or high is None or not (low <= high and low < 1 and high > 0):
        raise ValueError(
            f"prevalence must be a share of positives such as 0.052 or '5.2%', got {told(said)}"
        )
    return max(low, Fraction(0)), min(high, Fraction(1))


def _unit_of(number: Number) -> Fraction:
    return Fraction(1, 100) if number.percent else Fraction(1)


def _names_of(rows: Sequence[Row], layout: Layout) -> tuple[str, ...]:
    """Return what each bin is called: by its label, its scores, or its number from the top."""
    if layout.label is not None:
        cells = [row.cells[layout.label] for row in rows]
        return tuple(
            str(at) if is_missing(cell) else " ".join(str(cell).split())
            for at, cell in enumerate(cells, 1)
        )
    return tuple(str(at) for at in range(1, len(rows) + 1))


def _edges_of(rows: Sequence[Row], layout: Layout) -> tuple[tuple[object, object], ...] | None:
    """Return the scores from which to which each bin goes, where the table has both."""
    if layout.edges is None:
        return None
    start, end = layout.edges
    return tuple((_score(row.cells[start]), _score(row.cells[end])) for row in rows)


def _score(cell: Any) -> object:
    if is_missing(cell):
        return None
    return cell.item() if isinstance(cell, np.generic) else cell

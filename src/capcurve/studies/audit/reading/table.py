"""Somebody's binned table, from wherever it comes, as `PrintedTable`, and its other readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np

from capcurve.numbers.arguments import arg, as_whole, as_word, refused, spoken, told
from capcurve.show.presentation import Finding
from capcurve.studies.audit.printed import (
    COUNTED,
    DOWN,
    Cell,
    PrintedColumn,
    PrintedTable,
    Rounding,
    window,
)
from capcurve.studies.audit.reading.headings import Headings
from capcurve.studies.audit.reading.layout import (
    Layout,
    PrintedRow,
    PrintedSheet,
    layout_of,
    sheet_of,
    sorted_out,
)
from capcurve.studies.audit.reading.texts import (
    FLOAT_UNIT,
    Mark,
    cell_in,
    decimal_mark,
    is_missing,
    taken_apart,
)

Order = Literal["descending", "ascending"]
Numbers = tuple[Cell | None, ...]
LARGEST_PRINTED = 10**18
MOST_DECIMALS_SAID = 15
# Nobody prints a digit that is worth less; fractions are exact.
FINEST_DIGIT = Fraction(1, 10**12)
RUNNING_SHARES = frozenset({"selected", "captured", "fpr"})
RUNNING_SUMS = RUNNING_SHARES | {"cum_n", "cum_positives", "cum_negatives"}
OF_GAPS = {"ks", "ks_absolute"}
RUNNING_RATIOS = OF_GAPS | {"cum_rate", "cum_negative_rate", "cum_lift"}
PER_CENT = Fraction(1, 100)
# What a column of counts may be that holds shares.
AS_SHARES = {
    "n": "share_of_cases",
    "cum_n": "selected",
    "positives": "share_of_positives",
    "cum_positives": "captured",
    "negatives": "share_of_negatives",
    "cum_negatives": "fpr",
}
SHARES_OF_BINS = frozenset({"share_of_cases", "share_of_positives", "share_of_negatives"})
# All shares together are 1, or 100 in per cent, a misprint more or less.
BETWEEN_WHOLES = 10
# Lifts above this may be an index that is 100 on average.
LARGE_LIFT = 20
# How else tools print columns under the same headings.
AS_READ = {
    "cum_lift": "the lift down to the end of each bin",
    "ks": "the share of negatives less that of positives",
    "ks_absolute": "KS without its sign",
}
# What is so near to the whole may be the whole, misprinted; floats lose less than a digit.
NEARLY_WHOLE, NO_SLACK = Fraction(1, 20), Fraction(1, 10**9)


def read_table(
    table: Any,
    columns: Mapping[str, str] | None = None,
    positives: int | None = None,
    cases: int | None = None,
    prevalence: Any = None,
    order: Order = "descending",
    decimals: int | Mapping[str, int] | None = None,
    rounding: Rounding = "half",
) -> PrintedTable:
    """Return somebody's binned table as it was printed: what each column holds, every digit.

    >>> read = read_table({"n": [3, 3], "Captured (%)": ["66.7", "100.0"]})
    >>> [(column.quantity, str(column.scale)) for column in read.columns]
    [('n', '1'), ('captured', '1/100')]
    """
    as_word(order, "order", ("descending", "ascending"), either=True)
    headings = Headings.of(columns)
    sheet = sheet_of(table, headings)
    layout = layout_of(sheet, headings)
    bins, sums, left_out = sorted_out(sheet, layout)
    numbered = _numbered_columns(sheet, layout, bins, sums)
    share, known = _prevalence(prevalence, rounding), {"positives": positives, "n": cases}
    remarks = [*sheet.remarks, *left_out]
    if sums is None and _adds_up(numbered) and not _is_bin(numbered, bins, layout, known):
        numbered = [replace(c, cells=c.cells[:-1], total=c.cells[-1]) for c in numbered]
        bins, told_of = bins[:-1], _totals_told(numbered)
        message = f"the last row adds up the others: {told_of.message}"
        remarks.append(replace(told_of, severity="warning", message=message))
    elif sums is not None:
        remarks.append(_totals_told(numbered))
    remarks += [_of_empty(column) for column in numbered if not column.held]
    up = order == "ascending"
    held = [c for c in _with_decimals(numbered, decimals) if c.held]
    printed = [replace(_scaled(c), named=c.heading in headings.named) for c in held]
    found, turned = _directed(printed, ascending=up)
    names, edges = _names_of_bins(bins, layout), _edges_of(bins, layout)
    return PrintedTable(
        found,
        names[::-1] if up else names,
        *_known_totals(numbered, known),
        prevalence=share,
        edges=edges[::-1] if edges and up else edges,
        remarks=(*remarks, *turned),
        source=sheet.source,
    )


def _of_empty(column: PrintedColumn) -> Finding:
    message = f"column {column.heading!r} is left out: it is empty"
    return Finding("column_left_out", "warning", message, "fill it in if it is needed")


def _numbered_columns(
    sheet: PrintedSheet, layout: Layout, rows: Sequence[PrintedRow], sums: PrintedRow | None
) -> list[PrintedColumn]:
    """Return the columns that are known with their numbers."""
    counts = {at: quantity in COUNTED for at, quantity in layout.quantities.items()}
    bodies = []
    for row in (*rows, *([sums] if sums else [])):
        for at, counted in counts.items():
            cell = row.cells[at]
            printed = taken_apart(cell) if isinstance(cell, str) else None
            if printed is not None:
                bodies.append((printed.body, counted and not printed.percent))
    try:
        mark = decimal_mark(bodies)
    except ValueError as error:
        raise ValueError(f"{sheet.called}: {error}") from None
    if not rows:
        raise ValueError(f"{sheet.called} has no row of numbers below its headings")
    numbers = [_numbers_of_row(sheet, layout, row, mark) for row in rows]
    nothing: list[Cell | None] = [None] * len(counts)
    totals = nothing if sums is None else _numbers_of_row(sheet, layout, sums, mark)
    columns = zip(layout.quantities.items(), totals, *numbers, strict=True)
    return [
        PrintedColumn(quantity, sheet.headings[at], tuple(column), total=total)
        for (at, quantity), total, *column in columns
    ]


def _numbers_of_row(
    sheet: PrintedSheet, layout: Layout, row: PrintedRow, mark: Mark
) -> list[Cell | None]:
    """Return the numbers of a row in the columns that are known."""
    found: list[Cell | None] = []
    for at, quantity in layout.quantities.items():
        cell = row.cells[at]
        number = None if is_missing(cell) else cell_in(cell, mark)
        where = f"{sheet.called}, {row.place}, column {sheet.headings[at]!r}"
        if number is None and not is_missing(cell):
            raise ValueError(f"{where}: {told(cell)} is not a number; correct it or leave it empty")
        if number is not None and number.value < 0 and quantity != "ks":
            raise ValueError(f"{where}: {number.text} is below 0, which only KS can be")
        if number is not None and abs(number.value) > LARGEST_PRINTED:
            raise ValueError(f"{where}: {number.text} is beyond 10^18")
        found.append(number)
    return found


def _adds_up(columns: Sequence[PrintedColumn]) -> bool:
    """Tell whether the last row, though it is not called so, adds up the counts of all others."""
    counts = [c for c in columns if c.quantity in ("n", "positives", "negatives")]
    # Two bins may be equal by chance.
    if not counts or len(counts[0].cells) < 3:  # noqa: PLR2004
        return False
    for column in counts:
        *bins, last = [number.value for number in column.held] or [Fraction(0)]
        if column.cells[-1] is None or sum(bins) != last or not last:
            return False
    return True


def _is_bin(
    columns: Sequence[PrintedColumn],
    rows: Sequence[PrintedRow],
    layout: Layout,
    known: Mapping[str, Any],
) -> bool:
    """Tell whether a last row that adds up the others is a bin; raise `ValueError` if unclear."""
    names = [row.cells[layout.label] for row in rows] if layout.label is not None else []
    if not all(map(is_missing, names)):  # totals without a name stand below bins with names
        return not is_missing(names[-1])
    counts = [c for c in columns if c.quantity in ("n", "positives", "negatives")]
    ends = {c.quantity: (a, b) for c in columns if (a := c.cells[-2]) and (b := c.cells[-1])}
    # Of a bin running numbers go on; those of cases that it has must.
    goes_on = {each: a.value != b.value for each, (a, b) in ends.items() if each in RUNNING_SUMS}
    for quantity, number in known.items():
        if number is not None and quantity in ends:
            return bool(number != ends[quantity][1].value)
    if any(goes_on.values()) or len(counts) == 1:
        return True
    if any(DOWN[c.quantity] in goes_on for c in counts):
        return False
    column = next(c for c in counts if c.quantity in known)
    name, total = "cases" if column.quantity == "n" else column.quantity, column.held[-1].value
    raise ValueError(
        f"the last row may hold the totals of the others or be a bin: if it holds totals, say "
        f"{name}={total}; if it is a bin, {name}={2 * total}"
    )


def _with_decimals(
    columns: Sequence[PrintedColumn], decimals: int | Mapping[str, int] | None
) -> list[PrintedColumn]:
    """Return the columns with as many decimals as is said."""
    of_column: dict[str, int] = {}
    if isinstance(decimals, Mapping):
        for name, said in decimals.items():
            named = [c.heading for c in columns if name in (c.heading, c.quantity)]
            if not named:
                there = ", ".join(repr(column.heading) for column in columns)
                message = f"decimals names {told(name)}, which is no column; there are {there}"
                raise ValueError(message)
            whole = as_whole(said, f"decimals of {name}", -MOST_DECIMALS_SAID, MOST_DECIMALS_SAID)
            of_column |= dict.fromkeys(named, whole)
    elif decimals is not None:
        whole = as_whole(decimals, "decimals", -MOST_DECIMALS_SAID, MOST_DECIMALS_SAID)
        of_column = {c.heading: whole for c in columns if c.quantity not in COUNTED}
    said_of = ((c, of_column.get(c.heading)) for c in columns)
    return [replace(c, cells=_with_decimals_said(_unrounded(c.cells), n)) for c, n in said_of]


def _unrounded(column: Numbers) -> Numbers:
    """Return a column of which half was never rounded with the rest of it as exact."""
    held = [n for n in column if n is not None]
    fine = [number for number in held if 0 < number.unit < FINEST_DIGIT]
    if not fine or 2 * len(fine) < sum(number.value.denominator != 1 for number in held):
        return column
    unit = max(number.unit for number in fine)
    return tuple(None if n is None else replace(n, unit=unit) for n in column)


def _with_decimals_said(column: Numbers, decimals: int | None) -> Numbers:
    """Return numbers with so many decimals, which they must not exceed by more than a float."""
    if decimals is None:
        return column
    unit, found = Fraction(10) ** -decimals, list(column)
    for place, number in enumerate(column):
        if number is not None:
            nearest = round(number.value / unit) * unit
            if abs(nearest - number.value) > FLOAT_UNIT * max(Fraction(1), abs(number.value)):
                raise ValueError(
                    f"{spoken('decimals is')} {decimals}, and {number.text} has more; say how many "
                    "were printed"
                )
            found[place] = replace(number, value=nearest, unit=unit)
    return tuple(found)


def _known_totals(
    columns: Sequence[PrintedColumn], given: Mapping[str, Any]
) -> tuple[int | None, int | None]:
    """Return the positives and cases of the whole table, as given or in the row of totals."""
    found: list[int | None] = []
    for quantity, said in given.items():
        name = "cases" if quantity == "n" else quantity
        printed = _total_of(columns, quantity)
        whole = None if said is None else as_whole(said, name, 0, LARGEST_PRINTED)
        if None not in (whole, printed) and whole != printed:
            raise ValueError(
                f"{name} is given as {whole:,}, and the row of totals has {printed:,}; which is it?"
            )
        found.append(printed if whole is None else whole)
    if found[0] is not None and found[1] is not None and found[0] > found[1]:
        raise ValueError(f"there are {found[0]:,} positives among {found[1]:,} cases")
    return found[0], found[1]


def _total_of(columns: Sequence[PrintedColumn], quantity: str) -> int | None:
    for column in columns:
        number = column.total
        if column.quantity == quantity and number and not number.percent and number.is_whole:
            return int(number.value)
    return None


def _totals_told(columns: Sequence[PrintedColumn]) -> Finding:
    """Say that a row of totals is left out, and what it has."""
    held = ((_total_of(columns, "positives"), "positives"), (_total_of(columns, "n"), "cases"))
    said = " and ".join(f"{number:,} {word}" for number, word in held if number is not None)
    message = "a row of totals is left out" + (f"; it has {said}" if said else "")
    return Finding("totals_row", "info", message, "check that it is not a bin")


def _prevalence(said: Any, rounding: Rounding) -> tuple[Fraction, Fraction] | None:
    """Return from where to where the share of positives lies."""
    if said is None:
        return None
    if isinstance(said, tuple | list) and len(said) == 2:  # noqa: PLR2004 - from and to
        low, high = (None if end is None else end.stated for end in map(cell_in, said))
    else:
        number = cell_in(said)
        scale = PER_CENT if number is not None and number.percent else Fraction(1)
        low, high = (None, None) if number is None else window(number, rounding, scale)
    if low is None or high is None or not (low <= high and low < 1 and high > 0):
        raise ValueError(
            f"{refused('prevalence')} be a share of positives such as 0.052 or '5.2%', got "
            f"{told(said)}"
        )
    return max(low, Fraction(0)), min(high, Fraction(1))


def _names_of_bins(rows: Sequence[PrintedRow], layout: Layout) -> tuple[str, ...]:
    """Return what each bin is called: by its label, its scores, or its number from the top."""
    cells = [None if layout.label is None else row.cells[layout.label] for row in rows]
    return tuple(
        str(at) if is_missing(cell) else " ".join(str(cell).split())
        for at, cell in enumerate(cells, 1)
    )


def _edges_of(
    rows: Sequence[PrintedRow], layout: Layout
) -> tuple[tuple[object, object], ...] | None:
    """Return the scores from which to which each bin goes, where the table has both."""
    if layout.edges is None:
        return None

    def score(cell: Any) -> object:
        return None if is_missing(cell) else cell.item() if isinstance(cell, np.generic) else cell

    start, end = layout.edges
    return tuple((score(row.cells[start]), score(row.cells[end])) for row in rows)


def _scaled(column: PrintedColumn) -> PrintedColumn:
    """Return a column with the scale that its signs and sizes tell."""
    cells, percent = column.cells, _in_percent(column)
    if column.quantity in COUNTED:
        _check_whole(column, percent=percent)
        # Exact, unless it is said to be in tens or more.
        cells = tuple(replace(c, unit=Fraction(0)) if c and c.unit <= 1 else c for c in cells)
    return replace(column, cells=cells, scale=PER_CENT if percent else _scale_told(column))


def _check_whole(column: PrintedColumn, *, percent: bool) -> None:
    """Raise `ValueError` where a column of counts holds something else."""
    odd = next((number.text for number in column.held if percent or not number.is_whole), None)
    if odd is None:
        return
    heading, name = column.heading, AS_SHARES[column.quantity]
    advice = f"if it holds shares, say so, as {arg(columns={heading: name})}"
    if not percent and max(number.value for number in column.held) > 1:
        advice = "of weighted cases give the rates and shares alone"
    raise ValueError(
        f"column {heading!r} holds {odd}, which is not a whole number of cases; {advice}"
    )


def _in_percent(column: PrintedColumn) -> bool:
    """Return whether per cent signs stand beside the numbers; noughts may do without."""
    by_sign = {number.percent: number.text for number in column.held[::-1] if number.value}
    if len(by_sign) > 1:
        raise ValueError(
            f"column {column.heading!r} holds {by_sign[True]} and {by_sign[False]}; write all its "
            f"numbers with a per cent sign, or none"
        )
    return True in by_sign or (not by_sign and any(number.percent for number in column.held))


def _scale_told(column: PrintedColumn) -> Fraction | None:
    """Return the scale of numbers without a sign: 1, or 1/100 in per cent; None if unclear."""
    quantity, values = column.quantity, [abs(number.value) for number in column.held]
    largest = max(values)
    if quantity in COUNTED:
        return Fraction(1)
    if quantity in {"lift", "cum_lift"}:
        return Fraction(1) if largest <= LARGE_LIFT else None
    if quantity in RUNNING_SHARES | SHARES_OF_BINS:
        whole = largest if quantity in RUNNING_SHARES else sum(values)
        return PER_CENT if whole >= BETWEEN_WHOLES else Fraction(1)
    if largest > 1:
        return PER_CENT
    return Fraction(1) if column.heading == quantity else None


def _directed(
    columns: Sequence[PrintedColumn], *, ascending: bool
) -> tuple[tuple[PrintedColumn, ...], list[Finding]]:
    """Return columns from the top down, each with the end from which it runs, and what to say."""
    # Running numbers tell by where they are the whole from which end they run; those that do not
    # tell run as the others do, or down the page.
    told_by = [
        (c.quantity in RUNNING_SUMS, rises)
        for c in columns
        if (rises := _starts_at_top(c)) is not None
    ]
    known = next((rises for sure, rises in told_by if sure), None if ascending else True)
    usual = known if known is not None else next((rises for _, rises in told_by), True)
    found, remarks = [], []
    for column in columns:
        top_down = replace(column, cells=column.cells[::-1]) if ascending else column
        if column.quantity in RUNNING_SUMS | RUNNING_RATIOS:
            rises = _starts_at_top(column)
            down = usual if rises is None else rises
            top_down = replace(top_down, from_below=down == ascending)
            sure = column.quantity in RUNNING_SUMS
            turned = not sure and known not in (None, down)
            if turned or (sure and top_down.from_below and not ascending):
                remarks.append(_of_direction(top_down, turned=turned))
        if top_down.quantity == "ks" and top_down.from_below:
            # From below, KS has either sign: of a score that ranks it is negative, or turned.
            gaps = [cell.value for cell in top_down.held]
            signs = sum((gap > 0) - (gap < 0) for gap in gaps)
            top_down = replace(top_down, flipped=(signs, sum(gaps)) >= (0, 0))
        found.append(top_down)
    return tuple(found), remarks


def _of_direction(column: PrintedColumn, *, turned: bool) -> Finding:
    """Return from which end a column is read, where that is not the usual one."""
    ends = ("less", "up") if column.from_below else ("more", "down")
    return Finding(
        "direction_settled",
        "warning" if turned else "info",
        f"by its numbers, the column {column.heading!r} is read from the {ends[0]} likely "
        f"positives {ends[1]}",
        "if it does not run so, one of its numbers is wrong",
    )


def _starts_at_top(column: PrintedColumn) -> bool | None:
    """Return whether a running column starts at its first row, or at its last; None if unclear."""
    if not column.held:
        return None
    first, last = column.held[0], column.held[-1]
    if column.quantity in RUNNING_SUMS:
        return None if first.value == last.value else last.value > first.value
    if column.quantity in OF_GAPS:
        whole = Fraction(0)
    elif column.quantity != "cum_lift" or column.scale is None:
        return None
    else:
        whole = 1 / column.scale
    if column.cells[0] is None or column.cells[-1] is None:
        return None
    off = [abs(cell.value - whole) * (column.scale or 1) for cell in (first, last)]
    # What is nearly the whole may be the whole, misprinted.
    return None if min(off) > NO_SLACK or max(off) <= NEARLY_WHOLE else off[1] < off[0]


# How else tools print a column, for tables that do not fit as usual


def other_readings(printed: PrintedTable) -> Iterator[PrintedTable]:
    """Yield a table with columns read otherwise, as few as possible first, and that said."""
    several = [(column, *_otherwise(column)) for column in printed.columns]
    usual = printed.columns

    def changed(columns: tuple[PrintedColumn, ...]) -> int:
        return sum(new is not old for new, old in zip(columns, usual, strict=True))

    for columns in sorted(product(*several), key=changed)[1:]:
        pairs = [(old, new) for old, new in zip(usual, columns, strict=True) if new is not old]
        before = [_of_direction(old, turned=turned) for old, _ in pairs for turned in (True, False)]
        kept = [each for each in printed.remarks if each not in before]
        said = (_of_reading(*each) for each in pairs)
        yield replace(printed, columns=columns, remarks=(*kept, *said))


def _otherwise(column: PrintedColumn) -> Iterator[PrintedColumn]:
    """Yield how else tools print a column: a running lift, a gap without its sign, turned round."""
    both_ends = [replace(column, from_below=below) for below in (False, True)]
    if column.quantity == "lift" and not column.named:
        yield from (replace(each, quantity="cum_lift") for each in both_ends)
    of_sums = column.quantity in RUNNING_SUMS and _starts_at_top(column) is None
    if of_sums or column.quantity in RUNNING_RATIOS:
        ways = column, both_ends[not column.from_below]
        of_gaps = column.quantity == "ks" and not column.named
        # A minus sign shows that signs are printed.
        if of_gaps and all(cell.value >= 0 for cell in column.held):
            yield from (replace(each, quantity="ks_absolute", flipped=False) for each in ways)
        yield ways[1]
        if of_gaps:
            yield from (replace(each, flipped=not each.flipped) for each in ways)


def _of_reading(usual: PrintedColumn, read: PrintedColumn) -> Finding:
    """Return how a column is read, since the table fits only so."""
    if (usual.quantity, usual.flipped) == (read.quantity, read.flipped):
        return _of_direction(read, turned=True)
    return Finding(
        "heading_settled",
        "info",
        f"by its numbers, the column {usual.heading!r} is read as {AS_READ[read.quantity]}",
        f"if it is not, one of its numbers is wrong: to see which, say what it is, as "
        f"columns={{{told(usual.heading)}: {usual.quantity!r}}}",
    )

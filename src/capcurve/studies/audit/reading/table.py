"""Somebody's binned table, from wherever it comes, as `PrintedTable`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.numbers.arguments import as_whole, as_word, told
from capcurve.show.presentation import Finding
from capcurve.studies.audit.printed import (
    COUNTED,
    IN_WORDS,
    QUANTITIES,
    Cell,
    PrintedColumn,
    PrintedTable,
    Quantity,
    Rounding,
    window,
)
from capcurve.studies.audit.reading.layout import (
    Layout,
    PrintedRow,
    PrintedSheet,
    SortedRows,
    layout_of,
    sheet_of,
    sorted_out,
)
from capcurve.studies.audit.reading.texts import (
    FLOAT_UNIT,
    HeadingMeaning,
    Mark,
    decimal_mark,
    is_missing,
    number_in,
    taken_apart,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Order = Literal["descending", "ascending"]
Numbers = Sequence[Cell | None]
LARGEST = 10**18
MOST_DECIMALS = 15
# Nobody prints a digit that is worth less; fractions are exact.
FINEST = Fraction(1, 10**12)
SHARES_OF_BINS = frozenset({"share_of_cases", "share_of_positives", "share_of_negatives"})
RUNNING_SHARES = frozenset({"selected", "captured", "fpr"})
RUNNING = RUNNING_SHARES | {"cum_n", "cum_positives", "cum_negatives"}
PER_CENT = Fraction(1, 100)
# The mean of lifts is 1 where bins are of one size; they seldom are quite.
NEARLY = Fraction(1, 20)
# At its end a running share is the whole in every digit, but for those that floats lose.
NO_SLACK = Fraction(1, 10**9)
# Up to here a running share that should end at 1 is misprinted; in per cent it ends at 100.
MISPRINTED_WHOLE = 2
# Lifts above this may be an index that is 100 on average.
LARGE_LIFT = 20
# What counts without whole numbers, or with per cent signs, must be.
AS_SHARES: dict[str, tuple[Quantity, ...]] = {
    "n": ("share_of_cases", "selected"),
    "cum_n": ("selected",),
    "positives": ("rate", "share_of_positives", "captured"),
    "cum_positives": ("captured", "cum_rate"),
    "negatives": ("share_of_negatives", "fpr", "negative_rate"),
    "cum_negatives": ("fpr", "cum_negative_rate"),
}
# Rates of negatives may be anything.
SHAPELESS = {"negative_rate", "cum_negative_rate"}
OF_GAPS = {"ks", "ks_absolute"}
RUNNING_RATIOS = OF_GAPS | {"cum_rate", "cum_negative_rate", "cum_lift"}


@dataclass(frozen=True, slots=True)
class NumberedColumn:
    """One column whose heading is known, from the top down."""

    heading: str
    meaning: HeadingMeaning
    numbers: Numbers
    total: Cell | None = None  # what the row of totals holds

    @property
    def quantity(self) -> Quantity:
        """What the column likeliest holds."""
        return self.meaning.quantities[0]

    @property
    def held(self) -> list[Cell]:
        """The numbers that are there."""
        return [number for number in self.numbers if number is not None]

    @property
    def values(self) -> list[Fraction]:
        """Their values."""
        return [number.value for number in self.held]


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

    >>> read = read_table({"n": [3, 3], "Captured (%)": ["66.7", "100.0"]})
    >>> [(column.quantity, str(column.scale)) for column in read.columns]
    [('n', '1'), ('captured', '1/100')]
    """
    as_word(order, "order", ("descending", "ascending"), either=True)
    sheet = sheet_of(table)
    layout = layout_of(sheet)
    rows = sorted_out(sheet, layout)
    columns = _numbered(sheet, layout, rows)
    share = _prevalence(prevalence, rounding)
    known = {"positives": positives, "n": cases}
    up = order == "ascending"

    def read(columns: Sequence[NumberedColumn], bins: Sequence[PrintedRow]) -> PrintedTable:
        found, remarks = _columns(_with_decimals(columns, decimals))
        names, edges = _names_of(bins, layout), _edges_of(bins, layout)
        return PrintedTable(
            tuple(_readings(found, ascending=up)),
            names[::-1] if up else names,
            *_known(columns, known),
            prevalence=share,
            edges=edges[::-1] if edges and up else edges,
            remarks=(*sheet.remarks, *rows.remarks, *remarks),
            source=sheet.source,
        )

    if rows.totals is not None:
        table_read = read(columns, rows.bins)
        return replace(table_read, remarks=(*table_read.remarks, _totals_told(columns)))
    otherwise = read(columns, rows.bins)
    if not _adds_up(columns, rows, layout) or _goes_on(columns, known):
        return otherwise
    columns = [replace(c, numbers=c.numbers[:-1], total=c.numbers[-1]) for c in columns]
    told_of = _totals_told(columns)
    message = f"the last row adds up the others: {told_of.message}"
    guessed = replace(told_of, severity="warning", message=message)
    try:
        table_read = read(columns, rows.bins[:-1])
    except ValueError:  # what is said of the whole table contradicts such totals
        return otherwise
    return replace(table_read, remarks=(guessed, *table_read.remarks), otherwise=otherwise)


def _numbered(sheet: PrintedSheet, layout: Layout, rows: SortedRows) -> list[NumberedColumn]:
    """Return the columns that are known with their numbers."""
    counts = {at: meaning.quantities[0] in COUNTED for at, meaning in layout.meanings.items()}
    bodies = []
    for row in (*rows.bins, *([rows.totals] if rows.totals else [])):
        for at, counted in counts.items():
            cell = row.cells[at]
            printed = taken_apart(cell) if isinstance(cell, str) else None
            if printed is not None:
                bodies.append((printed.body, counted and not printed.percent))
    try:
        mark = decimal_mark(bodies)
    except ValueError as error:
        raise ValueError(f"{sheet.called}: {error}") from None
    if not rows.bins:
        raise ValueError(f"{sheet.called} has no row of numbers below its headings")
    numbers = [_numbers(sheet, layout, row, mark) for row in rows.bins]
    totals: Numbers = [None] * len(counts)
    if rows.totals is not None:
        totals = _numbers(sheet, layout, rows.totals, mark)
    return [
        NumberedColumn(sheet.headings[at], meaning, tuple(column), total)
        for (at, meaning), total, *column in zip(
            layout.meanings.items(), totals, *numbers, strict=True
        )
    ]


def _numbers(sheet: PrintedSheet, layout: Layout, row: PrintedRow, mark: Mark) -> Numbers:
    """Return the numbers of a row in the columns that are known."""
    found: list[Cell | None] = []
    for at, meaning in layout.meanings.items():
        cell = row.cells[at]
        number = None if is_missing(cell) else number_in(cell, mark)
        where = f"{sheet.called}, {row.place}, column {sheet.headings[at]!r}"
        if number is None and not is_missing(cell):
            raise ValueError(f"{where}: {told(cell)} is not a number; mend it or leave it empty")
        if number is not None and number.value < 0 and meaning.quantities[0] != "ks":
            raise ValueError(f"{where}: {number.text} is below 0, which only KS can be")
        if number is not None and abs(number.value) > LARGEST:
            raise ValueError(f"{where}: {number.text} is beyond 10^18")
        found.append(number)
    return found


def _adds_up(columns: Sequence[NumberedColumn], rows: SortedRows, layout: Layout) -> bool:
    """Tell whether the last row, though it is not called so, holds the totals of all others."""
    label = layout.label
    named = label is not None and not is_missing(rows.bins[-1].cells[label])
    counts = [c for c in columns if c.quantity in ("n", "positives", "negatives")]
    # Two bins may be equal by chance.
    if named or len(rows.bins) < 3 or len(counts) < (2 if label is None else 1):  # noqa: PLR2004
        return False
    for column in counts:
        *bins, last = column.values or [Fraction(0)]
        if column.numbers[-1] is None or sum(bins) != last or not last:
            return False
    return True


def _goes_on(columns: Sequence[NumberedColumn], known: Mapping[str, Any]) -> bool:
    """Tell whether the last row, though it adds up the others, is a bin like them."""
    for column in columns:
        before, last = column.numbers[-2:]
        if last is None:
            continue
        # Its running numbers go on from those of the row before.
        runs = column.quantity in RUNNING and before is not None
        if runs and before.value != last.value:  # type: ignore[union-attr]  # not None
            return True
        # There are more positives or cases than it has.
        if known.get(column.quantity) not in (None, last.value):
            return True
    return False


def _with_decimals(
    columns: Sequence[NumberedColumn], decimals: int | Mapping[str, int] | None
) -> list[NumberedColumn]:
    """Return the columns with as many decimals as is said."""
    of_column: dict[str, int] = {}
    if isinstance(decimals, Mapping):
        for name, said in decimals.items():
            named = [c.heading for c in columns if name in (c.heading, c.quantity)]
            if not named:
                there = ", ".join(repr(column.heading) for column in columns)
                message = f"decimals names {told(name)}, which is no column; there are {there}"
                raise ValueError(message)
            whole = as_whole(said, f"decimals of {name}", -MOST_DECIMALS, MOST_DECIMALS)
            of_column |= dict.fromkeys(named, whole)
    elif decimals is not None:
        whole = as_whole(decimals, "decimals", -MOST_DECIMALS, MOST_DECIMALS)
        of_column = {c.heading: whole for c in columns if c.quantity not in COUNTED}
    return [
        replace(column, numbers=_rounded(_unrounded(column.numbers), of_column.get(column.heading)))
        for column in columns
    ]


def _unrounded(column: Numbers) -> Numbers:
    """Return a column of which half was never rounded with the rest of it as exact."""
    held = [n for n in column if n is not None]
    fine = [number for number in held if 0 < number.unit < FINEST]
    if not fine or 2 * len(fine) < sum(number.value.denominator != 1 for number in held):
        return column
    unit = max(number.unit for number in fine)
    return [None if n is None else replace(n, unit=unit) for n in column]


def _rounded(column: Numbers, decimals: int | None) -> Numbers:
    """Return numbers with so many decimals, which they must not exceed by more than a float."""
    if decimals is None:
        return column
    unit, found = Fraction(10) ** -decimals, list(column)
    for place, number in enumerate(column):
        if number is not None:
            value = number.value
            nearest = round(value / unit) * unit
            if abs(nearest - value) > FLOAT_UNIT * max(Fraction(1), abs(value)):
                raise ValueError(
                    f"decimals is {decimals}, and {number.text} has more; say how many were printed"
                )
            found[place] = replace(number, value=nearest, unit=unit)
    return found


def _columns(columns: Sequence[NumberedColumn]) -> tuple[list[list[PrintedColumn]], list[Finding]]:
    """Return what each column may be, the likeliest first, and which columns are left out."""
    read, remarks = [], []
    sizes = _sizes(columns)
    for column in columns:
        if not column.held:
            remarks.append(_not_read(column, "it is empty", "fill it in if it is needed"))
            continue
        may_be = _settled(column, sizes)
        why = "neither its heading nor its numbers tell what it holds"
        unknown = _not_read(column, why, f"call it one of {', '.join(QUANTITIES)}")
        if not may_be:
            remarks.append(unknown)
            continue
        doubtful = may_be[0].quantity in SHAPELESS or None in column.numbers
        if doubtful and not column.meaning.sure:
            may_be = [replace(each, if_left_out=unknown) for each in may_be]
        read.append(may_be)
    return read, remarks


def _sizes(columns: Sequence[NumberedColumn]) -> list[Fraction] | None:
    """Return the cases of each bin, or their shares, if columns surely have all of them."""
    whole = [c for c in columns if len(c.meaning.quantities) == 1 and None not in c.numbers]
    classes = [c.values for c in whole if c.quantity in {"positives", "negatives"}]
    if len(classes) == 2 and any(map(any, classes)):  # noqa: PLR2004 - both classes
        return [p + m for p, m in zip(*classes, strict=True)]
    for column in whole:
        found = column.values
        if column.quantity in {"n", "share_of_cases"} and any(found):
            return found
        if column.quantity in {"cum_n", "selected"} and any(found):
            rises = found[-1] >= found[0]
            before = [Fraction(0), *found[:-1]] if rises else [*found[1:], Fraction(0)]
            return [now - then for now, then in zip(found, before, strict=True)]
    return None


def _not_read(column: NumberedColumn, why: str, advice: str) -> Finding:
    message = f"column {column.heading!r} is left out: {why}"
    return Finding("column_left_out", "warning", message, advice)


def _known(
    columns: Sequence[NumberedColumn], given: Mapping[str, Any]
) -> tuple[int | None, int | None]:
    """Return the positives and cases of the whole table, as given or in the row of totals."""
    found: list[int | None] = []
    for quantity, said in given.items():
        name = "cases" if quantity == "n" else quantity
        printed = _total(columns, quantity)
        whole = None if said is None else as_whole(said, name, 0, LARGEST)
        if None not in (whole, printed) and whole != printed:
            raise ValueError(
                f"{name} is given as {whole:,}, and the row of totals has {printed:,}; which is it?"
            )
        found.append(printed if whole is None else whole)
    if found[0] is not None and found[1] is not None and found[0] > found[1]:
        raise ValueError(f"there are {found[0]:,} positives among {found[1]:,} cases")
    return found[0], found[1]


def _total(columns: Sequence[NumberedColumn], quantity: str) -> int | None:
    for column in columns:
        number = column.total
        if column.quantity == quantity and number and not number.percent and number.is_whole:
            return int(number.value)
    return None


def _totals_told(columns: Sequence[NumberedColumn]) -> Finding:
    """Say that a row of totals is left out, and what it has."""
    held = ((_total(columns, "positives"), "positives"), (_total(columns, "n"), "cases"))
    said = " and ".join(f"{number:,} {word}" for number, word in held if number is not None)
    message = "a row of totals is left out" + (f"; it has {said}" if said else "")
    return Finding("totals_row", "info", message, "check that it is not a bin")


def _prevalence(said: Any, rounding: Rounding) -> tuple[Fraction, Fraction] | None:
    """Return from where to where the share of positives lies."""
    if said is None:
        return None
    if isinstance(said, tuple | list) and len(said) == 2:  # noqa: PLR2004 - from and to
        low, high = (None if end is None else end.stated for end in map(number_in, said))
    else:
        number = number_in(said)
        scale = PER_CENT if number is not None and number.percent else Fraction(1)
        low, high = (None, None) if number is None else window(number, rounding, scale)
    if low is None or high is None or not (low <= high and low < 1 and high > 0):
        raise ValueError(
            f"prevalence must be a share of positives such as 0.052 or '5.2%', got {told(said)}"
        )
    return max(low, Fraction(0)), min(high, Fraction(1))


def _names_of(rows: Sequence[PrintedRow], layout: Layout) -> tuple[str, ...]:
    """Return what each bin is called: by its label, its scores, or its number from the top."""
    if layout.label is not None:
        cells = [row.cells[layout.label] for row in rows]
        return tuple(
            str(at) if is_missing(cell) else " ".join(str(cell).split())
            for at, cell in enumerate(cells, 1)
        )
    return tuple(str(at) for at in range(1, len(rows) + 1))


def _edges_of(
    rows: Sequence[PrintedRow], layout: Layout
) -> tuple[tuple[object, object], ...] | None:
    """Return the scores from which to which each bin goes, where the table has both."""
    if layout.edges is None:
        return None
    cells = ([row.cells[at] for at in layout.edges] for row in rows)
    start, end = (
        [None if is_missing(c) else c.item() if isinstance(c, np.generic) else c for c in side]
        for side in zip(*cells, strict=True)
    )
    return tuple(zip(start, end, strict=True))


def _settled(column: NumberedColumn, sizes: Sequence[Fraction] | None) -> list[PrintedColumn]:
    """Return what a column may hold, the likeliest first; `sizes` are the cases of each bin."""
    meaning, heading, gaps = column.meaning, column.heading, None in column.numbers
    may_be, sure, percent = meaning.quantities, meaning.sure, _in_percent(column)
    odd = next((number.text for number in column.held if not number.is_whole), None)
    if may_be[0] in COUNTED and (percent or odd is not None):
        if not percent and max(column.values) > 1:
            raise ValueError(
                f"column {heading!r} holds {odd}, which is not a whole number of cases; of "
                f"weighted cases give the rates and shares alone"
            )
        may_be, sure = AS_SHARES[may_be[0]], False
    if min(column.values) < 0:
        may_be = tuple(each for each in may_be if each != "ks_absolute") or may_be
    shapes = {quantity: _scale_of_shape(quantity, column, sizes) for quantity in may_be}
    fitting = [quantity for quantity in may_be if shapes[quantity] is not None]
    if not fitting and not sure and may_be[0] != "rate":
        # Shares of which one is missing have no shape.
        may_be = tuple(each for each in may_be if gaps or each in SHAPELESS)
    first = fitting or [each for each in may_be if each in {"rate", "cum_rate", "lift"}]
    # Where a bin has no lift, the average of the others says nothing.
    if "lift" in fitting or ("lift" in may_be and gaps):
        first = ["lift"]
    likeliest = list(dict.fromkeys([*first, *may_be]))
    cells = column.numbers
    if likeliest and likeliest[0] in COUNTED:  # exact, unless it is said to be in tens or more
        cells = [replace(c, unit=Fraction(0)) if c and c.unit <= 1 else c for c in column.numbers]
    found = []
    for quantity in likeliest:
        scale = PER_CENT if percent else _scale(quantity, shapes[quantity], column)
        told_of = None
        if len(may_be) > 1 and quantity != meaning.quantities[0]:
            message = f"by its numbers, the column {heading!r} is read as the {IN_WORDS[quantity]}"
            likely = " or ".join(dict.fromkeys(each for each in likeliest if each != quantity))
            advice = f"if it is not, rename it, for example to {likely}"
            told_of = Finding("heading_settled", "info", message, advice)
        found.append(PrintedColumn(quantity, heading, tuple(cells), scale, finding=told_of))
    return found


def _in_percent(column: NumberedColumn) -> bool:
    """Return whether per cent signs stand beside the numbers; noughts may do without."""
    by_sign = {number.percent: number.text for number in column.held[::-1] if number.value}
    if len(by_sign) > 1:
        raise ValueError(
            f"column {column.heading!r} holds {by_sign[True]} and {by_sign[False]}; write all its "
            f"numbers with a per cent sign, or none"
        )
    return True in by_sign or (not by_sign and any(number.percent for number in column.held))


def _scale_of_shape(
    quantity: Quantity, column: NumberedColumn, sizes: Sequence[Fraction] | None
) -> Fraction | None:
    """Return the scale at which numbers have the shape of a quantity, None if at none."""
    values, whole = column.values, None not in column.numbers
    if quantity in RUNNING_SHARES:  # they go from or to the whole
        ordered = values[::-1] if values[0] > values[-1] else values
        return _nearest(ordered[-1], NO_SLACK) if ordered == sorted(ordered) else None
    if quantity in SHARES_OF_BINS and whole:  # they add up to the whole
        slack = sum((number.unit for number in column.held), Fraction(0))
        return _nearest(sum(values, Fraction(0)), slack)
    if quantity == "lift" and whole:
        return _scale_of_lifts(column, sizes)
    if quantity == "cum_lift":
        return _nearest(values[-1], NO_SLACK) or _nearest(values[0], NO_SLACK)
    return None


def _scale_of_lifts(column: NumberedColumn, sizes: Sequence[Fraction] | None) -> Fraction | None:
    """Return the scale at which lifts are 1 on average: by cases, as far as digits tell."""
    weights = sizes or (Fraction(1),) * len(column.values)
    weighted = (w * value for w, value in zip(weights, column.values, strict=True))
    mean = sum(weighted, Fraction(0)) / sum(weights)
    # Sizes that were rounded themselves make the average of true lifts a little more or less.
    rounded = sizes is None or any(size.denominator != 1 for size in sizes)
    slack = NEARLY if rounded else min(number.unit for number in column.held)
    # Of bins of any size an average of 100 may as well be that of lifts.
    for scale in (Fraction(1), PER_CENT) if sizes else (Fraction(1),):
        if abs(mean * scale - 1) <= (slack if rounded else slack * scale):
            return scale
    return None


def _nearest(value: Fraction, slack: Fraction) -> Fraction | None:
    """Return the scale at which a number is the whole, as far as its digits tell."""
    return next((s for s in (Fraction(1), PER_CENT) if abs(value - 1 / s) <= slack), None)


def _scale(
    quantity: Quantity, of_shape: Fraction | None, column: NumberedColumn
) -> Fraction | None:
    if quantity in COUNTED:
        return Fraction(1)
    values = column.values
    largest = max(map(abs, values))
    if quantity in {"lift", "cum_lift"}:
        return Fraction(1) if largest <= LARGE_LIFT else of_shape
    running = quantity in RUNNING_SHARES
    if running:  # also where a number between does not fit
        ends = _nearest(values[-1], NO_SLACK) or _nearest(values[0], NO_SLACK)
        of_shape = of_shape or ends
    if of_shape is not None:
        return of_shape
    if largest > (MISPRINTED_WHOLE if running else 1):
        return PER_CENT
    return Fraction(1) if column.meaning.own or (running and largest > 1) else None


def _readings(
    columns: Sequence[Sequence[PrintedColumn]], *, ascending: bool
) -> list[PrintedColumn]:
    """Return each column as it likeliest reads, from what it may hold, with its other readings."""
    # Running numbers tell by where they are the whole from which end they run; those that do not
    # tell run from the most likely positives, or as the others do.
    likeliest = [each[0] for each in columns]
    told = next(_ends_told(c for c in likeliest if c.quantity in RUNNING), None)
    known_to_run_down = told if told is not None or ascending else True
    usual = next(
        _ends_told(likeliest), not ascending if known_to_run_down is None else known_to_run_down
    )
    found = []
    for each in columns:
        may_be = [
            read
            for column in each
            for read in _directed(column, usual, known_to_run_down, ascending=ascending)
        ]
        found.append(replace(may_be[0], others=tuple(may_be[1:])))
    return found


def _ends_told(columns: Iterable[PrintedColumn]) -> Iterator[bool]:
    """Yield of each column that tells it whether it runs down."""
    return (rises for column in columns if (rises := _rises(column)) is not None)


def _directed(
    column: PrintedColumn, usual: bool, known_to_run_down: bool | None, *, ascending: bool
) -> Iterator[PrintedColumn]:
    """Yield a column from the top down in each direction and with each sign, the likelier first."""
    top_down = replace(column, cells=column.cells[::-1]) if ascending else column
    if column.quantity not in RUNNING | RUNNING_RATIOS:
        yield top_down
        return
    # Counts and shares cannot but rise; lifts and gaps may be misprinted.
    rises, sure = _rises(column), column.quantity in RUNNING
    likelier = usual if rises is None else rises
    for runs_down in [likelier] if sure and rises is not None else [likelier, not likelier]:
        from_below = runs_down == ascending
        turned = known_to_run_down not in (None, runs_down) and not sure
        read = replace(top_down, from_below=from_below, turned=turned)
        if turned or (sure and from_below and not ascending):
            ends = ("less", "up") if from_below else ("more", "down")
            message = (
                f"by its numbers, the column {column.heading!r} is read from the {ends[0]} likely "
                f"positives {ends[1]}"
            )
            advice = "if it does not run so, one of its numbers is wrong"
            severity: Literal["info", "warning"] = "info" if sure else "warning"
            read = replace(read, finding=Finding("direction_settled", severity, message, advice))
        if read.quantity != "ks" or not from_below:
            yield read
            continue
        # From below, KS has either sign: of a score that ranks it is negative, or turned.
        positive = sum(cell.value for cell in read.cells if cell is not None) >= 0
        yield replace(read, flipped=positive)
        yield replace(read, flipped=not positive)


def _rises(column: PrintedColumn) -> bool | None:
    """Return whether a running column starts at its first row, or at its last; None if unclear."""
    held = [cell for cell in column.cells if cell is not None]
    if not held:
        return None
    first, last = held[0], held[-1]
    if column.quantity in RUNNING:
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
    return None if min(off) > NO_SLACK or max(off) <= NEARLY else off[1] < off[0]

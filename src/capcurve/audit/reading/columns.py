"""What each column holds and in which unit, with running columns from the top down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from capcurve.audit.printed import COUNTED, QUANTITIES, Cell
from capcurve.summary import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.printed import Column, Quantity, Rounding
    from capcurve.audit.reading.headings import Meaning
    from capcurve.audit.reading.numbers import Number

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
    "negatives": ("share_of_negatives", "fpr"),
    "cum_negatives": ("fpr",),
}
IN_WORDS: dict[str, str] = {
    "n": "cases of each bin",
    "positives": "positives of each bin",
    "negatives": "negatives of each bin",
    "cum_n": "cases down to each bin",
    "cum_positives": "positives down to each bin",
    "cum_negatives": "negatives down to each bin",
    "share_of_cases": "share of all cases in each bin",
    "selected": "share of the cases down to each bin",
    "share_of_positives": "share of all positives in each bin",
    "captured": "share of the positives down to each bin",
    "share_of_negatives": "share of all negatives in each bin",
    "fpr": "share of the negatives down to each bin",
    "rate": "share of positives among the cases of each bin",
    "cum_rate": "share of positives among the cases down to each bin",
    "lift": "lift of each bin",
    "cum_lift": "lift down to each bin",
    "ks": "KS down to each bin",
    "ks_absolute": "KS without its sign down to each bin",
}
OF_GAPS = {"ks", "ks_absolute"}
RATIOS = {"cum_rate", "cum_lift"}


@dataclass(frozen=True, slots=True)
class Settled:
    """What a column holds, by what its numbers are to be multiplied, and what tells so."""

    quantity: Quantity
    scale: Fraction | None
    remark: Finding | None = None


def settled(
    heading: str,
    meaning: Meaning,
    numbers: Sequence[Number | None],
    sizes: Sequence[Fraction] | None = None,
) -> Settled | None:
    """Return what a column holds, or None where neither its heading nor its numbers tell.

    `sizes` are the cases of each bin, if known.

    Raises
    ------
    ValueError
        When it counts cases and is not whole, or mixes numbers with and without per cent signs.
    """
    held = [number for number in numbers if number is not None]
    percent = _in_percent(heading, held)
    may_be = meaning.quantities
    sure = meaning.sure
    if may_be[0] in COUNTED and (percent or not all(is_whole(number) for number in held)):
        _refuse_fractions(heading, held, percent=percent)
        may_be, sure = AS_SHARES[may_be[0]], False
    shapes = {quantity: _scale_of_shape(quantity, numbers, sizes) for quantity in may_be}
    if may_be[0] == "lift" and None in numbers:  # its average is not known
        may_be = may_be[:1]
    fitting = [quantity for quantity in may_be if shapes[quantity] is not None]
    if not fitting and not sure and may_be[0] != "rate":
        return None
    quantity = _chosen(may_be, fitting)
    scale = PER_CENT if percent else _scale(quantity, shapes[quantity], meaning, held)
    doubtful = len(may_be) > 1 and quantity != meaning.quantities[0]
    return Settled(quantity, scale, _told(heading, quantity) if doubtful else None)


def _chosen(may_be: tuple[Quantity, ...], fitting: Sequence[Quantity]) -> Quantity:
    """Return the likeliest quantity that has the shape of the numbers, else the likeliest."""
    if "lift" in fitting:
        return "lift"
    rest = next((each for each in may_be if each in {"rate", "cum_rate", "lift"}), may_be[0])
    return fitting[0] if fitting else rest


def _in_percent(heading: str, held: Sequence[Number]) -> bool:
    """Return whether per cent signs stand beside the numbers; noughts may do without."""
    signs = {number.percent for number in held if number.cell.value}
    signs = signs or {any(number.percent for number in held)}
    if len(signs) > 1:
        with_sign, without = (
            next(n.cell.text for n in held if n.cell.value and n.percent == sign)
            for sign in (True, False)
        )
        raise ValueError(
            f"column {heading!r} holds {with_sign} and {without}; write all its numbers with a "
            f"per cent sign, or none"
        )
    return True in signs


def is_whole(number: Number) -> bool:
    """Tell whether a number may count cases."""
    return number.cell.value.denominator == 1


def _refuse_fractions(heading: str, held: Sequence[Number], *, percent: bool) -> None:
    """Refuse counts that are neither whole nor shares."""
    if percent or all(number.cell.value <= 1 for number in held):
        return
    odd = next(number.cell.text for number in held if not is_whole(number))
    raise ValueError(
        f"column {heading!r} holds {odd}, which is not a whole number of cases; of weighted cases "
        f"give the rates and shares alone"
    )


def _scale_of_shape(
    quantity: Quantity, numbers: Sequence[Number | None], sizes: Sequence[Fraction] | None = None
) -> Fraction | None:
    """Return the scale at which numbers have the shape of a quantity, None if at none.

    Running shares go from or to the whole, shares of bins add up to it, lifts are 1 on average or
    at the end.
    """
    held = [number for number in numbers if number is not None]
    values = [number.cell.value for number in held]
    whole = len(held) == len(numbers)
    if not values or (quantity in SHARES_OF_BINS and not whole):
        return None
    if quantity in RUNNING_SHARES:
        falls = values[0] > values[-1]
        ordered = values[::-1] if falls else values
        return _nearest(ordered[-1], NO_SLACK) if ordered == sorted(ordered) else None
    if quantity in SHARES_OF_BINS:
        return _nearest(
            sum(values, Fraction(0)), sum((number.cell.unit for number in held), Fraction(0))
        )
    if quantity == "lift":
        return _scale_of_lifts(held, sizes if whole else None)
    if quantity == "cum_lift":
        return _nearest(values[-1], NO_SLACK) or _nearest(values[0], NO_SLACK)
    return None


def _scale_of_lifts(held: Sequence[Number], sizes: Sequence[Fraction] | None) -> Fraction | None:
    """Return the scale at which lifts are 1 on average: by cases, as far as digits tell."""
    weights = sizes or (Fraction(1),) * len(held)
    weighted = (w * number.cell.value for w, number in zip(weights, held, strict=True))
    mean = sum(weighted, Fraction(0)) / sum(weights)
    # Sizes that were rounded themselves make the average of true lifts a little more or less.
    rounded = sizes is None or any(size.denominator != 1 for size in sizes)
    slack = NEARLY if rounded else min(number.cell.unit for number in held)
    for scale in (Fraction(1), PER_CENT):
        if abs(mean * scale - 1) <= (slack if rounded else slack * scale):
            return scale
    return None


def _nearest(value: Fraction, slack: Fraction) -> Fraction | None:
    """Return the scale at which a number is the whole, as far as its digits tell."""
    return next((s for s in (Fraction(1), PER_CENT) if abs(value - 1 / s) <= slack), None)


def _scale(
    quantity: Quantity, of_shape: Fraction | None, meaning: Meaning, held: Sequence[Number]
) -> Fraction | None:
    if quantity in COUNTED:
        return Fraction(1)
    if quantity in RUNNING_SHARES and held:  # also where a number between does not fit
        ends = (_nearest(held[at].cell.value, NO_SLACK) for at in (-1, 0))
        of_shape = of_shape or next(filter(None, ends), None)
    if of_shape is not None:
        return of_shape
    largest = max((abs(number.cell.value) for number in held), default=Fraction(0))
    if quantity in {"lift", "cum_lift"}:
        return Fraction(1) if largest <= LARGE_LIFT else None
    if largest > (MISPRINTED_WHOLE if quantity in RUNNING_SHARES else 1):
        return PER_CENT
    if quantity in RUNNING_SHARES and largest > 1:
        return Fraction(1)
    return Fraction(1) if meaning.own else None


def _told(heading: str, quantity: Quantity) -> Finding:
    return Finding(
        "heading_settled",
        "info",
        f"by its numbers, the column {heading!r} is read as the {IN_WORDS[quantity]}",
        f"if it is not, call it by what it is: {', '.join(QUANTITIES)}",
    )


def from_the_top(
    columns: Sequence[Column], *, ascending: bool, rounding: Rounding
) -> tuple[list[Column], list[Finding]]:
    """Return columns with their bins from the most likely positive down, and all sums with them.

    Running numbers tell by where they are the whole from which end they run; one that runs from
    the other end is the whole less the one before.
    """
    ends = {column.heading: _rises(column) for column in columns}
    told = [end for end in ends.values() if end is not None]
    usual = told[0] if told else not ascending
    found, remarks = [], []
    for column in columns:
        rises = ends[column.heading]
        runs_down = (usual if rises is None else rises) if _runs(column) else not ascending
        if runs_down == (not ascending):
            turned: Column | None = column
        else:
            turned = _turned(column, rises=runs_down, rounding=rounding)
        if turned is None:
            remarks.append(_left_out(column))
            continue
        found.append(replace(turned, cells=turned.cells[::-1]) if ascending else turned)
    return found, remarks


def _runs(column: Column) -> bool:
    return column.quantity in RUNNING | OF_GAPS | RATIOS


def _rises(column: Column) -> bool | None:
    """Return whether a running column starts at its first row, or at its last; None if unclear."""
    held = [cell for cell in column.cells if cell is not None]
    if not held or not _runs(column) or column.quantity == "cum_rate":
        return None
    first, last = held[0], held[-1]
    if column.quantity in RUNNING:
        return None if first.value == last.value else last.value > first.value
    if column.quantity in OF_GAPS:
        whole = Fraction(0)
    elif column.scale is None:
        return None
    else:
        whole = 1 / column.scale
    if column.cells[0] is None or column.cells[-1] is None:
        return None
    ends = [abs(cell.value - whole) <= NO_SLACK for cell in (first, last)]
    return None if ends[0] == ends[1] else ends[1]


def _turned(column: Column, *, rises: bool, rounding: Rounding) -> Column | None:
    """Return a running column as it runs from its other end, or None if that is not known."""
    cells = column.cells if rises else column.cells[::-1]
    if column.quantity in OF_GAPS:
        turned: list[Cell | None] = _gaps(cells, absolute=column.quantity == "ks_absolute")
    elif column.quantity in RUNNING and not (
        column.quantity in RUNNING_SHARES and column.scale is None
    ):
        turned = _rest(cells, column, rounding)
    else:
        return None
    return replace(column, cells=tuple(turned if rises else turned[::-1]))


def _rest(cells: Sequence[Cell | None], column: Column, rounding: Rounding) -> list[Cell | None]:
    """Return the whole less what stands before each bin."""
    end = cells[-1]
    if end is None:
        return [None] * len(cells)
    whole = 1 / column.scale if column.quantity in RUNNING_SHARES and column.scale else end.value
    return [end, *(_less(whole, cell, rounding) for cell in cells[:-1])]


def _less(whole: Fraction, cell: Cell | None, rounding: Rounding) -> Cell | None:
    if cell is None:
        return None
    # What was cut off below is cut off above once it is taken from the whole.
    cut = cell.unit if rounding == "down" else Fraction(0)
    return Cell(whole - cell.value - cut, cell.unit, f"{cell.text} from the other end")


def _gaps(cells: Sequence[Cell | None], *, absolute: bool) -> list[Cell | None]:
    """Return KS from the other end; of a score that ranks it is positive from either."""
    flip = not absolute and sum(cell.value for cell in cells if cell is not None) < 0
    sign = -1 if flip else 1
    kept = [None if cell is None else replace(cell, value=sign * cell.value) for cell in cells]
    return [kept[-1], *kept[:-1]]


def _left_out(column: Column) -> Finding:
    return Finding(
        "column_left_out",
        "warning",
        f"the column {column.heading!r} is left out: it runs from the less likely positives up",
        "give it from the most likely positives down",
    )

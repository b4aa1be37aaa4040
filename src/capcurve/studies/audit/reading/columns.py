"""What each column holds and in which unit, with running columns from the top down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from capcurve.show.finding import Finding
from capcurve.studies.audit.printed import COUNTED, IN_WORDS, QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capcurve.studies.audit.printed import Column, Quantity
    from capcurve.studies.audit.reading.headings import Meaning
    from capcurve.studies.audit.reading.numbers import Number

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
class Settled:
    """What a column may hold, by what its numbers are multiplied then, and what is told of it."""

    quantity: Quantity
    scale: Fraction | None
    told: Finding | None = None


def settled(
    heading: str,
    meaning: Meaning,
    numbers: Sequence[Number | None],
    sizes: Sequence[Fraction] | None = None,
) -> list[Settled]:
    """Return what a column may hold, the likeliest first; nothing where nothing tells.

    `sizes` are the cases of each bin, if known.
    """
    held = [number for number in numbers if number is not None]
    percent = _in_percent(heading, held)
    may_be = meaning.quantities
    sure = meaning.sure
    if may_be[0] in COUNTED and (percent or not all(is_whole(number) for number in held)):
        _refuse_fractions(heading, held, percent=percent)
        may_be, sure = AS_SHARES[may_be[0]], False
    if any(number.cell.value < 0 for number in held):
        may_be = tuple(each for each in may_be if each != "ks_absolute") or may_be
    shapes = {quantity: _scale_of_shape(quantity, numbers, sizes) for quantity in may_be}
    fitting = [quantity for quantity in may_be if shapes[quantity] is not None]
    if not fitting and not sure and may_be[0] != "rate":
        # Shares of which one is missing have no shape.
        may_be = tuple(each for each in may_be if each in SHAPELESS or None in numbers)
    found = []
    for quantity in _by_likelihood(may_be, fitting, numbers):
        scale = PER_CENT if percent else _scale(quantity, shapes[quantity], meaning, held)
        doubtful = len(may_be) > 1 and quantity != meaning.quantities[0]
        found.append(Settled(quantity, scale, _told(heading, quantity) if doubtful else None))
    return found


def _by_likelihood(
    may_be: tuple[Quantity, ...], fitting: Sequence[Quantity], numbers: Sequence[Number | None]
) -> list[Quantity]:
    """Return what a column may hold, first what has the shape of the numbers.

    Where a bin has no lift, the average of the others says nothing.
    """
    if "lift" in fitting or ("lift" in may_be and None in numbers):
        first: Sequence[Quantity] = ["lift"]
    else:
        first = fitting or [each for each in may_be if each in {"rate", "cum_rate", "lift"}]
    return list(dict.fromkeys([*first, *may_be]))


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
        return _scale_of_lifts(held, sizes) if whole else None
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
    # Of bins of any size an average of 100 may as well be that of lifts.
    for scale in (Fraction(1), PER_CENT) if sizes else (Fraction(1),):
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
    largest = max((abs(number.cell.value) for number in held), default=Fraction(0))
    if quantity in {"lift", "cum_lift"}:
        return Fraction(1) if largest <= LARGE_LIFT else of_shape
    if quantity in RUNNING_SHARES and held:  # also where a number between does not fit
        ends = (_nearest(held[at].cell.value, NO_SLACK) for at in (-1, 0))
        of_shape = of_shape or next(filter(None, ends), None)
    if of_shape is not None:
        return of_shape
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


def readings(columns: Sequence[Sequence[Column]], *, ascending: bool) -> list[Column]:
    """Return each column as it likeliest reads, with its other readings, from the top down.

    `columns` are what each may hold. Running numbers tell by where they are the whole from which
    end they run; those that do not tell run from the most likely positives, or as the others do.
    """
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
            for way in _ways(column, usual)
            for read in _directed(column, way, known_to_run_down, ascending=ascending)
        ]
        found.append(replace(may_be[0], others=tuple(may_be[1:])))
    return found


def _ends_told(columns: Iterable[Column]) -> Iterator[bool]:
    """Yield of each column that tells it whether it runs down."""
    return (rises for column in columns if (rises := _rises(column)) is not None)


def _ways(column: Column, usual: bool) -> list[bool]:
    """Return whether a column may run down, and whether it may run up, the likelier first."""
    if column.quantity not in RUNNING | RUNNING_RATIOS:
        return [True]
    rises = _rises(column)
    if rises is None:
        return [usual, not usual]
    # Counts and shares cannot but rise; lifts and gaps may be misprinted.
    return [rises] if column.quantity in RUNNING else [rises, not rises]


def _directed(
    column: Column, runs_down: bool, known_to_run_down: bool | None, *, ascending: bool
) -> Iterator[Column]:
    """Yield a column from the top down that runs in one direction, with each sign it may have.

    `known_to_run_down` is whether running columns run down, or None where nothing tells.
    """
    top_down = replace(column, cells=column.cells[::-1]) if ascending else column
    if column.quantity not in RUNNING | RUNNING_RATIOS:
        yield top_down
        return
    from_below = runs_down == ascending
    read = replace(top_down, from_below=from_below)
    sure = column.quantity in RUNNING
    if known_to_run_down is not None and runs_down != known_to_run_down and not sure:
        read = replace(read, turned=True)
    if read.turned or (sure and from_below and not ascending):
        read = replace(read, finding=_turned(read, "info" if sure else "warning"))
    yield from _signed(read)


def _signed(column: Column) -> list[Column]:
    """Return a KS from below with either sign: of a score that ranks it is negative, or turned."""
    if column.quantity != "ks" or not column.from_below:
        return [column]
    signs = [replace(column, flipped=flipped) for flipped in (False, True)]
    negative = sum(cell.value for cell in column.cells if cell is not None) < 0
    return signs if negative else signs[::-1]


def _rises(column: Column) -> bool | None:
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


def _turned(column: Column, severity: Literal["info", "warning"]) -> Finding:
    ends = ("less", "up") if column.from_below else ("more", "down")
    return Finding(
        "direction_settled",
        severity,
        f"by its numbers, the column {column.heading!r} is read from the {ends[0]} likely "
        f"positives {ends[1]}",
        "if it does not run so, one of its numbers is wrong",
    )

"""A table as somebody printed it: every number as it stood, and where the number behind it lies."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from capcurve.show.presentation import Finding

OfCases = Literal["n", "cum_n", "share_of_cases", "selected"]
OfPositives = Literal["positives", "cum_positives", "share_of_positives", "captured"]
OfNegatives = Literal["negatives", "cum_negatives", "share_of_negatives", "fpr"]
OfRates = Literal["rate", "cum_rate", "negative_rate", "cum_negative_rate"]
OfBoth = Literal["lift", "cum_lift", "ks", "ks_absolute"]
Quantity = OfCases | OfPositives | OfNegatives | OfRates | OfBoth
QUANTITIES: tuple[Quantity, ...] = sum(
    (get_args(each) for each in (OfCases, OfPositives, OfNegatives, OfRates, OfBoth)), ()
)
Rounding = Literal["half", "down", "any"]
COUNTED = frozenset({"n", "positives", "negatives", "cum_n", "cum_positives", "cum_negatives"})
# What is told of each bin, and the same down to its end.
DOWN: dict[Quantity, Quantity] = {
    "n": "cum_n",
    "positives": "cum_positives",
    "negatives": "cum_negatives",
    "share_of_cases": "selected",
    "share_of_positives": "captured",
    "share_of_negatives": "fpr",
    "rate": "cum_rate",
    "negative_rate": "cum_negative_rate",
    "lift": "cum_lift",
}
# For what a column may be mistaken.
COUNTERPARTS = {**DOWN, **{down: each for each, down in DOWN.items()}, "ks": "ks_absolute"}
# What floats lose between a division and print, relative to 1: more digits say no more.
LOST_BY_FLOATS = Fraction(1, 10**15)
MOST_DECIMALS_SHOWN = 12  # decimals
# By how many units of the last digit the number behind may lie below and above the printed one.
REACH = {
    "half": (Fraction(1, 2), Fraction(1, 2)),
    "down": (Fraction(0), Fraction(1)),
    "any": (Fraction(1), Fraction(1)),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One number as it was printed."""

    value: Fraction  # as printed, without per cent signs and separators, and not rescaled
    unit: Fraction  # what one step of its last digit is worth; 0 for an exact number
    text: str  # the number as printed, for messages
    percent: bool = False  # whether a per cent sign stood beside it

    @property
    def is_whole(self) -> bool:
        """Whether it may count cases."""
        return self.value.denominator == 1

    @property
    def stated(self) -> Fraction:
        """The number that is meant, a hundredth beside a per cent sign."""
        return self.value / 100 if self.percent else self.value


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """One column as it was printed."""

    quantity: Quantity  # what it holds: ks is captured less fpr, ks_absolute without its sign
    heading: str  # what the source calls it
    cells: tuple[Cell | None, ...]  # one per bin; None where nothing stands
    scale: Fraction | None = None  # to multiply by: 1, or 1/100 for per cent; None if not known
    from_below: bool = False  # whether running numbers are those of their bin and of all below it
    flipped: bool = False  # whether a KS is printed as fpr less captured
    named: bool = False  # whether a user says what it holds
    total: Cell | None = None  # what the row of totals holds

    @property
    def held(self) -> list[Cell]:
        """The numbers that are there."""
        return [cell for cell in self.cells if cell is not None]


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A binned table as it was printed, the bin of the most likely positives first."""

    columns: tuple[PrintedColumn, ...]  # the columns that were understood
    names: tuple[str, ...]  # what each bin is called
    positives: int | None = None  # in the whole table, as given or in a row of totals
    cases: int | None = None  # likewise
    prevalence: tuple[Fraction, Fraction] | None = None  # from which to which share, if given
    edges: tuple[tuple[object, object], ...] | None = None  # from which to which score bins go
    remarks: tuple[Finding, ...] = ()  # what to know of the reading: rows and columns left out
    source: str | None = None  # where the table came from, such as the name of its file


class Window(NamedTuple):
    """From where to where a number may lie, both ends included."""

    low: Fraction
    high: Fraction

    @property
    def is_empty(self) -> bool:
        """Whether no number lies there."""
        return self.low > self.high

    def cut(self, other: Window) -> Window:
        """Return what lies in both windows."""
        return Window(max(self.low, other.low), min(self.high, other.high))


@dataclass(frozen=True, slots=True)
class Windowed:
    """A printed column whose numbers are windows, one per bin; None where nothing stands."""

    quantity: Quantity
    heading: str
    windows: tuple[Window | None, ...]
    from_below: bool = False

    def level(self, place: int) -> int:
        """Return at the end of which bin a number tells the running sums from the top."""
        # All cases from the first bin down are those to the end of the last.
        return (place - 1) % len(self.windows) if self.from_below else place


def window(
    cell: Cell, rounding: Rounding, scale: Fraction = Fraction(1), *, signed: bool = False
) -> Window:
    """Return where the number behind a printed one lies, in the scale of shares.

    `signed` says that it may be below 0 where 0 is printed.

    >>> window(Cell(Fraction(28), Fraction(1), "28%"), "half", Fraction(1, 100))
    Window(low=Fraction(11, 40), high=Fraction(57, 200))
    """
    middle = cell.value * scale
    if not cell.unit:
        return Window(middle, middle)
    least = LOST_BY_FLOATS * max(Fraction(1), abs(middle))
    if rounding == "down" and (middle < 0 or (signed and not middle)):
        # Some programs cut -0.27 off to -0.3, the next number below, others to -0.2, nearer to 0.
        rounding = "any"
    below, above = (max(reach * cell.unit * scale, least) for reach in REACH[rounding])
    return Window(middle - below, middle + above)


def decimals_of(unit: Fraction | int) -> int:
    """Return how many decimals show a unit, 12 at most."""
    return next((d for d in range(MOST_DECIMALS_SHOWN) if unit * 10**d >= 1), MOST_DECIMALS_SHOWN)


def windowed(column: PrintedColumn, rounding: Rounding) -> Windowed:
    """Return the windows of a column whose scale is known."""
    scale, signed = column.scale or Fraction(1), column.quantity == "ks"
    windows: tuple[Window | None, ...] = tuple(
        None
        if cell is None
        else _count_as_printed(cell, column) or window(cell, rounding, scale, signed=signed)
        for cell in column.cells
    )
    if column.flipped:
        windows = tuple(None if w is None else Window(-w.high, -w.low) for w in windows)
    return Windowed(column.quantity, column.heading, windows, column.from_below)


def _count_as_printed(cell: Cell, column: PrintedColumn) -> Window | None:
    """Return a whole number of cases as itself, however others were rounded; else None."""
    if column.quantity not in COUNTED or cell.unit > 1:
        return None
    if not cell.is_whole:
        raise ValueError(
            f"{column.heading} holds {cell.text!r}, but counts of cases are whole numbers: "
            "give counts, or leave the column out"
        )
    return Window(cell.value, cell.value)

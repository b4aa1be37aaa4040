"""What a printed number says of the number behind it: from where to where that may lie."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from capcurve.counts.arguments import told

if TYPE_CHECKING:
    from capcurve.audit.printed import Cell, Column, Quantity

Rounding = Literal["half", "down", "any"]
COUNTED = frozenset({"n", "positives", "negatives", "cum_n", "cum_positives", "cum_negatives"})
# What floats lose between a division and print, relative to 1: more digits say no more.
LOST_BY_FLOATS = Fraction(1, 10**15)
# By how many units of the last digit the number behind may lie below and above the printed one.
REACH = {
    "half": (Fraction(1, 2), Fraction(1, 2)),
    "down": (Fraction(0), Fraction(1)),
    "any": (Fraction(1), Fraction(1)),
}


class Window(NamedTuple):
    """From where to where a number may lie, both ends included."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Windowed:
    """A printed column whose numbers are windows, one per bin; None where nothing stands."""

    quantity: Quantity
    heading: str
    windows: tuple[Window | None, ...]


def check_rounding(rounding: object) -> Rounding:
    """Return how numbers were rounded, else raise ValueError."""
    if rounding == "half" or rounding == "down" or rounding == "any":  # noqa: PLR1714 - narrows the type
        return rounding
    known = ", ".join(map(repr, get_args(Rounding)))
    raise ValueError(f"rounding must be one of {known}, got {told(rounding)}")


def window(
    cell: Cell, rounding: Rounding, scale: Fraction = Fraction(1), *, signed: bool = False
) -> Window:
    """Return where the number behind a printed one lies, in the scale of shares.

    `signed` says that it may be below 0 where 0 is printed.

    >>> from capcurve.audit.printed import Cell
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


def windowed(column: Column, rounding: Rounding, scale: Fraction) -> Windowed:
    """Return the windows of a column."""
    counted, signed = column.quantity in COUNTED, column.quantity == "ks"
    windows = tuple(
        None
        if cell is None
        else _count(cell, column) or window(cell, rounding, scale)
        if counted
        else window(cell, rounding, scale, signed=signed)
        for cell in column.cells
    )
    return Windowed(column.quantity, column.heading, windows)


def _count(cell: Cell, column: Column) -> Window | None:
    """Return a whole number of cases as itself, however others were rounded."""
    if cell.unit > 1:
        return None
    if cell.value.denominator != 1:
        raise ValueError(
            f"{column.heading} holds {cell.text!r}, but counts of cases are whole numbers: "
            "give counts, or leave the column out"
        )
    return Window(cell.value, cell.value)

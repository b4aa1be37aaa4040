"""The single printed numbers that keep a table from fitting, with what would fit."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from capcurve.audit.conflicts import misfits
from capcurve.audit.records import CellFix

if TYPE_CHECKING:
    from capcurve.audit.conflicts import Misfit
    from capcurve.audit.printed import Cell, Column, PrintedTable
    from capcurve.audit.problems import Asked

MOST_DECIMALS = 12


def misprints(asked: Asked, printed: PrintedTable) -> tuple[CellFix, ...]:
    """Return each cell whose number alone keeps the table from fitting."""
    columns = {column.heading: column for column in printed.columns}
    found = []
    for misfit in misfits(asked.problem):
        heading = asked.problem.columns[misfit.column].heading
        if heading in columns:
            found.append(_fix(misfit, columns[heading], asked, printed))
    return tuple(found)


def _fix(misfit: Misfit, column: Column, asked: Asked, printed: PrintedTable) -> CellFix:
    place = asked.bins[misfit.place]
    cell = column.cells[place]
    if cell is None:
        raise ValueError("an empty cell misfits nothing")
    scale = asked.scales[column.heading]
    low, high = misfit.low / scale, misfit.high / scale
    first, last = written_like(low, cell), written_like(high, cell)
    needed = first if first == last else f"{first} to {last}"
    name = printed.names[place]
    message = f"{column.heading} in bin {name} reads {cell.text}; the rest needs {needed}"
    return CellFix(column.heading, name, place, cell.text, low, high, needed, message)


def written_like(value: Fraction, cell: Cell) -> str:
    """Return a number with as many digits as a printed one, and its per cent sign.

    >>> from capcurve.audit.printed import Cell
    >>> written_like(Fraction(800, 11), Cell(Fraction(737, 10), Fraction(1, 10), "73.7%"))
    '72.7%'
    """
    decimals = _decimals(cell.unit or Fraction(1))
    if not cell.unit and value.denominator != 1:
        decimals = 3
    # Rounded as a whole number, so that no digit is lost in a float.
    digits = str(abs(round(value * 10**decimals))).rjust(decimals + 1, "0")
    text = digits if not decimals else f"{digits[:-decimals]}.{digits[-decimals:]}"
    sign = "-" if value < 0 and text.strip("0.") else ""
    return f"{sign}{text}{'%' if '%' in cell.text else ''}"


def _decimals(unit: Fraction) -> int:
    return next((d for d in range(MOST_DECIMALS) if unit * 10**d >= 1), MOST_DECIMALS)

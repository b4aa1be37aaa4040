"""Running columns that are printed from the other end: the same numbers from the top down."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from capcurve.audit.printed import Cell
from capcurve.audit.reading.meanings import NO_SLACK, RUNNING, RUNNING_SHARES
from capcurve.summary import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.printed import Column
    from capcurve.audit.windows import Rounding

OF_GAPS = {"ks", "ks_absolute"}
RATIOS = {"cum_rate", "cum_lift"}


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

"""How else tools print a column under the same heading, for tables that do not fit as usual."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from capcurve.numbers.arguments import told
from capcurve.show.presentation import Finding
from capcurve.studies.audit.reading.table import (
    RUNNING_RATIOS,
    RUNNING_SUMS,
    of_direction,
    starts_at_top,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.studies.audit.printed import PrintedColumn, PrintedTable

AS_READ = {
    "cum_lift": "the lift down to the end of each bin",
    "ks": "the share of negatives less that of positives",
    "ks_absolute": "KS without its sign",
}


def other_readings(printed: PrintedTable) -> Iterator[PrintedTable]:
    """Yield a table with columns read otherwise, as few as possible first, and that said."""
    several = [(column, *_otherwise(column)) for column in printed.columns]
    usual = printed.columns

    def changed(columns: tuple[PrintedColumn, ...]) -> int:
        return sum(new is not old for new, old in zip(columns, usual, strict=True))

    for columns in sorted(product(*several), key=changed)[1:]:
        pairs = [(old, new) for old, new in zip(usual, columns, strict=True) if new is not old]
        before = [of_direction(old, turned=turned) for old, _ in pairs for turned in (True, False)]
        kept = [each for each in printed.remarks if each not in before]
        said = (_of_reading(*each) for each in pairs)
        yield replace(printed, columns=columns, remarks=(*kept, *said))


def _otherwise(column: PrintedColumn) -> Iterator[PrintedColumn]:
    """Yield how else tools print a column: a running lift, a gap without its sign, turned round."""
    both_ends = [replace(column, from_below=below) for below in (False, True)]
    if column.quantity == "lift" and not column.named:
        yield from (replace(each, quantity="cum_lift") for each in both_ends)
    of_sums = column.quantity in RUNNING_SUMS and starts_at_top(column) is None
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
        return of_direction(read, turned=True)
    return Finding(
        "heading_settled",
        "info",
        f"by its numbers, the column {usual.heading!r} is read as {AS_READ[read.quantity]}",
        f"if it is not, one of its numbers is wrong: to see which, say what it is, as "
        f"columns={{{told(usual.heading)}: {usual.quantity!r}}}",
    )

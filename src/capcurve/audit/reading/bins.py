"""The bins of a printed table: what they are called, which scores they hold, which are empty."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.audit.reading.numbers import is_missing
from capcurve.summary import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.printed import PrintedTable
    from capcurve.audit.reading.layout import Layout
    from capcurve.audit.reading.sheet import Row


def names_of(rows: Sequence[Row], layout: Layout) -> tuple[str, ...]:
    """Return what each bin is called: by its label, its scores, or its number from the top."""
    if layout.label is not None:
        cells = [row.cells[layout.label] for row in rows]
        return tuple(
            str(at) if is_missing(cell) else " ".join(str(cell).split())
            for at, cell in enumerate(cells, 1)
        )
    return tuple(str(at) for at in range(1, len(rows) + 1))


def edges_of(rows: Sequence[Row], layout: Layout) -> tuple[tuple[object, object], ...] | None:
    """Return the scores from which to which each bin goes, where the table has both."""
    if layout.edges is None:
        return None
    start, end = layout.edges
    return tuple((_score(row.cells[start]), _score(row.cells[end])) for row in rows)


def _score(cell: Any) -> object:
    if is_missing(cell):
        return None
    return cell.item() if isinstance(cell, np.generic) else cell


def without_empty(read: PrintedTable) -> PrintedTable:
    """Return the table without bins that have no cases; the others keep their names."""
    empty = _empty(read)
    if not empty:
        return read
    kept = [at for at in range(len(read.names)) if at not in empty]
    columns = tuple(replace(c, cells=tuple(c.cells[at] for at in kept)) for c in read.columns)
    names = ", ".join(read.names[at] for at in sorted(empty))
    remark = Finding(
        "empty_bins", "info", f"bins without cases are left out: {names}", "they change nothing"
    )
    return replace(
        read,
        columns=columns,
        names=tuple(read.names[at] for at in kept),
        edges=None if read.edges is None else tuple(read.edges[at] for at in kept),
        remarks=(*read.remarks, remark),
    )


def _empty(read: PrintedTable) -> set[int]:
    """Return which bins have no cases, by their number of cases or because none were added."""
    found: set[int] = set()
    for column in read.columns:
        values = [None if cell is None else cell.value for cell in column.cells]
        if column.quantity == "n":
            found |= {at for at, value in enumerate(values) if value == 0}
        elif column.quantity == "cum_n":
            before = [Fraction(0), *values[:-1]]
            found |= {at for at, v in enumerate(values) if v is not None and v == before[at]}
    for column in read.columns:
        if column.quantity in ("positives", "negatives"):
            for at in found:
                cell = column.cells[at]
                if cell is not None and cell.value:
                    raise ValueError(
                        f"bin {read.names[at]} has no cases and {cell.text} {column.quantity}"
                    )
    return found


def checked(read: PrintedTable) -> PrintedTable:
    """Return the table with what must be known of its scores; refuse one without bins."""
    if not read.names:
        raise ValueError("no bin of the table has a case")
    shared = _shared_scores(read)
    if not shared:
        return read
    message = (
        f"bins share scores ({', '.join(shared)}): cases of one score stand on both sides of an "
        f"edge, so the ranges say nothing about the score"
    )
    advice = (
        "bins must be cut between scores; if these are cut points that no case has, all is well"
    )
    remark = Finding("shared_scores", "warning", message, advice)
    return replace(read, remarks=(*read.remarks, remark))


def _shared_scores(read: PrintedTable) -> list[str]:
    """Return the scores at which one bin ends and the next begins."""
    edges = read.edges or ()
    found = []
    for upper, lower in pairwise(edges):
        for score in upper:
            if score is not None and score in lower:
                found.append(str(score))
                break
    return found

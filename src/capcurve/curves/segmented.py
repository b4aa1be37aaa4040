"""What is ranked above each score of its segment, from which numbers of all segments are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.table import wide
from capcurve.numbers.exact import DoubleDouble

if TYPE_CHECKING:
    from capcurve.counts import SegmentCounts
    from capcurve.numbers.types import Array, Floats, Ints


@dataclass(frozen=True, slots=True)
class SegmentCells:
    """Positives and cases at each score of each segment, best first, in whole numbers.

    Columns have shape (K,), a number for each score; those of segments have shape (G,).
    """

    counts: SegmentCounts
    e: Array  # e, m: positives, and cases, at the score
    m: Ints
    before_e: Array  # before_e, before_m: those above it in its segment
    before_m: Ints
    positives: Array  # positives, cases: those of each segment
    cases: Ints

    @classmethod
    def of(cls, counts: SegmentCounts) -> SegmentCells:
        """Return the cells of counts of positives and negatives, which are whole."""

        def find() -> SegmentCells:
            e, f = map(wide, counts.sums)
            return cls.of_sums(counts, e, e + f)

        found: SegmentCells = counts.known("cells", find)
        return found

    @classmethod
    def of_sums(cls, counts: SegmentCounts, e: Array, m: Ints) -> SegmentCells:
        """Return cells with so much to be found, and so many cases, at each score."""
        before = []
        for column in (e, m):
            above = np.append(0, np.cumsum(column))
            before.append(above[:-1] - counts.by_cell(above[counts.starts[:-1]]))
        both = (segment_totals(counts, column) for column in (e, m))
        return cls(counts, e, m, *before, *both)

    def total(self, column: Array) -> Array:
        """Return the sum of a column over each segment, 0 where it has no cells."""
        return segment_totals(self.counts, column)

    def highest(self, column: Array) -> Array:
        """Return the highest number of a column in each segment, 0 where it has no cells."""
        return segment_totals(self.counts, column, np.maximum)

    def spread(self, numbers: Array) -> Array:
        """Return numbers of the segments at each score of theirs."""
        return self.counts.by_cell(numbers)


def captured_at(cells: SegmentCells, q: Array) -> tuple[Floats, Floats]:
    """Return what the top shares q > 0 of segments capture, and their lift; NaN without positives.

    In double-double, as the curve of one segment is read, so that both have the same digits.
    """
    captured, lift = np.full((2, len(q)), np.nan)
    # A cell is passed where its end, as a float, is not beyond the share.
    passed = (cells.before_m + cells.m) / cells.spread(cells.cases) <= cells.spread(q)
    last = cells.counts.starts[:-1] + cells.total(passed.astype(np.intp))
    known = np.flatnonzero(cells.positives > 0)
    at, q = np.minimum(last, cells.counts.starts[1:] - 1)[known], q[known]

    def ends(before: Ints, here: Ints, total: Ints) -> list[DoubleDouble]:
        of = DoubleDouble.of(total[known])
        return [DoubleDouble.of(sums) / of for sums in (before[at], before[at] + here[at])]

    cases = ends(cells.before_m, cells.m, cells.cases)
    found = ends(cells.before_e, cells.e, cells.positives)
    start, end = cases
    part = (DoubleDouble.of(q) - start) / (end - start)
    part = part.where(~((part.high <= 0) | (q == start.high)), 0.0)
    part = part.where(~((part.high >= 1) | (q == end.high)), 1.0)
    held, depth = (
        (first + (last - first) * part).where(part.high < 1, last) for first, last in (found, cases)
    )
    captured[known], lift[known] = held.high, (held / depth).high
    return captured, lift


def segment_totals(counts: SegmentCounts, column: Array, add: np.ufunc = np.add) -> Array:
    """Return the sum of a column of cells over each segment, 0 where it has none."""
    found = np.zeros(len(counts), dtype=column.dtype)
    full = np.diff(counts.starts) > 0
    if full.any():
        found[full] = add.reduceat(column, counts.starts[:-1][full])
    return found

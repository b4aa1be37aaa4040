"""The tables that fit where the cases in each bin are known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.studies.audit.bins import Bins
from capcurve.studies.audit.limits import (
    FREE_OF_TOTAL,
    Extremes,
    Limits,
    Place,
    ends,
    extremes,
    limits,
    linear,
)
from capcurve.studies.audit.printed import Window, Windowed
from capcurve.studies.audit.tables import Tables, stacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.studies.audit.bins import Amount

MOST_TOTALS, BLOCK = 10**6, 2**15
# Up to so many numbers of positives, gaps without a sign are settled one number after the other.
MOST_SIGNED = 200
LARGEST = 2**62
NO_GAP = Window(Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class KnownSizes:
    """Columns of a table whose bins hold known numbers, or known shares, of the cases."""

    sizes: tuple[Amount, ...]  # cases of each bin: whole numbers, or fractions that add up to 1
    columns: tuple[Windowed, ...]  # what was printed of the positives
    # The positives: a range of whole numbers, or several shares of the cases.
    totals: range | tuple[Amount, ...]
    whole: bool  # whether cases are whole numbers
    sharp: bool = True  # whether the totals are all that matter, or a selection of many
    remembered: dict[Any, dict[int, Limits]] = field(default_factory=dict, repr=False)

    @property
    def running(self) -> tuple[Amount, ...]:
        """Cases down to the end of each bin."""
        return tuple(accumulate(self.sizes))

    def places(self, n1: Amount) -> tuple[Place, ...]:
        """Return where the numbers of each bin stand."""
        n = self.running[-1]
        pairs = zip(self.sizes, self.running, strict=True)
        return tuple(Place(size, running, n, n1) for size, running in pairs)

    def limits_at(self, n1: Amount) -> dict[int, Limits]:
        """Return what the columns say with one number of positives."""
        if n1 not in self.remembered:
            places = self.places(n1)
            self.remembered[n1] = {
                i: limits(column, places, whole=self.whole) for i, column in enumerate(self.columns)
            }
        return self.remembered[n1]

    def solve(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> Tables | None:
        """Return the tables that fit some of the columns, one cell left out, or None."""
        if isinstance(self.totals, range):
            span = self.totals if len(self.totals) == 1 else self.span(active, skip)
            if len(span) > 1:
                return self._of_many(span, active, skip)
            totals: Iterable[Amount] = span
        else:
            totals = self.totals
        found = (self._of_one(n1, active, skip) for n1 in totals)
        return stacked([tables for tables in found if tables is not None])

    @property
    def effort(self) -> int:
        """How many numbers of positives a solution goes through, many at once."""
        if not isinstance(self.totals, range) or len(self.totals) == 1:
            return len(self.totals)
        return len(self.span(range(len(self.columns))))

    def _of_one(
        self, n1: Amount, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        columns = self._chosen(self.limits_at(n1), active, skip)
        found = extremes(self.sizes, (n1, n1), columns)
        unsigned = [i for i in active if self.columns[i].quantity == "ks_absolute"]
        sharp = True
        if unsigned and found.fits:
            cells = [(i, b) for i in unsigned for b in range(len(self.sizes)) if (i, b) != skip]
            found, sharp = self._signed(n1, found, columns, cells)
        return self._tables(found, sharp=sharp) if found.fits else None

    def _signed(
        self, n1: Amount, found: Extremes, columns: list[Limits], cells: list[tuple[int, int]]
    ) -> tuple[Extremes, bool]:
        """Return the extremes with gaps printed without a sign on the side that fits them.

        As long as both sides fit, neither is taken, and the extremes are not sharp.
        """
        places = self.places(n1)
        waiting = [(i, b) for i, b in cells if (w := self.columns[i].windows[b]) and w.low > 0]
        while found.fits:
            settled = []
            for i, place in waiting:
                # From below the gap is the same, but for its sign.
                b, window = self.columns[i].level(place), self.columns[i].windows[place] or NO_GAP
                rule = linear("ks", places[b])
                above = ends(rule, window, whole=self.whole)
                below = ends(rule, Window(-window.high, -window.low), whole=self.whole)
                fits = [
                    low <= found.high[b] and found.low[b] <= high for low, high in (above, below)
                ]
                if not all(fits):
                    settled.append((i, place))
                    columns = [*columns, _one_level(above if fits[0] else below, b, len(places))]
            if not settled:
                break
            waiting = [cell for cell in waiting if cell not in settled]
            found = extremes(self.sizes, (n1, n1), columns)
        return found, not waiting

    def _chosen(
        self, said: Mapping[int, Limits], active: Sequence[int], skip: tuple[int, int] | None
    ) -> list[Limits]:
        """Return the limits of some columns, one cell left out."""
        place = None if skip is None else self.columns[skip[0]].level(skip[1])
        return [
            said[i].without(place) if skip and place is not None and skip[0] == i else said[i]
            for i in active
        ]

    def _tables(self, found: Extremes, *, sharp: bool = True) -> Tables:
        least, greatest = (Bins.of(self.running, each) for each in (found.low, found.high))
        return Tables(least, greatest, found.step_low, found.step_high, sharp and self.sharp)

    def span(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> range:
        """Return the numbers of positives left by columns that speak of these alone."""
        free = [i for i in active if self.columns[i].quantity in FREE_OF_TOTAL]
        first, last = self.totals[0], self.totals[-1]
        said = self.limits_at(first)
        said = {i: said[i].of_total() if self.columns[i].from_below else said[i] for i in free}
        found = extremes(self.sizes, (first, last), self._chosen(said, free, skip))
        return range(found.low[-1], found.high[-1] + 1) if found.fits else range(0)

    def _of_many(
        self, span: range, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        """Return the tables that fit with any of many numbers of positives, block by block."""
        if len(span) > MOST_TOTALS:
            raise ValueError(
                f"the number of positives is not known, and {len(span):,} are possible: "
                "say how many there are with positives="
            )
        found = []
        for first in range(span.start, span.stop, BLOCK):
            totals = np.arange(first, min(first + BLOCK, span.stop), dtype=self._dtype())
            places = self.places(totals)
            columns = {i: limits(self.columns[i], places, whole=True) for i in active}
            chosen = self._chosen(columns, active, skip)
            found.append(_those_that_fit(extremes(self.sizes, (totals, totals), chosen)))
        signed = all(self.columns[i].quantity != "ks_absolute" for i in active)
        tables = self._tables(_joined(found), sharp=signed)
        if len(tables) == 1 or (not signed and len(tables) <= MOST_SIGNED):
            totals = tables.greatest.n1.tolist()
            return stacked([t for n1 in totals if (t := self._of_one(n1, active, skip))])
        return tables if len(tables) else None

    def _dtype(self) -> Any:
        """Return a type of whole numbers that no product here overflows."""
        n = self.running[-1]
        printed = [
            max(abs(end.numerator), end.denominator)
            for column in self.columns
            for window in column.windows
            if window is not None
            for end in window
        ]
        return np.int64 if 4 * n * n * max(printed, default=1) < LARGEST else object

    def of_bins(self, places: Sequence[int]) -> KnownSizes:
        """Return the problem of some bins, without others that hold no cases and no column."""
        sizes = tuple(self.sizes[place] for place in places)
        return replace(self, sizes=sizes, columns=(), remembered={})

    def within_gap(self, tables: Tables, gap: Fraction) -> Tables | None:
        """Return which tables show no larger gap between the shares captured, or None.

        `tables` have one number of positives.
        """
        n1 = tables.least.n1
        columns = [
            Limits(False, tables.least.positives, tables.greatest.positives),
            Limits(True, tables.step_low, tables.step_high),
            self._gap(gap, n1),
        ]
        found = extremes(self.sizes, (n1, n1), columns)
        return self._tables(found) if found.fits else None

    def _gap(self, gap: Fraction, n1: Amount) -> Limits:
        column = Windowed("ks", "", (Window(-gap, gap),) * len(self.sizes))
        return limits(column, self.places(n1), whole=self.whole)


def _one_level(ends_there: tuple[Amount, Amount], place: int, bins: int) -> Limits:
    """Return limits of running positives at the end of one bin."""
    low, high = (tuple(end if b == place else None for b in range(bins)) for end in ends_there)
    return Limits(False, low, high)


def _those_that_fit(found: Extremes) -> Extremes:
    """Return the extremes of the numbers of positives that fit."""
    low, high, step_low, step_high = (
        tuple(column[found.fits] for column in columns)
        for columns in (found.low, found.high, found.step_low, found.step_high)
    )
    return Extremes(True, low, high, step_low, step_high)


def _joined(found: Sequence[Extremes]) -> Extremes:
    """Return the extremes of blocks as one."""
    parts = zip(*((e.low, e.high, e.step_low, e.step_high) for e in found), strict=True)
    low, high, step_low, step_high = (
        tuple(np.concatenate(columns) for columns in zip(*part, strict=True)) for part in parts
    )
    return Extremes(True, low, high, step_low, step_high)

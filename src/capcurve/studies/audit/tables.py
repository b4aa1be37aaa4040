"""The tables that fit what was printed: the least and the greatest for each number of positives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.arguments import arg
from capcurve.numbers.order import LARGEST_TOTAL
from capcurve.studies.audit.bins import Bins, ByBin, EndsByBin, OneOrMany, each_at, is_many
from capcurve.studies.audit.column_limits import (
    FREE_OF_TOTAL,
    OF_ONE_BIN,
    TELL_OF_NEGATIVES,
    TELL_OF_POSITIVES,
    Bound,
    ColumnLimits,
    bounds_of,
    corner,
    linear,
)
from capcurve.studies.audit.printed import Window, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from fractions import Fraction

MOST_TOTALS_KNOWN, TOTALS_AT_ONCE = 10**6, 2**15
# Up to so many numbers of positives, gaps without a sign are settled one number after the other.
MOST_SIGNED = 200
MOST_TOTALS_ROUNDED = 2000


@dataclass(frozen=True, slots=True)
class Tables:
    """The least and the greatest of the tables that fit."""

    # Of tables with the same number of positives the least has the fewest running positives, and
    # the most running negatives, at the end of every bin. Arrays where that number is not known.
    least: Bins
    greatest: Bins
    # Step_low, step_high: from where to where columns alone let the positives of each bin lie.
    step_low: ByBin
    step_high: ByBin
    sharp: bool = True  # whether the ends are themselves tables that fit

    def __len__(self) -> int:
        return len(self.least.n1) if is_many(self.least.n1) else 1

    def at(self, place: int) -> Tables:
        """Return the tables with one of the possible numbers of positives."""
        if not is_many(self.least.n1):
            return self
        return self.changed(lambda numbers: tuple(each_at(number, place) for number in numbers))

    def each(self, most: int | None = None) -> Iterator[Tables]:
        """Yield the tables of one number of positives after another, at most so many."""
        places = np.arange(len(self))
        if most is not None and len(places) > most:
            places = np.unique(np.linspace(0, len(places) - 1, most).astype(np.intp))
        return map(self.at, places.tolist())

    def of_bins(self, places: Sequence[int]) -> Tables:
        """Return the tables of some bins, without others that hold no cases."""
        return self.changed(lambda numbers: tuple(numbers[place] for place in places))

    def where(self, fits: Any) -> Tables:
        """Return the tables of some of many numbers of positives."""
        return self.changed(lambda numbers: tuple(each[fits] for each in numbers))

    def changed(self, change: Callable[[ByBin], ByBin]) -> Tables:
        """Return the tables with their numbers by bin changed, all in the same way."""
        return tables_together([self], lambda parts: change(parts[0]))

    @property
    def only(self) -> Bins | None:
        """The table, if a single one fits."""
        if len(self) > 1 or not self.sharp:
            return None
        first = self.at(0)
        return first.least if first.least == first.greatest else None


def how_many(totals: Sequence[int]) -> int:
    """Return how many numbers there are, also in a range that is too long for `len` of 32 bits.

    >>> how_many(range(1, 10**10)), how_many((3, 5))
    (9999999999, 2)
    """
    if isinstance(totals, range):
        return max(-((totals.start - totals.stop) // totals.step), 0)
    return len(totals)


def tables_together(found: Sequence[Tables], join: Callable[[tuple[ByBin, ...]], ByBin]) -> Tables:
    """Return several tables as one, their numbers by bin joined."""
    numbers = [(*each.least, *each.greatest, each.step_low, each.step_high) for each in found]
    p, m, more, fewer, low, high = map(join, zip(*numbers, strict=True))
    return Tables(Bins(p, m), Bins(more, fewer), low, high, all(each.sharp for each in found))


def tables_stacked(found: Sequence[Tables]) -> Tables | None:
    """Return the tables of several numbers of positives as one, or None of none."""
    if len(found) < 2:  # noqa: PLR2004 - nothing to stack
        return found[0] if found else None
    return tables_together(
        found,
        lambda parts: tuple(np.array(each, dtype=object) for each in zip(*parts, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """Columns of a table whose bins hold known numbers, or windows, or shares, of the cases."""

    # From where to where the cases lie down to the end of each bin, and in each bin: whole numbers,
    # or fractions that add up to 1; the same where they are known.
    cases: EndsByBin
    steps: EndsByBin
    columns: tuple[Windowed, ...]  # what was printed of the positives
    totals: range | tuple[OneOrMany, ...]  # the positives: whole numbers, or shares of the cases
    whole: bool  # whether cases are whole numbers
    sharp: bool = True  # whether the totals are all that matter, or a selection of many
    loose: bool = False  # whether bins' own sizes say more than the running ones
    remembered: dict[Any, list[Bound]] = field(default_factory=dict, repr=False)

    @classmethod
    def of_sizes(cls, sizes: Sequence[OneOrMany], *about: Any, **more: Any) -> Problem:
        """Return the problem of bins that hold known numbers of cases."""
        known, running = tuple(sizes), tuple(accumulate(sizes))
        return cls((running, running), (known, known), *about, **more)

    @property
    def known(self) -> bool:
        """Whether the cases of each bin are known."""
        return self.cases[0] == self.cases[1]

    @property
    def n(self) -> OneOrMany:
        """All cases."""
        return self.cases[1][-1]

    def bounds_at(self, n1: OneOrMany, active: Iterable[int]) -> list[Bound]:
        """Return what some columns say with one number of positives, or each of an array."""
        found: list[Bound] = []
        for i in active:
            column, totals = self.columns[i], (self.n, n1)
            cases = [self._cases_beside(column, b) for b in range(len(column.windows))]
            found += bounds_of(i, column, cases, totals, whole=self.whole)
        return found

    def _cases_beside(self, column: Windowed, b: int) -> tuple[OneOrMany, OneOrMany]:
        """Return from where to where the cases lie of which a column tells something in a bin."""
        level, (low, high) = column.level(b), self.cases
        if column.quantity in OF_ONE_BIN:
            return self.steps[0][b], self.steps[1][b]
        if level < b:
            return self.n - high[level], self.n - low[level]
        return low[level], high[level]

    def between(
        self, first: OneOrMany, last: OneOrMany, bounds: Sequence[Bound]
    ) -> tuple[Tables, Any]:
        """Return the tables with positives between two totals, and whether there are any."""
        totals = (first, last), (self.n - last, self.n - first)
        p, m = (
            ColumnLimits.of(self.steps[1], each, [bound for bound in bounds if bound.of == of])
            for of, each in enumerate(totals)
        )
        (least, fits), (greatest, fit_too) = corner(p, m, self.cases), corner(m, p, self.cases)
        steps = p.steps_beside(m, self.steps)
        return Tables(least, greatest.swapped, *steps, self.sharp), fits & fit_too

    def solve(
        self, some: Sequence[int] | None = None, skip: tuple[int, int] | None = None
    ) -> Tables | None:
        """Return the tables that fit all or some of the columns, one cell left out, or None."""
        totals: Iterable[OneOrMany] = self.totals
        active = range(len(self.columns)) if some is None else some
        if not self.known and how_many(self.totals) > MOST_TOTALS_ROUNDED:
            raise ValueError(
                f"the number of positives is not known, and {how_many(self.totals):,} are possible "
                f"where the cases in each bin are rounded too: say how many with {arg('positives')}"
            )
        if self.known and isinstance(self.totals, range) and how_many(self.totals) > 1:
            totals = span = self.span(active, skip)
            if how_many(span) > 1:
                return self._of_many(span, active, skip)
        found = (self._of_one(n1, active, skip) for n1 in totals)
        return tables_stacked([tables for tables in found if tables is not None])

    def _of_one(
        self, n1: OneOrMany, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        if n1 not in self.remembered:
            self.remembered[n1] = self.bounds_at(n1, range(len(self.columns)))
        said = self.remembered[n1]
        bounds = [each for each in said if each.cell[0] in active and each.cell != skip]
        found, fits = self.between(n1, n1, bounds)
        quantities = [self.columns[i].quantity for i in active]
        if not self.known:
            of_a_class = all(each in TELL_OF_POSITIVES | TELL_OF_NEGATIVES for each in quantities)
            found = replace(found, sharp=found.sharp and of_a_class and not self.loose)
        elif fits and "ks_absolute" in quantities:
            unsigned = [i for i in active if self.columns[i].quantity == "ks_absolute"]
            cells = [(i, b) for i in unsigned for b in range(len(self.steps[0])) if (i, b) != skip]
            return self._signed(n1, found, bounds, cells)
        return found if fits else None

    def _signed(
        self, n1: OneOrMany, found: Tables, bounds: list[Bound], cells: list[tuple[int, int]]
    ) -> Tables | None:
        """Return the extremes with gaps printed without a sign on the side that fits them."""
        # As long as both sides fit, neither is taken, and the extremes are not sharp.
        windows = {(i, b): self.columns[i].windows[b] for i, b in cells}
        waiting = {cell: window for cell, window in windows.items() if window and window.low > 0}
        fits = True
        while fits:
            settled = []
            for (i, place), window in waiting.items():
                # From below the gap is the same, but for its sign.
                b = self.columns[i].level(place)
                rule = linear("ks", self.cases[0][b], self.n, n1)
                sides = [
                    [rule.at(side, highest=end, whole=self.whole) for end in (False, True)]
                    for side in (window, Window(-window.high, -window.low))
                ]
                least, most = found.least.positives[b], found.greatest.positives[b]
                fitting = [side for side in sides if side[0] <= most and least <= side[1]]
                if len(fitting) < len(sides):
                    settled.append(Bound((i, place), 0, b, False, *(fitting or sides)[0]))
            if not settled:
                break
            bounds += settled
            for bound in settled:
                del waiting[bound.cell]
            found, fits = self.between(n1, n1, bounds)
        return replace(found, sharp=found.sharp and not waiting) if fits else None

    def span(self, active: Sequence[int], skip: tuple[int, int] | None) -> range:
        """Return the numbers of positives left by columns that speak of these alone."""
        free = [i for i in active if self.columns[i].quantity in FREE_OF_TOTAL]
        first, last = self.totals[0], self.totals[-1]
        bounds = [
            each
            for each in self.bounds_at(first, free)
            # From below, only what is said of the whole table does not move with its positives.
            if each.place == len(self.steps[0]) - 1 or not self.columns[each.cell[0]].from_below
        ]
        found, fits = self.between(first, last, [each for each in bounds if each.cell != skip])
        return range(found.least.n1, found.greatest.n1 + 1) if fits else range(0)

    def _of_many(
        self, span: range, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        """Return the tables that fit with any of many numbers of positives, block by block."""
        if how_many(span) > MOST_TOTALS_KNOWN:
            raise ValueError(
                f"the number of positives is not known, and {how_many(span):,} are possible: say "
                f"how many there are with {arg('positives')}"
            )
        blocks = []
        for first in range(span.start, span.stop, TOTALS_AT_ONCE):
            totals = np.arange(first, min(first + TOTALS_AT_ONCE, span.stop), dtype=self._dtype())
            bounds = [each for each in self.bounds_at(totals, active) if each.cell != skip]
            found, fits = self.between(totals, totals, bounds)
            blocks.append(found.where(fits))
        tables = tables_together(
            blocks, lambda parts: tuple(map(np.concatenate, zip(*parts, strict=True)))
        )
        signed = all(self.columns[i].quantity != "ks_absolute" for i in active)
        tables = replace(tables, sharp=tables.sharp and signed)
        if len(tables) == 1 or (not signed and len(tables) <= MOST_SIGNED):
            totals = tables.greatest.n1.tolist()
            return tables_stacked([t for n1 in totals if (t := self._of_one(n1, active, skip))])
        return tables if len(tables) else None

    def _dtype(self) -> Any:
        """Return a type of whole numbers that no product here overflows."""
        windows = (window for column in self.columns for window in column.windows if window)
        parts = (part for window in windows for end in window for part in end.as_integer_ratio())
        largest = max(map(abs, parts), default=1)
        return np.int64 if 4 * self.n**2 * largest < LARGEST_TOTAL else object

    def of_bins(self, places: Sequence[int]) -> Problem:
        """Return the problem of some bins, without others that hold no cases and no column."""

        def at(ends: tuple[ByBin, ...]) -> Any:
            return tuple(tuple(each[place] for place in places) for each in ends)

        return replace(self, cases=at(self.cases), steps=at(self.steps), columns=(), remembered={})

    def within_gap(self, tables: Tables, gap: Fraction) -> Tables | None:
        """Return which tables of one number of positives show no larger gap of shares, or None."""
        n1, bins = tables.least.n1, len(self.steps[0])
        largest = Windowed("ks", "", (Window(-gap, gap),) * bins)
        cases = list(zip(*self.cases, strict=True))
        bounds = [*bounds_of(0, largest, cases, (self.n, n1), whole=self.whole)]
        for b in range(bins):
            ends_of = tables.least.positives[b], tables.greatest.positives[b]
            bounds.append(Bound((1, b), 0, b, False, *ends_of))
            bounds.append(Bound((2, b), 0, b, True, tables.step_low[b], tables.step_high[b]))
        found, fits = self.between(n1, n1, bounds)
        return found if fits else None

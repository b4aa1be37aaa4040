"""The tables that fit what was printed: the least and the greatest for each number of positives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.numbers.order import LARGEST_TOTAL
from capcurve.studies.audit.bins import Bins, OneOrMany, each_at, is_many
from capcurve.studies.audit.column_limits import (
    FREE_OF_TOTAL,
    NEGATIVE_RATES,
    STEPS,
    Bound,
    ColumnLimits,
    Place,
    bounds_of,
    ends,
    extremes,
    linear,
    may_stand,
)
from capcurve.studies.audit.printed import Window, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


MOST_TOTALS, BLOCK = 10**6, 2**15
# Up to so many numbers of positives, gaps without a sign are settled one number after the other.
MOST_SIGNED = 200
NO_GAP = Window(Fraction(0), Fraction(0))
MOST_TOTALS_ROUNDED = 2000
# How many numbers of positives are tried at once in the time that one takes by itself.
ONE_BY_ONE = 20
OF_POSITIVES = frozenset({"positives", "cum_positives", "share_of_positives", "captured"})
OF_NEGATIVES = frozenset({"negatives", "cum_negatives", "share_of_negatives", "fpr"})
COUNTS = frozenset({"positives", "cum_positives", "negatives", "cum_negatives"})
RATES = NEGATIVE_RATES | {"rate", "cum_rate"}


@dataclass(frozen=True, slots=True)
class Tables:
    """The least and the greatest of the tables that fit."""

    # Of tables with the same number of positives the least has the fewest running positives, and
    # the most running negatives, at the end of every bin. Arrays where that number is not known.
    least: Bins
    greatest: Bins
    # Step_low, step_high: from where to where columns alone let the positives of each bin lie.
    step_low: tuple[OneOrMany, ...]
    step_high: tuple[OneOrMany, ...]
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

    def changed(self, change: Callable[[tuple[OneOrMany, ...]], tuple[OneOrMany, ...]]) -> Tables:
        """Return the tables with their numbers by bin changed, all in the same way."""
        bins = [(each.positives, each.negatives) for each in (self.least, self.greatest)]
        least, greatest = (Bins(change(p), change(m)) for p, m in bins)
        return Tables(least, greatest, change(self.step_low), change(self.step_high), self.sharp)

    @property
    def only(self) -> Bins | None:
        """The table, if a single one fits."""
        if len(self) > 1 or not self.sharp:
            return None
        first = self.at(0)
        return first.least if first.least == first.greatest else None


def stacked(found: Sequence[Tables]) -> Tables | None:
    """Return the tables of several numbers of positives as one, or None of none."""
    if len(found) < 2:  # noqa: PLR2004 - nothing to stack
        return found[0] if found else None

    def columns(part: Callable[[Tables], tuple[OneOrMany, ...]]) -> tuple[Any, ...]:
        stacks = tuple(np.empty(len(found), dtype=object) for _ in part(found[0]))
        for column, values in zip(stacks, zip(*map(part, found), strict=True), strict=True):
            column[:] = values
        return stacks

    return Tables(
        Bins(columns(lambda t: t.least.positives), columns(lambda t: t.least.negatives)),
        Bins(columns(lambda t: t.greatest.positives), columns(lambda t: t.greatest.negatives)),
        columns(lambda t: t.step_low),
        columns(lambda t: t.step_high),
        all(each.sharp for each in found),
    )


@dataclass(frozen=True, slots=True)
class KnownSizes:
    """Columns of a table whose bins hold known numbers, or known shares, of the cases."""

    sizes: tuple[OneOrMany, ...]  # cases of each bin: whole numbers, or fractions that add up to 1
    columns: tuple[Windowed, ...]  # what was printed of the positives
    # The positives: a range of whole numbers, or several shares of the cases.
    totals: range | tuple[OneOrMany, ...]
    whole: bool  # whether cases are whole numbers
    sharp: bool = True  # whether the totals are all that matter, or a selection of many
    remembered: dict[Any, list[Bound]] = field(default_factory=dict, repr=False)

    @property
    def running(self) -> tuple[OneOrMany, ...]:
        """Cases down to the end of each bin."""
        return tuple(accumulate(self.sizes))

    def places(self, n1: OneOrMany) -> tuple[Place, ...]:
        """Return where the numbers of each bin stand."""
        n = self.running[-1]
        pairs = zip(self.sizes, self.running, strict=True)
        return tuple(Place(size, running, n, n1) for size, running in pairs)

    def bounds_at(self, n1: OneOrMany, active: Iterable[int]) -> list[Bound]:
        """Return what some columns say with one number of positives, or each of an array."""
        at, whole = self.places(n1), self.whole
        return [b for i in active for b in bounds_of(i, self.columns[i], at, whole=whole)]

    def solve(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> Tables | None:
        """Return the tables that fit some of the columns, one cell left out, or None."""
        if isinstance(self.totals, range):
            span = self.totals if len(self.totals) == 1 else self.span(active, skip)
            if len(span) > 1:
                return self._of_many(span, active, skip)
            totals: Iterable[OneOrMany] = span
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
        self, n1: OneOrMany, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        if n1 not in self.remembered:
            self.remembered[n1] = self.bounds_at(n1, range(len(self.columns)))
        said = self.remembered[n1]
        bounds = [each for each in said if each.cell[0] in active and each.cell != skip]
        found = extremes(self.sizes, (n1, n1), bounds)
        unsigned = [i for i in active if self.columns[i].quantity == "ks_absolute"]
        sharp = True
        if unsigned and found.fits:
            cells = [(i, b) for i in unsigned for b in range(len(self.sizes)) if (i, b) != skip]
            found, sharp = self._signed(n1, found, bounds, cells)
        return self._tables(found, sharp=sharp) if found.fits else None

    def _signed(
        self, n1: OneOrMany, found: ColumnLimits, bounds: list[Bound], cells: list[tuple[int, int]]
    ) -> tuple[ColumnLimits, bool]:
        """Return the extremes with gaps printed without a sign on the side that fits them."""
        # As long as both sides fit, neither is taken, and the extremes are not sharp.
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
                    bounds.append(Bound((i, place), b, False, *(above if fits[0] else below)))
            if not settled:
                break
            waiting = [cell for cell in waiting if cell not in settled]
            found = extremes(self.sizes, (n1, n1), bounds)
        return found, not waiting

    def _tables(self, found: ColumnLimits, *, sharp: bool = True) -> Tables:
        least, greatest = (Bins.of(self.running, each) for each in (found.low, found.high))
        return Tables(least, greatest, found.step_low, found.step_high, sharp and self.sharp)

    def span(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> range:
        """Return the numbers of positives left by columns that speak of these alone."""
        free = [i for i in active if self.columns[i].quantity in FREE_OF_TOTAL]
        first, last = self.totals[0], self.totals[-1]
        bounds = [
            each
            for each in self.bounds_at(first, free)
            # From below, only what is said of the whole table does not move with its positives.
            if each.place == len(self.sizes) - 1 or not self.columns[each.cell[0]].from_below
        ]
        kept = (each for each in bounds if each.cell != skip)
        found = extremes(self.sizes, (first, last), kept)
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
            bounds = (each for each in self.bounds_at(totals, active) if each.cell != skip)
            found.append(extremes(self.sizes, (totals, totals), bounds))
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
        return np.int64 if 4 * n * n * max(printed, default=1) < LARGEST_TOTAL else object

    def of_bins(self, places: Sequence[int]) -> KnownSizes:
        """Return the problem of some bins, without others that hold no cases and no column."""
        sizes = tuple(self.sizes[place] for place in places)
        return replace(self, sizes=sizes, columns=(), remembered={})

    def within_gap(self, tables: Tables, gap: Fraction) -> Tables | None:
        """Return which tables of one number of positives show no larger gap of shares, or None."""
        n1, bins = tables.least.n1, len(self.sizes)
        largest = Windowed("ks", "", (Window(-gap, gap),) * bins)
        bounds = [*bounds_of(0, largest, self.places(n1), whole=self.whole)]
        for b in range(bins):
            ends_of = tables.least.positives[b], tables.greatest.positives[b]
            bounds.append(Bound((1, b), b, False, *ends_of))
            bounds.append(Bound((2, b), b, True, tables.step_low[b], tables.step_high[b]))
        found = extremes(self.sizes, (n1, n1), bounds)
        return self._tables(found) if found.fits else None


def _joined(found: Sequence[ColumnLimits]) -> ColumnLimits:
    """Return the extremes of blocks as one, of the numbers of positives that fit."""
    parts = (
        [[column[e.fits] for column in each] for each in (e.low, e.high, e.step_low, e.step_high)]
        for e in found
    )
    low, high, step_low, step_high = (
        tuple(np.concatenate(columns) for columns in zip(*part, strict=True))
        for part in zip(*parts, strict=True)
    )
    return ColumnLimits(low, high, step_low, step_high)


def least_table(
    positives: ColumnLimits,
    negatives: ColumnLimits,
    cases: tuple[Sequence[OneOrMany], Sequence[OneOrMany]],
) -> Bins | None:
    """Return the fewest running positives with the most running negatives, or None.

    >>> one = ColumnLimits((0, 3), (3, 3), (0, 0), (3, 3))
    >>> least_table(one, one, ((2, 6), (2, 6)))
    Bins(positives=(0, 3), negatives=(2, 3))
    """
    p, m = list(positives.low), list(negatives.high)
    for _ in range(2 * len(p) + 2):
        before = p[:], m[:]
        for b in range(len(p)):
            _pull(p, m, b, cases)
            above = (p[b - 1], m[b - 1]) if b else (0, 0)
            p[b] = max(p[b], above[0] + positives.step_low[b])
            m[b] = min(m[b], above[1] + negatives.step_high[b])
        for b in range(len(p) - 1, -1, -1):
            _pull(p, m, b, cases)
            if b:
                p[b - 1] = max(p[b - 1], p[b] - positives.step_high[b])
                m[b - 1] = min(m[b - 1], m[b] - negatives.step_low[b])
            elif p[0] > positives.step_high[0] or m[0] < negatives.step_low[0]:
                return None
        if any(a > b for a, b in zip(p, positives.high, strict=True)):
            return None
        if any(a < b for a, b in zip(m, negatives.low, strict=True)):
            return None
        if before == (p, m):
            return Bins(tuple(p), tuple(m))
    return None


def _pull(
    p: list[OneOrMany],
    m: list[OneOrMany],
    b: int,
    cases: tuple[Sequence[OneOrMany], Sequence[OneOrMany]],
) -> None:
    """Raise positives and lower negatives in one place until the cases there fit."""
    p[b] = max(p[b], cases[0][b] - m[b])
    m[b] = min(m[b], cases[1][b] - p[b])


@dataclass(frozen=True, slots=True)
class RoundedSizes:
    """Columns of a table whose bins hold numbers of cases known from windows only."""

    # Running positives P and running negatives with a minus sign, -M, are bound to each other by
    # differences alone: windows on cases are windows on P - (-M). Their shortest paths (Bellman and
    # Ford) end in the table with the fewest positives and the most negatives at each bin's end.

    # Low, high: from where to where the running number of cases lies at the end of each bin.
    low: tuple[OneOrMany, ...]
    high: tuple[OneOrMany, ...]
    # Step_low, step_high: from where to where the cases of each bin lie.
    step_low: tuple[OneOrMany, ...]
    step_high: tuple[OneOrMany, ...]
    loose: bool  # whether bins' own sizes say more than the running ones
    # Columns, totals, whole: as of `KnownSizes`; fractions are shares of all cases.
    columns: tuple[Windowed, ...]
    totals: range | tuple[OneOrMany, ...]
    whole: bool
    sharp: bool = True

    def solve(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> Tables | None:
        """Return the tables that fit some of the columns, one cell left out, or None."""
        if len(self.totals) > MOST_TOTALS_ROUNDED:
            raise ValueError(
                f"the number of positives is not known, and {len(self.totals):,} are possible "
                "where the cases in each bin are rounded too: say how many with positives="
            )
        found = (self._of_one(n1, active, skip) for n1 in self.totals)
        return stacked([tables for tables in found if tables is not None])

    @property
    def effort(self) -> int:
        """How many numbers of positives a solution goes through, each by itself."""
        return ONE_BY_ONE * len(self.totals)

    def of_bins(self, places: Sequence[int]) -> RoundedSizes:
        """Return the problem of some bins, without others that hold no cases and no column."""

        def at(ends: tuple[OneOrMany, ...]) -> tuple[OneOrMany, ...]:
            return tuple(ends[place] for place in places)

        return replace(
            self,
            low=at(self.low),
            high=at(self.high),
            step_low=at(self.step_low),
            step_high=at(self.step_high),
            columns=(),
        )

    def _of_one(
        self, n1: OneOrMany, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        n0, of_a_class = self.high[-1] - n1, OF_POSITIVES | OF_NEGATIVES
        sharp = self.sharp and not self.loose
        sharp = sharp and all(self.columns[i].quantity in of_a_class for i in active)
        said = [
            each
            for i in active
            for b, window in enumerate(self.columns[i].windows)
            if window is not None and skip != (i, b)
            for each in self._bounds((i, b), window, (n1, n0))
        ]
        p, m = (
            ColumnLimits.of(
                self.step_high, (total, total), [bound for side, bound in said if side == of]
            )
            for of, total in enumerate((n1, n0))
        )
        if not (p.fits and m.fits):
            return None
        cases = (self.low, self.high)
        least = least_table(p, m, cases)
        greatest = least_table(m, p, cases)
        if least is None or greatest is None:
            return None
        return Tables(least, greatest.swapped, p.step_low, p.step_high, sharp)

    def _bounds(
        self, cell: tuple[int, int], window: Window, totals: tuple[OneOrMany, OneOrMany]
    ) -> Iterator[tuple[int, Bound]]:
        """Yield what one printed number says of positives, at 0, and of negatives, at 1."""
        column, (n1, n0) = self.columns[cell[0]], totals
        quantity, (least, most) = column.quantity, self._cases(column, cell[1])
        if not may_stand(quantity, window, most):
            yield 0, self._bound(cell, n1, 1, 0)
        elif quantity in OF_POSITIVES | OF_NEGATIVES:
            side = int(quantity in OF_NEGATIVES)
            factor = 1 if quantity in COUNTS else totals[side]
            ends = window.low * factor, window.high * factor
            yield side, self._bound(cell, totals[side], *ends)
        elif quantity in {"ks", "ks_absolute"}:
            lowest = window.low if quantity == "ks" else -window.high
            low, high = (
                (gap * n1 * n0 + cases * n1) / Fraction(n1 + n0)
                for gap, cases in ((lowest, least), (window.high, most))
            )
            yield 0, self._bound(cell, n1, low, high)
        else:
            rate = 1 if quantity in RATES else Fraction(n1) / (n1 + n0)
            lowest, highest = window.low * rate, window.high * rate
            if quantity in NEGATIVE_RATES:
                lowest, highest = 1 - highest, 1 - lowest
            yield 0, self._bound(cell, n1, lowest * least, highest * most)
            ends = max(1 - highest, 0) * least, (1 - lowest) * most
            yield 1, self._bound(cell, n0, *ends)

    def _cases(self, column: Windowed, b: int) -> tuple[OneOrMany, OneOrMany]:
        """Return from where to where the cases lie of which a column tells something in a bin."""
        if column.quantity in STEPS:
            return self.step_low[b], self.step_high[b]
        level, n = column.level(b), self.high[-1]
        if level < b:
            return n - self.high[level], n - self.low[level]
        return self.low[level], self.high[level]

    def _bound(self, cell: tuple[int, int], total: OneOrMany, low: Any, high: Any) -> Bound:
        """Return the bound of one class where its cases lie that a printed number tells of."""
        column, b = self.columns[cell[0]], cell[1]
        level = column.level(b)
        if self.whole:
            low, high = ceil(low), floor(high)
        if level < b:  # what stands above is the rest
            low, high = total - high, total - low
        return Bound(cell, level, column.quantity in STEPS, low, high)


Problem: TypeAlias = KnownSizes | RoundedSizes

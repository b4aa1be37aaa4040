"""The tables that fit where the cases in each bin are themselves rounded.

Running positives P and running negatives with a minus sign, -M, are bound to each other by
differences alone: windows on cases are windows on P - (-M). Their shortest paths (Bellman and
Ford) end in the table with the fewest positives and the most negatives at the end of every bin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from capcurve.studies.audit.bins import Bins
from capcurve.studies.audit.limits import NEGATIVE_RATES, STEPS, may_stand
from capcurve.studies.audit.tables import Tables, stacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.studies.audit.bins import Amount
    from capcurve.studies.audit.printed import Window, Windowed

MOST_TOTALS = 2000
# How many numbers of positives are tried at once in the time that one takes by itself.
ONE_BY_ONE = 20
OF_POSITIVES = frozenset({"positives", "cum_positives", "share_of_positives", "captured"})
OF_NEGATIVES = frozenset({"negatives", "cum_negatives", "share_of_negatives", "fpr"})
COUNTS = frozenset({"positives", "cum_positives", "negatives", "cum_negatives"})
RATES = NEGATIVE_RATES | {"rate", "cum_rate"}


@dataclass(slots=True)
class Class:
    """From where to where the cases of one class may lie, running and in each bin."""

    low: list[Amount]
    high: list[Amount]
    step_low: list[Amount]
    step_high: list[Amount]

    @classmethod
    def of(cls, total: Amount, most: Sequence[Amount]) -> Class:
        """Return what totals alone say."""
        b = len(most)
        return cls([0] * (b - 1) + [total], [total] * b, [0] * b, list(most))

    def narrow(self, place: int, low: Amount, high: Amount, *, step: bool) -> None:
        """Cut the limits in one place."""
        lows, highs = (self.step_low, self.step_high) if step else (self.low, self.high)
        lows[place], highs[place] = max(lows[place], low), min(highs[place], high)

    @property
    def possible(self) -> bool:
        """Whether no limit contradicts its neighbour."""
        pairs = [(self.low, self.high), (self.step_low, self.step_high)]
        return all(a <= b for low, high in pairs for a, b in zip(low, high, strict=True))


def least_table(
    positives: Class, negatives: Class, cases: tuple[Sequence[Amount], Sequence[Amount]]
) -> tuple[list[Amount], list[Amount]] | None:
    """Return the fewest running positives with the most running negatives, or None.

    >>> one = Class([0, 3], [3, 3], [0, 0], [3, 3])
    >>> least_table(one, one, ((2, 6), (2, 6)))
    ([0, 3], [2, 3])
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
            return p, m
    return None


def _pull(
    p: list[Amount], m: list[Amount], b: int, cases: tuple[Sequence[Amount], Sequence[Amount]]
) -> None:
    """Raise positives and lower negatives in one place until the cases there fit."""
    p[b] = max(p[b], cases[0][b] - m[b])
    m[b] = min(m[b], cases[1][b] - p[b])


@dataclass(frozen=True, slots=True)
class RoundedSizes:
    """Columns of a table whose bins hold numbers of cases known from windows only."""

    # Low, high: from where to where the running number of cases lies at the end of each bin.
    low: tuple[Amount, ...]
    high: tuple[Amount, ...]
    # Step_low, step_high: from where to where the cases of each bin lie.
    step_low: tuple[Amount, ...]
    step_high: tuple[Amount, ...]
    loose: bool  # whether bins' own sizes say more than the running ones
    # Columns, totals, whole: as of `KnownSizes`; fractions are shares of all cases.
    columns: tuple[Windowed, ...]
    totals: range | tuple[Amount, ...]
    whole: bool
    sharp: bool = True

    def solve(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> Tables | None:
        """Return the tables that fit some of the columns, one cell left out, or None."""
        if len(self.totals) > MOST_TOTALS:
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

        def at(ends: tuple[Amount, ...]) -> tuple[Amount, ...]:
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
        self, n1: Amount, active: Sequence[int], skip: tuple[int, int] | None
    ) -> Tables | None:
        n0 = self.high[-1] - n1
        p, m = Class.of(n1, self.step_high), Class.of(n0, self.step_high)
        sharp = self.sharp and not self.loose
        for i in active:
            column = self.columns[i]
            sharp = sharp and column.quantity in OF_POSITIVES | OF_NEGATIVES
            for b, window in enumerate(column.windows):
                if window is not None and skip != (i, b):
                    self._cut(column, b, window, p, m)
        return self._solved(p, m, sharp=sharp) if p.possible and m.possible else None

    def _solved(self, p: Class, m: Class, *, sharp: bool) -> Tables | None:
        cases = (self.low, self.high)
        least = least_table(p, m, cases)
        greatest = least_table(m, p, cases)
        if least is None or greatest is None:
            return None
        return Tables(
            Bins(tuple(least[0]), tuple(least[1])),
            Bins(tuple(greatest[1]), tuple(greatest[0])),
            tuple(p.step_low),
            tuple(p.step_high),
            sharp,
        )

    def _cut(self, column: Windowed, b: int, window: Window, p: Class, m: Class) -> None:
        """Cut the limits of both classes to what one printed number says."""
        quantity, at = column.quantity, (column, b)
        n1, n0 = p.high[-1], m.high[-1]
        least, most = self._cases(*at)
        if not may_stand(quantity, window, most):
            self._narrow(p, at, 1, 0)
        elif quantity in OF_POSITIVES | OF_NEGATIVES:
            found, total = (p, n1) if quantity in OF_POSITIVES else (m, n0)
            factor = 1 if quantity in COUNTS else total
            self._narrow(found, at, window.low * factor, window.high * factor)
        elif quantity in {"ks", "ks_absolute"}:
            lowest = window.low if quantity == "ks" else -window.high
            low, high = (
                (gap * n1 * n0 + cases * n1) / Fraction(n1 + n0)
                for gap, cases in ((lowest, least), (window.high, most))
            )
            self._narrow(p, at, low, high)
        else:
            rate = 1 if quantity in RATES else Fraction(n1) / (n1 + n0)
            lowest, highest = window.low * rate, window.high * rate
            if quantity in NEGATIVE_RATES:
                lowest, highest = 1 - highest, 1 - lowest
            self._narrow(p, at, lowest * least, highest * most)
            self._narrow(m, at, max(1 - highest, 0) * least, (1 - lowest) * most)

    def _cases(self, column: Windowed, b: int) -> tuple[Amount, Amount]:
        """Return from where to where the cases lie of which a column tells something in a bin."""
        if column.quantity in STEPS:
            return self.step_low[b], self.step_high[b]
        level, n = column.level(b), self.high[-1]
        if level < b:
            return n - self.high[level], n - self.low[level]
        return self.low[level], self.high[level]

    def _narrow(self, found: Class, at: tuple[Windowed, int], low: Any, high: Any) -> None:
        """Cut the limits of one class to where its cases lie that a column tells of in a bin."""
        column, b = at
        level = column.level(b)
        if self.whole:
            low, high = ceil(low), floor(high)
        if level < b:  # what stands above is the rest
            low, high = found.high[-1] - high, found.high[-1] - low
        found.narrow(level, low, high, step=column.quantity in STEPS)

"""The least and the greatest table among all whose numbers lie inside windows.

Running positives rise from bin to bin by at least 0 and at most the cases of the bin. Windows on
them, or on the positives of one bin, are difference constraints along a chain: one pass down and
one up find the least and the greatest solution, or prove that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.audit.bins import Amount, least, most

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Limits:
    """From where to where a column lets running positives, or those of each bin, lie.

    Attributes
    ----------
    step
        Whether it speaks of the positives of each bin, not of running positives.
    low, high
        One per bin; None where the column says nothing.
    """

    step: bool
    low: tuple[Amount | None, ...]
    high: tuple[Amount | None, ...]

    def without(self, place: int) -> Limits:
        """Return the limits as if the column said nothing about one bin."""
        low, high = ((*ends[:place], None, *ends[place + 1 :]) for ends in (self.low, self.high))
        return Limits(self.step, low, high)


@dataclass(frozen=True, slots=True)
class Extremes:
    """The least and greatest running numbers that fit.

    Attributes
    ----------
    fits
        Whether any does; an array where totals are many.
    low, high
        One per bin, each reached by a table that has all others at their ends too.
    step_low, step_high
        From where to where the columns alone let the number in each bin lie.
    """

    fits: Any
    low: tuple[Amount, ...]
    high: tuple[Amount, ...]
    step_low: tuple[Amount, ...]
    step_high: tuple[Amount, ...]


def extremes(
    sizes: tuple[Amount, ...], totals: tuple[Amount, Amount], columns: Iterable[Limits]
) -> Extremes:
    """Return the least and greatest running numbers whose last lies between two totals.

    `sizes` are the most that each bin can hold. Totals may be arrays: then many at once.

    >>> found = extremes((3, 3), (3, 3), [Limits(False, (2, None), (2, None))])
    >>> found.fits, found.low, found.high
    (True, (2, 3), (2, 3))
    """
    step_low, step_high, low, high = _joined(sizes, totals, columns)
    fits: Any = True
    below = above = 0 * totals[0]
    for b in range(len(sizes)):
        below = low[b] = most(low[b], below + step_low[b])
        above = high[b] = least(high[b], above + step_high[b])
        fits = fits & (step_low[b] <= step_high[b])
    for b in range(len(sizes) - 1, 0, -1):
        low[b - 1] = most(low[b - 1], low[b] - step_high[b])
        high[b - 1] = least(high[b - 1], high[b] - step_low[b])
    for b in range(len(sizes)):
        fits = fits & (low[b] <= high[b])
    fits = fits & (low[0] - step_high[0] <= 0) & (high[0] - step_low[0] >= 0)
    return Extremes(fits, tuple(low), tuple(high), tuple(step_low), tuple(step_high))


def _joined(
    sizes: tuple[Amount, ...], totals: tuple[Amount, Amount], columns: Iterable[Limits]
) -> tuple[list[Amount], list[Amount], list[Amount], list[Amount]]:
    """Return the narrowest limits of steps and of running numbers that the columns leave."""
    nothing = 0 * totals[0]
    steps = [[nothing] * len(sizes), [nothing + size for size in sizes]]
    levels = [[nothing] * len(sizes), [totals[1]] * len(sizes)]
    levels[0][-1] = totals[0]
    for column in columns:
        lows, highs = steps if column.step else levels
        for b, (low, high) in enumerate(zip(column.low, column.high, strict=True)):
            if low is not None:
                lows[b] = most(lows[b], low)
            if high is not None:
                highs[b] = least(highs[b], high)
    return steps[0], steps[1], levels[0], levels[1]

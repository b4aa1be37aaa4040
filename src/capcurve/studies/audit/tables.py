"""The tables that fit what was printed: the least and the greatest for each number of positives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from capcurve.studies.audit.bins import Bins, is_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from capcurve.studies.audit.bins import Amount
    from capcurve.studies.audit.printed import Windowed


@dataclass(frozen=True, slots=True)
class Tables:
    """The least and the greatest of the tables that fit.

    Of tables with the same number of positives the least has the fewest running positives, and
    the most running negatives, at the end of every bin.
    """

    least: Bins  # least, greatest: the two ends; arrays where the number of positives is not known
    greatest: Bins
    # Step_low, step_high: from where to where columns alone let the positives of each bin lie.
    step_low: tuple[Amount, ...]
    step_high: tuple[Amount, ...]
    sharp: bool = True  # whether the ends are themselves tables that fit

    def __len__(self) -> int:
        return len(self.least.n1) if is_many(self.least.n1) else 1

    def at(self, place: int) -> Tables:
        """Return the tables with one of the possible numbers of positives."""
        if not is_many(self.least.n1):
            return self
        low, high = (
            tuple(column[place] if is_many(column) else column for column in steps)
            for steps in (self.step_low, self.step_high)
        )
        return Tables(self.least.at(place), self.greatest.at(place), low, high, self.sharp)

    def each(self, most: int | None = None) -> Iterator[Tables]:
        """Yield the tables of one number of positives after another, at most so many."""
        places = np.arange(len(self))
        if most is not None and len(places) > most:
            places = np.unique(np.linspace(0, len(places) - 1, most).astype(np.intp))
        return map(self.at, places.tolist())

    def of_bins(self, places: Sequence[int]) -> Tables:
        """Return the tables of some bins, without others that hold no cases."""

        def at(column: tuple[Amount, ...]) -> tuple[Amount, ...]:
            return tuple(column[place] for place in places)

        least, greatest = (
            Bins(at(bins.positives), at(bins.negatives)) for bins in (self.least, self.greatest)
        )
        return replace(
            self,
            least=least,
            greatest=greatest,
            step_low=at(self.step_low),
            step_high=at(self.step_high),
        )

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

    def columns(part: Callable[[Tables], tuple[Amount, ...]]) -> tuple[Any, ...]:
        return tuple(_column(values) for values in zip(*map(part, found), strict=True))

    return Tables(
        Bins(columns(lambda t: t.least.positives), columns(lambda t: t.least.negatives)),
        Bins(columns(lambda t: t.greatest.positives), columns(lambda t: t.greatest.negatives)),
        columns(lambda t: t.step_low),
        columns(lambda t: t.step_high),
        all(each.sharp for each in found),
    )


def _column(values: Sequence[Amount]) -> Any:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


class Problem(Protocol):
    """What was printed, with what is known besides: the tables that fit are its solution."""

    @property
    def columns(self) -> tuple[Windowed, ...]:
        """The columns that speak of positives."""

    def solve(self, active: Sequence[int], skip: tuple[int, int] | None = None) -> Tables | None:
        """Return the tables that fit some of the columns, one cell left out, or None."""

    @property
    def totals(self) -> range | tuple[Amount, ...]:
        """The numbers of positives that may be."""

    @property
    def effort(self) -> int:
        """How many numbers of positives a solution goes through, weighed by what each takes."""

    def of_bins(self, places: Sequence[int]) -> Problem:
        """Return the problem of some bins, without others that hold no cases and no column."""

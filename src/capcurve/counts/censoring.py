"""What is known of rows by a horizon, and for how many a known row stands: Kaplan-Meier weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.counts.order import order_of, picked, run_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Bools, Floats, Places

CENSORED, EVENT = 0, 1
# Whole times up to so many times the number of cells are numbered without sorting them.
WIDEST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """Cells within which censoring is estimated: which they are, and the place of their times."""

    rows: Any  # places of the cells, or a slice of all
    times: Floats  # ascending; of whole numbers also those that no cell has
    places: Places  # of each cell's time among these
    gone: Bools  # whether a cell is censored

    @classmethod
    def of(cls, rows: Any, time: Array, status: Array) -> Self:
        """Return the stratum of some cells, of which time and status are those of all."""
        time, gone = time[rows], status[rows] == CENSORED
        if time.dtype.kind in "iu" and time.max(initial=0) <= WIDEST * len(time):
            last = int(time.max(initial=-1))
            return cls(rows, np.arange(last + 1, dtype=np.float64), time.astype(np.intp), gone)
        order = order_of(time)
        ordered = picked(time, order)
        starts = run_starts(ordered)
        places = np.empty(len(time), dtype=np.intp)
        places[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(time)))
        return cls(rows, ordered[starts].astype(np.float64), places, gone)

    def last_censored(self) -> float:
        """Return the last time if a row is censored then, else infinity."""
        # Events come before censorings at one time, so that nobody is followed beyond.
        if len(self.times) and self.gone[self.places == len(self.times) - 1].any():
            return float(self.times[-1])
        return np.inf

    def at(self, horizon: float, cases: Array) -> RiskSets:
        """Return who is at risk of being censored before a horizon; all cells have some cases."""
        end = int(np.searchsorted(self.times, horizon, side="left"))
        places = np.minimum(self.places, end)
        cases = cases[self.rows]
        table = sums_at(places, cases, end + 1)
        censored = sums_at(places, np.where(self.gone, cases, 0), end + 1)[:-1]
        followed = np.cumsum(table[::-1])[-2::-1] + censored
        return RiskSets(self.rows, places, self.gone & (places < end), censored, followed)


@dataclass(frozen=True, slots=True, eq=False)
class RiskSets:
    """Rows at each time before a horizon that are censored, and those followed up to then.

    At tied times events come before censorings: rows with an event have left by then.
    """

    rows: Any
    places: Places  # of min(time, horizon) of each cell, that of the horizon last
    unknown: Bools  # cells that are censored before the horizon
    censored: Floats  # shape (times,)
    followed: Floats  # rows with a later time, and those that are censored at this one

    def weights(self) -> Floats:
        """Return for how many rows each row of a cell stands: 0 where it is unknown."""
        left = self.followed - self.censored
        some = self.censored > 0
        factors = np.divide(left, self.followed, out=np.ones(len(left)), where=some)
        with np.errstate(divide="ignore"):  # at times that no known row has
            table = 1 / np.append(1.0, np.cumprod(factors))
        table[np.isinf(table)] = 0.0
        found: Floats = table[self.places]
        found[self.unknown] = 0.0
        return found

    def moves(self, known: Floats, cases: Array) -> Floats:
        """Return how far each row moves a sum over known rows, as censoring is estimated.

        `known` is of each cell its weight times how far a row of weight one moves the sum. A row
        that is followed past a censoring makes it rarer, and one that is censored more frequent
        (Blanche, Dartigues & Jacqmin-Gadda 2013, Stat. Med. 32).
        """
        known, cases = known[self.rows], cases[self.rows]
        later = np.cumsum(sums_at(self.places, known * cases, len(self.followed) + 1)[::-1])[-2::-1]
        left = self.followed - self.censored
        rates = np.zeros(len(later))
        np.divide(later * self.censored, self.followed * left, out=rates, where=left > 0)
        moved: Floats = known - np.append(0.0, np.cumsum(rates))[self.places]
        own = np.divide(later, self.followed, out=np.zeros(len(later)), where=self.followed > 0)
        moved[self.unknown] += own[self.places[self.unknown]]
        return moved


@dataclass(frozen=True, slots=True, eq=False)
class FollowUp:
    """What is known of each cell by a horizon, and the weight of each of its rows."""

    positive: Bools  # the event has come by the horizon
    competing: Bools  # another one has
    unknown: Bools  # censored before the horizon
    weight: Floats  # 1 over the chance of being followed so far; 0 of unknown rows
    risks: tuple[RiskSets, ...]  # by stratum

    @classmethod
    def unweighted(cls, time: Array, status: Array, horizon: float) -> Self:
        """Return what is known by a horizon, without weights."""
        by, censored = time <= horizon, status == CENSORED
        unknown = (time < horizon) & censored
        return cls(by & (status == EVENT), by & (status > EVENT), unknown, np.zeros(0), ())

    @classmethod
    def of(
        cls, strata: Sequence[Stratum], time: Array, status: Array, cases: Array, horizon: float
    ) -> Self:
        """Return what is known by a horizon, given how many rows each cell has."""
        risks = tuple(stratum.at(horizon, cases) for stratum in strata)
        weight = np.zeros(len(time))
        for risk in risks:
            weight[risk.rows] = risk.weights()
        return replace(cls.unweighted(time, status, horizon), weight=weight, risks=risks)

    def negative(self, competing: str) -> Bools:
        """Return the cells that are known to be free of the event, or of any event."""
        known = ~(self.positive | self.unknown)
        return known & ~self.competing if competing == "excluded" else known

    def moves(self, known: Floats, cases: Array) -> Floats:
        """Return how far each row moves a sum over known rows, as `RiskSets.moves` has it."""
        moved = np.zeros(len(known))
        for risk in self.risks:
            moved[risk.rows] = risk.moves(known, cases)
        return moved


def sums_at(places: Places, mass: Array, size: int) -> Floats:
    """Return what adds up at each of so many places."""
    found: Floats = np.bincount(places, weights=mass, minlength=size).astype(np.float64)
    return found


def as_whole(time: Floats) -> Array:
    """Return times as whole numbers where all of them are, else as they are."""
    whole = len(time) and time.max() < np.iinfo(np.int32).max and (time == np.floor(time)).all()
    return time.astype(np.int32) if whole else time

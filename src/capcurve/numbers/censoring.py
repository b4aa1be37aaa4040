"""What is known of rows by a horizon, and for how many a known row stands: Kaplan-Meier weights."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.numbers.exact import in_blocks
from capcurve.numbers.order import order_of, picked, run_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.numbers.types import Array, Bools, Floats, Places

CENSORED, EVENT = 0, 1
# As people call columns in which 1 is a censored row here and the event there.
_CENSORING = r"(?:(?<![a-z])|(?<=[a-z])(?=C))(?i:cens(?:or(?:s|ed|ing)?)?)(?![A-Za-z])"
# Whole numbers up to so many times their number are numbered without sorting them.
WIDEST_NUMBERED = 4


def is_called_censoring(name: str) -> bool:
    """Whether a column is named after censoring, which leaves open what 1 means.

    >>> [is_called_censoring(name) for name in ("cens", "isCensored", "CENSOR", "uncensored")]
    [True, True, True, False]
    """
    return re.search(_CENSORING, name) is not None


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
        times, places = numbered(time[rows])
        return cls(rows, times.astype(np.float64), places, status[rows] == CENSORED)

    def last_censored(self) -> float:
        """Return the last time if a row is censored then, else infinity."""
        # Events come before censorings at one time, so that nobody is followed beyond.
        if len(self.times) and self.gone[self.places == len(self.times) - 1].any():
            return float(self.times[-1])
        return np.inf

    def at(self, horizon: float, cases: Array) -> RiskSets:
        """Return who is at risk of being censored before a horizon; all cells have some cases."""
        end = int(np.searchsorted(self.times, horizon, side="left"))
        places, cases = np.minimum(self.places, end), cases[self.rows]
        gone = np.flatnonzero(self.gone)
        censored = sums_at(places[gone], cases[gone], end)
        followed = sums_after(places, cases, end) + censored
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
        return in_blocks(len(self.places), lambda at: table[self.places[at]] * ~self.unknown[at])

    def moves(self, known: Floats, cases: Array) -> Floats:
        """Return how far each row moves a sum over known rows, as censoring is estimated.

        `known` is of each cell its weight times how far a row of weight one moves the sum. A row
        that is followed past a censoring makes it rarer, and one that is censored more frequent
        (Blanche, Dartigues & Jacqmin-Gadda 2013, Stat. Med. 32).
        """
        known, cases, left = known[self.rows], cases[self.rows], self.followed - self.censored
        mass = in_blocks(len(known), lambda at: known[at] * cases[at])
        later = sums_after(self.places, mass, len(left))
        rates = np.zeros(len(later))
        np.divide(later * self.censored, self.followed * left, out=rates, where=left > 0)
        past = np.append(0.0, np.cumsum(rates))
        own = np.divide(later, self.followed, out=np.zeros(len(later)), where=self.followed > 0)

        def moved(at: slice) -> Floats:
            places, unknown = self.places[at], np.flatnonzero(self.unknown[at])
            found: Floats = known[at] - past[places]
            found[unknown] += own[places[unknown]]
            return found

        return in_blocks(len(known), moved)


@dataclass(frozen=True, slots=True, eq=False)
class FollowUp:
    """What is known of each cell by a horizon, and the weight of each of its rows."""

    positive: Bools  # the event has come by the horizon
    negative: Bools  # it has not, or not before another one; these may be left out
    unknown: Bools  # censored before the horizon
    weight: Floats  # 1 over the chance of being followed so far; 0 of unknown rows
    cases: Array  # how many rows each cell has
    risks: tuple[RiskSets, ...]  # by stratum

    @classmethod
    def unweighted(cls, time: Array, status: Array, horizon: float, competing: str) -> Self:
        """Return what is known by a horizon, without weights."""
        by, unknown = time <= horizon, (time < horizon) & (status == CENSORED)
        positive = by & (status == EVENT)
        other = by & (status > EVENT) if competing == "excluded" else positive
        none = np.zeros(0)
        return cls(positive, ~(positive | unknown | other), unknown, none, none, ())

    def weighted(self, strata: Sequence[Stratum], cases: Array, horizon: float) -> Self:
        """Return the same with weights, given how many rows each cell has."""
        risks = tuple(stratum.at(horizon, cases) for stratum in strata)
        weight = _of_strata(risks, len(cases), RiskSets.weights)
        return replace(self, weight=weight, cases=cases, risks=risks)

    def of(self, cells: Array) -> Self:
        """Return what is known of rows in some of the cells."""
        names = ("positive", "negative", "unknown", "weight", "cases")
        return replace(self, **{name: getattr(self, name)[cells] for name in names}, risks=())

    def moves(self, known: Floats) -> Floats:
        """Return how far each row moves a sum over known rows, as `RiskSets.moves` has it."""
        return _of_strata(self.risks, len(known), lambda risk: risk.moves(known, self.cases))


def _of_strata(risks: Sequence[RiskSets], size: int, made: Callable[[RiskSets], Floats]) -> Floats:
    """Return what is made of the cells of each stratum, for all so many."""
    if len(risks) == 1:
        return made(risks[0])
    found = np.zeros(size)
    for risk in risks:
        found[risk.rows] = made(risk)
    return found


def sums_at(places: Places, mass: Array, end: int) -> Floats:
    """Return what adds up at each place before the last, which is `end`."""
    return np.bincount(places, weights=mass, minlength=end + 1)[:-1].astype(np.float64)


def sums_after(places: Places, mass: Array, end: int) -> Floats:
    """Return what adds up beyond each place before the last, which is `end`."""
    found = np.bincount(places, weights=mass, minlength=end + 1)
    return np.cumsum(found[::-1], dtype=np.float64)[-2::-1]


def numbered(values: Array) -> tuple[Array, Places]:
    """Return distinct numbers, ascending, and the place of each; of whole ones also those between.

    >>> numbered(np.array([0.5, 7.0, 0.5]))
    (array([0.5, 7. ]), array([0, 1, 0]))
    """
    most = int(values.max()) if len(values) and values.dtype.kind in "iu" else -1
    if 0 <= most <= WIDEST_NUMBERED * len(values) and values.min() >= 0:
        return np.arange(most + 1), values.astype(np.intp)
    order = order_of(values)
    ordered = picked(values, order)
    starts = run_starts(ordered)
    places = np.empty(len(values), dtype=np.intp)
    places[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    return ordered[starts], places


def whole_where_all_are(time: Floats) -> Array:
    """Return times as whole numbers where all of them are, else as they are."""
    whole = len(time) and time.max() < np.iinfo(np.int32).max and (time == np.floor(time)).all()
    return time.astype(np.int32) if whole else time

"""The best cut-offs of a grade scale, by dynamic programming over the points of its CAP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.kept_cutoffs import bends
from capcurve.inference.rates import are_distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Bools, Places

# The area under a CAP is a sum over grades, so the best scale from a cut-off on holds the best one
# from its next cut-off on (Bellman): after[g][i] = max_j gain[i, j] + after[g - 1][j]. Of equal
# areas the fewest grades are taken, then the first positions in dictionary order from the top.

# Tables of this size are searched as they are, with neighbours compared of this; of more cut-offs
# some are taken, and then all about the chosen ones.
MOST_CUTOFFS, MOST_COMPARED = 2000, 150
STEPS, NEAR = 1000, 300
MOST_ROUNDS = 20
# Whole areas below this are int64; an area less than nothing marks what is not allowed.
LARGEST_AREA = 2**62
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class CapPoints:
    """The CAP at every cut-off, from (0, 0): running sums, shape (K + 1,)."""

    x: Array  # cases, or exposure
    y: Array  # positives, or amount
    held: Array  # positives, or rows with an amount
    corners: Places  # of the least concave majorant: the free optimum has no others

    @classmethod
    def of(cls, cases: Array, found: Array, held: Array) -> CapPoints:
        """Return the points of columns of scores, most likely positive first."""
        columns = [column for column in (cases, found, held) if column.dtype.kind == "f"]
        kind: Any = np.float64 if columns else np.int64
        x, y, z = (
            np.append(kind(0), np.cumsum(column, dtype=kind)) for column in (cases, found, held)
        )
        if kind is np.int64:
            high, low = int(y.max()), int(y.min())
            # Areas below zero need a mark of their own.
            if low < 0 or 2 * int(x[-1]) * max(high, 1) >= LARGEST_AREA:
                x, y = x.astype(object), y.astype(object)
        return cls(x, y, z, _corners(x, y))

    @property
    def nothing(self) -> Any:
        """The area of what is not allowed."""
        return -LARGEST_AREA if self.x.dtype.kind == "i" else -np.inf

    def area(self, positions: Places) -> Any:
        """Return twice the area under the line through some of the points."""
        x, y = self.x[positions], self.y[positions]
        return ((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum()

    @property
    def tolerance(self) -> Any:
        """The areas that differ by no more are equal: they differ by rounding."""
        return ROUNDING * abs(self.x[-1] * self.y[-1]) if self.x.dtype.kind == "f" else 0


def _corners(x: Array, y: Array) -> Places:
    """Return the corners of the least concave majorant."""
    kept: list[int] = []
    reach = ROUNDING * abs(x[-1] * y[-1]) if x.dtype.kind == "f" else 0
    for place in bends(x, y).tolist():
        while len(kept) > 1:
            a, b = kept[-2:]
            over = (y[b] - y[a]) * (x[place] - x[b]) - (y[place] - y[b]) * (x[b] - x[a])
            if over > reach:
                break
            kept.pop()
        if not kept or x[place] > x[kept[-1]]:
            kept.append(place)
    return np.array(kept, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Demands:
    """What each grade and each pair of neighbours must fulfil."""

    least: Any = None  # cases of a grade: at least, at most
    most: Any = None
    least_held: Any = None  # positives, or rows with an amount, of a grade
    fixed: tuple[int, ...] = ()  # cut-offs that no grade passes over
    open: Places | None = None  # the only further cut-offs there may be; None for all
    falling: bool = True
    distinct: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BestScales:
    """The best scales: areas and positions, 0 and K included, by number of grades less one."""

    areas: list[Any]
    positions: list[Places]  # none where no such scale is allowed
    points: CapPoints
    bounds: list[Any] | None = None  # what no scale of at most so many grades exceeds

    def at_most(self, grades: int) -> int | None:
        """Return the number of grades of the best scale of two to so many; None without any."""
        allowed = [
            g for g in range(2, min(grades, len(self.areas)) + 1) if len(self.positions[g - 1])
        ]
        if not allowed:
            return None
        most = max(self.areas[g - 1] for g in allowed)
        return next(g for g in allowed if self.areas[g - 1] >= most - self.points.tolerance)

    def sizes(self, most: int) -> list[int]:
        """Return the numbers of grades up to which there is a scale."""
        every = range(2, min(most, len(self.areas)) + 1)
        return [size for size in every if self.at_most(size) is not None]

    def reached(self, grades: int) -> Any:
        """Return twice the area under the best scale of so many grades."""
        return self.areas[grades - 1]

    def bound(self, grades: int) -> Any:
        """Return what no scale of at most so many grades exceeds."""
        if self.bounds is None:
            return self.reached(self.at_most(grades) or 1)
        return self.bounds[min(grades, len(self.bounds)) - 1]


def best_scales(
    points: CapPoints, demands: Demands, most: int, room: int = MOST_CUTOFFS
) -> BestScales:
    """Return the best scales of up to so many grades, exactly or with a bound."""
    free = _over(points, Demands(falling=False), points.corners, most)
    # No scale is better than the best without demands.
    if all(_fulfils(points, demands, each) for each in free.positions[1:]):
        return free
    cutoffs = _cutoffs(points, demands)
    ceilings = np.maximum.accumulate(_padded(free.areas, most))
    plain = replace(demands, falling=False, distinct=None)
    found = _over_all(points, plain, cutoffs, ceilings, room)
    chosen = {found.at_most(grades) for grades in range(2, most + 1)} - {None}
    if all(_neighbours(points, demands, found.positions[g - 1]) for g in chosen if g):
        return found
    narrow = _over_all(points, demands, cutoffs, ceilings, min(room, MOST_COMPARED))
    if found.bounds is None and narrow.bounds is not None:
        return replace(narrow, bounds=np.maximum.accumulate(found.areas).tolist())
    return narrow if found.bounds is None else replace(narrow, bounds=found.bounds)


def _fulfils(points: CapPoints, demands: Demands, positions: Places) -> bool:
    """Return whether a scale is all that is asked for."""
    if demands.open is not None and not np.isin(positions[1:-1], demands.open).all():
        return False
    gains = _Nodes(positions, positions).gains(points, demands)
    allowed = bool((np.diagonal(gains, 1) > points.nothing).all())
    return allowed and _neighbours(points, demands, positions)


def _cutoffs(points: CapPoints, demands: Demands) -> Places:
    last = len(points.x) - 1
    inner = np.arange(1, last) if demands.open is None else demands.open
    return np.unique(np.concatenate([[0, last], inner, demands.fixed]).astype(np.intp))


def _over_all(
    points: CapPoints, demands: Demands, every: Places, ceilings: Array, room: int
) -> BestScales:
    """Return the best scales over many cut-offs, looking closer at each choice."""
    most = len(ceilings)
    if len(every) <= room:
        return _over(points, demands, every, most)
    cutoffs = _few(points, demands, every, room)
    found = _over(points, demands, cutoffs, most)
    areas, positions = list(found.areas), list(found.positions)
    if room >= MOST_COMPARED:  # of halves of a sample the first choice will do
        for grades in {found.at_most(each) for each in range(2, most + 1)} - {None}:
            best = _refined(points, demands, every, cutoffs, found, grades or 1, room)
            areas[grades - 1] = best.areas[grades - 1]  # type: ignore[operator]
            positions[grades - 1] = best.positions[grades - 1]  # type: ignore[operator]
    return BestScales(areas, positions, points, _bounds(points, demands, cutoffs, ceilings))


def _few(points: CapPoints, demands: Demands, every: Places, room: int) -> Places:
    """Return corners, fixed cut-offs and some at equal steps of cases."""
    steps = min(STEPS, room // 2)
    total = float(points.x[-1])
    wanted = [total * step / steps for step in range(1, steps)]
    x = points.x[every].astype(np.float64)
    even = every[np.searchsorted(x, wanted)]
    corners = np.intersect1d(points.corners, every)
    if len(corners) > room // 2:
        corners = corners[np.linspace(0, len(corners) - 1, room // 2).astype(np.intp)]
    return np.unique(np.concatenate([[0, every[-1]], corners, demands.fixed, even])).astype(np.intp)


def _refined(
    points: CapPoints,
    demands: Demands,
    every: Places,
    cutoffs: Places,
    found: BestScales,
    grades: int,
    room: int,
) -> BestScales:
    """Return the best scale of so many grades with cut-offs near the chosen ones."""
    for _ in range(MOST_ROUNDS):
        chosen, area = found.positions[grades - 1], found.areas[grades - 1]
        each = max(min(NEAR, room // len(chosen)), 3)
        closer = [chosen, np.array(demands.fixed, dtype=np.intp)]
        for place in chosen[1:-1].tolist():
            at = int(np.searchsorted(cutoffs, place))
            low, high = np.searchsorted(every, (cutoffs[at - 1], cutoffs[at + 1]))
            few = np.unique(np.linspace(low, high, min(high - low + 1, each)).astype(np.intp))
            closer.append(every[few])
        cutoffs = np.unique(np.concatenate(closer))
        found = _over(points, demands, cutoffs, grades)
        if found.areas[grades - 1] <= area + points.tolerance:
            break
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Places where a grade may end, each known to lie from `low` to `high`, both included."""

    low: Places
    high: Places

    def gains(self, points: CapPoints, demands: Demands) -> Array:
        """Return twice the area that a grade from each node to each other adds, shape (m, m)."""
        x, y = points.x[self.low], points.y[self.high]
        gains = (x[None, :] - x[:, None]) * (y[:, None] + y[None, :])
        order = np.arange(len(x))
        allowed = order[:, None] < order[None, :]
        ends, starts = points.x[self.high], points.x[self.low]
        if demands.least is not None:
            allowed &= (ends[None, :] - starts[:, None] >= demands.least).astype(bool)
        if demands.most is not None:
            allowed &= (starts[None, :] - ends[:, None] <= demands.most).astype(bool)
        if demands.least_held is not None:
            held = points.held[self.high][None, :] - points.held[self.low][:, None]
            allowed &= (held >= demands.least_held).astype(bool)
        for cut in demands.fixed:
            allowed &= (self.high[:, None] >= cut) | (self.low[None, :] <= cut)
        found: Array = np.where(allowed, gains, points.nothing)
        return found


def _over(points: CapPoints, demands: Demands, cutoffs: Places, most: int) -> BestScales:
    """Return the best scales of exactly one, two, ... grades with cut-offs among some."""
    gains = _Nodes(cutoffs, cutoffs).gains(points, demands)
    compared = demands.falling or demands.distinct is not None
    agree = _agreeing(points, demands, cutoffs, gains) if compared else None
    after, areas, positions = _after(points, gains, agree, most), [], []
    for grades in range(1, min(most, len(cutoffs) - 1) + 1):
        places = [0]
        for left in range(grades - 1, -1, -1):
            start = places[-1]
            row = gains[start] + (after[left] if agree is None else after[left][start])
            if agree is not None and len(places) > 1:
                row = np.where(agree[places[-2], start], row, points.nothing)
            if left == grades - 1:
                areas.append(max(row.max(), points.nothing))
            # Of equal areas the first place.
            places.append(int(np.argmax(row >= row.max() - points.tolerance)))
        allowed = areas[-1] >= 0 if points.x.dtype.kind == "i" else areas[-1] > -np.inf
        positions.append(cutoffs[places if allowed else []])
    return BestScales(areas, positions, points)


def _after(points: CapPoints, gains: Array, agree: Bools | None, most: int) -> list[Array]:
    """Return the best area of 0, 1, ... grades from each node to the end, shape (m,)."""
    # Where neighbours must agree, also by where the grade before begins, shape (m, m).
    end = np.full_like(gains[0], points.nothing)
    end[-1] = 0
    after = [end if agree is None else np.broadcast_to(end, gains.shape)]
    for _ in range(most - 1):
        best = gains + after[-1]
        if agree is None:
            best = best.max(axis=1)
        else:
            best = np.where(agree, best[None, :, :], points.nothing).max(axis=2)
        after.append(np.maximum(best, points.nothing))
    return after


def _agreeing(points: CapPoints, demands: Demands, cutoffs: Places, gains: Array) -> Bools:
    """Return whether grades i to j and j to l may be neighbours, shape (m, m, m)."""
    x, y = points.x[cutoffs], points.y[cutoffs]
    size = len(cutoffs)
    allowed = np.triu(np.ones((size, size), dtype=bool), 1) & (gains > points.nothing).astype(bool)
    agree = allowed[:, :, None] & allowed[None, :, :]
    i, j, l = np.nonzero(agree)  # noqa: E741 - as in the formula
    cases, found = (x[j] - x[i], x[l] - x[j]), (y[j] - y[i], y[l] - y[j])
    agree[i, j, l] = _agree(demands, cases, found)
    return np.asarray(agree, dtype=bool)


def _agree(demands: Demands, cases: tuple[Array, Array], found: tuple[Array, Array]) -> Bools:
    """Return whether upper and lower grades of these cases and positives may be neighbours."""
    kept = np.ones(len(cases[0]), dtype=bool)
    if demands.falling:
        kept &= (found[0] * cases[1] > found[1] * cases[0]).astype(bool)
    if demands.distinct is not None:
        few = np.flatnonzero(kept)
        columns = (found[0], cases[0], found[1], cases[1])
        kept[few] = are_distinct(*(column[few] for column in columns), level=demands.distinct)
    return kept


def _neighbours(points: CapPoints, demands: Demands, positions: Places) -> bool:
    """Return whether all neighbours of a scale fulfil what is asked of them."""
    cases, found = np.diff(points.x[positions]), np.diff(points.y[positions])
    return bool(_agree(demands, (cases[:-1], cases[1:]), (found[:-1], found[1:])).all())


def _bounds(points: CapPoints, demands: Demands, cutoffs: Places, ceilings: Array) -> list[Any]:
    """Return what no scale of at most one, two, ... grades exceeds."""
    # Area falls with the x and rises with the y of a vertex while amounts do not fall, so that a
    # cut-off in (c, d] is no better than the point of the x of its first and the y of its last.
    # Demands are loosened by as much as a cut-off may lie elsewhere.
    if (np.diff(points.y) < 0).any():
        return list(ceilings)
    low = np.concatenate([[0], cutoffs[:-1] + 1, cutoffs[-1:]])
    high = np.concatenate([[0], cutoffs[1:], cutoffs[-1:]])
    gains = _Nodes(low, high).gains(points, demands)
    areas = [(gains[0] + each).max() for each in _after(points, gains, None, len(ceilings))]
    return [min(pair) for pair in zip(np.maximum.accumulate(areas), ceilings, strict=True)]


def _padded(areas: Sequence[Any], size: int) -> Array:
    return np.array([*areas, *[areas[-1]] * (size - len(areas))])


def equal_sized(points: CapPoints, grades: int) -> Places:
    """Return the positions of grades of about equal share, ties never split."""
    x = points.x.astype(np.float64)
    wanted = np.arange(1, grades) * (x[-1] / grades)
    after = np.searchsorted(x, wanted)
    nearer = after - (wanted - x[after - 1] <= x[after] - wanted)
    return np.unique(np.concatenate([[0], nearer, [len(x) - 1]])).astype(np.intp)

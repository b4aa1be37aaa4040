"""The best cut-offs of a grade scale, by dynamic programming over the points of its CAP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import require
from capcurve.gate.given import is_amounts
from capcurve.inference.rates import are_distinct
from capcurve.metrics.ranking import advantages
from capcurve.numbers.exact import exponent_of
from capcurve.numbers.kept_cutoffs import concave_corners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Amounts, Ranking
    from capcurve.numbers.types import Array, Bools, Places

# The area under a CAP is a sum over grades, so the best scale from a cut-off on holds the best one
# from its next cut-off on (Bellman): after[g][i] = max_j gain[i, j] + after[g - 1][j]. Of equal
# areas the fewest grades are taken, then the first positions in dictionary order from the top.

# Tables of this size are searched as they are, with neighbours compared of this; of more cut-offs
# some are taken, and then all about the chosen ones.
MOST_CUTOFFS_SEARCHED, MOST_NEIGHBOURS_COMPARED = 2000, 150
CUTOFFS_TAKEN, CUTOFFS_ABOUT = 1000, 300
MOST_SEARCH_ROUNDS = 20
# Whole areas below this are int64; an area less than nothing marks what is not allowed.
LARGEST_AREA = 2**62
GAIN_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCap:
    """The CAP of a score at every cut-off, from (0, 0): running sums, shape (K + 1,)."""

    counts: Ranking | Amounts  # from which the counts by grade are made
    scores: Any  # what stands at every distinct score
    x: Array  # cases, or exposure
    y: Array  # positives, or amount
    held: Array  # positives, or rows with an amount
    perfect: Fraction  # twice the area between the best CAP and the diagonal
    tolerance: Any  # areas that differ by no more are equal: they differ by rounding
    corners: Places  # of the least concave majorant: the free optimum has no others

    @classmethod
    def of(cls, counts: Ranking | Amounts) -> ScoreCap:
        """Return the CAP of counts, or raise where there is no accuracy ratio."""
        if is_amounts(counts):
            scores: Any = counts.by_score()
            cases, found, held = scores.exposures, scores.amounts, scores.holding
            perfect = advantages(counts)[1]
        else:
            require(counts, "positives", "negatives")
            counts = scores = counts.every_score()
            kind = np.int64 if counts.is_whole else np.float64
            found = held = counts.positives.astype(kind)
            cases = found + counts.negatives.astype(kind)
            perfect = Fraction(counts.n1) * Fraction(counts.n0)
        if "f" not in cases.dtype.kind + found.dtype.kind:
            x, y, z = (np.append(0, np.cumsum(c, dtype=np.int64)) for c in (cases, found, held))
            # Areas below zero need a mark of their own.
            if int(y.min()) < 0 or 2 * int(x[-1]) * max(int(y.max()), 1) >= LARGEST_AREA:
                x, y = x.astype(object), y.astype(object)
            return cls(counts, scores, x, y, z, perfect, 0, concave_corners(x, y))
        # Scaled by powers of two near 1: 1e300 times 1e300 has no float.
        scales = exponent_of(cases), exponent_of(found)
        columns = np.ldexp(cases, -scales[0]), np.ldexp(found, -scales[1]), held
        x, y, z = (np.append(0.0, np.cumsum(column, dtype=np.float64)) for column in columns)
        perfect /= Fraction(2) ** sum(scales)
        tolerance = GAIN_ROUNDING * abs(x[-1] * y[-1])
        return cls(counts, scores, x, y, z, perfect, tolerance, concave_corners(x, y, tolerance))

    @property
    def nothing(self) -> Any:
        """The area of what is not allowed."""
        return -LARGEST_AREA if self.x.dtype.kind == "i" else -np.inf

    def ratio(self, area: Any) -> float:
        """Return the accuracy ratio of twice an area under the CAP."""
        x, y = (Fraction(column[-1:].tolist()[0]) for column in (self.x, self.y))
        return float((Fraction(area) - x * y) / self.perfect)

    def ratio_of(self, positions: Places) -> float:
        """Return the accuracy ratio of the line through some of the points."""
        x, y = self.x[positions], self.y[positions]
        return self.ratio(((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum())


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
class Optimum:
    """The best of all scales that are allowed."""

    area: Any  # twice the area under its CAP
    positions: Places  # of its cut-offs, 0 and K included; none where no scale is allowed
    bound: Any = None  # what no such scale exceeds

    @property
    def grades(self) -> int:
        """How many grades it has."""
        return len(self.positions) - 1


def best_scales(
    cap: ScoreCap, demands: Demands, most: int, room: int = MOST_CUTOFFS_SEARCHED
) -> dict[int, Optimum]:
    """Return the best scales of at most 2, 3, ... grades, exactly or with a bound."""
    free = _over(cap, Demands(falling=False), cap.corners, most)
    # No scale is better than the best without demands, if there is any.
    if free[1:] and all(_fulfils(cap, demands, each.positions) for each in free[1:]):
        return _at_most(cap, free)
    inner = np.arange(1, len(cap.x) - 1) if demands.open is None else demands.open
    every = np.unique(np.concatenate([[0, len(cap.x) - 1], inner, demands.fixed])).astype(np.intp)
    areas = [each.area for each in free]
    ceilings = np.maximum.accumulate([*areas, *areas[-1:] * (most - len(areas))])
    plain = replace(demands, falling=False, distinct=None)
    found, bounds = _over_all(cap, plain, every, ceilings, room)
    best = _at_most(cap, found, bounds)
    if all(_neighbours(cap, demands, each.positions) for each in best.values()):
        return best
    narrow, wide = _over_all(cap, demands, every, ceilings, min(room, MOST_NEIGHBOURS_COMPARED))
    if wide is not None and bounds is None:
        bounds = np.maximum.accumulate([each.area for each in found]).tolist()
    return _at_most(cap, narrow, bounds)


def _at_most(
    cap: ScoreCap, found: Sequence[Optimum], bounds: Sequence[Any] | None = None
) -> dict[int, Optimum]:
    """Return the best of at most 2, 3, ... grades, given those of exactly 1, 2, ..."""
    best = {}
    for size in range(2, len(found) + 1):
        if allowed := [each for each in found[1:size] if len(each.positions)]:
            most = max(each.area for each in allowed)
            first = next(each for each in allowed if each.area >= most - cap.tolerance)
            bound = first.area if bounds is None else bounds[min(size, len(bounds)) - 1]
            best[size] = replace(first, bound=bound)
    return best


def _fulfils(cap: ScoreCap, demands: Demands, positions: Places) -> bool:
    """Return whether a scale is all that is asked for."""
    if demands.open is not None and not np.isin(positions[1:-1], demands.open).all():
        return False
    gains = _gains(cap, demands, positions, positions)
    allowed = bool((np.diagonal(gains, 1) > cap.nothing).all())
    return allowed and _neighbours(cap, demands, positions)


def _over_all(
    cap: ScoreCap, demands: Demands, every: Places, ceilings: Array, room: int
) -> tuple[list[Optimum], list[Any] | None]:
    """Return the best scales over many cut-offs, looking closer at each choice, and bounds."""
    if len(every) <= room:
        return _over(cap, demands, every, len(ceilings)), None
    cutoffs = _few(cap, demands, every, room)
    found = _over(cap, demands, cutoffs, len(ceilings))
    for grades in {best.grades for best in _at_most(cap, found).values()}:
        best = found[grades - 1]
        found[grades - 1] = _refined(cap, demands, every, cutoffs, best, room)
    return found, _bounds(cap, demands, cutoffs, ceilings)


def _few(cap: ScoreCap, demands: Demands, every: Places, room: int) -> Places:
    """Return corners, fixed cut-offs and some at equal steps of cases."""
    steps = min(CUTOFFS_TAKEN, room // 2)
    total = float(cap.x[-1])
    wanted = [total * step / steps for step in range(1, steps)]
    even = every[np.searchsorted(cap.x[every].astype(np.float64), wanted)]
    corners = np.intersect1d(cap.corners, every)
    if len(corners) > room // 2:
        corners = corners[np.linspace(0, len(corners) - 1, room // 2).astype(np.intp)]
    return np.unique(np.concatenate([[0, every[-1]], corners, demands.fixed, even])).astype(np.intp)


def _refined(
    cap: ScoreCap, demands: Demands, every: Places, cutoffs: Places, best: Optimum, room: int
) -> Optimum:
    """Return the best scale of as many grades with cut-offs near the chosen ones."""
    each = max(min(CUTOFFS_ABOUT, room // len(best.positions)), 3)
    for _ in range(MOST_SEARCH_ROUNDS):
        closer = [best.positions, np.array(demands.fixed, dtype=np.intp)]
        for place in best.positions[1:-1].tolist():
            at = int(np.searchsorted(cutoffs, place))
            low, high = np.searchsorted(every, (cutoffs[at - 1], cutoffs[at + 1]))
            few = np.unique(np.linspace(low, high, min(high - low + 1, each)).astype(np.intp))
            closer.append(every[few])
        cutoffs = np.unique(np.concatenate(closer))
        area, best = best.area, _over(cap, demands, cutoffs, best.grades)[-1]
        if best.area <= area + cap.tolerance:
            break
    return best


def _gains(cap: ScoreCap, demands: Demands, low: Places, high: Places) -> Array:
    """Return twice the area that a grade from each cut-off to each other adds, shape (m, m)."""
    # A cut-off is known to lie from `low` to `high`, both included.
    starts, ends, y = cap.x[low], cap.x[high], cap.y[high]
    gains = (starts[None, :] - starts[:, None]) * (y[:, None] + y[None, :])
    allowed = np.triu(np.ones(gains.shape, dtype=bool), 1)
    if demands.least is not None:
        allowed &= (ends[None, :] - starts[:, None] >= demands.least).astype(bool)
    if demands.most is not None:
        allowed &= (starts[None, :] - ends[:, None] <= demands.most).astype(bool)
    if demands.least_held is not None:
        held = cap.held[high][None, :] - cap.held[low][:, None]
        allowed &= (held >= demands.least_held).astype(bool)
    for cut in demands.fixed:
        allowed &= (high[:, None] >= cut) | (low[None, :] <= cut)
    found: Array = np.where(allowed, gains, cap.nothing)
    return found


def _over(cap: ScoreCap, demands: Demands, cutoffs: Places, most: int) -> list[Optimum]:
    """Return the best scales of exactly one, two, ... grades with cut-offs among some."""
    gains = _gains(cap, demands, cutoffs, cutoffs)
    compared = demands.falling or demands.distinct is not None
    agree = _agreeing(cap, demands, cutoffs, gains) if compared else None
    after, found = _after(cap, gains, agree, most), []
    for grades in range(1, min(most, len(cutoffs) - 1) + 1):
        places, areas = [0], []
        for left in range(grades - 1, -1, -1):
            start = places[-1]
            row = gains[start] + (after[left] if agree is None else after[left][start])
            if agree is not None and len(places) > 1:
                row = np.where(agree[places[-2], start], row, cap.nothing)
            areas.append(row.max())
            # Of equal areas the first place.
            places.append(int(np.argmax(row >= areas[-1] - cap.tolerance)))
        area = max(areas[0], cap.nothing)
        allowed = area >= 0 if cap.x.dtype.kind == "i" else area > -np.inf
        found.append(Optimum(area, cutoffs[places if allowed else []]))
    return found


def _after(cap: ScoreCap, gains: Array, agree: Bools | None, most: int) -> list[Array]:
    """Return the best area of 0, 1, ... grades from each cut-off to the end, shape (m,)."""
    # Where neighbours must agree, also by where the grade before begins, shape (m, m).
    end = np.full_like(gains[0], cap.nothing)
    end[-1] = 0
    after = [end if agree is None else np.broadcast_to(end, gains.shape)]
    for _ in range(most - 1):
        best = gains + after[-1]
        if agree is None:
            best = best.max(axis=1)
        else:
            best = np.where(agree, best[None, :, :], cap.nothing).max(axis=2)
        after.append(np.maximum(best, cap.nothing))
    return after


def _agreeing(cap: ScoreCap, demands: Demands, cutoffs: Places, gains: Array) -> Bools:
    """Return whether grades i to j and j to l may be neighbours, shape (m, m, m)."""
    x, y = cap.x[cutoffs], cap.y[cutoffs]
    allowed = np.triu((gains > cap.nothing).astype(bool), 1)
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


def _neighbours(cap: ScoreCap, demands: Demands, positions: Places) -> bool:
    """Return whether all neighbours of a scale fulfil what is asked of them."""
    cases, found = np.diff(cap.x[positions]), np.diff(cap.y[positions])
    return bool(_agree(demands, (cases[:-1], cases[1:]), (found[:-1], found[1:])).all())


def _bounds(cap: ScoreCap, demands: Demands, cutoffs: Places, ceilings: Array) -> list[Any]:
    """Return what no scale of at most one, two, ... grades exceeds."""
    # Area falls with the x and rises with the y of a vertex while amounts do not fall, so that a
    # cut-off in (c, d] is no better than the point of the x of its first and the y of its last.
    # Demands are loosened by as much as a cut-off may lie elsewhere.
    if (np.diff(cap.y) < 0).any():
        return list(ceilings)
    low = np.concatenate([[0], cutoffs[:-1] + 1, cutoffs[-1:]])
    high = np.concatenate([[0], cutoffs[1:], cutoffs[-1:]])
    gains = _gains(cap, demands, low, high)
    areas = [(gains[0] + each).max() for each in _after(cap, gains, None, len(ceilings))]
    return [min(pair) for pair in zip(np.maximum.accumulate(areas), ceilings, strict=True)]

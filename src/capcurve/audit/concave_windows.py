"""Concave curves through windows: how little and how much area may lie under them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.audit.bins import Bins

if TYPE_CHECKING:
    from capcurve.audit.tables import Tables
    from capcurve.counts.types import Floats

# The area of a bin is bounded by planes at such splits of its corner, then at those of solutions.
FIRST_SPLITS = tuple(i / 8 for i in range(9))
MOST_ROUNDS = 40
CLOSE = 1e-12
SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def lowest_concave(tables: Tables) -> Bins:
    """Return the points of the lowest concave curve above the least table: its majorant.

    It fits unless it passes above the greatest table, as `passes` tells.
    """
    low = tables.least
    ends = [(p + m, p) for p, m in zip((0, *low.positives), (0, *low.negatives), strict=True)]
    hull = ends[:1]
    for point in ends[1:]:
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    positives = tuple(_height(hull, x) for x, _ in ends[1:])
    return Bins.of(tuple(x for x, _ in ends[1:]), positives)


def passes(lowest: Bins, tables: Tables) -> int | None:
    """Return the first bin at whose end a curve passes above the greatest table, or None."""
    ends = zip(lowest.positives, tables.greatest.positives, strict=True)
    return next((b for b, (p, most) in enumerate(ends) if p > most), None)


def _turns_up(a: tuple[Any, Any], b: tuple[Any, Any], c: tuple[Any, Any]) -> bool:
    return bool((b[1] - a[1]) * (c[0] - b[0]) <= (c[1] - b[1]) * (b[0] - a[0]))


def _height(hull: list[tuple[Any, Any]], x: Any) -> Any:
    (x0, y0), (x1, y1) = next(pair for pair in pairwise(hull) if pair[0][0] < x <= pair[1][0])
    return y1 if x == x1 else y0 + Fraction((x - x0) * (y1 - y0), x1 - x0)


@dataclass(frozen=True, slots=True)
class Programme:
    """The linear programme whose value bounds the area under concave curves through windows.

    Variables are the shares captured at the ends of the bins, the slopes of the curve there and
    the area that it gains over each chord; everything in shares of cases and of positives.

    Attributes
    ----------
    widths
        Shares of cases in the bins.
    first_slope
        The steepest slope there is, 1 over the prevalence.
    low, high, step_low, step_high
        Windows of the shares captured, running and in each bin.
    """

    widths: Floats
    first_slope: float
    low: Floats
    high: Floats
    step_low: Floats
    step_high: Floats

    @classmethod
    def of(cls, tables: Tables) -> Programme:
        """Return the programme of the tables with one number of positives."""
        low, high = tables.least, tables.greatest
        n = [p + m for p, m in zip((0, *low.positives), (0, *low.negatives), strict=True)]

        def shares(counts: Any, of: Any) -> Floats:
            return np.array([float(Fraction(each) / of) for each in counts])

        return cls(
            np.array([float(Fraction(b - a) / n[-1]) for a, b in pairwise(n)]),
            float(Fraction(low.n) / low.n1),
            shares(low.positives, low.n1),
            shares(high.positives, low.n1),
            shares(tables.step_low, low.n1),
            shares(tables.step_high, low.n1),
        )

    def rows(self) -> tuple[Floats, Floats]:
        """Return what keeps a curve concave and inside the windows of bins, as A·x <= b."""
        count = len(self.widths)
        eye = np.eye(count)
        steps = eye - np.eye(count, k=-1)
        slopes = np.eye(count, count - 1)  # the slope at the end of each bin; 0 at the last
        before = np.eye(count, count - 1, k=-1)
        wide = self.widths[:, None]
        none = np.zeros((count, count))
        start = np.zeros(count)
        start[0] = self.first_slope * self.widths[0]
        blocks = [
            (-steps, wide * slopes, np.zeros(count)),
            (steps, -wide * before, start),
            (steps, 0 * slopes, self.step_high),
            (-steps, 0 * slopes, -self.step_low),
        ]
        rows = np.vstack([np.hstack([p, s, none]) for p, s, _ in blocks])
        return rows, np.concatenate([limit for *_, limit in blocks])

    def planes(self, splits: Floats) -> tuple[Floats, Floats]:
        """Return the planes above the gains at one split of the corner of each bin."""
        count = len(self.widths)
        steps = np.eye(count) - np.eye(count, k=-1)
        above, below = splits**2, (1 - splits) ** 2
        half = self.widths / 2
        slopes = -np.eye(count, count - 1, k=-1) * (half * self.widths * above)[:, None]
        slopes += np.eye(count, count - 1) * (half * self.widths * below)[:, None]
        limit = np.zeros(count)
        limit[0] = half[0] * self.widths[0] * above[0] * self.first_slope
        return np.hstack([steps * (half * (above - below))[:, None], slopes, np.eye(count)]), limit

    def area(self) -> float | None:
        """Return the largest area under a concave curve, or None where there is no such curve."""
        from scipy.optimize import linprog

        count = len(self.widths)
        rest = np.append(self.widths[1:], 0)
        aim = -np.concatenate([(self.widths + rest) / 2, np.zeros(count - 1), np.ones(count)])
        steepest = [(0, self.first_slope)] * (count - 1)
        ends = [*zip(self.low, self.high, strict=True), *steepest, *[(0, None)] * count]
        parts = [self.rows(), *(self.planes(np.full(count, split)) for split in FIRST_SPLITS)]
        bound = None
        for _ in range(MOST_ROUNDS):
            rows, limits = (np.concatenate(each) for each in zip(*parts, strict=True))
            found = linprog(aim, rows, limits, bounds=ends, options=SOLVER)
            if found.x is None:
                return bound
            bound = -float(found.fun) if bound is None else min(bound, -float(found.fun))
            gains, splits = self._gains(found.x)
            if found.x[2 * count - 1 :].sum() - gains.sum() < CLOSE:
                return bound
            parts.append(self.planes(splits))
        return bound

    def _gains(self, solution: Floats) -> tuple[Floats, Floats]:
        """Return what the curve of a solution truly gains in each bin, and its splits."""
        count = len(self.widths)
        rates = np.diff(solution[:count], prepend=0) / self.widths
        slopes = np.array([self.first_slope, *solution[count : 2 * count - 1], 0])
        u, v = np.maximum(slopes[:-1] - rates, 0), np.maximum(rates - slopes[1:], 0)
        corner = u + v
        splits = np.divide(v, corner, out=np.full(count, 0.5), where=corner > 0)
        return self.widths**2 / 2 * u * splits, splits


def highest_concave(tables: Tables) -> float | None:
    """Return a bound of the accuracy ratio of concave curves through windows, met within 1e-9.

    None where no such curve is concave.
    """
    area = Programme.of(tables).area()
    if area is None:
        return None
    prevalence = float(Fraction(tables.least.n1) / tables.least.n)
    return (2 * area - 1) / (1 - prevalence)

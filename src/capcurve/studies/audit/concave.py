"""Concave curves through the points of a table, or through windows: the area under them.

In each bin the curve is at most a corner, an apex, over the bin's chord. Prolonging a chord into
one bin flattens the curve in the next, so the best apexes are reflections of each other in the
points of the table, between bins that stay flat, whose lines bound their neighbours. The first
and the last of these lines are those of a perfect start (slope 1) and of nothing left (slope 0).
Through windows a linear programme bounds the area.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.exact import quotient
from capcurve.studies.audit.bins import Bins, OneOrMany, ratio_of_bins

if TYPE_CHECKING:
    from capcurve.numbers.types import Floats
    from capcurve.studies.audit.tables import Tables

CapPoint = tuple["OneOrMany", "OneOrMany"]
# The area of a bin is bounded by planes at such splits of its corner, then at those of solutions.
FIRST_SPLITS = tuple(i / 8 for i in range(9))
MOST_PROGRAMMES_REFINED = 40
SETTLED_GAIN = 1e-12
SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def rises(bins: Bins) -> list[int]:
    """Return after which bins, counted from 0, the rate of positives rises.

    >>> rises(Bins((1, 4, 5), (4, 6, 11)))
    [0]
    """
    sizes = [(p - p0, p - p0 + m - m0) for p0, p, m0, m in bins.each()]
    return [b for b, ((p, n), (q, o)) in enumerate(pairwise(sizes)) if q * n > p * o]


@dataclass(frozen=True, slots=True)
class Corners:
    """The points of a table, (cases, positives) down to the end of each bin, and its chords."""

    points: tuple[CapPoint, ...]  # from the origin to the totals
    # Cases and positives of each bin, between a first chord of slope 1 and a last of slope 0.
    chords: tuple[CapPoint, ...]
    # Alternating sums of the points: apex b is `alternating[b]` plus or minus one vector.
    alternating: tuple[CapPoint, ...]

    @classmethod
    def of(cls, bins: Bins) -> Corners:
        """Return the corners of a table."""
        points: tuple[CapPoint, ...] = ((0, 0), *((p + m, p) for p, m in zip(*bins, strict=True)))
        sums: list[CapPoint] = [(0, 0), (0, 0)]
        for n, p in points[1:-1]:
            sums.append((2 * n - sums[-1][0], 2 * p - sums[-1][1]))
        inner = ((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points))
        return cls(points, ((1, 1), *inner, (1, 0)), tuple(sums))


def concave_gain(bins: Bins) -> Fraction:
    """Return twice the largest area between a concave curve and the chords of the table.

    >>> concave_gain(Bins((2, 3), (1, 3)))
    Fraction(2, 1)
    """
    corners = Corners.of(bins)
    best = [Fraction(0)]  # the largest area down to each flat bin
    for flat in range(1, len(corners.chords)):
        runs = ((best[b], _run_of_apexes(corners, b, flat)) for b in range(flat - 1))
        best.append(max([best[-1], *(above + gain for above, gain in runs if gain is not None)]))
    return best[-1]


def _run_of_apexes(corners: Corners, first: int, last: int) -> Fraction | None:
    """Return twice the area gained by reflected apexes between two flat bins, if they can be."""
    # Apex b is alternating[b] + (-1)^b·d; that the first lies on the line of one flat bin and the
    # last on that of the other gives d, here with a common divisor so that all stay whole numbers.
    a1, b1, c1 = _line_through(corners, first, first + 1)
    a2, b2, c2 = _line_through(corners, last, last - 1)
    divisor = a1 * b2 - a2 * b1
    if divisor == 0:
        return None
    dx, dy = c1 * b2 - c2 * b1, a1 * c2 - a2 * c1
    if divisor < 0:
        dx, dy, divisor = -dx, -dy, -divisor
    gain = 0
    for b in range(first + 1, last):
        (n, p), (x0, y0) = corners.chords[b], corners.points[b - 1]
        sign = -1 if b % 2 else 1
        x = (corners.alternating[b][0] - x0) * divisor + sign * dx
        y = (corners.alternating[b][1] - y0) * divisor + sign * dy
        over = y * n - x * p
        if over < 0 or not 0 <= x <= n * divisor:
            return None
        gain += over
    return Fraction(gain, divisor)


def _line_through(corners: Corners, flat: int, apex: int) -> tuple[OneOrMany, OneOrMany, OneOrMany]:
    """Return a, b, c of a·dx + b·dy = c: that an apex lies on the line of a flat bin."""
    n, p = corners.chords[flat]
    x, y = corners.points[max(flat - 1, 0)]  # where its chord starts
    sign = -1 if apex % 2 else 1
    off = (corners.alternating[apex][1] - y) * n - (corners.alternating[apex][0] - x) * p
    return -sign * p, sign * n, -off


def concave_accuracy_ratio(bins: Bins) -> Fraction:
    """Return the largest accuracy ratio of a concave curve through the table's points."""
    straight: Fraction = ratio_of_bins(bins, "table")
    return straight + Fraction(concave_gain(bins), bins.n1 * bins.n0)


def concave_captured(low: Bins, high: Bins, t: OneOrMany) -> Fraction:
    """Return the most positives that a concave curve captures among the first t cases."""
    # The smaller of the two neighbouring chords, prolonged. Of a single table exactly; between two
    # tables with the same bins, no curve has more.
    lows, highs = Corners.of(low), Corners.of(high)
    b = next(b for b, (n, _) in enumerate(highs.points[1:], 1) if t <= n)
    inside, rest = t - highs.points[b - 1][0], highs.points[b][0] - t
    before: Fraction = highs.points[b - 1][1] + _steepest(lows, highs, b - 1) * inside
    after: Fraction = highs.points[b][1] - _flattest(lows, highs, b + 1) * rest
    return min(before, after)


def concave_tpr(bins: Bins, x: OneOrMany) -> OneOrMany:
    """Return the most positives that a concave curve has above a cut-off x negatives pass."""
    ends = list(bins.each())
    b = next((b for b, (*_, m) in enumerate(ends) if x < m), None)
    if b is None:
        return bins.n1
    found = ends[b][1]
    if b + 1 < len(ends):
        p, after, m, m_after = ends[b + 1]
        found = p - Fraction(after - p, m_after - m) * (m - x)
    if b and (m0 := ends[b - 1][2]) < (m := ends[b - 1][3]):
        p0, p = ends[b - 1][:2]
        found = min(found, p + Fraction(p - p0, m - m0) * (x - m))
    return found


def concave_ks(low: Bins, high: Bins) -> Fraction:
    """Return the largest KS of a concave curve: at the corner of two prolonged chords."""
    # Of a single table exactly; between two tables with the same bins, no curve has more.
    lows, highs = Corners.of(low), Corners.of(high)
    found = Fraction(0)
    for b in range(1, len(highs.chords) - 1):
        (size, _), (x0, above) = highs.chords[b], highs.points[b - 1]
        below = highs.points[b][1]
        steep, flat = _steepest(lows, highs, b - 1), _flattest(lows, highs, b + 1)
        t = (below - flat * size - above) / (steep - flat) if steep > flat else Fraction(0)
        t = min(max(t, Fraction(0)), Fraction(size))
        y = min(above + steep * t, below - flat * (size - t))
        found = max(found, y / high.n1 - (x0 + t - y) / high.n0)
    return found


def _steepest(lows: Corners, highs: Corners, b: int) -> Fraction:
    """Return the largest slope that a chord may have; 1 before the first bin."""
    if b == 0:
        return Fraction(1)
    rise = highs.points[b][1] - lows.points[b - 1][1]
    return min(Fraction(rise, highs.chords[b][0]), Fraction(1))


def _flattest(lows: Corners, highs: Corners, b: int) -> Fraction:
    """Return the smallest slope that a chord may have; 0 after the last bin."""
    if b == len(highs.chords) - 1:
        return Fraction(0)
    rise = lows.points[b][1] - highs.points[b - 1][1]
    return max(Fraction(rise, highs.chords[b][0]), Fraction(0))


def lowest_concave(tables: Tables) -> Bins:
    """Return the points of the lowest concave curve above the least table: its majorant."""
    points = Corners.of(tables.least).points
    hull = [*points[:1]]
    for point in points[1:]:
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    cases = tuple(x for x, _ in points[1:])
    return Bins.of(cases, tuple(_height(hull, x) for x in cases))


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
    """The linear programme whose value bounds the area under concave curves through windows."""

    # Variables are the shares captured at the ends of the bins, the slopes of the curve there and
    # the area that it gains over each chord; everything in shares of cases and of positives.

    widths: Floats  # shares of cases in the bins
    first_slope: float  # the steepest slope there is, 1 over the prevalence
    # Low, high, step_low, step_high: windows of the shares captured, running and in each bin.
    low: Floats
    high: Floats
    step_low: Floats
    step_high: Floats

    @classmethod
    def of(cls, tables: Tables) -> Programme:
        """Return the programme of the tables with one number of positives."""
        low, high = tables.least, tables.greatest

        def captured(positives: Any) -> Floats:
            return np.array([float(Fraction(each) / low.n1) for each in positives])

        return cls(
            np.array([float(Fraction(n) / low.n) for n, _ in Corners.of(low).chords[1:-1]]),
            float(Fraction(low.n) / low.n1),
            *map(captured, (low.positives, high.positives, tables.step_low, tables.step_high)),
        )

    def rows(self) -> tuple[Floats, Floats]:
        """Return what keeps a curve concave and inside the windows of bins, as A·x <= b."""
        count, wide = len(self.widths), self.widths[:, None]
        steps = np.eye(count) - np.eye(count, k=-1)
        slopes = np.eye(count, count - 1)  # the slope at the end of each bin; 0 at the last
        before = np.eye(count, count - 1, k=-1)
        blocks = [[-steps, wide * slopes], [steps, -wide * before]]
        blocks += [[steps, 0 * slopes], [-steps, 0 * slopes]]
        start = np.append(self.first_slope * self.widths[0], np.zeros(count - 1))
        rows = np.hstack([np.block(blocks), np.zeros((4 * count, count))])
        return rows, np.concatenate([np.zeros(count), start, self.step_high, -self.step_low])

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
        for _ in range(MOST_PROGRAMMES_REFINED):
            rows, limits = (np.concatenate(each) for each in zip(*parts, strict=True))
            found = linprog(aim, rows, limits, bounds=ends, options=SOLVER)
            if found.x is None:
                return bound
            bound = -float(found.fun) if bound is None else min(bound, -float(found.fun))
            gains, splits = self._gains(found.x)
            if found.x[2 * count - 1 :].sum() - gains.sum() < SETTLED_GAIN:
                return bound
            parts.append(self.planes(splits))
        return bound

    def _gains(self, solution: Floats) -> tuple[Floats, Floats]:
        """Return what the curve of a solution truly gains in each bin, and its splits."""
        count = len(self.widths)
        rates = np.diff(solution[:count], prepend=0) / self.widths
        slopes = np.array([self.first_slope, *solution[count : 2 * count - 1], 0])
        u, v = np.maximum(slopes[:-1] - rates, 0), np.maximum(rates - slopes[1:], 0)
        splits = quotient(v, u + v, 0.5)
        return self.widths**2 / 2 * u * splits, splits


def highest_concave(tables: Tables) -> float | None:
    """Return a bound of the accuracy ratio of concave curves through windows, met within 1e-9."""
    # None where no such curve is concave.
    area = Programme.of(tables).area()
    if area is None:
        return None
    prevalence = float(Fraction(tables.least.n1) / tables.least.n)
    return (2 * area - 1) / (1 - prevalence)

"""The top share of the cases: what it holds, and how far each case drawn moves that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import DoubleDouble
from capcurve.curves.shares import require, shares
from capcurve.inference.designs import Estimates
from capcurve.inference.sizes import effective_sizes, require_rows, squared_mass_sums
from capcurve.metrics import captured_response, lift, precision

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.curves.shares import Axis
    from capcurve.inference.statistics import Rate

METRICS = {"captured_response": captured_response, "lift": lift, "precision": precision}
ROUNDING = 1e-15
# A grade of so many cases shows its own local rate.
ENOUGH_FOR_A_SLOPE = 10


@dataclass(frozen=True, slots=True, eq=False)
class TopShare:
    """The top share q of the cases, as a function of who was drawn.

    Scores fall into three parts: those selected, the one in which the share ends, and the rest.
    More need not be told apart.
    """

    counts: ScoreCounts
    q: float
    prevalence: float  # as counted or as stated
    captured: float  # share of positives that is selected, the CAP at q
    missed: float  # share of positives that is not
    impurity: float  # share of the selected that is negative
    selected: Floats  # share selected of each part, shape (3,)
    masses: tuple[Floats, Floats]  # Σw²/(Σw)² of the positives, of the negatives in each part
    passed: float  # share of negatives that is selected
    stated: float | None  # the stated prevalence, if there is one

    @classmethod
    def of(cls, counts: ScoreCounts, q: float, prevalence: float | None = None) -> TopShare:
        """Select the top share q, inside a score in proportion."""
        require_rows(counts)
        require(counts, "positives", "negatives")
        sums = shares(counts, prevalence)
        p, n = sums.positives, sums.negatives
        cell, part = _last_selected(sums.cases, q)
        groups = (slice(0, cell), slice(cell, cell + 1), slice(cell + 1, None))
        p_here, n_here = p.sums[cell + 1] - p.sums[cell], n.sums[cell + 1] - n.sums[cell]
        missed = p.total - p.sums[cell + 1] + p_here * (1 - part)
        passed = n.sums[cell] + n_here * part
        if prevalence is None:
            pi, impurity = float(p.total / sums.cases.total), float(passed / sums.cases.total) / q
        else:
            pi, impurity = prevalence, (1 - prevalence) * float(passed / n.total) / q
        return cls(
            counts,
            q,
            prevalence=pi,
            captured=float((p.sums[cell] + p_here * part) / p.total),
            missed=float(missed / p.total),
            impurity=impurity,
            selected=np.array([1.0, float(part), 0.0]),
            masses=squared_mass_sums(counts, groups),
            passed=float(passed / n.total),
            stated=prevalence,
        )

    def estimate(self, rate: Rate) -> tuple[float, float]:
        """Return the rate as the metrics have it, and its lack to 1, exactly 0 where it is all."""
        lack = self.impurity if rate == "precision" else self.missed
        return METRICS[rate](self.counts, self.q, prevalence=self.stated) if lack else 1.0, lack

    def estimates(self, rate: Rate) -> Estimates:
        """Return the rate with the influences of cases, once per slope of the CAP at q.

        For unweighted captured response the sum of their squares is
        [(C2 - C²)(1/π - 2L) + L²(Q2 - q²)]/n (Jiang & Zhao 2015, JASA 110, for grades), L the
        local lift, taken from the concave majorant of the CAP: that of a single score is 0 or
        1/π on continuous scores, and says nothing. Where the majorant bends exactly at q, the
        slope that gives more counts. Under a stated prevalence only the order inside a class is
        left to chance.
        """
        pi, asked = self.prevalence, (self.counts, self.q, self.stated)
        points = _shares_of(self.counts, self.stated)
        pooled = majorant_slopes(*points, self.q)
        slopes = np.unique([*pooled, *own_slopes(*asked)])[:, None]
        if self.stated is not None:
            scale = pi / self.q if rate == "precision" else 1.0
            of_positives = (self.selected - self.captured) * (1 / pi - slopes) * scale
            of_negatives = (self.passed - self.selected) * (slopes * scale)
        elif rate == "precision":
            moved = -pi * (self.captured + slopes * (self.selected - self.q))
            of_positives, of_negatives = (self.selected + moved) / self.q, moved / self.q
        else:
            of_negatives = -slopes * (self.selected - self.q)
            of_positives = (self.selected - self.captured) / pi + of_negatives
        return Estimates(
            np.full(len(slopes), self.estimate(rate)[0]),
            (pi * of_positives, (1 - pi) * of_negatives),
            self.masses,
            effective_sizes(self.counts),
            0.0,
            "influences",
        )

    def se(self, rate: Rate) -> float:
        """Return the standard error at this fixed share of cases."""
        return float(np.sqrt(self.estimates(rate).variances().max()))

    def spread(self) -> float:
        """Return the standard error of the share selected by the cut-off that is true."""
        pi, centres = self.prevalence, (self.q, self.q)
        if self.stated is not None:
            centres = self.captured, self.passed
        moves = (pi * (self.selected - centres[0]), (1 - pi) * (self.selected - centres[1]))
        pairs = zip(moves, self.masses, strict=True)
        return float(np.sqrt(sum((moved**2 * mass).sum() for moved, mass in pairs)))

    def cases(self, rate: Rate) -> float:
        """Return how many equally weighted cases the rate is taken over."""
        if rate == "captured_response":
            return effective_sizes(self.counts).positives
        (mass1, mass0), pi = self.masses, self.prevalence
        return self.q / float((mass1 * pi**2).sum() + (mass0 * (1 - pi) ** 2).sum())

    def typical_weight(self, taken: Floats) -> float:
        """Return Σw²/Σw of the cases taken of each part, in the class where it is larger.

        All cases weigh 1; `taken` is what is selected or what is not.
        """
        pi = self.prevalence
        taken_in = (self.captured, self.passed)
        held = taken_in if taken is self.selected else (self.missed, 1 - self.passed)
        found = [
            part * float((mass * taken).sum()) / of_class
            for part, mass, of_class in zip((pi, 1 - pi), self.masses, held, strict=True)
            if of_class > ROUNDING
        ]
        return max(found, default=0.0)


def _last_selected(cases: Axis, q: float) -> tuple[int, Any]:
    """Return the score in which the top share q ends, and how much of it is selected."""
    ends = np.asarray(cases.sums / cases.total, dtype=np.float64)
    cell = max(int(np.searchsorted(ends, q, side="left")) - 1, 0)
    if ends[cell + 1] == q:
        return cell, 1.0
    start, end = cases.sums[cell], cases.sums[cell + 1]
    part = (DoubleDouble.of(q) * DoubleDouble.of(cases.total) - DoubleDouble.of(start)) / (
        DoubleDouble.of(end) - DoubleDouble.of(start)
    )
    return cell, float(part.high)


def majorant_slopes(x: Floats, y: Floats, q: float) -> tuple[float, float]:
    """Return the slopes of the smallest concave curve above a CAP, just before and after q.

    They are the local lift that pool-adjacent-violators gives.

    Examples
    --------
    The CAP of 1 of 2, then 2 of 2 positives is pooled to one slope.

    >>> majorant_slopes(np.array([0, 0.25, 0.5, 1]), np.array([0, 1 / 3, 1, 1]), 0.5)
    (2.0, 0.0)
    """
    highest = np.append(x[1:] > x[:-1], True)  # of those at one share, too near to tell apart
    x, y = x[highest], y[highest]
    before = int(np.searchsorted(x, q, side="left")) - 1
    after = int(np.searchsorted(x, q, side="right"))
    last = len(x) - 1
    return (
        _bridge(x, y, max(before, 0), min(before + 1, last)),
        _bridge(x, y, min(after - 1, last - 1), min(after, last)),
    )


def _shares_of(counts: ScoreCounts, prevalence: float | None) -> tuple[Floats, Floats]:
    """Return the points of the CAP."""
    sums = shares(counts, prevalence)
    x = np.asarray(sums.cases.sums / sums.cases.total, dtype=np.float64)
    return x, np.asarray(sums.positives.sums / sums.positives.total, dtype=np.float64)


def own_slopes(counts: ScoreCounts, q: float, prevalence: float | None = None) -> list[float]:
    """Return the slopes of the CAP itself just before and after q, of grades with enough cases.

    Of grades in the wrong order the majorant hides them.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> own_slopes(ScoreCounts.from_counts([3, 2, 1], [5, 10, 1], [15, 10, 9]), 0.5)
    [1.5625]
    """
    x, y = _shares_of(counts, prevalence)
    before, after = np.searchsorted(x, q, side="left") - 1, np.searchsorted(x, q, side="right") - 1
    places = np.unique(np.clip([before, after], 0, len(x) - 2)).tolist()
    enough = [place for place in places if _cases_at(counts, place) >= ENOUGH_FOR_A_SLOPE]
    return [float((y[k + 1] - y[k]) / (x[k + 1] - x[k])) for k in enough]


def _cases_at(counts: ScoreCounts, place: int) -> float:
    """Return how many equally weighted cases there are at a score."""
    cases = float(counts.positives[place]) + float(counts.negatives[place])
    if counts.weights is None:
        return cases
    roots = counts.weights.positive_roots[place], counts.weights.negative_roots[place]
    return float(1 / ((roots[0] / cases) ** 2 + (roots[1] / cases) ** 2))


def _bridge(x: Floats, y: Floats, left: int, right: int) -> float:
    """Return the slope of the edge of the upper hull that spans x[left] to x[right].

    The chord is lifted to the point furthest above it until none lies above.
    """
    split = left
    while True:
        slope = (y[right] - y[left]) / (x[right] - x[left])
        above = y - slope * x
        top = int(above.argmax())
        # Points on the chord may seem to lie above it by rounding.
        if above[top] <= max(above[left], above[right]) + ROUNDING * (1 + abs(slope)):
            return float(slope)
        left, right = (top, right) if top <= split else (left, top)

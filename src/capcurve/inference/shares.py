"""How far chance moves what the top share of cases holds: influences of single cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import DoubleDouble
from capcurve.curves.shares import require, shares
from capcurve.inference.sizes import require_rows, squared_mass_sums
from capcurve.metrics import captured_response, lift, precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.curves.shares import Axis
    from capcurve.inference.resampled import OfShare


ROUNDING = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class TopShare:
    """The top share q of the cases, as a function of who was drawn.

    Attributes
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    q
        The share selected.
    prevalence
        Share of positives among all cases, as counted or as stated.
    captured, missed
        Share of positives that is selected, the CAP at q, and that is not.
    impurity
        Share of the selected that is negative.
    selected
        Share of a score's cases that is selected: 1 above the one in which the share ends, a
        part there, 0 below. More need not be told apart: shape (3,).
    masses
        Σw²/(Σw)² of the positives, of the negatives in these three; shape (3,) each.
    passed
        Share of negatives that is selected; None unless the prevalence is a stated one, which
        other samples do not change.
    """

    counts: ScoreCounts
    q: float
    prevalence: float
    captured: float
    missed: float
    impurity: float
    selected: NDArray[np.float64]
    masses: tuple[NDArray[np.float64], NDArray[np.float64]]
    passed: float | None = None

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
            passed=None if prevalence is None else float(passed / n.total),
        )

    @property
    def stated(self) -> float | None:
        """The prevalence when it was stated, else None."""
        return None if self.passed is None else self.prevalence

    def estimate(self, which: OfShare) -> float:
        """Return captured response, lift or precision, as the metrics have it."""
        return {"captured_response": captured_response, "lift": lift, "precision": precision}[
            which
        ](self.counts, self.q, prevalence=self.stated)

    def complement(self, which: OfShare) -> float:
        """Return what captured response or precision lacks to 1, exactly 0 where it is all."""
        return self.impurity if which == "precision" else self.missed

    def se(self, which: OfShare) -> float:
        """Return the standard error at this fixed share of cases.

        The sum of squared influences. For unweighted captured response it is
        [(C2 - C²)(1/π - 2L) + L²(Q2 - q²)]/n (Jiang & Zhao 2015, JASA 110, for grades), L the
        local lift, taken from the concave majorant of the CAP: that of a single score is 0 or
        1/π on continuous scores, and says nothing. Where the majorant bends exactly at q, the
        slope that gives more.
        """
        slopes = majorant_slopes(self.counts, self.q, self.stated)
        return max(self._se(which, lift) for lift in set(slopes))

    def influences(
        self, which: OfShare, local_lift: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what one more positive, negative would do in each of the three, times n.

        Under a stated prevalence only the order inside a class is left to chance.
        """
        if self.passed is not None:
            scale = {"precision": self.prevalence / self.q, "lift": 1 / self.q}.get(which, 1.0)
            positives = (self.selected - self.captured) * (1 / self.prevalence - local_lift)
            return positives * scale, (self.passed - self.selected) * (local_lift * scale)
        beyond = self.selected - self.q
        if which == "precision":
            moved = -self.prevalence * (self.captured + local_lift * beyond)
            return (self.selected + moved) / self.q, moved / self.q
        moved = -local_lift * beyond
        scale = self.q if which == "lift" else 1.0
        positives = (self.selected - self.captured) / self.prevalence + moved
        return positives / scale, moved / scale

    def _se(self, which: OfShare, local_lift: float) -> float:
        pi = self.prevalence
        of_positives, of_negatives = self.influences(which, local_lift)
        mass1, mass0 = self.masses
        variance = (mass1 * (pi * of_positives) ** 2).sum()
        variance += (mass0 * ((1 - pi) * of_negatives) ** 2).sum()
        return float(np.sqrt(variance))


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


def majorant_slopes(
    counts: ScoreCounts, q: float, prevalence: float | None = None
) -> tuple[float, float]:
    """Return the slopes of the smallest concave curve above the CAP, just before and after q.

    They are the local lift that pool-adjacent-violators gives.

    Examples
    --------
    The CAP of 1 of 2, then 2 of 2 positives is pooled to one slope.

    >>> from capcurve import ScoreCounts
    >>> majorant_slopes(ScoreCounts.from_counts([3, 2, 1], [1, 2, 0], [1, 0, 4]), 0.5)
    (2.0, 0.0)
    """
    sums = shares(counts, prevalence)
    x = np.asarray(sums.cases.sums / sums.cases.total, dtype=np.float64)
    y = np.asarray(sums.positives.sums / sums.positives.total, dtype=np.float64)
    before = int(np.searchsorted(x, q, side="left")) - 1
    after = int(np.searchsorted(x, q, side="right"))
    last = len(x) - 1
    return (
        _bridge(x, y, max(before, 0), min(before + 1, last)),
        _bridge(x, y, min(after - 1, last - 1), min(after, last)),
    )


def _bridge(x: NDArray[np.float64], y: NDArray[np.float64], left: int, right: int) -> float:
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

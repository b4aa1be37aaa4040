"""Intervals of captured response, lift and precision at a fixed cut-off of the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.counts.arguments import told
from capcurve.inference.interval import Confidence, Interval
from capcurve.inference.rates import rate_limits, rate_se
from capcurve.inference.sizes import require_rows, squared_mass_sums
from capcurve.tables import operating_point

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.inference.rates import RateMethod
    from capcurve.inference.resampled import OfShare
    from capcurve.tables import OperatingPoint

CALLED = {"captured_response": "captured", "lift": "lift", "precision": "precision"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What a cut-off selects, as shares of all cases, and the spread of each share.

    Attributes
    ----------
    point
        The cut-off and what it brings.
    tp, fp, fn, tn
        Share of all cases in each cell of the confusion matrix.
    squares
        Σw²/(Σw)² of each cell, in the same order; share/n without weights.
    of_class
        The same as `squares`, over the weight of the class alone.
    """

    point: OperatingPoint
    tp: float
    fp: float
    fn: float
    tn: float
    squares: tuple[float, float, float, float]
    of_class: tuple[float, float, float, float]

    @classmethod
    def at(cls, counts: ScoreCounts, threshold: Any) -> Selection:
        """Select the cases on the side of the threshold; None selects nobody."""
        require_rows(counts)
        asked: dict[str, Any] = {"threshold": threshold} if threshold is not None else {"q": 0}
        point = operating_point(counts, **asked)
        last = np.flatnonzero(counts.thresholds == point.threshold)
        cells = int(last[0]) + 1 if point.threshold is not None else 0
        sides = (slice(None, cells), slice(cells, None))
        mass1, mass0 = squared_mass_sums(counts, sides)
        n = float(counts.n)
        of_class = [float(part) for part in (mass1[0], mass0[0], mass1[1], mass0[1])]
        rates = [float(total / n) ** 2 for total in (counts.n1, counts.n0)]
        squares = [part * rates[place % 2] for place, part in enumerate(of_class)]
        return cls(
            point,
            point.tp / n,
            point.fp / n,
            point.fn / n,
            point.tn / n,
            cast("tuple[float, float, float, float]", tuple(squares)),
            cast("tuple[float, float, float, float]", tuple(of_class)),
        )

    def captured(self) -> tuple[float, float]:
        """Return the share of positives selected, and how many cases it is taken over."""
        of1 = self.point.tp + self.point.fn
        hit, missed = self.point.tp / of1, self.point.fn / of1
        return _rate(hit, missed, self.of_class[0], self.of_class[2])

    def false_positives(self) -> tuple[float, float]:
        """Return the share of negatives selected, and how many cases it is taken over."""
        of0 = self.point.fp + self.point.tn
        passed, kept = self.point.fp / of0, self.point.tn / of0
        return _rate(passed, kept, self.of_class[1], self.of_class[3])

    def precision(self) -> tuple[float, float]:
        """Return the share of positives among the selected, and how many cases these are."""
        return _rate(self.tp, self.fp, self.squares[0], self.squares[1])


def cutoff_interval(
    counts: ScoreCounts,
    which: OfShare,
    threshold: Any,
    confidence: Confidence,
    method: str,
) -> Interval:
    """Return the interval of a metric of the cases that a fixed cut-off selects."""
    chosen = Selection.at(counts, threshold)
    estimate = getattr(chosen.point, CALLED[which])
    if estimate is None:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    if which == "lift":
        return _lift_interval(chosen, estimate, confidence)
    rate, cases = chosen.captured() if which == "captured_response" else chosen.precision()
    limits = rate_limits(rate * cases, cases, cast("RateMethod", method), confidence)
    low, high = min(float(limits[0]), estimate), max(float(limits[1]), estimate)
    return Interval(low, estimate, high, confidence.level, method, rate_se(rate, cases))


def _rate(hit: float, missed: float, won: float, lost: float) -> tuple[float, float]:
    """Return hit/(hit + missed), and how many equally weighted cases would be as informative."""
    whole = hit + missed
    rate, rest = hit / whole, missed / whole
    variance = won * rest**2 + lost * rate**2
    if variance > 0:
        return rate, rate * rest * whole**2 / variance
    return rate, whole**2 / (won + lost)


def _lift_interval(chosen: Selection, lift: float, confidence: Confidence) -> Interval:
    """Return limits of the lift, symmetric in its logarithm: the delta method for multinomials.

    ln lift = ln tp - ln(tp + fn) - ln(tp + fp), in shares of all cases.
    """
    pi, selected = chosen.tp + chosen.fn, chosen.tp + chosen.fp
    if chosen.fn == 0 and chosen.tn == 0:
        note = "the cut-off selects all cases, of which a lift of 1 is the definition"
        return Interval(1.0, 1.0, 1.0, confidence.level, "definition", 0.0, (note,))
    if chosen.tp == 0:
        _, cases = chosen.precision()
        top = float(rate_limits(0.0, cases, "clopper_pearson", confidence)[1])
        low, high = confidence.opened((0.0, top / pi), (0.0, 1 / pi))
        note = "no positive is selected; the upper limit is that of precision over prevalence"
        return Interval(low, 0.0, high, confidence.level, "clopper_pearson", None, (note,))
    # One is added to each slope because shares are taken of a total that varies too.
    slopes = (1 / chosen.tp - 1 / pi - 1 / selected + 1, 1 - 1 / selected, 1 - 1 / pi, 1.0)
    variance = sum(s * slope**2 for s, slope in zip(chosen.squares, slopes, strict=True))
    se = float(np.sqrt(variance))
    reach = float(np.exp(confidence.z * se))
    low, high = confidence.opened((lift / reach, lift * reach), (0.0, np.inf))
    return Interval(low, lift, high, confidence.level, "log_delta", lift * se)

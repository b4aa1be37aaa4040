"""Captured response, lift and precision of a top share or above a cut-off: their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts.arguments import told
from capcurve.counts.doubledouble import DoubleDouble
from capcurve.curves.shares import require, shares
from capcurve.inference.designs import LEAST_GROUPS, NOTHING, Resampling, leave_out, standard_error
from capcurve.inference.limits import (
    Chance,
    around,
    cut_off,
    envelope,
    logarithmic,
    logit,
    percentiles,
    wald,
)
from capcurve.inference.rates import rate_limits, rate_se
from capcurve.inference.sizes import (
    effective_sizes,
    groups_per_class,
    require_rows,
    squared_mass_sums,
)
from capcurve.inference.statistics import (
    Statistic,
    at_cutoff,
    at_share,
    jackknife_interval,
    without_spread,
)
from capcurve.metrics import captured_response, lift, precision
from capcurve.tables import operating_point

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.curves.shares import Axis
    from capcurve.inference.designs import Floats
    from capcurve.inference.rates import RateMethod
    from capcurve.inference.records import Confidence, Interval, Limits
    from capcurve.inference.statistics import OfShare
    from capcurve.tables import OperatingPoint

ShareMethod = Literal["envelope", "logit", "wald", "bootstrap"]
METRICS = {"captured_response": captured_response, "lift": lift, "precision": precision}
CALLED = {"captured_response": "captured", "lift": "lift", "precision": "precision"}
ROUNDING = 1e-15
HEAVY = (
    "rows are weighted: where positives outside the top share are few and heavy, most samples "
    "miss them, and such limits are too high"
)
ALL_SELECTED = "all cases are selected, so this holds in any sample"
ALL_ABOVE = "the cut-off selects all cases, of which a lift of 1 is the definition"


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
    selected: Floats
    masses: tuple[Floats, Floats]
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
        return METRICS[which](self.counts, self.q, prevalence=self.stated)

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

    def influences(self, which: OfShare, local_lift: float) -> tuple[Floats, Floats]:
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


def share_interval(
    resampling: Resampling,
    which: OfShare,
    q: float,
    confidence: Confidence,
    *,
    method: ShareMethod = "envelope",
    prevalence: float | None = None,
) -> Interval:
    """Return the interval of a metric of the top share q, whoever else is drawn.

    "logit" limits are symmetric on the scale ln(c/(1 - c)), "wald" ones on that of c, both with
    Student's t; their envelope covers best where the CAP bends near q. Lift has those of
    captured response over q.
    """
    top = TopShare.of(resampling.counts, q, prevalence)
    if q == 1 and which != "precision":
        return confidence.certain(1.0, ALL_SELECTED)
    if method == "bootstrap":
        return _bootstrap(resampling, top, which, confidence)
    return _by_influences(top, which, confidence, method)


def clustered_share_interval(
    counts: ScoreCounts, which: OfShare, q: float, prevalence: float | None, confidence: Confidence
) -> Interval:
    """Return the same by leaving out groups of clusters."""
    require(counts, "positives", "negatives")
    if q == 1 and which != "precision":
        return confidence.certain(1.0, ALL_SELECTED)
    held = groups_per_class(counts)
    statistic = Statistic(
        METRICS[which](counts, q, prevalence=prevalence),
        partial(at_share, q=q, which=which, prevalence=prevalence),
        held.positives if prevalence is None else held.rarer,
        1 / q if which == "lift" else 1.0,
    )
    return jackknife_interval(counts, statistic, confidence)


def _by_influences(
    top: TopShare, which: OfShare, confidence: Confidence, method: ShareMethod
) -> Interval:
    rate: OfShare = "captured_response" if which == "lift" else which
    scale = top.q if which == "lift" else 1.0
    limits, used, se, notes = _rate_limits(top, rate, confidence, method)
    if top.counts.weights is not None and rate == "captured_response":
        notes = (*notes, HEAVY)
    low, high = (limit / scale for limit in confidence.opened(limits, (0.0, 1.0)))
    estimate = top.estimate(which)
    # A metric read off the curve may differ from its limit by a rounding.
    limits = around((low, high), estimate)
    size = None if se is None else se / scale
    return confidence.interval(estimate, limits, (0.0, 1.0 / scale), used, size, notes)


def _rate_limits(
    top: TopShare, rate: OfShare, confidence: Confidence, method: ShareMethod
) -> tuple[Limits, str, float | None, tuple[str, ...]]:
    lack, se = top.complement(rate), top.se(rate)
    estimate = top.estimate(rate) if lack else 1.0
    if estimate == 0 or lack == 0 or se <= NOTHING * min(estimate, lack):
        cases = _cases(top, rate)
        low, high = rate_limits(estimate * cases, cases, "clopper_pearson", confidence)
        what = "positives captured" if rate == "captured_response" else "selected cases"
        state = "none" if estimate == 0 else "all" if lack == 0 else "an even share"
        note = f"{state} of {cases:.6g} {what}: there is no standard error; Clopper-Pearson limits"
        return (float(low), float(high)), "clopper_pearson", None, (note,)
    chance, quantile = Chance(estimate, lack), _quantile(top, confidence)
    by_logit = logit(chance, se, quantile)
    if method == "logit":
        return by_logit, method, se, ()
    limits, notes = cut_off(wald(chance, se, quantile), (0.0, 1.0), rate)
    return envelope(limits, by_logit) if method == "envelope" else limits, method, se, notes


def _quantile(top: TopShare, confidence: Confidence) -> float:
    """Return Student's quantile for the rarer class, on which the standard error rests."""
    return confidence.t(max(effective_sizes(top.counts).rarer - 1, 1.0))


def _cases(top: TopShare, rate: OfShare) -> float:
    """Return how many equally weighted cases the rate is taken over."""
    if rate == "captured_response":
        return effective_sizes(top.counts).positives
    mass1, mass0 = top.masses
    pi = top.prevalence
    return top.q / float((mass1 * pi**2).sum() + (mass0 * (1 - pi) ** 2).sum())


def _bootstrap(
    resampling: Resampling, top: TopShare, which: OfShare, confidence: Confidence
) -> Interval:
    statistic = partial(at_share, q=top.q, which=which, prevalence=top.stated)
    drawn = resampling.draw(statistic, stratified=top.stated is not None)
    known = drawn[~np.isnan(drawn)]
    se = standard_error(known) if len(known) else None
    if se is None:
        return _by_influences(top, which, confidence, "envelope")
    held = " of all cases together" if top.stated is None else ", each class kept its size"
    notes = [f"{resampling.replicates} replicates{held}; quantiles of type 7"]
    if len(known) < len(drawn):
        notes.append(f"{len(drawn) - len(known)} replicates without positives are left out")
    ends = (0.0, 1 / top.q if which == "lift" else 1.0)
    limits = percentiles(known, confidence)
    return confidence.interval(top.estimate(which), limits, ends, "bootstrap", se, notes)


@dataclass(frozen=True, slots=True, eq=False)
class Cutoff:
    """What a cut-off selects, as shares of all cases, and the spread of each share.

    Attributes
    ----------
    point
        The cut-off and what it brings.
    shares
        Share of all cases in each cell of the confusion matrix: tp, fp, fn, tn.
    squares
        Σw²/(Σw)² of each cell, in the same order; share/n without weights.
    of_class
        The same as `squares`, over the weight of the class alone.
    """

    point: OperatingPoint
    shares: Floats
    squares: Floats
    of_class: Floats

    @classmethod
    def at(cls, counts: ScoreCounts, threshold: Any) -> Cutoff:
        """Select the cases on the side of the threshold; None selects nobody."""
        require_rows(counts)
        point, cells = _point(counts, threshold)
        masses = squared_mass_sums(counts, (slice(None, cells), slice(cells, None)))
        of_class, n = np.stack(masses, axis=1).ravel(), float(counts.n)
        rates = np.array([float(total / n) ** 2 for total in (counts.n1, counts.n0)])
        cases = np.array([point.tp, point.fp, point.fn, point.tn], dtype=np.float64)
        return cls(point, cases / n, of_class * np.tile(rates, 2), of_class)

    def captured(self) -> tuple[float, float]:
        """Return the share of positives selected, and how many cases it is taken over."""
        of1 = self.point.tp + self.point.fn
        hit, missed = self.point.tp / of1, self.point.fn / of1
        return _rate(hit, missed, self.of_class[0], self.of_class[2])

    def false_positives(self) -> tuple[float, float]:
        """Return the share of negatives selected, and how many cases it is taken over."""
        of0 = self.point.fp + self.point.tn
        passed, spared = self.point.fp / of0, self.point.tn / of0
        return _rate(passed, spared, self.of_class[1], self.of_class[3])

    def precision(self) -> tuple[float, float]:
        """Return the share of positives among the selected, and how many cases these are."""
        return _rate(*self.shares[:2], *self.squares[:2])


def _point(counts: ScoreCounts, threshold: Any) -> tuple[OperatingPoint, int]:
    """Return what a cut-off brings, and how many cells it selects; None selects nobody."""
    if threshold is None:
        return operating_point(counts, q=0), 0
    point = operating_point(counts, threshold=threshold)
    last = np.flatnonzero(counts.thresholds == point.threshold)
    return point, int(last[0]) + 1 if point.threshold is not None else 0


def cutoff_interval(
    counts: ScoreCounts,
    which: OfShare,
    threshold: Any,
    confidence: Confidence,
    method: str,
) -> Interval:
    """Return the interval of a metric of the cases that a fixed cut-off selects."""
    chosen = Cutoff.at(counts, threshold)
    estimate = getattr(chosen.point, CALLED[which])
    if estimate is None:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    if which == "lift":
        return _lift_interval(chosen, estimate, confidence)
    rate, cases = chosen.captured() if which == "captured_response" else chosen.precision()
    low, high = rate_limits(rate * cases, cases, cast("RateMethod", method), confidence)
    limits = around((float(low), float(high)), estimate)
    return confidence.interval(estimate, limits, (0.0, 1.0), method, rate_se(rate, cases))


def _rate(hit: float, missed: float, won: float, lost: float) -> tuple[float, float]:
    """Return hit/(hit + missed), and how many equally weighted cases would be as informative."""
    whole = hit + missed
    rate, rest = hit / whole, missed / whole
    variance = won * rest**2 + lost * rate**2
    if variance > 0:
        return rate, rate * rest * whole**2 / variance
    return rate, whole**2 / (won + lost)


def _lift_interval(chosen: Cutoff, lift: float, confidence: Confidence) -> Interval:
    """Return limits of the lift, symmetric in its logarithm: the delta method for multinomials.

    ln lift = ln tp - ln(tp + fn) - ln(tp + fp), in shares of all cases.
    """
    tp, fp, fn, tn = chosen.shares.tolist()
    pi, selected = tp + fn, tp + fp
    if fn == 0 and tn == 0:
        return confidence.certain(1.0, ALL_ABOVE)
    if tp == 0:
        _, cases = chosen.precision()
        top = float(rate_limits(0.0, cases, "clopper_pearson", confidence)[1])
        note = "no positive is selected; the upper limit is that of precision over prevalence"
        limits, ends = (0.0, top / pi), (0.0, 1 / pi)
        return confidence.interval(0.0, limits, ends, "clopper_pearson", None, (note,))
    # One is added to each slope because shares are taken of a total that varies too.
    slopes = np.array([1 / tp - 1 / pi - 1 / selected + 1, 1 - 1 / selected, 1 - 1 / pi, 1.0])
    se = float(np.sqrt((chosen.squares * slopes**2).sum()))
    limits = logarithmic(lift, se, confidence.z)
    return confidence.interval(lift, limits, (0.0, np.inf), "log_delta", lift * se)


def clustered_cutoff_interval(
    counts: ScoreCounts, which: OfShare, threshold: Any, confidence: Confidence
) -> Interval:
    """Return the same by leaving out groups of clusters; the cut-off stays where it is."""
    require(counts, "positives", "negatives")
    point, cells = _point(counts, threshold)
    if which != "captured_response" and not cells:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    estimate = float(getattr(point, CALLED[which]))
    if which == "lift":
        return _clustered_lift_interval(counts, cells, estimate, confidence)
    held = groups_per_class(counts).positives
    groups = held if which == "captured_response" else _selected_groups(counts, cells)
    of_samples = partial(at_cutoff, cells=cells, which=which)
    return jackknife_interval(counts, Statistic(estimate, of_samples, groups), confidence)


def _clustered_lift_interval(
    counts: ScoreCounts, cells: int, estimate: float, confidence: Confidence
) -> Interval:
    if cells == len(counts):
        return confidence.certain(1.0, ALL_ABOVE)
    groups = _selected_groups(counts, cells, positives=True)
    left = leave_out(counts, partial(_log_lift, cells=cells)) if groups >= LEAST_GROUPS else None
    if left is None or left.se() <= NOTHING:
        pi = float(counts.n1 / counts.n)
        of_samples = partial(at_cutoff, cells=cells, which="lift")
        statistic = Statistic(estimate, of_samples, _selected_groups(counts, cells), 1 / pi)
        return without_spread(statistic, estimate * pi, confidence)
    df, se = left.freedom(groups), left.se()
    limits, notes = logarithmic(estimate, se, confidence.t(df)), left.notes(df, groups)
    return confidence.interval(estimate, limits, (0.0, np.inf), "jackknife", estimate * se, notes)


def _log_lift(p: Floats, n: Floats, cells: int) -> Floats:
    found: Floats = np.log(at_cutoff(p, n, cells, "lift"))
    return found


def _selected_groups(counts: ScoreCounts, cells: int, *, positives: bool = False) -> int:
    """Return in how many groups there are selected cases, or selected positives."""
    last = counts.score[cells - 1]
    found = 0
    for group in counts.groups or ():
        above = group.score >= last if counts.higher_is == "positive" else group.score <= last
        here = group.positives[above].any()
        found += bool(here or (not positives and group.negatives[above].any()))
    return found

"""Captured response, lift and precision of a top share or above a cut-off: their intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts.arguments import told
from capcurve.counts.cutoffs import FIRST
from capcurve.counts.exact import DoubleDouble
from capcurve.curves.shares import require, shares
from capcurve.inference.designs import (
    LEAST_GROUPS,
    NOTHING,
    Estimates,
    leave_out,
    standard_error,
)
from capcurve.inference.limits import (
    Chance,
    around,
    crossing,
    cut_off,
    envelope,
    logarithmic,
    logit,
    percentiles,
    wald,
)
from capcurve.inference.rates import deviates, rate_limits, rate_se
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
    from capcurve.counts.types import Floats
    from capcurve.curves.shares import Axis
    from capcurve.inference.designs import Resampling
    from capcurve.inference.rates import RateMethod
    from capcurve.inference.records import Confidence, Interval, Limits
    from capcurve.inference.statistics import OfShare, Rate
    from capcurve.tables import OperatingPoint

ShareMethod = Literal["envelope", "logit", "wald", "bootstrap", "jackknife"]
CutoffMethod = Literal[
    "envelope", "wilson", "mid_p", "clopper_pearson", "jeffreys", "mover", "log_delta", "jackknife"
]
METRICS = {"captured_response": captured_response, "lift": lift, "precision": precision}
CALLED = {"captured_response": "captured", "lift": "lift", "precision": "precision"}
ROUNDING = 1e-15
# A grade of so many cases shows its own local rate.
ENOUGH_FOR_A_SLOPE = 10
# With fewer negatives selected the place of the cut-off is not known well enough for a slope.
FEW_NEGATIVES = 5
# Places of the cut-off inside scores that are looked at.
INSIDE = 50
# Digits of limits that are searched for.
FINE = 1e-9
HEAVY = (
    "rows are weighted: where positives outside the top share are few and heavy, most samples "
    "miss them, and such limits are too high"
)
ALL_SELECTED = "all cases are selected, so this holds in any sample"


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
    passed: float | None = None  # share of negatives selected, under a stated prevalence

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
        """The stated prevalence, if there is one."""
        return None if self.passed is None else self.prevalence

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
        slopes = np.unique([*majorant_slopes(*asked), *own_slopes(*asked)])[:, None]
        if self.passed is not None:
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

    def cases(self, rate: Rate) -> float:
        """Return how many equally weighted cases the rate is taken over."""
        if rate == "captured_response":
            return effective_sizes(self.counts).positives
        (mass1, mass0), pi = self.masses, self.prevalence
        return self.q / float((mass1 * pi**2).sum() + (mass0 * (1 - pi) ** 2).sum())


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


def own_slopes(counts: ScoreCounts, q: float, prevalence: float | None = None) -> list[float]:
    """Return the slopes of the CAP itself just before and after q, of grades with enough cases.

    Of grades in the wrong order the majorant hides them.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> own_slopes(ScoreCounts.from_counts([3, 2, 1], [5, 10, 1], [15, 10, 9]), 0.5)
    [1.5625]
    """
    sums = shares(counts, prevalence)
    x = np.asarray(sums.cases.sums / sums.cases.total, dtype=np.float64)
    y = np.asarray(sums.positives.sums / sums.positives.total, dtype=np.float64)
    before, after = np.searchsorted(x, q, side="left") - 1, np.searchsorted(x, q, side="right") - 1
    places = np.unique(np.clip([before, after], 0, len(x) - 2)).tolist()
    enough = [place for place in places if _cases_at(counts, place) >= ENOUGH_FOR_A_SLOPE]
    return [float((y[k + 1] - y[k]) / (x[k + 1] - x[k])) for k in enough]


def _cases_at(counts: ScoreCounts, place: int) -> float:
    """Return how many equally weighted cases there are at a score."""
    cases = float(counts.positives[place]) + float(counts.negatives[place])
    if counts.weights is None:
        return cases
    weights = counts.weights
    roots = float(weights.positive_roots[place]), float(weights.negative_roots[place])
    return 1.0 / ((roots[0] / cases) ** 2 + (roots[1] / cases) ** 2)


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
    method: ShareMethod,
    prevalence: float | None = None,
) -> Interval:
    """Return the interval of a metric of the top share q, whoever else is drawn.

    "logit" limits are symmetric on the scale ln(c/(1 - c)), "wald" ones on that of c, both with
    Student's t; their envelope covers best where the CAP bends near q. "jackknife" leaves out
    groups of clusters. Lift is captured response over q.
    """
    counts = resampling.counts
    require_rows(counts)
    require(counts, "positives", "negatives")
    if q == 1 and which != "precision":
        return confidence.certain(1.0, ALL_SELECTED)
    if which == "lift":
        found = share_interval(resampling, "captured_response", q, confidence, method, prevalence)
        return found.over(q, lift(counts, q, prevalence=prevalence))
    if method == "jackknife":
        held = groups_per_class(counts)
        groups = held.positives if prevalence is None else held.rarer
        statistic = partial(at_share, q=q, which=which, prevalence=prevalence)
        estimate = METRICS[which](counts, q, prevalence=prevalence)
        return jackknife_interval(counts, Statistic(estimate, statistic, groups), confidence)
    if method == "bootstrap":
        return _by_resampling(resampling, which, q, confidence, prevalence)
    return _by_influences(TopShare.of(counts, q, prevalence), which, confidence, method)


def _by_influences(
    top: TopShare, rate: Rate, confidence: Confidence, method: ShareMethod
) -> Interval:
    """Return limits by the standard error, or without one, moved out by what it cannot tell."""
    estimate, lack = top.estimate(rate)
    se = top.se(rate)
    known = estimate > 0 and lack > 0 and se > NOTHING * min(estimate, lack)
    if known:
        limits, notes = _by_error(top, Chance(estimate, lack), se, confidence, method)
    else:
        limits, notes = _without_error(top, rate, estimate, lack, confidence)
    if method == "envelope":
        limits = envelope(limits, *_of_few(top, rate, confidence))
    if top.counts.weights is not None and rate == "captured_response":
        notes = (*notes, HEAVY)
    # A metric read off the curve may differ from its limit by a rounding.
    limits, by = around(limits, estimate), method if known else "clopper_pearson"
    return confidence.interval(estimate, limits, (0.0, 1.0), by, se if known else None, notes)


def _by_error(
    top: TopShare, chance: Chance, se: float, confidence: Confidence, method: ShareMethod
) -> tuple[Limits, tuple[str, ...]]:
    """Return limits with Student's t, on one scale or on both."""
    # The standard error rests on the rarer class.
    t = confidence.t(max(effective_sizes(top.counts).rarer - 1, 1.0))
    limits = logit(chance, se, t)
    if method == "logit":
        return limits, ()
    straight, cut = cut_off(wald(chance, se, t), (0.0, 1.0), "the share")
    return envelope(straight, limits) if method == "envelope" else straight, cut


def _without_error(
    top: TopShare, rate: Rate, estimate: float, lack: float, confidence: Confidence
) -> tuple[Limits, tuple[str, ...]]:
    """Return Clopper-Pearson limits for the cases that the rate is taken over."""
    cases = top.cases(rate)
    low, high = rate_limits(estimate * cases, cases, "clopper_pearson", confidence)
    what = "positives captured" if rate == "captured_response" else "selected cases"
    state = "none" if estimate == 0 else "all" if lack == 0 else "an even share"
    note = f"{state} of {cases:.6g} {what}: there is no standard error; Clopper-Pearson limits"
    return (float(low), float(high)), (note,)


def _of_few(top: TopShare, rate: Rate, confidence: Confidence) -> list[Limits]:
    """Return limits that hold where few cases are selected, so that no error is seen."""
    found = []
    if top.passed is not None:
        if top.passed * effective_sizes(top.counts).negatives < FEW_NEGATIVES:
            found.append(_about_the_cutoff(top, rate, confidence))
    elif rate == "captured_response" and top.impurity == 0:
        # All selected are positive, and precision may lie at its lower limit all the same.
        cases = top.cases("precision")
        least = float(rate_limits(cases, cases, "clopper_pearson", confidence)[0])
        found.append((least * top.captured, top.captured))
    return found


def _about_the_cutoff(top: TopShare, rate: Rate, confidence: Confidence) -> Limits:
    """Return limits under a stated prevalence that allow for any place of the true cut-off.

    There C of the positives and f of the negatives are selected, with πC + (1 - π)f = q, and both
    counts are binomial. C lies within the limits while there is a cut-off in the sample at which
    the squares of both normal deviates (mid-P) add up to no more than z²: an empirical likelihood
    with tails that are right for few cases (Claeskens et al. 2003, Can. J. Stat. 31).
    """
    pi, sizes = top.prevalence, effective_sizes(top.counts)
    tp, fp = _cutoffs(top.counts, pi)

    def too_far(captured: float) -> bool:
        spared = (top.q - pi * captured) / (1 - pi)
        squares = deviates(tp * sizes.positives, sizes.positives, captured) ** 2
        squares += deviates(fp * sizes.negatives, sizes.negatives, spared) ** 2
        return bool(squares.min() > confidence.z**2)

    least, most = max(0.0, (top.q - 1 + pi) / pi), min(1.0, top.q / pi)
    scale = pi / top.q if rate == "precision" else 1.0
    low = least + crossing(lambda d: too_far(least + d), top.captured - least, FINE)
    high = most - crossing(lambda d: too_far(most - d), most - top.captured, FINE)
    return low * scale, high * scale


def _cutoffs(counts: ScoreCounts, prevalence: float) -> tuple[Floats, Floats]:
    """Return the shares of both classes that the first cut-offs select, inside scores too."""
    sums = shares(counts, prevalence)
    axes = (sums.cases, sums.positives, sums.negatives)
    # As many as totals hold, so that these have the same limits.
    x, tp, fp = (np.asarray(a.sums / a.total, dtype=np.float64)[: FIRST + 1] for a in axes)
    places = np.union1d(x, np.linspace(0.0, x[-1], INSIDE))
    return np.interp(places, x, tp), np.interp(places, x, fp)


def _by_resampling(
    resampling: Resampling, rate: Rate, q: float, confidence: Confidence, prevalence: float | None
) -> Interval:
    statistic = partial(at_share, q=q, which=rate, prevalence=prevalence)
    drawn = resampling.draw(statistic, stratified=prevalence is not None)
    known = drawn[~np.isnan(drawn)]
    se = standard_error(known) if len(known) else None
    if se is None:
        top = TopShare.of(resampling.counts, q, prevalence)
        return _by_influences(top, rate, confidence, "envelope")
    held = " of all cases together" if prevalence is None else ", each class kept its size"
    notes = [f"{resampling.replicates} replicates{held}; quantiles of type 7"]
    if len(known) < len(drawn):
        notes.append(f"{len(drawn) - len(known)} replicates without positives are left out")
    estimate = METRICS[rate](resampling.counts, q, prevalence=prevalence)
    limits = percentiles(known, confidence)
    return confidence.interval(estimate, limits, (0.0, 1.0), "bootstrap", se, notes)


@dataclass(frozen=True, slots=True, eq=False)
class Cutoff:
    """What a cut-off selects, as shares of all cases, and the spread of each share."""

    point: OperatingPoint
    shares: Floats  # of all cases in tp, fp, fn, tn
    squares: Floats  # Σw²/(Σw)² of each; share/n without weights
    of_class: Floats  # the same over the weight of the class alone

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

    def left(self) -> tuple[float, float]:
        """Return the share of positives among the others, and how many cases these are."""
        return _rate(*self.shares[2:], *self.squares[2:])

    def selected(self) -> tuple[float, float]:
        """Return the share of cases selected, and how many cases it is taken over."""
        (tp, fp, fn, tn), squares = self.shares, self.squares
        return _rate(tp + fp, fn + tn, squares[:2].sum(), squares[2:].sum())

    def lift_se(self, lift: float) -> float:
        """Return the standard error of the lift, by the delta method for multinomials."""
        tp, fp, fn, _ = self.shares.tolist()
        pi, selected = tp + fn, tp + fp
        # One is added to each slope because shares are taken of a total that varies too.
        slopes = np.array([1 / tp - 1 / pi - 1 / selected + 1, 1 - 1 / selected, 1 - 1 / pi, 1.0])
        return lift * float(np.sqrt((self.squares * slopes**2).sum()))


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
    method: CutoffMethod,
) -> Interval:
    """Return the interval of a metric of the cases that a fixed cut-off selects.

    "jackknife" leaves out groups of clusters; the cut-off stays where it is.
    """
    require_rows(counts)
    point, cells = _point(counts, threshold)
    estimate = getattr(point, CALLED[which])
    if estimate is None:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    if which == "lift" and cells == len(counts):
        note = "the cut-off selects all cases, of which a lift of 1 is the definition"
        return confidence.certain(1.0, note)
    if method == "jackknife":
        return _without_groups(counts, which, cells, float(estimate), confidence)
    chosen = Cutoff.at(counts, threshold)
    if which == "lift":
        found = _lift_by_delta if method == "log_delta" and point.tp else _lift_by_rates
        return found(chosen, estimate, confidence)
    rate, cases = chosen.captured() if which == "captured_response" else chosen.precision()
    limits = around(_rate_limits(rate, cases, method, confidence), estimate)
    return confidence.interval(estimate, limits, (0.0, 1.0), method, rate_se(rate, cases))


def _rate_limits(rate: float, cases: float, method: str, confidence: Confidence) -> Limits:
    """Return the limits of a rate; the envelope is that of Wilson's and mid-P ones.

    Wilson's alone cover 84% of a rate of 0.18/n, mid-P ones 91.7% of 3.07/n; the envelope covers
    92.2% and more of every rate and number of cases.
    """
    several = ("wilson", "mid_p") if method == "envelope" else (method,)
    found = [rate_limits(rate * cases, cases, cast("RateMethod", m), confidence) for m in several]
    return envelope(*((float(low), float(high)) for low, high in found))


def _rate(hit: float, missed: float, won: float, lost: float) -> tuple[float, float]:
    """Return hit/(hit + missed), and how many equally weighted cases would be as informative."""
    whole = hit + missed
    rate, rest = hit / whole, missed / whole
    variance = won * rest**2 + lost * rate**2
    if variance > 0:
        return rate, rate * rest * whole**2 / variance
    return rate, whole**2 / (won + lost)


def _lift_by_delta(chosen: Cutoff, lift: float, confidence: Confidence) -> Interval:
    """Return limits of the lift, symmetric in its logarithm: the delta method for multinomials.

    ln lift = ln tp - ln(tp + fn) - ln(tp + fp), in shares of all cases.
    """
    se = chosen.lift_se(lift)
    limits = logarithmic(lift, se / lift, confidence.z)
    return confidence.interval(lift, limits, (0.0, np.inf), "log_delta", se)


def _lift_by_rates(chosen: Cutoff, lift: float, confidence: Confidence) -> Interval:
    """Return limits of the lift from those of three independent rates (MOVER).

    With the share s that is selected and the rates P and R of positives among the selected and
    the others, lift is P/(sP + (1 - s)R). Each rate is moved to its limit, and the distances that
    this moves the lift by are squared and added: Zou & Donner (2008), Stat. Med. 27.
    """
    (p, p_low, p_high), (r, r_low, r_high), (s, s_low, s_high) = (
        (rate, *_rate_limits(rate, cases, "envelope", confidence))
        for rate, cases in (chosen.precision(), chosen.left(), chosen.selected())
    )
    lowest = (_lift(p_low, r, s), _lift(p, r_high, s), _lift(p, r, s_high))
    highest = (_lift(p_high, r, s), _lift(p, r_low, s), _lift(p, r, s_low))
    down, up = (np.linalg.norm(np.array(each) - lift) for each in (lowest, highest))
    limits = max(float(lift - down), 0.0), float(lift + up)
    se = chosen.lift_se(lift) if lift else None
    return confidence.interval(lift, limits, (0.0, np.inf), "mover", se)


def _lift(rate: float, of_others: float, selected: float) -> float:
    """Return the lift of a share of cases with a rate of positives, the others with theirs."""
    overall = selected * rate + (1 - selected) * of_others
    return rate / overall if rate else 0.0


def _without_groups(
    counts: ScoreCounts, which: OfShare, cells: int, estimate: float, confidence: Confidence
) -> Interval:
    """Return the interval of a metric of the first cells, leaving out groups of clusters."""
    require(counts, "positives", "negatives")
    if which == "captured_response":
        groups = groups_per_class(counts).positives
    else:
        groups = _selected_groups(counts, cells)
    statistic = Statistic(estimate, partial(at_cutoff, cells=cells, which=which), groups)
    if which != "lift":
        return jackknife_interval(counts, statistic, confidence)
    groups = _selected_groups(counts, cells, positives=True)
    left = leave_out(counts, partial(_log_lift, cells=cells)) if groups >= LEAST_GROUPS else None
    if left is None or left.se() <= NOTHING:
        pi = float(counts.n1 / counts.n)
        return without_spread(replace(statistic, top=1 / pi), estimate * pi, confidence)
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

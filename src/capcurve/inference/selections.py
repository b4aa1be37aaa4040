"""Captured response, lift and precision of a top share or above a cut-off: their intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import best_cutoffs, require
from capcurve.inference import designs, top_share
from capcurve.inference.halving import rates_of_samples
from capcurve.inference.limits import (
    ByError,
    Chance,
    Statistic,
    around,
    cut_at_ends,
    envelope,
    jackknife_interval,
    percentiles,
    without_spread,
)
from capcurve.inference.rates import limits_of_rate, rate_se
from capcurve.inference.samples import OfShare, Rate, at_cutoff, rates_at_share
from capcurve.inference.top_share import TopShare
from capcurve.metrics import METRICS, captured_response, lift
from capcurve.numbers.arguments import told
from capcurve.numbers.exact import cumulated
from capcurve.tables import OperatingPoint, operating_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import ScoreCounts
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits, Side
    from capcurve.numbers.types import Floats

POINT_FIELDS = {"captured_response": "captured", "lift": "lift", "precision": "precision"}
OTHER_SIDE: dict[Side, Side] = {"both": "both", "lower": "upper", "upper": "lower"}
HEAVY_ROWS = (
    "rows are weighted. Where the heaviest rows are so rare that a sample may have none of them, "
    "these intervals are too narrow"
)
UNEVEN_GROUPS = 1 / 3  # of the groups, as so many of one size would weigh: a few large ones decide
FEW_LARGE_CLUSTERS = (
    "a few large clusters decide, as if there were {:.0f} groups of one size. Where the sample "
    "lacks a large one of many positives, the upper limit is too low"
)
ALL_SELECTED = "all cases are selected, so this is the same in any sample"


def of_negatives(
    find: Callable[[IntervalRequest, str], Interval], request: IntervalRequest, method: str
) -> Interval:
    """Return the interval of a share of negatives: of those captured, or of those left."""
    # Of the classes exchanged that is the captured response, in the same order of cases.
    counts, rest, sure = request.counts.every_score(), request.prevalence, request.confidence
    left = request.name == "specificity"
    # The lower limit of what is left is 1 less the upper one of what is captured.
    side = OTHER_SIDE[sure.side] if left else sure.side
    asked = request.told(prevalence=None if rest is None else 1 - rest)
    turned, sure = counts.exchanged(), replace(sure, side=side)
    found = find(replace(asked, counts=turned, name="captured_response", confidence=sure), method)
    notes = tuple(note.replace("positive", "negative") for note in found.notes)
    found = replace(found, notes=notes)
    return found.complement() if left else found


def share_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of a metric of the top share q, whoever else is drawn."""
    # "profile" limits allow for any place of the cut-off. "logit" ones are symmetric on the scale
    # ln(c/(1 - c)), "wald" ones on that of c, both with the standard error and Student's t.
    # "jackknife" leaves out groups of clusters. Lift is captured response over q.
    counts, which, q, prevalence = request.counts, request.name, request.q, request.prevalence
    if method in {"bootstrap", "jackknife"}:
        counts = counts.every_score()
    else:
        captured_response(counts, q)  # refuses totals that do not tell it
        counts = best_cutoffs(counts)
    require(counts, "positives", "negatives")
    if q == 1 and which != "precision":
        return request.confidence.certain(1.0, ALL_SELECTED)
    if which == "lift":
        found = share_interval(replace(request, counts=counts, name="captured_response"), method)
        return found.over(q, lift(counts, q, prevalence=prevalence))
    if method == "bootstrap":
        return _by_resampling(request, counts)
    if method == "jackknife":
        held = designs.groups_per_class(counts)
        groups = held.positives if prevalence is None else held.rarer
        statistic = partial(rates_at_share, q=q, which=which, prevalence=prevalence)
        estimate = METRICS[which].value(counts, q=q, prevalence=prevalence)
        near = _near(counts, q, prevalence)
        return _by_groups(near, Statistic(estimate, statistic, groups), request.confidence)
    found = _by_influences(TopShare.of(counts, q, prevalence), which, request.confidence, method)
    if which == "captured_response" and prevalence is not None:
        # A share q of all cases holds no more than q/π of the positives.
        return replace(found, high=min(found.high, max(q / prevalence, found.estimate)))
    return found


def _near(counts: ScoreCounts, q: float, prevalence: float | None) -> ScoreCounts:
    """Return counts in one cell before and one after where a share q ends without any group."""
    p, n = cumulated(counts.positives), cumulated(counts.negatives)
    rate = float(counts.n1 / counts.n) if prevalence is None else prevalence
    reached = rate * (p / p[-1]) + (1 - rate) * (n / n[-1])
    gone = [max(g.n1 / counts.n1, g.n0 / counts.n0) for g in counts.groups or ()]
    if max(gone) >= 1:
        return counts
    # The share reached before a cell moves no further than the larger class that is left out.
    far = max(part / (1 - part) for part in gone) + designs.SPREAD_ROUNDING
    first, last = np.searchsorted(reached, [q - far, q + far])
    ends = np.arange(max(first - 1, 1), min(last + 1, len(counts)))
    return counts.joined(np.unique(np.append(ends, len(counts))))


def _by_influences(top: TopShare, rate: Rate, confidence: Confidence, method: str) -> Interval:
    """Return limits for any place of the cut-off, or by the standard error where there is one."""
    estimate, lack = top.estimate(rate)
    se = top.se(rate)
    known = estimate > 0 and lack > 0 and se > designs.ERROR_ROUNDING * min(estimate, lack)
    by: str = method
    notes: tuple[str, ...] = ()
    if method == "profile":
        if known and top_share.is_straight(top, confidence):
            chance = Chance(estimate, lack)
            both = [_by_error(top, chance, se, confidence, each)[0] for each in ("logit", "wald")]
        else:
            both = [top_share.about_the_cutoff(top, rate, confidence, se)]
        limits = envelope(*both)
        if (uneven := top.unevenness()) > designs.ERROR_ROUNDING:
            # Some rows weigh more than others, and few of these may be seen: the more so, the more.
            both.append(top_share.of_selected_cases(top, rate, confidence))
            if rate == "captured_response":
                both.append(top_share.of_unseen_positives(top, confidence))
            near, far = limits, envelope(*both)
            limits = near[0] + uneven * (far[0] - near[0]), near[1] + uneven * (far[1] - near[1])
    elif known:
        limits, notes = _by_error(top, Chance(estimate, lack), se, confidence, method)
    else:
        # Clopper-Pearson limits for the cases that the rate is taken over.
        by, cases = "clopper_pearson", top.cases(rate)
        limits = limits_of_rate(estimate, cases, by, confidence)
        what = "positives captured" if rate == "captured_response" else "selected cases"
        state = "none" if estimate == 0 else "all" if lack == 0 else "an even share"
        note = f"{state} of {cases:.6g} {what}: there is no standard error"
        notes = (f"{note}; Clopper-Pearson interval",)
    if top.counts.weights is not None and top.counts.times is None:
        notes = (*notes, HEAVY_ROWS)
    # A metric read off the curve may differ from its limit by a rounding.
    limits = around(limits, estimate)
    return confidence.interval(estimate, limits, (0.0, 1.0), by, se if known else None, notes)


def _by_error(
    top: TopShare, chance: Chance, se: float, confidence: Confidence, method: str
) -> tuple[Limits, tuple[str, ...]]:
    """Return limits with Student's t."""
    # The standard error rests on the rarer class.
    t = confidence.t(max(designs.effective_sizes(top.counts).rarer - 1, 1.0))
    found = ByError(chance.won, se, t, lack=chance.lost)
    if method == "logit" and found.scaled:
        return found.scaled, ()
    return cut_at_ends(found.plain, (0.0, 1.0), "the share")


def _by_resampling(request: IntervalRequest, counts: ScoreCounts) -> Interval:
    q, rate, prevalence = request.q, request.name, request.prevalence
    drawn = rates_of_samples(request.resampling(counts), q, rate, prevalence)
    known = drawn[~np.isnan(drawn)]
    se = designs.standard_error(known) if len(known) else None
    if se is None:
        top = TopShare.of(counts, q, prevalence)
        return _by_influences(top, rate, request.confidence, "profile")
    held = " of all cases together" if prevalence is None else ", each class kept its size"
    notes = [f"{len(drawn)} replicates{held}; quantiles of type 7"]
    if len(known) < len(drawn):
        notes.append(f"{len(drawn) - len(known)} replicates without positives are left out")
    estimate = METRICS[rate].value(counts, q=q, prevalence=prevalence)
    sure, limits = request.confidence, percentiles(known, request.confidence)
    return sure.interval(estimate, limits, (0.0, 1.0), "bootstrap", se, notes, known)


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
        designs.require_rows(counts)
        point, cells = _point(counts, threshold)
        masses = designs.squared_mass_sums(counts, (slice(None, cells), slice(cells, None)))
        of_class, n = np.stack(masses, axis=1).ravel(), float(counts.n)
        rates = np.array([float(total / n) ** 2 for total in (counts.n1, counts.n0)])
        cases = np.array([point.tp, point.fp, point.fn, point.tn], dtype=np.float64)
        return cls(point, cases / n, of_class * np.tile(rates, 2), of_class)

    def of_side(self, which: int) -> tuple[float, float]:
        """Return the share of a class selected, and how many cases it is taken over."""
        held = (self.point.tp, self.point.fn), (self.point.fp, self.point.tn)
        inside, outside = (part / sum(held[which]) for part in held[which])
        return _rate(inside, outside, *self.of_class[which::2])

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


def cutoff_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of a metric of the cases that a fixed cut-off selects."""
    # "jackknife" leaves out groups of clusters; the cut-off stays where it is.
    counts, which, threshold = request.counts.every_score(), request.name, request.threshold
    confidence, (point, cells) = request.confidence, _point(counts, threshold)
    estimate = getattr(point, POINT_FIELDS[which])
    if estimate is None:
        raise ValueError(f"no case is selected at {told(threshold)}, so this is undefined")
    if which == "lift" and cells == len(counts):
        note = "the cut-off selects all cases, whose lift is 1 by definition"
        return confidence.certain(1.0, note)
    if method == "jackknife":
        return _without_groups(counts, which, cells, float(estimate), confidence)
    chosen = Cutoff.at(counts, threshold)
    if which == "lift":
        if method != "log_delta" or not point.tp:
            return _lift_by_rates(chosen, estimate, confidence)
        # Delta method for multinomials: ln lift = ln tp - ln(tp + fn) - ln(tp + fp), in shares.
        se = chosen.lift_se(estimate)
        ends = (0.0, np.inf)
        limits = ByError(estimate, se, confidence.z, ends).scaled or ends
        return confidence.interval(estimate, limits, ends, "log_delta", se)
    of_positives = which == "captured_response"
    rate, cases = chosen.of_side(designs.POSITIVES) if of_positives else chosen.precision()
    limits = around(limits_of_rate(rate, cases, method, confidence), estimate)
    return confidence.interval(estimate, limits, (0.0, 1.0), method, rate_se(rate, cases))


def prevalence_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the share of positives."""
    counts, confidence = request.counts, request.confidence
    require(counts)
    rate, cases = float(counts.n1 / counts.n), float(counts.n)
    if method == "jackknife":
        held = sum(len(group) > 0 for group in counts.groups)
        share = Statistic(rate, lambda p, n: p.sum(axis=1) / (p + n).sum(axis=1), held)
        return _by_groups(counts, share, confidence)
    if counts.weights is not None:
        of1, of0 = (float(mass[0]) for mass in designs.squared_mass_sums(counts, (slice(None),)))
        rate, cases = _rate(rate, 1 - rate, of1 * rate**2, of0 * (1 - rate) ** 2)
    limits = around(limits_of_rate(rate, cases, method, confidence), rate)
    return confidence.interval(rate, limits, (0.0, 1.0), method, rate_se(rate, cases))


def _rate(hit: float, missed: float, won: float, lost: float) -> tuple[float, float]:
    """Return hit/(hit + missed), and how many equally weighted cases would be as informative."""
    rate, cases = designs.equal_cases(*map(np.asarray, (hit, missed, won, lost)))
    return float(rate), float(cases)


def _lift_by_rates(chosen: Cutoff, lift: float, confidence: Confidence) -> Interval:
    """Return limits of the lift from those of three independent rates (MOVER)."""
    # With the share s that is selected and the rates P and R of positives among the selected and
    # the others, lift is P/(sP + (1 - s)R). Each rate is moved to its limit, and the distances that
    # this moves the lift by are squared and added: Zou & Donner (2008), Stat. Med. 27.
    (p, p_low, p_high), (r, r_low, r_high), (s, s_low, s_high) = (
        (rate, *limits_of_rate(rate, cases, "envelope", confidence))
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
    if not rate:
        return 0.0
    return rate / overall if overall else np.inf


def _without_groups(
    counts: ScoreCounts, which: OfShare, cells: int, estimate: float, confidence: Confidence
) -> Interval:
    """Return the interval of a metric of the first cells, leaving out groups of clusters."""
    require(counts, "positives", "negatives")
    if which == "captured_response":
        groups = designs.groups_per_class(counts).positives
    else:
        groups = _selected_groups(counts, cells)
    statistic = Statistic(estimate, partial(at_cutoff, cells=cells, which=which), groups)
    if which != "lift":
        return _by_groups(counts, statistic, confidence)
    groups = _selected_groups(counts, cells, positives=True)
    left = None
    if groups >= designs.LEAST_GROUPS:
        left = designs.leave_out(counts, lambda p, n: np.log(at_cutoff(p, n, cells, "lift")))
    if left is None or left.se() <= designs.ERROR_ROUNDING:
        pi = float(counts.n1 / counts.n)
        return without_spread(replace(statistic, top=1 / pi), estimate * pi, confidence)
    df, se = left.freedom(groups), left.se()
    ends, notes = (0.0, np.inf), left.notes(df, groups)
    limits = ByError(estimate, estimate * se, confidence.t(df), ends).scaled or ends
    return confidence.interval(estimate, limits, ends, "jackknife", estimate * se, notes)


def _by_groups(counts: ScoreCounts, statistic: Statistic, confidence: Confidence) -> Interval:
    """Return the interval of a rate by leaving out groups, which may be of very uneven size."""
    found = jackknife_interval(counts, statistic, confidence)
    sizes = np.array([float(group.n) for group in counts.groups or () if len(group)])
    alike = float(sizes.sum() ** 2 / (sizes**2).sum())
    uneven = alike < UNEVEN_GROUPS * len(sizes)
    return found.with_notes(FEW_LARGE_CLUSTERS.format(alike)) if uneven else found


def _selected_groups(counts: ScoreCounts, cells: int, *, positives: bool = False) -> int:
    """Return in how many groups there are selected cases, or selected positives."""
    last = counts.score[cells - 1]
    found = 0
    for group in counts.groups or ():
        above = group.score >= last if counts.higher_is == "positive" else group.score <= last
        here = group.positives[above].any()
        found += bool(here or (not positives and group.negatives[above].any()))
    return found

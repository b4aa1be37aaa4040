"""The top share of the cases: what it holds, how each case drawn moves that, and its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import RunningSums, cutoff_shares, require, shares
from capcurve.inference import designs
from capcurve.inference.designs import Estimates, equal_cases
from capcurve.inference.rates import deviates, rate_limits
from capcurve.inference.samples import Rate, reachable
from capcurve.metrics import METRICS, Metric
from capcurve.numbers.exact import DoubleDouble
from capcurve.numbers.kept_cutoffs import FIRST_KEPT, SHARES_OF_CASES

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import ScoreCounts
    from capcurve.inference.records import Confidence, Limits
    from capcurve.numbers.types import Floats

SHARE_ROUNDING = 1e-15
# A share as near to a point of the CAP is at it: sums of exposures and weights are rounded.
POINT_ROUNDING = 1e-12
POINTS_AT_ONCE = 1024  # points of a curve that are looked at together
ENOUGH_FOR_A_SLOPE = 10  # a grade of so many cases shows its own local rate
# With fewer of the typical weighted cases selected, the share captured is no better known than the
# rate among them.
FEW_SELECTED = 20
PLACES_INSIDE = 50  # places of the cut-off inside scores that are looked at
# How closely limits are searched for, and the digits that are kept.
LIMIT_TOLERANCE, LIMIT_DIGITS = 1e-9, 12
LIKELY_REACH = 1.2  # most lie within this times the distance by the standard error
FARTHEST_DEVIATE = 3.0  # deviates of so many times z are as far as any
LEAST_SPREAD = 2.0**-64  # that of more cases than are ever counted


@dataclass(frozen=True, slots=True, eq=False)
class TopShare:
    """The top share q of the cases, as a function of who was drawn."""

    # Scores fall into three parts: those selected, the one in which the share ends, and the rest.
    # More need not be told apart.

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
        designs.require_rows(counts)
        require(counts, "positives", "negatives")
        sums = shares(counts, prevalence)
        p, n = sums.positives, sums.negatives
        cell, part = last_selected(sums.cases, q)
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
            masses=designs.squared_mass_sums(counts, groups),
            passed=float(passed / n.total),
            stated=prevalence,
        )

    def estimate(self, rate: Rate) -> tuple[float, float]:
        """Return the rate as the metrics have it, and its lack to 1, exactly 0 where it is all."""
        lack = self.impurity if rate == "precision" else self.missed
        asked = {"q": self.q, "prevalence": self.stated}
        value = partial(METRICS[rate].value, self.counts, **asked)
        return (self.counts.known(f"{rate} at {asked}", value) if lack else 1.0), lack

    def estimates(self, rate: Rate) -> Estimates:
        """Return the rate with the influences of cases, once per slope of the CAP at q."""
        # For unweighted captured response the sum of their squares is [(C2 - C²)(1/π - 2L) + L²(Q2
        # - q²)]/n (Jiang & Zhao 2015, JASA 110, for grades), L the local lift, taken from the
        # concave majorant of the CAP: that of a single score is 0 or 1/π on continuous scores, and
        # says nothing. Where the majorant bends exactly at q, the slope that gives more counts.
        # Under a stated prevalence only the order inside a class is left to chance.
        pi, asked = self.prevalence, (self.counts, self.q, self.stated)
        pooled = majorant_slopes(*_shares_of(self.counts, self.stated), self.q)
        slopes = np.unique([*pooled, *own_slopes(*asked)])[:, None]
        if self.stated is not None:
            scale = pi / self.q if rate == "precision" else 1.0
            of_positives = (self.selected - self.captured) * (1 / pi - slopes) * scale
            of_negatives = (self.passed - self.selected) * (slopes * scale)
        else:
            of_positives, of_negatives = moves_at_share(
                rate, self.q, pi, self.captured, self.selected, slopes
            )
        return Estimates(
            np.full(len(slopes), self.estimate(rate)[0]),
            (pi * of_positives, (1 - pi) * of_negatives),
            self.masses,
            designs.effective_sizes(self.counts),
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
            return designs.effective_sizes(self.counts).positives
        (mass1, mass0), pi = self.masses, self.prevalence
        return self.q / float((mass1 * pi**2).sum() + (mass0 * (1 - pi) ** 2).sum())

    def typical_weight(self, *, best: bool) -> float:
        """Return Σw²/Σw of the cases selected, or of the rest, in the class where it is larger."""
        parts = self.prevalence, 1 - self.prevalence  # all cases weigh 1
        return max(part * each for part, each in zip(parts, self._typical(best), strict=True))

    def unevenness(self) -> float:
        """Return by how much those selected, or the rest, outweigh all of a class: 0 to 1."""
        most = np.max([self._typical(best) for best in (True, False)], axis=0)
        return min(max(float((most * designs.rows_per_class(self.counts)).max()) - 1, 0.0), 1.0)

    def _typical(self, best: bool) -> list[float]:
        """Return the same of each class, which weighs 1; 0 where it has no such cases."""
        taken = self.selected if best else 1 - self.selected
        held = (self.captured, self.passed) if best else (self.missed, 1 - self.passed)
        return [
            float((mass * taken).sum()) / of_class if of_class > SHARE_ROUNDING else 0.0
            for mass, of_class in zip(self.masses, held, strict=True)
        ]


def metric_at_share(name: str, q: float) -> Metric:
    """Return captured response or lift at a share, which tells how far each case moves it."""
    known, scale = METRICS[name], 1 / q if name == "lift" else 1.0

    def moved(counts: ScoreCounts) -> tuple[Floats, Floats]:
        found = TopShare.of(counts, q).estimates("captured_response")
        widest = int(found.variances().argmax())
        cell, _ = last_selected(shares(counts).cases, q)
        cells = (cell, 1, len(counts) - cell - 1)
        of_positives, of_negatives = (np.repeat(each[widest], cells) for each in found.moves)
        return scale * of_positives, scale * of_negatives

    return replace(known, function=partial(known.function, q=q), influence=moved, ends=(0.0, scale))


def moves_at_share(
    rate: str, q: float, prevalence: float, captured: float, selected: Floats, slopes: Any
) -> tuple[Floats, Floats]:
    """Return how far a positive and a negative of which so much is selected move such a rate."""
    # `slopes` are those that the CAP may have where the share ends.
    moved = -slopes * (selected - q)
    if rate == "precision":
        moved = prevalence * (moved - captured)
        return (selected + moved) / q, moved / q
    return (selected - captured) / prevalence + moved, moved


def last_selected(cases: RunningSums, q: float) -> tuple[int, Any]:
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
    """Return the slopes of the smallest concave curve above a CAP, just before and after q."""
    # They are the local lift that pool-adjacent-violators gives.
    highest = np.append(x[1:] > x[:-1], True)  # of those at one share, too near to tell apart
    x, y = x[highest], y[highest]
    before, after = _around(x, q)
    return _bridge(x, y, before, before + 1), _bridge(x, y, after, after + 1)


def _around(x: Floats, q: float) -> tuple[int, int]:
    """Return the points at which the edges of a CAP begin that are just before and after q."""
    before = np.searchsorted(x, q - POINT_ROUNDING, side="left") - 1
    after = np.searchsorted(x, q + POINT_ROUNDING, side="right") - 1
    return max(int(before), 0), min(int(after), len(x) - 2)


def _shares_of(counts: ScoreCounts, prevalence: float | None) -> tuple[Floats, Floats]:
    """Return the points of the CAP."""
    x, y, _ = cutoff_shares(counts)
    return (x if prevalence is None else shares(counts, prevalence).cases.sums), y


def own_slopes(counts: ScoreCounts, q: float, prevalence: float | None = None) -> list[float]:
    """Return the slopes of the CAP itself just before and after q, of grades with enough cases."""
    # Of grades in the wrong order the majorant hides them.
    x, y = _shares_of(counts, prevalence)
    found = []
    for k in sorted(set(_around(x, q))):
        cases = float(counts.positives[k]) + float(counts.negatives[k])
        if counts.weights is not None:  # how many equally weighted ones are like these
            roots = counts.weights.positive_roots[k], counts.weights.negative_roots[k]
            cases = float(1 / ((roots[0] / cases) ** 2 + (roots[1] / cases) ** 2))
        if cases >= ENOUGH_FOR_A_SLOPE * (1 - SHARE_ROUNDING):
            found.append(float((y[k + 1] - y[k]) / (x[k + 1] - x[k])))
    return found


def _bridge(x: Floats, y: Floats, left: int, right: int) -> float:
    """Return the slope of the edge of the upper hull that spans x[left] to x[right]."""
    # The chord is lifted to the point furthest above it until none lies above.
    split = left
    while True:
        slope = (y[right] - y[left]) / (x[right] - x[left])
        top = _furthest_above(x, y, slope)
        above, *ends = (y[at] - slope * x[at] for at in (top, left, right))
        # Points on the chord may seem to lie above it by rounding.
        if above <= max(ends) + SHARE_ROUNDING * (1 + abs(slope)):
            return float(slope)
        left, right = (top, right) if top <= split else (left, top)


def _furthest_above(x: Floats, y: Floats, slope: float) -> int:
    """Return the first point of a rising curve that lies highest above lines of this slope."""
    # Of blocks, none of whose points lies above the last one's height at the first one's place,
    # only those that may hold it are looked at.
    starts = np.arange(0, len(x), POINTS_AT_ONCE)
    most = y[np.minimum(starts + POINTS_AT_ONCE, len(y)) - 1] - slope * x[starts]
    likely = slice(POINTS_AT_ONCE * int(most.argmax()), POINTS_AT_ONCE * (int(most.argmax()) + 1))
    within = np.flatnonzero(most >= (y[likely] - slope * x[likely]).max())
    first, last = POINTS_AT_ONCE * int(within[0]), POINTS_AT_ONCE * (int(within[-1]) + 1)
    return first + int((y[first:last] - slope * x[first:last]).argmax())


def of_selected_cases(top: TopShare, rate: Rate, confidence: Confidence) -> Limits:
    """Return limits for as many cases as would fill the top share if all were as heavy there."""
    # Clopper-Pearson, of the rate of positives among them (Korn & Graubard 1998, with the weights
    # of the selected alone): where few and heavy rows are selected the standard error misses some.
    cases = top.q / top.typical_weight(best=True)
    if rate == "captured_response" and cases >= FEW_SELECTED:
        return top.captured, top.captured
    rates = min(top.prevalence * top.captured / top.q, 1.0) * cases
    low, high = rate_limits(rates, cases, "clopper_pearson", confidence)
    scale = top.q / top.prevalence if rate == "captured_response" else 1.0
    return float(low) * scale, min(float(high) * scale, 1.0)


def of_unseen_positives(top: TopShare, confidence: Confidence) -> Limits:
    """Return limits that allow for one more positive, as heavy as cases are, on either side."""
    # The weight of the positives not selected may be as large as their gamma limit (Fay & Feuer
    # 1997, Stat. Med. 16), those selected staying; and the other way round.
    (mass1, _), pi, rest = top.masses, top.prevalence, 1 - top.selected
    most = [
        _gamma_limit(pi * held, pi**2 * float((mass1 * taken**2).sum()), weight, confidence)
        for held, taken, weight in (
            (top.missed, rest, top.typical_weight(best=False)),
            (top.captured, top.selected, top.typical_weight(best=True)),
        )
    ]
    captured, missed = pi * top.captured, pi * top.missed
    return captured / (captured + most[0]), most[1] / (most[1] + missed)


def _gamma_limit(total: float, squares: float, weight: float, confidence: Confidence) -> float:
    """Return the upper limit of a sum of weights with one more case of such a weight."""
    from scipy.special import chdtri

    mean, variance = total + weight, squares + weight**2
    if not mean > 0:
        return 0.0
    return variance / (2 * mean) * float(chdtri(2 * mean**2 / variance, confidence.tail))


def about_the_cutoff(top: TopShare, rate: Rate, confidence: Confidence, se: float) -> Limits:
    """Return limits that allow for any place of the true cut-off; those by the error are near."""
    # The rate lies within them while there is a cut-off in the sample at which the squares of two
    # independent normal deviates (mid-P) add up to no more than z²: an empirical likelihood with
    # the place profiled out and tails that are right for few cases (Claeskens et al. 2003, Can. J.
    # Stat. 31). No slope is needed, so that the CAP may bend where the share ends.
    squares, z = _squared_deviates(top, rate, _places(top, confidence)), confidence.z

    def excess(value: float) -> float:
        return min(math.sqrt(squares(value).min()), FARTHEST_DEVIATE * z) - z

    least, most, seen = 0.0, 1.0, 1 - top.impurity if rate == "precision" else top.captured
    if top.stated is not None:
        scale = top.prevalence / top.q if rate == "precision" else 1.0
        least, most = (float(end[()]) * scale for end in reachable(np.array(top.q), top.stated))
    # Of few cases the excess may rise and fall again, and where the search begins would decide.
    rarer = designs.effective_sizes(top.counts).positives * min(top.captured, top.missed)
    reach = LIKELY_REACH * z * se if rarer >= FEW_SELECTED else math.inf
    low, high = seen - reach, seen + reach
    return (
        _root(excess, least, max(seen, least), max(low, least)),
        _root(excess, most, min(seen, most), min(high, most)),
    )


def is_straight(top: TopShare, confidence: Confidence) -> bool:
    """Tell whether no score ends so near the share that the CAP may bend there, as in a grade."""
    (_, tp, fp), reach = cutoff_shares(top.counts), (confidence.z + 1) * top.spread()
    ends = top.prevalence * tp + (1 - top.prevalence) * fp
    return not bool(((ends > max(top.q - reach, 0.0)) & (ends < top.q + reach)).any())


def _root(excess: Callable[[float], float], far: float, near: float, likely: float) -> float:
    """Return where an excess, above zero far away, becomes zero, or the end where it does not."""
    # By false position; an end that stays twice counts half: Dowell & Jarratt (1971), BIT 11.
    ends = [(far, excess(far)), (near, excess(near))]
    if ends[0][1] <= 0 or ends[1][1] > 0 or abs(far - near) <= LIMIT_TOLERANCE:
        return far if ends[0][1] <= 0 else near
    if likely != far:
        start = excess(likely)
        ends[0 if start > 0 else 1] = likely, start
    moved, found = 2, 1.0
    while abs(ends[1][0] - ends[0][0]) > LIMIT_TOLERANCE < abs(found):
        (far, outside), (near, inside) = ends
        middle = near + (far - near) * inside / (inside - outside)
        found, last = excess(middle), moved
        moved = 0 if found > 0 else 1
        if moved == last:
            place, value = ends[1 - moved]
            ends[1 - moved] = place, value / 2
        ends[moved] = middle, found
    return round(ends[moved][0], LIMIT_DIGITS)  # further digits are those of the search


def _places(top: TopShare, confidence: Confidence) -> tuple[Floats, ...]:
    """Return what cut-offs near that at q select of each class, inside scores too."""
    # After both shares come Σw²/(Σw)² of what is selected of each class, and of what is not.
    x, tp, fp = cutoff_shares(top.counts)
    # As many as totals hold, so that these have the same limits.
    held = np.union1d(x[: FIRST_KEPT + 1], np.arange(SHARES_OF_CASES + 1) / SHARES_OF_CASES)
    masses = (np.append(0.0, np.cumsum(mass)) for mass in designs.squared_masses(top.counts))
    found = [np.interp(held, x, sums) for sums in (tp, fp, *masses)]
    found += [mass[-1] - mass for mass in found[2:]]
    selected = top.prevalence * found[0] + (1 - top.prevalence) * found[1]
    # No other cut-off is likely enough.
    reach = (confidence.z + 1) * top.spread() + 1 / top.cases("precision")
    low, high = np.clip([top.q - reach, top.q + reach], 0.0, 1.0)
    inside = selected[(selected > low) & (selected < high)]
    places = np.union1d(inside, np.linspace(low, high, PLACES_INSIDE))
    return tuple(np.interp(places, selected, sums) for sums in found)


def _squared_deviates(
    top: TopShare, rate: Rate, places: tuple[Floats, ...]
) -> Callable[[float], Floats]:
    """Return how unlikely each cut-off is as the place where the rate has a value."""
    # The two squares are of independent numbers: of precision and the share selected; of captured
    # response and the share that would be selected if so many positives were. Under a stated
    # prevalence π they are of the shares C and f of both classes, with πC + (1 - π)f = q.
    (tp, fp, won, lost, missed, spared), pi, q = places, top.prevalence, top.q
    if top.stated is not None:
        return _of_both_classes(top, rate, places)
    captured, passed = equal_cases(tp, 1 - tp, won, missed), equal_cases(fp, 1 - fp, lost, spared)
    hits, passes, square = pi * tp, (1 - pi) * fp, (1 - pi) ** 2
    won, missed = pi**2 * won, pi**2 * missed
    won_too, missed_too = won + square * lost, missed + square * spared
    selected = equal_cases(hits + passes, 1 - hits - passes, won_too, missed_too)
    if rate == "precision":
        precision, at_q = equal_cases(hits, passes, won, square * lost), _square(selected, q)
        return lambda value: _square(precision, value) + at_q

    def of_captured(value: float) -> Floats:
        free = np.clip(selected[0] - pi * (tp - value), 0.0, 1.0)
        share = min(max((q - pi * value) / max(1 - pi, LIMIT_TOLERANCE), 0.0), 1.0)
        spread = (won + missed) * (value - q) ** 2
        spread += square * (share * (1 - q) ** 2 + (1 - share) * q**2) / passed[1]
        # Weights next to nothing leave no spread that a float holds.
        cases = q * (1 - q) / np.maximum(spread, LEAST_SPREAD)
        return _square(captured, value) + _square((free, cases), q)

    return of_captured


def _of_both_classes(
    top: TopShare, rate: Rate, places: tuple[Floats, ...]
) -> Callable[[float], Floats]:
    """Return the same under a stated prevalence, also where one class is as it is seen."""
    # Where one class has far more cases, its share is likely only next to that place.
    pi, q = top.prevalence, top.q
    scale, at = q / pi if rate == "precision" else 1.0, np.arange(len(places[0]))

    def squares(value: float) -> Floats:
        captured = value * scale
        passed = (q - pi * captured) / (1 - pi)
        seen = [np.interp(passed, places[1], at), np.interp(captured, places[0], at)]
        tp, fp, won, lost, missed, spared = (np.append(p, np.interp(seen, at, p)) for p in places)
        found = _square(equal_cases(tp, 1 - tp, won, missed), captured)
        found += _square(equal_cases(fp, 1 - fp, lost, spared), passed)
        return found

    return squares


def _square(found: tuple[Floats, Floats], rate: float) -> Floats:
    """Return the squared deviates of shares of so many cases each from a rate."""
    share, cases = found
    return deviates(share * cases, cases, min(max(rate, 0.0), 1.0)) ** 2

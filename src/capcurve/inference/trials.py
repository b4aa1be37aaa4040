"""How far each row of a trial moves a number of it, and the limits and tests that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import JointUplift, Trial, UpliftCounts
from capcurve.counts.trials import ARMS, ArmRows, TrialRows, rows_of_arms
from capcurve.curves.trials import (
    NEARER,
    TrialPoints,
    curve_of_gains,
    points_of_arms,
    uplift_points,
)
from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes, Estimates, LeftOut
from capcurve.inference.limits import around, cut_at_ends, envelope
from capcurve.inference.rates import limits_of_difference
from capcurve.inference.top_share import majorant_slopes
from capcurve.numbers.exact import in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
    from capcurve.numbers.types import Floats

# Squares of larger numbers, and of smaller than one over it, may be no floats.
LARGEST_SQUARABLE = 1e150
FEW_IN_ARM, FEW_AT_TOP = 10, 200
NO_SPREAD_OF_TRIAL = "the sample shows no spread, so the interval is the number itself"
ONE_GROUP = (
    "all cases, or all of an arm, are of one group of clusters, which shows no spread, so the "
    "interval is the whole range"
)
# How fast a number rises with the gain, and with the share, of each cut-off: shapes (K,).
Slopes: TypeAlias = "tuple[Floats, Floats]"


def _of_qini(points: TrialPoints) -> Slopes:
    x, y = points.shares, points.gains
    by_gain, by_share = np.empty(len(x) - 1), np.zeros(len(x) - 1)
    by_gain[:-1], by_share[:-1] = (x[2:] - x[:-2]) / 2, (y[:-2] - y[2:]) / 2
    by_gain[-1] = (x[-1] - x[-2]) / 2 - 0.5
    return by_gain, by_share


def _of_auuc(points: TrialPoints) -> Slopes:
    by_gain, by_share = _of_qini(points)
    by_gain[-1] += 0.5
    return by_gain, by_share


def _of_autoc(points: TrialPoints) -> Slopes:
    # Of a segment from (x, y) over a width h with slope m the area of y/x is
    # (y - m·x)·ln(1 + h/x) + m·h.
    x, y = points.shares, points.gains
    h, m = np.diff(x)[1:], np.diff(y)[1:] / np.diff(x)[1:]
    before, after = x[1:-1], x[2:]
    log, rest = np.log1p(h / before), y[1:-1] - m * before
    by_gain, by_share = np.zeros(len(x) - 1), np.zeros(len(x) - 1)
    by_gain[0] = 1.0
    by_gain[:-1] += after / h * log - 1
    by_gain[1:] += 1 - before / h * log
    by_share[:-1] -= m * after / h * log + rest / before
    by_share[1:] += m * before / h * log + rest / after
    by_gain[-1] -= 1
    by_share[-1] = 0.0
    return by_gain, by_share


def _of_uplift(points: TrialPoints, q: float = 1.0, slope: float = 0.0) -> Slopes:
    """Return the slopes of the uplift of the top q, whose cut-off moves along the majorant."""
    x = points.shares
    at = min(max(int(np.searchsorted(x, q)), 1), len(x) - 1)
    inside = (q - x[at - 1]) / (x[at] - x[at - 1])
    by_gain = np.zeros(len(x))
    by_gain[at - 1], by_gain[at] = (1 - inside) / q, inside / q
    return by_gain[1:], -slope * by_gain[1:]


SLOPES: dict[str, Callable[[TrialPoints], Slopes]] = {
    "qini": _of_qini,
    "auuc": _of_auuc,
    "autoc": _of_autoc,
    "uplift": _of_uplift,
}


def moves_of_rows(points: TrialPoints, rows: TrialRows, slopes: Slopes) -> list[Floats]:
    """Return how far each row of each arm moves a number, times the number of cases."""
    # The derivatives with respect to how often a row occurs: a row moves the share and the gain of
    # every cut-off, and those from its own on by its outcome.
    shares, gains = points.shares[1:], points.gains[1:]
    by_gain, by_share = slopes
    if not points.arms:
        whole = float((by_gain * gains + by_share * shares).sum())
        each, rest = _after(by_gain), _after(by_share) - whole
        return [_at_places(a, rest, each, centre=rows.centre) for a in rows.arms]
    along = by_gain * (gains / shares) + by_share
    common = _after(along) - float((along * shares).sum())
    found = []
    for sign, arm, (cases, totals) in zip((1, -1), rows.arms, points.arms, strict=True):
        weight = by_gain * shares * (points.n / cases)
        each, mean = _after(weight), _after(weight * (totals / cases))
        found.append(_at_places(arm, common - sign * mean, sign * each, points.first))
    return found


def _at_places(
    arm: ArmRows, base: Floats, each: Floats, first: int = 0, centre: float = 0.0
) -> Floats:
    """Return at each row's cut-off, from the first one on, a base and its outcome times another."""

    def moved(at: slice) -> Floats:
        place = np.maximum(arm.place[at] - first, 0)
        found: Floats = base[place] + each[place] * (arm.outcome[at] + centre)
        return found

    return in_blocks(len(arm.place), moved)


def _after(column: Floats) -> Floats:
    """Return the sum from each cut-off to the last."""
    return np.cumsum(column[::-1])[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class OfTrial(Estimates):
    """Numbers of a trial, or of effect scores, and how well their variance is known."""

    times: tuple[Floats, ...]  # how often each row occurs, by arm
    informative: tuple[float, ...]  # by arm how many cases tell its variance

    def freedom(self) -> float:
        """Return the degrees of freedom of the variance of the only number."""
        # Satterthwaite's of the squared moves, or Welch's of two arms each of which is known as
        # well as by its rarer outcome.
        moved = [moves[0] for moves in self.moves]
        largest = max(float(np.abs(each).max(initial=0.0)) for each in moved) or 1.0
        squares = [t * (each / largest) ** 2 for t, each in zip(self.times, moved, strict=True)]
        by_arm = [float(each.sum()) for each in squares]
        whole = sum(by_arm)
        if not whole > 0:
            return self.most_freedom()
        pairs = zip(squares, self.times, strict=True)
        fourth = sum(float((each**2 / np.maximum(times, 1)).sum()) for each, times in pairs)
        parts = zip(by_arm, self.informative, strict=True)
        welch = 1 / sum((each / whole) ** 2 / max(cases - 1, 0.5) for each, cases in parts)
        n = sum(float(times.sum()) for times in self.times)
        return designs.freedom_of_share(fourth / whole**2, n, welch, least=1.0)

    def few(self) -> tuple[str, ...]:
        """Return a warning when an arm has few of an outcome."""
        return tuple(
            f"the {name} cases have only {cases:.3g} of the rarer outcome, so intervals are rough"
            for name, cases in zip(ARMS, self.informative, strict=False)
            if cases < FEW_IN_ARM and len(self.informative) > 1
        )


def _estimates(values: Any, *several: tuple[TrialPoints, TrialRows, Slopes]) -> OfTrial:
    """Return numbers of one trial: for each its points, rows and slopes."""
    moved = [moves_of_rows(*each) for each in several]
    points, rows, _ = several[0]
    n, sizes = points.n, [float(arm.n) for arm in rows.arms]
    ends = [end for of_one in moved for arm in of_one for end in (arm.max(), -arm.min())]
    largest = max(ends, default=0.0)
    if not (largest == 0 or 1 / LARGEST_SQUARABLE < largest < LARGEST_SQUARABLE):
        raise ValueError(
            f"the variance of numbers of this trial is beyond what a float holds; {NEARER}"
        )
    return OfTrial(
        np.atleast_1d(np.asarray(values, dtype=np.float64)),
        tuple(
            of_arm[0][None] if len(moved) == 1 else np.array(of_arm)
            for of_arm in zip(*moved, strict=True)
        ),
        tuple(arm.times * (arm.n / max(arm.n - 1, 1)) / n**2 for arm in rows.arms),
        ClassSizes(sizes[0], sizes[-1]),
        0.0,
        "influences",
        width=np.inf,
        times=tuple(arm.times for arm in rows.arms),
        informative=tuple(_informative(arm, rows) for arm in rows.arms),
    )


def _informative(arm: ArmRows, rows: TrialRows) -> float:
    """Return how many cases tell the variance of an arm: its rarer outcome, or (Σy)²/Σy²."""
    if rows.yes_no:
        positives = float((arm.times * arm.outcome).sum())
        return min(positives, arm.n - positives)
    outcome = arm.outcome + rows.centre
    largest = float(np.abs(outcome).max(initial=0.0)) or 1.0
    y, least = outcome / largest, float(outcome.min(initial=0.0))
    squares = float((arm.times * y * y).sum())
    if len(rows.arms) == 1 or least < 0 or not squares > 0:
        return float(arm.n)
    return float((arm.times * y).sum()) ** 2 / squares


def estimates(trials: list[tuple[TrialPoints, TrialRows]], name: str) -> list[OfTrial]:
    """Return a number of several scores of one trial; of AUTOC also as effect scores move it."""
    slopes, values = SLOPES[name], [points.number(name) for points, _ in trials]
    found = _estimates(values, *((p, r, slopes(p)) for p, r in trials))
    if name != "autoc" or not trials[0][0].arms:
        return [found]
    others = [_as_effects(rows) for _, rows in trials]
    moves = _estimates(values, *((p, r, slopes(p)) for p, r in others)).moves
    return [found, replace(found, moves=moves)]


def _as_effects(rows: TrialRows) -> tuple[TrialPoints, TrialRows]:
    """Return a trial whose outcomes are effect scores with the arms' means and sizes."""
    (treated, control), n = rows.arms, rows.n
    means = [float(arm.totals.sum()) / arm.n for arm in rows.arms]
    effect = means[0] - means[1]
    arms = tuple(
        replace(arm, outcome=effect + sign * (arm.outcome - mean) * (n / arm.n))
        for sign, arm, mean in zip((1, -1), rows.arms, means, strict=True)
    )
    sums = sum(np.bincount(a.place, a.outcome * a.times, len(rows.thresholds)) for a in arms)
    selected = np.append(0, np.cumsum(treated.cases + control.cases))
    gains = np.append(0.0, np.cumsum(sums / n))
    points = TrialPoints(rows.thresholds, selected, gains, n, 0, ())
    return points, replace(rows, arms=arms, centre=0.0)


def trial_estimates(joint: Any, name: str) -> list[Estimates]:
    """Return how a number of several scores of one trial varies; of AUTOC in two ways."""
    if joint.groups is not None:
        number = methodcaller("number", name)
        alone = [left_out_of(joint.margin(each), number) for each in joint.names]
        return [designs.side_by_side(alone)]
    of_arms = isinstance(joint, JointUplift)
    arms = (joint.treated, joint.control) if of_arms else (joint,)
    trials = []
    for place, each in enumerate(joint.names):
        rows = rows_of_arms(arms, place)
        points = points_of_arms(rows) if of_arms else uplift_points(joint.margin(each))
        trials.append((points, rows))
    return [*estimates(trials, name)]


def trial_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of a number of a trial, or of effect scores."""
    trial, name, q, confidence = request.counts, request.name, request.q, request.confidence
    if method != "jackknife":
        return trial_limits(uplift_points(trial), trial_rows(trial), name, q, method, confidence)
    found = left_out_of(trial, methodcaller("number", name, q))
    value, se, ends = float(found.values[0]), found.se(), (-np.inf, np.inf)
    if found.too_few:
        return confidence.interval(value, ends, ends, "definition", None, (ONE_GROUP,))
    df = found.freedom()
    reach, notes = confidence.t(df) * se, found.notes(df, found.sizes.rarer)
    return confidence.interval(value, (value - reach, value + reach), ends, method, se, notes)


def trial_rows(trial: Trial) -> TrialRows:
    """Return the rows of both arms, or of effect scores."""
    held: Any = trial
    return held.rows() if isinstance(trial, UpliftCounts) else rows_of_arms([held.every_row()])


def trial_limits(
    points: TrialPoints,
    rows: TrialRows,
    name: str,
    q: float | None,
    method: str,
    confidence: Confidence,
) -> Interval:
    """Return the interval of a number that is read off the points of a trial."""
    share = None if q == 1 else q
    value = points.number(name, share)
    if share is None:
        found = estimates([(points, rows)], name)
    else:
        slopes = (_of_uplift(points, share, slope) for slope in _slopes_at(points, share))
        found = [max((_estimates(value, (points, rows, s)) for s in slopes), key=Estimates.se)]
    reach, se = max((confidence.t(each.freedom()) * each.se(), each.se()) for each in found)
    limits, ends = (value - reach, value + reach), (-np.inf, np.inf)
    notes = [*found[0].few(), *_notes(points, rows, name, se)]
    if name == "uplift" and rows.yes_no:
        ends = (-1.0, 1.0)
        if method == "envelope":
            limits = envelope(limits, newcombe_difference(points, q or 1.0, confidence))
        limits, cut = cut_at_ends(limits, ends, "the uplift")
        notes += cut
    return confidence.interval(value, around(limits, value), ends, method, se, notes)


def limits_along(
    trial: Trial, shares: Floats, confidence: Confidence, *, beyond: bool = False
) -> tuple[Floats, Floats]:
    """Return limits of the uplift of top shares, each by itself; `beyond` of what is above all."""

    def number(points: TrialPoints) -> Floats:
        found: Floats = curve_of_gains(points).at(shares) / shares
        return found - points.effect if beyond else found

    points = uplift_points(trial)
    values = number(points)
    if trial.groups is not None:
        left = left_out_of(trial, number)
        if left.too_few:
            return np.full(len(values), -np.inf), np.full(len(values), np.inf)
        reach = confidence.t(left.most_freedom()) * np.sqrt(left.variances())
        return values - reach, values + reach
    rows, reach, all_cases = trial_rows(trial), np.zeros(len(shares)), _of_uplift(points)
    for place, q in enumerate(shares.tolist()):
        for slope in _slopes_at(points, q):
            by_gain, by_share = _of_uplift(points, q, slope)
            slopes = by_gain - all_cases[0] if beyond else by_gain, by_share
            found = _estimates(values[place], (points, rows, slopes))
            reach[place] = max(reach[place], confidence.t(found.freedom()) * found.se())
    return values - reach, values + reach


def _slopes_at(points: TrialPoints, q: float) -> set[float]:
    """Return the slopes of the concave majorant of the uplift curve just before and after q."""
    x, y = points.shares, points.gains
    # The majorant is found of what rises, by more than rounding where it fell.
    falls = 2 * max(-float((np.diff(y) / np.diff(x)).min()), 0.0)
    return {slope - falls for slope in majorant_slopes(x, y + falls * x, q)}


def _notes(points: TrialPoints, rows: TrialRows, name: str, se: float) -> list[str]:
    found = []
    if points.first:
        cases = sum(int(arm.cases[: points.first].sum()) for arm in rows.arms)
        best, them = "the highest-ranked customer was", "it"
        if cases > 1:
            best, them = f"the {cases:,} highest-ranked customers were all", "them"
        found.append(f"{best} in one group, so the curve starts below {them}")
    smaller = min(arm.n for arm in rows.arms)
    if name == "autoc" and smaller < FEW_AT_TOP:
        found.append(f"the smaller group has only {smaller} cases, so few are at the very top")
    return found if se > 0 else [*found, NO_SPREAD_OF_TRIAL]


def newcombe_difference(points: TrialPoints, q: float, confidence: Confidence) -> Limits:
    """Return limits of the difference of two rates among the selected, in fractions of cases."""
    (n1, n0), (won1, won0) = (
        [np.interp(q, points.shares, np.append(0, column)) for column in of_arms]
        for of_arms in zip(*points.arms, strict=True)
    )
    low, high = limits_of_difference((won1, won0), (n1, n0), confidence)
    return float(low), float(high)


def left_out_of(trial: Trial, number: Callable[[TrialPoints], Any]) -> LeftOut:
    """Return a number of the whole, and what leaving out each group of clusters does to it."""
    whole: Any = trial  # rows that are held: sums of engines have no clusters
    of_arms = isinstance(trial, UpliftCounts)
    alone = whole.without_groups() if of_arms else replace(whole, groups=None)
    value, groups = np.atleast_1d(number(uplift_points(alone))), whole.groups or ()
    full = [place for place, group in enumerate(groups) if group.n]
    moved = np.zeros((len(groups), len(value)))
    both = [[getattr(group, arm, group).n > 0 for group in groups] for arm in ARMS]
    sizes = ClassSizes(*(float(sum(each)) for each in both))
    for place in full if sizes.rarer >= designs.LEAST_GROUPS else ():
        moved[place] = number(uplift_points(alone - groups[place])) - value
    return designs.left_out(value, moved, len(full), sizes)

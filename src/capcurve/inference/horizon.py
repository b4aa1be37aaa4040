"""Numbers at a horizon: how far each row moves them as censoring is estimated too, and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capcurve.counts import NotHeldError
from capcurve.counts.order import places_in, run_starts, sorted_runs
from capcurve.curves.shares import points, require, shares
from capcurve.inference.designs import NOTHING, ClassSizes, Estimates, LeftOut, left_out
from capcurve.inference.limits import Chance, around, cut_off, envelope, logit, newcombe
from capcurve.inference.rates import rate_limits
from capcurve.inference.samples import at_share, aucs
from capcurve.inference.top_share import last_selected, majorant_slopes
from capcurve.inference.variances import deviations
from capcurve.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.censoring import FollowUp
    from capcurve.counts.types import Array, Floats
    from capcurve.inference.designs import OfSamples
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
    from capcurve.inference.samples import Rate

AT_SHARE = ("captured_response", "lift", "precision")
AREAS = ("accuracy_ratio", "roc_auc")
LIMITED = (*AREAS, *AT_SHARE, "prevalence")
ENDS = (0.0, 1.0)


class HorizonNumber(NamedTuple):
    """A number of one score at a horizon, and how samples and rows move it."""

    value: float
    counts: ScoreCounts
    moved: tuple[Floats, Floats]  # by a positive and a negative of the mean weight, at each score
    of_samples: OfSamples
    score: int = 0  # which of several


@dataclass(frozen=True, slots=True)
class Horizon:
    """Rows of one score or several at a horizon: how far each of them moves a number."""

    times: Any  # TimeCounts or JointTimes
    horizon: float
    competing: Any

    @property
    def known(self) -> FollowUp:
        """What is known by the horizon."""
        found: FollowUp = self.times.follow_up(self.horizon, self.competing)
        return found

    def margins(self) -> list[ScoreCounts]:
        """Return the counts of each score alone, which must hold both classes."""
        names = self.times.names
        alone = [self.times.margin(name) for name in names] if names else [self.times]
        found = [each.at(self.horizon, competing=self.competing) for each in alone]
        for counts in found:
            require(counts, "positives", "negatives")
        return found

    def sizes(self) -> ClassSizes:
        """Return how many equally weighted rows of each class would tell as much."""

        def found() -> ClassSizes:
            classes = self.known.positive, self.known.negative
            return ClassSizes(*(self.known.equal_rows(own, self.times.cases) for own in classes))

        sizes: ClassSizes = self.times.known(f"sizes {self.horizon!r} {self.competing}", found)
        return sizes

    def estimates(self, numbers: Sequence[HorizonNumber], *, apart: bool = True) -> Estimates:
        """Return numbers, and how far rows, or groups of clusters left out, move them.

        `apart` takes positives, and all other rows, for independent samples.
        """
        values = np.array([number.value for number in numbers])
        if self.times.groups is not None:
            return self._without_groups(values, numbers)
        moves = np.array([self._moves(number) for number in numbers])
        # Either has the variance of as many rows as it has, less one.
        cases, positive = self.times.cases, self.known.positive
        rows = [np.where(own, cases, 0).astype(np.float64) for own in (positive, ~positive)]
        sizes = [max(float(own.sum()), 2.0) if apart else np.inf for own in rows]
        pairs = zip(rows, sizes, strict=True)
        kappa = self.sizes().positives
        return Estimates(
            values,
            (moves, moves),
            tuple(own / (1 - 1 / size) / self.times.n**2 for own, size in pairs),
            ClassSizes(kappa, max(kappa, self.sizes().negatives)),
            0.0,
            "influences with estimated censoring",
            of_rows=tuple((own, np.maximum(own, 1.0)) for own in rows),
            cases=float(self.times.n),
        )

    def _moves(self, number: HorizonNumber) -> Floats:
        """Return how far each row moves a number, also as censoring is estimated from the rows."""
        known, counts = self.known, number.counts
        weighs = known.positive | known.negative
        if self.times.names:
            place = places_in(counts, self.times.scores[number.score])
        else:  # cells stand in the order of their scores
            starts = run_starts(self.times.score)
            full = np.logical_or.reduceat(weighs, starts)
            place = np.repeat(np.cumsum(full) - 1, np.diff(starts, append=len(weighs)))
        place = np.clip(place, 0, len(counts) - 1)  # of scores that weigh nothing, any
        first, second = (each[place] for each in number.moved)
        moved = np.where(known.positive, first, second) * weighs
        scale = self.times.n / float(counts.n)
        return known.moves(moved * known.weight * scale, self.times.cases)

    def _without_groups(self, values: Floats, numbers: Sequence[HorizonNumber]) -> LeftOut:
        """Return numbers, and what leaving out each group does; censoring is estimated without."""
        runs = [sorted_runs([score]) for score in self.times.scores]
        turned = self.times.higher_is if self.times.names else (self.times.higher_is,)
        moved, held = np.zeros((len(self.times.groups), len(values))), []
        for group, (place, gone) in enumerate(group_cells(self.times)):
            left = self.times.cases.astype(np.float64)
            left[place] -= gone
            known = self.times.follow_up(self.horizon, self.competing, left)
            classes = known.positive, known.negative
            held.append([bool(own[place].any()) for own in classes])
            sums = [np.where(own, known.weight * left, 0.0) for own in classes]
            for column, number in enumerate(numbers):
                order, starts = runs[number.score]
                turn = slice(None, None, -1 if turned[number.score] == "positive" else 1)
                p, n = (np.add.reduceat(own[order], starts)[turn][None] for own in sums)
                with np.errstate(divide="ignore", invalid="ignore"):
                    moved[group, column] = number.of_samples(p, n)[0] - values[column]
        groups = [float(sum(column)) for column in zip(*held, strict=True)]
        sizes = ClassSizes(min(groups[0], self.sizes().positives), groups[1])
        full = sum(len(group) > 0 for group in self.times.groups)
        moved[[not len(group) for group in self.times.groups]] = 0.0
        return left_out(values, moved, full, sizes)


def group_cells(times: Any) -> Iterator[tuple[Array, Floats]]:
    """Yield which cells of the whole each group of clusters has, and how many rows of each."""
    parts = [times, *times.groups]
    codes = []
    for part in parts:
        at = np.array([times.strata.index(name) for name in part.strata] or [0])
        codes.append(at[part.stratum] if len(part) else np.zeros(0, dtype=np.intp))
    columns = [np.concatenate(column) for column in zip(*(p.keys[:-1] for p in parts), strict=True)]
    order, starts = sorted_runs([*columns, np.concatenate(codes)])
    cell = np.empty(len(order), dtype=np.intp)
    cell[order] = np.repeat(order[starts], np.diff(starts, append=len(order)))
    ends = np.cumsum([len(part) for part in parts])
    for group, place in zip(times.groups, np.split(cell, ends)[1:-1], strict=True):
        yield place, group.cases.astype(np.float64)


def auc_number(counts: ScoreCounts, score: int = 0) -> HorizonNumber:
    """Return the AUC: rows move it by their placements less the AUC, over their class's share."""
    first, second = deviations(counts)
    moved = first * (counts.n / counts.n1), second * (counts.n / counts.n0)
    return HorizonNumber(METRICS["roc_auc"].value(counts), counts, moved, aucs, score)


def incidence_number(counts: ScoreCounts) -> HorizonNumber:
    """Return the share of rows that have the event."""
    rate = float(counts.n1 / counts.n)
    moved = np.full(len(counts), 1 - rate), np.full(len(counts), -rate)
    return HorizonNumber(rate, counts, moved, lambda p, n: p.sum(axis=1) / (p + n).sum(axis=1))


def share_number(counts: ScoreCounts, q: float, name: Rate, slope: float) -> HorizonNumber:
    """Return what the top share q captures, or its precision.

    `slope` is that of the smallest concave curve above the CAP, where the share ends.
    """
    captured = METRICS["captured_response"].value(counts, q=q)
    pi = float(counts.n1 / counts.n)
    cell, part = last_selected(shares(counts).cases, q)
    selected = np.repeat([1.0, part, 0.0], [cell, 1, len(counts) - cell - 1])
    second = -slope * (selected - q)
    moved = (selected - captured) / pi + second, second
    if name == "precision":
        moved = (pi * moved[0] + captured * (1 - pi)) / q, (pi * second - captured * pi) / q
    value = METRICS[name].value(counts, q=q)
    return HorizonNumber(value, counts, moved, partial(at_share, q=q, which=name))


def horizon_estimates(joint: Any) -> Estimates:
    """Return the AUC of each score at a horizon, and how far chance moves them."""
    at = Horizon(joint.times, joint.horizon, joint.competing)
    return at.estimates([auc_number(each, place) for place, each in enumerate(at.margins())])


def horizon_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of a number at a horizon."""
    counts, name, confidence, q = request.counts, request.name, request.confidence, request.q
    at = Horizon(counts.times, counts.horizon, counts.competing)
    if name == "prevalence":
        return _of_incidence(at, counts, confidence)
    require(counts, "positives", "negatives")
    if name in AREAS:
        found = _of_auc(at, auc_number(counts), method, confidence)
        return found if name == "roc_auc" else found.as_ratio(METRICS[name].value(counts))
    if name == "lift":
        held = horizon_interval(replace(request, name="captured_response"), method)
        return held.over(q, METRICS[name].value(counts, q=q))
    x, y, _ = points(counts)
    slopes = np.unique(majorant_slopes(x, y, q))
    numbers = [share_number(counts, q, name, float(slope)) for slope in slopes]
    several = at.estimates(numbers)
    widest = np.eye(len(numbers))[[int(several.variances().argmax())]]
    value, estimates = numbers[0].value, several.along(widest)
    heaviest = counts.largest_weight
    # One positive as heavy as the heaviest row was not seen, outside of the share or inside.
    whole, more = (counts.n, heaviest / q) if name == "precision" else (counts.n1, heaviest)
    grown = whole + heaviest
    unseen = value * whole / grown, (value * whole + more) / grown
    cases = _trials(counts, name, q, at.sizes(), several.sizes)
    limits = _rate_limits(value, estimates, cases, method, confidence)
    if method != "wald":
        limits = envelope(limits, unseen)
    return _interval(value, limits, name, method, estimates, confidence)


def _trials(counts: Any, name: str, q: float, rows: ClassSizes, parts: ClassSizes) -> float:
    """Return of how many independent ones a share is: positives, of precision those selected."""
    positives = min(rows.positives, parts.positives)  # parts are groups of clusters, if any
    if name != "precision":
        return max(positives, 1.0)
    squares = counts.n1**2 / positives + counts.n0**2 / min(rows.negatives, parts.negatives)
    return max(float(q * counts.n**2 / squares), 1.0)


def _of_auc(at: Horizon, number: HorizonNumber, method: str, confidence: Confidence) -> Interval:
    """Return limits of the AUC; Newcombe's where the sample shows no spread."""
    found, value, sizes = at.estimates([number]), number.value, at.sizes()
    if 0 < value < 1 and found.se() > NOTHING and not found.too_few:
        limits = _rate_limits(value, found, 1.0, method, confidence)
        return _interval(value, limits, "roc_auc", method, found, confidence)
    limits = newcombe(Chance.of(value), sizes, confidence.z)
    note = f"the sample shows no spread: Newcombe limits for {sizes.positives:.3g} positives"
    return confidence.interval(value, limits, ENDS, "newcombe", None, (note,))


def of_ratio(value: float, found: Estimates, confidence: Confidence) -> Interval:
    """Return limits of an accuracy ratio that one number of some estimates is."""
    share = (1 + value) / 2
    halved = replace(found, moves=tuple(each / 2 for each in found.moves))
    limits = _rate_limits(share, halved, max(found.sizes.rarer, 1.0), "envelope", confidence)
    interval = _interval(share, limits, "roc_auc", "envelope", halved, confidence)
    return interval.as_ratio(value)


def _rate_limits(
    value: float, found: Estimates, cases: float, method: str, confidence: Confidence
) -> Limits:
    """Return the limits of a share by Student's t, as it is and in log odds."""
    se, t = found.se(), confidence.t(found.freedom())
    plain = value - t * se, value + t * se
    if method == "wald":
        return plain
    if 0 < value < 1 and se > NOTHING:
        return envelope(plain, logit(Chance.of(value), se, t))
    low, high = rate_limits(value * cases, cases, "clopper_pearson", confidence)
    return envelope(plain, (float(low), float(high)))


def _interval(
    value: float,
    limits: Limits,
    name: str,
    method: str,
    found: Estimates,
    confidence: Confidence,
) -> Interval:
    limits, notes = cut_off(around(limits, value), ENDS, f"the {METRICS[name].label}")
    notes = (*found.few(), *notes)
    if isinstance(found, LeftOut):
        left = f"{found.groups} groups of clusters left out, with censoring estimated without each"
        method, notes = "jackknife", (left, *notes)
    return confidence.interval(value, limits, ENDS, method, found.se(), notes)


def _of_incidence(at: Horizon, counts: ScoreCounts, confidence: Confidence) -> Interval:
    """Return limits of the incidence by Greenwood's variance, or that of Aalen & Johansen."""
    require(counts)
    number = incidence_number(counts)
    found = at.estimates([number], apart=False)
    followed = float(at.times.rows(~at.known.unknown))
    limits = _rate_limits(number.value, found, followed, "envelope", confidence)
    return _interval(number.value, limits, "prevalence", "envelope", found, confidence)


def no_limits(name: str, limited: Sequence[str] = LIMITED) -> NotHeldError:
    """Return what is raised where a number has no limits at a horizon."""
    known = f"{', '.join(limited[:-1])} and {limited[-1]}"
    return NotHeldError(f"{name} has no limits at a horizon yet; there are those of {known}")

"""Numbers at a horizon: how far each row moves them as censoring is estimated too, and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from capcurve.counts.table import wide
from capcurve.counts.times import group_cells
from capcurve.curves.shares import require
from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes, Estimates, LeftOut, OfSamples
from capcurve.inference.limits import (
    UNIT_ENDS,
    ByError,
    Statistic,
    around,
    cut_at_ends,
    interval_left_out,
)
from capcurve.inference.rates import limits_of_rate
from capcurve.inference.records import Interval, IntervalRequest, influenced
from capcurve.inference.samples import aucs
from capcurve.inference.variances import deviations, groups_left_out
from capcurve.metrics import METRICS
from capcurve.metrics.calibration import mean_pd
from capcurve.numbers.censoring import FollowUp
from capcurve.numbers.exact import BLOCK, in_blocks
from capcurve.numbers.order import places_in, run_starts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.numbers.types import Array, Bools, Floats

WITHOUT_EACH = "censoring is estimated without each group"


class HorizonNumber(NamedTuple):
    """A number of one score at a horizon, and how samples and rows move it."""

    value: float
    counts: ScoreCounts
    moved: tuple[Floats, Floats]  # by a positive and a negative of the mean weight, at each score
    of_samples: OfSamples


@dataclass(frozen=True, slots=True)
class Horizon:
    """Rows of one score or several at a horizon: how far each of them moves a number."""

    times: Any  # TimeCounts or JointTimes
    horizon: float
    competing: Any
    groups: Any  # of clusters, which are left out in turn; None takes the rows for independent

    @classmethod
    def of(cls, counts: Any) -> Self:
        """Return the rows behind counts of weights, one score or several."""
        return cls(counts.times, counts.horizon, counts.competing, counts.groups)

    @property
    def known(self) -> FollowUp:
        """What is known by the horizon."""
        found: FollowUp = self.times.follow_up(self.horizon, self.competing)
        return found

    @property
    def alone(self) -> list[Any]:
        """The times of each score alone."""
        return [self.times.margin(name) for name in self.times.names] or [self.times]

    def margins(self) -> list[ScoreCounts]:
        """Return the counts of each score alone, which must hold both classes."""
        found = [each.at(self.horizon, competing=self.competing) for each in self.alone]
        for counts in found:
            require(counts, "positives", "negatives")
        return found

    def estimates(self, numbers: Sequence[HorizonNumber], *, apart: bool = True) -> Estimates:
        """Return numbers of the one score, or one of each, and how far rows or groups move them."""
        # `apart` takes positives, and all other rows, for independent samples.
        sizes = designs.effective_sizes(self.times.at(self.horizon, competing=self.competing))
        if self.groups is not None:
            return self._without_groups(numbers, sizes)
        known = self.known
        one = not self.times.names
        pairs = zip(numbers, self.times.scores * (len(numbers) if one else 1), strict=True)
        each = [_moves(known, *pair, ordered=one) for pair in pairs]
        moves = each[0][None] if len(each) == 1 else np.array(each)
        # Either has the variance of as many rows as it has, less one.
        sides = known.positive, ~known.positive
        sums = [max(float(self.times.rows(own)), 2.0) if apart else np.inf for own in sides]

        def masses(own: Bools, size: float) -> Floats:
            def weighed(at: slice) -> Floats:
                found: Floats = known.cases[at] * own[at] / (1 - 1 / size) / self.times.n**2
                return found

            return in_blocks(len(own), weighed)

        def of_rows() -> tuple[tuple[Floats, Floats], ...]:
            rows = ((known.cases * own).astype(np.float64) for own in sides)
            return tuple((own, np.maximum(own, 1.0)) for own in rows)

        return Estimates(
            np.array([number.value for number in numbers]),
            (moves, moves),
            tuple(map(masses, sides, sums)),
            ClassSizes(sizes.positives, max(sizes.positives, sizes.negatives)),
            0.0,
            "influences with estimated censoring",
            of_rows=of_rows,
            cases=float(self.times.n),
        )

    def _without_groups(self, numbers: Sequence[HorizonNumber], alike: ClassSizes) -> LeftOut:
        """Return numbers, and what leaving out each group does; censoring is estimated without."""
        groups, asked = self.times.groups, (self.horizon, self.competing)
        alone = self.alone * (1 if self.times.names else len(numbers))
        pairs = zip(alone, numbers, strict=True)
        moved = np.array([[*_left_out(times, asked, number)] for times, number in pairs]).T
        moved[[not len(group) for group in groups]] = 0.0
        held = [FollowUp.unweighted(group.time, group.status, *asked) for group in groups]
        positives, negatives = (
            float(sum(getattr(known, own).any() for known in held))
            for own in ("positive", "negative")
        )
        sizes = ClassSizes(min(positives, alike.positives), negatives)
        values = np.array([number.value for number in numbers])
        return designs.left_out(values, moved, sum(len(group) > 0 for group in groups), sizes)


def _moves(known: FollowUp, number: HorizonNumber, score: Array, *, ordered: bool) -> Floats:
    """Return how far each row moves a number, also as censoring is estimated from the rows."""
    # The cells of one score stand in its order, and need not be searched for.
    counts, weighs = number.counts, known.positive | known.negative
    size, each = len(weighs), wide(known.cases).sum() / float(counts.n)
    if ordered:
        starts, new = run_starts(score), weighs
        if len(starts) < size:
            new = np.zeros(size, dtype=np.bool_)
            new[starts] = np.logical_or.reduceat(weighs, starts)
        before = np.cumsum(
            [-1, *(np.count_nonzero(new[s : s + BLOCK]) for s in range(0, size, BLOCK))]
        )
    else:
        places = places_in(counts, score)

    def moved(at: slice) -> Floats:
        place = np.cumsum(new[at]) + before[at.start // BLOCK] if ordered else places[at]
        place = np.clip(place, 0, len(counts) - 1)  # of what weighs nothing, any
        first, second = (column[place] for column in number.moved)
        positive = known.positive[at]
        found: Floats = (first * positive + second * (weighs[at] & ~positive)) * known.weight[at]
        found *= each
        return found

    return known.moves(in_blocks(size, moved))


def _left_out(times: Any, asked: tuple[float, Any], number: HorizonNumber) -> Iterator[float]:
    """Yield what leaving out each group of clusters does to a number of one score."""
    for group, cells in zip(times.groups, group_cells(times), strict=True):
        left = times.cases.astype(np.float64)
        left[cells] -= group.cases
        sums = times.class_sums(*asked, left)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = number.of_samples(sums.positives[None], sums.negatives[None])
        yield float(found[0]) - number.value


def auc_number(counts: ScoreCounts) -> HorizonNumber:
    """Return the AUC: rows move it by their placements less the AUC, over their class's share."""
    first, second = deviations(counts)
    first *= counts.n / counts.n1
    second *= counts.n / counts.n0
    return HorizonNumber(METRICS["roc_auc"].value(counts), counts, (first, second), aucs)


def incidence_number(counts: ScoreCounts) -> HorizonNumber:
    """Return the share of rows that have the event."""
    rate = float(counts.n1 / counts.n)
    moved = np.full(len(counts), 1 - rate), np.full(len(counts), -rate)
    return HorizonNumber(rate, counts, moved, lambda p, n: p.sum(axis=1) / (p + n).sum(axis=1))


def horizon_estimates(counts: Any) -> Estimates:
    """Return the AUC of each score at a horizon, and how far chance moves them."""
    at = Horizon.of(counts)
    return at.estimates([*map(auc_number, at.margins())])


def all_left_out(several: Sequence[ScoreCounts], metric: str) -> LeftOut:
    """Return a number of several clustered samples without each group of all of them in turn."""
    known = influenced(metric)
    if known is not None or all(counts.times is None for counts in several):
        return groups_left_out(several, known)
    found: list[Any] = [
        groups_left_out([counts]) if counts.times is None else horizon_estimates(counts)
        for counts in several
    ]
    return designs.side_by_side(found)


def incidence_interval(request: IntervalRequest, method: str) -> Interval:
    """Return limits of the incidence by Greenwood's variance, or that of Aalen & Johansen."""
    counts, confidence = request.counts, request.confidence
    if request.name == "observed_to_expected":  # the PDs are given
        incidence = incidence_interval(replace(request, name="prevalence"), method)
        return incidence.over(mean_pd(counts), METRICS[request.name].value(counts))
    require(counts)
    at = Horizon.of(counts if method == "jackknife" else replace(counts, groups=None))
    number = incidence_number(counts)
    found = at.estimates([number], apart=False)
    if isinstance(found, LeftOut):
        share = Statistic(number.value, number.of_samples, found.groups)
        return interval_left_out(found, share, confidence).with_notes(WITHOUT_EACH)
    se, notes = found.se(), found.few()
    if method == "wald":
        own = ByError(number.value, se, confidence.t(found.freedom()))
        limits, cut = cut_at_ends(own.plain, UNIT_ENDS, "the prevalence")
        notes += cut
    else:  # of as many rows as would show the incidence as well if all were followed
        followed = float(at.times.rows(~at.known.unknown))
        rows = number.value * (1 - number.value) / se**2 if se > 0 else followed
        limits = around(limits_of_rate(number.value, rows, method, confidence), number.value)
    return confidence.interval(number.value, limits, UNIT_ENDS, method, se, notes)

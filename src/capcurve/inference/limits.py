"""Limits made of an estimate and what is known of its spread, whatever design found that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes, LeftOut, OfSamples
from capcurve.inference.rates import limits_of_rate
from capcurve.inference.records import Confidence, Interval, Limits, Unseen, in_metric
from capcurve.metrics import METRICS
from capcurve.numbers.types import Bools, Floats
from capcurve.show.format import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import ScoreCounts

# One AUC, or those of many segments, shape (G,), with the sizes of each.
Real = TypeVar("Real", float, Floats)
# Of a share, a rate or an AUC.
UNIT_ENDS = (0.0, 1.0)
# Simulated: with so many one-sided limits hold in samples of 8 to 600 positives, AUCs up to .99.
SHAPE_CASES = 5
# Simulated: with a larger share the limits of 3 to 8 cases become useless, with a smaller one they
# fail where 12% of the positives stand at the bottom.
MOST_UNSEEN = 0.2
UNSEEN_WEIGHTS = (
    "the interval allows for an unseen row of each class as heavy as the heaviest that were seen "
    "of either class. Where the sample has no row of a stratum with heavier ones, it is too "
    "narrow"
)
# How a note on such a kind begins.
UNSEEN_KIND = "if 1 in "
# From so many effective cases on, decimals say nothing.
MANY_EFFECTIVE_CASES = 100
# Simulated: a kind so large that samples lack it this many times as often as a limit may miss is
# enough, as not every such sample has a limit that misses.
TIMES_THE_TAIL = 1.5


@dataclass(frozen=True, slots=True)
class Chance:
    """A share such as an AUC, the chance to win a pair, and its lack to 1: each rounded once."""

    # Their sum is 1, but near 1 the chance to lose keeps digits that 1 - AUC has lost.

    won: float
    lost: float

    @classmethod
    def of(cls, share: float) -> Chance:
        """Return a share of which no more digits are known."""
        return cls(share, 1 - share)


@dataclass(frozen=True, slots=True)
class ByError:
    """A number between two ends with its standard error: limits on the scale itself and another."""

    value: float
    se: float
    t: float  # the quantile
    ends: Limits = (0.0, 1.0)
    lack: float | None = None  # what the number lacks to the upper end, where it has more digits

    @property
    def plain(self) -> Limits:
        """Limits symmetric about the number, which may lie beyond the ends."""
        return self.value - self.t * self.se, self.value + self.t * self.se

    @property
    def scaled(self) -> Limits | None:
        """Limits symmetric in the log odds between ends, or the logarithm above the lower one."""
        # None where the number is at an end, or there are none. Between -1 and 1 they are those
        # symmetric on the scale of the inverse hyperbolic tangent (Fisher).
        # Perme & Manevski (2019), Stat. Methods Med. Res. 28(12).
        least, most = self.ends
        above, below = self.value - least, most - self.value if self.lack is None else self.lack
        if not (np.isfinite(least) and above > 0 and below > 0):
            return None
        if not np.isfinite(most):
            with np.errstate(over="ignore"):  # the limits are then the end and infinity
                reach = float(np.exp(self.t * self.se / above))
            return least + above / reach, least + above * reach
        width = most - least
        low, high = on_log_odds(above, below, self.t * self.se * width / above / below)
        return least + width * float(low), most - width * float(high)

    @property
    def steady(self) -> Limits:
        """The scaled limits, none of which is farther off than a worse number would have it."""
        # Nearer to an end than a few standard errors those would move away as the number improves.
        least, most = self.ends
        reach, near = self.t * self.se, (self.value, self.value)
        if np.isfinite(least + most):
            part = reach / (most - least)
            turning = (1 - 2 * part + float(np.hypot(1.0, 2 * part))) / 2 * (most - least)
            near = min(self.value, least + turning), max(self.value, most - turning)
        elif np.isfinite(least):
            near = self.value, max(self.value, least + reach)
        found = [replace(self, value=value, lack=None).scaled or self.plain for value in near]
        return found[0][0], found[1][1]

    def joined(self, cases: float, confidence: Confidence) -> Limits:
        """Return the envelope of both; at an end, or without an error, a rate of so many cases."""
        found = self.scaled if self.se > designs.ERROR_ROUNDING else None
        if found is None:
            found = limits_of_rate(self.value, cases, "clopper_pearson", confidence)
        return envelope(self.plain, found)


def on_log_odds(above: Real, below: Real, half: Real) -> tuple[Real, Real]:
    """Return limits symmetric in the log odds: the distances of each from the end nearer to it."""
    from scipy.special import expit

    middle = np.log(above) - np.log(below)
    return expit(middle - half), expit(-middle - half)


def newcombe(auc: Chance, sizes: ClassSizes, z: float) -> Limits:
    """Return the AUCs that lie z of their own standard errors away from the estimate."""
    # Newcombe (2006), Stat. Med. 25, 559-573, method 5; defined for an AUC of 0 or 1 too.
    return score_limits(auc, lambda won, lost: newcombe_variance(won, lost, sizes), z)


def score_limits(auc: Chance, variance: Callable[[float, float], float], z: float) -> Limits:
    """Return the AUCs that lie z of the standard errors away that samples of theirs have."""
    # `variance` takes an AUC and what it lacks to 1.

    def too_far(distance: float, won: float, lost: float) -> bool:
        return distance**2 > z * z * variance(won, lost)

    # Each limit is sought by its distance from the nearer end, so that it keeps its digits.
    low = crossing(lambda a: too_far(auc.won - a, a, 1 - a), auc.won)
    high = 1 - crossing(lambda b: too_far(auc.lost - b, 1 - b, b), auc.lost)
    return low, high


def share_unseen(size: float, tail: float) -> float:
    """Return the most of a class that a kind may be of which none of `size` cases is.

    The upper limit of a rate of which none was seen (Clopper & Pearson 1934, Biometrika 26), up to
    `MOST_UNSEEN`. Of 100 cases with 5% left out on one side:

    >>> round(share_unseen(100, 0.05), 4)
    0.0295
    """
    return min(1 - float(tail ** (1 / size)), MOST_UNSEEN)


def kind_unseen(share: float, cases: float, positives: bool, rank: str) -> str:
    """Say that so much of the rarer class were of a kind of which none of its cases is.

    >>> kind_unseen(0.12, 16.3, True, "below")
    'if 1 in 8 positives were of a kind that none of these 16.3 effective positives is, ranked \
below all negatives'
    """
    rarer, others = ("positives", "negatives") if positives else ("negatives", "positives")
    of = f"{cases:,.0f}"
    if abs(cases - round(cases)) >= designs.ERROR_ROUNDING * cases:
        of = f"{cases:,.{int(cases < MANY_EFFECTIVE_CASES)}f} effective {rarer}"
    where = f"{rank} all {others}" if rank in {"below", "above"} else rank
    kind = f"{1 / share:,.0f} {rarer} were of a kind that none of these {of} is"
    return f"{UNSEEN_KIND}{kind}, ranked {where}"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What limits allow for a kind of the rarer class that was not seen, and how a note says it."""

    # Such cases rank at random where limits have two sides, as for any other number, and last in a
    # certificate, which one-sided limits are, and where that is asked for.
    rule: Unseen | Literal["certificate"] | None = None
    metric: str = "roc_auc"
    times: float = 1.0  # by how much the number is larger than the share of pairs that are won
    at_random: float = 0.5  # what cases that rank at random win

    def extended(
        self, found: Interval, chance: Chance, sizes: ClassSizes, confidence: Confidence
    ) -> Interval:
        """Return an interval of a share of pairs that are won, moved out by what is allowed for."""
        rule = self.rule or (None if confidence.side == "both" else "certificate")
        if rule == "none":
            return found
        tail = confidence.tail * (TIMES_THE_TAIL if rule == "certificate" else 1)
        missing = share_unseen(sizes.rarer, tail)
        at_random = chance.won + missing * (self.at_random - chance.won)
        last = chance.won * (1 - missing), 1 - chance.lost * (1 - missing)
        last = confidence.opened(last, found.limits)
        low, high = envelope(found.limits, last if rule else (at_random, at_random))
        moved, down = replace(found, low=low, high=high), last[0] < (found.low if rule else low)
        if not down and not (rule and high > found.high):
            return moved
        positives = sizes.positives <= sizes.negatives
        rank = "below" if down == positives else "above"
        kind = kind_unseen(missing, sizes.rarer, positives, rank)
        label = METRICS[self.metric].label
        if rule:
            side = "lower" if down else "upper"
            return moved.with_notes(f"the {side} limit is what the {label} would be {kind}")
        value = number(self.times * in_metric(last[0], self.metric))
        return moved.with_notes(f"{kind}, the {label} could be {value}")


PLAIN_ALLOWANCE, CERTIFICATE = Allowance(), Allowance("certificate")


def newcombe_variance(won: Real, lost: Real, sizes: ClassSizes) -> Real:
    """Return the variance that exponential scores of such an AUC have, both classes pooled."""
    n1, n0 = sizes
    extra = (n1 + n0) / 2 - 1
    spread = 1 + extra * (lost / (1 + lost) + won / (1 + won))
    return won * lost / n1 / n0 * spread


def observed_shape(chance: Chance, sizes: ClassSizes, parts: tuple[float, float]) -> ClassSizes:
    """Return by how much each class varies more than exponential scores of this AUC do."""
    # A sample that lacks the few cases which are ranked worst shows too little variance. So what it
    # shows counts for as many cases as are about in the wrong place, 2·min(A, 1 - A) of the rarer
    # class, and exponential scores (Hanley & McNeil 1982) for `SHAPE_CASES` further ones. The AUC
    # must not be 0 or 1.
    seen = 2 * smaller_first(chance.won, chance.lost)[0] * smaller_first(*sizes)[0]
    trust = seen / (seen + SHAPE_CASES)
    spreads = _exponential_spreads(chance.won, chance.lost, sizes)
    more = parts[0] * sizes.positives / spreads[0], parts[1] * sizes.negatives / spreads[1]
    return ClassSizes(*(1 + trust * (times - 1) for times in more))


def shaped_variance(won: Real, lost: Real, *, sizes: ClassSizes, shape: ClassSizes) -> Real:
    """Return the variance that exponential scores of such an AUC have, times a shape by class."""
    # Hanley & McNeil (1982), Radiology 143, eq. 1.
    positives, negatives = _exponential_spreads(won, lost, sizes)
    n1, n0 = sizes
    spread = (n0 - 1) * positives * shape.positives + (n1 - 1) * negatives * shape.negatives
    return (won * lost + spread) / n1 / n0


def _exponential_spreads(won: Real, lost: Real, sizes: ClassSizes) -> tuple[Real, Real]:
    """Return the variance of placements of positives and of negatives, Q2 - A² and Q1 - A²."""
    # Of exponential scores of an AUC above 1/2 that of positives is larger; here it is that of the
    # rarer class, and the same for a score that ranks the other way round.
    less, more = smaller_first(won, lost)
    wide, narrow = won * lost * more / (1 + more), won * lost * less / (1 + less)
    rare = sizes.positives <= sizes.negatives
    if isinstance(won, np.ndarray):
        return np.where(rare, wide, narrow), np.where(rare, narrow, wide)
    return (wide, narrow) if rare else (narrow, wide)


def smaller_first(one: Real, other: Real) -> tuple[Real, Real]:
    """Return two numbers, or each two of two arrays, the smaller first."""
    if isinstance(one, np.ndarray):
        return np.minimum(one, other), np.maximum(one, other)
    return (one, other) if one <= other else (other, one)


def crossing(is_far: Callable[[float], bool], near: float, within: float = 0.0) -> float:
    """Return the point in [0, near] up to which everything is far: bisected to the last bit."""
    # Or, with `within`, until no more than that is left to search.
    low, high = 0.0, near
    if not is_far(low):
        return low
    while high - low > within and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_far(middle) else (low, middle)
    return low


def crossings(is_far: Callable[[Floats], Bools], near: Floats) -> Floats:
    """Return the same of many at once, shape (G,)."""
    low, high = np.zeros_like(near), near
    sought = is_far(low)
    while True:
        middle = (low + high) / 2
        sought &= (low < middle) & (middle < high)
        if not sought.any():
            return low
        far = is_far(middle)
        low, high = np.where(sought & far, middle, low), np.where(sought & ~far, middle, high)


def percentiles(replicates: Floats, confidence: Confidence) -> Limits:
    """Return the quantiles of the replicates that leave one tail out on each side."""
    # Straight lines between order statistics: type 7 of Hyndman & Fan (1996).
    low, high = np.quantile(replicates, [confidence.tail, 1 - confidence.tail])
    return float(low), float(high)


def envelope(*several: Limits) -> Limits:
    """Return the smallest of the lower and the largest of the upper limits."""
    return min(low for low, _ in several), max(high for _, high in several)


def around(limits: Limits, estimate: float) -> Limits:
    """Return limits moved so that the estimate lies between them, as each estimate is possible."""
    return min(limits[0], estimate), max(limits[1], estimate)


def cut_at_ends(limits: Limits, ends: Limits, what: str) -> tuple[Limits, tuple[str, ...]]:
    """Return limits cut off at the ends of the scale, and a note for each that was."""
    low, high = limits
    notes = []
    if low < ends[0]:
        notes.append(f"the lower limit of {what} was {low:.4g}; cut off at {ends[0]:g}")
    if high > ends[1]:
        notes.append(f"the upper limit of {what} was {high:.4g}; cut off at {ends[1]:g}")
    return (min(max(low, ends[0]), ends[1]), max(min(high, ends[1]), ends[0])), tuple(notes)


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number between 0 and `top`, and how samples have it."""

    estimate: float
    of_samples: OfSamples
    groups: float  # how many groups of clusters hold the cases it is about
    top: float = 1.0  # limits are symmetric in ln(a/(1 - a)) of a = number/top


def jackknife_interval(
    counts: ScoreCounts, statistic: Statistic, confidence: Confidence
) -> Interval:
    """Return limits by leaving out groups of clusters, on the logit scale, with Student's t."""
    # Where leaving out a group shows no spread they are the Clopper-Pearson limits of as many cases
    # as there are groups.
    enough = statistic.groups >= designs.LEAST_GROUPS
    left = designs.leave_out(counts, statistic.of_samples) if enough else None
    return interval_left_out(left, statistic, confidence)


def interval_left_out(
    left: LeftOut | None, statistic: Statistic, confidence: Confidence
) -> Interval:
    """Return the same of what leaving out each group did; None where too few groups are left."""
    share, top = statistic.estimate / statistic.top, statistic.top
    if left is None or not 0 < share < 1 or left.se() <= designs.ERROR_ROUNDING * top:
        return without_spread(statistic, share, confidence)
    df, value, ends = left.freedom(statistic.groups), statistic.estimate, (0.0, top)
    found = ByError(value, left.se(), confidence.t(df), ends)
    notes = left.notes(df, statistic.groups)
    limits = around(found.scaled or found.plain, value)
    return confidence.interval(value, limits, ends, "jackknife", left.se(), notes)


def without_spread(statistic: Statistic, share: float, confidence: Confidence) -> Interval:
    """Return Clopper-Pearson limits for one case per group."""
    cases, top = max(statistic.groups, 1), statistic.top
    share = min(max(share, 0.0), 1.0)
    low, high = limits_of_rate(share, cases, "clopper_pearson", confidence)
    note = (
        f"leaving out groups of clusters shows no spread, so this interval is Clopper-Pearson's "
        f"for {cases:g} cases, one per group"
    )
    value, by = statistic.estimate, "clopper_pearson"
    limits = around((low * top, high * top), value)
    return confidence.interval(value, limits, (0.0, top), by, None, (note,))

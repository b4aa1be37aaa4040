"""Tests of differences: what is asked, the law that answers, and the limits that go with it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Self, cast, get_args

import numpy as np

from capcurve.inference import records
from capcurve.inference.designs import Estimates, chi_square, hotelling
from capcurve.inference.limits import CERTIFICATE, PLAIN_ALLOWANCE, Allowance
from capcurve.inference.records import Confidence, Interval, Limits, Test
from capcurve.inference.variances import careful_variance
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg, as_number, as_word, refused, word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.inference.family import Family
    from capcurve.numbers.types import Floats

    Limited = Callable[[Confidence], Interval]

Alternative = Literal["two-sided", "superior", "inferior", "non-inferior", "equivalent"]
NEED_A_MARGIN = ("non-inferior", "equivalent")
# Of correlations: directions with less spread than this are rounding, not spread.
RANK_TOLERANCE = 1e-10
# In standard errors: a difference where there is no spread, beyond rounding.
VISIBLE = 1e-6
# Normal quantiles end here: chances beyond it have no floating-point value.
FARTHEST_QUANTILE = 37.0
NEXT_TO_NOTHING = 1e-100
NO_SPREAD_OF_GROUPS = (
    "leaving out groups of clusters shows no spread; the variance is that of Hanley & McNeil half "
    "a pair inside, for as many cases as groups"
)
SAME_EVERYWHERE = (
    "the difference is the same in every segment, so it has no spread, and the p-value is that of "
    "its sign"
)
BEYOND = "a limit beyond the largest possible difference was moved to it"


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be shown about a difference, first less second."""

    # "two-sided": it is not zero; "superior": it is above the margin; "inferior": it is below minus
    # the margin; "non-inferior": it is above minus the margin; "equivalent": it lies within the
    # margin on both sides.

    alternative: Alternative
    margin: float = 0.0  # in the metric
    metric: str = "roc_auc"
    level: float | None = None  # of two-sided limits, if there are to be any
    # Of several differences all that their limits hold for at once, and how sure each is by itself.
    family: Family | None = None
    confidence: Confidence | None = None

    @property
    def allowance(self) -> Allowance:
        """What limits of independent samples allow for: a one-sided claim is a certificate."""
        return PLAIN_ALLOWANCE if self.alternative == "two-sided" else CERTIFICATE

    def of_family(self, family: Family) -> Question:
        """Return the question of each of several differences, whose limits hold for all at once."""
        level = None if self.level is None else family.confidence(self.level)
        return replace(self, family=family, confidence=level)


def ask(
    alternative: object,
    margin: float | None,
    metric: str,
    level: float | None = None,
    *,
    at_share: bool = False,
) -> Question:
    """Return the question, or raise ValueError when the words do not make one."""
    metric = records.as_metric(metric, or_influenced=True, or_at_share=at_share)
    as_word(alternative, "alternative", get_args(Alternative), quote="'")
    margin = None if margin is None else as_number(margin, "margin")
    if margin is not None and not 0 <= margin < math.inf:
        raise ValueError(
            f"{refused('margin')} be zero or more, got {margin}; {arg('alternative')} says "
            "in which direction"
        )
    if alternative == "two-sided" and margin is not None:
        raise ValueError(
            "a margin needs a direction: "
            + word(alternative=("superior", "inferior", "non-inferior", "equivalent"))
        )
    if alternative in NEED_A_MARGIN and not margin:
        raise ValueError(
            f"{word(alternative=alternative)} needs a margin above zero: the largest difference "
            "that does not matter"
        )
    return Question(cast("Alternative", alternative), float(margin or 0), metric, level)


def answer(
    question: Question, distance: Callable[[float], float], below: Callable[[float], float]
) -> tuple[float, float]:
    """Return the statistic and p-value of a question about a difference."""
    # `distance` is how far the difference lies above a value, as the law of the statistic counts
    # it, and `below` that law when nothing differs: symmetric about zero.
    margin, found = question.margin, distance
    if question.alternative == "two-sided":
        z = distance(0.0)
        return z, min(1.0, 2 * below(-abs(z)))
    if METRICS[question.metric].direction < 0:  # what is better is lower

        def distance(value: float) -> float:
            return -found(-value)

    if question.alternative == "superior":
        z = distance(margin)
        return z, below(-z)
    if question.alternative == "inferior":
        z = distance(-margin)
        return z, below(z)
    above_low = distance(-margin)
    if question.alternative == "non-inferior":
        return above_low, below(-above_low)
    below_high = distance(margin)
    # Two one-sided tests: the weaker of them decides.
    return min((above_low, below_high), key=abs), max(below(-above_low), below(below_high))


def holm(p_values: list[float]) -> list[float]:
    """Return p-values adjusted for being the smallest of many."""
    # Holm (1979), "A simple sequentially rejective multiple test procedure".
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


def law_of(df: float | None) -> Callable[[float], float]:
    """Return the distribution function of Student's t, or of the normal law."""
    from scipy.special import ndtr, stdtr

    return lambda x: float(ndtr(x) if df is None else stdtr(df, x))


def p_value_of(statistic: float, df: float | None, alternative: str) -> float:
    """Return how often chance alone reaches a statistic by Student's t, or the normal law."""
    below = law_of(df)
    if alternative == "two-sided":
        return 2 * below(-abs(statistic))
    return below(-statistic if alternative == "greater" else statistic)


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a weighted sum of AUCs, and how well it is known."""

    # At a value that lies d below the sum it is variance + 2d·shared + d²·relative.

    variance: float  # above zero, or zero where nothing can differ
    df: float | None  # of Student's t; None for the normal law
    method: str
    notes: tuple[str, ...]
    shared: float = field(default=0.0, kw_only=True)
    relative: float = field(default=0.0, kw_only=True)
    careful: bool = field(default=False, kw_only=True)  # whether the sample shows no spread at all

    def limits(self, difference: float, confidence: Confidence) -> Limits:
        """Return the limits of a difference: the values that lie within so many errors of it."""
        quantile = confidence.z if self.df is None else confidence.t(self.df)
        if self.variance == 0:
            return difference, difference
        left = 1 - quantile**2 * self.relative
        if left <= 0:
            return -math.inf, math.inf
        half = quantile * math.sqrt(left * self.variance + (quantile * self.shared) ** 2) / left
        middle = difference - quantile**2 * self.shared / left
        return middle - half, middle + half

    def distance(self, difference: float, value: float) -> float:
        """Return how many standard errors a difference lies above a value."""
        away = difference - value
        unit = max(1.0, abs(away))  # squares of larger numbers may be none
        part = away / unit
        variance = self.variance / unit / unit + 2 * part * self.shared / unit
        variance += part**2 * self.relative
        return part / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, away)


@dataclass(frozen=True, slots=True)
class BySigns(Spread):
    """The same of a difference that is equal in all drawn segments: there are signs alone."""

    reached: float  # the normal quantile that goes with the p-value

    @classmethod
    def of(cls, segments: int, notes: tuple[str, ...]) -> Self:
        """Return it for so many segments, in half of which chance alone gives either sign."""
        from scipy.special import ndtri

        reached = abs(float(ndtri(0.5**segments)))
        return cls(1.0, None, "signs", (*notes, SAME_EVERYWHERE), careful=True, reached=reached)

    def distance(self, difference: float, value: float) -> float:
        """Return the normal quantile that the signs reach."""
        return 0.0 if difference == value else math.copysign(self.reached, difference - value)


@dataclass(frozen=True, slots=True)
class ByLimits(Spread):
    """The same of a difference that has limits of its own, with which its test agrees."""

    def distance(self, difference: float, value: float) -> float:
        """Return the normal quantile at which a limit reaches a value."""
        return distance_by_limits(partial(self.limits, difference), difference, value)


@dataclass(frozen=True, slots=True)
class Joined(ByLimits):
    """The same of two AUCs, each with limits of its own, which the difference joins (MOVER)."""

    # The distance from a lower limit to the difference is the hypotenuse of those from the lower
    # limit of the first to it and from the second to its upper limit: Zou & Donner (2008), Stat.
    # Med. 27; Newcombe (1998), Stat. Med. 17, method 10. So each sample keeps its own uneven
    # limits.

    first: Limited
    second: Limited

    def limits(self, difference: float, confidence: Confidence) -> Limits:
        """Return the limits of the difference."""
        both = Confidence.at(confidence.z)
        one, two = self.first(both), self.second(both)
        down = math.hypot(one.estimate - one.low, two.high - two.estimate)
        up = math.hypot(one.high - one.estimate, two.estimate - two.low)
        return difference - down, difference + up


def distance_by_limits(
    limits: Callable[[Confidence], Limits], estimate: float, value: float
) -> float:
    """Return the normal quantile at which limits that grow with it reach a value."""
    # Above zero where the estimate lies above the value. Limits at this quantile just touch the
    # value, so that a test rejects if and only if it lies outside the limits of the same level.
    from scipy.optimize import brentq

    if estimate == value:
        return 0.0
    side, sign = (0, 1.0) if estimate > value else (1, -1.0)

    def beyond(z: float) -> float:
        left = sign * ((limits(Confidence.at(z))[side] if z > 0 else estimate) - value)
        return left or -NEXT_TO_NOTHING  # limits that stay at the value have reached it

    if not beyond(FARTHEST_QUANTILE) < 0:
        return sign * FARTHEST_QUANTILE
    return sign * float(brentq(beyond, 0.0, FARTHEST_QUANTILE, xtol=1e-12))


def difference_test(
    name: str,
    aucs: Mapping[str, float],
    difference: float,
    spread: Spread,
    question: Question,
    method: str,
) -> Test:
    """Return the test of a difference of AUCs, in the metric that was asked for."""
    factor = records.factor_of(question.metric, or_influenced=True)
    # Where no sample could show a difference.
    statistic, p_value = (math.inf, 0.0) if question.alternative in NEED_A_MARGIN else (0.0, 1.0)
    if spread.variance > 0:
        statistic, p_value = answer(
            question, lambda value: spread.distance(difference, value / factor), law_of(spread.df)
        )
    low = high = adjusted = None
    notes, family = spread.notes, question.family
    if family is not None:
        adjusted = family.adjusted(p_value, one_sided=question.alternative != "two-sided")
    signs = isinstance(spread, BySigns)
    if question.level is not None and not signs:
        confidence = question.confidence or Confidence(question.level)
        (low, high), beyond = scaled_limits(spread, difference, confidence, question.metric)
        notes = (*notes, *beyond)
    return Test(
        name=name,
        statistic=statistic,
        p_value=p_value,
        p_adjusted=adjusted,
        method=method,
        alternative=question.alternative,
        df=spread.df,
        estimate=factor * difference,
        se=None if signs else factor * math.sqrt(spread.variance),
        low=low,
        high=high,
        level=question.level,
        metric=question.metric,
        estimates={each: records.in_metric(auc, question.metric) for each, auc in aucs.items()},
        notes=notes,
    )


def scaled_limits(
    spread: Spread, difference: float, confidence: Confidence, metric: str
) -> tuple[Limits, tuple[str, ...]]:
    """Return the limits of a difference of AUCs in a metric, and a note if one was cut off."""
    most = METRICS[metric].width
    low, high = (
        records.factor_of(metric, or_influenced=True) * limit
        for limit in spread.limits(difference, confidence)
    )
    notes = (BEYOND,) if low < -most or high > most else ()
    return (max(low, -most), min(high, most)), notes


def spread_along(
    found: Estimates, weights: Sequence[float], without_spread: str, *, apart: bool = False
) -> tuple[float, Spread]:
    """Return a weighted sum of AUCs, perhaps of different rows (`apart`), and its spread."""
    # Where nothing moves the sum although it is not zero by itself, the variance is a careful one,
    # and `without_spread` is noted.
    row = np.array([weights], dtype=np.float64)
    alone = found.along(row)
    effect, variance, notes = float(alone.values[0]), float(alone.variances()[0]), found.few()
    # Of the same rows nothing can differ where scores rank alike; of others chance may still.
    still = apart and not found.variances()[row[0] != 0].any()
    careful = variance == 0 and (effect != 0 or found.too_few or row.sum() != 0 or still)
    if careful:
        variance = float((row[0] ** 2 * _careful(found)).sum())
        notes = (*notes, without_spread)
    shared, relative = alone.off_centre()
    also = {"shared": shared, "relative": relative}
    return effect, Spread(variance, alone.freedom(), found.method, notes, careful=careful, **also)


def _careful(found: Estimates) -> Floats:
    """Return a variance above zero, as if of as many cases as independent parts."""
    # Of AUCs that of `careful_variance`, of other metrics the largest that their range allows.
    n1, n0 = max(found.sizes.positives, 1), max(found.sizes.negatives, 1)
    if found.width is not None:
        return np.full(len(found.values), (found.width / 2) ** 2 / min(n1, n0))
    return np.array([careful_variance(float(auc), n1, n0) for auc in found.values])


@dataclass(frozen=True, slots=True)
class Quadratic:
    """Whether several weighted sums of AUCs are all zero: e'S⁺e, its rank and its law."""

    effects: Floats
    statistic: float
    rank: int
    p_value: float
    law: str
    spreads: bool  # whether the sample shows a spread wherever the sums are not zero


def quadratic_test(found: Estimates, rows: Floats, *, normal: bool = False) -> Quadratic:
    """Return the test that every row of a contrast is zero."""
    # DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, eq. 5, with the pseudo-inverse and its
    # rank as degrees of freedom, so that rows may repeat each other. The law is Hotelling's, or
    # chi-square as theirs if `normal`.
    along = found.along(rows)
    statistic, rank, spreads = quadratic(along.values, along.covariance())
    if not spreads:
        statistic, rank, _ = quadratic(along.values, (rows * _careful(found)) @ rows.T)
    if normal:
        p_value, law = chi_square(statistic, rank)
    else:
        p_value, law = hotelling(statistic, rank, found.most_freedom())
    return Quadratic(along.values, statistic, rank, p_value, law, spreads)


def as_contrast(contrast: ArrayLike | None, scores: int) -> Floats:
    """Return the rows of a contrast, one column per score; all scores equal when left out."""
    if contrast is None:
        return np.hstack([np.ones((scores - 1, 1)), -np.eye(scores - 1)])
    rows = np.atleast_2d(np.asarray(contrast, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != scores or not len(rows):  # noqa: PLR2004 - a matrix
        raise ValueError(f"contrast must have {scores} columns, one per score; got {rows.shape}")
    if not np.isfinite(rows).all() or not rows.any(axis=1).all():
        raise ValueError("every row of contrast must hold finite weights, not all zero")
    off = np.abs(rows.sum(axis=1)) > 1e-9 * np.abs(rows).sum(axis=1)
    if off.any():
        raise ValueError(
            f"the weights in row {int(np.flatnonzero(off)[0]) + 1} of contrast add up to "
            f"{rows.sum(axis=1)[off][0]:g}; only weights that add up to 0 compare scores"
        )
    return rows


def quadratic(effects: Floats, spread: Floats) -> tuple[float, int, bool]:
    """Return e'S⁺e, the rank of S, and whether S spreads wherever e is not zero."""
    scale = np.sqrt(np.diag(spread))
    has = scale > 0
    if effects[~has].any():
        return 0.0, 0, False
    if not has.any():
        return 0.0, 0, True
    scale = scale[has]
    values, vectors = np.linalg.eigh(spread[np.ix_(has, has)] / np.outer(scale, scale))
    along = vectors.T @ (effects[has] / scale)
    kept = values > RANK_TOLERANCE * values.max()
    seen = bool((np.abs(along[~kept]) <= VISIBLE * max(1.0, float(np.abs(along).max()))).all())
    return float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum()), seen

"""Limits of a rate, the gains table with those of each bin or grade, and two rates compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from capcurve.gate.taking import about_classes
from capcurve.inference.designs import require_rows
from capcurve.inference.records import Confidence, Interval, Limits, Side
from capcurve.numbers.arguments import as_number, as_word
from capcurve.show.columns import formed
from capcurve.show.format import stated_percent
from capcurve.show.table import Table
from capcurve.tables import gains_table
from capcurve.tables.gains import ends_of_bins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from capcurve.counts import ScoreCounts
    from capcurve.numbers.types import Array, Bools, Floats

MOST_TRIALS = 1e15  # quantiles of the beta distribution are known to so many
LIMIT_HALVINGS = 32  # halving the search for a limit so often leaves no digit to find
NORMAL_VARIANCE = 1e10  # the variance of a count from which on the normal law is as near as need be
RateMethod = Literal["jeffreys", "clopper_pearson", "wilson", "mid_p"]
# What its methods are called.
RATE_LIMITS = {
    "jeffreys": "Jeffreys",
    "clopper_pearson": "Clopper-Pearson",
    "wilson": "Wilson",
    "mid_p": "mid-P",
}
RatesMethod = Literal["mid_p", "z", "fisher"]
# A tail adds nothing beyond so many standard deviations, and cases; none reaches the second.
NEAR_DEVIATIONS, FAR_DEVIATIONS, TAIL_CASES = 10.0, 45.0, 100.0
RELATIVE = 1e-9  # chances that differ by less of themselves are equal: they differ by rounding
RATES_OF_CLUSTERS = (
    "the rows are clustered, and these intervals treat them as independent, so they are too narrow"
)


def rate_interval(
    successes: float,
    trials: float,
    method: RateMethod = "jeffreys",
    *,
    level: float = 0.95,
    side: Side = "both",
) -> Interval:
    """Return the confidence interval of a rate, given how many of how many were positive.

    In [0, 1], the estimate x/n inside. Raises `ValueError` without trials, for more successes than
    trials, an unknown method, level or side.

    Parameters
    ----------
    successes
        Cases that are positive.
    trials
        All cases.
    method
        "jeffreys" (quantiles of Beta(x + 1/2, n - x + 1/2), 0 at x = 0 and 1 at x = n),
        "clopper_pearson" (never covers too little, often too much), "wilson" or "mid_p" (as
        Clopper & Pearson, but x itself counts half: between both in width).
    level
        Confidence level of the interval.
    side
        "both", or "lower" or "upper" for a one-sided limit.

    Notes
    -----
    Brown, Cai & DasGupta (2001), "Interval estimation for a binomial proportion"; mid-P: Lancaster
    (1961), JASA 56.

    Examples
    --------
    No default among 3 obligors: the rate whose chance of that is 2.5% is 1 - 0.025^(1/3).

    >>> found = rate_interval(0, 3, "clopper_pearson")
    >>> found.low, round(found.high, 6), round(1 - 0.025 ** (1 / 3), 6)
    (0.0, 0.707598, 0.707598)
    """
    successes, trials = as_number(successes, "successes"), as_number(trials, "trials")
    if trials > MOST_TRIALS:
        raise ValueError(f"trials must be {MOST_TRIALS:g} at most, got {trials:g}")
    confidence = Confidence(level, side)
    low, high = rate_limits(successes, trials, method, confidence)
    rate = successes / trials
    return Interval(float(low), rate, float(high), confidence.level, method, rate_se(rate, trials))


def rate_se(rate: float, trials: float) -> float | None:
    """Return the standard error of a rate; None for a rate of 0 or 1, which shows none."""
    return float(np.sqrt(rate * (1 - rate) / trials)) if 0 < rate < 1 else None


@lru_cache(1000)  # thresholds between which no score is ask for those of one rate
def limits_of_rate(rate: float, cases: float, method: str, confidence: Confidence) -> Limits:
    """Return both limits of one rate; the envelope is that of Wilson's and mid-P ones."""
    low, high = limits_of_rates([rate], [cases], method, confidence)
    return float(low[0]), float(high[0])


def limits_of_rates(
    rates: ArrayLike, cases: ArrayLike, method: str, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return both limits of many rates at once."""
    # Wilson's alone cover 84% of a rate of 0.18/n, mid-P ones 91.7% of 3.07/n; the envelope covers
    # 92.2% and more of every rate and number of cases.
    several = ("wilson", "mid_p") if method == "envelope" else (method,)
    rate, n = np.asarray(rates, dtype=np.float64), np.asarray(cases, dtype=np.float64)
    found = [both_limits(rate * n, n, cast("RateMethod", m), confidence) for m in several]
    low, high = found[0]
    for below, above in found[1:]:  # NaN where a tail is so small that they are not known
        low, high = np.where(below < low, below, low), np.where(above > high, above, high)
    return low, high


def rate_limits(
    successes: ArrayLike, trials: ArrayLike, method: RateMethod, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return lower and upper limits of many rates at once, each of the arrays' shape."""
    low, high = both_limits(successes, trials, method, confidence)
    return confidence.opened((low, high), (np.zeros_like(low), np.ones_like(high)))


def both_limits(
    successes: ArrayLike, trials: ArrayLike, method: RateMethod, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return the limits on both sides, each missing with the chance that one tail may."""
    from scipy.special import betainccinv, betaincinv

    x, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    if not ((n > 0) & (x >= 0) & (x <= n)).all():
        raise ValueError("a rate needs at least one trial, and successes from none to all of them")
    as_word(method, "the method for a rate", get_args(RateMethod), quote="'")
    tail = confidence.tail
    if method == "jeffreys":
        a, b = x + 0.5, n - x + 0.5
        low, high = betaincinv(a, b, tail), betainccinv(a, b, tail)
    elif method == "clopper_pearson":
        # The ends are set afterwards; one in place of zero keeps the functions defined there.
        low = betaincinv(np.where(x > 0, x, 1), n - x + 1, tail)
        high = betainccinv(x + 1, np.where(x < n, n - x, 1), tail)
    elif method == "wilson":
        square = confidence.z**2
        middle = (x + square / 2) / (n + square)
        reach = confidence.z * np.sqrt(x * (n - x) / n + square / 4) / (n + square)
        low, high = middle - reach, middle + reach
    else:
        low, far = _mid_p_lower(np.array(np.broadcast_arrays(x, n - x)), n, tail)
        high = 1 - far
    # Of parts of a case Jeffreys' quantiles may lie on one side of the rate.
    low, high = np.minimum(low, x / n), np.maximum(high, x / n)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def _mid_p_lower(x: Floats, n: Floats, tail: float) -> Floats:
    """Return the rates of which x or more are seen with this chance, x itself counting half."""
    from scipy.special import betaincinv

    # Counting x half leaves at least half the chance that Clopper & Pearson have.
    some = np.where(x > 0, x, 1)
    low, high = (betaincinv(some, n - x + 1, chance) for chance in (tail, 2 * tail))
    for _ in range(LIMIT_HALVINGS):
        middle = (low + high) / 2
        rare = mid_p(x, n, middle) < tail
        low, high = np.where(rare, middle, low), np.where(rare, high, middle)
    return np.asarray(low)


def mid_p(x: Floats, n: Floats | float, rate: Floats | float) -> Floats:
    """Return the chance of more than x of n cases, and half that of x itself."""
    # Parts of a case are allowed, as the incomplete beta function has them.
    from scipy.special import betainc

    # One in place of zero keeps the functions defined at the ends.
    some = np.where(x > 0, betainc(np.where(x > 0, x, 1), n - x + 1, rate), 1.0)
    more = np.where(x < n, betainc(x + 1, np.where(x < n, n - x, 1), rate), 0.0)
    return np.asarray((some + more) / 2)


def deviates(x: Floats, n: Floats | float, rate: float) -> Floats:
    """Return how many standard deviations of a normal law x of n is as unlikely as, by mid-P."""
    # Where cases are so many that mid-P differs by less than 1e-5 the normal law itself is taken.
    from scipy.special import ndtri

    variance = np.asarray(n * rate * (1 - rate))
    many = variance > NORMAL_VARIANCE
    few = np.asarray(ndtri(mid_p(np.where(many, 0.0, x), np.where(many, 1.0, n), rate)))
    return np.where(many, (n * rate - x) / np.sqrt(np.where(many, variance, 1.0)), few)


@about_classes("gains_table")
def rate_table(
    counts: ScoreCounts,
    *,
    bins: int | str | Sequence[Any] = "score",
    method: RateMethod = "jeffreys",
    level: float = 0.95,
    side: Side = "both",
) -> Table:
    """Return the gains table with the confidence interval of each rate.

    The columns of `gains_table` and, beside the rate, rate_low and rate_high; NaN for a bin without
    cases. Raises `ValueError` as `gains_table` and `rate_interval`, and for weights without a
    `weight_kind`.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    bins
        As in `gains_table`; one per grade or distinct score when left out.
    method
        "jeffreys", "clopper_pearson", "wilson" or "mid_p", as in `rate_interval`.
    level
        Confidence level of each interval taken by itself.
    side
        "both", or "lower" or "upper" for one-sided limits: a PD below the lower one is too low by
        the ECB's test of a grade, p < 1 - level.

    Notes
    -----
    Rows of one cluster are treated as independent, and the table's note says so. Weighted rows
    count as (Σw)²/Σw² cases of their bin: Korn & Graubard (1998), Survey Methodology 24.

    Examples
    --------
    No positive among 3 cases of the lower grade: at most 1 - 0.025^(1/3) by Clopper-Pearson.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([2, 1], [2, 0], [2, 3])
    >>> table = rate_table(counts, method="clopper_pearson")
    >>> table["rate_low"].round(4).tolist(), table["rate_high"].round(4).tolist()
    ([0.0676, 0.0], [0.9324, 0.7076])
    """
    require_rows(counts)
    confidence = Confidence(level, side)
    table = gains_table(counts, bins=bins)
    cases = cases_in_bins(counts, ends_of_bins(counts, bins)[0], np.asarray(table["n"]))
    full = cases > 0
    low, high = (np.full(len(table), np.nan) for _ in range(2))
    rate = np.minimum(np.asarray(table["rate"])[full], 1.0)
    low[full], high[full] = rate_limits(rate * cases[full], cases[full], method, confidence)
    columns = {}
    for name, column in table.columns.items():
        columns[name] = column
        if name == "rate":
            columns |= {"rate_low": low, "rate_high": high}
    limits = "intervals" if side == "both" else f"one-sided {side} limits"
    said = f"rates with {stated_percent(confidence.level)} {RATE_LIMITS[method]} {limits}"
    if counts.groups is not None:
        said = f"{said}; {RATES_OF_CLUSTERS}"
    columns = formed(columns, share="rate_low rate_high")
    return Table("rates", columns, said if table.note is None else f"{table.note}; {said}")


def cases_in_bins(counts: ScoreCounts, ends: Array, sums: Array) -> Floats:
    """Return how many equally weighted cases each bin is like."""
    if counts.weights is None:
        return sums.astype(np.float64)
    roots = (counts.weights.positive_roots, counts.weights.negative_roots)
    largest = float(max(each.max() for each in roots))
    squares = np.cumsum((roots[0] / largest) ** 2 + (roots[1] / largest) ** 2)
    of_bins = np.diff(np.append(0.0, squares)[np.append(0, ends)])
    cases = np.zeros(len(sums))
    np.divide((sums / largest) ** 2, of_bins, out=cases, where=of_bins > 0)
    return cases


# Two rates compared: the hypergeometric law at any size, and limits of their difference.


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Positives and cases of two groups, whole numbers."""

    positives: int
    cases: int
    other_positives: int
    other_cases: int


def one_sided(groups: TwoGroups, method: RatesMethod = "mid_p") -> tuple[float, float]:
    """Return the chance of so high a rate of the first group if rates are equal, and of so low.

    Given all positives, those of the first group follow the hypergeometric law if rates are equal.
    Mid-p: Lancaster (1961), JASA 56. Two positives among two cases of each group, both in the
    first: 1 dealing of 6, counted half.

    >>> high, low = one_sided(TwoGroups(2, 2, 0, 2))
    >>> round(12 * high, 12), round(12 * low, 12)
    (1.0, 11.0)
    """
    as_word(method, "method", get_args(RatesMethod), mark=";")
    if method == "z":
        return _pooled_z(groups)
    more, same, fewer = _chances(groups)
    counted = same if method == "fisher" else same / 2
    return min(1.0, more + counted), min(1.0, fewer + counted)


def are_distinct(
    positives: Array, cases: Array, other_positives: Array, other_cases: Array, *, level: float
) -> Bools:
    """Return whether the one-sided mid-p of each of many pairs of groups is at most a level.

    >>> ones = np.array([1])
    >>> are_distinct(2 * ones, 2 * ones, 0 * ones, 2 * ones, level=1 / 12).tolist()
    [True]
    """
    from scipy.special import gammaln

    columns = (positives, cases, other_positives, other_cases)
    a, n, b, m = (np.asarray(column, dtype=np.float64) for column in columns)
    k = a + b

    def chosen(size: Floats, some: Floats) -> Floats:
        return np.asarray(gammaln(size + 1) - gammaln(some + 1) - gammaln(size - some + 1))

    chance = np.exp(chosen(n, a) + chosen(m, b) - chosen(n + m, k))
    # Far above its mean the chance is no float and no tail is left; far below it the tail is all.
    found: Bools = (chance == 0) & (a * m > b * n)
    waiting = np.flatnonzero(chance > 0)
    x, term, total = (column[waiting] for column in (a, np.ones_like(a), np.full_like(a, 0.5)))
    while len(waiting):
        size, other, both = n[waiting], m[waiting], k[waiting]
        ratio = (size - x) * (both - x) / ((x + 1) * (other - both + x + 1))
        term, x = term * ratio, x + 1
        total = total + term
        # Ratios fall, so what follows is less than a geometric series.
        rest = np.where(ratio < 1, term * ratio / np.where(ratio < 1, 1 - ratio, 1), np.inf)
        high = chance[waiting] * (total + rest) <= level * (1 + RELATIVE)
        low = chance[waiting] * total > level * (1 + RELATIVE)
        found[waiting[high]] = True
        left = ~(high | low)
        waiting, x, term, total = waiting[left], x[left], term[left], total[left]
    return found


def two_sided(groups: TwoGroups) -> float:
    """Return twice the smaller mid-p, at most 1."""
    return min(1.0, 2 * min(one_sided(groups)))


def _pooled_z(groups: TwoGroups) -> tuple[float, float]:
    """Return both tails of the normal law: 1/2 each where all cases are of one class."""
    from scipy.special import ndtr

    n, m = groups.cases, groups.other_cases
    positives = groups.positives + groups.other_positives
    # Whole numbers are subtracted exactly.
    difference = groups.positives * m - groups.other_positives * n
    variance = positives * (n + m - positives) * n * m
    z = difference * math.sqrt((n + m) / variance) if variance else 0.0
    return float(ndtr(-z)), float(ndtr(z))


def _chances(groups: TwoGroups) -> tuple[float, float, float]:
    """Return the chance of more positives in the first group, of as many, and of fewer."""
    # The hypergeometric law, built up from ratios of neighbours: factorials of 10^9 have
    # logarithms of 2·10^10, whose differences keep few digits.
    n, m, k = groups.cases, groups.other_cases, groups.positives + groups.other_positives
    total = max(n + m, 1)
    mean, rate = n * k / total, k / total
    spread, apart = math.sqrt(n * (m / total) * rate * (1 - rate)), abs(groups.positives - mean)
    reach = min(apart + NEAR_DEVIATIONS * spread, FAR_DEVIATIONS * spread) + TAIL_CASES
    least, most = max(0, k - m, int(mean - reach)), min(n, k, int(mean + reach))
    x = np.arange(least, most + 1, dtype=np.float64)
    odds = (n - x[:-1]) * (k - x[:-1]) / (x[1:] * (m - k + x[1:]))
    logs = np.append(0.0, np.cumsum(np.log(odds)))
    chances = np.exp(logs - logs.max())
    sides = (x > groups.positives, x == groups.positives, x < groups.positives)
    more, same, fewer = (float(chances[own].sum() / chances.sum()) for own in sides)
    return more, same, fewer


def limits_of_difference(
    positives: tuple[ArrayLike, ArrayLike],
    cases: tuple[ArrayLike, ArrayLike],
    confidence: Confidence,
) -> tuple[Floats, Floats]:
    """Return limits of the differences of rates, first less second; shape (pairs,) each.

    Newcombe (1998), Stat. Med. 17, 873-890, method 10: Wilson's limits of both rates, joined. The
    first example of that paper, 56 of 70 and 48 of 80:

    >>> counts = [tuple(map(np.array, each)) for each in (([56], [48]), ([70], [80]))]
    >>> low, high = limits_of_difference(*counts, Confidence(0.95))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0524], [0.3339])
    """
    pairs = list(zip(positives, cases, strict=True))
    rate, other = (np.asarray(p) / np.asarray(n) for p, n in pairs)
    (low, high), (other_low, other_high) = (both_limits(*p, "wilson", confidence) for p in pairs)
    below = np.hypot(rate - low, other_high - other)
    above = np.hypot(high - rate, other - other_low)
    return rate - other - below, rate - other + above

"""Whether rates of positives fall from grade to grade, or rise somewhere by more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import require
from capcurve.gate.given import counts_alike
from capcurve.gate.taking import takes_counts
from capcurve.inference.records import Test
from capcurve.show.format import cutoff_text
from capcurve.tables.gains import ends_of_bins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.counts import Ranking
    from capcurve.numbers.types import Floats, Ints

    Outcomes = tuple[Ints, Floats]

# Up to so many distinct scores each counts as a grade; more are looked at in bins.
MOST_GRADES = 50
USUAL_GRADE_BINS = 10
MOST_TESTED_BINS = 1000  # time grows with grades times cases; nobody reads more grades than these
# Up to so large a variance of the number of positives all dealings are counted. Beyond it they
# follow the law of large samples where no grade is small: those of less join a neighbour.
COUNTED_VARIANCE, LEAST_VARIANCE = 5000.0, 25.0
# How far the positives of a grade may lie from their mean: standard deviations, and cases.
FARTHEST_POSITIVES = (8.0, 15)
NEGLIGIBLE = 1e-18  # dealings less likely than this beside the likeliest one are left out
# Up to so many different outcomes, found in so many steps, their chances are added; beyond it a
# gamma law stands for them. With less variance, in parts of the squared mean, there is one outcome.
MOST_OUTCOMES, MOST_SUMS = 1000, 20_000
ONE_OUTCOME = 1e-9
# Chi-square in whole steps, so that equal ones are found: of so few cases 50 bits hold it.
CHI_SQUARE_STEP, STEP_BITS, MOST_STEPPED_CASES = 2.0**-30, 50, 1 << 20
# Simulated: where chi-square's own law has a p-value above this, that of the test is above 1/500,
# and mostly about as large, if each grade would have at least so many of each class. Of fewer, a
# single grade that is far off may be lost among many that hold next to none.
FAR_FROM_RISING, LEAST_OF_EACH = 0.2, 1.0


@dataclass(frozen=True, slots=True)
class _Grade:
    """One grade, or neighbouring ones taken together: the first and last place, and their cases."""

    first: int
    last: int
    positives: int
    cases: int

    def with_worse(self, worse: _Grade) -> _Grade:
        """Return this grade and the next worse one as one."""
        positives, cases = self.positives + worse.positives, self.cases + worse.cases
        return _Grade(self.first, worse.last, positives, cases)

    def variance(self, rate: float) -> float:
        """Return the variance of the number of positives at a rate."""
        return self.cases * rate * (1 - rate)


@dataclass(frozen=True)
class _Pool:
    """Neighbouring grades whose rates do not fall, which a falling rate makes one."""

    grades: tuple[_Grade, ...]
    whole: _Grade

    @property
    def df(self) -> int:
        """Return how many grades were pooled away."""
        return len(self.grades) - 1

    @property
    def rate(self) -> float:
        """Return the rate of these grades together."""
        return self.whole.positives / self.whole.cases

    @property
    def is_counted(self) -> bool:
        """Return whether dealings are counted, or follow the law of large samples."""
        return self.whole.variance(self.rate) <= COUNTED_VARIANCE

    @cached_property
    def statistic(self) -> float:
        """Return Pearson's chi-square of equal rates; whole numbers are subtracted exactly."""
        p, n = self.whole.positives, self.whole.cases
        return sum(
            ((grade.positives * n - grade.cases * p) / n) ** 2 / grade.variance(self.rate)
            for grade in self.grades
        )

    def dealt(self) -> Iterator[tuple[Ints, Floats, Floats, int]]:
        """Yield, grade by grade, what it takes to count the dealings that do not fall either."""
        # The numbers of positives a grade may get, how likely each is, what it adds to chi-square,
        # and the most that this and all better grades together may get: no more than their share.
        cases, (deviations, beside) = 0, FARTHEST_POSITIVES
        for grade in self.grades:
            mean, variance = grade.cases * self.rate, grade.variance(self.rate)
            reach = deviations * variance**0.5 + beside
            fewest, most = max(0, int(mean - reach)), min(grade.cases, int(mean + reach))
            x: Ints = np.arange(fewest, most + 1, dtype=np.int64)
            odds = (grade.cases - x[1:] + 1) / x[1:] * (self.rate / (1 - self.rate))
            logs: Floats = np.append(0.0, np.cumsum(np.log(odds)))
            added: Floats = np.square(x - mean, dtype=np.float64) / variance
            cases += grade.cases
            share = cases * self.whole.positives // self.whole.cases
            yield x, np.exp(logs - logs.max()), added, share

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Return mean and variance of chi-square over the dealings that do not fall either."""
        # Of the dealings with so many positives in the better grades are known: their chance (up to
        # a factor), and its products with chi-square and with the square of that, summed.
        if not self.is_counted:
            return float(self.df), 2.0 * self.df
        low, (chance, first, second) = 0, (np.ones(1), np.zeros(1), np.zeros(1))
        for x, chances, added, most in self.dealt():
            once, twice = chances * added, chances * added**2
            second = np.convolve(second, chances) + 2 * np.convolve(first, once)
            second += np.convolve(chance, twice)
            first = np.convolve(first, chances) + np.convolve(chance, once)
            chance = np.convolve(chance, chances)
            low += int(x[0])
            kept = chance[: most - low + 1]
            start = int((kept > NEGLIGIBLE * kept.max()).argmax())
            some, scale = slice(start, len(kept)), kept.max()
            chance, first, second = (sums[some] / scale for sums in (chance, first, second))
            low += start
        last = self.whole.positives - low
        mean = float(first[last] / chance[last])
        return mean, max(float(second[last] / chance[last]) - mean**2, 0.0)

    @cached_property
    def outcomes(self) -> Outcomes | None:
        """Return every chi-square, in steps, of a dealing that does not fall, and its chance."""
        # None where there are too many.
        if not self.is_counted or self.whole.cases >= MOST_STEPPED_CASES:
            return None
        keys, chance = np.zeros(1, dtype=np.int64), np.ones(1)
        for x, chances, added, most in self.dealt():
            if most >= MOST_OUTCOMES or len(keys) * len(x) > MOST_SUMS:
                return None
            steps = np.rint(added / CHI_SQUARE_STEP).astype(np.int64)
            keys = np.add.outer(keys, (x << STEP_BITS) + steps).ravel()
            within = keys >> STEP_BITS <= most
            keys, chance = _merged(keys[within], np.outer(chance, chances).ravel()[within])
            if len(keys) > MOST_OUTCOMES:
                return None
        # Those with all positives dealt; what is added to them, chi-square, is what remains.
        full = keys >> STEP_BITS == self.whole.positives
        left = keys[full] & ((1 << STEP_BITS) - 1)
        return left, chance[full] / chance[full].sum()


def _merged(keys: Ints, chances: Floats) -> Outcomes:
    """Return each key once with the sum of its chances."""
    found, where = np.unique(keys, return_inverse=True)
    return found, np.bincount(where, chances).astype(np.float64)


@takes_counts
def monotonicity_test(counts: Ranking, *, bins: int | str | Sequence[Any] | None = None) -> Test:
    """Test the monotonicity of grades: whether some grade has a higher rate than a riskier one.

    Raises `ValueError` when a class is missing, for weighted or clustered rows, and for more than
    1,000 bins.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`, of rows that count alike and
        are independent.
    bins
        As in `gains_table`: how many bins of about equal size, "score" for one per grade or
        distinct score, or cut points. Left out: one per distinct score up to 50, else ten bins.

    Returns
    -------
    Test
        A small p-value says that rates do not fall all the way down. `estimates` names the
        neighbours whose rates do not fall, each with its own p-value, the smallest first.

    Notes
    -----
    Neighbours are pooled until rates fall (Robertson, Wright & Dykstra 1988, Order Restricted
    Statistical Inference). Given the pools, Pearson's chi-square of equal rates inside them has
    a degree of freedom for each grade pooled away, however unequal the grades and wherever rates
    truly fall: a conditional test, Wollan & Dykstra (1986), Cox & Shi (2023, Review of Economic
    Studies 90). Its law is that of all dealings of a pool's positives among its grades that do
    not fall either: counted when small, else the gamma law with their exact mean and variance.

    Examples
    --------
    Two positives among two cases of each grade, both in the worse one. The 6 dealings hold 1 with
    both there, 4 with one in each, and 1 that falls, which is left out: p = 1/5.

    >>> from capcurve import ScoreCounts
    >>> found = monotonicity_test(ScoreCounts.from_counts([2, 1], [0, 2], [2, 0]))
    >>> found.statistic, found.df, round(found.p_value, 12), list(found.estimates)
    (4.0, 1.0, 0.2, ['2 to 1'])
    """
    names, pools = _rising(counts, bins)
    alone = sorted(((_p_value([pool]), pool) for pool in pools), key=itemgetter(0))
    pools = [pool for _, pool in alone]
    return Test(
        name="rates fall from grade to grade",
        statistic=float(sum(pool.statistic for pool in pools)),
        p_value=_p_value(pools),
        df=float(sum(pool.df for pool in pools)),
        method="chi-square inside pooled grades",
        alternative="some rate rises",
        estimates={
            f"{names[pool.whole.first]} to {names[pool.whole.last]}": p_value
            for p_value, pool in alone
        },
    )


def is_far_from_rising(counts: Ranking) -> bool:
    """Tell whether the textbook law alone explains the rises, in a hundredth of the time."""
    from scipy.special import gammaincc

    _, pools = _rising(counts, None)
    rarer = ((pool, min(pool.rate, 1 - pool.rate)) for pool in pools)
    if any(grade.cases * rate < LEAST_OF_EACH for pool, rate in rarer for grade in pool.grades):
        return False
    df, statistic = (sum(getattr(pool, name) for pool in pools) for name in ("df", "statistic"))
    return not pools or bool(gammaincc(df / 2, statistic / 2) > FAR_FROM_RISING)


def _rising(
    counts: Ranking, bins: int | str | Sequence[Any] | None
) -> tuple[list[str], list[_Pool]]:
    """Return the names of the grades, or bins, and the pools of those whose rates do not fall."""
    require(counts, "positives", "negatives")
    if not (alike := counts_alike(counts)) or counts.groups is not None:
        raise ValueError(
            "the test of falling rates deals positives to independent cases that count alike, "
            f"and the rows are {'clustered' if alike else 'weighted'}"
        )
    names, grades = _grades(counts, bins)
    return names, _pools(_without_small(grades))


def _grades(
    counts: Ranking, bins: int | str | Sequence[Any] | None
) -> tuple[list[str], list[_Grade]]:
    """Return the names and the cases of the grades, or bins, that have any, the best first."""
    if bins is None:
        bins = "score" if len(counts) <= MOST_GRADES else USUAL_GRADE_BINS
    ends, held = np.unique(ends_of_bins(counts, bins)[0]), counts.vertices
    ends = ends[ends > 0]
    if len(ends) > MOST_TESTED_BINS:
        raise ValueError(
            f"{len(ends):,} bins are too many to test; take {MOST_TESTED_BINS:,} at most"
        )
    starts = np.append(0, ends[:-1])
    p, n = (np.add.reduceat(each.astype(np.int64), starts).tolist() for each in held.sums)
    each = isinstance(bins, str)
    names = map(cutoff_text, held.thresholds) if each else (f"bin {i + 1}" for i in range(len(p)))
    return list(names), [_Grade(i, i, a, a + b) for i, (a, b) in enumerate(zip(p, n, strict=True))]


def _without_small(grades: list[_Grade]) -> list[_Grade]:
    """Return the grades; of a sample too large to count dealings, small ones with the next."""
    # Whether one is small depends on its cases alone, so that this takes no side.
    whole = reduce(_Grade.with_worse, grades)
    rate = whole.positives / whole.cases
    if whole.variance(rate) <= COUNTED_VARIANCE:
        return grades
    found = grades[:1]
    for grade in grades[1:]:
        if min(found[-1].variance(rate), grade.variance(rate)) < LEAST_VARIANCE:
            found[-1] = found[-1].with_worse(grade)
        else:
            found.append(grade)
    return found


def _pools(grades: list[_Grade]) -> list[_Pool]:
    """Return the neighbours that are pooled so that rates fall, where they hold both classes."""
    found: list[_Pool] = []
    for grade in grades:
        pool = _Pool((grade,), grade)
        while found and (
            found[-1].whole.positives * pool.whole.cases
            <= pool.whole.positives * found[-1].whole.cases
        ):
            better = found.pop()
            pool = _Pool(better.grades + pool.grades, better.whole.with_worse(pool.whole))
        found.append(pool)
    return [pool for pool in found if pool.df and 0 < pool.rate < 1]


def _p_value(pools: Sequence[_Pool]) -> float:
    """Return how often dealings that do not fall either deviate as much from equal rates."""
    from scipy.special import gammaincc

    statistic = sum(pool.statistic for pool in pools)
    nothing: Outcomes | None = (np.zeros(1, dtype=np.int64), np.ones(1))
    outcomes = reduce(_together, (pool.outcomes for pool in pools), nothing)
    if outcomes is not None:
        slack = sum(len(pool.grades) for pool in pools)  # each grade's part was rounded to steps
        reached = outcomes[0] >= round(statistic / CHI_SQUARE_STEP) - slack
        return min(1.0, float(outcomes[1][reached].sum()))
    mean, variance = (sum(pool.moments[k] for pool in pools) for k in (0, 1))
    if variance <= ONE_OUTCOME * mean**2:
        return 1.0
    return float(gammaincc(mean**2 / variance, statistic * mean / variance))


def _together(one: Outcomes | None, other: Outcomes | None) -> Outcomes | None:
    """Return the outcomes of two pools added; None where there are too many."""
    if one is None or other is None or len(one[0]) * len(other[0]) > MOST_SUMS:
        return None
    keys = np.add.outer(one[0], other[0]).ravel()
    found = _merged(keys, np.outer(one[1], other[1]).ravel())
    return found if len(found[0]) <= MOST_OUTCOMES else None

"""Whether a score tells positives from negatives at all: on average, or at any cut-off."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.gate.taking import about_classes
from capcurve.inference.designs import require_rows
from capcurve.inference.differences import Spread, p_value_of
from capcurve.inference.independent import law_of_spread, spread_by_limits, spread_of_one
from capcurve.inference.records import RankingMetric, Test, as_metric, factor_of, in_metric
from capcurve.inference.variances import null_variance
from capcurve.metrics import ks, roc_auc
from capcurve.metrics.ranking import count_pairs
from capcurve.numbers.arguments import as_open_share, as_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats, Ints

TEST_OF_CLUSTERS = (
    "the rows are clustered, and method={!r} treats them as independent, so the p-value is "
    "too small; leave method out for the jackknife over groups of clusters"
)
CLUSTERED_KS = (
    "the rows are clustered, and this law treats them as independent, so the p-value is too small; "
    "confidence_interval(counts, 'ks') and discrimination_test leave out whole clusters"
)
NOT_DEALT = "the exact law deals labels to cases, and these are weighted"
ALL_TIED = "all cases have the same score"
TEST_OF_WEIGHTS = (
    "rows are weighted, and labels cannot be dealt to rows of different weight: the p-value is one "
    "less the largest level at which the confidence interval excludes 1/2"
)
WEIGHTED_NORMAL = (
    "the normal law rejects weighted rows too often, in up to a third of samples instead of 5%; "
    "leave method out for the test that goes with the confidence interval"
)
WEIGHTED_KS = (
    "the law of the KS statistic is not known for weighted rows; discrimination_test(counts) tests "
    "whether the score ranks better than chance"
)
TIES_IGNORED = "ties are ignored, which makes the p-value too large, never too small"
Tail = Literal["two-sided", "greater", "less"]
OPPOSITE: dict[Tail, Tail] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
# Cases times the rarer class: half a second here for a gap that is neither frequent nor rare.
EXACT_GAP_SIZE = 200_000_000
LARGEST_GAP_SIZE = 100_000_000_000  # work still bearable when it is asked for: some ten seconds
MOST_PLACED_CASES = 20_000_000  # places are held in memory
FADING = 300.0  # powers down to exp(-FADING) are floats, and so is one over them
EXACT_CASES = 10_000  # a critical value takes a dozen of such laws
# Cases times the rarer class; work grows with its square, and takes a tenth of a second here.
EXACT_SIZE = 10_000
FEW_OF_A_CLASS = 20  # so few of a class have exact laws among any number of cases
LATTICE = 1 << 21  # places of the lattice of rank sums, times the cases of the rarer class
LARGEST_WORK = 200_000_000  # sums that are made one by one; a tenth of a second here
LARGEST_EXACT_SIZE = 100_000  # beyond this the table of ways does not fit into memory
# So many standard deviations from 1/2 are no more than chance, with so many of each class at least,
# if two cases have the same score with this chance at most.
NEAR_CHANCE, FEWEST_NEAR_NORMAL, MOST_ALIKE = 1.96, 5, 0.5
# Critical values lie between these parts of that of large samples, or nearly.
CRITICAL_RANGE = (0.9, 1.01)
# Beyond this the limiting law has set in, and that of one sample takes seconds.
FEW_AGAINST_MANY = 2000


@about_classes("confidence_interval")
def discrimination_test(
    counts: Ranking,
    *,
    alternative: Tail = "two-sided",
    method: Literal["auto", "exact", "normal"] = "auto",
    metric: RankingMetric = "roc_auc",
) -> Test:
    """Test for discriminatory power: whether the score ranks better, or worse, than chance.

    The statistic is (AUC - 1/2) over its standard deviation under drawing lots.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alternative
        "two-sided": the AUC is not 1/2; "greater": it is above, "less": below.
    method
        "exact": all ways of dealing the labels to the scores that were seen, ties included;
        "normal": the normal law with the variance these have; "auto": exact with at most 20 of
        a class, or when cases times the rarer class are at most 10,000; of clustered rows the
        jackknife over groups of clusters, with Student's t; of weighted rows the level at which
        1/2 leaves the interval of `confidence_interval`.
    metric
        "roc_auc" or "accuracy_ratio": what the estimate is measured in.

    Raises
    ------
    ValueError
        When a class is missing, for weights of unknown kind, when "exact" is asked of very
        many rows, and when a method is asked of weighted rows.

    Notes
    -----
    The Wilcoxon-Mann-Whitney test with midranks, no continuity correction: Lehmann (1975),
    Nonparametrics, 1.4. Its variance is that of labels dealt at random, not DeLong's.

    Examples
    --------
    The best of the 10 orders of 2 positives and 3 negatives; the worst is as extreme.

    >>> from capcurve import count_scores
    >>> found = discrimination_test(count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]))
    >>> round(found.p_value, 12), found.method
    (0.2, 'exact, given the ties')
    """
    as_word(alternative, "alternative", ("two-sided", "greater", "less"), quote="'")
    as_word(method, "method", ("auto", "exact", "normal"), quote="'")
    metric = as_metric(metric)
    auc = roc_auc(counts)
    require_rows(counts)
    weighted, clustered = counts.weights is not None, counts.groups is not None
    notes = (ALL_TIED,) if len(counts) == 1 else ()
    if weighted and method != "auto":
        raise ValueError(NOT_DEALT if method == "exact" else WEIGHTED_NORMAL)
    if clustered and method == "auto":
        spread = spread_of_one(counts)
        law = f"{spread.method}, {law_of_spread(spread)}"
        return _against_half(auc, spread, law, alternative, metric, notes)
    if weighted:
        spread, notes = spread_by_limits(counts), (TEST_OF_WEIGHTS, *notes)
        return _against_half(auc, spread, "limits of the AUC", alternative, metric, notes)
    if clustered:
        notes = (*notes, TEST_OF_CLUSTERS.format(method))
    rarer = min(counts.n1, counts.n0)
    few, size = rarer <= FEW_OF_A_CLASS and counts.n <= MOST_PLACED_CASES, counts.n * rarer
    if method == "exact" and size > LARGEST_EXACT_SIZE and not few:
        raise ValueError(
            f"cases times the rarer class are {size}, too many for the exact law "
            f"({LARGEST_EXACT_SIZE} at most, with more than {FEW_OF_A_CLASS} of a class); "
            'the normal law, method="normal", is then very close'
        )
    spread = Spread(null_variance(counts), None, "", ())
    found = _against_half(auc, spread, "normal", alternative, metric, notes)
    held = method == "auto" and counts.is_complete
    if method == "exact" or (held and (few or size <= EXACT_SIZE)):
        pairs, ties = count_pairs(counts), _ties(counts.every_score())
        p_value = rank_sum_chance(ties, counts.n1, pairs.won - pairs.lost, alternative)
        return replace(found, p_value=min(1.0, p_value), method="exact, given the ties")
    return found


def is_near_chance(counts: ScoreCounts) -> bool:
    """Tell whether chance often moves an AUC so far from 1/2, by the normal law alone."""
    # Of a few of each class, and scores of which most differ, more than 1% of dealings are as far
    # then by their exact law as well.
    if counts.weights is not None or counts.groups is not None or not counts.is_whole:
        return False
    alike = float(((_ties(counts) / counts.n) ** 2).sum())
    if min(counts.n1, counts.n0) < FEWEST_NEAR_NORMAL or alike > MOST_ALIKE:
        return False
    return abs(roc_auc(counts) - 0.5) < NEAR_CHANCE * math.sqrt(null_variance(counts))


def _against_half(
    auc: float,
    spread: Spread,
    law: str,
    alternative: Tail,
    metric: RankingMetric,
    notes: tuple[str, ...],
) -> Test:
    statistic = spread.distance(auc, 0.5) if spread.variance > 0 else 0.0
    return Test(
        name="AUC = 1/2" if metric == "roc_auc" else "AR = 0",
        statistic=statistic,
        p_value=p_value_of(statistic, spread.df, alternative),
        method=law,
        alternative=alternative,
        df=spread.df,
        estimate=in_metric(auc, metric),
        se=factor_of(metric) * math.sqrt(spread.variance),
        metric=metric,
        notes=(*spread.notes, *notes),
    )


def _ties(counts: ScoreCounts) -> Ints:
    return counts.positives.astype(np.int64) + counts.negatives.astype(np.int64)


@about_classes("confidence_interval")
def ks_test(
    counts: Ranking,
    *,
    alternative: Tail = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> Test:
    """Test the KS statistic: whether any cut-off separates the classes by more than chance.

    The statistic is the largest gap between the classes on that side.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alternative
        "two-sided": either class leads somewhere, by the statistic `ks` gives; "greater":
        positives lead; "less": negatives do.
    method
        "exact": the law of labels dealt at random over the very ties that were seen;
        "asymptotic": the law of large samples without ties; "auto": exact where cases times
        the rarer class are at most 2·10^8, as 10,000 of 20,000 cases or 20 of 10 million.

    Raises
    ------
    ValueError
        When a class is missing, for weighted rows, or when "exact" is asked of more than 20
        million cases, or of more than 10^11 times the rarer class.

    Notes
    -----
    Exact: Steck (1969); Schröer & Trenkler (1995), as R's psmirnov since 4.2. Tools that ignore
    ties in their exact law give other numbers for tied data. Asymptotic: with N = n1·n0/n
    2·Σ(-1)^(k-1)·exp(-2k²D²N); one side exp(-2D²N).

    Examples
    --------
    The two positives lead all three negatives; 2 of the 10 orders separate the classes.

    >>> from capcurve import count_scores
    >>> found = ks_test(count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]))
    >>> found.statistic, round(found.p_value, 12), found.method
    (1.0, 0.2, 'exact, given the ties')
    """
    as_word(alternative, "alternative", ("two-sided", "greater", "less"), quote="'")
    from scipy.special import kolmogorov

    as_word(method, "method", ("auto", "exact", "asymptotic"), quote="'")
    require_rows(counts)
    if counts.weights is not None:
        raise ValueError(WEIGHTED_KS)
    found = ks(counts)
    sides = {"greater": found.positive_side, "less": found.negative_side}
    gap = sides.get(alternative, found.statistic)
    size = counts.n * min(counts.n1, counts.n0) if counts.n <= MOST_PLACED_CASES else math.inf
    if method == "exact" and size > LARGEST_GAP_SIZE:
        raise ValueError(
            f"{counts.n:,} cases are too many for the exact law: {MOST_PLACED_CASES:,} at most, "
            f"and {LARGEST_GAP_SIZE:,} at most times the rarer class; "
            'method="asymptotic" is then very close'
        )
    notes: tuple[str, ...] = ()
    if method == "exact" or (method == "auto" and counts.is_complete and size <= EXACT_GAP_SIZE):
        ties, wide = _ties(counts.every_score()), round(gap * (counts.n1 * counts.n0))
        p_value = min(1.0, gap_chance(ties, counts.n1, wide, alternative)) if gap else 1.0
        name = "exact, given the ties"
    else:
        away = gap * math.sqrt(counts.n1 * counts.n0 / counts.n)
        one_sided = math.exp(-2 * away**2)
        p_value = float(kolmogorov(away)) if alternative == "two-sided" else one_sided
        name = "asymptotic"
        notes = (TIES_IGNORED,) if len(counts) < counts.n else ()
    if counts.groups is not None:
        notes = (*notes, CLUSTERED_KS)
    return Test(
        name="Kolmogorov-Smirnov",
        statistic=gap,
        p_value=p_value,
        method=name,
        alternative=alternative,
        estimate=gap,
        estimates={"positives lead by": sides["greater"], "negatives lead by": sides["less"]},
        notes=notes,
    )


def leads_somewhere(counts: Ranking, alpha: float) -> Test:
    """Return the two-sided KS test, as exact as it needs to be to tell whether it rejects."""
    # The law of large samples gives no smaller p-value than the exact one, and takes no time.
    found = ks_test(counts, method="asymptotic")
    return found if found.p_value <= alpha else ks_test(counts)


def gap_chance(ties: Ints, n1: int, gap: int, alternative: Tail) -> float:
    """Return how often labels dealt at random open a gap, or a wider one."""
    # `ties` are the cases at each score, in order; the gap is c·n0 - d·n1 above zero, c of n1
    # positives and d of n0 negatives captured; "greater": positives lead by the gap, "less":
    # negatives do. A gap opens where a case of the rarer class comes too early or too late, so
    # these are dealt in turn, and how often each is the first to do so is added up: small chances
    # keep 9 to 12 digits. Steck (1969), Ann. Math. Stat. 40; Schröer & Trenkler (1995),
    # Computational Statistics & Data Analysis 20: the law given class and tie sizes.
    n = int(ties.sum())
    if not math.exp(1 - 2 * (gap / n1) * (gap / (n - n1)) / n):
        return 0.0  # Wei & Dudley (2012), Stat. Probab. Lett. 82: no float is as small.
    rarer = min(n1, n - n1)
    windows = _windows(ties, rarer, gap, alternative if rarer == n1 else OPPOSITE[alternative])
    walk = _Walk.begun(rarer / n, n - rarer)
    caught, left = [], []
    for dealt, (least, most) in enumerate(windows):
        early, late, alive = walk.deal(least - dealt - 1, most - dealt)
        caught += [early, late]
        left.append((n - least + len(early), len(early), rarer - dealt - 1))
        left.append((n - most, 1, rarer - dealt))
        if not alive:
            break
    return float((np.concatenate(caught) * _of_the_rest(left, n, rarer)).sum())


@dataclass(slots=True)
class _Walk:
    """How likely each number of the other class comes before the last case of the rarer one."""

    # As if each case by itself were of the rarer class or not. Chances are in units of (1 - share)
    # to the power of the number, so that going on is adding up; units begin anew with each block.

    chances: Floats
    first: int  # where there are any
    share: float
    block: int

    @classmethod
    def begun(cls, share: float, others: int) -> _Walk:
        """Return the walk before any case."""
        chances = np.zeros(others + 2)
        chances[0] = 1.0
        return cls(chances, 0, share, math.ceil(FADING / -math.log1p(-share)))

    def deal(self, least: int, most: int) -> tuple[Floats, Floats, bool]:
        """Deal one case of the rarer class between `least` and `most - 1` of the other class."""
        # Return how likely it comes at each earlier number, or later, and whether it may come here.
        first, fading, carried = self.first, 1 - self.share, 0.0
        for start in range(first - first % self.block, most + 1, self.block):
            part = self.chances[max(start, first) : min(start + self.block, most + 1)]
            part[0] += carried
            np.cumsum(part, out=part)
            carried = float(part[-1]) * fading**self.block
        late = self.chances[most : most + 1] * fading ** (most % self.block)
        self.chances[most] = 0.0
        self.chances[first:most] *= self.share
        self.first = max(first, least)
        early = self.chances[first : self.first]
        units = fading ** (np.arange(first, self.first) % self.block)
        return early * units, late, self.first < most


def _windows(ties: Ints, rarer: int, gap: int, alternative: Tail) -> list[tuple[int, int]]:
    """Return the first and last place of each case of the rarer class that opens no such gap."""
    ends, n = np.append(0, np.cumsum(ties)), int(ties.sum())
    dealt = np.arange(1, rarer + 1, dtype=np.int64)
    least, most = np.ones(rarer, dtype=np.int64), n - rarer + dealt
    if alternative != "less":
        early = ends[np.searchsorted(ends, (dealt * n - gap) // rarer, side="right") - 1]
        least = np.where(dealt * n >= gap, early + 1, 1)
    if alternative != "greater":
        late = np.searchsorted(ends, -(-((dealt - 1) * n + gap) // rarer))
        most = np.minimum(most, np.append(ends, n)[late])
    return list(zip(np.minimum(least, most + 1).tolist(), most.tolist(), strict=True))


def _of_the_rest(left: Sequence[tuple[int, int, int]], n: int, rarer: int) -> Floats:
    """Return how likely the rest holds what is left of the rarer class, over how likely all do."""
    # For runs of places: cases left after the first place, number of places, what is left.
    from scipy.special import gammaln

    after, places, wanted = (np.array(column) for column in zip(*left, strict=True))
    begun = np.cumsum(places) - places
    cases = np.repeat(after + begun, places) - np.arange(places.sum())
    some = np.repeat(wanted, places)
    ways = gammaln(cases + 1.0) - gammaln(some + 1.0) - gammaln(cases - some + 1.0)
    ways -= gammaln(n + 1.0) - gammaln(rarer + 1.0) - gammaln(n - rarer + 1.0)
    share = rarer / n
    gone = (rarer - some) * math.log(share) + (n - rarer - cases + some) * math.log1p(-share)
    return np.asarray(np.exp(ways - gone))


def smirnov_critical_value(n: int, n1: int, alpha: float = 0.05) -> float | None:
    """Return the critical value of KS: the smallest gap that chance reaches at most that often.

    Notes
    -----
    Smirnov's two-sample law. With ties the true frequency is at most alpha.

    Examples
    --------
    Of the 10 orders of 3 positives and 2 negatives, 2 separate them perfectly: 20%.

    >>> print(smirnov_critical_value(5, 3, 0.05))
    None
    >>> smirnov_critical_value(20, 6, 0.05) == 9 / 14
    True
    """
    n0 = _negatives(n, n1, alpha)
    if n > EXACT_CASES:
        return _asymptotic_critical_value(n1, n0, alpha)
    frequent = _widest_frequent_gap(n1, n0, alpha)
    if frequent == n1 * n0:
        return None
    # The next wider gap, of the smallest c·n0 - d·n1 with c <= n1 and d <= n0.
    captured = np.arange(n1 + 1, dtype=np.int64)
    passed = (captured * n0 - frequent - math.gcd(n1, n0)) // n1
    possible = (passed >= 0) & (passed <= n0)
    return int((captured * n0 - passed * n1)[possible].min()) / (n1 * n0)


def smirnov_reach(n: int, n1: int, alpha: float = 0.05) -> float:
    """Return the smallest gap between classes that chance exceeds at most that often."""
    # The widest gap below `smirnov_critical_value`, whose arguments it takes; the same value where
    # the law is that of large samples. 1 where even perfect separation is more frequent.
    n0 = _negatives(n, n1, alpha)
    if n > EXACT_CASES:
        gap = _asymptotic_critical_value(n1, n0, alpha)
        return 1.0 if gap is None else gap
    return _widest_frequent_gap(n1, n0, alpha) / (n1 * n0)


def _negatives(n: int, n1: int, alpha: float) -> int:
    as_open_share(alpha, "alpha")
    if not 0 < n1 < n:
        raise ValueError(f"need cases of both classes, got {n1} positives among {n}")
    return n - n1


def _asymptotic_critical_value(n1: int, n0: int, alpha: float) -> float | None:
    """Return the smaller of two bounds: Kolmogorov's, and that of few cases against very many."""
    from scipy.special import kolmogi, smirnovi

    size = n1 * n0 / (n1 + n0)
    many = float(kolmogi(alpha)) / math.sqrt(size)
    if size > FEW_AGAINST_MANY:
        return many
    few = float(smirnovi(max(1, math.floor(size)), alpha / 2)) + 2 / max(n1, n0)
    gap = min(many, few)
    return gap if gap <= 1 else None


def _widest_frequent_gap(n1: int, n0: int, alpha: float) -> int:
    """Return the widest gap in pairs that labels dealt at random reach more often than alpha."""
    step = math.gcd(n1, n0)
    ties = np.ones(n1 + n0, dtype=np.int64)

    def frequent(gap: int) -> bool:
        return gap_chance(ties, n1, gap * step, "two-sided") > alpha

    below, above = 0, n1 * n0 // step  # in steps: too frequent; rare enough, if any is
    if frequent(above):
        return above * step
    # The large-sample law is near: looking there first keeps windows, and so work, small.
    near = (_asymptotic_critical_value(n1, n0, alpha) or 1.0) * above
    ends = [round(part * near) for part in CRITICAL_RANGE]
    while above - below > 1:
        middle = ends.pop() if ends else (below + above) // 2
        if below < middle < above:
            below, above = (middle, above) if frequent(middle) else (below, middle)
    return below * step


def rank_sum_chance(ties: Ints, n1: int, seen: int, alternative: Tail) -> float:
    """Return how often labels dealt at random give pairs won less lost as extreme as those seen."""
    # With at most `FEW_OF_A_CLASS` of a class, among however many cases, or where the work can be
    # done. Beyond some 10,000 cases, unless all of a few stand near an end, ranks are rounded to a
    # lattice: the chance is then too large by up to a thousandth or two, and never too small.
    if alternative == "two-sided":
        if not seen:
            return 1.0
        above = rank_sum_chance(ties, n1, abs(seen), "greater")
        return min(above + rank_sum_chance(ties, n1, -abs(seen), "less"), 1.0)
    n = int(ties.sum())
    rarer, sign = (n1, 1) if 2 * n1 <= n else (n - n1, -1)
    # Twice the midrank less one, from the bottom: whole, with mean n.
    ranks, asked = 2 * n - 2 * np.cumsum(ties) + ties, rarer * n + sign * seen
    if (alternative == "greater") == (sign > 0):
        ranks, asked = -ranks, -asked
    lowest = int(ranks.min())
    return _chance_within(ties, ranks - lowest, rarer, asked - rarer * lowest)


def _chance_within(ties: Ints, steps: Ints, rarer: int, reach: int) -> float:
    """Return how often the steps of so many cases, dealt at random, add up to at most `reach`."""
    if reach < 0:
        return 0.0
    n, near = int(ties.sum()), steps <= reach
    ties, steps = ties[near], steps[near]
    unit = int(np.gcd.reduce(steps)) or 1
    scale = max(1.0, reach * rarer / unit / LATTICE) if rarer <= FEW_OF_A_CLASS else 1.0
    places = np.rint(steps / (unit * scale)).astype(np.int64) if scale > 1 else steps // unit
    # Rounding moves a sum by half a place for each of its terms, at most.
    most = int(reach / (unit * scale) + rarer / 2) if scale > 1 else reach // unit
    places = places.astype(np.intp, copy=False)
    cases = np.bincount(places, ties, minlength=most + 1)[: most + 1].astype(np.float64)
    work = rarer * most * float(np.minimum(cases, rarer).sum())
    found = _ways if rarer > FEW_OF_A_CLASS or work <= LARGEST_WORK else _ways_by_power_sums
    return float(found(cases, rarer).sum()) / math.comb(n, rarer)


def _ways(cases: Floats, rarer: int) -> Floats:
    """Return in how many ways so many of the cases have each sum of places."""
    # Sums of positive terms, so that small numbers keep their digits: the shift algorithm of
    # Streitberg & Röhmel (1986), with a factor C(t, j) for taking j of the t cases at a place.
    ways: Array = np.zeros((rarer + 1, len(cases)))
    ways[0, 0] = 1.0
    for place in np.flatnonzero(cases).tolist():
        before, tied = ways.copy(), int(cases[place])
        for taken in range(1, min(tied, rarer) + 1):
            if (shift := taken * place) >= len(cases):
                break
            moved = before[: rarer + 1 - taken, : len(cases) - shift]
            ways[taken:, shift:] += math.comb(tied, taken) * moved
    return np.asarray(ways[rarer])


def _ways_by_power_sums(cases: Floats, rarer: int) -> Floats:
    """Return the same for few among many: Newton's identities between symmetric polynomials."""
    # Where many cases are within reach, next to nothing cancels; products are those of transforms.
    size = 1 << (2 * len(cases) - 1).bit_length()
    powers: list[Array] = []
    for times in range(1, rarer + 1):
        spread = np.zeros(len(cases))
        spread[::times] = cases[: len(spread[::times])]
        powers.append((-1) ** (times - 1) * np.fft.rfft(spread, size))
    ways: Floats = np.zeros(len(cases))
    transformed: list[Array] = [np.ones(size // 2 + 1)]
    for taken in range(1, rarer + 1):
        products = zip(reversed(transformed), powers[:taken], strict=True)
        both = sum((one * other for one, other in products), np.zeros(1))
        ways = np.fft.irfft(both, size)[: len(cases)] / taken
        transformed.append(np.fft.rfft(ways, size))
    return ways

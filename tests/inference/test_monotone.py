"""The test of falling rates: its law is that of every dealing that does not fall either."""

from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from dealing import tables
from hypothesis import given
from scipy import stats

import capcurve as cap
from capcurve import monotonicity_test


def graded(positives, cases):
    """Return the counts of grades, the best first."""
    negatives = [n - p for p, n in zip(positives, cases, strict=True)]
    return cap.ScoreCounts.from_counts(range(len(cases), 0, -1), list(positives), negatives)


def pools(positives, cases):
    """Return where rates that must fall are one: runs of max over j of min over i of a mean."""
    places = range(len(cases))

    def mean(i, j):
        return Fraction(sum(positives[i : j + 1]), sum(cases[i : j + 1]))

    fitted = [
        max(min(mean(i, j) for i in range(k + 1)) for j in range(k, len(cases))) for k in places
    ]
    return [[k for k in places if fitted[k] == rate] for rate in sorted(set(fitted), reverse=True)]


def chi_square(positives, cases):
    rate = Fraction(sum(positives), sum(cases))
    if rate in (0, 1):
        return Fraction(0)
    return sum(
        (p - n * rate) ** 2 / (n * rate * (1 - rate)) for p, n in zip(positives, cases, strict=True)
    )


def law(total, cases):
    """Return the chance of each chi-square over dealings that are one pool."""
    ways = {}
    for dealt in product(*(range(n + 1) for n in cases)):
        if sum(dealt) == total and len(pools(dealt, cases)) == 1:
            found, many = (
                chi_square(dealt, cases),
                np.prod([comb(n, p) for n, p in zip(cases, dealt, strict=True)]),
            )
            ways[found] = ways.get(found, 0) + int(many)
    return {found: Fraction(many, sum(ways.values())) for found, many in ways.items()}


@given(tables(most=12))
def test_small_tables_have_the_p_value_of_every_dealing_counted(counts):
    positives = counts.positives.astype(int).tolist()
    cases = (counts.positives.astype(int) + counts.negatives.astype(int)).tolist()
    seen, outcomes, pooled_away = Fraction(0), {Fraction(0): Fraction(1)}, 0
    for pool in pools(positives, cases):
        p, n = ([column[k] for k in pool] for column in (positives, cases))
        seen += chi_square(p, n)
        pooled_away += len(pool) - 1 if 0 < sum(p) < sum(n) else 0
        added, outcomes = outcomes, {}
        for (x, a), (y, b) in product(added.items(), law(sum(p), n).items()):
            outcomes[x + y] = outcomes.get(x + y, 0) + a * b
    found = monotonicity_test(counts)
    assert found.statistic == pytest.approx(float(seen), abs=1e-12)
    assert found.df == pooled_away
    expected = sum(chance for x, chance in outcomes.items() if x >= seen)
    assert found.p_value == pytest.approx(float(expected), abs=1e-12)


def test_larger_tables_have_the_p_value_of_dealings_drawn():
    positives, cases = [33, 41, 20, 30, 29, 12, 12], [400, 450, 170, 210, 260, 120, 90]
    assert len(pools(positives, cases)) == 1
    rng = np.random.default_rng(5)
    drawn = rng.multivariate_hypergeometric(cases, sum(positives), 60_000)
    before = np.cumsum(drawn, axis=1) * sum(cases) <= np.cumsum(cases) * sum(positives)
    drawn = drawn[before.all(axis=1)]
    rate = sum(positives) / sum(cases)
    spread = np.array(cases) * rate * (1 - rate)
    values = ((drawn - np.array(cases) * rate) ** 2 / spread).sum(axis=1)
    found = monotonicity_test(graded(positives, cases))
    assert found.statistic == pytest.approx(float(chi_square(positives, cases)), rel=1e-12)
    expected = (values >= found.statistic - 1e-9).mean()
    assert found.p_value == pytest.approx(expected, abs=0.02)
    assert 0.1 < expected < 0.9


def test_rates_that_fall_have_no_evidence_against_them():
    found = monotonicity_test(graded([30, 20, 10, 0], [100] * 4))
    assert (found.statistic, found.df, found.p_value, found.estimates) == (0, 0, 1, {})


def test_many_cases_follow_the_chi_square_law_with_a_degree_per_grade_pooled():
    # Half a million more positives than fall, in 10^9 cases: gaps of whole numbers, not of floats.
    cases = [10**9] * 4
    positives = [3 * 10**8, 10**8, 10**8 + 10_000, 10**8 + 20_000]
    found = monotonicity_test(graded(positives, cases))
    rate = (10**8 + 10_000) / 10**9
    expected = 2 * 10_000**2 / (10**9 * rate * (1 - rate))
    assert found.statistic == pytest.approx(expected, rel=1e-12)
    assert found.df == 2
    assert found.p_value == pytest.approx(stats.chi2.sf(expected, 2), rel=1e-9)


def test_a_tiny_grade_among_many_cases_joins_its_neighbour():
    # One positive among the three cases of the last grade, where 1 in 100 is the rule.
    found = monotonicity_test(graded([10**7, 10**7, 1], [10**9, 10**9 + 1, 3]))
    assert found.p_value > 0.2


@pytest.mark.merge
def test_pools_are_as_many_as_records_of_equal_grades():
    # Constant rates of K equal grades are l pools with the chance |s(K, l)|/K! (Miles 1959).
    grades, runs, rng = 4, 1500, np.random.default_rng(11)
    cases = [10**8] * grades
    drawn = rng.binomial(10**8, 0.1, (runs, grades))
    seen = [grades - int(monotonicity_test(graded(row, cases)).df) for row in drawn.tolist()]
    first_kind = {1: 6, 2: 11, 3: 6, 4: 1}
    for count, ways in first_kind.items():
        chance = ways / factorial(grades)
        spread = (chance * (1 - chance) / runs) ** 0.5
        assert abs(seen.count(count) / runs - chance) < 4 * spread


def rejections(rates, shares, n, runs, seed):
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(runs):
        cases = rng.multinomial(n, shares)
        full = cases > 0
        positives = rng.binomial(cases, rates)
        found += monotonicity_test(graded(positives[full], cases[full])).p_value <= 0.05
    return found / runs


@pytest.mark.parametrize(
    "steep",
    [
        pytest.param(0.01, id="large first", marks=pytest.mark.merge),
        pytest.param(1.0, id="equal", marks=pytest.mark.merge),
        pytest.param(100.0, id="large last"),
    ],
)
def test_constant_rates_are_rarely_called_rising_however_unequal_the_grades(steep):
    shares = steep ** np.linspace(0, 1, 7)
    assert rejections([0.05] * 7, shares / shares.sum(), 1000, 400, 3) <= 0.09


def test_a_third_of_the_grades_turned_round_is_seen():
    rates = 0.3 * 0.8 ** np.arange(12)
    shares = np.full(12, 1 / 12)
    turned = np.concatenate([rates[:4][::-1], rates[4:]])
    assert rejections(rates, shares, 8000, 100, 4) <= 0.05
    assert rejections(turned, shares, 8000, 40, 4) >= 0.9


def test_continuous_scores_are_tested_in_ten_bins_and_totals_alike():
    rng = np.random.default_rng(8)
    score = rng.normal(size=20_000)
    positive = rng.random(20_000) < 0.1 + 0.05 * np.sin(3 * score)
    counts = cap.count_scores(positive, score)
    blocks = [(counts.score, counts.positives, counts.negatives)]
    totals = cap.count_sorted(blocks, n1=counts.n1, n0=counts.n0)
    assert not totals.is_complete
    found = monotonicity_test(counts)
    assert found == monotonicity_test(totals) == monotonicity_test(counts, bins=10)
    assert found.p_value < 1e-6
    assert all(name.startswith("bin ") for name in found.estimates)


def test_what_cannot_be_dealt_is_refused():
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    weighted = cap.count_scores(y, s, weight=[1.0, 2.0, 1.0, 1.0], weight_kind="sampling")
    with pytest.raises(ValueError, match="weighted"):
        monotonicity_test(weighted)
    with pytest.raises(ValueError, match="clustered"):
        monotonicity_test(cap.count_scores(y, s, cluster=[1, 1, 2, 2]))
    with pytest.raises(ValueError, match="no negatives"):
        monotonicity_test(cap.count_scores([1, 1], [1, 2]))
    many = cap.count_scores([0, 1] * 600, range(1200))
    with pytest.raises(ValueError, match="too many"):
        monotonicity_test(many, bins="score")


def test_where_rates_fall_all_the_way_nothing_is_pooled():
    found = monotonicity_test(graded([9, 4, 1], [10, 10, 10]))
    assert (found.statistic, found.p_value, found.estimates) == (0.0, 1.0, {})

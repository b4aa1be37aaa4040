"""AUC = 1/2: exact over every way of dealing the labels, normal with the tied variance."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dealing import auc, counted, dealings, share_of, tables, ties_of
from hypothesis import given
from scipy import stats

import capcurve as cap
from capcurve.inference import confidence_interval, discrimination, discrimination_test
from capcurve.inference.discrimination import rank_sum_chance

HALF = Fraction(1, 2)
AS_EXTREME = {
    "two-sided": lambda other, seen: abs(other - HALF) >= abs(seen - HALF),
    "greater": lambda other, seen: other >= seen,
    "less": lambda other, seen: other <= seen,
}


def close(value, rel=1e-12):
    return pytest.approx(float(value), rel=rel, abs=1e-15)


@pytest.mark.parametrize("alternative", AS_EXTREME)
@given(tables())
def test_exact_p_is_the_share_of_dealings_as_extreme(alternative, counts):
    seen = auc(counts.positives.tolist(), counts.negatives.tolist())
    others = [auc(*dealt) for dealt in dealings(ties_of(counts), counts.n1)]
    expected = share_of(AS_EXTREME[alternative](other, seen) for other in others)
    found = discrimination_test(counts, alternative=alternative)
    assert found.p_value == close(expected)
    assert found.method == "exact, given the ties"


@given(tables())
def test_the_standard_error_is_that_of_all_dealings(counts):
    others = [auc(*dealt) for dealt in dealings(ties_of(counts), counts.n1)]
    variance = sum((other - HALF) ** 2 for other in others) / len(others)
    found = discrimination_test(counts)
    assert found.se == close(math.sqrt(variance))
    if variance:
        assert found.statistic == close((found.estimate - 0.5) / found.se)


@given(tables(largest=30, max_size=8, most=500))
def test_the_normal_law_is_scipys_mann_whitney_test(counts):
    p, n = counts.positives.astype(int), counts.negatives.astype(int)
    if len(counts) == 1:
        assert discrimination_test(counts, method="normal").p_value == 1.0
        return
    x, y = np.repeat(counts.score, p), np.repeat(counts.score, n)
    for alternative in AS_EXTREME:
        expected = stats.mannwhitneyu(
            x, y, alternative=alternative, method="asymptotic", use_continuity=False
        )
        found = discrimination_test(counts, method="normal", alternative=alternative)
        assert found.p_value == close(expected.pvalue, rel=1e-10)


def test_a_constant_score_tells_nothing():
    found = discrimination_test(counted([(5, 7)]))
    assert (found.p_value, found.statistic, found.estimate) == (1.0, 0.0, 0.5)
    assert any("same score" in note for note in found.notes)


def test_it_says_which_law_was_used():
    assert discrimination_test(counted([(30, 50), (20, 40)])).method == "exact, given the ties"
    assert discrimination_test(counted([(500, 500), (300, 700)])).method == "normal"
    assert discrimination_test(counted([(15, 50_000), (5, 40_000)])).method.startswith("exact")


@pytest.mark.parametrize("few", [3, 5, 20])
def test_few_positives_on_top_of_many_are_one_or_two_of_all_dealings(few):
    y = np.repeat([1, 0], [few, 20_000])
    counts = cap.count_scores(y, -np.arange(len(y)))
    one = 1 / math.comb(len(y), few)
    exactly = {"two-sided": 2 * one, "greater": one, "less": 1.0}
    for alternative, expected in exactly.items():
        found = discrimination_test(counts, alternative=alternative)
        assert found.method == "exact, given the ties"
        assert found.p_value == pytest.approx(expected, rel=1e-9, abs=0)
    other = discrimination_test(cap.count_scores(1 - y, np.arange(len(y))))
    assert other.p_value == pytest.approx(2 * one, rel=1e-9, abs=0)


@pytest.mark.turns(3)
@pytest.mark.parametrize(("few", "z"), [(3, 1.5), (6, 2.5), (20, 1.0), (20, 4.0)])
def test_rank_sums_of_few_among_very_many_are_sums_of_uniform_numbers(few, z):
    n = 10**6
    seen = round(z * math.sqrt(few * (n - few) * (n + 1) / 3))
    # Irwin & Hall: P(U1 + ... + Um <= x), x the sum of places from the top as parts of all.
    x = (few - seen / (n - few)) / 2
    terms = [(-1) ** k * math.comb(few, k) * Fraction(x - k) ** few for k in range(int(x) + 1)]
    expected = float(sum(terms) / math.factorial(few))
    found = rank_sum_chance(np.ones(n, dtype=np.int64), few, seen, "greater")
    assert found == pytest.approx(expected, rel=5e-3)


@pytest.mark.merge
def test_both_ways_to_add_up_rank_sums_agree(monkeypatch):
    ties = np.random.default_rng(2).multinomial(3000, np.ones(120) / 120)
    for seen in (20_000, 46_000):
        one = rank_sum_chance(ties, 20, seen, "two-sided")
        with monkeypatch.context() as patched:
            patched.setattr(discrimination, "LARGEST_WORK", 0)
            other = rank_sum_chance(ties, 20, seen, "two-sided")
            patched.setattr(discrimination, "LATTICE", 1 << 18)
            rounded = rank_sum_chance(ties, 20, seen, "two-sided")
        assert other == pytest.approx(one, rel=1e-8, abs=0)
        assert one * (1 - 1e-9) <= rounded <= one * 1.03


def test_no_overflow_with_very_many_cases():
    many = counted([(10**12, 10**12), (10**12 - 1, 10**12 + 1)])
    found = discrimination_test(many)
    # 2U - n1·n0 of two cells is p1·n2 - p2·n1.
    gap = 10**12 * (10**12 + 1) - (10**12 - 1) * 10**12
    assert found.estimate - 0.5 == pytest.approx(gap / 2 / many.n1 / many.n0, abs=1e-16)
    assert 0 < found.p_value <= 1


def test_exact_is_refused_where_it_has_no_answer():
    with pytest.raises(ValueError, match="too many"):
        discrimination_test(counted([(5000, 500), (30, 7000)]), method="exact")
    weighted = cap.count_scores(
        [1, 1, 0, 0], [4, 3, 2, 1], weight=[1.0, 2.0, 1.0, 1.5], weight_kind="exposure"
    )
    for method in ("exact", "normal"):
        with pytest.raises(ValueError, match="weighted"):
            discrimination_test(weighted, method=method)


def test_weighted_rows_take_the_robust_variance_and_the_limits_of_the_auc():
    y, s, w = [1, 1, 0, 0, 1], [4, 2, 3, 1, 2.5], [1.0, 2.0, 1.0, 1.5, 1.0]
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    found = discrimination_test(counts)
    # Of 3 negatives' half weight 2.5: V10 is 1, .6, .6; V01 is 1/4 and 1.
    area = (1 * 1 + 2 * 0.6 + 1 * 0.6) / 4
    variance = sum((a * (v - area)) ** 2 for a, v in [(1, 1), (2, 0.6), (1, 0.6)]) / 4**2
    variance += sum((a * (v - area)) ** 2 for a, v in [(1, 0.25), (1.5, 1)]) / 2.5**2
    assert found.estimate == close(area)
    assert found.se == close(math.sqrt(variance))
    assert any("excludes 1/2" in note for note in found.notes)


@pytest.mark.parametrize("shift", [1.0, -0.6])
def test_a_weighted_test_rejects_if_and_only_if_one_half_is_outside_the_interval(shift):
    rng = np.random.default_rng(8)
    y = np.arange(90) < 25
    weight = rng.exponential(1, 90)
    counts = cap.count_scores(
        y, rng.normal(size=90) + shift * y, weight=weight, weight_kind="sampling"
    )
    found = discrimination_test(counts)
    near = confidence_interval(counts, "roc_auc", level=1 - found.p_value)
    assert (near.low if shift > 0 else near.high) == close(0.5, 1e-9)
    one = discrimination_test(counts, alternative="greater" if shift > 0 else "less")
    other = discrimination_test(counts, alternative="less" if shift > 0 else "greater")
    assert one.p_value == close(found.p_value / 2, 1e-9)
    assert one.p_value + other.p_value == close(1)


@pytest.mark.merge
def test_weighted_samples_of_a_worthless_score_are_rejected_no_more_often_than_stated():
    # Of the best third one case in 25 is taken: few rows decide.
    rng, runs, rejected = np.random.default_rng(4), 200, 0
    for _ in range(runs):
        y, s = rng.random(400) < 0.2, rng.normal(size=400)
        w = np.where(s > 0.43, 25.0, np.where(s > -0.43, 4.0, 1.0))
        kept = rng.random(400) * w < 1
        counts = cap.count_scores(y[kept], s[kept], weight=w[kept], weight_kind="sampling")
        rejected += discrimination_test(counts).p_value <= 0.05
    assert rejected / runs < 0.08


def test_the_accuracy_ratio_is_twice_as_far_from_nothing():
    counts = counted([(5, 1), (2, 3), (1, 6)])
    area, ratio = discrimination_test(counts), discrimination_test(counts, metric="accuracy_ratio")
    assert ratio.estimate == close(2 * area.estimate - 1)
    assert ratio.se == close(2 * area.se)
    assert (ratio.p_value, ratio.statistic) == (area.p_value, area.statistic)


@pytest.mark.merge
def test_the_size_of_the_exact_test_is_at_most_its_level():
    rng, level, rejected = np.random.default_rng(3), 0.05, 0
    for _ in range(400):
        counts = cap.count_scores([1] * 12 + [0] * 30, rng.integers(0, 5, 42))
        rejected += discrimination_test(counts).p_value <= level
    assert 0.015 < rejected / 400 < 0.085

"""The KS test: its exact law is that of every way of dealing the labels, ties included."""

import math
import warnings

import numpy as np
import pytest
from dealing import counted, dealings, gaps, share_of, tables, ties_of
from hypothesis import given, strategies as st
from scipy import stats

import capcurve as cap
from capcurve.inference import ks_test, smirnov_critical_value
from capcurve.inference.discrimination import gap_chance

SIDES = {
    "two-sided": lambda found: max(map(abs, found)),
    "greater": max,
    "less": lambda found: -min(found),
}


def close(value, rel=1e-12):
    return pytest.approx(float(value), rel=rel, abs=1e-15)


@pytest.mark.parametrize("alternative", SIDES)
@given(tables())
def test_exact_p_is_the_share_of_dealings_with_such_a_gap(alternative, counts):
    side = SIDES[alternative]
    seen = side(gaps(counts.positives.tolist(), counts.negatives.tolist()))
    expected = share_of(side(gaps(*d)) >= seen for d in dealings(ties_of(counts), counts.n1))
    found = ks_test(counts, alternative=alternative)
    assert found.statistic == close(seen)
    assert found.p_value == close(expected)
    assert found.method == "exact, given the ties"


@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_without_ties_it_is_scipys_exact_law(n1, n0, data):
    order = data.draw(st.permutations(range(n1 + n0)))
    y = np.array([1] * n1 + [0] * n0)
    scores = np.array(order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for alternative, theirs in (("two-sided", "two-sided"), ("greater", "less")):
            expected = stats.ks_2samp(
                scores[y == 1], scores[y == 0], alternative=theirs, method="exact"
            )
            found = ks_test(cap.count_scores(y, scores), alternative=alternative)
            assert found.statistic == close(expected.statistic)
            assert found.p_value == close(expected.pvalue, rel=1e-9)


def test_reversing_the_score_swaps_the_sides():
    y, s = [1, 1, 0, 1, 0, 0, 0], [7, 6, 6, 4, 3, 2, 1]
    up, down = cap.count_scores(y, s), cap.count_scores(y, s, higher_is="negative")
    assert ks_test(up, alternative="greater").p_value == close(
        ks_test(down, alternative="less").p_value
    )
    assert ks_test(up, alternative="less").p_value == 1.0


def test_small_chances_keep_their_digits():
    # 2 of C(400, 200) orders separate 200 from 200.
    counts = counted([(200, 0), (0, 200)])
    alone = cap.count_scores([1] * 200 + [0] * 200, list(range(400, 0, -1)))
    assert ks_test(alone).p_value == close(2 / math.comb(400, 200), rel=1e-10)
    assert ks_test(counts).p_value == close(2 / math.comb(400, 200), rel=1e-10)


def test_a_constant_score_shows_nothing():
    assert ks_test(counted([(3, 4)])).p_value == 1.0
    many = ks_test(counted([(30_000, 40_000)]))
    assert (many.statistic, many.p_value) == (0.0, 1.0)


def test_it_says_which_law_was_used():
    few, many = counted([(40, 60), (20, 80)]), counted([(20_000, 30_000), (10_000, 40_000)])
    assert ks_test(few).method == "exact, given the ties"
    found = ks_test(many)
    assert found.method == "asymptotic"
    assert "too large" in found.notes[0]
    assert ks_test(few, method="asymptotic").method == "asymptotic"


def test_the_asymptotic_law_is_kolmogorovs():
    counts = counted([(40, 60), (20, 80)])
    gap = 40 / 60 - 60 / 140
    z2 = gap**2 * 60 * 140 / 200
    series = 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * z2) for k in range(1, 50))
    assert ks_test(counts, method="asymptotic").p_value == close(series)
    one_sided = ks_test(counts, method="asymptotic", alternative="greater")
    assert one_sided.p_value == close(math.exp(-2 * z2))


def test_weights_need_a_meaning_and_are_refused_with_what_to_use():
    y, s, w = [1, 1, 0, 0, 0], [5, 3, 4, 2, 1], [2.0, 1.0, 1.0, 1.0, 4.0]
    with pytest.raises(ValueError, match="weight_kind"):
        ks_test(cap.count_scores(y, s, weight=w))
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    for method in ("auto", "exact", "asymptotic"):
        with pytest.raises(ValueError, match=r"weighted rows; discrimination_test\(counts\)"):
            ks_test(counts, method=method)


def test_frequency_weights_are_repetition():
    y, s, w = [1, 1, 0, 0, 0], [5, 3, 4, 2, 1], [2, 1, 1, 1, 4]
    weighted = cap.count_scores(y, s, weight=w, weight_kind="frequency")
    repeated = cap.count_scores(np.repeat(y, w), np.repeat(s, w))
    assert ks_test(weighted) == ks_test(repeated)


@pytest.mark.parametrize("wrong", [{"alternative": "more"}, {"method": "fast"}])
def test_unknown_words_are_refused(wrong):
    with pytest.raises(ValueError, match="must be one of"):
        ks_test(counted([(1, 2), (2, 1)]), **wrong)


@given(st.integers(1, 7), st.integers(1, 7), st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5]))
def test_the_critical_value_is_the_smallest_rare_gap(n1, n0, alpha):
    widest = [max(map(abs, gaps(*d))) for d in dealings([1] * (n1 + n0), n1)]
    rare = [g for g in sorted(set(widest)) if share_of(w >= g for w in widest) <= alpha]
    found = smirnov_critical_value(n1 + n0, n1, alpha)
    if rare:
        assert found == close(rare[0])
    else:
        assert found is None


SHAPES = [(10_000, 517), (9_999, 3333), (10_000, 1)]


@pytest.mark.parametrize(
    ("n", "n1"), [(10_000, 30), *(pytest.param(*each, marks=pytest.mark.merge) for each in SHAPES)]
)
def test_beyond_the_limit_the_critical_value_hardly_changes(n, n1):
    exact = smirnov_critical_value(n, n1, 0.05)
    beyond = smirnov_critical_value(2 * n, 2 * n1, 0.05) if n1 > 1 else None
    same_shape = smirnov_critical_value(n + 2, n1, 0.05)
    assert exact * 0.999 <= same_shape <= exact * 1.02
    if beyond:
        assert beyond == pytest.approx(exact / math.sqrt(2), rel=0.05)


def test_critical_values_ask_for_two_classes_and_a_level():
    with pytest.raises(ValueError, match="both classes"):
        smirnov_critical_value(5, 5, 0.05)
    with pytest.raises(ValueError, match="alpha"):
        smirnov_critical_value(5, 2, 1.5)


def test_the_gap_of_a_critical_value_is_as_rare_as_it_says():
    n, n1, alpha = 60, 25, 0.05
    pairs = n1 * (n - n1)
    gap = round(smirnov_critical_value(n, n1, alpha) * pairs)
    here, wider = (
        gap_chance(np.ones(n, dtype=np.int64), n1, each, "two-sided") for each in (gap, gap - 5)
    )
    assert here <= alpha < wider


@pytest.mark.parametrize("few", [3, 5, 20])
def test_few_positives_among_many_have_the_exact_law(few):
    # All on top, or all at the bottom: two of all dealings.
    y = np.repeat([1, 0], [few, 20_000])
    found = ks_test(cap.count_scores(y, -np.arange(len(y))))
    assert found.method == "exact, given the ties"
    assert found.p_value == close(2 / math.comb(len(y), few), rel=1e-8)


@pytest.mark.parametrize(("few", "gap"), [(3, 0.6), (5, 0.5), (20, 0.3), (20, 0.45)])
def test_among_very_many_few_positives_have_the_law_of_one_sample(few, gap):
    n = 10**6
    found = gap_chance(np.ones(n, dtype=np.int64), few, round(gap * few * (n - few)), "two-sided")
    assert found == pytest.approx(stats.kstwo.sf(gap, few), rel=3e-4)


def test_the_exact_law_of_many_cases_is_near_that_of_large_samples():
    rng = np.random.default_rng(8)
    y = rng.random(100_000) < 0.05
    counts = cap.count_scores(y, rng.normal(size=len(y)))
    exact, large = (ks_test(counts, method=method).p_value for method in ("exact", "asymptotic"))
    assert exact < large == pytest.approx(exact, rel=0.03)


def test_the_exact_law_refuses_what_it_could_not_finish():
    many = cap.ScoreCounts.from_counts([2, 1], [10**12, 1], [1, 10**12])
    with pytest.raises(ValueError, match="too many for the exact law: 20,000,000 at most"):
        ks_test(many, method="exact")
    assert ks_test(many).p_value == 0

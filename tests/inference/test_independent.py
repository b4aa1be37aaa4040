"""AUCs of different rows, and of today against first validation."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import capcurve as cap
from capcurve.inference import confidence_interval, test_against_initial
from capcurve.inference.independent import difference_limits
from capcurve.inference.variances import auc_variance

# In AUC, as the independent numbers are.
compare_independent = functools.partial(cap.compare_independent, metric="roc_auc")

ALTERNATIVES = ("two-sided", "superior", "inferior", "non-inferior", "equivalent")


def close(value, rel=1e-11):
    return pytest.approx(float(value), rel=rel, abs=1e-14)


def near(limits, tolerance=1e-9):
    return pytest.approx(limits, abs=tolerance)


@pytest.fixture
def good():
    return cap.ScoreCounts.from_counts([4, 3, 2, 1], [20, 12, 6, 2], [10, 30, 60, 100])


@pytest.fixture
def poor():
    return cap.ScoreCounts.from_counts([4, 3, 2, 1], [9, 8, 7, 6], [10, 20, 30, 40])


def test_welch_is_student_with_the_sizes_of_both_samples(good, poor):
    found = compare_independent(good, poor, law="welch")
    d = cap.roc_auc(good) - cap.roc_auc(poor)
    v1, v2 = auc_variance(good), auc_variance(poor)
    df = (v1 + v2) ** 2 / (v1**2 / (good.n - 1) + v2**2 / (poor.n - 1))
    t = d / math.sqrt(v1 + v2)
    assert (found.estimate, found.statistic, found.df) == (close(d), close(t), close(df))
    assert found.p_value == close(2 * stats.t.sf(t, df), 1e-9)
    half = stats.t.ppf(0.975, df) * math.sqrt(v1 + v2)
    assert (found.low, found.high) == (close(d - half, 1e-9), close(d + half, 1e-9))


def test_normal_has_no_degrees_of_freedom(good, poor):
    found = compare_independent(good, poor, law="normal")
    assert found.df is None
    assert found.p_value == close(2 * stats.norm.sf(found.statistic), 1e-9)


def test_the_accuracy_ratio_differs_twice_as_much(good, poor):
    area = compare_independent(good, poor)
    ratio = compare_independent(good, poor, metric="accuracy_ratio")
    assert (ratio.estimate, ratio.se) == (close(2 * area.estimate), close(2 * area.se))
    assert (ratio.p_value, ratio.df) == (close(area.p_value), None)
    assert ratio.estimates["first"] == close(cap.accuracy_ratio(good))


def test_margins_apply(good, poor):
    plain = compare_independent(good, poor, law="normal")
    found = compare_independent(poor, good, law="normal", alternative="non-inferior", margin=0.05)
    assert found.p_value == close(stats.norm.sf((0.05 - plain.estimate) / plain.se), 1e-9)
    with pytest.raises(ValueError, match="law"):
        compare_independent(good, poor, law="student")


def test_the_formula_of_the_variance_can_be_chosen(good, poor):
    found = compare_independent(good, poor, variance="ij", law="normal")
    expected = auc_variance(good, "ij") + auc_variance(poor, "ij")
    assert found.se == close(math.sqrt(expected))


def test_a_perfect_sample_is_not_certain(poor):
    perfect = cap.count_scores([1] * 4 + [0] * 9, range(13, 0, -1))
    found = compare_independent(perfect, poor, law="normal")
    assert found.se > math.sqrt(auc_variance(poor)) * 1.001
    assert any("no spread" in note for note in found.notes)


def test_the_ecb_test_takes_the_initial_value_as_known(good):
    s = math.sqrt(auc_variance(good))
    found = test_against_initial(good, 0.9)
    assert found.statistic == close((0.9 - cap.roc_auc(good)) / s)
    assert found.p_value == close(stats.norm.sf(found.statistic), 1e-9)
    assert found.se == close(s)
    assert any("12.2%" in note for note in found.notes)
    better = test_against_initial(good, 0.6)
    assert better.p_value > 0.99


def test_the_note_on_true_size_is_the_formula():
    assert stats.norm.sf(stats.norm.isf(0.05) / math.sqrt(2)) == pytest.approx(0.122, abs=5e-4)


def test_two_samples_add_their_variances_and_join_their_limits(good, poor):
    found = test_against_initial(poor, good)
    known = test_against_initial(poor, cap.roc_auc(good))
    assert found.estimate == close(known.estimate)
    assert found.se == close(math.hypot(known.se, math.sqrt(auc_variance(good))))
    assert found.p_value > known.p_value
    assert found.p_value == close(compare_independent(good, poor, alternative="superior").p_value)
    assert not any("12.2%" in note for note in found.notes)


def joined(first, second, level, metric="roc_auc", alternative="two-sided"):
    if alternative == "two-sided":
        one, two = (confidence_interval(counts, metric, level=level) for counts in (first, second))
    else:  # one-sided limits are certificates
        one, two = (certified(counts, metric, (1 + level) / 2) for counts in (first, second))
    estimate = one.estimate - two.estimate
    down = math.hypot(one.estimate - one.low, two.high - two.estimate)
    up = math.hypot(one.high - one.estimate, two.estimate - two.low)
    return estimate - down, estimate + up


def certified(counts, metric, level):
    lower, upper = (
        confidence_interval(counts, metric, level=level, side=side) for side in ("lower", "upper")
    )
    return replace(lower, high=upper.high)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy_ratio"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_limits_of_a_difference_join_those_of_both_samples(good, poor, metric, level):
    found = compare_independent(good, poor, level=level, metric=metric)
    assert (found.low, found.high) == near(joined(good, poor, level, metric))
    assert found.low != close(found.estimate - (found.high - found.estimate), 1e-5)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_test_rejects_if_and_only_if_its_limits_exclude_what_is_asked(good, poor, alternative):
    # Joined limits at the level of the p-value end at the very value that is asked about.
    margins = (None,) if alternative == "two-sided" else (0.02, 0.1, 0.25)
    for first, second, margin in [
        (a, b, m) for a, b in ((good, poor), (poor, good)) for m in margins
    ]:
        found = compare_independent(first, second, alternative=alternative, margin=margin)
        p, m = found.p_value, margin or 0.0
        if alternative == "two-sided":
            assert min(map(abs, joined(first, second, 1 - p))) == pytest.approx(0, abs=1e-9)
            continue
        # Limits that each miss by p; where p is above 1/2 the estimate is on the other side.
        low, high = joined(first, second, abs(1 - 2 * p), alternative=alternative)
        edges = {"superior": m, "non-inferior": -m, "inferior": -m}
        if alternative == "equivalent":
            ends = [low + m, high - m] if p < 0.5 else [high + m, low - m]
            assert min(map(abs, ends)) == pytest.approx(0, abs=1e-9)
        else:
            edge = edges[alternative]
            ends = (high, low) if (alternative == "inferior") == (p < 0.5) else (low, high)
            assert ends[0] == pytest.approx(edge, abs=1e-9)


@pytest.mark.merge
def test_the_default_keeps_its_size_where_one_sample_is_small():
    # The same population: 8 positives now, 150 before. Welch's t reports a loss in 15% and more.
    rng, runs, hits = np.random.default_rng(5), 120, 0
    sizes = ((150, 1500), (8, 80))
    for _ in range(runs):
        before, now = (
            cap.count_scores(y, rng.normal(size=len(y)) + 1.8 * y)
            for y in (np.arange(n1 + n0) < n1 for n1, n0 in sizes)
        )
        hits += compare_independent(before, now, alternative="superior").p_value <= 0.05
    assert hits / runs < 0.1


def test_limits_of_a_drop_take_counts_intervals_and_known_numbers(good, poor):
    known = cap.accuracy_ratio(good)
    one_sided = {"metric": "accuracy_ratio", "level": 0.95}
    both = difference_limits(good, poor, 0.95)
    assert (both.low, both.high) == near(joined(good, poor, 0.9, "accuracy_ratio", "superior"))
    assert both.estimate == close(known - cap.accuracy_ratio(poor))
    # Of a number that is known without error the limits are those of the other, from there.
    drop = difference_limits(known, poor, 0.95)
    low = confidence_interval(poor, side="lower", **one_sided).low
    high = confidence_interval(poor, side="upper", **one_sided).high
    assert (drop.low, drop.high) == near((known - high, known - low))
    # An interval of an earlier sample, at the level that is asked for or at another one.
    saved = confidence_interval(good, "accuracy_ratio", level=0.9)
    again = difference_limits(saved, poor, 0.95)
    assert (again.low, again.high) == near((both.low, both.high))
    other = difference_limits(confidence_interval(good, "accuracy_ratio"), poor, 0.95)
    assert (other.low, other.high) == pytest.approx((both.low, both.high), abs=0.01)
    assert drop.low > both.low
    assert drop.high < both.high
    perfect = difference_limits(
        confidence_interval(good.__class__.from_counts([2, 1], [9, 0], [0, 30]), "accuracy_ratio"),
        poor,
        0.95,
    )
    assert -0.5 < perfect.low < perfect.estimate < perfect.high <= 2
    with pytest.raises(ValueError, match=r"0\.5 or more"):
        difference_limits(good, poor, 0.4)


def test_clusters_in_one_sample_keep_their_jackknife():
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 300), rng.normal(size=300)
    plain = cap.count_scores(y, s + y)
    grouped = cap.count_scores(y, s, cluster=np.arange(300) // 3)
    found = compare_independent(plain, grouped)
    assert (found.low, found.high) == near(joined(plain, grouped, 0.95))
    assert "jackknife" in found.method
    assert "MOVER" in found.method
    paired = compare_independent(grouped, grouped)
    assert (paired.estimate, paired.se, paired.p_value) == (0, 0, 1)


def test_an_initial_accuracy_ratio_says_so(good):
    area = test_against_initial(good, 0.9)
    ratio = test_against_initial(good, 0.8, metric="accuracy_ratio")
    assert (ratio.statistic, ratio.p_value) == (close(area.statistic), close(area.p_value))
    assert ratio.estimates == {
        "initial": close(0.8),
        "current": close(cap.accuracy_ratio(good)),
    }


def test_more_scores_than_grades_are_warned_of():
    rng = np.random.default_rng(0)
    few = cap.count_scores(rng.integers(0, 2, 300), np.arange(300) % 30)
    test_against_initial(few, 0.5)
    many = cap.count_scores(rng.integers(0, 2, 310), np.arange(310) % 31)
    with pytest.warns(UserWarning, match="31 distinct scores") as caught:
        found = test_against_initial(many, 0.5)
    assert caught[0].filename == __file__
    assert any("grades" in note for note in found.notes)


@pytest.mark.parametrize("wrong", [1.2, -0.1, math.nan])
def test_impossible_initial_values_are_refused(good, wrong):
    with pytest.raises(ValueError, match="initial"):
        test_against_initial(good, wrong)


@pytest.mark.parametrize("wrong", [True, "0.8", None])
def test_an_initial_value_is_a_number_or_counts(good, wrong):
    with pytest.raises(TypeError, match="initial"):
        test_against_initial(good, wrong)


def test_a_perfect_current_sample_gives_a_number():
    perfect = cap.count_scores([1] * 4 + [0] * 9, range(13, 0, -1))
    reversed_ = cap.count_scores([0] * 9 + [1] * 4, range(13, 0, -1))
    assert 0.5 <= test_against_initial(perfect, 0.9).p_value < 1
    assert test_against_initial(reversed_, 0.9).p_value < 0.01


@pytest.mark.merge
def test_the_two_sample_form_keeps_its_size_and_the_ecb_form_does_not():
    rng, hits, runs = np.random.default_rng(11), np.zeros(2), 400
    y = np.repeat([1, 0], [400, 1600])
    for _ in range(runs):
        counts = [
            cap.count_scores(y, np.digitize(rng.normal(size=2000) + 0.8 * y, [-1, 0, 0.5, 1, 2]))
            for _ in range(2)
        ]
        for k, initial in enumerate((cap.roc_auc(counts[0]), counts[0])):
            hits[k] += test_against_initial(counts[1], initial).p_value < 0.05
    known, sampled = hits / runs
    assert 0.085 < known < 0.16
    assert 0.025 < sampled < 0.08


def test_what_is_no_sample_is_refused():
    counts = cap.ScoreCounts.from_counts([2, 1], [2, 1], [1, 2])
    with pytest.raises(TypeError, match=r"compare_independent takes counts, got float"):
        compare_independent(counts, 0.5)

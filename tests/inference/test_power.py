"""Plans: what is found as often as they say, and the smallest size that suffices."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import capcurve as cap
from capcurve.inference import (
    compare,
    compare_independent,
    discrimination_test,
    power,
    sample_size,
    test_against_initial,
)
from capcurve.inference.planning import binormal_variance


def close(value, rel=1e-10):
    return pytest.approx(float(value), rel=rel)


@pytest.mark.parametrize(
    ("auc", "n1", "n0", "spread"), [(0.7, 30, 30, 1.0), (0.9, 7, 40, 1.0), (0.8, 12, 60, 2.0)]
)
def test_the_planning_variance_is_that_of_normal_scores(auc, n1, n0, spread):
    # Chances of two orderings as bivariate normal integrals, by another route.
    def both(correlation):
        law = stats.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
        h = stats.norm.ppf(auc)
        return law.cdf([h, h])

    q1, q2 = both(1 / (1 + spread**2)), both(spread**2 / (1 + spread**2))
    expected = auc * (1 - auc) + (n1 - 1) * (q1 - auc**2) + (n0 - 1) * (q2 - auc**2)
    found = binormal_variance(auc, n1, n0, spread)
    assert found == pytest.approx(expected / n1 / n0, rel=1e-6)


def test_the_planning_variance_at_one_half_is_that_of_drawing_lots():
    assert binormal_variance(0.5, 13, 29) == close(43 / 12 / 13 / 29)


def test_one_score_against_lots_by_hand():
    lots, own = math.sqrt(101 / 12 / 2500), math.sqrt(binormal_variance(0.65, 50, 50))
    reach = stats.norm.isf(0.025) * lots
    expected = stats.norm.sf((reach - 0.15) / own) + stats.norm.cdf((-reach - 0.15) / own)
    assert power(0.65, 50, 50) == close(expected)
    one_sided = stats.norm.sf((stats.norm.isf(0.05) * lots - 0.15) / own)
    assert power(0.65, 50, 50, alternative="superior") == close(one_sided)


def test_nothing_to_find_is_found_as_often_as_alpha():
    for alpha in (0.01, 0.05, 0.2):
        assert power(0.5, 40, 90, alpha=alpha) == close(alpha)
        for words in ({"design": "paired", "correlation": 0.6}, {"design": "unpaired"}):
            found = power(0.8, 4000, 9000, versus=0.8, alpha=alpha, **words)
            assert found == close(alpha, rel=0.03)
            assert power(0.8, 40, 90, versus=0.8, alpha=alpha, **words) < alpha


def test_non_inferior_is_superior_to_a_lower_value():
    words = {"design": "paired", "versus": 0.75, "correlation": 0.7}
    at_margin = power(0.72, 10_000, 40_000, alternative="non-inferior", margin=0.03, **words)
    assert at_margin == close(0.05, rel=0.02)
    found = power(0.75, 1000, 4000, alternative="non-inferior", margin=0.01, **words)
    # Of many cases the law is normal, and errors hardly vary.
    by_hand = math.sqrt(2 * binormal_variance(0.75, 1000, 4000) * 0.3)
    assert found == pytest.approx(stats.norm.sf(stats.norm.isf(0.05) - 0.01 / by_hand), abs=0.005)


def test_unpaired_is_paired_without_correlation_in_large_samples():
    paired = power(0.8, 2000, 8000, versus=0.785, design="paired", correlation=0.0)
    unpaired = power(0.8, 2000, 8000, versus=0.785, design="unpaired")
    assert unpaired == pytest.approx(paired, abs=0.005)
    more = power(0.8, 2000, 8000, versus=0.785, design="paired", correlation=0.8)
    assert more > paired + 0.2


def test_one_case_of_a_class_shows_no_difference():
    assert power(0.9, 1, 50, versus=0.6, design="unpaired") == 0
    assert power(0.9, 50, 1, versus=0.6, design="paired", correlation=0.5) == 0


def test_inferior_is_superior_seen_from_the_other_side():
    words = {"design": "unpaired", "margin": 0.02}
    one = power(0.8, 50, 200, versus=0.7, alternative="superior", **words)
    assert power(0.7, 50, 200, versus=0.8, alternative="inferior", **words) == close(one, 1e-3)


def test_equivalence_needs_both_sides():
    words = {"versus": 0.75, "design": "paired", "correlation": 0.9}
    se = math.sqrt(2 * binormal_variance(0.75, 4000, 16_000) * 0.1)
    reach = stats.norm.isf(0.05)
    expected = 2 * stats.norm.cdf(0.008 / se - reach) - 1
    found = power(0.75, 4000, 16_000, alternative="equivalent", margin=0.008, **words)
    assert 0.3 < found == pytest.approx(expected, abs=0.01)
    assert power(0.75, 5, 5, alternative="equivalent", margin=0.03, **words) < 0.01


def test_accuracy_ratios_are_half_as_far():
    area = power(0.8, 50, 200, versus=0.74, design="unpaired", alternative="superior", margin=0.01)
    ratio = power(
        0.6,
        50,
        200,
        versus=0.48,
        design="unpaired",
        alternative="superior",
        margin=0.02,
        metric="accuracy_ratio",
    )
    assert ratio == close(area)
    assert power(0.3, 50, 50, metric="accuracy_ratio") == close(power(0.65, 50, 50))


DESIGNS = [
    {},
    {"versus": 0.72},
    {"versus": 0.72, "alternative": "superior", "margin": 0.01},
    {"versus": 0.72, "design": "paired", "correlation": 0.8},
    {"versus": 0.72, "design": "unpaired", "spread": 1.5},
    {"versus": 0.79, "design": "paired", "correlation": 0.5, "alternative": "non-inferior"},
    {"versus": 0.79, "design": "unpaired", "alternative": "equivalent"},
]


@pytest.mark.merge
@pytest.mark.parametrize("words", DESIGNS, ids=str)
@settings(max_examples=settings.default.max_examples // 2, deadline=None)
@given(st.floats(0.51, 0.99), st.floats(0.01, 0.9), st.sampled_from([0.01, 0.05]))
def test_the_smallest_size_that_suffices(words, wanted, prevalence, alpha):
    if words.get("alternative") in {"non-inferior", "equivalent"}:
        words = {**words, "margin": 0.03}
    found = sample_size(0.78, prevalence=prevalence, power=wanted, alpha=alpha, **words)
    reached = power(0.78, found.n1, found.n0, alpha=alpha, **words)
    assert reached == found.power >= wanted
    assert found.n == found.n1 + found.n0
    assert found.n1 / found.n <= prevalence + 1e-12 or found.n0 == 1
    if found.n1 > 1:
        fewer = found.n1 - 1
        n0 = max(1, math.ceil(fewer * (1 - prevalence) / prevalence))
        assert power(0.78, fewer, n0, alpha=alpha, **words) < wanted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"design": "paired", "versus": 0.7}, "correlation"),
        ({"design": "unpaired", "versus": 0.7, "correlation": 0.5}, "correlation"),
        ({"design": "paired", "correlation": 0.5}, "versus"),
        ({"design": "paired", "versus": 0.7, "correlation": 1.0}, "between -1 and 1"),
        ({"design": "crossed"}, "design"),
        ({"versus": 1.0}, "versus"),
        ({"alpha": 0}, "alpha"),
        ({"spread": 0}, "spread"),
        ({"margin": 0.1}, "direction"),
    ],
)
def test_plans_without_sense_are_refused(words, message):
    with pytest.raises(ValueError, match=message):
        power(0.8, 50, 50, **words)


@pytest.mark.merge
def test_sizes_that_no_number_of_cases_reaches():
    with pytest.raises(ValueError, match="no number of cases"):
        sample_size(0.7, prevalence=0.2, versus=0.7)
    with pytest.raises(ValueError, match="no number of cases"):
        sample_size(
            0.7,
            prevalence=0.2,
            versus=0.8,
            design="unpaired",
            alternative="non-inferior",
            margin=0.05,
        )
    with pytest.raises(ValueError, match="above alpha"):
        sample_size(0.7, prevalence=0.2, power=0.05)
    with pytest.raises(ValueError, match="prevalence"):
        sample_size(0.7, prevalence=0)
    with pytest.raises(ValueError, match="n1"):
        power(0.7, 0, 10)


@pytest.mark.parametrize(
    ("first", "second", "sizes", "found"),
    # Of 600 pairs of samples of normal scores each, by `compare_independent`.
    [
        (0.9, 0.8, (30, 270), 0.382),
        (0.85, 0.6, (20, 20), 0.540),
        (0.95, 0.85, (40, 360), 0.725),
        (0.8, 0.7, (300, 30), 0.282),
    ],
)
def test_two_samples_are_planned_with_the_limits_that_test_them(first, second, sizes, found):
    planned = power(first, *sizes, versus=second, design="unpaired")
    assert planned == pytest.approx(found, abs=0.05)


@pytest.mark.merge
def test_planned_is_what_is_found():
    rng, runs, n1, n0 = np.random.default_rng(6), 400, 60, 180
    y = np.repeat([1, 0], [n1, n0])

    def scores(auc, shared=None):
        error = rng.normal(size=n1 + n0)
        if shared is not None:
            error = math.sqrt(0.8) * shared + math.sqrt(0.2) * error
        return error + math.sqrt(2) * stats.norm.ppf(auc) * y

    def paired():
        shared = rng.normal(size=n1 + n0)
        return cap.count_joint(y, {"a": scores(0.8, shared), "b": scores(0.75, shared)})

    pilot = np.mean([np.array(compare(paired()).covariance) for _ in range(50)], axis=0)
    correlation = pilot[0, 1] / math.sqrt(pilot[0, 0] * pilot[1, 1])
    cases = {
        "lots": (
            power(0.6, n1, n0),
            lambda: discrimination_test(cap.count_scores(y, scores(0.6)), method="normal"),
        ),
        "unpaired": (
            power(0.85, n1, n0, versus=0.75, design="unpaired"),
            lambda: compare_independent(
                *(cap.count_scores(y, scores(auc)) for auc in (0.85, 0.75))
            ),
        ),
        "paired": (
            power(0.8, n1, n0, versus=0.75, design="paired", correlation=correlation),
            lambda: compare(paired()),
        ),
    }
    for planned, test in cases.values():
        found = np.mean([test().p_value < 0.05 for _ in range(runs)])
        assert found == pytest.approx(planned, abs=0.075)


def test_the_ecb_test_can_be_planned():
    found = power(0.75, 100, 900, versus=0.8, alternative="inferior")
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [100, 900])
    hits = 0
    for _ in range(300):
        s = rng.normal(size=1000) + math.sqrt(2) * stats.norm.ppf(0.75) * y
        with pytest.warns(UserWarning, match="grades"):
            hits += test_against_initial(cap.count_scores(y, s), 0.8).p_value < 0.05
    assert hits / 300 == pytest.approx(found, abs=0.08)


def test_a_detectable_drop_is_shown_with_the_power_asked_for():
    for n1, n0, initial, margin in (
        (30, 970, None, 0.0),
        (200, 1800, (500, 4500), 0.0),
        (200, 1800, None, 0.05),
    ):
        drop = cap.detectable_drop(n1, n0, 0.6, power=0.9, initial=initial, margin=margin)
        before, after = 0.8, (1 + 0.6 - drop) / 2
        se = math.sqrt(
            binormal_variance(after, n1, n0)
            + (binormal_variance(before, *initial) if initial else 0.0)
        )
        shown = stats.norm.cdf((before - after - margin / 2) / se - stats.norm.isf(0.05))
        assert shown == pytest.approx(0.9, abs=1e-6)


def test_a_detectable_drop_shrinks_with_the_sample_and_grows_with_the_margin():
    drops = [cap.detectable_drop(n1, 19 * n1, 0.6) for n1 in (10, 30, 100, 300, 1000)]
    assert drops == sorted(drops, reverse=True)
    assert cap.detectable_drop(100, 900, 0.6, margin=0.05) > 0.05 + 0.9 * drops[2]
    in_auc = cap.detectable_drop(100, 1900, 0.8, metric="roc_auc")
    assert 2 * in_auc == pytest.approx(drops[2], abs=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"versus": 1.2}, "versus must be between -1 and 1, got 1.2"),
        ({"versus": 0.6, "margin": 2}, "shows no fall from 0.6 to exceed 2"),
        ({"versus": 0.6, "power": 0}, "power"),
        ({"versus": 0.6, "initial": (0, 5)}, "initial must be a whole number"),
    ],
)
def test_a_detectable_drop_needs_numbers_that_make_sense(words, said):
    with pytest.raises(ValueError, match=said):
        cap.detectable_drop(30, 970, **words)

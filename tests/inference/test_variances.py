"""Variances of the AUC: by hand, by full enumeration, of weights, of huge counts."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import capcurve as cap
import reference as exact
from capcurve.inference.designs import effective_sizes
from capcurve.inference.records import Confidence
from capcurve.inference.variances import (
    auc_variance,
    deviations,
    metric_estimates,
    null_variance,
)
from laws import strategies as some

close = pytest.approx
# Chances of three tied scores for a positive and for a negative.
POSITIVE = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
NEGATIVE = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))


def grades(positives, negatives):
    return cap.ScoreCounts.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


def multinomials(cases, chances):
    """List every table of so many cases with its chance."""
    for table in itertools.product(range(cases + 1), repeat=len(chances)):
        if sum(table) == cases:
            ways = math.factorial(cases)
            for count in table:
                ways //= math.factorial(count)
            yield table, ways * math.prod(c**k for c, k in zip(chances, table, strict=True))


def samples(n1, n0):
    for p, chance1 in multinomials(n1, POSITIVE):
        for n, chance0 in multinomials(n0, NEGATIVE):
            yield p, n, chance1 * chance0


def true_variance(n1, n0):
    aucs = [(exact.auc(exact.grades(p, n)), chance) for p, n, chance in samples(n1, n0)]
    mean = sum(auc * chance for auc, chance in aucs)
    return sum((auc - mean) ** 2 * chance for auc, chance in aucs)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3)])
def test_delong_is_too_large_and_the_jackknife_too_small_on_average(sizes):
    truth = float(true_variance(*sizes))
    mean = {
        kind: sum(
            float(chance) * auc_variance(grades(p, n), kind) for p, n, chance in samples(*sizes)
        )
        for kind in ("delong", "ij")
    }
    assert 1.03 * truth < mean["delong"] < 1.1 * truth
    assert mean["ij"] < 0.72 * truth


@pytest.mark.parametrize(
    ("positives", "negatives", "expected"),
    [
        ([1, 1, 1, 0, 0], [0, 0, 0, 1, 1], Fraction(1, 12)),
        ([1] * 4 + [0] * 6, [0] * 4 + [1] * 6, Fraction(11, 288)),
        ([1] * 3 + [0] * 12, [0] * 3 + [1] * 12, Fraction(1, 27)),
        ([0, 3, 1], [2, 1, 1], None),
        ([2, 0, 0, 3], [1, 2, 1, 0], None),
    ],
)
def test_null_variance_is_that_of_all_labelings(positives, negatives, expected):
    cells = [k for k, count in enumerate(np.add(positives, negatives)) for _ in range(count)]
    aucs = []
    for chosen in itertools.combinations(range(len(cells)), sum(positives)):
        p = [sum(cells[i] == k for i in chosen) for k in range(len(positives))]
        n = list(np.add(positives, negatives) - p)
        aucs.append(exact.auc(exact.grades([int(v) for v in p], [int(v) for v in n])))
    mean = Fraction(sum(aucs), len(aucs))
    truth = sum((auc - mean) ** 2 for auc in aucs) / len(aucs)
    assert mean == Fraction(1, 2)
    assert null_variance(grades(positives, negatives)) == float(truth)
    assert expected is None or truth == expected


def test_null_variance_of_ties_whose_cubes_overflow():
    n = 10**12
    counts = grades([n, n], [n, n])
    cases = 4 * n
    tied = Fraction(2 * ((2 * n) ** 3 - 2 * n), cases * (cases - 1))
    assert null_variance(counts) == float((cases + 1 - tied) / (12 * (2 * n) ** 2))


@given(some.rows(), st.sampled_from(["delong", "ij"]))
def test_variances_follow_their_definition(data, kind):
    y, s = data
    y, s = np.append(y, [0, 1]), np.append(s, [0.0, 0.0])
    counts = cap.count_scores(y, s)
    won = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    ddof = 1 if kind == "delong" else 0
    parts = [won.mean(axis=1), won.mean(axis=0)]
    expected = sum(v.var(ddof=ddof) / len(v) for v in parts)
    assert auc_variance(counts, kind) == close(expected, rel=1e-10, abs=1e-16)


@given(some.grade_tables())
def test_directions_and_classes_may_be_exchanged(table):
    p, n = table
    p, n = np.append(p, 2), np.append(n, 2)
    counts, exchanged = grades(p, n), grades(n, p)
    turned = grades(p[::-1], n[::-1])
    for kind in ("delong", "ij"):
        found = auc_variance(counts, kind)
        assert auc_variance(turned, kind) == close(found, rel=1e-9, abs=1e-15)
        assert auc_variance(exchanged, kind) == close(found, rel=1e-9, abs=1e-15)


def test_hanley_mcneil_gives_each_class_its_own_term():
    # A = 3/4, Q1 = 3/5 with n1 - 1 = 1, Q2 = 9/14 with n0 - 1 = 3.
    counts = grades([1, 1], [0, 4])
    q1, q2, a = Fraction(3, 5), Fraction(9, 14), Fraction(3, 4)
    expected = (a * (1 - a) + 1 * (q1 - a**2) + 3 * (q2 - a**2)) / 8
    assert cap.roc_auc(counts) == 0.75
    assert auc_variance(counts, "hanley_mcneil") == close(float(expected), rel=1e-14)


def largest_variance(counts):
    """Return the variance that no score of this AUC exceeds: Bamber (1975), eq. 7."""
    auc = cap.roc_auc(counts)
    return auc * (1 - auc) / min(counts.n1, counts.n0)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.975, 0.99])
@pytest.mark.parametrize("n1", [10, 20, 30, 40, 50, 60, 80, 100])
def test_widest_intervals_of_basel_wp14_table_2(n1, level):
    counts = grades([3 * n1, 0, n1], [0, 10 * n1, 0])  # four times as many positives
    assert cap.roc_auc(counts) == 0.75
    width = 2 * Confidence(level).z * math.sqrt(4 * auc_variance(counts, "ij"))
    assert width == close(2 * Confidence(level).z * math.sqrt(0.1875 / n1), rel=1e-12)


def test_the_widest_interval_of_ten_defaulters():
    # 2·1.959964·sqrt(0.1875/10)
    counts = grades([30, 0, 10], [0, 100, 0])
    width = 2 * Confidence(0.95).z * math.sqrt(4 * auc_variance(counts, "ij"))
    assert round(width, 4) == 0.5368


@given(some.grade_tables())
def test_no_score_of_an_auc_varies_more_than_one_that_separates_or_reverses(table):
    p, n = table
    counts = grades(p, n)
    if min(counts.n1, counts.n0) >= 2:
        assert auc_variance(counts, "ij") <= largest_variance(counts) * (1 + 1e-12)


@given(some.grade_tables(), st.sampled_from([10**6, 10**12]))
def test_huge_counts_lose_no_digits(table, factor):
    p, n = table
    small, large = grades(p, n), grades(p * factor, n * factor)
    if cap.roc_auc(small) in {0, 1} or small.n1 < 2 or small.n0 < 2:
        return
    expected = auc_variance(small, "ij") / factor
    assert auc_variance(large, "ij") == close(expected, rel=1e-12)
    assert auc_variance(large) == close(expected, rel=1e-5)
    assert null_variance(large) == close(null_variance(large), rel=1e-12)


def test_an_auc_a_hair_below_one_keeps_its_variance():
    # One of 10^9 positives stands below all 10^9 negatives.
    n = 10**9
    found = auc_variance(grades([n - 1, 0, 1], [0, n, 0]), "ij")
    assert found == close(float(Fraction(n - 1, n**3)), rel=1e-12)


@given(some.weighted_rows(some.fractional))
def test_weights_are_robust_row_by_row(data):
    y, s, w = data
    y, s, w = np.append(y, [0, 1]), np.append(s, [0.0, 0.0]), np.append(w, [1.0, 1.0])
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    won = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    w1, w0 = w[y == 1], w[y == 0]
    auc = (w1[:, None] * won * w0).sum() / w1.sum() / w0.sum()
    v10, v01 = won @ w0 / w0.sum(), w1 @ won / w1.sum()
    expected = ((w1 * (v10 - auc)) ** 2).sum() / w1.sum() ** 2
    expected += ((w0 * (v01 - auc)) ** 2).sum() / w0.sum() ** 2
    for kind in ("delong", "ij"):
        assert auc_variance(counts, kind) == close(expected, rel=1e-9, abs=1e-18)
    sizes = effective_sizes(counts)
    assert sizes.positives == close(w1.sum() ** 2 / (w1**2).sum(), rel=1e-12)
    assert sizes.negatives == close(w0.sum() ** 2 / (w0**2).sum(), rel=1e-12)


def test_weights_of_any_size_have_a_variance():
    y, s, w = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], np.array([1.0, 2, 3, 1, 2])
    plain = cap.count_scores(y, s, weight=w, weight_kind="exposure")
    for scale in (1e300, 1e-300):
        scaled = cap.count_scores(y, s, weight=w * scale, weight_kind="exposure")
        assert auc_variance(scaled) == close(auc_variance(plain), rel=1e-12)
        assert effective_sizes(scaled).rarer == close(effective_sizes(plain).rarer, rel=1e-12)


def test_frequency_weights_are_repetition():
    y, s, w = np.array([1, 0, 1, 0]), np.array([4, 3, 2, 1]), np.array([2, 3, 1, 4])
    weighed = cap.count_scores(y, s, weight=w, weight_kind="frequency")
    repeated = cap.count_scores(np.repeat(y, w), np.repeat(s, w))
    for kind in ("delong", "ij", "hanley_mcneil"):
        assert auc_variance(weighed, kind) == auc_variance(repeated, kind)


@given(some.rows())
def test_placements_average_to_the_auc(data):
    y, s = data
    counts = cap.count_scores(y, s)
    auc = cap.roc_auc(counts)
    won = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    columns = (counts.positives, counts.negatives)
    for column, deviation, label in zip(columns, deviations(counts), (1, 0), strict=True):
        assert ((auc + deviation) * column).sum() / column.sum() == close(auc, abs=1e-14)
        by_score = dict(zip(counts.score.tolist(), deviation.tolist(), strict=True))
        expected = won.mean(axis=label) - auc
        assert [by_score[score] for score in s[y == label].tolist()] == close(expected, abs=1e-14)


def test_covariance_follows_its_definition():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    scores = {"a": rng.integers(0, 6, 60) + y, "b": rng.standard_normal(60) + y}
    found = metric_estimates(cap.count_joint(y, scores))
    aucs, covariance = found.values, found.covariance()
    placed = []
    for s in scores.values():
        won = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        placed.append((won.mean(axis=1), won.mean(axis=0)))
    expected = sum(np.cov([p[k] for p in placed]) / len(placed[0][k]) for k in (0, 1))
    assert covariance == close(expected, rel=1e-12)
    for name, auc, variance in zip(scores, aucs, np.diag(covariance), strict=True):
        margin = cap.count_scores(y, scores[name])
        assert auc == cap.roc_auc(margin)
        assert variance == close(auc_variance(margin), rel=1e-14)


def test_equal_rankings_have_exactly_equal_covariances():
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 500), rng.integers(0, 40, 500)
    scores = {"a": s, "b": s.astype(float) ** 3, "c": -s}
    directions = {"a": "positive", "b": "positive", "c": "negative"}
    covariance = metric_estimates(cap.count_joint(y, scores, higher_is=directions)).covariance()
    assert len(set(covariance.ravel().tolist())) == 1


def test_weighted_covariance_agrees_with_the_single_score():
    rng = np.random.default_rng(6)
    y, s, w = rng.integers(0, 2, 80), rng.integers(0, 9, 80), rng.random(80) + 0.1
    joint = cap.count_joint(y, {"a": s, "b": s + 2 * y}, weight=w, weight_kind="sampling")
    found = metric_estimates(joint)
    aucs, covariance = found.values, found.covariance()
    for place, name in enumerate("ab"):
        margin = joint.margin(name)
        assert aucs[place] == close(cap.roc_auc(margin), rel=1e-14)
        assert covariance[place, place] == close(auc_variance(margin), rel=1e-12)


@pytest.mark.parametrize("kind", ["delong", "ij"])
@pytest.mark.parametrize(("p", "n"), [([1, 0], [2, 2]), ([2, 2], [0, 1])])
def test_one_case_has_no_variance(kind, p, n):
    with pytest.raises(ValueError, match="at least two"):
        auc_variance(grades(p, n), kind)


def test_what_has_no_variance_says_why():
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    unsaid = cap.count_scores(y, s, weight=[1.0, 2.0, 1.0, 1.0])
    fractions = cap.ScoreCounts.from_counts([2, 1], [1.5, 2.0], [1.0, 2.5])
    with pytest.raises(ValueError, match='weight_kind="frequency", "sampling" or "exposure"'):
        auc_variance(unsaid)
    with pytest.raises(ValueError, match="needs the rows"):
        auc_variance(fractions)
    with pytest.raises(ValueError, match="no positives"):
        auc_variance(grades([0, 0], [2, 3]), "hanley_mcneil")
    with pytest.raises(ValueError, match="variance must be one of"):
        auc_variance(grades([1, 2], [2, 3]), "bamber")
    weighed = cap.count_scores(y, s, weight=[1.0, 2.0, 1.0, 1.0], weight_kind="sampling")
    with pytest.raises(ValueError, match="no weighted form"):
        auc_variance(weighed, "hanley_mcneil")
    with pytest.raises(ValueError, match="unweighted"):
        null_variance(weighed)
    with pytest.raises(ValueError, match='weight_kind="frequency"'):
        metric_estimates(cap.count_joint(y, {"a": s}, weight=[1.0, 2.0, 1.0, 1.0]))

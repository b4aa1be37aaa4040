"""AR, AUC and ties: from pairs, from areas, from every order of the rows."""

import sys
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import strategies as some
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

import capcurve as cap
import reference as exact

DIRECTIONS = st.sampled_from(["positive", "negative"])


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-15)


@given(some.rows(), DIRECTIONS)
def test_auc_and_ar_are_the_rounded_fractions_over_pairs(data, higher_is):
    table = exact.cells(*(v.tolist() for v in data), higher_is=higher_is)
    counts = cap.count_scores(*data, higher_is=higher_is)
    assert cap.roc_auc(counts) == float(exact.auc(table))
    assert cap.accuracy_ratio(counts) == float(exact.accuracy_ratio(table))
    assert cap.gini(counts) == cap.accuracy_ratio(counts)
    assert cap.tie_mass(counts) == close(exact.ties(table))


@given(some.rows(), DIRECTIONS)
def test_ar_from_the_areas_is_twice_auc_less_one(data, higher_is):
    counts = cap.count_scores(*data, higher_is=higher_is)
    model, perfect, random = (
        draw(counts).area for draw in (cap.cap_curve, cap.perfect_cap, cap.random_cap)
    )
    allowed = 2 * sys.float_info.epsilon / (1 - counts.prevalence)
    ratio = (model - random) / (perfect - random)
    assert abs(ratio - (2 * cap.roc_auc(counts) - 1)) <= allowed


@given(some.rows(), DIRECTIONS)
def test_areas_are_those_of_the_exact_polylines(data, higher_is):
    table = exact.cells(*(v.tolist() for v in data), higher_is=higher_is)
    counts = cap.count_scores(*data, higher_is=higher_is)
    n1, n0 = exact.totals(table)
    assert cap.cap_curve(counts).area == pytest.approx(float(exact.area(exact.cap(table))), 4e-16)
    assert cap.roc_curve(counts).area == pytest.approx(float(exact.auc(table)), 4e-16)
    assert cap.perfect_cap(counts).area == pytest.approx(float(1 - n1 / (n1 + n0) / 2), 4e-16)
    assert cap.random_cap(counts).area == 0.5


@given(some.rows())
def test_flipping_labels_or_direction_negates_ar(data):
    y, s = data
    ratio = cap.accuracy_ratio(cap.count_scores(y, s))
    assert cap.accuracy_ratio(cap.count_scores(1 - y, s)) == -ratio
    assert cap.accuracy_ratio(cap.count_scores(y, s, higher_is="negative")) == -ratio
    assert cap.accuracy_ratio(cap.count_scores(1 - y, s, higher_is="negative")) == ratio


@given(some.rows(scores=st.integers(-9, 9).map(float)))
def test_reversing_the_direction_reverses_the_cells(data):
    up, down = cap.count_scores(*data), cap.count_scores(*data, higher_is="negative")
    assert up.score.tolist() == sorted(set(data[1].tolist()), reverse=True)
    assert down.score.tolist() == up.score.tolist()[::-1]
    assert down.positives.tolist() == up.positives.tolist()[::-1]
    assert down.negatives.tolist() == up.negatives.tolist()[::-1]


@given(some.rows())
def test_a_strictly_increasing_map_changes_only_thresholds(data):
    y, s = data
    ranks = np.unique(s, return_inverse=True)[1]
    plain, mapped = cap.count_scores(y, s), cap.count_scores(y, ranks * 7 - 3)
    assert plain.positives.tolist() == mapped.positives.tolist()
    assert plain.negatives.tolist() == mapped.negatives.tolist()
    for number in (cap.accuracy_ratio, cap.roc_auc, cap.tie_mass, cap.kendall_tau_b):
        if len(plain) > 1:
            assert number(plain) == number(mapped)
    assert cap.ks(plain).statistic == cap.ks(mapped).statistic
    assert cap.cap_curve(plain).y.tolist() == cap.cap_curve(mapped).y.tolist()
    assert cap.ks(mapped).q == cap.ks(plain).q


@given(some.rows())
def test_a_perfect_score_has_ar_one_and_the_worst_minus_one(data):
    y, s = data
    # Ranks keep the ties of the score inside each class and part the classes.
    ranks = np.unique(s, return_inverse=True)[1]
    perfect = cap.count_scores(y, ranks + y * 1000)
    assert cap.accuracy_ratio(perfect) == 1
    assert cap.roc_auc(perfect) == 1
    assert cap.ks(perfect).statistic == 1
    assert cap.accuracy_ratio(cap.count_scores(y, ranks - y * 1000)) == -1
    assert cap.cap_curve(perfect).area == cap.perfect_cap(perfect).area


@given(some.rows())
def test_a_constant_score_has_ar_zero(data):
    y, _ = data
    constant = cap.count_scores(y, np.full(len(y), 0.1))
    assert cap.accuracy_ratio(constant) == 0
    assert cap.roc_auc(constant) == 0.5
    assert cap.ks(constant).statistic == 0
    assert cap.tie_mass(constant) == 1
    bounds = cap.accuracy_ratio_bounds(constant)
    assert (bounds.low, bounds.high) == (-1, 1)


@given(some.rows())
def test_the_tie_envelope_is_the_worst_and_best_order_of_the_rows(data):
    y, s = (v.tolist() for v in data)
    bounds = cap.accuracy_ratio_bounds(cap.count_scores(y, s))
    for last, bound in ((1, bounds.low), (0, bounds.high)):
        order = sorted(zip(s, y, strict=True), key=lambda row: (-row[0], row[1] == last))
        ranked = [(i, Fraction(label), Fraction(1 - label)) for i, (_, label) in enumerate(order)]
        assert bound == close(exact.accuracy_ratio(ranked))
    table = exact.cells(y, s)
    assert bounds.low == close(exact.accuracy_ratio(table) - exact.ties(table))
    assert bounds.high == close(exact.accuracy_ratio(table) + exact.ties(table))


@given(some.rows(scores=st.integers(0, 1).map(float), max_size=3))
def test_every_order_lies_in_the_envelope_and_ar_is_their_mean(data):
    y, s = (v.tolist() for v in data)
    counts = cap.count_scores(y, s)
    bounds, ratios = cap.accuracy_ratio_bounds(counts), []
    for order in permutations(range(len(y))):
        ranked = sorted(order, key=lambda i: -s[i])
        table = [(k, Fraction(y[i]), Fraction(1 - y[i])) for k, i in enumerate(ranked)]
        ratios.append(exact.accuracy_ratio(table))
        assert bounds.low - 1e-15 <= ratios[-1] <= bounds.high + 1e-15
    assert float(min(ratios)) == close(bounds.low)
    assert float(max(ratios)) == close(bounds.high)
    assert cap.accuracy_ratio(counts) == close(sum(ratios) / len(ratios))


@given(some.rows(scores=some.finite))
def test_auc_agrees_with_scikit_learn(data):
    y, s = data
    assert cap.roc_auc(cap.count_scores(y, s)) == close(roc_auc_score(y, s))
    negated = roc_auc_score(y, -s)
    assert cap.roc_auc(cap.count_scores(y, s, higher_is="negative")) == close(negated)


@given(some.weighted_rows(some.fractional, scores=some.finite))
def test_weighted_auc_agrees_with_scikit_learn(data):
    y, s, w = data
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    assert cap.roc_auc(counts) == close(roc_auc_score(y, s, sample_weight=w))


@given(some.rows(scores=some.finite), st.floats(0.01, 0.99))
def test_partial_auc_is_exact_and_its_standard_form_is_scikit_learns(data, fpr):
    y, s = data
    counts = cap.count_scores(y, s)
    truth = exact.area(exact.roc(exact.cells(y.tolist(), s.tolist())), fpr)
    assert cap.partial_auc(counts, fpr) == pytest.approx(float(truth), rel=1e-12, abs=1e-15)
    standard = cap.partial_auc(counts, fpr, standardized=True)
    assert standard == pytest.approx(roc_auc_score(y, s, max_fpr=fpr), rel=1e-11, abs=1e-12)


@given(some.rows())
def test_the_whole_partial_auc_is_the_auc(data):
    counts = cap.count_scores(*data)
    assert cap.partial_auc(counts, 1.0) == close(cap.roc_auc(counts))


@given(some.rows(scores=some.grid), DIRECTIONS)
def test_somers_d_and_tau_b_agree_with_scipy(data, higher_is):
    y, s = data
    sign = 1 if higher_is == "positive" else -1
    counts = cap.count_scores(y, s, higher_is=higher_is)
    assert (
        cap.somers_d(counts) == cap.somers_d(counts, given="target") == cap.accuracy_ratio(counts)
    )
    # Of a constant score, scipy has no answer for the first and there is none for the others.
    if len(counts) > 1:
        assert cap.somers_d(counts) == close(stats.somersd(y, s).statistic * sign)
        given_score = stats.somersd(s, y).statistic * sign
        assert cap.somers_d(counts, given="score") == close(given_score)
        tau = stats.kendalltau(s, y).statistic * sign
        assert cap.kendall_tau_b(counts) == close(tau)


@settings(max_examples=2 * settings.default.max_examples)
@given(
    some.rows(scores=st.floats(-4, 4)),
    st.sampled_from([0.5, 0.1, 0.03, 1e-4, 5.0]),
    DIRECTIONS,
)
def test_rounding_moves_ar_by_at_most_the_tie_mass(data, resolution, higher_is):
    fine = cap.count_scores(*data, higher_is=higher_is)
    coarse = fine.at_resolution(resolution)
    assert coarse == cap.count_scores(*data, higher_is=higher_is, resolution=resolution)
    assert coarse.resolution == resolution
    assert (coarse.n1, coarse.n0) == (fine.n1, fine.n0)
    error = abs(cap.accuracy_ratio(coarse) - cap.accuracy_ratio(fine))
    assert error <= cap.tie_mass(coarse) + 1e-15


@given(some.rows(scores=st.integers(-40, 40).map(lambda k: k / 16)))
def test_resolution_floors_to_the_grid(data):
    y, s = data
    coarse = cap.count_scores(y, s, resolution=0.25)
    floors = [score // 0.25 for score in s.tolist()]
    table = exact.cells(y.tolist(), floors)
    assert coarse.positives.tolist() == [p for _, p, _ in table]
    assert coarse.negatives.tolist() == [n for _, _, n in table]
    assert cap.roc_auc(coarse) == float(exact.auc(table))


@given(some.shards(scores=st.floats(-4, 4)), some.shards(scores=st.floats(-4, 4)))
def test_rounding_and_adding_commute(a, b):
    a, b = cap.count_scores(*a), cap.count_scores(*b)
    assert (a + b).at_resolution(0.1) == a.at_resolution(0.1) + b.at_resolution(0.1)

"""Curves: exact vertices, exact readings between them, and what binds one to another."""

from fractions import Fraction

import numpy as np
import pytest
import strategies as some
from hypothesis import given, settings, strategies as st

import capcurve as cap
import reference as exact


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-14)


def graded(table):
    """Count a table of grades that is listed most likely positive first."""
    positives, negatives = table
    scores = np.arange(len(positives), 0, -1)
    return cap.ScoreCounts.from_counts(scores, positives, negatives), exact.grades(
        positives.tolist(), negatives.tolist()
    )


@given(some.rows(), st.sampled_from(["positive", "negative"]))
def test_cap_and_roc_have_one_vertex_per_distinct_score(data, higher_is):
    y, s = data
    counts = cap.count_scores(y, s, higher_is=higher_is)
    table = exact.cells(y.tolist(), s.tolist(), higher_is=higher_is)
    for curve, truth in (
        (cap.cap_curve(counts), exact.cap(table)),
        (cap.roc_curve(counts), exact.roc(table)),
    ):
        assert curve.x.tolist() == [close(x) for x, _ in truth]
        assert curve.y.tolist() == [close(y) for _, y in truth]
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
        assert list(curve.thresholds) == [score for score, _, _ in table]


@given(some.grade_tables())
def test_absolute_cap_counts_on_both_axes(table):
    counts, truth = graded(table)
    n1, n0 = exact.totals(truth)
    curve = cap.cap_curve(counts, absolute=True)
    assert curve.x.tolist() == [q * (n1 + n0) for q, _ in exact.cap(truth)]
    assert curve.y.tolist() == [c * n1 for _, c in exact.cap(truth)]
    perfect = cap.perfect_cap(counts, absolute=True)
    assert perfect.x.tolist() == [0, n1, n1 + n0]
    assert perfect.y.tolist() == [0, n1, n1]


@given(some.grade_tables(), some.shares)
def test_readings_between_vertices_are_on_the_line(table, q):
    counts, truth = graded(table)
    expected = exact.at(exact.cap(truth), q)
    assert cap.cap_curve(counts).at(q) == close(expected)
    assert cap.captured_response(counts, q) == close(expected)
    assert cap.captured_response_curve(counts).at(q) == close(expected)
    assert cap.random_cap(counts).at(q) == close(q)
    prevalence = Fraction(counts.n1, counts.n)
    assert cap.perfect_cap(counts).at(q) == close(min(1, Fraction(q) / prevalence))


@given(some.grade_tables(), st.floats(1e-6, 1))
def test_cumulative_lift_and_precision_are_exact_inside_a_grade(table, q):
    counts, truth = graded(table)
    lift = exact.at(exact.cap(truth), q) / Fraction(q)
    assert cap.lift(counts, q) == close(lift)
    assert cap.lift_curve(counts).at(q) == close(lift)
    assert cap.precision(counts, q) == close(lift * counts.n1 / counts.n)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-9, 1))
def test_a_single_grade_has_lift_one_at_any_share(positives, negatives, q):
    counts = cap.ScoreCounts.from_counts([0.5], [positives], [negatives])
    assert cap.lift(counts, q) == close(1)
    assert cap.lift_curve(counts).at(q) == close(1)
    assert cap.local_lift(counts, q) == close(1)
    assert cap.captured_response(counts, q) == close(q)


@given(some.grade_tables(), some.shares)
def test_captured_negatives_follow_from_captured_positives(table, q):
    counts, truth = graded(table)
    prevalence = Fraction(counts.n1, counts.n)
    positives = exact.at(exact.cap(truth), q)
    negatives = (Fraction(q) - prevalence * positives) / (1 - prevalence)
    assert cap.captured_response(counts, q, of="negatives") == close(negatives)
    assert cap.captured_response_curve(counts, of="negatives").at(q) == close(negatives)
    assert cap.ks_curve(counts).at(q) == close(positives - negatives)


@given(some.grade_tables(), st.sampled_from(["positives", "negatives"]))
def test_local_lift_is_the_slope_and_averages_one(table, of):
    counts, truth = graded(table)
    column = 1 if of == "positives" else 2
    n1, n0 = exact.totals(truth)
    average = Fraction(0)
    left = Fraction(0)
    curve = cap.local_lift_curve(counts, of=of)
    assert curve.step
    for cell in truth:
        width = (cell[1] + cell[2]) / (n1 + n0)
        slope = cell[column] / (n1, n0)[column - 1] / width
        middle = float(left + width / 2)
        assert cap.local_lift(counts, middle, of=of) == close(slope)
        assert curve.at(middle) == close(slope)
        average += width * Fraction(cap.local_lift(counts, middle, of=of))
        left += width
    assert float(average) == close(1)
    assert curve.area == close(1)


@given(some.grade_tables(), some.shares, some.shares)
def test_captured_between_is_a_difference_of_captures(table, a, b):
    counts, truth = graded(table)
    a, b = min(a, b), max(a, b)
    expected = exact.at(exact.cap(truth), b) - exact.at(exact.cap(truth), a)
    between = cap.captured_between(counts, a, b)
    assert between == pytest.approx(float(expected), rel=1e-11, abs=1e-14)
    whole = Fraction(counts.n1, counts.n) * expected
    negatives = (Fraction(b) - Fraction(a) - whole) / (1 - Fraction(counts.n1, counts.n))
    both = cap.captured_between(counts, a, b, of="negatives")
    assert both == pytest.approx(float(negatives), rel=1e-11, abs=1e-14)


@given(some.grade_tables(), some.shares)
def test_lorenz_is_the_reflected_cap(table, p):
    counts, truth = graded(table)
    expected = 1 - exact.at(exact.cap(truth), 1 - Fraction(p))
    assert cap.lorenz_curve(counts).at(p) == close(expected)


@given(some.grade_tables())
def test_cap_x_mixes_the_roc_coordinates(table):
    counts, _ = graded(table)
    curve, roc, prevalence = cap.cap_curve(counts), cap.roc_curve(counts), counts.prevalence
    assert curve.y.tolist() == roc.y.tolist()
    mixed = prevalence * roc.y + (1 - prevalence) * roc.x
    np.testing.assert_allclose(curve.x, mixed, rtol=1e-12, atol=1e-15)


@given(some.grade_tables())
def test_precision_recall_goes_through_every_threshold(table):
    counts, truth = graded(table)
    tp, n = np.cumsum(table[0]), np.cumsum(table[0] + table[1])
    curve = cap.precision_recall_curve(counts)
    captured = [float(c) for _, c in exact.cap(truth)]
    np.testing.assert_allclose(curve.x, captured, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.y[1:], tp / n, rtol=1e-12, atol=1e-15)


@given(some.grade_tables(), st.integers(0, 50), st.integers(0, 9), some.shares)
def test_profit_pays_for_captures_and_charges_for_selections(table, value, cost, q):
    counts, truth = graded(table)
    captured = exact.at(exact.cap(truth), q) * counts.n1
    profit = value * captured - cost * Fraction(q) * counts.n
    read = cap.profit_curve(counts, value=value, cost=cost).at(q)
    assert read == pytest.approx(float(profit), rel=1e-11, abs=1e-10)


@given(some.rows())
def test_score_distributions_mix_and_part_by_ks(data):
    counts = cap.count_scores(*data)
    shares = cap.score_distributions(counts)
    assert (shares.population > 0).all()
    spread = shares.cumulative()
    for sums in (spread.population, spread.positives, spread.negatives):
        assert (np.diff(sums) >= 0).all()
        assert sums[-1] == 1
    pi = counts.prevalence
    mixed = pi * spread.positives + (1 - pi) * spread.negatives
    np.testing.assert_allclose(spread.population, mixed, rtol=1e-12, atol=1e-15)
    gap = np.abs(spread.positives - spread.negatives).max()
    assert gap == close(cap.ks(counts).statistic)


CURVES = {
    "cap": cap.cap_curve,
    "captured_negatives": lambda counts: cap.captured_response_curve(counts, of="negatives"),
    "ks": cap.ks_curve,
    "lorenz": cap.lorenz_curve,
    "lift": cap.lift_curve,
}


@pytest.mark.parametrize("kind", CURVES)
@settings(max_examples=settings.default.max_examples // 2)
@given(
    some.rows(scores=st.integers(0, 200).map(float), max_size=80),
    st.sampled_from([0.0, 0.01, 0.05, 0.2, 0.5]),
    st.lists(st.floats(0.001, 1), max_size=10),
)
def test_simplify_keeps_within_the_tolerance_everywhere(kind, data, tolerance, points):
    curve = CURVES[kind](cap.count_scores(*data))
    simple = curve.simplify(tolerance)
    middles = (curve.x[1:] + curve.x[:-1]) / 2
    for x in [*curve.x[1:], *middles, *points]:
        assert abs(simple.at(x) - curve.at(x)) <= tolerance + 1e-12
    assert set(simple.x.tolist()) <= set(curve.x.tolist())
    assert (simple.x[0], simple.x[-1]) == (curve.x[0], curve.x[-1])
    assert len(simple.thresholds) == len(simple.x) - 1
    assert set(simple.thresholds) <= set(curve.thresholds)


def test_simplify_drops_what_it_may():
    n = 2000
    counts = cap.count_scores(np.arange(n) % 2, np.arange(n))
    assert len(cap.cap_curve(counts).simplify(0.01).x) < 50


@given(some.grade_tables(), st.integers(1, 9), st.integers(1, 9), some.shares)
def test_prevalence_is_reweighting_the_classes(table, ones, zeros, q):
    counts, _ = graded(table)
    positives, negatives = table
    blown = cap.ScoreCounts.from_counts(counts.score, positives * ones, negatives * zeros)
    pi = counts.n1 * ones / (counts.n1 * ones + counts.n0 * zeros)
    assert cap.cap_curve(counts, prevalence=pi).at(q) == close(cap.cap_curve(blown).at(q))
    assert cap.cap_curve(counts, prevalence=pi).area == close(cap.cap_curve(blown).area)
    assert cap.perfect_cap(counts, prevalence=pi).at(q) == close(cap.perfect_cap(blown).at(q))
    for of in ("positives", "negatives"):
        captured = cap.captured_response(counts, q, of=of, prevalence=pi)
        assert captured == close(cap.captured_response(blown, q, of=of))
    if q > 0.001:
        assert cap.lift(counts, q, prevalence=pi) == close(cap.lift(blown, q))
        assert cap.precision(counts, q, prevalence=pi) == close(cap.precision(blown, q))
    error = cap.bayesian_error_rate(counts, prior=pi)
    assert error == close(cap.bayesian_error_rate(blown))
    # What depends on the two classes apart does not move.
    assert cap.roc_auc(blown) == cap.roc_auc(counts)
    assert cap.accuracy_ratio(blown) == cap.accuracy_ratio(counts)
    assert cap.ks(blown).statistic == close(cap.ks(counts).statistic)


@given(some.grade_tables(), some.shares)
def test_the_observed_prevalence_changes_nothing(table, q):
    counts, _ = graded(table)
    again = cap.captured_response(counts, q, prevalence=counts.prevalence)
    assert again == close(cap.captured_response(counts, q))

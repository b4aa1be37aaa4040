"""Amounts of 0 and 1 are a yes/no outcome: every number, limit and test is that one, exactly."""

import amount_strategies as some
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import capcurve as cap

CURVES = {
    cap.cap_curve: {},
    cap.perfect_cap: {},
    cap.random_cap: {},
    cap.lorenz_curve: {},
    cap.lift_curve: {},
    cap.local_lift_curve: {},
    cap.captured_response_curve: {},
}
NUMBERS = (
    cap.accuracy_ratio,
    cap.gini,
    *(lambda c, q=q: cap.captured_response(c, q) for q in (0.0, 0.1, 0.3, 0.5, 1.0)),
    *(lambda c, q=q: cap.lift(c, q) for q in (0.0, 0.1, 0.3, 0.5, 1.0)),
    lambda c: cap.captured_between(c, 0.1, 0.6),
)
# Shares at which the local lift is taken: it is another one beyond the end of a score.
WITHIN = (0.1, 0.5, 1.0)
INTERVALS = {
    "accuracy_ratio": {},
    "captured_response": {"q": 0.25},
    "lift": {"q": 0.25},
}


@st.composite
def classes(draw, amounts=(1.0,), exposures=(None,)):
    """Draw rows of both classes, counted both ways: (yes/no counts, amounts, amount of one)."""
    unit, exposure = draw(st.sampled_from(amounts)), draw(st.sampled_from(exposures))
    rows = draw(some.rows(st.sampled_from([0.0, 1.0]), None))
    y = rows.amount.astype(int)
    given_exposure = None if exposure is None else np.full(len(y), exposure)
    higher_is = draw(some.directions)
    yes_no = cap.count_scores(y, rows.score, higher_is=higher_is)
    held = rows._replace(amount=y * unit, exposure=given_exposure)
    return yes_no, held.count(higher_is=higher_is), unit


UNITS = (1.0, 250.0, 0.1, 1e300, 1e-300)
ONES = (None, 1.0, 2.0, 0.3)


@some.few
@given(classes())
def test_every_curve_is_the_yes_no_curve(data):
    yes_no, values, _ = data
    for curve, options in CURVES.items():
        expected, found = curve(yes_no, **options), curve(values, **options)
        assert found.x.tolist() == expected.x.tolist()
        assert found.y.tolist() == expected.y.tolist()
        assert found.area == expected.area
        if expected.thresholds is not None:
            assert found.thresholds.tolist() == expected.thresholds.tolist()
    expected, found = (cap.cap_curve(each, absolute=True) for each in (yes_no, values))
    assert (found.x.tolist(), found.y.tolist()) == (expected.x.tolist(), expected.y.tolist())
    expected, found = (cap.profit_curve(each, value=5, cost=2) for each in (yes_no, values))
    assert (found.x.tolist(), found.y.tolist()) == (expected.x.tolist(), expected.y.tolist())


@some.few
@given(classes())
def test_every_number_is_the_yes_no_number(data):
    yes_no, values, _ = data
    assert [number(values) for number in NUMBERS] == [number(yes_no) for number in NUMBERS]
    for q in WITHIN:
        assert cap.local_lift(values, q) == cap.local_lift(yes_no, q)
    assert cap.mean_amount(values) == yes_no.prevalence
    assert cap.mean_amount(values, 0.25) == pytest.approx(cap.precision(yes_no, 0.25), rel=1e-15)


@some.few
@given(classes(UNITS, ONES))
def test_whatever_the_amount_and_the_exposure_all_rows_have(data):
    yes_no, values, unit = data
    assert cap.accuracy_ratio(values) == cap.accuracy_ratio(yes_no)
    for number in NUMBERS:
        assert number(values) == pytest.approx(number(yes_no), rel=1e-14, abs=1e-15)
    ends = cap.cap_curve(yes_no).x
    for q in WITHIN:
        if np.abs(ends - q).min() > 1e-12:
            assert cap.local_lift(values, q) == pytest.approx(cap.local_lift(yes_no, q), rel=1e-14)
    mean = cap.mean_amount(values, 0.25) * values.exposure / values.n
    assert mean / unit == pytest.approx(cap.precision(yes_no, 0.25), rel=1e-12)


@some.few
@given(classes(UNITS, ONES))
def test_the_concentration_index_is_the_ratio_times_what_is_left(data):
    yes_no, values, _ = data
    expected = cap.accuracy_ratio(yes_no) * (1 - yes_no.prevalence)
    assert cap.concentration_index(values) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@some.few
@given(classes(UNITS, ONES), st.sampled_from([0.95, 0.8]), st.sampled_from(["both", "lower"]))
def test_intervals_are_the_yes_no_intervals(data, level, side):
    yes_no, values, _ = data
    for metric, options in INTERVALS.items():
        expected, found = (
            cap.confidence_interval(each, metric, level=level, side=side, **options)
            for each in (yes_no, values)
        )
        for name in ("low", "estimate", "high", "se", "level", "method"):
            assert getattr(found, name) == getattr(expected, name)


@some.few
@given(classes(), st.sampled_from(["wald", "envelope"]))
def test_the_methods_that_both_have(data, method):
    yes_no, values, _ = data
    # At a share two classes need no standard error, and amounts have an envelope of two.
    both = INTERVALS if method == "wald" else {"accuracy_ratio": {}}
    for metric, options in both.items():
        expected, found = (
            cap.confidence_interval(each, metric, method=method, **options)
            for each in (yes_no, values)
        )
        assert (found.low, found.high, found.se) == (expected.low, expected.high, expected.se)


@some.few
@given(classes())
def test_the_gains_table_has_the_same_columns_by_other_names(data):
    yes_no, values, _ = data
    for bins in (3, "score"):
        expected, found = (cap.gains_table(each, bins=bins) for each in (yes_no, values))
        names = {"n": "n", "positives": "amount", "rate": "mean_amount", "captured": "captured"}
        for name, other in {**names, "lift": "lift"}.items():
            assert found[other].tolist() == expected[name].tolist()


@some.few
@given(classes(), st.integers(1, 6), st.integers(1, 6))
def test_the_best_profit_is_the_same(data, value, cost):
    yes_no, values, _ = data
    expected, found = (
        cap.best_thresholds(each, "profit", value=value, cost=cost) for each in (yes_no, values)
    )
    for one, other in zip(found, expected, strict=True):
        assert (one.q, one.threshold, one.captured) == (other.q, other.threshold, other.captured)


@some.few
@given(classes(), st.integers(0, 10**6))
def test_comparisons_are_the_yes_no_comparisons(data, seed):
    yes_no, values, _ = data
    score, amount, _, n = values.cells()
    n = np.ones(len(score), int) if n is None else n
    score, amount = np.repeat(score, n), np.repeat(amount, n)
    other = np.random.default_rng(seed).permutation(score)
    rules = {"higher_is": values.higher_is}
    assume(min(yes_no.n1, yes_no.n0) > 1)
    expected = cap.compare(cap.count_joint(amount.astype(int), {"a": score, "b": other}, **rules))
    found = cap.compare(cap.count_joint_values(amount, {"a": score, "b": other}, **rules))
    assert yes_no.n == len(score)
    assert found.estimates == expected.estimates
    for name in ("estimate", "se", "low", "high", "p_value", "statistic", "df"):
        assert getattr(found.pairs[0], name) == getattr(expected.pairs[0], name)
    assert found.covariance == expected.covariance


@some.few
@given(some.rows(st.sampled_from([0.0, 1.0]), None, min_size=6), st.integers(0, 10**6))
def test_clusters_are_left_out_as_in_yes_no_counts(rows, seed):
    ids = np.random.default_rng(seed).integers(0, 5, len(rows.amount))
    yes_no = cap.count_scores(rows.amount.astype(int), rows.score, cluster=ids)
    values = rows.count(cluster=ids)
    assume(yes_no.n1 > 0)
    for metric, options in INTERVALS.items():
        expected, found = (
            cap.confidence_interval(each, metric, **options) for each in (yes_no, values)
        )
        for name in ("low", "estimate", "high", "se", "method"):
            assert getattr(found, name) == getattr(expected, name)


@some.few
@given(classes())
def test_shares_of_nobody_and_everybody(data):
    yes_no, values, _ = data
    for q in (0.0, 1.0):
        assert cap.captured_response(values, q) == cap.captured_response(yes_no, q)
    with pytest.raises(ValueError, match="q must be") as told:
        cap.captured_response(values, 1.5)
    with pytest.raises(ValueError, match="q must be") as also:
        cap.captured_response(yes_no, 1.5)
    assert str(told.value) == str(also.value)

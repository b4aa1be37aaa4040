"""Weights: whole ones repeat rows, fractional ones weigh pairs, only proportions count."""

import numpy as np
import pytest
import strategies as some
from hypothesis import given, strategies as st

import capcurve as cap
import reference as exact

METRICS = (
    cap.accuracy_ratio,
    cap.roc_auc,
    cap.tie_mass,
    cap.prevalence,
    cap.bayesian_error_rate,
    cap.pietra_index,
    cap.information_value,
    cap.conditional_information_entropy_ratio,
    lambda counts: cap.ks(counts).statistic,
    lambda counts: cap.captured_response(counts, 0.3),
    lambda counts: cap.lift(counts, 0.3),
    lambda counts: cap.precision(counts, 0.3),
    lambda counts: cap.partial_auc(counts, 0.2),
    lambda counts: cap.cap_curve(counts).area,
)


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-14)


@given(some.weighted_rows(some.whole))
def test_frequency_weights_are_exactly_repetition(data):
    y, s, w = data
    weighed = cap.count_scores(y, s, weight=w, weight_kind="frequency")
    repeated = cap.count_scores(np.repeat(y, w), np.repeat(s, w))
    assert weighed.score.tolist() == repeated.score.tolist()
    assert weighed.positives.tolist() == repeated.positives.tolist()
    assert weighed.negatives.tolist() == repeated.negatives.tolist()
    for metric in METRICS:
        assert metric(weighed) == metric(repeated)


@given(some.weighted_rows(some.whole), st.sampled_from(["sampling", "exposure"]))
def test_whole_weights_of_any_kind_estimate_as_repetition_does(data, kind):
    y, s, w = data
    weighed = cap.count_scores(y, s, weight=w.astype(float), weight_kind=kind)
    repeated = cap.count_scores(np.repeat(y, w), np.repeat(s, w))
    for metric in METRICS:
        assert metric(weighed) == close(metric(repeated))


@given(some.weighted_rows(some.fractional), st.sampled_from(["positive", "negative"]))
def test_fractional_weights_weigh_the_pairs(data, higher_is):
    y, s, w = data
    counts = cap.count_scores(y, s, weight=w, weight_kind="exposure", higher_is=higher_is)
    table = exact.cells(y.tolist(), s.tolist(), w.tolist(), higher_is=higher_is)
    n1, n0 = exact.totals(table)
    assert cap.roc_auc(counts) == close(exact.auc(table))
    assert cap.accuracy_ratio(counts) == close(exact.accuracy_ratio(table))
    assert cap.ks(counts).statistic == close(exact.ks(table))
    assert counts.prevalence == close(n1 / (n1 + n0))
    assert cap.tie_mass(counts) == close(exact.ties(table))
    for q in (0.1, 0.5, 0.9):
        assert cap.captured_response(counts, q) == close(exact.at(exact.cap(table), q))


@given(some.weighted_rows(some.fractional))
def test_weights_may_be_given_before_their_kind_is_said(data):
    y, s, w = data
    unsaid = cap.count_scores(y, s, weight=w)
    said = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    assert cap.roc_auc(unsaid) == cap.roc_auc(said)


@given(some.weighted_rows(some.fractional), st.sampled_from([1e-9, 0.3, 7.0, 1e9]))
def test_the_unit_of_the_weights_does_not_matter(data, unit):
    y, s, w = data
    plain = cap.count_scores(y, s, weight=w, weight_kind="exposure")
    scaled = cap.count_scores(y, s, weight=w * unit, weight_kind="exposure")
    for metric in METRICS:
        # Each of the two readings may be off by 1e-12.
        assert metric(scaled) == pytest.approx(metric(plain), rel=2e-12, abs=2e-14)


@given(some.weighted_rows(some.fractional), st.integers(0, 20), st.randoms())
def test_row_order_and_merging_hold_with_fractional_weights(data, cut, random):
    y, s, w = data
    order = list(range(len(y)))
    random.shuffle(order)
    whole = cap.count_scores(y, s, weight=w, weight_kind="exposure")
    shuffled = cap.count_scores(y[order], s[order], weight=w[order], weight_kind="exposure")
    merged = cap.ScoreCounts.merge(
        cap.count_scores(y[part], s[part], weight=w[part], weight_kind="exposure")
        for part in (slice(None, cut), slice(cut, None))
    )
    for metric in METRICS:
        assert metric(shuffled) == close(metric(whole))
        assert metric(merged) == close(metric(whole))


@given(some.weighted_rows(some.fractional))
def test_equal_weights_change_no_estimate(data):
    y, s, _ = data
    plain = cap.count_scores(y, s)
    weighed = cap.count_scores(y, s, weight=np.full(len(y), 0.1), weight_kind="sampling")
    for metric in METRICS:
        assert metric(weighed) == close(metric(plain))

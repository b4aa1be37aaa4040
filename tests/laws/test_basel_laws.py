"""The measures of Basel's working paper 14, written out from their formulas."""

import math

import numpy as np
import pytest
import strategies as some
from hypothesis import given, strategies as st

import capcurve as cap
import reference as exact


def close(value):
    return pytest.approx(float(value), rel=1e-11, abs=1e-13)


def counted(table):
    positives, negatives = table
    scores = np.arange(len(positives), 0, -1)
    return cap.ScoreCounts.from_counts(scores, positives, negatives)


def entropy(p):
    return -sum(v * math.log(v) for v in (p, 1 - p) if v > 0)


@given(some.grade_tables(), st.floats(0.001, 0.999))
def test_bayesian_error_rate_is_the_least_error_of_any_cutoff(table, prior):
    counts = counted(table)
    shares = exact.shares(exact.grades(table[0].tolist(), table[1].tolist()))
    for given_prior, pi in ((None, counts.prevalence), (prior, prior)):
        errors = [pi * float(1 - tpr) + (1 - pi) * float(fpr) for _, tpr, fpr in shares]
        assert cap.bayesian_error_rate(counts, prior=given_prior) == close(min(errors))


@given(some.grade_tables())
def test_at_even_odds_the_error_rate_is_half_of_what_ks_leaves(table):
    counts = counted(table)
    plus = max(exact.gaps(exact.grades(table[0].tolist(), table[1].tolist())))
    assert cap.bayesian_error_rate(counts, prior=0.5) == close((1 - plus) / 2)


@given(some.grade_tables())
def test_the_entropy_ratio_is_the_share_of_entropy_explained(table):
    positives, negatives = (v.astype(float) for v in table)
    n = positives + negatives
    before = entropy(positives.sum() / n.sum())
    within = [entropy(p / m) * m / n.sum() for p, m in zip(positives, n, strict=True)]
    expected = (before - math.fsum(within)) / before
    ratio = cap.conditional_information_entropy_ratio(counted(table))
    assert ratio == pytest.approx(expected, rel=1e-10, abs=1e-12)


@given(some.grade_tables())
def test_information_value_drops_no_grade(table):
    positives, negatives = table
    value = cap.information_value(counted(table))
    if (positives == 0).any() or (negatives == 0).any():
        assert value == math.inf
    else:
        p, n = positives / positives.sum(), negatives / negatives.sum()
        assert value == close(math.fsum((p - n) * np.log(p / n)))


def test_nothing_is_explained_by_a_single_grade():
    counts = cap.ScoreCounts.from_counts([1], [3], [7])
    assert cap.conditional_information_entropy_ratio(counts) == pytest.approx(0, abs=1e-15)
    assert cap.information_value(counts) == pytest.approx(0, abs=1e-15)
    assert cap.bayesian_error_rate(counts) == close(0.3)


def test_everything_is_explained_by_a_perfect_score():
    counts = cap.ScoreCounts.from_counts([2, 1], [3, 0], [0, 7])
    assert cap.conditional_information_entropy_ratio(counts) == pytest.approx(1, abs=1e-15)
    assert cap.bayesian_error_rate(counts) == 0
    assert cap.information_value(counts) == math.inf

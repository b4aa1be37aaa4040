"""Limits of rates, against scipy's quantiles and the binomial law itself."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import capcurve as cap
from capcurve.inference.rates import rate_interval, rate_limits
from capcurve.inference.records import Confidence

close = pytest.approx
trials = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(trials, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_and_clopper_pearson_are_scipys(case, level):
    hits, cases = case
    for method, known in (("wilson", "wilson"), ("clopper_pearson", "exact")):
        found = rate_interval(hits, cases, method, level=level)
        expected = stats.binomtest(hits, cases).proportion_ci(level, known)
        # scipy searches for its limits and stops within 2e-12.
        assert found.low == close(expected.low, rel=1e-9, abs=2e-12)
        assert found.high == close(expected.high, rel=1e-9, abs=2e-12)


@given(trials, st.sampled_from([0.8, 0.95, 0.99]))
def test_jeffreys_limits_are_quantiles_of_a_beta_law_and_the_ends_at_the_ends(case, level):
    hits, cases = case
    found = rate_interval(hits, cases, level=level)
    law = stats.beta(hits + 0.5, cases - hits + 0.5)
    tail = (1 - level) / 2
    assert found.low == (close(law.ppf(tail), rel=1e-9) if hits else 0)
    assert found.high == (close(law.isf(tail), rel=1e-9) if hits < cases else 1)


@pytest.mark.parametrize("cases", [5, 20, 60])
def test_clopper_pearson_never_covers_too_little(cases):
    confidence = Confidence(0.95)
    low, high = rate_limits(
        np.arange(cases + 1), np.full(cases + 1, cases), "clopper_pearson", confidence
    )
    for rate in np.linspace(0.01, 0.99, 99):
        chances = stats.binom.pmf(np.arange(cases + 1), cases, rate)
        assert chances[(low <= rate) & (rate <= high)].sum() >= 0.95


def test_one_sided_limits_leave_the_other_side_open():
    lower = rate_interval(3, 10, "wilson", side="lower")
    upper = rate_interval(3, 10, "wilson", side="upper")
    both = rate_interval(3, 10, "wilson", level=0.9)
    assert (lower.low, lower.high) == (close(both.low), 1)
    assert (upper.low, upper.high) == (0, close(both.high))


@pytest.mark.parametrize(("hits", "cases"), [(0, 0), (3, 2), (-1, 4)])
def test_what_is_no_rate_raises(hits, cases):
    with pytest.raises(ValueError, match="at least one trial"):
        rate_interval(hits, cases)


def test_unknown_methods_raise():
    with pytest.raises(ValueError, match="must be one of"):
        rate_interval(1, 2, "normal")


def test_a_table_of_rates_has_the_interval_of_each_grade():
    counts = cap.ScoreCounts.from_counts(
        ["C", "B", "A"], [9, 4, 0], [11, 46, 80], levels=list("CBA")
    )
    for method in ("jeffreys", "clopper_pearson", "wilson"):
        table = cap.rate_table(counts, method=method, level=0.9)
        for place, (p, n) in enumerate([(9, 20), (4, 50), (0, 80)]):
            one = cap.rate_interval(p, n, method, level=0.9)
            assert table["rate_low"][place] == pytest.approx(one.low, rel=1e-12)
            assert table["rate_high"][place] == pytest.approx(one.high, rel=1e-12)
    assert list(table.columns)[5:8] == ["rate", "rate_low", "rate_high"]
    assert table.note == "rates with 90% Wilson intervals"
    kept = {k: v.tolist() for k, v in table.columns.items() if not k.startswith("rate_")}
    gains = cap.gains_table(counts, bins="score")
    assert kept == {k: v.tolist() for k, v in gains.columns.items()}


def test_weighted_rates_count_on_fewer_cases():
    y, s = [1, 0, 1, 0, 0, 0], [2, 2, 2, 1, 1, 1]
    equal = cap.count_scores(y, s, weight=[3.0] * 6, weight_kind="sampling")
    plain = cap.rate_table(cap.count_scores(y, s))
    assert cap.rate_table(equal)["rate_high"] == pytest.approx(plain["rate_high"], rel=1e-12)
    # Weights 1, 1, 4 are worth 36/18 = 2 cases, 5/6 of them positive.
    uneven = cap.count_scores(y, s, weight=[1.0, 1, 4, 1, 1, 1], weight_kind="sampling")
    expected = cap.rate_interval(2 * 5 / 6, 2)
    found = cap.rate_table(uneven)
    assert found["rate_low"][0] == pytest.approx(expected.low, rel=1e-12)
    with pytest.raises(ValueError, match="weight_kind"):
        cap.rate_table(cap.count_scores(y, s, weight=[1.0, 1, 4, 1, 1, 1]))


def test_a_bin_without_cases_has_no_rate():
    counts = cap.ScoreCounts.from_counts([3, 1], [2, 1], [1, 5])
    table = cap.rate_table(counts, bins=[3, 2])
    assert math.isnan(table["rate_low"][1])
    assert table["rate_high"][2] == pytest.approx(cap.rate_interval(1, 6).high, rel=1e-12)


def test_mid_p_counts_what_was_seen_half():
    found = rate_interval(3, 10, "mid_p")
    below, above = (stats.binom(10, limit) for limit in (found.low, found.high))
    assert below.sf(3) + below.pmf(3) / 2 == pytest.approx(0.025, rel=1e-8)
    assert above.cdf(2) + above.pmf(3) / 2 == pytest.approx(0.025, rel=1e-8)
    wider, narrower = rate_interval(3, 10, "clopper_pearson"), rate_interval(3, 10, "jeffreys")
    assert wider.low < found.low < narrower.low < narrower.high < found.high < wider.high
    assert rate_interval(10, 10, "mid_p").low == pytest.approx(0.05 ** (1 / 10))

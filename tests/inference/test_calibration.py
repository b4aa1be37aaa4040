"""Calibration of PDs: laws that hold for all data, edges, weights, clusters and refusals."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given as drawn, strategies as st
from scipy.special import logit, ndtr, ndtri
from scipy.stats import beta, binom, norm

import capcurve as cap
from capcurve.inference.limits import envelope

P20 = [k / 20 for k in range(1, 20)]


@st.composite
def portfolios(draw, most=40):
    """Draw (outcomes, PDs in twentieths), with ties and both classes."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(P20)), max_size=most))
    rows += [(1, draw(st.sampled_from(P20))), (0, draw(st.sampled_from(P20)))]
    return np.array([y for y, _ in rows]), np.array([p for _, p in rows])


def some(n=2000, seed=1, slope=1.0, shift=0.0):
    rng = np.random.default_rng(seed)
    p = np.round(1 / (1 + np.exp(-rng.normal(-2, 1, n))), 3)
    eta = shift + slope * logit(p)
    return (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(int), p


@drawn(portfolios())
def test_mean_scores_are_those_of_rows_and_parts_add_up(rows):
    y, p = rows
    counts = cap.count_scores(y, p)
    assert cap.brier_score(counts) == pytest.approx(np.mean((p - y) ** 2), rel=1e-12)
    losses = -np.log(np.where(y == 1, p, 1 - p))
    assert cap.log_loss(counts) == pytest.approx(losses.mean(), rel=1e-12)
    for score in ("brier", "log"):
        found = cap.score_decomposition(counts, score=score)
        assert found.miscalibration >= 0
        assert found.discrimination >= 0
        parts = found.miscalibration - found.discrimination + found.uncertainty
        assert parts == pytest.approx(found.mean_score, abs=1e-12)


@drawn(portfolios())
def test_pds_that_are_the_recalibrated_rates_have_no_miscalibration(rows):
    counts = cap.count_scores(*rows)
    rates = cap.calibration_table(counts, bins="score")["recalibrated"]
    assert (np.diff(rates) <= 0).all()
    assert cap.score_decomposition(counts, pd=rates).miscalibration == pytest.approx(0, abs=1e-15)
    # They are π times the slopes of the concave majorant of the CAP.
    curve = cap.cap_curve(counts)
    hull, x, base = [0.0], np.append(0, np.cumsum(counts.positives + counts.negatives)), counts.n
    hull = np.append(0, np.cumsum(rates * np.diff(x))) / counts.n1
    assert (hull >= curve.at(x / base) - 1e-12).all()


@pytest.mark.merge
@drawn(portfolios(), st.randoms())
def test_row_order_and_shards_change_no_bit(rows, random):
    y, p = rows
    order = list(range(len(y)))
    random.shuffle(order)
    whole, moved = cap.count_scores(y, p), cap.count_scores(y[order], p[order])
    parts = [cap.count_scores(y[k::3], p[k::3]) for k in range(3)]
    for number in (cap.brier_score, cap.log_loss, cap.observed_to_expected):
        assert number(whole) == number(moved) == number(sum(parts))
    assert repr(cap.decision_curve(whole)) == repr(cap.decision_curve(moved))
    assert repr(cap.pd_tests(whole)) == repr(cap.pd_tests(sum(parts)))


@drawn(portfolios(), st.integers(2, 4))
def test_equal_weights_are_none_and_frequencies_are_rows(rows, times):
    y, p = rows
    rows, weighted = (
        cap.count_scores(np.repeat(y, times), np.repeat(p, times)),
        cap.count_scores(y, p, weight=np.full(len(y), times), weight_kind="frequency"),
    )
    assert cap.brier_score(rows) == cap.brier_score(weighted) == cap.brier_score(y, p)
    assert repr(cap.pd_tests(rows)) == repr(cap.pd_tests(weighted))
    sampled = cap.count_scores(y, p, weight=np.full(len(y), 0.5), weight_kind="sampling")
    for metric in ("brier_score", "log_loss", "observed_to_expected"):
        found = cap.confidence_interval(sampled, metric)
        known = cap.confidence_interval(cap.count_scores(y, p), metric)
        assert found.estimate == known.estimate
        assert found.se == pytest.approx(known.se, rel=1e-9, abs=1e-15)
    with pytest.raises(ValueError, match="weighted by sampling weights"):
        cap.pd_tests(sampled)
    with pytest.raises(ValueError, match="weighted by sampling weights"):
        cap.calibration_test(sampled)


@drawn(portfolios(), st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.9]))
def test_net_benefit_beyond_none_less_beyond_all_is_that_of_all(rows, threshold):
    y, p = rows
    odds = threshold / (1 - threshold)
    own = cap.net_benefit(y, p, threshold)
    acted = p >= threshold
    assert own == pytest.approx((y[acted].sum() - odds * (1 - y[acted]).sum()) / len(y), abs=1e-12)
    over = cap.net_benefit(y, p, threshold, versus="all")
    rate = y.mean()
    assert own - over == pytest.approx(rate - odds * (1 - rate), abs=1e-12)
    standard = cap.net_benefit(y, p, threshold, standardized=True)
    assert standard == pytest.approx(own / rate, abs=1e-12)
    stated = cap.net_benefit(y, p, threshold, prevalence=float(rate))
    assert stated == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("versus", ["none", "all"])
def test_limits_of_a_standardized_benefit_are_those_at_the_sample_prevalence_over_it(versus):
    y, p = some(400, seed=8)
    asked = {"threshold": 0.2, "versus": versus}
    own = cap.confidence_interval(y, p, "net_benefit", standardized=True, **asked)
    rate = float(np.mean(y))
    stated = cap.confidence_interval(y, p, "net_benefit", prevalence=rate, **asked)
    expected = (stated.low / rate, stated.estimate / rate, stated.high / rate)
    assert (own.low, own.estimate, own.high) == pytest.approx(expected, rel=1e-9)
    assert own.low < own.estimate < own.high


@drawn(portfolios(), st.sampled_from(["brier_score", "log_loss", "observed_to_expected"]))
def test_levels_nest_and_hold_the_estimate(rows, metric):
    y, p = rows
    levels = [cap.confidence_interval(y, p, metric, level=level) for level in (0.5, 0.9, 0.99)]
    for inner, outer in pairwise(levels):
        assert outer.low <= inner.low <= inner.estimate <= inner.high <= outer.high


def test_pds_may_stand_beside_scores():
    y, p = some()
    grade = np.digitize(p, [0.05, 0.1, 0.3])
    pds = {0: 0.03, 1: 0.07, 2: 0.2, 3: 0.4}
    counts = cap.count_scores(y, grade)
    of_rows = cap.count_scores(y, np.array([pds[g] for g in grade.tolist()]))
    assert cap.brier_score(counts, pd=pds) == cap.brier_score(of_rows)
    assert cap.brier_score(counts, pd=[0.4, 0.2, 0.07, 0.03]) == cap.brier_score(of_rows)
    joint = cap.count_joint(y, {"grade": grade, "p": p})
    assert cap.log_loss(joint, pd="p") == cap.log_loss(y, p)
    found = cap.pd_tests(joint, pd="p", score="grade")
    assert found["score"].tolist() == [3, 2, 1, 0]
    assert found["pd"] == pytest.approx([p[grade == g].mean() for g in (3, 2, 1, 0)])
    assert found["positives"].tolist() == [y[grade == g].sum() for g in (3, 2, 1, 0)]
    with pytest.raises(ValueError, match=r"of joint counts name the score .* got pd='q'"):
        cap.brier_score(joint, pd="q")


def test_pds_in_another_order_than_the_score_are_sorted_with_weights_and_clusters():
    y, p = some(300)
    grade, rng = np.digitize(p, [0.05, 0.1, 0.3]), np.random.default_rng(0)
    pds = {0: 0.2, 1: 0.07, 2: 0.2, 3: 0.1}
    weight, cluster = rng.random(300) + 0.5, rng.integers(0, 60, 300)
    keywords = {"weight": weight, "weight_kind": "sampling", "cluster": cluster}
    moved = cap.count_scores(y, grade, **keywords)
    known = cap.count_scores(y, np.array([pds[g] for g in grade.tolist()]), **keywords)
    assert cap.brier_score(moved, pd=pds) == pytest.approx(cap.brier_score(known), rel=1e-13)
    for metric in ("brier_score", "observed_to_expected"):
        one = cap.confidence_interval(moved, metric, pd=pds)
        other = cap.confidence_interval(known, metric)
        assert one.method == other.method == "jackknife"
        assert [*one] == pytest.approx([*other], rel=1e-9)
    table = cap.calibration_table(moved, pd=pds, bins="score")
    assert table["pd"].tolist() == pytest.approx([0.2, 0.1, 0.07])


def test_clusters_widen_limits():
    y, p = some(400)
    y, p, ids = np.repeat(y, 4), np.repeat(p, 4), np.repeat(np.arange(400), 4)
    alone, together = cap.count_scores(y, p), cap.count_scores(y, p, cluster=ids)
    for metric in ("brier_score", "log_loss", "observed_to_expected"):
        one, other = (cap.confidence_interval(each, metric) for each in (alone, together))
        assert (other.high - other.low) > 1.5 * (one.high - one.low)
    one, other = (
        cap.confidence_interval(c, "net_benefit", threshold=0.2) for c in (alone, together)
    )
    assert (other.high - other.low) > 1.5 * (one.high - one.low)
    one, other = (cap.logistic_recalibration(each).slope for each in (alone, together))
    assert other.se > 1.5 * one.se
    tables = [cap.calibration_table(each, bins=4) for each in (alone, together)]
    widths = [table["rate_high"] - table["rate_low"] for table in tables]
    assert (widths[1] > 1.4 * widths[0]).all()
    assert "as many cases as vary alike" in tables[1].note
    joint = [cap.count_joint(y, {"p": p, "q": p**2}, **k) for k in ({}, {"cluster": ids})]
    pairs = [cap.compare(each, metric="net_benefit", threshold=0.2).pairs[0] for each in joint]
    assert pairs[1].se > 1.5 * pairs[0].se
    assert "jackknife" in pairs[1].method


def test_the_consistency_band_is_that_of_the_binomial_law():
    counts = cap.ScoreCounts.from_counts([0.5, 0.1, 0.0], [6, 1, 0], [4, 9, 3])
    found = cap.calibration_table(counts, bins="score")
    for place, (n, p) in enumerate([(10, 0.5), (10, 0.1), (3, 0.0)]):
        ends = binom.ppf([0.025, 0.975], n, p) / n
        assert (found["consistent_low"][place], found["consistent_high"][place]) == tuple(ends)


def test_a_band_is_of_fifty_rows_at_most():
    y, p = some(500)
    few, many = cap.calibration_table(y, p, bins=50), cap.calibration_table(y, p, bins="score")
    assert not np.isnan(few["band_low"]).any()
    assert (np.diff(few["band_high"]) <= 0).all()
    assert len(many) > 50
    assert np.isnan(many["band_low"]).all()


@pytest.mark.parametrize(("positives", "p"), [(0, 1.0), (1, 0.0)])
def test_pds_of_0_and_1(positives, p):
    low = cap.pd_tests(cap.ScoreCounts.from_counts([0.0], [positives], [5]))
    assert low["p_value"].tolist() == [p]
    high = cap.pd_tests(
        cap.ScoreCounts.from_counts([1.0], [5], [positives]), alternative="too_high"
    )
    assert high["p_value"].tolist() == [p]
    assert cap.pd_tests(cap.ScoreCounts.from_counts([1.0], [2], [3]))["p_value"].tolist() == [1.0]


def test_what_pds_rule_out_is_infinite_and_said():
    counts = cap.ScoreCounts.from_counts([0.5, 0.0], [3, 1], [2, 4])
    assert cap.log_loss(counts) == math.inf
    assert cap.brier_score(counts) == pytest.approx((5 * 0.25 + 1) / 10)
    assert "1 case with a PD of 0 came out positive" in cap.calibration_test(counts).notes[-1]
    with pytest.raises(ValueError, match="the log loss is infinite"):
        cap.confidence_interval(counts, "log_loss")


def test_one_class_has_means_tables_and_tests():
    none = cap.ScoreCounts.from_counts([0.5, 0.1], [0, 0], [3, 4])
    assert cap.brier_score(none) == pytest.approx((3 * 0.25 + 4 * 0.01) / 7)
    assert cap.score_decomposition(none).skill is None
    assert cap.observed_to_expected(none) == 0
    found = cap.confidence_interval(none, "observed_to_expected")
    assert (found.low, found.estimate) == (0, 0)
    assert found.high > 0
    assert len(cap.calibration_table(none, bins="score")) == len(cap.pd_tests(none)) == 2
    assert cap.calibration_test(none, method="jeffreys").p_value > 0.5
    assert cap.net_benefit(none, 0.2) == pytest.approx(-0.25 * 3 / 7)
    assert cap.confidence_interval(none, "net_benefit", threshold=0.2).low < 0
    with pytest.raises(ValueError, match=r"no positives|at least two positives"):
        cap.logistic_recalibration(none)


def test_acting_on_nobody_and_on_all():
    y, p = some(200)
    assert cap.net_benefit(y, p, 0.999) == 0
    found = cap.confidence_interval(y, p, "net_benefit", threshold=0.999)
    assert found.low < 0 < found.high
    over = cap.confidence_interval(y, p, "net_benefit", threshold=0.0, versus="all")
    assert over.estimate == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.brier_score([1, 0], [1.2, 0.1]), "a PD is in .* 1.2, outside"),
        (lambda: cap.brier_score([1, 0], [2, 1], higher_is="negative"), "the scores are no PDs"),
        (lambda: cap.net_benefit([1, 0], [0.5, 0.1], 1.0), "at least 0 and below 1, got 1.0"),
        (lambda: cap.logistic_recalibration([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]), "separate"),
        (lambda: cap.logistic_recalibration([1, 1, 0, 0], [0.5] * 4), "all PDs are alike"),
        (lambda: cap.logistic_recalibration([1, 1, 0, 0], [1, 0.2, 0.3, 0.1]), "have no log-odds"),
        (
            lambda: cap.calibration_test([1, 0], [0.5, 0.1], alternative="too_high"),
            "alternative= is not used by method='spiegelhalter'",
        ),
        (
            lambda: cap.calibration_test([1, 0], [0.5, 0.1], method="cox", fitted=True),
            "fitted= is not used by method='cox'",
        ),
        (
            lambda: cap.pd_tests([1, 0], [0.5, 0.1], method="binomial", asset_correlation=0.1),
            'goes with method="mid_p"',
        ),
        (
            lambda: cap.confidence_interval([1, 0], [0.5, 0.1], "roc_auc", pd={0.5: 0.2}),
            "is not used by roc_auc",
        ),
        (
            lambda: cap.compare([1, 0, 1, 0], {"a": P20[:4], "b": P20[1:5]}, metric="net_benefit"),
            'metric="net_benefit" needs threshold=',
        ),
        (
            lambda: cap.compare(
                [1, 0, 1, 0], {"a": [1, 2, 3, 4], "b": P20[1:5]}, metric="brier_score"
            ),
            "a PD is in",
        ),
        (lambda: cap.observed_to_expected([1, 0], [0.0, 0.0]), "all PDs are 0"),
    ],
)
def test_refusals_are_one_line(call, said):
    with pytest.raises(ValueError, match=said) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_all_grades_together_are_tested_by_mid_p_and_each_by_jeffreys():
    pds, positives, cases = [0.2, 0.01, 0.001], [3, 1, 1], [10, 60, 90]
    counts = cap.ScoreCounts.from_counts(pds, positives, np.subtract(cases, positives))
    found = cap.pd_tests(counts)
    several = list(zip(positives, cases, pds, strict=True))
    jeffreys = [beta.cdf(p, x + 0.5, n - x + 0.5) for x, n, p in several]
    assert found["p_value"] == pytest.approx(jeffreys, rel=1e-12)
    mid = [binom.sf(x, n, p) + binom.pmf(x, n, p) / 2 for x, n, p in several]
    # The smallest of three is tripled, the next one doubled, none below the one before.
    least, middle, most = np.argsort(mid)
    wanted = np.empty(3)
    wanted[least] = 3 * mid[least]
    wanted[middle] = max(wanted[least], 2 * mid[middle])
    wanted[most] = max(wanted[middle], mid[most])
    assert found["p_adjusted"] == pytest.approx(wanted, rel=1e-12)
    assert "all grades together by mid-p values (Holm)" in found.note
    binomial = cap.pd_tests(counts, method="binomial")
    assert min(binomial["p_adjusted"]) == pytest.approx(3 * min(binomial["p_value"]))


def test_lower_brier_scores_are_better_in_words_and_alternatives():
    y, p = some(3000)
    joint = cap.count_joint(y, {"right": p, "flat": np.full(len(p), 0.17)})
    found = cap.compare(joint, metric="brier_score", alternative="superior").pairs[0]
    assert found.estimate < 0
    assert found.p_value < 0.01
    assert cap.compare(joint, metric="brier_score", alternative="inferior").p_value > 0.99
    assert cap.compare(joint, metric="brier_score").sentence.startswith("right is better than flat")
    better = cap.compare(joint, metric="net_benefit", threshold=0.2)
    assert better.sentence.startswith("right is better than flat by ")
    assert "net benefit at 20%" in better.sentence
    alike = cap.compare(
        cap.count_joint(y, {"a": p, "b": p * 0.999}), metric="net_benefit", threshold=0.2001
    )
    assert alike.pairs[0].p_value == 1 or alike.pairs[0].se > 0


@pytest.mark.parametrize("more", [{}, {"method": "mid_p"}, {"asset_correlation": 0.1}])
def test_pds_of_0_and_1_leave_nothing_to_chance(more):
    right = cap.ScoreCounts.from_counts([1.0, 0.0], [20, 0], [0, 20])
    wrong = cap.ScoreCounts.from_counts([1.0, 0.0], [19, 1], [1, 19])
    for side, found in (("too_low", [1, 0]), ("too_high", [0, 1])):
        assert cap.pd_tests(right, alternative=side, **more)["p_value"].tolist() == [1, 1]
        assert cap.pd_tests(wrong, alternative=side, **more)["p_value"].tolist() == found
    none = cap.ScoreCounts.from_counts([0.0], [0], [20])
    how = {"method": "mid_p", **more}
    assert cap.calibration_test(none, **how).p_value == 1


def test_correlated_defaults_make_the_same_defaults_likelier():
    counts = cap.ScoreCounts.from_counts([0.02], [40], [960])
    alone = cap.calibration_test(counts, method="mid_p")
    assert alone.p_value < 0.001
    assert any("asset correlation of 5%" in note for note in alone.notes)
    allowed = cap.calibration_test(counts, method="mid_p", asset_correlation=0.05)
    assert allowed.p_value > 0.05
    none = cap.pd_tests(counts, method="mid_p", asset_correlation=0.0)["p_value"][0]
    least = cap.pd_tests(counts, asset_correlation=1e-9)["p_value"][0]
    assert least == pytest.approx(none, rel=1e-3)
    assert cap.pd_tests(counts, asset_correlation=0.05)["p_value"][0] == pytest.approx(
        allowed.p_value, rel=1e-12
    )


@pytest.mark.parametrize("rho", [0.05, 0.3])
def test_a_factor_moves_thousands_of_pds_as_each_of_them(rho):
    rng = np.random.default_rng(4)
    p = rng.beta(1, 12, 3000)
    y = rng.random(3000) < 1.3 * p
    factors = np.linspace(-8, 8, 1601)
    moved = (ndtri(p) - np.sqrt(rho) * factors[:, None]) / np.sqrt(1 - rho)
    mean = ndtr(moved).mean(axis=1)
    beyond = binom.sf(y.sum(), len(y), mean) + binom.pmf(y.sum(), len(y), mean) / 2
    expected = (beyond * norm.pdf(factors)).sum() * (factors[1] - factors[0])
    found = cap.calibration_test(y, p, method="mid_p", asset_correlation=rho)
    assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_bins_without_cases_are_left_out():
    counts = cap.ScoreCounts.from_counts([0.3, 0.02], [9, 1], [10, 50])
    found = cap.calibration_table(counts, bins=[0.5, 0.1])
    assert found["n"].tolist() == [19, 51]
    assert not any(np.isnan(column).any() for column in found.columns.values())


@pytest.mark.merge
def test_right_pds_are_rarely_called_wrong_and_wrong_ones_found():
    y, p = some(4000, seed=3)
    for method in ("spiegelhalter", "hosmer_lemeshow", "cox", "miscalibration", "jeffreys"):
        assert cap.calibration_test(y, p, method=method).p_value > 0.01, method
        wrong, pds = some(4000, seed=3, slope=0.6, shift=0.2)
        assert cap.calibration_test(wrong, pds, method=method).p_value < 0.01, method
    found = cap.calibration_test(y, p, method="miscalibration")
    assert 0 < found.estimates["mean_if_right"] < 2 * found.estimate + 0.01
    assert cap.calibration_test(y, p, method="miscalibration") == found


def test_recalibration_finds_what_was_done_to_the_pds():
    y, p = some(20000, seed=5, slope=0.7, shift=-0.3)
    found = cap.logistic_recalibration(y, p)
    assert found.slope.low < 0.7 < found.slope.high < 1
    assert found.intercept.low < -0.3 < found.intercept.high
    weighted = cap.logistic_recalibration(y, p, weight=np.full(len(y), 3.0), weight_kind="sampling")
    assert weighted.slope.estimate == pytest.approx(found.slope.estimate, rel=1e-9)
    assert weighted.slope.se == pytest.approx(found.slope.se, rel=0.1)
    assert "multiply their log-odds by 0." in found.sentence


def test_limits_of_net_benefit_join_the_limits_of_two_rates():
    counts = cap.ScoreCounts.from_counts([0.9, 0.1], [30, 10], [0, 60])
    found = cap.confidence_interval(counts, "net_benefit", threshold=0.5)
    both = [[*cap.rate_interval(30, 100, method)] for method in ("wilson", "mid_p")]
    low, high = envelope(*map(tuple, both))
    none = max(cap.rate_interval(0, 100, method).high for method in ("wilson", "mid_p"))
    assert found.high == pytest.approx(high, rel=1e-12)  # no false alarm lies below 0
    assert found.low == pytest.approx(0.3 - math.hypot(0.3 - low, none), rel=1e-12)


def test_thresholds_end_where_few_are_acted_on():
    pd = np.r_[np.full(500, 0.04), np.full(485, 0.1), np.full(10, 0.3), np.full(5, 0.9)]
    counts = cap.count_scores(np.arange(1000) % 9 == 0, pd)
    found = cap.decision_curve(counts)["threshold"]
    assert found.tolist() == [whole / 100 for whole in range(4, 31)]
    assert cap.decision_curve(counts, [0.5, 0.9])["threshold"].tolist() == [0.5, 0.9]
    few = cap.count_scores([1, 0, 1], [0.95, 0.5, 0.97])
    assert cap.decision_curve(few)["threshold"].tolist() == [t / 100 for t in range(50, 98)]


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"cluster": list("aabbccdd")},
        {"weight": [1.0, 2, 3, 4, 1, 1, 1, 1], "weight_kind": "sampling"},
    ],
)
def test_a_decision_curve_without_positives_is_that_of_the_net_benefits(words):
    counts = cap.count_scores([0] * 8, [0.9, 0.6, 0.3, 0.1, 0.2, 0.4, 0.5, 0.7], **words)
    cuts = [0.1, 0.2, 0.5]
    found = cap.decision_curve(counts, cuts)
    each = [cap.net_benefit(counts, cut) for cut in cuts]
    assert found["net_benefit"].tolist() == pytest.approx(each, rel=1e-12)
    heavy = np.array(words.get("weight", [1.0] * 8))
    acted = heavy[[0, 1, 2, 4, 5, 6, 7]].sum() / heavy.sum()
    assert found["net_benefit"][1] == pytest.approx(-acted * 0.2 / 0.8, rel=1e-12)
    assert np.isnan(found["standardized"]).all()
    for low, value, high in (
        ("low", "net_benefit", "high"),
        ("over_all_low", "over_all", "over_all_high"),
    ):
        assert (found[low] <= found[value]).all()
        assert (found[value] <= found[high]).all()
    assert repr(cap.assess_calibration(counts, thresholds=cuts).net_benefit) == repr(found)
    with pytest.raises(ValueError, match="no positives among"):
        cap.decision_curve(counts, prevalence=0.1)


READ_OFF_SCORES = {
    "brier_score": {},
    "log_loss": {},
    "observed_to_expected": {},
    "net_benefit": {"threshold": 0.2},
    "decision_curve": {},
    "score_decomposition": {},
    "calibration_table": {},
    "calibration_test": {"method": "jeffreys"},
    "logistic_recalibration": {},
    "pd_tests": {},
    "assess_calibration": {},
    "implied_accuracy_ratio": {},
    "plot_calibration": {},
    "plot_decision_curve": {},
    "confidence_interval": {"metric": "observed_to_expected"},
    "summarize": {"pd": "score"},
    "validate": {"pd": "score"},
    "evaluate": {"pd": True},
}


@pytest.mark.parametrize("name", READ_OFF_SCORES)
def test_pds_that_were_rounded_down_are_refused(name):
    y, p = [1, 0, 0, 0, 0] * 40, [0.29, 0.19, 0.19, 0.19, 0.14] * 40
    assert cap.observed_to_expected(y, p) == pytest.approx(1, rel=1e-12)
    counts, function = cap.count_scores(y, p, resolution=0.1), getattr(cap, name)
    said = "the scores were rounded down to a grid of 0.1, so PDs read off them are too low; count"
    with pytest.raises(ValueError, match=re.escape(said)):
        function(counts, **READ_OFF_SCORES[name])
    with pytest.raises(ValueError, match=re.escape(said)):
        function(cap.count_scores(y, p).at_resolution(0.1), **READ_OFF_SCORES[name])


def test_pds_beside_scores_that_were_rounded_down_are_refused_and_those_of_grades_are_not():
    y, p = [1, 0, 0, 0, 0] * 40, [0.29, 0.19, 0.19, 0.19, 0.14] * 40
    joint = cap.count_joint(y, {"a": p, "b": p[::-1]}, resolution=0.1)
    for call in (
        lambda: cap.brier_score(joint, pd="a"),
        lambda: cap.implied_accuracy_ratio(joint, score="b", pd="a"),
        lambda: cap.compare(joint, metric="net_benefit", threshold=0.15),
        lambda: cap.compare(joint, metric="brier_score"),
        lambda: cap.pd_tests(y, p, pd=p, resolution=0.1),
    ):
        with pytest.raises(ValueError, match="rounded down to a grid of"):
            call()
    counts = cap.count_scores(y, p, resolution=0.1)
    assert cap.observed_to_expected(counts, pd={0.2: 0.29, 0.1: 0.1775}) == pytest.approx(1)

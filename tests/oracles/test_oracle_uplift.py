"""Uplift gains of trials, as exact fractions and two other tools have them."""

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

EXPECTED = json.loads((DATA / "uplift.json").read_text())
CASES = {f"{case['file']} {case['score']} {case['amount']}": case for case in EXPECTED["cases"]}


def trial_of(case):
    columns = oracle(case["file"])
    count = cap.count_uplift_values if case["amount"] else cap.count_uplift
    outcome = columns[case["amount"] or "y"]
    return count(outcome, columns["treatment"], columns[case["score"]], higher_is=case["higher_is"])


def exactly(number):
    return pytest.approx(number, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_exact_fractions(name):
    trial, expected = trial_of(CASES[name]), CASES[name]["expected"]
    assert trial.treated.n == expected["treated"]
    assert trial.control.n == expected["control"]
    assert cap.uplift(trial) == cap.uplift(trial, 1) == exactly(expected["effect"])
    assert cap.qini(trial) == exactly(expected["qini"])
    assert cap.auuc(trial) == exactly(expected["auuc"])
    assert cap.autoc(trial) == pytest.approx(expected["autoc"], rel=1e-10)
    for q, at_share in expected["uplift"].items():
        assert cap.uplift(trial, float(Fraction(q))) == exactly(at_share["value"])


@pytest.mark.parametrize("name", CASES)
def test_curves_are_those_of_exact_fractions(name):
    trial, expected = trial_of(CASES[name]), CASES[name]["expected"]
    pairs = {
        "points": cap.uplift_curve(trial),
        "radcliffe_points": cap.qini_curve(trial),
    }
    for key, curve in pairs.items():
        points = np.array([[float(Fraction(each)) for each in pair] for pair in expected[key]])
        assert curve.x == exactly(points[:, 0])
        assert curve.y == exactly(points[:, 1])
    radcliffe = cap.qini_curve(trial)
    less_chord = radcliffe.area - radcliffe.y[-1] / 2
    assert less_chord == pytest.approx(expected["qini_radcliffe"], rel=1e-11)
    gains, beyond = cap.uplift_curve(trial), cap.toc_curve(trial)
    assert cap.auuc(trial) == pytest.approx(gains.area, rel=1e-12)
    assert beyond.y[1:] == pytest.approx(gains.y[1:] / gains.x[1:] - cap.uplift(trial), abs=1e-12)


def test_other_tools_have_the_same_in_their_units():
    """From the first cut-off with both arms on; before it they differ from each other too."""
    case = CASES["uplift_untied.csv score_a None"]
    found, trial = EXPECTED["other_tools"]["uplift_untied.csv, score_a"], trial_of(case)
    n, treated = trial.n, trial.treated.n
    causal, scikit = found["causalml 0.18.0"], found["scikit-uplift 0.5.1"]
    gains, radcliffe = cap.uplift_curve(trial), cap.qini_curve(trial)
    for row in ("50", "100", "150"):
        q = int(row) / n
        assert gains.at(q) == exactly(causal["get_cumgain/n at rows"][row])
        assert gains.at(q) == exactly(scikit["uplift_curve/n at rows"][row])
        assert radcliffe.at(q) == exactly(causal["get_qini/N_T at rows"][row])
    less_chord = radcliffe.area - radcliffe.y[-1] / 2
    qini_score = causal["qini_score(normalize=False)"] * (n + 1) / (n * treated)
    assert less_chord == pytest.approx(qini_score, rel=1e-9)
    of_skuplift = scikit["area of qini_curve less chord / (n N_T)"]
    assert less_chord == pytest.approx(of_skuplift, rel=1e-2)
    assert cap.auuc(trial) == pytest.approx(scikit["area of uplift_curve / n^2"], rel=1e-2)


LIMITS = {name: case for name, case in CASES.items() if "qini_se" in case["expected"]}


def near(number, digits):
    return pytest.approx(number, rel=digits, abs=1e-12)


@pytest.mark.parametrize("metric", ["qini", "auuc", "autoc", "uplift"])
@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_those_of_the_exact_influences(name, metric):
    trial, expected = trial_of(LIMITS[name]), LIMITS[name]["expected"]
    key = "effect" if metric == "uplift" else metric
    found = cap.confidence_interval(trial, metric, method="wald")
    assert found.se == near(expected[f"{key}_se"], 1e-9)
    low, high = expected[f"{key}_interval95"]
    assert [found.low, found.high] == near([low, high], 1e-7)
    usual = cap.confidence_interval(trial, metric)  # Newcombe's limits widen those of rates
    assert usual.low <= found.low <= found.high <= usual.high
    assert metric == "uplift" or usual.limits == found.limits


def within(trial, limits):
    """Return limits as they are cut off: two rates differ by 1 at most."""
    yes_no = isinstance(trial.treated, cap.ScoreCounts)
    return np.clip(limits, -1, 1).tolist() if yes_no else limits


@pytest.mark.parametrize("name", LIMITS)
def test_limits_at_a_share_are_the_wider_of_two(name):
    trial, expected = trial_of(LIMITS[name]), LIMITS[name]["expected"]
    for q, at_share in expected["uplift"].items():
        found = cap.confidence_interval(trial, "uplift", q=float(Fraction(q)))
        assert found.se == near(at_share["se"], 1e-9)
        assert [found.low, found.high] == near(within(trial, at_share["interval95"]), 1e-7)


@pytest.mark.parametrize("name", LIMITS)
def test_tests_of_one_trial(name):
    trial, expected = trial_of(LIMITS[name]), LIMITS[name]["expected"]
    found = cap.qini_test(trial)
    assert found.statistic == near(expected["qini_test"]["statistic"], 1e-9)
    assert found.p_value == near(expected["qini_test"]["p_value"], 1e-7)
    assert found.df == near(expected["qini_df"], 1e-7)
    balance = expected["balance"]
    assert cap.balance_test(trial).estimate == exactly(balance["auc"])
    normal = cap.discrimination_test(trial.arms, method="normal")
    assert normal.statistic == near(balance["statistic"], 1e-9)
    assert normal.p_value == near(balance["p_value_normal"], 1e-9)


@pytest.mark.parametrize("pair", EXPECTED["pairs"], ids=lambda pair: str(pair["amount"]))
@pytest.mark.parametrize("metric", ["qini", "autoc"])
def test_two_scores_of_one_trial_are_compared_by_paired_influences(pair, metric):
    columns = oracle(pair["file"])
    count = cap.count_joint_uplift_values if pair["amount"] else cap.count_joint_uplift
    scores = {name: columns[name] for name in pair["scores"]}
    joint = count(columns[pair["amount"] or "y"], columns["treatment"], scores)
    found, expected = cap.compare(joint, metric=metric).pairs[0], pair[metric]
    assert found.estimate == near(expected["difference"], 1e-9)
    assert found.se == near(expected["se"], 1e-9)
    assert found.df == near(expected["df"], 1e-7)
    assert found.p_value == near(expected["p_value"], 1e-7)
    assert [found.low, found.high] == near(expected["interval95"], 1e-7)


@pytest.mark.parametrize("pair", EXPECTED["pairs"], ids=lambda pair: str(pair["amount"]))
def test_an_evaluation_has_the_numbers_of_its_scores_and_of_the_pair(pair):
    columns = oracle(pair["file"])
    amount = pair["amount"]
    outcome = {"amount" if amount else "target": columns[amount or "y"]}
    scores = {name: columns[name] for name in pair["scores"]}
    found = cap.evaluate(**outcome, score=scores, treatment=columns["treatment"])
    test, expected = found.comparison.overall, pair["qini"]
    assert test.estimate == near(expected["difference"], 1e-9)
    assert test.p_value == near(expected["p_value"], 1e-7)
    keys = {name: f"{pair['file']} {name} {amount}" for name in pair["scores"]}
    rows = {row["score"]: row for row in found.table.rows() if keys[row["score"]] in CASES}
    assert rows
    for name, row in rows.items():
        alone = CASES[keys[name]]["expected"]
        assert row["qini"] == near(alone["qini"], 1e-10)
        assert row["autoc"] == near(alone["autoc"], 1e-9)
        assert [row["qini_low"], row["qini_high"]] == near(alone["qini_interval95"], 1e-7)
        assert row["p_qini"] == near(alone["qini_test"]["p_value"], 1e-7)


@pytest.mark.parametrize("case", EXPECTED["effect_scores"], ids=lambda case: case["file"])
def test_effect_scores_have_the_numbers_of_their_definition(case):
    columns = oracle(case["file"])
    outcome = columns[case["amount"] or "y"]
    effects = cap.effect_scores(outcome, columns["treatment"], columns["propensity"])
    first = case["effect_scores_first"]
    assert effects[: len(first)] == near(first, 1e-12)
    values = cap.count_values(effects, columns[case["score"]])
    assert cap.uplift(values) == near(case["effect"], 1e-12)
    for metric in ("qini", "autoc"):
        found = cap.confidence_interval(values, metric)
        assert found.estimate == near(case[metric], 1e-10)
        assert found.se == near(case[f"{metric}_se"], 1e-9)
    assert cap.qini(values) == near(case["grf_form"]["QINI"], 1e-10)
    assert cap.autoc(values) == pytest.approx(case["grf_form"]["AUTOC"], rel=0.1)

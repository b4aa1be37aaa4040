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

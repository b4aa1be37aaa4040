"""The accuracy ratio that PDs promise, and its test, as exact fractions have them."""

import csv
import json
from fractions import Fraction
from functools import cache

import pytest
from oracle_files import DATA

import capcurve as cap

CASES = {
    case["name"]: case["expected"]
    for case in json.loads((DATA / "implied.json").read_text(encoding="utf-8"))
}
NAMES = {
    "implied": "implied_ar",
    "realised": "realised_ar",
    "implied_with_self_pairs": "implied_ar_with_self_pairs",
    "shift_of_log_odds": "shift_of_log_odds",
}


@cache
def rows():
    found = {}
    with (DATA / "implied.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = [float(Fraction(row[name])) for name in ("score", "pd", "y")]
            found.setdefault(row["case"], []).append(numbers)
    return {name: list(zip(*numbers, strict=True)) for name, numbers in found.items()}


def close(value):
    return pytest.approx(float(Fraction(value)), rel=1e-12, abs=1e-12)


def check(found, expected):
    for name, key in NAMES.items():
        if key in expected:
            assert found.estimates[name] == close(expected[key]), name
    difference = Fraction(expected["realised_ar"]) - Fraction(expected["implied_ar"])
    assert found.estimate == close(difference)
    assert found.se == close(expected["standard_error_of_ar"])
    if expected["z"] is None:
        assert (found.statistic, found.p_value) == (0, 1)
        return
    assert found.statistic == close(expected["z"])
    assert found.p_value == close(expected["p_value"])


@pytest.mark.parametrize("calibration", ["stated", "matched"])
@pytest.mark.parametrize("case", CASES)
def test_implied_accuracy_ratios(case, calibration):
    score, pd, y = rows()[case]
    expected = CASES[case][{"stated": "as_stated"}.get(calibration, calibration)]
    joint = cap.count_joint(y, {"rating": score, "pd": pd})
    found = cap.implied_accuracy_ratio(joint, score="rating", pd="pd", calibration=calibration)
    check(found, expected)
    scale = dict(zip(score, pd, strict=True))
    if len(set(zip(score, pd, strict=True))) > len(scale):
        assert case == "pds_within_a_score"
        return
    counts = cap.count_scores(y, score)
    check(cap.implied_accuracy_ratio(counts, pd=scale, calibration=calibration), expected)
    ordered = [scale[each] for each in counts.thresholds.tolist()]
    check(cap.implied_accuracy_ratio(counts, pd=ordered, calibration=calibration), expected)
    if score == pd:
        check(cap.implied_accuracy_ratio(counts, calibration=calibration), expected)

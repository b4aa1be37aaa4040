"""Certified cut-offs of real and simulated confidences, as limits of statsmodels have them."""

import json

import pytest
from oracle_files import DATA, oracle

import capcurve as cap

EXPECTED = json.loads((DATA / "areas.json").read_text())["certified"]
OTHER = {"positive": "negative", "negative": "positive"}
CASES = [(case, asked) for case in EXPECTED for asked in case["cases"]]


@pytest.mark.parametrize(("case", "asked"), CASES)
def test_certified_cutoffs(case, asked):
    columns = oracle(case["file"])
    wrong, score = columns[case["target"]] == case["pos_label"], columns[case["score"]]
    options = {name: asked[name] for name in ("level", "start")}
    found = cap.certified_cutoff(
        cap.count_scores(wrong, score, higher_is=case["higher_is"]), asked["max_risk"], **options
    )
    for name in ("coverage", "n", "errors", "threshold"):
        assert getattr(found, name) == asked[name]
    assert list(found.starts) == asked["starts"]
    assert found.upper == (asked["upper"] and pytest.approx(asked["upper"], rel=1e-9))
    right = cap.count_scores(~wrong, score, higher_is=OTHER[case["higher_is"]])
    same = cap.certified_cutoff(right, asked["max_risk"], errors="negatives", **options)
    assert same.to_dict() == found.to_dict()

"""The generalised AUC of LGDs, and Somers' D both ways, as exact fractions and scipy have them."""

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

CASES = json.loads((DATA / "lgd.json").read_text(encoding="utf-8"))
GIVEN = {
    "estimate": ("gauc_ecb", "s_ecb", "D_realised_given_estimated", "w_r"),
    "target": ("auc_like", "se_auc_like", "D_estimated_given_realised", "w_c"),
}
GRADES = np.array([0.15, 0.35, 0.55, 0.80])


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"][:30])
def test_tables(case, given):
    gauc, se, somers_d, differing = GIVEN[given]
    if gauc not in case:
        with pytest.raises(ValueError, match="all estimates are in one class"):
            cap.generalised_auc(case["table"], given=given)
        return
    found = cap.generalised_auc(case["table"], given=given)
    assert found.estimate == close(case[gauc])
    if somers_d not in case:
        return
    assert found.se == close(case[se])
    assert found.somers_d == close(case[somers_d])
    way = {"estimate": "score"}.get(given, given)
    assert cap.somers_d(case["table"], given=way) == close(case[somers_d])
    pairs = (found.concordant, found.discordant, found.differing, found.n)
    assert pairs == (case["P"], case["Q"], case[differing], case["F"])
    if given == "estimate":
        assert found.estimate == float(Fraction(case["gauc_ecb_fraction"]))


def test_the_segments_of_the_ecb_and_its_test():
    rows, case = oracle("lgd.csv"), CASES[0]
    counts = cap.count_classes("realised", "estimated", data=DATA / "lgd.csv")
    assert counts == cap.count_classes(rows["realised"], rows["estimated"])
    assert counts.table.tolist() == case["table"]
    found = cap.generalised_auc(counts).test(case["test"]["gauc_init"])
    assert found.statistic == close(case["test"]["S"])
    assert found.p_value == close(case["test"]["p"])


def test_grades_close_outcomes_on_the_right():
    rows, case = oracle("lgd.csv"), CASES[1]
    distances = np.abs(rows["estimated"][:, None] - GRADES)
    grades = GRADES[np.round(distances, 9).argmin(axis=1)]
    counts = cap.count_classes(rows["realised"], grades)
    assert counts.table.tolist() == case["table"]
    stated = cap.count_classes(rows["realised"], grades, classes=GRADES, closed="right")
    assert stated.table.tolist() == [*case["table"], [0] * 5]
    assert cap.generalised_auc(stated).estimate == close(case["gauc_ecb"])

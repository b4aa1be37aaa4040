"""Limits of a validation sheet: read from TOML or a mapping, and refused where they cannot be."""

import numpy as np
import pytest
from scipy import stats

import capcurve as cap
from capcurve.studies.validation.gates import Gate, ruling_on
from capcurve.studies.validation.judgement import SheetTest, TestLimits, read_limits
from validation_sheets import sheet

TOML = """
[accuracy_ratio]
green = 0.45
red = 0.35

[psi]
green = 0.10
red = 0.25
by = "estimate"

[grades.monotone]  # limits of a p-value
green = 0.05
red = 0.01

[grades]
reversed = { green = 0.05, red = 0.01 }

[challenger."gbm.v2"]
green = -0.02
red = -0.05
"""


def test_a_file_in_toml(tmp_path):
    path = tmp_path / "limits.toml"
    path.write_text(TOML, encoding="utf-8")
    expected = {
        "discrimination.accuracy_ratio": TestLimits(0.45, 0.35),
        "stability.psi": TestLimits(0.10, 0.25, "estimate"),
        "grades.monotone": TestLimits(0.05, 0.01, "p_value"),
        "grades.reversed": TestLimits(0.05, 0.01, "p_value"),
        "challenger.gbm.v2": TestLimits(-0.02, -0.05),
    }
    assert read_limits(path) == expected
    assert read_limits(str(path)) == expected


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path):
    path = tmp_path / "limits.toml"
    path.write_text("[ks]\ngreen = 0.3\nred = 0.2\n", encoding="utf-8-sig")
    assert read_limits(path) == {"discrimination.ks": TestLimits(0.3, 0.2)}


def test_no_limits():
    assert read_limits(None) == read_limits({}) == {}


def test_how_all_are_judged_and_who_differs():
    said = {"green": 0.45, "red": 0.35}
    found = read_limits(
        {
            "sheet": {"by": "estimate"},
            "accuracy_ratio": said,
            "roc_auc": {"green": 0.7, "red": 0.6, "by": "limit"},
            "grades.monotone": {"green": 0.05, "red": 0.01},
        }
    )
    assert [own.by for own in found.values()] == ["estimate", "limit", "p_value"]


def test_limits_of_a_sheet_are_limits_again():
    made = sheet()
    assert read_limits(made.limits) == made.limits
    assert read_limits(made.to_dict()["settings"]["limits"]) == made.limits


def test_green_and_red_may_meet():
    assert read_limits({"psi": {"green": 0.1, "red": 0.1}})["stability.psi"].red == 0.1


TWO = {"green": 0.1, "red": 0.25}


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"psy": TWO}, "[psy]: there is no such test; did you mean psi?"),
        ({"grades": {"monoton": TWO}}, "[grades.monoton]: there is no such test; did you mean gra"),
        ({"monotone": TWO}, "[monotone]: there is no such test; did you mean grades.monotone?"),
        ({"xyz": TWO}, "[xyz]: there is no such test; known are accuracy_ratio, roc_auc"),
        ({"challenger.": TWO}, "[challenger.]: there is no such test"),
        ({"psi": {"green": 0.1}}, "[psi]: red is missing; set both green and red"),
        ({"psi": {}}, "[psi]: green is missing"),
        ({"psi": {"green": 0.25, "red": 0.1}}, "green 0.25 must not be above red 0.1, as low val"),
        ({"ks": {"green": 0.2, "red": 0.3}}, "green 0.2 must not be below red 0.3, as high values"),
        ({"grades.monotone": {"green": 0.01, "red": 0.05}}, "green 0.01 must not be below red"),
        ({"psi": {"green": float("nan"), "red": 1}}, "green must be a finite number, got nan"),
        ({"psi": {"green": 0, "red": float("inf")}}, "red must be a finite number, got inf"),
        ({"psi": {"green": True, "red": 1}}, "green must be a finite number, got True"),
        ({"psi": {"green": "0.1", "red": 1}}, "green must be a finite number, got '0.1'"),
        ({"accuracy_ratio": {"green": 45, "red": 35}}, "green = 45, but Accuracy ratio is never"),
        ({"psi": {"green": -0.1, "red": 1}}, "green = -0.1, but PSI of all cases is never below 0"),
        ({"initial.ecb": {"green": 5, "red": 1}}, "green = 5, but a p-value is never above 1"),
        ({"psi": {**TWO, "yellow": 1}}, "[psi]: yellow is unknown; it may hold green, red, by"),
        ({"psi": {**TWO, "by": "p_value"}}, 'by must be "limit" or "estimate", got \'p_value\''),
        ({"grades.monotone": {"green": 0.05, "red": 0.01, "by": "limit"}}, 'must be "p_value"'),
        ({"psi": 0.1}, "psi must be a table with green and red, got 0.1"),
        ({"green": 0.1, "red": 0.2}, "green must be a table with green and red, got 0.1"),
        ({"psi": TWO, "stability.psi": TWO}, "limits of stability.psi are given twice; keep one"),
        ({"sheet": {"by": "luck"}}, 'by must be "limit" or "estimate", got \'luck\''),
        ({"sheet": {"level": 0.9}}, "[sheet] may hold only by"),
        ({"sheet": 1}, "[sheet] may hold only by"),
        ([0.1], "limits must be a TOML file or a mapping, got [0.1]"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(limits, said):
    with pytest.raises(ValueError, match="limits") as caught:
        read_limits(limits)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [b"[psi\n", b"psi = \n", b"\xff\xfe"])
def test_a_file_that_is_no_toml(tmp_path, text):
    path = tmp_path / "limits.toml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"^limits\.toml is not a TOML file: .+"):
        read_limits(path)


def test_errors_in_a_file_name_it(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[psi]\ngreen = 0.1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^own\.toml: \[psi\]: red is missing"):
        read_limits(path)


def test_limits_without_a_test_are_named():
    now = cap.ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 3, 9])
    one = {"green": 0.6, "red": 0.5}
    made = cap.validate(now, limits={"accuracy_ratio": one, "challenger.gbm": one})
    (found,) = (each for each in made.findings if each.code == "limits_unused")
    assert found.message == "limits are set for challenger.gbm, but the sheet has no such test"


def test_a_test_must_be_known():
    with pytest.raises(ValueError, match="there is no test 'psi' in the sheet"):
        SheetTest.of("psi")


def test_gates_take_certificates_whatever_bounds_they_have():
    # 30 positives above nearly all of 300 negatives: a kind of a twelfth of them may be missing.
    places = [stats.norm.ppf((np.arange(n) + 0.5) / n) for n in (30, 300)]
    counts = cap.count_scores(np.arange(330) < 30, np.r_[places[0] + 2.7, places[1]])
    low = 2 * cap.roc_auc(counts) * 0.075 ** (1 / 30) - 1
    for gate in (
        Gate("accuracy_ratio", 0.8, 0.95),
        Gate("accuracy_ratio", 0.8, 0.95, red=0.7),
        Gate("accuracy_ratio", 0.9, 0.95, red=0.95, strict=True),
    ):
        assert ruling_on(counts, gate).values["low"] == pytest.approx(low, rel=1e-9)
    wide = cap.confidence_interval(counts, "accuracy_ratio", side="upper", level=0.95)
    assert ruling_on(counts, Gate("accuracy_ratio", 0.8, 0.95, red=0.7)).values["high"] == wide.high

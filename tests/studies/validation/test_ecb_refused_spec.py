"""What the ECB's table refuses: each message says what was found and what to do, in one line."""

import math

import numpy as np
import pytest

import capcurve as cap
from ecb_samples import (
    GRADES,
    PDS,
    STATUSES,
    book,
    counts,
    ecb,
    exposure,
    jointly,
    numbers,
    sheet,
    whole_sheet,
)


def refusal(kind, call):
    """Return the one line that a call is refused with."""
    with pytest.raises(kind) as raised:
        call()
    said = str(raised.value)
    assert "\n" not in said
    assert 10 < len(said) < 400
    return said


EITHER = (ValueError, TypeError)


@pytest.mark.parametrize("word", ["dead", "Default", "other-model", "", None, 3])
def test_a_status_is_one_of_three_words(word):
    said = refusal(EITHER, lambda: ecb(statuses={**STATUSES, "left": word}))
    for known in ("default", "other model", "terminated"):
        assert known in said
    assert repr(word) in said or f'"{word}"' in said or str(word) in said


@pytest.mark.parametrize("label", ["gone", "R1", "terminated", 4])
def test_a_status_is_of_a_label_outside_the_grades(label):
    said = refusal(EITHER, lambda: ecb(statuses={**STATUSES, label: "terminated"}))
    assert str(label) in said
    assert "statuses" in said


@pytest.mark.parametrize("statuses", ["default", ["default", "other", "left"], 3])
def test_statuses_are_a_mapping(statuses):
    assert "statuses" in refusal(EITHER, lambda: ecb(statuses=statuses))


@pytest.mark.parametrize("value", [-1.0, -1e-9, math.inf, -math.inf, math.nan, "12", None])
def test_an_exposure_is_a_number_that_is_not_below_0(value):
    said = refusal(EITHER, lambda: ecb(exposure={**exposure(), "R3": value}))
    assert "exposure" in said
    assert "R3" in said


@pytest.mark.parametrize("grade", ["R8", "default", 1])
def test_an_exposure_of_an_unknown_grade(grade):
    said = refusal(EITHER, lambda: ecb(exposure={**exposure(), grade: 5.0}))
    assert "exposure" in said
    assert str(grade) in said


def test_a_grade_of_customers_without_an_exposure():
    lacking = {grade: amount for grade, amount in exposure().items() if grade != "R5"}
    said = refusal(ValueError, lambda: ecb(exposure=lacking))
    assert "exposure" in said
    assert "R5" in said


@pytest.mark.parametrize("given", [5.0, "exposure", [1.0] * 7])
def test_exposures_are_a_mapping(given):
    assert "exposure" in refusal(EITHER, lambda: ecb(exposure=given))


@pytest.mark.parametrize("periods", [0, 2, 4, -3, 1.5, "3", None])
def test_periods_are_one_or_three(periods):
    said = refusal(EITHER, lambda: ecb(periods=periods))
    assert "periods" in said
    assert "3" in said or "three" in said


@pytest.mark.parametrize("years", [2, 4])
def test_three_pooled_periods_are_three(years):
    data = book()
    data["year"] = [2016 + row % years for row in range(900)]
    parts = cap.count_segments("default", "grade", data=data, by="year", levels=GRADES)
    made = sheet(periods=parts)
    said = refusal(ValueError, lambda: ecb(made, periods=3))
    assert "periods" in said
    assert str(years) in said


@pytest.mark.parametrize(
    "dates", [(20190101, 20191231), ("2019-01-01",), ("2019-13-01", "2019-12-31"), "2019", 2019]
)
def test_initial_dates_are_two_dates(dates):
    assert "initial_dates" in refusal(EITHER, lambda: ecb(initial_dates=dates))


# The sheet


@pytest.mark.parametrize("end", ["grade", "nope", 3])
def test_the_end_is_another_score_of_joint(end):
    said = refusal(EITHER, lambda: sheet(end=end))
    assert "end" in said
    assert repr(end) in said or str(end) in said
    assert "final" in said  # one of those there are


def test_the_end_without_joint():
    said = refusal(ValueError, lambda: cap.validate(counts(), end="end"))
    assert "end='end'" in said
    assert "joint" in said


def test_both_the_start_and_the_end():
    said = refusal(ValueError, lambda: sheet(start="final", final=None))
    assert "start" in said
    assert "end" in said


def test_the_end_and_the_final_grade_are_two_columns():
    said = refusal(ValueError, lambda: sheet(final="end"))
    assert "final" in said
    assert "end" in said


@pytest.mark.parametrize("with_start", [False, True])
def test_labels_outside_go_with_the_end(with_start):
    """With `start` the sample would hold grades that know the outcome."""
    given = {"joint": jointly(names=("grade", "final")), "outside": ["default"]}
    if with_start:
        given |= {"start": "final"}
    said = refusal(ValueError, lambda: cap.validate(counts(), **given))
    assert "outside" in said
    assert "end" in said


@pytest.mark.parametrize("levels", [[*GRADES[::-1], *STATUSES], [*GRADES[:-1], *STATUSES]])
def test_the_end_is_on_the_same_scale(levels):
    data = book()
    kept = [row for row, end in enumerate(data["end"]) if end in levels]
    data = {name: [column[row] for row in kept] for name, column in data.items()}
    joint = cap.count_joint(
        "default", ["grade", "end"], data=data, levels={"grade": GRADES, "end": levels}
    )
    said = refusal(
        ValueError,
        lambda: cap.validate(counts(data), joint=joint, end="end", outside=list(STATUSES)),
    )
    assert "end" in said
    assert "same grades" in said


def test_a_label_that_the_end_does_not_have():
    said = refusal(ValueError, lambda: sheet(outside=[*STATUSES, "gone"]))
    assert "'gone'" in said
    assert "outside" in said


def test_an_end_of_labels_that_nothing_is_said_of():
    """They would be grades of another scale."""
    said = refusal(ValueError, lambda: sheet(outside=None))
    assert "outside" in said


def test_pds_are_of_every_grade_with_customers():
    lacking = {grade: own for grade, own in PDS.items() if grade != "R6"}
    said = refusal(ValueError, lambda: sheet(pd=lacking))
    assert "R6" in said


def test_the_year_is_the_horizon():
    rng = np.random.default_rng(4)
    grade = rng.integers(1, 6, 300)
    event = (rng.random(300) < 0.1 * grade).astype(int)
    times = cap.count_times(rng.integers(1, 700, 300), event, grade)
    said = refusal(ValueError, lambda: cap.validate(times.at(365)).ecb())
    assert "the year is the horizon" in said


def test_a_refusal_leaves_the_sheet_as_it_was():
    before = whole_sheet().to_json()
    with pytest.raises(EITHER):
        ecb(statuses={"default": "dead"})
    assert whole_sheet().to_json() == before


# LGDs


@pytest.mark.parametrize("side", ["begin", "end"])
def test_an_estimate_that_is_no_grade(side):
    data, given = numbers("lgd"), {"begin": [0.05, 0.9], "end": [0.05, 0.9]}
    given[side] = [0.05, 0.3, 0.9]
    said = refusal(ValueError, lambda: cap.ecb_lgd(data["realised"], data["estimated"], **given))
    assert "0.3" in said
    assert side in said


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "x", None])
@pytest.mark.parametrize("which", ["realised", "estimated", "begin", "end"])
def test_lgds_are_finite_numbers(which, wrong):
    given = {
        "realised": [0.1, 0.4, 0.2],
        "estimated": [0.1, 0.5, 0.5],
        "begin": [0.1, 0.5],
        "end": [0.5, 0.1],
    }
    given[which] = [*given[which][:-1], wrong]
    refusal(EITHER, lambda: cap.ecb_lgd(given.pop("realised"), given.pop("estimated"), **given))


@pytest.mark.parametrize("initial", [-0.1, 1.1, math.nan, "0.8", True])
def test_an_initial_gauc_is_in_0_to_1(initial):
    data = numbers("lgd")
    said = refusal(
        EITHER, lambda: cap.ecb_lgd(data["realised"], data["estimated"], initial=initial)
    )
    assert "initial" in said


def test_as_many_realised_as_estimated():
    refusal(ValueError, lambda: cap.ecb_lgd([0.1, 0.2], [0.1, 0.2, 0.3]))


def test_no_facility_at_all():
    refusal(ValueError, lambda: cap.ecb_lgd([], []))

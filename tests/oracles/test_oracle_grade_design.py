"""Grade scales are those that enumeration of all cut-offs found, in whole numbers."""

import json

import numpy as np
import pytest
from oracle_files import DATA

import capcurve as cap
from capcurve.studies.grades.cutoffs import between

FOUND = json.loads((DATA / "grade_design.json").read_text())
TABLES = {table["table"]: table for table in FOUND["tables"]}
DESIGNS = [
    pytest.param(name, design, id=f"{name}-{place}")
    for name, table in TABLES.items()
    for place, design in enumerate(table["designs"])
]


def close(value):
    return pytest.approx(value, rel=0, abs=1e-12)


def counts_of(table):
    score = np.array(table["score"], dtype=float)
    cells = score, table["positives"], table["negatives"]
    return cap.ScoreCounts.from_counts(*cells, higher_is=table["higher_is"])


def arguments(design, scores):
    """Return what is asked, fixed positions as the last scores above them."""
    asked = {"falling": False, "splits": 0, **design["constraints"]}
    if "fixed" in asked:
        asked["fixed"] = [scores[place - 1] for place in asked["fixed"]]
    return asked


def positions(scale, counts):
    """Return after how many distinct scores each grade of a scale ends."""
    ends = [cap.operating_point(counts, threshold=cut).q * counts.n for cut in scale.cutoffs]
    reached = np.cumsum(counts.positives.astype(int) + counts.negatives)
    return [0, *(1 + int(np.searchsorted(reached, round(end))) for end in ends), len(counts)]


@pytest.mark.parametrize(("name", "design"), DESIGNS)
def test_the_scale_is_that_of_enumeration(name, design):
    table = TABLES[name]
    counts = counts_of(table)
    asked = arguments(design, counts.thresholds.tolist())
    if design["expected"] is None:
        with pytest.raises(ValueError, match="max_share"):
            cap.design_grades(counts, design["grades"], **asked)
        return
    scale = cap.design_grades(counts, design["grades"], **asked)
    expected = design["expected"]
    assert positions(scale, counts) == expected["positions"]
    assert scale.accuracy_ratio == close(expected["accuracy_ratio"])
    assert scale.accuracy_ratio == cap.accuracy_ratio(scale.counts)
    assert scale.ceiling == close(table["ceiling"])
    assert (scale.ungrouped, scale.loss_at_most) == (cap.accuracy_ratio(counts), 0)
    # What is printed selects the same cases when it is typed back.
    typed = counts.joined(np.array(expected["positions"][1:]))
    assert scale.counts.positives.tolist() == typed.positives.tolist()
    graded = scale.apply(counts.thresholds)
    assert [graded.tolist().index(label) for label in scale.labels] == expected["positions"][:-1]


@pytest.mark.parametrize("design", FOUND["values"]["designs"])
def test_of_amounts_the_value_cap_is_cut(design):
    table = FOUND["values"]
    score, amount, exposure = (table[name] for name in ("score", "amount", "exposure"))
    values = cap.count_values(amount, score, exposure=exposure)
    scale = cap.design_grades(values, design["grades"], **arguments(design, score))
    expected = design["expected"]
    assert scale.cutoffs == tuple(score[end - 1] for end in expected["positions"][1:-1])
    assert scale.accuracy_ratio == close(expected["accuracy_ratio"])
    assert cap.concentration_index(scale.counts) == close(expected["concentration_index"])


@pytest.mark.parametrize(
    "case",
    [
        FOUND["held_out"][0],
        *(pytest.param(case, marks=pytest.mark.merge) for case in FOUND["held_out"][1:]),
    ],
)
def test_halves_come_near_the_mean_over_all_of_them(case):
    score = range(len(case["positives"]), 0, -1)
    counts = cap.ScoreCounts.from_counts(score, case["positives"], case["negatives"])
    asked = {"falling": False, "splits": 1500, "seed": 1}
    scale = cap.design_grades(counts, case["grades"], **asked)
    # The mean of 1,500 pairs of halves, whose accuracy ratios spread by about 0.4.
    assert scale.held_out == pytest.approx(case["expected"], abs=0.03)


@pytest.mark.parametrize("gap", FOUND["gaps"])
def test_cutoffs_have_the_fewest_digits(gap):
    upper, lower, cutoff = (float(gap[name]) for name in ("upper", "lower", "cutoff"))
    assert between(upper, lower) == cutoff
    # Mirrored: the safer score is the higher one.
    assert between(-upper, -lower) == -cutoff


@pytest.mark.parametrize("case", FOUND["refused"], ids=lambda case: case["name"])
def test_what_cannot_be_is_refused_in_one_line(case):
    counts = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], [9, 7, 5, 3, 1], [2, 4, 6, 8, 20])
    asked = {name: value for name, value in case.items() if name != "name"}
    name = next(reversed(asked))
    with pytest.raises(ValueError, match=name) as raised:
        cap.design_grades(counts, **asked)
    assert "\n" not in str(raised.value)

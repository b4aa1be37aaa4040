"""A continuous score gets the grades of a master scale, wherever it is counted."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from cli_calls import done, refused

RNG = np.random.default_rng(5)
N = 400
PD = np.round(RNG.random(N) ** 3 * 0.5, 3)
PD[:3] = [0.01, 0.05, 0.0]  # on the bounds
Y = (RNG.random(N) < PD).astype(int)
BOUNDS = [0.0, 0.01, 0.05, 0.2]
GRADES = ["A", "B", "C", "D"]  # from the lowest PDs
OF_ROWS = [GRADES[sum(value >= bound for bound in BOUNDS[1:])] for value in PD]
BY_GRADE = cap.count_scores(Y, OF_ROWS, levels=GRADES[::-1])
ROWS = {"y": Y, "pd": PD, "grade": OF_ROWS, "month": np.arange(N) % 3, "score": -PD}
TABLES = {
    "mapping": dict(zip(GRADES, BOUNDS, strict=True)),
    "lower": pd.DataFrame({"rating": GRADES, "pd_from": BOUNDS}),
    "upper": pl.DataFrame({"PD to": [*BOUNDS[1:], 1.0], "Grade": GRADES}),
    "both, in any order": {
        "lower": BOUNDS[::-1],
        "upper": [1.0, *BOUNDS[:0:-1]],
        "name": GRADES[::-1],
    },
}


@pytest.fixture
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(ROWS).to_csv("loans.csv", index=False)
    pd.DataFrame({"grade": GRADES, "lower": BOUNDS}).to_csv("scale.csv", index=False)


@pytest.mark.parametrize("given", TABLES.values(), ids=TABLES)
def test_a_score_counts_as_the_grade_that_it_falls_in(given):
    scale = cap.master_scale(given)
    assert cap.count_scores(Y, PD, levels=scale) == BY_GRADE
    assert cap.master_scale(scale) is scale


def test_the_lowest_scores_are_the_riskiest_grade_where_a_high_score_is_good():
    scale = cap.master_scale([2, 3])
    counts = cap.count_scores([1, 0, 0], [1, 2, 3], levels=scale, higher_is="negative")
    assert counts.levels == ("< 2", "[2, 3)", ">= 3")
    assert counts.positives.tolist() == [1, 0, 0]
    assert cap.accuracy_ratio(counts) == 1


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_frames_parts_and_several_scores_have_the_grades(kind):
    data, scale = kind(ROWS), cap.master_scale(TABLES["lower"])
    assert cap.count_scores("y", "pd", data=data, levels=scale) == BY_GRADE
    months = cap.count_segments("y", "pd", data=data, by="month", levels=scale)
    assert cap.ScoreCounts.merge(months.values()) == BY_GRADE
    joint = cap.count_joint("y", ["pd", "score"], data=data, levels={"pd": scale})
    assert joint.margin("pd") == BY_GRADE
    assert joint.margin("score").levels is None
    cases = cap.count_cases("pd", data=data, levels=scale)
    assert cases.levels == BY_GRADE.levels


def test_a_score_of_32_bits_falls_where_its_digits_do():
    scale = cap.master_scale([0.01, 0.05])
    short = cap.count_scores([0, 1, 1], np.array([0.01, 0.05, 0.049], np.float32), levels=scale)
    assert short == cap.count_scores([0, 1, 1], [0.01, 0.05, 0.049], levels=scale)
    assert short.negatives.tolist() == [0, 1]


@pytest.mark.parametrize("levels", [cap.master_scale([0.5]), [2.0, 0.0]], ids=["scale", "levels"])
def test_a_missing_score_has_no_grade(levels):
    scores = [2.0, float("nan"), 0.0]
    with pytest.raises(ValueError, match=r"missing \(null or NaN\) in 1 of 3 rows, first in row 1"):
        cap.count_scores([1, 1, 0], scores, levels=levels)
    counts = cap.count_scores([1, 1, 0], scores, levels=levels, missing="drop")
    assert (counts.n, counts.n1, counts.dropped.rows) == (2, 1, 1)


@pytest.mark.parametrize(
    ("given", "why"),
    {
        ((0.2, 0.1)): "ascend, got 0.2, 0.1",
        (): "at least one cut value",
        ((0.1, math.nan)): "must be finite numbers",
    }.items(),
)
def test_cut_values_are_numbers_that_ascend(given, why):
    with pytest.raises(ValueError, match=why):
        cap.master_scale(list(given))


def test_a_table_that_is_no_scale_is_refused():
    for table, why in (
        ({"grade": ["A"], "pd": [0.1]}, "the columns are 'grade', 'pd'"),
        ({"grade": ["A", "A"], "lower": [0.0, 0.1]}, "names the grade 'A' twice"),
        ({"grade": ["A", "B"], "lower": [0.1, 0.1]}, "bounds of a scale ascend"),
        ({"grade": ["A", None], "lower": [0.0, 0.1]}, "'grade' of the scale lacks a value"),
        (
            {"grade": ["A", "B"], "lower": [0.0, 0.2], "upper": [0.1, 1.0]},
            "A of the scale ends at 0.1 and B begins at 0.2",
        ),
    ):
        with pytest.raises(ValueError, match=why):
            cap.master_scale(table)
    with pytest.raises(ValueError, match=r"score holds 1\.5, above 1, where the scale ends"):
        cap.count_scores([1, 0], [1.5, 0.1], levels=cap.master_scale(TABLES["upper"]))
    with pytest.raises(ValueError, match="no resolution"):
        cap.count_scores([1, 0], [0.5, 0.1], levels=cap.master_scale([0.2]), resolution=0.1)


@pytest.mark.merge
@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("words", [["--cuts", "scale.csv"], ["--cuts", "pd=scale.csv"]])
def test_every_command_takes_a_scale(words):
    own = ["--levels", "D,C,B,A"]
    pair, graded = ["-t", "y", "-s", "pd"], ["-t", "y", "-s", "grade"]
    for command in (["gains", "--bins", "score"], ["steps"], ["curve"]):
        found = done(*command, "loans.csv", *pair, *words, "-f", "csv").stdout
        assert found == done(*command, "loans.csv", *graded, *own, "-f", "csv").stdout
    psi = [
        json.loads(done("stability", "loans.csv", "loans.csv", *said, "-f", "json").stdout)
        for said in (["-s", "pd", *words], ["-s", "grade", *own])
    ]
    assert psi[0] == psi[1]
    sheets = [
        json.loads(done("validate", "loans.csv", *said, "--by", "month", "-f", "json").stdout)
        for said in ([*pair, *words], [*graded, *own])
    ]
    assert sheets[0]["tests"] == sheets[1]["tests"]
    assert "Homogeneity within grades" in json.dumps(sheets[0]["tests"])


def test_cases_migrate_between_the_grades_of_a_scale():
    scale = cap.master_scale(TABLES["lower"])
    later = np.clip(PD * 1.3, 0, 0.5)
    graded = [GRADES[int(np.searchsorted(BOUNDS[1:], value, side="right"))] for value in later]
    found = cap.migration_table(PD, later, levels=scale)
    assert found.to_text() == cap.migration_table(OF_ROWS, graded, levels=GRADES[::-1]).to_text()
    moved = cap.migration_table("pd", "later", data=ROWS | {"later": later}, levels=scale)
    assert moved.downgraded == found.downgraded > 0


@pytest.mark.merge
@pytest.mark.usefixtures("_files")
def test_the_sheet_has_the_migration_between_the_grades_of_a_scale():
    rows = pd.DataFrame(ROWS).assign(start=np.clip(PD * 0.7, 0, 0.5))
    rows["start_grade"] = [GRADES[sum(value >= b for b in BOUNDS[1:])] for value in rows["start"]]
    rows.to_csv("moves.csv", index=False)
    own = ["-s", "grade", "--start-grade", "start_grade", "--levels", "D,C,B,A"]
    ways = (
        own,
        ["-s", "pd", "--start-grade", "start", "--cuts", "scale.csv"],
        [*own[2:4], "-s", "pd", "--cuts", "scale.csv", "--levels", "start_grade=D,C,B,A"],
    )
    sheets = [
        json.loads(done("validate", "moves.csv", "-t", "y", *way, "-f", "json").stdout)["tests"]
        for way in ways
    ]
    assert sheets[1] == sheets[0]
    assert sheets[2] == sheets[0]
    assert "migration.upper" in {test["id"] for test in sheets[0]}


@pytest.mark.usefixtures("_files")
def test_cuts_that_cannot_be_are_refused():
    pair = ["gains", "loans.csv", "-t", "y", "-s", "pd"]
    assert "numbers such as 0.01,0.02 or the file" in refused(*pair, "--cuts", "none.csv")
    assert "ascend" in refused(*pair, "--cuts", "0.2,0.1")
    assert "both say the grades of 'pd'" in refused(*pair, "--cuts", "0.1", "--levels", "A")
    assert "--memory-limit" in refused(*pair, "--cuts", "0.1", "--memory-limit", "1GB")
    assert "--resolution" in refused(*pair, "--cuts", "0.1", "--resolution", "0.1")

"""`capcurve grades`: the scale of the library in every format, or one line of refusal."""

import csv
import io
import json
import re
from pathlib import Path

import duckdb
import pytest

import capcurve as cap
from capcurve.datasets import path
from cli_calls import done, refused

WORDS = ("grades", str(path("loans")), "-t", "y", "-s", "int_rate")
QUICK = ("--splits", "2")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def designed(grades, **asked):
    return cap.design_grades("y", "int_rate", grades, data=path("loans"), **asked)


def test_it_is_the_scale_of_the_library():
    asked = {"min_share": 0.08, "max_share": 0.4, "min_positives": 20, "distinct": 0.05}
    asked |= {"fixed": [14], "rounded": 0.5}
    words = [word for name, said in asked.items() for word in ("--" + name.replace("_", "-"), said)]
    words = ["14" if word == [14] else str(word) for word in words]
    said = done(*WORDS, "--design", "5", *words, "--seed", "3", *QUICK, "-f", "json").stdout
    own = designed(5, splits=2, seed=3, **asked)
    assert cap.GradeScale.from_dict(json.loads(said)).cutoffs == own.cutoffs
    assert 14 in own.cutoffs
    assert json.loads(said) == json.loads(json.dumps(own.to_dict()))


def test_the_number_of_grades_is_chosen_held_out():
    said = {
        choose: json.loads(
            done(*WORDS, "--design", "3:9", "--choose", choose, *QUICK, "-f", "json").stdout
        )
        for choose in ("one-se", "best")
    }
    assert len(said["one-se"]["labels"]) <= len(said["best"]["labels"])
    assert tuple(said["best"]["labels"]) == designed((3, 9), splits=2, choose="best").labels
    assert [row["grades"] for row in said["best"]["chosen"]][-1] == 9


@pytest.mark.merge
def test_the_table_is_a_master_scale_and_the_expression_grades_alike():
    done(*WORDS, "--design", "5", *QUICK, "-o", "scale.csv")
    table = list(csv.DictReader(io.StringIO(Path("scale.csv").read_text("utf-8"))))
    again = done("summary", *WORDS[1:], "--cuts", "scale.csv", "-f", "json").stdout
    ratio = designed(5, splits=0).accuracy_ratio
    assert json.loads(again)["scores"][0]["accuracy_ratio"] == ratio
    done(*WORDS, "--design", "5", *QUICK, "-o", "scale.sql")
    graded = Path("scale.sql").read_text("utf-8")
    loans = duckdb.read_csv(str(path("loans")))
    found = loans.aggregate(f"{graded} AS grade, count(*)")
    assert dict(found.fetchall()) == {row["grade"]: int(row["n"]) for row in table}
    assert done(*WORDS, "--design", "5", *QUICK, "-f", "sql").stdout == graded


def test_a_page_of_the_command_line_names_options_as_they_are_typed():
    done(*WORDS, "--design", "12", *QUICK, "-o", "scale.html")
    page = Path("scale.html").read_text("utf-8")
    assert "--distinct 0.05" in page
    assert "distinct=" not in page
    assert "<h1>Grade scale (int_rate for y)</h1>" in page


@pytest.mark.merge
def test_amounts_counts_pages_and_pictures():
    done("counts", *WORDS[1:], "-o", "cells.csv")
    words = ("grades", "cells.csv", "--counts", "--labels", "A,B,C", "--design", "3")
    shown = done(*words, *QUICK).stdout
    assert " on data not used to design them (the score itself 0.484)." in shown
    assert re.search("AR on the design data +0.437", shown)
    for suffix in ("html", "svg", "xlsx", "md"):
        done(*words, *QUICK, "-o", f"scale.{suffix}")
    page = Path("scale.html").read_text("utf-8")
    for cut in designed(3, splits=0).cutoffs:
        assert f">{cut}</text>" in page
    of_amounts = ("grades", WORDS[1], "--amount", "funded_amnt", "-s", "int_rate", "-f", "json")
    found = json.loads(done(*of_amounts, "--design", "4").stdout)
    assert found["held_out"] is None
    assert len(found["cutoffs"]) <= 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--design x", "--design must be a number of grades such as 7, or the fewest and the most"),
        ("--design 7:3", "such as 3:12; got '7:3'"),
        ("--design 1", "--design is of 2 to 1,000 grades, got 1"),
        ("--design 99", "72 distinct scores cannot make 99 grades; ask for fewer"),
        ("--min-share .6", "--min-share 0.6 allows no scale of 2 to 7 grades; loosen it"),
        (
            "--min-share .3 --rounded 15 --no-falling",
            "together allow no scale of 2 to 7 grades; without --min-share 0.3, 2 grades fit; ",
        ),
        ("--max-share .1", "--max-share 0.1 takes at least 10 grades, and at most 7"),
        ("--fixed abc", "--fixed must be scores such as 620,580"),
        ("--fixed 999", "fixed cut-off 999 has all cases on one side; leave it out"),
        ("--fixed 13 --rounded 2", "fixed cut-off 13 is no multiple of --rounded 2; change one"),
        ("--fixed 9,10,11 --design 3", "3 fixed cut-offs make 4 grades, and at most 3"),
        ("--rounded 0", "--rounded must be above 0, got 0"),
        ("--choose best", "--choose is for several numbers of grades, as in --design 3:12"),
        ("--labels A,B", "--labels must be 7 different names"),
        ("--design 3:9 --splits 0", "the number of grades is chosen held out, and splits is 0"),
        (
            "--higher-is negative",
            "no cut-off of this score separates positives from negatives; is --higher-is right?",
        ),
        (
            "--fixed 13,22 --max-share .4 --min-share .3",
            "--min-share 0.3, --max-share 0.4, --fixed 13,22 and --falling together allow no scale",
        ),
        ("-s grade_rank", "a grade scale is for one score; pass one --score"),
    ],
)
def test_bad_input_is_refused_in_one_line(words, said):
    assert said in refused(*WORDS, *words.split())

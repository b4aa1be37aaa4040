"""`capcurve groups`: its numbers are those of the library, its errors one line."""

import csv
import io
import json
import zipfile

import numpy as np
import pytest

import capcurve as cap
from cli_calls import done, refused

RNG = np.random.default_rng(11)
SIZE = 300
SEX = RNG.choice(["men", "women"], SIZE).tolist()
REGION = RNG.choice([1, 2, 3], SIZE).tolist()
Y = (RNG.random(SIZE) < 0.4).astype(int)
PD = np.clip(0.3 + 0.2 * Y + RNG.normal(0, 0.2, SIZE), 0.01, 0.99).round(2)
USUAL = ("loans.csv", "-t", "y", "-s", "pd")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(Y, PD, SEX, REGION, strict=True)
    lines = ["y,pd,sex,region", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "loans.csv").write_text("\n".join(lines) + "\n")


def asked(*options):
    return done("groups", *USUAL, *options)


def compared(by, **options):
    names = {"sex": SEX, "region": REGION}
    column = names[by] if isinstance(by, str) else [names[each] for each in by]
    called = by if isinstance(by, str) else " and ".join(by)
    return cap.compare_groups(cap.count_segments(Y, PD, by=column), by=called, **options)


def test_json_is_that_of_the_library():
    found = json.loads(asked("--by", "sex", "--threshold", "0.4", "-f", "json").stdout)
    assert found == json.loads(json.dumps(compared("sex", threshold=0.4).to_dict()))
    assert found["schema_version"] == 1
    assert found["by"] == "sex"
    assert list(found["groups"][0])[:4] == ["group", "n", "positives", "prevalence"]


def test_csv_has_a_row_for_each_gap():
    said = asked("--by", "region", "--at", "0.2", "--against", "2", "--metric", "auc", "-f", "csv")
    rows = [*csv.DictReader(io.StringIO(said.stdout))]
    expected = compared("region", q=0.2, against=2, metric="auc")
    assert [(row["number"], row["gap"]) for row in rows] == [
        (test.metric, test.name) for test in expected.pairs
    ]
    for row, test in zip(rows, expected.pairs, strict=True):
        for name in ("estimate", "se", "low", "high", "p_value", "p_adjusted"):
            assert float(row[name]) == getattr(test, name)


def test_people_read_each_group_and_each_gap():
    shown = asked("--by", "sex", "--threshold", "0.4").stdout
    assert shown.startswith("Sex: gaps between 2 groups (pd for y)")
    for said in ("AR by group: ", "Men minus women: ", "At 0.4 and above ", "Numbers by sex"):
        assert said in shown
    assert "ABROCA" in shown


def test_crossed_groups_are_called_by_both_columns():
    found = json.loads(asked("--by", "sex", "--by", "region", "-f", "json").stdout)
    assert found["by"] == "sex and region"
    assert len(found["groups"]) == 6
    assert found == json.loads(json.dumps(compared(["sex", "region"]).to_dict()))


def test_every_format_is_written(tmp_path):
    for form in ("html", "md", "tex", "txt", "xlsx", "png", "svg"):
        asked("--by", "region", "--at", "0.2", "-o", f"groups.{form}")
        assert (tmp_path / f"groups.{form}").stat().st_size > 500
    assert zipfile.is_zipfile(tmp_path / "groups.xlsx")
    page = (tmp_path / "groups.html").read_text()
    for said in ("ROC by group", "Gap in AR", "Gap in captured response, points", "xAUC"):
        assert said in page
    assert "| captured response | 1 minus 2 |" in (tmp_path / "groups.md").read_text()


def test_counts_by_group_do_as_well_as_rows():
    done("counts", *USUAL, "--by", "sex", "-o", "cells.json")
    found = json.loads(done("groups", "cells.json", "--counts", "-f", "json").stdout)
    rows = json.loads(asked("--by", "sex", "-f", "json").stdout)
    assert (found["pairs"], found["groups"]) == (rows["pairs"], rows["groups"])


def test_positives_have_their_own_name():
    shown = asked("--by", "sex", "--threshold", "0.4", "--positive-word", "defaults").stdout
    assert "of the defaults are captured among men" in shown
    assert "positives" not in shown.replace("false positive rate", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "groups needs --by"),
        (("--by", "sex", "--threshold", "1", "--at", "0.1"), "both name the cut-off"),
        (("--by", "sex", "--threshold", "high"), "--threshold must be a score such as 620"),
        (("--by", "sex", "--against", "boys"), "--against must be one of men, women, got 'boys'"),
        (("--by", "sex", "--metric", "ks"), "'ks' is not one of 'ar', 'auc'"),
        (("--by", "sex", "-s", "region"), "for one score"),
        (("--by", "pd"), "--all-segments to insist"),
    ],
)
def test_what_does_not_go_is_said_in_one_line(options, said):
    assert said in refused("groups", *USUAL, *options)


def test_one_group_is_none_to_compare(tmp_path):
    (tmp_path / "men.csv").write_text("y,pd,sex\n1,.4,men\n0,.3,men\n")
    said = refused("groups", "men.csv", "-t", "y", "-s", "pd", "--by", "sex")
    assert said == "comparing groups needs at least two groups; there is 1 (men)"


def test_amounts_and_times_are_refused():
    said = refused("groups", "loans.csv", "--amount", "pd", "-s", "region", "--by", "sex")
    assert "positives and negatives, not for --amount" in said
    said = refused("groups", "loans.csv", "--time", "pd", "--event", "y", "--horizon", "1",
                   "-s", "region", "--by", "sex")  # fmt: skip
    assert "leave out --time and --horizon" in said


def test_an_evaluation_compares_its_segments():
    frame = {"y": Y, "pd": PD, "sex": SEX}
    found = cap.evaluate("y", "pd", frame, by="sex").compare_groups("pd", threshold=0.4)
    assert found.to_dict() == compared("sex", threshold=0.4).to_dict()
    assert cap.evaluate("y", "pd", frame, by="sex", level=0.9).compare_groups().level == 0.9
    with pytest.raises(ValueError, match="there are no segments"):
        cap.evaluate("y", "pd", frame).compare_groups()
    same = cap.compare_groups("y", "pd", by="sex", data=frame, threshold=0.4)
    assert same.to_dict() == found.to_dict()

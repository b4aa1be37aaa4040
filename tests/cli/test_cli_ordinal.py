"""`capcurve generalised-auc`: its numbers are those of the library, its errors one line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from capcurve.show.format import chance_text
from cli_calls import done, refused

RNG = np.random.default_rng(8)
EST = np.round(RNG.random(80), 2)
REAL = np.round(np.clip(EST + RNG.normal(0, 0.3, 80), 0, 1), 2)
PAIR = ("-r", "realised", "-e", "estimated")
COUNTS = cap.count_classes(REAL, EST)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{r},{e}\n" for r, e in zip(REAL, EST, strict=True))
    (tmp_path / "lgd.csv").write_text("realised,estimated\n" + rows)
    (tmp_path / "gaps.csv").write_text("realised,estimated\n" + rows + ",0.5\n0.2,NA\n")


def asked(*options):
    return done("generalised-auc", "lgd.csv", *PAIR, *options)


@pytest.mark.parametrize("given", ["estimate", "target"])
def test_json_has_the_number_the_test_and_the_table(given):
    found = json.loads(asked("--given", given, "--initial", "0.8", "-f", "json").stdout)
    expected = cap.generalised_auc(COUNTS, given=given)
    assert found["schema_version"] == 1
    assert found["generalised_auc"] == expected.to_dict()
    assert found["test"] == expected.test(0.8).to_dict()
    assert found["counts"] == COUNTS.to_dict()
    assert json.loads(asked("-f", "json").stdout)["test"] is None


def test_csv_has_one_row_of_numbers():
    expected = cap.generalised_auc(COUNTS, level=0.9)
    (row,) = csv.DictReader(io.StringIO(asked("-f", "csv", "--level", "0.9").stdout))
    assert float(row["generalised_auc"]) == expected.estimate
    assert (float(row["low"]), float(row["high"])) == (expected.low, expected.high)
    assert "p_value" not in row
    (row,) = csv.DictReader(io.StringIO(asked("-f", "csv", "--initial", "0.9").stdout))
    assert float(row["p_value"]) == expected.test(0.9).p_value
    assert row["alternative"] == "the current one is lower"


def test_people_see_the_table_and_the_numbers():
    shown = asked().stdout.splitlines()
    lines = shown[shown.index("Cases by estimated class (rows) and realised class (columns)") + 1 :]
    assert lines[0].split("  ")[0] == "estimated"
    assert lines.index("") == 1 + 12
    found = cap.generalised_auc(COUNTS)
    around = f"[{found.low:.3f}, {found.high:.3f}]"
    assert shown[2].startswith(
        f"The generalised AUC is {found.estimate:.3f} {around}, where 0.5 is"
    )
    assert asked("-f", "md").stdout.count("\n| --- |") == 2
    result = asked("--initial", "0.8")
    chance = chance_text(found.test(0.8).p_value)
    said = f"It was 0.800 initially, and the fall is not significant (one-sided {chance})."
    assert said in result.stdout
    assert "≥ 1" in result.stdout
    assert ">=" not in result.stdout
    assert "The initial value is treated as known" in result.stdout
    result = asked("--initial", "0.8", "-f", "csv")
    assert result.stderr.startswith("note: the initial value is treated as known")


def test_classes_are_those_that_are_asked_for():
    found = json.loads(asked("--classes", "0.3,0.6", "--closed", "right", "-f", "json").stdout)
    expected = cap.count_classes(REAL, EST, classes=[0.3, 0.6], closed="right")
    assert found["counts"] == expected.to_dict()
    result = asked("--classes", "values")
    assert "estimated  " not in result.stdout
    assert "The table of classes is too wide to be shown" in result.stdout
    assert result.stderr == asked("--classes", "values", "-f", "json").stderr == ""


def test_a_workbook_holds_the_numbers(tmp_path):
    asked("-o", "gauc.xlsx")
    assert (tmp_path / "gauc.xlsx").read_bytes().startswith(b"PK")


def test_rows_without_a_value_are_refused_or_dropped():
    assert "pass --missing drop" in refused("generalised-auc", "gaps.csv", *PAIR)
    result = done("generalised-auc", "gaps.csv", *PAIR, "--missing", "drop", "-f", "json")
    assert json.loads(result.stdout)["counts"]["table"] == COUNTS.to_dict()["table"]
    assert result.stderr == (
        "note: 2 rows are left out because a value is missing: realised in 1, estimated in 1\n"
    )


@pytest.mark.parametrize(("words", "part"), [
    (["--initial", "80"], "--initial must be between 0 and 1, got 80"),
    (["--classes", ""], "the edges of classes must ascend"),
    (["-e", "estimate"], "did you mean 'estimated'?"),
])  # fmt: skip
def test_mistakes_are_answered_in_one_line(words, part):
    assert part in refused("generalised-auc", "lgd.csv", *PAIR, *words)


def test_a_picture_shows_the_initial_value():
    asked("-o", "alone.html")
    assert "Initial value" not in Path("alone.html").read_text("utf-8")
    asked("--initial", "0.9", "-o", "tested.html")
    page = Path("tested.html").read_text("utf-8")
    assert ">Initial value, 0.900</text>" in page
    assert ">Generalised AUC (0.5 is chance, 1 is perfect)</text>" in page
    assert ">Estimate</text>" not in page

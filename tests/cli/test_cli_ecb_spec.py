"""`capcurve validate --ecb`: from the rows of a portfolio to the ECB's table, in one run."""

import csv
import json
import math
import re

import openpyxl
import pytest

from cli_calls import call, done, process, refused
from ecb_samples import COLUMNS, DATES, GRADES, PDS, book, expected, initial_rows, keys_of

ASK = ("portfolio.csv", "-t", "default", "-s", "grade", "--levels", ",".join(GRADES))
OUTSIDE = (
    *("--outside", "default=default", "--outside", "other=other-model"),
    *("--outside", "left=terminated"),
)
END = ("--end-grade", "end", *OUTSIDE)
GRADE_PDS = ("--grade-pd", ",".join(f"{grade}={pd}" for grade, pd in PDS.items()))
INITIAL = ("--initial", "initial.csv")
EXPOSURE = ("--ecb-exposure", "exposure")
ALL = (*ASK, *END, *GRADE_PDS, *INITIAL, *EXPOSURE)


def write(path, columns, mark=",", decimal="."):
    rows = [columns, *zip(*columns.values(), strict=True)]
    text = [
        mark.join(str(c).replace(".", decimal) if isinstance(c, float) else str(c) for c in row)
        for row in rows
    ]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "portfolio.csv", book())
    write(tmp_path / "initial.csv", initial_rows())


def read(path, **options):
    """Return the lines of a written table by section, item, grade and to."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, **options))
    assert tuple(rows[0]) == COLUMNS
    return {tuple(row[name] for name in ("section", "item", "grade", "to")): row for row in rows}


def number(text):
    return float(text) if text else math.nan


def test_from_the_portfolio_to_the_numbers_of_the_oracle(tmp_path):
    """In a process of its own, as people run it."""
    run = process("validate", *ALL, "--ecb", "t.csv", "-o", "sheet.html", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    found = read(tmp_path / "t.csv")
    assert set(found) == keys_of(GRADES)
    for key, value in expected("pd").items():
        row = found[key]
        assert number(row["value"]) == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), key
        assert row["missing"] == ""
    assert sum(bool(row["missing"]) for row in found.values()) == 16
    page = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "<h1>Validation sheet</h1>" in page
    assert "2.5.2.3" in page
    assert b"t.csv" in run.stderr
    assert b"sheet.html" in run.stderr


def test_a_file_of_pds_is_as_good(tmp_path):
    write(tmp_path / "pds.csv", {"grade": list(PDS), "pd": list(PDS.values())})
    done("validate", *ALL, "--ecb", "one.csv", "-o", "one.html")
    of_file = (*ASK, *END, "--grade-pd", "pds.csv", *INITIAL, *EXPOSURE)
    done("validate", *of_file, "--ecb", "two.csv", "-o", "two.html")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_all_options_at_once(tmp_path):
    more = ("--final-grade", "final", "--initial-dates", ":".join(DATES), "--best-first")
    done("validate", *ALL, *more, "--ecb", "t.csv", "-o", "sheet.html")
    found, oracle = read(tmp_path / "t.csv"), expected("pd")
    assert sum(bool(row["missing"]) for row in found.values()) == 11
    for section in ("2.5.4.1", "2.5.5.3"):
        dates = tuple(found[section, f"initial_{end}", "", ""]["text"] for end in ("start", "end"))
        assert dates == DATES
    data = book()
    differ = sum(a != b for a, b in zip(data["grade"], data["final"], strict=True))
    assert number(found["2.5.2.2", "overrides", "", ""]["value"]) == differ
    upper, lower = (("2.5.5.1", f"mwb_{side}", "", "") for side in ("upper", "lower"))
    assert number(found[upper]["value"]) == pytest.approx(oracle[lower], rel=1e-12)
    assert number(found[lower]["value"]) == pytest.approx(oracle[upper], rel=1e-12)
    cell = ("2.5.5.2", "z", "R3", "R5")
    assert number(found[cell]["value"]) == pytest.approx(oracle[cell], rel=1e-12)


def test_what_is_missing_is_told_in_flags(tmp_path):
    done("validate", *ASK, "--ecb", "t.csv", "-o", "sheet.html")
    found = read(tmp_path / "t.csv")
    assert set(found) == keys_of(GRADES)
    for key, flag in (
        (("2.5.2.2", "overrides", "", ""), "--final-grade"),
        (("2.5.3.1", "pd", "R1", ""), "--grade-pd"),
        (("2.5.3.1", "p_value", "", ""), "--grade-pd"),
        (("2.5.3.1", "original_exposure", "R2", ""), "--ecb-exposure"),
        (("2.5.4.1", "auc_initial", "", ""), "--initial"),
        (("2.5.4.1", "initial_start", "", ""), "--initial-dates"),
        (("2.5.5.1", "mwb_upper", "", ""), "--end-grade"),
        (("2.5.5.2", "share", "R1", "R2"), "--end-grade"),
        (("2.5.5.3", "hi_initial", "", ""), "--initial"),
        (("2.5.5.3", "hi_exposure", "", ""), "--ecb-exposure"),
    ):
        assert flag in found[key]["missing"], key
    for row in found.values():
        assert not re.search(r"\b[a-z_]+=", row["missing"]), row["missing"]
        assert not re.search(r"\b[a-z_]+=", row["text"]), row["text"]


def test_grades_at_the_start_leave_what_is_of_the_beginning_empty(tmp_path):
    data = book()
    kept = [row for row, end in enumerate(data["end"]) if end in GRADES]
    data = {name: [column[row] for row in kept] for name, column in data.items()}
    data["default"] = [int(row % 17 == 0) for row in range(len(kept))]
    write(tmp_path / "portfolio.csv", data)
    ask = ("portfolio.csv", "-t", "default", "-s", "end", "--levels", ",".join(GRADES))
    done("validate", *ask, "--start-grade", "grade", "--ecb", "t.csv", "-o", "sheet.html")
    found = read(tmp_path / "t.csv")
    for key in (("2.5.3.1", "p_value", "R1", ""), ("2.5.4.1", "auc_current", "", "")):
        assert found[key]["value"] == ""
        assert "--end-grade" in f"{found[key]['missing']} {found[key]['text']}"
        assert found[key]["missing"]
    upper = ("2.5.5.1", "mwb_upper", "", "")
    assert number(found[upper]["value"]) == pytest.approx(expected("pd")[upper], rel=1e-12)


def test_a_workbook_has_the_lines_of_csv(tmp_path):
    done("validate", *ALL, "--ecb", "t.csv", "-o", "sheet.html")
    done("validate", *ALL, "--ecb", "t.xlsx", "-o", "sheet.xlsx")
    expected_rows = list(read(tmp_path / "t.csv").values())
    book = openpyxl.load_workbook(tmp_path / "t.xlsx", data_only=True)
    rows = [["" if each is None else each for each in row] for row in book.worksheets[0].values]
    heads = [[str(value).lower() for value in row] for row in rows]
    top = next(at for at, row in enumerate(heads) if {"section", "item", "missing"} <= set(row))
    found = rows[top + 1 : top + 1 + len(expected_rows)]
    for row, line in zip(found, expected_rows, strict=True):
        for name in COLUMNS:
            value = row[heads[top].index(name)]
            if name == "value" and line[name]:
                assert float(value) == pytest.approx(float(line[name]), rel=1e-14)
            else:
                assert str(value).lstrip("'") == line[name].lstrip("'")  # of formulas
    sheets = openpyxl.load_workbook(tmp_path / "sheet.xlsx", read_only=True).sheetnames
    assert "ECB 2.5" in sheets


def test_the_table_changes_no_byte_of_the_sheet(tmp_path):
    plain = (*ASK, *END, *GRADE_PDS, *INITIAL)
    done("validate", *plain, "-o", "alone.json")
    done("validate", *plain, *EXPOSURE, "--ecb", "t.csv", "-o", "with.json")
    alone, beside = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("alone", "with")
    )
    assert alone == beside


def test_without_an_output_the_sheet_is_on_the_screen_and_the_table_in_its_file(tmp_path):
    result = done("validate", *ALL, "--ecb", "t.csv")
    assert "Accuracy ratio" in result.stdout
    assert set(read(tmp_path / "t.csv")) == keys_of(GRADES)


@pytest.mark.parametrize(("green", "code"), [(0.2, 0), (0.95, 1)])
def test_the_exit_code_is_that_of_the_lights_and_the_table_is_written(tmp_path, green, code):
    (tmp_path / "limits.toml").write_text(f"[accuracy_ratio]\ngreen = {green}\nred = {green}\n")
    words = ("--limits", "limits.toml", "--ecb", "t.csv", "-o", "sheet.html")
    assert call("validate", *ALL, *words).exit_code == code
    assert (tmp_path / "t.csv").exists()
    assert (tmp_path / "sheet.html").exists()


def test_decimal_commas_of_the_portfolio_are_read_in_exposures_too(tmp_path):
    write(tmp_path / "german.csv", book(), mark=";", decimal=",")
    done("validate", "german.csv", *ALL[1:], "--ecb", "t.csv", "-o", "sheet.html")
    key, oracle = ("2.5.3.1", "original_exposure", "R4", ""), expected("pd")
    found = read(tmp_path / "t.csv")
    assert number(found[key]["value"]) == pytest.approx(oracle[key], rel=1e-12)


def test_the_help_has_every_flag():
    said = done("validate", "--help").stdout
    for flag in ("ecb", "end-grade", "outside", "ecb-exposure", "best-first", "initial-dates"):
        assert re.search(rf"--{flag}\b", said), flag


# What is refused: one line, exit code 2, and no file

WRONG = {
    "another suffix": (ALL, ("--ecb", "t.json"), r"t\.json|\.csv"),
    "no suffix": (ALL, ("--ecb", "table"), r"table|\.csv"),
    "start and end": (
        ALL,
        ("--start-grade", "final", "--ecb", "t.csv"),
        "--start-grade.*--end-grade|--end-grade.*--start-grade",
    ),
    "outside without the end": (
        (*ASK, *OUTSIDE),
        ("--ecb", "t.csv"),
        "--outside.*--end-grade|--end-grade.*--outside",
    ),
    "outside with the start": (
        (*ASK, "--start-grade", "final", *OUTSIDE),
        ("--ecb", "t.csv"),
        "--outside",
    ),
    "a status of another word": (
        (*ASK, "--end-grade", "end", *OUTSIDE[:4], "--outside", "left=dead"),
        ("--ecb", "t.csv"),
        "default.*other-model.*terminated",
    ),
    "no status": (
        (*ASK, "--end-grade", "end", *OUTSIDE[:4], "--outside", "left"),
        ("--ecb", "t.csv"),
        "--outside",
    ),
    "a label that nothing is said of": (
        (*ASK, "--end-grade", "end", *OUTSIDE[:4]),
        ("--ecb", "t.csv"),
        "left",
    ),
    "a column that is not there": (
        (*ASK, "--end-grade", "nope", *OUTSIDE),
        ("--ecb", "t.csv"),
        "nope",
    ),
    "the score as its end": ((*ASK, "--end-grade", "grade"), ("--ecb", "t.csv"), "grade"),
    "another scale": (
        (
            *ASK[:-2],
            *("--levels", f"grade={','.join(GRADES)}"),
            *("--levels", f"end={','.join(GRADES[::-1])}"),
            *END,
        ),
        ("--ecb", "t.csv"),
        "same grades|same order|other way round",
    ),
    "no column of exposures": (
        (*ASK, "--ecb-exposure", "amount"),
        ("--ecb", "t.csv"),
        "amount",
    ),
    "exposures that are words": ((*ASK, "--ecb-exposure", "end"), ("--ecb", "t.csv"), "end"),
    "a PD too few": (
        (*ASK, "--grade-pd", "R1=0.2,R2=0.1"),
        ("--ecb", "t.csv"),
        "--grade-pd has no PD for",
    ),
    "one date": (
        (*ASK, *INITIAL, "--initial-dates", "2019-01-01"),
        ("--ecb", "t.csv"),
        "--initial-dates",
    ),
    "no dates": (
        (*ASK, *INITIAL, "--initial-dates", "1:2"),
        ("--ecb", "t.csv"),
        "--initial-dates",
    ),
    "no such month": (
        (*ASK, *INITIAL, "--initial-dates", "2019-13-01:2019-12-31"),
        ("--ecb", "t.csv"),
        "--initial-dates.*2019-13-01|2019-13-01.*--initial-dates",
    ),
    "no folder": (ALL, ("--ecb", "none/t.csv"), "none"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_one_line_and_no_file(tmp_path, name):
    asked, more, said = WRONG[name]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    line = refused("validate", *asked, *more, "-o", "sheet.html")
    assert re.search(said, line), line
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("table", "output", "said"),
    [
        ("portfolio.csv", "sheet.html", "portfolio.csv"),
        ("initial.csv", "sheet.html", "initial.csv"),
        ("t.csv", "t.csv", "t.csv"),
        ("t.csv", "none/sheet.html", "none"),
    ],
    ids=["the rows", "the initial sample", "one file for both", "no folder"],
)
def test_no_file_is_overwritten_or_half_written(tmp_path, table, output, said):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    line = refused("validate", *ALL, "--ecb", table, "-o", output)
    assert said in line
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("wrong", [-900000.0, math.inf, math.nan, "x", ""])
def test_exposures_that_are_none(tmp_path, wrong):
    data = book()
    data["exposure"] = [wrong, *data["exposure"][1:]]
    write(tmp_path / "portfolio.csv", data)
    line = refused("validate", *ALL, "--ecb", "t.csv", "-o", "sheet.html")
    assert "exposure" in line
    assert not (tmp_path / "t.csv").exists()
    assert not (tmp_path / "sheet.html").exists()


def test_an_outcome_at_a_horizon_has_no_table(tmp_path):
    data = book()
    data["days"] = [30 + row % 600 for row in range(900)]
    write(tmp_path / "portfolio.csv", data)
    words = ("--time", "days", "--event", "default", "--horizon", "365", "-s", "grade")
    line = refused(
        "validate",
        "portfolio.csv",
        *words,
        *("--levels", ",".join(GRADES), "--ecb", "t.csv", "-o", "sheet.html"),
    )
    assert "horizon" in line
    assert not (tmp_path / "t.csv").exists()
    assert not (tmp_path / "sheet.html").exists()


@pytest.mark.parametrize("missing", [(), ("--missing", "drop")], ids=["raise", "drop"])
def test_rows_without_an_exposure_are_counted(tmp_path, missing):
    """Leaving them out would put every amount too low, so no advice to drop them."""
    data = book()
    data["exposure"] = ["", "", *data["exposure"][2:]]
    write(tmp_path / "portfolio.csv", data)
    line = refused("validate", *ALL, *missing, "--ecb", "t.csv")
    assert "only 898 of 900 rows have an exposure in 'exposure'; fill in the rest" in line


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--ecb-exposure", "grade"), "--ecb-exposure grade has grades"),
        (("--ecb-exposure", "end"), "--ecb-exposure end has grades"),
        (("--ecb-exposure", "text"), "--ecb-exposure names a column of amounts"),
        (("--outside", "left=default"), "--outside names a label twice"),
        (("--outside", "R1=default"), "option --outside says is no grade"),
    ],
)
def test_columns_and_labels_in_a_role_they_cannot_have(tmp_path, more, said):
    write(tmp_path / "portfolio.csv", book() | {"text": ["EUR"] * 900})
    line = refused("validate", *ASK, *END, *more, "--ecb", "t.csv")
    assert said in line
    assert "outside=" not in line
    assert "--levels" not in line


def test_exposures_of_a_score_without_grades(tmp_path):
    write(tmp_path / "portfolio.csv", book() | {"points": [row * 7919 % 900 for row in range(900)]})
    ask = ("portfolio.csv", "-t", "default", "-s", "points", *EXPOSURE, "--ecb", "t.csv")
    line = refused("validate", *ask)
    assert "900 distinct values" in line
    assert "--cuts" in line


def test_numbers_are_grades_beside_labels_too(tmp_path):
    """A column of numbers and words is text, and its 3 is the 3 of the score."""
    data, number_of = book(), {grade: str(place) for place, grade in enumerate(GRADES)}
    for column in ("grade", "end", "final"):
        data[column] = [number_of.get(value, value) for value in data[column]]
    write(tmp_path / "portfolio.csv", data)
    ask = ("portfolio.csv", "-t", "default", "-s", "grade", "--final-grade", "final")
    line = refused("validate", *ask, *END, "--ecb", "t.csv")
    assert "name the grades with --levels" in line
    assert "--na" not in line
    done("validate", *ask, "--levels", ",".join(number_of.values()), *END, "--ecb", "t.csv")
    found, oracle = read(tmp_path / "t.csv"), expected("pd")
    cells = [key for key in oracle if key[0] in ("2.5.5.1", "2.5.5.2")]
    assert len(cells) > 50
    for section, item, grade, to in cells:
        key = (section, item, number_of.get(grade, grade), number_of.get(to, to))
        value = oracle[section, item, grade, to]
        assert number(found[key]["value"]) == pytest.approx(value, rel=1e-12, nan_ok=True), key

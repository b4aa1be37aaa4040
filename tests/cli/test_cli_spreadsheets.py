"""What the command line writes for spreadsheets: workbooks, and csv with a decimal comma."""

import csv
import io
import re
import shutil
import sys
from pathlib import Path

import pytest

import capcurve as cap
from capcurve.show.text import to_csv
from cli_calls import done, refused
from spreadsheets import cells_of, found_in

ROWS = "y,größe,s\n" + "".join(f"{y},a{y},{s}\n" for y, s in zip("10110", "26874", strict=True))
PAIR = ("data.csv", "-t", "y", "-s", "s")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(ROWS, "utf-8")


@pytest.mark.parametrize("command", ["summary", "report"])
def test_an_evaluation_is_written_as_a_workbook(tmp_path, command):
    result = done(command, *PAIR, "-o", "found.xlsx")
    assert "found.xlsx (" in result.stderr
    cells = cells_of(tmp_path / "found.xlsx")
    assert found_in(cells, "Summary", "accuracy ratio (Gini)", "B") == pytest.approx(1 / 3)
    assert "Source: data.csv" in cells.values()


@pytest.mark.parametrize("command", ["gains", "thresholds", "steps", "curve"])
def test_a_table_is_written_as_a_workbook(tmp_path, command):
    done(command, *PAIR, "-o", "found.xlsx")
    cells = cells_of(tmp_path / "found.xlsx")
    table = csv.reader(io.StringIO(done(command, *PAIR, "-f", "csv").stdout))
    assert cells["Table", "A1"]
    assert cells["Table", "A2"] == "Source: data.csv"
    for row, line in enumerate(list(table)[1:], start=5):
        for column, value in zip("ABCDEFGHIJKL", line, strict=False):
            found = cells.get(("Table", f"{column}{row}"))
            assert found == (pytest.approx(float(value), rel=1e-14) if value else None)


def test_paired_tests_are_written_as_a_workbook(tmp_path):
    (tmp_path / "data.csv").write_text("y,a,b\n1,4,4\n1,3,2\n0,2,3\n0,1,1\n")
    done("compare", "data.csv", "-t", "y", "-s", "a", "-s", "b", "-o", "found.xlsx")
    cells = cells_of(tmp_path / "found.xlsx")
    assert "a minus b" in cells.values()
    assert 0.5 in cells.values()


@pytest.mark.parametrize("command", ["summary", "report", "gains"])
def test_without_the_writer_one_line_says_what_to_install(monkeypatch, tmp_path, command):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    told = refused(command, *PAIR, "-o", "x.xlsx")
    assert (
        told == 'a workbook needs XlsxWriter: pip install "capcurve[excel]", in a clone ".[excel]"'
    )
    assert not (tmp_path / "x.xlsx").exists()


def test_csv_with_a_decimal_comma_says_the_same(tmp_path):
    usual = done("gains", *PAIR, "--bins", "score", "-f", "csv").stdout
    german = done("gains", *PAIR, "--bins", "score", "-f", "csv", "--csv-decimal", ",").stdout
    plain, comma = (
        list(csv.reader(io.StringIO(text), delimiter=mark))
        for text, mark in ((usual, ","), (german, ";"))
    )
    assert "0,3333333333333333" in comma[1]
    assert "." not in german
    assert [[cell.replace(",", ".") for cell in row] for row in comma] == plain
    done("gains", *PAIR, "--csv-decimal", ",", "-o", "found.csv")
    read_back = cap.count_scores("positives", "captured", data=tmp_path / "found.csv")
    assert read_back.score.tolist() == [1.0, 2 / 3, 1 / 3]


def test_names_beyond_ascii_begin_with_a_byte_order_mark():
    options = ("--by", "größe", "-f", "csv", "--csv-decimal", ",")
    assert not done("summary", *PAIR, *options).stdout.startswith("\ufeff")
    assert to_csv({"größe": [0.5]}, decimal=",") == "\ufeffgröße\n0,5\n"
    assert to_csv({"größe": [0.5]}) == "größe\n0.5\n"


def test_text_keeps_its_point():
    columns = {"score": ["0.5", 0.5, None], "lift": ["1.5", 1e-7, float("inf")]}
    assert to_csv(columns, decimal=",") == "score;lift\n0.5;1.5\n0,5;1e-07\n;inf\n"


@pytest.mark.parametrize("form", ["table", "json", "md"])
def test_the_decimal_mark_is_for_csv(form):
    told = refused("gains", *PAIR, "-f", form, "--csv-decimal", ",")
    assert told == "--csv-decimal is for csv; add --format csv"


def test_the_page_on_excel_shows_what_is_printed(monkeypatch, tmp_path):
    text = (Path(__file__).parents[2] / "docs/howto/excel.md").read_text("utf-8")
    shutil.copy(cap.datasets.path("loans"), tmp_path)
    monkeypatch.chdir(tmp_path)
    told = re.search(r"\$ capcurve (gains .*)\n((?:.+\n)+?)```", text)
    assert done(*told[1].split()).stdout == told[2]

"""One cell that is no number, in a column of numbers, is named with its place and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from cli_calls import call, refused

WORDS = ["None", "-", "#VALUE!", "\\N", "(null)", ".A", "._", "1.#IND", "n/a "]
MEANT = {
    "$12": "take the currency sign off",
    "12 €": "take the currency sign off",
    "(12.5)": "if the brackets are a minus, write -12.5",
    "\u22120.5": "its minus is not the sign -: write -0.5",
    "1 234": "take out what separates thousands",
}
ROLES = {
    "score": ["-t", "y", "-s", "x"],
    "amount": ["--amount", "x", "-s", "s"],
    "exposure": ["--amount", "s", "--exposure", "x", "-s", "s"],
    "weight": ["-t", "y", "-s", "s", "--weight", "x"],
    "time": ["--time", "x", "--event", "y", "-s", "s", "--horizon", "3"],
}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(word, name="rows.csv"):
        cells = [f"{i % 2},{i / 8},{i + 0.5}" for i in range(20)]
        cells[6], cells[9] = f"0,0.75,{word}", f"1,0.5,{word}"
        (tmp_path / name).write_text("\n".join(["y,s,x", *cells]) + "\n", "utf-8")

    return write


@pytest.mark.turns(3)
@pytest.mark.parametrize("word", WORDS[:-1])
def test_a_word_for_missing_is_named_with_its_line_and_the_option(rows, word):
    rows(word)
    said = refused("summary", "rows.csv", *ROLES["score"])
    assert f"x holds {word!r} in line 8, which is no number (2 of 20 rows)" in said
    assert "; where it means no value, pass --na " in said
    shown = call("summary", "rows.csv", *ROLES["score"], "--na", word, "--missing", "drop")
    assert shown.exit_code == 0
    assert "18" in shown.stdout


@pytest.mark.parametrize("role", ROLES)
def test_a_stray_cell_is_named_in_every_role(rows, role):
    rows("(null)")
    said = refused("summary", "rows.csv", *ROLES[role])
    assert "x holds '(null)' in line 8, which is no number (2 of 20 rows)" in said
    assert said.rstrip().endswith("where it means no value, pass --na '(null)'")


@pytest.mark.parametrize("word", MEANT)
def test_what_a_cell_most_likely_means_is_said(rows, word):
    rows(word)
    assert MEANT[word] in refused("summary", "rows.csv", *ROLES["score"])
    assert MEANT[word] in refused("summary", "rows.csv", *ROLES["amount"])


def test_a_stray_cell_is_named_where_rows_are_counted_within_a_memory_limit(rows):
    rows("None")
    said = refused("summary", "rows.csv", *ROLES["score"], "--memory-limit", "300MB")
    assert "x holds 'None', which is no number (2 of 20 rows); where it means no value" in said


def test_a_stray_cell_is_named_in_tables_of_counts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.csv").write_text("score,positives,negatives\n1,2,4\n-,4,5\n3,3,3\n")
    assert "score holds '-' in line 3, which is no number (1 of 3 rows)" in refused(
        "summary", "c.csv", "--counts"
    )
    (tmp_path / "c.csv").write_text("score,positives,negatives\n1,2,4\n2,4,None\n3,3,3\n")
    assert "negatives holds 'None' in line 3, which is no number" in refused(
        "summary", "c.csv", "--counts"
    )


def test_a_stray_cell_beside_decimal_commas_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("y;x\n1;0,9\n0;1.234,5\n1;none\n0;0,25\n")
    said = refused("summary", "rows.csv", *ROLES["score"])
    assert "x holds 'none' in line 4, which is no number (1 of 4 rows)" in said


@pytest.mark.parametrize(
    "column",
    [
        [0.1, "n/a", 0.3, None],
        ["0.1", "n/a", "0.3", "0.4"],
        ["1 %", "n/a", "3 %", "4 %"],
        np.array(["1", "n/a", "3", "4"]),
        pd.Series([0.1, "n/a", 0.3, np.nan], dtype=object),
        pl.Series(["0.1", "n/a", "0.3", None]),
    ],
    ids=["list", "text", "per cent", "array", "pandas", "polars"],
)
def test_a_stray_cell_of_a_column_in_python_is_named_with_its_row(column):
    target, numbers = [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4]
    match = r"holds 'n/a' in row 1, which is no number \(1 of [34] rows\); where it means no value"
    with pytest.raises(TypeError, match=match):
        cap.count_scores(target, column)
    with pytest.raises(TypeError, match=match):
        cap.count_values(column, numbers)
    with pytest.raises(TypeError, match=match):
        cap.count_scores(target, numbers, weight=column, weight_kind="sampling")


def test_text_that_is_all_numbers_or_hardly_any_is_told_apart():
    target = [1, 0, 1, 0]
    with pytest.raises(TypeError, match=r"holds numbers as text, such as '9', .* or numbers"):
        cap.count_scores(target, ["9", "10", "8", "7"])
    with pytest.raises(TypeError, match="holds text such as '3A', which has no order; pass levels"):
        cap.count_scores(target, ["1", "3A", "3B", "3C"])
    with pytest.raises(TypeError, match="holds '3A' in row 3, which is no number"):
        cap.count_scores(target, ["1", "2", "3", "3A"])


def test_text_in_json_beside_numbers_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"y":1,"x":0.5}\n{"y":0,"x":"none"}\n{"y":0,"x":0.1}\n')
    said = refused("summary", "a.jsonl", *ROLES["score"])
    assert "mixes numbers and text such as 'none'" in said
    assert "--na none where it means no value" in said


def test_rows_that_an_engine_grouped_have_no_numbers():
    rows = pl.DataFrame({"y": [1, 0, 1, 0] * 3, "x": ["0.1", "n/a", "0.3", "0.4"] * 3})
    with pytest.raises(TypeError, match=r"x holds 'n/a', which is no number \(3 of 12 rows\)"):
        cap.count_scores("y", "x", data=rows.lazy())

"""Numbers and tables read as a person would write them, and machines get them in full."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import numpy as np
import pytest

from capcurve import ScoreCounts, count_scores, summarize
from capcurve.show.columns import show
from capcurve.show.format import amount, printable
from capcurve.show.markup import to_markdown
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.show.text import MARKUPS, defused, to_csv, to_json, to_text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("rate", 0.0312, "3.1%"),
        ("captured", 1.0, "100.0%"),
        ("captured", 0.0, "0.0%"),
        ("captured", 0.99999, "99.999%"),
        ("rate", 0.00002, "0.002%"),
        ("accuracy_ratio", 0.48361, "0.484"),
        ("accuracy_ratio", -0.5, "−0.500"),
        ("cum_lift", 2.345, "2.35"),
        ("n", 9857, "9,857"),
        ("n", 2.0**60, f"{2.0**60:,}"),
        ("positives", 10**18, "1,000,000,000,000,000,000"),
        ("positives", 12.5, "12.5"),
        ("score_from", 0.030000000000000002, "0.030000000000000002"),
        ("threshold", 13.99, "13.99"),
        ("threshold", 0.12345678, "0.12345678"),
        ("x", 0.12345678, "0.123457"),
        ("threshold", 2**63 - 1, "9223372036854775807"),
        ("threshold", math.inf, "inf"),
        ("threshold", "C4", "C4"),
        ("threshold", True, "True"),
        ("threshold", None, "-"),
        ("segment", 2024, "2024"),
    ],
)
def test_values_are_shown_as_their_column_asks(name, value, text):
    assert show(name, value) == text


def test_small_weights_keep_their_digits():
    assert amount(0.00012345) == "0.00012345"
    assert amount(1234567.891) == "1,234,567.9"


def test_json_is_strict():
    text = to_json({"a": [math.inf, math.nan, 2**60, 0.1, None, "ü"]})
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": ["inf", None, str(2**60), 0.1, None, "ü"]
    }


def test_csv_comes_back_exactly():
    columns = {"a": [0.1 + 0.2, 5e-324, None], "b,c": ['say "x"', "two\nlines", "ü"]}
    rows = list(csv.reader(io.StringIO(to_csv(columns))))
    assert rows[0] == ["a", "b,c"]
    assert [float(row[0]) if row[0] else None for row in rows[1:]] == columns["a"]
    assert [row[1] for row in rows[1:]] == columns["b,c"]


@pytest.mark.parametrize("text", ["=1+1", "+A", "-A", "@SUM(A1)", "\tx", "\r=1", "-", "-1x"])
def test_text_like_a_formula_is_defused(text):
    assert defused({"grade": [text], text: [1]}) == {"grade": [f"'{text}"], f"'{text}": [1]}


@pytest.mark.parametrize("value", [-5, -0.5, None, True, "A+", "-5", "+2.5e-3", "1-1", "", " =1"])
def test_other_values_stay(value):
    assert defused({"grade": [value]}) == {"grade": [value]}


def test_markdown_survives_bars_and_line_ends():
    lines = to_markdown({"score": ["a|b", "c\nd"], "n": [1, 2]}).splitlines()
    assert lines[2:] == ["| a\\|b | 1 |", "| c\\nd | 2 |"]


def test_columns_line_up_also_with_wide_letters():
    text = to_text({"segment": ["東京", "x"], "n": [1, 20000]})
    assert text.splitlines() == ["segment   cases", "東京          1", "x        20,000"]


def test_a_table_moves_together_where_the_screen_ends():
    columns = {"score_from": [1.5], "cum_positives": [12], "rate": [0.5]}
    assert to_text(columns) == "score from  cum positives   rate\n       1.5             12  50.0%"
    assert to_text(columns, width=25).splitlines() == [
        "score        cum",
        " from  positives   rate",
        "  1.5         12  50.0%",
    ]
    assert to_text(columns, width=20).splitlines()[2] == "  1.5        12 50.0%"


def test_long_names_go_on_below_and_limits_stay_whole():
    columns = {
        "test": ["Fall of the accuracy ratio since", "KS"],
        "value": [0.044, 0.3],
        "interval": ["[-0.017, 0.104]", ""],
    }
    assert to_text(columns, width=45).splitlines() == [
        "test                  value  interval",
        "Fall of the accuracy  0.044  [-0.017, 0.104]",
        "  ratio since",
        "KS                      0.3",
    ]
    # No head has a second word, so that there is no empty line above.
    assert to_text({"a": [1000], "b": [2000]}, width=5).splitlines()[0] == "    a     b"


def test_a_table_without_rows_is_its_heading():
    assert to_text({"n": [], "rate": []}) == "cases  rate"


def test_nothing_acts_on_the_screen():
    assert printable("\x1b[31mred\x07") == "\\x1b[31mred\\x07"
    assert "\x1b" not in str(summarize(count_scores([1, 0], [1, 2]), name="\x1b[2J"))


def test_the_text_of_a_summary_says_what_it_knows():
    counts = ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 3, 9])
    said = str(summarize(counts, name="grade"))
    lines = said.splitlines()
    assert lines[0] == "grade"
    assert lines[2] == "7 positives among 20 cases are too few to show how well the score ranks."
    assert lines[3].endswith(
        "better than chance (p = 0.010), but the CAP stays in the 95% band of random scores."
    )
    (ratio,) = [line for line in lines if line.startswith("accuracy ratio")]
    assert re.search(r"\(Gini\) +0\.659  \[0\.019, 0\.916\].* by row order$", ratio)
    assert re.search(r"(?m)^KS .*at score", said)
    assert re.search(r"(?m)^cases +20  7 positives \(35\.0%\), 3 distinct scores$", said)


def test_the_text_of_one_class_has_the_cases_and_no_numbers():
    said = str(summarize(ScoreCounts.from_counts([1], [0], [5])))
    assert "undefined: there are no positives among the 5 cases" in said
    assert "accuracy ratio  undefined" in said
    assert "captured" not in said


def test_the_text_names_weights_and_a_stated_prevalence():
    counts = count_scores([1, 0, 1, 0], [4, 3, 2, 1], weight=[0.5, 1, 1, 1])
    (line,) = re.findall(r"(?m)^cases .*", str(summarize(counts, prevalence=0.02)))
    assert line.startswith("cases (weight)")
    assert "prevalence 2.0% as stated" in line


@pytest.mark.parametrize("form", ["md", "tex"])
def test_a_long_table_ends_before_it_is_said_how_many_rows_are_left(form):
    table = Table("Long", {"bin": np.arange(130)}, "of one column")
    said = MARKUPS[form].result(Presentation(title="T", sentences=("S.",), tables=(table,)))
    *_, shown, left, note = said.split("\n\n")
    assert (left, note) == ("... 30 more rows", "Of one column.")
    assert shown.count("\n") >= 100

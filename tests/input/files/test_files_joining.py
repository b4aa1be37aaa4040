"""Several files are one set of rows, without losing a digit."""

from __future__ import annotations

import numpy as np
import pytest
from files_reading import ROWS, fails, listed, read

from capcurve.cli.proposing import list_columns
from capcurve.input.columns import InputColumn
from capcurve.input.files import Files, read_columns
from capcurve.input.files.reading import join


def test_text_files_are_judged_together(write):
    one = write("1.csv", "s,g,e,i\n1,5,,1\n9007199254740992,6,,2\n")
    two = write("2.csv", "i;s;g;e\n18446744073709551615;0,5;A;0.25\n")
    s, g, e, i = read([one, two], *"sgei")
    assert listed(s) == [1.0, 9007199254740992.0, 0.5]
    assert listed(g) == ["5", "6", "A"]
    assert listed(e) == [None, None, 0.25]
    assert i.values.dtype == np.uint64
    assert listed(i) == [1, 2, 18446744073709551615]


def test_kinds_of_files_can_be_mixed(write, stored, stdin):
    stdin(b"x,t\n5,e\n")
    paths = [
        write("1.csv", "t,x\na,1\n"), stored("2.parquet", "SELECT 2::TINYINT AS x, 'b' AS t"),
        write("3.jsonl", '{"x": 3.5, "t": "c"}'), write("4.tsv", "x\tt\nNA\td\n"), "-",
        write("6.csv", "x,t\n"),
    ]  # fmt: skip
    x, t = read(paths, "x", "t")
    assert x.values.dtype == np.float64
    assert listed(x) == [1.0, 2.0, 3.5, None, 5.0]
    assert listed(t) == list("abcde")
    names = [(column.name, column.type) for column in list_columns(Files.of(paths[:4]))]
    assert names == [("t", "text"), ("x", "number")]


def test_types_that_disagree_are_refused(write, stored):
    one = write("1.csv", "x\n1\n")
    message = fails(
        [one, stored("2.parquet", "SELECT 'a' AS x")], "x", match="column 'x' holds whole"
    )
    assert "1.csv but text in" in message
    fails([one, stored("3.parquet", "SELECT true AS x")], "x", match=r"but true/false in .*3\.par")
    big = stored("4.parquet", "SELECT 9007199254740993 AS x")
    fails(
        [big, stored("5.parquet", "SELECT 0.5::DOUBLE AS x")], "x", match="up to 9007199254740993"
    )
    wide = stored("6.parquet", "SELECT 18446744073709551615::UBIGINT AS x")
    fails([wide, stored("7.parquet", "SELECT -1 AS x")], "x", match="no common type holds exactly")


def test_widths_are_joined_without_loss(stored):
    def parts(*values):
        return [stored(f"{i}.parquet", f"SELECT {value} AS x") for i, value in enumerate(values)]

    column = read(parts("0.1::FLOAT", "0.1::DOUBLE"), "x")
    assert listed(column) == [float(np.float32(0.1)), 0.1]
    column = read(parts("16777217::INTEGER", "0.5::FLOAT"), "x")
    assert listed(column) == [16777217.0, 0.5]
    column = read(parts("18446744073709551615::UBIGINT", "5"), "x")
    assert (column.values.dtype, listed(column)) == (np.uint64, [18446744073709551615, 5])
    column = read(parts("7::UBIGINT", "-5"), "x")
    assert (column.values.dtype, listed(column)) == (np.int64, [7, -5])
    column = read(parts("NULL::VARCHAR", "5::TINYINT"), "x")
    assert (column.values.dtype, listed(column)) == (np.int8, [None, 5])
    column = read(parts("DATE '2024-01-01'", "TIMESTAMP_NS '2024-01-01 00:00:00.000000001'"), "x")
    assert str(column.values[1]) == "2024-01-01T00:00:00.000000001"
    fails(
        parts("DATE '9999-01-01'", "TIMESTAMP_NS '2024-01-01'"), "x", match="times that no one unit"
    )


def test_categories_must_agree():
    low = InputColumn("g", np.array([0]), None, ("a", "b"), ordered=True)
    assert join([low, low], ["1", "2"]).categories == ("a", "b")
    other = InputColumn("g", np.array([0]), None, ("b", "a"), ordered=True)
    with pytest.raises(ValueError, match="column 'g' has other categories in 1 than in 2"):
        join([low, other], ["1", "2"])


def test_asking_for_nothing(write):
    assert read_columns(Files.of(write("a.csv", ROWS)), []) == {}

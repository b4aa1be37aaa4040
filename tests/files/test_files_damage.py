"""Blank lines do no harm; a bad row or a broken file is one line that says where."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from files_reading import ROWS, fails, listed, read

from capcurve.files import Files, list_columns


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "{}", "{}{}{}"])
def test_line_ends_and_blank_lines(write, end, tail):
    rows = end.join(["a,b", "1,2", '3,"x"'])
    path = write("a.csv", rows + tail.replace("{}", end))
    a, b = read(path, "a", "b")
    assert (listed(a), listed(b)) == ([1, 3], ["2", "x"])
    one = write("b.csv", end.join(["a", "1", "", '""', "2"]) + tail.replace("{}", end))
    assert listed(read(one, "a")) == [1, None, 2]
    before = write("c.csv", end + end + rows)
    assert listed(read(before, "a")) == [1, 3]


def test_a_line_break_inside_quotes(write):
    path = write("a.csv", 'a,"b\nc"\n1,"x\n\ny"\n2,z\n')
    assert listed(read(path, "b\nc")) == ["x\n\ny", "z"]


def test_mixed_line_ends_are_said(write):
    fails(write("a.csv", b"a,b\n1,2\r\n3,4\n"), "a", match="line ends are mixed")


def test_no_rows(write, stored):
    for path in (
        write("a.csv", "x,y\n"),
        write("b.csv", "x,y"),
        stored("c.parquet", "SELECT 1 AS x WHERE false"),
    ):
        column = read(path, "x")
        assert len(column) == 0
        assert column.missing is None
    assert [column.distinct for column in list_columns(Files.of(write("a.csv", "x,y\n")))] == [0, 0]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl", "a.csv.gz"])
def test_an_empty_file(write, name):
    fails(write(name, gzip.compress(b"") if name.endswith("gz") else b""), "x", match="is empty")


@pytest.mark.parametrize("data", ["\n\n\n", "\ufeff", " \n", "\r\n"])
def test_a_blank_file(write, data):
    fails(write("a.csv", data), "x", match="is empty")


@pytest.mark.parametrize(("data", "match"), [
    ("a,b\n1,2\n3\n4,5\n", "line 3: 1 field where the first line names 2"),
    ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the first line names 2"),
    ('a,b\n1,"2\n3,4\n', "line 2: a quoted field does not end"),
    ('a,b\n1,2\n1,"x"y\n', "line 3: a quoted field does not end"),
    ('"a,b\n1,2\n', "line 1: the column names|no column 'a'"),
    ("a,b\n1," + "x" * 3_000_000 + "\n", "line 2: the line is longer than 2 MB"),
])  # fmt: skip
def test_a_bad_row_is_named_by_its_line(write, data, match):
    fails(write("a.csv", data), "a", match=match)


def test_a_bad_row_far_down_is_named_by_its_line(write):
    rows = ["a,b"] + ["1,2"] * 1_500_000
    rows[1_234_567] = "1"
    fails(write("a.csv", "\n".join(rows)), "b", match=r"line 1234568: 1 field")


def test_damaged_files(write, stored):
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(300_000)))
    fails(write("a.csv.gz", whole[: len(whole) // 2]), "a", match="gzip stream does not end")
    fails(write("b.csv.gz", whole[:50]), "a", match="gzip stream does not end")
    assert listed(read(write("c.csv.gz", ROWS), "default")) == [0, 1]
    data = Path(stored("d.parquet", "SELECT range AS x FROM range(10000)")).read_bytes()
    for cut in (4, 8, 100, len(data) - 1, len(data) - 20):
        fails(write("e.parquet", data[:cut]), "x", match=r"not a whole parquet file: it is damaged")
    fails(write("f.parquet", b"x,y\n1,2\n"), "x", match="is not a parquet file: it does not begin")
    fails(write("g.parquet.gz", gzip.compress(data)), "x", match="parquet inside gzip")
    for magic in (b"PK\x03\x04\0\0", b"\x28\xb5\x2f\xfd\0", b"\xd0\xcf\x11\xe0\0"):
        fails(write("h.xlsx", magic), "x", match="neither text nor parquet")

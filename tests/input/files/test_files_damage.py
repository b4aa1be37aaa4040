"""Blank lines do no harm; a bad row or a broken file is one line that says where."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from files_reading import ROWS, fails, listed, read
from hypothesis import given, strategies as st

from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files, read_columns
from capcurve.input.files.engine import FileTable, connect
from capcurve.input.files.reading import judge_columns

ENDS = ("\n", "\r\n", "\r")
FIELDS = ("1", "2.5", "", " ", "z", '""', '"a\nb"', '"a\r\nb"', '"a\rb"', '"x,y"', '"q""q"')


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


BEFORE = ["", "\ufeff", "{}{}", "  {}"]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("before", "inside", "end"),
    [
        # In a third of these every two of the three meet.
        pytest.param(
            BEFORE[x], ENDS[y], ENDS[z], marks=[] if (x + y + z) % 3 == 0 else pytest.mark.merge
        )
        for x, y, z in product(range(4), range(3), range(3))
    ],
)
def test_a_line_break_in_a_name_loses_no_row(write, end, inside, before):
    for names in (['"long{}name"', "y", "s"], ["y", '"a{0}b{0}c"', '"d{0}"']):
        rows = [",".join(names).format(inside), "1,2,3", f'0,"x{inside}y",3', "1,0,5"]
        data = before.format(end, end) + end.join(rows)
        last = names[-1].format(inside).strip('"')
        assert listed(read(write("a.csv", data + end), last)) == [3, 3, 5]
        path = write("a.csv", data)
        assert listed(read(path, last)) == [3, 3, 5]
        assert len(list_columns(Files.of(path))) == 3


@given(
    main=st.sampled_from(ENDS),
    rows=st.lists(
        st.tuples(st.lists(st.sampled_from(FIELDS), min_size=2, max_size=2), st.sampled_from(ENDS)),
        max_size=4,
    ),
    names=st.tuples(*[st.sampled_from(['"n{}"', '"n{}\n"', '"n\r{}"', '"n{}\r\nx"'])] * 2),
    before=st.sampled_from(["", "\ufeff", "\n", "\r\n", " \r"]),
    mixed=st.booleans(),
)
def test_rows_are_those_that_python_finds_or_refused(main, rows, names, before, mixed):
    header = ",".join(name.format(place) for place, name in enumerate(names)) + main
    ends = [end if mixed else main for _, end in rows]
    data = before + header
    data += "".join(",".join(row) + end for (row, _), end in zip(rows, ends, strict=True))
    text = io.StringIO(data.removeprefix("\ufeff"), newline="")
    parsed = [row for row in csv.reader(text) if row]
    found = next(row for row in parsed if any(map(str.strip, row)))
    expected = parsed[parsed.index(found) + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        path.write_bytes(data.encode())
        files = Files.of(path, null_values=())
        try:
            columns = read_columns(files, found, as_text=found).values()
        except ValueError as error:
            assert "\n" not in str(error)  # noqa: PT017
            assert len({main, *ends, before.strip("\ufeff ") or main}) > 1
            return
    values = [[word.strip(" ") for word in column.values] for column in columns]
    assert values == [[row[place].strip(" ") for row in expected] for place in range(2)]


def test_rows_that_are_not_found_are_not_none():
    with connect() as connection:
        none = "(SELECT 'x' AS c0 WHERE false)"
        table = FileTable(connection, "a.csv", none, "csv", ("y",), more=True)
        with pytest.raises(ValueError, match=r"a.csv holds more than its column names, and no row"):
            judge_columns(table, ["y"], Files.of("a.csv"))
        rows = replace(table, relation="(SELECT NULL AS c0)")
        assert judge_columns(rows, ["y"], Files.of("a.csv"))["y"].kind == "empty"


def test_a_blank_first_line(write):
    for blank in ("\n", "  \n", "\t \n"):
        y, s = read(write("a.csv", blank + "y,s\n1,2\n"), "y", "s")
        assert (listed(y), listed(s)) == ([1], [2])


def test_mixed_line_ends_are_said(write):
    fails(write("b.csv", b"\r\na,b\n1,2\n"), "a", match="line ends are mixed")
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


@pytest.mark.parametrize("last", ["0.5", "NA"])  # a missing one would be dropped without a word
@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
def test_row_names_without_a_name_are_refused(write, mark, last):
    rows = [("y", "s", "note"), *((f'"loan {i}"', i % 2, i / 4, last) for i in range(1, 5))]
    path = write("a.csv", "".join(mark.join(map(str, row)) + "\n" for row in rows))
    match = r"a\.csv has 4 fields in its first row and 3 names; .* in R with row\.names=FALSE$"
    if mark == " ":
        fails(path, "y", match=r"if blanks separate its fields, pass Files.of\(path, delimiter=' '")
    fails(path, "y", match=match, **({"delimiter": " "} if mark == " " else {}))


def test_a_mark_at_the_end_of_each_row_is_no_field(write):
    path = write("a.csv", "y,s\n1,0.5,\n0,0.25,\n")
    assert listed(read(path, "s")) == [0.5, 0.25]


@pytest.mark.merge
def test_a_bad_row_far_down_is_named_by_its_line(write):
    rows = ["a,b"] + ["1,2"] * 1_500_000
    rows[1_234_567] = "1"
    fails(write("a.csv", "\n".join(rows)), "b", match=r"line 1234568: 1 field")


def zipped(rows=200_000):
    """Return gzip of more than a megabyte of text, and what is in it."""
    numbers = np.random.default_rng(2).integers(0, 10**9, rows)
    data = b"a,b\n" + b"".join(b"%d,%d\n" % (n, n % 7) for n in numbers.tolist())
    return gzip.compress(data, 1), numbers


@pytest.mark.merge
def test_gzip_is_checked_to_its_end(write):
    whole, numbers = zipped()
    assert read(write("a.csv.gz", whole), "a").values.sum() == numbers.sum()
    flipped = bytearray(whole)
    flipped[-8] ^= 1  # the checksum
    fails(write("a.csv.gz", bytes(flipped)), "a", match="damaged: its gzip stream does not agree")
    for place in np.random.default_rng(4).integers(len(whole) // 2, len(whole), 4):
        flipped = bytearray(whole)
        flipped[place] ^= 4
        fails(write("a.csv.gz", bytes(flipped)), "a", match="is damaged")
    for cut in (1, 4, 8, 9, len(whole) // 3):
        fails(write("a.csv.gz", whole[:-cut]), "a", match="cut short: its gzip stream does not end")
    for tail in (b"x", b"x" * 100_000):
        fails(write("a.csv.gz", whole + tail), "a", match="or other bytes follow it")
    fails(write("a.csv.gz", whole + b"\0" * 512), "a", match=r"padding .* gunzip")


def test_several_gzip_members_are_one_file(write):
    whole, numbers = zipped(1000)
    more = gzip.compress(b"5,6\n") + gzip.compress(b"") + gzip.compress(b"7,8\n")
    assert listed(read(write("a.csv.gz", whole + more), "a")) == [*numbers.tolist(), 5, 7]
    fails(write("a.csv.gz", whole + more[:-3]), "a", match="does not end")


@pytest.mark.parametrize("records", ['{"a": 1}\n{"a": 2}\n', '[{"a": 1}, {"a": 2}]'])
def test_gzip_of_json_is_checked(write, records):
    whole = gzip.compress(records.encode())
    assert listed(read(write("a.json.gz", whole), "a")) == [1, 2]
    fails(write("a.json.gz", whole[:-4]), "a", match="does not end")
    fails(write("a.json.gz", whole[:-8] + b"\0" * 8), "a", match="is damaged")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_json_list_that_is_cut_anywhere(write, suffix):
    data = b'[{"a": 1, "b": "x"},\n {"a": 2, "b": "]"} , {"a": 3}]\n'
    packed = gzip.compress if suffix else bytes
    assert listed(read(write("a.json" + suffix, packed(data)), "a")) == [1, 2, 3]
    for cut in range(2, len(data)):
        path = write("a.json" + suffix, packed(data[:-cut]))
        fails(path, "a", match="is cut short|not json|empty")


def test_a_file_in_utf_32(write):
    for encoding in ("utf-32", "utf-32-be"):
        text = ("\ufeff" if encoding.endswith("be") else "") + ROWS
        assert listed(read(write("a.csv", text.encode(encoding)), "default")) == [0, 1]


@pytest.mark.merge
def test_damaged_files(write, stored):
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(300_000)))
    fails(write("a.csv.gz", whole[: len(whole) // 2]), "a", match="gzip stream does not end")
    fails(write("b.csv.gz", whole[:50]), "a", match="gzip stream does not end")
    assert listed(read(write("c.csv.gz", ROWS), "default")) == [0, 1]
    data = Path(stored("d.parquet", "SELECT range AS x FROM range(10000)")).read_bytes()
    for cut in (4, 8, 100, len(data) - 1, len(data) - 20):
        fails(write("e.parquet", data[:cut]), "x", match=r"not a whole file: it is damaged")
    fails(write("f.parquet", b"x,y\n1,2\n"), "x", match="is not a parquet file: it does not begin")
    fails(write("g.parquet.gz", gzip.compress(data)), "x", match="a parquet file inside gzip")
    for magic in (b"PK\x03\x04\0\0", b"\x28\xb5\x2f\xfd\0", b"\xd0\xcf\x11\xe0\0"):
        fails(write("h.xlsx", magic), "x", match="is damaged|is no spreadsheet")
    fails(write("i.csv", b"BZh91AY&SY\0\0"), "x", match="neither text nor of another kind")

"""The csv files of the world are read right, or one line names the flag that does it."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from files_reading import fails, listed, read

import capcurve as cap
from capcurve import write_counts
from capcurve.input import read_times
from capcurve.input.files import Files, read_cells


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(write, mark):
    rows = ['"a;,|b"', "y", "note"], ["0.5", "1", '"x, y; z"'], ["0.25", "0", '"say ""hi"""']
    path = write("a.csv", "\n".join(mark.join(row) for row in rows))
    score, note = read(path, "a;,|b", "note")
    assert listed(score) == [0.5, 0.25]
    assert listed(note) == ["x, y; z", 'say "hi"']


def test_the_delimiter_can_be_said(write):
    path = write("a.csv", "a b;c\n1 2;3\n")
    assert listed(read(path, "b;c", delimiter=" ")) == ["2;3"]
    assert Files.of("a", delimiter="\\t").delimiter == "\t"


@pytest.mark.parametrize("option", [
    {"delimiter": ";;"}, {"delimiter": ""}, {"delimiter": '"'}, {"decimal": "x"},
    {"delimiter": ",", "decimal": ","}, {"encoding": "nothing"}, {"encoding": "base64"},
])  # fmt: skip
def test_options_that_make_no_sense(option):
    with pytest.raises(ValueError, match=r"delimiter|decimal|encoding"):
        Files.of("a.csv", **option)


def test_decimal_comma_is_read_right(write):
    path = write("a.csv", "id;pd;y\n1;0,034;0\n2;1,234;1\n3;;0\n4;12;1\n5;-1e-3;0\n6;,5;0\n")
    pd, y = read(path, "pd", "y")
    assert listed(pd) == [0.034, 1.234, None, 12.0, -0.001, 0.5]
    assert listed(y) == [0, 1, 0, 1, 0, 0]


def test_decimal_comma_in_a_file_of_one_column(write):
    assert listed(read(write("a.csv", "pd\n0,5\n0,25\n"), "pd")) == [0.5, 0.25]


@pytest.mark.turns(3)
@pytest.mark.parametrize("data", [
    "y;pd\n0;1,234\n1;5,678\n",         # thousands?
    "y;pd\n0;0,5\n1;0.5\n",             # both
    'y,pd\n0,"0,034"\n1,"0,5"\n',       # the comma already delimits
    'y,pd\n0,"1,234"\n1,"12"\n',
    "y;pd\n0;1.234\n1;987\n",
    "y,pd\n0,1.234\n1,2.345\n",
    "y;pd\n0;-1.234 \n1;+12.345.678\n",
    "y;pd;x\n0;1.234;0,5\n1;987;0.5\n",  # x shows neither
    "y;pd;a;b\n0;1.234;0,5;0.5\n1;987;1,5;0.25\n",  # two marks in one file
    "y;pd;month\n0;1.234;10.2017\n1;987;11.2017\n",  # the point of a month
    'y,pd,x\n0,1.234,"0,5"\n1,987,"0,25"\n',  # the comma separates
])  # fmt: skip
def test_an_unclear_decimal_mark_is_asked_for(write, data):
    path = write("a.csv", data)
    message = fails(path, "pd", match=r"column 'pd' of .*a\.csv holds '.*, where the decimal mark")
    assert "Files.of(path, decimal=',')" in message
    assert listed(read(path, "y")) == [0, 1]


@pytest.mark.parametrize(("data", "points"), [
    ("y;x;pd\n1;0,9;1.234\n0;0,1;987\n1;NA;12.345.678\n", [1234, 987, 12345678]),
    ("y;x;pd\n1;1,48 %;1.806\n0;12,5 %;1.306\n1;;12\n", [1806, 1306, 12]),
    ("y;x;pd\n1;1.250,50;1.234\n0;0,5;1.000.000\n1;3;7\n", [1234, 1000000, 7]),
    ("y;pd\n0;1.234,5\n1;0,5\n0;1.000\n", [1234.5, 0.5, 1000]),
    ('y,pd\n0,"1,234.5"\n1,0.5\n0,"1,000"\n', [1234.5, 0.5, 1000]),
    ('y,x,pd\n0,0.25,"1,234"\n1,0.5,"987"\n0,,1\n', [1234, 987, 1]),
    ("y,pd\n0,1.234\n1,0.123\n0,2\n", [1.234, 0.123, 2]),
    ("y;pd;x\n0;1.234;0,5\n1;1.5;0,25\n0;2;3\n", [1.234, 1.5, 2]),
    ("y,pd\n0,1.234\n1,1.234e0\n0,2.0\n", [1.234, 1.234, 2]),
    ("y,x,pd\n0,0.25,1.234\n1,0.5,2.345\n0,.5,3\n", [1.234, 2.345, 3]),
])  # fmt: skip
def test_what_the_file_shows_elsewhere_settles_what_a_point_is(write, data, points):
    column = read(write("a.csv", data), "pd")
    assert listed(column) == points
    assert (column.values.dtype == np.int64) == (points == [int(each) for each in points])


def test_files_of_one_set_settle_together_what_a_point_is(write):
    unclear = write("1.csv", "y;pd\n0;1.234\n1;987\n")
    clear = write("2.csv", "y;pd\n0;1.500\n1;2.500,75\n")
    assert listed(read([unclear, clear], "pd")) == [1234, 987, 1500, 2500.75]
    fails([unclear, write("3.csv", "y;pd\n0;12\n1;7\n")], "pd", match="where the decimal mark")
    english = write("4.csv", "y,pd\n0,1.234\n1,2.345\n")
    fails([english, clear], "pd", match=r"4\.csv holds '1\.234', where the decimal mark")


@pytest.mark.merge
def test_thousands_with_points_count_the_same_by_every_way_of_reading(write):
    rows = [(i % 3 == 0, f"{i / 7:.2f}".replace(".", ","), f"{i:,}".replace(",", "."))
            for i in range(900, 1100)]  # fmt: skip
    lines = [f"{int(y)};{pd};{points};{points}" for y, pd, points in rows]
    path = write("a.csv", "\n".join(["y;pd;points;amount", *lines]))
    counts = cap.count_scores("y", "points", data=path, weight="amount", weight_kind="frequency")
    assert counts.score.tolist() == [*range(1099, 899, -1)]
    assert counts.n == sum(range(900, 1100))
    assert cap.count_scores("y", "points", data=path, memory_limit="300MB") == cap.count_scores(
        "y", "points", data=path
    )
    values = cap.count_values("amount", "pd", data=path, exposure="points")
    assert cap.mean_amount(values) == 1
    table = write("b.csv", "score;positives;negatives\n3;1.300;200\n2;650;1,5\n1;20;3.000\n")
    assert read_cells(Files.of(table)).n1 == 1970


def test_saved_counts_say_themselves_what_a_point_is(tmp_path):
    counts = cap.count_scores([1, 0, 1, 0], [1.234, 2.345, 1.234, 2.345])
    values = cap.count_values([1.234, 2.345], [3.125, 4.125], exposure=[1.001, 2.002])
    for saved in (counts, {"a": counts, "b": counts}, values):
        write_counts(saved, tmp_path / "a.csv")
        assert read_cells(Files.of(tmp_path / "a.csv")) == saved
    times = cap.count_times([1.5, 2.5], [1, 0], [1.234, 2.345])
    write_counts(times, tmp_path / "t.csv")
    assert read_times(Files.of(tmp_path / "t.csv")).score.tolist() == times.score.tolist()


def test_the_decimal_mark_can_be_said(write):
    grouped = write("a.csv", "y;pd\n0;1,234\n1;5,678\n0;12\n")
    assert listed(read(grouped, "pd", decimal=",")) == [1.234, 5.678, 12.0]
    thousands = read(grouped, "pd", decimal=".")
    assert listed(thousands) == [1234, 5678, 12]
    assert thousands.values.dtype == np.int64
    assert listed(read(write("b.csv", "y;pd\n0;1.234,5\n1;0,5\n"), "pd", decimal=",")) == [
        1234.5,
        0.5,
    ]
    assert listed(read(write("c.csv", 'y,pd\n0,"1,234.5"\n1,0.5\n'), "pd", decimal=".")) == [
        1234.5,
        0.5,
    ]
    assert listed(read(write("d.csv", 'y,pd\n0,"0,034"\n'), "pd", decimal=",")) == [0.034]
    mixed = write("e.csv", "y;pd\n0;0,5\n1;0.5\n")
    fails(mixed, "pd", match=r"holds '0\.5', which is no number with decimal=',';", decimal=",")
    fails(mixed, "pd", match=r"holds '0,5', which is no number with decimal='\.';", decimal=".")


def test_text_with_commas_stays_text(write):
    path = write("a.csv", "y;place\n0;Paris, 5\n1;1,5\n")
    assert listed(read(path, "place")) == ["Paris, 5", "1,5"]


def test_words_for_missing(write):
    words = [
        "",
        ".",
        "NA",
        "N/A",
        "n/a",
        "#N/A",
        "<NA>",
        "NULL",
        "null",
        "NaN",
        "nan",
        '""',
        '"NA"',
    ]
    path = write("a.csv", "x,y,g\n" + "".join(f"1,{word},{word}\n" for word in words) + "1,0.5,a\n")
    y, g = read(path, "y", "g")
    assert listed(y) == [None] * len(words) + [0.5]
    assert listed(g) == [None] * len(words) + ["a"]
    path = write("b.csv", "x,y\n1, . \n2, NA\n3, 4 \n")
    assert listed(read(path, "y")) == [None, None, 4]


def test_words_for_missing_can_be_said(write):
    path = write("a.csv", "country,y\nNA,-9\nUS,1\n,0\n")
    country, y = read(path, "country", "y", null_values=("-9",))
    assert listed(country) == ["NA", "US", ""]
    assert listed(y) == [None, 1, 0]
    assert listed(read(path, "country", null_values=())) == ["NA", "US", ""]


def test_a_column_without_any_value(write):
    x, y = read(write("a.csv", "x,y\n1,\n2,NA\n"), "x", "y")
    assert listed(y) == [None, None]
    assert y.values.dtype == np.float64
    assert x.missing is None


def test_byte_order_marks(write):
    text = "söre;y\n0,5;1\n"
    for encoding in ("utf-8-sig", "utf-16"):
        assert listed(read(write("a.csv", text.encode(encoding)), "söre")) == [0.5]
    for encoding in ("utf-16-be", "utf-16-le"):
        data = "\ufeff".encode(encoding) + text.encode(encoding)
        assert listed(read(write("a.csv", gzip.compress(data)), "söre")) == [0.5]
    assert listed(read(write("a.csv", text.encode("utf-16-le")), "söre", encoding="utf-16-le")) == [
        0.5
    ]
    assert listed(read(write("a.csv", text.encode()), "söre", encoding="UTF8")) == [0.5]


def test_after_a_byte_order_mark_a_first_name_may_hold_what_separates(write):
    for text, first in (('"&amp;";y\n1;0,5\n2;0,25\n', "&amp;"), ('"a,",y\n1,0.5\n2,0.25\n', "a,")):
        path = write("a.csv", text.encode("utf-8-sig"))
        assert listed(read(path, "y")) == [0.5, 0.25]
        assert listed(read(path, first)) == [1, 2]


@pytest.mark.merge
def test_cp1252(write):
    in_header = write("a.csv", "Größe;y\n0,5;1\n".encode("cp1252"))
    fails(in_header, "y", match=r"a\.csv is not utf-8 \(byte 2, line 1\); .* encoding='cp1252'")
    assert listed(read(in_header, "Größe", encoding="cp1252")) == [0.5]
    rows = "name,y\n" + f"{'ok' * 50},1\n" * 15_000 + "Zoë€,0\n"
    late = write("b.csv", rows.encode("cp1252"))
    fails(late, "name", match=r"b\.csv, line 15002: not utf-8; .* encoding='cp1252'")
    assert listed(read(late, "name", encoding="cp1252"))[-1] == "Zoë€"
    assert (
        listed(
            read(write("c.csv.gz", gzip.compress(rows.encode("cp1252"))), "name", encoding="cp1252")
        )[-1]
        == "Zoë€"
    )
    line = write("d.csv", "a,b\n1,2\n3,\xe9\n".encode("latin-1"))
    fails(line, "a", match=r"\(byte 10, line 3\)")


def test_bytes_that_the_encoding_said_does_not_know(write):
    path = write("a.csv", b"a,b\n1,\x81\n")
    fails(path, "a", match="not written in cp1252: byte 6 has no meaning there", encoding="cp1252")
    path = write("b.csv", b"\xff\xfea\x00,")
    fails(path, "a", match="not written in utf-16: byte")
    big = b"a,b\n" + b"1,2\n" * 600_000
    fails(write("c.csv", big + b"\x81,3\n"), "a", match=f"byte {len(big)} ", encoding="cp1252")


def test_words_for_missing_are_no_patterns(write):
    words = ("a.b", "(x|y)*", "[", "\\d", "x y", "'", "é", "-")
    path = write(
        "a.csv", "y,g\n" + "".join(f"{i},{word}\n" for i, word in enumerate(words)) + "9,a-b\n"
    )
    assert listed(read(path, "g", null_values=words)) == [None] * len(words) + ["a-b"]
    padded = write(
        "b.csv", "y,g\n" + "".join(f"{i}, {word}\n" for i, word in enumerate(words)) + "9,7\n"
    )
    assert listed(read(padded, "g", null_values=words)) == [None] * len(words) + [7]
    assert listed(read(write("c.csv", "y,g\n1,\n2, \n"), "g", null_values=())) == ["", " "]

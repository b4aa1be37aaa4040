"""The csv files of the world are read right, or one line names the flag that does it."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from files_reading import fails, listed, read

from capcurve.input.files import Files


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


@pytest.mark.parametrize("data", [
    "y;pd\n0;1,234\n1;5,678\n",         # thousands?
    "y;pd\n0;0,5\n1;0.5\n",             # both
    'y,pd\n0,"0,034"\n1,"0,5"\n',       # the comma already delimits
    'y,pd\n0,"1,234"\n1,"12"\n',
    "y;pd\n0;1.234,5\n1;0,5\n",
])  # fmt: skip
def test_an_unclear_decimal_mark_is_asked_for(write, data):
    path = write("a.csv", data)
    message = fails(path, "pd", match=r"column 'pd' of .*a\.csv holds '.*, where the decimal mark")
    assert "Files.of(path, decimal=',')" in message
    assert listed(read(path, "y")) == [0, 1]


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

"""Text becomes numbers as exactly as Python reads them, judged over the whole column."""

from __future__ import annotations

import math
import random
import struct

import numpy as np
import pytest
from files_reading import fails, listed, read


def test_floats_are_read_as_python_reads_them(write):
    rng = random.Random(7)  # noqa: S311
    bits = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in range(20_000)]
    hard = [
        "0.1", "1e-320", "4.9e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
        "9007199254740993.0", "1.7976931348623157e308", "-0.0", "+1.5",
        ".5", "5.", "1E5", "1e+5", "inf", "-inf", "Infinity", "+Infinity", "-INF",
        "0.1000000000000000055511151231257827",
    ]  # fmt: skip
    text = (
        hard
        + [repr(x) for x in bits if math.isfinite(x)]
        + [f"{x:.17e}" for x in bits if math.isfinite(x)]
    )
    column = read(write("a.csv", "y,x\n" + "".join(f"0,{word}\n" for word in text)), "x")
    expected = np.array([float(word) for word in text])
    assert column.values.dtype == np.float64
    assert column.values.view(np.uint64).tolist() == expected.view(np.uint64).tolist()


def test_nan_that_is_no_null_is_a_nan(write):
    path = write("a.csv", "y,x\n0,nan\n1,-NaN\n1,0.5\n")
    column = read(path, "x", null_values=("",))
    assert column.missing is None
    assert np.isnan(column.values).tolist() == [True, True, False]


@pytest.mark.parametrize(("words", "dtype"), [
    (["9007199254740993", "-9223372036854775808", "9223372036854775807"], np.int64),
    (["18446744073709551615", "0"], np.uint64),
    (["007", "+7", " 7 "], np.int64),
])  # fmt: skip
def test_whole_numbers_keep_every_digit(write, words, dtype):
    column = read(write("a.csv", "y,x\n" + "".join(f"0,{word}\n" for word in words)), "x")
    assert column.values.dtype == dtype
    assert listed(column) == [int(word) for word in words]
    column = read(write("b.csv", "y,x\n0,NA\n" + "".join(f"0,{word}\n" for word in words)), "x")
    assert listed(column) == [None, *(int(word) for word in words)]


@pytest.mark.parametrize(
    "words", [["18446744073709551616"], ["-1", "18446744073709551615"], ["1" * 60]]
)
def test_whole_numbers_that_do_not_fit_are_refused(write, words):
    path = write("a.csv", "y,x\n" + "".join(f"0,{word}\n" for word in words))
    fails(path, "x", match="column 'x' of .* holds whole numbers beyond 64 bits")
    lines = "\n".join(f'{{"x": {word}}}' for word in words)
    fails(write("a.jsonl", lines), "x", match="column 'x' of .* holds whole numbers beyond 64 bits")


@pytest.mark.parametrize("word", ["1_000", "+-1", "0x10", "1e", "1,5,6", "٣", "1 2", "--1", "5%"])
def test_what_is_no_number_makes_text(write, word):
    column = read(write("a.csv", f'y,x\n0,1\n1,"{word}"\n'), "x")
    assert listed(column) == ["1", word]
    assert column.values.dtype == object


@pytest.mark.parametrize(
    ("late", "dtype"),
    [("0.5", np.float64), ("NA", np.int64), ("abc", object), ("18446744073709551615", np.uint64)],
)
def test_the_type_is_judged_over_the_whole_column(write, late, dtype):
    path = write("a.csv", "y,x\n" + "1,7\n" * 100_000 + f"0,{late}\n")
    column = read(path, "x")
    assert column.values.dtype == dtype
    assert len(column) == 100_001
    last = {"NA": None, "abc": "abc", "0.5": 0.5}.get(late, 18446744073709551615)
    assert listed(column)[-1] == last


def test_yes_and_no(write):
    path = write("a.csv", "x,y\nTrue,false\nFALSE,1\nNA,true\n")
    x, y = read(path, "x", "y")
    assert x.values.dtype == bool
    assert listed(x) == [True, False, None]
    assert listed(y) == ["false", "1", "true"]


def test_csv_dates_stay_text(write):
    assert listed(read(write("a.csv", "m,y\n2024-01-31,0\n2024-02-29,1\n"), "m")) == [
        "2024-01-31",
        "2024-02-29",
    ]


MIXED = "column 'x' of .* mixes fractions with whole numbers beyond 2\\^53, such as 9"


def test_whole_numbers_beside_fractions_are_never_rounded(write):
    path = write("a.csv", "y,x\n1,9007199254740993\n0,9007199254740992\n1,0.5\n")
    fails(path, "x", match=MIXED)
    fails(write("b.csv", "y;x\n1;9007199254740993\n0;0,5\n"), "x", match=MIXED)
    fails(write("a.jsonl", '{"x": 9007199254740993}\n{"x": 0.5}\n'), "x", match=MIXED)
    fails(write("c.csv", "y,x\n1," + "9" * 400 + "\n0,0.5\n"), "x", match=MIXED)
    for name, whole, other in [
        ("csv", "y,x\n1,9007199254740993\n", "y,x\n1,0.5\n"),
        ("jsonl", '{"x": 9007199254740993}\n', '{"x": 0.5}\n'),
    ]:
        fails([write(f"1.{name}", whole), write(f"2.{name}", other)], "x", match=MIXED)


def test_whole_numbers_that_a_float_holds_stay_beside_fractions(write):
    path = write("a.csv", "y,x\n1,9007199254740994\n0,9007199254740992\n1,0.5\n0,1e22\n")
    assert listed(read(path, "x")) == [9007199254740994, 9007199254740992, 0.5, 1e22]


@pytest.mark.parametrize("empty", ["", "NA", " NA "])
def test_huge_whole_numbers_beside_nothing_stay_whole(write, empty):
    column = read(write("a.csv", f"y,x\n1,9007199254740993\n0,{empty}\n"), "x")
    assert column.values.dtype == np.int64
    assert listed(column) == [9007199254740993, None]


@pytest.mark.parametrize(
    ("word", "becomes"),
    [("1e400", "infinity"), ("-1e400", "infinity"), ("1e-400", "0"), ("0.0001e-400", "0")],
)
def test_numbers_beyond_the_range_of_a_float_are_refused(write, word, becomes):
    path = write("a.csv", f"y,x\n1,{word}\n0,0.5\n1,0\n")
    fails(path, "x", match=f"holds {word}, beyond the range of a float: it would become {becomes}")
    if becomes == "infinity":
        fails(write("a.jsonl", f'{{"x": {word}}}\n'), "x", match=f"holds {word}, beyond the range")


def test_zeros_and_infinities_as_such_are_read(write):
    words = ["0.0e5", "0e0", "-0.0", "inf", "-Infinity", "1e-320", "00.00"]
    column = read(write("a.csv", "y,x\n" + "".join(f"0,{word}\n" for word in words)), "x")
    assert listed(column) == [float(word) for word in words]

"""Parquet and json give their values in the type they were stored in."""

from __future__ import annotations

import random
import struct
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from files_reading import fails, listed, read

import capcurve
from capcurve import write_counts
from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files
from capcurve.input.files.engine import FileTable, connect
from capcurve.input.files.formats import read_typed


@pytest.mark.turns(3)
@pytest.mark.parametrize(("sql", "dtype"), [
    ("TINYINT", np.int8), ("SMALLINT", np.int16), ("INTEGER", np.int32), ("BIGINT", np.int64),
    ("UTINYINT", np.uint8), ("USMALLINT", np.uint16), ("UINTEGER", np.uint32),
    ("UBIGINT", np.uint64), ("FLOAT", np.float32), ("DOUBLE", np.float64), ("BOOLEAN", np.bool_),
    ("VARCHAR", np.object_), ("DECIMAL(15, 3)", np.float64), ("UUID", np.object_),
    ("TIME", np.object_), ("INTERVAL", np.object_), ("JSON", np.object_),
    ("DATE", np.dtype("M8[us]")), ("TIMESTAMP", np.dtype("M8[us]")),
    ("TIMESTAMP_NS", np.dtype("M8[ns]")), ("TIMESTAMPTZ", np.dtype("M8[us]")),
])  # fmt: skip
def test_stored_types_are_kept(stored, sql, dtype):
    value = {
        "BOOLEAN": "true", "VARCHAR": "'a'", "UUID": "uuid()", "TIME": "'10:00'", "JSON": "'[1]'",
        "INTERVAL": "INTERVAL 1 DAY", "DATE": "'2024-02-29'", "TIMESTAMP": "'2024-02-29 10:00'",
        "TIMESTAMP_NS": "'2024-02-29 10:00'", "TIMESTAMPTZ": "'2024-02-29 10:00:00+00'",
    }.get(sql, "1")  # fmt: skip
    path = stored("a.parquet", f"SELECT unnest([{value}, NULL])::{sql} AS x, 1 AS y")
    column = read(path, "x")
    assert column.values.dtype == dtype
    assert column.missing.tolist() == [False, True]
    if column.values.dtype.kind == "M":
        assert str(column.values[0]).startswith("2024-02-29T")
    if dtype is np.object_:
        assert type(column.values[0]) is str
    assert len(list_columns(Files.of(path))) == 2


def test_stored_numbers_are_exact(stored):
    path = stored(
        "a.parquet",
        "SELECT unnest([18446744073709551615, 9007199254740993])::UBIGINT AS u, "
        "unnest([0.1, 1e-45])::FLOAT AS f",
    )
    u, f = read(path, "u", "f")
    assert listed(u) == [18446744073709551615, 9007199254740993]
    assert f.values.tolist() == np.array([0.1, 1e-45], np.float32).tolist()


def test_half_floats_meet_numbers_as_they_do_in_a_frame(tmp_path, write):
    scores = [0.1, 0.1, 0.3, 0.7]
    half = str(tmp_path / "half.parquet")
    frame = pa.table({"y": [0, 1, 0, 1], "s": np.array(scores, np.float16)})
    pyarrow.parquet.write_table(frame, half)
    words = write("a.csv", "y,s\n" + "".join(f"{i % 2},{s}\n" for i, s in enumerate(scores)))
    expected = capcurve.count_scores("y", "s", data=frame)
    for files, rows in ((half, expected), ([half, words], expected + expected)):
        found = capcurve.count_scores("y", "s", data=Files.of(files))
        assert (found, found.thresholds.dtype) == (rows, np.float16)
        assert capcurve.operating_point(found, threshold=0.1).q == 1
    for saved in ("saved.json", "saved.parquet"):
        path = tmp_path / saved
        write_counts(expected, path)
        again = capcurve.read_counts(path)
        assert capcurve.operating_point(again, threshold=0.1).q == 1


def test_decimals(stored):
    words = ["0.1", "123456789.123456", "-999999999.999999", "0.000001"]
    rows = ", ".join(f"{word}::DECIMAL(15, 6)" for word in words)
    column = read(stored("a.parquet", f"SELECT unnest([{rows}]) AS x"), "x")
    assert listed(column) == [float(Decimal(word)) for word in words]


@pytest.mark.parametrize(
    ("kind", "words", "dtype"),
    [
        ("DECIMAL(18, 2)", ["100.25", "-7.5", "0"], np.float64),
        ("DECIMAL(38, 18)", ["0.123456789012345", "0.1", "-0.000000000000000001"], np.float64),
        ("DECIMAL(38, 0)", ["650", "700"], np.float64),
        ("DECIMAL(38, 0)", ["-123456789012345679", "12"], np.int64),
        ("DECIMAL(38, 0)", ["18446744073709551615", "12"], np.uint64),
        ("DECIMAL(18, 2)", ["1234567890123456.00", "0.5"], np.float64),
    ],
)
def test_decimals_of_any_type_are_read_where_their_values_are_kept(stored, kind, words, dtype):
    rows = ", ".join(f"'{word}'::{kind}" for word in words)
    column = read(stored("a.parquet", f"SELECT unnest([{rows}, NULL]) AS amount"), "amount")
    assert column.values.dtype == dtype
    make = float if dtype is np.float64 else int
    assert listed(column) == [*(make(Decimal(word)) for word in words), None]


@pytest.mark.parametrize(
    ("kind", "word", "digits"),
    [
        ("DECIMAL(38, 20)", "1.00000000000000002", 18),
        ("DECIMAL(38, 0)", "12345678901234567890123", 23),
        ("DECIMAL(20, 1)", "12345678901234567.5", 18),
    ],
)
def test_decimals_that_no_type_keeps_are_refused_with_one_of_them(stored, kind, word, digits):
    path = stored("a.parquet", f"SELECT unnest(['{word}', '1']::{kind}[]) AS amount")
    match = f"column 'amount' of .* holds the decimal {word} of {digits} digits, and a float keeps"
    fails(path, "amount", match=match)


def test_decimals_of_more_than_38_digits_are_refused(tmp_path):
    words = ["1.00000000000000000002", "1.00000000000000000001"]
    amount = pa.array([Decimal(word) for word in words], pa.decimal256(60, 20))
    pyarrow.parquet.write_table(pa.table({"amount": amount}), tmp_path / "a.parquet")
    match = r"column 'amount' of .* is DECIMAL\(60,20\), which DuckDB reads only .*; cast it to"
    fails(tmp_path / "a.parquet", "amount", match=match)


@pytest.mark.parametrize(("value", "match"), [
    ("[0.25, 0.75]", "'x' of .* holds lists of 2; take one element of each"),
    ("[0.25, 0.75]::DOUBLE[2]", "'x' of .* holds lists of 2; take one element of each"),
    ("unnest([[1], [1, 2]])", "'x' of .* holds lists; take one element"),
    ("{'a': 1}", "'x' of .* is struct; numbers, text or dates are needed"),
    ("map{'a': 1}", "'x' of .* is map; numbers"),
    ("'ab'::BLOB", "'x' of .* is blob; numbers"),
])  # fmt: skip
def test_what_is_no_single_value_is_refused(stored, value, match):
    fails(stored("a.parquet", f"SELECT {value} AS x"), "x", match=match)


def test_wide_whole_numbers_and_categories():
    with connect() as connection:
        connection.execute("CREATE TYPE grade AS ENUM ('low', 'mid', 'high')")
        connection.execute(
            "CREATE TABLE kept AS SELECT unnest(['high', NULL, 'low'])::grade AS c0, "
            "unnest([5, NULL, -7])::HUGEINT AS c1, "
            "unnest([18446744073709551615, 1, 2])::UHUGEINT AS c2, "
            "unnest([1, 2, 3])::HUGEINT << 70 AS c3"
        )
        types = ("ENUM('low', 'mid', 'high')", "HUGEINT", "UHUGEINT", "HUGEINT")
        names = ("g", "h", "u", "wide")
        table = FileTable(connection, "kept", "kept", "parquet", names, types)
        columns = read_typed(table, ["g", "h", "u"])
        with pytest.raises(ValueError, match="'wide' of kept holds whole numbers beyond 64 bits"):
            read_typed(table, ["wide"])
    assert columns["g"].categories == ("low", "mid", "high")
    assert columns["g"].ordered
    assert listed(columns["g"]) == ["high", None, "low"]
    assert listed(columns["h"]) == [5, None, -7]
    assert columns["h"].values.dtype == np.int64
    assert columns["u"].values.dtype == np.uint64
    assert listed(columns["u"])[0] == 18446744073709551615


def test_json_values(write):
    records = [
        (
            '{"i": 9007199254740993, "u": 18446744073709551615, "f": 0.1, "b": true, "t": "x", '
            '"n": "NA", "s": "0.5"}'
        ),
        '{"i": -9223372036854775808, "u": 0, "f": 1e-320, "b": false, "t": "é", "n": 2, "s": "1"}',
        '{"i": null, "f": -0.0, "b": null, "t": null, "n": 3, "s": "NA"}',
        '{"i": 5, "u": 1, "f": 3, "b": true, "t": "", "n": 4, "s": "x"}',
    ]
    path = write("a.jsonl", "\n".join(records))
    i, u, f, b, t, n, s = read(path, *"iufbtns")
    assert listed(i) == [9007199254740993, -9223372036854775808, None, 5]
    assert u.values.dtype == np.uint64
    assert listed(u) == [18446744073709551615, 0, None, 1]
    assert [x.hex() for x in listed(f)] == [x.hex() for x in (0.1, 1e-320, -0.0, 3.0)]
    assert b.values.dtype == bool
    assert listed(b) == [True, False, None, True]
    assert listed(t) == ["x", "é", None, None]
    assert listed(n) == [None, 2, 3, 4]
    assert listed(s) == ["0.5", "1", None, "x"]


def test_json_floats_are_read_as_python_reads_them(write):
    rng = random.Random(8)  # noqa: S311
    bits = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in range(5_000)]
    text = [repr(x) for x in bits if abs(x) < 1e308] + ["NaN", "Infinity", "-Infinity"]
    column = read(
        write("a.jsonl", "\n".join(f'{{"x": {word}}}' for word in text)), "x", null_values=()
    )
    expected = np.array([float(word) for word in text])
    assert np.array_equal(column.values, expected, equal_nan=True)


@pytest.mark.parametrize(("data", "match"), [
    ('{"x": 1}\n{"x": "a"}', "column 'x' of .* mixes numbers and text such as 'a'; write"),
    ('{"x": 1}\n{"x": true}', "mixes numbers and true/false; write"),
    ('{"x": [1, 2]}', "column 'x' of .* holds lists; take one element"),
    ('{"x": {"a": 1}}', "column 'x' of .* holds objects; take one field"),
    ('{"x": 1}\n[1, 2]', "holds a record that is a list; every record must be an object"),
    ('{"x": 1}\n5', "holds a record that is a number"),
    ('{"x": 1}\n{"x": 2\n{"x": 3}', "text that is not json near line 2"),
    ('{"x": 1}\n{"y": 2}', None),
    ("[]", "is empty: it has no records"),
    ("\n\n", "is empty"),
])  # fmt: skip
def test_json_that_cannot_be_used(write, data, match):
    path = write("a.jsonl" if data != "[]" else "a.json", data)
    if match is None:
        assert listed(read(path, "x")) == [1, None]
    else:
        fails(path, "x", match=match)


def test_json_numbers_that_would_become_nought_are_refused(write):
    tiny = ["1e-400", "-1.5E-0999", "0." + "0" * 330 + "1", "0.1e-333"]
    for word in tiny:
        path = write("a.jsonl", f'{{"x": 0.0}}\n{{"x": 0e-500}}\n{{"x": {word}, "y": 1}}\n')
        fails(
            path, "x", match=r"column 'x' of .* beyond the range of a float: .* become 0; correct"
        )
        assert listed(read(path, "y")) == [None, None, 1]
    path = write("a.jsonl", '{"x": 0.0, "z": 3e-300}\n{"x": -0.0, "z": 1e-320}\n{"x": 1e-5}')
    assert listed(read(path, "x")) == [0.0, -0.0, 1e-5]


def test_json_in_another_encoding(write):
    text = '{"größe": 1, "x": "é"}\n'
    for encoding in ("utf-16", "utf-8-sig"):
        assert listed(read(write("a.jsonl", text.encode(encoding)), "x")) == ["é"]
    old = write("b.jsonl", text.encode("cp1252"))
    fails(old, "x", match=r"is not utf-8 \(byte 4, line 1\); .* encoding='cp1252'")
    assert listed(read(old, "größe", encoding="cp1252")) == [1]
    late = write("c.jsonl", b'{"x": "a"}\n' * 200_000 + b'{"x": "\xe9"}\n')
    fails(late, "x", match=r"is not utf-8 near line \d+; .* encoding='cp1252'")


@pytest.mark.merge
def test_json_keeps_its_order_without_a_last_line_end(write):
    path = write("a.jsonl", "\n".join(f'{{"x": {i}, "y": {i / 8}, "z": null}}' for i in range(4)))
    for _ in range(10):
        x, y, _z = read(path, "x", "y", "z")
        assert listed(x) == [0, 1, 2, 3]
        assert listed(y) == [0.0, 0.125, 0.25, 0.375]

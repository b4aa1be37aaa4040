"""Where DuckDB is missing, Python reads one csv file as DuckDB does, or refuses it by its name."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from files_reading import ROWS
from hypothesis import HealthCheck, given, settings, strategies as st

import capcurve as cap
from capcurve import datasets
from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files, read_cells, read_columns
from capcurve.input.files.reading import column_names

ROOT = Path(__file__).parents[3]
NAMED = ("git", "ls-files", "-z", "*.csv")
CSVS = subprocess.run(NAMED, cwd=ROOT, capture_output=True, text=True, check=False).stdout
CSVS = [*filter(None, CSVS.split("\0"))] or [
    str(each) for each in datasets.path("loans").parent.glob("*.csv")
]
FULL = "which is not installed: pip install duckdb, or pass arrays or a data frame"


@contextmanager
def no_duckdb():
    with mock.patch.dict(sys.modules, {"duckdb": None}):
        yield


def found(function, *words, **options):
    """Return what a function returns, or what it raises where that is meant for a user."""
    try:
        return function(*words, **options)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        assert "\n" not in str(error)  # noqa: PT017
        return error


def seen(columns):
    """Return all that a column says, whatever stands where it has no value."""
    if isinstance(columns, Exception):
        return columns
    shown = {}
    for name, column in columns.items():
        absent = np.zeros(len(column), bool) if column.missing is None else column.missing
        values = [repr(value) for value in column.stored[~absent].tolist()]
        shown[name] = column.stored.dtype, absent.tolist(), column.missing is None, values
    return shown


def dated(columns):
    """Return columns with dates as text, of which DuckDB knows more kinds than Python does."""
    if isinstance(columns, Exception):
        return columns
    return [replace(each, type="text") if each.type == "date" else each for each in columns]


def both(path, **options):
    """Yield what DuckDB and Python say: of names, of each column by itself, and at a glance."""
    files = Files.of(path, **options)
    names = found(column_names, files)
    asked = [(column_names, files), (list_columns, files)]
    read = [(read_columns, files, [name]) for name in (names if isinstance(names, list) else ["a"])]
    for function, *words in [*asked, *read]:
        one = found(function, *words)
        with no_duckdb():
            other = found(function, *words)
        if function is read_columns:
            one, other = seen(one), seen(other)
        if function is list_columns:
            one, other = dated(one), dated(other)
        yield one, other


def assert_same(path, **options):
    for one, other in both(path, **options):
        if isinstance(one, Exception):  # a mark that is unclear may only be one that DuckDB reads
            needs = isinstance(other, ModuleNotFoundError)
            assert needs or (type(one), str(one)) == (type(other), str(other))
        else:
            assert one == other


def assert_same_or_refused(path, **options):
    for one, other in both(path, **options):
        assert isinstance(other, Exception) or one == other


def refused(path, *names, error=ModuleNotFoundError, **options):
    with no_duckdb(), pytest.raises(error) as caught:
        read_columns(Files.of(path, **options), names or ["pd"])
    if error is ModuleNotFoundError:
        assert caught.value.name == "duckdb"
        assert str(caught.value).endswith(FULL)
    return str(caught.value)


@pytest.mark.turns(6)
@pytest.mark.parametrize("place", range(0, len(CSVS), 10))
def test_every_csv_of_the_project_is_read_alike(place):
    for name in CSVS[place : place + 10]:
        assert_same(ROOT / name)


@pytest.mark.parametrize(
    ("count", "outcome", "score", "name"),
    [
        (cap.count_scores, "y", "int_rate", "loans"),
        (cap.count_scores, "y", "grade_rank", "loans"),
        (cap.count_values, "realised", "estimated", "lgd"),
    ],
)
def test_counts_of_examples_are_the_same(count, outcome, score, name):
    counts = count(outcome, score, data=datasets.path(name))
    with no_duckdb():
        assert count(outcome, score, data=datasets.path(name)).digest() == counts.digest()


WHOLE = ["1", "0", "12", "-3", "+7", "007", " 8 ", "\t9"]
NUMBERS = [
    "0.5",
    ".5",
    "5.",
    "1e3",
    "1E-5",
    "-0.0",
    "inf",
    "-Infinity",
    "1e-320",
    "0.1000000000000000055",
]
NULLS = ["", "NA", ".", "nan", " NA ", "NULL", "n/a"]
ODD = [
    "1_000", "+-1", "1e", "--1", "0x10", "5%", "x", "true", "FALSE", " true", "yes", "NaN", " nan",
    "1,5", "1.234", "12.345", "0.123", "1,234", "1.234,5", "1,234.5", "1.234.567", "5,5 %", "-",
    "٣",
    "9007199254740993", "9223372036854775808", "18446744073709551616", "9" * 45, "1e400", "1e-400",
    "2024-01-31", "2024-02-30", "2024-1-3 12:30", "31.12.2024", "a\nb", "1\n", "\xa05", "None",
    "1 2",
]  # fmt: skip


@pytest.mark.parametrize("words", [
    WHOLE, [*WHOLE, *NULLS], NUMBERS, [*NUMBERS, *WHOLE, *NULLS], NULLS, ["true", "FALSE ", "NA"],
    ["9223372036854775808", "0"], ["9223372036854775808", "NA"], ["-1", "9223372036854775808"],
    ["18446744073709551616"], ["9" * 5000], ["9007199254740993", "0.5"], ["1e22", "1" + "0" * 22],
    ["1e400", "0.5"], ["1e-400", "0.5"], ["0e5", "0.0", "00"], ["1_000", "1"], ["+-1", "1"],
    ["nan", "0.5"], ["1.234", "0.5"], ["0.123", "0.456"],
    ["a", " NA"],
    ["2024-01-31", "2024-2-1 10:00"], ["2024-02-30"], ["5%", "12 %"], ["\xa0NA", "1"], ["\xa05",
    "1"],
    ["", ""], ["NA", "x"], ["1.234", "2.345"], ["1", "1.5", "x"],
])  # fmt: skip
@pytest.mark.turns(6)
@pytest.mark.parametrize("null_values", [None, (), ("", "-3", "0.5"), ("x",)])
def test_words_mean_the_same(write, words, null_values):
    said = {} if null_values is None else {"null_values": null_values}
    cells = ['"' + word.replace('"', '""') + '"' if "\n" in word else word for word in words]
    path = write("a.csv", "y;x\n" + "".join(f"1;{cell}\n" for cell in cells))
    assert_same(path, **said)
    assert_same(write("b.csv", "x\n" + "".join(f"{cell}\n" for cell in cells)), **said)


@pytest.mark.turns(3)
@pytest.mark.parametrize("data", [
    ROWS, "\ufeff" + ROWS, "a,b\r\n1,2\r\n", "a,b\r1,2\r", "a,b\n1,2", "\n \na,b\n\n1,2\n\n",
    "a,b\n",
    "a,b", "", "\n", "a,b\n1,2, \n", "a,b\n1,2\n3\n4,5\n",
    "a,b\n1,2\n3,4,5\n",
    'a,b\n1,"2\n3,4\n', 'a,b\n1,2\n1,"x"y\n', 'a,b\n"1\n2","x"\n\n3,4\n5\n',
    'a,b\n1,"x""y"\n"",""\n',
    '"a\nb","c"\n1,"x\r\ny"\n', "a,b\n1,2\r\n3,4\n", "a,b\r\n1,2\n", "a,b\r\n1,2\r3,4\r\n",
    "a,a,b\n1,2,3\n",
    "1,2\n3,4\n", "sep=;\na;b\n1;2\n", "#x\na,b\n1,2\n", "a\tb\n1\t2\n", "a|b\n1|2\n", "ä;ö\n1;2\n",
    "a,b,c\n1,2,3\n-----,----,---\n", "a,b\n-----,----\n1,2\n", "a,b\n1,2,3\n", "a b\n1 2\n",
    "a,b\n  \n1,2\n",
    'a\n1\n\n""\n3\n', "x\nNA\n1.5\n \n", 'a\n"1"\n', 'a,b\n"1","2"\n3,4\n',
    "y;pd\n0;1.234\n1;0.5\n",
])  # fmt: skip
def test_files_are_found_the_same(write, data):
    assert_same(write("a.csv", data))


@pytest.mark.parametrize(("data", "options"), [
    (b"a;b\n1;\xe4\n", {"encoding": "cp1252"}), (b"a;b\n1;\xe4\n", {}), (b"a b\n1  2\n",
    {"delimiter": " "}),
    (b"title\n\na,b\n1,2\n", {"skip_lines": 1}), (b"# no\na,b\n#x\n1,2\n", {"comment": "#"}),
    ("a,b\n1,ä\n".encode("utf-16"), {}), (b"a b\n1 NA\n", {"delimiter": " ", "null_values": ()}),
    (b'a,b\n1,"x,"\n', {"null_values": ("x,",)}), (b"a,b\n1,0.5\n", {"decimal": "."}),
    (b"a;b\n1;x\n", {"decimal": ","}),
    (b"a,b\n1,0.5\n", {"sheet": "x"}), (b"a,b\n1,2\n", {"delimiter": ";"}),
])  # fmt: skip
def test_what_is_said_of_a_file_is_heard_the_same(write, data, options):
    assert_same(write("a.csv", data), **options)


@pytest.mark.merge
def test_what_is_wrong_far_down_is_named_by_its_line(write):
    def assert_read_alike(name, data):
        files = Files.of(write(name, data))
        one = found(read_columns, files, ["a"])
        with no_duckdb():
            other = found(read_columns, files, ["a"])
        assert (type(one), str(one)) == (type(other), str(other))

    rows = ["a,b", *["1,2"] * 300_000]
    for place, row in [(1, "1"), (70_000, "1,2,3"), (270_000, '1,"2"3'), (299_000, "\xff,2")]:
        lines = [*rows[:place], row, *rows[place + 1 :]]
        assert_read_alike("a.csv", "\n".join(lines).encode("latin-1"))
    quoted = ['"a","b"', *['"1\n2","x"'] * 100_000, '"1"']
    assert_read_alike("d.csv", "\r\n".join(quoted))
    assert_same_or_refused(write("c.csv", "a,b\n1," + "x" * 3_000_000 + "\n"))
    assert_same_or_refused(write("e.csv", "a,b\n1,2,\n3,4,,\n"))


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    mark=st.sampled_from([",", ";", "\t", "|"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    names=st.lists(st.sampled_from(["a", "b", "y", "1", "", " x ", "ü", "n\nm", "#c"]),
    min_size=1, max_size=3),
    words=st.lists(st.sampled_from([*WHOLE, *NUMBERS, *NULLS, *ODD]), min_size=1, max_size=3),
    rows=st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), max_size=6),
    spoilt=st.none() | st.tuples(st.integers(0, 60), st.sampled_from(['"', "\n", "\r", "7", " ",
    ",", ";", "\xff"])),
    quoted=st.booleans(),
    options=st.sampled_from([{}, {}, {"decimal": "."}, {"decimal": ","}, {"null_values": ()},
    {"null_values": ("", "1", "0.5", "x")}, {"comment": "#"}]),
)  # fmt: skip
def test_whatever_is_written_is_read_the_same_or_refused(
    mark, end, names, words, rows, spoilt, quoted, options
):
    def cell(word):
        inside = any(letter in word for letter in mark + '"\r\n')
        return '"' + word.replace('"', '""') + '"' if inside or quoted else word

    table = [names, *([words[i % len(words)] for i in row[: len(names)]] for row in rows)]
    data = end.join(mark.join(map(cell, row)) for row in table).encode()
    if spoilt:
        place, letter = spoilt
        data = data[:place] + letter.encode("latin-1") + data[place:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        path.write_bytes(data)
        assert_same_or_refused(path, **options)


@pytest.mark.parametrize(("data", "options"), [
    (b"sep=;\na;b\r\n1;2\r\n3;4\r\n", {}), (b"title\na,b\r\n1,2\r\n", {"skip_lines": 1}),
    (b"t\ra,b\n1,2\n3,4\n", {"skip_lines": 1}), (b"t\r\na,b\n1,2\n", {"skip_lines": 1}),
    (b"t1\nt2\r\na,b\r\n1,2\r\n", {"skip_lines": 2}), (b"sep=;\r\na;b\r\n1;2\r\n", {}),
    (b"a;b\n1;0.5\n", {"decimal": ","}), (b"a;b\n1;1.234\n1;1234.5\n1;2.5\n", {"decimal": ","}),
    (b"a,b\n1,170141183460469231731687303715884105728\n1,0.5\n", {}),
    (b"a,b\n1,-170141183460469231731687303715884105729\n1,0.5\n", {}),
    (b"a,b\n1,0." + b"1" * 140_000 + b'\n2,"3"\n', {}),
])  # fmt: skip
def test_what_duckdb_refuses_gives_no_number(write, data, options):
    assert_same_or_refused(write("a.csv", data), **options)


def test_a_mark_at_the_start_moves_no_line(write):
    rows = b"a,b\n" + b"1,2\n" * 400_000 + b"\xff,2\n"
    for data in (rows, b"\xef\xbb\xbf" + rows):
        path = write("a.csv", data)
        with no_duckdb(), pytest.raises(ValueError, match="line 400002: not utf-8"):
            read_columns(Files.of(path), ["a"])


def test_what_only_duckdb_reads_is_refused_by_its_name(write, stored):
    parquet = stored("a.parquet", "SELECT 1 AS pd")
    said = refused(parquet)
    assert said == f"{parquet} is a parquet file, and such files are read by DuckDB, {FULL}"
    lines = write("a.jsonl", '{"pd": 1}\n')
    assert f"{lines} is a json file, and such" in refused(lines)
    packed = write("a.csv.gz", gzip.compress(ROWS.encode()))
    assert f"{packed} is a packed file, and such" in refused(packed)
    path = write("a.csv", ROWS)
    other = write("b.csv", ROWS)
    assert f"{path} is one of 2 files, and such" in refused([path, other])
    hive = write("month=2024-01/a.csv", ROWS)
    assert "is in a folder that names a column, and such files are read" in refused(hive)
    for sign, what in {
        b"SQLite format 3\0": "an SQLite database",
        b"ARROW1\0\0": "an Arrow file",
    }.items():
        assert f"is {what}, and such files are read by DuckDB" in refused(write("c.bin", sign))
    with no_duckdb():
        with pytest.raises(ModuleNotFoundError, match="is asked for as counts or within"):
            read_cells(Files.of(path))
        with pytest.raises(ModuleNotFoundError, match="as counts or within a memory limit, and"):
            cap.count_scores("default", "pd", data=path, memory_limit="300MB")
        with pytest.raises(FileNotFoundError, match=r"none\.csv: no such file"):
            read_columns(Files.of("none.csv"), ["pd"])


@pytest.mark.parametrize(("data", "word"), [
    ("y;pd\n0;0,5\n1;1,5\n", "0,5"), ("y;pd\n0;1.234,5\n1;0,5\n", "0,5"),
    ('y,pd\n0,"1,234.5"\n1,0.5\n', "1,234.5"),
])  # fmt: skip
def test_decimal_commas_and_digit_groups_are_refused_by_name(write, data, word):
    path = write("a.csv", data)
    said = refused(path)
    assert said == (
        f"column 'pd' of {path} holds {word!r}; decimal commas and digit groups are read by "
        f"DuckDB, {FULL}"
    )
    with no_duckdb():
        assert [*read_columns(Files.of(path), ["y"])["y"].stored] == [0, 1]


def test_a_decimal_mark_that_is_not_clear_is_asked_for(write):
    path = write("a.csv", "y,pd\n0,1.234\n1,2.345\n")
    assert_same(path)
    assert "where the decimal mark is not clear" in refused(path, error=ValueError)
    assert_same(path, decimal=".")
    for data, said in [  # DuckDB looks at other columns
        ("y,pd,x\n0,1.234,0.5\n1,2.345,0.25\n", {}),
        ("y;x;pd\n1;0,9;1.234\n0;0,1;987\n", {}),
        ("y;pd\n1;0,5\n0;0.5\n", {"decimal": ","}),
    ]:
        assert_same_or_refused(write("b.csv", data), **said)


def test_standard_input_is_read(stdin):
    stdin(ROWS.encode())
    with no_duckdb():
        assert [*read_columns(Files.of("-"), ["pd"])["pd"].stored] == [0.1, 0.75]


def test_a_file_that_changes_while_it_is_read_is_refused(write, monkeypatch):
    path = write("a.csv", ROWS)
    from capcurve.input.files.plain_csv import PlainCsv

    real = PlainCsv.columns

    def changing(table, *words):
        Path(path).write_text(ROWS + "0,0.5\n")
        return real(table, *words)

    monkeypatch.setattr(PlainCsv, "columns", changing)
    assert "changed while it was read" in refused(path, error=ValueError)


def test_ids_stay_text_where_that_is_asked(write):
    path = write("a.csv", "id,y\n007,1\n,0\n")
    files = Files.of(path)
    one = seen(read_columns(files, ["id"], as_text=["id"]))
    with no_duckdb():
        assert seen(read_columns(files, ["id"], as_text=["id"])) == one

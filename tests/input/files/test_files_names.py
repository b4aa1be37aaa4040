"""Columns are matched by their exact names."""

from __future__ import annotations

import json

import pytest
from files_reading import ROWS, fails, listed, read

from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files, read_columns

NAMES = [
    "Score", "score", "SCORE", 'my "odd" col', "a;b", " lead ", "ünï", "", "x,y", "two\nlines",
    '"); DROP TABLE x; --', "'); SELECT 1; --", "c0", "score_1", "a/b", "a~1b", "$.x", "0", "{}",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_names_are_matched_exactly(write, tmp_path, kind):
    if kind == "csv":
        quoted = ",".join('"' + name.replace('"', '""') + '"' for name in NAMES)
        path = write("a.csv", quoted + "\n" + ",".join(map(str, range(len(NAMES)))) + "\n")
    elif kind == "jsonl":
        path = write("a.jsonl", json.dumps({name: i for i, name in enumerate(NAMES)}))
    else:
        import pyarrow as pa
        import pyarrow.parquet

        path = str(tmp_path / "a.parquet")
        pyarrow.parquet.write_table(pa.table([[i] for i in range(len(NAMES))], names=NAMES), path)
    columns = read_columns(Files.of(path), NAMES)
    assert [column.values.tolist() for column in columns.values()] == [
        [i] for i in range(len(NAMES))
    ]
    assert [column.name for column in list_columns(Files.of(path))] == NAMES
    fails(path, "sCORE", match=r"no column 'sCORE'; did you mean 'Score'\? Its columns are 'Score'")


def test_a_missing_column_lists_those_there(write):
    path = write("a.csv", ROWS)
    message = fails(path, "defualt", match="did you mean 'default'")
    assert message.startswith(f"{path} has no column 'defualt'; did you mean 'default'? Its ")
    assert message.endswith("columns are 'default', 'pd'")
    assert fails(path, "zzz", match="zzz").endswith("'zzz'; its columns are 'default', 'pd'")
    fails(write("w.csv", ",".join(f"c{i}" for i in range(500)) + "\n"), "zz", match="and 470 more")


def test_a_file_that_lacks_a_column_is_named(write):
    one, two = write("1.csv", ROWS), write("2.csv", "Default,pd\n0,1\n")
    fails([one, two], "default", match=r"2\.csv has no column 'default'; did you mean 'Default'")


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_name_that_stands_twice(write, tmp_path, kind):
    if kind == "csv":
        path = write("a.csv", "s,s,t\n1,2,3\n")
    elif kind == "jsonl":
        path = write("a.jsonl", '{"s": 1, "t": 3}\n{"s": 1, "s": 2, "t": 3}')
    else:
        import pyarrow as pa
        import pyarrow.parquet

        path = str(tmp_path / "a.parquet")
        pyarrow.parquet.write_table(pa.table([[1], [2], [3]], names=["s", "s", "t"]), path)
    fails(path, "s", match="has 2 columns named 's'; rename all but one")
    columns = read_columns(Files.of(path), ["t", "t"])
    assert set(columns["t"].values.tolist()) == {3}
    assert [column.name for column in list_columns(Files.of(path))] == ["t"]


def test_nested_parquet_columns_do_not_shift_names(stored):
    path = stored(
        "a.parquet",
        "SELECT {'x': 1, 'y': [1, 2]} AS s, [{'q': 1}] AS l, 5 AS x, map{'a': 1} AS m, 6 AS y",
    )
    x, y = read(path, "x", "y")
    assert (listed(x), listed(y)) == ([5], [6])


def test_a_directory_named_like_a_value_adds_no_column_of_a_name_that_the_file_has(stored):
    path = stored("k=1/a.parquet", "SELECT 2 AS k")
    assert listed(read(path, "k")) == [2]


def test_no_line_of_names(write):
    path = write("a.csv", "0.25,1\n0.5,0\n")
    fails(path, "score", match="has no column names: its first line is '0.25', '1'; put a line")
    with pytest.raises(ValueError, match="has no column names"):
        list_columns(Files.of(path))
    assert listed(read(write("b.csv", "2019,2020\n1,2\n"), "2020")) == [2]

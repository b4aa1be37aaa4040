"""Columns are described, and a likely target and score are proposed."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from capcurve.cli import proposing
from capcurve.cli.proposing import ColumnInfo, list_columns, propose
from capcurve.input.files import Files, reading
from capcurve.input.files.engine import connect


def test_columns_are_listed(write):
    rows = "".join(
        f"{i},{i % 2},{i / 8},{'good' if i % 3 else 'bad'},2024-01-{i % 28 + 1:02},"
        f"{'true' if i % 2 else 'NA'},\n"
        for i in range(200)
    )
    path = write("a.csv", "id,y,pd,kind,day,ok,void\n" + rows)
    columns = list_columns(Files.of(path))
    kinds = ["integer", "integer", "number", "text", "date", "yes/no", "empty"]
    assert [column.type for column in columns] == kinds
    assert [column.nulls for column in columns] == [0, 0, 0, 0, 0, 100, 200]
    pair = ("0", "1")
    assert columns[1] == ColumnInfo("y", "integer", 2, 0, pair, None, 200, (100, 100), pair)
    pair = ("bad", "good")
    assert columns[3] == ColumnInfo("kind", "text", 2, 0, pair, None, 200, (67, 133), pair)
    assert columns[6] == ColumnInfo("void", "empty", 0, 200, (), None, 200)
    assert columns[2].examples == ("0.0", "0.125", "0.25")
    assert [column.distinct for column in columns] == [200, 2, 200, 2, 28, 1, 0]
    assert pair_of(columns) == ("y", "pd")


def test_stored_columns_are_listed(stored):
    path = stored(
        "a.parquet",
        "SELECT range AS loan_id, range % 2 = 0 AS bad, range / 7 AS score, [1] AS l, "
        "DATE '2024-01-01' AS d, {'a': 1} AS s, 1.5::DECIMAL(4,2) AS m, 'x' AS t FROM range(1000)",
    )
    columns = list_columns(Files.of(path))
    assert [column.type for column in columns] == [
        "integer", "yes/no", "number", "list", "date", "other", "number", "text",
    ]  # fmt: skip
    assert pair_of(columns) == ("bad", "score")
    lines = stored(
        "a.jsonl",
        "SELECT range AS id, range % 2 AS y, range / 7 AS p, 'x' AS t, [1] AS l FROM range(9)",
    )
    assert [column.type for column in list_columns(Files.of(lines))] == [
        "integer", "integer", "number", "text", "list",
    ]  # fmt: skip


def pair_of(columns):
    likely = propose(columns).likely
    return tuple(likely[role].name if role in likely else None for role in ("target", "score"))


def info(name, kind="number", distinct=100, examples=("0.1", "0.2", "0.3")):
    return ColumnInfo(name, kind, distinct, 0, examples)


def binary(name, *examples, kind="integer"):
    return ColumnInfo(name, kind, 2, 0, examples or ("0", "1"))


@pytest.mark.parametrize(("columns", "pair"), [
    ([binary("y"), info("x1"), info("score")], ("y", "score")),
    ([binary("male"), binary("LoanBad"), info("income"), info("new_pd")], ("LoanBad", "new_pd")),
    ([binary("churn", "no", "yes", kind="text"), info("p_churn")], ("churn", "p_churn")),
    ([info("id", "integer"), binary("z"), info("w")], ("z", None)),
    ([info("score_id", "integer"), binary("y"), info("w")], ("y", None)),
    ([binary("y_true"), info("y_score")], ("y_true", "y_score")),
    ([binary("target"), binary("label"), info("rating", "integer", 7)], ("target", "rating")),
    ([info("id", "integer"), binary("y")], ("y", None)),
    ([binary("a"), binary("b"), info("score")], (None, "score")),
    ([binary("y"), info("a"), info("b")], ("y", None)),
    ([info("score"), info("pd")], (None, "score")),
    ([binary("y"), binary("score", "3", "5")], ("y", None)),
    ([binary("y_pred"), binary("y_true"), info("y_prob")], ("y_true", "y_prob")),
    ([binary("sex", "f", "m", kind="text")], (None, None)),
    ([binary("initial_listing_status"), binary("z")], (None, None)),
    ([binary("BAD"), info("loss"), info("P_BAD1"), info("pd_after")], ("BAD", "P_BAD1")),
    ([binary("class"), info("mean concave points"), info("age")], ("class", None)),
    ([binary("label"), info("model_year"), info("riskscore")], ("label", "riskscore")),
    ([info("claims_pred"), info("claims"), info("exposure")], (None, "claims_pred")),
    ([binary("cens"), binary("stage"), binary("preOp_pain"), info("pd")], (None, "pd")),
    ([binary("trt"), info("pd")], (None, "pd")),
    ([], (None, None)),
])  # fmt: skip
def test_a_likely_pair_is_proposed(columns, pair):
    assert pair_of(columns) == pair


def counted(name, *examples, rows=100):
    return ColumnInfo(name, "integer", rows, 0, examples, None, rows)


@pytest.mark.parametrize(("column", "kept"), [
    (counted("LOAN", "1100", "1300", "1500"), False),  # no loan twice: its number
    (ColumnInfo("LOAN", "integer", 90, 0, ("1100", "1300", "1500"), None, 100), True),
    (counted("V1", "11", "12", "13"), False),
    (counted("V1", "11", "13", "12"), True),
    (counted("policynr", "4", "9", "7"), False),
    (counted("seqn", "233", "235", "244"), False),
    (counted("score", "1", "2", "3"), True),
    (info("time"), False),
    (info("time_at_address"), True),
    (info("trans_after"), False),
    (counted("Survival_in_days", "4", "9", "7"), False),
])  # fmt: skip
def test_identifiers_and_what_is_known_later_are_no_scores(column, kept):
    assert bool(propose([binary("y"), column]).numbers or propose([column]).likely) is kept


@pytest.mark.merge
def test_a_very_wide_file_is_listed(write):
    names = [f"c{i}" for i in range(1200)]
    path = write("a.csv", ",".join(names) + "\n" + (",".join(["0.5"] * 1200) + "\n") * 150)
    columns = list_columns(Files.of(path))
    assert [column.name for column in columns] == names
    assert {column.type for column in columns} == {"number"}


@pytest.mark.parametrize(
    ("wide", "most"), [(800, 30_000), pytest.param(3000, 100_000, marks=pytest.mark.merge)]
)
def test_thousands_of_columns_take_few_statements(write, monkeypatch, wide, most):
    asked = []

    class Recorded:
        def __init__(self, connection):
            self.connection = connection

        def execute(self, sql):
            asked.append(sql)
            return self.connection.execute(sql)

    @contextmanager
    def recorded():
        with connect() as connection:
            yield Recorded(connection)

    monkeypatch.setattr(reading, "connect", recorded)
    names = [f"c{i}" for i in range(wide)]
    rows = "".join(",".join(f"{r}.{i}" for i in range(wide)) + "\n" for r in range(130))
    path = write("a.csv", ",".join(names) + "\n" + rows)
    columns = list_columns(Files.of(path))
    assert len(asked) == 5
    assert sum(map(len, asked)) < most  # one expression for all columns, not one for each
    assert columns[7].examples == ("0.7", "1.7", "2.7")
    assert {column.distinct for column in columns} == {130}


def test_columns_of_several_files_are_those_that_all_have(write):
    paths = [write("1.csv", "a,b,c\n1,2,x\n"), write("2.csv", "c;a\ny;2\n")]
    assert list_columns(Files.of(paths)) == (
        ColumnInfo("a", "integer", 2, 0, ("1", "2"), None, 2, (1, 1), ("1", "2")),
        ColumnInfo("c", "text", 2, 0, ("x", "y"), None, 2, (1, 1), ("x", "y")),
    )


def test_what_was_read_off_the_first_rows_says_so(write, monkeypatch):
    monkeypatch.setattr(proposing, "ROWS_LOOKED_AT", 1000)
    rows = "".join(f"{int(i == 1500)},{i}\n" for i in range(2000))
    columns = list_columns(Files.of(write("a.csv", "y,pd\n" + rows)))
    assert [column.first_rows for column in columns] == [1000, 1000]
    few = list_columns(Files.of(write("b.csv", "y,pd\n" + rows[:2000])))
    assert [column.first_rows for column in few] == [None, None]

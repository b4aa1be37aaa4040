"""A connection to DuckDB or SQLite as data, with the name of a table."""

import sqlite3

import duckdb
import polars as pl
import pytest

import capcurve as cap
from capcurve.input.query import names_in

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 0, 1, 0, 1],
        "pd": [0.75, 0.125, 0.25, 0.5, 0.5, 0.25],
        "grade": ["C", "A", "B", "B", "C", "B"],
        "loss": [12.5, 0.0, 0.0, 7.0, 0.0, 1.0],
        "month": ["2024-01", "2024-01", "2024-01", "2024-02", "2024-02", "2024-02"],
        "days": [10, 90, 90, 40, 90, 50],
        "mailed": [1, 1, 0, 0, 1, 0],
    }
)
LATER = ROWS.with_columns(pl.col("pd") / 2)


def of_sqlite():
    connection = sqlite3.connect(":memory:")
    for name, rows in {"loans": ROWS, "later": LATER}.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(rows.columns)})")
        marks = ",".join("?" * len(rows.columns))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows.rows())  # noqa: S608
    return connection


def of_duckdb():
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("given", ROWS.to_arrow())
    connection.register("later_given", LATER.to_arrow())
    connection.execute("CREATE TABLE loans AS FROM given; CREATE TABLE later AS FROM later_given")
    connection.unregister("given")
    connection.unregister("later_given")
    return connection


@pytest.fixture(params=[of_sqlite, of_duckdb])
def bank(request):
    with request.param() as connection:
        yield connection


HERE = {"table": "loans"}
DOORS = {
    "count_scores": lambda **how: cap.count_scores("y", "pd", **how),
    "count_segments": lambda **how: cap.count_segments("y", "pd", by="month", **how),
    "count_joint": lambda **how: cap.count_joint("y", ["pd", "days"], **how),
    "count_values": lambda **how: cap.count_values("loss", "pd", **how),
    "count_value_segments": lambda **how: cap.count_value_segments("loss", "pd", by="month", **how),
    "count_joint_values": lambda **how: cap.count_joint_values("loss", ["pd", "days"], **how),
    "count_cases": lambda **how: cap.count_cases("pd", **how),
    "count_joint_cases": lambda **how: cap.count_joint_cases(["pd", "days"], **how),
    "count_partial": lambda **how: cap.count_partial("y", "pd", **how),
    "count_classes": lambda **how: cap.count_classes("loss", "days", **how),
    "count_times": lambda **how: cap.count_times("days", "y", "pd", **how),
    "count_time_segments": lambda **how: cap.count_joint_times("days", "y", ["pd"], **how),
    "count_uplift": lambda **how: cap.count_uplift("y", "mailed", "pd", **how),
    "count_uplift_values": lambda **how: cap.count_uplift_values("loss", "mailed", "pd", **how),
    "accuracy_ratio": lambda **how: cap.accuracy_ratio("y", "pd", **how),
    "scores by a pattern": lambda **how: cap.count_joint("y", "d*", **how),
    "captured_response": lambda **how: cap.captured_response("y", "pd", 0.5, **how),
    "gains_table": lambda **how: cap.gains_table("y", "pd", **how).to_dict(),
    "evaluate": lambda **how: cap.evaluate("y", "pd", by="month", **how).counts,
    "evaluate a trial": lambda **how: (
        cap.evaluate("y", "pd", treatment="mailed", **how).summaries["pd"].to_dict()
    ),
    "evaluate times": lambda **how: (
        cap.evaluate(score="pd", time="days", event="y", horizon=60, **how).counts
    ),
    "stability": lambda **how: cap.population_stability("pd", "days", **how).to_dict(),
}


@pytest.mark.turns(4)
@pytest.mark.parametrize("door", DOORS)
def test_every_function_takes_a_table_of_a_connection(bank, door):
    ask = DOORS[door]
    assert ask(data=bank, table="loans") == ask(data=ROWS)
    with pytest.raises(ValueError, match="connection has 2 tables, 'later', 'loans'; name one, s"):
        ask(data=bank)
    with pytest.raises(ValueError, match="has no table 'loan'; did you mean 'loans'"):
        ask(data=bank, table="loan")
    with pytest.raises(TypeError, match="table= names a table of a database, which data= gives"):
        ask(data=ROWS, table="loans")


def test_two_samples_may_be_two_tables(bank):
    found = cap.population_stability("pd", "pd", data=(bank, bank), table=("loans", "later"))
    told = cap.population_stability("pd", "pd", data=(ROWS, LATER))
    assert found.psi == told.psi > 0.1
    same = cap.population_stability("pd", "pd", data=(bank, bank), table="loans")
    assert same.psi == 0


def test_names_are_found_with_their_schema_and_however_they_are_written():
    with of_duckdb() as bank:
        bank.execute('CREATE SCHEMA risk; CREATE TABLE risk."my ""odd"" t" AS FROM loans LIMIT 2')
        bank.execute("CREATE TEMP TABLE passing AS FROM loans LIMIT 3; CREATE VIEW v AS FROM loans")
        bank.execute("ATTACH ':memory:' AS other; CREATE TABLE other.loans AS FROM loans LIMIT 4")
        sizes = {
            'risk.my "odd" t': 2,
            "passing": 3,
            "v": 6,
            "loans": 6,
            "main.loans": 6,
            "other.loans": 4,
        }
        for table, size in sizes.items():
            assert cap.count_cases("pd", data=bank, table=table).n == size
    lite = of_sqlite()
    lite.execute("ATTACH ':memory:' AS other")
    lite.execute('CREATE TABLE other."a b" AS SELECT * FROM loans LIMIT 2')
    lite.row_factory = lambda _, row: {"row": row}
    for table, size in {"other.a b": 2, "main.loans": 6}.items():
        assert cap.count_cases("pd", data=lite, table=table).n == size


def test_the_only_table_needs_no_name(bank):
    bank.execute("DROP TABLE later")
    assert cap.roc_auc("y", "pd", data=bank) == cap.roc_auc("y", "pd", data=ROWS)
    assert names_in(bank) == ROWS.columns
    bank.execute("DROP TABLE loans")
    with pytest.raises(ValueError, match="connection has no tables"):
        cap.roc_auc("y", "pd", data=bank)


def test_rows_of_sqlite_stay_rows_where_an_index_has_another_order():
    bank = of_sqlite()
    bank.execute("CREATE INDEX by_score ON loans (pd)")
    found = cap.count_scores("y", "pd", data=bank, table="loans", cluster="month")
    assert found == cap.count_scores("y", "pd", data=ROWS, cluster="month")


def test_whole_numbers_and_nulls_of_sqlite():
    bank = sqlite3.connect(":memory:")
    bank.execute("CREATE TABLE t (y, s, b)")
    rows = [(1, 2**53 + 1, b"x"), (0, 2**53, b"y"), (0, None, None)]
    bank.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    found = cap.count_scores("y", "s", data=bank, missing="drop")
    assert found.score.tolist() == [2**53 + 1, 2**53]
    assert found.dropped.rows == 1
    with pytest.raises((TypeError, ValueError), match="b holds"):
        cap.count_scores("y", "b", data=bank, missing="drop")
    bank.close()
    with pytest.raises(ValueError, match=r"the SQLite connection cannot be read: .* closed"):
        cap.count_scores("y", "s", data=bank)


def test_a_table_of_a_file_is_named_in_the_same_way(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.register("given", ROWS.to_arrow())
        connection.execute("CREATE TABLE loans AS FROM given; CREATE TABLE o AS SELECT 1 AS y")
    found = cap.accuracy_ratio("y", "pd", data=tmp_path / "a.duckdb", table="loans")
    assert found == cap.accuracy_ratio("y", "pd", data=ROWS)
    files = cap.Files.of(tmp_path / "a.duckdb", table="loans")
    assert cap.accuracy_ratio("y", "pd", data=files) == found

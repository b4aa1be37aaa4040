"""The text of the queries: names, dialects, refusals, and what the command says."""

import contextlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sqlglot
from hypothesis import given, settings, strategies as st

from capcurve import ScoreCounts, accuracy_ratio, count_segments, ks
from capcurve.input.files import Files, read_cells
from capcurve.sql import cells_query, numbers_query, times_query, trials_query
from capcurve.sql.dialects import DIALECTS
from capcurve.sql.names import identifier, table_named
from cli_calls import call, done, refused
from sql_engines import (
    KINDS,
    PERIODS,
    REAL,
    ROWS,
    TEXT,
    WHOLE,
    by_segment,
    in_duckdb,
    sqlite,
)

EVERY = sorted(DIALECTS)
TEXT_ONLY = ["bigquery", "databricks", "oracle", "redshift", "snowflake", "trino", "tsql"]
AWKWARD = {
    "by": "select",
    "pos_label": "it's \\ bäd",
    "neg_label": "good",
    "where": "pd > 0 OR month = 3",
    "missing": "drop",
}


def test_each_dialect_is_run_or_said_not_to_be():
    assert [name for name in EVERY if not DIALECTS[name].is_run] == TEXT_ONLY
    for name in TEXT_ONLY:
        result = done("sql", "--dialect", name, "--table", "t", "-t", "y", "-s", "s")
        assert f"note: queries for {name} are checked by a parser and were not run" in result.stderr
        assert name in done("sql", "--help").stdout
    result = done("sql", "--dialect", "mariadb", "--table", "t", "-t", "y", "-s", "s")
    assert "not run" not in result.stderr


# Text that is only checked


@pytest.mark.turns(2)
@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize("query", [cells_query, numbers_query])
def test_every_text_is_one_query_of_its_dialect(query, dialect):
    text = query('"a b".t', "my y", "pd", dialect=dialect, **AWKWARD)
    (parsed,) = sqlglot.parse(text, read=dialect)
    assert isinstance(parsed, sqlglot.exp.Select)
    level = sqlglot.ErrorLevel.RAISE
    again = parsed.sql(dialect=dialect, pretty=True, unsupported_level=level)
    assert again == text
    (found,) = (table for table in parsed.find_all(sqlglot.exp.Table) if table.name == "t")
    assert found.db == "a b"
    named = {column.name for column in parsed.find_all(sqlglot.exp.Column)}
    own = {name for name in named - {"BINARY_DOUBLE_NAN"} if not name.startswith("capcurve_")}
    key = DIALECTS[dialect].folded("select")
    assert own == {"my y", "pd", key, "month"}


@pytest.mark.parametrize("dialect", TEXT_ONLY)
def test_text_that_is_not_run_says_the_same_as_what_is(dialect):
    """Read by its own grammar and written for DuckDB, it gives the numbers of the library."""
    with contextlib.closing(in_duckdb().connection) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM (VALUES (1, 3), (0, 3), (0, 2), (1, 1)) AS v (y, s)"
        )
        # A word of Oracle's, which sqlglot leaves as it is.
        connection.execute("CREATE MACRO to_binary_double(it) AS CAST(it AS DOUBLE)")
        cells = cells_query("t", "y", "s", dialect=dialect)
        (text,) = sqlglot.transpile(cells, read=dialect, write="duckdb")
        text = text.replace("BLOB(8000)", "VARCHAR")  # T-SQL's key, which DuckDB has no words for
        assert sorted(connection.execute(text).fetchall()) == [(1, 1, 0), (2, 0, 1), (3, 1, 1)]
        graded = numbers_query("t", "y", "s", dialect=dialect, levels=[3, 2, 1])
        (text,) = sqlglot.transpile(graded, read=dialect, write="duckdb")
        assert connection.execute(text).fetchall() == [(4, 2, 0, -0.25, 0.5)]


def test_sums_have_sixty_four_bits_and_products_more():
    for dialect in EVERY:
        text = numbers_query("t", "y", "s", dialect=dialect)
        wide = {"bigquery": "INT64", "mysql": "SIGNED", "oracle": "INT", "sqlite": "INTEGER"}
        assert text.count(f"CAST(1 AS {wide.get(dialect, 'BIGINT')})") == 2
        assert "COUNT(" not in text
        products = len(re.findall(r"AS (?:DECIMAL|NUMERIC|NUMBER)\b", text))
        assert products == (0 if dialect == "sqlite" else 10)


@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize("by", [None, "q"])
def test_no_window_goes_over_all_scores(dialect, by):
    text = numbers_query("t", "y", "s", dialect=dialect, by=by)
    parsed = sqlglot.parse_one(text, read=dialect)
    over = {}
    for window in parsed.find_all(sqlglot.exp.Window):
        keys = {
            column.name
            for key in window.args["partition_by"] or ()
            for column in key.find_all(sqlglot.exp.Column)
        }
        over.setdefault(window.find_ancestor(sqlglot.exp.CTE).alias, []).append(keys)
    segment = set() if by is None else {"capcurve_segment"}
    # Of buckets, which are few, and of the scores inside each.
    assert over == {
        "capcurve_sums": [segment] * 4,
        "capcurve_running": [{*segment, "capcurve_bucket"}] * 4,
    }


@pytest.mark.parametrize("skewed", [
    lambda draw: draw.lognormal(-8, 4, 5000),
    lambda draw: draw.normal(size=5000),
    lambda draw: 1 - draw.random(5000) ** 6,
    lambda draw: 1e6 * draw.standard_cauchy(5000),
])  # fmt: skip
def test_buckets_split_skewed_scores(skewed):
    scores = skewed(np.random.default_rng(5))
    text = numbers_query("t", "y", "s", dialect="duckdb")
    inner = text.partition(", capcurve_sums AS")[0]
    engine = in_duckdb()
    with contextlib.closing(engine.connection):
        engine.make("t", {"y": WHOLE, "s": REAL}, [(1, score) for score in scores.tolist()])
        _, found = engine.ask(f"{inner} SELECT capcurve_bucket, capcurve_score FROM capcurve_cells")  # noqa: S608 - our own text
    found.sort(key=lambda row: row[1])
    buckets = [bucket for bucket, _ in found]
    assert buckets == sorted(buckets)
    assert np.unique(buckets, return_counts=True)[1].max() < len(scores) / 25


@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize("query", [cells_query, numbers_query])
def test_text_with_a_grid_is_one_query_of_its_dialect(query, dialect):
    text = query('"a b".t', "my y", "pd", dialect=dialect, resolution=0.1, **AWKWARD)
    (parsed,) = sqlglot.parse(text, read=dialect)
    again = parsed.sql(dialect=dialect, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
    assert again == text
    (found,) = (table for table in parsed.find_all(sqlglot.exp.Table) if table.name == "t")
    assert found.db == "a b"
    assert text.count("FLOOR(") >= 2 or dialect == "sqlite"


@pytest.mark.parametrize("kind", ["DECIMAL(38, 30)", "DECIMAL(38, 23)", "DECIMAL(9, 2)", "UBIGINT"])
def test_a_grid_takes_decimals_of_any_number_of_places(kind):
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE t (y INTEGER, s {kind})")
        connection.execute("INSERT INTO t VALUES (1, 4.7), (0, 2.31), (1, 2.39), (0, 0.2)")
        query = cells_query("t", "y", "s", dialect="duckdb", resolution=0.5)
        found = sorted(connection.execute(query).fetchall())
    whole = [(0, 0, 1), (2, 1, 1), (5, 1, 0)]
    assert found == (whole if kind == "UBIGINT" else [(0, 0, 1), (2, 1, 1), (4.5, 1, 0)])


def test_text_is_no_number_on_a_grid():
    # Of a bare column, as a cast takes text for the number it spells; Oracle's own doubles.
    of_bigquery = cells_query("t", "y", "s", dialect="bigquery", resolution=0.1)
    assert "WHEN IS_NAN(FLOOR(t.s)) THEN CAST(t.s AS FLOAT64)" in " ".join(of_bigquery.split())
    of_oracle = numbers_query("t", "y", "s", dialect="oracle", resolution=0.1)
    assert "AS DOUBLE PRECISION) -" not in of_oracle
    assert of_oracle.count("TO_BINARY_DOUBLE") >= 5


def test_what_has_no_resolution_is_refused():
    for nothing in (0, -1, float("nan"), True, "1"):
        with pytest.raises(ValueError, match="resolution must be a positive number such as 1e-4"):
            cells_query("t", "y", "s", dialect="duckdb", resolution=nothing)
    with pytest.raises(ValueError, match="grades have no resolution; it floors numeric scores"):
        numbers_query("t", "y", "s", dialect="duckdb", resolution=0.1, levels=["A", "B"])


def test_the_command_floors_and_reads_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = done(*ASK, "--resolution", "0.1")
    assert result.stdout == cells_query("t", "y", "s", dialect="duckdb", resolution=0.1) + "\n"
    assert "capcurve summary cells.csv --counts --resolution 0.1" in result.stderr
    assert done(*ASK, "--resolution", "50").stderr.rstrip().endswith("--resolution 50")
    (tmp_path / "rows.csv").write_text("y,s\n1,0.3\n0,0.35\n1,-0.3\n0,0.7\n1,0.05\n0,-0.05\n")
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE t AS FROM 'rows.csv'")
        connection.sql(result.stdout).write_csv("cells.csv")
    said = ("--resolution", "0.1", "-f", "json")
    read = done("summary", "cells.csv", "--counts", *said).stdout
    direct = done("summary", "rows.csv", "-t", "y", "-s", "s", *said).stdout
    found, expected = (json.loads(each)["scores"][0]["digest"] for each in (read, direct))
    assert found == expected


def test_what_sqlglot_gets_wrong_is_written_by_us():
    def text(dialect):
        return numbers_query("t", "y", "s", dialect=dialect)

    for dialect in ("postgres", "snowflake", "redshift"):
        assert "IS_NAN" not in text(dialect)
        assert "CAST('NaN' AS DOUBLE" in text(dialect)
    assert "NAN" not in text("tsql").upper()
    assert "t.s = BINARY_DOUBLE_NAN" in text("oracle")
    assert "IS_NAN(" in text("bigquery")
    assert "TRY_CAST" not in text("spark")


# Segments of several columns, and periods


@pytest.mark.turns(5)
@pytest.mark.parametrize("dialect", TEXT_ONLY)
@pytest.mark.parametrize("period", PERIODS)
def test_text_that_is_not_run_crosses_and_cuts_alike(dialect, period):
    by = ["q", "day"]
    asked = cells_query("t", "y", "s", dialect=dialect, by=by, period=period)
    (text,) = sqlglot.transpile(asked, read=dialect, write="duckdb")
    text = text.replace("BLOB(8000)", "VARCHAR").replace(" + ", " || ")  # as T-SQL joins text
    engine = in_duckdb()
    with contextlib.closing(engine.connection):
        engine.make("t", KINDS, ROWS)
        _, rows = engine.ask(text)
        assert {row[:2]: row[2:] for row in rows} == by_segment(period, by)


def test_the_command_crosses_and_cuts():
    words = ["--by", "q", "--by", "day", "--by", "q", "--by-period", "quarter"]
    expected = cells_query("t", "y", "s", dialect="duckdb", by=["q", "day"], period="quarter")
    assert done(*ASK, *words).stdout == expected + "\n"
    said = refused(*ASK, "--by-period", "month")
    assert "--by-period goes with --by; name the column of the dates" in said
    with pytest.raises(ValueError, match="period= goes with by=; name the column of the dates"):
        cells_query("t", "y", "s", dialect="duckdb", period="month")
    with pytest.raises(ValueError, match="period must be one of 'day', 'month', 'quarter', 'year'"):
        cells_query("t", "y", "s", dialect="duckdb", by="day", period="week")


# Names


@pytest.mark.parametrize(
    ("word", "dialect", "expected"),
    [
        ("bad", "snowflake", "bad"),
        ("BAD", "postgres", "BAD"),
        ("order", "snowflake", '"ORDER"'),
        ("Order", "postgres", '"order"'),
        ("Order", "mysql", "`Order`"),
        ("order", "tsql", "[order]"),
        ("order", "bigquery", "`order`"),
        ('"order"', "snowflake", '"order"'),
        # A column may be called so, and another one without.
        ("`Bad`", "postgres", '"`Bad`"'),
        ("[my bad]", "duckdb", '"[my bad]"'),
        ("my bad", "oracle", '"my bad"'),
        ("_x", "oracle", '"_x"'),
        ("_x", "duckdb", "_x"),
        ("a.b", "spark", "`a.b`"),
        ('a"b', "postgres", '"a""b"'),
        ("a`b", "spark", "`a``b`"),
        ("a]b", "tsql", "[a]]b]"),
        ('"a""b"', "duckdb", '"a""b"'),
        ("2024", "duckdb", '"2024"'),
        ("é", "duckdb", '"é"'),
        ('"', "duckdb", '""""'),
    ],
)
def test_names_are_bare_where_they_can_be(word, dialect, expected):
    assert identifier(word, "score", DIALECTS[dialect]).sql(dialect) == expected


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["[x]", "`x`", "[", "[]x", "`"])
def test_only_double_quotes_are_no_part_of_a_columns_name(name, dialect):
    quoted = name.replace('"', '""')
    for word in (name, f'"{quoted}"'):
        found = identifier(word, "score", DIALECTS[dialect])
        assert (found.name, found.quoted) == (name, True)


@pytest.mark.parametrize(
    ("name", "dialect", "expected"),
    [
        ("loans", "duckdb", "loans AS loans"),
        ("risk.loans", "oracle", "risk.loans loans"),
        ("c.risk.loans", "snowflake", "c.risk.loans AS loans"),
        ("my-project.risk.loans", "bigquery", "`my-project`.risk.loans AS loans"),
        ("order", "postgres", '"order" AS "order"'),
        ('"a.b".t', "trino", '"a.b".t AS t'),
        ("parquet.`/data/x.parquet`", "spark", "parquet.`/data/x.parquet` AS capcurve_table"),
        ('"scores.csv"', "duckdb", '"scores.csv" AS capcurve_table'),
    ],
)
def test_tables_are_named_by_parts(name, dialect, expected):
    assert table_named(name, DIALECTS[dialect]).sql(dialect) == expected


def test_a_column_that_is_not_there_is_an_error_in_sqlite():
    # Alone, SQLite takes a word in double quotes that names no column for text.
    engine = sqlite()
    with contextlib.closing(engine.connection):
        engine.make("t", {"y": WHOLE}, [(1,)])
        with pytest.raises(Exception, match=r"no such column: t\.my score"):
            engine.ask(cells_query("t", "y", "my score", dialect="sqlite"))


def test_sqlite_tells_letters_apart_whatever_the_column_says():
    engine = sqlite()
    with contextlib.closing(engine.connection):
        kinds = {"y": "TEXT COLLATE NOCASE", "s": "TEXT COLLATE NOCASE", "q": "TEXT COLLATE NOCASE"}
        engine.make(
            "t", kinds, [("B", "x", "m"), ("g", "X", "m"), ("g", "x", "M"), ("b", "x", "M")]
        )
        asked = {"by": "q", "dialect": "sqlite", "pos_label": "B", "neg_label": "g"}
        _, rows = engine.ask(cells_query("t", "y", "s", **asked))
        assert sorted(rows, key=str) == [("M", "x", None, None), ("m", "X", 0, 1), ("m", "x", 1, 0)]
        _, rows = engine.ask(numbers_query("t", "y", "s", levels=["x", "X"], **asked))
        assert sorted(rows) == [("M", 1, 0, 1, None, None), ("m", 2, 1, 0, 1.0, 1.0)]


def test_where_missing_rows_are_dropped_nan_is_no_score_and_no_outcome():
    """Two of four rows are left, one of each class and in order; SQLite holds no NaN."""
    engine = in_duckdb()
    with contextlib.closing(engine.connection):
        nan = float("nan")
        engine.make("t", {"y": REAL, "s": REAL}, [(1, 2.5), (0, 1.5), (0, nan), (nan, 1.5)])
        asked = {"dialect": engine.dialect, "missing": "drop"}
        _, cells = engine.ask(cells_query("t", "y", "s", **asked))
        assert sorted(cells) == [(1.5, 0, 1), (2.5, 1, 0)]
        _, numbers = engine.ask(numbers_query("t", "y", "s", **asked))
        assert numbers == [(2, 1, 0, 1.0, 1.0)]


# Any data


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, None]),
            st.one_of(st.none(), st.integers(-3, 3).map(float), st.floats(allow_nan=False)),
            st.sampled_from(["a", "A", "a b", None]),
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([sqlite, in_duckdb]),
)
@settings(max_examples=15)
def test_any_rows_give_the_counts_and_digits_of_the_library(rows, start):
    engine = start()
    with contextlib.closing(engine.connection):
        engine.make("t", {"y": WHOLE, "s": REAL, "q": TEXT}, rows)
        asked = {"dialect": engine.dialect, "by": "q", "missing": "drop"}
        _, cells = engine.ask(cells_query("t", "y", "s", **asked))
        _, numbers = engine.ask(numbers_query("t", "y", "s", **asked))
    kept = [row for row in rows if row[0] is not None and row[1] is not None]
    if not kept:
        assert cells == numbers == []
        return
    y, s, q = (
        np.array([row[i] for row in kept], dtype=kind)
        for i, kind in enumerate((int, float, object))
    )
    expected = count_segments(y, s, by=q)
    for key, counts in expected.items():
        own = [row for row in cells if row[0] == key]
        assert (
            ScoreCounts.from_counts(*(np.array([r[i] for r in own]) for i in (1, 2, 3))) == counts
        )
    both = {row[0]: row[-2:] for row in numbers}
    assert both == {key: ratios(counts) for key, counts in expected.items()}


def ratios(counts):
    if counts.n1 == 0 or counts.n0 == 0:
        return None, None
    return accuracy_ratio(counts), ks(counts).statistic


# The command


ASK = ["sql", "--dialect", "duckdb", "--table", "t", "-t", "y", "-s", "s"]


def test_only_the_query_is_on_standard_output(tmp_path):
    result = done(*ASK)
    assert result.stdout == cells_query("t", "y", "s", dialect="duckdb") + "\n"
    assert result.stderr == (
        "note: save its result as cells.csv and read that with: "
        "capcurve summary cells.csv --counts\n"
    )
    result = done(*ASK, "-o", tmp_path / "q.sql", "--what", "numbers", "--levels", "C,'2',2")
    assert result.stdout == ""
    expected = numbers_query("t", "y", "s", dialect="duckdb", levels=["C", "2", 2])
    assert (tmp_path / "q.sql").read_text() == expected + "\n"


def test_labels_are_typed_as_they_are_meant():
    def text(*labels):
        said = ["--pos-label", labels[0], "--neg-label", labels[1]]
        return re.findall(r"t\.y = (\S+)", done(*ASK, *said).stdout)

    assert text("bad", "good") == ["'bad'", "'good'"]
    assert text("2", "1") == ["2", "1"]
    assert text("'1'", "'0'") == ["'1'", "'0'"]
    assert text("true", "FALSE") == ["TRUE", "FALSE"]
    assert text("1", "-1") == ["1", "-1"]
    assert text("nan", "1e5000") == ["'nan'", "'1e5000'"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dialect", "db2"], "--dialect must be one of 'sqlite', 'duckdb', .* got 'db2'"),
        (["--table", "a.b.c.d"], "a.b.c.d has 4 parts, and duckdb names a table by at most 3"),
        (["--table", "a..b"], "a..b is no name of a table; write catalog.schema.table"),
        (["--table", '"a"b'], "is no name of a table"),
        (["--table", ""], "is no name of a table"),
        (["-t", ""], "--target must be a name, got ''"),
        (["--pos-label", "bad"], "--pos-label is given without --neg-label; name both"),
        (["--neg-label", "bad"], "--neg-label goes with --pos-label; name the label"),
        (["--pos-label", "a", "--neg-label", "a"], "are one label; name two"),
        (["--where", "a = 1; DROP TABLE t"], "--where .* is no condition of duckdb"),
        (["--where", "1 = 1) UNION (SELECT 1"], "is no condition of duckdb"),
        (["--where", "SELECT 1"], "is no condition of duckdb"),
        (["--where", "a b"], "is no condition of duckdb"),
        (["--where", ""], "is no condition of duckdb"),
        (["--where", "'open"], "is no condition of duckdb"),
        (["--resolution", "0"], "--resolution must be a positive number such as 1e-4"),
        (
            ["--resolution", "1", "--what", "numbers", "--levels", "A,B"],
            "grades have no resolution; it floors numeric scores",
        ),
        (["--levels", "A,B"], "--levels is for --what numbers; .* --counts --levels A,B"),
        (["--higher-is", "negative"], "--counts --higher-is negative"),
        (["--what", "numbers", "--levels", "A,A"], "levels names 'A' twice"),
        (["--what", "numbers", "--levels", "A,B", "--higher-is", "negative"], "reverse it"),
        (["--what", "nothing"], "Invalid value for '--what'"),
        (["-o", "query.txt"], "query.txt must end in .sql"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(words, message):
    assert re.search(message, refused(*ASK, *words))


@pytest.mark.parametrize("option", ["--dialect", "--table", "-t", "-s"])
def test_missing_options_are_named(option):
    place = ASK.index(option)
    words = [*ASK[:place], *ASK[place + 2 :]]
    long = {"-t": "--target", "-s": "--score"}.get(option, option)
    assert refused(*words).startswith(f"Missing option '{long}'") or long in refused(*words)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"pos_label": float("nan")}, ValueError, "pos_label must be text, a number"),
        ({"neg_label": True}, ValueError, "pos_label=1 and neg_label=True are one label"),
        ({"neg_label": "1 "}, ValueError, "are one label; name two"),
        ({"neg_label": None}, ValueError, "neg_label must be text, a number .* got None"),
        ({"missing": "keep"}, ValueError, "missing must be one of 'raise', 'drop'"),
        ({"by": 3}, TypeError, "by must be a name, got 3"),
        ({"dialect": None}, ValueError, "dialect must be one of"),
    ],
)
def test_wrong_arguments_are_refused(asked, error, message):
    with pytest.raises(error, match=message):
        cells_query("t", "y", "s", **{"dialect": "duckdb", **asked})
    with pytest.raises(ValueError, match="higher_is must be one of 'positive', 'negative'"):
        numbers_query("t", "y", "s", dialect="duckdb", higher_is="up")
    with pytest.raises(TypeError, match="table must be the name of a table, got 3"):
        cells_query(3, "y", "s", dialect="duckdb")


def test_a_two_part_dialect_says_so():
    with pytest.raises(
        ValueError, match=r"'a\.b\.c' has 3 parts, and sqlite names .* 2, schema.table"
    ):
        cells_query("a.b.c", "y", "s", dialect="sqlite")


def test_without_sqlglot_one_line_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    assert refused(*ASK) == 'SQL needs sqlglot: pip install "capcurve[sql]", in a clone ".[sql]"'
    with pytest.raises(
        ModuleNotFoundError, match=r'^SQL needs sqlglot: pip install "capcurve\[sql'
    ):
        cells_query("t", "y", "s", dialect="duckdb")


@pytest.mark.merge
def test_a_process_without_sqlglot_says_what_brings_it():
    code = (
        f"import sys; sys.modules['sqlglot'] = None\nfrom capcurve.cli import main\nmain({ASK!r})"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert found.stdout == ""
    assert (
        found.stderr
        == 'capcurve: error: SQL needs sqlglot: pip install "capcurve[sql]", in a clone ".[sql]"\n'
    )
    code = code.replace("from capcurve.cli import main", "from capcurve.sql import cells_query")
    code = code.replace(f"main({ASK!r})", "cells_query('t', 'y', 's', dialect='duckdb')")
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.stderr.splitlines()[-1] == (
        'ModuleNotFoundError: SQL needs sqlglot: pip install "capcurve[sql]", in a clone ".[sql]"'
    )


def test_upper_case_results_are_read(tmp_path):
    (tmp_path / "cells.csv").write_text("SEGMENT,SCORE,POSITIVES,NEGATIVES\nx,3,1,0\nx,2,0,1\n")
    assert list(read_cells(Files.of(tmp_path / "cells.csv"))) == ["x"]
    assert call("summary", tmp_path / "cells.csv", "--counts").exit_code == 0


def test_one_query_counts_one_score():
    assert "--score must be a name, got ' '" in refused(*ASK[:-1], " ")
    words = ("sql", "--dialect", "duckdb", "--table", "t", "-t", "y", "-s", "a", "-s", "b")
    assert "a query counts one score" in refused(*words)


# Outcomes that take time

OF_TIMES = ("--table", "t", "--time", "days", "--event", "how", "-s", "pd")


@pytest.mark.parametrize("dialect", EVERY)
def test_text_of_times_is_one_query_of_its_dialect(dialect):
    labels = {"event_label": "it's bäd", "censored_label": "open"}
    columns = {"stratum": "select", "cluster": "my id"}
    text = times_query("t", "days", "how", "pd", dialect=dialect, **labels, **columns)
    (parsed,) = sqlglot.parse(text, read=dialect)
    level = sqlglot.ErrorLevel.RAISE
    assert parsed.sql(dialect=dialect, pretty=True, unsupported_level=level) == text
    named = ["score", "time", "event", "stratum", "cluster", "n"]
    assert [name.lower() for name in parsed.named_selects] == named


def test_a_column_called_as_censoring_is_asked_about():
    with pytest.raises(ValueError, match=r"^'cens' may hold 1 for the event or for a censored row"):
        times_query("t", "days", "cens", "pd", dialect="duckdb")
    labels = {"event_label": 0, "censored_label": 1}
    text = times_query("t", "days", "cens", "pd", dialect="duckdb", **labels)
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE t AS SELECT 3 AS days, 0 AS cens, 0.5 AS pd")
        assert connection.sql(text).fetchall() == [(0.5, 3, 1, 1)]
    told = refused("sql", "--dialect", "duckdb", *OF_TIMES[:5], "cens", *OF_TIMES[6:])
    assert told == (
        "'cens' may hold 1 for the event or for a censored row; pass --event-label 1 "
        "--censored-label 0 or --event-label 0 --censored-label 1"
    )


def test_the_command_counts_times_and_reads_them_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(10 * (i * 7 % 11), i * 5 % 3, (i * 3 % 17) / 10, "ab"[i % 2]) for i in range(200)]
    (tmp_path / "rows.csv").write_text(
        "days,how,pd,vintage\n" + "".join(f"{d},{how},{pd},{v}\n" for d, how, pd, v in rows)
    )
    words = (*OF_TIMES, "--stratum", "vintage", "--event-label", "1", "--censored-label", "0")
    result = done("sql", "--dialect", "duckdb", *words)
    assert "capcurve summary cells.csv --counts --horizon TIME" in result.stderr
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE t AS FROM 'rows.csv'")
        connection.sql(result.stdout).write_csv("cells.csv")
    read = done("summary", "cells.csv", "--counts", "--horizon", "60", "-f", "json").stdout
    direct = ("summary", "rows.csv", *OF_TIMES[2:], "--stratum", "vintage", "--horizon", "60")
    found, expected = (
        json.loads(each)["scores"] for each in (read, done(*direct, "-f", "json").stdout)
    )
    assert found[0]["digest"] == expected[0]["digest"]
    assert found[0]["intervals"] == expected[0]["intervals"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (OF_TIMES[:4], "Missing option '--score' / '-s'."),
        ((*OF_TIMES[:2], "-s", "pd"), "Missing option '--target' / '-t'."),
        ((*OF_TIMES[:4], "-s", "pd"), "--time needs --event, the column of how that ended"),
        (
            (*OF_TIMES, "-t", "y"),
            "--target does not go with --time: the outcome is --event; leave it out",
        ),
        (
            (*OF_TIMES[:2], "-t", "y", "-s", "s", "--cluster", "id"),
            "--cluster goes with --time, in a query; leave it out",
        ),
        ((*OF_TIMES, "--by", "x"), "--by does not go with --time; leave it out"),
        ((*OF_TIMES, "--what", "numbers"), "--what does not go with --time; leave it out"),
        (
            (*OF_TIMES, "--event-label", "1", "--censored-label", "'1'"),
            "--event-label 1 and --censored-label 1 are one label; name two",
        ),
        (
            (*OF_TIMES, "--event-label", "1"),
            "--event-label needs --censored-label; name both",
        ),
    ],
)
def test_what_does_not_go_with_times_is_refused(words, said):
    assert refused("sql", "--dialect", "duckdb", *words) == said


# Trials

OF_TRIALS = ("--table", "t", "-s", "pd", "--treatment", "mailed")


@pytest.mark.parametrize("amounts", [False, True])
@pytest.mark.parametrize("dialect", EVERY)
def test_text_of_trials_is_one_query_of_its_dialect(dialect, amounts):
    of = {"amounts": True} if amounts else {"pos_label": "it's bäd", "neg_label": "good"}
    more = {"where": "a = 1 OR b > 2", "missing": "drop", **of}
    text = trials_query("t", "result", "my group", "select", dialect=dialect, **more)
    (parsed,) = sqlglot.parse(text, read=dialect)
    level = sqlglot.ErrorLevel.RAISE
    assert parsed.sql(dialect=dialect, pretty=True, unsupported_level=level) == text
    named = ["amount", "n"] if amounts else ["positives", "negatives"]
    assert [name.lower() for name in parsed.named_selects] == ["treatment", "score", *named]


def test_a_treatment_is_one_column_and_amounts_have_no_labels():
    for nothing in (None, " ", ["a", "b"]):
        with pytest.raises((ValueError, TypeError), match="treatment must be a name"):
            trials_query("t", "x", nothing, "s", dialect="duckdb")
    with pytest.raises(ValueError, match="amounts have no labels; leave out pos_label="):
        trials_query("t", "x", "y", "s", dialect="duckdb", amounts=True, pos_label=2, neg_label=1)


@pytest.mark.parametrize("outcome", [("-t", "bought"), ("--amount", "spent")])
def test_the_command_counts_a_trial_and_reads_it_back(tmp_path, monkeypatch, outcome):
    monkeypatch.chdir(tmp_path)
    rows = [(i * 5 % 7 < 3, i % 9, "ab"[i * 7 % 11 < 5], (i * 3 % 17) / 10) for i in range(300)]
    (tmp_path / "rows.csv").write_text(
        "bought,spent,mailed,pd\n" + "".join(f"{b:d},{s * b},{m},{p}\n" for b, s, m, p in rows)
    )
    result = done("sql", "--dialect", "duckdb", *OF_TRIALS, *outcome)
    assert "capcurve uplift cells.csv --counts" in result.stderr
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE t AS FROM 'rows.csv'")
        connection.sql(result.stdout).write_csv("cells.csv")
    said = ("--treated-label", "b", "-f", "json")
    read = done("uplift", "cells.csv", "--counts", *said).stdout
    direct = done("uplift", "rows.csv", *OF_TRIALS[2:], *outcome, *said).stdout
    known = re.sub(r'(Uplift by|show that|"name":) "?score\b', r"\1 pd", read)
    assert known.replace("cells.csv", "") == re.sub(r'"name": "pd', '"name": pd', direct).replace(
        "rows.csv", ""
    )


@pytest.mark.merge
@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a shell's commands")
def test_the_queries_that_dbt_runs_do_what_the_page_says(tmp_path):
    page = Path("docs/howto/sql.md").read_text("utf-8")
    part = page.partition("## In dbt")[2].partition("\n## ")[0]
    shown = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    command = f"{shlex.quote(sys.executable)} -m capcurve sql --dialect duckdb"
    for folder, block in zip(("models", "tests"), shown, strict=True):
        (tmp_path / folder).mkdir()
        asked = block.replace("capcurve sql --dialect snowflake", command)
        subprocess.run(["sh", "-ec", asked], cwd=tmp_path, check=True, capture_output=True)
    model, test = (
        (tmp_path / name).read_text().replace("{{ ref('scored') }}", "risk.loans")
        for name in ("models/scored_cells.sql", "tests/scored_ranks.sql")
    )
    y, s, q = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0], [9, 8, 8, 7, 7, 6, 5, 4, 4, 1], list("ababababab")
    with duckdb.connect() as rows:
        rows.execute("CREATE SCHEMA risk")
        rows.execute("CREATE TABLE risk.loans (bad INTEGER, pd DOUBLE, cohort VARCHAR)")
        rows.executemany("INSERT INTO risk.loans VALUES (?, ?, ?)", list(zip(y, s, q, strict=True)))
        rows.execute(f"COPY ({model}) TO '{tmp_path / 'cells.csv'}'")
        parts = count_segments(y, s, by=q)
        assert read_cells(Files.of(tmp_path / "cells.csv")) == parts
        assert [accuracy_ratio(parts[key]) for key in "ab"] == pytest.approx([1 / 3, 1])
        assert [row[0] for row in rows.execute(test).fetchall()] == ["a"]
        test = test.replace("0.40", "0.30")
        assert rows.execute(test).fetchall() == []
        rows.execute("INSERT INTO risk.loans VALUES (NULL, 3, 'b'), (1, 2, 'c')")
        assert sorted(row[0] for row in rows.execute(test).fetchall()) == ["b", "c"]

"""The files for dbt: rendered with Jinja and run on DuckDB, and by dbt where it is installed."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import duckdb
import jinja2
import numpy as np
import pytest

from capcurve import accuracy_ratio, count_scores, count_segments
from capcurve.input.files import Files, read_cells

FILES = Path(__file__).parents[1] / "extras" / "dbt"


def rendered(name, /, *given, **options):
    """Render a macro, or a test, which dbt makes a macro of."""
    text = "".join(path.read_text("utf-8") for path in sorted(FILES.rglob("*.sql")))
    text = re.sub(r"{%\s*test (\w+)", r"{% macro test_\1", text)
    text = re.sub(r"{%\s*endtest", "{% endmacro", text)
    types = SimpleNamespace(type_string=lambda: "varchar")  # what dbt calls text on DuckDB
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)  # noqa: S701 - SQL, no HTML
    module = environment.from_string(text, {"dbt": types}).make_module()
    return str(getattr(module, name)(*given, **options))


@pytest.fixture
def rows():
    with duckdb.connect() as connection:
        yield connection


Y = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
S = [9, 8, 8, 7, 7, 6, 5, 4, 4, 1]
Q = ["a", "b", "a", "b", "a", "b", "a", "b", "a", "b"]


def fill(connection, y=Y, s=S, q=Q, kinds=("INTEGER", "DOUBLE", "VARCHAR")):
    declared = ", ".join(
        f"{n} {k}" for n, k in zip(("bad", '"my pd"', "cohort"), kinds, strict=True)
    )
    connection.execute(f"CREATE OR REPLACE TABLE scored ({declared})")
    connection.executemany("INSERT INTO scored VALUES (?, ?, ?)", list(zip(y, s, q, strict=True)))


def test_the_macro_gives_the_counts_that_are_read_back(rows, tmp_path):
    fill(rows)
    query = rendered(
        "capcurve_cells", "scored", "bad", '"my pd"', by="cohort", where="cohort <> 'z'"
    )
    rows.execute(f"COPY ({query}) TO '{tmp_path / 'cells.csv'}'")
    assert read_cells(Files.of(tmp_path / "cells.csv")) == count_segments(Y, S, by=Q)
    rows.execute(
        f"COPY ({rendered('capcurve_cells', 'scored', 'bad', 'cohort')}) TO '{tmp_path / 'g.csv'}'"
    )
    expected = count_scores(Y, Q, levels=["b", "a"])
    assert read_cells(Files.of(tmp_path / "g.csv"), levels=["b", "a"]) == expected


def test_labels_are_values_and_a_third_one_is_noticed(rows):
    words = ["it's" if y else "ok" for y in Y]
    fill(rows, y=words, kinds=("VARCHAR", "DOUBLE", "VARCHAR"))
    said = {"pos_label": "it's", "neg_label": "ok"}
    query = rendered("capcurve_cells", "scored", "bad", '"my pd"', **said)
    expected = count_scores(Y, S)
    cells = {score: (p, n) for score, p, n in rows.execute(query).fetchall()}
    places = zip(expected.thresholds, expected.positives, expected.negatives, strict=True)
    assert cells == {score: (p, n) for score, p, n in places}
    rows.execute("INSERT INTO scored VALUES ('maybe', 9, 'a')")
    assert (9.0, None, None) in rows.execute(query).fetchall()
    fill(rows, y=[bool(y) for y in Y], kinds=("BOOLEAN", "DOUBLE", "VARCHAR"))
    query = rendered("capcurve_cells", "scored", "bad", '"my pd"', pos_label=True, neg_label=False)
    assert {score: (p, n) for score, p, n in rows.execute(query).fetchall()} == cells


def failures(connection, **asked):
    query = rendered("test_accuracy_ratio_at_least", "scored", '"my pd"', "bad", **asked)
    return connection.execute(query).fetchall()


def test_the_test_fails_below_the_minimum_and_nowhere_else(rows):
    fill(rows)
    parts = count_segments(Y, S, by=Q)
    ratios = {key: accuracy_ratio(part) for key, part in parts.items()}
    assert ratios["a"] < ratios["b"]
    between = (ratios["a"] + ratios["b"]) / 2
    (failed,) = failures(rows, minimum=between, by="cohort")
    assert failed[:4] == ("a", parts["a"].n1, parts["a"].n0, 0)
    assert int(failed[4]) / int(failed[5]) == ratios["a"]
    assert failures(rows, minimum=0.0, by="cohort") == []
    whole = accuracy_ratio(count_scores(Y, S))
    assert failures(rows, minimum=np.floor(whole * 1e6) / 1e6) == []
    assert len(failures(rows, minimum=np.ceil(whole * 1e6) / 1e6)) == 1
    assert len(failures(rows, minimum=0.0, higher_is="negative")) == 1
    assert failures(rows, minimum=-1.0, higher_is="negative") == []


@pytest.mark.parametrize("bad", [(None, 3.0), (1, None), (0, float("nan")), (2, 3.0)])
def test_rows_that_cannot_be_ranked_fail_the_test(rows, bad):
    fill(rows, y=[*Y, bad[0]], s=[*S, bad[1]], q=[*Q, "a"])
    (failed,) = failures(rows, minimum=-1.0)
    assert failed[2] == 1
    (failed,) = failures(rows, minimum=-1.0, by="cohort")
    assert failed[0] == "a"


def test_one_class_and_no_rows_fail_the_test(rows):
    fill(rows, y=[1] * len(Y))
    assert len(failures(rows, minimum=-1.0)) == 1
    rows.execute("DELETE FROM scored")
    assert len(failures(rows, minimum=-1.0)) == 1


def test_large_counts_do_not_overflow(rows):
    many = 'SELECT i % 2 AS bad, i % 1000 AS "my pd" FROM range(200000) AS t (i)'
    rows.execute(f"CREATE TABLE scored AS {many}")
    assert failures(rows, minimum=0.000999) == []
    assert len(failures(rows, minimum=0.003)) == 1


@pytest.mark.needs("dbt")
def test_dbt_itself_runs_both_files(tmp_path):
    from dbt.cli.main import dbtRunner

    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: tried\nversion: '1'\nprofile: tried\n")
    (tmp_path / "profiles.yml").write_text(
        "tried: {target: dev, outputs: {dev: {type: duckdb, path: tried.duckdb}}}\n"
    )
    pairs = " union all ".join(f"select {y} as bad, {s} as pd" for y, s in zip(Y, S, strict=True))
    (tmp_path / "models" / "scored.sql").write_text(pairs)
    (tmp_path / "models" / "cells.sql").write_text(
        "{{ capcurve_cells(ref('scored'), 'bad', 'pd') }}"
    )
    arguments = "{arguments: {target: bad, minimum: 0.1}}"
    (tmp_path / "models" / "models.yml").write_text(
        "models: [{name: scored, columns: [{name: pd, "
        f"data_tests: [accuracy_ratio_at_least: {arguments}]}}]}}]\n"
    )
    place = ["--project-dir", str(tmp_path), "--profiles-dir", str(tmp_path), "--quiet"]
    assert dbtRunner().invoke(["build", *place]).success
    text = (tmp_path / "models" / "models.yml").read_text().replace("0.1}", "0.99}")
    (tmp_path / "models" / "models.yml").write_text(text)
    assert not dbtRunner().invoke(["test", *place]).success

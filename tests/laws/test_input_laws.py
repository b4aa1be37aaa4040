"""Columns are known by their roles: what they are called changes no count and no account."""

import csv
from collections import Counter
from fractions import Fraction

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import capcurve as cap

# What the code calls things itself, engines misread, or people write.
NAMES = [
    *("score", "target", "weight", "cluster", "by", "id", "segment", "positives", "negatives"),
    *("n", "count", "SCORE", "Target", "t", "s", "p", "up", "gone", "c0", "c1", "v0", "v1", "#1"),
    *("capcurve_0", "CAPCURVE_1", "capcurve_n", "capcurve_grid0", "__x", "column", "score (score)"),
    *("two words", 'quo"te', "it's", "a.b", "back`tick", "line\nbreak", "*", "^s.*$", "é", "{}"),
]
ROLES = ("target", "score", "weight", "cluster")
TYPES = {"target": pa.int64(), "score": pa.float64(), "weight": pa.int64(), "cluster": pa.int64()}
VALUES = {
    "target": st.integers(0, 1),
    "score": st.sampled_from([-1.5, 0.0, 0.25, 2.0]),
    "weight": st.integers(1, 3),
    "cluster": st.integers(0, 5),
}


@st.composite
def requests(draw):
    """Draw a table, and the names of the columns that are the target, the score and so on."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=5, max_size=5, unique=True))
    called = dict(zip(ROLES, names, strict=False))
    rows = draw(st.integers(1, 12))
    columns = {}
    for role, name in called.items():
        value = VALUES[role] if draw(st.booleans()) else st.none() | VALUES[role]
        found = draw(st.lists(value, min_size=rows, max_size=rows))
        columns[name] = pa.array(found, TYPES[role])
    columns[names[4]] = pa.array(range(rows))
    for role in ("weight", "cluster"):
        shared = called["score"] if role == "cluster" else None
        called[role] = draw(st.sampled_from([called[role], None, shared]))
    order = draw(st.permutations(list(columns)))
    return pa.table({name: columns[name] for name in order}), called


def as_lists(table, _):
    return table.to_pydict()


def as_pandas(table, _):
    return table.to_pandas()


def as_nullable_pandas(table, _):
    return table.to_pandas().convert_dtypes()


def as_polars(table, _):
    return pl.from_arrow(table)


def as_lazy_polars(table, _):
    return pl.from_arrow(table).lazy()


def as_arrow(table, _):
    return table


def as_duckdb(table, _):
    # DuckDB's own connection: an older version closes another one with the last name it has.
    rows = duckdb.from_arrow(table.rename_columns([f"c{i}" for i in range(5)]))
    quoted = [name.replace('"', '""') for name in table.column_names]  # whatever the case
    return rows.project(", ".join(f'c{i} AS "{name}"' for i, name in enumerate(quoted)))


def as_csv(table, place):
    path = place / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*table.to_pydict().values(), strict=True))
    return path


def as_parquet(table, place):
    pq.write_table(table, place / "rows.parquet")
    return place / "rows.parquet"


KINDS = [
    *(as_lists, as_pandas, as_nullable_pandas, as_polars, as_lazy_polars, as_arrow),
    *(as_duckdb, as_csv, as_parquet),
]


def counted_by_hand(table, called):
    """Return cells, rows left out, and how many rows lack the column of each role."""
    columns = {role: table[name].to_pylist() for role, name in called.items() if name is not None}
    cells, lacking, gone = {}, Counter(), 0
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        absent = [role for role, value in row.items() if value is None]
        lacking.update(absent)
        gone += bool(absent)
        if not absent:
            cell = cells.setdefault(row["score"], [0, 0])
            cell[1 - row["target"]] += row.get("weight", 1)
    return cells, gone, lacking


def account(called, lacking):
    """Name the columns of roles as people do, and by role where a name is used twice."""
    names = {role: name for role, name in called.items() if name is not None}
    alone = len(set(names.values())) == len(names)
    return {(n if alone else f"{n} ({role})"): lacking[role] for role, n in names.items()}


@pytest.mark.parametrize("hand_over", KINDS, ids=lambda kind: kind.__name__)
def test_names_change_no_count(hand_over, tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")

    fewer = 6 if hand_over in (as_csv, as_parquet) else 3

    @settings(max_examples=settings.default.max_examples // fewer, deadline=None)
    @given(requests())
    def check(request):
        table, called = request
        cells, gone, lacking = counted_by_hand(table, called)
        asked = {"weight": called["weight"], "cluster": called["cluster"]}
        if called["weight"] is not None:
            asked["weight_kind"] = "frequency"
        told = {name: rows for name, rows in account(called, lacking).items() if rows}
        limits = [{}]
        if hand_over in (as_csv, as_parquet) and called["cluster"] is None:
            limits.append({"memory_limit": "200MB"})
        for limit in limits:
            data = hand_over(table, place)
            y, s = called["target"], called["score"]
            found = cap.count_scores(y, s, data=data, missing="drop", **asked, **limit)
            counted = zip(found.score, found.positives, found.negatives, strict=True)
            assert {float(v): [int(p), int(n)] for v, p, n in counted} == cells
            assert (found.dropped.rows, found.dropped.columns) == (gone, told)
            if told:
                with pytest.raises(ValueError, match="is missing") as refused:
                    cap.count_scores(y, s, data=data, **asked, **limit)
                assert all(f"{name} is missing" in str(refused.value) for name in told)
            else:
                assert cap.count_scores(y, s, data=data, **asked, **limit) == found

    check()


def test_fractional_weights_add_up_alike_in_any_order_and_engine():
    rng = np.random.default_rng(5)
    n = 3000
    rows = {
        "y": rng.integers(0, 2, n),
        "s": rng.integers(0, 40, n) / 8,
        "w": rng.choice([0.1, 0.2, 0.3, 1 / 3, 1e-9, 7e11], n),
    }
    asked = {"weight": "w", "weight_kind": "sampling"}
    expected = cap.count_scores("y", "s", data=rows, **asked)
    for score, positives in zip(expected.score, expected.positives, strict=True):
        picked = (rows["s"] == score) & (rows["y"] == 1)
        assert positives == float(sum(map(Fraction, rows["w"][picked].tolist())))
    table = pl.DataFrame(rows)
    for step in (None, 0.5):
        first = cap.count_scores("y", "s", data=rows, resolution=step, **asked)
        for frame in (
            table.sample(fraction=1, shuffle=True, seed=1),
            table.sample(fraction=1, shuffle=True, seed=2).lazy(),
            duckdb.from_arrow(table.to_arrow()),
        ):
            found = cap.count_scores("y", "s", data=frame, resolution=step, **asked)
            assert found.digest() == first.digest()
            for roots in ("positive_roots", "negative_roots"):
                assert np.array_equal(getattr(found.weights, roots), getattr(first.weights, roots))
    joint = [cap.count_joint("y", ["s", "w"], data=d, **asked) for d in (rows, table.lazy())]
    assert joint[0].margin("s") == joint[1].margin("s")
    thirds = [cap.count_scores("y", "s", data=table[k::3], **asked) for k in range(3)]
    merged = cap.ScoreCounts.merge(thirds)
    assert merged == cap.ScoreCounts.merge(thirds[::-1])
    np.testing.assert_allclose(merged.positives, expected.positives, rtol=1e-12)

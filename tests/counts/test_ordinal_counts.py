"""Estimates and outcomes become classes by the ECB's rules, add up, and bad ones are refused."""

import math
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given as drawn, strategies as st

import capcurve as cap

RNG = np.random.default_rng(5)
N = 300
ESTIMATED = np.round(RNG.beta(1, 1, N), 2)
REALISED = np.round(np.clip(ESTIMATED + RNG.normal(0, 0.3, N), -0.1, 1.3), 2)
WHOLE = cap.count_classes(REALISED, ESTIMATED)
EDGES = [0.05, *(k / 10 for k in range(1, 11))]
BOUNDS = [(-math.inf, 0.05), (0.05, 0.1), *((k / 10, (k + 1) / 10) for k in range(1, 10))]
BOUNDS.append((1.0, math.inf))


def test_many_estimates_are_put_into_twelve_segments_closed_on_the_left():
    expected = [
        [
            int(((a <= ESTIMATED) & (b > ESTIMATED) & (c <= REALISED) & (d > REALISED)).sum())
            for c, d in BOUNDS
        ]
        for a, b in BOUNDS
    ]
    assert WHOLE.table.tolist() == expected
    assert WHOLE + cap.count_classes([], []) == WHOLE
    explicit = cap.count_classes(REALISED, ESTIMATED, classes=EDGES)
    assert explicit.table.tolist() == expected


def test_up_to_twenty_estimates_are_grades_and_outcomes_close_on_the_right():
    grades = np.arange(1, 21) / 20
    outcomes = np.array([-0.2, 0.0, 0.05, 0.050001, 0.1, 1.0, 1.000001])
    found = cap.count_classes(outcomes, np.repeat(0.05, 7)) + cap.count_classes(grades, grades)
    assert found.table.shape == (20, 21)
    assert found.table[0].tolist() == [4, 2, *[0] * 17, 1, 1]
    assert np.array_equal(found.table[1:, 1:20], np.eye(19))
    one_more = found + cap.count_classes([0.5], [0.51])
    assert one_more.table.shape == (12, 12)


def test_edges_may_close_on_either_side():
    values = [0.1, 0.2, 0.3]
    left = cap.count_classes(values, values, classes=[0.2])
    right = cap.count_classes(values, values, classes=[0.2], closed="right")
    assert left.table.tolist() == [[1, 0], [0, 2]]
    assert right.table.tolist() == [[2, 0], [0, 1]]
    assert left.to_dict()["realised_classes"] == ["< 0.2", ">= 0.2"]
    assert right.to_dict()["realised_classes"] == ["<= 0.2", "> 0.2"]


def test_every_value_may_be_a_class():
    found = cap.count_classes([3, 1, 3, 7], [2, 2, 5, 9], classes="values")
    assert found.table.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert found.to_dict()["realised_classes"] == ["1", "3", "7"]
    many = np.arange(1100)
    with pytest.raises(ValueError, match="pass the edges"):
        _ = cap.count_classes(many, many, classes="values").table


@drawn(cuts=st.lists(st.integers(0, N), max_size=4), seed=st.integers(0, 99))
def test_shards_add_up_to_the_whole_in_any_order(cuts, seed):
    order = np.random.default_rng(seed).permutation(N)
    parts = [
        cap.count_classes(REALISED[rows], ESTIMATED[rows]) for rows in np.split(order, sorted(cuts))
    ]
    total = cap.OrdinalCounts.merge(parts)
    assert total == WHOLE == sum(parts)
    assert total.digest() == WHOLE.digest()
    assert np.array_equal(total.table, WHOLE.table)
    assert cap.generalised_auc(total) == cap.generalised_auc(WHOLE)


def test_what_does_not_add():
    edged = cap.count_classes(REALISED, ESTIMATED, classes=[0.5])
    with pytest.raises(ValueError, match=r"'ecb' and in \(0\.5,\) closed on the left do not add"):
        WHOLE + edged
    assert edged != WHOLE
    assert WHOLE != 1


def test_counts_cannot_be_changed_and_can_be_copied():
    with pytest.raises(ValueError, match="read-only"):
        WHOLE.cases[0] = 7
    assert repr(WHOLE) == f"OrdinalCounts(n=300, distinct pairs={len(WHOLE)}, classes='ecb')"


def held(kind, tmp_path):
    frame = {"real": REALISED, "est": ESTIMATED}
    if kind == "mapping":
        return frame
    if kind == "pandas":
        return pd.DataFrame(frame)
    if kind == "arrow":
        return pa.table(frame)
    if kind == "DuckDB":
        return duckdb.connect().from_arrow(pa.table(frame))
    path = tmp_path / f"lgd.{kind}"
    if kind == "csv":
        pl.DataFrame(frame).write_csv(path)
    elif kind == "parquet":
        pl.DataFrame(frame).write_parquet(path)
    else:
        return pl.DataFrame(frame).lazy() if kind == "lazy" else pl.DataFrame(frame)
    return str(path)


@pytest.mark.parametrize(
    "kind", ["mapping", "pandas", "polars", "lazy", "arrow", "DuckDB", "csv", "parquet"]
)
def test_whatever_holds_the_rows(kind, tmp_path):
    found = cap.count_classes("real", "est", data=held(kind, tmp_path))
    assert found == WHOLE
    assert found.n == N


def test_numbers_of_any_type_are_what_they_say():
    written = [0.1, 0.3, 0.7, 0.2]
    expected = cap.count_classes(written, written, classes=EDGES)
    for values in (
        np.array(written, dtype=np.float32),
        pl.Series(written, dtype=pl.Float32),
        [Decimal(str(value)) for value in written],
        np.array(written, dtype=object),
    ):
        assert cap.count_classes(values, written, classes=EDGES) == expected
    whole = cap.count_classes([True, False, True], [1, 0, 0])
    assert whole == cap.count_classes([1.0, -0.0, 1.0], [1.0, 0.0, -0.0])


def test_rows_without_a_value():
    values = [0.1, None, math.nan, 0.4]
    with pytest.raises(ValueError, match=r"realised is missing .* in 2 of 4 rows; estimated"):
        cap.count_classes(values, [None, 0.2, 0.3, 0.4])
    found = cap.count_classes(values, [None, 0.2, 0.3, 0.4], missing="drop")
    assert (found.n, found.dropped.rows) == (1, 3)
    assert found.dropped.columns == {"realised": 2, "estimated": 1}
    assert (found + found).dropped.rows == 6
    assert found.to_dict()["dropped"]["rows"] == 3
    lazy = pl.LazyFrame({"r": values, "e": [None, 0.2, 0.3, 0.4]}, strict=False)
    assert cap.count_classes("r", "e", data=lazy, missing="drop").dropped.rows == 3
    assert cap.count_classes([0.1], [0.2], missing="drop").dropped.rows == 0


@pytest.mark.parametrize(("arguments", "part"), [
    (([0.1, math.inf], [0.1, 0.2]), "realised is infinite in row 1"),
    (([0.1], [0.1, 0.2]), "realised has 1 rows and estimated has 2"),
    (([0.1, 0.2], ["A", "B"]), "estimated holds text such as 'A'; pass numbers"),
    (([0.1], "est"), "to name a column, pass data="),
    (([[0.1]], [0.2]), "realised"),
])  # fmt: skip
def test_what_is_no_pair_of_numbers(arguments, part):
    with pytest.raises((ValueError, TypeError), match=part):
        cap.count_classes(*arguments)


@pytest.mark.parametrize(("options", "part"), [
    ({"classes": "basel"}, 'classes must be "ecb", "values" or edges'),
    ({"classes": 3}, 'classes must be "ecb", "values" or edges'),
    ({"classes": []}, "must ascend"),
    ({"classes": [0.2, 0.2]}, "must ascend"),
    ({"classes": [0.2, math.nan]}, "an edge of classes must be a finite number"),
    ({"classes": ["a"]}, "an edge of classes must be a finite number"),
    ({"closed": "right"}, "closed= is for edges"),
    ({"classes": [1], "closed": "both"}, 'closed must be "left" or "right"'),
    ({"missing": "skip"}, 'missing must be "raise" or "drop"'),
])  # fmt: skip
def test_options_nobody_means(options, part):
    with pytest.raises(ValueError, match=part):
        cap.count_classes([0.1], [0.2], **options)


def test_percentages_are_not_taken_for_shares():
    percent = cap.count_classes(100 * REALISED, 100 * ESTIMATED)
    with pytest.raises(ValueError, match=r"0\.45 for 45%"):
        cap.generalised_auc(percent)
    with pytest.raises(ValueError, match="most outcomes are above 150%"):
        _ = cap.count_classes(100 * REALISED, ESTIMATED).table
    grades = cap.count_classes(100 * REALISED, np.round(10 * ESTIMATED))
    assert 0.5 < cap.generalised_auc(grades).estimate < 1


def test_no_rows():
    with pytest.raises(ValueError, match="holds no cases"):
        cap.generalised_auc(cap.count_classes([], []))
    assert cap.count_classes([], []).to_dict()["estimated_classes"] == []


def test_amounts_that_a_float_would_round_are_refused():
    with pytest.raises(
        ValueError, match=r"realised holds 9007199254740993, which a float would ro"
    ):
        cap.count_classes([2**53, 2**53 + 1], [1, 2])

"""Parquet files hand over of amounts what is not 0; rows are put in order as arrays are."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import capcurve as cap
from capcurve.input.files import Files, read_columns
from capcurve.numbers import order, threads

ROWS = 3000
draw = np.random.default_rng(44)
LOSS = np.where(draw.random(ROWS) < 0.02, draw.integers(1, 99, ROWS), 0)
GONE = draw.random(ROWS) < 0.01
AMOUNTS = {
    "whole": pa.array(LOSS, pa.int32(), mask=GONE),
    "fractions, NaN and null": pa.array(
        np.where(draw.random(ROWS) < 0.01, np.nan, LOSS / 8), mask=GONE
    ),
    "booleans": pa.array(LOSS > 0, mask=GONE),
    "decimals": pa.array(LOSS, pa.int32(), mask=GONE).cast(pa.decimal128(12, 2)),
    "nothing but 0": pa.array(np.zeros(ROWS)),
    "no value at all": pa.array([None] * ROWS, pa.float64()),
    "both zeros": pa.array(np.where(LOSS > 0, LOSS, -0.0)),
}
SCORE = np.round(draw.normal(size=ROWS), 2)
YEARS = draw.integers(1, 4, ROWS) / 2


def table(amount):
    return pa.table({"loss": amount, "pd": SCORE, "years": YEARS, "month": np.arange(ROWS) % 3})


@pytest.mark.turns(3)
@pytest.mark.parametrize("case", AMOUNTS)
def test_sparse_columns_give_the_counts_of_whole_ones(tmp_path, case):
    rows = table(AMOUNTS[case])
    pq.write_table(rows, tmp_path / "loss.parquet", row_group_size=700)
    for rules in (
        {"missing": "drop"},
        {"missing": "drop", "exposure": "years", "cluster": "month"},
        {"missing": "drop", "resolution": 0.25},
    ):
        found = cap.count_values("loss", "pd", data=tmp_path / "loss.parquet", **rules)
        expected = cap.count_values("loss", "pd", data=rows, **rules)
        assert found == expected
        assert (found.digest(), found.dropped) == (expected.digest(), expected.dropped)
        assert found.groups == expected.groups
    parts = cap.count_value_segments(
        "loss", "pd", data=tmp_path / "loss.parquet", by="month", missing="drop"
    )
    assert parts == cap.count_value_segments("loss", "pd", data=rows, by="month", missing="drop")


def test_only_what_is_not_0_is_held(tmp_path):
    pq.write_table(table(AMOUNTS["whole"]), tmp_path / "loss.parquet")
    files = Files.of(tmp_path / "loss.parquet")
    column = read_columns(files, ["loss"], amounts=["loss"])["loss"]
    assert len(column) == ROWS
    assert len(column.stored) == np.count_nonzero((LOSS > 0) | GONE)
    assert (column.whole().stored[~GONE] == LOSS[~GONE]).all()
    assert (column.whole().missing == GONE).all()


def test_an_amount_may_be_the_score_too(tmp_path):
    rows = table(pa.array(LOSS + 0.5))
    pq.write_table(rows, tmp_path / "loss.parquet")
    found = cap.count_values("loss", "loss", data=tmp_path / "loss.parquet")
    assert found == cap.count_values("loss", "loss", data=rows)


def test_files_of_several_kinds_and_types_are_one_column(tmp_path):
    frame = pd.DataFrame({"loss": LOSS, "pd": SCORE})
    frame[:1000].to_parquet(tmp_path / "a.parquet")
    frame[1000:2000].assign(loss=LOSS[1000:2000] / 1).to_parquet(tmp_path / "b.parquet")
    empty = pa.table({"loss": pa.array([None, None], pa.float64()), "pd": [0.5, 0.25]})
    pq.write_table(empty, tmp_path / "c.parquet")
    names = ["a.parquet", "b.parquet", "c.parquet"]
    found = cap.count_values("loss", "pd", data=[tmp_path / name for name in names], missing="drop")
    expected = cap.count_values("loss", "pd", data=frame[:2000], missing="drop")
    assert found == expected
    assert found.dropped.columns == {"loss": 2}
    frame[2000:].to_csv(tmp_path / "d.csv", index=False)
    names.append("d.csv")
    found = cap.count_values("loss", "pd", data=[tmp_path / name for name in names], missing="drop")
    assert found == cap.count_values("loss", "pd", data=frame, missing="drop")


def test_rows_are_named_by_their_place_in_the_file(tmp_path):
    wrong = LOSS.astype(float)
    wrong[1234] = np.inf
    pq.write_table(table(pa.array(wrong)), tmp_path / "loss.parquet")
    with pytest.raises(ValueError, match="loss is infinite in 1 of 3,000 rows, first in row 1234"):
        cap.count_values("loss", "pd", data=tmp_path / "loss.parquet")


# Order


ORDERED = {
    "positive": draw.random,
    "of both signs": lambda n: draw.normal(size=n),
    "many ties": lambda n: np.round(draw.normal(size=n), 1),
    "of every size": lambda n: draw.normal(size=n) * 10.0 ** draw.integers(-300, 300, n),
    "that differ in their last digits": lambda n: 1 + draw.random(n) * 1e-12,
    "zeros and infinities": lambda n: draw.choice([0.0, -0.0, np.inf, -np.inf, 5e-324, 1.0], n),
    "in single precision": lambda n: draw.normal(size=n).astype(np.float32),
    "whole": lambda n: draw.integers(-(2**62), 2**62, n),
    "small": lambda n: draw.integers(-5, 5, n).astype(np.int8),
    "beyond 2^63": lambda n: draw.integers(0, 2**64, n, dtype=np.uint64),
}


@pytest.mark.parametrize("case", ORDERED)
def test_the_order_is_that_of_a_stable_sort(monkeypatch, case):
    values = ORDERED[case](20_000)
    expected = np.argsort(values + values.dtype.type(0), kind="stable")
    for worth in (1 << 18, 10):
        monkeypatch.setattr(order, "BLOCK", 100)
        monkeypatch.setattr(threads, "WORTH_A_THREAD", worth)
        monkeypatch.setattr(threads, "processors", lambda: 3)
        assert (order.order_of(values) == expected).all()
        for falls in (True, False):
            best_first = order.sort_best_first(values.copy(), falls=falls)
            assert (best_first == np.sort(values)[:: -1 if falls else 1]).all()


@pytest.mark.parametrize("rows", [0, 1, 2, 300_000])
def test_lengths_of_runs_and_what_is_kept(rows):
    new = draw.random(rows) < 0.3
    new[:1] = True
    starts = np.flatnonzero(new)
    assert (order.run_lengths(new) == np.diff(starts, append=rows)).all()
    values = draw.random(rows)
    assert (order.keep_in_place(values.copy(), new) == values[new]).all()


@pytest.mark.parametrize("ties", [None, 2, 0])
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_many_rows_are_counted_as_few_are(ties, higher_is):
    rows = 40_000
    score = draw.normal(size=rows)
    score = score if ties is None else np.round(score, ties)
    amount = np.where(draw.random(rows) < 0.4, draw.integers(-3, 9, rows), 0)
    values = cap.count_values(amount, score, higher_is=higher_is)
    few = [
        cap.count_values(amount[part], score[part], higher_is=higher_is)
        for part in np.array_split(np.arange(rows), 40)
    ]
    assert values == sum(few)
    assert values.digest() == sum(few).digest()
    scores = values.holding.score
    assert (np.diff(scores) <= 0).all() if higher_is == "positive" else (np.diff(scores) >= 0).all()

"""Float32 scores of parquet files counted while they are read: the counts of the columns held."""

import duckdb
import numpy as np
import pytest

import capcurve as cap
from capcurve.input.files import streamed

ROWS = 60_000
RNG = np.random.default_rng(31)
SCORES = {
    "normal": RNG.normal(size=ROWS),
    "uniform": RNG.random(ROWS),
    "few": RNG.integers(-3, 4, ROWS) / 2,
    "wide": RNG.choice([-1, 1], ROWS) * 10.0 ** RNG.uniform(-40, 38, ROWS),
    "ends": RNG.choice([-np.inf, -1.5, -0.0, 0.0, 1e-45, np.inf], ROWS),
    "skewed": np.where(RNG.random(ROWS) < 0.9, 0.25, RNG.random(ROWS)),
}
LABELS = {
    "bool": lambda y: y,
    "int8": lambda y: y.astype(np.int8),
    "float64": lambda y: y.astype(np.float64),
    "minus one": lambda y: np.where(y, 1, -1),
}


def write(path, target, score):
    with duckdb.connect() as connection:
        connection.register("rows", {"y": target, "s": score})
        connection.table("rows").write_parquet(str(path))
    return str(path)


@pytest.fixture
def small(monkeypatch):
    """Take the way of very many rows for few ones, in several parts of several buckets."""
    monkeypatch.setattr(streamed, "FEWEST_ROWS", 1000)
    monkeypatch.setattr(streamed, "DEALT_AT_ONCE", 5000)
    found = []

    def counting(*asked):
        found.append(original(*asked))
        return found[-1]

    original = streamed.count_streamed
    monkeypatch.setattr(streamed, "count_streamed", counting)
    return found


@pytest.mark.turns(4)
@pytest.mark.parametrize("direction", ["positive", "negative"])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", SCORES)
def test_the_counts_are_those_of_the_columns(kind, labels, direction, small, tmp_path):
    score = SCORES[kind].astype(np.float32)
    target = LABELS[labels](RNG.random(ROWS) < 0.2)
    path = write(tmp_path / "rows.parquet", target, score)
    counts = cap.count_scores("y", "s", data=path, higher_is=direction)
    whole = cap.count_scores(target, score, higher_is=direction)
    assert small == [counts]
    assert counts.digest() == whole.digest()
    for name in ("score", "positives", "negatives"):
        found, expected = getattr(counts, name), getattr(whole, name)
        assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    assert not np.signbit(counts.score[counts.score == 0]).any()
    assert counts.fields() == whole.fields()


def test_several_files_are_one(small, tmp_path):
    score, target = SCORES["normal"].astype(np.float32), RNG.random(ROWS) < 0.2
    for place, rows in enumerate((slice(0, 7000), slice(7000, ROWS))):
        write(tmp_path / f"{place}.parquet", target[rows], score[rows])
    counts = cap.count_scores("y", "s", data=str(tmp_path / "*.parquet"))
    assert small[0] is not None
    assert counts == cap.count_scores(target, score)


def test_rows_that_may_be_dropped_are_accounted_for(small, tmp_path):
    score, target = SCORES["normal"].astype(np.float32), RNG.random(ROWS) < 0.2
    path = write(tmp_path / "rows.parquet", target, score)
    whole = cap.count_scores(target, score, missing="drop")
    assert cap.count_scores("y", "s", data=path, missing="drop").dropped == whole.dropped
    score[-1] = np.nan
    path = write(tmp_path / "rows.parquet", target, score)
    found = cap.count_scores("y", "s", data=path, missing="drop")
    assert (small[1], found.dropped.rows, found.n) == (None, 1, ROWS - 1)
    with pytest.raises(ValueError, match=r"s is missing .* in 1 of 60,000 rows, .* row 59999"):
        cap.count_scores("y", "s", data=path)


def test_other_labels_are_looked_at_whole(small, tmp_path):
    score = SCORES["normal"].astype(np.float32)
    target = np.zeros(ROWS, np.int64)
    target[-1] = 2
    path = write(tmp_path / "rows.parquet", target, score)
    with pytest.raises(ValueError, match=r"y holds 2 \(1\), 0 \(59,999\)"):
        cap.count_scores("y", "s", data=path)
    assert cap.count_scores("y", "s", data=path, pos_label=2).n1 == 1
    assert small == [None, None]

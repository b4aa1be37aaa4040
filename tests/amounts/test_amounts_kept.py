"""Amounts written to files and read again are the same; of sums per score some numbers remain."""

import json
from dataclasses import replace

import amount_strategies as some
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import capcurve as cap
from capcurve import write_counts
from capcurve.input.files import Files, read_cells

in_one_folder = settings(
    max_examples=settings.default.max_examples // 5,  # each writes and reads files
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
finite = st.one_of(st.integers(-3, 3).map(lambda k: k / 4), st.sampled_from([0.1, 0.1 + 0.2, 1e-9]))


def same(one, other):
    return one == other and one.digest() == other.digest()


def same_with_groups(one, other):
    return same(one, other) and all(map(same, one.groups, other.groups))


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@in_one_folder
@given(some.rows(ranked=finite), some.directions)
def test_saved_cells_are_the_counts(tmp_path, suffix, rows, higher_is):
    values, path = rows.count(higher_is=higher_is), tmp_path / f"cells{suffix}"
    write_counts(values, path)
    again = cap.read_counts(path)
    assert same(again, values)
    assert again.higher_is == higher_is
    assert cap.accuracy_ratio(again) == cap.accuracy_ratio(values)


@pytest.mark.parametrize("suffix", [".parquet"])
@in_one_folder
@given(some.shards(many=2), some.directions)
def test_saved_shards_add_up_to_the_whole(tmp_path, suffix, parts, higher_is):
    assume(all(len(part.amount) for part in parts))
    paths = [tmp_path / f"part{k}{suffix}" for k in range(2)]
    for part, path in zip(parts, paths, strict=True):
        write_counts(part.count(higher_is=higher_is), path)
    assert same(read_cells(Files.of(paths)), some.together(*parts).count(higher_is=higher_is))


ROWS = {
    "claims": [0.0, 12.34, 0.0, 1e-300, 250.0, 0.1, 0.0, 1e16 + 2],
    "years": [1.0, 0.5, 1 / 3, 2.0, 1.0, 1.0, 0.5, 7.0],
    "score": [3, 3, 2, 2, 1, 1, 1, 0],
    "grade": ["C", "C", "B", "B", "A", "A", "A", "A"],
    "month": ["jan", "feb"] * 4,
    "id": [1, 1, 2, 3, 4, 5, 6, 6],
}


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_segments_clusters_and_grades_are_kept(tmp_path, suffix):
    path = tmp_path / f"kept{suffix}"
    asked = {"exposure": "years", "data": ROWS}
    segments = cap.count_value_segments("claims", "score", by="month", **asked)
    write_counts(segments, path)
    assert cap.read_counts(path) == segments
    clustered = cap.count_values("claims", "score", cluster="id", **asked)
    write_counts(clustered, path)
    assert same_with_groups(cap.read_counts(path), clustered)
    graded = cap.count_values("claims", "grade", levels=["C", "B", "A"], **asked)
    write_counts(graded, path)
    assert same(cap.read_counts(path), graded)
    assert cap.read_counts(path).levels == graded.levels
    floored = cap.count_values("claims", "score", resolution=2, **asked)
    write_counts(floored, path)
    assert same(cap.read_counts(path), floored)


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_a_changed_amount_is_noticed(tmp_path, suffix):
    path = tmp_path / f"kept{suffix}"
    write_counts(
        cap.count_values("claims", "score", exposure="years", data=ROWS, resolution=2), path
    )
    if suffix == ".json":
        text = path.read_text()
        assert "12.34" in text
        path.write_text(text.replace("12.34", "12.35"))
    else:
        kept = pq.read_table(path)
        place = kept.column_names.index("amount")
        more = pa.array([amount + 1 for amount in kept["amount"].to_pylist()])
        pq.write_table(kept.set_column(place, kept.field("amount"), more), path)
    with pytest.raises(ValueError, match=r"changed|digest") as told:
        cap.read_counts(path)
    assert "\n" not in str(told.value)


def test_a_changed_dictionary_is_noticed():
    values = cap.count_values("claims", "score", exposure="years", data=ROWS)
    saved = json.loads(json.dumps(values.to_dict()))
    for name in ("amount", "exposure", "score"):
        changed = json.loads(json.dumps(saved))
        column = changed["cells"][name]
        column[-1] += 1
        with pytest.raises(ValueError, match=r"changed|digest|order"):
            cap.ValueCounts.from_dict(changed)


def written(tmp_path, kind):
    """Write the rows as a file of some kind."""
    path, frame = tmp_path / f"rows.{kind}", pd.DataFrame(ROWS)
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True, double_precision=15)
        path.write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")))
    return path


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_a_file_is_counted_as_its_rows_are(tmp_path, kind):
    path, asked = written(tmp_path, kind), {"exposure": "years"}
    found = cap.count_values("claims", "score", data=path, **asked)
    assert same(found, cap.count_values("claims", "score", data=ROWS, **asked))
    joint = cap.count_joint_values("claims", ["score", "id"], data=path, **asked)
    assert joint == cap.count_joint_values("claims", ["score", "id"], data=ROWS, **asked)
    segments = cap.count_value_segments("claims", "score", by="month", data=path, **asked)
    assert segments == cap.count_value_segments("claims", "score", by="month", data=ROWS, **asked)
    clustered = cap.count_values("claims", "score", cluster="id", data=path, **asked)
    assert same_with_groups(
        clustered, cap.count_values("claims", "score", cluster="id", data=ROWS, **asked)
    )


# Sums per score, as they come home from an engine that holds too many different rows

FROM_SUMS = {
    "n": lambda v: v.n,
    "m": lambda v: v.m,
    "amount": lambda v: v.amount,
    "exposure": lambda v: v.exposure,
    "largest": lambda v: v.largest,
    "scores": len,
    "thresholds": lambda v: v.thresholds.tolist(),
    "concentration index": cap.concentration_index,
    "captured": lambda v: cap.captured_response(v, 0.3),
    "between": lambda v: cap.captured_between(v, 0.1, 0.6),
    "lift": lambda v: cap.lift(v, 0.3),
    "mean": lambda v: cap.mean_amount(v, 0.3),
    "curve": lambda v: cap.cap_curve(v).y.tolist(),
    "absolute": lambda v: cap.cap_curve(v, absolute=True).y.tolist(),
    "lorenz": lambda v: cap.lorenz_curve(v).y.tolist(),
    "local lift": lambda v: cap.local_lift_curve(v).y.tolist(),
    "profit": lambda v: cap.profit_curve(v, value=2, cost=1).y.tolist(),
    "best profit": lambda v: cap.best_thresholds(v, "profit", value=2, cost=1)[0].q,
}


@given(some.rows(), some.directions)
def test_sums_give_the_same_numbers(rows, higher_is):
    values = rows.count(higher_is=higher_is)
    sums = values.by_score()
    for name, number in FROM_SUMS.items():
        assert number(sums) == pytest.approx(number(values), rel=1e-12, abs=1e-13), name


@given(some.rows(), st.sampled_from(["concentration_index", "captured_response", "lift"]))
def test_sums_give_the_same_limits_of_shares(rows, metric):
    options = {} if metric == "concentration_index" else {"q": 0.3}
    held = rows.amount[rows.amount != 0]
    assume(len(set(held.tolist())) > 1)  # else rows are yes/no counts
    values = rows.count()
    sums = replace(values.by_score(), rates=values.by_rate())  # as engines give them
    found, expected = (cap.confidence_interval(v, metric, **options) for v in (sums, values))
    assert found.se == pytest.approx(expected.se, rel=1e-9, abs=1e-9)
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12, abs=1e-13)


def test_what_sums_cannot_give_names_the_resolution(tmp_path):
    values = cap.count_values("claims", "score", exposure="years", data=ROWS)
    sums = values.by_score()
    for call in (
        lambda: cap.confidence_interval(sums, "accuracy_ratio"),
        lambda: cap.confidence_interval(sums, "accuracy_ratio", method="bootstrap"),
        lambda: write_counts(sums, tmp_path / "cells.csv"),
    ):
        with pytest.raises(cap.NotHeldError, match="resolution=") as told:
            call()
        assert "\n" not in str(told.value)


def test_sums_do_not_add():
    sums = cap.count_values("claims", "score", exposure="years", data=ROWS).by_score()
    with pytest.raises((TypeError, cap.NotHeldError)):
        sums + sums
    with pytest.raises((TypeError, cap.NotHeldError)):
        cap.ValueCounts.merge([sums, sums])


def test_many_shards_of_cents_are_the_whole_to_the_digit():
    rng = np.random.default_rng(5)
    amount = np.where(rng.random(4000) < 0.3, np.round(rng.lognormal(5, 2, 4000), 2), 0)
    score, exposure = np.round(rng.normal(size=4000), 1), np.round(rng.uniform(0.1, 1, 4000), 2)
    rows = some.Rows(amount, score, exposure)
    whole = rows.count()
    shard = rng.integers(0, 30, 4000)
    parts = [rows.take(shard == k).count() for k in range(30)]
    merged = cap.ValueCounts.merge(parts[::-1])
    assert same(merged, whole)
    for number in FROM_SUMS.values():
        assert number(merged) == number(whole)
    assert cap.confidence_interval(merged, "accuracy_ratio") == cap.confidence_interval(
        whole, "accuracy_ratio"
    )

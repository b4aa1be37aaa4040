"""Results, curves and counts as data frames, of the kind that the rows came in."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import capcurve as cap

RNG = np.random.default_rng(3)
N = 400
Y = (RNG.random(N) < 0.3).astype(int)
DAYS = np.datetime64("2024-01-15") + np.arange(N) % 90
ROWS = {
    "y": Y,
    "new": (Y + RNG.normal(size=N)).round(2),
    "old": (Y + 2 * RNG.normal(size=N)).round(2),
    "grade": np.where(Y + RNG.normal(size=N) > 0.5, "B", "A"),
    "segment": np.where(np.arange(N) % 2, "retail", "sme"),
    "date": DAYS.astype("datetime64[ns]"),
}
SCORES = ["new", "old"]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (pd.DataFrame(ROWS), pd.DataFrame),
        (pl.DataFrame(ROWS), pl.DataFrame),
        (pl.DataFrame(ROWS).lazy(), pl.DataFrame),
        (pa.table(ROWS), pa.Table),
        (ROWS, pd.DataFrame),
    ],
    ids=["pandas", "Polars", "lazy", "Arrow", "arrays"],
)
def test_a_frame_is_of_the_kind_that_the_rows_came_in(rows, kind):
    found = cap.evaluate("y", SCORES, rows)
    assert type(found.to_frame()) is kind
    assert type(found.to_frame("polars")) is pl.DataFrame
    assert found == cap.evaluate("y", SCORES, ROWS)


@pytest.mark.parametrize("frames", [pd, pl])
def test_columns_say_their_kind_too(frames):
    y, new = frames.Series(ROWS["y"]), frames.Series(ROWS["new"])
    assert type(cap.evaluate(y, new).to_frame()) is frames.DataFrame
    assert type(cap.evaluate(Y, {"new": new}).to_frame()) is frames.DataFrame


def test_an_evaluation_has_a_row_for_each_score():
    found = cap.evaluate("y", SCORES, ROWS)
    frame = found.to_frame().set_index("score")
    assert list(frame.index) == SCORES
    for name, summary in found.summaries.items():
        row = frame.loc[name]
        assert row["n"] == N
        assert row["accuracy_ratio"] == summary.accuracy_ratio
        low, high = summary.intervals["accuracy_ratio"]
        assert (row["accuracy_ratio_low"], row["accuracy_ratio_high"]) == (low, high)
        assert row["ks"] == summary.ks.statistic
        assert row["captured_10"] == summary.captured[0.1]


@pytest.mark.merge
def test_an_evaluation_has_a_row_for_each_score_and_segment():
    found = cap.evaluate("y", SCORES, ROWS, by="segment")
    frame = found.to_frame()
    assert list(zip(frame["score"], frame["segment"], strict=True)) == [
        (score, segment) for score in SCORES for segment in ("retail", "sme")
    ]
    wide = frame.pivot(index="segment", columns="score", values="accuracy_ratio")
    part = cap.count_segments("y", "old", data=ROWS, by="segment")["sme"]
    assert wide.loc["sme", "old"] == cap.accuracy_ratio(part)


def test_grades_and_numbers_of_one_column_are_text():
    found = cap.evaluate("y", ["grade", "new"], ROWS, levels={"grade": ["B", "A"]})
    cuts = found.to_frame("polars")["ks_threshold"]
    assert cuts.to_list() == ["B", str(cap.ks(found["new"]).threshold)]


def test_whole_numbers_beside_others_of_one_column_are_numbers():
    rows = {**ROWS, "whole": np.round(100 * np.asarray(ROWS["new"])).astype(int)}
    found = cap.evaluate("y", ["whole", "new"], rows)
    cuts = found.to_frame("polars")["ks_threshold"]
    assert cuts.to_list() == [cap.ks(found[name]).threshold for name in ("whole", "new")]


def test_a_summary_is_one_row():
    summary = cap.summarize(cap.count_scores("y", "new", data=ROWS), name="new")
    (row,) = summary.to_frame("polars").rows(named=True)
    assert row == cap.evaluate("y", "new", ROWS).to_frame("polars").rows(named=True)[0]


def test_many_summaries_are_one_table():
    names = ["new", "old"]
    counts = {name: cap.count_scores("y", name, data=ROWS) for name in names}
    frame = pd.concat(cap.summarize(counts[name], name=name).to_frame() for name in names)
    assert frame["accuracy_ratio"].tolist() == [cap.accuracy_ratio(counts[name]) for name in names]


def test_a_comparison_has_a_row_for_each_pair():
    joint = cap.count_joint("y", ["new", "old", "grade"], data=ROWS, levels={"grade": ["B", "A"]})
    found = cap.compare(joint)
    frame = found.to_frame()
    assert frame["difference"].tolist() == ["new minus old", "new minus grade", "old minus grade"]
    assert frame["estimate"].tolist() == [pair.estimate for pair in found.pairs]
    assert frame["p_adjusted"].tolist() == [pair.p_adjusted for pair in found.pairs]


def test_totals_have_a_row_for_each_cutoff_that_is_held():
    scores = np.arange(200_000, 0, -1)
    positives = (scores % 3 == 0).astype(int)
    n1 = int(positives.sum())
    totals = cap.count_sorted([(scores, positives, 1 - positives)], n1=n1, n0=len(scores) - n1)
    frame = totals.to_frame("pandas")
    assert len(frame) < len(totals)
    captured = np.cumsum(positives)[np.searchsorted(-scores, -frame["score"].to_numpy())]
    assert frame["positives"].cumsum().tolist() == captured.tolist()
    assert frame[["positives", "negatives"]].sum().tolist() == [n1, len(scores) - n1]


def test_sums_of_amounts_have_a_row_for_each_score():
    sums = cap.count_values(
        [30, 0, 5], ["A", "B", "A"], exposure=[2, 3, 4], levels=["A", "B"]
    ).by_score()
    assert sums.to_frame("polars").rows() == [("A", 35, 6, 2), ("B", 0, 3, 1)]
    assert sums.to_frame("polars").columns == ["score", "amount", "exposure", "n"]


def test_a_curve_has_a_row_for_each_point():
    curve = cap.cap_curve(cap.count_scores("y", "new", data=ROWS))
    frame = curve.to_frame()
    assert (frame["x"].to_numpy() == curve.x).all()
    assert (frame["y"].to_numpy() == curve.y).all()
    assert np.isnan(frame["threshold"][0])
    assert (frame["threshold"][1:].to_numpy() == curve.thresholds).all()
    assert list(cap.random_cap(cap.count_scores(Y, Y)).to_frame().columns) == ["x", "y"]


def test_counts_have_a_row_for_each_cell():
    counts = cap.count_scores("y", "grade", data=ROWS, levels=["B", "A"])
    frame = counts.to_frame()
    assert frame["score"].tolist() == ["B", "A"]
    assert frame["positives"].tolist() == counts.positives.tolist()
    assert frame["negatives"].tolist() == counts.negatives.tolist()
    assert counts.cases.to_frame("polars").rows() == [
        (name, frame["positives"][place] + frame["negatives"][place])
        for place, name in enumerate(["B", "A"])
    ]


def test_joint_counts_show_grades_and_grids_as_people_read_them():
    both = cap.count_joint(
        [1, 0, 1], {"g": ["B", "A", "B"], "h": ["A", "A", "B"]}, levels=["B", "A"]
    )
    assert sorted(both.to_frame("polars").rows()) == [
        ("A", "A", 0, 1),
        ("B", "A", 1, 0),
        ("B", "B", 1, 0),
    ]
    near = cap.count_joint([1, 0], {"s": [0.17, 0.31], "t": [0.5, 0.55]}, resolution=0.25)
    assert sorted(near.to_frame("polars").rows()) == [(0.0, 0.5, 1, 0), (0.25, 0.5, 0, 1)]


def test_amounts_have_a_row_for_each_different_row():
    values = cap.count_values([5, 0, 5], [0.2, 0.1, 0.2], exposure=[1, 2, 1])
    assert values.to_frame("polars").rows(named=True) == [
        {"score": 0.2, "amount": 5.0, "exposure": 1.0, "n": 2},
        {"score": 0.1, "amount": 0.0, "exposure": 2.0, "n": 1},
    ]
    joint = cap.count_joint_values([5, 0], {"s": [0.2, 0.1], "t": [1, 2]})
    assert sorted(joint.to_frame("polars").rows()) == [(0.1, 2, 0.0, 1), (0.2, 1, 5.0, 1)]


def test_missing_segments_and_dates_stay_what_they_are():
    by = [dt.date(2024, 1, 1), None] * (N // 2)
    frame = cap.evaluate(pl.Series(Y), pl.Series(ROWS["new"]), by=by).to_frame()
    assert frame["segment"].to_list() == [dt.date(2024, 1, 1), None]


def test_another_backend_is_refused():
    with pytest.raises(ValueError, match="backend must be"):
        cap.evaluate(Y, ROWS["new"]).to_frame("dask")

"""Rows with a time: what holds them, how they are read, and what is refused in one line."""

from decimal import Decimal
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.input import read_times
from capcurve.input.files import Files

TIME, EVENT, SCORE = [3, 5, 8, 8, 2], [1, 0, 1, 0, 2], [9.5, 5, 7, 2, 2]
TABLE = {"days": TIME, "status": EVENT, "s": SCORE, "vintage": ["a", "a", "b", "b", "b"]}
NAMES = {"time": "days", "event": "status", "score": "s", "stratum": "vintage"}
EXPECTED = cap.count_times(TIME, EVENT, SCORE, stratum=TABLE["vintage"])


def lazy(kind, folder, table=TABLE):
    if kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        rows = pd.DataFrame(table)
        return duckdb.from_df(rows)
    if kind == "polars lazy":
        return pl.LazyFrame(table)
    path = folder / "rows.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["duckdb", "polars lazy", "file"])
def test_what_holds_the_rows_never_matters(kind, tmp_path):
    found = cap.count_times(**NAMES, data=lazy(kind, tmp_path))
    assert found == EXPECTED
    assert found.digest() == EXPECTED.digest()


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_frames_in_memory(frame):
    assert cap.count_times(**NAMES, data=frame(TABLE)) == EXPECTED


def test_labels_compete_unless_they_are_named():
    labels = ["default" if e == 1 else "open" if e == 0 else "repaid" for e in EVENT]
    words = {"event_label": "default", "censored_label": "open"}
    found = cap.count_times(TIME, labels, SCORE, stratum=TABLE["vintage"], **words)
    assert found == EXPECTED
    assert found.competing_labels == {"repaid": 1}
    assert (found + found).competing_labels == {"repaid": 2}
    assert "competing=1: 'repaid' (1)" in repr(found)


# As in R: 1 for a censored row, 2 for the event.
AS_IN_R = {**TABLE, "status": [2, 1, 2, 1, 2]}
CODED = (
    r"status holds 1 \(2\), 2 \(3\) and no 0 for a censored row; if 1 is censored and 2 the event, "
    r"as in R, pass event_label=2, censored_label=1; if no row is censored, pass event_label=1, "
    r"censored_label=0, competing_labels=\[2\]$"
)


def test_a_table_of_times_without_a_censored_row_is_not_asked_for_labels_nobody_can_pass(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("score,time,event,n\n3,10,1,4\n2,20,2,3\n")
    message = (
        r"^event holds 1 \(4\), 2 \(3\) and no 0 for a censored row; pass labels to count_times "
        "with the rows, as read_counts takes none$"
    )
    with pytest.raises(ValueError, match=message):
        cap.read_counts(path)


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["duckdb", "polars lazy", "file", "frame"])
def test_statuses_without_a_censored_row_are_asked_about_wherever_they_are(kind, tmp_path):
    data = AS_IN_R if kind == "frame" else lazy(kind, tmp_path, AS_IN_R)
    joint = {"time": "days", "event": "status", "scores": ["s", "days"]}
    for count in (
        lambda **words: cap.count_times(**NAMES, **words),
        lambda **words: cap.count_joint_times(**joint, **words).margin("s"),
        lambda **words: sum(cap.count_time_segments(**NAMES, by="vintage", **words).values()),
    ):
        with pytest.raises(ValueError, match=CODED):
            count(data=data)
        with pytest.raises(ValueError, match=CODED):  # and are so before they are cut off
            count(data=data, until=4)
        found = count(data=data, event_label=2, censored_label=1)
        assert (found.events, found.censored) == (3, 2)
        competing = count(data=data, event_label=1, censored_label=0, competing_labels=[2])
        assert (competing.events, competing.censored) == (2, 0)
        assert competing.competing_labels == {"2": 3}


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["duckdb", "polars lazy", "file", "frame"])
@pytest.mark.parametrize("codes", [(0, 1), (0.0, 1.0), (False, True)])
@pytest.mark.parametrize("name", ["cens", "Censored", "is_censored", "isCensored"])
def test_a_column_called_as_censoring_is_asked_about_wherever_it_is(kind, codes, name, tmp_path):
    low, high = codes
    table = {"days": [3, 5, 8, 8], name: [high, low, high, high], "s": [1, 2, 3, 4]}
    data = table if kind == "frame" else lazy(kind, tmp_path, table)
    columns = {"time": "days", "event": name, "score": "s", "data": data}
    said = (
        f"^{name} holds {high} (3), {low} (1); if {high} is the event, pass event_label={high}, "
        f"censored_label={low}; if {high} is a censored row, pass event_label={low}, "
        f"censored_label={high}$"
    )
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)")):
        cap.count_times(**columns)
    for event, censored, events in ((high, low, 3), (low, high, 1)):
        found = cap.count_times(**columns, event_label=event, censored_label=censored)
        assert (found.events, found.censored) == (events, 4 - events)


def test_other_names_leave_no_doubt_and_other_codes_are_named():
    rows = {"days": [3, 5, 8], "uncensored": [0, 1, 1], "cens": [0, 1, 2], "s": [1, 2, 3]}
    assert cap.count_times("days", "uncensored", "s", data=rows).events == 2
    assert cap.count_times([3, 5], [0, 1], [1, 2]).events == 1
    with pytest.raises(ValueError, match=r"cens holds 0 \(1\), 1 \(1\), 2 \(1\); say which is"):
        cap.count_times("days", "cens", "s", data=rows)


def test_what_is_coded_as_in_r_has_the_numbers_of_its_labels():
    rows = {"time": [5, 6, 2, 9, 9, 1], "score": [6, 5, 4, 3, 2, 1], "horizon": 6}
    as_in_r = {"event": [2, 1, 2, 1, 1, 1], "event_label": 2, "censored_label": 1}
    found, expected = (
        cap.evaluate(**rows, **as_in_r),
        cap.evaluate(**rows, event=[1, 0, 1, 0, 0, 0]),
    )
    assert found.to_dict()["scores"] == expected.to_dict()["scores"]
    with pytest.raises(ValueError, match=r"event holds 1 \(4\), 2 \(2\) and no 0"):
        cap.evaluate(**rows, event=as_in_r["event"])


def test_one_segment_may_lack_what_another_has():
    words = {"by": ["a", "a", "b", "b"], "time": [1, 2, 3, 4], "score": [4, 3, 2, 1]}
    parts = cap.count_time_segments(**words, event=[1, 2, 0, 0])
    assert [(part.events, part.censored) for part in parts.values()] == [(1, 0), (0, 2)]
    labels = {"event_label": "d", "censored_label": "o"}
    assert cap.count_time_segments(**words, event=["d", "r", "o", "o"], **labels) == parts
    labels["censored_label"] = "O"
    with pytest.raises(ValueError, match="and censored_label='O' is not among them"):
        cap.count_time_segments(**words, event=["d", "r", "o", "o"], **labels)


def test_codes_other_than_those_of_r_are_not_read_as_in_r():
    for event in ([1, 2, 3.0], [2, 2, 2]):
        with pytest.raises(
            ValueError, match=r"and no 0 .*; say which is the event and which"
        ) as no:
            cap.count_times([1, 2, 3], event, [3, 2, 1])
        assert "as in R" not in str(no.value)
    assert cap.count_times([1, 2, 3], [1, 1, 1], [3, 2, 1]).events == 3


@pytest.mark.merge
def test_a_table_of_times_is_asked_about_as_rows_are(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("SCORE,TIME,EVENT,N\n3,5,2,2\n1,6,1,4\n")
    with pytest.raises(
        ValueError, match=r"EVENT holds 1 \(4\), 2 \(2\) and no 0 for a censored row"
    ):
        read_times(Files.of(path))
    found = read_times(Files.of(path), event_label=2, censored_label=1)
    assert (found.events, found.censored) == (2, 4)
    (tmp_path / "other.csv").write_text("SCORE,TIME,EVENT,N\n3,5,0,1\n")
    both = Files([str(path), str(tmp_path / "other.csv")])
    assert read_times(both).censored == 1  # files are one whole


def test_a_shard_may_lack_a_label_where_all_are_named():
    words = {"event_label": "default", "censored_label": "open", "competing_labels": ["repaid"]}
    ended = ["default", "repaid", "repaid", "open", "default", "open"]
    columns = ([1, 2, 3, 4, 5, 6], ended, [6, 5, 4, 3, 2, 1])
    shards = [cap.count_times(*(c[i : i + 2] for c in columns), **words) for i in (0, 2, 4)]
    assert sum(shards) == cap.count_times(*columns, **words)
    assert shards[0].competing_labels == {"repaid": 1}
    with pytest.raises(ValueError, match="and 'repayed' is not among competing_labels=; add it"):
        cap.count_times([1], ["repayed"], [1], **words)
    with pytest.raises(
        ValueError, match=r"event holds 1.*, and censored_label='0' is of another ty"
    ):
        cap.count_times([1], [1], [1], event_label=1, censored_label="0", competing_labels=[2])


def test_booleans_are_events_and_censored_rows():
    found = cap.count_times([1, 2], [True, False], [1, 2])
    assert (found.events, found.censored) == (1, 1)


def test_rows_that_lack_something_are_dropped_with_an_account():
    time, event, score = [3, None, 8], [1, 0, None], [1.0, 2.0, 3.0]
    found = cap.count_times(time, event, score, missing="drop")
    assert found.n == 1
    assert found.dropped == cap.counts.Dropped(2, {"time": 1, "event": 1})
    with pytest.raises(ValueError, match=r"time is missing .* in 1 of 3 rows.*missing=\"drop\""):
        cap.count_times(time, event, score)


def test_segments_add_up_to_the_whole():
    parts = cap.count_time_segments(TIME, EVENT, SCORE, by=TABLE["vintage"])
    assert [*parts] == ["a", "b"]
    assert sum(parts.values()) == cap.count_times(TIME, EVENT, SCORE)


def test_several_columns_of_segments_are_crossed():
    rows = {"by": [TABLE["vintage"], [1, 1, 2, 2, 1]], "data": None}
    parts = cap.count_time_segments(TIME, EVENT, SCORE, **rows)
    assert {str(key): part.n for key, part in parts.items()} == {"a, 1": 2, "b, 1": 1, "b, 2": 2}
    assert sum(parts.values()) == cap.count_times(TIME, EVENT, SCORE)


def test_what_a_segment_lacks_is_told_of_all_rows():
    rows = {"time": [3, 5, None, 8], "event": [1, 0, 1, 0], "score": [4, 3, 2, 1]}
    with pytest.raises(ValueError, match=r"time is missing .* in 1 of 4 rows, first in row 2"):
        cap.count_time_segments(**rows, by=["a", "a", "b", "b"])
    parts = cap.count_time_segments(**rows, by=["a", "a", "b", "b"], missing="drop")
    assert {key: (part.n, part.dropped.rows) for key, part in parts.items()} == {
        "a": (2, 0),
        "b": (1, 1),
    }


def test_columns_beside_data_are_refused_in_one_line():
    with pytest.raises(TypeError, match="columns are given by name, got ndarray for time"):
        cap.count_times(np.array(TIME), "status", "s", data=pd.DataFrame(TABLE))
    with pytest.raises(ValueError, match="by has nothing"):
        cap.count_time_segments(**NAMES, by=None, data=TABLE)


def test_clusters_fall_into_groups_that_add_up():
    found = cap.count_times(TIME, EVENT, SCORE, cluster=[1, 1, 2, 2, 3])
    assert cap.TimeCounts.merge(found.groups) == cap.count_times(TIME, EVENT, SCORE)


def test_grades_and_a_grid():
    grades = cap.count_times([1, 2, 3], [1, 0, 1], ["C", "A", "B"], levels=["C", "B", "A"])
    assert grades.to_frame("polars")["score"].to_list() == ["C", "B", "A"]
    floored = cap.count_times([1, 2, 3], [1, 0, 1], [0.11, 0.19, 0.21], resolution=0.1)
    assert floored == cap.count_times([1, 2, 3], [1, 0, 1], [0.11, 0.19, 0.21]).at_resolution(0.1)
    assert floored.at(3).thresholds.tolist() == [0.2, 0.1]


def test_times_of_all_kinds_of_ties_stand_in_one_order():
    generator = np.random.default_rng(3)
    time, event, score = (generator.integers(0, k, 400) for k in (9, 3, 4))
    rows = np.lexsort((event, time, -score))
    found = cap.count_times(time, event, score)
    distinct = dict.fromkeys(zip(score[rows], time[rows], event[rows], strict=True))
    assert [*zip(found.score, found.time, found.status, strict=True)] == [*distinct]
    halves = cap.count_times(time / 2, event, score)
    assert [*zip(halves.score, 2 * halves.time, halves.status, strict=True)] == [*distinct]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"time": [1, -2, 3]}, r"time is negative in 1 of 3 rows, first in row 1 \(-2\)"),
        ({"time": [1, np.inf, 3]}, "time is infinite in row 1"),
        ({"time": ["1d", "2d", "3d"]}, "time holds text such as '1d'; pass numbers$"),
        ({"time": np.array([1, 2, 3], "m8[D]")}, "time holds dates or durations"),
        ({"event": [0.5, 0, 1]}, "event holds 0.5; a status is 0 for censored"),
        ({"event": [-1, 0, 1]}, "event holds -1; a status"),
        ({"event": ["x", "y", "z"]}, r"'x' \(1\), 'y' \(1\), 'z' \(1\); say which .* event_label="),
        ({"event_label": "x"}, "event_label= and censored_label= go together"),
        ({"event_label": 1, "censored_label": 1.0}, "are both 1"),
        ({"competing_labels": 2}, "competing_labels= goes with event_label= and censored_label="),
        (
            {"event_label": 1, "censored_label": 0, "competing_labels": [2, 0.0]},
            "competing_labels= names 0.0 too; leave it out",
        ),
        ({"event_label": "1", "censored_label": 0}, "and event_label='1' is of another type"),
        (
            {"event_label": 1, "censored_label": 3},
            r" 0 \(1\), and censored_label=3 is not among them; if .* with competing_labels=\[0\]$",
        ),
        (
            {"event": ["a", "b", "b"], "event_label": "x", "censored_label": "y"},
            r"event holds 'a' \(1\), 'b' \(2\), and neither .*='x' nor .*='y' is among them",
        ),
        ({"until": "12m"}, "until must be a number above 0"),
        ({"time_resolution": 0}, "time_resolution must be a number above 0"),
        ({"score": ["a", "b", "c"]}, "score holds text"),
        ({"time": [1, 2]}, "time has 2 rows and event has 3"),
    ],
)
def test_refusals_of_rows(words, said):
    rows = {"time": [1, 2, 3], "event": [1, 0, 1], "score": [3, 2, 1]}
    with pytest.raises((ValueError, TypeError), match=said) as refused:
        cap.count_times(**rows | words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("horizon", [0, -1, np.inf, np.nan, "12m", None, True])
def test_refusals_of_horizons(horizon):
    for ask in (EXPECTED.at, EXPECTED.known_at):
        with pytest.raises(ValueError, match="horizon must be a number above 0"):
            ask(horizon)


@pytest.mark.parametrize("kind", ["duckdb", "polars lazy", "file", "frame", "uint64"])
def test_times_that_a_float_would_round_are_refused_wherever_they_are(kind, tmp_path):
    table = {**TABLE, "days": [2**53, 2**53 + 1, 5, 5, 5]}
    if kind == "uint64":
        table["days"] = np.array(table["days"], np.uint64)
    data = table if kind in ("frame", "uint64") else lazy(kind, tmp_path, table)
    said = r"days holds 9007199254740993, which a float would round \(1 such row\); scale it"
    with pytest.raises(ValueError, match=said):
        cap.count_times(**NAMES, data=data)
    with pytest.raises(ValueError, match=said):
        cap.count_time_segments(**NAMES, by="s", data=data)


def test_times_beyond_2_to_the_53_that_floats_hold_are_counted():
    # Two units apart are two times: the event comes after the horizon.
    found = cap.count_times([2**53, 2**53 + 2, 5], [0, 1, 0], [1, 2, 3])
    assert found.at(2**53).n1 == 0
    assert found.at(2**53 + 2).n1 > 0


@pytest.mark.parametrize("number", [2**53 + 1, np.uint64(2**53 + 1), Decimal(2**53 + 1)])
def test_horizons_that_a_float_would_round_are_refused(number):
    for ask in (
        EXPECTED.at,
        EXPECTED.known_at,
        lambda horizon: cap.horizon_table(cap.count_times(TIME, EVENT, SCORE), [1, horizon]),
        lambda until: cap.count_times(TIME, EVENT, SCORE, until=until),
        lambda step: cap.count_times(TIME, EVENT, SCORE, time_resolution=step),
    ):
        with pytest.raises(
            ValueError, match=r" is .*9007199254740993.*, which a float would round"
        ):
            ask(number)


def test_bounds_hold_to_the_grid_and_the_end_of_the_times():
    words = {"time": [3, 5, 8], "event": [1, 0, 1], "score": [3, 2, 1]}
    coarse = cap.count_times(**words, time_resolution=5)
    for ask in (coarse.at, coarse.known_at):  # an event at 3 stands at 5
        with pytest.raises(ValueError, match="the horizon 4 is not on; choose a multiple of 5"):
            ask(4)
    with pytest.raises(ValueError, match="until=6, before the horizon 8; choose at most 6"):
        cap.count_times(**words, until=6).known_at(8)


def test_long_horizons_are_told_apart():
    times = cap.count_times([31536000, 31536009], [1, 0], [3, 2])
    with pytest.raises(ValueError, match="at 31536009, before the horizon 31536010; choose at"):
        times.at(31536010)
    columns = {"time": [1, 31536001, 31536009], "event": [1, 1, 0]}
    horizons = pd.Series([31536000, 31536002])
    found = cap.evaluate(**columns, score=[3, 2, 1], horizon=horizons)
    assert list(found.counts) == ["score within 31536000", "score within 31536002"]


def test_the_last_censored_row_of_a_stratum_bounds_the_horizon():
    times = cap.count_times([1, 5, 9], [1, 0, 0], [3, 2, 1], stratum=["x", "x", "y"])
    assert times.last_followed == 5
    with pytest.raises(
        ValueError, match=r"the last row of stratum x was censored at 5, .* horizon 6; .* at most 5"
    ):
        times.at(6)
    assert times.at(5).n == 3
    censored = cap.count_times([1, 2], [0, 0], [1, 2])
    with pytest.raises(ValueError, match="the last row was censored at 2, before the horizon 3"):
        censored.at(3)


def test_a_horizon_that_leaves_no_class_names_one_that_does():
    rows = {"time": [3, 5, 8, 2, 4], "event": [1, 1, 1, 0, 2], "score": [5, 4, 3, 2, 1]}
    times, excluded = cap.count_times(**rows), {"competing": "excluded"}
    for horizon in (8, 100):
        below = r"no negatives among .*; choose a horizon below 8$"
        with pytest.raises(ValueError, match=below):
            cap.accuracy_ratio(times.at(horizon, **excluded))
        assert times.at(horizon).n0 == pytest.approx(1.25)  # the row that competes
        assert times.at(7.9, **excluded).n0 > 0
    with pytest.raises(ValueError, match=r"no positives among .*; choose a horizon of at least 3$"):
        cap.roc_auc(times.at(2.9))
    assert times.at(3).n1 > 0
    joint = cap.count_joint_times([3, 8], [1, 1], {"a": [1, 2], "b": [2, 1]}).at(8)
    with pytest.raises(
        ValueError, match=r"no negatives among the 2 cases.*; choose a horizon below"
    ):
        cap.roc_auc(joint.margin("a"))
    for never in (cap.count_times([1, 2], [0, 0], [1, 2]).at(2), cap.count_scores([0, 0], [1, 2])):
        with pytest.raises(ValueError, match=r"so this is undefined$"):
            cap.roc_auc(never)


def test_a_change_at_a_depth_and_a_horizon_is_tested():
    before, after = (
        followed(lambda score: np.exp(score - 1), seed=seed).at(0.5) for seed in (1, 2)
    )
    for asked in ({"metric": "lift", "q": 0.2}, {"metric": "captured_response", "q": 0.1}):
        found = cap.attribute_change(before, after, **asked)
        one, other = (
            cap.confidence_interval(each, asked["metric"], q=asked["q"], method="wald")
            for each in (before, after)
        )
        assert found.change.estimate == pytest.approx(other.estimate - one.estimate)
        assert found.change.se == pytest.approx(np.hypot(one.se, other.se), rel=0.1)
        assert "not_tested" not in {each.code for each in found.findings}
    alone = cap.attribute_change(before, after).change
    assert alone.p_value == cap.compare_independent(after, before).p_value
    few = cap.attribute_change(*(cap.count_scores([1, 0, 0], [1, 2, 3]),) * 2)
    assert "is not tested: a class has fewer than two cases" in few.sentence


def test_unlike_parts_and_weights_do_not_add():
    plain = cap.count_times(TIME, EVENT, SCORE)
    with pytest.raises(ValueError, match="stratified"):
        plain + EXPECTED
    with pytest.raises(ValueError, match="until"):
        plain + cap.count_times(TIME, EVENT, SCORE, until=8)
    with pytest.raises(ValueError, match="add the TimeCounts"):
        plain.at(8) + plain.at(8)
    with pytest.raises(ValueError, match="add the TimeCounts"):
        cap.count_scores(EVENT[:4], SCORE[:4]) + plain.at(8)
    with pytest.raises(ValueError, match=r"save \.times"):
        plain.at(8).to_dict()
    with pytest.raises(TypeError, match=r"write unknown_bounds\(times\.known_at\(8\)\)"):
        cap.unknown_bounds(plain.at(8))
    with pytest.raises(ValueError, match="no positives among the 5 cases"):
        cap.roc_auc(cap.count_times(TIME, [0] * 5, SCORE).at(8))
    joint = cap.count_joint_times(TIME, EVENT, {"new": SCORE, "old": TIME}).at(8)
    with pytest.raises(ValueError, match=r"^metric must be one of .*; got 'ks'$"):
        cap.compare(joint, metric="ks")
    with pytest.raises(TypeError, match=r"needs a horizon.*roc_auc\(times\.at\(365\)\)"):
        cap.roc_auc(plain)


def test_every_curve_table_and_summary_takes_a_horizon():
    rows = cap.count_times(np.arange(1, 41), np.arange(40) % 3, np.arange(40) % 7)
    found = rows.at(30)
    assert cap.cap_curve(found).area == pytest.approx(
        0.5 + cap.accuracy_ratio(found) * (1 - found.prevalence) / 2
    )
    assert cap.gains_table(found, bins=4).columns["n"].sum() == pytest.approx(40)
    summary = cap.summarize(found)
    plain = cap.summarize(cap.count_scores(np.arange(40) % 3 == 1, np.arange(40) % 7))
    assert [*summary.intervals] == [*plain.intervals]
    assert summary.verdict is not None
    assert found.at_resolution(2).horizon == 30
    assert found.known_rows == (found.weights.positive_rows, found.weights.negative_rows)
    assert sum(found.known_rows) + found.unknown == 40
    band = cap.cap_band(found, seed=1)
    assert (band.low <= band.estimate).all()
    assert (band.estimate <= band.high).all()
    for ask in (cap.ks_test, cap.null_band, cap.monotonicity_test):  # deal labels to whole rows
        with pytest.raises(ValueError, match=r"^[^\n]*weight[^\n]*$"):
            ask(found)


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_the_gains_table_counts_the_rows_of_each_bin(higher_is):
    # Nothing is known of the scores 0.5 and 9, of which all rows are censored at once.
    score = np.append(np.tile(np.arange(1, 9), 9), [0.5, 0.5, 4.5, 9])
    time = np.append(np.arange(1, 73), [0, 0, 0, 0])
    event = np.append(np.arange(72) % 3, [0, 0, 0, 0])
    counts = cap.count_times(time, event, score, higher_is=higher_is).at(40)
    table = cap.gains_table(counts, bins=[6, 3] if higher_is == "positive" else [3, 6])
    assert len(table) == 3
    cut = score if higher_is == "positive" else -score
    ends = np.sort([6, 3] if higher_is == "positive" else [-6, -3])[::-1]
    above = [int((cut >= end).sum()) for end in ends]
    assert table["rows"].tolist() == [above[0], above[1] - above[0], 76 - above[1]]
    assert "rows" not in cap.gains_table(cap.count_scores(event == 1, score)).columns
    assert "rows" in cap.evaluate(counts).to_html()


def test_average_precision_of_ties_does_not_jump_as_censoring_vanishes():
    # A row that is censored at once leaves the others with equal weights, so nothing changes.
    score, event = np.arange(40) % 5, (np.arange(40) * 7) % 3 % 2
    times = cap.count_times(np.append(np.full(40, 4), 0), np.append(event, 0), np.append(score, 2))
    found, plain = times.at(4), cap.count_scores(event, score)
    assert found.largest_weight == pytest.approx(41 / 40)
    for ties in ("expected", "threshold"):
        expected = cap.average_precision(plain, ties=ties)
        assert cap.average_precision(found, ties=ties) == pytest.approx(expected, rel=1e-14)


def test_a_validation_sheet_says_what_is_censored():
    times = followed(lambda score: np.full(len(score), 0.5))
    counts = times.at(0.5)
    sheet = cap.validate(counts)
    ratio = sheet.tests["discrimination.accuracy_ratio"]
    interval = cap.confidence_interval(counts, "ar")
    assert (ratio.estimate, ratio.low, ratio.high) == tuple(
        getattr(interval, name) for name in ("estimate", "low", "high")
    )
    assert f"{counts.unknown / times.n:.1%} of the rows are censored before 0.5" in str(sheet)
    bounds = cap.unknown_bounds(times.known_at(0.5))
    assert bounds.sentence in str(sheet).replace("\n", " ")


def test_a_perfect_score_has_newcombes_limits():
    found = cap.count_times([1, 2, 3, 4, 5, 6], [1, 1, 0, 1, 0, 0], [9, 8, 1, 7, 2, 3]).at(5)
    interval = cap.confidence_interval(found, "roc_auc")
    assert (interval.estimate, interval.high, interval.method) == (1, 1, "newcombe")
    assert 0.3 < interval.low < 0.9


def test_precision_without_spread_has_about_the_limits_of_rows_all_known():
    # All of the 30 best rows have the event; three rows at the end are censored.
    score, event = np.arange(300)[::-1], np.r_[np.ones(30), np.tile([1, 0], 135)].astype(int)
    time = np.where(np.arange(300) < 295, 5, 0) + 7 * (event == 0)
    found = cap.confidence_interval(cap.count_times(time, event, score).at(12), "precision", q=0.1)
    assert found.estimate == found.high == 1
    known = cap.confidence_interval(cap.count_scores(event, score), "precision", q=0.1)
    assert found.low == pytest.approx(known.low, abs=0.004)


def test_limits_of_clustered_rows_leave_out_groups():
    generator = np.random.default_rng(5)
    score = generator.normal(size=300)
    time = np.ceil(generator.exponential(500 / np.exp(score)))
    left = np.ceil(generator.uniform(50, 900, 300))
    rows = [np.repeat(each, 4) for each in (np.minimum(time, left), time <= left, score)]
    apart = cap.count_times(*rows).at(300)
    together = cap.count_times(*rows, cluster=np.repeat(np.arange(300), 4)).at(300)
    assert together == apart
    for name, more in (("ar", {}), ("captured", {"q": 0.2}), ("prevalence", {})):
        one, other = (cap.confidence_interval(c, name, **more) for c in (apart, together))
        assert other.method == "jackknife"
        assert other.se == pytest.approx(2 * one.se, rel=0.25)
    several = {"a": rows[2], "b": -rows[2]}
    joint = cap.count_joint_times(*rows[:2], several, cluster=np.repeat(np.arange(300), 4))
    found = cap.compare(joint.at(300)).pairs[0]
    assert found.se == pytest.approx(2 * cap.confidence_interval(together, "ar").se, rel=1e-6)


def followed(rate, rows=400, seed=8, **words):
    """Return times of rows that leave at rates of their own, and the score that they have."""
    generator = np.random.default_rng(seed)
    score = generator.normal(size=rows)
    event_at = generator.exponential(1 / np.exp(score))
    left_at = generator.exponential(1 / rate(score))
    return cap.count_times(np.minimum(event_at, left_at), event_at <= left_at, score, **words)


def codes(times, horizon):
    return {f.code: f for f in cap.summarize(times.at(horizon)).findings}


def test_a_summary_says_how_many_rows_are_censored():
    times = followed(lambda score: np.full(len(score), 0.5))
    summary = cap.summarize(times.at(0.5))
    share = times.at(0.5).unknown / times.n
    assert summary.sentence.startswith("Within 0.5, the top 10% of cases contain ")
    rate = times.at(0.5).prevalence
    about = f"{rate:.1%} positives by then, estimated; {share:.1%} censored before"
    assert summary.sentence.endswith(f" for 400 rows ({about}).")
    found = codes(times, 0.5)
    assert found["censored_before"].message.startswith(f"{share:.1%} of the rows are censored")
    assert not {"censoring_follows_score", "few_followed"} & set(found)
    assert "censored_before" not in {f.code for f in cap.summarize([1, 0], [2, 1]).findings}


def test_censoring_that_goes_with_the_score_is_found():
    found = codes(followed(np.exp), 0.5)["censoring_follows_score"]
    assert "rows with higher scores are censored earlier (p" in found.message
    found = codes(followed(lambda score: np.exp(-2 * score)), 0.5)["censoring_follows_score"]
    assert "rows with higher scores are censored later (p" in found.message


def test_rows_followed_are_counted_in_the_stratum_that_has_fewest_or_in_all():
    times = [1.0, 2.0, 9.0, *([9.0] * 30), *([1.0] * 8), *([9.0] * 3)]
    event = [1, 0, 0, *([0] * 30), *([1] * 8), *([0] * 3)]
    stratum = [*(["a"] * 33), *(["b"] * 11)]
    found = cap.count_times(times, event, np.arange(44) % 7, stratum=stratum)
    assert codes(found, 5)["few_followed"].message.startswith(
        "only 3 rows of stratum b are followed to 5"
    )
    # 15 of 16 rows at risk are censored, and one of them stands for all in its stratum.
    times, event = [2.0] * 165 + [9.0] * 15 + [1.0] * 5 + [9.0] * 20, [0] * 180 + [1] * 5 + [0] * 20
    found = cap.count_times(times, event, np.arange(205) % 7, stratum=["a"] * 180 + ["b"] * 25)
    assert codes(found, 5)["few_followed"].message == (
        "35 rows are followed to 5, and one row counts as up to 12"
    )


def test_few_followed_rows_and_a_deciding_assumption_are_found():
    times = followed(lambda score: np.full(len(score), 2.0), rows=3000)
    late = float(np.sort(times.time)[-4])
    found = codes(times, late)
    assert "only 4 rows are followed to" in found["few_followed"].message
    assert "assumption_decides" in found
    bounds = cap.unknown_bounds(times.known_at(late))
    _, _, said = found["assumption_decides"].message.replace("−", "-").partition("anything from ")
    low, high = map(float, said.split(" to "))
    assert bounds.low - 0.001 < low <= bounds.low
    assert bounds.high <= high < bounds.high + 0.001


def test_the_legend_says_what_is_positive_by_when():
    counts = followed(lambda score: np.full(len(score), 0.5)).at(0.5)
    ax = cap.plot_cap(counts)
    texts = [text.get_text() for text in ax.figure.findobj(match=plt.Text)]
    said = (
        f"{counts.prevalence:.1%} positives within 0.5, {counts.unknown / 400:.1%} censored before"
    )
    assert any(said in text for text in texts)
    plt.close(ax.figure)


@pytest.mark.merge
def test_a_report_shows_what_is_assumed_of_the_censored_rows():
    rows = {**ROWS, "score": "s1", "data": FOLLOWUP}
    one, several = (cap.evaluate(**rows, horizon=each) for each in (400, [200, 400]))
    assert one.title == "How well s1 ranks status within 400 (time)"
    assert [*one.counts] == ["s1"]
    times = cap.count_times(**rows)
    known = times.known_at(400)
    bounds = cap.unknown_bounds(known)
    (row,) = one.to_dict()["horizons"]
    assert row == several.to_dict()["horizons"][1]
    assert (row["at_risk"], row["unknown"]) == (times.rows(times.time >= 400), known.unknown.n)
    assert (row["least"], row["most"]) == pytest.approx((bounds.low, bounds.high))
    assert row["left_out"] == cap.accuracy_ratio(known.known)
    negative = cap.count_scores(
        (times.time <= 400) & (times.status == 1), times.score.astype(float), weight=times.cases,
        weight_kind="frequency",
    )  # fmt: skip
    assert row["as_negatives"] == cap.accuracy_ratio(negative)
    assert several.title == "How well s1 ranks status within 200 and 400 (time)"
    said = "The accuracy ratio of s1 is 0.534 within 200 and 0.636 within 400."
    assert str(several).startswith(f"{several.title}\n\n{said}")
    for found in (one, several):
        page = found.to_html()
        assert "Rows followed for longer also count in the place of those" in str(found)
        assert "[0.468, 0.672]" in page
        assert ("incidence, share censored before" in page) == (found is several)
        assert "look at the bounds" not in page + str(found)


@pytest.mark.merge
def test_a_warning_that_later_horizons_make_graver_is_said_once():
    times = followed(lambda score: np.full(len(score), 2.0), rows=3000)
    late = [float(np.sort(times.time)[-place]) for place in (60, 20)]
    found = cap.evaluate({f"s within {t!r}": times.at(t) for t in late})
    codes = [{f.code for f in summary.findings} for summary in found.summaries.values()]
    assert all("assumption_decides" in each for each in codes)
    for shown in (str(found), found.to_html()):
        assert shown.count("the accuracy ratio may be anything from") == 1


def test_a_report_without_censored_rows_says_nothing_of_them():
    rows = {"time": [3, 5, 8, 9], "event": [1, 1, 1, 0], "score": [9, 5, 7, 2]}
    found = cap.evaluate(**rows, horizon=8)
    assert found.horizons == ()
    assert "id=horizons" not in found.to_html()


def test_rows_by_what_became_of_them_add_up_to_all():
    # At 5 there are an event, a competing event and a censored row, which is followed through it.
    time, event = [2, 5, 5, 5, 3, 4, 8, 9], [1, 1, 2, 0, 0, 2, 1, 0]
    rows = {"time": time, "event": event, "score": [8, 7, 6, 5, 4, 3, 2, 1]}
    expected = {"followed": 3, "positives": 2, "competing": 2, "unknown": 1}
    found = cap.evaluate(**rows, horizon=5)
    (row,) = found.horizons
    assert {name: row[name] for name in expected} == expected
    assert sum(expected.values()) == row["rows"] == 8
    assert row["at_risk"] == 5
    table = cap.horizon_table(cap.count_times(**rows), [5])
    assert {name: int(table[name][0]) for name in expected} == expected
    for shown in (str(found), found.to_html()):
        assert "competing" in shown
    excluded = cap.evaluate(**rows, horizon=5, competing="excluded").horizons[0]
    assert {name: excluded[name] for name in expected} == expected


@pytest.mark.parametrize("score", [[1, 2, 3, 4], {"new": [1, 2, 3, 4], "old": [4, 2, 3, 1]}])
def test_competing_events_are_shown_where_nothing_is_censored_before(score):
    rows = {"time": [3, 5, 8, 9], "event": [1, 2, 1, 0], "score": score, "horizon": 8}
    found = cap.evaluate(**rows)
    shown = [(row["followed"], row["positives"], row["competing"]) for row in found.horizons]
    assert shown == [(1, 2, 1)] * (2 if isinstance(score, dict) else 1)
    assert all(row["accuracy_ratio"] == row["least"] == row["most"] for row in found.horizons)
    assert "id=horizons" in found.to_html()


FOLLOWUP = Path(__file__).parents[1] / "oracles" / "data" / "horizon_followup.csv"
ROWS = {"time": "time", "event": "status", "stratum": "vintage"}


def test_a_horizon_that_is_named_twice_is_one():
    once = cap.evaluate(**ROWS, score="s1", horizon=400, data=FOLLOWUP)
    twice = cap.evaluate(**ROWS, score="s1", horizon=[400, 400.0], data=FOLLOWUP)
    assert twice.title == once.title == "How well s1 ranks status within 400 (time)"
    assert twice.counts == once.counts


@pytest.mark.merge
def test_an_evaluation_of_several_horizons(tmp_path):
    found = cap.evaluate(**ROWS, score="s1", horizon=[200, 400], data=FOLLOWUP)
    assert [*found.counts] == ["s1 within 200", "s1 within 400"]
    times = cap.count_times(score="s1", data=FOLLOWUP, **ROWS)
    assert found.counts["s1 within 400"] == times.at(400)
    assert "not compared" not in str(found)
    several = cap.evaluate(**ROWS, score=["s1", "s2"], horizon=[200, 400], data=FOLLOWUP)
    assert "numbers by several horizons are not compared" in str(several)
    assert "count them together" not in str(several)
    for ending in ("html", "xlsx", "json"):
        found.save(tmp_path / f"report.{ending}")
    assert "s1 within 400" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.merge
def test_an_evaluation_of_several_scores_compares_them_by_one_horizon():
    frame = pd.read_csv(FOLLOWUP)
    found = cap.evaluate(**ROWS, score=["s1", "s2"], horizon=400, data=frame)
    joint = cap.count_joint_times(scores=["s1", "s2"], data=frame, **ROWS)
    expected = cap.compare(joint.at(400)).pairs[0]
    assert found.comparison.pairs[0] == expected
    columns = {name: frame[column] for name, column in ROWS.items()}
    scores = {name: frame[name] for name in ("s1", "s2")}
    assert cap.evaluate(**columns, score=scores, horizon=400).comparison.pairs[0] == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"target": "status"}, "target= does not go with time="),
        ({"by": "vintage"}, "by= does not go with time="),
        ({"weight": "s2"}, "weight= does not go with time="),
        ({"score": None}, "needs a score beside time= and event="),
        ({"horizon": None}, "needs time=, event= and horizon= together"),
        ({"horizon": []}, "horizon is empty"),
        ({"horizon": "12m"}, "horizon must be a number above 0"),
    ],
)
def test_refusals_of_an_evaluation(words, said):
    with pytest.raises((ValueError, TypeError), match=said) as refused:
        cap.evaluate(**{**ROWS, "score": "s1", "horizon": 400, "data": FOLLOWUP, **words})
    assert "\n" not in str(refused.value)
    with pytest.raises(ValueError, match="competing= goes with time=, event= and horizon="):
        cap.evaluate("status", "s1", FOLLOWUP, competing="excluded")


def test_a_stratum_has_one_name_whether_or_not_missing_values_made_it_a_fraction():
    rows = pd.DataFrame({"days": [3, 5, 8], "status": [1, 0, 1], "s": [3, 2, 1], "v": [1, 2, 2]})
    lacking = rows.assign(v=[1, 2, None])  # pandas makes it a column of floats
    found = cap.count_times("days", "status", "s", stratum="v", data=lacking, missing="drop")
    whole = cap.count_times("days", "status", "s", stratum="v", data=rows)
    assert found.strata == whole.strata == ("1", "2")
    assert (found + whole).strata == ("1", "2")


def test_labels_that_no_row_has_are_named_and_no_row_needs_none():
    words = {"event_label": "default", "censored_label": "open"}
    with pytest.raises(
        ValueError,
        match=r"^event holds 'repaid' \(2\), and neither event_label='default' nor "
        r"censored_label='open' is among them$",
    ):
        cap.count_times([3, 5], ["repaid", "repaid"], [1, 2], **words)
    assert cap.count_times([3], [None], [1], missing="drop", **words).n == 0
    assert cap.count_times([3], [None], [1], missing="drop").n == 0


def test_bounds_and_naive_answers_leave_out_competing_events_where_the_number_does():
    columns = ([1, 2, 4, 9, 9, 9, 9], [0, 2, 1, 0, 2, 0, 1], [5, 9, 6, 3, 1, 4, 8])
    times = cap.count_times(*columns)
    found = cap.evaluate(
        time=columns[0], event=columns[1], score=columns[2], horizon=8, competing="excluded"
    )
    (row,) = found.to_dict()["horizons"]
    # Known by 8 are one positive (6) and four negatives (8, 4, 3, 1); 5 is censored before.
    assert row["left_out"] == 0.5
    assert row["as_negatives"] == 3 / 5
    assert (row["least"], row["most"]) == (0.5, 3 / 5)
    known = times.known_at(8, competing="excluded")
    bounds = cap.unknown_bounds(known)
    assert (bounds.low, bounds.high, known.n) == (0.5, 3 / 5, 6)
    with pytest.raises(TypeError, match=r'write .*known_at\(8, competing="excluded"\)\)$'):
        cap.unknown_bounds(times.at(8, competing="excluded"))
    with pytest.raises(ValueError, match="competing must be"):
        times.known_at(8, competing="left out")

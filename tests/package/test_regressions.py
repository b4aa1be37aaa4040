"""Faults that were found once and must not come back, each with the data that showed it."""

import datetime as dt
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import capcurve as cap
from capcurve.counts import Dropped
from capcurve.numbers.whole import write_whole

BIG = 2**53


def test_a_null_beside_large_integers_rounds_nothing():
    for gap in (float("nan"), None):
        found = cap.count_scores([1, 0, 1], [BIG + 1, BIG, gap], missing="drop")
        assert found.score.tolist() == [BIG + 1, BIG]
    nullable = pd.array([BIG + 1, BIG, None], dtype="Int64")
    found = cap.count_scores([1, 0, 1], nullable, missing="drop")
    assert found.score.tolist() == [BIG + 1, BIG]


def test_integers_wider_than_64_bits_are_exact_or_refused():
    values = "(1, 9007199254740993::hugeint), (0, 9007199254740992::hugeint)"
    huge = duckdb.sql(f"select * from (values {values}) t(y, s)")  # noqa: S608 - numbers above
    assert cap.count_scores("y", "s", data=huge).score.tolist() == [BIG + 1, BIG]
    too_wide = duckdb.sql("select 1 as y, 170141183460469231731687303715884105727::hugeint as s")
    with pytest.raises(ValueError, match="beyond 64-bit"):
        cap.count_scores("y", "s", data=too_wide)
    frame = pl.DataFrame({"y": [1, 0], "s": [BIG + 1, BIG]}, schema_overrides={"s": pl.Int128})
    for data in (frame, frame.lazy()):
        assert cap.count_scores("y", "s", data=data).score.tolist() == [BIG + 1, BIG]


def test_repeated_frequencies_do_not_wrap_around():
    rows = {"y": [1] * 8 + [0], "s": [1.0] * 8 + [2.0], "w": [2**61] * 8 + [1]}
    for data in (pl.DataFrame(rows), pl.LazyFrame(rows)):
        with pytest.raises(ValueError, match=r"2\^62"):
            cap.count_scores("y", "s", data=data, weight="w", weight_kind="frequency")


def test_a_grid_is_right_for_large_scores():
    large = [2.0**52, 2.0**52 + 1, 2.0**52 + 2]
    found = cap.count_scores([1, 0, 1], large, resolution=1.0)
    assert found.thresholds.tolist() == large[::-1]
    with pytest.raises(ValueError, match="too fine"):
        cap.count_scores([1, 0], [1e300, 1.0], resolution=1e-10)


def test_grid_values_are_the_decimals_that_were_typed():
    found = cap.count_scores([1, 0], [0.95, 0.2], resolution=0.3)
    assert found.thresholds.tolist() == [0.9, 0.0]
    assert cap.operating_point(found, threshold=0.9).tp == 1


@pytest.mark.parametrize(
    ("cut", "selected"),
    [
        (BIG + 1, 2),
        (float(BIG), 3),
        (BIG + 0.0, 3),
        (Decimal(BIG + 1), 2),
        (10**30, 0),
        (-(10**30), 4),
    ],
)
def test_cut_offs_are_compared_exactly(cut, selected):
    counts = cap.count_scores([1, 0, 1, 0], [BIG, BIG + 1, 2**63 - 1, 5])
    assert cap.operating_point(counts, threshold=cut).q == selected / 4


def test_names_in_a_mapping_name_the_scores():
    data = {"y": [1, 0, 1], "pd": [3, 2, 1]}
    frames = [pl.DataFrame(data), pl.LazyFrame(data), data]
    for frame in frames:
        assert list(cap.evaluate("y", {"new": "pd"}, data=frame).counts) == ["new"]
        twice = cap.evaluate("y", {"new": "pd", "old": "pd"}, data=frame)
        assert list(twice.counts) == ["new", "old"]
        assert cap.count_joint("y", {"a": "pd", "b": "pd"}, data=frame).names == ("a", "b")


@pytest.mark.parametrize("unordered", [{1, 2, 3}, frozenset([1, 2, 3]), {1: 1, 2: 2, 3: 3}])
def test_what_has_no_order_is_no_column(unordered):
    with pytest.raises(TypeError, match="must be a column of values"):
        cap.count_scores([1, 0, 1], unordered)


@pytest.mark.parametrize("single", [np.array(3), np.float64(3)])
def test_a_single_value_is_no_column(single):
    with pytest.raises(TypeError, match="must be a column of values"):
        cap.count_scores([1], single)


@pytest.mark.parametrize("weight", [1.0, 0.1, 0.3, 7.0, 1e-200])
def test_equal_weights_keep_every_place_of_ks(weight):
    cells = {-2.5: (1, 0), -2: (2, 4), -1: (2, 0), -0.75: (3, 2), 2.25: (3, 4)}
    y = [label for p, n in cells.values() for label in [1] * p + [0] * n]
    s = [score for score, (p, n) in cells.items() for _ in range(p + n)]
    plain = cap.count_scores(y, s, higher_is="negative")
    weighted = cap.count_scores(y, s, weight=[weight] * len(y), higher_is="negative")
    expected = [place.threshold for place in cap.ks(plain).places]
    assert len(expected) == 2
    assert [place.threshold for place in cap.ks(weighted).places] == expected


def test_a_class_whose_weight_is_gone_is_refused_for_every_kind():
    for kind in (None, "frequency", "sampling", "exposure"):
        with pytest.raises(ValueError, match="zero for all 2 positives"):
            cap.count_scores([1, 0, 1, 0], [1, 2, 3, 4], weight=[0, 1, 0, 1], weight_kind=kind)
    with pytest.raises(ValueError, match="zero for all 1 positives"):
        cap.count_scores(
            [1, 0, 1, 0],
            [1, 2, None, 4],
            weight=[0, 1, 1, 1],
            weight_kind="sampling",
            missing="drop",
        )


def test_profits_of_large_weights():
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1], weight=[1e300] * 4)
    best = cap.best_thresholds(counts, "profit", value=1e10, cost=1e9)
    assert [point.threshold for point in best] == [2]
    with pytest.raises(ValueError, match="beyond what a float holds"):
        cap.profit_curve(counts, value=1e10, cost=1e9)
    with pytest.raises(ValueError, match="beta must be from 0 to"):
        cap.best_thresholds(counts, "f_beta", beta=1e200)


DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]


@pytest.mark.parametrize("null", [False, True])
def test_segments_of_days_are_days_whatever_holds_them(null):
    days = [*DAYS, None] if null else DAYS
    rows = {"y": [1, 0, 1][: len(days)], "s": [3, 2, 1][: len(days)]}
    midnights = [day and dt.datetime.combine(day, dt.time()) for day in days]
    frames = [
        pl.DataFrame({**rows, "day": days}),
        pl.LazyFrame({**rows, "day": days}),
        pl.DataFrame({**rows, "day": midnights}),
        pd.DataFrame({**rows, "day": pd.to_datetime(pd.Series(days))}),
        pa.table({**rows, "day": days}),
        {**rows, "day": days},
        {**rows, "day": midnights},
    ]
    for frame in frames:
        assert list(cap.count_segments("y", "s", by="day", data=frame)) == days


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC"])
def test_a_day_is_the_day_on_the_wall(zone):
    naive = pd.to_datetime(pd.Series(DAYS))
    rows = {"y": [1, 0], "s": [2, 1]}
    local = pd.DataFrame({**rows, "day": naive.dt.tz_localize(zone)})
    for frame in (local, pl.from_pandas(local), pl.from_pandas(local).lazy()):
        assert list(cap.count_segments("y", "s", by="day", data=frame)) == DAYS


def test_the_order_of_segments_is_not_that_of_the_rows():
    rows = pl.DataFrame({"y": [1, 0, 1], "s": [1, 2, 3], "g": ["b", "a", "c"]})
    for turned in (rows, rows.reverse()):
        kinds = [
            turned.with_columns(pl.col("g").cast(pl.Categorical)),
            turned.lazy(),
            turned.to_arrow().set_column(2, "g", turned.to_arrow()["g"].dictionary_encode()),
            turned.to_pandas().astype({"g": "category"}),
        ]
        for frame in kinds:
            assert list(cap.count_segments("y", "s", by="g", data=frame)) == ["a", "b", "c"]


def test_a_duckdb_enum_is_a_grade():
    with duckdb.connect() as connection:
        connection.execute("create type grade as enum ('A', 'B', 'C')")
        rows = connection.sql("select * from (values (1, 'C'::grade), (0, 'A'::grade)) t(y, g)")
        assert cap.count_scores("y", "g", data=rows).levels == ("C", "B", "A")


def test_equality_and_digest_agree():
    count = cap.ScoreCounts.from_counts
    pairs = [
        (count([BIG + 1], [1], [1]), count([float(BIG)], [1], [1])),
        (count([2**60, 5], [1, 1], [1, 1]), count([2.0**60, 5.0], [1, 1], [1, 1])),
        (cap.count_scores([1, 0], [1, 2]), cap.count_scores([1, 0], [1, 2], weight=[1, 1])),
        (count([True], [1], [1]), count([1.0], [1], [1])),
    ]
    for one, other in pairs:
        assert (one == other) == (one.digest() == other.digest())
    assert [one == other for one, other in pairs] == [False, True, False, True]


def test_the_account_of_lost_rows_is_in_the_order_of_naming():
    rows = {"y": [1, 0, 1, None], "a": [1, None, 3, 4], "b": [None, 2, 3, 4]}
    frames = [pl.DataFrame(rows), pl.LazyFrame(rows), rows]
    for frame in frames:
        found = cap.evaluate("y", ["b", "a"], data=frame, missing="drop")
        assert [list(c.dropped.columns) for c in found.counts.values()] == [["y", "b", "a"]] * 2


def test_saved_counts_that_were_changed_are_refused():
    saved = cap.ScoreCounts.from_counts([1, 2], [1, 2], [3, 4]).to_dict()
    cells = saved["cells"]
    for changed in ({"positives": [7, 1]}, {"score": cells["score"][::-1]}):
        with pytest.raises(ValueError, match="changed after they were saved"):
            cap.ScoreCounts.from_dict({**saved, "cells": {**cells, **changed}})


def test_grades_of_any_kind_survive_being_written_down():
    bands = pd.cut(pd.Series([1, 5, 9]), [0, 3, 6, np.inf])
    for grades, keywords in (
        (bands, {}),
        (DAYS[:1] * 2 + DAYS[1:], {"levels": DAYS}),
        ([np.inf, 1.0, 1.0], {"levels": [np.inf, 1.0]}),
    ):
        counts = cap.count_scores([1, 0, 1], grades, **keywords)
        assert cap.ScoreCounts.from_dict(counts.to_dict()) == counts


def test_an_ordered_categorical_needs_no_series():
    grades = pd.Categorical(["A", "B"], ["A", "B"], ordered=True)
    assert cap.count_scores([0, 1], grades).levels == ("B", "A")


STACKED = pd.MultiIndex.from_tuples([("a", "b"), ("c", "d")])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({0: [1, 0], "y": [1, 0]}), "no column 's'"),
        (
            pd.DataFrame(
                [[1, 0], [0, 1]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("c", "d")])
            ),
            "a",
        ),
        (pd.DataFrame([[1, 2, 3], [0, 2, 3]], columns=["y", "s", "s"]), "s"),
    ],
    ids=["numbered", "stacked", "twice"],
)
def test_odd_column_names_get_one_line(frame, message):
    with pytest.raises((ValueError, TypeError), match=message) as error:
        cap.count_scores("y", "s", data=frame)
    assert "\n" not in str(error.value)


def test_a_column_may_be_called_anything():
    rows = pl.LazyFrame({"y": [1, 0], "s": [2, 1], "capcurve_0": [5, 5], "CAPCURVE_n": [5, 5]})
    assert cap.count_scores("y", "s", data=rows).n == 2
    assert cap.count_scores("y", "capcurve_0", data=rows).n == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: cap.operating_point(c, threshold=[2]), "threshold must be a score"),
        (lambda c: cap.operating_point(c, threshold="2"), "threshold must be a score"),
        (lambda c: cap.operating_point(c, q="0.5"), "q must be between 0 and 1"),
        (lambda c: cap.captured_response(c, np.array([0.1])), "q takes one number.*a curve"),
        (lambda c: cap.lift(c, [0.1, 0.2]), r"q takes one number, got \[0.1, 0.2\]; many are"),
        (lambda c: cap.gains_table(c, bins=[DAYS[0]]), "cut point must be a score"),
        (
            lambda c: cap.best_thresholds(c, "cost", cost_fn="1", cost_fp=1),
            "cost_fn must be a number",
        ),
    ],
)
def test_odd_numbers_get_one_line(call, message):
    with pytest.raises(ValueError, match=message):
        call(cap.count_scores([1, 0], [2, 1]))


def test_tens_of_thousands_of_places_of_ks_are_found():
    counts = cap.count_scores([0, 1] * 30_000, range(60_000))  # a quadratic walk never ends
    places = cap.ks(counts).places
    assert [place.threshold for place in places[:2]] == [59_999, 59_997]
    assert len(places) == 30_000


def test_lift_curves_agree_with_tables_to_the_last_digit():
    counts = cap.count_scores([1, 0, 1, 1, 0, 0, 1], [7, 6, 5, 4, 3, 2, 1])
    table = cap.threshold_table(counts)
    for q, lift, precision in zip(table["q"], table["lift"], table["precision"], strict=True):
        if q:
            assert lift == cap.lift(counts, q) == cap.operating_point(counts, q=q).lift
            assert precision == cap.precision(counts, q)
    assert cap.gains_table(counts, bins=7)["cum_lift"].tolist() == table["lift"][1:].tolist()


def test_a_file_that_webassembly_writes_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda _: 0o777)  # as it says there
    monkeypatch.setattr(sys, "platform", "emscripten")
    write_whole(tmp_path / "new.txt", lambda path: path.write_text("whole"))
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o644


def test_writing_follows_links_and_spares_devices(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("before")
    link.symlink_to(real)
    write_whole(link, lambda path: path.write_text("after"))
    assert link.is_symlink()
    assert real.read_text() == "after"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, lambda path: path.write_text("through"))
    assert os.read(reader, 20) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_whole(tmp_path, lambda path: path.write_text("never"))


def test_names_no_document_can_hold_are_replaced():
    page = cap.evaluate([1, 0], {"a\x01b\ud800": [1, 2]}).to_html()
    page.encode("utf-8")
    assert "\x01" not in page
    assert "a\ufffdb\ufffd" in page


def test_equal_pictures_are_equal_files(tmp_path):
    found = cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    paths = [found.save(tmp_path / name) for name in ("one.svg", "two.svg")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_number_of_a_category_is_no_weight():
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    weight = [10, 20, 20, 10]
    asked = {"weight_kind": "sampling"}
    expected = cap.count_scores(y, s, weight=weight, **asked)
    categories = pd.Series(weight).astype("category")
    dictionary = pa.array(weight).dictionary_encode()
    for given in (categories, pd.Categorical(weight, ordered=True), dictionary):
        assert cap.count_scores(y, s, weight=given, **asked) == expected
    table = pa.table({"y": y, "s": s, "w": dictionary})
    assert cap.count_scores("y", "s", data=table, weight="w", **asked) == expected
    words = pl.Series("w", ["a", "b", "b", "a"])
    with duckdb.connect() as connection:
        rows = connection.sql(
            "select i % 2 as y, i as s, 'a'::enum('b', 'a') as w from range(4) t(i)"
        )
        for data in (
            rows,
            pl.DataFrame({"y": y, "s": s, "w": words.cast(pl.Enum(["b", "a"]))}),
            pl.LazyFrame({"y": y, "s": s, "w": words.cast(pl.Categorical)}),
        ):
            with pytest.raises(TypeError, match=r"w holds text such as '[ab]'; weights are numb"):
                cap.count_scores("y", "s", data=data, weight="w", **asked)


def test_a_column_has_its_role_in_every_call_whatever_it_is_called(tmp_path):
    rows = {"default": [1, 0, None, 1], "pd": [None, 0.8, 0.7, 0.9], "score": [1, 2, 3, None]}
    path = tmp_path / "rows.parquet"
    pl.DataFrame(rows).write_parquet(path)
    named = {"default": "pd"}
    account = {"default (target)": 1, "default (score)": 1}
    for data in (rows, pd.DataFrame(rows), pl.DataFrame(rows), pl.LazyFrame(rows), path):
        for asked in ({}, {"memory_limit": "200MB"}) if data is path else ({},):
            found = cap.evaluate("default", named, data=data, missing="drop", **asked)
            assert found.counts["default"].dropped.columns == account
            assert found.counts["default"].n == 2
            with pytest.raises(ValueError, match=r"default \(score\) is missing .* in 1 of 4 rows"):
                cap.evaluate("default", named, data=data, **asked)
        joint = cap.count_joint(
            "default", {"default": "pd", "n": "score"}, data=data, missing="drop", weight="score"
        )
        told = {"default (target)": 1, "default (score)": 1, "n (score)": 1, "score (weight)": 1}
        assert joint.dropped == Dropped(3, told)
        # A score that is also the segment has to be there like any other.
        two = cap.evaluate("default", ["pd", "score"], by="score", data=data, missing="drop")
        assert [counts.n for counts in two.counts.values()] == [1, 1]


@pytest.mark.parametrize(
    "label",
    [
        dt.date(2024, 1, 1),
        pd.Timestamp("2024-01-01"),
        pytest.param(dt.datetime.fromisoformat("2024-01-01T00:00:00"), marks=pytest.mark.merge),
        pytest.param(np.datetime64("2024-01-01", "ns"), marks=pytest.mark.merge),
    ],
    ids=repr,
)
def test_a_day_is_the_same_label_in_every_column(tmp_path, label):
    day, other = dt.date(2024, 1, 1), dt.date(2023, 1, 1)
    for days in ([day, other, day], [day, day, day]):
        table = pa.table({"y": days, "s": [1.0, 2.0, 3.0]})
        nanoseconds = table.set_column(0, "y", table["y"].cast(pa.timestamp("ns")))
        pl.from_arrow(table).write_parquet(tmp_path / "days.parquet")
        pq.write_table(nanoseconds, tmp_path / "moments.parquet")
        sources = [table.to_pydict(), table, nanoseconds, nanoseconds.to_pandas()]
        sources += [pl.from_arrow(table), pl.from_arrow(nanoseconds).lazy()]
        sources += [tmp_path / "days.parquet", tmp_path / "moments.parquet"]
        with duckdb.connect() as connection:
            for data in (
                *sources,
                connection.from_arrow(table),
                connection.from_arrow(nanoseconds),
            ):
                assert cap.count_scores("y", "s", data=data, pos_label=label).n1 == days.count(day)
        for path in sources[-2:]:
            found = cap.count_scores("y", "s", data=path, pos_label=label, memory_limit="200MB")
            assert found.n1 == days.count(day)


def test_a_stream_of_two_types_is_right_or_refused():
    def ranked(*scores):
        blocks = [(scores[0], [1], [0]), (scores[1], [0], [1])]
        return cap.count_sorted(blocks, n1=1, n0=1)

    small, large = np.array([5], np.int32), np.array([2**60])
    assert ranked(large, small).digest() == ranked(large, small.astype(np.int64)).digest()
    assert ranked(np.array([BIG + 1]), np.array([float(BIG)])).tied == 0
    for scores in ((np.array([7], np.int32), -large), (np.array([3]), np.array([2.5]))):
        with pytest.raises(ValueError, match="give every block one type"):
            ranked(*scores)


def test_a_duckdb_connection_at_work_elsewhere_is_one_clear_line():
    with duckdb.connect() as connection:
        rows = connection.sql("select i % 2 as y, i % 1000 as s from range(3000000) t(i)")
        expected = cap.count_scores("y", "s", data=rows)

        def count(_):
            try:
                return cap.count_scores("y", "s", data=rows)
            except ValueError as error:
                return str(error)

        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(count, range(8)))
    told = [answer for answer in found if isinstance(answer, str)]
    assert all("connection.cursor()" in answer and "\n" not in answer for answer in told)
    assert all(answer == expected for answer in found if answer not in told)


@pytest.mark.parametrize(
    ("values", "count", "told"),
    [
        ([0, 0, 0, 1, 2, 3], "weight", "is zero for all 3 positives"),
        ([1.5, 2, 3, -1, -1, -1], "weight", r"holds -1 .*\(3 such rows\)"),
        ([0, 0, 0, BIG + 1, BIG + 1, 7], "amount", r".* would round \(2 such rows\)"),
        ([0.5, 1, 2, np.inf, np.inf, 7], "class", "is infinite in "),
    ],
)
def test_rows_that_an_engine_grouped_are_told_as_often_as_they_occur(values, count, told):
    # Equal rows come once out of an engine, with how often they occur, and no number of a row.
    rows = pl.DataFrame({"y": [1, 1, 1, 0, 0, 0], "s": [1, 1, 1, 2, 2, 2], "v": values})
    counts = {
        "weight": lambda data: cap.count_scores("y", "s", data=data, weight="v"),
        "amount": lambda data: cap.count_values("v", "s", data=data),
        "class": lambda data: cap.count_classes("v", "s", data=data),
    }
    with pytest.raises(ValueError, match=f"v {told}"):
        counts[count](rows)
    with pytest.raises(ValueError, match=f"v {told}") as error:
        counts[count](rows.lazy())
    assert " in row " not in str(error.value)
    assert count != "class" or "infinite in 2 of 6 rows" in str(error.value)

"""Saved counts come back exactly, and anybody's own counted table is read."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
from itertools import product

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from capcurve import ScoreCounts, count_scores, count_segments
from capcurve.input.files import Files, read_cells, write_cells

RNG = np.random.default_rng(7)
Y = RNG.random(400) < 0.3
W = RNG.random(400) * 1e-3


def counted(score, **options):
    return count_scores(Y, score, **options)


GRADES = RNG.choice(["A", "B", "C", "D"], 400)
CASES = {
    "float64": counted(RNG.normal(size=400)),
    "infinite": counted(RNG.choice([np.inf, -np.inf, 0.5, 5e-324], 400)),
    "float32": counted(RNG.normal(size=400).astype(np.float32)),
    "float16": counted(RNG.normal(size=400).astype(np.float16)),
    "int64": counted(RNG.integers(2**53, 2**63 - 1, 400)),
    "int64 minimum": counted(RNG.choice([-(2**63), 0, 2**63 - 1], 400), higher_is="negative"),
    "uint64": counted(RNG.integers(2**63, 2**64 - 1, 400, dtype=np.uint64)),
    "bool": counted(RNG.random(400) < 0.5),
    "negative": counted(RNG.normal(size=400), higher_is="negative"),
    "grades": counted(GRADES, levels=["D", "C", "B", "A"]),
    "unused grade": counted(GRADES, levels=["E", "D", "C", "B", "A"]),
    "awkward grades": counted(
        np.array(["a,b", 'say "x"', "ü\n2", " "], dtype=object)[RNG.integers(0, 4, 400)][:],
        levels=["a,b", 'say "x"', "ü\n2", " "],
    ),
    "text grades that are numbers": counted(
        np.array(["01", "02", "10"], dtype=object)[RNG.integers(0, 3, 400)],
        levels=["10", "02", "01"],
    ),
    "number grades": counted(RNG.integers(1, 4, 400), levels=[2, 1, 3]),
    "resolution": counted(RNG.random(400), resolution=1e-2),
    "whole resolution": counted(RNG.integers(0, 900, 400), resolution=7),
    "odd resolution": counted(RNG.normal(size=400) * 1e6, resolution=0.3),
    "weights": counted(RNG.random(400), weight=W, weight_kind="sampling"),
    "weights unsaid": counted(RNG.integers(0, 5, 400), weight=W),
    "whole weights": counted(RNG.integers(0, 5, 400), weight=np.full(400, 2.0)),
    "weighted grid": counted(RNG.random(400), weight=W, resolution=0.1),
    "huge weights": counted(RNG.random(400), weight=W * 1e300, weight_kind="exposure"),
    "dropped": counted(np.where(W < 1e-4, np.nan, 0.5), missing="drop"),
    "typed fractions": ScoreCounts.from_counts([3, 2], [0.5, 2], [1, 9.25]),
    "billions": ScoreCounts.from_counts([3, 2], [2**60, 1], [2**59, 9]),
    "empty": count_scores([], np.zeros(0)),
    "one class": ScoreCounts.from_counts([3, 2], [0, 0], [1, 9]),
}
BLANK = {"awkward grades"}
# Their columns in parquet are of types and settings that other cases have.
LIKE_OTHERS = {"unused grade", "text grades that are numbers", "whole resolution"}
LIKE_OTHERS |= {"odd resolution", "weights unsaid", "whole weights", "weighted grid", "one class"}


def same(one, other):
    assert one == other
    assert one.digest() == other.digest()
    assert (one.dropped is None) == (other.dropped is None)
    if one.dropped is not None:
        assert one.dropped.to_dict() == other.dropped.to_dict()
    if one.weights is None:
        assert other.weights is None
        return
    for name in ("kind", "positive_rows", "negative_rows"):
        assert getattr(one.weights, name) == getattr(other.weights, name)
    for name in ("positive_roots", "negative_roots"):
        assert np.array_equal(getattr(one.weights, name), getattr(other.weights, name))


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *product(CASES, ["csv"]),
        *((name, "parquet") for name in CASES if name not in LIKE_OTHERS),
        *(pytest.param(name, "parquet", marks=pytest.mark.merge) for name in sorted(LIKE_OTHERS)),
        *(("float64", "CSV"), ("weights", "CSV")),
    ],
)
def test_counts_come_back_exactly(tmp_path, name, suffix):
    if name in BLANK and suffix != "parquet":
        pytest.skip("a blank name is refused for csv, below")
    path = tmp_path / f"cells.{suffix}"
    write_cells(CASES[name], path)
    back = read_cells(Files.of(path))
    same(CASES[name], back)
    if suffix == "parquet" and CASES[name].levels is None and CASES[name].resolution is None:
        assert back.score.dtype == CASES[name].score.dtype


KEYS = {
    "text": ["north", "south", "it's", None],
    "numeric text": ["01", "02", "1e3"],
    "true text": ["true", "false"],
    "whole": [2024, 2025, -3],
    "huge": [2**63 + 1, 4],
    "numbers": [0.1, 2.5, None],
    "booleans": [True, False, None],
    "dates": [dt.date(2024, 1, 31), dt.date(2024, 2, 29)],
    "moments": [dt.datetime(2024, 1, 31, 12, 30, 0, 5), dt.datetime(2025, 1, 1)],  # noqa: DTZ001
    "mixed case": ["A", "a"],
    "leading noughts": ["1", "01"],
    "noughts and points": ["01", "1.0", None],
    "exponents": ["1e3", "1000"],
    "signs": ["-0", "0", "+1"],
    "one sign": ["+1", "1"],
    "commas": ["1,5", "2"],
    "groups": ["1,234.5", "2,345.5"],
    "blanks around": [" 1", "1 ", "a"],
    "several truths": ["TRUE", "true"],
    "infinite words": ["inf", "1e400"],
    "days as moments": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)],  # noqa: DTZ001
}


# The others are texts, which only csv may take for something else.
TYPED_KEYS = ("text", "numeric text", "whole", "huge", "numbers", "booleans", "dates", "moments")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "csv") for name in KEYS),
        *((name, "parquet") for name in TYPED_KEYS),
        *(
            pytest.param(name, "parquet", marks=pytest.mark.merge)
            for name in KEYS
            if name not in TYPED_KEYS
        ),
    ],
)
def test_segments_come_back_with_their_keys(tmp_path, name, suffix):
    parts = {
        key: count_scores(Y[place::3], W[place::3]) for place, key in enumerate(KEYS[name][:3])
    }
    parts |= dict.fromkeys(KEYS[name][3:], CASES["float64"])
    path = tmp_path / f"cells.{suffix}"
    write_cells(parts, path)
    back = read_cells(Files.of(path))
    if suffix == "csv" and name in {"text", "whole", "mixed case"}:
        assert "settings" not in path.read_text().splitlines()[0]
    assert set(back) == set(parts)
    for key, part in parts.items():
        assert type(key) in {type(k) for k in back}
        same(part, back[key])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_segment_without_cells_comes_back(tmp_path, suffix):
    empty = count_scores([1, 0], [np.nan, np.nan], missing="drop")
    for parts in ({"a": CASES["int64"], "b": empty}, {"b": empty}):
        write_cells(parts, tmp_path / f"cells.{suffix}")
        back = read_cells(Files.of(tmp_path / f"cells.{suffix}"))
        assert list(back) == list(parts)
        assert back["b"].dropped.rows == 2
        assert len(back["b"]) == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["weights", "grades", "resolution", "negative", "dropped"])
def test_segments_keep_their_settings(tmp_path, suffix, name):
    parts = {"jan": CASES[name], "feb": CASES[name]}
    write_cells(parts, tmp_path / f"cells.{suffix}")
    for key, part in read_cells(Files.of(tmp_path / f"cells.{suffix}")).items():
        same(part, parts[key])


def test_several_files_add_up(tmp_path):
    whole = count_scores(Y, W)
    for place in range(3):
        suffix = "csv" if place else "parquet"
        write_cells(count_scores(Y[place::3], W[place::3]), tmp_path / f"{place}.{suffix}")
    assert read_cells(Files.of([tmp_path / "0.parquet", tmp_path / "*.csv"])) == whole


def test_several_files_add_up_by_segment(tmp_path):
    by = np.random.default_rng(8).choice(["x", "y"], 400)
    for place in range(2):
        parts = count_segments(Y[place::2], W[place::2], by=by[place::2])
        write_cells(parts, tmp_path / f"{place}.parquet")
    assert read_cells(Files.of(tmp_path / "*.parquet")) == count_segments(Y, W, by=by)


def test_tables_with_and_without_segments_do_not_add(tmp_path):
    write_cells({"a": CASES["int64"]}, tmp_path / "a.csv")
    write_cells(CASES["int64"], tmp_path / "b.csv")
    with pytest.raises(ValueError, match="some have none"):
        read_cells(Files.of(tmp_path / "?.csv"))


@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False), st.integers(0, 2**40), st.integers(0, 2**40)),
        max_size=30,
    )
)
@settings(max_examples=settings.default.max_examples // 3)  # each writes and reads a file
def test_any_floats_survive_csv(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("cells") / "cells.csv"
    score, positives, negatives = ([row[i] for row in rows] for i in range(3))
    counts = ScoreCounts.from_counts(score, positives, negatives)
    write_cells(counts, path)
    same(counts, read_cells(Files.of(path)))


@given(st.integers(-(10**7), 10**7), st.sampled_from([0.1, 0.3, 1e-4, 1 / 3, 2.5, 7.0, 1e-9]))
def test_any_grid_value_falls_into_its_own_cell(index, resolution):
    from capcurve.numbers.order import grid_index, grid_value

    value = grid_value(np.array([float(index)]), resolution)
    assert grid_index(value, resolution)[0] == index


@pytest.mark.parametrize("suffix", ["csv", pytest.param("parquet", marks=pytest.mark.merge)])
@pytest.mark.parametrize(
    "levels", [["1", "1.0"], ["01", "1"], ["1", "01", "1e0"], ["true", "TRUE"], ["1,5", "1.5"]]
)
def test_grades_that_read_as_one_number_stay_apart(tmp_path, levels, suffix):
    grades = np.array([levels[0], levels[1], levels[-1], levels[0]], dtype=object)
    counts = count_scores([1, 0, 1, 0], grades, levels=levels)
    for saved in (counts, {"1": counts, "01": counts}):
        write_cells(saved, tmp_path / f"cells.{suffix}")
        assert read_cells(Files.of(tmp_path / f"cells.{suffix}")) == saved


SMALL = ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])
HUGE = ScoreCounts.from_counts(np.array([2**53 + 1, 2]), [4, 1], [1, 9])
HALVES = ScoreCounts.from_counts([0.5, 2], [4, 1], [1, 9])
GRADED = ScoreCounts.from_counts(["A", "B"], [1, 4], [9, 1], levels=["B", "A"])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(("parts", "message"), [
    ({1: SMALL, "1": SMALL}, r"segments are of several types \(int, str\)"),
    ({1: SMALL, 2.5: SMALL}, r"several types \(float, int\)"),
    ({dt.timedelta(1): SMALL}, "is timedelta, which a saved table does not give back"),
    ({dt.datetime(2024, 1, 1, tzinfo=dt.UTC): SMALL}, "datetime with a time zone"),
    ({2**64: SMALL}, "whole numbers beyond 64 bits"),
    ({"a": HUGE, "b": HALVES}, "whole scores beyond 2\\^53 beside others"),
    ({"a": GRADED, "b": SMALL}, "some segments have grades and some have numbers"),
    (
        ScoreCounts.from_counts([1, "1"], [1, 4], [9, 1], levels=[1, "1"]),
        "grades 1 and '1' would both be written as 1",
    ),
])  # fmt: skip
def test_what_would_not_come_back_is_not_saved(tmp_path, parts, message, suffix):
    with pytest.raises(ValueError, match=message):
        write_cells(parts, tmp_path / f"cells.{suffix}")
    assert not (tmp_path / f"cells.{suffix}").exists()


def test_segments_of_numpy_types_are_python_values(tmp_path):
    for suffix in ("csv", "parquet"):
        write_cells({np.int64(3): SMALL, np.int64(4): SMALL}, tmp_path / f"cells.{suffix}")
        assert list(read_cells(Files.of(tmp_path / f"cells.{suffix}"))) == [3, 4]


# Tables that somebody else wrote


def written(tmp_path, text, **options):
    path = tmp_path / "own.csv"
    path.write_text(text)
    return read_cells(Files.of(path), **options)


EXPECTED = ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])


@pytest.mark.parametrize(
    "text",
    [
        "score,positives,negatives\n2,1,9\n3,4,1\n",
        "score,n,bad\n2,10,1\n3,5,4\n",
        "Score;N;Bad\n2;10;1\n3;5;4\n",
        "rating,goods,bads\n2,9,1\n3,1,4\n",
        "score,n,positives,negatives\n2,10,1,9\n3,5,4,1\n",
        "score,positives,negatives\n2,1,4\n3,4,1\n2,0,5\n",
    ],
)
def test_own_tables_are_read(tmp_path, text):
    assert written(tmp_path, text) == EXPECTED


def test_own_grades_need_their_order(tmp_path):
    text = "grade,positives,negatives\nA,1,9\nB,4,1\n"
    with pytest.raises(TypeError, match="levels"):
        written(tmp_path, text)
    counts = written(tmp_path, text, levels=["B", "A"])
    assert counts == ScoreCounts.from_counts(["A", "B"], [1, 4], [9, 1], levels=["B", "A"])
    text = "grade,positives,negatives\n1,1,9\n2,4,1\n"
    assert written(tmp_path, text, levels=["2", "1"]).levels == (2, 1)


def test_own_columns_are_named(tmp_path):
    text = "pd,customers,lost,n,quarter\n2,0,1,10,q1\n3,0,4,5,q2\n"
    back = written(tmp_path, text, score="pd", positives="lost", by="quarter")
    assert ScoreCounts.merge(back.values()) == EXPECTED
    assert list(back) == ["q1", "q2"]
    low = written(tmp_path, text, score="pd", positives="lost", higher_is="negative")
    assert low.higher_is == "negative"


def test_own_enum_grades_in_parquet_ask_for_levels(tmp_path):
    path = tmp_path / "own.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 'a' AS grade, 1 AS positives, 2 AS negatives) TO '{path}'"
        )
    assert read_cells(Files.of(path), levels=["a"]).n == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("points,n,bad\n1,2,1\n", "own.csv: no column is named like the score.*--score"),
        ("score,n,q\n1,2,1\n", "named like the positives.*--target"),
        ("score,bad,q\n1,2,1\n", "negatives, or n"),
        ("score,bad,events,n\n1,2,1,5\n", "'bad', 'events' could all be the positives"),
        ("score,bad,n\n1,3,2\n", "bad is larger than n in row 0: 3 of 2"),
        ("score,bad,n\n1,,2\n", "'bad' has no value in 1 row"),
        ("score,bad,n\nNA,1,2\n3,1,2\n", "'score' has no value in 1 row"),
        ("score,positives,negatives\n1,-3,2\n", "-3; counts are never negative"),
        ("score,bad,n\n1,x,2\n", "'bad' must hold counts, got 'x'"),
    ],
)
def test_own_tables_that_make_no_sense(tmp_path, text, message):
    with pytest.raises((ValueError, TypeError), match=message):
        written(tmp_path, text)


# Saved tables that are not as they were


def test_a_changed_table_is_refused(tmp_path):
    path = tmp_path / "cells.csv"
    write_cells(CASES["grades"], path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:2]) + "\n")
    with pytest.raises(ValueError, match="was changed after it was saved"):
        read_cells(Files.of(path))


def test_a_table_in_another_order_is_the_same_table(tmp_path):
    path = tmp_path / "cells.csv"
    write_cells({"a": CASES["grades"], "b": CASES["grades"]}, path)
    first, *lines = path.read_text().splitlines()
    path.write_text("\n".join([first, *sorted(lines)]) + "\n")
    assert read_cells(Files.of(path)) == {"a": CASES["grades"], "b": CASES["grades"]}


def test_a_table_cut_off_within_its_header_is_refused(tmp_path):
    path = tmp_path / "cells.csv"
    write_cells(CASES["weights"], path)
    header = path.read_text().splitlines()[0]
    for end in range(len("score,positives,negatives"), len(header) + 1):
        path.write_text(header[:end])
        with pytest.raises(ValueError, match=r"ends within its first line|was changed after"):
            read_cells(Files.of(path))
    assert written(tmp_path, "score,positives,negatives\n").n == 0  # of nobody, and whole
    packed = tmp_path / "own.csv.gz"
    packed.write_bytes(gzip.compress(b"score,positives,negatives\n"))
    assert read_cells(Files.of(packed)).n == 0


@pytest.mark.parametrize(
    ("how", "columns"),
    [
        ({"weight": W}, "'positive_roots', 'negative_roots'"),
        ({"cluster": GRADES}, "'cluster_group'"),
        ({"weight": W, "cluster": GRADES}, "'positive_roots', 'negative_roots', 'cluster_group'"),
    ],
)
def test_columns_of_saved_counts_are_not_read_without_their_settings(tmp_path, how, columns):
    path = tmp_path / "cells.csv"
    write_cells(counted(RNG.integers(0, 5, 400), **how), path)
    rows = [row[:-1] for row in csv.reader(path.read_text().splitlines())]
    path.write_text("".join(f"{','.join(row)}\n" for row in rows))
    with pytest.raises(ValueError, match=f"counts are missing, and {columns} cannot"):
        read_cells(Files.of(path))


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text('score,positives,negatives,settings\n1,2,3,"{""format"": ""other""}"\n')
    with pytest.raises(ValueError, match="settings of format 'other'"):
        read_cells(Files.of(path))


def test_settings_asked_for_must_be_those_saved(tmp_path):
    path = tmp_path / "cells.parquet"
    write_cells(CASES["negative"], path)
    assert read_cells(Files.of(path), higher_is="negative") == CASES["negative"]
    with pytest.raises(ValueError, match="saved with higher_is='negative', not 'positive'"):
        read_cells(Files.of(path), higher_is="positive")
    write_cells(CASES["number grades"], path)
    assert read_cells(Files.of(path), levels=["2", "1", "3"]) == CASES["number grades"]
    with pytest.raises(ValueError, match="levels"):
        read_cells(Files.of(path), levels=["3", "1", "2"])


def test_names_that_csv_loses_are_refused(tmp_path):
    with pytest.raises(ValueError, match="segment 'NA' would be read back from csv as missing"):
        write_cells({"NA": CASES["int64"]}, tmp_path / "cells.csv")
    with pytest.raises(ValueError, match=r"score ' ' .* save as .parquet"):
        write_cells(CASES["awkward grades"], tmp_path / "cells.csv")
    with pytest.raises(ValueError, match=r"in segment 'a.rb' for a line end; save as .parquet"):
        write_cells({"a\rb": CASES["int64"]}, tmp_path / "cells.csv")
    write_cells({"NA": CASES["int64"]}, tmp_path / "cells.parquet")
    assert list(read_cells(Files.of(tmp_path / "cells.parquet"))) == ["NA"]


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"cells.xlsx: the name must end in .csv or .parquet"):
        write_cells(CASES["int64"], tmp_path / "cells.xlsx")
    with pytest.raises(ValueError, match="no segments"):
        write_cells({}, tmp_path / "cells.csv")


def test_odd_paths_are_taken_as_they_stand(tmp_path):
    for name in ("it's.parquet", "a[1].parquet", "*.csv"):
        write_cells(CASES["grades"], tmp_path / name)
        same(CASES["grades"], read_cells(Files.of(tmp_path / name)))


def test_parquet_is_open_to_others(tmp_path):
    path = tmp_path / "cells.parquet"
    write_cells({2024: CASES["grades"]}, path)
    with duckdb.connect() as connection:
        names = connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()
        assert [row[:2] for row in names] == [
            ("segment", "BIGINT"),
            ("score", "VARCHAR"),
            ("positives", "BIGINT"),
            ("negatives", "BIGINT"),
        ]
        notes = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?)", [str(path)]
        ).fetchone()
    assert json.loads(bytes(notes[0]))["segments"][0]["levels"] == ["D", "C", "B", "A"]


def test_what_is_said_of_csv_leaves_a_parquet_table_beside_it_alone(tmp_path):
    counts = ScoreCounts.from_counts(["gut", "mäßig"], [1, 4], [8, 2], levels=["mäßig", "gut"])
    plain = tmp_path / "one.csv"
    plain.write_text("score,positives,negatives\ngut,1,8\nmäßig,4,2\n", encoding="cp1252")
    write_cells(counts, tmp_path / "two.parquet")
    both = Files.of([plain, tmp_path / "two.parquet"], encoding="cp1252", null_values=("-",))
    assert read_cells(both, levels=["mäßig", "gut"]) == counts + counts

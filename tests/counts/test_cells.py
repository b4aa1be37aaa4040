"""Saved counts come back exactly, and anybody's own counted table is read."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from itertools import permutations, product

import duckdb
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import capcurve as cap
from capcurve import ScoreCounts, count_scores, count_segments, read_counts, write_counts
from capcurve.input.files import Files, read_cells

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
# What csv has no room for, by case: the others come back from their plain numbers alone.
NO_ROOM = {
    "float32": "scores of fewer than 64 bits",
    "float16": "scores of fewer than 64 bits",
    "int64 minimum": "a direction",
    "negative": "a direction",
    "text grades that are numbers": "the order of grades that look like numbers",
    "number grades": "the order of grades that look like numbers",
    "weights": "weights",
    "weights unsaid": "weights",
    "whole weights": "weights",
    "weighted grid": "the width of a grid or weights",
    "resolution": "the width of a grid",
    "whole resolution": "the width of a grid",
    "odd resolution": "the width of a grid",
    "huge weights": "weights",
}
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


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *product(CASES, ["json"]),
        *((name, "parquet") for name in CASES if name not in LIKE_OTHERS),
        *(pytest.param(name, "parquet", marks=pytest.mark.merge) for name in sorted(LIKE_OTHERS)),
        ("weights", "PARQUET"),
    ],
)
def test_counts_come_back_exactly(tmp_path, name, suffix):
    path = tmp_path / f"cells.{suffix}"
    write_counts(CASES[name], path)
    back = read_counts(path)
    same(CASES[name], back)
    if CASES[name].levels is None and CASES[name].resolution is None:
        assert back.score.dtype == CASES[name].score.dtype


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", sorted(CASES.keys() - NO_ROOM.keys() - {"awkward grades"}))
def test_plain_numbers_come_back_from_csv(tmp_path, name):
    path, counts = tmp_path / "cells.CSV", CASES[name]
    write_counts(counts, path)
    assert path.read_text().splitlines()[0] == "score,positives,negatives"
    back = read_counts(path, levels=counts.levels)
    assert back.digest() == counts.digest()
    assert back.dropped is None


@pytest.mark.parametrize("name", NO_ROOM)
def test_csv_refuses_what_its_numbers_do_not_say(tmp_path, name):
    message = f"^a csv file has no room for {NO_ROOM[name]}; save as .parquet or .json$"
    for counts in (CASES[name], {"a": CASES[name], "b": CASES[name]}):
        with pytest.raises(ValueError, match=message):
            write_counts(counts, tmp_path / "cells.csv")
    assert list(tmp_path.iterdir()) == []


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


# Texts that csv would give back as numbers or truths; and days, which it gives back as text.
LOOK_TYPED = {"numeric text", "true text", "leading noughts", "noughts and points", "exponents"}
LOOK_TYPED |= {"signs", "one sign", "commas", "groups", "several truths", "infinite words"}
OF_TIME = {"dates", "moments", "days as moments"}
# The others are texts, which only csv may take for something else.
TYPED_KEYS = ("text", "numeric text", "whole", "huge", "numbers", "booleans", "dates", "moments")


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "csv") for name in KEYS if name not in LOOK_TYPED | OF_TIME),
        *((name, "json") for name in KEYS),
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
    write_counts(parts, path)
    back = read_counts(path)
    assert set(back) == set(parts)
    for key, part in parts.items():
        assert type(key) in {type(k) for k in back}
        same(part, back[key])


@pytest.mark.parametrize("name", sorted(LOOK_TYPED | OF_TIME))
def test_segments_that_csv_takes_for_something_else(tmp_path, name):
    parts, path = dict.fromkeys(KEYS[name], CASES["float64"]), tmp_path / "cells.csv"
    if name in LOOK_TYPED:
        with pytest.raises(ValueError, match="would be read back from csv as a number or truth"):
            write_counts(parts, path)
        assert not path.exists()
    else:
        write_counts(parts, path)
        assert list(read_counts(path)) == sorted(map(str, parts))


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_a_segment_without_cells_comes_back(tmp_path, suffix):
    empty = count_scores([1, 0], [np.nan, np.nan], missing="drop")
    for parts in ({"a": CASES["int64"], "b": empty}, {"b": empty}):
        write_counts(parts, tmp_path / f"cells.{suffix}")
        back = read_counts(tmp_path / f"cells.{suffix}")
        assert list(back) == list(parts)
        assert back["b"].dropped.rows == 2
        assert len(back["b"]) == 0
        with pytest.raises(ValueError, match="csv file has no room for a segment without cases"):
            write_counts(parts, tmp_path / "cells.csv")


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("name", ["weights", "grades", "resolution", "negative", "dropped"])
def test_segments_keep_their_settings(tmp_path, suffix, name):
    parts = {"jan": CASES[name], "feb": CASES[name]}
    write_counts(parts, tmp_path / f"cells.{suffix}")
    for key, part in read_counts(tmp_path / f"cells.{suffix}").items():
        same(part, parts[key])


def test_several_files_add_up(tmp_path):
    whole = count_scores(Y, W)
    for place in range(3):
        suffix = "csv" if place else "parquet"
        write_counts(count_scores(Y[place::3], W[place::3]), tmp_path / f"{place}.{suffix}")
    assert read_cells(Files.of([tmp_path / "0.parquet", tmp_path / "*.csv"])) == whole


def test_several_files_add_up_by_segment(tmp_path):
    by = np.random.default_rng(8).choice(["x", "y"], 400)
    for place in range(2):
        parts = count_segments(Y[place::2], W[place::2], by=by[place::2])
        write_counts(parts, tmp_path / f"{place}.parquet")
    assert read_cells(Files.of(tmp_path / "*.parquet")) == count_segments(Y, W, by=by)


def test_tables_with_and_without_segments_do_not_add(tmp_path):
    write_counts({"a": CASES["int64"]}, tmp_path / "a.csv")
    write_counts(CASES["int64"], tmp_path / "b.csv")
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
    write_counts(counts, path)
    same(counts, read_cells(Files.of(path)))


@given(st.integers(-(10**7), 10**7), st.sampled_from([0.1, 0.3, 1e-4, 1 / 3, 2.5, 7.0, 1e-9]))
def test_any_grid_value_falls_into_its_own_cell(index, resolution):
    from capcurve.numbers.order import grid_index, grid_value

    value = grid_value(np.array([float(index)]), resolution)
    assert grid_index(value, resolution)[0] == index


@pytest.mark.parametrize("suffix", ["json", pytest.param("parquet", marks=pytest.mark.merge)])
@pytest.mark.parametrize(
    "levels", [["1", "1.0"], ["01", "1"], ["1", "01", "1e0"], ["true", "TRUE"], ["1,5", "1.5"]]
)
def test_grades_that_read_as_one_number_stay_apart(tmp_path, levels, suffix):
    grades = np.array([levels[0], levels[1], levels[-1], levels[0]], dtype=object)
    counts = count_scores([1, 0, 1, 0], grades, levels=levels)
    for saved in (counts, {"1": counts, "01": counts}):
        write_counts(saved, tmp_path / f"cells.{suffix}")
        assert read_counts(tmp_path / f"cells.{suffix}") == saved


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
        write_counts(parts, tmp_path / f"cells.{suffix}")
    assert not (tmp_path / f"cells.{suffix}").exists()


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ({"weight": W, "weight_kind": "sampling"}, {}, "some segments have weights and some have"),
        ({"cluster": GRADES}, {}, "some segments have clusters and some have none"),
        ({"cluster": GRADES, "weight": W}, {"cluster": GRADES}, "some segments have weights and"),
    ],
)
def test_segments_counted_otherwise_than_others_are_for_json(tmp_path, one, other, message):
    for hows in ((one, other), (other, one)):
        parts = {key: counted(S, **how) for key, how in zip("ab", hows, strict=True)}
        with pytest.raises(ValueError, match=f"{message}.*; save as .json"):
            write_counts(parts, tmp_path / "cells.parquet")
        assert read_counts(written_as(tmp_path, parts, "cells.json")) == parts


def test_segments_of_several_kinds_are_for_json(tmp_path):
    for first, second in permutations(("cases", "times", "partial", "trial"), 2):
        parts = {"a": KINDS[first](), "b": KINDS[second]()}
        with pytest.raises(ValueError, match="several kinds of counts; save as"):
            write_counts(parts, tmp_path / "cells.parquet")
    assert read_counts(written_as(tmp_path, parts, "cells.json")) == parts


def test_segments_of_numpy_types_are_python_values(tmp_path):
    for suffix in ("csv", "parquet"):
        write_counts({np.int64(3): SMALL, np.int64(4): SMALL}, tmp_path / f"cells.{suffix}")
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
        ("points,n,bad\n1,2,1\n", "own.csv: no column is named like the score; call it 'score'"),
        ("score,n,q\n1,2,1\n", "named like the positives; call it 'positives'"),
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
    path = tmp_path / "cells.parquet"
    write_counts(CASES["grades"], path)
    kept = pq.read_table(path)
    pq.write_table(kept.slice(0, 2), path)
    with pytest.raises(ValueError, match="was changed after it was saved"):
        read_cells(Files.of(path))


def test_a_table_in_another_order_is_the_same_table(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts(CASES["weights"], path)
    pq.write_table(pq.read_table(path).take(RNG.permutation(len(CASES["weights"]))), path)
    same(CASES["weights"], read_cells(Files.of(path)))
    parts = {"a": CASES["int64"], "b": CASES["int64"]}
    write_counts(parts, tmp_path / "cells.csv")
    first, *lines = (tmp_path / "cells.csv").read_text().splitlines()
    (tmp_path / "cells.csv").write_text("\n".join([first, *sorted(lines)]) + "\n")
    assert read_counts(tmp_path / "cells.csv") == parts


def test_segments_that_were_renamed_or_moved_are_noticed(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts({"a": CASES["float64"], "b": CASES["one class"]}, path)
    kept = pq.read_table(path)
    renamed = pc.replace_substring(kept["segment"], "b", "c")
    for other in (kept.set_column(0, kept.field(0), renamed), kept.take([*range(401, -1, -1)])):
        pq.write_table(other, path)
        with pytest.raises(ValueError, match="was changed after it was saved"):
            read_counts(path)


def test_a_table_cut_off_within_its_header_is_refused(tmp_path):
    path, header = tmp_path / "cells.csv", "score,positives,negatives"
    path.write_text(header)
    with pytest.raises(ValueError, match="ends within its first line, as if it was cut off"):
        read_cells(Files.of(path))
    assert written(tmp_path, f"{header}\n").n == 0  # of nobody, and whole
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
    path = tmp_path / "cells.parquet"
    write_counts(counted(RNG.integers(0, 5, 400), **how), path)
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(ValueError, match=f"counts are missing, and {columns} cannot"):
        read_cells(Files.of(path))


@pytest.mark.parametrize("name", ["partial", "trial", "trial of amounts"])
def test_parts_are_not_pooled_where_another_program_lost_their_settings(tmp_path, name):
    path = written_as(tmp_path, KINDS[name]())
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(ValueError, match=r"counts are missing, and .*'part' cannot be read"):
        read_counts(path)


def test_cases_and_times_are_not_read_without_their_settings_either(tmp_path):
    for name in ("cases", "times"):
        path = written_as(tmp_path, KINDS[name](cluster=GRADES))
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
        with pytest.raises(ValueError, match="counts are missing, and 'cluster_group' cannot"):
            read_counts(path)


def test_counts_of_another_version_say_what_to_do(tmp_path):
    saved, path = CASES["grades"].to_dict(), tmp_path / "cells.json"
    for version in (1, 3):
        path.write_text(json.dumps({**saved, "version": version}))
        message = f"cells.json: the counts are of version {version} of the saved form, and this .*"
        with pytest.raises(
            ValueError, match=f"{message}reads version 2; count the rows again, and"
        ):
            read_counts(path)
    table = pq.read_table(written_as(tmp_path, CASES["grades"]))
    old = json.dumps({"format": "capcurve/cells", "version": 1, "seal": "x"})
    pq.write_table(table.replace_schema_metadata({"capcurve": old}), tmp_path / "old.parquet")
    with pytest.raises(ValueError, match="the counts are of version 1 of the saved form"):
        read_counts(tmp_path / "old.parquet")
    (tmp_path / "old.csv").write_text(
        'score,positives,negatives,settings\n1,2,3,"{""format"": ""capcurve/cells""}"\n'
    )
    with pytest.raises(ValueError, match="csv had settings in a column; count the rows again"):
        read_counts(tmp_path / "old.csv")


def written_as(tmp_path, counts, name="cells.parquet"):
    write_counts(counts, tmp_path / name)
    return tmp_path / name


OUTCOMES = [None if row % 5 == 0 else int(row % 3 == 0) for row in range(400)]
EVENTS = {"time": RNG.integers(1, 9, 400), "event": RNG.integers(0, 3, 400)}
TREATED = RNG.random(400) < 0.5
# Every other kind of counts; csv has room for those that say nothing but numbers.
KINDS = {
    "cases": lambda **how: cap.count_cases(RNG.integers(0, 9, 400), **how),
    "partial": lambda **how: cap.count_partial(OUTCOMES, S, **how),
    "times": lambda **how: cap.count_times(**EVENTS, score=S, **how),
    "strata": lambda **how: cap.count_times(**EVENTS, score=S, stratum=GRADES, **how),
    "trial": lambda **how: cap.count_uplift(Y, TREATED, S, **how),
    "trial of amounts": lambda **how: cap.count_uplift_values(W * Y, TREATED, S, **how),
    "amounts": lambda **how: cap.count_values(W * Y, S, exposure=W + 1, **how),
}
S = RNG.integers(0, 9, 400)


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", ["json", "parquet", "csv"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_counts_is_saved(tmp_path, name, suffix):
    counts = KINDS[name]()
    back = read_counts(written_as(tmp_path, counts, f"cells.{suffix}"))
    assert type(back) is type(counts)
    assert back == counts
    assert back.digest() == counts.digest()


@pytest.mark.parametrize("name", ["cases", "times", "strata", "amounts"])
def test_segments_of_every_kind_come_back_from_csv(tmp_path, name):
    parts = {"May": KINDS[name](), "June": KINDS[name](), None: KINDS[name]()}
    assert read_counts(written_as(tmp_path, parts, "parts.csv")) == parts


def test_own_tables_of_unknown_outcomes_have_segments_and_arms(tmp_path):
    path, counts = (
        tmp_path / "own.csv",
        cap.PartialCounts.from_counts([2, 1], [3, 1], [1, 9], [0, 5]),
    )
    for heading, names in (("segment", "xy"), ("treatment", ("treated", "control"))):
        rows = "".join(f"{name},2,3,1,0\n{name},1,1,9,5\n" for name in names)
        path.write_text(f"{heading},score,positives,negatives,unknown\n{rows}")
        assert read_counts(path) == dict.fromkeys(names, counts)


@pytest.mark.parametrize("names", [(1, 0), ("true", "false"), (1, -1), ("treated", "control")])
def test_a_column_of_who_was_treated_makes_a_trial(tmp_path, names):
    path = tmp_path / "own.csv"
    rows = "".join(f"{name},2,{n},1\n{name},1,1,3\n" for name, n in zip(names, (3, 1), strict=True))
    path.write_text(f"treatment,score,positives,negatives\n{rows}")
    trial = cap.UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [1, 3])
    assert read_counts(path) == trial


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_counts_keeps_clusters_directions_and_segments(tmp_path, name, suffix):
    counts = KINDS[name](cluster=S % 4, higher_is="negative")
    back = read_counts(written_as(tmp_path, counts, f"cells.{suffix}"))
    assert back == counts
    for part, other in zip(arms(back), arms(counts), strict=True):
        assert part.groups == other.groups
        assert part.groups is not None
    parts = {dt.date(2024, 1, 31): counts, None: counts}
    assert read_counts(written_as(tmp_path, parts, f"parts.{suffix}")) == parts
    with pytest.raises(ValueError, match=r"no room for a direction or clusters; save as .parquet"):
        write_counts(counts, tmp_path / "cells.csv")


def arms(counts):
    return [getattr(counts, name) for name in counts.PARTS] or [counts]


def test_counts_that_are_not_saved_say_so(tmp_path):
    joint = cap.count_joint(Y, {"a": S, "b": W})
    with pytest.raises(TypeError, match="JointCounts are not saved; save counts of one score"):
        write_counts(joint, tmp_path / "cells.json")
    at = KINDS["times"]().at(5)
    with pytest.raises(ValueError, match=r"are not saved; save \.times, and take \.at"):
        write_counts(at, tmp_path / "cells.parquet")
    assert list(tmp_path.iterdir()) == []


def test_settings_asked_for_must_be_those_saved(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts(CASES["negative"], path)
    assert read_cells(Files.of(path), higher_is="negative") == CASES["negative"]
    with pytest.raises(
        ValueError, match="saved with higher_is='negative', not higher_is='positive'"
    ):
        read_cells(Files.of(path), higher_is="positive")
    write_counts(CASES["number grades"], path)
    assert read_cells(Files.of(path), levels=["2", "1", "3"]) == CASES["number grades"]
    with pytest.raises(ValueError, match="levels"):
        read_cells(Files.of(path), levels=["3", "1", "2"])


def test_names_that_csv_loses_are_refused(tmp_path):
    with pytest.raises(ValueError, match="segment 'NA' would be read back from csv as missing"):
        write_counts({"NA": CASES["int64"]}, tmp_path / "cells.csv")
    with pytest.raises(ValueError, match=r"score ' ' .* save as .parquet"):
        write_counts(CASES["awkward grades"], tmp_path / "cells.csv")
    with pytest.raises(ValueError, match=r"in segment 'a.rb' for a line end; save as .parquet"):
        write_counts({"a\rb": CASES["int64"]}, tmp_path / "cells.csv")
    write_counts({"NA": CASES["int64"]}, tmp_path / "cells.parquet")
    assert list(read_cells(Files.of(tmp_path / "cells.parquet"))) == ["NA"]


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"cells.xlsx: the name must end in .json, .parquet or .csv"
    ):
        write_counts(CASES["int64"], tmp_path / "cells.xlsx")
    with pytest.raises(ValueError, match="no segments"):
        write_counts({}, tmp_path / "cells.csv")


def test_odd_paths_are_taken_as_they_stand(tmp_path):
    for name in ("it's.parquet", "a[1].parquet", "*.csv"):
        write_counts(CASES["float64"], tmp_path / name)
        same(CASES["float64"], read_cells(Files.of(tmp_path / name)))


def test_parquet_is_open_to_others(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts({2024: CASES["grades"]}, path)
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
    assert json.loads(bytes(notes[0]))["segments"][0]["counts"]["levels"] == ["D", "C", "B", "A"]


def test_what_is_said_of_csv_leaves_a_parquet_table_beside_it_alone(tmp_path):
    counts = ScoreCounts.from_counts(["gut", "mäßig"], [1, 4], [8, 2], levels=["mäßig", "gut"])
    plain = tmp_path / "one.csv"
    plain.write_text("score,positives,negatives\ngut,1,8\nmäßig,4,2\n", encoding="cp1252")
    write_counts(counts, tmp_path / "two.parquet")
    both = Files.of([plain, tmp_path / "two.parquet"], encoding="cp1252", null_values=("-",))
    assert read_cells(both, levels=["mäßig", "gut"]) == counts + counts

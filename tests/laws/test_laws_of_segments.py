"""Counts of segments in one table are what each segment's own rows give, and they add."""

import copy
import datetime as dt
import itertools
import pickle
import sqlite3
from collections.abc import Mapping

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from strategies import anything, grid

import capcurve as cap
from capcurve import SegmentCounts

NAN = float("nan")
SIZE = 72


def rows_of(seed=3, size=SIZE):
    """Return labels, two tied scores, weights and amounts."""
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < 0.4).astype(int)
    a = rng.integers(-3, 4, size) / 4
    return y, a, np.round(a + rng.normal(size=size), 1), rng.integers(0, 4, size), y * a + 3


Y, A, B, W, AMOUNT = rows_of()
LETTERS = np.resize(list("bacb"), SIZE)
DAYS = [dt.date(2024, 1 + place % 3, 28 - place % 5) for place in range(SIZE)]

# Segments of the rows, and the names that they have, in order.
NAMED = {
    "text": (LETTERS, ["a", "b", "c"]),
    "text as objects": (LETTERS.astype(object), ["a", "b", "c"]),
    "text with gaps": (
        np.resize(np.array(["b", None, "a", ""], object), SIZE),
        ["", "a", "b", None],
    ),
    "text with NaN": (np.resize(np.array(["b", NAN, "a"], object), SIZE), ["a", "b", None]),
    "text of digits": (np.resize(["9", "10", "2"], SIZE), ["10", "2", "9"]),
    "months by name": (
        np.resize(["Mar-2024", "Jan-2024", "Feb-2024"], SIZE),
        ["Jan-2024", "Feb-2024", "Mar-2024"],
    ),
    "integers": (np.resize([3, 10, 2], SIZE), [2, 3, 10]),
    "negative integers": (np.resize([-3, 10, -20], SIZE), [-20, -3, 10]),
    "integers far apart": (np.resize([2**62, -(2**62), 0], SIZE), [-(2**62), 0, 2**62]),
    "bytes": (np.resize(np.array([200, 10, 2], np.uint8), SIZE), [2, 10, 200]),
    "signed bytes": (np.resize(np.array([100, -100], np.int8), SIZE), [-100, 100]),
    "large unsigned": (np.resize(np.array([2**64 - 1, 1], np.uint64), SIZE), [1, 2**64 - 1]),
    "integers with gaps": (np.resize(np.array([1, None, 3], object), SIZE), [1, 3, None]),
    "floats with NaN": (np.resize([1.5, NAN, -2.0, 0.0], SIZE), [-2.0, 0.0, 1.5, None]),
    "zeros of both signs": (np.resize([0.0, -0.0, 2.0], SIZE), [0.0, 2.0]),
    "booleans": (np.resize([True, False], SIZE), [False, True]),
    "booleans with gaps": (
        np.resize(np.array([True, None, False], object), SIZE),
        [False, True, None],
    ),
    "days": (np.array(DAYS), sorted(set(DAYS))),
    "categories": (
        pd.Categorical(LETTERS, categories=["c", "z", "b", "a"]),
        ["a", "b", "c"],
    ),
    "ordered categories": (
        pd.Categorical(LETTERS, categories=["c", "z", "b", "a"], ordered=True),
        ["c", "b", "a"],
    ),
    "ordered numbers": (
        pd.Categorical(np.resize([3, 1, 2], SIZE), categories=[3, 1, 2], ordered=True),
        [3, 1, 2],
    ),
    "ordered categories with gaps": (
        pd.Categorical(
            np.resize(np.array(["b", None, "a"], object), SIZE), ["b", "a"], ordered=True
        ),
        ["b", "a", None],
    ),
    "an enumeration of Polars": (
        pl.Series(LETTERS, dtype=pl.Enum(["c", "b", "a"])),
        ["c", "b", "a"],
    ),
    "nothing but gaps": (np.full(SIZE, None, object), [None]),
    "one segment": (np.full(SIZE, "all"), ["all"]),
    "one row each": (np.arange(SIZE), list(range(SIZE))),
}
every_name = pytest.mark.parametrize("named", NAMED)


def plain(by):
    """Return the name of each row's segment as Python has it, gaps as None."""
    listed = by.to_list() if hasattr(by, "to_list") else list(by)
    values = [each.item() if isinstance(each, np.generic) else each for each in listed]
    return [None if each != each else each for each in values]  # noqa: PLR0124 - NaN


def own_rows(by):
    """Return where the rows of each segment are."""
    places = {}
    for place, name in enumerate(by):
        places.setdefault(name, []).append(place)
    return places


def taken(column, places):
    """Return some rows of a column."""
    return np.asarray(column)[places]


def alike(found, expected):
    """Assert that counts are the same, names, order and types of the numbers included."""
    assert isinstance(found, SegmentCounts)
    assert list(found) == list(expected)
    assert [type(name) for name in found] == [type(name) for name in expected]
    for name, counts in expected.items():
        assert found[name] == counts, name
        assert type(found[name]) is type(counts)
        if isinstance(counts, cap.ScoreCounts):
            assert found[name].score.dtype == counts.score.dtype
            assert found[name].positives.dtype == counts.positives.dtype
    assert found == SegmentCounts.of(expected) or found == expected


@every_name
def test_each_segment_has_the_counts_of_its_own_rows(named):
    by, names = NAMED[named]
    found = cap.count_segments(Y, A, by=by)
    places = own_rows(plain(by))
    assert list(found) == names
    alike(found, {name: cap.count_scores(Y[places[name]], A[places[name]]) for name in names})


@every_name
def test_amounts_of_each_segment_are_those_of_its_own_rows(named):
    by, names = NAMED[named]
    found = cap.count_value_segments(AMOUNT, A, by=by)
    places = own_rows(plain(by))
    assert list(found) == names
    alike(found, {name: cap.count_values(AMOUNT[places[name]], A[places[name]]) for name in names})


def test_several_columns_are_crossed():
    pair = [LETTERS, np.resize([2, 1], SIZE)]
    found = cap.count_segments(Y, A, by=pair)
    places = own_rows(list(zip(LETTERS.tolist(), pair[1].tolist(), strict=True)))
    assert [tuple(name) for name in found] == sorted(places)
    for name, counts in found.items():
        assert counts == cap.count_scores(Y[places[tuple(name)]], A[places[tuple(name)]])
    gaps = np.where(LETTERS == "a", None, LETTERS.astype(object))
    crossed = cap.count_segments(Y, A, by=[gaps, pair[1]])
    assert [tuple(name) for name in crossed] == [("b", 1), ("b", 2), ("c", 2), (None, 1)]


PERIODS = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: "{}-W{:02}".format(*day.isocalendar()),
    "month": lambda day: f"{day:%Y-%m}",
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year}",
}


@pytest.mark.parametrize("period", PERIODS)
def test_periods_of_dates(period):
    places = own_rows([PERIODS[period](day) for day in DAYS])
    expected = {name: cap.count_scores(Y[rows], A[rows]) for name, rows in sorted(places.items())}
    for by in (DAYS, pd.to_datetime(DAYS), pl.Series(DAYS)):
        alike(cap.count_segments(Y, A, by=by, period=period), expected)


WAYS = {
    "single precision": {"score": A.astype(np.float32)},
    "narrow integers": {"score": (4 * A).astype(np.int8)},
    "booleans as scores": {"score": A > 0},
    "large integers": {"score": (4 * A).astype(np.int64) + 2**60},
    "zeros of both signs": {"score": np.where(np.arange(SIZE) % 2, 0.0, -0.0) + (A > 0)},
    "infinities": {"score": np.where(A > 0.5, np.inf, np.where(A < -0.5, -np.inf, A))},
    "grades": {"score": np.where(A > 0, "C", np.where(A < 0, "A", "B")), "levels": ["C", "B", "A"]},
    "an unseen grade": {"score": np.where(A > 0, "C", "A"), "levels": ["C", "B", "A"]},
    "resolution": {"score": B, "resolution": 0.5},
    "lower is riskier": {"higher_is": "negative"},
    "labels": {"target": np.where(Y, "bad", "good"), "pos_label": "bad"},
    "weights of no kind": {"weight": W / 4},
    "sampling": {"weight": W / 4, "weight_kind": "sampling"},
    "exposure": {"weight": W / 3, "weight_kind": "exposure"},
    "frequency": {"weight": W, "weight_kind": "frequency"},
    "whole sampling": {"weight": W, "weight_kind": "sampling"},
    "clusters": {"cluster": np.arange(SIZE) // 3},
    "named clusters": {"cluster": [f"obligor {place % 17}" for place in range(SIZE)]},
    "clusters and weights": {
        "cluster": np.arange(SIZE) % 19,
        "weight": W / 4,
        "weight_kind": "sampling",
    },
    "clusters and repeats": {
        "cluster": np.arange(SIZE) % 19,
        "weight": W,
        "weight_kind": "frequency",
        "higher_is": "negative",
    },
}
COLUMNS = {"target", "score", "weight", "cluster", "amount", "exposure"}


def parts_of(asked, places):
    """Return the keywords of some rows."""
    return {key: taken(value, places) if key in COLUMNS else value for key, value in asked.items()}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_count_holds_in_each_segment(way, gaps):
    asked = {"target": Y, "score": A} | WAYS[way]
    by = np.where(LETTERS == "c", None, LETTERS.astype(object)) if gaps else LETTERS
    found = cap.count_segments(**asked, by=by)
    places = own_rows(by)
    order = ["a", "b", None if gaps else "c"]
    alike(found, {name: cap.count_scores(**parts_of(asked, places[name])) for name in order})
    assert found.whole() == cap.count_scores(**asked)


AMOUNT_WAYS = {
    "plain": {},
    "whole amounts": {"amount": W},
    "exposure": {"exposure": W / 4 + 0.25},
    "clusters": {"cluster": np.arange(SIZE) // 3},
    "exposure and clusters": {"exposure": W / 4 + 0.25, "cluster": np.arange(SIZE) % 11},
    "lower is dearer": {"higher_is": "negative"},
    "grades": {"score": np.where(A > 0, "C", "A"), "levels": ["C", "A"]},
    "below zero": {"amount": A},
    "single precision": {"score": A.astype(np.float32)},
}


@pytest.mark.parametrize("way", AMOUNT_WAYS)
def test_every_way_to_count_amounts_holds_in_each_segment(way):
    asked = {"amount": AMOUNT, "score": A} | AMOUNT_WAYS[way]
    found = cap.count_value_segments(**asked, by=LETTERS)
    places = own_rows(LETTERS)
    alike(found, {name: cap.count_values(**parts_of(asked, places[name])) for name in "abc"})
    assert found.whole() == cap.count_values(**asked)


def test_rows_that_are_left_out_are_counted_in_their_segment_and_in_all():
    target, score = [1, 0, None, 1, 0, 1, 0, None], [1, NAN, 3, 4, 5, 6, NAN, NAN]
    by = ["a", "a", "b", "b", None, None, "c", "c"]
    found = cap.count_segments(target, score, by=by, missing="drop")
    assert list(found) == ["a", "b", "c", None]
    places = own_rows(by)
    for name, rows in places.items():
        alone = cap.count_scores(
            [target[row] for row in rows], [score[row] for row in rows], missing="drop"
        )
        lost = found[name].dropped
        assert (lost.rows, lost.outcomes) == (alone.dropped.rows, alone.dropped.outcomes)
        assert {**lost.columns, **alone.dropped.columns} == lost.columns
        assert sum(lost.columns.values()) == sum(alone.dropped.columns.values())
        assert found[name].n == alone.n
    assert [counts.dropped.rows for counts in found.values()] == [1, 1, 2, 0]
    whole = found.whole()
    assert whole == cap.count_scores(target, score, missing="drop")
    assert whole.dropped.rows == 4
    assert whole.dropped.columns == {"target": 2, "score": 3}
    amounts = cap.count_value_segments(target, score, by=by, missing="drop")
    assert [counts.dropped.rows for counts in amounts.values()] == [1, 1, 2, 0]
    assert amounts.whole() == cap.count_values(target, score, missing="drop")


def test_unfinished_cases_are_left_out_of_their_segment():
    labels = np.resize(["default", "open", "paid", "paid", "open"], SIZE)
    asked = {"pos_label": "default", "neg_label": "paid", "drop_label": "open"}
    found = cap.count_segments(labels, A, by=LETTERS, **asked)
    for name, places in own_rows(LETTERS).items():
        assert found[name] == cap.count_scores(labels[places], A[places], **asked)
        assert found[name].dropped.labels == {"target is 'open'": (labels[places] == "open").sum()}
    assert found.whole().dropped.labels == {"target is 'open'": (labels == "open").sum()}


def test_no_row_at_all():
    none = np.array([])
    found = cap.count_segments(none, none, by=none)
    assert isinstance(found, SegmentCounts)
    assert len(found) == 0
    assert list(found) == []
    assert found + cap.count_segments(Y, A, by=LETTERS) == cap.count_segments(Y, A, by=LETTERS)


# Where the rows are


FRAME = pd.DataFrame({"y": Y, "a": A, "b": B, "w": W / 4, "id": np.arange(SIZE) // 3})
FRAME["part"] = LETTERS
FRAME["gap"] = np.where(LETTERS == "c", None, LETTERS.astype(object))
FRAME["year"] = np.resize([2023, 2021, 2022], SIZE)
FRAME["amount"] = AMOUNT
FRAME["day"] = DAYS


def in_duckdb(frame, folder):  # noqa: ARG001 - as the others
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", frame)
    return connection.sql("SELECT * FROM given")


def in_sqlite(frame, folder):  # noqa: ARG001 - as the others
    connection = sqlite3.connect(":memory:")
    frame.drop(columns="day").to_sql("t", connection, index=False)
    return connection


def written(suffix, write):
    def of(frame, folder):
        write(frame, folder / f"rows.{suffix}")
        return folder / f"rows.{suffix}"

    return of


HOMES = {
    "pandas": lambda frame, folder: frame,  # noqa: ARG005 - as the others
    "columns": lambda frame, folder: {name: frame[name].tolist() for name in frame},  # noqa: ARG005
    "polars": lambda frame, folder: pl.from_pandas(frame),  # noqa: ARG005 - as the others
    "polars, lazy": lambda frame, folder: pl.from_pandas(frame).lazy(),  # noqa: ARG005
    "arrow": lambda frame, folder: pl.from_pandas(frame).to_arrow(),  # noqa: ARG005
    "duckdb": in_duckdb,
    "sqlite": in_sqlite,
    "csv": written("csv", lambda frame, path: frame.to_csv(path, index=False)),
    "parquet": written("parquet", lambda frame, path: pl.from_pandas(frame).write_parquet(path)),
}
ASKED = {
    "text": {"by": "part"},
    "gaps": {"by": "gap"},
    "numbers": {"by": "year"},
    "crossed": {"by": ["part", "year"]},
    "weights": {"by": "part", "weight": "w", "weight_kind": "sampling"},
    "clusters": {"by": "gap", "cluster": "id"},
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("home", HOMES)
def test_rows_anywhere_give_equal_counts_and_digests(home, asked, tmp_path):
    expected = cap.count_segments("y", "a", data=FRAME, **ASKED[asked])
    found = cap.count_segments("y", "a", data=HOMES[home](FRAME, tmp_path), **ASKED[asked])
    assert isinstance(found, SegmentCounts)
    assert list(found) == list(expected)
    assert dict(found) == dict(expected)
    assert found == expected
    assert found.digest() == expected.digest()


@pytest.mark.parametrize("home", sorted(set(HOMES) - {"sqlite"}))
def test_periods_are_the_same_anywhere(home, tmp_path):
    expected = cap.count_segments("y", "a", data=FRAME, by="day", period="month")
    data = HOMES[home](FRAME, tmp_path)
    found = cap.count_segments("y", "a", data=data, by="day", period="month")
    assert list(found) == ["2024-01", "2024-02", "2024-03"]
    assert found == expected
    assert found.digest() == expected.digest()


@pytest.mark.parametrize("home", HOMES)
def test_amounts_are_the_same_anywhere(home, tmp_path):
    expected = cap.count_value_segments("amount", "a", data=FRAME, by="gap")
    found = cap.count_value_segments("amount", "a", data=HOMES[home](FRAME, tmp_path), by="gap")
    assert dict(found) == dict(expected)
    assert found.digest() == expected.digest()


# Adding, in any order


ROWS = st.lists(
    st.tuples(
        st.integers(0, 1),
        anything,
        st.sampled_from(["a", "b", None, "", "c d"]),
        st.integers(1, 4),  # quarters of a weight, which add up exactly
        st.integers(0, 5),
    ),
    max_size=20,
)
KINDS = {
    "plain": lambda y, s, by, w, ids: cap.count_segments(y, s, by=by),  # noqa: ARG005
    "weighted": lambda y, s, by, w, ids: cap.count_segments(  # noqa: ARG005 - as the others
        y, s, by=by, weight=w / 4, weight_kind="sampling"
    ),
    "repeated": lambda y, s, by, w, ids: cap.count_segments(  # noqa: ARG005 - as the others
        y, s, by=by, weight=w, weight_kind="frequency"
    ),
    "clustered": lambda y, s, by, w, ids: cap.count_segments(y, s, by=by, cluster=ids),  # noqa: ARG005
    "amounts": lambda y, s, by, w, ids: cap.count_value_segments(w / 4 * y, s, by=by),  # noqa: ARG005
    "exposed": lambda y, s, by, w, ids: cap.count_value_segments(  # noqa: ARG005 - as the others
        w / 4 * y, s, by=by, exposure=w / 4
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def counted(kind, rows):
    kinds = (int, float, object, int, int)
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return KINDS[kind](*(np.array(c, dtype=k) for c, k in zip(columns, kinds, strict=True)))


@every_kind
@given(rows=ROWS, more=ROWS, last=ROWS, data=st.data())
def test_shards_add_in_any_order_and_grouping(kind, rows, more, last, data):
    whole = counted(kind, rows + more + last)
    parts = data.draw(st.permutations([counted(kind, each) for each in (rows, more, last)]))
    one, other, third = parts
    for total in (one + other + third, one + (other + third), SegmentCounts.merge(parts)):
        assert total == whole
        assert list(total) == list(whole)
        assert dict(total) == dict(whole)
        assert total.digest() == whole.digest()
    turned = counted(kind, data.draw(st.permutations(rows + more + last)))
    assert turned == whole
    assert turned.digest() == whole.digest()


@every_kind
@given(rows=ROWS, data=st.data())
def test_segments_add_to_the_counts_of_all_rows(kind, rows, data):
    found = counted(kind, rows)
    apart = [(y, s, "one", w, i) for y, s, _, w, i in rows]
    if rows:
        assert found.whole() == counted(kind, apart)["one"]
        name = data.draw(st.sampled_from(list(found)))
        left = [row for row in rows if row[2] != name]
        assert found != counted(kind, left)
        assert found.digest() != counted(kind, left).digest()


@given(ROWS)
def test_the_digest_says_to_which_segment_rows_belong(rows):
    swap = {"a": "b", "b": "a"}
    found = counted("plain", rows)
    moved = counted("plain", [(y, s, swap.get(by, by), w, i) for y, s, by, w, i in rows])
    assert (found == moved) == (found.digest() == moved.digest())
    assert (found == moved) == (dict(found) == dict(moved))


def test_the_digest_tells_names_of_another_type_apart():
    digests = [
        cap.count_segments([1, 0], [2, 1], by=by).digest()
        for by in ([1, 2], ["1", "2"], [None, 2], ["None", "2"], ["", "2"])
    ]
    assert len(set(digests)) == len(digests)


def test_equal_tables_have_equal_digests_and_hashes():
    """Names that are equal, such as 1 and 1.0, are one name."""
    pairs = [([1, 2], [1.0, 2.0]), ([0.0, 2.0], [-0.0, 2.0]), ([True, False], [1, 0])]
    for one, other in pairs:
        a, b = (cap.count_segments([1, 0], [2, 1], by=by) for by in (one, other))
        assert a == b
        assert hash(a) == hash(b)
        assert a.digest() == b.digest()
        assert (a + b).digest() == (b + a).digest()


@pytest.mark.parametrize("crossed", [False, True])
def test_shards_keep_the_order_of_categories(crossed):
    by = NAMED["ordered categories"][0]

    def part(rows):
        columns = [by[rows], np.resize([2, 1, 1], SIZE)[rows]]
        return cap.count_segments(Y[rows], A[rows], by=columns if crossed else columns[0])

    whole, half = part(np.arange(SIZE)), np.arange(SIZE) < SIZE / 2
    for total in (part(half) + part(~half), part(~half) + part(half)):
        assert list(total) == list(whole)
        assert total == whole


@pytest.mark.parametrize("by", [LETTERS, NAMED["floats with NaN"][0], NAMED["days"][0]])
def test_equal_columns_of_another_type_give_the_same_digest(by):
    digests = {
        cap.count_segments(y, a, by=kind).digest()
        for y in (Y, Y.astype(bool), Y.astype(float), Y.tolist())
        for a in (A, A.tolist(), pd.Series(A), pl.Series(A))
        for kind in (by, pd.Series(by), list(by))
    }
    assert len(digests) == 1


def test_shards_that_do_not_fit_are_refused():
    one = cap.count_segments(Y, A, by=LETTERS)
    others = [
        cap.count_segments(Y, A, by=LETTERS, higher_is="negative"),
        cap.count_segments(Y, B, by=LETTERS, resolution=0.5),
        cap.count_segments(Y, A, by=LETTERS, cluster=np.arange(SIZE)),
        cap.count_segments(Y, np.where(A > 0, "C", "A"), by=LETTERS, levels=["C", "A"]),
        cap.count_segments(Y, A, by=LETTERS, weight=W / 4, weight_kind="sampling"),
        cap.count_value_segments(AMOUNT, A, by=LETTERS),
    ]
    for other in others:
        for pair in ((one, other), (other, one)):
            with pytest.raises((TypeError, ValueError)) as caught:
                pair[0] + pair[1]
            assert "\n" not in str(caught.value)
    with pytest.raises(TypeError):
        one + 1


# A mapping


def test_it_is_a_mapping_as_a_dict_is():
    by = np.where(LETTERS == "c", None, LETTERS.astype(object))
    found = cap.count_segments(Y, A, by=by)
    known = dict(found)
    assert isinstance(found, Mapping)
    assert len(found) == len(known) == 3
    assert found.keys() == known.keys()
    assert list(found.values()) == list(known.values())
    assert list(found.items()) == list(known.items())
    assert "a" in found
    assert None in found
    assert "z" not in found
    assert 1 not in found
    assert found.get("z") is None
    assert found.get("z", 7) == 7
    assert found.get(None) == known[None]
    for name in ("z", 0, ("a",), NAN):
        with pytest.raises(KeyError):
            found[name]
    assert found == known
    assert known == found
    assert found != {**known, "a": known["b"]}
    assert found != {"a": known["a"]}


def test_it_cannot_be_changed():
    found = cap.count_segments(Y, A, by=LETTERS)
    with pytest.raises(TypeError):
        found["a"] = found["b"]
    with pytest.raises(TypeError):
        del found["a"]
    for name in ("n", "kind"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(found, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        found["a"].positives[0] = 9


def test_a_dict_becomes_the_same_table():
    found = cap.count_segments(Y, A, by=LETTERS)
    assert SegmentCounts.of(dict(found)) == found
    assert SegmentCounts.of(dict(found)).digest() == found.digest()
    turned = dict(reversed(list(found.items())))
    assert dict(SegmentCounts.of(turned)) == dict(found)


@pytest.mark.parametrize("way", ["plain", "weighted", "clustered", "amounts", "exposed"])
def test_copies_and_pickles_are_equal(way):
    found = counted(way, list(zip(Y, A, LETTERS, W + 1, np.arange(SIZE) % 7, strict=True)))
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):  # noqa: S301
        assert other == found
        assert other.digest() == found.digest()
        assert dict(other) == dict(found)
        assert other + found == found + found


def test_what_it_says_of_itself_is_short():
    found = cap.count_segments(Y, A, by=np.arange(SIZE))
    assert len(repr(found)) < 120
    assert "72" in repr(found)
    assert "\n" not in repr(found)


# Saved and read


SAVED = {
    "text": {"by": LETTERS},
    "gaps": {"by": FRAME["gap"]},
    "numbers": {"by": NAMED["integers"][0]},
    "booleans": {"by": NAMED["booleans"][0]},
    "days": {"by": NAMED["days"][0]},
    "months": {"by": DAYS, "period": "month"},
    "sampling": {"by": LETTERS, "weight": W / 4, "weight_kind": "sampling"},
    "clusters": {"by": LETTERS, "cluster": FRAME["id"]},
    "lower is riskier": {"by": LETTERS, "higher_is": "negative"},
    "resolution": {"by": LETTERS, "resolution": 0.5},
}
FILES = [(way, suffix) for way in SAVED for suffix in ("json", "parquet")]
# What a table for people says in full.
FILES += [(way, "csv") for way in ("text", "numbers", "months")]


@pytest.mark.parametrize(("way", "suffix"), FILES)
def test_saved_counts_are_read_back_equal(way, suffix, tmp_path):
    path = tmp_path / f"cells.{suffix}"
    counts = cap.count_segments(Y, A, **SAVED[way])
    cap.write_counts(counts, path)
    found = cap.read_counts(path)
    assert isinstance(found, SegmentCounts)
    assert list(found) == list(counts)
    assert dict(found) == dict(counts)
    assert found == counts
    assert found.digest() == counts.digest()


@pytest.mark.parametrize("suffix", ["json", "parquet", "csv"])
def test_names_that_a_file_does_not_give_back_are_refused_before_it_is_written(suffix, tmp_path):
    path = tmp_path / f"cells.{suffix}"
    with pytest.raises(ValueError, match="segment"):
        cap.write_counts(cap.count_segments(Y, A, by=[LETTERS, FRAME["year"]]), path)
    assert not path.exists()


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_saved_counts_keep_what_was_left_out(suffix, tmp_path):
    path = tmp_path / f"cells.{suffix}"
    target = np.where(np.arange(SIZE) % 5, Y, NAN)
    counts = cap.count_segments(target, A, by=LETTERS, missing="drop")
    cap.write_counts(counts, path)
    found = cap.read_counts(path)
    for name, part in counts.items():
        assert found[name].dropped == part.dropped
        assert found[name].dropped.rows > 0
    assert found.whole().dropped == counts.whole().dropped
    cap.write_counts(dict(counts), tmp_path / f"dict.{suffix}")
    assert cap.read_counts(tmp_path / f"dict.{suffix}") == counts


@pytest.mark.parametrize("suffix", ["json", "parquet", "csv"])
def test_saved_amounts_are_read_back_equal(suffix, tmp_path):
    path = tmp_path / f"cells.{suffix}"
    counts = cap.count_value_segments(AMOUNT, A, by=LETTERS)
    cap.write_counts(counts, path)
    assert cap.read_counts(path) == counts
    assert cap.read_counts(path).digest() == counts.digest()


def test_tables_of_shards_add_up(tmp_path):
    for place in range(3):
        rows = slice(place, None, 3)
        part = cap.count_segments(Y[rows], A[rows], by=LETTERS[rows])
        cap.write_counts(part, tmp_path / f"{place}.parquet")
    assert cap.read_counts(tmp_path / "*.parquet") == cap.count_segments(Y, A, by=LETTERS)


# Several scores


SEVERAL = {
    "plain": {},
    "frequency": {"weight": W, "weight_kind": "frequency"},
    "sampling": {"weight": W / 4, "weight_kind": "sampling"},
    "clusters": {"cluster": np.arange(SIZE) // 3},
    "one turned": {"higher_is": {"new": "negative", "old": "positive"}},
}


@pytest.mark.parametrize("way", SEVERAL)
def test_several_scores_of_each_segment_are_those_of_its_own_rows(way):
    asked = SEVERAL[way]
    found = cap.count_segments(Y, {"new": A, "old": B}, by=LETTERS, **asked)
    assert list(found) == ["a", "b", "c"]
    for name, rows in own_rows(LETTERS).items():
        alone = cap.count_joint(Y[rows], {"new": A[rows], "old": B[rows]}, **parts_of(asked, rows))
        assert found[name] == alone
    for name, score in (("new", A), ("old", B)):
        of_one = dict(asked)
        if way == "one turned":
            of_one["higher_is"] = asked["higher_is"][name]
        margin = found.margin(name)
        alike(margin, dict(cap.count_segments(Y, score, by=LETTERS, **of_one)))
        assert margin.digest() == cap.count_segments(Y, score, by=LETTERS, **of_one).digest()
    assert found.whole() == cap.count_joint(Y, {"new": A, "old": B}, **asked)


def test_several_scores_add_and_know_their_names():
    scores = {"new": A, "old": B}
    whole = cap.count_segments(Y, scores, by=LETTERS)
    rows = [np.arange(SIZE) % 3 == place for place in range(3)]
    parts = [
        cap.count_segments(Y[own], {"new": A[own], "old": B[own]}, by=LETTERS[own]) for own in rows
    ]
    for order in itertools.permutations(parts):
        assert order[0] + order[1] + order[2] == whole
        assert (order[0] + (order[1] + order[2])).digest() == whole.digest()
    assert pickle.loads(pickle.dumps(whole)) == whole  # noqa: S301 - written here
    with pytest.raises((KeyError, ValueError), match="new"):
        whole.margin("other")


def test_several_scores_of_amounts():
    found = cap.count_value_segments(AMOUNT, {"new": A, "old": B}, by=LETTERS)
    for name, rows in own_rows(LETTERS).items():
        alone = cap.count_joint_values(AMOUNT[rows], {"new": A[rows], "old": B[rows]})
        assert found[name] == alone
    alike(found.margin("old"), dict(cap.count_value_segments(AMOUNT, B, by=LETTERS)))


@pytest.mark.parametrize("home", ["pandas", "polars", "polars, lazy", "duckdb", "parquet", "csv"])
def test_several_scores_are_the_same_anywhere(home, tmp_path):
    expected = cap.count_segments("y", ["a", "b"], data=FRAME, by="gap")
    found = cap.count_segments("y", ["a", "b"], data=HOMES[home](FRAME, tmp_path), by="gap")
    assert list(found) == ["a", "b", None]
    assert found == expected
    assert found.digest() == expected.digest()


# What takes segments goes on


CHART = {"seed": 1, "alarms": 0.05, "drop": 0.1}


def usable():
    rng = np.random.default_rng(5)
    by = np.repeat(["2024-01", "2024-02", "2024-03"], 80)
    y = (rng.random(240) < 0.4).astype(int)
    return y, np.round(rng.normal(size=240) + y, 1), by


TAKERS = {
    "decompose": cap.decompose,
    "heterogeneity": cap.heterogeneity_test,
    "groups": lambda segments: cap.compare_groups(segments, replicates=20),
    "chart": lambda segments: cap.control_chart(segments, sum_of(segments), limit=5.0),
    "thresholds": cap.best_thresholds,
}


def sum_of(segments):
    return cap.ScoreCounts.merge(list(segments.values()))


def said_of(result):
    return result.to_dict() if hasattr(result, "to_dict") else result


@pytest.mark.parametrize("taker", TAKERS)
def test_what_takes_segments_gives_what_a_dict_gives(taker):
    y, s, by = usable()
    table = cap.count_segments(y, s, by=by)
    known = {name: cap.count_scores(y[by == name], s[by == name]) for name in sorted(set(by))}
    one, other = (TAKERS[taker](each) for each in (table, known))
    assert said_of(one) == said_of(other)


def test_segments_by_clusters_are_tested_as_a_dict_is():
    y, s, by = usable()
    table = cap.count_segments(y, s, by=by, cluster=np.arange(240) // 2)
    one, other = (cap.heterogeneity_test(each, method="jackknife") for each in (table, dict(table)))
    assert one == other


def test_an_evaluation_by_segment_has_the_same_segments():
    y, s, by = usable()
    found = cap.evaluate(y, s, by=by)
    table = cap.count_segments(y, s, by=by)
    assert cap.evaluate(table).to_dict() == cap.evaluate(dict(table)).to_dict()
    assert dict(found.segments["score"]) == dict(cap.evaluate(table).counts) == dict(table)


@given(st.lists(st.tuples(st.integers(0, 1), grid, st.integers(-2, 2)), min_size=1, max_size=30))
def test_any_rows_give_each_segment_its_own_counts(rows):
    y, s, by = (np.array(column) for column in zip(*rows, strict=True))
    found = cap.count_segments(y, s, by=by)
    assert list(found) == sorted(set(by.tolist()))
    for name, places in own_rows(by.tolist()).items():
        assert found[name] == cap.count_scores(y[places], s[places])
    assert found.whole() == cap.count_scores(y, s)

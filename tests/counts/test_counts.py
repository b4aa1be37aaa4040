"""ScoreCounts and JointCounts: construction, algebra, and what is written down."""

import copy
import json
import pickle
from collections import OrderedDict
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import capcurve as cap

counts_of = cap.ScoreCounts.from_counts


def test_cells_stand_most_likely_positive_first():
    up = counts_of([1, 3, 2], [1, 3, 2], [9, 7, 8])
    assert up.score.tolist() == [3, 2, 1]
    assert up.positives.tolist() == [3, 2, 1]
    down = counts_of([1, 3, 2], [1, 3, 2], [9, 7, 8], higher_is="negative")
    assert down.score.tolist() == [1, 2, 3]
    assert down.negatives.tolist() == [9, 8, 7]


def test_equal_scores_add_up_and_empty_cells_go():
    found = counts_of([1, 1, 2, 3], [1, 2, 0, 4], [0, 1, 0, 0])
    assert found.score.tolist() == [3, 1]
    assert found.positives.tolist() == [4, 3]


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [(255, np.uint8), (256, np.uint16), (65_536, np.uint32), (2**32, np.int64)],
)
def test_cells_are_as_narrow_as_they_can_be(largest, dtype):
    found = counts_of([2, 1], [largest, 0], [0, 1])
    assert found.positives.dtype == dtype
    assert found.negatives.dtype == np.uint8
    assert found.n == largest + 1


def test_the_arrays_cannot_be_changed():
    found = counts_of([1], [2], [3])
    for array in (found.score, found.positives, found.negatives):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        found.n1 = 7


def test_the_given_arrays_are_left_alone():
    score, target = np.array([3.0, 1.0, 2.0]), np.array([1, 0, 1])
    cap.count_scores(target, score)
    assert score.tolist() == [3, 1, 2]
    assert score.flags.writeable


@pytest.mark.parametrize(
    ("score", "positives", "negatives", "message"),
    [
        ([1], [-1], [2], "positives holds -1"),
        ([1], [1], [np.nan], "negatives holds nan"),
        ([1], [1], [np.inf], "negatives holds inf"),
        ([1, 2], [1], [1, 2], "score has 2 rows and positives has 1"),
        ([np.nan], [1], [1], "NaN in 1 of 1"),
        (["a"], [1], [1], "levels"),
        ([[1, 2, 3]], [1], [1], "one dimension"),
        ([1], ["x"], [1], "positives holds text such as 'x'; counts are numbers"),
        ([1], [2**62], [0], "2\\^62"),
        ([1, 2], [2**61, 2**61], [0, 0], "2\\^62"),
        ([1], [2**61], [2**61], "2\\^62"),
        ([1], [2.0**62], [0], "2\\^62"),
    ],
)
def test_tables_that_cannot_be_counts(score, positives, negatives, message):
    with pytest.raises((ValueError, TypeError), match=message):
        counts_of(score, positives, negatives)


def test_whole_floats_are_counts_and_fractions_are_weights():
    assert counts_of([1], [2.0], [3.0]).is_whole
    assert counts_of([1], [2.0], [3.0]) == counts_of([1], [2], [3])
    weighted = counts_of([2, 1], [0.5, 1], [1, 2.5])
    assert not weighted.is_whole
    assert cap.accuracy_ratio(weighted) == pytest.approx(
        (0.5 * 2.5 - 1 * 1) / (1.5 * 3.5), rel=1e-15
    )


def test_parts_may_come_one_by_one():
    part = counts_of([1, 2], [1, 2], [3, 4])
    assert sum([part, part, part]) == cap.ScoreCounts.merge(iter([part] * 3))


def test_taking_away_what_is_not_there():
    whole, part = counts_of([1, 2], [1, 2], [3, 4]), counts_of([2], [3], [0])
    with pytest.raises(ValueError, match="at score 2"):
        _ = whole - part
    with pytest.raises(ValueError, match="carry weights"):
        _ = counts_of([1], [0.5], [1]) - part
    assert len(whole - whole) == 0


def test_a_coarser_grid_follows_from_a_finer_one():
    rng = np.random.default_rng(4)
    score, target = rng.normal(size=500), rng.integers(0, 2, 500)
    exact = cap.count_scores(target, score)
    assert exact.at_resolution(0.25).at_resolution(0.5) == exact.at_resolution(0.5)
    with pytest.raises(ValueError, match="does not divide"):
        exact.at_resolution(0.2).at_resolution(0.5)
    with pytest.raises(ValueError, match="does not divide"):
        exact.at_resolution(0.5).at_resolution(0.1)


def test_scores_on_the_grid_stay_where_they_are():
    percent = np.arange(-100, 101) / 100
    found = counts_of(percent, np.ones(201), np.ones(201)).at_resolution(0.01)
    assert len(found) == 201
    assert found.thresholds.tolist() == percent[::-1].tolist()


def test_grids_of_whole_scores_are_exact_beyond_2_to_53():
    found = counts_of([2**60 + 9, 2**60 + 10, 2**60 + 19], [1, 2, 4], [1, 0, 0], resolution=10)
    step = (2**60 + 10) // 10 * 10
    assert {int(low): int(p) for low, p in zip(found.thresholds, found.positives, strict=True)} == {
        step + 10: 4,
        step: 3,
    }


def test_infinite_scores_have_grid_cells():
    found = counts_of([np.inf, 0.5, -np.inf], [1, 1, 1], [1, 1, 1], resolution=1)
    assert found.thresholds.tolist() == [np.inf, 0, -np.inf]


EVERY_KIND = [
    counts_of([1, 2], [1, 2], [3, 4]),
    counts_of([0.1, np.inf, -np.inf], [1, 2, 3], [3, 4, 5], higher_is="negative"),
    counts_of([2**63, 2**64 - 1], [1, 2], [3, 4]),
    counts_of([-(2**63), 2**63 - 1], [2**60, 2], [3, 4]),
    counts_of([-(2**53) - 1, 5], [1, 2], [3, 4]),
    counts_of(["A", "B"], [1, 2], [3, 4], levels=["B", "A", "C"]),
    counts_of([0.11, 0.19, 0.25], [1, 2, 3], [3, 4, 5], resolution=0.1),
    cap.count_scores([1, 0, 1], [1, 2, 2], weight=[0.5, 1e300, 1e-300], weight_kind="exposure"),
    cap.count_scores([1, 0, None], [1, 2, 2], missing="drop"),
    cap.count_scores([True, False], [True, False]),
    cap.count_scores([], []),
]


@pytest.mark.parametrize("counts", EVERY_KIND, ids=str)
def test_counts_survive_being_written_down(counts):
    text = json.dumps(counts.to_dict(), allow_nan=False)
    back = cap.ScoreCounts.from_dict(json.loads(text))
    assert back == counts
    assert back.digest() == counts.digest()
    assert back.score.dtype == counts.score.dtype
    assert (back.dropped, back.weight_kind) == (counts.dropped, counts.weight_kind)
    if counts.weights is not None:
        np.testing.assert_array_equal(back.weights.positive_roots, counts.weights.positive_roots)


@pytest.mark.parametrize("counts", EVERY_KIND, ids=str)
def test_readers_that_hold_every_number_in_a_double_lose_no_digit(counts):
    """As JavaScript does: whole numbers that it would round are written as text."""
    text = json.dumps(counts.to_dict(), allow_nan=False)
    assert json.loads(text, parse_int=lambda digits: int(float(digits))) == json.loads(text)


def test_another_format_is_refused():
    saved = counts_of([1], [1], [1]).to_dict()
    with pytest.raises(ValueError, match="version 99"):
        cap.ScoreCounts.from_dict({**saved, "version": 99})


def test_the_digest_is_of_the_values():
    plain = counts_of([1, 2], [1, 2], [3, 4])
    assert plain.digest() == counts_of([2.0, 1.0], [2, 1], [4, 3]).digest()
    assert plain.digest() == counts_of(np.array([1, 2], np.uint8), [1, 2], [3, 4]).digest()
    others = [
        counts_of([1, 2], [1, 2], [3, 5]),
        counts_of([1, 3], [1, 2], [3, 4]),
        counts_of([1, 2], [1, 2], [3, 4], higher_is="negative"),
        counts_of([1, 2], [1, 2], [3, 4], resolution=1),
    ]
    assert len({plain.digest(), *(other.digest() for other in others)}) == 5
    assert all(plain != other for other in others)


def test_neighbours_beyond_2_to_53_are_different_counts():
    assert counts_of([2**53], [1], [1]) != counts_of([2**53 + 1], [1], [1])
    assert counts_of([2.0**53], [1], [1]) != counts_of([2**53 + 1], [1], [1])


def test_the_repr_says_what_matters():
    assert repr(counts_of([1, 2], [1, 2], [3, 4])) == (
        "ScoreCounts(n=10, positives=3, distinct scores=2, higher_is='positive')"
    )
    dropped = cap.count_scores([1, 0, 1], [1, 2, None], missing="drop")
    assert "dropped=1 rows {'score': 1}" in repr(dropped)
    assert "resolution=0.5" in repr(counts_of([1], [1], [1], resolution=0.5))


def test_joint_counts_name_their_scores():
    joint = cap.count_joint([1, 0, 1], {"a": [1, 2, 1], "b": [5, 5, 5]})
    assert len(joint) == 2
    assert repr(joint) == "JointCounts(a, b; n=3, cells=2)"
    with pytest.raises(ValueError, match=r"no score 'c' here; have \['a', 'b'\]"):
        joint.margin("c")


def weighted(weights, **more):
    return cap.count_scores(
        [1, 1, 0, 0, 1, 0], [3, 3, 2, 2, 1, 1], weight=weights, weight_kind="sampling", **more
    )


def test_what_variances_need_of_weights_is_part_of_equality_and_the_digest():
    even, uneven = weighted([2, 2, 1, 1, 1, 1]), weighted([3.5, 0.5, 1, 1, 1, 1])
    assert even.positives.tolist() == uneven.positives.tolist()
    ses = [cap.confidence_interval(counts, "roc_auc").se for counts in (even, uneven)]
    assert ses[0] != pytest.approx(ses[1], rel=0.01)
    assert even != uneven
    assert even.digest() != uneven.digest()
    fewer = cap.count_scores([1, 0, 0, 1, 0], [3, 2, 2, 1, 1], weight=[4, 1, 1, 1, 1.0])
    more = cap.count_scores([1, 1, 0, 0, 1, 0], [3, 3, 2, 2, 1, 1], weight=[4, 0, 1, 1, 1, 1.0])
    assert fewer == more  # a row without weight is no row
    assert fewer.digest() == more.digest()
    split = cap.count_scores([1, 0, 0, 1, 0], [3, 2, 2, 1, 1], weight=[2, 1, 1, 1, 1.0])
    assert (split + split).positives.tolist() == weighted([2, 2, 2, 2, 2, 2]).positives.tolist()
    assert split + split != weighted([2, 2, 2, 2, 2, 2], resolution=None)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 2), st.floats(1e-3, 1e3)),
        min_size=1,
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_roots_do_not_depend_on_the_order_of_the_rows(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (
        cap.count_scores(*map(np.array, (y, s)), weight=np.array(w))
        for y, s, w in (zip(*order, strict=True) for order in (rows, shuffled))
    )
    assert one.weights.positive_roots.tolist() == other.weights.positive_roots.tolist()
    assert one.weights.negative_roots.tolist() == other.weights.negative_roots.tolist()
    for score, root in zip(one.score.tolist(), one.weights.positive_roots.tolist(), strict=True):
        exact = np.sqrt(sum(w * w for y, s, w in rows if y and s == score))
        assert root == pytest.approx(exact, rel=1e-13)


def test_roots_of_repeated_rows_are_those_of_the_rows():
    import polars as pl

    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {"y": rng.integers(0, 2, 400), "s": rng.integers(0, 4, 400), "w": rng.integers(1, 4, 400)}
    ).with_columns(w=pl.col("w") / 7)
    kind = {"weight": "w", "weight_kind": "sampling"}
    eager = cap.count_scores("y", "s", data=rows, **kind)
    lazy = cap.count_scores("y", "s", data=rows.lazy(), **kind)
    assert lazy.weights.positive_roots.tolist() == eager.weights.positive_roots.tolist()
    assert lazy.weights.negative_roots.tolist() == eager.weights.negative_roots.tolist()


SAVED = [counts for counts in EVERY_KIND if len(counts)] + [
    weighted([2, 2, 1, 1, 1, 0.5]),
    cap.count_scores([1, 0, 1, 0], [1, 2, 2, 3], cluster=["a", "a", "b", "c"]),
]


@pytest.mark.parametrize("said", [[], {}, {"format": [[]]}, {"format": "capcurve/score-counts"}])
def test_what_is_no_counts_is_refused_in_one_line(said):
    with pytest.raises(ValueError, match=r"^expected format 'capcurve/score-counts' version 2"):
        cap.ScoreCounts.from_dict(said)


def places_in(value, path=()):
    yield path
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from places_in(item, (*path, key))


def with_junk(value, path, junk):
    if not path:
        return junk
    changed = copy.copy(value)
    changed[path[0]] = with_junk(value[path[0]], path[1:], junk)
    return changed


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["inf", "object", "1" * 5000, [], {}, [None], {"rows": 1}]),
)


@given(st.sampled_from(SAVED), st.data())
@settings(max_examples=4 * settings.default.max_examples)
def test_no_damage_passes_and_none_raises_anything_else(counts, data):
    saved = counts.to_dict()
    path = data.draw(st.sampled_from(list(places_in(saved))))
    try:
        found = cap.ScoreCounts.from_dict(with_junk(saved, path, data.draw(JUNK)))
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most of them, but not all, are refused
    else:
        assert found == counts


@cache
def records():
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1], cluster=[1, 2, 3, 4])
    joint = cap.count_joint([1, 0, 1], {"a": [1, 2, 1], "b": [5, 5, 5]}, weight=[0.5, 1, 2])
    totals = cap.count_sorted([([4, 3, 2, 1], [1, 0, 1, 0], [0, 1, 0, 1])], n1=2, n0=2)
    return [
        counts,
        joint,
        totals,
        weighted([2, 2, 1, 1, 1, 0.5]),
        cap.cap_curve(counts),
        cap.lift_curve(counts),
        cap.gains_table(counts, bins=2),
        cap.null_band(counts),
        cap.cap_band(counts, seed=1),
        cap.score_distributions(counts),
        cap.summarize(counts),
    ]


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            if field.init:  # what is remembered is no part of a copy
                yield from arrays_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(tuple(value.values()))


@pytest.mark.parametrize("place", range(len(records())), ids=lambda p: type(records()[p]).__name__)
@pytest.mark.parametrize(
    "again",
    [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],  # noqa: S301
    ids=["made", "copied", "copied deeply", "unpickled"],
)
def test_arrays_stay_read_only_in_copies_and_pickles(place, again):
    record = records()[place]
    found = again(record)
    assert type(found) is type(record)
    assert repr(found) == repr(record)
    known = list(arrays_in(record))
    assert len(known) > 0
    for one, other in zip(known, arrays_in(found), strict=True):
        assert not other.flags.writeable
        np.testing.assert_array_equal(one, other)
    if isinstance(record, cap.ScoreCounts | cap.JointCounts):
        assert found == record
        assert hash(found) == hash(record)


def test_what_is_left_has_left_out_its_own_rows():
    a = cap.count_scores([1, 0, None], [1, 2, 3], missing="drop")
    b = cap.count_scores([1, 0, 1, 1], [1, 2, None, None], missing="drop")
    assert ((a + b) - b).dropped == a.dropped
    assert ((a + b) - a).dropped == b.dropped
    plain = counts_of([1, 2], [1, 0], [0, 1])
    assert ((a + plain) - plain).dropped == a.dropped
    assert ((plain + b) - b).dropped.rows == 0
    with pytest.raises(ValueError, match="more rows were left out of the second counts"):
        _ = (a + plain) - b


@pytest.mark.parametrize(
    "levels",
    [
        {"B": 1, "A": 2},
        MappingProxyType({"B": 1, "A": 2}),
        OrderedDict(B=1, A=2),
        {"A", "B"},
        "BA",
        7,
    ],
    ids=lambda levels: type(levels).__name__,
)
def test_levels_that_are_no_list_are_refused(levels):
    with pytest.raises(TypeError, match="levels must list the grades"):
        counts_of(["A", "B"], [1, 2], [3, 4], levels=levels)


def test_levels_may_be_anything_with_an_order():
    expected = counts_of(["A", "B"], [1, 2], [3, 4], levels=["B", "A"])
    for levels in (("B", "A"), np.array(["B", "A"]), iter(["B", "A"]), {"B": 1, "A": 2}.keys()):
        assert counts_of(["A", "B"], [1, 2], [3, 4], levels=levels) == expected

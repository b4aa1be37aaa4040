"""Counts add: in any order, in any grouping, with a zero, and back again."""

import json

import numpy as np
import pytest
import strategies as some
from hypothesis import given, strategies as st

import capcurve as cap


def bits(counts):
    """Every number here is compared to the last bit."""
    ks = cap.ks(counts)
    return (
        cap.accuracy_ratio(counts),
        cap.roc_auc(counts),
        cap.tie_mass(counts),
        (ks.statistic, ks.q, ks.threshold, ks.side),
        cap.captured_response(counts, 0.3),
        cap.bayesian_error_rate(counts),
        cap.cap_curve(counts).area,
    )


@given(some.rows(), st.randoms(use_true_random=False))
def test_row_order_never_matters(data, random):
    y, s = data
    order = list(range(len(y)))
    random.shuffle(order)
    straight, shuffled = cap.count_scores(y, s), cap.count_scores(y[order], s[order])
    assert straight == shuffled
    assert straight.digest() == shuffled.digest()
    assert bits(straight) == bits(shuffled)


@given(some.shards(), some.shards(), st.sampled_from(["positive", "negative"]))
def test_counting_two_parts_and_adding_is_counting_the_whole(a, b, higher_is):
    parts = [cap.count_scores(*part, higher_is=higher_is) for part in (a, b)]
    whole = cap.count_scores(np.append(a[0], b[0]), np.append(a[1], b[1]), higher_is=higher_is)
    assert parts[0] + parts[1] == whole
    assert (parts[0] + parts[1]).digest() == whole.digest()


@given(some.shards(), some.shards(), some.shards())
def test_addition_commutes_associates_and_merge_is_addition(a, b, c):
    a, b, c = (cap.count_scores(*part) for part in (a, b, c))
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    for order in ([a, b, c], [c, a, b], [b, c, a]):
        merged = cap.ScoreCounts.merge(order)
        assert merged == a + b + c
        assert merged.digest() == (a + b + c).digest()


@given(some.rows())
def test_empty_counts_are_the_zero(data):
    counts = cap.count_scores(*data)
    zero = cap.count_scores(np.array([], dtype=int), np.array([], dtype=float))
    assert len(zero) == 0
    assert zero.n == zero.n1 == zero.n0 == 0
    assert counts + zero == counts == zero + counts


@given(some.rows(), some.shards())
def test_subtraction_undoes_addition(a, b):
    a, b = cap.count_scores(*a), cap.count_scores(*b)
    assert (a + b) - b == a
    assert ((a + b) - b).digest() == a.digest()
    assert len(a - a) == 0


@given(some.rows(scores=some.grid))
def test_subtraction_never_goes_below_zero(data):
    counts = cap.count_scores(*data)
    with pytest.raises(ValueError, match=r"negative|below zero|not (contained|part)|more"):
        counts - (counts + counts)


@given(some.rows())
def test_counts_know_their_totals(data):
    y, s = data
    counts = cap.count_scores(y, s)
    assert (counts.n, counts.n1, counts.n0) == (len(y), sum(y), len(y) - sum(y))
    assert counts.prevalence == sum(y) / len(y)
    assert len(counts) == len(set(s.tolist()))
    assert counts.positives.sum() == counts.n1
    assert counts.negatives.sum() == counts.n0


@given(some.rows(), st.sampled_from(["positive", "negative"]))
def test_a_dictionary_gives_the_counts_back(data, higher_is):
    counts = cap.count_scores(*data, higher_is=higher_is)
    again = cap.ScoreCounts.from_dict(counts.to_dict())
    assert again == counts
    assert again.digest() == counts.digest()


@given(some.rows(scores=some.finite))
def test_strict_json_gives_the_counts_back(data):
    counts = cap.count_scores(*data)
    text = json.dumps(counts.to_dict(), allow_nan=False)
    assert cap.ScoreCounts.from_dict(json.loads(text)) == counts


@given(some.rows(), st.integers(0, 10**6))
def test_the_digest_sees_one_changed_label(data, where):
    y, s = data
    changed = y.copy()
    changed[where % len(y)] ^= 1
    assert cap.count_scores(y, s).digest() != cap.count_scores(changed, s).digest()
    assert cap.count_scores(y, s) != cap.count_scores(changed, s)


@pytest.mark.parametrize(
    "other",
    [
        {"higher_is": "negative"},
        {"resolution": 0.5},
        {"weight": np.array([0.5, 1.5]), "weight_kind": "exposure"},
    ],
)
def test_counts_of_unlike_settings_do_not_add(other):
    y, s = [0, 1], [0.25, 0.75]
    with pytest.raises(ValueError, match=r"higher_is|resolution|weight"):
        cap.count_scores(y, s) + cap.count_scores(y, s, **other)


def test_unlike_grade_names_do_not_add():
    first = cap.count_scores([1, 0], ["B", "A"], levels=["B", "A"])
    second = cap.count_scores([1, 0], ["B", "A"], levels=["A", "B"])
    with pytest.raises(ValueError, match="levels"):
        first + second


def test_fractional_counts_do_not_subtract():
    counts = cap.count_scores([0, 1], [0.25, 0.75], weight=[0.1, 0.7], weight_kind="exposure")
    with pytest.raises(ValueError, match=r"whole|weight"):
        counts - counts


@given(some.rows())
def test_counts_are_read_only_and_inputs_stay_as_they_were(data):
    y, s = data
    before = y.tobytes(), s.tobytes()
    counts = cap.count_scores(y, s)
    bits(counts)
    assert (y.tobytes(), s.tobytes()) == before
    for array in (counts.score, counts.positives, counts.negatives):
        assert not array.flags.writeable
        assert not np.shares_memory(array, y)
        assert not np.shares_memory(array, s)


@given(some.rows(), st.lists(st.sampled_from(["jan", "feb", "mar"]), min_size=27, max_size=27))
def test_segments_sum_to_the_whole(data, months):
    y, s = data
    by = np.array(months[: len(y)])
    segments = cap.count_segments(y, s, by=by)
    assert set(segments) == set(by.tolist())
    assert cap.ScoreCounts.merge(segments.values()) == cap.count_scores(y, s)
    for month, counts in segments.items():
        assert counts == cap.count_scores(y[by == month], s[by == month])


@given(some.rows(), st.lists(some.anything, min_size=27, max_size=27))
def test_the_margins_of_joint_counts_are_the_counts(data, other):
    y, first = data
    second = np.array(other[: len(y)])
    joint = cap.count_joint(y, {"first": first, "second": second})
    assert tuple(joint.names) == ("first", "second")
    assert joint.margin("first") == cap.count_scores(y, first)
    assert joint.margin("second") == cap.count_scores(y, second)


KINDS = ({}, {"weight_kind": "sampling"}, {"weight_kind": "frequency"})
joint_rows = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 3), some.grid, st.integers(1, 3), st.integers(0, 9)
    ),
    max_size=12,
)


def count_jointly(rows, kind, direction, *, clusters):
    y, a, b, w, ids = (np.array([row[place] for row in rows]) for place in range(5))
    more = {"weight": w, **kind} if kind else {}
    more |= {"cluster": ids} if clusters else {}
    return cap.count_joint(y.astype(int), {"a": a, "b": b}, higher_is=direction, **more)


def same(one, other):
    if one.groups is None or other.groups is None:
        return one == other and one.groups is other.groups
    return one == other and all(map(same, one.groups, other.groups))


@given(
    st.lists(joint_rows, min_size=3, max_size=3),
    st.sampled_from(KINDS),
    st.sampled_from(["positive", "negative"]),
    st.booleans(),
)
def test_joint_counts_add_as_their_rows_do(parts, kind, direction, clusters):
    a, b, c = (count_jointly(rows, kind, direction, clusters=clusters) for rows in parts)
    whole = count_jointly([*parts[0], *parts[1], *parts[2]], kind, direction, clusters=clusters)
    zero = count_jointly([], kind, direction, clusters=clusters)
    assert same(a + b, b + a)
    assert same((a + b) + c, a + (b + c))
    assert same(cap.JointCounts.merge([c, a, b]), whole)
    assert same(sum([a, b, c]), whole)
    assert same(a + zero, a)
    assert same(zero + a, a)
    for name in ("a", "b"):
        margins = [joint.margin(name) for joint in (a, b, c)]
        assert same(cap.ScoreCounts.merge(margins), whole.margin(name))


def test_unlike_joint_counts_do_not_add():
    y, scores = [1, 0, 1], {"a": [1, 2, 3], "b": [3, 1, 2]}
    joint = cap.count_joint(y, scores)
    for other, message in (
        (cap.count_joint(y, {"a": [1, 2, 3], "c": [3, 1, 2]}), "names="),
        (cap.count_joint(y, scores, higher_is="negative"), "higher_is="),
        (cap.count_joint(y, scores, resolution=1), "resolution="),
        (cap.count_joint(y, scores, weight=[1, 2, 3]), "weight"),
        (cap.count_joint(y, scores, cluster=[1, 2, 3]), "counts with clusters and counts without"),
    ):
        with pytest.raises(ValueError, match=message):
            joint + other
    with pytest.raises(ValueError, match="no joint counts to add up"):
        cap.JointCounts.merge([])
    with pytest.raises(TypeError, match="JointCounts add up with their like, got ScoreCounts"):
        cap.JointCounts.merge([joint, joint.margin("a")])
    with pytest.raises(TypeError):
        joint + joint.margin("a")

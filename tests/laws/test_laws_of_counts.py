"""Counts of every kind add: in any order, in any grouping, with a zero, and back again."""

import copy
import json
import pickle
from dataclasses import fields, is_dataclass
from typing import NamedTuple

import numpy as np
import pytest
import strategies as some
from hypothesis import given, settings, strategies as st

import capcurve as cap

few = settings(max_examples=settings.default.max_examples // 2)
ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 1]),
        some.anything,
        some.grid,
        st.integers(1, 4),  # quarters of a weight, which add up exactly
        st.sampled_from([0.0, -0.0, 0.1, 2.5, 7.0]),
        st.integers(0, 9),
        st.booleans(),
    ),
    max_size=12,
)
# Partial counts need both classes, and a case without outcome, in each part.
FIRST = [(0, 0.25, 0.5, 1, 0.1, 1, True), (1, 0.5, 0.5, 1, 0.1, 2, True)]
FIRST += [(0, 0.75, 0.25, 2, 2.5, 3, False)]


class Sample(NamedTuple):
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    weight: np.ndarray
    amount: np.ndarray
    ids: np.ndarray
    known: np.ndarray

    @classmethod
    def of(cls, rows):
        columns = list(zip(*rows, strict=True)) or [()] * 7
        kinds = (int, float, float, float, float, int, bool)
        return cls(*(np.array(c, dtype=k) for c, k in zip(columns, kinds, strict=True)))

    @property
    def both(self):
        return {"a": self.a, "b": self.b}

    @property
    def outcomes(self):
        return [y if known else None for y, known in zip(self.y.tolist(), self.known, strict=True)]


def said(sample, how):
    """Return the keywords of one way to count."""
    found = {"higher_is": how.get("higher_is", "positive")}
    if "weight_kind" in how:
        whole = how["weight_kind"] == "frequency"
        found |= {"weight": sample.weight if whole else sample.weight / 4}
        found |= {"weight_kind": how["weight_kind"]}
    if how.get("exposure"):
        found["exposure"] = sample.weight / 4
    if how.get("cluster"):
        found["cluster"] = sample.ids
    return found


KINDS = {
    "scores": lambda s, **how: cap.count_scores(s.y, s.a, **how),
    "joint": lambda s, **how: cap.count_joint(s.y, s.both, **how),
    "cases": lambda s, **how: cap.count_cases(s.a, **how),
    "joint cases": lambda s, **how: cap.count_joint_cases(s.both, **how),
    "partial": lambda s, **how: cap.count_partial(s.outcomes, s.a, **how),
    "joint partial": lambda s, **how: cap.count_partial(s.outcomes, s.both, **how),
    "values": lambda s, **how: cap.count_values(s.amount, s.a, **how),
    "joint values": lambda s, **how: cap.count_joint_values(s.amount, s.both, **how),
    "ordinal": lambda s, **_: cap.count_classes(s.amount, s.b, classes=[0, 0.25, 1]),
}
WEIGHTED = ({}, {"weight_kind": "sampling"}, {"weight_kind": "frequency"})
EXPOSED = ({}, {"exposure": True})
WAYS = [
    (kind, {**more, "higher_is": direction, "cluster": cluster})
    for kind in KINDS
    for more in ((EXPOSED if "values" in kind else WEIGHTED) if kind != "ordinal" else ({},))
    for direction in ("positive", "negative")[: 1 if kind == "ordinal" else 2]
    for cluster in (False, True)[: 1 if kind == "ordinal" else 2]
]
IDS = [" ".join([kind, *map(str, filter(None, how.values()))]) for kind, how in WAYS]
every_way = pytest.mark.parametrize(("kind", "how"), WAYS, ids=IDS)
every_kind = pytest.mark.parametrize("kind", KINDS)


def ways_of(kind):
    return st.sampled_from([how for known, how in WAYS if known == kind])


def counted(rows, kind, how):
    sample = Sample.of([*FIRST, *rows] if "partial" in kind else rows)
    return KINDS[kind](sample, **(said(sample, how) if how else {}))


def same(one, other):
    """Whether counts, their digests and their groups of clusters are equal."""
    if hasattr(one, "held"):
        return same(one.held, other.held)
    if hasattr(one, "known") and hasattr(one, "unknown"):
        return same(one.known, other.known) and same(one.unknown, other.unknown)
    groups = (one.groups, other.groups)
    alike = groups == (None, None) if None in groups else all(map(same, *groups))
    digests = [each.digest() for each in (one, other) if hasattr(each, "digest")]
    return alike and one == other and len(set(digests)) <= 1


@every_kind
@few
@given(ROWS, st.randoms(use_true_random=False), st.data())
def test_row_order_never_matters(kind, rows, random, data):
    how = data.draw(ways_of(kind))
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert same(counted(rows, kind, how), counted(shuffled, kind, how))


@every_kind
@few
@given(st.lists(ROWS, min_size=3, max_size=3), st.data())
def test_parts_add_up_to_the_whole_in_any_order_and_grouping(kind, parts, data):
    how = data.draw(ways_of(kind))
    first = FIRST if "partial" in kind else []
    whole = counted([row for part in parts for row in first + part][len(first) :], kind, how)
    a, b, c = (counted(part, kind, how) for part in parts)
    merge = type(a).merge
    for found in (a + b + c, a + (b + c), c + b + a, sum([b, a, c]), merge([c, a, b])):
        assert same(found, whole)
    assert same(merge([a]), a)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "partial" not in kind])
@few
@given(ROWS, st.data())
def test_empty_counts_are_the_zero(kind, rows, data):
    how = data.draw(ways_of(kind))
    counts, zero = counted(rows, kind, how), counted([], kind, how)
    assert len(zero) == 0
    assert same(counts + zero, counts)
    assert same(zero + counts, counts)


@pytest.mark.parametrize("kind", ["scores", "values"])
@few
@given(ROWS, ROWS, st.data())
def test_subtraction_undoes_addition(kind, rows, others, data):
    exact = [how for known, how in WAYS if known == kind and how.get("weight_kind") != "sampling"]
    how = data.draw(st.sampled_from(exact))
    a, b = counted(rows, kind, how), counted(others, kind, how)
    assert same((a + b) - b, a)
    assert len(a - a) == 0
    if len(a):
        with pytest.raises(ValueError, match=r"not a part|more") as refused:
            a - (a + a)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["scores", "cases", "partial", "values"])
@few
@given(ROWS, st.data())
def test_strict_json_gives_the_counts_back(kind, rows, data):
    how = data.draw(ways_of(kind))
    counts = counted(rows, kind, how)
    saved = json.loads(json.dumps(counts.to_dict(), allow_nan=False))
    assert same(type(counts).from_dict(saved), counts)
    assert saved["digest"] == counts.digest()
    with pytest.raises(ValueError, match="changed after they were saved"):
        type(counts).from_dict({**saved, "digest": "0" * 64})


@pytest.mark.parametrize("kind", ["joint", "joint cases", "joint partial", "joint values"])
@few
@given(ROWS, st.data())
def test_margins_of_joint_counts_are_the_counts(kind, rows, data):
    how = data.draw(ways_of(kind))
    joint = counted(rows, kind, how)
    assert tuple(joint.names) == ("a", "b")
    alone = {"joint": "scores"}.get(kind, kind.removeprefix("joint "))
    swapped = [(y, b, b, *rest) for y, _, b, *rest in rows]
    first = [(y, b, b, *rest) for y, _, b, *rest in FIRST] if "partial" in kind else []
    assert same(joint.margin("a"), counted(rows, alone, how))
    sample = Sample.of([*first, *swapped])
    assert same(joint.margin("b"), KINDS[alone](sample, **said(sample, how)))
    with pytest.raises(ValueError, match="no score 'c' here"):
        joint.margin("c")


@pytest.mark.parametrize("kind", ["scores", "cases", "partial", "values"])
@few
@given(ROWS, st.sampled_from([0.25, 0.5, 2.0]), st.data())
def test_a_grid_may_be_laid_later(kind, rows, step, data):
    how = data.draw(ways_of(kind))
    first = FIRST if "partial" in kind else []
    sample = Sample.of([*first, *((y, b, b, *rest) for y, _, b, *rest in rows)])
    floored = KINDS[kind](sample, **said(sample, how), resolution=step)
    assert same(KINDS[kind](sample, **said(sample, how)).at_resolution(step), floored)
    assert floored.resolution == step


@every_kind
@few
@given(ROWS.filter(bool), st.integers(0, 99), st.data())
def test_one_changed_row_is_seen(kind, rows, where, data):
    how = data.draw(ways_of(kind))
    place = where % len(rows)
    y, _, b, *rest = rows[place]
    moved = [*rows[:place], (y, 99.0, b + 50, *rest), *rows[place + 1 :]]
    one, other = counted(rows, kind, how), counted(moved, kind, how)
    assert one != other
    if kind in {"scores", "joint", "cases", "partial", "values", "ordinal"}:
        assert one.digest() != other.digest()


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from arrays_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays_in(item)


@pytest.mark.turns(4)
@every_way
def test_copies_are_equal_and_read_only_and_inputs_stay_as_they_were(kind, how):
    rows = [(k % 2, k % 5, (k % 3) / 4, 1 + k % 4, k % 2 * 2.5, k, k % 3 > 0) for k in range(20)]
    sample = Sample.of(rows)
    before = [column.tobytes() for column in sample]
    counts = KINDS[kind](sample, **(said(sample, how) if kind != "ordinal" else {}))
    pickled = pickle.loads(pickle.dumps(counts))  # noqa: S301 - our own
    for other in (counts, copy.copy(counts), copy.deepcopy(counts), pickled):
        assert same(other, counts)
        assert hash(other) == hash(counts)
        assert repr(other) == repr(counts)
        found = list(arrays_in(other))
        assert found
        assert not any(array.flags.writeable for array in found)
        assert not any(np.shares_memory(one, two) for one in found for two in sample)
    assert [column.tobytes() for column in sample] == before
    assert counts != "counts"


UNLIKE = {
    "higher_is": {"higher_is": "negative"},
    "resolution": {"resolution": 0.5},
    "weight": {"weight": [0.5, 1.5, 1.0], "weight_kind": "exposure"},
    "exposure": {"exposure": [0.5, 1.5, 1.0]},
    "cluster": {"cluster": [1, 2, 3]},
}
SMALL = Sample.of(FIRST)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        (kind, named)
        for kind in KINDS
        for named in UNLIKE
        # Amounts have exposures, and classes weights.
        if kind != "ordinal" and named != ("weight" if "values" in kind else "exposure")
    ],
)
def test_counts_of_unlike_settings_do_not_add(kind, named):
    one, other = KINDS[kind](SMALL), KINDS[kind](SMALL, **UNLIKE[named])
    for pair in ((one, other), (other, one)):
        with pytest.raises(ValueError, match=named) as refused:
            pair[0] + pair[1]
        assert "\n" not in str(refused.value)
    assert named == "cluster" or one != other


@pytest.mark.parametrize("kind", ["scores", "cases", "partial", "values"])
def test_unlike_grade_names_do_not_add(kind):
    graded = SMALL._replace(a=np.array(["B", "A", "B"]))
    one, other = (KINDS[kind](graded, levels=levels) for levels in (["B", "A"], ["A", "B"]))
    with pytest.raises(ValueError, match="levels"):
        one + other


@every_kind
def test_counts_add_up_with_their_like_alone(kind):
    counts = KINDS[kind](SMALL)
    other = cap.count_scores([1, 0], [2, 1]) if kind != "scores" else cap.count_cases([1])
    for stranger in (other, 1, "counts"):
        with pytest.raises(TypeError):
            counts + stranger
        with pytest.raises(TypeError, match="add up with their like, got") as refused:
            type(counts).merge([counts, stranger])
        assert "\n" not in str(refused.value)
    if kind in {"scores", "values"}:
        assert len(type(counts).merge([])) == 0
        assert same(type(counts).merge([]) + counts, counts)
    else:
        with pytest.raises(ValueError, match=r"there are no .*counts.* to add up, so it is not"):
            type(counts).merge([])

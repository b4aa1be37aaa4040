"""Cases without outcome: counting, adding, saving, and what is refused in one line."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import capcurve as cap

SCORES = [0.25, 0.5, 0.5, 0.75, 0.25, 0.5]
TARGET = [0, 1, 0, 1, 0, 0]
WEIGHTS = [0.5, 2.0, 0.25, 1.5, 3.0, 0.125]
CLUSTERS = [1, 1, 2, 3, 3, 4]

rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 1), st.sampled_from([0.25, 1.0, 2.5])),
    min_size=1,
    max_size=30,
)


def of_all_kinds():
    counted = {"plain": cap.count_cases(SCORES)}
    counted["falling"] = cap.count_cases(SCORES, higher_is="negative")
    counted["grades"] = cap.count_cases(["B", "A", "A"], levels=["C", "B", "A"])
    counted["grid"] = cap.count_cases(SCORES, resolution=0.5)
    counted["clustered"] = cap.count_cases(SCORES, cluster=CLUSTERS)
    counted["weighted"] = cap.count_cases(SCORES, weight=WEIGHTS, weight_kind="sampling")
    counted["both"] = cap.count_cases(SCORES, weight=WEIGHTS, cluster=CLUSTERS)
    counted["dropped"] = cap.count_cases([0.5, None, 0.5, 1.0], missing="drop")
    counted["none"] = cap.count_cases([])
    counted["shares"] = cap.CaseCounts.from_counts([2, 1], [0.5, 1.25])
    return counted


KINDS = of_all_kinds()
every_kind = pytest.mark.parametrize("counts", KINDS.values(), ids=KINDS)


def test_cases_are_counted_at_each_score_most_likely_positive_first():
    found = cap.count_cases(SCORES)
    assert found.score.tolist() == [0.75, 0.5, 0.25]
    assert found.cases.tolist() == [1, 3, 2]
    assert (found.n, len(found), found.is_whole) == (6, 3, True)
    falling = cap.count_cases(SCORES, higher_is="negative")
    assert falling.score.tolist() == [0.25, 0.5, 0.75]
    assert falling.cases.tolist() == [2, 3, 1]


def test_frequencies_are_cases_and_other_weights_add_up():
    often = cap.count_cases(SCORES, weight=[1, 2, 3, 0, 5, 1], weight_kind="frequency")
    assert often.score.tolist() == [0.5, 0.25]
    assert often.cases.tolist() == [6, 6]
    assert often.weights is None
    weighted = cap.count_cases(SCORES, weight=WEIGHTS, weight_kind="sampling")
    assert weighted.cases.tolist() == [1.5, 2.375, 3.5]
    assert weighted.weight_kind == "sampling"
    assert weighted.weights.negative_rows == 6


@given(rows)
def test_cases_of_counts_are_those_counted_without_the_outcome(sample):
    score, target, weight = (list(column) for column in zip(*sample, strict=True))
    cluster = [5 * s + t for s, t in zip(score, target, strict=True)]
    for said in ({}, {"cluster": cluster}, {"weight": weight}, {"resolution": 2.0}):
        counts = cap.count_scores(target, score, **said)
        assert counts.cases == cap.count_cases(score, **said)
        assert counts.cases.digest() == cap.count_cases(score, **said).digest()


@every_kind
def test_what_is_written_down_is_read_back(counts):
    saved = json.loads(json.dumps(counts.to_dict(), allow_nan=False))
    back = cap.CaseCounts.from_dict(saved)
    assert back == counts
    assert back.digest() == counts.digest() == saved["digest"]
    assert (back.groups is None) == (counts.groups is None)
    assert back.dropped == counts.dropped
    if counts.groups is None:  # else the cells of each group are saved
        assert saved["cells"]["cases"] == counts.cases.tolist()
    assert "positives" not in json.dumps(saved)


@every_kind
def test_copies_are_equal(counts):
    for other in (copy.copy(counts), copy.deepcopy(counts), pickle.loads(pickle.dumps(counts))):  # noqa: S301 - our own
        assert other == counts
        assert hash(other) == hash(counts)
        assert other.digest() == counts.digest()


def test_a_digest_tells_cases_from_negatives_and_kinds_from_each_other():
    held = KINDS["plain"].held
    assert held.n1 == 0
    assert held.digest() != KINDS["plain"].digest()
    digests = [counts.digest() for name, counts in KINDS.items() if name != "clustered"]
    assert len(set(digests)) == len(digests)
    # Clusters are no part of a fingerprint, as everywhere.
    assert KINDS["clustered"].digest() == KINDS["plain"].digest()


def test_a_table_of_grades():
    found = cap.CaseCounts.from_counts(["A", "C", "A"], [7, 2, 3], levels=["C", "B", "A"])
    assert found.thresholds.tolist() == ["C", "A"]
    assert found.cases.tolist() == [2, 10]
    assert found.levels == ("C", "B", "A")
    assert found == cap.count_cases(["C"] * 2 + ["A"] * 10, levels=["C", "B", "A"])


def test_grids_and_neighbours():
    counts = cap.CaseCounts.from_counts([0.12, 0.18, 0.31], [1, 2, 4])
    assert counts.at_resolution(0.1).thresholds.tolist() == [0.3, 0.1]
    assert counts.at_resolution(0.1).cases.tolist() == [4, 3]
    assert counts.joined([2, 3]).score.tolist() == [0.18, 0.12]
    assert counts.joined([2, 3]).cases.tolist() == [6, 1]


def test_joint_cases():
    scores = {"old": [1, 2, 2, 1], "new": [3, 3, 4, 3]}
    joint = cap.count_joint_cases(scores)
    assert joint.names == ("old", "new")
    assert [values.tolist() for values in joint.scores] == [[1, 2, 2], [3, 3, 4]]
    assert joint.cases.tolist() == [2, 1, 1]
    assert joint.margin("new") == cap.count_cases(scores["new"])
    assert joint == cap.count_joint([0, 1, 1, 0], scores).cases
    assert (joint + joint).n == 8
    assert joint.joined({"old": [2]}).cases.tolist() == [4]
    assert pickle.loads(pickle.dumps(joint)) == joint  # noqa: S301 - our own
    graded = cap.count_joint_cases(
        {"a": ["x", "y"], "b": [1, 2]}, levels={"a": ["y", "x"]}, higher_is={"b": "negative"}
    )
    assert graded.levels == (("y", "x"), None)
    assert graded.higher_is == ("positive", "negative")


def test_rows_without_a_score_are_told_or_refused():
    found = cap.count_cases([0.5, None, np.nan, 1.0], missing="drop")
    assert found.cases.tolist() == [1, 1]
    assert (found.dropped.rows, found.dropped.columns) == (2, {"score": 2})
    assert repr(found) == (
        "CaseCounts(n=2, distinct scores=2, higher_is='positive', dropped=2 rows {'score': 2})"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cap.count_cases([0.5, None]),
            'score is missing .* in 1 of 2 rows.*missing="drop"',
        ),
        (lambda: cap.count_cases(["A", "B"]), r"score holds text .* pass levels"),
        (lambda: cap.count_cases("pd"), "to name a column, pass data="),
        (lambda: cap.count_cases(None), "score must be a column of values, got NoneType"),
        (lambda: cap.count_cases("pd", data={"p": [1]}), r"no column 'pd'.*did you mean 'p'"),
        (lambda: cap.count_cases([1, 2], weight=[1]), "score has 2 rows and weight has 1"),
        (lambda: cap.count_cases([1, 2], cluster=[1]), "score has 2 rows and cluster has 1"),
        (lambda: cap.count_cases([1], weight=[-1]), "weight holds -1"),
        (lambda: cap.count_cases([1], weight_kind="sampling"), "given without weight"),
        (lambda: cap.count_cases([1], higher_is="up"), "higher_is must be"),
        (lambda: cap.count_cases([1], resolution=0), "resolution must be a positive number"),
        (lambda: cap.count_joint_cases({}), "no score was named"),
        (lambda: cap.CaseCounts.from_counts([1, 2], [1]), "score has 2 rows and cases has 1"),
        (
            lambda: cap.CaseCounts.from_counts([1], [-1]),
            "cases holds -1; counts are never negative",
        ),
        (
            lambda: cap.CaseCounts.from_counts([1], ["x"]),
            "cases holds text such as 'x'; counts are numbers",
        ),
        (lambda: cap.CaseCounts.from_counts(["A"], [1]), "levels"),
        (lambda: cap.CaseCounts.from_counts([1], [2**62]), r"2\^62"),
        (lambda: cap.CaseCounts.merge([]), "no counts of cases to add up"),
        (lambda: cap.CaseCounts.merge([KINDS["plain"], 3]), "with their like, got int"),
        (
            lambda: KINDS["plain"] + KINDS["falling"],
            "higher_is='positive' and higher_is='negative'",
        ),
        (lambda: KINDS["plain"] + KINDS["clustered"], "counts with clusters and counts without"),
        (lambda: cap.CaseCounts(cap.count_scores([1], [1])), "take counts.cases to count both"),
        (lambda: KINDS["grades"].at_resolution(1), "grades have no resolution"),
        (lambda: cap.accuracy_ratio(KINDS["plain"]), "accuracy_ratio needs outcomes"),
        (lambda: cap.compare(cap.count_joint_cases([[1], [2]])), "compare needs outcomes"),
        (lambda: cap.evaluate(KINDS["plain"]), "evaluate needs a target"),
        (lambda: cap.evaluate({"a": KINDS["plain"]}), "CaseCounts, not ScoreCounts"),
        (lambda: cap.plot_cap(KINDS["plain"]), "plot_cap needs outcomes"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["plain", "weighted", "both"])
def test_what_was_changed_or_damaged_is_refused(kind):
    good = json.loads(json.dumps(KINDS[kind].to_dict()))
    for name in good:
        for value in (None, "x", -1, [], [1, 2], {}, {"rows": -1}, [None], 1e400):
            if value == good[name] or (value is None and name in {"dropped", "groups"}):
                continue
            with pytest.raises(ValueError, match=r"damaged|changed|format|groups|saved form"):
                cap.CaseCounts.from_dict({**good, name: value})
        with pytest.raises(ValueError, match=r"damaged|changed|expected format"):
            cap.CaseCounts.from_dict({key: good[key] for key in good if key != name})
    if held := good.get("cells"):  # of clusters the cells are in groups
        more = {**held, "cases": [number + 1 for number in held["cases"]]}
        with pytest.raises(ValueError, match="changed after they were saved"):
            cap.CaseCounts.from_dict({**good, "cells": more})


def test_totals_of_a_ranking_hold_no_cases_of_each_score():
    totals = cap.count_sorted([([2, 1], [1, 0], [0, 1])], n1=1, n0=1)
    assert not hasattr(totals, "cases")
    with pytest.raises(cap.NotHeldError, match="only totals are held"):
        _ = totals.cases


def test_arrays_cannot_be_changed():
    for array in (KINDS["plain"].score, KINDS["plain"].cases):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        KINDS["plain"].held = None

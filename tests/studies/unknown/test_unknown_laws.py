"""Laws of bounds: of any kind of counts, whatever the order, the direction and the parts."""

import dataclasses

import numpy as np
import pytest
from every_outcome import joint_of, partial_of
from hypothesis import given, settings, strategies as st

import capcurve as cap

tables = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 5)), min_size=1, max_size=8
).filter(lambda rows: sum(row[0] for row in rows) and sum(row[1] for row in rows))


def columns(table):
    return [list(column) for column in zip(*table, strict=True)]


def ends(partial, *rest, **options):
    found = cap.unknown_bounds(partial, *rest, **options)
    return found.low, found.high


@settings(max_examples=settings.default.max_examples // 3)
@given(tables)
def test_without_unknown_outcomes_both_ends_are_the_number(table):
    p, n, _ = columns(table)
    partial = partial_of(p, n, [0] * len(p))
    for metric, options, number in (
        ("accuracy_ratio", {}, cap.accuracy_ratio),
        ("roc_auc", {}, cap.roc_auc),
        ("captured_response", {"q": 0.3}, lambda counts: cap.captured_response(counts, 0.3)),
    ):
        found = cap.unknown_bounds(partial, metric, **options)
        assert found.low == found.high == found.known_only == number(partial.known)
        assert found.same_odds == found.low
        assert (found.positives_at_low, found.low_counts) == (0, partial.known)
        assert "No outcome is unknown" in found.presentation().sentences[0]
        assert found.findings == ()


@settings(max_examples=settings.default.max_examples // 3)
@given(tables, st.integers(0, 7), st.integers(1, 5))
def test_more_unknown_never_narrow(table, place, more):
    p, n, u = columns(table)
    low, high = ends(partial_of(p, n, u))
    u[place % len(u)] += more
    wider = ends(partial_of(p, n, u))
    # The new cases may have any outcome; but with more cases the number moves too, so the law is
    # about known cases whose outcome is forgotten.
    known = [list(p), list(n)]
    for column in known:
        forgotten = min(column[place % len(u)], more)
        column[place % len(u)] -= forgotten
    moved = [a + b - c - d for a, b, c, d in zip(p, n, *known, strict=True)]
    total = [a + b for a, b in zip(columns(table)[2], moved, strict=True)]
    forgot = ends(partial_of(*known, total))
    assert forgot[0] <= low <= high <= forgot[1]
    assert wider[0] <= wider[1]


@settings(max_examples=settings.default.max_examples // 3)
@given(tables, st.sampled_from([{}, {"positives": (0, 1)}, {"positives": (0.2, 0.9)}]))
def test_the_other_direction_swaps_and_negates(table, options):
    p, n, u = columns([*table, (1, 2, 1)])
    low, high = ends(partial_of(p, n, u), **options)
    scores = range(len(p), 0, -1)
    turned = cap.PartialCounts.from_counts(scores, p, n, u, higher_is="negative")
    assert ends(turned, **options) == (-high, -low)
    assert ends(partial_of(n, p, u)) == tuple(-end for end in reversed(ends(partial_of(p, n, u))))


@given(tables, st.integers(2, 50))
def test_counts_times_a_number_hold_the_bounds_of_one(table, times):
    p, n, u = columns(table)
    many = [[times * each for each in column] for column in (p, n, u)]
    (low, high), (lower, higher) = ends(partial_of(p, n, u)), ends(partial_of(*many))
    # Outcomes of one sample are outcomes of so many copies; copies may differ from each other.
    assert lower <= low <= high <= higher
    at_odds = [cap.unknown_bounds(partial_of(*each), odds=(0.5, 2)) for each in ((p, n, u), many)]
    assert at_odds[0].low == pytest.approx(at_odds[1].low)
    assert at_odds[0].high == pytest.approx(at_odds[1].high)


@settings(max_examples=settings.default.max_examples // 3)
@given(tables, tables, st.permutations(range(8)))
def test_order_and_parts_change_no_bit(table, other, order):
    parts = [partial_of(*columns(each)) for each in (table, other)]
    whole = parts[0] + parts[1]
    rows = [
        (score, *cells)
        for each in (table, other)
        for score, cells in zip(range(len(each), 0, -1), each, strict=True)
    ]
    rows.sort(key=lambda row: order[row[0] % 8])
    mixed = cap.PartialCounts.from_counts(*columns(rows))
    for options in ({}, {"odds": (0.5, 2)}, {"ordered": True, "positives": (0.1, 0.8)}):
        one, two = (cap.unknown_bounds(each, **options) for each in (whole, mixed))
        assert one.to_dict() == two.to_dict()
        assert (one.low_counts, one.high_counts) == (two.low_counts, two.high_counts)


@given(tables)
def test_the_ends_are_numbers_of_counts_and_completed_counts_have_them(table):
    partial = partial_of(*columns(table))
    found = cap.unknown_bounds(partial)
    for counts, value, m, how in (
        (found.low_counts, found.low, found.positives_at_low, "worst"),
        (found.high_counts, found.high, found.positives_at_high, "best"),
    ):
        assert cap.accuracy_ratio(counts) == value
        assert counts == partial.completed(how)
        assert counts.cases == partial.cases
        assert counts.n1 == partial.known.n1 + m
    assert found.same_odds == cap.accuracy_ratio(partial.completed(1))
    assert found.low - 1e-12 <= found.same_odds <= found.high + 1e-12
    if found.known_only is not None and not found.n_unknown:
        assert found.low == found.known_only


@given(tables)
def test_bounds_do_not_depend_on_how_scores_are_written(table):
    p, n, u = columns(table)
    low, high = ends(partial_of(p, n, u))
    names = [f"grade {k}" for k in range(len(p))]
    graded = cap.PartialCounts.from_counts(names, p, n, u, levels=names)
    assert ends(graded) == (low, high)
    scores = [0.1 * k for k in range(len(p), 0, -1)]
    floored = cap.PartialCounts.from_counts(scores, p, n, u, resolution=1e-3)
    assert ends(floored) == (low, high)


def rows_of(seed, size=300):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=size).round(1)
    y = (rng.random(size) < 1 / (1 + np.exp(2 - score))).astype(float)
    y[rng.random(size) < 0.1] = np.nan
    return rng, y, score


def target_of(y):
    return [None if np.isnan(each) else int(each) for each in y]


def test_frequencies_are_rows_and_weights_come_near_them():
    rng, y, score = rows_of(1)
    often = rng.integers(1, 4, len(y))
    rows = cap.count_partial(target_of(np.repeat(y, often)), np.repeat(score, often))
    counted = cap.count_partial(target_of(y), score, weight=often, weight_kind="frequency")
    assert ends(counted) == ends(rows)
    weighted = cap.count_partial(target_of(y), score, weight=often * 1.0, weight_kind="sampling")
    found, whole = cap.unknown_bounds(weighted), cap.unknown_bounds(rows)
    # Weights may be divided, so these bounds hold those of rows, and are hardly wider.
    assert whole.low - 1e-3 < found.low <= whole.low + 1e-12
    assert whole.high - 1e-12 <= found.high < whole.high + 1e-3
    assert any("weight may be divided" in note for note in found.notes)
    assert found.low_counts.weight_kind == "sampling"
    assert found.low_counts.n == pytest.approx(weighted.n)
    rows_there = found.low_counts.weights.positive_rows + found.low_counts.weights.negative_rows
    assert rows_there == len(y)
    assert found.low_limit < found.low < found.high < found.high_limit
    tipped = cap.tipping_point(weighted, (found.low + found.known_only) / 2)
    exact = cap.tipping_point(rows, (found.low + found.known_only) / 2)
    assert 0 <= exact.positives - tipped.positives <= 1
    with_odds = cap.unknown_bounds(weighted, odds=(0.5, 2), ordered=True)
    plain = cap.unknown_bounds(rows, odds=(0.5, 2), ordered=True)
    assert (with_odds.low, with_odds.high) == pytest.approx((plain.low, plain.high))


def test_weights_that_are_fractions_of_one_bound_alike():
    _, y, score = rows_of(2)
    rows = cap.count_partial(target_of(y), score)
    scaled = cap.count_partial(target_of(y), score, weight=[0.125] * len(y))
    assert ends(scaled) == pytest.approx(ends(rows), abs=1e-3)
    assert cap.unknown_bounds(scaled).low_limit is None
    assert any("no interval" in note for note in cap.unknown_bounds(scaled).notes)


def test_clusters_go_along_and_widen_the_limits():
    rng, y, score = rows_of(3, 600)
    cluster = rng.integers(0, 90, len(y))
    clustered = cap.count_partial(target_of(y), score, cluster=cluster)
    plain = cap.count_partial(target_of(y), score)
    found, alone = cap.unknown_bounds(clustered), cap.unknown_bounds(plain)
    assert (found.low, found.high) == (alone.low, alone.high)
    for counts in (found.low_counts, found.high_counts):
        assert len(counts.groups) == 64
        assert sum(group.n for group in counts.groups) == len(y)
    assert any("jackknife" in note for note in found.notes)
    assert found.low_limit != alone.low_limit
    split = cap.unknown_bounds(clustered, ordered=True)
    assert sum(group.n1 for group in split.low_counts.groups) == pytest.approx(split.low_counts.n1)
    odds = cap.unknown_bounds(clustered, odds=2)
    assert sum(group.n1 for group in odds.low_counts.groups) == pytest.approx(odds.low_counts.n1)


def test_clusters_of_unknown_or_known_cases_alone():
    only = cap.count_partial([None, None, None, None], [1, 2, 3, 3], cluster=[1, 1, 2, 3])
    found = cap.unknown_bounds(only)
    assert (found.low, found.high, found.known_only, found.same_odds) == (-1.0, 1.0, None, None)
    assert sum(group.n for group in found.low_counts.groups) == 4
    known = cap.count_partial([1, 0, 1, 0], [3, 2, 2, 1], cluster=[1, 1, 2, 3])
    assert cap.unknown_bounds(known).low_counts.groups is not None


def test_two_scores_with_clusters_and_weights():
    rng, y, score = rows_of(4, 400)
    scores = {"new": score, "old": (score + rng.normal(size=len(y))).round()}
    plain = cap.unknown_bounds(cap.count_partial(target_of(y), scores))
    assert plain.low < plain.known_only < plain.high
    assert plain.low_limit < plain.low < plain.high < plain.high_limit
    clusters = rng.integers(0, 90, len(y))
    clustered = cap.unknown_bounds(cap.count_partial(target_of(y), scores, cluster=clusters))
    assert (clustered.low, clustered.high) == (plain.low, plain.high)
    assert len(clustered.high_counts.groups) == 64
    weighted = cap.count_partial(
        target_of(y), scores, weight=[2.5] * len(y), weight_kind="sampling"
    )
    found = cap.unknown_bounds(weighted)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=2e-3)
    assert found.low <= plain.low + 1e-12
    swapped = cap.unknown_bounds(cap.count_partial(target_of(y), dict(reversed(scores.items()))))
    assert (swapped.low, swapped.high) == pytest.approx((-plain.high, -plain.low), abs=1e-15)


def test_a_score_against_itself_differs_by_nothing():
    joint = joint_of([2, 1, 3], [2, 1, 3], [1, 2, 0], [2, 1, 1], [1, 0, 2])
    assert ends(joint) == (0.0, 0.0)
    assert ends(joint, "captured_response", q=0.4) == (0.0, 0.0)


def test_bounds_are_values():
    found = cap.unknown_bounds(partial_of([3, 1], [1, 4], [1, 1]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.low = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        cap.tipping_point(found.partial, 0.1).positives = 0

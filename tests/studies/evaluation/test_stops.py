"""Kept cut-offs: true points, never further from CAP and ROC than promised, however many rows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import capcurve as cap
from capcurve.curves.simplify import between_levels, stops, thinned
from capcurve.numbers.exact import cumulated


def sums_of(counts):
    return cumulated(counts.positives), cumulated(counts.negatives)


def distance(counts, few):
    """Return how far CAP and ROC through fewer points lie from the full ones, vertically."""
    far = 0.0
    for curve in (cap.cap_curve, cap.roc_curve):
        full, short = curve(counts), curve(few)
        # Inside vertical parts any height is on the curve, so both are read beside the points.
        middles = (full.x[1:] + full.x[:-1]) / 2
        apart = np.diff(full.x) > 0
        found = np.abs(full.at(middles[apart]) - short.at(middles[apart]))
        far = max(far, float(found.max(initial=0)))
    return far


@pytest.mark.parametrize("rows", [3_000, 60_000])
@pytest.mark.parametrize("prevalence", [0.003, 0.5])
@pytest.mark.parametrize("tolerance", [5e-4, 1e-2])
def test_both_curves_stay_within_the_tolerance(rows, prevalence, tolerance):
    rng = np.random.default_rng(4)
    y = rng.random(rows) < prevalence
    counts = cap.count_scores(y, rng.standard_normal(rows) + y)
    few = thinned(counts, tolerance, 0)
    assert distance(counts, few) <= tolerance
    assert len(few) < len(counts) / 2


@pytest.mark.merge
def test_more_rows_need_no_more_cut_offs():
    rng = np.random.default_rng(5)
    sizes = []
    for rows in (20_000, 2_000_000):
        y = rng.random(rows) < 0.05
        positives, negatives = sums_of(cap.count_scores(y, rng.standard_normal(rows) + y))
        sizes.append(len(stops(positives, negatives, 5e-4, 400)))
    assert sizes[1] <= sizes[0]
    assert sizes[1] < 900


def test_the_grid_has_the_deepest_cut_off_within_each_step():
    rng = np.random.default_rng(6)
    y = rng.random(60_000) < 0.3
    positives, negatives = sums_of(cap.count_scores(y, rng.random(60_000)))
    kept = set(stops(positives, negatives, 5e-4, 100).tolist())
    cases = positives + negatives
    for step in range(101):
        deepest = int(np.searchsorted(cases, step / 100 * cases[-1], side="right")) - 1
        assert deepest in kept


def test_few_scores_are_all_kept():
    positives = np.array([0, 1, 2, 3])
    assert stops(positives, positives, 5e-4, 3).tolist() == [0, 1, 2, 3]


def test_a_tolerance_below_the_levels_is_refused():
    with pytest.raises(ValueError, match=r"above 0\.0001"):
        stops(np.arange(3), np.arange(3), 1e-5, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=60))
def test_what_is_kept_adds_up_to_the_same_cases(cells):
    positives, negatives = (np.array(c) for c in zip(*cells, strict=True))
    counts = cap.ScoreCounts.from_counts(np.arange(len(cells)), positives, negatives)
    if not (counts.n1 and counts.n0):
        return
    p, n = sums_of(counts)
    places = stops(p, n, 0.05, 0)
    few = counts.joined(places[1:])
    assert (few.n1, few.n0) == (counts.n1, counts.n0)
    assert distance(counts, few) <= 0.05 + 1e-12
    assert set(few.thresholds.tolist()) <= set(counts.thresholds.tolist())


def test_small_weights_are_thinned_like_large_ones():
    rng = np.random.default_rng(2)
    rises = rng.random((2, 50_000))
    sums = np.concatenate([np.zeros((2, 1)), np.cumsum(rises, axis=1)], axis=1)
    small = between_levels(*(sums / sums[:, -1:]))
    assert len(small) > 10_000
    assert np.array_equal(small, between_levels(*sums))

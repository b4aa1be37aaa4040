"""KS: the largest gap, found at ends of ties only, on either side, everywhere it is reached."""

import math
import warnings

import numpy as np
import pytest
import strategies as some
from hypothesis import given
from scipy import stats

import capcurve as cap
import reference as exact


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-14)


@given(some.rows(scores=some.finite))
def test_ks_is_scipys_statistic(data):
    y, s = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of its p value, which is not looked at
        expected = stats.ks_2samp(s[y == 1], s[y == 0]).statistic
    assert cap.ks(cap.count_scores(y, s)).statistic == close(expected)


@given(some.rows())
def test_both_sides_and_the_statistic_are_the_exact_gaps(data):
    y, s = data
    gaps = exact.gaps(exact.cells(y.tolist(), s.tolist()))
    ks = cap.ks(cap.count_scores(y, s))
    assert ks.statistic == close(max(map(abs, gaps)))
    assert abs(ks.positive_side) == close(max(gaps))
    assert abs(ks.negative_side) == close(-min(gaps))
    if max(gaps) != -min(gaps):
        assert ks.side == ("+" if max(gaps) > -min(gaps) else "-")


@given(some.rows())
def test_every_place_of_the_largest_gap_is_named(data):
    y, s = data
    table = exact.cells(y.tolist(), s.tolist())
    largest = exact.ks(table)
    ks = cap.ks(cap.count_scores(y, s))
    if largest > 0:
        vertices = exact.shares(table)[1:]
        expected = [
            (score, float(q), float(tpr - fpr))
            for (q, tpr, fpr), (score, _, _) in zip(vertices, table, strict=True)
            if abs(tpr - fpr) == largest
        ]
        assert [place.threshold for place in ks.places] == [score for score, _, _ in expected]
        assert [place.q for place in ks.places] == [close(q) for _, q, _ in expected]
        assert [abs(place.gap) for place in ks.places] == [close(abs(g)) for _, _, g in expected]
        assert (ks.q, ks.threshold) in [(place.q, place.threshold) for place in ks.places]


@given(some.rows())
def test_the_threshold_selects_the_gap(data):
    y, s = data
    ks = cap.ks(cap.count_scores(y, s))
    if ks.statistic > 0:
        selected = s >= ks.threshold
        assert selected.mean() == close(ks.q)
        gap = selected[y == 1].mean() - selected[y == 0].mean()
        assert abs(gap) == close(ks.statistic)


@given(some.rows())
def test_the_plus_side_is_the_height_over_the_diagonal(data):
    counts = cap.count_scores(*data)
    curve = cap.cap_curve(counts)
    height = (curve.y - curve.x).max() / (1 - counts.prevalence)
    assert abs(cap.ks(counts).positive_side) == pytest.approx(height, rel=1e-12, abs=1e-12)


@given(some.rows())
def test_reversing_swaps_the_sides(data):
    up = cap.ks(cap.count_scores(*data))
    down = cap.ks(cap.count_scores(*data, higher_is="negative"))
    assert up.statistic == close(down.statistic)
    assert abs(up.positive_side) == close(abs(down.negative_side))
    assert abs(up.negative_side) == close(abs(down.positive_side))


@given(some.rows())
def test_the_gap_curve_peaks_at_the_statistic(data):
    counts = cap.count_scores(*data)
    curve, ks = cap.ks_curve(counts), cap.ks(counts)
    assert np.abs(curve.y).max() == close(ks.statistic)
    assert (curve.y[0], curve.y[-1]) == (0, 0)
    if ks.statistic > 0:
        assert abs(curve.at(ks.q)) == close(ks.statistic)


@given(some.grade_tables())
def test_named_conventions_of_the_pietra_index(table):
    positives, negatives = table
    scores = np.arange(len(positives), 0, -1)
    counts = cap.ScoreCounts.from_counts(scores, positives, negatives)
    ks = float(exact.ks(exact.grades(positives.tolist(), negatives.tolist())))
    assert cap.pietra_index(counts, convention="ks") == close(ks)
    assert cap.pietra_index(counts, convention="half_ks") == close(ks / 2)
    assert cap.pietra_index(counts, convention="wp14") == close(ks * math.sqrt(2) / 4)
    assert cap.pietra_index(counts) == cap.pietra_index(counts, convention="wp14")

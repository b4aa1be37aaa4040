"""Curves: reading between points, areas against quadrature, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import quad

import capcurve as cap

COUNTS = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], [6, 0, 5, 2, 1], [2, 4, 5, 20, 9])
RATIOS = [
    cap.lift_curve(COUNTS),
    cap.precision_recall_curve(COUNTS),
    cap.lift_curve(COUNTS, prevalence=0.01),
    cap.precision_recall_curve(COUNTS, prevalence=0.01),
]


@pytest.mark.parametrize("curve", RATIOS, ids=lambda curve: curve.name)
def test_areas_of_ratios_agree_with_quadrature(curve):
    pieces = [
        quad(curve.at, low, high, epsabs=1e-13, epsrel=1e-13)[0]
        for low, high in zip(curve.x[:-1], curve.x[1:], strict=True)
        if high > low
    ]
    assert curve.area == pytest.approx(sum(pieces), rel=1e-11)


def test_the_area_of_a_nearly_flat_ratio_loses_no_digits():
    counts = cap.ScoreCounts.from_counts([2, 1], [10**6 + 1, 10**6], [10**6, 10**6 + 1])
    curve = cap.precision_recall_curve(counts)
    pieces = [quad(curve.at, a, b, epsabs=1e-15)[0] for a, b in [(0, 0.5), (0.5, 1)]]
    assert curve.area == pytest.approx(sum(pieces), rel=1e-13)


def test_areas_of_whole_counts_are_rounded_once():
    assert cap.cap_curve(COUNTS).area == pytest.approx(
        0.5 + (1 - 14 / 54) * (cap.roc_auc(COUNTS) - 0.5), rel=1e-15
    )
    assert cap.perfect_cap(COUNTS).area == 1 - 14 / 54 / 2
    assert cap.random_cap(COUNTS).area == 0.5
    assert cap.local_lift_curve(COUNTS).area == pytest.approx(1, rel=1e-15)


def test_a_vertical_stretch_reads_at_its_top():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [0, 5, 5], [4, 0, 4])
    roc = cap.roc_curve(counts)
    assert roc.at(0.5) == 0.5
    assert roc.at(0.49) == 0
    precision = cap.precision_recall_curve(counts)
    assert precision.at(0.0) == 0


def test_steps_hold_the_value_of_the_segment_that_ends_there():
    curve = cap.local_lift_curve(cap.ScoreCounts.from_counts([2, 1], [3, 1], [1, 3]))
    assert [curve.at(q) for q in (0, 0.25, 0.5, 0.51, 1)] == [1.5, 1.5, 1.5, 0.5, 0.5]


@pytest.mark.parametrize("x", [-0.1, 1.1, np.nan, [0.5, 2]])
def test_outside_the_curve(x):
    with pytest.raises(ValueError, match="outside the curve, from 0 to 1"):
        cap.cap_curve(COUNTS).at(x)


def test_many_places_are_read_at_once():
    curve = cap.cap_curve(COUNTS)
    places = np.array([[0.1, 0.2], [0.3, 1.0]])
    found = curve.at(places.ravel())
    assert found.tolist() == [curve.at(x) for x in places.ravel()]


def test_thresholds_are_one_fewer_than_points():
    for curve in (cap.cap_curve(COUNTS), cap.roc_curve(COUNTS), cap.lift_curve(COUNTS)):
        assert len(curve.thresholds) == len(curve) - 1
        assert curve.thresholds.tolist() == [5, 4, 3, 2, 1]
    assert cap.lorenz_curve(COUNTS).thresholds.tolist() == [1, 2, 3, 4, 5]
    short = cap.cap_curve(COUNTS).simplify(0.2)
    assert len(short.thresholds) == len(short) - 1
    for end, x in zip(short.thresholds, short.x[1:], strict=True):
        full = cap.cap_curve(COUNTS)
        assert full.x[full.thresholds.tolist().index(end) + 1] == x


def test_simplify_drops_only_what_it_may():
    rng = np.random.default_rng(5)
    counts = cap.count_scores(rng.random(5000) < 0.2, rng.normal(size=5000))
    for curve in (cap.cap_curve(counts), cap.roc_curve(counts), cap.ks_curve(counts)):
        short = curve.simplify(1e-3)
        assert len(short) < len(curve) / 4
        assert (
            np.abs(short.at(curve.x) - curve.at(curve.x)).max()
            <= 1.001e-3 + (curve.name == "roc") / 500
        )
    assert len(cap.random_cap(counts).simplify(0)) == 2
    with pytest.raises(ValueError, match="zero or more"):
        cap.cap_curve(counts).simplify(-1)


def test_steps_are_merged_while_they_are_alike():
    curve = cap.local_lift_curve(
        cap.ScoreCounts.from_counts([4, 3, 2, 1], [3, 3, 1, 1], [1, 1, 3, 3])
    )
    short = curve.simplify(0)
    assert short.x.tolist() == [0, 0.5, 1]
    assert short.at(0.2) == curve.at(0.2)


def test_absolute_and_stated_prevalence_exclude_each_other():
    for build in (cap.cap_curve, cap.perfect_cap, cap.random_cap):
        with pytest.raises(ValueError, match="leave out prevalence"):
            build(COUNTS, absolute=True, prevalence=0.1)


@pytest.mark.parametrize("rate", [0, 1, -0.1, np.nan, 2])
def test_impossible_prevalences(rate):
    with pytest.raises(ValueError, match="prevalence must be between 0 and 1"):
        cap.cap_curve(COUNTS, prevalence=rate)


def test_profit_counts_in_money():
    curve = cap.profit_curve(COUNTS, value=100, cost=7)
    assert curve.y[-1] == 14 * 100 - 54 * 7
    assert curve.at(8 / 54) == pytest.approx(6 * 100 - 8 * 7)
    assert cap.profit_curve(COUNTS, value=100, cost=7, prevalence=0.5).y[-1] == pytest.approx(
        54 * 0.5 * 100 - 54 * 7
    )
    with pytest.raises(ValueError, match="must be a finite number"):
        cap.profit_curve(COUNTS, value=np.inf, cost=1)


def test_a_curve_is_strict_json():
    written = cap.roc_curve(cap.ScoreCounts.from_counts([np.inf, 1], [1, 1], [1, 1])).to_dict()
    assert written["threshold"] == [None, "inf", 1.0]
    assert written["x"] == [0, 0.5, 1]


def test_distributions_in_bins_keep_infinite_scores():
    counts = cap.ScoreCounts.from_counts([-np.inf, 0, 1, np.inf], [1, 1, 1, 1], [1, 1, 1, 5])
    binned = cap.score_distributions(counts).binned(2)
    assert binned.score.tolist() == [0.25, 0.75]
    assert binned.positives.tolist() == [0.5, 0.5]
    assert binned.negatives.tolist() == [0.25, 0.75]

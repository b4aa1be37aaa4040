"""Small worked examples from teaching texts, with their numbers put right."""

from fractions import Fraction

import numpy as np
import pytest

import capcurve as cap


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-15)


def ranked(*labels):
    """Count cases listed from the most to the least likely positive, no ties."""
    return cap.count_scores(list(labels), list(range(len(labels), 0, -1)))


@pytest.fixture
def five():
    """Five observations with predicted probabilities."""
    return cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])


@pytest.fixture
def credit():
    """Five scorecard points; bads at 100 and 300; a low score is bad."""
    return cap.count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")


def test_the_absolute_curve_counts_positives_so_far(five):
    curve = cap.cap_curve(five, absolute=True)
    assert curve.x.tolist() == [0, 1, 2, 3, 4, 5]
    assert curve.y.tolist() == [0, 1, 2, 2, 2, 3]


def test_the_relative_curve_and_its_area(five):
    curve = cap.cap_curve(five)
    assert curve.x.tolist() == [close(Fraction(i, 5)) for i in range(6)]
    assert curve.y.tolist() == [close(Fraction(k, 3)) for k in (0, 1, 2, 2, 2, 3)]
    assert curve.area == close(Fraction(17, 30))
    assert round(curve.area, 4) == 0.5667
    assert cap.accuracy_ratio(five) == 1 / 3
    assert cap.roc_auc(five) == 2 / 3


def test_the_ideal_curve_rises_to_one_and_stays(five):
    best = cap.perfect_cap(five)
    read = [best.at(i / 5) for i in range(6)]
    assert read == [close(Fraction(k, 3)) for k in (0, 1, 2, 3, 3, 3)]
    assert best.x.tolist() == [0, close(0.6), 1]


def test_a_threshold_gives_one_share_of_cases_and_another_of_positives(five):
    point = cap.operating_point(five, threshold=0.7)
    assert (point.q, point.captured) == (close(0.4), close(2 / 3))


def test_the_construction_row_by_row(five):
    steps = cap.step_table(five)
    assert list(steps["rank"]) == [0, 1, 2, 3, 4, 5]
    assert list(steps["target"]) == [0, 1, 1, 0, 0, 1]
    assert list(steps["positives"]) == [0, 1, 2, 2, 2, 3]
    assert list(steps["q"]) == [close(i / 5) for i in range(6)]
    assert list(steps["captured"]) == [close(Fraction(k, 3)) for k in (0, 1, 2, 2, 2, 3)]
    assert list(steps["score"])[1:] == [0.8, 0.7, 0.6, 0.4, 0.2]
    ideal = cap.step_table(five, ideal=True)
    assert list(ideal["positives"]) == [0, 1, 2, 3, 3, 3]


def test_the_sentence_for_a_point(five):
    sentence = cap.reading(cap.operating_point(five, q=0.4))
    assert "the top 40% of cases contain 66.7% of all positives" in sentence


def test_tied_cases_share_one_vertex():
    counts = cap.count_scores([1, 0, 1, 0], [0.5, 0.5, 0.9, 0.1])
    assert len(cap.cap_curve(counts).x) == len(cap.roc_curve(counts).x) == 4


@pytest.mark.parametrize(("prevalence", "area"), [(0.5, 0.65), (0.05, 0.785)])
def test_the_area_depends_on_prevalence_the_auc_does_not(prevalence, area):
    counts = cap.count_scores([1] * 5 + [0] * 5, [2] * 4 + [0] + [1] * 5)
    assert cap.roc_auc(counts) == 0.8
    assert cap.cap_curve(counts, prevalence=prevalence).area == close(area)


def test_gains_lift_and_lorenz_are_three_curves():
    counts = ranked(1, 1, 0, 0, 0, 1, 0, 0, 0, 0)
    assert cap.captured_response(counts, 0.2) == close(2 / 3)
    assert cap.lift(counts, 0.2) == close(10 / 3)
    assert cap.lorenz_curve(counts).at(0.2) == close(0)


def test_a_constant_score_lies_on_the_diagonal():
    counts = cap.count_scores([1, 0, 1, 0], [0.5] * 4)
    assert cap.cap_curve(counts).area == 0.5
    assert cap.cap_curve(counts).at(0.25) == 0.25
    assert cap.perfect_cap(counts).area == 0.75
    assert cap.accuracy_ratio(counts) == 0


def test_a_perfect_model_captures_what_there_is_room_for():
    counts = ranked(*[1] * 8, 0, 0)
    assert cap.captured_response(counts, 0.5) == close(0.625)
    six = ranked(1, 1, 0, 0, 0, 0)
    assert cap.accuracy_ratio(six) == 1
    assert cap.perfect_cap(six).area == close(5 / 6)


def test_five_credit_scores(credit):
    assert cap.roc_auc(credit) == 5 / 6
    assert cap.accuracy_ratio(credit) == 2 / 3
    assert cap.cap_curve(credit).x.tolist() == [close(i / 5) for i in range(6)]
    assert cap.cap_curve(credit).y.tolist() == [0, 0.5, 0.5, 1, 1, 1]
    assert cap.perfect_cap(credit).area == close(0.8)
    assert cap.perfect_cap(credit).area - cap.random_cap(credit).area == close(0.3)


def test_a_sixth_good_case_moves_the_ratio():
    scores = [100, 200, 300, 400, 500, 600]
    counts = cap.count_scores([1, 0, 1, 0, 0, 0], scores, higher_is="negative")
    assert cap.roc_auc(counts) == 7 / 8
    assert cap.accuracy_ratio(counts) == 0.75


def test_the_reversed_ranking_is_negative_and_the_worst_minus_one():
    counts = cap.count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500])
    assert cap.accuracy_ratio(counts) == -2 / 3
    worst = ranked(0, 0, 0, 1, 1)
    assert cap.accuracy_ratio(worst) == -1
    assert cap.cap_curve(worst).at(0.6) == close(0)


def test_the_cutoffs_as_intervals_between_scores(credit):
    table = cap.threshold_table(credit)
    np.testing.assert_array_equal(table["threshold"], [np.nan, 100, 200, 300, 400, 500])
    assert list(table["tp"]) == [0, 1, 1, 2, 2, 2]
    assert list(table["fp"]) == [0, 0, 1, 1, 2, 3]
    assert list(table["next_score"])[:5] == [100, 200, 300, 400, 500]


def test_the_slope_of_the_curve_is_the_local_lift(credit):
    assert cap.local_lift(credit, 0.1) == close(2.5)
    assert cap.local_lift(credit, 0.1, of="negatives") == close(0)
    assert cap.local_lift(credit, 0.3) == close(0)
    assert cap.local_lift(credit, 0.3, of="negatives") == close(5 / 3)


def test_with_grouped_ties_the_identity_is_exact():
    counts = cap.count_scores([1, 0, 0, 1, 0], [100, 100, 200, 200, 300], higher_is="negative")
    assert cap.accuracy_ratio(counts) == 1 / 3
    assert cap.roc_auc(counts) == 2 / 3
    bounds = cap.accuracy_ratio_bounds(counts)
    assert (bounds.low, bounds.high) == (close(0), close(2 / 3))


@pytest.mark.parametrize(
    "scores", [[1, 1, 0, 1, 0, 0, 0, 0], np.array([1, 1, 0, 1, 0, 0, 0, 0]) > 0]
)
def test_a_classifier_is_a_rating_of_two_grades(scores):
    counts = cap.count_scores([1, 1, 1, 0, 0, 0, 0, 0], scores)
    assert len(counts) == 2
    assert len(cap.cap_curve(counts).x) == 3
    assert cap.roc_auc(counts) == 11 / 15
    assert cap.accuracy_ratio(counts) == 7 / 15
    assert cap.ks(counts).statistic == close(7 / 15)


def test_ties_count_one_half():
    counts = cap.count_scores([1, 1, 0, 0], [3, 2, 2, 1])
    assert cap.roc_auc(counts) == 0.875
    assert cap.tie_mass(counts) == 0.25


def test_rules_for_the_best_cutoff_differ():
    counts = ranked(0, 1, 0, 0, 0, 1, 1, 0)
    (youden,) = cap.best_thresholds(counts, "youden")
    (closest,) = cap.best_thresholds(counts, "closest")
    assert (youden.fpr, youden.captured) == (close(0.8), close(1))
    assert (closest.fpr, closest.captured) == (close(0.2), close(1 / 3))


def test_the_largest_gap_is_not_at_the_first_crossing_of_lift_one():
    counts = ranked(1, 0, 0, 0, 1, 1, 1, 0, 0, 0)
    lifts = [cap.local_lift(counts, 0.05 + k / 10) for k in range(10)]
    assert lifts == [close(v) for v in (2.5, 0, 0, 0, 2.5, 2.5, 2.5, 0, 0, 0)]
    others = [cap.local_lift(counts, 0.05 + k / 10, of="negatives") for k in range(10)]
    expected = [(1 - 0.4 * lift) / 0.6 for lift in lifts]
    assert others == [close(v) for v in expected]
    ks = cap.ks(counts)
    assert (ks.statistic, ks.q, ks.threshold, ks.side) == (close(0.5), close(0.7), 4, "+")
    assert len(ks.places) == 1
    assert cap.captured_response(counts, 1, of="negatives") == 1
    curve = cap.cap_curve(counts)
    assert (curve.y - curve.x).max() / 0.6 == close(0.5)


def test_the_distance_of_a_reversed_score_is_on_the_other_side():
    counts = ranked(0, 0, 0, 1, 1)
    ks = cap.ks(counts)
    assert (ks.statistic, ks.side, ks.q) == (close(1), "-", close(0.6))
    assert abs(ks.positive_side) == 0


def test_several_places_of_the_same_gap_are_all_told():
    counts = ranked(1, 0, 1, 0)
    ks = cap.ks(counts)
    assert ks.statistic == close(0.5)
    assert [place.q for place in ks.places] == [close(0.25), close(0.75)]
    assert [place.threshold for place in ks.places] == [4, 2]


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0]])
def test_without_both_classes_there_is_no_ratio(labels):
    counts = cap.count_scores(labels, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="negatives" if labels[0] else "positives"):
        cap.accuracy_ratio(counts)


def test_the_order_of_the_file_cannot_move_a_rating_of_five_grades():
    rng = np.random.default_rng(5)
    grade = rng.integers(1, 6, 200)
    bad = (rng.random(200) < grade / 12).astype(int)
    ratios = set()
    for _ in range(5):
        order = rng.permutation(200)
        ratios.add(cap.accuracy_ratio(cap.count_scores(bad[order], grade[order])))
    ratios.add(cap.accuracy_ratio(cap.count_scores(np.sort(bad), grade[np.argsort(bad)])))
    assert len(ratios) == 1

"""The pictures of the KS statistic."""

import numpy as np
import pytest
from reading import legend, line, points

from capcurve import ScoreCounts, count_scores, ks
from capcurve.plots import plot_ks


def test_gap_along_q_with_its_maximum(five, ax):
    plot_ks({"pd": five}, ax=ax)
    assert legend(ax) == ["pd  KS 0.667 at 40.0%", "pd ≥ 0.7"]
    gaps = [0, 1 / 3, 2 / 3, 1 / 6, -1 / 3, 0]
    assert np.allclose(points(ax, "pd  KS"), np.column_stack([np.arange(6) / 5, gaps]), atol=1e-15)
    assert [[0.4, 0], [0.4, 2 / 3]] in [
        np.asarray(drawn.get_xydata()).tolist() for drawn in ax.lines
    ]


def test_its_cutoff_has_no_more_digits_than_select_the_same_cases(ax):
    plot_ks(count_scores([1, 0, 0], [0.7000000012, 0.4123456789, 0.2]), ax=ax)
    assert legend(ax)[1] == "score ≥ 0.7"


def test_every_place_of_the_maximum_is_marked(several_maxima, ax):
    plot_ks(several_maxima, ax=ax)
    assert legend(ax) == ["Model  KS 0.500 at 25.0%, 75.0%", "score ≥ 4", "score ≥ 2"]
    marks = [drawn.get_xydata()[1].tolist() for drawn in ax.lines if len(drawn.get_xdata()) == 2]
    assert [0.25, 0.5] in marks
    assert [0.75, -0.5] in marks


def test_long_lists_of_places_are_cut(ax):
    counts = count_scores([1, 0] * 6, range(12, 0, -1))
    plot_ks(counts, ax=ax)
    assert legend(ax)[0].endswith(" and 3 more")


def test_no_difference_has_no_place(one_grade, ax):
    plot_ks(one_grade, ax=ax)
    assert legend(ax) == ["Model  KS 0.000"]


def test_several_models(five, grades, ax):
    plot_ks({"a": five, "b": grades}, ax=ax)
    assert [text[:10] for text in legend(ax)] == ["a  KS 0.66", "b  KS 0.41"]


def test_axis_must_be_known(five):
    with pytest.raises(ValueError, match='axis must be "q" or "score", got \'rank\''):
        plot_ks(five, axis="rank")


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_along_the_score_the_segment_joins_both_distributions(higher_is, ax):
    rng = np.random.default_rng(5)
    target = rng.random(400) < 0.3
    sign = 1 if higher_is == "positive" else -1
    counts = count_scores(target, rng.normal(size=400) + sign * target, higher_is=higher_is)
    plot_ks({"pd": counts}, ax=ax, axis="score")
    found = ks(counts)
    (x, start), (same, end) = points(ax, "KS")
    assert x == same == pytest.approx(found.threshold, abs=1e-12)
    assert abs(end - start) == pytest.approx(found.statistic, abs=1e-12)
    # Just below the cut-off when those above are selected, at it when those below are.
    before = np.nextafter(x, -np.inf) if higher_is == "positive" else x
    for name, height in (("Positives", start), ("Negatives", end)):
        at, shares = points(ax, name).T
        assert shares[np.searchsorted(at, before, side="right") - 1] == pytest.approx(height)


def test_along_grades_the_segment_stands_between_two(grades, ax):
    plot_ks(grades, ax=ax, axis="score")
    assert points(ax, "KS")[0, 0] == 1.5  # between B and C, from A upwards
    assert legend(ax)[-1] == "KS 0.418\ndown to C"
    assert ax.get_xlabel() == "Grade"


def test_along_huge_whole_numbers(ax):
    scores = np.uint64(2**63) + np.arange(100, dtype=np.uint64)
    counts = count_scores(np.arange(100) >= 60, scores)
    plot_ks(counts, ax=ax, axis="score")
    assert points(ax, "KS")[0, 0] == 60
    assert ax.get_xlabel() == f"Score, above {2**63}"


def test_many_scores_keep_their_distance(continuous, ax):
    plot_ks(continuous, ax=ax, axis="score")
    at, shares = points(ax, "Positives").T
    assert (np.diff(at) >= 0).all()
    assert shares[-1] == 1
    (_, start), (_, end) = points(ax, "KS")
    assert abs(end - start) == pytest.approx(ks(continuous).statistic, abs=1e-12)


def test_infinite_scores_stand_apart(ax):
    scores = [-np.inf, *np.linspace(0, 1, 60).tolist(), np.inf]
    counts = count_scores([0] * 31 + [1] * 31, scores)
    plot_ks(counts, ax=ax, axis="score")
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names[-2:] == ["−∞", "∞"]
    assert line(ax, "Negatives").get_xdata().min() < 0


def test_weights_and_resolution(ax):
    counts = ScoreCounts.from_counts([0.12, 0.18, 0.31], [1, 0, 2], [2, 1, 1]).at_resolution(0.1)
    plot_ks(counts, ax=ax, axis="score")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.1", "0.3"]

"""The picture of the captured response of both classes."""

import numpy as np
import pytest
from reading import legend, points

from capcurve import ks
from capcurve.plots import plot_captured_response


def test_both_classes_and_one_bracket_between_them(five, ax):
    plot_captured_response(five, ax=ax)
    assert legend(ax) == [
        "Positives",
        "Negatives",
        "KS 0.667 at the top 40.0%",
        "Random",
    ]
    assert points(ax, "KS").tolist() == [[0.4, 0], [0.4, pytest.approx(2 / 3)]]


def test_the_bracket_is_as_high_as_ks(grades, ax):
    plot_captured_response(grades, ax=ax)
    bracket = points(ax, "KS")
    assert np.ptp(bracket[:, 1]) == pytest.approx(ks(grades).statistic, abs=1e-15)
    assert bracket[0, 0] == pytest.approx(ks(grades).q, abs=1e-15)


def test_another_prevalence_moves_the_place_not_the_statistic(grades, ax):
    plot_captured_response(grades, ax=ax, prevalence=0.3)
    bracket, found = points(ax, "KS"), ks(grades).statistic
    assert np.ptp(bracket[:, 1]) == pytest.approx(found, abs=1e-15)
    assert (bracket[1, 1] - bracket[0, 0]) / found == pytest.approx(0.7)


def test_without_a_gap_there_is_no_segment(one_grade, ax):
    plot_captured_response(one_grade, ax=ax)
    assert not any("KS" in text for text in legend(ax))


def test_a_reversed_score(reversed_score, ax):
    plot_captured_response(reversed_score, ax=ax)
    assert np.diff(points(ax, "KS")[:, 1]) < 0

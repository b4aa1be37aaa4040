"""The picture of the ROC."""

import numpy as np
import pytest
from reading import legend, line, points

from capcurve import confidence_interval, count_scores, roc_curve
from capcurve.plots import plot_roc


def test_model_and_diagonal(five, ax):
    plot_roc({"pd": five}, ax=ax, interval=None)
    assert legend(ax) == ["pd  AUC 0.667", "Random"]
    assert (
        points(ax, "pd").tolist()
        == np.column_stack([roc_curve(five).x, roc_curve(five).y]).tolist()
    )
    assert points(ax, "Random").tolist() == [[0, 0], [1, 1]]
    assert line(ax, "pd").get_marker() == "None"


def test_points_are_marked(five, ax):
    plot_roc(five, ax=ax, points=True)
    assert line(ax, "Model").get_marker() == "o"


def test_points_are_for_few_scores(continuous):
    with pytest.raises(ValueError, match="points=True is for up to 200 distinct scores"):
        plot_roc(continuous, points=True)


def test_best_cut_offs_of_the_two_rules_differ(ax):
    counts = count_scores([0, 1, 0, 0, 0, 1, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    plot_roc({"pd": counts}, ax=ax, best="youden")
    assert legend(ax)[1] == "Youden: pd ≥ 2\nTPR 100.0%, FPR 80.0%"
    assert points(ax, "Youden").tolist() == [[0.8, 1]]
    ax.clear()
    plot_roc({"pd": counts}, ax=ax, best="closest")
    assert legend(ax)[1] == "Nearest to the corner: pd ≥ 7\nTPR 33.3%, FPR 20.0%"


def test_an_unknown_rule_is_refused(five):
    with pytest.raises(ValueError, match="best must be one of 'youden', 'closest'; got 'f1'"):
        plot_roc(five, best="f1")


def test_direction_and_grades_are_said(grades, ax):
    plot_roc(grades, ax=ax, best="youden")
    assert legend(ax)[1].startswith("Youden: down to C\n")
    ax.clear()
    low_is_bad = count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")
    plot_roc(low_is_bad, ax=ax, best="youden")
    assert legend(ax)[1].startswith("Youden: score ≤ 300\n")


def test_the_legend_shows_the_interval(five, ax):
    plot_roc({"pd": five}, ax=ax)
    found = confidence_interval(five, "roc_auc")
    assert legend(ax)[0] == f"pd  AUC 0.667 [{found.low:.3f}, {found.high:.3f}]"

"""The picture of the ROC."""

import numpy as np
import pytest
from reading import legend, line, points

from capcurve import confidence_interval, count_scores, null_band, roc_band, roc_curve
from capcurve.plots import plot_cap, plot_roc


@pytest.mark.merge
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


def test_the_band_of_a_roc_is_that_of_its_function_with_defaults(grades, ax):
    plot_roc(grades, ax=ax, band=True)
    assert legend(ax)[-1] == "95% simultaneous band of the ROC"
    shaded = ax.collections[0].get_paths()[0].vertices
    found = roc_band(grades, seed=1)
    place = len(found.q) // 2
    low = shaded[np.isclose(shaded[:, 0], found.q[place]), 1].min()
    assert low == pytest.approx(found.low[place])


def test_pointwise_bands_of_several_rocs_have_their_names(five, grades, ax):
    plot_roc({"a": five, "b": grades}, ax=ax, band="pointwise")
    assert legend(ax)[-2:] == ["95% pointwise band of a", "95% pointwise band of b"]


def test_a_band_of_another_curve_is_refused(five, grades, ax):
    with pytest.raises(ValueError, match=r"the band of a ROC is what roc_band returns"):
        plot_roc(five, ax=ax, band=null_band((100, 20)))
    with pytest.raises(ValueError, match=r"the band of a CAP is what cap_band returns"):
        plot_cap(grades, ax=ax, band=roc_band(grades, seed=1))
    with pytest.raises(TypeError, match=r"band takes what roc_band returns.*got 0\.95"):
        plot_roc(five, ax=ax, band=0.95)

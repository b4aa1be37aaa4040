"""The picture of the profit."""

import numpy as np
import pytest
from reading import legend, points

from capcurve import count_scores
from capcurve.plots import plot_profit


def test_profit_with_its_best_cut_off(ax):
    counts = count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    plot_profit({"pd": counts}, value=10, cost=2, ax=ax)
    assert points(ax, "pd")[:, 1].tolist() == [0, 8, 6, 14, 12]
    assert ax.get_ylabel() == "Profit (value 10, cost 2 per case)"
    assert legend(ax) == ["pd", "Best 14 at 75.0%\npd ≥ 2"]


def test_every_best_cut_off_is_marked(ax):
    plot_profit(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), value=4, cost=2, ax=ax)
    assert legend(ax)[1:] == ["Best 2 at 25.0% (1 of 2 best)\nscore ≥ 4"]
    marks = [drawn.get_xydata()[1].tolist() for drawn in ax.lines if len(drawn.get_xdata()) == 2]
    assert [0.25, 2] in marks
    assert [0.75, 2] in marks


def test_selecting_nobody_can_be_best(ax):
    plot_profit(count_scores([1, 0], [2, 1]), value=1, cost=2.5, ax=ax)
    assert legend(ax) == ["Model", "Best 0 at 0.0%\nnobody selected"]


@pytest.mark.parametrize("money", [{"value": np.nan, "cost": 1}, {"value": 1, "cost": np.inf}])
def test_money_must_be_finite(money, five):
    with pytest.raises(ValueError, match="finite"):
        plot_profit(five, **money)


def test_several_scores_share_the_axes_each_with_its_best_cut_off(ax):
    good, poor = (count_scores([1, 0, 1, 0], s) for s in ([4, 2, 3, 1], [1, 3, 2, 4]))
    plot_profit({"good": good, "poor": poor}, value=10, cost=2, ax=ax)
    assert points(ax, "good")[:, 1].tolist() == [0, 8, 16, 14, 12]
    assert points(ax, "poor")[:, 1].tolist() == [0, -2, -4, 4, 12]
    assert legend(ax) == ["good  best 16 at 50.0%", "poor  best 12 at 100.0%"]

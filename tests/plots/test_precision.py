"""The picture of precision and recall."""

import numpy as np
from reading import legend, points

from capcurve import count_scores, prevalence
from capcurve.plots import plot_precision_recall


def test_precision_bends_inside_a_tie(ax):
    # The first of ten cases is positive; the other nine, one of them positive, share a score.
    counts = count_scores([1, 1, *[0] * 8], [2] + [1] * 9)
    plot_precision_recall({"pd": counts}, ax=ax, interval=None)
    recall, precision = points(ax, "pd").T
    assert (recall[-1], precision[-1]) == (1.0, 0.2)
    # Half of the nine: 1.5 of 5.5 selected are positive, where a straight line would say 0.6.
    assert np.isclose(np.interp(0.75, recall, precision), 1.5 / 5.5, atol=1e-3)


def test_random_selections_have_the_prevalence(ax, grades):
    plot_precision_recall({"pd": grades}, ax=ax)
    rate = prevalence(grades)
    (label,) = (name for name in legend(ax) if name.startswith("Random"))
    assert points(ax, label).tolist() == [[0, rate], [1, rate]]

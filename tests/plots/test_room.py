"""Legends and labels cover nothing that is drawn, at any width, whatever the scores are."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from reading import legend, pairs

from capcurve import count_scores, null_band
from capcurve.plots import (
    FOR_SEVERAL as SEVERAL,
    PICTURE_KINDS as ALL,
    plot_cap,
    plot_ks,
    plot_lift,
)
from capcurve.show.legends import LEAST_KEPT, Drawn

# Pictures of positives and negatives; the mean amount is drawn in tests/amounts.
OTHERS = {"mean-amount", "calibration", "decision"}  # of amounts and of PDs
KINDS = {kind: draw for kind, draw in ALL.items() if kind not in OTHERS}
FOR_SEVERAL = SEVERAL - {"mean-amount"}
MONEY = {"value": 10.0, "cost": 2.0}
ONE = {
    **KINDS,
    "profit": lambda counts, **how: KINDS["profit"](counts, **MONEY, **how),
    "ks along the score": lambda counts, **how: plot_ks(counts, axis="score", **how),
    "local lift": lambda counts, **how: plot_lift(counts, local=True, **how),
    "cap with guides": lambda counts, **how: plot_cap(counts, q=[0.1, 0.5], **how),
    "cap with areas": lambda counts, **how: plot_cap(counts, shade=True, **how),
    "cap with a band": lambda counts, **how: plot_cap(counts, band=null_band((300, 60)), **how),
}


def scores(strengths, n=300):
    rng = np.random.default_rng(4)
    target = (rng.random(n) < 0.2).astype(int)
    return {
        f"challenger model {place}": count_scores(target, rng.normal(size=n) + strength * target)
        for place, strength in enumerate(strengths)
    }


def on_pixels(ax):
    """Return the points of all lines as they are drawn, close together."""
    found = [np.empty((0, 2))]
    for line in ax.lines:
        path = line.get_path().transformed(line.get_transform())
        if line.get_drawstyle() == "default" and line.get_linestyle() != "None":
            path = path.interpolated(30)
        found.append(path.vertices)
    return np.concatenate(found)


def is_clear(ax):
    ax.figure.canvas.draw()
    box, figure = ax.get_legend().get_window_extent(), ax.figure.bbox
    x, y = on_pixels(ax).T
    inside = (x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)
    shown = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.x1 + 1 and box.y1 <= figure.y1 + 1
    return shown and not inside.any() and not Drawn.on(ax).covered_by(box)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("kind", "look"), pairs(ONE, product([0.0, 1.2, -1.0], [3.5, 6.4])))
def test_the_legend_of_one_score_covers_nothing(kind, look):
    strength, width = look
    _, ax = plt.subplots(figsize=(width, 0.8 * width), layout="constrained")
    ONE[kind](scores([strength]), ax=ax)
    assert is_clear(ax)


@pytest.mark.merge
@pytest.mark.parametrize("layout", ["constrained", None])
@pytest.mark.parametrize("strengths", [[0.0] * 3, [0.3, 0.6, 0.9, 1.2, 1.5, 1.8]])
@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_the_legend_of_several_scores_covers_nothing(kind, strengths, layout):
    figure, ax = plt.subplots(figsize=(3.5, 3.3), layout=layout)
    if layout is None:
        figure.subplots_adjust(left=0.2)
    figure.canvas.draw()
    before = ax.bbox.height
    ONE[kind](scores(strengths), ax=ax)
    assert is_clear(ax)
    assert ax.bbox.height > 0.8 * LEAST_KEPT * before


@pytest.mark.merge
def test_a_figure_of_its_own_grows_and_its_axes_keep_their_height(grades):
    low = plot_cap(scores([0.5, 1.0] * 6))
    high = plot_cap(grades)
    for ax in (low, high):
        ax.figure.canvas.draw()
    assert is_clear(low)
    assert low.figure.get_figheight() > high.figure.get_figheight()
    assert low.bbox.height == pytest.approx(high.bbox.height, rel=0.02)


@pytest.mark.merge
def test_axes_among_others_shrink_and_the_figure_stays():
    figure, ((first, _), (below, _)) = plt.subplots(2, 2, figsize=(8, 9))
    plot_cap(scores([0.2, 0.4, 0.6, 0.8, 1.0, 1.2]), ax=first)
    figure.canvas.draw()
    assert figure.get_size_inches().tolist() == [8, 9]
    assert first.get_legend().get_window_extent().y0 > below.bbox.y1
    assert is_clear(first)


def test_a_legend_in_a_free_corner_stays_inside(grades):
    ax = plot_cap(grades, interval=None)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert ax.bbox.x0 < box.x0
    assert box.y0 > ax.bbox.y0
    assert is_clear(ax)


@pytest.mark.merge
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_drawing_one_after_the_other_looks_like_drawing_at_once(layout):
    (figure, ax), (at_once, together) = (
        plt.subplots(figsize=(5, 5), layout=layout) for _ in range(2)
    )
    several = scores([0.0, 0.1, 0.2])
    for name, counts in several.items():
        plot_cap({name: counts}, ax=ax, q=[0.5, 0.9])
    plot_cap(several, ax=together, q=[0.5, 0.9])
    assert is_clear(ax)
    assert is_clear(together)
    # Drawn alone, a score has a row of the legend for each of its points.
    assert figure.get_figheight() < 1.5 * at_once.get_figheight()
    assert ax.bbox.height > 0.7 * together.bbox.height


@pytest.mark.parametrize("width", [3.5, pytest.param(5.6, marks=pytest.mark.merge)])
def test_numbers_of_points_cover_no_line_and_not_each_other(width, five, grades):
    for counts in (five, grades):
        _, ax = plt.subplots(figsize=(width, width), layout="constrained")
        plot_cap(counts, ax=ax, point_numbers=True)
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert len(boxes) == len(counts) + 1
        x, y = on_pixels(ax).T
        for place, box in enumerate(boxes):
            inside = (x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)
            assert not inside.any()
            assert not any(box.overlaps(other) for other in boxes[:place])
        labels = [label.get_window_extent() for label in ax.get_yticklabels()]
        for place, box in enumerate(labels):
            assert not any(box.overlaps(other) for other in labels[:place])


@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_scores_come_first_in_legends_also_when_drawn_later(kind, ax):
    for name, counts in scores([0.5, 1.0]).items():
        ONE[kind]({name: counts}, ax=ax)
    named = [text.startswith("challenger model") for text in legend(ax)]
    assert named[:2] == [True, True]
    assert "Random" not in "".join(legend(ax)[:2])


@pytest.mark.parametrize("kind", ["precision-recall", "score-distributions", "ks"])
def test_no_tick_says_more_than_one(kind):
    _, ax = plt.subplots(figsize=(6.4, 4.2))
    ONE[kind](scores([3.0]), ax=ax)
    ax.figure.canvas.draw()
    ticks = [label.get_text() for label in ax.get_yticklabels() if label.get_text()]
    numbers = [float(tick.rstrip("%").replace("−", "-")) for tick in ticks]
    assert numbers
    assert max(numbers) <= (100 if "%" in ticks[-1] else 1)


def test_the_name_of_y_is_fitted_to_a_short_axis():
    (counts,) = scores([1.2]).values()
    sizes = []
    for height in (2.9, 6.0):
        _, ax = plt.subplots(figsize=(3.5, height))
        plot_cap(counts, ax=ax)
        label = ax.yaxis.label
        sizes.append(label.get_fontsize())
        assert label.get_window_extent().height <= 1.02 * ax.bbox.height
    assert sizes[0] < sizes[1]

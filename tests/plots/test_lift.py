"""The picture of the lift."""

import numpy as np
import pytest
from reading import legend, line, points

from capcurve import ScoreCounts, count_scores, ks, lift_curve, local_lift_curve
from capcurve.plots import plot_lift


def test_curve_and_line_at_one(five, ax):
    plot_lift({"pd": five}, ax=ax)
    assert legend(ax) == ["pd  AR 0.333, lift 1.67 at 10%", "Random, lift 1"]
    drawn = points(ax, "pd")
    assert np.allclose(drawn[:, 1], lift_curve(five).at(drawn[:, 0]), rtol=1e-12)
    assert {0.2, 0.4, 0.6, 0.8} <= set(drawn[:, 0].round(12))
    assert points(ax, "Random").tolist() == [[0, 1], [1, 1]]
    assert ax.get_ylim()[0] == 0


@pytest.mark.parametrize(
    ("n", "start"), [(100, 0.1), (2_000, 0.05), (10_000, 0.01), (1_000_000, 0.01)]
)
def test_begins_at_one_percent_or_a_hundred_cases(n, start, ax):
    plot_lift(ScoreCounts.from_counts([2, 1], [n // 10, 0], [n // 10, n - n // 5]), ax=ax)
    assert points(ax, "Model")[0, 0] == pytest.approx(start, abs=1e-15)


def test_begins_where_asked(five, ax):
    plot_lift(five, ax=ax, start=0)
    assert points(ax, "Model")[0].tolist() == [0, pytest.approx(5 / 3)]
    with pytest.raises(ValueError, match="start must be a share"):
        plot_lift(five, ax=ax, start=1.0)


def test_local_lift_of_each_grade_as_steps(grades, ax):
    plot_lift(grades, ax=ax, local=True, start=0)
    assert legend(ax)[1:3] == ["Lift per score, positives", "Lift per score, negatives"]
    for of in ("positives", "negatives"):
        curve = local_lift_curve(grades, of=of)
        assert points(ax, f"Lift per score, {of}").tolist() == list(
            map(list, zip(curve.x, curve.y, strict=True))
        )
        assert line(ax, f"Lift per score, {of}").get_drawstyle() == "steps-pre"


def test_local_lift_of_many_scores_is_binned(continuous, ax):
    plot_lift(continuous, ax=ax, local=True, start=0)
    steps = points(ax, "Lift per 5%, positives")
    assert len(steps) == 21
    assert np.diff(steps[:, 0]) @ steps[1:, 1] == pytest.approx(1)


def test_local_lift_begins_with_the_curve(grades, ax):
    plot_lift(grades, ax=ax, local=True, start=0.1)
    steps = points(ax, "Lift per score, positives")
    assert steps[0].tolist() == [0.1, local_lift_curve(grades).at(0.1)]


def test_the_local_lift_can_stand_alone_and_is_marked_where_it_crosses_one(grades, ax):
    plot_lift(grades, ax=ax, local=True, cumulative=False)
    place = ks(grades).q
    assert legend(ax) == [
        "Lift per score, positives",
        "Lift per score, negatives",
        f"Lift crosses 1 at {100 * place:.1f}%",
        "Random, lift 1",
    ]
    assert points(ax, "Lift crosses").tolist() == [[pytest.approx(place), 1]]
    assert ax.get_ylabel() == "Lift"


def test_bins_of_many_scores_have_no_mark_where_they_cross_one(continuous, ax):
    plot_lift(continuous, ax=ax, local=True)
    assert np.count_nonzero(np.diff(local_lift_curve(continuous).y > 1)) > 40
    assert legend(ax)[1:] == [
        "Lift per 5%, positives",
        "Lift per 5%, negatives",
        "Random, lift 1",
    ]


def test_without_the_local_lift_the_cumulative_one_is_drawn(five, ax):
    with pytest.raises(ValueError, match="cumulative=False leaves nothing to draw"):
        plot_lift(five, ax=ax, cumulative=False)


def test_the_band_on_top_is_drawn_although_the_cumulative_lift_begins_later(ax):
    positives = [75, 60, 48, 36, 27, 20, 14, 10, 6, 4]
    bands = ScoreCounts.from_counts(range(10, 0, -1), positives, [100 - p for p in positives])
    plot_lift(bands, ax=ax, local=True)
    edges = np.arange(11) / 10
    for of, found in (("positives", positives), ("negatives", [100 - p for p in positives])):
        lifts = np.array(found) / 100 / (sum(found) / 1000)
        steps = points(ax, f"Lift per score, {of}")
        assert steps == pytest.approx(np.column_stack([edges, [lifts[0], *lifts]]))
        low, high = ax.get_ylim()
        assert low <= lifts.min()
        assert lifts.max() <= high
    assert ax.get_xlim()[0] <= 0
    assert points(ax, "Lift per score, positives")[0].tolist() == [0, pytest.approx(2.5)]
    assert points(ax, "Model")[0, 0] == pytest.approx(0.1)


def test_every_crossing_of_few_scores_is_marked(ax):
    counts = count_scores([1, 0, 0, 0, 1, 1, 1, 0, 0, 0], range(10, 0, -1))
    plot_lift(counts, ax=ax, local=True, cumulative=False)
    assert points(ax, "Lift crosses")[:, 0].tolist() == [0.1, 0.4, 0.7]
    assert line(ax, "Lift crosses").get_linestyle() == "None"


def test_a_grade_with_lift_one_is_not_crossed_twice(ax):
    counts = count_scores([1, 1, 0, 0, 0], [3, 2, 2, 1, 1])
    plot_lift(counts, ax=ax, local=True, cumulative=False)
    assert len(points(ax, "Lift crosses")) == 1

"""The picture of the CAP: its lines, guides, areas and numbers."""

import matplotlib as mpl
import numpy as np
import pytest
from reading import head, legend, line, notes, points, ticks

from capcurve import (
    ScoreCounts,
    accuracy_ratio,
    cap_band,
    cap_curve,
    confidence_interval,
    count_scores,
    null_band,
    perfect_cap,
    simulate_random_cap,
)
from capcurve.plots import plot_cap


def test_model_perfect_and_random(five, ax):
    plot_cap({"pd": five}, ax=ax, interval=None)
    assert legend(ax) == ["pd  AR 0.333", "Perfect", "Random"]
    assert head(ax) == ["n = 5, 3 positives (60.0%)"]
    thirds = [0, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 1]
    assert points(ax, "pd").tolist() == np.column_stack([np.arange(6) / 5, thirds]).tolist()
    assert points(ax, "Perfect").tolist() == [[0, 0], [0.6, 1], [1, 1]]
    assert points(ax, "Random").tolist() == [[0, 0], [1, 1]]


def test_references_can_be_left_out(five, ax):
    plot_cap(five, ax=ax, perfect=False, random=False, interval=None)
    assert legend(ax) == ["Model  AR 0.333"]


def test_the_legend_shows_the_interval_of_its_level(grades, ax):
    plot_cap({"pd": grades}, ax=ax, interval=0.9)
    found = confidence_interval(grades, "accuracy_ratio", level=0.9)
    assert legend(ax)[0] == f"pd  AR 0.550 [{found.low:.3f}, {found.high:.3f}]"
    assert head(ax)[-1] == "90% intervals in brackets"


def test_weights_of_unknown_kind_have_no_interval(ax):
    plot_cap(count_scores([1, 0, 1, 0], [4, 3, 2, 1], weight=[1.0, 2, 1, 1]), ax=ax)
    assert legend(ax)[0] == "Model  AR 0.333"
    assert len(head(ax)) == 1


def test_narrow_axes_have_two_digits(grades):
    import matplotlib.pyplot as plt

    _, narrow = plt.subplots(figsize=(3.5, 3.5))
    plot_cap({"pd": grades}, ax=narrow)
    found = confidence_interval(grades, "accuracy_ratio")
    assert legend(narrow)[0] == f"pd  AR 0.55 [{found.low:.2f}, {found.high:.2f}]"


def test_axes_are_in_percent(five, ax):
    plot_cap(five, ax=ax)
    ax.figure.canvas.draw()
    assert ticks(ax.xaxis)[::5] == ["0%", "100%"]
    assert ax.get_xlabel() == "Share of all cases selected"
    assert ax.get_ylabel() == "Share of all positives captured"


def test_guides_say_what_they_capture(five, ax):
    plot_cap(five, ax=ax, q=[0.4, 0.9])
    assert legend(ax)[1:3] == [
        "Top 40% contains 66.7%, 1.67 times random",
        "Top 90% contains 83.3%, 0.93 times random",
    ]
    guide = points(ax, "Top 40%")
    assert guide.tolist() == [[0.4, 0], [0.4, 2 / 3], [0, 2 / 3]]
    assert line(ax, "Top 40%").get_marker() != line(ax, "Top 90%").get_marker()


def test_guides_of_several_models_are_named(five, grades, ax):
    plot_cap({"a": five, "b": grades}, ax=ax, q=0.4)
    assert [text[:1] + text[-14:] for text in legend(ax) if "at 40%" in text] == [
        "a; 66.7% at 40%",
        "b; 76.5% at 40%",
    ]


def test_a_guide_outside_the_curve_is_refused(five, ax):
    with pytest.raises(ValueError, match=r"1\.5"):
        plot_cap(five, ax=ax, q=1.5)


def test_absolute_numbers(five, ax):
    plot_cap(five, ax=ax, absolute=True, q=0.4)
    assert points(ax, "Model").tolist() == [[0, 0], [1, 1], [2, 2], [3, 2], [4, 2], [5, 3]]
    assert points(ax, "Top 40%").tolist() == [[2, 0], [2, 2], [0, 2]]
    assert points(ax, "Perfect").tolist() == [[0, 0], [3, 3], [5, 3]]
    assert ax.get_xlabel() == "Cases selected"


def test_numbered_points_with_ticks_at_their_heights(five, ax):
    plot_cap(five, ax=ax, absolute=True, point_numbers=True)
    ax.figure.canvas.draw()
    assert notes(ax) == ["0", "1", "2", "3", "4", "5"]
    assert [text.xy for text in ax.texts] == [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3)]
    assert sorted(ticks(ax.yaxis)) == ["0", "1", "2", "3"]


def test_numbered_points_in_shares(five, ax):
    plot_cap(five, ax=ax, point_numbers=True)
    assert sorted(ticks(ax.yaxis)) == ["0%", "100%", "33.3%", "66.7%"]


def test_numbers_are_for_few_scores(continuous, ax):
    with pytest.raises(ValueError, match=r"up to 50 distinct scores, got"):
        plot_cap(continuous, ax=ax, point_numbers=True)


@pytest.mark.parametrize("how", ["shade", "point_numbers"])
def test_teaching_figures_show_one_score(how, five, grades):
    with pytest.raises(ValueError, match=f"{how}=True shows one score, got 2"):
        plot_cap({"a": five, "b": grades}, **{how: True})


def test_shaded_areas_have_the_areas_of_the_accuracy_ratio(grades, ax):
    plot_cap(grades, ax=ax, shade=True)
    assert legend(ax)[0].startswith("Model  AR 0.550 = A/(A + B) [0.")
    assert legend(ax)[-2:] == ["A  between random and model", "B  between model and perfect"]
    assert notes(ax) == ["A", "B"]
    a, b = (_area(patch.get_path().vertices) for patch in ax.patches)
    curve = cap_curve(grades)
    assert a == pytest.approx(curve.area - 0.5, abs=1e-12)
    assert a / (a + b) == pytest.approx(0.550, abs=5e-4)


@pytest.mark.parametrize(
    ("positives", "negatives", "letters"),
    [
        ([6, 1, 1, 1, 6], [1, 6, 1, 6, 1], []),  # crosses in the middle of a step, both ways
        ([1, 2, 9], [9, 2, 1], ["\N{MINUS SIGN}A", "B"]),
    ],
)
def test_what_is_below_random_is_an_area_of_its_own(positives, negatives, letters, ax):
    counts = ScoreCounts.from_counts(range(len(positives), 0, -1), positives, negatives)
    plot_cap(counts, ax=ax, shade=True)
    assert legend(ax)[-2] == "\N{MINUS SIGN}A  below random, subtracted"
    own, below, _ = ax.patches
    assert own.get_facecolor() != below.get_facecolor()
    above, taken = (_area(patch.get_path().vertices) for patch in (own, below))
    assert above - taken == pytest.approx(cap_curve(counts).area - 0.5, abs=1e-12)
    assert (above > 0.01) == (not letters)
    ratio = (above - taken) / (perfect_cap(counts).area - 0.5)
    assert ratio == pytest.approx(accuracy_ratio(counts), abs=1e-12)
    for patch, side in ((own, 1), (below, -1)):
        x, y = patch.get_path().vertices.T
        assert (side * (y - x) >= -1e-12).all()
    assert letters == [] or notes(ax) == letters


def test_another_prevalence(grades, ax):
    plot_cap(grades, ax=ax, prevalence=0.3, interval=None)
    assert head(ax) == ["n = 1,015, 125 positives (12.3%)", "shown at 30% positives"]
    assert points(ax, "Perfect")[1].tolist() == [0.3, 1]
    assert legend(ax)[0] == "Model  AR 0.550"


def test_a_reversed_score_runs_below_the_diagonal(reversed_score, ax):
    plot_cap(reversed_score, ax=ax, interval=None)
    assert legend(ax)[0] == "Model  AR −0.778"
    assert (points(ax, "Model")[1:-1, 1] < points(ax, "Model")[1:-1, 0]).all()


def test_many_scores_are_drawn_within_a_two_thousandth(continuous, ax):
    plot_cap(continuous, ax=ax)
    drawn, curve = points(ax, "Model"), cap_curve(continuous)
    assert len(drawn) < 1000
    assert np.abs(np.interp(curve.x, *drawn.T) - curve.y).max() <= 5e-4
    assert np.abs(curve.at(drawn[:, 0]) - drawn[:, 1]).max() < 1e-12


def _area(corners):
    x, y = corners[:-1].T if (corners[0] == corners[-1]).all() else corners.T
    return abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())) / 2


def test_bands_are_shaded_and_named_by_their_kind(five, ax):
    bands = [null_band((100, 20)), null_band((100, 20), kind="pointwise", level=0.9)]
    plot_cap(five, ax=ax, band=bands)
    assert legend(ax)[-2:] == [
        "95% simultaneous band of a random score",
        "90% pointwise band of a random score",
    ]
    shaded = ax.collections[0].get_paths()[0].vertices
    assert shaded[:, 1].max() == 1
    for x, y in ((0.5, 0.5 + 0.8 * 0.33), (0.5, 0.5 - 0.8 * 0.33)):
        assert shaded[np.isclose(shaded[:, 0], x), 1].tolist() != []
        assert np.abs(shaded[np.isclose(shaded[:, 0], x), 1] - y).min() < 0.05


def test_a_band_needs_shares_as_counted(five, ax):
    for axes in ({"absolute": True}, {"prevalence": 0.1}):
        with pytest.raises(ValueError, match="a band is in shares as counted"):
            plot_cap(five, ax=ax, band=null_band((100, 20)), **axes)


def test_the_band_of_each_score_in_its_own_colour(five, grades, ax):
    plot_cap({"a": five, "b": grades}, ax=ax, band=True)
    assert legend(ax)[-2:] == [
        "95% simultaneous band of a",
        "95% simultaneous band of b",
    ]
    of_curves = [line(ax, name).get_color() for name in "ab"]
    shades = [mpl.colors.to_hex(band.get_facecolor()[0]).upper() for band in ax.collections]
    assert shades == of_curves


def test_the_band_is_that_of_its_function_with_defaults(grades, ax):
    plot_cap(grades, ax=ax, band=True)
    assert legend(ax)[-1] == "95% simultaneous band of the CAP"
    shaded = ax.collections[0].get_paths()[0].vertices
    found = cap_band(grades, seed=1)
    assert np.isclose(shaded[:, 1].max(), found.high.max())
    low = shaded[np.isclose(shaded[:, 0], found.q[100]), 1].min()
    assert low == pytest.approx(found.low[100])


def test_simulated_random_scores_stand_behind_with_one_entry(five, ax):
    simulated = simulate_random_cap(200, 0.1, curves=12, seed=3)
    plot_cap({"pd": five}, ax=ax, random=simulated, interval=None)
    assert legend(ax) == ["pd  AR 0.333", "Perfect", "Random", "12 simulated random scores"]
    curve = cap_curve(simulated[0])
    assert points(ax, "12 simulated").tolist() == np.column_stack([curve.x, curve.y]).tolist()
    thin = [drawn for drawn in ax.lines if drawn.get_linewidth() < 0.7]
    assert len(thin) == 12
    assert max(drawn.get_zorder() for drawn in thin) < line(ax, "pd").get_zorder()


def test_what_is_not_counts_is_no_random_score(five):
    with pytest.raises(TypeError, match="random must be True, False or ScoreCounts, got str"):
        plot_cap(five, random=["yes"])

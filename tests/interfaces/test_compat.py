"""Drop-ins: the documented interface of the originals, and the documented differences."""

import matplotlib as mpl
import numpy as np
import pytest

import capcurve as cap
from capcurve.compat import capcurve, cumulative_gain_curve

mpl.use("Agg")


def test_points_run_from_the_origin_to_one():
    x, y = cumulative_gain_curve([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    np.testing.assert_array_equal(x, [0, 0.2, 0.4, 0.6, 0.8, 1])
    np.testing.assert_allclose(y, [0, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 1], rtol=1e-15)


def test_without_ties_it_agrees_with_the_recipe_of_the_original():
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, 500), rng.permutation(500) / 500
    x, gains = cumulative_gain_curve(y, p)
    recipe = np.cumsum(y[np.argsort(p)[::-1]]) / y.sum()
    np.testing.assert_allclose(gains, [0, *recipe], rtol=1e-14)
    np.testing.assert_allclose(x, np.arange(501) / 500, rtol=1e-14)


def test_labels_are_advised_on_as_the_function_takes_them():
    with pytest.raises(ValueError, match=r"; pass 1 for the positive class and 0 for the other$"):
        capcurve(["a", "b", "a"], [1, 2, 3])


def test_ties_make_one_point_in_any_row_order():
    x, y = cumulative_gain_curve([1, 0, 0, 1], [5, 5, 5, 5])
    assert (x.tolist(), y.tolist()) == ([0, 1], [0, 1])


def test_a_score_of_two_values_is_allowed():
    x, y = cumulative_gain_curve([1, 0, 1, 0], [1, 0, 0, 0])
    assert (x.tolist(), y.tolist()) == ([0, 0.25, 1], [0, 0.5, 1])


@pytest.mark.parametrize(
    ("labels", "pos_label"), [([-1, 1, 1], None), (["no", "yes", "yes"], "yes"), ([2, 7, 7], 7)]
)
def test_positive_labels(labels, pos_label):
    assert cumulative_gain_curve(labels, [1, 2, 3], pos_label)[1].tolist() == [0, 0.5, 1, 1]


@pytest.mark.parametrize(
    ("labels", "scores", "pos_label", "message"),
    [
        ([1, 1, 1], [1, 2, 3], None, "exactly two classes"),
        ([0, 1, 2], [1, 2, 3], None, "exactly two classes"),
        ([0, 1, 2], [1, 2, 3], 1, "exactly two classes"),
        ([3, 5, 5], [1, 2, 3], None, "pos_label"),
        ([0, 1, 1], [1, 2, 3], 9, "pos_label=9 is not among"),
        ([0, 1, 1], [1, np.nan, 3], None, "missing"),
        (
            [0, 1, None],
            [1, 2, 3],
            None,
            r"^target is missing \(null or NaN\) in 1 of 3 rows, first",
        ),
        ([0, 1, np.nan], [1, 2, 3], None, r"^target is missing \(null or NaN\) in 1 of 3 rows"),
        ([2, 7, np.nan], [1, 2, 3], 7, r"^target is missing \(null or NaN\) in 1 of 3 rows, first"),
        ([0, 1, 1, 0], [1, 2, 3], None, "4 rows"),
        ([0, 1], [[0.1, 0.9], [0.2, 0.8]], None, r"\[:, 1\]"),
    ],
)
def test_documented_errors(labels, scores, pos_label, message):
    with pytest.raises(ValueError, match=message):
        cumulative_gain_curve(labels, scores, pos_label)


def test_capcurve_draws_the_picture_of_its_article():
    y, p = [1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]
    axes = capcurve(y, p)
    lines = {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}
    assert {name: line.get_color() for name, line in lines.items()} == {
        "Perfect Model": "grey",
        "User Model": "red",
        "Random Model": "blue",
        "66.7% of positive obs at 50.0%": "green",
    }
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(lines)
    assert lines["Perfect Model"].get_xydata().tolist() == [[0, 0], [0.6, 1], [1, 1]]
    assert lines["User Model"].get_ydata()[-1] == 1  # the article loses the last case
    guides = [line for line in axes.lines if line.get_color() == "green"]
    assert [line.get_linestyle() for line in guides] == ["--", "--"]
    assert [line.get_xydata().tolist() for line in guides] == [
        [[0.5, 0], [0.5, 2 / 3]],
        [[0, 2 / 3], [0.5, 2 / 3]],
    ]
    assert axes.get_title() == "CAP Curve - a_r value = 0.3333"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("% of the data", "% of positive obs")
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1.02), (0, 1.25))
    assert axes.yaxis.get_major_formatter()(0.25) == "25"
    mpl.pyplot.close(axes.figure)


def test_capcurve_takes_another_share_axes_and_no_nonsense():
    y, p = [1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]
    axes = capcurve(y, p, 0.2)
    assert axes.get_legend().get_texts()[-1].get_text() == "33.3% of positive obs at 20.0%"
    assert capcurve(y, p, ax=axes) is axes
    mpl.pyplot.close(axes.figure)
    before = mpl.pyplot.get_fignums()
    with pytest.raises(ValueError, match="percent must be between 0 and 1, got 50"):
        capcurve(y, p, 50)
    with pytest.raises(ValueError, match="positives"):
        capcurve([0, 0], [0.1, 0.2])
    assert mpl.pyplot.get_fignums() == before


def test_the_name_is_also_a_module_function():
    assert cap.compat.cumulative_gain_curve is cumulative_gain_curve


Y = np.array([1, 0, 1, 1, 0])
P = np.array([0.2, 0.6, 0.8, 0.7, 0.4])
PROBAS = np.column_stack([1 - P, P])
PLOTS = [
    (cap.compat.plot_cumulative_gain, "Cumulative Gains Curve"),
    (cap.compat.plot_lift_curve, "Lift Curve"),
    (cap.compat.plot_ks_statistic, "KS Statistic Plot"),
]


def line_of(axes, name):
    return next(line for line in axes.lines if line.get_label().startswith(name)).get_xydata()


def test_the_gain_of_each_class():
    axes = cap.compat.plot_cumulative_gain(Y, PROBAS)
    shares = np.linspace(0, 1, 6)
    of_one = np.column_stack([shares, [0, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 1]])
    np.testing.assert_allclose(line_of(axes, "Class 1"), of_one, rtol=1e-15)
    of_zero = np.column_stack([shares, [0, 0, 0.5, 1, 1, 1]])
    np.testing.assert_allclose(line_of(axes, "Class 0"), of_zero, rtol=1e-15)


def test_the_lift_of_each_class():
    axes = cap.compat.plot_lift_curve(["b", "a", "b", "b", "a"], PROBAS.tolist())
    assert line_of(axes, "Class b")[0, 1] == pytest.approx(5 / 3)
    assert line_of(axes, "Class a")[0, 1] == 0


def test_ks_is_that_of_the_larger_label():
    axes = cap.compat.plot_ks_statistic(Y, PROBAS)
    legend = " ".join(text.get_text() for text in axes.get_legend().get_texts())
    assert "KS 0.667" in legend
    assert "0.7" in legend


@pytest.mark.parametrize(("plot", "title"), PLOTS)
def test_their_arguments_are_taken(plot, title):
    assert plot(Y, PROBAS).get_title() == title
    axes = plot(Y, PROBAS, "mine", None, (8, 3), "small", 7)
    assert axes.get_title() == "mine"
    assert axes.figure.get_figwidth() == 8
    assert axes.xaxis.label.get_fontsize() == 7
    assert plot(Y, PROBAS, ax=axes, title_fontsize=20) is axes
    assert axes.title.get_fontsize() == 20


@pytest.mark.parametrize("plot", [plot for plot, _ in PLOTS])
def test_what_they_refuse(plot):
    with pytest.raises(ValueError, match=r"a column for each class, shape \(n, 2\), got \(5,\)"):
        plot(Y, P)
    with pytest.raises(ValueError, match="exactly two classes, got"):
        plot([0, 1, 2, 0, 1], PROBAS)
    for nothing in (None, np.nan):
        with pytest.raises(ValueError, match=r"^target is missing \(null or NaN\) in 1 of 5 rows"):
            plot([0, 1, nothing, 0, 1], PROBAS)

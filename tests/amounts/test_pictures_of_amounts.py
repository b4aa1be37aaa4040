"""Pictures of amounts: what is drawn, in which words, and that nothing covers anything."""

import matplotlib as mpl
import numpy as np
import pytest

from capcurve import (
    accuracy_ratio,
    best_thresholds,
    cap_curve,
    count_scores,
    count_values,
    evaluate,
    gains_table,
    lift_curve,
    lorenz_curve,
    perfect_cap,
    plot_cap,
    plot_ks,
    plot_lift,
    plot_lorenz,
    plot_mean_amount,
    plot_profit,
    plot_roc,
)
from oracles.oracle_files import oracle
from plots.reading import head, legend, points, ticks

mpl.use("Agg")

import matplotlib.pyplot as plt

DRAWN = {
    "cap": plot_cap,
    "cap with areas": lambda values, **how: plot_cap(values, shade=True, **how),
    "cap in units": lambda values, **how: plot_cap(values, absolute=True, **how),
    "cap with guides": lambda values, **how: plot_cap(values, q=[0.1, 0.5], **how),
    "lorenz": plot_lorenz,
    "lift": plot_lift,
    "local lift": lambda values, **how: plot_lift(values, local=True, **how),
    "mean amount": plot_mean_amount,
    "profit": lambda values, **how: plot_profit(values, value=0.2, cost=50, **how),
}
FOR_SEVERAL = ["cap", "cap in units", "cap with guides", "lorenz", "lift", "mean amount"]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def policies():
    rows = oracle("amounts_policies.csv")
    return {
        name: count_values("claims", name, exposure="years", data=rows)
        for name in ("model_a", "model_b")
    }


@pytest.fixture(scope="module")
def small():
    return count_values("amount", "score", exposure="exposure", data=oracle("amounts_small.csv"))


@pytest.fixture(scope="module")
def signed():
    return count_values("realised", "estimated", exposure="ead", data=oracle("lgd.csv"))


def is_clear(ax):
    """Tell whether the legend stands inside the figure and on no line."""
    ax.figure.canvas.draw()
    box, figure = ax.get_legend().get_window_extent(), ax.figure.bbox
    for line in ax.lines:
        path = line.get_path().transformed(line.get_transform()).interpolated(30)
        x, y = path.vertices.T
        if ((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).any():
            return False
    return box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.x1 + 1 and box.y1 <= figure.y1 + 1


@pytest.mark.turns(3)
@pytest.mark.parametrize("width", [3.5, pytest.param(6.4, marks=pytest.mark.merge)])
@pytest.mark.parametrize("kind", DRAWN)
def test_legends_cover_nothing(kind, width, policies):
    _, ax = plt.subplots(figsize=(width, 0.8 * width), layout="constrained")
    assert DRAWN[kind](policies["model_a"], ax=ax) is ax
    assert is_clear(ax)


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", FOR_SEVERAL)
def test_several_scores_look_different_and_have_one_reference(kind, policies):
    ax = DRAWN[kind](policies)
    drawn = [line for line in ax.lines if line.get_label().startswith("model")]
    looks = {(line.get_color(), str(line._dash_pattern)) for line in drawn if line.get_linewidth()}
    assert len(looks) >= 2
    labels = legend(ax)
    assert len(labels) == len(set(labels))
    assert is_clear(ax)


@pytest.mark.merge
def test_a_second_drawing_looks_different(policies):
    ax = plot_mean_amount({"one": policies["model_a"]})
    plot_mean_amount({"two": policies["model_b"]}, ax=ax)
    looks = {line.get_color() for line in ax.lines if line.get_label().startswith(("one", "two"))}
    assert len(looks) == 2


def test_the_curve_is_the_cap_and_the_axes_speak_of_the_columns(policies):
    values = policies["model_a"]
    ax = plot_cap(policies)
    curve = cap_curve(values)
    x, y = points(ax, "model_a").T
    assert (x, y) == (pytest.approx(curve.x), pytest.approx(curve.y))
    assert ax.get_xlabel() == "Share of all years selected"
    assert ax.get_ylabel() == "Share of all claims captured"
    assert legend(ax)[0] == f"model_a  AR {accuracy_ratio(values):.3f} [0.363, 0.739]"
    assert head(ax) == [
        "n = 400, 69 with claims (17.2%)",
        "claims 62,724.7, years 215.1",
        "95% intervals in brackets",
    ]
    best = perfect_cap(values)
    x, y = points(ax, "Perfect").T
    assert np.interp(x, best.x, best.y) == pytest.approx(y, abs=1e-12)


def test_guides_name_what_is_captured(small):
    ax = plot_cap(small, q=0.25, interval=None)
    assert "Top 25% contains 68.1% of amount,\n2.73 times random" in legend(ax)


def test_absolute_axes_are_in_units(policies):
    values = policies["model_a"]
    ax = plot_cap(values, absolute=True)
    ax.figure.canvas.draw()
    assert points(ax, "Model")[-1] == pytest.approx([values.exposure, values.amount])
    assert ax.get_xlabel() == "Years selected"
    assert "60,000" in ticks(ax.yaxis)


def test_absolute_axes_of_small_sums_have_ticks_between_whole_numbers():
    values = count_values([0.2, 0.0, 0.1], [3, 2, 1], exposure=[0.1, 0.3, 0.2])
    ax = plot_cap(values, absolute=True, interval=None)
    ax.figure.canvas.draw()
    assert len(set(ticks(ax.yaxis))) > 3


def test_amounts_below_zero_are_drawn_in_units_alone(signed):
    ax = plot_cap(signed, absolute=True)
    _, y = points(ax, "Model").T
    low, high = ax.get_ylim()
    assert low <= y.min()
    assert high >= points(ax, "Perfect").T[1].max() > y[-1]
    for draw in (plot_cap, plot_lift, plot_lorenz):
        with pytest.raises(ValueError, match=r"^some amounts are below zero"):
            draw(signed)
    assert plot_mean_amount(signed) is not None
    assert plot_profit(signed, value=1, cost=1e-5) is not None


def test_a_perfect_order_of_many_rows_is_drawn_with_few_points():
    rng = np.random.default_rng(3)
    values = count_values(rng.lognormal(size=20_000), rng.normal(size=20_000))
    ax = plot_cap(values, interval=None)
    assert len(points(ax, "Perfect")) < 500
    assert len(points(ax, "Model")) < 2000
    best, (x, y) = perfect_cap(values), points(ax, "Perfect").T
    assert np.abs(np.interp(best.x, x, y) - best.y).max() < 1e-3


def test_lift_begins_where_enough_cases_are_selected(small):
    ax = plot_lift(small)
    x, y = points(ax, "Model").T
    assert x[0] == 0.1
    assert y == pytest.approx(np.asarray(lift_curve(small).at(x)))
    local = plot_lift(small, local=True)
    rows = oracle("amounts_small.csv")
    top = rows["score"] == rows["score"].max()
    per_unit = [rows["amount"][each].sum() / rows["exposure"][each].sum() for each in (top, ...)]
    steps = points(local, "Lift per score")
    assert steps[0] == pytest.approx([0, per_unit[0] / per_unit[1]])


def test_lorenz_is_read_from_the_lowest_ranked_up(policies):
    ax = plot_lorenz(policies)
    x, y = points(ax, "model_b").T
    curve = lorenz_curve(policies["model_b"])
    assert np.asarray(curve.at(x)) == pytest.approx(y, abs=1e-12)
    lowest = points(ax, "Lowest possible")
    assert (lowest[:, 1] <= lowest[:, 0] + 1e-12).all()
    assert np.interp(x, *lowest.T) == pytest.approx(np.minimum(y, np.interp(x, *lowest.T)))
    assert legend(ax)[0].startswith("model_a  G 0.571 [")
    classes = plot_lorenz(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    assert legend(classes)[0].startswith("Model  AR 0.500")


def test_bars_are_as_high_as_the_mean_and_as_wide_as_the_exposure(policies):
    values = policies["model_a"]
    ax = plot_mean_amount(values)
    table = gains_table(values)
    x, y = points(ax, "Model, 10 bins").T
    assert x[1:-1:2] == pytest.approx(np.append(0, table["selected"])[:-1])
    assert y[1:-1:2] == pytest.approx(table["mean_amount"])
    widths = np.diff(np.append(0, table["selected"])) * values.exposure
    assert widths @ table["mean_amount"] == pytest.approx(values.amount)
    assert points(ax, "All 291.6")[:, 1].tolist() == [values.amount / values.exposure] * 2
    assert ax.get_ylabel() == "Claims per unit of years"


def test_bars_may_be_of_each_score(small):
    ax = plot_mean_amount(small, bins="score")
    assert legend(ax)[0].startswith("Model, each score  AR 0.665")
    assert points(ax, "Model")[1:-1:2, 1] == pytest.approx([40, 40, 10 / 6, 0, 40 / 7, 5 / 7])


def test_profit_marks_the_best_cut_off(small):
    ax = plot_profit(small, value=1, cost=10)
    (best,) = best_thresholds(small, "profit", value=1, cost=10)
    assert f"Best 300 at {100 * best.q:.1f}%\nscore ≥ 7" in legend(ax)


def test_classes_and_amounts_have_their_own_pictures(small):
    for draw in (plot_roc, plot_ks):
        with pytest.raises(ValueError, match="of amounts draw cap, lorenz, lift, mean-amount"):
            draw(small)
    with pytest.raises(ValueError, match="is of amounts, which count_values counts; draw lift"):
        plot_mean_amount(count_scores([1, 0], [2, 1]))
    with pytest.raises(ValueError, match="draw them apart"):
        plot_cap({"a": small, "b": count_scores([1, 0], [2, 1])})
    with pytest.raises(ValueError, match="a band is of positives and negatives"):
        plot_cap(small, band=True)
    assert plt.get_fignums() == []


@pytest.mark.merge
def test_an_evaluation_draws_its_amounts(small, tmp_path):
    found = evaluate(small)
    for kind in ("cap", "Lorenz", "lift", "mean amount"):
        assert found.plot(kind) is not None
    path = found.save(tmp_path / "cap.png")
    assert path.stat().st_size > 10_000


def test_means_of_several_samples_have_no_line_that_nobody_can_place(policies, small):
    ax = plot_mean_amount({"a": policies["model_a"], "b": small})
    assert not any(label.startswith("All") for label in legend(ax))

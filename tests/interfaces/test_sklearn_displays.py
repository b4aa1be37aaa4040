"""Displays: the same data however they are made, drawn without changing them."""

from typing import get_type_hints

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from scipy.sparse import coo_matrix
from scipy.stats import t
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import KFold, cross_validate

import capcurve as cap
from capcurve.sklearn import CAPCurveDisplay, KSDisplay, LiftCurveDisplay

mpl.use("Agg")
DISPLAYS = (CAPCurveDisplay, LiftCurveDisplay, KSDisplay)
ATTRIBUTES = {CAPCurveDisplay: "accuracy_ratio", LiftCurveDisplay: "lift", KSDisplay: "ks"}
X, Y = make_classification(300, weights=[0.7], flip_y=0.2, random_state=5)
BAD = np.array(["good", "bad"])[Y]
MODEL = LogisticRegression().fit(X, BAD)
SCORE = MODEL.predict_proba(X)[:, 0].round(2)
FIVE = ([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])


def area_under(line):
    x, y = line.get_data()
    return float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_five_cases_by_hand():
    display = CAPCurveDisplay.from_predictions(*FIVE)
    np.testing.assert_array_equal(display.cumulative_total, [0, 1, 2, 3, 4, 5])
    np.testing.assert_array_equal(display.y_true_cumulative, [0, 1, 2, 2, 2, 3])
    assert display.accuracy_ratio == 1 / 3
    shares = np.array([[0, 0], [0.2, 1 / 3], [0.4, 2 / 3], [0.6, 2 / 3], [0.8, 2 / 3], [1, 1]])
    np.testing.assert_allclose(display.line_.get_xydata(), shares, rtol=1e-15)
    np.testing.assert_array_equal(display.chance_level_.get_xydata(), [[0, 0], [1, 1]])
    perfect = [[0, 0], [0.6, 1], [1, 1]]
    np.testing.assert_array_equal(display.perfect_level_.get_xydata(), perfect)
    assert legend(display) == [
        "Classifier (AR = 0.33)",
        "Chance level (AR = 0)",
        "Perfect (AR = 1)",
    ]


def test_numbers_of_cases_in_place_of_shares():
    display = CAPCurveDisplay.from_predictions(*FIVE, normalize_scale=False)
    points = np.column_stack([display.cumulative_total, display.y_true_cumulative])
    np.testing.assert_array_equal(display.line_.get_xydata(), points)
    np.testing.assert_array_equal(display.perfect_level_.get_xydata(), [[0, 0], [3, 3], [5, 3]])
    assert display.ax_.get_xlabel() == "Cases selected"
    assert display.ax_.get_ylabel() == "Positives captured (positive label: 1)"


def test_the_lift_bends_between_scores():
    display = LiftCurveDisplay.from_predictions([1, 0, 0, 0], [2, 2, 1, 1])
    x, y = display.line_.get_data()
    assert x[0] == 0.1  # before, it stands on too few cases
    np.testing.assert_allclose(y, np.minimum(2, 1 / x), rtol=1e-12)
    assert display.lift == 2
    assert display.perfect_level_ is None
    assert legend(display) == ["Classifier (lift at 10% = 2.00)", "Chance level (lift = 1)"]


def test_the_place_of_ks_is_marked():
    display = KSDisplay.from_predictions([1, 1, 0, 1, 0], [5, 4, 3, 2, 1], plot_perfect=True)
    assert display.ks == 2 / 3
    place = display.line_.get_markevery()
    np.testing.assert_allclose(display.line_.get_xydata()[place], [[0.4, 2 / 3]])
    assert display.perfect_level_.get_ydata().max() == 1
    np.testing.assert_array_equal(display.chance_level_.get_ydata(), [0, 0])


@pytest.mark.parametrize("display_class", DISPLAYS)
def test_all_ways_give_the_same(display_class):
    score = MODEL.decision_function(X)
    counts = cap.count_scores(BAD, -score, pos_label="bad")
    made = [
        display_class.from_estimator(MODEL, X, BAD, pos_label="bad"),
        display_class.from_estimator(
            MODEL, X, BAD, pos_label="bad", response_method="decision_function"
        ),
        display_class.from_predictions(BAD, -score, pos_label="bad"),
        display_class.from_counts(counts),
    ]
    for each in made:
        np.testing.assert_array_equal(each.cumulative_total, made[0].cumulative_total)
        np.testing.assert_array_equal(each.y_true_cumulative, made[0].y_true_cumulative)
        attribute = ATTRIBUTES[display_class]
        assert getattr(each, attribute) == getattr(made[0], attribute)
        np.testing.assert_array_equal(each.line_.get_xydata(), made[0].line_.get_xydata())


def test_the_other_class_turns_the_picture_round():
    bad = CAPCurveDisplay.from_estimator(MODEL, X, BAD, pos_label="bad")
    good = CAPCurveDisplay.from_estimator(MODEL, X, BAD)
    assert (good.pos_label, bad.pos_label) == ("good", "bad")
    assert good.accuracy_ratio == bad.accuracy_ratio
    assert good.y_true_cumulative[-1] + bad.y_true_cumulative[-1] == len(Y)
    assert "positive label: bad" in bad.ax_.get_ylabel()


@pytest.mark.parametrize("display_class", DISPLAYS)
def test_drawing_leaves_the_data_as_they_are(display_class):
    display = display_class.from_predictions(BAD, SCORE, pos_label="bad")
    before = {name: np.array(value) for name, value in vars(display).items() if "y_" in name}
    display.plot(normalize_scale=False, name="again", plot_perfect=True)
    display.plot(curve_kwargs={"c": "red", "lw": 3}, despine=True)
    assert display.line_.get_color() == "red"
    assert display.line_.get_linewidth() == 3
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(display, name), value)


def test_weights_count():
    weight = np.arange(1, 6)
    display = CAPCurveDisplay.from_predictions(*FIVE, sample_weight=weight)
    np.testing.assert_array_equal(display.cumulative_total, [0, 3, 7, 9, 14, 15])
    assert display.accuracy_ratio == cap.accuracy_ratio(cap.count_scores(*FIVE, weight=weight))


COLUMNS = [f"x{place}" for place in range(X.shape[1])]
KINDS = {
    "array": np.asarray,
    "pandas": lambda rows: pd.DataFrame(rows, columns=COLUMNS),
    "polars": lambda rows: pl.DataFrame(rows, schema=COLUMNS),
    "sparse": coo_matrix,
    "list": np.ndarray.tolist,
}


@pytest.mark.parametrize(
    "kind",
    [
        "polars",
        "sparse",
        *(pytest.param(k, marks=pytest.mark.merge) for k in ("array", "pandas", "list")),
    ],
)
def test_folds_of_rows_of_any_kind(kind):
    rows, how = KINDS[kind](X), {"cv": 3, "return_estimator": True, "return_indices": True}
    found = cross_validate(LogisticRegression(), rows, Y, **how)
    labels = pd.Series(Y, index=range(1000, 1000 + len(Y)))
    display = CAPCurveDisplay.from_cv_results(found, rows, labels, sample_weight=np.ones(len(Y)))
    plain = cross_validate(LogisticRegression(), X, Y, **how)
    expected = [
        cap.accuracy_ratio(cap.count_scores(Y[test], estimator.decision_function(X[test])))
        for estimator, test in zip(plain["estimator"], plain["indices"]["test"], strict=True)
    ]
    np.testing.assert_allclose(display.accuracy_ratio, expected, rtol=1e-12)
    assert len(display.line_) == 3


@pytest.mark.parametrize("display_class", DISPLAYS)
def test_a_fold_without_a_class_has_no_number_and_the_others_are_drawn(display_class):
    order = np.argsort(Y, kind="stable")
    order = np.concatenate([order[:60], np.random.default_rng(0).permutation(order[60:])])
    how = {"cv": KFold(3), "return_estimator": True, "return_indices": True}
    found = cross_validate(LogisticRegression(), X[order][:180], BAD[order][:180], **how)
    with pytest.warns(UndefinedMetricWarning, match="No positive cases in y_true"):
        display = display_class.from_cv_results(
            found, X[order][:180], BAD[order][:180], pos_label="bad"
        )
    values = getattr(display, ATTRIBUTES[display_class])
    assert np.isnan(values).tolist() == [True, False, False]
    assert legend(display)[0].endswith("= nan +/- nan")


@pytest.mark.merge
def test_several_counts_have_looks_and_names_of_their_own():
    counts = {"new": cap.count_scores(Y, SCORE), "old": cap.count_scores(Y, SCORE.round(1))}
    display = CAPCurveDisplay.from_counts(counts)
    assert [label.split(" (")[0] for label in legend(display)[:2]] == ["new", "old"]
    looks = {(line.get_color(), line.get_linestyle()) for line in display.line_}
    assert len(looks) == 2
    alone = CAPCurveDisplay.from_counts({"new": counts["new"]})
    assert alone.name == ["new"]
    assert legend(alone)[0].startswith("new (AR")
    assert CAPCurveDisplay.from_counts(counts["new"], name="mine").name == "mine"
    evaluated = CAPCurveDisplay.from_counts(cap.evaluate(Y, {"a": SCORE, "b": SCORE.round(1)}))
    assert evaluated.accuracy_ratio == display.accuracy_ratio
    with pytest.raises(TypeError, match="'new' holds list"):
        CAPCurveDisplay.from_counts({"new": [1, 0]})
    with pytest.raises(TypeError, match=r"CAPCurveDisplay.from_counts draws counts, got list"):
        CAPCurveDisplay.from_counts([1, 0])


def test_two_displays_on_the_same_axes_name_the_lines_to_compare_with_once():
    first = CAPCurveDisplay.from_predictions(Y, SCORE, name="first")
    second = CAPCurveDisplay.from_predictions(Y, SCORE.round(1), name="second", ax=first.ax_)
    assert second.figure_ is first.figure_
    assert [label.split(" (")[0] for label in legend(second)] == [
        *("first", "second", "Chance level", "Perfect"),
    ]
    assert first.line_.get_color() != second.line_.get_color()


def test_beside_a_display_of_scikit_learn():
    _, (left, right) = plt.subplots(1, 2)
    RocCurveDisplay.from_estimator(MODEL, X, BAD, ax=left)
    display = CAPCurveDisplay.from_estimator(MODEL, X, BAD, ax=right)
    assert display.ax_ is right
    assert left.get_legend() is not None


def covered(display):
    """Return what the legend of a drawn display covers: lines, and numbers along the axes."""
    ax, box = display.ax_, display.ax_.get_legend().get_window_extent()
    paths = [line.get_transform().transform_path(line.get_path()) for line in ax.lines]
    ticks = [
        text
        for along, axis, (low, high) in ((0, ax.xaxis, ax.get_xlim()), (1, ax.yaxis, ax.get_ylim()))
        for text in axis.get_ticklabels()
        if low <= text.get_position()[along] <= high
    ]
    return [
        *(line for line, path in zip(ax.lines, paths, strict=True) if path.intersects_bbox(box, 0)),
        *(text for text in ticks if text.get_window_extent().overlaps(box)),
    ]


@pytest.mark.merge
def test_legends_cover_nothing_in_figures_of_our_own():
    for display_class in DISPLAYS:
        display = display_class.from_estimator(MODEL, X, BAD, pos_label="bad", plot_perfect=True)
        display.figure_.canvas.draw()
        assert covered(display) == []


def test_displays_beside_each_other_cover_nothing():
    figure, axes = plt.subplots(1, 3, figsize=(13, 4))
    displays = [
        display_class.from_predictions(Y, SCORE, name="LogisticRegression", pos_label=1, ax=ax)
        for display_class, ax in zip(DISPLAYS, axes, strict=True)
    ]
    figure.canvas.draw()
    for display, before in zip(displays[1:], axes, strict=False):
        name = display.ax_.yaxis.label
        assert "\n" not in name.get_text()
        assert not name.get_window_extent().overlaps(before.bbox)
    assert [covered(display) for display in displays] == [[], [], []]


LAYOUTS = [
    (1, 1, {}),
    (1, 1, {"figsize": (4, 4)}),
    (1, 1, {"figsize": (3, 3)}),
    (1, 1, {"figsize": (4, 4), "layout": "constrained"}),
    (1, 1, {"figsize": (4, 4), "layout": "tight"}),
    (1, 2, {}),
    (1, 2, {"layout": "constrained"}),
    (2, 2, {"figsize": (8, 6)}),
    (1, 3, {"figsize": (12, 4)}),
    (1, 3, {"figsize": (12, 4), "layout": "constrained"}),
    (1, 3, {"figsize": (12, 4), "layout": "tight"}),
    (1, 3, {"figsize": (9, 3)}),
]
TRUE = np.array([1, 1, *[0] * 8] * 100)
WEAK, STRONG = (TRUE + np.random.default_rng(0).normal(size=1000) * spread for spread in (2, 0.3))


def assert_all_is_seen(ax):
    """Assert that every point drawn is within the axes and the legend within the figure."""
    for name, (low, high) in (("x", ax.get_xlim()), ("y", ax.get_ylim())):
        ends = np.concatenate(
            [np.atleast_1d(getattr(each, f"get_{name}data")()) for each in ax.lines]
        )
        assert low <= np.nanmin(ends)
        assert np.nanmax(ends) <= high
    box, figure = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert figure.x0 < box.x0
    assert box.x1 < figure.x1
    assert figure.y0 < box.y0
    assert box.y1 < figure.y1


@pytest.mark.turns(4)
@pytest.mark.parametrize("display_class", DISPLAYS)
@pytest.mark.parametrize(("rows", "columns", "how"), LAYOUTS)
def test_a_better_score_drawn_after_a_weaker_one_is_seen_whole(display_class, rows, columns, how):
    figure, axes = plt.subplots(rows, columns, squeeze=False, **how)
    for ax in axes.flat:
        for name, score in (("weak", WEAK), ("strong", STRONG)):
            display_class.from_predictions(TRUE, score, name=name, ax=ax)
    figure.canvas.draw()
    for ax in axes.flat:
        assert_all_is_seen(ax)


@pytest.mark.parametrize("display_class", DISPLAYS)
def test_means_of_two_models_and_numbers_of_more_cases_are_seen_whole(display_class):
    folds = [slice(start, start + 250) for start in range(0, 1000, 250)]
    _, (left, right) = plt.subplots(1, 2)
    for name, score in (("weak", WEAK), ("strong", STRONG)):
        counts = {str(fold): cap.count_scores(TRUE[fold], score[fold]) for fold in folds}
        display_class.from_counts(counts, ax=left, mean=True, mean_kwargs={"label": name})
    for score, rows in ((STRONG, 1000), (WEAK, 500)):
        display_class.from_predictions(TRUE[:rows], score[:rows], ax=right, normalize_scale=False)
    left.figure.canvas.draw()
    assert_all_is_seen(left)
    assert_all_is_seen(right)


def test_limits_that_were_set_before_stay():
    _, ax = plt.subplots()
    ax.set_ylim(0, 3)
    LiftCurveDisplay.from_predictions(TRUE, STRONG, ax=ax)
    assert ax.get_ylim()[0] == 0
    assert not ax.get_autoscaley_on()


def test_plain_lists_are_one_curve():
    display = CAPCurveDisplay(cumulative_total=[0, 1, 2], y_true_cumulative=[0, 1, 1]).plot()
    np.testing.assert_array_equal(display.line_.get_xydata(), [[0, 0], [0.5, 1], [1, 1]])


def test_labels_are_no_scores():
    with pytest.raises(ValueError, match='"predict" gives labels'):
        CAPCurveDisplay.from_estimator(MODEL, X, BAD, response_method="predict")


def test_what_is_not_a_keyword_is_refused():
    with pytest.raises(TypeError, match="drop_intermediate"):
        CAPCurveDisplay.from_predictions(*FIVE, drop_intermediate=True)
    with pytest.raises(TypeError, match="Got both lw and linewidth"):
        CAPCurveDisplay.from_predictions(*FIVE, chance_level_kwargs={"lw": 1, "linewidth": 2})


def test_totals_of_a_ranking_that_is_not_held():
    counts = cap.count_scores(Y, SCORE)
    block = counts.thresholds, counts.positives, counts.negatives
    totals = cap.count_sorted([block], n1=counts.n1, n0=counts.n0)
    display = CAPCurveDisplay.from_counts(totals)
    assert display.accuracy_ratio == cap.accuracy_ratio(counts)
    assert display.cumulative_total[-1] == len(Y)


@pytest.mark.parametrize("display_class", DISPLAYS)
def test_types_of_attributes_can_be_read_at_run_time(display_class):
    hints = get_type_hints(display_class)
    assert {"cumulative_total", "y_true_cumulative", ATTRIBUTES[display_class]} <= hints.keys()


LABELS = ([1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1])
FOLDS = {f"fold {k}": cap.count_scores(y, [4, 3, 2, 1]) for k, y in enumerate(LABELS, 1)}


@pytest.mark.parametrize(
    ("display_class", "mean", "ends"),
    [
        # Three of four cases hold 1, 1 and 1/2 of the positives, 1/2, 1/2 and 1 of the others.
        (CAPCurveDisplay, 5 / 6, (0, 1)),
        (LiftCurveDisplay, 10 / 9, (0, np.inf)),
        (KSDisplay, 1 / 6, (-1, 1)),
    ],
)
def test_the_mean_of_folds_and_its_band_by_hand(display_class, mean, ends):
    display = display_class.from_counts(FOLDS, mean=True)
    x, y = display.mean_.get_data()
    assert np.isclose(np.interp(0.75, x, y), mean, rtol=1e-12)
    edges = display.band_.get_paths()[0].vertices
    there = edges[np.isclose(edges[:, 0], 0.75), 1]
    heights = [np.interp(0.75, *line.get_data()) for line in display.line_]
    half = t.ppf(0.975, 2) * np.std(heights, ddof=1) / np.sqrt(3)
    limits = np.clip([mean - half, mean + half], *ends)
    np.testing.assert_allclose([there.min(), there.max()], limits, rtol=1e-12)
    assert len(display.line_) == 3
    assert {line.get_color() for line in display.line_} == {display.mean_.get_color()}
    assert legend(display)[0].startswith("Mean of 3 folds (")
    faint = display_class.from_counts(FOLDS, mean=True, name="a", curve_kwargs={"alpha": 0.1})
    assert legend(faint)[0].startswith("a, mean of 3 folds (")
    assert faint.line_[2].get_alpha() == 0.1


@pytest.mark.merge
def test_the_mean_of_a_cross_validation_is_named_with_its_spread():
    how = {"cv": 4, "return_estimator": True, "return_indices": True}
    found = cross_validate(LogisticRegression(), X, Y, **how)
    display = CAPCurveDisplay.from_cv_results(
        found, X, Y, mean=True, name="mine", mean_kwargs={"c": "red"}
    )
    ratios = display.accuracy_ratio
    assert legend(display) == [
        f"mine, mean of 4 folds (AR = {np.mean(ratios):.2f} +/- {np.std(ratios):.2f})",
        "Chance level (AR = 0)",
        "Perfect (AR = 1)",
        "95% band of the mean",
    ]
    areas = [area_under(line) for line in display.line_]
    assert np.isclose(area_under(display.mean_), np.mean(areas), rtol=1e-12)
    assert display.line_[0].get_color() == display.mean_.get_color() == "red"
    looks = [{"label": f"part {place}"} for place in range(4)]
    display.plot(mean=True, curve_kwargs=looks)
    assert {"part 0", "part 3"} < set(legend(display))
    assert display.plot().mean_ is None
    with pytest.raises(ValueError, match="mean=True is in shares"):
        display.plot(mean=True, normalize_scale=False)


def test_a_mean_needs_three_folds_with_both_classes():
    with pytest.raises(ValueError, match="3 or more folds, got 1"):
        CAPCurveDisplay.from_predictions(*FIVE, mean=True)
    of_one = {**FOLDS, "fold 4": cap.count_scores([1, 1], [2, 1])}
    with (
        pytest.warns(UndefinedMetricWarning, match="No negative cases"),
        pytest.raises(ValueError, match="fold 4 has no negatives"),
    ):
        CAPCurveDisplay.from_counts(of_one, mean=True)

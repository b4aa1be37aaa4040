"""Titles, colours, labels and keywords of lines that a caller gives to a picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from reading import head, legend, pairs

from capcurve import count_values, evaluate
from capcurve.plots import (
    PICTURE_KINDS as ALL,
    plot_cap,
    plot_captured_response,
    plot_ks,
    plot_lift,
    plot_mean_amount,
    plot_roc,
    plot_score_distributions,
)
from capcurve.plots.models import DrawnSegments
from capcurve.show.chart import SCORES, model_style

OTHERS = {"mean-amount", "calibration", "decision"}  # of amounts and of PDs
KINDS = {kind: draw for kind, draw in ALL.items() if kind not in OTHERS}
OF_A_SCORE = ["cap", "roc", "lorenz", "lift", "ks", "precision-recall", "profit"]
SEVERAL = ["cap", "roc", "lorenz", "lift", "ks", "precision-recall"]


def draw(kind, counts, **how):
    money = {"value": 10, "cost": 2} if kind == "profit" else {}
    return KINDS[kind](counts, **money, **how)


def of_scores(ax):
    """Return the lines of the scores, in the order in which they were drawn."""
    return [line for line in ax.lines if line.get_zorder() == SCORES]


def colours(lines):
    return [mpl.colors.to_hex(line.get_color()) for line in lines]


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_takes_a_title_and_keeps_it_off_without_one(kind, grades):
    assert draw(kind, grades, title="Cards, May").get_title() == "Cards, May"
    assert draw(kind, grades).get_title() == ""


@pytest.mark.parametrize("kind", OF_A_SCORE)
def test_keywords_of_lines_go_to_the_line_of_the_score_alone(kind, grades):
    ax = draw(kind, grades, color="tab:red", linestyle=":", lw=5, alpha=0.5, marker="x")
    (line,) = of_scores(ax)
    assert colours([line]) == ["#d62728"]
    assert (line.get_linestyle(), line.get_linewidth(), line.get_alpha()) == (":", 5, 0.5)
    assert line.get_marker() == "x"
    others = [other for other in ax.lines if other is not line]
    assert others
    assert all(other.get_linewidth() != 5 and other.get_marker() != "x" for other in others)


@pytest.mark.parametrize("kind", OF_A_SCORE)
def test_a_label_is_all_that_the_legend_says_of_a_score(kind, grades):
    ax = draw(kind, grades, label="Rating, 2026")
    assert [text for text in legend(ax) if "Rating" in text] == ["Rating, 2026"]
    assert "95% intervals in brackets" not in head(ax)


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", SEVERAL)
def test_several_scores_take_a_list_or_names(kind, five, grades):
    two = {"five": five, "grades": grades}
    ax = draw(kind, two, color=["black", (1, 0, 0)], label=["first", "second"])
    assert colours(of_scores(ax)) == ["#000000", "#ff0000"]
    assert [text for text in legend(ax) if text in {"first", "second"}] == ["first", "second"]
    ax = draw(kind, two, color={"grades": "k"}, label={"five": "first"})
    assert colours(of_scores(ax)) == [model_style(0).colour.lower(), "#000000"]
    assert [text[:6] for text in legend(ax) if text[:5] in {"first", "grade"}] == [
        "first",
        "grades",
    ]
    ax = draw(kind, two, c="0.5")  # one colour for both; their dashes differ
    first, second = of_scores(ax)
    assert colours([first, second]) == ["#808080", "#808080"]
    assert first._dash_pattern != second._dash_pattern


def test_what_belongs_to_a_score_has_its_colour(grades):
    ax = plot_cap(grades, q=0.2, band="pointwise", color="green")
    (guide,) = [line for line in ax.lines if "Top 20%" in line.get_label()]
    assert colours([guide]) == ["#008000"]
    (band,) = ax.collections
    assert mpl.colors.to_hex(band.get_facecolor()[0]) == "#008000"
    assert any(text.startswith("95% pointwise band") for text in legend(ax))


def test_long_names_are_meant_in_full(five, grades):
    name = "a" * 60
    ax = plot_cap({name: five, "b": grades}, color={name: "red"})
    assert colours(of_scores(ax))[0] == "#ff0000"


@pytest.mark.parametrize(
    "picture",
    [plot_captured_response, lambda counts, **how: plot_ks(counts, axis="score", **how)],
)
def test_pictures_of_both_classes_take_a_look_for_each(picture, grades):
    ax = picture(grades, color={"negatives": "orange"}, label=["bad", "good"], lw=3)
    positives, negatives = of_scores(ax)
    assert colours([positives, negatives]) == ["#0072b2", "#ffa500"]
    assert legend(ax)[:2] == ["bad", "good"]
    assert {positives.get_linewidth(), negatives.get_linewidth()} == {3}


def test_lift_of_both_classes_beside_that_of_all_selected(grades):
    named = {"rating": grades}
    ax = plot_lift(named, local=True, color=["k", "r", "b"], label={"rating": "all"})
    assert colours(of_scores(ax)) == ["#000000", "#ff0000", "#0000ff"]
    assert legend(ax)[0] == "all"
    (crossing,) = [line for line in ax.lines if "crosses 1" in line.get_label()]
    assert colours([crossing]) == ["#ff0000"]  # a mark on the line of positives
    ax = plot_lift(named, local=True, cumulative=False, color=["r", "b"])
    assert colours(of_scores(ax)) == ["#ff0000", "#0000ff"]


def test_bars_of_both_classes(grades, continuous):
    for counts in (grades, continuous):
        ax = plot_score_distributions(counts, color=["r", "b"], label={"positives": "bad"})
        handles, labels = ax.get_legend_handles_labels()
        looks = dict(zip(labels, handles, strict=True))
        assert set(looks) == {"All cases", "bad", "Negatives"}
        for name, colour in (("bad", "#ff0000"), ("Negatives", "#0000ff")):
            found = looks[name]
            face = found.patches[0].get_facecolor() if hasattr(found, "patches") else None
            assert mpl.colors.to_hex(face or found.get_edgecolor()) == colour
        plt.close("all")


def test_pictures_of_amounts():
    values = count_values([20, 0, 50, 30, 0, 0], [6, 5, 4, 3, 2, 1])
    ax = plot_mean_amount(values, color="red", label="loss", bins=3)
    assert colours(of_scores(ax)) == ["#ff0000"]
    assert legend(ax)[0] == "loss"
    ax = plot_lift(values, local=True, cumulative=False, color={"amount": "red"})
    assert colours(of_scores(ax)) == ["#ff0000"]


def test_of_many_segments_those_in_colour_are_meant(grades):
    months = DrawnSegments({f"2025-{month:02}": grades for month in range(1, 13)})
    ax = plot_cap(months, color=["r", "b"])
    assert colours(of_scores(ax)) == ["#ff0000", "#0000ff"]
    assert any(text.startswith("10 others") for text in legend(ax))


def test_an_evaluation_hands_them_on(five):
    ax = evaluate(five).plot("gains", title="Gains", color="k", label="mine", linewidth=4)
    assert (ax.get_title(), legend(ax)[0]) == ("Gains", "mine")
    assert of_scores(ax)[0].get_linewidth() == 4


WRONG = {
    "colour": ({"colour": "red"}, "unexpected keyword argument 'colour'; it takes ax, .*linewidth"),
    "no colour": ({"color": "redd"}, "color='redd' is no colour that matplotlib knows"),
    "a number": ({"color": 3}, "color takes one, several in a list, or {name: color}; got 3"),
    "few": ({"color": ["red"]}, "color has 1 entries, and the picture shows 'a', 'b'"),
    "one label": ({"label": "x"}, "label is one text, and the picture shows 'a', 'b': give a list"),
    "no score": ({"label": {"c": "x"}}, "label names 'c', and the picture shows 'a', 'b'"),
    "title": ({"title": 3}, "title must be text, got 3"),
    "line": ({"linestyle": "wavy"}, "linestyle='wavy' is of no line: 'wavy' is not a valid value"),
    "width": ({"lw": "thick"}, "linewidth='thick' is of no line: could not convert"),
    "twice": ({"color": "r", "c": "b"}, "both 'color' and 'c'"),
}


@pytest.mark.parametrize(("kind", "wrong"), pairs(SEVERAL, WRONG))
def test_what_is_wrong_is_named_in_one_line(kind, wrong, five, grades):
    how, said = WRONG[wrong]
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        draw(kind, {"a": five, "b": grades}, **how)
    assert "\n" not in str(caught.value)
    assert plt.get_fignums() == []


def test_bars_are_no_lines(five):
    with pytest.raises(
        TypeError, match=r"'linestyle'; it takes ax, bins, title, color, label, and with columns"
    ):
        plot_score_distributions(five, linestyle=":")


def test_needed_arguments_are_named_and_keywords_are_not():
    with pytest.raises(TypeError, match=r"write plot_profit\(y, p, value=..., cost=...\)$"):
        KINDS["profit"](3)
    with pytest.raises(TypeError, match=r"write plot_roc\(y, p\)$"):
        plot_roc(np.float64(3))

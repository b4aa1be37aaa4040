"""Drop-ins: functions with the names and arguments of other packages, computed rightly.

Rows are taken by position, whatever their index, as these packages do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import cap_curve, perfect_cap, random_cap
from capcurve.input import count_scores
from capcurve.input.arrays.labels import label_values
from capcurve.input.columns import ColumnLike, as_column, by_position
from capcurve.input.query import advising_on_data
from capcurve.metrics import accuracy_ratio, captured_response
from capcurve.numbers.arguments import as_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

TWO = 2


def cumulative_gain_curve(
    y_true: ColumnLike, y_score: ColumnLike, pos_label: object = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of the cumulative gain curve, as scikit-plot's function of that name.

    The curve is the CAP. Differences from scikit-plot, all on purpose: tied scores make one
    point instead of one per row in file order, scores with two values are allowed, NaN
    scores and lengths that differ raise.

    Parameters
    ----------
    y_true
        Labels of exactly two classes, shape (n,).
    y_score
        Scores, higher for the more likely positive, shape (n,).
    pos_label
        The positive class; may be left out for {0, 1} and {-1, 1}.

    Returns
    -------
    percentages, gains
        Shares of cases and of positives captured, both from 0 to 1.

    Raises
    ------
    ValueError
        When there are not exactly two classes, when `pos_label` is needed or names no class,
        and for anything that `count_scores` refuses.

    Examples
    --------
    >>> cumulative_gain_curve([1, 0, 1, 0], [0.9, 0.6, 0.8, 0.1])[1]
    array([0. , 0.5, 1. , 1. , 1. ])
    """
    labels = _two_classes(y_true)
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes {labels!r}")
    curve = cap_curve(_counted(y_true, y_score, pos_label=pos_label))
    return curve.x, curve.y


def plot_cumulative_gain(
    y_true: ColumnLike,
    y_probas: Any,
    title: str = "Cumulative Gains Curve",
    ax: Axes | None = None,
    figsize: tuple[float, float] | None = None,
    title_fontsize: float | str = "large",
    text_fontsize: float | str | None = None,
) -> Axes:
    """Draw the cumulative gain of both classes, as scikit-plot's function of that name.

    Differences from scikit-plot, all on purpose: tied scores are one point, and the perfect
    curves and the accuracy ratio are shown.

    Parameters
    ----------
    y_true
        Labels of exactly two classes, shape (n,).
    y_probas
        Probabilities of both classes, smaller label first, shape (n, 2).
    title
        Above the picture.
    ax
        Where to draw; a new figure when left out.
    figsize
        Inches of a new figure.
    title_fontsize, text_fontsize
        Sizes of letters, as matplotlib knows them.
    """
    from capcurve.plots import plot_cap

    axes = plot_cap(_of_both_classes(y_true, y_probas), ax=ax)
    return _dressed(axes, ax, title, figsize, title_fontsize, text_fontsize)


def plot_lift_curve(
    y_true: ColumnLike,
    y_probas: Any,
    title: str = "Lift Curve",
    ax: Axes | None = None,
    figsize: tuple[float, float] | None = None,
    title_fontsize: float | str = "large",
    text_fontsize: float | str | None = None,
) -> Axes:
    """Draw the cumulative lift of both classes, as scikit-plot's function of that name.

    Differences from scikit-plot, all on purpose: tied scores are one point, and the curve
    begins where it stands on enough cases.

    Parameters
    ----------
    y_true, y_probas, title, ax, figsize, title_fontsize, text_fontsize
        As in `plot_cumulative_gain`.
    """
    from capcurve.plots import plot_lift

    axes = plot_lift(_of_both_classes(y_true, y_probas), ax=ax)
    return _dressed(axes, ax, title, figsize, title_fontsize, text_fontsize)


def plot_ks_statistic(
    y_true: ColumnLike,
    y_probas: Any,
    title: str = "KS Statistic Plot",
    ax: Axes | None = None,
    figsize: tuple[float, float] | None = None,
    title_fontsize: float | str = "large",
    text_fontsize: float | str | None = None,
) -> Axes:
    """Draw both classes along the score and KS, as scikit-plot's function of that name.

    Positives are the larger label. KS is taken at the ends of ties only, so it may be smaller
    than what a function shows that splits them.

    Parameters
    ----------
    y_true, y_probas, title, ax, figsize, title_fontsize, text_fontsize
        As in `plot_cumulative_gain`.
    """
    from capcurve.plots import plot_ks

    *_, counts = _of_both_classes(y_true, y_probas).values()
    axes = plot_ks(counts, ax=ax, axis="score")
    return _dressed(axes, ax, title, figsize, title_fontsize, text_fontsize)


def _counted(y_true: ColumnLike, y_score: ColumnLike, **label: Any) -> ScoreCounts:
    """Return the counts of rows, taken by position; `pos_label` where a function takes it."""
    with advising_on_data(labels=not label):
        counts: ScoreCounts = count_scores(by_position(y_true), by_position(y_score), **label)
    return counts


def _two_classes(y_true: ColumnLike) -> list[Any]:
    labels: list[Any] = label_values(as_column(y_true, "y_true"))
    if len(labels) != TWO:
        raise ValueError(f"y_true must hold exactly two classes, got {labels[:8]!r}")
    return labels


def _of_both_classes(y_true: ColumnLike, y_probas: Any) -> dict[str, ScoreCounts]:
    """Return the counts of each class, by its name in scikit-plot's legends."""
    labels, probas = sorted(_two_classes(y_true)), np.asarray(y_probas)
    if probas.ndim != TWO or probas.shape[1] != TWO:
        raise ValueError(
            f"y_probas must have a column for each class, shape (n, 2), got {probas.shape}"
        )
    return {
        f"Class {label}": _counted(y_true, probas[:, place], pos_label=label)
        for place, label in enumerate(labels)
    }


def _dressed(
    axes: Axes,
    given: Axes | None,
    title: str,
    figsize: tuple[float, float] | None,
    title_size: float | str,
    text_size: float | str | None,
) -> Axes:
    """Return axes with a title, of the sizes asked for."""
    axes.set_title(title, fontsize=title_size)
    figure = axes.get_figure(root=True)
    if figsize is not None and given is None and figure is not None:
        figure.set_size_inches(*figsize)
    if text_size is not None:
        axes.tick_params(labelsize=text_size)
        for label in (axes.xaxis.label, axes.yaxis.label):
            label.set_fontsize(text_size)
    return axes


def capcurve(
    y_values: ColumnLike, y_preds_proba: ColumnLike, percent: float = 0.5, *, ax: Axes | None = None
) -> Axes:
    """Draw a CAP as the function of that name in "Classifier evaluation with CAP curve in Python".

    The article's picture: perfect model in grey, user model in red, random model in blue, green
    guides at a share of the data, its accuracy ratio in the title, room above the curves.
    Differences, all on purpose: the curve ends at its last case, ties are one point, areas and the
    value at `percent` are exact, and numbers are rounded.

    Parameters
    ----------
    y_values
        Labels 0/1, -1/1 or booleans, shape (n,).
    y_preds_proba
        Probability of the positive class, shape (n,).
    percent
        Share of the data, in [0, 1], at which the guides stand; 0.5 in the article.
    ax
        Where to draw; a new figure when left out.

    Raises
    ------
    ValueError
        When a class is missing, for a share outside [0, 1], and for anything that `count_scores`
        refuses.

    Examples
    --------
    >>> axes = capcurve([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> axes.get_title()
    'CAP Curve - a_r value = 0.3333'
    >>> axes.get_legend_handles_labels()[1][-1]
    '66.7% of positive obs at 50.0%'
    """
    from matplotlib.ticker import PercentFormatter

    from capcurve.show.legends import new_axes

    counts, share = _counted(y_values, y_preds_proba), as_share(percent, "percent")
    ratio, value = accuracy_ratio(counts), captured_response(counts, share)
    axes = new_axes(None) if ax is None else ax
    for curve, colour, name in (
        (perfect_cap(counts), "grey", "Perfect Model"),
        (cap_curve(counts), "red", "User Model"),
        (random_cap(counts), "blue", "Random Model"),
    ):
        axes.plot(curve.x, curve.y, color=colour, label=name)
    said = f"{value:.1%} of positive obs at {share:.1%}"
    guides: dict[str, Any] = {"color": "green", "linestyle": "--", "linewidth": 1}
    axes.plot([share, share], [0.0, value], **guides)
    axes.plot([0, share], [value, value], label=said, **guides)
    axes.set(xlim=(0, 1.02), ylim=(0, 1.25), xlabel="% of the data", ylabel="% of positive obs")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1, symbol=""))
    axes.set_title(f"CAP Curve - a_r value = {ratio:.4f}")
    axes.legend()
    return axes

"""Drop-ins: functions with the names and arguments of other packages, computed rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.curves import cap_curve
from capcurve.input import count_scores
from capcurve.input.arrays.labels import label_values
from capcurve.input.columns import as_column
from capcurve.metrics import accuracy_ratio

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from capcurve.input.columns import ColumnLike


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
    labels = label_values(as_column(y_true, "y_true"))
    if len(labels) != 2:  # noqa: PLR2004 - two classes
        raise ValueError(f"y_true must hold exactly two classes, got {labels[:8]!r}")
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes {labels!r}")
    curve = cap_curve(count_scores(y_true, y_score, pos_label=pos_label))
    return curve.x, curve.y


def capcurve(y_values: ColumnLike, y_preds_proba: ColumnLike, *, ax: Axes | None = None) -> Axes:
    """Draw the CAP with the perfect and the random one and the value at 50% of cases.

    Parameters
    ----------
    y_values
        Labels 0/1, -1/1 or booleans, shape (n,).
    y_preds_proba
        Probability of the positive class, shape (n,).
    ax
        Where to draw; a new figure when left out.

    Returns
    -------
    Axes
        The accuracy ratio is in the title.
    """
    from capcurve.plots import plot_cap

    counts = count_scores(y_values, y_preds_proba)
    axes = plot_cap({"model": counts}, ax=ax, q=0.5)
    axes.set_title(f"CAP curve, accuracy ratio {accuracy_ratio(counts):.3f}")
    return axes

"""The picture of the ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.curves import roc_curve
from capcurve.metrics import roc_auc
from capcurve.plots.canvas import SQUARE, Canvas, drawing
from capcurve.plots.models import (
    Drawable,
    Model,
    check_few,
    interval_note,
    interval_text,
    models_of,
    sample_text,
)
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.style import MARKERS, cut_off, number
from capcurve.tables import best_thresholds
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MARKED = 200
RULES = {"youden": "Youden", "closest": "Nearest to the corner"}


def plot_roc(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    points: bool = False,
    best: Literal["youden", "closest"] | None = None,
    interval: float | None = 0.95,
) -> Axes:
    """Draw the true positive rate at each false positive rate: the ROC.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    points
        Mark the points of up to 200 distinct scores.
    best
        Mark the cut-offs that are best by this rule, with their scores in the legend.
    interval
        Level of the interval behind the AUC in the legend; None leaves it out.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, or there are too many points to mark.
    ImportError
        When matplotlib is not installed.
    """
    if best is not None and best not in RULES:
        raise ValueError(f"best must be one of {', '.join(RULES)}, got {best!r}")
    with drawing(ax, SQUARE) as canvas:
        models = models_of(counts, canvas.first_style, narrow=canvas.narrow)
        limits = [
            interval_text(model.counts, "roc_auc", interval, narrow=canvas.narrow)
            for model in models
        ]
        for model, found in zip(models, limits, strict=True):
            if points:
                check_few(model.counts, MOST_MARKED, "points=True")
            _draw_model(canvas, model, found, points=points)
        for model in models:
            if best is not None:
                _mark_best(canvas, model, best, named=len(models) == 1)
        canvas.reference([0, 1], [0, 1], "Random")
        canvas.titles("False positive rate", "True positive rate")
        canvas.in_percent("x", "y")
        usual = np.mean([roc_auc(model.counts) for model in models]) >= 0.5  # noqa: PLR2004 - the diagonal
        head = sample_text(models) + interval_note(limits, interval)
        canvas.legend(head, "lower right" if usual else "upper left")
    return canvas.ax


def _draw_model(canvas: Canvas, model: Model, limits: str, *, points: bool) -> None:
    curve = as_drawn(roc_curve(few_cells(model.counts)))
    marks = {"marker": "o", "markersize": canvas.size * 0.35} if points else {}
    area = number(roc_auc(model.counts), 2 if limits and canvas.narrow else 3)
    label = f"{model.label}  AUC {area}{limits}"
    canvas.draw(curve.x, curve.y, model.style, label, **marks)


def _mark_best(
    canvas: Canvas, model: Model, rule: Literal["youden", "closest"], *, named: bool
) -> None:
    """Mark the cut-offs; with one model the legend gives each, with several the rule alone."""
    for place, point in enumerate(best_thresholds(model.counts, rule)):
        cut = cut_off(model.counts, point.threshold, model.name)
        rates = f"TPR {percent(point.captured)}, FPR {percent(point.fpr)}"
        canvas.ax.plot(
            [point.fpr],
            [point.captured],
            linestyle="none",
            color=model.style.colour,
            marker=MARKERS[(place + 2) % len(MARKERS)],
            markersize=canvas.size,
            markerfacecolor=canvas.ax.get_facecolor(),
            markeredgewidth=canvas.line,
            label=f"{RULES[rule]}: {cut}\n{rates}" if named else canvas.once(RULES[rule]),
            zorder=4,
        )

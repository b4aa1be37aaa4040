"""The picture of precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves import cap_curve
from capcurve.curves.rates import precision_curve
from capcurve.metrics import accuracy_ratio, prevalence
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.lift import STEPS, first_share
from capcurve.plots.models import (
    Drawable,
    Model,
    interval_note,
    interval_text,
    models_of,
    sample_text,
)
from capcurve.plots.points import few_cells
from capcurve.plots.style import number
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_precision_recall(
    counts: Drawable, *, ax: Axes | None = None, interval: float | None = 0.95
) -> Axes:
    """Draw the share of positives among the selected cases at each share of positives captured.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    interval
        Level of the interval behind the AR in the legend; None leaves it out.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing.
    ImportError
        When matplotlib is not installed.
    """
    with drawing(ax, WIDE) as canvas:
        models = models_of(counts, canvas.first_style, narrow=canvas.narrow)
        limits = [
            interval_text(model.counts, "accuracy_ratio", interval, narrow=canvas.narrow)
            for model in models
        ]
        for model, found in zip(models, limits, strict=True):
            _draw_model(canvas, model, found)
        for rate in dict.fromkeys(prevalence(model.counts) for model in models):
            canvas.reference([0, 1], [rate, rate], f"Random, prevalence {percent(rate)}")
        canvas.titles("Share of positives captured (recall)", "Precision")
        canvas.in_percent("x")
        canvas.fit_height(from_zero=True)  # it seldom comes near 100%
        canvas.ticks_to_one(lambda share: f"{100 * share:.3g}%")
        head = sample_text(models) + interval_note(limits, interval)
        canvas.legend(head, "upper right", rising=True)
    return canvas.ax


def _draw_model(canvas: Canvas, model: Model, limits: str) -> None:
    """Draw both rates along the share selected: between points precision bends."""
    cells = few_cells(model.counts)
    captured, precision = cap_curve(cells), precision_curve(cells)
    start = first_share(model.counts)
    q = np.linspace(start, 1, STEPS + 1)
    if len(captured) <= STEPS:
        q = np.union1d(q, captured.x[(captured.x > start) & (captured.x < 1)])
    ratio = number(accuracy_ratio(model.counts), 2 if limits and canvas.narrow else 3)
    label = f"{model.label}  AR {ratio}{limits}"
    canvas.draw(captured.at(q), precision.at(q), model.style, label)

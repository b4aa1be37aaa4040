"""The picture of a result, drawn from its chart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capcurve.plots.canvas import SQUARE, WIDE, drawing, quoted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from capcurve.view.chart import Chart


def plot_chart(chart: Chart, ax: Axes | None = None) -> Axes:
    """Draw a chart on the axes given, or on new ones.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    names = None if chart.scores is None else chart.scores.names
    if chart.scores is not None and names is not None:
        chart = replace(chart, scores=replace(chart.scores, names=[quoted(name) for name in names]))
    square = chart.x.kind == chart.y.kind == "percent"
    with drawing(ax, SQUARE if square else WIDE) as canvas:
        return canvas.draw(chart)

"""The picture of a result, drawn from its chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.plots.canvas import SQUARE, WIDE, drawing

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
    square = chart.x.kind == chart.y.kind == "percent"
    with drawing(ax, SQUARE if square else WIDE) as canvas:
        return canvas.draw(chart)

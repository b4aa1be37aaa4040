"""The picture of the profit of acting on the top share of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.curves import profit_curve
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.models import Drawable, Model, one_model, single_text
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.style import GUIDE_DASHES, capitalised, cut_off
from capcurve.tables import OperatingPoint, best_thresholds
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL_SUM = 100


def plot_profit(counts: Drawable, *, value: float, cost: float, ax: Axes | None = None) -> Axes:
    """Draw the profit along the share of cases selected, with its best cut-off.

    Parameters
    ----------
    counts
        One score, also as {name: counts}.
    value
        What one captured positive brings.
    cost
        What selecting one case costs.
    ax
        Where to draw; a new figure when left out.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, several scores are given, or money is not finite.
    ImportError
        When matplotlib is not installed.
    """
    model = one_model(counts, "plot_profit")
    full = profit_curve(model.counts, value=value, cost=cost)
    with drawing(ax, WIDE) as canvas:
        drawn = as_drawn(profit_curve(few_cells(model.counts), value=value, cost=cost))
        label = f"{model.label}, value {_money(value)}, cost {_money(cost)}"
        canvas.draw(drawn.x, drawn.y, model.style, label)
        canvas.reference([0, 1], [0, 0], "_nolegend_")
        best = best_thresholds(model.counts, "profit", value=value, cost=cost)
        for point in best:
            _mark(canvas, model, point, full.at(point.q), best)
        canvas.titles(capitalised(full.x_label), capitalised(full.y_label))
        canvas.in_percent("x")
        _write_money(canvas.ax)
        canvas.fit_height()
        canvas.legend(single_text(model, narrow=canvas.narrow), "upper right", rising=True)
    return canvas.ax


def _mark(
    canvas: Canvas,
    model: Model,
    point: OperatingPoint,
    profit: float,
    best: tuple[OperatingPoint, ...],
) -> None:
    """Mark one of the best cut-offs; the legend names the first."""
    more = f" (1 of {len(best)} best)" if len(best) > 1 else ""
    cut = cut_off(model.counts, point.threshold, model.name)
    text = f"Best {_money(profit)} at {percent(point.q)}{more}\n{cut}"
    canvas.ax.plot(
        [point.q, point.q],
        [0, profit],
        color=model.style.colour,
        linewidth=0.9,
        linestyle=GUIDE_DASHES,
        marker="o",
        markersize=canvas.size * 0.7,
        markevery=[1],
        label=text if point is best[0] else "_nolegend_",
        zorder=4,
    )


def _money(sum_of_money: float) -> str:
    digits = 0 if abs(sum_of_money) >= SMALL_SUM or float(sum_of_money).is_integer() else 2
    return f"{sum_of_money:,.{digits}f}"


def _write_money(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter

    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "−")))

"""The picture of the captured response of both classes, with the KS segment between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.curves import captured_response_curve
from capcurve.metrics import captured_response, ks
from capcurve.plots.canvas import SQUARE, Canvas, drawing
from capcurve.plots.models import Drawable, Model, one_model, single_text
from capcurve.plots.points import as_drawn, few_cells, lift_crossings
from capcurve.plots.style import NEGATIVES, POSITIVES, number
from capcurve.tables import operating_point
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from capcurve.metrics import KS


def plot_captured_response(
    counts: Drawable, *, ax: Axes | None = None, prevalence: float | None = None
) -> Axes:
    """Draw which share of each class the top share of cases holds, and where KS is reached.

    The KS segment is split at the diagonal into CR1 - q and q - CR0. Where the lift of
    single scores crosses 1, the gap is largest or smallest: going on past the KS place
    selects cases with a lift below 1.

    Parameters
    ----------
    counts
        One score, also as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    prevalence
        Show the classes as in a population in which this share is positive.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, or several scores are given.
    ImportError
        When matplotlib is not installed.
    """
    model = one_model(counts, "plot_captured_response")
    with drawing(ax, SQUARE) as canvas:
        few = few_cells(model.counts)
        for style, of, name in (
            (POSITIVES, "positives", "Positives, $CR_1$"),
            (NEGATIVES, "negatives", "Negatives, $CR_0$"),
        ):
            curve = captured_response_curve(few, of=of, prevalence=prevalence)  # type: ignore[arg-type]  # both are classes
            curve = as_drawn(curve)
            canvas.draw(curve.x, curve.y, style, canvas.once(name))
        _mark_crossings(canvas, model, prevalence)
        found, place = ks(model.counts), ""
        if found.statistic > 0:
            place = _draw_segment(canvas, model, found, prevalence)
        canvas.reference([0, 1], [0, 1], "Random")
        canvas.titles("Share of all cases selected", "Share of each class captured")
        canvas.in_percent("x", "y")
        head = single_text(model, prevalence, narrow=canvas.narrow)
        canvas.legend(
            f"{head}\nKS {number(found.statistic)}{place}",
            "lower right" if found.side == "+" else "upper left",
        )
    return canvas.ax


def _mark_crossings(canvas: Canvas, model: Model, prevalence: float | None) -> None:
    crossings = lift_crossings(model.counts, prevalence)
    heights = [captured_response(model.counts, q, prevalence=prevalence) for q in crossings]
    canvas.ax.plot(
        crossings,
        heights,
        linestyle="none",
        marker="o",
        markersize=canvas.size * 0.6,
        markerfacecolor=canvas.ax.get_facecolor(),
        markeredgecolor=POSITIVES.colour,
        label=canvas.once("Local lift crosses 1"),
        zorder=4,
    )


def _draw_segment(canvas: Canvas, model: Model, found: KS, prevalence: float | None) -> str:
    """Draw the segment from CR0 over the diagonal to CR1, in two parts; return where."""
    point = operating_point(model.counts, threshold=found.threshold)
    q = found.q
    if prevalence is not None:
        q = prevalence * point.captured + (1 - prevalence) * point.fpr
    for style, end, text in (
        (POSITIVES, point.captured, f"$CR_1 - q$ = {number(point.captured - q)}"),
        (NEGATIVES, point.fpr, f"$q - CR_0$ = {number(q - point.fpr)}"),
    ):
        canvas.ax.plot(
            [q, q],
            [q, end],
            color=style.colour,
            linewidth=canvas.line * 2,
            solid_capstyle="butt",
            label=text,
            zorder=3.5,
        )
    return f" at {percent(q)}"

"""The picture of how the scores of the population and of each class are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import ScoreDistributions, score_distributions
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.models import Drawable, one_model, single_text
from capcurve.plots.scores import label_scores, score_places
from capcurve.plots.style import NEGATIVES, POSITIVES, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

MOST_BARS = 12


def plot_score_distributions(counts: Drawable, *, ax: Axes | None = None, bins: int = 40) -> Axes:
    """Draw the share of all cases, of positives and of negatives at each score.

    Parameters
    ----------
    counts
        One score, also as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    bins
        How many equally wide bins, when there are more than 40 distinct scores; grades and
        fewer scores are shown one by one. Infinite scores stand apart at the ends.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, several scores are given, or `bins` is not positive.
    ImportError
        When matplotlib is not installed.
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    model = one_model(counts, "plot_score_distributions")
    spread = score_distributions(model.counts)
    places = score_places(model.counts, spread.score)
    with drawing(ax, WIDE) as canvas:
        found = places.moved(spread)
        if places.names is None:
            _draw_steps(canvas, found.binned(bins), _edges(found.score, bins))
        elif len(places.names) <= MOST_BARS:
            _draw_bars(canvas, found)
        else:
            _draw_steps(canvas, found, np.append(found.score, len(found.score)) - 0.5)
        each = "grade" if model.counts.levels else "score" if places.names else "bin"
        canvas.titles(places.title(model), f"Share in each {each}")
        _percent_upwards(canvas)
        label_scores(canvas, places)
        canvas.legend(single_text(model, narrow=canvas.narrow), loc="upper right", columns=3)
    return canvas.ax


def _edges(at: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    return np.asarray(np.linspace(at[0], at[-1], bins + 1), dtype=np.float64)


def _draw_steps(canvas: Canvas, found: ScoreDistributions, edges: NDArray[np.float64]) -> None:
    canvas.ax.stairs(
        found.population, edges, fill=True, color=canvas.ink, alpha=0.18, label="All cases", lw=0
    )
    for style, shares, name in _classes(found):
        canvas.ax.stairs(
            shares,
            edges,
            color=style.colour,
            linestyle=style.dashes,
            linewidth=canvas.line,
            label=name,
            zorder=3,
        )


def _draw_bars(canvas: Canvas, found: ScoreDistributions) -> None:
    bars: list[tuple[float, Any, dict[str, Any]]] = [
        (-0.27, found.population, {"color": canvas.ink, "alpha": 0.25, "label": "All cases"}),
        *(
            (offset, shares, {"color": style.colour, "hatch": hatch, "label": name})
            for offset, hatch, (style, shares, name) in zip(
                (0.0, 0.27), ("", "////"), _classes(found), strict=True
            )
        ),
    ]
    for offset, shares, how in bars:
        edge = canvas.ax.get_facecolor()
        canvas.ax.bar(found.score + offset, shares, 0.27, edgecolor=edge, linewidth=0.4, **how)
    canvas.ax.grid(visible=False, axis="x")


def _classes(found: ScoreDistributions) -> list[tuple[Style, NDArray[np.float64], str]]:
    return [
        (POSITIVES, found.positives, "Positives"),
        (NEGATIVES, found.negatives, "Negatives"),
    ]


def _percent_upwards(canvas: Canvas) -> None:
    from matplotlib.ticker import FuncFormatter

    canvas.ax.yaxis.set_major_formatter(FuncFormatter(_tick))
    canvas.leave_room(4.2, from_zero=True)


def _tick(share: float, _: int) -> str:
    return f"{100 * share:.3g}%" if share <= 1 else ""

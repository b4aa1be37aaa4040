"""The picture of how the scores of the population and of each class are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import ScoreDistributions, score_distributions
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.legends import SCORES
from capcurve.plots.models import Drawable, one_model, single_text
from capcurve.plots.scores import PAD_FOR_INFINITY, ScorePlaces, label_scores, score_places
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
            _draw_steps(canvas, *_binned(found, places, bins))
        elif len(places.names) <= MOST_BARS:
            _draw_bars(canvas, found)
        else:
            _draw_steps(canvas, found, np.append(found.score, len(found.score)) - 0.5)
        each = "grade" if model.counts.levels else "score" if places.names else "bin"
        canvas.titles(places.title(model), f"Share in each {each}")
        canvas.fit_height(from_zero=True)
        canvas.ticks_to_one(lambda share: f"{100 * share:.3g}%")
        label_scores(canvas, places)
        canvas.legend(
            single_text(model, narrow=canvas.narrow), "upper right", columns=3, rising=True
        )
    return canvas.ax


def _binned(
    found: ScoreDistributions, places: ScorePlaces, bins: int
) -> tuple[ScoreDistributions, NDArray[np.float64]]:
    """Return shares in equally wide bins, and their edges; infinite scores have their own bins."""
    apart = [place for place, _ in places.infinite]
    inside = ~np.isin(found.score, apart)
    at = found.score[inside]
    edges = np.linspace(at[0], at[-1], bins + 1)
    half = min(edges[1] - edges[0], PAD_FOR_INFINITY * (at[-1] - at[0])) / 2
    below, above = (sorted(p for p in apart if (p < at[0]) == low) for low in (True, False))

    def shares(column: NDArray[np.float64]) -> NDArray[np.float64]:
        inner = np.histogram(at, edges, weights=column[inside])[0]
        first = [part for _ in below for part in (column[0], 0.0)]
        last = [part for _ in above for part in (0.0, column[-1])]
        return np.concatenate([first, inner, last])

    columns = (shares(c) for c in (found.population, found.positives, found.negatives))
    ends = ([p + side * half for p in part for side in (-1, 1)] for part in (below, above))
    first, last = ends
    return ScoreDistributions(edges[1:], *columns), np.concatenate([first, edges, last])


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
            zorder=SCORES,
        )


def _draw_bars(canvas: Canvas, found: ScoreDistributions) -> None:
    bars: list[tuple[float, Any, dict[str, Any]]] = [
        (-0.27, found.population, {"color": canvas.ink, "alpha": 0.25, "label": "All cases"}),
        *(
            (
                offset,
                shares,
                {"color": style.colour, "hatch": hatch, "label": name, "zorder": SCORES},
            )
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

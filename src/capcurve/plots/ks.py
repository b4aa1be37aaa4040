"""The pictures of the KS statistic: along the share selected, and along the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.curves import ks_curve, score_distributions
from capcurve.metrics import KS, KSPlace, ks
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.models import Drawable, Model, models_of, one_model, sample_text, single_text
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.scores import ScorePlaces, label_scores, score_places
from capcurve.plots.style import GUIDE_DASHES, NEGATIVES, POSITIVES, cut_off, number
from capcurve.tables import operating_point
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

MOST_LISTED = 3


def plot_ks(counts: Drawable, *, ax: Axes | None = None, axis: Literal["q", "score"] = "q") -> Axes:
    """Draw how far apart the two classes lie, and where KS, the largest gap, is reached.

    Parameters
    ----------
    counts
        One score, or several as {name: counts} with axis="q".
    ax
        Where to draw; a new figure when left out.
    axis
        "q": the gap CR1 - CR0 along the share of cases selected, with every place of its
        maximum marked. "score": the share of each class at or below each score, with the KS
        segment at its threshold.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, or several scores are given with axis="score".
    ImportError
        When matplotlib is not installed.
    """
    if axis not in ("q", "score"):
        raise ValueError(f'axis must be "q" or "score", got {axis!r}')
    if axis == "score":
        return _along_score(one_model(counts, 'axis="score"'), ax)
    with drawing(ax, WIDE) as canvas:
        models = models_of(counts, canvas.first_style, narrow=canvas.narrow)
        canvas.in_percent("x")
        for model in models:
            _draw_gap(canvas, model, alone=len(models) == 1)
        canvas.reference([0, 1], [0, 0], "_nolegend_")
        canvas.titles("Share of all cases selected", "Positives minus\nnegatives captured")
        several = len(models) > 1
        title = sample_text(models) if several else single_text(models[0], narrow=canvas.narrow)
        canvas.fit_height()
        canvas.ticks_to_one(lambda gap: f"{gap:.3g}".replace("-", "−"))
        canvas.legend(title, "upper right", rising=True)
    return canvas.ax


def _draw_gap(canvas: Canvas, model: Model, *, alone: bool) -> None:
    curve, found = as_drawn(ks_curve(few_cells(model.counts))), ks(model.counts)
    places = _places(found)
    where = ", ".join(percent(place.q) for place in places[:MOST_LISTED])
    more = f" and {len(places) - MOST_LISTED} more" if len(places) > MOST_LISTED else ""
    at = f" at {where}{more}" if places else ""
    text = f"{model.label}  KS {number(found.statistic)}{at}"
    canvas.draw(curve.x, curve.y, model.style, text)
    for place in places:
        cut = cut_off(model.counts, place.threshold, model.name)
        canvas.ax.plot(
            [place.q, place.q],
            [0, place.gap],
            color=model.style.colour,
            linewidth=0.9,
            linestyle=GUIDE_DASHES,
            marker="o",
            markersize=canvas.size * 0.6,
            markevery=[1],
            label=cut if alone and place in places[:MOST_LISTED] else "_nolegend_",
            zorder=4,
        )


def _places(found: KS) -> list[KSPlace]:
    """Return where KS is reached; nowhere when the classes do not differ at all."""
    return [place for place in found.places if found.statistic > 0]


def _along_score(model: Model, ax: Axes | None) -> Axes:
    with drawing(ax, WIDE) as canvas:
        few = few_cells(model.counts)
        spread = score_distributions(few)
        places = score_places(model.counts, spread.score)
        running = spread.cumulative()
        for style, shares, name in (
            (POSITIVES, running.positives, "Positives"),
            (NEGATIVES, running.negatives, "Negatives"),
        ):
            x, y = _steps(places, shares)
            canvas.draw(x, y, style, canvas.once(name), drawstyle="steps-post")
        found = ks(model.counts)
        if found.statistic > 0:
            place = _place_of(few, spread.score, found.threshold, places)
            _draw_segment(canvas, model, found, place)
        canvas.in_percent("y")
        canvas.titles(places.title(model), "Share of the class\nat or below")
        label_scores(canvas, places)
        canvas.legend(single_text(model, narrow=canvas.narrow), "upper left")
    return canvas.ax


def _steps(
    places: ScorePlaces, shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Begin at 0 before the first score and go on past the last."""
    at = places.at
    pad = 0.02 * float(at[-1] - at[0]) if places.names is None else 0.5
    return np.concatenate([[at[0] - pad], at, [at[-1] + pad]]), np.concatenate([[0], shares, [1]])


def _draw_segment(canvas: Canvas, model: Model, found: KS, x: float) -> None:
    point = operating_point(model.counts, threshold=found.threshold)
    ends = [point.captured, point.fpr]
    if model.counts.higher_is == "positive":  # selected are those above; the curves count below
        ends = [1 - end for end in ends]
    cut = cut_off(model.counts, found.threshold, model.name)
    text = f"KS {number(found.statistic)}\n{cut}"
    canvas.ax.plot(
        [x, x],
        ends,
        color=canvas.ink,
        linewidth=canvas.line,
        marker="_",
        markersize=canvas.size * 0.8,
        label=text,
        zorder=4,
    )


def _place_of(few: ScoreCounts, scores: NDArray[Any], threshold: Any, places: ScorePlaces) -> float:
    """Return where the segment stands: between the last score selected and the next one.

    Grades stand apart, so it goes half way between two; numbers have their own place.
    """
    if few.levels is not None:
        place = scores.tolist().index(threshold)
    else:
        place = int(np.searchsorted(scores, np.asarray(threshold, dtype=scores.dtype)))
    half = 0.0 if places.names is None else -0.5 if few.higher_is == "positive" else 0.5
    return float(places.at[min(place, len(scores) - 1)]) + half

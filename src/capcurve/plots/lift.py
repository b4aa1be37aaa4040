"""The picture of the lift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import lift_curve, local_lift_curve
from capcurve.metrics import accuracy_ratio, lift
from capcurve.plots.canvas import WIDE, Canvas, drawing
from capcurve.plots.models import Drawable, Model, models_of, one_model, sample_text, single_text
from capcurve.plots.points import LIFT_BINS, MOST_GRADES, few_cells, in_bins, lift_crossings
from capcurve.plots.style import NEGATIVES, POSITIVES, number
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

FEWEST_CASES = 100
SMALLEST_START = 0.01
LARGEST_START = 0.10
TOP = 0.10
STEPS = 400


def plot_lift(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    local: bool = False,
    cumulative: bool = True,
    start: float | None = None,
    prevalence: float | None = None,
) -> Axes:
    """Draw how many times more positives the top share holds than a random one.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    local
        Also draw the lift of each score alone, for positives and negatives, as steps: of
        each grade up to 40 of them, else of twenty bins; and mark where that of positives
        crosses 1: KS is reached there. One score only.
    cumulative
        Whether to draw the lift of all cases selected; may be left out where `local` is drawn.
    start
        Share of cases at which the curve begins. Left out: 1% or 100 cases, whichever is
        more, but at most 10%; what is before stands on too few cases.
    prevalence
        Show the classes as in a population in which this share is positive.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, when several scores are given with local=True, or when
        nothing is to be drawn.
    ImportError
        When matplotlib is not installed.
    """
    if local:
        one_model(counts, "local=True")
    elif not cumulative:
        raise ValueError("cumulative=False leaves nothing to draw; give local=True with it")
    if start is not None and not 0 <= start < 1:
        raise ValueError(f"start must be a share of cases from 0 to below 1, got {start}")
    with drawing(ax, WIDE) as canvas:
        models = models_of(counts, canvas.first_style, narrow=canvas.narrow)
        canvas.in_percent("x")
        for model in models:
            begin = first_share(model.counts) if start is None else start
            if cumulative:
                _draw_model(canvas, model, begin, prevalence)
            if local:
                _draw_local(canvas, model.counts, begin, prevalence)
                _mark_crossings(canvas, model.counts, begin, prevalence)
        canvas.reference([0, 1], [1, 1], "Random, lift 1")
        canvas.titles("Share of all cases selected", "Lift" if local else "Cumulative lift")
        canvas.fit_height(from_zero=True)
        head = sample_text(models, prevalence)
        if not cumulative:  # whose label has the accuracy ratio
            head = single_text(models[0], prevalence, narrow=canvas.narrow)
        canvas.legend(head, "upper right", rising=True)
    return canvas.ax


def first_share(counts: ScoreCounts) -> float:
    """Return the share from which a ratio to the cases selected is drawn: few cases are noise."""
    return min(LARGEST_START, max(SMALLEST_START, FEWEST_CASES / max(1.0, float(counts.n))))


def _draw_model(canvas: Canvas, model: Model, start: float, prevalence: float | None) -> None:
    """Draw the lift through its points and close steps between: it bends there."""
    curve = lift_curve(few_cells(model.counts), prevalence=prevalence)
    x = np.linspace(start, 1, STEPS + 1)
    if len(curve) <= STEPS:
        x = np.union1d(x, curve.x[(curve.x > start) & (curve.x < 1)])
    ratio = number(accuracy_ratio(model.counts))
    at_top = number(lift(model.counts, TOP, prevalence=prevalence), 2)
    label = f"{model.label}  AR {ratio}, lift {at_top} at {percent(TOP)}"
    canvas.draw(x, curve.at(x), model.style, label)


def _draw_local(
    canvas: Canvas, counts: ScoreCounts, start: float, prevalence: float | None
) -> None:
    shown = in_bins(counts)
    graded = len(counts) <= MOST_GRADES
    per = "score" if graded else percent(1 / LIFT_BINS)
    for style, of in ((POSITIVES, "positives"), (NEGATIVES, "negatives")):
        curve: Any = local_lift_curve(shown, of=of, prevalence=prevalence)  # type: ignore[arg-type]  # both are classes
        x, y = _from_start(curve.x, curve.y, start)
        label = f"Lift per {per}, {of}"
        canvas.draw(x, y, style, label, linewidth=canvas.line * 0.6, drawstyle="steps-pre")


def _mark_crossings(
    canvas: Canvas, counts: ScoreCounts, start: float, prevalence: float | None
) -> None:
    """Mark where the lift of single scores crosses 1: the KS place is always among them."""
    crossings = [q for q in lift_crossings(counts, prevalence) if q >= start]
    where = f" at {percent(crossings[0])}" if len(crossings) == 1 else ""
    canvas.ax.plot(
        crossings,
        [1.0] * len(crossings),
        linestyle="none",
        marker="o",
        markersize=canvas.size * 0.6,
        markerfacecolor=canvas.ax.get_facecolor(),
        markeredgecolor=POSITIVES.colour,
        label=canvas.once(f"Local lift crosses 1{where}"),
        zorder=4,
    )


def _from_start(
    x: NDArray[np.float64], y: NDArray[np.float64], start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    after = int(np.searchsorted(x, start, side="right"))
    return np.append(start, x[after:]), np.append(y[after], y[after:])

"""The picture of the CAP curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Ranked
from capcurve.metrics import accuracy_ratio, captured_response
from capcurve.plots.bands import bands_of, draw_bands
from capcurve.plots.canvas import SQUARE, Canvas, drawing
from capcurve.plots.models import (
    Drawable,
    Model,
    interval_note,
    interval_text,
    models_of,
    one_model,
    sample_text,
)
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.scale import Scale
from capcurve.plots.style import GUIDE_DASHES, MARKERS, capitalised, number
from capcurve.plots.teaching import mark_points, shade_areas, write_numbers
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from capcurve.inference import Band


def plot_cap(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    q: float | Iterable[float] | None = None,
    shade: bool = False,
    point_numbers: bool = False,
    absolute: bool = False,
    prevalence: float | None = None,
    perfect: bool = True,
    random: bool | Iterable[Ranked] = True,
    band: Band | Iterable[Band] | bool | None = None,
    interval: float | None = 0.95,
) -> Axes:
    """Draw which share of all positives the top share of cases holds: the CAP.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    q
        A share of cases, or several: guide lines, with what they capture in the legend.
    shade
        Shade the areas between random and model, A, and model and perfect, B: their
        accuracy ratio is A/(A + B). One score only.
    point_numbers
        Number the points of up to 50 distinct scores from 0, with ticks at their heights.
        One score only.
    absolute
        Numbers of cases and positives on the axes instead of shares.
    prevalence
        Show the classes as in a population in which this share is positive.
    perfect
        Whether to draw the score that puts all positives first.
    random
        Whether to draw the score without information; or what `simulate_random_cap` returns,
        drawn thin around it: how far random scores of that many cases stray.
    band
        Bands from `null_band` or `cap_band`, shaded; the legend says of which kind. True:
        the `cap_band` of each score, with its defaults.
    interval
        Level of the interval behind the accuracy ratio in the legend; None leaves it out.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, when several scores are given to shade or number, or when a
        band, which is in shares as counted, is asked onto other axes.
    TypeError
        When something other than counts is given.
    ImportError
        When matplotlib is not installed.
    """
    if shade or point_numbers:
        one_model(counts, "shade=True" if shade else "point_numbers=True")
    scale = Scale(absolute, prevalence)
    shares = [] if q is None else np.atleast_1d(np.asarray(q, dtype=np.float64)).tolist()
    simulated = simulated_of(random)
    with drawing(ax, SQUARE) as canvas:
        models = models_of(counts, canvas.first_style, narrow=canvas.narrow)
        bands = bands_of(band, models, scale)
        _set_axes(canvas, models, scale)
        draw_bands(canvas, bands)
        _draw_simulated(canvas, simulated, scale)
        limits = [
            interval_text(model.counts, "accuracy_ratio", interval, narrow=canvas.narrow)
            for model in models
        ]
        for model, found in zip(models, limits, strict=True):
            _draw_model(canvas, model, scale, found, areas=shade)
        for model in models:
            _draw_guides(canvas, model, scale, shares, named=len(models) > 1)
        _draw_references(canvas, models, scale, perfect=perfect, random=random is not False)
        if shade:
            shade_areas(canvas, models[0], scale)
        if point_numbers:
            mark_points(canvas, models[0], scale)
        usual = np.mean([accuracy_ratio(model.counts) for model in models]) >= 0
        head = sample_text(models, prevalence) + interval_note(limits, interval)
        canvas.legend(head, "lower right" if usual else "upper left")
        if point_numbers:
            write_numbers(canvas, models[0], scale)
    return canvas.ax


def _set_axes(canvas: Canvas, models: list[Model], scale: Scale) -> None:
    curve = scale.curve(few_cells(models[0].counts))
    canvas.titles(capitalised(curve.x_label), capitalised(curve.y_label))
    if not scale.absolute:
        canvas.in_percent("x", "y")
        return
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for axis in (canvas.ax.xaxis, canvas.ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ends = [scale.size(model.counts) for model in models]
    right, top = (max(sizes) for sizes in zip(*ends, strict=True))
    before = canvas.ax.dataLim
    if canvas.ax.lines:
        right, top = max(right, before.x1), max(top, before.y1)
    canvas.ax.set_xlim(0, 1.01 * right)
    canvas.ax.set_ylim(0, 1.03 * top)


def simulated_of(random: bool | Iterable[Ranked]) -> list[Ranked]:
    """Return the simulated random scores to draw, or raise TypeError for anything else."""
    if isinstance(random, bool):
        return []
    found = [random] if isinstance(random, Ranked) else list(random)
    wrong = [type(each).__name__ for each in found if not isinstance(each, Ranked)]
    if wrong:
        raise TypeError(f"random must be True, False or ScoreCounts, got {wrong[0]}")
    return found


def _draw_simulated(canvas: Canvas, simulated: list[Ranked], scale: Scale) -> None:
    for place, counts in enumerate(simulated):
        curve = as_drawn(scale.curve(few_cells(counts)))
        named = f"{len(simulated)} simulated random score{'s' if len(simulated) > 1 else ''}"
        canvas.ax.plot(
            curve.x,
            curve.y,
            color=canvas.ink,
            alpha=0.3,
            linewidth=0.6,
            label="_nolegend_" if place else named,
            zorder=1.4,
        )


def _draw_model(canvas: Canvas, model: Model, scale: Scale, limits: str, *, areas: bool) -> None:
    curve = as_drawn(scale.curve(few_cells(model.counts)))
    ratio = number(accuracy_ratio(model.counts), 2 if limits and canvas.narrow else 3)
    apart, formula = ("\n" if canvas.narrow else "  ", " = A/(A + B)") if areas else ("  ", "")
    label = f"{model.label}{apart}AR {ratio}{formula}{limits}"
    canvas.draw(curve.x, curve.y, model.style, label)


def _draw_guides(
    canvas: Canvas, model: Model, scale: Scale, shares: list[float], *, named: bool
) -> None:
    width, height = scale.size(model.counts)
    for place, share in enumerate(shares):
        captured = captured_response(model.counts, share, prevalence=scale.prevalence)
        text = f"{percent(captured)} of positives at {percent(share)}"
        if named:
            text = f"{model.label}: {percent(captured)} at {percent(share)}"
        canvas.ax.plot(
            [share * width, share * width, 0],
            [0, captured * height, captured * height],
            color=model.style.colour,
            linewidth=0.9,
            linestyle=GUIDE_DASHES,
            marker=MARKERS[place % len(MARKERS)],
            markersize=canvas.size * 0.55,
            markevery=[1],
            label=text,
            zorder=3.5,
        )


def _draw_references(
    canvas: Canvas, models: list[Model], scale: Scale, *, perfect: bool, random: bool
) -> None:
    """Draw the random line, and the perfect lines of the least and the largest prevalence."""
    by_rate = sorted(models, key=lambda model: model.counts.n1 / model.counts.n)
    for model in models if scale.absolute else (by_rate[0], by_rate[-1]):
        if perfect:
            ideal = scale.perfect(model.counts)
            canvas.reference(ideal.x, ideal.y, "Perfect", dashed=False)
    for model in models:
        if random:
            chance = scale.random(model.counts)
            canvas.reference(chance.x, chance.y, "Random")

"""The picture of the CAP curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves import Curve, cap_curve, perfect_cap, random_cap
from capcurve.metrics import accuracy_ratio, captured_response
from capcurve.plots.canvas import SQUARE, Canvas
from capcurve.plots.models import Drawable, Model, check_few, models_of, one_model, sample_text
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.style import GUIDE_DASHES, MARKERS, amount, capitalised, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes


MOST_NUMBERED = 50
NEAREST_TICKS = 0.035
ROOM_FOR_A_LETTER = 0.07


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
    random: bool = True,
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
    perfect, random
        Whether to draw the score that puts all positives first, and the one without
        information.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        When a class is missing, or when several scores are given to shade or number.
    ImportError
        When matplotlib is not installed.
    """
    if shade or point_numbers:
        one_model(counts, "shade=True" if shade else "point_numbers=True")
    canvas = Canvas.on(ax, SQUARE)
    models = models_of(counts, canvas.first_style)
    _set_axes(canvas, models, absolute=absolute)
    for model in models:
        curve = cap_curve(few_cells(model.counts), absolute=absolute, prevalence=prevalence)
        _draw_model(canvas, model, as_drawn(curve), areas=shade)
    shares = [] if q is None else [float(share) for share in np.atleast_1d(np.asarray(q))]
    for model in models:
        named = f"{model.label}: " if len(models) > 1 else ""
        _draw_guides(canvas, model, named, shares, absolute, prevalence)
    _draw_references(canvas, models, perfect, random, absolute, prevalence)
    if shade:
        _shade(canvas, models[0], absolute, prevalence)
    if point_numbers:
        _number_points(canvas, models[0], absolute, prevalence)
    usual = all(accuracy_ratio(model.counts) >= 0 for model in models)
    canvas.legend(
        sample_text(models, prevalence), "lower right" if usual else "best", tall=True
    )
    return canvas.ax


def _set_axes(canvas: Canvas, models: list[Model], *, absolute: bool) -> None:
    curve = cap_curve(models[0].counts, absolute=absolute)
    canvas.titles(capitalised(curve.x_label), capitalised(curve.y_label))
    if not absolute:
        canvas.in_percent("x", "y")
        return
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for axis in (canvas.ax.xaxis, canvas.ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    canvas.ax.set_xlim(0, 1.01 * max(float(m.counts.n) for m in models))
    canvas.ax.set_ylim(0, 1.03 * max(float(m.counts.n1) for m in models))


def _draw_model(canvas: Canvas, model: Model, curve: Curve, *, areas: bool) -> None:
    ratio = number(accuracy_ratio(model.counts))
    label = f"{model.label}  AR {ratio}" + (" = A/(A + B)" if areas else "")
    canvas.draw(curve.x, curve.y, model.style, label)


def _draw_guides(
    canvas: Canvas,
    model: Model,
    named: str,
    shares: list[float],
    absolute: bool,
    prevalence: float | None,
) -> None:
    wide, high = (model.counts.n, model.counts.n1) if absolute else (1, 1)
    for position, share in enumerate(shares):
        captured = captured_response(model.counts, share, prevalence=prevalence)
        canvas.ax.plot(
            [share * wide, share * wide, 0],
            [0, captured * high, captured * high],
            color=model.style.colour,
            linewidth=0.9,
            linestyle=GUIDE_DASHES,
            marker=MARKERS[position % len(MARKERS)],
            markersize=canvas.size * 0.55,
            markevery=[1],
            label=f"{named}{percent(captured)} of positives at {percent(share)}",
            zorder=3.5,
        )


def _draw_references(
    canvas: Canvas,
    models: list[Model],
    perfect: bool,
    random: bool,
    absolute: bool,
    prevalence: float | None,
) -> None:
    """Draw each different perfect and random line once."""
    samples = {(m.counts.n, m.counts.n1): m.counts for m in models}
    for counts in samples.values():
        if perfect:
            ideal = perfect_cap(counts, absolute=absolute, prevalence=prevalence)
            canvas.reference(ideal.x, ideal.y, "Perfect", dashed=False)
    for counts in samples.values() if absolute else [models[0].counts]:
        if random:
            chance = random_cap(counts, absolute=absolute, prevalence=prevalence)
            canvas.reference(chance.x, chance.y, "Random")


def _shade(canvas: Canvas, model: Model, absolute: bool, prevalence: float | None) -> None:
    curve = as_drawn(cap_curve(few_cells(model.counts), absolute=absolute, prevalence=prevalence))
    ideal = perfect_cap(model.counts, absolute=absolute, prevalence=prevalence)
    chance = random_cap(model.counts, absolute=absolute, prevalence=prevalence)
    areas = (
        ("A", chance, curve, model.style.colour, 0.22, "A  between random and model"),
        ("B", curve, ideal, canvas.ink, 0.10, "B  between model and perfect"),
    )
    for letter, one, other, colour, alpha, label in areas:
        canvas.ax.fill(
            np.concatenate([one.x, other.x[::-1]]),
            np.concatenate([one.y, other.y[::-1]]),
            color=colour,
            alpha=alpha,
            linewidth=0,
            label=canvas.once(label),
            zorder=1.5,
        )
        _write_inside(canvas, letter, one, other)


def _write_inside(canvas: Canvas, letter: str, one: Curve, other: Curve) -> None:
    """Write a letter where the area between two curves has its weight, when it fits."""
    x = np.linspace(0, one.x[-1], 201)
    low, high = one.at(x), other.at(x)
    gap = np.abs(np.asarray(high) - np.asarray(low))
    if not gap.any():
        return
    middle = float((x * gap).sum() / gap.sum())
    low_there, high_there = float(one.at(middle)), float(other.at(middle))
    if abs(high_there - low_there) >= ROOM_FOR_A_LETTER * one.y[-1]:
        place = (middle, (low_there + high_there) / 2)
        canvas.note(letter, place, xytext=(0, 0), ha="center", weight="bold")


def _number_points(canvas: Canvas, model: Model, absolute: bool, prevalence: float | None) -> None:
    check_few(model.counts, MOST_NUMBERED, "point_numbers=True")
    curve = cap_curve(model.counts, absolute=absolute, prevalence=prevalence)
    canvas.ax.plot(
        curve.x, curve.y, ".", color=model.style.colour, markersize=canvas.size, zorder=4
    )
    for place, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
        canvas.note(str(place), (x, y), xytext=(-3, 4), ha="right", va="bottom")
    heights = _far_enough(curve)
    write = amount if absolute else percent
    canvas.ax.set_yticks(heights, [write(_whole(height)) for height in heights])
    canvas.ax.set_xlim(left=-0.05 * curve.x[-1])
    canvas.ax.set_ylim(bottom=-0.02 * curve.y[-1], top=1.06 * curve.y[-1])


def _far_enough(curve: Curve) -> list[float]:
    """Return the heights of the points, top first, that leave room for their tick labels."""
    kept = [float(curve.y[-1])]
    for height in np.unique(curve.y)[::-1].tolist():
        if kept[-1] - height >= NEAREST_TICKS * curve.y[-1]:
            kept.append(height)
    return kept


def _whole(height: float) -> float | int:
    return int(height) if height.is_integer() else height

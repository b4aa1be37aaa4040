"""What a teaching figure of the CAP adds: shaded areas and numbered points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.plots.legends import LEAST_KEPT
from capcurve.plots.models import check_few
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.style import amount
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from capcurve.curves import Curve
    from capcurve.plots.canvas import Canvas
    from capcurve.plots.models import Model
    from capcurve.plots.scale import Scale

MOST_NUMBERED = 50
LINE_OF_TICKS = 1.2
NEAREST_NUMBERS = 0.06
ROOM_FOR_A_LETTER = 0.07
# Points of a CAP have most room above them on the left, then below them on the right.
BESIDE = (
    {"xytext": (-4, 4), "ha": "right", "va": "bottom"},
    {"xytext": (4, -4), "ha": "left", "va": "top"},
    {"xytext": (0, 5), "ha": "center", "va": "bottom"},
    {"xytext": (0, -5), "ha": "center", "va": "top"},
)


def shade_areas(canvas: Canvas, model: Model, scale: Scale) -> None:
    """Shade what lies between random and model, A, and between model and perfect, B."""
    curve = as_drawn(scale.curve(few_cells(model.counts)))
    chance, ideal = scale.random(model.counts), scale.perfect(model.counts)
    for letter, one, other, colour, alpha, label in (
        ("A", chance, curve, model.style.colour, 0.22, "A  between random and model"),
        ("B", curve, ideal, canvas.ink, 0.10, "B  between model and perfect"),
    ):
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
    gap = np.abs(np.asarray(other.at(x)) - np.asarray(one.at(x)))
    if not gap.any():
        return
    middle = float((x * gap).sum() / gap.sum())
    low, high = float(one.at(middle)), float(other.at(middle))
    if abs(high - low) >= ROOM_FOR_A_LETTER * one.y[-1]:
        canvas.ax.annotate(
            letter,
            (middle, (low + high) / 2),
            ha="center",
            va="center",
            fontsize=canvas.size,
            weight="bold",
            zorder=4.5,
        )


def mark_points(canvas: Canvas, model: Model, scale: Scale) -> None:
    """Mark each point and tick their heights."""
    check_few(model.counts, MOST_NUMBERED, "point_numbers=True")
    curve = scale.curve(model.counts)
    canvas.ax.plot(
        curve.x, curve.y, ".", color=model.style.colour, markersize=canvas.size, zorder=4
    )
    height = LEAST_KEPT * canvas.ax.bbox.height / canvas.ax.figure.dpi * 72
    heights = _far_enough(curve, LINE_OF_TICKS * canvas.size / height)
    write = amount if scale.absolute else percent
    canvas.ax.set_yticks(heights, [write(_whole(height)) for height in heights])
    canvas.ax.set_xlim(left=-0.05 * curve.x[-1])
    canvas.ax.set_ylim(bottom=-0.02 * curve.y[-1], top=1.06 * curve.y[-1])


def write_numbers(canvas: Canvas, model: Model, scale: Scale) -> None:
    """Write the number of each point, from 0, where there is room beside it."""
    curve = scale.curve(model.counts)
    for place in _with_room(curve):
        canvas.note(str(place), (float(curve.x[place]), float(curve.y[place])), BESIDE)


def _with_room(curve: Curve) -> list[int]:
    """Return the points that are not too close to the last one numbered before them."""
    x, y = curve.x / curve.x[-1], curve.y / curve.y[-1]
    kept = [0]
    for place in range(1, len(x)):
        if np.hypot(x[place] - x[kept[-1]], y[place] - y[kept[-1]]) >= NEAREST_NUMBERS:
            kept.append(place)
    return kept


def _far_enough(curve: Curve, nearest: float) -> list[float]:
    """Return the heights of the points, top first, that leave room for their tick labels.

    `nearest` is the share of the axes that a line of text takes.
    """
    kept = [float(curve.y[-1])]
    for height in np.unique(curve.y)[::-1].tolist():
        if kept[-1] - height >= nearest * curve.y[-1]:
            kept.append(height)
    return kept


def _whole(height: float) -> float | int:
    return int(height) if height.is_integer() else height

"""What a teaching figure of the CAP adds: shaded areas and numbered points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.plots.models import check_few
from capcurve.plots.points import as_drawn, few_cells
from capcurve.plots.style import amount, percent

if TYPE_CHECKING:
    from capcurve.curves import Curve
    from capcurve.plots.canvas import Canvas
    from capcurve.plots.models import Model
    from capcurve.plots.scale import Scale

MOST_NUMBERED = 50
NEAREST_TICKS = 0.035
NEAREST_NUMBERS = 0.06
ROOM_FOR_A_LETTER = 0.07


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
        canvas.note(letter, (middle, (low + high) / 2), xytext=(0, 0), ha="center", weight="bold")


def number_points(canvas: Canvas, model: Model, scale: Scale) -> None:
    """Write the number of each point, from 0 and where there is room; tick their heights."""
    check_few(model.counts, MOST_NUMBERED, "point_numbers=True")
    curve = scale.curve(model.counts)
    canvas.ax.plot(
        curve.x, curve.y, ".", color=model.style.colour, markersize=canvas.size, zorder=4
    )
    for place in _with_room(curve):
        point = (float(curve.x[place]), float(curve.y[place]))
        canvas.note(str(place), point, xytext=(-3, 4), ha="right", va="bottom")
    heights = _far_enough(curve)
    write = amount if scale.absolute else percent
    canvas.ax.set_yticks(heights, [write(_whole(height)) for height in heights])
    canvas.ax.set_xlim(left=-0.05 * curve.x[-1])
    canvas.ax.set_ylim(bottom=-0.02 * curve.y[-1], top=1.06 * curve.y[-1])


def _with_room(curve: Curve) -> list[int]:
    """Return the points that are not too close to the last one numbered before them."""
    x, y = curve.x / curve.x[-1], curve.y / curve.y[-1]
    kept = [0]
    for place in range(1, len(x)):
        if np.hypot(x[place] - x[kept[-1]], y[place] - y[kept[-1]]) >= NEAREST_NUMBERS:
            kept.append(place)
    return kept


def _far_enough(curve: Curve) -> list[float]:
    """Return the heights of the points, top first, that leave room for their tick labels."""
    kept = [float(curve.y[-1])]
    for height in np.unique(curve.y)[::-1].tolist():
        if kept[-1] - height >= NEAREST_TICKS * curve.y[-1]:
            kept.append(height)
    return kept


def _whole(height: float) -> float | int:
    return int(height) if height.is_integer() else height

"""Which points of a curve to keep so that it moves by no more than a stated distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below this the distance is rounding of the chord, not of the curve.
ROUNDING = 1e-14


def kept_points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64] | None,
    tolerance: float,
) -> NDArray[np.intp]:
    """Return the indices of the points to keep, first and last always among them.

    Chords are split at their worst point until none is too far from the points it skips,
    all chords at once. With a denominator the chords are those of both broken lines, and y
    is their ratio.
    """
    allowed = tolerance + ROUNDING * float(np.abs(y).max(initial=1.0))
    keep = np.unique(np.array([0, len(x) - 1], dtype=np.intp))
    while True:
        distance = _distances(x, numerator, denominator, y, keep)
        worst = _worst_of_each(distance, keep, allowed)
        if not len(worst):
            return keep
        keep = np.union1d(keep, worst)


def _distances(
    x: NDArray[np.float64],
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64] | None,
    y: NDArray[np.float64],
    keep: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return how far each point is from the chord that replaces it."""
    chord = np.repeat(np.arange(len(keep) - 1), np.diff(keep))
    chord = np.append(chord, len(keep) - 2)
    start, end = keep[chord], keep[chord + 1]
    width = x[end] - x[start]
    flat = width > 0
    part = np.where(flat, (x - x[start]) / np.where(flat, width, 1.0), 0.0)

    def on_chord(line: NDArray[np.float64]) -> NDArray[np.float64]:
        height: NDArray[np.float64] = line[start] + (line[end] - line[start]) * part
        return height

    if denominator is None:
        return np.where(flat, np.abs(y - on_chord(y)), 0.0)
    below = on_chord(denominator)
    chord_y = np.where(below > 0, on_chord(numerator) / np.where(below > 0, below, 1.0), y)
    distance = np.abs(y - chord_y)
    # Between points both curves are monotone, so the ends bound what happens in between.
    between = np.maximum(np.abs(y[1:] - chord_y[:-1]), np.abs(y[:-1] - chord_y[1:]))
    distance[1:] = np.maximum(distance[1:], between)
    distance[:-1] = np.maximum(distance[:-1], between)
    return np.where(flat, distance, 0.0)


def _worst_of_each(
    distance: NDArray[np.float64], keep: NDArray[np.intp], allowed: float
) -> NDArray[np.intp]:
    """Return the worst skipped point of each chord that is too far off."""
    inside = distance.copy()
    inside[keep] = 0.0
    peaks = np.maximum.reduceat(inside, keep[:-1])
    found = [
        start + int(np.argmax(inside[start:end]))
        for start, end, peak in zip(keep[:-1], keep[1:], peaks, strict=True)
        if peak > allowed
    ]
    return np.array(found, dtype=np.intp)


def kept_steps(y: NDArray[np.float64], tolerance: float) -> NDArray[np.intp]:
    """Merge neighbouring segments while all their values are near that of the last one."""
    keep = [len(y) - 1]
    for place in range(len(y) - 2, 0, -1):
        if abs(y[place] - y[keep[-1]]) > tolerance:
            keep.append(place)
    return np.array([0, *reversed(keep)], dtype=np.intp)

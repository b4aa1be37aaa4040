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
    chords = np.array([[0, len(x) - 1]], dtype=np.intp)
    keep = [chords.ravel()]
    while len(chords):
        inside, owner = _points_inside(chords)
        distance = _distances(x, y, numerator, denominator, chords, owner, inside)
        chords = _split_at_worst(chords, inside, owner, distance, allowed)
        keep.append(chords.ravel())
    return np.unique(np.concatenate(keep))


def _points_inside(chords: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all points from start to end of each chord, and the chord each belongs to."""
    sizes = chords[:, 1] - chords[:, 0] + 1
    owner = np.repeat(np.arange(len(chords)), sizes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.arange(len(owner)) - first + chords[owner, 0], owner


def _distances(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64] | None,
    chords: NDArray[np.intp],
    owner: NDArray[np.intp],
    inside: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return how far each point is from its chord; for ratios also just before and after it."""
    start, end = chords[owner, 0], chords[owner, 1]
    width = x[end] - x[start]
    flat = width > 0
    part = np.where(flat, (x[inside] - x[start]) / np.where(flat, width, 1.0), 0.0)

    def on_chord(line: NDArray[np.float64]) -> NDArray[np.float64]:
        height: NDArray[np.float64] = line[start] + (line[end] - line[start]) * part
        return height

    here = y[inside]
    if denominator is None:
        return np.where(flat, np.abs(here - on_chord(y)), 0.0)
    below = on_chord(denominator)
    ratio = np.where(below > 0, on_chord(numerator) / np.where(below > 0, below, 1.0), here)
    distance = np.abs(here - ratio)
    # Between points both curves are monotone, so the ends bound what happens in between.
    between = np.maximum(np.abs(here[1:] - ratio[:-1]), np.abs(here[:-1] - ratio[1:]))
    between[owner[1:] != owner[:-1]] = 0.0
    distance[1:] = np.maximum(distance[1:], between)
    distance[:-1] = np.maximum(distance[:-1], between)
    return np.where(flat, distance, 0.0)


def _split_at_worst(
    chords: NDArray[np.intp],
    inside: NDArray[np.intp],
    owner: NDArray[np.intp],
    distance: NDArray[np.float64],
    allowed: float,
) -> NDArray[np.intp]:
    """Return the halves of those chords that skip a point too far off; the others are done."""
    ends = (inside == chords[owner, 0]) | (inside == chords[owner, 1])
    skipped = np.where(ends, 0.0, distance)
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    peak = np.maximum.reduceat(skipped, starts)
    far = np.flatnonzero(peak > allowed)
    stops = np.append(starts[1:], len(owner))
    worst = [inside[starts[c] + np.argmax(skipped[starts[c] : stops[c]])] for c in far]
    halves = [[(chords[c, 0], at), (at, chords[c, 1])] for c, at in zip(far, worst, strict=True)]
    return np.array(halves, dtype=np.intp).reshape(-1, 2)


def kept_steps(y: NDArray[np.float64], tolerance: float) -> NDArray[np.intp]:
    """Merge neighbouring segments while all their values are near that of the last one."""
    keep = [len(y) - 1]
    for place in range(len(y) - 2, 0, -1):
        if abs(y[place] - y[keep[-1]]) > tolerance:
            keep.append(place)
    return np.array([0, *reversed(keep)], dtype=np.intp)

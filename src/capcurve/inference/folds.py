"""The mean of the curves of several folds, and the band over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.curve_band import Band
from capcurve.inference.records import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Floats

LEAST_FOLDS = 3
# Of more places in all folds so many are kept, evenly: finer than a line is thick.
MOST_PLACES = 1000
METHOD = "vertical average of the folds; Student's t at each place"
SHARED_ROWS = (
    "folds share training rows and so are not independent: as limits of the performance of the "
    "model in general the band is too narrow"
)


def fold_band(
    curves: Sequence[tuple[Floats, Floats]],
    level: float = 0.95,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Band:
    """Return the mean height of curves (x, y), and mean ± t(k - 1) * s / sqrt(k) within `ends`.

    >>> flat = np.array([0.0, 1.0])
    >>> fold_band([(flat, np.array([0.0, top])) for top in (0.25, 0.5, 0.75)]).estimate
    array([0. , 0.5])
    """
    k = len(curves)
    if k < LEAST_FOLDS:
        raise ValueError(
            f"mean=True takes the curves of {LEAST_FOLDS} or more folds, got {k}; leave it out"
        )
    places, heights = _common(curves)
    mean = heights.mean(axis=0)
    half = Confidence(level).t(k - 1) * heights.std(axis=0, ddof=1) / np.sqrt(k)
    low, high = np.clip(mean - half, *ends), np.clip(mean + half, *ends)
    return Band("mean", "pointwise", places, low, mean, high, level, METHOD, (SHARED_ROWS,))


def _common(curves: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the places of all curves, and the height of each there, shape (curves, places)."""
    start, end = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    grid = grid[(grid >= start) & (grid <= end)]
    if len(grid) > MOST_PLACES:
        grid = grid[np.linspace(0, len(grid) - 1, MOST_PLACES).round().astype(np.int64)]
    # A place where a curve is vertical stands twice, so that the mean rises there and not before.
    both = np.array([_bottom_and_top(x, y, grid) for x, y in curves])
    kept = np.ones((len(grid), 2), dtype=np.bool_)
    kept[:, 1] = (both[:, 0] != both[:, 1]).any(axis=0)
    return np.repeat(grid, 2)[kept.ravel()], both.transpose(0, 2, 1)[:, kept]


def _bottom_and_top(x: Floats, y: Floats, grid: Floats) -> tuple[Floats, Floats]:
    """Return the first and the last height of a curve at each place: they differ where it rises."""
    first, after = np.searchsorted(x, grid, "left"), np.searchsorted(x, grid, "right")
    between = np.interp(grid, x, y)
    on = first < after
    return np.where(on, y[first], between), np.where(on, y[after - 1], between)

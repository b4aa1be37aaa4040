"""An outline of very many cells: the few about which a summary asks, and their neighbours joined.

Numbers read at some shares, bins and their edges need the cells there and the totals of what
lies between. With these in place of a hundred million cells they come out the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import BLOCK
from capcurve.counts.keeping import GROUPS_OF_BOTH
from capcurve.counts.running import RunningSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capcurve.counts import ScoreCounts

# Counts with fewer cells are read as they are.
MANY_CELLS = 1 << 20
# So many cells before and after each place that is asked for stay on their own.
NEAR = 3
ROUNDING = 1e-15
# Leaving out a group of clusters moves every cut-off, and the place of KS: those that stay must
# lie so near each other that a curve between them is no other one.
STEPS_OF_CLUSTERS = 1 << 17


def outline(
    counts: ScoreCounts,
    shares: Iterable[float],
    *,
    bins: int,
    prevalence: float | None = None,
    cells: Iterable[int] = (),
) -> ScoreCounts:
    """Return counts with few cells that agree with these wherever a summary looks.

    Parameters
    ----------
    counts
        What was counted; weighted counts, and those with few cells, stay as they are.
    shares
        Shares of cases about which cells stay on their own; and with them the corners of the
        smallest concave curve above the CAP on either side.
    bins
        How many bins of equal size, as counted, there are to be.
    prevalence
        The stated prevalence of the shares.
    cells
        More places to keep: how many cells lie before them.
    """
    if len(counts) < MANY_CELLS or not counts.is_whole:
        return counts
    sums = RunningSums.of(counts)
    axes = _Axes(counts.n1, counts.n0, prevalence)
    places = [0, len(counts), *cells]
    counted = _Axes(counts.n1, counts.n0, None)
    places += [sums.first(counted.x, part / bins) for part in range(1, bins)]
    for share in shares:
        place = sums.first(axes.x, share)
        places += [place, *_corners(sums, axes, place)]
    near = np.add.outer(np.array(places), np.arange(-NEAR, NEAR + 1)).ravel()
    steps = GROUPS_OF_BOTH if counts.groups is None else STEPS_OF_CLUSTERS
    even = sums.all_first(axes.both, np.arange(1, steps) * (2 / steps))
    ends = np.concatenate([near, even, [len(counts)]])
    return counts.joined(np.unique(np.clip(ends, 1, len(counts))))


class _Axes:
    """The axes of the CAP, and what both classes reach together, from running sums."""

    def __init__(self, n1: int, n0: int, prevalence: float | None) -> None:
        self.n1, self.n0, self.prevalence = n1, n0, prevalence

    def x(self, p: Any, n: Any) -> Any:
        if self.prevalence is None:
            return (p + n) / (self.n1 + self.n0)
        return self.prevalence * (p / self.n1) + (1 - self.prevalence) * (n / self.n0)

    def y(self, p: Any, n: Any) -> Any:  # noqa: ARG002 - measures take both sums
        return p / self.n1

    def both(self, p: Any, n: Any) -> Any:
        return p / self.n1 + n / self.n0


def _corners(sums: RunningSums, axes: _Axes, place: int) -> Iterator[int]:
    """Yield the ends of the edges of the upper hull just before and after a place."""
    last = len(sums.counts)
    for left in (place - 1, place):
        if 0 <= left < last:
            yield from _edge(sums, axes, left, left + 1)


def _edge(sums: RunningSums, axes: _Axes, left: int, right: int) -> tuple[int, int]:
    """Lift a chord to the point furthest above it until none lies above."""
    split = left
    while True:
        (x0, y0), (x1, y1) = (_point(sums, axes, at) for at in (left, right))
        slope = (y1 - y0) / (x1 - x0)

        def height(p: Any, n: Any, slope: float = slope) -> Any:
            return axes.y(p, n) - slope * axes.x(p, n)

        def along(p: Any, n: Any, slope: float = slope) -> Any:
            return slope * axes.x(p, n)

        top = sums.highest(height, along, axes.y)
        x, y = _point(sums, axes, top)
        if y - slope * x <= max(y0 - slope * x0, y1 - slope * x1) + ROUNDING * (1 + abs(slope)):
            return left, right
        left, right = (top, right) if top <= split else (left, top)


def _point(sums: RunningSums, axes: _Axes, place: int) -> tuple[float, float]:
    block = min(place // BLOCK, len(sums.positives) - 2)
    p, n = (column[place - block * BLOCK] for column in sums.inside(block))
    return float(axes.x(p, n)), float(axes.y(p, n))

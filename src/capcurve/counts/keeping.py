"""Which cut-offs of a stream of cells are kept: a fine grid, every best one, the first ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import LARGEST_INT64

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# Cut-offs are kept about every thousandth of the cases, so that every percentage is exact, and
# at every two-thousandth of each class, so that no curve between two of them errs by more.
SHARES_OF_CASES, SHARES_OF_CLASS = 1000, 2000
# Resampling for the bias of KS joins cells at these parts of both classes together.
GROUPS_OF_BOTH = 250
# On each side of a wanted share of cases: no rounding of a share passes them all.
MARGIN = 2
FIRST = 4096
MOST_PLACES = 1000
PRUNE_AT = 100_000


class Keeper:
    """Chooses cut-offs as blocks of cells come by, most likely positive first."""

    def __init__(self, n1: int, n0: int) -> None:
        self.n1, self.n0 = n1, n0
        self.captured = (0, 0)
        self.seen = 0
        self.grids = [
            _Grid(n1 + n0, SHARES_OF_CASES, MARGIN),
            _Grid(n1, SHARES_OF_CLASS, 0),
            _Grid(n0, SHARES_OF_CLASS, 0),
            _Grid(2, GROUPS_OF_BOTH, 1),
        ]
        self.extremes = [_Extreme(+1), _Extreme(-1)]
        self.parts: list[_Vertices] = []
        self.bends: list[_Vertices] = []
        self.tail: _Vertices | None = None

    def offer(self, score: NDArray[Any], tp: NDArray[np.int64], fp: NDArray[np.int64]) -> None:
        """Look at the next cells; tp and fp are running sums within the block."""
        start = self.seen
        here = _Vertices(score, tp + self.captured[0], fp + self.captured[1], start)
        if start < FIRST:
            self.parts.append(here.take(np.arange(min(FIRST - start, len(score)))))
        gaps = _gaps(tp, fp, self.n1, self.n0)
        offset = self.captured[0] * self.n0 - self.captured[1] * self.n1
        for extreme in self.extremes:
            self.parts += [here.take(places) for places in extreme.reached(gaps, offset)]
        self.bends.append(here.take(_bends(fp, tp)))
        if sum(map(len, self.bends)) > PRUNE_AT:
            self.bends = [self._corners()]
        self._on_grids(here, last=False)
        self.captured = (int(here.tp[-1]), int(here.fp[-1]))
        self.seen += len(score)

    def _on_grids(self, here: _Vertices, *, last: bool) -> None:
        """Keep cut-offs about wanted shares; the last few of a block wait for the next."""
        joined = here if self.tail is None else _joined([self.tail, here])
        both = joined.tp / max(self.n1, 1) + joined.fp / max(self.n0, 1)
        axes = (joined.tp + joined.fp, joined.tp, joined.fp, both)
        for grid, axis in zip(self.grids, axes, strict=True):
            places = grid.places(axis, last=last)
            if len(places):
                self.parts.append(joined.take(places))
        self.tail = joined.take(np.arange(max(0, len(joined) - 2 * MARGIN), len(joined)))

    def _corners(self) -> _Vertices:
        """Return the corners of everything so far, from those of the blocks."""
        found = _unique(self.bends)
        zero = np.zeros(1, np.int64)
        fp, tp = (np.concatenate([zero, column]) for column in (found.fp, found.tp))
        corners = _bends(fp, tp) - 1
        return found.take(corners[corners >= 0])

    def kept(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return score, positives, negatives and distinct scores selected at each kept cut-off."""
        if self.tail is None:
            empty = np.zeros(0, dtype=np.int64)
            return np.zeros(0), empty, empty, empty
        tail = self.tail
        self._on_grids(tail.take(np.arange(0)), last=True)
        end = tail.take(np.arange(len(tail) - 1, len(tail)))
        found = _unique([*self.parts, self._corners(), end])
        return found.score, found.tp, found.fp, found.place + 1


class _Vertices:
    """Cut-offs: the last score selected, both classes captured, and which cell of all it is."""

    def __init__(
        self, score: NDArray[Any], tp: NDArray[np.int64], fp: NDArray[np.int64], place: Any
    ) -> None:
        self.score, self.tp, self.fp = score, tp, fp
        first = isinstance(place, int)
        self.place = np.arange(place, place + len(score)) if first else place

    def __len__(self) -> int:
        return len(self.score)

    def take(self, picked: NDArray[Any]) -> _Vertices:
        """Return copies of the picked cut-offs, so that the block can be let go."""
        columns = (self.score, self.tp, self.fp, self.place)
        return _Vertices(*(column[picked] for column in columns))


def _joined(parts: Iterable[_Vertices]) -> _Vertices:
    full = list(parts)
    names = ("score", "tp", "fp", "place")
    return _Vertices(*(np.concatenate([getattr(p, name) for p in full]) for name in names))


def _unique(parts: Iterable[_Vertices]) -> _Vertices:
    joined = _joined(parts)
    return joined.take(np.unique(joined.place, return_index=True)[1])


class _Grid:
    """Wanted sums along one axis, the next one first."""

    def __init__(self, total: int, shares: int, margin: int) -> None:
        self.margin = margin
        wanted = (total * share / shares for share in range(1, shares))
        self.wanted = np.array([*wanted], dtype=np.float64)

    def places(self, axis: NDArray[Any], *, last: bool) -> NDArray[np.intp]:
        """Return the cut-offs about each wanted sum that is settled, and forget it."""
        if not len(axis):
            return np.zeros(0, dtype=np.intp)
        settled = len(axis) - 1 - self.margin
        reached = np.inf if last else (axis[settled] if settled >= 0 else -np.inf)
        count = int(np.searchsorted(self.wanted, reached, side="right"))
        found = np.searchsorted(axis, self.wanted[:count])
        self.wanted = self.wanted[count:]
        about = (found[:, None] + np.arange(-self.margin, self.margin + 1)).ravel()
        return np.unique(np.clip(about, 0, len(axis) - 1))


class _Extreme:
    """Where the gap between the classes is largest in one direction."""

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.best = 0
        self.count = 0

    def reached(self, gaps: NDArray[Any], offset: int) -> Iterator[NDArray[np.intp]]:
        """Yield the cut-offs of a block that are as good as any before; the first ones of many."""
        extreme = gaps.max() if self.sign > 0 else gaps.min()
        here = self.sign * (int(extreme) + offset)
        if here < self.best:
            return
        if here > self.best:
            self.best, self.count = here, 0
        found = np.flatnonzero(gaps == extreme)[: MOST_PLACES - self.count]
        self.count += len(found)
        if len(found):
            yield found


def _gaps(tp: NDArray[np.int64], fp: NDArray[np.int64], n1: int, n0: int) -> NDArray[Any]:
    """Return c·n0 - d·n1 within a block: the gap in pairs, in integers of any size."""
    if n1 * n0 <= LARGEST_INT64:
        gaps: NDArray[Any] = tp * n0 - fp * n1
        return gaps
    wide: NDArray[Any] = tp.astype(object) * n0 - fp.astype(object) * n1
    return wide


def _bends(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the corners of the smallest concave and the largest convex line about points."""
    # Every product below is at most the product of both widths.
    if (int(x[-1] - x[0]) + 1) * (int(y[-1] - y[0]) + 1) > LARGEST_INT64:
        x, y = x.astype(object), y.astype(object)
    found = {0, len(x) - 1}
    for sign in (+1, -1):
        open_ends = [(0, len(x) - 1)]
        while open_ends:
            left, right = open_ends.pop()
            if right - left < 2:  # noqa: PLR2004 - nothing lies between
                continue
            along, up = x[right] - x[left], y[right] - y[left]
            above = (y[left : right + 1] - y[left]) * along - (x[left : right + 1] - x[left]) * up
            top = left + int(above.argmax() if sign > 0 else above.argmin())
            if above[top - left] * sign > 0:
                found.add(top)
                open_ends += [(left, top), (top, right)]
    return np.array(sorted(found), dtype=np.intp)

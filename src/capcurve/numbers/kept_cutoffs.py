"""Which cut-offs of a ranking stand for all: those about wanted shares, every best one, the first.

Cells come block by block, most likely positive first, and each block is seen once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from capcurve.numbers.exact import LARGEST_INT64, running_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from capcurve.numbers.types import Amount, Array, ClassSums, Floats, Ints, Places

# Cut-offs are kept about every thousandth of the cases, so that every percentage is exact, and
# at every two-thousandth of each class, so that no curve between two of them errs by more.
SHARES_OF_CASES, SHARES_OF_CLASS = 1000, 2000
# Resampling for the bias of KS joins cells at these parts of both classes together.
GROUPS_OF_BOTH = 250
# On each side of a wanted share of cases: no rounding of a share passes them all.
KEPT_EACH_SIDE = 2
FIRST_KEPT = 4096
MOST_KEPT_PLACES = 1000
PRUNE_AT = 100_000
# Wanted values are looked for among the last of so many cut-offs first, and then among these.
STRIDE = 64
# Shares of weights carry less error than this; nearer gaps are one.
SHARE_ERROR = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class KeptCutoffs:
    """Cut-offs: the last score selected, both classes captured, and which cell of all it is."""

    score: Array
    tp: Ints
    fp: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.place)

    def take(self, picked: Array | slice) -> KeptCutoffs:
        """Return the picked ones."""
        return KeptCutoffs(self.score[picked], self.tp[picked], self.fp[picked], self.place[picked])

    @staticmethod
    def joined(parts: Iterable[KeptCutoffs]) -> KeptCutoffs:
        """Return all of some cut-offs in their order, each once."""
        columns = zip(*((c.score, c.tp, c.fp, c.place) for c in parts), strict=True)
        score, tp, fp, place = (np.concatenate(column) for column in columns)
        once = np.unique(place, return_index=True)[1]
        return KeptCutoffs(score[once], tp[once], fp[once], place[once])


@dataclass(eq=False)
class WantedValues:
    """Wanted values of a measure of what is selected, which grows; the next one first."""

    # About the cut-off that reaches a value, `margin` before and after it are kept too.
    measure: Callable[[Array, Array], Array]
    wanted: Array
    margin: int = 0

    def places(self, tp: Ints, fp: Ints) -> Places:
        """Return the cut-offs of a block about the numbers reached there, and forget these."""
        last = self.measure(tp[-1:], fp[-1:])[0]
        count = int(np.searchsorted(self.wanted, last, side="right"))
        if not count:
            return np.zeros(0, dtype=np.intp)
        wanted, self.wanted = self.wanted[:count], self.wanted[count:]
        ends = self.measure(tp[STRIDE - 1 :: STRIDE], fp[STRIDE - 1 :: STRIDE])
        groups = np.unique(np.searchsorted(ends, wanted))
        near = np.add.outer(groups * STRIDE, np.arange(STRIDE)).ravel()
        near = near[: np.searchsorted(near, len(tp))]
        return self.about(near[np.searchsorted(self.measure(tp[near], fp[near]), wanted)])

    def about(self, found: Places) -> Places:
        """Return places and their neighbours, some of which may lie in other blocks."""
        return np.add.outer(found, np.arange(-self.margin, self.margin + 1)).ravel()


def both_classes(n1: int, n0: int) -> Callable[[Array, Array], Array]:
    """Return the measure of what is captured of both classes together, from 0 to 2."""
    return lambda tp, fp: tp / max(n1, 1) + fp / max(n0, 1)


def even_grids(n1: int, n0: int) -> list[WantedValues]:
    """Return the grids of which every curve can be drawn, and most shares be read."""

    def parts(total: int, shares: int) -> Floats:
        return np.array([total * share / shares for share in range(1, shares)], dtype=np.float64)

    return [
        WantedValues(np.add, parts(n1 + n0, SHARES_OF_CASES), KEPT_EACH_SIDE),
        WantedValues(lambda tp, _: tp, parts(n1, SHARES_OF_CLASS)),
        WantedValues(lambda _, fp: fp, parts(n0, SHARES_OF_CLASS)),
        WantedValues(both_classes(n1, n0), parts(2, GROUPS_OF_BOTH), 1),
    ]


@dataclass(eq=False)
class Extreme:
    """Where the gap between the classes is largest on one side, as blocks of gaps come by."""

    # `found` are the cells selected and the gap at each place as good as `best`, up to rounding;
    # selecting nobody is a cut-off too, without a gap.
    sign: int
    most: int | None = None
    best: Amount = field(default=0, init=False)
    found: list[tuple[int, Amount]] = field(default_factory=lambda: [(0, 0)], init=False)

    def offer(self, selected: Ints, gaps: Array) -> Places:
        """Return which of some gaps are as good as any before; of very many the first.

        `selected` is after how many cells each is.
        """
        if not len(gaps):
            return np.zeros(0, dtype=np.intp)
        extreme = gaps.max() if self.sign > 0 else gaps.min()
        extreme = extreme.item() if isinstance(extreme, np.generic) else extreme
        reach = 0 if gaps.dtype.kind != "f" else SHARE_ERROR * abs(extreme)
        ahead = self.sign * (extreme - self.best)
        if ahead < -reach:
            return np.zeros(0, dtype=np.intp)
        if ahead > 0:
            self.found = self.found if reach and self.sign * self.best > 0 else []
            self.best = extreme
        near = np.flatnonzero(self.sign * gaps >= self.sign * self.best - reach)
        near = near if self.most is None else near[: max(self.most - len(self.found), 0)]
        self.found += zip(selected[near].tolist(), gaps[near].tolist(), strict=True)
        return near

    def within(self, highest: Amount, near: float) -> list[tuple[int, Amount]]:
        """Return the places as good as the highest of both sides."""
        return [(cell, gap) for cell, gap in self.found if self.sign * gap >= highest - near]


def gaps_between(tp: Array, fp: Array, n1: int, n0: int) -> Array:
    """Return c·n0 - d·n1: the gap in pairs, in integers of any size."""
    if n1 * n0 > LARGEST_INT64:
        tp, fp = tp.astype(object), fp.astype(object)
    gaps: Array = tp * n0 - fp * n1
    return gaps


class Keeper:
    """Chooses cut-offs as blocks come by: the `first`, those about grids, every best one."""

    n1: int
    n0: int
    grids: Sequence[WantedValues]
    first: int
    extremes: tuple[Extreme, Extreme]

    def __init__(self, n1: int, n0: int, grids: Sequence[WantedValues], first: int = 0) -> None:
        self.n1, self.n0, self.grids, self.first = n1, n0, grids, first
        self.extremes = Extreme(+1, MOST_KEPT_PLACES), Extreme(-1, MOST_KEPT_PLACES)
        self.margin: int = max((grid.margin for grid in grids), default=0)
        self.seen: int = 0
        self.parts: list[KeptCutoffs] = []
        self.corners: list[KeptCutoffs] = []
        self.waiting: Array = np.zeros(0, dtype=np.int64)
        self.tail: KeptCutoffs | None = None

    def offer(self, score: Array, tp: Ints, fp: Ints) -> None:
        """Look at the next cells; tp and fp are running sums over all so far."""
        size, start = len(score), self.seen
        here = KeptCutoffs(score, tp, fp, np.arange(start, start + size))
        turning = turns(tp, fp)
        at, up, along = here.place[turning] + 1, tp[turning], fp[turning]
        gaps = gaps_between(up, along, self.n1, self.n0)
        found = [turning[extreme.offer(at, gaps)] for extreme in self.extremes]
        found += [grid.places(tp, fp) for grid in self.grids]
        found.append(np.arange(min(max(self.first - start, 0), size)))
        wanted = np.concatenate([self.waiting - start, *found])
        self.parts.append(here.take(np.unique(wanted[(wanted >= 0) & (wanted < size)])))
        self.waiting = wanted[wanted >= size] + start
        # Neighbours of a place may lie in the block before.
        ends = here.take(slice(max(size - self.margin - 1, 0), None))
        if self.tail is not None:
            self.parts.append(self.tail.take(np.isin(self.tail.place, wanted + start)))
            ends = KeptCutoffs.joined([self.tail, ends])
        self.tail = ends.take(slice(-self.margin - 1, None))
        self.corners.append(here.take(turning[bends(along, up)]))
        if sum(map(len, self.corners)) > PRUNE_AT:
            self.corners = [self._corners()]
        self.seen += size

    def _corners(self) -> KeptCutoffs:
        """Return the corners of everything so far, from those of the blocks."""
        found = KeptCutoffs.joined(self.corners)
        corners = bends(np.append(0, found.fp), np.append(0, found.tp)) - 1
        return found.take(corners[corners >= 0])

    def kept(self) -> KeptCutoffs:
        """Return the cut-offs to keep, the last of all among them; none without any cell."""
        if self.tail is None:
            none = np.zeros(0, dtype=np.int64)
            return KeptCutoffs(np.zeros(0), none, none, none)
        # What no cut-off reached, by rounding, is wanted of the last one.
        beyond = [grid.about(np.array([self.seen - 1])) for grid in self.grids if len(grid.wanted)]
        wanted = np.concatenate([[self.seen - 1], *beyond])
        ends = self.tail.take(np.isin(self.tail.place, wanted))
        return KeptCutoffs.joined([*self.parts, self._corners(), ends])


def kept_places(counts: ClassSums, keeper: Keeper) -> Places:
    """Return how many cells of whole counts lie before the end of each cut-off that is kept."""
    for _, tp, fp in running_blocks(counts):
        keeper.offer(tp, tp, fp)  # of scores only the places are asked for
    return keeper.kept().place.astype(np.intp) + 1


def turns(tp: Ints, fp: Ints) -> Places:
    """Return the ends of some cells, and where the curve through them does not go straight on.

    Between cells of positives alone, and between cells of negatives alone, no gap is as large as
    at their ends, and there is no corner. No cell is empty.
    """
    turning = np.ones(len(tp), dtype=np.bool_)
    for sums in (tp, fp):
        unchanged = sums[1:] == sums[:-1]
        turning[1:-1] &= ~(unchanged[1:] & unchanged[:-1])
    return np.flatnonzero(turning)


def concave_corners(x: Array, y: Array, tolerance: float = 0) -> Places:
    """Return the corners of the smallest concave line above points, where it turns by more."""
    places = bends(x, y)
    # As Python's own numbers, whose products are exact.
    along, up = x[places].tolist(), y[places].tolist()
    kept: list[int] = []
    for k in range(len(places)):
        while len(kept) > 1:
            a, b = kept[-2:]
            over = (up[b] - up[a]) * (along[k] - along[b]) - (up[k] - up[b]) * (along[b] - along[a])
            if over > tolerance:
                break
            kept.pop()
        if not kept or along[k] > along[kept[-1]]:
            kept.append(k)
    return places[kept]


def bends(x: Array, y: Array) -> Places:
    """Return the corners of the smallest concave and the largest convex line about points."""
    # Every product below is at most the product of both widths.
    if (int(x[-1] - x[0]) + 1) * (int(y[-1] - y[0]) + 1) > LARGEST_INT64:
        x, y = x.astype(object), y.astype(object)
    last = len(x) - 1
    over = _over_chord(x, y, 0, last, slice(None))
    found = [0, last]
    for sign in (+1, -1):
        side = np.flatnonzero(sign * over > 0)
        waiting = [(0, last, side, over[side])]
        while waiting:
            left, right, inside, heights = waiting.pop()
            if not len(inside):
                continue
            at = int((sign * heights).argmax())
            top = int(inside[at])
            found.append(top)
            for start, end, rest in ((left, top, inside[:at]), (top, right, inside[at + 1 :])):
                above = _over_chord(x, y, start, end, rest)
                # What is not above its chord is no corner, nor is it above any shorter chord.
                outside = sign * above > 0
                waiting.append((start, end, rest[outside], above[outside]))
    return np.unique(np.array(found, dtype=np.intp))


def _over_chord(x: Array, y: Array, left: int, right: int, inside: Array | slice) -> Array:
    """Return how far points lie above the line between two, up to a factor."""
    along, up = x[right] - x[left], y[right] - y[left]
    over: Array = (y[inside] - y[left]) * along - (x[inside] - x[left]) * up
    return over

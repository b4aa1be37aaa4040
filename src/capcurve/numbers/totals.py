"""Totals of a ranking: what its numbers are made of, in one pass over sorted blocks of cells.

A block is a run of cells, or the sums that an engine took of one. Placements are counted from the
start of their block, so that numbers stay small; what lies outside shifts them by a constant, which
is added in Python integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.exact import BLOCK, LARGEST_INT64, Turns, exact_dot, square_dot
from capcurve.numbers.threads import at_once, parts_for_threads

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, ClassSums, Floats, Ints, Places

SMALL_CELL = 5
# Kinds of cells are tallied in a table that is no longer than so many cells.
CELLS_PER_KIND = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Totals:
    """Sums over all distinct scores of a ranking of whole counts, exactly."""

    won: int  # pairs of a positive and a negative that are in order
    tied: int
    # Σ u² over positives, u twice the negatives that one outranks, a tie counting once, and Σ v²
    # over negatives, v twice the positives that outrank one.
    positive_squares: int
    negative_squares: int
    # None when not counted, as all below: Σ t² and Σ t³ over distinct scores, t the cases at one.
    case_squares: int | None = None
    case_cubes: int | None = None
    small_cells: int | None = None  # distinct scores with fewer than five cases
    smallest_cell: int | None = None  # the fewest cases at any
    entropy: float | None = None  # mean over cases of that of the target at their score, in nats
    information_value: float | None = None  # Σ (c - d)·ln(c/d) over distinct scores


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSums:
    """Sums over the distinct scores of one block, most likely positive first."""

    # With a score's positives p and negatives n, and the positives c and negatives d above it
    # inside the block, a = 2d + n is twice the negatives that outrank or tie a positive there, b =
    # 2c + p twice the positives that outrank or tie a negative.

    positives: int  # positives, negatives: Σp and Σn
    negatives: int
    tied: int  # Σ p·n
    a: int  # a, aa, bb: Σ p·a, Σ p·a², Σ n·b²; Σ n·b is what is left of twice all pairs
    aa: int
    bb: int
    squares: int  # squares, cubes: Σ t² and Σ t³ with t = p + n
    cubes: int
    small: int  # small, smallest: scores with fewer than five cases, and the fewest cases at any
    smallest: int
    # Entropy, divergence: Σ t·H(p/t) and Σ (p/n1 - n/n0)·ln((p/n1)/(n/n0)); None when not counted.
    entropy: float | None = None
    divergence: float | None = None

    @classmethod
    def of(cls, p: Array, n: Array, n1: int, n0: int) -> BlockSums:
        """Sum some cells, none of them empty, of a ranking with so many of each class."""
        if are_single(p, n):
            return _single(np.flatnonzero(p.view(np.bool_)).astype(np.int64, copy=False), len(p))
        found = Turns.of(p, n)
        here1, here0 = found.captured, found.passed
        a, b = 2 * found.fp + found.n, 2 * found.tp + found.p
        # All negatives that stand alone behind a cell have as many positives above them.
        after = 2 * (found.tp + found.p)
        largest = 2 * max(here1, here0)
        if largest**2 * (here1 + here0) <= LARGEST_INT64:
            tied, first = int(np.dot(found.p, found.n)), int(np.dot(found.p, a))
            aa = int(np.dot(found.p * a, a))
            bb = int(np.dot(found.n * b, b)) + int(np.dot(found.alone * after, after))
        else:
            tied, first = exact_dot(found.p, found.n), exact_dot(found.p, a)
            aa = square_dot(found.p, a)
            bb = square_dot(found.n, b) + square_dot(found.alone, after)
        kinds = _by_kind(found.p, found.n, len(p) - len(found.p), n1, n0)
        return cls(positives=here1, negatives=here0, tied=tied, a=first, aa=aa, bb=bb, **kinds)


def are_single(p: Array, n: Array) -> bool:
    """Return whether each of some cells, none of them empty, holds one case."""
    narrow = p.dtype.itemsize == n.dtype.itemsize == 1
    return narrow and max(p.max(), n.max()) == 1 and not np.bitwise_and(p, n).any()


def _single(places: Places, cells: int) -> BlockSums:
    """Return the sums of cells with one case each, from the places of the positives."""
    # The negatives below the j-th positive have j - 1 or more positives above them: it adds 2j - 1
    # to the square of each.
    odd = np.arange(1, 2 * len(places), 2, dtype=np.int64)
    passed = places - (odd >> 1)
    negatives = cells - len(places)
    return BlockSums(
        positives=len(places),
        negatives=negatives,
        tied=0,
        a=2 * int(passed.sum()),
        aa=4 * int(np.dot(passed, passed)),
        bb=4 * int(np.dot(odd, negatives - passed)),
        squares=cells,
        cubes=cells,
        small=cells,
        smallest=1,
        entropy=0.0,
        divergence=math.inf,
    )


def _by_kind(p: Ints, n: Ints, alone: int, n1: int, n0: int) -> dict[str, Any]:
    """Return the sums that take each cell for itself; most of very many cells are of few kinds.

    Besides these cells there are so many negatives that stand alone.
    """
    p, n, times = _kinds(p, n, alone)
    cases = p + n
    mixed = (p > 0) & (n > 0)
    part = cases[mixed] * times[mixed]
    whole = bool(mixed.all()) and not alone
    return {
        "squares": exact_dot(times * cases, cases) + alone,
        "cubes": square_dot(times * cases, cases) + alone,
        "small": int(times[cases < SMALL_CELL].sum()) + alone,
        "smallest": 1 if alone else int(cases.min()),
        "entropy": float((part * entropy(p[mixed], n[mixed])).sum()),
        "divergence": divergence(p / n1, n / n0, times) if whole else math.inf,
    }


def _kinds(p: Ints, n: Ints, alone: int) -> tuple[Ints, Ints, Ints]:
    """Return the different pairs of positives and negatives, and how many cells have each."""
    most, width = int(p.max(initial=0)), max(int(n.max(initial=0)), min(alone, 1)) + 1
    if (most + 1) * width > (len(p) + alone) // CELLS_PER_KIND:
        return p, n, np.ones(len(p), np.int64)
    tally = np.bincount((p * width + n).astype(np.intp, copy=False)).astype(np.int64, copy=False)
    found = np.flatnonzero(tally)
    return found // width, found % width, tally[found]


def entropy(p: Array, n: Array) -> Floats:
    """Return -(r ln r + (1 - r) ln(1 - r)) for the share r of the rarer class, 0 at both ends."""
    # The rarer class, because 1 - r would lose the digits of a small share.
    cases = np.asarray(p + n, dtype=np.float64)
    rarer = np.minimum(np.asarray(p, np.float64), np.asarray(n, np.float64))
    rate = np.divide(rarer, cases, out=np.zeros_like(cases), where=cases > 0)
    safe = np.where(rate > 0, rate, 0.5)
    found = -(safe * np.log(safe) + (1 - safe) * np.log1p(-safe))
    return np.where(rate > 0, found, 0.0)


def divergence(c: Floats, d: Floats, times: Array | int = 1) -> float:
    """Return Σ (c - d)·ln(c/d) over cells that hold both classes."""
    return float((times * ((c - d) * np.log(c / d))).sum())


@dataclass(eq=False)
class Accumulator:
    """Totals of the blocks so far, most likely positive first."""

    n1: int
    n0: int
    positives: int = 0
    negatives: int = 0
    won_twice: int = 0
    tied: int = 0
    positive_squares: int = 0
    negative_squares: int = 0
    squares: int = 0
    cubes: int = 0
    small: int = 0
    smallest: int | None = None
    entropy: float | None = 0.0
    divergence: float | None = 0.0

    def add(self, block: BlockSums) -> None:
        """Take the next block."""
        below, above = 2 * (self.n0 - self.negatives), 2 * self.positives
        b = 2 * block.positives * block.negatives - block.a
        self.won_twice += above * block.negatives + b
        self.tied += block.tied
        # Inside the whole ranking u = below - a and v = above + b.
        self.positive_squares += below * (below * block.positives - 2 * block.a) + block.aa
        self.negative_squares += above * (above * block.negatives + 2 * b) + block.bb
        self.squares += block.squares
        self.cubes += block.cubes
        self.small += block.small
        self.smallest = min(block.smallest, self.smallest or block.smallest)
        self.entropy = _plus(self.entropy, block.entropy)
        self.divergence = _plus(self.divergence, block.divergence)
        self.positives += block.positives
        self.negatives += block.negatives

    def totals(self) -> Totals:
        """Return what was added up."""
        n = self.n1 + self.n0 if self.n1 and self.n0 else 0
        return Totals(
            won=(self.won_twice - self.tied) // 2,
            tied=self.tied,
            positive_squares=self.positive_squares,
            negative_squares=self.negative_squares,
            case_squares=self.squares,
            case_cubes=self.cubes,
            small_cells=self.small,
            smallest_cell=self.smallest,
            entropy=self.entropy / n if n and self.entropy is not None else None,
            information_value=self.divergence,
        )


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more


def totals_of(counts: ClassSums, n1: int, n0: int) -> Totals:
    """Return the totals of whole counts."""

    def sums(part: slice) -> list[BlockSums]:
        blocks = [slice(start, start + BLOCK) for start in range(part.start, part.stop, BLOCK)]
        return [BlockSums.of(counts.positives[b], counts.negatives[b], n1, n0) for b in blocks]

    found = Accumulator(n1, n0)
    for blocks in at_once(sums, parts_for_threads(len(counts.positives), BLOCK)):
        for block in blocks:
            found.add(block)
    return found.totals()

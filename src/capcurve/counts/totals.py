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

from capcurve.counts.exact import BLOCK, exact_dot, square_dot

if TYPE_CHECKING:
    from capcurve.counts.types import Array, ClassSums, Floats, Ints

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
        cells, here1, here0 = len(p), int(p.sum(dtype=np.int64)), int(n.sum(dtype=np.int64))
        if here1 + here0 == cells:
            return cls(
                positives=here1, negatives=here0, tied=0, **_single(np.flatnonzero(p), here0),
                squares=cells, cubes=cells, small=cells, smallest=1,
                entropy=0.0, divergence=math.inf,
            )  # fmt: skip
        p, n = p.astype(np.int64), n.astype(np.int64)
        a, b = 2 * np.cumsum(n) - n, 2 * np.cumsum(p) - p
        return cls(
            positives=here1, negatives=here0, tied=exact_dot(p, n),
            a=exact_dot(p, a), aa=square_dot(p, a), bb=square_dot(n, b),
            **_by_kind(p, n, n1, n0),
        )  # fmt: skip


def _single(places: Array, negatives: int) -> dict[str, int]:
    """Return a, aa and bb where each cell holds one case, from the places of the positives."""
    # The negatives below the j-th positive have j - 1 or more positives above them: it adds 2j - 1
    # to the square of each.
    passed = places - np.arange(len(places))
    below = negatives - passed
    return {
        "a": 2 * int(passed.sum()),
        "aa": 4 * exact_dot(passed, passed),
        "bb": 4 * exact_dot(np.arange(1, 2 * len(places), 2), below),
    }


def _by_kind(p: Ints, n: Ints, n1: int, n0: int) -> dict[str, Any]:
    """Return the sums that take each cell for itself; most of very many cells are of few kinds."""
    p, n, times = _kinds(p, n)
    cases = p + n
    mixed = (p > 0) & (n > 0)
    part = cases[mixed] * times[mixed]
    return {
        "squares": exact_dot(times * cases, cases),
        "cubes": square_dot(times * cases, cases),
        "small": int(times[cases < SMALL_CELL].sum()),
        "smallest": int(cases.min()),
        "entropy": float((part * entropy(p[mixed], n[mixed])).sum()),
        "divergence": divergence(p / n1, n / n0, times) if mixed.all() else math.inf,
    }


def _kinds(p: Ints, n: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different pairs of positives and negatives, and how many cells have each."""
    most, width = int(p.max()), int(n.max()) + 1
    if (most + 1) * width > len(p) // CELLS_PER_KIND:
        return p, n, np.ones(len(p), np.int64)
    tally = np.bincount(p * width + n)
    found = np.flatnonzero(tally)
    return found // width, found % width, tally[found]


def entropy(p: Array, n: Array) -> Floats:
    """Return -(r ln r + (1 - r) ln(1 - r)) for the share r of the rarer class, 0 at both ends."""
    # The rarer class, because 1 - r would lose the digits of a small share.
    cases = np.asarray(p + n, dtype=np.float64)
    rate = np.divide(np.minimum(p, n), cases, out=np.zeros_like(cases), where=cases > 0)
    safe = np.where(rate > 0, rate, 0.5)
    found = -(safe * np.log(safe) + (1 - safe) * np.log1p(-safe))
    return np.where(rate > 0, found, 0.0)


def divergence(c: Floats, d: Floats, times: Array | int = 1) -> float:
    """Return Σ (c - d)·ln(c/d) over cells that hold both classes."""
    return float((times * ((c - d) * np.log(c / d))).sum())


class Accumulator:
    """Totals of the blocks so far, most likely positive first."""

    n1: int
    n0: int
    positives: int
    negatives: int
    won_twice: int
    tied: int
    positive_squares: int
    negative_squares: int
    squares: int
    cubes: int
    small: int

    def __init__(self, n1: int, n0: int) -> None:
        self.n1, self.n0 = n1, n0
        self.positives = self.negatives = 0
        self.won_twice = self.tied = 0
        self.positive_squares = self.negative_squares = 0
        self.squares = self.cubes = self.small = 0
        self.smallest: int | None = None
        self.entropy: float | None = 0.0
        self.divergence: float | None = 0.0

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
    found = Accumulator(n1, n0)
    for start in range(0, len(counts.positives), BLOCK):
        cells = slice(start, start + BLOCK)
        found.add(BlockSums.of(counts.positives[cells], counts.negatives[cells], n1, n0))
    return found.totals()

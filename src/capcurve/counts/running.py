"""Running sums of very many cells, kept at the ends of blocks and made up in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import BLOCK, class_blocks, cumulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from capcurve.counts.score_counts import ScoreCounts

    # From running sums of positives and of negatives to a number that grows along with them.
    Measure = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class RunningSums:
    """Positives and negatives before each cell, of whole counts, without an array of them.

    Attributes
    ----------
    counts
        What was counted.
    positives, negatives
        Sums before each block of `BLOCK` cells, and of all, shape (blocks + 1,).
    """

    counts: ScoreCounts
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]

    @classmethod
    def of(cls, counts: ScoreCounts) -> RunningSums:
        """Sum each block."""
        sums = [(p.sum(), n.sum()) for p, n in class_blocks(counts)]
        table = np.array([(0, 0), *sums], dtype=np.int64).cumsum(axis=0)
        return cls(counts, table[:, 0], table[:, 1])

    def inside(self, block: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the sums before and after each cell of one block."""
        cells = slice(block * BLOCK, (block + 1) * BLOCK)
        p, n = cumulated(self.counts.positives[cells]), cumulated(self.counts.negatives[cells])
        return p + self.positives[block], n + self.negatives[block]

    def first(self, measure: Measure, wanted: float) -> int:
        """Return how many cells stand before the first place where a measure reaches a number."""
        coarse = measure(self.positives, self.negatives)
        block = max(int(np.searchsorted(coarse, wanted)) - 1, 0)
        if block >= len(self.positives) - 1:
            return len(self.counts)
        fine = measure(*self.inside(block))
        return block * BLOCK + int(np.searchsorted(fine, wanted))

    def all_first(self, measure: Measure, wanted: NDArray[Any]) -> NDArray[np.intp]:
        """Return the same for many ascending numbers, in one pass."""
        coarse = measure(self.positives, self.negatives)
        blocks = np.maximum(np.searchsorted(coarse, wanted) - 1, 0)
        found = np.full(len(wanted), len(self.counts), dtype=np.intp)
        for block in np.unique(blocks[blocks < len(self.positives) - 1]).tolist():
            here = blocks == block
            fine = measure(*self.inside(block))
            found[here] = block * BLOCK + np.searchsorted(fine, wanted[here])
        return found

    def highest(self, height: Measure, least: Measure, most: Measure) -> int:
        """Return the place where a height is greatest, given how low and high its terms run.

        Within a block the height is at most `most` after it less `least` before it.
        """
        bounds = most(self.positives[1:], self.negatives[1:]) - least(
            self.positives[:-1], self.negatives[:-1]
        )
        best, place = -np.inf, 0
        for block in np.argsort(-bounds, kind="stable"):
            if bounds[block] < best:
                break
            heights = height(*self.inside(int(block)))
            top = int(heights.argmax())
            if heights[top] > best:
                best, place = heights[top], int(block) * BLOCK + top
        return place

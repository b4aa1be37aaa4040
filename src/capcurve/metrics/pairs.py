"""Pairs of one positive and one negative: won, tied and lost, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import CELLS, DoubleDouble, running
from capcurve.curves.shares import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranking, ScoreCounts


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many (positive, negative) pairs the score orders rightly.

    Attributes
    ----------
    won
        Pairs in which the positive is ranked as the more likely positive.
    tied
        Pairs with the same score.
    total
        All pairs, n1·n0. Python integers for whole counts, fractions for weights, each class
        scaled by a power of two.
    """

    won: Any
    tied: Any
    total: Any

    @property
    def lost(self) -> Any:
        """Pairs in which the negative is ranked as the more likely positive."""
        return self.total - self.won - self.tied


def count_pairs(counts: Ranking) -> Pairs:
    """Count the pairs; in integers of any size for whole counts.

    Raises
    ------
    ValueError
        When a class is missing.
    """
    require(counts, "positives", "negatives")
    if counts.is_whole:
        totals = counts.totals()
        return Pairs(totals.won, totals.tied, counts.n1 * counts.n0)
    weighted = counts.every_score()
    if "pairs" not in weighted.remembered:
        weighted.remembered["pairs"] = _weighted_pairs(weighted)
    pairs: Pairs = weighted.remembered["pairs"]
    return pairs


def _weighted_pairs(counts: ScoreCounts) -> Pairs:
    """Sum pairs of weights, each class scaled near 1: 1e300 times 1e300 has no float.

    Won and lost are summed on their own, so that neither is what rounding left of the other.
    """
    won, lost, tied, positives, negatives = (DoubleDouble.of(0.0) for _ in range(5))
    scales = [-exponent_of(column) for column in (counts.positives, counts.negatives)]
    # Summed from the end, so that small weights at the top keep their digits.
    for end in range(len(counts), 0, -CELLS):
        cells = slice(max(end - CELLS, 0), end)
        p = np.ldexp(counts.positives[cells].astype(np.float64), scales[0])[::-1]
        n = np.ldexp(counts.negatives[cells].astype(np.float64), scales[1])[::-1]
        below_p, below_n = running(p, positives), running(n, negatives)
        won += (DoubleDouble.of(p) * below_n[:-1]).sum()
        lost += (DoubleDouble.of(n) * below_p[:-1]).sum()
        if (both := (p > 0) & (n > 0)).any():
            tied += (DoubleDouble.of(p[both]) * DoubleDouble.of(n[both])).sum()
        positives, negatives = below_p[-1], below_n[-1]
    sums = [part.exact() for part in (won, tied, lost)]
    return Pairs(sums[0], sums[1], sum(sums))


def exponent_of(weights: NDArray[Any]) -> int:
    """Return the power of two that the largest weight is near."""
    return int(np.frexp(float(weights.max()))[1])


def scaled(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return weights times a power of two that brings the largest near 1."""
    return np.ldexp(weights.astype(np.float64), -exponent_of(weights))


def share(part: Any, total: Any) -> float:
    """Return part/total as a float, rounded once."""
    return float(part / total)

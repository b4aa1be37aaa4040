"""Pairs of one positive and one negative: won, tied and lost, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals
from capcurve.counts.exact import BLOCK
from capcurve.curves.shares import require
from capcurve.metrics.moments import pair_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranked, ScoreCounts


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
        All pairs, n1·n0. Python integers for whole counts, floats for weights.
    """

    won: Any
    tied: Any
    total: Any

    @property
    def lost(self) -> Any:
        """Pairs in which the negative is ranked as the more likely positive."""
        return self.total - self.won - self.tied


def count_pairs(counts: Ranked) -> Pairs:
    """Count the pairs; in integers of any size for whole counts.

    Raises
    ------
    ValueError
        When a class is missing.
    """
    require(counts, "positives", "negatives")
    if isinstance(counts, RankTotals):
        return Pairs(counts.won, counts.tied, counts.n1 * counts.n0)
    if "pairs" not in counts.remembered:
        found = _whole_pairs(counts) if counts.is_whole else _weighted_pairs(counts)
        counts.remembered["pairs"] = found
    pairs: Pairs = counts.remembered["pairs"]
    return pairs


def _whole_pairs(counts: ScoreCounts) -> Pairs:
    total = counts.n1 * counts.n0
    not_won, tied = pair_sums(counts)
    return Pairs(total - not_won, tied, total)


def _weighted_pairs(counts: ScoreCounts) -> Pairs:
    """Sum pairs of weights, each class scaled near 1: 1e300 times 1e300 has no float."""
    columns = (counts.positives, counts.negatives)
    exponents = [exponent_of(column) for column in columns]
    won = tied = of1 = of0 = np.longdouble(0)
    # Summed from the end, so that small weights at the top keep their digits.
    for end in range(len(counts), 0, -BLOCK):
        cells = slice(max(end - BLOCK, 0), end)
        p, n = (
            np.ldexp(column[cells].astype(np.longdouble), -exponent)
            for column, exponent in zip(columns, exponents, strict=True)
        )
        upto = np.cumsum(n[::-1])[::-1]
        below = np.append(upto[1:], 0) + of0
        won += (p * below).sum()
        tied += (p * n).sum()
        of1 += p.sum()
        of0 += upto[0]
    return Pairs(won, tied, of1 * of0)


def exponent_of(weights: NDArray[Any]) -> int:
    """Return the power of two that the largest weight is near."""
    return int(np.frexp(np.longdouble(weights.max()))[1])


def scaled(weights: NDArray[Any]) -> NDArray[Any]:
    """Return weights times a power of two that brings the largest near 1, in the widest float."""
    return np.ldexp(weights.astype(np.longdouble), -exponent_of(weights))


def share(part: Any, total: Any) -> float:
    """Return part/total as a float, rounded once for Python integers."""
    return float(part / total)

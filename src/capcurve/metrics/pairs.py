"""Pairs of one positive and one negative: won, tied and lost, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals
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
    p, n = scaled(counts.positives), scaled(counts.negatives)
    # Summed from the end, so that small weights at the top keep their digits.
    below = np.cumsum(n[::-1])[::-1] - n
    below[:-1] = np.cumsum(n[:0:-1])[::-1]
    below[-1] = 0
    return Pairs((p * below).sum(), (p * n).sum(), p.sum() * n.sum())


def scaled(weights: NDArray[Any]) -> NDArray[Any]:
    """Return weights times a power of two that brings the largest near 1, in the widest float."""
    wide = weights.astype(np.longdouble)
    _, exponent = np.frexp(wide.max())
    return np.ldexp(wide, -int(exponent))


def share(part: Any, total: Any) -> float:
    """Return part/total as a float, rounded once for Python integers."""
    return float(part / total)

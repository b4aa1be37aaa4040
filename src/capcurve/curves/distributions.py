"""How the scores of the population, the positives and the negatives are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.given import takes_counts
from capcurve.counts.plain import plain
from capcurve.counts.types import FrozenRecord
from capcurve.curves.shares import require

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Array, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDistributions(FrozenRecord):
    """Shares at each distinct score, low scores first.

    Attributes
    ----------
    score
        Distinct scores, or grade names, shape (K,).
    population, positives, negatives
        Share of all cases and of each class at each score, shape (K,); each adds up to 1.
    """

    score: Array
    population: Floats
    positives: Floats
    negatives: Floats

    def cumulative(self) -> ScoreDistributions:
        """Return the shares at or below each score."""
        return ScoreDistributions(
            self.score, *(_running(s) for s in (self.population, self.positives, self.negatives))
        )

    def binned(self, bins: int) -> ScoreDistributions:
        """Return the shares in equally wide bins, with the middle of each bin as its score.

        Infinite scores fall in the outermost bins.
        """
        values = self.score.astype(np.float64)
        finite = values[np.isfinite(values)]
        low, high = (finite[0], finite[-1]) if len(finite) else (0.0, 1.0)
        edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
        place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
        middles = (edges[1:] + edges[:-1]) / 2
        columns = (self.population, self.positives, self.negatives)
        binned = (np.bincount(place, weights=s, minlength=bins) for s in columns)
        return ScoreDistributions(middles, *(s.astype(np.float64) for s in binned))

    def to_dict(self) -> dict[str, Any]:
        """Return the shares as values that strict JSON can hold."""
        written: dict[str, Any] = plain(
            {
                "score": self.score,
                "population": self.population,
                "positives": self.positives,
                "negatives": self.negatives,
            }
        )
        return written


@takes_counts
def score_distributions(counts: ScoreCounts) -> ScoreDistributions:
    """Return how scores are spread in the population and in each class.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    ScoreDistributions
        Shares at each distinct score, shape (K,), low scores first.

    Raises
    ------
    ValueError
        When a class is missing.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> score_distributions(count_scores([1, 0, 1, 0], [2, 2, 3, 1])).positives
    array([0. , 0.5, 0.5])
    """
    require(counts, "positives", "negatives")
    upwards = slice(None, None, -1 if counts.higher_is == "positive" else 1)
    p = counts.positives[upwards].astype(np.float64)
    n = counts.negatives[upwards].astype(np.float64)
    return ScoreDistributions(
        counts.thresholds[upwards], (p + n) / counts.n, p / counts.n1, n / counts.n0
    )


def _running(shares: Floats) -> Floats:
    sums = np.cumsum(shares)
    return np.asarray(sums / sums[-1], dtype=np.float64)

"""JointCounts: positives and negatives at each distinct combination of several scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts import clusters, weighing
from capcurve.counts.cells import sum_ties
from capcurve.counts.score_counts import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts.settings import Direction, Dropped, WeightKind, Weights


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointCounts:
    """How many positives and negatives stand at each combination of several scores.

    Attributes
    ----------
    names
        The scores, in the order they were asked for.
    scores
        For each score its value in every cell, shape (K,) each.
    positives, negatives
        Cases of each class in every cell, shape (K,).
    higher_is, levels
        Direction and grade names of each score.
    resolution
        Width of the grid that all scores were floored to, or None.
    weights
        What weighted counts remember of their rows, or None.
    dropped
        Rows left out for missing values, or None when that was not asked for.
    groups
        The same counts by hash group of clusters, or None.
    """

    names: tuple[str, ...]
    scores: tuple[NDArray[Any], ...]
    positives: NDArray[Any]
    negatives: NDArray[Any]
    higher_is: tuple[Direction, ...]
    levels: tuple[tuple[object, ...] | None, ...]
    resolution: float | None = None
    weights: Weights | None = None
    dropped: Dropped | None = None
    groups: tuple[JointCounts, ...] | None = None

    def margin(self, name: str) -> ScoreCounts:
        """Return the counts of one score alone: the same as counting it by itself.

        Raises
        ------
        ValueError
            When there is no such score.
        """
        if name not in self.names:
            raise ValueError(f"no score {name!r} here; have {list(self.names)}")
        place = self.names.index(name)
        values = self.scores[place]
        score, (positives, negatives) = sum_ties(values, [self.positives, self.negatives])
        alone = {
            "score": score,
            "positives": positives,
            "negatives": negatives,
            "weights": weighing.merged(values, [self.weights]),
            "higher_is": self.higher_is[place],
            "levels": self.levels[place],
            "resolution": self.resolution,
            "dropped": self.dropped,
        }
        groups = None if self.groups is None else tuple(g.margin(name) for g in self.groups)
        return ScoreCounts.from_ascending(**clusters.whole_of(alone, groups))

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""
        return None if self.weights is None else self.weights.kind

    def __len__(self) -> int:
        return len(self.positives)

    def __repr__(self) -> str:
        scores = ", ".join(self.names)
        return f"JointCounts({scores}; n={self.margin(self.names[0]).n}, cells={len(self)})"

"""Positives and negatives at each distinct score: the one state behind every number."""

from capcurve.counts.joint import JointCounts
from capcurve.counts.ordinal import OrdinalCounts
from capcurve.counts.ranking import NotHeldError, Ranking, RankTotals, count_sorted
from capcurve.counts.score_counts import ScoreCounts
from capcurve.counts.settings import Direction, Dropped
from capcurve.counts.weights import WeightKind, Weights

__all__ = [
    "Direction",
    "Dropped",
    "JointCounts",
    "NotHeldError",
    "OrdinalCounts",
    "RankTotals",
    "Ranking",
    "ScoreCounts",
    "WeightKind",
    "Weights",
    "count_sorted",
]

"""Positives and negatives at each distinct score: the one state behind every number."""

from capcurve.counts.joint import JointCounts
from capcurve.counts.rank_totals import NotHeldError, RankTotals
from capcurve.counts.score_counts import ScoreCounts
from capcurve.counts.settings import Direction, Dropped, WeightKind, Weights
from capcurve.counts.streaming import count_sorted

# What the numbers of a ranking can be read off: every cell, or exact totals.
Ranked = ScoreCounts | RankTotals

__all__ = [
    "Direction",
    "Dropped",
    "JointCounts",
    "NotHeldError",
    "RankTotals",
    "Ranked",
    "ScoreCounts",
    "WeightKind",
    "Weights",
    "count_sorted",
]

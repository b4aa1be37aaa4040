"""Positives and negatives at each distinct score: the one state behind every number."""

from capcurve.counts.joint import JointCounts
from capcurve.counts.rank_totals import RankTotals
from capcurve.counts.score_counts import ScoreCounts
from capcurve.counts.settings import Direction, Dropped, WeightKind, Weights
from capcurve.counts.streaming import count_sorted

# What a number of a ranking can be read off: every cell, or exact totals.
Ranked = ScoreCounts | RankTotals

__all__ = [
    "Direction",
    "Dropped",
    "JointCounts",
    "RankTotals",
    "Ranked",
    "ScoreCounts",
    "WeightKind",
    "Weights",
    "count_sorted",
]

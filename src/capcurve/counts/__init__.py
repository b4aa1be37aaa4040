"""Positives and negatives at each distinct score: the one state behind every number."""

from capcurve.counts.joint import JointCounts
from capcurve.counts.score_counts import ScoreCounts
from capcurve.counts.settings import Direction, Dropped, WeightKind, Weights

__all__ = ["Direction", "Dropped", "JointCounts", "ScoreCounts", "WeightKind", "Weights"]

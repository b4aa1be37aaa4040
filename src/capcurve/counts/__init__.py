"""Positives and negatives, or amounts, at each distinct score: the state behind every number."""

from capcurve._lazy import attach

_OFFERED = {
    "joint": "JointCases JointCounts JointValues",
    "master_scale": "MasterScale",
    "ordinal": "OrdinalCounts",
    "partial": "PartialCounts",
    "rank_totals": "NotHeldError Ranking RankTotals count_sorted",
    "scores": "CaseCounts ScoreCounts",
    "segments": "SegmentCounts",
    "sums": "ValueSums",
    "times": "HorizonCounts JointTimes TimeCounts",
    "trials": "JointUplift UpliftCounts",
    "values": "ValueCounts",
}
# What the package itself needs, and users may.
_WITHIN = {
    "settings": "Dropped Words",
    "trials": "Trial",
    "values": "Amounts",
    "weights": "WeightKind Weights",
    ".numbers.types": "Direction",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, within=_WITHIN)

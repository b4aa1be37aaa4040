"""Positives and negatives, or amounts, at each distinct score: the state behind every number."""

from capcurve.counts.joint import JointCases, JointCounts, JointValues
from capcurve.counts.master_scale import MasterScale
from capcurve.counts.ordinal import OrdinalCounts
from capcurve.counts.partial import PartialCounts
from capcurve.counts.rank_totals import NotHeldError, Ranking, RankTotals, count_sorted
from capcurve.counts.scores import CaseCounts, ScoreCounts
from capcurve.counts.segments import SegmentCounts
from capcurve.counts.settings import Dropped as Dropped, Words as Words
from capcurve.counts.sums import ValueSums
from capcurve.counts.times import HorizonCounts, JointTimes, TimeCounts
from capcurve.counts.trials import JointUplift, Trial as Trial, UpliftCounts
from capcurve.counts.values import Amounts as Amounts, ValueCounts
from capcurve.counts.weights import WeightKind as WeightKind, Weights as Weights
from capcurve.numbers.types import Direction as Direction

__all__ = [
    "CaseCounts",
    "HorizonCounts",
    "JointCases",
    "JointCounts",
    "JointTimes",
    "JointUplift",
    "JointValues",
    "MasterScale",
    "NotHeldError",
    "OrdinalCounts",
    "PartialCounts",
    "RankTotals",
    "Ranking",
    "ScoreCounts",
    "SegmentCounts",
    "TimeCounts",
    "UpliftCounts",
    "ValueCounts",
    "ValueSums",
    "count_sorted",
]

from capcurve.numbers.types import Direction as Direction

from .joint import JointCases as JointCases, JointCounts as JointCounts, JointValues as JointValues
from .master_scale import MasterScale as MasterScale
from .ordinal import OrdinalCounts as OrdinalCounts
from .partial import PartialCounts as PartialCounts
from .rank_totals import (
    NotHeldError as NotHeldError,
    Ranking as Ranking,
    RankTotals as RankTotals,
    count_sorted as count_sorted,
)
from .scores import CaseCounts as CaseCounts, ScoreCounts as ScoreCounts
from .segments import SegmentCounts as SegmentCounts
from .settings import Dropped as Dropped, Words as Words
from .sums import ValueSums as ValueSums
from .times import (
    HorizonCounts as HorizonCounts,
    JointTimes as JointTimes,
    TimeCounts as TimeCounts,
)
from .trials import JointUplift as JointUplift, Trial as Trial, UpliftCounts as UpliftCounts
from .values import Amounts as Amounts, ValueCounts as ValueCounts
from .weights import WeightKind as WeightKind, Weights as Weights

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

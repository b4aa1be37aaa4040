from .gains import gains_table as gains_table, reading as reading, step_table as step_table
from .rules import best_thresholds as best_thresholds
from .thresholds import (
    OperatingPoint as OperatingPoint,
    UpliftPoint as UpliftPoint,
    ValuePoint as ValuePoint,
    operating_point as operating_point,
    threshold_table as threshold_table,
)

"""Tables that are read off counts, operating points and rules for cut-offs."""

from capcurve.tables.gains import gains_table, reading, step_table
from capcurve.tables.rules import best_thresholds
from capcurve.tables.thresholds import (
    OperatingPoint,
    UpliftPoint,
    ValuePoint,
    operating_point,
    threshold_table,
)

__all__ = [
    "OperatingPoint",
    "UpliftPoint",
    "ValuePoint",
    "best_thresholds",
    "gains_table",
    "operating_point",
    "reading",
    "step_table",
    "threshold_table",
]

from capcurve.show.presentation import Finding as Finding

from .calibration import Calibration as Calibration, assess_calibration as assess_calibration
from .selective import SelectivePrediction as SelectivePrediction
from .summarizing import summarize as summarize
from .summary import (
    SUMMARY_SCHEMA as SUMMARY_SCHEMA,
    Summary as Summary,
    ValueSummary as ValueSummary,
)
from .verdict import Verdict as Verdict

__all__ = [
    "Calibration",
    "Finding",
    "SelectivePrediction",
    "Summary",
    "ValueSummary",
    "Verdict",
    "assess_calibration",
    "summarize",
]

"""Everything a report says about scores, as frozen data."""

from capcurve.results.calibration import Calibration, assess_calibration
from capcurve.results.selective import SelectivePrediction
from capcurve.results.summarizing import summarize
from capcurve.results.summary import SUMMARY_SCHEMA as SUMMARY_SCHEMA, Summary, ValueSummary
from capcurve.results.verdict import Verdict
from capcurve.show.presentation import Finding

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

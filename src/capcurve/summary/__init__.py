"""Everything a report says about scores, as frozen data."""

from capcurve.summary.amounts import ValueSummary
from capcurve.summary.findings import Finding
from capcurve.summary.summary import SCHEMA_VERSION, Summary, summarize, summarize_segment
from capcurve.summary.verdict import Verdict

__all__ = [
    "SCHEMA_VERSION",
    "Finding",
    "Summary",
    "ValueSummary",
    "Verdict",
    "summarize",
    "summarize_segment",
]

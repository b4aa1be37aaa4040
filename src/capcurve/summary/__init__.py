"""Everything a report says about scores, as frozen data."""

from capcurve.summary.amounts import ValueSummary
from capcurve.summary.findings import Finding
from capcurve.summary.summary import Summary, summarize, summarize_segment
from capcurve.summary.verdict import Verdict
from capcurve.summary.written import SCHEMA_VERSION

__all__ = [
    "SCHEMA_VERSION",
    "Finding",
    "Summary",
    "ValueSummary",
    "Verdict",
    "summarize",
    "summarize_segment",
]

"""Everything a report says about scores, as frozen data."""

from capcurve.results.amounts import ValueSummary
from capcurve.results.summary import Summary, summarize, summarize_segment
from capcurve.results.verdict import Verdict
from capcurve.results.written import SCHEMA_VERSION
from capcurve.show.finding import Finding

__all__ = [
    "SCHEMA_VERSION",
    "Finding",
    "Summary",
    "ValueSummary",
    "Verdict",
    "summarize",
    "summarize_segment",
]

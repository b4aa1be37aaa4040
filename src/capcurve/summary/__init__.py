"""Everything a report says about one score, as frozen data."""

from capcurve.summary.findings import Finding
from capcurve.summary.summary import SCHEMA_VERSION, Summary, summarize

__all__ = ["SCHEMA_VERSION", "Finding", "Summary", "summarize"]

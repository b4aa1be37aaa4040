"""Everything a report says about scores, as frozen data."""

from capcurve._lazy import attach

_OFFERED = {
    "calibration": "Calibration assess_calibration",
    "selective": "SelectivePrediction",
    "summarizing": "summarize",
    "summary": "Summary ValueSummary",
    "verdict": "Verdict",
    ".show.presentation": "Finding",
}
# What the package itself needs, and users may.
_WITHIN = {"summary": "SUMMARY_SCHEMA"}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, within=_WITHIN)

"""Tables that are read off counts, operating points and rules for cut-offs."""

from capcurve._lazy import attach

_OFFERED = {
    "gains": "gains_table reading step_table",
    "rules": "best_thresholds",
    "thresholds": "OperatingPoint UpliftPoint ValuePoint operating_point threshold_table",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED)

"""What unknown outcomes leave open: bounds of a number, and how many of them break a minimum."""

from capcurve.studies.unknown.bounds import tipping_point, unknown_bounds
from capcurve.studies.unknown.rates import RateEstimate, estimate_rate
from capcurve.studies.unknown.shown import Assumptions, Bounds, TippingPoint

__all__ = [
    "Assumptions",
    "Bounds",
    "RateEstimate",
    "TippingPoint",
    "estimate_rate",
    "tipping_point",
    "unknown_bounds",
]

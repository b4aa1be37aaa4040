"""What unknown outcomes leave open: bounds of a number, and how many of them break a minimum."""

from capcurve.studies.unknown.bounds import tipping_point, unknown_bounds
from capcurve.studies.unknown.shown import Assumptions, Bounds, TippingPoint

__all__ = ["Assumptions", "Bounds", "TippingPoint", "tipping_point", "unknown_bounds"]

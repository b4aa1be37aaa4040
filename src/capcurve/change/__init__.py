"""Why a number changed between two samples, and what each segment has in it."""

from capcurve.change.attribution import Attribution, attribute_change
from capcurve.change.decomposition import Decomposition, decompose

__all__ = ["Attribution", "Decomposition", "attribute_change", "decompose"]

"""Why a number changed between two samples, and what each segment has in it."""

from capcurve.studies.change.attribution import attribute_change
from capcurve.studies.change.decomposition import Decomposition, decompose
from capcurve.studies.change.shown import Attribution

__all__ = ["Attribution", "Decomposition", "attribute_change", "decompose"]

"""Why a number changed between two samples, and what each segment has in it."""

from capcurve.studies.change.attribution import Attribution, attribute_change
from capcurve.studies.change.decomposition import Decomposition, decompose

__all__ = ["Attribution", "Decomposition", "attribute_change", "decompose"]

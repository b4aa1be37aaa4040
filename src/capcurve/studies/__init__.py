"""Studies: each answers one question with counts, as a result that shows itself."""

from capcurve._lazy import attach

_OFFERED = {"": "audit change evaluation grades monitoring unknown validation"}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED)

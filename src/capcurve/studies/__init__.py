"""Studies: each answers one question with counts, as a result that shows itself."""

import lazy_loader

STUDIES = ("audit", "change", "evaluation", "grades", "monitoring", "unknown", "validation")

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=STUDIES)

"""How well does a score rank? The CAP curve and every number read off it, exactly.

What there is stands in `__init__.pyi`. It is loaded when first asked for: nobody waits for what is
not used, and the command line can arrange to be stopped before anything large is read.
"""

from pkgutil import iter_modules

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
# `from capcurve import *` brings functions and types; a module called `input` would hide Python's.
_places = [*__path__, *(f"{path}/studies" for path in __path__)]
__all__ = [name for name in __all__ if name not in {each.name for each in iter_modules(_places)}]

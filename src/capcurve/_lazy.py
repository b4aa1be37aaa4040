"""Loads what a package offers when it is first asked for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str,
    offered: Mapping[str, str],
    elsewhere: Mapping[str, str] | None = None,
    within: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package.

    `offered` gives the names in each of its modules; under "" and under a key that ends with a dot
    stand modules themselves, which `from package import *` and `dir` leave out where there is
    anything else. `elsewhere` gives what others call the names, which an AttributeError answers,
    and `within` names that are there and not listed. One dot more begins a module of another
    package, as in relative imports.
    """
    places = {name: module for module, names in offered.items() for name in names.split()}
    public = [name for name in places if not _is_prefix(places[name])]
    places |= {name: module for module, names in (within or {}).items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in places:
            said = f"module {package!r} has no attribute {name!r}"
            for ours, theirs in (elsewhere or {}).items():
                if name in theirs.split():  # without a module Python adds no guess of its own
                    raise AttributeError(f"{said}; here it is called {ours}", name=name, obj=None)
            raise AttributeError(said)
        module = places[name]
        if _is_prefix(module):
            value = import_module(f".{module}{name}", package)
        else:
            value = getattr(import_module(f".{module}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: public or [*places], public


def _is_prefix(module: str) -> bool:
    """Return whether the names under this key are modules."""
    return not module or module.endswith(".")

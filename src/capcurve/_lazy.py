"""Loads what a package offers when it is first asked for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, offered: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package.

    `offered` gives the names in each of its modules; under "" and under a key that ends with a dot
    stand modules themselves, which `from package import *` leaves out.
    """
    places = {name: module for module, names in offered.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = places[name]
        if _is_prefix(module):
            value = import_module(f"{package}.{module}{name}")
        else:
            value = getattr(import_module(f"{package}.{module}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: [*places], [name for name in places if not _is_prefix(places[name])]


def _is_prefix(module: str) -> bool:
    """Return whether the names under this key are modules."""
    return not module or module.endswith(".")

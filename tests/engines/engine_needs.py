"""Modules of engines: imported, or their tests skipped, or failed where engines are required."""

import importlib
import os

import pytest

# Where a merge is judged a missing engine is a failure; elsewhere its tests are skipped.
REQUIRED = os.environ.get("CAPCURVE_REQUIRE_ENGINES") == "1"


def need(module):
    """Import a module; without it skip, or fail where engines are required."""
    if REQUIRED:
        return importlib.import_module(module)
    return pytest.importorskip(module)

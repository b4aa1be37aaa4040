"""Columns out of csv, parquet and json files, globs and standard input, read through DuckDB."""

from capcurve._lazy import attach

_OFFERED = {
    "sources": "Files",
}
# What the package itself needs, and users may.
_WITHIN = {
    "cells": "match_levels read_case_cells read_cells read_partial_cells read_saved",
    "reading": "read_columns",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, within=_WITHIN)

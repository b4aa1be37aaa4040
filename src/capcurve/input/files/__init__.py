"""Columns out of csv, parquet and json files, globs and standard input, read through DuckDB."""

from __future__ import annotations

from capcurve.input.files.cells import (
    match_levels as match_levels,
    read_case_cells as read_case_cells,
    read_cells as read_cells,
    read_partial_cells as read_partial_cells,
    read_saved as read_saved,
)
from capcurve.input.files.reading import read_columns as read_columns
from capcurve.input.files.sources import Files

__all__ = ["Files"]

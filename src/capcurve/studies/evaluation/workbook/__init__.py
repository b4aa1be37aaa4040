"""Workbooks for spreadsheets: counts as values, numbers as live formulas, native charts."""

from capcurve.studies.evaluation.workbook.workbook import (
    require_writer,
    write_table,
    write_tables,
    write_workbook,
)

__all__ = ["require_writer", "write_table", "write_tables", "write_workbook"]

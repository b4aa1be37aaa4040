"""An evaluation as a workbook: counts as values, numbers as live formulas, native charts."""

from capcurve.studies.evaluation.workbook.sheets import write_workbook

__all__ = ["write_workbook"]

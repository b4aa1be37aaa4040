"""An evaluation: everything about some scores, as a card, a page, a workbook and numbers."""

from capcurve.studies.evaluation.evaluation import Evaluation, evaluate, judge, rows_sharing

__all__ = ["Evaluation", "evaluate", "judge", "rows_sharing"]

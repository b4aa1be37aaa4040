"""evaluate(...) and the Evaluation it returns."""

from capcurve.evaluation.evaluating import evaluate
from capcurve.evaluation.evaluation import Evaluation
from capcurve.evaluation.judging import judge, rows_sharing

__all__ = ["Evaluation", "evaluate", "judge", "rows_sharing"]

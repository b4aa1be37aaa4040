"""Rows of any kind become counts."""

from capcurve.input.classes import count_classes
from capcurve.input.counting import (
    count_joint,
    count_joint_values,
    count_scores,
    count_segments,
    count_value_segments,
    count_values,
    counts_by_score,
    refuse_row_keywords,
)
from capcurve.input.partial import (
    count_cases,
    count_joint_cases,
    count_partial,
    count_partially,
)
from capcurve.input.queries import count_all_together, count_each, count_repeats, count_together
from capcurve.input.rows import Query, named_scores, source_of

__all__ = [
    "Query",
    "count_all_together",
    "count_cases",
    "count_classes",
    "count_each",
    "count_joint",
    "count_joint_cases",
    "count_joint_values",
    "count_partial",
    "count_partially",
    "count_repeats",
    "count_scores",
    "count_segments",
    "count_together",
    "count_value_segments",
    "count_values",
    "counts_by_score",
    "named_scores",
    "refuse_row_keywords",
    "source_of",
]

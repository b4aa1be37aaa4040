"""Rows of any kind become counts."""

from capcurve.input.count import (
    count_cases,
    count_classes,
    count_joint,
    count_joint_cases,
    count_joint_values,
    count_partial,
    count_scores,
    count_segments,
    count_value_segments,
    count_values,
    counts_by_score,
    refuse_row_keywords,
)
from capcurve.input.query import (
    Query,
    count_all_together,
    count_each,
    count_partially,
    count_repeats,
    count_together,
    named_scores,
    source_of,
)

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

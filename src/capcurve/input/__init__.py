"""Rows of any kind become counts."""

from capcurve.input.count import (
    count_case_segments,
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
    counts_by_score as counts_by_score,
    refuse_row_keywords as refuse_row_keywords,
)
from capcurve.input.query import (
    Query as Query,
    count_all_together as count_all_together,
    count_each as count_each,
    count_partially as count_partially,
    count_repeats as count_repeats,
    count_together as count_together,
    count_with_pds as count_with_pds,
    crossed_names as crossed_names,
    named_scores as named_scores,
    of_table as of_table,
    partial_by_segment as partial_by_segment,
    source_of as source_of,
)
from capcurve.input.saving import read_counts, write_counts
from capcurve.input.times import (
    at_horizons as at_horizons,
    count_followed as count_followed,
    count_joint_times,
    count_time_segments,
    count_times,
    read_times as read_times,
)
from capcurve.input.trials import (
    count_joint_uplift,
    count_joint_uplift_values,
    count_uplift,
    count_uplift_values,
    effect_scores,
)

__all__ = [
    "count_case_segments",
    "count_cases",
    "count_classes",
    "count_joint",
    "count_joint_cases",
    "count_joint_times",
    "count_joint_uplift",
    "count_joint_uplift_values",
    "count_joint_values",
    "count_partial",
    "count_scores",
    "count_segments",
    "count_time_segments",
    "count_times",
    "count_uplift",
    "count_uplift_values",
    "count_value_segments",
    "count_values",
    "effect_scores",
    "read_counts",
    "write_counts",
]

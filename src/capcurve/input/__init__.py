"""Rows of any kind become counts."""

from capcurve._lazy import attach

_OFFERED = {
    "count": """
        count_case_segments count_cases count_classes count_joint count_joint_cases
        count_joint_values count_partial count_scores count_segments count_value_segments
        count_values
    """,
    "saving": "read_counts write_counts",
    "times": "count_joint_times count_time_segments count_times",
    "trials": """
        count_joint_uplift count_joint_uplift_values count_uplift count_uplift_values effect_scores
    """,
}
# What the package itself needs, and users may.
_WITHIN = {
    "count": "counts_by_score refuse_row_keywords",
    "query": """
        Query count_all_together count_each count_partially count_repeats count_together
        count_with_pds crossed_names named_scores of_table partial_by_segment source_of
    """,
    "times": "at_horizons count_followed read_times",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, within=_WITHIN)

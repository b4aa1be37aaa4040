"""Rows of any kind become counts."""

from capcurve.input.counting import count_joint, count_scores, count_segments
from capcurve.input.gathering import source_of
from capcurve.input.ready import ready_counts, refuse_row_keywords
from capcurve.input.repeated import count_repeats
from capcurve.input.several import count_each, count_together

__all__ = [
    "count_each",
    "count_joint",
    "count_repeats",
    "count_scores",
    "count_segments",
    "count_together",
    "ready_counts",
    "refuse_row_keywords",
    "source_of",
]

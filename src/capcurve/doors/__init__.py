"""The doors: rows of any kind become counts."""

from capcurve.doors.counting import count_joint, count_scores, count_segments
from capcurve.doors.several import count_each, count_together

__all__ = ["count_each", "count_joint", "count_scores", "count_segments", "count_together"]

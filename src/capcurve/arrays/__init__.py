"""Door for rows in memory: checked columns become counts."""

from capcurve.arrays.checks import Lost, Missing, Rules, as_sample, complete
from capcurve.arrays.counting import Sample, Score, count_sample
from capcurve.arrays.grouping import count_cells_jointly, split_rows

__all__ = [
    "Lost",
    "Missing",
    "Rules",
    "Sample",
    "Score",
    "as_sample",
    "complete",
    "count_cells_jointly",
    "count_sample",
    "split_rows",
]

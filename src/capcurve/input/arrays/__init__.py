"""Rows in memory: checked columns become counts."""

from capcurve.input.arrays.checks import (
    DROP,
    Lost,
    Missing,
    Rules,
    as_amount_sample,
    as_sample,
    complete,
)
from capcurve.input.arrays.counting import Sample, Score, count_sample
from capcurve.input.arrays.groups import cluster_groups, count_clustered, count_jointly, split_rows
from capcurve.input.arrays.labels import unknown_rows

__all__ = [
    "DROP",
    "Lost",
    "Missing",
    "Rules",
    "Sample",
    "Score",
    "as_amount_sample",
    "as_sample",
    "cluster_groups",
    "complete",
    "count_clustered",
    "count_jointly",
    "count_sample",
    "split_rows",
    "unknown_rows",
]

"""Rows in memory: checked columns become counts."""

from capcurve.input.arrays.checks import CaseRules, Missing, MissingScores, Rules
from capcurve.input.arrays.counting import Sample, Score, count_sample
from capcurve.input.arrays.groups import cluster_groups, count_clustered, count_jointly, split_rows
from capcurve.input.arrays.labels import Rest

__all__ = [
    "CaseRules",
    "Missing",
    "MissingScores",
    "Rest",
    "Rules",
    "Sample",
    "Score",
    "cluster_groups",
    "count_clustered",
    "count_jointly",
    "count_sample",
    "split_rows",
]

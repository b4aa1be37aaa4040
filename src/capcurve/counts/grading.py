"""Counts by grade: what stands at the scores between cut-offs, under the name of their grade."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.order import places_in
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.sums import arranged
from capcurve.counts.table import upward
from capcurve.counts.values import ValueCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts.types import Array


def graded(counts: Any, ends: Sequence[int], labels: Sequence[str]) -> Any:
    """Return counts by grade: after how many distinct scores each grade but the last ends."""
    scores = counts.by_score() if isinstance(counts, ValueCounts) else counts
    limits = np.array([*ends, len(scores)])
    fields = {"higher_is": "positive", "levels": tuple(labels), "resolution": None}

    def codes(score: Array) -> Array:
        """Return the codes of scores: those of the first grade are the largest."""
        place = places_in(scores, score)
        return np.asarray(len(labels) - 1 - np.searchsorted(limits, place, side="right"))

    full = np.unique(limits[limits > 0])
    if isinstance(counts, ScoreCounts):
        return _recoded(counts.joined(full) if len(counts) else counts, codes, fields)
    if isinstance(counts, ValueCounts):
        return _recoded_rows(counts, codes, fields)
    joined = counts.joined(full)
    return replace(joined, score=codes(joined.score), **fields)


def _recoded(
    counts: ScoreCounts, codes: Callable[[Array], Array], fields: dict[str, Any]
) -> ScoreCounts:
    """Return counts of grades under their codes, with the weights and groups of the cells."""
    up = slice(None, None, -1)
    cells = codes(counts.score)[up], counts.positives[up], counts.negatives[up]
    groups = counts.groups and tuple(_recoded(group, codes, fields) for group in counts.groups)
    weights = counts.weights and counts.weights.take(up)
    said = {**counts.fields(), **fields}
    return ScoreCounts.from_ascending(*cells, weights=weights, groups=groups, **said)


def _recoded_rows(
    counts: ValueCounts, codes: Callable[[Array], Array], fields: dict[str, Any]
) -> ValueCounts:
    """Return amounts whose rows stand at the codes of grades."""
    parts = [
        arranged(replace(rows, score=codes(rows.score)), falls=True)
        for rows in (counts.holding, counts.empty)
    ]
    groups = counts.groups and tuple(_recoded_rows(each, codes, fields) for each in counts.groups)
    return ValueCounts.from_parts(*parts, **{**counts.fields(), **fields}, groups=groups)


def halved(counts: ScoreCounts, rng: np.random.Generator) -> tuple[ScoreCounts, ScoreCounts]:
    """Deal positives and negatives, or groups of clusters, into halves, the larger one first."""
    whole = [column.astype(np.int64) for column in (counts.positives, counts.negatives)]
    if counts.groups is None:
        one = [
            rng.multivariate_hypergeometric(each, -(-int(each.sum()) // 2), method="marginals")
            for each in whole
        ]
    else:
        groups = [group for group in counts.groups if len(group)]
        one = [np.zeros_like(each) for each in whole]
        for picked in rng.permutation(len(groups))[: -(-len(groups) // 2)].tolist():
            at = places_in(counts, groups[picked].score)
            one[0][at] += groups[picked].positives
            one[1][at] += groups[picked].negatives
    rest = [each - part for each, part in zip(whole, one, strict=True)]
    return _of_columns(counts, one), _of_columns(counts, rest)


def _of_columns(counts: ScoreCounts, columns: Sequence[Array]) -> ScoreCounts:
    """Return counts of some of the cases at each score of whole counts."""
    up = upward(counts.higher_is)
    cells = (column[up] for column in (counts.score, *columns))
    return ScoreCounts.from_ascending(*cells, **{**counts.fields(), "dropped": None})

"""Counts by grade: what stands at the scores between cut-offs, under the name of their grade."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.scores import ScoreCounts
from capcurve.counts.sums import arranged
from capcurve.counts.table import upward
from capcurve.counts.values import ValueCounts
from capcurve.inference.designs import FEW_ROWS_A_CELL
from capcurve.numbers.order import places_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.numbers.types import Array, Ints, Places


def graded(counts: Any, ends: Sequence[int], labels: Sequence[str]) -> Any:
    """Return counts by grade: after how many distinct scores each grade but the last ends."""
    scores = counts.by_score() if isinstance(counts, ValueCounts) else counts
    limits = np.array([*ends, len(scores)])

    def codes(score: Array) -> Array:
        """Return the codes of scores: those of the first grade are the largest."""
        place = places_in(scores, score)
        return np.asarray(len(labels) - 1 - np.searchsorted(limits, place, side="right"))

    if not isinstance(counts, ValueCounts):
        counts = counts.joined(np.unique(limits[limits > 0]))
    return recoded(counts, codes, higher_is="positive", levels=tuple(labels), resolution=None)


def recoded(counts: Any, codes: Callable[[Array], Array], **fields: Any) -> Any:
    """Return counts with other scores of the same order, in their groups of clusters too."""
    changed: dict[str, Any] = {}
    if isinstance(counts, ValueCounts):
        for name in ("holding", "empty"):
            rows = getattr(counts, name)
            changed[name] = arranged(replace(rows, score=codes(rows.score)), falls=True)
    else:
        changed["score"] = codes(counts.score)
    if counts.groups is not None:
        changed["groups"] = tuple(recoded(group, codes, **fields) for group in counts.groups)
    return replace(counts, **changed, **fields)


def dealt_halves(counts: ScoreCounts, rng: np.random.Generator) -> list[tuple[ScoreCounts, Places]]:
    """Deal positives and negatives, or groups of clusters, into halves, the larger one first.

    Each half comes with the places that its scores have among those of the whole.
    """
    whole = [column.astype(np.int64) for column in (counts.positives, counts.negatives)]
    if counts.groups is None:
        one = [_half(each, rng) for each in whole]
    else:
        groups = [group for group in counts.groups if len(group)]
        one = [np.zeros_like(each) for each in whole]
        for picked in rng.permutation(len(groups))[: -(-len(groups) // 2)].tolist():
            at = places_in(counts, groups[picked].score)
            one[0][at] += groups[picked].positives
            one[1][at] += groups[picked].negatives
    rest = [each - part for each, part in zip(whole, one, strict=True)]
    return [_of_columns(counts, columns) for columns in (one, rest)]


def _half(cases: Ints, rng: np.random.Generator) -> Ints:
    """Return how many cases of each cell are among a random half of all, the larger one."""
    total = int(cases.sum())
    size, full = -(-total // 2), np.flatnonzero(cases)
    if total > FEW_ROWS_A_CELL * len(full):
        return np.asarray(rng.multivariate_hypergeometric(cases, size, method="marginals"))
    picked, found = rng.permutation(np.arange(total) < size), np.zeros_like(cases)
    if total:
        starts = (np.cumsum(cases) - cases)[full].astype(np.intp, copy=False)
        found[full] = np.add.reduceat(picked, starts, dtype=np.int64)
    return found


def _of_columns(counts: ScoreCounts, columns: Sequence[Ints]) -> tuple[ScoreCounts, Places]:
    """Return counts of some of the cases at each score of whole counts, and where those stand."""
    places = np.flatnonzero(columns[0] + columns[1])
    up = places[upward(counts.higher_is)]
    cells = (column[up] for column in (counts.score, *columns))
    return ScoreCounts.from_ascending(*cells, **{**counts.fields(), "dropped": None}), places

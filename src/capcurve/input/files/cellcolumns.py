"""The columns of a saved table: a row per score, or per different row of amounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from capcurve.counts import ScoreCounts, ValueCounts
from capcurve.counts.order import grid_value
from capcurve.counts.settings import names_of
from capcurve.counts.table import wide
from capcurve.input.columns import objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from capcurve.input.columns import Values

# Counts of classes, or of amounts, that a table holds; by segment.
Held: TypeAlias = ScoreCounts | ValueCounts
Segments: TypeAlias = "Mapping[Any, Held]"

CLASSES = ("positives", "negatives")
ROOTS = ("positive_roots", "negative_roots")
AMOUNT, EXPOSURE, ROWS = "amount", "exposure", "n"
GROUP = "cluster_group"


def written_columns(parts: Segments) -> dict[str, Values]:
    """Return the columns of a table: those of every group of clusters below each other."""
    every = list(parts.values())
    refuse_unlike(every)
    written = [group for part in every for group in written_parts(part)]
    values = [part for part in written if isinstance(part, ValueCounts)]
    columns = (
        _of_amounts(values)
        if values
        else _of_classes([part for part in written if isinstance(part, ScoreCounts)])
    )
    if any(part.groups is not None for part in every):
        columns[GROUP] = np.concatenate(list(map(group_numbers, every)))
    return columns


def refuse_unlike(parts: Sequence[Held]) -> None:
    """Raise ValueError for segments that one table does not hold together."""
    for has, what in (
        (lambda part: isinstance(part, ValueCounts), "amounts"),
        (lambda part: getattr(part, "has_exposure", False), "an exposure"),
        (lambda part: part.groups is not None, "clusters"),
    ):
        if len(set(map(has, parts))) > 1:
            raise ValueError(f"some segments have {what} and some have none; save them one by one")


def written_parts(counts: Held) -> Sequence[Held]:
    """Return the groups of clusters of counts, or the counts where there are none."""
    return [counts] if counts.groups is None else counts.groups


def rows_of(counts: Held) -> int:
    """Return how many rows of a table counts take."""
    if isinstance(counts, ScoreCounts):
        return len(counts)
    return len(counts.holding) + len(counts.empty)


def group_numbers(counts: Held) -> NDArray[np.uint8]:
    """Return the group of clusters of each row that is written."""
    sizes = list(map(rows_of, written_parts(counts)))
    return np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes)


def _of_classes(parts: Sequence[ScoreCounts]) -> dict[str, Values]:
    columns = {"score": _joined(_written(part.score, part) for part in parts)}
    for name in CLASSES:
        columns[name] = _joined(wide(getattr(part, name)) for part in parts)
    if any(part.weights is not None for part in parts):
        for name in ROOTS:
            columns[name] = _joined(_roots(part, name) for part in parts)
    return columns


def _of_amounts(parts: Sequence[ValueCounts]) -> dict[str, Values]:
    rows = [(part, *part.cells()) for part in parts]
    columns = {
        "score": _joined(_written(score, part) for part, score, *_ in rows),
        AMOUNT: _joined(amount for _, _, amount, _, _ in rows),
    }
    exposures = [exposure for _, _, _, exposure, _ in rows if exposure is not None]
    if exposures:
        columns[EXPOSURE] = _joined(exposures)
    columns[ROWS] = _joined(n for *_, n in rows)
    return columns


def _written(score: Values, counts: Held) -> Values:
    """Return scores as people read them: the names of grades, the values of a grid."""
    if counts.levels is not None:
        return objects_of([str(name) for name in names_of(score, counts.levels).tolist()])
    if counts.resolution is None:
        return score
    values = grid_value(score, counts.resolution)
    return np.array(values.tolist()) if values.dtype.kind == "O" else values


def _roots(counts: ScoreCounts, name: str) -> Values:
    """Return the roots of summed squared weights; NaN where the rows are not known."""
    weights = counts.weights
    return np.full(len(counts), np.nan) if weights is None else getattr(weights, name)


def _joined(arrays: Iterable[Values]) -> Values:
    found = list(arrays)
    return np.concatenate([array for array in found if len(array)] or found[:1])

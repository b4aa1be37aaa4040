"""Rows by segment, and rows by the scores they hold jointly."""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import JointCounts
from capcurve.counts.cells import grid_index, narrow
from capcurve.input.arrays.counting import class_sums, sample_weights
from capcurve.input.columns import python_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from capcurve.input.arrays.counting import Sample
    from capcurve.input.columns import Column


# Scores with many values have about as many combinations as rows, and each takes memory.
MOST_COMBINATIONS = 10_000_000


def split_rows(by: Column) -> Iterator[tuple[object, NDArray[np.intp]]]:
    """Yield each segment with its rows, in the order of the segments; nulls last, under None."""
    keys, codes = segment_codes(by)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(keys)), side="right")
    start = 0
    for key, end in zip(keys, ends, strict=True):
        if end > start:
            yield key, order[start:end]
        start = end


def segment_codes(by: Column) -> tuple[list[object], NDArray[np.intp]]:
    """Return the segments in order and the number of each row's segment."""
    values, absent = by.stored, by.missing
    if values.ndim != 1:
        raise ValueError(f"{by.name} must have one dimension, got shape {values.shape}")
    if values.dtype.kind == "f":
        nan = np.isnan(values)
        absent = nan if absent is None else absent | nan
    if absent is not None and not absent.any():
        absent = None
    kept = values if absent is None else values[~absent]
    if by.categories is not None and by.ordered:
        keys, found = list(by.categories), kept.astype(np.intp)
    elif by.categories is not None:
        keys, found = _object_codes([by.categories[code] for code in kept.tolist()])
    elif values.dtype.kind == "O":
        keys, found = _object_codes(kept.tolist())
    else:
        distinct, inverse = np.unique(kept, return_inverse=True)
        moments = python_values(distinct)  # as text where Python has no type for them
        keys = [str(key) if isinstance(key, np.datetime64) else key for key in moments]
        found = inverse.astype(np.intp)
    if absent is None:
        return keys, found
    codes = np.full(len(values), len(keys), dtype=np.intp)
    codes[~absent] = found
    return [*keys, None], codes


def _object_codes(items: list[Any]) -> tuple[list[object], NDArray[np.intp]]:
    distinct = list(dict.fromkeys(items))
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=lambda key: (type(key).__name__, str(key)))
    place = {key: position for position, key in enumerate(distinct)}
    codes = np.fromiter((place[item] for item in items), np.intp, len(items))
    midnights = all(isinstance(key, datetime) and key.time() == time() for key in distinct)
    return [key.date() for key in distinct] if midnights else distinct, codes


def refuse_combinations(found: int, names: Sequence[str]) -> None:
    """Raise ValueError for more combinations of scores than are counted together."""
    if found > MOST_COMBINATIONS:
        raise ValueError(
            f"{' and '.join(names)} have {found:,} different combinations, more than the "
            f"{MOST_COMBINATIONS:,} that are counted together; floor the scores to a grid with "
            "resolution=, such as 1e-4"
        )


def count_cells_jointly(sample: Sample) -> JointCounts:
    """Count positives and negatives at each distinct combination of scores."""
    keys = [
        s.values if s.resolution is None else grid_index(s.values, s.resolution)
        for s in sample.scores
    ]
    # The last key of lexsort is the first to sort by.
    order = np.lexsort(keys[::-1])
    ordered = [key[order] for key in keys]
    starts = _starts(ordered)
    refuse_combinations(len(starts), [score.name for score in sample.scores])
    sums = class_sums(sample, order, starts)
    weights = sample_weights(sample, order, starts)
    full = (sums[0] > 0) | (sums[1] > 0)
    return JointCounts(
        names=tuple(score.name for score in sample.scores),
        scores=tuple(key[starts][full] for key in ordered),
        positives=narrow(sums[0][full]),
        negatives=narrow(sums[1][full]),
        higher_is=tuple(score.higher_is for score in sample.scores),
        levels=tuple(score.levels for score in sample.scores),
        resolution=sample.scores[0].resolution,
        weights=weights and weights.take(full),
        dropped=sample.dropped,
    )


def _starts(ordered: list[NDArray[Any]]) -> NDArray[np.intp]:
    if not ordered or not len(ordered[0]):
        return np.zeros(0, dtype=np.intp)
    changes = np.zeros(len(ordered[0]), dtype=np.bool_)
    changes[0] = True
    for key in ordered:
        changes[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changes)

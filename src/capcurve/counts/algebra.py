"""Adding, taking away and coarsening counts, as the arguments of the counts that result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capcurve.counts import weighing
from capcurve.counts.cells import (
    LARGEST_TOTAL,
    add_up,
    common_dtype,
    grid_index,
    run_starts,
    sorted_runs,
    sum_ties,
)
from capcurve.counts.codec import settings_of
from capcurve.counts.grades import as_rankable, codes_of, refuse_nan
from capcurve.counts.settings import check_direction, check_levels, written_levels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from capcurve.counts.joint import JointCounts
    from capcurve.counts.score_counts import ScoreCounts
    from capcurve.counts.settings import Dropped

CLASSES = ("positives", "negatives")
Counts = TypeVar("Counts")


def tabled(
    score: ArrayLike, positives: ArrayLike, negatives: ArrayLike, *, higher_is: object, levels: Any
) -> dict[str, Any]:
    """Return the arguments of the counts that someone's table holds."""
    names, direction = check_levels(levels), check_direction(higher_is)
    scores = as_rankable(np.asarray(score), "score", names, direction)
    sums = [as_tallies(positives, "positives"), as_tallies(negatives, "negatives")]
    for name, column in zip(CLASSES, sums, strict=True):
        if len(column) != len(scores):
            raise ValueError(f"score has {len(scores)} rows and {name} has {len(column)}")
    if names is None:
        refuse_nan(scores, "score")
    else:
        scores = codes_of(scores, names, "score")
    refuse_too_many(sum(total(column) for column in sums))
    distinct, (p, n) = sum_ties(scores, sums)
    return {
        "score": distinct,
        "positives": p,
        "negatives": n,
        "higher_is": direction,
        "levels": written_levels(names),
    }


def only_counts(kind: type[Counts], many: Iterable[Counts]) -> list[Counts]:
    """Return all of many counts, or raise TypeError when one is something else."""
    parts = list(many)
    for part in parts:
        if not isinstance(part, kind):
            raise TypeError(f"{kind.__name__} add up with their like, got {type(part).__name__}")
    return parts


def summed(
    keys: Sequence[NDArray[Any]], parts: Sequence[ScoreCounts | JointCounts]
) -> tuple[list[NDArray[Any]], dict[str, Any]]:
    """Return the distinct keys of all cells, ascending, and what adds up at each.

    `keys` are those of all parts, one part after another; sorts once.
    """
    order, starts = sorted_runs(keys)
    sums = {
        name: add_up(np.concatenate([getattr(part, name) for part in parts])[order], starts)
        for name in CLASSES
    }
    weights = weighing.merged([part.weights for part in parts], order, starts)
    return [key[order][starts] for key in keys], {**sums, "weights": weights}


def merged_cells(
    parts: Sequence[ScoreCounts] | Sequence[JointCounts],
) -> tuple[list[NDArray[Any]], dict[str, Any]]:
    """Return the keys and sums of all cells of counts with equal settings."""
    check_same_settings(parts)
    if all(part.is_whole for part in parts):
        refuse_too_many(sum(part.n1 + part.n0 for part in parts))
    keys = []
    for columns in zip(*(part.keys for part in parts), strict=True):
        dtype = common_dtype(columns)
        keys.append(np.concatenate([column.astype(dtype) for column in columns]))
    return summed(keys, parts)


def merged(parts: Sequence[ScoreCounts]) -> dict[str, Any]:
    """Return the arguments of the sum of counts with equal settings; sorts once."""
    (score,), sums = merged_cells(parts)
    return {**_settings(parts[0]), **sums, "score": score, "dropped": total_dropped(parts)}


def _settings(counts: ScoreCounts) -> dict[str, Any]:
    return {
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "dropped": counts.dropped,
    }


def difference(whole: ScoreCounts, part: ScoreCounts) -> dict[str, Any]:
    """Return the arguments of the counts that are left when a part is taken away."""
    if not (whole.is_whole and part.is_whole):
        raise ValueError("only whole counts can be taken away; these carry weights")
    if len(whole) and len(part):
        check_same_settings([whole, part])
    dtype = common_dtype([whole.score, part.score])
    joined = np.concatenate([whole.score.astype(dtype), part.score.astype(dtype)])
    columns = [
        np.concatenate([wide(getattr(whole, name)), -wide(getattr(part, name))]) for name in CLASSES
    ]
    score, (positives, negatives) = sum_ties(joined, columns)
    short = (positives < 0) | (negatives < 0)
    if short.any():
        raise ValueError(
            f"at score {score[short][0]} more cases are taken away than there are; "
            "the second counts are not a part of the first"
        )
    return {
        **_settings(whole),
        "score": score,
        "positives": positives,
        "negatives": negatives,
        "dropped": _dropped_without(whole, part),
    }


def _dropped_without(whole: ScoreCounts, part: ScoreCounts) -> Dropped | None:
    """Return the rows that the rest left out."""
    if whole.dropped is None or part.dropped is None:
        return whole.dropped
    return whole.dropped - part.dropped


def coarser(counts: ScoreCounts, step: float) -> dict[str, Any]:
    """Return the arguments of counts floored to a grid of width `step`."""
    if counts.levels is not None:
        raise ValueError("grades have no resolution; it floors numeric scores")
    width = step
    if counts.resolution is not None:
        width = step / counts.resolution
        if width < 1 or abs(width - round(width)) > 1e-9 * width:
            raise ValueError(f"a grid of {counts.resolution} does not divide into one of {step}")
        width = float(round(width))
    (score,), sums = summed([grid_index(counts.score, width)], [counts])
    return {**_settings(counts), **sums, "score": score, "resolution": step}


def check_ends(ends: ArrayLike, cells: int) -> NDArray[np.intp]:
    """Return how many cells lie before the end of each group of neighbours, ascending.

    Raises
    ------
    ValueError
        Unless they ascend from 1 or more and the last one is the number of cells.
    """
    found = np.asarray(ends)
    if found.ndim == 1 and not len(found) and not cells:
        return np.zeros(0, dtype=np.intp)
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(found)
    if not whole or found[0] < 1 or (found[1:] <= found[:-1]).any() or found[-1] != cells:
        raise ValueError(f"ends must be whole numbers that ascend from 1 or more to {cells}")
    return found.astype(np.intp)


def joined(counts: ScoreCounts, ends: NDArray[np.intp]) -> dict[str, Any]:
    """Return the arguments of counts with the cells up to each end put together."""
    starts = np.append(0, ends)[: len(ends)].astype(np.intp)
    return _put_together(counts, starts, counts.score[ends - 1])


def joined_alike(counts: ScoreCounts, last: NDArray[Any]) -> dict[str, Any]:
    """Return the same of counts of some of the cases, given the last score of each group."""
    score = counts.score.astype(last.dtype, copy=False)
    if counts.higher_is == "positive":
        place = len(last) - np.searchsorted(last[::-1], score, side="right")
    else:
        place = np.searchsorted(last, score)
    starts = run_starts(place)
    return _put_together(counts, starts, last[place[starts]])


def _put_together(
    counts: ScoreCounts, starts: NDArray[np.intp], score: NDArray[Any]
) -> dict[str, Any]:
    ascending = slice(None, None, -1 if counts.higher_is == "positive" else 1)
    return {
        **_settings(counts),
        "score": score[ascending],
        "positives": add_up(counts.positives, starts)[ascending],
        "negatives": add_up(counts.negatives, starts)[ascending],
        "weights": weighing.take(weighing.joined(counts.weights, starts), ascending),
    }


def check_same_settings(parts: Sequence[ScoreCounts] | Sequence[JointCounts]) -> None:
    """Raise ValueError unless all counts were counted alike."""
    first = _added_with(parts[0])
    for part in parts[1:]:
        other = _added_with(part)
        for key, value in first.items():
            if other[key] != value:
                raise ValueError(
                    f"counts with {key}={value!r} and {key}={other[key]!r} do not add; "
                    "count all parts alike"
                )


def _added_with(counts: ScoreCounts | JointCounts) -> dict[str, object]:
    names = getattr(counts, "names", None)
    return {**({} if names is None else {"names": names}), **settings_of(counts)}


def total_dropped(parts: Sequence[ScoreCounts] | Sequence[JointCounts]) -> Dropped | None:
    """Return the rows that all parts together left out."""
    losses = [part.dropped for part in parts if part.dropped is not None]
    return sum(losses[1:], start=losses[0]) if losses else None


def refuse_too_many(cases: int) -> None:
    """Raise ValueError for more cases than counts can hold."""
    if cases >= LARGEST_TOTAL:
        raise ValueError(f"{cases} cases are more than the 2^62 that counts can hold")


def total(counts: NDArray[Any]) -> Any:
    """Return the sum of counts: a Python integer, or a float for weights."""
    if counts.dtype.kind == "f":
        return float(counts.sum())
    if counts.dtype == np.uint8 and counts.max(initial=0) <= 1:
        return int(np.count_nonzero(counts))  # much quicker than a sum, and the usual case
    return int(counts.sum(dtype=np.int64))


def wide(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in a type that sums do not overflow."""
    return counts if counts.dtype.kind == "f" else counts.astype(np.int64)


def as_tallies(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return counts that someone typed as int64, or as float64 when some are fractions.

    Raises
    ------
    ValueError, TypeError
        For counts that are negative, not finite, too large or not numbers.
    """
    column = np.asarray(values)
    if column.dtype.kind not in "biuf" and len(column):
        column = _typed(column, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {column.shape}")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ValueError(f"{name} holds {column[~np.isfinite(column)][0]}; counts are finite")
    if len(column) and column.min() < 0:
        raise ValueError(f"{name} holds {column.min()}; counts are never negative")
    fractions = column.dtype.kind == "f" and not (column == np.floor(column)).all()
    if not fractions:
        refuse_too_many(sum(int(item) for item in column.tolist()))
    return column.astype(np.float64 if fractions else np.int64)


def _typed(column: NDArray[Any], name: str) -> NDArray[Any]:
    for item in column.ravel().tolist():
        if isinstance(item, bool | str) or not isinstance(item, int | float):
            raise TypeError(f"{name} must be counts, got {item!r}")
    return np.array([float(item) for item in column])

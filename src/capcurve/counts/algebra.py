"""Adding, taking away and coarsening counts, as the arguments of the counts that result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capcurve.counts import weighing
from capcurve.counts.cells import LARGEST_TOTAL, common_dtype, grid_index, sum_ties
from capcurve.counts.codec import settings_of
from capcurve.counts.grades import as_rankable, codes_of, refuse_nan
from capcurve.counts.settings import check_direction, check_levels, written_levels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

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


def merged(parts: Sequence[ScoreCounts]) -> dict[str, Any]:
    """Return the arguments of the sum of counts with equal settings; sorts once."""
    check_same_settings(parts)
    if all(part.is_whole for part in parts):
        refuse_too_many(sum(part.n for part in parts))
    dtype = common_dtype([part.score for part in parts])
    joined = np.concatenate([part.score.astype(dtype) for part in parts])
    columns = [np.concatenate([wide(getattr(part, name)) for part in parts]) for name in CLASSES]
    score, (positives, negatives) = sum_ties(joined, columns)
    return {
        "score": score,
        "positives": positives,
        "negatives": negatives,
        "weights": weighing.merged(joined, [part.weights for part in parts]),
        "higher_is": parts[0].higher_is,
        "levels": parts[0].levels,
        "resolution": parts[0].resolution,
        "dropped": total_dropped(parts),
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
        "score": score,
        "positives": positives,
        "negatives": negatives,
        "higher_is": whole.higher_is,
        "levels": whole.levels,
        "resolution": whole.resolution,
        "dropped": whole.dropped,
    }


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
    index = grid_index(counts.score, width)
    score, (positives, negatives) = sum_ties(index, [counts.positives, counts.negatives])
    return {
        "score": score,
        "positives": positives,
        "negatives": negatives,
        "weights": weighing.merged(index, [counts.weights]),
        "higher_is": counts.higher_is,
        "resolution": step,
        "dropped": counts.dropped,
    }


def check_same_settings(parts: Sequence[ScoreCounts]) -> None:
    """Raise ValueError unless all counts were counted alike."""
    first = settings_of(parts[0])
    for part in parts[1:]:
        other = settings_of(part)
        for key, value in first.items():
            if other[key] != value:
                raise ValueError(
                    f"counts with {key}={value!r} and {key}={other[key]!r} do not add; "
                    "count all parts alike"
                )


def total_dropped(parts: Sequence[ScoreCounts]) -> Dropped | None:
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

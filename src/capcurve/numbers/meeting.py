"""How scores of different types meet: samples in one type, and numbers rounded to that of scores.

What was 0.7 is another number in 32 bits than in 64, so whatever compares two samples, or a number
with scores, brings both into one type here.
"""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.arguments import arg, as_number, refused, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.numbers.types import Array


def rounded_to(numbers: Any, dtype: np.dtype[Any]) -> Array:
    """Return numbers rounded to the type of the scores that they meet, as NumPy rounds them.

    Whole scores round nothing, and what is no number stays as it is.

    >>> rounded_to([0.7, 1], np.dtype(np.float32)).tolist(), rounded_to(0.5, np.dtype(int)).item()
    ([0.699999988079071, 1.0], 0.5)
    """
    found = np.asarray(numbers)
    if dtype.kind != "f":
        return found
    if found.dtype == object and all(isinstance(each, Real | Decimal) for each in found.flat):
        floats = [as_number(each, "what meets scores") for each in found.flat]
        found = np.array(floats).reshape(found.shape)
    if found.dtype.kind not in "iuf":
        return found
    with np.errstate(over="ignore"):
        return found.astype(dtype)


def as_written(scores: Any) -> Any:
    """Return scores for people: narrow floats as those of 64 bits that are written as they are.

    >>> as_written(np.array([0.7, 0.1], np.float32)).tolist()
    [0.7, 0.1]
    """
    if scores.dtype.kind != "f" or scores.dtype == np.float64:
        return scores
    return scores.astype(str).astype(np.float64)


def common_dtype(arrays: Sequence[Array]) -> np.dtype[Any]:
    """Return the type in which scores of several samples meet, or raise ValueError.

    Floats meet in the narrowest type, which has to keep all scores of each sample apart; whole
    numbers lose no digit.
    """
    dtypes = {array.dtype for array in arrays if len(array)} or {a.dtype for a in arrays}
    if len(dtypes) <= 1:
        return next(iter(dtypes), np.dtype(np.float64))
    floats = [dtype for dtype in dtypes if dtype.kind == "f"]
    known = [min(floats, key=lambda dtype: dtype.itemsize)] if floats else []
    whole = np.result_type(*(np.uint8 if dtype.kind == "b" else dtype for dtype in dtypes))
    # Signed and unsigned numbers of 64 bits have a float in common.
    wanted = known or [whole, np.dtype(np.int64), np.dtype(np.uint64)]
    for dtype in wanted:
        lost = [said for array in arrays if (said := _lost(dtype, array))]
        if not lost:
            return dtype
    kinds = " and ".join(sorted(map(str, dtypes)))
    raise ValueError(
        f"scores of types {kinds} do not meet: {lost[0]}; cast them to one type before counting, "
        f"or count with {arg('resolution')}, such as 1e-4"
    )


def met(arrays: Sequence[Array]) -> list[Array]:
    """Return the scores of several samples in the one type in which they meet; words stay."""
    if any(array.dtype == object for array in arrays):
        return list(arrays)
    dtype = common_dtype(arrays)
    return [array.astype(dtype, copy=False) for array in arrays]


def _lost(dtype: np.dtype[Any], array: Array) -> str:
    """Return what scores would lose in a type; nothing where it keeps them apart."""
    if not len(array) or array.dtype == dtype:
        return ""
    if array.dtype.kind == "f":
        return _together(dtype, array)
    low, high = int(array.min()), int(array.max())
    if dtype.kind == "f":
        small = max(-low, high) <= 2**53
        with np.errstate(over="ignore"):
            kept = small and np.array_equal(array.astype(dtype), array)
    else:
        kept = np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max
    return "" if kept else f"whole scores up to {max(-low, high)} would be rounded in {dtype}"


def _together(dtype: np.dtype[Any], array: Array) -> str:
    """Return which scores a narrower float does not keep apart, if any."""
    if dtype.kind == "f" and dtype.itemsize >= array.dtype.itemsize:
        return ""
    ordered = np.sort(array)
    with np.errstate(over="ignore", invalid="ignore"):
        near = ordered.astype(dtype)
        mirrored = 2 * ordered.astype(np.float64) - near
        halfway = np.flatnonzero((mirrored != near) & (mirrored.astype(dtype) == mirrored))
    if (np.isinf(near) & np.isfinite(ordered)).any():
        return f"a score is beyond the largest {dtype}"
    alike = np.flatnonzero((near[1:] == near[:-1]) & (ordered[1:] != ordered[:-1]))
    if len(alike):
        pair = as_written(ordered[alike[0] : alike[0] + 2]).tolist()
        return " and ".join(map(repr, pair)) + f" are one score in {dtype}"
    # What was rounded to its own type before would be rounded twice.
    if len(halfway) and array.dtype != np.float64:
        return f"{as_written(ordered[halfway[0]])} is halfway between two scores in {dtype}"
    return ""


def selected_at(counts: Any, threshold: Any, name: str = "threshold") -> int:
    """Return how many distinct scores stand on the selected side of a cut-off."""
    # Python compares whole numbers and fractions of any size exactly, which arrays of floats do
    # not; a binary search needs few such comparisons.
    if counts.levels is not None:
        if isinstance(threshold, np.ndarray) or threshold not in counts.levels:
            raise ValueError(
                f"{refused(name)} be a grade; {told(threshold)} is not among the grades "
                f"{list(counts.levels)}"
            )
        code = len(counts.levels) - 1 - counts.levels.index(threshold)
        return int((counts.score >= code).sum())
    low, high, scores = 0, len(counts), counts.thresholds
    cuts = rounded_to(threshold, scores.dtype)
    cut = math.nan if cuts.ndim else cuts.item()
    if isinstance(cut, str) or cut != cut:  # noqa: PLR0124 - NaN
        raise ValueError(f"{refused(name)} be a score, got {told(threshold)}")
    try:
        while low < high:
            middle = (low + high) // 2
            score = scores[middle]
            score = score.item() if isinstance(score, np.generic) else score
            inside = score >= cut if counts.higher_is == "positive" else score <= cut
            low, high = (middle + 1, high) if inside else (low, middle)
    except (TypeError, ValueError):
        raise ValueError(f"{refused(name)} be a score, got {told(threshold)}") from None
    return low

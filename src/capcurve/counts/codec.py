"""Counts written down: a fingerprint, and values for JSON; `decoding` reads these again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import LARGEST_EXACT_IN_FLOAT
from capcurve.counts.exact import BLOCK
from capcurve.counts.fingerprints import Fingerprint
from capcurve.counts.plain import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts.joint import JointCounts
    from capcurve.counts.score_counts import ScoreCounts
    from capcurve.counts.settings import Weights

FORMAT = "capcurve/score-counts"
VERSION = 1


def settings_of(counts: ScoreCounts | JointCounts) -> dict[str, object]:
    """Return what must be equal for counts to be comparable."""
    return {
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "weight_kind": counts.weight_kind,
        "weighted": counts.weights is not None,
    }


def stream_settings(higher_is: str, resolution: float | None) -> dict[str, object]:
    """Return the same of whole counts without grades, before there are any."""
    return {
        "higher_is": higher_is,
        "levels": None,
        "resolution": resolution,
        "weight_kind": None,
        "weighted": False,
    }


def canonical(score: NDArray[Any]) -> NDArray[Any]:
    """Return scores in the one type their values have everywhere: 1, 1.0 and True are equal."""
    if not len(score):
        return np.zeros(0)
    if score.dtype.kind in "fb":
        wide = score.astype(np.float64)
        return wide.astype(np.int64) if _large_integers(wide) else wide
    low, high = int(score.min()), int(score.max())
    if low >= -LARGEST_EXACT_IN_FLOAT and high <= LARGEST_EXACT_IN_FLOAT:
        return score.astype(np.float64)
    return score.astype(np.int64 if high <= np.iinfo(np.int64).max else np.uint64)


def _large_integers(wide: NDArray[np.float64]) -> bool:
    """Return whether floats are such whole numbers as integers would not hold as floats."""
    largest = np.abs(wide).max()
    return bool(LARGEST_EXACT_IN_FLOAT < largest < 2.0**63 and (wide == np.floor(wide)).all())


def same_scores(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two arrays hold the same scores, by value."""
    first, second = canonical(one), canonical(other)
    return first.dtype == second.dtype and np.array_equal(first, second)


def digest(counts: ScoreCounts) -> str:
    """Return the SHA-256 of the canonical cells and settings, as 64 hexadecimal digits."""
    found, weights = Fingerprint("i8" if counts.is_whole else "f8"), counts.weights
    columns, rows = [counts.score, counts.positives, counts.negatives], {}
    if weights is not None:
        columns += [weights.positive_roots, weights.negative_roots]
        rows = {"rows": [weights.positive_rows, weights.negative_rows]}
    for start in range(0, len(counts), BLOCK):
        cells = slice(start, start + BLOCK)
        found.add(*(column[cells] for column in columns))
    return found.hexdigest({**settings_of(counts), **rows})


def to_dict(counts: ScoreCounts) -> dict[str, Any]:
    """Return the counts as values that strict JSON can hold."""
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "digest": counts.digest(),
        "higher_is": counts.higher_is,
        "levels": None if counts.levels is None else list(counts.levels),
        "resolution": counts.resolution,
        "dtype": counts.score.dtype.name,
        "score": counts.score,
        "positives": counts.positives,
        "negatives": counts.negatives,
        "weights": None if counts.weights is None else _weights_dict(counts.weights),
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "groups": None if counts.groups is None else [to_dict(part) for part in counts.groups],
    }
    written: dict[str, Any] = plain(saved)
    return written


def _weights_dict(weights: Weights) -> dict[str, object]:
    return {
        "kind": weights.kind,
        "positive_rows": weights.positive_rows,
        "negative_rows": weights.negative_rows,
        "positive_roots": weights.positive_roots,
        "negative_roots": weights.negative_roots,
    }

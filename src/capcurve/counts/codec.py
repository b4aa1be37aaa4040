"""Counts written down: a fingerprint, and values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import LARGEST_EXACT_IN_FLOAT
from capcurve.counts.exact import BLOCK
from capcurve.counts.fingerprints import Fingerprint
from capcurve.counts.plain import number, plain
from capcurve.counts.settings import Dropped, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.counts.score_counts import ScoreCounts

FORMAT = "capcurve/score-counts"
VERSION = 1


def settings_of(counts: ScoreCounts) -> dict[str, object]:
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
    found = Fingerprint("i8" if counts.is_whole else "f8")
    for start in range(0, len(counts), BLOCK):
        cells = slice(start, start + BLOCK)
        found.add(counts.score[cells], counts.positives[cells], counts.negatives[cells])
    return found.hexdigest(settings_of(counts))


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


def from_dict(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `ScoreCounts.from_ascending` that `to_dict` wrote down."""
    if saved.get("format") != FORMAT or saved.get("version") != VERSION:
        raise ValueError(
            f"expected format {FORMAT!r} version {VERSION}, got {saved.get('format')!r} "
            f"version {saved.get('version')!r}"
        )
    score = np.array([number(item) for item in saved["score"]], dtype=saved["dtype"])
    ascending = slice(None, None, -1 if saved["higher_is"] == "positive" else 1)
    weights, levels, dropped = saved.get("weights"), saved.get("levels"), saved.get("dropped")
    return {
        "score": score[ascending],
        "positives": _sums(saved["positives"], weighted=weights is not None)[ascending],
        "negatives": _sums(saved["negatives"], weighted=weights is not None)[ascending],
        "weights": None if weights is None else _weights(weights, ascending),
        "higher_is": saved["higher_is"],
        "levels": None if levels is None else tuple(levels),
        "resolution": saved.get("resolution"),
        "dropped": None if dropped is None else Dropped(**dropped),
    }


def _sums(saved: list[Any], *, weighted: bool) -> NDArray[Any]:
    values = [number(item) for item in saved]
    whole = not weighted and all(isinstance(item, int) for item in values)
    return np.array(values, dtype=np.int64 if whole else np.float64)


def _weights_dict(weights: Weights) -> dict[str, object]:
    return {
        "kind": weights.kind,
        "positive_rows": weights.positive_rows,
        "negative_rows": weights.negative_rows,
        "positive_roots": weights.positive_roots,
        "negative_roots": weights.negative_roots,
    }


def _weights(saved: Mapping[str, Any], ascending: slice) -> Weights:
    return Weights(
        saved["kind"],
        saved["positive_rows"],
        saved["negative_rows"],
        np.array(saved["positive_roots"], dtype=np.float64)[ascending],
        np.array(saved["negative_roots"], dtype=np.float64)[ascending],
    )

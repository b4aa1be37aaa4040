"""Sums of squared weights per cell, kept as roots so that no size of weight overflows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import run_starts
from capcurve.counts.settings import Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def root_sums(values: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the square root of the sum of squares over each run of `values`.

    The largest value is scaled to one first: 1e300 has no square in floating point.
    """
    largest = values.max(initial=0.0)
    if not len(starts) or largest == 0:
        return np.zeros(len(starts))
    if len(starts) == len(values):
        return values.copy()
    scale = 2.0 ** np.floor(np.log2(largest))
    scaled = values / scale
    roots: NDArray[np.float64] = np.sqrt(np.add.reduceat(scaled * scaled, starts)) * scale
    return roots


def take(weights: Weights | None, picked: Any) -> Weights | None:
    """Return the weights of the picked cells."""
    if weights is None:
        return None
    return Weights(
        weights.kind,
        weights.positive_rows,
        weights.negative_rows,
        weights.positive_roots[picked],
        weights.negative_roots[picked],
    )


def merged(score: NDArray[Any], parts: Sequence[Weights | None]) -> Weights | None:
    """Return the weights of merged cells; `score` is that of all parts, one after another.

    Counts that came without a memory of their rows make the whole come without one.
    """
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    order = np.argsort(score, kind="stable")
    starts = run_starts(score[order])
    positive = np.concatenate([part.positive_roots for part in known])[order]
    negative = np.concatenate([part.negative_roots for part in known])[order]
    return Weights(
        known[0].kind,
        sum(part.positive_rows for part in known),
        sum(part.negative_rows for part in known),
        root_sums(positive, starts),
        root_sums(negative, starts),
    )

"""Sums of squared weights per cell, kept as roots so that no size of weight overflows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import powers_of_two, run_sums, runs_of_several
from capcurve.counts.settings import Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def root_sums(
    values: NDArray[np.float64],
    starts: NDArray[np.intp],
    times: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return the square root of the sum of squares over each run of `values`.

    Squares are kept to 48 bits, which their roots give back: whole weights then add up exactly
    whichever of them were added first, and the order within a run never matters. A weight that
    is alone in its run is its own root.

    Parameters
    ----------
    values
        Weights or roots, zero or more, shape (n,).
    starts
        Where each run starts, shape (m,).
    times
        How many rows each weight stands for; one each when left out.
    """
    if times is None:
        roots = values[starts]
        tied, inside, begins, _ = runs_of_several(values, starts, None)
        if len(tied):
            roots[tied] = _roots_of_several(inside, begins, None)
        return roots
    return _roots_of_several(values, starts, times) if len(starts) else np.zeros(0)


def _roots_of_several(
    values: NDArray[np.float64], starts: NDArray[np.intp], times: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    largest = np.maximum.reduceat(values, starts)
    # The largest of a run is scaled to about one: 1e300 has no square in floating point.
    scale = powers_of_two(largest)
    scaled = values / np.repeat(scale, np.diff(starts, append=len(values)))
    sums = run_sums(_to_48_bits(scaled * scaled), starts, times)
    carrying = values > 0
    alone = np.add.reduceat(carrying if times is None else carrying * times, starts, dtype=np.int64)
    return np.where(alone == 1, largest, np.sqrt(_to_48_bits(sums)) * scale)


def _to_48_bits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round floats of 53 bits to 48 (Dekker 1971)."""
    shifted = values * (2.0**5 + 1)
    rounded: NDArray[np.float64] = shifted - (shifted - values)
    return rounded


def same(one: Weights | None, other: Weights | None) -> bool:
    """Return whether two weighted counts remember the same of their rows."""
    if one is None or other is None:
        return one is other
    return (
        (one.kind, one.positive_rows, one.negative_rows)
        == (other.kind, other.positive_rows, other.negative_rows)
        and np.array_equal(one.positive_roots, other.positive_roots)
        and np.array_equal(one.negative_roots, other.negative_roots)
    )


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


def joined(weights: Weights | None, starts: NDArray[np.intp]) -> Weights | None:
    """Return the weights of cells of which each run is put together."""
    if weights is None:
        return None
    return Weights(
        weights.kind,
        weights.positive_rows,
        weights.negative_rows,
        root_sums(weights.positive_roots, starts),
        root_sums(weights.negative_roots, starts),
    )


def merged(
    parts: Sequence[Weights | None], order: NDArray[np.intp], starts: NDArray[np.intp]
) -> Weights | None:
    """Return the weights of merged cells: those of all parts, in this order, by run.

    Counts that came without a memory of their rows make the whole come without one.
    """
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return Weights(
        known[0].kind,
        sum(part.positive_rows for part in known),
        sum(part.negative_rows for part in known),
        root_sums(np.concatenate([part.positive_roots for part in known])[order], starts),
        root_sums(np.concatenate([part.negative_roots for part in known])[order], starts),
    )

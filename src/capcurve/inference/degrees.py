"""How well a variance of an AUC is known itself: its degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.placements import deviations
from capcurve.inference.sizes import effective_sizes, rows_per_class, squared_masses
from capcurve.inference.variances import VarianceParts, variance_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranked, ScoreCounts


def degrees_of_freedom(counts: Ranked, parts: VarianceParts | None = None) -> float:
    """Return Satterthwaite's degrees of freedom of DeLong's variance; it must not be zero.

    Each class has as many as cases less one. Weighted classes have those of the spread of
    their squared influences, 2/(K - 1/n), K the share of fourth powers in the square of
    squares: a few heavy rows in unusual places say little about the variance they cause.
    """
    parts = parts or variance_parts(counts)
    freedom = _of_weights(counts) if counts.weights else (counts.n1 - 1, counts.n0 - 1)
    shares = ((parts.positives, freedom[0]), (parts.negatives, freedom[1]))
    return float(parts.total**2 / sum(part**2 / degrees for part, degrees in shares))


def _of_weights(counts: ScoreCounts) -> tuple[float, float]:
    masses, spread = squared_masses(counts), deviations(counts)
    sizes, rows = effective_sizes(counts), rows_per_class(counts)
    weights: Any = counts.weights
    return (
        _of_class(
            masses[0] * spread[0] ** 2,
            _alike(counts.positives, weights.positive_roots),
            sizes.positives,
            rows[0],
        ),
        _of_class(
            masses[1] * spread[1] ** 2,
            _alike(counts.negatives, weights.negative_roots),
            sizes.negatives,
            rows[1],
        ),
    )


def _alike(sums: NDArray[Any], roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many equally weighted rows each score's rows are like; 1 where there are none."""
    alike: NDArray[np.float64] = np.ones(len(sums))
    np.divide(sums, roots, out=alike, where=roots > 0)
    return alike**2


def _of_class(squares: NDArray[Any], alike: NDArray[np.float64], size: float, rows: int) -> float:
    most = float(rows - 1)
    total = float(squares.sum())
    if total <= 0:
        return most
    crowded = float(((squares / total) ** 2 / alike).sum()) - 1 / size
    return min(2 / crowded, most) if crowded > 0 else most

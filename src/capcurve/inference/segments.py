"""AUCs of several segments, how far each varies, and how much more they differ than that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.placements import deviations
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

# The spread within a segment is steadied by as much as this many cases of all segments.
BORROWED = 20


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """What is seen within each segment.

    Attributes
    ----------
    aucs
        Shape (G,).
    positives, negatives
        Sums of squared deviations of placements from the AUC, per class, shape (G,).
    n1, n0
        Cases of each class, shape (G,).
    """

    aucs: NDArray[np.float64]
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]
    n1: NDArray[np.float64]
    n0: NDArray[np.float64]

    def variances(self) -> NDArray[np.float64]:
        """Return DeLong's variance of each AUC, its two spreads steadied by those of all."""
        return _steadied(self.positives, self.n1) / self.n1 + (
            _steadied(self.negatives, self.n0) / self.n0
        )


def _steadied(squares: NDArray[np.float64], cases: NDArray[np.float64]) -> NDArray[np.float64]:
    free = cases - 1
    pooled = squares.sum() / max(float(free.sum()), 1.0)
    steadied: NDArray[np.float64] = (squares + BORROWED * pooled) / (free + BORROWED)
    return steadied


def heterogeneity(
    aucs: NDArray[np.float64], variances: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return Q = Σ(A - Ā)²/v, the common Ā and its standard error.

    Where nothing varies Q is zero, unless AUCs differ: then it is infinite.
    """
    if not variances.any():
        middle = float(aucs.mean())
        return (0.0 if np.ptp(aucs) == 0 else np.inf), middle, 0.0
    weights = 1 / np.maximum(variances, variances.max() * 1e-12)
    middle = float((weights * aucs).sum() / weights.sum())
    spread = float((weights * (aucs - middle) ** 2).sum())
    return spread, middle, float(weights.sum() ** -0.5)


def spreads_of(segments: Sequence[ScoreCounts]) -> Spreads:
    """Return what is seen within counts."""
    squares = []
    for counts in segments:
        over_positives, over_negatives = deviations(counts)
        squares.append(
            (
                float((counts.positives * over_positives**2).sum()),
                float((counts.negatives * over_negatives**2).sum()),
            )
        )
    sums = np.array(squares)
    sizes = np.array([[c.n1, c.n0] for c in segments], dtype=np.float64)
    aucs = np.array([roc_auc(counts) for counts in segments])
    return Spreads(aucs, sums[:, 0], sums[:, 1], sizes[:, 0], sizes[:, 1])


def spreads_of_cells(positives: NDArray[Any], negatives: NDArray[Any]) -> Spreads:
    """Return what is seen within segments of shape (G, K), most likely positive first."""
    n1, n0 = positives.sum(axis=1), negatives.sum(axis=1)
    captured, passed = np.cumsum(positives, axis=1), np.cumsum(negatives, axis=1)
    over_positives = 1 - (passed - negatives / 2) / n0[:, None]
    over_negatives = (captured - positives / 2) / n1[:, None]
    aucs = (positives * over_positives).sum(axis=1) / n1
    return Spreads(
        aucs,
        (positives * (over_positives - aucs[:, None]) ** 2).sum(axis=1),
        (negatives * (over_negatives - aucs[:, None]) ** 2).sum(axis=1),
        n1.astype(np.float64),
        n0.astype(np.float64),
    )

"""How each case moves the AUCs of several scores: what differences between them vary by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.placements import deviations
from capcurve.inference.sizes import (
    ClassSizes,
    effective_sizes,
    require_two,
    squared_masses,
)
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import JointCounts, ScoreCounts

# Sums of weights in another order differ by this much, and mean the same.
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What every joint cell does to the AUC of each score.

    Attributes
    ----------
    aucs
        AUC of each score, shape (S,).
    deviations
        Placements less the AUC, of positives and of negatives, shape (S, K) each.
    masses
        What their squares weigh in the variance, shape (K,) each; zero where a class is absent.
    sizes
        Effective cases of each class.
    exact
        Whether placements are whole numbers of pairs, so that equal means equal.
    """

    aucs: NDArray[np.float64]
    deviations: tuple[NDArray[np.float64], NDArray[np.float64]]
    masses: tuple[NDArray[Any], NDArray[Any]]
    sizes: ClassSizes
    exact: bool

    def along(self, contrast: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return L·A and L·S·L' of a contrast matrix L, shape (R, S).

        Squared after taking differences, so that scores which differ little lose no digits.
        """
        effects, spread = contrast @ self.aucs, np.zeros((len(contrast), len(contrast)))
        for mass, deviation in zip(self.masses, self.deviations, strict=True):
            moved = contrast @ deviation
            moved[np.abs(moved) <= ROUNDING] = 0
            spread += (moved * mass) @ moved.T
        effects[np.abs(effects) <= ROUNDING] = 0
        return effects, spread

    def between(self, first: int, second: int) -> tuple[float, float]:
        """Return the difference of two AUCs and its variance; both 0 for equal rankings."""
        difference = float(self.aucs[first] - self.aucs[second])
        variance, least = 0.0, 0.0 if self.exact else ROUNDING
        for mass, deviation in zip(self.masses, self.deviations, strict=True):
            moved = deviation[first] - deviation[second]
            moved[np.abs(moved) <= least] = 0
            variance += float((mass * moved * moved).sum())
        return (difference if abs(difference) > least else 0.0), variance


def influence_of(joint: JointCounts) -> Influence:
    """Return how each cell moves the AUCs of scores counted together.

    Raises
    ------
    ValueError
        With fewer than two cases in a class, or when it is not known what one case is.
    """
    require_two(joint, "comparing scores on the same rows")
    margins = [joint.margin(name) for name in joint.names]
    placed = [
        _in_cells(values, margin) for values, margin in zip(joint.scores, margins, strict=True)
    ]
    sizes, masses = effective_sizes(joint), squared_masses(joint)
    weighted = joint.weights is not None
    # DeLong divides by n - 1; weights take the infinitesimal jackknife.
    factors = [1.0 if weighted else n / (n - 1) for n in (sizes.positives, sizes.negatives)]
    return Influence(
        np.array([roc_auc(margin) for margin in margins]),
        (np.array([p for p, _ in placed]), np.array([n for _, n in placed])),
        (masses[0] * factors[0], masses[1] * factors[1]),
        sizes,
        not weighted,
    )


def _in_cells(
    values: NDArray[Any], margin: ScoreCounts
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what each joint cell takes from the cells of one score."""
    ascending = slice(None, None, -1 if margin.higher_is == "positive" else 1)
    place = np.searchsorted(margin.score[ascending], values)
    over_positives, over_negatives = deviations(margin)
    return over_positives[ascending][place], over_negatives[ascending][place]

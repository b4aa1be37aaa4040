"""Limits of an AUC: Wald, logit, logit with Student's t, and Newcombe's fifth method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.inference.sizes import ClassSizes

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chance:
    """An AUC as the chance to win a pair, and that to lose it: each rounded once.

    Their sum is 1, but near 1 the chance to lose keeps digits that 1 - AUC has lost.
    """

    won: float
    lost: float


def wald(auc: Chance, se: float, quantile: float) -> Limits:
    """Return A ± quantile·se, which may lie outside [0, 1]."""
    return auc.won - quantile * se, auc.won + quantile * se


def logit(auc: Chance, se: float, quantile: float) -> Limits:
    """Return limits symmetric on the scale ln(A/(1 - A)); A must not be 0 or 1.

    Perme & Manevski (2019), Stat. Methods Med. Res. 28(12).
    """
    from scipy.special import expit

    middle = np.log(auc.won) - np.log(auc.lost)
    reach = quantile * se / auc.won / auc.lost
    return float(expit(middle - reach)), float(expit(middle + reach))


def newcombe(auc: Chance, sizes: ClassSizes, z: float) -> Limits:
    """Return the AUCs that lie z of their own standard errors away from the estimate.

    Newcombe (2006), Stat. Med. 25, 559-573, method 5; defined for an AUC of 0 or 1 too.
    """

    def too_far(distance: float, won: float, lost: float) -> bool:
        return distance**2 > z**2 * newcombe_variance(won, lost, sizes)

    # Each limit is sought by its distance from the nearer end, so that it keeps its digits.
    low = _crossing(lambda a: too_far(auc.won - a, a, 1 - a), auc.won)
    high = 1 - _crossing(lambda b: too_far(auc.lost - b, 1 - b, b), auc.lost)
    return low, high


def newcombe_variance(won: float, lost: float, sizes: ClassSizes) -> float:
    """Return the variance that exponential scores of such an AUC have, both classes pooled."""
    n1, n0 = sizes.positives, sizes.negatives
    extra = (n1 + n0) / 2 - 1
    spread = 1 + extra * (lost / (1 + lost) + won / (1 + won))
    return won * lost / n1 / n0 * spread


def _crossing(is_far: Callable[[float], bool], near: float) -> float:
    """Return the point in [0, near] up to which everything is far: bisected to the last bit."""
    low, high = 0.0, near
    if not is_far(low):
        return low
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_far(middle) else (low, middle)
    return low


def envelope(*several: Limits) -> Limits:
    """Return the smallest of the lower and the largest of the upper limits."""
    return min(low for low, _ in several), max(high for _, high in several)

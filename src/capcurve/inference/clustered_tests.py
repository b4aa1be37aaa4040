"""What tests of AUCs need when rows are clustered: spreads and laws from groups left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference import resampled
from capcurve.inference.exponential import careful_variance
from capcurve.inference.jackknife import LEAST_GROUPS, NOTHING, LeftOut, holding, leave_out
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

NO_SPREAD = (
    "leaving out groups of clusters shows no spread; the variance is that of Hanley & McNeil half "
    "a pair inside, for as many cases as groups"
)
FEW_GROUPS = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a weighted sum of AUCs, and how well it is known.

    Attributes
    ----------
    variance
        Above zero, or zero where nothing can differ.
    df
        Its degrees of freedom.
    method
        How it was found.
    notes
        What a reader must know.
    """

    variance: float
    df: float
    method: str
    notes: tuple[str, ...]


def aucs_left_out(several: Sequence[ScoreCounts]) -> LeftOut:
    """Return the AUCs of several clustered counts, without each group in turn.

    A group of the same number holds the same clusters in all of them, so it is left out of all
    at once: what they have in common, the same rows or the same obligors, is accounted for.
    """
    found = [_one(counts) for counts in several]
    exact = np.array([roc_auc(counts) for counts in several])
    groups = max(left.groups for left in found)
    positives, negatives = min(x.positives for x in found), min(x.negatives for x in found)
    moved = np.hstack([left.moved for left in found])
    return LeftOut(exact, moved, groups, positives, negatives)


def _one(counts: ScoreCounts) -> LeftOut:
    if min(holding(counts)) >= LEAST_GROUPS:
        return leave_out(counts, resampled.aucs)
    groups: Any = counts.groups
    full = sum(len(group) > 0 for group in groups)
    return LeftOut(np.zeros(1), np.zeros((len(groups), 1)), full, *holding(counts))


def spread_of(left: LeftOut, contrast: Sequence[float]) -> Spread:
    """Return the variance of a weighted sum of AUCs.

    Where no group moves it, and it is not zero by itself, the variance is a careful one.
    """
    alone = left.along(np.array([contrast], dtype=np.float64))
    variance, df = float(alone.covariance()[0, 0]), alone.freedom()
    notes = []
    if left.rarer < FEW_GROUPS:
        notes.append(f"only {left.rarer} groups of clusters hold the rarer class: approximate")
    if variance == 0 and (left.rarer < LEAST_GROUPS or abs(float(alone.whole[0])) > NOTHING):
        variance = careful(left, contrast)
        notes.append(NO_SPREAD)
    method = f"jackknife over {left.groups} groups of clusters"
    return Spread(variance, df, method, tuple(notes))


def careful(left: LeftOut, contrast: Sequence[float]) -> float:
    """Return the variance of a weighted sum as if each AUC were of as many cases as groups."""
    sizes = (max(left.positives, 1), max(left.negatives, 1))
    terms = zip(contrast, left.whole, strict=True)
    return sum(w**2 * careful_variance(float(auc), *sizes) for w, auc in terms)


def spread_of_one(counts: ScoreCounts) -> Spread:
    """Return the variance of the AUC of clustered counts."""
    return spread_of(aucs_left_out([counts]), (1.0,))


def spread_of_two(first: ScoreCounts, second: ScoreCounts) -> Spread:
    """Return the variance of the difference of two clustered AUCs, cluster by cluster."""
    return spread_of(aucs_left_out([first, second]), (1.0, -1.0))


def quadratic_law(statistic: float, rank: int, left: LeftOut) -> tuple[float, float]:
    """Return the p-value of a quadratic form in differences, and its denominator's freedom.

    Hotelling's T²: (ν - r + 1)/(ν·r)·Q is F(r, ν - r + 1), with ν one less than the groups that
    hold the rarer class.
    """
    from scipy.special import fdtrc

    known = max(left.rarer - 1, 1)
    rest = float(max(known - rank + 1, 1))
    if not rank:
        return 1.0, rest
    return float(fdtrc(rank, rest, statistic * rest / (known * rank))), rest


def rows_along(left: LeftOut, rows: NDArray[np.float64]) -> LeftOut:
    """Return what leaving out groups does to the rows of a contrast, rounding taken away."""
    moved = left.along(rows)
    effects = np.where(np.abs(moved.whole) <= NOTHING, 0.0, moved.whole)
    return replace(moved, whole=effects)

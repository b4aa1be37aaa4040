"""Placements: which share of the other class each case outranks, ties counting half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import BLOCK, LARGEST_INT64, class_blocks, cumulated, scaled
from capcurve.metrics import roc_auc
from capcurve.metrics.ranking import count_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """Where the cases of each score stand among the other class.

    Attributes
    ----------
    auc
        Their mean over either class: the AUC.
    positives
        V10: which share of negatives a positive at this score outranks, ties half, shape (K,).
    negatives
        V01: which share of positives outranks a negative at this score, ties half, shape (K,).
    """

    auc: float
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]


def placements(counts: ScoreCounts) -> Placements:
    """Return for every score which share of the other class a case there outranks.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    Placements
        One number per distinct score and class.

    Raises
    ------
    ValueError
        When a class is missing.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, there "structural components".

    Examples
    --------
    A positive at 4 outranks both negatives, at 3 one and a half, at 2 one, at 1 a half.

    >>> from capcurve import count_scores
    >>> found = placements(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> found.auc, found.positives.tolist()
    (0.75, [1.0, 0.75, 0.5, 0.25])
    """
    auc = roc_auc(counts)
    p, n = _shares(counts.positives), _shares(counts.negatives)
    return Placements(auc, _after(n) - n / 2, _upto(p) - p / 2)


def deviations(counts: ScoreCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return placements less the AUC, V10 - A and V01 - A per score, rounded once each.

    Taken from whole numbers of pairs, so that nothing cancels when the AUC is near 0 or 1.
    """
    parts = list(deviation_blocks(counts))
    return np.concatenate([d for d, _ in parts]), np.concatenate([d for _, d in parts])


def deviation_blocks(
    counts: ScoreCounts,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield V10 - A and V01 - A block by block, `BLOCK` scores at a time."""
    pairs = count_pairs(counts)
    if counts.is_whole and 2 * pairs.total <= LARGEST_INT64:
        yield from _whole_deviations(counts, 2 * pairs.won + pairs.tied, pairs.total)
        return
    over_positives, over_negatives = _wide_deviations(counts)
    for start in range(0, len(counts), BLOCK):
        cells = slice(start, start + BLOCK)
        yield over_positives[cells], over_negatives[cells]


def _whole_deviations(
    counts: ScoreCounts, won_twice: int, pairs: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    n1, n0 = counts.n1, counts.n0
    captured, passed = 0, 0
    for p, n in class_blocks(counts):
        tp, fp = np.cumsum(p), np.cumsum(n)
        tp += captured
        fp += passed
        captured, passed = int(tp[-1]), int(fp[-1])
        # Twice the negatives below, ties once, times n1: pairs as if all positives stood here.
        v10 = n - 2 * fp
        v10 += 2 * n0
        v10 *= n1
        v10 -= won_twice
        v01 = 2 * tp - p
        v01 *= n0
        v01 -= won_twice
        yield v10 / (2 * pairs), v01 / (2 * pairs)


def _wide_deviations(counts: ScoreCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the deviations of weights, and of pairs too many for 64 bits."""
    p, n = _shares(counts.positives), _shares(counts.negatives)
    lost10, lost01 = _upto(n) - n / 2, _after(p) - p / 2
    lost = (p * lost10).sum()
    if 2 * lost <= 1:
        return lost - lost10, lost - lost01
    # The smaller of won and lost keeps its digits: that side is subtracted.
    won10, won01 = _after(n) - n / 2, _upto(p) - p / 2
    won = (p * won10).sum()
    return won10 - won, won01 - won


def _shares(column: NDArray[Any]) -> NDArray[np.float64]:
    near_one = scaled(column)
    shares: NDArray[np.float64] = near_one / near_one.sum()
    return shares


def _upto(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each share and all before it."""
    return cumulated(shares)[1:]


def _after(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each share and all after it, added from the end."""
    return _upto(shares[::-1])[::-1]

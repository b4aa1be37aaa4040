"""What each case does to an AUC: which share of the other class it outranks, ties half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import BLOCK, LARGEST_INT64, class_blocks, cumulated, scaled
from capcurve.inference.designs import (
    LEAST_GROUPS,
    Estimates,
    in_few_cells,
    leave_out,
    left_out,
)
from capcurve.inference.sizes import (
    ClassSizes,
    effective_sizes,
    groups_per_class,
    require_two,
    squared_masses,
)
from capcurve.inference.statistics import aucs
from capcurve.metrics import roc_auc
from capcurve.metrics.ranking import count_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.counts.types import Array, Floats
    from capcurve.inference.designs import LeftOut

# Sums of weights in another order differ by this much, and mean the same.
ROUNDING = 1e-14


def deviations(counts: ScoreCounts) -> tuple[Floats, Floats]:
    """Return placements less the AUC, V10 - A and V01 - A per score, rounded once each.

    V10 is which share of negatives a positive at this score outranks, ties half, and V01 which
    share of positives outranks a negative: the "structural components" of DeLong, DeLong &
    Clarke-Pearson (1988), Biometrics 44, whose mean over either class is the AUC. Taken from whole
    numbers of pairs, so that nothing cancels when the AUC is near 0 or 1.

    Examples
    --------
    A positive at 4 outranks both negatives, at 3 one and a half, at 2 one, at 1 a half.

    >>> from capcurve import count_scores
    >>> (0.75 + deviations(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))[0]).tolist()
    [1.0, 0.75, 0.5, 0.25]
    """
    parts = list(deviation_blocks(counts))
    return np.concatenate([d for d, _ in parts]), np.concatenate([d for _, d in parts])


def deviation_blocks(
    counts: ScoreCounts,
) -> Iterator[tuple[Floats, Floats]]:
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
) -> Iterator[tuple[Floats, Floats]]:
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


def _wide_deviations(counts: ScoreCounts) -> tuple[Floats, Floats]:
    """Return the same of weights, and of pairs too many for 64 bits."""
    p, n = _shares(counts.positives), _shares(counts.negatives)
    lost10, lost01 = _upto(n) - n / 2, _after(p) - p / 2
    lost = (p * lost10).sum()
    if 2 * lost <= 1:
        return lost - lost10, lost - lost01
    # The smaller of won and lost keeps its digits: that side is subtracted.
    won10, won01 = _after(n) - n / 2, _upto(p) - p / 2
    won = (p * won10).sum()
    return won10 - won, won01 - won


def _shares(column: Array) -> Floats:
    near_one = scaled(column)
    shares: Floats = near_one / near_one.sum()
    return shares


def _upto(shares: Floats) -> Floats:
    """Return the sum of each share and all before it."""
    return cumulated(shares)[1:]


def _after(shares: Floats) -> Floats:
    """Return the sum of each share and all after it, added from the end."""
    return _upto(shares[::-1])[::-1]


def auc_estimates(joint: JointCounts) -> Estimates:
    """Return the AUCs of several scores of the same rows, and how far chance moves them.

    Independent rows move them by their placements less the AUC: DeLong, DeLong & Clarke-Pearson
    (1988), Biometrics 44, eq. 5; with sampling or exposure weights the robust infinitesimal
    jackknife. Of clustered rows groups of clusters are left out.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1, 0], {"new": [4, 3, 2, 1], "old": [4, 3, 2, 1]})
    >>> auc_estimates(joint).covariance().tolist()
    [[0.125, 0.125], [0.125, 0.125]]
    """
    margins = [joint.margin(name) for name in joint.names]
    if joint.groups is not None:
        return aucs_left_out(margins)
    require_two(joint, "comparing scores on the same rows")
    cells = zip(joint.scores, margins, strict=True)
    placed = [_in_cells(values, margin) for values, margin in cells]
    sizes, masses = effective_sizes(joint), squared_masses(joint)
    rounding = ROUNDING
    if joint.weights is None:
        # DeLong divides by n - 1; weights take the infinitesimal jackknife.
        n1, n0 = sizes.positives, sizes.negatives
        masses = (masses[0] * (n1 / (n1 - 1)), masses[1] * (n0 / (n0 - 1)))
        # Placements are whole numbers of half pairs: what is less than a part of one is rounding.
        rounding = min(ROUNDING, 1 / (8 * n1 * n0))
    return Estimates(
        np.array([roc_auc(margin) for margin in margins]),
        (np.array([p for p, _ in placed]), np.array([n for _, n in placed])),
        masses,
        sizes,
        rounding,
        "DeLong",
    )


def _in_cells(values: Array, margin: ScoreCounts) -> tuple[Floats, Floats]:
    """Return what each joint cell takes from the cells of one score."""
    ascending = slice(None, None, -1 if margin.higher_is == "positive" else 1)
    place = np.searchsorted(margin.score[ascending], values)
    over_positives, over_negatives = deviations(margin)
    return over_positives[ascending][place], over_negatives[ascending][place]


def aucs_left_out(several: Sequence[ScoreCounts]) -> LeftOut:
    """Return the AUCs of several clustered counts, without each group in turn.

    A group of the same number holds the same clusters in all of them, so it is left out of all
    at once: what they have in common, the same rows or the same obligors, is accounted for.
    """
    found = [_auc_left_out(counts) for counts in several]
    held = ClassSizes(
        min(left.sizes.positives for left in found), min(left.sizes.negatives for left in found)
    )
    return left_out(
        np.array([roc_auc(counts) for counts in several]),
        np.hstack([left.moves[0].T for left in found]),
        max(left.groups for left in found),
        held,
    )


def _auc_left_out(counts: ScoreCounts) -> LeftOut:
    held = groups_per_class(counts)
    if held.rarer >= LEAST_GROUPS:
        return leave_out(in_few_cells(counts), aucs)
    groups: Sequence[ScoreCounts] = counts.groups or ()
    full = sum(len(group) > 0 for group in groups)
    return left_out(np.zeros(1), np.zeros((len(groups), 1)), full, held)

"""Sums behind the AUC and its variance, exactly, in few passes over the cells.

Each block is summed from its own start, so that numbers stay small; what came before it is
added in Python integers. Where each cell holds one case, the places of the positives say it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals
from capcurve.counts.exact import class_blocks, exact_dot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from capcurve.counts import Ranked, ScoreCounts

# So many cells are looked through for positives at once.
STRETCH = 1 << 19
LARGEST_SQUARED = 2**30


def pair_sums(counts: ScoreCounts) -> tuple[int, int]:
    """Return how many pairs of a positive and a negative are not won, and how many are tied."""
    if _one_case_each(counts):
        return sum(int(passed.sum()) for _, passed in _positives_alone(counts)), 0
    not_won = tied = passed = 0
    for p, n in class_blocks(counts):
        upto = np.cumsum(n)
        not_won += passed * int(p.sum()) + exact_dot(p, upto)
        tied += exact_dot(p, n)
        passed += int(upto[-1])
    return not_won, tied


def square_sums(counts: Ranked) -> tuple[int, int]:
    """Return Σ v² over positives and Σ u² over negatives, of which the variance is made.

    v is twice the negatives that a positive outranks, u twice the positives that outrank a
    negative, ties counting once.
    """
    if isinstance(counts, RankTotals):
        return counts.positive_squares, counts.negative_squares
    return _squares_alone(counts) if _one_case_each(counts) else _squares_of_cells(counts)


def _one_case_each(counts: ScoreCounts) -> bool:
    return bool(counts.n == len(counts))


def _positives_alone(counts: ScoreCounts) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield how many positives came before, and the negatives above each positive of a stretch."""
    before = 0
    for start in range(0, len(counts), STRETCH):
        stretch = counts.positives[start : start + STRETCH]
        passed = np.flatnonzero(stretch.view(np.bool_) if stretch.itemsize == 1 else stretch)
        passed += start - before
        passed -= np.arange(len(passed))
        yield before, passed
        before += len(passed)


def _squares_alone(counts: ScoreCounts) -> tuple[int, int]:
    """Sum over positives alone: the j-th of them adds 2j - 1 to the square of those below it."""
    of_positives = of_negatives = 0
    for before, passed in _positives_alone(counts):
        if not len(passed):
            continue
        # In what the stretch adds to the negatives passed before it.
        least, here = int(passed[0]), len(passed)
        extra = passed - least
        outranked = int(counts.n0) - least
        total = int(extra.sum())
        of_positives += outranked**2 * here - 2 * outranked * total + exact_dot(extra, extra)
        rank = np.arange(1, 2 * here, 2)
        of_negatives += outranked * (here**2 + 2 * before * here)
        of_negatives -= exact_dot(rank, extra) + 2 * before * total
    return 4 * of_positives, 4 * of_negatives


def _squares_of_cells(counts: ScoreCounts) -> tuple[int, int]:
    of_positives = of_negatives = 0
    below, above = 2 * int(counts.n0), 0
    for p, n in class_blocks(counts):
        here_p, here_n = int(p.sum()), int(n.sum())
        passed, captured = 2 * np.cumsum(n) - n, 2 * np.cumsum(p) - p
        of_positives += below**2 * here_p - 2 * below * exact_dot(p, passed)
        of_negatives += above**2 * here_n + 2 * above * exact_dot(n, captured)
        of_positives += _square_dot(p, passed)
        of_negatives += _square_dot(n, captured)
        below -= 2 * here_n
        above += 2 * here_p
    return of_positives, of_negatives


def _square_dot(cases: NDArray[np.int64], numbers: NDArray[np.int64]) -> int:
    """Return Σ cases·numbers²; in Python integers where squares do not fit into 64 bits."""
    if int(numbers.max()) <= LARGEST_SQUARED:
        return exact_dot(cases, numbers**2)
    wide: Any = numbers.astype(object)
    return int((cases.astype(object) * wide * wide).sum())

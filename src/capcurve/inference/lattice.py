"""Lattice paths: the exact chance that dealing the labels anew opens a gap as wide as seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Alternative = Literal["two-sided", "greater", "less"]
# Work grows with the cases times the rarer class: about a second here.
EXACT_CASES = 10_000
# Work still bearable when it is asked for: some ten seconds.
MOST_CASES = 100_000


def gap_chances(
    ties: NDArray[np.int64], n1: int, gaps: Sequence[int], alternative: Alternative
) -> NDArray[np.float64]:
    """Return how often labels dealt at random open each gap, or a wider one.

    Cases are dealt one after another; a path is caught at the first end of a tie where the
    gap is wide enough, and what is caught is added up: small chances keep all their digits.

    Parameters
    ----------
    ties
        How many cases share each score, in the order of the scores.
    n1
        How many of them are positive.
    gaps
        Gaps c·n0 - d·n1 above zero: c of n1 positives and d of n0 negatives captured.
    alternative
        "greater": positives lead by the gap; "less": negatives do; "two-sided": either.

    Returns
    -------
    ndarray
        One chance per gap.

    Notes
    -----
    Schröer & Trenkler (1995), Computational Statistics & Data Analysis 20, for ties; the
    law given class and tie sizes.

    Examples
    --------
    Two positives, two negatives, no ties: 2 of the 6 orders separate them, a gap of 4 pairs.

    >>> gap_chances(np.array([1, 1, 1, 1]), 2, [4, 2], "two-sided").round(12).tolist()
    [0.333333333333, 1.0]
    """
    n = int(ties.sum())
    rarer, sign = (n1, 1) if 2 * n1 <= n else (n - n1, -1)
    wanted = np.asarray(gaps, dtype=np.int64)[:, None]
    chance = np.zeros((len(wanted), rarer + 1))
    chance[:, 0] = 1.0
    caught, drawn = np.zeros(len(wanted)), np.arange(rarer + 1)
    ends = np.zeros(n + 1, dtype=bool)
    ends[np.cumsum(ties)] = True
    low, high = 0, 0  # where paths still are
    for dealt in range(1, n + 1):
        high = min(high + 1, rarer)
        paths, here = chance[:, low : high + 1], drawn[low : high + 1]
        up = paths * ((rarer - here) / (n - dealt + 1))
        paths -= up
        paths[:, 1:] += up[:, :-1]
        if ends[dealt]:
            # c·n0 - d·n1 is c·n - (c + d)·n1, and so the other way round for the other class.
            out = _beyond(sign * (here * n - dealt * rarer), wanted, alternative)
            caught += np.where(out, paths, 0.0).sum(axis=1)
            paths[out] = 0.0
            left = np.flatnonzero(~out.all(axis=0))
            if not len(left):
                break
            low, high = low + int(left[0]), low + int(left[-1])
    return caught


def _beyond(gap: NDArray[Any], wanted: NDArray[Any], alternative: Alternative) -> NDArray[np.bool_]:
    if alternative == "less":
        gap = -gap
    out: NDArray[np.bool_] = (np.abs(gap) if alternative == "two-sided" else gap) >= wanted
    return out

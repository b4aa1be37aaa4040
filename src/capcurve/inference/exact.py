"""Exact laws of labels dealt at random: of the widest gap between classes, and of the rank sum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.arguments import as_open_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Bools, Floats, Ints


Alternative = Literal["two-sided", "greater", "less"]
# Work grows with the cases times the rarer class: about a second here.
EXACT_CASES = 10_000
# Work still bearable when it is asked for: some ten seconds.
MOST_CASES = 100_000
# Cases times the rarer class; work grows with its square, and takes a tenth of a second here.
EXACT_SIZE = 10_000
# Beyond this the table of ways does not fit into memory.
LARGEST_EXACT_SIZE = 100_000
# As many candidates are looked at together, so that a search needs few walks.
CANDIDATES = 16
# Beyond this the limiting law has set in, and that of one sample takes seconds.
FEW_AGAINST_MANY = 2000


def gap_chances(ties: Ints, n1: int, gaps: Sequence[int], alternative: Alternative) -> Floats:
    """Return how often labels dealt at random open each gap, or a wider one.

    `ties` are the cases at each score, in order; gaps are c·n0 - d·n1 above zero, c of n1 positives
    and d of n0 negatives captured; "greater": positives lead by the gap, "less": negatives do.
    Cases are dealt one after another; a path is caught at the first end of a tie where the gap is
    wide enough, and what is caught is added up: small chances keep all their digits. Schröer &
    Trenkler (1995), Computational Statistics & Data Analysis 20: the law given class and tie sizes.

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


def _beyond(gap: Array, wanted: Array, alternative: Alternative) -> Bools:
    if alternative == "less":
        gap = -gap
    out: Bools = (np.abs(gap) if alternative == "two-sided" else gap) >= wanted
    return out


def smirnov_critical_value(n: int, n1: int, alpha: float = 0.05) -> float | None:
    """Return the smallest gap between classes that chance reaches at most that often.

    Parameters
    ----------
    n
        All cases; none tied.
    n1
        Positives among them.
    alpha
        How often labels dealt at random may open such a gap or a wider one.

    Returns
    -------
    float or None
        A value of the two-sided KS statistic; exact up to 10,000 cases, from the asymptotic
        law beyond. None when even perfect separation is more frequent than alpha.

    Raises
    ------
    ValueError
        When a class has no cases or alpha lies outside (0, 1).

    Notes
    -----
    Smirnov's two-sample law. With ties the true frequency is at most alpha.

    Examples
    --------
    Of the 10 orders of 3 positives and 2 negatives, 2 separate them perfectly: 20%.

    >>> print(smirnov_critical_value(5, 3, 0.05))
    None
    >>> smirnov_critical_value(20, 6, 0.05) == 9 / 14
    True
    """
    n0 = _negatives(n, n1, alpha)
    if n > EXACT_CASES:
        return _asymptotic_critical_value(n1, n0, alpha)
    frequent = _widest_frequent_gap(n1, n0, alpha)
    if frequent == n1 * n0:
        return None
    return _next_gap(frequent + math.gcd(n1, n0), n1, n0) / (n1 * n0)


def smirnov_reach(n: int, n1: int, alpha: float = 0.05) -> float:
    """Return the smallest gap between classes that chance exceeds at most that often.

    The widest gap below `smirnov_critical_value`, whose arguments it takes; the same value where
    the law is that of large samples. 1 where even perfect separation is more frequent.

    Examples
    --------
    Of the 20 orders of 3 positives and 3 negatives 2 open the gap 1, 10 one of 2/3 or more.

    >>> round(smirnov_reach(6, 3, 0.1), 9)
    0.666666667
    """
    n0 = _negatives(n, n1, alpha)
    if n > EXACT_CASES:
        gap = _asymptotic_critical_value(n1, n0, alpha)
        return 1.0 if gap is None else gap
    return _widest_frequent_gap(n1, n0, alpha) / (n1 * n0)


def _negatives(n: int, n1: int, alpha: float) -> int:
    as_open_share(alpha, "alpha")
    if not 0 < n1 < n:
        raise ValueError(f"need cases of both classes, got {n1} positives among {n}")
    return n - n1


def _asymptotic_critical_value(n1: int, n0: int, alpha: float) -> float | None:
    """Return the smaller of two bounds: Kolmogorov's, and that of few cases against very many."""
    from scipy.special import kolmogi, smirnovi

    size = n1 * n0 / (n1 + n0)
    many = float(kolmogi(alpha)) / math.sqrt(size)
    if size > FEW_AGAINST_MANY:
        return many
    few = float(smirnovi(max(1, math.floor(size)), alpha / 2)) + 2 / max(n1, n0)
    gap = min(many, few)
    return gap if gap <= 1 else None


def _widest_frequent_gap(n1: int, n0: int, alpha: float) -> int:
    """Return the widest gap in pairs that labels dealt at random reach more often than alpha."""
    step = math.gcd(n1, n0)
    ties = np.ones(n1 + n0, dtype=np.int64)
    below, above = 0, n1 * n0 // step  # in steps: too frequent; rare enough, if any is
    if gap_chances(ties, n1, [above * step], "two-sided")[0] > alpha:
        return above * step
    # The large-sample law is near: looking there first keeps paths, and so work, few.
    near = (_asymptotic_critical_value(n1, n0, alpha) or 1.0) * above
    ends = (max(1.0, 0.8 * near), min(1.05 * near, above - 1.0))
    while above - below > 1:
        middle = np.unique(np.linspace(*ends, CANDIDATES).astype(np.int64))
        middle = middle[(middle > below) & (middle < above)]
        rare = gap_chances(ties, n1, (middle * step).tolist(), "two-sided") <= alpha
        first = int(np.argmax(rare)) if rare.any() else len(rare)
        above = int(middle[first]) if rare.any() else above
        below = int(middle[first - 1]) if first else below
        ends = (below + 1.0, above - 1.0)
    return below * step


def _next_gap(gap: int, n1: int, n0: int) -> int:
    """Return the smallest c·n0 - d·n1 of at least `gap` with c <= n1 and d <= n0."""
    captured = np.arange(n1 + 1, dtype=np.int64)
    passed = (captured * n0 - gap) // n1
    possible = (passed >= 0) & (passed <= n0)
    return int((captured * n0 - passed * n1)[possible].min())


def rank_sum_chances(ties: Ints, n1: int) -> tuple[Ints, Floats]:
    """Return all values of 2U - n1·n0, ascending, and their chances: labels dealt at random.

    U counts the pairs that are in order, ties half, so that 0 stands for an AUC of 1/2. Chances are
    sums of positive terms, so that small ones keep their digits: the shift algorithm of Streitberg
    & Röhmel (1986), with a factor C(t, j) for taking j of the t cases at a score.

    Examples
    --------
    Two positives and one negative: 0, 1 or 2 of the 2 pairs are in order.

    >>> values, chances = rank_sum_chances(np.array([1, 1, 1]), 2)
    >>> values.tolist(), (3 * chances).round(12).tolist()
    ([-2, 0, 2], [1.0, 1.0, 1.0])
    """
    n = int(ties.sum())
    rarer, sign = (n1, 1) if 2 * n1 <= n else (n - n1, -1)
    # Twice the midrank less one, from the bottom: whole, with mean n.
    ranks = 2 * n - 2 * np.cumsum(ties) + ties
    lowest = int(ranks.min())
    unit = math.gcd(*(ranks - lowest).tolist()) or 1
    steps = ((ranks - lowest) // unit).tolist()
    ways = _ways(ties.tolist(), steps, rarer)
    sums = unit * np.arange(len(ways), dtype=np.int64) + rarer * lowest
    values, chances = sign * (sums - rarer * n), ways / ways.sum()
    order, seen = (slice(None, None, sign)), chances[::sign] > 0
    return values[order][seen], chances[order][seen]


def _ways(ties: list[int], steps: list[int], rarer: int) -> Floats:
    """Return in how many ways `rarer` cases have each sum of steps."""
    largest = _largest_sum(ties, steps, rarer)
    ways: Array = np.zeros((rarer + 1, largest + 1))
    ways[0, 0] = 1.0
    for tied, step in zip(ties, steps, strict=True):
        before = ways.copy()
        for taken in range(1, min(tied, rarer) + 1):
            shift = taken * step
            if shift > largest:
                break
            ways[taken:, shift:] += (
                math.comb(tied, taken) * before[: rarer + 1 - taken, : largest + 1 - shift]
            )
    last: Floats = ways[rarer]
    return last


def _largest_sum(ties: list[int], steps: list[int], rarer: int) -> int:
    left, total = rarer, 0
    for step, tied in sorted(zip(steps, ties, strict=True), reverse=True):
        taken = min(left, tied)
        total, left = total + taken * step, left - taken
    return total

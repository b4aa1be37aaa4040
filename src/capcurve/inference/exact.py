"""Exact laws of labels dealt at random: of the widest gap between classes, and of the rank sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.arguments import as_open_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Floats, Ints


Alternative = Literal["two-sided", "greater", "less"]
OPPOSITE: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}
# Cases times the rarer class: half a second here for a gap that is neither frequent nor rare.
EXACT_GAP_SIZE = 200_000_000
# Work still bearable when it is asked for: some ten seconds.
LARGEST_GAP_SIZE = 100_000_000_000
# Places are held in memory.
MOST_CASES = 20_000_000
# Powers down to exp(-FADING) are floats, and so is one over them.
FADING = 300.0
# A critical value takes a dozen of such laws.
EXACT_CASES = 10_000
# Cases times the rarer class; work grows with its square, and takes a tenth of a second here.
EXACT_SIZE = 10_000
# So few of a class have exact laws among any number of cases.
FEW = 20
# Places of the lattice of rank sums, times the cases of the rarer class.
LATTICE = 1 << 21
# Sums that are made one by one; a tenth of a second here.
LARGEST_WORK = 200_000_000
# Beyond this the table of ways does not fit into memory.
LARGEST_EXACT_SIZE = 100_000
# Critical values lie between these parts of that of large samples, or nearly.
NEAR = (0.9, 1.01)
# Beyond this the limiting law has set in, and that of one sample takes seconds.
FEW_AGAINST_MANY = 2000


def gap_chance(ties: Ints, n1: int, gap: int, alternative: Alternative) -> float:
    """Return how often labels dealt at random open a gap, or a wider one.

    `ties` are the cases at each score, in order; the gap is c·n0 - d·n1 above zero, c of n1
    positives and d of n0 negatives captured; "greater": positives lead by the gap, "less":
    negatives do. A gap opens where a case of the rarer class comes too early or too late, so these
    are dealt in turn, and how often each is the first to do so is added up: small chances keep
    9 to 12 digits. Steck (1969), Ann. Math. Stat. 40; Schröer & Trenkler (1995), Computational
    Statistics & Data Analysis 20: the law given class and tie sizes.

    Examples
    --------
    Two positives, two negatives, no ties: 2 of the 6 orders separate them, a gap of 4 pairs.

    >>> round(gap_chance(np.array([1, 1, 1, 1]), 2, 4, "two-sided"), 12)
    0.333333333333
    """
    n = int(ties.sum())
    if not math.exp(1 - 2 * (gap / n1) * (gap / (n - n1)) / n):
        return 0.0  # Wei & Dudley (2012), Stat. Probab. Lett. 82: no float is as small.
    rarer = min(n1, n - n1)
    windows = _windows(ties, rarer, gap, alternative if rarer == n1 else OPPOSITE[alternative])
    walk = _Walk.begun(rarer / n, n - rarer)
    caught, left = [], []
    for dealt, (least, most) in enumerate(windows):
        early, late, alive = walk.deal(least - dealt - 1, most - dealt)
        caught += [early, late]
        left += [
            (n - least + len(early), len(early), rarer - dealt - 1),
            (n - most, 1, rarer - dealt),
        ]
        if not alive:
            break
    return float((np.concatenate(caught) * _of_the_rest(left, n, rarer)).sum())


@dataclass(slots=True)
class _Walk:
    """How likely each number of the other class comes before the last case of the rarer one.

    As if each case by itself were of the rarer class or not. Chances are in units of (1 - share) to
    the power of the number, so that going on is adding up; units begin anew with each block.
    """

    chances: Floats
    first: int  # where there are any
    share: float
    block: int

    @classmethod
    def begun(cls, share: float, others: int) -> _Walk:
        """Return the walk before any case."""
        chances = np.zeros(others + 2)
        chances[0] = 1.0
        return cls(chances, 0, share, math.ceil(FADING / -math.log1p(-share)))

    def deal(self, least: int, most: int) -> tuple[Floats, Floats, bool]:
        """Deal one case of the rarer class between `least` and `most - 1` of the other class.

        Return how likely it comes at each earlier number, or later, and whether it may come here.
        """
        first, fading, carried = self.first, 1 - self.share, 0.0
        for start in range(first - first % self.block, most + 1, self.block):
            part = self.chances[max(start, first) : min(start + self.block, most + 1)]
            part[0] += carried
            np.cumsum(part, out=part)
            carried = float(part[-1]) * fading**self.block
        late = self.chances[most : most + 1] * fading ** (most % self.block)
        self.chances[most] = 0.0
        self.chances[first:most] *= self.share
        self.first = max(first, least)
        early = self.chances[first : self.first]
        units = fading ** (np.arange(first, self.first) % self.block)
        return early * units, late, self.first < most


def _windows(ties: Ints, rarer: int, gap: int, alternative: Alternative) -> list[tuple[int, int]]:
    """Return the first and last place of each case of the rarer class that opens no such gap."""
    ends, n = np.append(0, np.cumsum(ties)), int(ties.sum())
    dealt = np.arange(1, rarer + 1)
    least, most = np.ones(rarer, dtype=np.int64), n - rarer + dealt
    if alternative != "less":
        early = ends[np.searchsorted(ends, (dealt * n - gap) // rarer, side="right") - 1]
        least = np.where(dealt * n >= gap, early + 1, 1)
    if alternative != "greater":
        late = np.searchsorted(ends, -(-((dealt - 1) * n + gap) // rarer))
        most = np.minimum(most, np.append(ends, n)[late])
    return list(zip(np.minimum(least, most + 1).tolist(), most.tolist(), strict=True))


def _of_the_rest(left: Sequence[tuple[int, int, int]], n: int, rarer: int) -> Floats:
    """Return how likely the rest holds what is left of the rarer class, over how likely all do.

    For runs of places: cases left after the first place, number of places, what is left.
    """
    from scipy.special import gammaln

    after, places, wanted = (np.array(column) for column in zip(*left, strict=True))
    begun = np.cumsum(places) - places
    cases = np.repeat(after + begun, places) - np.arange(places.sum())
    some = np.repeat(wanted, places)
    ways = gammaln(cases + 1.0) - gammaln(some + 1.0) - gammaln(cases - some + 1.0)
    ways -= gammaln(n + 1.0) - gammaln(rarer + 1.0) - gammaln(n - rarer + 1.0)
    share = rarer / n
    gone = (rarer - some) * math.log(share) + (n - rarer - cases + some) * math.log1p(-share)
    chances: Floats = np.exp(ways - gone)
    return chances


def smirnov_critical_value(n: int, n1: int, alpha: float = 0.05) -> float | None:
    """Return the smallest gap between classes that chance reaches at most that often.

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

    def frequent(gap: int) -> bool:
        return gap_chance(ties, n1, gap * step, "two-sided") > alpha

    below, above = 0, n1 * n0 // step  # in steps: too frequent; rare enough, if any is
    if frequent(above):
        return above * step
    # The large-sample law is near: looking there first keeps windows, and so work, small.
    near = (_asymptotic_critical_value(n1, n0, alpha) or 1.0) * above
    ends = [round(part * near) for part in NEAR]
    while above - below > 1:
        middle = ends.pop() if ends else (below + above) // 2
        if below < middle < above:
            below, above = (middle, above) if frequent(middle) else (below, middle)
    return below * step


def _next_gap(gap: int, n1: int, n0: int) -> int:
    """Return the smallest c·n0 - d·n1 of at least `gap` with c <= n1 and d <= n0."""
    captured = np.arange(n1 + 1, dtype=np.int64)
    passed = (captured * n0 - gap) // n1
    possible = (passed >= 0) & (passed <= n0)
    return int((captured * n0 - passed * n1)[possible].min())


def rank_sum_chance(ties: Ints, n1: int, seen: int, alternative: Alternative) -> float:
    """Return how often labels dealt at random give pairs won less lost as extreme as those seen.

    With at most `FEW` of a class, among however many cases, or where the work can be done. Beyond
    some 10,000 cases, unless all of a few stand near an end, ranks are rounded to a lattice: the
    chance is then too large by up to a thousandth or two, and never too small.

    Examples
    --------
    Two positives and one negative: 0, 1 or 2 of the 2 pairs are in order, each as often.

    >>> round(rank_sum_chance(np.array([1, 1, 1]), 2, 2, "greater"), 12)
    0.333333333333
    """
    if alternative == "two-sided":
        if not seen:
            return 1.0
        above = rank_sum_chance(ties, n1, abs(seen), "greater")
        return min(above + rank_sum_chance(ties, n1, -abs(seen), "less"), 1.0)
    n = int(ties.sum())
    rarer, sign = (n1, 1) if 2 * n1 <= n else (n - n1, -1)
    # Twice the midrank less one, from the bottom: whole, with mean n.
    ranks, asked = 2 * n - 2 * np.cumsum(ties) + ties, rarer * n + sign * seen
    if (alternative == "greater") == (sign > 0):
        ranks, asked = -ranks, -asked
    lowest = int(ranks.min())
    return _chance_within(ties, ranks - lowest, rarer, asked - rarer * lowest)


def _chance_within(ties: Ints, steps: Ints, rarer: int, reach: int) -> float:
    """Return how often the steps of so many cases, dealt at random, add up to at most `reach`."""
    if reach < 0:
        return 0.0
    n, near = int(ties.sum()), steps <= reach
    ties, steps = ties[near], steps[near]
    unit = int(np.gcd.reduce(steps)) or 1
    scale = max(1.0, reach * rarer / unit / LATTICE) if rarer <= FEW else 1.0
    places = np.rint(steps / (unit * scale)).astype(np.int64) if scale > 1 else steps // unit
    # Rounding moves a sum by half a place for each of its terms, at most.
    most = int(reach / (unit * scale) + rarer / 2) if scale > 1 else reach // unit
    cases = np.bincount(places, ties, minlength=most + 1)[: most + 1].astype(np.float64)
    work = rarer * most * float(np.minimum(cases, rarer).sum())
    found = _ways if rarer > FEW or work <= LARGEST_WORK else _ways_by_power_sums
    return float(found(cases, rarer).sum()) / math.comb(n, rarer)


def _ways(cases: Floats, rarer: int) -> Floats:
    """Return in how many ways so many of the cases have each sum of places.

    Sums of positive terms, so that small numbers keep their digits: the shift algorithm of
    Streitberg & Röhmel (1986), with a factor C(t, j) for taking j of the t cases at a place.
    """
    ways: Array = np.zeros((rarer + 1, len(cases)))
    ways[0, 0] = 1.0
    for place in np.flatnonzero(cases).tolist():
        before, tied = ways.copy(), int(cases[place])
        for taken in range(1, min(tied, rarer) + 1):
            shift = taken * place
            if shift >= len(cases):
                break
            ways[taken:, shift:] += (
                math.comb(tied, taken) * before[: rarer + 1 - taken, : len(cases) - shift]
            )
    last: Floats = ways[rarer]
    return last


def _ways_by_power_sums(cases: Floats, rarer: int) -> Floats:
    """Return the same for few among many: Newton's identities between symmetric polynomials.

    Where many cases are within reach, next to nothing cancels; products are those of transforms.
    """
    size = 1 << (2 * len(cases) - 1).bit_length()
    powers: list[Array] = []
    for times in range(1, rarer + 1):
        spread = np.zeros(len(cases))
        spread[::times] = cases[: len(spread[::times])]
        powers.append((-1) ** (times - 1) * np.fft.rfft(spread, size))
    ways: Floats = np.zeros(len(cases))
    transformed: list[Array] = [np.ones(size // 2 + 1)]
    for taken in range(1, rarer + 1):
        products = zip(reversed(transformed), powers[:taken], strict=True)
        both = sum((one * other for one, other in products), np.zeros(1))
        ways = np.fft.irfft(both, size)[: len(cases)] / taken
        transformed.append(np.fft.rfft(ways, size))
    return ways

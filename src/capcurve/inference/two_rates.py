"""Two rates compared: the hypergeometric law at any size, and limits of their difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from capcurve.inference.rates import both_limits

if TYPE_CHECKING:
    from capcurve.counts.types import Floats, Ints
    from capcurve.inference.records import Confidence

RatesMethod = Literal["mid_p", "z", "fisher"]
# Terms of a tail this small beside its sum add nothing to it; they are taken so many at once.
NEGLIGIBLE = 1e-18
TERMS = 1 << 12
# From so many on, Stirling's series is exact to the last digit of a float.
FEW = 16
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Positives and cases of two groups, whole numbers."""

    positives: int
    cases: int
    other_positives: int
    other_cases: int

    @property
    def swapped(self) -> TwoGroups:
        """The second group first."""
        return TwoGroups(self.other_positives, self.other_cases, self.positives, self.cases)


def one_sided(groups: TwoGroups, method: RatesMethod = "mid_p") -> tuple[float, float]:
    """Return the chance of so high a rate of the first group if rates are equal, and of so low.

    Notes
    -----
    Given all positives, those of the first group follow the hypergeometric law if rates are equal.
    Mid-p: Lancaster (1961), JASA 56.

    Examples
    --------
    Two positives among two cases of each group, both in the first: 1 dealing of 6, counted half.

    >>> high, low = one_sided(TwoGroups(2, 2, 0, 2))
    >>> round(12 * high, 12), round(12 * low, 12)
    (1.0, 11.0)
    """
    if method not in get_args(RatesMethod):
        names = ", ".join(f'"{name}"' for name in get_args(RatesMethod))
        raise ValueError(f"method must be one of {names}; got {method!r}")
    if method == "z":
        return _pooled_z(groups)
    more, same, fewer = _chances(groups)
    counted = same if method == "fisher" else same / 2
    return min(1.0, more + counted), min(1.0, fewer + counted)


def two_sided(groups: TwoGroups) -> float:
    """Return twice the smaller mid-p, at most 1."""
    return min(1.0, 2 * min(one_sided(groups)))


def _pooled_z(groups: TwoGroups) -> tuple[float, float]:
    """Return both tails of the normal law: 1/2 each where all cases are of one class."""
    from scipy.special import ndtr

    n, m = groups.cases, groups.other_cases
    positives = groups.positives + groups.other_positives
    # Whole numbers are subtracted exactly.
    difference = groups.positives * m - groups.other_positives * n
    variance = positives * (n + m - positives) * n * m
    z = difference * math.sqrt((n + m) / variance) if variance else 0.0
    return float(ndtr(-z)), float(ndtr(z))


def _chances(groups: TwoGroups) -> tuple[float, float, float]:
    """Return the chance of more positives in the first group, of as many, and of fewer."""
    n, m = groups.cases, groups.other_cases
    positives = groups.positives + groups.other_positives
    if max(0, positives - m) == min(n, positives):
        return 0.0, 1.0, 0.0
    same = math.exp(_log_chance(groups))
    # Terms fall on both sides of the likeliest: the tail away from it is summed, the other is the
    # rest.
    likeliest = (n + 1) * (positives + 1) // (n + m + 2)
    if groups.positives >= likeliest:
        more = same * _tail(groups)
        return more, same, max(0.0, 1 - same - more)
    fewer = same * _tail(groups.swapped)
    return max(0.0, 1 - same - fewer), same, fewer


def _tail(groups: TwoGroups) -> float:
    """Return the chance of more positives in the first group over that of what was seen."""
    n, m = float(groups.cases), float(groups.other_cases)
    k = float(groups.positives + groups.other_positives)
    start, end = groups.positives, min(groups.cases, int(k))
    total, term = 0.0, 1.0
    while start < end:
        x = np.arange(start, min(start + TERMS, end), dtype=np.float64)
        terms = term * np.cumprod((n - x) * (k - x) / ((x + 1) * (m - k + x + 1)))
        total, term = total + float(terms.sum()), float(terms[-1])
        if term <= NEGLIGIBLE * total:
            break
        start += TERMS
    return total


def _log_chance(groups: TwoGroups) -> float:
    """Return the logarithm of the hypergeometric chance of what was seen.

    As a sum of small parts (Loader 2000, "Fast and accurate computation of binomial
    probabilities"): factorials of 10^9 have logarithms of 2·10^10, whose differences keep few
    digits.
    """
    a, n, b, m = groups.positives, groups.cases, groups.other_positives, groups.other_cases
    k, rest, total = a + b, n + m - a - b, n + m
    # Cells less what equal rates expect, which differ by their sign alone.
    surplus = (a * total - n * k) / total
    first = ((a, n, k, surplus), (n - a, n, rest, -surplus))
    second = ((b, m, k, -surplus), (m - b, m, rest, surplus))
    found = sum(map(_beyond_powers, (n, m, k, rest))) - _beyond_powers(total)
    for seen, row, column, more in (*first, *second):
        found += more - _beyond_powers(seen)
        if seen:
            found -= seen * math.log1p(more * total / (row * column))
    return found


def _beyond_powers(n: int) -> float:
    """Return ln(n!) - n·ln(n) + n."""
    if not n:
        return 0.0
    if n < FEW:
        return math.lgamma(n + 1) - n * math.log(n) + n
    series = sum(part / float(n) ** (2 * place + 1) for place, part in enumerate(STIRLING))
    return 0.5 * math.log(2 * math.pi * n) + series


def difference_limits(
    positives: tuple[Ints, Ints], cases: tuple[Ints, Ints], confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return limits of the differences of rates, first less second; shape (pairs,) each.

    Notes
    -----
    Newcombe (1998), Stat. Med. 17, 873-890, method 10: Wilson's limits of both rates, joined.

    Examples
    --------
    The first example of that paper, 56 of 70 and 48 of 80.

    >>> from capcurve.inference.records import Confidence
    >>> counts = [tuple(map(np.array, each)) for each in (([56], [48]), ([70], [80]))]
    >>> low, high = difference_limits(*counts, Confidence(0.95))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0524], [0.3339])
    """
    rates = [p / n for p, n in zip(positives, cases, strict=True)]
    limits = [
        both_limits(p, n, "wilson", confidence) for p, n in zip(positives, cases, strict=True)
    ]
    difference = rates[0] - rates[1]
    (low, high), (other_low, other_high) = limits
    below = np.hypot(rates[0] - low, other_high - rates[1])
    above = np.hypot(high - rates[0], rates[1] - other_low)
    return difference - below, difference + above

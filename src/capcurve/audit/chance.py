"""How far chance may have moved the ends of a range of accuracy ratios."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.audit.bins import Bins, End


def standard_error(bins: Bins, end: End) -> float:
    """Return the standard error of the accuracy ratio with ties lost, halved or won.

    DeLong, DeLong & Clarke-Pearson (1988) from the placements of each bin's cases. NaN where a
    class has one case only.

    >>> from capcurve.audit.bins import Bins
    >>> round(standard_error(Bins((2, 3), (1, 3)), "high") ** 2, 6)
    0.098765
    """
    if bins.n1 < 2 or bins.n0 < 2:  # noqa: PLR2004 - no variance of one case
        return float("nan")
    halves = {"low": 0, "table": 1, "high": 2}[end]
    of_positives, of_negatives = [], []
    for p0, p, m0, m in bins.each():
        of_positives.append((p - p0, 2 * (bins.n0 - m) + halves * (m - m0)))
        of_negatives.append((m - m0, 2 * p0 + halves * (p - p0)))
    variance = _variance(of_positives) / (bins.n1 * bins.n0**2)
    variance += _variance(of_negatives) / (bins.n0 * bins.n1**2)
    return sqrt(variance)


def _variance(placements: list[tuple[int, int]]) -> Fraction:
    """Return the variance of placements, counted in half cases: times 4."""
    count = sum(times for times, _ in placements)
    total = sum(times * place for times, place in placements)
    squares = sum(times * place * place for times, place in placements)
    return Fraction(squares * count - total * total, count * (count - 1))


def within_sd(bins: Bins) -> float:
    """Return how far the order inside bins moves the accuracy ratio if it is random.

    The standard deviation of a rank sum, of Wilcoxon, summed over bins.

    >>> from capcurve.audit.bins import Bins
    >>> round(within_sd(Bins((2, 3), (1, 3))), 6)
    0.2566
    """
    pairs = sum((p - p0) * (m - m0) * (p - p0 + m - m0 + 1) for p0, p, m0, m in bins.each())
    return 2 / float(bins.n1 * bins.n0) * sqrt(Fraction(pairs, 12))

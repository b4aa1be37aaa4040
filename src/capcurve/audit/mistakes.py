"""Numbers that are taken for the accuracy ratio, or for the AUC, by mistake."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from capcurve.audit.bins import accuracy_ratio, auc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.audit.bins import Bins
    from capcurve.audit.tables import Tables
    from capcurve.audit.windows import Window

MOST_TOTALS = 50
# A claim to fewer digits meets most numbers by chance.
MOST_OF_A_DIGIT = Fraction(1, 100)


def cap_area(bins: Bins) -> Fraction:
    """Return the area under the CAP, straight between the table's points.

    >>> from capcurve.audit.bins import Bins
    >>> cap_area(Bins((2, 3), (1, 3)))
    Fraction(7, 12)
    """
    twice = sum((p + p0) * (p - p0 + m - m0) for p0, p, m0, m in bins.each())
    return Fraction(twice, 2 * bins.n * bins.n1)


def origin_left_out(bins: Bins) -> Fraction:
    """Return the accuracy ratio of a CAP that begins at the end of the first bin.

    >>> from capcurve.audit.bins import Bins
    >>> origin_left_out(Bins((2, 3), (1, 3)))
    Fraction(-1, 3)
    """
    first = bins.positives[0] * (bins.positives[0] + bins.negatives[0])
    area = cap_area(bins) - Fraction(first, 2 * bins.n * bins.n1)
    return Fraction((2 * area - 1) * bins.n, bins.n0)


def of_the_ratio(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the accuracy ratio of a table, in words and as a number."""
    prevalence = Fraction(bins.n1, bins.n)
    straight = accuracy_ratio(bins, "table")
    area = cap_area(bins)
    yield "the AUC of the table", auc(bins, "table")
    lorenz = "the Gini coefficient of the table's Lorenz curve, (1 - prevalence)·AR"
    yield lorenz, (1 - prevalence) * straight
    yield "the area under the CAP over that under the perfect CAP", area / (1 - prevalence / 2)
    yield "the area under the CAP", area
    yield "the accuracy ratio with the curve's start at the origin left out", origin_left_out(bins)
    yield "what positives first in every bin give", accuracy_ratio(bins, "high")
    yield "what negatives first in every bin give", accuracy_ratio(bins, "low")


def of_the_auc(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the AUC of a table, in words and as a number."""
    yield "the accuracy ratio of the table", accuracy_ratio(bins, "table")
    yield "the area under the CAP", cap_area(bins)
    yield "what positives first in every bin give", auc(bins, "high")
    yield "what negatives first in every bin give", auc(bins, "low")


def mistake(metric: str, window: Window, tables: Tables, *, possible: bool) -> str | None:
    """Return what a claimed accuracy ratio or AUC is instead, in words, or None."""
    if metric not in {"accuracy_ratio", "roc_auc"}:
        return None
    right, wrong = (
        (accuracy_ratio, of_the_ratio) if metric == "accuracy_ratio" else (auc, of_the_auc)
    )
    pairs = [(each.least, each.greatest) for each in tables.each(MOST_TOTALS)]
    if any(
        right(low, "table") <= window.high and window.low <= right(high, "table")
        for low, high in pairs
    ):
        return None
    if window.high - window.low > MOST_OF_A_DIGIT and possible:
        return None
    for low, high in pairs:
        for (words, first), (_, last) in zip(wrong(low), wrong(high), strict=True):
            if min(first, last) <= window.high and window.low <= max(first, last):
                return words
    return None

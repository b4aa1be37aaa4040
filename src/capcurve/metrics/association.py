"""Association of score and target over pairs of cases: Somers' D and Kendall's tau-b."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.shares import every_score, require
from capcurve.metrics.ranking import accuracy_ratio, count_pairs, share

if TYPE_CHECKING:
    from capcurve.counts import Ranking
    from capcurve.counts.types import Array, Floats

ROOT_BITS = 80


def somers_d(counts: Ranking, *, given: Literal["target", "score"] = "target") -> float:
    """Return Somers' D: pairs in order minus pairs out of order, among pairs that differ.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    given
        Which side must differ in a pair: "target" (Basel WP14; the accuracy ratio) or
        "score" (the form of the ECB's generalised AUC).

    Returns
    -------
    float
        In [-1, 1].

    Raises
    ------
    ValueError
        When a class is missing, or, given the score, when all scores are equal.

    Notes
    -----
    Somers (1962), "A new asymmetric measure of association for ordinal variables".

    Examples
    --------
    >>> from capcurve import count_scores
    >>> somers_d(count_scores([1, 0, 1, 0], [2, 2, 3, 1]))
    0.75
    """
    if given == "target":
        return accuracy_ratio(counts)
    if given != "score":
        raise ValueError(f'given must be "target" or "score", got {given!r}')
    pairs = count_pairs(counts)
    if counts.is_whole:
        return share(pairs.won - pairs.lost, _pairs_of_scores(counts))
    # Normalised by class, pairs of scores need the classes' true proportion.
    return float(accuracy_ratio(counts) * _class_pairs_share(counts))


def kendall_tau_b(counts: Ranking) -> float:
    """Return Kendall's tau-b between score and target.

    Pairs in order minus pairs out of order, over the root of pairs that differ in the target
    times pairs that differ in the score.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    float
        In [-1, 1].

    Raises
    ------
    ValueError
        When a class is missing or all scores are equal.

    Notes
    -----
    Kendall (1945), "The treatment of ties in ranking problems".

    Examples
    --------
    >>> from capcurve import count_scores
    >>> round(kendall_tau_b(count_scores([1, 0, 1, 0], [2, 2, 3, 1])), 12)
    0.67082039325
    """
    if not counts.is_whole:
        return float(accuracy_ratio(counts) * np.sqrt(_class_pairs_share(counts)))
    pairs = count_pairs(counts)
    balance = pairs.won - pairs.lost
    # The root in whole numbers, with so many digits that one rounding is all there is.
    size = math.isqrt(pairs.total * _pairs_of_scores(counts) << 2 * ROOT_BITS)
    return float((balance << ROOT_BITS) / size)


def _pairs_of_scores(counts: Ranking) -> int:
    """Return how many pairs of cases differ in score: (n^2 - Σ n_k^2) / 2."""
    found = (counts.n**2 - _case_squares(counts)) // 2
    if not found:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return int(found)


def _case_squares(counts: Ranking) -> int:
    found = counts.totals().case_squares
    return _case_squares(counts.every_score()) if found is None else found


def _class_pairs_share(counts: Ranking) -> float:
    """Return pairs that differ in target over pairs that differ in score, for weights.

    Pairs that differ in score are summed by class, each class over its own total: one may weigh
    1e300 and the other 1e-300.
    """
    require(counts, "positives", "negatives")
    counts = every_score(counts)
    if len(counts) == 1:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    (p, before_p), (n, before_n) = (
        _upto(column) for column in (counts.positives, counts.negatives)
    )
    mixed = (p * before_n).sum() + (n * before_p).sum()
    odds = Fraction(counts.n1) / Fraction(counts.n0)
    alike = Fraction((p * before_p).sum()) * odds + Fraction((n * before_n).sum()) / odds
    return float(1 / (Fraction(mixed) + alike))


def _upto(column: Array) -> tuple[Floats, Floats]:
    """Return the share of a class at each score, and that above it."""
    sums = cumulated(column.astype(np.float64))
    return column / sums[-1], sums[:-1] / sums[-1]

"""Association of score and target over pairs of cases: Somers' D and Kendall's tau-b."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import RankTotals
from capcurve.counts.exact import class_blocks, exact_dot
from capcurve.curves.shares import every_score, require
from capcurve.metrics.pairs import count_pairs, scaled, share
from capcurve.metrics.ranking import accuracy_ratio

if TYPE_CHECKING:
    from capcurve.counts import Ranked


def somers_d(counts: Ranked, *, given: Literal["target", "score"] = "target") -> float:
    """Return Somers' D: pairs in order minus pairs out of order, among pairs that differ.

    Parameters
    ----------
    given
        Which side must differ in a pair: "target" (Basel WP14; the accuracy ratio) or
        "score" (the form of the ECB's generalised AUC).

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


def kendall_tau_b(counts: Ranked) -> float:
    """Return Kendall's tau-b between score and target.

    Pairs in order minus pairs out of order, over the root of pairs that differ in the target
    times pairs that differ in the score.

    Parameters
    ----------
    counts
        What was counted.

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
    size = np.sqrt(np.longdouble(pairs.total)) * np.sqrt(np.longdouble(_pairs_of_scores(counts)))
    return float(np.longdouble(balance) / size)


def _pairs_of_scores(counts: Ranked) -> int:
    """Return how many pairs of cases differ in score: (n^2 - Σ n_k^2) / 2."""
    found = (counts.n**2 - _case_squares(counts)) // 2
    if not found:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return int(found)


def _case_squares(counts: Ranked) -> int:
    if isinstance(counts, RankTotals) and counts.case_squares is not None:
        return counts.case_squares
    blocks = class_blocks(every_score(counts))
    return sum(exact_dot(cells := p + n, cells) for p, n in blocks)


def _class_pairs_share(counts: Ranked) -> Any:
    """Return pairs that differ in target over pairs that differ in score, for weights."""
    require(counts, "positives", "negatives")
    counts = every_score(counts)
    both = scaled(np.concatenate([counts.positives, counts.negatives]))
    p, n = both[: len(counts)], both[len(counts) :]
    cells = p + n
    different = (cells.sum() ** 2 - (cells**2).sum()) / 2
    if not different > 0:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return p.sum() * n.sum() / different

"""How well the score orders positives before negatives: AR, AUC and their relatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.exact import exact_dot
from capcurve.curves import roc_curve
from capcurve.curves.shares import require
from capcurve.metrics.pairs import count_pairs, scaled, share

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts


def accuracy_ratio(counts: ScoreCounts) -> float:
    """Return the accuracy ratio: how much of the perfect score's advantage this score has.

    The area between the CAP and the diagonal, divided by that of the perfect CAP; 1 is
    perfect, 0 is random, below 0 is reversed. Also called Gini coefficient of the score,
    Somers' D of score given target, gain capture. With ties grouped and straight segments
    it equals 2·AUC - 1 exactly.

    Parameters
    ----------
    counts
        What was counted.

    Returns
    -------
    float
        In [-1, 1]; correctly rounded for whole counts.

    Raises
    ------
    ValueError
        When a class is missing.

    Notes
    -----
    Engelmann, Hayden & Tasche (2003), "Testing rating accuracy", Risk 16.

    Examples
    --------
    Of the 6 pairs, 4 are in order and 2 are not: (4 - 2) / 6.

    >>> from capcurve import count_scores
    >>> accuracy_ratio(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])) == 1 / 3
    True
    """
    pairs = count_pairs(counts)
    return share(pairs.won - pairs.lost, pairs.total)


gini = accuracy_ratio


@dataclass(frozen=True, slots=True)
class AccuracyRatioBounds:
    """The accuracy ratios that other orders inside ties could show.

    Attributes
    ----------
    low
        With negatives first in every tie.
    high
        With positives first in every tie.
    """

    low: float
    high: float


def accuracy_ratio_bounds(counts: ScoreCounts) -> AccuracyRatioBounds:
    """Return the range of accuracy ratios that sorting ties by chance could give.

    Tools that break ties by row order report some number in this range; the accuracy ratio
    is its middle, and half its width is `tie_mass`.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> accuracy_ratio_bounds(ScoreCounts.from_counts([1], [5], [5]))
    AccuracyRatioBounds(low=-1.0, high=1.0)
    """
    pairs = count_pairs(counts)
    middle = pairs.won - pairs.lost
    return AccuracyRatioBounds(
        share(middle - pairs.tied, pairs.total), share(middle + pairs.tied, pairs.total)
    )


def roc_auc(counts: ScoreCounts) -> float:
    """Return the chance that a random positive outranks a random negative; ties count half.

    The area under the ROC, also called AUC, AUROC, concordance or c-statistic.

    Returns
    -------
    float
        In [0, 1]; correctly rounded for whole counts.

    Notes
    -----
    Hanley & McNeil (1982), Radiology 143: AUC = U / (n1·n0) of Mann and Whitney.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> roc_auc(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])) == 2 / 3
    True
    """
    pairs = count_pairs(counts)
    return share(2 * pairs.won + pairs.tied, 2 * pairs.total)


def tie_mass(counts: ScoreCounts) -> float:
    """Return the chance that a random positive and a random negative have the same score.

    No order inside ties, and no rounding that led to these ties, moves the accuracy ratio by
    more than this.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> tie_mass(ScoreCounts.from_counts([2, 1], [1, 1], [1, 1]))
    0.5
    """
    pairs = count_pairs(counts)
    return share(pairs.tied, pairs.total)


def partial_auc(counts: ScoreCounts, max_fpr: float, *, standardized: bool = False) -> float:
    """Return the area under the ROC up to a false positive rate.

    Parameters
    ----------
    max_fpr
        Where to stop, in (0, 1].
    standardized
        Scale so that a random score has 0.5 and a perfect one 1 (McClish 1989,
        "Analyzing a portion of the ROC curve").

    Examples
    --------
    >>> from capcurve import count_scores
    >>> partial_auc(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), 0.5)
    0.25
    """
    if not 0 < max_fpr <= 1:
        raise ValueError(f"max_fpr must lie in (0, 1], got {max_fpr}")
    curve = roc_curve(counts)
    x, y = curve.x.astype(np.longdouble), curve.y.astype(np.longdouble)
    inside = int(np.searchsorted(curve.x, max_fpr, side="right"))
    area = (np.diff(x[:inside]) * (y[1:inside] + y[: inside - 1])).sum() / 2
    if inside < len(x):
        start, end = x[inside - 1], x[inside]
        part = (np.longdouble(max_fpr) - start) / (end - start)
        rise = (y[inside] - y[inside - 1]) * part
        area += (max_fpr - start) * (y[inside - 1] + rise / 2)
    if not standardized:
        return float(area)
    least = max_fpr**2 / 2
    return float((1 + (area - least) / (max_fpr - least)) / 2)


def somers_d(counts: ScoreCounts, *, given: Literal["target", "score"] = "target") -> float:
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


def kendall_tau_b(counts: ScoreCounts) -> float:
    """Return Kendall's tau-b between score and target.

    Pairs in order minus pairs out of order, over the root of pairs that differ in the target
    times pairs that differ in the score.

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


def _pairs_of_scores(counts: ScoreCounts) -> int:
    """Return how many pairs of cases differ in score: (n^2 - Σ n_k^2) / 2."""
    cells = counts.positives.astype(np.int64) + counts.negatives.astype(np.int64)
    found = (counts.n**2 - exact_dot(cells, cells)) // 2
    if not found:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return int(found)


def _class_pairs_share(counts: ScoreCounts) -> Any:
    """Return pairs that differ in target over pairs that differ in score, for weights."""
    require(counts, "positives", "negatives")
    both = scaled(np.concatenate([counts.positives, counts.negatives]))
    p, n = both[: len(counts)], both[len(counts) :]
    cells = p + n
    different = (cells.sum() ** 2 - (cells**2).sum()) / 2
    if not different > 0:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return p.sum() * n.sum() / different

"""How far chance moves an AUC: its variance by several formulas, and if the score told nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from capcurve.counts.exact import BLOCK
from capcurve.curves.shares import every_score, require
from capcurve.inference.exponential import exponential_variance
from capcurve.inference.placements import deviation_blocks, placements
from capcurve.inference.sizes import (
    effective_sizes,
    require_rows,
    require_two,
    squared_masses,
)
from capcurve.metrics import roc_auc
from capcurve.metrics.ranking import count_pairs

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts

Variance = Literal["delong", "unbiased", "ij", "hanley_mcneil", "hanley_mcneil_table"]
# Below this part of its terms a difference of floats is rounding, not a variance.
ROUNDING = 1e-13


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """What each class adds to the variance of an AUC.

    Attributes
    ----------
    positives, negatives
        Variance that comes from which positives, which negatives, were drawn.
    """

    positives: float
    negatives: float

    @property
    def total(self) -> float:
        """The variance."""
        return self.positives + self.negatives


def auc_variance(counts: Ranked, variance: Variance = "delong") -> float:
    """Return the variance of the AUC over samples: how far another sample would move it.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    variance
        "delong" (DeLong 1988; the ECB's formula), "unbiased" (Bamber 1975; Engelmann, Hayden
        & Tasche 2003; may be zero or less in small samples), "ij" (infinitesimal jackknife,
        as survival::concordance), "hanley_mcneil" (1982, from the AUC alone, as exponential
        scores have it), "hanley_mcneil_table" (1982, Table II, from ratings, a tie among three
        counting a third). With sampling or exposure weights "delong" and "ij" are both the
        robust infinitesimal jackknife.

    Returns
    -------
    float
        The variance of the AUC; that of the accuracy ratio is four times this.

    Raises
    ------
    ValueError
        With fewer than two cases in a class (but "hanley_mcneil"), or when it is not known
        what one case is: weights without a `weight_kind`, or fractional counts.

    Examples
    --------
    V10 is (1, .5) and so is V01: each has variance 1/8, over two cases.

    >>> from capcurve import count_scores
    >>> auc_variance(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.125
    """
    if variance not in get_args(Variance):
        names = ", ".join(repr(name) for name in get_args(Variance))
        raise ValueError(f"variance must be one of {names}, got {variance!r}")
    require_rows(counts)
    require(counts, "positives", "negatives")
    if counts.weights is not None and variance not in {"delong", "ij"}:
        raise ValueError(f'variance="{variance}" has no weighted form; use "delong" or "ij"')
    if variance == "hanley_mcneil":
        return exponential_variance(roc_auc(counts), counts.n1, counts.n0)
    if variance == "hanley_mcneil_table":
        return _from_ratings(every_score(counts))
    if variance == "unbiased":
        return _unbiased(counts)
    return variance_parts(counts, variance).total


def variance_parts(counts: Ranked, variance: Variance = "delong") -> VarianceParts:
    """Return the variance of the AUC by the class it comes from: "delong" or "ij"."""
    require_two(counts, f'the variance "{variance}" of an AUC')
    require(counts, "positives", "negatives")
    positives, negatives = _mean_squares(counts)
    if variance == "delong" and counts.weights is None:
        n1, n0 = counts.n1, counts.n0
        positives, negatives = positives * n1 / (n1 - 1), negatives * n0 / (n0 - 1)
    return VarianceParts(positives, negatives)


def _mean_squares(counts: Ranked) -> tuple[float, float]:
    """Return Σ(w(V - A))²/(Σw)² of each class: the infinitesimal jackknife."""
    if counts.weights is None:
        return _exact_mean_squares(counts)
    counts = counts.every_score()
    columns, sums = squared_masses(counts), [0.0, 0.0]
    for start, blocks in zip(range(0, len(counts), BLOCK), deviation_blocks(counts), strict=True):
        for which, deviation in enumerate(blocks):
            squares = deviation * deviation
            squares *= columns[which][start : start + BLOCK]
            sums[which] += float(squares.sum())
    return sums[0], sums[1]


def _exact_mean_squares(counts: Ranked) -> tuple[float, float]:
    """Return the same of whole counts: with V10 = v/(2·n0) and A = Σv/(2·n1·n0), in fractions."""
    n1, n0, pairs = counts.n1, counts.n0, count_pairs(counts)
    won = 2 * pairs.won + pairs.tied
    totals = counts.totals()
    positives, negatives = totals.positive_squares, totals.negative_squares
    size = 4 * n1**2 * n0**2
    return (
        float(Fraction(n1 * positives - won**2, size * n1)),
        float(Fraction(n0 * negatives - won**2, size * n0)),
    )


def _unbiased(counts: Ranked) -> float:
    """Return Bamber's estimate, whose mean over samples is the variance exactly.

    With σ11 the spread of one pair, it is (n1·n0·IJ - σ11)/((n1 - 1)(n0 - 1)), which is the
    formula of Engelmann, Hayden & Tasche rearranged so that fewer large terms cancel.
    """
    require_two(counts, 'the variance "unbiased" of an AUC')
    positives, negatives = _mean_squares(counts)
    n1, n0 = counts.n1, counts.n0
    pairs = count_pairs(counts)
    auc = Fraction(2 * pairs.won + pairs.tied, 2 * pairs.total)
    one_pair = float(auc * (1 - auc) - Fraction(pairs.tied, 4 * pairs.total))
    spread = n1 * n0 * (positives + negatives)
    rest = spread - one_pair
    if abs(rest) <= ROUNDING * spread:
        return 0.0
    return float(rest / ((n1 - 1) * (n0 - 1)))


def _from_ratings(counts: ScoreCounts) -> float:
    """Return Hanley & McNeil's variance with Q1 and Q2 as the ratings have them.

    Q1 is how often two positives outrank a negative, Q2 how often a positive outranks two
    negatives. Squared placements count a tie of all three as 1/4; Table II counts it as 1/3.
    """
    placed, n1, n0 = placements(counts), counts.n1, counts.n0
    p, n = counts.positives / n1, counts.negatives / n0
    two_positives = float((n * (placed.negatives**2 + p**2 / 12)).sum())
    two_negatives = float((p * (placed.positives**2 + n**2 / 12)).sum())
    auc = placed.auc
    spread = (n1 - 1) * (two_positives - auc**2) + (n0 - 1) * (two_negatives - auc**2)
    return float((auc * (1 - auc) + spread) / n1 / n0)


def variance_bound(counts: Ranked) -> float:
    """Return the largest variance that any score of this AUC can have in such a sample.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    float
        A(1 - A)/min(n1, n0), with effective sizes when rows are weighted.

    Raises
    ------
    ValueError
        When a class is missing or it is not known what one case is.

    Notes
    -----
    Bamber (1975), eq. 7; Basel Working Paper 14 (2005), page 41.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> variance_bound(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.09375
    """
    sizes, auc = effective_sizes(counts), roc_auc(counts)
    return auc * (1 - auc) / sizes.rarer


def null_variance(counts: Ranked) -> float:
    """Return the variance of the AUC if the score told nothing: labels dealt at random.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    float
        ((n + 1) - Σ(t³ - t)/(n(n - 1)))/(12·n1·n0), t the cases at each score; correctly rounded.

    Raises
    ------
    ValueError
        When a class is missing, or for weighted counts: weights are not dealt at random.

    Notes
    -----
    The permutation variance of the Mann-Whitney statistic with ties: Lehmann (1975),
    Nonparametrics, 1.4.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> null_variance(count_scores([1, 0, 1, 0, 1], [4, 3, 2, 1, 0])) == 1 / 12
    True
    """
    require_rows(counts)
    require(counts, "positives", "negatives")
    if counts.weights is not None:
        raise ValueError("the variance under no discrimination is that of unweighted rows")
    n = counts.n
    tied = Fraction(_case_cubes(counts) - n, n * (n - 1))
    return float((n + 1 - tied) / (12 * counts.n1 * counts.n0))


def _case_cubes(counts: Ranked) -> int:
    found = counts.totals().case_cubes
    return _case_cubes(counts.every_score()) if found is None else found

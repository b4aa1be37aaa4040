"""The variance of an AUC from its value alone: for plans, and where a sample shows no spread."""

from __future__ import annotations


def exponential_variance(auc: float, n1: float, n0: float) -> float:
    """Return the variance of an AUC from its value and the class sizes alone.

    Parameters
    ----------
    auc
        The AUC, in [0, 1].
    n1, n0
        Positives and negatives.

    Returns
    -------
    float
        Zero at an AUC of 0 or 1.

    Notes
    -----
    Hanley & McNeil (1982), Radiology 143, eq. 1, exponential Q1 and Q2.

    Examples
    --------
    At 1/2 with two of each: (1/4 + 2·(1/3 - 1/4))/4.

    >>> round(exponential_variance(0.5, 2, 2), 12)
    0.104166666667
    """
    two_positives, two_negatives = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = (n1 - 1) * (two_positives - auc**2) + (n0 - 1) * (two_negatives - auc**2)
    return (auc * (1 - auc) + spread) / n1 / n0


def careful_variance(auc: float, n1: float, n0: float) -> float:
    """Return a variance above zero, also for a score that separates the classes perfectly.

    The AUC is taken half a pair away from 0 and 1: a sample without a wrong pair does not show
    that there are none.
    """
    half_a_pair = 0.5 / n1 / n0
    return exponential_variance(min(max(auc, half_a_pair), 1 - half_a_pair), n1, n0)

"""The variance of an AUC when both classes have normal scores: what plans are made with."""

from __future__ import annotations

import math


def binormal_variance(auc: float, n1: float, n0: float, spread: float = 1.0) -> float:
    """Return the variance of an AUC whose classes have normal scores: exact, without ties.

    Parameters
    ----------
    auc
        The AUC, in (0, 1).
    n1, n0
        Positives and negatives.
    spread
        Standard deviation of the positives' scores over that of the negatives'.

    Notes
    -----
    Two positives both outrank a negative when two normal differences of correlation
    1/(1 + spread²) are below the same limit: Owen (1956), Annals of Mathematical Statistics 27.

    Examples
    --------
    At 1/2 it is that of drawing lots, (n + 1)/(12·n1·n0).

    >>> round(binormal_variance(0.5, 3, 2) * 12, 12)
    1.0
    """
    two_positives = _both_below(auc, 1 / (1 + spread**2))
    two_negatives = _both_below(auc, spread**2 / (1 + spread**2))
    apart = (n1 - 1) * (two_positives - auc**2) + (n0 - 1) * (two_negatives - auc**2)
    return max((auc * (1 - auc) + apart) / n1 / n0, 0.0)


def _both_below(chance: float, correlation: float) -> float:
    """Return how often two correlated normal numbers are both below their `chance` quantile."""
    from scipy.special import ndtri, owens_t

    slope = math.sqrt((1 - correlation) / (1 + correlation))
    return chance - 2 * float(owens_t(ndtri(chance), slope))

"""The metrics of many samples at once: positives and negatives come as (samples, scores)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OfShare = Literal["captured_response", "lift", "precision"]


def aucs(p: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the AUC of each sample."""
    all1, all0 = p.sum(axis=1), n.sum(axis=1)
    below = np.cumsum(n, axis=1)
    np.subtract(all0[:, None], below, out=below)
    below += n / 2
    found: NDArray[np.float64] = np.einsum("ij,ij->i", p, below) / all1 / all0
    return found


def ks_statistics(p: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two-sided KS statistic of each sample."""
    gaps = p / p.sum(axis=1, keepdims=True)
    gaps -= n / n.sum(axis=1, keepdims=True)
    np.cumsum(gaps, axis=1, out=gaps)
    found: NDArray[np.float64] = np.abs(gaps).max(axis=1)
    return found


def gaps(
    p: NDArray[np.float64], n: NDArray[np.float64], cells: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return how far positives lead negatives after some cells, shape (samples, cells)."""
    found = p / p.sum(axis=1, keepdims=True)
    found -= n / n.sum(axis=1, keepdims=True)
    np.cumsum(found, axis=1, out=found)
    picked: NDArray[np.float64] = found[:, cells]
    return picked


def partial_aucs(
    p: NDArray[np.float64], n: NDArray[np.float64], max_fpr: float
) -> NDArray[np.float64]:
    """Return the area under the ROC of each sample up to a false positive rate."""
    rise = p / p.sum(axis=1, keepdims=True)
    width = n / n.sum(axis=1, keepdims=True)
    end, top = np.cumsum(width, axis=1), np.cumsum(rise, axis=1)
    inside = np.clip(max_fpr - (end - width), 0, width)
    part = np.divide(inside, width, out=np.zeros_like(width), where=width > 0)
    # The height in the middle of what lies inside: the start of the segment and half its rise.
    height = top - rise + rise * part / 2
    found: NDArray[np.float64] = np.minimum((inside * height).sum(axis=1), max_fpr)
    return found


def at_share(
    p: NDArray[np.float64],
    n: NDArray[np.float64],
    q: float,
    which: OfShare,
    prevalence: float | None = None,
) -> NDArray[np.float64]:
    """Return a metric of the top share q of each sample; NaN without positives.

    Cases of the score in which the share ends are taken in proportion. With a prevalence the
    classes are re-weighted to it in each sample.
    """
    if prevalence is not None:
        p = p * (prevalence / p.sum(axis=1, keepdims=True))
        n = n * ((1 - prevalence) / n.sum(axis=1, keepdims=True))
    cases = p + n
    total = cases.sum(axis=1)
    end = np.cumsum(cases, axis=1)
    inside = np.clip(q * total[:, None] - (end - cases), 0, cases)
    part = np.divide(inside, cases, out=np.zeros_like(cases), where=cases > 0)
    captured = (p * part).sum(axis=1)
    if which == "precision":
        precision: NDArray[np.float64] = captured / (q * total)
        return precision
    all1 = p.sum(axis=1)
    share: NDArray[np.float64] = np.full(len(all1), np.nan)
    np.divide(captured, all1 * (q if which == "lift" else 1.0), out=share, where=all1 > 0)
    return share


def best_profits(
    p: NDArray[np.float64], n: NDArray[np.float64], value: float, cost: float
) -> NDArray[np.float64]:
    """Return the profit of the best cut-off of each sample: zero when that selects nobody."""
    gains = np.cumsum((value - cost) * p - cost * n, axis=1)
    found: NDArray[np.float64] = np.maximum(gains.max(axis=1), 0.0)
    return found


def profits(
    p: NDArray[np.float64],
    n: NDArray[np.float64],
    value: float,
    cost: float,
    cells: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the profit per case of selecting down to some cells, shape (samples, cells)."""
    gains = np.cumsum((value - cost) * p - cost * n, axis=1)[:, cells]
    gains /= (p.sum(axis=1) + n.sum(axis=1))[:, None]
    found: NDArray[np.float64] = gains
    return found

"""What the score tells about the target, in the measures of information theory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals
from capcurve.counts.exact import class_blocks
from capcurve.curves.shares import every_score, require
from capcurve.metrics.pairs import scaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranked, ScoreCounts

# From so many cells on they are looked at kind by kind.
MANY_CELLS = 1 << 16
# Two numbers below this make one of 62 bits.
MOST_PACKED = 1 << 31


def conditional_information_entropy_ratio(counts: Ranked) -> float:
    """Return CIER: the share of the target's uncertainty that knowing the score removes.

    With H(p) the entropy of the prevalence and H_S the mean entropy of the grades, it is
    (H(p) - H_S) / H(p). Meant for grades: with a continuous score it tends to 1.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        When a class is missing.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> conditional_information_entropy_ratio(ScoreCounts.from_counts([2, 1], [5, 0], [0, 5]))
    1.0
    """
    require(counts, "positives", "negatives")
    if isinstance(counts, RankTotals) and counts.entropy is not None:
        return _removed(entropy(counts.n1, counts.n0), counts.entropy)
    counts = every_score(counts)
    if counts.is_whole and len(counts) >= MANY_CELLS:
        within, n1, n0 = _entropy_of_kinds(counts)
    else:
        p, n = _class_columns(counts)
        within, n1, n0 = ((p + n) * entropy(p, n)).sum(), p.sum(), n.sum()
    return _removed(entropy(n1, n0), within / (n1 + n0))


def _removed(whole: Any, within: Any) -> float:
    """Return the share of the whole entropy that knowing the score removes, rounding aside."""
    if not whole > 0:
        raise ValueError("one class weighs next to nothing beside the other: there is no entropy")
    return float(min(max((whole - within) / whole, 0.0), 1.0))


def _entropy_of_kinds(counts: ScoreCounts) -> tuple[Any, Any, Any]:
    """Return the sum of cells times their entropy, and both totals.

    Cells of continuous scores are very many of very few kinds, and logarithms are dear.
    """
    within = 0.0
    for p, n in class_blocks(counts):
        times: Any = 1
        if p.max() < MOST_PACKED and n.max() < MOST_PACKED:
            kinds, times = np.unique(p * MOST_PACKED + n, return_counts=True)
            p, n = np.divmod(kinds, MOST_PACKED)  # noqa: PLW2901 - the kinds stand for the cells
        within += (times * (p + n) * entropy(p, n)).sum()
    return within, counts.n1, counts.n0


def information_value(counts: Ranked, *, bins: int | None = None) -> float:
    """Return the information value: the symmetric divergence between the classes' scores.

    The sum over grades of (c - d)·ln(c/d), with c and d the shares of positives and of
    negatives in a grade. It is infinite when a grade holds one class only; no grade is left
    out and nothing is smoothed.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    bins
        Take it over this many bins of a gains table instead of the distinct scores.

    Returns
    -------
    float
        Zero or more, in nats; `math.inf` when it is infinite.

    Raises
    ------
    ValueError
        When a class is missing.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> information_value(ScoreCounts.from_counts([2, 1], [5, 0], [1, 4]))
    inf
    """
    require(counts, "positives", "negatives")
    if bins is None and isinstance(counts, RankTotals) and counts.information_value is not None:
        return counts.information_value
    counts = every_score(counts) if bins is None else counts.vertices
    if bins is None and not (counts.positives.all() and counts.negatives.all()):
        return math.inf
    p, n = scaled(counts.positives), scaled(counts.negatives)
    if bins is not None:
        from capcurve.metrics.binning import bin_ends

        starts = np.concatenate([[0], bin_ends(counts, bins)[:-1]])
        return _divergence(np.add.reduceat(p, starts), np.add.reduceat(n, starts))
    return _divergence(p, n)


def _divergence(p: NDArray[Any], n: NDArray[Any]) -> float:
    c, d = p / p.sum(), n / n.sum()
    if not (np.all(c > 0) and np.all(d > 0)):
        return math.inf
    return float(((c - d) * np.log(c / d)).sum())


def _class_columns(counts: ScoreCounts) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both classes, scaled together so that nothing overflows."""
    largest = float(max(counts.positives.max(), counts.negatives.max()))
    return counts.positives / largest, counts.negatives / largest


def entropy(p: Any, n: Any) -> Any:
    """Return -(r ln r + (1 - r) ln(1 - r)) for the share r of the rarer class, 0 at both ends.

    The rarer class, because 1 - r would lose the digits of a small share.
    """
    rate = np.minimum(p, n) / (p + n)
    safe = np.where(rate > 0, rate, 0.5)
    found = -(safe * np.log(safe) + (1 - safe) * np.log1p(-safe))
    return np.where(rate > 0, found, 0.0)

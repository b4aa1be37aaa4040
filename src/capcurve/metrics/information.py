"""What the score tells about the target, in the measures of information theory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import scaled
from capcurve.counts.totals import divergence, entropy
from capcurve.curves.shares import bin_ends, require

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Array


def conditional_information_entropy_ratio(counts: Ranking) -> float:
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
    if not counts.is_whole:
        p, n = _class_columns(counts.every_score())
        within, n1, n0 = ((p + n) * entropy(p, n)).sum(), p.sum(), n.sum()
        return _removed(entropy(n1, n0), within / (n1 + n0))
    mean = counts.totals().entropy
    if mean is None:
        mean = counts.every_score().totals().entropy
    return _removed(entropy(counts.n1, counts.n0), mean)


def _removed(whole: Any, within: Any) -> float:
    """Return the share of the whole entropy that knowing the score removes, rounding aside."""
    if not whole > 0:
        raise ValueError("one class weighs next to nothing beside the other: there is no entropy")
    return float(min(max((whole - within) / whole, 0.0), 1.0))


def information_value(counts: Ranking, *, bins: int | None = None) -> float:
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
    if bins is None and counts.is_whole:
        found = counts.totals().information_value
        return information_value(counts.every_score()) if found is None else found
    cells = counts.every_score() if bins is None else counts.vertices
    p, n = scaled(cells.positives), scaled(cells.negatives)
    if bins is not None:
        starts = np.concatenate([[0], bin_ends(counts, bins)[:-1]])
        p, n = np.add.reduceat(p, starts), np.add.reduceat(n, starts)
    c, d = p / p.sum(), n / n.sum()
    return divergence(c, d) if (c > 0).all() and (d > 0).all() else math.inf


def _class_columns(counts: ScoreCounts) -> tuple[Array, Array]:
    """Return both classes, scaled together so that nothing overflows."""
    largest = float(max(counts.positives.max(), counts.negatives.max()))
    return counts.positives / largest, counts.negatives / largest

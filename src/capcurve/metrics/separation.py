"""How far apart the two classes lie: KS, Pietra index, Bayesian error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.exact import running_sums
from capcurve.curves.shares import check_rate, require, shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts import ScoreCounts

# Distances in floating point carry less error than this; closer ones are settled exactly.
NEAR = 1e-13


@dataclass(frozen=True, slots=True)
class KSPlace:
    """One place where the KS statistic is reached.

    Attributes
    ----------
    q
        Share of all cases selected there.
    threshold
        Lowest-ranked score still selected; None when none is.
    gap
        Positives captured minus negatives captured there.
    """

    q: float
    threshold: Any
    gap: float


@dataclass(frozen=True, slots=True)
class KS:
    """The largest gap between positives and negatives captured.

    Attributes
    ----------
    statistic
        The two-sided statistic, in [0, 1].
    q, threshold
        The first place where it is reached: share of cases selected, score still selected.
    side
        "+" when positives lead there, "-" when negatives do: the score is then reversed.
    places
        All places where it is reached.
    positive_side, negative_side
        The largest gap in favour of each class, both zero or more.
    """

    statistic: float
    q: float
    threshold: Any
    side: Literal["+", "-"]
    places: tuple[KSPlace, ...]
    positive_side: float
    negative_side: float


def ks(counts: ScoreCounts) -> KS:
    """Return the Kolmogorov-Smirnov statistic of positives against negatives, and its place.

    Taken at the ends of ties only, in both directions. It equals max(CAP(q) - q)/(1 - π)
    when positives lead.

    Parameters
    ----------
    counts
        What was counted.

    Raises
    ------
    ValueError
        When a class is missing.

    Notes
    -----
    Conover (1999), Practical Nonparametric Statistics, 6.3.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> found = ks(count_scores([1, 1, 0, 1, 0], [5, 4, 3, 2, 1]))
    >>> round(found.statistic, 12), found.q, found.threshold
    (0.666666666667, 0.4, 4)
    """
    require(counts, "positives", "negatives")
    leads, lags = _extremes(counts)
    most, least = max(leads.values()), min(lags.values())
    highest = max(most, -least)
    cells = [cell for cell, gap in leads.items() if gap == highest]
    cells += [cell for cell, gap in lags.items() if gap == -highest and cell not in cells]
    places = tuple(_place(counts, cell, leads.get(cell, lags.get(cell))) for cell in sorted(cells))
    first = places[0]
    side: Literal["+", "-"] = "+" if first.gap >= 0 else "-"
    pair_size = _pair_size(counts)
    return KS(
        _share(highest, pair_size),
        first.q,
        first.threshold,
        side,
        places,
        _share(most, pair_size),
        _share(-least, pair_size),
    )


def _gaps(counts: ScoreCounts) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield, block by block, the first cell, the gap after each cell, and both running sums."""
    start = 0
    # Whole counts are settled exactly afterwards, so quick floats will do for them.
    real: Any = np.float64 if counts.is_whole else np.longdouble
    by_p, by_n = 1 / real(counts.n1), 1 / real(counts.n0)
    for _, _, p_sums, n_sums in running_sums(counts):
        yield start, p_sums * by_p - n_sums * by_n, p_sums, n_sums
        start += len(p_sums)


def _pair_size(counts: ScoreCounts) -> int:
    """Return what exact gaps are counted in: pairs for whole counts, shares for weights."""
    return counts.n1 * counts.n0 if counts.is_whole else 1


def _share(gap: Any, pair_size: int) -> float:
    return float(gap / pair_size) + 0.0


def _extremes(counts: ScoreCounts) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return the exact gap after each number of cells where it is largest, and smallest.

    No cell, and so no gap, is a cut-off too. Blocks that cannot matter are left at once.
    """
    high = low = 0.0
    leads: dict[int, Any] = {0: 0}
    lags: dict[int, Any] = {0: 0}
    for start, gap, p_sums, n_sums in _gaps(counts):
        high, low = max(high, float(gap.max())), min(low, float(gap.min()))
        for found, near in ((leads, gap >= high - NEAR), (lags, gap <= low + NEAR)):
            for i in np.flatnonzero(near).tolist():
                exact = gap[i]
                if counts.is_whole:
                    exact = int(p_sums[i]) * counts.n0 - int(n_sums[i]) * counts.n1
                found[start + i + 1] = exact
    return leads, lags


def _place(counts: ScoreCounts, cell: int, gap: Any) -> KSPlace:
    """Return the cut-off after so many cells."""
    selected = counts.positives[:cell].sum(dtype=_sum_type(counts)) + counts.negatives[:cell].sum(
        dtype=_sum_type(counts)
    )
    threshold = plain_value(counts.thresholds[cell - 1]) if cell else None
    return KSPlace(float(selected / counts.n), threshold, _share(gap, _pair_size(counts)))


def _sum_type(counts: ScoreCounts) -> Any:
    return np.int64 if counts.is_whole else np.float64


def plain_value(value: Any) -> Any:
    """Return a score as a Python value."""
    return value.item() if isinstance(value, np.generic) else value


def pietra_index(
    counts: ScoreCounts, *, convention: Literal["wp14", "half_ks", "ks"] = "wp14"
) -> float:
    """Return the Pietra index, in a named convention: three are in use.

    Parameters
    ----------
    convention
        "wp14": sqrt(2)/4 · KS, the formula of Basel Working Paper 14; "half_ks": KS/2, the
        area of the triangle its words describe; "ks": KS itself, as Lee and Stata have it.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> pietra_index(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), convention="half_ks")
    0.25
    """
    factors = {"wp14": math.sqrt(2) / 4, "half_ks": 0.5, "ks": 1.0}
    if convention not in factors:
        raise ValueError(f"convention must be one of {', '.join(factors)}, got {convention!r}")
    return factors[convention] * ks(counts).statistic


def bayesian_error_rate(counts: ScoreCounts, *, prior: float | None = None) -> float:
    """Return the least share of cases that any cut-off misclassifies.

    Selecting nobody and selecting everybody are cut-offs too, so at low rates it is often
    the rate itself.

    Parameters
    ----------
    prior
        Share of positives to assume; that of the counts when left out. At 0.5 the result is
        (1 - KS)/2.

    Notes
    -----
    Basel Committee (2005), Working Paper 14, p. 37.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> bayesian_error_rate(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.25
    """
    require(counts, "positives", "negatives")
    sums = shares(counts)
    p, n = sums.positives, sums.negatives
    if prior is None and counts.is_whole:
        return int((p.total - p.sums + n.sums).min()) / int(counts.n)
    rate = counts.n1 / counts.n if prior is None else check_rate(prior, "prior")
    errors = rate * (1 - p.sums / p.total) + (1 - rate) * (n.sums / n.total)
    return float(errors.min())

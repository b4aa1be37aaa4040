"""What a random score's CAP looks like: exact bands around the diagonal, and simulated curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Ranked, ScoreCounts
from capcurve.counts.arguments import as_whole
from capcurve.inference.band import Band, Kind, check_kind
from capcurve.inference.record import check_open
from capcurve.inference.smirnov import smirnov_critical_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

POINTS = 400
CLUSTERED = (
    "the rows are clustered, and this band treats them as independent: a random score that "
    "follows clusters leaves it more often than stated"
)
TIED = "scores are tied: a random score with such ties leaves the band even less often"
POINTWISE = "pointwise: a random score leaves such a band somewhere far more often than stated"
# Of more cases the hypergeometric law is the binomial one for a class of which there is one in
# a hundred at most, and else the normal one, to less than a pixel.
MOST_EXACT = 1_000_000
RARE = 100
MOST_SIZE = 2**62
# What memory and patience hold.
MOST_CASES = 10**9
MOST_CURVES = 10_000


def null_band(
    counts: Ranked | tuple[int, int],
    *,
    kind: Kind = "simultaneous",
    level: float = 0.95,
) -> Band:
    """Return where the CAP of a score without information lies.

    Parameters
    ----------
    counts
        Result of `count_scores`, or the pair (n, n1) of all cases and positives.
    kind
        "simultaneous": the whole random CAP stays in with at least this frequency;
        "pointwise": it does so at each share of cases taken by itself.
    level
        Confidence level of the band.

    Returns
    -------
    Band
        Around the diagonal, clipped to what any CAP can reach.

    Raises
    ------
    ValueError, TypeError
        When a class is missing, the rows carry weights, or the pair is not of whole numbers.

    Notes
    -----
    The CAP is away from the diagonal by (1 - π) times the gap between the classes, so the
    simultaneous half-width is n0/n times the exact two-sample Smirnov critical value. Pointwise,
    the positives among the first k of n cases are hypergeometric; of more than a million cases
    binomial where a class is rare and normal where none is, which the band's method names.

    Examples
    --------
    With 6 positives among 20 the critical value is 9/14, times 14/20.

    >>> band = null_band((20, 6))
    >>> float(band.high[0] - band.estimate[0]), float(np.interp(0.5, band.q, band.high))
    (0.0, 0.95)
    """
    n, n1, tied = _sizes(counts)
    check_kind(kind)
    level = check_open(level, "level")
    q = np.unique(np.linspace(0, n, min(n, POINTS) + 1).round()) / n
    clustered = isinstance(counts, ScoreCounts) and counts.groups is not None
    notes = (*((CLUSTERED,) if clustered else ()), *((TIED,) if tied else ()))
    if kind == "pointwise":
        low, high, law = _pointwise(n, n1, q, level)
        return Band("random", kind, q, low, q, high, level, law, (POINTWISE, *notes))
    critical = smirnov_critical_value(n, n1, 1 - level)
    if critical is None:
        critical = 1.0
        notes = (
            f"no CAP of so few cases has a chance below {1 - level:g}: all lie inside",
            *notes,
        )
    reach = critical * (n - n1) / n
    low, high = np.maximum(q - reach, _lowest(n, n1, q)), np.minimum(q + reach, _highest(n, n1, q))
    return Band("random", kind, q, low, q, high, level, "Smirnov", notes)


def _sizes(counts: Ranked | tuple[int, int]) -> tuple[int, int, bool]:
    if isinstance(counts, Ranked):
        if not counts.is_whole:
            raise ValueError("the null band deals labels to cases, and these carry weights")
        n, n1 = counts.n, counts.n1
        tied = len(counts) < counts.n
    else:
        n, n1 = _as_pair(counts)
        tied = False
    if not 0 < n1 < n:
        raise ValueError(f"the null band needs both classes, got {n1} positives among {n} cases")
    return n, n1, tied


def _as_pair(pair: object) -> tuple[int, int]:
    sizes = tuple(pair) if isinstance(pair, tuple | list) else ()
    whole = [isinstance(size, int | np.integer) for size in sizes]
    if len(sizes) != len(("n", "n1")) or not all(whole):
        raise TypeError(f"the null band takes counts or whole numbers (n, n1), got {pair!r}")
    return as_whole(sizes[0], "n", 2, MOST_SIZE), as_whole(sizes[1], "n1", 0, MOST_SIZE)


def _highest(n: int, n1: int, q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.minimum(q * n / n1, 1.0)


def _lowest(n: int, n1: int, q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum((q * n - (n - n1)) / n1, 0.0)


def _pointwise(
    n: int, n1: int, q: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Return the quantiles of the share captured at each share of cases, and their law."""
    tail, rarer = (1 - level) / 2, min(n1, n - n1)
    if n <= MOST_EXACT:
        from scipy.stats import hypergeom

        law = hypergeom(n, n1, np.rint(q * n).astype(np.int64))
        return law.ppf(tail) / n1, law.ppf(1 - tail) / n1, "hypergeometric"
    if rarer <= min(n // RARE, MOST_EXACT):
        from scipy.stats import binom

        few, many = (binom(rarer, q).ppf(at) for at in (tail, 1 - tail))
        ends = (few, many) if n1 == rarer else (q * n - many, q * n - few)
        low, high, name = ends[0] / n1, ends[1] / n1, "binomial"
    else:
        from scipy.special import ndtri

        reach = float(ndtri(1 - tail)) * np.sqrt(q * (1 - q) * ((n - n1) / (n - 1) / n1))
        low, high, name = q - reach, q + reach, "normal"
    return np.maximum(low, _lowest(n, n1, q)), np.minimum(high, _highest(n, n1, q)), name


def simulate_random_cap(
    n: int, prevalence: float, *, curves: int = 1, seed: Any = None
) -> tuple[ScoreCounts, ...]:
    """Return counts of scores that are pure chance, to show what their CAPs look like.

    Parameters
    ----------
    n
        Cases in each.
    prevalence
        Share of positives; their number is n times this, rounded, in every one.
    curves
        How many to simulate.
    seed
        Anything `numpy.random.default_rng` takes.

    Returns
    -------
    tuple of ScoreCounts
        Without ties.

    Raises
    ------
    ValueError
        When a class would be empty or `curves` is below 1.

    Examples
    --------
    >>> [counts.n1 for counts in simulate_random_cap(500, 0.1, curves=2, seed=1)]
    [50, 50]
    """
    n, curves = as_whole(n, "n", 2, MOST_CASES), as_whole(curves, "curves", 1, MOST_CURVES)
    n1 = round(n * check_open(prevalence, "prevalence"))
    if not 0 < n1 < n:
        raise ValueError(f"{prevalence} of {n} cases leaves a class without cases")
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(curves):
        positive = np.zeros(n, dtype=np.int64)
        positive[rng.permutation(n)[:n1]] = 1
        found.append(ScoreCounts.from_counts(np.arange(n), positive, 1 - positive))
    return tuple(found)

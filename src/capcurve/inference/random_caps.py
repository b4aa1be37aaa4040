"""What chance alone does: the band of a random score's CAP, and simulated random scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Ranking, ScoreCounts
from capcurve.counts.arguments import as_open_share, as_whole
from capcurve.counts.given import Function, as_ranking, resolving
from capcurve.inference.designs import ROUNDING
from capcurve.inference.exact import smirnov_reach
from capcurve.inference.records import Band, Kind, check_kind
from capcurve.inference.statistics import reachable

if TYPE_CHECKING:
    from capcurve.counts.types import Floats
    from capcurve.inference.designs import Seed

RANDOM_POINTS = 400
CLUSTERED = (
    "the rows are clustered, and this band treats them as independent: a random score that "
    "follows clusters leaves it more often than stated"
)
TIED = "scores are tied: a random score with such ties leaves the band even less often"
RANDOM_POINTWISE = (
    "pointwise: a random score leaves such a band somewhere far more often than stated"
)
# Of more cases the hypergeometric law is the binomial one for a class of which there is one in
# a hundred at most, and else the normal one, to less than a pixel.
MOST_EXACT = 1_000_000
RARE = 100
MOST_SIZE = 2**62
# What memory and patience hold.
MOST_CASES = 10**9
MOST_CURVES = 10_000


def counts_or_sizes(function: Function) -> Function:
    """Let a function of counts take the pair (n, n1) too."""

    def resolve(given: Any, name: str, needed: str) -> object:
        if isinstance(given, tuple | list):
            return given
        try:
            return as_ranking(given, name, needed)
        except TypeError as error:
            raise TypeError(f"{error}, or {name}((n, n1))") from None

    return resolving(function, resolve)


@counts_or_sizes
def null_band(
    counts: Ranking | tuple[int, int],
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
    simultaneous half-width is n0/n times the widest gap below the critical value of Smirnov's exact
    two-sample law, from 10,001 cases on times the value of large samples. Without ties the CAP
    leaves it exactly where `ks_test` rejects. Pointwise,
    the positives among the first k of n cases are hypergeometric; of more than a million cases
    binomial where a class is rare and normal where none is, which the band's method names.

    Examples
    --------
    With 6 positives among 20 chance opens a gap of 9/14 or more in 3.7% of orders, the next
    smaller one, 13/21, in more than 5%: the half-width is 13/21 · 14/20 = 13/30.

    >>> band = null_band((20, 6))
    >>> round(float(np.interp(0.5, band.q, band.high)) - 0.5, 9), round(13 / 30, 9)
    (0.433333333, 0.433333333)
    """
    n, n1, tied = _sizes(counts)
    check_kind(kind)
    level = as_open_share(level, "level")
    q = np.unique(np.linspace(0, n, min(n, RANDOM_POINTS) + 1).round()) / n
    clustered = isinstance(counts, ScoreCounts) and counts.groups is not None
    notes = (*((CLUSTERED,) if clustered else ()), *((TIED,) if tied else ()))
    if kind == "pointwise":
        low, high, law = _pointwise(n, n1, q, level)
        return Band("random", kind, q, low, q, high, level, law, (RANDOM_POINTWISE, *notes))
    gap = smirnov_reach(n, n1, 1 - level)
    if gap >= 1:
        notes = (
            f"no CAP of so few cases has a chance below {1 - level:g}: all lie inside",
            *notes,
        )
    reach = gap * (n - n1) / n
    q = _with_bends(q, n, n1, gap)
    least, most = _possible(q, n, n1)
    # A CAP that reaches the edge lies inside, whatever its sums are rounded to.
    reach += ROUNDING
    low, high = np.maximum(q - reach, least), np.minimum(q + reach, most)
    return Band("random", kind, q, low, q, high, level, "Smirnov", notes)


def _sizes(counts: Ranking | tuple[int, int]) -> tuple[int, int, bool]:
    if isinstance(counts, Ranking):
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


def _possible(q: Floats, n: int, n1: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest CAP, and what they may be rounded to."""
    return reachable(q, n1 / n / (1 + ROUNDING))


def _with_bends(q: Floats, n: int, n1: int, gap: float) -> Floats:
    """Return shares with those where the edge meets what any CAP can reach.

    Between its points a band is straight, and there a bend would be cut off.
    """
    bend, end = gap * n1 / n, 1 - gap * (n - n1) / n
    return np.unique(np.concatenate([q, np.clip([bend, 1 - bend, end, 1 - end], 0, 1)]))


def _pointwise(n: int, n1: int, q: Floats, level: float) -> tuple[Floats, Floats, str]:
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
    least, most = _possible(q, n, n1)
    return np.maximum(low, least), np.minimum(high, most), name


def simulate_random_cap(
    n: int, prevalence: float, *, curves: int = 1, seed: Seed = None
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
    n1 = round(n * as_open_share(prevalence, "prevalence"))
    if not 0 < n1 < n:
        raise ValueError(f"{prevalence} of {n} cases leaves a class without cases")
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(curves):
        positive = np.zeros(n, dtype=np.int64)
        positive[rng.permutation(n)[:n1]] = 1
        found.append(ScoreCounts.from_counts(np.arange(n), positive, 1 - positive))
    return tuple(found)

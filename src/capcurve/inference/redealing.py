"""Segments as they could be if all ranked alike: resampled, dealt anew, or drawn from a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.segments import heterogeneity, spreads_of_cells
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

    Dealt = tuple[NDArray[Any], NDArray[Any]]
    Deal = Callable[[np.random.Generator], Dealt]

# Places on the common scale; ties this fine change no variance that matters.
PLACES = 4096
MODEL_PLACES = 512
# With fewer rows a cell than this, shuffling rows is quicker than dealing cells.
FEW_ROWS = 100
LARGEST_DEALT = 10**9
HALVINGS = 60


def redealt(
    deal: Deal, expected: NDArray[np.float64], replicates: int, seed: Any
) -> NDArray[np.float64]:
    """Return Q of many samples in which all segments rank alike, shape (replicates,)."""
    rng = np.random.default_rng(seed)
    found = np.empty(replicates)
    for i in range(replicates):
        spreads = spreads_of_cells(*deal(rng))
        found[i] = heterogeneity(spreads.aucs - expected, spreads.variances())[0]
    return found


def within(segments: Sequence[ScoreCounts]) -> tuple[Deal, NDArray[np.float64]]:
    """Return how to resample every segment from its own cases, and the AUC each then has.

    What is compared are distances from that AUC, so each segment keeps the way in which it
    separates its classes.
    """
    columns = [(c.positives.astype(np.int64), c.negatives.astype(np.int64)) for c in segments]
    width = max(len(counts) for counts in segments)

    def deal(rng: np.random.Generator) -> Dealt:
        dealt = np.zeros((2, len(segments), width), dtype=np.int64)
        for i, column in enumerate(columns):
            for k in (0, 1):
                dealt[k, i, : len(column[k])] = _resampled(rng, column[k])
        return dealt[0], dealt[1]

    return deal, np.array([roc_auc(counts) for counts in segments])


def _resampled(rng: np.random.Generator, column: NDArray[np.int64]) -> NDArray[np.int64]:
    total = int(column.sum())
    if total <= FEW_ROWS * len(column):
        ends = np.cumsum(column)
        cells = np.searchsorted(ends, rng.integers(0, total, total), side="right")
        return np.bincount(cells, minlength=len(column))
    return rng.multinomial(total, column / total)


def permutation(segments: Sequence[ScoreCounts]) -> tuple[Deal, NDArray[np.float64]]:
    """Return how to deal the cases of each class anew among the segments.

    Scores are first put on a common scale: at which share of positives and of negatives of
    its own segment, averaged, a case stands. Levels may then differ between segments; if
    they separate their classes alike, any dealing is as likely as the one seen.
    """
    sizes = [[int(getattr(c, f"n{k}")) for c in segments] for k in (1, 0)]
    for cases in sizes:
        if sum(cases) >= LARGEST_DEALT:
            raise ValueError('too many cases to deal anew; use method="chi2", which then holds')
    places = np.concatenate([_common_scale(counts) for counts in segments])
    places = np.unique(places, return_inverse=True)[1]
    pooled = [
        np.bincount(places, np.concatenate([getattr(c, name) for c in segments])).astype(np.int64)
        for name in ("positives", "negatives")
    ]

    def deal(rng: np.random.Generator) -> Dealt:
        return _split(rng, pooled[0], sizes[0]), _split(rng, pooled[1], sizes[1])

    return deal, np.zeros(len(segments))


def _common_scale(counts: ScoreCounts) -> NDArray[np.int64]:
    standing = np.zeros(len(counts))
    for column, total in ((counts.positives, counts.n1), (counts.negatives, counts.n0)):
        standing += (np.cumsum(column, dtype=np.int64) - column / 2) / total / 2
    return np.rint(standing * PLACES).astype(np.int64)


def _split(rng: np.random.Generator, pooled: NDArray[np.int64], sizes: list[int]) -> NDArray[Any]:
    """Deal pooled cells to segments of the given sizes, shape (G, K)."""
    places, total = len(pooled), sum(sizes)
    if total <= FEW_ROWS * places:
        segment = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        cell = segment * places + np.repeat(np.arange(places), pooled)
        return np.bincount(cell, minlength=len(sizes) * places).reshape(len(sizes), places)
    left, dealt = pooled.copy(), []
    for size in sizes:
        dealt.append(rng.multivariate_hypergeometric(left, size, method="marginals"))
        left -= dealt[-1]
    return np.array(dealt)


def binormal(segments: Sequence[ScoreCounts], auc: float) -> tuple[Deal, NDArray[np.float64]]:
    """Return how to draw segments from two normal laws that have one AUC everywhere.

    Class sizes and ties are those seen; the expected AUC of each segment, which ties move a
    little, comes with it.
    """
    from scipy.special import ndtri

    pairs = sum(int(counts.n1) * int(counts.n0) for counts in segments)
    inside = min(max(auc, 0.5 / pairs), 1 - 0.5 / pairs)
    apart = math.sqrt(2) * float(ndtri(inside))
    chances = [_cell_chances(counts, apart) for counts in segments]
    sizes = [(int(counts.n1), int(counts.n0)) for counts in segments]
    width = max(len(p) for p, _ in chances)

    def deal(rng: np.random.Generator) -> Dealt:
        dealt = np.zeros((2, len(sizes), width), dtype=np.int64)
        for i, (size, chance) in enumerate(zip(sizes, chances, strict=True)):
            for k in (0, 1):
                dealt[k, i, : len(chance[k])] = rng.multinomial(size[k], chance[k])
        return dealt[0], dealt[1]

    expected = [(p * (1 - np.cumsum(n) + n / 2)).sum() for p, n in chances]
    return deal, np.array(expected)


def _cell_chances(counts: ScoreCounts, apart: float) -> Dealt:
    """Return how likely a positive, a negative falls in each tie when classes are normal."""
    from scipy.special import ndtr

    cases = np.cumsum(counts.positives, dtype=np.int64) + np.cumsum(
        counts.negatives, dtype=np.int64
    )
    shares = cases[:-1] / cases[-1]
    if len(shares) >= MODEL_PLACES:
        shares = shares[np.unique(np.linspace(0, len(shares) - 1, MODEL_PLACES).astype(np.intp))]
    rate = counts.n1 / cases[-1]
    low, high = np.full(len(shares), -40.0 - abs(apart)), np.full(len(shares), 40.0 + abs(apart))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = rate * ndtr(apart - middle) + (1 - rate) * ndtr(-middle) > shares
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found = []
    for centre in (apart, 0.0):
        reached = np.concatenate([[0.0], ndtr(centre - low), [1.0]])
        chance = np.maximum(np.diff(reached), 0.0)
        found.append(chance / chance.sum())
    return found[0], found[1]

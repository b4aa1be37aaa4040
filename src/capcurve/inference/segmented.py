"""Limits of the AUC of every segment at once: the default ones, those of `confidence_interval`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.segmented import SegmentCells
from capcurve.inference.designs import ClassSizes
from capcurve.inference.limits import (
    MOST_UNSEEN,
    Chance,
    crossings,
    newcombe_variance,
    observed_shape,
    on_log_odds,
    shaped_variance,
)
from capcurve.inference.ranking import default_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import SegmentCounts
    from capcurve.inference.records import Confidence
    from capcurve.numbers.types import Array, Bools, Floats

# Of more pairs the sums of squares, 4·(n1·n0)², are no whole numbers of 64 bits.
MOST_SQUARED_PAIRS = 2.0**30


def auc_limits(counts: SegmentCounts, confidence: Confidence) -> tuple[Floats, Floats]:
    """Return the limits of the AUC of each segment, shape (G,); NaN where a class is missing.

    The counts are whole ones of one score, whose rows are independent.
    """
    cells = SegmentCells.of(counts)
    n1, n0 = cells.positives, cells.cases - cells.positives
    pairs = n1.astype(np.float64) * n0
    low, high = np.full((2, len(counts)), np.nan)
    for at in np.flatnonzero(pairs >= MOST_SQUARED_PAIRS).tolist():
        low[at], high[at] = default_interval(counts.at(at))(confidence).limits
    sums = np.array([n1, n0, *_pair_sums(cells)], dtype=np.float64)
    few = (pairs > 0) & (pairs < MOST_SQUARED_PAIRS)
    spread = few & (sums[:2] > 1).all(axis=0) & (sums[2:4] > 0).all(axis=0) & (sums[4:] > 0).any(0)
    for some, limits in ((few & spread, _envelope), (few & ~spread, _newcombe)):
        if some.any():
            low[some], high[some] = _allowing_for_unseen(limits, sums[:, some], confidence)
    return low, high


def _pair_sums(cells: SegmentCells) -> tuple[Array, ...]:
    """Return twice the pairs won, and lost, and how doubled placements of each class vary."""
    # The last are sums of squares times the size of the class, less the square of the sum: they,
    # too, are whole numbers.
    e, before_e = cells.e, cells.before_e
    f, before_f = cells.m - e, cells.before_m - before_e
    n1, n0 = cells.positives, cells.cases - cells.positives
    below, above = 2 * (cells.spread(n0) - before_f) - f, 2 * before_e + e
    won = cells.total(f * above)
    of1 = n1 * cells.total(e * below * below) - won * won
    return won, 2 * n1 * n0 - won, of1, n0 * cells.total(f * above * above) - won * won


def _allowing_for_unseen(
    limits: Callable[..., tuple[Floats, Floats]], sums: Floats, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return limits, moved out for a kind of the rarer class that was not seen."""
    n1, n0, won, lost, *squares = sums
    chance: Any = Chance(*(each / (2 * n1 * n0) for each in (won, lost)))
    low, high = limits(chance, ClassSizes(n1, n0), squares, confidence)
    unseen = np.minimum(1 - confidence.tail ** (1 / np.minimum(n1, n0)), MOST_UNSEEN)
    at_random = chance.won + unseen * (0.5 - chance.won)
    return np.minimum(low, at_random), np.maximum(high, at_random)


def _newcombe(chance: Any, sizes: Any, _: object, confidence: Confidence) -> tuple[Floats, Floats]:
    return _score_limits(chance, partial(newcombe_variance, sizes=sizes), confidence.z)


def _envelope(
    chance: Any, sizes: Any, squares: Array, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Return the envelope of limits by DeLong's error in the log odds, and of score limits."""
    from scipy.special import stdtrit

    pairs = 2 * sizes.positives * sizes.negatives
    parts: Any = [each / pairs**2 / (n - 1) for each, n in zip(squares, sizes, strict=True)]
    scaled = parts / np.maximum(*parts)
    freedom = scaled.sum(axis=0) ** 2 / sum(
        p**2 / (n - 1) for p, n in zip(scaled, sizes, strict=True)
    )
    half = np.abs(stdtrit(freedom + 1, confidence.tail)) * np.sqrt(sum(parts))
    down, up = on_log_odds(chance.won, chance.lost, half / chance.won / chance.lost)
    shape = observed_shape(chance, sizes, parts)
    variance = partial(shaped_variance, sizes=sizes, shape=shape)
    low, high = _score_limits(chance, variance, confidence.z)
    return np.clip(np.minimum(low, down), 0, 1), np.clip(np.maximum(high, 1 - up), 0, 1)


def _score_limits(chance: Any, variance: Callable[..., Floats], z: float) -> tuple[Floats, Floats]:
    """Return the AUCs that lie z of the standard errors away that samples of theirs have."""

    def too_far(distance: Floats, won: Floats, lost: Floats) -> Bools:
        far: Bools = distance**2 > z * z * variance(won, lost)
        return far

    low = crossings(lambda a: too_far(chance.won - a, a, 1 - a), chance.won)
    return low, 1 - crossings(lambda b: too_far(chance.lost - b, 1 - b, b), chance.lost)

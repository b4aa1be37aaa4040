"""Bootstrap: other samples that chance could have drawn, dealt out on the counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_whole
from capcurve.inference.sizes import require_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference.interval import Confidence

    Statistic = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

# Cells of all samples that are held at once.
CELLS_AT_ONCE = 1 << 20
# With fewer rows a cell than this, dealing rows is quicker than dealing cells.
FEW_ROWS = 4
FEWEST_REPLICATES = 2
MOST_REPLICATES = 10_000_000
NEAR_ZERO = 1e-12
# Replicates that spread by less than this part of their size are alike but for rounding.
ROUNDING = 1e-12


def replicated(
    counts: ScoreCounts, statistic: Statistic, *, replicates: int, seed: Any, stratified: bool
) -> NDArray[np.float64]:
    """Return a statistic of many resampled counts.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    statistic
        Takes positives and negatives of several samples, each of shape (samples, K) and
        measured in `unit(counts)`, and returns one number per sample; NaN where it is undefined.
    replicates
        How many samples to draw.
    seed
        Anything `numpy.random.default_rng` takes; the same whole number gives the same samples.
    stratified
        Whether each class keeps its size, as the AUC takes it, or only all cases together do,
        as a share of all cases takes it.

    Returns
    -------
    ndarray
        Shape (replicates,).
    """
    check_replicates(replicates)
    rng = np.random.default_rng(seed)
    found = np.empty(replicates)
    start = 0
    deal = _dealer(counts, stratified)
    for step in _steps(replicates, len(counts)):
        found[start : start + step] = statistic(*deal(rng, step))
        start += step
    return found


def unit(counts: ScoreCounts) -> float:
    """Return what samples are measured in: cases, or the largest weight of a score and class.

    Weights of 1e300 have products in units of the largest only.
    """
    if counts.weights is None:
        return 1.0
    return float(max(counts.positives.max(), counts.negatives.max()))


def check_replicates(replicates: object) -> None:
    """Raise ValueError unless this is a number of replicates."""
    as_whole(replicates, "replicates", FEWEST_REPLICATES, MOST_REPLICATES)


def _steps(replicates: int, cells: int) -> Iterator[int]:
    most = max(1, CELLS_AT_ONCE // max(cells, 1))
    for start in range(0, replicates, most):
        yield min(most, replicates - start)


def _dealer(
    counts: ScoreCounts, stratified: bool
) -> Callable[[np.random.Generator, int], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    require_rows(counts)
    weights, size = counts.weights, len(counts)
    p, n = counts.positives, counts.negatives
    if weights is not None:
        scale = unit(counts)
        of1 = (p / scale, weights.positive_roots / scale)
        of0 = (n / scale, weights.negative_roots / scale)
        return lambda rng, many: (_weighed(rng, many, *of1), _weighed(rng, many, *of0))
    if stratified:
        return lambda rng, many: (_dealt(rng, many, p), _dealt(rng, many, n))
    both = np.concatenate([p.astype(np.int64), n.astype(np.int64)])

    def together(
        rng: np.random.Generator, many: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        cells = _dealt(rng, many, both)
        return cells[:, :size], cells[:, size:]

    return together


def _dealt(rng: np.random.Generator, many: int, column: NDArray[Any]) -> NDArray[np.float64]:
    """Deal as many cases as there are anew among the cells, with the chances they have."""
    full = np.flatnonzero(column)
    cases = column[full].astype(np.int64)
    total = int(cases.sum())
    dealt = np.zeros((many, len(column)))
    if total <= FEW_ROWS * len(full):
        cell_of_row = np.repeat(full, cases)
        for row in dealt:
            drawn = cell_of_row[rng.integers(0, total, total)]
            row[:] = np.bincount(drawn, minlength=len(column))
        return dealt
    dealt[:, full] = rng.multinomial(total, cases / total, size=many)
    return dealt


def _weighed(
    rng: np.random.Generator, many: int, sums: NDArray[Any], roots: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply the weight of each row by a random number of mean 1 and variance 1.

    Rubin (1981), "The Bayesian bootstrap": exponential numbers. Their sum over a cell is a
    gamma number of mean Σw and variance Σw², exactly so when its weights are equal.
    """
    full = np.flatnonzero(roots)
    shape = (sums[full] / roots[full]) ** 2
    dealt = np.zeros((many, len(sums)))
    dealt[:, full] = rng.standard_gamma(shape, size=(many, len(full))) * (sums[full] / shape)
    return dealt


def standard_error(replicates: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of replicates; None when they are all alike."""
    se = float(replicates.std(ddof=1))
    return se if se > ROUNDING * float(np.abs(replicates).max()) else None


def percentiles(replicates: NDArray[np.float64], confidence: Confidence) -> tuple[float, float]:
    """Return the quantiles of the replicates that leave one tail out on each side.

    Straight lines between order statistics: type 7 of Hyndman & Fan (1996).
    """
    low, high = np.quantile(replicates, [confidence.tail, 1 - confidence.tail])
    return float(low), float(high)


def corrected_percentiles(
    replicates: NDArray[np.float64], estimate: float, acceleration: float, confidence: Confidence
) -> tuple[float, float]:
    """Return bias-corrected and accelerated quantiles (BCa): Efron (1987), JASA 82.

    Replicates equal to the estimate count half in the bias.
    """
    from scipy.special import ndtr, ndtri

    below = np.mean(replicates < estimate) + np.mean(replicates == estimate) / 2
    edge = 0.5 / len(replicates)
    bias = ndtri(np.clip(below, edge, 1 - edge))
    chances = []
    for sign in (-1, 1):
        moved = bias + sign * confidence.z
        # Far out the correction turns over; there the extreme replicate is the limit.
        chances.append(ndtr(bias + moved / max(1 - acceleration * moved, NEAR_ZERO)))
    low, high = np.quantile(replicates, chances)
    return float(low), float(high)

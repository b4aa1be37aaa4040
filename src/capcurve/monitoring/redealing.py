"""The limit of a control chart: how high it climbs by chance, in samples that are dealt anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.influence import aucs_left_out
from capcurve.monitoring.initial import normal_spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.monitoring.initial import Cells, Initial

REPLICATES = 4000
# So many series of one period are held at once.
SERIES = 1000
# Of so many cases each is dealt by itself. In periods of more than the second number the normal law
# of all cells together is as good, and ten times as quick: an AUC is linear in the cells of each
# class, so that its mean and variance stay the same. The initial sample is always dealt.
FEW_CASES, MANY_CASES = 200, 400


def climbed(ratios: Floats, initial: Floats | float, variances: Floats, drop: float) -> Floats:
    """Return the likelihood-ratio CUSUM along the first axis.

    C = max(0, C + drop·(initial - ratio - drop/2)/variance): the log-likelihood ratio of normal
    accuracy ratios that fell by `drop` against those that did not, begun again at 0 (Page 1954,
    Biometrika 41). It stays where it is in a period without an accuracy ratio, which is NaN.

    >>> climbed(np.array([0.5, np.nan, 0.6]), 0.6, np.array([0.01, np.nan, 0.01]), 0.1)
    array([0.5, 0.5, 0. ])
    """
    steps = drop * (initial - ratios - drop / 2) / variances
    found = np.zeros(steps.shape)
    reached = np.zeros(steps.shape[1:])
    for place, step in enumerate(np.where(np.isnan(steps), 0.0, steps)):
        reached = np.maximum(reached + step, 0.0)
        found[place] = reached
    return found


def climbed_by_chance(
    initial: Initial, sizes: Sequence[tuple[int, int]], drop: float, seed: int
) -> Floats:
    """Return the chart of 4,000 series in which nothing has changed, shape (periods, series).

    In every series the initial sample, if it is one, and each period are dealt anew from the
    cells of the initial sample.
    """
    rng = np.random.default_rng(seed)
    befores, (of_positives, of_negatives) = _initial_samples(rng, initial)
    ratios = np.empty((len(sizes), REPLICATES))
    variances = np.empty((len(sizes), REPLICATES))
    for place, (n1, n0) in enumerate(sizes):
        ratios[place] = 2 * _aucs(rng, initial.cells, n1, n0) - 1
        variances[place] = 4 * (of_positives / n1 + of_negatives / n0)
    return climbed(ratios, befores, variances, drop)


def climbed_by_clusters(
    initial: Initial, periods: Sequence[ScoreCounts], drop: float, seed: int
) -> Floats:
    """Return the same of clustered periods: drawn from the normal law that the jackknife finds.

    Groups of clusters are left out of all periods at once, and of the initial sample if that has
    clusters too, so that obligors may be in several.
    """
    whole = initial.counts
    together = whole is not None and whole.groups is not None
    before = [whole.every_score()] if whole is not None and together else []
    left = aucs_left_out([*before, *periods])
    if left.too_few:
        raise ValueError(
            "in a clustered period fewer than two groups of clusters hold a class, so how it "
            "varies is not known; put periods together"
        )
    rng = np.random.default_rng(seed)
    moved = np.sqrt(left.masses[0]) * left.moves[0]
    drawn = 2 * (rng.standard_normal((REPLICATES, moved.shape[1])) @ moved.T).T
    own = np.zeros(REPLICATES)
    if not together and initial.sizes is not None:
        own = rng.standard_normal(REPLICATES) * initial.variance(*initial.sizes) ** 0.5
    first, ratios = (drawn[0], drawn[1:]) if together else (own, drawn)
    variances = np.array([initial.variance(int(c.n1), int(c.n0)) for c in periods])
    return climbed(ratios, first, variances[:, None], drop)


def limit_of(charts: Floats, alarms: float) -> float:
    """Return the limit that a share `alarms` of the series goes above in any period."""
    return float(np.quantile(charts.max(axis=0), 1 - alarms, method="higher"))


def _initial_samples(
    rng: np.random.Generator, initial: Initial
) -> tuple[Floats | float, tuple[Floats | float, Floats | float]]:
    """Return the accuracy ratio of initial samples dealt anew, and how their placements vary."""
    cells = initial.cells
    if initial.sizes is None:
        return 2 * cells.auc - 1, initial.spreads
    n1, n0 = initial.sizes
    if initial.counts is None:
        aucs, inside = _aucs(rng, cells, n1, n0), 0.5 / n1 / n0
        spread = normal_spread(np.clip(aucs, inside, 1 - inside))
        return 2 * aucs - 1, (spread, spread)
    found = [_placed(rng, cells, n1, n0, SERIES) for _ in range(REPLICATES // SERIES)]
    aucs, of_positives, of_negatives = (np.concatenate(each) for each in zip(*found, strict=True))
    return 2 * aucs - 1, (of_positives, of_negatives)


def _placed(
    rng: np.random.Generator, cells: Cells, n1: int, n0: int, many: int
) -> tuple[Floats, Floats, Floats]:
    """Return AUCs of samples dealt anew, and the variances of the placements in each class.

    A sample without any variance has that of half a case in the rarest place.
    """
    p, n = _dealt(rng, cells.positives, n1, many), _dealt(rng, cells.negatives, n0, many)
    over_positives = 1 - np.cumsum(n, axis=1) + n / 2
    over_negatives = np.cumsum(p, axis=1) - p / 2
    aucs = np.einsum("ij,ij->i", p, over_positives)
    spreads = []
    for shares, over, size in ((p, over_positives, n1), (n, over_negatives, n0)):
        square = np.einsum("ij,ij->i", shares, (over - aucs[:, None]) ** 2)
        spreads.append(np.maximum(square * size / (size - 1), 1 / (4 * n1 * n0)))
    return aucs, spreads[0], spreads[1]


def _aucs(rng: np.random.Generator, cells: Cells, n1: int, n0: int) -> Floats:
    """Return the AUCs of samples of this size, one for each series."""
    found = []
    for _ in range(REPLICATES // SERIES):
        p = _shares(rng, cells.positives, n1, SERIES)
        n = _shares(rng, cells.negatives, n0, SERIES)
        found.append(np.einsum("ij,ij->i", p, 1 - np.cumsum(n, axis=1) + n / 2))
    return np.concatenate(found)


def _dealt(rng: np.random.Generator, chances: Floats, size: int, many: int) -> Floats:
    """Return which share of `size` cases falls into each cell, in many samples, (many, K)."""
    if size <= FEW_CASES:
        upto = np.cumsum(chances)
        cells = np.searchsorted(upto / upto[-1], rng.random((many, size)), side="right")
        cells += len(chances) * np.arange(many)[:, None]
        dealt = np.bincount(cells.ravel(), minlength=many * len(chances))
        return dealt.reshape(many, -1) / size
    return rng.multinomial(size, chances / chances.sum(), size=many) / size


def _shares(rng: np.random.Generator, chances: Floats, size: int, many: int) -> Floats:
    """Return the same, by the normal law where cases are many."""
    if size <= MANY_CASES:
        return _dealt(rng, chances, size, many)
    roots = np.sqrt(chances)
    normal = rng.standard_normal((many, len(chances)))
    # Not by matrix products: on a busy machine the threads behind them wait for each other.
    total = np.einsum("ij,j->i", normal, roots)
    shares: Floats = chances + (roots * normal - chances * total[:, None]) / size**0.5
    return shares

"""Bands: how far a whole CAP could lie elsewhere, the difference of two, a random score's."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Ranking, ScoreCounts
from capcurve.counts.arguments import as_open_share, as_whole
from capcurve.curves import cap_curve
from capcurve.curves.shares import bin_ends, require
from capcurve.inference.designs import (
    LEAST_GROUPS,
    LeftOut,
    Resampling,
    check_replicates,
    leave_out,
)
from capcurve.inference.exact import smirnov_critical_value
from capcurve.inference.records import Band, Kind, check_kind
from capcurve.inference.sizes import groups_per_class, require_joint
from capcurve.inference.statistics import caps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import JointCounts
    from capcurve.counts.types import Floats, Places
    from capcurve.inference.designs import Seed

# Shares of cases at which the bands of real scores are taken.
Q = np.linspace(0, 1, 101)
LEAST_CURVES = 2
# More distinct scores than these are grouped before they are resampled: at most this many
# groups of equal size, finer than a line is thick.
MOST_CELLS = 1000
GROUPED = "the scores were grouped into {} bins of equal size before resampling"
POINTWISE = "pointwise: the true curve leaves such a band somewhere more often than stated"

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


def cap_band(
    counts: ScoreCounts,
    *,
    kind: Kind = "simultaneous",
    level: float = 0.95,
    replicates: int = 2000,
    seed: Seed = None,
) -> Band:
    """Return how far the CAP could lie elsewhere by chance.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    kind
        "simultaneous": the true CAP lies inside as a whole with about this frequency;
        "pointwise": at each share of cases taken by itself.
    level
        Confidence level of the band.
    replicates
        Bootstrap samples.
    seed
        Anything `numpy.random.default_rng` takes.

    Returns
    -------
    Band
        Around the CAP, clipped to the unit square.

    Raises
    ------
    ValueError
        When a class is missing or weights are of unknown kind.

    Notes
    -----
    Bootstrap sup-t: the largest distance in standard errors over all shares of cases sets one
    width for all of them. Unstratified: the number of positives is left to chance too. With
    clusters the covariance is that of leaving out groups of them, drawn as multivariate t.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 30, 10], [20, 60, 90])
    >>> band = cap_band(counts, seed=1)
    >>> bool(((band.low <= band.estimate) & (band.estimate <= band.high)).all())
    True
    """
    require(counts, "positives", "negatives")
    level = _check(kind, level, replicates)
    notes: tuple[str, ...] = (POINTWISE,) if kind == "pointwise" else ()
    estimate = np.asarray(cap_curve(counts).at(Q))
    if counts.groups is not None:
        left = _cap_left_out(counts)
        low, high, method = _left_out_limits(left, estimate, kind, level, replicates, seed)
    else:
        few = counts
        if len(counts) > MOST_CELLS and counts.weights is None:
            few = counts.joined(bin_ends(counts, MOST_CELLS))
            notes = (*notes, GROUPED.format(len(few)))
        drawn = Resampling(few, replicates, seed).draw(partial(caps, q=Q), stratified=False)
        low, high, method = _resampled_limits(drawn, estimate, kind, level, replicates)
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return Band("cap", kind, Q, low, estimate, high, level, method, notes)


def _check(kind: object, level: float, replicates: int) -> float:
    """Return the level as a plain number."""
    check_kind(kind)
    check_replicates(replicates)
    return as_open_share(level, "level")


def _resampled_limits(
    curves: Floats, estimate: Floats, kind: Kind, level: float, replicates: int
) -> tuple[Floats, Floats, str]:
    """Return limits from resampled curves, shape (replicates, m); NaN where there is none."""
    curves = curves[~np.isnan(curves).any(axis=1)]
    if len(curves) < LEAST_CURVES:
        raise ValueError(
            f"{len(curves)} of the resampled curves had positives: too few for a band; ask for "
            "more replicates"
        )
    spread = curves.std(axis=0, ddof=1)
    if kind == "pointwise":
        from scipy.special import ndtri

        factor = -float(ndtri((1 - level) / 2))
    else:
        moves = spread > 0
        distance = np.abs(curves[:, moves] - estimate[moves]) / spread[moves]
        factor = float(np.quantile(distance.max(axis=1, initial=0.0), level))
    reach = factor * spread
    return estimate - reach, estimate + reach, f"bootstrap, {replicates} samples"


def _cap_left_out(counts: ScoreCounts) -> LeftOut:
    if groups_per_class(counts).positives < LEAST_GROUPS:
        raise ValueError("a band of clustered rows needs positives in at least two groups")
    return leave_out(counts, partial(caps, q=Q))


def _left_out_limits(
    left: LeftOut, estimate: Floats, kind: Kind, level: float, replicates: int, seed: Seed
) -> tuple[Floats, Floats, str]:
    """Return limits from what leaving out groups of clusters does to the whole curve.

    "pointwise" takes Student's t at each share; "simultaneous" the quantile of the largest of
    multivariate t processes with the jackknife covariance, one normal number per group.
    """
    from scipy.special import stdtrit

    moved, scale = left.moves[0], np.sqrt(left.masses[0])
    freedom = float(max(left.sizes.positives - 1, 1))
    spread = scale * np.sqrt((moved**2).sum(axis=1))
    if kind == "pointwise":
        factor = -float(stdtrit(freedom, (1 - level) / 2))
    else:
        moves = spread > 0
        rng = np.random.default_rng(seed)
        drawn = rng.normal(size=(replicates, moved.shape[1])) @ moved[moves].T * scale
        size = np.sqrt(rng.chisquare(freedom, replicates) / freedom)
        largest = np.abs(drawn / spread[moves]).max(axis=1, initial=0.0) / size
        factor = float(np.quantile(largest, level))
    method = f"{left.method}, t({freedom:g})"
    return estimate - factor * spread, estimate + factor * spread, method


def difference_band(
    joint: JointCounts,
    scores: Sequence[str] | None = None,
    *,
    kind: Kind = "simultaneous",
    level: float = 0.95,
    replicates: int = 1000,
    seed: Seed = None,
) -> Band:
    """Return where the CAP of one score really lies above that of another.

    Parameters
    ----------
    joint
        The scores, counted on the same rows.
    scores
        The first and the second; the first two of `joint` when left out.
    kind, level, replicates, seed
        As in `cap_band`.

    Returns
    -------
    Band
        Around the first CAP less the second; where `low` is above 0 the first captures more.

    Raises
    ------
    ValueError
        When there are not two such scores, a class is missing, or the rows carry weights and
        have no clusters.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})
    >>> band = difference_band(joint, seed=1)
    >>> float(band.estimate[50])
    0.0
    """
    require_joint(joint)
    first, second = _two_names(joint, scores)
    level = _check(kind, level, replicates)
    if joint.weights is not None and joint.groups is None:
        raise ValueError("the band of a difference resamples cases, and these carry weights")
    margins = [joint.margin(name) for name in (first, second)]
    require(margins[0], "positives", "negatives")
    estimate = np.asarray(cap_curve(margins[0]).at(Q)) - np.asarray(cap_curve(margins[1]).at(Q))
    if joint.groups is not None:
        left = [_cap_left_out(margin) for margin in margins]
        moved = left[0].moves[0] - left[1].moves[0]
        less = replace(left[0], values=left[0].values - left[1].values, moves=(moved,))
        low, high, method = _left_out_limits(less, estimate, kind, level, replicates, seed)
    else:
        curves = _resampled_differences(joint, (first, second), replicates, seed)
        low, high, method = _resampled_limits(curves, estimate, kind, level, replicates)
    return Band(
        f"{first} less {second}",
        kind,
        Q,
        np.clip(low, -1, 1),
        estimate,
        np.clip(high, -1, 1),
        level,
        method,
        (POINTWISE,) if kind == "pointwise" else (),
    )


def _two_names(joint: JointCounts, scores: Sequence[str] | None) -> tuple[str, str]:
    names = tuple(joint.names[:2]) if scores is None else tuple(scores)
    if len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004 - a pair
        raise ValueError(f"a difference is between two scores, got {list(names)}")
    for name in names:
        if name not in joint.names:
            raise ValueError(f"no score {name!r} here; have {list(joint.names)}")
    return names[0], names[1]


def _resampled_differences(
    joint: JointCounts, names: tuple[str, str], replicates: int, seed: Seed
) -> Floats:
    """Resample rows, and take the CAPs of both scores on the same ones."""
    rng = np.random.default_rng(seed)
    cells = np.concatenate([joint.positives.astype(np.int64), joint.negatives.astype(np.int64)])
    n = int(cells.sum())
    first, second = (_places(joint, name) for name in names)
    found = np.empty((replicates, len(Q)))
    for row in found:
        drawn = rng.multinomial(n, cells / n).astype(np.float64)
        p, m = drawn[: len(joint)], drawn[len(joint) :]
        row[:] = _cap(first, p, m) - _cap(second, p, m)
    return found


def _cap(places: Places, p: Floats, n: Floats) -> Floats:
    """Return the CAP of the score whose cells these places are."""
    sums = np.stack([np.bincount(places, column) for column in (p, n)]).astype(np.float64)
    found: Floats = caps(sums[:1], sums[1:], Q)[0]
    return found


def _places(joint: JointCounts, name: str) -> Places:
    """Return in which cell of one score, best first, each joint cell lies."""
    column = joint.names.index(name)
    _, cell = np.unique(joint.scores[column], return_inverse=True)
    return cell.max() - cell if joint.higher_is[column] == "positive" else cell


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
    level = as_open_share(level, "level")
    q = np.unique(np.linspace(0, n, min(n, RANDOM_POINTS) + 1).round()) / n
    clustered = isinstance(counts, ScoreCounts) and counts.groups is not None
    notes = (*((CLUSTERED,) if clustered else ()), *((TIED,) if tied else ()))
    if kind == "pointwise":
        low, high, law = _pointwise(n, n1, q, level)
        return Band("random", kind, q, low, q, high, level, law, (RANDOM_POINTWISE, *notes))
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


def _highest(n: int, n1: int, q: Floats) -> Floats:
    return np.minimum(q * n / n1, 1.0)


def _lowest(n: int, n1: int, q: Floats) -> Floats:
    return np.maximum((q * n - (n - n1)) / n1, 0.0)


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
    return np.maximum(low, _lowest(n, n1, q)), np.minimum(high, _highest(n, n1, q)), name


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

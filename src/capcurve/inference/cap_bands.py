"""How far a model's CAP could lie elsewhere, and where one CAP really lies above another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import cap_curve
from capcurve.curves.shares import bin_ends, require
from capcurve.inference.band import Band, Kind, check_kind
from capcurve.inference.bootstrap import check_replicates, replicated
from capcurve.inference.clustered_bands import caps_left_out, reach_of
from capcurve.inference.record import check_open
from capcurve.inference.sizes import require_joint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import JointCounts, ScoreCounts

POINTS = 100
LEAST_CURVES = 2
# More distinct scores than these are grouped before they are resampled: at most this many
# groups of equal size, finer than a line is thick.
MOST_CELLS = 1000
GROUPED = "the scores were grouped into {} bins of equal size before resampling"
JACKKNIFE = "jackknife over {} groups of clusters, t({:g})"
POINTWISE = "pointwise: the true curve leaves such a band somewhere more often than stated"


def cap_band(
    counts: ScoreCounts,
    *,
    kind: Kind = "simultaneous",
    level: float = 0.95,
    replicates: int = 2000,
    seed: Any = None,
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
    q = np.linspace(0, 1, POINTS + 1)
    estimate = np.asarray(cap_curve(counts).at(q))
    method = f"bootstrap, {replicates} samples"
    notes: tuple[str, ...] = ()
    if counts.groups is not None:
        left = caps_left_out([counts], [1.0], q)
        reach, df = reach_of(left, kind, level, replicates, seed)
        low, high, method = estimate - reach, estimate + reach, JACKKNIFE.format(left.groups, df)
    else:
        grouped, notes = _grouped(counts)
        caps = _resampled_caps(grouped, q, replicates, seed)
        low, high = limits(caps, estimate, kind, level)
    return Band(
        "cap",
        kind,
        q,
        np.clip(low, 0.0, 1.0),
        estimate,
        np.clip(high, 0.0, 1.0),
        level,
        method,
        (*((POINTWISE,) if kind == "pointwise" else ()), *notes),
    )


def _check(kind: object, level: float, replicates: int) -> float:
    """Return the level as a plain number."""
    check_kind(kind)
    check_replicates(replicates)
    return check_open(level, "level")


def limits(
    curves: NDArray[np.float64], estimate: NDArray[np.float64], kind: Kind, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper limits from resampled curves, shape (replicates, m)."""
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
        largest = distance.max(axis=1, initial=0.0)
        factor = float(np.quantile(largest, level))
    return estimate - factor * spread, estimate + factor * spread


def _grouped(counts: ScoreCounts) -> tuple[ScoreCounts, tuple[str, ...]]:
    if len(counts) <= MOST_CELLS or counts.weights is not None:
        return counts, ()
    ends = bin_ends(counts, MOST_CELLS)
    return counts.joined(ends), (GROUPED.format(len(ends)),)


def _resampled_caps(
    counts: ScoreCounts, q: NDArray[np.float64], replicates: int, seed: Any
) -> NDArray[np.float64]:
    found: list[NDArray[np.float64]] = []

    def collect(p: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
        found.append(caps_at(p, n, q))
        return np.zeros(len(p))

    replicated(counts, collect, replicates=replicates, seed=seed, stratified=False)
    return np.concatenate(found)


def caps_at(
    positives: NDArray[np.float64], negatives: NDArray[np.float64], q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the CAP of each row of cells at shares q; a row without positives has none."""
    captured = np.cumsum(positives, axis=1)
    selected = np.cumsum(positives + negatives, axis=1)
    rows = [
        np.interp(q, np.append(0.0, x / x[-1]), np.append(0.0, y / y[-1]))
        for x, y in zip(selected, captured, strict=True)
        if y[-1] > 0
    ]
    return np.array(rows).reshape(-1, len(q))


def difference_band(
    joint: JointCounts,
    scores: Sequence[str] | None = None,
    *,
    kind: Kind = "simultaneous",
    level: float = 0.95,
    replicates: int = 1000,
    seed: Any = None,
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
    q = np.linspace(0, 1, POINTS + 1)
    margins = [joint.margin(name) for name in (first, second)]
    require(margins[0], "positives", "negatives")
    estimate = np.asarray(cap_curve(margins[0]).at(q)) - np.asarray(cap_curve(margins[1]).at(q))
    notes = (POINTWISE,) if kind == "pointwise" else ()
    name = f"{first} less {second}"
    if joint.groups is not None:
        left = caps_left_out(margins, [1.0, -1.0], q)
        reach, df = reach_of(left, kind, level, replicates, seed)
        low, high, method = estimate - reach, estimate + reach, JACKKNIFE.format(left.groups, df)
    else:
        curves = _resampled_differences(joint, (first, second), q, replicates, seed)
        low, high = limits(curves, estimate, kind, level)
        method = f"bootstrap, {replicates} samples"
    return Band(
        name, kind, q, np.clip(low, -1, 1), estimate, np.clip(high, -1, 1), level, method, notes
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
    joint: JointCounts,
    names: tuple[str, str],
    q: NDArray[np.float64],
    replicates: int,
    seed: Any,
) -> NDArray[np.float64]:
    """Resample rows, and take the CAPs of both scores on the same ones."""
    rng = np.random.default_rng(seed)
    cells = np.concatenate([joint.positives.astype(np.int64), joint.negatives.astype(np.int64)])
    n = int(cells.sum())
    readers = [_reader(joint, name, q) for name in names]
    found = []
    for _ in range(replicates):
        drawn = rng.multinomial(n, cells / n)
        p, m = drawn[: len(joint)].astype(np.float64), drawn[len(joint) :].astype(np.float64)
        if p.sum() > 0:
            found.append(readers[0](p, m) - readers[1](p, m))
    return np.array(found).reshape(-1, len(q))


def _reader(
    joint: JointCounts, name: str, q: NDArray[np.float64]
) -> Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]:
    """Return what reads the CAP of one score off resampled cells."""
    place = joint.names.index(name)
    _, cell = np.unique(joint.scores[place], return_inverse=True)
    size = int(cell.max()) + 1
    if joint.higher_is[place] == "positive":
        cell = size - 1 - cell

    def read(p: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = [np.bincount(cell, weights=w, minlength=size).astype(np.float64) for w in (p, n)]
        found: NDArray[np.float64] = caps_at(sums[0][None, :], sums[1][None, :], q)[0]
        return found

    return read

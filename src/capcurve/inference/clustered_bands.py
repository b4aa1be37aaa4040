"""Bands around curves of clustered rows, from what leaving out groups does to the whole curve."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.jackknife import LEAST_GROUPS, LeftOut, holding, leave_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference.band import Kind


def caps_left_out(
    several: Sequence[ScoreCounts], weights: Sequence[float], q: NDArray[np.float64]
) -> LeftOut:
    """Return a weighted sum of CAPs at shares q, without each group of clusters in turn.

    Raises
    ------
    ValueError
        When positives are in fewer than two groups.
    """
    found = [_caps(counts, q) for counts in several]
    moved = sum((w * left.moved for w, left in zip(weights, found, strict=True)), start=0.0)
    whole = sum((w * left.whole for w, left in zip(weights, found, strict=True)), start=0.0)
    first = found[0]
    return LeftOut(
        np.asarray(whole), np.asarray(moved), first.groups, first.positives, first.negatives
    )


def _caps(counts: ScoreCounts, q: NDArray[np.float64]) -> LeftOut:
    if holding(counts)[0] < LEAST_GROUPS:
        raise ValueError("a band of clustered rows needs positives in at least two groups")
    return leave_out(counts, partial(_caps_at, q=q))


def _caps_at(
    p: NDArray[np.float64], n: NDArray[np.float64], q: NDArray[np.float64]
) -> NDArray[np.float64]:
    rows = []
    for captured, cases in zip(np.cumsum(p, axis=1), np.cumsum(p + n, axis=1), strict=True):
        x, y = np.append(0.0, cases / cases[-1]), np.append(0.0, captured / captured[-1])
        rows.append(np.interp(q, x, y))
    return np.array(rows)


def reach_of(
    left: LeftOut, kind: Kind, level: float, replicates: int, seed: Any
) -> tuple[NDArray[np.float64], float]:
    """Return how far the limits lie from the curve, and the degrees of freedom.

    "pointwise" takes Student's t at each share; "simultaneous" the quantile of the largest of
    multivariate t processes with the jackknife covariance, one normal number per group.
    """
    from scipy.special import stdtrit

    freedom = float(max(left.positives - 1, 1))
    scale = np.sqrt((left.groups - 1) / left.groups)
    spread = scale * np.sqrt((left.moved**2).sum(axis=0))
    if kind == "pointwise":
        return -float(stdtrit(freedom, (1 - level) / 2)) * spread, freedom
    moves = spread > 0
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(replicates, len(left.moved))) @ left.moved[:, moves] * scale
    size = np.sqrt(rng.chisquare(freedom, replicates) / freedom)
    largest = np.abs(drawn / spread[moves]).max(axis=1, initial=0.0) / size
    return float(np.quantile(largest, level)) * spread, freedom

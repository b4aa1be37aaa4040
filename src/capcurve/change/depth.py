"""Why captured response, lift or precision at a depth changed: the ranking, or the prevalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from capcurve.change.influence import Spread
from capcurve.counts.exact import cumulated
from capcurve.curves.simplify import between_levels
from capcurve.inference.designs import Resampling, leave_out
from capcurve.inference.sizes import require_rows, rows_per_class
from capcurve.inference.statistics import at_share

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.inference.statistics import Rate

AtDepth = Literal["captured_response", "lift", "precision"]
# Positives and negatives of several draws of a sample, shape (draws, scores) each.
Draws: TypeAlias = "tuple[Floats, Floats]"
REPLICATES = 1000
SEED = 0


def values_at_depth(before: Draws, after: Draws, metric: AtDepth, q: float) -> Floats:
    """Return a metric with the ranking of one sample and the prevalence of one: (draws, 2, 2)."""
    both = (before, after)
    # A draw without one of the classes has no value, which whoever draws leaves out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return _of_draws(both, metric, q)


def _of_draws(both: tuple[Draws, Draws], metric: AtDepth, q: float) -> Floats:
    which: Rate = "precision" if metric == "precision" else "captured_response"
    rows = [[at_share(p, n, q, which, _rate(other)) for other in both] for p, n in both]
    draws = max(len(p) for p, _ in both)
    found = np.array([[np.broadcast_to(values, draws) for values in row] for row in rows])
    return found.transpose(2, 0, 1) / (q if metric == "lift" else 1)


def _rate(classes: Draws) -> Floats:
    positives, negatives = (column.sum(axis=1, keepdims=True) for column in classes)
    found: Floats = positives / (positives + negatives)
    return found


def parts_at_depth(values: Floats) -> Floats:
    """Return ranking, prevalence and the whole change, shape (draws, 3).

    Ranking and prevalence each in the mean of both orders, so that they add up and change sign
    when samples swap.
    """
    change = values[:, 1, 1] - values[:, 0, 0]
    early, late = values[:, 1, 0] - values[:, 0, 0], values[:, 1, 1] - values[:, 0, 1]
    ranking = (early + late) / 2
    return np.stack([ranking, change - ranking, change], axis=1)


def as_draw(counts: ScoreCounts) -> Draws:
    """Return the sample itself, as one draw."""
    return counts.positives[None].astype(np.float64), counts.negatives[None].astype(np.float64)


def spread_at_depth(before: ScoreCounts, after: ScoreCounts, metric: AtDepth, q: float) -> Spread:
    """Return how far chance moves ranking, prevalence and change.

    Each sample is drawn anew while the other stays; of clustered samples each group of clusters
    is left out, of both at once where both have them.
    """
    samples = [_fewer(before), _fewer(after)]
    found: list[tuple[Floats, float]] = []
    moves = []
    for u, counts in enumerate(samples):
        fixed = as_draw(samples[1 - u])

        def parts(p: Floats, n: Floats, u: int = u, fixed: Draws = fixed) -> Floats:
            drawn = (p, n)
            both = (drawn, fixed) if u == 0 else (fixed, drawn)
            return parts_at_depth(values_at_depth(*both, metric, q))

        if counts.groups is None:
            drawn = Resampling(counts, REPLICATES, SEED + u).draw(parts, stratified=False)
            found.append((np.nanvar(drawn, axis=0), min(rows_per_class(counts)) - 1.0))
        else:
            moves.append(leave_out(counts, parts).moves[0])
    if moves:
        found.append(_of_groups(moves))
    return Spread.of(found)


def _fewer(counts: ScoreCounts) -> ScoreCounts:
    """Return counts in so few cells that drawing them is quick, which moves nothing one sees."""
    require_rows(counts)
    ends = between_levels(cumulated(counts.positives), cumulated(counts.negatives))
    return counts if len(ends) > len(counts) else counts.joined(ends[1:])


def _of_groups(moves: list[Floats]) -> tuple[Floats, float]:
    """Return the jackknife's variance, and its degrees of freedom."""
    width = max(each.shape[1] for each in moves)
    padded = [np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in moves]
    whole = np.sum(padded, axis=0)
    groups = max(int(np.any(whole, axis=0).sum()), 2)
    return (groups - 1) / groups * (whole**2).sum(axis=1), groups - 1.0

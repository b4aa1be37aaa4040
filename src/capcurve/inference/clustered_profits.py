"""The interval of the best cut-off's profit when rows are clustered: a maximum over cut-offs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves import profit_curve
from capcurve.curves.shares import require
from capcurve.inference import resampled
from capcurve.inference.interval import Interval
from capcurve.inference.jackknife import LEAST_GROUPS, holding, leave_out, notes_of

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.inference.interval import Confidence

# Profits are looked at in so many places, and where they are largest.
PLACES = 300


def clustered_profit_interval(
    counts: ScoreCounts, value: float, cost: float, confidence: Confidence
) -> Interval:
    """Return the interval of the best profit of as many cases, which is its mean times these.

    The best cut-off is found in the same rows, so samples exaggerate its profit: the lower limit
    is that of the profit at this cut-off, moved down by how far the largest of profits drawn
    around those seen, with the covariance that leaving out groups shows, lies above the largest
    seen. The upper one is the highest upper limit at any cut-off, since another one may be best
    in truth: where no cut-off pays in the sample, one may yet.
    """
    require(counts, "positives", "negatives")
    curve = profit_curve(counts, value=value, cost=cost).y
    estimate = max(0.0, float(curve.max()))
    most = float(counts.n) * max(value - cost, -cost)
    if most <= 0:
        note = "no case brings more than it costs, so none is selected in any sample"
        return Interval(0.0, 0.0, 0.0, confidence.level, "definition", 0.0, (note,))
    groups = min(holding(counts))
    if groups < LEAST_GROUPS:
        note = "one group of clusters holds the rarer class: the limits are all that is possible"
        low, high = confidence.opened((0.0, most), (0.0, np.inf))
        return Interval(low, estimate, high, confidence.level, "definition", None, (note,))
    places = np.linspace(0, len(counts) - 1, PLACES).round().astype(np.intp)
    best = max(int(curve.argmax()) - 1, 0)
    cells = np.unique(np.append(places, best))
    left = leave_out(counts, partial(resampled.profits, value=value, cost=cost, cells=cells))
    here = int(np.searchsorted(cells, best))
    found = left.along(np.eye(len(cells))[[here]])
    n, top = float(counts.n), max(float(left.whole.max()), 0.0)
    bias = max(float(np.maximum(left.drawn().max(axis=1), 0.0).mean()) - top, 0.0)
    df, spread = found.freedom(groups), np.sqrt(np.diagonal(left.covariance()))
    t = confidence.t(df)
    low = max(estimate - n * (bias + t * float(spread[here])), 0.0)
    high = min(max(n * float((left.whole + t * spread).max()), estimate), most)
    low, high = confidence.opened((low, high), (0.0, np.inf))
    note = (
        f"a maximum: samples exaggerate it by {n * bias:.4g}, and the lower limit is moved down "
        "by it; the upper one is the highest at any cut-off"
    )
    notes, se = (*notes_of(left, df, groups), note), n * float(spread[here])
    return Interval(low, estimate, high, confidence.level, "jackknife", se, notes)

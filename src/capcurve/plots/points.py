"""Fewer cells for the same picture: true points of the curve, at a known distance from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves import Curve, ks_curve, local_lift_curve
from capcurve.curves.shares import bin_ends

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts

# A picture is a few thousand pixels wide: of 5e-4 a fifth is spent on the cells, the rest on
# the line through them.
LEVELS = 10_000
TOLERANCE = 4e-4
DRAWN_IN_FULL = 500
MOST_GRADES = 40
LIFT_BINS = 20
# Swings of the gap smaller than this are noise to the eye when scores are many.
VISIBLE_SWING = 0.04


def few_cells(counts: Ranked) -> ScoreCounts:
    """Return counts whose curves differ by at most 1/10,000 of a class, in few cells.

    Neighbouring scores are added up as long as neither class gains a level of 1/10,000; each
    group keeps its lowest-ranked score, so every point left is a point of the full curve.
    """
    counts = counts.vertices
    if len(counts) <= 2 * LEVELS:
        return counts
    ends = [np.array([len(counts)])]
    for cases in (counts.positives, counts.negatives):
        sums = cumulated(cases)
        reached = np.searchsorted(sums, np.arange(1, LEVELS) * (float(sums[-1]) / LEVELS))
        ends += [reached - 1, reached]
    together = np.unique(np.concatenate(ends))
    return counts.joined(together[(together > 0) & (together <= len(counts))])


def in_bins(counts: ScoreCounts) -> ScoreCounts:
    """Return the counts themselves when they are grades, else in twenty bins of equal size."""
    if len(counts) <= MOST_GRADES:
        return counts
    return counts.joined(bin_ends(counts, LIFT_BINS))


def as_drawn(curve: Curve) -> Curve:
    """Return the curve with no more points than the eye can use."""
    if len(curve) <= DRAWN_IN_FULL:
        return curve
    height = float(np.ptp(curve.y)) or 1.0
    return curve.simplify(TOLERANCE * height)


def lift_crossings(counts: ScoreCounts, prevalence: float | None = None) -> list[float]:
    """Return the shares selected at which the lift of single scores crosses 1.

    For up to 40 scores these are all of them; for more, those where the gap between the
    classes swings by more than 0.04, for single scores are mostly noise. The place of KS is
    always among them.
    """
    if len(counts) <= MOST_GRADES:
        curve = local_lift_curve(counts, prevalence=prevalence)
        side = np.sign(curve.y[1:] - 1)
    else:
        curve = ks_curve(few_cells(counts), prevalence=prevalence).simplify(VISIBLE_SWING)
        side = np.sign(np.diff(curve.y))
    sided = np.flatnonzero(side)
    crossed = np.flatnonzero(np.diff(side[sided]))
    return [float(curve.x[sided[place] + 1]) for place in crossed]

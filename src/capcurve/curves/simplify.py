"""Which points of a curve, and which cut-offs of counts, stand for all within a stated distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.numbers.arguments import refused
from capcurve.numbers.exact import cumulated

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats, Places

# Below this the distance is rounding of the chord, not of the curve.
CHORD_ROUNDING = 1e-14
# Beyond twice as many cut-offs, those between two of so many levels of each class are left out
# first: that moves a curve by at most one level, and the rest of the tolerance goes to chords.
CUTOFF_LEVELS = 10_000
SMALLEST_SHARE, LARGEST_SHARE = 1e-4, 0.5


def kept_points(
    x: Floats, y: Floats, numerator: Floats, denominator: Floats | None, tolerance: float
) -> Places:
    """Return the indices of the points to keep, first and last always among them."""
    # Chords are split at their worst point until none is too far from the points it skips, all at
    # once. With a denominator the chords are those of both broken lines, and y is their ratio.
    allowed = tolerance + CHORD_ROUNDING * float(np.abs(y).max(initial=1.0))
    chords = np.array([[0, len(x) - 1]], dtype=np.intp)
    keep = [chords.ravel()]
    while len(chords):
        inside, owner = _points_inside(chords)
        distance = _distances(x, y, numerator, denominator, chords, owner, inside)
        chords = _split_at_worst(chords, inside, owner, distance, allowed)
        keep.append(chords.ravel())
    return np.unique(np.concatenate(keep))


def _points_inside(chords: Places) -> tuple[Places, Places]:
    """Return all points from start to end of each chord, and the chord each belongs to."""
    sizes = chords[:, 1] - chords[:, 0] + 1
    owner = np.repeat(np.arange(len(chords)), sizes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.arange(len(owner)) - first + chords[owner, 0], owner


def _distances(
    x: Floats,
    y: Floats,
    numerator: Floats,
    denominator: Floats | None,
    chords: Places,
    owner: Places,
    inside: Places,
) -> Floats:
    """Return how far each point is from its chord; for ratios also just before and after it."""
    start, end = chords[owner, 0], chords[owner, 1]
    width = x[end] - x[start]
    flat = width > 0
    part = np.where(flat, (x[inside] - x[start]) / np.where(flat, width, 1.0), 0.0)

    def on_chord(line: Floats) -> Floats:
        height: Floats = line[start] + (line[end] - line[start]) * part
        return height

    here = y[inside]
    if denominator is None:
        return np.where(flat, np.abs(here - on_chord(y)), 0.0)
    below = on_chord(denominator)
    ratio = np.where(below > 0, on_chord(numerator) / np.where(below > 0, below, 1.0), here)
    distance = np.abs(here - ratio)
    # Between points both curves are monotone, so the ends bound what happens in between.
    between = np.maximum(np.abs(here[1:] - ratio[:-1]), np.abs(here[:-1] - ratio[1:]))
    between[owner[1:] != owner[:-1]] = 0.0
    distance[1:] = np.maximum(distance[1:], between)
    distance[:-1] = np.maximum(distance[:-1], between)
    return np.where(flat, distance, 0.0)


def _split_at_worst(
    chords: Places, inside: Places, owner: Places, distance: Floats, allowed: float
) -> Places:
    """Return the halves of those chords that skip a point too far off; the others are done."""
    ends = (inside == chords[owner, 0]) | (inside == chords[owner, 1])
    skipped = np.where(ends, 0.0, distance)
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    peak = np.maximum.reduceat(skipped, starts)
    far = np.flatnonzero(peak > allowed)
    stops = np.append(starts[1:], len(owner))
    worst = [inside[starts[c] + np.argmax(skipped[starts[c] : stops[c]])] for c in far]
    halves = [[(chords[c, 0], at), (at, chords[c, 1])] for c, at in zip(far, worst, strict=True)]
    return np.array(halves, dtype=np.intp).reshape(-1, 2)


def kept_steps(y: Floats, tolerance: float) -> Places:
    """Merge neighbouring segments while all their values are near that of the last one."""
    keep = [len(y) - 1]
    for place in range(len(y) - 2, 0, -1):
        if abs(y[place] - y[keep[-1]]) > tolerance:
            keep.append(place)
    return np.array([0, *reversed(keep)], dtype=np.intp)


def stops(
    positives: Array, negatives: Array, tolerance: float, steps: int, levels: int = CUTOFF_LEVELS
) -> Places:
    """Return how many distinct scores are selected at each cut-off that stands for others too."""
    # CAP and ROC through these lie within `tolerance` of the full ones, along the share of
    # positives captured. The deepest cut-off within each of `steps` equal steps of the share
    # selected is among them, and within a tenth as many that grow by a factor from 0.01% on; no
    # more distinct scores than `steps` are all kept. `positives` and `negatives` are running sums,
    # 0 first; fewer `levels` are found sooner, and leave less of the tolerance to chords.
    if not tolerance > 1 / levels:
        raise ValueError(f"{refused('tolerance')} be above {1 / levels}, got {tolerance}")
    if len(positives) - 1 <= steps:
        return np.arange(len(positives))
    near = between_levels(positives, negatives, levels)
    tp, fp = positives[near], negatives[near]
    cases = tp + fp
    y, room = tp / tp[-1], tolerance - 1 / levels
    kept = [near[kept_points(x / x[-1], y, y, None, room)] for x in (cases, fp)]
    if steps:
        wanted = _grid(steps) * float(cases[-1])
        kept.append(_deepest_within(positives, negatives, wanted, near, cases))
    return np.unique(np.concatenate(kept))


def stops_of_amounts(
    selected: Array, captured: Array, tolerance: float, steps: int, levels: int = CUTOFF_LEVELS
) -> Places:
    """Return how many distinct scores are selected at each cut-off of amounts that stands for more.

    As `stops`, for running sums of exposure and amount: the curve through these lies within
    `tolerance` of the full one, in heights of the curve. Amounts may be below zero.
    """
    if len(selected) - 1 <= steps:
        return np.arange(len(selected))
    moved = np.abs(np.diff(captured, prepend=captured[:1])).cumsum()
    near = between_levels(moved, selected, levels)
    x, y = selected[near] / selected[-1], captured[near] / (float(np.ptp(captured)) or 1.0)
    kept = [near[kept_points(x, y, y, None, tolerance - 1 / levels)]]
    if steps:
        wanted = _grid(steps) * float(selected[-1])
        nothing = np.broadcast_to(np.zeros(1, selected.dtype), selected.shape)
        kept.append(_deepest_within(selected, nothing, wanted, near, selected[near]))
    return np.unique(np.concatenate(kept))


def between_levels(positives: Array, negatives: Array, levels: int = CUTOFF_LEVELS) -> Places:
    """Return cut-offs between which neither class gains more than a level, or one cell lies."""
    last = len(positives) - 1
    if last <= 2 * levels:
        return np.arange(last + 1)
    ends = [np.array([0, last])]
    for sums in (positives, negatives):
        wanted = np.arange(1, levels) * (float(sums[-1]) / levels)
        if sums.dtype.kind != "f":
            # Of the sums' own type, so that searching them does not convert all of them.
            wanted = np.ceil(wanted).astype(sums.dtype)
        reached = np.searchsorted(sums, wanted)
        ends += [reached - 1, reached]
    together = np.unique(np.concatenate(ends))
    return together[(together >= 0) & (together <= last)]


def few_cells(counts: Ranking) -> ScoreCounts:
    """Return counts whose curves differ by at most 1/10,000 of a class, in few cells."""
    # Neighbouring scores are added up as long as neither class gains a level of 1/10,000; each
    # group keeps its lowest-ranked score, so every point left is a point of the full curve.
    counts = counts.vertices
    ends = between_levels(cumulated(counts.positives), cumulated(counts.negatives))
    return counts if len(ends) > len(counts) else counts.joined(ends[1:])


def _deepest_within(
    positives: Array, negatives: Array, wanted: Floats, near: Places, cases: Array
) -> Places:
    """Return the last cut-off that selects no more than each number of cases."""
    # Looked for between two of the cut-offs that are at hand, where few others lie.
    left = np.searchsorted(cases, wanted, side="right") - 1
    found = []
    for place, most in zip(left.tolist(), wanted.tolist(), strict=True):
        low = int(near[place])
        high = int(near[min(place + 1, len(near) - 1)]) + 1
        between = positives[low:high] + negatives[low:high]
        found.append(low + int(np.searchsorted(between, most, side="right")) - 1)
    return np.array(found, dtype=np.intp)


def _grid(steps: int) -> Floats:
    small = np.geomspace(SMALLEST_SHARE, LARGEST_SHARE, max(steps // 10, 2))
    return np.concatenate([small, np.linspace(0, 1, steps + 1)])


def thinned(counts: ScoreCounts, tolerance: float, steps: int) -> ScoreCounts:
    """Return counts in fewer cells, whose CAP and ROC lie within `tolerance` of the full ones."""
    if len(counts) <= steps:
        return counts
    positives, negatives = cumulated(counts.positives), cumulated(counts.negatives)
    return counts.joined(stops(positives, negatives, tolerance, steps)[1:])


def grouped_neighbours(counts: ScoreCounts, most: int, last: int | None = None) -> ScoreCounts:
    """Return the counts in at most so many groups of neighbouring scores, and a few more."""
    # Each holds no more than one part in `most` of both classes together, unless a single score
    # does. One ends at cell `last`, if that is said.
    if len(counts) <= most:
        return counts
    return counts.joined(group_ends(counts, most, last))


def group_ends(counts: ScoreCounts, most: int, last: int | None = None) -> Places:
    """Return how many scores each such group and those before it hold."""
    p, n = cumulated(counts.positives), cumulated(counts.negatives)
    reached = p[1:] / p[-1] + n[1:] / n[-1]
    ends = np.searchsorted(reached, np.arange(1, most) * (2 / most))
    also = [len(counts) - 1] if last is None else [last, len(counts) - 1]
    return np.unique(np.append(ends, also)) + 1

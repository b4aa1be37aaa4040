"""Between two groups: how positives of one rank beside negatives of the other, and two ROCs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Ranking, ScoreCounts
from capcurve.counts.table import BOTH_CLASSES, built, upward
from capcurve.counts.weights import Weights
from capcurve.curves import roc_curve
from capcurve.curves.shares import require
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import as_ranking
from capcurve.gate.taking import INDEPENDENT, of_two_columns
from capcurve.metrics.ranking import roc_auc
from capcurve.numbers.types import Bools, Floats, Places

if TYPE_CHECKING:
    from capcurve.curves.shares import OfClass

# False and true positive rates at the points of an ROC, or of many of them at once.
RocPoints = tuple[Floats, Floats]


@of_two_columns(INDEPENDENT)
def xauc(first: Ranking, second: Ranking) -> float:
    """Return the cross AUC: how often positives of one group rank above negatives of another.

    P(score of a positive of the first > that of a negative of the second), ties half, in [0, 1]. Of
    a group and itself it is the AUC; the AUC of all groups together is the mean over pairs of
    groups, weighted by positives of the one and negatives of the other. Raises `ValueError` where
    the first has no positives, the second no negatives, or scores are on different scales.

    Parameters
    ----------
    first, second
        What was counted of two groups by one score: results of `count_scores`, or two segments of
        `count_segments`.

    Notes
    -----
    Kallus & Zhou (2019), NeurIPS 32.

    Examples
    --------
    Positives at 4 and 2 beside negatives at 3 and 2: of four pairs two are won and one is tied.

    >>> from capcurve import count_scores
    >>> men, women = count_scores([1, 1, 0], [4, 2, 1]), count_scores([1, 0, 0], [5, 3, 2])
    >>> xauc(men, women), xauc(women, men)
    (0.625, 1.0)
    """
    both = [as_ranking(each, "xauc").every_score() for each in (first, second)]
    refuse_unlike(both, ["first", "second"])
    return roc_auc(crossed_counts(*both))


@of_two_columns(INDEPENDENT)
def abroca(first: Ranking, second: Ranking) -> float:
    """Return the ABROCA of two groups: the area between their ROCs.

    In [0, 1]; 0 for a group and itself, and at least the difference of the AUCs, which it equals
    where the ROCs do not cross. Samples of equal groups have more than 0, too: quote it beside what
    chance gives, as `compare_groups` does. Raises `ValueError` where a group lacks a class.

    Parameters
    ----------
    first, second
        As in `xauc`; scores may be on another scale in each, as only their order counts.

    Notes
    -----
    Gardner, Brooks & Baker (2019), LAK 9. A tie is one straight edge of an ROC, so the area is that
    between two polygons, and exact.

    Examples
    --------
    One ROC is 1 throughout, and the other a half up to a false positive rate of a half.

    >>> from capcurve import count_scores
    >>> men, women = count_scores([1, 0], [2, 1]), count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> abroca(men, women)
    0.25
    """
    both = [as_ranking(each, "abroca").every_score() for each in (first, second)]
    one, other = ((curve.x, curve.y) for curve in map(roc_curve, both))
    return float(areas_between(one, other))


def crossed_counts(first: ScoreCounts, second: ScoreCounts) -> ScoreCounts:
    """Return counts of the positives of one group and the negatives of another."""
    require(first, "positives")
    require(second, "negatives")
    return ScoreCounts.merge([_alone(first, "positives"), _alone(second, "negatives")])


def _alone(counts: ScoreCounts, which: OfClass) -> ScoreCounts:
    """Return counts of one class."""
    kept = [int(name == which) for name in BOTH_CLASSES]
    up, held = upward(counts.higher_is), counts.weights
    columns = zip(BOTH_CLASSES, counts.sums, kept, strict=True)
    sums: dict[str, Any] = {name: (column * times)[up] for name, column, times in columns}
    if held is not None:
        rows = held.positive_rows * kept[0], held.negative_rows * kept[1]
        roots = held.positive_roots * kept[0], held.negative_roots * kept[1]
        held = Weights(held.kind, *rows, *roots).take(up)
    groups = counts.groups and tuple(_alone(group, which) for group in counts.groups)
    cells = ([counts.score[up]], {**sums, "weights": held})
    return built(ScoreCounts, cells, groups, counts.fields())


def areas_between(first: RocPoints, second: RocPoints) -> Floats:
    """Return the area between two ROCs, or between each of many, points along the last axis.

    >>> step, diagonal = (np.array([0, 0, 1.0]), np.array([0, 1, 1.0])), (np.array([0, 1.0]),) * 2
    >>> float(areas_between(step, diagonal))
    0.5
    """
    # Rates are whole numbers divided once, so that equal ones are equal floats. Between neighbours
    # of all false positive rates both ROCs are straight.
    x = np.concatenate([first[0], second[0]], axis=-1)
    order = np.argsort(x, axis=-1, kind="stable")
    x, of_first = np.take_along_axis(x, order, axis=-1), order < first[0].shape[-1]
    ends = (x[..., :-1], x[..., 1:])
    one, other = (
        _heights(points, own, ends) for points, own in ((first, of_first), (second, ~of_first))
    )
    left, right = (np.abs(a - b) for a, b in zip(one, other, strict=True))
    crossing = (one[0] - other[0]) * (one[1] - other[1]) < 0
    both = left + right
    squares = np.divide(left**2 + right**2, both, out=np.zeros_like(both), where=both > 0)
    heights = np.where(crossing, squares, both) / 2
    area: Floats = ((ends[1] - ends[0]) * heights).sum(axis=-1)
    return area


def _heights(points: RocPoints, own: Bools, ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return an ROC after the start and before the end of stretches that have no point inside."""
    # Where a stretch has a width, the last point up to its start is the top of a vertical step
    # there, and the next one is the bottom of one at its end or lies beyond.
    passed: Places = np.cumsum(own, axis=-1)[..., :-1] - 1
    last = np.clip(passed, 0, points[0].shape[-1] - 2)
    (x0, y0), (x1, y1) = (
        tuple(np.take_along_axis(each, last + step, axis=-1) for each in points) for step in (0, 1)
    )
    width = x1 - x0
    slope = np.divide(y1 - y0, width, out=np.zeros_like(width), where=width > 0)
    # From the nearer point, which leaves no rounding at points that both have.
    return y0 + (ends[0] - x0) * slope, y1 - (x1 - ends[1]) * slope

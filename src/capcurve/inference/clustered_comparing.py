"""Comparing scores on the same clustered rows: both lose the same groups of clusters at once."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.asking import holm
from capcurve.inference.clustered_tests import (
    NO_SPREAD,
    aucs_left_out,
    careful,
    quadratic_law,
    rows_along,
    spread_of,
)
from capcurve.inference.comparison import Comparison
from capcurve.inference.contrasts import as_contrast, quadratic
from capcurve.inference.differences import ALIKE, Difference, difference_test
from capcurve.inference.record import Test, factor_of, in_metric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from capcurve.counts import JointCounts
    from capcurve.inference.differences import Asked
    from capcurve.inference.jackknife import LeftOut


def compare_clustered(joint: JointCounts, contrast: ArrayLike | None, asked: Asked) -> Comparison:
    """Return all pairs and the overall test, with the jackknife covariance of the AUCs."""
    left = aucs_left_out([joint.margin(name) for name in joint.names])
    places = list(combinations(range(len(joint.names)), 2))
    pairs = [_pair(left, place, joint.names, asked) for place in places]
    if len(pairs) > 1:
        adjusted = holm([pair.p_value for pair in pairs])
        pairs = [replace(p, p_adjusted=a) for p, a in zip(pairs, adjusted, strict=True)]
    factor = factor_of(asked.metric)
    single = contrast is None and len(pairs) == 1
    return Comparison(
        joint.names,
        asked.metric,
        tuple(in_metric(float(auc), asked.metric) for auc in left.whole),
        tuple(tuple((factor**2 * row).tolist()) for row in left.covariance()),
        tuple(pairs),
        pairs[0] if single else _overall(left, contrast, asked),
    )


def _pair(left: LeftOut, place: tuple[int, int], names: tuple[str, ...], asked: Asked) -> Test:
    weights = np.zeros(len(names))
    weights[list(place)] = 1.0, -1.0
    spread = spread_of(left, weights.tolist())
    aucs = (float(left.whole[place[0]]), float(left.whole[place[1]]))
    se = math.sqrt(spread.variance)
    difference = aucs[0] - aucs[1] if se else 0.0
    notes = [*spread.notes, *([ALIKE] if se == 0 else [])]
    pair = (names[place[0]], names[place[1]])
    method = f"same rows, {spread.method}, t({spread.df:.3g})"
    return difference_test(Difference(pair, aucs, difference, se, spread.df, method, notes), asked)


def _overall(left: LeftOut, contrast: ArrayLike | None, asked: Asked) -> Test:
    rows = as_contrast(contrast, len(left.whole))
    moved = rows_along(left, rows)
    statistic, rank, seen = quadratic(moved.whole, moved.covariance())
    notes: tuple[str, ...] = ()
    if not seen:
        one = np.eye(len(left.whole))
        spread = np.array([careful(left, row.tolist()) for row in one])
        statistic, rank, _ = quadratic(moved.whole, (rows * spread) @ rows.T)
        notes = (NO_SPREAD,)
    elif not rank:
        notes = ("the scores rank all cases identically: nothing differs",)
    p_value, rest = quadratic_law(statistic, rank, left)
    factor = factor_of(asked.metric)
    return Test(
        name="all scores equal" if contrast is None else "all contrasts zero",
        statistic=statistic,
        p_value=p_value,
        method=f"same rows, jackknife over {left.groups} groups of clusters, "
        f"Hotelling F({rank}, {rest:g})",
        df=float(rank),
        metric=asked.metric,
        estimates={f"row {i + 1}": factor * float(e) for i, e in enumerate(moved.whole)},
        notes=notes,
    )

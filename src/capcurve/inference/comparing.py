"""Comparing scores on the same rows: how much two AUCs differ, given what they share."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.asking import Alternative, ask, holm
from capcurve.inference.clustered_comparing import compare_clustered
from capcurve.inference.comparison import Comparison
from capcurve.inference.contrasts import contrast_test
from capcurve.inference.differences import ALIKE, Asked, Difference, difference_test
from capcurve.inference.exponential import careful_variance
from capcurve.inference.influence import influence_of
from capcurve.inference.record import Metric, Test, check_open, factor_of, in_metric
from capcurve.inference.sizes import require_joint

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from capcurve.counts import JointCounts
    from capcurve.inference.influence import Influence
    from capcurve.inference.sizes import ClassSizes

# Basel WP14 asks for "at least around 50" of each class before a normal law can be trusted.
FEW_CASES = 50
NO_SPREAD = (
    "the sample shows no spread around the difference; the standard error is that of "
    "Hanley & McNeil half a pair inside, as if on different rows"
)


def compare(
    joint: JointCounts,
    *,
    contrast: ArrayLike | None = None,
    metric: Metric = "roc_auc",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Test whether scores that rank the same cases differ by more than chance.

    Parameters
    ----------
    joint
        Two or more scores of the same rows, from `count_joint`. With clusters the covariance is
        that of leaving out groups of them in turn, and the laws are Student's and Hotelling's.
    contrast
        Rows of weights over the scores, each adding up to zero; the overall test is then that
        all rows are zero. All scores equal when left out.
    metric
        "roc_auc", or "accuracy_ratio": differences, standard errors, limits and `margin` are
        then twice as large, statistics and p-values the same.
    level
        Confidence level of the two-sided limits of each difference.
    margin
        The difference that matters, in `metric`, zero or more.
    alternative
        What to show of the first score of a pair against the second: "two-sided" that they
        differ, "superior" that it is better (by more than `margin`), "inferior" that it is
        worse (by more than `margin`), "non-inferior" that it is not worse by `margin`,
        "equivalent" that they differ by less than `margin`.

    Returns
    -------
    Comparison
        Every pair, and one overall test.

    Raises
    ------
    ValueError
        For fewer than two scores, fewer than two cases in a class, a contrast that does not
        fit, a margin that fits no alternative, or weights of unknown kind.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44; Engelmann, Hayden & Tasche (2003)
    have the same statistic for accuracy ratios. Scores fitted on these very rows, one with
    all inputs of the other, are compared too cautiously: Demler, Pencina & D'Agostino (2012).

    Examples
    --------
    The old score swaps a positive and a negative; with so few cases that shows nothing.

    >>> from capcurve import count_joint
    >>> joint = count_joint(
    ...     [1, 1, 0, 0], {"new": [4, 3, 2, 1], "old": [4, 2, 3, 1]}
    ... )
    >>> found = compare(joint).pairs[0]
    >>> found.name, found.estimate, round(found.se**2, 12)
    ('new - old', 0.25, 0.125)
    """
    require_joint(joint)
    factor, question = factor_of(metric), ask(alternative, margin)
    level = check_open(level, "level")
    if len(joint.names) < 2:  # noqa: PLR2004 - a pair
        raise ValueError("comparing needs at least two scores; count them together")
    asked = Asked(metric, level, question)
    if joint.groups is not None:
        return compare_clustered(joint, contrast, asked)
    influence = influence_of(joint)
    pairs = [
        _pair(influence, i, j, joint.names, asked)
        for i, j in combinations(range(len(joint.names)), 2)
    ]
    if len(pairs) > 1:
        adjusted = holm([pair.p_value for pair in pairs])
        pairs = [replace(p, p_adjusted=a) for p, a in zip(pairs, adjusted, strict=True)]
    single = contrast is None and len(pairs) == 1
    _, covariance = influence.along(np.eye(len(joint.names)))
    return Comparison(
        joint.names,
        metric,
        tuple(in_metric(float(auc), metric) for auc in influence.aucs),
        tuple(tuple((factor**2 * row).tolist()) for row in covariance),
        tuple(pairs),
        pairs[0] if single else contrast_test(influence, contrast, metric),
    )


def _pair(
    influence: Influence, first: int, second: int, names: tuple[str, ...], asked: Asked
) -> Test:
    difference, variance = influence.between(first, second)
    aucs = (float(influence.aucs[first]), float(influence.aucs[second]))
    notes = list(size_notes(influence.sizes))
    if variance == 0 and difference == 0:
        notes.append(ALIKE)
    elif variance == 0:
        n1, n0 = influence.sizes.positives, influence.sizes.negatives
        variance = sum(careful_variance(auc, n1, n0) for auc in aucs)
        notes.append(NO_SPREAD)
    pair, se = (names[first], names[second]), math.sqrt(variance)
    method = "DeLong, same rows, normal"
    return difference_test(Difference(pair, aucs, difference, se, None, method, notes), asked)


def size_notes(sizes: ClassSizes) -> tuple[str, ...]:
    """Return a warning when a class is too small for a normal law."""
    if sizes.rarer >= FEW_CASES:
        return ()
    return (f"the rarer class has {sizes.rarer:g} cases, fewer than {FEW_CASES}: approximate",)

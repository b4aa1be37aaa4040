"""Comparing AUCs of scores that rank the same rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

from capcurve.counts import JointCounts
from capcurve.counts.arguments import as_open_share
from capcurve.counts.given import takes_joint_rankings
from capcurve.inference.amounts import compared_ratios
from capcurve.inference.designs import LeftOut
from capcurve.inference.differences import (
    NO_SPREAD_OF_GROUPS,
    Alternative,
    Question,
    as_contrast,
    ask,
    difference_test,
    holm,
    quadratic_test,
    spread_along,
)
from capcurve.inference.influence import auc_estimates
from capcurve.inference.records import Comparison, Metric, Test, factor_of, in_metric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from capcurve.counts import JointValues
    from capcurve.inference.designs import Estimates

Law = Literal["t", "normal"]
ALIKE = "both scores rank all cases identically: nothing differs"
ALL_ALIKE = "the scores rank all cases identically: nothing differs"
NO_SPREAD = (
    "the sample shows no spread around the difference; the standard error is that of "
    "Hanley & McNeil half a pair inside, as if on different rows"
)
NO_SPREAD_ALONG = (
    "the sample shows no spread in a direction that differs; variances are those of Hanley & "
    "McNeil half a pair inside, as if on different rows"
)


@takes_joint_rankings
def compare(
    joint: JointCounts | JointValues,
    *,
    contrast: ArrayLike | None = None,
    metric: Metric = "accuracy_ratio",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    law: Law = "t",
) -> Comparison:
    """Test whether scores that rank the same cases differ by more than chance.

    Parameters
    ----------
    joint
        Two or more scores of the same rows, from `count_joint` or `count_joint_values`. With
        clusters the covariance is that of leaving out groups of them in turn.
    contrast
        Rows of weights over the scores, each adding up to zero; the overall test is then that
        all rows are zero. All scores equal when left out.
    metric
        "accuracy_ratio", or "roc_auc": differences, standard errors, limits and `margin` are
        then half as large, statistics and p-values the same.
    level
        Confidence level of the two-sided limits of each difference.
    margin
        The difference that matters, in `metric`, zero or more.
    alternative
        What to show of the first score of a pair against the second: "two-sided" that they
        differ, "superior" that it is better (by more than `margin`), "inferior" that it is
        worse (by more than `margin`), "non-inferior" that it is not worse by `margin`,
        "equivalent" that they differ by less than `margin`.
    law
        "t": Student's, and Hotelling's of several differences, with one degree of freedom less
        than the rarer class has cases (groups of clusters, rows with an amount) or fewer;
        "normal": the normal law and chi-square, as DeLong and R's pROC have them.

    Returns
    -------
    Comparison
        Every pair, and one overall test.

    Raises
    ------
    ValueError
        For fewer than two scores, fewer than two cases in a class, a contrast that does not
        fit, a margin that fits no alternative, an unknown law, or weights of unknown kind.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44; Engelmann, Hayden & Tasche (2003)
    have the same statistic for accuracy ratios. Their normal law rejects equally good scores in up
    to 10% of samples of 5 or 10 positives, at 5%. Scores fitted on these very rows, one with all
    inputs of the other, are compared too cautiously: Demler, Pencina & D'Agostino (2012).

    Examples
    --------
    The old score swaps a positive and a negative; with so few cases that shows nothing.

    >>> from capcurve import count_joint
    >>> joint = count_joint(
    ...     [1, 1, 0, 0], {"new": [4, 3, 2, 1], "old": [4, 2, 3, 1]}
    ... )
    >>> found = compare(joint).pairs[0]
    >>> found.name, found.estimate, round(found.se**2, 12)
    ('new - old', 0.5, 0.5)
    """
    question = ask(alternative, margin, metric, as_open_share(level, "level"))
    if law not in get_args(Law):
        raise ValueError(f'law must be "t" or "normal", got {law!r}')
    if len(joint.names) < 2:  # noqa: PLR2004 - a pair
        raise ValueError("comparing needs at least two scores; count them together")
    found, factor = _estimates(joint, metric), factor_of(metric)
    places = combinations(range(len(joint.names)), 2)
    pairs = [_pair(found, pair, joint.names, question, law) for pair in places]
    if len(pairs) > 1:
        adjusted = holm([pair.p_value for pair in pairs])
        pairs = [replace(p, p_adjusted=a) for p, a in zip(pairs, adjusted, strict=True)]
    single = contrast is None and len(pairs) == 1
    return Comparison(
        joint.names,
        metric,
        tuple(in_metric(float(auc), metric) for auc in found.values),
        tuple(tuple((factor**2 * row).tolist()) for row in found.covariance()),
        tuple(pairs),
        pairs[0] if single else _overall(found, contrast, metric, law),
    )


def _estimates(joint: JointCounts | JointValues, metric: Metric) -> Estimates:
    """Return the AUC of each score, or what is that of amounts: (1 + AR)/2."""
    if isinstance(joint, JointCounts):
        return auc_estimates(joint)
    if metric != "accuracy_ratio":
        raise ValueError(f'amounts are compared by metric="accuracy_ratio", got {metric!r}')
    if joint.m < 2:  # noqa: PLR2004 - one row shows no spread
        raise ValueError(f"comparing needs at least two rows with an amount; there is {joint.m}")
    classes = joint.as_classes()
    return compared_ratios(joint) if classes is None else auc_estimates(classes)


def _pair(
    found: Estimates,
    places: tuple[int, int],
    names: tuple[str, ...],
    question: Question,
    law: Law,
) -> Test:
    weights = [0.0] * len(names)
    weights[places[0]], weights[places[1]] = 1.0, -1.0
    note = NO_SPREAD_OF_GROUPS if isinstance(found, LeftOut) else NO_SPREAD
    difference, spread = spread_along(found, weights, note)
    if spread.variance == 0:
        spread = replace(spread, notes=(*spread.notes, ALIKE))
    if law == "normal":
        spread = replace(spread, df=None)
    named = "normal" if spread.df is None else f"t({spread.df:.3g})"
    aucs = {names[place]: float(found.values[place]) for place in places}
    name = " - ".join(aucs)
    return difference_test(name, aucs, difference, spread, question, found.on_same_rows(named))


def _overall(found: Estimates, contrast: ArrayLike | None, metric: Metric, law: Law) -> Test:
    """Return the test that all scores are equal, or every row of the contrast zero."""
    quadratic = quadratic_test(
        found, as_contrast(contrast, len(found.values)), normal=law == "normal"
    )
    notes: tuple[str, ...] = ()
    if not quadratic.spreads:
        notes = (NO_SPREAD_OF_GROUPS if isinstance(found, LeftOut) else NO_SPREAD_ALONG,)
    elif not quadratic.rank:
        notes = (ALL_ALIKE,)
    factor = factor_of(metric)
    return Test(
        name="all scores equal" if contrast is None else "all contrasts zero",
        statistic=quadratic.statistic,
        p_value=quadratic.p_value,
        method=found.on_same_rows(quadratic.law),
        df=float(quadratic.rank),
        metric=metric,
        estimates={f"row {i + 1}": factor * float(e) for i, e in enumerate(quadratic.effects)},
        notes=notes,
    )

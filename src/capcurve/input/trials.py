"""Rows of a randomised trial become counts of treated and of control cases by score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import JointUplift, UpliftCounts
from capcurve.input.arrays import Rules, count_clustered, count_jointly
from capcurve.input.count import one_score
from capcurve.input.query import Query, gather, named_scores, refuse_unnamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts import Direction
    from capcurve.input.arrays import Missing
    from capcurve.input.columns import ColumnLike, Data


def count_uplift(
    target: ColumnLike,
    treatment: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    treated_label: object = None,
    pos_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> UpliftCounts:
    """Count treated and control outcomes at each score of a randomised trial.

    Who was treated must have been left to chance: otherwise no number read off these counts is an
    effect. Where chance was uneven but known, take `effect_scores`. Raises `ValueError` or
    `TypeError` for anything that cannot be counted exactly, such as a third treatment; the message
    says what was found. Of several treatments count each against the control cases.

    Parameters
    ----------
    target
        What happened, one label per row; with `data`, the name of that column.
    treatment
        Whether each row was treated: 0/1, -1/1, booleans, or two labels with `treated_label`; with
        `data`, the name of that column.
    score
        The predicted uplift, or any other score to treat by, one per row; with `data`, the name of
        that column.
    treated_label
        The label of treated cases.
    higher_is
        Whether a higher score makes a larger effect more ("positive") or less likely ("negative").
    levels
        Grade names, those of the largest effects first, when scores are names.
    data, pos_label, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> count_uplift([1, 0, 1, 0], [1, 0, 0, 1], [0.9, 0.8, 0.3, 0.2])
    UpliftCounts(n=4, treated=2, control=2, distinct scores=4, higher_is='positive')
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution)
    roles = {"target": target, "cluster": cluster}
    named = one_score(score, data)
    found: UpliftCounts = _counted(treatment, treated_label, named, rules, data, roles)
    return found


def count_uplift_values(
    amount: ColumnLike,
    treatment: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    treated_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> UpliftCounts:
    """Count the amounts of treated and control cases at each score of a trial, such as revenue.

    Parameters
    ----------
    amount
        The amount of each row, such as what it spent, 0 where there is none; with `data`, the name
        of that column.
    treatment, score, data, treated_label, higher_is, levels, missing, resolution, cluster
        As in `count_uplift`.

    Examples
    --------
    >>> trial = count_uplift_values([9, 0, 4, 0], [1, 0, 0, 1], [0.9, 0.8, 0.3, 0.2])
    >>> trial.treated.amount, trial.control.amount
    (9, 4)
    """
    rules = Rules(None, higher_is, levels, missing, resolution)
    roles = {"amount": amount, "cluster": cluster}
    named = one_score(score, data)
    found: UpliftCounts = _counted(treatment, treated_label, named, rules, data, roles)
    return found


def count_joint_uplift(
    target: ColumnLike,
    treatment: ColumnLike,
    scores: Any,
    *,
    data: Data = None,
    treated_label: object = None,
    pos_label: object = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointUplift:
    """Count several scores of one trial together, as comparing them needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    target, treatment, data, treated_label, pos_label, missing, resolution, cluster
        As in `count_uplift`.

    Examples
    --------
    >>> scores = {"new": [4, 3, 2, 1], "old": [1, 1, 2, 2]}
    >>> count_joint_uplift([1, 0, 1, 0], [1, 0, 0, 1], scores)
    JointUplift(new, old; n=4)
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution)
    named = named_scores(scores, data, target, treatment, cluster)
    roles = {"target": target, "cluster": cluster}
    found: JointUplift = _counted(
        treatment, treated_label, named, rules, data, roles, together=True
    )
    return found


def count_joint_uplift_values(
    amount: ColumnLike,
    treatment: ColumnLike,
    scores: Any,
    *,
    data: Data = None,
    treated_label: object = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointUplift:
    """Count the amounts of a trial at each combination of several scores, as comparing needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    amount, treatment, data, treated_label, missing, resolution, cluster
        As in `count_uplift_values`.

    Examples
    --------
    >>> scores = {"new": [4, 3, 2, 1], "old": [1, 1, 2, 2]}
    >>> count_joint_uplift_values([9, 0, 4, 0], [1, 0, 0, 1], scores).margin("new").treated.amount
    9
    """
    rules = Rules(None, higher_is, levels, missing, resolution)
    named = named_scores(scores, data, amount, treatment, cluster)
    roles = {"amount": amount, "cluster": cluster}
    found: JointUplift = _counted(
        treatment, treated_label, named, rules, data, roles, together=True
    )
    return found


def _counted(
    treatment: ColumnLike,
    treated_label: object,
    named: Mapping[str, ColumnLike],
    rules: Rules,
    data: Data,
    roles: Mapping[str, ColumnLike],
    *,
    together: bool = False,
) -> Any:
    """Count each arm alone; several scores together."""
    outcome = "amount" if "amount" in roles else "target"
    for role, given in ((outcome, roles[outcome]), ("treatment", treatment)):
        if given is None:
            raise TypeError(f"{role} must be a column of values, got NoneType")
    by: Any = {"treatment": treatment}
    if data is not None:
        refuse_unnamed(treatment, "treatment")
        by = treatment
    query = Query(roles.get("target"), named, rules, data, by=by, **_others(roles))
    (rows,) = gather(query, together=together)
    arms = rows.arms(rules, treated_label)
    if together:
        return JointUplift(*(count_jointly(arm) for arm in arms))
    return UpliftCounts(*(count_clustered(arm, arm.scores[0]) for arm in arms))


def _others(roles: Mapping[str, ColumnLike]) -> dict[str, ColumnLike]:
    return {role: given for role, given in roles.items() if role != "target"}

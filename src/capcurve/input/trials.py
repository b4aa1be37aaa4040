"""Rows of a randomised trial become counts of treated and of control cases by score."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.counts import Direction, Dropped, JointUplift, UpliftCounts
from capcurve.counts.trials import ARMS
from capcurve.input.arrays import Missing, Rest, Rules, count_clustered, count_jointly
from capcurve.input.arrays.checks import as_numbers, told_rows
from capcurve.input.arrays.labels import ClassLabels, as_treatment, positive_rows
from capcurve.input.columns import (
    ColumnLike,
    Data,
    Directions,
    InputColumn,
    Levels,
    ScoreLike,
    absent_rows,
    as_column,
    check_same_rows,
)
from capcurve.input.count import one_score
from capcurve.input.query import (
    Query,
    count_all_together,
    count_each,
    gather,
    named_scores,
    of_table,
    refuse_none,
    refuse_unnamed,
)
from capcurve.numbers.arguments import arg, refuse_same_column, spoken
from capcurve.numbers.types import array_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.numbers.types import Bools, Floats

# Propensities nearer to 0 or 1 make effect scores of which few decide.
EXTREME = 0.01


def count_uplift(
    target: ColumnLike,
    treatment: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    treated_label: object = None,
    control_label: object = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> UpliftCounts:
    """Count treated and control outcomes at each score of a randomised trial.

    Who was treated must have been left to chance: otherwise no number read off these counts is an
    effect. Where chance was uneven but known, take `effect_scores`. Raises `ValueError` or
    `TypeError` for anything that cannot be counted exactly, such as a third treatment that is not
    named; the message says what was found.

    Parameters
    ----------
    treatment
        Whether each row was treated: 0/1, -1/1, booleans, or two labels with `treated_label`; with
        `data`, the name of that column.
    score
        The predicted uplift, or any other score to treat by, one per row; with `data`, the name of
        that column.
    treated_label
        The label of treated cases, or a list of labels.
    control_label
        The label of control cases, or a list; needed where there are more than two arms. Rows of
        any other arm are left out, and the account says how many.
    higher_is
        Whether a higher score makes a larger effect more ("positive") or less likely ("negative").
    levels
        Grade names, those of the largest effects first, when scores are names.
    target, data, table, pos_label, neg_label, rest, drop_label, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> count_uplift([1, 0, 1, 0], [1, 0, 0, 1], [0.9, 0.8, 0.3, 0.2])
    UpliftCounts(n=4, treated=2, control=2, distinct scores=4, higher_is='positive')
    >>> arms = {"treated_label": "men", "control_label": "none"}
    >>> count_uplift([1, 0, 1, 0], ["men", "none", "women", "men"], [4, 3, 2, 1], **arms)
    UpliftCounts(n=3, treated=2, control=1, distinct scores=3, higher_is='positive')
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, **others)
    roles, named = {"target": target, "cluster": cluster}, one_score(score, data)
    arms = treated_label, control_label
    return cast("UpliftCounts", count_arms(treatment, arms, named, rules, data, roles))


def count_uplift_values(
    amount: ColumnLike,
    treatment: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    treated_label: object = None,
    control_label: object = None,
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
        The amount of each row, such as what it spent, as in `count_values`.
    treatment, score, data, table, treated_label, control_label, higher_is, levels
        As in `count_uplift`.
    missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> trial = count_uplift_values([9, 0, 4, 0], [1, 0, 0, 1], [0.9, 0.8, 0.3, 0.2])
    >>> trial.treated.amount, trial.control.amount
    (9, 4)
    """
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution)
    roles, named = {"amount": amount, "cluster": cluster}, one_score(score, data)
    arms = treated_label, control_label
    return cast("UpliftCounts", count_arms(treatment, arms, named, rules, data, roles))


def count_joint_uplift(
    target: ColumnLike,
    treatment: ColumnLike,
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    treated_label: object = None,
    control_label: object = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointUplift:
    """Count several scores of one trial together, as comparing them needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    target, treatment, data, table, treated_label, control_label
        As in `count_uplift`.
    pos_label, neg_label, rest, drop_label, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> scores = {"new": [4, 3, 2, 1], "old": [1, 1, 2, 2]}
    >>> count_joint_uplift([1, 0, 1, 0], [1, 0, 0, 1], scores)
    JointUplift(new, old; n=4)
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, **others)
    named = named_scores(scores, data, target, treatment, cluster)
    roles = {"target": target, "cluster": cluster}
    arms = treated_label, control_label
    return cast("JointUplift", _jointly(treatment, arms, named, rules, data, roles))


def count_joint_uplift_values(
    amount: ColumnLike,
    treatment: ColumnLike,
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    treated_label: object = None,
    control_label: object = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointUplift:
    """Count the amounts of a trial at each combination of several scores, as comparing needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    amount, treatment, data, table, treated_label, control_label, missing, resolution, cluster
        As in `count_uplift_values`.

    Examples
    --------
    >>> scores = {"new": [4, 3, 2, 1], "old": [1, 1, 2, 2]}
    >>> count_joint_uplift_values([9, 0, 4, 0], [1, 0, 0, 1], scores).margin("new").treated.amount
    9
    """
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution)
    named = named_scores(scores, data, amount, treatment, cluster)
    roles = {"amount": amount, "cluster": cluster}
    arms = treated_label, control_label
    return cast("JointUplift", _jointly(treatment, arms, named, rules, data, roles))


def arm_labels(treated_label: object, control_label: object) -> ClassLabels:
    """Return which labels are those of treated and of control cases; all others are left out."""
    with as_treatment():
        return ClassLabels(treated_label, control_label, rest="drop")


def count_arms(
    treatment: ColumnLike,
    arms: Sequence[object],
    named: Mapping[str, ColumnLike],
    rules: Rules,
    data: Data,
    roles: Mapping[str, ColumnLike],
    *,
    together: bool = False,
) -> Any:
    """Count each arm alone, whose labels are those of treated and of control cases."""
    said = arm_labels(*arms)
    outcome = "amount" if "amount" in roles else "target"
    refuse_none(**{outcome: roles[outcome]}, treatment=treatment)
    scored = {f"score {name}" if len(named) > 1 else "score": each for name, each in named.items()}
    refuse_same_column(treatment=treatment, **{outcome: roles[outcome]}, **scored)
    by: Any = {"treatment": treatment}
    if data is not None:
        refuse_unnamed(treatment, "treatment")
        by = treatment
    asked = {"target": None, "amount": None, **roles}
    query = Query(scores=named, rules=rules, data=data, by=by, **asked)
    (rows,) = gather(query, together=together)
    samples = rows.arms(rules, said)
    if together:
        return JointUplift(*(count_jointly(arm) for arm in samples))
    return UpliftCounts(*(count_clustered(arm, arm.scores[0]) for arm in samples))


_jointly = partial(count_arms, together=True)


def arms_of_segments(
    parts: Mapping[Any, Any], treated_label: object = None, control_label: object = None
) -> UpliftCounts:
    """Return counts of a trial from counts by treatment, whose labels are as in `count_uplift`."""
    treatment = as_column(list(parts), "treatment")
    absent = absent_rows(treatment, treatment.stored)
    if absent is not None:
        raise ValueError("treatment is missing in some rows of the table; leave them out of it")
    if treated_label is None and set(parts) <= set(ARMS):
        treated_label = ARMS[0]
    said = arm_labels(treated_label, control_label)
    with as_treatment():
        cases = array_of([part.n for part in parts.values()])
        treated, left_out = positive_rows(treatment, said, None, cases)
    control = ~np.logical_or.reduce([treated, *left_out.values()])
    counts = list(parts.values())
    arms = []
    for arm, rows in zip(ARMS, (treated, control), strict=True):
        found = [counts[place] for place in np.flatnonzero(rows)]
        if not found:
            raise ValueError(f"no {arm} cases: the effect is undefined")
        arms.append(found[0] if len(found) == 1 else type(found[0]).merge(found))
    labels = {name: int(cases[rows].sum()) for name, rows in left_out.items()}
    if labels:
        lost = Dropped(sum(labels.values()), {}, None, labels)
        lost = lost if arms[1].dropped is None else arms[1].dropped + lost
        arms[1] = replace(arms[1], dropped=lost)
    return UpliftCounts(*arms)


def effect_scores(
    outcome: ColumnLike,
    treatment: ColumnLike,
    propensity: ColumnLike | float,
    if_treated: ColumnLike = None,
    if_control: ColumnLike = None,
    *,
    treated_label: object = None,
    control_label: object = None,
) -> Floats:
    """Return effect scores: for each case an estimate of how far the treatment moves its outcome.

    For a trial whose propensities are known and uneven, and for observational data with fitted
    ones. `count_values` of these scores gives counts that `qini`, `auuc`, `autoc`, `uplift`, their
    curves and limits, and `compare` take. Without randomisation and without propensities nothing
    read off a treatment is an effect. Predictions and fitted propensities must come from a model
    that was fitted on other rows.

    Parameters
    ----------
    outcome
        The outcome of each case: 0 and 1, or an amount; shape (n,).
    treatment
        Whether each case was treated, as in `count_uplift`.
    propensity
        The chance of each case to be treated, or one for all, in (0, 1).
    if_treated, if_control
        The outcome predicted for each case if treated, and if not (doubly robust scores). Left out,
        they are the means of the arms, weighted by the inverse propensities.
    treated_label, control_label
        The labels of treated and of control cases, as in `count_uplift`.

    Returns
    -------
    ndarray
        Shape (n,), in the unit of the outcome; their mean estimates the effect.

    Raises
    ------
    ValueError, TypeError
        For propensities of 0 or 1 and beyond, missing values, an arm without cases, and one of
        `if_treated` and `if_control` alone. Below .01 or above .99 it warns: few cases then decide.

    Notes
    -----
    Robins, Rotnitzky & Zhao (1994), JASA 89: μ1 - μ0 + w(y - μ1)/e - (1 - w)(y - μ0)/(1 - e).

    Examples
    --------
    Means are 1/2 among the treated and 0 among the others: 1/2 + (1 - 1/2)/.5 for the first.

    >>> effect_scores([1, 0, 0, 0], [1, 1, 0, 0], 0.5)
    array([ 1.5, -0.5,  0.5,  0.5])
    """
    refuse_same_column(treatment=treatment, outcome=outcome, propensity=propensity)
    given = {"outcome": outcome, "treatment": treatment, "propensity": propensity}
    if isinstance(propensity, int | float | np.number):
        given["propensity"] = np.full(len(as_column(outcome, "outcome")), propensity, np.float64)
    if (if_treated is None) != (if_control is None):
        raise ValueError("if_treated= and if_control= go together; pass both")
    if if_treated is not None:
        given |= {"if_treated": if_treated, "if_control": if_control}
    columns = [as_column(column, role) for role, column in given.items()]
    check_same_rows(columns)
    numbers = {c.name: as_numbers(c, None, "") for c in columns if c.name != "treatment"}
    absent = absent_rows(columns[1], columns[1].stored)
    lost = {name: np.isnan(column) for name, column in numbers.items()}
    lost |= {} if absent is None else {"treatment": absent}
    for name, rows in lost.items():
        if rows.any():
            raise ValueError(
                f"{name} is missing{spoken(' (null or NaN)')} in {told_rows(rows, None)}; leave "
                "such rows out of all columns"
            )
    said = arm_labels(treated_label, control_label)
    with as_treatment():
        treated, left_out = positive_rows(columns[1], said, absent)
    for which, rows in left_out.items():
        raise ValueError(
            f"{which} in {told_rows(rows, None)}, which have no effect score; leave such rows out "
            "of all columns"
        )
    return _effects(treated, **numbers)


def _effects(
    treated: Bools,
    outcome: Floats,
    propensity: Floats,
    if_treated: Any = None,
    if_control: Any = None,
) -> Floats:
    """Return effect scores of checked columns."""
    wrong = ~((propensity > 0) & (propensity < 1))
    if wrong.any():
        first = propensity[wrong][0]
        why = "a case that can only be in one arm does not show the effect; leave such rows out"
        if not 0 <= first <= 1:
            why = "it must be between 0 and 1; divide percentages by 100"
        raise ValueError(f"propensity is {first:g} in {told_rows(wrong, None)}; {why}")
    for arm, cases in (("treated", treated), ("control", ~treated)):
        if not cases.any():
            raise ValueError(f"no {arm} cases: the effect is undefined")
    extreme = (propensity < EXTREME) | (propensity > 1 - EXTREME)
    if extreme.any():
        rows = told_rows(extreme, None)
        said = f"propensity is below {EXTREME} or above {1 - EXTREME} in {rows}: few cases decide"
        warnings.warn(said, UserWarning, stacklevel=3)
    by_treated, by_control = treated / propensity, ~treated / (1 - propensity)
    with np.errstate(over="ignore", invalid="ignore"):
        if if_treated is None:
            if_treated = (outcome * by_treated).sum() / by_treated.sum()
            if_control = (outcome * by_control).sum() / by_control.sum()
        weighed = by_treated * (outcome - if_treated), by_control * (outcome - if_control)
        found: Floats = if_treated - if_control + weighed[0] - weighed[1]
    if not np.isfinite(found).all():
        raise ValueError(
            "effect scores are beyond what a float holds; give outcomes in units nearer to 1"
        )
    return found


def count_effects(
    columns: Mapping[str, InputColumn],
    roles: tuple[str, str, Any, str | None],
    scores: Sequence[str],
    rules: Rules,
    said: ClassLabels,
    *,
    amounts: bool,
) -> tuple[Any, tuple[int, int]]:
    """Count the effect scores of complete rows at each score, and the cases of both arms."""
    # `roles` are the columns of outcome, treatment, propensity (or one for all) and cluster.
    outcome, treatment, propensity, cluster = roles
    data = {name: _masked(column) for name, column in columns.items()}
    with as_treatment():
        treated = _complete_classes(columns[treatment], said)
    won = data[outcome] if amounts else _complete_classes(columns[outcome], rules.labels)
    for name in (*scores, *([cluster] if cluster else ())):
        column = columns[name]
        if (absent := absent_rows(column, column.values)) is not None:
            rows = told_rows(absent, None)
            raise ValueError(f"{name} is missing in {rows}; leave these out")
    chance = data[propensity] if isinstance(propensity, str) else propensity
    data[outcome] = effect_scores(won, treated, chance)
    of_effects = replace(rules, pos_label=None, neg_label=None, rest="raise", drop_label=None)
    named = {name: name for name in scores}
    query = Query(None, named, of_effects, data, amount=outcome, cluster=cluster)
    counts = count_all_together(query) if len(scores) > 1 else count_each(query)[0][scores[0]]
    return counts, (int(treated.sum()), int((~treated).sum()))


def _masked(column: InputColumn) -> Any:
    """Return the values of a column as functions of the library take them."""
    values, missing = column.values, column.missing
    return values if missing is None else np.ma.array(values, mask=missing)


def _complete_classes(column: InputColumn, said: ClassLabels) -> Any:
    """Return which rows are positives, or were treated; refuse labels that leave rows out."""
    absent = absent_rows(column, column.stored)
    found, left_out = positive_rows(column, said, absent)
    for which, rows in left_out.items():
        raise ValueError(
            f"{which} in {told_rows(rows, None)}; {arg('propensity')} takes no rows that are left "
            "out: take them out of the file"
        )
    return found if absent is None else np.ma.array(found, mask=absent)

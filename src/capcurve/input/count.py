"""Rows of any kind become counts, with one signature whatever holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from capcurve.counts import (
    Amounts,
    CaseCounts,
    Direction,
    Dropped,
    JointCases,
    JointCounts,
    JointValues,
    PartialCounts,
    Ranking,
    ScoreCounts,
    SegmentCounts,
    ValueCounts,
    ValueSums,
    WeightKind,
)
from capcurve.counts.ordinal import Classes, Closed, OrdinalCounts, check_classes
from capcurve.counts.table import refuse_too_many
from capcurve.input.arrays import CaseRules, Missing, MissingScores, Rest, Rules
from capcurve.input.arrays.checks import account_names, as_numbers, missing_message
from capcurve.input.columns import ColumnLike, Data, Directions, Levels, ScoreLike, check_same_rows
from capcurve.input.query import (
    Query,
    columns_of_roles,
    count_all_together,
    count_by_segment,
    count_each,
    count_partially,
    named_scores,
    of_table,
    refuse_none,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.input.arrays.groups import Period
    from capcurve.numbers.types import Bools, Ints


# Columns in memory, and scores on a grid, are counted in full. Files and engines may hold more
# distinct scores than should be fetched, and are then ranked where they are.
@overload
def count_scores(
    target: ColumnLike,
    score: ColumnLike,
    *,
    data: Mapping[str, ColumnLike] | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
    memory_limit: None = None,
) -> ScoreCounts: ...
@overload
def count_scores(
    target: ColumnLike,
    score: ColumnLike,
    *,
    data: Data,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float,
    cluster: ColumnLike = None,
    memory_limit: None = None,
) -> ScoreCounts: ...
@overload
def count_scores(
    target: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
    memory_limit: str | int | None = None,
) -> Ranking: ...
def count_scores(
    target: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
    memory_limit: str | int | None = None,
) -> Ranking:
    """Count positives and negatives at each distinct score: the first step of everything.

    Raises `ValueError` or `TypeError` for anything that cannot be counted exactly; the message says
    what was found.

    Parameters
    ----------
    target
        What happened, one label per row; with `data`, the name of that column.
    score
        The score to judge, a number or grade per row; with `data`, the name of that column.
    data
        A data frame or relation (pandas, Polars eager or lazy, Arrow, DuckDB, Ibis, Spark, Dask),
        a mapping of columns, a connection to DuckDB or SQLite, a path, glob or list of paths, or
        `Files`. None when columns are given.
    table
        Which table or view to read of a connection, or of a file that is a database; None reads
        the only one.
    weight
        Weight of each row, zero or more.
    weight_kind
        What the weights mean: "frequency" (that many identical rows, exactly), "sampling" or
        "exposure". May be left out until a variance is asked for.
    pos_label
        The label of the positive class, or a list of labels; needed unless labels are 0/1,
        0%/100%, -1/1 or booleans.
    neg_label
        The label of negatives, or a list, where more than one label is left beside `pos_label`.
        Labels that are named need not occur, so that all shards are counted alike.
    rest
        What labels are that nobody named: "raise" refuses them, "negative" takes them as
        negatives. Every label that is named must then occur.
    drop_label
        A label, or a list, of rows that are neither, such as unfinished loans: they are left out
        and the account says how many.
    higher_is
        "positive" if a higher score means a more likely positive, "negative" if a less likely one.
    levels
        If scores are names: the grades, most likely positive first, such as ["C", "B", "A"].
    missing
        "raise", or "drop" to leave out rows that lack a named column and keep the account.
    resolution
        Floor scores to a grid of this width.
    cluster
        Which rows belong together, such as an obligor's months: an id per row; with `data`,
        the name of that column. Counts then also know their 64 groups of clusters, and
        intervals and tests take the dependence into account. An engine groups rows by this
        column too, so that about as many combinations are fetched as there are rows.
    memory_limit
        For files: about how much memory to use, such as "1GB"; scores are then sorted on disk.

    Returns
    -------
    ScoreCounts or RankTotals
        Exact counts, equal whatever the row order or the engine; sums of fractional weights are
        rounded once. `RankTotals` in their place, exact too, with `memory_limit` beyond a
        million distinct scores, and when Spark, DuckDB or Ibis hold more than 20 million: those
        are ranked where they are.

    Examples
    --------
    >>> count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    ScoreCounts(n=5, positives=3, distinct scores=5, higher_is='positive')
    >>> loans = ["default", "late", "paid", "open"]
    >>> said = {"pos_label": ["default", "late"], "rest": "negative", "drop_label": "open"}
    >>> count_scores(loans, [4, 3, 2, 1], **said).dropped.labels
    {"target is 'open'": 1}
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind, **others)
    named = one_score(score, data)
    query = Query(target, named, rules, data, weight, None, cluster, memory_limit)
    (counts,) = count_each(query)[0].values()
    return cast("Ranking", counts)


def count_segments(
    target: ColumnLike,
    score: ScoreLike,
    *,
    by: ColumnLike,
    period: Period | None = None,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> SegmentCounts:
    """Count each segment on its own: months, products, queries; they add up to the whole.

    The result is a mapping that holds the `ScoreCounts` of each segment by its name, in the order
    of the segments; of several scores their `JointCounts`.

    Parameters
    ----------
    score
        As in `count_scores`, or several scores as in `count_joint`.
    by
        The segment of each row; with `data`, the name of that column. Rows without one are a
        segment of their own, under the key None. Several columns, or names, in a list are crossed:
        a key then holds the value of each.
    period
        For dates among these, and names of periods such as Mar-2024: "day", "week", "month",
        "quarter" or "year". The segments are then called 2024-05-13, 2024-W20, 2024-05, 2024-Q2
        or 2024.
    target, data, table, weight, weight_kind, pos_label, neg_label, rest, drop_label
        As in `count_scores`.
    higher_is, levels, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> months = count_segments([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6], by=["Jan", "Jan", "Feb", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Jan': 2, 'Feb': 2}
    >>> days = ["2024-01-31", "2024-02-01", "2024-02-09", "2024-02-29"]
    >>> list(count_segments([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6], by=days, period="month"))
    ['2024-01', '2024-02']
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind, **others)
    named = segmented_scores(score, data, target, weight, cluster)
    query = Query(target, named, rules, data, weight, by, cluster, period=period)
    return cast("SegmentCounts", count_by_segment(query))


def count_joint(
    target: ColumnLike,
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointCounts:
    """Count several scores of the same rows together, as comparing them needs.

    Raises `ValueError` for anything that cannot be counted exactly, and for more than 10 million
    combinations of scores: pass `resolution` then.

    Parameters
    ----------
    scores
        Names of the scores in `data`, where * is any text, as in "s*"; without `data`, a mapping
        of name to column, or a list of columns.
    higher_is, levels
        As in `count_scores`, for all scores; or a mapping by score, as {"points": "negative"}.
    target, data, table, weight, weight_kind, missing, resolution, cluster
        As in `count_scores`.
    pos_label, neg_label, rest, drop_label
        As in `count_scores`.

    Examples
    --------
    >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint.margin("old")
    ScoreCounts(n=3, positives=2, distinct scores=2, higher_is='positive')
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind, **others)
    named = named_scores(scores, data, target, weight, cluster)
    query = Query(target, named, rules, data, weight, None, cluster)
    return cast("JointCounts", count_all_together(query))


@overload
def count_values(
    amount: ColumnLike,
    score: ColumnLike,
    *,
    data: Mapping[str, ColumnLike] | None = None,
    exposure: ColumnLike = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> ValueCounts: ...
@overload
def count_values(
    amount: ColumnLike,
    score: ColumnLike,
    *,
    data: Data,
    table: str | None = None,
    exposure: ColumnLike = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> Amounts: ...
def count_values(
    amount: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    exposure: ColumnLike = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> Amounts:
    """Count the amounts at each distinct score: losses, claim costs or revenue in place of classes.

    Parameters
    ----------
    amount
        The amount of each row, such as its loss or claim cost, 0 where there is none; with `data`,
        the name of that column. Booleans count 0 and 1.
    exposure
        What each row counts on the axis of cases, zero or more, such as insured years or the
        exposure at default; None when each row counts one. Rows with neither exposure nor amount
        are left out, with an account.
    higher_is
        Whether a higher score makes a large amount more likely ("positive") or less ("negative").
    levels
        Grade names, those of the largest amounts first, when scores are names.
    score, data, table, missing, resolution, cluster
        As in `count_scores`.

    Returns
    -------
    ValueCounts or ValueSums
        Every different row of score, amount and exposure with how often it occurs, equal whatever
        the row order or the engine. Where Spark, DuckDB or Ibis hold more than 20 million of these,
        `ValueSums`: sums at each score.

    Raises
    ------
    ValueError, TypeError
        For amounts that are infinite or no numbers, exposures below zero, an exposure of 0 with an
        amount, and numbers with more digits than a float holds; the message says how many.

    Examples
    --------
    >>> values = count_values([0, 90, 10, 0], [1, 3, 2, 2])
    >>> values
    ValueCounts(n=4, with an amount=2, amount=100, distinct scores=3, higher_is='positive')
    """
    refuse_none(amount=amount)
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution)
    named = one_score(score, data)
    query = Query(None, named, rules, data, cluster=cluster, amount=amount, exposure=exposure)
    (counts,) = count_each(query)[0].values()
    return cast("Amounts", counts)


def count_value_segments(
    amount: ColumnLike,
    score: ScoreLike,
    *,
    by: ColumnLike,
    period: Period | None = None,
    data: Data = None,
    table: str | None = None,
    exposure: ColumnLike = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> SegmentCounts:
    """Count the amounts of each segment on its own: months, products, queries.

    The result is a mapping that holds the `ValueCounts` of each segment by its name, in the order
    of the segments; they add up to the whole. Of several scores it holds their `JointValues`.

    Parameters
    ----------
    by, period
        As in `count_segments`.
    amount, score, data, table, exposure, higher_is, levels, missing, resolution, cluster
        As in `count_values`.

    Examples
    --------
    >>> years = count_value_segments([0, 9, 4, 0], [1, 3, 2, 2], by=[2023, 2023, 2024, 2024])
    >>> {year: counts.amount for year, counts in years.items()}
    {2023: 9, 2024: 4}
    """
    refuse_none(amount=amount)
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution)
    roles = {"by": by, "cluster": cluster, "amount": amount, "exposure": exposure}
    named = segmented_scores(score, data, amount, exposure, cluster)
    query = Query(None, named, rules, data, period=period, **roles)
    return cast("SegmentCounts", count_by_segment(query))


def count_joint_values(
    amount: ColumnLike,
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    exposure: ColumnLike = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointValues:
    """Count the amounts at each combination of several scores, as comparing them needs.

    Every different row of scores, amount and exposure, with how often it occurs. Raises
    `ValueError` as `count_values`, and for more than 10 million different rows: pass `resolution`
    then.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    amount, data, table, exposure, missing, resolution, cluster
        As in `count_values`.

    Examples
    --------
    >>> joint = count_joint_values([9, 0, 4], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint.margin("old").amount
    13
    """
    refuse_none(amount=amount)
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution)
    named = named_scores(scores, data, amount, exposure, cluster)
    query = Query(None, named, rules, data, cluster=cluster, amount=amount, exposure=exposure)
    return cast("JointValues", count_all_together(query))


def count_cases(
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: MissingScores = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> CaseCounts:
    """Count cases at each distinct score, whatever became of them: a portfolio without outcomes.

    Counts are equal whatever the row order or the engine. Raises `ValueError` or `TypeError` for
    anything that cannot be counted exactly. Where an engine holds more than 20 million different
    scores, pass `resolution`.

    Parameters
    ----------
    score, data, table, weight, weight_kind, higher_is, levels, resolution, cluster
        As in `count_scores`.
    missing
        As in `count_scores`; or "bin" to count cases without a score apart, which
        `population_stability` takes for a bin of their own.

    Examples
    --------
    >>> count_cases(["B", "A", "A"], levels=["B", "A"]).cases
    array([1, 2], dtype=uint8)
    """
    data = of_table(data, table)
    rules = CaseRules(None, higher_is, levels, missing, resolution, weight_kind)
    named = one_score(score, data)
    query = Query(None, named, rules, data, weight, cluster=cluster, without_outcome=True)
    (counts,) = count_each(query)[0].values()
    return CaseCounts(cast("ScoreCounts", counts))


def count_case_segments(
    score: ColumnLike,
    *,
    by: ColumnLike,
    period: Period | None = None,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: MissingScores = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> dict[Any, CaseCounts]:
    """Count the cases of each segment on its own, whatever became of them: months, products.

    The result holds the `CaseCounts` of each segment by its name, in the order of the segments.

    Parameters
    ----------
    by, period
        As in `count_segments`.
    score, data, table, weight, weight_kind, higher_is, levels, missing, resolution, cluster
        As in `count_cases`.

    Examples
    --------
    >>> months = count_case_segments([0.9, 0.2, 0.9], by=["Jan", "Jan", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Jan': 2, 'Feb': 1}
    """
    data = of_table(data, table)
    rules = CaseRules(None, higher_is, levels, missing, resolution, weight_kind)
    roles: dict[str, Any] = {"by": by, "period": period, "cluster": cluster}
    query = Query(None, one_score(score, data), rules, data, weight, **roles, without_outcome=True)
    return {name: CaseCounts(counts) for name, counts in count_by_segment(query).items()}


def count_joint_cases(
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointCases:
    """Count cases at each combination of several scores, such as the grades of two dates.

    Raises `ValueError` and `TypeError` as `count_joint`.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    data, table, weight, weight_kind, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> count_joint_cases({"before": [1, 2, 2], "after": [1, 1, 1]}).margin("before").cases
    array([2, 1], dtype=uint8)
    """
    data = of_table(data, table)
    rules = Rules(None, higher_is, levels, missing, resolution, weight_kind)
    named = named_scores(scores, data)
    query = Query(None, named, rules, data, weight, cluster=cluster, without_outcome=True)
    return JointCases(cast("JointCounts", count_all_together(query)))


def count_partial(
    target: ColumnLike,
    score: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    unknown_label: object = (),
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> PartialCounts:
    """Count positives, negatives and cases whose outcome is not known, at each distinct score.

    Rejected applicants, customers who left and loans that are too young have no outcome yet; they
    are counted here, not dropped. Counts are equal whatever the row order or the engine. Raises
    `ValueError` or `TypeError` for anything that cannot be counted exactly, such as a third label;
    the message says what was found. Where an engine holds more than 20 million combinations, pass
    `resolution`.

    Parameters
    ----------
    target
        What happened, one label per row; a row without a label has an unknown outcome. With
        `data`, the name of that column.
    score
        The score to judge, one per row, or several scores of the same rows as in `count_joint`;
        with `data`, names of columns.
    unknown_label
        A label, or a list of labels, that stand for an unknown outcome, such as "indeterminate".
    data, table, weight, weight_kind, pos_label, neg_label, rest, drop_label, resolution, cluster
        As in `count_scores`.
    higher_is, levels
        As in `count_joint`.
    missing
        "raise", or "drop" to leave out rows that lack a score, weight or cluster and keep the
        account. An outcome that is missing is no reason to leave a row out.

    Examples
    --------
    >>> count_partial([1, 0, None, 0], [0.9, 0.2, 0.9, 0.4])
    PartialCounts(known=3, positives=1, unknown=1, distinct scores=3)
    >>> count_partial(["bad", "good", "open"], [3, 1, 2], pos_label="bad", unknown_label="open")
    PartialCounts(known=2, positives=1, unknown=1, distinct scores=3)
    """
    data = of_table(data, table)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind, **others)
    named = named_scores(score, data, target, weight, cluster)
    query = Query(target, named, rules, data, weight, None, cluster)
    return count_partially(query, unknown_label)


def count_classes(
    realised: ColumnLike,
    estimated: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    classes: Classes | Sequence[float] = "ecb",
    closed: Closed | None = None,
    missing: Missing = "raise",
) -> OrdinalCounts:
    """Count cases by class of estimate and class of outcome, such as estimated and realised LGDs.

    `OrdinalCounts.table` has a row per class of estimates and a column per class of outcomes.
    Raises `ValueError` or `TypeError` for anything that is not a finite number; the message says
    what was found.

    Parameters
    ----------
    realised
        What came out, a number per case; with `data`, the name of that column.
    estimated
        What was expected, a number per case; with `data`, the name of that column.
    data, table
        A data frame or relation, a mapping of columns, a path, glob or list of paths, or `Files`,
        as in `count_scores`. None when columns are given.
    classes
        "ecb": with at most 20 different estimates each is a grade, and an outcome belongs to the
        lowest grade that it does not exceed, or to one more class above all; with more, both are
        put into the segments below .05, .1, .2, ..., .9, 1 and from 1 on. "values": every
        different number is a class of its own. Or the edges between classes, ascending, the same
        for both.
    closed
        Which end belongs to a class between two edges: "left" (the default) or "right".
    missing
        "raise", or "drop" to leave out rows that lack a number and keep the account.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, annex 3.2.
    Outcomes below 0, of which the annex does not speak, join the first class.

    Examples
    --------
    Grades .2 and .6: outcomes up to .2, up to .6, and above.

    >>> count_classes([0.1, 0.7, 0.2, 0.5], [0.2, 0.2, 0.6, 0.6]).table
    array([[1, 0, 1],
           [1, 1, 0]])
    """
    data = of_table(data, table)
    Rules(missing=missing)
    chosen, ends = check_classes(classes, closed)
    columns, repeats = columns_of_roles({"realised": realised, "estimated": estimated}, data)
    check_same_rows(columns)
    values = [as_numbers(column, repeats) for column in columns]
    cases = np.ones(len(values[0]), dtype=np.int64) if repeats is None else repeats
    gone = [np.isnan(found) for found in values]
    names = account_names([("realised", columns[0].name), ("estimated", columns[1].name)])
    lost = {name: rows for name, rows in zip(names, gone, strict=True) if rows.any()}
    present, dropped = present_rows(lost, cases, missing)
    outcomes, estimates = (numbers[present] for numbers in values)
    refuse_too_many(int(cases.sum()))
    return OrdinalCounts.from_rows(
        estimates, outcomes, cases[present], classes=chosen, closed=ends, dropped=dropped
    )


def count_apart(
    outcome: ColumnLike, scores: Any, *, amounts: bool, data: Data = None, **words: Any
) -> Mapping[str, Ranking | Amounts]:
    """Count several scores each alone, over rows complete for all, by what they are called."""
    of_rules = [field.name for field in fields(Rules) if field.name in words]
    rules = Rules(**{name: words.pop(name) for name in of_rules})
    target, amount = (None, outcome) if amounts else (outcome, None)
    others = (words.get(role) for role in ("weight", "exposure", "cluster"))
    named = named_scores(scores, data, outcome, *others)
    query = Query(target, named, rules, data, amount=amount, **words)
    return count_each(query)[0]


def counts_by_score(counts: Any) -> dict[str, Any]:
    """Return counts by score from counts, joint counts or a mapping: of classes, or of amounts."""
    if isinstance(counts, Ranking | ValueCounts | ValueSums):
        return {"score": counts}
    if isinstance(counts, JointCounts | JointValues):
        return {name: counts.margin(name) for name in counts.names}
    for name, each in counts.items():
        if not isinstance(each, Ranking | ValueCounts | ValueSums):
            raise TypeError(
                f"{name!r} holds {type(each).__name__}, not ScoreCounts; with columns, pass "
                "target and score: evaluate(y, {name: p})"
            )
    if not counts:
        raise ValueError("the mapping of counts is empty")
    if len({isinstance(each, Ranking) for each in counts.values()}) > 1:
        raise TypeError("some counts are for classes, some for amounts; evaluate each kind alone")
    return {str(name): each for name, each in counts.items()}


def refuse_row_keywords(**given: object) -> None:
    """Raise ValueError when something about rows is said of counts."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise ValueError(f"{', '.join(named)} is about rows, and these are counts already")


def one_score(score: ColumnLike, data: Data) -> dict[str, ColumnLike]:
    """Return a single score by what it is called: its column, or "score" where it is given."""
    named = data is not None and isinstance(score, str)
    return {score if named else "score": score}


def segmented_scores(scores: Any, data: Data, *others: ColumnLike) -> dict[str, ColumnLike]:
    """Return one score, or several of the same rows, by what they are called."""
    first = scores[0] if isinstance(scores, list | tuple) and scores else None
    # Text is a name with data, and a grade without.
    listed = data is not None if isinstance(first, str) else hasattr(first, "__len__")
    if listed or isinstance(scores, Mapping) or hasattr(type(scores), "columns"):
        return named_scores(scores, data, *others)
    return one_score(scores, data)


def present_rows(
    lost: Mapping[str, Bools], cases: Ints, missing: Missing
) -> tuple[Bools, Dropped | None]:
    """Return which rows lack nothing, with the account of the others if they are dropped."""
    found = {name: int(cases[rows].sum()) for name, rows in lost.items()}
    gone = np.logical_or.reduce([np.zeros(len(cases), dtype=np.bool_), *lost.values()])
    if missing == "drop":
        return ~gone, Dropped(int(cases[gone].sum()), found)
    if found:
        raise ValueError(missing_message(found, int(cases.sum())))
    return ~gone, None

"""Rows whose outcome is not known, or is known of some only, become counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from capcurve.counts import CaseCounts, JointCases, PartialCounts
from capcurve.input.arrays import Missing, Rules, count_clustered, count_jointly
from capcurve.input.rows import Query, gather, named_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts import Direction, JointCounts, ScoreCounts, WeightKind
    from capcurve.input.arrays import Sample
    from capcurve.input.columns import ColumnLike, Data


def count_cases(
    score: ColumnLike,
    *,
    data: Data = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> CaseCounts:
    """Count cases at each distinct score, whatever became of them: a portfolio without outcomes.

    Parameters
    ----------
    score
        The score of each row; with `data`, the name of that column.
    data, weight, weight_kind, higher_is, levels, missing, resolution, cluster
        As in `count_scores`.

    Returns
    -------
    CaseCounts
        Cases at each score, equal whatever the row order or the engine.

    Raises
    ------
    ValueError, TypeError
        For anything that cannot be counted exactly; the message says what was found. Where an
        engine holds more than 20 million different scores, pass `resolution`.

    Examples
    --------
    >>> count_cases(["B", "A", "A"], levels=["B", "A"]).cases
    array([1, 2], dtype=uint8)
    """
    rules = Rules(None, higher_is, levels, missing, resolution, weight_kind)
    named = data is not None and isinstance(score, str)
    query = _without_outcome({score if named else "score": score}, rules, data, weight, cluster)
    (rows,) = gather(query)
    return CaseCounts(_of_one(rows.complete(rules)))


def count_joint_cases(
    scores: Any,
    *,
    data: Data = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointCases:
    """Count cases at each combination of several scores, such as the grades of two dates.

    Parameters
    ----------
    scores
        Names of the scores in `data`; without `data`, a mapping of name to column, or a list of
        columns.
    higher_is, levels
        One for all scores, or a mapping by score.
    data, weight, weight_kind, missing, resolution, cluster
        As in `count_scores`.

    Returns
    -------
    JointCases
        Cases at each combination of scores.

    Raises
    ------
    ValueError, TypeError
        As `count_joint`.

    Examples
    --------
    >>> count_joint_cases({"before": [1, 2, 2], "after": [1, 1, 1]}).margin("before").cases
    array([2, 1], dtype=uint8)
    """
    rules = Rules(None, higher_is, levels, missing, resolution, weight_kind)
    query = _without_outcome(named_scores(scores, data), rules, data, weight, cluster)
    (rows,) = gather(query, together=True)
    return JointCases(_of_several(rows.complete(rules)))


def count_partial(
    target: ColumnLike,
    score: Any,
    *,
    data: Data = None,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    unknown_label: object = (),
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> PartialCounts:
    """Count positives, negatives and cases whose outcome is not known, at each distinct score.

    Rejected applicants, customers who left and loans that are too young have no outcome yet; they
    are counted here, not dropped.

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
    data, weight, weight_kind, pos_label, resolution, cluster
        As in `count_scores`.
    higher_is, levels
        One for all scores, or with several a mapping by score.
    missing
        "raise", or "drop" to leave out rows that lack a score, weight or cluster and keep the
        account. An outcome that is missing is no reason to leave a row out.

    Returns
    -------
    PartialCounts
        Counts of rows with a known outcome, and of those without; equal whatever the row order or
        the engine.

    Raises
    ------
    ValueError, TypeError
        For anything that cannot be counted exactly, such as a third label; the message says what
        was found. Where an engine holds more than 20 million combinations, pass `resolution`.

    Examples
    --------
    >>> count_partial([1, 0, None, 0], [0.9, 0.2, 0.9, 0.4])
    PartialCounts(known=3, positives=1, unknown=1, distinct scores=3)
    >>> count_partial(["bad", "good", "open"], [3, 1, 2], pos_label="bad", unknown_label="open")
    PartialCounts(known=2, positives=1, unknown=1, distinct scores=3)
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    query = Query(target, named_scores(score, data), rules, data, weight, None, cluster)
    return count_partially(query, unknown_label)


def count_partially(query: Query, unknown_label: object) -> PartialCounts:
    """Count what a query asks for, of one score or of several together, with unknown outcomes."""
    several = len(query.scores) > 1
    (rows,) = gather(query, together=several)
    known, unknown = rows.partial(query.rules, unknown_label)
    if several:
        return PartialCounts(_of_several(known), JointCases(_of_several(unknown)))
    return PartialCounts(_of_one(known), CaseCounts(_of_one(unknown)))


def _without_outcome(
    scores: Mapping[str, ColumnLike],
    rules: Rules,
    data: Data,
    weight: ColumnLike,
    cluster: ColumnLike,
) -> Query:
    return Query(None, scores, rules, data, weight, cluster=cluster, without_outcome=True)


def _of_one(sample: Sample) -> ScoreCounts:
    return cast("ScoreCounts", count_clustered(sample, sample.scores[0]))


def _of_several(sample: Sample) -> JointCounts:
    return cast("JointCounts", count_jointly(sample))

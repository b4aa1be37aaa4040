"""evaluate: from data to everything about its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from capcurve.counts import JointCounts, Ranking, ScoreCounts
from capcurve.counts.ranking import refuse_small_cells
from capcurve.evaluation.judging import judge, rows_sharing
from capcurve.input import (
    Query,
    count_together,
    counts_by_score,
    named_scores,
    refuse_row_keywords,
    source_of,
)
from capcurve.input.arrays import Missing, Rules
from capcurve.report.content import money_of
from capcurve.report.words import title_of

if TYPE_CHECKING:
    from capcurve.counts import WeightKind
    from capcurve.evaluation.evaluation import Evaluation
    from capcurve.summary import Finding


def evaluate(
    target: Any,
    score: Any = None,
    *,
    data: Any = None,
    by: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: Any = None,
    id: Any = None,  # noqa: A002 - what the column is called
    prevalence: float | None = None,
    value: float | None = None,
    cost: float | None = None,
    title: str | None = None,
    level: float = 0.95,
    memory_limit: str | int | None = None,
    min_cell: int | None = None,
) -> Evaluation:
    """Evaluate how well one or several scores rank.

    Parameters
    ----------
    target
        Outcome, one label per row, or its column in `data`. Or ready counts:
        `ScoreCounts`, a mapping of name to `ScoreCounts`, or `JointCounts`; then leave out `score`
        and everything about rows.
    score
        The score; for several a list of columns of `data`, or a mapping of name to column.
    by
        Segment of each row, or its column: months, products, regions.
    higher_is, levels
        One for all scores, or a mapping by score.
    id
        An id per row, or its column: a finding warns if ids repeat, since rows that share one
        are not independent, and the column should be passed as `cluster`.
    prevalence
        Re-weight the classes to a population in which this share is positive.
    value, cost
        Gain per captured positive and cost per selected case, in the same unit of
        money: the page then shows the profit. Give both or none.
    title
        Heading of the page.
    level
        Confidence level of all intervals.
    min_cell
        Refuse if any distinct score, in any segment, has fewer cases, which may identify people.
    data, weight, weight_kind, pos_label, missing, resolution, cluster, memory_limit
        As in `count_scores`. Rows that lack any named column are left out for all scores.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> evaluate([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    score: The top 10% of cases hold 16.7% of all positives; the accuracy ratio is 0.333 on
    5 cases with 3 positives.
    """
    if isinstance(target, Ranking | JointCounts | Mapping) and score is None:
        turned, kept = higher_is != "positive" or None, missing != "raise" or None
        refuse_row_keywords(
            data=data,
            by=by,
            weight=weight,
            weight_kind=weight_kind,
            pos_label=pos_label,
            levels=levels,
            resolution=resolution,
            cluster=cluster,
            id=id,
            higher_is=turned,
            missing=kept,
            memory_limit=memory_limit,
        )
        whole: Mapping[str, Any] = counts_by_score(target)
        parts: dict[str, dict[Any, ScoreCounts]] = {}
        joint: JointCounts | str | None = target if isinstance(target, JointCounts) else None
        about_rows: tuple[Finding, ...] = ()
    else:
        if score is None:
            raise TypeError("evaluate needs a target and a score, or counts that are ready")
        about_rows = rows_sharing(id, cluster, data)
        rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
        named = named_scores(score, data)
        query = Query(target, named, rules, data, weight, by, cluster, memory_limit)
        whole, parts, joint = count_together(query)
    refuse_small_cells(min_cell, whole, parts)
    return judge(
        whole,
        parts,
        joint,
        title=title or title_of(target, list(whole)),
        source=source_of(data),
        by=None if by is None else (by if isinstance(by, str) else "segment"),
        prevalence=prevalence,
        level=level,
        about_rows=about_rows,
        money=money_of(value, cost),
    )

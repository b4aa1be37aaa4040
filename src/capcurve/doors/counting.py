"""The doors: rows of any kind become counts, with one signature whatever holds them."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from capcurve.arrays import (
    Lost,
    Missing,
    Rules,
    Sample,
    as_sample,
    complete,
    count_clustered,
    count_jointly,
    split_rows,
)
from capcurve.doors.gathering import Rows, gather, named_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capcurve.counts import Direction, JointCounts, ScoreCounts, WeightKind, Weights

# Joint cells times scores that a report compares without being asked: a second or two.
MOST_JOINT = 4_000_000


def count_scores(
    target: Any,
    score: Any,
    *,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: Any = None,
) -> ScoreCounts:
    """Count positives and negatives at each distinct score: the first step of everything.

    Parameters
    ----------
    target
        What happened, one label per row; with `data`, the name of that column.
    score
        The score to judge, one per row; with `data`, the name of that column.
    data
        A data frame or relation (pandas, Polars eager or lazy, Arrow, DuckDB), a mapping of
        columns, a path, glob or list of paths, or `Files`. None when columns are given.
    weight
        Weight of each row, zero or more.
    weight_kind
        What the weights mean: "frequency" (that many identical rows, exactly), "sampling" or
        "exposure". May be left out until a variance is asked for.
    pos_label
        The label of the positive class; needed unless labels are 0/1, -1/1 or booleans.
    higher_is
        Whether a higher score makes a case more likely "positive" or "negative".
    levels
        Grade names, most-likely-positive first, when scores are names.
    missing
        "raise", or "drop" to leave out rows that lack a named column and keep the account.
    resolution
        Floor scores to a grid of this width.
    cluster
        Which rows belong together, such as an obligor's months: an id per row; with `data`,
        the name of that column. Counts then also know their 64 groups of clusters, and
        intervals and tests take the dependence into account. An engine groups rows by this
        column too, so that about as many combinations come home as there are rows.

    Returns
    -------
    ScoreCounts
        Exact counts, equal whatever the row order or the engine.

    Raises
    ------
    ValueError, TypeError
        For anything that cannot be counted exactly; the message says what was found.

    Examples
    --------
    >>> count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    ScoreCounts(n=5, positives=3, distinct scores=5, higher_is='positive')
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    # No name holds on to the rows: the target's column is free before the scores are sorted.
    gathered = gather(target, {"score": score}, data, weight, None, cluster)
    sample = _complete_sample(gathered.pop(), rules)
    return count_clustered(sample, sample.scores[0])


def count_segments(
    target: Any,
    score: Any,
    *,
    by: Any,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: Any = None,
) -> dict[Any, ScoreCounts]:
    """Count each segment on its own: months, products, regions; they add up to the whole.

    Parameters
    ----------
    by
        The segment of each row; with `data`, the name of that column. Rows without one are a
        segment of their own, under the key None.
    target, score, data, weight, weight_kind, pos_label, higher_is, levels, missing, resolution,
    cluster
        As in `count_scores`.

    Returns
    -------
    dict
        `ScoreCounts` by segment, in the order of the segments.

    Examples
    --------
    >>> months = count_segments([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6], by=["Jan", "Jan", "Feb", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Feb': 2, 'Jan': 2}
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    rows = gather(target, {"score": score}, data, weight, by, cluster)[0]
    return {
        key: count_clustered(sample, sample.scores[0]) for key, sample in _segments(rows, rules)
    }


def count_joint(
    target: Any,
    scores: Any,
    *,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: Any = None,
) -> JointCounts:
    """Count several scores of the same rows together, as comparing them needs.

    Parameters
    ----------
    scores
        Names of the scores in `data`; without `data`, a mapping of name to column.
    higher_is, levels
        One for all scores, or a mapping by score.
    target, data, weight, weight_kind, pos_label, missing, resolution,
    cluster
        As in `count_scores`.

    Raises
    ------
    ValueError
        For anything that cannot be counted exactly, and for more than 10 million combinations
        of scores: pass `resolution` then.

    Examples
    --------
    >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint.margin("old")
    ScoreCounts(n=3, positives=2, distinct scores=2, higher_is='positive')
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    named = named_scores(scores, data)
    floored = resolution is not None
    rows = gather(target, named, data, weight, None, cluster, together=True, floored=floored)[0]
    return count_jointly(_complete_sample(rows, rules))


def count_each(
    target: Any,
    scores: Any,
    *,
    data: Any = None,
    weight: Any = None,
    by: Any = None,
    cluster: Any = None,
    rules: Rules,
) -> tuple[dict[str, ScoreCounts], dict[str, dict[Any, ScoreCounts]]]:
    """Count several scores, each on its own, over the rows that are complete for all.

    Returns the counts by score, and with `by` also by score and segment.
    """
    gathered = gather(target, named_scores(scores, data), data, weight, by, cluster)
    return _each(gathered, by, rules)


def count_together(
    target: Any,
    scores: Any,
    *,
    data: Any = None,
    weight: Any = None,
    by: Any = None,
    cluster: Any = None,
    rules: Rules,
) -> tuple[dict[str, ScoreCounts], dict[str, dict[Any, ScoreCounts]], JointCounts | str | None]:
    """Count several scores each on its own and, where that stays small, together.

    Returns what `count_each` does, and the joint counts: None for a single score, and a
    sentence that says why when their cells could be too many.
    """
    named = named_scores(scores, data)
    gathered = gather(target, named, data, weight, by, cluster)
    if len(named) < 2:  # noqa: PLR2004 - a pair
        return *_each(gathered, by, rules), None
    gathered = [replace(rows, owned=False) for rows in gathered]  # they are counted twice
    whole, parts = _each(list(gathered), by, rules)
    if not whole:
        return whole, parts, None
    first = next(iter(whole.values()))
    rows = first.n if first.weights is None else sum(_rows_of(first.weights))
    most = min(rows, prod(len(counts) for counts in whole.values()))
    if most * len(whole) > MOST_JOINT:
        why = (
            f"the scores are not compared: together they may have {most:,} different values, "
            "which takes long"
        )
        return whole, parts, why
    if len(gathered) > 1:  # an engine holds the rows and grouped them by each score alone
        gathered = gather(target, named, data, weight, None, cluster, together=True)
    return whole, parts, count_jointly(_complete_sample(gathered[0], rules))


def _rows_of(weights: Weights) -> tuple[int, int]:
    return weights.positive_rows, weights.negative_rows


def _each(
    gathered: list[Rows], by: Any, rules: Rules
) -> tuple[dict[str, ScoreCounts], dict[str, dict[Any, ScoreCounts]]]:
    whole: dict[str, ScoreCounts] = {}
    parts: dict[str, dict[Any, ScoreCounts]] = {}
    while gathered:
        rows = gathered.pop(0)
        if by is None:
            sample = _complete_sample(rows, rules)
            del rows  # the target's column is free before the scores are sorted
            whole |= {score.name: count_clustered(sample, score) for score in sample.scores}
            continue
        for key, sample in _segments(rows, rules):
            for score in sample.scores:
                parts.setdefault(score.name, {})[key] = count_clustered(sample, score)
    for name, segments in parts.items():
        whole[name] = type(next(iter(segments.values()))).merge(segments.values())
    return whole, parts


def _checked(rows: Rows, rules: Rules) -> tuple[Sample, Lost]:
    sample, lost = as_sample(
        rows.target, rows.scores, rules, rows.weight, rows.repeats, rows.also, rows.order
    )
    return replace(sample, groups=rows.groups), lost


def _complete_sample(rows: Rows, rules: Rules) -> Sample:
    sample, lost = _checked(rows, rules)
    return replace(complete(sample, lost, rules), owned=rows.owned)


def _segments(rows: Rows, rules: Rules) -> Iterator[tuple[Any, Sample]]:
    sample, lost = _checked(rows, rules)
    by = rows.by
    if by is None or len(by) != len(rows.target):
        found = "nothing" if by is None else f"{len(by)} rows"
        raise ValueError(f"by has {found} and {rows.target.name} has {len(rows.target)} rows")
    for key, picked in split_rows(by):
        part = sample.take(picked, None)
        yield key, complete(part, lost.take(picked), rules)

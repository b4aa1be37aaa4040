"""Several scores of the same rows, as a report needs them: each alone, and together."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from capcurve.input.arrays import Rules, count_clustered, count_jointly
from capcurve.input.engines import TooManyCellsError
from capcurve.input.gathering import Rows, gather, named_scores
from capcurve.input.limited import within_memory
from capcurve.input.ranking import rank_where_held
from capcurve.input.sampling import complete_sample, segments_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import JointCounts, ScoreCounts, Weights

# Joint cells times scores that a report compares without being asked: a second or two.
MOST_JOINT = 4_000_000
NOT_TOGETHER = "the scores are not compared: within a memory limit each is counted on its own"
NOT_HELD = "the scores are not compared: they have so many values that each is ranked on its own"


def count_each(
    target: Any,
    scores: Any,
    *,
    data: Any = None,
    weight: Any = None,
    by: Any = None,
    cluster: Any = None,
    rules: Rules,
    memory_limit: str | int | None = None,
) -> tuple[dict[str, Any], dict[str, dict[Any, ScoreCounts]]]:
    """Count several scores, each on its own, over the rows that are complete for all.

    Returns the counts by score, and with `by` also by score and segment. Within a memory limit
    there may be totals in their place.
    """
    if memory_limit is not None:
        return _limited(target, scores, data, weight, by, cluster, rules, memory_limit), {}
    named = named_scores(scores, data)
    try:
        gathered = gather(target, named, data, weight, by, cluster, resolution=rules.resolution)
    except TooManyCellsError as refused:
        return _ranked(refused, target, named, data, weight, by, cluster, rules), {}
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
    memory_limit: str | int | None = None,
) -> tuple[dict[str, Any], dict[str, dict[Any, ScoreCounts]], JointCounts | str | None]:
    """Count several scores each on its own and, where that stays small, together.

    Returns what `count_each` does, and the joint counts: None for a single score, and a
    sentence that says why when their cells could be too many.
    """
    named = named_scores(scores, data)
    if memory_limit is not None:
        whole = _limited(target, scores, data, weight, by, cluster, rules, memory_limit)
        return whole, {}, NOT_TOGETHER if len(named) > 1 else None
    try:
        gathered = gather(target, named, data, weight, by, cluster, resolution=rules.resolution)
    except TooManyCellsError as refused:
        whole = _ranked(refused, target, named, data, weight, by, cluster, rules)
        return whole, {}, NOT_HELD if len(named) > 1 else None
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
        step = rules.resolution
        gathered = gather(
            target, named, data, weight, None, cluster, together=True, resolution=step
        )
    return whole, parts, count_jointly(complete_sample(gathered[0], rules))


def _limited(
    target: Any,
    scores: Any,
    data: Any,
    weight: Any,
    by: Any,
    cluster: Any,
    rules: Rules,
    memory_limit: str | int,
) -> dict[str, Any]:
    if by is not None:
        raise ValueError("memory_limit= counts all rows together; leave it out, or by=")
    named = named_scores(scores, data)
    return within_memory(target, named, data, weight, cluster, rules, memory_limit)


def _ranked(
    refused: TooManyCellsError,
    target: Any,
    named: Mapping[str, Any],
    data: Any,
    weight: Any,
    by: Any,
    cluster: Any,
    rules: Rules,
) -> dict[str, Any]:
    """Rank each score where it is held, or raise what was refused.

    Several are ranked over all rows or not at all: those complete for one may lack another.
    """
    if by is not None or (len(named) > 1 and rules.missing == "drop"):
        raise refused
    found: dict[str, Any] = {}
    for name, column in named.items():
        direction, levels = rules.of_score(name, list(named))
        alone = replace(rules, higher_is=direction, levels=levels)
        if len(named) == 1:
            held = rank_where_held(refused, target, name, column, data, weight, cluster, alone)
            return {name: held}
        extra = {"data": data, "weight": weight, "cluster": cluster}
        found |= count_each(target, {name: column}, rules=alone, **extra)[0]
    return found


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
            sample = complete_sample(rows, rules)
            del rows  # the target's column is free before the scores are sorted
            whole |= {score.name: count_clustered(sample, score) for score in sample.scores}
            continue
        for key, sample in segments_of(rows, rules):
            for score in sample.scores:
                parts.setdefault(score.name, {})[key] = count_clustered(sample, score)
    for name, segments in parts.items():
        whole[name] = type(next(iter(segments.values()))).merge(segments.values())
    return whole, parts

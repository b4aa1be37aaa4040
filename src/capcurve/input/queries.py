"""Counting one score or several of the same rows: each alone, by segment, and together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts import ValueCounts
from capcurve.input.amount_sums import sum_amounts
from capcurve.input.arrays import count_clustered, count_jointly
from capcurve.input.arrays.groups import segment_codes
from capcurve.input.columns import as_column
from capcurve.input.engines import TooManyCellsError
from capcurve.input.engines.spark import rank_in_spark
from capcurve.input.engines.streaming import rank_by_streaming
from capcurve.input.frames import as_frame, engine_errors, grouped_columns, named_columns
from capcurve.input.rows import columns_of, files_of, gather

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Ranking, RankTotals, ValueSums
    from capcurve.input.arrays import Rules
    from capcurve.input.arrays.groups import Counts, Joint
    from capcurve.input.columns import ColumnLike, Data
    from capcurve.input.rows import Query, Rows

Segments: TypeAlias = "dict[Any, Any]"  # counts of classes, or of amounts
Found: TypeAlias = "Ranking | ValueCounts | ValueSums"

# Joint cells times scores that a report compares without being asked: a second or two.
MOST_JOINT = 4_000_000
NOT_TOGETHER = "the scores are not compared: within a memory limit each is counted on its own"
NOT_HELD = "the scores are not compared: they have so many values that each is ranked on its own"


def count_each(
    query: Query,
) -> tuple[Mapping[str, Found], dict[str, Segments]]:
    """Count several scores, each on its own, over the rows that are complete for all.

    Returns the counts by score, and with `by` also by score and segment. Within a memory limit,
    and where an engine holds too many cells, there may be totals in their place.
    """
    if query.memory_limit is not None:
        return _within_memory(query), {}
    try:
        gathered = gather(query)
    except TooManyCellsError as refused:
        return _ranked(query, refused), {}
    return _each(gathered, query)


def count_by_segment(query: Query) -> dict[str, Segments]:
    """Count each segment on its own, by score."""
    return _segments(gather(query), query.rules)


def count_all_together(query: Query) -> Joint:
    """Count the combinations of all scores."""
    (rows,) = gather(replace(query, by=None), together=True)
    return count_jointly(rows.complete(query.rules))


def count_together(
    query: Query,
) -> tuple[Mapping[str, Found], dict[str, Segments], Joint | str | None]:
    """Count several scores each on its own and, where that stays small, together.

    Returns what `count_each` does, and the joint counts: None for a single score, and a
    sentence that says why when their cells could be too many.
    """
    if len(query.scores) < 2:  # noqa: PLR2004 - a pair
        return *count_each(query), None
    if query.memory_limit is not None:
        return _within_memory(query), {}, NOT_TOGETHER
    try:
        gathered = gather(query)
    except TooManyCellsError as refused:
        return _ranked(query, refused), {}, NOT_HELD
    gathered = [replace(rows, owned=False) for rows in gathered]  # they are counted twice
    whole, parts = _each(list(gathered), query)
    if not whole:
        return whole, parts, None
    most = _most_joint_cells(whole)
    if most * len(whole) > MOST_JOINT:
        why = (
            f"the scores are not compared: together they may have {most:,} different values, "
            "which takes long"
        )
        return whole, parts, why
    if len(gathered) > 1:  # an engine holds the rows and grouped them by each score alone
        return whole, parts, count_all_together(query)
    return whole, parts, count_jointly(gathered[0].complete(query.rules))


def _most_joint_cells(whole: Mapping[str, Counts]) -> int:
    """Return how many cells scores may have together, at most."""
    first, combinations = next(iter(whole.values())), prod(map(len, whole.values()))
    if isinstance(first, ValueCounts):
        return int(first.n if first.has_exposure else min(first.n, combinations + first.m))
    weights = first.weights
    rows = first.n if weights is None else weights.positive_rows + weights.negative_rows
    return int(min(rows, combinations))


def _each(gathered: list[Rows], query: Query) -> tuple[dict[str, Counts], dict[str, Segments]]:
    if query.by is None:
        return _whole(gathered, query.rules), {}
    parts = _segments(gathered, query.rules)
    return {
        name: type(next(iter(segments.values()))).merge(segments.values())
        for name, segments in parts.items()
    }, parts


def _whole(gathered: list[Rows], rules: Rules) -> dict[str, Counts]:
    """Count scores by what they are called; the rows are taken out of the list that holds them."""
    whole: dict[str, Counts] = {}
    while gathered:
        # No name holds on to the rows: the outcome's column is free before scores are sorted.
        sample = gathered.pop(0).complete(rules)
        whole |= {score.name: count_clustered(sample, score) for score in sample.scores}
    return whole


def _segments(gathered: list[Rows], rules: Rules) -> dict[str, Segments]:
    parts: dict[str, Segments] = {}
    while gathered:
        for key, sample in gathered.pop(0).segments(rules):
            for score in sample.scores:
                parts.setdefault(score.name, {})[key] = count_clustered(sample, score)
    return parts


def _within_memory(query: Query) -> dict[str, Ranking]:
    """Count each score of files in about so much memory, over rows complete for all."""
    from capcurve.input.files.spilling import memory_bytes, rank_files

    if query.by is not None:
        raise ValueError("memory_limit= counts all rows together; leave it out, or by=")
    if query.cluster is not None:
        raise ValueError("memory_limit= keeps no clusters; leave out cluster= or memory_limit=")
    limit = memory_bytes(query.memory_limit or 0)
    files = files_of(query.data)
    if files is None:
        raise TypeError(
            "memory_limit= is for files, given as data= and a path; other rows are in memory "
            "already, or in an engine with a limit of its own: leave it out"
        )
    count = partial(rank_files, limit=limit, weight=query.weight, scores=query.scores)
    return {
        name: count(files, query.target, column, query.rules, name=name)
        for name, column in query.scores.items()
    }


def _ranked(query: Query, refused: TooManyCellsError) -> Mapping[str, Found]:
    """Rank each score where it is held, or raise what was refused.

    Several are ranked over all rows or not at all: those complete for one may lack another.
    """
    several = len(query.scores) > 1
    if query.by is not None or (several and query.rules.missing == "drop"):
        raise refused
    found: dict[str, Found] = {}
    for name, column in query.scores.items():
        direction, levels = query.rules.of_score(name, list(query.scores))
        rules = replace(query.rules, higher_is=direction, levels=levels)
        alone = replace(query, scores={name: column}, rules=rules)
        if not several:
            return {name: _ranked_where_held(alone, refused)}
        found |= count_each(alone)[0]
    return found


def _ranked_where_held(query: Query, refused: TooManyCellsError) -> RankTotals | ValueSums:
    """Return the totals of one score's ranking, or raise where they cannot be had."""
    if query.amount is not None:
        return _summed_where_held(query, refused)
    rules, target = query.rules, query.target
    given = (query.weight, query.cluster, rules.levels, rules.resolution)
    if any(each is not None for each in given):
        raise refused
    ((name, score),) = query.scores.items()
    if refused.engine == "Spark":
        return rank_in_spark(query.data, target, name, score, rules)
    frame = as_frame(query.data)
    if not isinstance(frame, nw.LazyFrame) or refused.engine not in {"DuckDB", "Ibis"}:
        raise refused
    with engine_errors(frame):
        narrow = named_columns(frame, {"t": target, "s": score})
        return rank_by_streaming(narrow, target, name, rules)


def _summed_where_held(query: Query, refused: TooManyCellsError) -> ValueSums:
    """Return sums of amounts at each score, or raise where they cannot be had."""
    frame = as_frame(query.data)
    if not isinstance(frame, nw.LazyFrame) or query.cluster is not None:
        raise refused
    ((name, score),) = query.scores.items()
    columns = {"a": query.amount, "s": score}
    if query.exposure is not None:
        columns["e"] = query.exposure
    with engine_errors(frame):
        return sum_amounts(named_columns(frame, columns), columns, name, query.rules)


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often ids occur: rows with an id, different ids, rows whose id another row has too."""

    rows: int
    ids: int
    sharing: int


def count_repeats(row_id: ColumnLike, *, data: Data = None) -> Repeats:
    """Count rows, different ids and the rows that share theirs; rows without an id do not count.

    Examples
    --------
    >>> count_repeats(["a", "b", "a", None])
    Repeats(rows=3, ids=2, sharing=2)
    """
    times = None
    if data is None:
        column = as_column(row_id, "id")
    else:
        columns = columns_of(data, [row_id])
        if isinstance(columns, nw.LazyFrame):
            columns, times = grouped_columns(columns, [row_id])
        column = columns[row_id]
    keys, codes = segment_codes(column)
    sizes = np.bincount(codes, weights=times, minlength=len(keys)).astype(np.int64)
    known = sizes[[key is not None for key in keys]]
    known = known[known > 0]
    return Repeats(int(known.sum()), len(known), int(known[known > 1].sum()))

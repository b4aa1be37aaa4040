"""Counting a score of files within a memory limit: rows are read in parts and sorted on disk."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts, count_sorted
from capcurve.counts.settings import check_direction, check_resolution
from capcurve.input.arrays import Sample, Score, count_sample
from capcurve.input.arrays.checks import account_names
from capcurve.input.files.batches import fetch_batches
from capcurve.input.files.engine import select
from capcurve.input.files.onetable import FLOATS, SIGNED, UNSIGNED, first_look, one_table
from capcurve.input.files.reading import open_files
from capcurve.input.files.spilling import spilled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Ranked
    from capcurve.input.arrays import Rules
    from capcurve.input.files.onetable import FirstLook, OneTable
    from capcurve.input.files.sources import Files
    from capcurve.input.files.spilling import Spill

# Up to so many distinct scores come back as counts, more as totals.
MOST_HELD = 1_000_000
# Bytes that a row takes while it is counted, besides copies of its score.
PER_ROW, COPIES = 40, 8


def rank_files(
    files: Files,
    target: str,
    score: str,
    rules: Rules,
    *,
    limit: int,
    weight: str | None = None,
    scores: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Ranked:
    """Count a score of files in about as much memory as is granted.

    Parameters
    ----------
    files
        Which files to read.
    target, score, weight
        Columns; weights must be frequencies.
    rules
        How rows are to be read.
    limit
        Memory in bytes.
    scores, name
        The columns of all scores, which rows must have too, by what they are called; and what
        this one is called.

    Returns
    -------
    ScoreCounts or RankTotals
        Counts of up to a million distinct scores, totals of more.

    Raises
    ------
    ValueError
        For grades, other weights, and whatever else cannot be counted so.
    OSError
        When the disk is full.
    """
    called, scores = name or score, scores or {score: score}
    direction = _direction(rules, called, list(scores))
    step = check_resolution(rules.resolution)
    _check_weights(weight, rules)
    others = [("score", n, column) for n, column in scores.items() if n != called]
    weights = [] if weight is None else [("weight", weight, weight)]
    roles = [("target", target, target), ("score", called, score), *weights, *others]
    with open_files(files) as tables:
        connection = tables[0].connection
        connection.execute(f"SET memory_limit = '{limit // 2}B'")
        connection.execute("SET preserve_insertion_order = false")
        table = one_table(tables, [column for *_, column in roles], files)
        names = account_names([(role, name) for role, name, _ in roles])
        table = replace(table, names=tuple(names))
        _refuse_no_numbers(table, 2 if weight is None else 3)
        order = _account_order(roles, list(scores))
        look = first_look(table, rules, weighted=weight is not None, order=order)
        width = 4 if table.types[1] == "FLOAT" else 8
        rows = limit // 4 // (PER_ROW + COPIES * width)
        parts = _parts(table, look, weight is not None, rows)
        counts = (_counted(part, direction, step) for part in parts)
        with closing(spilled(counts, rows)) as spill:
            return _ranked(spill, look, direction, step)


def _direction(rules: Rules, name: str, names: Sequence[str]) -> Any:
    direction, levels = rules.of_score(name, names)
    if levels is not None:
        raise ValueError("memory_limit= is for numeric scores, and grades are few: leave it out")
    return check_direction(direction)


def _check_weights(weight: str | None, rules: Rules) -> None:
    if weight is None and rules.weight_kind is not None:
        raise ValueError(f"weight_kind={rules.weight_kind!r} was given without weight")
    if weight is not None and rules.weight_kind != "frequency":
        raise ValueError(
            'with memory_limit=, weights must be frequencies: weight_kind="frequency"; '
            "other weights need every score in memory"
        )


def _account_order(roles: Sequence[tuple[str, str, str]], scores: Sequence[str]) -> list[int]:
    """Return the places of columns as every account has them: target, scores, weight."""
    found = [["target", "score", "weight"].index(role) for role, *_ in roles]
    asked = [scores.index(name) if role == "score" else 0 for role, name, _ in roles]
    return sorted(range(len(roles)), key=lambda place: (found[place], asked[place]))


def _refuse_no_numbers(table: OneTable, columns: int) -> None:
    for name, kind in list(zip(table.names, table.types, strict=True))[1:columns]:
        if kind not in ("BOOLEAN", *FLOATS, *SIGNED, *UNSIGNED):
            found = kind.split("(")[0].lower()
            raise ValueError(f"with memory_limit=, {name} must be numbers, and it is {found}")


def _parts(
    table: OneTable, look: FirstLook, weighted: bool, rows: int
) -> Iterator[list[NDArray[Any]]]:
    """Yield arrays of positives, scores and weights, about so many rows at a time."""
    score = "CAST(v1 AS TINYINT)" if table.types[1] == "BOOLEAN" else "v1"
    fields = [look.positive, score, *(["CAST(v2 AS BIGINT)"] if weighted else [])]
    sql = select(fields, table.relation, f"WHERE {table.complete}")
    waiting: list[list[NDArray[Any]]] = []
    held = read = 0
    for batch in fetch_batches(table.connection, sql, table.label):
        waiting.append(batch)
        held, read = held + len(batch[0]), read + len(batch[0])
        if held >= rows:
            yield _joined(waiting)
            waiting, held = [], 0
    if read != look.rows:
        raise ValueError(
            f"{table.label} changed while it was read: {look.rows} rows became {read}; run again"
        )
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    return [np.concatenate(column) for column in zip(*batches, strict=True)]


def _counted(part: list[NDArray[Any]], direction: Any, step: float | None) -> ScoreCounts:
    score = Score("score", part[1], direction, None, step)
    repeats = part[2] if len(part) > 2 else None  # noqa: PLR2004 - the third column
    return count_sample(Sample(part[0].view(np.bool_), (score,), repeats=repeats), score)


def _ranked(spill: Spill, look: FirstLook, direction: Any, step: float | None) -> Ranked:
    """Return counts while the distinct scores are few, and totals once they are many."""
    fields = {"higher_is": direction, "resolution": step, "dropped": look.dropped}
    blocks = spill.blocks(direction)
    held: list[tuple[NDArray[Any], ...]] = []
    distinct = 0
    for block in blocks:
        held.append(block)
        distinct += len(block[0])
        if distinct > MOST_HELD:
            n1, n0 = spill.totals
            every: Any = chain(held, blocks)
            return count_sorted(every, n1=n1, n0=n0, **fields)
    empty = tuple(np.zeros(0, kind) for kind in (spill.dtype or float, np.int64, np.int64))
    joined = [np.concatenate(column) for column in zip(empty, *held, strict=True)]
    ascending = slice(None, None, -1 if direction == "positive" else 1)
    return ScoreCounts.from_ascending(*(column[ascending] for column in joined), **fields)

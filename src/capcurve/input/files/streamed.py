"""Counting a float32 score of parquet files while it is read: no column is ever held whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Dropped, ScoreCounts
from capcurve.counts.settings import check_direction
from capcurve.input.arrays.buckets import Buckets
from capcurve.input.files.arrow import PLAIN
from capcurve.input.files.engine import FileTable, select
from capcurve.input.files.reading import open_files
from capcurve.input.files.spilling import plain_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts.types import Array
    from capcurve.input.arrays import Rules
    from capcurve.input.files.sources import Files

# Fewer rows are counted in memory in no time.
FEWEST_ROWS = 1 << 24
# So many rows are dealt into buckets at once.
PART = 1 << 18
# What is read ahead while others are counted.
AHEAD = "16MB"
# DuckDB gives memory back after tasks that took more, and the system clears it for the next.
KEPT = "64GB"


def count_streamed(
    files: Files, target: str, name: str, column: str, rules: Rules
) -> ScoreCounts | None:
    """Count one score; None where rows are few, lack a value, or need to be looked at whole."""
    direction, levels = rules.of_score(name, [name])
    plain = rules.pos_label is None and rules.resolution is None and levels is None
    if not plain or not all(path.endswith(".parquet") for path in files.paths):
        return None
    with open_files(files) as tables:
        found = [_fields(table, target, column) for table in tables]
        fields = [each for each in found if each is not None]
        rows = sum(table.row(["count(*)"])[0] for table in tables)
        if len(fields) < len(found) or rows < FEWEST_ROWS:
            return None
        tables[0].connection.execute("SET preserve_insertion_order = false")
        tables[0].connection.execute(f"SET streaming_buffer_size = '{AHEAD}'")
        tables[0].connection.execute(f"SET allocator_flush_threshold = '{KEPT}'")
        buckets = _dealt(tables, fields, rows)
    if buckets is None:
        return None
    higher_is = check_direction(direction)
    return ScoreCounts.from_ascending(
        *buckets.cells(down=higher_is == "positive"),
        higher_is=higher_is,
        dropped=Dropped(0, {}) if rules.missing == "drop" else None,
    )


def _fields(table: FileTable, target: str, column: str) -> tuple[str, str] | None:
    """Write the SQL of score and target; None where these are no plain columns."""
    outcome, score = (table.position(name) for name in (target, column))
    kind = table.types[outcome] if table.types else ""
    if table.kind != "parquet" or table.types[score] != "FLOAT" or kind not in PLAIN:
        return None
    return f"c{score}", f"CAST(c{outcome} AS TINYINT)" if kind == "BOOLEAN" else f"c{outcome}"


def _dealt(
    tables: list[FileTable], fields: list[tuple[str, str]], announced: int
) -> Buckets | None:
    """Deal all rows into buckets; None where some lack a value, or the labels are not plain."""
    buckets = Buckets(announced)
    rows = zeros = ones = less = 0
    for part in _parts(tables, fields):
        if part is None:
            return None
        score, label = part
        positive = label == 1
        rows, ones = rows + len(label), ones + int(np.count_nonzero(positive))
        zeros += int(np.count_nonzero(label == 0))
        less += int(np.count_nonzero(label == -1)) if label.dtype.kind != "u" else 0
        # As for every input: 0 and 1, or -1 and 1.
        if rows > announced:
            raise ValueError(f"{tables[0].label} changed while it was read; read it again")
        if rows not in (ones + zeros, ones + less) or np.isnan(score).any():
            return None
        buckets.deal(score, positive)
    return buckets


def _parts(
    tables: list[FileTable], fields: list[tuple[str, str]]
) -> Iterator[tuple[Array, Array] | None]:
    """Yield scores and labels of some rows at a time; None where a value is missing."""
    for table, of_table in zip(tables, fields, strict=True):
        waiting: list[list[Array]] = []
        held = 0
        sql = select(of_table, table.relation)
        for batch in plain_batches(table.connection, sql, table.label):
            if batch is None:
                yield None
                return
            waiting.append(batch)
            held += len(batch[0])
            if held >= PART:
                yield _joined(waiting)
                waiting, held = [], 0
        if waiting:
            yield _joined(waiting)


def _joined(waiting: list[list[Array]]) -> tuple[Array, Array]:
    score, label = (np.concatenate(column) for column in zip(*waiting, strict=True))
    return score, label

"""Counting a float32 score of parquet files while it is read: no column is ever held whole."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Dropped, ScoreCounts
from capcurve.counts.settings import check_direction
from capcurve.input.arrays.keys import Tallies
from capcurve.input.files.arrow import PLAIN_TYPES
from capcurve.input.files.engine import FileTable, select
from capcurve.input.files.reading import open_files
from capcurve.input.files.spilling import MissingValueError, end_to_end, fetch_batches
from capcurve.numbers.threads import each_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.input.arrays import Rules
    from capcurve.input.files.sources import Files
    from capcurve.numbers.types import Array, Bools

# Fewer rows are counted in memory in no time.
FEWEST_ROWS = 1 << 24
# So many rows are dealt into buckets at once.
DEALT_AT_ONCE = 1 << 18
# What is read ahead while others are counted.
AHEAD = "16MB"
# DuckDB gives memory back after tasks that took more, and the system clears it for the next.
MEMORY_KEPT = "64GB"


def count_streamed(
    files: Files, target: str, name: str, column: str, rules: Rules
) -> ScoreCounts | None:
    """Count one score; None where rows are few, lack a value, or need to be looked at whole."""
    direction, levels = rules.of_score(name, [name])
    plain = rules.labels.is_plain and rules.resolution is None and levels is None
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
        tables[0].connection.execute(f"SET allocator_flush_threshold = '{MEMORY_KEPT}'")
        try:
            buckets = _dealt(tables, fields, rows)
        except MissingValueError:
            return None
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
    if table.kind != "parquet" or table.types[score] != "FLOAT" or kind not in PLAIN_TYPES:
        return None
    return f"c{score}", f"CAST(c{outcome} AS TINYINT)" if kind == "BOOLEAN" else f"c{outcome}"


def _dealt(
    tables: list[FileTable], fields: list[tuple[str, str]], announced: int
) -> Buckets | None:
    """Deal all rows into buckets; None where the labels are not plain, or a score is NaN."""
    buckets = Buckets(announced)
    rows = zeros = ones = less = 0
    read = (
        fetch_batches(table.connection, select(of_table, table.relation), table.label)
        for table, of_table in zip(tables, fields, strict=True)
    )
    for score, label in chain.from_iterable(end_to_end(each, DEALT_AT_ONCE) for each in read):
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


BUCKET_BITS = 15
BUCKET_NUMBERS = 1 << BUCKET_BITS
BUCKETS = 1 << (32 - BUCKET_BITS)
SIGN_OF_FLOAT32 = np.uint32(1 << 31)
# With fewer rows than this, sorting them is quicker than looking through all numbers of a bucket.
DENSE = 1 << 14
MOST_BUCKETS = 1 << 16  # whose numbers differ in 32 bits
WORD_BYTES = 8  # the bytes of the largest whole number
MOST_OF_HEAP = (1 << 25) - (1 << 16)


class Buckets:
    """Rows of some parts, each in the order of its buckets."""

    def __init__(self, rows: int) -> None:
        self.rows: Array = np.empty(rows, dtype=np.uint16)
        self.size: int = 0
        # glibc gives free memory back beyond twice the largest array freed so far, and the system
        # clears it anew for each part: a third of the time. Nothing is touched of this one.
        np.empty(MOST_OF_HEAP, dtype=np.uint8)
        # Of each part the buckets that hold rows, ascending, and where their rows start and end.
        self.parts: list[tuple[Array, Array]] = []

    def deal(self, score: Array, positive: Bools) -> None:
        """Take the next rows; the scores are float32 without NaN."""
        from scipy.sparse import csr_array

        number = _numbers(score)
        bucket = (number >> np.uint32(BUCKET_BITS)).view(np.int32)
        number <<= np.uint32(1)
        rows = number.astype(np.uint16)
        rows &= np.uint16(2 * BUCKET_NUMBERS - 2)
        rows |= positive
        # Turning over a matrix of one row puts what it holds in the order of its columns: numpy has
        # no such step, and an order and taking by it need three times as long.
        whole = np.array([0, len(rows)], dtype=np.int32)
        matrix = csr_array((rows, bucket, whole), shape=(1, BUCKETS)).tocsc()
        held = np.flatnonzero(np.diff(matrix.indptr)).astype(np.int32)
        ends = np.append(0, matrix.indptr[1:][held]) + self.size
        self.rows[self.size : self.size + len(rows)] = matrix.data
        self.size += len(rows)
        self.parts.append((held, ends))

    def cells(self, *, down: bool) -> tuple[Array, Array, Array]:
        """Return distinct scores, ascending, with positives and negatives; `down` as they lie."""
        held = np.unique(np.concatenate([buckets for buckets, _ in self.parts]))
        ends = np.array([_ends_of(*part, held) for part in self.parts])
        groups = list(_groups((ends - ends[:, :1]).sum(axis=0)))
        order = slice(None, None, -1 if down else 1)

        def cells_of(group: slice) -> tuple[Array, ...]:
            gathered = _gathered(self.rows, ends[:, group.start : group.stop + 1])
            return tuple(column[order] for column in _cells(held[group], *gathered))

        score, at = np.empty(self.size, dtype=np.float32), 0
        positives, negatives = Tallies(self.size), Tallies(self.size)
        for cells in each_at_once(cells_of, groups[order], max(self.size // len(groups), DENSE)):
            score[at : at + len(cells[0])] = cells[0]
            positives.put(at, cells[1])
            negatives.put(at, cells[2])
            at += len(cells[0])
        return score[:at][order], positives.upto(at)[order], negatives.upto(at)[order]


def _numbers(score: Array) -> Array:
    """Return whole numbers that run as the scores do; 0.0 and -0.0 are one."""
    number = (score + np.float32(0)).view(np.uint32)
    # All bits of those below zero turn round, and the sign of the others.
    below = (number.view(np.int32) >> 31).view(np.uint32)
    below |= SIGN_OF_FLOAT32
    number ^= below
    return number


def _ends_of(buckets: Array, ends: Array, held: Array) -> Array:
    """Return where the rows of a part start in each bucket that any part holds, and its end."""
    found: Array = ends[np.append(0, np.searchsorted(buckets, held, side="right"))]
    return found


def _groups(ends: Array) -> Iterator[slice]:
    """Yield buckets to count at once: one with many rows, or several with few."""
    start, last = 0, len(ends) - 1
    while start < last:
        stop = int(np.searchsorted(ends, ends[start] + DENSE, side="right")) - 1
        stop = min(max(stop, start + 1), start + MOST_BUCKETS, last)
        yield slice(start, stop)
        start = stop


def _gathered(rows: Array, ends: Array) -> tuple[Array, Array]:
    """Return the rows of some buckets out of all parts, and how many each part has in each."""
    pieces = zip(ends[:, 0].tolist(), ends[:, -1].tolist(), strict=True)
    found = np.concatenate([rows[start:end] for start, end in pieces if end > start])
    return found, np.diff(ends, axis=1)


def _cells(buckets: Array, rows: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """Return distinct scores of some buckets, ascending, and positives and negatives at each."""
    if len(buckets) == 1 and len(rows) >= DENSE:
        number, positives, negatives = _tallied(rows)
    else:
        above = np.tile(buckets - buckets[0], len(lengths)).astype(np.uint32)
        keys = np.repeat(above << np.uint32(BUCKET_BITS + 1), lengths.ravel())
        keys |= rows
        number, positives, negatives = _sorted(keys)
    whole = number.astype(np.uint32) + np.uint32(int(buckets[0]) << BUCKET_BITS)
    score = np.where(whole & SIGN_OF_FLOAT32, whole ^ SIGN_OF_FLOAT32, ~whole).view(np.float32)
    return score, positives, negatives


def _tallied(rows: Array) -> tuple[Array, Array, Array]:
    """Return the numbers of a bucket that occur, and positives and negatives at each."""
    # Both tallies of a number stand side by side, and are looked through as one.
    tallies = np.bincount(rows.astype(np.intp, copy=False), minlength=2 * BUCKET_NUMBERS)
    tallies = tallies.astype(np.min_scalar_type(int(tallies.max())))
    pairs = tallies.view(f"u{2 * tallies.itemsize}") if tallies.itemsize < WORD_BYTES else None
    occurs = tallies.reshape(BUCKET_NUMBERS, 2).any(axis=1) if pairs is None else pairs
    number = np.flatnonzero(occurs)
    return number, tallies[1::2][number], tallies[::2][number]


def _sorted(keys: Array) -> tuple[Array, Array, Array]:
    """Return the same of keys, twice a number and one more for a positive."""
    keys.sort()
    ordered = keys >> np.uint32(1)
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    positives = np.add.reduceat(keys & np.uint32(1), starts, dtype=np.int64)
    return ordered[starts], positives, np.diff(starts, append=len(keys)) - positives

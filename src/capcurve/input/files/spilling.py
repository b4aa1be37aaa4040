"""Counting files within a memory limit: rows are read in parts, and scores are sorted on disk.

Sorted runs go to a file in one pass and are merged in another. It has no name, so that nothing
is left behind however the program ends.
"""

from __future__ import annotations

import errno
import re
import tempfile
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts, count_sorted
from capcurve.counts.order import narrow
from capcurve.counts.settings import check_direction, check_resolution
from capcurve.input.arrays import Sample, Score, count_sample
from capcurve.input.arrays.checks import account_names
from capcurve.input.files.arrow import PLAIN, batches, numbers_of
from capcurve.input.files.engine import one_line, select
from capcurve.input.files.onetable import FLOATS, SIGNED, UNSIGNED, first_look, one_table
from capcurve.input.files.reading import open_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from capcurve.counts import Ranking
    from capcurve.counts.types import Array, Ints
    from capcurve.input.arrays import Rules
    from capcurve.input.files.onetable import FirstLook, OneTable
    from capcurve.input.files.sources import Files

_UNITS = {"": 1, "b": 1}
_UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)}
_UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)}
_LIMIT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
LEAST = 200 * 1000**2  # Python, NumPy and DuckDB themselves take about half of it
# Of every so many scores of a run one stays in memory, to find one's way.
STEP = 1024
BLOCK = 1 << 18
_NAMES_OF_FULL = ("ENOSPC", "EFBIG", "EDQUOT")  # Windows has no quotas
_FULL = {getattr(errno, name) for name in _NAMES_OF_FULL if hasattr(errno, name)}
# Up to so many distinct scores come back as counts, more as totals.
MOST_HELD = 1_000_000
# Bytes that a row takes while it is counted, besides copies of its score.
PER_ROW, COPIES = 40, 8


def memory_bytes(limit: str | int) -> int:
    """Return a memory limit in bytes, given as such or as text: "1GB" is 10^9, "1GiB" 2^30.

    >>> memory_bytes("1.5GB"), memory_bytes("1 GiB")
    (1500000000, 1073741824)
    """
    found = _LIMIT.fullmatch(str(limit))
    unit = None if found is None else _UNITS.get(found[2].lower())
    if found is None or unit is None or isinstance(limit, bool):
        raise ValueError(f"memory_limit must be a size such as 1GB or 500MB, got {limit!r}")
    size = int(float(found[1]) * unit)
    if size < LEAST:
        raise ValueError(f"memory_limit must be at least {LEAST // 1000**2}MB, got {limit}")
    return size


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Ascending distinct scores of one class, in the file from `start`, then how often each."""

    start: int
    length: int
    counts: np.dtype[Any] | None
    landmarks: Array


class Spill:
    """Cells of counts on disk, to be read in the order of all scores, about `rows` at once."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.runs: tuple[list[_Run], list[_Run]] = ([], [])
        self.dtype: np.dtype[Any] | None = None
        self.end = 0
        self.totals = (0, 0)
        self.file = tempfile.TemporaryFile(prefix="capcurve-", buffering=0)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Give the space back."""
        self.file.close()

    def add(self, counts: ScoreCounts) -> None:
        """Write what was counted in one part of the rows, positives and negatives apart."""
        ascending = slice(None, None, -1 if counts.higher_is == "positive" else 1)
        score = counts.score[ascending]
        self.dtype = score.dtype
        self.totals = (self.totals[0] + int(counts.n1), self.totals[1] + int(counts.n0))
        for runs, sums in zip(self.runs, (counts.positives, counts.negatives), strict=True):
            column = sums[ascending]
            present = column > 0
            if present.any():
                runs.append(self._write(score[present], column[present]))

    def _write(self, score: Array, sums: Array) -> _Run:
        start, once = self.end, bool(sums.max() == 1)
        self._append(score)
        if not once:
            sums = narrow(sums)
            self._append(sums)
        return _Run(start, len(score), None if once else sums.dtype, score[::STEP].copy())

    def _append(self, column: Array) -> None:
        data = np.ascontiguousarray(column).data.cast("B")
        done = 0
        try:
            self.file.seek(self.end)
            while done < len(data):
                done += self.file.write(data[done:])
        except OSError as error:
            full = error.errno in _FULL
            why = "is full" if full else (error.strerror or str(error)).lower()
            raise OSError(
                f"the folder for temporary files {tempfile.gettempdir()} {why}; "
                "make room there, or name another in the environment variable TMPDIR"
            ) from None
        self.end += len(data)

    def blocks(self, higher_is: str) -> Iterator[tuple[Array, ...]]:
        """Yield score, positives and negatives of all parts, most-likely-positive first."""
        cuts = self._cuts()
        ranges = range(len(cuts) + 1)
        for place in ranges if higher_is == "negative" else reversed(ranges):
            low = cuts[place - 1] if place else None
            high = cuts[place] if place < len(cuts) else None
            counts = self._between(low, high, higher_is)
            for start in range(0, len(counts), BLOCK):
                cells = slice(start, start + BLOCK)
                yield counts.score[cells], counts.positives[cells], counts.negatives[cells]

    def _cuts(self) -> Array:
        """Return scores between which about `rows` cells lie; a score is on one side of all."""
        runs = [*self.runs[0], *self.runs[1]]
        if not runs:
            return np.zeros(0)
        landmarks = np.sort(np.concatenate([run.landmarks for run in runs]))
        return np.unique(landmarks[:: max(1, self.rows // STEP)][1:])

    def _between(self, low: Any, high: Any, higher_is: str) -> ScoreCounts:
        """Count the cells of all runs from one score up to, not including, another."""
        parts = [[self._part(run, low, high) for run in runs] for runs in self.runs]
        scores, times = [], []
        for found in parts:
            empty = np.zeros(0, self.dtype)
            scores.append(np.concatenate([empty, *(score for score, _ in found)]))
            times.append(
                None
                if all(sums is None for _, sums in found)
                else np.concatenate([_times(score, sums) for score, sums in found])
            )
        return _counted(scores, times, higher_is)

    def _part(self, run: _Run, low: Any, high: Any) -> tuple[Array, Array | None]:
        first = 0 if low is None else self._position(run, low)
        last = run.length if high is None else self._position(run, high)
        score = self._scores(run, first, last)
        if run.counts is None:
            return score, None
        place = run.start + run.length * score.itemsize + first * run.counts.itemsize
        return score, self._read(place, last - first, run.counts)

    def _position(self, run: _Run, cut: Any) -> int:
        """Return how many scores of a run lie below a cut."""
        after = int(np.searchsorted(run.landmarks, cut))
        start = max(0, after - 1) * STEP
        near = self._scores(run, start, min(run.length, after * STEP))
        return start + int(np.searchsorted(near, cut))

    def _scores(self, run: _Run, first: int, last: int) -> Array:
        dtype = run.landmarks.dtype
        return self._read(run.start + first * dtype.itemsize, last - first, dtype)

    def _read(self, place: int, length: int, dtype: np.dtype[Any]) -> Array:
        """Return a stretch of the file; the system may hand it over in pieces."""
        found = np.empty(length, dtype)
        data, done = found.data.cast("B"), 0
        self.file.seek(place)
        while done < len(data):
            read = self.file.readinto(data[done:])
            if not read:
                raise OSError("the temporary file ended early")
            done += read
        return found


def _times(score: Array, sums: Array | None) -> Ints:
    return np.ones(len(score), np.int64) if sums is None else sums.astype(np.int64)


def _counted(scores: list[Array], times: list[Ints | None], higher_is: Any) -> ScoreCounts:
    """Count the scores of positives and of negatives, each as often as it is said to occur."""
    if sum(_rows(s, t) for s, t in zip(scores, times, strict=True)) <= 2 * sum(map(len, scores)):
        # Repeating few of them is cheaper than carrying how often each occurs.
        scores = [s if t is None else np.repeat(s, t) for s, t in zip(scores, times, strict=True)]
        repeats = None
    else:
        pairs = zip(scores, times, strict=True)
        repeats = np.concatenate([_times(s, t) for s, t in pairs])
    positive = np.zeros(sum(map(len, scores)), np.bool_)
    positive[: len(scores[0])] = True
    score = Score("score", np.concatenate(scores), higher_is, None, None)
    return count_sample(Sample(positive, (score,), repeats=repeats), score)


def _rows(score: Array, times: Ints | None) -> int:
    return len(score) if times is None else int(times.sum())


def spilled(parts: Iterable[ScoreCounts], rows: int) -> Spill:
    """Write all parts; the caller closes what comes back."""
    spill = Spill(rows)
    try:
        for part in parts:
            spill.add(part)
    except BaseException:
        spill.close()
        raise
    return spill


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
) -> Ranking:
    """Count one score of files in about as much memory as is granted, over rows complete for all.

    Up to a million distinct scores come back as counts, more as totals. `scores` are the columns of
    all scores by what they are called, `name` is what this one is called; weights must be
    frequencies.
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
        counts = (_count_part(part, direction, step) for part in parts)
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


def _parts(table: OneTable, look: FirstLook, weighted: bool, rows: int) -> Iterator[list[Array]]:
    """Yield arrays of positives, scores and weights, about so many rows at a time."""
    score = "CAST(v1 AS TINYINT)" if table.types[1] == "BOOLEAN" else "v1"
    fields = [look.positive, score, *(["CAST(v2 AS BIGINT)"] if weighted else [])]
    sql = select(fields, table.relation, f"WHERE {table.complete}")
    waiting: list[list[Array]] = []
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


def _joined(batches: list[list[Array]]) -> list[Array]:
    return [np.concatenate(column) for column in zip(*batches, strict=True)]


def _count_part(part: list[Array], direction: Any, step: float | None) -> ScoreCounts:
    score = Score("score", part[1], direction, None, step)
    repeats = part[2] if len(part) > 2 else None  # noqa: PLR2004 - the third column
    return count_sample(Sample(part[0].view(np.bool_), (score,), repeats=repeats), score)


def _ranked(spill: Spill, look: FirstLook, direction: Any, step: float | None) -> Ranking:
    """Return counts while the distinct scores are few, and totals once they are many."""
    fields = {"higher_is": direction, "resolution": step, "dropped": look.dropped}
    blocks = spill.blocks(direction)
    held: list[tuple[Array, ...]] = []
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


def fetch_batches(
    connection: duckdb.DuckDBPyConnection, sql: str, label: str
) -> Iterator[list[Array]]:
    """Run one statement whose columns are numbers without nulls; yield copies of its batches."""
    with one_line(label):
        relation = connection.sql(sql)
        dtypes = [PLAIN[str(kind)] for kind in relation.types]
        stream = batches(relation)
    while True:
        with one_line(label):
            batch = next(stream, None)
        if batch is None:
            return
        columns = [batch.children[place].contents for place in range(len(dtypes))]
        if any(column.null_count > 0 for column in columns):
            raise ValueError(
                f"{label} changed while it was read: a value is missing that was there"
            )
        yield [numbers_of(column, dtype) for column, dtype in zip(columns, dtypes, strict=True)]

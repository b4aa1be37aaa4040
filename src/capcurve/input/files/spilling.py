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

from capcurve.counts import Dropped, Ranking, ScoreCounts, count_sorted
from capcurve.counts.settings import check_direction, check_resolution
from capcurve.counts.table import refuse_too_many, upward
from capcurve.input.arrays import Rules, Sample, Score, count_sample
from capcurve.input.arrays.checks import account_names, missing_message
from capcurve.input.arrays.labels import ClassLabels, positive_rows
from capcurve.input.files.arrow import PLAIN_TYPES, batches, numbers_of_batch
from capcurve.input.files.engine import FileTable, Relation, file_in_one_line, select, text
from capcurve.input.files.formats import HALF_FLOAT, is_category, is_moment, typed_value
from capcurve.input.files.reading import open_files, text_fields
from capcurve.input.files.textvalues import ANY_NUMBER, matches
from capcurve.numbers.arguments import arg, refused
from capcurve.numbers.exact import LARGEST_INT64
from capcurve.numbers.strays import stray_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from capcurve.input.files.sources import Files
    from capcurve.numbers.types import Array, Bools

_UNITS = {"": 1, "b": 1}
_UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)}
_UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)}
_LIMIT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
LEAST_MEMORY = 200 * 1000**2  # Python, NumPy and DuckDB themselves take about half of it
# Of every so many scores of a run one stays in memory, to find one's way.
LOOKUP_STEP = 1024
SPILLED_AT_ONCE = 1 << 18
_NAMES_OF_FULL = ("ENOSPC", "EFBIG", "EDQUOT")  # Windows has no quotas
_FULL = {getattr(errno, name) for name in _NAMES_OF_FULL if hasattr(errno, name)}
# Up to so many distinct scores come back as counts, more as totals.
MOST_HELD = 1_000_000
PER_CELL = 16  # bytes
# Bytes that a row takes while it is counted, besides copies of its score.
BYTES_PER_ROW, COPIES = 40, 8
FLOAT_TYPES = ("FLOAT", "DOUBLE")
SIGNED_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
UNSIGNED_TYPES = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
MOST_LABELS_SPILLED = 100


def memory_bytes(limit: str | int) -> int:
    """Return a memory limit in bytes, given as such or as text: "1GB" is 10^9, "1GiB" 2^30.

    >>> memory_bytes("1.5GB"), memory_bytes("1 GiB")
    (1500000000, 1073741824)
    """
    found = _LIMIT.fullmatch(str(limit))
    unit = None if found is None else _UNITS.get(found[2].lower())
    if found is None or unit is None or isinstance(limit, bool):
        raise ValueError(f"{refused('memory_limit')} be a size such as 1GB or 500MB, got {limit!r}")
    size = int(float(found[1]) * unit)
    if size < LEAST_MEMORY:
        raise ValueError(
            f"{refused('memory_limit')} be at least {LEAST_MEMORY // 1000**2}MB, got {limit}"
        )
    return size


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Cells of one part in the file from `start`: ascending scores, positives, negatives."""

    start: int
    length: int
    sums: tuple[np.dtype[Any], ...]
    landmarks: Array


class Spill:
    """Cells of counts on disk, to be read in the order of all scores, about `rows` at once."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.runs: list[_Run] = []
        self.end: int = 0
        self.totals: tuple[int, int] = (0, 0)
        self.file: Any = tempfile.TemporaryFile(prefix="capcurve-", buffering=0)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Give the space back."""
        self.file.close()

    def add(self, counts: ScoreCounts) -> None:
        """Write what was counted in one part of the rows."""
        if not len(counts):
            return
        ascending, start = upward(counts.higher_is), self.end
        score, *sums = (column[ascending] for column in (counts.score, *counts.sums))
        self.totals = (self.totals[0] + int(counts.n1), self.totals[1] + int(counts.n0))
        for column in (score, *sums):
            self._append(column)
        kinds = tuple(column.dtype for column in sums)
        self.runs.append(_Run(start, len(score), kinds, score[::LOOKUP_STEP].copy()))

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
        if not self.runs:
            return
        # About `rows` cells lie between two cuts; each score is on one side of every cut.
        landmarks = np.sort(np.concatenate([run.landmarks for run in self.runs]))
        cuts = np.unique(landmarks[:: max(1, self.rows // LOOKUP_STEP)][1:])
        ranges = range(len(cuts) + 1)
        for place in ranges if higher_is == "negative" else reversed(ranges):
            low = cuts[place - 1] if place else None
            high = cuts[place] if place < len(cuts) else None
            counts = self._between(low, high, higher_is)
            for start in range(0, len(counts), SPILLED_AT_ONCE):
                cells = slice(start, start + SPILLED_AT_ONCE)
                yield counts.score[cells], counts.positives[cells], counts.negatives[cells]

    def _between(self, low: Any, high: Any, higher_is: str) -> ScoreCounts:
        """Count the cells of all runs from one score up to, not including, another."""
        parts = (self._part(run, low, high) for run in self.runs)
        score, *sums = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        present = [column > 0 for column in sums]
        times = [column[rows] for column, rows in zip(sums, present, strict=True)]
        return _counted([score[rows] for rows in present], times, higher_is)

    def _part(self, run: _Run, low: Any, high: Any) -> list[Array]:
        """Return scores, positives and negatives of a run from one score up to another."""
        first = 0 if low is None else self._position(run, low)
        last = run.length if high is None else self._position(run, high)
        start, found = run.start, []
        for dtype in (run.landmarks.dtype, *run.sums):
            found.append(self._read(start + first * dtype.itemsize, last - first, dtype))
            start += run.length * dtype.itemsize
        return found

    def _position(self, run: _Run, cut: Any) -> int:
        """Return how many scores of a run lie below a cut."""
        after, dtype = int(np.searchsorted(run.landmarks, cut)), run.landmarks.dtype
        start = max(0, after - 1) * LOOKUP_STEP
        length = min(run.length, after * LOOKUP_STEP) - start
        near = self._read(run.start + start * dtype.itemsize, length, dtype)
        return start + int(np.searchsorted(near, cut))

    def _read(self, place: int, length: int, dtype: np.dtype[Any]) -> Array:
        """Return a stretch of the file."""
        self.file.seek(place)
        found = np.fromfile(self.file, dtype, length)
        if len(found) < length:
            raise OSError("the temporary file ended early")
        return found


def _counted(scores: list[Array], times: list[Array], higher_is: Any) -> ScoreCounts:
    """Count the scores of positives and of negatives, each as often as it is said to occur."""
    repeats = None
    if sum(int(each.sum()) for each in times) <= 2 * sum(map(len, scores)):
        # Repeating few of them is cheaper than carrying how often each occurs.
        scores = [np.repeat(score, each) for score, each in zip(scores, times, strict=True)]
    else:
        repeats = np.concatenate(times).astype(np.int64)
    positive = np.zeros(sum(map(len, scores)), np.bool_)
    positive[: len(scores[0])] = True
    score = Score("score", np.concatenate(scores), higher_is, None, None)
    return count_sample(Sample(positive, (score,), repeats=repeats), score)


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
    scores: Mapping[str, str],
    name: str,
    rules: Rules,
    *,
    limit: int,
    weight: str | None = None,
) -> Ranking:
    """Count the score called `name` in about as much memory, over rows complete for all scores."""
    # Up to a million distinct scores come back as counts, more as totals, and of many scores those
    # that would fill a quarter of the limit together; weights must be frequencies.
    direction, levels = rules.of_score(name, list(scores))
    if levels is not None:
        raise ValueError(
            f"{arg('memory_limit')} is for numeric scores, and grades are few: leave it out"
        )
    direction, step = check_direction(direction), check_resolution(rules.resolution)
    others = [("score", n, column) for n, column in scores.items() if n != name]
    weights = [] if weight is None else [("weight", weight, weight)]
    roles = [("target", target, target), ("score", name, scores[name]), *weights, *others]
    with open_files(files) as tables:
        connection = tables[0].connection
        connection.execute(f"SET memory_limit = '{limit // 2}B'")
        # Of many columns one group of rows may be larger than the limit, and would be read at once.
        connection.execute("SET disable_parquet_prefetching = true")
        connection.execute("SET preserve_insertion_order = false")
        table = _joined_files(tables, [column for *_, column in roles], files)
        kinds = {each.types[each.position(scores[name])] for each in tables if each.types}
        if HALF_FLOAT in kinds:  # which DuckDB joins as floats of 32 bits
            raise ValueError(
                f"{name} has floats of 16 bits, which {arg('memory_limit')} widens: leave it out"
            )
        names = account_names([(role, name) for role, name, _ in roles])
        table = replace(table, names=tuple(names))
        for called, kind in list(zip(table.names, table.types, strict=True))[1 : 2 + len(weights)]:
            if kind not in PLAIN_TYPES:
                refuse_strays(table, called)
                found = kind.split("(")[0].lower()
                raise ValueError(
                    f"with {arg('memory_limit')}, {called} must be numbers, and it is {found}"
                )
        # Every account has the target, the scores as they were asked for, and the weight.
        places = {called: place for place, (role, called, _) in enumerate(roles) if role == "score"}
        order = [0, *(places[each] for each in scores), *range(2, 2 + len(weights))]
        table, look = first_look(table, rules, weighted=weight is not None, order=order)
        width = 4 if table.types[1] == "FLOAT" else 8
        rows = limit // 4 // (BYTES_PER_ROW + COPIES * width)
        parts = _parts(table, look, weight is not None, rows)
        counts = (_counted_part(part, direction, step) for part in parts)
        with closing(spilled(counts, rows)) as spill:
            most = min(MOST_HELD, limit // 4 // (PER_CELL * len(scores)))
            return _ranked(spill, look, direction, step, most)


def refuse_strays(table: JoinedFiles, name: str) -> None:
    """Raise ValueError where a column is text for the sake of a few cells that are no numbers."""
    field = f"CAST(v{table.names.index(name)} AS VARCHAR)"
    stray = f"NOT {matches(field, ANY_NUMBER)}"
    fields = [f"any_value({field}) FILTER ({stray})", _rows_with(stray), f"count({field})"]
    word, strays, rows = table.row(fields)
    if 0 < strays <= rows / 2:
        raise ValueError(stray_message(name, word, "", strays, rows))


def _parts(table: JoinedFiles, look: FirstLook, weighted: bool, rows: int) -> Iterator[list[Array]]:
    """Yield arrays of positives, scores and weights, about so many rows at a time."""
    score = "CAST(v1 AS TINYINT)" if table.types[1] == "BOOLEAN" else "v1"
    fields = [look.positive, score, *(["CAST(v2 AS BIGINT)"] if weighted else [])]
    sql = select(fields, table.relation, f"WHERE {table.complete}")
    read = 0
    for part in end_to_end(fetch_batches(table.connection, sql, table.label), rows):
        read += len(part[0])
        yield part
    if read != look.rows:
        raise ValueError(
            f"{table.label} changed while it was read: {look.rows} rows became {read}; run again"
        )


def end_to_end(parts: Iterable[list[Array]], rows: int) -> Iterator[list[Array]]:
    """Yield the columns of some batches end to end, about so many rows at a time."""
    waiting: list[list[Array]] = []
    held = 0
    for batch in parts:
        waiting.append(batch)
        held += len(batch[0])
        if held >= rows:
            yield [np.concatenate(column) for column in zip(*waiting, strict=True)]
            waiting, held = [], 0
    if waiting:
        yield [np.concatenate(column) for column in zip(*waiting, strict=True)]


def _counted_part(part: list[Array], direction: Any, step: float | None) -> ScoreCounts:
    score = Score("score", part[1], direction, None, step)
    repeats = part[2] if len(part) > 2 else None  # noqa: PLR2004 - the third column
    return count_sample(Sample(part[0].view(np.bool_), (score,), repeats=repeats), score)


def _ranked(
    spill: Spill, look: FirstLook, direction: Any, step: float | None, most: int
) -> Ranking:
    """Return counts while the distinct scores are few, and totals once they are many."""
    fields = {"higher_is": direction, "resolution": step, "dropped": look.dropped}
    blocks = spill.blocks(direction)
    held: list[tuple[Array, ...]] = []
    distinct = 0
    for block in blocks:
        held.append(block)
        distinct += len(block[0])
        if distinct > most:
            n1, n0 = spill.totals
            every: Any = chain(held, blocks)
            return count_sorted(every, n1=n1, n0=n0, **fields)
    if not held:
        return replace(ScoreCounts.of_none(), **fields)
    joined = [np.concatenate(column) for column in zip(*held, strict=True)]
    ascending = upward(direction)
    return ScoreCounts.from_ascending(*(column[ascending] for column in joined), **fields)


class MissingValueError(ValueError):
    """A row lacks a number that it must have."""


def fetch_batches(
    connection: duckdb.DuckDBPyConnection, sql: str, label: str
) -> Iterator[list[Array]]:
    """Run one statement whose columns are numbers without nulls; yield copies of its batches."""
    with file_in_one_line(label):
        relation = connection.sql(sql)
        dtypes = [PLAIN_TYPES[str(kind)] for kind in relation.types]
        stream = batches(relation)
    while True:
        with file_in_one_line(label):
            batch = next(stream, None)
        if batch is None:
            return
        columns = [batch.children[place].contents for place in range(len(dtypes))]
        if any(column.null_count > 0 for column in columns):
            raise MissingValueError(
                f"{label} changed while it was read: a value is missing that was there"
            )
        yield [numbers_of_batch(*each) for each in zip(columns, dtypes, strict=True)]


@dataclass(frozen=True, slots=True)
class JoinedFiles(Relation):
    """Rows of all files: columns v0, v1, ... of these names and DuckDB types."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    left_out: str = "false"  # SQL that asks whether a row is left out by its label

    def absent(self, place: int) -> str:
        """Write the SQL that asks whether a row lacks a column."""
        nan = f" OR isnan(v{place})" if self.types[place] in FLOAT_TYPES else ""
        return f"(v{place} IS NULL{nan})"

    @property
    def complete(self) -> str:
        """The SQL that asks whether a row lacks none of the columns and is not left out."""
        lacking = (self.absent(place) for place in range(len(self.names)))
        return f"NOT ({' OR '.join((*lacking, self.left_out))})"


def _joined_files(tables: Sequence[FileTable], names: Sequence[str], files: Files) -> JoinedFiles:
    """Put columns of all files below each other, each in one type that loses no digit."""
    label = tables[0].label + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    written = text_fields(tables, list(dict.fromkeys(names)), files)
    fields = [
        [_stored(table, name) if table.is_typed else of_file[name] for name in names]
        for table, of_file in zip(tables, written, strict=True)
    ]
    found = [table.types_of(of_file) for table, of_file in zip(tables, fields, strict=True)]
    kinds = zip(names, zip(*found, strict=True), strict=True)
    types = tuple(_common_type(*each, ranks=place == 1) for place, each in enumerate(kinds))
    parts = []
    for table, of_file in zip(tables, fields, strict=True):
        pairs = enumerate(zip(of_file, types, strict=True))
        cast = [f"CAST({field} AS {kind}) AS v{place}" for place, (field, kind) in pairs]
        parts.append(select(cast, table.relation))
    union = f"({' UNION ALL '.join(parts)})"
    return JoinedFiles(tables[0].connection, label, union, tuple(names), types)


def _stored(table: FileTable, name: str) -> str:
    """Write the SQL for a column of a parquet file: categories as text, moments as such."""
    place = table.position(name)
    if is_category(table.types[place]):
        return f"CAST(c{place} AS VARCHAR)"
    field = typed_value(table, place)
    return f"make_timestamp({field})" if is_moment(table.types[place]) else field


def _common_type(name: str, kinds: Sequence[str], *, ranks: bool) -> str:
    """Return the one type that holds a column of every file; floats that rank are of one width."""
    several = set(kinds)
    if len(several) == 1:
        return kinds[0]
    if several <= set(FLOAT_TYPES) and not ranks:
        return "DOUBLE"
    if several <= {*SIGNED_TYPES, *UNSIGNED_TYPES[:-1]}:
        return "BIGINT"
    if several <= set(UNSIGNED_TYPES):
        return "UBIGINT"
    found = " in one file and ".join(sorted(several)).lower()
    raise ValueError(
        f"column {name!r} is {found} in another; with {arg('memory_limit')}, all files must hold "
        "one type"
    )


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What is known before any score is read."""

    positive: str  # SQL that is 1 where a row is a positive and 0 elsewhere
    rows: int  # how many rows lack no column
    dropped: Dropped | None  # those that do, or None when that was not asked for


def first_look(
    table: JoinedFiles, rules: Rules, *, weighted: bool, order: Sequence[int]
) -> tuple[JoinedFiles, FirstLook]:
    """Learn which labels are those of positives, and which rows lack a column, by `order`."""
    # Rows that are left out by their label need no value.
    positive, left_out, labels = _classes(table, rules.labels)
    table = replace(table, left_out=left_out)
    lacking = [
        _rows_with(f"{table.absent(place)} AND NOT {left_out}") for place in range(len(table.names))
    ]
    total, complete, *missing = table.row(["count(*)", _rows_with(table.complete), *lacking])
    lost = {table.names[place]: int(missing[place]) for place in order if missing[place]}
    if lost and rules.missing == "raise":
        raise ValueError(missing_message(lost, total))
    if weighted:
        _refuse_weights(table, positive)
    if rules.missing != "drop" and not labels:
        return table, FirstLook(positive, complete, None)
    gone = f"NOT ({table.complete}) AND NOT {table.absent(0)} AND NOT {left_out}"
    outcomes = table.row([_rows_with(gone), _rows_with(f"{gone} AND {positive} = 1")])
    dropped = Dropped(total - complete, lost, outcomes, labels)
    return table, FirstLook(positive, complete, dropped)


def _rows_with(condition: str) -> str:
    """Write the SQL that counts rows; unlike count_if, it is zero where there are none."""
    return f"count(*) FILTER (WHERE {condition})"


def _classes(table: JoinedFiles, said: ClassLabels) -> tuple[str, str, dict[str, int]]:
    """Return SQL that is 1 for positives, SQL for rows left out by their label, and how many."""
    # Labels are compared by value, as for every input.
    name = table.names[0]
    present = f"WHERE NOT {table.absent(0)}"
    distinct = table.rows(["DISTINCT v0"], f"{present} LIMIT {MOST_LABELS_SPILLED}")
    if len(distinct) == MOST_LABELS_SPILLED:
        raise ValueError(
            f"{name} must have two classes, and holds {MOST_LABELS_SPILLED} different labels or "
            "more; is it the score?"
        )
    fields = {"label": "v0", "word": "CAST(v0 AS VARCHAR)", "rows": "count(*)"}
    found = table.columns(fields, f"{present} GROUP BY v0 ORDER BY v0")
    times = found["rows"].values.astype(np.int64)
    rows, by_label = positive_rows(replace(found["label"], name=name), said, None, times)

    def among(picked: Bools) -> str:
        # Several where they are written in several ways, such as 100 % and 100.0 %.
        kind, written = table.types[0], found["word"].values[picked]
        words = ", ".join(f"CAST({text(str(word))} AS {kind})" for word in written)
        return f"coalesce(v0 IN ({words}), false)" if words else "false"

    gone = np.logical_or.reduce([np.zeros(len(rows), np.bool_), *by_label.values()])
    labels = {name: int(times[of_label].sum()) for name, of_label in by_label.items()}
    return f"CAST({among(rows)} AS TINYINT)", among(gone), labels


def _refuse_weights(table: JoinedFiles, positive: str) -> None:
    """Refuse weights that are no frequencies, and a class of rows that weigh nothing."""
    name, present = table.names[2], f"WHERE {table.complete}"
    wrong = f"(v2 < 0 OR v2 <> floor(v2) OR v2 > {LARGEST_INT64})"
    fields = [_rows_with(wrong), f"any_value(v2) FILTER ({wrong})", "sum(v2)"]
    bad, example, total = table.rows(fields, present)[0]
    if bad:
        raise ValueError(
            f"{name} holds {example:g} ({bad} such rows); frequency weights are whole numbers, "
            "zero or more"
        )
    refuse_too_many(int(total or 0))
    fields = [f"{positive} AS y", "count(*)", _rows_with("v2 > 0")]
    for y, rows, heavy in table.rows(fields, f"{present} GROUP BY y"):
        if rows and not heavy:
            which = "positives" if y else "negatives"
            raise ValueError(f"{name} is zero for all {rows} {which}; each class needs some weight")

"""Counts saved and taken back: a small table that anybody's tools can read or write."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts, ValueSums
from capcurve.counts.algebra import as_tallies
from capcurve.input.arrays import Rules, count_clustered, split_rows
from capcurve.input.arrays.checks import ColumnsByRole
from capcurve.input.columns import objects_of
from capcurve.input.files.cellcolumns import (
    AMOUNT,
    EXPOSURE,
    ROWS,
    Held,
    group_numbers,
    written_columns,
)
from capcurve.input.files.cellsettings import (
    CELLS,
    FORMATS,
    changed,
    columns_of,
    is_plain,
    key_kind,
    key_text,
    merged,
    python_value,
    refuse_unreadable,
    restored,
    settings_in,
    settings_of,
)
from capcurve.input.files.engine import Relation, connect, listed, literal_path, text
from capcurve.input.files.reading import open_files, read_each, read_opened
from capcurve.input.files.sources import NULL_VALUES, SAMPLE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Direction
    from capcurve.input.columns import Column, Values
    from capcurve.input.files.cellcolumns import Segments
    from capcurve.input.files.cellsettings import Counted, Settings
    from capcurve.input.files.engine import FileTable
    from capcurve.input.files.sources import Files

SUFFIXES = (".csv", ".parquet")
SETTINGS = "settings"  # the column of a csv file that holds what its other columns cannot say
KEY = "capcurve"  # the same in the metadata of a parquet file
# What the columns of a table that somebody else wrote may be called.
SCORES = ("score", "grade", "rating", "class")
POSITIVES = ("positives", "positive", "bad", "bads", "defaults", "events", "n1")
NEGATIVES = ("negatives", "negative", "good", "goods", "nondefaults", "nonevents", "n0")
CASES = ("n", "cases", "total", "count", "obligors", "accounts")
SEGMENTS = ("segment",)


def write_cells(
    counts: Held | RankTotals | ValueSums | Mapping[Any, Held], path: str | os.PathLike[str]
) -> None:
    """Save counts, or counts by segment, as a table with one row per distinct score.

    Columns are segment (when there are segments), score (the grade's name for grades),
    positives and negatives. Of amounts the table has every different row: score, amount,
    exposure (when there is one) and n, how often it occurs. What a table cannot say (direction,
    grade order, resolution, weights, dropped rows, names) goes into the metadata of a parquet
    file; in a csv file into one cell of a column `settings`, which is left out when there is
    nothing to say. Counts with clusters have a row per score and group of clusters, told apart
    by `cluster_group`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> counts = ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "cells.csv")
    ...     write_cells(counts, path)
    ...     print(path.read_text())
    score,positives,negatives
    3,4,1
    2,1,9
    """
    target = Path(path)
    if isinstance(counts, RankTotals):
        counts = counts.every_score()
    if isinstance(counts, ValueSums):
        counts.every_row()  # which says that it cannot
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{target.name}: the name must end in {' or '.join(SUFFIXES)}")
    if isinstance(counts, Mapping):
        parts: Segments = {python_value(key): part for key, part in counts.items()}
        refuse_unreadable(parts, by_segment=True)
        kind = key_kind(parts)
        keys = [key_text(key) for key, part in parts.items() for _ in group_numbers(part)]
        columns = {"segment": objects_of(keys), **written_columns(parts)}
    else:
        parts, kind = {None: counts}, None
        refuse_unreadable(parts, by_segment=False)
        columns = written_columns(parts)
    parquet = target.suffix.lower() == ".parquet"
    told = not parquet and is_plain(parts, kind)
    settings = None if told else json.dumps(settings_of(parts, kind), allow_nan=False)
    if parquet:
        _write_parquet(columns, kind, settings or "", target)
    else:
        _write_csv(columns, settings, target)


def read_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    by: str | None = None,
    amount: str | None = None,
    exposure: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> Counted:
    r"""Take counts back from tables: saved ones exactly, or anybody's own.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "grades.csv")
    ...     _ = path.write_text("score,n,bad\n3,5,4\n2,10,1\n")
    ...     read_cells(Files.of(path)) == ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])
    True
    """
    grades = None if levels is None else tuple(levels)
    said = {"higher_is": higher_is, "levels": grades, "resolution": resolution}
    asked = {name: value for name, value in said.items() if value is not None}
    names = {"score": score, "positives": positives, "by": by}
    names |= {"amount": amount, "exposure": exposure}
    parts = read_each(files, lambda one, parquet: _read_one(one, parquet, names, asked))
    return _added(parts)


# What is written


def _write_csv(columns: dict[str, Values], settings: str | None, path: Path) -> None:
    for name in ("segment", "score"):
        if name in columns and columns[name].dtype == object:
            _refuse_lost_words(name, columns[name].tolist())
    lists = [column.tolist() for column in columns.values()]
    names = list(columns)
    if settings is not None:
        names.append(SETTINGS)
        rows = len(lists[0])
        if not rows:  # a table of no cells still has its settings
            lists, rows = [[None] for _ in lists], 1
        lists.append([settings, *[None] * (rows - 1)])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*lists, strict=True))


def _refuse_lost_words(name: str, values: list[str | None]) -> None:
    for value in dict.fromkeys(values):
        if value is not None and "\r" in value:
            raise ValueError(
                f"csv readers take the \\r in {name} {value!r} for a line end; save as .parquet"
            )
        if value is not None and value.strip() in NULL_VALUES:
            raise ValueError(
                f"the {name} {value!r} would be read back from csv as missing; save as .parquet"
            )


def _write_parquet(columns: dict[str, Values], kind: str | None, settings: str, path: Path) -> None:
    segment = [] if kind is None else [f"CAST(segment AS {kind}) AS segment"]
    fields = ", ".join([*segment, *(name for name in columns if name != "segment")])
    with connect() as connection:
        connection.register("cells", columns)
        connection.execute(
            # A path of its own: DuckDB gives "~/" and "file:" at the start of one a meaning, and an
            # older one leaves a temporary file of its own beside the path when it fails.
            f"COPY (SELECT {fields} FROM cells) TO {text(str(path.absolute()))} "  # noqa: S608 - own names only
            f"(FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{KEY}: {text(settings)}}})"
        )


# What is read


def _read_one(
    files: Files, parquet: bool, names: dict[str, str | None], asked: Settings
) -> Counted:
    with open_files(files) as tables:
        found = tables[0].names
        written = parquet_settings(tables, files) if parquet else _csv_settings(tables, files)
        if written is None:
            of_amounts = names["amount"] is not None or (
                AMOUNT in found and names["positives"] is None and not perhaps(found, POSITIVES)
            )
            read = _amounts_of_table if of_amounts else _counts_of_table
            return read(tables, files, names, asked)
        settings = settings_in(written)
        if any(found.count(name) != 1 for name in columns_of(settings)):
            raise changed()
        columns = read_saved(tables, files, settings, as_text=not parquet)
    return restored(settings, columns, asked)


def parquet_settings(tables: Sequence[FileTable], files: Files) -> str | None:
    """Return what a parquet file that is open says of the counts in it, or None."""
    path = files.paths[0]
    metadata = Relation(tables[0].connection, path, f"parquet_kv_metadata({literal_path(path)})")
    rows = metadata.rows(["value"], f"WHERE key = {text(KEY)}")
    return bytes(rows[0][0]).decode("utf-8", "replace") if rows else None


def _csv_settings(tables: Sequence[FileTable], files: Files) -> str | None:
    found = tables[0].names
    if SETTINGS not in found:
        with Path(files.paths[0]).open("rb") as file:
            start = file.read(SAMPLE)
            lost = any(name.encode() in start for name in FORMATS)
        if lost:
            raise changed()
        return None
    column = read_opened(tables, files, [SETTINGS], as_text=[SETTINGS])[SETTINGS]
    present = slice(None) if column.missing is None else ~column.missing
    said = list(dict.fromkeys(column.values[present].tolist()))
    written = any(name in words for name in FORMATS for words in said)
    if not set(CELLS) <= set(found) and not written:
        return None
    if len(said) > 1:
        raise ValueError("two saved tables were put together; read them as two files instead")
    return "".join(said)


def read_saved(
    tables: Sequence[FileTable], files: Files, settings: Settings, *, as_text: bool
) -> dict[str, Column]:
    """Read the columns of a saved table, in csv segments and the names of grades as text."""
    graded = any(part["levels"] is not None for part in settings["segments"])
    texts = ["segment", *(["score"] if graded else [])] if as_text else []
    columns = read_opened(tables, files, columns_of(settings), as_text=texts)
    blank = columns["score"].missing
    if blank is None or not blank.any():
        return columns
    # The row that only carries the settings of a table without cells.
    return {name: _picked(column, ~blank) for name, column in columns.items()}


def _picked(column: Column, rows: NDArray[np.bool_]) -> Column:
    missing = None if column.missing is None else column.missing[rows]
    absent = missing if missing is not None and missing.any() else None
    return replace(column, stored=column.stored[rows], missing=absent)


def _added(parts: Sequence[Counted]) -> Counted:
    if len(parts) == 1:
        return parts[0]
    whole = [part for part in parts if not isinstance(part, dict)]
    segmented = [part for part in parts if isinstance(part, dict)]
    if not segmented:
        return merged(whole)
    if whole:
        raise ValueError("some of these tables have segments and some have none")
    keys = dict.fromkeys(key for part in segmented for key in part)
    return {key: merged([p[key] for p in segmented if key in p]) for key in keys}


# Tables that somebody else wrote: score, n, bad; grade, positives, negatives


def _counts_of_table(
    tables: Sequence[FileTable],
    files: Files,
    names: Mapping[str, str | None],
    asked: Mapping[str, Any],
) -> Counted:
    """Read one counted table: a score, its positives, and its negatives or all its cases."""
    found = tables[0].names
    score = names["score"] or must(found, SCORES, "the score", "--score")
    positives = names["positives"] or must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    negatives = perhaps(rest, NEGATIVES)
    cases = None if negatives else perhaps(rest, CASES)
    other = negatives or cases
    if other is None:
        raise ValueError(
            f"beside {positives!r} there must be a column negatives, or n for all cases; "
            f"the columns are {listed(found)}"
        )
    by = names["by"] or perhaps(rest, SEGMENTS)
    wanted = [score, positives, other, *([] if by is None else [by])]
    columns = read_opened(tables, files, wanted)
    for name in wanted[:3]:
        refuse_missing(columns[name])
    scores, n1 = columns[score].values, columns[positives].values
    n0 = columns[other].values if cases is None else _rest(columns[other], columns[positives])
    if "levels" in asked:
        asked = {**asked, "levels": match_levels(asked["levels"], scores.tolist())}
    if by is None:
        return ScoreCounts.from_counts(scores, n1, n0, **asked)
    return {
        key: ScoreCounts.from_counts(scores[rows], n1[rows], n0[rows], **asked)
        for key, rows in split_rows(columns[by])
    }


def _amounts_of_table(
    tables: Sequence[FileTable],
    files: Files,
    names: Mapping[str, str | None],
    asked: Mapping[str, Any],
) -> Counted:
    """Read rows of amounts: score, amount, perhaps exposure, and how often each occurs."""
    found = tables[0].names
    score = names["score"] or must(found, SCORES, "the score", "--score")
    amount = names["amount"] or AMOUNT
    if amount in {*POSITIVES, *NEGATIVES} and perhaps(found, POSITIVES):
        raise ValueError(
            f"the columns are {listed(found)}: these are counts of two classes, and {amount!r} is "
            "no amount of single rows; leave out --amount"
        )
    exposure = names["exposure"] or (EXPOSURE if EXPOSURE in found else None)
    times = ROWS if ROWS in found else None
    by = names["by"] or perhaps(found, SEGMENTS)
    wanted = [name for name in (score, amount, exposure, times, by) if name is not None]
    columns = read_opened(tables, files, wanted)
    levels = asked.get("levels")
    if levels is not None:
        levels = match_levels(levels, columns[score].values.tolist())
    rules = Rules(
        higher_is=asked.get("higher_is", "positive"),
        levels=levels,
        resolution=asked.get("resolution"),
    )
    given = ColumnsByRole(
        columns[amount],
        (columns[score],),
        by=None if by is None else columns[by],
        exposure=None if exposure is None else columns[exposure],
        amounts=True,
        repeats=None if times is None else _whole_times(columns[times]),
    )
    if by is None:
        sample = given.complete(rules)
        return count_clustered(sample, sample.scores[0])
    return {key: count_clustered(s, s.scores[0]) for key, s in given.segments(rules)}


def _whole_times(column: Column) -> NDArray[np.int64]:
    """Return how often each row of a table occurs, once or more."""
    refuse_missing(column)
    times = as_tallies(column.values, column.name)
    if times.dtype.kind == "f" or (times == 0).any():
        raise ValueError(f"{column.name} says how often a row occurs: whole numbers from 1")
    return times.astype(np.int64)


def must(found: Sequence[str], known: Sequence[str], what: str, flag: str) -> str:
    """Return the one column of a known name, or raise naming the flag that says which."""
    name = perhaps(found, known, what, flag)
    if name is None:
        raise ValueError(
            f"no column is named like {what}; name it with {flag}; the columns are {listed(found)}"
        )
    return name


def perhaps(
    found: Sequence[str], known: Sequence[str], what: str = "it", flag: str = "--score, --target"
) -> str | None:
    """Return the one column of a known name, or None; several leave no choice but to ask."""
    named = [name for name in found if name.strip().lower().replace("_", "") in known]
    exact = [name for name in named if name == known[0]]
    if exact or len(named) <= 1:
        return next(iter(exact or named), None)
    raise ValueError(
        f"{listed(named)} could all be {what}; name it with {flag}; the columns are {listed(found)}"
    )


def refuse_missing(column: Column) -> None:
    """Raise ValueError when a row of a table has no number."""
    absent = column.missing
    if column.values.dtype.kind == "f":
        nan = np.isnan(column.values)
        absent = nan if absent is None else absent | nan
    if absent is not None and absent.any():
        raise ValueError(
            f"column {column.name!r} has no value in {int(absent.sum())} rows; fill them in"
        )


def _rest(cases: Column, positives: Column) -> Values:
    for column in (cases, positives):
        if column.values.dtype.kind not in "iuf":
            raise TypeError(f"column {column.name!r} must hold counts, got {column.values[0]!r}")
    left: Values = _signed(cases.values) - _signed(positives.values)
    if (left < 0).any():
        row = int(np.flatnonzero(left < 0)[0])
        raise ValueError(
            f"{positives.name} is larger than {cases.name} in row {row}: "
            f"{positives.values[row]} of {cases.values[row]}"
        )
    return left


def _signed(values: Values) -> Values:
    return values if values.dtype.kind == "f" else values.astype(np.int64)


def match_levels(levels: Iterable[object], found: Sequence[object]) -> tuple[object, ...]:
    """Return grade names as the values found: the text "3" stands for the number 3.

    Examples
    --------
    >>> match_levels(["3", "2", "B"], [2, 3])
    (3, 2, 'B')
    """
    here = {key_text(value): value for value in found}
    return tuple(
        level if level in found else here.get(_alike(str(level), here), level) for level in levels
    )


def _alike(word: str, here: Mapping[str | None, object]) -> str:
    """Find what was found that a word stands for: the number 1 for "01", true for "TRUE"."""
    if word in here:
        return word
    if word.strip().lower() in {"true", "false"}:
        return word.strip().lower()
    number = _number(word)
    same = [] if number is None else [o for o in here if o is not None and _number(o) == number]
    return same[0] if len(same) == 1 else word


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None

"""Counts saved and taken back: a small table that anybody's tools can read or write."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts
from capcurve.counts.algebra import wide
from capcurve.input.files.cellsettings import (
    CELLS,
    FORMAT,
    GROUP,
    ROOTS,
    changed,
    columns_of,
    is_plain,
    key_kind,
    key_text,
    python_value,
    refuse_unreadable,
    restored,
    settings_in,
    settings_of,
)
from capcurve.input.files.celltables import counts_of_table
from capcurve.input.files.engine import connect, literal_path, text
from capcurve.input.files.reading import open_files, read_columns, refuse_idle
from capcurve.input.files.sources import NULL_VALUES, SAMPLE, find_sources
from capcurve.input.files.table import Relation

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Direction
    from capcurve.input.columns import Column, Values
    from capcurve.input.files.cellsettings import Counted, Segments, Settings
    from capcurve.input.files.sources import Files

SUFFIXES = (".csv", ".parquet")
SETTINGS = "settings"  # the column of a csv file that holds what its other columns cannot say
KEY = "capcurve"  # the same in the metadata of a parquet file


def write_cells(
    counts: ScoreCounts | Mapping[Any, ScoreCounts], path: str | os.PathLike[str]
) -> None:
    """Save counts, or counts by segment, as a table with one row per distinct score.

    Columns are segment (when there are segments), score (the grade's name for grades),
    positives and negatives. What a table cannot say (direction, grade order, resolution,
    weights, dropped rows) goes into the metadata of a parquet file; in a csv file into one
    cell of a column `settings`, which is left out when there is nothing to say. Counts with
    clusters have a row per score and group of clusters, told apart by `cluster_group`.

    Parameters
    ----------
    counts
        What was counted; a mapping gives counts by segment.
    path
        Ends in .csv or .parquet.

    Raises
    ------
    ValueError
        For another suffix, a name that csv readers take for a missing value, or names and
        segments that would not be told apart, or not be of their type, when read back.

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
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{target.name}: the name must end in {' or '.join(SUFFIXES)}")
    if isinstance(counts, Mapping):
        parts: Segments = {python_value(key): part for key, part in counts.items()}
        refuse_unreadable(parts, by_segment=True)
        kind = key_kind(parts)
        keys = [key_text(key) for key, part in parts.items() for _ in _group_numbers(part)]
        columns = {"segment": _objects(keys), **_columns(parts)}
    else:
        parts, kind = {None: counts}, None
        refuse_unreadable(parts, by_segment=False)
        columns = _columns(parts)
    settings = json.dumps(settings_of(parts, kind), allow_nan=False)
    if target.suffix.lower() == ".csv":
        _write_csv(columns, None if is_plain(parts, kind) else settings, target)
    else:
        _write_parquet(columns, kind, settings, target)


def read_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    by: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> Counted:
    r"""Take counts back from tables: saved ones exactly, or anybody's own.

    Parameters
    ----------
    files
        Which files; several add up.
    score, positives, by
        The columns of the score, the positives and the segments, when they are not called
        so. Beside the positives there must be the negatives or all cases (`n`).
    higher_is, levels, resolution
        As in `ScoreCounts.from_counts`; a saved table knows its own.

    Returns
    -------
    ScoreCounts or dict
        By segment when the table has segments.

    Raises
    ------
    ValueError
        When columns are missing, counts are impossible, or a saved table was changed.

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
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        parts = []
        sources = find_sources(files, scratch)
        refuse_idle(files, sources)
        for source in sources:
            single = replace(files, paths=(source.path,))
            if source.kind != "csv":
                single = replace(single, delimiter=None, decimal=None, null_values=NULL_VALUES)
            try:
                parts.append(_read_one(single, source.kind == "parquet", names, asked))
            except (ValueError, TypeError) as error:
                message = str(error).replace(source.path, source.label)
                kind = ValueError if isinstance(error, ValueError) else TypeError
                named = source.label in message
                raise kind(message if named else f"{source.label}: {message}") from None
    return _added(parts)


# What is written


def _columns(parts: Segments) -> dict[str, Values]:
    """Return the columns of a table: a row per score, or per score and group of clusters."""
    if len({part.groups is None for part in parts.values()}) > 1:
        raise ValueError("some segments have clusters and some have none; save them one by one")
    written = [group for part in parts.values() for group in _written_parts(part)]
    columns = {"score": _joined(map(_written_scores, written))}
    for name in ("positives", "negatives"):
        columns[name] = _joined(wide(getattr(part, name)) for part in written)
    if any(part.weights is not None for part in written):
        for name in ROOTS:
            columns[name] = _joined(_roots(part, name) for part in written)
    if any(part.groups is not None for part in parts.values()):
        columns[GROUP] = np.concatenate(list(map(_group_numbers, parts.values())))
    return columns


def _written_parts(counts: ScoreCounts) -> Sequence[ScoreCounts]:
    return [counts] if counts.groups is None else counts.groups


def _group_numbers(counts: ScoreCounts) -> NDArray[np.uint8]:
    """Return the group of clusters of each row that is written."""
    sizes = list(map(len, _written_parts(counts)))
    return np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes)


def _written_scores(counts: ScoreCounts) -> Values:
    if counts.levels is not None:
        return _objects([str(name) for name in counts.thresholds.tolist()])
    if counts.resolution is not None and counts.thresholds.dtype.kind == "O":
        return np.array(counts.thresholds.tolist())
    return counts.thresholds


def _roots(counts: ScoreCounts, name: str) -> Values:
    """Return the roots of summed squared weights; NaN where the rows are not known."""
    weights = counts.weights
    return np.full(len(counts), np.nan) if weights is None else getattr(weights, name)


def _objects(items: Sequence[object]) -> Values:
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects


def _joined(arrays: Iterable[Values]) -> Values:
    found = list(arrays)
    return np.concatenate([array for array in found if len(array)] or found[:1])


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
    written = _parquet_settings(files.paths[0]) if parquet else _csv_settings(files, found)
    if written is None:
        return counts_of_table(files, found, names, asked)
    settings = settings_in(written)
    if any(found.count(name) != 1 for name in columns_of(settings)):
        raise changed()
    return restored(settings, read_saved(files, settings, as_text=not parquet), asked)


def _parquet_settings(path: str) -> str | None:
    with connect() as connection:
        metadata = Relation(connection, path, f"parquet_kv_metadata({literal_path(path)})")
        rows = metadata.rows(["value"], f"WHERE key = {text(KEY)}")
    return bytes(rows[0][0]).decode("utf-8", "replace") if rows else None


def _csv_settings(files: Files, found: Sequence[str]) -> str | None:
    if SETTINGS not in found:
        with Path(files.paths[0]).open("rb") as file:
            lost = FORMAT.encode() in file.read(SAMPLE)
        if lost:
            raise changed()
        return None
    column = read_columns(files, [SETTINGS], as_text=[SETTINGS])[SETTINGS]
    present = slice(None) if column.missing is None else ~column.missing
    said = list(dict.fromkeys(column.values[present].tolist()))
    if not set(CELLS) <= set(found) and not any(FORMAT in words for words in said):
        return None
    if len(said) > 1:
        raise ValueError("two saved tables were put together; read them as two files instead")
    return "".join(said)


def read_saved(files: Files, settings: Settings, *, as_text: bool) -> dict[str, Column]:
    """Read the columns of a saved table, in csv segments and the names of grades as text."""
    graded = any(part["levels"] is not None for part in settings["segments"])
    texts = ["segment", *(["score"] if graded else [])] if as_text else []
    columns = read_columns(files, columns_of(settings), as_text=texts)
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
    whole = [part for part in parts if isinstance(part, ScoreCounts)]
    segmented = [part for part in parts if not isinstance(part, ScoreCounts)]
    if not segmented:
        return ScoreCounts.merge(whole)
    if whole:
        raise ValueError("some of these tables have segments and some have none")
    keys = dict.fromkeys(key for part in segmented for key in part)
    return {key: ScoreCounts.merge([p[key] for p in segmented if key in p]) for key in keys}

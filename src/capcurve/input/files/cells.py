"""Counts saved and taken back: a small table that anybody's tools can read or write."""

from __future__ import annotations

import csv
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts
from capcurve.counts.algebra import wide
from capcurve.input.files import cellgroups, cellkeys, cellnotes
from capcurve.input.files.cellchecks import FORMAT, changed, settings_in
from capcurve.input.files.celltables import counts_of_table
from capcurve.input.files.engine import connect, fetch_rows, literal_path, select, text
from capcurve.input.files.reading import open_files, read_columns, refuse_idle
from capcurve.input.files.request import NULL_VALUES
from capcurve.input.files.sources import SAMPLE, find_sources

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from capcurve.counts import Direction
    from capcurve.input.columns import Column
    from capcurve.input.files.request import Files

SUFFIXES = (".csv", ".parquet")
NOTES = "settings"


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
    if not isinstance(counts, ScoreCounts):
        counts = {cellkeys.python_value(key): part for key, part in counts.items()}
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{target.name}: the name must end in {' or '.join(SUFFIXES)}")
    cellkeys.refuse_unreadable(counts)
    columns, kind = _columns(counts)
    if target.suffix.lower() == ".csv":
        _write_csv(columns, cellnotes.notes_for_csv(counts), target)
    else:
        _write_parquet(columns, kind, cellnotes.notes_of(counts), target)


def read_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    by: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> ScoreCounts | dict[Any, ScoreCounts]:
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
                kind = ValueError if isinstance(error, ValueError) else TypeError
                raise kind(_named(str(error), source.path, source.label)) from None
    return _added(parts)


def _named(message: str, path: str, label: str) -> str:
    message = message.replace(path, label)
    return message if label in message else f"{label}: {message}"


def _columns(
    counts: ScoreCounts | Mapping[Any, ScoreCounts],
) -> tuple[dict[str, NDArray[Any]], str | None]:
    """Return the columns of the table, and the SQL type of the segments when there are some."""
    if isinstance(counts, ScoreCounts):
        return _cell_columns([counts]), None
    kind = cellkeys.key_kind(counts)
    keys = [k for k, part in counts.items() for _ in cellgroups.numbers_of(part)]
    texts = np.empty(len(keys), dtype=object)
    texts[:] = [cellkeys.key_text(key) for key in keys]
    return {"segment": texts, **_cell_columns(list(counts.values()))}, kind


def _cell_columns(counts: list[ScoreCounts]) -> dict[str, NDArray[Any]]:
    parts = [part for each in counts for part in cellgroups.rows_of(each)]
    columns = {"score": _joined([_written_scores(part) for part in parts])}
    for name in ("positives", "negatives"):
        arrays = [getattr(part, name) for part in parts]
        columns[name] = _joined([wide(array) for array in arrays])
    if any(part.weights is not None for part in parts):
        for name in cellnotes.ROOTS:
            columns[name] = _joined([cellnotes.roots(part, name) for part in parts])
    if cellgroups.refuse_mixed(counts):
        columns[cellgroups.COLUMN] = np.concatenate([cellgroups.numbers_of(c) for c in counts])
    return columns


def _written_scores(counts: ScoreCounts) -> NDArray[Any]:
    if counts.levels is not None:
        names = np.empty(len(counts), dtype=object)
        names[:] = [str(name) for name in counts.thresholds.tolist()]
        return names
    if counts.resolution is not None and counts.thresholds.dtype.kind == "O":
        return np.array(counts.thresholds.tolist())
    return counts.thresholds


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    full = [array for array in arrays if len(array)]
    return np.concatenate(full) if full else arrays[0]


def _write_csv(columns: dict[str, NDArray[Any]], notes: str | None, path: Path) -> None:
    for name in ("segment", "score"):
        if name in columns and columns[name].dtype == object:
            _refuse_lost_words(name, columns[name].tolist())
    lists = [column.tolist() for column in columns.values()]
    names = list(columns)
    if notes is not None:
        names.append(NOTES)
        rows = len(lists[0])
        if not rows:  # a table of no cells still has its settings
            lists, rows = [[None] for _ in lists], 1
        lists.append([notes, *[None] * (rows - 1)])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*lists, strict=True))


def _refuse_lost_words(name: str, values: list[Any]) -> None:
    for value in dict.fromkeys(values):
        if value is not None and "\r" in value:
            raise ValueError(
                f"csv readers take the \\r in {name} {value!r} for a line end; save as .parquet"
            )
        if value is not None and value.strip() in NULL_VALUES:
            raise ValueError(
                f"the {name} {value!r} would be read back from csv as missing; save as .parquet"
            )


def _write_parquet(
    columns: dict[str, NDArray[Any]], kind: str | None, notes: str, path: Path
) -> None:
    segment = [] if kind is None else [f"CAST(segment AS {kind}) AS segment"]
    fields = ", ".join([*segment, *(name for name in columns if name != "segment")])
    with connect() as connection:
        connection.register("cells", columns)
        connection.execute(
            # A path of its own: DuckDB gives "~/" and "file:" at the start of one a meaning, and an
            # older one leaves a temporary file of its own beside the path when it fails.
            f"COPY (SELECT {fields} FROM cells) TO {text(str(path.absolute()))} "  # noqa: S608 - own names only
            f"(FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{cellnotes.KEY}: {text(notes)}}})"
        )


def _read_one(
    files: Files, parquet: bool, names: dict[str, str | None], asked: dict[str, Any]
) -> ScoreCounts | dict[Any, ScoreCounts]:
    with open_files(files) as (_, tables):
        found = tables[0].names
    notes = _parquet_notes(files.paths[0]) if parquet else _csv_notes(files, found)
    if notes is None:
        return counts_of_table(files, found, names, asked)
    saved = settings_in(notes)
    needed = cellnotes.columns_of(saved)
    if any(found.count(name) != 1 for name in needed):
        raise changed()
    columns = read_columns(files, needed, as_text=() if parquet else cellnotes.text_columns(saved))
    return cellnotes.restored(saved, _without_blank_rows(columns), asked)


def _without_blank_rows(columns: dict[str, Column]) -> dict[str, Column]:
    """Leave out the row that only carries the settings of a table without cells."""
    blank = columns["score"].missing
    if blank is None or not blank.any():
        return columns
    return {name: _picked(column, ~blank) for name, column in columns.items()}


def _picked(column: Column, rows: NDArray[np.bool_]) -> Column:
    missing = None if column.missing is None else column.missing[rows]
    absent = missing if missing is not None and missing.any() else None
    return replace(column, stored=column.stored[rows], missing=absent)


def _parquet_notes(path: str) -> str | None:
    relation = f"parquet_kv_metadata({literal_path(path)})"
    with connect() as connection:
        sql = select(["value"], relation, f"WHERE key = {text(cellnotes.KEY)}")
        rows = fetch_rows(connection, sql, path)
    return bytes(rows[0][0]).decode("utf-8", "replace") if rows else None


def _csv_notes(files: Files, found: tuple[str, ...]) -> str | None:
    if NOTES not in found:
        with Path(files.paths[0]).open("rb") as file:
            lost = FORMAT.encode() in file.read(SAMPLE)
        if lost:
            raise changed()
        return None
    column = read_columns(files, [NOTES], as_text=[NOTES])[NOTES]
    present = slice(None) if column.missing is None else ~column.missing
    said = list(dict.fromkeys(column.values[present].tolist()))
    saved = {"score", "positives", "negatives"} <= set(found)
    if not saved and not any(FORMAT in words for words in said):
        return None
    if len(said) > 1:
        raise ValueError("two saved tables were put together; read them as two files instead")
    return "".join(said)


def _added(
    parts: list[ScoreCounts | dict[Any, ScoreCounts]],
) -> ScoreCounts | dict[Any, ScoreCounts]:
    if len(parts) == 1:
        return parts[0]
    whole = [part for part in parts if isinstance(part, ScoreCounts)]
    if len(whole) == len(parts):
        return ScoreCounts.merge(whole)
    if whole:
        raise ValueError("some of these tables have segments and some have none")
    keys = dict.fromkeys(key for part in parts if isinstance(part, dict) for key in part)
    return {
        key: ScoreCounts.merge([p[key] for p in parts if isinstance(p, dict) and key in p])
        for key in keys
    }

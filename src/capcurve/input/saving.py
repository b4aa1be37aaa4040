"""Counts are saved and read back: as JSON or Parquet exactly, as csv their plain numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.counts import ScoreCounts, SegmentCounts, ValueCounts
from capcurve.counts.saved import Node, as_json
from capcurve.input.files import Files, read_case_cells, read_cells, read_saved
from capcurve.input.files.cells import AMOUNT_HEADING, POSITIVE_HEADINGS, of_arms, segment_heading
from capcurve.input.files.reading import column_names
from capcurve.input.files.savedcells import counts_of, node_of, write_csv, write_parquet
from capcurve.input.times import read_times
from capcurve.input.trials import arms_of_segments
from capcurve.numbers.whole import write_whole

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from capcurve.numbers.types import Direction


def write_counts(counts: Any, path: str | os.PathLike[str]) -> None:
    """Save counts of one score, or counts by segment, which `read_counts` reads.

    Every kind of counts has one form, in three kinds of files. A .json or .parquet file has all
    that counts are. A .csv file has their plain numbers, for people and other programs: it does
    not say the order of grades, which rows were left out, what an amount is called, what times are
    counted in, or that segments are dates.

    Parameters
    ----------
    counts
        `ScoreCounts`, `ValueCounts`, `CaseCounts`, `TimeCounts`, `PartialCounts`,
        `UpliftCounts`, or a mapping of segments to such counts.
    path
        File to write, whose name ends in .json, .parquet or .csv. Columns are `segment` (of
        segments), `score`, and what was counted: `positives` and `negatives`; `amount`,
        `exposure` (when there is one) and `n`; `cases`; `time`, `event` and `n`. In Parquet
        `part` says whose cells these are, of counts made of others, and `cluster_group` of which
        group of clusters.

    Raises
    ------
    TypeError
        For counts of several scores, or what is no counts.
    ValueError
        For another name of a file; for a .csv file of counts that its numbers alone would give
        back as others: with weights, clusters, a resolution, ``higher_is="negative"``, scores of
        fewer than 64 bits, or grades or segments as text that looks like numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve import count_scores, read_counts, write_counts
    >>> counts = count_scores([1, 0, 0], [0.9, 0.2, 0.9])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "cells.csv")
    ...     write_counts(counts, path)
    ...     print(path.read_text(), read_counts(path) == counts)
    score,positives,negatives
    0.9,1,1
    0.2,0,1
     True
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".json", ".parquet", ".csv"):
        raise ValueError(f"{target.name}: the name must end in .json, .parquet or .csv")
    if suffix == ".csv":
        write_whole(target, lambda to: write_csv(counts, to))
    elif suffix == ".parquet":
        node = node_of(counts)
        write_whole(target, lambda to: write_parquet(node, to))
    else:
        text = json.dumps(as_json(node_of(counts)), allow_nan=False) + "\n"
        write_whole(target, lambda to: to.write_text(text, encoding="utf-8"))


def read_counts(
    path: str | os.PathLike[str],
    *,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> Any:
    """Read counts that `write_counts` saved, or a table that anybody counted.

    Parameters
    ----------
    path
        A .json file of counts, or a table: Parquet, csv, or any other file that `Files` names.
        Tables of a glob such as ``2025-*.parquet`` are added up.
    higher_is, levels, resolution
        As in `ScoreCounts.from_counts`, for tables that do not say it by themselves, such as csv.

    Returns
    -------
    counts
        Counts of the kind that was saved: of segments `SegmentCounts`, or a dict where that was
        saved. Of csv, the kind that the names of its columns say.

    Raises
    ------
    ValueError
        When the file was changed after it was saved, is of another version of the saved form, or
        holds no counts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve import count_segments, read_counts, write_counts
    >>> months = count_segments([1, 0, 1], [3, 2, 1], by=["May", "May", "June"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "cells.parquet")
    ...     write_counts(months, path)
    ...     read_counts(path) == months
    True
    """
    grades = None if levels is None else list(levels)
    said = {"higher_is": higher_is, "levels": grades, "resolution": resolution}
    asked: Node = {name: value for name, value in said.items() if value is not None}
    if str(path).lower().endswith(".json"):
        return read_json(path, asked)
    files = Files.of(path)
    if (saved := read_saved(files, **asked)) is not None:
        return saved
    names = {name.strip().lower() for name in column_names(files)}
    if {"time", "event"} <= names:
        try:
            return read_times(files, **asked)
        except ValueError as error:
            if "event_label=" not in str(error):
                raise
            how = "pass labels to count_times with the rows, as read_counts takes none"
            raise ValueError(f"{str(error).partition(';')[0]}; {how}") from None
    if "cases" in names and not names & {*POSITIVE_HEADINGS, AMOUNT_HEADING}:
        return read_case_cells(files, by=segment_heading(column_names(files)), **asked)
    found = read_cells(files, **asked)
    if isinstance(found, dict) and {*found} in ({0, 1}, {-1, 1}) and of_arms(found, files):
        return arms_of_segments(found)
    # Plain numbers of one table are of one type, so that they stay as they are in one table.
    kinds = {type(part) for part in found.values()} if type(found) is dict else set()
    return SegmentCounts.of(found) if kinds in ({ScoreCounts}, {ValueCounts}) else found


def read_json(path: str | os.PathLike[str], asked: Node) -> Any:
    """Return the counts of a .json file; errors name it."""
    try:
        return counts_of(json.loads(Path(path).read_text(encoding="utf-8")), asked)
    except (ValueError, RecursionError) as error:
        why = "it is no JSON" if isinstance(error, json.JSONDecodeError | RecursionError) else error
        raise ValueError(f"{path}: {why}") from None

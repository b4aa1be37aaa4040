"""Tables of counts: saved ones, and those that anybody counted, with or without outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import CaseCounts, PartialCounts, RankTotals, ScoreCounts, ValueSums
from capcurve.counts.table import as_tallies
from capcurve.input.arrays import Rules, count_clustered, split_rows
from capcurve.input.arrays.checks import ColumnsByRole
from capcurve.input.files.engine import Relation, listed, literal_path, text
from capcurve.input.files.reading import open_files, read_each, read_opened
from capcurve.input.files.savedcells import (
    CELLS,
    FORMATS,
    KEY,
    SETTINGS,
    changed,
    columns_of,
    key_text,
    merged,
    python_value,
    restored,
    settings_in,
    write_table,
)
from capcurve.input.files.sources import SAMPLE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Direction
    from capcurve.input.columns import InputColumn, Values
    from capcurve.input.files.engine import FileTable
    from capcurve.input.files.savedcells import Counted, Held, Settings
    from capcurve.input.files.sources import Files

SUFFIXES = (".csv", ".parquet")
# What the columns of a table that somebody else wrote may be called.
SCORES = ("score", "grade", "rating", "class")
POSITIVES = ("positives", "positive", "bad", "bads", "defaults", "events", "n1")
NEGATIVES = ("negatives", "negative", "good", "goods", "nondefaults", "nonevents", "n0")
CASES = ("n", "cases", "total", "count", "obligors", "accounts")
SEGMENTS = ("segment",)
UNKNOWN = ("unknown", "unknowns", "indeterminate", "indeterminates", "rejected", "rejects")
AMOUNT, EXPOSURE, TIMES = "amount", "exposure", "n"


def write_cells(
    counts: Held | RankTotals | ValueSums | Mapping[Any, Held], path: str | os.PathLike[str]
) -> None:
    """Save counts, or counts by segment, as a table with one row per distinct score."""
    # Columns are segment (when there are segments), score (the grade's name for grades), positives
    # and negatives. Of amounts the table has every different row: score, amount, exposure (when
    # there is one) and n, how often it occurs. What a table cannot say (direction, grade order,
    # resolution, weights, dropped rows, names) goes into the metadata of a parquet file; in a csv
    # file into one cell of a column `settings`, which is left out when there is nothing to say.
    # Counts with clusters have a row per score and group of clusters, told apart by
    # `cluster_group`.
    target = Path(path)
    if isinstance(counts, RankTotals):
        counts = counts.every_score()
    if isinstance(counts, ValueSums):
        counts.every_row()  # which says that it cannot
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{target.name}: the name must end in {' or '.join(SUFFIXES)}")
    if isinstance(counts, Mapping):
        parts = {python_value(key): part for key, part in counts.items()}
        write_table(parts, target, by_segment=True)
    else:
        write_table({None: counts}, target, by_segment=False)


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
    """Take counts back from tables: saved ones exactly, or anybody's own."""
    asked = _asked(higher_is, levels, resolution)
    names = {"score": score, "positives": positives, "by": by}
    names |= {"amount": amount, "exposure": exposure}
    parts = read_each(files, lambda one, parquet: _read_one(one, parquet, names, asked))
    return _added(parts)


def _asked(
    higher_is: Direction | None, levels: Iterable[object] | None, resolution: float | None
) -> Settings:
    """Return which settings were asked for."""
    grades = None if levels is None else tuple(levels)
    said = {"higher_is": higher_is, "levels": grades, "resolution": resolution}
    return {name: value for name, value in said.items() if value is not None}


def _read_one(
    files: Files, parquet: bool, names: dict[str, str | None], asked: Settings
) -> Counted:
    with open_files(files) as tables:
        found = tables[0].names
        written = _parquet_settings(tables, files) if parquet else _csv_settings(tables, files)
        if written is None:
            of_amounts = names["amount"] is not None or (
                AMOUNT in found and names["positives"] is None and not _perhaps(found, POSITIVES)
            )
            read = _amounts_of_table if of_amounts else _counts_of_table
            return read(tables, files, names, asked)
        settings = settings_in(written)
        if any(found.count(name) != 1 for name in columns_of(settings)):
            raise changed()
        columns = read_saved(tables, files, settings, as_text=not parquet)
    return restored(settings, columns, asked)


def _parquet_settings(tables: Sequence[FileTable], files: Files) -> str | None:
    """Return what a parquet file that is open says of the counts in it, or None."""
    path = files.paths[0]
    metadata = Relation(tables[0].connection, path, f"parquet_kv_metadata({literal_path(path)})")
    rows = metadata.rows(["value"], f"WHERE key = {text(KEY)}")
    return bytes(rows[0][0]).decode("utf-8", "replace") if rows else None


def _is_saved(tables: Sequence[FileTable], files: Files, *, parquet: bool) -> bool:
    """Whether a table says that it holds saved counts."""
    return SETTINGS in tables[0].names or (parquet and _parquet_settings(tables, files) is not None)


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
) -> dict[str, InputColumn]:
    """Read the columns of a saved table, in csv segments and the names of grades as text."""
    graded = any(part["levels"] is not None for part in settings["segments"])
    texts = ["segment", *(["score"] if graded else [])] if as_text else []
    columns = read_opened(tables, files, columns_of(settings), as_text=texts)
    blank = columns["score"].missing
    if blank is None or not blank.any():
        return columns
    # The row that only carries the settings of a table without cells.
    return {name: _picked(column, ~blank) for name, column in columns.items()}


def _picked(column: InputColumn, rows: NDArray[np.bool_]) -> InputColumn:
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
    asked: Settings,
) -> Counted:
    """Read one counted table: a score, its positives, and its negatives or all its cases."""
    found = tables[0].names
    score = names["score"] or _must(found, SCORES, "the score", "--score")
    positives = names["positives"] or _must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    negatives = _perhaps(rest, NEGATIVES)
    cases = None if negatives else _perhaps(rest, CASES)
    other = negatives or cases
    if other is None:
        raise ValueError(
            f"beside {positives!r} there must be a column negatives, or n for all cases; "
            f"the columns are {listed(found)}"
        )
    by = names["by"] or _perhaps(rest, SEGMENTS)
    wanted = [score, positives, other, *([] if by is None else [by])]
    columns = read_opened(tables, files, wanted)
    for name in wanted[:3]:
        _refuse_missing(columns[name])
    scores, n1 = columns[score].values, columns[positives].values
    n0 = columns[other].values if cases is None else _rest(columns[other], columns[positives])
    asked = _in_grades(asked, scores)
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
    asked: Settings,
) -> Counted:
    """Read rows of amounts: score, amount, perhaps exposure, and how often each occurs."""
    found = tables[0].names
    score = names["score"] or _must(found, SCORES, "the score", "--score")
    amount = names["amount"] or AMOUNT
    if amount in {*POSITIVES, *NEGATIVES} and _perhaps(found, POSITIVES):
        raise ValueError(
            f"the columns are {listed(found)}: these are counts of two classes, and {amount!r} is "
            "no amount of single rows; leave out --amount"
        )
    exposure = names["exposure"] or (EXPOSURE if EXPOSURE in found else None)
    times = TIMES if TIMES in found else None
    by = names["by"] or _perhaps(found, SEGMENTS)
    wanted = [name for name in (score, amount, exposure, times, by) if name is not None]
    columns = read_opened(tables, files, wanted)
    rules = Rules(**_in_grades(asked, columns[score].values))
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


def _whole_times(column: InputColumn) -> NDArray[np.int64]:
    """Return how often each row of a table occurs, once or more."""
    _refuse_missing(column)
    times = as_tallies(column.values, column.name)
    if times.dtype.kind == "f" or (times == 0).any():
        raise ValueError(f"{column.name} says how often a row occurs: whole numbers from 1")
    return times.astype(np.int64)


def _must(found: Sequence[str], known: Sequence[str], what: str, flag: str) -> str:
    """Return the one column of a known name, or raise naming the flag that says which."""
    name = _perhaps(found, known, what, flag)
    if name is None:
        raise ValueError(
            f"no column is named like {what}; name it with {flag}; the columns are {listed(found)}"
        )
    return name


def _perhaps(
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


def _refuse_missing(column: InputColumn) -> None:
    """Raise ValueError when a row of a table has no number."""
    absent = column.missing
    if column.values.dtype.kind == "f":
        nan = np.isnan(column.values)
        absent = nan if absent is None else absent | nan
    if absent is not None and absent.any():
        raise ValueError(
            f"column {column.name!r} has no value in {int(absent.sum())} rows; fill them in"
        )


def _rest(cases: InputColumn, positives: InputColumn) -> Values:
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


def _in_grades(asked: Settings, scores: Values) -> Settings:
    """Return the settings asked for, with grades as the values that were found."""
    levels = asked.get("levels")
    return asked if levels is None else {**asked, "levels": match_levels(levels, scores.tolist())}


def match_levels(levels: Iterable[object], found: Sequence[object]) -> tuple[object, ...]:
    """Return grade names as the values found: the text "3" stands for the number 3."""
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


# Tables in which some cases, or all, have no outcome


def read_partial_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    unknown: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> PartialCounts:
    """Take partial counts from tables with the columns score, positives, negatives and unknown."""
    asked = _asked(higher_is, levels, resolution)
    names = {"score": score, "positives": positives, "unknown": unknown}
    return PartialCounts.merge(
        read_each(files, lambda one, parquet: _partial_in(one, names, asked, parquet=parquet))
    )


def _partial_in(
    files: Files, names: Mapping[str, str | None], asked: Settings, *, parquet: bool
) -> PartialCounts:
    with open_files(files) as tables:
        found = tables[0].names
        wanted = _columns_of(found, names)
        if _is_saved(tables, files, parquet=parquet):
            raise ValueError(
                "the table has settings of saved counts, which say nothing of unknown outcomes; "
                "leave them out (the last column of a csv, the metadata of a parquet file), and "
                "say higher_is= and levels= where they matter"
            )
        columns = read_opened(tables, files, wanted)
    for name in wanted:
        _refuse_missing(columns[name])
    score, *cases = (columns[name].values for name in wanted)
    asked = _in_grades(asked, score)
    return PartialCounts.from_counts(score, *cases, **asked)


def _columns_of(found: Sequence[str], names: Mapping[str, str | None]) -> list[str]:
    """Return the columns of the score, the positives, the negatives and the unknown."""
    score = names["score"] or _must(found, SCORES, "the score", "--score")
    positives = names["positives"] or _must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    unknown = names["unknown"] or _must(rest, UNKNOWN, "the unknown outcomes", "--unknown")
    negatives = _perhaps([name for name in rest if name != unknown], NEGATIVES)
    if negatives is None:
        cases = _perhaps(rest, CASES)
        unclear = "" if cases is None else f", as {cases!r} may count the unknown or not"
        raise ValueError(
            f"beside {positives!r} and {unknown!r} there must be a column negatives{unclear}; the "
            f"columns are {listed(found)}"
        )
    return [score, positives, negatives, unknown]


def read_case_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> CaseCounts:
    """Take cases by score from tables with the columns score and n, or saved counts of classes."""
    asked = _asked(higher_is, levels, resolution)
    names = {"score": score, "positives": positives}
    return CaseCounts.merge(
        read_each(files, lambda one, parquet: _cases_in(one, names, asked, parquet=parquet))
    )


def _cases_in(
    files: Files, names: Mapping[str, str | None], asked: Settings, *, parquet: bool
) -> CaseCounts:
    with open_files(files) as tables:
        found = tables[0].names
        saved = _is_saved(tables, files, parquet=parquet)
        classes = names["positives"] or _perhaps(
            [name for name in found if name != names["score"]], POSITIVES
        )
        if saved or classes is not None:
            return _of_classes(files, names, asked)
        score = names["score"] or _must(found, SCORES, "the score", "--score")
        cases = _must([name for name in found if name != score], CASES, "the cases", "the header n")
        columns = read_opened(tables, files, [score, cases])
    for name in (score, cases):
        _refuse_missing(columns[name])
    scores, tallies = (columns[name].values for name in (score, cases))
    asked = _in_grades(asked, scores)
    return CaseCounts.from_counts(scores, tallies, **asked)


def _of_classes(
    files: Files, names: Mapping[str, str | None], asked: Mapping[str, Any]
) -> CaseCounts:
    """Return the cases of both classes, of all segments."""
    found = read_cells(files, score=names["score"], positives=names["positives"], **asked)
    parts = list(found.values()) if isinstance(found, dict) else [found]
    cases = [getattr(part, "cases", None) for part in parts]
    if not all(isinstance(each, CaseCounts) for each in cases):
        raise ValueError(f"{files.paths[0]} holds amounts, and shares of cases need cases")
    return CaseCounts.merge(cases)  # type: ignore[arg-type]  # checked in the lines above

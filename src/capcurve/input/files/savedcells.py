"""Saved tables of counts: their columns, and what these cannot say, under a seal."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from dataclasses import replace
from datetime import date, datetime, time
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import ScoreCounts, ValueCounts
from capcurve.counts.digest import is_sealed, sealed
from capcurve.counts.saved import CLASSES, REAL, ROOTS, fields_in, settings
from capcurve.counts.settings import AMOUNTS, OF_EXPOSURE
from capcurve.counts.table import GROUPS, wide
from capcurve.input.arrays import split_rows
from capcurve.input.columns import InputColumn, Values, objects_of
from capcurve.input.files.engine import connect, text
from capcurve.input.files.sources import NULL_VALUES
from capcurve.input.files.textvalues import ANY_NUMBER, DIGIT_GROUPS
from capcurve.numbers.exact import LARGEST_INT64
from capcurve.numbers.order import grid_index, grid_value
from capcurve.numbers.plain import plain
from capcurve.numbers.rankable import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


Settings: TypeAlias = dict[str, Any]  # as JSON has them
# Counts of classes, or of amounts, that a table holds; by segment.
Held: TypeAlias = ScoreCounts | ValueCounts
HeldParts: TypeAlias = "Mapping[Any, Held]"
Counted: TypeAlias = Held | dict[Any, Held]

SETTINGS = "settings"  # the column of a csv file that holds what its other columns cannot say
KEY = "capcurve"  # the same in the metadata of a parquet file
# Tables of classes, and of amounts.
FORMATS = ("capcurve/cells", "capcurve/amount-cells")
VERSION = 1
CELLS = ("score", *CLASSES)
GROUP = "cluster_group"
_TRUTHS = {"true", "false"}
_LARGEST_UINT64 = 2**64 - 1
_SQL_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    date: "DATE",
    datetime: "TIMESTAMP",
    str: "VARCHAR",
}
_PARSERS: dict[str, Callable[[str], object]] = {
    "BOOLEAN": lambda word: word == "true",
    "BIGINT": int,
    "UBIGINT": int,
    "DOUBLE": float,
    "DATE": date.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
    "VARCHAR": str,
}


# What is written


def write_table(parts: HeldParts, path: Path, *, by_segment: bool) -> None:
    """Save counts by segment, or one without a name, as a csv or a parquet file."""
    _refuse_unreadable(parts, by_segment=by_segment)
    columns, kind = _columns_of(parts), _key_kind(parts) if by_segment else None
    if by_segment:
        keys = [key_text(key) for key, part in parts.items() for _ in _group_numbers(part)]
        columns = {"segment": objects_of(keys), **columns}
    told = path.suffix.lower() == ".csv" and _is_plain(parts, kind)
    notes = None if told else json.dumps(_settings_of(parts, kind), allow_nan=False)
    write_columns(columns, path, notes, kind)


def write_columns(
    columns: dict[str, Values], path: Path, notes: str | None = None, kind: str | None = None
) -> None:
    """Write columns as a csv or a parquet file, with notes on them; `kind` is that of segments."""
    if path.suffix.lower() == ".parquet":
        _write_parquet(columns, kind, notes, path)
    else:
        _write_csv(columns, notes, path)


def _columns_of(parts: HeldParts) -> dict[str, Values]:
    """Return the columns of a table: those of every group of clusters below each other."""
    every = list(parts.values())
    for has, what in (
        (lambda part: isinstance(part, ValueCounts), "amounts"),
        (lambda part: getattr(part, "has_exposure", False), "an exposure"),
        (lambda part: part.groups is not None, "clusters"),
    ):
        if len(set(map(has, every))) > 1:
            raise ValueError(f"some segments have {what} and some have none; save them one by one")
    tables = [_readable(each) for part in every for each in part.groups or (part,)]
    columns = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        # Where weights came without a memory of their rows, their roots are not known.
        found = [table.get(name, np.full(len(table["score"]), np.nan)) for table in tables]
        columns[name] = np.concatenate([array for array in found if len(array)] or found[:1])
    if any(part.groups is not None for part in every):
        columns[GROUP] = np.concatenate(list(map(_group_numbers, every)))
    return columns


def _readable(counts: Held) -> dict[str, Values]:
    """Return the columns of counts with scores as people read them: grades, values of a grid."""
    columns = {name: column for name, column in counts.columns().items() if column is not None}
    columns |= {name: wide(columns[name]) for name in CLASSES if name in columns}
    score = columns["score"]
    if counts.levels is not None:
        names = names_of(score, counts.levels).tolist()
        columns["score"] = objects_of([str(name) for name in names])
    elif counts.resolution is not None:
        values = grid_value(score, counts.resolution)
        columns["score"] = np.array(values.tolist()) if values.dtype.kind == "O" else values
    return columns


def _group_numbers(counts: Held) -> NDArray[np.uint8]:
    """Return the group of clusters of each row that is written."""
    sizes = [part.cells_held for part in counts.groups or (counts,)]
    return np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes)


def _write_csv(columns: dict[str, Values], notes: str | None, path: Path) -> None:
    for name in ("segment", "score"):
        if name in columns and columns[name].dtype == object:
            _refuse_lost_words(name, columns[name].tolist())
    lists = [_surely_written(column.tolist()) for column in columns.values()]
    names = list(columns)
    if notes is not None:
        names.append(SETTINGS)
        rows = len(lists[0])
        if not rows:  # a table of no cells still has its settings
            lists, rows = [[None] for _ in lists], 1
        lists.append([notes, *[None] * (rows - 1)])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*lists, strict=True))


def _surely_written(values: list[Any]) -> list[Any]:
    """Return values of which one has a further 0 where all points could stand between thousands."""
    floats = [each for each in values if isinstance(each, float) and isfinite(each)]
    if not floats or not all(re.fullmatch(DIGIT_GROUPS, repr(each)) for each in floats):
        return values
    place = values.index(floats[0])
    return [*values[:place], f"{floats[0]}0", *values[place + 1 :]]


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


def _write_parquet(
    columns: dict[str, Values], kind: str | None, notes: str | None, path: Path
) -> None:
    kept = "" if notes is None else f", KV_METADATA {{{KEY}: {text(notes)}}}"
    segment = [] if kind is None else [f"CAST(segment AS {kind}) AS segment"]
    fields = ", ".join([*segment, *(name for name in columns if name != "segment")])
    with connect() as connection:
        connection.register("cells", columns)
        connection.execute(
            # A path of its own: DuckDB gives "~/" and "file:" at the start of one a meaning, and an
            # older one leaves a temporary file of its own beside the path when it fails.
            f"COPY (SELECT {fields} FROM cells) TO {text(str(path.absolute()))} "  # noqa: S608 - own names only
            f"(FORMAT parquet, USE_TMP_FILE false{kept})"
        )


def _settings_of(parts: HeldParts, kind: str | None) -> Settings:
    """Return what the columns cannot say, under a seal; `kind` is the type of the segments."""
    body = {
        "format": FORMATS[any(isinstance(part, ValueCounts) for part in parts.values())],
        "version": VERSION,
        "segment_type": kind,
        "segments": [{"key": key_text(k), **_settings_of_part(part)} for k, part in parts.items()],
    }
    return sealed(body)


def _settings_of_part(counts: Held) -> Settings:
    found = settings(counts)
    if isinstance(counts, ValueCounts):
        words = found.pop("words")
        found |= {"exposure": counts.has_exposure, "words": words, "weights": None}
    else:
        weights = counts.weights
        rows = None if weights is None else [weights.kind, *_weighted_rows(counts)]
        found |= {"whole": counts.is_whole, "weights": rows}
    if _is_narrow(counts):  # csv does not tell, and numbers meet such scores in their type
        found["score_type"] = str(counts.thresholds.dtype)
    groups = counts.groups
    found["dropped"] = None if counts.dropped is None else counts.dropped.to_dict()
    found["clusters"] = None if groups is None else list(map(_weighted_rows, groups))
    written: Settings = plain({**found, "digest": _digest(counts)})
    return written


def _is_narrow(counts: Held) -> bool:
    """Whether scores are floats of fewer bits than csv is read as."""
    score = counts.thresholds
    return score.dtype.kind == "f" and score.dtype != np.float64


def _digest(counts: Held) -> str:
    """Return the digest of counts, or one of theirs and those of their groups of clusters."""
    if counts.groups is None:
        return counts.digest()
    every = "".join(part.digest() for part in (counts, *counts.groups))
    return hashlib.sha256(every.encode()).hexdigest()


def _weighted_rows(counts: Held) -> list[int]:
    weights = getattr(counts, "weights", None)
    return [0, 0] if weights is None else [weights.positive_rows, weights.negative_rows]


def _is_plain(parts: HeldParts, kind: str | None) -> bool:
    """Whether a csv table without settings would be read back as it was."""
    words = [key for key in parts if key is not None]
    told = all(isinstance(word, str) and not _looks_typed(word) for word in words)
    return (told or kind == "BIGINT") and all(
        _is_told(part)
        and len(part)
        and not _is_narrow(part)
        and (part.higher_is, part.levels, part.resolution) == ("positive", None, None)
        and part.dropped is None
        and part.groups is None
        for part in parts.values()
    )


def _is_told(part: Held) -> bool:
    """Whether the names of the columns say all that there is to know of them."""
    if isinstance(part, ValueCounts):
        return part.words == (OF_EXPOSURE if part.has_exposure else AMOUNTS)
    return part.is_whole


def _key_kind(keys: HeldParts) -> str:
    """Name the SQL type that holds every segment."""
    kinds = {type(key) for key in keys if key is not None}
    if kinds == {int} and max(k for k in keys if k is not None) > LARGEST_INT64:
        return "UBIGINT"
    return _SQL_TYPES.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def python_value(value: object) -> object:
    """Return a NumPy number, yes/no or text as the Python value that it equals."""
    if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
        return value.item()
    return value


def key_text(key: object) -> str | None:
    """Write a segment as text that reads back as itself."""
    if key is None:
        return None
    return str(key).lower() if isinstance(key, bool) else str(key)


def _looks_typed(word: str) -> bool:
    """Whether a reader of csv may take a text for a number or a yes/no."""
    plain_word = word.strip()
    return plain_word.lower() in _TRUTHS or bool(re.fullmatch(ANY_NUMBER, plain_word))


def _refuse_unreadable(parts: HeldParts, *, by_segment: bool) -> None:
    """Refuse segments and grades that a saved table would not give back as they are."""
    if by_segment:
        _refuse_segments(parts)
    found = [part for part in parts.values() if len(part)]
    if len({part.levels is None for part in found}) > 1:
        raise ValueError("some segments have grades and some have numbers; save them one by one")
    exact = [part for part in found if part.levels is None and part.resolution is None]
    scores = [
        rows.score
        for part in exact
        for rows in ((part.holding, part.empty) if isinstance(part, ValueCounts) else (part,))
    ]
    kind = np.result_type(*scores) if scores else np.dtype(np.float64)
    with np.errstate(invalid="ignore"):  # 2^64, which a float makes of 2^64 - 1, is no uint64
        lost = any((score.astype(kind).astype(score.dtype) != score).any() for score in scores)
    if lost:
        raise ValueError(
            "the segments hold whole scores beyond 2^53 beside others, which no one column holds "
            "exactly; save them one by one"
        )
    for levels in {part.levels for part in parts.values() if part.levels is not None}:
        _refuse_grades(levels)


def _refuse_grades(levels: tuple[object, ...]) -> None:
    for level in map(python_value, levels):
        if type(plain(level)) is not type(level) or plain(level) != level:
            raise ValueError(
                f"the grade {level!r} is {type(level).__name__}, which a saved table does not "
                f"give back; name the grades as text"
            )
    _refuse_twins("grade", levels, str)


def _refuse_segments(keys: HeldParts) -> None:
    if not keys:
        raise ValueError("there are no segments to save")
    kinds = sorted({type(key).__name__ for key in keys if key is not None})
    known = [key for key in keys if key is not None]
    first = known[0] if known else None
    if len(kinds) > 1:
        raise ValueError(
            f"the segments are of several types ({', '.join(kinds)}), which a saved table does "
            f"not tell apart; make them one type, such as text"
        )
    if first is not None and (type(first) not in _SQL_TYPES or getattr(first, "tzinfo", None)):
        zone = " with a time zone" if getattr(first, "tzinfo", None) else ""
        raise ValueError(
            f"the segment {first!r} is {kinds[0]}{zone}, which a saved table does not give back; "
            f"make the segments text, numbers or dates"
        )
    if kinds == ["int"]:
        least = 0 if max(known) > LARGEST_INT64 else -LARGEST_INT64 - 1
        if max(known) > _LARGEST_UINT64 or min(known) < least:
            raise ValueError("the segments are whole numbers beyond 64 bits; make them text")
    _refuse_twins("segment", keys, key_text)


def _refuse_twins(
    what: str, values: Iterable[object], written: Callable[[object], str | None]
) -> None:
    seen: dict[str | None, object] = {}
    for value in values:
        word = written(value)
        if word in seen:
            raise ValueError(
                f"the {what}s {seen[word]!r} and {value!r} would both be written as {word}; "
                f"rename one"
            )
        seen[word] = value


# What is read


def changed() -> ValueError:
    """Say that a saved table is not as it was saved."""
    return ValueError(
        "the table was changed after it was saved; to read it as it stands now, "
        "leave out its settings (the last column of a csv, the metadata of a parquet file)"
    )


def settings_in(written: str) -> Settings:
    """Return settings that are of this version and as they were written, or raise ValueError."""
    try:
        found: Settings = json.loads(written)
    except (ValueError, RecursionError):
        raise changed() from None
    if not isinstance(found, dict):
        raise changed()
    if found.get("format") not in FORMATS or found.get("version") != VERSION:
        raise ValueError(
            f"settings of format {found.get('format')!r}, version {found.get('version')!r}; "
            f"this version reads {' and '.join(map(repr, FORMATS))}, version {VERSION}"
        )
    if not is_sealed(found):
        raise changed()
    return found


def columns_of(notes: Settings) -> tuple[str, ...]:
    """Name the columns that a table with these settings has."""
    parts = notes["segments"]
    return (
        *(() if notes["segment_type"] is None else ("segment",)),
        *_cells_of(notes),
        *(ROOTS if any(part["weights"] is not None for part in parts) else ()),
        *((GROUP,) if any(part["clusters"] is not None for part in parts) else ()),
    )


def _cells_of(notes: Settings) -> tuple[str, ...]:
    """Name the columns that no row may lack."""
    if notes["format"] == FORMATS[0]:
        return CELLS
    exposed = any(part["exposure"] for part in notes["segments"])
    columns = (name for name in ValueCounts.COLUMNS if exposed or name != "exposure")
    return ("score", *columns)


def restored(notes: Settings, columns: Mapping[str, InputColumn], asked: Settings) -> Counted:
    """Put counts together again from their columns and settings."""
    for part in notes["segments"]:
        _refuse_other_settings(part, asked)
    try:
        with np.errstate(all="ignore"):  # of numbers that are not the saved ones
            return _put_together(notes, columns)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        raise changed() from None


def _refuse_other_settings(notes: Settings, asked: Settings) -> None:
    def words(value: object) -> list[str]:
        return [str(item) for item in (value if isinstance(value, list) else [value])]

    for name, value in asked.items():
        given = plain(value)
        if words(notes[name]) != words(given):
            raise ValueError(f"the table was saved with {name}={notes[name]!r}, not {given!r}")


def _put_together(notes: Settings, columns: Mapping[str, InputColumn]) -> Counted:
    kind = notes["segment_type"]
    needed = {*_cells_of(notes), GROUP} & columns.keys()
    if any(columns[name].missing is not None for name in needed):
        raise changed()
    if kind is None:
        return _one(notes["segments"][0], columns, slice(None))
    rows = {key_text(_as_saved(key, kind)): r for key, r in split_rows(columns["segment"])}
    parts: dict[Any, Held] = {}
    for part in notes["segments"]:
        key = None if part["key"] is None else _PARSERS[kind](part["key"])
        parts[key] = _one(part, columns, rows.pop(part["key"], np.zeros(0, dtype=np.intp)))
    if rows:
        raise changed()
    return parts


def _as_saved(key: object, kind: str) -> object:
    """Return a day or a moment in time as the one of the two that was saved."""
    if kind == "DATE":
        return key.date() if isinstance(key, datetime) else key
    if kind == "TIMESTAMP" and isinstance(key, date) and not isinstance(key, datetime):
        return datetime.combine(key, time())
    return key


def _one(
    notes: Settings, columns: Mapping[str, InputColumn], rows: slice | NDArray[np.intp]
) -> Held:
    values = {name: column.values[rows] for name, column in columns.items()}
    if notes["clusters"] is None:
        counts = _cells(notes, values)
    else:
        groups = _groups(notes, values)
        dropped = fields_in({**notes, "weights": None}, type(groups[0])).get("dropped")
        whole: Any = merged(groups)
        counts = replace(whole, groups=groups, dropped=dropped)
    if _digest(counts) != notes["digest"]:
        raise changed()
    return counts


def _groups(notes: Settings, values: Mapping[str, Values]) -> tuple[Held, ...]:
    """Return the counts of each group of clusters."""
    numbers, weights = values[GROUP], notes["weights"]
    odd = numbers.dtype.kind not in "iu" or (numbers < 0).any() or (numbers >= GROUPS).any()
    if len(numbers) and odd:  # an empty column has no type of its own in csv
        raise changed()
    found = []
    for number, rows in enumerate(notes["clusters"]):
        own = {name: column[numbers == number] for name, column in values.items()}
        weighted = None if weights is None else [weights[0], *rows]
        found.append(_cells({**notes, "weights": weighted, "dropped": None}, own))
    return tuple(found)


def merged(parts: Sequence[Any]) -> Held:
    """Return the sum of counts of one kind."""
    kinds = {type(part) for part in parts}
    if len(kinds) > 1:
        raise ValueError("some of these tables hold classes and some amounts")
    whole: Held = kinds.pop().merge(parts)
    return whole


def _cells(notes: Settings, values: Mapping[str, Values]) -> Held:
    """Return counts of the rows of a table, which are all different."""
    kind: Any = ValueCounts if "words" in notes else ScoreCounts
    fields = fields_in({**notes, "weights": None}, kind)
    if notes["weights"] is not None:
        fields["weights"] = notes["weights"]
    columns = {"score": _ranks(notes, values["score"])}
    for name in (*kind.COLUMNS, *(ROOTS if notes["weights"] is not None else ())):
        if name != "exposure" or notes["exposure"]:
            whole = name not in REAL and notes.get("whole", True)
            columns[name] = values[name].astype(np.int64 if whole else np.float64)
            if values[name].dtype.kind not in "iuf" or (columns[name] != values[name]).any():
                raise changed()
    counts: Held = kind.from_columns(columns, **fields)
    return counts


def _ranks(notes: Settings, score: Values) -> Values:
    """Return what counts hold for a score: the code of a grade, the number of a grid cell."""
    levels, resolution = notes["levels"], notes["resolution"]
    if levels is not None:
        last = len(levels) - 1
        code = {str(name): last - place for place, name in enumerate(levels)}
        codes = [code[str(name)] for name in score.tolist()]
        return np.array(codes, dtype=np.min_scalar_type(max(last, 0)))
    if not len(score):
        return np.zeros(0)
    if score.dtype.kind not in "biuf":
        raise changed()
    if "score_type" in notes:
        score = score.astype(notes["score_type"])
    return score if resolution is None else grid_index(score, resolution)

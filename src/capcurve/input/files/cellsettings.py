"""What the columns of a saved table cannot say: its settings, under a seal, and its segments."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import Dropped, ScoreCounts, ValueCounts, Weights
from capcurve.counts.order import grid_index
from capcurve.counts.plain import plain
from capcurve.counts.settings import AMOUNTS, OF_EXPOSURE, Words
from capcurve.counts.table import GROUPS
from capcurve.input.arrays import split_rows
from capcurve.input.files.cellcolumns import (
    AMOUNT,
    CLASSES,
    EXPOSURE,
    GROUP,
    ROOTS,
    ROWS,
    Held,
)
from capcurve.input.files.textvalues import ANY_NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from capcurve.input.columns import Column, Values
    from capcurve.input.files.cellcolumns import Segments

Settings: TypeAlias = dict[str, Any]  # as JSON has them
Counted: TypeAlias = Held | dict[Any, Held]

# Tables of classes, and of amounts.
FORMATS = ("capcurve/cells", "capcurve/amount-cells")
VERSION = 1
CELLS = ("score", *CLASSES)
_TRUTHS = {"true", "false"}
_LARGEST_INT64 = 2**63 - 1
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


def settings_of(parts: Segments, kind: str | None) -> Settings:
    """Return what the columns cannot say, under a seal; `kind` is the type of the segments."""
    body = {
        "format": FORMATS[any(isinstance(part, ValueCounts) for part in parts.values())],
        "version": VERSION,
        "segment_type": kind,
        "segments": [{"key": key_text(k), **_settings_of_part(part)} for k, part in parts.items()],
    }
    return {**body, "seal": _seal(body)}


def _seal(body: Settings) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _is_sealed(settings: Settings) -> bool:
    body = {name: value for name, value in settings.items() if name != "seal"}
    return bool(settings.get("seal") == _seal(body))


def _settings_of_part(counts: Held) -> Settings:
    dropped, groups = counts.dropped, counts.groups
    settings: Settings = plain(
        {
            "higher_is": counts.higher_is,
            "levels": None if counts.levels is None else list(counts.levels),
            "resolution": counts.resolution,
            **_sums_settings(counts),
            "dropped": None if dropped is None else dropped.to_dict(),
            "clusters": None if groups is None else list(map(_weighted_rows, groups)),
            "digest": _digest(counts),
        }
    )
    return settings


def _sums_settings(counts: Held) -> Settings:
    """Return what is to be known of the columns that stand beside the score."""
    if isinstance(counts, ValueCounts):
        words = [counts.words.selected, counts.words.captured]
        return {"exposure": counts.has_exposure, "words": words, "weights": None}
    weights = counts.weights
    rows = None if weights is None else [weights.kind, *_weighted_rows(counts)]
    return {"whole": counts.is_whole, "weights": rows}


def _digest(counts: Held) -> str:
    """Return the digest of counts, or one of theirs and those of their groups of clusters."""
    if counts.groups is None:
        return counts.digest()
    every = "".join(part.digest() for part in (counts, *counts.groups))
    return hashlib.sha256(every.encode()).hexdigest()


def _weighted_rows(counts: Held) -> list[int]:
    weights = getattr(counts, "weights", None)
    return [0, 0] if weights is None else [weights.positive_rows, weights.negative_rows]


def is_plain(parts: Segments, kind: str | None) -> bool:
    """Whether a csv table without settings would be read back as it was."""
    words = [key for key in parts if key is not None]
    told = all(isinstance(word, str) and not _looks_typed(word) for word in words)
    return (told or kind == "BIGINT") and all(
        _is_told(part)
        and len(part)
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


def changed() -> ValueError:
    """Say that a saved table is not as it was saved."""
    return ValueError(
        "the table was changed after it was saved; to read it as it stands now, "
        "leave out its settings (the last column of a csv, the metadata of a parquet file)"
    )


def settings_in(written: str) -> Settings:
    """Return settings that are of this version and as they were written, or raise ValueError."""
    try:
        settings = json.loads(written)
        sealed = isinstance(settings, dict) and _is_sealed(settings)
    except (ValueError, RecursionError):
        raise changed() from None
    if not isinstance(settings, dict):
        raise changed()
    if settings.get("format") not in FORMATS or settings.get("version") != VERSION:
        raise ValueError(
            f"settings of format {settings.get('format')!r}, version {settings.get('version')!r}; "
            f"this version reads {' and '.join(map(repr, FORMATS))}, version {VERSION}"
        )
    if not sealed:
        raise changed()
    return settings


def columns_of(settings: Settings) -> tuple[str, ...]:
    """Name the columns that a table with these settings has."""
    parts = settings["segments"]
    return (
        *(() if settings["segment_type"] is None else ("segment",)),
        *_cells_of(settings),
        *(ROOTS if any(part["weights"] is not None for part in parts) else ()),
        *((GROUP,) if any(part["clusters"] is not None for part in parts) else ()),
    )


def _cells_of(settings: Settings) -> tuple[str, ...]:
    """Name the columns that no row may lack."""
    if settings["format"] == FORMATS[0]:
        return CELLS
    exposed = any(part["exposure"] for part in settings["segments"])
    return ("score", AMOUNT, *((EXPOSURE,) if exposed else ()), ROWS)


def restored(settings: Settings, columns: Mapping[str, Column], asked: Settings) -> Counted:
    """Put counts together again from their columns and settings."""
    for part in settings["segments"]:
        _refuse_other_settings(part, asked)
    try:
        with np.errstate(all="ignore"):  # of numbers that are not the saved ones
            return _put_together(settings, columns)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        raise changed() from None


def _refuse_other_settings(settings: Settings, asked: Settings) -> None:
    def words(value: object) -> list[str]:
        return [str(item) for item in (value if isinstance(value, list) else [value])]

    for name, value in asked.items():
        given = plain(value)
        if words(settings[name]) != words(given):
            raise ValueError(f"the table was saved with {name}={settings[name]!r}, not {given!r}")


def _put_together(settings: Settings, columns: Mapping[str, Column]) -> Counted:
    kind = settings["segment_type"]
    if any(
        columns[name].missing is not None for name in {*_cells_of(settings), GROUP} & columns.keys()
    ):
        raise changed()
    if kind is None:
        return _one(settings["segments"][0], columns, slice(None))
    rows = {key_text(_as_saved(key, kind)): r for key, r in split_rows(columns["segment"])}
    parts: dict[Any, Held] = {}
    for part in settings["segments"]:
        key = None if part["key"] is None else _PARSERS[kind](part["key"])
        parts[key] = _one(part, columns, rows.pop(part["key"], np.zeros(0, dtype=np.intp)))
    if rows:
        raise changed()
    return parts


def _one(settings: Settings, columns: Mapping[str, Column], rows: slice | NDArray[np.intp]) -> Held:
    values = {name: column.values[rows] for name, column in columns.items()}
    if settings["clusters"] is None:
        counts = _cells(settings, values)
    else:
        groups, dropped = tuple(_groups(settings, values)), _dropped(settings)
        whole: Any = merged(groups)
        counts = replace(whole, groups=groups, dropped=dropped)
    if _digest(counts) != settings["digest"]:
        raise changed()
    return counts


def merged(parts: Sequence[Any]) -> Held:
    """Return the sum of counts of one kind."""
    kinds = {type(part) for part in parts}
    if len(kinds) > 1:
        raise ValueError("some of these tables hold classes and some amounts")
    whole: Held = kinds.pop().merge(parts)
    return whole


def _groups(settings: Settings, values: Mapping[str, Values]) -> Iterator[Held]:
    """Yield the counts of each group of clusters."""
    groups = values[GROUP]
    if groups.dtype.kind not in "iu" or (groups < 0).any() or (groups >= GROUPS).any():
        raise changed()
    for number, weighted_rows in enumerate(settings["clusters"]):
        weights = settings["weights"]
        weights = None if weights is None else [weights[0], *weighted_rows]
        rows = np.flatnonzero(groups == number)
        own = {name: column[rows] for name, column in values.items()}
        yield _cells({**settings, "weights": weights, "dropped": None}, own)


def _amount_cells(settings: Settings, values: Mapping[str, Values]) -> ValueCounts:
    """Return counts of different rows of amounts."""
    exposure = _sums(values[EXPOSURE], np.float64) if settings["exposure"] else None
    return ValueCounts.from_rows(
        _ranks(settings, values["score"]),
        _sums(values[AMOUNT], np.float64),
        exposure,
        _sums(values[ROWS], np.int64),
        higher_is=settings["higher_is"],
        levels=None if settings["levels"] is None else tuple(settings["levels"]),
        resolution=settings["resolution"],
        dropped=_dropped(settings),
        words=Words(*settings["words"]),
    )


def _cells(settings: Settings, values: Mapping[str, Values]) -> Held:
    """Return counts of rows that all have different scores."""
    if "words" in settings:
        return _amount_cells(settings, values)
    score = _ranks(settings, values["score"])
    order = np.argsort(score, kind="stable")
    cell = np.int64 if settings["whole"] else np.float64
    levels, weights = settings["levels"], settings["weights"]
    return ScoreCounts.from_ascending(
        score[order],
        *(_sums(values[name][order], cell) for name in ("positives", "negatives")),
        weights=None if weights is None else Weights(*weights, *(values[n][order] for n in ROOTS)),
        higher_is=settings["higher_is"],
        levels=None if levels is None else tuple(levels),
        resolution=settings["resolution"],
        dropped=_dropped(settings),
    )


def _dropped(settings: Settings) -> Dropped | None:
    return None if settings["dropped"] is None else Dropped(**settings["dropped"])


def _sums(values: Values, kind: type[np.generic]) -> Values:
    sums: Values = values.astype(kind)
    if values.dtype.kind not in "iuf" or not (sums == values).all():
        raise changed()
    return sums


def _ranks(settings: Settings, score: Values) -> Values:
    """Return what counts hold for a score: the code of a grade, the number of a grid cell."""
    levels, resolution = settings["levels"], settings["resolution"]
    if levels is not None:
        last = len(levels) - 1
        code = {str(name): last - place for place, name in enumerate(levels)}
        codes = [code[str(name)] for name in score.tolist()]
        return np.array(codes, dtype=np.min_scalar_type(max(last, 0)))
    if not len(score):
        return np.zeros(0)
    if score.dtype.kind not in "biuf":
        raise changed()
    return score if resolution is None else grid_index(score, resolution)


def key_kind(keys: Segments) -> str:
    """Name the SQL type that holds every segment."""
    kinds = {type(key) for key in keys if key is not None}
    if kinds == {int} and max(k for k in keys if k is not None) > _LARGEST_INT64:
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


def _as_saved(key: object, kind: str) -> object:
    """Return a day or a moment in time as the one of the two that was saved."""
    if kind == "DATE":
        return key.date() if isinstance(key, datetime) else key
    if kind == "TIMESTAMP" and isinstance(key, date) and not isinstance(key, datetime):
        return datetime.combine(key, time())
    return key


def _looks_typed(word: str) -> bool:
    """Whether a reader of csv may take a text for a number or a yes/no."""
    plain_word = word.strip()
    return plain_word.lower() in _TRUTHS or bool(re.fullmatch(ANY_NUMBER, plain_word))


def refuse_unreadable(parts: Segments, *, by_segment: bool) -> None:
    """Refuse segments and grades that a saved table would not give back as they are."""
    if by_segment:
        _refuse_segments(parts)
    found = [part for part in parts.values() if len(part)]
    if len({part.levels is None for part in found}) > 1:
        raise ValueError("some segments have grades and some have numbers; save them one by one")
    exact = [part for part in found if part.levels is None and part.resolution is None]
    scores = [score for part in exact for score in _scores_of(part)]
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


def _scores_of(part: Held) -> list[Values]:
    if isinstance(part, ValueCounts):
        return [rows.score for rows in (part.holding, part.empty)]
    return [part.score]


def _refuse_grades(levels: tuple[object, ...]) -> None:
    for level in map(python_value, levels):
        if type(plain(level)) is not type(level) or plain(level) != level:
            raise ValueError(
                f"the grade {level!r} is {type(level).__name__}, which a saved table does not "
                f"give back; name the grades as text"
            )
    _refuse_twins("grade", levels, str)


def _refuse_segments(keys: Segments) -> None:
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
        least = 0 if max(known) > _LARGEST_INT64 else -_LARGEST_INT64 - 1
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

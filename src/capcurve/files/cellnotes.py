"""What a table of counts cannot say in its columns, written beside it as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.arrays import split_rows
from capcurve.counts import Dropped, ScoreCounts
from capcurve.counts.cells import grid_index
from capcurve.counts.plain import plain
from capcurve.counts.settings import Weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from capcurve.columns import Column

KEY = "capcurve"
FORMAT = "capcurve/cells"
VERSION = 1
ROOTS = ("positive_roots", "negative_roots")
_LARGEST_INT64 = 2**63 - 1
_PARSERS: dict[str, Callable[[str], Any]] = {
    "BOOLEAN": lambda word: word == "true",
    "BIGINT": int,
    "UBIGINT": int,
    "DOUBLE": float,
    "DATE": date.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
    "VARCHAR": str,
}


def notes_of(counts: ScoreCounts | Mapping[Any, ScoreCounts]) -> str:
    """Write down the settings of counts, or of each segment's counts."""
    if isinstance(counts, ScoreCounts):
        body: dict[str, Any] = _settings(counts)
    else:
        parts = [{"key": key_text(k), **_settings(part)} for k, part in counts.items()]
        body = {"segment_type": key_kind(counts), "segments": parts}
    return json.dumps({"format": FORMAT, "version": VERSION, **body}, allow_nan=False)


def notes_for_csv(counts: ScoreCounts | Mapping[Any, ScoreCounts]) -> str | None:
    """Write down the settings where a plain csv table would not be read back as it was."""
    parts = [counts] if isinstance(counts, ScoreCounts) else list(counts.values())
    told = all(
        part.is_whole
        and len(part)
        and (part.higher_is, part.levels, part.resolution) == ("positive", None, None)
        and part.dropped is None
        for part in parts
    )
    if isinstance(counts, Mapping):
        told &= key_kind(counts) == "BIGINT" or _is_plain_text(counts)
    return None if told else notes_of(counts)


def _is_plain_text(keys: Mapping[Any, Any]) -> bool:
    words = [key for key in keys if key is not None]
    return all(isinstance(word, str) and not _looks_typed(word) for word in words)


def _looks_typed(word: str) -> bool:
    try:
        float(word.replace(",", "."))
    except ValueError:
        return word.strip().lower() in {"true", "false"}
    return True


def key_kind(keys: Mapping[Any, Any]) -> str:
    """Name the SQL type that holds every segment."""
    kinds = {type(key) for key in keys if key is not None}
    if kinds == {int} and max(k for k in keys if k is not None) > _LARGEST_INT64:
        return "UBIGINT"
    names = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", date: "DATE", datetime: "TIMESTAMP"}
    return names.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def key_text(key: Any) -> str | None:
    """Write a segment as text that reads back as itself."""
    if key is None:
        return None
    return str(key).lower() if isinstance(key, bool) else str(key)


def _settings(counts: ScoreCounts) -> dict[str, Any]:
    weights = counts.weights
    saved = {
        "higher_is": counts.higher_is,
        "levels": None if counts.levels is None else list(counts.levels),
        "resolution": counts.resolution,
        "whole": counts.is_whole,
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "weights": None
        if weights is None
        else {
            "kind": weights.kind,
            "positive_rows": weights.positive_rows,
            "negative_rows": weights.negative_rows,
        },
        "digest": counts.digest(),
    }
    written: dict[str, Any] = plain(saved)
    return written


def roots(counts: ScoreCounts, name: str) -> NDArray[np.float64]:
    """Return the roots of summed squared weights; NaN where the rows are not known."""
    if counts.weights is None:
        return np.full(len(counts), np.nan)
    found: NDArray[np.float64] = getattr(counts.weights, name)
    return found


def restored(
    notes: str, columns: Mapping[str, Column], asked: Mapping[str, Any]
) -> ScoreCounts | dict[Any, ScoreCounts]:
    """Put counts together again from their columns and settings.

    Raises
    ------
    ValueError
        When the table is of another version, was changed, or other settings are asked for.
    """
    saved = json.loads(notes)
    if (saved.get("format"), saved.get("version")) != (FORMAT, VERSION):
        raise ValueError(
            f"settings of format {saved.get('format')!r}, version {saved.get('version')!r}; "
            f"this version reads {FORMAT!r}, version {VERSION}"
        )
    if "segments" not in saved:
        _refuse_other_settings(saved, asked)
        return _one(saved, columns, slice(None))
    parse = _PARSERS[saved["segment_type"]]
    dates = saved["segment_type"] == "DATE"
    rows = {key_text(_day(k) if dates else k): r for k, r in split_rows(columns["segment"])}
    none = np.zeros(0, dtype=np.intp)
    parts: dict[Any, ScoreCounts] = {}
    for part in saved["segments"]:
        _refuse_other_settings(part, asked)
        key = None if part["key"] is None else parse(part["key"])
        parts[key] = _one(part, columns, rows.pop(_alike(part["key"], rows), none))
    if rows:
        raise _changed()
    return parts


def _day(key: Any) -> Any:
    return key.date() if isinstance(key, datetime) else key  # arrays hold days as moments


def _alike(word: str | None, rows: Mapping[str | None, Any]) -> str | None:
    """Find a segment as csv gives it back: "01" as the number 1."""
    if word in rows or word is None or not _looks_typed(word):
        return word
    try:
        same = [other for other in rows if other is not None and float(other) == float(word)]
    except ValueError:
        return word.lower()
    return same[0] if len(same) == 1 else word


def _refuse_other_settings(saved: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    for name, value in asked.items():
        given = plain(value)
        if _texts(saved[name]) != _texts(given):
            raise ValueError(f"the table was saved with {name}={saved[name]!r}, not {given!r}")


def _texts(value: Any) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def _one(saved: Mapping[str, Any], columns: Mapping[str, Column], rows: Any) -> ScoreCounts:
    if any(columns[n].missing is not None for n in ("score", "positives", "negatives")):
        raise _changed()
    values = {name: column.values[rows] for name, column in columns.items()}
    score = _ranks(saved, values["score"])
    order = np.argsort(score, kind="stable")
    cell = np.int64 if saved["whole"] else np.float64
    dropped = saved["dropped"]
    levels = saved["levels"]
    counts = ScoreCounts.from_ascending(
        score[order],
        values["positives"][order].astype(cell),
        values["negatives"][order].astype(cell),
        weights=_weights(saved["weights"], values, order),
        higher_is=saved["higher_is"],
        levels=None if levels is None else tuple(levels),
        resolution=saved["resolution"],
        dropped=None if dropped is None else Dropped(**dropped),
    )
    if counts.digest() != saved["digest"]:
        raise _changed()
    return counts


def _ranks(saved: Mapping[str, Any], score: NDArray[Any]) -> NDArray[Any]:
    """Return what counts keep for a score: the code of a grade, the number of a grid cell."""
    if saved["levels"] is not None:
        names = match_levels(saved["levels"], score.tolist())
        last = len(names) - 1
        code = {name: last - place for place, name in enumerate(names)}
        if any(name not in code for name in score.tolist()):
            raise _changed()
        small = np.min_scalar_type(max(last, 0))
        return np.array([code[name] for name in score.tolist()], dtype=small)
    if not len(score):
        return np.zeros(0)
    if saved["resolution"] is not None:
        return grid_index(score, saved["resolution"])
    return score


def match_levels(levels: list[Any] | tuple[Any, ...], found: list[Any]) -> tuple[Any, ...]:
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


def _weights(
    saved: Mapping[str, Any] | None, values: Mapping[str, NDArray[Any]], order: NDArray[np.intp]
) -> Weights | None:
    if saved is None:
        return None
    squares = [values[name][order].astype(np.float64) for name in ROOTS]
    return Weights(saved["kind"], saved["positive_rows"], saved["negative_rows"], *squares)


def _changed() -> ValueError:
    return ValueError(
        "the table was changed after it was saved; to read it as it stands now, "
        "leave out its settings (the last column of a csv, the metadata of a parquet file)"
    )

"""What a table of counts cannot say in its columns, written beside it as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.arrays import split_rows
from capcurve.counts import Dropped, ScoreCounts
from capcurve.counts.cells import grid_index
from capcurve.counts.plain import plain
from capcurve.counts.settings import Weights
from capcurve.files import cellgroups
from capcurve.files.cellkeys import PARSERS, as_saved, key_kind, key_text, looks_typed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.columns import Column

KEY = "capcurve"
FORMAT = "capcurve/cells"
VERSION = 1
ROOTS = ("positive_roots", "negative_roots")


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
        and part.groups is None
        for part in parts
    )
    if isinstance(counts, Mapping):
        told &= key_kind(counts) == "BIGINT" or _is_plain_text(counts)
    return None if told else notes_of(counts)


def _is_plain_text(keys: Mapping[Any, Any]) -> bool:
    words = [key for key in keys if key is not None]
    return all(isinstance(word, str) and not looks_typed(word) for word in words)


def text_columns(notes: str) -> tuple[str, ...]:
    """Name the columns of a csv table to be read as text: segments, and the names of grades."""
    saved = json.loads(notes)
    if saved.get("format") != FORMAT:
        return ()
    parts = saved.get("segments", [saved])
    score = any(part.get("levels") is not None for part in parts)
    return (*(("segment",) if "segments" in saved else ()), *(("score",) if score else ()))


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
        "clusters": cellgroups.notes_of(counts),
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
    kind = saved["segment_type"]
    rows = {key_text(as_saved(key, kind)): r for key, r in split_rows(columns["segment"])}
    none = np.zeros(0, dtype=np.intp)
    parts: dict[Any, ScoreCounts] = {}
    for part in saved["segments"]:
        _refuse_other_settings(part, asked)
        key = None if part["key"] is None else PARSERS[kind](part["key"])
        parts[key] = _one(part, columns, rows.pop(part["key"], none))
    if rows:
        raise _changed()
    return parts


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
    if saved.get("clusters") is None:
        counts = _cells(saved, values)
    elif cellgroups.COLUMN not in values:
        raise _changed()
    else:
        dropped = saved["dropped"]
        counts = replace(
            cellgroups.restored(
                saved,
                values[cellgroups.COLUMN],
                lambda settings, some: _cells(settings, {n: v[some] for n, v in values.items()}),
            ),
            dropped=None if dropped is None else Dropped(**dropped),
        )
    if counts.digest() != saved["digest"]:
        raise _changed()
    return counts


def _cells(saved: Mapping[str, Any], values: Mapping[str, NDArray[Any]]) -> ScoreCounts:
    score = _ranks(saved, values["score"])
    order = np.argsort(score, kind="stable")
    cell = np.int64 if saved["whole"] else np.float64
    dropped = saved["dropped"]
    levels = saved["levels"]
    return ScoreCounts.from_ascending(
        score[order],
        values["positives"][order].astype(cell),
        values["negatives"][order].astype(cell),
        weights=_weights(saved["weights"], values, order),
        higher_is=saved["higher_is"],
        levels=None if levels is None else tuple(levels),
        resolution=saved["resolution"],
        dropped=None if dropped is None else Dropped(**dropped),
    )


def _ranks(saved: Mapping[str, Any], score: NDArray[Any]) -> NDArray[Any]:
    """Return what counts keep for a score: the code of a grade, the number of a grid cell."""
    if saved["levels"] is not None:
        last = len(saved["levels"]) - 1
        code = {str(name): last - place for place, name in enumerate(saved["levels"])}
        words = [str(name) for name in score.tolist()]
        if any(word not in code for word in words):
            raise _changed()
        return np.array([code[word] for word in words], dtype=np.min_scalar_type(max(last, 0)))
    if not len(score):
        return np.zeros(0)
    if saved["resolution"] is not None:
        return grid_index(score, saved["resolution"])
    return score


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

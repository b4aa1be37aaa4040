"""What a table of counts cannot say in its columns, written beside it as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Dropped, ScoreCounts, Weights
from capcurve.counts.cells import grid_index
from capcurve.counts.plain import plain
from capcurve.input.arrays import split_rows
from capcurve.input.files import cellgroups
from capcurve.input.files.cellchecks import FORMAT, VERSION, changed
from capcurve.input.files.cellkeys import PARSERS, as_saved, key_kind, key_text, looks_typed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from capcurve.input.columns import Column

KEY = "capcurve"
ROOTS = ("positive_roots", "negative_roots")


def notes_of(counts: ScoreCounts | Mapping[Any, ScoreCounts]) -> str:
    """Write down the settings of counts, or of each segment's counts."""
    if isinstance(counts, ScoreCounts):
        body: dict[str, Any] = _settings(counts)
    else:
        parts = [{"key": key_text(k), **_settings(part)} for k, part in counts.items()]
        body = {"segment_type": key_kind(counts), "segments": parts}
    body = {"format": FORMAT, "version": VERSION, **body}
    whole = [counts] if isinstance(counts, ScoreCounts) else list(counts.values())
    return json.dumps({**body, "seal": _seal(body, whole)}, allow_nan=False)


def _seal(body: Mapping[str, Any], parts: Iterable[ScoreCounts]) -> str:
    """Return the SHA-256 of settings and of all that they belong to."""
    found = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
    for part in parts:
        for counts in (part, *(part.groups or ())):
            found.update(counts.digest().encode())
            if counts.weights is not None:
                for name in ROOTS:
                    found.update(roots(counts, name).tobytes())
    return found.hexdigest()


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


def text_columns(saved: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the columns of a csv table to be read as text: segments, and the names of grades."""
    score = any(part["levels"] is not None for part in saved.get("segments", [saved]))
    return (*(("segment",) if "segments" in saved else ()), *(("score",) if score else ()))


def columns_of(saved: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the columns that a table with these settings has."""
    parts = saved.get("segments", [saved])
    weighted = any(part["weights"] is not None for part in parts)
    clustered = any(part["clusters"] is not None for part in parts)
    return (
        *(("segment",) if "segments" in saved else ()),
        *("score", "positives", "negatives"),
        *(ROOTS if weighted else ()),
        *((cellgroups.COLUMN,) if clustered else ()),
    )


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
    saved: Mapping[str, Any], columns: Mapping[str, Column], asked: Mapping[str, Any]
) -> ScoreCounts | dict[Any, ScoreCounts]:
    """Put counts together again from their columns and settings.

    Raises
    ------
    ValueError
        When the table was changed, or other settings are asked for.
    """
    for part in saved.get("segments", [saved]):
        _refuse_other_settings(part, asked)
    try:
        with np.errstate(all="ignore"):  # of numbers that are not the saved ones
            counts = _put_together(saved, columns)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        raise changed() from None
    body = {name: value for name, value in saved.items() if name != "seal"}
    whole = [counts] if isinstance(counts, ScoreCounts) else list(counts.values())
    if _seal(body, whole) != saved["seal"]:
        raise changed()
    return counts


def _put_together(
    saved: Mapping[str, Any], columns: Mapping[str, Column]
) -> ScoreCounts | dict[Any, ScoreCounts]:
    if "segments" not in saved:
        return _one(saved, columns, slice(None))
    kind = saved["segment_type"]
    rows = {key_text(as_saved(key, kind)): r for key, r in split_rows(columns["segment"])}
    none = np.zeros(0, dtype=np.intp)
    parts: dict[Any, ScoreCounts] = {}
    for part in saved["segments"]:
        key = None if part["key"] is None else PARSERS[kind](part["key"])
        parts[key] = _one(part, columns, rows.pop(part["key"], none))
    if rows or len(parts) < len(saved["segments"]):
        raise changed()
    return parts


def _refuse_other_settings(saved: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    for name, value in asked.items():
        given = plain(value)
        if _texts(saved[name]) != _texts(given):
            raise ValueError(f"the table was saved with {name}={saved[name]!r}, not {given!r}")


def _texts(value: Any) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def _one(saved: Mapping[str, Any], columns: Mapping[str, Column], rows: Any) -> ScoreCounts:
    needed = {"score", "positives", "negatives", cellgroups.COLUMN} & set(columns)
    if any(columns[name].missing is not None for name in needed):
        raise changed()
    values = {name: column.values[rows] for name, column in columns.items()}
    if saved["clusters"] is None:
        counts = _cells(saved, values)
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
        raise changed()
    return counts


def _cells(saved: Mapping[str, Any], values: Mapping[str, NDArray[Any]]) -> ScoreCounts:
    score = _ranks(saved, values["score"])
    order = np.argsort(score, kind="stable")
    cell = np.int64 if saved["whole"] else np.float64
    dropped = saved["dropped"]
    levels = saved["levels"]
    return ScoreCounts.from_ascending(
        score[order],
        _sums(values["positives"][order], cell),
        _sums(values["negatives"][order], cell),
        weights=_weights(saved["weights"], values, order),
        higher_is=saved["higher_is"],
        levels=None if levels is None else tuple(levels),
        resolution=saved["resolution"],
        dropped=None if dropped is None else Dropped(**dropped),
    )


def _sums(values: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    sums = values.astype(kind)
    if values.dtype.kind not in "iuf" or not (sums == values).all():
        raise changed()
    return sums


def _ranks(saved: Mapping[str, Any], score: NDArray[Any]) -> NDArray[Any]:
    """Return what counts keep for a score: the code of a grade, the number of a grid cell."""
    if saved["levels"] is not None:
        last = len(saved["levels"]) - 1
        code = {str(name): last - place for place, name in enumerate(saved["levels"])}
        words = [str(name) for name in score.tolist()]
        if any(word not in code for word in words):
            raise changed()
        return np.array([code[word] for word in words], dtype=np.min_scalar_type(max(last, 0)))
    if not len(score):
        return np.zeros(0)
    if score.dtype.kind not in "biuf":
        raise changed()
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

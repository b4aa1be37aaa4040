"""Segments and grades in a saved table: as text, as types, and back as themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.plain import plain
from capcurve.input.files.textvalues import ANY_NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capcurve.counts import ScoreCounts

_TRUTHS = {"true", "false"}
_LARGEST_INT64 = 2**63 - 1
_LARGEST_UINT64 = 2**64 - 1
KINDS: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    date: "DATE",
    datetime: "TIMESTAMP",
    str: "VARCHAR",
}
PARSERS: dict[str, Callable[[str], Any]] = {
    "BOOLEAN": lambda word: word == "true",
    "BIGINT": int,
    "UBIGINT": int,
    "DOUBLE": float,
    "DATE": date.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
    "VARCHAR": str,
}


def python_value(value: Any) -> Any:
    """Return a NumPy number, yes/no or text as the Python value that it equals."""
    plainly = isinstance(value, np.bool_ | np.integer | np.floating | np.str_)
    return value.item() if plainly else value


def key_kind(keys: Mapping[Any, Any]) -> str:
    """Name the SQL type that holds every segment."""
    kinds = {type(key) for key in keys if key is not None}
    if kinds == {int} and max(k for k in keys if k is not None) > _LARGEST_INT64:
        return "UBIGINT"
    return KINDS.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def key_text(key: Any) -> str | None:
    """Write a segment as text that reads back as itself."""
    if key is None:
        return None
    return str(key).lower() if isinstance(key, bool) else str(key)


def as_saved(key: Any, kind: str) -> Any:
    """Return a day or a moment in time as the one of the two that was saved."""
    if kind == "DATE":
        return key.date() if isinstance(key, datetime) else key
    if kind == "TIMESTAMP" and isinstance(key, date) and not isinstance(key, datetime):
        return datetime.combine(key, time())
    return key


def looks_typed(word: str) -> bool:
    """Whether a reader of csv may take a text for a number or a yes/no."""
    plain_word = word.strip()
    return plain_word.lower() in _TRUTHS or bool(re.fullmatch(ANY_NUMBER, plain_word))


def refuse_unreadable(counts: ScoreCounts | Mapping[Any, ScoreCounts]) -> None:
    """Refuse segments and grades that a saved table would not give back as they are.

    Raises
    ------
    ValueError
        When segments are of a type or types that the table cannot hold, or grades are.
    """
    parts = list(counts.values()) if isinstance(counts, Mapping) else [counts]
    if isinstance(counts, Mapping):
        _refuse_segments(counts)
    found = [part for part in parts if len(part)]
    if len({part.levels is None for part in found}) > 1:
        raise ValueError("some segments have grades and some have numbers; save them one by one")
    scores = [part.score for part in found if part.levels is None and part.resolution is None]
    kind = np.result_type(*scores) if scores else np.dtype(np.float64)
    with np.errstate(invalid="ignore"):  # 2^64, which a float makes of 2^64 - 1, is no uint64
        lost = any((score.astype(kind).astype(score.dtype) != score).any() for score in scores)
    if lost:
        raise ValueError(
            "the segments hold whole scores beyond 2^53 beside others, which no one column holds "
            "exactly; save them one by one"
        )
    for levels in {part.levels for part in parts if part.levels is not None}:
        _refuse_grades(levels)


def _refuse_grades(levels: tuple[Any, ...]) -> None:
    for level in map(python_value, levels):
        if type(plain(level)) is not type(level) or plain(level) != level:
            raise ValueError(
                f"the grade {level!r} is {type(level).__name__}, which a saved table does not "
                f"give back; name the grades as text"
            )
    _refuse_twins("grade", levels, str)


def _refuse_segments(keys: Mapping[Any, Any]) -> None:
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
    if first is not None and (type(first) not in KINDS or getattr(first, "tzinfo", None)):
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


def _refuse_twins(what: str, values: Iterable[Any], written: Callable[[Any], str | None]) -> None:
    seen: dict[str | None, Any] = {}
    for value in values:
        word = written(value)
        if word in seen:
            raise ValueError(
                f"the {what}s {seen[word]!r} and {value!r} would both be written as {word}; "
                f"rename one"
            )
        seen[word] = value


def _alike(word: str, here: Mapping[str | None, Any]) -> str:
    """Find what was found that a word stands for: the number 1 for "01", true for "TRUE"."""
    if word in here:
        return word
    if word.strip().lower() in _TRUTHS:
        return word.strip().lower()
    number = _number(word)
    same = [] if number is None else [o for o in here if o is not None and _number(o) == number]
    return same[0] if len(same) == 1 else word


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


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

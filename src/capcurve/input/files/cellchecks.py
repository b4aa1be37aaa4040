"""Whether the settings of a saved table are whole: every key is there and of its type."""

from __future__ import annotations

import json
from math import inf
from typing import TYPE_CHECKING, Any, get_args

from capcurve.counts import Direction, WeightKind
from capcurve.counts.algebra import GROUPS
from capcurve.input.files.cellkeys import PARSERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMAT = "capcurve/cells"
VERSION = 1
_CLASSES = ("positives", "negatives")


def changed() -> ValueError:
    """Say that a saved table is not as it was saved."""
    return ValueError(
        "the table was changed after it was saved; to read it as it stands now, "
        "leave out its settings (the last column of a csv, the metadata of a parquet file)"
    )


def settings_in(notes: str) -> dict[str, Any]:
    """Return the settings that were written down beside a table.

    Raises
    ------
    ValueError
        When they are of another version, or not as they were written.
    """
    try:
        saved = json.loads(notes)
    except (ValueError, RecursionError):
        raise changed() from None
    if not isinstance(saved, dict):
        raise changed()
    if (saved.get("format"), saved.get("version")) != (FORMAT, VERSION):
        raise ValueError(
            f"settings of format {saved.get('format')!r}, version {saved.get('version')!r}; "
            f"this version reads {FORMAT!r}, version {VERSION}"
        )
    if not (_agrees(saved, _SEGMENTED) if "segments" in saved else _agrees(saved, _SETTINGS)):
        raise changed()
    return saved


def _agrees(saved: Any, kinds: Mapping[str, Callable[[Any], bool]]) -> bool:
    return isinstance(saved, dict) and all(
        name in saved and fits(saved[name]) for name, fits in kinds.items()
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _grade(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _dropped(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and set(value) == {"rows", "columns"}
        and _whole(value["rows"])
        and isinstance(value["columns"], dict)
        and all(map(_whole, value["columns"].values()))
    )


def _weights(value: Any) -> bool:
    return value is None or _agrees(
        value,
        {
            "kind": lambda kind: kind is None or kind in get_args(WeightKind),
            "positive_rows": _whole,
            "negative_rows": _whole,
        },
    )


def _clusters(value: Any) -> bool:
    return value is None or (
        isinstance(value, list)
        and len(value) == GROUPS
        and all(isinstance(rows, list) and len(rows) == len(_CLASSES) for rows in value)
        and all(_whole(count) for rows in value for count in rows)
    )


def _text(value: Any) -> bool:
    return isinstance(value, str)


_SETTINGS: Mapping[str, Callable[[Any], bool]] = {
    "higher_is": lambda value: value in get_args(Direction),
    "levels": lambda value: value is None or (isinstance(value, list) and all(map(_grade, value))),
    "resolution": lambda value: value is None or (isinstance(value, float) and 0 < value < inf),
    "whole": lambda value: isinstance(value, bool),
    "dropped": _dropped,
    "weights": _weights,
    "clusters": _clusters,
    "digest": _text,
    "seal": _text,
}
_SEGMENT = {**_SETTINGS, "key": lambda value: value is None or _text(value)}
del _SEGMENT["seal"]
_SEGMENTED: Mapping[str, Callable[[Any], bool]] = {
    "segment_type": lambda value: _text(value) and value in PARSERS,
    "segments": lambda value: (
        isinstance(value, list) and bool(value) and all(_agrees(part, _SEGMENT) for part in value)
    ),
    "seal": _text,
}

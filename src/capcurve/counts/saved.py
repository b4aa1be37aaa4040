"""Counts as values that strict JSON holds, and back, with every value checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np

from capcurve.counts.cells import LARGEST_TOTAL
from capcurve.counts.grades import check_levels
from capcurve.counts.plain import number, plain
from capcurve.counts.settings import Dropped, Scored, check_direction, check_resolution
from capcurve.counts.weights import WeightKind, Weights
from capcurve.counts.words import Words

if TYPE_CHECKING:
    from capcurve.counts.types import Array
    from capcurve.counts.value_rows import OfRows

# What JSON holds of counts, and the arguments that it stands for.
Saved: TypeAlias = Mapping[str, Any]
Fields: TypeAlias = dict[str, Any]
FORMAT = "capcurve/score-counts"
FORMAT_OF_VALUES = "capcurve/value-counts"
FORMAT_OF_CASES = "capcurve/case-counts"
VERSION = 1
WHOLE = tuple(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64))
FORMAT_OF_PARTIAL = "capcurve/partial-counts"
_OF_CLASSES = ("positives", "negatives")
LONGEST = 40  # characters of a text that a message shows
DTYPES = ("bool", *WHOLE, "float16", "float32", "float64")


def to_dict(counts: Scored) -> Fields:
    """Return the counts as values that strict JSON can hold."""
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "digest": counts.digest(),
        "higher_is": counts.higher_is,
        "levels": None if counts.levels is None else list(counts.levels),
        "resolution": counts.resolution,
        "dtype": counts.score.dtype.name,
        "score": counts.score,
        "positives": counts.positives,
        "negatives": counts.negatives,
        "weights": None if counts.weights is None else _weights_dict(counts.weights),
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "groups": None if counts.groups is None else [to_dict(part) for part in counts.groups],
    }
    written: dict[str, Any] = plain(saved)
    return written


def _weights_dict(weights: Weights) -> dict[str, object]:
    return {
        "kind": weights.kind,
        "positive_rows": weights.positive_rows,
        "negative_rows": weights.negative_rows,
        "positive_roots": weights.positive_roots,
        "negative_roots": weights.negative_roots,
    }


def arguments_from(saved: Saved) -> Fields:
    """Return the arguments of `ScoreCounts.from_ascending` that `to_dict` wrote down."""
    _check_format(saved, FORMAT)
    settings = _settings(saved)
    score = _scores(saved, settings)
    weighted = _get(saved, "weights") is not None
    columns = [
        _column(saved, name, len(score), whole=not weighted) for name in ("positives", "negatives")
    ]
    if ((columns[0] == 0) & (columns[1] == 0)).any():
        raise _damaged("a score has neither positives nor negatives")
    weights = _weights(saved, len(score))
    if settings["higher_is"] == "positive":
        score, *columns = (column[::-1] for column in (score, *columns))
        weights = weights and weights.take(slice(None, None, -1))
    if not isinstance(_get(saved, "digest"), str):
        raise _damaged("the digest is no text")
    return {
        **settings,
        "score": score,
        "positives": columns[0],
        "negatives": columns[1],
        "weights": weights,
        "dropped": _dropped(saved),
    }


def cases_to_dict(cases: Any) -> Fields:
    """Return counts of cases without outcome as values that strict JSON can hold."""
    weights, groups = cases.weights, cases.groups
    saved = {
        **to_dict(cases.held),
        "format": FORMAT_OF_CASES,
        "digest": cases.digest(),
        "cases": plain(cases.cases),
        "groups": None if groups is None else [cases_to_dict(group) for group in groups],
    }
    if weights is not None:
        rows, roots = weights.negative_rows, weights.negative_roots
        saved["weights"] = plain({"kind": weights.kind, "rows": rows, "roots": roots})
    return {name: value for name, value in saved.items() if name not in _OF_CLASSES}


def case_arguments_from(saved: Saved) -> Fields:
    """Return the arguments of the `ScoreCounts` that hold these cases as negatives."""
    _check_format(saved, FORMAT_OF_CASES)
    cases, weights = _list(saved, "cases"), _get(saved, "weights")
    if isinstance(weights, Mapping):
        weights = {
            "kind": _get(weights, "kind"),
            "positive_rows": 0,
            "negative_rows": _get(weights, "rows"),
            "positive_roots": [0.0] * len(cases),
            "negative_roots": _get(weights, "roots"),
        }
    classes = {"positives": [0] * len(cases), "negatives": cases, "weights": weights}
    return arguments_from({**saved, **classes, "format": FORMAT})


def partial_to_dict(digest: str, known: Saved, unknown: Saved) -> Fields:
    """Return the saved counts of known and of unknown cases in one."""
    return {
        "format": FORMAT_OF_PARTIAL,
        "version": VERSION,
        "digest": digest,
        "known": known,
        "unknown": unknown,
    }


def partial_parts(saved: Saved) -> tuple[Saved, Saved]:
    """Return the saved counts of known and of unknown cases."""
    _check_format(saved, FORMAT_OF_PARTIAL)
    if not isinstance(_get(saved, "digest"), str):
        raise _damaged("the digest is no text")
    return _get(saved, "known"), _get(saved, "unknown")


def _check_format(saved: Saved, expected: str) -> None:
    if not isinstance(saved, Mapping):
        raise _damaged(f"a mapping is expected, not {_shown(saved)}")
    if saved.get("format") != expected or saved.get("version") != VERSION:
        raise ValueError(
            f"expected format {expected!r} version {VERSION}, got {_shown(saved.get('format'))} "
            f"version {_shown(saved.get('version'))}"
        )


def values_to_dict(values: OfRows) -> Fields:
    """Return counts of amounts as values that strict JSON can hold."""
    score, amount, exposure, n = values.cells()
    saved = {
        "format": FORMAT_OF_VALUES,
        "version": VERSION,
        "digest": values.digest(),
        "higher_is": values.higher_is,
        "levels": None if values.levels is None else list(values.levels),
        "resolution": values.resolution,
        "words": [values.words.selected, values.words.captured],
        "dtype": score.dtype.name,
        "score": score,
        "amount": amount,
        "exposure": exposure,
        "n": n,
        "dropped": None if values.dropped is None else values.dropped.to_dict(),
        "groups": None if values.groups is None else [values_to_dict(g) for g in values.groups],
    }
    written: dict[str, Any] = plain(saved)
    return written


def value_arguments_from(saved: Saved) -> tuple[Fields, list[Saved] | None]:
    """Return the arguments of `ValueCounts.from_rows` that were written, and the saved groups."""
    _check_format(saved, FORMAT_OF_VALUES)
    settings = _settings(saved)
    score = _scores(saved, settings, once=False)
    exposure = None
    if _get(saved, "exposure") is not None:
        exposure = _amounts(saved, "exposure", len(score))
        if (exposure <= 0).any():
            raise _damaged("exposure holds what is not above 0")
    if not isinstance(_get(saved, "digest"), str):
        raise _damaged("the digest is no text")
    words = _list(saved, "words")
    if len(words) != len(fields(Words)) or not all(isinstance(word, str) for word in words):
        raise _damaged("words must hold two texts")
    n = _column(saved, "n", len(score), whole=True)
    if n.dtype.kind != "i" or (n < 1).any():
        raise _damaged("n holds what is no number of rows")
    arguments = {
        **settings,
        "score": score,
        "amount": _amounts(saved, "amount", len(score)),
        "exposure": exposure,
        "n": n,
        "dropped": _dropped(saved),
        "words": Words(*words),
    }
    return arguments, groups_from(saved)


def _amounts(saved: Saved, name: str, cells: int) -> Array:
    items = [_number(item, name) for item in _list(saved, name)]
    if len(items) != cells:
        raise _damaged(f"score has {cells} values and {name} has {len(items)}")
    for item in items:
        if isinstance(item, bool) or not abs(item) < math.inf:
            raise _damaged(f"{name} holds {_shown(item)}, and amounts are finite numbers")
    return np.array([_float(item, name) for item in items], dtype=np.float64)


def groups_from(saved: Saved) -> list[Saved] | None:
    """Return the saved groups of clusters, or None where there were none."""
    groups = _get(saved, "groups")
    if groups is None:
        return None
    if not isinstance(groups, list) or not groups:
        raise _damaged(f"groups must be a list of counts or null, not {_shown(groups)}")
    for group in groups:
        if not isinstance(group, Mapping) or group.get("groups") is not None:
            raise _damaged("each group must be counts without groups of their own")
    return groups


def _settings(saved: Saved) -> Fields:
    levels = _get(saved, "levels")
    if levels is not None:
        _list(saved, "levels")
        if not all(isinstance(name, str | int | float) for name in levels):
            raise _damaged("levels must hold text or numbers")
    try:
        return {
            "higher_is": check_direction(_plain(saved, "higher_is")),
            "levels": check_levels(levels),
            "resolution": check_resolution(_plain(saved, "resolution")),
        }
    except ValueError as error:
        raise _damaged(str(error)) from None


def _scores(saved: Saved, settings: Saved, *, once: bool = True) -> Array:
    """Return the scores, most-likely-positive first, all different where each stands `once`."""
    name = _plain(saved, "dtype")
    if name not in DTYPES:
        raise _damaged(f"dtype must be one of {', '.join(DTYPES)}, not {_shown(name)}")
    items = [_number(item, "score") for item in _list(saved, "score")]
    flags = [isinstance(item, bool) for item in items]
    if any(flags) if name != "bool" else not all(flags):
        raise _damaged(f"score holds what is no {name}")
    if name in WHOLE:
        bounds = np.iinfo(name)
        if not all(isinstance(i, int) and bounds.min <= i <= bounds.max for i in items):
            raise _damaged(f"score holds what is no {name}")
    try:
        score = np.array(items, dtype=name)
    except (OverflowError, ValueError, TypeError):
        raise _damaged(f"score holds what is no {name}") from None
    falls = settings["higher_is"] == "positive"
    ordered = score[1:] < score[:-1] if falls else score[1:] > score[:-1]
    if not once:
        ordered |= score[1:] == score[:-1]
    if not ordered.all() or (len(score) and score[0] != score[0]):
        raise _damaged("scores must be sorted, most-likely-positive first, each of them once")
    _check_codes(score, settings)
    return score


def _check_codes(score: Array, settings: Saved) -> None:
    """Refuse scores that are no codes of the grades, or no numbers of grid cells."""
    levels, step = settings["levels"], settings["resolution"]
    if levels is not None:
        if settings["higher_is"] == "negative" or step is not None:
            raise _damaged("levels go with neither a resolution nor higher_is='negative'")
        codes = score.dtype.kind in "iu" and ((score >= 0) & (score < len(levels))).all()
        if len(score) and not codes:
            raise _damaged(f"score holds what is no code of {len(levels)} levels")
    if step is not None and score.dtype.kind == "f" and (score != np.floor(score)).any():
        raise _damaged("score holds what is no number of a grid cell")


def _column(saved: Saved, name: str, cells: int, *, whole: bool) -> Array:
    """Return counts, or sums of weights: finite, not negative, one per score."""
    items = [_number(item, name) for item in _list(saved, name)]
    if len(items) != cells:
        raise _damaged(f"score has {cells} values and {name} has {len(items)}")
    for item in items:
        if isinstance(item, bool) or not 0 <= item < math.inf:
            raise _damaged(f"{name} holds {_shown(item)}, and counts are finite and never negative")
    if whole and all(isinstance(item, int) for item in items):
        if sum(items) >= LARGEST_TOTAL:
            raise _damaged(f"{name} add up to more than the 2^62 that counts can hold")
        return np.array(items, dtype=np.int64)
    return np.array([_float(item, name) for item in items], dtype=np.float64)


def _weights(saved: Saved, cells: int) -> Weights | None:
    weights = _get(saved, "weights")
    if weights is None:
        return None
    if not isinstance(weights, Mapping):
        raise _damaged(f"weights must be a mapping or null, not {_shown(weights)}")
    kind = _plain(weights, "kind")
    if kind is not None and kind not in get_args(WeightKind):
        raise _damaged(f"the kind of weights is {_shown(kind)}")
    return Weights(
        kind,
        _rows(weights, "positive_rows"),
        _rows(weights, "negative_rows"),
        _column(weights, "positive_roots", cells, whole=False),
        _column(weights, "negative_roots", cells, whole=False),
    )


def _dropped(saved: Saved) -> Dropped | None:
    dropped = _get(saved, "dropped")
    if dropped is None:
        return None
    columns = dropped.get("columns") if isinstance(dropped, Mapping) else None
    if not isinstance(columns, Mapping):
        raise _damaged(f"dropped must hold rows and columns, or be null, not {_shown(dropped)}")
    return Dropped(_rows(dropped, "rows"), {str(n): _rows(columns, n) for n in columns})


def _get(saved: Saved, name: str) -> Any:
    if name not in saved:
        raise _damaged(f"{name} is missing")
    return saved[name]


def _plain(saved: Saved, name: str) -> Any:
    value = _get(saved, name)
    if value is not None and not isinstance(value, str | int | float):
        raise _damaged(f"{name} must not be {_shown(value)}")
    return value


def _list(saved: Saved, name: str) -> list[Any]:
    value = _get(saved, name)
    if not isinstance(value, list):
        raise _damaged(f"{name} must be a list, not {_shown(value)}")
    return value


def _rows(saved: Saved, name: str) -> int:
    value = _number(_get(saved, name), name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST_TOTAL:
        raise _damaged(f"{name} must be a number of rows, not {_shown(value)}")
    return value


def _number(item: Any, name: str) -> Any:
    """Return a saved number; whole ones beyond 2^53 and infinite ones were saved as text."""
    if not isinstance(item, str | int | float):
        raise _damaged(f"{name} holds {_shown(item)}, which is no number")
    try:
        return number(item)
    except ValueError:
        raise _damaged(f"{name} holds {_shown(item)}, which is no number") from None


def _float(item: float, name: str) -> float:
    try:
        return float(item)
    except OverflowError:
        raise _damaged(f"{name} holds more than a float can") from None


def _shown(value: Any) -> str:
    """Return a value for a message: in full where it is short, else what it is."""
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, str):
        return repr(value[:LONGEST])
    if isinstance(value, int) and value.bit_length() <= LARGEST_TOTAL.bit_length():
        return repr(value)
    return f"a {type(value).__name__}"


def _damaged(what: str) -> ValueError:
    return ValueError(f"the saved counts are damaged: {what}")

"""Counts as values that strict JSON holds, and back; their digest finds what was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts.plain import number, plain
from capcurve.counts.settings import Dropped, Words, check_direction, check_levels, check_resolution

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts.types import Array

# What JSON holds of counts.
Saved: TypeAlias = Mapping[str, Any]
VERSION = 1
ROOTS = ("positive_roots", "negative_roots")
CLASSES = ("positives", "negatives")
# Columns whose numbers are floats, whether or not all of them are whole.
REAL = ("amount", "exposure", *ROOTS)
DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64"),
)
LONGEST = 200  # characters of a message
# What is raised where a saved value has another type or size than was written.
DAMAGE = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)


def written(counts: Any) -> dict[str, Any]:
    """Return counts of classes or amounts as values that strict JSON can hold."""
    columns, of_amounts = counts.columns(), "words" in counts.FIELDS
    weights = None
    if not of_amounts and counts.weights is not None:
        roots = {name: columns.pop(name) for name in ROOTS}
        rows = {name: getattr(counts.weights, name) for name in ("positive_rows", "negative_rows")}
        weights = {"kind": counts.weights.kind, **rows, **roots}
    saved = {
        "format": counts.FORMAT,
        "version": VERSION,
        "digest": counts.digest(),
        **settings(counts),
        "dtype": columns["score"].dtype.name,
        **columns,
        **({} if of_amounts else {"weights": weights}),
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "groups": counts.groups and [written(group) for group in counts.groups],
    }
    found: dict[str, Any] = plain(saved)
    return found


def settings(counts: Any) -> dict[str, Any]:
    """Return what all columns of counts were counted with, as JSON has it."""
    found = {
        "higher_is": counts.higher_is,
        "levels": None if counts.levels is None else list(counts.levels),
        "resolution": counts.resolution,
    }
    if "words" in counts.FIELDS:
        found["words"] = [counts.words.selected, counts.words.captured]
    return found


def written_cases(cases: Any) -> dict[str, Any]:
    """Return counts of cases without outcome as values that strict JSON can hold."""
    saved = written(cases.held)
    cells, weights = saved.pop("negatives"), saved["weights"]
    del saved["positives"]
    if weights is not None:
        rows, roots = weights["negative_rows"], weights["negative_roots"]
        saved["weights"] = {"kind": weights["kind"], "rows": rows, "roots": roots}
    groups = None if cases.groups is None else [written_cases(group) for group in cases.groups]
    changed = {"format": cases.FORMAT, "digest": cases.digest(), "cases": cells, "groups": groups}
    return {**saved, **changed}


def restored(kind: Any, saved: Saved) -> Any:
    """Return the counts of a kind that were written down, or raise ValueError."""
    check_format(saved, kind.FORMAT)
    counts = unchanged(cells_in(kind, saved), saved)
    return _with_groups(counts, saved["groups"], kind.from_dict)


def restored_cases(kind: Any, held: Any, saved: Saved) -> Any:
    """Return the same of cases without outcome, which are held as counts of another kind."""
    check_format(saved, kind.FORMAT)
    classes = dict(saved)
    try:
        cases, weights = saved["cases"], saved["weights"]
        classes |= {"positives": [0] * len(cases), "negatives": cases}
        if weights is not None:
            roots = {"positive_roots": [0.0] * len(cases), "negative_roots": weights["roots"]}
            rows = {"positive_rows": 0, "negative_rows": weights["rows"]}
            classes["weights"] = {"kind": weights["kind"], **rows, **roots}
    except DAMAGE as error:
        raise damaged(error) from None
    counts = unchanged(kind(cells_in(held, classes)), saved).held
    return kind(_with_groups(counts, saved["groups"], lambda group: kind.from_dict(group).held))


def check_format(saved: object, expected: str) -> None:
    """Raise ValueError unless these are saved counts of a kind, in the form of this version."""
    if not isinstance(saved, Mapping):
        raise damaged(ValueError(f"a mapping is expected, not {_shown(saved)}"))
    if saved.get("format") != expected or saved.get("version") != VERSION:
        raise ValueError(
            f"expected format {expected!r} version {VERSION}, got {_shown(saved.get('format'))} "
            f"version {_shown(saved.get('version'))}"
        )
    if not isinstance(saved.get("digest", ""), str):
        raise damaged(ValueError("the digest is no text"))


def cells_in(kind: Any, saved: Saved) -> Any:
    """Return the counts of a kind in saved values, whatever their digest, or raise ValueError."""
    try:
        for name in ("digest", "groups"):
            saved[name]
        columns, fields = columns_in(saved, kind), fields_in(saved, kind)
    except DAMAGE as error:
        raise damaged(error) from None
    try:
        with np.errstate(all="ignore"):  # of numbers that are not the saved ones
            return kind.from_columns(columns, **fields)
    except (TypeError, LookupError, ArithmeticError) as error:
        raise damaged(error) from None


def _with_groups(counts: Any, groups: Any, of_group: Callable[[Saved], Any]) -> Any:
    """Return counts with their groups of clusters, which must add up to them."""
    if groups is None:
        return counts
    try:
        if any(group.get("groups") is not None for group in groups):
            raise ValueError("each group must be counts without groups of their own")
        return replace(counts, groups=tuple(map(of_group, groups)))
    except DAMAGE as error:
        raise damaged(error) from None


def unchanged(counts: Any, saved: Saved) -> Any:
    """Return counts whose digest is the one that was saved, or raise ValueError."""
    if counts.digest() != saved["digest"]:
        raise ValueError("the counts were changed after they were saved: their digest differs")
    return counts


def fields_in(saved: Saved, kind: Any) -> dict[str, Any]:
    """Return the arguments of counts of a kind that are no cells and no groups."""
    levels, dropped = saved["levels"], saved["dropped"]
    found: dict[str, Any] = {
        "higher_is": check_direction(saved["higher_is"]),
        "levels": None if levels is None else check_levels(levels),
        "resolution": check_resolution(saved["resolution"]),
    }
    # Neither dropped rows nor words are part of the digest.
    if dropped is not None:
        columns = {str(name): _rows(rows) for name, rows in dropped["columns"].items()}
        found["dropped"] = Dropped(_rows(dropped["rows"]), columns)
    if "words" in kind.FIELDS:
        words = saved["words"]
        if not all(isinstance(word, str) for word in words):
            raise TypeError("words must hold two texts")
        return {**found, "words": Words(*words)}
    weights = saved["weights"]
    if weights is not None:
        rows = [weights[name] for name in ("positive_rows", "negative_rows")]
        found["weights"] = [weights["kind"], *map(_rows, rows)]
    return found


def columns_in(saved: Saved, kind: Any) -> dict[str, Array]:
    """Return the columns of a table, which must be equally long."""
    dtype = saved["dtype"]
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {_shown(dtype)}")
    found = {"score": _column(saved, "score", dtype)}
    weights = saved.get("weights")
    for name in kind.COLUMNS:
        if name != "exposure" or saved[name] is not None:
            real = name in REAL or (weights is not None and name in CLASSES)
            found[name] = _column(saved, name, "float64" if real else None)
    if weights is not None:
        found |= {name: _column(weights, name, "float64") for name in ROOTS}
    if len({len(column) for column in found.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(column)}" for name, column in found.items())
        raise ValueError(f"the columns differ in length: {lengths}")
    return found


def _column(saved: Saved, name: str, dtype: str | None) -> Array:
    """Return a column of a type, or in whole numbers if all are; large ones were saved as text."""
    items = list(map(number, saved[name]))
    if dtype is None:
        dtype = "float64" if any(isinstance(item, float) for item in items) else "int64"
    column: Array = np.array(items, dtype=dtype)
    if column.ndim != 1 or column.tolist() != items:
        raise ValueError(f"{name} holds what is no {dtype}")
    return column


def _rows(value: Any) -> int:
    found = number(value)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise ValueError(f"{_shown(value)} is no number of rows")
    return found


def _shown(value: Any) -> str:
    """Return a value for a message: in full where it is short, else what it is."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)[:LONGEST]
    return repr(value[:LONGEST]) if isinstance(value, str) else f"a {type(value).__name__}"


def damaged(error: Exception) -> ValueError:
    """Say that saved counts are not as they were written, and what of them is not."""
    what = "something in them is of another type or size than was saved"
    if isinstance(error, KeyError):
        what = f"{error.args[0]} is missing"
    elif isinstance(error, ValueError):
        what = str(error)[:LONGEST]
    return ValueError(f"the saved counts are damaged: {what}")

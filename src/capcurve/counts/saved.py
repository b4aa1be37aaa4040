"""Counts as values that strict JSON holds, and back; their seal finds what was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts.digest import is_sealed, sealed
from capcurve.counts.settings import Dropped, Words, check_direction, check_levels, check_resolution
from capcurve.numbers.arguments import told
from capcurve.numbers.plain import number_from_plain, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.numbers.types import Array

# What JSON holds of counts.
Saved: TypeAlias = Mapping[str, Any]
VERSION = 1
ROOTS = ("positive_roots", "negative_roots")
CLASSES = ("positives", "negatives")
# Columns whose numbers are floats, whether or not all of them are whole.
REAL = ("amount", "exposure", *ROOTS)


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
    return sealed(plain(saved))


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
    return sealed({**saved, **changed})


def restored(kind: Any, saved: Saved) -> Any:
    """Return the counts of a kind that were written down, or raise ValueError."""
    check_saved(saved, kind.FORMAT)
    counts = kind.from_columns(columns_in(saved, kind), **fields_in(saved, kind))
    return _with_groups(counts, saved["groups"], kind.from_dict)


def restored_cases(kind: Any, held: Any, saved: Saved) -> Any:
    """Return the same of cases without outcome, which are held as counts of another kind."""
    check_saved(saved, kind.FORMAT)
    cases, weights = saved["cases"], saved["weights"]
    classes = {**saved, "positives": [0] * len(cases), "negatives": cases}
    if weights is not None:
        roots = {"positive_roots": [0.0] * len(cases), "negative_roots": weights["roots"]}
        rows = {"positive_rows": 0, "negative_rows": weights["rows"]}
        classes["weights"] = {"kind": weights["kind"], **rows, **roots}
    counts = held.from_columns(columns_in(classes, held), **fields_in(classes, held))
    return kind(_with_groups(counts, saved["groups"], lambda group: kind.from_dict(group).held))


def check_saved(saved: Any, expected: str) -> None:
    """Raise ValueError unless these are counts of a kind and version, as they were saved."""
    said = (saved.get(name) for name in ("format", "version")) if isinstance(saved, Mapping) else ()
    found = [each for each in said if isinstance(each, str | int)]
    if found != [expected, VERSION]:
        of = " version ".join(map(told, found)) or "what has no format"
        raise ValueError(f"expected format {expected!r} version {VERSION}, got {of}")
    if not is_sealed(saved):
        raise ValueError(
            "the counts are damaged or were changed after they were saved; take a copy that was "
            "not, or count the rows again"
        )


def _with_groups(counts: Any, groups: Any, of_group: Callable[[Saved], Any]) -> Any:
    """Return counts with their groups of clusters, which must add up to them."""
    return counts if groups is None else replace(counts, groups=tuple(map(of_group, groups)))


def fields_in(saved: Saved, kind: Any) -> dict[str, Any]:
    """Return the arguments of counts of a kind that are no cells and no groups."""
    levels, dropped, weights = saved["levels"], saved["dropped"], saved.get("weights")
    found: dict[str, Any] = {
        "higher_is": check_direction(saved["higher_is"]),
        "levels": None if levels is None else check_levels(levels),
        "resolution": check_resolution(saved["resolution"]),
    }
    if dropped is not None:
        columns, labels = (
            {name: number_from_plain(rows) for name, rows in each.items()}
            for each in (dropped["columns"], dropped.get("labels", {}))
        )
        unscored = None if "unscored" not in dropped else number_from_plain(dropped["unscored"])
        found["dropped"] = Dropped(
            number_from_plain(dropped["rows"]), columns, None, labels, unscored
        )
    if "words" in kind.FIELDS:
        return {**found, "words": Words(*saved["words"])}
    if weights is not None:
        rows = [number_from_plain(weights[name]) for name in ("positive_rows", "negative_rows")]
        found["weights"] = [weights["kind"], *rows]
    return found


def columns_in(saved: Saved, kind: Any) -> dict[str, Array]:
    """Return the columns of a table."""
    weights = saved.get("weights")
    found = {"score": _column(saved["score"], saved["dtype"])}
    for name in kind.COLUMNS:
        if name != "exposure" or saved[name] is not None:
            real = name in REAL or (weights is not None and name in CLASSES)
            found[name] = _column(saved[name], "float64" if real else None)
    if weights is not None:
        found |= {name: _column(weights[name], "float64") for name in ROOTS}
    return found


def _column(saved: Sequence[Any], dtype: str | None) -> Array:
    """Return a column of a type, or in whole numbers if all are; large ones were saved as text."""
    items = list(map(number_from_plain, saved))
    if dtype is None:
        dtype = "float64" if any(isinstance(item, float) for item in items) else "int64"
    column: Array = np.array(items, dtype=dtype)
    return column

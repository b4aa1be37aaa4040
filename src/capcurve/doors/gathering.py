"""Fetching columns: whatever holds the rows, the columns that were named come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from capcurve.columns import Column, as_column
from capcurve.frames import as_frame, check_names, eager_columns, grouped_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of one data set; `also` names columns that only have to be present."""

    target: Column
    scores: tuple[Column, ...]
    weight: Column | None = None
    by: Column | None = None
    also: tuple[Column, ...] = ()
    repeats: NDArray[np.int64] | None = None


def named_scores(scores: Any, data: Any) -> dict[str, Any]:
    """Return scores as a mapping of name to column, or to column name with `data`."""
    if isinstance(scores, Mapping):
        named = dict(scores)
    elif data is not None:
        names = [scores] if isinstance(scores, str) else list(scores)
        named = {name: name for name in names}
    else:
        named = {"score": scores}
    if not named:
        raise ValueError("no score was named; give at least one")
    return named


def gather(
    target: Any,
    scores: Mapping[str, Any],
    data: Any,
    weight: Any,
    by: Any,
    *,
    together: bool = False,
) -> list[Rows]:
    """Fetch the columns: all at once, or grouped score by score when an engine holds them."""
    if data is None:
        return [
            Rows(
                as_column(target, "target"),
                tuple(as_column(values, name) for name, values in scores.items()),
                None if weight is None else as_column(weight, "weight"),
                None if by is None else as_column(by, "by"),
            )
        ]
    extra = [name for name in (weight, by) if name is not None]
    wanted = [target, *scores.values(), *extra]
    columns = _columns(data, wanted)
    if isinstance(columns, nw.LazyFrame):
        sets = [list(scores.values())] if together else [[name] for name in scores.values()]
        return [
            _grouped(columns, target, picked, list(scores.values()), weight, by) for picked in sets
        ]
    return [_rows(columns, target, list(scores.values()), weight, by)]


def _columns(data: Any, names: Sequence[str]) -> dict[str, Column] | nw.LazyFrame[Any]:
    if isinstance(data, Mapping):
        check_names(names, list(data))
        return {name: as_column(data[name], name) for name in names}
    frame = as_frame(data)
    if frame is not None:
        return eager_columns(frame, names) if isinstance(frame, nw.DataFrame) else frame
    from capcurve.files import Files, read_columns  # costs what only readers of files should pay

    if isinstance(data, str | Path) or _is_path_list(data):
        data = Files.of(data)
    if not isinstance(data, Files):
        raise TypeError(
            f"data must be a data frame, a mapping of columns or a path, got {type(data).__name__}"
        )
    return read_columns(data, names)


def _is_path_list(data: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(item, str | Path) for item in data)
    )


def _rows(
    columns: Mapping[str, Column], target: str, scores: Sequence[str], weight: Any, by: Any
) -> Rows:
    return Rows(
        columns[target],
        tuple(columns[name] for name in scores),
        None if weight is None else columns[weight],
        None if by is None else columns[by],
    )


def _grouped(
    frame: nw.LazyFrame[Any],
    target: str,
    picked: list[str],
    scores: list[str],
    weight: Any,
    by: Any,
) -> Rows:
    extra = [name for name in (weight, by) if name is not None]
    others = [name for name in scores if name not in picked]
    columns, repeats = grouped_columns(frame, [target, *picked, *extra], others)
    rows = _rows(columns, target, picked, weight, by)
    also = tuple(columns[name] for name in others if name not in (target, *extra))
    return replace(rows, also=also, repeats=repeats)

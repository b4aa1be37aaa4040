"""Fetching columns: whatever holds the rows, the columns that were named come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from capcurve.input.arrays import cluster_groups, groups
from capcurve.input.columns import Column, as_column
from capcurve.input.frames import (
    as_frame,
    check_names,
    count_combinations,
    eager_columns,
    grouped_columns,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of one data set by their roles, whatever they are called.

    `others` are scores that only have to be present, `ids` are of clusters, and `order` names all
    scores as they were asked for. `groups` is the number of the group of each row's cluster.
    `owned` columns were read for this count alone, which may write over the scores.
    """

    target: Column
    scores: tuple[Column, ...]
    weight: Column | None = None
    by: Column | None = None
    others: tuple[Column, ...] = ()
    ids: Column | None = None
    repeats: NDArray[np.int64] | None = None
    order: tuple[str, ...] = ()
    groups: NDArray[np.uint8] | None = None
    owned: bool = False


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


def one_score(score: Any, data: Any) -> dict[str, Any]:
    """Return a single score by what it is called: its column, or "score" where it is given."""
    named = data is not None and isinstance(score, str)
    return {score if named else "score": score}


def gather(
    target: Any,
    scores: Mapping[str, Any],
    data: Any,
    weight: Any,
    by: Any,
    cluster: Any,
    *,
    together: bool = False,
    resolution: float | None = None,
) -> list[Rows]:
    """Fetch the columns: all at once, or grouped score by score when an engine holds them.

    Scores that are counted together, and not floored to a grid, must not have too many
    combinations.
    """
    if data is None:
        rows = Rows(
            as_column(target, "target"),
            tuple(as_column(values, name) for name, values in scores.items()),
            None if weight is None else as_column(weight, "weight"),
            None if by is None else as_column(by, "by"),
        )
        return [_clustered(rows, None if cluster is None else as_column(cluster, "cluster"))]
    extra = (weight, by, cluster)
    named = [name for name in extra if name is not None]
    columns = columns_of(data, [target, *scores.values(), *named])
    if not isinstance(columns, nw.LazyFrame):
        once = len(set(scores.values())) == len(scores)
        owned = once and not isinstance(data, Mapping) and as_frame(data) is None
        return [replace(_rows(columns, target, scores, *extra), owned=owned)]
    if together and resolution is None:
        names, most = list(scores.values()), groups.MOST_COMBINATIONS
        groups.refuse_combinations(count_combinations(columns, names, most), names)
    sets = [scores] if together else [{name: scores[name]} for name in scores]
    return [_grouped(columns, target, picked, scores, extra, resolution) for picked in sets]


def _clustered(rows: Rows, cluster: Column | None) -> Rows:
    """Give the rows the groups of their clusters; a row has to have an id."""
    if cluster is None:
        return rows
    if len(cluster) != len(rows.target):
        raise ValueError(
            f"{rows.target.name} has {len(rows.target)} rows and {cluster.name} has "
            f"{len(cluster)}; they must be of the same rows"
        )
    present, groups = cluster_groups(cluster)
    return replace(rows, ids=present, groups=groups)


def columns_of(data: Any, names: Sequence[str]) -> dict[str, Column] | nw.LazyFrame[Any]:
    """Return columns by name, or the lazy frame that has them."""
    if isinstance(data, Mapping):
        check_names(names, list(data))
        return {name: as_column(data[name], name) for name in names}
    frame = as_frame(data)
    if frame is not None:
        return eager_columns(frame, names) if isinstance(frame, nw.DataFrame) else frame
    from capcurve.input.files import (  # costs what only readers of files should pay
        Files,
        read_columns,
    )

    if isinstance(data, str | Path) or is_path_list(data):
        data = Files.of(data)
    if not isinstance(data, Files):
        raise TypeError(
            f"data must be a data frame, a mapping of columns or a path, got {type(data).__name__}"
        )
    return read_columns(data, names)


def is_path_list(data: Any) -> bool:
    """Return whether data is a list of paths."""
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(item, str | Path) for item in data)
    )


def source_of(data: Any) -> str | None:
    """Return the names of the files that data comes from, or None when it is not from files."""
    if isinstance(data, str | Path):
        return Path(data).name
    paths = getattr(data, "paths", data)
    if isinstance(paths, list | tuple) and all(isinstance(path, str | Path) for path in paths):
        return ", ".join(Path(path).name for path in paths)
    return None


def _rows(
    columns: Mapping[str, Column],
    target: str,
    scores: Mapping[str, str],
    weight: Any,
    by: Any,
    cluster: Any,
) -> Rows:
    rows = Rows(
        columns[target],
        tuple(replace(columns[column], name=name) for name, column in scores.items()),
        None if weight is None else columns[weight],
        None if by is None else columns[by],
    )
    return _clustered(rows, None if cluster is None else columns[cluster])


def _grouped(
    frame: nw.LazyFrame[Any],
    target: str,
    picked: Mapping[str, str],
    scores: Mapping[str, str],
    extra: tuple[Any, Any, Any],
    resolution: float | None,
) -> Rows:
    keys = [target, *picked.values(), *(name for name in extra if name is not None)]
    others = {name: column for name, column in scores.items() if name not in picked}
    only_scores = [name for name in picked.values() if name not in {target, *extra}]
    grid = None if resolution is None else dict.fromkeys(only_scores, float(resolution))
    columns, repeats = grouped_columns(frame, keys, list(others.values()), grid)
    present = tuple(replace(columns[column], name=name) for name, column in others.items())
    rows = _rows(columns, target, picked, *extra)
    return replace(rows, others=present, order=tuple(scores), repeats=repeats)

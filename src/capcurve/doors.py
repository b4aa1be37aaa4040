"""The doors: rows of any kind become counts, with one signature whatever holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from capcurve.arrays import (
    Missing,
    Rules,
    Sample,
    as_sample,
    complete,
    count_cells_jointly,
    count_sample,
    split_rows,
)
from capcurve.columns import Column, as_column
from capcurve.files import Files, read_columns
from capcurve.frames import as_frame, check_names, eager_columns, grouped_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from capcurve.counts import Direction, JointCounts, ScoreCounts, WeightKind


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of one data set; `also` names columns that only have to be present."""

    target: Column
    scores: tuple[Column, ...]
    weight: Column | None = None
    by: Column | None = None
    also: tuple[Column, ...] = ()
    repeats: NDArray[np.int64] | None = None


def count_scores(
    target: Any,
    score: Any,
    *,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
) -> ScoreCounts:
    """Count positives and negatives at each distinct score: the first step of everything.

    Parameters
    ----------
    target
        What happened, one label per row; with `data`, the name of that column.
    score
        The score to judge, one per row; with `data`, the name of that column.
    data
        A data frame or relation (pandas, Polars eager or lazy, Arrow, DuckDB), a mapping of
        columns, a path, glob or list of paths, or `Files`. None when columns are given.
    weight
        Weight of each row, zero or more.
    weight_kind
        What the weights mean: "frequency" (that many identical rows, exactly), "sampling" or
        "exposure". May be left out until a variance is asked for.
    pos_label
        The label of the positive class; needed unless labels are 0/1, -1/1 or booleans.
    higher_is
        Whether a higher score makes a case more likely "positive" or "negative".
    levels
        Grade names, most-likely-positive first, when scores are names.
    missing
        "raise", or "drop" to leave out rows that lack a named column and keep the account.
    resolution
        Floor scores to a grid of this width.

    Returns
    -------
    ScoreCounts
        Exact counts, equal whatever the row order or the engine.

    Raises
    ------
    ValueError, TypeError
        For anything that cannot be counted exactly; the message says what was found.

    Examples
    --------
    >>> count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    ScoreCounts(n=5, positives=3, distinct scores=5, higher_is='positive')
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    rows = _gather(target, {"score": score}, data, weight, None)[0]
    sample = _complete_sample(rows, rules)
    return count_sample(sample, sample.scores[0])


def count_segments(
    target: Any,
    score: Any,
    *,
    by: Any,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
) -> dict[Any, ScoreCounts]:
    """Count each segment on its own: months, products, regions; they add up to the whole.

    Parameters
    ----------
    by
        The segment of each row; with `data`, the name of that column. Rows without one are a
        segment of their own, under the key None.
    target, score, data, weight, weight_kind, pos_label, higher_is, levels, missing, resolution
        As in `count_scores`.

    Returns
    -------
    dict
        `ScoreCounts` by segment, in the order of the segments.

    Examples
    --------
    >>> months = count_segments([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6], by=["Jan", "Jan", "Feb", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Feb': 2, 'Jan': 2}
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    rows = _gather(target, {"score": score}, data, weight, by)[0]
    return {key: count_sample(sample, sample.scores[0]) for key, sample in _segments(rows, rules)}


def count_joint(
    target: Any,
    scores: Any,
    *,
    data: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
) -> JointCounts:
    """Count several scores of the same rows together, as comparing them needs.

    Parameters
    ----------
    scores
        Names of the scores in `data`; without `data`, a mapping of name to column.
    higher_is, levels
        One for all scores, or a mapping by score.
    target, data, weight, weight_kind, pos_label, missing, resolution
        As in `count_scores`.

    Examples
    --------
    >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint.margin("old")
    ScoreCounts(n=3, positives=2, distinct scores=2, higher_is='positive')
    """
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind)
    rows = _gather(target, named_scores(scores, data), data, weight, None, together=True)[0]
    return count_cells_jointly(_complete_sample(rows, rules))


def count_each(
    target: Any, scores: Any, *, data: Any = None, weight: Any = None, by: Any = None, rules: Rules
) -> tuple[dict[str, ScoreCounts], dict[str, dict[Any, ScoreCounts]]]:
    """Count several scores, each on its own, over the rows that are complete for all.

    Returns the counts by score, and with `by` also by score and segment.
    """
    named = named_scores(scores, data)
    whole: dict[str, ScoreCounts] = {}
    parts: dict[str, dict[Any, ScoreCounts]] = {}
    for rows in _gather(target, named, data, weight, by):
        if by is None:
            sample = _complete_sample(rows, rules)
            whole |= {score.name: count_sample(sample, score) for score in sample.scores}
            continue
        for key, sample in _segments(rows, rules):
            for score in sample.scores:
                parts.setdefault(score.name, {})[key] = count_sample(sample, score)
    for name, segments in parts.items():
        whole[name] = type(next(iter(segments.values()))).merge(segments.values())
    return whole, parts


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


def _complete_sample(rows: Rows, rules: Rules) -> Sample:
    sample, lost = as_sample(rows.target, rows.scores, rules, rows.weight, rows.repeats, rows.also)
    return complete(sample, lost, rules)


def _segments(rows: Rows, rules: Rules) -> Iterator[tuple[Any, Sample]]:
    sample, lost = as_sample(rows.target, rows.scores, rules, rows.weight, rows.repeats, rows.also)
    by = rows.by
    if by is None or len(by) != len(rows.target):
        found = "nothing" if by is None else f"{len(by)} rows"
        raise ValueError(f"by has {found} and {rows.target.name} has {len(rows.target)} rows")
    for key, picked in split_rows(by):
        part = sample.take(picked, None)
        yield key, complete(part, lost.take(picked), rules)


def _gather(
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
    if isinstance(data, str | Path | Files) or _is_path_list(data):
        return read_columns(data if isinstance(data, Files) else Files.of(data), names)
    if isinstance(data, Mapping):
        check_names(names, list(data))
        return {name: as_column(data[name], name) for name in names}
    frame = as_frame(data)
    if frame is None:
        raise TypeError(
            f"data must be a data frame, a mapping of columns or a path, got {type(data).__name__}"
        )
    return eager_columns(frame, names) if isinstance(frame, nw.DataFrame) else frame


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

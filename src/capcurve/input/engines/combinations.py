"""What is asked of an engine first: how many combinations it holds, and which classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.input.arrays.checks import ColumnsByRole
from capcurve.input.columns import InputColumn, as_column
from capcurve.numbers.arguments import arg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import Dropped
    from capcurve.input.arrays import Rules

# A gigabyte or so where counts are made; an engine can hold far more of them.
MOST_CELLS = 20_000_000
ENGINE_NAMES = {"PYSPARK": "Spark", "PYSPARK_CONNECT": "Spark", "DUCKDB": "DuckDB", "IBIS": "Ibis"}
# Labels are two; a column with more than these is something else.
MOST_LABELS_COUNTED = 1000


class TooManyCellsError(ValueError):
    """An engine holds more distinct combinations of the named columns than should be fetched."""

    def __init__(self, names: list[str], cells: int, engine: str) -> None:
        self.engine = engine
        super().__init__(
            f"{' and '.join(map(repr, names))} have about {cells:,} distinct combinations, more "
            f"than the {MOST_CELLS:,} that are fetched from {engine}; floor the scores with "
            f"{arg('resolution')}, such as 1e-6"
        )


def refuse_too_many_cells(narrow: nw.LazyFrame[Any], inside: Mapping[str, str]) -> None:
    """Raise `TooManyCellsError` when a frame has more combinations than may be fetched."""
    # Rows are cheap to count, and few rows have few combinations. Polars and Dask are not asked:
    # they hold their cells in this process anyway.
    engine = ENGINE_NAMES.get(narrow.implementation.name)
    if engine is None or _rows(narrow) <= MOST_CELLS:
        return
    if engine == "Spark":
        asked = f"approx_count_distinct(struct({', '.join(inside.values())})) AS cells"
        cells = int(nw.to_native(narrow).selectExpr(asked).collect()[0][0])
    else:
        cells = _rows(narrow.group_by(*inside.values()).agg(nw.len().alias("cells")))
    if cells > MOST_CELLS:
        raise TooManyCellsError(list(inside), cells, engine)


def _rows(frame: nw.LazyFrame[Any]) -> int:
    counted = frame.select(nw.len().alias("rows"))
    if counted.implementation.is_duckdb():  # collect() would need pyarrow
        return int(nw.to_native(counted).fetchall()[0][0])
    return int(counted.collect().item())


@dataclass(frozen=True, slots=True)
class LabelsFound:
    """The labels of positives and of rows left out by their label, if any; totals; the account."""

    positive: tuple[Any, ...]
    neither: tuple[Any, ...]
    totals: tuple[int, int]
    dropped: Dropped | None


def look_at(
    found: Sequence[tuple[Any, bool, int]], target: str, score: str, rules: Rules
) -> LabelsFound:
    """Return what is known of rows from (label, whether the score is missing, number of rows)."""
    labels, gone, rows = ([*column] for column in zip(*found, strict=True))
    if len(labels) > MOST_LABELS_COUNTED:
        raise ValueError(
            f"{target} holds more than {MOST_LABELS_COUNTED} distinct values, not two classes"
        )
    absent = np.array(gone, dtype=np.bool_)
    # Numbers stand in for the scores, which are not at hand: only whether they are there counts.
    scores = InputColumn(score, np.zeros(len(absent)), absent if absent.any() else None)
    repeats = np.array(rows, dtype=np.int64)
    columns = ColumnsByRole(as_column(labels, target), (scores,), repeats=repeats)
    checked = columns.checked(rules)
    sample = checked.complete()
    n1, n0 = (int(sample.times(sample.positive == up).sum()) for up in (True, False))
    if not n1 + n0:
        raise ValueError(f"no row has both {target} and {score}")
    gone_by_label = np.logical_or.reduce(
        [np.zeros(len(labels), np.bool_), *checked.left_out.values()]
    )
    positive, neither = (
        {label for label, picked in zip(labels, rows_of, strict=True) if picked}
        for rows_of in (checked.sample.positive, gone_by_label)
    )
    return LabelsFound(tuple(positive), tuple(neither), (n1, n0), sample.dropped)

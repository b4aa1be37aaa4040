"""How many distinct combinations an engine may hand over, and what is said beyond that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

if TYPE_CHECKING:
    from collections.abc import Mapping

# A gigabyte or so where counts are made; an engine can hold far more of them.
MOST_CELLS = 20_000_000
ENGINES = {"PYSPARK": "Spark", "PYSPARK_CONNECT": "Spark", "DUCKDB": "DuckDB", "IBIS": "Ibis"}


class TooManyCellsError(ValueError):
    """An engine holds more distinct combinations of the named columns than should come home."""

    def __init__(self, names: list[str], cells: int, engine: str) -> None:
        self.engine = engine
        super().__init__(
            f"{' and '.join(map(repr, names))} have about {cells:,} distinct combinations, more "
            f"than the {MOST_CELLS:,} that are fetched from {engine}; floor the scores with "
            "resolution=, such as 1e-6"
        )


def refuse_too_many(narrow: nw.LazyFrame[Any], inside: Mapping[str, str]) -> None:
    """Raise `TooManyCellsError` when a frame has more combinations than may be fetched.

    Counting rows is cheap, and few rows have few combinations; only many are looked at closer.
    Polars works in this process and Dask sends its counts here anyway; they are not asked.
    """
    engine = ENGINES.get(narrow.implementation.name)
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

"""Door for data frames: columns of eager frames, one GROUP BY in the engine of lazy ones."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.columns import Column, as_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Engines such as Spark and DuckDB ignore case, so inside them columns get names of our own.
INTERNAL = "capcurve_{}"


def as_frame(data: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any] | None:
    """Return data as a narwhals frame, or None when it is not a frame of any kind."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return frame
    if hasattr(data, "__arrow_c_stream__"):
        return _from_arrow(data)
    return None


def _from_arrow(data: Any) -> nw.DataFrame[Any]:
    for backend in ("pyarrow", "polars", "pandas"):
        try:
            return nw.from_arrow(data, backend=backend)
        except ImportError:
            continue
    raise TypeError(f"to read {type(data).__name__}, install pyarrow, polars or pandas")


def eager_columns(frame: nw.DataFrame[Any], names: Sequence[str]) -> dict[str, Column]:
    """Return columns of a frame in memory, by exact name."""
    check_names(names, frame.columns)
    return {name: as_column(frame.get_column(name), name) for name in dict.fromkeys(names)}


def grouped_columns(
    frame: nw.LazyFrame[Any], names: Sequence[str], flags: Sequence[str] = ()
) -> tuple[dict[str, Column], NDArray[np.int64]]:
    """Group a lazy frame by the named columns, in its own engine.

    Parameters
    ----------
    frame
        The lazy frame or relation.
    names
        Columns to group by.
    flags
        Columns of which only the presence matters: they come back as all-zero columns that
        are missing where the data has no value.

    Returns
    -------
    columns, repeats
        The distinct combinations, one column per name, and how many rows hold each.
    """
    schema = frame.collect_schema()
    check_names([*names, *flags], schema.names())
    keys = list(dict.fromkeys(names))
    flags = [name for name in dict.fromkeys(flags) if name not in keys]
    chosen = [nw.col(name).alias(INTERNAL.format(i)) for i, name in enumerate(keys)]
    absent = [
        _is_absent(name, schema[name]).alias(INTERNAL.format(len(keys) + i))
        for i, name in enumerate(flags)
    ]
    inside = [INTERNAL.format(i) for i in range(len(keys) + len(flags))]
    cells = _in_memory(
        frame.select(*chosen, *absent).group_by(*inside).agg(nw.len().alias(INTERNAL.format("n")))
    )
    columns = {
        name: as_column(cells[INTERNAL.format(i)], name) for i, name in enumerate(keys)
    }
    for i, name in enumerate(flags):
        gone = as_column(cells[INTERNAL.format(len(keys) + i)], name).values.astype(np.bool_)
        columns[name] = Column(name, np.zeros(len(gone)), gone)
    return columns, as_column(cells[INTERNAL.format("n")], "n").values.astype(np.int64)


def _is_absent(name: str, dtype: Any) -> nw.Expr:
    null = nw.col(name).is_null()
    return null | nw.col(name).is_nan() if dtype.is_float() else null


def _in_memory(cells: nw.LazyFrame[Any]) -> Any:
    native = nw.to_native(cells)
    if hasattr(native, "fetchnumpy"):
        return native.fetchnumpy()  # DuckDB hands over numpy; collect() would need pyarrow
    return cells.collect()


def check_names(names: Sequence[str], available: Sequence[str]) -> None:
    """Raise ValueError when a column is not there, naming the ones that are."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"with data=, columns are given by name, got {type(name).__name__}")
        if name in available:
            continue
        close = difflib.get_close_matches(name, available, n=1, cutoff=0.5)
        alike = [other for other in available if other.lower() == name.lower()] or close
        hint = f"; did you mean {alike[0]!r}?" if alike else ""
        raise ValueError(f"no column {name!r}; the data has {', '.join(map(repr, available))}{hint}")

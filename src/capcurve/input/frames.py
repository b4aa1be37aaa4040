"""Data frames: columns of eager frames, one GROUP BY in the engine of lazy ones."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import NarwhalsError

from capcurve.input.columns import (
    ColumnLike,
    Data,
    InputColumn,
    as_column,
    name_hint,
    objects_of,
    refuse_nested,
)
from capcurve.input.engines import spark
from capcurve.input.engines.combinations import refuse_too_many_cells
from capcurve.input.engines.spark import is_spark
from capcurve.numbers.decimals import EXACT_DIGITS, LongDecimals
from capcurve.numbers.order import GRID_SLACK, LARGEST_EXACT_IN_FLOAT, LARGEST_SLACK, grid_fraction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from narwhals.schema import Schema
    from narwhals.stable.v2.dtypes import DType
    from numpy.typing import NDArray


Eager: TypeAlias = nw.DataFrame[Any]
Lazy: TypeAlias = nw.LazyFrame[Any]

# Engines such as Spark and DuckDB ignore case, so inside them columns get names of our own.
INTERNAL = "capcurve_{}"
# Weeks are made of days: engines do not agree where they begin.
TRUNCATED_TO = {"day": "1d", "week": "1d", "month": "1mo", "quarter": "1q", "year": "1y"}
BUSY = (
    "this DuckDB connection is at work for another thread; give each thread a relation of its own, "
    "made with connection.cursor()"
)


def as_frame(data: Data) -> Eager | Lazy | None:
    """Return data as a narwhals frame, or None when it is not a frame of any kind."""
    try:
        frame = _wrapped(data)
    except (NarwhalsError, ValueError) as error:
        raise ValueError(f"this data frame cannot be used: {str(error).splitlines()[0]}") from None
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return frame
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    for backend in ("pyarrow", "polars", "pandas"):
        try:
            return nw.from_arrow(data, backend=backend)
        except ImportError:
            continue
    raise TypeError(f"to read {type(data).__name__}, install pyarrow, polars or pandas")


def _wrapped(native: Any) -> Any:
    """Return any frame as a narwhals frame, and what is no frame as it is."""
    if not type(native).__module__.startswith("dask"):
        return nw.from_native(native, pass_through=True)
    # Narwhals (from 2.29) asks users of Dask to install `narwhals-dask`, to which its support is to
    # move. They did not ask for narwhals, and nothing needs that package as long as it still does.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals", FutureWarning)
        return nw.from_native(native, pass_through=True)


def eager_columns(frame: Eager, names: Sequence[str]) -> dict[str, InputColumn]:
    """Return columns of a frame in memory, by exact name."""
    check_names(names, frame.columns)
    return {name: as_column(frame.get_column(name), name) for name in dict.fromkeys(names)}


def grouped_columns(
    frame: Lazy,
    names: Sequence[str],
    flags: Sequence[str] = (),
    grid: Mapping[str, float] | None = None,
    *,
    many: bool = False,
    periods: Mapping[str, str] | None = None,
) -> tuple[dict[str, InputColumn], NDArray[np.int64]]:
    """Return the distinct combinations of columns in a lazy frame, and how many rows hold each."""
    # Of `flags` only the presence matters: they come back as all-zero columns that are missing
    # where the data has no value. Columns of `grid` will be floored to a grid of the given width;
    # where the engine's arithmetic can tell, one value stands for all of its cell. Unless there are
    # `many` values beside those on a grid, as of amounts, its cells are few, and not counted first.
    # Dates of `periods` are cut to the first day of theirs, which leaves fewer cells.
    schema = frame_schema(frame)
    keys = list(dict.fromkeys(names))
    flags = [name for name in dict.fromkeys(flags) if name not in keys]
    own, inside = _inside(schema.names(), [*keys, *flags])
    for name in keys:
        refuse_nested(name, schema[name])
    cut = {} if frame.implementation.is_dask() else periods or {}
    chosen = [_key(inside[name], schema[name], cut.get(name)) for name in keys]
    chosen += [
        without_nan(inside[name], schema[name]).is_null().alias(inside[name]) for name in flags
    ]
    floored = {
        inside[n]: (width, schema[n])
        for n, width in (grid or {}).items()
        if floors_alike(schema[n], width)
    }
    with engine_errors(frame):
        placed, indices = on_grid(_renamed(frame, inside).select(*chosen), floored, own)
        if many or not floored:
            called = {name: indices.get(new, new) for name, new in inside.items()}
            refuse_too_many_cells(placed, called)
        cells = in_memory(grouped_rows(placed, list(inside.values()), indices, own))
    columns = {name: _as_key(cells[inside[name]], name, schema[name]) for name in keys}
    for name in flags:
        gone = as_column(cells[inside[name]], name).values.astype(np.bool_)
        columns[name] = InputColumn(name, np.zeros(len(gone)), gone)
    return columns, as_column(cells[own.format("n")], "n").values.astype(np.int64)


def count_combinations(frame: Lazy, names: Sequence[str], beyond: int) -> int:
    """Return how many combinations an engine holds; up to `beyond` rows, how many rows."""
    schema = frame_schema(frame)
    own, inside = _inside(schema.names(), names)
    found = 0
    with engine_errors(frame):
        keys = (_key(new, schema[old]) for old, new in inside.items())
        narrow = _renamed(frame, inside).select(*keys)
        for rows in (narrow, narrow.unique()):
            lengths = in_memory(rows.select(nw.len().alias(own.format("n"))))
            found = int(as_column(lengths[own.format("n")], "n").values[0])
            if found <= beyond:
                break
    return found


def on_grid(
    rows: Lazy, floored: Mapping[str, tuple[float, DType]], own: str = INTERNAL
) -> tuple[Lazy, dict[str, str]]:
    """Add the numbers of grid cells to rows; return what their columns are called, by column."""
    indices = {name: own.format(f"grid{place}") for place, name in enumerate(floored)}
    cells = [grid_cell(nw.col(name), *floored[name]).alias(new) for name, new in indices.items()]
    return (rows.with_columns(*cells) if cells else rows), indices


def grouped_rows(
    rows: Lazy,
    names: Sequence[str],
    indices: Mapping[str, str],
    own: str = INTERNAL,
    sums: Sequence[str] = (),
) -> Lazy:
    """Count equal rows and add up `sums`; in a grid cell the score nearest to 0 stands for all."""
    found = [nw.len().alias(own.format("n")), *(nw.col(name).sum() for name in sums)]
    if not indices:
        return rows.group_by(*names).agg(*found)
    lowest = [nw.col(name).min() for name in indices]
    highest = [nw.col(name).max().alias(f"{index}max") for name, index in indices.items()]
    keys = [indices.get(name, name) for name in names]
    cells = rows.group_by(*keys).agg(*found, *lowest, *highest)
    # Minus infinity in the cell of a number too large for its grid must not hide that number.
    shown = [
        nw.when(nw.col(name) == float("-inf")).then(nw.col(f"{index}max")).otherwise(nw.col(name))
        for name, index in indices.items()
    ]
    return cells.with_columns(*(e.alias(n) for e, n in zip(shown, indices, strict=True)))


def floors_alike(dtype: DType, width: float) -> bool:
    """Whether every engine floors such a column as numpy does: in 64-bit floats."""
    return bool(dtype.is_float() or (dtype.is_integer() and not float(width).is_integer()))


def grid_cell(score: nw.Expr, width: float, dtype: DType) -> nw.Expr:
    """Return the number of the grid cell of a score, as `capcurve.numbers.order.grid_index`."""
    quotient = score.cast(nw.Float64) / float(width)
    above = nw.when(quotient < 0).then(quotient * (1 - GRID_SLACK))
    near = above.otherwise(quotient * (1 + GRID_SLACK)).floor()
    middling = quotient.abs() < LARGEST_EXACT_IN_FLOAT
    # Beyond 2^53 quotients are whole; Spark's floor is an integer, and they may not fit into it.
    far = nw.when(middling).then(quotient.floor().cast(nw.Float64)).otherwise(quotient)
    cell = nw.when(quotient.abs() < LARGEST_SLACK).then(near.cast(nw.Float64)).otherwise(far)
    if dtype != nw.Float32:
        return cell
    times, parts = grid_fraction(float(width))
    own, following = (
        ((cell + step) * float(times) / float(parts)).cast(nw.Float32) for step in (0, 1)
    )
    return nw.when((own != score) & (following <= score)).then(cell + 1).otherwise(cell)


def frame_schema(frame: Lazy) -> Schema:
    """Return the names and types of columns, which some engines look up only now."""
    with engine_errors(frame):
        return frame.collect_schema()


@contextmanager
def engine_errors(frame: Lazy, task: str = "count") -> Iterator[None]:
    """Turn what an engine raises about its data into one line; `task` is what it was asked to."""
    if is_spark(frame):
        with spark.spark_in_one_line():
            yield
        return
    duckdb, polars = (sys.modules.get(name) for name in ("duckdb", "polars"))
    of_duckdb: tuple[type[Exception], ...] = () if duckdb is None else (duckdb.Error,)
    of_polars = () if polars is None else (polars.exceptions.PolarsError,)
    try:
        yield
    except (*of_duckdb, *of_polars, NarwhalsError) as error:
        said = (str(error).splitlines() or ["no reason was given"])[0]
        if "busy" in said or "closed pending query" in said:  # as newer and older ones say it
            raise ValueError(BUSY) from None
        engine = "DuckDB" if isinstance(error, of_duckdb) else str(frame.implementation).title()
        raise ValueError(f"{engine} could not {task}: {said}") from None


def named_columns(frame: Lazy, columns: Mapping[str, str]) -> Lazy:
    """Return some columns of a lazy frame alone, by what they are to be called."""
    _, inside = _inside(frame_schema(frame).names(), list(columns.values()))
    asked = (nw.col(inside[name]).alias(new) for new, name in columns.items())
    return _renamed(frame, inside).select(*asked)


def _renamed(frame: Lazy, inside: Mapping[str, str]) -> Lazy:
    """Return a frame in which columns have the names they are given, of which no other has one."""
    # No name of the user's gets into an expression, where engines read "*" or "^a.*$" as a pattern,
    # and some of them neglect the case.
    native = nw.to_native(frame)
    called = {new: name for name, new in inside.items()}
    if is_spark(frame):
        native = spark.narrowed(native, called)
    elif frame.implementation.is_dask():
        native = _narrowed_in_dask(native, inside)
    elif frame.implementation.is_duckdb():
        names = list(native.columns)
        placed = (f"#{names.index(name) + 1} AS {new}" for new, name in called.items())
        native = native.project(", ".join(placed))
    else:
        return frame.rename(dict(inside))
    renamed: Lazy = _wrapped(native)
    return renamed


def _narrowed_in_dask(native: Any, inside: Mapping[str, str]) -> Any:
    """Return columns under new names, floats with NaN for null."""
    # Dask cannot add up partial counts of Arrow-backed numbers with a NaN beside a null.
    frame = native[list(inside)].rename(columns=dict(inside))
    kinds = {new: frame.dtypes[new] for new in inside.values()}
    floats = {new: kind for new, kind in kinds.items() if getattr(kind, "kind", "O") == "f"}
    return frame.astype({new: f"float{8 * kind.itemsize}" for new, kind in floats.items()})


def without_nan(name: str, dtype: DType) -> nw.Expr:
    """Return a column with NaN as null: engines differ in how they group and compare it."""
    column = nw.col(name)
    return nw.when(~column.is_nan()).then(column).alias(name) if dtype.is_float() else column


def _key(name: str, dtype: DType, period: str | None = None) -> nw.Expr:
    """Return what to group by; numbers wider than 64 bits as text, which no engine rounds."""
    if period is not None and isinstance(dtype, nw.Date | nw.Datetime):
        if getattr(dtype, "time_zone", None):  # the day is the one on the wall there
            return nw.col(name)
        # Ibis cuts no dates. A time would leave Spark in a zone of its session's.
        return nw.col(name).cast(nw.Datetime).dt.truncate(TRUNCATED_TO[period]).cast(nw.Date)
    return nw.col(name).cast(nw.String) if _as_text(dtype) else without_nan(name, dtype)


def _as_text(dtype: DType) -> bool:
    return dtype.is_decimal() or isinstance(dtype, nw.Int128 | nw.UInt128)


def _as_key(cells: ColumnLike, name: str, dtype: DType) -> InputColumn:
    column = as_column(cells, name)
    if isinstance(dtype, nw.Enum) and column.categories is None:
        categories = tuple(dtype.categories)
        place = {category: code for code, category in enumerate(categories)}
        codes = np.array([place.get(item, 0) for item in column.values], dtype=np.int64)
        return InputColumn(name, codes, column.missing, categories, ordered=True)
    if not _as_text(dtype):
        return column
    read: Callable[[str], object] = Decimal if dtype.is_decimal() else int
    missing = column.missing if column.missing is not None else np.zeros(len(column), np.bool_)
    pairs = zip(column.values, missing, strict=True)
    numbers = objects_of([None if gone else read(text) for text, gone in pairs])
    return InputColumn(name, numbers, column.missing)


def from_decimal(rows: Lazy, column: str, name: str) -> nw.Expr:
    """Return a column of decimals as numbers that hold them as they are written, or raise."""
    dtype = rows.collect_schema()[column]
    if isinstance(dtype, nw.Decimal) and dtype.precision <= EXACT_DIGITS:
        return nw.col(column).cast(nw.Float64)
    written = nw.col(column).cast(nw.String)  # by Spark perhaps with an exponent, as 1E-7
    digits = written.str.replace_all(r"E.*|[-.]", "").str.replace_all("^0+|0+$", "").str.len_chars()
    is_long, is_part = digits > EXACT_DIGITS, written.str.contains(r"\.[0-9]*[1-9]|[1-9]E-")
    marked = rows.select(
        nw.when(is_long).then(nw.col(column)).alias("long"),
        nw.when(is_long & is_part).then(nw.col(column)).alias("part"),
        nw.when(is_part).then(nw.lit(1)).otherwise(nw.lit(0)).alias("parts"),
    )
    long, part = nw.col("long"), nw.col("part")
    shown = {"least": long.min(), "largest": long.max(), "part": part.min()}
    texts = (value.cast(nw.String).alias(role) for role, value in shown.items())
    cells = in_memory(marked.select(*texts, nw.col("parts").max()))
    columns = [as_column(cells[role], role) for role in shown]
    found = (None if each.missing is not None else Decimal(each.values[0]) for each in columns)
    least, largest, fraction = found
    whole = not as_column(cells["parts"], "parts").values[0] > 0
    kind = LongDecimals(least, largest, fraction, whole).dtype(name).kind
    # Engines divide by a power of ten, and so round twice, where the decimal itself is cast.
    if kind == "f":
        return written.cast(nw.Float64)
    return nw.col(column).cast(nw.Int64 if kind == "i" else nw.UInt64)


def _inside(available: Sequence[str], names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return a pattern for names that no column has, whatever the case, and names in it."""
    check_names(names, available)
    own = INTERNAL
    while any(str(name).lower().startswith(own.format("")) for name in available):
        own = "_" + own
    return own, {name: own.format(place) for place, name in enumerate(dict.fromkeys(names))}


def in_memory(cells: Lazy) -> Data:
    """Fetch a frame from its engine: columns by name."""
    native = nw.to_native(cells)
    if cells.implementation.is_duckdb():
        return native.fetchnumpy()  # DuckDB hands over numpy; collect() would need pyarrow
    return cells.collect()


def check_names(names: Sequence[str], available: Sequence[str]) -> None:
    """Raise ValueError when a column is not there, naming the ones that are."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"with data=, columns are given by name, got {type(name).__name__}")
        if name in available:
            continue
        hint = name_hint(name, [other for other in available if isinstance(other, str)])
        there = ", ".join(map(repr, available))
        raise ValueError(f"no column {name!r}; the data has {there}{hint and f'; {hint}'}")

"""Any column a user may hand over, as one numpy array with its nulls and its categories."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT
from capcurve.numbers.types import array_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.numbers.types import Direction

Values: TypeAlias = NDArray[Any]  # of whatever type the rows hold
# What users hand over: a column of any library, or with data= its name; and what holds the rows.
ColumnLike: TypeAlias = Any
Data: TypeAlias = Any
# One score or several; and what holds for all of them, or for each by its name.
ScoreLike: TypeAlias = Any
Directions: TypeAlias = "Direction | Mapping[str, Direction]"
Levels: TypeAlias = "Iterable[object] | Mapping[str, Iterable[object]] | None"

_SHOWN = 30
ENGINE_MODULES = frozenset({"pyspark", "polars", "ibis", "duckdb", "_duckdb", "narwhals"})


@dataclass(frozen=True, slots=True)
class InputColumn:
    """One column of rows."""

    name: str  # what to call the column in messages
    # What is held for each row: its value, numbers and booleans in their own dtype and text as
    # objects, or the number of its category when there are `categories`.
    stored: Values
    # True where the row has no value, or None when no row lacks one. A NaN inside floating-point
    # values is not marked here; it is found where it is counted.
    missing: NDArray[np.bool_] | None = None
    categories: tuple[object, ...] | None = None  # the values that rows may have, in declared order
    # Whether the categories run from low to high, so that they may serve as grades.
    ordered: bool = False
    # For amounts that are mostly 0: True where a row is not 0, or has no value. What is stored and
    # what is missing is then of these rows alone.
    held: NDArray[np.bool_] | None = None
    # What a pandas series, or one like it, calls its rows.
    index: Any = field(default=None, repr=False)

    @property
    def values(self) -> Values:
        """One value per row, also of categories: their numbers never stand for them."""
        if self.categories is None:
            return self.stored
        if not self.categories:  # no row can have a value
            return np.full(len(self), np.nan)
        return _number_objects(objects_of(self.categories))[self.stored.astype(np.intp)]

    def whole(self) -> InputColumn:
        """Return the column with all rows stored, also those that are 0."""
        if self.held is None:
            return self
        values = np.zeros(len(self), dtype=self.stored.dtype)
        values[self.held] = self.stored
        missing = None
        if self.missing is not None:
            missing = np.zeros(len(self), dtype=np.bool_)
            missing[self.held] = self.missing
        return InputColumn(self.name, values, missing, self.categories, self.ordered)

    def __len__(self) -> int:
        return len(self.stored if self.held is None else self.held)


def absent_rows(column: InputColumn, values: Values) -> NDArray[np.bool_] | None:
    """Return the rows without a value, or None for none: nulls, and NaN in numbers."""
    absent = column.missing
    # The minimum of an array with a NaN is NaN, and costs far less than looking at each value.
    if values.dtype.kind == "f" and len(values) and np.isnan(values.min()):
        nan = np.isnan(values)
        absent = nan if absent is None else absent | nan
    return absent if absent is not None and absent.any() else None


def check_same_rows(columns: Sequence[InputColumn]) -> None:
    """Raise ValueError when columns differ in length, or in what they call their rows."""
    first = columns[0]
    for column in columns[1:]:
        if len(column) != len(first):
            raise ValueError(
                f"{first.name} has {len(first)} rows and {column.name} has {len(column)}; "
                "they must be of the same rows"
            )
    indexed = [column for column in columns if column.index is not None]
    for column in indexed[1:]:
        if not _is_same_index(indexed[0].index, column.index):
            raise ValueError(
                f"{indexed[0].name} and {column.name} have different indexes; pass them from one "
                "frame, or .to_numpy() to take them by position"
            )


def _is_same_index(one: Any, other: Any) -> bool:
    if one is other:
        return True
    one, other = (each.compute() if hasattr(each, "compute") else each for each in (one, other))
    return bool(one.equals(other))


def by_position(data: ColumnLike) -> ColumnLike:
    """Return a column without what it calls its rows, as packages read it that go by position."""
    return data.reset_index(drop=True) if hasattr(data, "reset_index") else data


def objects_of(items: Sequence[object]) -> Values:
    """Return an array of the very objects, whatever NumPy would make of them."""
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects


def python_values(distinct: Values) -> list[Any]:
    """Return values as Python has them: times without a time of day as dates."""
    # Times finer than Python's stay as they are.
    if distinct.dtype.kind != "M":
        return list(distinct.tolist())
    days = distinct.astype("datetime64[D]")
    if (days == distinct).all():
        return list(days.tolist())
    moments = distinct.astype("datetime64[us]")
    return list(moments.tolist()) if (moments == distinct).all() else list(distinct)


def as_column(data: ColumnLike, name: str) -> InputColumn:
    """Return any one-dimensional data as a `Column`, exactly.

    >>> as_column([0.5, None, 0.7], "pd").missing
    array([False,  True, False])
    """
    series = _as_series(data, name)
    column = _from_values(data, name) if series is None else _from_series(series, name)
    index = getattr(data.to_native() if isinstance(data, nw.Series) else data, "index", None)
    called = hasattr(index, "equals") or hasattr(index, "compute")  # lists have a method index
    return replace(column, index=index) if called else column


def _from_values(data: ColumnLike, name: str) -> InputColumn:
    _refuse_expression(data, name)
    if hasattr(data, "toarray") and getattr(data, "ndim", 1) > 1:
        raise TypeError(
            f"{name} is a sparse matrix of shape {data.shape}; pass one column of it, such as "
            f"{name}[:, 0].toarray().ravel()"
        )
    if hasattr(data, "detach") and hasattr(data, "cpu"):
        data = _from_tensor(data, name)
    unordered = isinstance(data, dict | set | frozenset)
    if unordered or isinstance(data, str | bytes) or not hasattr(data, "__iter__"):
        found = f"text {data!r}" if isinstance(data, str) else type(data).__name__
        hint = "; to name a column, pass data= as well" if isinstance(data, str) else ""
        raise TypeError(f"{name} must be a column of values, got {found}{hint}")
    if getattr(data, "ndim", 1) == 0:
        raise TypeError(f"{name} must be a column of values, got a single {data.dtype} value")
    if isinstance(data, np.ndarray):
        return _from_array(data, name)
    items = data if hasattr(data, "__array__") else list(data)
    return _from_array(_from_items(items, name), name)


def _refuse_expression(data: object, name: str) -> None:
    """Raise TypeError for a column of an engine, such as Spark's, which holds no rows."""
    engine, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if engine in ENGINE_MODULES and kind in {"Column", "Expr", "Col", "Expression"}:
        raise TypeError(
            f"{name} is an expression of {engine.strip('_')}, which holds no rows; name the "
            "column, and pass what holds the rows as data="
        )


def _as_series(data: ColumnLike, name: str) -> nw.Series[Any] | None:
    pyarrow, pandas = sys.modules.get("pyarrow"), sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.MultiIndex):
        raise ValueError(
            f"{name} is a MultiIndex, which holds several values in each row; take one of its "
            "levels, such as .get_level_values(0)"
        )
    if pyarrow is not None and isinstance(data, pyarrow.Array):
        data = pyarrow.chunked_array([data])
    if pandas is not None and isinstance(data, pandas.api.extensions.ExtensionArray | pandas.Index):
        data = pandas.Series(data)
    series = nw.from_native(data, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _from_tensor(data: ColumnLike, name: str) -> Values:
    try:
        tensor = data.detach().cpu().resolve_neg()
        if any(kind in str(tensor.dtype) for kind in ("bfloat16", "float8")):
            tensor = tensor.float()  # each of these is a float32; numpy does not have them
        array: Values = tensor.numpy()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        first = str(error).splitlines()[0]
        raise TypeError(f"{name}: this tensor has no numpy form ({first})") from None
    return array


def _from_items(items: ColumnLike, name: str) -> Values:
    try:
        array = array_of(items)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; pass one value per row") from None
    if array.dtype.kind in "USV":
        return objects_of(list(items))
    # Of whole numbers and fractions NumPy makes float64, never a narrower type.
    if array.dtype.kind == "f" and array.ndim == 1 and array.dtype >= np.float64:
        sizes = np.abs(array)
        if (sizes[~np.isnan(sizes)] >= LARGEST_EXACT_IN_FLOAT).any():
            return objects_of(list(items))  # whole numbers may have lost digits on the way
    return array


def _from_array(array: Values, name: str) -> InputColumn:
    missing = None
    if isinstance(array, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(array)
        array = array.data
    if array.dtype.kind == "U":
        array = array.astype(object)
    if array.dtype.kind == "O" and array.ndim == 1:
        absent = np.fromiter((_is_null(item) for item in array), dtype=np.bool_, count=len(array))
        missing = absent if missing is None else missing | absent
        array = _number_objects(array, missing)
    if array.dtype.kind in "mM":
        absent = np.isnat(array)
        missing = absent if missing is None else missing | absent
    if missing is not None and not missing.any():
        missing = None
    return InputColumn(name, array, missing)


def _is_null(item: object) -> bool:
    if item is None or type(item).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(item, float | np.floating) and bool(item != item)  # noqa: PLR0124 - NaN


def _number_objects(array: Values, missing: NDArray[np.bool_] | None = None) -> Values:
    """Return objects that are all booleans or plain numbers in a numeric dtype, if exact."""
    missing = np.zeros(len(array), np.bool_) if missing is None else missing
    items = array[~missing].tolist()
    kinds = {type(item) for item in items}
    if kinds == {bool}:
        dtype: type[np.generic] = np.bool_
    elif kinds == {float}:
        dtype = np.float64
    elif kinds <= {int} and kinds and max(items) < 2**63 and min(items) >= -(2**63):
        dtype = np.int64
    else:
        return array
    numbers = np.zeros(len(array), dtype=dtype)
    numbers[~missing] = items
    return numbers


def _from_series(series: nw.Series[Any], name: str) -> InputColumn:
    series = series.alias("column")  # Polars reads a name such as ^a.*$ as a pattern
    dtype = series.dtype
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _from_categories(series, name)
    null = series.is_null().to_numpy().astype(np.bool_)
    missing = null if null.any() else None
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.replace_time_zone(None)  # the day on the wall, where it was recorded
    wide = isinstance(dtype, nw.Int128 | nw.UInt128)
    if dtype.is_decimal() or wide or isinstance(dtype, nw.Object):
        return _from_array(objects_of(series.to_list()), name)
    refuse_nested(name, dtype)
    if missing is not None and (dtype.is_integer() or isinstance(dtype, nw.Boolean)):
        series = series.fill_null(value=dtype.is_integer() and 0)
    elif missing is not None and dtype.is_float():
        series = series.fill_null(value=float("nan"))
    values = series.to_numpy()
    if values.dtype.kind in "OUT" or isinstance(dtype, nw.String):
        values = np.array([*values.tolist(), None], dtype=object)[:-1]
    return InputColumn(name, values, missing)


def refuse_nested(name: str, dtype: nw.dtypes.DType) -> None:
    """Raise ValueError when each row holds several values."""
    if isinstance(dtype, nw.List | nw.Array | nw.Struct):
        raise ValueError(  # noqa: TRY004 - the column is usable, once one element is taken
            f"{name} holds a {dtype} in each row; take one element of it as a column"
        )


def _from_categories(series: nw.Series[Any], name: str) -> InputColumn:
    categories = series.cat.get_categories().to_list()
    null = series.is_null().to_numpy().astype(np.bool_)
    # An older Polars orders its categories by when they were first seen, which nobody declared.
    declared = not series.implementation.is_polars() and nw.is_ordered_categorical(series)
    ordered = isinstance(series.dtype, nw.Enum) or declared
    if null.all():
        stored, missing = np.zeros(len(series), np.int64), null if len(null) else None
        return InputColumn(name, stored, missing, tuple(categories), ordered)
    filled = series.fill_null(categories[0]) if null.any() else series
    codes = filled.replace_strict(categories, list(range(len(categories))), return_dtype=nw.Int64)
    stored = codes.to_numpy()
    nan = [code for code, item in enumerate(categories) if _is_null(item)]  # Arrow allows it
    if nan:
        null = null | np.isin(stored, nan)
    return InputColumn(name, stored, null if null.any() else None, tuple(categories), ordered)


def name_hint(name: str, names: Sequence[str]) -> str:
    """Return what else to write where there is no such column, as a question, or nothing.

    >>> name_hint("pd, age", ["age", "pd"]), name_hint("PD", ["age", "pd"]), name_hint("x", ["pd"])
    ("name each by itself: 'pd', 'age'", "did you mean 'pd'?", '')
    """
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and set(parts) <= {*names}:
        return f"name each by itself: {', '.join(map(repr, parts))}"
    folded = [other for other in names if other.strip().lower() == name.strip().lower()]
    near = folded or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def none_called(name: str | None, names: Sequence[str], what: str) -> str:
    """Say that there is none of a name, which may be meant, and which there are.

    >>> none_called("PD", ["age", "pd"], "column")
    "no column 'PD'; did you mean 'pd'? Its columns are 'age', 'pd'"
    """
    hint = name_hint(name or "", names)
    guess = f"{hint} Its" if hint.endswith("?") else f"{hint}; its" if hint else "its"
    return f"no {what} {name!r}; {guess} {what}s are {quoted_names(names)}"


def quoted_names(names: Sequence[str]) -> str:
    """List names in a message, each in quotes so that blanks can be seen."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more

"""Columns become a data frame of the kind that the rows came in, or else of one installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from capcurve.numbers.arguments import as_word

Backend = Literal["pandas", "polars", "pyarrow"]


def data_frame(columns: Mapping[str, Iterable[Any]], backend: Backend | None = None) -> Any:
    """Return columns as a data frame; without `backend` of the first kind that is installed.

    >>> data_frame({"bin": [1, 2], "score": [0.5, "A"]}, "polars").rows()
    [(1, '0.5'), (2, 'A')]
    """
    import narwhals.stable.v2 as nw

    known: tuple[Backend, ...] = get_args(Backend)
    wanted = known if backend is None else (as_word(backend, "backend", known, quote=""),)
    for name in wanted:
        if find_spec(name) is not None:
            cells = {name: of_one_type(column) for name, column in columns.items()}
            return nw.from_dict(cells, backend=name).to_native()
    needed = backend or "pandas, polars or pyarrow"
    raise ImportError(f"a data frame needs {needed}, which is not installed")


def of_one_type(column: Iterable[Any]) -> list[Any]:
    """Return a column as plain values: all floats where one is; numbers beside names as text.

    >>> of_one_type([2, 0.5, None])
    [2.0, 0.5, None]
    """
    values = column.tolist() if isinstance(column, np.ndarray) else column
    plain = [float(value) if isinstance(value, float) else value for value in values]
    kinds = {str if isinstance(value, str) else type(value) for value in plain if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in plain]
    if str not in kinds or kinds == {str}:
        return plain
    return [value if value is None else str(value) for value in plain]


def backend_of(*given: Any) -> Backend | None:
    """Return the kind of the first data frame or column among what was given, or None.

    >>> import polars
    >>> backend_of(None, [1, 2], {"pd": polars.Series([0.5])})
    'polars'
    """
    for each in given:
        name: Any = type(each).__module__.partition(".")[0]
        if name in get_args(Backend):
            found: Backend = name
            return found
        if isinstance(each, Mapping | list | tuple):
            parts = each.values() if isinstance(each, Mapping) else each
            inside = backend_of(*list(parts)[:1])
            if inside is not None:
                return inside
    return None

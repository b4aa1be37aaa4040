"""parquet files: exact names by position, and values in the type they were stored in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import Column
from capcurve.input.files.engine import (
    fetch_arrays,
    fetch_plain,
    fetch_rows,
    fetch_types,
    literal_path,
    select,
)
from capcurve.input.files.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from capcurve.input.files.sources import Source

_AS_STORED = {
    "BOOLEAN",
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("FLOAT", "DOUBLE", "VARCHAR"),
    *("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
}
_MOMENTS = {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"}
_AS_TEXT = {"UUID", "JSON", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "BIT"}
_DOUBLE_DIGITS = 15  # every decimal of so many digits has a double of its own


def open_parquet(connection: duckdb.DuckDBPyConnection, source: Source) -> Opened:
    """Make a parquet file ready to be read by position.

    Parameters
    ----------
    connection
        Where to read it.
    source
        The file.

    Returns
    -------
    Opened
        The file, its exact column names and their types.

    Raises
    ------
    ValueError
        When the file is damaged.
    """
    path = literal_path(source.path)
    schema = select(["name", "num_children"], f"parquet_schema({path})")
    rows = fetch_rows(connection, schema, source.label)
    names = tuple(_top_names(rows))
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    # Without this option a directory called month=2024 would add a column that no file has.
    relation = f"read_parquet({path}, hive_partitioning = false) AS t({aliases})"
    types = fetch_types(connection, relation, source.label)
    return Opened(source.label, "parquet", names, relation, types)


def _top_names(rows: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    """Walk the schema, depth first, past what lies inside a column."""
    inside = 0
    for name, children in rows[1:]:
        if inside:
            inside -= 1
        else:
            yield name
        inside += children or 0


def read_typed(
    connection: duckdb.DuckDBPyConnection, opened: Opened, names: Sequence[str]
) -> dict[str, Column]:
    """Read columns that carry a type of their own.

    Parameters
    ----------
    connection
        Where to read them.
    opened
        The file.
    names
        The columns.

    Returns
    -------
    dict
        Each name's column.

    Raises
    ------
    ValueError
        When a column's type is no number, text, category or time, or would lose digits.
    """
    places = {name: opened.position(name) for name in names}
    fields = [f"{typed_value(connection, opened, i)} AS c{i}" for i in places.values()]
    sql = select(fields, opened.relation)
    rows = fetch_rows(connection, select(["count(*)"], opened.relation), opened.label)[0][0]
    plain = fetch_plain(connection, sql, rows, opened.label)
    if plain is not None:
        found = [Column(name, c.values, c.missing) for name, c in zip(places, plain, strict=True)]
    else:
        arrays = fetch_arrays(connection, sql, opened.label)
        found = [as_column(name, arrays[f"c{i}"]) for name, i in places.items()]
    return {column.name: _typed(connection, opened, column) for column in found}


def as_column(name: str, found: Any) -> Column:
    """Split a masked array into values and a mask, without the mask where nothing is null."""
    values = np.ascontiguousarray(np.ma.getdata(found))
    mask = np.ma.getmaskarray(found) if np.ma.isMaskedArray(found) else None
    return Column(name, values, mask if mask is not None and mask.any() else None)


def _typed(connection: duckdb.DuckDBPyConnection, opened: Opened, column: Column) -> Column:
    """Give a column what its type says beyond the values: categories, moments in time."""
    name, place = column.name, opened.position(column.name)
    kind = opened.types[place]
    if kind in _MOMENTS:
        return Column(name, column.values.view("datetime64[us]"), column.missing)
    if not is_category(kind):
        return column
    sql = select([f"enum_range(any_value(c{place}))"], opened.relation)
    categories = tuple(fetch_rows(connection, sql, opened.label)[0][0])
    return Column(name, column.stored, column.missing, categories, ordered=True)


def typed_value(connection: duckdb.DuckDBPyConnection, opened: Opened, place: int) -> str:
    """Write the SQL that brings a column into a type NumPy has, without losing a digit."""
    kind, field = opened.types[place], f"c{place}"
    digits = re.fullmatch(r"DECIMAL\((\d+),\d+\)", kind)
    if digits and int(digits[1]) <= _DOUBLE_DIGITS:
        return f"CAST({field} AS DOUBLE)"
    if kind in {"HUGEINT", "UHUGEINT"}:
        return f"CAST({field} AS {_whole_type(connection, opened, place)})"
    forms = [
        (kind in _AS_STORED, field),
        (kind in _AS_TEXT, f"CAST({field} AS VARCHAR)"),
        (kind in _MOMENTS, f"epoch_us({field})"),
        (is_category(kind), f"enum_code({field})"),
        (kind == '"NULL"', "CAST(NULL AS DOUBLE)"),
    ]
    for fits, form in forms:
        if fits:
            return form
    column = f"column {opened.names[place]!r} of {opened.label}"
    if digits:
        raise ValueError(
            f"{column} is {kind}, more digits than a double holds; "
            f"cast it to double, or to a decimal of at most {_DOUBLE_DIGITS} digits"
        )
    if kind.endswith("]"):
        found = _lists(connection, opened, place)
        raise ValueError(
            f"{column} holds {found}; take one element of each, "
            f"such as the probability of the positive class"
        )
    raise ValueError(f"{column} is {kind.split('(')[0].lower()}; numbers, text or dates are needed")


def is_category(kind: str) -> bool:
    """Whether this is what DuckDB calls a type of declared categories."""
    return kind.startswith("ENUM(") and kind.endswith(")")


def _whole_type(connection: duckdb.DuckDBPyConnection, opened: Opened, place: int) -> str:
    """Find the 64-bit type that holds every whole number of a wider column."""
    sql = select([f"min(c{place})", f"max(c{place})"], opened.relation)
    low, high = fetch_rows(connection, sql, opened.label)[0]
    if low is None or (low >= -(2**63) and high < 2**63):
        return "BIGINT"
    if low >= 0 and high < 2**64:
        return "UBIGINT"
    raise ValueError(
        f"column {opened.names[place]!r} of {opened.label} holds whole numbers beyond 64 bits "
        f"({low} to {high}); cast it to double if digits may be lost"
    )


def _lists(connection: duckdb.DuckDBPyConnection, opened: Opened, place: int) -> str:
    sql = select([f"min(len(c{place}))", f"max(len(c{place}))"], opened.relation)
    low, high = fetch_rows(connection, sql, opened.label)[0]
    return "lists" if low is None or low != high else f"lists of {low}"


def is_moment(kind: str) -> bool:
    """Whether this is what DuckDB calls a moment in time, which `typed_value` makes a number."""
    return kind in _MOMENTS

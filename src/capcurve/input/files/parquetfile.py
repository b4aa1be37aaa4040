"""parquet files: exact names by position, and values in the type they were stored in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capcurve.input.columns import Column
from capcurve.input.files.engine import literal_path
from capcurve.input.files.table import Relation, Table

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


def open_parquet(connection: duckdb.DuckDBPyConnection, source: Source) -> Table:
    """Open a parquet file, or say in one line that it is damaged."""
    path = literal_path(source.path)
    schema = Relation(connection, source.label, f"parquet_schema({path})")
    names = tuple(_top_names(schema.rows(["name", "num_children"])))
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    # Without this option a directory called month=2024 would add a column that no file has.
    relation = f"read_parquet({path}, hive_partitioning = false) AS t({aliases})"
    types = Relation(connection, source.label, relation).types_of(["*"])
    return Table(connection, source.label, relation, "parquet", names, types)


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
    table: Table, names: Sequence[str], amounts: Sequence[str] = ()
) -> dict[str, Column]:
    """Read columns that carry a type of their own; of `amounts` what is not 0."""
    fields = {name: typed_value(table, table.position(name)) for name in names}
    found = table.plain_columns(fields, amounts) or table.columns(fields)
    return {name: _typed(table, column) for name, column in found.items()}


def _typed(table: Table, column: Column) -> Column:
    """Give a column what its type says beyond the values: categories, moments in time."""
    name, place = column.name, table.position(column.name)
    kind = table.types[place]
    if is_moment(kind):
        return Column(name, column.values.view("datetime64[us]"), column.missing)
    if not is_category(kind):
        return column
    categories = tuple(table.row([f"enum_range(any_value(c{place}))"])[0])
    return Column(name, column.stored, column.missing, categories, ordered=True)


def typed_value(table: Table, place: int) -> str:
    """Write the SQL that brings a column into a type NumPy has, without losing a digit."""
    kind, field = table.types[place], f"c{place}"
    digits = re.fullmatch(r"DECIMAL\((\d+),\d+\)", kind)
    if digits and int(digits[1]) <= _DOUBLE_DIGITS:
        return f"CAST({field} AS DOUBLE)"
    if kind in {"HUGEINT", "UHUGEINT"}:
        return f"CAST({field} AS {_whole_type(table, place)})"
    forms = [
        (kind in _AS_STORED, field),
        (kind in _AS_TEXT, f"CAST({field} AS VARCHAR)"),
        (is_moment(kind), f"epoch_us({field})"),
        (is_category(kind), f"enum_code({field})"),
        (kind == '"NULL"', "CAST(NULL AS DOUBLE)"),
    ]
    for fits, form in forms:
        if fits:
            return form
    column = f"column {table.names[place]!r} of {table.label}"
    if digits:
        raise ValueError(
            f"{column} is {kind}, more digits than a double holds; "
            f"cast it to double, or to a decimal of at most {_DOUBLE_DIGITS} digits"
        )
    if kind.endswith("]"):
        raise ValueError(
            f"{column} holds {_lists(table, place)}; take one element of each, "
            f"such as the probability of the positive class"
        )
    raise ValueError(f"{column} is {kind.split('(')[0].lower()}; numbers, text or dates are needed")


def is_category(kind: str) -> bool:
    """Whether this is what DuckDB calls a type of declared categories."""
    return kind.startswith("ENUM(") and kind.endswith(")")


def is_moment(kind: str) -> bool:
    """Whether this is what DuckDB calls a moment in time, which `typed_value` makes a number."""
    return kind in _MOMENTS


def _whole_type(table: Table, place: int) -> str:
    """Find the 64-bit type that holds every whole number of a wider column."""
    low, high = table.row([f"min(c{place})", f"max(c{place})"])
    if low is None or (low >= -(2**63) and high < 2**63):
        return "BIGINT"
    if low >= 0 and high < 2**64:
        return "UBIGINT"
    raise ValueError(
        f"column {table.names[place]!r} of {table.label} holds whole numbers beyond 64 bits "
        f"({low} to {high}); cast it to double if digits may be lost"
    )


def _lists(table: Table, place: int) -> str:
    low, high = table.row([f"min(len(c{place}))", f"max(len(c{place}))"])
    return "lists" if low is None or low != high else f"lists of {low}"

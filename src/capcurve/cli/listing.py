"""The columns of files at a glance, for someone who has not said which ones to read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from capcurve.input.files.engine import FileTable, Relation, one_line, one_of, select
from capcurve.input.files.reading import open_files
from capcurve.input.files.textvalues import ANY_NUMBER, PLAIN, matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.files import Files

ROWS = 200_000  # enough to tell the columns apart, within a second
_CELLS = 5_000_000  # fewer rows are looked at in a file of very many columns
_FIRST = 100
_FEW = 64  # up to so many distinct values are fetched
_EXAMPLES = 3
WIDTH = 40
_TYPES = {"VARCHAR": "text", "BOOLEAN": "yes/no", "DOUBLE": "number", "FLOAT": "number"}
_TYPES |= {"INTEGER": "integer", "UINTEGER": "integer", "ARRAY": "list", "OBJECT": "other"}
_COUNTS = [
    "count(*)",
    "count(v)",
    "count(DISTINCT v)",
    "[min(t), max(t)]",
    f"count_if({matches('v', PLAIN.whole)})",
    f"count_if({matches('v', ANY_NUMBER)})",
    "count_if(lower(trim(v)) IN ('true', 'false'))",
    "count(TRY_CAST(v AS TIMESTAMP))",
]
_Counts: TypeAlias = tuple[Any, ...]  # what _COUNTS gives


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """What a column looks like over the first 200,000 rows (fewer in very wide files)."""

    name: str  # its exact name
    type: str  # "integer", "number", "text", "yes/no", "date", "list", "empty" or "other"
    distinct: int  # how many different values
    nulls: int  # how many rows have no value
    # Up to three different values, as text: of few distinct ones the first, else from the first
    # rows.
    examples: tuple[str, ...]
    # How many rows this was read off where there may be more; None where it is all of them.
    first_rows: int | None = None


def list_columns(files: Files) -> tuple[ColumnInfo, ...]:
    r"""List the columns that every file has, in the order of the first file.

    Of a name that a file holds twice nothing is listed, for it cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "loans.csv")
    ...     _ = path.write_text("default,pd\n0,0.1\n1,NA\n")
    ...     for column in list_columns(Files.of(path)):
    ...         print(column.name, column.type, column.distinct, column.nulls)
    default integer 2 0
    pd number 1 1
    """
    with open_files(files, checked=False) as tables:
        for table in tables:
            table.refuse_headless()
        names = [name for name in tables[0].names if all(t.names.count(name) == 1 for t in tables)]
        return _glance(tables, names, files.null_values) if names else ()


def _glance(
    tables: Sequence[FileTable], names: Sequence[str], null_values: Sequence[str]
) -> tuple[ColumnInfo, ...]:
    """Describe every column by the first rows: counts, few distinct values, examples."""
    label = tables[0].label + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    limit = max(min(ROWS, _CELLS // len(names)), 1000)
    parts = " UNION ALL ".join(f"({_as_text(t, names, f)})" for f, t in enumerate(tables))
    connection = tables[0].connection
    with one_line(label):
        connection.execute(f"CREATE TEMP TABLE glance AS {parts} LIMIT {limit}")

    def cells(rows: str) -> Relation:
        return Relation(connection, label, _cells(rows, tables, null_values))

    every, by_column = cells("glance"), "GROUP BY i"
    counts = {i: tuple(found) for i, *found in every.rows(["i", *_COUNTS], by_column)}
    few = ", ".join(str(i) for i, found in counts.items() if found[2] <= _FEW)
    fields = ["i", "list_sort(list(DISTINCT v))"]
    values = dict(every.rows(fields, f"WHERE i IN ({few or -1}) {by_column}"))
    first: dict[int, list[str]] = {i: [] for i in counts}
    for i, value in cells(f"({select(['*'], 'glance', f'LIMIT {_FIRST}')})").rows(["i", "v"]):
        first[i] += [] if value is None else [value]
    read = [tables[f] for (f,) in Relation(connection, label, "glance").rows(["DISTINCT f"])]
    listed = [
        _describe(name, _types_of(read, name, counts[i][3]), counts[i], values.get(i), first[i])
        if i in counts
        else ColumnInfo(name, "empty", 0, 0, ())
        for i, name in enumerate(names)
    ]
    if not counts or counts[0][0] < limit:
        return tuple(listed)
    return tuple(replace(column, first_rows=limit) for column in listed)


def _cells(rows: str, tables: Sequence[FileTable], null_values: Sequence[str]) -> str:
    """Write the SQL that puts all columns below each other, the null words as nulls.

    Thousands of columns beside each other need thousands of expressions, which is slow.
    """
    stored = [str(f) for f, table in enumerate(tables) if table.kind == "parquet"]
    text_only = f"f NOT IN ({', '.join(stored)}) AND " if stored else ""
    value = f"CASE WHEN NOT ({text_only}{one_of('trim(v)', null_values)}) THEN v END AS v"
    below = ["f", "generate_subscripts(v, 1) - 1 AS i", "unnest(v) AS v", "unnest(t) AS t"]
    return f"({select(['i', value, 't'], f'({select(below, rows)})')})"


def _as_text(table: FileTable, names: Sequence[str], number: int) -> str:
    """Write the SQL for a file's number, all columns as text, and the types json gives."""
    places = [table.position(name) for name in names]
    typed, cast = table.kind == "parquet", "CAST(c{} AS VARCHAR)"
    values = ", ".join((cast if typed else "c{}").format(place) for place in places)
    types = ", ".join(f"nullif(t{place}, 'NULL')" for place in places)
    shapes = f"[{types}]" if table.kind == "json" else "CAST(NULL AS VARCHAR[])"
    return select([f"{number} AS f", f"[{values}] AS v", f"{shapes} AS t"], table.relation)


def _types_of(read: Sequence[FileTable], name: str, found: Sequence[str | None]) -> set[str]:
    """Return the types of a column in the files that were read."""
    types = {each for each in found if each}
    for table in read:
        if table.kind != "json":
            types.add(table.types[table.position(name)] if table.types else "text")
    return types


def _describe(
    name: str,
    types: set[str],
    counts: _Counts,
    values: Sequence[str | None] | None,
    first: Sequence[str],
) -> ColumnInfo:
    rows, n, distinct = counts[:3]
    shown = [value for value in values or () if value is not None] or list(dict.fromkeys(first))
    examples = tuple(
        value if len(value) <= WIDTH else value[: WIDTH - 1] + "…" for value in shown[:_EXAMPLES]
    )
    kinds = {_word(each, n, counts[4:]) for each in types if n}
    kinds = {"number"} if kinds == {"integer", "number"} else kinds
    kind = kinds.pop() if len(kinds) == 1 else "text" if kinds else "empty"
    return ColumnInfo(name, kind, distinct, rows - n, examples)


def _word(kind: str, n: int, counts: Sequence[int]) -> str:
    """Say in one word what a type is; for csv text, what all its values look like."""
    if kind != "text":
        if kind.endswith("]"):
            return "list"
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "date"
        if kind.startswith("DECIMAL"):
            return "number"
        return "integer" if kind.endswith("INT") else _TYPES.get(kind, "other")
    wholes, numbers, truths, dates = counts
    looks = {"integer": wholes, "number": numbers, "yes/no": truths, "date": dates}
    return next((word for word, count in looks.items() if count == n), "text")

"""The columns of files at a glance, for someone who has not said which ones to read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from capcurve.input.files.engine import fetch_rows, one_of, select
from capcurve.input.files.opened import headless, is_number
from capcurve.input.files.reading import open_files
from capcurve.input.files.textvalues import ANY_NUMBER, PLAIN, matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from capcurve.input.files.opened import Opened
    from capcurve.input.files.request import Files

_ROWS = 200_000  # a glance: enough to tell the columns apart, within a second
_CELLS = 5_000_000  # fewer rows are looked at in a file of very many columns
_FIRST = 100
_FEW = 64  # up to here the approximate distinct count is replaced by the exact one
_EXAMPLES = 3
_WIDTH = 40
_JSON = {"VARCHAR": "text", "BOOLEAN": "yes/no", "ARRAY": "list", "OBJECT": "other"}
_JSON |= {"BIGINT": "integer", "UBIGINT": "integer", "DOUBLE": "number"}
_STORED = {"BOOLEAN": "yes/no", "FLOAT": "number", "DOUBLE": "number", "VARCHAR": "text"}


_COUNTS = [
    "count(*)",
    "count(v)",
    "approx_count_distinct(v)",
    "[min(t), max(t)]",
    f"count_if({matches('v', PLAIN.whole)})",
    f"count_if({matches('v', ANY_NUMBER)})",
    "count_if(lower(trim(v)) IN ('true', 'false'))",
    "count(TRY_CAST(v AS TIMESTAMP))",
]


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """What a column looks like over the first 200,000 rows (fewer in very wide files).

    Attributes
    ----------
    name
        Its exact name.
    type
        "integer", "number", "text", "yes/no", "date", "list", "empty" or "other".
    distinct
        How many different values: exact up to 64, about so many above.
    nulls
        How many rows have no value.
    examples
        Up to three different values, as text.
    first_rows
        How many rows this was read off where there may be more; None where it is all of them.
    """

    name: str
    type: str
    distinct: int
    nulls: int
    examples: tuple[str, ...]
    first_rows: int | None = None


def list_columns(files: Files) -> tuple[ColumnInfo, ...]:
    r"""List the columns that every file has, in the order of the first file.

    Parameters
    ----------
    files
        Which files to look at, and how their text is written.

    Returns
    -------
    tuple of ColumnInfo
        One per column; of a name that a file holds twice, none, for it cannot be read.

    Raises
    ------
    ValueError
        When a file cannot be read, or its first line holds numbers, not names.
    OSError
        When a file cannot be opened.

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
    with open_files(files, checked=False) as (connection, tables):
        for opened in tables:
            if opened.kind == "csv" and all(map(is_number, opened.names)):
                raise headless(opened.label, opened.names)
        names = [name for name in tables[0].names if all(t.names.count(name) == 1 for t in tables)]
        return _Glance(connection, tables, names, files).columns() if names else ()


class _Glance:
    """The first rows of all files as one table: the file (f), values as text (v), types (t)."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        tables: Sequence[Opened],
        names: Sequence[str],
        files: Files,
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._names = names
        self._nulls = files.null_values
        more = f" and {len(tables) - 1} more" if len(tables) > 1 else ""
        self._label = tables[0].label + more
        self._rows = max(min(_ROWS, _CELLS // len(names)), 1000)
        parts = " UNION ALL ".join(f"({_as_text(t, names, f)})" for f, t in enumerate(tables))
        sql = f"CREATE TEMP TABLE glance AS {parts} LIMIT {self._rows}"
        fetch_rows(connection, sql, self._label)

    def columns(self) -> tuple[ColumnInfo, ...]:
        """Describe every column: counts, few distinct values, first rows."""
        cells = self._cells("glance")
        counts = self._by_column(_COUNTS, cells)
        few = ", ".join(str(i) for i, found in counts.items() if found[2] <= _FEW)
        some = f"({select(['i', 'v'], cells, f'WHERE i IN ({few or -1})')})"
        values = self._by_column(["list_sort(list(DISTINCT v))"], some)
        first: dict[int, list[str | None]] = {i: [] for i in counts}
        rows = self._cells(f"({select(['*'], 'glance', f'LIMIT {_FIRST}')})")
        for i, value in self._select(["i", "v"], rows):
            first[i].append(value)
        read = [self._tables[f] for (f,) in self._select(["DISTINCT f"], "glance")]
        listed = [
            _describe(name, _shapes(read, name, counts[i][3]), counts[i], values.get(i), first[i])
            if i in counts
            else ColumnInfo(name, "empty", 0, 0, ())
            for i, name in enumerate(self._names)
        ]
        if not counts or counts[0][0] < self._rows:
            return tuple(listed)
        return tuple(replace(column, first_rows=self._rows) for column in listed)

    def _cells(self, rows: str) -> str:
        """Write the SQL that puts all columns below each other, the null words as nulls.

        Thousands of columns beside each other need thousands of expressions, which is slow.
        """
        stored = [str(f) for f, opened in enumerate(self._tables) if opened.kind == "parquet"]
        text_only = f"f NOT IN ({', '.join(stored)}) AND " if stored else ""
        value = f"CASE WHEN NOT ({text_only}{one_of('trim(v)', self._nulls)}) THEN v END AS v"
        below = ["f", "generate_subscripts(v, 1) - 1 AS i", "unnest(v) AS v", "unnest(t) AS t"]
        return f"({select(['i', value, 't'], f'({select(below, rows)})')})"

    def _by_column(self, fields: Sequence[str], cells: str) -> dict[int, Sequence[Any]]:
        rows = self._select(["i", *fields], cells, "GROUP BY i")
        return {row[0]: row[1:] if len(fields) > 1 else row[1] for row in rows}

    def _select(self, fields: Sequence[str], relation: str, tail: str = "") -> list[Any]:
        return fetch_rows(self._connection, select(fields, relation, tail), self._label)


def _as_text(opened: Opened, names: Sequence[str], number: int) -> str:
    """Write the SQL for a file's number, all columns as text, and the types json gives."""
    places = [opened.position(name) for name in names]
    typed, cast = opened.kind == "parquet", "CAST(c{} AS VARCHAR)"
    values = ", ".join((cast if typed else "c{}").format(place) for place in places)
    types = ", ".join(f"nullif(t{place}, 'NULL')" for place in places)
    shapes = f"[{types}]" if opened.kind == "json" else "CAST(NULL AS VARCHAR[])"
    return select([f"{number} AS f", f"[{values}] AS v", f"{shapes} AS t"], opened.relation)


def _shapes(read: Sequence[Opened], name: str, found: Sequence[str | None]) -> set[str]:
    """Return the types of a column in the files that were read."""
    shapes = {shape for shape in found if shape}
    for opened in read:
        if opened.kind != "json":
            shapes.add(opened.types[opened.position(name)] if opened.types else "text")
    return shapes


def _describe(
    name: str,
    shapes: set[str],
    counts: Sequence[Any],
    values: Sequence[str] | None,
    first: Sequence[str | None],
) -> ColumnInfo:
    rows, n, approximate = counts[:3]
    found = dict.fromkeys(value for value in first if value is not None)
    if values is None:
        distinct, shown = int(approximate), list(found)
    else:
        known = [value for value in values if value is not None]
        distinct, shown = len(known), known if len(known) <= _EXAMPLES else list(found) or known
    examples = tuple(
        value if len(value) <= _WIDTH else value[: _WIDTH - 1] + "…" for value in shown[:_EXAMPLES]
    )
    kinds = {_word(shape, n, counts[4:]) for shape in shapes if n}
    kinds = {"number"} if kinds == {"integer", "number"} else kinds
    kind = kinds.pop() if len(kinds) == 1 else "text" if kinds else "empty"
    return ColumnInfo(name, kind, min(distinct, n), rows - n, examples)


def _word(shape: str, n: int, counts: Sequence[int]) -> str:
    """Say in one word what a type is; for csv text, what all its values look like."""
    if shape != "text":
        if shape.endswith("]"):
            return "list"
        if shape.startswith(("DATE", "TIMESTAMP")):
            return "date"
        if shape.startswith("DECIMAL"):
            return "number"
        whole = shape.endswith("INT") or shape in {"INTEGER", "UINTEGER"}
        return "integer" if whole else _JSON.get(shape) or _STORED.get(shape, "other")
    wholes, numbers, truths, dates = counts
    looks = {"integer": wholes, "number": numbers, "yes/no": truths, "date": dates}
    return next((word for word, count in looks.items() if count == n), "text")

"""The columns of files at a glance, for someone who has not said which ones to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.files.engine import fetch_rows, one_of, select, text
from capcurve.files.opened import headless, is_number
from capcurve.files.reading import open_files
from capcurve.files.textvalues import ANY_NUMBER, PLAIN, matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from capcurve.files.opened import Opened
    from capcurve.files.request import Files

_ROWS = 200_000  # a glance: enough to tell the columns apart, within a second
_CELLS = 5_000_000  # fewer rows are looked at in a file of very many columns
_AT_ONCE = 64
_FEW = 64  # up to here the approximate distinct count is replaced by the exact one
_EXAMPLES = 3
_WIDTH = 40
_JSON = {"VARCHAR": "text", "BOOLEAN": "yes/no", "ARRAY": "list", "OBJECT": "other"}
_JSON |= {"BIGINT": "integer", "UBIGINT": "integer", "DOUBLE": "number"}
_STORED = {"BOOLEAN": "yes/no", "FLOAT": "number", "DOUBLE": "number", "VARCHAR": "text"}


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
    """

    name: str
    type: str
    distinct: int
    nulls: int
    examples: tuple[str, ...]


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
    >>> from capcurve.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "loans.csv")
    ...     _ = path.write_text("default,pd\n0,0.1\n1,NA\n")
    ...     for column in list_columns(Files.of(path)):
    ...         print(column.name, column.type, column.distinct, column.nulls)
    default integer 2 0
    pd number 1 1
    """
    with open_files(files) as (connection, tables):
        for opened in tables:
            if opened.kind == "csv" and all(map(is_number, opened.names)):
                raise headless(opened.label, opened.names)
        names = [name for name in tables[0].names if all(t.names.count(name) == 1 for t in tables)]
        return _Glance(connection, tables, names, files).columns() if names else ()


class _Glance:
    """The first rows of all files as one table: column vi as text, column si its type."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        tables: Sequence[Opened],
        names: Sequence[str],
        files: Files,
    ) -> None:
        self._connection = connection
        self._names = names
        more = f" and {len(tables) - 1} more" if len(tables) > 1 else ""
        self._label = tables[0].label + more
        rows = max(min(_ROWS, _CELLS // len(names)), 1000)
        parts = " UNION ALL ".join(f"({_as_text(opened, names, files)})" for opened in tables)
        sql = f"CREATE TEMP TABLE glance AS {parts} LIMIT {rows}"
        fetch_rows(connection, sql, self._label)

    def columns(self) -> tuple[ColumnInfo, ...]:
        """Describe every column: counts, few distinct values, first rows."""
        places = list(range(len(self._names)))
        flat = self._aggregate([field for i in places for field in _counts(f"v{i}", f"s{i}")])
        counts = [flat[8 * i : 8 * i + 8] for i in places]
        few = [i for i in places if counts[i][2] <= _FEW]
        lists = self._aggregate([f"list_sort(list(DISTINCT v{i}))" for i in few])
        values = dict(zip(few, lists, strict=True))
        first = self._select([f"v{i}" for i in places], "LIMIT 100")
        return tuple(
            _describe(name, counts[i], values.get(i), [row[i] for row in first])
            for i, name in enumerate(self._names)
        )

    def _aggregate(self, fields: Sequence[str]) -> list[Any]:
        """Select aggregates some at a time: each distinct one holds memory of its own."""
        parts = [fields[i : i + _AT_ONCE] for i in range(0, len(fields), _AT_ONCE)]
        return [value for part in parts for value in self._select(part)[0]]

    def _select(self, fields: Sequence[str], tail: str = "") -> list[tuple[Any, ...]]:
        return fetch_rows(self._connection, select(fields, "glance", tail), self._label)


def _as_text(opened: Opened, names: Sequence[str], files: Files) -> str:
    """Write the SQL for every column as text, and for the type its file gives it."""
    fields = []
    for i, name in enumerate(names):
        place = opened.position(name)
        if opened.kind == "parquet":
            fields.append(f"CAST(c{place} AS VARCHAR) AS v{i}, {text(opened.types[place])} AS s{i}")
            continue
        null = one_of(f"trim(c{place})", files.null_values)
        value = f"CASE WHEN NOT {null} THEN c{place} END"
        shape = f"nullif(t{place}, 'NULL')" if opened.kind == "json" else "'text'"
        fields.append(f"{value} AS v{i}, {shape} AS s{i}")
    return select(fields, opened.relation)


def _counts(value: str, shape: str) -> list[str]:
    return [
        "count(*)",
        f"count({value})",
        f"approx_count_distinct({value})",
        f"[min({shape}), max({shape})]",
        f"count_if({matches(value, PLAIN.whole)})",
        f"count_if({matches(value, ANY_NUMBER)})",
        f"count_if(lower(trim({value})) IN ('true', 'false'))",
        f"count(TRY_CAST({value} AS TIMESTAMP))",
    ]


def _describe(
    name: str, counts: Sequence[Any], values: Sequence[str] | None, first: Sequence[str | None]
) -> ColumnInfo:
    rows, n, approximate, shapes = counts[:4]
    found = dict.fromkeys(value for value in first if value is not None)
    if values is None:
        distinct, shown = int(approximate), list(found)
    else:
        known = [value for value in values if value is not None]
        distinct, shown = len(known), known if len(known) <= _EXAMPLES else list(found) or known
    examples = tuple(
        value if len(value) <= _WIDTH else value[: _WIDTH - 1] + "…" for value in shown[:_EXAMPLES]
    )
    kinds = {_word(shape, n, counts[4:]) for shape in shapes if n and shape}
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

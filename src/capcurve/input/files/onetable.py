"""The rows of all files as one SQL relation of typed columns, looked over before it is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Dropped
from capcurve.counts.table import refuse_too_many
from capcurve.input.arrays.checks import missing_message
from capcurve.input.arrays.labels import positive_rows
from capcurve.input.files.engine import select, text
from capcurve.input.files.parquetfile import is_category, is_moment, typed_value
from capcurve.input.files.reading import text_fields
from capcurve.input.files.table import Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.arrays import Rules
    from capcurve.input.files.sources import Files
    from capcurve.input.files.table import Table

FLOATS = ("FLOAT", "DOUBLE")
SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
MOST_LABELS = 100
LARGEST_WEIGHT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class OneTable(Relation):
    """Rows of all files: columns v0, v1, ... of these names and DuckDB types."""

    names: tuple[str, ...]
    types: tuple[str, ...]

    def absent(self, place: int) -> str:
        """Write the SQL that asks whether a row lacks a column."""
        nan = f" OR isnan(v{place})" if self.types[place] in FLOATS else ""
        return f"(v{place} IS NULL{nan})"

    @property
    def complete(self) -> str:
        """The SQL that asks whether a row lacks none of the columns."""
        return f"NOT ({' OR '.join(self.absent(place) for place in range(len(self.names)))})"


def one_table(tables: Sequence[Table], names: Sequence[str], files: Files) -> OneTable:
    """Put columns of all files below each other, each in one type that loses no digit."""
    label = tables[0].label + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    written = text_fields(tables, list(dict.fromkeys(names)), files)
    fields = [
        [_stored(table, name) if table.kind == "parquet" else of_file[name] for name in names]
        for table, of_file in zip(tables, written, strict=True)
    ]
    found = [table.types_of(of_file) for table, of_file in zip(tables, fields, strict=True)]
    types = tuple(map(_common_type, names, zip(*found, strict=True)))
    parts = []
    for table, of_file in zip(tables, fields, strict=True):
        pairs = enumerate(zip(of_file, types, strict=True))
        cast = [f"CAST({field} AS {kind}) AS v{place}" for place, (field, kind) in pairs]
        parts.append(select(cast, table.relation))
    union = f"({' UNION ALL '.join(parts)})"
    return OneTable(tables[0].connection, label, union, tuple(names), types)


def _stored(table: Table, name: str) -> str:
    """Write the SQL for a column of a parquet file: categories as text, moments as such."""
    place = table.position(name)
    if is_category(table.types[place]):
        return f"CAST(c{place} AS VARCHAR)"
    field = typed_value(table, place)
    return f"make_timestamp({field})" if is_moment(table.types[place]) else field


def _common_type(name: str, kinds: Sequence[str]) -> str:
    """Return the one type that holds a column of every file."""
    several = set(kinds)
    if len(several) == 1:
        return kinds[0]
    if several <= set(FLOATS):
        return "DOUBLE"
    if several <= {*SIGNED, *UNSIGNED[:-1]}:
        return "BIGINT"
    if several <= set(UNSIGNED):
        return "UBIGINT"
    found = " in one file and ".join(sorted(several)).lower()
    raise ValueError(
        f"column {name!r} is {found} in another; with memory_limit=, all files must hold one type"
    )


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What is known before any score is read."""

    positive: str  # sQL that is 1 where a row is a positive and 0 elsewhere
    rows: int  # how many rows lack no column
    dropped: Dropped | None  # those that do, or None when that was not asked for


def first_look(table: OneTable, rules: Rules, *, weighted: bool, order: Sequence[int]) -> FirstLook:
    """Learn which label is that of positives, and which rows lack a column.

    `order` is that of the columns in the account.
    """
    lacking = [_rows_with(table.absent(place)) for place in range(len(table.names))]
    total, complete, *missing = table.row(["count(*)", _rows_with(table.complete), *lacking])
    lost = {table.names[place]: int(missing[place]) for place in order if missing[place]}
    if lost and rules.missing == "raise":
        raise ValueError(missing_message(lost, total))
    positive = _positive(table, rules.pos_label)
    if weighted:
        _check_weights(table, positive)
    dropped = Dropped(total - complete, lost) if rules.missing == "drop" else None
    return FirstLook(positive, complete, dropped)


def _rows_with(condition: str) -> str:
    """Write the SQL that counts rows; unlike count_if, it is zero where there are none."""
    return f"count(*) FILTER (WHERE {condition})"


def _positive(table: OneTable, pos_label: object) -> str:
    """Write the SQL for positives; labels are compared by value, as for every input."""
    name = table.names[0]
    present = f"WHERE NOT {table.absent(0)}"
    if len(table.rows(["DISTINCT v0"], f"{present} LIMIT {MOST_LABELS}")) == MOST_LABELS:
        raise ValueError(
            f"{name} must have two classes, and holds {MOST_LABELS} different labels or more; is "
            "it the score?"
        )
    fields = {"label": "v0", "word": "CAST(v0 AS VARCHAR)", "rows": "count(*)"}
    found = table.columns(fields, f"{present} GROUP BY v0 ORDER BY v0")
    times = found["rows"].values.astype(np.int64)
    rows = positive_rows(replace(found["label"], name=name), pos_label, None, times)
    if not rows.any():
        return "CAST(0 AS TINYINT)"
    word = str(found["word"].values[rows][0])
    return f"CAST(v0 = CAST({text(word)} AS {table.types[0]}) AS TINYINT)"


def _check_weights(table: OneTable, positive: str) -> None:
    """Refuse weights that are no frequencies, and a class of rows that weigh nothing."""
    name, present = table.names[2], f"WHERE {table.complete}"
    wrong = f"(v2 < 0 OR v2 <> floor(v2) OR v2 > {LARGEST_WEIGHT})"
    fields = [_rows_with(wrong), f"any_value(v2) FILTER ({wrong})", "sum(v2)"]
    bad, example, total = table.rows(fields, present)[0]
    if bad:
        raise ValueError(
            f"{name} holds {example:g} ({bad} such rows); frequency weights are whole numbers, "
            "zero or more"
        )
    refuse_too_many(int(total or 0))
    fields = [f"{positive} AS y", "count(*)", _rows_with("v2 > 0")]
    for y, rows, heavy in table.rows(fields, f"{present} GROUP BY y"):
        if rows and not heavy:
            which = "positives" if y else "negatives"
            raise ValueError(f"{name} is zero for all {rows} {which}; each class needs some weight")

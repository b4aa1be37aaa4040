"""A first look at the rows of files: which are positives, and how many lack a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Dropped
from capcurve.counts.algebra import refuse_too_many
from capcurve.input.arrays.checks import missing_message
from capcurve.input.arrays.labels import positive_rows
from capcurve.input.files.engine import fetch_arrays, select, text
from capcurve.input.files.parquetfile import as_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.arrays import Rules
    from capcurve.input.files.onetable import OneTable

MOST_LABELS = 100
LARGEST_WEIGHT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What is known before any score is read.

    Attributes
    ----------
    positive
        SQL that is 1 where a row is a positive and 0 elsewhere.
    rows
        How many rows lack no column.
    dropped
        Those that do, or None when that was not asked for.
    """

    positive: str
    rows: int
    dropped: Dropped | None


def first_look(table: OneTable, rules: Rules, *, weighted: bool, order: Sequence[int]) -> FirstLook:
    """Learn which label is that of positives, and which rows lack a column.

    `order` is that of the columns in the account.

    Raises
    ------
    ValueError
        For labels that do not say which class is positive, missing values unless they may be
        left out, and weights that are no frequencies.
    """
    lacking = [_rows_with(table.absent(place)) for place in range(len(table.names))]
    total, kept, *missing = table.rows(["count(*)", _rows_with(table.complete), *lacking])[0]
    lost = {table.names[place]: int(missing[place]) for place in order if missing[place]}
    if lost and rules.missing == "raise":
        raise ValueError(missing_message(lost, total))
    positive = _positive(table, rules.pos_label)
    if weighted:
        _check_weights(table, positive)
    dropped = Dropped(total - kept, lost) if rules.missing == "drop" else None
    return FirstLook(positive, kept, dropped)


def _rows_with(condition: str) -> str:
    """Write the SQL that counts rows; unlike count_if, it is zero where there are none."""
    return f"count(*) FILTER (WHERE {condition})"


def _positive(table: OneTable, pos_label: object) -> str:
    """Write the SQL for positives; labels are compared by value, as for every input."""
    name = table.names[0]
    present = f"WHERE NOT {table.absent(0)}"
    some = f"({select(['DISTINCT v0'], table.relation, f'{present} LIMIT {MOST_LABELS}')})"
    sql = select(["v0"], some)
    if len(fetch_arrays(table.connection, sql, table.label)["v0"]) == MOST_LABELS:
        raise ValueError(
            f"{name} must have two classes, and holds {MOST_LABELS} different labels or more; is "
            "it the score?"
        )
    fields = ["v0", "CAST(v0 AS VARCHAR) AS words", "count(*) AS n"]
    found = fetch_arrays(
        table.connection,
        select(fields, table.relation, f"{present} GROUP BY v0 ORDER BY v0"),
        table.label,
    )
    times = np.asarray(found["n"], dtype=np.int64)
    rows = positive_rows(as_column(name, found["v0"]), pos_label, None, times)
    words = [str(word) for word in np.ma.getdata(found["words"])[rows]]
    if not words:
        return "CAST(0 AS TINYINT)"
    return f"CAST(v0 = CAST({text(words[0])} AS {table.types[0]}) AS TINYINT)"


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

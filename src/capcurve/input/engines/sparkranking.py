"""The exact totals of a ranking, found inside Spark: three looks at the rows, few rows home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.engines.buckets import totals_of, wanted_buckets
from capcurve.input.engines.looking import MOST_LABELS, Look, look_at, refuse_digits
from capcurve.input.engines.spark import functions_of, narrowed, one_line
from capcurve.input.engines.sparksums import bucket_sums, class_rows, sampled_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Direction, RankTotals
    from capcurve.input.arrays import Rules

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")


def rank_in_spark(native: Any, target: str, name: str, score: str, rules: Rules) -> RankTotals:
    """Return the exact totals of a ranking whose distinct scores are too many to fetch.

    Parameters
    ----------
    native
        The Spark DataFrame; it is read three or four times, so cache it if it is costly.
    target, score
        Names of columns.
    name
        What the score is called.
    rules
        How rows are to be read.

    Raises
    ------
    ValueError
        As `count_scores` does, and when the rows differ from one reading to the next.
    """
    rows = _plain(narrowed(native, {"t": target, "s": score}), name)
    with one_line():
        look = rows.groupBy("t", _expr(rows, "s IS NULL AS gone")).count()
        found = look.limit(MOST_LABELS + 1).collect()
    seen = look_at([(row["t"], row["gone"], row["count"]) for row in found], target, name, rules)
    direction, _ = rules.of_score(name, [name])
    return _ranked(_marked(rows, seen.positive), seen, direction)


def _plain(rows: Any, score: str) -> Any:
    """Return the rows with NaN as null, and scores as numbers that Python holds as they are."""
    kind = {field.name: field.dataType for field in rows.schema.fields}
    name = kind["s"].typeName()
    if name not in NUMBERS:
        raise ValueError(f"{score} has too many distinct values and they are {name}, not numbers")
    numbers = "s"
    if name == "decimal":
        refuse_digits(score, kind["s"].precision)
        numbers = "double(s) AS s"
    elif name in {"float", "double"}:
        numbers = "nanvl(s, NULL) AS s"
    labels = "nanvl(t, NULL) AS t" if kind["t"].typeName() in {"float", "double"} else "t"
    return rows.selectExpr(labels, numbers)


def _marked(rows: Any, positive: Sequence[Any]) -> Any:
    """Return the rows with the score `s` and whether they are positives, `up`."""
    functions = functions_of(rows)
    up = (
        functions.col("t") == positive[0] if positive else _expr(rows, "if(t IS NULL, NULL, false)")
    )
    return rows.select("s", up.alias("up"))


def _ranked(rows: Any, seen: Look, direction: Direction) -> RankTotals:
    with one_line():
        cells = class_rows(rows, sampled_edges(rows, sum(seen.totals)))
        buckets = bucket_sums(cells, seen.totals, direction)
        fetched = _fetched(cells, wanted_buckets(buckets), descending=direction == "positive")
    return totals_of(buckets, fetched, direction, seen.dropped)


def _fetched(
    cells: Any, keys: list[int], *, descending: bool
) -> dict[int, tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]]:
    """Return every score of a few buckets, in order, with its positives and negatives."""
    wanted = cells.where(f"b IN ({', '.join(map(str, keys))})")
    sums = wanted.groupBy("b", "s").agg(
        _expr(wanted, "sum(if(up, n, 0)) AS p"), _expr(wanted, "sum(if(up, 0, n)) AS q")
    )
    table = sums.toArrow()
    b, p, q = (np.asarray(table[name].to_numpy()) for name in ("b", "p", "q"))
    score = np.asarray(table["s"].to_numpy())
    order = np.lexsort((score,))[:: -1 if descending else 1]
    picked = {key: order[b[order] == key] for key in keys}
    return {key: (score[rows], p[rows], q[rows]) for key, rows in picked.items()}


def _expr(frame: Any, sql: str) -> Any:
    return functions_of(frame).expr(sql)

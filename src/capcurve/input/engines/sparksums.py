"""Exact sums per bucket of scores in Spark: no window without a partition, no row to the driver.

Scores are cut into buckets at sampled edges; which edges does not matter to any result. Rows are
grouped by score and class, ordered within each bucket, and one row per bucket is collected.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from capcurve.input.engines.buckets import CHANGED, SMALL_CELL, Bucket, in_order, lone_bucket

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Direction

EDGES = 1024
SAMPLED = 400_000
SEED = 1
# Sums in 64 bits; where they do not suffice, in 38 digits, which hold 10^12 cases.
NARROW, WIDE = "bigint", "decimal(38,0)"


def sampled_edges(rows: Any, count: int) -> list[float]:
    """Return where to cut the scores `s` of some `count` rows into about equal buckets.

    A score that many rows share gets a bucket of its own.
    """
    parts = ",".join(repr(part / EDGES) for part in range(1, EDGES))
    sample = rows.select("s").sample(fraction=min(1.0, SAMPLED / max(count, 1)), seed=SEED)
    asked = f"percentile_approx(double(s), array({parts}), 10000) AS edges"
    found = sample.selectExpr(asked).collect()[0][0] or []
    largest = sys.float_info.max
    edges = {-largest, largest}
    for edge, following in zip(found, [*found[1:], None], strict=True):
        if math.isfinite(edge):
            edges |= {edge, math.nextafter(edge, math.inf)} if edge == following else {edge}
    return sorted(edges)


def class_rows(rows: Any, edges: Sequence[float]) -> Any:
    """Return the rows grouped by bucket `b`, score `s` and class `up`, with their number `n`."""
    # A binary search: halving by halving, b becomes the number of edges at or below the score.
    steps = ",".join(str(2**power) for power in reversed(range(len(edges).bit_length())))
    at_or_below = f"double(s) >= {_array(edges)}[b + step - 1]"
    search = f"aggregate(array({steps}), 0, (b, step) -> b + if({at_or_below}, step, 0)) AS b"
    cells = rows.where("s IS NOT NULL AND up IS NOT NULL").selectExpr("s", "up", search)
    return cells.groupBy("b", "s", "up").count().withColumnRenamed("count", "n")


def _array(edges: Sequence[float]) -> str:
    """Return the edges as an SQL array of a length one below a power of two; NaN is no edge."""
    padding = 2 ** len(edges).bit_length() - 1 - len(edges)
    return f"array({','.join([*(f'{edge!r}D' for edge in edges)] + [NAN] * padding)})"


NAN = "double('NaN')"


def bucket_sums(cells: Any, totals: tuple[int, int], higher_is: Direction) -> list[Bucket]:
    """Return the sums of every bucket, most likely positive first.

    Raises
    ------
    ValueError
        When the rows do not add up to `totals`, the positives and negatives seen before.
    """
    found = _sums(cells, totals, higher_is, NARROW).collect()
    if any(row["over"] for row in found if row["scores"] > 1):
        found = _sums(cells, totals, higher_is, WIDE).collect()
    buckets = in_order((_bucket(row, totals) for row in found), higher_is)
    if totals != (sum(b.positives for b in buckets), sum(b.negatives for b in buckets)):
        raise ValueError(CHANGED)
    return buckets


def _sums(cells: Any, totals: tuple[int, int], higher_is: Direction, number: str) -> Any:
    """Return a frame with one row for each bucket; whole numbers are taken as `number`."""
    down = "DESC" if higher_is == "positive" else "ASC"
    # Within a tie the negatives come first, so a score has at most two rows, and those adjacent.
    order = f"(PARTITION BY b ORDER BY s {down}, up)"
    running = order[:-1] + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    ordered = cells.selectExpr("b", "s", "up", f"CAST(n AS {number}) AS n").selectExpr(
        "b", "s", "up", "n",
        f"sum(if(up, n, 0)) OVER {running} AS c",
        f"sum(if(up, 0, n)) OVER {running} AS d",
        f"if(up AND lag(s) OVER {order} = s, lag(n) OVER {order}, 0) AS n0",
        f"if(NOT up AND lead(s) OVER {order} = s, lead(n) OVER {order}, 0) AS n1",
    )  # fmt: skip
    placed = ordered.selectExpr(
        "b", "s", "up", "n", "n0", "c", "d",
        "if(up, 2 * d - n0, 2 * c + n1) AS twice",
        "if(up OR n1 = 0, n + n0, NULL) AS t",
    )  # fmt: skip
    gap = f"try_subtract(try_multiply(c, {totals[1]}L), try_multiply(d, {totals[0]}L))"
    squared = placed.selectExpr(
        "b", "s", "up", "n", "n0", "t",
        "try_multiply(n, twice) AS m",
        "try_multiply(n, try_multiply(twice, twice)) AS mm",
        "try_multiply(t, t) AS tt",
        "try_multiply(t, try_multiply(t, t)) AS ttt",
        f"if(t IS NULL, NULL, {gap}) AS gap",
    )  # fmt: skip
    sums = {
        "positives": "sum(if(up, n, 0))", "negatives": "sum(if(up, 0, n))",
        "tied": "try_sum(if(up, try_multiply(n, n0), 0))",
        "a": "try_sum(if(up, m, 0))", "aa": "try_sum(if(up, mm, 0))",
        "b": "try_sum(if(up, 0, m))", "bb": "try_sum(if(up, 0, mm))",
        "squares": "try_sum(tt)", "cubes": "try_sum(ttt)",
        "highest": "max(gap)", "lowest": "min(gap)", "smallest": "min(t)",
    }  # fmt: skip
    per_bucket = (
        squared.selectExpr("b AS key", "*")
        .groupBy("key")
        .agg(
            *(_expr(cells, f"{sql} AS {name}") for name, sql in sums.items()),
            _expr(cells, "count(t) AS scores"),
            _expr(cells, f"count_if(t < {SMALL_CELL}) AS small"),
            _expr(cells, f"{'min' if higher_is == 'positive' else 'max'}(s) AS last"),
            _expr(cells, OVER),
        )
    )
    some_sum = " OR ".join(f"{name} IS NULL" for name in ("tied", "a", "aa", "b", "bb", "cubes"))
    return per_bucket.withColumn("over", _expr(cells, f"over OR {some_sum}"))


# A product that does not fit is null, and a sum would pass over it in silence.
OVER = "bool_or(mm IS NULL OR (t IS NOT NULL AND (ttt IS NULL OR gap IS NULL))) AS over"


def _expr(frame: Any, sql: str) -> Any:
    from capcurve.input.engines.spark import functions_of

    return functions_of(frame).expr(sql)


def _bucket(row: Any, totals: tuple[int, int]) -> Bucket:
    key, last = int(row["key"]), row["last"]
    p, n = int(row["positives"]), int(row["negatives"])
    if row["scores"] == 1:
        return lone_bucket(key, last, p, n, totals)
    names = ("tied", "a", "aa", "b", "bb", "squares", "cubes", "small", "smallest")
    whole = [int(row[name]) for name in (*names, "highest", "lowest")]
    return Bucket(key, int(row["scores"]), last, p, n, *whole)

"""Ranking in an engine on this machine: it groups and sorts, and hands cells over in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from capcurve.counts import count_sorted
from capcurve.input.engines.limits import MOST_LABELS, look_at, refuse_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts import RankTotals
    from capcurve.input.arrays import Rules

BATCH = 500_000


def rank_by_streaming(
    narrow: nw.LazyFrame[Any], target: str, score: str, rules: Rules
) -> RankTotals:
    """Return the exact totals of a ranking from sorted cells, of which few are held at a time.

    `narrow` is a frame of DuckDB or Ibis with the target as `t` and the score as `s`.
    """
    rows = narrow.select(*(_plain(narrow, name, score) for name in ("t", "s")))
    found = rows.group_by("t", nw.col("s").is_null().alias("gone")).agg(nw.len().alias("n"))
    first = found.head(MOST_LABELS + 1).collect()
    columns = (first[name].to_list() for name in ("t", "gone", "n"))
    seen = look_at([*zip(*columns, strict=True)], target, score, rules)
    direction, _ = rules.of_score(score, [score])
    up = nw.col("t") == seen.positive[0] if seen.positive else nw.lit(value=False)
    whole = rows.filter(~nw.col("t").is_null(), ~nw.col("s").is_null())
    cells = whole.with_columns(up.cast(nw.Int64).alias("p")).group_by("s")
    ordered = cells.agg(nw.col("p").sum().cast(nw.Int64), nw.len().cast(nw.Int64).alias("n")).sort(
        "s", descending=direction == "positive"
    )
    return count_sorted(
        _blocks(nw.to_native(ordered.select("s", "p", nw.col("n") - nw.col("p")))),
        n1=seen.totals[0],
        n0=seen.totals[1],
        higher_is=direction,
        dropped=seen.dropped,
    )


def _plain(rows: nw.LazyFrame[Any], name: str, score: str) -> nw.Expr:
    """Return a column with NaN as null, and scores as numbers that Python holds as they are."""
    dtype, column = rows.collect_schema()[name], nw.col(name)
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column).alias(name)
    if name == "t":
        return column
    if isinstance(dtype, nw.Decimal):
        refuse_digits(score, dtype.precision)
        return column.cast(nw.Float64)
    if not dtype.is_integer() or isinstance(dtype, nw.Int128 | nw.UInt128):
        raise ValueError(f"{score} has too many distinct values and they are {dtype}, not numbers")
    return column


def _blocks(native: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield score, positives and negatives of some sorted cells after another."""
    names = ("to_arrow_reader", "fetch_record_batch")  # DuckDB 2 and DuckDB 1
    reader = next((getattr(native, name) for name in names if hasattr(native, name)), None)
    # The batches of Ibis 12 fail on DuckDB 2, so its cells are held at once, 24 bytes each.
    batches = native.to_pyarrow().to_batches(BATCH) if reader is None else reader(BATCH)
    for batch in batches:
        score, positives, negatives = (column.to_numpy() for column in batch.columns)
        yield score, positives, negatives

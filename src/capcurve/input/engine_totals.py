"""Totals of rankings and sums of amounts, found where an engine holds too many rows to fetch.

Floats are cut into parts that add up without rounding (as `capcurve.numbers.exact.run_sums` does),
so that sums do not depend on the order in which an engine adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts import Dropped, RankTotals, ValueSums, count_sorted
from capcurve.counts.settings import NO_EXPOSURE, Words
from capcurve.counts.sums import Rates, add_sums
from capcurve.counts.table import upward
from capcurve.input.arrays.checks import (
    EXPOSURES,
    UNEXPOSED,
    account_names,
    as_scores,
    missing_message,
)
from capcurve.input.columns import InputColumn, as_column
from capcurve.input.engines.combinations import (
    MOST_LABELS_COUNTED,
    TooManyCellsError,
    look_at,
    refuse_too_many_cells,
)
from capcurve.input.engines.spark import is_spark, rank_in_spark
from capcurve.input.frames import (
    INTERNAL,
    Lazy,
    floors_alike,
    from_decimal,
    grouped_rows,
    in_memory,
    on_grid,
    without_nan,
)
from capcurve.numbers.exact import LAST_BIT
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT, grid_index, sorted_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.input.arrays import Rules, Score
    from capcurve.numbers.types import Array

BATCH = 500_000
ROLES = {"a": "amount", "s": "score", "e": "exposure"}
# What is added up: products of scaled amount x and exposure y; y0 is 0 where there is an amount.
PRODUCT_TERMS: dict[str, tuple[str, ...]] = {
    "amounts": ("x",),
    "exposures": ("y",),
    "saa": ("x", "x"),
    "sae": ("x", "y"),
    "see": ("y", "y"),
    "see0": ("y", "y0"),
}
COUNT = INTERNAL.format("n")
# So many parts hold the digits of every amount down to 2^-69 of the largest, for 10^8 rows.
DIGIT_PARTS = 3
LARGEST_AMOUNT_EXPONENT = 1000


def rank_where_held(rows: Lazy, names: Mapping[str, str], score: str, rules: Rules) -> RankTotals:
    """Return exact totals from rows with the target as `t` and the score as `s`, few at a time."""
    # `names` are those of the columns, and `score` is what the score is called.
    target = names["t"]
    if rows.collect_schema()["s"].is_decimal():
        rows = rows.with_columns(from_decimal(rows, "s", score).alias("s"))
    if is_spark(rows):
        return rank_in_spark(nw.to_native(rows), target, score, rules)
    rows = rows.select(*(_for_ranking(rows, name, score) for name in ("t", "s")))
    found = rows.group_by("t", nw.col("s").is_null().alias("gone")).agg(nw.len().alias("n"))
    first = found.head(MOST_LABELS_COUNTED + 1).collect()
    columns = (first[name].to_list() for name in ("t", "gone", "n"))
    seen = look_at([*zip(*columns, strict=True)], target, score, rules)
    direction, _ = rules.of_score(score, [score])
    up = nw.col("t").is_in(seen.positive) if seen.positive else nw.lit(value=False)
    whole = rows.filter(~nw.col("t").is_null(), ~nw.col("s").is_null())
    if seen.neither:
        whole = whole.filter(~nw.col("t").is_in(seen.neither))
    cells = whole.with_columns(up.cast(nw.Int64).alias("p")).group_by("s")
    summed = cells.agg(nw.col("p").sum().cast(nw.Int64), nw.len().cast(nw.Int64).alias("n"))
    ordered = summed.sort("s", descending=direction == "positive")
    return count_sorted(
        _blocks(nw.to_native(ordered.select("s", "p", nw.col("n") - nw.col("p")))),
        n1=seen.totals[0],
        n0=seen.totals[1],
        higher_is=direction,
        dropped=seen.dropped,
    )


def _for_ranking(rows: Lazy, name: str, score: str) -> nw.Expr:
    """Return a column with NaN as null, and scores as numbers that Python holds as they are."""
    dtype = rows.collect_schema()[name]
    if dtype.is_float() or name == "t":
        return without_nan(name, dtype)
    if not dtype.is_integer() or isinstance(dtype, nw.Int128 | nw.UInt128):
        raise ValueError(f"{score} has too many distinct values and they are {dtype}, not numbers")
    return nw.col(name)


def _blocks(native: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield score, positives and negatives of some sorted cells after another."""
    names = ("to_arrow_reader", "fetch_record_batch")  # DuckDB 2 and DuckDB 1
    reader = next((getattr(native, name) for name in names if hasattr(native, name)), None)
    # The batches of Ibis 12 fail on DuckDB 2, so its cells are held at once, 24 bytes each.
    batches = native.to_pyarrow().to_batches(BATCH) if reader is None else reader(BATCH)
    for batch in batches:
        score, positives, negatives = (column.to_numpy() for column in batch.columns)
        yield score, positives, negatives


def sum_amounts(rows: Lazy, names: Mapping[str, str], score: str, rules: Rules) -> ValueSums:
    """Return sums at each score and by rate, each from one GROUP BY inside the engine."""
    # `rows` have the amount as `a`, the score as `s` and, if there is any, the exposure as `e`;
    # `names` are those of the columns, and `score` is what the score is called.
    called = {role: score if role == "s" else names[role] for role in ROLES if role in names}
    plain = _plain(rows, called)
    seen = _look_at(plain, called, rules)
    kept = plain.filter(*(~nw.col(role).is_null() for role in called))
    kept = kept.filter(nw.col("e") > 0) if "e" in called else kept.with_columns(e=nw.lit(1.0))
    sums, found = _by_score(kept, seen, score, rules)
    return ValueSums(
        **sums,
        has_exposure="e" in called,
        signed=seen.least < 0,
        largest=seen.largest[0],
        higher_is=found.higher_is,
        levels=found.levels,
        resolution=found.resolution,
        dropped=seen.dropped,
        words=Words(called.get("e", "cases"), called["a"]),
        exponents=seen.exponents,
        rates=_by_rate(kept, seen),
    )


def _plain(rows: Lazy, called: Mapping[str, str]) -> Lazy:
    """Return the columns with NaN as null, amounts and exposures as floats; and lost digits."""
    schema = rows.collect_schema()
    decimals = [role for role in called if schema[role].is_decimal()]
    if decimals:
        rows = rows.with_columns(from_decimal(rows, r, called[r]).alias(r) for r in decimals)
        schema = rows.collect_schema()
    lost = nw.lit(value=False)
    for role in called:
        if role != "s" and schema[role].is_integer():
            whole = nw.col(role)
            lost |= (whole > LARGEST_EXACT_IN_FLOAT) | (whole < -LARGEST_EXACT_IN_FLOAT)
    columns = [_column(schema[role], role, name) for role, name in called.items()]
    return rows.select(*columns, lost.alias("big"))


def _column(dtype: Any, role: str, called: str) -> nw.Expr:
    column = without_nan(role, dtype)
    if role == "s":
        if isinstance(dtype, nw.Int128 | nw.UInt128):
            raise ValueError(f"{called} holds whole numbers beyond 64 bits; cast them to double")
        return column
    if isinstance(dtype, nw.Boolean):
        return column.cast(nw.Int64).cast(nw.Float64)
    if not dtype.is_numeric():
        raise TypeError(f"{called} must be numbers, got {dtype}")
    return column.cast(nw.Float64)


@dataclass(frozen=True, slots=True)
class _AmountsSeen:
    """What is known of all rows before any is grouped."""

    rows: int
    least: float  # amount
    largest: tuple[float, float]  # amount and exposure
    exponents: tuple[int, int]
    whole: bool
    dropped: Dropped | None


def _flags(called: Mapping[str, str], e: nw.Expr) -> dict[str, nw.Expr]:
    """Return what is told of each row: whether it lacks something, or holds what is not counted."""
    a = nw.col("a")
    gone = nw.col("a").is_null() | nw.col("s").is_null()
    if "e" in called:
        gone |= nw.col("e").is_null()
    idle = (e == 0) & (a == 0)
    return {
        "gone": gone | idle,
        **{f"no_{role}": nw.col(role).is_null() for role in called},
        "big": nw.col("big"),
        "infinite": a.abs() == float("inf"),
        "wrong": (e < 0) | (e == float("inf")),
        "bare": (e == 0) & (a != 0),
        "idle": idle,
        "broken": _is_broken(a) | _is_broken(e),
    }


def _look_at(rows: Lazy, called: Mapping[str, str], rules: Rules) -> _AmountsSeen:
    """Look over all rows once: refuse what no input counts, and account for what is left out."""
    exposure = nw.col("e") if "e" in called else nw.lit(1.0)
    flags = _flags(called, exposure)
    sizes = {"size_a": nw.col("a").abs(), "size_e": exposure}
    marked = rows.select(
        nw.col("a"),
        *(flag.cast(nw.Int64).alias(name) for name, flag in flags.items()),
        *(size.alias(name) for name, size in sizes.items()),
    )
    totals = marked.select(
        nw.len().alias("rows"),
        nw.col("a").min().alias("least"),
        *(nw.col(name).sum().alias(name) for name in flags),
        *(nw.col(name).max().alias(name) for name in sizes),
        *(nw.col(name).sum().alias(f"sum_{name}") for name in sizes),
    )
    cells, found = in_memory(totals), {}
    for name in totals.collect_schema().names():
        column = as_column(cells[name], name)
        absent = column.missing is not None and bool(column.missing[0])  # of no rows
        found[name] = 0.0 if absent else float(column.values[0])
    _refuse(found, called)
    largest = found["size_a"], found["size_e"]
    small = all(found[f"sum_{size}"] <= LARGEST_EXACT_IN_FLOAT for size in sizes)
    return _AmountsSeen(
        int(found["rows"]),
        found["least"],
        largest,
        (_exponent(largest[0]), _exponent(largest[1])),
        small and not found["broken"],
        _dropped(found, called, rules),
    )


def _is_broken(number: nw.Expr) -> nw.Expr:
    """Whether numbers have digits after the point; Spark's floor is an integer of 64 bits."""
    small = number.abs() < LARGEST_EXACT_IN_FLOAT
    return nw.when(small).then(number != number.floor()).otherwise(nw.lit(value=False))


def _exponent(largest: float) -> int:
    return int(np.clip(np.frexp(largest)[1], -LARGEST_AMOUNT_EXPONENT, LARGEST_AMOUNT_EXPONENT))


def _refuse(found: Mapping[str, float], called: Mapping[str, str]) -> None:
    """Raise ValueError for what no input counts."""
    amount, exposure = called["a"], called.get("e", "")
    both = f"{amount} and {exposure}" if exposure else amount
    for name, said in (
        ("big", f"{both} hold whole numbers beyond 2^53 in {{}}, which a float may round; scale"),
        ("infinite", f"{amount} is infinite in {{}}; amounts are finite numbers"),
        ("wrong", f"{exposure} is negative or infinite in {{}}; {EXPOSURES}"),
        ("bare", f"{exposure} is 0 where {amount} is not in {{}}; {UNEXPOSED}"),
    ):
        if found[name]:
            raise ValueError(said.format(f"{int(found[name])} of {int(found['rows'])} rows"))


def _dropped(found: Mapping[str, float], called: Mapping[str, str], rules: Rules) -> Dropped | None:
    """Return the account of rows that are left out, or raise where none may be."""
    named = account_names([(ROLES[role], name) for role, name in called.items()])
    short = {name: int(found[f"no_{role}"]) for name, role in zip(named, called, strict=True)}
    lost = {name: rows for name, rows in short.items() if rows}
    if lost and rules.missing == "raise":
        raise ValueError(missing_message(lost, int(found["rows"])))
    if found["idle"]:
        lost[NO_EXPOSURE] = int(found["idle"])
    if not lost and rules.missing == "raise":
        return None
    return Dropped(int(found["gone"]), lost)


def _by_score(
    kept: Lazy, seen: _AmountsSeen, score: str, rules: Rules
) -> tuple[dict[str, Array], Score]:
    """Return the sums at each score, best first, and how the scores are read."""
    step = rules.resolution
    dtype = kept.collect_schema()["s"]
    floored = {} if step is None or not floors_alike(dtype, step) else {"s": (float(step), dtype)}
    placed, indices = on_grid(kept, floored)
    refuse_too_many_cells(placed, {score: indices.get("s", "s")})
    cells = _summed(placed, "s", indices, seen, ("holding", *PRODUCT_TERMS))
    (ranked,) = as_scores([InputColumn(score, cells.pop("s"))], rules)
    values = ranked.values
    if ranked.resolution is not None:
        values = grid_index(values, ranked.resolution)
    order, starts = sorted_runs([values])
    best = upward(ranked.higher_is)
    sums = {name: add_sums(column[order], starts)[best] for name, column in cells.items()}
    return {"score": values[order][starts][best], **sums}, ranked


def _by_rate(kept: Lazy, seen: _AmountsSeen) -> Rates | None:
    """Return exposure and amount from the highest rate down; None where rates are too many."""
    rated = kept.with_columns(r=nw.col("a") / nw.col("e"))
    try:
        refuse_too_many_cells(rated, {"rate": "r"})
    except TooManyCellsError:
        return None
    cells = _summed(rated, "r", {}, seen, ("amounts", "exposures"))
    order = np.argsort(cells["r"])[::-1]
    return Rates(cells["exposures"][order], cells["amounts"][order], cells["r"][order])


def _summed(
    rows: Lazy, key: str, indices: Mapping[str, str], seen: _AmountsSeen, names: tuple[str, ...]
) -> dict[str, Array]:
    """Group rows by a key; return it, how many rows hold each, and the sums of these names."""
    rows, bounds = _with_terms(rows, seen, [name for name in names if name != "holding"])
    for part in range(DIGIT_PARTS):
        units = {name: _unit(bound, seen.rows, part) for name, bound in bounds.items()}
        rows = _cut(rows, units, part)
    parts = {name: [f"{name}_{part}" for part in range(DIGIT_PARTS)] for name in bounds}
    columns = ["holding"] if "holding" in names else []
    columns += [column for added in parts.values() for column in added]
    cells = in_memory(grouped_rows(rows, [key], indices, sums=columns))
    values = {name: as_column(cells[name], name).values for name in (key, COUNT, *columns)}
    found = {key: values[key], "rows": values[COUNT].astype(np.int64)}
    if "holding" in names:
        found["holding"] = values["holding"].astype(np.int64)
    for name, added in parts.items():
        found[name] = sum((values[more] for more in added[1:]), start=values[added[0]])
    for name, exponent in zip(("amounts", "exposures"), seen.exponents, strict=True):
        unscaled = np.ldexp(found[name], exponent)
        found[name] = unscaled.astype(np.int64) if seen.whole else unscaled
    return found


def _with_terms(
    rows: Lazy, seen: _AmountsSeen, names: Sequence[str]
) -> tuple[Lazy, dict[str, float]]:
    """Add what is to be added up, scaled by powers of two, and say how large each may be."""
    scaled = [float(np.ldexp(1.0, -exponent)) for exponent in seen.exponents]
    x, y = nw.col("a") * scaled[0], nw.col("e") * scaled[1]
    held = nw.col("a") != 0
    rest = nw.when(held).then(0.0).otherwise(y)
    rows = rows.with_columns(x=x, y=y, y0=rest, holding=held.cast(nw.Int64))
    largest = dict(zip("xy", np.multiply(seen.largest, scaled).tolist(), strict=True))
    largest["y0"] = largest["y"]
    terms, bounds = {}, {}
    for name in names:
        one, *other = PRODUCT_TERMS[name]
        terms[name], bounds[name] = nw.col(one), largest[one]
        for each in other:
            terms[name] *= nw.col(each)
            bounds[name] *= largest[each]
    return rows.with_columns(*(term.alias(name) for name, term in terms.items())), bounds


def _unit(bound: float, rows: int, part: int) -> float:
    """Return what cuts off the next part of numbers up to a bound, so that all rows add up."""
    room = float(np.ldexp(1.0, np.frexp(float(rows))[1]))
    size = float(np.ldexp(1.0, np.frexp(bound)[1]))
    return 3 * room * size * (room * LAST_BIT) ** part


def _cut(rows: Lazy, units: Mapping[str, float], part: int) -> Lazy:
    """Add the next part of columns, and leave their rest under their names."""
    cut = {
        name: ((nw.col(name) + unit) - unit).alias(f"{name}_{part}") for name, unit in units.items()
    }
    rows = rows.with_columns(*cut.values())
    left = ((nw.col(name) - nw.col(f"{name}_{part}")).alias(name) for name in cut)
    return rows.with_columns(*left)

"""Spark's own ways, classic and Connect: names, vectors, errors in one line, ranking inside it.

A ranking whose distinct scores are too many to fetch is found in a few looks at the rows. Scores
are cut into buckets at sampled edges; which edges does not matter to any result. Rows are grouped
by score and class, ordered within each bucket, and one row per bucket is collected: no window
without a partition, no row to the driver. The few buckets whose every score is needed are cut
again until they hold few, so that fewer than 10^5 rows reach the driver, whatever the number.
"""

from __future__ import annotations

import math
import re
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import Direction, Dropped, RankTotals
from capcurve.input.engines.combinations import MOST_LABELS_COUNTED, look_at
from capcurve.numbers.kept_cutoffs import Extreme
from capcurve.numbers.totals import SMALL_CELL, Accumulator, BlockSums

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.input.arrays import Rules
    from capcurve.numbers.types import Array, Ints

    Fetched = Mapping[tuple[int, int], tuple[Array, Ints, Ints]]

# A DataFrame of Spark, classic or Connect; and columns and functions that go with it.
SparkFrame: TypeAlias = Any
SPARK = ("PYSPARK", "PYSPARK_CONNECT")
# Edges of buckets: so many, or one for so many rows, or as many as one expression can hold.
EDGES, ROWS_AN_EDGE, MOST_EDGES = 1024, 10**7, 8191
# Scores of a bucket that are fetched; one with more is cut again.
MOST_FETCHED = 2048
SAMPLED_ROWS = 400_000
SAMPLE_SEED = 1
# Sums in 64 bits; where they do not suffice, in 38 digits, which hold 10^12 cases.
NARROW_SUM, WIDE_SUM = "bigint", "decimal(38,0)"
SPARK_NAN = "double('NaN')"
# The shares of cases about which every cut-off is kept: those of a summary.
SHARES = (0.1, 0.2, 0.5)
# Buckets in which KS is reached; beyond these its further places are not listed.
MOST_KS_BUCKETS = 8
# A product that does not fit is null, and a sum would pass over it in silence.
OVER = "bool_or(mm IS NULL OR (t IS NOT NULL AND (ttt IS NULL OR gap IS NULL))) AS over"
DATA_CHANGED = (
    "the data gave different rows when read again; cache it or save it first, so that all "
    "sums are of the same rows"
)
_RAISED = re.compile(r"[A-Za-z]\w*(Error|Exception)(: |$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(BlockSums):
    """Sums over the distinct scores of one bucket, and the extremes of the gap of KS in it."""

    key: tuple[int, int]  # how often the scores were cut, and what Spark calls the bucket then
    scores: int  # how many distinct scores it holds
    last: Any  # the score that is selected last
    highest: int  # highest, lowest: extremes of (c + p)·n0 - (d + n)·n1, the gap of KS in pairs
    lowest: int


def is_spark(frame: SparkFrame) -> bool:
    """Whether a narwhals frame stands for a Spark DataFrame."""
    return frame.implementation.name in SPARK


def _functions_of(native: SparkFrame) -> Any:
    """Return the functions that make columns for this kind of Spark DataFrame."""
    if type(native).__module__.startswith("pyspark.sql.connect"):
        from pyspark.sql.connect import functions as connected

        return connected
    from pyspark.sql import functions as classic

    return classic


def narrowed(native: SparkFrame, inside: Mapping[str, str]) -> SparkFrame:
    """Return columns, by what they are to be called, alone; names that need no quoting."""
    # They are found by their places: Spark does not tell names apart that differ in case only.
    names = list(native.columns)
    types = {field.name: field.dataType.typeName() for field in native.schema.fields}
    for name in inside.values():
        if types[name] in {"vectorudt", "vector", "udt"}:
            raise ValueError(
                f"{name} holds a vector in each row; add the positive class's entry as a column, "
                f'with pyspark.ml.functions: df.withColumn("p", vector_to_array("{name}")[1])'
            )
        if names.count(name) > 1:
            raise ValueError(f"the data has {names.count(name)} columns named {name!r}; rename one")
    placed = native.toDF(*(f"c{place}" for place in range(len(names))))
    return placed.selectExpr(*(f"c{names.index(name)} AS {new}" for new, name in inside.items()))


@contextmanager
def spark_in_one_line() -> Iterator[None]:
    """Turn what Spark raises about the data or a task into one line."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise ValueError(f"Spark could not count: {reason(str(error))}") from None


def reason(message: str) -> str:
    r"""Return the line of a Spark message that says what happened, without its stack.

    >>> reason("Job aborted\n  File x\nValueError: no model\n\tat org.apache.spark")
    'ValueError: no model'
    >>> reason("[DIVIDE_BY_ZERO] Division by zero.\n== SQL ==\ny/0")
    '[DIVIDE_BY_ZERO] Division by zero.'
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    raised = [line for line in lines if _RAISED.match(line)]
    coded = [line for line in lines if line.startswith("[")]
    return (raised[-1:] or coded or lines or ["no reason was given"])[0]


def rank_in_spark(rows: SparkFrame, target: str, score: str, rules: Rules) -> RankTotals:
    """Return the exact totals of a ranking whose distinct scores are too many to fetch."""
    # The rows, with the target as `t` and the score as `s`, are read three or four times, and three
    # more where buckets are cut again, so cache them if they are costly; rows that differ from one
    # reading to the next are refused.
    rows = _plain(rows, score)
    look = rows.groupBy("t", _expr(rows, "s IS NULL AS gone")).count()
    found = look.limit(MOST_LABELS_COUNTED + 1).collect()
    seen = look_at([(row["t"], row["gone"], row["count"]) for row in found], target, score, rules)
    direction, _ = rules.of_score(score, [score])
    if seen.neither:
        known = ~_functions_of(rows).col("t").isin(*seen.neither)
        rows = rows.where(known)
    rows = _marked(rows, seen.positive)
    cells = [class_rows(rows, sampled_edges(rows, sum(seen.totals)))]
    buckets = bucket_sums(cells[0], seen.totals, direction)
    _refuse_changed(buckets, seen.totals)
    while crowded := [bucket for bucket in _wanted(buckets) if bucket.scores > MOST_FETCHED]:
        cut, parts = cut_again(cells[-1], crowded)
        cells.append(cut)
        found = bucket_sums(cut, seen.totals, direction, len(cells) - 1)
        buckets = _replaced(buckets, crowded, found, parts)
        if len(found) == len(crowded):  # integers that are one number as doubles
            break
    fetched = _fetched(cells, _wanted(buckets), descending=direction == "positive")
    return _totals_of(buckets, fetched, direction, seen.dropped)


def _plain(rows: SparkFrame, score: str) -> SparkFrame:
    """Return the rows with NaN as null, and scores as numbers that Python holds as they are."""
    kind = {field.name: field.dataType for field in rows.schema.fields}
    name = kind["s"].typeName()
    if name not in ("byte", "short", "integer", "long", "float", "double"):
        raise ValueError(f"{score} has too many distinct values and they are {name}, not numbers")
    numbers = "nanvl(s, NULL) AS s" if name in {"float", "double"} else "s"
    labels = "nanvl(t, NULL) AS t" if kind["t"].typeName() in {"float", "double"} else "t"
    return rows.selectExpr(labels, numbers)


def _marked(rows: SparkFrame, positive: Sequence[Any]) -> SparkFrame:
    """Return the rows with the score `s` and whether they are positives, `up`."""
    none = _expr(rows, "if(t IS NULL, NULL, false)")
    # Several where they are written in several ways, such as 100 % and 100.0 %.
    up = _functions_of(rows).col("t").isin(*positive) if positive else none
    return rows.select("s", up.alias("up"))


def cut_again(cells: SparkFrame, crowded: Sequence[Bucket]) -> tuple[SparkFrame, int]:
    """Return the cells of a few buckets cut into smaller ones, and what their keys gained."""
    wanted = _inside(cells, crowded)
    needed = 2 * max(bucket.scores for bucket in crowded) // MOST_FETCHED + 1
    quantiles = _quantiles(min(needed, max(2, MOST_EDGES // len(crowded))))
    found = wanted.groupBy("b").agg(_expr(wanted, f"{quantiles} AS edges")).collect()
    edges = sorted({edge for row in found for edge in row["edges"] if math.isfinite(edge)})
    parts = 2 ** len(edges).bit_length()
    key = f"b * {parts}L + {_edges_below(edges)} AS b"
    return wanted.selectExpr(key, "s", "up", "n"), parts


def _replaced(
    buckets: Sequence[Bucket], crowded: Sequence[Bucket], found: Sequence[Bucket], parts: int
) -> list[Bucket]:
    """Return the buckets with the smaller ones in place of those they were cut from."""
    smaller: dict[tuple[int, int], list[Bucket]] = {bucket.key: [] for bucket in crowded}
    for bucket in found:
        level, key = bucket.key
        smaller.setdefault((level - 1, key // parts), []).append(bucket)
    for bucket in crowded:
        _refuse_changed(smaller[bucket.key], (bucket.positives, bucket.negatives))
    return [each for bucket in buckets for each in smaller.get(bucket.key, [bucket])]


def _inside(cells: SparkFrame, buckets: Sequence[Bucket]) -> SparkFrame:
    return cells.where(f"b IN ({', '.join(str(bucket.key[1]) for bucket in buckets)})")


def _fetched(cells: Sequence[SparkFrame], few: Sequence[Bucket], *, descending: bool) -> Fetched:
    """Return every score of a few buckets, in order, with its positives and negatives."""
    picked = {}
    for level in sorted({bucket.key[0] for bucket in few}):
        wanted = _inside(cells[level], [bucket for bucket in few if bucket.key[0] == level])
        sums = wanted.groupBy("b", "s").agg(
            _expr(wanted, "sum(if(up, n, 0)) AS p"), _expr(wanted, "sum(if(up, 0, n)) AS q")
        )
        table = sums.toArrow()
        b, p, q = (np.asarray(table[name].to_numpy()) for name in ("b", "p", "q"))
        score = np.asarray(table["s"].to_numpy())
        order = np.lexsort((score,))[:: -1 if descending else 1]
        for bucket in few:
            if bucket.key[0] == level:
                rows = order[b[order] == bucket.key[1]]
                picked[bucket.key] = (score[rows], p[rows], q[rows])
    return picked


def sampled_edges(rows: SparkFrame, count: int) -> list[float]:
    """Return where to cut the scores `s` of some `count` rows into about equal buckets."""
    # A score that many rows share gets a bucket of its own.
    quantiles = _quantiles(min(max(EDGES, count // ROWS_AN_EDGE), MOST_EDGES))
    fraction = min(1.0, SAMPLED_ROWS / max(count, 1))
    sample = rows.select("s").sample(fraction=fraction, seed=SAMPLE_SEED)
    found = sample.selectExpr(f"{quantiles} AS edges").collect()[0][0] or []
    largest = sys.float_info.max
    edges = {-largest, largest}
    for edge, following in zip(found, [*found[1:], None], strict=True):
        if math.isfinite(edge):
            edges |= {edge, math.nextafter(edge, math.inf)} if edge == following else {edge}
    return sorted(edges)


def _quantiles(parts: int) -> str:
    """Return an expression of where to cut the scores into about equal parts."""
    shares = ",".join(repr(part / parts) for part in range(1, parts))
    return f"percentile_approx(double(s), array({shares}), {max(10_000, 10 * parts)})"


def class_rows(rows: SparkFrame, edges: Sequence[float]) -> SparkFrame:
    """Return the rows grouped by bucket `b`, score `s` and class `up`, with their number `n`."""
    cells = rows.where("s IS NOT NULL AND up IS NOT NULL").selectExpr(
        "s", "up", f"{_edges_below(edges)} AS b"
    )
    return cells.groupBy("b", "s", "up").count().withColumnRenamed("count", "n")


def _edges_below(edges: Sequence[float]) -> str:
    """Return an expression of the number of edges at or below the score."""
    # A binary search: halving by halving, b becomes that number.
    steps = ",".join(str(2**power) for power in reversed(range(len(edges).bit_length())))
    at_or_below = f"double(s) >= {_array(edges)}[b + step - 1]"
    # The bucket so far may be called b as well; inside, b is the number.
    return f"aggregate(array({steps}), 0, (b, step) -> b + if({at_or_below}, step, 0))"


def _array(edges: Sequence[float]) -> str:
    """Return the edges as an SQL array of a length one below a power of two; NaN is no edge."""
    padding = 2 ** len(edges).bit_length() - 1 - len(edges)
    return f"array({','.join([*(f'{edge!r}D' for edge in edges)] + [SPARK_NAN] * padding)})"


def bucket_sums(
    cells: SparkFrame, totals: tuple[int, int], higher_is: Direction, level: int = 0
) -> list[Bucket]:
    """Return the sums of every bucket, most likely positive first, of rows cut so many times."""
    found = _sums(cells, totals, higher_is, NARROW_SUM).collect()
    if any(row["over"] for row in found if row["scores"] > 1):
        found = _sums(cells, totals, higher_is, WIDE_SUM).collect()
    # Keys ascend with the score.
    ordered = sorted(found, key=lambda row: row["key"], reverse=higher_is == "positive")
    return [_bucket(row, totals, level) for row in ordered]


def _refuse_changed(buckets: Sequence[Bucket], totals: tuple[int, int]) -> None:
    """Raise ValueError unless buckets hold as many positives and negatives as were seen before."""
    if totals != (sum(b.positives for b in buckets), sum(b.negatives for b in buckets)):
        raise ValueError(DATA_CHANGED)


def _sums(
    cells: SparkFrame, totals: tuple[int, int], higher_is: Direction, number: str
) -> SparkFrame:
    """Return a frame with one row for each bucket; whole numbers are taken as `number`."""
    sums = {
        "positives": "sum(if(up, n, 0))", "negatives": "sum(if(up, 0, n))",
        "tied": "try_sum(if(up, try_multiply(n, n0), 0))",
        "a": "try_sum(if(up, m, 0))", "aa": "try_sum(if(up, mm, 0))",
        "bb": "try_sum(if(up, 0, mm))",
        "squares": "try_sum(tt)", "cubes": "try_sum(ttt)",
        "highest": "max(gap)", "lowest": "min(gap)", "smallest": "min(t)",
        "scores": "count(t)", "small": f"count_if(t < {SMALL_CELL})",
        "last": f"{'min' if higher_is == 'positive' else 'max'}(s)",
    }  # fmt: skip
    per_bucket = (
        _terms(cells, totals, higher_is, number)
        .selectExpr("b AS key", "*")
        .groupBy("key")
        .agg(*(_expr(cells, f"{sql} AS {name}") for name, sql in sums.items()), _expr(cells, OVER))
    )
    some_sum = " OR ".join(f"{name} IS NULL" for name in ("tied", "a", "aa", "bb", "cubes"))
    return per_bucket.withColumn("over", _expr(cells, f"over OR {some_sum}"))


def _terms(
    cells: SparkFrame, totals: tuple[int, int], higher_is: Direction, number: str
) -> SparkFrame:
    """Return what each score adds to the sums of its bucket, positives and negatives apart."""
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
    return placed.selectExpr(
        "b", "s", "up", "n", "n0", "t",
        "try_multiply(n, twice) AS m",
        "try_multiply(n, try_multiply(twice, twice)) AS mm",
        "try_multiply(t, t) AS tt",
        "try_multiply(t, try_multiply(t, t)) AS ttt",
        f"if(t IS NULL, NULL, {gap}) AS gap",
    )  # fmt: skip


def _bucket(row: Any, totals: tuple[int, int], level: int) -> Bucket:
    """Return one row as sums; those of a bucket of one score, which may be huge, from its cases."""
    key, last = (level, int(row["key"])), row["last"]
    p, n = int(row["positives"]), int(row["negatives"])
    if row["scores"] == 1:
        gap, t = p * totals[1] - n * totals[0], p + n
        return Bucket(
            key=key, last=last, scores=1, positives=p, negatives=n, tied=p * n,
            a=p * n, aa=p * n * n, bb=n * p * p, squares=t * t, cubes=t**3,
            small=int(t < SMALL_CELL), smallest=t, highest=gap, lowest=gap,
        )  # fmt: skip
    names = ("scores", "tied", "a", "aa", "bb", "squares", "cubes", "small", "smallest")
    whole = {name: int(row[name]) for name in (*names, "highest", "lowest")}
    return Bucket(key=key, last=last, positives=p, negatives=n, **whole)


def _expr(frame: SparkFrame, sql: str) -> Any:
    return _functions_of(frame).expr(sql)


def _wanted(buckets: Sequence[Bucket]) -> list[Bucket]:
    """Return the buckets whose every score is needed: about KS and usual shares."""
    tp, fp = _running(buckets, "positives"), _running(buckets, "negatives")
    n1, n0 = tp[-1], fp[-1]
    above = [p * n0 - n * n1 for p, n in zip([0, *tp], [0, *fp], strict=True)]
    found: list[int] = []
    for sign, side in ((+1, "highest"), (-1, "lowest")):
        gaps = [gap + getattr(b, side) for gap, b in zip(above, buckets, strict=False)]
        reached = Extreme(sign).offer(np.arange(len(gaps)), np.array(gaps, dtype=object))
        found += reached.tolist()[:MOST_KS_BUCKETS]
    cases = [p + n for p, n in zip(tp, fp, strict=True)]
    for share in SHARES:
        for near in (-2, 0, 2):
            place = int(np.searchsorted(cases, share * cases[-1] + near))
            found.append(min(place, len(buckets) - 1))
    return [buckets[place] for place in dict.fromkeys(found)]


def _running(buckets: Sequence[Bucket], name: str) -> list[int]:
    return list(accumulate(getattr(bucket, name) for bucket in buckets))


def _totals_of(
    buckets: Sequence[Bucket], cells: Fetched, higher_is: Direction, dropped: Dropped | None
) -> RankTotals:
    """Put buckets together, most likely positive first, with every score of those in `cells`."""
    sums = Accumulator(*(_running(buckets, name)[-1] for name in ("positives", "negatives")))
    for bucket in buckets:
        sums.add(bucket)
    columns = zip(*(_cutoffs(bucket, cells) for bucket in buckets), strict=True)
    score, *added = map(np.concatenate, columns)
    # Python's floats are wide; scores have the type that they have in Spark.
    kinds = {held.dtype for held, *_ in cells.values()} if score.dtype.kind == "f" else set()
    score = score.astype(kinds.pop()) if len(kinds) == 1 else score
    running = (np.cumsum(column, dtype=np.int64) for column in added)
    totals = asdict(sums.totals())
    return RankTotals.from_vertices(score, *running, higher_is=higher_is, dropped=dropped, **totals)


def _cutoffs(bucket: Bucket, cells: Fetched) -> tuple[Array, Array, Array, Array]:
    """Return the scores that are held of a bucket, and what is added by each."""
    if bucket.key not in cells:
        added = (bucket.positives, bucket.negatives, bucket.scores)
        return np.array([bucket.last]), *(np.array([total]) for total in added)  # type: ignore[return-value]  # three
    score, positives, negatives = cells[bucket.key]
    found = (len(score), int(positives.sum()), int(negatives.sum()))
    if found != (bucket.scores, bucket.positives, bucket.negatives):
        raise ValueError(DATA_CHANGED)
    return score, positives, negatives, np.ones(len(score), np.int64)

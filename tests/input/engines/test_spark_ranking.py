"""More distinct scores than should be fetched: Spark finds the totals, with the same digits."""

import math

import numpy as np
import pyarrow as pa
import pytest

import capcurve as cap
from capcurve.input.engines import combinations, spark as spark_engine

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
    pytest.mark.usefixtures("few"),
]

ROWS, SKEWED_ROWS = 6000, 400_000
draw = np.random.default_rng(11)
Y = draw.integers(0, 2, ROWS)
NEAR = np.round(draw.normal(size=ROWS) + 0.5 * Y, 2)
# Each has its own way to break buckets; scores, and in which direction they run.
RANKINGS = {
    "ties": (NEAR, "positive"),
    "reversed": (NEAR.astype(np.float32), "negative"),
    "one value holds 90%": (np.where(draw.random(ROWS) < 0.9, 0.25, NEAR), "positive"),
    "infinities": (
        np.where(NEAR < 1, NEAR, draw.choice([-np.inf, np.inf, 0.5, 1e308, -0.0], ROWS)),
        "positive",
    ),
    "integers beyond 2^53": ((NEAR * 100).astype(np.int64) + 2**60, "negative"),
    "all different": (draw.normal(size=ROWS) + 0.2 * Y, "positive"),
}


NEEDED = pytest.mark.needs("pyspark", "Java")
CLASSIC = pytest.param("spark_classic", marks=NEEDED)
CONNECT = pytest.param("spark_connect", marks=[NEEDED, pytest.mark.merge])


@pytest.fixture(params=[CLASSIC, CONNECT])
def spark(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def few(monkeypatch):
    """Let more than 100 combinations be too many, and buckets be few."""
    monkeypatch.setattr(combinations, "MOST_CELLS", 100)
    monkeypatch.setattr(spark_engine, "EDGES", 32)
    monkeypatch.setattr(spark_engine, "MOST_FETCHED", 8)


def numbers(ranked):
    """Everything that is read off a ranking, to the last digit."""
    ks = cap.ks(ranked)
    interval = cap.confidence_interval(ranked, "accuracy_ratio")
    return {
        "n": (ranked.n, ranked.n1, ranked.n0, len(ranked), ranked.dropped),
        "ar": (cap.accuracy_ratio(ranked), cap.roc_auc(ranked), cap.accuracy_ratio_bounds(ranked)),
        "ks": (ks.statistic, ks.threshold, ks.q),
        "interval": (interval.low, interval.high),
        "captured": [cap.captured_response(ranked, q) for q in (0.1, 0.2, 0.5)],
    }


@pytest.mark.parametrize("ranking", RANKINGS)
def test_spark_ranks_to_the_last_digit(spark_classic, ranking):
    score, direction = RANKINGS[ranking]
    expected = cap.count_scores(Y, score, higher_is=direction)
    data = spark_classic.createDataFrame(pa.table({"y": Y, "s": score}))
    found = cap.count_scores("y", "s", data=data, higher_is=direction)
    assert isinstance(found, cap.RankTotals)
    assert numbers(found) == numbers(expected)
    squares = expected.positives.astype(int) + expected.negatives
    assert found.case_cubes == int((squares**3).sum())
    assert found.small_cells == int((squares < 5).sum())
    # The vertices that were kept are points of the true curve.
    sign = -1 if direction == "positive" else 1
    places = np.searchsorted(sign * expected.score, sign * found.vertices.score)
    for of in ("positives", "negatives"):
        true = np.cumsum(getattr(expected, of).astype(int))
        assert (true[places] == np.cumsum(getattr(found.vertices, of).astype(int))).all()


@pytest.mark.merge
@pytest.mark.needs("pyspark", "Java")
def test_skewed_rows_in_one_partition_rank_to_the_last_digit(spark_classic):
    rng = np.random.default_rng(12)
    y, score = rng.integers(0, 2, SKEWED_ROWS), rng.normal(size=SKEWED_ROWS)
    score = np.where(rng.random(SKEWED_ROWS) < 0.9, 0.25, score)
    data = spark_classic.createDataFrame(pa.table({"y": y, "s": score})).coalesce(1)
    found = cap.count_scores("y", "s", data=data)
    assert isinstance(found, cap.RankTotals)
    assert numbers(found) == numbers(cap.count_scores(y, score))


@pytest.mark.merge
def test_connect_ranks_too_and_drops_what_lacks_a_value(spark_connect):
    score = [None if i % 7 == 0 else math.nan if i % 11 == 0 else v for i, v in enumerate(NEAR)]
    label = [None if i % 13 == 0 else ["good", "bad"][v] for i, v in enumerate(Y)]
    table = pa.table({"label": label, "a.b": pa.array(score, pa.float64())})
    data = spark_connect.createDataFrame(table)
    rules = {"pos_label": "bad", "missing": "drop"}
    found = cap.count_scores("label", "a.b", data=data, **rules)
    assert isinstance(found, cap.RankTotals)
    assert numbers(found) == numbers(cap.count_scores("label", "a.b", data=table, **rules))
    with pytest.raises(ValueError, match=r"label is missing .* rows; a\.b is missing"):
        cap.count_scores("label", "a.b", data=data, pos_label="bad")


def test_sums_beyond_64_bits_are_taken_in_38_digits(spark_classic):
    # 2^21 cases at each of 3 near scores: products of three such numbers pass 2^63.
    rows = spark_classic.range(3).selectExpr("id AS s", "true AS up", "0 AS b", "2097152L AS n")
    rows = rows.union(rows.selectExpr("s", "false AS up", "b", "4194304L AS n"))
    (bucket,) = spark_engine.bucket_sums(rows, (3 * 2**21, 3 * 2**22), "positive")
    assert bucket.aa == sum(2**21 * ((2 * k + 1) * 2**22) ** 2 for k in range(3))
    assert bucket.bb == sum(2**22 * ((2 * k + 1) * 2**21) ** 2 for k in range(3))
    assert bucket.cubes == 3 * (2**21 + 2**22) ** 3


def test_rows_that_change_between_readings_are_refused(spark_classic):
    def labelled(batches):
        import os

        for batch in batches:
            drawn = pa.array(np.frombuffer(os.urandom(len(batch)), np.uint8) % 2)
            yield pa.record_batch([drawn.cast(pa.int64()), batch["s"]], names=["y", "s"])

    rows = spark_classic.range(3000).selectExpr("id AS y", "double(id) AS s")
    with pytest.raises(ValueError, match="gave different rows when read again; cache it"):
        cap.count_scores("y", "s", data=rows.mapInArrow(labelled, rows.schema))


def test_what_totals_cannot_hold_says_what_to_do(spark_classic):
    rows = spark_classic.range(3000).selectExpr("id % 2 AS y", "id AS s", "1.5D AS w", "id k")
    told = r"distinct combinations, more than the 100 .*; floor the scores with resolution="
    for ask in (
        lambda: cap.count_scores("y", "s", data=rows, weight="w"),
        lambda: cap.count_segments("y", "s", by="k", data=rows),
        lambda: cap.count_joint("y", ["s", "k"], data=rows),
    ):
        with pytest.raises(ValueError, match=told):
            ask()
    table = pa.table({"y": np.arange(3000) % 2, "s": np.arange(3000)})
    on_grid = cap.count_scores("y", "s", data=rows.selectExpr("y", "double(s) s"), resolution=100)
    assert on_grid == cap.count_scores("y", "s", data=table, resolution=100)
    with pytest.raises(ValueError, match="too many distinct values and they are string"):
        cap.count_scores("y", "t", data=rows.selectExpr("y", "string(s) AS t"))
    with pytest.raises(ValueError, match="more than 1000 distinct values, not two classes"):
        cap.count_scores("s", "k", data=rows)


def test_windows_have_partitions_and_one_row_a_bucket_comes_home(spark_classic):
    data = spark_classic.createDataFrame(pa.table({"y": Y, "s": NEAR}))
    rows = spark_engine._marked(data.selectExpr("y AS t", "s"), [1])
    cells = spark_engine.class_rows(rows, spark_engine.sampled_edges(rows, ROWS))
    plan = spark_engine._sums(cells, (1, 1), "positive", "bigint")._jdf.queryExecution().toString()
    windows = plan.count("windowspecdefinition(")
    assert windows
    assert plan.count("windowspecdefinition(b#") == windows
    found = spark_engine.bucket_sums(cells, (int(Y.sum()), int(ROWS - Y.sum())), "positive")
    assert len(found) < 80 < len(np.unique(NEAR))


SKEWED = {
    "lognormal": draw.lognormal(-8, 4, ROWS),
    "one value holds 90%": np.where(draw.random(ROWS) < 0.9, 0.25, draw.random(ROWS)),
    "most values are near 1": 1 - draw.random(ROWS) ** 12,
    "integers that are few as doubles": 2**62 + draw.integers(0, 4 * ROWS, ROWS),
}


@pytest.mark.turns(2)
@pytest.mark.parametrize("scores", SKEWED)
def test_few_rows_reach_the_driver_however_large_the_buckets(spark_classic, monkeypatch, scores):
    for name, few in {"EDGES": 4, "MOST_EDGES": 31, "MOST_FETCHED": 8}.items():
        monkeypatch.setattr(spark_engine, name, few)
    cuts, home = [], []

    def watch(name, sizes, size):
        inner = getattr(spark_engine, name)

        def called(*args, **more):
            found = inner(*args, **more)
            sizes.append(size(found))
            return found

        monkeypatch.setattr(spark_engine, name, called)

    watch("bucket_sums", cuts, len)
    watch("_fetched", home, lambda found: sum(len(score) for score, *_ in found.values()))
    score = SKEWED[scores]
    y = (draw.random(ROWS) < 0.2 + 0.6 * (score > np.median(score))).astype(int)
    data = spark_classic.createDataFrame(pa.table({"y": y, "s": score}))
    found = cap.count_scores("y", "s", data=data)
    assert isinstance(found, cap.RankTotals)
    assert numbers(found) == numbers(cap.count_scores(y, score))
    assert len(cuts) > 1
    if score.dtype.kind == "f":  # neighbouring integers of this size are one double, and come whole
        assert max(cuts) < 80
        assert home[-1] <= 25 * 8

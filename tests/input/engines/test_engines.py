"""The same rows in every engine give the same counts, and only counts come home."""

import datetime as dt
import math
import random
import re
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

import capcurve as cap

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

fixed = random.Random(5)  # noqa: S311 - fixed data, not a secret
ROWS = 400
SCORES = [0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, -0.0, 0.0, math.inf, -math.inf, 1e-300, 5e-324, -2.5]


def picked(values, *, gaps=0, nans=0):
    """Draw a value for each row; every so many rows have none, or NaN."""
    drawn = [fixed.choice(values) for _ in range(ROWS)]
    drawn = [math.nan if nans and i % nans == 1 else v for i, v in enumerate(drawn)]
    return [None if gaps and i % gaps == 3 else v for i, v in enumerate(drawn)]


Y = picked([0, 1], gaps=29)
DAY = dt.date(2024, 1, 31)
ARROW = pa.table(
    {
        "y": pa.array(Y, pa.int64()),
        "flag": pa.array([None if v is None else v == 1 for v in Y]),
        "label": pa.array([None if v is None else ["good", "bad"][v] for v in Y]),
        "two": pa.array([None if v is None else 2 * v - 1 for v in Y], pa.float64()),
        "score": pa.array(picked(SCORES, gaps=7, nans=11), pa.float64()),
        "single": pa.array(picked(SCORES[:6], gaps=7, nans=11), pa.float32()),
        "whole": pa.array(picked([2**53 + k for k in range(9)], gaps=17), pa.int64()),
        "small": pa.array(picked(range(-3, 4)), pa.int16()),
        "price": pa.array(
            picked([Decimal(k).scaleb(-2) for k in range(-200, 200, 7)], gaps=13),
            pa.decimal128(10, 2),
        ),
        "yes": pa.array(picked([True, False], gaps=19)),
        "grade": pa.array(picked(["A", "B", "C"], gaps=23)),
        "w": pa.array(picked([0.25, 0.5, 1.0, 1.75]), pa.float64()),
        "times": pa.array(picked(range(5)), pa.int64()),
        "day": pa.array(
            picked([DAY + dt.timedelta(30 * k) for k in range(4)], gaps=31), pa.date32()
        ),
        "region": pa.array(picked(["x", "y", "z"], gaps=31)),
        "a.b": pa.array(picked(range(5))),
        'we`ird " n': pa.array(picked(range(5))),
        "*": pa.array(picked(range(5))),
        "Größe ^a.*$": pa.array(picked(range(5))),
    }
)


# What is asked of one table: the columns and keywords.
SCORES_ASKED = {
    "ties, null, NaN, infinities, both zeros": ("y", "score", {}),
    "booleans as labels": ("flag", "score", {}),
    "-1/1 as floats": ("two", "score", {}),
    "names as labels": ("label", "single", {"pos_label": "bad"}),
    "float32": ("y", "single", {"higher_is": "negative"}),
    "integers beyond 2^53": ("y", "whole", {}),
    "int16": ("y", "small", {}),
    "decimals": ("y", "price", {}),
    "booleans as scores": ("y", "yes", {}),
    "grades": ("y", "grade", {"levels": ["C", "A", "B"]}),
    "weights": ("y", "score", {"weight": "w", "weight_kind": "sampling"}),
    "frequencies": ("y", "score", {"weight": "times", "weight_kind": "frequency"}),
    "a grid": ("y", "score", {"resolution": 0.1}),
    "a grid of integers": ("y", "whole", {"resolution": 0.5}),
    "a whole grid of integers": ("y", "whole", {"resolution": 4}),
    "a dot in the name": ("y", "a.b", {}),
    "quotes in the name": ("y", 'we`ird " n', {}),
    "a star for a name": ("y", "*", {}),
    "a pattern for a name": ("y", "Größe ^a.*$", {}),
}
BY_ASKED = ["day", "region", "yes", "small"]


def test_every_engine_counts_alike(hand_over_everywhere):
    data = hand_over_everywhere(ARROW)
    for told, (target, score, rules) in SCORES_ASKED.items():
        found = cap.count_scores(target, score, data=data, missing="drop", **rules)
        expected = cap.count_scores(target, score, data=ARROW, missing="drop", **rules)
        assert found == expected, told
        assert found.digest() == expected.digest(), told
        assert found.dropped == expected.dropped, told


def test_every_engine_cuts_dates_to_periods_and_crosses_columns_alike(hand_over_everywhere):
    data = hand_over_everywhere(ARROW)
    for period in ("week", "month", "quarter"):
        asked = {"by": ["region", "day"], "period": period, "missing": "drop"}
        found = cap.count_segments("y", "score", data=data, **asked)
        expected = cap.count_segments("y", "score", data=ARROW, **asked)
        assert list(found) == list(expected), period
        assert found == expected, period
    assert ("x", "2024-Q1") in found
    assert (None, None) in found


def test_every_engine_counts_segments_alike(hand_over):
    data = hand_over(ARROW)
    for by in BY_ASKED:
        found = cap.count_segments("y", "score", by=by, data=data, missing="drop")
        expected = cap.count_segments("y", "score", by=by, data=ARROW, missing="drop")
        assert found == expected, by
        assert [*map(plain, found)] == [*map(plain, expected)], by


def plain(key):
    """Return a date as one: pandas hands Dask's over with a time of day."""
    return key.date() if isinstance(key, dt.datetime) else key


def test_every_engine_counts_jointly_alike(hand_over):
    found = cap.count_joint("y", ["score", "whole"], data=hand_over(ARROW), missing="drop")
    expected = cap.count_joint("y", ["score", "whole"], data=ARROW, missing="drop")
    assert found.dropped == expected.dropped
    for name in ("score", "whole"):
        assert found.margin(name) == expected.margin(name)


def test_every_engine_tells_of_missing_values(hand_over):
    told = "y is missing .* in 14 of 400 rows; score is missing .* in [0-9]+ of 400 rows"
    with pytest.raises(ValueError, match=told):
        cap.count_scores("y", "score", data=hand_over(ARROW))


@pytest.mark.turns(3)
def test_a_grid_is_floored_alike_in_every_engine(hand_over):
    lines = [k * 0.01 for k in range(-150, 150)]
    near = [math.nextafter(v, sign * math.inf) for v in lines for sign in (-1, 1)]
    wide = [1e300, -1e300, 1e15 + 0.3, math.inf, -math.inf, 0.29, -0.29, 2**53 + 1.0]
    values = [*lines, *near, *wide]
    table = pa.table(
        {"y": [i % 2 for i in range(len(values))], "s": pa.array(values, pa.float64())}
    )
    data = hand_over(table)
    for width in (0.01, 0.1, 0.3, 1e-3):
        expected = cap.count_scores("y", "s", data=table, resolution=width)
        assert cap.count_scores("y", "s", data=data, resolution=width) == expected, width
    with pytest.raises(ValueError, match="too fine for scores of this size"):
        cap.count_scores("y", "s", data=data, resolution=1e-10)


def test_an_array_column_is_refused_in_one_line(hand_over):
    table = pa.table({"y": [1, 0], "p": pa.array([[0.2, 0.8], [0.7, 0.3]], pa.list_(pa.float64()))})
    if hand_over.__name__ == "dask":
        pytest.skip("Dask does not know what its columns of objects hold")
    with pytest.raises(ValueError, match=r"p holds a .*; take one element of it as a column"):
        cap.count_scores("y", "p", data=hand_over(table))


@pytest.mark.needs("dask")
def test_dask_counts_plain_numpy_columns():
    import dask.dataframe

    rows = pd.DataFrame({"y": [0, 1] * 50, "s": [0.5, math.nan, 0.25, -0.0] * 25, "k": range(100)})
    frame = dask.dataframe.from_pandas(rows, npartitions=4)
    found = cap.count_segments("y", "s", by="k", data=frame, missing="drop")
    assert found == cap.count_segments("y", "s", by="k", data=rows, missing="drop")


# Spark


def executed_plans(session, work):
    """Run work and return the plans Spark executed meanwhile, with the rows each stage gave."""
    store = session._jsparkSession.sharedState().statusStore()
    before = store.executionsCount()
    work()
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    found = store.executionsList()
    return [found.apply(i).physicalPlanDescription() for i in range(before, found.size())]


def test_spark_groups_where_the_rows_are(spark_classic, monkeypatch):
    from pyspark.sql.classic.dataframe import DataFrame

    fetched = []
    for name in ("toArrow", "collect", "toPandas"):
        kept = getattr(DataFrame, name)

        def spied(frame, kept=kept):
            rows = kept(frame)
            fetched.append(len(rows))
            return rows

        monkeypatch.setattr(DataFrame, name, spied)
    many = spark_classic.range(100_000).selectExpr("id % 2 AS y", "id % 7 AS s", "id % 3 AS k")
    plans = executed_plans(
        spark_classic, lambda: cap.count_segments("y", "s", by="k", data=many, missing="drop")
    )
    assert fetched == [1, 2 * 7 * 3]  # how many rows there are, and the cells
    assert any("HashAggregate" in plan for plan in plans)
    assert not any("Window" in plan for plan in plans)


def test_spark_keeps_views_and_settings(spark):
    frame = spark.createDataFrame(ARROW)
    frame.createOrReplaceTempView("mine")
    before = views(spark)
    zone = spark.conf.get("spark.sql.session.timeZone")
    cap.count_scores("y", "score", data=frame, missing="drop")
    assert views(spark) == before
    assert spark.conf.get("spark.sql.session.timeZone") == zone


def views(session):
    return {row["viewName"] for row in session.sql("SHOW VIEWS").collect()}


def test_spark_vectors_are_refused_with_what_to_do(spark_classic):
    from pyspark.ml.functions import array_to_vector, vector_to_array
    from pyspark.sql.functions import col

    rows = spark_classic.createDataFrame([(1, [0.2, 0.8]), (0, [0.7, 0.3])], ["y", "a"])
    rows = rows.withColumn("probability", array_to_vector("a"))
    with pytest.raises(ValueError, match="probability holds a vector") as refused:
        cap.count_scores("y", "probability", data=rows)
    advice = re.search(r"df\.(withColumn\(.*\))$", str(refused.value))[1]
    assert advice == 'withColumn("p", vector_to_array("probability")[1])'
    taken = rows.withColumn("p", vector_to_array(col("probability"))[1])
    assert cap.count_scores("y", "p", data=taken) == cap.count_scores([1, 0], [0.8, 0.3])


def test_spark_names_that_differ_in_case_only_are_two_columns(spark):
    rows = spark.createDataFrame([(1, 0.2, 0.8), (0, 0.4, 0.3)], ["y", "s", "S"])
    assert cap.count_scores("y", "s", data=rows) == cap.count_scores([1, 0], [0.2, 0.4])
    assert cap.count_scores("y", "S", data=rows) == cap.count_scores([1, 0], [0.8, 0.3])
    doubled = spark.createDataFrame([(1, 0.2, 0.8)], ["y", "s", "s"])
    with pytest.raises(ValueError, match="2 columns named 's'"):
        cap.count_scores("y", "s", data=doubled)


def test_a_spark_task_that_fails_once_is_tried_again(spark_classic, tmp_path):
    marker = str(tmp_path / "failed")

    def fails_first(batches):
        from pathlib import Path

        for batch in batches:
            if not Path(marker).exists():
                Path(marker).touch()
                raise RuntimeError("the machine went away")
            yield batch

    rows = spark_classic.range(1000).selectExpr("int(id % 3 = 0) AS y", "double(id % 10) AS s")
    shaky = rows.mapInArrow(fails_first, rows.schema)
    assert cap.count_scores("y", "s", data=shaky) == cap.count_scores("y", "s", data=rows)
    assert (tmp_path / "failed").exists()


def test_a_spark_task_that_always_fails_is_one_line(spark):
    def fails(batches):
        raise RuntimeError("no such model")
        yield from batches

    rows = spark.range(10).selectExpr("int(id % 2) AS y", "double(id) AS s")
    with pytest.raises(ValueError, match="Spark could not count: RuntimeError: no such model") as e:
        cap.count_scores("y", "s", data=rows.mapInArrow(fails, rows.schema))
    assert "\n" not in str(e.value)

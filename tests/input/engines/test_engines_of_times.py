"""Rows with a time in DuckDB and Spark: grouped where they are, with the counts of arrays."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import capcurve as cap

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

draw = np.random.default_rng(5)
N = 2000
ROWS = pd.DataFrame(
    {
        "time": draw.integers(0, 90, N),
        "event": draw.choice([0, 0, 1, 2], N),
        "score": draw.normal(size=N).round(1),
        "other": draw.integers(0, 9, N),
        "vintage": draw.choice(["v1", "v2"], N),
        "loan": np.arange(N) // 3,
    }
)
LABELS = {0: "open", 1: "default", 2: "repaid"}
NEEDED = pytest.mark.needs("pyspark", "Java")
ENGINES = [
    "duckdb",
    pytest.param("spark_classic", marks=NEEDED),
    pytest.param("spark_connect", marks=[NEEDED, pytest.mark.merge]),
]


@pytest.fixture(params=ENGINES)
def table(request):
    """What makes a table of an engine of rows."""
    if request.param == "duckdb":
        connection = request.getfixturevalue("connection")
        return connection.from_df
    return request.getfixturevalue(request.param).createDataFrame


@pytest.fixture
def connection():
    with duckdb.connect() as found:
        yield found


@pytest.mark.parametrize("more", [{}, {"stratum": "vintage"}, {"cluster": "loan"}, {"until": 60}])
def test_counts_of_an_engine_are_those_of_arrays(table, more):
    found = cap.count_times("time", "event", "score", data=table(ROWS), **more)
    columns = {
        name: ROWS[value].to_numpy() if isinstance(value, str) else value
        for name, value in more.items()
    }
    arrays = (ROWS[name].to_numpy() for name in ("time", "event", "score"))
    expected = cap.count_times(*arrays, **columns)
    assert found == expected
    assert found.digest() == expected.digest()
    assert found.groups == expected.groups
    assert cap.accuracy_ratio(found.at(40)) == cap.accuracy_ratio(expected.at(40))


def test_labels_and_several_scores_are_grouped_too(table):
    named = ROWS.assign(event=ROWS["event"].map(LABELS))
    words = {"event_label": "default", "censored_label": "open"}
    scores = ["score", "other"]
    found = cap.count_joint_times("time", "event", scores, data=table(named), **words)
    expected = cap.count_joint_times("time", "event", scores, data=named, **words)
    assert found.digest() == expected.digest()
    assert found.competing_labels == {"repaid": int((ROWS["event"] == 2).sum())}

"""One Spark for all tests, and what to say where an engine is missing."""

import os
import socket
import sys
import warnings

import duckdb
import pandas as pd
import polars as pl
import pytest

from needs import CONNECT, DASK, IBIS, SPARK


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture(scope="session")
def spark_classic(tmp_path_factory):
    """One local Spark that tries a failed task four times, and serves Connect as well."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.session.timeZone": "America/New_York",  # no result may depend on it
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(free_port()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own: it warns of pandas 3 and of old sockets
        builder = SparkSession.builder.master("local[2,4]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="session")
def spark_connect(spark_classic):
    """The same Spark through its Connect server, as a client elsewhere would use it."""
    from pyspark.sql.connect.session import SparkSession

    port = spark_classic.conf.get("spark.connect.grpc.binding.port")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as above
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        session.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
        yield session
        session.stop()


class Engines:
    """How each engine is handed the rows."""

    def __init__(self, request):
        self.request = request

    def polars_lazy(self, table):
        return pl.from_arrow(table).lazy()

    def duckdb(self, table):
        connection = duckdb.connect()
        self.request.addfinalizer(connection.close)
        return connection.from_arrow(table)

    def ibis_on_duckdb(self, table):
        import ibis

        return ibis.memtable(table)

    def dask(self, table):
        import dask.dataframe

        frame = table.to_pandas(types_mapper=pd.ArrowDtype)
        return dask.dataframe.from_pandas(frame, npartitions=3)

    def spark(self, table):
        return self.request.getfixturevalue("spark_classic").createDataFrame(table)

    def spark_connect(self, table):
        return self.request.getfixturevalue("spark_connect").createDataFrame(table)


ENGINES = ["polars_lazy", "duckdb", IBIS, DASK, SPARK]


@pytest.fixture
def engines(request):
    return Engines(request)


@pytest.fixture(params=ENGINES)
def hand_over(engines, request):
    return getattr(engines, request.param)


@pytest.fixture(params=[*ENGINES, CONNECT])
def hand_over_everywhere(engines, request):
    """Hand rows over to Spark by its Connect server too: once for each kind of counts is enough."""
    return getattr(engines, request.param)


@pytest.fixture(params=[SPARK, CONNECT])
def spark(request):
    return request.getfixturevalue({"spark": "spark_classic"}.get(request.param, request.param))

"""Rank more distinct scores than should come home inside Spark, and set it beside other ways.

Prints, for one run on local[2]: seconds, the processor time of Spark, its ratio to that of SQL
written by hand for these very data, and the AUC. The answer must have the digits of NumPy.
Skewed are the same rows in one partition, nine in ten of them at one score.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import SparkSession

import capcurve as cap
from capcurve.input.engines import combinations

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000

BY_HAND = """
WITH cells AS (
  SELECT width_bucket(s, 0, 1, 1024) AS b, s, count_if(y = 1) AS p, count_if(y = 0) AS n
  FROM parquet.`{path}` {where} GROUP BY 1, 2),
running AS (
  SELECT *, sum(p) OVER w AS c, sum(n) OVER w AS d FROM cells
  WINDOW w AS (PARTITION BY b ORDER BY s DESC))
"""
SUMS = """
SELECT b, count(*) AS k, min(s) AS last, sum(p) AS p, sum(n) AS n, sum(p * n) AS tied,
  sum(p * (2 * d - n)) AS a, sum(p * (2 * d - n) * (2 * d - n)) AS aa,
  sum(n * (2 * c - p)) AS v, sum(n * (2 * c - p) * (2 * c - p)) AS vv,
  max(c * {n0} - d * {n1}) AS high, min(c * {n0} - d * {n1}) AS low
FROM running GROUP BY b ORDER BY b DESC
"""


def main() -> None:
    draw = np.random.default_rng(3)
    score = draw.random(ROWS)
    target = (draw.random(ROWS) < 0.1 + 0.3 * score**2).astype(np.int8)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "rows.parquet"
        table = pa.table({"y": target, "s": score})
        pyarrow.parquet.write_table(table, path, row_group_size=ROWS // 8)
        session = started(folder)
        data = session.read.parquet(str(path))
        skewed = data.selectExpr("y", "if(pmod(hash(s), 10) < 9, 0.25D, s) AS s").coalesce(1)
        combinations.MOST_CELLS = min(combinations.MOST_CELLS, ROWS // 20)
        data.selectExpr("sum(y)", "max(s)").collect()  # the machine is warm
        found = {
            "Spark SQL by hand": lambda: by_hand(session, path),
            "capcurve": lambda: cap.count_scores("y", "s", data=data),
            "capcurve, skewed": lambda: cap.roc_auc(cap.count_scores("y", "s", data=skewed)),
            "MLlib, exact": lambda: mllib(data, 0),
            "MLlib, 1000 bins": lambda: mllib(data, 1000),
        }
        java = session.sparkContext._gateway.proc.pid  # noqa: SLF001 - whose time to read
        print(f"{ROWS:,} rows, Spark local[2]\n{'':20}{'seconds':>9}{'cpu s':>9}{'ratio':>7}  AUC")
        base = None
        for name, work in found.items():
            seconds, busy, answer = timed(work, java)
            base = base or busy
            if name == "capcurve":
                ranked, answer = answer, cap.roc_auc(answer)
            times = f"{seconds:9.1f}{busy:9.1f}{busy / base:7.2f}"
            print(f"{name:20}{times}  {answer!r}", flush=True)
        session.stop()
    whole = cap.count_scores(target, score)
    print(
        f"{'NumPy':45}  {cap.roc_auc(whole)!r}\n{len(whole):,} distinct scores; same digits: ",
        end="",
    )
    print(", ".join(f"{name} {same}" for name, same in digits(ranked, whole)))


def started(folder: str) -> SparkSession:
    settings = {
        "spark.driver.memory": "3g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.sql.shuffle.partitions": "16",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def timed(work, java):
    start, busy = time.perf_counter(), processor_seconds(java)
    answer = work()
    return time.perf_counter() - start, processor_seconds(java) - busy, answer


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def by_hand(session, path):
    """Return the AUC, with the other sums of the same plan and the cells about KS fetched too."""
    n1, n0 = session.sql(f"SELECT count_if(y = 1), count_if(y = 0) FROM parquet.`{path}`").first()
    sums = BY_HAND.format(path=path, where="") + SUMS.format(n1=n1, n0=n0)
    above, won, best = 0, 0, (-1, 0)
    offset = 0
    for row in session.sql(sums).collect():
        won += 2 * above * row["n"] + row["v"]
        best = max(best, (offset + row["high"], row["b"]))
        above += row["p"]
        offset += row["p"] * n0 - row["n"] * n1
    only = f"WHERE width_bucket(s, 0, 1, 1024) = {best[1]}"
    session.sql(BY_HAND.format(path=path, where=only) + "SELECT * FROM running").toArrow()
    return won / (2 * n1 * n0)


def mllib(data, bins):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    rows = data.selectExpr("double(y) AS y", "s")
    judge = BinaryClassificationEvaluator(rawPredictionCol="s", labelCol="y", numBins=bins)
    return judge.evaluate(rows)


def digits(ranked, whole):
    yield "AR", cap.accuracy_ratio(ranked) == cap.accuracy_ratio(whole)
    yield "KS", cap.ks(ranked) == cap.ks(whole)
    interval = (cap.confidence_interval(r, "accuracy_ratio") for r in (ranked, whole))
    yield "interval", len({(found.low, found.high) for found in interval}) == 1
    captured = ([cap.captured_response(r, q) for q in (0.1, 0.2, 0.5)] for r in (ranked, whole))
    yield "captured", next(captured) == next(captured)


if __name__ == "__main__":
    main()

"""Speed and memory of rankings of amounts.

python benchmarks/values.py [rows] [rows of parquet] [folder]

Counting float scores, the accuracy ratio and its interval, in multiples of `np.argsort` of the
scores, in turns; then the largest resident memory of a process that counts a parquet file in which
1% of the rows have an amount, and of one that goes on to the accuracy ratio and its interval.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import in_turns, machine, process

import capcurve as cap

ROWS, STORED = 4_000_000, 100_000_000
SEED = 13
COUNTED = """
import sys, capcurve
values = capcurve.count_values("loss", "score", data=sys.argv[1])
"""
READ_OFF = COUNTED + 'capcurve.confidence_interval(values, "accuracy_ratio")\n'


def read_off(amount, score, exposure):
    values = cap.count_values(amount, score, exposure=exposure)
    cap.accuracy_ratio(values)
    cap.confidence_interval(values, "accuracy_ratio")


def speed(rows):
    draw = np.random.default_rng(SEED)
    score, loss, years = draw.random(rows), draw.lognormal(sigma=1, size=rows), draw.random(rows)
    sparse = np.where(draw.random(rows) < 0.05, loss, 0.0)
    seconds = in_turns(
        {
            "np.argsort": lambda: np.argsort(score),
            "5% have an amount": lambda: read_off(sparse, score, None),
            "5% have an amount, with exposure": lambda: read_off(sparse, score, years),
            "all have an amount": lambda: read_off(loss, score, None),
            "all have an amount, with exposure": lambda: read_off(loss, score, years),
        }
    )
    print(f"{rows:,} rows: counts, accuracy ratio and its interval; {machine()}\n")
    for name, found in seconds.items():
        print(f"{name:36}{found:8.2f} s{found / seconds['np.argsort']:8.2f}x")


def generate(rows, path):
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT score, CASE WHEN hit < 0.01 THEN exp(3 * score + 2 * hit) ELSE 0 END "
            "AS loss FROM (SELECT random() AS score, random() AS hit "
            f"FROM range({rows}))) TO '{path}' (FORMAT parquet)"
        )


def memory(rows, folder):
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = str(Path(place, "losses.parquet"))
        generate(rows, path)
        print(f"\n{rows:,} rows of parquet, {Path(path).stat().st_size / 2**20:,.0f} MB\n")
        for name, program in (("counted", COUNTED), ("ratio and interval", READ_OFF)):
            seconds, _, peak = process([sys.executable, "-c", program, path])
            print(f"{name:36}{seconds:8.2f} s{peak:10,.0f} MB")


def main():
    rows, stored, folder = [*sys.argv[1:], *(ROWS, STORED, None)[len(sys.argv) - 1 :]]
    speed(int(float(rows)))
    memory(int(float(stored)), folder)


if __name__ == "__main__":
    main()

"""How long a parquet file takes from the shell to a printed summary, beside DuckDB itself.

python benchmarks/files.py [rows] [folder] [turns]

Whole processes, cold, in turns; medians, and the largest resident memory of each.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from timing import machine, process

TURNS = 3
# A summary of so many rows is measured once, and alone: the others do not end or do not fit.
ONCE = 500_000_000
HAND_OVER = """
import sys
from capcurve.input.files import Files, read_columns
read_columns(Files.of(sys.argv[1]), ["score", "target"])
"""
GROUP_BY = """
import duckdb, sys
sql = "SELECT count(*) FROM (SELECT score, target, count(*) FROM read_parquet(?) GROUP BY ALL)"
print(duckdb.execute(sql, [sys.argv[1]]).fetchone())
"""
FETCH = """
import duckdb, sys
duckdb.execute("SELECT score, target FROM read_parquet(?)", [sys.argv[1]]).fetchnumpy()
"""


def generate(rows, path):
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT score, (random() < 0.2 * score)::TINYINT AS target FROM "
            f"(SELECT random()::FLOAT AS score FROM range({rows}))) TO '{path}' (FORMAT parquet)"
        )


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000_000
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        path = str(Path(folder, "big.parquet"))
        generate(rows, path)
        words = ["summary", path, "--target", "target", "--score", "score"]
        work = {
            "capcurve summary": [sys.executable, "-m", "capcurve", *words],
            "two columns handed over": [sys.executable, "-c", HAND_OVER, path],
            "DuckDB fetchnumpy": [sys.executable, "-c", FETCH, path],
            "DuckDB GROUP BY": [sys.executable, "-c", GROUP_BY, path],
        }
        turns = int(sys.argv[3]) if len(sys.argv) > 3 else TURNS
        if rows >= ONCE:
            work, turns = {"capcurve summary": work["capcurve summary"]}, 1
        found = {name: [] for name in work}
        for _ in range(turns):
            for name, command in work.items():
                found[name].append(process(command))
        size = Path(path).stat().st_size / 2**20
    print(f"{rows:,} rows, {size:,.0f} MB of parquet; {machine()}\n")
    base = statistics.median(seconds for seconds, *_ in found["capcurve summary"])
    for name, runs in found.items():
        seconds = statistics.median(one for one, *_ in runs)
        peak = max(memory for *_, memory in runs)
        print(f"{name:26}{seconds:8.2f} s{seconds / base:8.2f}x{peak:10,.0f} MB")


if __name__ == "__main__":
    main()

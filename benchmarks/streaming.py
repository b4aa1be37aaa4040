"""Counting within a memory limit: times, memory and digits, against the same without a limit.

Run with `python benchmarks/streaming.py [rows]`; every line runs in a process of its own, twice in
turn, and the better time counts. The data, about 4 bytes a row, lies in a temporary folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 100_000_000
ROUNDS = 2
SCORES = {
    "float32": "CAST(CASE WHEN y = 1 THEN 1 - (1 - u) * (1 - u) * 0.999 ELSE u END AS FLOAT)",
    "float64": "u * u + y / 10",
    "int16 grades": "CAST(1000 * u AS SMALLINT)",
    "one value holds 90%": "CASE WHEN u < 0.9 THEN 0.5 ELSE u END",
}
MAKE = """
    import duckdb
    duckdb.execute("SET enable_progress_bar = false; SET threads = 2")
    duckdb.execute("SET preserve_insertion_order = false")
    duckdb.execute('''COPY (SELECT {score} AS score, CAST(y AS TINYINT) AS y FROM
        (SELECT random() AS u, CAST(random() < 0.1 AS INTEGER) AS y FROM range({rows})))
        TO '{path}' (FORMAT parquet)''')
    print("{{}}")
"""
SUMMARY = """
    import json, resource, time
    start = time.perf_counter()
    import capcurve as cap
    counts = cap.count_scores("y", "score", data="{path}", memory_limit={limit})
    interval = cap.confidence_interval(counts, "accuracy_ratio")
    found = [cap.accuracy_ratio(counts), cap.ks(counts).statistic, counts.digest()]
    found += [cap.captured_response(counts, q) for q in (0.1, 0.2, 0.5)]
    print(json.dumps({{
        "seconds": time.perf_counter() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 * 1.024,
        "distinct": len(counts), "digits": found,
    }}))
"""
ENGINE = """
    import json, resource, time
    start = time.perf_counter()
    import duckdb, tempfile
    with tempfile.TemporaryDirectory() as folder:
        engine = duckdb.connect(config={{
            "memory_limit": "1GB", "temp_directory": folder, "threads": 2,
            "preserve_insertion_order": "false",
        }})
        engine.execute("SET enable_progress_bar = false")
        cells = engine.execute('''SELECT count(*), sum(p) FROM (SELECT * FROM
            (SELECT score, count_if(y = 1) AS p, count_if(y = 0) AS n FROM '{path}' GROUP BY score)
            ORDER BY score)''').fetchone()
        engine.close()
    print(json.dumps({{
        "seconds": time.perf_counter() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 * 1.024,
        "distinct": cells[0], "digits": None,
    }}))
"""
ALGEBRA = """
    import json, time
    import numpy as np
    import capcurve as cap
    shard = cap.ScoreCounts.from_counts([3, 2, 1], [1, 2, 0], [1, 1, 5])
    cap.ScoreCounts.merge([shard] * 100)
    found = {{}}
    for shards in (10_000, 100_000, 1_000_000):
        start = time.perf_counter()
        assert cap.ScoreCounts.merge(shard for _ in range(shards)).n == 10 * shards
        found[f"merge of {{shards:,}} shards"] = (time.perf_counter() - start) / shards
    rng = np.random.default_rng(0)
    y, score = rng.random(2_000_000) < 0.1, rng.random(2_000_000)
    for segments in (10, 100, 1000, 10_000):
        by = rng.integers(0, segments, len(y))
        start = time.perf_counter()
        assert len(cap.count_segments(y, score, by=by)) == segments
        found[f"2,000,000 rows in {{segments:,}} segments"] = time.perf_counter() - start
    print(json.dumps(found))
"""


def run(code: str, **values: object) -> dict:
    """Run a program in a process of its own and return what it prints."""
    lines = [line[4:] for line in code.format(**values).splitlines()]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def compare(path: Path, kind: str) -> None:
    """Print one line for each way to rank a file."""
    ways = {
        "no limit": (SUMMARY, "None"),
        "1GB": (SUMMARY, "'1GB'"),
        "300MB": (SUMMARY, "'300MB'"),
        "DuckDB GROUP BY, ORDER BY, 1GB": (ENGINE, "None"),
    }
    best: dict[str, dict] = {}
    for _ in range(ROUNDS):
        for way, (code, limit) in ways.items():
            found = run(code, path=path, limit=limit)
            if way not in best or found["seconds"] < best[way]["seconds"]:
                best[way] = found
    base = best["no limit"]
    for way, found in best.items():
        same = "same" if found["digits"] == base["digits"] else "DIFFERENT"
        slower = found["seconds"] / base["seconds"]
        print(
            f"{kind:20} {way:32} {found['seconds']:7.1f} s {slower:6.2f}x {found['peak']:6.2f} GB"
            f"  {found['distinct']:>11,} distinct  {same if found['digits'] else '-'}",
            flush=True,
        )


def main() -> None:
    """Print the tables."""
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else MOST
    print(f"{rows:,} rows of parquet to AR, its interval, KS, captured response and digest")
    with tempfile.TemporaryDirectory(prefix="capcurve-bench-") as folder:
        path = Path(folder, "rows.parquet")
        for kind, score in SCORES.items():
            run(MAKE, score=score, rows=rows, path=path)
            compare(path, kind)
    print("merging and segments")
    for what, seconds in run(ALGEBRA).items():
        each = f"{seconds * 1e6:8.1f} µs a shard" if "shards" in what else f"{seconds:8.2f} s"
        print(f"{what:36} {each}")


if __name__ == "__main__":
    main()

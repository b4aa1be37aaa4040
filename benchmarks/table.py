"""How long files take beside their hand-over, and how cost grows with rows, scores, segments.

python benchmarks/table.py [--rows 10000000] [--file-rows 100000000] [--folder FOLDER] [--turns 3]
    [--scores 50] [--billion] [--spark]

`--scores 200` goes on to so many scores, `--billion` reads a file of 10^9 rows too, and `--spark`
ranks inside Spark. Ratios are of medians in turns on one machine. What single calls take beside
other tools is printed by `waiting.py`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from files import FETCH, GROUP_BY, generate
from growth import many_scores
from kernel import answer
from timing import in_turns, machine, process

import capcurve as cap
from capcurve.input.files import Files, read_columns

LEAST = 10_000
BILLION = 1_000_000_000


def show(name, seconds, base=None, target=""):
    """Print a line: how long it takes, how many times as long as its base, and its target."""
    ratio = f"{seconds / base:8.2f}x" if base else ""
    print(f"  {name:42}{seconds:9.3f} s{ratio:10}  {target}".rstrip(), flush=True)


def growth(rows, turns):
    """Cost by rows, segments and clusters."""
    print("AR, KS, interval, beside np.sort; and counts by segment and with clusters")
    rng, size = np.random.default_rng(42), LEAST
    while size <= rows:
        score, target = rng.standard_normal(size), rng.random(size) < 0.1
        found = in_turns(
            {
                "answer": lambda t=target, s=score: answer(t, s),
                "sort": lambda s=score: np.sort(s),
            },
            turns,
        )
        show(f"{size:,} rows", found["answer"], found["sort"])
        size *= 10
    rows //= 10
    target, score = rng.random(rows) < 0.1, rng.standard_normal(rows)
    for segments in (1, 10, 100, 1000):
        by = rng.integers(0, segments, rows)
        done = in_turns({"": lambda b=by: cap.count_segments(target, score, by=b)}, turns)
        show(f"{rows:,} rows in {segments:,} segments", done[""])
    for clusters in (1, 10, 1000, 100_000):
        ids = rng.integers(0, clusters, rows)
        done = in_turns({"": lambda c=ids: cap.count_scores(target, score, cluster=c)}, turns)
        show(f"{rows:,} rows of {clusters:,} clusters", done[""])
    print()


def processes(commands, turns):
    """Return median seconds, those of processors, and the most MB, of processes in turns."""
    found = {name: [] for name in commands}
    for _ in range(turns):
        for name, command in commands.items():
            found[name].append(process(command))
    columns = {name: list(zip(*runs, strict=True)) for name, runs in found.items()}
    return {
        name: (statistics.median(seconds), statistics.median(busy), max(peaks))
        for name, (seconds, busy, peaks) in columns.items()
    }


def from_files(rows, folder, turns):
    """Parquet to a printed summary, beside the hand-over of the same two columns."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = str(Path(place, "rows.parquet"))
        generate(rows, path)
        words = [sys.executable, "-m", "capcurve", "summary", path, "--target", "target"]
        words += ["--score", "score"]
        found = processes(
            {
                "capcurve summary": words,
                "capcurve summary --memory-limit 1GB": [*words, "--memory-limit", "1GB"],
                "DuckDB hands over arrays": [sys.executable, "-c", FETCH, path],
                "DuckDB GROUP BY": [sys.executable, "-c", GROUP_BY, path],
                "capcurve --version": [sys.executable, "-m", "capcurve", "--version"],
            },
            turns,
        )
        files, names = Files.of(path), ["score", "target"]
        base = in_turns({"": lambda: read_columns(files, names)}, turns)[""]
    columns = rows * 5 / 2**20
    print(f"{rows:,} rows of parquet; handed over batch by batch, {columns:,.0f} MB: {base:.3f} s")
    targets = {"capcurve summary": "target 6, 1,000 MB", "capcurve --version": "target 0.15 s"}
    for name, (seconds, busy, peak) in found.items():
        told = f"processor {busy:.2f} s, {peak:,.0f} MB"
        show(name, seconds, base, "; ".join(filter(None, [told, targets.get(name)])))
    print()


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rows", type=int, default=10_000_000)
    asked.add_argument("--file-rows", type=int, default=100_000_000)
    asked.add_argument("--folder")
    asked.add_argument("--turns", type=int, default=3)
    asked.add_argument("--scores", type=int, default=50)
    asked.add_argument("--billion", action="store_true")
    asked.add_argument("--spark", action="store_true")
    given = asked.parse_args()
    print(f"{machine()}\n")
    # First, as a process that is begun by a large one counts that one's memory as its own.
    from_files(given.file_rows, given.folder, given.turns)
    if given.billion:
        from_files(BILLION, given.folder, 1)
    if given.spark:
        spark = Path(__file__).with_name("spark.py")
        subprocess.run([sys.executable, spark, str(given.rows)], check=True)
    many_scores(given.rows // 10, given.scores)
    print()
    growth(given.rows, given.turns)


if __name__ == "__main__":
    main()

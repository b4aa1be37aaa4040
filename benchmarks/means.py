"""One number inside each segment of many, averaged: beside polars and scikit-learn in a loop.

python benchmarks/means.py [rows] [segments]

Processor seconds, each the least of three (of one, if long), also in multiples of `np.argsort`.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import polars as pl
from sklearn.metrics import average_precision_score, roc_auc_score
from timing import machine

import capcurve as cap

LONG = 5.0


def drawn(rows, segments):
    """Return outcome, score and segment of so many rows."""
    rng = np.random.default_rng(49)
    score = rng.normal(size=rows)
    y = rng.random(rows) < 1 / (1 + np.exp(2 - score))
    return y.astype(np.int64), score, rng.integers(0, segments, rows)


def by_polars(y, score, segment):
    """Return the mean AUC by ranks within segments."""
    frame = pl.DataFrame({"y": y, "s": score, "g": segment})
    ranked = frame.with_columns(rank=pl.col("s").rank("average").over("g"))
    sums = ranked.group_by("g").agg(
        p=pl.col("y").sum(), n=pl.len(), ranks=(pl.col("rank") * pl.col("y")).sum()
    )
    both = sums.filter((pl.col("p") > 0) & (pl.col("p") < pl.col("n")))
    p, n = pl.col("p"), pl.col("n")
    auc = (pl.col("ranks") - p * (p + 1) / 2) / (p * (n - p))
    return both.select(auc.mean()).item()


def in_a_loop(score_of, y, score, segment):
    """Return the mean of a number of scikit-learn over segments with both classes."""
    order = np.argsort(segment, kind="stable")
    ends = np.flatnonzero(np.diff(segment[order])) + 1
    parts = zip(np.split(y[order], ends), np.split(score[order], ends), strict=True)
    return np.mean([score_of(a, b) for a, b in parts if 0 < a.sum() < len(a)])


def least_of_three(work):
    """Return what work makes, and the least processor seconds of three times, or of one long."""
    seconds = []
    while len(seconds) < 3 and sum(seconds) < LONG:
        start = time.process_time()
        made = work()
        seconds.append(time.process_time() - start)
    return made, min(seconds)


def main(rows=1_000_000, segments=20_000):
    """Print the table."""
    y, score, segment = drawn(rows, segments)
    columns = (y, score, segment)
    counts = cap.count_segments(y, score, by=segment)

    def both():
        fresh = cap.count_segments(y, score, by=segment)
        cap.mean_over(fresh, metric="auc")
        return cap.mean_over(fresh, metric="ap").estimate

    def mean(metric, **options):
        return lambda: cap.mean_over(y, score, by=segment, metric=metric, **options).estimate

    work = {
        "np.argsort": lambda: float(np.argsort(score)[0]),
        "count_segments": lambda: float(cap.count_segments(y, score, by=segment).n),
        "AUC": mean("auc"),
        "AUC, fixed segments": mean("auc", segments="fixed"),
        "AP": mean("ap"),
        "AUC and AP": both,
        "MRR": mean("mrr"),
        "nDCG@10": mean("ndcg@10"),
        "recall@10": mean("recall@10"),
        "AUC from counts": lambda: cap.mean_over(counts, metric="auc").estimate,
        "polars, AUC": lambda: by_polars(*columns),
        "scikit-learn, AUC": lambda: in_a_loop(roc_auc_score, *columns),
        "scikit-learn, AP": lambda: in_a_loop(average_precision_score, *columns),
    }
    print(f"{rows:,} rows, {segments:,} segments; {machine()}")
    unit = None
    for name, todo in work.items():
        made, seconds = least_of_three(todo)
        unit = unit or seconds
        print(f"{name:>22} {seconds:9.3f} s {seconds / unit:8.1f} x  {made:.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

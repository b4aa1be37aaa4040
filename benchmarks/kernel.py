"""How long counting and reading take, as ratios to np.sort of the same scores in the same run.

python benchmarks/kernel.py [rows]
"""

from __future__ import annotations

import platform
import sys
import time

import numpy as np
from sklearn.metrics import roc_auc_score

import capcurve as cap

REPEATS = 5


def best(work):
    """Return the quickest of several runs, in seconds: the least disturbed one."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def answer(target, score, **keywords):
    counts = cap.count_scores(target, score, **keywords)
    return cap.accuracy_ratio(counts), cap.ks(counts).statistic


def cases(rows):
    rng = np.random.default_rng(20)
    score = rng.standard_normal(rows)
    for rate in (0.1, 0.5):
        yield f"float64, {rate:.0%} positives", (rng.random(rows) < rate).astype(np.int8), score
    target = (rng.random(rows) < 0.1).astype(np.int8)
    yield "float32, 10% positives", target, score.astype(np.float32)
    yield "int16 grades, 10% positives", target, rng.integers(0, 1000, rows).astype(np.int16)


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    print(f"{rows:,} rows; numpy {np.__version__}, Python {platform.python_version()}")
    print(f"{platform.machine()}, best of {REPEATS} runs; ratios are to np.sort of the scores\n")
    print(
        f"{'':28}{'np.sort':>9}{'count':>8}{'+ AR':>8}{'+ KS':>8}{'sklearn AUC':>13}{'faster':>8}"
    )
    for name, target, score in cases(rows):
        sort = best(lambda s=score: np.sort(s))
        counting = best(lambda t=target, s=score: cap.count_scores(t, s))
        counts = cap.count_scores(target, score)
        ratio = best(lambda c=counts: cap.accuracy_ratio(c))
        whole = best(lambda t=target, s=score: answer(t, s))
        sklearn = best(lambda t=target, s=score: roc_auc_score(t, s))
        print(
            f"{name:28}{sort:8.3f}s{counting / sort:7.1f}x{(counting + ratio) / sort:7.1f}x"
            f"{whole / sort:7.1f}x{sklearn / sort:12.1f}x{sklearn / whole:7.1f}x"
        )
    weight = np.random.default_rng(21).random(rows)
    argsort = best(lambda s=score: np.argsort(s))
    weighted = best(lambda t=target, s=score: answer(t, s, weight=weight))
    print(f"\nweighted, int16 grades: {weighted / argsort:.1f}x np.argsort of the scores")


if __name__ == "__main__":
    main()

"""How long counting and reading take in memory, beside other tools, in turns of one run.

python benchmarks/kernel.py [rows]

The table shows medians as ratios to np.sort of the same scores; tools that are not installed are
left out.
"""

from __future__ import annotations

import sys

import numpy as np
from timing import in_turns, machine

import capcurve as cap


def answer(target, score, **keywords):
    """Count, and read AR, KS and the DeLong interval off the counts."""
    counts = cap.count_scores(target, score, **keywords)
    interval = cap.confidence_interval(counts, "accuracy_ratio") if not keywords else None
    return cap.accuracy_ratio(counts), cap.ks(counts).statistic, interval


def steps(target, score):
    counts = cap.count_scores(target, score)
    yield "counts", lambda: cap.count_scores(target, score)
    yield "+ AR", lambda: cap.accuracy_ratio(cap.count_scores(target, score))
    yield "+ AR, KS, DeLong interval", lambda: answer(target, score)
    yield "KS of the counts alone", lambda: cap.ks(counts)


def others(target, score):
    """Yield what else tells an AUC of the same columns, as far as it is installed."""
    try:
        from sklearn.metrics import roc_auc_score

        yield "sklearn roc_auc_score", lambda: roc_auc_score(target, score)
    except ImportError:
        pass
    from scipy.stats import mannwhitneyu

    yield "scipy mannwhitneyu", lambda: mannwhitneyu(score[target == 1], score[target == 0])
    try:
        import polars as pl

        frame = pl.DataFrame({"y": target, "s": score})
        yield "polars sort of both", lambda: frame.sort("s")
        yield "polars expressions AUC", lambda: by_expressions(frame)
        import polars_ds as pds

        yield "polars-ds roc_auc", lambda: frame.select(pds.query_roc_auc("y", "s"))
    except ImportError:
        pass
    try:
        import torch
        from torchmetrics.functional.classification import binary_auroc

        scores, labels = torch.from_numpy(score.copy()), torch.from_numpy(target.astype(np.int64))
        yield "torchmetrics binary_auroc", lambda: binary_auroc(scores.sigmoid(), labels)
    except ImportError:
        pass
    yield "DuckDB window AUC", lambda: by_window(target, score)


def by_expressions(frame):
    """Return the AUC from mean ranks, as expressions of Polars."""
    import polars as pl

    positive = pl.col("y") == 1
    n1, n0 = positive.sum(), (~positive).sum()
    ranks = pl.col("s").rank("average").filter(positive).sum()
    return frame.select((ranks - n1 * (n1 + 1) / 2) / (n1 * n0)).item()


def by_window(target, score):
    """Return the AUC from mean ranks, as one would write it in SQL."""
    import duckdb

    with duckdb.connect() as connection:
        connection.register("rows", {"y": target, "s": score})
        return connection.execute(
            "SELECT (sum(r) FILTER (y = 1) - n1 * (n1 + 1) / 2) / (n1 * n0) FROM (SELECT y, "
            "rank() OVER (ORDER BY s) + (count(*) OVER (PARTITION BY s) - 1) / 2 AS r, "
            "sum(y) OVER () AS n1, count(*) OVER () - sum(y) OVER () AS n0 FROM rows) "
            "GROUP BY n1, n0"
        ).fetchone()


def cases(rows):
    rng = np.random.default_rng(20)
    score = rng.standard_normal(rows)
    for rate in (0.1, 0.5):
        target = (rng.random(rows) < rate).astype(np.int8)
        yield f"float64, {rate:.0%} positives", target, score
    target = (rng.random(rows) < 0.1).astype(np.int8)
    yield "float32", target, score.astype(np.float32)
    yield "probabilities, float64", target, rng.random(rows)
    yield "int16 grades", target, rng.integers(0, 1000, rows).astype(np.int16)
    yield "int64 points", target, rng.integers(300, 850, rows)


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    print(f"{rows:,} rows; {machine()}\n")
    for number, (name, target, score) in enumerate(cases(rows)):
        work = {"np.sort": lambda s=score: np.sort(s), **dict(steps(target, score))}
        work |= dict(others(target, score)) if number == 0 else {}
        print_ratios(name, in_turns(work), "np.sort")
    score = np.random.default_rng(22).standard_normal(rows)
    weight = np.random.default_rng(21).random(rows)
    work = {"np.argsort": lambda: np.argsort(score)}
    work["counts, AR, KS"] = lambda: answer(target, score, weight=weight)
    print_ratios("weighted float64", in_turns(work), "np.argsort")


def print_ratios(name, seconds, unit):
    print(f"{name}: {unit} takes {seconds[unit] * 1000:.0f} ms")
    for what, found in seconds.items():
        if what != unit:
            print(f"  {what:28}{found / seconds[unit]:9.2f}x")
    print()


if __name__ == "__main__":
    main()

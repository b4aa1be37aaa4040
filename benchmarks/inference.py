"""What intervals cost: one, and a whole summary, against a sort, and bootstraps against the clock.

python benchmarks/inference.py [--rows 10000000] [--repeat 3]

Sort and interval alternate in one process and the fastest of each counts, so that a busy machine
slows both. The scores are distinct, which is the dearest case; counting them is not included, and
has its own benchmark (kernel.py).
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

import capcurve as cap

LOANS = cap.datasets.path("loans")
REPLICATES = 2000
OF_A_SUMMARY = 1_000_000


def timed(call):
    start = perf_counter()
    call()
    return perf_counter() - start


def distinct(rows, prevalence, rng):
    """Return distinct scores, and their counts."""
    scores = rng.permutation(rows).astype(np.float64)
    return scores, cap.count_scores((rng.random(rows) < prevalence).astype(np.int8), scores)


def against_sort(rows, repeat, rng):
    """Yield one line per prevalence and kind of interval: seconds, and multiples of np.sort."""
    for prevalence in (0.1, 0.5):
        scores, counts = distinct(rows, prevalence, rng)
        calls = {
            "np.sort": lambda scores=scores: np.sort(scores),
            "AUC, default": lambda counts=counts: cap.confidence_interval(counts, "roc_auc"),
            "captured response at 10%": lambda counts=counts: cap.confidence_interval(
                counts, "captured_response", q=0.1
            ),
        }
        best = dict.fromkeys(calls, np.inf)
        for _ in range(repeat):
            for name, call in calls.items():
                best[name] = min(best[name], timed(call))
        for name, seconds in best.items():
            yield f"{name}, {prevalence:.0%} positives", seconds, seconds / best["np.sort"]


def summaries(repeat, rng):
    """Yield one line per kind of a million distinct scores: a summary with all its intervals."""
    rows = OF_A_SUMMARY
    scores = rng.standard_normal(rows)
    half, few = (rng.random(rows) < rate * np.exp(scores / 2) for rate in (0.5, 0.05))
    amounts = rng.lognormal(size=rows)
    weights = {"weight": rng.uniform(0.5, 2.0, rows), "weight_kind": "sampling"}
    kinds = {
        "50% positives": lambda: cap.count_scores(half, scores),
        "5% positives": lambda: cap.count_scores(few, scores),
        "50% positives, weighted": lambda: cap.count_scores(half, scores, **weights),
        "amounts in 50%": lambda: cap.count_values(np.where(half, amounts, 0.0), scores),
        "amounts in 5%": lambda: cap.count_values(np.where(few, amounts, 0.0), scores),
        "7 grades": lambda: cap.count_scores(half, np.clip(scores.round(), -3, 3)),
    }
    for name, count in kinds.items():
        best = {"summary": np.inf, "sort": np.inf}
        for _ in range(repeat):
            counts = count()  # anew, as counts remember what was found of them
            best["summary"] = min(best["summary"], timed(lambda c=counts: cap.summarize(c)))
            best["sort"] = min(best["sort"], timed(lambda: np.sort(scores)))
        yield f"summary of 10^6, {name}", best["summary"], best["summary"] / best["sort"]


def bootstraps(repeat, rng):
    """Yield one line per bootstrap of 2,000 replicates."""
    grades = cap.count_scores("y", "grade_rank", data=LOANS)
    _, many = distinct(100_000, 0.1, rng)
    for name, counts, times in (("35 grades", grades, repeat), ("100,000 distinct", many, 1)):
        for metric in ("roc_auc", "ks"):
            options = {"method": "bootstrap", "replicates": REPLICATES, "seed": 1}
            best = min(
                timed(lambda c=counts, m=metric, o=options: cap.confidence_interval(c, m, **o))
                for _ in range(times)
            )
            yield f"{metric}, {REPLICATES:,} replicates, {name}", best, None


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rows", type=int, default=10_000_000)
    asked.add_argument("--repeat", type=int, default=3)
    given = asked.parse_args()
    rng = np.random.default_rng(1)
    # The first interval loads scipy.special, which is no part of what an interval costs.
    cap.confidence_interval(cap.ScoreCounts.from_counts([2, 1], [3, 2], [2, 5]), "roc_auc")
    print(f"{given.rows:,} distinct scores")
    print(f"{'what':<46}{'seconds':>9}{'sorts':>7}")
    for name, seconds, ratio in (*against_sort(given.rows, given.repeat, rng),
                                 *summaries(given.repeat, rng),
                                 *bootstraps(given.repeat, rng)):  # fmt: skip
        print(f"{name:<46}{seconds:>9.3f}{'' if ratio is None else f'{ratio:7.2f}'}", flush=True)


if __name__ == "__main__":
    main()

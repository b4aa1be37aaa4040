"""How cost grows with the number of continuous float64 scores: evaluations and their pages.

python benchmarks/growth.py [rows] [most scores]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from timing import machine

import capcurve as cap

LEAST = 10_000
SCORES = (1, 2, 10, 50, 200)


def timed(work):
    """Return what work makes, and its seconds: elapsed, and of all processors."""
    start, used = time.perf_counter(), time.process_time()
    made = work()
    return made, time.perf_counter() - start, time.process_time() - used


def many_scores(rows, most):
    """Print what an evaluation and its page take, each elapsed and of all processors."""
    rng = np.random.default_rng(31)
    target = rng.random(rows) < 0.1
    # Loads what is loaded once.
    first = target[:LEAST]
    cap.evaluate(first, {name: rng.random(len(first)) for name in "ab"}).to_html()
    print(
        f"{'scores':>7}{'evaluate':>11}{'processor':>11}{'page':>9}{'processor':>11}{'peak GB':>9}"
    )
    for many in (number for number in SCORES if number <= most):
        scores = {f"s{i}": target / 2 + rng.standard_normal(rows) for i in range(many)}
        found, elapsed, used = timed(lambda each=scores: cap.evaluate(target, each))
        _, of_page, used_by_page = timed(found.to_html)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{many:7}{elapsed:11.2f}{used:11.2f}{of_page:11.2f}{used_by_page:11.2f}{peak:11.2f}",
            flush=True,
        )


def main():
    print(f"{machine()}\n")
    given = [int(float(word)) for word in sys.argv[1:]]
    many_scores(*given, *(1_000_000, SCORES[-1])[len(given) :])


if __name__ == "__main__":
    main()

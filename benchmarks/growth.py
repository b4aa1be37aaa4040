"""How cost grows with the number of continuous float64 scores: evaluations, pages and summaries.

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
    """Print what an evaluation, its page and its summary take, elapsed and of all processors."""
    rng = np.random.default_rng(31)
    target = rng.random(rows) < 0.1
    # Loads what is loaded once.
    first = target[:LEAST]
    cap.evaluate(first, {name: rng.random(len(first)) for name in "ab"}).to_html()
    heads = "".join(f"{head:>11}{'processor':>11}" for head in ("evaluate", "page", "summary"))
    print(f"{'scores':>7}{heads}{'peak GB':>11}")
    for many in (number for number in SCORES if number <= most):
        scores = {f"s{i}": target / 2 + rng.standard_normal(rows) for i in range(many)}
        found, elapsed, used = timed(lambda each=scores: cap.evaluate(target, each))
        spent = [elapsed, used, *timed(found.to_html)[1:]]
        # Printed only: an evaluation has made its summaries already.
        spent += timed(found.to_text)[1:]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        columns = "".join(f"{number:11.2f}" for number in (*spent, peak))
        print(f"{many:7}{columns}", flush=True)


def main():
    print(f"{machine()}\n")
    given = [int(float(word)) for word in sys.argv[1:]]
    many_scores(*given, *(1_000_000, SCORES[-1])[len(given) :])


if __name__ == "__main__":
    main()

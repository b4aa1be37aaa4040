"""How long a change of two samples of many cells and segments takes to explain.

    python benchmarks/change.py [CELLS] [SEGMENTS]

Prints seconds for all, with standard errors and the test, and the same in sorts of as many floats.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import capcurve as cap


def sample(rng, cells, segments):
    """Return counts by segment, with so many cells in all."""
    found = {}
    for segment in range(segments):
        score = np.unique(rng.normal(size=cells // segments))
        positives = rng.integers(0, 2, len(score))
        negatives = rng.integers(0, 5, len(score)) + (positives == 0)
        found[segment] = cap.ScoreCounts.from_counts(score, positives, negatives)
    return found


def seconds(work):
    """Return the least of three runs."""
    found = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def main():
    """Print the seconds."""
    cells, segments = (
        int(word) for word in (*sys.argv[1:], *("2000000", "10000")[len(sys.argv) - 1 :])
    )
    rng = np.random.default_rng(20261122)
    before, after = (sample(rng, cells // 2, segments) for _ in range(2))
    scores = rng.normal(size=cells)
    sort = seconds(lambda: np.argsort(scores))
    found = seconds(lambda: cap.attribute_change(before, after))
    print(f"{cells:,} cells in {segments:,} segments: {found:.2f} s, {found / sort:.1f} np.argsort")
    found = seconds(lambda: cap.decompose(after))
    print(f"decompose one sample: {found:.2f} s, {found / sort:.1f} np.argsort")


if __name__ == "__main__":
    main()

"""How cost grows with the rows: counts, AR, KS and interval of continuous float64 scores.

python benchmarks/growth.py [most rows]
"""

from __future__ import annotations

import sys

import numpy as np
from kernel import answer
from timing import in_turns, machine

LEAST = 10_000


def main():
    most = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000_000
    print(f"{machine()}\n")
    print(f"{'rows':>13}{'seconds':>11}{'ns a row':>10}{'over n log n':>14}{'x np.sort':>11}")
    rng, rows = np.random.default_rng(30), LEAST
    while rows <= most:
        score = rng.standard_normal(rows)
        target = (rng.random(rows) < 0.1).astype(np.int8)
        work = {
            "answer": lambda t=target, s=score: answer(t, s),
            "sort": lambda s=score: np.sort(s),
        }
        found = in_turns(work)
        seconds = found["answer"]
        print(
            f"{rows:13,}{seconds:11.4f}{1e9 * seconds / rows:10.1f}"
            f"{1e9 * seconds / rows / np.log2(rows):14.2f}{seconds / found['sort']:11.2f}"
        )
        rows *= 10


if __name__ == "__main__":
    main()

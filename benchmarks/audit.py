"""What an audit of a printed table costs, by the bins of the table and by what is asked.

python benchmarks/audit.py
"""

from __future__ import annotations

import numpy as np
from timing import in_turns, machine

import capcurve as cap

# Milliseconds that an audit may take: 20 of 10 bins, 500 of 100 bins, 2000 if concave.
TARGETS = {(10, "concave"): 2000, (100, "concave"): 2000}
USUAL = {10: 20, 100: 500}


def table(bins, decimals):
    """Return a table of six columns whose rate falls, its counts and its positives."""
    rng = np.random.default_rng(14)
    rates = np.sort(rng.uniform(0.001, 0.5, bins))[::-1]
    n = rng.integers(80, 120, bins) * 100
    positives = np.floor(rates * n).astype(np.int64)
    cases, running = np.cumsum(n), np.cumsum(positives)
    all_cases, n1 = cases[-1], running[-1]
    numbers = {
        "captured": running / n1,
        "rate": positives / n,
        "lift": positives / n * all_cases / n1,
        "cum_lift": running / cases * all_cases / n1,
        "ks": running / n1 - (cases - running) / (all_cases - n1),
    }
    printed = {name: [f"{x:.{decimals}f}" for x in values] for name, values in numbers.items()}
    return {"n": n.tolist(), **printed}, {"n": n.tolist(), "positives": positives.tolist()}, int(n1)


def work_of(bins):
    """Return what is timed of tables with so many bins."""
    printed, counts, n1 = table(bins, 4)
    wrong = {**printed, "captured": [*printed["captured"]]}
    wrong["captured"][bins // 2] = "0.9999"
    claims = {"ks": "0.37", "ar": "0.45"}
    return {
        "counts": lambda: cap.audit_table(counts),
        "six columns": lambda: cap.audit_table(printed, positives=n1),
        "with two claims": lambda: cap.audit_table(printed, positives=n1, claims=claims),
        "positives unknown": lambda: cap.audit_table(printed),
        "a misprint": lambda: cap.audit_table(wrong, positives=n1),
        "concave": lambda: cap.audit_table(counts, assume="concave"),
        "as text": lambda: repr(cap.audit_table(counts)),
    }


def main():
    print(f"{machine()}\n")
    print(f"{'bins':>5}  {'what':<20}{'ms':>9}{'target':>9}{'x target':>10}")
    for bins in (10, 100):
        for what, seconds in in_turns(work_of(bins)).items():
            target = TARGETS.get((bins, what), USUAL[bins])
            spent = 1000 * seconds
            print(f"{bins:5}  {what:<20}{spent:9.1f}{target:9,}{spent / target:10.2f}")


if __name__ == "__main__":
    main()

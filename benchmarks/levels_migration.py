"""How often the ECB's test of a migration cell speaks where neighbouring cells are equally likely.

    python benchmarks/levels_migration.py 2000 20261122 > migration.csv

Every row of the matrix is a multinomial sample: so many cases of one grade, of which `kept` keep
their grade. In "flat" matrices all other grades are equally likely, which is as near to a nearer
grade being less likely as the null hypothesis allows; in "falling" ones each grade is half as likely
as the one before it. `cell`: the share of single cells whose p-value is below 5%, of those that are
tested; `any`: the share of matrices in which Holm's adjustment names any cell; `tested`: cells
tested on average, of K(K-1).
"""

from __future__ import annotations

import csv
import sys

import numpy as np

from capcurve.grades.moves import steps_of, tests_of

GRADES = (5, 7, 17)
CASES = (50, 200, 1000)
KEPT = 0.7
LEVEL = 0.05


def shares(grades: int, shape: str) -> np.ndarray:
    """Return how likely each move is, a row per grade at the start."""
    steps = np.abs(steps_of(grades))
    weights = np.where(steps > 0, 1.0 if shape == "flat" else 0.5**steps, 0.0)
    weights *= (1 - KEPT) / weights.sum(axis=1, keepdims=True)
    return weights + KEPT * np.eye(grades)


def levels(
    grades: int, cases: int, shape: str, runs: int, random: np.random.Generator
) -> dict[str, object]:
    """Return how often cells and matrices are called out of order."""
    likely = shares(grades, shape)
    equal = np.abs(steps_of(grades)) > 1  # beside the diagonal the nearer cell is the likelier
    named, tested, low, of = 0, 0, 0, 0
    for _ in range(runs):
        matrix = np.array([random.multinomial(cases, row) for row in likely])
        _, p_value, adjusted = tests_of(matrix)
        known = ~np.isnan(p_value)
        tested += known.sum()
        of += (known & equal).sum()
        low += (p_value[known & equal] < LEVEL).sum()
        named += bool((adjusted[known] < LEVEL).any())
    return {
        "matrix": shape,
        "grades": grades,
        "cases per grade": cases,
        "tested": round(tested / runs, 1),
        "cell": f"{low / of:.1%}",
        "any": f"{named / runs:.1%}",
    }


def main(runs: int, seed: int) -> None:
    """Print a row per design."""
    random = np.random.default_rng(seed)
    rows = [
        levels(grades, cases, shape, runs, random)
        for shape in ("flat", "falling")
        for grades in GRADES
        for cases in CASES
    ]
    table = csv.DictWriter(sys.stdout, rows[0])
    table.writeheader()
    table.writerows(rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))

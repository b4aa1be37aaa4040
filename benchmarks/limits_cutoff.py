"""How often the cut-offs whose profit is not significantly lower hold the one that is truly best.

    python benchmarks/limits_cutoff.py 400 20261125 > cutoff.csv

A positive brings 1, and a case costs .5, 1.2 or 2.5 times the prevalence (.9 at most).
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from limits_populations import DISORDERED, LUMPED, USELESS, binormal, block_on_top, crossing, of
from limits_runs import generator

import capcurve as cap
from capcurve.results.profits import as_good

COSTS = (0.5, 1.2, 2.5)
KINDS = [*(binormal(auc) for auc in (0.5, 0.6, 0.8, 0.95)), crossing(), block_on_top()]
KINDS += [LUMPED, DISORDERED, USELESS]


def best_score(population, cost):
    """Return the lowest score that the truly best cut-off selects; infinite where it is nobody."""
    q, captured = population.cap
    place = int((population.prevalence * captured - cost * q).argmax())
    if population.graded:
        return len(population.positives) + 1 - place
    # A share of the population is of scores above a cut-off, without those that equal it.
    return np.nextafter([np.inf, *population.cuts, -np.inf][place], np.inf)


def holds(population, cost, runs, rng):
    """Return how often the best cut-off is among those found, and how wide these are on average."""
    score, found = best_score(population, cost), []
    for _ in range(runs):
        counts = population.draw(rng)
        points = cap.best_thresholds(counts, "profit", value=1, cost=cost)
        low, high = as_good(counts, points[0].threshold, 1.0, cost, 0.95)
        share = cap.operating_point(counts, threshold=score).q
        found.append((low <= share <= high, high - low))
    return np.mean(found, axis=0)


def main(runs="400", seed="20261125", sizes="10,30,200"):
    """Write the lines of all populations."""
    writer = csv.writer(sys.stdout)
    writer.writerow(("population", "cost over prevalence", "seed", "runs", "holds", "mean width"))
    for kind in KINDS:
        for prevalence, n1 in ((0.02, 10), *((0.2, int(n1)) for n1 in sizes.split(","))):
            population = of(kind, prevalence, n1)
            rng = generator(int(seed), population)
            for times in COSTS:
                found = holds(population, min(times * prevalence, 0.9), int(runs), rng)
                line = (population, times, seed, runs, *(f"{each:.4f}" for each in found))
                writer.writerow(line)
                sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

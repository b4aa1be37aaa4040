"""How often intervals of numbers of amounts contain the true value.

    python benchmarks/coverage_values.py sparse steep ranked luck > FILE.csv
    python benchmarks/coverage_values.py few partly exposure pairs clusters profit > FILE.csv
    python benchmarks/coverage_values.py sparse --runs 2000 --seed 7 --laws "Pareto 2.2"

One line per population and interval, in the columns of `limits_runs.py`. The package takes
milliseconds per interval, so that 10,000 samples a cell are evaluated by `values_limits.py`, many
at once. Of each cell the first samples go through `capcurve.confidence_interval(count_values(...))`
too, and the program stops where a limit differs by more than 1e-9. Clusters and profit are the
package's own. `runs_of` says where cells have fewer samples. Lift has the coverage of captured.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product

import numpy as np
from limits_runs import generator, written
from values_limits import Batch, difference
from values_populations import LAWS, Clustered, Luck, Pair, Ranked, Samples, Sparse, Steep

import capcurve as cap

SIZES = (20, 50, 200, 1000)
SHARES = (0.1, 0.3)
HEAVY = ("log-normal 1", "Pareto 2.2", "log-normal 2")
# Rows that are held at once, and samples of a cell that the package evaluates, too.
ROWS_AT_ONCE = 1_000_000
CHECKED = 3
RUNS = 10_000


def numbers_of(population):
    """Return the true number and the options of each interval that is asked for."""
    asked = {
        "accuracy_ratio": (population.ar, {}),
        "concentration_index": (population.concentration, {}),
    }
    for q in SHARES:
        asked[f"captured_response({q})"] = (population.captured(q), {"q": q})
    asked["mean_amount(0.1)"] = (population.lift(0.1) * population.mean_amount, {"q": 0.1})
    return asked


def limits_of(batch, name, q=None):
    """Return limits of a number for all samples of a batch."""
    if q is None:
        return batch.ranking(name)
    return (batch.captured if name == "captured_response" else batch.mean_amount)(q)


def same(found, interval, what):
    """Stop where the limits of many samples at once are not those of the package."""
    for ours, theirs in zip(found, (interval.low, interval.high), strict=True):
        if ours != theirs and not abs(ours - theirs) <= 1e-9 * max(1.0, abs(theirs)):
            raise SystemExit(f"{what}: {found} here, [{interval.low}, {interval.high}] in capcurve")


def check(samples, found, numbers, what):
    """Compare the first samples with the package."""
    for run in range(min(CHECKED, len(samples.amount))):
        amount, score, exposure = samples.rows(run)
        counts = cap.count_values(amount, score, exposure=exposure)
        for name, (_, options) in numbers.items():
            interval = cap.confidence_interval(counts, name.partition("(")[0], **options)
            limits = tuple(float(limit[run, 0]) for limit in found[name])
            same(limits, interval, f"{what}, {name}")


def evaluated(population, runs, rng):
    """Return the limits of every number for samples of a population."""
    numbers = numbers_of(population)
    of_one = getattr(population, "n", population.size)
    step = min(runs, max(ROWS_AT_ONCE // of_one, 1))
    kept = {name: [] for name in numbers}
    for start in range(0, runs, step):
        samples = population.draw(rng, min(step, runs - start))
        batch = Batch(samples)
        found = {n: limits_of(batch, n.partition("(")[0], **o) for n, (_, o) in numbers.items()}
        if not start:
            check(samples, found, numbers, population)
        for name, limits in found.items():
            kept[name].append(np.concatenate(limits, axis=1))
    return {name: (numbers[name][0], np.concatenate(parts)) for name, parts in kept.items()}


def compared(population, runs, rng):
    """Return the limits of the difference of two accuracy ratios."""
    step, parts = max(ROWS_AT_ONCE // population.n, 1), []
    for start in range(0, runs, step):
        scores, amount = population.draw(rng, min(step, runs - start))
        found = difference(scores, amount, Samples)
        for run in range(0 if start else CHECKED):
            joint = cap.count_joint_values(amount[run], {"a": scores[0][run], "b": scores[1][run]})
            pair = cap.compare(joint).pairs[0]
            same(tuple(float(limit[run, 0]) for limit in found), pair, population)
        parts.append(np.concatenate(found, axis=1))
    return {"difference": (population.ar - population.other, np.concatenate(parts))}


def counted(asked, draw, runs):
    """Return the limits of the package; `asked` holds (truth, metric, options) by name."""
    found = {name: np.empty((runs, 2)) for name in asked}
    for run in range(runs):
        counts = draw()
        for name, (_, metric, options) in asked.items():
            interval = cap.confidence_interval(counts, metric, **options)
            found[name][run] = interval.low, interval.high
    return {name: (truth, found[name]) for name, (truth, *_) in asked.items()}


def clustered(population, runs, rng):
    """Return limits that leave out groups of clusters in turn."""
    asked = {
        name: (truth, name.partition("(")[0], options)
        for name, (truth, options) in numbers_of(population).items()
        if options.get("q") != SHARES[-1]
    }

    def draw():
        amount, score, of = population.rows(rng)
        return cap.count_values(amount, score, cluster=of)

    return counted(asked, draw, runs)


def profits(population, runs, rng):
    """Return limits of the best profit, of the amount less two mean amounts per row selected."""
    terms = {"value": 1.0, "cost": 2 * population.mean_amount}
    truth = population.n * population.best_profit(**terms)

    def draw():
        amount, score, _ = population.draw(rng, 1).rows(0)
        return cap.count_values(amount, score)

    return counted({"profit": (truth, "profit", terms)}, draw, runs)


def covered(population, asks, runs, seed):
    """Return a line per interval of `asks`: coverage, limits all above, all below, median width."""
    runs = runs or runs_of(population, asks)
    lines = []
    for name, (truth, found) in asks(population, runs, generator(seed, population)).items():
        low, high = found.T
        near = 1e-12 * max(1.0, abs(truth))
        above, below = float((low > truth + near).mean()), float((high < truth - near).mean())
        width = float(np.median(high - low))
        row = (name, seed, runs, 1 - above - below, above, below, width)
        lines.append((str(population), *row))
    return lines


def runs_of(population, asks):
    """Return how many samples a population is worth: fewer where its rows are many."""
    if asks in (clustered, profits):
        return 2_000 if population.events < max(SIZES) else 500
    if asks is evaluated and population.events == population.size:
        return RUNS
    return {20: RUNS, 50: 4_000, 200: 2_000}.get(round(population.events), 500)


def _sparse(laws):
    return [Sparse(*cell) for cell in product(laws, (0.0, 0.6, 0.9), SIZES)]


def _steep(laws):
    return [Steep(*cell) for cell in product(laws, (0.6, 0.9), SIZES)]


def _ranked(laws):
    return [Ranked(*cell) for cell in product(laws, (0.0, 0.6, 0.9), SIZES)]


def _partly(laws):
    found = [Ranked(law, ar, size * 20, 0.05) for law, ar, size in product(laws, (0.6, 0.9), SIZES)]
    found += [Ranked(law, 0.6, round(size / 0.3), 0.3) for law, size in product(laws, SIZES)]
    return found + [Ranked(law, 0.6, size, grades=7) for law, size in product(laws, SIZES)]


def _luck(laws):
    return [Luck(*cell) for cell in product(laws, (0.3, 0.6, 0.8), SIZES)]


def _exposure(laws):
    every = [Ranked(law, 0.6, size, exposed=True) for law, size in product(laws, SIZES)]
    return every + [Ranked(p.law, 0.6, p.size * 20, 0.05, exposed=True) for p in every]


def _few(laws):
    """Return populations in which few large amounts stand among many small ones."""
    cells = product(laws, (0.0, 0.43, 0.6), (60, 100, 300, 1000), (0, 7))
    return [Ranked(law, ar, size, grades=grades) for law, ar, size, grades in cells]


def _pairs(laws):
    pairs = product(laws, ((0.6, 0.6), (0.6, 0.9)), (0.5, 0.9), SIZES)
    return [Pair(law, a, size, b, rho) for law, (a, b), rho, size in pairs]


def _clusters(laws):
    return [Clustered(law, 0.6, size) for law, size in product(laws, SIZES[1:])]


def _profit(laws):
    return [Sparse(law, 0.6, size) for law, size in product(laws, SIZES)]


TABLES = {
    "sparse": (_sparse, evaluated, (*HEAVY, "gamma 2")),
    "steep": (_steep, evaluated, HEAVY),
    "ranked": (_ranked, evaluated, (*HEAVY, "gamma 2")),
    "partly": (_partly, evaluated, (*HEAVY, "gamma 2")),
    "luck": (_luck, evaluated, (*HEAVY, "gamma 2")),
    "exposure": (_exposure, evaluated, (*HEAVY, "gamma 2")),
    "few": (_few, evaluated, ("two sizes", "two sizes, 1%")),
    "pairs": (_pairs, compared, HEAVY),
    "clusters": (_clusters, clustered, ("log-normal 1", "Pareto 2.2")),
    "profit": (_profit, profits, ("gamma 2", "log-normal 1", "log-normal 2")),
}


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("tables", nargs="+", choices=TABLES)
    asked.add_argument("--runs", type=int, help="samples a cell (10,000, fewer where slow)")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--laws", nargs="+", choices=LAWS)
    asked.add_argument("--sizes", nargs="+", type=int, help="rows with an amount")
    given = asked.parse_args()
    for place, name in enumerate(given.tables):
        cells, limits, laws = TABLES[name]
        populations = cells(given.laws or laws)
        if given.sizes:
            populations = [p for p in populations if round(p.events) in given.sizes]
        written(covered, populations, limits, given.runs, given.seed, given.jobs, heads=not place)


if __name__ == "__main__":
    sys.exit(main())

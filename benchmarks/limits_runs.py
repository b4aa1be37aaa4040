"""How often limits contain the true value and tests reject, counted over simulated samples.

The seed, the population and nothing else decide what is drawn, so that a line can be made again.
"""

from __future__ import annotations

import csv
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

COLUMNS = ("population", "interval", "seed", "runs", "covers", "above", "below", "width")


def generator(seed, population):
    """Return the random numbers of a population."""
    return np.random.default_rng(
        [seed, zlib.crc32(repr((str(population), population.fixed)).encode())]
    )


def covered(population, asks, runs, seed):
    """Return a line per question: coverage, limits all above, all below the truth, median width.

    `asks` takes the population and returns {name: (truth, limits of the counts of a sample)}.
    """
    rng, questions = generator(seed, population), asks(population)
    found = {name: np.empty((runs, 2)) for name in questions}
    for run in range(runs):
        counts = population.draw(rng)
        for name, (_, limits) in questions.items():
            interval = limits(counts)
            found[name][run] = interval.low, interval.high
    lines = []
    for name, (truth, _) in questions.items():
        low, high = found[name].T
        above, below = float((low > truth + 1e-12).mean()), float((high < truth - 1e-12).mean())
        width = float(np.median(high - low))
        lines.append((str(population), name, seed, runs, 1 - above - below, above, below, width))
    return lines


def rejected(population, asks, runs, seed):
    """Return a line per test: how often it rejects. `asks` returns {name: test of counts}."""
    rng, questions = generator(seed, population), asks(population)
    said = np.zeros(len(questions))
    for _ in range(runs):
        counts = population.draw(rng)
        said += [bool(test(counts)) for test in questions.values()]
    return [
        (str(population), name, seed, runs, rate, "", "", "")
        for name, rate in zip(questions, (said / runs).tolist(), strict=True)
    ]


def written(work, populations, asks, runs, seed, jobs=1, out=sys.stdout, *, heads=True):
    """Write the lines of all populations; `work` is `covered` or `rejected`."""
    writer = csv.writer(out)
    if heads:
        writer.writerow(COLUMNS)
    with ProcessPoolExecutor(jobs) as pool:
        done = pool.map(partial(work, asks=asks, runs=runs, seed=seed), populations)
        for lines in done:
            for line in lines:
                writer.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in line])
            out.flush()

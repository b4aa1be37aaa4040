"""How often bands contain a whole true CAP, and how often that of a difference finds one.

Run `python benchmarks/limits_bands.py [cap|roc|weights|clusters|pairs] [RUNS] [SEED]`: a CSV line
for each population. "covers" is the share of samples whose band holds the true CAP at every share
of cases, closely spaced, or the true ROC; "above" and "below" those whose band lies above or below
it somewhere; "width" is the mean width over all shares. Of pairs of scores "covers" is how often
the band of their difference leaves zero somewhere: its size where both are equally good, else its
power. 2,000 runs of all take two hours on one core.
"""

from __future__ import annotations

import sys

import numpy as np
from limits_populations import (
    DISORDERED,
    EMPTY_GRADES,
    FIVE_GRADES,
    LUMPED,
    betas,
    binormal,
    calibrated,
    crossing,
    exponential,
    fixed,
    heavy_tailed,
    of,
)
from limits_runs import generator, written
from scipy import stats

import capcurve as cap

NEAR = np.geomspace(1e-5, 0.01, 60)
SHARES = np.unique(np.concatenate([np.linspace(0, 1, 1001), NEAR, 1 - NEAR]))
REPLICATES = 500
LARGE_TOP = ("70% in the top grade", [0.9, 0.06, 0.04], [0.68, 0.2, 0.12])
LATE_STEP = ("steepest in the second grade", [0.02, 0.9, 0.08], [0.5, 0.2, 0.3])
NEARLY_ALL = ("95% in the first of two grades", [0.95, 0.05], [0.2, 0.8])
SCORES = [
    of(binormal(0.5), 0.01, 15),
    of(binormal(0.5), 0.1, 30),
    of(binormal(0.75, 2.0), 0.1, 15),
    of(binormal(0.75, 0.5), 0.4, 30),
    of(exponential(0.97), 0.01, 15),
    of(exponential(0.97), 0.01, 30),
    of(exponential(0.97), 0.4, 15),
    of(exponential(0.97), 0.1, 100),
    of(betas(), 0.2, 40),
    of(heavy_tailed(), 0.1, 20),
    of(crossing(), 0.01, 15),
    of(crossing(), 0.1, 30),
    of(crossing(), 0.4, 100),
    of(binormal(0.8), 0.1, 300),
]
GRADES = [
    of(DISORDERED, 0.1, 15),
    of(DISORDERED, 0.1, 30),
    of(DISORDERED, 0.1, 100),
    of(DISORDERED, 0.4, 30),
    of(LUMPED, 0.1, 15),
    of(LUMPED, 0.01, 30),
    of(LUMPED, 0.4, 100),
    of(LARGE_TOP, 0.1, 30),
    of(LATE_STEP, 0.1, 100),
    of(NEARLY_ALL, 0.1, 15),
    of(NEARLY_ALL, 0.1, 30),
    of(calibrated(), 0.05, 50),
]
ROCS = [
    fixed(of(kind, n1 / (n1 + n0), n1))
    for kind in (binormal(0.75), binormal(0.9), exponential(0.97), FIVE_GRADES, DISORDERED)
    for n1, n0 in ((30, 300), (100, 100))
] + [fixed(of(exponential(0.97), 0.2, 15)), fixed(of(EMPTY_GRADES, 0.1, 30))]
WEIGHTS = [
    of(kind, 0.1, n1, weights=weights)
    for kind in (binormal(0.75), exponential(0.9))
    for n1, weights in ((40, (1.0, 2.0, 6.0)), (150, (1.0, 4.0, 25.0)), (40, (6.0, 2.0, 1.0)))
]
CLUSTERS = [
    of(kind, 0.1, n1) for kind in (binormal(0.75), exponential(0.9)) for n1 in (15, 40, 150)
]


def of_counts(population, rng):
    """Return the counts of a sample."""
    return population.draw(rng)


def of_clusters(population, rng):
    """Return the counts of a sample whose cases occur 1 to 6 times each, as their cluster."""
    positive = rng.random(population.n) < population.prevalence
    scores = np.where(
        positive,
        population.positives.rvs(population.n, random_state=rng),
        population.negatives.rvs(population.n, random_state=rng),
    )
    row = np.repeat(np.arange(population.n), rng.integers(1, 7, population.n))
    return cap.count_scores(positive[row], scores[row], cluster=row)


def held(population, asks, runs, seed):
    """Return the line of a population; `asks` draws the counts of a sample."""
    truth = SHARES, population.captured(SHARES)
    return _held(population, asks, runs, seed, cap.cap_band, truth)


def held_roc(population, asks, runs, seed):
    """Return the line of a population for the band of its ROC."""
    x, y = population.roc
    both = np.unique(np.concatenate([SHARES, (x + y) / 2 if population.graded else []]))
    truth = tuple(np.interp(both, (x + y) / 2, rate) for rate in (x, y))
    return _held(population, asks, runs, seed, cap.roc_band, truth)


def _held(population, asks, runs, seed, band_of, truth):
    rng, (x, y) = generator(seed, population), truth
    above, below, width = np.zeros(runs, bool), np.zeros(runs, bool), np.zeros(runs)
    for run in range(runs):
        band = band_of(asks(population, rng), replicates=REPLICATES, seed=run)
        low, high = (np.interp(x, band.q, side) for side in (band.low, band.high))
        above[run], below[run] = (low > y + 1e-9).any(), (high < y - 1e-9).any()
        width[run] = np.trapezoid(band.high - band.low, band.q)
    rates = [float(x.mean()) for x in (~(above | below), above, below, width)]
    return [(str(population), band_of.__name__, seed, runs, *rates)]


class Pair:
    """Two normal scores of the same cases, as grades where these are asked for."""

    fixed = False

    def __init__(self, aucs, correlation, n1, prevalence, grades=None):
        self.middles = stats.norm.ppf(aucs) * np.sqrt(2)
        self.aucs, self.correlation, self.grades = aucs, correlation, grades
        self.n1, self.prevalence = n1, prevalence

    def __str__(self):
        kind = f"{self.grades} grades" if self.grades else "continuous"
        of_both = f"AUC {self.aucs[0]:g} and {self.aucs[1]:g}, correlation {self.correlation:g}"
        return f"{of_both}, {kind}, {self.n1} positives, {self.prevalence:.0%}"

    def draw(self, rng):
        """Return the joint counts of a sample."""
        positive = rng.random(round(self.n1 / self.prevalence)) < self.prevalence
        if not 2 <= positive.sum() <= len(positive) - 2:
            return self.draw(rng)
        noise = rng.normal(size=(2, len(positive)))
        rest = np.sqrt(1 - self.correlation**2)
        noise[1] = self.correlation * noise[0] + rest * noise[1]
        scores = noise + np.outer(self.middles, positive)
        if self.grades:
            scores = np.digitize(scores, np.linspace(-1.5, 2.5, self.grades - 1))
        return cap.count_joint(positive, {"a": scores[0], "b": scores[1]})


PAIRS = [
    Pair(aucs, correlation, n1, 0.1, grades)
    for aucs in ((0.8, 0.8), (0.8, 0.7))
    for correlation in (0.9, 0.3)
    for n1, grades in ((15, None), (30, None), (30, 6), (100, None))
] + [
    Pair((0.95, 0.95), 0.3, 15, 0.1, 6),
    Pair((0.7, 0.7), 0.3, 15, 0.4, 6),
    Pair((0.9, 0.9), 0.9, 30, 0.02),
    Pair((0.75, 0.75), 0.6, 300, 0.3),
]


def left_zero(pair, asks, runs, seed):
    """Return how often the band of the difference of two CAPs leaves zero."""
    rng, width = generator(seed, pair), np.zeros(runs)
    left = np.zeros(runs, bool)
    for run in range(runs):
        band = asks(pair.draw(rng), replicates=REPLICATES, seed=run)
        left[run] = ((band.low > 1e-12) | (band.high < -1e-12)).any()
        width[run] = np.trapezoid(band.high - band.low, band.q)
    return [(str(pair), "difference_band", seed, runs, float(left.mean()), "", "", width.mean())]


ALL = {
    "cap": (held, SCORES + GRADES, of_counts),
    "roc": (held_roc, ROCS, of_counts),
    "weights": (held, WEIGHTS, of_counts),
    "clusters": (held, CLUSTERS, of_clusters),
    "pairs": (left_zero, PAIRS, cap.difference_band),
}


def main(which=None, runs="2000", seed="20261122"):
    """Write the lines of all populations of a kind, or of all kinds."""
    for name in [which] if which else ALL:
        work, populations, asks = ALL[name]
        written(work, populations, asks, int(runs), int(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])

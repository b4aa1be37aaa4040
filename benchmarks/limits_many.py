"""How often all limits of many scores, or of groups, hold at once, and how ABROCA's test rejects.

python benchmarks/limits_many.py PART [--runs 400] [--seed 20261129] [--jobs 1] > FILE.csv

PART is "scores" (3, 8 and 20 scores of the same rows: "mixed" has a third equally best, "equal"
all, "apart" no correlation of their errors, "strong" AUC .97 to .92), "groups" (gaps of AUC,
captured response and false positive rate of 2, 4 and 8 groups; "uneven" has a first one five times
as large) or "abroca" (the test of groups with one law of scores given the outcome). "all hold" is
how often no limit misses (of ABROCA: how often the test rejects at 5%), "ranks hold" how often no
rank interval does, "each alone" how often limits of each pair by itself all hold; shares are of all
samples, with one standard error of .01 at 400.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.stats import norm

import capcurve as cap

SPREAD = 1.4  # of the positives of every score, in units of that of the negatives
SIZES, POSITIVES = (3, 8, 20), (20, 50, 200)
PREVALENCE = 0.15
CUT, NEXT_TO_NOTHING = 1.0, 1e-12


def distance(auc):
    """Return how far the means of both classes are apart for such an AUC."""
    return norm.ppf(auc) * np.hypot(1, SPREAD)


def _rank_holds(row, truth, own):
    """Return whether a rank interval holds all ranks that equally good scores share."""
    first = 1 + int((truth > own + NEXT_TO_NOTHING).sum())
    last = int((truth > own - NEXT_TO_NOTHING).sum())
    return row["rank_from"] <= first and last <= row["rank_to"]


@dataclass(frozen=True)
class Scores:
    """Several scores of the same rows, whose errors correlate within each class."""

    shape: str
    many: int
    positives: int

    @property
    def aucs(self):
        """Return the true AUC of each score."""
        falling = np.linspace(0.8, 0.65, self.many)
        if self.shape == "mixed":
            return np.where(np.arange(self.many) < -(-self.many // 3), 0.8, falling)
        if self.shape == "strong":
            return np.linspace(0.97, 0.92, self.many)
        return np.full(self.many, 0.75) if self.shape == "equal" else falling

    def holds(self, rng):
        """Return whether all limits, all rank intervals and all limits of single pairs hold."""
        n = round(self.positives / PREVALENCE)
        y = np.arange(n) < self.positives
        shared = 0.0 if self.shape == "apart" else 0.6
        noise = np.sqrt(shared) * rng.normal(size=(n, 1))
        noise = noise + np.sqrt(1 - shared) * rng.normal(size=(n, self.many))
        score = np.where(y[:, None], distance(self.aucs) + SPREAD * noise, noise)
        joint = cap.count_joint(y, {f"s{k}": score[:, k] for k in range(self.many)})
        found, truth = cap.compare(joint, metric="roc_auc"), self.aucs
        true = [truth[a] - truth[b] for a, b in combinations(range(self.many), 2)]
        every = all(p.low <= t <= p.high for p, t in zip(found.pairs, true, strict=True))
        by_name = {f"s{k}": truth[k] for k in range(self.many)}
        ranks = all(_rank_holds(row, truth, by_name[row["score"]]) for row in found.ranks.rows())
        alone = cap.compare(joint, metric="roc_auc", together=False).pairs
        single = all(p.low <= t <= p.high for p, t in zip(alone, true, strict=True))
        width = np.mean(found.ranks["rank_to"] - found.ranks["rank_from"] + 1)
        return every, ranks, single, width


@dataclass(frozen=True)
class Groups:
    """Groups of cases, each with its own AUC, and one cut-off for all."""

    shape: str
    many: int
    positives: int

    @property
    def distances(self):
        """Return how far apart the classes of each group are."""
        apart = np.linspace(0.85, 0.68, self.many) if self.shape == "apart" else [0.76] * self.many
        return distance(np.array(apart))

    def holds(self, rng):
        """Return whether all limits of gaps hold."""
        sizes = [
            self.positives * (5 if self.shape == "uneven" and not k else 1)
            for k in range(self.many)
        ]
        y, score, group = _rows(rng, sizes, self.distances)
        found = cap.compare_groups(
            y, score, by=group, threshold=CUT, metric="roc_auc", replicates=2
        )
        true = {
            "roc_auc": norm.cdf(self.distances / np.hypot(1, SPREAD)),
            "captured_response": norm.sf((CUT - self.distances) / SPREAD),
            "false_positive_rate": np.full(self.many, norm.sf(CUT)),
        }
        every = all(p.low <= _gap(true, p) <= p.high for p in found.pairs)
        return every, np.nan, np.nan, np.nan


def _rows(rng, sizes, distances):
    """Return outcome, score and group of the rows of all groups, 20% positives in each."""
    y = np.concatenate([np.arange(5 * size) < size for size in sizes])
    group = np.repeat([f"g{k}" for k in range(len(sizes))], [5 * size for size in sizes])
    away = np.repeat(distances, [5 * size for size in sizes])
    noise = rng.normal(size=len(y))
    return y, np.where(y, away + SPREAD * noise, noise).round(2), group


def _gap(true, pair):
    first, second = (int(name[1:]) for name in pair.name.split(" minus "))
    return true[pair.metric][first] - true[pair.metric][second]


@dataclass(frozen=True)
class Dealt:
    """Two groups whose scores have one law given the outcome, with tied scores."""

    shape: str
    many: int
    positives: int

    def holds(self, rng):
        """Return whether ABROCA's test rejects at 5%."""
        sizes = [self.positives, self.positives * self.many]
        y, score, group = _rows(rng, sizes, distance(np.array([0.76, 0.76])))
        found = cap.compare_groups(y, score.round(1), by=group, replicates=199)
        return found.abroca["p_value"][0] <= 1 - 0.95, np.nan, np.nan, np.nan


PARTS = {
    "scores": [
        Scores(*each) for each in product(("mixed", "equal", "apart", "strong"), SIZES, POSITIVES)
    ],
    "groups": [
        Groups(*each) for each in product(("alike", "apart", "uneven"), (2, 4, 8), POSITIVES)
    ],
    "abroca": [Dealt("alike", *each) for each in ((1, 20), (1, 100), (10, 10), (4, 20))],
}


def share(task):
    """Return one row of the table: a cell and how often its limits hold."""
    cell, runs, seed = task
    rng = np.random.default_rng([seed, cell.many, cell.positives, *cell.shape.encode()])
    found = np.array([cell.holds(rng) for _ in range(runs)], dtype=float)
    return [
        type(cell).__name__,
        cell.shape,
        cell.many,
        cell.positives,
        *found.mean(axis=0).round(4),
    ]


def main():
    """Write the table of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    for name, value in (("runs", 400), ("seed", 20261129), ("jobs", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(
        ["of", "shape", "how many", "positives", "all hold", "ranks hold", "each alone", "ranks"]
    )
    tasks = [(cell, asked.runs, asked.seed) for cell in PARTS[asked.part]]
    with ProcessPoolExecutor(asked.jobs) as pool:
        for row in pool.map(share, tasks):
            out.writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()

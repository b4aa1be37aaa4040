"""How often limits of a mean over segments hold, and how often equal scores are told apart.

python benchmarks/limits_means.py PART [--runs 2000] [--seed 20261129] [--jobs 1] > FILE.csv

PART is "drawn" (7 kinds of queries, drawn anew for every sample; "weights" says what they weigh),
"fixed" (2, 5 and 10 segments of as many positives, 2 to 40 each, the same in every sample),
"mixed" (fixed segments of 1, 2, 3 or 5 positives), "weights" (fixed segments of unequal size whose
counted weights are drawn with them), "precision" (average precision of fixed segments) or "paired"
(the test of two equally good rankings of drawn queries, at 5%). Positives spread 1.3 times as
widely as negatives. A share of 2,000 samples has a standard error of .5 points at 95%.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import norm

import capcurve as cap

SPREAD = 1.3
MANY = 100_000  # segments of the population from which drawn ones are taken
METRICS = ("roc_auc", "average_precision", "mrr", "hit@3", "recall@5", "precision@5", "ndcg@10")
# By name: documents, how many of them are relevant on average, how far apart, and the grades.
QUERIES = {
    "weak": (15, 0.25, 0.4, None),
    "fair": (15, 0.25, 1.0, None),
    "strong": (15, 0.25, 2.2, None),
    "near perfect": (12, 0.3, 3.6, None),
    "one relevant": (10, None, 1.2, 4),
    "uneven": (25, "uneven", 1.2, None),
    "graded": (20, 0.2, 1.2, 5),
}


def queries(kind, many, rng):
    """Return relevance, score and segment of the documents of so many queries."""
    documents, rate, apart, grades = QUERIES[kind]
    shape = (many, documents)
    if rate is None:
        y = np.arange(documents) == 0
        y = np.broadcast_to(y, shape)
    else:
        rates = rng.beta(0.8, 3.0, size=(many, 1)) if rate == "uneven" else rate
        y = rng.random(shape) < rates
        y[:, 0] |= ~y.any(axis=1)
        y[:, 1] &= ~y.all(axis=1)
    # Some queries are harder than others.
    away = apart * np.exp(0.4 * rng.normal(size=(many, 1)))
    score = np.where(y, away + SPREAD * rng.normal(size=shape), rng.normal(size=shape))
    if grades is not None:
        score = np.clip(np.round(score), -1, grades - 2)
    return y.ravel(), score.ravel(), np.repeat(np.arange(many), documents)


@dataclass(frozen=True)
class Drawn:
    """Queries that are drawn anew in every sample."""

    kind: str
    metric: str
    many: int
    weights: str = "equal"
    paired: bool = False

    def cell(self):
        """Return what tells this cell from others."""
        return self.kind, self.metric, self.many, self.weights

    def truth(self, rng):
        """Return the mean over the population, weighted as asked."""
        y, score, segment = queries(self.kind, MANY, rng)
        asked = {"metric": self.metric, "weights": self.weights}
        return cap.mean_over(cap.count_segments(y, score, by=segment), **asked).estimate

    def holds(self, runs, rng):
        """Return how often the limits hold, or the test of equal rankings rejects."""
        if self.paired:
            return np.mean([self._rejects(rng) for _ in range(runs)])
        truth = self.truth(rng)
        asked = {"metric": self.metric, "weights": self.weights}
        found = 0
        for _ in range(runs):
            y, score, segment = queries(self.kind, self.many, rng)
            low, high = cap.mean_over(cap.count_segments(y, score, by=segment), **asked)
            found += low <= truth <= high
        return found / runs

    def _rejects(self, rng):
        y, score, segment = queries(self.kind, self.many, rng)
        # The same law of scores given the outcome, half of their noise in common.
        noise = rng.normal(size=(2, len(score)))
        both = score + noise if QUERIES[self.kind][3] is None else np.round(score + noise)
        scores = dict(zip("ab", both, strict=True))
        counts = cap.count_segments(y, scores, by=segment)
        return cap.compare(counts, metric=self.metric).p_value <= 1 - 0.95


@dataclass(frozen=True)
class Fixed:
    """Segments that are the same in every sample, with cases drawn inside each."""

    positives: tuple
    auc: float
    graded: bool
    metric: str = "roc_auc"
    weights: str = "equal"

    def cell(self):
        """Return what tells this cell from others."""
        sizes = "+".join(map(str, dict.fromkeys(self.positives)))
        kind = f"{sizes} positives, AUC {self.auc}{', graded' * self.graded}"
        return kind, self.metric, len(self.positives), self.weights

    def rows(self, rng, times=1):
        """Return the rows of a sample; where weights are counted, so are the cases drawn."""
        several = np.array(self.positives) * times
        cases = several * 5
        if self.weights != "equal":
            total = int(cases.sum())
            cases = rng.multinomial(total, cases / total)
            several = rng.binomial(cases, 0.2)
        segment = np.repeat(np.arange(len(cases)), cases)
        y = np.concatenate([np.arange(n) < p for n, p in zip(cases, several, strict=True)])
        apart = norm.ppf(self.auc) * np.hypot(1, SPREAD) + 0.3 * (segment % 2)
        noise = rng.normal(size=len(y))
        score = np.where(y, apart + SPREAD * noise, noise)
        return y, np.clip(np.round(score), -2, 4) if self.graded else score, segment

    def holds(self, runs, rng):
        """Return how often the limits hold."""
        asked = {"metric": self.metric, "weights": self.weights}
        y, score, segment = self.rows(rng, times=20_000 // max(self.positives))
        truth = cap.mean_over(cap.count_segments(y, score, by=segment), **asked).estimate
        found = 0
        for _ in range(runs):
            y, score, segment = self.rows(rng)
            counts = cap.count_segments(y, score, by=segment)
            low, high = cap.mean_over(counts, segments="fixed", **asked)
            found += low <= truth <= high
        return found / runs


AUCS = (0.6, 0.75, 0.9, 0.99)
SHAPES = [*product(AUCS, (False, True))]
PARTS = {
    "drawn": [
        Drawn(kind, metric, many, weights)
        for kind, metric in product(QUERIES, METRICS)
        for many, weights in product((10, 30, 200), ("equal", "positives"))
    ],
    "fixed": [
        Fixed((size,) * many, *shape)
        for many, size, shape in product((2, 5, 10), (2, 5, 15, 40), SHAPES)
    ],
    "mixed": [Fixed((1, 2, 3, 5) * (many // 4), *shape) for many, shape in product((4, 8), SHAPES)]
    + [Fixed((1,) * 10, *shape) for shape in SHAPES],
    "weights": [
        Fixed((6, 12, 40, 20, 10)[:many] * (many // 5 or 1), auc, graded=False, weights=weights)
        for many, auc, weights in product((2, 5, 10), AUCS, ("positives", "cases", "pairs"))
    ],
    "precision": [
        Fixed((size,) * many, auc, graded=False, metric="average_precision")
        for many, size, auc in product((5, 10), (3, 8, 20), AUCS[1:])
    ],
    "paired": [
        Drawn(kind, metric, many, paired=True)
        for kind, metric, many in product(QUERIES, METRICS, (10, 30, 200))
    ],
}


def share(task):
    """Return one row of the table: a cell and how often its limits hold."""
    cell, runs, seed = task
    rng = np.random.default_rng([seed, *" ".join(map(str, cell.cell())).encode()])
    return [*cell.cell(), runs, round(cell.holds(runs, rng), 4)]


def main():
    """Write the table of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    for name, value in (("runs", 2000), ("seed", 20261129), ("jobs", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(["of", "metric", "segments", "weights", "samples", "share"])
    tasks = [(cell, asked.runs, asked.seed) for cell in PARTS[asked.part]]
    with ProcessPoolExecutor(asked.jobs) as pool:
        for row in pool.map(share, tasks):
            out.writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()

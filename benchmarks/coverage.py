"""How often intervals hold the true value, counted over simulated samples.

python benchmarks/coverage.py [ranking|shares|maxima] [--runs 10000] [--jobs 2]

Scores of negatives are N(0, 1), those of positives N(m, spread²), with m such that the AUC is as
stated. Grades are seven intervals of the score, the same in all samples. Weights are lognormal:
"weighted" ones have nothing to do with the score, "tilted" ones give back to samples drawn from
shifted distributions what they lack. Both leave an effective size of 0.61 of the rows.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

import capcurve as cap
from capcurve.inference.intervals import confidence_interval

GRADE_ENDS = (0.05, 0.15, 0.3, 0.5, 0.7, 0.85)
NEGATIVES_PER_POSITIVE = 10
# Weights exp(-SHIFT·z) of normal z: the effective size is exp(-SHIFT²) of the rows.
SHIFT = 0.7
KINDS = ("continuous", "grades", "weighted", "tilted")
VALUE, COST = 10.0, 2.0


@dataclass(frozen=True)
class Cell:
    """A population and a sample size."""

    auc: float
    spread: float
    positives: int
    kind: str

    @property
    def negatives(self):
        """Return the number of negatives."""
        return NEGATIVES_PER_POSITIVE * self.positives

    @property
    def prevalence(self):
        """Return the share of positives."""
        return 1 / (1 + NEGATIVES_PER_POSITIVE)

    @property
    def middle(self):
        """Return the mean score of positives."""
        return ndtri(self.auc) * np.hypot(1, self.spread)

    def tail1(self, cut):
        """Return the share of positives above a cut-off."""
        return ndtr((self.middle - cut) / self.spread)

    def tail(self, cut):
        """Return the share of cases above a cut-off."""
        pi = self.prevalence
        return pi * self.tail1(cut) + (1 - pi) * ndtr(-cut)

    def cut_of(self, share):
        """Return the cut-off that selects a share of the cases."""
        return brentq(lambda c: self.tail(c) - share, -40, 60, xtol=1e-14)

    @cached_property
    def cuts(self):
        """Ends of the grades, from the most likely positive down; none for a continuous score."""
        return np.array([self.cut_of(share) for share in GRADE_ENDS])

    @cached_property
    def captured_ends(self):
        """Shares of positives and negatives captured at the ends of the grades."""
        c = np.concatenate([[0], self.tail1(self.cuts), [1]])
        return c, np.concatenate([[0], ndtr(-self.cuts), [1]])

    def true_auc(self):
        """Return the AUC of the population."""
        if self.kind != "grades":
            return self.auc
        c, d = self.captured_ends
        return float((np.diff(d) * (c[1:] + c[:-1])).sum() / 2)

    def true_captured(self, q):
        """Return the CAP of the population at q."""
        if self.kind != "grades":
            return float(self.tail1(self.cut_of(q)))
        return float(np.interp(q, [0, *GRADE_ENDS, 1], self.captured_ends[0]))

    def true_ks(self):
        """Return the KS statistic of the population."""
        if self.kind == "grades":
            c, d = self.captured_ends
            return float(np.abs(c - d).max())
        grid = np.linspace(-10, 15, 200_001)
        return float(np.abs(self.tail1(grid) - ndtr(-grid)).max())

    def true_profit_per_case(self):
        """Return the profit of the population's best cut-off, per case."""
        cuts = self.cuts if self.kind == "grades" else np.linspace(-10, 15, 200_001)
        captured = self.prevalence * self.tail1(cuts)
        everybody = VALUE * self.prevalence - COST
        return float(max(0.0, everybody, (VALUE * captured - COST * self.tail(cuts)).max()))

    def true_partial(self, max_fpr):
        """Return the area under the population's ROC up to a false positive rate."""
        if self.kind == "grades":
            c, d = self.captured_ends
            x = np.append(d[d < max_fpr], max_fpr)
            y = np.interp(x, d, c)
            return float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)
        fpr = (np.arange(200_000) + 0.5) / 200_000 * max_fpr
        return float(self.tail1(-ndtri(fpr)).mean() * max_fpr)

    def draw(self, rng, *, fixed_classes):
        """Draw a sample and count it."""
        n = self.positives + self.negatives
        n1 = self.positives if fixed_classes else max(rng.binomial(n, self.prevalence), 1)
        z = rng.standard_normal(n)
        y = np.zeros(n, dtype=np.int8)
        y[:n1] = 1
        moved = z + SHIFT if self.kind == "tilted" else z
        score = np.where(y == 1, self.middle + self.spread * moved, moved)
        if self.kind == "grades":
            score = np.digitize(score, self.cuts[::-1])
        if self.kind in {"weighted", "tilted"}:
            weight = np.exp(-SHIFT * (moved if self.kind == "tilted" else rng.standard_normal(n)))
            return cap.count_scores(y, score, weight=weight, weight_kind="sampling")
        return cap.count_scores(y, score)


@dataclass(frozen=True)
class Question:
    """An interval to ask for, and the number it should hold."""

    name: str
    metric: str
    truth: object
    options: tuple = ()
    fixed_classes: bool = True


def counted(cell, questions, runs, seed=0):
    """Return coverage, misses below and above and median width of each interval."""
    rng = np.random.default_rng([seed, cell.positives, int(1000 * cell.auc)])
    truths = [float(question.truth(cell)) for question in questions]
    found = np.empty((len(questions), runs, 2))
    for run in range(runs):
        counts = cell.draw(rng, fixed_classes=questions[0].fixed_classes)
        for place, question in enumerate(questions):
            interval = confidence_interval(counts, question.metric, **dict(question.options))
            found[place, run] = interval.low, interval.high
    rows = []
    for question, truth, (low, high) in zip(
        questions, truths, found.transpose(0, 2, 1), strict=True
    ):
        under, over = float((high < truth).mean()), float((low > truth).mean())
        rows.append((question.name, truth, 1 - under - over, over, under, np.median(high - low)))
    return cell, rows


def ranking():
    """AR and AUC have the same coverage; it is counted for the AUC."""
    names = ("default", "logit_t", "newcombe", "logit", "wald")
    questions = [
        Question(name, "roc_auc", Cell.true_auc, () if name == "default" else (("method", name),))
        for name in names
    ]
    cells = product((0.6, 0.75, 0.9, 0.97), (0.67, 1.0, 1.5, 2.0), (5, 10, 50, 200), KINDS)
    return [Cell(*cell) for cell in cells], questions


def lift_of(cell, q):
    return cell.true_captured(q) / q


def precision_of(cell, q):
    return cell.prevalence * lift_of(cell, q)


def shares():
    truths = {"captured_response": Cell.true_captured, "lift": lift_of, "precision": precision_of}
    questions = [
        Question(f"{metric}({q})", metric, partial(truth, q=q), (("q", q),), fixed_classes=False)
        for metric, truth in truths.items()
        for q in (0.05, 0.1, 0.3)
        if metric != "lift"  # captured response over q: the same coverage
    ]
    cells = product(
        (0.6, 0.75, 0.9, 0.97), (1.0,), (10, 50, 200), ("continuous", "grades", "weighted")
    )
    return [Cell(*cell) for cell in cells], questions


def profit_of(cell):
    return cell.true_profit_per_case() * (cell.positives + cell.negatives)


def maxima():
    few = ("replicates", 200)
    questions = [
        Question("ks", "ks", Cell.true_ks, (few,)),
        Question("ks, bootstrap", "ks", Cell.true_ks, (few, ("method", "bootstrap"))),
        Question(
            "partial_auc(0.1)",
            "partial_auc",
            partial(Cell.true_partial, max_fpr=0.1),
            (few, ("max_fpr", 0.1)),
        ),
        Question("profit", "profit", profit_of, (few, ("value", VALUE), ("cost", COST))),
    ]
    cells = product((0.6, 0.75, 0.9, 0.97), (1.0,), (10, 50, 200), ("continuous", "grades"))
    return [Cell(*cell) for cell in cells], questions


TABLES = {"ranking": ranking, "shares": shares, "maxima": maxima}


HEAD = "AUC   spread  pos  score       interval                truth  covers   >low  <high  width"


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("table", choices=TABLES)
    asked.add_argument("--runs", type=int, default=10_000)
    asked.add_argument("--jobs", type=int, default=2)
    asked.add_argument("--only", help="only intervals whose name starts so, such as default")
    given = asked.parse_args()
    cells, questions = TABLES[given.table]()
    questions = [q for q in questions if not given.only or q.name.startswith(given.only)]
    print(f"{given.runs} samples a row, nominal 95%, {NEGATIVES_PER_POSITIVE} negatives a positive")
    print(f"\n{HEAD}")
    with ProcessPoolExecutor(given.jobs) as pool:
        for cell, rows in pool.map(partial(counted, questions=questions, runs=given.runs), cells):
            named = f"{cell.auc:<5g} {cell.spread:<6g} {cell.positives:>4}  {cell.kind:<11}"
            for label, truth, covers, low, high, width in rows:
                found = f"{covers:6.3f} {low:6.3f} {high:6.3f} {width:6.3f}"
                print(f"{named} {label:<22}{truth:7.3f}  {found}", flush=True)


if __name__ == "__main__":
    main()

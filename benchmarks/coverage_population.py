"""Populations whose true numbers are known, and samples of them, for simulated coverage.

Scores of negatives are N(0, 1), those of positives N(m, spread²), with m such that the AUC is as
stated. Grades are seven intervals of the score, the same in all samples. Weights are lognormal:
"weighted" ones have nothing to do with the score, "tilted" ones give back to samples drawn from
shifted distributions what they lack. Both leave an effective size of 0.61 of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

import capcurve as cap

GRADE_ENDS = (0.05, 0.15, 0.3, 0.5, 0.7, 0.85)
NEGATIVES_PER_POSITIVE = 10
# Weights exp(-SHIFT·z) of normal z: the effective size is exp(-SHIFT²) of the rows.
SHIFT = 0.7
KINDS = ("continuous", "grades", "weighted", "tilted")
WEIGHTED = ("weighted", "tilted")
VALUE, COST = 10.0, 2.0


@dataclass(frozen=True)
class Samples:
    """Positives and negatives of many samples, or their weight: shape (samples, cells) each."""

    p: np.ndarray
    n: np.ndarray
    weighted: bool


@dataclass(frozen=True)
class Cell:
    """A population and a sample size."""

    auc: float
    spread: float
    positives: int
    kind: str

    @property
    def mark(self):
        """Return whole numbers that tell this cell from all others."""
        kind = KINDS.index(self.kind)
        return round(1000 * self.auc), round(1000 * self.spread), self.positives, kind

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

    def draw(self, rng, runs, *, fixed_classes):
        """Draw samples, cells in the order of the score, most likely positives first."""
        n = self.positives + self.negatives
        n1 = np.full(runs, self.positives)
        if not fixed_classes:
            n1 = np.maximum(rng.binomial(n, self.prevalence, runs), 1)
        if self.kind == "grades":
            chances = [np.diff(ends) for ends in self.captured_ends]
            p, n = (rng.multinomial(m, c) for m, c in zip((n1, n - n1), chances, strict=True))
            return Samples(p.astype(float), n.astype(float), weighted=False)
        z = rng.standard_normal((runs, n))
        weight = np.ones_like(z)
        if self.kind == "weighted":
            weight = np.exp(-SHIFT * rng.standard_normal(z.shape))
        elif self.kind == "tilted":
            z += SHIFT
            weight = np.exp(-SHIFT * z)
        positive = np.arange(n) < n1[:, None]
        order = np.argsort(-np.where(positive, self.middle + self.spread * z, z), axis=1)
        weight, positive = (np.take_along_axis(a, order, axis=1) for a in (weight, positive))
        return Samples(weight * positive, weight * ~positive, weighted=self.kind in WEIGHTED)


def counts_of(samples, run):
    """Return one sample as the package counts it."""
    p, n = samples.p[run], samples.n[run]
    scores = np.arange(len(p), 0, -1)
    if not samples.weighted:
        whole = p + n > 0
        columns = (column[whole].astype(int) for column in (p, n))
        return cap.ScoreCounts.from_counts(scores[whole], *columns)
    return cap.count_scores((p > 0).astype(int), scores, weight=p + n, weight_kind="sampling")

"""Populations that are hard for intervals and tests, with their true numbers, and samples of them.

Scores are continuous (a distribution for each class), or grades (shares of each class, best first).
Samples are drawn as portfolios are: cases at random, so that the number of positives varies, or
with the size of each class fixed. A stratified sample takes one case in 1, 4 and 25 (or 1, 2 and 6)
of three bands of the score and weights the cases so that they stand for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy import optimize, stats

import capcurve as cap

FINE = 100_001  # cut-offs at which a continuous population is known
FEWEST = 2  # of a class in a sample; others are drawn again, as such a sample is refused


@dataclass(frozen=True)
class Population:
    """The scores of positives and negatives, how rare positives are, how many a sample has."""

    name: str
    positives: Any = field(repr=False)  # a frozen scipy distribution, or the shares of grades
    negatives: Any = field(repr=False)
    prevalence: float
    n1: int
    weights: tuple[float, ...] = ()  # of three bands of the score, best first
    fixed: bool = False  # whether the size of each class is

    def __str__(self):
        weights = f", weights {'/'.join(f'{w:g}' for w in self.weights)}" if self.weights else ""
        return f"{self.name}, {self.n1} positives, {self.prevalence:.0%}{weights}"

    @property
    def graded(self):
        """Return whether scores are grades."""
        return not hasattr(self.positives, "sf")

    @property
    def n(self):
        """Return how many cases a sample has."""
        return round(self.n1 / self.prevalence)

    @cached_property
    def cuts(self):
        """Return cut-offs, highest first; where the classes are, they lie closely."""
        levels = np.linspace(0, 1, FINE)[1:-1]
        tails = np.geomspace(1e-9, 1e-5, 200)
        levels = np.concatenate([tails, levels, 1 - tails])
        return np.unique(np.concatenate([d.isf(levels) for d in (self.positives, self.negatives)]))[
            ::-1
        ]

    @cached_property
    def roc(self):
        """Return the shares of negatives and of positives selected, from (0, 0) to (1, 1)."""
        sides = (self.negatives, self.positives)
        if self.graded:
            return tuple(np.append(0.0, np.cumsum(shares) / np.sum(shares)) for shares in sides)
        return tuple(np.concatenate([[0.0], side.sf(self.cuts), [1.0]]) for side in sides)

    @cached_property
    def cap(self):
        """Return the shares of cases and of positives selected, from (0, 0) to (1, 1)."""
        x, y = self.roc
        return self.prevalence * y + (1 - self.prevalence) * x, y

    @cached_property
    def auc(self):
        """Return the true AUC."""
        return float(np.trapezoid(self.roc[1], self.roc[0]))

    @property
    def accuracy_ratio(self):
        """Return the true accuracy ratio."""
        return 2 * self.auc - 1

    @property
    def ks(self):
        """Return the true KS statistic."""
        return float(np.abs(self.roc[1] - self.roc[0]).max())

    def captured(self, q):
        """Return the true CAP at q."""
        return np.interp(q, *self.cap)

    def precision(self, q):
        """Return the true precision of the top share q."""
        return self.prevalence * self.captured(q) / q

    def partial_auc(self, max_fpr):
        """Return the true area under the ROC up to a false positive rate."""
        x, y = self.roc
        at = np.append(x[x < max_fpr], max_fpr)
        return float(np.trapezoid(np.interp(at, x, y), at))

    def draw(self, rng):
        """Return the counts of one sample."""
        while True:
            n1 = self.n1 if self.fixed else int(rng.binomial(self.n, self.prevalence))
            drawn = self._weighted(rng) if self.weights else self._drawn(rng, n1, self.n - n1)
            if drawn is not None:
                return drawn

    def _drawn(self, rng, n1, n0):
        if min(n1, n0) < FEWEST:
            return None
        if self.graded:
            p, n = (
                rng.multinomial(many, np.asarray(shares) / np.sum(shares))
                for many, shares in ((n1, self.positives), (n0, self.negatives))
            )
            seen = p + n > 0
            return cap.ScoreCounts.from_counts(np.arange(len(p), 0, -1)[seen], p[seen], n[seen])
        scores = np.concatenate(
            [self.positives.rvs(n1, random_state=rng), self.negatives.rvs(n0, random_state=rng)]
        )
        return cap.count_scores(np.arange(n1 + n0) < n1, scores)

    @cached_property
    def bands(self):
        """Return the ends of the three bands: the scores that the top third, two thirds exceed."""
        return np.interp([1 / 3, 2 / 3], self.cap[0][1:-1], self.cuts)

    def _weighted(self, rng):
        """Return a stratified sample of about n1 positives; scores are continuous."""
        shares = np.array([self.captured(1 / 3), self.captured(2 / 3), 1.0])
        taken = float((np.diff(shares, prepend=0.0) / self.weights).sum())
        n1 = round(self.n1 / taken)
        scores = np.concatenate(
            [
                self.positives.rvs(n1, random_state=rng),
                self.negatives.rvs(round(n1 / self.prevalence) - n1, random_state=rng),
            ]
        )
        positive = np.arange(len(scores)) < n1
        weight = np.asarray(self.weights)[
            (scores <= self.bands[0]).astype(int) + (scores <= self.bands[1])
        ]
        kept = rng.random(len(scores)) * weight < 1
        if not FEWEST <= positive[kept].sum() <= kept.sum() - FEWEST:
            return None
        return cap.count_scores(
            positive[kept], scores[kept], weight=weight[kept], weight_kind="sampling"
        )


def binormal(auc, spread=1.0):
    """Return normal scores of either class, those of negatives with mean 0 and spread 1."""
    middle = stats.norm.ppf(auc) * np.hypot(1, spread)
    return f"binormal {auc:g} spread {spread:g}", stats.norm(middle, spread), stats.norm()


def exponential(auc):
    """Return exponential scores: the CAP is a power of the share when positives are rare."""
    return f"exponential {auc:g}", stats.expon(scale=auc / (1 - auc)), stats.expon()


def betas(a=2.0, b=3.0):
    """Return scores between 0 and 1 as classifiers give them."""
    return f"beta({a:g}, {b:g})", stats.beta(a + 1.5, b), stats.beta(a, b + 1.5)


def heavy_tailed(shift=1.2):
    """Return Student's t with 3 degrees of freedom: some of each class lie far out."""
    return f"t(3) + {shift:g}", stats.t(3, loc=shift), stats.t(3)


@dataclass(frozen=True)
class Mixture:
    """A share of one distribution, the rest of another."""

    first: Any
    second: Any
    share: float

    def sf(self, x):
        """Return the chance of more than x."""
        return self.share * self.first.sf(x) + (1 - self.share) * self.second.sf(x)

    def isf(self, levels):
        """Return what is exceeded with these chances, nearly: cut-offs need not be exact."""
        both = [d.isf(levels) for d in (self.first, self.second)]
        x = np.unique(np.concatenate(both))
        return np.interp(levels, self.sf(x)[::-1], x[::-1])

    def rvs(self, many, random_state):
        """Draw scores."""
        drawn = [d.rvs(many, random_state=random_state) for d in (self.first, self.second)]
        return np.where(random_state.random(many) < self.share, *drawn)


def crossing():
    """Return positives of two kinds, half of them below nearly all negatives: the ROC crosses."""
    return "crossing", Mixture(stats.norm(2.2, 0.6), stats.norm(-0.6, 0.8), 0.5), stats.norm()


@dataclass(frozen=True)
class WithAtoms:
    """A distribution of which shares stand at single scores, {score: share}."""

    rest: Any
    atoms: dict[float, float]

    @property
    def other(self):
        """Return the share that stands at no single score."""
        return 1 - sum(self.atoms.values())

    def sf(self, x):
        """Return the chance of more than x."""
        at_atoms = sum(share * (np.asarray(x) < at) for at, share in self.atoms.items())
        return self.other * self.rest.sf(x) + at_atoms

    def isf(self, levels):
        """Return cut-offs that are exceeded with about these chances, and both sides of atoms."""
        at = np.array(list(self.atoms))
        return np.concatenate([self.rest.isf(levels), at, np.nextafter(at, -np.inf)])

    def rvs(self, many, random_state):
        """Draw scores."""
        places, shares = list(self.atoms), [*self.atoms.values(), self.other]
        which = random_state.choice(len(shares), size=many, p=shares)
        drawn = self.rest.rvs(many, random_state=random_state)
        return np.where(which == len(places), drawn, np.append(places, 0.0)[which])


def atoms():
    """Return normal scores of which three places hold 40% of each class."""
    of_positives = WithAtoms(stats.norm(1.5, 1.3), {2.0: 0.2, 1.0: 0.15, 0.0: 0.05})
    of_negatives = WithAtoms(stats.norm(), {2.0: 0.05, 1.0: 0.15, 0.0: 0.2})
    return "atoms", of_positives, of_negatives


def block_on_top(of_positives=0.05, of_negatives=0.10):
    """Return normal scores and one block above all, as a default value for unknown cases makes."""
    sides = (
        WithAtoms(stats.norm(1.19), {9.0: of_positives}),
        WithAtoms(stats.norm(), {9.0: of_negatives}),
    )
    return f"block on top, {of_positives:g} and {of_negatives:g}", *sides


def missed(share, rest, negatives):
    """Return scores of which a share of the positives is below all others, with few negatives."""
    sides = WithAtoms(rest, {-9.0: share}), WithAtoms(stats.norm(), {-9.0: negatives})
    return f"{share:.0%} of positives missed", *sides


def bimodal():
    """Return positives of two kinds: 60% well ranked, the rest like negatives."""
    return "bimodal", Mixture(stats.norm(2.5, 0.5), stats.norm(), 0.6), stats.norm()


MISSED_5 = missed(0.05, stats.norm(5), 0.005)
MISSED_12 = missed(0.12, stats.norm(2.2, 0.8), 0.01)
EMPTY_GRADES = (
    "9 grades, two with one class alone",
    [0.0, 0.30, 0.25, 0.18, 0.12, 0.08, 0.04, 0.02, 0.01],
    [0.01, 0.0, 0.05, 0.10, 0.14, 0.20, 0.20, 0.15, 0.15],
)
FIVE_GRADES = ("5 grades", [0.35, 0.30, 0.20, 0.10, 0.05], [0.05, 0.15, 0.30, 0.30, 0.20])
NEARLY_ALL_TIED = ("87% of negatives in one grade", [0.3, 0.6, 0.1], [0.03, 0.87, 0.1])
LUMPED = ("70% in one grade", [0.25, 0.18, 0.5, 0.05, 0.02], [0.04, 0.08, 0.7, 0.1, 0.08])
DISORDERED = ("grades in wrong order", [0.1, 0.35, 0.1, 0.3, 0.15], [0.1, 0.1, 0.25, 0.15, 0.4])
USELESS = ("worthless grades", [0.1, 0.2, 0.3, 0.25, 0.15], [0.1, 0.2, 0.3, 0.25, 0.15])


def calibrated(grades=12):
    """Return grades whose positives follow probabilities of default that double each grade."""
    n = np.exp(-0.5 * ((np.arange(grades) - grades / 2) / 2.5) ** 2)
    pd = 0.4 * 0.5 ** np.arange(grades)
    return f"calibrated PDs, {grades} grades", n * pd, n * (1 - pd)


def of(kind, prevalence, n1, **options):
    """Return a population of a kind, such as `binormal(0.8)`."""
    return Population(*kind, prevalence, n1, **options)


def fixed(population):
    """Return the same with the size of each class fixed."""
    return replace(population, fixed=True)


FAMILIES = {
    "logistic": (stats.logistic, stats.logistic(), (0.0, 20.0)),
    "gamma": (lambda x: stats.gamma(2, scale=np.exp(x)), stats.gamma(2), (0.0, 9.0)),
    "Laplace": (lambda x: stats.laplace(x, 0.6), stats.laplace(), (0.0, 20.0)),
}
FIVE_EVEN_GRADES = ("five grades", [0.3, 0.3, 0.2, 0.15, 0.05], [0.02, 0.13, 0.25, 0.35, 0.25])
GRADE_ENDS = (0.01, 0.04, 0.12, 0.3, 0.65)  # shares of the negatives down to the end of a grade
BLOCK = 0.08, 0.12  # of positives and of negatives, above all others
ODD = re.compile(r"(.+), ([\d.]+)% (alike|anywhere|below)")
FAR = 999.0  # beyond all other scores


@cache
def named(name):
    """Return scores by name: "gamma 0.9, 5.0% below", "six grades of logistic 0.8"."""
    if found := ODD.fullmatch(name):
        _, positives, negatives = named(found[1])
        return name, with_odd(positives, negatives, float(found[2]) / 100, found[3]), negatives
    whole, _, base = name.rpartition(" of " if " of " in name else " on ")
    if whole:
        _, *sides = named(base)
    if whole == "six grades":
        ends = sides[1].isf(GRADE_ENDS)
        return name, *(np.diff([0.0, *side.sf(ends), 1.0]).tolist() for side in sides)
    if whole == "block":
        return name, *(WithAtoms(s, {FAR: share}) for s, share in zip(sides, BLOCK, strict=True))
    family, auc = name.split()
    make, negatives, ends = FAMILIES[family]
    shift = optimize.brentq(
        lambda x: of(("", make(x), negatives), 0.1, 10).auc - float(auc), *ends, xtol=1e-5
    )
    return name, make(shift), negatives


def with_odd(positives, negatives, share, where):
    """Return positives of which a share is alike negatives, anywhere, or below all."""
    if where == "below":
        return WithAtoms(positives, {-FAR: share})
    low, high = negatives.isf(0.999), positives.isf(0.02)
    other = negatives if where == "alike" else stats.uniform(low, high - low)
    return Mixture(positives, other, 1 - share)


def designs(text):
    """Yield a kind and numbers of each line, such as "gamma 0.9 | 30 | 0.1"; names may be many."""
    for line in text.strip().splitlines():
        parts = [part.strip() for part in line.split("|")]
        yield tuple(float(x) if re.fullmatch(r"[\d.]+", x) else named(x) for x in parts)


def rows(population, rng):
    """Return outcomes and scores of one sample, row by row."""
    n, n1 = population.n, population.n1
    if not population.fixed:
        n1 = min(max(int(rng.binomial(n, population.prevalence)), FEWEST), n - FEWEST)
    y, sides = np.arange(n) < n1, ((population.positives, n1), (population.negatives, n - n1))
    if population.graded:
        parts = [-rng.choice(len(p), m, p=np.asarray(p) / np.sum(p)) for p, m in sides]
    else:
        parts = [side.rvs(m, random_state=rng) for side, m in sides]
    return y, np.concatenate(parts)

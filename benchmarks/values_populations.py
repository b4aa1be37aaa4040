"""Populations of amounts whose true numbers are known, and many samples of them at once.

`Sparse`: one row in twenty has an amount, whose size has nothing to do with the score, which is
normal; `Steep`: exponential; `Clustered`: alike in clusters of five. `Ranked`: a share of the rows
has an amount, and the score goes with its size. `Luck`: every row has an amount, the score says
how large it is on average, and the rest is chance. `Pair`: two scores of the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainccinv, ndtr, ndtri

PREVALENCE = 0.05
CLUSTER = 5
# Amount that a share u of the amounts exceeds.
LAWS = {
    "gamma 2": lambda u: gammainccinv(2, u),
    "Weibull .5": lambda u: np.log(u) ** 2,
    "log-normal .5": lambda u: np.exp(-0.5 * ndtri(u)),
    "log-normal 1": lambda u: np.exp(-ndtri(u)),
    "log-normal 1.5": lambda u: np.exp(-1.5 * ndtri(u)),
    "log-normal 2": lambda u: np.exp(-2 * ndtri(u)),
    "log-normal 2.5": lambda u: np.exp(-2.5 * ndtri(u)),
    "Pareto 1.5": lambda u: u ** (-1 / 1.5),
    "Pareto 2.2": lambda u: u ** (-1 / 2.2),
    "Pareto 3": lambda u: u ** (-1 / 3),
    "two sizes": lambda u: np.where(u < 0.03, 60.0, 1 + (1 - u) / 0.97),
    "two sizes, 1%": lambda u: np.where(u < 0.01, 60.0, 1 + (1 - u) / 0.99),
}
# Nodes u in (0, 1), fine at both ends, and how much each stands for.
_T = np.linspace(-80, 30, 200_001)
U = 1 / (1 + np.exp(-_T))
DU = U * (1 - U) * (_T[1] - _T[0])


@dataclass(frozen=True)
class Samples:
    """Rows of many samples, best score first; shape (samples, rows).

    Equal scores are equal in `score`; None where all differ. A row stands for `n` rows where
    these have no amount in common and other rows with an amount lie above and below them.
    """

    amount: np.ndarray
    score: np.ndarray | None = None
    exposure: np.ndarray | None = None
    n: np.ndarray | None = None

    def rows(self, run):
        """Return amounts, scores and exposures of one sample, row by row."""
        amount = self.amount[run]
        if self.n is not None:
            amount = np.repeat(amount, self.n[run])
        falling = -np.arange(len(amount), dtype=float)
        score = falling if self.score is None else self.score[run]
        return amount, score, None if self.exposure is None else self.exposure[run]


def by_score(score, amount, exposure=None, *, tied=False):
    """Return samples of rows in any order."""
    order = np.argsort(-score, axis=1, kind="stable")
    score, amount = (np.take_along_axis(x, order, 1) for x in (score, amount))
    if exposure is not None:
        exposure = np.take_along_axis(exposure, order, 1)
    return Samples(amount, score if tied else None, exposure)


@dataclass(frozen=True)
class Population:
    """A population and a sample size; what all of them have in common."""

    law: str
    ar: float
    size: int
    fixed = False  # the number of rows with an amount is left to chance

    def __str__(self):
        """Name the population."""
        return f"{type(self).__name__.lower()}, {self.law}, AR {self.ar:g}, {self.size}"

    def amounts(self, u):
        """Return the amounts that shares u of the amounts exceed."""
        return LAWS[self.law](u)

    @cached_property
    def mean(self):
        """Mean amount of the rows with an amount."""
        return float((self.amounts(U) * DU).sum())

    @cached_property
    def gini(self):
        """Gini coefficient of the rows with an amount."""
        return 1 - 2 * float((U * self.amounts(U) * DU).sum()) / self.mean

    @property
    def events(self):
        """Return how many rows with an amount are expected."""
        return self.size

    def lift(self, q):
        """Return the lift of the top q of the population."""
        return self.captured(q) / q


@dataclass(frozen=True)
class Sparse(Population):
    """`size` rows with an amount are expected, one row in twenty; normal scores, apart."""

    def __str__(self):
        """Name the population."""
        return f"5% of rows, {self.law}, AR {self.ar:g}, {self.size} events"

    @property
    def n(self):
        """Return the number of rows."""
        return round(self.size / PREVALENCE)

    @property
    def mean_amount(self):
        """Return the mean amount of all rows."""
        return self.mean * PREVALENCE

    @property
    def perfect(self):
        """Return the concentration index of the perfect curve."""
        return 1 - PREVALENCE * (1 - self.gini)

    @property
    def concentration(self):
        """Return the concentration index."""
        return self.ar * self.perfect

    @cached_property
    def shift(self):
        """How much higher rows with an amount score, from the accuracy ratio of having one."""
        auc = (1 + self.concentration / (1 - PREVALENCE)) / 2
        return float(ndtri(auc) * np.sqrt(2))

    def above(self, share):
        """Return the share of the amount above the score that `share` of the other rows exceed."""
        return float(ndtr(self.shift + ndtri(share)))

    def captured(self, q):
        """Return the share of the amount that the top q of the rows hold."""

        def beyond(share):
            return PREVALENCE * self.above(share) + (1 - PREVALENCE) * share - q

        return self.above(brentq(beyond, 1e-300, 1 - 1e-15, xtol=1e-16))

    def places(self, rng, shape):
        """Return the share of other rows that rows with an amount exceed."""
        return ndtr(self.shift + rng.standard_normal(shape))

    def best_profit(self, value, cost):
        """Return the profit per row at the best depth."""
        cut = np.linspace(-12, 18, 300_001)
        top = ndtr(self.shift - cut)
        rows = PREVALENCE * top + (1 - PREVALENCE) * ndtr(-cut)
        return float(max(0.0, (value * self.mean_amount * top - cost * rows).max()))

    def draw(self, rng, runs):
        """Draw the rows with an amount, and how many of the others lie between any two of them."""
        m = np.maximum(rng.binomial(self.n, PREVALENCE, runs), 1)
        wide = int(m.max())
        there = np.arange(wide) < m[:, None]
        place = np.where(there, self.places(rng, there.shape), 0.0)
        place = -np.sort(-place, axis=1)
        ends = np.concatenate([np.ones((runs, 1)), place, np.zeros((runs, 1))], axis=1)
        between = rng.multinomial(self.n - m, np.maximum(-np.diff(ends, axis=1), 0.0))
        amount, n = np.zeros((runs, 2 * wide + 1)), np.empty((runs, 2 * wide + 1), dtype=int)
        amount[:, 1::2] = np.where(there, self.amounts(1 - rng.random((runs, wide))), 0.0)
        n[:, ::2], n[:, 1::2] = between, there
        return Samples(amount, n=n)


@dataclass(frozen=True)
class Steep(Sparse):
    """As `Sparse`, with exponential scores: few rows with an amount are far below the others."""

    def __str__(self):
        """Name the population."""
        return f"5% of rows, exponential scores, {self.law}, AR {self.ar:g}, {self.size} events"

    @property
    def power(self):
        """Return the exponent of the ROC curve."""
        ratio = self.concentration / (1 - PREVALENCE)
        return (1 - ratio) / (1 + ratio)

    def above(self, share):
        """Return the share of the amount above the score that `share` of the other rows exceed."""
        return share**self.power

    def places(self, rng, shape):
        """Return the share of other rows that rows with an amount exceed."""
        return 1 - rng.random(shape) ** (1 / self.power)


@dataclass(frozen=True)
class Clustered(Sparse):
    """Clusters of five rows: all have an amount or none; scores and amounts are alike."""

    def __str__(self):
        """Name the population."""
        return f"clusters of {CLUSTER}, {self.law}, AR {self.ar:g}, {self.size} events"

    def rows(self, rng):
        """Return amounts, scores and clusters of one sample."""
        clusters = self.n // CLUSTER
        of = np.repeat(np.arange(clusters), CLUSTER)
        event = (rng.random(clusters) < PREVALENCE)[of]
        common, own = rng.standard_normal((2, clusters)), rng.standard_normal((2, self.n))
        z = np.sqrt(0.7) * common[:, of] + np.sqrt(0.3) * own
        return np.where(event, self.amounts(ndtr(-z[0])), 0.0), z[1] + self.shift * event, of


@dataclass(frozen=True)
class Ranked(Population):
    """A share of `size` rows has an amount; the score goes with the size, by a normal copula."""

    holding: float = 1.0
    exposed: bool = False
    grades: int = 0

    def __str__(self):
        """Name the population."""
        parts = ["every row" if self.holding == 1 else f"{self.holding:.0%} of rows", "ranked"]
        parts += ["exposure .1 to 1"] * self.exposed + [f"{self.grades} grades"] * bool(self.grades)
        return f"{' '.join(parts)}, {self.law}, AR {self.ar:g}, {self.size} rows"

    @property
    def events(self):
        """Return how many rows with an amount are expected."""
        return self.holding * self.size

    def of_share(self, u):
        """Return the amount that a share u of all rows exceeds."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(u < self.holding, self.amounts(np.minimum(u / self.holding, 1.0)), 0.0)

    @cached_property
    def _nodes(self):
        amount = self.of_share(U)
        return np.where(np.isfinite(amount), amount, 0.0) * DU, -ndtri(U)

    @cached_property
    def mean_amount(self):
        """Mean amount per row, or per unit of exposure."""
        return float(self._nodes[0].sum())

    @cached_property
    def perfect(self):
        """Concentration index of the perfect curve."""
        return 1 - self.holding * (1 - self.gini)

    def _index(self, rho):
        amount, z = self._nodes
        if not self.grades:
            return float((amount * (2 * ndtr(rho * z / np.sqrt(2 - rho**2)) - 1)).sum())
        y = self._ends(rho) * self.mean_amount
        return float((y[1:] + y[:-1]).sum() / self.grades - self.mean_amount)

    def _above(self, rho, cut):
        amount, z = self._nodes
        share = ndtr((rho * z - cut) / np.sqrt(1 - rho**2))
        return float((amount * share).sum()) / self.mean_amount

    def _ends(self, rho):
        cuts = ndtri(1 - np.arange(1, self.grades) / self.grades)
        return np.array([0.0, *(self._above(rho, cut) for cut in cuts), 1.0])

    @cached_property
    def rho(self):
        """Correlation of the normal score with the normal rank of the amount."""
        wanted = self.ar * self.perfect * self.mean_amount
        return brentq(lambda r: self._index(r) - wanted, -0.01, 0.99999, xtol=1e-13)

    @property
    def concentration(self):
        """Return the concentration index."""
        return self.ar * self.perfect

    def captured(self, q):
        """Return the share of the amount that the top q hold."""
        if self.grades:
            return float(
                np.interp(q, np.arange(self.grades + 1) / self.grades, self._ends(self.rho))
            )
        return self._above(self.rho, -ndtri(q))

    def draw(self, rng, runs):
        """Draw rows."""
        z, own = rng.standard_normal((2, runs, self.size))
        score = self.rho * z + np.sqrt(1 - self.rho**2) * own
        amount, exposure = self.of_share(ndtr(-z)), None
        if self.exposed:
            exposure = rng.uniform(0.1, 1, z.shape)
            amount = amount * exposure
        if self.grades:
            score = np.floor(self.grades * ndtr(score))
        return by_score(score, amount, exposure, tied=self.grades > 0)


@dataclass(frozen=True)
class Luck(Population):
    """Every row has an amount, u^beta W: the score u says its mean, W is chance."""

    def __str__(self):
        """Name the population."""
        return f"every row, chance, {self.law}, AR {self.ar:g}, {self.size} rows"

    def _perfect(self, beta):
        """Integrate the square of the share of amounts above t."""
        w, u = np.log(self.amounts(U[1:-1]))[::-1], U[1:-1][::-1]
        rises = np.flatnonzero(np.diff(w, prepend=-np.inf) > 0)
        w, u = w[rises], u[rises]
        t = np.linspace(max(w[0], -60) - 40, min(w[-1], 120), 8001)
        scores = (np.arange(400) + 0.5) / 400
        above = np.mean([np.interp(t - beta * np.log(s), w, u, left=1, right=0) for s in scores], 0)
        square = above**2 * np.exp(t)
        whole = np.exp(t[0]) + ((square[1:] + square[:-1]) / 2 * np.diff(t)).sum()
        return 1 - whole * (beta + 1) / self.mean

    @cached_property
    def beta(self):
        """How fast the mean amount rises with the score."""
        return brentq(lambda b: b / (b + 2) - self.ar * self._perfect(b), -1e-3, 60, xtol=1e-4)

    @property
    def mean_amount(self):
        """Return the mean amount per row."""
        return self.mean / (self.beta + 1)

    @cached_property
    def perfect(self):
        """Concentration index of the perfect curve."""
        return self._perfect(self.beta)

    @property
    def concentration(self):
        """Return the concentration index."""
        return self.beta / (self.beta + 2)

    def captured(self, q):
        """Return the share of the amount that the top q of the rows hold."""
        return 1 - (1 - q) ** (self.beta + 1)

    def draw(self, rng, runs):
        """Draw rows."""
        u, v = 1 - rng.random((2, runs, self.size))
        return by_score(u, u**self.beta * self.amounts(v))


@dataclass(frozen=True)
class Pair(Sparse):
    """Two scores of the same rows as in `Sparse`, the second with an AR of its own."""

    other: float = 0.6
    correlation: float = 0.5

    def __str__(self):
        """Name the population."""
        both = f"AR {self.ar:g} and {self.other:g}, correlated by {self.correlation:g}"
        return f"5% of rows, {self.law}, {both}, {self.size} events"

    def draw(self, rng, runs):
        """Return scores of both, and amounts: shape (samples, rows) each, rows in any order."""
        event = rng.random((runs, self.n)) < PREVALENCE
        first, own = rng.standard_normal((2, runs, self.n))
        second = self.correlation * first + np.sqrt(1 - self.correlation**2) * own
        shifts = self.shift, Sparse(self.law, self.other, self.size).shift
        amount = np.zeros(event.shape)
        amount[event] = self.amounts(1 - rng.random(int(event.sum())))
        return [z + shift * event for z, shift in zip((first, second), shifts, strict=True)], amount

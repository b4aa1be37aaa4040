"""How often limits of AUC and AR hold, and their tests reject, where that is hard.

python benchmarks/limits_ranking.py PART [--runs 2000] [--seed 20261122] [--jobs 1] > FILE.csv

PART is "lower" (one-sided limits of AR: few positives, high AUC, unequal spread), "missed" (some
positives stand at the bottom), "widths" (beside simple rules), "weights" (weights that depend on
the score), "nulls" (tests of worthless scores with weights), "unequal" (two samples of very
different size, nothing changed), "changed" (the second ranks worse), "initial" (against a known
value), "segments" (which rank alike) or "paired" (two scores of the same rows that are equally
good, or differ by just the margin).
Columns are those of `limits_runs`; of tests "covers" is how often they reject at 5%.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import limits_populations as some
import numpy as np
from limits_runs import covered, rejected, written
from scipy import stats

import capcurve as cap
from capcurve.inference import (
    compare_independent,
    confidence_interval,
    discrimination_test,
    heterogeneity_test,
    test_against_initial,
)
from capcurve.inference.independent import difference_limits

LEVEL, NOTHING = 0.05, 1e-6
RARE_BAD_GRADE = ("rare bad grade", [0.6, 0.3, 0.07, 0.02, 0.01], [0.01, 0.04, 0.1, 0.15, 0.7])
TEN = tuple(np.geomspace(1, 25, 10))


@dataclass(frozen=True)
class Stratified(some.Population):
    """Cases of which each class is taken once in so many, by strata of the score, best first."""

    design: str = "1/4/25"
    shares: tuple[float, ...] = (1 / 3, 2 / 3)  # of all cases, or of the positives, to each cut
    one_in: tuple[float, ...] = (1.0, 4.0, 25.0)
    negatives_one_in: tuple[float, ...] = ()  # the same when left out
    by_positives: bool = field(default=False, repr=False)

    def __str__(self):
        return f"{super().__str__()}, {self.design}"

    @cached_property
    def ends(self):
        """Return the scores at which strata end."""
        along = self.cap[1] if self.by_positives else self.cap[0]
        return np.interp(self.shares, along[1:-1], self.cuts)

    def draw(self, rng):
        """Return the weighted counts of one sample with about n1 positives."""
        of_negatives = self.negatives_one_in or self.one_in
        captured = np.concatenate([[0.0], self.positives.sf(self.ends), [1.0]])
        n1 = round(self.n1 / (np.diff(captured) / self.one_in).sum())
        n0 = round(n1 / self.prevalence) - n1
        while True:
            taken = [
                self._taken(rng, side.rvs(many, random_state=rng), np.array(one_in))
                for side, many, one_in in (
                    (self.positives, n1, self.one_in),
                    (self.negatives, n0, of_negatives),
                )
            ]
            sizes = [len(score) for score, _ in taken]
            if min(sizes) >= some.FEWEST:
                score, weight = (np.concatenate(parts) for parts in zip(*taken, strict=True))
                y = np.arange(sum(sizes)) < sizes[0]
                return cap.count_scores(y, score, weight=weight, weight_kind="sampling")

    def _taken(self, rng, score, one_in):
        weight = one_in[(score[:, None] <= self.ends).sum(axis=1)]
        kept = rng.random(len(score)) * weight < 1
        return score[kept], weight[kept]


@dataclass(frozen=True)
class Noisy(some.Population):
    """Cases with lognormal weights that have nothing to do with the score."""

    sigma: float = 0.7

    def __str__(self):
        return f"{super().__str__()}, lognormal weights"

    def draw(self, rng):
        """Return the weighted counts of one sample."""
        while True:
            n1 = int(rng.binomial(self.n, self.prevalence))
            if some.FEWEST <= n1 <= self.n - some.FEWEST:
                break
        sides = ((self.positives, n1), (self.negatives, self.n - n1))
        score = np.concatenate([side.rvs(many, random_state=rng) for side, many in sides])
        weight = np.exp(self.sigma * rng.normal(size=self.n))
        y = np.arange(self.n) < n1
        return cap.count_scores(y, score, weight=weight, weight_kind="sampling")


@dataclass(frozen=True)
class Pair:
    """Two separate samples of populations with the same AUC."""

    before: some.Population
    now: some.Population
    fixed: bool = False

    def __str__(self):
        return f"{self.before} / {self.now}"

    def draw(self, rng):
        """Return the counts of both."""
        return self.before.draw(rng), self.now.draw(rng)


@dataclass(frozen=True)
class SameRows:
    """Two scores of the same rows, whose errors correlate within each class."""

    first: some.Population
    second: some.Population
    correlation: float
    fixed: bool = False

    def __str__(self):
        return f"{self.first} / {self.second.name}, correlation {self.correlation:g}"

    @property
    def difference(self):
        """Return by how much the AUC of the first is higher."""
        return self.first.auc - self.second.auc

    def draw(self, rng):
        """Return the joint counts of as many positives and negatives as are asked for."""
        n, n1 = self.first.n, self.first.n1
        normal = rng.normal(size=(2, n))
        rest = np.sqrt(1 - self.correlation**2)
        normal[1] = self.correlation * normal[0] + rest * normal[1]
        positive, chance = np.arange(n) < n1, stats.norm.sf(normal)
        scores = {
            name: -np.where(
                positive, *(np.searchsorted(side, chance[place]) for side in population.roc[::-1])
            )
            for place, (name, population) in enumerate((("a", self.first), ("b", self.second)))
        }
        return cap.count_joint(positive, scores)


@dataclass(frozen=True)
class Segments:
    """Several samples of populations with the same AUC."""

    several: tuple[some.Population, ...]
    fixed: bool = False

    def __str__(self):
        return " / ".join(map(str, self.several))

    def draw(self, rng):
        """Return the counts of each."""
        return {i: each.draw(rng) for i, each in enumerate(self.several)}


def designs(kind, prevalence, n1):
    """Return stratified samples of a population: thirds, deciles, by positives, by class."""
    last_third, first_third = (1.0, 4.0, 25.0), (25.0, 4.0, 1.0)
    deciles, alike = {"shares": tuple(np.arange(1, 10) / 10)}, (1.0, 1.0, 1.0)
    for design, options in {
        "1/4/25": {},
        "25/4/1": {"one_in": first_third},
        "1/2/6": {"one_in": (1.0, 2.0, 6.0)},
        "6/2/1": {"one_in": (6.0, 2.0, 1.0)},
        "1/25/1": {"one_in": (1.0, 25.0, 1.0)},
        "ten strata up": {**deciles, "one_in": TEN},
        "ten strata down": {**deciles, "one_in": TEN[::-1]},
        "thirds of positives 1/4/25": {"by_positives": True},
        "thirds of positives 25/4/1": {"by_positives": True, "one_in": first_third},
        "negatives only 1/4/25": {"one_in": alike, "negatives_one_in": last_third},
        "negatives only 25/4/1": {"one_in": alike, "negatives_one_in": first_third},
        "1/2/6, negatives fivefold": {
            "one_in": (1.0, 2.0, 6.0),
            "negatives_one_in": (5.0, 10.0, 30.0),
        },
        "last tenth 30": {"shares": (0.9,), "one_in": (1.0, 30.0)},
        "first tenth 30": {"shares": (0.1,), "one_in": (30.0, 1.0)},
    }.items():
        yield Stratified(*kind, prevalence, n1, design=design, **options)
    yield Noisy(*kind, prevalence, n1)


def lower_populations():
    """Yield populations with few positives, high AUC, grades, unequal spread."""
    kinds = [some.exponential(a) for a in (0.8, 0.96, 0.99)]
    kinds += [some.binormal(*shape) for shape in ((0.75, 2), (0.9, 3), (0.96, 0.6), (0.96, 2))]
    kinds += [some.crossing(), some.calibrated(), some.LUMPED, some.DISORDERED, RARE_BAD_GRADE]
    sizes = ((8, 0.01), (15, 0.05), (40, 0.01), (40, 0.4), (150, 0.05), (250, 0.02))
    for kind, (n1, prevalence) in product(kinds, sizes):
        yield some.of(kind, prevalence, n1)


def missed_populations():
    """Yield populations of which some positives stand at the bottom, and are rarely seen."""
    sizes = ((10, 0.1), (20, 0.05), (30, 0.03), (50, 0.1), (100, 0.1))
    kinds = [some.missed(share, stats.norm(5), share / 10) for share in (0.02, 0.05, 0.1, 0.2)]
    kinds += [some.MISSED_5, some.MISSED_12, some.missed(0.07, stats.norm(3), 0.01)]
    for kind, (n1, prevalence) in product(kinds, sizes):
        yield some.of(kind, prevalence, n1, fixed=True)


def narrow_populations():
    """Yield populations of which few positives are known, or with an AUC near 1."""
    kinds = [some.binormal(0.65), some.binormal(0.8, 1.5), some.betas(), some.heavy_tailed()]
    kinds += [some.exponential(0.85), some.FIVE_GRADES, some.atoms(), some.bimodal()]
    sizes = ((3, 0.1), (3, 0.002), (5, 0.05), (8, 0.02))
    for kind, (n1, prevalence) in product(kinds, sizes):
        yield some.of(kind, prevalence, n1, fixed=True)
    near_one = [some.binormal(0.97), some.binormal(0.99), some.binormal(0.98, 2)]
    for kind, (n1, prevalence) in product(
        near_one, ((8, 0.1), (30, 0.03), (100, 0.5), (300, 0.1), (1000, 0.1))
    ):
        yield some.of(kind, prevalence, n1, fixed=True)


def weighted_populations():
    """Yield stratified samples of scores of every strength."""
    kinds = [some.binormal(0.6), some.binormal(0.8, 1.5), some.exponential(0.95)]
    for kind, (n1, prevalence) in product(kinds, ((15, 0.1), (40, 0.05), (150, 0.3))):
        yield from designs(kind, prevalence, n1)


def null_populations():
    """Yield stratified samples of a worthless score."""
    for n1, prevalence in ((15, 0.1), (40, 0.05), (150, 0.3)):
        yield from designs(some.binormal(0.5), prevalence, n1)


def unequal_populations():
    """Yield pairs of samples of different size, in both orders."""
    kinds = [(some.binormal(a),) * 2 for a in (0.6, 0.8, 0.95)]
    kinds += [(some.binormal(0.9, 2), some.binormal(0.9, 0.6)), (some.LUMPED,) * 2]
    sizes = [(8, 150), (15, 400), (30, 1000)]
    sizes += [(b, a) for a, b in sizes]
    for (one, two), (first, second) in product(kinds, sizes):
        yield Pair(some.of(one, 0.1, first), some.of(two, 0.1, second))
    for kind, (first, second) in product(
        (some.MISSED_5, some.MISSED_12, some.binormal(0.97)), ((20, 2000), (2000, 20), (50, 50))
    ):
        yield Pair(some.of(kind, 0.1, first), some.of(kind, 0.1, second))


def changed_populations():
    """Yield pairs of samples of which the second ranks worse."""
    drops = ((0.8, 0.7, 100), (0.9, 0.8, 40), (0.95, 0.85, 30), (0.97, 0.92, 60), (0.99, 0.96, 100))
    for before, now, n1 in drops:
        yield Pair(some.of(some.binormal(before), 0.1, n1), some.of(some.binormal(now), 0.1, n1))


def segment_populations():
    """Yield segments of one AUC: small beside large ones, many small ones."""
    kinds = [(some.binormal(0.97),), (some.binormal(0.99),), (some.MISSED_12,), (some.MISSED_5,)]
    kinds += [(some.binormal(0.8),), (some.exponential(0.9),), (some.FIVE_GRADES,)]
    kinds += [(some.binormal(0.8, 3), some.binormal(0.8, 0.6))]
    sizes = ((300, 300), (15, 400), (40, 40), (100, 10, 10, 10, 10), (10,) * 5, (100, 100, 15))
    for kind, each in product(kinds, sizes):
        several = [some.of(kind[i % len(kind)], 0.1, n1) for i, n1 in enumerate(each)]
        yield Segments(tuple(several))


def paired_populations():
    """Yield scores of the same rows: of equal AUC, and normal ones of AUC .9 and .8."""
    normal = some.binormal
    kinds = [(kind,) * 2 for kind in (normal(0.6), normal(0.75), normal(0.9), normal(0.97))]
    kinds += [(normal(0.8, 3), normal(0.8, 0.5)), (some.exponential(0.8), normal(0.8))]
    kinds += [(kind,) * 2 for kind in (some.bimodal(), some.MISSED_12, some.FIVE_GRADES)]
    kinds += [(normal(0.9), normal(0.8)), (some.atoms(),) * 2, (some.NEARLY_ALL_TIED,) * 2]
    for (one, two), n1, rho in product(kinds, (5, 10, 20, 40, 100), (0.3, 0.9)):
        yield SameRows(some.of(one, 0.1, n1), some.of(two, 0.1, n1), rho)


def ask_both_ways(population):
    """Ask for the two-sided interval of AR and for both one-sided limits."""
    truth, name = population.accuracy_ratio, "accuracy_ratio"
    sides = ("lower", "upper", "both")
    return {
        side: (truth, lambda counts, side=side: confidence_interval(counts, name, side=side))
        for side in sides
    }


def ask_widths(population):
    """Ask for AR both ways, and two-sided by rules that are simple."""
    truth, simple = population.accuracy_ratio, ("newcombe", "logit", "wald")
    return ask_both_ways(population) | {
        method: (truth, lambda c, m=method: confidence_interval(c, "accuracy_ratio", method=m))
        for method in simple
    }


def ask_two_sided(population):
    """Ask for the two-sided interval of AR."""
    truth = population.accuracy_ratio
    return {"AR": (truth, lambda counts: confidence_interval(counts, "accuracy_ratio"))}


def once(function):
    """Return the function, which is not called again for the sample it was called with last."""
    held = [None, None]

    def called(sample):
        if held[0] is not sample:
            held[:] = sample, function(sample)
        return held[1]

    return called


def ask_worthless(_):
    """Ask whether a worthless score is other, better, worse than chance."""
    return decisions("limits", once(discrimination_test))


def ask_changed(_):
    """Ask whether two samples of the same AUC differ, whether one is better or worse."""

    def differ(law):
        return once(lambda pair: compare_independent(*pair, law=law))

    def drop(pair):
        before = confidence_interval(pair[0], "accuracy_ratio")
        return difference_limits(before, pair[1], 1 - LEVEL)

    saved = once(drop)
    return {
        **decisions("mover", differ("mover")),
        **decisions("welch", differ("welch")),
        "saved interval, drop": lambda pair: saved(pair).low > 0,
        "saved interval, rise": lambda pair: saved(pair).high < 0,
    }


def decisions(name, test):
    """Return what a two-sided test says in both directions, and in one: half of its p-value."""
    return {
        f"{name}, two-sided": lambda sample: test(sample).p_value <= LEVEL,
        f"{name}, above": lambda sample: _one_sided(test(sample)) <= LEVEL,
        f"{name}, below": lambda sample: 1 - _one_sided(test(sample)) <= LEVEL,
    }


def _one_sided(test):
    return test.p_value / 2 if test.statistic > 0 else 1 - test.p_value / 2


def ask_known(population):
    """Ask the ECB's question about the very AUC that the population has."""
    return {"known": lambda counts: test_against_initial(counts, population.auc).p_value <= LEVEL}


def ask_same_rows(pair):
    """Ask for a difference of more than there is, by both laws."""
    alternative = "superior" if pair.difference > NOTHING else "two-sided"
    words = {"metric": "roc_auc", "alternative": alternative}
    if alternative == "superior":
        words["margin"] = pair.difference
    return {
        f"{alternative}, {law}": lambda joint, law=law: (
            cap.compare(joint, law=law, **words).pairs[0].p_value <= LEVEL
        )
        for law in ("t", "normal")
    }


def ask_alike(_):
    """Ask whether segments differ."""
    options = {"replicates": 199, "seed": 1}
    return {"segments": lambda parts: heterogeneity_test(parts, **options).p_value <= LEVEL}


PARTS = {
    "missed": (covered, missed_populations, ask_widths),
    "widths": (covered, narrow_populations, ask_widths),
    "changed": (rejected, changed_populations, ask_changed),
    "segments": (rejected, segment_populations, ask_alike),
    "lower": (covered, lower_populations, ask_both_ways),
    "weights": (covered, weighted_populations, ask_two_sided),
    "nulls": (rejected, null_populations, ask_worthless),
    "unequal": (rejected, unequal_populations, ask_changed),
    "initial": (rejected, lower_populations, ask_known),
    "paired": (rejected, paired_populations, ask_same_rows),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    work, populations, asks = PARTS[given.part]
    written(work, list(populations()), asks, given.runs, given.seed, given.jobs)

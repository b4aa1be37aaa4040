"""How often limits of the average precision, and of other areas of the CAP, hold.

python benchmarks/limits_precision.py PART [--runs 1000] [--seed 20261122] [--jobs 1] > FILE.csv

PART is "usual" (normal scores and 7 grades of a given average precision, at 5% and 30%), "shapes"
(worthless, near perfect, beta, lognormal and mixed scores, at .5%, 5% and 50%), "weights" (weights
that go with the score), "stated" (at a prevalence that is rarer than in the sample), "few" (the
same as "usual" with 3 and 5 positives) or "areas" (other areas, of "usual" scores and of
worthless, lognormal and missed ones). Columns are those of `limits_runs`; intervals are of both
rules of ties at levels of 80, 95 and 99%, of areas at 95%.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product

import limits_populations as some
import numpy as np
from limits_ranking import designs, once
from limits_runs import covered, written
from scipy import optimize, stats

import capcurve as cap
from capcurve.inference.influence_limits import metric_interval
from capcurve.inference.records import Confidence
from capcurve.metrics import METRICS

LEVELS = (0.8, 0.95, 0.99)
METRIC = METRICS["average_precision"]
# The share of all cases up to the end of each of seven grades but the last.
GRADES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
SIZES = (10, 20, 50, 500)


def counts_of(population):
    """Return the whole population, in parts of cases."""
    x, y = population.roc
    p, n = population.prevalence * np.diff(y), (1 - population.prevalence) * np.diff(x)
    some_of = p + n > 0
    # Thirds are no whole cases: of parts of cases it is the area along straight lines.
    columns = (column[some_of] / 3 for column in (p, n))
    return cap.ScoreCounts.from_counts(-np.arange(int(some_of.sum())), *columns)


def true_precision(population, ties="expected"):
    """Return the average precision of the whole population, by the areas of its CAP."""
    return cap.average_precision(counts_of(population), ties=ties)


def normal_with(precision, prevalence, spread=1.0):
    """Return normal scores of this average precision at this prevalence."""

    def above(shift):
        kind = ("", stats.norm(shift, spread), stats.norm())
        return true_precision(some.of(kind, prevalence, 10)) - precision

    shift = optimize.brentq(above, 0.0, 9.0, xtol=1e-4)
    name = f"normal with AP {precision:g} spread {spread:g}"
    return name, stats.norm(shift, spread), stats.norm()


def in_grades(kind, prevalence):
    """Return the seven grades that a continuous score falls into."""
    name, positives, negatives = kind
    x, cuts = some.of(kind, prevalence, 10).cap[0][1:-1], some.of(kind, prevalence, 10).cuts
    ends = np.interp(GRADES, x, cuts)
    shares = [
        np.array([b - a for a, b in pairwise([0.0, *side.sf(ends), 1.0])])
        for side in (positives, negatives)
    ]
    return f"7 grades of {name}", *(share.tolist() for share in shares)


def usual_populations(sizes=SIZES):
    """Yield normal scores, and seven grades of them, of a given average precision."""
    asked = [(0.1, 0.05), (0.5, 0.05), (0.9, 0.05), (0.5, 0.3), (0.9, 0.3)]
    kinds = [(normal_with(ap, rate), rate) for ap, rate in asked]
    kinds += [(normal_with(0.5, 0.05, 2.0), 0.05), (normal_with(0.5, 0.3, 2.0), 0.3)]
    for (kind, rate), n1 in product(kinds, sizes):
        yield some.of(kind, rate, n1)
        yield some.of(in_grades(kind, rate), rate, n1)


def shape_populations():
    """Yield scores of other shapes and rates."""
    kinds = [some.binormal(0.5), some.binormal(0.995), some.betas(), some.bimodal()]
    kinds += [
        ("lognormal", stats.lognorm(0.8, scale=3.0), stats.lognorm(1.0)),
        some.heavy_tailed(),
        some.MISSED_12,
        some.FIVE_GRADES,
        some.USELESS,
    ]
    for kind, (rate, n1) in product(
        kinds, ((0.005, 10), (0.005, 50), *product((0.05, 0.5), SIZES))
    ):
        yield some.of(kind, rate, n1)


def weighted_populations():
    """Yield stratified samples."""
    kinds = [some.binormal(0.5), some.binormal(0.8, 1.5), some.exponential(0.95)]
    for kind, (n1, rate) in product(kinds, ((15, 0.1), (40, 0.05), (150, 0.3))):
        yield from designs(kind, rate, n1)


@dataclass(frozen=True)
class Stated(some.Population):
    """Cases whose classes are re-weighted to another prevalence."""

    stated: float = 0.01

    def __str__(self):
        return f"{super().__str__()}, stated {self.stated:.0%}"


def stated_populations():
    """Yield samples in which positives are more common than is stated."""
    kinds = [some.binormal(0.8), some.binormal(0.9, 2), some.betas(), some.bimodal(), some.LUMPED]
    rates = ((0.1, 0.01), (0.5, 0.05), (0.3, 0.02))
    for kind, (rate, stated), n1 in product(kinds, rates, (10, 50)):
        yield Stated(*kind, rate, n1, stated=stated)


def ask_limits(population):
    """Ask for both rules of ties at every level."""
    questions = {}
    stated = getattr(population, "stated", None)
    whole = replace(population, prevalence=stated) if stated else population
    for ties in ("expected", "threshold"):
        metric = METRIC.given(ties=ties, prevalence=stated)
        found = once(partial(metric_interval, metric=metric))
        truth = true_precision(whole, ties)
        for level in LEVELS:
            questions[f"{ties} {level:.0%}"] = (
                truth,
                lambda counts, found=found, level=level: found(counts)(Confidence(level)),
            )
    return questions


AREAS = {
    **{name: {} for name in ("aurc", "excess_aurc", "augrc", "rie", "bedroc")},
    "partial_accuracy_ratio": {"max_q": 0.1},
}


def true_excess(counts):
    """Return the excess AURC of very many cases, whose best order has π + (1 - π)ln(1 - π)."""
    rate = float(counts.n1 / counts.n)
    return cap.aurc(counts) - rate - (1 - rate) * np.log1p(-rate)


def ask_areas(population):
    """Ask for other areas of the CAP, and for the selective risk at two coverages."""
    whole, questions = counts_of(population), {}
    for name, options in AREAS.items():
        metric = METRICS[name].given(**options)
        truth = true_excess(whole) if name == "excess_aurc" else metric.value(whole)
        found = once(partial(metric_interval, metric=metric))
        questions[name] = truth, lambda counts, found=found: found(counts)(Confidence(0.95))
    for coverage in (0.5, 0.9):
        asked = {"metric": "selective_risk", "coverage": coverage}
        truth = cap.selective_risk(whole, coverage)
        questions[f"risk at {coverage:.0%}"] = (
            truth,
            lambda counts, asked=asked: cap.confidence_interval(counts, **asked),
        )
    return questions


def area_populations():
    """Yield usual scores, and some of other shapes, with 10 and 50 positives."""
    yield from usual_populations((10, 50))
    other = ("lognormal", stats.lognorm(0.8, scale=3.0), stats.lognorm(1.0))
    for kind, n1 in product((other, some.USELESS, some.MISSED_12), (10, 50)):
        yield some.of(kind, 0.05, n1)


PARTS = {
    "areas": area_populations,
    "usual": usual_populations,
    "few": partial(usual_populations, (3, 5)),
    "shapes": shape_populations,
    "weights": weighted_populations,
    "stated": stated_populations,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    asks = ask_areas if given.part == "areas" else ask_limits
    written(covered, list(PARTS[given.part]()), asks, given.runs, given.seed, given.jobs)

"""How often limits of captured response, lift and precision contain the true value.

python benchmarks/limits_shares.py TABLE [--runs 2000] [--seed 20261122]

prints a CSV: one line per population and interval. `hard` are few positives, few selected cases and
grades in the wrong order, `bends` CAPs that bend where the share ends, and strong scores of which
as many cases are selected as positives are expected, `easy` large samples, `stated` a sample of
each class under a stated prevalence, `rare` one under a prevalence of 1% or 5%, `cutoffs` a fixed
cut-off, `weights` rows whose sampling weight goes with the score, `widths` other rules too.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np
from limits_populations import (
    DISORDERED,
    EMPTY_GRADES,
    FIVE_GRADES,
    LUMPED,
    MISSED_5,
    NEARLY_ALL_TIED,
    USELESS,
    Population,
    atoms,
    betas,
    bimodal,
    binormal,
    block_on_top,
    calibrated,
    crossing,
    exponential,
    heavy_tailed,
    of,
)
from limits_runs import covered, written

from capcurve.inference import Interval, confidence_interval, rate_interval

SHARES = (0.02, 0.05, 0.1, 0.3)
RATES = ("captured_response", "precision")
# A worthless grade of few cases on top, and a grade of positives alone.
TAIL = ("few on top", [0.02, 0.08, 0.3, 0.4, 0.2], [0.02, 0.03, 0.15, 0.4, 0.4])
PURE = ("positives alone on top", [0.3, 0.3, 0.3, 0.1], [0.0, 0.1, 0.4, 0.5])
REVERSED = ("grades reversed", [0.05, 0.15, 0.3, 0.5], [0.4, 0.3, 0.2, 0.1])
SHAPES = (
    *(binormal(0.5), binormal(0.7), binormal(0.85, 1.8), binormal(0.96), exponential(0.9)),
    *(betas(), crossing(), LUMPED, DISORDERED, USELESS, calibrated(), TAIL, PURE, REVERSED),
)


@dataclass(frozen=True)
class Bands(Population):
    """A stratified sample with bands that end at other shares of the cases, or of positives."""

    ends: tuple[float, float] = (1 / 3, 2 / 3)
    of_positives: bool = False

    def __str__(self):
        whose = "positives" if self.of_positives else "cases"
        return f"{super().__str__()} in bands to {self.ends[0]:g}, {self.ends[1]:g} of {whose}"

    @cached_property
    def bands(self):
        """Return the ends of the three bands."""
        places = self.roc[1] if self.of_positives else self.cap[0]
        return np.interp(self.ends, places[1:-1], self.cuts)


@dataclass(frozen=True)
class BothChosen(Population):
    """So many positives and so many negatives, whatever their shares of the population are."""

    n0: int = 0

    def __str__(self):
        return f"{super().__str__()}, {self.n0} negatives"

    @property
    def n(self):
        """Return how many cases a sample has."""
        return self.n1 + self.n0


def limits(counts, metric, options):
    """Return the default interval; where no case is selected, all that is possible."""
    try:
        return confidence_interval(counts, metric, **options)
    except ValueError as why:
        if "no case is selected" not in str(why):
            raise
        return Interval(0.0, 0.5, np.inf, 0.95, "none", None)


def as_a_rate(counts, metric, options, method):
    """Return limits that take the cut-off as known: those of a rate of so many cases."""
    found = confidence_interval(counts, metric, method="wald", **options)
    cases = counts.n1 if metric == RATES[0] else options["q"] * counts.n
    return rate_interval(min(found.estimate, 1) * cases, cases, method)


def rules(metric, options, others=False):
    """Return the default limits of a metric, and those of other rules: {name: limits}."""
    found = {"": partial(limits, metric=metric, options=options)}
    if others:
        for method in ("logit", "wald"):
            found[f", {method}"] = partial(
                limits, metric=metric, options={**options, "method": method}
            )
        for method in ("wilson", "clopper_pearson"):
            found[f", {method}"] = partial(as_a_rate, metric=metric, options=options, method=method)
    return found


def at_shares(population, stated=False, shares=SHARES, rates=RATES, others=False):
    """Return captured response and precision at each share. Lift is captured response over q."""
    asked = {}
    for metric, q in product(rates, shares):
        truth = population.captured(q) if metric == RATES[0] else population.precision(q)
        options = {"q": q} | ({"prevalence": population.prevalence} if stated else {})
        for name, rule in rules(metric, options, others).items():
            asked[f"{metric} q={q:g}{name}"] = float(truth), rule
    return asked


def at_cutoffs(population):
    """Return each metric of the cases above the only cut-off that two grades have."""
    x, y = (share[1] for share in population.cap)
    truths = {"captured_response": y, "lift": y / x, "precision": population.prevalence * y / x}
    return {
        f"{metric} above the cut-off": (
            float(truth),
            partial(limits, metric=metric, options={"threshold": 2}),
        )
        for metric, truth in truths.items()
    }


def cells(shapes, prevalences, positives, **options):
    """Return the populations of all combinations."""
    return [
        of(shape, prevalence, n1, **options)
        for shape, prevalence, n1 in product(shapes, prevalences, positives)
    ]


def hard():
    """Return few positives, few selected cases, grades in the wrong order."""
    found = cells(SHAPES, (0.01, 0.1, 0.4), (8, 15, 40))
    return [*found, *cells((DISORDERED, crossing(), REVERSED, LUMPED), (0.1, 0.3), (150, 1000))]


def bends():
    """Return bends near a share of 10%, and strong scores of 10% positives."""
    blocks = [block_on_top(0.05, share) for share in (0.07, 0.085, 0.1, 0.13)]
    kinds = (*blocks, NEARLY_ALL_TIED, MISSED_5, binormal(0.99, 3), exponential(0.96))
    return cells((*kinds, EMPTY_GRADES, atoms(), bimodal()), (0.1,), (5, 40, 150))


def rare():
    """Return samples of as many positives as negatives, and what is rare in the population."""
    return [
        BothChosen(*kind, pi, n1, fixed=True, n0=n1)
        for kind, pi in product((LUMPED, crossing(), betas(), block_on_top()), (0.01, 0.05))
        for n1 in (40, 150)
    ]


def ordinary():
    """Return ordinary scores, of which other rules hold as well."""
    shapes = (binormal(0.75), exponential(0.9), FIVE_GRADES)
    return cells(shapes, (0.1, 0.2), (5, 15, 40, 150))


def easy():
    """Return large samples, in which limits should not widen."""
    return cells((binormal(0.75), exponential(0.85), calibrated()), (0.05, 0.2), (100, 400))


def stated():
    """Return samples with the size of each class fixed: equal, and 1 to 9."""
    found = []
    for shape, pi, (n1, n0) in product(
        SHAPES, (0.05, 0.3), ((15, 15), (40, 40), (150, 150), (15, 135), (60, 20))
    ):
        found.append(BothChosen(*shape, pi, n1, fixed=True, n0=n0))
    return found


STRATA = ((1, 4, 25), (25, 4, 1), (1, 2, 6), (6, 2, 1))
ENDS = ((1 / 3, 2 / 3, False), (0.1, 0.5, False), (1 / 3, 2 / 3, True), (0.02, 0.2, False))


def weights():
    """Return strata of several definitions whose weights rise, or fall, with the score."""
    return [
        Bands(*shape, pi, n1, weights=strata, ends=ends[:2], of_positives=ends[2])
        for shape, pi, n1, strata, ends in product(
            (binormal(0.75), binormal(0.9), heavy_tailed()),
            (0.05, 0.2),
            (15, 40, 150),
            STRATA,
            ENDS,
        )
    ]


def cutoffs():
    """Return two grades: what lies above a cut-off and what lies below, from rare to frequent."""
    found = []
    for pi, q, rate, n1 in product(
        (0.02, 0.1, 0.4), (0.02, 0.1, 0.4), (0.5, 1, 2, 6), (8, 15, 40, 150)
    ):
        precision = min(pi * rate, 0.98)
        captured = precision * q / pi
        passed = (1 - precision) * q / (1 - pi)
        if captured < 1:
            shares = ([captured, 1 - captured], [passed, 1 - passed])
            found.append(of((f"top {q:g} with lift {precision / pi:g}", *shares), pi, n1))
    return found


TABLES = {
    "hard": (hard, at_shares),
    "bends": (bends, partial(at_shares, shares=(0.1,))),
    "easy": (easy, at_shares),
    "stated": (stated, partial(at_shares, stated=True)),
    "rare": (rare, partial(at_shares, stated=True, shares=(0.02, 0.1), rates=RATES[:1])),
    "cutoffs": (cutoffs, at_cutoffs),
    "weights": (weights, at_shares),
    "widths": (ordinary, partial(at_shares, shares=(0.1, 0.3), others=True)),
}


def main():
    """Print the lines of one table."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("table", choices=TABLES)
    asked.add_argument("--runs", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=20261122)
    asked.add_argument("--jobs", type=int, default=1)
    given = asked.parse_args()
    populations, asks = TABLES[given.table]
    written(covered, populations(), asks, given.runs, given.seed, given.jobs)


if __name__ == "__main__":
    main()

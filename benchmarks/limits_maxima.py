"""How often the limits of KS, partial AUC and the best profit hold, on hard populations.

    python benchmarks/limits_maxima.py 2000 20261122 > maxima.csv
    python benchmarks/limits_maxima.py 2000 20261122 ks 20 > some.csv  # parts of these names

KS: default interval and one-sided lower limit, 8 to 150 positives, AUC .5 to .97, worthless scores
included. Partial AUC up to a false positive rate of 10% and 30%, where a block of ties may end,
and beside it the percentiles of the bootstrap. Best profit: ten for a positive that is selected,
one for each case selected.
"""

from __future__ import annotations

import sys
from functools import partial

from limits_populations import (
    DISORDERED,
    LUMPED,
    MISSED_5,
    USELESS,
    betas,
    binormal,
    block_on_top,
    calibrated,
    crossing,
    exponential,
    heavy_tailed,
    of,
)
from limits_runs import covered, written

import capcurve as cap

SHARES = (0.1, 0.3)
VALUE, COST = 10.0, 1.0


def best_profit(population):
    """Return the true profit of the best cut-off for as many cases."""
    q, captured = population.cap
    found = VALUE * population.prevalence * captured - COST * q
    return population.n * max(0.0, float(found.max()))


def asks(population, metrics):
    """Return the questions about a population: {name: (truth, limits of a sample's counts)}."""
    ask = partial(partial, cap.confidence_interval)
    found = {}
    if "ks" in metrics:
        found["KS"] = population.ks, ask(metric="ks")
        found["KS, lower limit"] = population.ks, ask(metric="ks", side="lower")
    if "partial_auc" in metrics:
        for most in SHARES:
            truth, asked = population.partial_auc(most), {"metric": "partial_auc", "max_fpr": most}
            found[f"partial AUC to {most:.0%}"] = truth, ask(**asked)
            bootstrap = ask(**asked, method="bootstrap", replicates=500)
            found[f"partial AUC to {most:.0%}, percentiles"] = truth, bootstrap
    if "profit" in metrics:
        truth = best_profit(population)
        found["best profit"] = truth, ask(metric="profit", value=VALUE, cost=COST, seed=1)
    return found


def populations(sizes):
    """Return the populations: continuous and graded, from worthless to nearly perfect."""
    kinds = [
        *(binormal(auc) for auc in (0.5, 0.6, 0.7, 0.8, 0.9, 0.97)),
        *(binormal(auc, 1.6) for auc in (0.6, 0.9)),
        *(exponential(auc) for auc in (0.8, 0.96)),
        *(betas(), heavy_tailed(), crossing(), binormal(0.99, 3), block_on_top(), MISSED_5),
        *(LUMPED, DISORDERED, USELESS, calibrated()),
    ]
    return [
        of(kind, prevalence, n1)
        for kind in kinds
        for prevalence, many in ((0.01, sizes[:1]), (0.1, sizes), (0.5, sizes))
        for n1 in many
    ]


def main(runs="2000", seed="20261122", metrics="ks,partial_auc,profit", sizes="8,15,40,150"):
    """Write the lines of all populations."""
    found = populations([int(n1) for n1 in sizes.split(",")])
    written(covered, found, partial(asks, metrics=metrics.split(",")), int(runs), int(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])

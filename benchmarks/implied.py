"""How often the test of the implied accuracy ratio rejects at 5% where the model ranks as it says.

    python benchmarks/implied.py 4000 20261122 > implied.csv

PDs of 18 grades whose log-odds are spread normally, at three mean PDs and two spreads, of 300,
1,000, 5,000 and 20,000 cases. Outcomes are drawn from the PDs themselves ("as they are"); from PDs
whose odds are twice as large ("odds doubled"), which rank as the stated ones do; and from the PDs
with defaults that one factor correlates (assets 5%, 12% and 24%, as in Basel's formula). Of these
"allowing" are the same tests when they are told the correlation.
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

import capcurve as cap

GRADES, ALPHA = 18, 0.05
MEANS, SPREADS, SIZES = (0.02, 0.1, 0.3), (0.6, 1.2), (300, 1000, 5000, 20_000)
OUTCOMES = {
    "as they are": (0.0, 0.0),
    "odds doubled": (np.log(2), 0.0),
    "assets 5%": (0.0, 0.05),
    "assets 12%": (0.0, 0.12),
    "assets 24%": (0.0, 0.24),
}
COLUMNS = ("outcomes", "mean_pd", "spread", "cases", "seed", "runs", "matched", "stated")
COLUMNS += ("matched_allowing", "stated_allowing", "no_test")


def scale_of(mean, spread):
    """Return the PD of each grade, most likely positive first: equal sizes, normal log-odds."""
    steps = spread * ndtri((np.arange(GRADES)[::-1] + 0.5) / GRADES)
    low, high = -12.0, 5.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if expit(middle + steps).mean() < mean else (low, middle)
    return expit(low + steps)


def drawn(rng, pds, sizes, shift, correlation):
    """Return the positives of each grade."""
    pds = expit(logit(pds) + shift)
    if correlation:
        factor = rng.standard_normal()
        pds = ndtr((ndtri(pds) - np.sqrt(correlation) * factor) / np.sqrt(1 - correlation))
    return rng.binomial(sizes, pds)


def rates(rng, pds, cases, how, runs):
    """Return how often both calibrations reject, and how often there is no test."""
    sizes = np.full(GRADES, cases // GRADES)
    sizes[: cases % GRADES] += 1
    rejects, without = np.zeros(4), 0
    for _ in range(runs):
        positives = drawn(rng, pds, sizes, *how)
        if not 0 < positives.sum() < cases:
            without += 1
            continue
        counts = cap.ScoreCounts.from_counts(pds, positives, sizes - positives)
        for place, calibration in enumerate(("matched", "stated")):
            # A correlation of next to nothing spares the time to say what one would do.
            for told, rho in enumerate((1e-9, how[1] or 1e-9)):
                test = cap.implied_accuracy_ratio(counts, calibration=calibration, correlation=rho)
                rejects[2 * told + place] += test.p_value < ALPHA
    return [*(rejects / (runs - without)).tolist(), without]


def main(runs, seed):
    """Write a line per population."""
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    for place, (name, how) in enumerate(OUTCOMES.items()):
        for mean in MEANS:
            for spread in SPREADS:
                for cases in SIZES:
                    rng = np.random.default_rng([seed, place, int(1000 * mean), cases])
                    found = rates(rng, scale_of(mean, spread), cases, how, runs)
                    line = [name, mean, spread, cases, seed, runs, *found]
                    writer.writerow([f"{x:.4g}" if isinstance(x, float) else x for x in line])
                    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))

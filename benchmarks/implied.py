"""How often the test of the implied accuracy ratio rejects at 5% where the model ranks as it says.

    python benchmarks/implied.py 4000 20261122 > implied.csv
    python benchmarks/implied.py 300 20261124 calibration > calibration.csv

The second form: how often 95% limits of the calibration of such PDs hold, and how often its tests
reject at 5%, where the PDs are right.

PDs of 18 grades whose log-odds are spread normally, at three mean PDs and two spreads, of 300,
1,000, 5,000 and 20,000 cases. Outcomes are drawn from the PDs themselves ("as they are"); from PDs
whose odds are twice as large ("odds doubled"), which rank as the stated ones do; and from the PDs
with defaults that one factor correlates (assets 5%, 12% and 24%, as in Basel's formula). Of these
"allowing" are the same tests when they are told the correlation.
"""

from __future__ import annotations

import csv
import sys
from contextlib import suppress

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


def judged(rng, pds, cases, correlation, runs):
    """Return how often limits of calibration hold, and how often tests reject right PDs."""
    found = {}

    def seen(name, happened):
        found.setdefault(name, []).append(happened)

    cut = float(np.median(pds))
    acted, odds = pds >= cut, cut / (1 - cut)
    truths = {
        "brier_score": (pds * (1 - pds)).mean(),
        "log_loss": -(pds * np.log(pds) + (1 - pds) * np.log1p(-pds)).mean(),
        "observed_to_expected": 1.0,
        "net_benefit": (np.where(acted, pds - odds * (1 - pds), 0.0)).mean(),
    }
    for _ in range(runs):
        sizes = rng.multinomial(cases, np.full(GRADES, 1 / GRADES))
        positives = drawn(rng, pds, sizes, 0.0, correlation)
        if positives.sum() < 2:
            continue
        counts = cap.ScoreCounts.from_counts(pds, positives, sizes - positives)
        for method in ("jeffreys", "mid_p"):
            rho = correlation if method == "mid_p" else 0.0
            test = cap.calibration_test(counts, method=method, asset_correlation=rho)
            seen(f"{method} rejects", test.p_value < ALPHA)
            table = cap.pd_tests(counts, method=method, asset_correlation=rho)
            seen(f"{method} rejects a grade (Holm)", min(table["p_adjusted"]) < ALPHA)
        if correlation:
            continue
        for name, truth in truths.items():
            more = {"threshold": cut} if name == "net_benefit" else {}
            low, high = cap.confidence_interval(counts, name, **more)
            seen(f"{name} holds", low <= truth <= high)
        with suppress(ValueError):  # separated
            low, high = cap.logistic_recalibration(counts).slope
            seen("slope holds", low <= 1 <= high)
        table = cap.calibration_table(counts, bins="score")
        right = table["pd"]
        seen(
            "band holds", bool(((table["band_low"] <= right) & (right <= table["band_high"])).all())
        )
        for method in ("spiegelhalter", "hosmer_lemeshow", "cox"):
            with suppress(ValueError):
                test = cap.calibration_test(counts, method=method)
                seen(f"{method} rejects", test.p_value < ALPHA)
    return {name: float(np.mean(values)) for name, values in found.items()}


def calibration(runs, seed):
    """Write a line per number and population."""
    writer = csv.writer(sys.stdout)
    writer.writerow(("mean_pd", "spread", "cases", "correlation", "what", "share"))
    for place, (mean, cases, rho) in enumerate(
        [(m, n, 0.0) for m in MEANS for n in (300, 1000, 5000)] + [(m, 5000, 0.05) for m in MEANS]
    ):
        for spread in SPREADS:
            rng = np.random.default_rng([seed, place, int(10 * spread)])
            for what, share in judged(rng, scale_of(mean, spread), cases, rho, runs).items():
                writer.writerow((mean, spread, cases, rho, what, round(share, 4)))
            sys.stdout.flush()


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
    (calibration if "calibration" in sys.argv else main)(*map(int, sys.argv[1:3]))

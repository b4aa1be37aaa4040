"""How often intervals and tests of clustered rows hold, counted over simulated obligor-months.

python benchmarks/clustered.py [intervals|tests] [--runs 2000] [--jobs 2]

Each obligor has twelve months. One effect of the obligor is in all its scores, another in all its
outcomes, and the two are correlated; the score of a month with default is shifted so that the AUC
is as stated. Samples hold as many obligors with a default as stated, and as many without.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

import capcurve as cap
from capcurve.inference import confidence_interval

MONTHS = 12
SCORE_SHARE = 0.7  # of the variance of a score that is the obligor's
OUTCOME_SPREAD = 1.5  # of the obligor's effect on the outcome, beside 1 of the month's
CORRELATION = 0.5  # of the two effects
POOL = 200_000


@dataclass(frozen=True)
class Population:
    """Obligors, how many of them default at all, and how well the score ranks their months."""

    obligors: int
    defaulting: int
    auc: float


@cache
def pool(population):
    """Return score without shift and outcome of many obligors, and the shift."""
    rng = np.random.default_rng(12345)
    effect = rng.normal(size=(POOL, 1))
    own = CORRELATION * effect + np.sqrt(1 - CORRELATION**2) * rng.normal(size=(POOL, 1))
    months = rng.normal(size=(POOL, MONTHS))
    latent = OUTCOME_SPREAD * own + rng.normal(size=(POOL, MONTHS))
    share = population.defaulting / population.obligors
    highest = latent.max(axis=1)
    cut = np.quantile(highest, 1 - share)
    outcome = latent > cut
    score = np.sqrt(SCORE_SHARE) * effect + np.sqrt(1 - SCORE_SHARE) * months
    return score, outcome, shift_of(score, outcome, population.auc), outcome.any(axis=1)


def shift_of(score, outcome, auc):
    """Return what to add to scores of positives for a stated AUC."""
    positives, negatives = score[outcome], np.sort(score[~outcome])

    def excess(shift):
        return np.searchsorted(negatives, positives + shift).mean() / len(negatives) - auc

    return brentq(excess, -5, 12, xtol=1e-6)


def draw(rng, population):
    """Return outcomes, scores and obligors of one sample."""
    score, outcome, shift, defaults = pool(population)
    yes, no = np.flatnonzero(defaults), np.flatnonzero(~defaults)
    picked = np.concatenate(
        [
            rng.choice(yes, population.defaulting),
            rng.choice(no, population.obligors - population.defaulting),
        ]
    )
    y, s = outcome[picked], score[picked] + shift * outcome[picked]
    ids = np.repeat(np.arange(population.obligors) + rng.integers(0, 10**9), MONTHS)
    return y.ravel(), s.ravel(), ids


ASKED = (
    ("roc_auc", {}),
    ("captured_response", {"q": 0.1}),
    ("precision", {"q": 0.1}),
    ("captured_response", {"threshold": None}),
    ("precision", {"threshold": None}),
    ("lift", {"threshold": None}),
    ("ks", {}),
    ("partial_auc", {"max_fpr": 0.2}),
    ("profit", {"value": 10.0, "cost": 2.0}),
)
SAMPLES = ((50, 10), (50, 25), (200, 10), (200, 50), (500, 10), (500, 50))
AUCS = (0.6, 0.75, 0.9, 0.97)
THRESHOLD_SHARE = 0.1


@cache
def truths(population):
    """Return the cut-off that selects a tenth of the population, and every true number."""
    score, outcome, shift, _ = pool(population)
    counts = cap.count_scores(outcome.ravel(), (score + shift * outcome).ravel())
    cut = float(np.quantile(score + shift * outcome, 1 - THRESHOLD_SHARE))
    point = cap.operating_point(counts, threshold=cut)
    profit = cap.profit_curve(counts, value=10.0, cost=2.0).y.max() / counts.n
    found = [
        cap.roc_auc(counts),
        cap.captured_response(counts, 0.1),
        cap.precision(counts, 0.1),
        point.captured,
        point.precision,
        point.lift,
        cap.ks(counts).statistic,
        cap.partial_auc(counts, 0.2),
        max(profit, 0.0) * population.obligors * MONTHS,
    ]
    return cut, [float(value) for value in found]


def one_interval_run(seed, population):
    """Return for every number whether it lies below, in or above its interval, and the width."""
    y, s, ids = draw(np.random.default_rng(seed), population)
    counts = cap.count_scores(y, s, cluster=ids)
    cut, true = truths(population)
    found = []
    for (metric, options), value in zip(ASKED, true, strict=True):
        where = {"threshold": cut} if "threshold" in options else options
        try:
            interval = confidence_interval(counts, metric, **where)
        except ValueError:  # nothing selected
            found.append((np.nan, np.nan, np.nan))
            continue
        found.append((value < interval.low, value > interval.high, interval.high - interval.low))
    naive = confidence_interval(counts, "roc_auc", method="logit_t")
    found.append((true[0] < naive.low, true[0] > naive.high, naive.high - naive.low))
    return np.array(found, dtype=np.float64)


def intervals(runs, jobs):
    """Print coverage, misses on either side and median width of the default intervals."""
    names = [
        f"{m} {' '.join(o)}".replace("value cost", "").strip() for m, o in ASKED
    ] + ["roc_auc, clusters ignored"]
    print("| obligors | with default | AUC | number | covered | below | above | median width |")
    print("|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(jobs) as workers:
        for obligors, defaulting in SAMPLES:
            for auc in AUCS:
                population = Population(obligors, defaulting, auc)
                work = partial(one_interval_run, population=population)
                all_runs = np.array(list(workers.map(work, range(runs), chunksize=50)))
                low, high = np.nanmean(all_runs[:, :, 0], 0), np.nanmean(all_runs[:, :, 1], 0)
                width = np.nanmedian(all_runs[:, :, 2], 0)
                for name, below, above, wide in zip(names, low, high, width, strict=True):
                    row = (obligors, defaulting, auc, name, f"{1 - below - above:.3f}")
                    print("|", *row, f"{below:.3f}", f"{above:.3f}", f"{wide:.3g}", "|", sep=" | ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="intervals", choices=["intervals", "tests"])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    {"intervals": intervals}[arguments.what](arguments.runs, arguments.jobs)

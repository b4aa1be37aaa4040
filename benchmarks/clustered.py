"""Coverage of intervals and size of tests with clustered rows, over simulated obligor-months.

python benchmarks/clustered.py ranking|others|tests [--samples 50/10] [--runs 2000] [--jobs 2]

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

import capcurve as cap
from capcurve.inference import compare, confidence_interval

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


RANKING = (("roc_auc", {}), ("roc_auc", {"method": "logit_t"}))
OTHERS = (
    ("captured_response", {"q": 0.1}),
    ("precision", {"q": 0.1}),
    ("captured_response", {"threshold": None}),
    ("precision", {"threshold": None}),
    ("lift", {"threshold": None}),
    ("ks", {}),
    ("partial_auc", {"max_fpr": 0.2}),
    ("profit", {"value": None, "cost": 1.0}),
)
SAMPLES = ((50, 10), (50, 25), (200, 10), (200, 50), (500, 10), (500, 50))
AUCS = (0.6, 0.75, 0.9, 0.97)
THRESHOLD_SHARE = 0.1
VALUE_TIMES_PREVALENCE = 0.7  # what a positive brings; a case costs 1


@cache
def asked_of(population, asked):
    """Return what to ask of every sample and its true value in the population."""
    score, outcome, shift, _ = pool(population)
    counts = cap.count_scores(outcome.ravel(), (score + shift * outcome).ravel())
    cut = float(np.quantile(score + shift * outcome, 1 - THRESHOLD_SHARE))
    value = VALUE_TIMES_PREVALENCE / counts.prevalence
    profit = cap.profit_curve(counts, value=value, cost=1.0).y.max() / counts.n
    point = cap.operating_point(counts, threshold=cut)
    true = {
        "roc_auc": cap.roc_auc(counts),
        "captured_response q": cap.captured_response(counts, 0.1),
        "precision q": cap.precision(counts, 0.1),
        "captured_response threshold": point.captured,
        "precision threshold": point.precision,
        "lift threshold": point.lift,
        "ks": cap.ks(counts).statistic,
        "partial_auc max_fpr": cap.partial_auc(counts, 0.2),
        "profit value cost": max(profit, 0.0) * population.obligors * MONTHS,
    }
    filled = {"threshold": cut, "value": value}
    found = []
    for metric, options in asked:
        how = {key: filled[key] if v is None else v for key, v in dict(options).items()}
        key = " ".join([metric, *(name for name in how if name != "method")])
        found.append((metric, how, float(true[key])))
    return found


def one_run(seed, population, asked):
    """Return for every number whether it lies below, above its interval, and the width."""
    y, s, ids = draw(np.random.default_rng(seed), population)
    counts = cap.count_scores(y, s, cluster=ids)
    found = []
    for metric, how, true in asked_of(population, asked):
        try:
            interval = confidence_interval(counts, metric, **how)
        except ValueError:  # nothing selected
            found.append((np.nan, np.nan, np.nan))
            continue
        found.append((true < interval.low, true > interval.high, interval.high - interval.low))
    return np.array(found, dtype=np.float64)


def intervals(asked, samples, runs, jobs):
    """Print coverage, misses on either side and median width of intervals."""
    asked = tuple((metric, tuple(options.items())) for metric, options in asked)
    names = [" ".join([metric, *(k for k, _ in options)]) for metric, options in asked]
    names = [name.replace(" method", ", clusters ignored") for name in names]
    print("| obligors | with default | AUC | number | covered | below | above | median width |")
    print("|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(jobs) as workers:
        for obligors, defaulting in samples:
            for auc in AUCS:
                population = Population(obligors, defaulting, auc)
                work = partial(one_run, population=population, asked=asked)
                every = np.array(list(workers.map(work, range(runs), chunksize=50)))
                low, high = np.nanmean(every[:, :, 0], 0), np.nanmean(every[:, :, 1], 0)
                width = np.nanmedian(every[:, :, 2], 0)
                for name, below, above, wide in zip(names, low, high, width, strict=True):
                    cell = f"{obligors} | {defaulting} | {auc} | {name} | {1 - below - above:.3f}"
                    print(f"| {cell} | {below:.3f} | {above:.3f} | {wide:.3g} |", flush=True)


def one_test(seed, population):
    """Return the p-values of two scores of equal worth: clustered, and as if independent."""
    rng = np.random.default_rng(seed)
    score, outcome, shift, defaults = pool(population)
    kinds = ((np.flatnonzero(defaults), population.defaulting),)
    kinds += ((np.flatnonzero(~defaults), population.obligors - population.defaulting),)
    picked = np.concatenate([rng.choice(some, many) for some, many in kinds])
    y, first = outcome[picked].ravel(), (score[picked] + shift * outcome[picked]).ravel()
    noise = np.repeat(rng.normal(size=(2, population.obligors)), MONTHS, axis=1)
    scores = {"a": first + noise[0], "b": first + noise[1]}
    ids = np.repeat(np.arange(population.obligors), MONTHS)
    clustered = cap.count_joint(y, scores, cluster=ids)
    return compare(clustered).p_value, compare(cap.count_joint(y, scores)).p_value


def tests(samples, runs, jobs):
    """Print how often equal scores are called different at 5%."""
    print("| obligors | with default | AUC | jackknife | clusters ignored |")
    print("|---|---|---|---|---|")
    with ProcessPoolExecutor(jobs) as workers:
        for obligors, defaulting in samples:
            for auc in AUCS:
                work = partial(one_test, population=Population(obligors, defaulting, auc))
                found = np.array(list(workers.map(work, range(runs), chunksize=50)))
                sizes = (found < 0.05).mean(axis=0)
                cell = f"{obligors} | {defaulting} | {auc}"
                print(f"| {cell} | {sizes[0]:.3f} | {sizes[1]:.3f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["ranking", "others", "tests"])
    parser.add_argument("--samples", nargs="+", default=[f"{m}/{d}" for m, d in SAMPLES])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    chosen = [tuple(int(size) for size in sample.split("/")) for sample in given.samples]
    if given.what == "tests":
        tests(chosen, given.runs, given.jobs)
    else:
        asked = RANKING if given.what == "ranking" else OTHERS
        intervals(asked, chosen, given.runs, given.jobs)

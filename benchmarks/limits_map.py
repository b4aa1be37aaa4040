"""How often the limits of every number hold in every design: one figure for each cell of the map.

python benchmarks/limits_map.py [--runs 300] [--seed 20261128] [--designs independent weights ...]

The map is in docs/internals.md. All designs but trials have one population: scores are chances of
the outcome (PDs), a fifth of the cases are positive, and the AUC is .85. "weights" takes a third of
the cases that are less likely positive; "clusters" shares score and outcome within five cases;
"prevalence" takes as many negatives as positives and states the prevalence; "horizon" loses nearly
half of the cases before it; "amounts" are gamma distributed. What is written is the table of the
page, `results/every-number-and-design.csv`, in per cent.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings

import numpy as np
from scipy import special, stats

import capcurve as cap

WHOLE = 3_000_000
OPTIONS = {
    **dict.fromkeys(
        ("captured_response", "lift", "precision", "specificity", "false_positive_rate"),
        ({"q": 0.2}, {"threshold": 0.35}),
    ),
    "partial_auc": ({"max_fpr": 0.2},),
    "profit": ({"value": 4.0, "cost": 1.0},),
    "net_benefit": ({"threshold": 0.3},),
    "kappa": ({"threshold": 0.35},),
    "partial_accuracy_ratio": ({"max_q": 0.3},),
    "selective_risk": ({"coverage": 0.7},),
}
NUMBERS = (
    *("accuracy_ratio", "roc_auc", "captured_response", "lift", "precision", "specificity"),
    *("false_positive_rate", "ks", "partial_auc", "profit", "prevalence", "observed_to_expected"),
    *("net_benefit", "average_precision", "rie", "bedroc", "partial_accuracy_ratio", "aurc"),
    *("excess_aurc", "auarc", "augrc", "brier_score", "log_loss", "selective_risk"),
    *("work_saved_over_sampling", "kappa", "concentration_index", "mean_amount"),
)
OF_TRIALS = ("qini", "auuc", "autoc", "uplift", "profit")
DESIGNS = ("independent", "weights", "clusters", "prevalence", "horizon", "amounts", "trial")
PREVALENCE = 0.05


def rows(rng, n):
    """Return outcomes, scores and cluster ids of n cases in clusters of five."""
    shared = np.repeat(rng.normal(size=(n + 4) // 5), 5)[:n]
    latent = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=n)
    noise = np.sqrt(0.3) * np.repeat(rng.normal(size=(n + 4) // 5), 5)[:n]
    outcome = latent + noise + np.sqrt(0.7) * rng.normal(size=n) > stats.norm.ppf(0.8) * np.sqrt(2)
    return outcome.astype(int), probability(latent), np.arange(n) // 5


def probability(latent):
    """Return the chance of the outcome, of four digits, as the score."""
    cut = stats.norm.ppf(0.8) * np.sqrt(2)
    return np.clip(np.round(special.ndtr(latent - cut), 4), 1e-4, 1 - 1e-4)


def alone(rng, n):
    """Return outcomes and scores of independent cases."""
    score = probability(rng.normal(size=n))
    return (rng.random(n) < score).astype(int), score


def sample(design, rng):
    """Return the counts of one sample of a design."""
    if design == "clusters":
        target, score, cluster = rows(rng, 600)
        return cap.count_scores(target, score, cluster=cluster)
    target, score = alone(rng, 3000 if design == "prevalence" else 600)
    if design == "weights":
        common = score < 0.15
        kept = ~common | (rng.random(len(score)) < 1 / 3)
        weight = np.where(common, 3.0, 1.0)[kept]
        return cap.count_scores(target[kept], score[kept], weight=weight, weight_kind="sampling")
    if design == "prevalence":
        kept = np.sort(np.r_[np.flatnonzero(target)[:100], np.flatnonzero(1 - target)[:100]])
        return cap.count_scores(target[kept], score[kept])
    if design == "horizon":
        time = np.where(target, rng.random(600), 1 + rng.random(600))
        lost = rng.exponential(1.4, 600)
        event = (time <= lost).astype(int)
        return cap.count_times(np.minimum(time, lost), event, score).at(1.0)
    if design == "amounts":
        return cap.count_values(target * rng.gamma(2.0, size=600), score)
    return cap.count_scores(target, score)


def trial(rng, n):
    """Return the counts of a trial whose effect grows with the score."""
    score = np.round(rng.random(n), 3)
    treated = rng.random(n) < 0.5
    target = rng.random(n) < 0.15 + 0.2 * treated * score
    return cap.count_uplift(target.astype(int), treated.astype(int), score, treated_label=1)


def whole(design, rng):
    """Return counts of so many cases that their numbers are the true ones."""
    if design == "trial":
        return trial(rng, WHOLE)
    if design == "clusters":
        return cap.count_scores(*rows(rng, WHOLE)[:2])
    target, score = alone(rng, WHOLE)
    if design == "amounts":
        return cap.count_values(target * rng.gamma(2.0, size=WHOLE), score)
    return cap.count_scores(target, score)


def questions(design):
    """Yield the name of each number of a design and the options of its interval."""
    stated = {"prevalence": PREVALENCE} if design == "prevalence" else {}
    numbers = {"trial": OF_TRIALS, "amounts": (*NUMBERS, *OF_TRIALS[:-1])}
    for number in numbers.get(design, NUMBERS):
        for option in OPTIONS.get(number, ({},)) if number != "uplift" else ({"q": 0.3},):
            yield number, {**option, **stated}


def covers(design, runs, seed):
    """Return the share of samples, of each number, whose limits contain the true value."""
    known, rng = whole(design, np.random.default_rng(seed + 1)), np.random.default_rng(seed)
    cases = known.n if hasattr(known, "n") else WHOLE
    found, held = {}, {}
    for run in range(runs):
        counts = trial(rng, 800) if design == "trial" else sample(design, rng)
        for number, options in questions(design):
            key = (number, "threshold" if "threshold" in options else "")
            if key in found and found[key] is None:
                continue
            try:
                interval = cap.confidence_interval(counts, number, **options)
            except ValueError:
                found[key] = None
                continue
            if run == 0:
                truth = cap.confidence_interval(known, number, **options).estimate
                of_a_case = number == "profit"
                found[key] = truth / float(cases) if of_a_case else truth
                held[key] = 0
            times = float(counts.n) if number == "profit" else 1.0
            held[key] += interval.low <= found[key] * times + 1e-12 and (
                interval.high >= found[key] * times - 1e-12
            )
    return {key: 100 * times / runs for key, times in held.items() if found[key] is not None}


def main():
    """Write a line of the table for each number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261128)
    parser.add_argument("--designs", nargs="+", default=DESIGNS, choices=DESIGNS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    by_design = {one: covers(one, asked.runs, asked.seed) for one in asked.designs}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("number", *asked.designs))
    for key in dict.fromkeys(key for held in by_design.values() for key in held):
        cells = [
            f"{by_design[one][key]:.1f}" if key in by_design[one] else "–" for one in by_design
        ]
        at = " at a threshold" if key[1] and key[0] not in {"net_benefit", "kappa"} else ""
        writer.writerow((f"{key[0]}{at}", *cells))


if __name__ == "__main__":
    main()

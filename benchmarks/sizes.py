"""True sizes and powers of the tests, by simulation: python benchmarks/sizes.py [samples]."""

import sys
import time
import warnings

import numpy as np
from scipy.special import ndtri

import capcurve as cap
from capcurve.inference import (
    compare,
    compare_independent,
    discrimination_test,
    heterogeneity_test,
    ks_test,
    power,
    test_against_initial,
)

LEVEL = 0.05
REPLICATES = 199
GRADES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5])


def drawn(rng, n1, n0, auc, spread=1.0, graded=False):
    """Draw scores of two normal classes with this AUC; `spread` is that of positives."""
    positives = rng.normal(ndtri(auc) * np.hypot(1, spread), spread, n1)
    scores = np.concatenate([positives, rng.normal(0, 1, n0)])
    return np.digitize(scores, GRADES) if graded else scores


def labels(n1, n0):
    return np.repeat([1, 0], [n1, n0])


def counted(rng, n1, n0, auc, spread=1.0, graded=False):
    return cap.count_scores(labels(n1, n0), drawn(rng, n1, n0, auc, spread, graded))


def share(samples, p_value):
    return float(np.mean([p_value() <= LEVEL for _ in range(samples)]))


def heterogeneity_sizes(rng, samples):
    mixed = [5, 5, 10, 10, 10, 20, 20, 30, 30, 40, 50, 60]
    cells = {
        "12 x 10/100, AUC .75": ([10] * 12, 100, [0.75] * 12, [1] * 12, False),
        "12 x 50/500, AUC .75": ([50] * 12, 500, [0.75] * 12, [1] * 12, False),
        "12 x 10/100, AUC .9": ([10] * 12, 100, [0.9] * 12, [1] * 12, False),
        "12 x 10/100, AUC .97": ([10] * 12, 100, [0.97] * 12, [1] * 12, False),
        "12 x 10/100, 7 grades": ([10] * 12, 100, [0.75] * 12, [1] * 12, True),
        "5 to 60/100, AUC .75": (mixed, 100, [0.75] * 12, [1] * 12, False),
        "spread .8 (60), 1.25 (10)": ([60, 10] * 6, 100, [0.75] * 12, [0.8, 1.25] * 6, False),
        "spread .5 (60), 2 (10)": ([60, 10] * 6, 100, [0.75] * 12, [0.5, 2] * 6, False),
        "spread .5 (400), 2 (60)": ([400, 60] * 2, 1000, [0.75] * 4, [0.5, 2] * 2, False),
        "AUC .65 to .85, 12 x 20": ([20] * 12, 100, np.linspace(0.65, 0.85, 12), [1] * 12, False),
        "AUC .80 to .97, 12 x 10": ([10] * 12, 100, np.linspace(0.8, 0.97, 12), [1] * 12, False),
    }
    print("\n| segments | within | chi2 |\n|---|---|---|")
    for name, (n1s, n0, aucs, spreads, graded) in cells.items():
        hits, drawn = np.zeros(2), {"replicates": REPLICATES, "seed": rng}
        for _ in range(samples):
            segments = {
                i: counted(rng, n1, n0, auc, spread, graded)
                for i, (n1, auc, spread) in enumerate(zip(n1s, aucs, spreads, strict=True))
            }
            hits += [
                heterogeneity_test(segments, method=m, **draws).p_value <= LEVEL
                for m, draws in (("within", drawn), ("chi2", {}))
            ]
        print(f"| {name} | {' | '.join(f'{h / samples:.3f}' for h in hits)} |", flush=True)


def initial_sizes(rng, samples):
    print("\n| initial sample, current sample | ECB | two samples |\n|---|---|---|")
    for before, now in (((200, 1000), (200, 1000)), ((2000, 10000), (200, 1000)), ((30, 300),) * 2):
        hits = np.zeros(2)
        for _ in range(samples):
            initial, current = counted(rng, *before, 0.8), counted(rng, *now, 0.8)
            known = cap.roc_auc(initial)
            hits += [
                test_against_initial(current, reference).p_value <= LEVEL
                for reference in (known, initial)
            ]
        print(f"| {before}, {now} | {hits[0] / samples:.3f} | {hits[1] / samples:.3f} |")


def paired(rng, n1, n0, aucs, shared):
    """Draw two scores whose normal errors have correlation `shared`."""
    common = rng.normal(size=n1 + n0)
    scores = {}
    for name, auc in zip("ab", aucs, strict=True):
        own = rng.normal(size=n1 + n0)
        error = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
        scores[name] = error + np.sqrt(2) * ndtri(auc) * labels(n1, n0)
    return cap.count_joint(labels(n1, n0), scores)


def comparison_sizes(rng, samples):
    print("\n| test | size |\n|---|---|")
    for n1 in (10, 50, 200):
        for auc in (0.75, 0.9):
            size = share(
                samples, lambda n=n1, a=auc: compare(paired(rng, n, 5 * n, (a, a), 0.7)).p_value
            )
            print(f"| paired, {n1} positives, AUC {auc} | {size:.3f} |", flush=True)
    for n1 in (10, 50):
        size = share(
            samples,
            lambda n=n1: (
                compare_independent(
                    counted(rng, n, 5 * n, 0.75), counted(rng, 2 * n, 10 * n, 0.75)
                ).p_value
            ),
        )
        print(f"| unpaired, {n1} and {2 * n1} positives | {size:.3f} |", flush=True)
    for graded in (False, True):
        for name, test in (("discrimination", discrimination_test), ("KS", ks_test)):
            size = share(
                samples, lambda t=test, g=graded: t(counted(rng, 20, 60, 0.5, 1.0, g)).p_value
            )
            print(f"| {name}, exact, 20/60, {'7 grades' if graded else 'no ties'} | {size:.3f} |")


def powers(rng, samples):
    print("\n| plan | planned | found |\n|---|---|---|")
    n1, n0 = 80, 400
    plans = {
        "one score .6": (
            power(0.6, n1, n0),
            lambda: discrimination_test(counted(rng, n1, n0, 0.6)),
        ),
        "unpaired .85, .75": (
            power(0.85, n1, n0, versus=0.75, design="unpaired"),
            lambda: compare_independent(counted(rng, n1, n0, 0.85), counted(rng, n1, n0, 0.75)),
        ),
    }
    pilot = compare(paired(rng, 20000, 100000, (0.8, 0.76), 0.7)).covariance
    correlation = pilot[0][1] / np.sqrt(pilot[0][0] * pilot[1][1])
    for label, words in (
        ("paired .80, .76", {}),
        ("paired .80, .76 non-inferior .02", {"alternative": "non-inferior", "margin": 0.02}),
    ):
        plans[label] = (
            power(0.8, n1, n0, versus=0.76, design="paired", correlation=correlation, **words),
            lambda w=words: compare(
                paired(rng, n1, n0, (0.8, 0.76), 0.7), metric="roc_auc", **w
            ).pairs[0],
        )
    for name, (planned, test) in plans.items():
        found = share(samples, lambda t=test: t().p_value)
        print(f"| {name} | {planned:.3f} | {found:.3f} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    started, generator = time.perf_counter(), np.random.default_rng(0)
    print(f"share of p <= {LEVEL} in {runs} samples")
    for part in (comparison_sizes, initial_sizes, powers, heterogeneity_sizes):
        part(generator, runs)
    print(f"\n{time.perf_counter() - started:.0f} s")

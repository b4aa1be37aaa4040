"""How often the test of falling rates and the findings speak, without and with reason.

    python benchmarks/levels_findings.py monotone 2000 20261122 > monotone.csv
    python benchmarks/levels_findings.py findings 2000 20261122 > findings.csv

`monotone`: the test of falling rates at 5% (and whether the finding speaks), on rates that are
constant, fall twentyfold, are constant in the worse or better half, have two neighbours swapped,
the top third reversed, and on continuous scores in ten bins whose ROC crosses; grades of equal
size, and constant rates with sizes that fall or rise a hundredfold. Beside it two other
calibrations of the same idea, which were dropped: chi-bar-square of the deviance with Holm's mid-p
of neighbouring grades, and (when asked for with `redrawn` at the end) the deviance of samples drawn
again with moment selection, whose time limits it to few runs. `findings`: how often each finding
about the order speaks, and how often one contradicts the verdict.
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from limits_populations import USELESS, binormal, exponential, of
from limits_runs import generator
from scipy import special, stats

import capcurve as cap
from capcurve.summary.findings import findings_of
from capcurve.summary.verdict import verdict_of

GRADES, POSITIVES = (7, 20, 35), (50, 200, 1000, 5000)
AVERAGE, FALL, SPREAD = 0.05, 20.0, 100.0
SHAPES = (
    "constant",
    "concave",
    "flat worse half",
    "flat better half",
    "pair swapped",
    "top third reversed",
)
SIZES = {"equal": 1.0, "falling": 1 / SPREAD, "rising": SPREAD}
ALPHA, REPLICATES, SEPARATE = 0.05, 999, 2.0
# Tests that were dropped are simulated on one sample in so many.
FEWER = 4
COLUMNS = ("shape", "sizes", "grades", "positives", "seed", "runs", "test", "rejects")


def shares_of(grades, sizes):
    """Return the share of cases in each grade."""
    shares = SIZES[sizes] ** np.linspace(0, 1, grades)
    return shares / shares.sum()


def rates_of(shape, shares):
    """Return the rate of each grade; on average one case in twenty is positive."""
    grades = len(shares)
    half, third = grades // 2, -(-grades // 3)
    rates = FALL ** -np.linspace(0, 1, grades) if shape != "constant" else np.ones(grades)
    rates = rates * AVERAGE / (rates * shares).sum()
    flat = {"flat worse half": slice(half, None), "flat better half": slice(half)}.get(shape)
    if flat:
        rates[flat] = (rates[flat] * shares[flat]).sum() / shares[flat].sum()
    if shape == "pair swapped":
        rates[[half - 1, half]] = rates[[half, half - 1]]
    if shape == "top third reversed":
        rates[:third] = rates[:third][::-1].copy()
    return np.minimum(rates, 0.95)


def drawn(rng, rates, shares, n):
    """Return positives and cases of grades that have any."""
    cases = rng.multinomial(n, shares)
    positives = rng.binomial(cases, rates)
    full = cases > 0
    return positives[full], cases[full]


def crossing(rng, positives):
    """Return ten bins of a score: half of the positives above, half below the negatives."""
    n = round(positives / AVERAGE)
    positive = rng.random(n) < AVERAGE
    centre = np.where(positive, np.where(rng.random(n) < 0.5, 2.2, -0.6), 0.0)
    width = np.where(positive, np.where(centre > 0, 0.6, 0.8), 1.0)
    order = np.argsort(-rng.normal(centre, width))
    ends = np.round(np.linspace(0, n, 11)).astype(int)
    return np.diff(np.append(0, np.cumsum(positive[order]))[ends]), np.diff(ends)


def counts_of(positives, cases):
    """Return the counts of grades, the best first."""
    return cap.ScoreCounts.from_counts(np.arange(len(cases), 0, -1), positives, cases - positives)


def pooled(positives, cases):
    """Return the rates that fall and fit best, for each row of positives."""
    p = np.append(np.zeros((len(positives), 1)), np.cumsum(positives, axis=1), axis=1)
    n = np.append(0, np.cumsum(cases))
    grades = len(cases)
    fitted = np.full(positives.shape, -np.inf)
    for k in range(grades):
        for end in range(k, grades):
            means = (p[:, [end + 1]] - p[:, : k + 1]) / (n[end + 1] - n[: k + 1])
            fitted[:, k] = np.maximum(fitted[:, k], means.min(axis=1))
    return fitted


def deviance(positives, cases, rates):
    """Return 2·ln of the likelihood ratio of raw rates to these, for each row."""
    missed = cases - positives
    raw = special.xlogy(positives, positives / cases) + special.xlogy(missed, missed / cases)
    fitted = special.xlogy(positives, rates) + special.xlogy(missed, 1 - rates)
    return 2 * (raw - fitted).sum(axis=1)


def chi_bar_square(positives, cases):
    """Return twice the smaller of p by Stirling numbers and of Holm's mid-p of neighbours."""
    one = positives[None, :]
    statistic = float(deviance(one, cases, pooled(one, cases))[0])
    chances = np.ones(1)
    for i in range(len(cases)):
        chances = np.append(0, chances) / (i + 1) + np.append(chances, 0) * i / (i + 1)
    df = len(cases) - np.arange(len(chances))
    tails = np.where(df > 0, special.gammaincc(np.maximum(df, 1) / 2, statistic / 2), 0)
    first = float((chances * tails).sum()) if statistic > 1e-8 else 1.0
    law = stats.hypergeom(cases[:-1] + cases[1:], positives[:-1] + positives[1:], cases[1:])
    second = (law.sf(positives[1:]) + law.pmf(positives[1:]) / 2).min() * (len(cases) - 1)
    return min(1.0, 2 * min(first, second))


def selected(positives, cases):
    """Return rates with neighbours made one while they differ by less than two standard errors."""
    fitted = pooled(positives[None, :], cases)[0]
    runs = np.split(np.arange(len(cases)), np.flatnonzero(np.diff(fitted)) + 1)
    while len(runs) > 1:
        p, n = (np.array([column[run].sum() for run in runs]) for column in (positives, cases))
        both = (p[1:] + p[:-1]) / (n[1:] + n[:-1])
        se = np.sqrt(np.maximum(both * (1 - both) * (1 / n[1:] + 1 / n[:-1]), 1e-300))
        apart = -np.diff(p / n) / se
        nearest = int(apart.argmin())
        if apart[nearest] >= SEPARATE:
            break
        runs[nearest : nearest + 2] = [np.concatenate(runs[nearest : nearest + 2])]
    rates = np.empty(len(cases))
    for run in runs:
        rates[run] = positives[run].sum() / cases[run].sum()
    return rates


def redrawn(positives, cases, rng):
    """Return the p-value of the deviance among samples of the selected rates."""
    again = rng.binomial(cases, selected(positives, cases), (REPLICATES, len(cases)))
    one = positives[None, :]
    seen = deviance(one, cases, pooled(one, cases))[0]
    return (1 + (deviance(again, cases, pooled(again, cases)) >= seen - 1e-9).sum()) / (
        REPLICATES + 1
    )


def monotone(writer, runs, seed, draws_again):
    """Write how often each test rejects falling rates."""
    cells = [
        (shape, sizes, grades, many)
        for shape in SHAPES
        for sizes in SIZES
        if sizes == "equal" or shape == "constant"
        for grades in GRADES
        for many in POSITIVES
    ] + [("crossing, ten bins", "equal", 10, many) for many in POSITIVES]
    for shape, sizes, grades, many in cells:
        rng = np.random.default_rng([seed, grades, many, *shape.encode(), *sizes.encode()])
        shares = shares_of(grades, sizes)
        said, often = {}, {}
        for run in range(runs):
            if shape in SHAPES:
                p, n = drawn(rng, rates_of(shape, shares), shares, round(many / AVERAGE))
            else:
                p, n = crossing(rng, many)
            if not 0 < p.sum() < n.sum():
                continue
            p_value = cap.monotonicity_test(counts_of(p, n)).p_value
            found = {"monotonicity_test": p_value <= ALPHA, "finding": p_value <= 0.04}
            if run % FEWER == 0:
                found["chi-bar-square, Holm"] = chi_bar_square(p, n) <= ALPHA
                if draws_again:
                    found["redrawn"] = redrawn(p, n, np.random.default_rng(run)) <= ALPHA
            for test, rejects in found.items():
                said[test] = said.get(test, 0) + rejects
                often[test] = often.get(test, 0) + 1
        for test, rejects in said.items():
            rate = f"{rejects / often[test]:.4f}"
            writer.writerow((shape, sizes, grades, many, seed, often[test], test, rate))
        sys.stdout.flush()


def told(counts):
    """Return which findings about the order speak, and whether one contradicts the verdict."""
    codes = {finding.code for finding in findings_of(counts)}
    said = {code: code in codes for code in ("reversed", "too_good", "not_concave")}
    if not any(said.values()):
        return said | {"contradiction": False}
    verdict = verdict_of(counts, 0.95, rising="not_concave" in codes)
    random = "random score" in verdict.sentence and "band" not in verdict.sentence
    against = {"reversed": verdict.ranks != "worse", "too_good": verdict.ranks != "better"}
    contradicted = any(said[code] and wrong for code, wrong in against.items())
    return said | {"contradiction": contradicted or random}


def findings(writer, runs, seed):
    """Write how often findings about the order speak."""
    kinds = {
        "worthless, continuous": (binormal(0.5), (8, 15, 50, 150)),
        "worthless, five grades": (USELESS, (8, 15, 50, 150)),
        "AR -.2": (binormal(0.4), (15, 50, 150)),
        "AR .9, binormal": (binormal(0.95), (5, 10, 20, 50, 150)),
        "AR .9, exponential": (exponential(0.95), (5, 10, 20, 50, 150)),
        "AR .995": (binormal(0.9975), (5, 10, 20, 50, 150)),
    }
    for name, (kind, sizes) in kinds.items():
        for many in sizes:
            population = of(kind, 0.1, many)
            rng, said = generator(seed, population), {}
            for _ in range(runs):
                for code, speaks in told(population.draw(rng)).items():
                    said[code] = said.get(code, 0) + speaks
            for code, speaks in said.items():
                writer.writerow((name, "", "", many, seed, runs, code, f"{speaks / runs:.4f}"))
            sys.stdout.flush()


def main(what, runs, seed, *options):
    """Write the lines of one part."""
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    if what == "monotone":
        monotone(writer, int(runs), int(seed), "redrawn" in options)
    else:
        findings(writer, int(runs), int(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])

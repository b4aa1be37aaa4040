"""How often the test of falling rates and the findings speak, without and with reason.

    python benchmarks/levels_findings.py monotone 2000 20261122 > monotone.csv
    python benchmarks/levels_findings.py findings 2000 20261122 > findings.csv
    python benchmarks/levels_findings.py top 300 20261122 > top.csv
    python benchmarks/levels_findings.py report 60 20261122

`monotone`: the test of falling rates at 5% (and whether the finding speaks), on rates that are
constant, fall twentyfold, are constant in the worse or better half, have two neighbours swapped,
the top third reversed, and on continuous scores in ten bins whose ROC crosses; grades of equal
size, and constant rates with sizes that fall or rise a hundredfold. Beside it two other
calibrations of the same idea, which were dropped: chi-bar-square of the deviance with Holm's mid-p
of neighbouring grades, and (when asked for with `redrawn` at the end) the deviance of samples drawn
again with moment selection, whose time limits it to few runs. `findings`: how often each finding
about the order speaks, and how often one contradicts the verdict. `top`: how often positives above
every negative, and grades that are too good, are told, of healthy populations and of leaks.
`report`: how often any finding of a whole report warns, in Markdown, of healthy portfolios (card,
change and sheet with a control chart) and of portfolios with one thing wrong (the card; the sheet
where ranking fell): normal scores of AR .5, or seven grades of these, 5% positives, five segments,
twelve months and an initial sample as large; names of portfolios at the end ask for these alone.
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from limits_populations import (
    EMPTY_GRADES,
    FIVE_GRADES,
    MISSED_5,
    MISSED_12,
    USELESS,
    Mixture,
    atoms,
    betas,
    bimodal,
    binormal,
    calibrated,
    exponential,
    heavy_tailed,
    of,
)
from limits_runs import generator
from scipy import special, stats

import capcurve as cap
from capcurve.results.findings import findings_of_counts
from capcurve.results.verdict import verdict_of

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
    codes = {finding.code for finding in findings_of_counts(counts)}
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


# Tops and leaks


def leak(share, auc=0.75):
    """Return normal scores of which a share of the positives stands above all others."""
    rest = binormal(auc)[1]
    return f"leak {share:g}, AUC {auc:g}", Mixture(stats.norm(30), rest, share), stats.norm()


def leaked_grade(share):
    """Return seven grades, the best of which holds a share of the positives and nobody else."""
    rest = np.diff(stats.norm.sf(stats.norm.ppf(np.linspace(1, 0, 7)) - binormal(0.75)[1].mean()))
    return f"leak {share:g} in a grade", [share, *(1 - share) * rest], [0, *np.full(6, 1 / 6)]


def graded(kind, prevalence, grades=7):
    """Return grades with about as many cases each of a continuous population."""
    name, *sides = kind
    x = np.linspace(-12, 60, 100_001)
    above = prevalence * sides[0].sf(x) + (1 - prevalence) * sides[1].sf(x)
    cuts = np.interp(np.arange(1, grades) / grades, above[::-1], x[::-1])
    ends = np.concatenate([[np.inf], cuts, [-np.inf]])
    return f"{name}, {grades} grades", *(np.diff(side.sf(ends)) for side in sides)


def top(writer, runs, seed):
    """Write how often a top that is too good is told."""
    strong = [binormal(auc, spread) for auc in (0.95, 0.97, 0.99) for spread in (1.0, 3.0)]
    healthy = [
        *(binormal(0.75), binormal(0.75, 3.0), *strong),
        *(exponential(0.75), exponential(0.95), exponential(0.99), heavy_tailed(), betas()),
        *(atoms(), bimodal(), MISSED_5, MISSED_12, calibrated(), EMPTY_GRADES, FIVE_GRADES),
    ]
    leaks = [leak(0.98), leak(0.4), leak(0.4, 0.85), leak(0.2), leaked_grade(0.4)]
    for prevalence in (0.05, 0.2, 0.3):
        of_grades = [graded(kind, prevalence) for kind in (*strong, leak(0.98), leak(0.4))]
        for kind in (*healthy, *leaks, leaked_grade(0.98), *of_grades):
            for many in (50, 150, 500, 2000):
                population = of(kind, prevalence, many)
                rng, said = generator(seed, population), {"pure_top": 0, "too_good": 0}
                times = max(runs // 5, 1) if many > 500 else runs
                for _ in range(times):
                    codes = {finding.code for finding in findings_of_counts(population.draw(rng))}
                    for code in said:
                        said[code] += code in codes
                for code, speaks in said.items():
                    rate = f"{speaks / times:.4f}"
                    writer.writerow((kind[0], prevalence, "", many, seed, times, code, rate))
            sys.stdout.flush()


# Whole reports

SEGMENTS, MONTHS, HEALTHY = (0.3, 0.25, 0.2, 0.15, 0.1), 12, "healthy"
REVERSED, FALLEN, EMPTY = "a tenth of the cases reversed", "AR .4 from month 7", "empty segment"
CROWDED, LEAKS = "85% in one grade", {"98% leaked": 0.98, "40% leaked": 0.4}
LEAKED_GRADE = "40% leaked into a grade of their own"
# Warnings that speak of size, not of a test.
OF_SIZE = ("few_positives", "small_segments", "undefined_segments")
SEVEN = stats.norm.isf(np.arange(1, 7) / 7)


def rows_of(rng, positives, problem):
    """Return outcomes, scores, segments and months of a portfolio."""
    n = round(positives / AVERAGE)
    segment, month = rng.choice(len(SEGMENTS), n, p=SEGMENTS), rng.integers(1, MONTHS + 1, n)
    positive = rng.random(n) < AVERAGE
    if problem == EMPTY:
        positive &= segment < len(SEGMENTS) - 1
    apart = np.full(n, np.sqrt(2) * stats.norm.ppf(0.75))
    if problem == REVERSED:
        apart[segment == len(SEGMENTS) - 1] *= -1
    if problem == FALLEN:
        apart[month > MONTHS // 2] = np.sqrt(2) * stats.norm.ppf(0.7)
    scores = rng.normal(size=n) + apart * positive
    share = 0.4 if problem == LEAKED_GRADE else LEAKS.get(problem, 0.0)
    scores[positive & (rng.random(n) < share)] += 30
    return positive, scores, segment, month


def grades_of(scores, problem):
    """Return seven grades; most cases in the middle one, or the best for leaked cases alone."""
    grades = np.digitize(scores, np.sort(SEVEN))
    if problem == CROWDED:
        grades = np.digitize(scores, stats.norm.ppf([0.02, 0.04, 0.06, 0.91, 0.94, 0.97]))
    return np.where(scores > 20, 7, grades) if problem == LEAKED_GRADE else grades


def reported(rng, positives, problem, *, in_grades):
    """Return the findings of a whole report; the sheet has those of the control chart."""
    samples = []
    for what in (HEALTHY, problem):
        y, s, segment, month = rows_of(rng, positives, what)
        samples.append((y, grades_of(s, what) if in_grades else s, segment, month))
    (y0, s0, segment0, _), (y, s, segment, month) = samples
    found = [*cap.evaluate(y, s, by=segment).findings]
    if problem not in {HEALTHY, FALLEN}:
        return {each.code: each.severity for each in found}
    before, now = cap.count_scores(y0, s0), cap.count_scores(y, s)
    parts = [cap.count_segments(y0, s0, by=segment0), cap.count_segments(y, s, by=segment)]
    found += cap.attribute_change(*parts, by="segment").findings
    sheet = cap.validate(now, initial=before, periods=cap.count_segments(y, s, by=month))
    return {each.code: each.severity for each in (*sheet.findings, *found)}


def report(runs, seed, chosen):
    """Print how often reports warn; of 5,000 positives there are half as many."""
    print("| portfolio | score | positives | reports | any warning of a test | findings |")
    print("|---|---|---|---|---|---|")
    problems = (HEALTHY, REVERSED, *LEAKS, LEAKED_GRADE, FALLEN, CROWDED, EMPTY)
    for problem in chosen or problems:
        for in_grades in (False, True):
            if problem in (CROWDED, LEAKED_GRADE, FALLEN) and in_grades == (problem == FALLEN):
                continue
            for positives in (50, 500, 5000):
                rng = np.random.default_rng([seed, positives, in_grades, *problem.encode()])
                times = runs // 2 if positives > 500 else runs
                told, warned = {}, 0
                for _ in range(times):
                    found = reported(rng, positives, problem, in_grades=in_grades)
                    warnings = [code for code, severity in found.items() if severity != "info"]
                    warned += any(code not in OF_SIZE for code in warnings)
                    for code, severity in found.items():
                        name = f"{code} (info)" if severity == "info" else code
                        told[name] = told.get(name, 0) + 1
                rates = ", ".join(
                    f"{name} {many / times:.0%}"
                    for name, many in sorted(told.items(), key=lambda each: -each[1])
                    if not name.startswith("many_tests")
                )
                score = "7 grades" if in_grades else "continuous"
                row = (problem, score, f"{positives:,}", times, f"{warned / times:.0%}", rates)
                print("| " + " | ".join(map(str, row)) + " |", flush=True)


def main(what, runs, seed, *options):
    """Write the lines of one part."""
    if what == "report":
        report(int(runs), int(seed), options)
        return
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    if what == "top":
        top(writer, int(runs), int(seed))
    elif what == "monotone":
        monotone(writer, int(runs), int(seed), "redrawn" in options)
    else:
        findings(writer, int(runs), int(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])

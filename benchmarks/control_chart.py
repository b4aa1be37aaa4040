"""How often rules that watch an accuracy ratio raise a false alarm, and how soon they see a fall.

    python benchmarks/control_chart.py populations --series 200 --seed 20261122 > FILE.csv
    python benchmarks/control_chart.py falls --series 200
    python benchmarks/control_chart.py stored --series 100
    python benchmarks/control_chart.py known --series 5000
    python benchmarks/control_chart.py estimated --series 1000
    python benchmarks/control_chart.py clustered --series 2000

"populations": 24 months of four sizes and scores of many shapes, against an initial accuracy ratio
that is known and against an initial sample of 500 positives; "falls": normal scores, whose accuracy
ratio falls at month 7; "stored": a limit made of the first months alone, for 24 others. In all
below, scores are normal within each class. "known": 24 months of 30 positives and 970 negatives,
with an initial accuracy ratio of 0.60 that is known, by the rules in use and by the control chart,
its limit as many cases give it; "estimated": the same with an initial sample of 500 positives and
9,500 negatives, drawn anew in each series, by the control chart; "clustered": obligors with scores
that last, who count as positives for several months. One line per rule: the share of series with an
alarm while nothing changes, and after a fall (to 0.50 unless said) at month 1, 7 or 13 the share of
series in which it is seen, with the median of the months until then (of those in which nothing was
called before).
"""

from __future__ import annotations

import argparse
import csv
import sys

import limits_populations as lp
import numpy as np
from scipy.special import ndtr, ndtri

import capcurve as cap
from capcurve.studies.monitoring import control_limit
from capcurve.studies.monitoring.control_limit import (
    as_initial,
    as_periods,
    cusum_of,
    limit_of,
    quiet_cells,
    simulated,
    simulated_clustered,
)

MONTHS, N1, N0, AR, FALLEN, DROP = 24, 30, 970, 0.60, 0.50, 0.05
OF_INITIAL = (500, 9500)
FALLS = (1, 7, 13)
OF_FALLS = [f"{name}_{fall}" for fall in FALLS for name in ("seen", "median")]
FIELDS = ("rule", "series", "false_alarms", *OF_FALLS)


def apart(ratio):
    """Return how far apart the means of two normal classes of this accuracy ratio are."""
    return np.sqrt(2) * ndtri((1 + ratio) / 2)


def ratios_and_spreads(rng, truths, n1=N1, n0=N0):
    """Return the accuracy ratio of each month, and DeLong's variance of its AUC."""
    many = len(truths)
    positives = rng.normal(size=(many, n1)) + apart(np.asarray(truths))[:, None]
    both = np.concatenate([positives, rng.normal(size=(many, n0))], axis=1)
    ranks = both.argsort(axis=1).argsort(axis=1) + 1
    own = both[:, :n1].argsort(axis=1).argsort(axis=1) + 1
    others = both[:, n1:].argsort(axis=1).argsort(axis=1) + 1
    v10 = (ranks[:, :n1] - own) / n0
    v01 = 1 - (ranks[:, n1:] - others) / n1
    aucs = v10.mean(axis=1)
    return 2 * aucs - 1, v10.var(axis=1, ddof=1) / n1 + v01.var(axis=1, ddof=1) / n0


def truths(fall):
    """Return the true accuracy ratio of each month, with a fall at that month or none."""
    return np.where(np.arange(MONTHS) + 1 >= (fall or np.inf), FALLEN, AR)


def called(signs, fall=1):
    """Return the month since the fall in which an alarm came first, 0 without one.

    Series with an alarm before the fall are left out, as NaN.
    """
    first = int(np.argmax(signs)) + 1 if signs.any() else 0
    if 0 < first < fall:
        return np.nan
    return first - fall + 1 if first else 0


def line(rule, found):
    """Return the shares of alarms, by where the fall is."""
    row = {"rule": rule, "series": len(found[None])}
    row["false_alarms"] = f"{np.mean(np.array(found[None]) > 0):.4f}"
    for fall in FALLS:
        seen = np.array(found.get(fall, []))
        seen = seen[~np.isnan(seen)]
        if len(seen):
            row[f"seen_{fall}"] = f"{(seen > 0).mean():.3f}"
            row[f"median_{fall}"] = f"{np.median(seen[seen > 0]):g}" if (seen > 0).any() else ""
    return row


def made(initial, periods, sizes, rng):
    """Return the limit of the control chart for months of these sizes."""
    cells = quiet_cells(initial, as_periods(periods, initial))
    return limit_of(simulated(initial, cells, sizes, DROP, int(rng.integers(2**31))), 0.05)


def of_many_cases(initial):
    """Return the limit that is made of so many cases that they show how normal scores vary."""
    rng = np.random.default_rng(1)
    return made(initial, {0: drawn(rng, 50_000, 50_000)}, [(N1, N0)] * MONTHS, rng)


def known(rng, series):
    """Yield what rules do against an initial value that is known."""
    initial = as_initial(AR)
    v = initial.variance(N1, N0)
    limit = of_many_cases(initial)
    normal = AR + np.sqrt(v) * rng.normal(size=(MONTHS, 20_000))
    normal_limit = limit_of(cusum_of(normal, AR, np.full((MONTHS, 1), v), DROP), 0.05)
    rules = {
        "ECB test at 5% each month": lambda a, s: 1 - ndtr((AR - a) / 2 / np.sqrt(s)) < 0.05,
        "ECB test, Bonferroni": lambda a, s: 1 - ndtr((AR - a) / 2 / np.sqrt(s)) < 0.05 / MONTHS,
        "fell by 0.05": lambda a, _: a < AR - 0.05,
        "fell by 0.10": lambda a, _: a < AR - 0.10,
        "CUSUM, limit of the normal law": lambda a, _: chart(a, v) > normal_limit,
        "control chart": lambda a, _: chart(a, v) > limit,
    }
    found = {rule: {None: [], 1: [], 13: []} for rule in rules}
    for _ in range(series):
        for fall in (None, 1, 13):
            ratios, spreads = ratios_and_spreads(rng, truths(fall))
            for rule, signs in rules.items():
                found[rule][fall].append(called(signs(ratios, spreads), fall or 1))
    yield from (line(rule, each) for rule, each in found.items())
    for part in (0.5, 2):
        yield off_plan(rng, series, initial, limit, part)


def chart(ratios, variance):
    """Return C along the months, against the known value."""
    return cusum_of(ratios, AR, np.broadcast_to(variance, ratios.shape), DROP)


def off_plan(rng, series, initial, limit, part):
    """Return what the limit does where months are smaller or larger than it was made for."""
    n1, n0 = round(N1 * part), round(N0 * part)
    v, alarms = initial.variance(n1, n0), []
    for _ in range(series):
        ratios, _ = ratios_and_spreads(rng, truths(None), n1, n0)
        alarms.append(called(chart(ratios, v) > limit))
    return line(f"control chart, months {part:g} times as large as planned", {None: alarms})


def drawn(rng, n1, n0):
    """Return the counts of a sample with the initial accuracy ratio."""
    y = np.repeat([1, 0], [n1, n0])
    return cap.count_scores(y, rng.normal(size=n1 + n0) + apart(AR) * y)


def estimated(rng, series):
    """Yield what the control chart does with an initial sample; four quiet series for each."""
    found = {"control chart": {None: [], 1: [], 13: []}, "taken as known": {None: []}}
    sure = of_many_cases(as_initial(AR))
    for _ in range(series):
        initial = as_initial(drawn(rng, *OF_INITIAL))
        v = np.full(MONTHS, initial.variance(N1, N0))
        limit = made(initial, {0: initial.counts}, [(N1, N0)] * MONTHS, rng)
        for fall in (None, None, None, None, 1, 13):
            ratios, _ = ratios_and_spreads(rng, truths(fall))
            height = cusum_of(ratios, initial.ratio, v, DROP)
            found["control chart"][fall].append(called(height > limit, fall or 1))
            if fall is None:
                found["taken as known"][fall].append(called(height > sure))
    for rule, each in found.items():
        yield line(f"{rule}, initial sample of 500 positives", each)


SIZES = {
    "5 to 15 positives": lambda rng: [(int(each), 190) for each in rng.integers(5, 16, MONTHS)],
    "2 to 12% of 500": lambda _: [
        (round(5 * q), 500 - round(5 * q)) for q in np.linspace(2, 12, 24)
    ],
    "8 and 120 in turn": lambda _: [(8, 152), (120, 2280)] * (MONTHS // 2),
    "30 of 1,000": lambda _: [(N1, N0)] * MONTHS,
}
SEVEN_GRADES = (
    "7 grades",
    [0.37, 0.21, 0.17, 0.13, 0.07, 0.03, 0.02],
    [0.02, 0.05, 0.11, 0.20, 0.25, 0.22, 0.15],
)
SHAPES = (
    lp.binormal(0.75),
    SEVEN_GRADES,
    lp.FIVE_GRADES,
    lp.NEARLY_ALL_TIED,
    lp.exponential(0.8),
    lp.bimodal(),
    lp.atoms(),
    lp.EMPTY_GRADES,
    lp.MISSED_5,
    lp.MISSED_12,
    lp.binormal(0.98),
    lp.binormal(0.99),
    lp.binormal(0.99, 3),
)


def months_of(rng, kinds, sizes):
    """Return the counts of each month, of a kind of population for each."""
    return {
        month: lp.of(kind, n1 / (n1 + n0), n1, fixed=True).draw(rng)
        for month, (kind, (n1, n0)) in enumerate(zip(kinds, sizes, strict=True))
    }


def sums(initial, periods):
    """Return C along the months."""
    counts = list(periods.values())
    ratios = np.array([cap.accuracy_ratio(each) for each in counts])
    variances = np.array([initial.variance(each.n1, each.n0) for each in counts])
    return cusum_of(ratios, initial.ratio, variances, DROP)


def populations(rng, series):
    """Yield how often scores of each shape raise a false alarm."""
    for kind in SHAPES:
        value = as_initial(lp.of(kind, 0.1, 10).accuracy_ratio)
        for name, sizes_of in SIZES.items():
            of_value, of_sample = [], []
            for place in range(series):
                sizes = sizes_of(rng)
                periods = months_of(rng, [kind] * MONTHS, sizes)
                of_value.append(called(sums(value, periods) > made(value, periods, sizes, rng)))
                if not place % 4:
                    n1, n0 = OF_INITIAL
                    sample = as_initial(months_of(rng, [kind], [(n1, n0)])[0])
                    limit = made(sample, periods, sizes, rng)
                of_sample.append(called(sums(sample, periods) > limit))
            yield line(f"{kind[0]}, {name}, value known", {None: of_value})
            yield line(f"{kind[0]}, {name}, initial sample", {None: of_sample})


def falls(rng, series):
    """Yield how soon a fall at month 7 is seen where the value is known."""
    for before, after in ((0.5, 0.4), (0.5, 0.3), (0.8, 0.7), (0.96, 0.92), (0.96, 0.88)):
        value = as_initial(before)
        kinds = [lp.binormal((1 + (before if m < 6 else after)) / 2) for m in range(MONTHS)]
        for name in ("5 to 15 positives", "30 of 1,000"):
            alarms = {None: [], 7: []}
            for _ in range(series):
                sizes = SIZES[name](rng)
                for fall, each in ((None, [kinds[0]] * MONTHS), (7, kinds)):
                    periods = months_of(rng, each, sizes)
                    limit = made(value, periods, sizes, rng)
                    alarms[fall].append(called(sums(value, periods) > limit, fall or 1))
            yield line(f"from {before:g} to {after:g}, {name}", alarms)


def stored(rng, series):
    """Yield how often a limit that is made of the first months raises a false alarm in others."""
    sizes = [(10, 90)] * MONTHS
    for kind in SHAPES:
        value = as_initial(lp.of(kind, 0.1, 10).accuracy_ratio)
        quiet = [months_of(rng, [kind] * MONTHS, sizes) for _ in range(400)]
        highest = np.array([sums(value, each).max() for each in quiet])
        for first in (1, 3, 10):
            found = []
            for _ in range(series):
                seen = months_of(rng, [kind] * first, sizes[:first])
                found.append((highest > made(value, seen, sizes, rng)).mean())
            row = {"rule": f"{kind[0]}, limit of {first} months of 10", "series": series}
            yield {**row, "false_alarms": f"{np.mean(found):.4f}"}


def panel(rng, months, positives, window, lasting, fall=None):
    """Return rows of 1,000 obligors, seen every month until their default is over.

    A share `lasting` of the variance of scores is the obligor's own; a default counts in `window`
    months.
    """
    bad = rng.random(1000) < positives / 1000 * (months + window) / window
    start = rng.integers(1 - window, months, 1000)
    base, rows = rng.normal(size=1000), []
    for month in range(months):
        now = bad & (start <= month) & (month < start + window)
        kept = ~(bad & (month >= start + window))
        ratio = FALLEN - 0.1 if fall is not None and month >= fall else AR
        score = np.sqrt(lasting) * base + np.sqrt(1 - lasting) * rng.normal(size=1000)
        score += apart(ratio) * now
        rows.append((now[kept], np.round(score[kept], 2), np.flatnonzero(kept)))
    y, score, obligor = (np.concatenate(each) for each in zip(*rows, strict=True))
    return y, score, np.repeat(np.arange(months), [len(each[0]) for each in rows]), obligor


USUAL = "12 months, defaults count for 6 months"
DESIGNS = {
    USUAL: {"months": 12, "positives": 30, "window": 6},
    "20 months, defaults count for 12 months": {"months": 20, "positives": 30, "window": 12},
    "12 months of 12 positives": {"months": 12, "positives": 12, "window": 6},
    "12 months, rows independent": {"months": 12, "positives": 30, "window": 1, "lasting": 0.0},
    "12 months, fall to 0.40 at month 7": {"months": 12, "positives": 30, "window": 6, "fall": 6},
}
# Of the usual design further rules; these and the other designs take a fifth of the series.
OTHERWISE = ("initial sample clustered", "initial sample of 100 positives", "without clusters")


def clustered(rng, series):
    """Yield what the control chart does where obligors recur."""
    for name, design in DESIGNS.items():
        for rule in ("", *(OTHERWISE if name == USUAL else ())):
            alarms = []
            for _ in range(series if name == USUAL and not rule else series // 5):
                y, score, month, obligor = panel(rng, **{"lasting": 0.9, **design})
                ids = None if rule == OTHERWISE[2] else obligor
                initial = drawn(rng, *((100, 1900) if rule == OTHERWISE[1] else OF_INITIAL))
                if rule == OTHERWISE[0]:
                    initial = with_clusters(rng, *OF_INITIAL)
                alarms.append(alarmed(initial, cap.count_segments(y, score, by=month, cluster=ids)))
            yield line(f"{name}, {rule}" if rule else name, {None: alarms})


def alarmed(initial, periods):
    """Return whether the chart of these periods has an alarm: 1 or 0."""
    before, counts = as_initial(initial), list(periods.values())
    if counts[0].groups is None:
        cells = quiet_cells(before, as_periods(periods, before))
        charts = simulated(before, cells, [(each.n1, each.n0) for each in counts], DROP, 1)
    else:
        charts = simulated_clustered(before, counts, DROP, 1)
    return float((sums(before, periods) > limit_of(charts, 0.05)).any())


def with_clusters(rng, n1, n0):
    """Return an initial sample of obligors who are in no period."""
    y = np.repeat([1, 0], [n1, n0])
    score = np.round(rng.normal(size=n1 + n0) + apart(AR) * y, 2)
    return cap.count_scores(y, score, cluster=10_000 + np.arange(n1 + n0))


def main():
    """Run what is asked for and print it as it is known."""
    kinds = {
        "populations": populations,
        "falls": falls,
        "stored": stored,
        "known": known,
        "estimated": estimated,
        "clustered": clustered,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument(
        "--replicates", type=int, default=control_limit.CHART_REPLICATES, help="of each limit"
    )
    asked = parser.parse_args()
    control_limit.CHART_REPLICATES, control_limit.SERIES = (
        asked.replicates,
        min(control_limit.SERIES, asked.replicates),
    )
    rows = csv.DictWriter(sys.stdout, FIELDS)
    rows.writeheader()
    for row in kinds[asked.kind](np.random.default_rng(asked.seed), asked.series):
        rows.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()

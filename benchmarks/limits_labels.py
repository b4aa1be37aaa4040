"""How often limits of numbers of all cases hold where only some cases have a label.

python benchmarks/limits_labels.py PART [--runs 300] [--seed 20261130] [--numbers ...] > FILE.csv

PART is "rows" (share of positives, AUC, kappa, and what a threshold selects), "shares" (what the
best q select), "weights" (rows with sampling weights), "clusters" (five answers of each of 200
prompts, all five labelled or none) or "two" (the difference of two accuracy ratios, and the test
of none at 5%). Each takes a part of all combinations of its judges, shares, cases and labels.
--again FILE takes the lowest cells (--lowest 8) of each number in a table of the same part.
Judges are laws of a score by class: two-point, five-point, ten-point and continuous ones, skewed,
lenient, of the ends mostly, with lumps of ties, and blind to some positives. A share of 300
samples has a standard error of 1.3 points at 95%, one of 2,000 of .5.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections import defaultdict
from dataclasses import astuple, dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import gamma, norm

import capcurve as cap

FINE = 20_000  # levels that stand for a continuous score
LEVELS = 10  # up to so many scores are each a level of its own
LEAST = 10  # labels by score, of each level where there are enough
QUOTAS = (0.075, 0.2, 0.4, 0.2, 0.125)  # of labels by score, from the worst level to the best
OPTIONS = {"auc": "roc_auc", "captured": "captured_response"}
HEAD = ("metric", "of", "samples", "covered", "low_above", "high_below", "width", "refused", "few")


def cut(law, cuts):
    """Return the chances of each level of a distribution, from worst to best."""
    return np.diff(law.cdf(np.concatenate([[-np.inf], cuts, [np.inf]])))


def normal(apart, cuts):
    """Return the law of a score of equal normal spreads."""
    return np.array([cut(norm(0, 1), cuts), cut(norm(apart, 1), cuts)])


def fine(apart):
    """Return the law of a continuous score of equal normal spreads."""
    return normal(apart, np.linspace(-5, apart + 5, FINE - 1))


def skewed(apart):
    """Return the law of ten points, the best of which are rare."""
    cuts = np.linspace(0, 12, 10)[1:] * (1 + apart / 3)
    return np.array([cut(gamma(2, scale=1), cuts), cut(gamma(2, scale=1 + apart), cuts)])


def lumps(apart):
    """Return the law of a continuous score, two parts of which are one score each."""
    law = fine(apart)
    place = np.cumsum(law.mean(axis=0))
    group = np.arange(FINE)
    for low, high in ((0.1, 0.45), (0.7, 0.85)):
        group[(place > low) & (place < high)] = np.searchsorted(place, low)
    return np.array([np.bincount(group, each, FINE) for each in law])


def blind(odd):
    """Return the law of a strong continuous score that knows nothing of some positives."""
    law = fine(2.2)
    return np.array([law[0], (1 - odd) * law[1] + odd * law[0]])


def of_ends(hit):
    """Return the law of a five-point score that mostly says 1 or 5."""
    wrong = 0.88 - hit * 0.88
    worst, best = hit * 0.88, wrong
    return np.array([[worst, 0.05, 0.04, 0.03, best], [best, 0.03, 0.04, 0.05, worst]])


def two_point(hit):
    """Return the law of a yes or no, surer of negatives."""
    return np.array([[hit, 1 - hit], [1.06 - hit, hit - 0.06]])


MIDDLE = np.array([-1.2, -0.4, 0.4, 1.2])
# By name: the law by strength, and three strengths from weak to strong.
JUDGES = {
    "five points": (lambda d: normal(d, d / 2 + MIDDLE), (0.5, 1.5, 3.0)),
    "ten points, skewed": (skewed, (0.5, 1.5, 5.0)),
    "five points, lenient": (lambda d: normal(d, d / 2 + MIDDLE - 1.3), (0.5, 1.5, 3.0)),
    "five points, the ends": (of_ends, (0.6, 0.8, 0.97)),
    "two points": (two_point, (0.6, 0.85, 0.98)),
    "continuous": (fine, (0.5, 1.5, 3.0)),
    "continuous, lumps": (lumps, (0.5, 1.5, 3.0)),
    "continuous, blind": (blind, (0.4, 0.2, 0.07)),
}


@cache
def law_of(judge, strength):
    """Return the law of a judge."""
    return JUDGES[judge][0](strength)


@dataclass(frozen=True)
class Design:
    """A judge, its population, and how cases and labels are drawn of it."""

    judge: str
    strength: float
    share: float
    cases: int
    labels: int
    chosen: str = "at random"
    more: str | float = ""  # q, kind of weights, correlation in a cluster, or of whom the second is

    def law(self):
        """Return the chances of each score, of negatives and of positives."""
        return law_of(self.judge, self.strength)

    def population(self):
        """Return the share of positives and negatives at each score, best first."""
        negatives, positives = self.law()[:, ::-1]
        return positives * self.share, negatives * (1 - self.share)

    @cache  # noqa: B019 - of few designs
    def cutoff(self):
        """Return the score at or above which about as many cases are as are positive."""
        selected = np.cumsum(sum(self.population()))[::-1]
        return 1 + int(np.abs(selected[1:] - self.share).argmin())


def number(name, p, n, q=None, chosen=None):
    """Return a number of the positives and negatives at each score, best first."""
    cases = p + n
    pi = p.sum() / cases.sum()
    if name == "prevalence":
        return pi
    if name == "auc":
        after = n.sum() - np.cumsum(n) + n / 2
        return p @ after / (p.sum() * n.sum())
    if q is None:
        inside = (np.arange(len(p))[::-1] >= chosen).astype(float)
    else:
        left = q * cases.sum() - (np.cumsum(cases) - cases)
        inside = np.clip(np.divide(left, cases, out=np.zeros(len(p)), where=cases > 0), 0, 1)
    tp, selected = p @ inside / cases.sum(), cases @ inside / cases.sum()
    if name == "kappa":
        by_chance = selected * pi + (1 - selected) * (1 - pi)
        return (1 + 2 * tp - selected - pi - by_chance) / (1 - by_chance)
    return tp / {"captured": pi, "precision": selected, "lift": pi * selected}[name]


def drawn(law, y, rank):
    """Return the level of each case, given where it is in the law of its class."""
    ends = np.cumsum(law, axis=1)
    found = np.where(y, *(np.searchsorted(end / end[-1], rank) for end in ends[::-1]))
    return np.minimum(found, law.shape[1] - 1)


def alike(rng, group, correlation):
    """Return normal numbers that go together within groups."""
    shared = rng.normal(size=group.max() + 1)[group]
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(size=len(group))


def labelled(score, labels, chosen, rng):
    """Return which cases are labelled: any, or so many of each level or tenth of cases."""
    found = np.zeros(len(score), dtype=bool)
    if chosen == "at random":
        found[rng.choice(len(score), labels, replace=False)] = True
        return found
    group, levels = levels_of(score)
    quota, least = np.interp(np.linspace(0, 4, levels), np.arange(5), QUOTAS), LEAST * levels
    quota = min(labels, least) / levels + max(labels - least, 0) * quota / quota.sum()
    for each, most in enumerate(np.round(quota).astype(int)):
        inside = np.flatnonzero(group == each)
        found[rng.permutation(inside)[:most]] = True
    return found


def levels_of(score):
    """Return the level, or the tenth of cases, of each score, and how many there are."""
    cases = np.bincount(score)
    if len(cases) <= LEVELS:
        return score, len(cases)
    middle = 2 * np.cumsum(cases) - cases
    return (LEVELS * middle // (2 * len(score)))[score], LEVELS


def few(score, has):
    """Return whether a level or tenth with 5% of the cases has under ten labels."""
    group, levels = levels_of(score)
    cases, labels = (np.bincount(each, minlength=levels) for each in (group, group[has]))
    return bool(((cases >= 0.05 * len(score)) & (labels < LEAST)).any())


def counted(y, score, has):
    """Return counts of rows, some of which have a label."""
    levels, at = np.unique(score, return_inverse=True)
    columns = [np.bincount(at[part], minlength=len(levels)) for part in (has & y, has & ~y, ~has)]
    return cap.PartialCounts.from_counts(levels, *columns[:2], unknown=columns[2])


def of_rows(design, rng):
    """Return a sample of independent rows: counts, outcomes, scores, weights, labels."""
    y = rng.random(design.cases) < design.share
    score = drawn(design.law(), y, rng.random(design.cases))
    has = labelled(score, design.labels, design.chosen, rng)
    return counted(y, score, has), y, score, None, has


def of_weights(design, rng):
    """Return a sample of rows with sampling weights, some of which go with the score."""
    law, y = design.law(), rng.random(design.cases * 4) < design.share
    score = drawn(law, y, rng.random(len(y)))
    tilt = np.linspace(1, 3, law.shape[1])[score] if design.more == "by score" else np.ones(len(y))
    kept = np.flatnonzero(rng.random(len(y)) < 1 / tilt)[: design.cases]
    y, score = y[kept], score[kept]
    sigma = {"by score": 0.3, "lognormal .5": 0.5, "lognormal 1": 1.0}[design.more]
    weight = tilt[kept] * rng.lognormal(sigma=sigma, size=len(kept))
    has = labelled(score, design.labels, design.chosen, rng)
    told = {"weight": weight, "weight_kind": "sampling"}
    return cap.count_partial(np.where(has, y, np.nan), score, **told), y, score, weight, has


def of_clusters(design, rng):
    """Return a sample of prompts of five answers, some of which have labels of all five."""
    prompt = np.repeat(np.arange(design.cases // 5), 5)
    y = alike(rng, prompt, design.more) < norm.ppf(design.share)
    score = drawn(design.law(), y, norm.cdf(alike(rng, prompt, design.more)))
    chosen = rng.choice(design.cases // 5, design.labels // 5, replace=False)
    has = np.isin(prompt, chosen)
    return cap.count_partial(np.where(has, y, np.nan), score, cluster=prompt), y, score, None, has


@dataclass(frozen=True)
class Asked:
    """A number, of the population or of these cases, and where it is cut."""

    name: str
    of: str = "population"
    cut: bool = False
    at_share: bool = False

    def options(self, design):
        """Return the cut-off."""
        if self.at_share:
            return {"q": design.more}
        return {"threshold": design.cutoff()} if self.cut else {}

    def truth(self, design, y, score, weight):
        """Return the true number."""
        place = {"q": design.more} if self.at_share else {"chosen": design.cutoff()}
        if self.of == "population":
            return number(self.name, *design.population(), **place)
        weight = np.ones(len(y)) if weight is None else weight
        many = int(design.law().shape[1])
        both = (np.bincount(score, weight * part, many)[::-1] for part in (y, ~y))
        return number(self.name, *both, **place)

    def __str__(self):
        """Return the number and its kind of cut-off."""
        return self.name + (" of a share" if self.at_share else " at a threshold" * self.cut)


BOTH = ("population", "cases")
AT_THRESHOLD = ("kappa", "captured", "precision", "lift")
NUMBERS = {
    "rows": [Asked(name, of) for name in ("prevalence", "auc") for of in BOTH]
    + [Asked("kappa", of, cut=True) for of in BOTH]
    + [Asked(name, of, cut=True) for name in AT_THRESHOLD[1:3] for of in BOTH]
    + [Asked("lift", cut=True)],
    # The lift is captured response over q.
    "shares": [Asked(name, of, at_share=True) for name in AT_THRESHOLD[1:3] for of in BOTH],
    "weights": [Asked("prevalence", of) for of in BOTH]
    + [Asked("auc"), Asked("kappa", cut=True), Asked("captured", cut=True)],
    "clusters": [Asked("prevalence", of) for of in BOTH] + [Asked("auc"), Asked("kappa", cut=True)],
}
DRAWS = {"rows": of_rows, "shares": of_rows, "weights": of_weights, "clusters": of_clusters}


def each_judge(*names):
    """Return judges with each of their strengths."""
    return [(name, each) for name in names or JUDGES for each in JUDGES[name][1]]


def every(step, judges, *others):
    """Return each so-manieth design of all combinations; step divides none of their numbers."""
    found = [Design(*judge, *rest) for judge, *rest in product(judges, *others)]
    return found[step // 2 :: step]


SHARES, CHOSEN = (0.02, 0.05, 0.1, 0.3, 0.5, 0.9), ("at random", "by score")
MANY, SOME = (400, 3000), (50, 100, 200)
PARTS = {
    "rows": every(25, each_judge(), SHARES, MANY, SOME, CHOSEN),
    "shares": every(173, each_judge(), SHARES[1:], MANY, SOME, CHOSEN, (0.1, 0.2, 0.5)),
    "weights": every(
        19,
        each_judge("five points", "five points, the ends", "continuous"),
        (0.05, 0.1, 0.3, 0.5),
        MANY,
        (100, 200),
        CHOSEN[:1],
        ("lognormal .5", "lognormal 1", "by score"),
    ),
    "clusters": every(
        7,
        each_judge("five points", "continuous")[1:],
        (0.1, 0.3, 0.7),
        (1000,),
        (150, 200),
        CHOSEN[:1],
        (0, 0.3, 0.6),
    ),
    "two": every(
        23,
        each_judge(*list(JUDGES)[:4], "continuous"),
        (0.05, 0.1, 0.3, 0.5),
        MANY,
        (50, 100, 200),
        CHOSEN,
        ("as good", "weaker"),
    ),
}


class Tally:
    """How often limits hold, miss, and are refused."""

    def __init__(self):
        """Start with no sample."""
        self.held, self.refused = [], 0

    def add(self, low, high, truth):
        """Count one sample."""
        # A limit may differ from a true number that is its end by a rounding.
        self.held.append((low > truth + 1e-9, high < truth - 1e-9, high - low))

    def row(self):
        """Return samples, shares that hold and miss on either side, median width, and refused."""
        if not self.held:
            return 0, "", "", "", "", self.refused
        above, below, width = np.array(self.held, dtype=float).T
        shares = (1 - above.mean() - below.mean(), above.mean(), below.mean(), np.median(width))
        return len(self.held), *(round(float(each), 4) for each in shares), self.refused


def coverage(part, design, numbers, runs, rng):
    """Return the tally of each number of a design, and how often few labels are somewhere."""
    found, marked = defaultdict(Tally), 0
    truths = {asked: asked.truth(design, *[None] * 3) for asked in numbers if asked.of == BOTH[0]}
    for _ in range(runs):
        counts, y, score, weight, has = DRAWS[part](design, rng)
        marked += few(score, has)
        for asked in numbers:
            told = {"labelled": design.chosen, "of": asked.of, **asked.options(design)}
            try:
                name = OPTIONS.get(asked.name, asked.name)
                low, high = cap.confidence_interval(counts, name, **told)
            except ValueError:
                found[asked].refused += 1
                continue
            truth = truths.get(asked) if asked in truths else asked.truth(design, y, score, weight)
            found[asked].add(low, high, truth)
    return [((str(asked), asked.of), found[asked], marked / runs) for asked in numbers]


def two_scores(design, runs, rng):
    """Return the tally of the difference of two accuracy ratios, and of the test of none."""
    strengths = JUDGES[design.judge][1]
    weaker = strengths[max(strengths.index(design.strength) - 1, 0)]
    other = Design(design.judge, weaker, *astuple(design)[2:])
    other = design if design.more == "as good" else other
    values = [2 * number("auc", *each.population()) - 1 for each in (design, other)]
    truth, found, marked = values[0] - values[1], Tally(), 0
    for _ in range(runs):
        y = rng.random(design.cases) < design.share
        noise = np.sqrt(0.5) * (rng.normal(size=design.cases) + rng.normal(size=(2, design.cases)))
        a, b = (drawn(s.law(), y, norm.cdf(u)) for s, u in zip((design, other), noise, strict=True))
        has = labelled(a, design.labels, design.chosen, rng)
        marked += few(a, has)
        counts = cap.count_partial(np.where(has, y, np.nan), {"a": a, "b": b})
        try:
            pair = cap.compare(counts, labelled=design.chosen).pairs[0]
        except ValueError:
            found.refused += 1
            continue
        found.add(pair.low, pair.high, truth)
    return [(("difference", "population"), found, marked / runs)]


def lowest(path, part, most):
    """Return the designs of the lowest cells of each number in a table, and these numbers."""
    places = [field.name for field in fields(Design)]
    names = {",".join(map(str, astuple(each))): each for each in PARTS[part]}
    cells = defaultdict(list)
    with Path(path).open(newline="") as file:
        for row in csv.DictReader(file):
            if row["covered"]:
                design = names[",".join(row[place] for place in places)]
                cells[row["metric"], row["of"]].append((float(row["covered"]), design))
    found = defaultdict(set)
    for cell, all_designs in cells.items():
        for _, design in sorted(all_designs, key=lambda each: each[0])[:most]:
            found[design].add(cell)
    return found


def main():
    """Write the table of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    for name, value in (("runs", 300), ("seed", 20261130)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--again")
    parser.add_argument("--lowest", type=int, default=8)
    parser.add_argument("--numbers", nargs="*")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    out = csv.writer(sys.stdout)
    out.writerow([*(field.name for field in fields(Design)), *HEAD])
    again = lowest(asked.again, asked.part, asked.lowest) if asked.again else None
    for design in again or PARTS[asked.part]:
        rng = np.random.default_rng([asked.seed, *str(design).encode()])
        if asked.part == "two":
            rows = two_scores(design, asked.runs, rng)
        else:
            numbers = [
                each for each in NUMBERS[asked.part] if str(each) in (asked.numbers or str(each))
            ]
            if again:
                numbers = [each for each in numbers if (str(each), each.of) in again[design]]
            rows = coverage(asked.part, design, numbers, asked.runs, rng)
        for name, tally, marked in rows:
            out.writerow([*astuple(design), *name, *tally.row(), round(marked, 3)])
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""How limits and tests fare, kind by kind, where a sample is of few cases, uneven, or lacks a kind.

    python benchmarks/limits_kinds.py run --out FILE.jsonl [--parts horizon,profit] [--runs 300]
    python benchmarks/limits_kinds.py table BEFORE.jsonl AFTER.jsonl

A line of FILE is one question to one population: how often the limits hold the true number, lie
above it, below it, how wide they are, or how often a test rejects. Limits that are refused are
counted apart. True numbers are those of 200,000 atoms. "wald", "logit" and others beside the
default are simple rules, to tell how wide limits must be.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from limits_populations import FIVE_EVEN_GRADES, Population, designs, named, rows
from limits_precision import counts_of, true_excess
from limits_runs import Cell, Question, answered, read_lines, worst_of
from scipy import stats

import capcurve as cap
from capcurve.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind = tuple[str, Any, Any]
Random = np.random.Generator
LEVEL = 0.05
RULES_OF_AUC = "".join(
    f"; AUC, {rule}: roc_auc method={rule}" for rule in ("newcombe", "logit", "wald")
)
AUC = "AUC both: roc_auc; AUC lower: roc_auc side=lower; AUC upper: roc_auc side=upper"
AT_HORIZON = """captured: captured_response q=0.12; precision: precision q=0.12; KS: ks;
    partial AUC: partial_auc max_fpr=0.15; AP: average_precision; AURC: aurc;
    risk: selective_risk coverage=0.8; BEDROC: bedroc; captured, cut-off: captured_response cut=0.2;
    precision, cut-off: precision cut=0.2"""
OF_ODD_CASES = """average_precision: average_precision; bedroc: bedroc;
    average_precision, wald: average_precision method=wald; bedroc, wald: bedroc method=wald;
    average_precision, logit: average_precision method=logit_t;
    selective_risk: selective_risk coverage=0.8;
    selective_risk, wald: selective_risk coverage=0.8 method=wald"""
# Of summaries: each number, and the simple rules beside its default.
NUMBERS = {
    "roc_auc": ("newcombe", "logit", "wald"),
    "captured_response q=0.1": ("logit", "wald"),
    "precision q=0.1": ("logit", "wald"),
    "ks": ("bootstrap",),
    "partial_auc max_fpr=0.1": ("bootstrap",),
    "average_precision": ("wald", "logit_t"),
    "prevalence": ("wilson", "clopper_pearson", "jeffreys"),
    "aurc": ("wald", "logit_t"),
    "excess_aurc": ("wald", "logit_t"),
    "augrc": ("wald", "logit_t"),
    "bedroc": ("wald", "logit_t"),
    "partial_accuracy_ratio max_q=0.1": ("wald", "logit_t"),
    "selective_risk coverage=0.8": ("wald",),
}


@dataclass(frozen=True)
class Known(Population):
    """A population of which all numbers are known."""

    @cached_property
    def whole(self) -> Any:
        """Return its atoms."""
        return counts_of(self)


def of(kind: Kind, prevalence: float, n1: int, **options: Any) -> Known:
    """Return a population of a kind, and how many positives a sample has."""
    return Known(*kind, prevalence, n1, **options)


def counted(population: Known, rng: Random) -> Any:
    """Return the counts of one sample."""
    return cap.count_scores(*rows(population, rng))


def true(population: Known, metric: str, **options: Any) -> float:
    """Return the number of the whole population."""
    if metric in {"roc_auc", "ks", "prevalence"}:
        return float(getattr(population, {"roc_auc": "auc"}.get(metric, metric)))
    if metric == "partial_auc":
        return population.partial_auc(options["max_fpr"])
    rate, (q, captured) = population.prevalence, population.cap
    if "threshold" in options:
        tpr, fpr = (
            s.sf(options["threshold"]) for s in (population.positives, population.negatives)
        )
        selected = rate * tpr + (1 - rate) * fpr
        return float(tpr if metric == "captured_response" else rate * tpr / selected)
    if metric == "profit":
        best = (options["value"] * rate * captured - options["cost"] * q).max()
        return population.n * max(0.0, float(best))
    if metric == "excess_aurc":
        return float(true_excess(population.whole))
    return float(METRICS[metric].given(**options).value(population.whole))


def questions(population: Known, text: str) -> dict[str, Question]:
    """Return the questions of a text, such as "at a tenth: captured_response q=0.1; KS: ks"."""
    asks = {}
    for part in text.split(";"):
        name, _, asked = part.strip().partition(": ")
        metric, *options = asked.split()
        how = {k: _number(v) for k, _, v in (option.partition("=") for option in options)}
        if "cut" in how and population.graded:
            continue
        if "cut" in how:  # a share of the negatives
            how["threshold"] = float(
                np.interp(how.pop("cut"), population.roc[0][1:-1], population.cuts)
            )
        asks[name] = ask(population, metric, **how)
    return asks


def _number(text: str) -> Any:
    return text if text[0].isalpha() else float(text)


def ask(population: Known, metric: str, **options: Any) -> Question:
    """Return a question about limits; how they are made does not move the true number."""
    how = {k: options.pop(k) for k in ("side", "method", "replicates") if k in options}
    if how.get("method") == "bootstrap":
        how["replicates"] = 200
    truth = true(population, metric, **options)
    return truth, lambda c: cap.confidence_interval(c, metric, **options, **how)


def populations(text: str) -> Iterator[Known]:
    """Yield those of a text of kinds, positives and prevalences, or sizes of both classes."""
    for each, n1, *more in designs(text):
        fixed = more[0] > 1
        rate = n1 / (n1 + more[0]) if fixed else more[0]
        yield of(each, rate, int(n1), fixed=fixed)


def cells(part: str, text: str, asked: str) -> Iterator[Cell]:
    """Yield populations of which the same is asked."""
    for one in populations(text):
        yield Cell(part, str(one), partial(counted, one), questions(one, asked))


def followed(population: Known, gone: float, rng: Random) -> tuple[Any, Any]:
    """Return rows of which a share is censored by time 1, if nothing happens, and those at 1."""
    y, score = rows(population, rng)
    event = np.where(y, 0.0, 1.0) + rng.random(len(y))
    left = rng.exponential(-1 / np.log1p(-gone), len(y)) if gone else np.full(len(y), np.inf)
    times = cap.count_times(np.minimum(event, left), (event <= left).astype(int), score)
    return times, times.at(1.0)


def true_integrated(population: Known) -> float:
    """Return the mean accuracy ratio at half the time and at the end; events are even in time."""
    half, auc = population.prevalence / 2, population.auc
    early = ((1 - population.prevalence) * auc + half / 2) / (1 - half)
    return float((2 * early - 1 + 2 * auc - 1) / 2)


def horizons(part: str, text: str, asked: str, *, integrated: bool = False) -> Iterator[Cell]:
    """Yield the same at a horizon; the last number of a line is the share that is censored."""
    mean = partial(cap.integrated_accuracy_ratio, horizons=[0.5, 1.0])
    for each, n1, rate, gone in designs(text):
        one = of(each, rate, int(n1))
        asks = {
            name: (truth, lambda s, limits=limits: limits(s[1]))
            for name, (truth, limits) in questions(one, asked).items()
        }
        if integrated:
            asks["integrated"] = true_integrated(one), lambda s: mean(s[0])
        yield Cell(part, f"{one}, {gone:.0%} censored", partial(followed, one, gone), asks)


def profits() -> Iterator[Cell]:
    """Yield the profit of the best cut-off."""
    text = """
        six grades of logistic 0.75 | 25 | 0.05
        logistic 0.8 | 50 | 0.1
        gamma 0.92 | 20 | 0.04
        Laplace 0.65 | 80 | 0.3
    """
    even = [of(FIVE_EVEN_GRADES, 0.1, 40), of(FIVE_EVEN_GRADES, 0.25, 150)]
    for one in (*even, *populations(text)):
        costs = {times: min(times * one.prevalence, 0.9) for times in (0.6, 1.5, 3.0)}
        asked = "; ".join(f"profit, cost {t:g}: profit value=1 cost={c}" for t, c in costs.items())
        yield Cell("best profit", str(one), partial(counted, one), questions(one, asked))


def perfect(rng: Random) -> tuple[Any, float, float]:
    """Return a perfect sample of any size, a share and a weight of early places."""
    n1, n0 = int(rng.integers(8, 80)), int(rng.integers(20, 900))
    counts = cap.count_scores(np.arange(n1 + n0) < n1, -np.arange(n1 + n0))
    return counts, rng.choice([0.05, 0.1, 0.3]), rng.uniform(5, 60)


def perfects() -> Iterator[Cell]:
    """Yield perfect samples; a fault is a lower limit at or below that of a worthless score."""

    def fault(metric: str, place: int, option: str) -> Question:
        ask_low = partial(cap.confidence_interval, metric=metric)
        return None, lambda s: bool(ask_low(s[0], **{option: float(s[place])}).low <= 0.02)

    asks = {"partial AR": fault("partial_accuracy_ratio", 1, "max_q")}
    asks["BEDROC"] = fault("bedroc", 2, "alpha")
    yield Cell("perfect samples", "8 to 80 positives", perfect, asks)


def portfolios() -> Iterator[Cell]:
    """Yield grades with right PDs and few defaults."""
    for grades, mean, n in ((6, 0.004, 1500), (9, 0.006, 2500), (8, 0.002, 4000), (5, 0.03, 800)):
        pds = mean * 1.8 ** (np.arange(grades) - grades / 2)
        share = stats.binom.pmf(np.arange(grades), grades - 1, 0.45)

        def draw(rng: Random, pds=pds, share=share, n=n) -> Any:
            cases = np.maximum(rng.multinomial(n, share), 1)
            bad = rng.binomial(cases, pds)
            return cap.ScoreCounts.from_counts(pds[::-1], bad[::-1], (cases - bad)[::-1])

        named = None, lambda c: bool((cap.pd_tests(c)["p_adjusted"] <= LEVEL).any())
        name = f"{grades} grades, PD {pds @ share:.1%}, {n} cases"
        yield Cell("grades, Jeffreys", name, draw, {"any named": named})


def obligors(each: Kind, many: int, spread: float, rng: Random) -> Any:
    """Return clusters of log-normal size, a quarter of them worse, whose scores correlate."""
    size = np.ceil(np.exp(spread * rng.normal(size=many))).astype(int)
    obligor = np.repeat(np.arange(many), np.minimum(size, 2000))
    worse = rng.random(many) < 0.25
    y = rng.random(len(obligor)) < np.where(worse, 0.5, 0.02)[obligor]
    shared = rng.normal(size=many)[obligor] * 0.7
    chance = stats.norm.sf(shared + np.sqrt(0.51) * rng.normal(size=len(obligor)))
    return cap.count_scores(y, np.where(y, *(d.isf(chance) for d in each[1:])), cluster=obligor)


def clusters() -> Iterator[Cell]:
    """Yield obligors with very different numbers of rows."""
    designed = (("logistic 0.75", 160, 1.7), ("gamma 0.9", 220, 2.2), ("Laplace 0.8", 120, 1.2))
    for name, many, spread in designed:
        one = of(named(name), 0.14, 100)
        asks = {
            "prevalence": ask(one, "prevalence"),
            "precision": ask(one, "precision", q=0.1),
            "precision, cut-off": ask(one, "precision", threshold=float(one.negatives.isf(0.15))),
            "AUC": ask(one, "roc_auc"),
            "AP": ask(one, "average_precision"),
        }
        draw = partial(obligors, named(name), many, spread)
        yield Cell("uneven clusters", f"{name}, {many} obligors, sigma {spread}", draw, asks)


def amounts() -> Iterator[Cell]:
    """Yield amounts of a few sizes, of which large ones are rare; the chances go with the score."""
    sizes, u = np.array([0.0, 1.0, 4.0, 30.0]), (np.arange(20_000) + 0.5) / 20_000
    numbers = {"accuracy_ratio": {}, "aurc": {}, "excess_aurc": {}}
    numbers["selective_risk"] = {"coverage": 0.8}
    for base, slope, n in (
        ((0.6, 0.3, 0.08, 0.02), (0, 1, 2, 2), 250),
        ((0.6, 0.36, 0.0, 0.04), (0, 2, 2, 4), 200),
        ((0.9, 0.05, 0.04, 0.01), (0, 3, 3, 3), 600),
        ((0.3, 0.5, 0.2, 0.0), (0, 1, 3, 0), 100),
    ):

        def chances(u, base=base, slope=slope) -> np.ndarray:
            odds = np.asarray(base) * np.exp(np.multiply.outer(u - 0.5, slope))
            return odds / odds.sum(axis=-1, keepdims=True)

        def draw(rng: Random, chances=chances, n=n) -> Any:
            u = rng.random(n)
            which = (rng.random((n, 1)) > np.cumsum(chances(u), axis=1)).sum(axis=1)
            return cap.count_values(sizes[np.minimum(which, 3)], u)

        mass = chances(u).ravel() / len(u)
        some = mass > 0
        paid, score = mass * np.tile(sizes, len(u)), np.repeat(u, 4)
        whole, asks = cap.count_values(paid[some], score[some], exposure=mass[some]), {}
        for name, how in numbers.items():
            limits = partial(cap.confidence_interval, metric=name, **how)
            asks[name] = float(METRICS[name].given(**how).value(whole)), limits
        yield Cell("amounts", f"{base}, slopes {slope}, {n} rows", draw, asks)


def case_control() -> Iterator[Cell]:
    """Yield samples of all positives and one negative in k, by weights and by a prevalence."""
    for each, rate, k, size in designs("""
        logistic 0.8 | 0.02 | 25 | 40
        gamma 0.9 | 0.04 | 12 | 60
        Laplace 0.85 | 0.05 | 15 | 100
        logistic 0.95 | 0.01 | 40 | 30
    """):
        n1, n0 = int(size), round(size / rate * (1 - rate) / k)
        stated = n1 / (n1 + k * n0)
        one, sample = of(each, stated, n1), of(each, n1 / (n1 + n0), n1, fixed=True)

        def draw(rng: Random, sample=sample, k=k) -> tuple[Any, Any]:
            y, score = rows(sample, rng)
            weighted = cap.count_scores(y, score, weight=np.where(y, 1, k), weight_kind="sampling")
            return weighted, cap.count_scores(y, score)

        asks: dict[str, Question] = {}
        for name, how in (("average_precision", {}), ("precision", {"q": 0.05}), ("bedroc", {})):
            truth = true(one, name, **how)
            limits = partial(cap.confidence_interval, metric=name, **how)
            asks[f"{name}, weights"] = truth, lambda s, limits=limits: limits(s[0])
            told = partial(limits, prevalence=stated)
            if name != "bedroc":
                asks[f"{name}, prevalence="] = truth, lambda s, told=told: told(s[1])
        yield Cell("case-control", f"{each[0]}, {rate:.0%}, 1 in {k:g}, {n1} positives", draw, asks)


def strengths() -> str:
    """Return scores of every strength and size, without odd positives."""
    families, lines = ("logistic", "gamma", "Laplace"), []
    for place, (auc, n1) in enumerate(
        product((0.7, 0.8, 0.9, 0.95, 0.97, 0.99), (10, 20, 30, 100, 300))
    ):
        lines += [f"{families[(place + i) % 3]} {auc:g} | {n1} | {10 * n1}" for i in range(2)]
    for auc, n1 in product((0.8, 0.95), (20, 100)):
        lines.append(f"six grades of logistic {auc:g} | {n1} | {10 * n1}")
    return "\n".join(lines)


def of_all(names: tuple[str, ...], sizes: tuple[str, ...]) -> str:
    """Return every kind with every size, a line each."""
    return "\n".join(f"{name} | {size}" for name, size in product(names, sizes))


def odd_positives() -> str:
    """Return strong scores of which some positives are odd, in shares that samples often lack."""
    shares = (
        "13.0% {} | 14 | 140",
        "8.0% {} | 25 | 250",
        "3.5% {} | 60 | 600",
        "2.0% {} | 110 | 1100",
    )
    bases = ("logistic 0.97", "gamma 0.99")
    found = product(bases, ("alike", "anywhere", "below"), shares)
    return "\n".join(f"{base}, {share.format(where)}" for base, where, share in found)


def summaries() -> str:
    """Return the questions about the numbers of a summary, by the default and by simple rules."""
    found = []
    for asked, rules in NUMBERS.items():
        name = asked.split()[0]
        found += [f"{name}: {asked}", *(f"{name}, {rule}: {asked} method={rule}" for rule in rules)]
    return "; ".join(found)


PARTS: dict[str, Callable[[], Iterator[Cell]]] = {
    "horizon": partial(
        horizons,
        "horizon AUC",
        """logistic 0.75 | 25 | 0.08 | 0.01
        logistic 0.75 | 40 | 0.2 | 0.6
        gamma 0.93, 7.0% below | 25 | 0.05 | 0.02
        logistic 0.97, 4.0% below | 35 | 0.1 | 0.3
        Laplace 0.97, 9.0% alike | 18 | 0.06 | 0.15
        logistic 0.95, 15.0% below | 12 | 0.1 | 0.05
        gamma 0.98, 6.0% anywhere | 30 | 0.1 | 0.6
        gamma 0.97 | 30 | 0.1 | 0.4
        six grades of logistic 0.85 | 40 | 0.2 | 0.5""",
        AUC,
        integrated=True,
    ),
    "horizon-numbers": partial(
        horizons,
        "horizon others",
        """block on logistic 0.8 | 60 | 0.15 | 0.01
        block on logistic 0.8 | 60 | 0.15 | 0.3
        block on logistic 0.8 | 60 | 0.15 | 0.6
        gamma 0.9 | 30 | 0.1 | 0.0
        gamma 0.9 | 30 | 0.1 | 0.4
        logistic 0.97 | 25 | 0.05 | 0.2
        six grades of gamma 0.8 | 50 | 0.2 | 0.6""",
        AT_HORIZON,
    ),
    "errors": partial(
        cells,
        "AURC",
        """logistic 0.85 | 22 | 0.2
        gamma 0.75 | 120 | 0.15
        six grades of Laplace 0.85 | 60 | 0.25
        logistic 0.95, 6.0% below | 25 | 0.2
        gamma 0.98, 6.0% below | 25 | 0.2
        logistic 0.95, 3.0% below | 45 | 0.12
        gamma 0.98, 3.0% below | 45 | 0.12
        logistic 0.95, 1.0% below | 150 | 0.2
        gamma 0.98, 1.0% below | 150 | 0.2
        logistic 0.95, 0.4% below | 500 | 0.25
        gamma 0.98, 0.4% below | 500 | 0.25
        logistic 0.97, 5.0% anywhere | 30 | 0.15""",
        "aurc: aurc; excess_aurc: excess_aurc; aurc, wald: aurc method=wald",
    ),
    "odd": partial(
        cells,
        "odd cases",
        """logistic 0.985 | 120 | 0.1
        gamma 0.99 | 40 | 0.1
        logistic 0.995, 0.8% below | 180 | 0.1
        gamma 0.995, 2.0% alike | 60 | 0.1
        Laplace 0.99, 1.0% anywhere | 120 | 0.1
        six grades of logistic 0.98 | 50 | 0.1""",
        OF_ODD_CASES,
    ),
    "profit": profits,
    "perfect": perfects,
    "grades": portfolios,
    "clusters": clusters,
    "amounts": amounts,
    "case-control": case_control,
    "partial": partial(
        cells,
        "partial AUC",
        of_all(
            (
                "logistic 0.97",
                "gamma 0.985",
                "Laplace 0.98",
                "logistic 0.98, 8.0% alike",
                "gamma 0.99, 5.0% below",
            ),
            ("15 | 500", "15 | 2500", "30 | 600"),
        ),
        "partial_auc, 0.05: partial_auc max_fpr=0.05; partial_auc, 0.2: partial_auc max_fpr=0.2",
    ),
    "auc": partial(cells, "AUC", strengths(), AUC + RULES_OF_AUC),
    "auc-odd": partial(cells, "AUC, odd positives", odd_positives(), AUC + RULES_OF_AUC),
    "numbers": partial(
        cells,
        "every number",
        of_all(
            ("logistic 0.75", "gamma 0.9", "Laplace 0.97", "six grades of logistic 0.85"),
            ("20 | 0.1", "60 | 0.05", "200 | 0.1"),
        ),
        summaries(),
    ),
}


def main(parts: dict[str, Callable[[], Iterator[Cell]]]) -> None:
    """Add the lines of all cells whose names hold a text to a file, or print the worst of them."""
    parser = argparse.ArgumentParser(description="How limits and tests fare, kind by kind.")
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--parts", default=",".join(parts))
    parser.add_argument("--only", default="", help="cells whose names hold this")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261128)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.what == "table":
        print(*worst_of(*map(read_lines, given.files)), sep="\n")
        return
    for cell in (cell for part in given.parts.split(",") for cell in parts[part]()):
        if given.only in cell.name:
            lines = [json.dumps(line) + "\n" for line in answered(cell, given.runs, given.seed)]
            with given.out.open("a") as file:
                file.writelines(lines)


if __name__ == "__main__":
    main(PARTS)

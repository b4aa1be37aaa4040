"""How tests of two and more scores, and of two samples, fare with few positives and odd ones.

    python benchmarks/limits_compared.py run --out FILE.jsonl [--parts pairs] [--runs 300]
    python benchmarks/limits_compared.py table BEFORE.jsonl AFTER.jsonl

Lines are those of `limits_kinds.py`. "size" is how often a test rejects where nothing differs,
"power" where something does.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from limits_kinds import Known, Random, counted, followed, main, of
from limits_populations import designs, named
from limits_ranking import once
from limits_runs import Cell, Question
from scipy import stats

import capcurve as cap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEVEL = 0.05


def rejects(test: Callable[[Any], Any]) -> Question:
    """Return a question that is a test: whether its p-value is at most the level."""
    return None, lambda sample: test(sample).p_value <= LEVEL


def at_horizon() -> Iterator[Cell]:
    """Yield two samples that rank alike at a horizon."""
    for each, *sizes in designs("""
        logistic 0.96, 7.0% below | 15 | 90
        gamma 0.9 | 12 | 60
        Laplace 0.95, 10.0% alike | 20 | 20
    """):
        pair = [of(each, 0.1, int(n1)) for n1 in sizes]
        name = f"{each[0]}, {pair[0].n1} and {pair[1].n1} positives"
        draw = partial(lambda pair, rng: [followed(one, 0.2, rng)[1] for one in pair], pair)
        asks = {"size": rejects(lambda two: cap.compare_independent(*two))}
        yield Cell("horizon compare", name, draw, asks)


def joint(populations: list[Known], correlation: float, rng: Random) -> Any:
    """Return joint counts of several scores of the same rows, whose errors correlate."""
    first = populations[0]
    positive, shared = np.arange(first.n) < first.n1, rng.normal(size=first.n)
    scores = {}
    for place, one in enumerate(populations):
        own = np.sqrt(1 - correlation) * rng.normal(size=first.n)
        chance = stats.norm.sf(np.sqrt(correlation) * shared + own)
        both = (np.searchsorted(side, chance) for side in one.roc[::-1])
        scores[f"s{place}"] = -np.where(positive, *both)
    return cap.count_joint(positive, scores)


def pairs() -> Iterator[Cell]:
    """Yield two scores of the same rows: equally good ones, and one better than the other."""
    for first, second, n1, correlation in designs("""
        logistic 0.97 | logistic 0.97 | 40 | 0.5
        logistic 0.985, 2.0% alike | logistic 0.985, 2.0% alike | 80 | 0.5
        gamma 0.85 | gamma 0.85 | 25 | 0.8
        logistic 0.985, 2.0% alike | logistic 0.93 | 80 | 0.5
        logistic 0.99 | logistic 0.975 | 60 | 0.6
        gamma 0.9 | gamma 0.8 | 40 | 0.6
    """):
        what, asks = "size" if first is second else "power", {}
        for metric, law in product(("average_precision", "aurc"), ("t", "normal")):
            test = partial(cap.compare, metric=metric, law=law)
            asks[f"{what} {metric}, {law}"] = rejects(lambda j, test=test: test(j).pairs[0])
        both = [of(each, 0.1, int(n1)) for each in (first, second)]
        name = f"{first[0]} / {second[0]}, {int(n1)} positives, correlation {correlation}"
        yield Cell("compare AP, AURC", name, partial(joint, both, correlation), asks)


def together() -> Iterator[Cell]:
    """Yield several scores of the same rows, all of whose differences are to hold at once."""
    for aucs, n1, correlation, family in (
        ((0.75, 0.75, 0.75, 0.75), 60, 0.6, "logistic"),
        ((0.7, 0.74, 0.78, 0.82, 0.86, 0.9), 80, 0.5, "gamma"),
        ((0.8,) * 8, 50, 0.7, "Laplace"),
        ((0.9, 0.93, 0.95, 0.96, 0.97), 40, 0.3, "logistic"),
    ):
        several = [of(named(f"{family} {auc:g}"), 0.1, n1) for auc in aucs]
        gaps = [2 * (a.auc - b.auc) for a, b in combinations(several, 2)]
        compared = once(cap.compare)

        def missed(sample, gaps=gaps, compared=compared) -> bool:
            found = zip(compared(sample).pairs, gaps, strict=True)
            return any(not pair.low <= gap <= pair.high for pair, gap in found)

        def disagree(sample, compared=compared) -> bool:
            found = compared(sample).pairs
            return any((p.p_adjusted <= LEVEL) == (p.low <= 0 <= p.high) for p in found)

        asks = {"size any limit misses": (None, missed), "limits and p disagree": (None, disagree)}
        name = f"{len(aucs)} scores, {family} {aucs[0]:g} to {aucs[-1]:g}, {n1} positives"
        yield Cell("all together", name, partial(joint, several, correlation), asks)


def two_samples() -> Iterator[Cell]:
    """Yield two separate samples that rank alike, and that do not."""
    for first, second, *sizes in designs("""
        logistic 0.8 | logistic 0.8 | 12 | 60
        Laplace 0.97 | Laplace 0.97 | 20 | 200
        gamma 0.95, 7.0% below | gamma 0.95, 7.0% below | 15 | 100
        logistic 0.95 | logistic 0.85 | 30 | 30
        gamma 0.97 | gamma 0.92 | 60 | 60
        Laplace 0.99 | Laplace 0.96 | 100 | 100
    """):
        pair = [of(e, 0.1, int(n1)) for e, n1 in zip((first, second), sizes, strict=True)]
        what, asks = "size" if first is second else "power", {}
        for law in ("mover", "welch", "normal"):
            test = partial(cap.compare_independent, law=law)
            asks[f"{what} {law}"] = rejects(lambda two, test=test: test(*two))
        name = f"{first[0]} / {second[0]}, {pair[0].n1} and {pair[1].n1} positives"
        draw = partial(lambda pair, rng: [counted(one, rng) for one in pair], pair)
        yield Cell("two samples", name, draw, asks)


PARTS: dict[str, Callable[[], Iterator[Cell]]] = {
    "horizon-compare": at_horizon,
    "pairs": pairs,
    "together": together,
    "two-samples": two_samples,
}

if __name__ == "__main__":
    main(PARTS)

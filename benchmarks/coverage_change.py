"""How often intervals of the parts of a change contain the true part.

    python benchmarks/coverage_change.py 2000 20261122 > FILE.csv

Scores are normal within each class of each segment, so that every chance of outranking and every
true part is known. Populations differ in the number of segments, in how many positives each has in
each sample, and in what changes: the mix, the ranking within or between segments, or nothing. With
clusters every obligor is in both samples, with a score and an outcome that last. One line per
population: which share of the intervals of each part that are given holds it, and which share of
the tests of the change finds one (without one: the level).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from limits_runs import study
from scipy.special import ndtr

import capcurve as cap

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS = ("mix", "mix_positives", "mix_negatives", "within", "between")
CHANGES = ("nothing", "mix", "within", "between", "all")
NEGATIVES_EACH = 6


@dataclass(frozen=True)
class Sample:
    """Shares of segments by class, and means of the scores of both classes by segment."""

    a: np.ndarray
    b: np.ndarray
    high: np.ndarray
    low: np.ndarray

    def chances(self):
        """Return how often a positive of one segment outranks a negative of another."""
        return ndtr((self.high[:, None] - self.low[None, :]) / np.sqrt(2))

    def drawn(self, rng, positives):
        """Return a sample with so many positives, by segment."""
        n1, n0 = positives * len(self.a), NEGATIVES_EACH * positives * len(self.a)
        of1 = rng.choice(len(self.a), n1, p=self.a)
        of0 = rng.choice(len(self.b), n0, p=self.b)
        score = np.concatenate([self.high[of1], self.low[of0]]) + rng.normal(size=n1 + n0)
        y = np.repeat([1, 0], [n1, n0])
        return cap.count_segments(y, score, by=np.concatenate([of1, of0]))


def truth(before, after):
    """Return the true parts of the change of the AUC."""
    mean = (before.chances() + after.chances()) / 2
    moved = after.chances() - before.chances()
    weight = (np.outer(before.a, before.b) + np.outer(after.a, after.b)) / 2
    positives = (after.a - before.a) @ mean @ (before.b + after.b) / 2
    negatives = (before.a + after.a) / 2 @ mean @ (after.b - before.b)
    within = float(np.diag(weight) @ np.diag(moved))
    return {
        "mix": positives + negatives,
        "mix_positives": positives,
        "mix_negatives": negatives,
        "within": within,
        "between": float((weight * moved).sum()) - within,
    }


def population(segments, change):
    """Return two samples that differ in one way."""
    place = np.linspace(-1, 1, segments)
    even = np.full(segments, 1 / segments)
    tilted = (1 + 0.6 * place) / segments
    old = Sample(even, even[::-1], 1 + 0.7 * place, 0.7 * place)
    new = {
        "nothing": old,
        "mix": Sample(tilted, (1 + 0.3 * place) / segments, old.high, old.low),
        "within": Sample(even, even, old.high - 0.4, old.low),
        "between": Sample(even, even, old.high - 0.5 * place, old.low - 0.5 * place),
        "all": Sample(tilted, even, old.high - 0.4 - 0.3 * place, old.low - 0.3 * place),
    }[change]
    return old, new


def uneven(change):
    """Return two samples of three segments, of 80, 10 and 10 of 100 cases."""
    old, new = population(3, change)
    shares = np.array([0.8, 0.1, 0.1])
    tilted = 0.6 * shares + 0.4 * shares[::-1] if change == "all" else shares
    return Sample(shares, shares, old.high, old.low), Sample(tilted, shares, new.high, new.low)


def clustered(rng, obligors):
    """Return two periods of the same obligors, with and without a change to find: none."""
    product = rng.integers(0, 3, obligors)
    lasting = rng.normal(size=obligors) + 0.7 * product
    both = []
    for _ in range(2):
        y = (lasting + rng.normal(size=obligors) > 2).astype(int)
        score = lasting + 0.5 * rng.normal(size=obligors)
        both.append(cap.count_segments(y, score, by=product, cluster=np.arange(obligors)))
    return both


@dataclass(frozen=True)
class Change:
    """Two samples that are drawn, the true parts of their change, and what seeds them."""

    name: str
    draw: Callable[[np.random.Generator], tuple]
    truth: dict[str, float]
    seeds: tuple[int, ...]

    def __str__(self):
        return self.name


def explained(change, rng):
    """Say of two samples which intervals hold, which are given, and whether a test rejects."""
    why = cap.attribute_change(*change.draw(rng), metric="roc_auc")
    given = {part: not np.isnan(why.parts[part].low) for part in PARTS}
    held = {
        part: why.parts[part].low <= change.truth[part] <= why.parts[part].high
        if given[part]
        else np.nan
        for part in PARTS
    }
    limits = {f"{part}, limits given": given[part] for part in PARTS[3:]}
    return {**held, **limits, "rejected": why.change.p_value < 0.05}


def of_two(name, samples, positives, *seeds):
    """Return the change between two samples with so many positives of each segment."""
    old, new = samples

    def draw(rng):
        return old.drawn(rng, positives), new.drawn(rng, positives)

    return Change(name, draw, truth(old, new), seeds)


def populations():
    """Yield each change that is drawn."""
    for segments in (2, 5, 30):
        for positives in (2, 10, 40):
            for change in CHANGES if segments == 5 else ("nothing", "all"):
                name = f"{segments} segments, {positives} positives each, {change}"
                yield of_two(name, population(segments, change), positives, segments, positives)
    for positives in (3, 12, 40):
        for change in ("nothing", "all"):
            name = f"80/10/10, {3 * positives} positives, {change}"
            yield of_two(name, uneven(change), positives, positives)
    for obligors in (300, 2000):
        none, draw = dict.fromkeys(PARTS, 0.0), partial(clustered, obligors=obligors)
        yield Change(f"clusters, {obligors} obligors", draw, none, (obligors,))


def main(runs="2000", seed="20261122"):
    """Write one line per population."""
    study(populations(), explained, int(runs), lambda change: [int(seed), *change.seeds])


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Coverage of the limits of trials: draw from populations whose uplift is known, and count.

`python benchmarks/uplift.py [samples]` writes shares of samples as csv;
`python benchmarks/uplift.py profits [samples]` that of the best share at a cost of the mean effect.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from limits_runs import study

import capcurve as cap

ASKED = (
    ("Qini", "qini", {}),
    ("AUTOC", "autoc", {}),
    ("uplift of the top 10%", "uplift", {"q": 0.1}),
    ("30%", "uplift", {"q": 0.3}),
)
GRID = (np.arange(200_000) + 0.5) / 200_000  # shares of cases, best first


@dataclass(frozen=True)
class Population:
    """A score that is uniform, best near 0, and the outcomes of both arms along it."""

    name: str
    n: int
    treated: float  # share of cases that are treated
    rate: float  # of the control cases, the same at all scores
    effect: float  # on average
    steep: float  # how far effects differ: from effect·(1 + steep) to effect·(1 - steep)
    grades: int = 0  # how many different scores there are; 0 for any number
    sizes: float = 0.0  # σ of log-normal amounts of those with an outcome; 0 for yes and no

    def effects(self, u):
        """Return effects on rates along the score."""
        return self.effect * (1 + self.steep * (1 - 2 * u))

    @property
    def mean(self):
        """The mean amount of an outcome."""
        return float(np.exp(self.sizes**2 / 2)) if self.sizes else 1.0

    def __str__(self):
        return self.name

    @cached_property
    def truth(self):
        """The true Qini, AUTOC and uplift of the top 10% and 30%."""
        u = GRID if not self.grades else (np.ceil(GRID * self.grades) - 0.5) / self.grades
        gains = np.cumsum(self.effects(u)) / len(GRID) * self.mean
        shares = (np.arange(len(GRID)) + 1) / len(GRID)
        toc = gains / shares - gains[-1]
        qini, autoc = float((toc * shares).mean()), float(toc.mean())
        tops = [float(np.interp(q, shares, gains) / q) for q in (0.1, 0.3)]
        return qini, autoc, *tops

    def draw(self, rng):
        """Return outcomes, arms, a score and a worse one."""
        u = rng.random(self.n)
        if self.grades:
            u = (np.ceil(u * self.grades) - 0.5) / self.grades
        arm = rng.random(self.n) < self.treated
        won = (rng.random(self.n) < self.rate + arm * self.effects(u)).astype(float)
        if self.sizes:
            won *= rng.lognormal(0, self.sizes, self.n)
        return won, arm, -u, -u + rng.normal(0, 0.5, self.n)


POPULATIONS = [
    Population("30 controls", 300, 0.9, 0.2, 0.1, 1.0),
    Population("rare outcomes", 2000, 0.5, 0.03, 0.02, 1.0),
    Population("reversed effects", 600, 0.4, 0.3, 0.05, 4.0),
    Population("seven grades", 1000, 0.7, 0.15, 0.06, 1.0, grades=7),
    Population("constant effect", 500, 0.25, 0.25, 0.1, 0.0),
    Population("no effect", 1500, 0.15, 0.08, 0.0, 0.0),
    Population("revenue, σ 1", 2000, 0.8, 0.1, 0.06, 1.0, sizes=1.0),
]


def held(population, rng):
    """Say of a sample which true numbers lie within their limits, and which tests reject."""
    counts = cap.count_uplift_values if population.sizes else cap.count_uplift
    joint = cap.count_joint_uplift_values if population.sizes else cap.count_joint_uplift
    outcome, arm, score, _ = population.draw(rng)
    trial, found = counts(outcome, arm, score), {}
    for truth, (name, metric, share) in zip(population.truth, ASKED, strict=True):
        limits = cap.confidence_interval(trial, metric, **share)
        found[name] = limits.low <= truth <= limits.high
    found["qini_test rejects"] = cap.qini_test(trial).p_value < 0.05
    one, other = rng.random((2, len(score)))  # neither of these tells anything
    both = cap.compare(joint(outcome, arm, {"one": one, "other": other}), metric="qini")
    return found | {"compare rejects": both.pairs[0].p_value < 0.05}


def of_profits(population, rng):
    """Say of a sample whether limits miss the best profit, and hold the best share."""
    # At a cost of the mean effect half of the cases should be treated.
    cost = population.effect * population.mean
    best = cost * population.steep / 4
    count = cap.count_uplift_values if population.sizes else cap.count_uplift
    outcome, arm, score, _ = population.draw(rng)
    share = cap.best_share(count(outcome, arm, score), value=1, cost=cost)
    return {
        "profit above its limits": share.profit_high < best,
        "below": share.profit_low > best,
        "best share held": share.low <= 0.5 <= share.high,
    }


def main(what=held, samples="200"):
    """Write a line for each population."""
    chosen, first = POPULATIONS, 7_000
    if what is of_profits:
        chosen, first = [one for one in chosen if one.steep and not one.grades], 8_000
    study(chosen, what, int(samples), lambda one: first + POPULATIONS.index(one))


if __name__ == "__main__":
    if sys.argv[1:2] == ["profits"]:
        main(of_profits, *sys.argv[2:])
    else:
        main(held, *sys.argv[1:])

"""How often limits at a horizon hold: simulated samples whose true numbers are known.

python benchmarks/horizon.py 400      # so many samples a cell; the table as csv
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
from limits_runs import study

import capcurve as cap

HORIZON = 1.0
TRUTH = 2_000_000
SHARES = (0.1, 0.3)


@dataclass(frozen=True)
class Design:
    """Rows whose event comes the sooner, the higher their score is."""

    rows: int
    incidence: float  # share that has the event by the horizon
    gone: float  # share that is censored before the horizon, had it no event
    effect: float  # log hazard per standard deviation of the score
    kind: str = "normal"  # or "skewed", "grades", "competing", "vintages"
    cluster: int = 1

    def __str__(self) -> str:
        what = f"{self.rows} rows, {self.incidence:.0%} events, {self.gone:.0%} censored, "
        more = f", clusters of {self.cluster}" if self.cluster > 1 else ""
        return f"{what}effect {self.effect:g}, {self.kind}{more}"


def drawn(design: Design, rows: int, random: np.random.Generator):
    """Return time and kind of the event, time of censoring, two scores, strata and clusters."""
    groups = -(-rows // design.cluster)
    own = np.repeat(random.normal(size=groups), design.cluster)[:rows]
    alone = random.normal(size=rows)
    hidden = alone if design.cluster == 1 else 0.8 * own + 0.6 * alone
    score = {"skewed": np.expm1(hidden), "grades": np.clip(np.round(1.5 * hidden), -3, 3)}.get(
        design.kind, hidden
    )
    vintage = random.integers(0, 2, rows)
    if design.kind == "vintages":
        hidden = hidden + 0.8 * vintage
        score = hidden
    rate = level(design) * np.exp(design.effect * hidden)
    event = random.exponential(1 / rate)
    kind = np.ones(rows, dtype=int)
    if design.kind == "competing":
        other = random.exponential(2.0, rows)
        kind = np.where(other < event, 2, 1)
        event = np.minimum(event, other)
    leave = (
        -np.log1p(-design.gone) * np.where(vintage == 1, 1.8, 0.5)
        if (design.kind == "vintages")
        else -np.log1p(-design.gone) * np.ones(rows)
    )
    censored = np.minimum(random.exponential(1 / leave), 1.5)
    other_score = 0.6 * hidden + 0.8 * random.normal(size=rows)
    return event, kind, censored, score, other_score, vintage, np.arange(rows) // design.cluster


@cache
def level(design: Design) -> float:
    """Return the hazard of a mean score with which the incidence is as asked, about."""
    hidden = np.random.default_rng(1).normal(size=200_000)
    low, high = 1e-6, 1e6
    while high / low > 1.0001:
        middle = np.sqrt(low * high)
        share = -np.expm1(-middle * np.exp(design.effect * hidden)).mean()
        low, high = (middle, high) if share < design.incidence else (low, middle)
    return float(low)


def numbers(times, other=None):
    """Return the intervals of a sample, by name."""
    counts = times.at(HORIZON)
    found = {"AR": cap.confidence_interval(counts, "ar")}
    for q in SHARES:
        found[f"captured({q})"] = cap.confidence_interval(counts, "captured", q=q)
    found["incidence"] = cap.confidence_interval(counts, "prevalence")
    if other is not None:
        found["difference"] = cap.compare(other.at(HORIZON)).pairs[0]
    return found


@cache
def truth(design: Design):
    """Return the same of very many rows that are all followed to the horizon."""
    event, kind, _, score, other, _, _ = drawn(design, TRUTH, np.random.default_rng(2))
    positive = (event <= HORIZON) & (kind == 1)
    counts, second = cap.count_scores(positive, score), cap.count_scores(positive, other)
    found = {"AR": cap.accuracy_ratio(counts), "incidence": counts.prevalence}
    found |= {f"captured({q})": cap.captured_response(counts, q) for q in SHARES}
    found["difference"] = found["AR"] - cap.accuracy_ratio(second)
    return found


def held(design: Design, random: np.random.Generator):
    """Say of a sample which intervals hold, and how many positives it has."""
    event, kind, censored, score, other, vintage, cluster = drawn(design, design.rows, random)
    time = np.minimum(event, censored)
    status = np.where(event <= censored, kind, 0)
    words = {"stratum": vintage} if design.kind == "vintages" else {}
    words |= {"cluster": cluster} if design.cluster > 1 else {}
    times = cap.count_times(time, status, score, **words)
    joint = cap.count_joint_times(time, status, {"a": score, "b": other}, **words)
    try:
        found = numbers(times, joint)
    except ValueError:  # a class is missing, or nobody is followed so far
        return {}
    known = truth(design)
    within = {name: each.low <= known[name] <= each.high for name, each in found.items()}
    return {"positives": times.known_at(HORIZON).known.n1, "true AR": known["AR"]} | within


DESIGNS = (
    Design(200, 0.05, 0.1, 1.0),
    Design(200, 0.1, 0.3, 1.0),
    Design(200, 0.3, 0.6, 0.0),
    Design(200, 0.3, 0.6, 2.0),
    Design(200, 0.5, 0.3, 1.0, "skewed"),
    Design(500, 0.05, 0.6, 1.0),
    Design(500, 0.2, 0.6, 2.0),
    Design(500, 0.1, 0.3, 1.0, "grades"),
    Design(500, 0.3, 0.3, 1.0, "competing"),
    Design(500, 0.2, 0.5, 1.0, "vintages"),
    Design(2000, 0.1, 0.6, 1.0),
    Design(2000, 0.2, 0.6, 2.5),
    Design(400, 0.3, 0.4, 1.0, "normal", 4),
    Design(1000, 0.2, 0.4, 1.0, "normal", 4),
)


def main(samples="200", some=":") -> None:
    """Write a line per design: how often limits of each number hold."""
    chosen = DESIGNS[slice(*(int(end) if end else None for end in some.split(":")))]
    study(chosen, held, int(samples), lambda design: 20_261 + chosen.index(design))


if __name__ == "__main__":
    main(*sys.argv[1:])

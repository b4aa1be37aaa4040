"""How long the validation sheet takes from counts of many rows.

    python benchmarks/validation.py [--rows 100000000] [--scores 1000000]

Counts of seven grades, and of many distinct scores, in twelve months and five segments, with an
initial sample of a tenth of the rows; "all" adds migration, overrides, a challenger and unknown
outcomes. Prints seconds from counts to the sheet, its page and its JSON, first of two runs and
second: the first also loads what the numbers need.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from timing import machine

import capcurve as cap

MONTHS, SEGMENTS = 12, 5
SHARES = np.array([5, 10, 20, 25, 20, 12, 8]) / 100
RATES = np.array([0.2, 0.1, 0.05, 0.03, 0.015, 0.008, 0.004])


def of_grades(rng, rows):
    """Return counts of seven grades."""
    cases = rng.multinomial(rows, SHARES)
    positives = rng.binomial(cases, RATES)
    return cap.ScoreCounts.from_counts(range(7, 0, -1), positives, cases - positives)


def of_scores(rng, rows, scores):
    """Return counts of so many distinct scores, of which each has cases by chance."""
    score = np.sort(rng.normal(size=scores))[::-1]
    cases = rng.poisson(rows / scores, scores)
    positives = rng.binomial(cases, 1 / (1 + np.exp(3.5 - 1.2 * score)))
    return cap.ScoreCounts.from_counts(score, positives, cases - positives)


def samples(draw, rows):
    """Return the parts of a sheet: today's sample, the initial one, months and segments."""
    return {
        "now": draw(rows),
        "initial": draw(rows // 10),
        "periods": {f"2025-{month:02}": draw(rows // MONTHS) for month in range(1, MONTHS + 1)},
        "segments": {f"segment {place}": draw(rows // SEGMENTS) for place in range(SEGMENTS)},
    }


def joint_of(rng, columns, cases, rates):
    """Return joint counts of scores by cell, with positives by chance."""
    positives = rng.binomial(cases, rates)
    held = {name: np.concatenate([column, column]) for name, column in columns.items()}
    held |= {
        "y": np.repeat([1, 0], len(cases)),
        "cases": np.concatenate([positives, cases - positives]),
    }
    return cap.count_joint("y", list(columns), data=held, weight="cases", weight_kind="frequency")


def partial_of(rng, now):
    """Return the same counts, and one case without outcome for every hundred."""
    unknown = rng.binomial(now.cases.cases.astype(np.int64), 0.01)
    return cap.PartialCounts.from_counts(now.score, now.positives, now.negatives, unknown)


def further_grades(rng, rows):
    """Return the grades at the start and after overrides, and a challenger of seven values."""
    place = np.arange(7**4).reshape([7] * 4)
    grade, *others = np.unravel_index(place.ravel(), place.shape)
    weight = SHARES[grade] * np.prod([0.1 ** abs(each - grade) for each in others], axis=0)
    names = ("grade", "start", "final", "other")
    columns = {n: 7 - each for n, each in zip(names, (grade, *others), strict=True)}
    joint = joint_of(rng, columns, rng.multinomial(rows, weight / weight.sum()), RATES[grade])
    now = joint.margin("grade")
    return {
        "now": now,
        "joint": joint,
        "start": "start",
        "final": "final",
        "partial": partial_of(rng, now),
    }


def further_scores(rng, rows, scores):
    """Return a challenger of so many distinct values, which are joint cells too."""
    score = rng.normal(size=scores)
    columns = {"score": score, "other": score + rng.normal(size=scores)}
    rates = 1 / (1 + np.exp(3.5 - 1.2 * score))
    joint = joint_of(rng, columns, rng.poisson(rows / scores, scores), rates)
    now = joint.margin("score")
    return {"now": now, "joint": joint, "partial": partial_of(rng, now)}


def timed(name, given):
    """Print how long the sheet, its page and its JSON take, in the first run and the second."""
    words = []
    for _ in range(2):
        marks = [time.perf_counter()]
        sheet = cap.validate(**given)
        for make in (sheet.to_html, sheet.to_json):
            marks.append(time.perf_counter())
            make()
        marks.append(time.perf_counter())
        words.append("sheet {:.2f} page {:.2f} JSON {:.2f} s".format(*np.diff(marks)))
    print(f"{name}, {len(sheet.tests)} tests: {'; again '.join(words)}", flush=True)


def main():
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--scores", type=int, default=10**6)
    asked = parser.parse_args()
    rng = np.random.default_rng(20261122)
    print(machine())
    grades = samples(lambda rows: of_grades(rng, rows), asked.rows)
    timed("7 grades", grades)
    timed("7 grades, all", {**grades, **further_grades(rng, asked.rows)})
    scores = samples(lambda rows: of_scores(rng, rows, asked.scores), asked.rows)
    name = f"{asked.scores:,} distinct scores in each sample"
    timed(name, scores)
    timed(f"{name}, all", {**scores, **further_scores(rng, asked.rows, asked.scores)})


if __name__ == "__main__":
    main()

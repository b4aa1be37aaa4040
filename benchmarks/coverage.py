"""How often intervals contain the true value, counted over simulated samples.

python benchmarks/coverage.py ranking|shares|maxima --out FILE.csv [--runs 2000] [--seed 1]

Each line of FILE is one interval in one population of `coverage_population.py`; lines are added
to those that are there, and cells that are there are not simulated again. coverage_page.py makes
docs/coverage_tables.md of such files.
"""

from __future__ import annotations

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from coverage_population import COST, KINDS, VALUE, Cell, counts_of

from capcurve.inference.intervals import confidence_interval

AUCS = (0.6, 0.75, 0.9, 0.97)
SPREADS = (1.0, 0.67, 1.5, 2.0)
POSITIVES = (5, 10, 50, 200)
SHARES = (0.05, 0.1, 0.3)
COLUMNS = ("table", "kind", "auc", "spread", "positives", "negatives", "interval", "seed", "runs")
COLUMNS += ("truth", "covers", "too_high", "too_low", "width")


# Numbers that are held at once.
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Question:
    """An interval to ask for, and the number it should contain."""

    name: str
    metric: str
    truth: object
    options: tuple = ()


def counted(cell, questions, runs, seed):
    """Return coverage, misses above and below and median width of each interval."""
    rng = np.random.default_rng([seed, *cell.mark])
    found = []
    wide = 7 if cell.kind == "grades" else cell.positives + cell.negatives
    step = min(runs, max(CELLS_AT_ONCE // wide, 1))
    fixed_classes = questions[0].metric not in {"captured_response", "precision"}
    for start in range(0, runs, step):
        many = min(step, runs - start)
        samples = cell.draw(rng, many, fixed_classes=fixed_classes)
        limits = np.array([limits_of(samples, run, questions) for run in range(many)])
        found.append(limits.transpose(1, 2, 0))
    rows = []
    for question, (low, high) in zip(questions, np.concatenate(found, axis=2), strict=True):
        truth = float(question.truth(cell))
        above, below = float((low > truth).mean()), float((high < truth).mean())
        rows.append((question.name, truth, 1 - above - below, above, below, np.median(high - low)))
    return cell, rows


def limits_of(samples, run, questions):
    """Return the limits that the package gives for one sample."""
    counts, found = counts_of(samples, run), []
    for question in questions:
        interval = confidence_interval(counts, question.metric, **dict(question.options))
        found.append((interval.low, interval.high))
    return found


def ranking():
    """AR and AUC have the same coverage; it is counted for the AUC."""
    names = ("default", "logit_t", "newcombe", "logit", "wald")
    questions = [
        Question(name, "roc_auc", Cell.true_auc, () if name == "default" else (("method", name),))
        for name in names
    ]
    return KINDS, SPREADS, questions


def precision_of(cell, q):
    return cell.prevalence * cell.true_captured(q) / q


def shares():
    """Lift is captured response over q, and has its coverage; it is counted for the latter."""
    truths = {"captured_response": Cell.true_captured, "precision": precision_of}
    questions = [
        Question(f"{metric}({q})", metric, partial(truth, q=q), (("q", q),))
        for metric, truth in truths.items()
        for q in SHARES
    ]
    return KINDS, SPREADS, questions


def profit_of(cell):
    return cell.true_profit_per_case() * (cell.positives + cell.negatives)


def maxima():
    """Maxima are found in the same sample, which exaggerates them."""
    few = ("replicates", 200)
    of_part = partial(Cell.true_partial, max_fpr=0.1)
    questions = [
        Question("ks", "ks", Cell.true_ks, (few,)),
        Question("partial_auc(0.1)", "partial_auc", of_part, (few, ("max_fpr", 0.1))),
        Question("profit", "profit", profit_of, (few, ("value", VALUE), ("cost", COST))),
    ]
    return ("continuous", "grades"), (1.0,), questions


TABLES = {"ranking": ranking, "shares": shares, "maxima": maxima}


def lacking(path, table, cells, questions):
    """Return the cells of which a question has no line yet."""
    seen = set()
    if path.exists():
        with path.open(newline="") as file:
            seen = {
                (row["kind"], float(row["auc"]), float(row["spread"]), int(row["positives"]))
                for row in csv.DictReader(file)
                if (row["table"], row["interval"]) == (table, questions[-1].name)
            }
    return [c for c in cells if (c.kind, c.auc, c.spread, c.positives) not in seen]


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("table", choices=TABLES)
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument("--runs", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--only", help="only intervals whose name starts so, such as default")
    asked.add_argument("--kinds", nargs="+", choices=KINDS)
    asked.add_argument("--spreads", nargs="+", type=float)
    given = asked.parse_args()
    kinds, spreads, questions = TABLES[given.table]()
    questions = [q for q in questions if not given.only or q.name.startswith(given.only)]
    cells = [
        Cell(auc, spread, positives, kind)
        for spread, positives, kind, auc in product(
            given.spreads or spreads, POSITIVES, given.kinds or kinds, AUCS
        )
    ]
    cells = lacking(given.out, given.table, cells, questions)
    work = partial(counted, questions=questions, runs=given.runs, seed=given.seed)
    with given.out.open("a", newline="") as file, ProcessPoolExecutor(given.jobs) as pool:
        out = csv.writer(file)
        if not given.out.stat().st_size:
            out.writerow(COLUMNS)
        for cell, rows in pool.map(work, cells):
            where = (given.table, cell.kind, cell.auc, cell.spread, cell.positives, cell.negatives)
            for name, truth, *shown in rows:
                numbers = [f"{number:.4f}" for number in shown]
                out.writerow([*where, name, given.seed, given.runs, f"{truth:.6g}", *numbers])
            file.flush()


if __name__ == "__main__":
    main()

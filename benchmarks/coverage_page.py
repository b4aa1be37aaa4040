"""The page about simulated coverage, made of what coverage.py wrote.

python benchmarks/coverage_page.py FILE.csv ... > docs/coverage.md
"""

from __future__ import annotations

import csv
import sys
from itertools import groupby
from pathlib import Path

from coverage_population import KINDS, NEGATIVES_PER_POSITIVE

LEAST = 10
PROMISED = 0.92
WORST = 8
WHERE = ("kind", "auc", "spread", "positives")
WHOLE = ("positives", "negatives", "runs", "seed")
WORDS = ("table", "kind", "interval")

HEAD = """\
# How often the intervals hold the true value

Simulated: samples are drawn from populations whose true numbers are known, and it is counted how
often a 95% interval holds them. This page is made by a script and not written by hand:

    python benchmarks/coverage.py ranking --out coverage.csv --seed {seed}
    python benchmarks/coverage.py shares --out coverage.csv --seed {seed}
    python benchmarks/coverage.py shares --out coverage.csv --seed {seed} --kinds tilted --spreads 1
    python benchmarks/coverage.py maxima --out coverage.csv --seed {seed} --runs 500
    python benchmarks/coverage_page.py coverage.csv > docs/coverage.md

## How to read it

- Scores of negatives are normal with spread 1, those of positives normal with the spread stated,
  apart by as much as the AUC needs. There are {ratio} negatives for every positive.
- *continuous*: no ties. *grades*: the same scores cut into seven grades, the same in all samples.
  *weighted*: lognormal sampling weights that have nothing to do with the score. *tilted*: samples
  drawn from shifted distributions, whose weights give back what they lack, so that the rarest
  scores are the heaviest. Both leave an effective size of 61% of the rows.
- A cell such as `95.3 (2.1 + 2.6) .310` reads: of 100 intervals 95.3 held the truth, 2.1 lay above
  it, 2.6 below; their median width was .310.
- With 10,000 samples a cell the Monte Carlo error of a coverage of 95% is 0.2 points (one standard
  error), so differences below half a point mean nothing; with 500 it is 1 point.
- The seed is not one that was used while defaults were chosen. Limits are found for many samples
  at once; 20 samples of every cell are compared with `confidence_interval`, to nine digits.
- The rule for defaults: they hold at least 92% in every cell of 10 or more positives.
  Here the lowest is {lowest:.1f}%.
"""


def read(paths):
    """Return all lines, numbers as numbers, sorted by where they belong."""
    lines = []
    for path in paths:
        with Path(path).open(newline="") as file:
            lines += [
                {k: v if k in WORDS else int(v) if k in WHOLE else float(v) for k, v in row.items()}
                for row in csv.DictReader(file)
            ]
    return sorted(lines, key=lambda r: (KINDS.index(r["kind"]), r["auc"], r["spread"]))


def cell(row):
    """Return coverage, misses on both sides and median width."""
    covers, high, low = (f"{100 * row[k]:.1f}" for k in ("covers", "too_high", "too_low"))
    width = f"{row['width']:.3f}".removeprefix("0") if row["width"] < 1 else f"{row['width']:.3g}"
    return f"{covers} ({high} + {low}) {width}"


def table(heads, rows):
    """Return a Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def across(rows, column):
    """Return a table with one column per value of a field, one line per population."""
    columns = list(dict.fromkeys(sorted(row[column] for row in rows)))
    fields = [f for f in ("auc", "spread", "positives") if f != column]
    lines = {}
    for row in sorted(rows, key=lambda r: [r[f] for f in fields]):
        lines.setdefault(tuple(row[f] for f in fields), {})[row[column]] = cell(row)
    names = {"auc": "AUC", "spread": "spread", "positives": "positives"}
    shown = [f"{c} positives" if column == "positives" else str(c) for c in columns]
    return table(
        [*(names[f] for f in fields), *shown],
        [[*(f"{v:g}" for v in key), *(found.get(c, "") for c in columns)]
         for key, found in lines.items()],
    )  # fmt: skip


def worst(rows):
    """Return the cells of lowest coverage."""
    lowest = sorted(rows, key=lambda r: r["covers"])[:WORST]
    heads = ["interval", "score", "AUC", "spread", "positives", "coverage"]
    return table(
        heads,
        [[r["interval"], r["kind"], f"{r['auc']:g}", f"{r['spread']:g}", str(r["positives"]),
          cell(r)] for r in lowest],
    )  # fmt: skip


def runs_of(rows):
    """Return how many samples each cell had, in words."""
    found = sorted({r["runs"] for r in rows})
    return f"{' or '.join(f'{n:,}' for n in found)} samples a cell."


def methods(rows):
    """Return lowest coverage and mean width of each method, per kind and size."""
    names = ["default", "logit_t", "newcombe", "logit", "wald"]
    lines = []
    for kind in KINDS:
        for size in sorted({r["positives"] for r in rows}):
            line = [kind, str(size)]
            for name in names:
                asked = (name, kind, size)
                here = [r for r in rows if (r["interval"], r["kind"], r["positives"]) == asked]
                lowest = min(r["covers"] for r in here)
                width = sum(r["width"] for r in here) / len(here)
                line.append(f"{100 * lowest:.1f}, {width:.3f}")
            lines.append(line)
    return table(["score", "positives", *names], lines)


def page(lines):
    """Return the page."""
    ranking = [r for r in lines if r["table"] == "ranking"]
    default = [r for r in ranking if r["interval"] == "default"]
    shares = [r for r in lines if r["table"] == "shares"]
    maxima = [r for r in lines if r["table"] == "maxima"]
    promised = [
        r for r in default + shares
        if r["positives"] >= LEAST and not (r["table"] == "shares" and r["kind"] == "tilted")
    ]  # fmt: skip
    lowest = 100 * min(r["covers"] for r in promised)
    seeds = sorted({r["seed"] for r in lines})
    head = HEAD.format(seed=", ".join(map(str, seeds)), ratio=NEGATIVES_PER_POSITIVE, lowest=lowest)
    parts = [head, "## Where the defaults hold least often\n", "Of 10 or more positives.\n"]
    parts += [worst([r for r in promised if r["table"] == name]) for name in ("ranking", "shares")]
    parts += ["## AUC and accuracy ratio: the default\n", RANKING, runs_of(default) + "\n"]
    for kind, rows in groupby(default, key=lambda r: r["kind"]):
        parts += [f"### {kind.capitalize()}\n", across(list(rows), "positives")]
    parts += ["### Other methods\n", METHODS, methods(ranking)]
    parts += ["## Captured response, lift and precision at a share\n", SHARES, runs_of(shares)]
    for kind, found in groupby(shares, key=lambda r: r["kind"]):
        rows, note = list(found), ""
        if kind == "tilted":
            lowest = min(r["covers"] for r in rows if r["positives"] >= LEAST)
            note = TILTED.format(lowest=100 * lowest)
        parts += [f"\n### {kind.capitalize()}\n", note, across(rows, "interval")]
    if maxima:
        parts += ["## KS, partial AUC and the best profit\n", MAXIMA, runs_of(maxima)]
        for kind, rows in groupby(maxima, key=lambda r: r["kind"]):
            parts += [f"\n### {kind.capitalize()}\n", across(list(rows), "interval")]
    return "\n".join(part for part in parts if part)


RANKING = """\
The accuracy ratio has the coverage of the AUC and twice its width. The default is the envelope
of Student's logit limits and Newcombe's below 200 effective cases of the rarer class, and the
former from there on. With weights the former reach for one unseen heavy case of each class.
"""
METHODS = """\
Lowest coverage and mean of the median widths, over AUC and spread.
"""
SHARES = """\
Lift is captured response over q and has its coverage. Every sample has its own number of
positives, as a share of all cases takes it.
"""
TILTED = """\
Not all of these hold what is promised: the lowest of 10 or more positives is {lowest:.1f}%. Where
positives outside the top share are few and heavy, many samples lack them, and the limits of
captured response lie too high. Intervals of weighted shares say so in a note.
"""
MAXIMA = """\
Maxima are exaggerated by samples; their limits come from 200 replicates of the bootstrap. Sizes
below 50 positives are shown as they are, and are not covered by the rule above.
"""


if __name__ == "__main__":
    sys.stdout.write(page(read(sys.argv[1:])))

"""How often limits contain the true value and tests reject, counted over simulated samples.

The seed, the population and nothing else decide what is drawn, so that a line can be made again.
Lines are of csv (`written`), or of JSON (`answered`), which also count limits that are refused.
"""

from __future__ import annotations

import csv
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

Question = tuple[float | None, Callable[[Any], Any]]  # the true number, none of a test; what to ask
Lines = dict[tuple[str, str, str], dict[str, Any]]
NEAR = 1e-12
COLUMNS = ("population", "interval", "seed", "runs", "covers", "above", "below", "width")


def generator(seed, population):
    """Return the random numbers of a population."""
    return np.random.default_rng(
        [seed, zlib.crc32(repr((str(population), population.fixed)).encode())]
    )


def covered(population, asks, runs, seed):
    """Return a line per question: coverage, limits all above, all below the truth, median width.

    `asks` takes the population and returns {name: (truth, limits of the counts of a sample)}.
    """
    rng, questions = generator(seed, population), asks(population)
    found = {name: np.empty((runs, 2)) for name in questions}
    for run in range(runs):
        counts = population.draw(rng)
        for name, (_, limits) in questions.items():
            interval = limits(counts)
            found[name][run] = interval.low, interval.high
    lines = []
    for name, (truth, _) in questions.items():
        low, high = found[name].T
        above, below = float((low > truth + 1e-12).mean()), float((high < truth - 1e-12).mean())
        width = float(np.median(high - low))
        lines.append((str(population), name, seed, runs, 1 - above - below, above, below, width))
    return lines


def rejected(population, asks, runs, seed):
    """Return a line per test: how often it rejects. `asks` returns {name: test of counts}."""
    rng, questions = generator(seed, population), asks(population)
    said = np.zeros(len(questions))
    for _ in range(runs):
        counts = population.draw(rng)
        said += [bool(test(counts)) for test in questions.values()]
    return [
        (str(population), name, seed, runs, rate, "", "", "")
        for name, rate in zip(questions, (said / runs).tolist(), strict=True)
    ]


def written(work, populations, asks, runs, seed, jobs=1, out=sys.stdout, *, heads=True):
    """Write the lines of all populations; `work` is `covered` or `rejected`."""
    writer = csv.writer(out)
    if heads:
        writer.writerow(COLUMNS)
    with ProcessPoolExecutor(jobs) as pool:
        done = pool.map(partial(work, asks=asks, runs=runs, seed=seed), populations)
        for lines in done:
            for line in lines:
                writer.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in line])
            out.flush()


def study(populations, statistics, runs, seed, out=sys.stdout):
    """Write a line of csv per population: the mean of each statistic over so many samples of it.

    `statistics` takes a population and random numbers, draws a sample and returns {name: number,
    whether something happened, or NaN where it cannot be said}; `seed` takes a population.
    """
    writer = None
    for population in populations:
        rng, found = np.random.default_rng(seed(population)), defaultdict(list)
        for _ in range(runs):
            for name, value in statistics(population, rng).items():
                found[name].append(value)
        known = {name: [v for v in values if v == v] for name, values in found.items()}  # noqa: PLR0124 - NaN
        means = {name: f"{np.mean(values):.4g}" if values else "" for name, values in known.items()}
        line = {"population": population, "runs": runs, **means}
        if writer is None:
            writer = csv.DictWriter(out, line, restval="")
            writer.writeheader()
        writer.writerow(line)
        out.flush()


@dataclass(frozen=True)
class Cell:
    """A population, how samples of it are drawn, and what to ask of each."""

    part: str
    name: str
    draw: Callable[[np.random.Generator], Any] = field(repr=False)
    asks: dict[str, Question] = field(repr=False)


def answered(cell: Cell, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a line per question: coverage, misses and widths, or how often a test rejects."""
    rng = np.random.default_rng([seed, zlib.crc32(f"{cell.part}, {cell.name}".encode())])
    found: dict[str, list[Any]] = {name: [] for name in cell.asks}
    for _ in range(runs):
        sample = cell.draw(rng)
        for name, (_, question) in cell.asks.items():
            try:
                answer = question(sample)
            except (ValueError, NotImplementedError, ZeroDivisionError) as error:
                found[name].append(str(error)[:80])
            else:
                found[name].append(
                    answer if isinstance(answer, bool) else (answer.low, answer.high)
                )
    for name, (truth, _) in cell.asks.items():
        given = [each for each in found[name] if not isinstance(each, str)]
        line = {"part": cell.part, "cell": cell.name, "ask": name, "seed": seed, "runs": len(given)}
        line["refused"] = runs - len(given)
        if truth is None and given:
            line["rejects"] = float(np.mean(given))
        elif given:
            low, high = np.array(given).T
            above, below = float((low > truth + NEAR).mean()), float((high < truth - NEAR).mean())
            line |= {"truth": truth, "covers": 1 - above - below, "above": above, "below": below}
            line |= {"width": float(np.median(high - low)), "mean": float(np.mean(high - low))}
        yield line


def read_lines(path: Path) -> Lines:
    """Return the lines of a file by part, cell and question; several of one are averaged."""
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in map(json.loads, path.read_text().splitlines()):
        found[line["part"], line["cell"], line["ask"]].append(line)
    return {key: averaged(lines) for key, lines in found.items()}


def averaged(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one line of several, each with the weight of its runs."""
    total = sum(line["runs"] for line in lines)
    whole = lines[0] | {"runs": total, "refused": sum(line["refused"] for line in lines)}
    for name in ("rejects", "covers", "above", "below", "width", "mean"):
        some = [(line["runs"], line[name]) for line in lines if name in line]
        if some:
            whole[name] = sum(n * value for n, value in some) / total
    return whole


def miss(line: dict[str, Any]) -> float:
    """Return how often what is asked for fails: the truth is outside, or a test rejects."""
    return float(line["rejects"] if "rejects" in line else 1 - line["covers"])


def shown(line: dict[str, Any] | None) -> str:
    """Return coverage or rejections with one standard error, and how many samples there were."""
    if line is None or not line["runs"]:
        return "refused" if line else ""
    bad, n = miss(line), line["runs"]
    rate = bad if "rejects" in line else 1 - bad
    return f"{rate:.1%} ± {100 * np.sqrt(max(bad * (1 - bad), 0.25 / n) / n):.1f} ({n})"


def worst_of(before: Lines, after: Lines) -> Iterator[str]:
    """Yield the worst cell of each question, before and after, and how widths changed."""
    yield "| part | question | cells | before, worst | after, worst | width after over before |"
    yield "|---|---|---|---|---|---|"
    asks = dict.fromkeys((part, ask) for part, _, ask in (*before, *after))
    for part, name in asks:
        sides = [[v for k, v in side.items() if k[::2] == (part, name)] for side in (before, after)]
        there = [[line for line in lines if line["runs"]] for lines in sides]
        worst = [max(lines, key=miss) if lines else None for lines in there]
        said = [
            shown(w or (lines[0] if lines else None)) for w, lines in zip(worst, sides, strict=True)
        ]
        ratios = [
            after[key]["width"] / line["width"]
            for key, line in before.items()
            if key[::2] == (part, name) and line.get("width") and after.get(key, {}).get("width")
        ]
        wide = f"{np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""
        yield f"| {part} | {name} | {max(map(len, sides))} | {' | '.join(said)} | {wide} |"

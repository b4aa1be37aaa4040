"""How often the tests of a validation reject, without and with reason, and how often limits hold.

    python benchmarks/levels.py                            # every section, fresh seed
    python benchmarks/levels.py psi adjacent --runs 5000 --seed 7

Each section draws samples and asks the library, as a user would; a table says in percent how often
p was below 5%, or a limit held. With 2,000 runs a true 5% shows as 4.0 to 6.0%.
"""

from __future__ import annotations

import argparse
import secrets
import time
from collections.abc import Callable, Iterator

import control_chart
import numpy as np

import capcurve as cap
from capcurve.inference.rates import TwoGroups, one_sided
from capcurve.studies.grades.migration import steps_of, tests_of_cells
from capcurve.studies.grades.stability import shift_of

ALPHA = 0.05
Rows = list[tuple[str, ...]]
Section = Callable[[np.random.Generator, int], Iterator[tuple[str, tuple[str, ...], Rows]]]


def percent(hits) -> str:
    """Return how many of some answers are true."""
    return f"{100 * np.mean(hits):.1f}"


def printed(title: str, columns: tuple[str, ...], rows: Rows) -> str:
    """Return a table in Markdown, whose columns are aligned on a screen too."""
    cells = [columns, *rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([f"\n{title}\n", lines[0], rule, *lines[1:]])


# Population stability

EVEN, FALLING = "even shares", "shares falling tenfold"
STABILITY = [
    *((200, 200, bins, shape) for bins in (5, 10) for shape in (EVEN, FALLING)),
    *((1000, 200, bins, shape) for bins in (5, 10) for shape in (EVEN, FALLING)),
    (100, 100, 20, EVEN),
    (100, 100, 20, FALLING),
    (5000, 500, 10, FALLING),
    (5000, 5000, 20, FALLING),
]
MOVED = [
    (size, other, bins, move)
    for size, other, bins in ((500, 500, 5), (2000, 1000, 10), (5000, 5000, 10))
    for move in (0.2, 0.5)
]


def shares_of(bins: int, shape: str) -> np.ndarray:
    """Return the share of each bin."""
    shares = 0.1 ** np.linspace(0, 1, bins) if shape == FALLING else np.ones(bins)
    return shares / shares.sum()


def psi(rng, runs):
    """Yield how often an unchanged portfolio is called changed, and how often limits hold."""
    from scipy.stats import chi2

    rows = []
    for n, m, bins, shape in STABILITY:
        shares, unit = shares_of(bins, shape), 1 / n + 1 / m
        found = [
            shift_of(rng.multinomial(n, shares), rng.multinomial(m, shares), 0.9)
            for _ in range(runs)
        ]
        usual = [f.psi / unit > chi2.ppf(1 - ALPHA, bins - 1) for f in found]
        rows.append(
            (
                f"{n:,} and {m:,} cases, {bins} bins, {shape}",
                percent([f.p_value < ALPHA for f in found]),
                percent(usual),
                percent([f.psi > 0.10 for f in found]),
            )
        )
    columns = ("unchanged portfolio", "p < .05", "PSI by chi-square", "PSI > .10")
    yield "Population stability: rejected", columns, rows
    yield "Population stability: one-sided 95% limits hold", *_limits_of_psi(rng, runs)


def _limits_of_psi(rng, runs):
    rows = []
    for n, m, bins, move in MOVED:
        before = shares_of(bins, FALLING)
        after = before * np.exp(move * np.linspace(-1, 1, bins))
        after /= after.sum()
        true = float(((after - before) * np.log(after / before)).sum())
        found = [
            shift_of(rng.multinomial(n, before), rng.multinomial(m, after), 0.9)
            for _ in range(runs)
        ]
        rows.append(
            (
                f"{n:,} and {m:,} cases, {bins} bins, PSI {true:.3f}",
                percent([f.low <= true for f in found]),
                percent([f.high >= true for f in found]),
            )
        )
    return ("portfolio", "lower", "upper"), rows


# Neighbouring grades

PAIRS = [
    *((50, 50, rate) for rate in (0.05, 0.2)),
    *((200, 200, rate) for rate in (0.01, 0.05, 0.2)),
    *((1000, 200, rate) for rate in (0.01, 0.05)),
    *((200, 1000, rate) for rate in (0.01, 0.05)),
    (2000, 2000, 0.01),
]


def adjacent(rng, runs):
    """Yield how often equal rates are called falling, and different ones found, by each method."""
    for title, times in (("equal rates", 1.0), ("the riskier grade 1.8 times the safer one", 1.8)):
        rows = []
        for n, m, rate in PAIRS:
            higher = min(times * rate, 1.0)
            drawn = zip(rng.binomial(n, higher, runs), rng.binomial(m, rate, runs), strict=True)
            pairs = [TwoGroups(int(a), n, int(b), m) for a, b in drawn]
            found = [
                percent([one_sided(pair, method)[0] < ALPHA for pair in pairs])
                for method in ("mid_p", "z", "fisher")
            ]
            rows.append((f"{n:,} and {m:,} cases, rate {rate:.0%}", *found))
        yield f"Neighbouring grades, {title}: rejected", ("pair", "mid-p", "z", "Fisher"), rows


# Segments within grades

SEGMENTS = [(2, 7, 1000), (2, 7, 10_000), (5, 7, 5000), (5, 20, 5000), (10, 10, 2000)]


def homogeneity(rng, runs):
    """Yield how often segments with the rates of their grades are called different, and others."""
    runs = max(1, runs // 2)
    rows = [
        (
            f"{segments} segments, {grades} grades, {n:,} cases",
            *(
                percent(
                    [
                        cap.grade_homogeneity_test(
                            _segments(rng, segments, grades, n, effect)
                        ).p_value
                        < ALPHA
                        for _ in range(runs)
                    ]
                )
                for effect in (1.0, 1.5)
            ),
        )
        for segments, grades, n in SEGMENTS
    ]
    columns = ("segments of unequal size and mix", "equal", "first has 1.5 times the odds")
    yield "Segments within grades: rejected", columns, rows


def _segments(rng, segments, grades, n, effect):
    """Return counts of segments whose mix of grades differs; one may have other odds."""
    odds = 0.3 * 20.0 ** -np.linspace(0, 1, grades)
    sizes = np.arange(segments, 0, -1) / np.arange(segments + 1).sum()
    found = {}
    for place, share in enumerate(sizes):
        mix = np.exp(0.8 * place / segments * np.linspace(-1, 1, grades))
        cases = rng.multinomial(round(n * share), mix / mix.sum())
        own = odds * (effect if place == 0 else 1.0)
        bad = rng.binomial(cases, own / (1 + own))
        found[place] = cap.ScoreCounts.from_counts(range(grades, 0, -1), bad, cases - bad)
    return found


# Concentration

BELL, MOST_IN_ONE = "shares like a bell", "95 of 100 cases in one"
PORTFOLIOS = [
    (7, 500, 500, BELL),
    (7, 5000, 500, BELL),
    (10, 1000, 1000, BELL),
    (15, 2000, 500, BELL),
    (20, 5000, 5000, BELL),
    (17, 3000, 300, BELL),
    (10, 3000, 300, EVEN),
    (10, 30_000, 300, EVEN),
    (10, 300, 3000, EVEN),
    (9, 2000, 50, FALLING),
    (4, 2000, 50, MOST_IN_ONE),
]


def concentration(rng, runs):
    """Yield how often an unchanged portfolio is called more concentrated, and one that is."""
    rows = []
    for grades, n, m, shape in PORTFOLIOS:
        levels = list(range(grades))
        before = _spread(grades, shape)
        peak = np.where(np.arange(grades) == grades // 2, 1.5, 1.0) * before
        found = []
        for after in (before, peak / peak.sum()):
            now, initial = rng.multinomial(m, after, runs), rng.multinomial(n, before, runs)
            tests = [
                cap.grade_concentration(*(_portfolio(levels, each) for each in both))
                for both in zip(now, initial, strict=True)
            ]
            found += [
                percent([t.p_value < ALPHA for t in tests]),
                percent([t.ecb_p < ALPHA for t in tests]),
            ]
        rows.append((f"{grades} grades, {n:,} and {m:,} cases, {shape}", *found))
    columns = ("portfolio", "unchanged: p", "ECB", "1.5 times as many in the middle: p", "ECB")
    yield "Concentration: rejected", columns, rows


def _spread(grades, shape):
    """Return the share of each grade."""
    if shape == MOST_IN_ONE:
        return np.where(np.arange(grades) == 0, 0.95, 0.05 / (grades - 1))
    if shape != BELL:
        return shares_of(grades, shape)
    bell = np.exp(-(((np.arange(grades) - grades / 2) / (grades / 4)) ** 2) / 2)
    return bell / bell.sum()


def _portfolio(levels, cases):
    return cap.CaseCounts.from_counts(levels, cases, levels=levels)


# Rates that fall

CONSTANT = [(7, 1000, 0.05), (7, 5000, 0.02), (10, 2000, 0.1), (20, 5000, 0.05), (35, 10_000, 0.05)]


def monotonicity(rng, runs):
    """Yield how often constant rates are called rising, and rates whose worst third is reversed."""
    runs = max(1, runs // 2)
    rows = []
    for grades, n, rate in CONSTANT:
        flat = np.full(grades, rate)
        rising = 2 * rate * 8.0 ** -np.linspace(0, 1, grades)
        third = -(-grades // 3)
        rising[:third] = rising[:third][::-1].copy()
        found = []
        for rates in (flat, rising):
            tests = [_falling(rng, rates, n) for _ in range(runs)]
            found += [percent([p[place] < ALPHA for p in tests]) for place in range(2)]
        rows.append((f"{grades} grades, {n:,} cases, rate {rate:.0%}", *found))
    holm = "Holm of neighbours"
    columns = ("rates", "constant", holm, "worst third reversed", holm)
    yield "Rates that fall (monotonicity_test): rejected", columns, rows


def _falling(rng, rates, n):
    """Return the p-values of falling rates, and the smallest of neighbours reversed, adjusted."""
    cases = rng.multinomial(n, np.full(len(rates), 1 / len(rates)))
    bad = rng.binomial(cases, rates)
    counts = cap.ScoreCounts.from_counts(range(len(rates), 0, -1), bad, cases - bad)
    reversed_pairs = cap.adjacent_grades(counts)["p_reversed_adjusted"]
    return cap.monotonicity_test(counts).p_value, float(reversed_pairs.min())


# Migration

SCALES, IN_A_GRADE, KEPT = (5, 7, 17), (50, 200, 1000), 0.7
FLAT, HALVED = "all other grades alike", "each half as likely as the one before"


def migration(rng, runs):
    """How often the ECB's test of a cell speaks, and Holm's adjustment names any, without cause."""
    rows = [
        (shape, str(grades), str(cases), *_out_of_order(rng, runs, grades, cases, shape))
        for shape in (FLAT, HALVED)
        for grades in SCALES
        for cases in IN_A_GRADE
    ]
    columns = ("moves", "grades", "cases in each", "cells tested", "a cell", "any cell, Holm")
    yield f"Cells of a migration matrix, {KEPT:.0%} keep their grade, p < 5%", columns, rows


def _out_of_order(rng, runs, grades, cases, shape):
    """Return how many cells are tested, and how often single ones and matrices are named."""
    steps = np.abs(steps_of(grades))
    weights = np.where(steps > 0, 1.0 if shape == FLAT else 0.5**steps, 0.0)
    likely = (1 - KEPT) * weights / weights.sum(axis=1, keepdims=True) + KEPT * np.eye(grades)
    single, named, tested = [], [], []
    for _ in range(runs):
        matrix = np.array([rng.multinomial(cases, row) for row in likely])
        _, p_value, adjusted = tests_of_cells(matrix)
        known = ~np.isnan(p_value)
        # Beside the diagonal the nearer cell is the likelier by far.
        single.append(p_value[known & (np.abs(steps) > 1)] < ALPHA)
        named.append((adjusted[known] < ALPHA).any())
        tested.append(known.sum())
    return f"{np.mean(tested):.0f}", percent(np.concatenate(single)), percent(named)


# Control charts


def chart(rng, runs):
    """Yield how often rules that watch an accuracy ratio speak, and how soon they see a fall."""
    for title, rules, series in (
        ("initial value known", control_chart.known, runs),
        ("initial sample of 500 positives", control_chart.estimated, runs // 4),
        ("recurring obligors", control_chart.clustered, runs),
    ):
        rows = [
            tuple(str(row.get(name, "")) for name in control_chart.FIELDS)
            for row in rules(rng, series)
        ]
        yield f"Rules over months, {title}: shares of series", control_chart.FIELDS, rows


SECTIONS: dict[str, Section] = {
    "psi": psi,
    "adjacent": adjacent,
    "homogeneity": homogeneity,
    "concentration": concentration,
    "monotonicity": monotonicity,
    "migration": migration,
    "chart": chart,
}


def main() -> None:
    """Print the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--runs", type=int, default=2000, help="samples per design")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one when left out")
    asked = parser.parse_args()
    unknown = [name for name in asked.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    print(f"{asked.runs:,} runs, seed {seed}; percent")
    for name in asked.sections or SECTIONS:
        began = time.perf_counter()
        # Each section has its own stream, so that asking for fewer changes none.
        rng = np.random.default_rng([seed, *name.encode()])
        for title, columns, rows in SECTIONS[name](rng, asked.runs):
            print(printed(title, columns, rows), flush=True)
        print(f"\n({name}: {time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()

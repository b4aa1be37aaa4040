"""Which columns contradict each other, and which single number, put right, makes all fit."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from capcurve.studies.audit.limits import STEPS, number_of
from capcurve.studies.audit.records import CellFix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from capcurve.studies.audit.bins import Amount, Bins
    from capcurve.studies.audit.printed import Cell, Column
    from capcurve.studies.audit.problems import ReadProblem
    from capcurve.studies.audit.tables import Problem, Tables

Columns = frozenset[int]
# Of this many possible numbers of positives, a cell's number is found for some evenly spread.
MOST_TOTALS = 200
MOST_DECIMALS = 12


def minimal_conflicts(problem: Problem) -> list[Columns]:
    """Return every set of columns that contradict each other while any fewer of them do not."""

    def fits(columns: Iterable[int]) -> bool:
        return problem.solve(sorted(columns)) is not None

    # Each largest set that holds no known conflict is tried; one that does not fit is thinned out
    # to a new conflict, until all such sets fit.
    everything = frozenset(range(len(problem.columns)))
    found = [frozenset([i]) for i in sorted(everything) if not fits([i])]
    while True:
        tried = (everything - hit for hit in _hitting(found))
        new = next((each for each in tried if not fits(each)), None)
        if new is None:
            return sorted(found, key=lambda each: (len(each), sorted(each)))
        found.append(_thinned(new, fits))


def _thinned(columns: Columns, fits: Callable[[Iterable[int]], bool]) -> Columns:
    """Return a conflict among columns without those it does not need."""
    for i in sorted(columns):
        if not fits(columns - {i}):
            columns -= {i}
    return columns


def _hitting(conflicts: list[Columns]) -> list[Columns]:
    """Return the smallest sets that hold a column of each conflict, none within another."""
    found: list[Columns] = [frozenset()]
    for conflict in conflicts:
        grown = {old | {i} for old in found if not old & conflict for i in conflict}
        grown |= {old for old in found if old & conflict}
        found = [each for each in grown if not any(other < each for other in grown)]
    return found


def _ends(tables: Tables, problem: Problem, i: int, b: int) -> tuple[Fraction, Fraction]:
    quantity, least, greatest = problem.columns[i].quantity, tables.least, tables.greatest
    level = problem.columns[i].level(b)
    p = least.positives[level], greatest.positives[level]
    m = greatest.negatives[level], least.negatives[level]
    if level < b:
        p, m = (least.n1 - p[1], least.n1 - p[0]), (least.n0 - m[1], least.n0 - m[0])
    if quantity in STEPS:
        p = _step(p, least.positives, greatest.positives, b)
        p = max(tables.step_low[b], p[0]), min(tables.step_high[b], p[1])
        m = _step(m, greatest.negatives, least.negatives, b)
        if (size := _size(least, b)) == _size(greatest, b):
            m = size - p[1], size - p[0]
    pairs = [(p[0], m[1]), (p[1], m[0])]
    numbers = [number_of(quantity, *pair, least) for pair in pairs]
    if quantity == "ks_absolute":
        numbers += _least_gaps(pairs, least)
    return min(numbers), max(numbers)


def _least_gaps(pairs: list[tuple[Amount, Amount]], of: Bins) -> list[Fraction]:
    """Return the gaps nearest to 0 between two that lie on different sides of it, if any do."""
    (fewest, _), (most_, _) = pairs
    cases = {p + m for p, m in pairs}
    sides = {number_of("ks", *pair, of) > 0 for pair in pairs}
    if len(sides) == 1:
        return []
    if len(cases) > 1 or not isinstance(fewest, int):  # cases are not whole, or not known
        return [Fraction(0)]
    (size,) = cases
    level = size * of.n1 // of.n
    near = (p for p in (level, level + 1) if fewest <= p <= most_)
    return [number_of("ks_absolute", p, size - p, of) for p in near]


def _step(
    ends: tuple[Amount, Amount], low: tuple[Amount, ...], high: tuple[Amount, ...], b: int
) -> tuple[Amount, Amount]:
    """Return from where to where the cases of one bin lie, from running ones at its ends."""
    before = (low[b - 1], high[b - 1]) if b else (0, 0)
    return max(ends[0] - before[1], 0), ends[1] - before[0]


def _size(bins: Bins, b: int) -> Amount:
    before = bins.positives[b - 1] + bins.negatives[b - 1] if b else 0
    return bins.positives[b] + bins.negatives[b] - before


def misprints(asked: ReadProblem) -> tuple[CellFix, ...]:
    """Return each cell whose number alone keeps the table from fitting."""
    problem, columns = asked.problem, {c.heading: c for c in asked.printed.columns}
    found = []
    for i, windowed in enumerate(problem.columns):
        if windowed.heading not in columns:
            continue
        column = columns[windowed.heading]
        for b, cell in enumerate(column.cells):
            rest = None if cell is None else problem.solve(range(len(problem.columns)), (i, b))
            if cell is not None and rest is not None:
                ends = [_ends(tables, problem, i, b) for tables in rest.each(MOST_TOTALS)]
                low, high = min(low for low, _ in ends), max(high for _, high in ends)
                found.append(_fix(column, cell, b, (low, high), asked))
    return tuple(found)


def _fix(
    column: Column, cell: Cell, place: int, ends: tuple[Fraction, Fraction], asked: ReadProblem
) -> CellFix:
    """Return a cell with what would fit there, from where to where, in its own unit and digits."""
    scale = asked.scales[column.heading] * (-1 if column.flipped else 1)
    low, high = sorted(end / scale for end in ends)
    first, last = written_like(low, cell), written_like(high, cell)
    needed = first if first == last else f"{first} to {last}"
    name = asked.printed.names[place]
    message = f"{column.heading} in bin {name} reads {cell.text}; the rest needs {needed}"
    return CellFix(column.heading, name, place, cell.text, low, high, needed, message)


def written_like(value: Fraction, cell: Cell) -> str:
    """Return a number with as many digits as a printed one, and its per cent sign.

    >>> from capcurve.studies.audit.printed import Cell
    >>> written_like(Fraction(800, 11), Cell(Fraction(737, 10), Fraction(1, 10), "73.7%"))
    '72.7%'
    """
    decimals = _decimals(cell.unit or Fraction(1))
    if not cell.unit and value.denominator != 1:
        decimals = 3
    # Rounded as a whole number, so that no digit is lost in a float.
    digits = str(abs(round(value * 10**decimals))).rjust(decimals + 1, "0")
    text = digits if not decimals else f"{digits[:-decimals]}.{digits[-decimals:]}"
    sign = "-" if value < 0 and text.strip("0.") else ""
    return f"{sign}{text}{'%' if '%' in cell.text else ''}"


def _decimals(unit: Fraction) -> int:
    return next((d for d in range(MOST_DECIMALS) if unit * 10**d >= 1), MOST_DECIMALS)

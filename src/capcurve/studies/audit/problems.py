"""What a printed table asks to be solved, and what is wrong if nothing fits it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import TYPE_CHECKING, TypeAlias, get_args

from capcurve.numbers.arguments import arg
from capcurve.studies.audit.column_limits import FREE_OF_TOTAL, OF_ONE_BIN, number_of
from capcurve.studies.audit.printed import (
    COUNTED,
    DOWN,
    Cell,
    OfCases,
    OfPositives,
    PrintedColumn,
    PrintedTable,
    Quantity,
    Rounding,
    Window,
    Windowed,
    decimals_of,
    windowed,
)
from capcurve.studies.audit.records import CellFix
from capcurve.studies.audit.tables import Problem, Tables, how_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from capcurve.studies.audit.bins import Bins, OneOrMany

# The cases in bins are a table in which every case counts as a positive.
AS_POSITIVES: dict[Quantity, Quantity] = dict(
    zip(get_args(OfCases), get_args(OfPositives), strict=True)
)
# At a fixed share captured all else moves one way with the prevalence.
OF_SHARES = frozenset({"captured", "share_of_positives", "lift", "cum_lift"})
SCANNED = 101
LEAST_CASES = 2
SCALES = (Fraction(1), Fraction(1, 100))
# Columns as they are read: what each holds, in which direction, and at which scale.
ReadColumns: TypeAlias = tuple[PrintedColumn, ...]
ProblemWith: TypeAlias = "Callable[[Sequence[PrintedColumn]], Problem]"
ColumnNumbers = frozenset[int]
# Of this many possible numbers of positives, a cell's number is found for some evenly spread.
MOST_TOTALS_MENDED = 200


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem, and how the printed table is read for it."""

    problem: Problem  # what is to be solved
    tables: Tables | None  # None if nothing fits, or the cases alone contradict themselves
    printed: PrintedTable  # the table with each column as it is read
    bins: tuple[int, ...]  # where the bins stand that hold cases


def problem_of(printed: PrintedTable, rounding: Rounding) -> ReadProblem:
    """Return what there is to solve in a table, and the tables that fit."""
    of_cases, rest = _columns_of_cases(printed)
    totals = _all_cases(printed, of_cases, rest)
    bins = tuple(range(len(printed.names)))

    def sizes_with(columns: Sequence[PrintedColumn]) -> Problem:
        return _problem_of_sizes([windowed(c, rounding) for c in columns], totals, len(bins))

    cases = columns_scaled(of_cases, sizes_with)
    sizes = sizes_with(cases)
    found = sizes.solve()
    if found is None:
        return ReadProblem(sizes, None, _as_read(printed, (*cases, *rest)), bins)
    # Bins that may hold cases.
    most, before = found.greatest.positives, (0, *found.least.positives)
    kept = tuple(b for b in bins if most[b] > before[b])
    _check_classes(printed, rest, kept)
    problem_with = _problem_with(printed, found, kept, rounding, whole=totals is not None)
    classes = columns_scaled(rest, problem_with)
    problem = problem_with(classes)
    return ReadProblem(problem, problem.solve(), _as_read(printed, (*cases, *classes)), kept)


def _columns_of_cases(printed: PrintedTable) -> tuple[ReadColumns, ReadColumns]:
    """Return the columns that say how many cases are in each bin, and the others."""
    rest = tuple(c for c in printed.columns if c.quantity not in AS_POSITIVES)
    of_cases = tuple(c for c in printed.columns if c.quantity in AS_POSITIVES)
    if not any(c.quantity in {"n", "cum_n"} for c in of_cases):
        of_cases += _classes_added(rest)
    if not of_cases:
        raise _too_little_said(printed, "cases", "or the share of cases selected")
    return of_cases, rest


def _too_little_said(printed: PrintedTable, what: str, instead: str) -> ValueError:
    """Return the error of a table without what it needs, with the columns of unknown headings."""
    said = [f"no column says how many {what} are in each bin: add their number, {instead}"]
    unknown = (each for each in printed.remarks if each.code == "columns_left_out")
    return ValueError("; ".join([*said, *(f"{f.message}: {f.advice}" for f in unknown)]))


def _as_read(printed: PrintedTable, columns: Sequence[PrintedColumn]) -> PrintedTable:
    """Return a table with its columns at the scale at which they are read."""
    read = {column.heading: column for column in columns}
    return replace(printed, columns=tuple(read[c.heading] for c in printed.columns))


def _check_classes(
    printed: PrintedTable, rest: Sequence[PrintedColumn], kept: tuple[int, ...]
) -> None:
    """Raise ValueError where nothing is said of the positives, or what cannot be."""
    if not kept:
        raise ValueError("no bin of the table has a case: look at the numbers of cases")
    if not rest and printed.positives is None:
        raise _too_little_said(printed, "positives", "rate or share, or the lift or KS")
    counted = [column for column in rest if column.quantity in {"positives", "negatives"}]
    for column in counted:
        if all(cell is not None and not cell.value for cell in column.cells):
            raise ValueError(
                f"{column.heading} is 0 in every bin: an audit needs positives and negatives"
            )
    for column in counted:
        for b, cell in enumerate(column.cells):
            if b not in kept and cell is not None and cell.value:
                name = printed.names[b]
                raise ValueError(f"bin {name} has no cases and {cell.text} {column.quantity}")


def _classes_added(columns: Sequence[PrintedColumn]) -> tuple[PrintedColumn, ...]:
    """Return the cases of each bin as positives and negatives, where both are counted."""
    pairs: tuple[tuple[Quantity, Quantity, Quantity], ...] = (
        ("positives", "negatives", "n"),
        ("cum_positives", "cum_negatives", "cum_n"),
    )
    by = {column.quantity: column for column in columns}
    for of_positives, of_negatives, of_both in pairs:
        p, m = by.get(of_positives), by.get(of_negatives)
        if p and m and p.from_below == m.from_below:
            cells = tuple(
                None
                if a is None or b is None
                else replace(a, value=a.value + b.value, text=f"{a.text} + {b.text}")
                for a, b in zip(p.cells, m.cells, strict=True)
            )
            heading = f"{p.heading} + {m.heading}"
            return (PrintedColumn(of_both, heading, cells, Fraction(1), p.from_below),)
    return ()


def _all_cases(
    printed: PrintedTable, of_cases: Sequence[PrintedColumn], rest: Sequence[PrintedColumn]
) -> range | None:
    """Return the least to the most cases in all that columns say; None where only shares are."""
    if printed.cases is not None:
        return range(printed.cases, printed.cases + 1)
    totals = []
    for column in of_cases:
        last = slice(1) if column.from_below else slice(-1, None)
        cells = column.cells if column.quantity == "n" else column.cells[last]
        if column.quantity in {"n", "cum_n"}:
            if any(cell is None or cell.unit > 1 for cell in cells):
                raise ValueError(
                    f"{column.heading} does not tell how many cases there are in all: say so with "
                    f"{arg('cases')}"
                )
            totals.append(int(sum(cell.value for cell in cells if cell is not None)))
    if totals:
        return range(min(totals), max(totals) + 1)
    counts = [column.heading for column in rest if column.quantity in COUNTED]
    if counts or printed.positives is not None:
        said = f"{counts[0]} holds counts" if counts else "the number of positives is known"
        raise ValueError(
            f"{said}, but of the cases only shares are: say how many there are with {arg('cases')}"
        )
    return None


def _problem_of_sizes(columns: Sequence[Windowed], totals: range | None, bins: int) -> Problem:
    """Return the problem of how many cases each bin holds."""
    n = None if totals is None else totals[-1]
    total: OneOrMany = Fraction(1) if n is None else n
    as_positives = tuple(
        Windowed(AS_POSITIVES[c.quantity], c.heading, _cut_shares(c, n), c.from_below)
        for c in columns
    )
    return Problem.of_sizes((total,) * bins, as_positives, totals or (total,), whole=n is not None)


def _cut_shares(column: Windowed, n: int | None) -> tuple[Window | None, ...]:
    """Return exact shares as the whole cases on both sides: a tenth of 9857 is 985 or 986."""
    if n is None or column.quantity in {"n", "cum_n"}:
        return column.windows
    return tuple(
        w
        if w is None or w.low != w.high
        else Window(Fraction(floor(w.low * n), n), Fraction(ceil(w.high * n), n))
        for w in column.windows
    )


def _problem_with(
    printed: PrintedTable, found: Tables, kept: tuple[int, ...], rounding: Rounding, *, whole: bool
) -> ProblemWith:
    """Return what makes a problem of columns, given the cases found for each bin."""
    low, high = found.least.positives, found.greatest.positives
    total = low[-1]

    def problem_with(read: Sequence[PrintedColumn]) -> Problem:
        columns = tuple(windowed(column, rounding) for column in read)
        totals = range(1, total) if whole else ()
        if low == high:
            sizes = tuple(b - a for a, b in zip((0, *low), low, strict=False))
            return _with_totals(Problem.of_sizes(sizes, columns, totals, whole), printed, total)
        steps = found.step_low, found.step_high
        loose = any(found.step_low) or any(found.step_high[b] < total for b in kept)
        rounded = Problem((low, high), steps, columns, totals, whole, loose=loose)
        return _with_totals(rounded, printed, total)

    return problem_with


def _with_totals(problem: Problem, printed: PrintedTable, n: OneOrMany) -> Problem:
    """Return the problem with the numbers of positives that may be."""
    if not problem.whole:
        return _with_prevalences(problem, printed)
    if n < LEAST_CASES:
        raise ValueError(f"the bins hold {n:,} cases in all: an audit needs both classes")
    first, last = 1, n - 1
    if printed.prevalence is not None:
        first = max(first, ceil(printed.prevalence[0] * n))
        last = min(last, floor(printed.prevalence[1] * n))
        if first > last:
            raise ValueError(
                f"no number of positives among {n:,} cases gives this prevalence, both classes "
                "being there; look at both"
            )
    if printed.positives is not None:
        if not 0 < printed.positives < n:
            raise ValueError(
                f"{printed.positives:,} of {n:,} cases are said to be positive: an audit needs "
                "both classes"
            )
        first = last = printed.positives
    return replace(problem, totals=range(first, last + 1))


def _with_prevalences(problem: Problem, printed: PrintedTable) -> Problem:
    """Return the problem of shares with the prevalences that may be."""
    window = printed.prevalence
    if window is None and problem.known:
        window = _prevalence_of(problem)
    if window is None:
        raise ValueError(
            "the table has shares only, and no column says how many of the cases are positive: say "
            f"so with {arg('prevalence')}, or with {arg('positives')} and {arg('cases')}"
        )
    low, high = window
    if not 0 < low <= high < 1:
        raise ValueError(
            f"the prevalence must be between 0 and 1, got {float(low):g} to {float(high):g}"
        )
    if low == high:
        return replace(problem, totals=(low,))
    at_ends = replace(problem, totals=(low, high))
    moves = any(column.quantity not in OF_SHARES for column in problem.columns)
    if not moves and not _may_be_pure(at_ends):
        return at_ends
    steps = SCANNED - 1
    scanned = tuple(low + (high - low) * Fraction(i, steps) for i in range(SCANNED))
    return replace(problem, totals=scanned, sharp=False)


def _prevalence_of(problem: Problem) -> tuple[Fraction, Fraction] | None:
    """Return the prevalences that columns of rates allow."""
    free = [
        i for i, c in enumerate(problem.columns) if c.quantity in FREE_OF_TOTAL and not c.from_below
    ]
    if not free:
        return None
    one = Fraction(1)
    found, fits = problem.between(0 * one, one, problem.bounds_at(one, free))
    least = one / 10**9
    low, high = max(found.least.n1, least), min(found.greatest.n1, 1 - least)
    return (low, high) if fits and low <= high else (least, 1 - least)


def _may_be_pure(problem: Problem) -> bool:
    """Tell whether a bin may hold positives only, so that not all moves one way with prevalence."""
    found = problem.solve()
    if found is None or not problem.known or len(found) < how_many(problem.totals):
        return True
    for tables in found.each():
        before = (0, *tables.least.positives)
        for b, size in enumerate(problem.steps[1]):
            most = tables.greatest.positives[b] - before[b]
            if min(tables.step_high[b], most) >= size:
                return True
    return False


def columns_scaled(columns: Sequence[PrintedColumn], problem_with: ProblemWith) -> ReadColumns:
    """Return columns of unclear scale at that which fits, else as shares; refuse two that fit."""

    def fits(read: Sequence[PrintedColumn]) -> bool:
        return problem_with(read).solve() is not None

    sure = [c for c in columns if c.scale is not None]
    if len(sure) == len(columns):
        return tuple(columns)
    beside = sure if sure and fits(sure) else []
    choices = []
    for column in columns:
        may_be = [column]
        if column.scale is None:
            both = [replace(column, scale=scale) for scale in SCALES]
            may_be = [one for one in both if fits([*beside, one])] or both[:1]
        choices.append(may_be)
    every = list(product(*choices))
    fitting = [each for each in every if fits(each)] if len(every) > 1 else every
    for other in fitting[1:]:
        unclear = next(c for c, d in zip(fitting[0], other, strict=True) if c.scale != d.scale)
        raise ValueError(
            f"{unclear.heading} fits as shares and in per cent: write a % behind its numbers, or "
            "give it in shares as text such as '0.10'"
        )
    return (fitting or every)[0]


def minimal_conflicts(problem: Problem) -> list[ColumnNumbers]:
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
        for i in sorted(new):  # without the columns that the conflict does not need
            if not fits(new - {i}):
                new -= {i}
        found.append(new)


def _hitting(conflicts: list[ColumnNumbers]) -> list[ColumnNumbers]:
    """Return the smallest sets that hold a column of each conflict, none within another."""
    found: list[ColumnNumbers] = [frozenset()]
    for conflict in conflicts:
        grown = {old | {i} for old in found if not old & conflict for i in conflict}
        grown |= {old for old in found if old & conflict}
        found = [each for each in grown if not any(other < each for other in grown)]
    return found


def _ends_of_cell(tables: Tables, problem: Problem, i: int, b: int) -> tuple[Fraction, Fraction]:
    quantity, least, greatest = problem.columns[i].quantity, tables.least, tables.greatest
    level = problem.columns[i].level(b)
    p = least.positives[level], greatest.positives[level]
    m = greatest.negatives[level], least.negatives[level]
    if level < b:
        p, m = (least.n1 - p[1], least.n1 - p[0]), (least.n0 - m[1], least.n0 - m[0])
    if quantity in OF_ONE_BIN:
        low, high = (list(bins.each())[b] for bins in (least, greatest))
        p = max(p[0] - high[0], tables.step_low[b], 0), min(p[1] - low[0], tables.step_high[b])
        m = max(m[0] - low[2], 0), m[1] - high[2]
        size, other = (above - p0 + below - m0 for p0, above, m0, below in (low, high))
        if size == other:
            m = size - p[1], size - p[0]
    pairs = [(p[0], m[1]), (p[1], m[0])]
    numbers = [number_of(quantity, *pair, least) for pair in pairs]
    if quantity == "ks_absolute":
        numbers += _least_gaps(pairs, least)
    return min(numbers), max(numbers)


def _least_gaps(pairs: list[tuple[OneOrMany, OneOrMany]], of: Bins) -> list[Fraction]:
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


def counts_alone(printed: PrintedTable) -> PrintedTable | None:
    """Return a table with the columns that count cases and one class only; None without these."""

    def first(*quantities: Quantity) -> PrintedColumn | None:
        return next((c for c in printed.columns if c.quantity in quantities), None)

    cases = first("n", "cum_n")
    classes = [first("positives", "cum_positives"), first("negatives", "cum_negatives")]
    counted = [c for c in classes if c is not None]
    if not counted or (cases is None and len(counted) < len(classes)):
        return None
    columns = counted if cases is None else [cases, counted[0]]
    return replace(printed, columns=tuple(columns), remarks=())


def disagreements(
    printed: PrintedTable, counts: Bins, bins: Sequence[int], rounding: Rounding
) -> tuple[tuple[Fraction, CellFix], ...]:
    """Return each cell that counts do not give, and by how many units, the furthest off first."""
    # `bins` says where the bins of the counts stand in the table.
    found = []
    for column in printed.columns:
        unit = (column.scale or 1) * (-1 if column.flipped else 1)
        windows = windowed(column, rounding).windows
        for place, b in enumerate(bins):
            cell, lies = column.cells[b], windows[b]
            number = _recomputed(column, counts, place)
            if cell is None or lies is None or lies.low <= number <= lies.high:
                continue
            meant = number / unit
            off = abs(meant - cell.value) / (cell.unit or 1)
            name, text = printed.names[b], written_like(meant, cell)
            message = f"bin {name}, {column.heading}: printed {cell.text}, counts give {text}"
            fix = CellFix(column.heading, name, b, cell.text, meant, meant, text, message)
            found.append((off, fix))
    return tuple(sorted(found, key=lambda each: -each[0]))


def _recomputed(column: PrintedColumn, counts: Bins, place: int) -> Fraction:
    """Return what a column has at one bin of counts, in shares."""
    quantity = column.quantity
    p0, p, m0, m = list(counts.each())[place]
    if quantity in DOWN:
        p, m = p - p0, m - m0
    elif column.from_below:
        p, m = counts.n1 - p0, counts.n0 - m0
    if quantity in AS_POSITIVES:
        return Fraction(p + m, 1 if quantity in COUNTED else counts.n)
    return number_of(quantity, p, m, counts)


def misprints(asked: ReadProblem) -> tuple[CellFix, ...]:
    """Return each cell whose number alone keeps the table from fitting."""
    problem, columns = asked.problem, {c.heading: c for c in asked.printed.columns}
    found = []
    for i, active in enumerate(problem.columns):
        if active.heading not in columns:
            continue
        column = columns[active.heading]
        for b, cell in enumerate(column.cells):
            if cell is None or (rest := problem.solve(skip=(i, b))) is None:
                continue
            some = rest.each(MOST_TOTALS_MENDED)
            lows, highs = zip(*(_ends_of_cell(each, problem, i, b) for each in some), strict=True)
            found.append(_fix(column, cell, b, (min(lows), max(highs)), asked))
    return tuple(found)


def _fix(
    column: PrintedColumn, cell: Cell, b: int, ends: tuple[Fraction, Fraction], asked: ReadProblem
) -> CellFix:
    """Return a cell with what would fit there, from where to where, in its own unit and digits."""
    scale = (column.scale or 1) * (-1 if column.flipped else 1)
    low, high = sorted(end / scale for end in ends)
    first, last = written_like(low, cell), written_like(high, cell)
    needed = first if first == last else f"{first} to {last}"
    name = asked.printed.names[b]
    message = f"{column.heading} in bin {name} reads {cell.text}; the rest needs {needed}"
    return CellFix(column.heading, name, b, cell.text, low, high, needed, message)


def written_like(value: Fraction, cell: Cell) -> str:
    """Return a number with as many digits as a printed one, and its per cent sign.

    >>> from capcurve.studies.audit.printed import Cell
    >>> written_like(Fraction(800, 11), Cell(Fraction(737, 10), Fraction(1, 10), "73.7%"))
    '72.7%'
    """
    decimals = decimals_of(cell.unit or 1)
    if not cell.unit and value.denominator != 1:
        decimals = 3
    # Rounded as a whole number, so that no digit is lost in a float.
    digits = str(abs(round(value * 10**decimals))).rjust(decimals + 1, "0")
    text = digits if not decimals else f"{digits[:-decimals]}.{digits[-decimals:]}"
    sign = "-" if value < 0 and text.strip("0.") else ""
    return f"{sign}{text}{'%' if '%' in cell.text else ''}"

"""migration_table: which grade cases had at the start and at the end, and how far they moved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import JointCases, JointCounts, PartialCounts, ScoreCounts
from capcurve.gate.given import as_joint
from capcurve.gate.taking import MOVES, of_two_columns
from capcurve.inference.differences import holm
from capcurve.inference.rates import rate_interval
from capcurve.metrics.association import neighbours
from capcurve.numbers.arguments import arg, as_open_share, spoken, told
from capcurve.numbers.exact import quotient
from capcurve.numbers.meeting import as_written, met
from capcurve.numbers.order import places_in
from capcurve.numbers.types import Array, Bools, Floats, FrozenRecord, Ints
from capcurve.results.findings import CHANCE, MOST_NAMED
from capcurve.show.chart import BLUE, COLOURS, GREY, Axis, Bars, Chart, ScoreTicks, Style
from capcurve.show.columns import ColumnName, formed
from capcurve.show.format import (
    MISSING,
    amount,
    counted,
    cutoff_text,
    first_of,
    limits,
    listed,
    percent,
    plain_names,
    stated_percent,
    tick_text,
)
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.scales import GRADES_OF_CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.inference.records import Interval

# A table of more grades than this nobody reads, and few of its cells hold a case.
MOST_GRADES_IN_MATRIX = 100
WAYS = ("upgraded", "unchanged", "downgraded")
MOVES_OF_POSITIVES = ("positives_up", "positives_unchanged", "positives_down")
GRADES_SEEN = (
    "the scores have no levels: the scale is the grades seen, riskiest first, and one that no "
    "case has is not among them; the mobility measures depend on it"
)
MIGRATION_OF_WEIGHTS = (
    "cases carry weights: shares are of their sum, and there are no intervals and no tests"
)
MATRIX_BAR_WIDTH = 0.72
# From the middle of the first bar to the axis.
HALF_STEP = 0.6
LONGEST_GRADE_NAME = 12
LETTERS_BELOW_BARS = 56
NO_GRADE = "no grade at the end"
ON_MWB = (
    "The MWB (matrix-weighted bandwidth, ECB 2019, 2.5.5.1) is how far cases moved that way, as a "
    "share of the farthest that they could have moved."
)
ON_CELLS = (
    "share is of all cases that began in the grade, whatever became of them; p value is one-sided, "
    "for this many more moves to this grade than to the one before it if both are equally likely; "
    "p adjusted is Holm's"
)
ON_DIRECTION = "Grades run from the riskiest to the best: an upgrade is a move to a less risky one."


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Migration(FrozenRecord, Result):
    """The migration of cases between the grades of one scale; overrides are moves as well.

    Attributes
    ----------
    start, end
        The two scores: grades at the start and at the end of a period, or the model's grade and
        the final one.
    grades
        The scale, the riskiest first, shape (K,): moves above the diagonal are upgrades.
    matrix, positives
        All cases, and the positives alone, by grade at the start (rows) and at the end, shape
        (K, K); `positives` is None where outcomes are not known.
    without_end
        For each label that is no grade, its cases by grade at the start, shape (K,). Of the other
        numbers only those of `cells` count them.
    unchanged, within_one, upgraded, downgraded
        Shares of the cases with both grades: with the same grade, within one grade of it, with a
        better one, with a worse one.
    moved, up, down
        The shares that changed grade, that rose and that fell, with Jeffreys limits; None where
        cases carry weights.
    positives_up, positives_unchanged, positives_down
        The rates of positives among cases that rose, stayed and fell, with Jeffreys limits; None
        where there are no such cases, where outcomes are not known, or where cases carry weights.
    tau_b
        Kendall's tau-b of both grades; None where all cases share a grade.
    mwb_upper, mwb_lower
        The ECB's matrix-weighted bandwidth of upgrades and of downgrades: 1 where all who moved
        moved as far as they could, None where nobody moved that way.
    table
        The matrix with a row per grade at the start, and the labels that are no grade.
    moves
        A row each for cases upgraded, unchanged and downgraded: their share and, where outcomes
        are known, their rate of positives.
    cells
        A row per cell off the diagonal: `share` of all cases that began in the grade, those
        without a grade at the end among them; the ECB's `z` against the neighbour one nearer to
        the diagonal, `p_value` = Φ(z) and Holm's adjustment of it. A small one says that more
        cases moved farther. NaN where the variance is 0.
    level
        Confidence level of the limits.
    notes
        What a reader must know.
    """

    _left_out = frozenset({"table", "moves"})
    _as_rows = frozenset({"cells"})

    start: str
    end: str
    grades: tuple[Any, ...]
    matrix: Array
    positives: Array | None
    without_end: Mapping[str, Array]
    unchanged: float
    within_one: float
    upgraded: float
    downgraded: float
    moved: Interval | None
    up: Interval | None
    down: Interval | None
    positives_up: Interval | None
    positives_unchanged: Interval | None
    positives_down: Interval | None
    tau_b: float | None
    mwb_upper: float | None
    mwb_lower: float | None
    table: Table
    moves: Table
    cells: Table
    level: float
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        start, end = plain_names((self.start, self.end))
        return Presentation(
            title=f"Migration from {start} to {end}",
            sentences=tuple(_sentences(self)),
            source=f"{counted(self.matrix.sum().item(), 'case')} with both grades",
            figures=tuple(_figures(self)),
            level=self.level,
            charts=(_chart(self),),
            tables=tuple(_tables(self)),
            notes=(ON_DIRECTION, ON_MWB, *as_sentences(self.notes)),
        )


def _as_joint_cells(given: Any, name: str, needed: str = "") -> JointCounts | JointCases:
    """Return joint counts or cases, or those of an evaluation, else raise TypeError."""
    if isinstance(given, PartialCounts):
        given = given.cases
    if isinstance(given, JointCases):
        return given
    found = as_joint(given, name)
    if isinstance(found, JointCounts):
        return found
    raise TypeError(
        f"{name} counts cases, and these are counts of amounts: write "
        f"{name}(count_joint(amount > 0, [p1, p2]){needed})"
    )


@of_two_columns(MOVES, _as_joint_cells)
def migration_table(
    joint: JointCounts | JointCases,
    start: str,
    end: str,
    *,
    outside: Iterable[object] = (),
    level: float = 0.95,
) -> Migration:
    """Return the migration matrix: how many cases moved from which grade to which, and how far.

    For overrides `start` is the model's grade and `end` the final one; whether the final grades
    rank better is `compare(joint)`.

    Raises `ValueError` without cases, where the scores have different grades, for more than 100
    grades, for a label that is not there, and where a case has no grade at the start.

    Parameters
    ----------
    joint
        Both grades of the same cases, from `count_joint` with the same `levels` for both, or from
        `count_cases` where outcomes are not known. Cases of both classes count.
    start, end
        Names of two of its scores.
    outside
        Labels of the end score that are no grade, such as "default" or "left". They must be among
        its levels; their cases are counted beside the matrix.
    level
        Confidence level of the limits.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5.5.1 and
    2.5.5.2. The riskiest grade comes first, so that upgrades stand above the diagonal; on a scale
    that begins with the best grade upper and lower swap. Upper MWB is Σ|i-j|·N_ij over j > i,
    divided by Σ max(K-i, i-1)·N_ij over the same cells; most grades cannot reach 1. The shares of
    cells, and so z, divide by all N_i cases that began in the grade, whatever became of them.
    Scores without levels are put on the scale of the grades that are seen.

    Examples
    --------
    Of 4 cases one rises from C to B, the most that it can be is A: MWB 1/2; one falls as far as it
    can.

    >>> from capcurve import count_joint
    >>> joint = count_joint(
    ...     [1, 0, 0, 0],
    ...     {"before": ["C", "C", "B", "A"], "after": ["C", "B", "B", "C"]},
    ...     levels=["C", "B", "A"],
    ... )
    >>> found = migration_table(joint, "before", "after")
    >>> found.unchanged, found.mwb_upper, found.mwb_lower
    (0.5, 0.5, 1.0)
    >>> found.table
    from  to C  to B  to A  n
       C     1     1     0  2
       B     0     1     0  1
       A     1     0     0  1
    """
    level = as_open_share(level, "level")
    if start == end:
        raise ValueError(f"start and end are both {start!r}; name two scores")
    labels = outside_labels(outside)
    known, joint = (False, joint.held) if isinstance(joint, JointCases) else (True, joint)
    grades, places = places_of(joint, start, end, labels)
    size = len(grades)
    shape = (size, size + len(labels))
    classes = joint.positives, joint.negatives
    positives, negatives = (_sums(each, places, shape) for each in classes)
    cases = positives + negatives
    matrix, positives = cases[:, :size], positives[:, :size]
    if not matrix.sum() > 0:
        raise ValueError(f"no case has a grade both in {start} and in {end}")
    names = headings((*grades, *labels))
    table = {"from": label_column(grades), **dict(zip(names, cases.T, strict=True))}
    return Migration(
        start=start,
        end=end,
        grades=grades,
        matrix=matrix,
        positives=positives if known else None,
        without_end={label: cases[:, size + k] for k, label in enumerate(labels)},
        **_moved(matrix),
        **_by_way(matrix, positives if known else None, level, whole=joint.is_whole),
        table=Table("migration", {**table, "n": cases.sum(axis=1)}, square=True),
        cells=_cells(grades, matrix, cases.sum(axis=1), tested=joint.is_whole),
        level=level,
        notes=_notes(joint, start, end),
    )


def _moved(matrix: Array) -> dict[str, Any]:
    """Return the shares of cases that moved each way, and how far they moved."""
    better, same, worse = ways_of(len(matrix))
    return {
        "unchanged": share_of(matrix, same),
        "within_one": share_of(matrix, np.abs(steps_of(len(matrix))) <= 1),
        "upgraded": share_of(matrix, better),
        "downgraded": share_of(matrix, worse),
        "tau_b": tau_b(matrix),
        "mwb_upper": mobility(matrix, better),
        "mwb_lower": mobility(matrix, worse),
    }


def _by_way(matrix: Array, positives: Array | None, level: float, *, whole: bool) -> dict[str, Any]:
    """Return limits of the shares that moved each way and of their rates, and the table of both."""
    ways, total = ways_of(len(matrix)), matrix.sum()
    cases = np.array([matrix[way].sum() for way in ways])
    shares = [_limits(n, total, level, whole=whole) for n in cases]
    columns = {"move": np.array(WAYS), "n": cases, "share": cases / total, **_ends("share", shares)}
    rates: list[Interval | None] = [None] * len(ways)
    if positives is not None:
        some = np.array([positives[way].sum() for way in ways])
        rates = [_limits(p, n, level, whole=whole) for p, n in zip(some, cases, strict=True)]
        rate = quotient(some, cases, np.nan)
        columns |= {"positives": some, "rate": rate, **_ends("rate", rates)}
    return {
        "moved": _limits(cases[0] + cases[2], total, level, whole=whole),
        "up": shares[0],
        "down": shares[2],
        **dict(zip(MOVES_OF_POSITIVES, rates, strict=True)),
        "moves": Table("moves", formed(columns, share="share_low share_high rate_low rate_high")),
    }


def outside_labels(outside: Any) -> tuple[Any, ...]:
    """Return the labels of the end that are no grade, else raise TypeError."""
    given = (outside,) if isinstance(outside, str) else outside
    listed = isinstance(given, Iterable) and not isinstance(given, bytes | Mapping)
    each = tuple(given) if listed else ()
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in each)
    if not listed or any(not isinstance(label, str | int | float) for label in labels):
        raise TypeError(
            'outside must list labels of the end score that are no grade, such as ["default"], '
            f"got {told(outside)}"
        )
    return tuple(dict.fromkeys(labels))


def _limits(some: Any, of: Any, level: float, *, whole: bool) -> Interval | None:
    """Return the share of some cases with its limits, or None where a case is no unit."""
    if not whole or not of > 0:
        return None
    return rate_interval(int(some), int(of), level=level)


def _ends(name: str, found: list[Interval | None]) -> dict[str, Array]:
    ends = [(np.nan, np.nan) if each is None else (each.low, each.high) for each in found]
    low, high = np.array(ends, dtype=np.float64).T
    return {f"{name}_low": low, f"{name}_high": high}


def _cells(grades: tuple[Any, ...], matrix: Array, began: Array, *, tested: bool) -> Table:
    """Return a row per cell off the diagonal, with its test against the nearer neighbour."""
    rows, columns = np.nonzero(steps_of(len(grades)))
    tests = tests_of_cells(matrix, began) if tested else (np.full(matrix.shape, np.nan),) * 3
    found = {"n": matrix, "share": shares_of_began(matrix, began)}
    found |= dict(zip(("z", "p_value", "p_adjusted"), tests, strict=True))
    names = label_column(grades)
    ends = {"from": names[rows], "to": names[columns]}
    found = {name: each[rows, columns] for name, each in found.items()}
    return Table("cells", formed(ends | found, statistic="z"))


def _notes(joint: JointCounts, start: str, end: str) -> tuple[str, ...]:
    """Return what a reader must know of these cases."""
    dropped = {} if joint.dropped is None else joint.dropped.columns
    notes = [
        f"{counted(dropped[name], 'row')} without {name} left out"
        for name in (start, end)
        if dropped.get(name)
    ]
    if joint.levels[joint.names.index(start)] is None:
        notes.append(GRADES_SEEN)
    if not joint.is_whole:
        notes.append(MIGRATION_OF_WEIGHTS)
    elif joint.groups is not None:
        notes.append(GRADES_OF_CLUSTERS)
    return tuple(notes)


# The matrix, and the numbers read off it


def places_of(
    joint: JointCounts, start: str, end: str, outside: tuple[Any, ...]
) -> tuple[tuple[Any, ...], tuple[Ints, Ints]]:
    """Return the grades, and between which of them each cell moves, else raise ValueError."""
    # Labels of the end that are no grade have the places behind those of the grades.
    first, last = joint.margin(start), joint.margin(end)
    both = met([first.thresholds, last.thresholds])
    before, after = (as_written(each).tolist() for each in both)
    grades = _grades(first, last, {*before, *after}, (start, end), outside)
    row_of = {grade: place for place, grade in enumerate(grades)}
    if left := [value for value in before if value not in row_of]:
        raise ValueError(
            f"{start} has cases at {first_of(map(repr, left), MOST_NAMED)}, which "
            f"{spoken('outside=')} says is no grade; every case needs a grade at the start"
        )
    column_of = row_of | {label: len(grades) + place for place, label in enumerate(outside)}
    score, later = (joint.scores[joint.names.index(name)] for name in (start, end))
    rows = np.array([row_of[value] for value in before], dtype=np.int64)
    columns = np.array([column_of[value] for value in after], dtype=np.int64)
    return grades, (rows[places_in(first, score)], columns[places_in(last, later)])


def _sums(cases: Array, places: tuple[Ints, Ints], shape: tuple[int, int]) -> Array:
    """Return how many cases of some cells stand at each pair of places."""
    found = np.zeros(shape, dtype=np.float64 if cases.dtype.kind == "f" else np.int64)
    np.add.at(found, places, cases)
    return found


def _grades(
    first: ScoreCounts,
    last: ScoreCounts,
    scores: set[Any],
    names: tuple[str, str],
    outside: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Return the grades of the scale, the riskiest first."""
    start, end = names
    if first.levels is None and last.levels is None:
        if first.higher_is != last.higher_is:
            raise ValueError(
                f"higher is {first.higher_is} for {start} and {last.higher_is} for {end}; both "
                "need grades of one scale"
            )
        grades = tuple(sorted(scores - set(outside), reverse=first.higher_is == "positive"))
    else:
        model, grades = (
            tuple(level for level in each.levels or () if level not in outside)
            for each in (first, last)
        )
        if model != grades or first.levels is None or last.levels is None:
            raise ValueError(
                f"{start} and {end} need the same grades in the same order: count both with one "
                f"{arg(levels=...)}, and name labels of the end that are no grade in outside=[...]"
            )
        if unknown := [label for label in outside if label not in last.levels]:
            named = first_of(map(repr, unknown), MOST_NAMED)
            raise ValueError(f"{spoken('outside=')} names {named}, which is no label of {end}")
    if len(grades) > MOST_GRADES_IN_MATRIX:
        raise ValueError(
            f"{start} and {end} have {len(grades):,} different values, and a migration table takes "
            f"{MOST_GRADES_IN_MATRIX} grades at most; count grades, or pass {arg('resolution')} "
            "when counting"
        )
    return grades


def steps_of(grades: int) -> Ints:
    """Return by how many grades each cell moves: above 0 to a better one, shape (K, K)."""
    places = np.arange(grades)
    return places[None, :] - places[:, None]


def ways_of(grades: int) -> tuple[Bools, Bools, Bools]:
    """Return which cells move to a better grade, which stay, and which move to a worse one."""
    steps = steps_of(grades)
    return steps > 0, steps == 0, steps < 0


def headings(grades: Sequence[Any]) -> list[str]:
    """Return a column's name for each grade at the end; 1 and "1" stay apart.

    >>> headings(["A", 2]), headings([1, "1"])
    (['to A', 'to 2'], ['to 1', "to '1'"])
    """
    names = [f"to {cutoff_text(grade)}" for grade in grades]
    return names if len(set(names)) == len(names) else [f"to {grade!r}" for grade in grades]


def _exact(matrix: Array) -> Array:
    """Return whole cases as integers without a limit, and weights as shares of their sum."""
    return matrix / matrix.sum() if matrix.dtype.kind == "f" else matrix.astype(object)


def share_of(matrix: Array, which: Bools) -> float:
    """Return the share of cases in some cells."""
    cells = _exact(matrix)
    return float(cells[which].sum() / cells.sum())


def mobility(matrix: Array, better: Bools) -> float | None:
    """Return the upper MWB, of moves to `better` grades, or the lower; None without such moves."""
    # Σ|i-j|·N_ij over the moves, in units of the farthest that those cases could move.
    size = len(matrix)
    places = np.arange(size)
    moving = np.where(better, _exact(matrix), 0)
    reach = np.maximum(size - 1 - places, places)
    most = (reach * moving.sum(axis=1)).sum()
    return float((np.abs(steps_of(size)) * moving).sum() / most) if most > 0 else None


def tau_b(matrix: Array) -> float | None:
    """Return Kendall's tau-b of both grades; None where all cases share a grade."""
    cells = _exact(matrix)
    total = cells.sum()
    own = [total**2 - (cells.sum(axis=axis) ** 2).sum() for axis in (0, 1)]
    if not (own[0] > 0 and own[1] > 0):
        return None
    in_order, out_of_order = neighbours(cells)
    balance = (cells * (in_order - out_of_order)).sum()
    found = balance / math.sqrt(own[0]) / math.sqrt(own[1])
    return float(min(max(found, -1.0), 1.0))


def shares_of_began(matrix: Array, began: Array) -> Floats:
    """Return where the cases that began in each grade went, as shares of them; NaN of none."""
    return quotient(matrix, began[:, None], np.nan)


def tests_of_cells(matrix: Array, began: Array) -> tuple[Floats, Floats, Floats]:
    """Return z, Φ(z) and Holm's adjustment of every cell off the diagonal, NaN where undefined."""
    # z is the ECB's, of each cell against its neighbour one nearer to the diagonal: (p_nearer -
    # p_ij)/√((p_nearer + p_ij - (p_nearer - p_ij)²)/N_i), of two shares of one multinomial sample.
    from scipy.special import ndtr

    share, steps = shares_of_began(matrix, began), steps_of(len(matrix))
    rows = np.arange(len(matrix))[:, None]
    nearer = share[rows, np.arange(len(matrix))[None, :] - np.sign(steps)]
    variance = share + nearer - (nearer - share) ** 2
    z = np.full(matrix.shape, np.nan)
    cases = np.broadcast_to(began[:, None], matrix.shape)
    np.divide(nearer - share, np.sqrt(variance / cases), out=z, where=(steps != 0) & (variance > 0))
    p_value = ndtr(z)
    adjusted = np.full(z.shape, np.nan)
    known = ~np.isnan(z)
    adjusted[known] = holm(p_value[known].tolist())
    return z, p_value, adjusted


# What it shows


def _sentences(found: Migration) -> Iterator[str]:
    cases = counted(found.matrix.sum().item(), "case")
    low, high = _kept(found)
    ends = limits("share", low, high)
    yield (
        f"{percent(found.unchanged)}{ends and f' {ends}'} of {cases} kept their grade, and "
        f"{percent(found.within_one)} moved at most one notch."
    )
    yield f"{percent(found.upgraded)} were upgraded and {percent(found.downgraded)} downgraded."
    beside = [f"{amount(cases.sum().item())} {label}" for label, cases in found.without_end.items()]
    if beside:
        yield (
            f"These shares leave out cases without a grade at the end ({', '.join(beside)}); the "
            "shares of each grade count them."
        )
    adjusted = found.cells["p_adjusted"]
    tested, farther = int((~np.isnan(adjusted)).sum()), int((adjusted < CHANCE).sum())
    if tested:
        cells = non_monotone(found)
        pairs = zip(cells["from"], cells["to"], strict=True)
        moves = listed((f"{cutoff_text(a)} to {cutoff_text(b)}" for a, b in pairs), MOST_NAMED)
        chance, of = stated_percent(CHANCE), counted(tested, "cell")
        yield (
            f"In {farther} of {of}, significantly more cases moved to a farther grade than to the "
            f"nearer one: {moves} ({chance}, Holm)."
            if farther
            else f"In none of {of} did significantly more cases move to a farther grade than to "
            f"the nearer one ({chance}, Holm)."
        )


def _kept(found: Migration) -> tuple[float | None, float | None]:
    """Return the limits of the share that kept its grade."""
    return (None, None) if found.moved is None else (1 - found.moved.high, 1 - found.moved.low)


def _figures(found: Migration) -> Iterator[Figure]:
    yield Figure("unchanged", "unchanged", "unchanged", found.unchanged, "share", *_kept(found))
    label = "moved at most one notch"
    yield Figure("within_one", label, label, found.within_one, "share")
    moved = {"upgraded": (found.upgraded, found.up), "downgraded": (found.downgraded, found.down)}
    for key, (share, interval) in moved.items():
        ends = () if interval is None else (interval.low, interval.high)
        yield Figure(key, key, key, share, "share", *ends)
    upper, lower = found.mwb_upper, found.mwb_lower
    yield Figure("mwb_upper", "upper MWB", "upper MWB", upper, "ratio", note="upgrades")
    yield Figure("mwb_lower", "lower MWB", "lower MWB", lower, "ratio", note="downgrades")
    yield Figure("tau_b", "Kendall's tau-b", "tau-b", found.tau_b, "ratio")


def _tables(found: Migration) -> Iterator[Table]:
    start, end = plain_names((found.start, found.end))
    yield Table(f"Cases by {start} and {end}", found.table.columns, square=True)
    names = headings((*found.grades, *found.without_end))
    shares = shares_of_began(_with_labels(found), _with_labels(found).sum(axis=1))
    went = np.where(shares > 0, shares, np.nan).T
    columns = {"from": found.table["from"]}
    shown = (ColumnName(name, "share", name) for name in names)
    columns |= dict(zip(shown, went, strict=True))
    yield Table("Where the cases of each grade went", columns, square=True)
    yield _moves(found)
    farther = non_monotone(found)
    if len(farther):
        yield farther


def _with_labels(found: Migration) -> Array:
    """Return the matrix with a column for each label that is no grade."""
    return np.column_stack([found.matrix, *found.without_end.values()])


def _moves(found: Migration) -> Table:
    """Return how many cases moved each way and, if there are any, the rates of positives."""
    moves = found.moves
    columns: dict[str, Array] = {"move": moves["move"], "n": moves["n"]}
    outcomes = found.positives is not None and found.positives.any()
    for name in ("share", "rate") if outcomes else ("share",):
        if name == "rate":
            columns["positives"] = moves["positives"]
        columns[name] = _percents(moves[name])
        if not np.isnan(moves[f"{name}_low"]).all():
            ends = zip(moves[f"{name}_low"].tolist(), moves[f"{name}_high"].tolist(), strict=True)
            columns[f"{stated_percent(found.level)} interval of the {name}"] = np.array(
                [limits("share", low, high) or MISSING for low, high in ends]
            )
    return Table("Cases that moved and that stayed", columns)


def _percents(shares: Floats) -> Array:
    """Return shares as text, where there is none as a dash."""
    return np.array([MISSING if np.isnan(each) else percent(each) for each in shares])


def non_monotone(found: Migration) -> Table:
    """Return the cells that significantly more cases moved to than to the grade before them."""
    cells = found.cells
    which = np.flatnonzero(cells["p_adjusted"] < CHANCE)
    which = which[np.argsort(cells["p_value"][which], kind="stable")]
    names = ("from", "to", "n", "share", "p_value", "p_adjusted")
    columns = {name: cells[name][which] for name in names}
    columns["share"] = _percents(columns["share"])
    return Table("Non-monotone migrations (more cases moved further)", columns, ON_CELLS)


def _chart(found: Migration) -> Chart:
    """Return bars of what became of the cases of each grade, side by side."""
    sums = _with_labels(found).sum(axis=1)
    full = np.flatnonzero(sums > 0)
    parts = [
        np.where(way, found.matrix, 0).sum(axis=1)[full] / sums[full] for way in ways_of(len(sums))
    ]
    better, same, worse = parts
    at, names = full.astype(np.float64), _names(found)
    bars = [
        (worse, np.zeros(len(full)), "downgraded", COLOURS[1], "///"),
        (same, worse, "unchanged", GREY, ""),
        (better, worse + same, "upgraded", BLUE, "..."),
    ]
    kept = worse + same + better
    if found.without_end:
        bars.append((1 - kept, kept, NO_GRADE, COLOURS[3], "xx"))
    ends = (-HALF_STEP, len(sums) - 1 + HALF_STEP)
    return Chart(
        title="What became of the cases of each grade",
        x=Axis(f"{plain_names([found.start])[0]}, riskiest first", "score", ends=ends),
        y=Axis("share of the grade's cases", "share", ends=(0.0, 1.0)),
        bars=[
            Bars(shares, label, Style(colour), None, at, MATRIX_BAR_WIDTH, hatch, base)
            for shares, base, label, colour, hatch in bars
        ],
        scores=_ticks(names),
        columns=len(bars),
        description="; ".join(
            f"{names[place]}: "
            + ", ".join(f"{percent(shares[row])} {label}" for shares, _, label, *_ in bars)
            for row, place in enumerate(full.tolist())
        ),
    )


def _ticks(names: list[str]) -> ScoreTicks:
    """Return the names of the grades below their bars, or of every second or third one."""
    most = max(LETTERS_BELOW_BARS // (max(map(len, names)) + 2), 2)
    step = -(-len(names) // most)
    return ScoreTicks(np.arange(0, len(names), step, dtype=np.float64), names[::step])


def _names(found: Migration) -> list[str]:
    named = [each if isinstance(each, str) else tick_text(each) for each in found.grades]
    return plain_names(named, LONGEST_GRADE_NAME)

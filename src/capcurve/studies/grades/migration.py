"""migration_table: which grade cases had at the start and at the end, and how far they moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import JointCases, JointCounts, PartialCounts
from capcurve.counts.arguments import as_open_share, told
from capcurve.counts.given import as_joint, resolving
from capcurve.inference.rates import rate_interval
from capcurve.show.format import counted
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.adjacent import CLUSTERED
from capcurve.studies.grades.moves import (
    Migrated,
    headings,
    mobility,
    places_of,
    share_of,
    shares_by_row,
    steps_of,
    tau_b,
    tests_of,
    ways_of,
)
from capcurve.studies.grades.moves_shown import presentation_of

if TYPE_CHECKING:
    from capcurve.counts.types import Array
    from capcurve.inference.records import Interval
    from capcurve.show.presentation import Presentation

WAYS = ("upgraded", "unchanged", "downgraded")
OF_POSITIVES = ("positives_up", "positives_unchanged", "positives_down")
GRADES_SEEN = (
    "the scores have no levels: the scale is the grades seen, riskiest first, and one that no "
    "case has is not among them; the mobility measures depend on it"
)
WEIGHTED = "cases carry weights: shares are of their sum, and there are no limits and no tests"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Migration(Migrated, Result):
    """How cases moved between the grades of one scale; overrides are moves as well.

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
        For each label that is no grade, its cases by grade at the start, shape (K,). They are in
        no other number.
    unchanged, within_one, upgraded, downgraded
        Shares of all cases: with the same grade, within one grade of it, with a better one, with
        a worse one.
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
        A row per cell off the diagonal: `share` of the row, the ECB's `z` against the neighbour
        one nearer to the diagonal, `p_value` = Φ(z) and Holm's adjustment of it. A small one says
        that more cases moved farther. NaN where the variance is 0.
    level
        Confidence level of the limits.
    notes
        What a reader must know.
    """

    _left_out = frozenset({"table", "moves"})
    _as_rows = frozenset({"cells"})

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of(self)


def _as_cells(given: Any, name: str, needed: str = "") -> JointCounts | JointCases:
    """Return joint counts or cases, or those of an evaluation, else raise TypeError."""
    if isinstance(given, PartialCounts):
        given = given.cases
    if isinstance(given, JointCases):
        return given
    found = as_joint(given, name, needed)
    if isinstance(found, JointCounts):
        return found
    raise TypeError(
        f"{name} counts cases, and these are counts of amounts: write "
        f"{name}(count_joint(amount > 0, [p1, p2]){needed})"
    )


@partial(resolving, resolve=_as_cells)
def migration_table(
    joint: JointCounts | JointCases,
    start: str,
    end: str,
    *,
    outside: Iterable[object] = (),
    level: float = 0.95,
) -> Migration:
    """Count how many cases moved from which grade to which, and say how far they moved.

    For overrides `start` is the model's grade and `end` the final one; whether the final grades
    rank better is `compare(joint)`.

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

    Returns
    -------
    Migration
        The matrix, shares that moved, the ECB's mobility measures and tests; it shows itself as
        text, picture and page.

    Raises
    ------
    ValueError
        Without cases, where the scores have different grades, for more than 100 grades, for a label
        that is not there, and where a case has no grade at the start.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5.5.1. The
    riskiest grade comes first, so that upgrades stand above the diagonal; on a scale that begins
    with the best grade upper and lower swap. Upper MWB is Σ|i-j|·N_ij over j > i, divided by
    Σ max(K-i, i-1)·N_ij over the same cells; most grades cannot reach 1. Scores without levels are
    put on the scale of the grades that are seen.

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
    labels = _labels(outside)
    known, joint = (False, joint.held) if isinstance(joint, JointCases) else (True, joint)
    places = places_of(joint, start, end, labels)
    positives, negatives = (places.sums(each) for each in (joint.positives, joint.negatives))
    cases, size = positives + negatives, len(places.grades)
    matrix, positives = cases[:, :size], positives[:, :size]
    if not matrix.sum() > 0:
        raise ValueError(f"no case has a grade both in {start} and in {end}")
    return Migration(
        start=start,
        end=end,
        grades=places.grades,
        matrix=matrix,
        positives=positives if known else None,
        without_end={label: cases[:, size + k] for k, label in enumerate(labels)},
        **_numbers(matrix),
        **_by_way(matrix, positives if known else None, level, whole=joint.is_whole),
        table=_table(places.grades, labels, cases),
        cells=_cells(places.grades, matrix, tested=joint.is_whole),
        level=level,
        notes=_notes(joint, start, end),
    )


def _numbers(matrix: Array) -> dict[str, Any]:
    """Return the shares that moved, how far they moved, and how much of the order is left."""
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
        rate = np.full(len(ways), np.nan)
        np.divide(some, cases, out=rate, where=cases > 0)
        columns |= {"positives": some, "rate": rate, **_ends("rate", rates)}
    return {
        "moved": _limits(cases[0] + cases[2], total, level, whole=whole),
        "up": shares[0],
        "down": shares[2],
        **dict(zip(OF_POSITIVES, rates, strict=True)),
        "moves": Table("moves", columns),
    }


def _labels(outside: Any) -> tuple[Any, ...]:
    """Return the labels of the end that are no grade, else raise TypeError."""
    given = (outside,) if isinstance(outside, str) else outside
    listed = isinstance(given, Iterable) and not isinstance(given, bytes | Mapping)
    labels = tuple(given) if listed else ()
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


def _table(grades: tuple[Any, ...], labels: tuple[Any, ...], cases: Array) -> Table:
    """Return the matrix as a table, with a row per grade at the start."""
    names = headings((*grades, *labels))
    columns = {"from": label_column(grades), **dict(zip(names, cases.T, strict=True))}
    return Table("migration", {**columns, "n": cases.sum(axis=1)})


def _ends(name: str, found: list[Interval | None]) -> dict[str, Array]:
    ends = [(np.nan, np.nan) if each is None else (each.low, each.high) for each in found]
    low, high = np.array(ends, dtype=np.float64).T
    return {f"{name}_low": low, f"{name}_high": high}


def _cells(grades: tuple[Any, ...], matrix: Array, *, tested: bool) -> Table:
    """Return a row per cell off the diagonal, with its test against the nearer neighbour."""
    rows, columns = np.nonzero(steps_of(len(grades)))
    nothing = (np.full(matrix.shape, np.nan),) * 3
    z, p_value, adjusted = tests_of(matrix) if tested else nothing
    found = {
        "n": matrix,
        "share": shares_by_row(matrix),
        "z": z,
        "p_value": p_value,
        "p_adjusted": adjusted,
    }
    names = label_column(grades)
    ends = {"from": names[rows], "to": names[columns]}
    return Table("cells", {**ends, **{name: each[rows, columns] for name, each in found.items()}})


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
        notes.append(WEIGHTED)
    elif joint.groups is not None:
        notes.append(CLUSTERED)
    return tuple(notes)

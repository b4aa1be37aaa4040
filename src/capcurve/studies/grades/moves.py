"""How many cases moved from which grade to which: the matrix, and the numbers read off it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.order import grid_value
from capcurve.counts.settings import names_of
from capcurve.counts.types import FrozenRecord
from capcurve.inference.differences import holm
from capcurve.show.format import cutoff_text, first_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import JointCounts
    from capcurve.counts.types import Array, Bools, Floats, Ints
    from capcurve.inference.records import Interval
    from capcurve.show.table import Table

# A table of more grades than this nobody reads, and few of its cells hold a case.
MOST_GRADES = 100
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Migrated(FrozenRecord):
    """What is known of cases that moved between grades; `Migration` says what each attribute is."""

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


@dataclass(frozen=True, slots=True)
class Places:
    """Where each cell of joint counts stands: the grade at the start, and that at the end.

    Places from `len(grades)` on are the labels of the end that are no grade.
    """

    grades: tuple[Any, ...]
    outside: tuple[Any, ...]
    start: Ints
    end: Ints

    def sums(self, cases: Array) -> Array:
        """Return how many cases stand at each pair of places, shape (K, K + labels)."""
        kind = np.float64 if cases.dtype.kind == "f" else np.int64
        shape = (len(self.grades), len(self.grades) + len(self.outside))
        found = np.zeros(shape, dtype=kind)
        np.add.at(found, (self.start, self.end), cases)
        return found


def places_of(joint: JointCounts, start: str, end: str, outside: tuple[Any, ...]) -> Places:
    """Return where each cell stands, or raise ValueError where the grades do not fit together."""
    (before, row), (after, column) = (_values(joint, name) for name in (start, end))
    grades = _grades(joint, start, end, (before, after), outside)
    row_of = {grade: place for place, grade in enumerate(grades)}
    left = [value for value in before if value not in row_of]
    if left:
        raise ValueError(
            f"{start} has cases at {first_of(map(repr, left), MOST_NAMED)}, which outside= says is "
            "no grade; every case needs a grade at the start"
        )
    column_of = row_of | {label: len(grades) + place for place, label in enumerate(outside)}
    return Places(
        grades,
        outside,
        np.array([row_of[value] for value in before], dtype=np.int64)[row],
        np.array([column_of[value] for value in after], dtype=np.int64)[column],
    )


def _values(joint: JointCounts, name: str) -> tuple[list[Any], Ints]:
    """Return the distinct grades of a score as people read them, and which one each cell has."""
    if name not in joint.names:
        raise ValueError(f"no score {name!r} here; have {list(joint.names)}")
    place = joint.names.index(name)
    values, inverse = np.unique(joint.scores[place], return_inverse=True)
    levels = joint.levels[place]
    if levels is not None:
        values = names_of(values, levels)
    elif joint.resolution is not None:
        values = grid_value(values, joint.resolution)
    return values.tolist(), inverse.astype(np.int64)


def _grades(
    joint: JointCounts,
    start: str,
    end: str,
    seen: tuple[list[Any], list[Any]],
    outside: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Return the grades of the scale, the riskiest first."""
    here, there = (joint.names.index(name) for name in (start, end))
    levels, later = joint.levels[here], joint.levels[there]
    if levels is None and later is None:
        if joint.higher_is[here] != joint.higher_is[there]:
            raise ValueError(
                f"higher is {joint.higher_is[here]} for {start} and {joint.higher_is[there]} for "
                f"{end}; both need grades of one scale"
            )
        numbers = {*seen[0], *seen[1]} - set(outside)
        grades = tuple(sorted(numbers, reverse=joint.higher_is[here] == "positive"))
    else:
        grades = _without(later or (), outside)
        unknown = [label for label in outside if label not in (later or ())]
        if _without(levels or (), outside) != grades or levels is None or later is None:
            raise ValueError(
                f"{start} and {end} need the same grades in the same order: count both with one "
                "levels=[...], and name labels of the end that are no grade in outside=[...]"
            )
        if unknown:
            names = first_of(map(repr, unknown), MOST_NAMED)
            raise ValueError(f"outside= names {names}, which is no label of {end}")
    if len(grades) > MOST_GRADES:
        raise ValueError(
            f"{start} and {end} have {len(grades):,} different values, and a migration table "
            f"takes {MOST_GRADES} grades at most; count grades, or pass resolution= when counting"
        )
    return grades


def _without(levels: tuple[Any, ...], outside: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(level for level in levels if level not in outside)


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
    """Return the upper MWB, of moves to `better` grades, or the lower; None without such moves.

    Σ|i-j|·N_ij over the moves, in units of the farthest that those cases could move.
    """
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
    balance = 2 * (
        (cells * _beyond(cells)).sum() - (cells * _beyond(cells[:, ::-1])[:, ::-1]).sum()
    )
    found = balance / math.sqrt(own[0]) / math.sqrt(own[1])
    return float(min(max(found, -1.0), 1.0))


def _beyond(cells: Array) -> Array:
    """Return the cases below and to the right of each cell."""
    size = len(cells)
    found = np.zeros((size + 1, size + 1), dtype=cells.dtype)
    found[:size, :size] = cells[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    beyond: Array = found[1:, 1:]
    return beyond


def shares_by_row(matrix: Array) -> Floats:
    """Return where the cases of each grade went, as shares of the row; NaN in an empty row."""
    sums = matrix.sum(axis=1, keepdims=True)
    found = np.full(matrix.shape, np.nan)
    np.divide(matrix, sums, out=found, where=sums > 0)
    return found


def against_nearer(matrix: Array) -> Floats:
    """Return the ECB's z of each cell against its neighbour one nearer to the diagonal.

    (p_nearer - p_ij)/√((p_nearer + p_ij - (p_nearer - p_ij)²)/N_i), the difference of two shares
    of one multinomial sample; NaN on the diagonal and where the variance is 0.
    """
    share, steps = shares_by_row(matrix), steps_of(len(matrix))
    rows = np.arange(len(matrix))[:, None]
    nearer = share[rows, np.arange(len(matrix))[None, :] - np.sign(steps)]
    variance = share + nearer - (nearer - share) ** 2
    z = np.full(matrix.shape, np.nan)
    cases = np.broadcast_to(matrix.sum(axis=1, keepdims=True), matrix.shape)
    np.divide(nearer - share, np.sqrt(variance / cases), out=z, where=(steps != 0) & (variance > 0))
    return z


def tests_of(matrix: Array) -> tuple[Floats, Floats, Floats]:
    """Return z, Φ(z) and Holm's adjustment of every cell off the diagonal, NaN where undefined."""
    from scipy.special import ndtr

    z = against_nearer(matrix)
    p_value = ndtr(z)
    adjusted = np.full(z.shape, np.nan)
    known = ~np.isnan(z)
    adjusted[known] = holm(p_value[known].tolist())
    return z, p_value, adjusted

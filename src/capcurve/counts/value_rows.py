"""Rows of amounts in one order: a table in which each different row stands once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import common_dtype, frozen, narrow, run_starts
from capcurve.counts.types import FrozenRecord

if TYPE_CHECKING:
    from capcurve.counts.types import Array, Bools, Floats, Ints, Places

LARGEST_EXACT = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class ValueRows(FrozenRecord):
    """Different rows, best score first, then by amount and exposure, each with how often it occurs.

    Attributes
    ----------
    score
        Scores, shape (rows,).
    amount
        Their amounts; None where all are zero.
    exposure
        Their exposures; None where each row counts one.
    n
        How often each occurs, in the smallest integers that hold it; None for once each.
    """

    score: Array
    amount: Floats | None
    exposure: Floats | None
    n: Ints | None

    @property
    def amounts(self) -> Floats:
        """The amount of each row."""
        return _filled(self.amount, len(self), 0.0)

    @property
    def exposures(self) -> Floats:
        """The exposure of each row."""
        return _filled(self.exposure, len(self), 1.0)

    @property
    def times(self) -> Ints:
        """How often each row occurs."""
        if self.n is None:
            return np.broadcast_to(np.int64(1), len(self))
        return self.n.astype(np.int64)

    @property
    def rows(self) -> int:
        """How many rows there are, each as often as it occurs."""
        return len(self) if self.n is None else int(self.n.sum(dtype=np.int64))

    @property
    def is_whole(self) -> bool:
        """Whether amounts and exposures are whole numbers whose sums 64 bits hold."""
        return all(
            _is_whole(column, self.rows)
            for column in (self.amount, self.exposure)
            if column is not None
        )

    def take(self, picked: Any) -> ValueRows:
        """Return the picked rows."""
        columns = (self.amount, self.exposure, self.n)
        return ValueRows(self.score[picked], *(c if c is None else c[picked] for c in columns))

    def __len__(self) -> int:
        return len(self.score)


def _filled(column: Floats | None, rows: int, value: float) -> Floats:
    return np.broadcast_to(np.float64(value), rows) if column is None else column


def _is_whole(column: Floats, rows: int) -> bool:
    largest = float(np.abs(column).max(initial=0.0))
    return largest * max(rows, 1) < LARGEST_EXACT and bool((column == np.floor(column)).all())


def arranged(
    score: Array,
    amount: Floats | None,
    exposure: Floats | None,
    n: Ints | None,
    falls: bool,
) -> ValueRows:
    """Put rows in order and add up equal ones.

    Parameters
    ----------
    score, amount, exposure, n
        Columns of rows in any order, as in `ValueRows`.
    falls
        Whether the highest score comes first.
    """
    if amount is None and exposure is None and n is None:
        return _scores_alone(score, falls)
    order = _in_order(score, [c for c in (amount, exposure) if c is not None], falls)
    columns = [None if c is None else c[order] for c in (amount, exposure, n)]
    ordered = score[order]
    new = _differs(ordered, *columns[:2])
    if new.all():
        return _rows(ordered, *columns)
    starts = np.flatnonzero(new)
    times = columns[2]
    n = np.diff(starts, append=len(ordered)) if times is None else np.add.reduceat(times, starts)
    first = (None if c is None else c[starts] for c in columns[:2])
    return _rows(ordered[starts], *first, n)


def _scores_alone(score: Array, falls: bool) -> ValueRows:
    """Sort scores that nothing else belongs to, which is quicker than finding their order."""
    ordered = np.sort(score)
    starts = run_starts(ordered)
    n = None
    if len(starts) < len(ordered):
        n = np.diff(starts, append=len(ordered))
        ordered = ordered[starts]
    backwards = slice(None, None, -1 if falls else 1)
    return _rows(ordered[backwards], None, None, None if n is None else n[backwards])


def _in_order(score: Array, keys: list[Floats], falls: bool) -> Places:
    """Return the order of rows: best score first, then by the keys; ties alone are sorted twice."""
    order = np.argsort(score)
    if falls:
        order = order[::-1]
    ordered = score[order]
    starts = run_starts(ordered)
    if len(starts) == len(order):
        return order
    lengths = np.diff(starts, append=len(order))
    tied = np.repeat(lengths > 1, lengths)
    place = np.repeat(np.arange(len(starts)), lengths)[tied]
    order = order.copy()
    inside = order[tied]
    order[tied] = inside[np.lexsort((*(key[inside] for key in keys[::-1]), place))]
    return order


def _differs(score: Array, *columns: Floats | None) -> Bools:
    """Return whether each row differs from the one before it."""
    new = np.ones(len(score), dtype=np.bool_)
    new[1:] = score[1:] != score[:-1]
    for column in columns:
        if column is not None:
            new[1:] |= column[1:] != column[:-1]
    return new


def _rows(score: Array, amount: Floats | None, exposure: Floats | None, n: Any) -> ValueRows:
    if n is not None:
        n = None if (n == 1).all() else narrow(n)
    if score.dtype.kind == "f" and not score.all():
        score = score + score.dtype.type(0)  # 0.0 stands for -0.0 too
    held = (None if c is None else frozen(c) for c in (amount, exposure))
    return ValueRows(frozen(score), *held, n)


def taken_away(whole: ValueRows, part: ValueRows, falls: bool) -> ValueRows:
    """Return the rows that are left when some are taken away, or raise ValueError."""
    if not len(part):
        return whole
    dtype = common_dtype([whole.score, part.score])
    both = (whole, part)
    score = np.concatenate([rows.score.astype(dtype) for rows in both])
    columns = [
        None if all(c is None for c in pair) else np.concatenate(pair)
        for pair in (
            [rows.amount for rows in both],
            [rows.exposure for rows in both],
        )
    ]
    signed = np.concatenate([whole.times, -part.times])
    order = _in_order(score, [c for c in columns if c is not None], falls)
    columns = [None if c is None else c[order] for c in columns]
    score, signed = score[order], signed[order]
    starts = np.flatnonzero(_differs(score, *columns))
    left = np.add.reduceat(signed, starts)
    if (left < 0).any():
        raise ValueError(
            f"at score {score[starts][left < 0][0]} more rows are taken away than there are; "
            "the second counts are not a part of the first"
        )
    kept = starts[left > 0]
    return _rows(score[kept], *(None if c is None else c[kept] for c in columns), left[left > 0])

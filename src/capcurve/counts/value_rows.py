"""Rows of amounts in one order: a table in which each different row stands once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from capcurve.counts.cells import common_dtype, frozen, narrow, run_starts
from capcurve.counts.types import FrozenRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Array, Bools, Floats, Ints, Places
    from capcurve.counts.words import Words

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
    n: Array | None

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
        times: Ints = self.n.astype(np.int64)
        return times

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
        return ValueRows(
            self.score[picked],
            self.amount if self.amount is None else self.amount[picked],
            self.exposure if self.exposure is None else self.exposure[picked],
            self.n if self.n is None else self.n[picked],
        )

    def __len__(self) -> int:
        return len(self.score)


class OfRows(Protocol):
    """Counts of amounts that hold every row."""

    @property
    def holding(self) -> ValueRows:
        """Rows with an amount."""

    @property
    def empty(self) -> ValueRows:
        """Rows without an amount."""

    @property
    def higher_is(self) -> Direction:
        """Whether a higher score makes a large amount more or less likely."""

    @property
    def levels(self) -> tuple[object, ...] | None:
        """Grade names, or None."""

    @property
    def resolution(self) -> float | None:
        """Width of the grid that scores were floored to, or None."""

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out, or None."""

    @property
    def groups(self) -> Sequence[OfRows] | None:
        """The same by group of clusters, or None."""

    @property
    def words(self) -> Words:
        """What the amount and the exposure are called."""

    @property
    def has_exposure(self) -> bool:
        """Whether rows have an exposure."""

    @property
    def signed(self) -> bool:
        """Whether any amount is below zero."""

    @property
    def largest(self) -> float:
        """The largest amount of one row, whatever its sign."""

    @property
    def is_whole(self) -> bool:
        """Whether amounts and exposures are whole numbers."""

    def cells(self) -> tuple[Array, Floats, Floats | None, Ints]:
        """Return score, amount, exposure and number of all rows that differ."""

    def fields(self) -> dict[str, Any]:
        """Return the arguments of these counts that are not rows or groups."""

    def digest(self) -> str:
        """Return a fingerprint of the counts."""


def _filled(column: Floats | None, rows: int, value: float) -> Floats:
    return np.broadcast_to(np.float64(value), rows) if column is None else column


def _is_whole(column: Floats, rows: int) -> bool:
    largest = float(np.abs(column).max(initial=0.0))
    return largest * max(rows, 1) < LARGEST_EXACT and bool((column == np.floor(column)).all())


def arranged(rows: ValueRows, *, falls: bool) -> ValueRows:
    """Put rows in order and add up equal ones; `falls` puts the highest score first."""
    if rows.amount is None and rows.exposure is None and rows.n is None:
        return _scores_alone(rows.score, falls=falls)
    ordered = rows.take(_in_order(rows, falls=falls))
    new = _differs(ordered)
    if new.all():
        return _narrowed(ordered, ordered.n)
    starts = np.flatnonzero(new)
    if ordered.n is None:
        return _narrowed(ordered.take(starts), np.diff(starts, append=len(ordered)))
    return _narrowed(ordered.take(starts), np.add.reduceat(ordered.times, starts))


def together(tables: Sequence[ValueRows]) -> ValueRows:
    """Return the rows of several tables, one after the other."""
    dtype = common_dtype([rows.score for rows in tables])
    score = np.concatenate([rows.score.astype(dtype) for rows in tables])
    amount = exposure = n = None
    if any(rows.amount is not None for rows in tables):
        amount = np.concatenate([rows.amounts for rows in tables])
    if any(rows.exposure is not None for rows in tables):
        exposure = np.concatenate([rows.exposures for rows in tables])
    if any(rows.n is not None for rows in tables):
        n = np.concatenate([rows.times for rows in tables])
    return ValueRows(score, amount, exposure, n)


def taken_away(whole: ValueRows, part: ValueRows, *, falls: bool) -> ValueRows:
    """Return the rows that are left when some are taken away, or raise ValueError."""
    if not len(part):
        return whole
    signed = replace(part, n=-part.times)
    both = together([replace(whole, n=whole.times), signed])
    ordered = both.take(_in_order(both, falls=falls))
    starts = np.flatnonzero(_differs(ordered))
    left, first = np.add.reduceat(ordered.times, starts), ordered.take(starts)
    if (left < 0).any():
        raise ValueError(
            f"at score {first.score[left < 0][0]} more rows are taken away than there are; "
            "the second counts are not a part of the first"
        )
    return _narrowed(first.take(left > 0), left[left > 0])


def _scores_alone(score: Array, *, falls: bool) -> ValueRows:
    """Sort scores that nothing else belongs to, which is quicker than finding their order."""
    ordered = np.sort(score)
    starts = run_starts(ordered)
    backwards = slice(None, None, -1 if falls else 1)
    if len(starts) == len(ordered):
        return _narrowed(ValueRows(ordered[backwards], None, None, None), None)
    n = np.diff(starts, append=len(ordered))[backwards]
    return _narrowed(ValueRows(ordered[starts][backwards], None, None, None), n)


def _in_order(rows: ValueRows, *, falls: bool) -> Places:
    """Return the order of rows: best score first, then by amount and exposure."""
    order = np.argsort(rows.score)
    if falls:
        order = order[::-1]
    starts = run_starts(rows.score[order])
    if len(starts) == len(order):
        return order
    # Only ties are sorted again.
    lengths = np.diff(starts, append=len(order))
    tied = np.repeat(lengths > 1, lengths)
    place = np.repeat(np.arange(len(starts)), lengths)[tied]
    order = order.copy()
    inside = order[tied]
    keys = [column[inside] for column in (rows.exposure, rows.amount) if column is not None]
    order[tied] = inside[np.lexsort((*keys, place))]
    return order


def _differs(rows: ValueRows) -> Bools:
    """Return whether each row differs from the one before it."""
    new = np.zeros(len(rows), dtype=np.bool_)
    new[:1] = True
    for column in (rows.score, rows.amount, rows.exposure):
        if column is not None and len(column):
            new[1:] |= column[1:] != column[:-1]
    return new


def _narrowed(rows: ValueRows, n: Array | None) -> ValueRows:
    """Return rows with the number of each in the smallest integers that hold it."""
    score = rows.score
    if score.dtype.kind == "f" and not score.all():
        score = score + score.dtype.type(0)  # 0.0 stands for -0.0 too
    once = n is None or bool((n == 1).all())
    return ValueRows(
        frozen(score),
        rows.amount if rows.amount is None else frozen(rows.amount),
        rows.exposure if rows.exposure is None else frozen(rows.exposure),
        None if once or n is None else narrow(n),
    )

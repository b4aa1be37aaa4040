"""Rows of amounts in one order: a table in which each different row stands once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from capcurve.counts.cells import common_dtype, frozen, narrow
from capcurve.counts.ordering import keep_in_place, order_of, run_lengths, sort_best_first
from capcurve.counts.types import FrozenRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Array, Bools, Floats, Ints
    from capcurve.counts.words import Words

LARGEST_EXACT = 2.0**53
# The smallest float above zero: exposures of 1e-300 beside 1e300 have no other once scaled.
LEAST = 5e-324


@dataclass(frozen=True, slots=True, eq=False)
class ValueRows(FrozenRecord):
    """Different rows, best score first, then by amount and exposure, each with its count."""

    score: Array  # scores, shape (rows,)
    amount: Floats | None  # their amounts; None where all are zero
    exposure: Floats | None  # their exposures; None where each row counts one
    # How often each occurs, in the smallest integers that hold it; None for once each.
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
        columns = (self.amount, self.exposure, self.n)
        return ValueRows(self.score[picked], *(_picked(column, picked) for column in columns))

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


def _picked(column: Any, rows: Any) -> Any:
    return None if column is None else column[rows]


def _filled(column: Floats | None, rows: int, value: float) -> Floats:
    return np.broadcast_to(np.float64(value), rows) if column is None else column


def _is_whole(column: Floats, rows: int) -> bool:
    largest = float(np.abs(column).max(initial=0.0))
    return largest * max(rows, 1) < LARGEST_EXACT and bool((column == np.floor(column)).all())


def rates(amounts: Floats, exposures: Floats | None) -> Floats:
    """Return scaled amounts over scaled exposures, which may be too small to divide by."""
    if exposures is None:
        return amounts
    with np.errstate(over="ignore"):
        found: Floats = amounts / np.maximum(exposures, LEAST)
    return found


def arranged(rows: ValueRows, *, falls: bool) -> ValueRows:
    """Put rows in order and add up equal ones; `falls` puts the highest score first."""
    if rows.amount is None and rows.exposure is None and rows.n is None:
        return arranged_scores(rows.score.copy(), falls=falls)
    ordered, new = _in_order(rows, falls=falls)
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
    ordered, new = _in_order(both, falls=falls)
    starts = np.flatnonzero(new)
    left, first = np.add.reduceat(ordered.times, starts), ordered.take(starts)
    if (left < 0).any():
        raise ValueError(
            f"at score {first.score[left < 0][0]} more rows are taken away than there are; "
            "the second counts are not a part of the first"
        )
    return _narrowed(first.take(left > 0), left[left > 0])


def arranged_scores(score: Array, *, falls: bool) -> ValueRows:
    """Put scores that nothing else belongs to in order, where they stand: nobody else holds them.

    This is quicker than finding their order, and takes no more memory than they have.
    """
    ordered = sort_best_first(score, falls=falls)
    _one_zero(ordered)
    new = _changes(ordered)
    if new.all():
        return _narrowed(ValueRows(ordered, None, None, None), None)
    n = run_lengths(new)
    return _narrowed(ValueRows(keep_in_place(ordered, new), None, None, None), n)


def _in_order(rows: ValueRows, *, falls: bool) -> tuple[ValueRows, Bools]:
    """Return rows best score first, then by amount and exposure; and which differ from the last."""
    order = order_of(rows.score)
    if falls:
        order = order[::-1]
    score = rows.score[order]
    new = _changes(score)
    others = [column for column in (rows.amount, rows.exposure) if column is not None]
    if not new.all():
        # Only ties are sorted again.
        alone = new.copy()
        alone[:-1] &= new[1:]
        tied = np.flatnonzero(~alone)
        inside = order[tied]
        order = np.ascontiguousarray(order)
        place = np.cumsum(new)[tied]
        order[tied] = inside[np.lexsort((*(column[inside] for column in others[::-1]), place))]
    ordered = ValueRows(score, *(_picked(c, order) for c in (rows.amount, rows.exposure, rows.n)))
    if not new.all():
        for column in (ordered.amount, ordered.exposure):
            if column is not None:
                new |= _changes(column)
    return ordered, new


def _changes(column: Array) -> Bools:
    """Return whether each value differs from the one before it."""
    new = np.ones(len(column), dtype=np.bool_)
    np.not_equal(column[1:], column[:-1], out=new[1:])
    return new


def _one_zero(score: Array) -> None:
    """Let 0.0 stand for -0.0 too."""
    if score.dtype.kind == "f":
        score[score == 0] = 0.0


def _narrowed(rows: ValueRows, n: Array | None) -> ValueRows:
    """Return rows with the number of each in the smallest integers that hold it."""
    score = rows.score
    if score.dtype.kind == "f" and np.signbit(score[score == 0]).any():
        score = score.copy()
        _one_zero(score)
    once = n is None or bool((n == 1).all())
    return ValueRows(
        frozen(score),
        rows.amount if rows.amount is None else frozen(rows.amount),
        rows.exposure if rows.exposure is None else frozen(rows.exposure),
        None if once or n is None else narrow(n),
    )

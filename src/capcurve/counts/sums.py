"""Rows of amounts in which each different one stands once, and sums of amounts and exposures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capcurve.counts.rank_totals import NotHeldError
from capcurve.counts.settings import AMOUNTS, Dropped, Words
from capcurve.numbers.arguments import arg
from capcurve.numbers.exact import (
    BLOCK,
    DoubleDouble,
    exact_dot,
    largest_size,
    run_sums,
    running,
    shifted,
)
from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.meeting import met
from capcurve.numbers.order import (
    add_up,
    frozen,
    keep_in_place,
    narrow,
    order_of,
    picked,
    readable,
    run_lengths,
    run_starts,
    sort_best_first,
)
from capcurve.numbers.threads import at_once, parts_for_threads
from capcurve.numbers.types import (
    Amount,
    Array,
    Bools,
    Direction,
    Floats,
    FrozenRecord,
    Ints,
    Places,
    freeze,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
        return self.n.astype(np.int64)

    @property
    def rows(self) -> int:
        """How many rows there are, each as often as it occurs."""
        return len(self) if self.n is None else int(self.n.sum(dtype=np.int64))

    @property
    def is_whole(self) -> bool:
        """Whether amounts and exposures are whole numbers whose sums 64 bits hold."""
        given = [column for column in (self.amount, self.exposure) if column is not None]
        return all(_is_whole(column, self.rows) for column in given)

    def take(self, picked: Any) -> ValueRows:
        """Return the picked rows."""
        columns = (self.amount, self.exposure, self.n)
        others = (None if column is None else column[picked] for column in columns)
        return ValueRows(self.score[picked], *others)

    def __len__(self) -> int:
        return len(self.score)


def _filled(column: Floats | None, rows: int, value: float) -> Floats:
    return np.broadcast_to(np.float64(value), rows) if column is None else column


def _is_whole(column: Floats, rows: int) -> bool:
    if not largest_size(column) * max(rows, 1) < LARGEST_EXACT:
        return False
    blocks = (column[start : start + BLOCK] for start in range(0, len(column), BLOCK))
    return all(bool((block == np.floor(block)).all()) for block in blocks)


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
    score = np.concatenate(met([rows.score for rows in tables]))
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
    new = differs_from_last(ordered)
    if new.all():
        return _narrowed(ValueRows(ordered, None, None, None), None)
    n = run_lengths(new)
    return _narrowed(ValueRows(keep_in_place(ordered, new), None, None, None), n)


def _in_order(rows: ValueRows, *, falls: bool) -> tuple[ValueRows, Bools]:
    """Return rows best score first, then by amount and exposure; and which differ from the last."""
    order = order_of(rows.score)
    if falls:
        order = order[::-1]
    score = picked(rows.score, order)
    new = differs_from_last(score)
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
    columns = (rows.amount, rows.exposure, rows.n)
    ordered = ValueRows(score, *(c if c is None else picked(c, order) for c in columns))
    if not new.all():
        for column in (ordered.amount, ordered.exposure):
            if column is not None:
                new |= differs_from_last(column)
    return ordered, new


def differs_from_last(column: Array) -> Bools:
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


# Of more cells than this the area is summed in floats inside blocks.
MOST_EXACT = 1 << 20
LARGEST_FLOAT = float(np.finfo(np.float64).max)


def refuse_overflow(amounts: Array, exposures: Array) -> None:
    """Raise ValueError where amounts, whatever their signs, or exposures have no float as sum."""
    for name, column in (("amounts", amounts), ("exposures", exposures)):
        if column.dtype.kind != "f" or not len(column):
            continue
        if largest_size(column) <= LARGEST_FLOAT / len(column):
            continue
        if not abs(column_total(np.abs(column))) <= LARGEST_FLOAT:
            raise ValueError(f"the {name} add up to more than a float can hold; scale them down")


@dataclass(frozen=True, slots=True, eq=False)
class Rates(FrozenRecord):
    """Exposure and amount from the highest rate of amount to exposure down: the best order."""

    exposure: Array  # exposure, amount: of each row, or of all rows that no amount tells apart
    amount: Array
    rate: Floats  # the rate of each, scaled by a power of two
    # Which row with an amount stands at each place, without that of the rows that have none.
    order: Places | None = None
    zero: int | None = None  # the place of all rows without an amount, if there are any

    def __post_init__(self) -> None:
        refuse_overflow(self.amount, self.exposure)
        freeze(self)

    def joined(self) -> Rates:
        """Return the same with equal rates put together, as the perfect curve has them."""
        starts = run_starts(self.rate)
        exposure, amount = (add_sums(column, starts) for column in (self.exposure, self.amount))
        return Rates(exposure, amount, self.rate[starts])


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ValueSums(FrozenRecord):
    """Sums of amounts and exposures at each distinct score, where the rows themselves are not held.

    Curves, shares, the concentration index and their intervals are read off it; what needs every
    row raises and names `resolution=`.

    Attributes
    ----------
    score
        Distinct scores, best first, shape (K,).
    rows, holding
        Rows, and rows with an amount, at each.
    exposures, amounts
        Sums at each.
    saa, sae, see, see0
        Sums of squared amounts, of amount times exposure, of squared exposures, and the last of
        rows without an amount; amounts and exposures divided by two to the power of `exponents`.
    rates
        Exposure and amount by rate, or None where it is not known.
    signed, largest
        Whether any amount is below zero; the largest amount of one row, whatever its sign.

    Examples
    --------
    Of two cases the riskier holds all, 30:

    >>> from capcurve import captured_response, count_values
    >>> values = count_values([30, 0], [2, 1])
    >>> sums = values.by_score()
    >>> sums.score.tolist(), sums.amounts.tolist(), captured_response(sums, 0.5)
    ([2, 1], [30, 0], 1.0)
    """

    score: Array
    rows: Ints
    holding: Ints
    exposures: Array
    amounts: Array
    saa: Floats
    sae: Floats
    see: Floats
    see0: Floats
    has_exposure: bool
    signed: bool
    largest: float
    higher_is: Direction = "positive"
    levels: tuple[object, ...] | None = None
    resolution: float | None = None
    dropped: Dropped | None = None
    words: Words = AMOUNTS
    exponents: tuple[int, int] = (0, 0)
    rates: Rates | None = None

    def __post_init__(self) -> None:
        refuse_overflow(self.amounts, self.exposures)
        freeze(self)

    @property
    def n(self) -> int:
        """All rows."""
        return int(self.rows.sum(dtype=np.int64))

    @property
    def m(self) -> int:
        """Rows with an amount."""
        return int(self.holding.sum(dtype=np.int64))

    @property
    def amount(self) -> Amount:
        """The amount of all rows."""
        return column_total(self.amounts)

    @property
    def exposure(self) -> Amount:
        """The exposure of all rows; their number where none was given."""
        return column_total(self.exposures)

    @property
    def is_whole(self) -> bool:
        """Whether sums are whole numbers, on which results are rounded once."""
        return self.amounts.dtype.kind != "f" and self.exposures.dtype.kind != "f"

    @property
    def groups(self) -> None:
        """Counts per group of clusters: none are held."""

    @property
    def vertices(self) -> ValueSums:
        """Sums at the cut-offs that curves run through: all of them."""
        return self

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        return readable(self.score, self.levels, self.resolution)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each score: sums, and how many rows they are of.

        Examples
        --------
        >>> from capcurve import count_values
        >>> sums = count_values([30, 0, 5], [2, 1, 2]).by_score()
        >>> sums.to_frame("polars").rows(named=True)[0]
        {'score': 2, 'amount': 35, 'n': 2}
        """
        exposure = {"exposure": self.exposures} if self.has_exposure else {}
        found = {"score": self.thresholds, "amount": self.amounts, **exposure, "n": self.rows}
        return data_frame(found, backend)

    def by_score(self) -> ValueSums:
        """Return sums at each distinct score: these."""
        return self

    def about(self, _shares: Sequence[float]) -> ValueSums:
        """Return sums at cut-offs among which are all next to some shares: these."""
        return self

    def over_scores(self, number: Callable[..., Any]) -> Any:
        """Return a number of the rows at each distinct score, which adds up over scores."""
        return number(self.rows)

    def small_scores(self, fewest: int) -> int:
        """Return how many distinct scores have fewer rows than this."""
        return int(np.count_nonzero(self.rows < fewest))

    def by_stretch(self, _q: float | None = None) -> ValueSums:
        """Return sums from which the area is read: these."""
        return self

    def areas(self) -> tuple[Fraction | int, Fraction | int]:
        """Return twice the areas of this order and of the best one, as `advantage` has them."""
        best = self.by_rate()
        return self.gained(), advantage(best.exposure, best.amount)

    def gained(self) -> Fraction | int:
        """Return the first of these, which every rate need not be known for."""
        return advantage(self.exposures, self.amounts)

    def by_rate(self) -> Rates:
        """Return exposure and amount from the highest rate down."""
        return self._refuse() if self.rates is None else self.rates

    def as_classes(self) -> None:
        """Return yes/no counts: not known of sums."""

    def every_row(self) -> NoReturn:
        """Raise `NotHeldError`: rows are not held."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotHeldError(
            f"of these {self.n:,} rows only sums at each score are held, and this needs every one "
            f"of them; count with {arg('resolution')}, such as 1e-4"
        )

    def joined(self, ends: Any) -> ValueSums:
        """Put neighbouring scores together: fewer of them, each the last of those it stands for.

        Parameters
        ----------
        ends
            How many of these scores lie before the end of each new one, ascending.
        """
        found = np.asarray(ends, dtype=np.intp)
        starts = np.append(0, found)[: len(found)]
        sums: dict[str, Any] = {
            name: add_sums(getattr(self, name), starts)
            for name in ("rows", "holding", "exposures", "amounts", "saa", "sae", "see", "see0")
        }
        return replace(self, score=self.score[found - 1], **sums)

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"ValueSums(n={self.n}, amount={self.amount:g}, distinct scores={len(self)})"


@dataclass(frozen=True, slots=True, eq=False)
class Stretches(FrozenRecord):
    """Sums over stretches of scores, and in which stretch each row with an amount stands."""

    exposures: Array  # exposures, amounts: sums over each
    amounts: Array
    holding: Ints  # rows with an amount in each
    # See0, see0_squared: sums of squared exposures, and of their squares, of rows without an
    # amount; exposures divided by two to the power of the second of the `exponents`.
    see0: Floats
    see0_squared: Floats
    place: Places  # the stretch of each row with an amount
    # How many of the different rows without an amount come before each stretch, and in all.
    begins: Places
    exponents: tuple[int, int]
    total_amount: Amount  # total_amount, total_exposure: what the sums add up to
    total_exposure: Amount

    def __post_init__(self) -> None:
        refuse_overflow(self.amounts, self.exposures)
        freeze(self)

    def __len__(self) -> int:
        return len(self.exposures)


def column_total(column: Array) -> Amount:
    """Return the sum of a column: a Python integer, or a float rounded once."""
    if column.dtype.kind != "f":
        return int(column.sum(dtype=np.int64))

    def sums(part: slice) -> list[DoubleDouble]:
        starts = range(part.start, part.stop, BLOCK)
        return [DoubleDouble.of(column[at : min(at + BLOCK, part.stop)]).sum() for at in starts]

    found = DoubleDouble.of(0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # sums past the largest float are refused
        for blocks in at_once(sums, parts_for_threads(len(column), BLOCK)):
            for block in blocks:
                found += block
    return float(found.high)


def add_sums(column: Array, starts: Places) -> Array:
    """Return the sum of each run, without rounding error inside a run, of any sign."""
    if len(starts) == len(column):
        return column
    if column.dtype.kind != "f" or not len(column):
        return add_up(column, starts)
    if (column < 0).any():
        parts = (np.maximum(column, 0.0), np.maximum(-column, 0.0))
        return run_sums(parts[0], starts) - run_sums(parts[1], starts)
    return run_sums(column, starts)


def advantage(exposures: Array, amounts: Array) -> Fraction | int:
    """Return twice the area between the curve and its diagonal, times all amount and exposure.

    The sum of E_k·Y_k - A_k·X_k, with the amount Y_k and the exposure X_k before the kth; exact for
    whole numbers, else in double-double.

    >>> advantage(np.array([1, 1]), np.array([3, 1]))
    2
    """
    if exposures.dtype.kind != "f" and amounts.dtype.kind != "f":
        most = exact_dot(exposures, np.cumsum(amounts) - amounts)
        return most - exact_dot(amounts, np.cumsum(exposures) - exposures)
    scales = [int(np.frexp(largest_size(column))[1]) for column in (amounts, exposures)]
    gained = _gained if len(exposures) <= MOST_EXACT else _nearly_gained
    sums = captured = selected = DoubleDouble.of(0.0)
    for start in range(0, len(exposures), BLOCK):
        cells = slice(start, start + BLOCK)
        a, e = (
            shifted(column[cells], -scale)
            for column, scale in zip((amounts, exposures), scales, strict=True)
        )
        more, captured, selected = gained(a, e, captured, selected)
        sums += more
    return sums.exact() * Fraction(2) ** sum(scales)


def _gained(
    a: Floats, e: Floats, captured: DoubleDouble, selected: DoubleDouble
) -> tuple[DoubleDouble, DoubleDouble, DoubleDouble]:
    """Return what some cells gain, and both running sums after them, in double-double."""
    height, width = running(a, captured), running(e, selected)
    more = (DoubleDouble.of(e) * height[:-1] - DoubleDouble.of(a) * width[:-1]).sum()
    return more, height[-1], width[-1]


def _nearly_gained(
    a: Floats, e: Floats, captured: DoubleDouble, selected: DoubleDouble
) -> tuple[DoubleDouble, DoubleDouble, DoubleDouble]:
    """Return the same with sums inside the cells in floats: an error of some 1e-15 of the whole."""
    height, width = np.cumsum(a), np.cumsum(e)
    # Not as dot products, whose threads wait for each other on a busy machine.
    inside = float((e * height - a * width).sum())
    amount, exposure = DoubleDouble.of(height[-1]), DoubleDouble.of(width[-1])
    more = exposure * captured - amount * selected + DoubleDouble.of(inside)
    return more, captured + amount, selected + exposure

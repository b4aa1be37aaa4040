"""Sums of amounts and exposures: at each score, over stretches of scores, and by rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capcurve.counts.cells import add_up, common_dtype, grid_value, run_starts
from capcurve.counts.exact import CELLS, DoubleDouble, exact_dot, run_sums, running
from capcurve.counts.grades import names_of
from capcurve.counts.ranking import NotHeldError
from capcurve.counts.types import FrozenRecord
from capcurve.counts.words import AMOUNTS, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Amount, Array, Bools, Floats, Ints, Places
    from capcurve.counts.value_rows import OfRows, ValueRows

# Of more cells than this the area is summed in floats inside blocks.
MOST_EXACT = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Rates(FrozenRecord):
    """Exposure and amount from the highest rate of amount to exposure down: the best order.

    Attributes
    ----------
    exposure, amount
        Of each row, or of all rows that no amount tells apart.
    rate
        The rate of each, scaled by a power of two.
    order
        Which row with an amount stands at each place, without that of the rows that have none.
    zero
        The place of all rows without an amount, if there are any.
    """

    exposure: Array
    amount: Array
    rate: Floats
    order: Places | None = None
    zero: int | None = None

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
        return total(self.amounts)

    @property
    def exposure(self) -> Amount:
        """The exposure of all rows; their number where none was given."""
        return total(self.exposures)

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
    def is_complete(self) -> bool:
        """Whether the vertices are all cut-offs there are: yes."""
        return True

    @property
    def single(self) -> Bools:
        """Whether each vertex adds one distinct score only: all of them."""
        return np.broadcast_to(np.True_, len(self))

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        if self.levels is not None:
            return names_of(self.score, self.levels)
        if self.resolution is not None:
            return grid_value(self.score, self.resolution)
        return self.score

    def by_score(self) -> ValueSums:
        """Return sums at each distinct score: these."""
        return self

    def by_stretch(self) -> ValueSums:
        """Return sums from which the area is read: these."""
        return self

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
            "of them; count with resolution=, such as 1e-4"
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
        sums = {
            name: add_sums(getattr(self, name), starts)
            for name in ("rows", "holding", "exposures", "amounts", "saa", "sae", "see", "see0")
        }
        return _with(self, score=self.score[found - 1], **sums)

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"ValueSums(n={self.n}, amount={self.amount:g}, distinct scores={len(self)})"


def _with(sums: ValueSums, **changed: Any) -> ValueSums:
    names = [name for name in sums.__slots__ if name not in changed]
    return type(sums)(**changed, **{name: getattr(sums, name) for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Segments(FrozenRecord):
    """Sums over stretches of scores, and in which stretch each row with an amount stands.

    Attributes
    ----------
    sums
        The sums.
    place
        The stretch of each row with an amount.
    see0_squared
        Sum of the fourth powers of the exposures of rows without an amount, scaled as the sums.
    begins
        How many of the different rows without an amount come before each stretch, and in all.
    total_amount, total_exposure
        What the sums add up to.
    """

    sums: ValueSums
    place: Places
    see0_squared: Floats
    begins: Places
    total_amount: Amount
    total_exposure: Amount


def total(column: Array) -> Amount:
    """Return the sum of a column: a Python integer, or a float rounded once."""
    if column.dtype.kind != "f":
        return int(column.sum(dtype=np.int64))
    found = DoubleDouble.of(0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # sums past the largest float are refused
        for start in range(0, len(column), CELLS):
            found += DoubleDouble.of(column[start : start + CELLS]).sum()
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


def exponents_of(values: OfRows) -> tuple[int, int]:
    """Return the powers of two that the largest amount and exposure are near."""
    exposures = [rows.exposures.max(initial=0.0) for rows in (values.holding, values.empty)]
    return int(np.frexp(values.largest)[1]), int(np.frexp(max(exposures))[1])


def sums_of(values: OfRows, *, every: bool, apart: Sequence[int] = ()) -> Segments:
    """Return sums at every distinct score, or with scores that hold no amount put together.

    Stretches end before each of the different rows without an amount whose numbers are `apart`.
    """
    holding, empty, whole = values.holding, values.empty, values.is_whole
    starts = run_starts(holding.score)
    pieces, own = _pieces(values, starts, every=every, apart=apart)
    exponents = exponents_of(values)
    held = _summed(holding, starts, exponents, whole=whole)
    rest = _summed(empty, pieces.starts, exponents, whole=whole)
    size = pieces.size
    ends = np.append(pieces.starts, len(empty))[1:]
    dtype = common_dtype([holding.score, empty.score])
    score = _spread(holding.score[starts].astype(dtype, copy=False), own, size)
    if len(empty):
        score[pieces.places] = empty.score[ends - 1]
    see0, fourth = (_spread(rest[name], pieces.places, size) for name in ("see", "fourth"))
    counts = _spread(held["rows"], own, size)
    del held["fourth"]
    columns: dict[str, Any] = {}
    for name, column in held.items():
        columns[name] = _spread(column, own, size)
        if len(empty):
            columns[name][pieces.places] += rest[name]
    totals = [total(columns[name]) for name in ("amounts", "exposures")]
    for name, each in zip(("amounts", "exposures"), totals, strict=True):
        if not abs(each) < np.inf:
            raise ValueError(f"the {name} add up to more than a float can hold; scale them down")
    sums = ValueSums(
        score=score,
        holding=counts,
        see0=see0,
        **columns,
        has_exposure=values.has_exposure,
        signed=values.signed,
        largest=values.largest,
        exponents=exponents,
        **values.fields(),
    )
    place = own if len(starts) == len(holding) else np.repeat(own, _lengths(starts, len(holding)))
    begins = np.full(size + 1, len(empty), dtype=np.intp)
    begins[own] = pieces.ahead
    begins[pieces.places] = pieces.starts
    return Segments(sums, place, fourth, begins, *totals)


def _lengths(starts: Places, rows: int) -> Places:
    return np.diff(starts, append=rows)


def split_at(values: OfRows, found: Segments, q: float) -> Segments:
    """Return the same, with the score in which the top share q ends in a stretch of its own."""
    ends = np.cumsum(found.sums.exposures)
    wanted = q * float(ends[-1])
    stretch = int(np.searchsorted(ends, wanted))
    if stretch >= len(ends) or found.sums.holding[stretch]:
        return found
    rows = slice(int(found.begins[stretch]), int(found.begins[stretch + 1]))
    inside = values.empty.take(rows)
    before = float(ends[stretch - 1]) if stretch else 0.0
    within = np.cumsum(_times(np.array(inside.exposures), inside)) + before
    last = inside.score[min(int(np.searchsorted(within, wanted)), len(inside) - 1)]
    tied = np.flatnonzero(inside.score == last) + rows.start
    return sums_of(values, every=False, apart=(int(tied[0]), int(tied[-1]) + 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Runs of rows without an amount: where each starts, and its place among all stretches.

    `ahead` is how many such rows are better than each score with an amount.
    """

    starts: Places
    places: Places
    size: int
    ahead: Places


def _pieces(
    values: OfRows, starts: Places, *, every: bool, apart: Sequence[int]
) -> tuple[_Pieces, Places]:
    """Return runs of rows without an amount, and the place of each score with one."""
    scores, empty = values.holding.score[starts], values.empty.score
    if not len(empty):
        none = np.zeros(0, dtype=np.intp)
        return _Pieces(none, none, len(scores), np.zeros(len(scores), np.intp)), np.arange(
            len(scores)
        )
    first, last = _ahead(empty, scores, falls=values.higher_is == "positive")
    bounds = run_starts(empty) if every else np.unique(np.concatenate([[0], first, last, apart]))
    bounds = bounds.astype(np.intp, copy=False)
    begins = bounds[bounds < len(empty)]
    alone = np.ones(len(begins), dtype=np.bool_)
    piece = np.searchsorted(begins, first)
    tied = last > first
    alone[piece[tied]] = False
    before = np.append(0, np.cumsum(alone))
    own = before[piece] + np.arange(len(scores))
    places = before[:-1] + np.searchsorted(last, begins, side="right")
    places[piece[tied]] = own[tied]
    return _Pieces(begins, places, int(before[-1]) + len(scores), first), own


def _ahead(ordered: Array, scores: Array, *, falls: bool) -> tuple[Places, Places]:
    """Return how many of the ordered scores are better than each, and how many at least as good."""
    dtype = common_dtype([ordered, scores])
    wanted = scores.astype(dtype, copy=False)
    rising = np.ascontiguousarray((ordered[::-1] if falls else ordered).astype(dtype, copy=False))
    sides = [np.searchsorted(rising, wanted, side=side) for side in ("left", "right")]
    if falls:
        return len(ordered) - sides[1], len(ordered) - sides[0]
    return sides[0], sides[1]


def _spread(column: Array, places: Places, size: int) -> Array:
    """Return a column with its numbers in their places, which ascend, and zeros between."""
    if len(places) == size:
        return column.copy()
    found = np.zeros(size, dtype=column.dtype)
    found[places] = column
    return found


def _summed(
    rows: ValueRows, starts: Places, exponents: tuple[int, int], *, whole: bool
) -> dict[str, Array]:
    """Return sums over runs of rows: in whole numbers where all are, squares of scaled ones."""
    if not len(rows):
        return {name: np.zeros(0, _type(name, whole=whole)) for name in _NAMES}
    times, given = rows.times, rows.exposure is not None
    a, e = (np.ldexp(c, -x) for c, x in zip((rows.amounts, rows.exposures), exponents, strict=True))
    count = np.diff(starts, append=len(rows)) if rows.n is None else add_up(times, starts)
    columns: dict[str, Any] = {"rows": count}
    kind = np.int64 if whole else np.float64
    exposures = rows.exposures if given else None
    for name, column in (("exposures", exposures), ("amounts", rows.amount)):
        if column is None:
            found = count if name == "exposures" else np.zeros(len(starts))
        else:
            found = add_sums(_times(column.astype(kind), rows), starts)
        columns[name] = found.astype(kind)
    products = {"saa": (a, a), "sae": (a, e), "see": (e, e), "fourth": (e * e, e * e)}
    for name, (one, other) in products.items():
        if rows.amount is None and name in {"saa", "sae"}:
            columns[name] = np.zeros(len(starts))
        elif not given and name in {"see", "fourth"}:
            # Each row counts one, which scaling made a power of two.
            unit = float(one[0] * other[0])
            columns[name] = count * unit
        else:
            columns[name] = add_sums(_times(one * other, rows), starts)
    return columns


_NAMES = ("rows", "exposures", "amounts", "saa", "sae", "see", "fourth")


def _type(name: str, *, whole: bool) -> Any:
    return (
        np.int64 if name == "rows" or (whole and name in {"exposures", "amounts"}) else np.float64
    )


def _times(column: Array, rows: ValueRows) -> Array:
    return column if rows.n is None else column * rows.times


def rates_of(values: OfRows) -> Rates:
    """Return exposure and amount of each row by rate, those without an amount together."""
    holding, kind = values.holding, np.int64 if values.is_whole else np.float64
    scaled = [
        np.ldexp(column, -exponent)
        for column, exponent in zip(
            (holding.amounts, holding.exposures), exponents_of(values), strict=True
        )
    ]
    with np.errstate(over="ignore"):
        rate = scaled[0] / scaled[1] if values.has_exposure else scaled[0]
    order = np.argsort(rate)[::-1]
    rate = rate[order]
    exposure, amount = (
        _times(column.astype(kind), holding)[order]
        for column in (holding.exposures, holding.amounts)
    )
    zero = None
    if len(values.empty):
        rest, zero = values.empty, int(np.count_nonzero(holding.amounts > 0))
        exposure = np.insert(exposure, zero, total(_times(rest.exposures.astype(kind), rest)))
        amount, rate = np.insert(amount, zero, 0), np.insert(rate, zero, 0.0)
    return Rates(exposure, amount, rate, order, zero)


def advantage(exposures: Array, amounts: Array) -> Fraction | int:
    """Return twice the area between the curve and its diagonal, times all amount and exposure.

    The sum of E_k·Y_k - A_k·X_k, with the amount Y_k and the exposure X_k before the kth; exact for
    whole numbers, else in double-double.

    >>> advantage(np.array([1, 1]), np.array([3, 1]))
    2
    """
    if exposures.dtype.kind != "f" and amounts.dtype.kind != "f":
        gained = exact_dot(exposures, np.cumsum(amounts) - amounts)
        return gained - exact_dot(amounts, np.cumsum(exposures) - exposures)
    scales = [_exponent(column) for column in (amounts, exposures)]
    gained = _gained if len(exposures) <= MOST_EXACT else _nearly_gained
    sums = captured = selected = DoubleDouble.of(0.0)
    for start in range(0, len(exposures), CELLS):
        cells = slice(start, start + CELLS)
        a, e = (
            np.ldexp(column[cells].astype(np.float64), -scale)
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


def _exponent(column: Array) -> int:
    return int(np.frexp(float(np.abs(column).max(initial=0)))[1])

"""Where rows of amounts stand among all scores, and their sums there, by score and by rate."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.cells import add_up, common_dtype, run_starts
from capcurve.counts.exact import shifted
from capcurve.counts.ordering import order_of
from capcurve.counts.value_rows import rates
from capcurve.counts.value_sums import Rates, Stretches, ValueSums, add_sums, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from capcurve.counts.types import Array, Ints, Places
    from capcurve.counts.value_rows import OfRows, ValueRows

# How many scores on each side of a cut-off stand alone.
ABOUT = 1
# Sums beyond the largest float are refused where the record that holds them is made.
refused_later = np.errstate(over="ignore", invalid="ignore")


def exponents_of(values: OfRows) -> tuple[int, int]:
    """Return the powers of two that the largest amount and exposure are near."""
    exposures = [rows.exposures.max(initial=0.0) for rows in (values.holding, values.empty)]
    return int(np.frexp(values.largest)[1]), int(np.frexp(max(exposures))[1])


def distinct_scores_of(values: OfRows) -> int:
    """Return how many different scores there are."""
    return _layout(values, every=True, apart=()).size


def sums_of(values: OfRows) -> ValueSums:
    """Return sums at every distinct score, best first."""
    return _sums(values, _layout(values, every=True, apart=()))


@refused_later
def _sums(values: OfRows, layout: _Layout) -> ValueSums:
    names = ("rows", "exposures", "amounts", "saa", "sae", "see")
    columns: dict[str, Any] = {name: layout.joined(name) for name in names}
    dtype = common_dtype([values.holding.score, values.empty.score])
    score = layout.of_holding(values.holding.score[layout.starts].astype(dtype, copy=False))
    if len(values.empty):
        score = score.copy()
        ends = np.append(layout.begins[1:], len(values.empty)) - 1
        score[layout.places] = values.empty.score[ends].astype(dtype, copy=False)
    return ValueSums(
        score=score,
        **columns,
        holding=layout.of_holding(layout.held("rows")),
        see0=layout.of_empty(layout.rest("see")),
        has_exposure=values.has_exposure,
        signed=values.signed,
        largest=values.largest,
        exponents=layout.exponents,
        **values.fields(),
    )


def sums_about(values: OfRows, found: Stretches, shares: Iterable[float]) -> ValueSums:
    """Return sums of few stretches of scores, among them every cut-off next to some shares.

    The score in which each share ends stands alone, and so do the two about it.
    """
    ends = np.cumsum(found.exposures)
    wanted = [share * float(ends[-1]) for share in shares]
    apart = {row for each in (0.0, *wanted) for row in _rows_about(values, found, ends, each)}
    sums = _sums(values, _layout(values, every=False, apart=sorted(apart)))
    reached = np.searchsorted(np.cumsum(sums.exposures), wanted)
    near = (reached[:, None] + np.arange(-ABOUT, ABOUT + 2)).ravel()
    return sums.joined(np.unique(np.clip([1, *near, len(sums)], 1, len(sums))))


def _rows_about(values: OfRows, found: Stretches, ends: Array, wanted: float) -> list[int]:
    """Return before which rows without an amount stretches are to end about a cut-off."""
    stretch = min(int(np.searchsorted(ends, wanted)), len(ends) - 1)
    rows = []
    for place in range(stretch, min(stretch + 2, len(ends))):
        first, last = int(found.begins[place]), int(found.begins[place + 1])
        if found.holding[place] or first == last:
            continue
        inside = values.empty.take(slice(first, last))
        before = float(ends[place - 1]) if place else 0.0
        within = np.cumsum(_times(inside.exposures, inside)) + before
        at = min(int(np.searchsorted(within, wanted)), len(inside) - 1)
        for _ in range(ABOUT + 1):
            start, end = _ties(inside.score, at)
            rows += [first + start, first + end]
            if end == len(inside):
                break
            at = end
    return rows


def _ties(ordered: Array, place: int) -> tuple[int, int]:
    """Return where the run of equal scores about a place starts and ends."""
    tied = ordered[place]
    start = bisect_left(range(place), True, key=lambda at: bool(ordered[at] == tied))
    rest = range(place, len(ordered))
    return start, place + bisect_left(rest, True, key=lambda at: bool(ordered[at] != tied))


@refused_later
def stretches_of(values: OfRows, apart: Sequence[int] = ()) -> Stretches:
    """Return sums over stretches of scores, those that hold no amount put together.

    Stretches end before each of the different rows without an amount whose numbers are `apart`.
    """
    layout = _layout(values, every=False, apart=apart)
    exposures, amounts = layout.joined("exposures"), layout.joined("amounts")
    rows, place = len(values.holding), layout.own
    if len(layout.starts) < rows:
        place = np.repeat(place, np.diff(layout.starts, append=rows))
    begins = np.full(layout.size + 1, len(values.empty), dtype=np.intp)
    begins[layout.own] = layout.ahead
    begins[layout.places] = layout.begins
    return Stretches(
        exposures,
        amounts,
        layout.of_holding(layout.held("rows")),
        layout.of_empty(layout.rest("see")),
        layout.of_empty(layout.rest("fourth")),
        place,
        begins,
        layout.exponents,
        total(amounts),
        total(exposures),
    )


def split_at(values: OfRows, found: Stretches, q: float) -> Stretches:
    """Return the same, with the score in which the top share q ends in a stretch of its own."""
    ends = np.cumsum(found.exposures)
    apart = _rows_about(values, found, ends, q * float(ends[-1]))
    return stretches_of(values, sorted(set(apart))) if apart else found


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where rows with and without an amount stand among all scores, or stretches of them."""

    values: OfRows
    exponents: tuple[int, int]
    # Starts, own: where each score with an amount starts among these rows, and its place among all.
    starts: Places
    own: Places
    ahead: Places  # how many different rows without an amount are better than it
    # Begins, places: where each run of rows without an amount starts, and its place among all.
    begins: Places
    places: Places
    size: int

    def held(self, name: str) -> Array:
        """Return sums over rows with an amount."""
        return _summed(self.values, self.values.holding, self.starts, self.exponents, name)

    def rest(self, name: str) -> Array:
        """Return sums over rows without an amount."""
        return _summed(self.values, self.values.empty, self.begins, self.exponents, name)

    def joined(self, name: str) -> Array:
        """Return sums over all rows."""
        found = self.of_holding(self.held(name))
        if len(self.begins):
            found = found.copy()
            found[self.places] += self.rest(name)
        return found

    def of_holding(self, column: Array) -> Array:
        """Return numbers of scores with an amount in their places."""
        return column if len(self.own) == self.size else _spread(column, self.own, self.size)

    def of_empty(self, column: Array) -> Array:
        """Return numbers of rows without an amount in their places."""
        return _spread(column, self.places, self.size)


def _spread(column: Array, places: Places, size: int) -> Array:
    found = np.zeros(size, dtype=column.dtype)
    found[places] = column
    return found


def _layout(values: OfRows, *, every: bool, apart: Sequence[int]) -> _Layout:
    """Return where rows stand: at `every` distinct score, or with those without amount joined."""
    starts, exponents = run_starts(values.holding.score), exponents_of(values)
    empty, held = values.empty.score, len(starts)
    if not len(empty):
        none = np.zeros(0, dtype=np.intp)
        own = np.arange(held)
        return _Layout(values, exponents, starts, own, np.zeros_like(own), none, none, held)
    scores = values.holding.score[starts]
    first, last = _ahead(empty, scores, falls=values.higher_is == "positive")
    bounds = run_starts(empty) if every else np.unique(np.concatenate([[0], first, last, apart]))
    bounds = bounds.astype(np.intp, copy=False)
    begins = bounds[bounds < len(empty)]
    alone = np.ones(len(begins), dtype=np.bool_)
    piece = np.searchsorted(begins, first)
    tied = last > first
    alone[piece[tied]] = False
    before = np.append(0, np.cumsum(alone))
    own = before[piece] + np.arange(held)
    places = before[:-1] + np.searchsorted(last, begins, side="right")
    places[piece[tied]] = own[tied]
    size = int(before[-1]) + held
    return _Layout(values, exponents, starts, own, first, begins, places, size)


def _ahead(ordered: Array, scores: Array, *, falls: bool) -> tuple[Places, Places]:
    """Return how many of the ordered scores are better than each, and how many at least as good."""
    dtype = common_dtype([ordered, scores])
    wanted = scores.astype(dtype, copy=False)
    rising = np.ascontiguousarray((ordered[::-1] if falls else ordered).astype(dtype, copy=False))
    sides = [np.searchsorted(rising, wanted, side=side) for side in ("left", "right")]
    if falls:
        return len(ordered) - sides[1], len(ordered) - sides[0]
    return sides[0], sides[1]


def _summed(
    values: OfRows, rows: ValueRows, starts: Places, exponents: tuple[int, int], name: str
) -> Array:
    """Return sums over runs of rows: in whole numbers where all are, squares of scaled ones."""
    kind = np.int64 if values.is_whole else np.float64
    amount, exposure = rows.amount, rows.exposure
    count = _counted(rows, starts)
    if name == "rows":
        return count
    if name == "exposures":
        return (
            count.astype(kind) if exposure is None else _over(exposure.astype(kind), rows, starts)
        )
    if amount is None and name in {"amounts", "saa", "sae"}:
        return np.zeros(len(starts), kind if name == "amounts" else np.float64)
    if name == "amounts":
        return _over(rows.amounts.astype(kind), rows, starts)
    if name in {"saa", "sae"}:
        a = shifted(rows.amounts, -exponents[0])
        other = a if name == "saa" else shifted(rows.exposures, -exponents[1])
        return _over(a * other, rows, starts)
    if exposure is None:  # each row counts one, which scaling made a power of two
        unit = 2.0 ** -exponents[1]
        return count * (unit**2 if name == "see" else unit**4)
    e = shifted(exposure, -exponents[1])
    return _over(e * e if name == "see" else (e * e) ** 2, rows, starts)


def _counted(rows: ValueRows, starts: Places) -> Ints:
    if rows.n is None:
        return np.diff(starts, append=len(rows))
    return add_up(rows.times, starts)


def _over(column: Array, rows: ValueRows, starts: Places) -> Array:
    return add_sums(_times(column, rows), starts)


def _times(column: Array, rows: ValueRows) -> Array:
    return column if rows.n is None else column * rows.times


@refused_later
def rates_of(values: OfRows) -> Rates:
    """Return exposure and amount of each row by rate, those without an amount together."""
    holding, kind = values.holding, np.int64 if values.is_whole else np.float64
    exponents = exponents_of(values)
    exposures = holding.exposure
    if exposures is not None:
        exposures = shifted(exposures, -exponents[1])
    rate = rates(shifted(holding.amounts, -exponents[0]), exposures)
    order = order_of(rate)[::-1]
    rate = rate[order]
    amount = _times(holding.amounts.astype(kind), holding)[order]
    exposure = np.ones(len(order), kind)
    if holding.exposure is not None or holding.n is not None:
        exposure = _times(holding.exposures.astype(kind), holding)[order]
    zero = None
    if len(values.empty):
        rest, zero = values.empty, int(np.count_nonzero(holding.amounts > 0))
        exposure = np.insert(exposure, zero, total(_times(rest.exposures.astype(kind), rest)))
        amount, rate = np.insert(amount, zero, 0), np.insert(rate, zero, 0.0)
    return Rates(exposure, amount, rate, order, zero)

"""ValueCounts: which amounts, on which exposure, stand at each distinct score, and sums of them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from capcurve.counts import table
from capcurve.counts.digest import Fingerprint
from capcurve.counts.saved import SavedCounts
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.settings import AMOUNTS, OF_EXPOSURE, Dropped, Words, dropped_without
from capcurve.counts.sums import (
    Rates,
    Stretches,
    ValueRows,
    ValueSums,
    add_sums,
    advantage,
    arranged,
    column_total,
    differs_from_last,
    rates,
    taken_away,
    together,
)
from capcurve.numbers.exact import BLOCK, shifted
from capcurve.numbers.meeting import met
from capcurve.numbers.order import (
    add_up,
    grid_index,
    narrow,
    order_of,
    picked,
    places_among,
    readable,
    run_lengths,
    run_starts,
)
from capcurve.numbers.threads import at_once
from capcurve.numbers.types import (
    Amount,
    Array,
    Direction,
    Floats,
    Ints,
    Places,
    array_of,
    freeze,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from fractions import Fraction


# Of an amount or exposure that is shown.
SHOWN_DIGITS = ".12g"
# Of more different rows than this a summary looks at few cut-offs.
MOST_SCORES = 1 << 18
# How many scores on each side of a cut-off stand alone.
ABOUT = 1
# Sums beyond the largest float are refused where the record that holds them is made.
refused_later: np.errstate = np.errstate(over="ignore", invalid="ignore")
# What functions of amounts are given.
Amounts: TypeAlias = "ValueCounts | ValueSums"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueCounts(SavedCounts, table.Counts):
    """Which amounts stand at each distinct score, and on which exposure; counts add.

    The rows themselves, as often as each occurs: sums are only taken on reading, in one order,
    so that no number depends on the order of the rows, on shards or on the engine. Make one with
    `count_values` or `merge`.

    Attributes
    ----------
    holding
        Rows with an amount, best score first, then by amount and exposure.
    empty
        Rows without an amount, best score first, then by exposure.
    higher_is
        Whether a higher score makes a large amount more ("positive") or less likely ("negative").
    levels
        Grade names, those with the largest amounts first, or None.
    resolution
        Width of the grid that scores were floored to, or None when they are exact.
    dropped
        Rows left out for missing values or without exposure, or None.
    groups
        The same by hash group of clusters, which add up to these; or None.
    words
        What the amount and the exposure are called; no part of equality or the digest.
    remembered
        Sums that many numbers are made from, once they are known.

    Examples
    --------
    >>> values = ValueCounts.from_rows([3, 2, 2, 1], [90.0, 0.0, 10.0, 0.0])
    >>> values
    ValueCounts(n=4, with an amount=2, amount=100, distinct scores=3, higher_is='positive')
    >>> (values + values).n
    8
    """

    FIELDS: ClassVar[tuple[str, ...]] = ("higher_is", "levels", "resolution", "dropped", "words")
    FORMAT: ClassVar[str] = "capcurve/value-counts"
    HEADER: ClassVar[tuple[str, ...]] = FIELDS
    COLUMNS: ClassVar = ("amount", "exposure", "n")

    holding: ValueRows
    empty: ValueRows
    higher_is: Direction = "positive"
    levels: tuple[object, ...] | None = None
    resolution: float | None = None
    dropped: Dropped | None = None
    groups: tuple[ValueCounts, ...] | None = None
    words: Words = AMOUNTS
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        freeze(self)
        object.__setattr__(self, "remembered", {})
        table.check_groups(self)

    @classmethod
    def from_rows(
        cls,
        score: Any,
        amount: Any,
        exposure: Any = None,
        n: Any = None,
        *,
        higher_is: Direction = "positive",
        **fields: Any,
    ) -> Self:
        """Build counts from rows in any order: the last step of every input.

        Parameters
        ----------
        score
            Sortable numbers, shape (rows,): scores, codes of grades, or numbers of grid cells.
        amount
            Amount of each row, finite.
        exposure
            Exposure of each row, above 0; None where each row counts one.
        n
            How often each row occurs; None for once each.
        higher_is
            Whether a higher score makes a large amount more or less likely.
        **fields
            The other attributes.
        """
        scores = array_of(score)
        amounts = np.asarray(amount, dtype=np.float64)
        exposures = None if exposure is None else np.asarray(exposure, dtype=np.float64)
        times = None if n is None else np.asarray(n, dtype=np.int64)
        rows = ValueRows(scores, amounts, exposures, times)
        held, falls = amounts != 0, higher_is == "positive"
        holding = arranged(rows if held.all() else rows.take(held), falls=falls)
        rest = replace(rows, amount=None)
        empty = arranged(rest if not held.any() else rest.take(~held), falls=falls)
        return cls.from_parts(holding, empty, higher_is=higher_is, **fields)

    @classmethod
    def from_parts(cls, holding: ValueRows, empty: ValueRows, **fields: Any) -> Self:
        """Build counts from rows with and without an amount that are already in order."""
        rows = holding.rows + empty.rows
        table.refuse_too_many(rows)
        if "words" not in fields:
            fields["words"] = AMOUNTS if holding.exposure is None else OF_EXPOSURE
        return cls(holding, empty, **fields)

    @classmethod
    def of_none(cls) -> Self:
        """Return counts of no rows."""
        return cls.from_rows(np.zeros(0), np.zeros(0))

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with rows, all counted alike."""
        falls = parts[0].higher_is == "positive"
        holding = arranged(together([part.holding for part in parts]), falls=falls)
        empty = arranged(together([part.empty for part in parts]), falls=falls)
        fields = {**parts[0].fields(), **changed}
        return cls.from_parts(holding, empty, **fields, groups=table.merged_groups(parts))

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells rows apart, with an amount and without: score, amount and exposure."""
        rest = (self.empty.score, self.empty.exposures)
        return (self.holding.score, self.holding.amounts, self.holding.exposures, *rest)

    @property
    def sums(self) -> tuple[Ints, Ints]:
        """What adds up where these are equal: how often rows occur, with an amount and without."""
        return self.holding.times, self.empty.times

    @property
    def cells_held(self) -> int:
        """How many different rows there are."""
        return len(self.holding) + len(self.empty)

    def named(self, *, amount: str | None = None, exposure: str | None = None) -> Self:
        """Return the same counts, with names for the amount and the exposure in words.

        Examples
        --------
        >>> values = ValueCounts.from_rows([2, 1], [5.0, 0.0], [0.5, 1.0])
        >>> values.named(amount="claims", exposure="years").words.share_captured
        'share of all claims captured'
        """
        selected = exposure if self.has_exposure and exposure else self.words.selected
        return replace(self, words=Words(selected, amount or self.words.captured))

    @property
    def n(self) -> int:
        """All rows."""
        return self.holding.rows + self.empty.rows

    @property
    def m(self) -> int:
        """Rows with an amount."""
        return self.holding.rows

    @property
    def has_exposure(self) -> bool:
        """Whether rows have an exposure; else each counts one."""
        return self.holding.exposure is not None

    @property
    def signed(self) -> bool:
        """Whether any amount is below zero."""
        return bool(self.known("least", lambda: self.holding.amounts.min(initial=0.0)) < 0)

    @property
    def largest(self) -> float:
        """The largest amount of one row, whatever its sign."""
        return float(self.known("largest", lambda: np.abs(self.holding.amounts).max(initial=0.0)))

    @property
    def amount(self) -> Amount:
        """The amount of all rows."""
        return self.by_stretch().total_amount

    @property
    def exposure(self) -> Amount:
        """The exposure of all rows; their number where none was given."""
        return self.by_stretch().total_exposure

    @property
    def is_whole(self) -> bool:
        """Whether amounts and exposures are whole numbers, on which results are rounded once."""
        return bool(self.known("whole", lambda: self.holding.is_whole and self.empty.is_whole))

    @property
    def vertices(self) -> ValueSums:
        """Sums at the cut-offs that curves run through: all of them."""
        return self.by_score()

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        return self.by_score().thresholds

    def by_stretch(self, q: float | None = None) -> Stretches:
        """Return sums over stretches of scores: each that holds an amount, and those between.

        Along scores without any amount the curve is flat, so nothing is lost by joining them; that
        in which the top share `q` ends stands alone.
        """
        found = self.known("stretches", lambda: stretches_of(self))
        return found if q is None else split_at(self, found, q)

    def areas(self) -> tuple[Fraction | int, Fraction | int]:
        """Return twice the areas of this order and of the best one, as `advantage` has them."""
        return self.known("areas", self._areas)

    def _areas(self) -> tuple[Fraction | int, Fraction | int]:
        own, best = self.by_stretch(), self.by_rate()
        both = ((own.exposures, own.amounts), (best.exposure, best.amount))
        first, second = at_once(lambda columns: advantage(*columns), both, len(best.amount))
        return first, second

    def gained(self) -> Fraction | int:
        """Return the first of these."""
        return self.areas()[0]

    def by_score(self) -> ValueSums:
        """Return sums at each distinct score, best first."""
        return self.known("by_score", lambda: _sums(self, _layout(self, every=True, apart=())))

    def about(self, shares: Sequence[float]) -> ValueSums:
        """Return sums at cut-offs among which are all next to some shares; of few rows, all."""
        if self.cells_held <= MOST_SCORES:
            return self.by_score()
        return self.known(
            f"about {[float(share) for share in shares]}",
            lambda: sums_about(self, self.by_stretch(), shares),
        )

    def over_scores(self, number: Callable[..., Any]) -> Any:
        """Return a number of the rows at each distinct score, which adds up over scores."""
        rest, held, both = self.known("rows at scores", lambda: _rows_at_scores(self))
        return _over_blocks(number, rest) + _over_blocks(number, held) - _over_blocks(number, both)

    def small_scores(self, fewest: int) -> int:
        """Return how many distinct scores have fewer rows than this."""
        return int(self.over_scores(lambda rows: np.count_nonzero(rows < fewest)))

    @property
    def is_of_floats(self) -> bool:
        """Whether scores are float64 as they came: no grades, and on no grid."""
        plain = self.levels is None and self.resolution is None
        return plain and all(rows.score.dtype == "f8" for rows in (self.holding, self.empty))

    def score_after(self, score: float) -> float | None:
        """Return the best of the float scores that are worse than one, without a list of all."""
        falls, found = self.higher_is == "positive", []
        for rows in (self.holding, self.empty):
            if falls and (place := int(np.searchsorted(rows.score[::-1], score))):
                found.append(float(rows.score[len(rows) - place]))
            place = int(np.searchsorted(rows.score, score, side="right"))
            if not falls and place < len(rows):
                found.append(float(rows.score[place]))
        return (max if falls else min)(found, default=None)

    def by_rate(self) -> Rates:
        """Return exposure and amount from the highest rate of amount to exposure down."""
        return self.known("rates", lambda: rates_of(self))

    def every_row(self) -> Self:
        """Return counts of every row: these. `ValueSums` lack them."""
        return self

    def as_classes(self) -> ScoreCounts | None:
        """Return yes/no counts where rows hold one amount or none, on one exposure; else None."""
        return self.known("classes", lambda: _as_classes(self))

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid: fewer of them, at a known cost.

        Raises `ValueError` for grades, and for a grid that the present one does not divide.
        """
        step, width = table.check_step(self, resolution)
        falls = self.higher_is == "positive"
        holding, empty = (
            arranged(replace(rows, score=grid_index(rows.score, width)), falls=falls)
            for rows in (self.holding, self.empty)
        )
        groups = self.groups and tuple(group.at_resolution(step) for group in self.groups)
        changed = {**self.fields(), "resolution": step}
        return self.from_parts(holding, empty, **changed, groups=groups)

    def cells(self) -> tuple[Array, Floats, Floats | None, Ints]:
        """Return score, amount, exposure and number of all rows that differ, best score first."""
        both = (self.holding, self.empty)
        score = np.concatenate(met([rows.score for rows in both]))
        amount = np.concatenate([rows.amounts for rows in both])
        n = np.concatenate([rows.times for rows in both])
        given = [rows.exposure for rows in both if rows.exposure is not None]
        exposure = np.concatenate(given) if given else None
        rank = np.unique(score, return_inverse=True)[1]
        keys = [rank if self.higher_is == "negative" else -rank, amount]
        order = np.lexsort(([] if exposure is None else [exposure]) + keys[::-1])
        return score[order], amount[order], None if exposure is None else exposure[order], n[order]

    def columns(self) -> dict[str, Any]:
        """Return the columns of a table that these counts are saved as."""
        return self.readable_columns()

    def readable_columns(self) -> dict[str, Array]:
        """Return the scores as people read them, amounts, exposures and how often a row occurs."""
        score, *others = self.cells()
        found = dict(zip(self.COLUMNS, others, strict=True))
        shown = {"score": readable(score, self.levels, self.resolution)}
        return shown | {name: column for name, column in found.items() if column is not None}

    @classmethod
    def from_columns(cls, columns: Mapping[str, Array], **fields: Any) -> Self:
        """Build counts from such columns, whose rows may stand in any order."""
        amounts = (columns["amount"], columns.get("exposure"), columns["n"])
        return cls.from_rows(columns["score"], *amounts, **fields)

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        found = Fingerprint("f8")
        for rows in (self.holding, self.empty):
            for start in range(0, len(rows), BLOCK):
                cells = rows.take(slice(start, start + BLOCK))
                found.add(cells.score, cells.amounts, cells.exposures, cells.times)
        return found.hexdigest({"values": True, **self.settings()})

    def __len__(self) -> int:
        return int(self.over_scores(len))

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        if self.n and other.n:
            table.refuse_unequal([self.settings(), other.settings()])
        falls = self.higher_is == "positive"
        holding = taken_away(self.holding, other.holding, falls=falls)
        empty = taken_away(self.empty, other.empty, falls=falls)
        left = {**self.fields(), "dropped": dropped_without(self, other)}
        groups = table.group_differences(self, other)
        return self.from_parts(holding, empty, **left, groups=groups)

    def __repr__(self) -> str:
        parts = [f"n={self.n}", f"with an amount={self.m}", *self._totals()]
        parts += [f"distinct scores={len(self)}", f"higher_is={self.higher_is!r}"]
        parts += self.told_settings()
        return f"ValueCounts({', '.join(parts)})"

    def _totals(self) -> list[str]:
        """Return what amounts and exposures add up to, as it is shown."""
        try:
            totals = {"amount": self.amount, "exposure": self.exposure}
            parts = [f"{name}={total:{SHOWN_DIGITS}}" for name, total in totals.items()]
        except ValueError:
            return ["sums beyond what a float holds"]
        return parts if self.has_exposure else parts[:1]


def _as_classes(values: ValueCounts) -> ScoreCounts | None:
    amounts, exposures = values.holding.amounts, values.holding.exposures
    if not (len(amounts) and len(values.empty)) or amounts[0] < 0:
        return None
    if (amounts != amounts[0]).any():
        return None
    if (exposures != exposures[0]).any() or (values.empty.exposures != exposures[0]).any():
        return None
    return rows_as_classes(values)


def rows_as_classes(values: ValueCounts) -> ScoreCounts:
    """Return rows with an amount as positives, and those without as negatives."""
    # Which rows have an amount is known even where amounts have no sum.
    held, rest = (replace(t, amount=None, exposure=None) for t in (values.holding, values.empty))
    sums = replace(values, holding=held, empty=rest, groups=None).by_score()
    up = table.upward(values.higher_is)
    score, positives, cases = (c[up] for c in (sums.score, sums.holding, sums.rows))
    counts = ScoreCounts.from_ascending(
        score,
        positives,
        cases - positives,
        higher_is=values.higher_is,
        levels=values.levels,
        resolution=values.resolution,
        dropped=values.dropped,
    )
    if values.groups is None:
        return counts
    return replace(counts, groups=tuple(rows_as_classes(group) for group in values.groups))


def exponents_of(values: ValueCounts) -> tuple[int, int]:
    """Return the powers of two that the largest amount and exposure are near."""
    exposures = [rows.exposures.max(initial=0.0) for rows in (values.holding, values.empty)]
    return int(np.frexp(values.largest)[1]), int(np.frexp(max(exposures))[1])


def _rows_at_scores(values: ValueCounts) -> tuple[Array, Array, Array]:
    """Return how many rows scores without an amount have, those with one, and who is in both."""
    layout, empty = _layout(values, every=False, apart=()), values.empty
    held = layout.held("rows")
    if not len(empty):
        return held[:0], held, held[:0]
    tied = layout.of_empty(layout.rest("rows"))[layout.own]
    if empty.exposure is None:  # each score stands once
        rest = np.broadcast_to(np.uint8(1), len(empty)) if empty.n is None else empty.n
    elif empty.n is None:
        rest = run_lengths(differs_from_last(empty.score))
    else:
        rest = narrow(_counted(empty, run_starts(empty.score)))
    return rest, held + tied, tied[tied > 0]


def _over_blocks(number: Callable[[Ints], Any], rows: Array) -> Any:
    """Return what a number adds up to over many scores; at once where they are alike."""
    if len(rows) and not rows.strides[0]:
        return len(rows) * number(rows[:1].astype(np.int64))
    blocks = (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
    return sum(number(block.astype(np.int64)) for block in blocks)


@refused_later
def _sums(values: ValueCounts, layout: _RowLayout) -> ValueSums:
    names = ("rows", "exposures", "amounts", "saa", "sae", "see")
    sums = at_once(layout.joined, names, layout.size)
    columns: dict[str, Any] = dict(zip(names, sums, strict=True))
    score, empty = met([values.holding.score, values.empty.score])
    if len(layout.starts) < len(score):
        score = score[layout.starts]
    score = layout.of_holding(score)
    if len(values.empty):
        score = score.copy()
        ends = np.append(layout.begins[1:], len(values.empty)) - 1
        score[layout.places] = empty[ends]
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


def sums_about(values: ValueCounts, found: Stretches, shares: Iterable[float]) -> ValueSums:
    """Return sums of few stretches of scores, among them every cut-off next to some shares."""
    # The score in which each share ends stands alone, and so do the two about it.
    ends = np.cumsum(found.exposures)
    wanted = [share * float(ends[-1]) for share in shares]
    apart = {row for each in (0.0, *wanted) for row in _rows_about(values, found, ends, each)}
    sums = _sums(values, _layout(values, every=False, apart=sorted(apart)))
    reached = np.searchsorted(np.cumsum(sums.exposures), wanted)
    near = (reached[:, None] + np.arange(-ABOUT, ABOUT + 2)).ravel()
    return sums.joined(np.unique(np.clip([1, *near, len(sums)], 1, len(sums))))


def _rows_about(values: ValueCounts, found: Stretches, ends: Array, wanted: float) -> list[int]:
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
def stretches_of(values: ValueCounts, apart: Sequence[int] = ()) -> Stretches:
    """Return sums over stretches of scores, those that hold no amount put together."""
    # Stretches end before each of the different rows without an amount whose numbers are `apart`.
    layout = _layout(values, every=False, apart=apart)
    exposures, amounts = layout.joined("exposures"), layout.joined("amounts")
    rows, place = len(values.holding), layout.own
    if len(layout.starts) < rows:
        place = np.repeat(place, np.diff(layout.starts, append=rows))
    begins = np.full(layout.size + 1, len(values.empty), dtype=np.intp)
    if len(values.empty):
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
        column_total(amounts),
        column_total(exposures) if values.has_exposure else exposures.dtype.type(values.n).item(),
    )


def split_at(values: ValueCounts, found: Stretches, q: float) -> Stretches:
    """Return the same, with the score in which the top share q ends in a stretch of its own."""
    ends = np.cumsum(found.exposures)
    apart = _rows_about(values, found, ends, q * float(ends[-1]))
    return stretches_of(values, sorted(set(apart))) if apart else found


@dataclass(frozen=True, slots=True, eq=False)
class _RowLayout:
    """Where rows with and without an amount stand among all scores, or stretches of them."""

    values: ValueCounts
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


def _layout(values: ValueCounts, *, every: bool, apart: Sequence[int]) -> _RowLayout:
    """Return where rows stand: at `every` distinct score, or with those without amount joined."""
    starts, exponents = run_starts(values.holding.score), exponents_of(values)
    empty, held = values.empty.score, len(starts)
    if not len(empty):
        none = np.zeros(0, dtype=np.intp)
        own = starts if held == len(values.holding) else np.arange(held)
        ahead = np.broadcast_to(np.intp(0), held)
        return _RowLayout(values, exponents, starts, own, ahead, none, none, held)
    falls = values.higher_is == "positive"
    first, last = values.known(
        "ahead", lambda: _ahead(empty, values.holding.score[starts], falls=falls)
    )
    if every:
        bounds = run_starts(empty)
    else:
        # Sorted, as `np.unique` hashes whole numbers, which takes several times as long.
        ends = np.sort(np.concatenate([[0], first, last, apart]))
        bounds = ends[run_starts(ends)]
    bounds = bounds.astype(np.intp, copy=False)
    begins = bounds[bounds < len(empty)]
    alone = np.ones(len(begins), dtype=np.bool_)
    piece = places_among(begins, first, "left")
    tied = last > first
    alone[piece[tied]] = False
    before = np.append(0, np.cumsum(alone))
    own = before[piece] + np.arange(held)
    places = before[:-1] + places_among(last, begins, "right")
    places[piece[tied]] = own[tied]
    size = int(before[-1]) + held
    return _RowLayout(values, exponents, starts, own, first, begins, places, size)


def _ahead(ordered: Array, scores: Array, *, falls: bool) -> tuple[Places, Places]:
    """Return how many of the ordered scores are better than each, and how many at least as good."""
    ordered, wanted = met([ordered, scores])
    if falls:
        ordered, wanted = ordered[::-1], wanted[::-1]
    below = places_among(ordered, wanted, "left")
    upto, inside = below.copy(), np.flatnonzero(below < len(ordered))
    tied = inside[ordered[below[inside]] == wanted[inside]]
    upto[tied] = places_among(ordered, wanted[tied], "right")
    return (len(ordered) - upto[::-1], len(ordered) - below[::-1]) if falls else (below, upto)


def _summed(
    values: ValueCounts, rows: ValueRows, starts: Places, exponents: tuple[int, int], name: str
) -> Array:
    """Return sums over runs of rows: in whole numbers where all are, squares of scaled ones."""
    kind = np.int64 if values.is_whole else np.float64
    amount, exposure = rows.amount, rows.exposure
    if name == "rows":
        return _counted(rows, starts)
    if name == "exposures":
        if exposure is None:
            return _counted(rows, starts).astype(kind, copy=False)
        return _over(exposure.astype(kind), rows, starts)
    if amount is None and name in {"amounts", "saa", "sae"}:
        return np.zeros(len(starts), kind if name == "amounts" else np.float64)
    if name == "amounts":
        return _over(rows.amounts.astype(kind, copy=False), rows, starts)
    if name in {"saa", "sae"}:
        a = shifted(rows.amounts, -exponents[0])
        other = a if name == "saa" else shifted(rows.exposures, -exponents[1])
        return _over(a * other, rows, starts)
    if exposure is None:  # each row counts one, which scaling made a power of two
        unit = 2.0 ** -exponents[1]
        return _counted(rows, starts) * (unit**2 if name == "see" else unit**4)
    e = shifted(exposure, -exponents[1])
    return _over(e * e if name == "see" else (e * e) ** 2, rows, starts)


def _counted(rows: ValueRows, starts: Places) -> Ints:
    if rows.n is None:
        if len(starts) == len(rows):
            return np.ones(len(rows), dtype=np.int64)
        return np.diff(starts, append=len(rows))
    return add_up(rows.times, starts)


def _over(column: Array, rows: ValueRows, starts: Places) -> Array:
    return add_sums(_times(column, rows), starts)


def _times(column: Array, rows: ValueRows) -> Array:
    return column if rows.n is None else column * rows.times


@refused_later
def rates_of(values: ValueCounts) -> Rates:
    """Return exposure and amount of each row by rate, those without an amount together."""
    holding, kind = values.holding, np.int64 if values.is_whole else np.float64
    exponents = exponents_of(values)
    exposures = holding.exposure
    if exposures is not None:
        exposures = shifted(exposures, -exponents[1])
    rate = rates(shifted(holding.amounts, -exponents[0]), exposures)
    order = order_of(rate)[::-1]
    amount = picked(_times(holding.amounts.astype(kind, copy=False), holding), order)
    if holding.exposure is None and holding.n is None:
        rate, exposure = shifted(amount, -exponents[0]), np.ones(len(order), kind)
    else:
        exposure = picked(_times(holding.exposures.astype(kind), holding), order)
        rate = picked(rate, order)
    zero = None
    if len(values.empty):
        rest, zero = values.empty, int(np.count_nonzero(holding.amounts > 0))
        idle: Amount = rest.rows
        if rest.exposure is not None:
            idle = column_total(_times(rest.exposure.astype(kind, copy=False), rest))
        exposure = np.insert(exposure, zero, idle)
        amount, rate = np.insert(amount, zero, 0), np.insert(rate, zero, 0.0)
    return Rates(exposure, amount, rate, order, zero)

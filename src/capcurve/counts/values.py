"""ValueCounts: which amounts, on which exposure, stand at each distinct score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from capcurve.counts import algebra
from capcurve.counts.cells import common_dtype, grid_index
from capcurve.counts.digest import Fingerprint, same_scores
from capcurve.counts.exact import BLOCK
from capcurve.counts.saved import value_arguments_from, values_to_dict
from capcurve.counts.score_counts import ScoreCounts
from capcurve.counts.settings import check_resolution
from capcurve.counts.types import FrozenRecord, freeze
from capcurve.counts.value_rows import ValueRows, arranged, taken_away, together
from capcurve.counts.value_stretches import (
    distinct_scores_of,
    rates_of,
    split_at,
    stretches_of,
    sums_about,
    sums_of,
)
from capcurve.counts.value_sums import Rates, ValueSums, advantage
from capcurve.counts.words import AMOUNTS, OF_EXPOSURE, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Amount, Array, Floats, Ints
    from capcurve.counts.value_sums import Stretches

# Of an amount or exposure that is shown.
DIGITS = ".12g"
# Of more different rows than this a summary looks at few cut-offs.
MOST_SCORES = 1 << 18
# What functions of amounts are given.
Amounts: TypeAlias = "ValueCounts | ValueSums"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueCounts(FrozenRecord):
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
        if self.groups is not None:
            _check_groups(self)

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
        scores = np.asarray(score)
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
        algebra.refuse_too_many(rows)
        if "words" not in fields:
            fields["words"] = AMOUNTS if holding.exposure is None else OF_EXPOSURE
        return cls(holding, empty, **fields)

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts in any order, exactly.

        Raises
        ------
        ValueError
            When directions, grades or resolutions differ, when only some parts have an exposure or
            clusters, or when score types have no common type that holds all scores.
        """
        parts = algebra.only_counts(cls, many)
        full = [part for part in parts if part.n] or parts[:1]
        if not full:
            return cls.from_rows(np.zeros(0), np.zeros(0))
        if len(full) == 1:
            return replace(full[0], dropped=algebra.total_dropped(parts))
        algebra.refuse_unlike([settings_of(part) for part in full])
        whole = full[0]
        falls = whole.higher_is == "positive"
        holding, empty = (
            arranged(together([getattr(part, table) for part in full]), falls=falls)
            for table in ("holding", "empty")
        )
        return cls.from_parts(
            holding,
            empty,
            **{**whole.fields(), "dropped": algebra.total_dropped(parts)},
            groups=algebra.merged_groups(full, cls.merge),
        )

    def fields(self) -> dict[str, Any]:
        """Return the arguments of these counts that are not rows or groups."""
        names = ("higher_is", "levels", "resolution", "dropped", "words")
        return {name: getattr(self, name) for name in names}

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
        return bool(self._known("least", lambda: self.holding.amounts.min(initial=0.0)) < 0)

    @property
    def largest(self) -> float:
        """The largest amount of one row, whatever its sign."""
        return float(self._known("largest", lambda: np.abs(self.holding.amounts).max(initial=0.0)))

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
        return bool(self._known("whole", lambda: self.holding.is_whole and self.empty.is_whole))

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
        found: Stretches = self._known("stretches", lambda: stretches_of(self))
        return found if q is None else split_at(self, found, q)

    def areas(self) -> tuple[Fraction | int, Fraction | int]:
        """Return twice the areas of this order and of the best one, as `advantage` has them."""
        found: tuple[Fraction | int, Fraction | int] = self._known("areas", self._areas)
        return found

    def _areas(self) -> tuple[Fraction | int, Fraction | int]:
        own, best = self.by_stretch(), self.by_rate()
        return advantage(own.exposures, own.amounts), advantage(best.exposure, best.amount)

    def by_score(self) -> ValueSums:
        """Return sums at each distinct score, best first."""
        found: ValueSums = self._known("by_score", lambda: sums_of(self))
        return found

    def about(self, shares: Sequence[float]) -> ValueSums:
        """Return sums at cut-offs among which are all next to some shares; of few rows, all."""
        if len(self.holding) + len(self.empty) <= MOST_SCORES:
            return self.by_score()
        return sums_about(self, self.by_stretch(), shares)

    def small_scores(self, fewest: int) -> int:
        """Return how many distinct scores have fewer rows than this."""
        if self.has_exposure or len(self.holding) + len(self.empty) <= MOST_SCORES:
            return int(np.count_nonzero(self.by_score().rows < fewest))
        held, tied = self._held_scores()
        times = self.empty.times
        alone = len(times) if self.empty.n is None else int(np.count_nonzero(times < fewest))
        with_amount = self.by_stretch().holding[held]
        rows, both = with_amount.copy(), tied >= 0
        rows[both] += times[tied[both]]
        of_tied = int(np.count_nonzero(times[tied[both]] < fewest))
        return alone - of_tied + int(np.count_nonzero(rows < fewest))

    def _held_scores(self) -> tuple[Array, Array]:
        """Return which stretches have an amount, and their first row without one, or -1."""
        found = self.by_stretch()
        held = np.flatnonzero(found.holding)
        first = found.begins[held]
        return held, np.where(found.begins[held + 1] > first, first, -1)

    def by_rate(self) -> Rates:
        """Return exposure and amount from the highest rate of amount to exposure down."""
        found: Rates = self._known("rates", lambda: rates_of(self))
        return found

    def every_row(self) -> Self:
        """Return counts of every row: these. `ValueSums` lack them."""
        return self

    def as_classes(self) -> ScoreCounts | None:
        """Return yes/no counts where rows hold one amount or none, on one exposure; else None."""
        found: ScoreCounts | None = self._known("classes", lambda: _as_classes(self))
        return found

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid: fewer of them, at a known cost.

        Raises
        ------
        ValueError
            For grades, and for a grid that the present one does not divide.
        """
        step = check_resolution(resolution)
        if step is None:
            raise ValueError("resolution must be a positive number such as 1e-4, got None")
        width = algebra.grid_width(self.levels, self.resolution, step)
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
        dtype = common_dtype([rows.score for rows in both])
        score = np.concatenate([rows.score.astype(dtype) for rows in both])
        amount = np.concatenate([rows.amounts for rows in both])
        n = np.concatenate([rows.times for rows in both])
        given = [rows.exposure for rows in both if rows.exposure is not None]
        exposure = np.concatenate(given) if given else None
        rank = np.unique(score, return_inverse=True)[1]
        keys = [rank if self.higher_is == "negative" else -rank, amount]
        order = np.lexsort(([] if exposure is None else [exposure]) + keys[::-1])
        return score[order], amount[order], None if exposure is None else exposure[order], n[order]

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        found = Fingerprint("f8")
        for rows in (self.holding, self.empty):
            for start in range(0, len(rows), BLOCK):
                cells = rows.take(slice(start, start + BLOCK))
                found.add(cells.score, cells.amounts, cells.exposures, cells.times)
        return found.hexdigest({"values": True, **settings_of(self)})

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as values that strict JSON can hold."""
        return values_to_dict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Take counts back from `to_dict`.

        Raises
        ------
        ValueError
            When the format is another, something is missing or of another type than it was saved
            as, or the counts are not those of their digest.
        """
        arguments, groups = value_arguments_from(saved)
        parts = None if groups is None else tuple(cls.from_dict(group) for group in groups)
        values = cls.from_rows(**arguments, groups=parts)
        if values.digest() != saved["digest"]:
            raise ValueError("the counts were changed after they were saved: their digest differs")
        return values

    def _known(self, name: str, find: Any) -> Any:
        if name not in self.remembered:
            self.remembered[name] = find()
        return self.remembered[name]

    def __len__(self) -> int:
        return int(self._known("length", lambda: distinct_scores_of(self)))

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.merge([self, other])

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum(shards) works

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        if self.n and other.n:
            algebra.refuse_unlike([settings_of(self), settings_of(other)])
        falls = self.higher_is == "positive"
        holding, empty = (
            taken_away(getattr(self, table), getattr(other, table), falls=falls)
            for table in ("holding", "empty")
        )
        left = {**self.fields(), "dropped": algebra.dropped_without(self, other)}
        return self.from_parts(
            holding, empty, **left, groups=algebra.group_differences(self, other)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        return settings_of(self) == settings_of(other) and all(
            same_rows(one, two)
            for one, two in ((self.holding, other.holding), (self.empty, other.empty))
        )

    def __hash__(self) -> int:
        return hash((self.n, self.m, self.largest))

    def __repr__(self) -> str:
        parts = [f"n={self.n}", f"with an amount={self.m}", *self._totals()]
        parts += [f"distinct scores={len(self)}", f"higher_is={self.higher_is!r}"]
        if self.resolution is not None:
            parts.append(f"resolution={self.resolution:g}")
        if self.groups is not None:
            parts.append(f"groups of clusters={sum(group.n > 0 for group in self.groups)}")
        if self.dropped is not None and self.dropped.rows:
            parts.append(f"dropped={self.dropped.rows} rows {dict(self.dropped.columns)}")
        return f"ValueCounts({', '.join(parts)})"

    def _totals(self) -> list[str]:
        """Return what amounts and exposures add up to, as it is shown."""
        try:
            parts = [f"amount={self.amount:{DIGITS}}", f"exposure={self.exposure:{DIGITS}}"]
        except ValueError:
            return ["sums beyond what a float holds"]
        return parts if self.has_exposure else parts[:1]


def settings_of(values: Any) -> dict[str, object]:
    """Return what must be equal for counts of amounts to add or to be compared."""
    return {
        "higher_is": values.higher_is,
        "levels": values.levels,
        "resolution": values.resolution,
        "exposure": values.has_exposure,
    }


def same_rows(one: ValueRows, other: ValueRows) -> bool:
    """Return whether two tables hold the same rows, each as often."""
    return (
        len(one) == len(other)
        and same_scores(one.score, other.score)
        and np.array_equal(one.amounts, other.amounts)
        and np.array_equal(one.exposures, other.exposures)
        and np.array_equal(one.times, other.times)
    )


def _as_classes(values: ValueCounts) -> ScoreCounts | None:
    amounts, exposures = values.holding.amounts, values.holding.exposures
    if not (len(amounts) and len(values.empty)) or amounts[0] < 0:
        return None
    if (amounts != amounts[0]).any():
        return None
    if (exposures != exposures[0]).any() or (values.empty.exposures != exposures[0]).any():
        return None
    return _classes(values)


def _classes(values: ValueCounts) -> ScoreCounts:
    """Return rows with an amount as positives, and those without as negatives."""
    # Which rows have an amount is known even where amounts have no sum.
    held, rest = (replace(t, amount=None, exposure=None) for t in (values.holding, values.empty))
    sums = replace(values, holding=held, empty=rest, groups=None).by_score()
    backwards = slice(None, None, -1 if values.higher_is == "positive" else 1)
    score, positives, cases = (c[backwards] for c in (sums.score, sums.holding, sums.rows))
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
    return replace(counts, groups=tuple(_classes(group) for group in values.groups))


def _check_groups(whole: ValueCounts) -> None:
    """Raise ValueError unless the groups are all there, and add up to the whole."""
    groups = whole.groups or ()
    if len(groups) != algebra.GROUPS:
        raise ValueError(
            f"counts have {algebra.GROUPS} groups of clusters; these have {len(groups)}"
        )
    full = [group for group in groups if group.n]
    same = sum(group.n for group in full) == whole.n and sum(g.m for g in full) == whole.m
    if same and full and sum(len(g.holding) + len(g.empty) for g in full) <= algebra.CELLS_COMPARED:
        same = ValueCounts.merge(full) == whole
    if not same:
        raise ValueError("the groups of clusters do not add up to the counts they are part of")

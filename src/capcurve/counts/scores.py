"""ScoreCounts: classes at each distinct score; CaseCounts: cases without outcome at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from capcurve.counts import table
from capcurve.counts.digest import digest, digest_of
from capcurve.counts.saved import ROOTS, SavedCounts
from capcurve.counts.settings import (
    CLASSES,
    Dropped,
    Words,
    check_direction,
    check_levels,
    check_resolution,
    dropped_without,
    written_levels,
)
from capcurve.counts.weights import Weights
from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.order import (
    add_up,
    frozen,
    grid_index,
    narrow,
    one_zero,
    readable,
    run_starts,
    sum_ties,
)
from capcurve.numbers.rankable import as_rankable, codes_of, refuse_nan
from capcurve.numbers.totals import Totals, totals_of
from capcurve.numbers.types import array_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.numbers.types import Array, Bools, Direction, Places

Scored = TypeVar("Scored", bound="ScoreCounts")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreCounts(SavedCounts, table.TwoClasses):
    """How many positives and negatives stand at each distinct score; counts add.

    Everything is read off one of these, so no two numbers disagree and none depends on the
    order of the rows. Make one with `count_scores`, `from_counts` or `merge`.

    Attributes
    ----------
    score
        Distinct scores, most-likely-positive first, shape (K,). With `levels` these are
        grade codes, with `resolution` grid numbers; `thresholds` is what people read.
    positives, negatives
        Cases of each class at each score, shape (K,): the smallest integers that hold
        them, or float64 when rows carry weights.
    higher_is
        Whether a higher score makes a case more likely "positive" or "negative".
    levels
        Grade names, most-likely-positive first, or None.
    resolution
        Width of the grid that scores were floored to, or None when they are exact.
    weights
        What weighted counts remember of their rows, or None.
    dropped
        Rows left out for missing values, or None when that was not asked for.
    groups
        The same counts by hash group of clusters, which add up to these; or None.
    n1, n0
        All positives and all negatives: integers, or their total weight.
    remembered
        Sums that many numbers are made from, once they are known.

    Examples
    --------
    >>> counts = ScoreCounts.from_counts([3, 2, 1], positives=[4, 2, 1], negatives=[1, 3, 9])
    >>> counts
    ScoreCounts(n=20, positives=7, distinct scores=3, higher_is='positive')
    >>> (counts + counts).n
    40
    """

    FIELDS: ClassVar[tuple[str, ...]] = ("higher_is", "levels", "resolution", "dropped")
    FORMAT: ClassVar[str] = "capcurve/score-counts"

    score: Array
    positives: Array
    negatives: Array
    higher_is: Direction = "positive"
    levels: tuple[object, ...] | None = None
    resolution: float | None = None
    weights: Weights | None = None
    dropped: Dropped | None = None
    groups: tuple[ScoreCounts, ...] | None = None
    # Where all is known by a horizon: the times, the horizon and the rule that these were taken by.
    taken: Any = field(default=None, repr=False)
    n1: Any = field(init=False)
    n0: Any = field(init=False)
    remembered: dict[str, Any] = field(init=False)

    def exchanged(self) -> ScoreCounts:
        """Return the same order with negatives in place of positives, and the other way round."""
        groups = self.groups and tuple(group.exchanged() for group in self.groups)
        weights = self.weights and self.weights.exchanged()
        cells = self.score, self.negatives, self.positives
        return ScoreCounts(*cells, **self.fields(), weights=weights, groups=groups)

    def turned(self) -> ScoreCounts:
        """Return the negatives as positives, in the order in which they are most likely."""
        flipped: Direction = "negative" if self.higher_is == "positive" else "positive"
        weights = self.weights and self.weights.exchanged().take(slice(None, None, -1))
        score, first, second = (c[::-1] for c in (self.score, self.negatives, self.positives))
        return ScoreCounts(score, first, second, flipped, weights=weights)

    @classmethod
    def from_ascending(
        cls,
        score: Array,
        positives: Array,
        negatives: Array,
        *,
        weights: Weights | None = None,
        **fields: Any,
    ) -> Self:
        """Build counts from distinct ascending scores: the last step of every input.

        Parameters
        ----------
        score
            Distinct scores, ascending; 0.0 stands for -0.0 too.
        positives, negatives
            Sums per score. Scores where both are zero are left out.
        """
        if not (full := np.logical_or(positives, negatives)).all():
            score, positives, negatives = score[full], positives[full], negatives[full]
            weights = weights and weights.take(full)
        score = one_zero(score)
        if fields.get("higher_is", "positive") == "positive":
            backwards = slice(None, None, -1)
            score, positives, negatives = (a[backwards] for a in (score, positives, negatives))
            weights = weights and weights.take(backwards)
        return cls(frozen(score), narrow(positives), narrow(negatives), weights=weights, **fields)

    @classmethod
    def from_counts(
        cls,
        score: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        higher_is: Direction = "positive",
        levels: Iterable[object] | None = None,
        resolution: float | None = None,
    ) -> Self:
        """Take a table that is already counted: rating grades, bins, someone's report.

        Parameters
        ----------
        score
            Score or grade of each row, shape (K,), in any order; equal ones are added up.
        positives, negatives
            Cases of each class in each row; fractions are taken as weighted counts.
        higher_is
            Whether a higher score makes a case more likely "positive" or "negative".
        levels
            Grade names, most-likely-positive first; needed when `score` is text.
        resolution
            Floor the scores to a grid of this width.

        Raises
        ------
        ValueError, TypeError
            For counts that are negative or not numbers, lengths that differ, NaN scores,
            text scores without `levels`.

        Examples
        --------
        >>> ScoreCounts.from_counts(["B", "A"], [3, 1], [5, 9], levels=["B", "A"]).thresholds
        array(['B', 'A'], dtype=object)
        """
        names, direction = check_levels(levels), check_direction(higher_is)
        scores = as_rankable(array_of(score), "score", names, direction)
        sums = [table.as_tallies(positives, "positives"), table.as_tallies(negatives, "negatives")]
        for name, column in zip(table.BOTH_CLASSES, sums, strict=True):
            table.refuse_other_length(scores, column, name)
        if names is None:
            refuse_nan(scores, "score")
        else:
            scores = codes_of(scores, names, "score")
        table.refuse_too_many(sum(map(table.total, sums)))
        distinct, (p, n) = sum_ties(scores, sums)
        levels = written_levels(names)
        counts = cls.from_ascending(distinct, p, n, higher_is=direction, levels=levels)
        step = check_resolution(resolution)
        return counts if step is None else counts.at_resolution(step)

    @classmethod
    def of_cells(cls, keys: Sequence[Array], **fields: Any) -> Self:
        """Build counts from distinct ascending scores, and sums by name."""
        return cls.from_ascending(keys[0], **fields)

    @classmethod
    def of_none(cls) -> Self:
        """Return counts of no cases."""
        none = np.zeros(0, dtype=np.int64)
        return cls.from_ascending(np.zeros(0), none, none)

    @property
    def prevalence(self) -> float | None:
        """Share of cases that are positive; None when there are no cases."""
        return float(self.n1 / self.n) if self.n > 0 else None

    @property
    def words(self) -> Words:
        """What is selected and what is captured: cases and positives."""
        return CLASSES

    @property
    def keys(self) -> tuple[Array]:
        """What tells cells apart: the score."""
        return (self.score,)

    @property
    def vertices(self) -> Self:
        """The cut-offs that curves run through: all of them. `RankTotals` hold some."""
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
    def corners(self) -> bool:
        """Whether every best cut-off is among the vertices: yes."""
        return True

    @property
    def cases(self) -> CaseCounts:
        """The cases of both classes at each score, as if their outcome were not known.

        Examples
        --------
        >>> ScoreCounts.from_counts([2, 1], positives=[3, 1], negatives=[1, 5]).cases.cases
        array([4, 6], dtype=uint8)
        """
        groups = self.groups and tuple(group.cases.held for group in self.groups)
        up = table.upward(self.higher_is)
        cells = ([self.score[up]], table.without_outcome(self, up))
        return CaseCounts(table.built(type(self), cells, groups, self.fields()))

    def every_score(self) -> Self:
        """Return counts of every distinct score: these. `RankTotals` may lack some."""
        return self

    def totals(self) -> Totals:
        """Return sums over all distinct scores of whole counts; they are taken once."""
        return self.known("totals", lambda: totals_of(self, self.n1, self.n0))

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        return readable(self.score, self.levels, self.resolution)

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid: fewer cells, at a known cost.

        The accuracy ratio then moves by at most `tie_mass` of the result. Raises `ValueError` for
        grades, and for a grid that the present one does not divide.

        Examples
        --------
        >>> counts = ScoreCounts.from_counts([0.12, 0.18, 0.31], [1, 0, 1], [1, 1, 0])
        >>> counts.at_resolution(0.1).thresholds
        array([0.3, 0.1])
        """
        step, width = table.check_step(self, resolution)
        cells = table.summed([grid_index(self.score, width)], [self])
        groups = self.groups and tuple(group.at_resolution(step) for group in self.groups)
        changed = {**self.fields(), "resolution": step}
        return table.built(type(self), cells, groups, changed)

    def joined(self, ends: ArrayLike) -> Self:
        """Put neighbouring scores together: fewer cells, each with its last score.

        Weights and groups of clusters are put together with the cells, so that whatever is read off
        the result is that of the same cases. Raises `ValueError` when the ends do not ascend to the
        last score.

        Parameters
        ----------
        ends
            How many of these scores lie before the end of each new cell, ascending; the last
            one is the number of scores.

        Examples
        --------
        >>> counts = ScoreCounts.from_counts([4, 3, 2, 1], [4, 2, 1, 0], [1, 3, 9, 2])
        >>> counts.joined([1, 4]).score, counts.joined([1, 4]).positives
        (array([4, 1]), array([4, 3], dtype=uint8))
        """
        found = table.check_ends(ends, len(self))
        last = self.score[found - 1]
        groups = self.groups and tuple(_joined_up_to(last, group) for group in self.groups)
        starts = np.append(0, found)[: len(found)].astype(np.intp)
        return _put_together(self, starts, last, groups)

    def columns(self) -> dict[str, Array]:
        """Return the columns of a table that these counts are saved as."""
        roots = {} if self.weights is None else {n: getattr(self.weights, n) for n in ROOTS}
        return {**self.readable_columns(), **roots}

    def readable_columns(self) -> dict[str, Array]:
        """Return the scores as people read them, and the cases of each class."""
        return {"score": self.thresholds, "positives": self.positives, "negatives": self.negatives}

    @classmethod
    def from_columns(cls, columns: Mapping[str, Array], **fields: Any) -> Self:
        """Build counts from such columns, whose rows may stand in any order."""
        order = np.argsort(columns["score"], kind="stable")
        weights = fields.pop("weights", None)
        if weights is not None:
            roots = (columns[name][order] for name in ROOTS)
            fields["weights"] = Weights(*weights, *roots)
        cells = (columns[name][order] for name in ("score", *table.BOTH_CLASSES))
        return cls.from_ascending(*cells, **fields)

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine.

        What weighted counts remember of their rows is part of it, and of equality; rows that
        were dropped and clusters are not.
        """
        return digest(self)

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        if not (self.is_whole and other.is_whole):
            raise ValueError("only whole counts can be taken away; these carry weights")
        if len(self) and len(other):
            table.refuse_unequal([self.settings(), other.settings()])
        score = table.joined_columns([self.keys, other.keys])[0]
        sums = zip(self.sums, other.sums, strict=True)
        columns = [np.concatenate([table.wide(one), -table.wide(two)]) for one, two in sums]
        score, (positives, negatives) = sum_ties(score, columns)
        short = (positives < 0) | (negatives < 0)
        if short.any():
            raise ValueError(
                f"at score {score[short][0]} more cases are taken away than there are; "
                "the second counts are not a part of the first"
            )
        left = {**self.fields(), "dropped": dropped_without(self, other)}
        groups = table.group_differences(self, other)
        return self.from_ascending(score, positives, negatives, **left, groups=groups)

    def __repr__(self) -> str:
        shown = "{:g}" if not self.is_whole else "{}"
        parts = [
            f"n={shown.format(self.n)}",
            f"positives={shown.format(self.n1)}",
            f"distinct scores={len(self)}",
            f"higher_is={self.higher_is!r}",
            *self.told_settings(),
        ]
        return f"ScoreCounts({', '.join(parts)})"


def _joined_up_to(last: Array, counts: ScoreCounts) -> ScoreCounts:
    """Return counts of some of the cases, with the scores up to each of the last ones joined."""
    score = counts.score.astype(last.dtype, copy=False)
    if counts.higher_is == "positive":
        place = len(last) - np.searchsorted(last[::-1], score, side="right")
    else:
        place = np.searchsorted(last, score)
    starts = run_starts(place)
    return _put_together(counts, starts, last[place[starts]], None)


def _put_together(counts: Scored, starts: Places, score: Array, groups: Any) -> Scored:
    """Return counts with the cells of each run at one score."""
    up = table.upward(counts.higher_is)
    sums: dict[str, Any] = {
        name: add_up(getattr(counts, name), starts)[up] for name in table.BOTH_CLASSES
    }
    sums["weights"] = counts.weights and counts.weights.joined(starts).take(up)
    return table.built(type(counts), ([score[up]], sums), groups, counts.fields())


def _of_held(name: str, says: str) -> Any:
    def found(cases: Cases) -> Any:
        return getattr(cases.held, name)

    return property(found, doc=says)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cases(table.MadeOfCounts):
    """Cases without outcome, of one score or of several."""

    # They are held as counts whose cases are all negatives, so that adding, grids, weights,
    # clusters and fingerprints are those of every other kind of counts.

    NONE: ClassVar[str] = "counts of cases to add up, so it is not known of what"

    held: Any

    def __post_init__(self) -> None:
        if self.held.n1 > 0:
            raise ValueError(
                f"cases without outcome hold no positives, and these counts hold {self.held.n1:g}; "
                "take counts.cases to count both classes as cases"
            )

    cases: ClassVar[Any] = _of_held(
        "negatives", "Cases in each cell: whole, or weights as float64."
    )
    n: ClassVar[Any] = _of_held("n0", "All cases: an integer, or their total weight.")
    higher_is: ClassVar[Any] = _of_held("higher_is", "Direction of the score, or of each.")
    levels: ClassVar[Any] = _of_held("levels", "Grade names or None, of the score or of each.")
    resolution: ClassVar[Any] = _of_held(
        "resolution", "Width of the grid that scores were floored to, or None."
    )
    weights: ClassVar[Any] = _of_held("weights", "What weights say of their rows, or None.")
    weight_kind: ClassVar[Any] = _of_held("weight_kind", "What the weights mean, or None.")
    is_whole: ClassVar[Any] = _of_held("is_whole", "Whether these are whole counts.")
    dropped: ClassVar[Any] = _of_held("dropped", "Rows left out for missing values, or None.")

    @property
    def groups(self) -> tuple[Self, ...] | None:
        """The same by hash group of clusters, which add up to these; or None."""
        groups = self.held.groups
        return None if groups is None else tuple(type(self)(group) for group in groups)

    def __len__(self) -> int:
        return len(self.held)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each score, or combination, as other counts do."""
        shown = self.held.readable_columns()
        columns = {name: column for name, column in shown.items() if name not in table.BOTH_CLASSES}
        return data_frame({**columns, "cases": self.cases}, backend)

    def __repr__(self) -> str:
        kind = type(self.held).__name__
        shown = repr(self.held).removeprefix(kind).replace(" positives=0,", "", 1)
        return f"{type(self).__name__}{shown}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CaseCounts(SavedCounts, Cases):
    """How many cases stand at each distinct score, whatever became of them; counts add.

    Today's portfolio has no outcomes yet, and rejected applicants never get one. Make them with
    `count_cases` or `from_counts`, or take `ScoreCounts.cases`.

    Attributes
    ----------
    held
        `ScoreCounts` in which all of these cases are negatives.
    score, cases
        Distinct scores, most-likely-positive first, and the cases at each, shape (K,).

    Examples
    --------
    >>> portfolio = CaseCounts.from_counts(["B", "A"], [40, 160], levels=["B", "A"])
    >>> portfolio
    CaseCounts(n=200, distinct scores=2, higher_is='positive')
    >>> portfolio.thresholds, (portfolio + portfolio).cases
    (array(['B', 'A'], dtype=object), array([ 80, 320], dtype=uint16))
    """

    FORMAT: ClassVar[str] = "capcurve/case-counts"

    held: ScoreCounts

    keys: ClassVar[Any] = _of_held("keys", "What tells cells apart: the score.")

    @property
    def score(self) -> Array:
        """Distinct scores, most-likely-positive first, shape (K,), as in `ScoreCounts`."""
        return self.held.score

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        return self.held.thresholds

    @classmethod
    def from_counts(
        cls,
        score: ArrayLike,
        cases: ArrayLike,
        *,
        higher_is: Direction = "positive",
        levels: Iterable[object] | None = None,
        resolution: float | None = None,
    ) -> Self:
        """Take a table that is already counted: cases by rating grade or score.

        Parameters
        ----------
        score
            Score or grade of each row, shape (K,), in any order; equal ones are added up.
        cases
            Cases in each row; fractions are taken as weighted counts.
        higher_is, levels, resolution
            As in `ScoreCounts.from_counts`, which also says what is refused.
        """
        tallies = table.as_tallies(cases, "cases")
        settings: Any = {"higher_is": higher_is, "levels": levels, "resolution": resolution}
        table.refuse_other_length(score, tallies, "cases")
        none = np.zeros(len(tallies), dtype=np.int64)
        return cls(ScoreCounts.from_counts(score, none, tallies, **settings))

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid, as `ScoreCounts.at_resolution` does."""
        return type(self)(self.held.at_resolution(resolution))

    def joined(self, ends: ArrayLike) -> Self:
        """Put neighbouring scores together, as `ScoreCounts.joined` does."""
        return type(self)(self.held.joined(ends))

    def digest(self) -> str:
        """Return a fingerprint of the cases: the same whatever the row order or the engine."""
        return digest_of("cases", self.held.digest())

    def columns(self) -> dict[str, Array]:
        """Return the columns of a table that these counts are saved as."""
        found = self.held.columns()
        del found["positives"]
        return {"cases" if name == "negatives" else name: found[name] for name in found}

    @classmethod
    def from_columns(cls, columns: Mapping[str, Array], **fields: Any) -> Self:
        """Build counts of cases from such columns, whose rows may stand in any order."""
        cases = columns["cases"]
        classes = {"positives": np.zeros_like(cases), "negatives": cases}
        return cls(ScoreCounts.from_columns({**columns, **classes}, **fields))

    def with_groups(self, groups: tuple[Any, ...], **fields: Any) -> Self:
        """Return the same cases with groups of clusters, which must add up to them."""
        return type(self)(self.held.with_groups(tuple(each.held for each in groups), **fields))

"""ScoreCounts: how many positives and negatives stand at each distinct score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.counts import algebra
from capcurve.counts.cases import Cases
from capcurve.counts.cells import frozen, grid_value, narrow, one_zero
from capcurve.counts.digest import digest, digest_of, same_scores
from capcurve.counts.exact import cumulated
from capcurve.counts.grades import names_of
from capcurve.counts.saved import (
    arguments_from,
    case_arguments_from,
    cases_to_dict,
    groups_from,
    to_dict,
)
from capcurve.counts.settings import Direction, Dropped, check_resolution, settings_of
from capcurve.counts.totals import Totals, totals_of
from capcurve.counts.types import freeze
from capcurve.counts.words import CLASSES, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from capcurve.counts.types import Array, Bools
    from capcurve.counts.weights import Weights

# Running sums of more cells than this are taken anew: they are larger than the counts themselves.
MOST_REMEMBERED = 1 << 22


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreCounts(algebra.Addable):
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

    score: Array
    positives: Array
    negatives: Array
    higher_is: Direction = "positive"
    levels: tuple[object, ...] | None = None
    resolution: float | None = None
    weights: Weights | None = None
    dropped: Dropped | None = None
    groups: tuple[ScoreCounts, ...] | None = None
    n1: Any = field(init=False)
    n0: Any = field(init=False)
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        freeze(self)
        # Summed once: every number asks for them.
        object.__setattr__(self, "n1", algebra.total(self.positives))
        object.__setattr__(self, "n0", algebra.total(self.negatives))
        algebra.refuse_too_many(self.n)
        object.__setattr__(self, "remembered", {})
        if self.groups is not None:
            algebra.check_groups(self)

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
        counts = cls.from_ascending(
            **algebra.tabled(score, positives, negatives, higher_is=higher_is, levels=levels)
        )
        step = check_resolution(resolution)
        return counts if step is None else counts.at_resolution(step)

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts in any order: whole ones exactly, sums of weights rounded.

        Raises
        ------
        ValueError
            When directions, grades, resolutions or kinds of weights differ, when some parts
            have clusters, or when score types have no common type that holds all scores.

        Examples
        --------
        >>> shard = ScoreCounts.from_counts([0.2, 0.7], [1, 2], [3, 1])
        >>> ScoreCounts.merge([shard, shard, shard]).n1
        9
        """
        parts = algebra.only_counts(cls, many)
        full = [part for part in parts if len(part)] or parts[:1]
        if not full:
            empty = np.zeros(0)
            return cls.from_ascending(empty, empty.astype(np.int64), empty.astype(np.int64))
        if len(full) == 1:
            return replace(full[0], dropped=algebra.total_dropped(parts))
        added = {**algebra.merged(full), "dropped": algebra.total_dropped(parts)}
        return cls.from_ascending(**algebra.whole_of(added, algebra.merged_groups(full, cls.merge)))

    @property
    def n(self) -> Any:
        """All cases: an integer, or their total weight."""
        return self.n1 + self.n0

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
        alone = algebra.scored_without_outcome(self)
        return CaseCounts(self.from_ascending(**algebra.whole_of(alone, groups)))

    def every_score(self) -> Self:
        """Return counts of every distinct score: these. `RankTotals` may lack some."""
        return self

    def totals(self) -> Totals:
        """Return sums over all distinct scores of whole counts; they are taken once."""
        found: Totals = self.known("totals", lambda: totals_of(self, self.n1, self.n0))
        return found

    def running(self) -> tuple[Array, Array]:
        """Return positives and negatives up to each score, 0 first; taken once unless very many."""
        if len(self) > MOST_REMEMBERED:
            return cumulated(self.positives), cumulated(self.negatives)
        found: tuple[Array, Array] = self.known(
            "running",
            lambda: (frozen(cumulated(self.positives)), frozen(cumulated(self.negatives))),
        )
        return found

    def known(self, name: str, find: Callable[[], Any]) -> Any:
        """Return what these counts remember under a name, found when it is first asked for."""
        if name not in self.remembered:
            self.remembered[name] = find()
        return self.remembered[name]

    @property
    def thresholds(self) -> Array:
        """The distinct scores as people read them: grade names, grid values or scores."""
        if self.levels is not None:
            return names_of(self.score, self.levels)
        if self.resolution is not None:
            return grid_value(self.score, self.resolution)
        return self.score

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid: fewer cells, at a known cost.

        The accuracy ratio then moves by at most `tie_mass` of the result.

        Raises
        ------
        ValueError
            For grades, and for a grid that the present one does not divide.

        Examples
        --------
        >>> counts = ScoreCounts.from_counts([0.12, 0.18, 0.31], [1, 0, 1], [1, 1, 0])
        >>> counts.at_resolution(0.1).thresholds
        array([0.3, 0.1])
        """
        step = check_resolution(resolution)
        if step is None:
            raise ValueError("resolution must be a positive number such as 1e-4, got None")
        floored = None
        if self.groups is not None:
            floored = tuple(group.at_resolution(step) for group in self.groups)
        return self.from_ascending(**algebra.whole_of(algebra.coarser(self, step), floored))

    def joined(self, ends: ArrayLike) -> Self:
        """Put neighbouring scores together: fewer cells, each with its last score.

        Weights and groups of clusters are put together with the cells, so that whatever is
        read off the result is that of the same cases.

        Parameters
        ----------
        ends
            How many of these scores lie before the end of each new cell, ascending; the last
            one is the number of scores.

        Raises
        ------
        ValueError
            When the ends do not ascend, or do not end with the last score.

        Examples
        --------
        >>> counts = ScoreCounts.from_counts([4, 3, 2, 1], [4, 2, 1, 0], [1, 3, 9, 2])
        >>> counts.joined([1, 4]).score, counts.joined([1, 4]).positives
        (array([4, 1]), array([4, 3], dtype=uint8))
        """
        found = algebra.check_ends(ends, len(self))
        last = self.score[found - 1]
        groups = None
        if self.groups is not None:
            kind = type(self)
            alike = (algebra.joined_alike(group, last) for group in self.groups)
            groups = tuple(kind.from_ascending(**group) for group in alike)
        return self.from_ascending(**algebra.whole_of(algebra.joined(self, found), groups))

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine.

        What weighted counts remember of their rows is part of it, and of equality; rows that
        were dropped and clusters are not.
        """
        return digest(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as values that strict JSON can hold."""
        return to_dict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Take counts back from `to_dict`.

        Raises
        ------
        ValueError
            When the format is another, something is missing or of another type than it was saved
            as, or the counts are not those of their digest.
        """
        counts = cls.from_ascending(**arguments_from(saved))
        if counts.digest() != saved["digest"]:
            raise ValueError("the counts were changed after they were saved: their digest differs")
        groups = groups_from(saved)
        if groups is None:
            return counts
        whole = replace(counts, groups=tuple(cls.from_dict(group) for group in groups))
        algebra.check_groups(whole, every=True)
        return whole

    def __len__(self) -> int:
        return len(self.score)

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        left = algebra.difference(self, other)
        return self.from_ascending(**algebra.whole_of(left, algebra.group_differences(self, other)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        return (
            settings_of(self) == settings_of(other)
            and same_scores(self.score, other.score)
            and np.array_equal(self.positives, other.positives)
            and np.array_equal(self.negatives, other.negatives)
            and self.weights == other.weights
        )

    def __hash__(self) -> int:
        return hash((len(self), self.n1, self.n0))

    def __repr__(self) -> str:
        shown = "{:g}" if not self.is_whole else "{}"
        parts = [
            f"n={shown.format(self.n)}",
            f"positives={shown.format(self.n1)}",
            f"distinct scores={len(self)}",
            f"higher_is={self.higher_is!r}",
        ]
        if self.resolution is not None:
            parts.append(f"resolution={self.resolution:g}")
        if self.weights is not None:
            parts.append(f"weight_kind={self.weight_kind!r}")
        if self.groups is not None:
            parts.append(f"groups of clusters={sum(len(group) > 0 for group in self.groups)}")
        if self.dropped is not None and self.dropped.rows:
            parts.append(f"dropped={self.dropped.rows} rows {dict(self.dropped.columns)}")
        return f"ScoreCounts({', '.join(parts)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CaseCounts(Cases):
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

    held: ScoreCounts

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
        tallies = algebra.as_tallies(cases, "cases")
        settings: Any = {"higher_is": higher_is, "levels": levels, "resolution": resolution}
        algebra.refuse_other_length(score, tallies, "cases")
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

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as values that strict JSON can hold."""
        return cases_to_dict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Take counts of cases back from `to_dict`, or refuse them as `ScoreCounts` does."""
        found = cls(ScoreCounts.from_ascending(**case_arguments_from(saved)))
        if found.digest() != saved["digest"]:
            raise ValueError("the counts were changed after they were saved: their digest differs")
        groups = groups_from(saved)
        if groups is None:
            return found
        parts = tuple(cls.from_dict(group).held for group in groups)
        whole = replace(found.held, groups=parts)
        algebra.check_groups(whole, every=True)
        return cls(whole)

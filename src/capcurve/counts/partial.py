"""PartialCounts: counts of cases whose outcome is known, beside those whose outcome is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from capcurve.counts.completing import How, completed
from capcurve.counts.digest import digest_of
from capcurve.counts.joint import JointCases, JointCounts
from capcurve.counts.labels import Labelled, LabelPlan, standing_for
from capcurve.counts.saved import Parts, SavedCounts
from capcurve.counts.scores import CaseCounts, ScoreCounts
from capcurve.counts.settings import Dropped, settings_of, total_dropped
from capcurve.counts.table import (
    BOTH_CLASSES,
    MadeOfCounts,
    as_tallies,
    refuse_mixed,
    refuse_other_length,
    refuse_too_many,
    refuse_unequal,
)
from capcurve.numbers.order import places_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from capcurve.numbers.types import Array, Direction


# What weights mean matters where there are some on both sides.
OF_WEIGHTS = ("weighted", "weight_kind")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartialCounts(SavedCounts, MadeOfCounts):
    """Counts of cases with a known outcome beside counts of cases without; they add.

    Make them with `count_partial` or `from_counts`. A number that needs all outcomes is bounded
    by `unknown_bounds`.

    Attributes
    ----------
    known
        Positives and negatives at each score: `ScoreCounts`, or `JointCounts` of several scores.
    unknown
        Cases without outcome at each score: `CaseCounts`, or `JointCases` of several scores.

    Examples
    --------
    >>> applicants = PartialCounts.from_counts(
    ...     [3, 2, 1], positives=[1, 3, 2], negatives=[1, 7, 38], unknown=[6, 2, 0]
    ... )
    >>> applicants
    PartialCounts(known=52, positives=6, unknown=8, distinct scores=3)
    >>> applicants.cases.cases
    array([ 8, 12, 40], dtype=uint8)
    """

    NONE: ClassVar[str] = "partial counts to add up, so it is not known of what"
    FORMAT: ClassVar[str] = "capcurve/partial-counts"
    PARTS: ClassVar[Parts] = {"known": (ScoreCounts,), "unknown": (CaseCounts,)}

    known: ScoreCounts | JointCounts
    unknown: CaseCounts | JointCases

    def __post_init__(self) -> None:
        alike = {ScoreCounts: CaseCounts, JointCounts: JointCases}
        expected = alike.get(type(self.known))
        if expected is None or type(self.unknown) is not expected:
            raise TypeError(
                "known takes ScoreCounts and unknown CaseCounts, or JointCounts and JointCases; "
                f"got {type(self.known).__name__} and {type(self.unknown).__name__}"
            )
        _refuse_unlike(self.known, self.unknown.held)
        refuse_too_many(self.n)

    @classmethod
    def from_counts(
        cls,
        score: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        unknown: ArrayLike,
        *,
        higher_is: Direction = "positive",
        levels: Iterable[object] | None = None,
        resolution: float | None = None,
    ) -> Self:
        """Take a table that is already counted, with a column of cases without outcome.

        Parameters
        ----------
        score
            Score or grade of each row, shape (K,), in any order; equal ones are added up.
        positives, negatives, unknown
            Cases of each class and without outcome in each row; fractions are taken as weighted
            counts.
        higher_is, levels, resolution
            As in `ScoreCounts.from_counts`.
        """
        names = None if levels is None else list(levels)
        settings: Any = {"higher_is": higher_is, "levels": names, "resolution": resolution}
        tallies = as_tallies(unknown, "unknown")
        known = ScoreCounts.from_counts(score, positives, negatives, **settings)
        refuse_other_length(score, tallies, "unknown")
        return cls(known, CaseCounts.from_counts(score, tallies, **settings))

    @property
    def names(self) -> tuple[str, ...]:
        """The scores, in the order they were asked for; none where there is only one."""
        return self.known.names if isinstance(self.known, JointCounts) else ()

    def margin(self, name: str) -> PartialCounts:
        """Return the partial counts of one of several scores alone."""
        if not isinstance(self.known, JointCounts) or not isinstance(self.unknown, JointCases):
            raise ValueError(  # noqa: TRY004 - of the right type, with one score
                f"no score {name!r} here: these are counts of one score"
            )
        return PartialCounts(self.known.margin(name), self.unknown.margin(name))

    @property
    def n(self) -> Any:
        """All cases, known and unknown: an integer, or their total weight."""
        return self.known.n + self.unknown.n

    @property
    def cases(self) -> CaseCounts | JointCases:
        """All cases, known and unknown, at each score."""
        known, unknown = self.known.cases, self.unknown
        return type(known).merge([known, unknown])  # type: ignore[list-item]  # of one kind

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""
        return total_dropped([self.known, self.unknown])

    # As the counts of known cases have them; with several scores those of each.
    @property
    def higher_is(self) -> Any:
        """Direction of the score, or of each of several."""
        return self.known.higher_is

    @property
    def levels(self) -> Any:
        """Grade names or None, for each of several scores one of these."""
        return self.known.levels

    @property
    def resolution(self) -> Any:
        """Width of the grid that scores were floored to, or None."""
        return self.known.resolution

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts, on which every result is exact."""
        return self.known.is_whole and self.unknown.is_whole

    def completed(self, how: How, *, pooled: bool | None = None) -> ScoreCounts:
        """Return counts in which every case has an outcome: the worst, the best, or by odds.

        Parameters
        ----------
        how
            "worst" or "best": the outcomes with the lowest or the highest accuracy ratio. Or a
            number: at each score the unknown have so many times the odds of being positive that
            the known have there. 1 takes them to be like the known; counts are then fractions.
        pooled
            With a number: True pools the rates of the known at neighbouring scores until they
            fall, False takes them as they stand at each score, and None as they stand where there
            are at most 50 distinct scores, which are grades, pooled where there are more.

        Raises
        ------
        ValueError
            For counts of several scores, and where a class is missing whatever the unknown are;
            for odds, where no outcome is known.

        Notes
        -----
        Pooled rates of the known fall with the score: neighbouring scores are pooled until they do
        (PAV). A score without known cases has the rate of the pool it lies in, the mean of the two
        pools it lies between, or that of the nearest pool, whatever `pooled` is. As they stand,
        rates at a score whose known cases are all of one outcome are 0 or 1 at any odds.

        Examples
        --------
        One of two known cases at the top is positive. Two unknown cases there have rate 1/2; at
        three times the odds it is 3/4.

        >>> partial = PartialCounts.from_counts([2, 1], [1, 0], [1, 4], unknown=[2, 0])
        >>> partial.completed(1).positives, partial.completed(3).positives
        (array([2., 0.]), array([2.5, 0. ]))
        """
        known, unknown = self._of_one_score("completed form")
        found: ScoreCounts = completed(known, unknown.held, how, pooled)
        return found

    def weighted(
        self, *, labelled: Labelled = "at random", q: float | None = None, threshold: Any = None
    ) -> Any:
        """Return the labelled cases weighted, so that they stand for all: post-stratification.

        Cells are neighbouring scores, found from cases and labels alone; each label stands for its
        share of the cases of its cell. With all cases labelled these are `known`.

        Parameters
        ----------
        labelled
            "at random": any case is as likely to have a label as any other; "by score": as likely
            as any other of its score.
        q, threshold
            Of a number at a cut-off: its share of cases, or its score, at which cells end.

        Returns
        -------
        ScoreCounts or JointCounts
            With weights of kind "sampling"; of several scores the cells are those of the first.

        Raises
        ------
        ValueError
            Without a label, and where one side of the cut-off has none.

        Notes
        -----
        Holt & Smith (1979), JRSS A 142. Up to ten scores are each a group, more fall into at most
        ten groups of equal numbers of cases (five on each side of a cut-off), one for ten labels;
        cells with fewer than ten labels join a neighbour. Labels by score of up to ten scores need
        two a cell.

        Examples
        --------
        Of ten cases with the better score one of two labels is positive, so five are; of ten with
        the other score none.

        >>> partial = PartialCounts.from_counts([2, 1], [1, 0], [1, 2], unknown=[8, 8])
        >>> found = partial.weighted(labelled="by score")
        >>> found.positives, found.negatives
        (array([5., 0.]), array([ 5., 10.]))
        """
        plan = LabelPlan.ask(labelled, q, threshold)
        return standing_for(self.known, plan.cells(self)) if self.unknown.n > 0 else self.known

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid, as `ScoreCounts.at_resolution` does."""
        known, unknown = self._of_one_score("resolution")
        return type(self)(known.at_resolution(resolution), unknown.at_resolution(resolution))

    def readable_columns(self) -> dict[str, Array]:
        """Return every score as people read it, and the cases of each class and without outcome."""
        known, unknown = self._of_one_score("table")
        every: Any = self.cases
        columns = {"score": every.thresholds}
        known_at, unknown_at = places_in(every, known.score), places_in(every, unknown.score)
        cells = [(name, getattr(known, name), known_at) for name in BOTH_CLASSES]
        for name, column, places in (*cells, ("unknown", unknown.cases, unknown_at)):
            columns[name] = np.zeros(len(every), dtype=column.dtype)
            columns[name][places] = column
        return columns

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        known, unknown = self._of_one_score("digest")
        return digest_of("partial", known.digest(), unknown.digest())

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as values that strict JSON can hold."""
        self._of_one_score("saved form")
        return SavedCounts.to_dict(self)

    def _of_one_score(self, what: str) -> tuple[ScoreCounts, CaseCounts]:
        if isinstance(self.known, ScoreCounts) and isinstance(self.unknown, CaseCounts):
            return self.known, self.unknown
        raise ValueError(
            f"counts of several scores have no {what}; take one score: margin({self.names[0]!r})"
        )

    def __repr__(self) -> str:
        known, unknown = self.known.n, self.unknown.n
        cells = f"cells={len(self.known)}" if self.names else f"distinct scores={len(self.cases)}"
        shown = ", ".join([*self.names, f"known={known:{_digits(known)}}"])
        return (
            f"PartialCounts({shown}, positives={self.known.n1:{_digits(known)}}, "
            f"unknown={unknown:{_digits(unknown)}}, {cells})"
        )


def _digits(number: Any) -> str:
    return "g" if isinstance(number, float) else "d"


def _refuse_unlike(known: Any, unknown: Any) -> None:
    """Raise ValueError unless both were counted alike; what is empty has no weights or clusters."""
    settings = [{"names": getattr(c, "names", None), **settings_of(c)} for c in (known, unknown)]
    if not (len(known) and len(unknown)):
        settings = [{k: v for k, v in each.items() if k not in OF_WEIGHTS} for each in settings]
    else:
        refuse_mixed([known, unknown])
    refuse_unequal(settings)

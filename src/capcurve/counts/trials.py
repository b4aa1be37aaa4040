"""UpliftCounts: treated and control cases of a trial by score; JointUplift: by several scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from capcurve.counts.digest import digest_of
from capcurve.counts.joint import JointCounts, JointValues
from capcurve.counts.saved import Parts, SavedCounts
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.settings import Dropped, total_dropped
from capcurve.counts.sums import LARGEST_EXACT
from capcurve.counts.table import MadeOfCounts, refuse_mixed, refuse_unequal
from capcurve.counts.values import Amounts, ValueCounts, rows_as_classes
from capcurve.numbers.meeting import met
from capcurve.numbers.order import readable, run_starts
from capcurve.numbers.types import Array, Direction, Floats, FrozenRecord, Ints, Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike


# Products of whole numbers below this can be subtracted in 64 bits.
LARGEST_PRODUCT = 2.0**62
ARMS = ("treated", "control")
# What functions of effect scores, or of the arms of a trial, are given.
Trial: TypeAlias = "UpliftCounts | Amounts"


@dataclass(frozen=True, slots=True, eq=False)
class ArmRows(FrozenRecord):
    """The different rows of one arm, and what it holds at each distinct score of the trial."""

    place: Places  # at which of the distinct scores each row stands, best first, shape (rows,)
    outcome: Floats  # its outcome, less the mean of all where outcomes are no whole numbers
    times: Floats  # how often it occurs
    cases: Ints  # cases at each distinct score, shape (K,)
    totals: Array  # sums of outcomes at each, shape (K,)

    @property
    def n(self) -> int:
        """How many cases the arm has."""
        return int(self.cases.sum())


@dataclass(frozen=True, slots=True, eq=False)
class TrialRows(FrozenRecord):
    """The rows of a trial, or of effect scores, by distinct score."""

    thresholds: Array  # distinct scores as people read them, best first, shape (K,)
    arms: tuple[ArmRows, ...]  # treated and control; of effect scores one
    centre: float  # what was taken off every outcome
    yes_no: bool  # whether outcomes are 0 and 1

    @property
    def n(self) -> int:
        """All cases."""
        return sum(arm.n for arm in self.arms)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _OfArms(MadeOfCounts):
    """Counts of treated and of control cases that were counted alike."""

    NONE: ClassVar[str] = "counts of a trial to add up, so it is not known of what"
    KINDS: ClassVar[tuple[type, ...]] = ()

    treated: Any
    control: Any
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        kind = type(self.treated)
        if kind not in self.KINDS or type(self.control) is not kind:
            names = " or two ".join(each.__name__ for each in self.KINDS)
            found = f"{kind.__name__} and {type(self.control).__name__}"
            raise TypeError(f"treated and control take two {names}; got {found}")
        for arm in (self.treated, self.control):
            if getattr(arm, "weights", None) is not None or getattr(arm, "has_exposure", False):
                raise ValueError(
                    "the arms of a trial take no weights and no exposure yet; count rows that "
                    "count alike"
                )
        refuse_unequal([self.treated.settings(), self.control.settings()])
        refuse_mixed([self.treated, self.control])
        object.__setattr__(self, "remembered", {})

    @property
    def n(self) -> int:
        """All cases of both arms."""
        both = (self.treated, self.control)
        return sum(arm.rows if isinstance(arm, JointValues) else arm.n for arm in both)

    @property
    def higher_is(self) -> Any:
        """Whether a higher score makes the outcome more likely "positive" or "negative"."""
        return self.treated.higher_is

    @property
    def levels(self) -> Any:
        """Grade names or None, for each of several scores one of these."""
        return self.treated.levels

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""
        return total_dropped([self.treated, self.control])

    @property
    def groups(self) -> tuple[Self, ...] | None:
        """The same by hash group of clusters, which add up to these; or None."""
        if self.treated.groups is None:
            return None
        kind: Any = type(self)
        pairs = zip(self.treated.groups, self.control.groups, strict=True)
        return tuple(kind(*pair) for pair in pairs)


class UpliftCounts(SavedCounts, _OfArms):
    """Counts of treated and control outcomes at each score of a randomised trial; they add.

    Make them with `count_uplift`, `count_uplift_values` or `from_counts`. Every number about whom a
    treatment moves is read off them, so that none depends on the order of the rows.

    Attributes
    ----------
    treated, control
        Positives and negatives at each score, `ScoreCounts`, or amounts, `ValueCounts`, of the
        cases that were treated and of those that were not.
    remembered
        Sums that many numbers are made from, once they are known.

    Examples
    --------
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> trial
    UpliftCounts(n=16, treated=8, control=8, distinct scores=2, higher_is='positive')
    >>> (trial + trial).arms.positives
    array([8, 8], dtype=uint8)
    """

    __slots__ = ()
    FORMAT: ClassVar[str] = "capcurve/uplift-counts"
    KINDS: ClassVar[tuple[type, ...]] = (ScoreCounts, ValueCounts)
    PARTS: ClassVar[Parts] = dict.fromkeys(ARMS, KINDS)

    @classmethod
    def from_counts(
        cls,
        score: ArrayLike,
        treated_positives: ArrayLike,
        treated_negatives: ArrayLike,
        control_positives: ArrayLike,
        control_negatives: ArrayLike,
        *,
        higher_is: Direction = "positive",
        levels: Iterable[object] | None = None,
        resolution: float | None = None,
    ) -> Self:
        """Take a table that is already counted, such as the result of a query.

        Parameters
        ----------
        score
            Score or grade of each row, shape (K,), in any order; equal ones are added up.
        treated_positives, treated_negatives, control_positives, control_negatives
            Whole numbers of cases of each arm and class in each row.
        higher_is, levels, resolution
            As in `ScoreCounts.from_counts`.
        """
        names = None if levels is None else list(levels)
        settings: Any = {"higher_is": higher_is, "levels": names, "resolution": resolution}
        arms = (treated_positives, treated_negatives), (control_positives, control_negatives)
        counts = [ScoreCounts.from_counts(score, *arm, **settings) for arm in arms]
        if not all(each.is_whole for each in counts):
            raise ValueError("cases of a trial are whole numbers, and these counts hold fractions")
        return cls(*counts)

    @property
    def arms(self) -> ScoreCounts:
        """Treated cases as positives and control cases as negatives, whatever their outcome."""
        treated, control = (
            (rows_as_classes(arm) if isinstance(arm, ValueCounts) else arm).cases.held
            for arm in (self.treated, self.control)
        )
        return ScoreCounts.merge([treated.exchanged(), control])

    def rows(self) -> TrialRows:
        """Return the rows of both arms by distinct score."""
        if "rows" not in self.remembered:
            self.remembered["rows"] = rows_of_arms([self.treated, self.control])
        found: TrialRows = self.remembered["rows"]
        return found

    def without_groups(self) -> Self:
        """Return the same counts without groups of clusters."""
        return type(self)(replace(self.treated, groups=None), replace(self.control, groups=None))

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid, as `ScoreCounts.at_resolution` does."""
        return type(self)(*(getattr(self, arm).at_resolution(resolution) for arm in ARMS))

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        return digest_of("uplift", self.treated.digest(), self.control.digest())

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, UpliftCounts):
            return NotImplemented
        return type(self)(self.treated - other.treated, self.control - other.control)

    def __len__(self) -> int:
        return len(self.rows().thresholds)

    def __repr__(self) -> str:
        return (
            f"UpliftCounts(n={self.n}, treated={self.treated.n}, control={self.control.n}, "
            f"distinct scores={len(self)}, higher_is={self.higher_is!r})"
        )


class JointUplift(_OfArms):
    """Counts of treated and control outcomes at each combination of several scores of one trial.

    Make them with `count_joint_uplift` or `count_joint_uplift_values`; they add.

    Attributes
    ----------
    treated, control
        `JointCounts`, or `JointValues` of amounts, of each arm.
    remembered
        Sums that many numbers are made from, once they are known.

    Examples
    --------
    >>> from capcurve import count_joint_uplift
    >>> scores = {"new": [4, 3, 2, 1], "old": [1, 1, 2, 2]}
    >>> count_joint_uplift([1, 0, 1, 0], [1, 0, 0, 1], scores).margin("old")
    UpliftCounts(n=4, treated=2, control=2, distinct scores=2, higher_is='positive')
    """

    __slots__ = ()
    KINDS: ClassVar[tuple[type, ...]] = (JointCounts, JointValues)

    @property
    def names(self) -> tuple[str, ...]:
        """The scores, in the order they were asked for."""
        found: tuple[str, ...] = self.treated.names
        return found

    def margin(self, name: str) -> UpliftCounts:
        """Return the counts of one score alone: the same as counting it by itself."""
        return UpliftCounts(self.treated.margin(name), self.control.margin(name))

    def __repr__(self) -> str:
        return f"JointUplift({', '.join(self.names)}; n={self.n})"


def rows_of_arms(arms: Sequence[Any], place: int | None = None) -> TrialRows:
    """Return rows by distinct score, of one of several scores where its place is given."""
    higher_is, levels = arms[0].higher_is, arms[0].levels
    if place is not None:
        higher_is, levels = higher_is[place], levels[place]
    columns = [_columns(arm, place) for arm in arms]
    scores, places = _places([score for score, _, _ in columns], falls=higher_is == "positive")
    yes_no = not isinstance(arms[0], ValueCounts | JointValues)
    cases = sum(float(times.sum()) for _, _, times in columns)
    whole = all(_is_whole(outcome, cases) for _, outcome, _ in columns)
    centre = 0.0 if whole else _mean(columns, cases)
    with np.errstate(over="ignore"):  # gains beyond what a float holds are refused
        rows = tuple(
            _arm(at, outcome - centre if centre else outcome, times, len(scores), whole=whole)
            for at, (_, outcome, times) in zip(places, columns, strict=True)
        )
    return TrialRows(readable(scores, levels, arms[0].resolution), rows, centre, yes_no)


def _columns(arm: Any, place: int | None) -> tuple[Array, Floats, Floats]:
    """Return score, outcome and number of the different rows of one arm."""
    if isinstance(arm, ValueCounts):
        parts = (arm.holding, arm.empty)
        outcome = np.concatenate([part.amounts for part in parts])
        times = np.concatenate([part.times for part in parts])
        score = np.concatenate(met([part.score for part in parts]))
    elif isinstance(arm, JointValues):
        score, outcome, times = arm.scores[place or 0], arm.amount, arm.n
    else:
        score = arm.score if place is None else arm.scores[place]
        held = [np.flatnonzero(column) for column in (arm.positives, arm.negatives)]
        score = np.concatenate([score[cells] for cells in held])
        outcome = np.repeat([1.0, 0.0], [len(cells) for cells in held])
        times = np.concatenate([arm.positives[held[0]], arm.negatives[held[1]]])
    return score, outcome, times.astype(np.float64)


def _places(scores: Sequence[Array], *, falls: bool) -> tuple[Array, list[Places]]:
    """Return the distinct scores of several columns, best first, and where each row stands."""
    every = np.concatenate(met(scores))
    order = np.argsort(every, kind="stable")  # which takes next to no time of runs in order
    ordered = every[order]
    starts = run_starts(ordered)
    number = np.arange(len(starts))[:: -1 if falls else 1]
    if len(starts) < len(ordered):
        number, ordered = np.repeat(number, np.diff(starts, append=len(ordered))), ordered[starts]
    place = np.empty(len(every), dtype=np.intp)
    place[order] = number
    distinct = ordered[::-1] if falls else ordered
    return distinct, np.split(place, np.cumsum([len(score) for score in scores])[:-1])


def _arm(place: Places, outcome: Floats, times: Floats, size: int, *, whole: bool) -> ArmRows:
    cases = np.bincount(place, times, size)
    totals: Array = np.bincount(place, outcome * times, size)
    totals = totals.astype(np.int64) if whole else totals
    return ArmRows(place, outcome, times, cases.astype(np.int64), totals)


def _is_whole(outcome: Floats, cases: float) -> bool:
    """Whether all are whole numbers whose sums, times numbers of cases, 64 bits hold."""
    largest = float(np.abs(outcome).max(initial=0.0)) * cases
    few = largest < LARGEST_EXACT and largest * cases < LARGEST_PRODUCT
    return few and bool((outcome == np.rint(outcome)).all())


def _mean(columns: Sequence[tuple[Array, Floats, Floats]], cases: float) -> float:
    """Return the mean outcome of all rows."""
    with np.errstate(over="ignore"):
        whole = sum(float((outcome * (times / cases)).sum()) for _, outcome, times in columns)
    return whole if np.isfinite(whole) else 0.0

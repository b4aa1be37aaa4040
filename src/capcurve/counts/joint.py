"""JointCounts, JointCases and JointValues: cells of several scores of the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from capcurve.counts import table
from capcurve.counts.digest import joint_digest
from capcurve.counts.scores import CaseCounts, Cases, ScoreCounts
from capcurve.counts.settings import AMOUNTS, OF_EXPOSURE, Dropped, Words
from capcurve.counts.values import ValueCounts
from capcurve.numbers.order import (
    add_up,
    narrow,
    places_of_runs,
    readable,
    runs_of,
    sorted_runs,
)
from capcurve.numbers.types import array_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.counts.weights import Weights
    from capcurve.numbers.types import Array, Direction, Floats, Ints, Places

Joint = TypeVar("Joint", bound="JointCounts")
NONE = "joint counts to add up, so it is not known of what"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointCounts(table.TwoClasses):
    """How many positives and negatives stand at each combination of several scores; they add.

    Attributes
    ----------
    names
        The scores, in the order they were asked for.
    scores
        For each score its value in every cell, shape (K,) each; 0.0 stands for -0.0 too.
    positives, negatives
        Cases of each class in every cell, shape (K,).
    higher_is, levels
        Direction and grade names of each score.
    resolution
        Width of the grid that all scores were floored to, or None.
    weights
        What weighted counts remember of their rows, or None.
    dropped
        Rows left out for missing values, or None when that was not asked for.
    groups
        The same counts by hash group of clusters, which add up to these; or None.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint + joint
    JointCounts(new, old; n=6, cells=3)
    """

    NONE: ClassVar[str] = NONE
    FIELDS: ClassVar[tuple[str, ...]] = ("names", "higher_is", "levels", "resolution", "dropped")

    names: tuple[str, ...]
    scores: tuple[Array, ...]
    positives: Array
    negatives: Array
    higher_is: tuple[Direction, ...]
    levels: tuple[tuple[object, ...] | None, ...]
    resolution: float | None = None
    weights: Weights | None = None
    dropped: Dropped | None = None
    groups: tuple[JointCounts, ...] | None = None
    taken: Any = field(default=None, repr=False)  # as in `ScoreCounts`
    n1: Any = field(init=False)
    n0: Any = field(init=False)
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        # Adding 0 makes one zero of 0.0 and -0.0, whichever came first.
        scores = [s + s.dtype.type(0) if s.dtype.kind == "f" else s for s in self.scores]
        object.__setattr__(self, "scores", tuple(scores))
        table.TwoClasses.__post_init__(self)

    @classmethod
    def of_cells(cls, keys: Sequence[Array], **fields: Any) -> Self:
        """Build counts from distinct ascending combinations of scores, and sums by name."""
        fields |= {name: narrow(fields[name]) for name in table.BOTH_CLASSES}
        return cls(scores=tuple(keys), **fields)

    def readable_columns(self) -> dict[str, Array]:
        """Return the scores by name as people read them, and the cases of each class."""
        return {**_readable(self), "positives": self.positives, "negatives": self.negatives}

    def margin(self, name: str) -> ScoreCounts:
        """Return the counts of one score alone: the same as counting it by itself."""
        place = table.place_of(self.names, name)
        return self._margin(place, runs_of(self.scores[place]))

    def margin_and_places(self, name: str) -> tuple[ScoreCounts, Places]:
        """Return the same, and at which of its cut-offs each cell stands."""
        place = table.place_of(self.names, name)
        runs = runs_of(self.scores[place])
        counts, places = self._margin(place, runs), places_of_runs(*runs)
        return counts, len(counts) - 1 - places if counts.higher_is == "positive" else places

    def _margin(self, place: int, runs: tuple[Places, Places]) -> ScoreCounts:
        """Return the counts of the score at a place, whose equal values are in these runs."""
        name = self.names[place]
        groups: Any = self.groups and tuple(group.margin(name) for group in self.groups)
        cells = table.summed([self.scores[place]], [self], runs)
        found = table.built(ScoreCounts, cells, groups, _settings_of(self, place))
        if self.taken is None:
            return found
        times, *by = self.taken
        return replace(found, taken=(times.margin(name), *by))

    def joined(self, ends: Mapping[str, ArrayLike]) -> Self:
        """Keep some of the scores, with neighbouring values of each put together.

        Each new value is the last one of those it stands for; weights and groups of clusters
        are put together with the cells.

        Parameters
        ----------
        ends
            For each score that is kept, how many of the scores of its margin lie before the end
            of each new one, as in `ScoreCounts.joined`.

        Examples
        --------
        >>> from capcurve import count_joint
        >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
        >>> joint.joined({"new": [2, 3], "old": [1, 2]}).scores
        (array([0.1, 0.5, 0.5]), array([1, 1, 3]))
        """
        if not ends:
            raise ValueError("name the scores to keep, and where each new value ends")
        tables = {}
        for name, asked in ends.items():
            margin = self.margin(name)
            found = table.check_ends(asked, len(margin))
            last = np.repeat(margin.score[found - 1], np.diff(found, prepend=0))
            tables[name] = (margin.score, last)
        return _with_values(self, tables)

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        return joint_digest(self)

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells cells apart: all scores."""
        return self.scores

    @property
    def cases(self) -> JointCases:
        """The cases of both classes in every cell, as if their outcome were not known."""
        groups = self.groups and tuple(group.cases.held for group in self.groups)
        cells = (list(self.scores), table.without_outcome(self))
        return JointCases(table.built(type(self), cells, groups, self.fields()))

    def __repr__(self) -> str:
        scores = ", ".join(self.names)
        return f"JointCounts({scores}; n={self.n}, cells={len(self)})"


def _settings_of(joint: JointCounts | JointValues, place: int) -> dict[str, Any]:
    """Return what one of several scores was counted with."""
    fields = joint.fields()
    del fields["names"]
    return {**fields, **{name: fields[name][place] for name in ("higher_is", "levels")}}


def _with_values(joint: Joint, tables: Mapping[str, tuple[Array, Array]]) -> Joint:
    """Return the counts of some scores, with values looked up in a table of old and new."""
    places = [joint.names.index(name) for name in tables]
    keys = []
    for place, (old, new) in zip(places, tables.values(), strict=True):
        order = np.argsort(old)
        at = np.searchsorted(old[order], joint.scores[place].astype(old.dtype))
        keys.append(new[order][at])
    groups = joint.groups and tuple(_with_values(group, tables) for group in joint.groups)
    fields = joint.fields()
    for name in ("names", "higher_is", "levels"):
        fields[name] = tuple(fields[name][place] for place in places)
    return table.built(type(joint), table.summed(keys, [joint]), groups, fields)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointCases(Cases):
    """How many cases stand at each combination of several scores, whatever became of them.

    Make them with `count_cases`, or take `JointCounts.cases`; they add.

    Attributes
    ----------
    held
        `JointCounts` in which all of these cases are negatives.
    names
        The scores, in the order they were asked for.
    scores, cases
        For each score its value in every cell, and the cases in every cell, shape (K,) each.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
    >>> joint.cases
    JointCases(new, old; n=3, cells=3)
    >>> joint.cases.margin("old").cases
    array([1, 2], dtype=uint8)
    """

    held: JointCounts

    @property
    def names(self) -> tuple[str, ...]:
        """The scores, in the order they were asked for."""
        return self.held.names

    @property
    def scores(self) -> tuple[Array, ...]:
        """For each score its value in every cell."""
        return self.held.scores

    def margin(self, name: str) -> CaseCounts:
        """Return the cases of one score alone: the same as counting them by it."""
        return CaseCounts(self.held.margin(name))

    def joined(self, ends: Mapping[str, ArrayLike]) -> Self:
        """Put neighbouring values of the scores together, as `JointCounts.joined` does."""
        return type(self)(self.held.joined(ends))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointValues(table.Counts):
    """Which amounts, on which exposure, stand at each combination of several scores; they add.

    Attributes
    ----------
    names
        The scores, in the order they were asked for.
    scores
        For each score its value in every row, shape (rows,) each.
    amount, exposure, n
        Amount and exposure of every different row, and how often it occurs; exposure is None
        where each row counts one.
    higher_is, levels
        Direction and grade names of each score.
    resolution
        Width of the grid that all scores were floored to, or None.
    dropped
        Rows left out for missing values or without exposure, or None.
    groups
        The same by hash group of clusters, which add up to these; or None.
    words
        What the amount and the exposure are called.
    """

    NONE: ClassVar[str] = NONE
    FIELDS: ClassVar[tuple[str, ...]] = (*JointCounts.FIELDS, "words")

    names: tuple[str, ...]
    scores: tuple[Array, ...]
    amount: Floats
    exposure: Floats | None
    n: Ints
    higher_is: tuple[Direction, ...]
    levels: tuple[tuple[object, ...] | None, ...]
    resolution: float | None = None
    dropped: Dropped | None = None
    groups: tuple[JointValues, ...] | None = None
    words: Words = AMOUNTS

    @classmethod
    def from_rows(
        cls,
        names: Iterable[str],
        scores: Sequence[Any],
        amount: Any,
        exposure: Any = None,
        n: Any = None,
        **fields: Any,
    ) -> Self:
        """Build joint counts from rows in any order, as `ValueCounts.from_rows` does for one score.

        `higher_is` and `levels` are one per score.
        """
        keys = [array_of(score) for score in scores]
        amounts = np.asarray(amount, dtype=np.float64) + 0.0  # 0.0 stands for -0.0 too
        exposures = None if exposure is None else np.asarray(exposure, dtype=np.float64)
        given = [*keys, amounts, *([] if exposures is None else [exposures])]
        order, starts = sorted_runs(given)
        times = np.ones(len(amounts), np.int64) if n is None else np.asarray(n, dtype=np.int64)
        sums = np.add.reduceat(times[order], starts) if len(starts) else times
        first = order[starts]
        if "words" not in fields:
            fields["words"] = AMOUNTS if exposures is None else OF_EXPOSURE
        return cls(
            tuple(names),
            tuple(key[first] for key in keys),
            amounts[first],
            None if exposures is None else exposures[first],
            narrow(sums),
            **fields,
        )

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells rows apart: all scores, the amount and the exposure."""
        return (*self.scores, self.amount, *(() if self.exposure is None else (self.exposure,)))

    @property
    def sums(self) -> tuple[Ints]:
        """What adds up where all of these are equal: how often a row occurs."""
        return (self.n,)

    @property
    def has_exposure(self) -> bool:
        """Whether rows have an exposure; else each counts one."""
        return self.exposure is not None

    @property
    def rows(self) -> int:
        """How many rows there are, each as often as it occurs."""
        return int(self.n.sum(dtype=np.int64))

    @property
    def m(self) -> int:
        """Rows with an amount."""
        return int(self.n[self.amount != 0].sum(dtype=np.int64))

    def named(self, *, amount: str | None = None, exposure: str | None = None) -> Self:
        """Return the same counts, with names for the amount and the exposure in words."""
        selected = exposure if self.has_exposure and exposure else self.words.selected
        return replace(self, words=Words(selected, amount or self.words.captured))

    def readable_columns(self) -> dict[str, Array]:
        """Return the scores by name as people read them, amounts, exposures and how often."""
        exposure = {} if self.exposure is None else {"exposure": self.exposure}
        return {**_readable(self), "amount": self.amount, **exposure, "n": self.n}

    def margin(self, name: str) -> ValueCounts:
        """Return the counts of one score alone: the same as counting it by itself."""
        place = table.place_of(self.names, name)
        groups: Any = self.groups and tuple(group.margin(name) for group in self.groups)
        rows = (self.scores[place], self.amount, self.exposure, self.n)
        return ValueCounts.from_rows(*rows, **_settings_of(self, place), groups=groups)

    def as_classes(self) -> JointCounts | None:
        """Return yes/no counts where rows hold one amount or none, on one exposure; else None."""
        held = self.amount != 0
        alike = [self.amount[held], np.zeros(0) if self.exposure is None else self.exposure]
        if held.all() or not held.any() or self.amount[held][0] < 0:
            return None
        if any((column != column[:1]).any() for column in alike):
            return None
        return _classes(self)

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with cells, all counted alike; sorts once."""
        first, columns = parts[0], table.joined_columns([part.keys for part in parts])
        scores, rest = columns[: len(first.names)], columns[len(first.names) :]
        amount, exposure = rest if first.has_exposure else (*rest, None)
        n = np.concatenate([part.n for part in parts])
        fields = {**first.fields(), **changed, "groups": table.merged_groups(parts)}
        return cls.from_rows(scores=scores, amount=amount, exposure=exposure, n=n, **fields)

    def __len__(self) -> int:
        return len(self.amount)

    def __repr__(self) -> str:
        return f"JointValues({', '.join(self.names)}; n={self.rows}, different rows={len(self)})"


def _classes(joint: JointValues) -> JointCounts:
    """Return rows with an amount as positives, and those without as negatives."""
    order, starts = sorted_runs(joint.scores)
    times, held = joint.n.astype(np.int64)[order], (joint.amount != 0)[order]
    positives, negatives = (add_up(np.where(own, times, 0), starts) for own in (held, ~held))
    groups: Any = joint.groups and tuple(map(_classes, joint.groups))
    return JointCounts(
        joint.names,
        tuple(score[order][starts] for score in joint.scores),
        narrow(positives),
        narrow(negatives),
        joint.higher_is,
        joint.levels,
        joint.resolution,
        dropped=joint.dropped,
        groups=groups,
    )


def _readable(joint: JointCounts | JointValues) -> dict[str, Array]:
    """Return the scores of each cell by name, as people read them."""
    columns = zip(joint.names, joint.scores, joint.levels, strict=True)
    return {name: readable(score, levels, joint.resolution) for name, score, levels in columns}


@dataclass(frozen=True, slots=True, eq=False)
class PdColumn:
    """PDs in a column of their own, counted together with the score that they stand beside."""

    joint: JointCounts
    score: str
    name: str
    segments: Mapping[Any, JointCounts] = field(default_factory=dict)

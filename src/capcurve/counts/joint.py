"""JointCounts: positives and negatives at each distinct combination of several scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from capcurve.counts import algebra
from capcurve.counts.cases import Cases
from capcurve.counts.cells import narrow
from capcurve.counts.digest import joint_digest, same_scores
from capcurve.counts.score_counts import CaseCounts, ScoreCounts
from capcurve.counts.settings import settings_of
from capcurve.counts.types import freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Array, Places
    from capcurve.counts.weights import Weights

Counts = TypeVar("Counts", bound="JointCounts")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointCounts(algebra.Addable):
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

    def margin(self, name: str) -> ScoreCounts:
        """Return the counts of one score alone: the same as counting it by itself.

        Raises
        ------
        ValueError
            When there is no such score.
        """
        if name not in self.names:
            raise ValueError(f"no score {name!r} here; have {list(self.names)}")
        place = self.names.index(name)
        (score,), sums = algebra.summed([self.scores[place]], [self])
        alone = {
            **sums,
            "score": score,
            "higher_is": self.higher_is[place],
            "levels": self.levels[place],
            "resolution": self.resolution,
            "dropped": self.dropped,
        }
        groups = None if self.groups is None else tuple(g.margin(name) for g in self.groups)
        return ScoreCounts.from_ascending(**algebra.whole_of(alone, groups))

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of joint counts, exactly and in any order, sorting once.

        Raises
        ------
        ValueError
            When there are none, when names, directions, grades, resolutions or kinds of weights
            differ, or when some parts have clusters and some have none.

        Examples
        --------
        >>> from capcurve import count_joint
        >>> joint = count_joint([1, 0, 1], {"new": [0.9, 0.1, 0.5], "old": [3, 1, 1]})
        >>> JointCounts.merge([joint, joint, joint]).margin("old").n
        9
        """
        parts = algebra.only_counts(cls, many)
        if not parts:
            raise ValueError("there are no joint counts to add up, so it is not known of what")
        full = [part for part in parts if len(part)] or parts[:1]
        whole = full[0]
        if len(full) > 1:
            whole = _like(whole, algebra.merged_cells(full), algebra.merged_groups(full, cls.merge))
        return replace(whole, dropped=algebra.total_dropped(parts))

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
            found = algebra.check_ends(asked, len(margin))
            tables[name] = (margin.score, np.repeat(margin.score[found - 1], _lengths(found)))
        return _with_values(self, tables)

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        return joint_digest(self)

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells cells apart: all scores."""
        return self.scores

    @property
    def n1(self) -> Any:
        """All positives: an integer, or their total weight."""
        return algebra.total(self.positives)

    @property
    def n0(self) -> Any:
        """All negatives: an integer, or their total weight."""
        return algebra.total(self.negatives)

    @property
    def n(self) -> Any:
        """All cases: an integer, or their total weight."""
        return self.n1 + self.n0

    @property
    def cases(self) -> JointCases:
        """The cases of both classes in every cell, as if their outcome were not known."""
        groups = self.groups and tuple(group.cases.held for group in self.groups)
        cells = (list(self.scores), algebra.without_outcome(self))
        return JointCases(_like(self, cells, groups))

    def __post_init__(self) -> None:
        # Adding 0 makes one zero of 0.0 and -0.0, whichever came first.
        scores = [s + s.dtype.type(0) if s.dtype.kind == "f" else s for s in self.scores]
        object.__setattr__(self, "scores", tuple(scores))
        freeze(self)
        algebra.refuse_too_many(self.n)
        if self.groups is not None:
            algebra.check_groups(self)

    def __len__(self) -> int:
        return len(self.positives)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointCounts):
            return NotImplemented
        return (
            (self.names, settings_of(self)) == (other.names, settings_of(other))
            and all(same_scores(a, b) for a, b in zip(self.scores, other.scores, strict=True))
            and np.array_equal(self.positives, other.positives)
            and np.array_equal(self.negatives, other.negatives)
            and self.weights == other.weights
        )

    def __hash__(self) -> int:
        return hash((self.names, len(self), self.n1, self.n0))

    def __repr__(self) -> str:
        scores = ", ".join(self.names)
        return f"JointCounts({scores}; n={self.n1 + self.n0}, cells={len(self)})"


def _with_values(joint: Counts, tables: Mapping[str, tuple[Array, Array]]) -> Counts:
    """Return the counts of some scores, with values looked up in a table of old and new."""
    places = [joint.names.index(name) for name in tables]
    keys = [
        _looked_up(joint.scores[place], *table)
        for place, table in zip(places, tables.values(), strict=True)
    ]
    groups = None
    if joint.groups is not None:
        groups = tuple(_with_values(group, tables) for group in joint.groups)
    return _like(joint, algebra.summed(keys, [joint]), groups, places)


def _like(
    joint: Counts,
    cells: tuple[list[Array], dict[str, Any]],
    groups: tuple[JointCounts, ...] | None,
    places: Sequence[int] | None = None,
) -> Counts:
    """Return counts with these cells and groups, and the settings of some of these scores.

    Weights are added group by group, as in `ScoreCounts`.
    """
    keys, sums = cells
    full = [group for group in groups or () if len(group)]
    if full and not joint.is_whole:
        keys, sums = algebra.merged_cells(full)
    kept = range(len(joint.names)) if places is None else places
    return type(joint)(
        names=tuple(joint.names[place] for place in kept),
        scores=tuple(keys),
        positives=narrow(sums["positives"]),
        negatives=narrow(sums["negatives"]),
        higher_is=tuple(joint.higher_is[place] for place in kept),
        levels=tuple(joint.levels[place] for place in kept),
        resolution=joint.resolution,
        weights=sums["weights"],
        dropped=joint.dropped,
        groups=groups,
    )


def _looked_up(values: Array, old: Array, new: Array) -> Array:
    """Return the new value of each old one."""
    order = np.argsort(old)
    found: Array = new[order][np.searchsorted(old[order], values.astype(old.dtype))]
    return found


def _lengths(ends: Places) -> Places:
    return np.diff(ends, prepend=0)


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
        """Return the cases of one score alone: the same as counting them by it.

        Raises
        ------
        ValueError
            When there is no such score.
        """
        return CaseCounts(self.held.margin(name))

    def joined(self, ends: Mapping[str, ArrayLike]) -> Self:
        """Put neighbouring values of the scores together, as `JointCounts.joined` does."""
        return type(self)(self.held.joined(ends))

"""JointValues: amounts at each distinct combination of several scores of the same rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.counts import algebra
from capcurve.counts.cells import add_up, common_dtype, narrow, sorted_runs
from capcurve.counts.digest import same_scores
from capcurve.counts.joint import JointCounts
from capcurve.counts.types import FrozenRecord
from capcurve.counts.values import ValueCounts
from capcurve.counts.words import AMOUNTS, OF_EXPOSURE, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.counts.settings import Direction, Dropped
    from capcurve.counts.types import Array, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointValues(FrozenRecord):
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
        keys = [np.asarray(score) for score in scores]
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

    def fields(self) -> dict[str, Any]:
        """Return the arguments of these counts that are not rows or groups."""
        names = ("higher_is", "levels", "resolution", "dropped", "words")
        return {name: getattr(self, name) for name in names}

    def named(self, *, amount: str | None = None, exposure: str | None = None) -> Self:
        """Return the same counts, with names for the amount and the exposure in words."""
        selected = exposure if self.has_exposure and exposure else self.words.selected
        return replace(self, words=Words(selected, amount or self.words.captured))

    def margin(self, name: str) -> ValueCounts:
        """Return the counts of one score alone: the same as counting it by itself.

        Raises
        ------
        ValueError
            When there is no such score.
        """
        if name not in self.names:
            raise ValueError(f"no score {name!r} here; have {list(self.names)}")
        place = self.names.index(name)
        groups = None if self.groups is None else tuple(g.margin(name) for g in self.groups)
        return ValueCounts.from_rows(
            self.scores[place],
            self.amount,
            self.exposure,
            self.n,
            **{
                **self.fields(),
                "higher_is": self.higher_is[place],
                "levels": self.levels[place],
            },
            groups=groups,
        )

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
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of joint counts, exactly and in any order.

        Raises
        ------
        ValueError
            When there are none, when names, directions, grades or resolutions differ, or when only
            some parts have an exposure or clusters.
        """
        parts = algebra.only_counts(cls, many)
        if not parts:
            raise ValueError("there are no joint counts to add up, so it is not known of what")
        full = [part for part in parts if len(part)] or parts[:1]
        whole = full[0]
        if len(full) > 1:
            algebra.refuse_unlike([settings_of(part) for part in full])
            whole = _together(full, algebra.merged_groups(full, cls.merge))
        return replace(whole, dropped=algebra.total_dropped(parts))

    def __len__(self) -> int:
        return len(self.amount)

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.merge([self, other])

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum(shards) works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointValues):
            return NotImplemented
        return (
            settings_of(self) == settings_of(other)
            and all(same_scores(a, b) for a, b in zip(self.scores, other.scores, strict=True))
            and np.array_equal(self.amount, other.amount)
            and (self.exposure is None or np.array_equal(self.exposure, other.exposure))  # type: ignore[arg-type]  # settings are equal
            and np.array_equal(self.n, other.n)
        )

    def __hash__(self) -> int:
        return hash((self.names, len(self), self.rows))

    def __repr__(self) -> str:
        return f"JointValues({', '.join(self.names)}; n={self.rows}, different rows={len(self)})"


def settings_of(joint: JointValues) -> dict[str, object]:
    """Return what must be equal for joint counts of amounts to add."""
    return {
        "names": joint.names,
        "higher_is": joint.higher_is,
        "levels": joint.levels,
        "resolution": joint.resolution,
        "exposure": joint.has_exposure,
    }


def _classes(joint: JointValues) -> JointCounts:
    """Return rows with an amount as positives, and those without as negatives."""
    order, starts = sorted_runs(joint.scores)
    times, held = joint.n.astype(np.int64)[order], (joint.amount != 0)[order]
    positives, negatives = (add_up(np.where(own, times, 0), starts) for own in (held, ~held))
    groups = None
    if joint.groups is not None:
        groups = tuple(_classes(group) for group in joint.groups)
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


def _together(parts: Sequence[Any], groups: Any) -> Any:
    columns = []
    for each in zip(*(part.scores for part in parts), strict=True):
        dtype = common_dtype(each)
        columns.append(np.concatenate([column.astype(dtype) for column in each]))
    first = parts[0]
    exposure = None
    if first.exposure is not None:
        exposure = np.concatenate([part.exposure for part in parts])
    return type(first).from_rows(
        first.names,
        columns,
        np.concatenate([part.amount for part in parts]),
        exposure,
        np.concatenate([part.n for part in parts]),
        **first.fields(),
        groups=groups,
    )

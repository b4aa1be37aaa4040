"""The AUC as a sum over pairs of segments, and its change as mix, ranking within and between."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from capcurve.counts.types import Bools, Floats
    from capcurve.studies.change.sample import SegmentedSample

BEFORE, AFTER = 0, 1
POSITIVES, NEGATIVES = 0, 1
# What is left of terms that add up to less than this part of them is rounding.
ROUNDING = 1e-15
SIGN = np.array([-1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """How the cases of one class of one sample fare against the other class, in several weights."""

    # Of each cell, shape (cells,): by mix against all segments; against its own segment; and by mix
    # against those segments alone that lack the class in the other sample. None where that is
    # nothing.
    values: tuple[Floats | None, ...]
    means: tuple[Floats, ...]  # their means over the cases of each segment, shape (segments,)


@dataclass(frozen=True, eq=False)
class SegmentPairs:
    """Two samples, pair of segments by pair of segments, without ever holding a pair.

    With a and b the shares of segments among positives and negatives, and A the chance that a
    positive of one outranks a negative of another, AUC = Σ a_i·b_j·A_ij. A segment that lacks a
    class in one sample takes A from the other; segments that never meet take the mean of both AUCs.
    """

    samples: tuple[SegmentedSample, SegmentedSample]  # before and after
    # By class and mix, the share of the class that each segment holds: (class, mix, segment). The
    # first two mixes are those of the samples.
    shares: Floats

    @classmethod
    def of(cls, before: SegmentedSample, after: SegmentedSample, *, swapped: bool = False) -> Self:
        """Put two samples side by side; `swapped` adds mixes of one at the rates of the other."""
        both = (before, after)
        found = [[each.shares(side) for each in both] for side in (POSITIVES, NEGATIVES)]
        if swapped:
            more = [_with_rates_of(after, before), _with_rates_of(before, after)]
            found = [[*mixes, *(each[side] for each in more)] for side, mixes in enumerate(found)]
        return cls(both, np.array(found))

    @property
    def own_place(self) -> int:
        """Where in `Placed` a cell is against its own segment."""
        return len(self.shares[0])

    def lacking_place(self, mix: int) -> int:
        """Where in `Placed` a cell is against what the other sample lacks, in a mix."""
        return self.own_place + 1 + mix

    @cached_property
    def present(self) -> Bools:
        """Which segments have cases: (class, sample, segment)."""
        return np.array([[each.present(side) for each in self.samples] for side in (0, 1)])

    @cached_property
    def placed(self) -> tuple[tuple[Placed, Placed], tuple[Placed, Placed]]:
        """How the cases of each class, and of these in each sample, fare."""
        positives, negatives = (
            (self._place(side, BEFORE), self._place(side, AFTER)) for side in (POSITIVES, NEGATIVES)
        )
        return positives, negatives

    def _place(self, side: int, u: int) -> Placed:
        sample, mixes = self.samples[u], self.shares[1 - side]
        lacking = self.present[1 - side][u] & ~self.present[1 - side][1 - u]
        alone = np.where(lacking, mixes, 0.0)
        values = (
            *(sample.placements(side, mix) for mix in mixes),
            sample.own_placements(side),
            *(sample.placements(side, mix) if mix.any() else None for mix in alone),
        )
        nothing = np.zeros(mixes.shape[1])
        return Placed(
            values, tuple(nothing if v is None else sample.means(side, v) for v in values)
        )

    @cached_property
    def aucs(self) -> Floats:
        """The AUC of each sample."""
        return np.array(
            [self.shares[0][u] @ self.placed[POSITIVES][u].means[u] for u in (BEFORE, AFTER)]
        )

    @cached_property
    def missing(self) -> Floats:
        """What the pairs that never meet weigh: (class, z, mix, segment), as in `rows`."""
        mixes, segments = self.shares.shape[1:]
        found = np.zeros((2, 2, mixes, segments))
        for side, z, y in np.ndindex(2, 2, mixes):
            (here, there), theirs = self._held(side, z), self.shares[1 - side][y]
            lost = [theirs[~self.present[1 - side][each]].sum() for each in (z, 1 - z)]
            found[side, z, y] = np.where(here, np.where(there, 0.0, lost[0]), lost[1])
        return found

    def _held(self, side: int, z: int) -> tuple[Bools, Bools]:
        """Return which segments have the class in a sample, and in the other one."""
        return self.present[side][z], self.present[side][1 - z]

    @cached_property
    def rows(self) -> Floats:
        """What a case wins, ranked as in sample z, in a mix: (class, z, mix, segment)."""
        found: Floats = self.missing * self.aucs.mean()
        for side, z, y in np.ndindex(found.shape[:3]):
            here, there = self._held(side, z)
            mine, theirs = (self.placed[side][each].means for each in (z, 1 - z))
            own = mine[y] + np.where(there, theirs[self.lacking_place(y)], 0.0)
            found[side, z, y] += np.where(here, own, theirs[y])
        return found

    @cached_property
    def both(self) -> Bools:
        """Which segments have both classes: (sample, segment)."""
        found: Bools = self.present[0] & self.present[1]
        return found

    @cached_property
    def own(self) -> Floats:
        """The AUC inside each segment, completed as `rows` are: (sample, segment)."""
        found = [each.means[self.own_place] for each in self.placed[POSITIVES]]
        middle = self.aucs.mean()
        return np.array(
            [
                np.where(self.both[z], found[z], np.where(self.both[1 - z], found[1 - z], middle))
                for z in (BEFORE, AFTER)
            ]
        )

    @cached_property
    def sums(self) -> Floats:
        """Σ a·b·A over all pairs: (mix of positives, mix of negatives, z)."""
        found: Floats = np.einsum("xi,zyi->xyz", self.shares[POSITIVES], self.rows[POSITIVES])
        return found

    @cached_property
    def own_sums(self) -> Floats:
        """The same of each segment with itself: (mix, z)."""
        weight = self.shares[POSITIVES] * self.shares[NEGATIVES]
        found: Floats = np.einsum("xi,zi->xz", weight, self.own)
        return found

    def mixed(self, first: int, second: int) -> Floats:
        """Return what each segment has in the change from one mix to another: (class, segment)."""
        # Ranked as in the mean of both samples, and against the mean of all, since a segment that
        # only grows with all changes nothing.
        shift = self.shares[:, second] - self.shares[:, first]
        middle = (self.shares[:, second] + self.shares[:, first]) / 2
        against = self.rows[:, :, [first, second]].mean(axis=(1, 2))
        found: Floats = shift * (against - (middle * against).sum(axis=1, keepdims=True))
        return found

    def ranked(self) -> dict[str, Floats]:
        """Return what each segment has in the change of ranking within and between segments."""
        # What lies between two segments is halved between that of the positives and the other.
        shares = self.shares[:, :2]
        within = shares.prod(axis=0).mean(axis=0) * (self.own[AFTER] - self.own[BEFORE])
        moved = self.rows[:, AFTER, :2] - self.rows[:, BEFORE, :2]
        row, column = (shares * moved).mean(axis=1) - within
        return {
            "within": within,
            "between": (row + column) / 2,
            "between_positives": row,
            "between_negatives": column,
        }


def _with_rates_of(cases: SegmentedSample, rates: SegmentedSample) -> tuple[Floats, Floats]:
    """Return the shares of both classes that the cases of one sample have with another's rates."""
    # A segment without cases in the other sample keeps its own rate.
    sizes = cases.totals[0] + cases.totals[1]
    n1, n0 = (
        np.where(rates.totals[0] + rates.totals[1] > 0, there, here)
        for there, here in zip(rates.totals, cases.totals, strict=True)
    )
    each = np.divide(sizes, n1 + n0, out=np.zeros(len(sizes)), where=n1 + n0 > 0)
    all1, all0 = n1 @ each, n0 @ each
    if not (all1 > 0 and all0 > 0):
        lost = "positives" if all0 > 0 else "negatives"
        raise ValueError(
            f'mix="cases": the cases of one sample at the positive rates of the other hold no '
            f'{lost}; take mix="classes"'
        )
    return n1 * each / all1, n0 * each / all0


@dataclass(frozen=True, slots=True, eq=False)
class ChangePart:
    """One part of the change, as a sum over `SegmentPairs.sums` and `SegmentPairs.own_sums`."""

    all: Floats  # shape (mix, mix, z)
    own: Floats  # shape (mix, z)

    def of(self, pairs: SegmentPairs) -> float:
        """Return its size in units of the AUC; what is left of terms that cancel is none."""
        terms = np.concatenate(
            [(self.all * pairs.sums).ravel(), (self.own * pairs.own_sums).ravel()]
        )
        found = float(terms.sum())
        return found if abs(found) > ROUNDING * float(np.abs(terms).sum()) else 0.0

    def __add__(self, other: ChangePart) -> ChangePart:
        return ChangePart(self.all + other.all, self.own + other.own)


def parts_of_change(pairs: SegmentPairs) -> dict[str, ChangePart]:
    """Return the parts of the change of an AUC: Kitagawa (1955) on pairs of segments."""
    mixes = pairs.own_place
    first, second = _by_rates() if mixes > 2 else _by_class()  # noqa: PLR2004 - two samples
    every, own = np.zeros((mixes, mixes, 2)), np.zeros((mixes, 2))
    for x in (BEFORE, AFTER):
        every[x, x] = SIGN / 2
        own[x] = SIGN / 2
    return {
        "mix": first[1] + second[1],
        **dict([first, second]),
        "within": ChangePart(np.zeros_like(every), own),
        "between": ChangePart(every, -own),
    }


def _by_class() -> list[tuple[str, ChangePart]]:
    ones, none = np.ones((2, 2, 2)), np.zeros((2, 2))
    signs = {"mix_positives": SIGN[:, None, None], "mix_negatives": SIGN[None, :, None]}
    return [(name, ChangePart(sign * ones / 4, none)) for name, sign in signs.items()]


def _by_rates() -> list[tuple[str, ChangePart]]:
    """Return the change of cases at both rates, and of rates at both cases; mixes as in `of`."""
    found = []
    for name, signs in (("mix_cases", (-1, 1, 1, -1)), ("mix_rates", (-1, 1, -1, 1))):
        every = np.zeros((4, 4, 2))
        for mix, sign in enumerate(signs):
            every[mix, mix] = sign / 4
        found.append((name, ChangePart(every, np.zeros((4, 2)))))
    return found

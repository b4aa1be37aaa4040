"""The change of an AUC over pairs of segments: its parts, and how far chance moves them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from capcurve.inference.designs import NEGATIVES, POSITIVES, rows_per_class
from capcurve.numbers.exact import quotient

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capcurve.numbers.types import Bools, Floats
    from capcurve.studies.change.sample import OfGroups, SegmentedSample

BEFORE, AFTER = 0, 1
# What is left of terms that add up to less than this part of them is rounding.
TERM_ROUNDING = 1e-15
SIGN_OF_SAMPLE = np.array([-1.0, 1.0])
# A variance this small is rounding beside an AUC of 1.
VARIANCE_OF_NOTHING = 1e-26


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
    """Two samples, pair of segments by pair of segments, without ever holding a pair."""

    # With a and b the shares of segments among positives and negatives, and A the chance that a
    # positive of one outranks a negative of another, AUC = Σ a_i·b_j·A_ij. A segment that lacks a
    # class in one sample takes A from the other; segments that never meet take the mean of both
    # AUCs.

    samples: tuple[SegmentedSample, SegmentedSample]  # before and after
    # By class and mix, which is that of a sample, the share of the class that each segment holds:
    # (class, mix, segment).
    shares: Floats

    @classmethod
    def of(cls, before: SegmentedSample, after: SegmentedSample) -> Self:
        """Put two samples side by side."""
        both = (before, after)
        found = [[each.shares(side) for each in both] for side in (POSITIVES, NEGATIVES)]
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
        means = tuple(nothing if v is None else sample.means(side, v) for v in values)
        return Placed(values, means)

    @cached_property
    def aucs(self) -> Floats:
        """The AUC of each sample."""
        placed = self.placed[POSITIVES]
        return np.array([self.shares[0][u] @ placed[u].means[u] for u in (BEFORE, AFTER)])

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
        others = [np.where(self.both[z], found[z], self.aucs.mean()) for z in (AFTER, BEFORE)]
        return np.where(self.both, found, others)

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

    def mixed(self) -> dict[str, Floats]:
        """Return what each segment has in the change of the mix, by class and in all."""
        # Ranked as in the mean of both samples, and against the mean of all, since a segment that
        # only grows with all changes nothing.
        shift, middle = self.shares[:, AFTER] - self.shares[:, BEFORE], self.shares.mean(axis=1)
        against = self.rows.mean(axis=(1, 2))
        first, second = shift * (against - (middle * against).sum(axis=1, keepdims=True))
        return {"mix": first + second, "mix_positives": first, "mix_negatives": second}

    def ranked(self) -> dict[str, Floats]:
        """Return what each segment has in the change of ranking within and between segments."""
        # What lies between two segments is halved between that of the positives and the other.
        shares = self.shares
        within = shares.prod(axis=0).mean(axis=0) * (self.own[AFTER] - self.own[BEFORE])
        moved = self.rows[:, AFTER] - self.rows[:, BEFORE]
        row, column = (shares * moved).mean(axis=1) - within
        return {"within": within, "between": (row + column) / 2}


@dataclass(frozen=True, slots=True, eq=False)
class ChangePart:
    """One part of the change, as a sum over `SegmentPairs.sums` and `SegmentPairs.own_sums`."""

    all: Floats  # shape (mix, mix, z)
    own: Floats  # shape (mix, z)

    def of(self, pairs: SegmentPairs) -> float:
        """Return its size in units of the AUC; what is left of terms that cancel is none."""
        terms = np.append(self.all * pairs.sums, self.own * pairs.own_sums)
        found = float(terms.sum())
        return found if abs(found) > TERM_ROUNDING * float(np.abs(terms).sum()) else 0.0

    def __add__(self, other: ChangePart) -> ChangePart:
        return ChangePart(self.all + other.all, self.own + other.own)


def parts_of_change() -> dict[str, ChangePart]:
    """Return the parts of the change of an AUC: Kitagawa (1955) on pairs of segments."""
    none, nothing = np.zeros((2, 2, 2)), np.zeros((2, 2))
    positives = ChangePart(none + SIGN_OF_SAMPLE[:, None, None] / 4, nothing)
    negatives = ChangePart(none + SIGN_OF_SAMPLE[None, :, None] / 4, nothing)
    every, own = none.copy(), np.array([SIGN_OF_SAMPLE / 2, SIGN_OF_SAMPLE / 2])
    every[(BEFORE, AFTER), (BEFORE, AFTER)] = own
    return {
        "mix": positives + negatives,
        "mix_positives": positives,
        "mix_negatives": negatives,
        "within": ChangePart(none, own),
        "between": ChangePart(every, -own),
    }


def moves_of_parts(
    pairs: SegmentPairs, parts: Sequence[ChangePart], side: int, u: int
) -> Iterator[Floats]:
    """Yield of each part how far one case in each cell of a class of a sample moves it."""
    # A case moves a part by the level of its segment, and by slopes times its placements less
    # their mean in the segment. The class is 0 for positives, 1 for negatives.
    terms, placed = Terms.of(pairs, parts, side), pairs.placed[side][u]
    segment, away = pairs.samples[u].segment, placed.means[u] - pairs.aucs[u]
    levels = terms.through_shares(u) + np.outer(terms.through_mean(), away)
    columns = [
        (slopes, values - placed.means[place][segment])
        for place, slopes in terms.slopes(u).items()
        if (values := placed.values[place]) is not None
    ]
    for part, level in enumerate(levels):
        moves: Floats = level[segment]
        for slopes, column in columns:
            if slopes[part].any():
                moves += slopes[part][segment] * column
        yield moves


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The parts as functions of the shares of one class, of the other's, and of the ranking."""

    pairs: SegmentPairs
    side: int
    every: Floats  # shape (parts, mix of this class, mix of the other, z)
    own: Floats  # shape (parts, mix, z)

    @classmethod
    def of(cls, pairs: SegmentPairs, parts: Sequence[ChangePart], side: int) -> Self:
        """Look at the parts from one class."""
        every = np.array([part.all for part in parts])
        if side != POSITIVES:
            every = every.transpose(0, 2, 1, 3)
        return cls(pairs, side, every, np.array([part.own for part in parts]))

    def through_shares(self, mix: int) -> Floats:
        """Return what a share of this class in a mix moves, less its mean: (parts, segments)."""
        pairs = self.pairs
        sums = pairs.sums if self.side == POSITIVES else pairs.sums.transpose(1, 0, 2)
        rows = pairs.rows[self.side].transpose(1, 0, 2) - sums[mix][:, :, None]
        inside = pairs.shares[1 - self.side][mix] * pairs.own - pairs.own_sums[mix][:, None]
        every, own = self.every[:, mix], self.own[:, mix]
        found: Floats = np.einsum("pyz,yzi->pi", every, rows) + own @ inside
        return found

    def through_mean(self) -> Floats:
        """Return what each part gains when the AUC of one sample does: pairs that never meet."""
        pairs, shares = self.pairs, self.pairs.shares
        apart = np.einsum("xi,zyi->xyz", shares[self.side], pairs.missing[self.side])
        alone = (shares.prod(axis=0) * ~pairs.both.any(axis=0)).sum(axis=1)
        every = np.einsum("pxyz,xyz->p", self.every, apart)
        found: Floats = (every + np.einsum("pxz,x->p", self.own, alone)) / 2
        return found

    def slopes(self, u: int) -> dict[int, Floats]:
        """Return what a case does through its own rank, by place in `Placed`."""
        pairs, other = self.pairs, 1 - u
        mine, there = pairs.shares[self.side], pairs.present[self.side][other]
        times = quotient(mine, mine[u])
        found = {}
        for y in range(pairs.own_place):
            borrowed = np.einsum("px,xi->pi", self.every[:, :, y, other], times)
            here = np.einsum("px,xi->pi", self.every[:, :, y, u], times)
            found[y] = here + borrowed * ~there
            if pairs.placed[self.side][u].values[pairs.lacking_place(y)] is not None:
                found[pairs.lacking_place(y)] = borrowed * there
        found[u] += self.through_mean()[:, None]
        weight = times * pairs.shares[1 - self.side]
        lent = (self.own[:, :, other] @ weight) * (pairs.both[u] & ~pairs.both[other])
        found[pairs.own_place] = self.own[:, :, u] @ weight + lent
        return found


@dataclass(frozen=True, slots=True, eq=False)
class PartSpread:
    """How far chance moves some numbers."""

    variance: Floats  # shape (numbers,)
    # Degrees of freedom of each variance, shape (numbers,): Satterthwaite's, of the classes of both
    # samples, or of their groups of clusters.
    df: Floats

    @classmethod
    def of(cls, shares: Sequence[tuple[Floats, float]]) -> Self:
        """Add up what independent parts of the data give to variances, each with its freedom."""
        total = np.sum([variance for variance, _ in shares], axis=0)
        known = np.sum([variance**2 / max(df, 1.0) for variance, df in shares], axis=0)
        least = min(df for _, df in shares)
        return cls(total, quotient(total**2, known, max(least, 1.0)))


def spread_of(pairs: SegmentPairs, parts: Sequence[ChangePart]) -> PartSpread | None:
    """Return how far chance moves each part of the change of an AUC; None where nobody can know."""
    if any(sample.masses is None for sample in pairs.samples):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        spread = PartSpread.of(_variances(pairs, parts))
    if not (np.isfinite(spread.variance) & np.isfinite(spread.df)).all():
        raise ValueError(
            "weights differ by too much: a segment weighs too little beside the others for what "
            "one of its cases moves to be a float; leave it out or put it together with another"
        )
    return spread


def _variances(pairs: SegmentPairs, parts: Sequence[ChangePart]) -> list[tuple[Floats, float]]:
    """Return what each class of each sample gives to the variances, or groups of clusters do."""
    found: list[tuple[Floats, float]] = []
    grouped: list[Floats] = []
    for u, sample in enumerate(pairs.samples):
        several = [moves_of_parts(pairs, parts, side, u) for side in (POSITIVES, NEGATIVES)]
        if sample.groups is None:
            each = zip(several, sample.masses or (), rows_per_class(sample.whole), strict=True)
            for moves, masses, rows in each:
                squares = np.array([float(masses @ moved**2) for moved in moves])
                found.append((np.where(squares <= VARIANCE_OF_NOTHING, 0.0, squares), rows - 1.0))
        else:  # groups of clusters, which may be in both samples
            positives, negatives = (
                _by_group(sample.groups, moves, side) / sample.total(side)
                for side, moves in enumerate(several)
            )
            grouped.append(positives + negatives)
    if grouped:
        squares, groups = squares_of_groups(grouped)
        found.append((groups / (groups - 1) * squares, groups - 1.0))
    return found


def _by_group(groups: OfGroups, moves: Iterable[Floats], side: int) -> Floats:
    """Return sums of moves over the cases of each group of clusters: (groups, parts)."""
    cases, size = groups.cases[side], groups.groups
    sums = [np.bincount(groups.group, cases * moved[groups.cell], size) for moved in moves]
    return np.array(sums, dtype=np.float64).T


def squares_of_groups(samples: Sequence[Floats]) -> tuple[Floats, int]:
    """Return Σ g², and G: over groups of the same number, with the same clusters."""
    most = max(len(sums) for sums in samples)
    whole = np.zeros((most, samples[0].shape[1]))
    for sums in samples:
        whole[: len(sums)] += sums
    return (whole**2).sum(axis=0), max(int(whole.any(axis=1).sum()), 2)

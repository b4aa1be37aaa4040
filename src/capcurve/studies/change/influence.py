"""How far chance moves the parts of a change: what every case does to them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Self

import numpy as np

from capcurve.inference.sizes import rows_per_class
from capcurve.studies.change.pairs import POSITIVES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts.types import Floats
    from capcurve.studies.change.pairs import ChangePart, SegmentPairs
    from capcurve.studies.change.sample import OfGroups, SegmentedSample

# What is left of products that add up to less than this part of them is rounding, and so is a
# variance this small beside an AUC of 1.
ROUNDING, NOTHING = 1e-14, 1e-26


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """What the cases of one class of one sample do to each part of the change of an AUC."""

    # A case moves a part by the level of its segment, and by slopes times its placements less
    # their mean in the segment.
    level: Floats  # shape (parts, segments)
    slopes: Mapping[int, Floats]  # by place in `Placed.values`; each of shape (parts, segments)


def influences_of(
    pairs: SegmentPairs, parts: Sequence[ChangePart], side: int, u: int
) -> Influences:
    """Return the influences of the cases of one class (positives 0, negatives 1) of one sample."""
    terms = Terms.of(pairs, parts, side)
    level = terms.through_shares(u) + terms.through_mixes(u)
    away = pairs.placed[side][u].means[u] - pairs.aucs[u]
    return Influences(level + np.outer(terms.through_mean(), away), terms.slopes(u))


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

    def through_mixes(self, u: int) -> Floats:
        """Return what a case does through the mixes that are made of both samples."""
        found = np.zeros((len(self.every), self.pairs.shares.shape[2]))
        for mix in range(2, self.pairs.own_place):
            of_cases = 3 - mix  # which sample's cases this mix has, with the other's rates
            found += _through_mix(self, mix, u, of_cases)
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
        times = np.divide(mine, mine[u], out=np.zeros_like(mine), where=mine[u] > 0)
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


def _through_mix(terms: Terms, mix: int, u: int, of_cases: int) -> Floats:
    """Return what a case of one sample does to the parts through a mix made of both.

    The share of a segment among the positives goes with its share s of the cases of one sample
    and its rate in the other one: a = sρ/Σsρ, so that d log a = ds/s + d log ρ less the mean.
    """
    pairs, side = terms.pairs, terms.side
    sample, shares = pairs.samples[u], pairs.shares
    sizes = [sample.total(0), sample.total(1)]
    part = sizes[side] / sum(sizes)  # of a class in the cases: what one more of it adds to s
    cases = (sizes[0] * shares[0][u] + sizes[1] * shares[1][u]) / sum(sizes)
    moved = [_weighed(terms, mix, each) for each in (side, 1 - side)]
    both = moved[0] + moved[1]
    elsewhere = ~pairs.present[:, 1 - of_cases].any(axis=0)  # a new segment keeps its rate
    found = np.zeros_like(both)
    if u == of_cases:
        found += _quotient(part * both, cases)
    gives_rate = elsewhere if u == of_cases else ~elsewhere
    rates = _quotient(moved[0], shares[side][u]) - _quotient(part * both, cases)
    found += np.where(gives_rate, rates, 0.0)
    found -= (found @ shares[side][u])[:, None]
    return found


def _weighed(terms: Terms, mix: int, side: int) -> Floats:
    """Return what the shares of a class in a mix move, each times the share."""
    seen = terms
    if side != terms.side:
        seen = Terms(terms.pairs, side, terms.every.transpose(0, 2, 1, 3), terms.own)
    found: Floats = seen.through_shares(mix) * terms.pairs.shares[side][mix]
    return found


def _quotient(values: Floats, sizes: Floats) -> Floats:
    there = np.broadcast_to(sizes > 0, values.shape)
    found: Floats = np.divide(values, sizes, out=np.zeros_like(values), where=there)
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
        df = np.divide(total**2, known, out=np.full(len(total), max(least, 1.0)), where=known > 0)
        return cls(total, df)


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
        several = [(side, influences_of(pairs, parts, side, u)) for side in (0, 1)]
        if sample.groups is None:
            rows = rows_per_class(sample.whole)
            found += [(_of_rows(pairs, each, side, u), rows[side] - 1.0) for side, each in several]
        else:  # groups of clusters, which may be in both samples
            sums = [_by_group(pairs, sample.groups, each, side, u) for side, each in several]
            grouped.append(sums[0] + sums[1])
    if grouped:
        found.append(_of_groups(grouped))
    return found


def _of_rows(pairs: SegmentPairs, influences: Influences, side: int, u: int) -> Floats:
    """Return Σ mass·(level + Σ slope·(placement - mean))², from sums of products by segment."""
    sample, placed = pairs.samples[u], pairs.placed[side][u]
    masses = (sample.masses or ())[side]
    columns = [np.ones(len(masses)), *_centred(sample, placed.values, placed.means, influences)]
    factors = [influences.level, *influences.slopes.values()]
    products = []
    for (f, one), (g, other) in combinations_with_replacement(
        list(zip(factors, columns, strict=True)), 2
    ):
        product = (f * g) @ sample.by_segment(masses * one * other)
        products.append(product if f is g else 2 * product)
    found = np.sum(products, axis=0)
    least = np.maximum(ROUNDING * np.abs(products).sum(axis=0), NOTHING)
    return np.where(found <= least, 0.0, found)


def _centred(
    sample: SegmentedSample,
    values: Sequence[Floats | None],
    means: Sequence[Floats],
    influences: Influences,
) -> list[Floats]:
    """Return placements less their means in the segment, in the order of the slopes."""
    columns = [(values[place], means[place]) for place in influences.slopes]
    return [v - mean[sample.segment] for v, mean in columns if v is not None]


def _by_group(
    pairs: SegmentPairs, groups: OfGroups, influences: Influences, side: int, u: int
) -> Floats:
    """Return sums of influences over each group of clusters, over the class: (groups, parts)."""
    sample, placed = pairs.samples[u], pairs.placed[side][u]
    cases, segment = groups.cases[side], sample.segment[groups.cell]
    columns = [np.ones(len(sample.segment))]
    columns += _centred(sample, placed.values, placed.means, influences)
    size = len(sample.totals[0])
    found = np.zeros((groups.groups, len(influences.level)))
    for factor, column in zip(
        [influences.level, *influences.slopes.values()], columns, strict=True
    ):
        sums = np.bincount(
            groups.group * size + segment,
            cases * column[groups.cell],
            minlength=groups.groups * size,
        )
        found += sums.reshape(groups.groups, size) @ factor.T
    return found / sample.total(side)


def _of_groups(samples: Sequence[Floats]) -> tuple[Floats, float]:
    """Return G/(G - 1)·Σ g², and G - 1: over groups of the same number, with the same clusters."""
    most = max(len(sums) for sums in samples)
    whole = np.zeros((most, samples[0].shape[1]))
    for sums in samples:
        whole[: len(sums)] += sums
    groups = max(int(whole.any(axis=1).sum()), 2)
    return groups / (groups - 1) * (whole**2).sum(axis=0), groups - 1.0

"""Other samples of amounts: without each group of clusters, or dealt anew (the bootstrap)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from capcurve.counts.sums import rates, together
from capcurve.inference.designs import LEAST_GROUPS, LeftOut, dealt, left_out
from capcurve.inference.sizes import ClassSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts import ValueCounts
    from capcurve.counts.sums import ValueRows
    from capcurve.counts.types import Array, Floats, Places
    from capcurve.inference.designs import Seed

# How often each different row occurs in a sample: those with an amount, and those without.
Times: TypeAlias = "tuple[Floats, Floats]"


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The different rows of counts, of which other samples hold more or fewer; scaled."""

    amounts: Floats
    exposures: tuple[Floats, Floats]  # of rows with an amount, and without
    places: tuple[Places, Places]  # at which distinct score each stands
    order: Places  # of rows with an amount, the highest rate first
    zero: int  # how many of them have a rate above zero
    scores: int

    @classmethod
    def of(cls, values: ValueCounts) -> Samples:
        """Take the rows of counts, without how often they occur."""
        held = values.every_row()
        sums = held.by_score()
        ea, ee = sums.exponents
        both = (held.holding, held.empty)
        amounts = np.ldexp(held.holding.amounts, -ea)
        exposures = [np.ldexp(rows.exposures, -ee) for rows in both]
        places = [
            _places(rows.score, sums.score, falls=held.higher_is == "positive") for rows in both
        ]
        order = np.argsort(-rates(amounts, exposures[0]), kind="stable")
        return cls(
            amounts,
            (exposures[0], exposures[1]),
            (places[0], places[1]),
            order,
            int(np.count_nonzero(amounts > 0)),
            len(sums),
        )

    def sums(self, times: Times) -> tuple[Floats, Floats]:
        """Return exposure and amount at each distinct score of a sample."""
        held = times[0]
        exposure, rows = (
            np.bincount(place, often * own, self.scores).astype(np.float64)
            for place, often, own in zip(self.places, times, self.exposures, strict=True)
        )
        amount = np.bincount(self.places[0], held * self.amounts, self.scores)
        return exposure + rows, amount.astype(np.float64)

    def accuracy_ratio(self, times: Times) -> float:
        """Return the accuracy ratio of a sample; NaN where no order is better than another."""
        held, rest = times
        width, height = ((held * c)[self.order] for c in (self.exposures[0], self.amounts))
        width = np.insert(width, self.zero, float((rest * self.exposures[1]).sum()))
        best = twice_area(width, np.insert(height, self.zero, 0.0))
        return twice_area(*self.sums(times)) / best if best > 0 else np.nan

    def concentration_index(self, times: Times) -> float:
        """Return the concentration index of a sample; NaN without an amount."""
        exposure, amount = self.sums(times)
        whole = float(exposure.sum() * amount.sum())
        return twice_area(exposure, amount) / whole if whole > 0 else np.nan

    def captured_response(self, times: Times, q: float) -> float:
        """Return the share of the amount in the top share q; NaN without an amount."""
        exposure, amount = self.sums(times)
        whole = float(amount.sum())
        return self._selected(exposure, amount, q) / whole if whole > 0 else np.nan

    def mean_amount(self, times: Times, q: float | None) -> float:
        """Return the mean amount of the top share q, scaled; NaN without rows."""
        exposure, amount = self.sums(times)
        whole = float(exposure.sum())
        if not whole > 0:
            return np.nan
        if q is None:
            return float(amount.sum()) / whole
        return self._selected(exposure, amount, q) / (q * whole)

    def profits(self, times: Times, value: float, cost: float, places: Places) -> Floats:
        """Return the profit per row of selecting down to some of the distinct scores."""
        exposure, amount = self.sums(times)
        found: Floats = np.cumsum(value * amount - cost * exposure)[places]
        return found / float(times[0].sum() + times[1].sum())

    def _selected(self, exposure: Floats, amount: Floats, q: float) -> float:
        ends = np.cumsum(exposure)
        inside = np.clip(q * ends[-1] - (ends - exposure), 0.0, exposure)
        part = np.divide(inside, exposure, out=np.zeros_like(exposure), where=exposure > 0)
        return float((amount * part).sum())


def twice_area(exposure: Floats, amount: Floats) -> float:
    """Return the sum of E_k(2Y_k + A_k) less AE, with the amount Y_k before the kth."""
    y = np.cumsum(amount)
    return float((exposure * (2 * y - amount)).sum() - exposure.sum() * y[-1])


def _places(score: Array, distinct: Array, *, falls: bool) -> Places:
    """Return where scores stand among the distinct ones, best first."""
    wanted = score.astype(distinct.dtype, copy=False)
    if falls:
        return len(distinct) - 1 - np.searchsorted(distinct[::-1], wanted)
    return np.searchsorted(distinct, wanted)


def without_groups(
    values: ValueCounts, number: Callable[[Samples, Times], float | Floats]
) -> LeftOut:
    """Return numbers of the whole, and what leaving out each group of clusters does to them."""
    samples, groups = Samples.of(values), values.groups or ()
    whole = tuple(rows.times.astype(np.float64) for rows in (values.holding, values.empty))
    parts = [_times_of(groups, table) for table in ("holding", "empty")]
    estimate = np.atleast_1d(number(samples, (whole[0], whole[1])))
    moved, full, held = np.zeros((len(groups), len(estimate))), 0, 0
    for place, group in enumerate(groups):
        if not group.n:
            continue
        full, held = full + 1, held + bool(group.m)
        left = []
        for column, (cells, times) in zip(whole, (part[place] for part in parts), strict=True):
            rest = column.copy()
            rest[cells] -= times
            left.append(rest)
        moved[place] = number(samples, (left[0], left[1])) - estimate
    if not np.isfinite(moved).all():
        full = held = min(held, LEAST_GROUPS - 1)
    sizes = ClassSizes(held, full)
    return left_out(estimate, np.nan_to_num(moved), full, sizes)


def _times_of(groups: Sequence[ValueCounts], table: str) -> list[tuple[Places, Floats]]:
    """Return for each group which of the whole's different rows it holds, and how often."""
    tables: list[ValueRows] = [getattr(group, table) for group in groups]
    all_rows = together([rows for rows in tables if len(rows)] or tables[:1])
    keys = [c for c in (all_rows.exposure, all_rows.amount) if c is not None]
    rank = np.unique(all_rows.score, return_inverse=True)[1]
    if groups[0].higher_is == "positive":
        rank = -rank
    order = np.lexsort((*keys, rank))
    new = np.zeros(len(order), dtype=np.bool_)
    for column in (*keys, rank):
        new[1:] |= column[order][1:] != column[order][:-1]
    cells = np.empty(len(order), dtype=np.intp)
    cells[order] = np.cumsum(new)
    ends = np.cumsum([len(rows) for rows in tables])
    return [
        (cells[end - len(rows) : end], rows.times.astype(np.float64))
        for end, rows in zip(ends.tolist(), tables, strict=True)
    ]


def drawn(
    values: ValueCounts,
    number: Callable[[Samples, Times], float],
    replicates: int,
    seed: Seed,
) -> Floats:
    """Return a number of samples in which all rows are dealt anew, NaN where it is undefined."""
    samples, rng = Samples.of(values), np.random.default_rng(seed)
    many = [values.holding.times, values.empty.times]
    cells, split = np.concatenate(many), len(many[0])
    found = np.empty(replicates)
    for place in range(replicates):
        (times,) = dealt(rng, 1, cells)
        found[place] = number(samples, (times[:split], times[split:]))
    return found

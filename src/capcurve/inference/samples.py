"""Numbers of many samples at once, of classes and of amounts, and of samples without a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from capcurve.counts.sums import ValueRows, rates, together
from capcurve.inference.designs import LEAST_GROUPS, ClassSizes, LeftOut, Seed, dealt, left_out
from capcurve.metrics.areas import RankedCells, WeightedArea
from capcurve.metrics.risk import GENERALISED, RUNNING_RISK
from capcurve.numbers.exact import summed_parts
from capcurve.numbers.order import places_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts import ValueCounts
    from capcurve.numbers.types import Array, Floats, Places

OfShare = Literal["captured_response", "lift", "precision"]
Rate = Literal["captured_response", "precision"]
# How often each different row occurs in a sample: those with an amount, and those without.
Times: TypeAlias = "tuple[Floats, Floats]"


def aucs(p: Floats, n: Floats) -> Floats:
    """Return the AUC of each sample."""
    all1, all0 = p.sum(axis=1), n.sum(axis=1)
    below = np.cumsum(n, axis=1)
    np.subtract(all0[:, None], below, out=below)
    below += n / 2
    return np.asarray(np.einsum("ij,ij->i", p, below) / all1 / all0)


def placements(p: Array, n: Array) -> tuple[Floats, Floats, Floats]:
    """Return the AUC of each sample, shape (...), and what a case at each cell wins, (..., K)."""
    # A positive wins over the negatives below it, ties half; a negative loses to the positives
    # above.
    n1, n0 = p.sum(axis=-1, keepdims=True), n.sum(axis=-1, keepdims=True)
    over_positives = 1 - (np.cumsum(n, axis=-1) - n / 2) / n0
    over_negatives = (np.cumsum(p, axis=-1) - p / 2) / n1
    found = (p * over_positives).sum(axis=-1) / n1[..., 0]
    return found, over_positives, over_negatives


def gaps(p: Floats, n: Floats, cells: Places | slice = slice(None)) -> Floats:
    """Return how far positives lead negatives after some cells, shape (samples, cells)."""
    found = p / p.sum(axis=1, keepdims=True)
    found -= n / n.sum(axis=1, keepdims=True)
    np.cumsum(found, axis=1, out=found)
    return np.asarray(found[:, cells])


def ks_statistics(p: Floats, n: Floats) -> Floats:
    """Return the two-sided KS statistic of each sample."""
    return np.asarray(np.abs(gaps(p, n)).max(axis=1))


def partial_aucs(p: Floats, n: Floats, max_fpr: float) -> Floats:
    """Return the area under the ROC of each sample up to a false positive rate."""
    rise = p / p.sum(axis=1, keepdims=True)
    width = n / n.sum(axis=1, keepdims=True)
    end, top = np.cumsum(width, axis=1), np.cumsum(rise, axis=1)
    inside = np.clip(max_fpr - (end - width), 0, width)
    part = np.divide(inside, width, out=np.zeros_like(width), where=width > 0)
    # The height in the middle of what lies inside: the start of the segment and half its rise.
    height = top - rise + rise * part / 2
    return np.asarray(np.minimum((inside * height).sum(axis=1), max_fpr))


def rates_at_share(
    p: Floats, n: Floats, q: float, which: Rate, prevalence: Floats | float | None = None
) -> Floats:
    """Return a rate of the top share q of each sample; NaN without positives."""
    # Cases of the score in which the share ends are taken in proportion. With a prevalence the
    # classes are re-weighted to it in each sample, or each to its own, shape (samples, 1).
    if prevalence is not None:
        p = p * (prevalence / p.sum(axis=1, keepdims=True))
        n = n * ((1 - prevalence) / n.sum(axis=1, keepdims=True))
    cases = p + n
    total = cases.sum(axis=1)
    captured = held_by_top(cases, p, q * total[:, None])
    if which == "precision":
        captured /= q * total
        return captured
    all1 = p.sum(axis=1)
    share: Floats = np.full(len(all1), np.nan)
    np.divide(captured, all1, out=share, where=all1 > 0)
    return share


def held_by_top(cases: Floats, held: Floats, reach: Floats) -> Floats:
    """Return what the first `reach` cases of each sample hold, inside a score in proportion."""
    before = np.cumsum(cases, axis=-1) - cases
    inside = np.clip(reach - before, 0.0, cases)
    part = np.divide(inside, cases, out=np.zeros_like(cases), where=cases > 0)
    found: Floats = (held * part).sum(axis=-1)
    return found


def at_cutoff(p: Floats, n: Floats, cells: int, which: OfShare) -> Floats:
    """Return a metric of the first cells of each sample."""
    hit = p[:, :cells].sum(axis=1)
    if which == "captured_response":
        return np.asarray(hit / p.sum(axis=1))
    precision: Floats = hit / (p + n)[:, :cells].sum(axis=1)
    if which == "lift":
        precision *= (p + n).sum(axis=1) / p.sum(axis=1)
    return precision


def profits(p: Floats, n: Floats, value: float, cost: float) -> Floats:
    """Return the profit of selecting down to each cell, shape (samples, cells)."""
    return np.cumsum((value - cost) * p - cost * n, axis=1)


def profits_per_case(p: Floats, n: Floats, value: float, cost: float, cells: Places) -> Floats:
    """Return the profit per case of selecting down to some cells, shape (samples, cells)."""
    found = profits(p, n, value, cost)[:, cells]
    found /= (p.sum(axis=1) + n.sum(axis=1))[:, None]
    return found


def caps(p: Floats, n: Floats, q: Floats) -> Floats:
    """Return the CAP of each sample at shares q; NaN without positives."""
    captured, selected = np.cumsum(p, axis=1), np.cumsum(p + n, axis=1)
    found = np.full((len(p), len(q)), np.nan)
    for row, x, y in zip(found, selected, captured, strict=True):
        if y[-1] > 0:
            row[:] = np.interp(q, np.append(0.0, x / x[-1]), np.append(0.0, y / y[-1]))
    return found


def reachable(q: Floats, prevalence: float) -> tuple[Floats, Floats]:
    """Return the lowest and the highest that any CAP can be at shares of cases."""
    # A share q of all cases holds at most q/π of the positives, and at least 1 - (1 - q)/π.
    return np.maximum(1 - (1 - q) / prevalence, 0.0), np.minimum(q / prevalence, 1.0)


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
        places = [places_in(sums, rows.score) for rows in both]
        order = np.argsort(-rates(amounts, exposures[0]), kind="stable")
        zero = int(np.count_nonzero(amounts > 0))
        pairs = (exposures[0], exposures[1]), (places[0], places[1])
        return cls(amounts, *pairs, order, zero, len(sums))

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
        best = twice_area(*self._in_best_order(times))
        return twice_area(*self.sums(times)) / best if best > 0 else np.nan

    def _in_best_order(self, times: Times) -> tuple[Floats, Floats]:
        """Return exposure and amount of each row of a sample, the highest rate first."""
        held, rest = times
        width, height = ((held * c)[self.order] for c in (self.exposures[0], self.amounts))
        width = np.insert(width, self.zero, float((rest * self.exposures[1]).sum()))
        return width, np.insert(height, self.zero, 0.0)

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

    def aurc(self, times: Times) -> float:
        """Return the AURC of a sample, scaled and along straight lines."""
        return self._area(*self.sums(times), RUNNING_RISK())

    def augrc(self, times: Times) -> float:
        """Return the AUGRC of a sample, scaled."""
        return self._area(*self.sums(times), GENERALISED())

    def excess_aurc(self, times: Times) -> float:
        """Return the excess AURC of a sample, scaled and along straight lines."""
        return self.aurc(times) - self._area(*self._in_best_order(times), RUNNING_RISK())

    def selective_risk(self, times: Times, coverage: float) -> float:
        """Return the mean amount of the surest share, scaled."""
        exposure, amount = self.sums(times)
        beyond = self._selected(exposure, amount, 1 - coverage)
        return (float(amount.sum()) - beyond) / (coverage * float(exposure.sum()))

    def _area(self, exposure: Floats, amount: Floats, area: WeightedArea) -> float:
        held = exposure > 0
        cells = RankedCells.of_amounts(exposure[held][::-1], amount[held][::-1])
        return float((cells.events * area.mean(cells)).sum())

    def profits(self, times: Times, value: float, cost: float, places: Places) -> Floats:
        """Return the profit per row of selecting down to some of the distinct scores."""
        exposure, amount = self.sums(times)
        found: Floats = np.cumsum(value * amount - cost * exposure)[places]
        return found / float(times[0].sum() + times[1].sum())

    def _selected(self, exposure: Floats, amount: Floats, q: float) -> float:
        return float(held_by_top(exposure, amount, q * np.cumsum(exposure)[-1]))


def twice_area(exposure: Floats, amount: Floats) -> float:
    """Return the sum of E_k(2Y_k + A_k) less AE, with the amount Y_k before the kth."""
    y = np.cumsum(amount)

    def part(start: int, end: int) -> Floats:
        e, cells = exposure[start:end], slice(start, end)
        return np.array([(e * (2 * y[cells] - amount[cells])).sum(), e.sum()])

    area, whole = summed_parts(len(y), part)
    return float(area - whole * y[-1])


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
    return left_out(estimate, np.nan_to_num(moved), full, ClassSizes(held, full))


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
    held = np.split(cells, np.cumsum([len(rows) for rows in tables])[:-1])
    times = [rows.times.astype(np.float64) for rows in tables]
    return list(zip(held, times, strict=True))


def drawn(
    values: ValueCounts, number: Callable[[Samples, Times], float], replicates: int, seed: Seed
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

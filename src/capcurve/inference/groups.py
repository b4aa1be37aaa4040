"""Gaps between groups in how well a score ranks and whom it selects, with one law for all gaps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.table import BOTH_CLASSES, wide
from capcurve.curves.simplify import group_ends
from capcurve.gate.given import counts_alike
from capcurve.inference import designs
from capcurve.inference.designs import NEGATIVES, POSITIVES, ClassSizes, LeftOut
from capcurve.inference.differences import Joined, Question, Spread, difference_test, spread_along
from capcurve.inference.family import SAME_DIRECTION, Family, symmetric_root
from capcurve.inference.independent import ALL_POSSIBLE, law_of_spread, spread_between
from capcurve.inference.rates import limits_of_rate
from capcurve.inference.records import LESS, Confidence, Interval, Test
from capcurve.inference.variances import deviations, groups_left_out
from capcurve.metrics import METRICS, roc_auc
from capcurve.metrics.between import abroca, areas_between, crossed_counts
from capcurve.numbers.arguments import as_name, refused, told
from capcurve.numbers.order import places_in
from capcurve.show.format import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.inference.designs import Seed
    from capcurve.numbers.types import Floats

# Of each rate the class it is a share of.
GROUP_RATES = {"captured_response": POSITIVES, "false_positive_rate": NEGATIVES}
GROUP_AREAS = ("accuracy_ratio", "roc_auc")
XAUC = "xauc"
GROUP_NUMBERS = (*GROUP_AREAS, *GROUP_RATES, XAUC)
# Labels are dealt among at most about so many groups of neighbouring scores.
CELLS_DEALT = 300
# So many are dealt at once; and below so many labels a cell it takes less time to deal each.
LABELS_AT_ONCE, FEW_LABELS_A_CELL = 1 << 14, 10
# Of dealings that have the area that was seen some differ from it by rounding.
ROUNDED_AREA = 1e-12
# numpy draws from fewer cases than these.
MOST_TO_DEAL = 1_000_000_000
# How far each independent part of the sample moves a number, in the square root of what the
# squares weigh: a vector for the cells of a class of a group, or for all groups of clusters.
GroupMoves: TypeAlias = "dict[Any, Floats]"


@dataclass(frozen=True, eq=False)
class Group:
    """A group of cases, and how many of its distinct scores a cut-off selects."""

    name: object  # as a table has it
    counts: ScoreCounts
    selects: int | None = None

    @cached_property
    def rows(self) -> tuple[int, int]:
        """How many rows of each class there are."""
        return designs.rows_per_class(self.counts)

    def selected(self, side: int) -> Any:
        """Return how many cases of a class are selected."""
        return wide(self.counts.sums[side][: self.selects]).sum().item()

    def rate(self, side: int) -> float:
        """Return which share of a class is selected."""
        return float(self.selected(side) / (self.counts.n1, self.counts.n0)[side])

    @cached_property
    def order(self) -> tuple[float, ...]:
        """What groups are drawn in the order of, so that their names do not matter."""
        auc = roc_auc(self.counts) if min(self.rows) else -1.0
        return (auc, *self.rows, *(self.selected(side) for side in GROUP_RATES.values()))


@dataclass(frozen=True, slots=True)
class Gap:
    """A number of two groups, first less second."""

    number: str
    first: Group
    second: Group

    @property
    def name(self) -> str:
        """What is subtracted from what."""
        return f"{self.first.name}{LESS}{self.second.name}"

    @property
    def why_not(self) -> str:
        """Why there is none; empty where there is."""
        side = GROUP_RATES.get(self.number)
        for group in (self.first, self.second):
            if side is None and min(group.rows) < designs.LEAST_FOR_A_VARIANCE:
                return f"fewer than two cases of a class in {group.name}"
            if side is not None and not group.rows[side]:
                return f"no {BOTH_CLASSES[side]} in {group.name}"
        return ""

    @property
    def parts(self) -> dict[tuple[str, Group, Group], float]:
        """The numbers that it is a sum of, and how often each is in it."""
        if self.number == XAUC:
            # The same whatever the groups are called and whichever is the first.
            if self.first.order <= self.second.order:
                return {(XAUC, self.first, self.second): 1.0}
            return {(XAUC, self.second, self.first): -1.0}
        kind = GROUP_AREAS[1] if self.number in GROUP_AREAS else self.number
        return {(kind, self.first, self.first): 1.0, (kind, self.second, self.second): -1.0}

    def samples(self) -> tuple[ScoreCounts, ScoreCounts]:
        """Return the counts whose AUCs are compared, for xAUC with the other's negatives."""
        one, other = self.first.counts, self.second.counts
        if self.number == XAUC:
            return crossed_counts(one, other), crossed_counts(other, one)
        return one, other

    def spread(self) -> Spread:
        """Return how the gap varies."""
        if self.number in GROUP_RATES:
            return _spread_of_rates(self.first, self.second, GROUP_RATES[self.number])
        about = Question("two-sided", metric="roc_auc")
        return spread_between(*self.samples(), "delong", "mover", about)

    def test(self, spread: Spread, question: Question) -> Test:
        """Return the test of the gap, with the limits that the question asks for."""
        side, method = GROUP_RATES.get(self.number), f"different rows, {spread.method}"
        if side is None:
            values = [*map(roc_auc, self.samples())]
            method = f"{method}, {law_of_spread(spread)}"
        else:
            values = [self.first.rate(side), self.second.rate(side)]
        # Numbers that are no metric of counts are differences of shares, as those of AUCs are.
        known = self.number if self.number in GROUP_AREAS else GROUP_AREAS[1]
        names = {str(self.first.name): values[0], str(self.second.name): values[1]}
        asked, difference = replace(question, metric=known), values[0] - values[1]
        found = difference_test(self.name, names, difference, spread, asked, method)
        return replace(found, metric=self.number)


def as_group_numbers(given: object, metric: str, *, cut: bool) -> tuple[str, ...]:
    """Return which numbers are compared: those that are named, or the usual ones."""
    if given is None:
        return (metric, *GROUP_RATES) if cut else (metric,)
    several: Any = [given] if isinstance(given, str) else given
    if not isinstance(several, list | tuple):
        raise TypeError(f"{refused('numbers')} be names of numbers, got {told(given)}")
    found = [as_name(each, "numbers", GROUP_NUMBERS, METRICS.aliases) for each in several]
    if not found:
        raise ValueError(f"{refused('numbers')} name at least one of {', '.join(GROUP_NUMBERS)}")
    return tuple(dict.fromkeys(found))


def pairs_of(groups: Mapping[Any, Group], against: Any) -> list[tuple[Group, Group]]:
    """Return all pairs of groups, or each other one and the one that is named."""
    if against is None:
        return [*combinations(groups.values(), 2)]
    # A group of rows that have none is named as it is shown.
    called = {str(group.name): key for key, group in groups.items()}
    if against not in groups and against in called:
        against = called[against]
    if against not in groups:
        names = listed([str(group.name) for group in groups.values()], 8)
        raise ValueError(f"{refused('against')} be one of {names}, got {told(against)}")
    last = groups[against]
    return [(group, last) for group in groups.values() if group is not last]


def gaps_tested(gaps: Sequence[Gap], level: float) -> tuple[tuple[Test, ...], float]:
    """Return the tests of gaps, whose limits hold together, and the level of each by itself."""
    # The only gap is that of two independent samples, with the law it has alone.
    spreads, question = [gap.spread() for gap in gaps], Question("two-sided", level=level)
    if len(gaps) > 1:
        question = question.of_family(_family(gaps, spreads))
    pair_level = question.confidence.level if question.confidence else level
    both = zip(gaps, spreads, strict=True)
    return tuple(gap.test(spread, question) for gap, spread in both), pair_level


def _family(gaps: Sequence[Gap], spreads: Sequence[Spread]) -> Family:
    """Return the law that gaps have together."""
    # In an order that neither names nor the order of groups change.
    keys = sorted(
        dict.fromkeys(key for gap in gaps for key in gap.parts),
        key=lambda key: (key[1].order, GROUP_NUMBERS.index(key[0]), key[2].order),
    )
    place = {key: at for at, key in enumerate(keys)}
    contrast = np.zeros((len(gaps), len(keys)))
    for row, gap in zip(contrast, gaps, strict=True):
        for key, times in gap.parts.items():
            row[place[key]] = times
    rows = contrast @ symmetric_root(_covariance([_moves(*key) for key in keys]))
    sizes = np.linalg.norm(rows, axis=1)
    moving = sizes > SAME_DIRECTION * sizes.max(initial=0.0)
    # Of what shows no spread at all the law is not that of the sample.
    pairs = zip(gaps, spreads, moving, strict=True)
    still = {frozenset(gap.parts) for gap, spread, moves in pairs if not moves and spread.variance}
    return Family.of_rows(rows, len(still))


def _covariance(moves: Sequence[GroupMoves]) -> Floats:
    """Return how numbers vary together that parts of the sample move."""
    found = np.zeros((len(moves), len(moves)))
    for part in dict.fromkeys(part for each in moves for part in each):
        held = [place for place, each in enumerate(moves) if part in each]
        several = np.array([moves[place][part] for place in held])
        found[np.ix_(held, held)] += several @ several.T
    return found


def _moves(kind: str, group: Group, other: Group) -> GroupMoves:
    """Return how far the sample moves a number of a group, or the difference of two cross AUCs."""
    if kind == XAUC:
        one, two = _moves_of_auc(group, other), _moves_of_auc(other, group)
        return {p: np.asarray(one.get(p, 0.0) - two.get(p, 0.0)) for p in one | two}
    if kind not in GROUP_RATES:
        return _moves_of_auc(group, group)
    side = GROUP_RATES[kind]
    if group.counts.groups is not None:
        return _of_groups(_rate_left_out(group, side))
    selected = np.arange(len(group.counts)) < (group.selects or 0)
    return {(group.name, side): (selected - group.rate(side)) * _root_masses(group, side)}


def _moves_of_auc(positives: Group, negatives: Group) -> GroupMoves:
    """Return how far the sample moves the AUC of one group's positives and another's negatives."""
    counts = positives.counts
    if positives is not negatives:
        counts = crossed_counts(counts, negatives.counts)
    if counts.groups is not None:
        return _of_groups(groups_left_out([counts]))
    moved, found = deviations(counts), dict[Any, Any]()
    for side, group in enumerate((positives, negatives)):
        place = np.clip(places_in(counts, group.counts.score), 0, len(counts) - 1)
        found[group.name, side] = moved[side][place] * _root_masses(group, side)
    return found


def _of_groups(found: LeftOut) -> GroupMoves:
    """Return how far groups of clusters move a number."""
    return {None: found.moves[0][0] * np.sqrt(found.masses[0])}


def _root_masses(group: Group, side: int) -> Floats:
    """Return the root of what the square of each cell's move weighs in a variance."""
    total = designs.class_totals(group.counts)[side]
    return np.sqrt(designs.squared_masses_of(group.counts, side, total))


def _spread_of_rates(first: Group, second: Group, side: int) -> Spread:
    """Return how the difference of two rates varies: by Newcombe's limits, or clusters left out."""
    both = (first, second)
    if all(group.counts.groups is not None for group in both):
        found = designs.side_by_side([_rate_left_out(group, side) for group in both])
        found = replace(found, width=1.0)
        return spread_along(found, [1.0, -1.0], ALL_POSSIBLE, apart=True)[1]
    variance, limited = 0.0, []
    for group in both:
        cases, rate = designs.effective_sizes(group.counts)[side], group.rate(side)
        # A sample of which all or none is selected does not show that the rate is 1 or 0.
        inside = min(max(rate, 0.5 / cases), 1 - 0.5 / cases)
        variance += inside * (1 - inside) / cases
        limited.append(partial(_wilson, rate, cases))
    return Joined(variance, None, "Wilson's limits", (), *limited)


def _wilson(rate: float, cases: float, confidence: Confidence) -> Interval:
    """Return Wilson's limits of a rate, which Newcombe's of a difference join."""
    limits = limits_of_rate(min(rate, 1.0), cases, "wilson", confidence)
    return confidence.interval(rate, limits, (0.0, 1.0), "wilson", None)


def _rate_left_out(group: Group, side: int) -> LeftOut:
    """Return a rate, and what leaving out each group of clusters does to it."""
    counts, selects = group.counts, group.selects or 0
    holding, groups = designs.groups_per_class(counts)[side], counts.groups or ()
    rate, sizes = np.array([group.rate(side)]), ClassSizes(holding, holding)
    if holding < designs.LEAST_GROUPS:
        full = sum(len(each) > 0 for each in groups)
        return designs.left_out(rate, np.zeros((len(groups), 1)), full, sizes)

    def of_samples(*classes: Floats) -> Floats:
        cases = classes[side]
        return np.asarray(cases[:, : int(selects > 0)].sum(axis=1) / cases.sum(axis=1))

    # What is selected and what is not, where there is either.
    ends = np.unique([max(selects, 1), len(counts)])
    return replace(designs.leave_out(counts.joined(ends), of_samples), values=rate, sizes=sizes)


def areas_of_pairs(
    pairs: Sequence[tuple[Group, Group]], replicates: int, seed: Seed
) -> tuple[list[tuple[object, object, float, float, float]], str]:
    """Return pairs with both classes, their ABROCA, its mean by chance and p; and why no p."""
    used = [pair for pair in pairs if all(min(group.rows) for group in pair)]
    why, found = next(filter(None, (_not_dealt(g.counts) for pair in used for g in pair)), ""), []
    for pair in used:
        # The same labels are dealt whichever group is the first.
        one, other = sorted(pair, key=lambda group: group.order)
        dealt = (np.nan, np.nan) if why else _dealt(one, other, replicates, seed)
        area = abroca(*(group.counts for group in pair))
        found.append((pair[0].name, pair[1].name, area, *dealt))
    return found, why


def _not_dealt(counts: ScoreCounts) -> str:
    """Return why labels of groups cannot be dealt; empty where they can."""
    if counts.groups is not None:
        why = "rows are clustered; labels cannot be dealt"
    elif not counts_alike(counts):
        why = "rows are weighted; labels cannot be dealt"
    elif counts.n * 2 >= MOST_TO_DEAL:
        why = "there are too many rows to deal their labels"
    else:
        return ""
    return f"ABROCA has no p-value: {why}."


def _rates_of(positives: Any, negatives: Any) -> tuple[Floats, Floats]:
    """Return the points of ROCs, false positive rates first, of cells along the last axis."""
    found = []
    for cells in (negatives, positives):
        sums = np.cumsum(cells, axis=-1, dtype=np.float64 if cells.dtype.kind == "f" else np.int64)
        none = np.zeros((*sums.shape[:-1], 1))
        found.append(np.concatenate([none, sums / sums[..., -1:]], axis=-1))
    return found[0], found[1]


def _dealt(first: Group, second: Group, replicates: int, seed: Seed) -> tuple[float, float]:
    """Return the mean ABROCA of labels dealt within each outcome, and how rare that seen is."""
    whole = ScoreCounts.merge([first.counts, second.counts])
    starts = np.arange(len(whole))
    if len(whole) > CELLS_DEALT:
        starts = np.append(0, group_ends(whole, CELLS_DEALT)[:-1])
    places, rng, sides = places_in(whole, first.counts.score), np.random.default_rng(seed), []
    for every, cells in zip(whole.sums, first.counts.sums, strict=True):
        own = np.zeros(len(whole), dtype=np.int64)
        own[places] = cells
        sides.append([np.add.reduceat(column, starts) for column in (wide(every), own)])

    def areas(own: Sequence[Any]) -> Floats:
        rest = [every - each for (every, _), each in zip(sides, own, strict=True)]
        return areas_between(_rates_of(*own), _rates_of(*rest))

    def deal(every: Any, own: Any, many: int) -> Any:
        few = own.sum() < FEW_LABELS_A_CELL * len(own)
        how: Any = "count" if few else "marginals"
        return rng.multivariate_hypergeometric(every, own.sum(), many, method=how)

    seen, step = float(areas([own for _, own in sides])), max(1, LABELS_AT_ONCE // len(starts))
    found = np.empty(replicates)
    for start in range(0, replicates, step):
        part = found[start : start + step]
        part[:] = areas([deal(every, own, len(part)) for every, own in sides])
    reached = int((found >= seen - ROUNDED_AREA).sum())
    return float(found.mean()), (1 + reached) / (1 + replicates)

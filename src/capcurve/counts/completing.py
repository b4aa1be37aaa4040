"""Cases without outcome given one: the worst, the best, or by odds, as far as is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from capcurve.counts import table
from capcurve.counts.joint import JointCounts
from capcurve.counts.settings import total_dropped
from capcurve.counts.weights import Weights
from capcurve.numbers.arguments import arg, as_number, refused, told
from capcurve.numbers.extremes import CostLine, Costs, Sizes, best_on, costs_of_pairs, first_below
from capcurve.numbers.kept_cutoffs import concave_corners
from capcurve.numbers.order import sorted_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.numbers.types import Array, Floats, Places

# Weights whose products of three are floats need no unit of their own.
SMALL, LARGE = 1e-90, 1e90
How: TypeAlias = Literal["worst", "best"] | float
# Up to so many distinct scores each counts as a grade, as in the test of falling rates: its known
# cases are enough for a rate of its own. More are pooled.
MOST_UNPOOLED = 50


@dataclass(frozen=True)
class OutcomeCells:
    """Known and unknown cases at each score that either have, or combination of scores."""

    # Known, held: the counts of cases with an outcome, and of those without, held as negatives.
    known: Any
    held: Any
    keys: tuple[Array, ...]  # what tells cells apart, ascending, shape (K,) each
    of_known: Places  # of_known, of_unknown: which of the cells those of either counts are
    of_unknown: Places

    @classmethod
    def of(cls, known: Any, held: Any) -> OutcomeCells:
        """Return the cells of known cases, and of unknown ones that are held as negatives."""
        keys, (of_known, of_unknown) = _together([known.keys, held.keys])
        return cls(known, held, keys, of_known, of_unknown)

    @cached_property
    def unit(self) -> float:
        """What weights are measured in, so that no product of two leaves the floats; usually 1."""
        columns = (self.known.positives, self.known.negatives, self.held.negatives)
        largest = max(float(column.max(initial=0)) for column in columns)
        weights = any(column.dtype.kind == "f" for column in columns)
        usual = not weights or SMALL < largest < LARGE or not largest
        return 1.0 if usual else float(2.0 ** np.floor(np.log2(largest)))

    def _spread(self, column: Array, places: Places) -> Array:
        wide = table.wide(column)
        found = np.zeros(len(self), dtype=wide.dtype)
        found[places] = wide if self.unit == 1 else wide / self.unit
        return found

    def __len__(self) -> int:
        return len(self.keys[0])

    @cached_property
    def positives(self) -> Array:
        """Known positives in each cell."""
        return self._spread(self.known.positives, self.of_known)

    @cached_property
    def negatives(self) -> Array:
        """Known negatives in each cell."""
        return self._spread(self.known.negatives, self.of_known)

    @cached_property
    def unknown(self) -> Array:
        """Cases without outcome in each cell."""
        return self._spread(self.held.negatives, self.of_unknown)

    @cached_property
    def cases(self) -> Array:
        """All cases in each cell."""
        return self.positives + self.negatives + self.unknown

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts."""
        return bool(self.cases.dtype.kind != "f")

    @cached_property
    def ranks(self) -> tuple[Array, ...]:
        """Where each cell stands in the order of each score, 0 the most likely positive."""
        ways = self.known.higher_is
        ways = ways if isinstance(self.known, JointCounts) else (ways,)
        found = []
        for key, way in zip(self.keys, ways, strict=True):
            place = np.unique(key, return_inverse=True)[1]
            found.append(place.max(initial=0) - place if way == "positive" else place)
        return tuple(found)

    def with_positives(self, added: Array) -> Any:
        """Return counts in which so many of the unknown of each cell are positives."""
        rest = self.unknown - added
        rest = np.maximum(rest, 0) if rest.dtype.kind == "f" else rest
        positives, negatives = self.positives + added, self.negatives + rest
        if self.unit != 1:
            positives, negatives = positives * self.unit, negatives * self.unit
        sums = {
            "positives": positives,
            "negatives": negatives,
            "weights": self._weights(added),
            "dropped": total_dropped([self.known, self.held]),
        }
        return _counts_like(self.known, self.keys, sums, self._groups(added))

    def told_apart(self) -> Any:
        """Return counts of one score in which the unknown are positives and the known negatives."""
        both = {"positives": self.unknown, "negatives": self.positives + self.negatives}
        return _counts_like(self.known, self.keys, both, None)

    def beyond_known(self) -> Any:
        """Return how many unknown stand above the first or below the last known score."""
        known = np.zeros(len(self), dtype=np.bool_)
        known[self.of_known] = True
        places = self.ranks[0][known]
        outside = (self.ranks[0] < places.min()) | (self.ranks[0] > places.max())
        found = table.total(self.unknown[outside])
        return found if self.unit == 1 else found * self.unit

    def _shares(self, added: Array) -> Floats:
        """Return which share of the unknown of each cell some are."""
        return np.divide(added, self.unknown, out=np.zeros(len(self)), where=self.unknown > 0)

    def _weights(self, added: Array) -> Weights | None:
        """Return what is remembered of the rows, of which the unknown are split by class."""
        known, held = self.known.weights, self.held.weights
        if known is None and held is None:
            return None
        kind = (known or held).kind
        share = self._shares(added)
        part = float(added.sum() / self.unknown.sum()) if len(self.held) else 0.0
        rows, roots = [0, 0], [np.zeros(len(self)), np.zeros(len(self))]
        if known is not None:
            rows = [known.positive_rows, known.negative_rows]
            roots[0][self.of_known] = known.positive_roots
            roots[1][self.of_known] = known.negative_roots
        if held is not None:
            moved = round(held.negative_rows * part)
            rows = [rows[0] + moved, rows[1] + held.negative_rows - moved]
            own = np.zeros(len(self))
            own[self.of_unknown] = held.negative_roots
            roots = [
                np.hypot(root, own * np.sqrt(np.clip(split, 0, 1)))
                for root, split in zip(roots, (share, 1 - share), strict=True)
            ]
        return Weights(kind, rows[0], rows[1], roots[0], roots[1])

    def _groups(self, added: Array) -> tuple[Any, ...] | None:
        """Return the groups of clusters with the positives split among them."""
        # Of whole cases the first groups get theirs first; of weights each gets its share.
        parts = [self.known, self.held]
        if all(part.groups is None for part in parts):
            return None
        # What is empty has no groups, and is itself each group of its own.
        known, held = (part.groups or [part] * table.GROUPS for part in parts)
        cells = [OutcomeCells.of(one, other) for one, other in zip(known, held, strict=True)]
        _, (_, *places) = _together([self.keys, *(cell.keys for cell in cells)])
        # Cells of the whole are those of all groups, so their places are what is looked up.
        left, found = added.copy(), []
        for cell, place in zip(cells, places, strict=True):
            if added.dtype.kind == "f":
                own = cell.unknown * self._shares(added)[place]
            else:
                own = np.minimum(left[place], cell.unknown)
                left[place] -= own
            found.append(cell.with_positives(own))
        return tuple(found)


def _together(parts: Sequence[tuple[Array, ...]]) -> tuple[tuple[Array, ...], list[Places]]:
    """Return the distinct keys of all parts, ascending, and where those of each part stand."""
    columns = table.joined_columns(parts)
    order, starts = sorted_runs(columns)
    run = np.zeros(len(order), dtype=np.intp)
    run[starts[1:]] = 1
    place = np.empty_like(run)
    place[order] = np.cumsum(run)
    ends = np.cumsum([len(part[0]) for part in parts])
    return tuple(column[order][starts] for column in columns), np.split(place, ends[:-1])


def _counts_like(
    counts: Any, keys: tuple[Array, ...], sums: dict[str, Any], groups: tuple[Any, ...] | None
) -> Any:
    """Return counts of such cells with the settings of others."""
    fields = {**counts.fields(), "dropped": None}
    return table.built(type(counts), (list(keys), sums), groups, fields)


def as_pooled(pooled: object, cells: OutcomeCells) -> bool:
    """Return whether rates of the known are pooled; left open, where scores are no grades."""
    if pooled is None:
        return len(cells) > MOST_UNPOOLED
    if not isinstance(pooled, bool):
        raise TypeError(f"pooled must be True, False or None, got {told(pooled)}")
    return pooled


def known_rates(cells: OutcomeCells, *, pooled: bool) -> Floats:
    """Return the rate of positives among the known at each score, pooled or as it stands."""
    # A score without known cases has the pooled rate either way.
    rates = _pooled_rates(cells)
    if pooled:
        return rates
    cases = cells.positives + cells.negatives
    np.divide(cells.positives, cases, out=rates, where=cases > 0)
    return rates


def _pooled_rates(cells: OutcomeCells) -> Floats:
    """Return the rate of positives at each score, pooled until rates fall with the rank (PAV)."""
    # A score without known cases has the rate of the pool it lies in, the mean of those it lies
    # between, and that of the first or last beyond them.
    order = np.argsort(cells.ranks[0], kind="stable")
    p, t = cells.positives[order], (cells.positives + cells.negatives)[order]
    full = np.flatnonzero(t > 0)
    pools = _pools(p[full], t[full])
    ends = np.append(0, pools)
    positives, cases = (np.add.reduceat(column[full], ends[:-1]) for column in (p, t))
    rate = np.repeat(np.minimum.accumulate(positives / cases), np.diff(ends))
    places = np.arange(len(t))
    before = np.clip(np.searchsorted(full, places, side="right") - 1, 0, None)
    after = np.clip(np.searchsorted(full, places), None, len(full) - 1)
    found = np.empty(len(t))
    found[order] = (rate[before] + rate[after]) / 2
    return found


def _pools(positives: Array, cases: Array) -> Places:
    """Return where the pools of neighbours end whose rates fall: corners of a concave line."""
    x, y = (np.append(column[:0], 0) for column in (cases, positives))
    x, y = np.append(x, np.cumsum(cases)), np.append(y, np.cumsum(positives))
    return concave_corners(x, y)[1:]


def at_odds(unknown: Array, rates: Floats, odds: float) -> Floats:
    """Return the positives among the unknown of each cell at so many times the known odds."""
    if odds == 0 or np.isinf(odds):
        return unknown * (1.0 if odds else 0.0)
    return unknown * (odds * rates / (odds * rates + (1 - rates)))


@dataclass(frozen=True)
class AllowedOutcomes:
    """What is assumed of the unknown."""

    least: Any  # least, most: how many positives there are among them
    most: Any
    # Between how many times the odds of the known at its score each has; None if that is open.
    odds: tuple[float, float] | None = None
    ordered: bool = False  # whether their rate of positives does not rise with the rank
    pooled: bool = True  # whether the odds are multiples of pooled ones; with `ordered` they are


@dataclass(frozen=True)
class Completions:
    """All outcomes that the unknown cases of some cells may have, as far as a number goes."""

    cells: OutcomeCells
    costs: Costs
    allowed: AllowedOutcomes

    @property
    def is_whole(self) -> bool:
        """Whether positives among the unknown are whole numbers."""
        return self.cells.is_whole and self.allowed.odds is None

    @cached_property
    def sizes(self) -> Sizes:
        """The positives among the known, and all other cases."""
        others = table.total(self.cells.negatives + self.cells.unknown)
        return Sizes(table.total(self.cells.positives), others, self.costs.pairs)

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """The fewest and the most positives among the unknown of each cell."""
        cells, odds = self.cells, self.allowed.odds
        if odds is None:
            # Beside fractions of known cases the unknown may be whole; their positives need not.
            unknown = cells.unknown if cells.is_whole else cells.unknown.astype(np.float64)
            return np.zeros_like(unknown), unknown
        rates = known_rates(cells, pooled=self.allowed.pooled)
        return at_odds(cells.unknown, rates, odds[0]), at_odds(cells.unknown, rates, odds[1])

    @cached_property
    def reach(self) -> tuple[Any, Any]:
        """The fewest and the most positives among the unknown with which the number is defined."""
        sizes, allowed = self.sizes, self.allowed
        fewest, most = (table.total(box) for box in self.boxes)
        if self.is_whole:
            fewest = max(fewest, 1 - sizes.positives)
            most = min(most, sizes.others - 1) if sizes.pairs else most
        unit = 1 if self.is_whole else self.cells.unit
        asked = (allowed.least, allowed.most)
        if unit != 1:
            asked = (asked[0] / unit, asked[1] / unit)
        least, largest = max(fewest, asked[0]), min(most, asked[1])
        if least > largest:
            raise ValueError(self._empty(self._in_cases(fewest), self._in_cases(most)))
        if not (sizes.positives + least > 0 and (sizes.others - largest > 0 or not sizes.pairs)):
            raise ValueError(
                "the known cases of a class weigh nothing, or next to nothing, so that with "
                "weights its least share is open; say how many unknown are positives with "
                f"{arg('positives')}"
            )
        return least, largest

    def _empty(self, fewest: Any, most: Any) -> str:
        """Say why no outcome is left."""
        if fewest > most:
            lacks = "positives" if self.sizes.positives == 0 else "negatives"
            n = table.total(self.cells.cases)
            cases = "the only case" if n == 1 else f"the {told(n)} cases"
            return f"no {lacks} among {cases} whatever the unknown are, so this is undefined"
        both = "a case of each class" if self.sizes.pairs else "a positive"
        reason = f"{arg('odds')} leaves" if self.allowed.odds else f"to have {both} there must be"
        asked = _range(self.allowed.least, self.allowed.most)
        return (
            f"{arg('positives')} asks for {asked} among the unknown, and {reason} "
            f"{_range(fewest, most)}"
        )

    def line(self, *, highest: bool) -> CostLine:
        """Return the sum of costs by the positives among the unknown, highest or lowest."""
        level = self._is_level(highest=highest)
        whole = self._levels() if level else self._filled(highest=highest)
        return whole.between(*self.reach)

    def _is_level(self, *, highest: bool) -> bool:
        return self.allowed.ordered and not highest

    def _costs(self) -> Costs:
        return self.costs if self.is_whole else self.costs.as_floats()

    def _start(self) -> tuple[Any, Any]:
        lower = self.boxes[0]
        return table.total(lower), self._costs().sum_over(self.cells.positives + lower)

    def _filled(self, *, highest: bool) -> CostLine:
        """Return the line with positives put first where they cost most, or least."""
        costs, (lower, upper) = self._costs(), self.boxes
        way = slice(None, None, -1 if highest else 1)
        return CostLine.along(self._start(), costs.added_up(upper - lower)[way], costs.values[way])

    def _levels(self) -> CostLine:
        """Return the line of the lowest sum if rates do not rise with the rank."""
        # At each number of positives it is lowest with one rate for all, as far as boxes allow.
        costs, unknown = self._costs(), self.cells.unknown
        if self.allowed.odds is not None:
            _, lengths, slopes = self._rising()
            return CostLine.along(self._start(), lengths, slopes)
        total, whole = table.total(unknown), self.is_whole
        lengths = np.array([total], dtype=object if whole else np.float64)
        slope = costs.sum_over(unknown)
        one = Fraction(slope, total or 1) if whole else slope / (total or 1.0)
        return CostLine.along(self._start(), lengths, np.array([one], dtype=lengths.dtype))

    def _rising(self) -> tuple[Floats, Floats, Floats]:
        """Return the levels at which boxes open and close, ascending, and the stretches between."""
        costs, cells = self._costs(), self.cells
        some = np.flatnonzero(cells.unknown > 0)
        unknown = cells.unknown[some].astype(np.float64)
        cost = unknown * costs.values[costs.which[some]]
        opens, closes = (box[some] / unknown for box in self.boxes)
        # At each level, ascending, the sums over what is open from there on.
        at = np.concatenate([opens, closes])
        order = np.argsort(at, kind="stable")
        columns = np.ones(len(some)), unknown, cost
        one, mass, cost = (np.cumsum(np.append(each, -each)[order]) for each in columns)
        levels = at[order]
        lengths = np.where(one[:-1] > 0, mass[:-1], 0.0) * np.diff(levels)
        slopes = np.divide(cost, mass, out=np.zeros(len(mass)), where=one > 0)[:-1]
        return levels, lengths, slopes

    def placed(self, positives: Any, *, highest: bool) -> Array:
        """Return how many of the unknown of each cell are positive if so many are in all."""
        lower, upper = self.boxes
        if not self._is_level(highest=highest):
            order = np.argsort(self.costs.which, kind="stable")[:: -1 if highest else 1]
            room = (upper - lower)[order]
            found = np.empty_like(room)
            left = positives - table.total(lower) - (np.cumsum(room) - room)
            found[order] = np.clip(left, 0, room)
            found += lower
            return found
        unknown = self.cells.unknown
        if self.allowed.odds is None:
            share: float = positives / (table.total(unknown) or 1)
            return np.asarray(unknown * share, dtype=np.float64)
        levels, lengths, _ = self._rising()
        through = np.append(0.0, np.cumsum(lengths)) + table.total(lower)
        level = np.interp(float(positives), through, levels) if len(levels) else 0.0
        return np.clip(unknown * level, lower, upper)

    def extreme(self, *, highest: bool) -> tuple[Any, Array]:
        """Return how many positives the unknown have at an end, in all and in each cell."""
        positives = best_on(self.line(highest=highest), self.sizes, highest=highest)
        return self._in_cases(positives), self._in_whole(self.placed(positives, highest=highest))

    def _in_whole(self, added: Array) -> Array:
        """Return expected numbers that are whole, of whole cases, as such: these are counts."""
        unknown = self.cells.unknown
        if added.dtype == unknown.dtype or not self.cells.is_whole:
            return added
        near: Array = np.rint(added).astype(unknown.dtype)
        return near if bool((near == added).all()) and bool((near <= unknown).all()) else added

    def _in_cases(self, positives: Any) -> Any:
        return positives if self.cells.unit == 1 else positives * self.cells.unit

    def first_below(self, minimum: Fraction) -> Any:
        """Return the fewest positives that, placed worst, bring the number below; or None."""
        found = first_below(self.line(highest=False), self.sizes, minimum)
        return None if found is None else self._in_cases(found)


def _range(least: Any, most: Any) -> str:
    return f"{least:.6g}" if least == most else f"{least:.6g} to {most:.6g}"


def completed(known: Any, held: Any, how: How, pooled: bool | None) -> Any:
    """Return counts in which all cases have an outcome."""
    cells = OutcomeCells.of(known, held)
    if how in ("worst", "best"):
        if pooled is not None:
            raise ValueError(
                f"pooled is about odds, and the {how} outcomes need none; leave it out"
            )
        costs = costs_of_pairs(cells.ranks[0], cells.cases)
        allowed = AllowedOutcomes(0, table.total(cells.unknown))
        _, added = Completions(cells, costs, allowed).extreme(highest=how == "best")
        return cells.with_positives(added)
    if isinstance(how, str):
        raise ValueError(  # noqa: TRY004 - a word is allowed, another one
            f'how must be "worst", "best" or an odds ratio, got {told(how)}'
        )
    return with_odds(cells, as_odds(how, "how"), pooled=as_pooled(pooled, cells))


def with_odds(cells: OutcomeCells, odds: float, *, pooled: bool) -> Any:
    """Return counts in which the unknown have so many times the odds of the known at each score."""
    if not len(cells.held):
        return cells.with_positives(cells.unknown)
    if not len(cells.known):
        raise ValueError("no outcome is known, so there are no odds to compare the unknown with")
    rates = known_rates(cells, pooled=pooled)
    return cells.with_positives(at_odds(cells.unknown, rates, odds))


def as_odds(value: Any, name: str) -> float:
    """Return an odds ratio, else raise ValueError."""
    found = as_number(value, name)
    if not found >= 0:
        raise ValueError(f"{refused(name)} be an odds ratio of 0 or more, got {told(value)}")
    return found

"""Adding, taking away and coarsening counts, as arguments of those that result; clusters go along.

Rows that belong together stay together in one of 64 groups: counts of their own, which add and join
like the whole and add up to it.
"""

from __future__ import annotations

import math
from decimal import Context
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import numpy as np

from capcurve.counts.cells import (
    LARGEST_TOTAL,
    add_up,
    common_dtype,
    grid_index,
    run_starts,
    sorted_runs,
    sum_ties,
)
from capcurve.counts.digest import canonical
from capcurve.counts.grades import as_rankable, check_levels, codes_of, refuse_nan, written_levels
from capcurve.counts.settings import check_direction, settings_of
from capcurve.counts.types import FrozenRecord
from capcurve.counts.weights import merged as merged_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.counts.settings import Counted, Dropped, Part, Scored
    from capcurve.counts.types import Array, Places
    from capcurve.counts.weights import WeightKind, Weights

# What a kind of counts is made from, by the names of its fields; counts by group of clusters.
Arguments: TypeAlias = dict[str, Any]
Groups: TypeAlias = tuple[Any, ...]
CLASSES = ("positives", "negatives")
Counts = TypeVar("Counts")
# Clusters are hashed into so many groups: enough for a t quantile near the normal one, few
# enough that leaving out each in turn stays cheap.
GROUPS = 64
# Groups of up to so many cells are added up whenever counts are made of them: a tenth of a second.
CELLS_COMPARED = 1 << 20
# Weights add up to the last digit in one order only.
ROUNDING = 1e-9
# Larger numbers of cases are shown in three digits.
MOST_SHOWN = 10**20


def tabled(
    score: ArrayLike, positives: ArrayLike, negatives: ArrayLike, *, higher_is: object, levels: Any
) -> Arguments:
    """Return the arguments of the counts that someone's table holds."""
    names, direction = check_levels(levels), check_direction(higher_is)
    scores = as_rankable(np.asarray(score), "score", names, direction)
    sums = [as_tallies(positives, "positives"), as_tallies(negatives, "negatives")]
    for name, column in zip(CLASSES, sums, strict=True):
        refuse_other_length(scores, column, name)
    if names is None:
        refuse_nan(scores, "score")
    else:
        scores = codes_of(scores, names, "score")
    refuse_too_many(sum(map(total, sums)))
    distinct, (p, n) = sum_ties(scores, sums)
    return {
        "score": distinct,
        "positives": p,
        "negatives": n,
        "higher_is": direction,
        "levels": written_levels(names),
    }


def refuse_other_length(score: ArrayLike, column: Array, name: str) -> None:
    """Raise ValueError unless there is one number for each score."""
    rows = len(np.atleast_1d(np.asarray(score)))
    if len(column) != rows:
        raise ValueError(f"score has {rows} rows and {name} has {len(column)}")


def only_counts(kind: type[Counts], many: Iterable[Counts]) -> list[Counts]:
    """Return all of many counts, or raise TypeError when one is something else."""
    parts = list(many)
    for part in parts:
        if not isinstance(part, kind):
            raise TypeError(f"{kind.__name__} add up with their like, got {type(part).__name__}")
    return parts


def summed(keys: Sequence[Array], parts: Sequence[Counted]) -> tuple[list[Array], Arguments]:
    """Return the distinct keys of all cells, ascending, and what adds up at each.

    `keys` are those of all parts, one part after another; sorts once.
    """
    order, starts = sorted_runs(keys)
    sums = {
        name: add_up(np.concatenate([getattr(part, name) for part in parts])[order], starts)
        for name in CLASSES
    }
    weights = merged_weights([part.weights for part in parts], order, starts)
    return [key[order][starts] for key in keys], {**sums, "weights": weights}


def merged_cells(
    parts: Sequence[Counted],
) -> tuple[list[Array], Arguments]:
    """Return the keys and sums of all cells of counts with equal settings."""
    check_same_settings(parts)
    refuse_too_many(sum(part.n1 + part.n0 for part in parts))
    keys = []
    for columns in zip(*(part.keys for part in parts), strict=True):
        dtype = common_dtype(columns)
        keys.append(np.concatenate([column.astype(dtype) for column in columns]))
    return summed(keys, parts)


def merged(parts: Sequence[Scored]) -> Arguments:
    """Return the arguments of the sum of counts with equal settings; sorts once."""
    (score,), sums = merged_cells(parts)
    return {**_settings(parts[0]), **sums, "score": score, "dropped": total_dropped(parts)}


def _settings(counts: Scored) -> Arguments:
    return {
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "dropped": counts.dropped,
    }


def difference(whole: Scored, part: Scored) -> Arguments:
    """Return the arguments of the counts that are left when a part is taken away."""
    if not (whole.is_whole and part.is_whole):
        raise ValueError("only whole counts can be taken away; these carry weights")
    if len(whole) and len(part):
        check_same_settings([whole, part])
    dtype = common_dtype([whole.score, part.score])
    joined = np.concatenate([whole.score.astype(dtype), part.score.astype(dtype)])
    columns = [
        np.concatenate([wide(getattr(whole, name)), -wide(getattr(part, name))]) for name in CLASSES
    ]
    score, (positives, negatives) = sum_ties(joined, columns)
    short = (positives < 0) | (negatives < 0)
    if short.any():
        raise ValueError(
            f"at score {score[short][0]} more cases are taken away than there are; "
            "the second counts are not a part of the first"
        )
    return {
        **_settings(whole),
        "score": score,
        "positives": positives,
        "negatives": negatives,
        "dropped": dropped_without(whole, part),
    }


def without_outcome(counts: Counted) -> Arguments:
    """Return what adds up in each cell when all cases are negatives."""
    both = wide(counts.positives) + wide(counts.negatives)
    weights = counts.weights and counts.weights.without_outcome()
    return {"positives": np.zeros(len(both), np.uint8), "negatives": both, "weights": weights}


def scored_without_outcome(counts: Scored) -> Arguments:
    """Return the arguments of the counts of one score in which all cases are negatives."""
    ascending = slice(None, None, -1 if counts.higher_is == "positive" else 1)
    sums = without_outcome(counts)
    weights = sums["weights"]
    return {
        **_settings(counts),
        "score": counts.score[ascending],
        "positives": sums["positives"],
        "negatives": sums["negatives"][ascending],
        "weights": weights and weights.take(ascending),
    }


def dropped_without(whole: Part, part: Part) -> Dropped | None:
    """Return the rows that the rest left out."""
    if whole.dropped is None or part.dropped is None:
        return whole.dropped
    return whole.dropped - part.dropped


def coarser(counts: Scored, step: float) -> Arguments:
    """Return the arguments of counts floored to a grid of width `step`."""
    width = grid_width(counts.levels, counts.resolution, step)
    (score,), sums = summed([grid_index(counts.score, width)], [counts])
    return {**_settings(counts), **sums, "score": score, "resolution": step}


def grid_width(levels: object, resolution: float | None, step: float) -> float:
    """Return the width of a grid in units of the present one, or raise ValueError."""
    if levels is not None:
        raise ValueError("grades have no resolution; it floors numeric scores")
    if resolution is None:
        return step
    width = step / resolution
    if width < 1 or abs(width - round(width)) > 1e-9 * width:
        raise ValueError(f"a grid of {resolution} does not divide into one of {step}")
    return float(round(width))


def check_ends(ends: ArrayLike, cells: int) -> Places:
    """Return how many cells lie before the end of each group of neighbours, ascending."""
    found = np.asarray(ends)
    if found.ndim == 1 and not len(found) and not cells:
        return np.zeros(0, dtype=np.intp)
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(found)
    if not whole or found[0] < 1 or (found[1:] <= found[:-1]).any() or found[-1] != cells:
        raise ValueError(f"ends must be whole numbers that ascend from 1 or more to {cells}")
    return found.astype(np.intp)


def joined(counts: Scored, ends: Places) -> Arguments:
    """Return the arguments of counts with the cells up to each end put together."""
    starts = np.append(0, ends)[: len(ends)].astype(np.intp)
    return _put_together(counts, starts, counts.score[ends - 1])


def joined_alike(counts: Scored, last: Array) -> Arguments:
    """Return the same of counts of some of the cases, given the last score of each group."""
    score = counts.score.astype(last.dtype, copy=False)
    if counts.higher_is == "positive":
        place = len(last) - np.searchsorted(last[::-1], score, side="right")
    else:
        place = np.searchsorted(last, score)
    starts = run_starts(place)
    return _put_together(counts, starts, last[place[starts]])


def _put_together(counts: Scored, starts: Places, score: Array) -> Arguments:
    ascending = slice(None, None, -1 if counts.higher_is == "positive" else 1)
    return {
        **_settings(counts),
        "score": score[ascending],
        "positives": add_up(counts.positives, starts)[ascending],
        "negatives": add_up(counts.negatives, starts)[ascending],
        "weights": counts.weights and counts.weights.joined(starts).take(ascending),
    }


def check_same_settings(parts: Sequence[Counted]) -> None:
    """Raise ValueError unless all counts were counted alike."""
    refuse_unlike([_added_with(part) for part in parts])


def refuse_unlike(settings: Sequence[Mapping[str, object]]) -> None:
    """Raise ValueError unless all settings are equal."""
    first, *others = settings
    for other in others:
        for key, value in first.items():
            if other[key] != value and key == "exposure":
                raise ValueError(
                    "counts with an exposure and counts without do not add; count all parts alike"
                )
            if other[key] != value:
                raise ValueError(
                    f"counts with {key}={value!r} and {key}={other[key]!r} do not add; "
                    "count all parts alike"
                )


def _added_with(counts: Counted) -> dict[str, object]:
    names = getattr(counts, "names", None)
    return {**({} if names is None else {"names": names}), **settings_of(counts)}


def total_dropped(parts: Sequence[Part]) -> Dropped | None:
    """Return the rows that all parts together left out."""
    losses = [part.dropped for part in parts if part.dropped is not None]
    return sum(losses[1:], start=losses[0]) if losses else None


def refuse_too_many(cases: Any) -> None:
    """Raise ValueError for more cases than counts can hold, or weights without a float as sum."""
    if isinstance(cases, float):
        if not math.isfinite(cases):
            raise ValueError("the weights add up to more than a float can hold; scale them down")
    elif cases >= LARGEST_TOTAL:
        rounded = Context(prec=3).create_decimal(cases).normalize()
        shown = f"{cases}" if cases < MOST_SHOWN else f"{rounded:g}"
        raise ValueError(f"{shown} cases are more than the 2^62 that counts can hold")


def total(counts: Array) -> Any:
    """Return the sum of counts: a Python integer, or a float for weights."""
    if counts.dtype.kind == "f":
        with np.errstate(over="ignore"):  # refused where the total is taken
            return float(counts.sum())
    if counts.dtype == np.uint8 and counts.max(initial=0) <= 1:
        return int(np.count_nonzero(counts))  # much quicker than a sum, and the usual case
    return int(counts.sum(dtype=np.int64))


def wide(counts: Array) -> Array:
    """Return counts in a type that sums do not overflow."""
    return counts if counts.dtype.kind == "f" else counts.astype(np.int64, copy=False)


def as_tallies(values: ArrayLike, name: str) -> Array:
    """Return counts that someone typed as int64, or as float64 when some are fractions."""
    column = np.asarray(values)
    if column.dtype.kind not in "biuf" and len(column):
        column = _typed(column, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {column.shape}")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ValueError(f"{name} holds {column[~np.isfinite(column)][0]}; counts are finite")
    if len(column) and column.min() < 0:
        raise ValueError(f"{name} holds {column.min()}; counts are never negative")
    fractions = column.dtype.kind == "f" and not (column == np.floor(column)).all()
    if not fractions:
        refuse_too_many(sum(int(item) for item in column.tolist()))
    return column.astype(np.float64 if fractions else np.int64)


def _typed(column: Array, name: str) -> Array:
    for item in column.ravel().tolist():
        if isinstance(item, bool | str) or not isinstance(item, int | float):
            raise TypeError(f"{name} must be counts, got {item!r}")
    return np.array([float(item) for item in column])


def merged_groups(parts: Sequence[Any], merge: Callable[[list[Any]], Any]) -> Groups | None:
    """Return the groups of the sum of counts, each the sum of theirs; all have some, or none."""
    refuse_mixed(parts)
    grouped = [part.groups for part in parts if part.groups is not None]
    return tuple(merge(list(each)) for each in zip(*grouped, strict=True)) if grouped else None


def refuse_mixed(parts: Sequence[Part]) -> None:
    """Raise ValueError when some counts have groups of clusters and some have none."""
    if len({part.groups is None for part in parts}) > 1:
        raise ValueError(
            "counts with clusters and counts without do not add; count all parts with "
            "cluster=, or none"
        )


def group_differences(whole: Part, part: Part) -> Groups | None:
    """Return the groups that are left when counts are taken away."""
    if not len(part):
        return None if whole.groups is None else tuple(whole.groups)
    refuse_mixed([whole, part])
    pairs: Any = zip(whole.groups or (), part.groups or (), strict=True)
    return None if whole.groups is None else tuple(one - other for one, other in pairs)


def whole_of(arguments: Arguments, groups: Groups | None) -> Arguments:
    """Return the arguments of counts with these groups, which add up to them exactly.

    Whole counts are what they are however they are added; weights are added group by group.
    """
    if groups is None:
        return arguments
    if arguments["positives"].dtype.kind == "f" or arguments["negatives"].dtype.kind == "f":
        full = [group for group in groups if len(group)] or list(groups[:1])
        arguments = {**merged(full), "dropped": arguments.get("dropped")}
    return {**arguments, "groups": groups}


def check_groups(whole: Counted, *, every: bool = False) -> None:
    """Raise ValueError unless the groups of counts are all there, and add up to them.

    Of very many cells the totals suffice, unless `every` cell is to be compared.
    """
    groups: Sequence[Any] = whole.groups or ()
    if len(groups) != GROUPS:
        raise ValueError(f"counts have {GROUPS} groups of clusters; these have {len(groups)}")
    if any(not isinstance(group, type(whole)) or group.groups is not None for group in groups):
        raise TypeError(
            f"groups of clusters are {type(whole).__name__} without groups of their own"
        )
    full = [group for group in groups if len(group)]
    check_same_settings([whole, *full])
    totals = [sum(getattr(group, name) for group in full) for name in ("n1", "n0")]
    same = _near(totals, [whole.n1, whole.n0])
    if full and same and (every or sum(map(len, full)) <= CELLS_COMPARED):
        same = _same_cells(whole, full)
    if not same:
        raise ValueError("the groups of clusters do not add up to the counts they are part of")


def _same_cells(whole: Any, groups: Sequence[Any]) -> bool:
    keys, sums = merged_cells(groups)
    falls = getattr(whole, "higher_is", None) == "positive"  # joint cells ascend
    order = slice(None, None, -1 if falls else 1)
    if len(keys[0]) != len(whole):
        return False
    return all(
        np.array_equal(canonical(found), canonical(own[order]))
        for found, own in zip(keys, whole.keys, strict=True)
    ) and all(_near(sums[name], getattr(whole, name)[order]) for name in CLASSES)


def _near(found: Any, known: Any) -> bool:
    one, other = np.asarray(found), np.asarray(known)
    if one.dtype.kind != "f" and other.dtype.kind != "f":
        return np.array_equal(one, other)
    return bool(np.allclose(one, other, rtol=ROUNDING, atol=0))


class Summable(FrozenRecord):
    """Counts of some kind, which add up to more of their kind."""

    __slots__ = ()

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts in any order."""
        raise NotImplementedError

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.merge([self, other])

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum(shards) works


class Addable(Summable):
    """Counts of two classes, which add up."""

    __slots__ = ()

    positives: Array
    negatives: Array
    weights: Weights | None

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts, on which every result is exactly rounded."""
        return self.positives.dtype.kind != "f" and self.negatives.dtype.kind != "f"

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""
        return None if self.weights is None else self.weights.kind

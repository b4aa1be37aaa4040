"""A table of cells: distinct keys, what adds up at each, settings, and groups of clusters.

Rows that belong together stay together in one of 64 groups: counts of their own, which add and join
like the whole and add up to it.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from decimal import Context
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from capcurve.counts.digest import same_scores
from capcurve.counts.settings import Dropped, check_resolution, settings_of, total_dropped
from capcurve.counts.weights import WeightKind, Weights, merged_weights
from capcurve.numbers.arguments import arg, as_typed, check_one_dimension
from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.meeting import met
from capcurve.numbers.order import LARGEST_TOTAL, add_up, picked, sorted_runs
from capcurve.numbers.strays import text_message
from capcurve.numbers.types import Array, FrozenRecord, Places, freeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike


# Distinct keys, ascending, and by name what adds up at each.
Cells: TypeAlias = "tuple[list[Array], dict[str, Any]]"
Found = TypeVar("Found")
Kind = TypeVar("Kind", bound="TwoClasses")
BOTH_CLASSES = ("positives", "negatives")
# Clusters are hashed into so many groups: enough for a t quantile near the normal one, few
# enough that leaving out each in turn stays cheap.
GROUPS = 64
# Groups of up to so many cells are added up whenever counts are made of them: a tenth of a second.
CELLS_COMPARED = 1 << 20
# Weights add up to the last digit in one order only.
ROUNDING = 1e-9
# Larger numbers of cases are shown in three digits.
MOST_SHOWN_IN_FULL = 10**20
_INTERNAL = """
about added alike all_of areas arms as_classes by_cell by_rate by_score by_stratum by_stretch
cells_held
check_horizon class_cells class_sums columns completed corners ended every_row every_score exchanged
fields follow_up from_columns from_parts held held_horizon is_complete is_whole keys
margin_and_places of_cells
of_none of_rows plain_kind readable_columns remembered settings single small_scores sums taken
told_settings totals turned vertices with_groups without_groups
"""


class Summable(FrozenRecord):
    """Counts of some kind, which add up to more of their kind."""

    __slots__ = ()
    _internal = frozenset(_INTERNAL.split())
    NONE: ClassVar[str] = ""  # what to say where there are none to add up

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts in any order."""
        raise NotImplementedError

    @classmethod
    def all_of(cls, many: Iterable[Self]) -> list[Self]:
        """Return all of many counts, at least one, or raise when one is something else."""
        parts = list(many)
        for part in parts:
            if not isinstance(part, cls):
                raise TypeError(f"{cls.__name__} add up with their like, got {type(part).__name__}")
        return parts or [cls.of_none()]

    @classmethod
    def of_none(cls) -> Self:
        """Return the sum of no counts, or raise ValueError where it is not known of what."""
        raise ValueError(f"there are no {cls.NONE}")

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.merge([self, other])

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum(shards) works


class MadeOfCounts(Summable):
    """Counts that hold others in their fields, and add up field by field."""

    __slots__ = ()

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts, exactly and in any order.

        Raises `ValueError` when there are none, or when directions, grades, resolutions or kinds of
        weights differ.
        """
        parts = cls.all_of(many)
        names = [field.name for field in fields(cls) if field.init]  # type: ignore[arg-type]  # of dataclasses
        held = ([getattr(part, name) for part in parts] for name in names)
        return cls(*(type(each[0]).merge(each) for each in held))

    def __hash__(self) -> int:
        held = (getattr(self, field.name) for field in fields(self) if field.init)  # type: ignore[arg-type]  # of dataclasses
        return hash((type(self), *held))


class Counts(Summable):
    """Cells of some kind: distinct keys, and sums at each, which add up over equal keys."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[str, ...]] = ()  # what is no cell and no group

    dropped: Dropped | None
    resolution: float | None
    remembered: dict[str, Any]
    groups: Any  # the same by hash group of clusters, or None

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells cells apart."""
        raise NotImplementedError

    @property
    def sums(self) -> tuple[Array, ...]:
        """What adds up where keys are equal."""
        raise NotImplementedError

    @property
    def times(self) -> Any:
        """The times that weights at a horizon were found from; None of all other counts."""
        return None

    @classmethod
    def plain_kind(cls) -> type[Counts]:
        """Return the kind of what such counts are put together to, and of their groups."""
        return cls

    @property
    def cells_held(self) -> int:
        """How many cells there are."""
        return len(self.sums[0])

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with cells, all counted alike."""
        raise NotImplementedError

    def settings(self) -> dict[str, object]:
        """Return what must be equal for counts to add or to be compared."""
        return settings_of(self)

    def fields(self) -> dict[str, Any]:
        """Return the arguments of these counts that are no cells or groups."""
        return {name: getattr(self, name) for name in self.FIELDS}

    def readable_columns(self) -> dict[str, Array]:
        """Return the scores as people read them, and what was counted, by column."""
        raise NotImplementedError

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each cell: its score, or scores, and what is there.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; the first of these that is installed when left out.

        Examples
        --------
        >>> from capcurve import count_scores
        >>> count_scores([1, 0, 0], [0.9, 0.2, 0.9]).to_frame("polars").rows(named=True)[0]
        {'score': 0.9, 'positives': 1, 'negatives': 1}
        """
        return data_frame(self.readable_columns(), backend)

    def known(self, name: str, find: Callable[[], Found]) -> Found:
        """Return what these counts remember under a name, found when it is first asked for."""
        if name not in self.remembered:
            self.remembered[name] = find()
        found: Found = self.remembered[name]
        return found

    def told_settings(self) -> list[str]:
        """Return what else than numbers the text of counts shows, where there is any."""
        step = self.resolution
        found = [] if step is None else [as_typed(resolution=f"{step:g}")]
        if (weights := getattr(self, "weights", None)) is not None:
            found.append(arg(weight_kind=weights.kind))
        if self.groups is not None:
            full = sum(group.cells_held > 0 for group in self.groups)
            found.append(f"groups of clusters={full}")
        if self.dropped is not None and self.dropped.rows:
            why = {**self.dropped.columns, **self.dropped.labels}
            found.append(f"dropped={self.dropped.rows} rows {why}")
        return found

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts in any order: whole ones exactly, sums of weights rounded.

        Raises
        ------
        ValueError
            When names, directions, grades, resolutions or kinds of weights differ, when only some
            parts have an exposure or clusters, when score types have no common type that holds
            all scores, or when there are no parts, so that names would be missing.

        Examples
        --------
        >>> from capcurve import ScoreCounts
        >>> shard = ScoreCounts.from_counts([0.2, 0.7], [1, 2], [3, 1])
        >>> ScoreCounts.merge([shard, shard, shard]).n1
        9
        """
        parts = cls.all_of(many)
        full = [part for part in parts if part.cells_held] or parts[:1]
        dropped = total_dropped(parts)
        if len(full) > 1:
            refuse_unequal([part.settings() for part in full])
            return cls.added(full, dropped=dropped)
        if dropped == full[0].dropped:
            return full[0]
        # With dropped rows of its own, as parts without cells have lost rows too.
        return replace(full[0], dropped=dropped)  # type: ignore[type-var]  # of dataclasses

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (
            self.settings() == other.settings()
            and all(same_scores(*pair) for pair in zip(self.keys, other.keys, strict=True))
            and all(np.array_equal(*pair) for pair in zip(self.sums, other.sums, strict=True))
            and getattr(self, "weights", None) == getattr(other, "weights", None)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.cells_held, *map(total, self.sums)))


class TwoClasses(Counts):
    """Positives and negatives in each cell, as whole numbers or as sums of weights."""

    __slots__ = ()

    positives: Array
    negatives: Array
    weights: Weights | None
    n1: Any
    n0: Any

    def __post_init__(self) -> None:
        freeze(self)
        # Summed once: every number asks for them.
        object.__setattr__(self, "n1", total(self.positives))
        object.__setattr__(self, "n0", total(self.negatives))
        refuse_too_many(self.n)
        object.__setattr__(self, "remembered", {})
        check_groups(self)

    @classmethod
    def of_cells(cls, keys: Sequence[Array], **fields: Any) -> Self:
        """Build counts from distinct ascending keys."""
        raise NotImplementedError

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with cells, all counted alike; sorts once."""
        fields = {**parts[0].fields(), **changed}
        return built(cls, merged_cells(parts), merged_groups(parts), fields)

    @property
    def sums(self) -> tuple[Array, Array]:
        """What adds up where scores are equal: positives and negatives."""
        return self.positives, self.negatives

    @property
    def n(self) -> Any:
        """All cases: an integer, or their total weight."""
        return self.n1 + self.n0

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts, on which every result is exactly rounded."""
        return self.positives.dtype.kind != "f" and self.negatives.dtype.kind != "f"

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""
        return None if self.weights is None else self.weights.kind

    def __len__(self) -> int:
        return len(self.positives)


def summed(
    keys: Sequence[Array], parts: Sequence[TwoClasses], runs: tuple[Places, Places] | None = None
) -> Cells:
    """Return the distinct keys of all cells, given those of one part after another; sorts once."""
    order, starts = runs or sorted_runs(keys)
    sums: dict[str, Any] = {
        name: add_up(np.concatenate([getattr(part, name) for part in parts])[order], starts)
        for name in BOTH_CLASSES
    }
    sums["weights"] = merged_weights([part.weights for part in parts], order, starts)
    return [picked(key, order[starts]) for key in keys], sums


def merged_cells(parts: Sequence[TwoClasses]) -> Cells:
    """Return the cells of the sum of counts that were counted alike."""
    refuse_too_many(sum(part.n for part in parts))
    return summed(joined_columns([part.keys for part in parts]), parts)


def joined_columns(tables: Sequence[Sequence[Array]]) -> list[Array]:
    """Return the columns of several tables, one table after another, in a type that holds all."""
    return [np.concatenate(met(each)) for each in zip(*tables, strict=True)]


def built(kind: type[Kind], cells: Cells, groups: Any, settings: Mapping[str, Any]) -> Kind:
    """Return counts of a kind with these cells and these groups, which add up to them exactly."""
    # Whole counts are what they are however they are added; weights are added group by group.
    keys, sums = cells
    full = [group for group in groups or () if len(group)]
    if full and "f" in {sums[name].dtype.kind for name in BOTH_CLASSES}:
        keys, sums = merged_cells(full)
    return kind.of_cells(keys, **{**settings, **sums}, groups=groups)


def without_outcome(counts: TwoClasses, order: slice = slice(None)) -> dict[str, Any]:
    """Return what adds up in each cell, in some order, when all cases are negatives."""
    both = wide(counts.positives) + wide(counts.negatives)
    weights = counts.weights and counts.weights.without_outcome().take(order)
    none = np.zeros(len(both), dtype=np.uint8)
    return {"positives": none, "negatives": both[order], "weights": weights}


# What counts must have in common, and their groups


def refuse_unequal(settings: Sequence[Mapping[str, object]]) -> None:
    """Raise ValueError unless all settings are equal."""
    first, *others = settings
    for other in others:
        for key, value in first.items():
            if other[key] != value and key == "exposure":
                raise ValueError(
                    "counts with an exposure and counts without do not add; count all parts alike"
                )
            if other[key] != value:
                both = (value, other[key])
                shown = (list(each) if isinstance(each, tuple) else each for each in both)
                one, two = (arg(**{key: each}) for each in shown)
                raise ValueError(f"counts with {one} and {two} do not add; count all parts alike")


def refuse_mixed(parts: Sequence[Any]) -> None:
    """Raise ValueError when some counts have groups of clusters and some have none."""
    if len({part.groups is None for part in parts}) > 1:
        raise ValueError(
            "counts with clusters and counts without do not add; count all parts with "
            f"{arg('cluster')}, or none"
        )


def merged_groups(parts: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the groups of the sum of counts, each the sum of theirs; all have some, or none."""
    refuse_mixed(parts)
    if parts[0].groups is None:
        return None
    merge = type(parts[0]).merge
    return tuple(map(merge, zip(*(part.groups for part in parts), strict=True)))


def group_differences(whole: Any, part: Any) -> tuple[Any, ...] | None:
    """Return the groups that are left when counts are taken away."""
    if not len(part):
        return None if whole.groups is None else tuple(whole.groups)
    refuse_mixed([whole, part])
    pairs: Any = zip(whole.groups or (), part.groups or (), strict=True)
    return None if whole.groups is None else tuple(one - other for one, other in pairs)


def check_groups(whole: Counts) -> None:
    """Raise ValueError unless groups of counts are all there, and add up to them."""
    # Of very many cells the totals suffice.
    if whole.groups is None:
        return
    groups: Sequence[Any] = whole.groups
    if len(groups) != GROUPS:
        raise ValueError(f"counts have {GROUPS} groups of clusters; these have {len(groups)}")
    kind = whole.plain_kind()
    if any(type(group) is not kind or group.groups is not None for group in groups):
        raise TypeError(f"groups of clusters are {kind.__name__} without groups of their own")
    full = [group for group in groups if group.cells_held]
    refuse_unequal([each.settings() for each in (whole, *full)])
    totals = zip(*([total(column) for column in each.sums] for each in full), strict=True)
    found = [sum(each) for each in totals] or [0 for _ in whole.sums]
    same = _near(found, [total(column) for column in whole.sums])
    if full and same and sum(each.cells_held for each in full) <= CELLS_COMPARED:
        merged = kind.merge(full)
        same = all(map(same_scores, merged.keys, whole.keys)) and all(
            len(one) == len(other) and _near(one, other)
            for one, other in zip(merged.sums, whole.sums, strict=True)
        )
    if not same:
        raise ValueError("the groups of clusters do not add up to the counts they are part of")


def _near(found: Any, known: Any) -> bool:
    one, other = np.asarray(found), np.asarray(known)
    if one.dtype.kind != "f" and other.dtype.kind != "f":
        return np.array_equal(one, other)
    return bool(np.allclose(one, other, rtol=ROUNDING, atol=0))


# Numbers of cases


def refuse_too_many(cases: Any) -> None:
    """Raise ValueError for more cases than counts can hold, or weights without a float as sum."""
    if isinstance(cases, float):
        if not math.isfinite(cases):
            raise ValueError("the weights add up to more than a float can hold; scale them down")
    elif cases >= LARGEST_TOTAL:
        rounded = Context(prec=3).create_decimal(cases).normalize()
        shown = f"{cases}" if cases < MOST_SHOWN_IN_FULL else f"{rounded:g}"
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


def refuse_other_length(score: ArrayLike, column: Array, name: str) -> None:
    """Raise ValueError unless there is one number for each score."""
    rows = len(np.atleast_1d(np.asarray(score)))
    if len(column) != rows:
        raise ValueError(f"score has {rows} rows and {name} has {len(column)}")


def as_tallies(values: ArrayLike, name: str) -> Array:
    """Return counts that someone typed as int64, or as float64 when some are fractions."""
    column = np.asarray(values)
    if column.dtype.kind not in "biuf" and len(column):
        items = column.ravel().tolist()
        for item in items:
            if isinstance(item, str):
                raise TypeError(
                    text_message(column.astype(object), name, None, "; counts are numbers")
                )
            if isinstance(item, bool) or not isinstance(item, int | float):
                raise TypeError(f"{name} must be counts, got {item!r}")
        column = np.array([float(item) for item in items])
    check_one_dimension(column, name)
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ValueError(f"{name} holds {column[~np.isfinite(column)][0]}; counts are finite")
    if len(column) and column.min() < 0:
        raise ValueError(f"{name} holds {column.min()}; counts are never negative")
    fractions = column.dtype.kind == "f" and not (column == np.floor(column)).all()
    if not fractions:
        refuse_too_many(_exact_sum(column))
    return column.astype(np.float64 if fractions else np.int64)


def _exact_sum(whole: Array) -> int:
    """Return the sum of whole numbers, of any size."""
    with np.errstate(over="ignore"):
        few = whole.sum(dtype=np.float64) < LARGEST_TOTAL
    if few:
        return int(whole.sum(dtype=np.int64))
    return sum(int(item) for item in whole.tolist())


# Cells put together


def upward(higher_is: object) -> slice:
    """Return the step that makes scores ascend which stand most likely positive first."""
    return slice(None, None, -1 if higher_is == "positive" else 1)


def check_step(counts: Any, resolution: object) -> tuple[float, float]:
    """Return the width of a grid, and the same in units of the present one, or raise ValueError."""
    step = check_resolution(resolution)
    if step is None:
        raise ValueError("resolution must be a positive number such as 1e-4, got None")
    if counts.levels is not None:
        raise ValueError("grades have no resolution; it floors numeric scores")
    if counts.resolution is None:
        return step, step
    width = step / counts.resolution
    if width < 1 or abs(width - round(width)) > 1e-9 * width:
        raise ValueError(f"a grid of {counts.resolution} does not divide into one of {step}")
    return step, float(round(width))


def check_ends(ends: ArrayLike, cells: int) -> Places:
    """Return how many cells lie before the end of each group of neighbours, ascending."""
    found = np.asarray(ends)
    if found.ndim == 1 and not len(found) and not cells:
        return np.zeros(0, dtype=np.intp)
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(found)
    if not whole or found[0] < 1 or (found[1:] <= found[:-1]).any() or found[-1] != cells:
        raise ValueError(f"ends must be whole numbers that ascend from 1 or more to {cells}")
    return found.astype(np.intp)


def place_of(names: Sequence[str], name: str) -> int:
    """Return which of several scores has a name, or raise ValueError."""
    if name not in names:
        raise ValueError(f"no score {name!r} here; have {list(names)}")
    return names.index(name)

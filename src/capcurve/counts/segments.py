"""SegmentCounts: the counts of every segment in one table of cells; they add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from capcurve.counts import table
from capcurve.counts.digest import Fingerprint, digest_of, same_scores
from capcurve.counts.joint import JointCounts, JointValues
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.values import ValueCounts
from capcurve.counts.weights import Weights, merged_weights
from capcurve.numbers.order import add_up, narrow, order_of, picked, run_starts, sorted_runs
from capcurve.numbers.periods import in_order
from capcurve.numbers.types import Array, Ints, Places, freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.counts.settings import Dropped

KINDS_OF_CLASSES = (ScoreCounts, JointCounts)
KINDS_OF_AMOUNTS = (ValueCounts, JointValues)
# Of ordered rows, and where runs start: what adds up over each run, and its weights.
Added: TypeAlias = "Callable[[Places, Places], tuple[Sequence[Array], Weights | None]]"
# Places of segments and scores that fit into one whole number are sorted as one.
MOST_BITS = 63


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentCounts(table.Summable, Mapping[Any, Any]):
    """The counts of each segment on its own: queries, folds, months, products; they add.

    A mapping of segment to counts. All are one table, sorted once, by segment and inside it from
    the best score down, so that numbers of very many segments are found together. Make one with
    `count_segments`, `count_value_segments` or `of`.

    Attributes
    ----------
    names
        What the segments are called, in their order; rows without one are under None, the last.
    starts
        Where the cells of each begin in the table, and where those of the last end, shape (G + 1,).
    cells
        What tells the cells of a segment apart: the score, or scores, and amount and exposure.
    sums
        What adds up in each cell: positives and negatives, or how often a row occurs.
    kind
        The kind of counts of one segment, such as `ScoreCounts`.
    settings
        What all of them were counted with.
    weights, rows
        What weighted counts remember of the rows in each cell, and how many rows of each class
        carry weight in each segment; else None and empty.
    lost
        The rows that each segment left out; empty when that was not asked for.
    groups
        The same by hash group of clusters, which add up to these; or None.
    owners
        With clusters the lowest and the highest hash of their ids in each segment, which are equal
        where a segment lies in one cluster; else empty.

    Examples
    --------
    >>> from capcurve import count_segments
    >>> months = count_segments([1, 0, 1, 0], [4, 3, 2, 1], by=["May", "May", "June", "June"])
    >>> months
    SegmentCounts(segments=2, n=4, kind='ScoreCounts')
    >>> (months + months)["May"].n
    4
    """

    NONE: ClassVar[str] = "counts of segments to add up"

    names: tuple[Any, ...]
    starts: Places
    cells: tuple[Array, ...]
    sums: tuple[Array, ...]
    kind: Any
    settings: Mapping[str, Any]
    weights: Weights | None = None
    rows: tuple[Ints, ...] = ()
    lost: tuple[Dropped | None, ...] = ()
    groups: tuple[Self, ...] | None = None
    owners: tuple[Array, ...] = ()
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        freeze(self)
        object.__setattr__(self, "remembered", {})

    @classmethod
    def of(cls, counts: Any) -> Self:
        """Put counts by segment into one table.

        Raises `ValueError` for counts that were not counted alike, and `TypeError` for counts that
        a table does not hold, such as those at a horizon.

        Examples
        --------
        >>> grades = ScoreCounts.from_counts([2, 1], positives=[1, 0], negatives=[2, 4])
        >>> SegmentCounts.of({"north": grades, "south": grades}).sums[1]
        array([2, 4, 2, 4], dtype=uint8)
        """
        if isinstance(counts, cls):
            return counts
        if not isinstance(counts, Mapping):
            kind = type(counts).__name__
            raise TypeError(f"counts by segment are a mapping of segment to counts, got {kind}")
        found = [cls._of_one(name, each) for name, each in counts.items()]
        if len(kinds := {part.kind.__name__ for part in found}) > 1:
            raise TypeError(f"segments hold {' and '.join(sorted(kinds))}: count all alike")
        if len(found) == 1:
            return found[0]
        each_alone = [np.array([place]) for place in range(len(found))]
        return cls._joined(found, each_alone, tuple(counts)) if found else cls.of_none()

    @classmethod
    def _of_one(cls, name: Any, counts: Any) -> Self:
        """Return the table of one segment."""
        if type(counts) not in (*KINDS_OF_CLASSES, *KINDS_OF_AMOUNTS):
            raise TypeError(f"{type(counts).__name__} by segment are not held in one table")
        settings, weights = counts.fields(), getattr(counts, "weights", None)
        dropped, keys, sums = settings.pop("dropped"), counts.keys, counts.sums
        if isinstance(counts, ValueCounts):
            *keys, n = (column for column in counts.cells() if column is not None)
            sums = (n,)
        of_rows = () if weights is None else (weights.positive_rows, weights.negative_rows)
        return cls(
            (name,),
            np.array([0, len(keys[0])]),
            tuple(keys),
            tuple(sums),
            type(counts),
            settings,
            weights,
            tuple(np.array([rows]) for rows in of_rows),
            () if dropped is None else (dropped,),
            counts.groups and tuple(cls._of_one(name, group) for group in counts.groups),
            _owners_in(counts.groups),
        )

    @classmethod
    def of_none(cls) -> Self:
        """Return counts of no segments."""
        none = cls._of_one(None, ScoreCounts.of_none())
        return replace(none, names=(), starts=np.zeros(1, dtype=np.intp))

    @classmethod
    def of_rows(cls, codes: Ints, keys: Sequence[Array], add: Added, **said: Any) -> Self:
        """Build a table from rows or cells in any order, given the place of each one's segment.

        `add` returns sums, and weights, of runs of ordered ones.
        """
        falls = said["settings"]["higher_is"] == "positive"
        order, starts = cells_in_order(codes, keys, falls=falls)
        sums, weights = add(order, starts)
        first, full = order[starts], np.logical_or.reduce([column != 0 for column in sums])
        if not full.all():
            first, sums = first[full], [column[full] for column in sums]
            weights = weights and weights.take(full)
        starts = np.searchsorted(codes[first], np.arange(len(said["names"]) + 1))
        # Adding 0 makes one zero of 0.0 and -0.0, whichever came first.
        columns = (key[first] for key in keys)
        cells = (key + key.dtype.type(0) if key.dtype.kind == "f" else key for key in columns)
        said |= {"cells": tuple(cells), "sums": tuple(map(narrow, sums)), "weights": weights}
        return cls(starts=starts, **said)

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up counts by segment, such as those of shards or months, in any order.

        Segments of the same name are one. Raises `ValueError` when directions, grades, resolutions
        or kinds of weights differ.
        """
        every = cls.all_of(many)
        parts = [part for part in every if len(part)] or every[:1]
        if len(parts) == 1:
            return parts[0]
        names, *others = sorted((part.names for part in parts), key=len, reverse=True)
        places = {name: place for place, name in enumerate(names)}
        # The order that one of them has, where that has all segments; else that of their names.
        found = [[places.get(name, -1) for name in each] for each in others]
        if not all((np.diff(each, prepend=-1) > 0).all() for each in found):
            called = {name for part in parts for name in part}
            names = (*in_order([*called - {None}]), *called & {None})
            places = {name: place for place, name in enumerate(names)}
        at = [np.array([places[name] for name in part], dtype=np.intp) for part in parts]
        return cls._joined(parts, at, names)

    @classmethod
    def _joined(cls, parts: Sequence[Self], at: Sequence[Places], names: tuple[Any, ...]) -> Self:
        """Return the sum of tables with segments of such names, given the place of each one's."""
        both = list(zip(parts, at, strict=True))
        pairs = [pair for pair in both if pair[0].starts[-1] > 0] or both[:1]
        held, placed = [part for part, _ in pairs], [each for _, each in pairs]
        table.refuse_unequal([part.alike for part in held])
        table.refuse_mixed(held)
        lost, like = _lost(parts, at, len(names)), held[0]
        if like.groups is not None:
            by_group = zip(*(part.groups or () for part in held), strict=True)
            groups = tuple(cls._joined(each, placed, names) for each in by_group)
            added: Sequence[Self] = [replace(part, groups=None) for part in held]
            if like.weights is not None:  # they have the same sums in one order only
                added, placed = groups, [np.arange(len(names))] * len(groups)
            whole = cls._joined(added, placed, names)
            owned = [(each, part.owners) for part, each in pairs if part.owners]
            alike = _alike_owners([owners for _, owners in owned])
            owners = lowest_and_highest(
                [(each, *ends) for (each, _), ends in zip(owned, alike, strict=True)], len(names)
            )
            return replace(whole, lost=lost, groups=groups, owners=owners)
        sums = [np.concatenate(each) for each in zip(*(p.sums for p in held), strict=True)]
        rows = tuple(np.zeros(len(names), dtype=np.int64) for _ in like.rows)
        for part, each in pairs:
            for column, own in zip(rows, part.rows, strict=True):
                np.add.at(column, each, own)
        return cls.of_rows(
            np.concatenate([part.by_cell(each) for part, each in pairs]),
            table.joined_columns([part.cells for part in held]),
            lambda order, starts: (
                [add_up(column[order], starts) for column in sums],
                merged_weights([part.weights for part in held], order, starts),
            ),
            names=names,
            kind=like.kind,
            settings=like.settings,
            rows=rows,
            lost=lost,
        )

    @property
    def alike(self) -> dict[str, object]:
        """What must be equal for such counts to add."""
        found = {name: value for name, value in self.settings.items() if name != "words"}
        kind, weighted = self.weights and self.weights.kind, self.weights is not None
        return {**found, "weight_kind": kind, "weighted": weighted, "exposure": len(self.cells)}

    @property
    def is_whole(self) -> bool:
        """Whether these are counts of rows, not sums of weights."""
        return all(column.dtype.kind != "f" for column in self.sums)

    @property
    def n(self) -> Any:
        """All cases: an integer, or their total weight."""
        return sum(map(table.total, self.sums))

    def by_cell(self, numbers: Array) -> Array:
        """Return numbers of the segments, shape (G,), once for each of their cells."""
        return np.repeat(numbers, np.diff(self.starts))

    def known(self, name: str, find: Callable[[], Any]) -> Any:
        """Return what these counts remember under a name, found when it is first asked for."""
        if name not in self.remembered:
            self.remembered[name] = find()
        return self.remembered[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SegmentCounts):
            return Mapping.__eq__(self, other) if isinstance(other, Mapping) else NotImplemented
        mine, its = ((*each.cells, *each.sums, each.starts) for each in (self, other))
        return (
            (self.names, self.alike, self.kind) == (other.names, other.alike, other.kind)
            and all(map(same_scores, mine, its))
            and self.weights == other.weights
            and all(map(np.array_equal, self.rows, other.rows))
        )

    def __hash__(self) -> int:
        return hash((self.names, self.kind, self.n))

    def __getitem__(self, segment: Any) -> Any:
        places = self.known("places", lambda: {name: at for at, name in enumerate(self.names)})
        return self.at(places[segment])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def at(self, place: int) -> Any:
        """Return the counts of the segment at a place."""
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self):,} segments, and none at place {place}")
        cells = slice(*self.starts[place : place + 2].tolist())
        fields = {**self.settings, "dropped": self.lost[place] if self.lost else None}
        fields["groups"] = self.groups and tuple(group.at(place) for group in self.groups)
        if self.kind in KINDS_OF_AMOUNTS:
            return self._amounts(cells, fields)
        up = table.upward(self.settings["higher_is"])
        for name, column in zip(table.BOTH_CLASSES, self.sums, strict=True):
            fields[name] = column[cells][up]
        weights = self.weights and self.weights.take(cells).take(up)
        if weights is not None:
            of1, of0 = (int(rows[place]) for rows in self.rows)
            weights = replace(weights, positive_rows=of1, negative_rows=of0)
        return self.kind.of_cells([key[cells][up] for key in self.cells], weights=weights, **fields)

    def _amounts(self, cells: slice, fields: dict[str, Any]) -> Any:
        """Return the counts of amounts in some cells."""
        columns, many = [key[cells] for key in self.cells], len(fields.get("names", "1"))
        fields |= zip(("amount", "exposure"), columns[many:], strict=False)
        fields |= {"scores": columns[:many]} if self.kind is JointValues else {"score": columns[0]}
        return self.kind.from_rows(n=self.sums[0][cells], **fields)

    def whole(self) -> Any:
        """Return the counts of all rows, whatever their segment; sorts once."""
        if not len(self):
            return self.kind.of_none()
        nowhere = np.zeros(len(self), dtype=np.intp)
        return self.known("whole", lambda: self._joined([self], [nowhere], (None,)).at(0))

    def margin(self, name: str) -> Self:
        """Return the counts by segment of one of several scores."""
        if "names" not in self.settings:
            raise TypeError("these are counts of one score, which have no margin")
        return self._joined([self._of_score(name)], [np.arange(len(self))], self.names)

    def _of_score(self, name: str) -> Self:
        """Return the cells of one of several scores, in any order."""
        names = self.settings["names"]
        place = table.place_of(names, name)
        own = {word: self.settings[word][place] for word in ("higher_is", "levels")}
        settings = {word: value for word, value in self.settings.items() if word != "names"}
        return replace(
            self,
            cells=(self.cells[place], *self.cells[len(names) :]),
            kind=ScoreCounts if self.kind is JointCounts else ValueCounts,
            settings=settings | own,
            groups=self.groups and tuple(group._of_score(name) for group in self.groups),  # noqa: SLF001 - of its kind,
        )

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        rows, names = [each.tolist() for each in self.rows], list(map(_by_value, self.names))
        said = {**self.alike, "segments": names, "starts": self.starts.tolist(), "of": rows}
        weights = self.weights
        roots = () if weights is None else (weights.positive_roots, weights.negative_roots)
        whole = self.is_whole and self.kind in KINDS_OF_CLASSES
        parts = []
        for key in self.cells:
            found = Fingerprint("i8" if whole else "f8")
            found.add(key, *self.sums, *roots)
            parts.append(found.hexdigest(said))
        return digest_of("segments", *parts)

    def __repr__(self) -> str:
        n = f"{self.n:g}" if isinstance(self.n, float) else f"{self.n}"
        return f"SegmentCounts(segments={len(self)}, n={n}, kind={self.kind.__name__!r})"


def cells_in_order(codes: Ints, keys: Sequence[Array], *, falls: bool) -> tuple[Places, Places]:
    """Return the order of rows by segment, then by keys, and where runs of equal ones start.

    `falls` puts the highest of the first key first.
    """
    if len(keys) == 1 and not codes.any():
        order = order_of(keys[0])[:: -1 if falls else 1]
        return order, run_starts(keys[0][order])
    places = [codes, *(_ranks(key, falls=falls and not at) for at, key in enumerate(keys))]
    bits = [int(each.max(initial=0)).bit_length() for each in places]
    if sum(bits) > MOST_BITS:
        return sorted_runs(places)
    joined = np.zeros(len(codes), dtype=np.int64)
    for each, room in zip(places, bits, strict=True):
        joined = (joined << room) | each
    order = order_of(joined)
    return order, run_starts(joined[order])


def _ranks(values: Array, *, falls: bool) -> Ints:
    """Return the places of numbers among the distinct ones."""
    order = order_of(values)
    ordered = picked(values, order)
    ranks = np.zeros(len(values), dtype=np.int64)
    np.cumsum(ordered[1:] != ordered[:-1], out=ranks[1:])
    if falls and len(ranks):
        ranks = ranks[-1] - ranks
    found = np.empty_like(ranks)
    found[order] = ranks
    return found


def _by_value(name: Any) -> Any:
    """Return a name as the one of those equal to it that is written down: 1 for 1.0 and True."""
    whole = isinstance(name, bool) or (isinstance(name, float) and name.is_integer())
    return int(name) if whole else name


def _lost(
    parts: Sequence[SegmentCounts], at: Sequence[Places], many: int
) -> tuple[Dropped | None, ...]:
    """Return the rows that each segment of a sum left out."""
    if not any(part.lost for part in parts):
        return ()
    found: list[Dropped | None] = [None] * many
    for part, places in zip(parts, at, strict=True):
        for place, own in zip(places.tolist(), part.lost, strict=False):
            other = found[place]
            found[place] = other + own if other and own else other or own
    return tuple(found)


def _owners_in(groups: Sequence[Any] | None) -> tuple[Array, ...]:
    """Return the lowest and the highest group of clusters with cases, as if these were ids."""
    held = [place for place, group in enumerate(groups or ()) if group.cells_held]
    return tuple(np.array([end], dtype=np.uint64) for end in (held[0], held[-1])) if held else ()


def cluster_noun(owners: Array) -> str:
    """Return what owners of segments are: clusters, or groups of them where no more is known."""
    return "groups of clusters" if int(owners.max(initial=0)) < table.GROUPS else "clusters"


def _alike_owners(several: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """Return owners as hashes, or as the groups of these where some parts know no more."""
    nouns = [cluster_noun(owners[1]) for owners in several]
    shift, mixed = np.uint64(64 - (table.GROUPS - 1).bit_length()), len({*nouns}) > 1
    return [
        [ends >> shift if mixed and noun == "clusters" else ends for ends in owners]
        for owners, noun in zip(several, nouns, strict=True)
    ]


def lowest_and_highest(found: Iterable[tuple[Any, ...]], segments: int) -> tuple[Array, Array]:
    """Return the lowest and the highest of hashes, or of such pairs, at places of segments."""
    low, high = np.full(segments, np.uint64(2**64 - 1)), np.zeros(segments, dtype=np.uint64)
    for places, *ends in found:
        np.minimum.at(low, places, ends[0])
        np.maximum.at(high, places, ends[-1])
    return low, high

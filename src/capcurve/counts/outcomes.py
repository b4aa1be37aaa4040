"""Known and unknown cases at each score, and counts in which the unknown have outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import table
from capcurve.counts.joint import JointCounts
from capcurve.counts.order import common_dtype, sorted_runs
from capcurve.counts.settings import total_dropped
from capcurve.counts.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Places

# Weights whose products of three are floats need no unit of their own.
SMALL, LARGE = 1e-90, 1e90


@dataclass(frozen=True)
class Cells:
    """Known and unknown cases at each score that either have, or combination of scores."""

    # Known, held: the counts of cases with an outcome, and of those without, held as negatives.
    known: Any
    held: Any
    keys: tuple[Array, ...]  # what tells cells apart, ascending, shape (K,) each
    of_known: Places  # of_known, of_unknown: which of the cells those of either counts are
    of_unknown: Places

    @classmethod
    def of(cls, known: Any, held: Any) -> Cells:
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
        ways = (
            self.known.higher_is if isinstance(self.known, JointCounts) else (self.known.higher_is,)
        )
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

    def _weights(self, added: Array) -> Weights | None:
        """Return what is remembered of the rows, of which the unknown are split by class."""
        known, held = self.known.weights, self.held.weights
        if known is None and held is None:
            return None
        kind = (known or held).kind
        share = np.divide(added, self.unknown, out=np.zeros(len(self)), where=self.unknown > 0)
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
        """Return the groups of clusters with the positives split among them.

        Of whole cases the first groups get theirs first; of weights each gets its share.
        """
        parts = [self.known, self.held]
        if all(part.groups is None for part in parts):
            return None
        # What is empty has no groups, and is itself each group of its own.
        known, held = (part.groups or [part] * table.GROUPS for part in parts)
        cells = [Cells.of(one, other) for one, other in zip(known, held, strict=True)]
        _, (_, *places) = _together([self.keys, *(cell.keys for cell in cells)])
        # Cells of the whole are those of all groups, so their places are what is looked up.
        left, found = added.copy(), []
        for cell, place in zip(cells, places, strict=True):
            if added.dtype.kind == "f":
                here = np.divide(
                    added, self.unknown, out=np.zeros(len(self)), where=self.unknown > 0
                )
                own = cell.unknown * here[place]
            else:
                own = np.minimum(left[place], cell.unknown)
                left[place] -= own
            found.append(cell.with_positives(own))
        return tuple(found)


def _together(parts: Sequence[tuple[Array, ...]]) -> tuple[tuple[Array, ...], list[Places]]:
    """Return the distinct keys of all parts, ascending, and where those of each part stand."""
    columns = []
    for column in zip(*parts, strict=True):
        dtype = common_dtype(column)
        columns.append(np.concatenate([part.astype(dtype) for part in column]))
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
    return table.built(
        type(counts), (list(keys), sums), groups, {**counts.fields(), "dropped": None}
    )

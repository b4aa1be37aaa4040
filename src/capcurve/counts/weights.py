"""What weighted counts remember of their rows: roots of sums of squares, which never overflow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from capcurve.numbers.exact import powers_of_two, run_sums, runs_of_several
from capcurve.numbers.types import Array, Floats, FrozenRecord, Ints, Places

if TYPE_CHECKING:
    from collections.abc import Sequence


WeightKind = Literal["frequency", "sampling", "exposure"]


@dataclass(frozen=True, slots=True, eq=False)
class Weights(FrozenRecord):
    """What weighted counts remember about the rows behind them."""

    kind: WeightKind | None  # what the weights mean, or None when it was not said
    positive_rows: int  # positive_rows, negative_rows: how many rows of each class carried weight
    negative_rows: int
    # Positive_roots, negative_roots: square root of the sum of squared weights, per distinct score
    # and class. The root is kept because a square of a weight such as 1e300 has no floating-point
    # value.
    positive_roots: Floats
    negative_roots: Floats

    def take(self, cells: Array | slice) -> Self:
        """Return the weights of the picked cells."""
        return self._with(self.positive_roots[cells], self.negative_roots[cells])

    def joined(self, starts: Places) -> Self:
        """Return the weights of cells of which each run is put together."""
        roots = (root_sums(column, starts) for column in (self.positive_roots, self.negative_roots))
        return self._with(*roots)

    def exchanged(self) -> Self:
        """Return the same with negatives in place of positives, and the other way round."""
        rows = self.negative_rows, self.positive_rows
        return type(self)(self.kind, *rows, self.negative_roots, self.positive_roots)

    def without_outcome(self) -> Self:
        """Return what is remembered of the rows of both classes, as those of negatives."""
        pairs = np.stack([self.positive_roots, self.negative_roots], axis=1).ravel()
        roots = root_sums(pairs, np.arange(0, len(pairs), 2))
        rows = self.positive_rows + self.negative_rows
        return type(self)(self.kind, 0, rows, np.zeros(len(roots)), roots)

    def _with(self, positive_roots: Floats, negative_roots: Floats) -> Self:
        rows = (self.positive_rows, self.negative_rows)
        return type(self)(self.kind, *rows, positive_roots, negative_roots)


def merged_weights(
    parts: Sequence[Weights | None], order: Places, starts: Places
) -> Weights | None:
    """Return the weights of merged cells: those of all parts, in this order, by run."""
    # Counts that came without a memory of their rows make the whole come without one.
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    positives = np.concatenate([part.positive_roots for part in known])[order]
    negatives = np.concatenate([part.negative_roots for part in known])[order]
    return Weights(
        known[0].kind,
        sum(part.positive_rows for part in known),
        sum(part.negative_rows for part in known),
        root_sums(positives, starts),
        root_sums(negatives, starts),
    )


def root_sums(values: Floats, starts: Places, times: Ints | None = None) -> Floats:
    """Return the square root of the sum of squares over each run of weights or roots, zero or more.

    Squares are kept to 48 bits, which their roots give back: whole weights then add up exactly
    whichever of them were added first, and the order within a run never matters. A weight that is
    alone in its run is its own root. `times` is how many rows each weight stands for.
    """
    if times is None:
        roots = values[starts]
        tied, inside, begins, _ = runs_of_several(values, starts, None)
        if len(tied):
            roots[tied] = _roots_of_several(inside, begins, None)
        return roots
    return _roots_of_several(values, starts, times) if len(starts) else np.zeros(0)


def _roots_of_several(values: Floats, starts: Places, times: Ints | None) -> Floats:
    largest = np.maximum.reduceat(values, starts)
    # The largest of a run is scaled to about one: 1e300 has no square in floating point.
    scale = powers_of_two(largest)
    scaled = values / np.repeat(scale, np.diff(starts, append=len(values)))
    sums = run_sums(_to_48_bits(scaled * scaled), starts, times)
    carrying = values > 0
    alone = np.add.reduceat(carrying if times is None else carrying * times, starts, dtype=np.int64)
    with np.errstate(over="ignore"):  # where the sum of the weights is refused too
        return np.where(alone == 1, largest, np.sqrt(_to_48_bits(sums)) * scale)


def _to_48_bits(values: Floats) -> Floats:
    """Round floats of 53 bits to 48 (Dekker 1971)."""
    shifted = values * (2.0**5 + 1)
    return shifted - (shifted - values)

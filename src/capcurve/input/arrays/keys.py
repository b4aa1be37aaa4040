"""Scores as whole numbers: sorted with the class in the last bit, or counted where they stand.

Keys ascend from the most likely positive down, so that cells come out in the order in which
counts keep them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.exact import BLOCK
from capcurve.numbers.order import run_starts
from capcurve.numbers.threads import at_once, parts_for_threads

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Bools, Ints, Places

# Two counters for each number of this range stay in the processor's cache.
WIDEST_RANGE = 1 << 16
# A range wider than this many rows is dearer to look through than the rows are to sort.
ROWS_PER_NUMBER = 4
# Where fewer than one in so many rows have the score of the row before, it is quicker to add these
# to their cells than to add up each cell.
FEW_TIES = 4
# So many rows may be added to one, and be counted in 8 bits.
MOST_ADDED = 254


@dataclass(frozen=True, slots=True)
class KeyCode:
    """How scores of one data set become whole numbers, 0 for the first in order, and back."""

    # Floats are numbered by their bits, which run like their values within a sign; magnitudes
    # nearer to zero than any score but zero are not numbered, so that both signs fit.

    dtype: np.dtype[Any]  # type of the scores
    down: bool  # whether the highest score comes first
    first: int  # the number that the first score would have if zero had 0
    signed: bool = False  # whether some of the scores, floats, are negative
    gap: int = 0  # numbers left out between zero and the magnitudes next to it
    zeros: bool = True  # whether any score may be zero, which the gap is not taken off

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys, as wide as the scores."""
        return np.dtype(f"u{self.dtype.itemsize}")

    @property
    def largest(self) -> int:
        """All bits of a float but its sign."""
        return (1 << (8 * self.dtype.itemsize - 1)) - 1

    def number(self, bits: Array, number: Array, sign: Array) -> Array:
        """Return the numbers of scores, words modulo 2^w, written over two blocks of memory."""
        if self.dtype.kind != "f":
            return bits
        # Without its sign -0.0 is 0.0.
        np.bitwise_and(bits, self.word.type(self.largest), out=number)
        if not self.signed:
            return number
        if self.gap and self.zeros:
            np.maximum(number, self.word.type(self.gap), out=number)
        if self.gap:
            number -= self.word.type(self.gap)
        # All ones where negative: (x ^ sign) - sign is then -x.
        whole = f"i{self.dtype.itemsize}"
        np.right_shift(bits.view(whole), 8 * self.dtype.itemsize - 1, out=sign.view(whole))
        number ^= sign
        number -= sign
        return number

    def encode(self, values: Array, positive: Bools, keys: Array) -> None:
        """Write the key of each row; `keys` may be the memory of the scores themselves."""
        at_once(
            lambda rows: self._encode(values[rows], positive[rows], keys[rows]),
            parts_for_threads(len(values), BLOCK),
        )

    def _encode(self, values: Array, positive: Bools, keys: Array) -> None:
        first = self.word.type(self.first % 2 ** (8 * self.dtype.itemsize))
        blocks = np.empty((2, min(BLOCK, len(values))), dtype=self.word)
        for start in range(0, len(values), BLOCK):
            rows = slice(start, start + BLOCK)
            bits = values[rows].view(self.word)
            place, sign = blocks[:, : len(bits)]
            number = self.number(bits, place, sign)
            terms = (first, number) if self.down else (number, first)
            np.subtract(terms[0], terms[1], out=place)
            place <<= self.word.type(1)
            np.bitwise_or(place, positive[rows], out=keys[rows])

    def decode(self, place: Array) -> Array:
        """Return the scores at ascending places."""
        first = self.word.type(self.first % 2 ** (8 * self.dtype.itemsize))
        number = first - place if self.down else place + first
        if self.signed:
            self._magnify(number, self._below_zero(place))
        scores: Array = number.view(self.dtype)
        return scores

    def _below_zero(self, place: Array) -> slice:
        """Return which of the ascending places are those of scores below zero."""
        zero = self.word.type(max(self.first if self.down else -self.first, 0))
        if self.down:
            return slice(int(np.searchsorted(place, zero, side="right")) * (self.first >= 0), None)
        return slice(0, int(np.searchsorted(place, zero)))

    def _magnify(self, number: Array, below: slice) -> None:
        """Turn signed numbers, negative in `below`, into the bits of floats."""
        np.negative(number[below], out=number[below])
        if self.gap:
            # Zero is the last of those that are not below it, or the first.
            at = below.start - 1 if self.down else below.stop
            zero = 0 <= at < len(number) and number[at] == 0
            number += self.word.type(self.gap)
            if zero:
                number[at] = 0
        number[below] |= self.word.type(self.largest + 1)


def key_code(values: Array, *, down: bool) -> KeyCode | None:
    """Return a code for scores, without NaN, or None when there is none that leaves a bit free."""
    dtype = values.dtype
    if not (len(values) and dtype.isnative and dtype.kind in "iuf" and dtype.itemsize in (4, 8)):
        return None
    parts = parts_for_threads(len(values), BLOCK)
    ends = at_once(lambda rows: (values[rows].min(), values[rows].max()), parts)
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    free = 2 ** (8 * dtype.itemsize - 1)
    if dtype.kind != "f":
        reach = (int(low), int(high))
        return KeyCode(dtype, down, reach[down]) if reach[1] - reach[0] < free else None
    signed = bool(low < 0)
    plain = KeyCode(dtype, down, 0, signed)
    for _ in range(2):
        reach = (_signed(plain, low), _signed(plain, high))
        if reach[1] - reach[0] < free:
            return replace(plain, first=reach[down])
        gaps = at_once(lambda rows: _gap(values[rows]), parts)
        zeros = any(zeros for _, zeros in gaps)
        plain = replace(plain, gap=min(gap for gap, _ in gaps), zeros=zeros)
    return None


def _signed(code: KeyCode, value: Any) -> int:
    bits = np.array([value], dtype=code.dtype).view(code.word)
    number = code.number(bits, np.empty_like(bits), np.empty_like(bits))
    return int(number.view(f"i{code.dtype.itemsize}")[0])


def _gap(values: Array) -> tuple[int, bool]:
    """Return how many floats lie strictly between zero and the nearest other score; any zero."""
    word = np.dtype(f"u{values.dtype.itemsize}")
    largest = word.type(2 ** (8 * values.dtype.itemsize - 1) - 1)
    least, zeros = int(largest), False
    block = np.empty(min(BLOCK, len(values)), dtype=word)
    for start in range(0, len(values), BLOCK):
        bits = values[start : start + BLOCK].view(word)
        magnitude = np.bitwise_and(bits, largest, out=block[: len(bits)])
        lowest = int(magnitude.min())
        if not lowest:
            zeros = True
            magnitude -= word.type(1)  # which makes zero the largest of all
            lowest = int(magnitude.min()) + 1
        least = min(least, lowest - 1)
    return least, zeros


def cells_of(keys: Array, code: KeyCode) -> tuple[Array, Array, Array]:
    """Return distinct scores in order, positives and negatives, out of sorted keys."""
    # The scores are written over the keys: there are never more.
    # No part ends inside a run of equal scores.
    ends = sorted({_run_end(keys, part.stop) for part in parts_for_threads(len(keys), BLOCK)})
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    found = at_once(lambda rows: _part_cells(keys[rows], code), parts)
    if len(found) == 1:
        score, positives, negatives = found[0]
        return _kept(keys, len(score)).view(code.dtype), positives, negatives
    cells = 0
    for score, *_ in found:
        keys[cells : cells + len(score)] = score
        cells += len(score)
    positives, negatives = (np.concatenate([part[which] for part in found]) for which in (1, 2))
    return _kept(keys, cells).view(code.dtype), positives, negatives


def _part_cells(keys: Array, code: KeyCode) -> tuple[Array, Array, Array]:
    """Return the same of some keys, where the first of them stood: words, positives, negatives."""
    positives, negatives = Tallies(len(keys)), Tallies(len(keys))
    block = np.empty(min(BLOCK, len(keys)), dtype=code.word)
    cells = start = 0
    while start < len(keys):
        end = _run_end(keys, min(start + BLOCK, len(keys)))
        # Most runs are short; one that is longer than a block gets memory of its own.
        block = block if end - start <= len(block) else np.empty(end - start, dtype=code.word)
        label = keys[start:end].astype(np.uint8)
        label &= 1
        place = np.right_shift(keys[start:end], code.word.type(1), out=block[: end - start])
        changed = place[1:] != place[:-1]
        if changed.all():
            positives.put(cells, label)
            negatives.put(cells, label ^ 1)
        else:
            place, *counts = _put_together(place, label, changed)
            positives.put(cells, counts[0])
            negatives.put(cells, counts[1])
        keys[cells : cells + len(place)] = code.decode(place).view(code.word)
        cells, start = cells + len(place), end
    return keys[:cells], positives.upto(cells), negatives.upto(cells)


def _put_together(place: Array, label: Array, changed: Bools) -> tuple[Array, Array, Array]:
    """Return the distinct of some places, and the positives and negatives at each."""
    ties = np.flatnonzero(~changed)
    if len(ties) > len(place) // FEW_TIES:
        starts = np.concatenate([[0], np.flatnonzero(changed) + 1])
        captured = np.add.reduceat(label, starts, dtype=np.int64)
        return place[starts], captured, np.diff(starts, append=len(place)) - captured
    # Few rows are added to the cells of the rows before them.
    first = np.flatnonzero(np.append(True, changed))
    captured = label.take(first)
    passed = captured ^ 1
    cell = ties - np.arange(len(ties))
    more = label[ties + 1].astype(np.int64)
    starts = run_starts(cell)
    tied, rows = cell[starts], np.diff(starts, append=len(ties))
    more = np.add.reduceat(more, starts)
    if rows.max() > MOST_ADDED:
        captured, passed = captured.astype(np.int64), passed.astype(np.int64)
    captured[tied] += more.astype(captured.dtype)
    passed[tied] += (rows - more).astype(passed.dtype)
    return place.take(first), captured, passed


def _run_end(keys: Array, end: int) -> int:
    """Return where the run of equal scores ends that holds the key before `end`."""
    last = keys[end - 1] | keys.dtype.type(1)
    return end + int(np.searchsorted(keys[end:], last, side="right"))


def _kept(column: Array, size: int) -> Array:
    """Return the first so many, without holding on to much more memory than they need."""
    return column[:size] if 2 * size > len(column) else column[:size].copy()


class Tallies:
    """Counts per cell in the smallest integers that hold those seen so far."""

    def __init__(self, most: int) -> None:
        self._column = np.empty(most, dtype=np.uint8)

    def put(self, at: int, counts: Array) -> None:
        """Write counts at a place, all of it in larger integers where these need them."""
        needed = np.min_scalar_type(int(counts.max()))
        if needed.itemsize > self._column.itemsize:
            wider = np.empty(len(self._column), dtype=needed)
            wider[:at] = self._column[:at]
            self._column = wider
        self._column[at : at + len(counts)] = counts

    def upto(self, size: int) -> Array:
        """Return the first so many."""
        return _kept(self._column, size)


def tally(values: Array, positive: Bools) -> tuple[Array, Ints, Ints] | None:
    """Return each number from the lowest score to the highest, positives and negatives there."""
    # None when the scores are not whole or the range is too wide.
    if values.dtype.kind not in "iub" or not len(values):
        return None
    whole = values.view(np.uint8) if values.dtype.kind == "b" else values
    low, high = int(whole.min()), int(whole.max())
    numbers = high - low + 1
    if numbers > min(WIDEST_RANGE, ROWS_PER_NUMBER * len(values)):
        return None
    sums = np.zeros(2 * numbers, dtype=np.int64)
    for start in range(0, len(whole), BLOCK):
        rows = slice(start, start + BLOCK)
        place = _above(whole[rows], low)
        place <<= 1
        place |= positive[rows]
        sums += np.bincount(place.astype(np.intp, copy=False), minlength=len(sums))
    score = np.arange(numbers, dtype=np.uint64) + np.uint64(low % 2**64)
    return score.astype(whole.dtype).astype(values.dtype), sums[1::2], sums[::2]


def distinct_codes(values: Array) -> tuple[Array, Places]:
    """Return the distinct values, ascending, and the place among them of each."""
    whole = values.dtype.kind in "iu" and len(values) > 0
    low, high = (int(values.min()), int(values.max())) if whole else (0, 0)
    if not whole or high - low >= ROWS_PER_NUMBER * len(values):
        distinct, place = np.unique(values, return_inverse=True)
        return distinct, place.astype(np.intp, copy=False)
    above = _above(values, low)
    held = np.zeros(high - low + 1, dtype=np.bool_)
    held[above] = True
    numbers = np.flatnonzero(held)
    distinct = (numbers.astype(np.uint64) + np.uint64(low % 2**64)).astype(values.dtype)
    return distinct, (np.cumsum(held) - 1)[above]


def _above(block: Array, low: int) -> Ints:
    """Return how far scores lie above the lowest, which neither type may overflow."""
    wide = block if block.dtype.itemsize == np.dtype(np.int64).itemsize else block.astype(np.int64)
    return (wide - wide.dtype.type(low)).astype(np.int64, copy=False)

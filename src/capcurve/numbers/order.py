"""Cells in order: distinct scores with sums beside them, grids, and quick sorting.

numpy sorts whole numbers with vector instructions, in half the time that it takes to find an order;
so numbers are sorted as whole numbers that carry their places in the last bits.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.numbers.exact import BLOCK, in_blocks, run_sums
from capcurve.numbers.rankable import names_of
from capcurve.numbers.threads import at_once, parts_for_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.numbers.types import Array, Bools, Places

LARGEST_EXACT_IN_FLOAT = 2**53
LARGEST_TOTAL = 2**62
# A quotient this close below a grid line is on it: 0.29 / 0.01 is 28.999999999999996.
GRID_SLACK = 2.0**-50
LARGEST_SLACK = 2.0**40
LONG_RUN = 1 << 12


def narrow(counts: Array) -> Array:
    """Return whole counts in the smallest integers that hold them, read-only."""
    # Fractional counts (weights) stay float64.
    if counts.dtype.kind == "f":
        return frozen(counts.astype(np.float64, copy=False))
    largest = int(counts.max(initial=0))
    for small in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(small).max:
            return frozen(counts.astype(small, copy=False))
    return frozen(counts.astype(np.int64, copy=False))


def frozen(array: Array) -> Array:
    """Return a contiguous read-only view: counts are values, not buffers."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def one_zero(ascending: Array) -> Array:
    """Return distinct scores in which zero is 0.0, also where it came as -0.0."""
    if ascending.dtype.kind != "f":
        return ascending
    # Of the scores' own type, so that searching does not convert all of them.
    place = int(np.searchsorted(ascending, ascending.dtype.type(0)))
    if place < len(ascending) and np.signbit(ascending[place]) and ascending[place] == 0:
        ascending = ascending.copy()
        ascending[place] = 0.0
    return ascending


def run_starts(ordered: Array) -> Places:
    """Return where each run of equal values starts in a sorted array."""
    # Equality is `==`: scores one ulp apart are different scores, 0.0 and -0.0 are one.
    if not len(ordered):
        return np.zeros(0, dtype=np.intp)
    changed = ordered[1:] != ordered[:-1]
    if changed.all():
        return np.arange(len(ordered))
    changes = np.flatnonzero(changed)
    starts = np.empty(len(changes) + 1, dtype=np.intp)
    starts[0] = 0
    np.add(changes, 1, out=starts[1:])
    return starts


def sorted_runs(keys: Sequence[Array]) -> tuple[Places, Places]:
    """Return the order that sorts by these keys, the first one first, and where runs start."""
    # A run holds what is equal in every key.
    first, *others = keys
    if not others:  # of sorted parts that are merged, where numpy's stable sort is the quickest
        order = np.argsort(first, kind="stable")
        return order, run_starts(first[order])
    order, starts = runs_of(first)
    if len(starts) == len(order):
        return order, starts
    # Only what the first key leaves together is sorted by the others.
    lengths = np.diff(starts, append=len(order))
    tied = np.flatnonzero(np.repeat(lengths > 1, lengths))
    run, inside = np.repeat(np.arange(len(starts)), lengths)[tied], order[tied]
    order[tied] = inside[np.lexsort((*(key[inside] for key in others[::-1]), run))]
    new = np.zeros(len(order), dtype=np.bool_)
    new[starts] = True
    for key in others:
        ordered = key[order[tied]]
        new[tied[1:]] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(new)


def runs_of(values: Array) -> tuple[Places, Places]:
    """Return the same of one key in whatever order."""
    order = order_of(values)
    return order, run_starts(picked(values, order))


def is_ascending(values: Array) -> bool:
    """Tell whether each number is as large as the one before it."""
    # One block after the other, so that of those in another order only the first is looked at.
    starts = range(0, len(values) - 1, BLOCK)
    blocks = (values[start : start + BLOCK + 1] for start in starts)
    return all(bool((block[1:] >= block[:-1]).all()) for block in blocks)


def places_of_runs(order: Places, starts: Places) -> Places:
    """Return in which run each number stands, given the order that sorts them into runs."""
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return place


def add_up(ordered: Array, starts: Places) -> Array:
    """Return the sum of each run of counts, in int64, or of weights, in whatever order."""
    if ordered.dtype.kind == "f":
        return run_sums(ordered, starts)
    if not len(starts) or len(starts) == len(ordered):
        return ordered.astype(np.int64)
    if len(starts) * LONG_RUN < len(ordered):  # each run at once takes a tenth of the time
        ends = zip(starts.tolist(), [*starts[1:].tolist(), len(ordered)], strict=True)
        return np.array([ordered[start:end].sum(dtype=np.int64) for start, end in ends])
    return np.add.reduceat(ordered, starts, dtype=np.int64)


def sum_ties(score: Array, columns: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Sort by score and add up each column over equal scores."""
    # Returns the distinct scores, ascending, and the sums; whole columns are summed in int64.
    order, starts = sorted_runs([score])
    return score[order][starts], [add_up(column[order], starts) for column in columns]


def grid_index(score: Array, resolution: float) -> Array:
    """Return the number of the grid cell each score falls in: floor(score / resolution)."""
    # Whole scores on a whole grid are divided exactly; everything else in float64.
    if score.dtype.kind in "biu" and resolution.is_integer():
        whole = score.astype(np.uint8) if score.dtype.kind == "b" else score
        step = int(resolution)
        if step <= np.iinfo(whole.dtype).max:
            divided: Array = np.floor_divide(whole, whole.dtype.type(step))
            return divided
    return in_blocks(len(score), lambda part: _floored(score[part], resolution))


def _floored(score: Array, resolution: float) -> Array:
    """Return the same of any scores, found in float64."""
    with np.errstate(over="ignore"):
        quotient = score.astype(np.float64) / resolution
    if (np.isinf(quotient) & np.isfinite(score.astype(np.float64))).any():
        raise ValueError(f"resolution {resolution:g} is too fine for scores of this size")
    slack = np.where(quotient < 0, 1 - GRID_SLACK, 1 + GRID_SLACK)
    # Large quotients are whole or nearly so, and a relative slack would carry them over.
    near = np.where(np.abs(quotient) < LARGEST_SLACK, quotient * slack, quotient)
    found: Array = np.floor(near) + 0.0
    if score.dtype.kind == "f" and score.dtype != np.float64:
        # The next line may be this very score in as few bits, unless its own line is.
        with np.errstate(over="ignore", invalid="ignore"):
            own, following = (
                grid_value(found + step, resolution).astype(score.dtype) for step in (0, 1)
            )
            found += (own != score) & (following <= score)
    return found


def grid_value(index: Array, resolution: float) -> Array:
    """Return the lower edge of each grid cell, written as a person would: 3 cells of 0.1 is 0.3."""
    if index.dtype.kind in "iu" and resolution.is_integer():
        return index.astype(object) * int(resolution)
    times, parts = grid_fraction(resolution)
    return index.astype(np.float64) * times / parts


def grid_fraction(resolution: float) -> tuple[float, int]:
    """Return what a cell's number is multiplied with and divided by for its lower edge."""
    # The decimal that was typed: 3 cells of 0.3 are 9/10, where 3 * 0.3 is a little less.
    typed = Fraction(repr(resolution))
    if max(typed.numerator, typed.denominator) > LARGEST_EXACT_IN_FLOAT:
        return resolution, 1
    return typed.numerator, typed.denominator


# Below this many numbers the fewest calls are the quickest.
FEW_NUMBERS = 1 << 14
SIGN_BIT = np.uint64(2**63)
WORD_BITS = 64


def order_of(values: Array) -> Places:
    """Return the order that sorts numbers, without NaN: equal ones stay as they are."""
    if (
        len(values) < FEW_NUMBERS
        or values.dtype.kind not in "iuf"
        or values.dtype.itemsize > WORD_BITS // 8
    ):
        return np.argsort(values, kind="stable")
    if is_ascending(values):
        return np.arange(len(values))
    keys, parts = np.empty(len(values), dtype=np.uint64), parts_for_threads(len(values), BLOCK)
    ends = at_once(lambda rows: _number(values[rows], keys[rows]), parts)
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)
    room = (len(values) - 1).bit_length()
    surplus = max(0, (highest - lowest).bit_length() + room - WORD_BITS)

    def give_places(part: slice) -> None:
        for start in range(part.start, part.stop, BLOCK):
            block = keys[start : min(start + BLOCK, part.stop)]
            block -= np.uint64(lowest)
            block >>= np.uint64(surplus)
            block <<= np.uint64(room)
            block |= np.arange(start, start + len(block), dtype=np.uint64)

    at_once(give_places, parts)
    sort_in_place(keys)
    alike = _alike(keys, room) if surplus else None
    at_once(lambda rows: np.bitwise_and(keys[rows], 2**room - 1, out=keys[rows]), parts)
    order = keys.view(np.int64).astype(np.intp, copy=False)
    if alike is not None and len(alike):
        _mend(order, values, alike)
    return order


def _number(values: Array, keys: Array) -> tuple[int, int]:
    """Write whole numbers from 0 that run as the values do, 0.0 and -0.0 one; return their ends."""
    for start in range(0, len(values), BLOCK):
        block, key = values[start : start + BLOCK], keys[start : start + BLOCK]
        if values.dtype.kind == "f":
            bits = (block.astype(np.float64) + 0.0).view(np.int64)
            # All bits of those below zero turn round, and the sign of the others.
            turned = bits >> (WORD_BITS - 1) | np.int64(-(2**63))
            np.bitwise_xor(bits, turned, out=key.view(np.int64))
        elif values.dtype.kind == "u":
            key[:] = block
        else:
            np.bitwise_xor(block.astype(np.int64).view(np.uint64), SIGN_BIT, out=key)
    return int(keys.min()), int(keys.max())


def _alike(keys: Array, room: int) -> Places:
    """Return which sorted keys are those of the key before, but for their places."""
    found = []
    for start in range(1, len(keys), BLOCK):
        block = keys[start - 1 : start + BLOCK]
        found.append(np.flatnonzero((block[1:] ^ block[:-1]) < np.uint64(2**room)) + start)
    return np.concatenate(found)


def _mend(order: Places, values: Array, alike: Places) -> None:
    """Sort again what differs only in the bits that had no room."""
    starts = np.diff(alike, prepend=-1) > 1
    run = np.cumsum(starts)
    wrong = values[order[alike]] < values[order[alike - 1]]
    if not wrong.any():
        return
    mended = np.zeros(int(run[-1]) + 1, dtype=np.bool_)
    mended[run[wrong]] = True
    # Of each run also the row before all that are like it.
    places = np.concatenate([alike[starts] - 1, alike])
    run = np.concatenate([run[starts], run])
    places, run = places[mended[run]], run[mended[run]]
    inside = order[places]
    within = np.lexsort((inside, values[inside], run))
    order[np.sort(places)] = inside[within]


def picked(values: Array, places: Places) -> Array:
    """Return the values at some places, each part of these in a thread of its own."""
    found = np.empty(len(places), dtype=values.dtype)
    held = np.ascontiguousarray(values)
    at_once(
        lambda part: held.take(places[part], out=found[part], mode="clip"),
        parts_for_threads(len(places), BLOCK),
    )
    return found


def sort_in_place(values: Array) -> None:
    """Sort numbers, in as many parts at the same time as there are processors for."""
    parts, wanted = [values], len(parts_for_threads(len(values), BLOCK))
    while len(parts) < wanted:
        at_once(lambda part: part.partition(len(part) // 2), parts)
        parts = [half for part in parts for half in np.array_split(part, [len(part) // 2])]
    at_once(lambda part: part.sort(), parts)


def sort_best_first(values: Array, *, falls: bool) -> Array:
    """Sort numbers where they stand; `falls` puts the highest first."""
    turn = np.negative if values.dtype.kind == "f" else np.invert
    if falls:
        turn(values, out=values)
    sort_in_place(values)
    if falls:
        turn(values, out=values)
    return values


def keep_in_place(values: Array, kept: Bools) -> Array:
    """Move the kept values to the front, block by block, where they need no more memory."""
    end = 0
    for start in range(0, len(values), BLOCK):
        block = slice(start, start + BLOCK)
        found = values[block][kept[block]]
        values[end : end + len(found)] = found
        end += len(found)
    return values[:end]


def run_lengths(new: Bools) -> Array:
    """Return how long runs are, in the smallest integers that hold it, given where each starts."""
    runs, longest, at = int(np.count_nonzero(new)), 0, 0
    for length in _lengths(new):
        longest = max(longest, int(length.max(initial=0)))
    lengths = np.empty(runs, dtype=np.min_scalar_type(longest))
    for length in _lengths(new):
        lengths[at : at + len(length)] = length
        at += len(length)
    return lengths


def _lengths(new: Bools) -> Iterator[Places]:
    """Yield the lengths of runs, block by block."""
    before = 0
    for start in range(0, len(new), BLOCK):
        starts = np.flatnonzero(new[start : start + BLOCK]) + start
        if start == 0:
            starts = starts[1:]  # the first run starts at 0
        if len(starts):
            yield np.diff(starts, prepend=before)
            before = int(starts[-1])
    if len(new):
        yield np.array([len(new) - before])


def readable(score: Array, levels: tuple[object, ...] | None, resolution: float | None) -> Array:
    """Return scores as people read them: names of grades, values of a grid, or as they are."""
    if levels is not None:
        return names_of(score, levels)
    return score if resolution is None else grid_value(score, resolution)


def places_among(rising: Array, wanted: Array, side: Literal["left", "right"]) -> Places:
    """Return where sorted numbers stand among others, as `np.searchsorted` does but quicker.

    >>> places_among(np.array([1, 2, 2, 4]), np.array([2, 3, 5]), "left").tolist()
    [1, 3, 4]
    """
    # One block of them after the other, which stays in the processor's cache.
    other: Literal["left", "right"] = "left" if side == "right" else "right"
    ends = np.searchsorted(wanted, rising[BLOCK - 1 :: BLOCK], side=other).tolist()
    found = np.empty(len(wanted), dtype=np.intp)
    for block, (start, end) in enumerate(pairwise([0, *ends, len(wanted)])):
        here = rising[block * BLOCK : (block + 1) * BLOCK]
        found[start:end] = np.searchsorted(here, wanted[start:end], side=side)
        found[start:end] += block * BLOCK
    return found


def places_in(counts: Any, score: Array) -> Places:
    """Return where scores stand among those of counts, which hold them all."""
    values = score.astype(counts.score.dtype)
    if counts.higher_is == "positive":
        return len(counts) - 1 - np.searchsorted(counts.score[::-1], values)
    return np.searchsorted(counts.score, values)

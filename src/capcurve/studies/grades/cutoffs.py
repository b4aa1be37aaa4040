"""Cut-offs between neighbouring scores: of few digits, or multiples of a step."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.meeting import rounded_to
from capcurve.numbers.plain import LARGEST_SAFE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.numbers.types import Array, Bools, Direction

# Sums of the largest and the smallest floats are exact in so many digits.
EXACT = Context(prec=1000)
MOST_CUTOFF_DIGITS = 400
# Quotients this near to a whole number are looked at in decimals.
UNSURE = 1e-9


def between(
    last: Any, following: Any, *, step: float | None = None, closed: bool = True
) -> int | float:
    """Return the number of fewest digits from the last score of a grade to short of the next one.

    With a step it is a multiple of it. Of several it is the nearest to the middle, of two of these
    the larger. Unless `closed` it lies beyond the last score and may be the following one.

    >>> between(0.0523187, 0.0491), between(612.5, 609), between(100, 1), between(7, 6)
    (0.05, 610, 50, 7)
    >>> between(6, 7), between(6, 7, closed=False), between(655, 612, step=10)
    (6, 7, 630)
    """
    near, far = _ends(last, following)
    if not closed:
        near, far = far, near
    whole = not isinstance(last, float | np.floating)
    if not (near.is_finite() and far.is_finite()):  # beyond the largest float there is none
        return float(near)
    middle = EXACT.divide(EXACT.add(near, far), Decimal(2))
    for some in _candidates(middle, step):
        if found := [each for each in some if _is_between(each, near, far)]:
            best = min(found, key=lambda each: (abs(EXACT.subtract(each, middle)), -each))
            cut = _number(best, whole=whole)
            # As a score it may be one of the ends, or beyond.
            met, *ends = (
                rounded_to(each, np.asarray(last).dtype).item() for each in (cut, last, following)
            )
            apart = _is_between(met, *(ends if closed else ends[::-1]))
            return cut if apart else _number(near, whole=whole)
    return _number(near, whole=whole)


def _candidates(middle: Decimal, step: float | None) -> Iterator[list[Decimal]]:
    """Yield the numbers on both sides of a middle, of ever more digits, or multiples of a step."""
    if step is not None:
        below = EXACT.divide(middle, _decimal(step)).to_integral_value(ROUND_FLOOR, EXACT)
        yield [EXACT.multiply(below + more, _decimal(step)) for more in (0, 1)]
        return
    yield [Decimal(0)]
    for digits in range(1, MOST_CUTOFF_DIGITS):
        unit = Decimal(1).scaleb(middle.adjusted() - digits + 1, EXACT)
        yield [middle.quantize(unit, way, EXACT) for way in (ROUND_FLOOR, ROUND_CEILING)]


def _is_between(cut: Any, near: Any, far: Any) -> bool:
    return bool(far < cut <= near if far < near else near <= cut < far)


def _ends(last: Any, following: Any) -> tuple[Decimal, Decimal]:
    """Return both scores as decimals; of an infinite one what the finite one allows."""
    near, far = map(_decimal, (_finite(last, following), _finite(following, last)))
    if isinstance(last, np.float32 | np.float16):
        # Such a score is its own short decimal to some programs and its exact value to others: a
        # cut-off parts both, where there is room.
        exact = Decimal(float(last)), Decimal(float(following))
        falls = far < near
        inner = (min if falls else max)(near, exact[0]), (max if falls else min)(far, exact[1])
        return inner if (inner[1] < inner[0]) == falls and inner[0] != inner[1] else exact
    return near, far


def _finite(score: Any, other: Any) -> Any:
    """Return a score, in place of an infinite one a number on its side of the other."""
    if not math.isinf(score):
        return score
    if math.isinf(other):
        return math.copysign(1.0, score)
    return float(other) + math.copysign(max(abs(float(other)), 1.0), score)


def _decimal(score: Any) -> Decimal:
    """Return a score as the shortest decimal that is read back as it is."""
    if isinstance(score, float | np.floating):
        return Decimal(str(score))
    return Decimal(int(score))


def _number(cut: Decimal, *, whole: bool) -> int | float:
    """Return a cut-off as a number: a large one between scores that are not whole as a float."""
    # Such scores are compared as floats, which hold not all whole numbers beyond 2^53.
    small = abs(cut) <= LARGEST_SAFE_INTEGER and cut == cut.to_integral_value()
    return int(cut) if small or (whole and cut == cut.to_integral_value()) else float(cut)


def hold_multiples(scores: Array, step: float, higher_is: Direction) -> Bools:
    """Return whether a multiple of a step lies between each score and the next, shape (K - 1,)."""
    sign, way = (1, ROUND_FLOOR) if higher_is == "positive" else (-1, ROUND_CEILING)
    with np.errstate(over="ignore", invalid="ignore"):
        quotients = scores.astype(np.float64) / step
        near = np.abs(quotients - np.rint(quotients)) <= UNSURE * (1 + np.abs(quotients))
        # An interval as long as a step holds a multiple, also where quotients are beyond floats.
        long = np.abs(np.diff(scores.astype(np.float64))) >= step
    near &= np.isfinite(quotients)
    steps = sign * np.floor(sign * quotients)
    for place in np.flatnonzero(near).tolist():
        exact = EXACT.divide(_decimal(scores[place]), _decimal(step))
        steps[place] = float(exact.to_integral_value(way, EXACT))
    return np.asarray(long | (steps[:-1] != steps[1:]))

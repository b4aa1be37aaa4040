"""How the scores of each class are spread over bars: exact counts of what each is labelled."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

MOST_BINS = 40
MOST_BARS = 40
# Where half a percent of the cases at an end would press the rest together, they share a bar
# that is labelled as open.
TAIL = 0.005
ROOM = 1.6
NICE = (1, 2, 5, 10)


def score_spread(
    counts: ScoreCounts, positives: NDArray[Any], negatives: NDArray[Any]
) -> dict[str, Any] | None:
    """Return cases of each class by score, or by bins of equal width when there are many.

    Returns
    -------
    dict or None
        `positives` and `negatives` of each bar, from the lowest score up, and `labels`, one
        score per bar, or `edges`: a bin reaches from one edge to short of the next. `below`
        and `above` say whether there is one more bar for all that lies before the first edge,
        or from the last edge on. None when many scores have no distances, as decimals do.
    """
    if len(counts) <= MOST_BARS:
        upwards = slice(None, None, -1 if counts.higher_is == "positive" else 1)
        return {
            "labels": counts.thresholds[upwards],
            "positives": np.diff(positives)[upwards],
            "negatives": np.diff(negatives)[upwards],
        }
    rising = counts.thresholds
    if counts.higher_is == "positive":
        rising, positives, negatives = rising[::-1], positives[::-1], negatives[::-1]
    edges = _edges(rising, np.abs(positives + negatives - positives[0] - negatives[0]))
    if edges is None:
        return None
    places = [_scores_before(rising, edge) for edge in edges]
    below, above = places[0] > 0, places[-1] < len(rising)
    places = [*([0] if below else []), *places, *([len(rising)] if above else [])]
    return {
        "edges": edges,
        "below": below,
        "above": above,
        "positives": np.abs(np.diff(positives[places])),
        "negatives": np.abs(np.diff(negatives[places])),
    }


def _edges(rising: NDArray[Any], cases: NDArray[Any]) -> list[float] | None:
    """Return round edges, equally far apart, around the scores or all but their tails."""
    ends = [float(score) for score in (*rising[:2], *rising[-2:]) if np.isfinite(score)]
    lowest, highest = ends[0], ends[-1]
    tails = np.searchsorted(cases, np.array([TAIL, 1 - TAIL]) * float(cases[-1]))
    low, high = (float(rising[max(place - 1, 0)]) for place in tails)
    usual = high - low
    if not (0 < usual < math.inf) or highest - lowest <= ROOM * usual:
        low, high = lowest, highest
    if not 0 < high - low < math.inf:
        return None
    size, digit = _nice((high - low) / MOST_BINS)
    if rising.dtype.kind in "iu":
        size, digit = max((size, digit), (0, 1))
    step = digit * 10.0**size
    first, last = math.floor(low / step), math.floor(high / step) + 1
    # Written as decimals and read again, so that an edge is the number that its label shows.
    return [float(f"{place * digit}e{size}") for place in range(first, last + 1)]


def _nice(rough: float) -> tuple[int, int]:
    """Return exponent and digit of the smallest 1, 2 or 5 times a power of ten from `rough` up."""
    size = math.floor(math.log10(rough))
    digit = next(digit for digit in NICE if digit * 10.0**size >= rough * (1 - 1e-9))
    return (size + 1, 1) if digit == NICE[-1] else (size, digit)


def _scores_before(rising: Sequence[Any] | NDArray[Any], edge: float) -> int:
    """Return how many ascending scores are below an edge, compared exactly at any size."""
    return bisect_left(range(len(rising)), edge, key=lambda place: rising[place].item())

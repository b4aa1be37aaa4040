"""Exact totals of a ranking from sums per bucket of scores, whatever engine took the sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Direction, Dropped

# The shares of cases about which every cut-off is kept: those of a summary.
SHARES = (0.1, 0.2, 0.5)
# Buckets in which KS is reached; beyond these its further places are not listed.
MOST_KS_BUCKETS = 8
SMALL_CELL = 5


@dataclass(frozen=True, slots=True)
class Bucket:
    """Sums over the distinct scores of one bucket, most likely positive first.

    With a score's positives p and negatives n, and the positives c and negatives d above it
    inside the bucket, a = 2d + n is twice the negatives that outrank or tie a positive there,
    b = 2c + p twice the positives that outrank or tie a negative.

    Attributes
    ----------
    key
        What the engine calls the bucket.
    scores
        How many distinct scores it holds.
    last
        The score that is selected last.
    positives, negatives
        Σp and Σn.
    tied
        Σ p·n.
    a, aa, b, bb
        Σ p·a, Σ p·a², Σ n·b, Σ n·b².
    squares, cubes
        Σ t² and Σ t³ with t = p + n.
    small, smallest
        Scores with fewer than five cases, and the fewest cases at any.
    highest, lowest
        Extremes of (c + p)·n0 - (d + n)·n1, the gap of KS in pairs.
    """

    key: int
    scores: int
    last: Any
    positives: int
    negatives: int
    tied: int
    a: int
    aa: int
    b: int
    bb: int
    squares: int
    cubes: int
    small: int
    smallest: int
    highest: int
    lowest: int


def lone_bucket(key: int, last: Any, p: int, n: int, totals: tuple[int, int]) -> Bucket:
    """Return the sums of a bucket with one score, of which all are known: it may be huge."""
    gap, t = p * totals[1] - n * totals[0], p + n
    sums = (p * n, p * n, p * n * n, n * p, n * p * p, t * t, t**3)
    return Bucket(key, 1, last, p, n, *sums, int(t < SMALL_CELL), t, gap, gap)


def wanted_buckets(buckets: Sequence[Bucket]) -> list[int]:
    """Return the keys of the buckets whose every score is needed: about KS and usual shares."""
    before = _before(buckets)
    n1, n0 = (int(column[-1]) for column in before)
    found: list[int] = []
    if n1 and n0:
        offsets = before[0] * n0 - before[1] * n1
        for sign in (+1, -1):
            reached = [
                sign * (int(offset) + (bucket.highest if sign > 0 else bucket.lowest))
                for offset, bucket in zip(offsets, buckets, strict=False)
            ]
            best = max(reached)
            if best >= 0:
                places = [i for i, gap in enumerate(reached) if gap == best]
                found += places[:MOST_KS_BUCKETS]
    cases = before[0] + before[1]
    for share in SHARES:
        for near in (-2, 0, 2):
            place = int(np.searchsorted(cases[1:], share * int(cases[-1]) + near))
            found.append(min(max(place, 0), len(buckets) - 1))
    return [buckets[place].key for place in dict.fromkeys(found)]


def totals_of(
    buckets: Sequence[Bucket],
    cells: Mapping[int, tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]],
    higher_is: Direction,
    dropped: Dropped | None,
) -> RankTotals:
    """Put buckets together, most likely positive first.

    Parameters
    ----------
    buckets
        The sums of each bucket.
    cells
        By key: the scores, positives and negatives of those buckets that were fetched whole.
    higher_is, dropped
        As in `ScoreCounts`.

    Raises
    ------
    ValueError
        When what was fetched contradicts the sums.
    """
    before = _before(buckets)
    n0 = int(before[1][-1])
    won_twice = positive_squares = negative_squares = 0
    for above1, above0, bucket in zip(*before, buckets, strict=False):
        # Inside the whole ranking u = U - a and v = V + b, the placements twice over.
        u, v = 2 * (n0 - int(above0)), 2 * int(above1)
        won_twice += v * bucket.negatives + bucket.b
        positive_squares += u * u * bucket.positives - 2 * u * bucket.a + bucket.aa
        negative_squares += v * v * bucket.negatives + 2 * v * bucket.b + bucket.bb
    tied = sum(bucket.tied for bucket in buckets)
    return RankTotals.from_vertices(
        *_vertices(buckets, cells),
        higher_is=higher_is,
        dropped=dropped,
        won=(won_twice - tied) // 2,
        tied=tied,
        positive_squares=positive_squares,
        negative_squares=negative_squares,
        case_squares=sum(bucket.squares for bucket in buckets),
        case_cubes=sum(bucket.cubes for bucket in buckets),
        small_cells=sum(bucket.small for bucket in buckets),
        smallest_cell=min(bucket.smallest for bucket in buckets),
    )


def _before(buckets: Iterable[Bucket]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positives and negatives above each bucket, and at the end all of them."""
    columns = ([b.positives for b in buckets], [b.negatives for b in buckets])
    positives, negatives = (np.cumsum([0, *column], dtype=np.int64) for column in columns)
    return positives, negatives


def _vertices(
    buckets: Sequence[Bucket],
    cells: Mapping[int, tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[Any], ...]:
    """Return score, positives, negatives and distinct scores selected at each known cut-off."""
    parts: list[tuple[NDArray[Any], ...]] = []
    for bucket in buckets:
        if bucket.key in cells:
            score, positives, negatives = cells[bucket.key]
            found = (len(score), int(positives.sum()), int(negatives.sum()))
            if found != (bucket.scores, bucket.positives, bucket.negatives):
                raise ValueError(CHANGED)
            parts.append((score, positives, negatives, np.ones(len(score), np.int64)))
        else:
            sums = (bucket.positives, bucket.negatives, bucket.scores)
            parts.append((np.array([bucket.last]), *(np.array([total]) for total in sums)))
    score, *added = (np.concatenate(column) for column in zip(*parts, strict=True))
    return score, *(np.cumsum(column, dtype=np.int64) for column in added)


CHANGED = (
    "the data gave other rows when it was read again; cache it or save it first, so that all "
    "sums are of the same rows"
)


def in_order(buckets: Iterable[Bucket], higher_is: Direction) -> list[Bucket]:
    """Return buckets most likely positive first; their keys ascend with the score."""
    return sorted(buckets, key=lambda bucket: bucket.key, reverse=higher_is == "positive")

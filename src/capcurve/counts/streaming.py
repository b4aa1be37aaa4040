"""RankTotals from sorted cells that come block by block: each block is seen once, then let go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import run_starts
from capcurve.counts.codec import stream_settings
from capcurve.counts.exact import BLOCK, exact_dot
from capcurve.counts.fingerprints import Fingerprint
from capcurve.counts.keeping import Keeper
from capcurve.counts.rank_totals import RankTotals
from capcurve.counts.settings import check_direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from capcurve.counts.settings import Direction, Dropped

Cells = tuple["NDArray[Any]", "NDArray[Any]", "NDArray[Any]"]
SMALL_CELL = 5
LARGEST_SQUARED = 2**31 - 1


def count_sorted(
    blocks: Iterable[tuple[Any, Any, Any]],
    *,
    n1: int,
    n0: int,
    higher_is: Direction = "positive",
    resolution: float | None = None,
    dropped: Dropped | None = None,
) -> RankTotals:
    """Return the exact totals of a ranking from its cells, sorted, in constant memory.

    Parameters
    ----------
    blocks
        (score, positives, negatives) arrays, most-likely-positive first within and across
        blocks; whole counts. Equal neighbours are added up, also across blocks.
    n1, n0
        All positives and all negatives, known from a first look at the data.
    higher_is, resolution, dropped
        As in `ScoreCounts`.

    Returns
    -------
    RankTotals
        With the cut-offs at every thousandth of the cases and two-thousandth of each class,
        the first few thousand ones, all best ones and those of KS.

    Raises
    ------
    ValueError
        When blocks are out of order, hold NaN, or do not add up to n1 and n0.

    Examples
    --------
    >>> blocks = [([4, 3], [1, 0], [0, 1]), ([2, 1], [1, 0], [0, 1])]
    >>> totals = count_sorted(blocks, n1=2, n0=2)
    >>> totals.won, totals.tied, len(totals)
    (3, 0, 4)
    """
    stream = _Stream(n1, n0, check_direction(higher_is))
    for cells in _distinct(blocks, higher_is):
        for start in range(0, len(cells[0]), BLOCK):
            stream.add(*(column[start : start + BLOCK] for column in cells))
    if (stream.tp, stream.fp) != (n1, n0):
        raise ValueError(
            f"the cells hold {stream.tp} positives and {stream.fp} negatives where {n1} and {n0} "
            "were announced: the data changed while it was read"
        )
    return stream.totals(resolution, dropped)


def _distinct(blocks: Iterable[tuple[Any, Any, Any]], higher_is: Direction) -> Iterator[Cells]:
    """Yield blocks of distinct scores; the last cell of each waits for its equals."""
    waiting: Cells | None = None
    for block in blocks:
        cells = _arrays(block)
        if not len(cells[0]):
            continue
        if waiting is not None:
            cells = (_in_type(cells[0], waiting[0].dtype), *cells[1:])
            joined = zip(waiting, cells, strict=True)
            cells = tuple(np.concatenate(pair) for pair in joined)  # type: ignore[assignment]  # three of them
        score, positives, negatives = _summed(cells, higher_is)
        waiting = (score[-1:], positives[-1:], negatives[-1:])
        yield score[:-1], positives[:-1], negatives[:-1]
    if waiting is not None:
        yield waiting


def _in_type(score: NDArray[Any], first: np.dtype[Any]) -> NDArray[Any]:
    """Return scores in the type of the first block, or raise ValueError when it does not hold them.

    A type that numpy would choose for both may round: integers beyond 2^53 among floats.
    """
    if score.dtype == first:
        return score
    with np.errstate(invalid="ignore"):  # a fraction or NaN that is no integer
        cast = score.astype(first)
    if cast.tolist() != score.tolist():
        raise ValueError(
            f"the blocks hold scores of types {first} and {score.dtype}, and the first does not "
            "hold all of them; give every block one type"
        )
    return cast


def _arrays(block: tuple[Any, Any, Any]) -> Cells:
    score, positives, negatives = (np.asarray(column) for column in block)
    if score.dtype.kind == "f":
        score = score + score.dtype.type(0)  # so that zero is 0.0, also where it came as -0.0
    for column in (positives, negatives):
        if column.dtype.kind not in "iu" or len(column) != len(score):
            raise ValueError("cells need as many whole counts of each class as scores")
    return score, positives.astype(np.int64), negatives.astype(np.int64)


def _summed(cells: Cells, higher_is: Direction) -> Cells:
    """Return distinct scores with their sums, or raise ValueError for scores out of order."""
    score, positives, negatives = cells
    above, below = score[:-1], score[1:]
    ordered = above >= below if higher_is == "positive" else above <= below
    if not ordered.all() or (score[:1] != score[:1]).any():  # NaN compares to nothing
        raise ValueError("the scores of a stream must come sorted, most-likely-positive first")
    starts = run_starts(score)
    if len(starts) < len(score):
        positives, negatives = (np.add.reduceat(c, starts) for c in (positives, negatives))
        score = score[starts]
    empty = (positives == 0) & (negatives == 0)
    if empty[:-1].any():
        keep = ~empty
        keep[-1] = True
        score, positives, negatives = score[keep], positives[keep], negatives[keep]
    return score, positives, negatives


class _Stream:
    """Totals of the cells that have come by."""

    def __init__(self, n1: int, n0: int, higher_is: Direction) -> None:
        self.n1, self.n0, self.higher_is = n1, n0, higher_is
        self.tp = self.fp = 0
        self.won_twice = self.tied = 0
        self.squares = [0, 0]
        self.case_squares = self.case_cubes = self.small = 0
        self.smallest: int | None = None
        self.within, self.divergence = 0.0, 0.0
        self.pure = False
        self.keeper = Keeper(n1, n0)
        self.fingerprint = Fingerprint("i8")

    def add(self, score: NDArray[Any], p: NDArray[np.int64], n: NDArray[np.int64]) -> None:
        """Take up to `BLOCK` distinct scores, in order, and what stands at each."""
        if len(score) == 1 and not p[0] + n[0]:
            return
        tp, fp = np.cumsum(p), np.cumsum(n)
        self.keeper.offer(score, tp, fp)
        self._add_pairs(p, n, tp, fp)
        self._add_cells(p, n)
        self.fingerprint.add(score, p, n)
        self.tp += int(tp[-1])
        self.fp += int(fp[-1])

    def _add_pairs(self, p: Any, n: Any, tp: Any, fp: Any) -> None:
        """Add pairs and squared placements: within the block, then from outside it."""
        here1, here0 = int(tp[-1]), int(fp[-1])
        outranked, outranking = 2 * (here0 - fp) + n, 2 * tp - p
        below, above = 2 * (self.n0 - self.fp - here0), 2 * self.tp
        u, v = exact_dot(p, outranked), exact_dot(n, outranking)
        self.won_twice += u + below * here1
        self.tied += exact_dot(p, n)
        self.squares[0] += _square_sum(p, outranked) + 2 * below * u + below**2 * here1
        self.squares[1] += _square_sum(n, outranking) + 2 * above * v + above**2 * here0

    def _add_cells(self, p: NDArray[np.int64], n: NDArray[np.int64]) -> None:
        cases = p + n
        self.case_squares += exact_dot(cases, cases)
        self.case_cubes += _square_sum(cases, cases)
        self.small += int(np.count_nonzero(cases < SMALL_CELL))
        fewest = int(cases.min())
        self.smallest = fewest if self.smallest is None else min(fewest, self.smallest)
        mixed = (p > 0) & (n > 0)
        self.pure |= not mixed.all()
        if mixed.any():
            self._add_information(p[mixed].astype(np.float64), n[mixed].astype(np.float64))

    def _add_information(self, p: NDArray[np.float64], n: NDArray[np.float64]) -> None:
        """Add up what is not zero of the entropy, and the divergence of the classes."""
        cases = p + n
        rate = np.minimum(p, n) / cases
        self.within -= (cases * (rate * np.log(rate) + (1 - rate) * np.log1p(-rate))).sum()
        if not self.pure:
            c, d = p / self.n1, n / self.n0
            self.divergence += ((c - d) * np.log(c / d)).sum()

    def totals(self, resolution: float | None, dropped: Dropped | None) -> RankTotals:
        """Return what was found."""
        settings = stream_settings(self.higher_is, resolution)
        both = self.n1 > 0 and self.n0 > 0
        return RankTotals.from_vertices(
            *self.keeper.kept(),
            higher_is=self.higher_is,
            resolution=resolution,
            dropped=dropped,
            won=(self.won_twice - self.tied) // 2,
            tied=self.tied,
            positive_squares=self.squares[0],
            negative_squares=self.squares[1],
            corners=True,
            case_squares=self.case_squares,
            case_cubes=self.case_cubes,
            small_cells=self.small,
            smallest_cell=self.smallest,
            entropy=float(self.within / (self.n1 + self.n0)) if both else None,
            information_value=float("inf") if self.pure else float(self.divergence),
            fingerprint=self.fingerprint.hexdigest(settings),
        )


def _square_sum(times: NDArray[np.int64], values: NDArray[np.int64]) -> int:
    """Return the sum of times·values², in integers of any size."""
    if int(values.max()) <= LARGEST_SQUARED:
        return exact_dot(times, values * values)
    wide = values.astype(object)
    return int(np.dot(times.astype(object), wide * wide))

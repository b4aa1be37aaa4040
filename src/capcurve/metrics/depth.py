"""Numbers of the first k cases: each is the mean over all orders of the cases inside ties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from capcurve.counts import NotHeldError, ScoreCounts, SegmentCounts, ValueSums
from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import require, require_amount
from capcurve.gate.given import counts_alike, is_amounts
from capcurve.gate.taking import about_classes, takes_rankings
from capcurve.metrics.registry import OF_BOTH, Metric
from capcurve.metrics.retrieval import over
from capcurve.numbers.arguments import arg, as_share, as_whole, as_word, told
from capcurve.numbers.order import LARGEST_TOTAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking
    from capcurve.numbers.types import Floats, Ints, Places

Gain = Literal["linear", "exponential"]
# Discounts of so many places are added up one by one, those of deeper ones by Euler and Maclaurin.
MOST_TABLED = 1 << 14
# Places of one tie that are looked at one by one, and into how many pieces deeper ones are cut.
MOST_TIED, FAR_PIECES = 1 << 20, 1 << 18
# Chances below exp(-40) are lost beside 1.
LEAST_LOG_CHANCE = 40


def as_depth(k: object, name: str = "k") -> int:
    """Return a number of cases, else raise ValueError."""
    return as_whole(k, name, 1, LARGEST_TOTAL)


def at_depth(name: str) -> tuple[str, int | None]:
    """Return a metric's name, and how many cases are selected where it ends in @k.

    >>> at_depth("recall@10"), at_depth("P@5"), at_depth("auc")
    (('recall', 10), ('precision', 5), ('auc', None))
    """
    metric, at, depth = name.partition("@")
    if not at:
        return name, None
    if not metric.strip():
        raise ValueError(f"before @ there must be a metric, as in recall@10; got {told(name)}")
    if not (depth.isascii() and depth.isdigit() and int(depth)):
        raise ValueError(
            f"after @ there must be a whole number of cases from 1, as in {metric}@10; got "
            f"{told(name)}"
        )
    return "precision" if metric in {"P", "p"} else metric, as_depth(int(depth))


def with_depth(metric: Any, k: int | None) -> tuple[Any, int | None]:
    """Return a metric, and how many cases are selected: as its name says, or k."""
    name, depth = at_depth(metric) if isinstance(metric, str) else (metric, None)
    if depth is not None and k is not None:
        raise ValueError(f"{told(metric)} says how many cases are selected; leave out {arg('k')}")
    return name, k if depth is None else depth


def as_selection(q: float | None, k: int | None) -> tuple[float | None, int | None]:
    """Return the share, or the number, of cases that is selected: exactly one is given."""
    if (q is None) == (k is None):
        both = "neither" if k is None else "both"
        raise ValueError(
            f"give {arg('q')} (a share of all cases) or {arg('k')} (a number of cases); got {both}"
        )
    return (as_share(q, "q"), None) if k is None else (None, as_depth(k))


def share_selected(
    counts: Ranking | Amounts, q: float | None, k: int | None, prevalence: float | None = None
) -> float:
    """Return which share of all cases is selected, where that or a number of cases is given."""
    share, depth = as_selection(q, k)
    if depth is None:
        return cast("float", share)
    if prevalence is not None:
        raise ValueError(f"k counts rows, which {arg('prevalence')} re-weights; give {arg('q')}")
    _refuse_weighted(counts, "k", f"; give {arg('q')}")
    return min(depth / max(counts.n, 1), 1.0)


def _refuse_weighted(counts: Ranking | Amounts, name: str, instead: str = "") -> None:
    """Raise ValueError for rows that do not count alike."""
    if is_amounts(counts):
        uneven, what = counts.has_exposure, "have an exposure"
    else:
        uneven, what = not counts_alike(counts), "are weighted"
    if uneven:
        raise ValueError(f"{name} counts rows, and these {what}{instead}")


def _as_segment(counts: Ranking | Amounts, name: str) -> SegmentCounts:
    """Return counts of rows as those of the only segment."""
    _refuse_weighted(counts, name)
    if isinstance(counts, ValueSums):
        raise NotHeldError(f"{name} needs each amount, and these are sums by score")
    return SegmentCounts.of({"": counts if is_amounts(counts) else counts.every_score()})


@about_classes("ndcg")
def hit_rate(counts: Ranking, k: int) -> float:
    """Return the hit rate: the chance that a positive is among the first k cases.

    Also called success at k; of a constant score, pass@k. In [0, 1]; the mean over all orders
    inside ties. Raises `ValueError` without positives and where rows do not count alike.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    k
        How many cases are selected, from 1; most likely positive first.

    Notes
    -----
    McSherry & Najork (2008), as in `average_precision`; Chen et al. (2021), pass@k.

    Examples
    --------
    Of the two cases that are tied at second place, one is positive.

    >>> from capcurve import count_scores
    >>> counts = count_scores([0, 1, 0, 1], [4, 3, 3, 1])
    >>> hit_rate(counts, 1), hit_rate(counts, 2), hit_rate(counts, 3)
    (0.0, 0.5, 1.0)
    """
    depth = as_depth(k)
    require(counts, "positives")
    return float(hit_rates(_as_segment(counts, "hit_rate"), k=depth)[0])


@about_classes("ndcg")
def reciprocal_rank(counts: Ranking, k: int | None = None) -> float:
    """Return the reciprocal rank of the first positive: 1 at first place, 1/2 at second.

    Its mean over queries is called MRR. In [0, 1]; the mean over all orders inside ties. Raises
    `ValueError` without positives and where rows do not count alike.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    k
        How many places are looked at; 0 where none has a positive. All when left out.

    Examples
    --------
    One of three tied cases is positive: (1 + 1/2 + 1/3)/3.

    >>> from capcurve import count_scores
    >>> round(reciprocal_rank(count_scores([0, 1, 0], [1, 1, 1])), 12)
    0.611111111111
    """
    depth = None if k is None else as_depth(k)
    require(counts, "positives")
    return float(reciprocal_ranks(_as_segment(counts, "reciprocal_rank"), k=depth)[0])


@takes_rankings
def ndcg(counts: Ranking | Amounts, k: int | None = None, gain: Gain = "linear") -> float:
    """Return the nDCG: the discounted gain of the first k cases over that of the best order.

    A place i divides the gain by log2(i + 1). The gain is the amount, which is the relevance; of
    classes, 1 for positives. In [0, 1]; the mean over all orders inside ties.

    Parameters
    ----------
    counts
        Result of `count_scores`, or of `count_values`: relevance and score.
    k
        How many cases are selected, from 1; all when left out.
    gain
        Of a relevance r, "linear": r, or "exponential": 2^r - 1.

    Raises
    ------
    ValueError
        Without positives or gains, for gains below zero, and where rows do not count alike.

    Notes
    -----
    Järvelin & Kekäläinen (2002), ACM TOIS 20, linear; Burges et al. (2005), exponential. In ties as
    scikit-learn's `ndcg_score`.

    Examples
    --------
    Gains 1, 3, 0 in this order; the best order has 3, 1, 0.

    >>> from capcurve import count_values
    >>> relevance = count_values([1, 3, 0], [3, 2, 1])
    >>> round(ndcg(relevance), 6), round(ndcg(relevance, k=1), 6)
    (0.796708, 0.333333)
    """
    depth = None if k is None else as_depth(k)
    if is_amounts(counts):
        require_amount(counts, absolute=counts.signed)
    else:
        require(counts, "positives")
    return float(ndcgs(_as_segment(counts, "ndcg"), k=depth, gain=gain)[0])


def hit_rates(counts: SegmentCounts, *, k: int) -> Floats:
    """Return the hit rate of each segment, NaN without positives."""
    return _of_first(counts, k, np.ones_like)


def reciprocal_ranks(counts: SegmentCounts, *, k: int | None = None) -> Floats:
    """Return the reciprocal rank of each segment, NaN without positives."""
    return _of_first(counts, k or LARGEST_TOTAL, np.reciprocal)


def _of_first(counts: SegmentCounts, depth: int, worth: Callable[[Floats], Floats]) -> Floats:
    """Return what the place of the first positive is worth in each segment, on average."""
    cells, found = SegmentCells.of(counts), np.full(len(counts), np.nan)
    held, holding = np.flatnonzero(cells.positives), np.flatnonzero(cells.e)
    first = holding[np.searchsorted(holding, counts.starts[held])]
    ties = _FirstTies(depth, cells.before_m[first], cells.m[first], cells.e[first])
    size = np.exp2(np.ceil(np.log2(ties.places.clip(1, MOST_TIED)))).astype(np.int64)
    for room in np.unique(size).tolist():
        rows = np.flatnonzero(size == room)
        for some in np.array_split(rows, -(-len(rows) * room // MOST_TIED)):
            found[held[some]] = ties.mean(some, room, worth)
    return found


@dataclass(frozen=True, slots=True)
class _FirstTies:
    """The first score with positives of some rankings: cases above it, its cases, positives."""

    depth: int
    above: Ints
    m: Ints
    e: Ints

    @property
    def places(self) -> Ints:
        """How many of its places count: those to the depth that have any chance."""
        likely = np.ceil(LEAST_LOG_CHANCE / self.e * self.m) + 1
        most = np.minimum(self.depth - self.above, self.m - self.e + 1).clip(0)
        found: Ints = np.minimum(most, likely).astype(np.int64)
        return found

    def mean(self, rows: Places, room: int, worth: Callable[[Floats], Floats]) -> Floats:
        """Return what the place of the first positive is worth over all orders of the score."""
        above, m, e, places = (
            column[rows][:, None].astype(np.float64)
            for column in (self.above, self.m, self.e, self.places)
        )
        j = np.arange(1.0, room + 1)
        left = (m - j + 1).clip(1)
        missed = np.cumprod((left - e).clip(0) / left, axis=1)
        chance = np.concatenate([np.ones_like(m), missed[:, :-1]], axis=1) * e / left
        chance[j > places] = 0.0
        found: Floats = (chance * worth(above + j)).sum(axis=1)
        for row in np.flatnonzero(places[:, 0] > room).tolist():
            # Places that are as deep are looked at in pieces.
            middle = float(m[row, 0] - (e[row, 0] - 1) / 2)
            ends = np.geomspace(room, places[row, 0], FAR_PIECES)
            beyond = missed[row, -1] * ((middle - ends) / (middle - room)) ** e[row]
            found[row] -= np.diff(beyond) @ worth(above[row] + (ends[1:] + ends[:-1] + 1) / 2)
        # What chances of all places lack to 1 is rounding.
        whole = (self.depth - above > m - e)[:, 0] & (places[:, 0] <= room)
        np.divide(found, chance.sum(axis=1), out=found, where=whole)
        return found


def ndcgs(counts: SegmentCounts, *, k: int | None = None, gain: Gain = "linear") -> Floats:
    """Return the nDCG of each segment, NaN without positives or gains."""
    as_word(gain, "gain", get_args(Gain), either=True)
    depth = k or LARGEST_TOTAL
    if counts.kind is ScoreCounts:
        cells = SegmentCells.of(counts)
        best = _discounts(np.zeros_like(cells.positives), cells.positives, depth)
    else:
        cells, best = _graded(counts, depth, gain)
    held, gained = np.flatnonzero(cells.e), np.zeros(len(cells.m))
    m = cells.m[held]
    gained[held] = cells.e[held] / m * _discounts(cells.before_m[held], m, depth)
    return np.minimum(over(cells.total(gained), best), 1.0)


def _graded(counts: SegmentCounts, depth: int, gain: Gain) -> tuple[SegmentCells, Floats]:
    """Return cells with gains to be found, and the discounted gain of the best order."""
    score, amount, *exposure = counts.cells
    if exposure:
        raise ValueError("ndcg counts rows, and these have an exposure")
    if (amount < 0).any():
        raise ValueError("ndcg takes gains of 0 or more, and some amounts are below zero")
    code, n = counts.by_cell(np.arange(len(counts))), counts.sums[0].astype(np.int64)
    order = np.lexsort((-amount, code))
    # Over the largest of the segment, as floats hold no sum of very large ones.
    largest = amount[order][counts.by_cell(counts.starts[:-1])]
    gains = np.divide(amount, largest, out=np.zeros_like(amount), where=largest > 0)
    if gain == "exponential":
        gains = -np.expm1(-np.log(2) * amount) * np.exp2(amount - largest)
    best = SegmentCells.of_sums(counts, gains[order], n[order])
    most = best.total(best.e * _discounts(best.before_m, best.m, depth))
    starts = np.flatnonzero(np.append(len(n) > 0, (np.diff(code) != 0) | (score[1:] != score[:-1])))
    alike = replace(counts, starts=np.searchsorted(starts, counts.starts))
    sums = (np.add.reduceat(column, starts) for column in (gains * n, n))
    return SegmentCells.of_sums(alike, *sums), most


def _discounts(above: Ints, cases: Ints, depth: int) -> Floats:
    """Return the sum of 1/log2(place + 1) over the places after those above, up to a depth."""
    start, end = (np.minimum(places, depth) for places in (above, above + cases))
    found = (end > start) / np.log2(start + 2.0)
    # Of a single place it is no difference of large sums.
    several = np.flatnonzero(end > start + 1)
    start, end = start[several], end[several]
    places = np.arange(1.0, min(end.max(initial=0), MOST_TABLED) + 1)
    sums = np.append(0, np.cumsum(1 / np.log2(places + 1)))
    found[several] = _discounts_up_to(end, sums) - _discounts_up_to(start, sums)
    return found


def _discounts_up_to(places: Ints, sums: Floats) -> Floats:
    """Return the sum of discounts of the first places, given those of not too many."""
    found: Floats = sums[places.clip(max=len(sums) - 1)]
    deep = places >= len(sums)
    found[deep] += _primitive(places[deep]) - _primitive(np.array([MOST_TABLED]))
    return found


def _primitive(places: Ints) -> Floats:
    """Return what discounts add up to but for a constant, by Euler and Maclaurin."""
    from scipy.special import expi

    x, log = places + 1.0, np.log(places + 1.0)
    found: Floats = np.log(2) * (expi(log) + 1 / (2 * log) - 1 / (12 * x * log**2))
    return found


DEPTH_METRICS = (
    Metric(
        function=hit_rate,
        label="hit rate",
        aliases=("hit", "success", "pass"),
        form="share",
        needs=("k",),
        worthless=None,
        requires=("positives",),
        of_segments=hit_rates,
    ),
    Metric(
        function=reciprocal_rank,
        label="reciprocal rank",
        aliases=("mrr", "rr"),
        options=("k",),
        worthless=None,
        requires=("positives",),
        of_segments=reciprocal_ranks,
    ),
    Metric(
        function=ndcg,
        label="nDCG",
        of=OF_BOTH,
        options=("k", "gain"),
        worthless=None,
        requires=("positives",),
        of_segments=ndcgs,
    ),
)

"""Numbers of the first k cases: each is the mean over all orders of the cases inside ties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts import NotHeldError, ScoreCounts, SegmentCounts, ValueSums
from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import require, require_amount
from capcurve.gate.given import counts_alike, is_amounts
from capcurve.gate.taking import about_classes, takes_rankings
from capcurve.metrics.registry import OF_BOTH, Metric
from capcurve.numbers.arguments import arg, as_share, as_whole, as_word, told
from capcurve.numbers.exact import quotient
from capcurve.numbers.order import LARGEST_TOTAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking
    from capcurve.numbers.types import Floats, Ints

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


def at_depth(name: Any) -> tuple[Any, int | None]:
    """Return a metric, and how many cases are selected where its name ends in @k.

    >>> at_depth("recall@10"), at_depth("P@5"), at_depth("auc")
    (('recall', 10), ('precision', 5), ('auc', None))
    """
    metric, at, depth = name.partition("@") if isinstance(name, str) else (name, "", "")
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
    name, depth = at_depth(metric)
    if depth is not None and k is not None:
        raise ValueError(f"{told(metric)} says how many cases are selected; leave out {arg('k')}")
    return name, k if depth is None else depth


def share_selected(
    counts: Ranking | Amounts, q: float | None, k: int | None, prevalence: float | None = None
) -> float:
    """Return which share of all cases is selected, where that or a number of cases is given."""
    if (q is None) == (k is None):
        both = "neither" if k is None else "both"
        raise ValueError(
            f"give {arg('q')} (a share of all cases) or {arg('k')} (a number of cases); got {both}"
        )
    if k is None:
        return as_share(q, "q")
    depth = as_depth(k)
    if prevalence is not None:
        raise ValueError(f"k counts rows, which {arg('prevalence')} re-weights; give {arg('q')}")
    _refuse_weighted(counts, "k", f"; give {arg('q')}")
    return min(depth / max(counts.n, 1), 1.0)


def _refuse_weighted(counts: Ranking | Amounts, name: str, instead: str = "") -> None:
    """Raise ValueError for rows that do not count alike."""
    uneven = counts.has_exposure if is_amounts(counts) else not counts_alike(counts)
    if uneven:
        what = "have an exposure" if is_amounts(counts) else "are weighted"
        raise ValueError(f"{name} counts rows, and these {what}{instead}")


def _of_one(
    numbers: Callable[..., Floats], counts: Ranking | Amounts, name: str, k: object, **options: Any
) -> float:
    """Return the number of the only segment; all cases are selected where k is None."""
    if k is not None:
        options["k"] = as_depth(k)
    if is_amounts(counts):
        require_amount(counts, absolute=counts.signed)
    else:
        require(counts, "positives")
    _refuse_weighted(counts, name)
    if isinstance(counts, ValueSums):
        raise NotHeldError(f"{name} needs each amount, and these are sums by score")
    held = counts if is_amounts(counts) else counts.every_score()
    return float(numbers(SegmentCounts.of({"": held}), **options)[0])


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
    return _of_one(hit_rates, counts, "hit_rate", as_depth(k))


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
    return _of_one(reciprocal_ranks, counts, "reciprocal_rank", k)


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
    return _of_one(ndcgs, counts, "ndcg", k, gain=gain)


def hit_rates(counts: SegmentCounts, *, k: int) -> Floats:
    """Return the hit rate of each segment, NaN without positives."""
    return _of_first(counts, k, np.ones_like)


def reciprocal_ranks(counts: SegmentCounts, *, k: int = LARGEST_TOTAL) -> Floats:
    """Return the reciprocal rank of each segment, NaN without positives."""
    return _of_first(counts, k, np.reciprocal)


def _of_first(counts: SegmentCounts, depth: int, worth: Callable[[Floats], Floats]) -> Floats:
    """Return what the place of the first positive is worth in each segment, on average."""
    cells, found = SegmentCells.of(counts), np.full(len(counts), np.nan)
    held, holding = np.flatnonzero(cells.positives), np.flatnonzero(cells.e)
    first = holding[np.searchsorted(holding, counts.starts[held])]
    above, m, e = (column[first] for column in (cells.before_m, cells.m, cells.e))
    # Of its places those count that are within the depth and have any chance.
    within = np.minimum(depth - above, m - e + 1).clip(0)
    places = np.minimum(within, np.ceil(LEAST_LOG_CHANCE / e * m) + 1)
    ties: Floats = np.array([above, m, e], dtype=np.float64)
    size = np.exp2(np.ceil(np.log2(places.clip(1, MOST_TIED)))).astype(np.int64)
    for room in np.unique(size).tolist():
        rows = np.flatnonzero(size == room)
        for some in np.array_split(rows, -(-len(rows) * room // MOST_TIED)):
            found[held[some]] = _over_orders(ties[:, some], places[some], depth, room, worth)
    return found


def _over_orders(
    ties: Floats, places: Floats, depth: int, room: int, worth: Callable[[Floats], Floats]
) -> Floats:
    """Return what the first positive of ties is worth, given cases above, cases and positives."""
    above, m, e = ties[:, :, None]
    j = np.arange(1.0, room + 1)
    left = (m - j + 1).clip(1)
    missed = np.cumprod((left - e).clip(0) / left, axis=1)
    chance = np.concatenate([np.ones_like(m), missed[:, :-1]], axis=1) * e / left
    chance[j > places[:, None]] = 0.0
    found: Floats = (chance * worth(above + j)).sum(axis=1)
    # Places that are deeper are looked at in pieces.
    for row in np.flatnonzero(places > room).tolist():
        own_above, own_m, own_e = ties[:, row].tolist()
        middle, ends = own_m - (own_e - 1) / 2, np.geomspace(room, places[row], FAR_PIECES)
        beyond = missed[row, -1] * ((middle - ends) / (middle - room)) ** own_e
        found[row] -= np.diff(beyond) @ worth(own_above + (ends[1:] + ends[:-1] + 1) / 2)
    # What chances of all places lack to 1 is rounding.
    whole = (depth - ties[0] > ties[1] - ties[2]) & (places <= room)
    np.divide(found, chance.sum(axis=1), out=found, where=whole)
    return found


def ndcgs(counts: SegmentCounts, *, k: int = LARGEST_TOTAL, gain: Gain = "linear") -> Floats:
    """Return the nDCG of each segment, NaN without positives or gains."""
    as_word(gain, "gain", get_args(Gain), either=True)
    if counts.kind is ScoreCounts:
        cells = SegmentCells.of(counts)
        best = _discounts(np.zeros_like(cells.positives), cells.positives, k)
    else:
        cells, best = _graded(counts, k, gain)
    held, gained = np.flatnonzero(cells.e), np.zeros(len(cells.m))
    m = cells.m[held]
    gained[held] = cells.e[held] / m * _discounts(cells.before_m[held], m, k)
    return np.minimum(quotient(cells.total(gained), best, np.nan), 1.0)


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
    ends = np.minimum([above, above + cases], depth)
    found: Floats = (ends[1] > ends[0]) / np.log2(ends[0] + 2.0)
    # Of a single place it is no difference of large sums.
    several = np.flatnonzero(ends[1] > ends[0] + 1)
    ends = ends[:, several]
    tabled = ends.clip(max=MOST_TABLED)
    places = np.arange(1.0, tabled.max(initial=0) + 1)
    sums = np.append(0, np.cumsum(1 / np.log2(places + 1)))[tabled]
    deep = ends > tabled
    sums[deep] += _primitive(ends[deep]) - _primitive(tabled[deep])
    found[several] = sums[1] - sums[0]
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

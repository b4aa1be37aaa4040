"""How far apart the two classes lie: KS, Pietra index, Bayesian error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import best_cutoffs, require, shares
from capcurve.gate.taking import takes_counts
from capcurve.metrics.ranking import LARGEST_PAIRS
from capcurve.metrics.registry import Metric
from capcurve.numbers.arguments import as_open_share, as_word
from capcurve.numbers.exact import BLOCK, cumulated, quotient, running_blocks
from capcurve.numbers.kept_cutoffs import SHARE_ERROR, Extreme, gaps_between
from capcurve.numbers.meeting import as_written
from capcurve.numbers.threads import at_once, each_at_once
from capcurve.numbers.totals import are_single

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts import Ranking, ScoreCounts, SegmentCounts
    from capcurve.numbers.types import Array, Floats, Ints

    # How many cells are selected, and the gap there.
    Gaps = tuple[Ints, Array]


@dataclass(frozen=True, slots=True)
class KSPlace:
    """One place where the KS statistic is reached.

    Attributes
    ----------
    q
        Share of all cases selected there.
    threshold
        Lowest-ranked score still selected; None when none is.
    gap
        Positives captured minus negatives captured there.

    Examples
    --------
    The best two of five cases hold two of three positives and no negative:

    >>> from capcurve import count_scores, ks
    >>> place = ks(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).places[0]
    >>> place.q, place.threshold, round(place.gap, 3)
    (0.4, 0.7, 0.667)
    """

    q: float
    threshold: Any
    gap: float


@dataclass(frozen=True, slots=True, repr=False)
class KS:
    """The KS statistic: the largest gap between positives and negatives captured.

    Attributes
    ----------
    statistic
        The two-sided statistic, in [0, 1].
    q, threshold
        The first place where it is reached: share of cases selected, score still selected.
    side
        "+" when positives lead there, "-" when negatives do: the score is then reversed.
    places
        All places where it is reached.
    positive_side, negative_side
        The largest gap in favour of each class, both zero or more.
    """

    statistic: float
    q: float
    threshold: Any
    side: Literal["+", "-"]
    places: tuple[KSPlace, ...]
    positive_side: float
    negative_side: float

    def __repr__(self) -> str:
        leads = "positives" if self.side == "+" else "negatives"
        return f"KS {self.statistic:.3f} at {self.q:.1%} of cases, where {leads} lead"

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>"


@takes_counts
def ks(counts: Ranking) -> KS:
    """Return the Kolmogorov-Smirnov statistic of positives against negatives, and its place.

    Taken at the ends of ties only, in both directions. It equals max(CAP(q) - q)/(1 - π) when
    positives lead. Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Notes
    -----
    Conover (1999), Practical Nonparametric Statistics, 6.3.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> found = ks(count_scores([1, 1, 0, 1, 0], [5, 4, 3, 2, 1]))
    >>> round(found.statistic, 12), found.q, found.threshold
    (0.666666666667, 0.4, 4)
    """
    require(counts, "positives", "negatives")
    counts = counts.vertices
    leads, lags = Extreme(+1), Extreme(-1)
    for highest_gaps, lowest_gaps in _gaps(counts):
        leads.offer(*highest_gaps)
        lags.offer(*lowest_gaps)
    # What a gap of 1 is: all pairs of a positive and a negative, for whole counts.
    unit: Any = counts.n1 * counts.n0 if counts.is_whole else 1.0
    near = 0 if counts.is_whole else SHARE_ERROR * unit
    highest = max(leads.best, -lags.best)
    found = dict(leads.within(highest, near))
    found |= dict(lags.within(highest, near)) if highest > near else {}
    places = _placed(counts, {cell: _share(gap, unit) for cell, gap in sorted(found.items())})
    widest, above, below = (_share(gap, unit) for gap in (highest, leads.best, -lags.best))
    first = places[0]
    side: Literal["+", "-"] = "+" if first.gap >= 0 else "-"
    return KS(widest, first.q, first.threshold, side, places, above, below)


def _gaps(counts: ScoreCounts) -> Iterator[tuple[Gaps, Gaps]]:
    """Yield the gaps of each block of cells among which its highest are, and its lowest."""
    # With c of n1 positives and d of n0 negatives captured the gap is c·n0 - d·n1 of n1·n0 pairs,
    # exactly. For weights it is the difference of the shares captured.
    n1, n0 = counts.n1, counts.n0
    if not counts.is_whole:
        columns = (counts.positives, counts.negatives)
        c, d = (sums[1:] for sums in at_once(cumulated, columns, len(counts)))

        def shares_apart(start: int) -> Gaps:
            cells = slice(start, start + BLOCK)
            gaps = c[cells] / c[-1] - d[cells] / d[-1]
            return np.arange(start + 1, start + 1 + len(gaps)), gaps

        for found in each_at_once(shares_apart, range(0, len(c), BLOCK), min(len(c), BLOCK)):
            yield found, found
        return
    captured = passed = 0
    for start in range(0, len(counts), BLOCK):
        p, n = counts.positives[start : start + BLOCK], counts.negatives[start : start + BLOCK]
        if are_single(p, n):
            # It is highest after a positive, and lowest before one or at the end.
            place = np.append(np.flatnonzero(p.view(np.bool_)), len(p))
            place = place.astype(np.int64, copy=False)
            tp = np.arange(captured, captured + len(place), dtype=np.int64)
            fp = place + (passed + captured) - tp
            gaps, place = gaps_between(tp, fp, n1, n0), place + start
            yield (place[:-1] + 1, gaps[:-1] + n0), (place, gaps)
        else:
            tp, fp = np.cumsum(p, dtype=np.int64) + captured, np.cumsum(n, dtype=np.int64) + passed
            gaps, place = gaps_between(tp, fp, n1, n0), np.arange(start + 1, start + 1 + len(p))
            yield (place, gaps), (place, gaps)
        captured, passed = int(tp[-1]), int(fp[-1])


def ks_of_segments(counts: SegmentCounts) -> Floats:
    """Return the KS statistic of each segment, NaN where a class is missing."""
    cells = SegmentCells.of(counts)
    n1, n0 = cells.positives, cells.cases - cells.positives
    pairs = n1.astype(np.float64) * n0
    if pairs.max(initial=0) < LARGEST_PAIRS:
        tp, selected = cells.before_e + cells.e, cells.before_m + cells.m
        gaps = np.abs(tp * cells.spread(n0) - (selected - tp) * cells.spread(n1))
        return quotient(cells.highest(gaps), n1 * n0, np.nan)
    found = np.full(len(counts), np.nan)
    for at in np.flatnonzero(pairs > 0).tolist():  # such gaps are no whole numbers in floats
        found[at] = ks(counts.at(at)).statistic
    return found


def _share(gap: Any, unit: Any) -> float:
    whole = int(gap) if isinstance(gap, int | np.integer) else gap
    return float(whole / unit) + 0.0


def _placed(counts: ScoreCounts, gaps: dict[int, float]) -> tuple[KSPlace, ...]:
    """Return the cut-offs after so many cells, with the gaps there."""
    kind = np.int64 if counts.is_whole else np.float64
    thresholds = counts.thresholds
    places, before, selected = [], 0, kind(0)
    for cell, gap in gaps.items():
        between = slice(before, cell)
        selected += counts.positives[between].sum(dtype=kind)
        selected += counts.negatives[between].sum(dtype=kind)
        before = cell
        threshold = thresholds[cell - 1] if cell else None
        plain = as_written(threshold).item() if isinstance(threshold, np.generic) else threshold
        places.append(KSPlace(float(selected / counts.n), plain, gap))
    return tuple(places)


@takes_counts
def pietra_index(
    counts: Ranking, *, convention: Literal["wp14", "half_ks", "ks"] = "wp14"
) -> float:
    """Return the Pietra index, in a named convention: three are in use.

    From 0 to sqrt(2)/4, 1/2 or 1, by convention. Raises `ValueError` when a class is missing or the
    convention is none of these.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    convention
        "wp14": sqrt(2)/4 · KS, the formula of Basel Working Paper 14; "half_ks": KS/2, the
        area of the triangle its words describe; "ks": KS itself, as Lee and Stata have it.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> pietra_index(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), convention="half_ks")
    0.25
    """
    factors = {"wp14": math.sqrt(2) / 4, "half_ks": 0.5, "ks": 1.0}
    return factors[as_word(convention, "convention", factors, quote="")] * ks(counts).statistic


@takes_counts
def bayesian_error_rate(counts: Ranking, *, prior: float | None = None) -> float:
    """Return the Bayesian error rate: the least share of cases that any cut-off misclassifies.

    Selecting nobody and selecting everybody are cut-offs too, so at low rates it is often the rate
    itself. From 0 to the smaller of the rate and its complement. Raises `ValueError` when a class
    is missing or the prior lies outside (0, 1).

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    prior
        Share of positives to assume; that of the counts when left out. At 0.5 the result is
        (1 - KS)/2.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> bayesian_error_rate(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.25
    """
    require(counts, "positives", "negatives")
    counts = best_cutoffs(counts)
    if prior is None and counts.is_whole:
        n1 = int(counts.n1)
        # Positives left out and negatives selected together, at any cut-off.
        errors = (n1 + int((fp - tp).min()) for _, tp, fp in running_blocks(counts))
        return min(n1, *errors) / int(counts.n)
    sums = shares(counts)
    p, n = sums.positives, sums.negatives
    rate = counts.n1 / counts.n if prior is None else as_open_share(prior, "prior")
    errors = rate * (1 - p.sums / p.total) + (1 - rate) * (n.sums / n.total)
    return float(errors.min())


SEPARATION_METRICS = (
    Metric(
        function=ks,
        label="KS",
        flag="ks",
        number=attrgetter("statistic"),
        in_summary=True,
        of_segments=ks_of_segments,
    ),
    Metric(function=pietra_index, label="Pietra index"),
    Metric(function=bayesian_error_rate, label="Bayesian error rate", form="share", worthless=None),
)

"""What a page keeps of one score's counts: exact running sums at some of the cut-offs."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.simplify import stops
from capcurve.report.spread import score_spread
from capcurve.summary.chance import TOP
from capcurve.tables import best_thresholds
from capcurve.tables.cutoffs import selected_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.report.content import Content


@dataclass(frozen=True, slots=True)
class Kept:
    """One score as the page draws it.

    Attributes
    ----------
    counts
        The same cases in fewer cells: one for each stretch between two cut-offs.
    positives, negatives
        Running sums of each class at the cut-offs, 0 first.
    ks
        At which of the cut-offs KS is reached; 0 where it is at none.
    best
        At which the profit is largest; empty without money.
    spread
        How many cases of each class lie where along the scores, or None.
    """

    counts: ScoreCounts
    positives: NDArray[Any]
    negatives: NDArray[Any]
    ks: int
    best: tuple[int, ...]
    spread: dict[str, Any] | None


def keep(content: Content, name: str, tolerance: float, steps: int) -> Kept:
    """Return what a page keeps of one score that has both classes."""
    counts, found = content.counts[name], content.summaries[name].ks
    ks = _place(counts, None if found is None else found.threshold)
    best = _best_profits(content, counts)
    positives, negatives = cumulated(counts.positives), cumulated(counts.negatives)
    regular = stops(positives, negatives, tolerance, steps)
    named = [ks, *best, *_about_top(content, positives, negatives), *_bin_ends(content, name)]
    places = np.union1d(regular, named).astype(np.intp)
    return Kept(
        counts.joined(places[1:]),
        positives[places],
        negatives[places],
        int(np.searchsorted(places, ks)),
        tuple(np.searchsorted(places, best).tolist()) if best else (),
        score_spread(counts, positives, negatives),
    )


def _place(counts: ScoreCounts, threshold: Any) -> int:
    return 0 if threshold is None else selected_at(counts, threshold)


def _about_top(
    content: Content, positives: NDArray[Any], negatives: NDArray[Any]
) -> tuple[int, int]:
    """Return the two cut-offs between which the top 10% end, where the headline reads the CAP."""
    last, rate = len(positives) - 1, content.prevalence

    def share(place: int) -> float:
        p, n = positives[place].item(), negatives[place].item()
        if rate is None:
            return float((p + n) / (positives[-1].item() + negatives[-1].item()))
        return float(rate * p / positives[-1].item() + (1 - rate) * n / negatives[-1].item())

    within = bisect_right(range(last + 1), TOP, key=share) - 1
    return within, min(within + 1, last)


def _bin_ends(content: Content, name: str) -> list[int]:
    """Return the cut-offs that the gains table shows, so that each can be typed."""
    gains = content.summaries[name].gains
    if gains is None:
        return []
    return [_place(content.counts[name], score) for score in gains["score_to"].tolist()]


def _best_profits(content: Content, counts: ScoreCounts) -> list[int]:
    # Under a stated prevalence the best cut-off is looked for among those that are kept.
    if content.money is None or content.prevalence is not None:
        return []
    money = content.money
    found = best_thresholds(counts, "profit", value=money.value, cost=money.cost)
    return [_place(counts, point.threshold) for point in found]

"""What a page keeps of one score's counts: exact running sums at some of the cut-offs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.stops import added_up_to, stops
from capcurve.report.spread import score_spread
from capcurve.tables import best_thresholds
from capcurve.tables.selecting import selected_at

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
    places = np.union1d(regular, [ks, *best]).astype(np.intp)
    return Kept(
        added_up_to(counts, positives, negatives, places),
        positives[places],
        negatives[places],
        int(np.searchsorted(places, ks)),
        tuple(np.searchsorted(places, best).tolist()) if best else (),
        score_spread(counts, positives, negatives),
    )


def _place(counts: ScoreCounts, threshold: Any) -> int:
    return 0 if threshold is None else selected_at(counts, threshold)


def _best_profits(content: Content, counts: ScoreCounts) -> list[int]:
    # Under a stated prevalence the best cut-off is looked for among those that are kept.
    if content.money is None or content.prevalence is not None:
        return []
    money = content.money
    found = best_thresholds(counts, "profit", value=money.value, cost=money.cost)
    return [_place(counts, point.threshold) for point in found]

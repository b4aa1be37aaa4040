"""One score as a page draws it: exact running sums at some cut-offs, and bars of its scores."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capcurve.counts.exact import cumulated
from capcurve.counts.given import is_amounts
from capcurve.curves.simplify import stops, stops_of_amounts
from capcurve.summary.chance import TOP
from capcurve.tables import best_thresholds
from capcurve.tables.cutoffs import selected_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.counts import ScoreCounts, ValueSums
    from capcurve.report.content import Content

# Whole numbers or weights, and scores of any type.
Sums: TypeAlias = NDArray[Any]
Scores: TypeAlias = NDArray[Any]
MOST_BINS = 40
MOST_BARS = 40
# Where half a percent of the cases at an end would press the rest together, they share a bar
# that is labelled as open.
TAIL = 0.005
ROOM = 1.6
NICE = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Stops:
    """One score as the page draws it.

    Attributes
    ----------
    counts
        The same cases in fewer cells: one for each stretch between two cut-offs.
    sums
        Running sums at the cut-offs, 0 first: "tp" and "fp", or "selected" and "captured", and
        "rows" where these are not what is selected.
    ks
        At which of the cut-offs KS is reached; 0 where it is at none.
    best
        At which the profit is largest; empty without money.
    spread
        How many cases of each class, or how much exposure and amount, lie where along the scores,
        or None.
    """

    counts: ScoreCounts | ValueSums
    sums: Mapping[str, Sums]
    ks: int
    best: tuple[int, ...]
    spread: dict[str, object] | None


def stops_of(content: Content, name: str, tolerance: float, steps: int) -> Stops:
    """Return the cut-offs of one score that has an accuracy ratio."""
    counts = content.held(name)
    whole = _of_amounts(counts) if is_amounts(counts) else _of_classes(counts, content.prevalence)
    found = getattr(content.summaries[name], "ks", None)
    ks = _place(counts, None if found is None else found.threshold)
    best = _best_profits(content, name)
    named = [ks, *best, *_about_top(whole), *_bin_ends(content, name)]
    places = np.union1d(whole.regular(tolerance, steps), named).astype(np.intp)
    return Stops(
        counts.joined(places[1:]),
        {name: sums[places] for name, sums in whole.sums.items()},
        int(np.searchsorted(places, ks)),
        tuple(np.searchsorted(places, best).tolist()) if best else (),
        score_spread(counts, whole.parts, whole.cases),
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """Running sums over all distinct scores of one ranking, and how they are read.

    Attributes
    ----------
    sums
        As in `Stops`.
    parts
        Those of which bars are drawn along the scores.
    cases
        What the bars are chosen by.
    share
        The share selected at a cut-off.
    regular
        Which cut-offs keep the curves within a tolerance, with so many steps.
    """

    sums: Mapping[str, Sums]
    parts: Mapping[str, Sums]
    cases: Sums
    share: Callable[[int], float]
    regular: Callable[[float, int], NDArray[np.intp]]


def _of_classes(counts: ScoreCounts, rate: float | None) -> _Whole:
    p, n = cumulated(counts.positives), cumulated(counts.negatives)
    positives, negatives = p[-1].item(), n[-1].item()

    def share(place: int) -> float:
        if rate is None:
            return float((p[place].item() + n[place].item()) / (positives + negatives))
        return float(rate * p[place].item() / positives + (1 - rate) * n[place].item() / negatives)

    return _Whole(
        {"tp": p, "fp": n},
        {"positives": p, "negatives": n},
        p + n,
        share,
        lambda tolerance, steps: stops(p, n, tolerance, steps),
    )


def _of_amounts(counts: ValueSums) -> _Whole:
    selected, captured = cumulated(counts.exposures), cumulated(counts.amounts)
    sums = {"selected": selected, "captured": captured}
    if counts.has_exposure:
        sums["rows"] = cumulated(counts.rows)
    return _Whole(
        sums,
        {} if counts.signed else {"captured": captured, "selected": selected},
        selected,
        lambda place: float(selected[place] / selected[-1]),
        lambda tolerance, steps: stops_of_amounts(selected, captured, tolerance, steps),
    )


def _place(counts: ScoreCounts | ValueSums, threshold: object) -> int:
    return 0 if threshold is None else selected_at(counts, threshold)


def _about_top(whole: _Whole) -> tuple[int, int]:
    """Return the two cut-offs between which the top 10% end, where the headline reads the CAP."""
    last = len(whole.cases) - 1
    within = bisect_right(range(last + 1), TOP, key=whole.share) - 1
    return within, min(within + 1, last)


def _bin_ends(content: Content, name: str) -> list[int]:
    """Return the cut-offs that the gains table shows, so that each can be typed."""
    gains = content.summaries[name].gains
    if gains is None:
        return []
    return [_place(content.held(name), score) for score in gains["score_to"].tolist()]


def _best_profits(content: Content, name: str) -> list[int]:
    # Under a stated prevalence the best cut-off is looked for among those that are kept.
    if content.money is None or content.prevalence is not None:
        return []
    counts, money = content.held(name), content.money
    found = best_thresholds(counts, "profit", value=money.value, cost=money.cost)
    return [_place(counts, point.threshold) for point in found]


def score_spread(
    counts: ScoreCounts | ValueSums, parts: Mapping[str, Sums], cases: Sums
) -> dict[str, object] | None:
    """Return the parts of all cases by score, or by bins of equal width when there are many.

    `parts` are running sums, such as those of each class, and `cases` what the bins are chosen by.

    Returns
    -------
    dict or None
        Each part of each bar, from the lowest score up, and `labels`, one score per bar, or
        `edges`: a bin reaches from one edge to short of the next. `below` and `above` say whether
        there is one more bar for all that lies before the first edge, or from the last edge on.
        None without parts, and when many scores have no distances, as decimals do.
    """
    if not parts:
        return None
    if len(counts) <= MOST_BARS:
        upwards = slice(None, None, -1 if counts.higher_is == "positive" else 1)
        bars = {name: np.diff(sums)[upwards] for name, sums in parts.items()}
        return {"labels": counts.thresholds[upwards], **bars}
    rising = counts.thresholds
    if counts.higher_is == "positive":
        rising, cases = rising[::-1], cases[::-1]
        parts = {name: sums[::-1] for name, sums in parts.items()}
    edges = _edges(rising, np.abs(cases - cases[0]))
    if edges is None:
        return None
    places = [_scores_before(rising, edge) for edge in edges]
    below, above = places[0] > 0, places[-1] < len(rising)
    places = [*([0] if below else []), *places, *([len(rising)] if above else [])]
    return {
        "edges": edges,
        "below": below,
        "above": above,
        **{name: np.abs(np.diff(sums[places])) for name, sums in parts.items()},
    }


def _edges(rising: Scores, cases: Sums) -> list[float] | None:
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


def _scores_before(rising: Scores, edge: float) -> int:
    """Return how many ascending scores are below an edge, compared exactly at any size."""
    return bisect_left(range(len(rising)), edge, key=lambda place: rising[place].item())

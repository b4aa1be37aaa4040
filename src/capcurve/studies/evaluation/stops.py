"""One score as a page draws it: exact running sums at some cut-offs, and bars of its scores."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.table import upward
from capcurve.curves.simplify import CUTOFF_LEVELS, stops, stops_of_amounts
from capcurve.gate.given import is_amounts
from capcurve.numbers.exact import cumulated
from capcurve.numbers.meeting import selected_at
from capcurve.plots.distributions import nice_step, round_edges, usual_scores
from capcurve.results.known import LIFT_SHARE
from capcurve.results.selective import certified_share
from capcurve.tables import best_thresholds
from capcurve.tables.thresholds import selected_at_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.counts import ScoreCounts, ValueSums
    from capcurve.numbers.types import Array, Places
    from capcurve.studies.evaluation.content import Content

MOST_BARS = 40
# For each step of the share selected, so many distinct scores are all cut-offs of the page.
EACH = 8
# Of more, those are that select what a round score does: one on a grid along the usual scores, or a
# number of two digits, from so many decades below the largest of them to some above.
DECADES_BELOW, DECADES_ABOVE = 5, 3
TWO_DIGITS = range(10, 100)
# Where few cut-offs are wanted, curves are looked at between so many levels of each class.
FEW_LEVELS = 1000
# A score is typed with fewer digits than that.
LEAST_DIGITS, MOST_DIGITS = 6, 18


@dataclass(frozen=True, slots=True)
class Stops:
    """One score as the page draws it."""

    # The same cases in fewer cells: one for each stretch between two cut-offs.
    counts: ScoreCounts | ValueSums
    # Running sums at the cut-offs, 0 first: "tp" and "fp", or "selected" and "captured", and "rows"
    # where these are not what is selected.
    sums: Mapping[str, Array]
    ks: int  # at which of the cut-offs KS is reached; 0 where it is at none
    best: tuple[int, ...]  # at which the profit is largest; empty without money
    # Down to which score, or up to which where low ones are selected, each cut-off but the last is
    # known to select the same cases, where the page skips the next score of the data; None where it
    # does not; empty where it skips none.
    reach: list[object]
    # How many cases of each class, or how much exposure and amount, lie where along the scores, or
    # None.
    spread: dict[str, object] | None


def stops_of(
    evaluation: Content, name: str, tolerance: float, steps: int, *, sparse: bool = False
) -> Stops:
    """Return the cut-offs of one score that has an accuracy ratio; sparse ones for many scores."""
    counts = evaluation.held(name)
    whole = (
        _of_amounts(counts) if is_amounts(counts) else _of_classes(counts, evaluation.prevalence)
    )
    found = getattr(evaluation.summaries[name], "ks", None)
    ks = _place(counts, None if found is None else found.threshold)
    best = _best_profits(evaluation, name)
    if len(counts) <= EACH * steps or counts.levels is not None:
        places = np.arange(len(counts) + 1)
    else:
        sure = certified_share(evaluation.summaries[name]) or LIFT_SHARE
        named = [1, ks, *best, *_about_top(whole, LIFT_SHARE), *_about_top(whole, sure)]
        if (gains := evaluation.summaries[name].gains) is not None:  # each of them can be typed
            named += [_place(counts, score) for score in gains["score_to"].tolist()]
        typed = _round_scores(counts, whole.cases, steps, grid_only=sparse)
        round_ones = selected_at_each(counts, typed)
        regular = whole.regular(tolerance, steps, FEW_LEVELS if sparse else CUTOFF_LEVELS)
        places = np.unique(np.concatenate([regular, round_ones, named])).astype(np.intp)
    return Stops(
        counts.joined(places[1:]),
        {name: sums[places] for name, sums in whole.sums.items()},
        int(np.searchsorted(places, ks)),
        tuple(np.searchsorted(places, best).tolist()) if best else (),
        _reach(counts, places),
        score_spread(counts, whole.parts, whole.cases),
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """Running sums over all distinct scores of one ranking, and how they are read."""

    sums: Mapping[str, Array]  # as in `Stops`
    parts: Mapping[str, Array]  # those of which bars are drawn along the scores
    cases: Array  # what the bars are chosen by
    share: Callable[[int], float]  # the share selected at a cut-off
    # Which cut-offs keep the curves within a tolerance, with so many steps, looked at between so
    # many levels.
    regular: Callable[[float, int, int], Places]


def _of_classes(counts: ScoreCounts, rate: float | None) -> _Whole:
    p, n = cumulated(counts.positives), cumulated(counts.negatives)
    positives, negatives = p[-1].item(), n[-1].item()

    def share(place: int) -> float:
        if rate is None:
            return float((p[place].item() + n[place].item()) / (positives + negatives))
        return float(rate * p[place].item() / positives + (1 - rate) * n[place].item() / negatives)

    return _Whole(
        {"tp": p, "fp": n}, {"positives": p, "negatives": n}, p + n, share, partial(stops, p, n)
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
        partial(stops_of_amounts, selected, captured),
    )


def _place(counts: ScoreCounts | ValueSums, threshold: object) -> int:
    return 0 if threshold is None else selected_at(counts, threshold)


def _reach(counts: ScoreCounts | ValueSums, places: Places) -> list[object]:
    """Return how far each cut-off but the last is known to select the same cases."""
    # The first is that before the first score, which is a cut-off of every page.
    skips = np.diff(places) > 1
    if not skips.any():
        return []
    skipped = np.flatnonzero(skips)
    found: list[object] = [None] * len(skips)
    ends = (counts.thresholds[places[skipped] + shift].tolist() for shift in (-1, 0))
    for place, score, following in zip(skipped.tolist(), *ends, strict=True):
        found[place] = _short_of(following, score)
    return found


def _short_of(following: Any, score: Any) -> Any:
    """Return the number nearest to the following score that is short of it, in few digits.

    >>> _short_of(0.4712345678, 0.55), _short_of(610, 620), _short_of(0.30000001, 0.3)
    (0.471235, 611, 0.3)
    """
    upwards = score > following
    if isinstance(following, int):
        return following + (1 if upwards else -1)
    for digits in range(LEAST_DIGITS, MOST_DIGITS):
        context = Context(prec=digits, rounding=ROUND_CEILING if upwards else ROUND_FLOOR)
        near = context.plus(Decimal(following))
        if float(near) == following:
            near = context.next_plus(near) if upwards else context.next_minus(near)
        low, high = sorted((float(near), float(following)))
        if low != high and (float(near) <= score if upwards else float(near) >= score):
            return float(near)
    return score


def _about_top(whole: _Whole, share: float) -> tuple[int, int]:
    """Return the two cut-offs between which the share ends that the headline is about."""
    last = len(whole.cases) - 1
    within = bisect_right(range(last + 1), share, key=whole.share) - 1
    return within, min(within + 1, last)


def _best_profits(evaluation: Content, name: str) -> list[int]:
    # Under a stated prevalence the best cut-off is looked for among those that are kept.
    if evaluation.money is None or evaluation.prevalence is not None:
        return []
    counts, money = evaluation.held(name), evaluation.money
    found = best_thresholds(counts, "profit", value=money.value, cost=money.cost)
    return [_place(counts, point.threshold) for point in found]


def score_spread(
    counts: ScoreCounts | ValueSums, parts: Mapping[str, Array], cases: Array
) -> dict[str, object] | None:
    """Return the parts of all cases by score, or by bins of equal width when there are many."""
    # `parts` are running sums, such as those of each class, and `cases` what the bins are chosen
    # by.
    if not parts:
        return None
    if len(counts) <= MOST_BARS:
        upwards = upward(counts.higher_is)
        bars = {name: np.diff(sums)[upwards] for name, sums in parts.items()}
        return {"labels": counts.thresholds[upwards], **bars}
    rising, cases_below = _rising(counts, cases)
    if counts.higher_is == "positive":
        parts = {name: sums[::-1] for name, sums in parts.items()}
    between = usual_scores(rising, cases_below, float(cases[-1]))
    if between is None:
        return None
    # Equally far apart, around the scores or all but their tails.
    edges = round_edges(*between, whole=rising.dtype.kind in "iu")
    places = [
        # Compared exactly at any size.
        bisect_left(range(len(rising)), edge, key=lambda place: rising[place].item())
        for edge in edges
    ]
    below, above = places[0] > 0, places[-1] < len(rising)
    places = [*([0] if below else []), *places, *([len(rising)] if above else [])]
    return {
        "edges": edges,
        "below": below,
        "above": above,
        **{name: np.abs(np.diff(sums[places])) for name, sums in parts.items()},
    }


def _rising(counts: ScoreCounts | ValueSums, cases: Array) -> tuple[Array, Callable[[int], Any]]:
    """Return the scores from the lowest up, and how many cases lie below a place among them."""
    # Only a few places are asked for: to turn all sums round would take longer than the rest.
    last = len(cases) - 1
    if counts.higher_is == "positive":
        return counts.thresholds[::-1], lambda place: cases[-1] - cases[last - place]
    return counts.thresholds, lambda place: cases[place]


def _round_scores(
    counts: ScoreCounts | ValueSums, cases: Array, most: int, *, grid_only: bool
) -> list[float]:
    """Return scores as people type them: on a grid of so many steps at most, or of two digits."""
    rising, below = _rising(counts, cases)
    between = usual_scores(rising, below, float(cases[-1]))
    if between is None:
        return []
    low, high = between
    size, digit = nice_step((high - low) / most)
    grid = range(math.ceil(low / (digit * 10.0**size)), math.floor(high / (digit * 10.0**size)) + 1)
    usual = math.floor(math.log10(max(abs(low), abs(high)))) - 1
    decades = range(usual - DECADES_BELOW, usual + DECADES_ABOVE)
    texts = [f"{place * digit}e{size}" for place in grid]
    if not grid_only:
        texts += [f"{s}{d}e{decade}" for decade in decades for d in TWO_DIGITS for s in ("", "-")]
    return sorted({score for score in map(float, texts) if rising[0] <= score <= rising[-1]})

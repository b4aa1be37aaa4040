"""Charts along the score: how scores are spread, and the KS segment between both classes."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import ScoreDistributions, score_distributions
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT
from capcurve.plots.models import CLASS_STYLES, LONGEST_IN_LEGEND, Model, sample_with_ratio
from capcurve.show.chart import (
    MARKS,
    STYLE_OF_NEGATIVES,
    STYLE_OF_POSITIVES,
    Axis,
    Bars,
    Chart,
    Line,
    Marker,
    ScoreTicks,
    Style,
)
from capcurve.show.format import capitalised, number, plain_names, tick_text
from capcurve.tables import operating_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.numbers.types import Floats

# Up to so many distinct scores each has its place; up to so many each has bars.
MOST_SCORES_PLACED, MOST_SCORES_WITH_BARS = 40, 12
PAD_FOR_INFINITY = 0.06
LAST_DIGITS = 6
CLASS_BAR = 0.27
MOST_HISTOGRAM_BINS, NICE = 40, (1, 2, 5, 10)
# Where half a percent of the cases at an end would press the rest together, they share a bar
# that is labelled as open.
TAIL = 0.005
STOPS_BEYOND = 1.6


def places_of_scores(
    model: Model, counts: ScoreCounts, scores: NDArray[np.generic]
) -> tuple[ScoreTicks, str]:
    """Return where distinct scores, given in ascending order, stand on an axis, and its name."""
    items = scores.tolist()
    even = np.arange(len(items), dtype=np.float64)
    if counts.levels is not None:
        names = [model.write(name) for name in plain_names(items, LONGEST_IN_LEGEND)]
        return ScoreTicks(even, names), model.name or "Grade"
    name = model.name or "Score"
    if len(items) <= MOST_SCORES_PLACED:
        return ScoreTicks(even, _number_names(items)), name
    if scores.dtype.kind in "iu" and max(abs(items[0]), abs(items[-1])) > LARGEST_EXACT_IN_FLOAT:
        # Differences modulo 2^64 are exact, even between the ends of int64.
        lowest = scores.astype(np.uint64) - scores[:1].astype(np.uint64)
        return ScoreTicks(lowest.astype(np.float64)), f"{name}, above {items[0]}"
    return _with_infinity(scores.astype(np.float64)), name


def _number_names(items: list[object]) -> list[str]:
    """Write numbers as short as they stay distinct; of long whole numbers the last digits."""
    whole = [str(item) for item in items]
    long = [isinstance(item, int) and len(str(item)) > LAST_DIGITS for item in items]
    ends = [
        f"…{text[-LAST_DIGITS:]}" if cut else text for text, cut in zip(whole, long, strict=True)
    ]
    short = ([tick_text(item) for item in items], ends)
    return next((names for names in short if len(set(names)) == len(items)), whole)


def _with_infinity(values: Floats) -> ScoreTicks:
    """Stand infinite scores a little apart from the others."""
    finite = values[np.isfinite(values)]
    pad = PAD_FOR_INFINITY * float(finite[-1] - finite[0])
    at, infinite = values.copy(), []
    for value, place in ((-np.inf, float(finite[0]) - pad), (np.inf, float(finite[-1]) + pad)):
        if (values == value).any():
            at[values == value] = place
            infinite.append((place, tick_text(value)))
    return ScoreTicks(at, infinite=tuple(infinite))


def round_edges(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return at most about 40 round edges, equally far apart, around two scores.

    >>> round_edges(5.42, 8.9)[:3], round_edges(0, 99, whole=True)[:3]
    ([5.4, 5.5, 5.6], [0.0, 5.0, 10.0])
    """
    size, digit = nice_step((high - low) / MOST_HISTOGRAM_BINS)
    if whole:
        size, digit = max((size, digit), (0, 1))
    step = digit * 10.0**size
    first, last = math.floor(low / step), math.floor(high / step) + 1
    # Written as decimals and read again, so that an edge is the number that its label shows.
    return [float(f"{place * digit}e{size}") for place in range(first, last + 1)]


def nice_step(rough: float) -> tuple[int, int]:
    """Return exponent and digit of the smallest 1, 2 or 5 times a power of ten from `rough` up."""
    size = math.floor(math.log10(rough))
    digit = next(digit for digit in NICE if digit * 10.0**size >= rough * (1 - 1e-9))
    return (size + 1, 1) if digit == NICE[-1] else (size, digit)


def usual_scores(
    rising: NDArray[Any], below: Callable[[int], Any], total: float
) -> tuple[float, float] | None:
    """Return between which scores all lie, or all but the tails where these reach far."""
    ends = [float(score) for score in (*rising[:2], *rising[-2:]) if np.isfinite(score)]
    lowest, highest = ends[0], ends[-1]
    places = range(len(rising) + 1)
    tails = [bisect_left(places, share * total, key=below) for share in (TAIL, 1 - TAIL)]
    low, high = (float(rising[max(place - 1, 0)]) for place in tails)
    usual = high - low
    if not (0 < usual < math.inf) or highest - lowest <= STOPS_BEYOND * usual:
        low, high = lowest, highest
    return (low, high) if 0 < high - low < math.inf else None


def distributions(model: Model, *, bins: int | None) -> Chart:
    """Return the share of all cases, of positives and of negatives at each score."""
    counts = model.classes.every_score()
    spread = score_distributions(counts)
    ticks, title = places_of_scores(model, counts, spread.score)
    found, edges = replace(spread, score=ticks.at), None
    if ticks.names is None:
        whole = spread.score.dtype.kind in "iu"
        found, edges, ticks = _binned(found, ticks, bins, whole=whole)
    elif len(ticks.names) > MOST_SCORES_WITH_BARS:
        edges = np.append(found.score, len(found.score)) - 0.5
    each = "grade" if counts.levels else "score" if ticks.names else "bin"
    classes: tuple[tuple[Floats, str, Style | None, str], ...] = (
        (found.population, "All cases", None, ""),
        (found.positives, "Positives", STYLE_OF_POSITIVES, ""),
        (found.negatives, "Negatives", STYLE_OF_NEGATIVES, "////"),
    )
    bars = [
        Bars(shares, label, style, edges, found.score + CLASS_BAR * (place - 1), CLASS_BAR, hatch)
        for place, (shares, label, style, hatch) in enumerate(classes)
    ]
    return Chart(
        title="Score distribution by class",
        x=Axis(title, "score"),
        y=Axis(f"Share in each {each}", "share", from_zero=True),
        bars=bars,
        scores=ticks,
        head=sample_with_ratio(model),
        rising=True,
        columns=3,
    )


def _binned(
    found: ScoreDistributions, ticks: ScoreTicks, bins: int | None, *, whole: bool
) -> tuple[ScoreDistributions, Floats, ScoreTicks]:
    """Return shares in equally wide bins, their edges and what stands along them."""
    # Infinite scores, and those of a long tail, share a bin apart. Without a number of bins their
    # edges are round: bins of another width than the steps between scores would look like a comb.
    infinite = np.isin(found.score, [place for place, _ in ticks.infinite])
    at = found.score[~infinite]
    edges = np.linspace(at[0], at[-1], (bins or MOST_HISTOGRAM_BINS) + 1)
    if bins is None and not infinite.any():
        running = np.append(0.0, np.cumsum(found.population))
        usual = usual_scores(at, lambda place: running[place], 1.0) or (at[0], at[-1])
        edges = np.array(round_edges(float(usual[0]), float(usual[1]), whole=whole))
    low, high, pad = edges[0], edges[-1], PAD_FOR_INFINITY * (edges[-1] - edges[0])
    half = min(edges[1] - low, pad) / 2
    below, above = found.score < low, found.score > high
    first, last = ([place - half, place + half] for place in (low - pad, high + pad))
    named = ticks.infinite or [
        *([(low - pad, f"< {tick_text(low)}")] if below.any() else []),
        *([(high + pad, f"> {tick_text(high)}")] if above.any() else []),
    ]

    def shares(column: Floats) -> Floats:
        inner = np.histogram(found.score, edges, weights=column)[0]
        before = [column[below].sum(), 0.0] if below.any() else []
        after = [0.0, column[above].sum()] if above.any() else []
        return np.concatenate([before, inner, after])

    columns = (shares(c) for c in (found.population, found.positives, found.negatives))
    ends = np.concatenate([first if below.any() else [], edges, last if above.any() else []])
    binned = ScoreDistributions(edges[1:], *columns)
    return binned, ends, ScoreTicks(ends, infinite=tuple(named))


def ks_along_score(model: Model) -> Chart:
    """Return the share of each class at or below each score, with the KS segment."""
    few = model.few_classes()
    spread = score_distributions(few)
    ticks, title = places_of_scores(model, few, spread.score)
    running = spread.cumulative()
    # They begin at 0 before the first score and go on past the last.
    pad = 0.02 * float(ticks.at[-1] - ticks.at[0]) if ticks.names is None else 0.5
    x = np.concatenate([[ticks.at[0] - pad], ticks.at, [ticks.at[-1] + pad]])
    lines = []
    for style, name in CLASS_STYLES:
        heights = np.concatenate([[0], getattr(running, name), [1]])
        lines.append(Line(x, heights, capitalised(name), style, steps="post", shared=True))
    if model.ks.statistic > 0:
        lines.append(_ks_segment(model, _place_of_ks(model, few, spread.score, ticks)))
    return Chart(
        title="KS along the score",
        x=Axis(title, "score"),
        y=Axis("Share of the class\nat or below", whole=1),
        lines=lines,
        scores=ticks,
        head=sample_with_ratio(model),
        corner="upper left",
    )


def _ks_segment(model: Model, x: float) -> Line:
    found = model.ks
    point = operating_point(model.classes.vertices, threshold=found.threshold)
    ends = [point.captured, point.fpr]
    if model.counts.higher_is == "positive":  # selected are those above; the curves count below
        ends = [1 - end for end in ends]
    label = f"KS {number(found.statistic)}\n{model.cut_off(found.threshold)}"
    return Line([x, x], ends, label, marker=Marker("_", 0.8), level=MARKS)


def _place_of_ks(
    model: Model, few: ScoreCounts, scores: NDArray[np.generic], ticks: ScoreTicks
) -> float:
    """Return where the segment stands: between the last score selected and the next one."""
    # Grades stand apart, so it goes half way between two; numbers have their own place.
    threshold = model.ks.threshold
    if few.levels is not None:
        place = scores.tolist().index(threshold)
    else:
        place = int(np.searchsorted(scores, np.asarray(threshold, dtype=scores.dtype)))
    half = 0.0 if ticks.names is None else -0.5 if few.higher_is == "positive" else 0.5
    return float(ticks.at[min(place, len(scores) - 1)]) + half

"""The picture of a change: a bar for each part, from the number before to the number after."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from capcurve.change.words import SHARES, plural, shown_parts, words_of
from capcurve.view.chart import (
    BLUE,
    COLOURS,
    GUIDES,
    HAIRLINE,
    INK,
    Axis,
    Bars,
    Chart,
    Line,
    ScoreTicks,
    Style,
)
from capcurve.view.format import percent, plain_names, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.change.records import Explained
    from capcurve.change.words import Words
    from capcurve.inference.records import Interval

# Of a bar, in distances between bars; half of one reaches so far.
WIDTH = 0.64
HALF = WIDTH / 2
# What y has beyond what is drawn, as shares of its length: above there are numbers too.
BELOW, ABOVE = 0.06, 0.12
LEAST_LENGTH = 1e-3
LONGEST = 12
LOSSES = COLOURS[1]
MINUS = "−"


def waterfall(found: Explained) -> Chart:
    """Return the chart of a change: before, each part with its interval, and after."""
    words, names = words_of(found), shown_parts(found)
    parts = [found.parts[name] for name in names]
    starts = np.cumsum([found.before, *(part.estimate for part in parts)])
    bars = list(_bars(parts, starts[:-1], words))
    ends = _ends(bars, [found.before, found.after])
    return Chart(
        title=f"Change of {words.name}",
        x=Axis("", "score", ends=(-0.6, len(parts) + 1.6)),
        y=Axis(words.name, "share" if words.metric in SHARES else "number", ends=ends),
        lines=[*_levels(found, len(parts)), *_links(starts)],
        bars=bars,
        head="" if np.isnan([p.low for p in parts]).all() else _whiskers(found.level),
        scores=ScoreTicks(np.arange(len(parts) + 2.0), _names(found, names)),
        above=_numbers(found, parts, starts, words),
        columns=2,
        description=_described(found, names, words),
    )


def _whiskers(level: float) -> str:
    return f"Whiskers: {percent(level)} intervals of each part"


def _bars(parts: Sequence[Interval], starts: np.ndarray, words: Words) -> Iterator[Bars]:
    """Yield what raises the number, what lowers it, and what does neither."""
    sizes = np.array([part.estimate for part in parts])
    limits = np.array([(part.low, part.high) for part in parts]) + starts[:, None]
    ways = np.array([words.direction(size) for size in sizes.tolist()])
    looks = (
        (ways > 0, f"raised {words.name}", Style(BLUE), ""),
        (ways < 0, f"lowered {words.name}", Style(LOSSES), "///"),
        (ways == 0, "", None, ""),
    )
    for which, label, style, hatch in looks:
        if which.any():
            at, (low, high) = np.flatnonzero(which).astype(np.float64) + 1, limits[which].T
            yield Bars(
                sizes[which],
                label,
                style,
                at=at,
                width=WIDTH,
                hatch=hatch,
                base=starts[which],
                low=low,
                high=high,
            )


def _ends(bars: Sequence[Bars], numbers: Sequence[float]) -> tuple[float, float]:
    """Return where y begins and ends: it need not hold 0, since only bars have lengths."""
    drawn = [numbers, *(each for bar in bars for each in (bar.base, bar.low, bar.high))]
    heights = np.concatenate([each for each in drawn if each is not None])
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    length = max(high - low, LEAST_LENGTH)
    return low - BELOW * length, high + ABOVE * length


def _levels(found: Explained, parts: int) -> list[Line]:
    """Return the numbers before and after, as lines: the bars between them have lengths."""
    numbers = ((0.0, found.before), (parts + 1.0, found.after))
    return [
        Line([at - HALF, at + HALF], [value, value], width=1.6, level=GUIDES)
        for at, value in numbers
    ]


def _links(starts: np.ndarray) -> list[Line]:
    """Return thin lines that lead from where each bar ends to where the next begins."""
    return [
        Line(
            [place + HALF, place + 1 - HALF],
            [value, value],
            style=Style(INK),
            width=HAIRLINE,
            opacity=0.7,
            level=GUIDES,
        )
        for place, value in enumerate(starts.tolist())
    ]


def _numbers(
    found: Explained, parts: Sequence[Interval], starts: np.ndarray, words: Words
) -> list[tuple[str, float, float]]:
    """Return each number above what it is the number of."""
    written = [(words.value(found.before), 0.0, found.before)]
    for place, (part, (begin, end)) in enumerate(
        zip(parts, pairwise(starts.tolist()), strict=True)
    ):
        top = float(np.nanmax([begin, end, begin + part.high]))
        written.append((words.signed(part.estimate).replace("-", MINUS), place + 1.0, top))
    return [*written, (words.value(found.after), len(parts) + 1.0, found.after)]


def _names(found: Explained, names: Sequence[str]) -> list[str]:
    """Return what stands below each bar, in lines."""
    of = shortened(plural(found.by), LONGEST)
    called = {
        "mix": f"Mix of\n{of}",
        "within": f"Within\n{of}",
        "between": f"Between\n{of}",
        "ranking": "Ranking",
        "prevalence": "Prevalence",
        "portfolio": "Portfolio",
        "model": "Model",
    }
    before, after = plain_names(found.labels, LONGEST)
    return [before, *(called[name] for name in names), after]


def _described(found: Explained, names: Sequence[str], words: Words) -> str:
    """Return what the picture shows in words."""
    before, after = plain_names(found.labels)
    parts = [f"{name} {words.signed(found.parts[name].estimate)}" for name in names]
    ends = (f"{before} {words.value(found.before)}", f"{after} {words.value(found.after)}")
    return "; ".join([ends[0], *parts, ends[1]])

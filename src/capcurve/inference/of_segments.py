"""What a mean over segments is called and shows, of one score and of several that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.show.chart import (
    BLUE,
    GREY,
    Axis,
    Bars,
    Chart,
    ChartBand,
    Line,
    Marker,
    ScoreTicks,
    Style,
    marks,
    reference,
)
from capcurve.show.format import plain_names, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.numbers.types import Floats

# Of more segments the picture shows how many have about as much, and JSON leaves the rows out.
MOST_DOTTED, BARS = 60, 20
LACKS_SEGMENT = "no segment"  # of rows without one
HOW_WEIGHED = {
    "equal": "count alike",
    "cases": "weigh as many as their cases",
    "positives": "weigh as many as their positives",
    "pairs": "weigh as many as their pairs of a positive and a negative",
}


def called_at(label: str, options: Mapping[str, Any]) -> str:
    """Return what a number at a depth, or told an option, is called.

    >>> called_at("nDCG", {"k": 10, "gain": "exponential"}), called_at("lift", {"q": 0.1})
    ('nDCG at 10 (exponential gains)', 'lift at the top 10%')
    """
    found = f"{label} at {options['k']:,}" if "k" in options else label
    if "q" in options:
        found += f" at the top {stated_percent(options['q'])}"
    return f"{found} ({options['gain']} gains)" if "gain" in options else found


def told_of_segments(law: str, weights: object, left_out: Mapping[str, int]) -> str:
    """Return what is left out, how segments are taken and what they weigh, in words.

    >>> told_of_segments("drawn", "equal", {"no positives": 2})
    '2 segments are left out: no positives. Segments are taken as drawn and count alike'
    """
    weighed = HOW_WEIGHED.get(str(weights), "weigh as stated")
    said = f"Segments are taken as {law} and {weighed}"
    reasons = {why: many for why, many in left_out.items() if why != LACKS_SEGMENT}
    if len(reasons) < len(left_out):
        said = f"Rows with no segment are left out. {said}"
    if not (lost := sum(reasons.values())):
        return said
    are = " is" if lost == 1 else "s are"
    return f"{lost:,} segment{are} left out: {reasons_told(reasons)}. {said}"


def reasons_told(left_out: Mapping[str, int]) -> str:
    """Return why segments are left out, in words."""
    if len(left_out) == 1:
        return next(iter(left_out))
    return ", ".join(f"{many:,} with {why}" for why, many in left_out.items())


def segments_chart(
    title: str,
    label: str,
    names: Sequence[object],
    values: Floats,
    *,
    levels: Mapping[str, float],
    limits: tuple[str, float, float] | None,
) -> Chart:
    """Return the picture of a number of each segment, with levels to compare it with."""
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    drawn, ends = values[order], [*levels.values(), *(limits or ())[1:]]
    low, high = min(*drawn, *ends), max(*drawn, *ends)
    room = max(high - low, 1e-3) / 10
    of_values = Axis(label, "number", ends=(low - room, high + room))
    if len(drawn) > MOST_DOTTED:
        return _histogram(title, of_values, drawn, levels, limits)
    at, across = np.arange(len(drawn), dtype=np.float64), np.array([-1.0, len(drawn)])
    shown = plain_names([names[place] for place in order.tolist()])
    pairs = zip(shown, drawn.tolist(), strict=True)
    bands = []
    if limits is not None:
        lower, upper = (np.full(2, limit) for limit in limits[1:])
        bands.append(ChartBand(across, lower, upper, limits[0], BLUE))
    return Chart(
        title=title,
        x=Axis("", "score", ends=(-1.0, float(len(drawn)))),
        y=of_values,
        lines=[
            marks(at, drawn, "Segment", BLUE, Marker("o", 0.9)),
            *_levels(levels, lambda level: (across, level)),
        ],
        bands=bands,
        scores=ScoreTicks(at, shown),
        description="; ".join(f"{name}: {value:.4g}" for name, value in pairs),
    )


def _levels(levels: Mapping[str, float], at: Callable[[Floats], Any]) -> list[Line]:
    """Return a line for each level, the first of them not dashed."""
    first, lines = next(iter(levels)), []
    for name, level in levels.items():
        x, y = at(np.full(2, level))
        lines.append(reference(x, y, name, dashed=name != first))
    return lines


def _histogram(
    title: str,
    of_values: Axis,
    values: Floats,
    levels: Mapping[str, float],
    limits: tuple[str, float, float] | None,
) -> Chart:
    """Return the picture of which share of the segments has about which value."""
    many, edges = np.histogram(values, bins=BARS)
    shares = many / len(values)
    middle, width = (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
    top, bands = np.array([0.0, shares.max()]), []
    if limits is not None:
        bands.append(ChartBand(np.array(limits[1:]), np.zeros(2), top[[1, 1]], limits[0], GREY))
    return Chart(
        title=title,
        x=of_values,
        y=Axis("Share of segments", "percent", from_zero=True),
        bars=[Bars(shares, "Segments", Style(BLUE), at=middle, width=width)],
        lines=_levels(levels, lambda level: (level, top)),
        bands=bands,
        description=f"{len(values):,} values from {values.min():.4g} to {values.max():.4g}",
    )

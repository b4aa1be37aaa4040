"""The picture of an evaluation by segment: the accuracy ratio of each, of each score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.settings import as_words
from capcurve.plots.models import SHORT_NAME
from capcurve.show.chart import (
    MARKER_SHAPES,
    THIN,
    Axis,
    Chart,
    Line,
    Marker,
    ScoreTicks,
    Style,
    across_periods,
    along_periods,
    marks,
    model_style,
)
from capcurve.show.format import number, plain_names, shortened
from capcurve.studies.evaluation.payload import are_ordered

if TYPE_CHECKING:
    from capcurve.studies.evaluation.content import Content

# Of the picture of segments: the most that are shown, the room above and below, and how far apart
# scores stand.
MOST_IN_TREND, TREND_ROOM, LEAST_TREND_LENGTH, SIDEWAYS, TICK = 36, 0.08, 1e-3, 0.16, 12


def by_text(evaluation: Content) -> str:
    """Return what the segments are, as prose."""
    return shortened(as_words(evaluation.by or "segment"))


def trend_chart(evaluation: Content) -> Chart | None:
    """Return the accuracy ratio of each segment, of each score; None where there is none."""
    parts = evaluation.segment_summaries
    keys = list(next(iter(parts.values()), {}))[:MOST_IN_TREND]
    labels = plain_names(list(parts), SHORT_NAME)
    lines: list[Line] = []
    for place, (segments, label) in enumerate(zip(parts.values(), labels, strict=True)):
        known = [at for at, key in enumerate(keys) if segments[key].accuracy_ratio is not None]
        values = [segments[keys[at]].accuracy_ratio or 0.0 for at in known]
        style, shape = model_style(place), MARKER_SHAPES[place % len(MARKER_SHAPES)]
        side = SIDEWAYS * (place - (len(parts) - 1) / 2)
        x = [at + side for at in known]
        for each, at in zip(x, known, strict=True):
            if limits := segments[keys[at]].intervals.get("accuracy_ratio"):
                lines.append(Line([each] * 2, [*limits], style=Style(style.colour), width=THIN))
        if are_ordered(evaluation):
            lines.append(Line(x, values, style=style, width=THIN))
        told = label if len(parts) > 1 else "accuracy ratio"
        lines.append(marks(x, values, told, style.colour, Marker(shape, 0.7)))
    if not lines:
        return None
    for name, chart in evaluation.control_charts.items():
        of = f" of {shortened(name, SHORT_NAME)}" if len(parts) > 1 else ""
        told = f"initial{of} {number(chart.initial_ar)}"
        lines.append(across_periods(len(keys), chart.initial_ar, told))
    heights = [0.0, *(height for line in lines for height in line.y)]
    least, most = min(heights), max(heights)
    room = TREND_ROOM * max(most - least, LEAST_TREND_LENGTH)
    return Chart(
        title=f"Accuracy ratio by {by_text(evaluation)}",
        x=along_periods(len(keys)),
        y=Axis("Accuracy ratio", "number", ends=(least - room if least < 0 else 0.0, most + room)),
        lines=lines,
        scores=ScoreTicks(np.arange(len(keys), dtype=np.float64), plain_names(keys, TICK)),
        corner="lower left",
        rising=True,
        description=" ".join(evaluation.about_alike),
    )

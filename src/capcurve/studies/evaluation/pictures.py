"""The pictures of an evaluation: the curves of its scores, its horizons and its segments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.settings import as_words
from capcurve.curves.simplify import thinned
from capcurve.gate.given import is_amounts
from capcurve.plots import charts
from capcurve.plots.cap import Scale, cap
from capcurve.plots.horizons import horizon_chart
from capcurve.plots.models import SHORT_NAME, Model
from capcurve.results.segments import glances
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
from capcurve.show.table import Table
from capcurve.studies.evaluation.payload import are_ordered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueSums
    from capcurve.studies.evaluation.content import Content

# A still picture may lie this far from the full curve before it is simplified.
STILL_TOLERANCE = 5e-4
FEW_POINTS = 400
# Of the picture of segments: the most that are shown, the room above and below, and how far apart
# scores stand.
MOST_IN_TREND, TREND_ROOM, LEAST_TREND_LENGTH, SIDEWAYS, TICK = 36, 0.08, 1e-3, 0.16, 12
# Of a horizon what its pictures show.
OF_HORIZONS = ("horizon", "at_risk", "unknown", "incidence", "accuracy_ratio", "low", "high")


def drawn_charts(evaluation: Content) -> Iterator[Chart]:
    """Yield the CAP of all scores and, of segments in time, how they change."""
    if scores := models(evaluation):
        yield cap_chart(evaluation, scores)
    if trend := trend_chart(evaluation):
        yield trend


def models(
    evaluation: Content, counts: Mapping[str, ScoreCounts | ValueSums] | None = None
) -> list[Model]:
    """Return the scores that have curves, drawn through `counts` in fewer cells."""
    # Those of amounts are drawn through all: the perfect curve needs every row.
    names = evaluation.ranked
    shown = plain_names(names, SHORT_NAME)
    found = []
    for place, (name, label) in enumerate(zip(names, shown, strict=True)):
        drawn, summary = _drawn(evaluation, name, counts), evaluation.summaries[name]
        found.append(Model(drawn, label, model_style(place), summary=summary))
    return found


def _drawn(
    evaluation: Content, name: str, counts: Mapping[str, ScoreCounts | ValueSums] | None
) -> Ranking | Amounts:
    held = evaluation.held(name)
    if is_amounts(held):
        return evaluation.counts[name]
    return thinned(held, STILL_TOLERANCE, FEW_POINTS) if counts is None else counts[name]


def cap_chart(evaluation: Content, scores: Sequence[Model]) -> Chart:
    """Return the CAP of all scores."""
    scale = Scale(absolute=evaluation.signed, prevalence=evaluation.prevalence)
    return cap(scores, scale, interval=evaluation.level)


def curve_charts(
    evaluation: Content, counts: Mapping[str, ScoreCounts | ValueSums], most: int | None
) -> list[Chart]:
    """Return the charts of a page, of so many scores; none when no score has both classes."""
    scores = models(evaluation, counts)[:most]
    if not scores:
        return []
    first, prevalence = scores[0], evaluation.prevalence
    if is_amounts(first.counts):
        return _of_amounts(evaluation, scores)
    of_first = charts.captured_by_class(first, prevalence=prevalence)
    if len(scores) > 1:
        of_first = replace(of_first, title=f"{of_first.title} of {first.label}")
    return [
        cap_chart(evaluation, scores),
        charts.roc(scores, interval=evaluation.level),
        of_first,
        charts.lift_curves(scores, prevalence=prevalence),
    ]


def _of_amounts(evaluation: Content, scores: Sequence[Model]) -> list[Chart]:
    """Return the charts of amounts: those in shares only where no amount is below zero."""
    first, money = scores[0], evaluation.money
    of_first = [charts.mean_amount_by_bin([first])]
    if money is not None:
        of_first.append(charts.profit([first], value=money.value, cost=money.cost))
    if len(scores) > 1:
        of_first = [replace(chart, title=f"{chart.title} of {first.label}") for chart in of_first]
    shares = [] if evaluation.signed else [charts.lift_curves(scores)]
    return [cap_chart(evaluation, scores), *shares, *of_first]


def horizon_charts(evaluation: Content) -> Iterator[Chart]:
    """Yield the accuracy ratio of each score by its horizons, if several."""
    names = list(dict.fromkeys(row["score"] for row in evaluation.horizons))
    for name in names:
        own = [row for row in evaluation.horizons if row["score"] == name]
        if len(own) > 1:
            columns = {name: np.array([row[name] for row in own], float) for name in OF_HORIZONS}
            table, unit = Table("Horizons", columns), evaluation.time_unit
            chart = horizon_chart(table, own[0]["rows"], evaluation.level, unit)
            of = f" of {shortened(name)}" if len(names) > 1 else ""
            yield replace(chart, title=f"{chart.title}{of}")


def by_text(evaluation: Content) -> str:
    """Return what the segments are, as prose."""
    return shortened(as_words(evaluation.by or "segment"))


def trend_chart(evaluation: Content) -> Chart | None:
    """Return the accuracy ratio of each segment, of each score; None where there is none."""
    parts = {name: glances(each) for name, each in evaluation.segment_summaries.items()}
    keys = list(next(iter(parts.values()), {}))[:MOST_IN_TREND]
    labels = plain_names(list(parts), SHORT_NAME)
    lines: list[Line] = []
    for place, (segments, label) in enumerate(zip(parts.values(), labels, strict=True)):
        known = [at for at, key in enumerate(keys) if segments[key].accuracy_ratio is not None]
        if not known:
            continue
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

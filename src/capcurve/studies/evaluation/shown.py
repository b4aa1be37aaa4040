"""What an evaluation shows, wherever it is shown, its rows as data, and its pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.settings import as_words
from capcurve.counts.times import HorizonCounts
from capcurve.curves.simplify import thinned
from capcurve.gate.given import is_amounts
from capcurve.inference.paired import (
    MOST_IN_PAIRS,
    difference_columns,
    ranking_sentences,
    ranks_of_scores,
)
from capcurve.plots import charts
from capcurve.plots.cap import Scale, cap
from capcurve.plots.horizons import horizon_chart
from capcurve.plots.models import SHORT_NAME, Model
from capcurve.results.findings import about_score
from capcurve.results.horizon import CAPTION, horizon_columns
from capcurve.results.segments import glances
from capcurve.results.several import NEAREST, share_tables
from capcurve.results.summary import (
    comparison,
    few_figures,
    first_numbers,
    headlines,
    message,
    of_errors,
    row_columns,
    sentences,
)
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
from capcurve.show.presentation import DrawnLater, Figure, Finding, Presentation
from capcurve.show.table import Table, labelled
from capcurve.studies.evaluation.payload import are_ordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueSums
    from capcurve.inference import Comparison
    from capcurve.studies.evaluation.content import Content


ASSUMED = (
    'Rows followed for longer also count in the place of those censored before. "Nothing '
    'assumed" is the range of the accuracy ratio whatever became of the censored rows'
)
# A card has the CAP and the trend; differences, what scores select and exchange, and segments.
ON_CARD = 4
# A still picture may lie this far from the full curve before it is simplified.
STILL_TOLERANCE = 5e-4
FEW_POINTS = 400
# Of the picture of segments: the most that are shown, the room above and below, and how far apart
# scores stand.
MOST_IN_TREND, TREND_ROOM, LEAST_TREND_LENGTH, SIDEWAYS, TICK = 36, 0.08, 1e-3, 0.16, 12
# Of a horizon what its pictures show.
OF_HORIZONS = ("horizon", "at_risk", "unknown", "incidence", "accuracy_ratio", "low", "high")


def presentation_of(evaluation: Content) -> Presentation:
    """Return what an evaluation shows: its head, figures, pictures and tables, in that order."""
    first, *others = evaluation.summaries.values()
    # What is found of each score, whether by chance, and what its PDs are worth.
    remarks = tuple(
        f"{name}: {' '.join(sentences(each)[len(of_errors(each)[:1]) :])}"
        for name, each in evaluation.summaries.items()
    )
    told, profit = evaluation.first_sentences, evaluation.about_profit
    own = [] if others else sentences(first)
    # PDs that are wrong come before the money that is made with them.
    said = (
        (*own[:2], *profit, *own[2:]) if own and own[0] not in message(first) else (*profit, *own)
    )
    grouped = () if evaluation.clusters is None else (f"{evaluation.clusters}.",)
    compared = evaluation.comparison
    many = compared if compared is not None and compared.many else None
    every = [*(each for each, _ in told), *said]
    # What is said of the best score stays together.
    lead = 1 if compared is None or evaluation.control_charts else len(ranking_sentences(compared))
    head = [*every[:lead], *evaluation.about_alike, *every[lead:]]
    return Presentation(
        title=evaluation.title,
        sentences=(*(head or remarks), *grouped),
        light=told[0][1] if told else None,
        source=evaluation.source,
        figures=tuple(_figures(evaluation)),
        brief=labelled("Scores", scores_beside(evaluation)) if others else None,
        level=first.level if any(s.intervals for s in (first, *others)) else None,
        findings=tuple(_named(evaluation.told())),
        # The curves of 10^8 cases take more room than all else.
        charts=DrawnLater(lambda: _charts(evaluation)),
        tables=tuple(_tables(evaluation)),
        more=() if others or first.gains is None else (replace(first.gains, name="Gains table"),),
        folded=() if many is None else (differences_table(many),),
        on_card=ON_CARD,
        remarks=remarks if head and others and len(remarks) <= MOST_IN_PAIRS else (),
        notes=() if many is None else tuple(many.about_family()),
    )


def _charts(evaluation: Content) -> Iterator[Chart]:
    """Yield the CAP of all scores and, of segments in time, how they change."""
    if scores := models(evaluation):
        yield cap_chart(evaluation, scores)
    if trend := trend_chart(evaluation):
        yield trend


def _figures(evaluation: Content) -> Iterator[Figure]:
    """Yield the headline numbers of each score, those of the message and the best score first."""
    several, of_each = len(evaluation.summaries) > 1, [*evaluation.summaries.items()]
    if evaluation.comparison is not None:  # of other rows, scores stand as they were given
        of_each.sort(key=lambda each: -(each[1].accuracy_ratio or 0.0))
    for name, summary in of_each:
        found = first_numbers(headlines(summary)) if several else few_figures(summary)
        yield from (replace(each, score=name if several else "") for each in found)


def _named(told: Mapping[str, Iterable[Finding]]) -> Iterator[Finding]:
    """Yield findings that begin with the score that they are about, where there are several."""
    for name, found in told.items():
        for each in found:
            whose = replace(about_score(each, name), message=f"{name}: {each.message}")
            yield whose if name else each


def scores_beside(evaluation: Content) -> dict[str, list[object]]:
    """Return a row for each score; of many that were compared their ranks, the best first."""
    compared = evaluation.comparison
    if compared is None or not compared.many:
        return comparison(evaluation.summaries, {})
    ranks = ranks_of_scores(compared)
    ordered = {name: evaluation.summaries[name] for name in ranks}
    score, *others = comparison(ordered, {}).items()
    tiers: Any = compared.ranks
    return dict([score, ("rank", [*ranks.values()]), ("tier", tiers["tier"].tolist()), *others])


def differences_table(compared: Comparison) -> Table:
    """Return the differences of all pairs of scores."""
    pairs = f"All {len(compared.pairs):,} pairs" if compared.many else "Differences"
    between = "of scores" if compared.many else "between the scores"
    return labelled(f"{pairs} {between}, on the same rows", difference_columns(compared))


def _tables(evaluation: Content) -> Iterator[Table]:
    """Yield differences, horizons, what several scores select at one share, and segments."""
    if evaluation.comparison is not None and not evaluation.comparison.many:
        yield differences_table(evaluation.comparison)
    yield from horizon_tables(evaluation)
    yield from tables_at_share(evaluation)
    if evaluation.segment_summaries:
        seen = {name: glances(parts) for name, parts in evaluation.segment_summaries.items()}
        segments = comparison(evaluation.summaries, seen)
        yield labelled("Segments", segments)


def horizon_tables(evaluation: Content) -> Iterator[Table]:
    """Yield the table of all horizons, where some rows are censored before them."""
    if evaluation.horizons:
        columns = horizon_columns(evaluation.horizons, evaluation.time_unit)
        yield replace(labelled(CAPTION, columns), note=ASSUMED)


def tables_at_share(evaluation: Content) -> Iterator[Table]:
    """Yield what several scores select at one share, and what two of them would exchange."""
    if evaluation.at_share is not None:
        words = next(iter(evaluation.summaries.values())).words
        found = share_tables(evaluation.at_share, evaluation.level, words.captured)
        selected, swapped = found.items()
        yield replace(_estimated(evaluation, labelled(*selected)), note=NEAREST)
        yield _estimated(evaluation, labelled(*swapped))


def _estimated(evaluation: Content, table: Table) -> Table:
    """Return a table with whole cases and positives where they are estimated, not counted."""
    if not any(isinstance(counts, HorizonCounts) for counts in evaluation.counts.values()):
        return table
    held = {name: table.columns[name] for name in ("cases", "positives")}
    whole = {name: np.round(column) for name, column in held.items()}
    return replace(table, columns={**table.columns, **whole})


def rows_of_scores(evaluation: Content) -> dict[str, list[object]]:
    """Return every number by column, a row per score, or per score and segment."""
    rows: list[dict[str, Any]] = [summary.to_row() for summary in evaluation.summaries.values()]
    if evaluation.segment_summaries:
        rows = [
            {"score": name, **_whose(evaluation, key)} | summary.to_row() | {"score": name}
            for name, parts in evaluation.segment_summaries.items()
            for key, summary in glances(parts).items()
        ]
    return row_columns(rows)


def _whose(evaluation: Content, key: Any) -> dict[str, Any]:
    """Return a segment by the column, or by each of the columns, that it is from."""
    if not evaluation.crossed:
        return {"segment": key}
    known = {"score", *next(iter(evaluation.summaries.values())).to_row()}
    names = (f"by {name}" if name in known else name for name in evaluation.crossed)
    return dict(zip(names, key, strict=True))


# Its pictures


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

"""What an evaluation shows, wherever it is shown, and its rows as data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capcurve.inference.records import difference_columns
from capcurve.results.findings import implied_sentence
from capcurve.results.horizon import CAPTION, horizon_columns
from capcurve.results.several import NEAREST, share_tables
from capcurve.results.summary import (
    comparison,
    figures,
    headlines,
    row_columns,
    verdict_sentence,
)
from capcurve.show.format import counted, limits, printable, written
from capcurve.show.presentation import DrawnLater, Finding, Presentation
from capcurve.show.table import Table, label_column
from capcurve.studies.evaluation.pictures import cap_chart, models
from capcurve.studies.evaluation.trend import trend_chart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from capcurve.results import Summary, ValueSummary
    from capcurve.show.chart import Chart
    from capcurve.show.presentation import Figure
    from capcurve.studies.evaluation.content import Content


# The numbers that are read first, in this order; the first eight of them are tiles of a page.
FIRST_NUMBERS = (
    *("certified_coverage", "risk_80", "observed_to_expected", "accuracy_ratio", "captured_10"),
    *("implied_accuracy_ratio", "mean_of_top_10", "mean_amount", "n", "m", "exposure", "amount"),
    *("roc_auc", "ks"),
)
FEWEST = 10  # with fewer cases of a class nothing can be said
ASSUMED = (
    "AR: rows that were followed for longer stand for those censored before. Nothing assumed: each "
    "censored row may or may not have the event, chance apart. Left out, or counted as negatives: "
    "what is often done instead, and is biased"
)
# A card has the CAP and the trend; differences, what scores select and exchange, and segments.
ON_CARD = 4


def presentation_of(evaluation: Content) -> Presentation:
    """Return what an evaluation shows: its head, figures, pictures and tables, in that order."""
    first, *others = evaluation.summaries.values()
    of_each = {name: [*said_of_score(each)] for name, each in evaluation.summaries.items()}
    remarks = tuple(f"{name}: {' '.join(said)}" for name, said in of_each.items())
    told, profit = evaluation.first_sentences, evaluation.about_profit
    grouped = () if evaluation.clusters is None else (f"{evaluation.clusters}.",)
    own = [] if others else next(iter(of_each.values()))
    ranked = own.index(first.sentence) + 1 if own else 0
    said = (*own[:ranked], *profit, *own[ranked:])
    first_said, *later = (*(each for each, _ in told), *said) or (None,)
    head = [*filter(None, (first_said, *evaluation.about_alike, *later))]
    return Presentation(
        title=evaluation.title,
        sentences=(*(head or remarks), *grouped),
        light=told[0][1] if told else None,
        source=evaluation.source,
        figures=tuple(_figures(evaluation)),
        brief=labelled("Scores", comparison(evaluation.summaries, {})) if others else None,
        level=first.level if any(s.intervals for s in (first, *others)) else None,
        findings=tuple(_named(evaluation.told())),
        # The curves of 10^8 cases take more room than all else.
        charts=DrawnLater(lambda: _charts(evaluation)),
        tables=tuple(_tables(evaluation)),
        more=() if others or first.gains is None else (replace(first.gains, name="Gains table"),),
        on_card=ON_CARD,
        remarks=remarks if head and others else (),
    )


def _charts(evaluation: Content) -> Iterator[Chart]:
    """Yield the CAP of all scores and, of segments in time, how they change."""
    if scores := models(evaluation):
        yield cap_chart(evaluation, scores)
    if trend := trend_chart(evaluation):
        yield trend


def said_of_score(summary: Summary | ValueSummary) -> Iterator[str]:
    """Yield what is wrong with the PDs of a score or what its answers are worth, and how it ranks.

    Then whether by chance, and what else is found of both.
    """
    level, *more = [*_of_pds(summary), *_of_selection(summary)] or [""]
    if too_few := _too_few(summary):
        yield too_few
    last = [] if summary.kind == "amounts" or summary.implied is None else [summary.implied]
    said = (level, summary.sentence, verdict_sentence(summary), *map(implied_sentence, last), *more)
    yield from filter(None, said)


def _too_few(summary: Summary | ValueSummary) -> str:
    """Return that there are too few cases of a class for any number; else nothing."""
    if summary.kind == "amounts" or summary.weighted:
        return ""
    fewest, noun = min((summary.n1, "positive"), (summary.n - summary.n1, "negative"))
    if fewest >= FEWEST or not 0 < summary.n1 < summary.n:
        return ""
    are = "is" if fewest == 1 else "are"
    among = f"among {counted(summary.n, 'case')}"
    return (
        f"{counted(fewest, noun)} {among} {are} too few to say how well {printable(summary.name)} "
        "ranks."
    )


def _of_pds(summary: Summary | ValueSummary) -> Iterator[str]:
    """Yield by how much PDs are too high or too low; nothing where they are right."""
    found = None if summary.kind == "amounts" else summary.calibration
    ratio = None if found is None else found.observed_to_expected
    if ratio is not None and not ratio.low <= 1 <= ratio.high:
        times = f"{written('lift', ratio.estimate)} times what the PDs predict"
        yield f"Positives are {times} {limits('lift', ratio.low, ratio.high)}."
    elif found is not None:
        yield ""
        yield found.sentence


def _of_selection(summary: Summary | ValueSummary) -> Iterator[str]:
    """Yield how many errors are left among the surest cases."""
    if summary.kind == "classes" and summary.selective is not None:
        yield from summary.selective.presentation().sentences


def _figures(evaluation: Content) -> Iterator[Figure]:
    """Yield the headline numbers of each score, those of the message and the best score first."""
    several = len(evaluation.summaries) > 1
    for name, summary in _best_first(evaluation):
        shown = headlines(summary) if several else _few(figures(summary))
        first = {metric: place for place, metric in enumerate(FIRST_NUMBERS)}
        ordered = sorted(shown, key=lambda figure: first.get(figure.metric, len(first)))
        yield from (replace(each, score=name if several else "") for each in ordered)


def _best_first(evaluation: Content) -> list[tuple[str, Summary | ValueSummary]]:
    """Return scores of the same rows by their accuracy ratio, others as they were given."""
    found = [*evaluation.summaries.items()]
    if evaluation.comparison is not None:
        found.sort(key=lambda each: -(each[1].accuracy_ratio or 0.0))
    return found


def _few(shown: Iterable[Figure]) -> Iterable[Figure]:
    """Return the figures of one score; some that say the same in other words are notes."""
    found = {each.metric: each for each in shown}
    for metric in [each for each in found if each.startswith("lift_")]:
        lift, captured = found.pop(metric), metric.replace("lift", "captured")
        if captured in found:
            found[captured] = replace(found[captured], note=f"lift {lift.text}")
    if "prevalence" in found:
        positives, rate = found.pop("n1"), found.pop("prevalence")
        stated = rate.label.removeprefix("prevalence, ")
        share = rate.text if stated == rate.label else f"prevalence {rate.text} {stated}"
        note = f"{positives.text} {positives.short} ({share}), {found['n'].note}"
        found["n"] = replace(found["n"], note=note)
    return found.values()


def _named(told: Mapping[str, Iterable[Finding]]) -> Iterator[Finding]:
    """Yield findings that begin with the score that they are about, where there are several."""
    for name, found in told.items():
        for each in found:
            yield replace(each, message=f"{name}: {each.message}") if name else each


def _tables(evaluation: Content) -> Iterator[Table]:
    """Yield differences, horizons, what several scores select at one share, and segments."""
    if evaluation.comparison is not None:
        columns = difference_columns(evaluation.comparison)
        yield labelled("Differences between the scores, on the same rows", columns)
    yield from horizon_tables(evaluation)
    yield from tables_at_share(evaluation)
    if evaluation.segment_summaries:
        segments = comparison(evaluation.summaries, evaluation.segment_summaries)
        yield labelled("Segments", segments)


def horizon_tables(evaluation: Content) -> Iterator[Table]:
    """Yield the table of all horizons, where some rows are censored before them."""
    if evaluation.horizons:
        columns = horizon_columns(evaluation.horizons, evaluation.level)
        yield replace(labelled(CAPTION, columns), note=ASSUMED)


def tables_at_share(evaluation: Content) -> Iterator[Table]:
    """Yield what several scores select at one share, and what two of them would exchange."""
    if evaluation.at_share is not None:
        selected, swapped = share_tables(evaluation.at_share, evaluation.level).items()
        yield replace(labelled(*selected), note=NEAREST)
        yield labelled(*swapped)


def labelled(name: str, columns: Mapping[str, Iterable[object]]) -> Table:
    """Return columns of any type as a table."""
    return Table(name, {head: label_column(cells) for head, cells in columns.items()})


def rows_of_scores(evaluation: Content) -> dict[str, list[object]]:
    """Return every number by column, a row per score, or per score and segment."""
    rows: list[dict[str, Any]] = [summary.to_row() for summary in evaluation.summaries.values()]
    if evaluation.segment_summaries:
        rows = [
            {"score": name, **_whose(evaluation, key)} | summary.to_row() | {"score": name}
            for name, parts in evaluation.segment_summaries.items()
            for key, summary in parts.items()
        ]
    return row_columns(rows)


def _whose(evaluation: Content, key: Any) -> dict[str, Any]:
    """Return a segment by the column, or by each of the columns, that it is from."""
    if not evaluation.crossed:
        return {"segment": key}
    known = {"score", *next(iter(evaluation.summaries.values())).to_row()}
    names = (f"by {name}" if name in known else name for name in evaluation.crossed)
    return dict(zip(names, key, strict=True))

"""What an evaluation shows, wherever it is shown, and its rows as data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.times import HorizonCounts
from capcurve.inference.paired import (
    MOST_IN_PAIRS,
    difference_columns,
    ranking_sentences,
    ranks_of_scores,
)
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
from capcurve.show.presentation import DrawnLater, Figure, Finding, Presentation
from capcurve.show.table import Table, labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from capcurve.inference import Comparison
    from capcurve.show.chart import Chart
    from capcurve.studies.evaluation.content import Content


ASSUMED = (
    'Rows followed for longer also count in the place of those censored before. "Nothing '
    'assumed" is the range of the accuracy ratio whatever became of the censored rows'
)
# A card has the CAP and the trend; differences, what scores select and exchange, and segments.
ON_CARD = 4


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
    """Return the pictures, for which the parts that draw are loaded when they are asked for."""
    from capcurve.studies.evaluation.pictures import drawn_charts

    return drawn_charts(evaluation)


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

"""An evaluation as text: a card or a table with its sentences, Markdown, and rows of csv."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capcurve.inference.records import difference_columns
from capcurve.results.horizon import CAPTION, horizon_columns
from capcurve.results.several import share_tables
from capcurve.results.summary import (
    card,
    comparison,
    figures,
    more_sentences,
    row_columns,
    verdict_sentence,
)
from capcurve.show.format import printable
from capcurve.show.presentation import Light, Presentation
from capcurve.show.table import Table, label_column
from capcurve.show.text import MARKUPS, finding_text, to_text
from capcurve.studies.evaluation.page import cap_chart, models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from capcurve.studies.evaluation.content import Content


MOST_SEGMENTS = 30  # what a screen shows of each score


def presentation_of(evaluation: Content) -> Presentation:
    """Return what an evaluation shows wherever it is not its own page, card or text."""
    first, *others = evaluation.summaries.values()
    scores = models(evaluation)
    verdict = () if others else (verdict_sentence(first),)
    told = [sentence for sentence, _ in evaluation.first_sentences]
    lights = [light for _, light in evaluation.first_sentences]
    return Presentation(
        title=evaluation.title,
        sentences=(*told, *sentences(evaluation), *filter(None, verdict)),
        light=lights[0] if lights else None,
        source=evaluation.source,
        figures=() if others else tuple(figures(first)),
        level=first.level if first.intervals and not others else None,
        findings=evaluation.findings,
        charts=(cap_chart(evaluation, scores),) if scores else (),
        tables=tuple(_tables(evaluation)),
    )


def _tables(evaluation: Content) -> Iterator[Table]:
    """Yield the numbers of several scores or segments and their differences, else the bins."""
    first, *others = evaluation.summaries.values()
    if others or evaluation.segment_summaries:
        yield _labelled("Scores", compared(evaluation, named=True))
    elif first.gains is not None:
        yield replace(first.gains, name="Gains table")
    if evaluation.comparison is not None:
        yield _labelled("Differences", difference_columns(evaluation.comparison))
    for caption, columns in _more(evaluation).items():
        yield _labelled(caption, columns)


def _labelled(name: str, columns: Mapping[str, Iterable[object]]) -> Table:
    return Table(name, {head: label_column(cells) for head, cells in columns.items()})


def as_text(
    evaluation: Content,
    *,
    width: int | None = None,
    most: int | None = None,
    emphasis: Callable[[str], str] = str,
    lit: Callable[[str, Light], str] = lambda text, _: text,
    wrap: Callable[[str], str] = str,
    fit: Callable[[dict[str, list[object]]], Mapping[str, list[object]]] = dict,
) -> str:
    """Return a card for one score, a table for several scores or segments, and the sentences."""
    # Of each score's segments the first `most` are in the table, which `fit` may take columns from.
    summary, *others = evaluation.summaries.values()
    parts = [
        wrap(sentence) if light is None else lit(wrap(sentence), light)
        for sentence, light in evaluation.first_sentences
    ]
    parts += [""] if parts else []
    if others or evaluation.segment_summaries:
        parts += [to_text(fit(compared(evaluation, most)), width=width, emphasis=emphasis)]
    else:
        parts.append(card(summary, emphasis))
    if evaluation.comparison is not None:
        parts += [
            "",
            to_text(difference_columns(evaluation.comparison), width=width, emphasis=emphasis),
        ]
    for caption, columns in _more(evaluation).items():
        table = to_text(fit(columns), width=width, emphasis=emphasis)
        parts += ["", emphasis(wrap(printable(caption))), table]
    grouped = [] if evaluation.clusters is None else [f"{evaluation.clusters}."]
    return "\n".join([*parts, "", *map(wrap, [*sentences(evaluation), *map(printable, grouped)])])


def with_findings(evaluation: Content, most: int | None = None) -> str:
    """Return the text with its findings below it, of each score's segments the first ones alone."""
    told = [finding_text(each, name) for name, own in evaluation.told().items() for each in own]
    left_out = segments_left_out(evaluation, most)
    told += [f"Note: {left_out}; to_frame() has all."] if left_out else []
    return "\n".join([as_text(evaluation, most=most), *([""] if told else []), *told])


def segments_left_out(evaluation: Content, most: int | None) -> str:
    """Say that not all segments are shown, where they are not."""
    found = max(map(len, evaluation.segment_summaries.values()), default=0)
    if most is None or found <= most:
        return ""
    return f"of {found:,} segments the first {most} are shown"


def _more(evaluation: Content) -> dict[str, dict[str, list[object]]]:
    """Return the tables of horizons, and of what several scores select at one share."""
    found = {}
    if evaluation.horizons:
        found[CAPTION] = horizon_columns(evaluation.horizons, evaluation.level)
    if evaluation.at_share is not None:
        found |= share_tables(evaluation.at_share, evaluation.level)
    return found


def as_markup(evaluation: Content, form: str) -> str:
    """Return the table of scores and segments, the paired tests and the sentences."""
    tables = [compared(evaluation, named=True)]
    if evaluation.comparison is not None:
        tables.append(difference_columns(evaluation.comparison))
    written = MARKUPS[form]
    tables += _more(evaluation).values()
    first = (written.sentence(sentence) for sentence, _ in evaluation.first_sentences)
    told = map(written.sentence, sentences(evaluation))
    return "\n\n".join([*first, *map(written.table, tables), *told])


def rows_of(evaluation: Content) -> dict[str, list[object]]:
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


def compared(
    evaluation: Content, most: int | None = None, *, named: bool = False
) -> dict[str, list[object]]:
    """Return a row per score and segment, of each score's segments the first ones alone."""
    parts = evaluation.segment_summaries.items()
    first = {name: dict(list(segments.items())[:most]) for name, segments in parts}
    return comparison(evaluation.summaries, first, named=named)


def sentences(evaluation: Content) -> list[str]:
    """Return a sentence on each score, and whether segments differ in how well it ranks."""
    found = [
        f"{f'{printable(name)}: ' if len(evaluation.summaries) > 1 else ''}"
        f"{summary.sentence} {more_sentences(summary)}".rstrip()
        for name, summary in evaluation.summaries.items()
    ]
    return [*found, *evaluation.about_alike]

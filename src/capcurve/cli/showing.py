"""An evaluation as text: a card or a table with its sentences, JSON, csv or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.cli import output

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.results import Summary, ValueSummary
    from capcurve.studies.evaluation import Evaluation

MOST_SEGMENTS = 30
# What a narrow terminal has no room for.
SPARE = ("with_amount", "mean_of_top_10", "concentration_index", "lift_10", "ks_q", "captured_10")


def as_text(evaluation: Evaluation, to: output.Destination) -> str:
    """Return an evaluation in the format asked for."""
    from capcurve.results.comparing import difference_columns
    from capcurve.show.columns import to_json
    from capcurve.show.markup import to_markdown

    if to.form == "json":
        return to_json(evaluation.to_dict())
    if to.form == "csv":
        rows = _rows(evaluation)
        names = dict.fromkeys(name for row in rows for name in row)
        return to.as_csv({name: [row.get(name) for row in rows] for name in names})
    if to.form == "md":
        sentences = [_sentence(evaluation, s) for s in evaluation.summaries.values()]
        tables = [to_markdown(_comparison(evaluation, named=True))]
        if evaluation.comparison is not None:
            tables.append(to_markdown(difference_columns(evaluation.comparison)))
        return "\n\n".join([*tables, *sentences, *_differences(evaluation)])
    return as_card(evaluation, to_screen=to.to_screen)


def _rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return one row per score, or per score and segment."""
    if not evaluation.segment_summaries:
        return [summary.to_row() for summary in evaluation.summaries.values()]
    return [
        {"score": name, "segment": key, **{k: v for k, v in s.to_row().items() if k != "score"}}
        for name, parts in evaluation.segment_summaries.items()
        for key, s in parts.items()
    ]


def as_card(evaluation: Evaluation, *, to_screen: bool, err: bool = False) -> str:
    """Return a card for one score, a table for several scores or segments, and the sentences."""
    from capcurve.results.figures import card
    from capcurve.show.columns import to_text

    def strong(line: str) -> str:
        return output.bold(line, err=err) if to_screen or err else line

    summaries = list(evaluation.summaries.values())
    if len(summaries) == 1 and not evaluation.segment_summaries:
        table = card(summaries[0], strong)
    else:
        width = output.width_of(err=err) if to_screen or err else None
        most = MOST_SEGMENTS if to_screen or err else None
        shown = output.fitted(_comparison(evaluation, most), width, SPARE)
        found = max(map(len, evaluation.segment_summaries.values()), default=0)
        if most is not None and found > most:
            where = "all are in the file" if err else "--format csv has all"
            output.note(f"of {found:,} segments the first {most} are shown; {where}")
        table = to_text(shown, width=width, emphasis=strong)
    sentences = [_sentence(evaluation, s) for s in summaries] + _differences(evaluation)
    if to_screen or err:
        sentences = [output.wrapped(sentence, err=err) for sentence in sentences]
    return "\n".join([table, *_tested(evaluation, strong), "", *sentences])


def _tested(evaluation: Evaluation, strong: Callable[[str], str]) -> list[str]:
    """Return the table of paired tests, below a blank line."""
    from capcurve.results.comparing import difference_columns
    from capcurve.show.columns import to_text

    if evaluation.comparison is None:
        return []
    return ["", to_text(difference_columns(evaluation.comparison), emphasis=strong)]


def _differences(evaluation: Evaluation) -> list[str]:
    """Return one sentence on two scores; more have their table."""
    from capcurve.results.comparing import difference_sentence
    from capcurve.show.format import printable

    tests = () if evaluation.comparison is None else evaluation.comparison.pairs
    sentences = [printable(difference_sentence(test)) for test in tests]
    return [f"{sentence}." for sentence in sentences] if len(sentences) == 1 else []


def _sentence(evaluation: Evaluation, summary: Summary | ValueSummary) -> str:
    from capcurve.results.figures import pd_sentence
    from capcurve.show.format import printable

    several = len(evaluation.summaries) > 1
    said = f"{summary.sentence} {pd_sentence(summary)}".rstrip()
    return f"{printable(summary.name)}: {said}" if several else said


def _comparison(
    evaluation: Evaluation, most: int | None = None, *, named: bool = False
) -> dict[str, list[object]]:
    """Return a row per score and segment, of each score's segments the first ones alone."""
    from capcurve.results.figures import comparison

    parts = evaluation.segment_summaries.items()
    first = {name: dict(list(segments.items())[:most]) for name, segments in parts}
    return comparison(evaluation.summaries, first, named=named)

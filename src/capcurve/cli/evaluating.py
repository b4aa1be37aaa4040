"""`capcurve summary` and `capcurve report`: everything about scores at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.parts import NO_SEGMENT
from capcurve.cli.reading import STDIN, counted, files_of
from capcurve.cli.request import looks_for_ids, reads_data, states_level, states_prevalence
from capcurve.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.cli.request import Request
    from capcurve.evaluation import Evaluation
    from capcurve.report.content import Money
    from capcurve.summary import Summary

PICTURES = (".png", ".svg", ".pdf")
REPORTS = (".html", ".json", *PICTURES)
# What a table over scores or segments shows of each.
SHOWN = ["n", "positives", "prevalence", "accuracy_ratio", "roc_auc", "ks", "ks_q"]
SHOWN += ["captured_10", "lift_10"]
WHOLE = "all"
OF_ALL_SCORES = ("repeated_ids", "undefined_segments", "not_compared")


@click.command("summary")
@reads_data
@states_prevalence
@states_level
@looks_for_ids
@writing.writes_text
def summary(
    request: Request,
    prevalence: float | None,
    level: float,
    row_id: str | None,
    form: str | None,
    output: str | None,
) -> None:
    """Show every number of a score.

    One score is shown as a card, several or segments (--by) as a table. json holds
    everything, csv one line per score and segment.
    """
    form = writing.format_of(form, output, request)
    evaluation = _evaluation(request, prevalence, None, level, row_id)
    writing.emit(_as_text(evaluation, form, to_screen=output is None), form, output)
    _tell_findings(evaluation)


@click.command("report")
@reads_data
@states_prevalence
@states_level
@looks_for_ids
@click.option("--title", help="Heading of the report.")
@click.option("--value", type=float, help="What a captured positive brings, to show the profit.")
@click.option("--cost", type=float, help="What selecting a case costs, to show the profit.")
@click.option(
    "--output",
    "-o",
    default="report.html",
    show_default=True,
    metavar="PATH",
    help=f"Where to write it: {', '.join(REPORTS)}.",
)
def report(
    request: Request,
    prevalence: float | None,
    level: float,
    row_id: str | None,
    title: str | None,
    value: float | None,
    cost: float | None,
    output: str,
) -> None:
    """Write a page about a score.

    With its curves, numbers and tables; it opens in any browser and loads nothing from
    elsewhere. The summary goes to standard error.
    """
    path = writing.check_output(output, request, REPORTS)
    if path.suffix.lower() in PICTURES:
        _refuse_not_drawn(output, request.by, {"title": title, "value": value, "cost": cost})
    money = _money(value, cost)
    evaluation = _evaluation(request, prevalence, title, level, row_id, money)
    evaluation.save(path)
    click.echo(_table(evaluation, to_screen=False, err=True), err=True)
    _tell_findings(evaluation)
    writing.confirm(path)


def _money(value: float | None, cost: float | None) -> Money | None:
    from capcurve.report.content import money_of

    if (value is None) is not (cost is None):
        raise click.UsageError("--value and --cost go together: the profit needs both")
    return money_of(value, cost)


def _refuse_not_drawn(output: str, by: str | None, given: dict[str, Any]) -> None:
    """Refuse what a picture does not show."""
    for name, said in given.items():
        if said is not None:
            raise click.UsageError(
                f"--output {output} is a picture, which has no --{name}; leave it out"
            )
    if by is not None:
        raise click.UsageError(
            f"--output {output} is a picture of all rows and shows no segments; leave --by out, "
            f"or draw them with capcurve plot --by"
        )


def _check_ids(request: Request, row_id: str | None) -> None:
    """Refuse ids where there are none to look at, or nothing to look for."""
    if row_id is not None and request.counts:
        raise click.UsageError("--id is about rows, and --counts reads what is counted")
    if row_id is not None and request.cluster is not None:
        raise click.UsageError(
            "--id looks for rows that belong together, --cluster says so; give one"
        )
    if row_id is not None and STDIN in request.file:
        raise click.UsageError("--id reads the rows once more; save standard input to a file first")


def _evaluation(
    request: Request,
    prevalence: float | None,
    title: str | None,
    level: float,
    row_id: str | None,
    money: Money | None = None,
) -> Evaluation:
    from capcurve.evaluation import judge, rows_sharing

    _check_ids(request, row_id)
    found = counted(request, together=True)
    with waiting("reading off the numbers"):
        return judge(
            found.whole,
            found.segments,
            found.joint,
            title=title or _title(request, list(found.whole)),
            source=", ".join("standard input" if f == "-" else f for f in request.file),
            by=(request.by or "segment") if found.segments else None,
            prevalence=prevalence,
            level=level,
            about_rows=rows_sharing(row_id, None, files_of(request)),
            money=money,
        )


def _title(request: Request, names: list[str]) -> str:
    if request.counts:
        return f"How well {names[0] if request.score else 'the score'} ranks"
    if len(names) == 1:
        return f"How well {names[0]} ranks {request.target}"
    return f"{request.target}: {', '.join(names)}"


def _as_text(evaluation: Evaluation, form: str, *, to_screen: bool) -> str:
    from capcurve import text
    from capcurve.summary.comparing import difference_columns

    if form == "json":
        return text.to_json(evaluation.to_dict())
    if form == "csv":
        rows = _rows(evaluation)
        return text.to_csv({name: [row[name] for row in rows] for name in rows[0]})
    if form == "md":
        sentences = [_sentence(evaluation, s) for s in evaluation.summaries.values()]
        tables = [text.to_markdown(_comparison(evaluation, named=True))]
        if evaluation.comparison is not None:
            tables.append(text.to_markdown(difference_columns(evaluation.comparison)))
        return "\n\n".join([*tables, *sentences, *_differences(evaluation)])
    return _table(evaluation, to_screen=to_screen)


def _rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return one row per score, or per score and segment."""
    if not evaluation.segment_summaries:
        return [summary.to_row() for summary in evaluation.summaries.values()]
    return [
        {"score": name, "segment": key, **{k: v for k, v in s.to_row().items() if k != "score"}}
        for name, parts in evaluation.segment_summaries.items()
        for key, s in parts.items()
    ]


def _table(evaluation: Evaluation, *, to_screen: bool, err: bool = False) -> str:
    """Return a card for one score, a table for several scores or segments, and the sentences."""
    from capcurve import text

    def strong(line: str) -> str:
        return writing.bold(line, err=err) if to_screen or err else line

    summaries = list(evaluation.summaries.values())
    if len(summaries) == 1 and not evaluation.segment_summaries:
        table = text.card(summaries[0], strong)
    else:
        width = writing.width_of(err=err) if to_screen or err else None
        table = text.to_text(_comparison(evaluation), width=width, emphasis=strong)
    sentences = [_sentence(evaluation, s) for s in summaries] + _differences(evaluation)
    if to_screen or err:
        sentences = [writing.wrapped(sentence, err=err) for sentence in sentences]
    return "\n".join([table, *_tested(evaluation, strong), "", *sentences])


def _tested(evaluation: Evaluation, strong: Callable[[str], str]) -> list[str]:
    """Return the table of paired tests, below a blank line."""
    from capcurve.summary.comparing import difference_columns
    from capcurve.text import to_text

    if evaluation.comparison is None:
        return []
    return ["", to_text(difference_columns(evaluation.comparison), emphasis=strong)]


def _differences(evaluation: Evaluation) -> list[str]:
    """Return one sentence on two scores; more have their table."""
    from capcurve.summary.comparing import difference_sentence
    from capcurve.text import printable

    tests = () if evaluation.comparison is None else evaluation.comparison.pairs
    sentences = [printable(difference_sentence(test)) for test in tests]
    return [f"{sentence}." for sentence in sentences] if len(sentences) == 1 else []


def _sentence(evaluation: Evaluation, summary: Summary) -> str:
    from capcurve.text import printable

    several = len(evaluation.summaries) > 1
    return f"{printable(summary.name)}: {summary.sentence}" if several else summary.sentence


def _comparison(evaluation: Evaluation, *, named: bool = False) -> dict[str, list[Any]]:
    lines: list[tuple[str, Any, Summary]] = []
    for name, whole in evaluation.summaries.items():
        parts = evaluation.segment_summaries.get(name, {})
        lines += [(name, NO_SEGMENT if key is None else key, s) for key, s in parts.items()]
        lines.append((name, WHOLE, whole))
    columns: dict[str, list[Any]] = {}
    if named or len(evaluation.summaries) > 1:
        columns["score"] = [name for name, _, _ in lines]
    if evaluation.segment_summaries:
        columns["segment"] = [key for _, key, _ in lines]
    rows = [_shown(s) for _, _, s in lines]
    columns |= {name: [row[name] for row in rows] for name in SHOWN}
    if any(s.intervals for _, _, s in lines):
        columns = _with_intervals(columns, [s for _, _, s in lines])
    return columns


def _with_intervals(
    columns: dict[str, list[Any]], summaries: list[Summary]
) -> dict[str, list[Any]]:
    """Put the interval of the accuracy ratio beside it."""
    from capcurve.tables.steps import percent
    from capcurve.text import MISSING, interval_text

    heading = f"{percent(summaries[0].level)} interval"
    limits = [interval_text("accuracy_ratio", s.intervals) or MISSING for s in summaries]
    placed: dict[str, list[Any]] = {}
    for name, column in columns.items():
        placed[name] = column
        if name == "accuracy_ratio":
            placed[heading] = limits
    return placed


def _shown(summary: Summary) -> dict[str, Any]:
    """Return a summary's row for people: a KS of 0 is reached at no cut-off."""
    row = summary.to_row()
    return row if row["ks_threshold"] is not None else {**row, "ks_q": None}


def _tell_findings(evaluation: Evaluation) -> None:
    own = {name: summary.findings for name, summary in evaluation.summaries.items()}
    of_all = [f for f in evaluation.findings if f.code in OF_ALL_SCORES]
    if of_all:
        writing.tell({"": of_all})
    writing.tell(own)

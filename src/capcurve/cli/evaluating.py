"""`capcurve summary` and `capcurve report`: everything about scores at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.reading import counted, files_of
from capcurve.cli.request import (
    STDIN,
    looks_for_ids,
    reads_data,
    states_details,
    states_level,
    states_prevalence,
)
from capcurve.cli.showing import as_card, as_text
from capcurve.cli.waiting import waiting
from capcurve.view import PICTURES

if TYPE_CHECKING:
    from capcurve.cli.request import Request
    from capcurve.evaluation import Evaluation
    from capcurve.report.content import Money

REPORTS = (".html", ".json", *PICTURES)
OF_ALL_SCORES = ("repeated_ids", "undefined_segments", "not_compared")


@click.command("summary")
@reads_data
@states_prevalence
@states_level
@looks_for_ids
@writing.writes_text
@states_details
def summary(
    request: Request,
    prevalence: float | None,
    level: float,
    row_id: str | None,
    form: str | None,
    output: str | None,
) -> None:
    """Show all numbers of a score.

    One score is shown as a card, several scores or segments (--by) as a table. JSON has
    everything, CSV one line per score and segment.
    """
    form = writing.format_of(form, output, request.file)
    evaluation = _evaluation(request, prevalence, None, level, row_id)
    writing.emit(as_text(evaluation, form, to_screen=output is None), form, output)
    _tell_findings(evaluation)


@click.command("report")
@reads_data
@states_prevalence
@states_level
@looks_for_ids
@click.option("--title", help="Heading of the report.")
@click.option("--value", type=float, help="Gain per captured positive, to show the profit.")
@click.option("--cost", type=float, help="Cost per selected case, to show the profit.")
@click.option(
    "--output",
    "-o",
    default="report.html",
    show_default=True,
    metavar="PATH",
    help=f"File to write: {', '.join(REPORTS)}.",
)
@states_details
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
    """Write an HTML report on a score.

    One file with all curves, numbers and tables; it opens in any browser and makes no network
    requests. The summary goes to standard error.
    """
    path = writing.check_output(output, request.file, REPORTS)
    if path.suffix.lower() in PICTURES:
        _refuse_not_drawn(output, request.by, {"title": title, "value": value, "cost": cost})
    money = _money(value, cost)
    evaluation = _evaluation(request, prevalence, title, level, row_id, money)
    with writing.failing_at(path):
        evaluation.save(path)
    click.echo(as_card(evaluation, to_screen=False, err=True), err=True)
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
                f"--output {output} is a picture, which shows no {name}; leave out --{name}"
            )
    if by is not None:
        raise click.UsageError(
            f"--output {output} is a picture of all rows and shows no segments; leave out --by, "
            f"or draw them with capcurve plot --by"
        )


def _check_ids(request: Request, row_id: str | None) -> None:
    """Refuse ids where there are none to look at, or nothing to look for."""
    if row_id is not None and request.counts:
        raise click.UsageError("--id is for rows, and --counts reads counts; leave one out")
    if row_id is not None and request.cluster is not None:
        raise click.UsageError(
            "--id only looks for repeated ids, and --cluster already uses them; leave out --id"
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
    from capcurve.evaluation import Question, judge, rows_sharing

    _check_ids(request, row_id)
    found = counted(request, together=True)
    with waiting("reading off the numbers"):
        question = Question(
            title=title or _title(request, list(found.whole)),
            source=", ".join(map(_name_of, request.file)),
            by=(request.by or "segment") if found.segments else None,
            prevalence=prevalence,
            level=level,
            about_rows=rows_sharing(row_id, None, files_of(request)),
            money=money,
        )
        return judge(found.whole, found.segments, found.joint, question)


def _name_of(file: str) -> str:
    """Return the name of a file without its folder, which is nobody's business in a report."""
    return "standard input" if file == STDIN else Path(file).name


def _title(request: Request, names: list[str]) -> str:
    if request.counts:
        return f"How well {names[0] if request.score else 'the score'} ranks"
    if len(names) == 1:
        return f"How well {names[0]} ranks {request.target}"
    return f"{request.target}: {', '.join(names)}"


def _tell_findings(evaluation: Evaluation) -> None:
    own = {name: summary.findings for name, summary in evaluation.summaries.items()}
    of_all = [f for f in evaluation.findings if f.code in OF_ALL_SCORES]
    if of_all:
        writing.tell({"": of_all})
    writing.tell(own)

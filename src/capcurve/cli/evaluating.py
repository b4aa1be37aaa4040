"""`capcurve summary`, `report` and `compare`: everything about scores at once."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import (
    STDIN,
    looks_for_ids,
    reads_data,
    refuse_amounts,
    states_details,
    states_level,
    states_prevalence,
)
from capcurve.cli.output import (
    Destination,
    check_output,
    confirm,
    failing_at,
    note,
    require_workbooks,
    tell,
    waiting,
    wrapped,
    writes_tables,
)
from capcurve.cli.reading import counted_jointly, counted_to_show, files_of, saved_counts
from capcurve.cli.showing import as_card, as_text
from capcurve.cli.tables import SCHEMA_VERSION, emit_columns, in_columns, tell_always
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from capcurve.cli.options import Request
    from capcurve.inference import Comparison
    from capcurve.studies.evaluation import Evaluation
    from capcurve.studies.evaluation.content import Money

Result = TypeVar("Result")
REPORTS = (".html", ".json", ".xlsx", *PICTURES)
ALTERNATIVES = ("two-sided", "superior", "inferior", "non-inferior", "equivalent")
METRICS: dict[str, Literal["accuracy_ratio", "roc_auc"]] = {
    "ar": "accuracy_ratio",
    "auc": "roc_auc",
}
A_WORKBOOK = "a workbook is"


@dataclass(frozen=True, slots=True)
class Question:
    """What a summary is asked besides the rows: a prevalence, a level, ids and PDs."""

    prevalence: float | None
    level: float
    row_id: str | None
    pd: tuple[str, ...]


states_pds = click.option(
    "--pd",
    multiple=True,
    metavar="SCORE",
    help="Score that is a PD, from 0 to 1: add the accuracy ratio that it promises; repeat for "
    "several.",
)


def states_question(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options of a summary; they come as one `Question` after its request."""

    @states_prevalence
    @states_level
    @states_pds
    @looks_for_ids
    @functools.wraps(command)
    def call(
        request: Request,
        *given: object,
        prevalence: float | None,
        level: float,
        row_id: str | None,
        pd: tuple[str, ...],
        **options: object,
    ) -> Result:
        question = Question(prevalence, level, row_id, pd)
        _check_ids(request, row_id)
        return command(request, question, *given, **options)

    return call


@click.command("summary")
@reads_data
@states_question
@writes_tables
@states_details
def summary(request: Request, question: Question, to: Destination) -> None:
    """Show all numbers of a score.

    One score is shown as a card, several scores or segments (--by) as a table. JSON has
    everything, CSV one line per score and segment, and a workbook (-o x.xlsx) the counts with
    every number as a formula on them.
    """
    if to.form == "xlsx":
        refuse_amounts(request, A_WORKBOOK, "write .json, .csv or .md")
    evaluation = _evaluation(request, question)
    if to.form == "xlsx":
        from capcurve.studies.evaluation.workbook import write_workbook

        to.save_workbook(partial(write_workbook, evaluation))
    else:
        to.emit(as_text(evaluation, to))
    _tell_findings(evaluation)


@click.command("report")
@reads_data
@states_question
@click.option("--title", help="Heading of the report.")
@click.option(
    "--value",
    type=float,
    help="Gain per captured positive, or unit of the amount, to show the profit.",
)
@click.option(
    "--cost",
    type=float,
    help="Cost per selected case, or unit of exposure, to show the profit.",
)
@click.option(
    "--initial",
    metavar="PATH",
    help="With --by for periods: initial sample, counts saved as .csv or .parquet, or its accuracy "
    "ratio; adds a control chart of the periods.",
)
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
    question: Question,
    *,
    title: str | None,
    value: float | None,
    cost: float | None,
    initial: str | None,
    output: str,
) -> None:
    """Write an HTML report on a score.

    One file with all curves, numbers and tables; it opens in any browser and makes no network
    requests. The summary goes to standard error. With -o x.xlsx it is a workbook whose numbers
    are formulas on the counts.
    """
    path = check_output(output, request.file, REPORTS)
    if path.suffix.lower() == ".xlsx":
        refuse_amounts(request, A_WORKBOOK, "write .html, .json or a picture")
        require_workbooks()
        _refuse_profit(output, value, cost)
    if path.suffix.lower() in PICTURES:
        elsewhere: dict[str, object] = {
            "title": title,
            "value": value,
            "cost": cost,
            "pd": question.pd or None,
        }
        _refuse_not_drawn(output, request.by, elsewhere)
    _check_initial(request, path, initial)
    evaluation = _evaluation(request, question, title, _money(value, cost))
    if initial is not None:
        with waiting("making the control chart"):
            evaluation = evaluation.monitored(_initial(initial))
    with failing_at(path):
        evaluation.save(path)
    click.echo(as_card(evaluation, to_screen=False, err=True), err=True)
    _tell_findings(evaluation)
    confirm(path)


def _check_initial(request: Request, path: Path, initial: str | None) -> None:
    """Refuse an initial sample where no control chart can be made or shown."""
    if initial is None:
        return
    refuse_amounts(request, "--initial is", "leave it out")
    if request.by is None and not request.counts:
        raise click.UsageError("--initial goes with --by; name the column of the periods")
    if path.suffix.lower() not in (".html", ".json"):
        raise click.UsageError(f"--output {path} shows no control chart; write .html or .json")
    if len(set(request.score)) > 1:
        raise click.UsageError("--initial is of one score; pass one --score")


def _initial(said: str) -> Any:
    """Return the counts in a file, or the number that was typed."""
    try:
        return float(said)
    except ValueError:
        return saved_counts(said, "--initial")


def _money(value: float | None, cost: float | None) -> Money | None:
    from capcurve.studies.evaluation.evaluation import money_of

    if (value is None) is not (cost is None):
        raise click.UsageError("--value and --cost go together: the profit needs both")
    return money_of(value, cost)


def _refuse_profit(output: str, value: float | None, cost: float | None) -> None:
    """Refuse what a workbook does not show."""
    if value is not None or cost is not None:
        raise click.UsageError(
            f"--output {output} is a workbook, which shows no profit; leave out --value and --cost"
        )


def _refuse_not_drawn(output: str, by: str | None, given: dict[str, object]) -> None:
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
    if row_id is None:
        return
    if request.counts:
        raise click.UsageError("--id is for rows, and --counts reads counts; leave one out")
    if request.cluster is not None:
        raise click.UsageError(
            "--id only looks for repeated ids, and --cluster already uses them; leave out --id"
        )
    if STDIN in request.file:
        raise click.UsageError("--id reads the rows once more; save standard input to a file first")


def _refuse_prevalence(request: Request, prevalence: float | None) -> None:
    if prevalence is not None and request.amount is not None:
        raise click.UsageError("amounts have no prevalence; leave out --prevalence")


def _refuse_pds(request: Request, pds: tuple[str, ...]) -> None:
    """Refuse PDs that are none of the scores."""
    if pds:
        refuse_amounts(request, "--pd is", "leave it out")
    unknown = [name for name in pds if request.score and name not in request.score]
    if unknown:
        raise click.UsageError(
            f"--pd {unknown[0]} is none of the scores, {', '.join(request.score)}; for PDs from "
            "another column use capcurve implied"
        )


def _evaluation(
    request: Request, question: Question, title: str | None = None, money: Money | None = None
) -> Evaluation:
    from capcurve.studies import evaluation

    _refuse_prevalence(request, question.prevalence)
    _refuse_pds(request, question.pd)
    found = counted_to_show(request, together=True)
    with waiting("reading off the numbers"):
        asked = evaluation.Question(
            title=title or _title(request, list(found.whole)),
            source=request.source,
            by=(request.by or "segment") if found.segments else None,
            prevalence=question.prevalence,
            level=question.level,
            about_rows=evaluation.rows_sharing(question.row_id, None, files_of(request)),
            money=money,
            min_cell=request.min_cell,
            pd=question.pd or None,
            all_segments=True,  # others were refused when they were counted
        )
        made = evaluation.judge(found.whole, found.segments, found.joint, asked)
    _refuse_undefined(made)
    return made


def _refuse_undefined(evaluation: Evaluation) -> None:
    """Refuse rows of which no score can be judged: none, or of one class."""
    summaries = evaluation.summaries.values()
    errors = [found for each in summaries for found in each.findings if found.severity == "error"]
    if errors and all(each.accuracy_ratio is None for each in summaries):
        raise Failure(f"{errors[0].message}; {errors[0].advice}")


def _title(request: Request, names: list[str]) -> str:
    if request.counts:
        return f"How well {names[0] if request.score else 'the score'} ranks"
    outcome = request.amount or request.target
    if len(names) == 1:
        return f"How well {names[0]} ranks {outcome}"
    return f"{outcome}: {', '.join(names)}"


def _tell_findings(evaluation: Evaluation) -> None:
    own = {name: summary.findings for name, summary in evaluation.summaries.items()}
    if evaluation.about_all():
        tell({"": evaluation.about_all()})
    tell(own)


@click.command("compare")
@reads_data
@click.option(
    "--alternative",
    type=click.Choice(ALTERNATIVES),
    metavar="HYPOTHESIS",
    default="two-sided",
    show_default=True,
    help="Alternative hypothesis on the first score of a pair against the second: "
    + ", ".join(ALTERNATIVES)
    + ".",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    metavar="DIFFERENCE",
    help="Margin, in units of the metric; required for non-inferior and equivalent.",
)
@click.option(
    "--metric",
    type=click.Choice(list(METRICS)),
    default="ar",
    show_default=True,
    help="Metric of the differences and the margin.",
)
@states_level
@writes_tables
@states_details
def compare(
    request: Request,
    to: Destination,
    *,
    alternative: Literal["two-sided", "superior", "inferior", "non-inferior", "equivalent"],
    margin: float | None,
    metric: Literal["ar", "auc"],
    level: float,
) -> None:
    """Test whether scores of the same rows differ.

    For every pair of scores, first minus second: difference, interval and p-value, with Holm's
    adjustment for more than two scores. Scores that rank all cases identically get p = 1.
    """
    if len(set(request.score)) < 2:  # noqa: PLR2004 - a pair
        raise click.UsageError("compare needs at least two scores; name each with --score")
    if request.amount is not None and metric == "auc":
        raise click.UsageError("--metric auc is for positives and negatives; with --amount give ar")
    if request.by is not None or request.all_segments:
        flag = "--by" if request.by is not None else "--all-segments"
        raise click.UsageError(f"compare uses all rows together; leave out {flag}")
    found, joint = counted_jointly(request)
    with waiting("comparing"):
        from capcurve import inference

        tests = inference.compare(
            joint,
            metric=METRICS[metric],
            level=level,
            margin=margin,
            alternative=alternative,
        )
    if to.form == "xlsx":
        emit_columns("comparison", tests.table.values(), to)
    else:
        to.emit(_comparison(tests, margin, to))
    for told in dict.fromkeys(each for test in tests.pairs for each in test.notes):
        note(told)
    tell_always(found)


def _comparison(tests: Comparison, margin: float | None, to: Destination) -> str:
    from capcurve.results.comparing import difference_columns, difference_sentence
    from capcurve.show.columns import to_json
    from capcurve.show.format import chance_text, printable

    sentences = [printable(difference_sentence(test, margin)) + "." for test in tests.pairs]
    if to.form == "json":
        return to_json(
            {
                "schema_version": SCHEMA_VERSION,
                "margin": margin,
                **tests.to_dict(),
                "sentences": sentences,
            }
        )
    if to.form == "csv":
        return to.as_csv(tests.table.values())
    estimates: dict[str, list[object]] = {
        "score": list(tests.names),
        tests.metric: list(tests.estimates),
    }
    tables = [in_columns(columns, to) for columns in (estimates, difference_columns(tests))]
    if to.to_screen:
        sentences = list(map(wrapped, sentences))
    overall = []
    if len(tests.pairs) > 1:
        overall = [f"All equal: {chance_text(tests.p_value)}, {tests.overall.method}."]
    between = "\n\n" if to.form == "md" else "\n"
    return "\n\n".join([*tables, between.join([*sentences, *overall])])

"""`capcurve summary` and `report`: everything about scores at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import click

from capcurve.cli.calibrating import grade_pd_option, pd_option, pds_of_scores, score_meant
from capcurve.cli.command import (
    Command,
    Output,
    ShowsResult,
    command,
    headline_of,
    of_result,
    page_and_picture,
)
from capcurve.cli.earlier import earlier_samples, initial_of
from capcurve.cli.errors import Failure, code_of
from capcurve.cli.options import (
    OPEN_SHARE,
    STDIN,
    WRITTEN,
    Request,
    errors_option,
    level_option,
    of_classes,
    option,
    output_option,
    prevalence_option,
)
from capcurve.cli.output import (
    WITH_WORKBOOK,
    AsTyped,
    check_output,
    confirm,
    failing_at,
    in_typed_words,
    tell_all,
    tell_headline,
    waiting,
)
from capcurve.cli.reading import counted_to_show, files_of
from capcurve.input import crossed_names
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from capcurve.counts import Amounts, Ranking
    from capcurve.studies.evaluation import Evaluation
    from capcurve.studies.evaluation.content import Money

REPORTS = (".html", ".json", ".xlsx", *PICTURES)
# What a narrow terminal has no room for. The AUC says the same as the accuracy ratio.
SPARE_OF_SCORES = (
    *("with_amount", "mean_of_top_10", "concentration_index", "lift_10", "ks_q", "captured_10"),
    *("AP", "roc_auc"),
    # Of what scores select at one share; captured, with its interval, stays.
    *("selected", "lift", "cases", "exposure", "precision", "mean"),
    *("events", "competing"),  # of horizons; the share censored, and the bounds, stay
)
_SELECTIVE = {"selective": "{flag} goes with --selective; add it"}


@dataclass(frozen=True, kw_only=True)
class About(Command):
    """What a summary is asked besides the rows: a prevalence, a level, ids, PDs and errors."""

    prevalence: float | None = prevalence_option(
        excludes={"amount": "amounts have no prevalence; leave out --prevalence"}
    )
    level: float = level_option()
    pd: tuple[str, ...] = pd_option(
        "a score, or one column beside the scores; adds calibration and implied accuracy ratio; "
        "repeat for several scores."
    )
    grade_pd: str | None = grade_pd_option()
    selective: bool = option(
        "Add the share of errors if only the surest cases are answered.",
        excludes={
            "amount": of_classes("--selective is", "leave it out"),
            "prevalence": "--selective shows risks as counted; leave out --prevalence",
        },
    )
    errors: Literal["positives", "negatives"] | None = errors_option(
        "With --selective", needs=_SELECTIVE
    )
    max_risk: float | None = option(
        "With --selective: certify the most cases that can be answered with at most this share of "
        "errors.",
        "SHARE",
        type=OPEN_SHARE,
        needs=_SELECTIVE,
    )
    row_id: str | None = option(
        "Warn if ids in this column repeat; if they do, pass the column to --cluster.",
        "COLUMN",
        flags=("--id",),
        excludes={
            "counts": "--id is for rows, and --counts reads counts; leave one out",
            "cluster": "--id only looks for repeated ids, and --cluster already uses them; leave "
            "out --id",
            "stdin": "--id reads the rows once more; save standard input to a file first",
        },
    )

    def evaluated(self, title: str | None = None, money: Money | None = None) -> Evaluation:
        """Return everything about the scores; refuse rows of which none can be judged."""
        from capcurve.studies import evaluation

        request = self.request
        named = [score_meant(name, request) for name in self.pd]
        found = counted_to_show(request, together=True, pd=named)
        pds = pds_of_scores(named, self.grade_pd, found)
        with waiting("reading off the numbers") as through:
            made = evaluation.judge(
                found.whole,
                found.segments,
                found.joint,
                title=title or _title(request, found.whole),
                source=request.source,
                by=(request.by_called or "segment") if found.segments else None,
                crossed=crossed_names(request.segmented_by, dict.fromkeys(request.by)),
                prevalence=self.prevalence,
                level=self.level,
                about_rows=evaluation.rows_sharing(self.row_id, None, files_of(request)),
                money=money,
                min_cell=request.min_cell,
                pd=pds or None,
                of_selection={
                    **self.options("selective", "max_risk"),
                    "errors": self.errors or "positives",
                },
                all_segments=True,  # others were refused when they were counted
                clusters=self._clusters(found.whole),
                through=through,
            )
        summaries = made.summaries.values()
        errors = [each for s in summaries for each in s.findings if each.severity == "error"]
        if errors and all(each.accuracy_ratio is None for each in summaries):
            raise Failure(f"{errors[0].message}; {errors[0].advice}")
        return made

    def _clusters(self, whole: Mapping[str, Ranking | Amounts]) -> str | None:
        """Return how many rows belong to how many clusters, where these can be counted."""
        from capcurve.studies.evaluation.evaluation import rows_of_clusters

        request = self.request
        again = not (request.counts or STDIN in request.file or request.memory_limit)
        column, data = (request.cluster, files_of(request)) if again else (None, None)
        return rows_of_clusters(whole, column, data)


@command("summary", writes=WITH_WORKBOOK)
@dataclass(frozen=True, kw_only=True)
class Summarise(About, ShowsResult):
    """Show all numbers of a score.

    One score is shown as a card, several scores or segments (--by) as a table. JSON contains
    everything, CSV one line per score and segment, a workbook (-o x.xlsx) the counts and a formula
    for every number. The page (-o x.html) needs no script; capcurve report has all curves and a
    slider.
    """

    def result(self) -> Output:
        """Return the evaluation."""
        if self.to.form == "xlsx" and self.request.amount is not None:
            raise click.UsageError(of_classes("a workbook is", "write .json, .csv or .md"))
        from capcurve.studies.evaluation.shown import rows_of_scores

        found = self.evaluated()
        shown = found.presentation()

        def workbook(path: Path) -> None:
            from capcurve.studies.evaluation.workbook import write_workbook

            write_workbook(found, path, speaks=AsTyped.asked())

        return of_result(
            found.to_dict,
            shown,
            SPARE_OF_SCORES,
            columns=partial(rows_of_scores, found),
            files={**page_and_picture(lambda: shown), "xlsx": workbook},
            told=[found.told()],
        )


@command("report", worded=True)
@dataclass(frozen=True, kw_only=True)
class Report(About):
    """Write an HTML report on a score.

    One file with all curves, numbers and tables, which opens in any browser and makes no network
    requests. The headline is printed on standard error. -o x.xlsx writes a workbook with a formula
    for every number.
    """

    title: str | None = option("Heading of the report.", section=WRITTEN)
    value: float | None = option(
        "Gain per captured positive, or unit of the amount; the page then opens at the number to "
        "select for the largest profit."
    )
    cost: float | None = option("Cost per selected case, or unit of exposure, for --value.")
    initial: str | None = option(
        "With --by for periods: the initial sample, for a control chart of the periods: rows with "
        "the same columns, counts saved by capcurve counts, summary JSON or an accuracy ratio.",
        "PATH|NUMBER",
        needs={"by|counts": "--initial goes with --by; name the column of the periods"},
        excludes={
            "amount": of_classes("--initial is", "leave it out"),
            "scores": "--initial is for one score; pass one --score",
        },
    )
    output: str = output_option(f"File to write: {', '.join(REPORTS)}.", default="report.html")

    def run(self) -> int:
        """Write the report, and its headline on stderr."""
        from capcurve.studies.evaluation.evaluation import money_of

        path = check_output(self.output, REPORTS)
        self._check(path.suffix.lower())
        evaluation = self.evaluated(self.title, money_of(self.value, self.cost))
        if self.initial is not None:
            with waiting("making the control chart"):
                found = earlier_samples("--initial", self.initial, self.request, evaluation.counts)
                evaluation = evaluation.monitored(*map(initial_of, found.values()))
        evaluation = replace(evaluation, speaks=AsTyped.asked())
        with failing_at(path), waiting("writing"):
            evaluation.save(path)
        shown = in_typed_words(evaluation.presentation())
        tell_headline(headline_of(shown))
        charts = evaluation.control_charts.values()
        tell_all([evaluation.told(), *({"": each.presentation().findings} for each in charts)])
        confirm(path)
        return code_of([shown.light])

    def _check(self, suffix: str) -> None:
        """Refuse what is not in a file of this kind."""
        from capcurve.show.workbook import require_writer

        money = {"value": self.value, "cost": self.cost}
        if suffix == ".xlsx":
            if self.request.amount is not None:
                instead = "write .html, .json or a picture"
                raise click.UsageError(of_classes("a workbook is", instead))
            require_writer()
            if any(said is not None for said in money.values()):
                raise click.UsageError(
                    f"--output {self.output} is a workbook, which shows no profit; leave out "
                    "--value and --cost"
                )
        if suffix in PICTURES:
            more = {"grade-pd": self.grade_pd, "selective": self.selective or None}
            about = {"title": self.title, **money, "pd": self.pd or None, **more}
            for name, said in about.items():
                if said is not None:
                    raise click.UsageError(
                        f"--output {self.output} is a picture, which shows no {name}; leave out "
                        f"--{name}"
                    )
            if self.request.by:
                raise click.UsageError(
                    f"--output {self.output} is a picture of all rows and shows no segments; "
                    "leave out --by, or draw them with capcurve plot --by"
                )
        if self.initial is not None and suffix not in (".html", ".json"):
            raise click.UsageError(
                f"--output {self.output} shows no control chart; write .html or .json"
            )
        if (self.value is None) is not (self.cost is None):
            raise click.UsageError("--value and --cost go together: the profit needs both")


def _title(request: Request, whole: Mapping[str, Ranking | Amounts]) -> str:
    from capcurve.studies.evaluation.evaluation import title_of

    if request.counts:
        whole = {request.name: next(iter(whole.values()))}
    outcome = request.amount or request.event or request.target
    return title_of(None if request.counts else outcome, whole, request.time)

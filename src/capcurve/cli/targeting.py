"""`capcurve uplift`: whom a treatment moves, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.options import OF_FILES, SHARE, level_option, option
from capcurve.cli.output import SCHEMA_VERSION, WITH_WORKBOOK, waiting
from capcurve.cli.reading import files_of, label_in, rereadable, rules_of

ASKED = ("pos_label", "higher_is", "levels", "resolution", "cluster")


@command(
    "uplift",
    columns=("target", "amount", "score"),
    details=(*ASKED, *OF_FILES),
    writes=WITH_WORKBOOK,
)
@dataclass(frozen=True, kw_only=True)
class ShowUplift(ShowsResult):
    """Show whom a treatment moves, in a randomised trial.

    The uplift of the top and of all, the Qini coefficient with a test, whether treatment went with
    the score, both arms by bin, and with --value and --cost how many to treat.
    """

    treatment: str | None = option(
        "Column that says who was treated: 1 or true for a treated case.", "COLUMN"
    )
    treated_label: str | None = option("Label of treated cases, if it is not 1 or true.", "LABEL")
    at: float = option("Share of all cases whose uplift is told.", "SHARE", type=SHARE, default=0.3)
    value: float | None = option(
        "What one more outcome brings; with --cost.",
        "MONEY",
        needs={"cost": "--value needs --cost, what treating one case costs"},
    )
    cost: float | None = option(
        "What treating one case costs; with --value.",
        "MONEY",
        needs={"value": "--cost needs --value, what one more outcome brings"},
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return what is said of the trial."""
        request = self.request
        outcome = request.target or request.amount
        if outcome is None or self.treatment is None or not request.score:
            from capcurve.cli.proposing import propose_columns

            propose_columns(request, files_of(request), {"--treatment": self.treatment})
        if len(set(request.score)) != 1:
            raise click.UsageError("uplift is of one score; pass one --score")
        with rereadable(request, again=self.treated_label is not None) as files:
            from capcurve.input.files import read_columns
            from capcurve.input.trials import count_arms
            from capcurve.results.trials import summarize_trial

            label, word = None, self.treated_label
            if word is not None:
                column = read_columns(files, [self.treatment])[self.treatment]
                label = label_in(column, word, "--treated-label")
            role = "target" if request.amount is None else "amount"
            roles = {role: outcome, "cluster": request.cluster}
            named = {request.score[0]: request.score[0]}
            with waiting("counting"):
                rules = rules_of(request, files)
                trial = count_arms(self.treatment, label, named, rules, files, roles)
        found = summarize_trial(
            trial, name=request.score[0], q=self.at, **self.options("level", "value", "cost")
        )
        return of_result(
            lambda: {"schema_version": SCHEMA_VERSION, **found.to_dict()},
            replace(found.presentation(), source=request.source),
            spare=("score_from", "treated", "control", "selected", "gain"),
            told=[{"": found.findings}, *_left_out(trial.dropped)],
        )


def _left_out(dropped: object) -> list[str]:
    rows = getattr(dropped, "rows", 0)
    return [f"{rows} rows are left out because a value is missing"] if rows else []

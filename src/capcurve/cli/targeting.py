"""`capcurve uplift`: whom a treatment moves, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.options import OF_FILES, SHARE, level_option, option
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import files_of, label_in, rereadable, rules_of

# What a narrow terminal has no room for.
SPARE = ("score_from", "treated", "control", "selected", "gain", "autoc_low", "autoc_high", "autoc")
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
    the score, both arms by bin, and with --value and --cost how many to treat. Several scores
    stand beside each other, and a paired test says whether one tells more of whom to treat.
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
        scores = list(dict.fromkeys(request.score))
        with rereadable(request, again=self.treated_label is not None) as files:
            from capcurve.input.files import read_columns
            from capcurve.input.trials import count_arms
            from capcurve.results.trials import evaluate_trial, write_workbook

            label, word = None, self.treated_label
            if word is not None:
                column = read_columns(files, [self.treatment])[self.treatment]
                label = label_in(column, word, "--treated-label")
            role = "target" if request.amount is None else "amount"
            roles = {role: outcome, "cluster": request.cluster}
            several = len(scores) > 1
            with waiting("counting"):
                rules = rules_of(request, files)
                named = dict(zip(scores, scores, strict=True))
                trial = count_arms(
                    self.treatment, label, named, rules, files, roles, together=several
                )
        asked = {"q": self.at, **self.options("level", "value", "cost")}
        found = evaluate_trial(trial, name=scores[0], source=request.source, **asked)
        shown = of_result(
            found.to_dict,
            found.presentation(),
            spare=SPARE,
            told=[{"": found.findings}],
        )
        return replace(shown, files={**shown.files, "xlsx": partial(write_workbook, found)})

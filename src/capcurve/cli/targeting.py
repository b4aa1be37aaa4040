"""`capcurve uplift`: whom a treatment moves, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.options import OF_FILES, SHARE, level_option, option, untimed
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import counted, files_of, label_among, label_in, rereadable, rules_of

if TYPE_CHECKING:
    from capcurve.cli.options import Request

# What a narrow terminal has no room for.
SPARE = ("score_from", "treated", "control", "selected", "gain", "autoc_low", "autoc_high", "autoc")
TREATMENT = "Column that says who was treated: 1 or true for a treated case."
TREATED = "Label of treated cases, if it is not 1 or true."
ASKED = ("pos_label", "higher_is", "levels", "resolution", "cluster")


@command(
    "uplift",
    columns=("target", "amount", "score"),
    details=(*ASKED, "counts", *OF_FILES),
    texts={
        "counts": "FILE holds counts: treatment, score, positives, negatives, or of amounts "
        "treatment, score, amount, n. --treatment, --score, --target and --amount name these "
        "columns if they are called something else.",
    },
    writes=WITH_WORKBOOK,
    refuses=untimed("what a treatment moves is not known at a horizon yet"),
)
@dataclass(frozen=True, kw_only=True)
class ShowUplift(ShowsResult):
    """Show whom a treatment moves, in a randomised trial.

    The uplift of the top and of all, the Qini coefficient with a test, whether treatment went with
    the score, both arms by bin, and with --value and --cost how many to treat. Several scores
    stand beside each other, and a paired test says whether one tells more of whom to treat.
    """

    treatment: str | None = option(TREATMENT, "COLUMN")
    treated_label: str | None = option(TREATED, "LABEL")
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
        trial = trial_of(request, self.treatment, self.treated_label)
        from capcurve.results.trials import evaluate_trial, write_workbook

        asked = {"q": self.at, **self.options("level", "value", "cost")}
        found = evaluate_trial(trial, name=request.name, source=request.source, **asked)
        shown = of_result(
            found.to_dict,
            found.presentation(),
            spare=SPARE,
            told=[{"": found.findings}],
        )
        return replace(shown, files={**shown.files, "xlsx": partial(write_workbook, found)})


def trial_of(request: Request, treatment: str | None, treated_label: str | None) -> Any:
    """Count both arms of a trial, for one score or several together, or read such counts."""
    if request.counts:
        return _saved_trial(request, treatment, treated_label)
    outcome = request.target or request.amount
    if outcome is None or treatment is None or not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request), {"--treatment": treatment})
    with rereadable(request, again=treated_label is not None) as files:
        from capcurve.input.files import read_columns
        from capcurve.input.trials import count_arms

        label = None
        if treated_label is not None:
            column = read_columns(files, [treatment])[treatment]
            label = label_in(column, treated_label, "--treated-label")
        role = "target" if request.amount is None else "amount"
        roles = {role: outcome, "cluster": request.cluster}
        with waiting("counting"):
            named = {name: name for name in request.score}
            rules, together = rules_of(request, files), len(named) > 1
            return count_arms(treatment, label, named, rules, files, roles, together=together)


def _saved_trial(request: Request, treatment: str | None, treated_label: str | None) -> Any:
    """Read counts by treatment: of `capcurve counts`, or of anybody's."""
    from capcurve.input.trials import arms_of_segments

    found = counted(replace(request, by=() if treatment is None else (treatment,)))
    parts = found.segments.get(request.name)
    if parts is None:
        raise Failure(
            f"{request.file[0]} has no column treatment, which says whose cases each row counts; "
            "name it with --treatment"
        )
    label = None
    if treated_label is not None:
        cases = {label: part.n for label, part in parts.items()}
        label = label_among(cases, "treatment", treated_label, "--treated-label")
    return arms_of_segments(parts, label)

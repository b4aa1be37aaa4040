"""`capcurve uplift`: whom a treatment moves, and how many to treat."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.notations import number_or
from capcurve.cli.options import (
    LABEL_OPTIONS,
    OF_COLUMNS,
    OF_FILES,
    ROWS_ONLY,
    SHARE,
    Request,
    level_option,
    option,
    untimed,
)
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import (
    files_of,
    in_words_of,
    label_among,
    labels_in,
    labels_of,
    rereadable,
    rules_of,
    tallied,
    with_lines,
)
from capcurve.numbers.arguments import refuse_same_column, renamed
from capcurve.show.presentation import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


SPARE_OF_TRIALS = (
    *("score_from", "treated", "control", "selected", "gain"),
    *("autoc_low", "autoc_high", "autoc"),
)
TREATMENT = "Column of who was treated: 1 or true for a treated case."
TREATED_HELP = "Label of treated cases, if it is not 1 or true; repeat for several."
CONTROL = (
    "Label of control cases, where there are more than two arms; repeat for several. Rows of all "
    "other arms are left out."
)
WITH_TREATED = {"treated_label": "{flag} goes with --treated-label; name the treated cases"}
ROUGH = "intervals are rough"
ASKED = (*LABEL_OPTIONS, "higher_is", "levels", "resolution", "cluster")


@command(
    "uplift",
    columns=("target", "amount", "score"),
    details=(*ASKED, "counts", *OF_FILES),
    texts={
        "counts": "FILE holds counts: treatment, score, positives, negatives, or of amounts "
        "treatment, score, amount, n. --treatment, --score, --target and --amount name these "
        "columns if they are called something else."
    },
    writes=WITH_WORKBOOK,
    refuses=untimed("uplift is not computed at a horizon yet"),
)
@dataclass(frozen=True, kw_only=True)
class ShowUplift(ShowsResult):
    """Show whom a treatment moves, in a randomised trial.

    Shows the uplift of the top and of all cases, the Qini coefficient with a test, whether
    treatment depended on the score, both arms by bin, and with --value and --cost how many to
    treat. A paired test compares several scores.
    """

    treatment: str | None = option(TREATMENT, "COLUMN")
    treated_label: tuple[str, ...] = option(TREATED_HELP, "LABEL", default=())
    control_label: tuple[str, ...] = option(CONTROL, "LABEL", default=(), needs=WITH_TREATED)
    propensity: str | None = option(
        "Column of each case's chance of being treated, if these differ; or one chance for all.",
        "COLUMN|CHANCE",
        section=OF_COLUMNS,
        excludes={
            "counts": ROWS_ONLY,
            "missing": "--missing does not go with {flag}, which takes complete rows; leave it out",
        },
    )
    at: float = option("Share of cases whose uplift is shown.", "SHARE", type=SHARE, default=0.3)
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
        about: dict[str, Any] = {}
        if self.propensity is None:
            trial = trial_of(request, self.treatment, self.treated_label, self.control_label)
        else:
            arms = self.treated_label, self.control_label
            trial, about = _effects_of(request, self.treatment, arms, self.propensity)
        from capcurve.results.trials import evaluate_trial, write_uplift_workbook

        asked = {"q": self.at, **self.options("level", "value", "cost"), **about}
        found = evaluate_trial(trial, name=request.name, source=request.source, **asked)
        shown = of_result(
            found.to_dict, found.presentation(), spare=SPARE_OF_TRIALS, told=[{"": found.findings}]
        )
        return replace(shown, files={**shown.files, "xlsx": partial(write_uplift_workbook, found)})


def trial_of(request: Request, treatment: str | None, *arms: Sequence[str]) -> Any:
    """Count both arms of a trial, for one score or several together, or read such counts."""
    # `arms` are the labels of treated and of control cases, as typed.
    if request.counts:
        return _saved_trial(request, treatment, arms)
    outcome, treatment = _named(request, treatment)
    with rereadable(request, again=any(arms)) as files:
        from capcurve.input.trials import count_arms

        labels = labels_in(files, treatment) if any(arms) else {}
        said = [*_labels_of_arms(labels, treatment, arms)]
        role = "target" if request.amount is None else "amount"
        roles = {role: outcome, "cluster": request.cluster}
        with waiting("counting"):
            named = {name: name for name in request.score}
            rules, together = rules_of(request, files), len(named) > 1
            return count_arms(treatment, said, named, rules, files, roles, together=together)


def _labels_of_arms(
    labels: Mapping[object, int], name: str, arms: Sequence[Sequence[str]]
) -> Iterator[list[object] | None]:
    """Yield the labels that were typed for treated and for control cases, None where none was."""
    for flag, words in zip(("--treated-label", "--control-label"), arms, strict=True):
        yield [label_among(labels, name, word, flag) for word in words] or None


def _saved_trial(request: Request, treatment: str | None, arms: Sequence[Sequence[str]]) -> Any:
    """Read counts by treatment: of `capcurve counts`, or of anybody's."""
    from capcurve.input.trials import arms_of_segments

    with renamed(by="treatment"):
        found = tallied(replace(request, by=() if treatment is None else (treatment,)))
    parts = found.segments.get(request.name)
    if parts is None:
        raise Failure(
            f"{request.file[0]} does not say which cases were treated; count the rows again with "
            "capcurve counts --treatment, or name the column of a table with --treatment"
        )
    cases = {label: part.n for label, part in parts.items()}
    with in_words_of(request):
        return arms_of_segments(parts, *_labels_of_arms(cases, "treatment", arms))


def _named(request: Request, treatment: str | None) -> tuple[str, str]:
    """Return the columns of the outcome and the treatment, or list all where one is not named."""
    outcome = request.target or request.amount
    if outcome is None or treatment is None or not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request), {"--treatment": treatment})
    refuse_same_column(treatment=treatment, outcome=outcome)
    return outcome, treatment


def _effects_of(
    request: Request, treatment: str | None, arms: Sequence[Sequence[str]], propensity: str
) -> tuple[Any, dict[str, Any]]:
    """Count effect scores of known propensities, and say what they do not hold of the trial."""
    from capcurve.input.files import read_columns
    from capcurve.input.trials import arm_labels, count_effects

    outcome, treatment = _named(request, treatment)
    chance: Any = number_or(propensity, str)
    others = [each for each in (chance, request.cluster) if isinstance(each, str)]
    names = dict.fromkeys([outcome, treatment, *others, *request.score])
    with (
        rereadable(request, again=True) as files,
        waiting("counting"),
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        columns = read_columns(files, list(names))
        labels = labels_of(columns[treatment]) if any(arms) else {}
        said = arm_labels(*_labels_of_arms(labels, treatment, arms))
        roles = (outcome, treatment, chance, request.cluster)
        rules, scores = rules_of(request, files), list(dict.fromkeys(request.score))
        amounts = request.amount is not None
        trial, cases = count_effects(columns, roles, scores, rules, said, amounts=amounts)
    found = [
        Finding("extreme_propensities", "warning", with_lines(request, str(each.message)), ROUGH)
        for each in told
    ]
    return trial, {"arms": cases, "yes_no": not amounts, "told": found}

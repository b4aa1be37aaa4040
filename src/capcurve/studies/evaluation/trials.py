"""What `evaluate` does where it is told who was treated: rows of a trial are counted and judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

from capcurve.counts import JointUplift, UpliftCounts
from capcurve.input import named_scores, of_table, refuse_row_keywords, source_of
from capcurve.input.arrays import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from inspect import Parameter

    from capcurve.input.columns import ColumnLike, Data, ScoreLike
    from capcurve.results.trials import UpliftEvaluation

P = ParamSpec("P")
Usual = TypeVar("Usual")
Usual_co = TypeVar("Usual_co", covariant=True)
OUTCOMES = ("target", "amount")
READING = (
    *("pos_label", "neg_label", "rest", "drop_label"),
    *("higher_is", "levels", "missing", "resolution"),
)
ARM_LABELS = ("treated_label", "control_label")
TRIAL_ARGUMENTS = (
    *(*OUTCOMES, "score", "data", "table", "treatment"),
    *(*ARM_LABELS, "cluster", "positive_word", *READING),
)
SHOWING = ("title", "level", "value", "cost")


class Evaluates(Protocol[P, Usual_co]):
    """`evaluate`, which returns another evaluation of a trial."""

    @overload
    def __call__(
        self,
        target: ColumnLike = None,
        score: ScoreLike = None,
        data: Data = None,
        *,
        treatment: ColumnLike,
        **options: Any,
    ) -> UpliftEvaluation: ...
    @overload
    def __call__(self, target: UpliftCounts | JointUplift, **options: Any) -> UpliftEvaluation: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Usual_co: ...


def or_of_trials(function: Callable[P, Usual | UpliftEvaluation]) -> Evaluates[P, Usual]:
    """Tell type checkers which evaluation is returned; nothing else changes."""
    return cast("Evaluates[P, Usual]", function)


def evaluation_of_trial(
    said: Mapping[str, Any], parameters: Mapping[str, Parameter]
) -> UpliftEvaluation:
    """Return the evaluation of rows of a trial, or of its counts, which are then the target."""
    from capcurve.input.trials import count_arms
    from capcurve.results.trials import evaluate_trial

    # `said` is every argument of `evaluate`, whose `parameters` tell which of them were given.
    is_counted = said["treatment"] is None
    given = [name for name, usual in parameters.items() if said[name] is not usual.default]
    _refuse_others(given, said["target"], is_counted=is_counted)
    about = {"source": source_of(said["data"]), **{name: said[name] for name in SHOWING}}
    if is_counted:
        return evaluate_trial(said["target"], **about)
    outcome = {name: said[name] for name in OUTCOMES if name in given}
    if said["score"] is None or len(outcome) != 1:
        raise TypeError("evaluate needs of a trial a score, and either a target or an amount")
    roles = {**outcome, "cluster": said["cluster"]}
    data = of_table(said["data"], said["table"])
    named = named_scores(said["score"], data, *roles.values(), said["treatment"])
    rules, together = Rules(**{name: said[name] for name in READING}), len(named) > 1
    arms = [said[name] for name in ARM_LABELS]
    trial = count_arms(said["treatment"], arms, named, rules, data, roles, together=together)
    return evaluate_trial(trial, name=next(iter(named)), **about)


def _refuse_others(given: list[str], target: object, *, is_counted: bool) -> None:
    """Raise ValueError for the first argument that a trial cannot use."""
    if not is_counted:
        others = [name for name in given if name not in (*TRIAL_ARGUMENTS, *SHOWING)]
        beside = "treatment="
    elif not isinstance(target, UpliftCounts | JointUplift):
        name = next(name for name in ARM_LABELS if name in given)
        raise ValueError(f"{name}= goes with treatment=, which says who was treated")
    else:
        refuse_row_keywords(**{name: name for name in given if name in TRIAL_ARGUMENTS[1:]})
        others = [name for name in given if name not in ("target", *SHOWING)]
        beside = "counts of a trial"
    if others:
        raise ValueError(f"{others[0]}= does not go with {beside}; leave it out")

"""What functions of counts are given: counts, an evaluation that holds them, or neither."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from capcurve.counts.joint import JointCases, JointCounts, JointValues
from capcurve.counts.partial import PartialCounts
from capcurve.counts.rank_totals import Ranking, RankTotals
from capcurve.counts.scores import CaseCounts, ScoreCounts
from capcurve.counts.sums import ValueSums
from capcurve.counts.values import Amounts, ValueCounts

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Function = TypeVar("Function", bound=Callable[..., Any])
# Functions that have a counterpart for two arrays, in capcurve.sklearn.
OF_ARRAYS = {
    "accuracy_ratio": "accuracy_ratio_score",
    "captured_response": "captured_response_score",
    "ks": "ks_score",
    "lift": "lift_score",
}
# What to use for amounts in place of what is about classes.
OF_AMOUNTS = {
    "roc_auc": "accuracy_ratio",
    "roc_curve": "cap_curve",
    "precision": "mean_amount",
    "prevalence": "mean_amount",
    "precision_recall_curve": "lift_curve",
    "captured_response_curve": "cap_curve",
    "somers_d": "accuracy_ratio",
    "kendall_tau_b": "accuracy_ratio",
    "partial_auc": "captured_response",
    "ks_curve": "cap_curve",
    "threshold_table": 'gains_table(values, bins="score")',
    "step_table": 'gains_table(values, bins="score")',
    "rate_table": "gains_table",
    "adjacent_grades": "gains_table",
    **dict.fromkeys(("cap_band", "discrimination_test", "ks_test"), "confidence_interval"),
    **dict.fromkeys(("null_band", "test_against_initial"), "confidence_interval"),
    **dict.fromkeys(("compare_independent", "heterogeneity_test"), "confidence_interval"),
    "difference_band": "compare",
    **dict.fromkeys(("plot_roc", "plot_ks"), "plot_cap"),
    "plot_precision_recall": "plot_lift",
}
USUAL = "accuracy_ratio, concentration_index, captured_response, lift or mean_amount"


def resolving(function: Function, resolve: Callable[[Any, str, str], object]) -> Function:
    """Return a function whose first argument is resolved before it is called.

    `resolve` also takes the name of the function and the other arguments that it needs.
    """
    name, (first, *others) = function.__name__, signature(function).parameters.values()
    closed = all(other.kind is not other.VAR_KEYWORD for other in others)
    own = others if closed else others[:-1]
    needed = "".join(f", {other.name}=..." for other in own if other.default is other.empty)
    known = [other.name for other in own]
    refused = _unknown_word  # `asked` has the globals of another module

    def asked(*args: Any, **kwargs: Any) -> Any:
        unknown = [word for word in kwargs if word != first.name and word not in known]
        if unknown and closed:
            raise TypeError(refused(name, unknown[0], known))
        if args:
            return function(resolve(args[0], name, needed), *args[1:], **kwargs)
        if first.name in kwargs:
            kwargs[first.name] = resolve(kwargs[first.name], name, needed)
        return function(**kwargs)

    # Of the module that it stands in, so that its example is found and run.
    found = FunctionType(asked.__code__, function.__globals__, name, None, asked.__closure__)
    return cast("Function", functools.wraps(function)(found))


def _taking(resolve: Callable[[Any, str, str], object]) -> Callable[[Function], Function]:
    return lambda function: resolving(function, resolve)


def _unknown_word(name: str, word: str, known: Sequence[str]) -> str:
    """Say which keywords a function takes."""
    takes = f"takes {', '.join(known)}" if known else "takes counts alone"
    return f"{name}() got an unexpected keyword argument {word!r}; it {takes}"


def as_ranking(given: Any, name: str, needed: str = "") -> Ranking:
    """Return counts, or those of the only score of an evaluation, else raise TypeError.

    >>> as_ranking([1, 0], "roc_auc")
    Traceback (most recent call last):
    TypeError: roc_auc takes counts, got list: write roc_auc(count_scores(y, p))
    """
    found = as_ranked(given, name, needed)
    if is_amounts(found):
        raise _about_classes(name)
    return found


def as_counted(given: Any, name: str, needed: str = "") -> Ranking | JointCounts:
    """Return joint counts as they are, and anything else as `as_ranking` does."""
    return given if isinstance(given, JointCounts) else as_ranking(given, name, needed)


def _about_classes(name: str) -> TypeError:
    return TypeError(
        f"{name} is about two classes, and these are counts of amounts; for them use "
        f"{OF_AMOUNTS.get(name, USUAL)}, or count which rows have an amount: "
        "count_scores(amount > 0, p)"
    )


def are_counts(given: object) -> bool:
    """Tell whether counts of any kind, or several by name, are given, and not a column."""
    return isinstance(given, Ranking | JointCounts | JointValues | Mapping) or is_amounts(given)


def is_amounts(given: object) -> TypeIs[Amounts]:
    """Whether these are counts of amounts."""
    return isinstance(given, ValueCounts | ValueSums)


def as_amounts(given: Any, name: str, needed: str = "") -> Amounts:
    """Return counts of amounts, or those of the only score of an evaluation, else raise TypeError.

    >>> as_amounts([1, 0], "concentration_index")
    Traceback (most recent call last):
    TypeError: concentration_index takes amounts: write concentration_index(count_values(amount, p))
    """
    try:
        found = as_ranked(given, name, needed)
    except TypeError:
        found = None
    if not is_amounts(found):
        raise TypeError(f"{name} takes amounts: write {name}(count_values(amount, p){needed})")
    return found


def as_ranked(given: Any, name: str, needed: str = "") -> Ranking | Amounts:
    """Return counts of classes or amounts, or those of the only score of an evaluation.

    Raises TypeError for anything else.
    """
    if isinstance(given, ScoreCounts | RankTotals | ValueCounts | ValueSums):
        return given
    if isinstance(given, JointCounts | JointValues):
        raise TypeError(
            f"{name} takes the counts of one score: write {name}(joint.margin(...){needed})"
        )
    _refuse_unknown_outcomes(given, name, needed)
    held = given if isinstance(given, Mapping) else getattr(given, "counts", None)
    if isinstance(held, Mapping) and held and all(map(_is_ranked, held.values())):
        if len(held) == 1:
            return cast("Ranking", next(iter(held.values())))
        names, first = ", ".join(map(repr, held)), next(iter(held))
        whose = "segments" if held is given else "evaluation"
        raise TypeError(
            f"{name} takes the counts of one score, got those of {names}: "
            f"write {name}({whose}[{first!r}]{needed})"
        )
    if isinstance(given, Ranking):
        return given
    other = f", or capcurve.sklearn.{OF_ARRAYS[name]}(y, p)" if name in OF_ARRAYS else ""
    raise TypeError(
        f"{name} takes counts, got {type(given).__name__}: "
        f"write {name}(count_scores(y, p){needed}){other}"
    )


def _refuse_unknown_outcomes(given: object, name: str, needed: str) -> None:
    """Raise TypeError for counts in which some outcomes are not known, or none."""
    if isinstance(given, CaseCounts | JointCases):
        raise TypeError(
            f"{name} needs outcomes, and {type(given).__name__} are cases without; count those "
            f"that have one: write {name}(count_scores(y, p){needed})"
        )
    if isinstance(given, PartialCounts):
        raise TypeError(
            f"{name} needs every outcome, and {given.unknown.n:g} of {given.n:g} are not known: "
            f"bound the number with unknown_bounds(partial), or for the known ones alone write "
            f"{name}(partial.known{needed})"
        )


def _is_ranked(counts: object) -> bool:
    return is_amounts(counts) or isinstance(counts, Ranking)


def as_joint(given: Any, name: str, needed: str = "") -> JointCounts | JointValues:
    """Return joint counts, or those of an evaluation of several scores, else raise TypeError."""
    if isinstance(given, JointCounts | JointValues):
        return given
    held = getattr(given, "joint", None)
    if isinstance(held, JointCounts | JointValues):
        return held
    _refuse_unknown_outcomes(given, name, needed)
    raise TypeError(
        f"{name} takes scores of the same rows counted together, got {type(given).__name__}: "
        f"write {name}(count_joint(y, [p1, p2]){needed}); scores of different rows are for "
        "compare_independent"
    )


def _as_joint_classes(given: Any, name: str, needed: str = "") -> JointCounts:
    found = as_joint(given, name, needed)
    if isinstance(found, JointValues):
        raise _about_classes(name)
    return found


def as_drawable(
    given: Any, name: str, needed: str = ""
) -> Ranking | Amounts | Mapping[str, Ranking | Amounts]:
    """Return counts or a mapping of name to counts, of an evaluation if one is given."""
    held = getattr(given, "counts", given)
    if isinstance(held, Mapping | Ranking | ValueCounts | ValueSums):
        return held
    _refuse_unknown_outcomes(given, name, needed)
    raise TypeError(
        f"{name} draws counts, got {type(given).__name__}: write {name}(count_scores(y, p){needed})"
    )


# What lets a function take an evaluation too, in place of its counts, and answer anything else in
# one line that shows the call to make: functions of counts of two classes, of one score; of one or
# several; of classes or amounts; of amounts; of several scores; and those that draw all scores.
takes_counts, takes_counts_or_joint = _taking(as_ranking), _taking(as_counted)
takes_rankings, takes_amounts = _taking(as_ranked), _taking(as_amounts)
takes_joint, takes_joint_rankings = _taking(_as_joint_classes), _taking(as_joint)
draws_counts = _taking(as_drawable)


@dataclass(frozen=True, slots=True)
class Segmented:
    """What a function says of what it is given in place of counts by segment."""

    other: str  # of what is no mapping; {name} and {kind} stand for its name and its type
    none: str  # of a mapping without segments
    several: str  # of the segments of several scores, {names}


_BY_SEGMENT = Segmented(
    "{name} takes counts by segment, got {kind}: write {name}(count_segments(y, p, by=...)), or "
    "evaluation.segments[score]",
    "",
    "{name} takes the segments of one score, got those of {names}: pass evaluation.segments[score]",
)
OF_PERIODS = "write control_chart(count_segments(y, p, by=month), initial)"
SEGMENTED = {
    "attribute_change": Segmented(
        "{name} must be counts by segment, got {kind}: write count_segments(y, p, by=...), or "
        "evaluation.segments[score]",
        "{name} has no segments; count them with by=",
        "{name} has the segments of several scores, {names}; pass those of one",
    ),
    "control_chart": Segmented(
        "control_chart takes counts by period, got {kind}: " + OF_PERIODS,
        "there are no periods; count them with count_segments(y, p, by=month)",
        "periods has those of several scores, {names}; pass evaluation.segments[score]",
    ),
    "pool_periods": Segmented(
        "pool_periods takes counts by period, got {kind}: write "
        "pool_periods(count_segments(y, p, by=period))",
        "there are no periods; pass counts by period, {{name: counts}}",
        "periods has those of several scores, {names}; pass evaluation.segments[score]",
    ),
    "grade_homogeneity_test": _BY_SEGMENT,
    "heterogeneity_test": _BY_SEGMENT,
}


def segments(given: Any, function: str, name: str | None = None) -> Mapping[Any, Any]:
    """Return counts by segment, also those of an evaluation of one score, else raise in one line.

    `function` is whose argument it is, of those in `SEGMENTED`, and `name` what it is called.
    """
    said = SEGMENTED[function]
    words = {"name": name or function, "kind": type(given).__name__}
    held = getattr(given, "segments", given)
    nested = isinstance(held, Mapping) and bool(held)
    if nested and all(isinstance(each, Mapping) for each in held.values()):
        if len(held) > 1:
            raise ValueError(said.several.format(**words, names=", ".join(map(repr, held))))
        held = next(iter(held.values()))
    if not isinstance(held, Mapping):
        raise TypeError(said.other.format(**words))
    if said.none and not held:
        raise ValueError(said.none.format(**words))
    return held


def counts_alike(counts: Any) -> bool:
    """Return whether the rows are cases that count alike."""
    return counts.weights is None and bool(counts.is_whole)


def refuse_mixed_kinds(whole: Mapping[str, Ranking | Amounts]) -> None:
    """Raise ValueError where scores do not rank the same kind of thing."""
    kinds = {name: _kind(counts) for name, counts in whole.items()}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{name!r} ranks {kind}" for name, kind in kinds.items())
        raise ValueError(f"{found}: these do not compare; evaluate them apart")


def _kind(counts: Ranking | Amounts) -> str:
    if not is_amounts(counts):
        return "positives and negatives"
    return "amounts by exposure" if counts.has_exposure else "amounts by case"

"""What functions of counts are given: counts, an evaluation that holds them, or neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from capcurve.counts.joint import JointCases, JointCounts, JointValues
from capcurve.counts.partial import PartialCounts
from capcurve.counts.rank_totals import Ranking, RankTotals
from capcurve.counts.scores import CaseCounts, ScoreCounts
from capcurve.counts.segments import SegmentCounts
from capcurve.counts.sums import ValueSums
from capcurve.counts.times import JointTimes, TimeCounts
from capcurve.counts.trials import JointUplift, UpliftCounts
from capcurve.counts.values import Amounts, ValueCounts
from capcurve.numbers.arguments import arg, refused_of_amounts

if TYPE_CHECKING:
    from typing_extensions import TypeIs


# What to use for amounts in place of what is about classes.
USUAL_FOR_AMOUNTS = "accuracy_ratio, concentration_index, captured_response, lift or mean_amount"


def as_ranking(
    given: Any, name: str, needed: str | None = None, *, instead: str = USUAL_FOR_AMOUNTS
) -> Ranking:
    """Return counts, or those of the only score of an evaluation, else raise TypeError.

    `name` is whose argument it is. Where that is the first one of a function, `needed` has the
    other arguments that it cannot do without, and the message shows the call. `instead` is what to
    use for amounts.

    >>> as_ranking([1, 0], "roc_auc")
    Traceback (most recent call last):
    TypeError: roc_auc takes counts, got list: write count_scores(y, p)
    """
    found = as_ranked(given, name, needed)
    if is_amounts(found):
        raise _about_classes(name, instead)
    return found


def as_counted(given: Any, name: str, needed: str | None = None) -> Ranking | JointCounts:
    """Return joint counts as they are, and anything else as `as_ranking` does."""
    if isinstance(given, JointValues):
        raise _about_classes(name, USUAL_FOR_AMOUNTS)
    return given if isinstance(given, JointCounts) else as_ranking(given, name, needed)


def _about_classes(name: str, instead: str) -> TypeError:
    return TypeError(refused_of_amounts(name, instead))


def are_counts(given: object) -> bool:
    """Tell whether counts of any kind, or several by name, are given, and not a column."""
    return isinstance(given, Ranking | JointCounts | JointValues | Mapping) or is_amounts(given)


def is_amounts(given: object) -> TypeIs[Amounts]:
    """Whether these are counts of amounts."""
    return isinstance(given, ValueCounts | ValueSums)


def refuse_word_of_amounts(given: Any, amount: Any = None) -> None:
    """Raise ValueError for an amount or counts of amounts, which have no positives to name."""
    held = getattr(given, "counts", given)
    if isinstance(held, Mapping):
        for each in held.values():
            refuse_word_of_amounts(each)
    held = held.treated if isinstance(held, UpliftCounts | JointUplift) else held
    if amount is not None or is_amounts(held) or isinstance(held, JointValues):
        raise ValueError(
            f"{arg('positive_word')} is for positives, and amounts are called by their column; "
            "leave it out"
        )


def as_amounts(given: Any, name: str, needed: str | None = None) -> Amounts:
    """Return counts of amounts, or those of the only score of an evaluation, else raise TypeError.

    >>> as_amounts([1, 0], "concentration_index")
    Traceback (most recent call last):
    TypeError: concentration_index takes amounts: write count_values(amount, p)
    """
    try:
        found = as_ranked(given, name, needed)
    except TypeError:
        found = None
    if not is_amounts(found):
        call = _write(name, needed, "amount, p", "count_values(amount, p)")
        raise TypeError(f"{name} takes amounts: write {call}")
    return found


def as_uplift(given: Any, name: str, needed: str | None = None) -> UpliftCounts:
    """Return counts of the arms of a trial, else raise TypeError."""
    if isinstance(given, UpliftCounts):
        return given
    if isinstance(given, JointUplift):
        raise TypeError(
            f"{name} takes one score: write {_write(name, needed, 'joint.margin(...)')}"
        )
    call = _write(name, needed, "y, p, treatment=t", "count_uplift(y, treatment, p)")
    raise TypeError(f"{name} takes counts of a trial, got {type(given).__name__}: write {call}")


def as_trial(given: Any, name: str, needed: str | None = None) -> UpliftCounts | Amounts:
    """Return counts of the arms of a trial, or amounts, which are effect scores."""
    return given if is_amounts(given) else as_uplift(given, name, needed)


def as_ranked_or_trial(given: Any, name: str, needed: str | None = None) -> Any:
    """Return counts of the arms of a trial, and anything else as `as_ranked` does."""
    return given if isinstance(given, UpliftCounts) else as_ranked(given, name, needed)


def as_ranked_or_labelled(given: Any, name: str, needed: str | None = None) -> Any:
    """Return counts with labels on some cases, and anything else as `as_ranked_or_trial` does."""
    return given if isinstance(given, PartialCounts) else as_ranked_or_trial(given, name, needed)


def as_ranked(given: Any, name: str, needed: str | None = None) -> Ranking | Amounts:
    """Return counts of classes or amounts, or those of the only score of an evaluation.

    Raises TypeError for anything else.
    """
    if isinstance(given, ScoreCounts | RankTotals | ValueCounts | ValueSums):
        return given
    if isinstance(given, JointCounts | JointValues):
        margin = _write(name, needed, "joint.margin(...)")
        raise TypeError(f"{name} takes the counts of one score: write {margin}")
    _refuse_unknown_outcomes(given, name, needed)
    if isinstance(given, SegmentCounts) and len(given) > 1:
        raise TypeError(
            f"{name} takes the counts of one score, got those of {len(given):,} segments: write "
            f"{_write(name, needed, 'segments.whole()')} for all rows, or mean_over(segments, ...)"
        )
    held = given if isinstance(given, Mapping) else getattr(given, "counts", None)
    if isinstance(held, Mapping) and held and all(map(_is_ranked, held.values())):
        if len(held) == 1:
            return cast("Ranking", next(iter(held.values())))
        names, first = ", ".join(map(repr, held)), next(iter(held))
        whose = "segments" if held is given else "evaluation"
        raise TypeError(
            f"{name} takes the counts of one score, got those of {names}: "
            f"write {_write(name, needed, f'{whose}[{first!r}]')}"
        )
    if isinstance(given, Ranking):
        return given
    columns = "" if needed is None else " or two columns"
    names = '"y", "p", data=...' if hasattr(type(given), "columns") else "y, p"
    call = _write(name, needed, names, "count_scores(y, p)")
    raise TypeError(f"{name} takes counts{columns}, got {type(given).__name__}: write {call}")


def as_ranked_by_name(given: Any, name: str, needed: str | None = None) -> Any:
    """Return a mapping of counts, that of an evaluation, those of a trial, or as `as_ranked`."""
    held = given if isinstance(given, Mapping) else getattr(given, "counts", None)
    if isinstance(given, UpliftCounts):
        return given
    several = isinstance(held, Mapping) and (held is given or len(held) > 1)
    if several and held and all(map(_is_ranked, held.values())):
        return held
    return as_ranked(given, name, needed)


def _write(name: str, needed: str | None, given: str, counts: str = "") -> str:
    """Return what to write: the call of a function, or what is wanted in place of an argument."""
    return counts or given if needed is None else f"{name}({given}{needed})"


def _refuse_unknown_outcomes(given: object, name: str, needed: str | None) -> None:
    """Raise TypeError for counts without outcomes, or not all of them yet, and for two arms."""
    if isinstance(given, UpliftCounts | JointUplift):
        raise TypeError(
            f"{name} is about one outcome for all, and these are counts of two arms; for one arm "
            f"write {_write(name, needed, 'trial.control')}, and for whom the treatment moves "
            "qini(trial)"
        )
    if isinstance(given, TimeCounts | JointTimes):
        raise TypeError(
            f"{name} needs a horizon, by which outcomes are known: write "
            + _write(name, needed, "times.at(365)")
        )
    if isinstance(given, CaseCounts | JointCases):
        raise TypeError(
            f"{name} needs outcomes, and {type(given).__name__} are cases without; count those "
            f"that have one: write {_write(name, needed, 'y, p', 'count_scores(y, p)')}"
        )
    if isinstance(given, PartialCounts):
        raise TypeError(
            f"{name} needs every outcome, and {given.unknown.n:g} of {given.n:g} are not known: "
            f"bound the number with unknown_bounds(partial), or for the known ones alone write "
            + _write(name, needed, "partial.known")
        )


def _is_ranked(counts: object) -> bool:
    return is_amounts(counts) or isinstance(counts, Ranking)


def as_joint(given: Any, name: str, needed: str | None = None) -> JointCounts | JointValues:
    """Return joint counts, or those of an evaluation of several scores, else raise TypeError."""
    if isinstance(given, JointCounts | JointValues):
        return given
    if isinstance(given, SegmentCounts) and "names" in given.settings:
        return cast("JointCounts", given)  # of each segment
    held = getattr(given, "joint", None)
    if isinstance(held, JointCounts | JointValues):
        return held
    _refuse_unknown_outcomes(given, name, needed)
    call = _write(name, needed, "y, [p1, p2]", "count_joint(y, [p1, p2])")
    raise TypeError(
        f"{name} takes scores of the same rows, got {type(given).__name__}: write {call}; scores "
        "of different rows are for compare_independent"
    )


def as_joint_or_trial(given: Any, name: str, needed: str | None = None) -> Any:
    """Return joint counts of a trial or with some labels, and anything else as `as_joint` does."""
    joint = isinstance(given, JointUplift | PartialCounts)
    return given if joint else as_joint(given, name, needed)


def as_joint_classes(
    given: Any, name: str, needed: str | None = None, *, instead: str = USUAL_FOR_AMOUNTS
) -> JointCounts:
    """Return joint counts of two classes as `as_joint` does, else raise TypeError."""
    found = as_joint(given, name, needed)
    if isinstance(found, JointValues):
        raise _about_classes(name, instead)
    return found


def as_drawable(
    given: Any, name: str, needed: str | None = None
) -> Ranking | Amounts | Mapping[str, Ranking | Amounts]:
    """Return counts or a mapping of name to counts, of an evaluation if one is given."""
    held = getattr(given, "counts", given)
    if isinstance(held, Mapping | Ranking | ValueCounts | ValueSums):
        return held
    _refuse_unknown_outcomes(given, name, needed)
    call = _write(name, needed, "y, p", "count_scores(y, p)")
    columns = "" if needed is None else " or columns"
    raise TypeError(f"{name} draws counts{columns}, got {type(given).__name__}: write {call}")


@dataclass(frozen=True, slots=True)
class Segmented:
    """What a function says of what it is given in place of counts by segment."""

    other: str  # of what is no mapping; {name} and {kind} stand for its name and its type
    none: str  # of a mapping without segments
    several: str  # of the segments of several scores, {names}


OF_SEGMENTS = Segmented(
    "{name} takes counts by segment, got {kind}: write {name}(y, p, by=...), or "
    "evaluation.segments[score]",
    "",
    "{name} takes the segments of one score, got those of {names}: pass evaluation.segments[score]",
)


def segments(given: Any, name: str, said: Segmented = OF_SEGMENTS) -> Mapping[Any, Any]:
    """Return counts by segment, also those of an evaluation of one score, else raise in one line.

    `name` is the argument, or the function whose first one it is.
    """
    words = {"name": name, "kind": type(given).__name__}
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

"""Columns become a checked sample: usable scores, weights and amounts, missing rows told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts import Dropped, WeightKind
from capcurve.counts.master_scale import MasterScale
from capcurve.counts.segments import lowest_and_highest
from capcurve.counts.settings import (
    NO_EXPOSURE,
    Words,
    check_direction,
    check_levels,
    check_resolution,
    written_levels,
)
from capcurve.counts.table import refuse_too_many
from capcurve.counts.times import as_horizon, rounded_up
from capcurve.input.arrays.counting import Endings, Sample, Score
from capcurve.input.arrays.groups import segment_codes, split_rows
from capcurve.input.arrays.labels import (
    ClassLabels,
    Rest,
    as_treatment,
    list_them,
    listed_labels,
    positive_rows,
    same_label,
    statuses,
    unknown_rows,
)
from capcurve.input.columns import InputColumn, absent_rows
from capcurve.numbers.arguments import arg, as_word, check_one_dimension, spoken, told, word
from capcurve.numbers.censoring import CENSORED, EVENT
from capcurve.numbers.exact import exact_dot
from capcurve.numbers.meeting import rounded_to
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT
from capcurve.numbers.rankable import as_rankable, codes_of
from capcurve.numbers.strays import text_message

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.numbers.types import Array, Bools, Floats, Ints, Places

Missing = Literal["raise", "drop"]
# Of cases alone: those without a score are counted, to be a bin of their own.
MissingScores = Literal["raise", "drop", "bin"]
PLAIN_AMOUNTS = (
    "amounts are plain numbers: take out currency signs and thousands separators, and write "
    "decimals with a point"
)
UNEXPOSED = "what has an amount needs an exposure above 0: correct these rows or take them out"
EXPOSURES = "exposures are finite numbers, zero or more"


def drop_them() -> str:
    """Say what to do about rows that lack a value, where the function takes missing=."""
    return f"; pass {word(missing='drop')} to leave such rows out"


@dataclass(frozen=True, slots=True)
class Rules:
    """How rows are to be read: the keywords that every input shares."""

    pos_label: object = None
    higher_is: Any = "positive"
    levels: Any = None
    missing: MissingScores = "raise"
    resolution: Any = None
    weight_kind: WeightKind | None = None
    neg_label: object = field(default=None, kw_only=True)
    rest: Rest = field(default="raise", kw_only=True)
    drop_label: object = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        known = get_args(MissingScores if type(self) is CaseRules else Missing)
        if self.missing == "bin" and self.missing not in known:
            raise ValueError(f'missing="bin" is for population_stability alone{drop_them()}')
        as_word(self.missing, "missing", known, either=True)
        as_word(self.rest, "rest", get_args(Rest), either=True)
        _ = self.labels
        if self.weight_kind is not None:
            as_word(self.weight_kind, "weight_kind", get_args(WeightKind))
        check_resolution(self.resolution)
        if not isinstance(self.higher_is, Mapping):
            check_direction(self.higher_is)

    @property
    def labels(self) -> ClassLabels:
        """Which labels are positives, negatives and neither."""
        return ClassLabels(self.pos_label, self.neg_label, self.drop_label, self.rest)

    def of_score(self, name: str, names: Sequence[str]) -> tuple[Any, Any]:
        """Return direction and levels of one score; mappings give them by name."""
        direction = _by_name(self.higher_is, name, names, "higher_is", "positive")
        return direction, _by_name(self.levels, name, names, "levels", None)


class CaseRules(Rules):
    """How rows are to be read of which the score alone matters, or that there is none."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TimeRules(Rules):
    """How rows with a time are to be read."""

    event_label: object = None
    censored_label: object = None
    competing_labels: object = None
    until: Any = None
    time_resolution: Any = None
    time_unit: Any = None

    def __post_init__(self) -> None:
        Rules.__post_init__(self)
        for name in ("until", "time_resolution"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, as_horizon(given, name))
        if self.time_unit is not None and not str(self.time_unit).strip():
            raise ValueError(f"{arg('time_unit')} is empty; name a unit, such as days")
        listed, of_rows = self.competing_labels, (self.event_label, self.censored_label)
        if (self.event_label is None) != (self.censored_label is None):
            raise ValueError("event_label= and censored_label= go together; pass both")
        if listed is not None and self.event_label is None:
            raise ValueError("competing_labels= goes with event_label= and censored_label=")
        for label in listed_labels(listed, "competing_labels"):
            if any(same_label(label, each) for each in of_rows):
                raise ValueError(f"{arg('competing_labels')} names {label!r} too; leave it out")
        if self.event_label is not None and same_label(self.event_label, self.censored_label):
            raise ValueError(f"event_label and censored_label are both {told(self.event_label)}")


def _by_name(given: Any, name: str, names: Sequence[str], what: str, default: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    unknown = [key for key in given if key not in names]
    if unknown:
        raise ValueError(f"{what} names {unknown[0]!r}, which is not a score; have {list(names)}")
    return given.get(name, default)


@dataclass(frozen=True, slots=True)
class ColumnsByRole:
    """The columns of one data set by their roles, whatever they are called."""

    outcome: InputColumn | None  # the target or, with `amounts`, the amount; None for cases without
    scores: tuple[InputColumn, ...]
    weight: InputColumn | None = None
    by: InputColumn | None = None
    exposure: InputColumn | None = None
    amounts: bool = False
    time: InputColumn | None = None  # how long each row was followed; the outcome says how it ended
    stratum: InputColumn | None = None  # what censoring depends on
    others: tuple[InputColumn, ...] = ()  # scores that only have to be present
    ids: InputColumn | None = None  # of clusters, which only have to be present too
    repeats: Ints | None = None  # how many rows each row stands for
    order: tuple[str, ...] = ()  # all scores as they were asked for
    groups: NDArray[np.uint8] | None = None  # number of the group of each row's cluster
    hashes: NDArray[np.uint64] | None = None  # of the ids of clusters, where rows have segments
    # Rows that are left out by name, by what the account says of them: they need no value.
    left_out: Mapping[str, Bools] = field(default_factory=dict)
    # Whether they were read for this count alone, which may write over the scores.
    owned: bool = False

    def checked(self, rules: Rules, unknown: Bools | None = None) -> CheckedRows:
        """Return the rows with those that lack a value; rows marked `unknown` need no label."""
        if self.amounts and self.outcome is not None:
            return _with_amounts(self, self.outcome, rules)
        if isinstance(rules, TimeRules) and self.outcome is not None and self.time is not None:
            return _with_times(self, self.outcome, self.time, rules)
        return _with_classes(self, rules, unknown)

    def complete(self, rules: Rules) -> Sample:
        """Return the checked rows that lack nothing, or raise when some do and may not."""
        return replace(self.checked(rules).complete(), owned=self.owned)

    def partial(
        self, rules: Rules, unknown_label: object
    ) -> Iterator[tuple[object, Sample, Sample]]:
        """Yield of each segment the complete rows of known outcome and, as negatives, all others.

        Without segments these are all rows, under None.
        """
        if self.outcome is None:
            raise ValueError("there is no outcome here to be known or not")
        unknown = unknown_rows(self.outcome, unknown_label, rules.labels)
        checked = self.checked(rules, unknown)
        whole = [(None, np.arange(len(unknown)))]
        for key, picked in whole if self.by is None else split_rows(self.by):
            known, others = (picked[each[picked]] for each in (~unknown, unknown))
            yield key, checked.complete(known), checked.complete(others)

    def arms(self, rules: Rules, said: ClassLabels) -> tuple[Sample, Sample]:
        """Return the complete rows that were treated, as the column `by` says, and the control."""
        treatment: Any = self.by  # which whoever counts arms has asked for
        absent = absent_rows(treatment, treatment.stored)
        with as_treatment():
            treated, left_out = positive_rows(treatment, said, absent, self.repeats)
        named = self.order or tuple(score.name for score in self.scores)
        others, order = (*self.others, treatment), (*named, treatment.name)
        checked = replace(self, others=others, order=order, left_out=left_out).checked(rules)
        return checked.complete(np.flatnonzero(treated)), checked.complete(np.flatnonzero(~treated))

    def segments(self, rules: Rules) -> Iterator[tuple[object, Sample]]:
        """Yield each segment with its complete rows."""
        checked = self.checked(rules)
        if self.by is None:
            first = self.scores[0] if self.outcome is None else self.outcome
            raise ValueError(f"by has nothing and {first.name} has {len(first)} rows")
        for key, picked in split_rows(self.by):
            yield key, checked.complete(picked)

    def by_segment(self, rules: Rules) -> tuple[Sample, Places, dict[str, Any]]:
        """Return the complete rows, the place of each one's segment, and what segments are."""
        checked = self.checked(rules)
        if self.by is None:
            first = self.scores[0] if self.outcome is None else self.outcome
            raise ValueError(f"by has nothing and {first.name} has {len(first)} rows")
        keys, codes = segment_codes(self.by)
        held = np.bincount(codes, minlength=len(keys)) > 0
        codes, names = (np.cumsum(held) - 1)[codes], tuple(compress(keys, held))
        lost = checked.lost_by(codes, len(names))
        gone = _any([*checked.lost.values(), *checked.left_out.values()])
        whole = replace(checked.complete(), owned=self.owned)
        kept = slice(None) if gone is None else ~gone
        said = {"names": names, "lost": lost, "owners": ()}
        if self.hashes is not None:
            found = [(codes[kept], self.hashes[kept])]
            said["owners"] = lowest_and_highest(found, len(names))
        return whole, codes[kept], said


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """Rows of usable values, and which of them lack one, by what the account calls it."""

    sample: Sample
    lost: Mapping[str, Bools]
    repeats: Ints | None  # how many rows each row stands for
    accounted: bool  # whether there is an account even where nothing is lost
    known: Bools | None = None  # which rows have an outcome, where that is one of two classes
    left_out: Mapping[str, Bools] = field(default_factory=dict)  # for what they are
    binned: bool = False  # whether the rows that are lost, for lack of a score, are a bin

    def lost_by(self, codes: Places, segments: int) -> tuple[Dropped, ...]:
        """Return what rows each segment left out, by its place; nothing where that is not asked."""
        lost, left_out, known = self.lost, self.left_out, self.known
        if not lost and not left_out:
            return (Dropped(0, {}, (0, 0)),) * segments if self.accounted else ()

        def of(rows: Bools) -> list[int]:
            found, times = np.zeros(segments, dtype=np.int64), self.repeats
            np.add.at(found, codes[rows], 1 if times is None else times[rows])
            return found.tolist()

        gone, outcomes = _any([*lost.values(), *left_out.values()]), list[Any]([None]) * segments
        if known is not None:
            positives = of(gone & known & self.sample.positive)
            outcomes = [*zip(of(gone & known), positives, strict=True)]
        columns, labels = ({n: of(rows) for n, rows in each.items()} for each in (lost, left_out))
        return tuple(
            Dropped(
                rows,
                {name: each[at] for name, each in columns.items()},
                outcomes[at],
                {name: each[at] for name, each in labels.items() if each[at]},
            )
            for at, rows in enumerate(of(gone))
        )

    def complete(self, picked: Any = None) -> Sample:
        """Return rows, of all or those picked, that lack nothing, with an account of the others."""
        sample, lost, repeats, known = self.sample, self.lost, self.repeats, self.known
        left_out = self.left_out
        if picked is not None:
            sample = sample.take(picked, None)
            lost = {name: gone[picked] for name, gone in lost.items()}
            left_out = {name: gone[picked] for name, gone in left_out.items()}
            repeats = None if repeats is None else repeats[picked]
            known = None if known is None else known[picked]
        if not lost and not left_out:
            none = Dropped(0, {}, (0, 0), {}, 0 if self.binned else None)
            return sample.take(slice(None), none) if self.accounted else sample
        gone = _any([*lost.values(), *left_out.values()])
        account = {name: _count(rows, repeats) for name, rows in lost.items()}
        labels = {name: n for name, rows in left_out.items() if (n := _count(rows, repeats))}
        outcomes = None
        if known is not None:
            positives = gone & known & sample.positive
            outcomes = _count(gone & known, repeats), _count(positives, repeats)
        dropped = Dropped(_count(gone, repeats), account, outcomes, labels)
        if self.binned:
            dropped = replace(dropped, unscored=_cases(sample, gone))
        return sample.take(~gone, dropped)


def _with_classes(columns: ColumnsByRole, rules: Rules, unknown: Bools | None) -> CheckedRows:
    target, weight, repeats = columns.outcome, columns.weight, columns.repeats
    ranked = as_scores(columns.scores, rules, columns.repeats)
    absent, numbers = _unscored(columns, ranked), None
    positive, known = np.zeros(len(columns.scores[0]), dtype=np.bool_), None
    if target is not None:
        unlabelled = absent_rows(target, target.stored) if unknown is None else unknown
        silent = [*columns.left_out.values(), *([] if unlabelled is None else [unlabelled])]

        def advice() -> str:
            return _if_swapped(ranked) if unknown is None else list_them()

        positive, by_label = positive_rows(target, rules.labels, _any(silent), repeats, advice)
        columns = replace(columns, left_out={**columns.left_out, **by_label})
        if unknown is None:
            absent = [("target", target.name, unlabelled), *absent]
            known = ~_any([np.zeros_like(positive), *silent, *by_label.values()])
    if weight is not None:
        numbers = _as_weight(weight, rules.weight_kind, repeats)
        absent.append(("weight", weight.name, absent_rows(weight, numbers)))
    lost = _lost(columns, absent, rules)
    sample = Sample(positive, ranked, repeats=repeats, groups=columns.groups)
    if weight is not None and numbers is not None:
        without = {**lost, **columns.left_out}
        without |= {} if unknown is None else {"no label": unknown}
        sample = _weighted(sample, weight, numbers, rules.weight_kind, without, target)
    told, binned = rules.missing != "raise", rules.missing == "bin"
    return CheckedRows(sample, lost, repeats, told, known, columns.left_out, binned)


def _any(many: Sequence[Bools]) -> Any:
    """Return the rows that any of these marks, or None where there are none of them."""
    return np.logical_or.reduce(many) if many else None


def _weighted(
    sample: Sample,
    weight: InputColumn,
    numbers: Floats,
    kind: WeightKind | None,
    without: Mapping[str, Bools],
    target: InputColumn | None,
) -> Sample:
    """Return rows with their weights, or each as often as its frequency says."""
    times: Array = numbers
    if kind == "frequency":
        times = _as_frequencies(weight, numbers)
        if sample.repeats is not None:
            refuse_too_many(exact_dot(times, sample.repeats))
            times = times * sample.repeats
    if target is not None:
        _check_class_weights(sample, times, weight, without)
    if kind == "frequency":
        return replace(sample, repeats=times)
    return replace(sample, weight=numbers, weight_kind=kind)


def _with_amounts(columns: ColumnsByRole, amount: InputColumn, rules: Rules) -> CheckedRows:
    """Return rows with amounts; those with neither amount nor exposure are lost too."""
    exposure, repeats = columns.exposure, columns.repeats
    ranked = as_scores(columns.scores, rules, columns.repeats)
    held, exposed = _held_amounts(amount, repeats), None
    absent = [("amount", amount.name, held.absent), *_unscored(columns, ranked)]
    if exposure is None:
        lost = _lost(columns, absent, rules)
    else:
        exposed = _as_exposure(exposure, repeats)
        absent.append(("exposure", exposure.name, absent_rows(exposure, exposed)))
        lost = _lost(columns, absent, rules)
        nothing = _unexposed(exposed, held, exposure.name, amount.name, repeats)
        lost |= {} if nothing is None else {NO_EXPOSURE: nothing}
    sample = Sample(
        held.rows,
        ranked,
        repeats=repeats,
        groups=columns.groups,
        amount=held.amount,
        exposure=exposed,
        words=Words("cases" if exposure is None else exposure.name, amount.name),
    )
    return CheckedRows(sample, lost, repeats, rules.missing == "drop", None, columns.left_out)


def _with_times(
    columns: ColumnsByRole, event: InputColumn, time: InputColumn, rules: TimeRules
) -> CheckedRows:
    """Return rows with a time and how it ended; those that are cut off are censored then."""
    stratum, repeats = columns.stratum, columns.repeats
    ranked, numbers = as_scores(columns.scores, rules, repeats), as_numbers(time, repeats, "")
    if (negative := numbers < 0).any():
        raise ValueError(
            f"{time.name} is negative in {told_rows(negative, repeats)} "
            f"({numbers[negative][0]:g}); a time is zero or more"
        )
    gone, unlabelled = absent_rows(time, numbers), absent_rows(event, event.stored)
    status, label, labels = statuses(
        event, unlabelled, repeats, rules.event_label, rules.censored_label, rules.competing_labels
    )
    absent = [("time", time.name, gone), ("event", event.name, unlabelled)]
    strata, codes = list[object](), np.zeros(len(numbers), np.intp)
    if stratum is not None:
        absent.append(("stratum", stratum.name, absent_rows(stratum, stratum.stored)))
        strata, codes = segment_codes(stratum)
    lost = _lost(columns, [*absent, *_unscored(columns, ranked)], rules)
    numbers = numbers if gone is None else np.where(gone, 0.0, numbers)
    if rules.time_resolution is not None:
        numbers = rounded_up(numbers, rules.time_resolution)
    if rules.until is not None:
        status = np.where(numbers > rules.until, CENSORED, status).astype(np.uint8)
        numbers = np.minimum(numbers, rules.until)
    names = tuple(map(_stratum_name, strata))
    settings = {name: getattr(rules, name) for name in ("until", "time_resolution", "time_unit")}
    ended = Endings(numbers, status, codes, label, labels, {**settings, "strata": names})
    sample = Sample(status == EVENT, ranked, repeats=repeats, groups=columns.groups, ended=ended)
    return CheckedRows(sample, lost, repeats, rules.missing == "drop")


def _stratum_name(value: object) -> str:
    """Return the name of a stratum: of 1.0, as which pandas holds 1 beside missing values, "1"."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)  # type: ignore[call-overload]  # a float


def as_scores(
    scores: Sequence[InputColumn], rules: Rules, repeats: Ints | None = None
) -> tuple[Score, ...]:
    """Return scores as sortable numbers, or raise saying what was found."""
    names = [score.name for score in scores]
    return tuple(_as_score(score, rules, names, repeats) for score in scores)


def _if_swapped(ranked: Sequence[Score]) -> str:
    """Return a question to whoever gave a score in place of the target, or nothing."""
    flags = [each.name for each in ranked if set(np.unique(each.values).tolist()) == {0, 1}]
    return f"; {flags[0]} holds 0 and 1: are target and score swapped?" if flags else ""


def _unscored(
    columns: ColumnsByRole, ranked: Sequence[Score]
) -> list[tuple[str, str, Bools | None]]:
    """Return which rows lack each score, in the order of the account."""
    # Of grades NaN is known by the column alone: their codes are whole numbers.
    absent = {
        r.name: absent_rows(s, r.values if r.levels is None else s.stored)
        for s, r in zip(columns.scores, ranked, strict=True)
    }
    absent |= {column.name: absent_rows(column, column.stored) for column in columns.others}
    return [("score", name, absent[name]) for name in columns.order or absent]


def _lost(
    columns: ColumnsByRole, absent: Sequence[tuple[str, str, Bools | None]], rules: Rules
) -> dict[str, Bools]:
    """Return the rows that lack something, by what the account calls it, or raise."""
    ids, repeats = columns.ids, columns.repeats
    if ids is not None:
        absent = [*absent, ("cluster", ids.name, ids.missing)]
    called = account_names([(role, name) for role, name, _ in absent])
    lost = {name: rows for name, (*_, rows) in zip(called, absent, strict=True) if rows is not None}
    if columns.left_out:
        kept = ~_any([*columns.left_out.values()])
        lost = {name: rows & kept for name, rows in lost.items() if (rows & kept).any()}
    wanted = lost
    if rules.missing == "bin":
        roles = {name: role for name, (role, *_) in zip(called, absent, strict=True)}
        wanted = {name: rows for name, rows in lost.items() if roles[name] != "score"}
    if wanted and rules.missing != "drop":
        found = {name: _count(rows, repeats) for name, rows in wanted.items()}
        if repeats is not None:
            raise ValueError(missing_message(found, int(repeats.sum())))
        firsts = {name: int(np.flatnonzero(rows)[0]) for name, rows in wanted.items()}
        where = {name: f", first in row {first}" for name, first in firsts.items()}
        raise ValueError(missing_message(found, len(next(iter(wanted.values()))), where))
    return lost


def account_names(roles: Sequence[tuple[str, str]]) -> list[str]:
    """Return what to call columns, given as (role, name): their names while these tell them apart.

    >>> account_names([("target", "default"), ("score", "pd")])
    ['default', 'pd']
    >>> account_names([("target", "y"), ("score", "pd"), ("weight", "pd")])
    ['y (target)', 'pd (score)', 'pd (weight)']
    """
    alone = max(Counter(name for _, name in roles).values()) == 1
    return [name if alone else f"{name} ({role})" for role, name in roles]


def _count(rows: Bools, repeats: Ints | None) -> int:
    return int(np.count_nonzero(rows) if repeats is None else repeats[rows].sum())


def _cases(sample: Sample, rows: Bools) -> float:
    """Return how many cases some rows are: their weight, rounded once, where they have one."""
    if sample.weight is None:
        return _count(rows, sample.repeats)
    if sample.repeats is None:
        return math.fsum(sample.weight[rows].tolist())
    pairs = zip(sample.weight[rows].tolist(), sample.repeats[rows].tolist(), strict=True)
    return float(sum(Fraction(weight) * times for weight, times in pairs))


def _as_score(
    column: InputColumn, rules: Rules, names: Sequence[str], repeats: Ints | None
) -> Score:
    direction, levels = rules.of_score(column.name, names)
    check_direction(direction)
    resolution = check_resolution(rules.resolution)
    if isinstance(levels, MasterScale):
        values = as_rankable(column.values, column.name, None, direction, column.missing, repeats)
        return _graded(column.name, *levels.graded(values, column.name, direction), resolution)
    grades = check_levels(levels)
    if grades is None and column.categories is not None and column.ordered:
        runs_up, codes = direction == "positive", column.stored
        grades = column.categories[::-1] if runs_up else column.categories
        codes = codes if runs_up else len(grades) - 1 - codes
    else:
        values = as_rankable(column.values, column.name, grades, direction, column.missing, repeats)
        if grades is None:
            return Score(column.name, values, direction, None, resolution)
        codes = codes_of(_filled(values, column.missing, grades), grades, column.name, values.dtype)
    return _graded(column.name, codes, grades, resolution)


def _graded(name: str, codes: Array, grades: tuple[object, ...], resolution: float | None) -> Score:
    """Return a score of grades, the largest code the most likely positive."""
    if resolution is not None:
        raise ValueError(f"{name} holds grades, which have no resolution; leave it out")
    return Score(name, codes, "positive", written_levels(grades), None)


def _filled(values: Array, missing: Bools | None, levels: tuple[object, ...]) -> Array:
    if missing is None and values.dtype.kind != "f":
        return values
    gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
    gone = gone if missing is None else gone | missing
    objects = values.astype(object)
    objects[gone] = rounded_to(levels[0], values.dtype).item()
    return objects


def missing_message(
    lost: Mapping[str, int], total: int, where: Mapping[str, str] | None = None
) -> str:
    """Say how many of all rows lack each column, and what to do about it."""
    places = where or {}
    parts = [
        f"{name} is missing{spoken(' (null or NaN)')} in {rows:,} of {total:,} rows"
        f"{places.get(name, '')}"
        for name, rows in lost.items()
    ]
    return "; ".join(parts) + drop_them()


def _as_weight(column: InputColumn, kind: WeightKind | None, repeats: Ints | None) -> Floats:
    """Return a weight for each row, NaN where it has none, or raise for what weighs nothing."""
    values = _plain_numbers(column, "weights are numbers", repeats)
    weight = values.astype(np.float64, copy=column.missing is not None)
    if column.missing is not None:
        weight[column.missing] = np.nan
    wrong = (weight < 0) | np.isinf(weight)
    rule = "weights are finite numbers, zero or more"
    if kind == "frequency":
        wrong |= (weight != np.floor(weight)) & ~np.isnan(weight)
        rule = "frequency weights are whole numbers, zero or more"
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        where = f" in row {row}" if repeats is None else ""
        raise ValueError(
            f"{column.name} holds {weight[row]:g}{where} ({_count(wrong, repeats)} such rows); "
            + rule
        )
    return weight


def _as_frequencies(column: InputColumn, weight: Floats) -> Ints:
    """Return whole weights exactly: integers beyond 2^53 do not pass through floats."""
    gone, values = np.isnan(weight), _plain_numbers(column, "weights are numbers", None)
    refuse_too_many(sum(int(item) for item in values[~gone].tolist()))
    exact = np.zeros(len(weight), dtype=np.int64)
    exact[~gone] = values[~gone]
    return exact


def _check_class_weights(
    sample: Sample, weight: Array, column: InputColumn, lost: Mapping[str, Bools]
) -> None:
    """Raise ValueError when a class has rows, and none of them any weight."""
    positive = sample.positive
    kept = ~np.logical_or.reduce([np.zeros(len(positive), np.bool_), *lost.values()])
    carrying = weight > 0
    for rows, name in ((positive & kept, "positives"), (~positive & kept, "negatives")):
        if rows.any() and not (carrying & rows).any():
            raise ValueError(
                f"{column.name} is zero for all {_count(rows, sample.repeats)} {name}; "
                "each class needs some weight"
            )


@dataclass(frozen=True, slots=True)
class HeldAmounts:
    """Which rows have an amount that is not 0, the amounts of these, and which rows lack one."""

    rows: Bools
    amount: Floats
    absent: Bools | None


def _held_amounts(column: InputColumn, repeats: Ints | None) -> HeldAmounts:
    """Return the amounts of rows, or raise saying which are no finite numbers."""
    amount = _exact_floats(column, PLAIN_AMOUNTS, repeats)
    absent = np.isnan(amount)
    held = amount != 0 if column.held is None else column.held

    def among_all(rows: Bools) -> Bools:
        if column.held is None:
            return rows
        every = np.zeros(len(held), dtype=np.bool_)
        every[held] = rows
        return every

    infinite = np.isinf(amount)
    if infinite.any():
        where = told_rows(among_all(infinite), repeats)
        raise ValueError(f"{column.name} is infinite in {where}; amounts are finite numbers")
    if not absent.any():
        every = column.held is not None or held.all()
        return HeldAmounts(held, amount if every else amount[held], None)
    lacking = among_all(absent)
    present = held & ~lacking
    found = amount[present] if column.held is None else amount[~absent]
    return HeldAmounts(present, found, lacking)


def _as_exposure(column: InputColumn, repeats: Ints | None) -> Floats:
    """Return the exposure of each row, NaN where it has none, or raise for what is none."""
    exposure = _exact_floats(column, EXPOSURES, repeats)
    wrong = (exposure < 0) | np.isinf(exposure)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{column.name} holds {exposure[first]:g}: it is negative or infinite in "
            f"{told_rows(wrong, repeats)}; {EXPOSURES}"
        )
    return exposure


def _unexposed(
    exposure: Floats, held: HeldAmounts, name: str, amount: str, repeats: Ints | None
) -> Bools | None:
    """Return the rows that have neither, None for none; refuse amounts without exposure."""
    nothing: Bools = exposure == 0
    if held.absent is not None:
        nothing &= ~held.absent
    if not nothing.any():
        return None
    wrong = nothing & held.rows
    if wrong.any():
        raise ValueError(
            f"{name} is 0 where {amount} is not in {told_rows(wrong, repeats)}; {UNEXPOSED}"
        )
    return nothing


def _plain_numbers(column: InputColumn, rule: str, repeats: Ints | None) -> Array:
    """Return the values of a column of numbers, or raise saying what was found and the rule."""
    values = column.values
    check_one_dimension(values, column.name)
    if values.dtype.kind == "O":
        _refuse_text(column, rule, repeats)
        values = as_rankable(values, column.name, None, "positive", column.missing)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{column.name} must be numbers, got {values.dtype}")
    return values


def _refuse_text(column: InputColumn, rule: str, repeats: Ints | None) -> None:
    values = column.values.astype(object)
    present = values if column.missing is None else values[~column.missing]
    if any(isinstance(item, str | bytes) for item in present):
        raise TypeError(text_message(values, column.name, column.missing, f"; {rule}", repeats))


def as_numbers(
    column: InputColumn, repeats: Ints | None, advice: str = ", for a grade its LGD"
) -> Floats:
    """Return a float for each row, NaN where it has none, or raise for what is no number."""
    values: Any = column.values
    if values.dtype.kind in "OSUmM" and len(values):
        _refuse_text(column, f"pass numbers{advice}", repeats)
    numbers = as_rankable(values, column.name, None, "positive", column.missing, repeats)
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize < np.dtype(np.float64).itemsize:
        # As they are written: .7 of 32 bits is below .7 of 64, and would fall into another class.
        numbers = numbers.astype(str)
    found: Floats = numbers.astype(np.float64)
    if numbers.dtype.kind in "iu" and len(numbers):
        _refuse_rounded(column, numbers, found, repeats)
    if column.missing is not None:
        found[column.missing] = np.nan
    infinite = np.isinf(found)
    if infinite.any():
        where = f"row {int(np.flatnonzero(infinite)[0])}"
        if repeats is not None:
            where = f"{int(repeats[infinite].sum())} of {int(repeats.sum())} rows"
        raise ValueError(f"{column.name} is infinite in {where}; leave such rows out")
    return found


def _exact_floats(column: InputColumn, rule: str, repeats: Ints | None) -> Floats:
    """Return numbers as floats, NaN where there is none; refuse digits that a float has not."""
    values = _plain_numbers(column, rule, repeats)
    if values.dtype.kind == "f":
        values = as_rankable(values, column.name, None, "positive")
    floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and len(values):
        _refuse_rounded(column, values, floats, repeats)
    if column.missing is not None:
        floats[column.missing] = np.nan
    return floats


def _refuse_rounded(
    column: InputColumn, values: Array, floats: Floats, repeats: Ints | None
) -> None:
    """Raise ValueError for whole numbers that are not what a float makes of them."""
    if max(int(values.max()), -int(values.min())) <= LARGEST_EXACT_IN_FLOAT:
        return
    large = np.flatnonzero((values > LARGEST_EXACT_IN_FLOAT) | (values < -LARGEST_EXACT_IN_FLOAT))
    exact = np.array([int(floats[i]) == int(values[i]) for i in large], dtype=np.bool_)
    if column.missing is not None:
        exact |= column.missing[large]
    if not exact.all():
        lost = large[~exact]
        rows = len(lost) if repeats is None else int(repeats[lost].sum())
        raise ValueError(
            f"{column.name} holds {values[lost[0]]}, which a float would round ({rows} such "
            f"{'row' if rows == 1 else 'rows'}); scale it to whole numbers up to 2^53"
        )


def told_rows(rows: Bools, repeats: Ints | None) -> str:
    """Say how many rows these are and, where rows stand for themselves, which is the first."""
    if repeats is not None:
        return f"{int(repeats[rows].sum()):,} of {int(repeats.sum()):,} rows"
    return f"{int(rows.sum()):,} of {len(rows):,} rows, first in row {np.flatnonzero(rows)[0]}"

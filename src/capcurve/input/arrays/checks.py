"""Columns become a checked sample: usable scores and weights, missing rows told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts import Dropped, WeightKind
from capcurve.counts.exact import exact_dot
from capcurve.counts.settings import (
    NO_EXPOSURE,
    Words,
    as_rankable,
    check_direction,
    check_levels,
    check_resolution,
    codes_of,
    written_levels,
)
from capcurve.counts.table import refuse_too_many
from capcurve.input.arrays.amounts import (
    as_exposure,
    held_amounts,
    plain_numbers,
    unexposed,
)
from capcurve.input.arrays.counting import Sample, Score
from capcurve.input.arrays.labels import LISTED, positive_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Bools, Floats, Ints
    from capcurve.input.columns import Column

Missing = Literal["raise", "drop"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How rows are to be read: the keywords that every input shares."""

    pos_label: object = None
    higher_is: Any = "positive"
    levels: Any = None
    missing: Missing = "raise"
    resolution: Any = None
    weight_kind: WeightKind | None = None

    def __post_init__(self) -> None:
        if self.missing not in get_args(Missing):
            raise ValueError(f'missing must be "raise" or "drop", got {self.missing!r}')
        if self.weight_kind is not None and self.weight_kind not in get_args(WeightKind):
            kinds = ", ".join(f'"{kind}"' for kind in get_args(WeightKind))
            raise ValueError(f"weight_kind must be one of {kinds}, got {self.weight_kind!r}")
        check_resolution(self.resolution)
        if not isinstance(self.higher_is, Mapping):
            check_direction(self.higher_is)

    def of_score(self, name: str, names: Sequence[str]) -> tuple[Any, Any]:
        """Return direction and levels of one score; mappings give them by name."""
        return (
            _by_name(self.higher_is, name, names, "higher_is", "positive"),
            _by_name(self.levels, name, names, "levels", None),
        )


def _by_name(given: Any, name: str, names: Sequence[str], what: str, default: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    unknown = [key for key in given if key not in names]
    if unknown:
        raise ValueError(f"{what} names {unknown[0]!r}, which is not a score; have {list(names)}")
    return given.get(name, default)


# What to do about rows that lack a value, where the function takes missing=.
DROP = '; pass missing="drop" to leave such rows out'


@dataclass(frozen=True, slots=True)
class Lost:
    """Which rows lack a value, by what the account calls it; how many rows each one stands for."""

    columns: Mapping[str, Bools]
    repeats: Ints | None = None

    def take(self, rows: Any) -> Lost:
        """Return the picked rows."""
        repeats = None if self.repeats is None else self.repeats[rows]
        return Lost({name: gone[rows] for name, gone in self.columns.items()}, repeats)


def as_sample(
    target: Column | None,
    scores: Sequence[Column],
    rules: Rules,
    weight: Column | None = None,
    repeats: Ints | None = None,
    others: Sequence[Column] = (),
    ids: Column | None = None,
    order: Sequence[str] = (),
    unknown: Bools | None = None,
) -> tuple[Sample, Lost]:
    """Check the columns of one data set and return its rows, with those that lack a value.

    `others` are scores and `ids` are of clusters: they only have to be present. `order` is that of
    all scores in the account. Rows marked `unknown` need no label; without a target no row does.
    """
    if weight is None and rules.weight_kind is not None:
        raise ValueError(f"weight_kind={rules.weight_kind!r} was given without weight")
    ranked = as_scores(scores, rules)
    numbers = None if weight is None else as_weight(weight, rules.weight_kind)
    unlabelled = unknown
    absent = _unscored(scores, ranked, others, order)
    if target is not None and unknown is None:
        unlabelled = _absent(target, target.stored)
        absent = [("target", target.name, unlabelled), *absent]
    if weight is not None and numbers is not None:
        absent.append(("weight", weight.name, _absent(weight, numbers)))
    lost = _lost(absent, ids, rules, repeats)
    if target is None:
        positive = np.zeros(len(scores[0]), dtype=np.bool_)
    else:
        advice = "" if unknown is None else LISTED
        positive = positive_rows(target, rules.pos_label, unlabelled, repeats, advice)
    sample, lost_rows = Sample(positive, ranked, repeats=repeats), Lost(lost, repeats)
    if weight is None or numbers is None:
        return sample, lost_rows
    without = lost if unknown is None else {**lost, "no label": unknown}
    return _weighted(sample, weight, numbers, rules.weight_kind, without, target), lost_rows


def _weighted(
    sample: Sample,
    weight: Column,
    numbers: Floats,
    kind: WeightKind | None,
    without: Mapping[str, Bools],
    target: Column | None,
) -> Sample:
    """Return rows with their weights, or each as often as its frequency says."""
    times: Array = numbers
    if kind == "frequency":
        times = as_frequencies(weight, numbers)
        if sample.repeats is not None:
            refuse_too_many(exact_dot(times, sample.repeats))
            times = times * sample.repeats
    if target is not None:
        check_class_weights(sample.positive, times, weight, without)
    if kind == "frequency":
        return replace(sample, repeats=times)
    return replace(sample, weight=numbers, weight_kind=kind)


def as_amount_sample(
    amount: Column,
    exposure: Column | None,
    scores: Sequence[Column],
    rules: Rules,
    repeats: Ints | None = None,
    others: Sequence[Column] = (),
    ids: Column | None = None,
    order: Sequence[str] = (),
) -> tuple[Sample, Lost]:
    """Do the same for rows with amounts; those with neither amount nor exposure are lost too."""
    ranked = as_scores(scores, rules)
    held = held_amounts(amount, repeats)
    absent = [("amount", amount.name, held.absent), *_unscored(scores, ranked, others, order)]
    exposed = None if exposure is None else as_exposure(exposure, repeats)
    if exposure is not None and exposed is not None:
        absent.append(("exposure", exposure.name, _absent(exposure, exposed)))
    lost = _lost(absent, ids, rules, repeats)
    if exposure is not None and exposed is not None:
        nothing = unexposed(exposed, held, exposure.name, amount.name, repeats)
        lost |= {} if nothing is None else {NO_EXPOSURE: nothing}
    sample = Sample(
        held.rows,
        ranked,
        repeats=repeats,
        amount=held.amount,
        exposure=exposed,
        words=Words("cases" if exposure is None else exposure.name, amount.name),
    )
    return sample, Lost(lost, repeats)


def as_scores(scores: Sequence[Column], rules: Rules) -> tuple[Score, ...]:
    """Return scores as sortable numbers, or raise saying what was found."""
    names = [score.name for score in scores]
    return tuple(_as_score(score, rules, names) for score in scores)


def _unscored(
    scores: Sequence[Column],
    ranked: Sequence[Score],
    others: Sequence[Column],
    order: Sequence[str],
) -> list[tuple[str, str, Bools | None]]:
    """Return which rows lack each score, in the order of the account."""
    absent = {s.name: _absent(s, r.values) for s, r in zip(scores, ranked, strict=True)}
    absent |= {column.name: _absent(column, column.stored) for column in others}
    return [("score", name, absent[name]) for name in order or absent]


def _lost(
    absent: Sequence[tuple[str, str, Bools | None]],
    ids: Column | None,
    rules: Rules,
    repeats: Ints | None,
) -> dict[str, Bools]:
    """Return the rows that lack something, by what the account calls it, or raise."""
    if ids is not None:
        absent = [*absent, ("cluster", ids.name, ids.missing)]
    called = account_names([(role, name) for role, name, _ in absent])
    lost = {name: rows for name, (*_, rows) in zip(called, absent, strict=True) if rows is not None}
    if lost and rules.missing == "raise":
        raise ValueError(_missing_message(lost, repeats))
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


def complete(sample: Sample, lost: Lost, rules: Rules) -> Sample:
    """Leave out the rows that lack a named column, keeping the account of it.

    Rows with neither amount nor exposure are left out whatever the rules.
    """
    if not lost.columns:
        return sample if rules.missing == "raise" else sample.take(slice(None), Dropped(0, {}))
    gone = np.logical_or.reduce(list(lost.columns.values()))
    account = {name: _count(rows, lost.repeats) for name, rows in lost.columns.items()}
    return sample.take(~gone, Dropped(_count(gone, lost.repeats), account))


def _count(rows: Bools, repeats: Ints | None) -> int:
    return int(np.count_nonzero(rows) if repeats is None else repeats[rows].sum())


def _as_score(column: Column, rules: Rules, names: Sequence[str]) -> Score:
    direction, levels = rules.of_score(column.name, names)
    check_direction(direction)
    grades = check_levels(levels)
    resolution = check_resolution(rules.resolution)
    if grades is None and column.categories is not None and column.ordered:
        runs_up, codes = direction == "positive", column.stored
        grades = column.categories[::-1] if runs_up else column.categories
        codes = codes if runs_up else len(grades) - 1 - codes
        _refuse_grid(column.name, resolution)
        return Score(column.name, codes, "positive", written_levels(grades), None)
    values = as_rankable(column.values, column.name, grades, direction, column.missing)
    if grades is None:
        return Score(column.name, values, direction, None, resolution)
    values = codes_of(_filled(values, column.missing, grades), grades, column.name)
    _refuse_grid(column.name, resolution)
    return Score(column.name, values, "positive", written_levels(grades), None)


def _refuse_grid(name: str, resolution: float | None) -> None:
    if resolution is not None:
        raise ValueError(f"{name} holds grades, which have no resolution; leave it out")


def _filled(values: Array, missing: Bools | None, levels: tuple[object, ...]) -> Array:
    if missing is None and values.dtype.kind != "f":
        return values
    gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
    gone = gone if missing is None else gone | missing
    objects = values.astype(object)
    objects[gone] = levels[0]
    return objects


def _absent(column: Column, values: Array) -> Bools | None:
    """Return the rows without a value: nulls, and NaN in numbers."""
    absent = column.missing
    # The minimum of an array with a NaN is NaN, and costs far less than looking at each value.
    if values.dtype.kind == "f" and len(values) and np.isnan(values.min()):
        nan = np.isnan(values)
        absent = nan if absent is None else absent | nan
    return absent if absent is not None and absent.any() else None


def _missing_message(lost: Mapping[str, Bools], repeats: Ints | None) -> str:
    found = {name: _count(rows, repeats) for name, rows in lost.items()}
    if repeats is not None:
        return missing_message(found, int(repeats.sum()))
    first = {name: f", first in row {int(np.flatnonzero(rows)[0])}" for name, rows in lost.items()}
    return missing_message(found, len(next(iter(lost.values()))), first)


def missing_message(
    lost: Mapping[str, int], total: int, where: Mapping[str, str] | None = None
) -> str:
    """Say how many of all rows lack each column, and what to do about it."""
    parts = [
        f"{name} is missing (null or NaN) in {rows} of {total} rows{(where or {}).get(name, '')}"
        for name, rows in lost.items()
    ]
    return "; ".join(parts) + DROP


def as_weight(column: Column, kind: WeightKind | None) -> Floats:
    """Return a weight for each row, NaN where it has none, or raise for what weighs nothing."""
    values = plain_numbers(column, "weights are numbers")
    weight = values.astype(np.float64)
    if column.missing is not None:
        weight[column.missing] = np.nan
    wrong = (weight < 0) | np.isinf(weight)
    rule = "weights are finite numbers, zero or more"
    if kind == "frequency":
        wrong |= (weight != np.floor(weight)) & ~np.isnan(weight)
        rule = "frequency weights are whole numbers, zero or more"
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{column.name} holds {weight[row]:g} in row {row} ({int(wrong.sum())} such rows); "
            + rule
        )
    return weight


def as_frequencies(column: Column, weight: Floats) -> Ints:
    """Return whole weights exactly: integers beyond 2^53 do not pass through floats."""
    gone = np.isnan(weight)
    values = plain_numbers(column, "weights are numbers")
    refuse_too_many(sum(int(item) for item in values[~gone].tolist()))
    exact = np.zeros(len(weight), dtype=np.int64)
    exact[~gone] = values[~gone]
    return exact


def check_class_weights(
    positive: Bools,
    weight: Array,
    column: Column,
    lost: Mapping[str, Bools],
) -> None:
    """Raise ValueError when a class has rows, and none of them any weight."""
    kept = ~np.logical_or.reduce([np.zeros(len(positive), np.bool_), *lost.values()])
    carrying = weight > 0
    for rows, name in ((positive & kept, "positives"), (~positive & kept, "negatives")):
        if rows.any() and not (carrying & rows).any():
            raise ValueError(
                f"{column.name} is zero for all {int(rows.sum())} {name}; "
                "each class needs some weight"
            )

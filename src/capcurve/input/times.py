"""Rows whose outcome takes time become counts by score, time and status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import told
from capcurve.counts.censoring import CENSORED, EVENT
from capcurve.counts.order import grid_index
from capcurve.counts.table import GROUPS
from capcurve.counts.times import (
    JointTimes,
    TimeCounts,
    as_horizon,
    as_horizons,
    rounded_up,
    within,
)
from capcurve.input.arrays import Rules, cluster_groups
from capcurve.input.arrays.checks import account_names, as_scores, told_rows
from capcurve.input.arrays.groups import segment_codes, split_rows
from capcurve.input.arrays.labels import found_labels, label_listing, same_label
from capcurve.input.arrays.segments import segment_column
from capcurve.input.columns import InputColumn, absent_rows, check_same_rows
from capcurve.input.count import as_numbers, one_score, present_rows
from capcurve.input.query import columns_of_roles, named_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.counts import Direction, JointCounts, ScoreCounts
    from capcurve.counts.times import Competing
    from capcurve.counts.types import Array, Bools, Floats, Ints, Places
    from capcurve.input.arrays import Missing
    from capcurve.input.arrays.counting import Score
    from capcurve.input.arrays.segments import Period
    from capcurve.input.columns import ColumnLike, Data
    from capcurve.input.files import Files

COMPETING = 2
# In a column without labels, statuses up to this are told apart.
LARGEST_STATUS = 255


def count_times(
    time: ColumnLike,
    event: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> TimeCounts:
    """Count rows by score, time and status, for outcomes that take time and may be censored.

    A default within twelve months, or a churn within ninety days, of rows some of which were not
    followed for as long. `TimeCounts.at(horizon)` gives the counts that every number takes. Raises
    `ValueError` or `TypeError` for anything that cannot be counted exactly; the message says what
    was found.

    Parameters
    ----------
    time
        How long each row was followed, zero or more, in a unit of yours; with `data`, the name of
        that column.
    event
        How that ended: 0 or False for a censored row, of which it is not known when the event
        comes, 1 or True for the event, 2 or more for another one that keeps it from coming. Or
        labels, with `event_label` and `censored_label`.
    score
        The score to judge, given before the time began; with `data`, the name of that column.
    data
        As in `count_scores`. Engines group rows by these columns and hand over the distinct ones.
    stratum
        What censoring depends on besides chance, such as the vintage or the product, a value per
        row: it is then estimated within each.
    event_label, censored_label
        The label of the event and that of a censored row; all other labels are competing events.
    until
        Count rows that were followed for longer as censored at this time. No number at a horizon
        up to it changes, and there are far fewer cells.
    time_resolution
        Round times up to a grid of this width, on which horizons must then lie. Who had the event
        by a horizon stays the same.
    higher_is, levels, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> times = count_times(time=[3, 5, 8, 8], event=[1, 0, 1, 0], score=[9, 5, 7, 2])
    >>> times
    TimeCounts(n=4, events=2, censored=2)
    >>> times.at(8).prevalence
    0.625
    >>> ended = ["default", "open", "repaid"]
    >>> count_times([3, 5, 8], ended, [9, 5, 7], event_label="default", censored_label="open")
    TimeCounts(n=3, events=1, censored=1, competing=1: 'repaid' (1))
    """
    rules = Rules(None, higher_is, levels, missing, resolution)
    asked = TimeRules(rules, event_label, censored_label, until, time_resolution)
    columns = {"time": time, "event": event, "stratum": stratum, "cluster": cluster}
    found: TimeCounts = asked.rows(TimeCounts, columns, one_score(score, data), data).counts()
    return found


def count_time_segments(
    time: ColumnLike,
    event: ColumnLike,
    score: ColumnLike,
    *,
    by: ColumnLike,
    period: Period | None = None,
    data: Data = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    higher_is: Direction = "positive",
    levels: Iterable[object] | None = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> dict[Any, TimeCounts]:
    """Count the times of each segment on its own: months, products, regions; they add up.

    The result holds the `TimeCounts` of each segment by its name, in the order of the segments.

    Parameters
    ----------
    by, period
        As in `count_segments`, of one column.
    time, event, score, data, stratum, event_label, censored_label, until, time_resolution
        As in `count_times`.
    higher_is, levels, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0], "score": [9, 5, 7, 2]}
    >>> months = count_time_segments(**rows, by=["Jan", "Jan", "Feb", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Feb': 2, 'Jan': 2}
    """
    rules = Rules(None, higher_is, levels, missing, resolution)
    asked = TimeRules(rules, event_label, censored_label, until, time_resolution)
    columns = {"time": time, "event": event, "stratum": stratum, "cluster": cluster, "by": by}
    rows = asked.rows(TimeCounts, columns, one_score(score, data), data)
    parts = split_rows(segment_column([rows.by], period))
    return {key: rows.take(picked).counts() for key, picked in parts}


def count_joint_times(
    time: ColumnLike,
    event: ColumnLike,
    scores: Any,
    *,
    data: Data = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    higher_is: Any = "positive",
    levels: Any = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointTimes:
    """Count the times of several scores of the same rows together, as comparing them needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    time, event, data, stratum, event_label, censored_label, until, time_resolution
        As in `count_times`.
    missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0]}
    >>> count_joint_times(**rows, scores={"new": [9, 5, 7, 2], "old": [1, 1, 2, 1]})
    JointTimes(new, old; n=4, events=2, censored=2)
    """
    rules = Rules(None, higher_is, levels, missing, resolution)
    asked = TimeRules(rules, event_label, censored_label, until, time_resolution)
    columns = {"time": time, "event": event, "stratum": stratum, "cluster": cluster}
    named = named_scores(scores, data, time, event, stratum, cluster)
    found: JointTimes = asked.rows(JointTimes, columns, named, data).counts()
    return found


def count_at_horizons(
    rows: Mapping[str, ColumnLike],
    score: Any,
    horizons: Any,
    *,
    data: Data = None,
    competing: Competing = "negative",
    **words: Any,
) -> JointCounts | dict[str, ScoreCounts]:
    """Count rows with a time, and return what `at_horizons` does.

    `rows` are the columns of times, events, strata and clusters, as `count_times` takes them, and
    `words` its other keywords.
    """
    asked = as_horizons(horizons)
    name, *_ = named_scores(score, data, *rows.values())
    return at_horizons(count_followed(rows, score, data=data, **words), asked, name, competing)


def count_followed(
    rows: Mapping[str, ColumnLike], score: Any, *, data: Data = None, **words: Any
) -> TimeCounts | JointTimes:
    """Count the times of one score, or of several together; see `count_at_horizons`."""
    named = named_scores(score, data, *rows.values())
    if len(named) > 1:
        return count_joint_times(**rows, scores=score, data=data, **words)
    (column,) = named.values()
    return count_times(**rows, score=column, data=data, **words)


def read_times(files: Files, score: str | None = None, **words: Any) -> TimeCounts:
    """Take counts of times from tables with the columns score, time, event and n.

    Strata and clusters are in the columns stratum and cluster, where there are such; `words` are
    the direction, levels and resolution of `count_times`.
    """
    from capcurve.input.files.reading import column_names  # costs what only readers should pay

    held = {name.strip().lower(): name for name in column_names(files)}
    given = {role: held.get(role, role) for role in ("time", "event", "n")}
    given |= {role: held[role] for role in ("stratum", "cluster") if role in held}
    named = {score or "score": score or held.get("score", "score")}
    asked = TimeRules(Rules(None, **words), None, None, None, None)
    found: TimeCounts = asked.rows(TimeCounts, given, named, files).counts()
    return found


def at_horizons(
    times: TimeCounts | JointTimes,
    horizons: Sequence[float],
    name: str,
    competing: Competing = "negative",
) -> JointCounts | dict[str, ScoreCounts]:
    """Return counts of each score by each horizon, by name; of several scores by one, joint ones.

    Names tell the horizon where there are several; `name` is that of the score where there is one.
    """
    if isinstance(times, JointTimes):
        if len(horizons) == 1:
            return times.at(horizons[0], competing=competing)
        margins = {each: times.margin(each) for each in times.names}
    else:
        margins = {name: times}
    return {
        within(each, horizon) if len(horizons) > 1 else each: found.at(horizon, competing=competing)
        for each, found in margins.items()
        for horizon in horizons
    }


@dataclass(frozen=True, slots=True)
class TimedRows:
    """Checked rows with a time and a status, and which of them lack something."""

    kind: Any  # of counts
    settings: Mapping[str, Any]
    missing: Missing
    by: Any  # the column of segments
    labels: tuple[str, ...]  # of competing events, after one for none
    keys: tuple[Array, ...]  # scores, time, status and place of the stratum
    label: Places  # which label each row has
    cases: Ints  # how many rows each row stands for
    lost: Mapping[str, Bools]
    groups: Array | None  # of the cluster of each row

    def take(self, rows: Any) -> TimedRows:
        """Return the picked rows."""
        return replace(
            self,
            keys=tuple(key[rows] for key in self.keys),
            label=self.label[rows],
            cases=self.cases[rows],
            lost={name: gone[rows] for name, gone in self.lost.items()},
            groups=None if self.groups is None else self.groups[rows],
        )

    def counts(self) -> Any:
        """Return counts of the rows that lack nothing, with those of their groups of clusters."""
        present, dropped = present_rows(self.lost, self.cases, self.missing)
        rows, groups = self if present.all() else self.take(present), None
        if rows.groups is not None:
            order = np.argsort(rows.groups, kind="stable")
            ends = np.cumsum(np.bincount(rows.groups, minlength=GROUPS))[:-1]
            groups = tuple(rows.take(picked).counted() for picked in np.split(order, ends))
        return replace(rows.counted(), dropped=dropped, groups=groups)

    def counted(self) -> Any:
        """Return counts of all these rows."""
        held = np.bincount(self.label, self.cases, len(self.labels))
        pairs = sorted(zip(self.labels[1:], held[1:], strict=True))
        labels = {name: int(rows) for name, rows in pairs if rows}
        cases = None if self.cases.max(initial=1) == 1 else self.cases
        return self.kind.of_rows(self.keys, cases, **self.settings, competing_labels=labels)


@dataclass(frozen=True, slots=True)
class TimeRules:
    """How rows with a time are to be read."""

    rules: Rules
    event_label: object
    censored_label: object
    until: Any
    time_resolution: Any

    def __post_init__(self) -> None:
        for name in ("until", "time_resolution"):
            if getattr(self, name) is not None:
                as_horizon(getattr(self, name), name)
        if (self.event_label is None) != (self.censored_label is None):
            raise ValueError("event_label= and censored_label= go together; pass both")
        if self.event_label is not None and same_label(self.event_label, self.censored_label):
            raise ValueError(f"event_label and censored_label are both {told(self.event_label)}")

    def rows(
        self, kind: Any, given: Mapping[str, ColumnLike], named: Mapping[str, Any], data: Data
    ) -> TimedRows:
        """Fetch columns by their roles and check them."""
        columns, scored, repeats = _fetched(given, named, data)
        scores = as_scores(scored, self.rules)
        time, event = as_numbers(columns["time"], repeats, ""), columns["event"]
        _refuse_negative(columns["time"], time, repeats)
        values = {role: column.stored for role, column in columns.items()} | {"time": time}
        held = [(role, columns[role], values[role]) for role in columns if role != "by"]
        held += [
            ("score", column, score.values if score.levels is None else column.stored)
            for score, column in zip(scores, scored, strict=True)
        ]
        names = account_names([(role, column.name) for role, column, _ in held])
        absent = [absent_rows(column, values) for _, column, values in held]
        status, label, labels = self._statuses(event, absent[1], repeats)
        strata, codes = list[object](), np.zeros(len(time), np.intp)
        if "stratum" in columns:
            strata, codes = segment_codes(columns["stratum"])
        return TimedRows(
            kind,
            {**self._settings(kind, scores), "strata": tuple(map(_stratum_name, strata))},
            self.rules.missing,
            columns.get("by"),
            labels,
            (*map(_on_grid, scores), *self._cut(time, status), codes),
            label,
            np.ones(len(time), dtype=np.int64) if repeats is None else repeats,
            {name: rows for name, rows in zip(names, absent, strict=True) if rows is not None},
            cluster_groups(columns["cluster"])[1] if "cluster" in columns else None,
        )

    def _settings(self, kind: Any, scores: Sequence[Score]) -> dict[str, Any]:
        """Return what counts of a kind say of their scores and times."""
        first = scores[0]
        found = {name: getattr(first, name) for name in ("higher_is", "levels", "resolution")}
        if kind is JointTimes:
            for name in ("higher_is", "levels", "name"):
                found[name] = tuple(getattr(score, name) for score in scores)
            found["names"] = found.pop("name")
        for name in ("until", "time_resolution"):
            given = getattr(self, name)
            found[name] = None if given is None else float(given)
        return found

    def _cut(self, time: Floats, status: Array) -> tuple[Floats, Array]:
        """Return times rounded up and cut off, with the statuses that this leaves."""
        time = np.where(np.isnan(time), 0.0, time)
        if self.time_resolution is not None:
            time = rounded_up(time, float(self.time_resolution))
        if self.until is None:
            return time, status
        last = float(self.until)
        return np.minimum(time, last), np.where(time > last, CENSORED, status).astype(np.uint8)

    def _statuses(
        self, column: InputColumn, absent: Bools | None, repeats: Ints | None
    ) -> tuple[Array, Places, tuple[str, ...]]:
        """Return the status of each row, and which label each has that competes."""
        present = np.ones(len(column), dtype=np.bool_) if absent is None else ~absent
        label = np.zeros(len(column), dtype=np.intp)
        if self.event_label is None and column.categories is None:
            plain = _plain_statuses(column, present)
            if plain is not None:
                return plain, label, ("",)
        labels, codes = found_labels(column, present)
        kinds = np.array([self._status(each) for each in labels], dtype=np.uint8)
        if len(kinds) and (self.event_label is None or kinds.min() == COMPETING):
            found = label_listing(labels, codes, None if repeats is None else repeats[present])
            advice = "; say which is the event and which is a censored row with event_label= and "
            advice += "censored_label="
            if self.event_label is not None:
                advice = f", and neither event_label={self.event_label!r} nor "
                advice += f"censored_label={self.censored_label!r} is among them"
            raise ValueError(f"{column.name} holds {found}{advice}")
        competing = np.flatnonzero(kinds == COMPETING).tolist()
        status = np.zeros(len(column), dtype=np.uint8)
        status[present] = kinds[codes]
        for place, code in enumerate(competing):
            label[np.flatnonzero(present)[codes == code]] = place + 1
        return status, label, ("", *(str(labels[code]) for code in competing))

    def _status(self, label: object) -> int:
        if same_label(label, self.event_label):
            return EVENT
        return CENSORED if same_label(label, self.censored_label) else COMPETING


def _fetched(
    given: Mapping[str, ColumnLike], named: Mapping[str, Any], data: Data
) -> tuple[dict[str, InputColumn], list[InputColumn], Ints | None]:
    """Return columns by their roles, those of the scores, and how often each row occurs."""
    for role in ("time", "event"):
        if given[role] is None:
            raise TypeError(f"{role} must be a column of values, got NoneType")
    roles = {role: column for role, column in given.items() if column is not None}
    asked = {**roles, **{f"score {name}": column for name, column in named.items()}}
    found, repeats = columns_of_roles(asked, data)
    scores = found[len(roles) :]
    scores = [replace(column, name=name) for name, column in zip(named, scores, strict=True)]
    check_same_rows([*found[: len(roles)], *scores])
    columns = dict(zip(roles, found, strict=False))
    if "n" in columns:
        from capcurve.input.files.cells import refuse_missing, whole_times

        repeats = whole_times(columns.pop("n"))
        for column in (*columns.values(), *scores):
            refuse_missing(column)
    return columns, scores, repeats


def _stratum_name(value: object) -> str:
    """Return the name of a stratum: of 1.0, as which pandas holds 1 beside missing values, "1"."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)  # type: ignore[call-overload]  # a float


def _on_grid(score: Score) -> Array:
    step = score.resolution
    return score.values if step is None else grid_index(score.values, step)


def _plain_statuses(column: InputColumn, present: Bools) -> Array | None:
    """Return statuses that speak for themselves, or None for labels."""
    values = column.stored
    if values.dtype.kind not in "biuf":
        return None
    held = np.where(present, values, 0)
    wrong = (held < 0) | (held > LARGEST_STATUS) | (held != np.floor(held))
    if wrong.any():
        raise ValueError(
            f"{column.name} holds {held[wrong][0]:g}; a status is 0 for censored, 1 for the event, "
            f"2 or more, up to {LARGEST_STATUS}, for another one that keeps it from coming"
        )
    return held.astype(np.uint8)


def _refuse_negative(column: InputColumn, time: Floats, repeats: Ints | None) -> None:
    negative = time < 0
    if negative.any():
        raise ValueError(
            f"{column.name} is negative in {told_rows(negative, repeats)} "
            f"({time[negative][0]:g}); a time is zero or more"
        )

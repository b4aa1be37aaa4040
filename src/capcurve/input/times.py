"""Rows whose outcome takes time become counts by score, time and status."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from capcurve.counts.times import Competing, JointTimes, TimeCounts, unit_in, within
from capcurve.input.arrays import Missing, cluster_groups, count_clustered
from capcurve.input.arrays.checks import ColumnsByRole, TimeRules
from capcurve.input.count import one_score
from capcurve.input.files.cells import read_saved, refuse_missing, segment_heading, whole_times
from capcurve.input.files.reading import column_names
from capcurve.input.query import (
    Query,
    columns_of_roles,
    count_all_together,
    count_by_segment,
    count_each,
    name_of,
    named_scores,
    of_table,
    refuse_none,
)
from capcurve.numbers.arguments import arg

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.counts import Direction, JointCounts, ScoreCounts
    from capcurve.input.arrays.groups import Period
    from capcurve.input.columns import ColumnLike, Data, Directions, Levels, ScoreLike
    from capcurve.input.files import Files


def count_times(
    time: ColumnLike,
    event: ColumnLike,
    score: ColumnLike,
    *,
    data: Data = None,
    table: str | None = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    competing_labels: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    time_unit: str | None = None,
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
        How long each row was followed, zero or more, in one unit; with `data`, the name of
        that column.
    event
        How that ended: 0 or False for a censored row, of which it is not known when the event
        comes, 1 or True for the event, 2 or more for a competing event. Or
        labels, with `event_label` and `censored_label`.
    score
        The score to judge, given before the time began; with `data`, the name of that column.
    data, table
        As in `count_scores`. Engines group rows by these columns and hand over the distinct ones.
    stratum
        What censoring depends on besides chance, such as the vintage or the product, a value per
        row: it is then estimated within each.
    event_label, censored_label
        The label of the event and that of a censored row; all other labels are competing events.
        Statuses of which none is 0, unless all are 1, statuses of a column called `cens` or
        `censored`, and a label that no row has are refused.
    competing_labels
        All other labels, one or a list: a label named may then be one that no row has, as in a
        shard, and rows with a label that is not named are refused.
    until
        Count rows that were followed for longer as censored at this time. No number at a horizon
        up to it changes, and there are far fewer cells.
    time_resolution
        Round times up to a grid of this width, on which horizons must then lie. Who had the event
        by a horizon stays the same.
    time_unit
        What the times are counted in, such as "days", which horizons are then said in. Left out,
        it is the one unit that the name of the column has as a word, as in `days_to_default`.
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
    data = of_table(data, table)
    asked = event_label, censored_label, competing_labels, until, time_resolution, time_unit
    rules = TimeRules(None, higher_is, levels, missing, resolution, None, *asked)
    roles = {"stratum": stratum, "cluster": cluster}
    query = _query(time, event, one_score(score, data), rules, data, roles)
    (counts,) = count_each(query)[0].values()
    return cast("TimeCounts", counts)


def count_time_segments(
    time: ColumnLike,
    event: ColumnLike,
    score: ColumnLike,
    *,
    by: ColumnLike,
    period: Period | None = None,
    data: Data = None,
    table: str | None = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    competing_labels: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    time_unit: str | None = None,
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
        As in `count_segments`.
    time, event, score, data, table, stratum, event_label, censored_label, competing_labels
        As in `count_times`.
    until, time_resolution, time_unit
        As in `count_times`.
    higher_is, levels, missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0], "score": [9, 5, 7, 2]}
    >>> months = count_time_segments(**rows, by=["Jan", "Jan", "Feb", "Feb"])
    >>> {month: counts.n for month, counts in months.items()}
    {'Jan': 2, 'Feb': 2}
    """
    data = of_table(data, table)
    asked = event_label, censored_label, competing_labels, until, time_resolution, time_unit
    rules = TimeRules(None, higher_is, levels, missing, resolution, None, *asked)
    roles = {"stratum": stratum, "cluster": cluster, "by": by, "period": period}
    query = _query(time, event, one_score(score, data), rules, data, roles)
    return dict(count_by_segment(query))


def count_joint_times(
    time: ColumnLike,
    event: ColumnLike,
    scores: ScoreLike,
    *,
    data: Data = None,
    table: str | None = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    competing_labels: object = None,
    until: float | None = None,
    time_resolution: float | None = None,
    time_unit: str | None = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
) -> JointTimes:
    """Count the times of several scores of the same rows together, as comparing them needs.

    Parameters
    ----------
    scores, higher_is, levels
        As in `count_joint`.
    time, event, data, table, stratum, event_label, censored_label, competing_labels
        As in `count_times`.
    until, time_resolution, time_unit
        As in `count_times`.
    missing, resolution, cluster
        As in `count_scores`.

    Examples
    --------
    >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0]}
    >>> count_joint_times(**rows, scores={"new": [9, 5, 7, 2], "old": [1, 1, 2, 1]})
    JointTimes(new, old; n=4, events=2, censored=2)
    """
    data = of_table(data, table)
    asked = event_label, censored_label, competing_labels, until, time_resolution, time_unit
    rules = TimeRules(None, higher_is, levels, missing, resolution, None, *asked)
    roles = {"stratum": stratum, "cluster": cluster}
    named = named_scores(scores, data, time, event, stratum, cluster)
    found = count_all_together(_query(time, event, named, rules, data, roles))
    return cast("JointTimes", found)


def _query(
    time: ColumnLike,
    event: ColumnLike,
    named: Mapping[str, ColumnLike],
    rules: TimeRules,
    data: Data,
    roles: Mapping[str, Any],
) -> Query:
    """Return what is to be counted of rows that have a time and an event."""
    refuse_none(time=time, event=event)
    if rules.time_unit is None:
        rules = replace(rules, time_unit=unit_in(name_of(time)))
    return Query(event, named, rules, data, time=time, **roles)


def count_followed(
    rows: Mapping[str, ColumnLike], score: Any, *, data: Data = None, **words: Any
) -> TimeCounts | JointTimes:
    """Count the times of one score, or of several together.

    `rows` are the columns of times, events, strata and clusters, as `count_times` takes them, and
    `words` its other keywords.
    """
    named = named_scores(score, data, *rows.values())
    if len(named) > 1:
        return count_joint_times(**rows, scores=score, data=data, **words)
    (column,) = named.values()
    return count_times(**rows, score=column, data=data, **words)


def read_times(
    files: Files, score: str | None = None, **words: Any
) -> TimeCounts | dict[Any, TimeCounts]:
    """Take counts of times from tables with the columns score, time, event and n.

    Strata, clusters and segments are in the columns stratum, cluster and segment, where there are
    such; `words` are the direction, levels, resolution and unit of time of `count_times`.
    """
    if (saved := read_saved(files, score=score)) is not None:
        return _of_times(saved, words)
    names = column_names(files)
    held = {name.strip().lower(): name for name in names}
    given = {role: held.get(role, role) for role in ("time", "event", "n")}
    given |= {role: held[role] for role in ("stratum", "cluster") if role in held}
    given["score"] = score or held.get("score", "score")
    by = segment_heading([name for name in names if name not in given.values()])
    given |= {} if by is None else {"by": by}
    columns = dict(zip(given, columns_of_roles(given, files)[0], strict=True))
    repeats = whole_times(columns.pop("n"))
    segments = columns.pop("by", None)
    for column in columns.values():
        refuse_missing(column)
    ids, groups = None, None
    if "cluster" in columns:
        ids, groups, _ = cluster_groups(columns["cluster"])
    rows = ColumnsByRole(
        columns["event"],
        (columns["score"],),
        time=columns["time"],
        stratum=columns.get("stratum"),
        by=segments,
        ids=ids,
        repeats=repeats,
        groups=groups,
    )
    rules = TimeRules(**words)
    if segments is not None:
        parts: Any = rows.segments(rules)
        return {key: cast("TimeCounts", count_clustered(s, s.scores[0])) for key, s in parts}
    sample = rows.complete(rules)
    return cast("TimeCounts", count_clustered(sample, sample.scores[0]))


def _of_times(saved: Any, words: Mapping[str, Any]) -> TimeCounts | dict[Any, TimeCounts]:
    """Return counts that were saved, if they are of times and nothing else is said of them."""
    parts = saved.values() if isinstance(saved, dict) else [saved]
    if not all(isinstance(part, TimeCounts) for part in parts):
        raise ValueError(f"these are no counts of times; leave out {arg('horizon')}")
    if words:
        raise ValueError(
            f"saved counts record how they were counted; leave out {arg(next(iter(words)))}"
        )
    found: TimeCounts | dict[Any, TimeCounts] = saved
    return found


def at_horizons(
    times: TimeCounts | JointTimes,
    horizons: Sequence[float],
    name: str,
    competing: Competing = "negative",
) -> JointCounts | dict[str, ScoreCounts]:
    """Return counts of each score by each horizon, by name; of several scores by one, joint ones.

    Names tell the horizon where there are several, which ascend; `name` is that of the score where
    there is one.
    """
    if isinstance(times, JointTimes):
        if len(horizons) == 1:
            return times.at(horizons[0], competing=competing)
        margins = {each: times.margin(each) for each in times.names}
    else:
        margins = {name: times}
    found = {}
    for each, margin in margins.items():
        for horizon in sorted(horizons):
            called = within(each, horizon, times.time_unit) if len(horizons) > 1 else each
            found[called] = margin.at(horizon, competing=competing)
    return found
